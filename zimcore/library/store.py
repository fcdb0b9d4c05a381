"""A store of games: what the shell's commands do, as methods of the same names."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from zimcore.analysis.alternative_documents import what_if_answer
from zimcore.analysis.alternatives import Comparison, check_can_play_on, compare_alternatives, expand_alternatives
from zimcore.analysis.analysis_documents import analyse_answer
from zimcore.analysis.chance_figures import CHANCE_WORD, values_reader
from zimcore.analysis.chance_reasons import seat_of, why_chance
from zimcore.analysis.help_permission import check_help_allowed, is_help_allowed
from zimcore.analysis.hint import hint_answer
from zimcore.analysis.judgement import DEFAULT_NODES
from zimcore.analysis.match_analysis import analyse_match
from zimcore.analysis.seated_programs import ProgramMove, let_programs_move, play_program, play_turn, position_to_play
from zimcore.analysis.table_rows import TABLES, ChanceRow, MatchRows
from zimcore.bots.registry import check_can_play, parse_bot
from zimcore.chances import chances
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import AnalyseAnswer, HintAnswer, WhatIfAnswer, WhyChanceAnswer
from zimcore.documents.audits import AuditAnswer
from zimcore.documents.discussion import Remark
from zimcore.documents.frames import Frame
from zimcore.documents.history import BisectAnswer, CompareAnswer, RewriteAnswer, StoryAnswer, WhyAnswer
from zimcore.documents.listings import Audit, LineInfo, TagInfo
from zimcore.documents.positions import commit_documents, position_document
from zimcore.documents.storage import ImportAnswer
from zimcore.game import Game, GameError, Refused, RefusedError, Seat, Table
from zimcore.games.registry import GAMES
from zimcore.history import parse
from zimcore.history.bisect import evaluate_commits
from zimcore.history.history_documents import bisect_answer, compare_answer, story_answer, why_answer
from zimcore.history.position_values import PositionValues
from zimcore.history.rounds import rounds, turns
from zimcore.library.match import check_seat
from zimcore.picture.chance_graph import ChancePoint, draw_chance_graph
from zimcore.service import TABLE, GameService, Trial, Viewer
from zimcore.service.proofs import certificates, importing
from zimcore.service.records.discussion import notes_on
from zimcore.service.records.places import parse_place
from zimcore.service.records.results import News, Replay
from zimcore.service.writing.rewriting import Keep, rewrite_answer
from zimcore.toolkit.characters import composed
from zimcore.toolkit.file_kinds import CERTIFICATE, CONTENT, EXPORT, check_kind
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcore.bots.bot import Bot
    from zimcore.remote.service import RemoteService


class Curve(msgspec.Struct, frozen=True):
    """Each seat's chance to win after every turn, by what a program has learned; a notebook draws it."""

    position: Position
    points: tuple[ChancePoint, ...]

    def __repr__(self) -> str:
        return f"<the chances after {numbered(len(self.points), 'turn')} of {self.position.place}>"

    def _repr_svg_(self) -> str:
        return draw_chance_graph(self.position, self.points)


class Store:
    """The games of a store, as one player or as the whole table.

    Without a seat you see what is public, and play any seat; with one, what that seat knows, and play it alone. A place
    is a text: `kilwa-7`, `kilwa-7/main@12`; without a line it is the current one of `by` (see `switch`). All methods
    raise `GameError` for a place that does not exist.
    """

    def __init__(self, service: GameService | RemoteService, viewer: Viewer = TABLE, by: str = "python") -> None:
        self._service, self.viewer, self.by = service, viewer, by

    @property
    def service(self) -> GameService | RemoteService:
        """The service below. Raises `StoreError` if the store does not exist: its name may be mistyped."""
        if isinstance(self._service, GameService):
            self._service.check_exists("new", "import")
        return self._service

    def __repr__(self) -> str:
        url = self._service.url if isinstance(self._service, GameService) else self._service.connection.server
        return f"<the store {url}{f' as {self.viewer.seat}' * bool(self.viewer.seat)}>"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the store."""
        if isinstance(self._service, GameService):
            self._service.store.close()
        else:
            self._service.connection.close()

    def at(self, viewer: Seat | Viewer) -> Store:
        """The same store as a seat, or as another viewer: `zim.EVERYTHING` hides nothing."""
        return Store(self._service, viewer if isinstance(viewer, Viewer) else Viewer(viewer), self.by)

    def games(self) -> list[str]:
        """The names of all games."""
        return [game.name for game in self.service.games(self.viewer)]

    def new(
        self, kind: str, *, name: str = "", bots: str | Mapping[Seat, str | type[Bot]] = "", **options: object
    ) -> Position:
        """Begins a game; the options are those of `zim new`. Raises `OptionError`.

        `bots` are the programs at its seats: `"zulu:quick,lozi:peer"`, or a mapping.
        """
        option_texts = {option: str(value) for option, value in options.items()}
        named = (
            (each.partition(":")[::2] for each in bots.split(",") if each) if isinstance(bots, str) else bots.items()
        )
        programs = {seat: str(parse_bot(bot).allowed()) for seat, bot in named}
        position = self._service.new(
            kind, option_texts, name=composed(name), bots=programs, by=self.by, viewer=self.viewer
        )
        return self._after_programs(position)

    def look(self, place: str) -> Position:
        """A position, as far as the viewer knows it."""
        position = self.service.position(self._full(place), self.viewer)
        check_seat(position, self.viewer.seat or "")
        return position

    def log(self, place: str, *, where: str = "", all: bool = False) -> Sequence[Commit]:  # noqa: A002 - as in the shell
        """The moves up to a place, the set-up first; with `where` those after which an expression is true.

        With `all`, undone ones of the line too: each has the digest of its `parent`, as in a tree.
        """
        commits = self.service.log(self._full(place), viewer=self.viewer, all_=all)
        if not where:
            return commits
        verdicts = evaluate_commits(self.look(place).game, commits, parse(where), self._values_reader(place, where))
        return [verdict.commit for verdict in verdicts if verdict.holds]

    def play(self, place: str, command: str, *, expected: str | None = None) -> Position:
        """Plays a command, and returns the position after it and after the answers of programs that have seats.

        Raises `RefusedError`, whose `refused` has every broken rule, and `ConflictError` if `expected`, the digest of
        the position that you saw, is no longer the head.
        """
        seat = self.viewer.seat or None
        position = self.service.play(
            self._full(place), command, seat=seat, by=self.by, viewer=self.viewer, expected=expected
        )
        if isinstance(position, Refused):
            raise RefusedError(command, position)
        return self._after_programs(position)

    def try_(self, place: str, *commands: str) -> Trial:
        """Where commands would lead, without playing them: positions, and the refusal or what is hidden."""
        return self.service.try_(self._full(place), commands, self.viewer)

    def ask(self, place: str, question: str, *words: str) -> Sequence[Table]:
        """The answer of a game to one of its questions, as `zim ask`."""
        position = self.look(place)
        return position.game.questions.ask(position.state, question, words)

    def undo(self, place: str, steps: int = 1) -> Position:
        """Takes back the last `steps` moves, with the answers of programs to them; they stay in the store."""
        return self._after_programs(self.service.undo(self._full(place), steps, by=self.by, viewer=self.viewer))

    def redo(self, place: str, steps: int = 1) -> Position:
        """Plays `steps` moves again that were taken back."""
        return self._after_programs(self.service.redo(self._full(place), steps, by=self.by, viewer=self.viewer))

    def goto(self, place: str) -> Position:
        """Moves the head of a line to a position: `kilwa-7@12`."""
        return self._after_programs(self.service.goto(self._full(place), by=self.by, viewer=self.viewer))

    def lines(self, place: str) -> Sequence[LineInfo]:
        """The lines of a game."""
        return self.service.lines(place, self.viewer, by=self.by)

    def switch(self, place: str) -> Position:
        """Makes a line the current one of `by`: here, and in the shell of a user of that name."""
        return self._after_programs(self.service.switch(place, by=self.by, viewer=self.viewer))

    def rename(self, place: str, name: str) -> Position:
        """Renames a line."""
        return self.service.rename(self._full(place), composed(name), by=self.by, viewer=self.viewer)

    def forget(self, place: str) -> Position:
        """Removes the name of a line; its moves stay in the store. Returns the current position."""
        return self.service.forget(self._full(place), by=self.by, viewer=self.viewer)

    def tag(self, place: str, name: str) -> Sequence[TagInfo]:
        """Names a position. Returns the game's tags."""
        return self.service.tag(self._full(place), composed(name), by=self.by, viewer=self.viewer)

    def tags(self, game: str) -> Sequence[TagInfo]:
        """The tags of a game."""
        return self.service.tags(game)

    def untag(self, game: str, name: str) -> Sequence[TagInfo]:
        """Removes a tag; its position stays. Returns the game's tags."""
        return self.service.untag(game, name, by=self.by, viewer=self.viewer)

    def fork(self, place: str, name: str, *, redeal: bool = False) -> Position:
        """A new line that begins at a place; your current line stays.

        With `redeal`, what the seat does not know is dealt again.
        """
        start = self._full(place)
        fork = self.service.fork(start, composed(name), redeal=redeal, current=False, by=self.by, viewer=self.viewer)
        return self._after_programs(fork)

    def amend(
        self, place: str, command: str, *, name: str = "", keep: Keep = "all", dry_run: bool = False
    ) -> RewriteAnswer:
        """A new line in which the move at a place is replaced, and the moves after it are played again.

        A later move that is no longer legal is a conflict. `keep` says what to store then: with `"all"` nothing, with
        `"skip"` all others, with `"stop"` those before it. Your current line stays. Raises `RefusedError` if the new
        move itself is refused.
        """
        replay = self.service.amend(
            self._full(place),
            command,
            name=composed(name),
            keep=keep,
            dry_run=dry_run,
            current=False,
            by=self.by,
            viewer=self.viewer,
        )
        if isinstance(replay, Refused):
            raise RefusedError(command, replay)
        return self._rewrite_answer(replay)

    def pick(self, place: str, source: str, *, keep: Keep = "all", dry_run: bool = False) -> RewriteAnswer:
        """Plays the moves of a range, `kilwa-7/what-if@4..7`, at the head of a line; conflicts are as in `amend`."""
        target, source = self._full(place), self._full(source)
        replay = self.service.pick(target, source, keep=keep, dry_run=dry_run, by=self.by, viewer=self.viewer)
        return self._rewrite_answer(replay)

    def compare(self, place: str, other: str) -> CompareAnswer:
        """How two lines or positions of a kind of game differ, round by round."""
        return compare_answer(self.look(place), self.look(other), self.log(place), self.log(other))

    def bisect(self, place: str, expression: str) -> BisectAnswer:
        """The first move after which an expression is true, and each move that changed it. Raises `GameError`."""
        return bisect_answer(self.look(place), self.log(place), expression, self._values_reader(place, expression))

    def why(self, place: str, subject: str) -> WhyAnswer | WhyChanceAnswer:
        """How a value came about: of a square (`d7`), a figure (`kilwa.cattle`), a chance (`kilwa.chance`)."""
        position, commits = self.look(place), self.log(place)
        if ".chance" in subject.lower() and (seat := seat_of(subject, position.seats)):
            check_help_allowed(self.service, position.match)
            return why_chance(position, commits, seat)
        return why_answer(position, commits, subject)

    def value(self, place: str, expression: str) -> Any:
        """The value of an expression at a place: `kilwa.vp - zulu.vp`, `winner == kilwa`. Raises `GameError`."""
        position = self.look(place)
        return parse(expression).value(self._values_reader(place, expression)(position.game, position.state))

    def say(self, place: str, text: str, *, note: bool = False) -> Remark:
        """Says something about a game or a position, to all; a `note` is for you alone. `story` has what was said."""
        return self.service.say(place, text, own=note, by=self.by, viewer=self.viewer)

    def talk(self, place: str) -> Sequence[Remark]:
        """What was said about a game, and your notes."""
        return self.service.talk(parse_place(place).match, by=self.by, viewer=self.viewer)

    def story(self, place: str) -> StoryAnswer:
        """The game round by round, each turn in a sentence."""
        position, commits = self.look(place), self.log(place)
        return story_answer(position, commits, notes_on(self.service.discussion(position.match), commits))

    def _values_reader(self, place: str, expression: str) -> Callable[[Game, Any], PositionValues]:
        if CHANCE_WORD.search(expression):
            check_help_allowed(self.service, self.look(place).match)
        line = place.partition("@")[0]

        def values_at(other_place: str) -> PositionValues:
            position = self.look(f"{line}@{other_place}")
            return read_values(position.game, position.state)

        read_values = values_reader(expression, values_at)
        return read_values

    def hint(self, place: str, *, most: int = 3, nodes: int = DEFAULT_NODES) -> HintAnswer:
        """The best turns of the seat to move, and why. `nodes` positions are searched.

        Raises `GameError` while help is off in the game, as `whatif` and `analyse` do.
        """
        position = self.look(place)
        check_help_allowed(self.service, position.match)
        return hint_answer(position, nodes, most)

    def whatif(
        self,
        place: str,
        *alternatives: str,
        then: str | type[Bot] = "quick",
        games: int = 40,
        by: str | Sequence[str] = (),
        seed: int = 0,
        workers: int = 0,
    ) -> WhatIfAnswer:
        """Lets bots of the level `then` play on from each alternative, and compares the results.

        An alternative is a command, a pattern of commands (`adore *`) or a whole turn (`adore eshu; end`). Each is
        played at most `games` times; `by` are expressions to compare the ends by. `workers` processes share the work
        (0: none but this one); a program that starts some needs `if __name__ == "__main__":`.
        """
        position = self.look(place)
        check_help_allowed(self.service, position.match)
        bot = parse_bot(then).allowed()  # the person who calls this has named it
        check_can_play(bot, position.game)
        check_can_play_on(position)
        goals = (by,) if isinstance(by, str) else tuple(by)
        comparison = Comparison(
            position, self.log(place), expand_alternatives(position, alternatives), bot, games, goals, seed
        )
        return what_if_answer(comparison, [*compare_alternatives(comparison, workers)])

    def analyse(self, place: str, *, nodes: int = DEFAULT_NODES, seed: int = 0, workers: int = 0) -> AnalyseAnswer:
        """Judges each turn up to a place: chances to win, mistakes, turning points. A turn costs `nodes` positions.

        Raises `HiddenError` while cards are hidden.
        """
        position, commits = self.look(place), self.log(place)
        check_help_allowed(self.service, position.match)
        judgements = [*analyse_match(position.game, commits, nodes, seed, workers)]
        return analyse_answer(position, commits, judgements, nodes, seed)

    def bot(
        self,
        place: str,
        level: str | type[Bot] = "quick",
        *,
        to_end: bool = False,
        until: str = "",
        seed: str = "",
        id: str = "",  # noqa: A002 - as in the shell
    ) -> list[Position]:
        """Lets a program play the turn of the seat to move, or with `to_end` the whole game for every seat.

        `until` plays for every seat until an expression is true. Returns the position after each move; none where the
        game is over. A retry with the same `id` returns the same moves, and plays none twice.
        """
        bot, line, positions = parse_bot(level).allowed(), self._full(place), list[Position]()
        if id and line != place:  # the line that was meant the first time: the current one may be another now
            lines = self.service.places_of_id(line, id, by=self.by, viewer=self.viewer)
            line = next((each for each in lines if self.service.position_of_id(each, id)), line)
        start = position_to_play(self.service, line, id, self.viewer)
        check_can_play(bot, start.game)
        expression, read_values = parse(until or "false"), self._values_reader(line, until)

        def is_reached(position: Position) -> bool:
            return bool(until) and expression.holds(read_values(position.game, position.state))

        def play(position: Position, numbered_id: str) -> ProgramMove:
            return play_program(self.service, position, position.mover, bot, self.viewer, seed, command_id=numbered_id)

        if not is_reached(start):
            to_end = to_end or bool(until)
            for move in play_turn(self.service, line, self.viewer, play, id, to_end=to_end):
                positions.append(move.position)
                if is_reached(move.position):
                    break
        return [*positions, *self._answers_of_programs(self.service.head(line))]

    def _after_programs(self, position: Position) -> Position:
        """The position after the programs have played that are to move."""
        return [position, *self._answers_of_programs(position)][-1]

    def _answers_of_programs(self, position: Position) -> Sequence[Position]:
        """The positions after the programs that are to move have played. A server runs its programs itself.

        Warns of a program that fails, or that is not one of Zim's: what was played before stays played.
        """
        positions = list[Position]()
        if isinstance(self.service, GameService) and self.service.bots(position.place):
            try:
                for answer in let_programs_move(self.service, position.place, self.viewer):
                    positions += [answer]
            except GameError as error:
                warnings.warn(f"{error}; try: {' | '.join(error.hints)}", stacklevel=4)
        return positions

    def _rewrite_answer(self, replay: Replay) -> RewriteAnswer:
        answer, positions = rewrite_answer(replay), self._answers_of_programs(replay.position) if replay.stored else ()
        if not positions:
            return answer
        commits = commit_documents(position.commit for position in positions)
        return msgspec.structs.replace(answer, position=position_document(positions[-1]), answered=commits)

    def verify(self, place: str = "") -> Sequence[Audit]:
        """Decides each move of a line again, and checks its seals; `fault` is None where all is well.

        Without a place, verifies every line of the store.
        """
        if place:
            return (self.service.verify(self._full(place), by=self.by, viewer=self.viewer),)
        return self._local("verify").verify_all()

    def certificate(self, place: str) -> bytes:
        """A certificate of a line up to a place: a file that proves it without the store."""
        return certificates.to_bytes(self.service.certificate(self._full(place), self.viewer))

    def export(self) -> Iterator[bytes]:
        """The whole store as lines of JSON."""
        return self._local("export").export(self.viewer)

    def import_(
        self, content: bytes | Path, place: str = "", *, as_recorded: bool = False, house_rules: str = ""
    ) -> ImportAnswer:
        """Imports an export or a certificate, after everything in it was checked, or games that a site has saved.

        `place` is the name for the line of a certificate, or for the game of a site, played by a sheet of house rules.
        Raises `GameError` for content that was altered, and `NotationError` for another kind.
        """
        from zimcore.library.foreign_files import recordings_in

        content = content.read_bytes() if isinstance(content, Path) else content
        service, lines = self._local("import", may_be_missing=True), importing.limited_lines(BytesIO(content))
        if recordings := recordings_in(content, self._kinds, house_rules):
            for game, recording in recordings:
                position = service.record(game.name, recording, place.partition("/")[0], by=self.by)
            if len(recordings) == 1:
                return ImportAnswer(position=position_document(position))
            return ImportAnswer(sum(each.entries for _, each in recordings), service.url, len(recordings), 0)
        wanted = "a certificate, an export or a saved game"
        if check_kind(content, CONTENT, wanted, [CERTIFICATE, EXPORT]) == CERTIFICATE:
            certificate = certificates.read_lines(lines)
            if certificate.signatures:
                from zimcore.service.proofs.signatures import forged_signatures  # needs `cryptography`

                for forged in forged_signatures(certificate):
                    raise GameError(f"the signature of {forged.by} is not genuine")
            position = service.adopt(certificate, place, by=self.by, as_recorded=as_recorded, viewer=self.viewer)
            return ImportAnswer(
                position=position_document(position), recorded=service.recorded_deviation(position.place)
            )
        imported = service.import_(lines, by=self.by, as_recorded=as_recorded)
        return ImportAnswer(imported.entries, service.url, imported.games, imported.already)

    def audit(
        self,
        content: bytes | str | Path,
        *,
        start: str = "",
        game: str = "",
        seats: Mapping[str, str] = {},
        words: Mapping[str, str] = {},
        repair: bool = False,
        house_rules: str = "",
    ) -> AuditAnswer:
        """The verdict on each line of a log as people keep them, with the causes of illegal moves; `repair` mends it.

        `logs[0].stands` says whether all of it is legal.

        `start` is the position that it begins at, if it has no set-up; `seats` and `words` say what it calls ours.
        Raises `NotationError` for what is no log.
        """
        from zimcore.library.foreign_files import audit_content
        from zimcore.transcripts.log_styles import LogStyle

        style = LogStyle(dict(seats), dict(words))
        if isinstance(content, Path):
            content = content.read_bytes()
        raw = content.encode() if isinstance(content, str) else content
        first = self.look(start) if start else None
        return audit_content(raw, self._kinds, first, game, style, house_rules, repair=repair)

    @property
    def _kinds(self) -> Mapping[str, str]:
        return self._service.kinds if isinstance(self._service, GameService) else GAMES

    def _full(self, place: str) -> str:
        """The place with its line: the current one if it names none."""
        return self.service.current_line(place, by=self.by, viewer=self.viewer)

    def _local(self, what: str, *, may_be_missing: bool = False) -> GameService:
        """The service of a store that is not on a server. Raises `GameError`."""
        service = self._service if may_be_missing else self.service
        if not isinstance(service, GameService):
            raise GameError(what, "this needs the store itself, not a server")
        return service

    def follow(
        self, place: str, *, after: int = -1, pause: float = 0.2, patience: float | None = None
    ) -> Iterator[News]:
        """Yields what happens on a line: its commits and undone moves, each with the position after it.

        It begins with all after the revision `after`, by default with the set-up, and then looks every `pause` seconds.
        It ends if nothing happens for `patience` seconds.
        """
        seconds_waited = 0.0
        while patience is None or seconds_waited <= patience:
            latest_news = self.service.news(self._full(place), after, self.viewer)
            for news in latest_news:
                yield news
                after = news.revision
            seconds_waited = 0.0 if latest_news else seconds_waited + pause
            if not latest_news and (patience is None or seconds_waited <= patience):
                time.sleep(pause)

    def curve(self, place: str) -> Curve:
        """Each seat's chance to win up to a place.

        Raises `GameError` while help is off in the game, and `HiddenError` where they depend on what is hidden.
        """
        position, points = self.look(place), list[ChancePoint]()
        check_help_allowed(self.service, position.match)
        state = position.game.evolution.initial()
        for played_round in rounds(self.log(place)):
            for turn in turns(played_round.commits):
                for event in (event for commit in turn.commits for event in commit.events):
                    position.game.evolution.evolve(state, event)
                means = {seat: chance.mean for seat, chance in chances(position.game, state).items()}
                points.append(ChancePoint(turn.commits[-1].number, means, turn.name, played_round.name))
        return Curve(position, tuple(points))

    def frames(self, *places: str) -> Mapping[str, Frame]:
        """The tables of `zim export --tables` over places, or over all games, by name: `games`, `commits`, ..."""
        frames_by_name = {
            name: Frame({column: list[Any]() for column in row.__struct_fields__}) for name, row in TABLES.items()
        }
        columns_by_row_type = {row: frames_by_name[name].columns for name, row in TABLES.items()}
        for place in places or self.games():
            position, is_help_allowed_here = self.look(place), is_help_allowed(self.service, self.look(place).match)
            for row in MatchRows(position.match, position.line, position.game).rows(self.log(place)):
                if is_help_allowed_here or not isinstance(row, ChanceRow):
                    for column, value in msgspec.structs.asdict(row).items():
                        columns_by_row_type[type(row)][column].append(value)
        return frames_by_name
