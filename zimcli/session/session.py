"""A session: the current place, and the language of its lines. The prompt, scripts and the shell share it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from zimcli.output.output import Output
from zimcli.shell.exit_codes import FailedError, name_failed_command, name_typed_words
from zimcli.shell.program_name import typable
from zimcli.shell.registry import (
    DO,
    HELP,
    LEAVE_WORDS,
    SESSION_ENTRIES,
    SHORTHAND_ENTRIES,
    SUBCOMMANDS,
    CommandEntry,
    without_family,
)
from zimcli.shell.typed_words import check_words, names_a_place
from zimcore.game import GameError, NotationError
from zimcore.service.lines.visibility import SPECTATOR, TABLE, Viewer
from zimcore.toolkit.player_names import seats_by_word

if TYPE_CHECKING:
    import click

    from zimcli.render.spans import Block
    from zimcli.session.lesson import Lesson
    from zimcli.shell.service_types import AnyService
    from zimcore.commits import Commit, Position
    from zimcore.documents.listings import PositionNote
    from zimcore.documents.positions import Answer, PositionAnswer
    from zimcore.game import Game, Rule, Seat
    from zimcore.history.position_values import PositionValues
    from zimcore.service import GameService

COMMENT = r"(^|\s)#.*"
TYPED_LEVEL = 2
"""The level of a command that is typed at the prompt. A command of a script that it runs is deeper."""


ResultT = TypeVar("ResultT")


class LeaveError(Exception):
    """The user typed `quit`."""


class Session:
    """The current place (`current`: the position at its head when last seen), and how to print answers.

    `seat` is the seat that the user plays, if any; `viewer` is who looks (see `visibility`), `derived_seat` that of
    the only person among programs (see `who_plays`). `command_place` is that of the last command. `allowed_programs`
    are those of other people that the user named for a script or a pipe.
    `script_lines` are the lines that the running script began, by game: there it goes on, while the user's current
    line stays. Scripts write files only in `folder` ("": the current one). A session that `is_careful` is interactive:
    it asks for confirmation once before a command wastes something, except for the `advised_commands`. At the table it
    can `teach`. A command in the shell is a session of one line, without a current place.
    """

    advises = True
    """Whether to offer the game's advice without being asked."""

    def __init__(self, output: Output, store: str = "", by: str = "", service: AnyService | None = None) -> None:
        self.output = output
        self.store = store
        self.level = 0
        self.current: Position | None = None
        self.command_place = ""
        self._seat: Seat | None = None
        self.derived_seat: Seat | None = None
        self.viewer = TABLE
        self._places_by_command_id: dict[str, str] = {}
        self.script_lines: dict[str, str] = {}
        self.folder = ""
        self.is_careful = False
        self.teach: Callable[[Lesson], None] | None = None
        self._pending_question = ""
        self.allowed_programs = frozenset[str]()
        self.advised_commands: Sequence[str] = ()
        self._by = by
        self._service = service
        self._is_checking = False
        self._shown_notes = set[str]()
        self._has_noted_unfinished = False

    @property
    def service(self) -> AnyService:
        """The service, opened on first use: `zim help` opens no store. Raises `StoreError` if the store does not exist.

        A missing store is an error, not an empty one: its name may be mistyped.
        """
        if self.local_service:
            self.local_service.check_exists("new", "import FILE", "zim --store sqlite:///PATH ...")
        if self.local_service and not self._has_noted_unfinished:
            self._has_noted_unfinished = True
            if unfinished := self.local_service.store.unfinished():
                self.show_note(f"{unfinished}; try: {typable(unfinished.command(self.local_service.url))}")
        return self.opened_service

    @property
    def has_open_store(self) -> bool:
        """Whether a command has opened the store."""
        return self._service is not None

    @property
    def local_service(self) -> GameService | None:
        """The service of a store on this machine, whether or not the store exists; None for a server."""
        from zimcore.service import GameService

        return self.opened_service if isinstance(self.opened_service, GameService) else None

    def maintenance_service(self, command: str, *other_commands: str, may_create: bool = False) -> GameService:
        """The service for a command that maintains a store. With `may_create`, the store need not exist.

        Raises `GameError` on a server, with `other_commands` as hints, and `StoreError` if there is no store.
        """
        from zimcore.service import GameService

        service = self.opened_service if may_create else self.service
        if isinstance(service, GameService):
            return service
        problem_text, reason = f"{command} does not work over the network", "run it on the machine that has the store"
        raise GameError(problem_text, reason, [*other_commands, f"zim --store sqlite:///PATH {command} ..."])

    @property
    def opened_service(self) -> AnyService:
        """The service, for commands that may create the store."""
        if self._service is None:
            from zimcli.session.locations import open_store

            self._service = open_store(self.store, (self.seat or "", self.by), self.show_note)
            self.is_checking = self._is_checking
        return self._service

    def close_local_store(self) -> None:
        """Closes a store of this machine, so that its file can be replaced; the next command opens it again."""
        if self._service is not None and (service := self.local_service):
            service.store.close()
            # The store that nobody has named stays that: it need not exist.
            self.store, self._service = self.store and service.store.full_url, None

    @property
    def is_checking(self) -> bool:
        """Whether the running command is a check. A check stores nothing that another one would find."""
        return self._is_checking

    @is_checking.setter
    def is_checking(self, is_checking: bool) -> None:
        from zimcore.service import GameService

        self._is_checking, service = is_checking, self._service
        if isinstance(service, GameService):
            service.store.keeps_projections = not is_checking
        elif service:
            service.remote_lines.keeps_copies = not is_checking

    @property
    def address(self) -> str:
        """The URL of the store or server. Don't show it: it may contain a password. Opens nothing."""
        from zimcore.service import GameService

        if self._service is None:
            from zimcli.session.locations import store_url

            return store_url(self.store)
        return self._service.store.full_url if isinstance(self._service, GameService) else self._service.url

    @property
    def by(self) -> str:
        """The user's name. Raises `GameError` if it is not a valid name."""
        if not self._by:
            from zimcli.session.locations import current_user

            self._by = current_user()
        from zimcore.service.records.person_names import check_name

        return check_name(self._by)

    @by.setter
    def by(self, name: str) -> None:
        self._by = name

    @property
    def seat(self) -> Seat | None:
        """The seat that the user plays where the last command was: see `seat_on`."""
        return self.seat_on(self.command_place or self.place)

    @seat.setter
    def seat(self, seat: Seat | None) -> None:
        self._seat = seat

    def seat_on(self, place: str) -> Seat | None:
        """The seat that the user plays on a line: as given with `--as`, else the one that the server knows."""
        if self._seat is None and self._service is not None:
            return self._service.seat_at(place) or None
        return self._seat

    @property
    def is_typed(self) -> bool:
        """Whether the user typed the running command, in the shell or at the prompt.

        False in a script and in a pipe, whose commands may come from other people.
        """
        return self.level == 0 or (self.is_careful and self.level == TYPED_LEVEL)

    @property
    def place(self) -> str:
        """The current line (`kilwa-7/main`), if there is one."""
        return f"{self.current.match}/{self.current.line}" if self.current else ""

    @property
    def current_game(self) -> Game:
        """The game that is played here; outside a match, the default game."""
        return self.current.game if self.current else self.game()

    @property
    def all_games(self) -> Sequence[Game]:
        """The game that is played here; outside a match, all games."""
        from zimcore.games.registry import playable_games

        return [self.current.game] if self.current else playable_games(self.kinds)

    @property
    def all_rules(self) -> Sequence[Rule]:
        """The rules of those games; in a match, with its house rules."""
        from zimcore.rule_texts import rules_at_table

        setup_command = self.position(f"{self.current.match}@start").commit.command if self.current else None
        return [rule for game in self.all_games for rule in rules_at_table(game, setup_command)]

    def game(self, kind: str = "") -> Game:
        """The game of a kind, or the default game. Raises `UnknownError`."""
        from zimcore.service import game

        return game(kind or next(iter(self.kinds)), self.kinds)

    def game_script(self, script_kind: Literal["demo", "tutorial"], kind: str = "") -> str:
        """The demo or tutorial of a game. Raises `GameError` if it has none."""
        game = self.game(kind)
        script = game.texts.demo() if script_kind == "demo" else game.texts.tutorial()
        if not script:
            other_scripts = [
                f"{script_kind} {other.name}" for other in self.all_games if getattr(other.texts, script_kind)()
            ]
            raise GameError(script_kind, f"{game.title} has no {script_kind}", other_scripts or ["rules", "legal"])
        return script

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kinds of games, each with its module. Opens no store."""
        from zimcore.games.registry import GAMES

        return self._service.kinds if self._service else GAMES

    def enter_position(self, position: Position) -> None:
        """Makes a position the current place."""
        self.current = position

    def enter_new_line(self, position: Position) -> None:
        """Enters a line that was begun. It is the user's current one, or else that of the running script."""
        self.enter_position(position)
        if not self.is_typed:
            self.script_lines[position.match] = position.line

    def leave_game(self, match: str) -> None:
        """Leaves the current place if it is in this match, which was deleted."""
        if self.current and self.current.match == match:
            self.current = None

    @property
    def sees_only_public(self) -> bool:
        """Whether the viewer sees only what all players may see."""
        return self.viewer in (TABLE, SPECTATOR)

    def position(self, place: str) -> Position:
        """A position as the viewer may see it."""
        return self.service.position(place, self.viewer)

    def head(self, place: str) -> Position:
        """The head of a line as the viewer may see it."""
        return self.service.head(place, self.viewer)

    def log(self, place: str, *, all_: bool = False) -> Sequence[Commit]:
        """The commits that lead to a position, as the viewer may see them."""
        return self.service.log(place, all_=all_, viewer=self.viewer)

    def help_refusal(self, place: str) -> GameError | None:
        """Why programs may not help in the match of a place; None if they may."""
        from zimcore.analysis.help_permission import help_refusal

        return help_refusal(self.service, self.match_name(place))

    def is_help_allowed(self, place: str) -> bool:
        """Whether programs may help in the match of a place."""
        return self.help_refusal(place) is None

    def check_help_allowed(self, place: str) -> None:
        """Raises `GameError` if programs may not yet help in the match of a place."""
        if refusal := self.help_refusal(place):
            raise refusal

    def draw_picture(self, make_png: Callable[[], bytes], is_wanted: bool | None) -> bool:
        """Draws a PNG in the terminal, at a prompt only if it `is_wanted`. Returns whether it drew one."""
        return (is_wanted is not None or not self.level) and self.output.draw_picture(make_png, is_wanted)

    def match_name(self, place: str) -> str:
        """The name of the match in a place."""
        return self.complete_place(place).partition("@")[0].partition("/")[0]

    def values_reader(self, expression: str, place: str) -> Callable[[Game, Any], PositionValues]:
        """A function that reads the values of a position for an expression on this line.

        Raises `GameError` if the expression uses chances and programs may not yet help.
        """
        from zimcore.analysis.chance_figures import CHANCE_WORD, values_reader

        if CHANCE_WORD.search(expression):
            self.check_help_allowed(place)
        line = place.partition("@")[0]
        values_by_place: dict[str, PositionValues] = {}

        def values_at(other_place: str) -> PositionValues:
            if other_place not in values_by_place:
                position = self.position(f"{line}@{other_place}")
                values_by_place[other_place] = read_values(position.game, position.state)
            return values_by_place[other_place]

        read_values = values_reader(expression, values_at)
        return read_values

    def set_viewer(self, viewer: Viewer) -> None:
        """Changes the viewer, and reads the current position again with their eyes."""
        self.viewer = viewer
        if self.current:
            self.current = self.position(f"{self.place}@{self.current.commit.digest}")

    def play_as(self, seat: Seat) -> None:
        """Plays a seat from now on, and sees what its player knows. The seat may be named by its player."""
        self.seat = seat_of(self.current, seat) if self.current else seat
        self.set_viewer(Viewer(self.seat))

    def record_head(self, position: Position) -> None:
        """Records the new head of a line, if it is the current line or there is none."""
        self.forget_question()  # a pending confirmation no longer applies
        if self.current is None or self.is_on_current_line(position):
            self.current = position

    def after_move(self, position: Position) -> None:
        """Records the new head of a line after a move, and runs the user's hooks."""
        from zimcli.settings.hooks import run_hooks

        self.record_head(position)
        run_hooks(position, self.show_note)

    def notes(self, place: str, commits: Sequence[Commit] | None = None) -> tuple[PositionNote, ...]:
        """What happened around the game at the positions on the way to a place, or at those of some commits."""
        from zimcore.service.records.discussion import notes_on

        discussion = self.service.discussion(self.match_name(place))
        return notes_on(discussion, self.log(place) if commits is None else commits) if discussion.shares else ()

    def position_answer(self, position: Position) -> PositionAnswer:
        """The answer of a command that has moved a line: its new position."""
        from zimcore.documents.positions import PositionAnswer, position_document

        self.record_head(position)
        return PositionAnswer(position_document(position))

    def current_line(self, place: str) -> str:
        """The name of the current line in the match of a place: the running script's, or else the user's."""
        if line := self.script_lines.get(self.match_name(place)):
            return line
        return next(
            line.name for line in self.service.lines(self.match_name(place), self.viewer, by=self.by) if line.current
        )

    def enter_if_current(self, place: str, position: Position) -> None:
        """Enters a position if `place` is the current line, which was renamed or removed."""
        match, _, line = place.partition("@")[0].partition("/")
        if self.script_lines.get(match) == line:
            self.script_lines[match] = position.line
        if place.partition("@")[0] == self.place:
            self.enter_position(position)

    def is_on_current_line(self, position: Position) -> bool:
        """Whether a position is on the current line."""
        return self.current is not None and (position.match, position.line) == (self.current.match, self.current.line)

    def seen_head_digest(self, place: str) -> str | None:
        """The digest of the head that the session last saw, if `place` is its current line."""
        return self.current.commit.digest if self.current and place == self.place else None

    def complete_place(self, place: str, base: str = "") -> str:
        """The complete name of a place, relative to the current place or to `base`."""
        return self.service.resolve(place, base or self.place) if place else self.place

    def place_with_line(self, place: str) -> str:
        """A place with its line: the user's current one if none is named.

        A place that does not exist is returned unchanged.
        """
        from zimcore.service import DamagedError

        match, _, position_text = place.partition("@")
        if line := self.script_lines.get(match):
            return f"{match}/{line}" + f"@{position_text}" * bool(position_text)
        try:
            return self.service.current_line(place, by=self.by, viewer=self.viewer)
        except (GameError, DamagedError):  # the command reports the error itself
            return place

    def retry_or_run(self, place: str, command_id: str, run_at: Callable[[str, str], ResultT]) -> ResultT:
        """Runs a command with an id at a place whose line is implied, or answers it as the first time.

        `run_at` runs it at a place with an id. A retry means the line of the first attempt. Raises `TakenError` if that
        was another command.
        """
        from zimcore.service import DamagedError, TakenError
        from zimcore.service.records.idempotency import RetriedId

        places_in_store, errors = list[str](), list[TakenError]()
        with suppress(GameError, DamagedError):  # the command reports the error itself
            places_in_store += self.service.places_of_id(place, command_id, by=self.by, viewer=self.viewer)
        earlier_places = filter(None, [self._places_by_command_id.get(command_id)])
        for earlier_place in dict.fromkeys([*earlier_places, *places_in_store]):
            try:
                result = run_at(earlier_place, RetriedId(command_id))
            except TakenError as error:
                errors.append(error)
            else:
                self._places_by_command_id[command_id] = earlier_place
                return result
        # Without a head nothing was stored there.
        if taken_error := next((error for error in errors if error.head or places_in_store), None):
            raise taken_error
        self._places_by_command_id[command_id] = place
        from zimcore.service import GameService  # not the client, which needs a library that may be missing

        service = self.service
        with nullcontext() if isinstance(service, GameService) else service.remember_place(place, command_id):
            return run_at(place, command_id)

    def is_known_place(self, word: str) -> bool:
        """Whether a word is a place: by its form, or as the name of a line or a game."""
        if names_a_place(word):
            return True
        return bool(self.current and word in self.service.line_names(self.current.match)) or self.service.has_game(word)

    def is_game(self, word: str) -> bool:
        """Whether a game has that name. False if there is no store."""
        from zimcore.service import StoreError

        with suppress(StoreError):
            return self.service.has_game(word)
        return False

    def run_line(self, line: str) -> None:
        """Runs a line: commands of zim or of the game, separated by `;`, up to the first that fails."""
        text = re.sub(COMMENT, "", line)
        if ";" not in text:
            self.run_command(text)
            return
        from zimcli.shell.typed_words import entry_of, split_line

        commands = split_line(text, self.current_game.notation)
        # Several moves are one command, as in the shell: one answer reports all of them.
        for command in commands if any(map(entry_of, commands)) else [text]:
            self.run_command(command)

    def run_command(self, command: str) -> None:
        """Runs a command of zim, or else one of the game."""
        command_text = self.without_family(command.strip().removeprefix("zim ").lstrip())
        word, _, argument_text = command_text.partition(" ")
        if word in LEAVE_WORDS:
            raise LeaveError
        entry = (
            HELP if word.startswith("?") else SESSION_ENTRIES.get(word) or self.shorthand_command(word, argument_text)
        )
        if entry:
            self.invoke_command(
                entry,
                split_arguments(
                    entry, (word[1:] + " " + argument_text) if word.startswith("?") else argument_text, self.is_game
                ),
            )
        elif command_text and self.is_prompt and (alias_text := self.alias_line(word)):
            self.run_command(f"{alias_text} {argument_text}".rstrip())
        elif command_text and self.current is None:
            raise NotationError(
                command_text, "it is no command of zim, and no game has been begun", ["new", "games", "help"]
            )
        elif command_text:
            self.play_move(command_text)

    def without_family(self, command_text: str) -> str:
        """The command without the family in front of it, unless the game has that word."""
        word, _, argument_text = command_text.partition(" ")
        if word not in SUBCOMMANDS or (self.current and word in self.current.game.notation.SYNTAX):
            return command_text
        subcommand, _, rest = argument_text.strip().partition(" ")
        return " ".join([*without_family([word, *filter(None, [subcommand])]), *filter(None, [rest])])

    @property
    def is_prompt(self) -> bool:
        """Whether the user types lines here, not words of the shell or a script."""
        return self.is_careful and self.level == TYPED_LEVEL - 1

    def alias_line(self, word: str) -> str:
        """The line that a word of the user's settings stands for; "" if there is none, or the game has the word."""
        if self.current and word in self.current.game.notation.SYNTAX:
            return ""
        from zimcli.settings.config import expand_alias

        return shlex.join(expand_alias(word))

    def shorthand_command(self, word: str, argument_text: str) -> CommandEntry | None:
        """The command for a letter, alone or with a number, unless the game reads it as a move."""
        if word not in SHORTHAND_ENTRIES or (argument_text and not argument_text.isdigit()):
            return None
        try:
            if self.current:
                self.current.game.notation.parse(f"{word} {argument_text}", self.current.state)
                return None
        except GameError:
            pass
        return SHORTHAND_ENTRIES[word]

    def play_move(self, command_text: str) -> None:
        """Plays a line that is no command of zim. If the game can't parse it either, the error suggests commands."""
        try:
            self.invoke_command(DO, [command_text])
        except NotationError as error:
            self.add_command_hints(error, command_text)
            raise

    def add_command_hints(self, error: NotationError, command_text: str) -> None:
        """Adds commands of zim to the hints of an error, if the game does not know the first word.

        If the rest of the line fits a move, the word is no command of zim (`strat f4` is not `seat f4`).
        """
        from zimcli.output.errors import hints_for_other_word
        from zimcore.service.records.places import similar_names

        word, _, argument_text = command_text.partition(" ")
        if error.what != word.lower():
            return
        if not any(hint.startswith(word) for hint in error.hints):
            argument_fits = (
                error.in_place
                and bool(argument_text)
                and any(hint.endswith(f" {argument_text}") for hint in error.hints)
            )
            corrections = (self.corrected_command(name, argument_text) for name in similar_names(word, SESSION_ENTRIES))
            zim_hints = () if argument_fits else hints_for_other_word(word) or tuple(corrections)
            error.hints = (*error.hints, *zim_hints) if error.in_place else (*zim_hints, *error.hints)
        if asked_word := self.word_asked_about(command_text):
            error.hints = (f"{HELP.name} {asked_word}", *error.hints)
        error.hints = tuple(dict.fromkeys(error.hints))

    def word_asked_about(self, text: str) -> str:
        """The word of the game that a question names, such as "hub" in "what is a hub"; "" if there is none."""
        from zimcore.rule_texts import find_word

        word = find_word(self.current_game, text)
        return word.name if word else ""

    def corrected_command(self, name: str, argument_text: str) -> str:
        """A command with what was typed after its misspelt name, or alone; if it can be neither, its help."""
        import click

        entry = SESSION_ENTRIES[name]
        for text in ("",) if entry.takes_text or "--help" in argument_text else (argument_text, ""):
            with suppress(click.ClickException, GameError):
                self.make_context(entry, split_arguments(entry, text, self.is_game))
                return f"{name} {text}".rstrip()
        return f"help {name}"

    def require_confirmation(
        self, question: str, command_text: str, waste_text: str, other_command: str = "hint --advice"
    ) -> None:
        """Asks for confirmation in a careful session before a command wastes something: raises `UnsureError` once.

        The same question is not asked twice in a row. `other_command` is the hint for what to do instead.
        """
        if self.is_careful and self._pending_question != question:
            self._pending_question = question
            from zimcli.output.errors import unsure_problem

            raise unsure_problem(command_text, waste_text, other_command)

    def forget_question(self) -> None:
        """Forgets the pending confirmation."""
        self._pending_question = ""

    def invoke_command(self, entry: CommandEntry, args: list[str]) -> None:
        """Runs a command as the shell would, in this session."""
        import click

        try:
            with self.nested_line(), suppress(click.exceptions.Exit), self.make_context(entry, args) as context:
                context.command.invoke(context)
        except Exception as error:
            name_typed_words(error, [entry.name, *args])
            raise

    def make_context(self, entry: CommandEntry, args: list[str]) -> click.Context:
        """The command with its parsed arguments, as click's context."""
        check_words([entry.name, *args])
        return entry.load_command().make_context(entry.name, args, obj=self)

    def answer_command(self, command: Callable[[], Answer | None], name: str, place: str) -> None:
        """Runs a command and shows its answer, also if it is a failure. A command that only runs other lines has none.

        Answers and errors are labelled with the name of the command; errors also with the place.
        """
        from zimcore.documents.positions import label_answer

        self._shown_notes.clear()
        try:
            answer = command()
        except FailedError as failed_error:
            self.show_answer(label_answer(failed_error.answer, name), is_failure=True)
            raise name_failed_command(failed_error.error, name, place) from None
        except Exception as error:
            name_failed_command(error, name, place)
            raise
        if answer is not None:
            self.show_answer(label_answer(answer, name))

    def show_answer(self, answer: Answer, *, is_failure: bool = False) -> None:
        """Shows an answer. Inside a session its hints are lines of a session."""
        self.output.show_answer(answer, in_session=self.level > 0, is_failure=is_failure)

    def show_blocks(self, *blocks: Block) -> None:
        """Shows text that is not part of an answer: a lesson, or what others have played."""
        self.output.show_blocks(blocks)

    def show_note(self, text: str) -> None:
        """Shows a note on stderr."""
        self.output.show_note(text)

    def show_note_once(self, text: str) -> None:
        """Shows a note on stderr, unless the running command has shown it before."""
        if text not in self._shown_notes:
            self._shown_notes.add(text)
            self.show_note(text)

    @contextmanager
    def nested_line(self) -> Iterator[None]:
        """Restores the output options, the seat, the viewer, and what a script may run and write, after a line.

        A line's own `--json`, `--as`, `--open` and `--allow` end with it.
        """
        output, seat, viewer, by = self.output, self._seat, self.viewer, self._by
        derived_seat = self.derived_seat
        programs, folder = self.allowed_programs, self.folder
        self.level += 1
        try:
            yield
        finally:
            self.level -= 1
            self.output, self._seat, self._by, self.derived_seat = output, seat, by, derived_seat
            self.allowed_programs, self.folder = programs, folder
            if self.viewer != viewer:
                self.set_viewer(viewer)

    @contextmanager
    def showing_to(self, output: Output) -> Iterator[None]:
        """Shows answers to another output meanwhile."""
        previous_output, self.output = self.output, output
        try:
            yield
        finally:
            self.output = previous_output

    def set_output(self, **options: Any) -> None:
        """Changes how to print from now on; `options` has fields of `Output`."""
        self.output = msgspec.structs.replace(self.output, **options)


def seat_of(position: Position, word: str) -> Seat:
    """The seat that a word names, by its own name or its player's; the word itself if it names none."""
    return seats_by_word(position.seats, position.names).get(word.lower().replace("-", "_"), word)


def split_arguments(
    entry: CommandEntry, argument_text: str, is_game: Callable[[str], bool] = lambda word: False
) -> list[str]:
    """Splits a line after its command into words. A text needs no quotes.

    >>> split_arguments(SESSION_ENTRIES["log"], "@r4 --events")
    ['@r4', '--events']
    >>> split_arguments(SESSION_ENTRIES["try"], "--json @12 craft potter d4")
    ['--json', '@12', 'craft potter d4']
    >>> split_arguments(SESSION_ENTRIES["do"], "craft potter d4 --id c1")
    ['--id', 'c1', 'craft potter d4']
    >>> split_arguments(SESSION_ENTRIES["explain"], "craft potter d4 --both")
    ['--both', 'craft potter d4']
    >>> split_arguments(SESSION_ENTRIES["try"], "'craft potter d4' pass")
    ['craft potter d4', 'pass']
    >>> split_arguments(SESSION_ENTRIES["say"], "kilwa-7 well played", lambda word: word == "kilwa-7")
    ['kilwa-7', 'well played']
    >>> split_arguments(SESSION_ENTRIES["say"], "-- --id is what you need")
    ['--', '--id is what you need']
    """
    if entry.takes_text and not any(quote in argument_text for quote in "'\""):
        return _split_text(entry, argument_text.split(), is_game)
    try:
        return shlex.split(argument_text)
    except ValueError as error:
        raise NotationError(f"{entry.name} {argument_text}", str(error).lower(), [f"help {entry.name}"]) from None


def _split_text(entry: CommandEntry, words: list[str], is_game: Callable[[str], bool]) -> list[str]:
    """The options, which may be anywhere before a `--`; the place, if the first other word is one; and the text."""
    options, plain_words, remaining_words = list[str](), list[str](), iter(words)
    value_options = entry.options_with_value
    for word in remaining_words:
        if word == "--":
            plain_words += remaining_words
        elif word.startswith("--"):
            options += [word, *islice(remaining_words, word in value_options)]
        else:
            plain_words.append(word)
    has_place = bool(plain_words) and (
        names_a_place(plain_words[0]) or (len(plain_words) > 1 and is_game(plain_words[0]))
    )
    text = " ".join(plain_words[has_place:])
    return [*options, *plain_words[:has_place], *["--"] * text.startswith("-"), *[text] * bool(text)]
