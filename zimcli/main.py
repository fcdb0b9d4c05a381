"""The entry point of the shell: the group of all commands. The module of a command is imported only when it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import click

from zimcli import __version__
from zimcli.output.output import COLOR_CHOICES, FORMAT_CHOICES, PROGRESS_CHOICES, Output, output_fields
from zimcli.shell.exit_codes import INTERRUPTED, READER_GONE, SUCCESS, ReaderGoneError
from zimcli.shell.program_name import COMMAND_LINE_KEY, Context
from zimcli.shell.registry import ENTRIES_BY_NAME, frequent_entries, without_family
from zimcli.shell.typed_words import check_words

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from zimcli.session.session import Session


class Zim(click.Group):
    """The group of all commands. It turns every error into a message and an exit code."""

    context_class = Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the options of `zim`. Raises `NotationError` for a word that is empty or not valid text."""
        ctx.meta[COMMAND_LINE_KEY] = list(args)
        if not ctx.resilient_parsing:
            check_words(args)
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError as error:  # of `--help`; click's own exit code for it is 1
            raise ReaderGoneError from error

    def list_commands(self, _: click.Context) -> list[str]:
        """The names of all commands."""
        return list(ENTRIES_BY_NAME)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Imports a command; None if there is none of that name."""
        entry = ENTRIES_BY_NAME.get(name)
        return entry.load_command() if entry else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that was typed. Raises `ProblemError` with similar names if there is none."""
        args = [*without_family(args)]
        if args[0] in ENTRIES_BY_NAME:
            return super().resolve_command(ctx, args)
        if ctx.resilient_parsing:  # while completing, where settings that can't be read offer nothing
            from zimcli.settings.config import aliases_or_none

            return super().resolve_command(ctx, [*aliases_or_none().get(args[0], args[0]).split(), *args[1:]])
        from zimcli.settings.config import expand_alias

        if alias_words := expand_alias(args[0]):
            return super().resolve_command(ctx, [*alias_words, *args[1:]])

        from zimcli.session.shell_moves import unknown_command_problem

        assert self.callback
        ctx.invoke(self.callback, **ctx.params)  # sets up the session, as for a command that exists
        raise unknown_command_problem(ctx.obj, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and options that may come here, and the user's aliases."""
        from click.shell_completion import CompletionItem

        from zimcli.settings.config import aliases_or_none

        aliases = aliases_or_none().items()
        own_aliases = [CompletionItem(name, help=line) for name, line in aliases if name.startswith(incomplete)]
        return [*super().shell_complete(ctx, incomplete), *own_aliases]

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands that most people use, without importing them."""
        for group, entries in frequent_entries():
            with formatter.section(group):
                formatter.write_dl([(entry.name, entry.help) for entry in entries], col_max=12)
        with formatter.section("All commands"):
            formatter.write_dl(
                [
                    ("help all", "List every command."),
                    ("help NAME", "Explain a command, a card or a part of the game."),
                ],
                col_max=12,
            )

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command. An error is shown in the format that was asked for, and sets the exit code."""
        try:
            result = super().invoke(ctx)
            if ctx.invoked_subcommand is None:
                self.start(ctx)
            return result
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        except (ReaderGoneError, click.exceptions.Exit):
            raise
        except Exception as error:
            output, session = Output.from_words(ctx.meta[COMMAND_LINE_KEY]), ctx.obj
            place, words = session.command_place if session else "", ctx.meta[COMMAND_LINE_KEY]
            ctx.exit(report_error(error, output, place, words, session))

    def start(self, ctx: click.Context) -> None:
        """Shows the start screen; at a terminal its keys run commands. Raises `UsageError` if JSON was asked for."""
        from zimcli.study.start_screen import show_start_screen

        session: Session = ctx.obj
        if session.output.json or session.output.format:
            ctx.fail("Missing command.")

        def run_command(words: list[str]) -> None:
            with suppress(SystemExit):
                self.main(words, prog_name=ctx.info_name)

        asks_keys = sys.stdin.isatty() and sys.stdout.isatty()
        show_start_screen(session, ctx.meta[COMMAND_LINE_KEY], run_command, asks_keys=asks_keys)

    def main(self, args: Sequence[str] | None = None, *more_args: Any, **settings: Any) -> NoReturn:
        """Runs a command and exits with its exit code."""
        settings["standalone_mode"] = False
        command_words = [*map(composed_word, sys.argv[1:] if args is None else args)]
        try:
            exit_code = super().main(command_words, *more_args, **settings)
            sys.stdout.flush()
        except (ReaderGoneError, BrokenPipeError):
            exit_code = silence_stdout()
        except (KeyboardInterrupt, click.Abort):
            exit_code = INTERRUPTED
        except Exception as error:
            exit_code = report_error(error, Output.from_words(command_words))
        sys.exit(exit_code or SUCCESS)


def composed_word(word: str) -> str:
    """A typed word with its accents composed; a file that is there is named as it is.

    >>> len(composed_word("Jo\u0308rg"))
    4
    """
    if word.isascii() or os.path.lexists(word):
        return word
    from zimcore.toolkit.characters import composed

    return composed(word)


def report_error(
    error: Exception, output: Output, place: str = "", words: Sequence[str] = (), session: Session | None = None
) -> int:
    """Shows an error of a command, with the place it was about if there is one; returns the exit code."""
    from zimcli.output.errors import (
        show_error,  # imported late: it imports the service, which would slow down every start
    )
    from zimcli.session.shell_moves import with_playing_lines

    adapt = partial(with_playing_lines, session, words) if session else None
    return show_error(error, output, place, words, adapt)


def silence_stdout() -> int:
    """Redirects stdout to the null device after its reader closed it, so that Python's flush at exit works."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE


COMMANDS_WITHOUT_PAGER = ("run", "demo", "tutorial", "play", "pipe")
"""Commands that run other lines. They use no pager: their answers follow one another."""

HELP_TEXT = """Zim keeps, names, forks and proves every line of play of a board game.

\b
Begin with
    zim                      your games, and what you can begin
    zim demo                 watch a whole game
    zim new kilwa-7          begin a game of your own
    zim new --help           the games there are, and their options
    zim play kilwa-7         play it at the table
    zim log kilwa-7@r2       see what happened up to round 2

A place is a game (kilwa-7), one of its lines (kilwa-7/what-if), or a position there: @12 after move 12, @-3 three
moves back, @r4 at the start of round 4, @r4.zulu before Zulu's turn, @a1b2c3 the commit with that digest.

Exit codes: 0 done, 1 refused by the rules or the answer is no, 2 not understood, 3 conflict, 4 store error.
"""


@click.command(
    cls=Zim,
    help=HELP_TEXT,
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
@click.option(
    "--store",
    default="",
    metavar="URL",
    help="sqlite:///PATH, memory:, postgresql://... or https://... (or ZIM_STORE).",
)
@click.option("--by", default="", metavar="NAME", help="Your name (default: ZIM_BY, else your user name).")
@click.option("--as", "seat", default="", metavar="SEAT", help="Play this seat, and see what its player may see.")
@click.option("--open", "open_", is_flag=True, help="See everything, hidden cards too (if you don't play).")
@click.option("--json", is_flag=True, help="Print one JSON document per command.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMAT_CHOICES),
    help="Print answers, or the rows of lists, in this form.",
)
@click.option("--fields", default="", metavar="NAMES", help="With rows: only these columns, separated by commas.")
@click.option(
    "--progress", type=click.Choice(PROGRESS_CHOICES), default="auto", help="Progress on stderr (json: for programs)."
)
@click.option("--quiet", is_flag=True, help="Print only errors.")
@click.option(
    "--color", type=click.Choice(COLOR_CHOICES), default="auto", help="Use colours (NO_COLOR turns them off)."
)
@click.option("--ascii", "ascii_", is_flag=True, help="Draw with plain characters only.")
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def cli(
    ctx: click.Context,
    store: str,
    by: str,
    seat: str,
    open_: bool,
    json: bool,
    format_name: str | None,
    fields: str,
    progress: str,
    quiet: bool,
    color: str,
    ascii_: bool,
) -> None:
    """Sets up the session from the options that all commands share."""
    from zimcli.session.session import Session

    if (session := ctx.obj) is None:
        session = Session(Output(), by=by)
        ctx.call_on_close(session.close_local_store)  # an error's traceback would keep it open, and its log
    session.store = store
    answer_form = output_fields(format_name) if format_name else {"json": json}
    pager = ctx.invoked_subcommand not in COMMANDS_WITHOUT_PAGER
    session.output = Output(
        color=color, ascii=ascii_, fields=fields, progress_mode=progress, quiet=quiet, pager=pager, **answer_form
    )
    if seat:
        session.play_as(seat)
    elif open_:
        from zimcore.service.lines.visibility import EVERYTHING

        session.set_viewer(EVERYTHING)
    ctx.obj = session
