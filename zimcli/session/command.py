"""Declares commands. The help of a command is its docstring or its module's; its first argument may be a place."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeAlias, TypedDict, TypeVar

import click

from zimcli.output.output import COLOR_CHOICES, FORMAT_CHOICES, PROGRESS_CHOICES, output_fields
from zimcli.session.output_files import FORCED_KINDS, OutputFile, bind_files, force_option
from zimcli.session.session import Session, seat_of
from zimcli.session.shell_completion import Argument
from zimcli.session.who_plays import derive_viewer, line_with_programs
from zimcli.shell.program_name import ARGUMENTS_KEY, Context
from zimcli.shell.registry import ENTRIES_BY_NAME, TRAVEL_GROUP
from zimcore.documents.positions import Answer
from zimcore.game import GameError, UnknownError
from zimcore.service.lines.visibility import EVERYTHING

CommandFunction: TypeAlias = Callable[..., Answer | None]
"""The function of a command. It returns the answer to show and prints nothing; None if it only runs other lines."""
CommandDecorator: TypeAlias = Callable[[CommandFunction], click.Command]
DecoratedFunction = TypeVar("DecoratedFunction", bound=Callable[..., Any])


COUNT = click.IntRange(1, 1_000_000)
"""The type of an option that says how many rows to show."""
ID_OPTION = re.compile("--id(=|$)")
"""Matches the option of an id among the words of a command."""
LINE_TYPED_KEY = "zimcli.line_typed"
"""Click's key for whether the typed place named its line. If not, the line is the user's current one."""


class CommandContext(Context):
    """The context of a command. While a check runs, its session stores nothing."""

    def __init__(self, command: click.Command, *args: Any, **settings: Any) -> None:
        super().__init__(command, *args, **settings)
        entry = ENTRIES_BY_NAME.get(self.info_name or "")
        if isinstance(session := self.obj, Session) and entry and entry.is_check and not session.is_checking:
            session.is_checking = True
            self.call_on_close(lambda: setattr(session, "is_checking", False))


class Command(click.Command):
    """A command that remembers how it was typed."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parses the words after its name."""
        context.meta[ARGUMENTS_KEY] = list(args)
        return super().parse_args(context, args)


class PlaceCommand(Command):
    """A command whose first argument is a place. You may leave it out if there is a current game."""

    has_current_line = True
    """Whether a place without a line is about the current line."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Inserts a place that was left out, and completes a short one."""
        session = context.find_object(Session)
        if session and not context.resilient_parsing and not set(args) & {"--help", "-h"}:
            typed_args = args
            try:
                args = self.with_place(session, typed_args)
            except GameError as error:
                if error.what.startswith("not a place"):
                    error.hints = self.place_first(context, typed_args) or error.hints
                raise
            context.meta[LINE_TYPED_KEY] = len(args) == len(typed_args) and any(
                is_line_named(typed_args[index], args[index]) for index in self.argument_indexes(args)[:1]
            )
        return super().parse_args(context, args)

    def invoke(self, context: click.Context) -> Any:
        """Runs the command. Raises `GameError` if `--as` names no seat of the match."""
        session, place = context.find_object(Session), context.params.get("place")
        if session and session.is_careful and session.current:
            derive_viewer(session)
        # The last command may have been on another line: on one of your own you play every seat.
        if session and place and session.seat and session.seat_on(session.place_with_line(place)):
            viewer = session.viewer
            session.play_as(self.named_seat(session, place))
            if viewer.sees_all:  # `--open`, in any position on the command line
                session.set_viewer(viewer)
        if session and place:
            # Not earlier: `--as` may follow the place, and each player has their own current line at each seat.
            place = session.command_place = context.params["place"] = self.line_place(session, place)
            if (command_id := context.params.get("command_id")) and not context.meta.get(LINE_TYPED_KEY):
                return self.invoke_once(context, session, place, command_id)
        try:
            return super().invoke(context)
        except UnknownError as error:
            if session and error.what == f"there is no game called {place!r}":
                error.hints = self.place_first(context, context.meta[ARGUMENTS_KEY]) or error.hints
            raise

    def invoke_once(self, context: click.Context, session: Session, place: str, command_id: str) -> Any:
        """Runs the command on the line that was meant when its id was used first; for a new id on the current line.

        The current line may have changed since the first attempt, so the same words can mean another line now.
        """

        def run_at(place: str, command_id: str) -> Any:
            session.command_place = context.params["place"] = place
            context.params["command_id"] = command_id
            return super(PlaceCommand, self).invoke(context)

        if self.has_current_line:
            return session.retry_or_run(place, command_id, run_at)
        return run_at(place, command_id)

    @staticmethod
    def named_seat(session: Session, place: str) -> str:
        """The seat that `--as` names, by itself or by its player, in the match of a place. Raises `GameError`."""
        first_position = session.service.position(place.partition("@")[0].partition("/")[0] + "@start")
        named_seat = seat_of(first_position, session.seat or "")
        if named_seat not in first_position.seats:
            hints = [f"--as {seat}" for seat in (*first_position.seats, *first_position.names.values())]
            raise GameError(f"--as {session.seat}", f"{first_position.match} has no seat {session.seat}", hints)
        return named_seat

    def line_place(self, session: Session, place: str) -> str:
        """The place with its line."""
        return session.place_with_line(place)

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with the complete name of a place first."""
        indexes = self.argument_indexes(args)
        self.check_order(session, [args[index] for index in indexes])
        if self.names_its_place(session, [args[index] for index in indexes]):
            try:
                place = session.complete_place(args[indexes[0]])
            except UnknownError as error:
                error.hints = (*self.one_name(session, [args[index] for index in indexes]), *error.hints)
                raise
            args = [place if index == indexes[0] else arg for index, arg in enumerate(args)]
        elif session.place:
            args = [session.place, *args]
        elif not (indexes and session.is_known_place(args[indexes[0]])):
            # Programs and retries may not guess: another game may have been played since the first attempt.
            may_guess = not (session.output.json or any(arg == "--json" or ID_OPTION.match(arg) for arg in args))
            args = [default_game(session, guess=may_guess), *args]
        return args

    def place_first(self, context: click.Context, args: Sequence[str]) -> tuple[str, ...]:
        """The command with the place first, if it stands after another word: `say hello kilwa-7`."""
        from shlex import join

        session = context.ensure_object(Session)
        for index in self.argument_indexes([*args])[1:]:
            if session.is_game(re.split("[/@]", args[index])[0]):
                words = [arg for other, arg in enumerate(args) if other != index]
                return (join(["zim", context.info_name or "", args[index], *words]),)
        return ()

    def check_order(self, session: Session, words: list[str]) -> None:
        """Raises `GameError` for a name before its position, such as `fork what-if @-1`."""
        entry = ENTRIES_BY_NAME.get(self.name or "")
        if entry is None or entry.argument_kinds != ("place", "name") or len(words) < len(entry.argument_kinds):
            return
        *games, name, position = words
        if position.startswith("@") and not session.is_known_place(name) and len(games) < len(entry.argument_kinds):
            what, why = " ".join([entry.name, *words]), "the position comes first, then the name"
            raise GameError(what, why, [f"{entry.name} {''.join(games)}{position} {name}"])

    def one_name(self, session: Session, words: Sequence[str]) -> Sequence[str]:
        """What to type if two words at a prompt were meant as one name: `fork what if`."""
        entry = ENTRIES_BY_NAME.get(self.name or "")
        is_name = entry is not None and entry.group == TRAVEL_GROUP and entry.argument_kinds == ("place", "name")
        return (f"{self.name} {'-'.join(words)}",) if is_name and session.place and len(words) > 1 else ()

    def names_its_place(self, session: Session, words: list[str]) -> bool:
        """Whether the first of the words is a place. In the shell it always is if there are enough words."""
        other_arguments = [argument for argument in self.params if isinstance(argument, click.Argument)][1:]
        required_count = sum(argument.required for argument in other_arguments)
        if len(words) <= required_count:
            return False
        is_fixed = all(argument.required and argument.nargs == 1 for argument in other_arguments)
        return is_fixed or not session.place or session.is_known_place(words[0])

    def argument_indexes(self, args: list[str]) -> list[int]:
        """The indexes of the arguments that are not options."""
        value_taking_options = [
            option for option in self.params if isinstance(option, click.Option) and not option.is_flag
        ]
        value_options = {name for option in value_taking_options for name in option.opts}
        separator_index = args.index("--") if "--" in args else len(args)
        args_before_end = enumerate(args[:separator_index])
        indexes = [
            index
            for index, arg in args_before_end
            if not arg.startswith("-") and not (index and args[index - 1] in value_options)
        ]
        return [*indexes, *range(separator_index + 1, len(args))]


class GameCommand(PlaceCommand):
    """A command about a whole game. It ignores the current line, and accepts the name of a deleted game."""

    has_current_line = False

    @staticmethod
    def named_seat(session: Session, place: str) -> str:
        """The seat that `--as` names; whether a deleted game has it is not asked."""
        if not session.service.has_game(place.partition("@")[0].partition("/")[0]):
            return session.seat or ""
        return PlaceCommand.named_seat(session, place)

    def line_place(self, session: Session, place: str) -> str:
        """The place, unchanged."""
        return place

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with the current game first if none is named."""
        if self.argument_indexes(args):
            return args
        return [session.current.match if session.current else default_game(session), *args]


def is_line_named(typed_place: str, full_name: str) -> bool:
    """Whether a place was typed with its line.

    >>> [is_line_named(typed, "k/b@2") for typed in ("k/b@2", "b@2", "@2", "k@2")]
    [True, True, False, False]
    """
    name = typed_place.partition("@")[0]
    return name not in ("", full_name.partition("@")[0].partition("/")[0])


def default_game(session: Session, *, guess: bool = False) -> str:
    """The match to use if none is named: the only one. With `guess`, the one that was played last, and a note says so.

    Programs may not guess: they have to name the game if there are several. Raises `GameError`.
    """
    game_names = session.service.game_names(archived=False) or session.service.game_names()
    if len(game_names) == 1:
        return game_names[0]
    if not game_names or not guess:
        reason = f"there are {len(game_names)} games" if game_names else "there are no games yet"
        raise GameError("no game given", reason, game_names[-3:] or ["new"])
    games = (game for game in session.service.games(by=session.by) if game.name in game_names)
    last_name = max(games, key=lambda game: game.played).name
    session.show_note(f"using {last_name}, the last game that was played")
    return last_name


def declare_command(
    help_text: str | None, command_class: type[click.Command], settings: dict[str, Any]
) -> CommandDecorator:
    """Declares a command. Its help is `help_text`, or else the docstring of its function."""
    context = {"help_option_names": ["--help", "-h"], "max_content_width": 100, **settings}

    def declare(function: CommandFunction) -> click.Command:
        docstring = help_text or function.__doc__ or ""
        command_help = inspect.cleandoc(docstring).replace("Example::\n\n", "Example:\n\n\b\n")
        if may_replace_files(function):
            function = force_option(function)
        decorate = click.command(
            cls=command_class, help=command_help, short_help=command_help.partition("\n")[0], context_settings=context
        )
        command = decorate(output_options(show_answers(function)))
        command.context_class = CommandContext
        return command

    return declare


def may_replace_files(function: CommandFunction) -> bool:
    """Whether the parameters that are declared for a function name files that it may replace."""
    types = [each.type for each in getattr(function, "__click_params__", ())]
    return any(isinstance(each, OutputFile) and each.kind in FORCED_KINDS for each in types)


def show_answers(function: CommandFunction) -> Callable[..., None]:
    """Wraps the function of a command: passes it the session, and shows its answer in the shell and at a prompt."""

    @wraps(function)
    def run_and_show(*args: Any, **settings: Any) -> None:
        context = click.get_current_context()
        session, place = context.find_object(Session), settings.get("place") or ""
        assert session, "every context has a session"
        entry = ENTRIES_BY_NAME.get(context.info_name or "")

        def run() -> Answer | None:
            answer: Answer | None = function(session, *args, **bind_files(context, session, settings))
            if answer is None or entry is None or entry.only_reads or not session.has_open_store:
                return answer
            line = line_with_programs(session, answer, place)
            if not line:
                return answer
            from zimcli.session.bot_moves import with_answers_of_programs

            return with_answers_of_programs(session, answer, line)

        session.answer_command(run, context.info_name or "", place)

    return run_and_show


def plain_command(
    help_text: str | None = None, command_class: type[click.Command] = Command, **settings: Any
) -> CommandDecorator:
    """Declares a command without a place."""
    return declare_command(help_text, command_class, settings)


def place_command(
    help_text: str | None = None, command_class: type[PlaceCommand] = PlaceCommand, **settings: Any
) -> CommandDecorator:
    """Declares a command whose first argument is a place."""

    def declare(function: CommandFunction) -> click.Command:
        return declare_command(help_text, command_class, settings)(argument("place")(viewer_options(function)))

    return declare


def argument(name: str, **settings: Any) -> Callable[[DecoratedFunction], DecoratedFunction]:
    """Declares an argument of a command. `zimcli.shell.registry` lists the kinds of arguments."""
    return click.argument(name, cls=Argument, **settings)


def viewer_options(function: DecoratedFunction) -> DecoratedFunction:
    """Adds `--as` and `--open`, so that they may follow the command. The help of `zim` explains them."""

    def set_seat(context: click.Context, _: click.Parameter, seat: str) -> None:
        session = context.find_object(Session)
        if seat and session:
            session.play_as(seat)

    def set_open(context: click.Context, _: click.Parameter, is_given: bool) -> None:
        session = context.find_object(Session)
        if is_given and session:
            session.set_viewer(EVERYTHING)

    seat = click.option("--as", default="", metavar="SEAT", expose_value=False, callback=set_seat, hidden=True)
    return seat(click.option("--open", is_flag=True, expose_value=False, callback=set_open, hidden=True)(function))


class RetryOptions(TypedDict):
    """The options that make a write safe to retry: its id, and the digest of the head that the user saw."""

    command_id: str
    expected: str


def pool_options(function: DecoratedFunction) -> DecoratedFunction:
    """Adds `--workers` and `--cluster`, for work that is spread over processes."""
    for add_option in (
        click.option("--cluster", metavar="ADDRESS", help="Run on a Ray cluster: HOST:PORT, or auto."),
        click.option(
            "--workers",
            type=click.IntRange(1, 1024),
            metavar="NUMBER",
            help="Number of processes (default: one per core).",
        ),
    ):
        function = add_option(function)
    return function


def count_workers(workers: int | None, cluster: str | None) -> int:
    """The number of processes to use. Raises `UsageError` if both a number and a cluster are given."""
    if workers and cluster:
        raise click.UsageError(
            "--workers counts processes of this machine, and --cluster counts its own: use only one of them"
        )
    return workers or os.cpu_count() or 1


def retry_options(function: DecoratedFunction) -> DecoratedFunction:
    """Adds `--id` and `--expect`, for commands that write to a line: they make a retry safe."""
    for add_option in (
        click.option(
            "--expect", "expected", default="", metavar="DIGEST", help="Write only if the head still has this digest."
        ),
        id_option,
    ):
        function = add_option(function)
    return function


id_option = click.option(
    "--id", "command_id", default="", metavar="ID", help="Makes retries safe: with the same ID it is done once."
)
"""For commands that are safe to retry but have no line yet."""
no_switch_option = click.option("--no-switch", "stays", is_flag=True, help="Keep your current line.")
"""For commands that begin a line, which otherwise becomes the user's current one."""
allow_option = click.option(
    "--allow",
    "allowed_programs",
    multiple=True,
    metavar="NAME",
    help="Let a program or command run that lines name, such as my_bot:Greedy or sign; repeat it for several.",
)
"""For commands whose lines may come from others: otherwise only programs that are installed run."""


def output_options(function: DecoratedFunction) -> DecoratedFunction:
    """Adds `--json`, `--format` and the other output options of `zim`, so that they may follow the command."""

    def set_output(context: click.Context, option: click.Parameter, value: Any) -> None:
        session = context.find_object(Session)
        if value and session:
            session.set_output(**{option.name or "": value})

    def set_form(context: click.Context, _: click.Parameter, format_name: Any) -> None:
        session = context.find_object(Session)
        if format_name and session:
            session.set_output(**output_fields(format_name))

    option_settings: dict[str, Any] = {"is_eager": True, "expose_value": False, "callback": set_output}
    for add_option in (
        click.option("--color", type=click.Choice(COLOR_CHOICES), hidden=True, **option_settings),
        click.option("--ascii", is_flag=True, hidden=True, **option_settings),
        click.option("--quiet", is_flag=True, hidden=True, **option_settings),
        click.option(
            "--progress", "progress_mode", type=click.Choice(PROGRESS_CHOICES), hidden=True, **option_settings
        ),
        click.option("--fields", metavar="NAMES", hidden=True, **option_settings),
        click.option(
            "--format", type=click.Choice(FORMAT_CHOICES), hidden=True, **{**option_settings, "callback": set_form}
        ),
        click.option("--json", is_flag=True, help="Print a JSON document.", **option_settings),
    ):
        function = add_option(function)
    return function
