"""Turns exceptions into problems to show. An exception that is not handled here is a bug, and is shown as one."""

from __future__ import annotations

import os
import re
import shlex
import stat
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import click
import msgspec

from event_store.outputs import DISK_FULL_HINT, OutputError, failure_reason, is_disk_full
from zimcli.output.output import Output
from zimcli.shell.exit_codes import (
    BUG,
    CONFLICT,
    INTERRUPTED,
    NEGATIVE_ANSWER,
    NOT_UNDERSTOOD,
    STORE_FAILURE,
    ProblemError,
    UnsureError,
)
from zimcli.shell.failed_imports import failed_library
from zimcli.shell.installation import install_hint
from zimcli.shell.program_name import program_name, typable
from zimcli.shell.registry import ENTRIES_BY_NAME, NEW
from zimcli.shell.typed_words import names_a_place, without_passwords
from zimcore.documents.play import FailedLine
from zimcore.documents.problems import Problem, Reason
from zimcore.game import AmbiguousError, GameError, NotationError, Refused
from zimcore.games.registry import describe_broken_game
from zimcore.service import ConflictError, DamagedError, StoreError
from zimcore.service.records.places import similar_names

KIND_BY_ERROR_TYPE: tuple[tuple[type[GameError], str], ...] = (
    (AmbiguousError, "ambiguous"),
    (NotationError, "not understood"),
    (GameError, "error"),
)
OPERATOR_HINTS = ("db check", "db salvage NEW")
"""Hints for the person who runs a damaged store."""
STORE_HINTS = ("zim --store sqlite:///PATH ...", "zim --help")
HIDDEN_HINTS = ("--as SEAT", "--open")
MAX_LISTED_LINES = 20
"""Failed lines listed at the end of a script. Each was already shown when it failed."""
PLACE_SEPARATOR = re.compile(r"[/@]")
"""The characters that end the name of a game in a place."""
HEAD_COMMANDS = ("do", "undo", "redo", "bot", "log")
"""Commands about the head of a line, as those of features are. A hint names them without the position that the failed
command was about."""
MAX_REPEATED_WORDS = 100
"""The most words of a command line that a hint repeats."""
BUG_TEXT = "this is a bug in zim, not in what you typed; nothing that was played is lost"


def refusal_problem(command_text: str, refused: Refused, *other_hints: str) -> ProblemError:
    """The problem for a command that the rules forbid, or whose result depends on hidden cards.

    `other_hints` stand before the rule where the game has no hints.
    """
    reasons = tuple(Reason(refusal.reason, refusal.code) for refusal in refused.refusals)
    if refused.all_hidden:
        return ProblemError(Problem("hidden", command_text, NEGATIVE_ANSWER, reasons, HIDDEN_HINTS))
    hints = refused.hints or (*other_hints, *(f"rules {reason.code}" for reason in reasons[:1]))
    return ProblemError(Problem("refused", command_text, NEGATIVE_ANSWER, reasons, hints))


def hidden_problem(command_text: str, reason: str) -> ProblemError:
    """The problem for a command whose result depends on something hidden from the viewer."""
    return ProblemError(Problem("hidden", command_text, NEGATIVE_ANSWER, _reasons(reason), HIDDEN_HINTS))


def negative_answer_problem(
    kind: str, problem_text: str, reasons: Sequence[str] = (), hints: Sequence[str] = ()
) -> ProblemError:
    """The problem for a command that ran and found the answer to be no, such as `expect` or `verify`."""
    return ProblemError(Problem(kind, problem_text, NEGATIVE_ANSWER, tuple(map(Reason, reasons)), tuple(hints)))


def damaged_error(problem_text: str, reason: str = "", hints: Sequence[str] = (), *, is_here: bool) -> DamagedError:
    """The error for damaged games that a list had to leave out. Only the person who runs the store can repair it."""
    hints = hints or (OPERATOR_HINTS if is_here else ("tell the host: zim db check",))
    return DamagedError(problem_text, reason, hints)


def unsure_problem(command_text: str, waste_text: str, other_command: str) -> UnsureError:
    """Asks for confirmation of a command that would waste something."""
    hints = ("Enter, if it is meant", other_command)
    return UnsureError(Problem("sure?", command_text, NEGATIVE_ANSWER, (Reason(waste_text),), hints))


def script_problem(problem_text: str, failed_lines: Sequence[FailedLine]) -> ProblemError:
    """The problem for a script with failed lines: lists the first of them, with the highest of all their exit codes."""
    reasons = [Reason(f"{each.number}: {each.line}: {each.what}") for each in failed_lines[:MAX_LISTED_LINES]]
    reasons += (
        [Reason(f"... and {len(failed_lines) - MAX_LISTED_LINES} more")] if len(failed_lines) > MAX_LISTED_LINES else []
    )
    return ProblemError(Problem("failed", problem_text, max(each.code for each in failed_lines), tuple(reasons)))


@contextmanager
def showing_stops(*options: str) -> Iterator[None]:
    """Shows how work on many games goes on that stopped half way, also by Ctrl-C; `options` belong to that command."""
    from zimcore.service.writing.many_games import StoppedError

    try:
        yield
    except StoppedError as error:
        code = CONFLICT if isinstance(error.__cause__, ConflictError) else STORE_FAILURE
        hints = (*error.hints[:-1], " ".join([error.hints[-1], *options]))
        raise ProblemError(Problem("unfinished", error.what, code, _reasons(error.why), hints)) from error
    except KeyboardInterrupt as error:
        if not error.args:  # nothing was stored yet
            raise
        what, why, command_text = error.args
        hints = (" ".join([command_text, *options]),)
        raise ProblemError(Problem("stopped", what, INTERRUPTED, _reasons(why), hints)) from error


COMMANDS_BY_OTHER_WORD = {
    "annotate": "why",
    "blame": "why",
    "branch": "fork",
    "branches": "lines",
    "checkout": "switch",
    "cherry-pick": "pick",
    "clone": "export",
    "commit": "do",
    "continue": "play",
    "diff": "compare",
    "history": "log",
    "init": "new",
    "keys": "config",
    "list": "games",
    "load": "import",
    "ls": "games",
    "merge": "pick",
    "mouse": "play",
    "move": "do",
    "playout": "whatif",
    "rebase": "amend",
    "reflog": "log",
    "reset": "goto",
    "resume": "play",
    "revert": "undo",
    "rm": "delete",
    "rollback": "undo",
    "save": "export",
    "simulate": "whatif",
    "start": "new",
    "status": "show",
    "sweep": "try",
    "tags": "tag",
    "watch": "replay",
}
"""Names that other programs use, each with our command for the same thing."""


def hints_for_other_word(word: str) -> tuple[str, ...]:
    """The hint for a name that other programs use; () for any other word."""
    command_name = COMMANDS_BY_OTHER_WORD.get(word.lower())
    return (f"help {command_name}",) if command_name else ()


def no_command_problem(word: str, move_hints: Sequence[str] = ()) -> ProblemError:
    """The problem for a word that is not a command, with similar commands as hints, after those that play a move."""
    command_hints = hints_for_other_word(word) or tuple(similar_names(word, ENTRIES_BY_NAME))
    hints = (*move_hints, *command_hints) or ("zim --help",)
    return ProblemError(Problem("usage", f"there is no command {word!r}", NOT_UNDERSTOOD, (), hints))


def problem_of(error: BaseException) -> Problem:
    """The problem for an exception, with the lines of scripts in which it was raised."""
    problem = _problem_without_context(error)
    hints, script_lines = (
        tuple(typable(install_hint(hint)) for hint in problem.hints),
        tuple(getattr(error, "__notes__", ())),
    )
    command_name = getattr(getattr(error, "ctx", None), "info_name", "")  # a usage error has click's context
    command, place = getattr(error, "about", (command_name if command_name in ENTRIES_BY_NAME else "", ""))
    problem = msgspec.structs.replace(problem, hints=hints, where=script_lines, command=command, place=place)
    return with_command_lines(problem, getattr(error, "typed_words", ()))


def show_error(
    error: Exception,
    output: Output,
    place: str | None = None,
    words: Sequence[str] = (),
    adapt: Callable[[Problem], Problem] | None = None,
) -> int:
    """Shows what went wrong, with a traceback if it is a bug and ZIM_DEBUG is set; returns the exit code.

    In the shell `place` is the place that the command was about, or "", and `words` are those of the command line.
    `adapt` changes hints for people; programs get them as they are.
    """
    problem = problem_of(error)
    if place is not None:
        problem = adapt(problem) if adapt and not output.json else problem
        problem = with_shell_hints(with_command_lines(problem, words, program_name()), place)
    output.show_problem(problem)
    if problem.code == BUG and os.environ.get("ZIM_DEBUG"):
        traceback.print_exception(error)
    return problem.code


def with_command_lines(problem: Problem, words: Sequence[str], program: str = "") -> Problem:
    """Completes the hints that are only a name or an option: the typed words, with that one in its place.

    A name replaces the word that the error quotes; an option is added, or replaces its other value.

    >>> wrong = Problem("error", "there is no game called 'fridy'", NOT_UNDERSTOOD, (), ("friday", "new"))
    >>> with_command_lines(wrong, ["do", "fridy@r2", "pass"], "zim").hints
    ('zim do friday@r2 pass', 'new')
    >>> wrong = Problem("error", "k has no seat zul", NOT_UNDERSTOOD, (), ("--as zulu",))
    >>> with_command_lines(wrong, ["orders", "k", "--as", "zul"]).hints
    ('orders k --as zulu',)
    """
    if not words or len(words) > MAX_REPEATED_WORDS:  # nobody has typed so many
        return problem
    typed_words = without_passwords(words)
    is_about_game_name = problem.what.startswith("there is no game called ")

    def command_line(hint: str) -> str:
        is_command = hint in ENTRIES_BY_NAME and not (
            is_about_game_name and hint != NEW.name
        )  # a game may be called `demo`
        if hint.startswith("--"):
            new_words = with_option(typed_words, hint.split())
        elif " " in hint or is_command:
            return hint
        else:
            new_words = with_name(typed_words, hint, problem.what)
        return " ".join([*filter(None, [program]), shlex.join(new_words)]) if new_words else hint

    return msgspec.structs.replace(problem, hints=tuple(map(command_line, problem.hints)))


def with_option(words: Sequence[str], option_words: Sequence[str]) -> list[str]:
    """The words with an option, which replaces another value of it."""
    option = option_words[0]
    words = [word for word in words if not word.startswith(f"{option}=")]
    if option in words:
        index = words.index(option)
        del words[index : index + len(option_words)]
    return [*words, *option_words]


def with_name(words: Sequence[str], name: str, problem_text: str) -> list[str]:
    """The words with a name in place of the only one that the text quotes; [] if it quotes none, or several.

    A place stands in for the only place among them.

    >>> with_name(["switch", "g/n16"], "g/main", "g has no line called 'n16'")
    ['switch', 'g/main']
    >>> with_name(["goto", "@9"], "g/main@r2", "there is no position @9 on g/main")
    ['goto', 'g/main@r2']
    """
    places = [index for index, word in enumerate(words) if index and names_a_place(word)]
    if names_a_place(name) and len(places) == 1 and words[places[0]].partition("@")[2]:
        line = words[places[0]].partition("@")[0] if name.startswith("@") else ""
        return [*words[: places[0]], line + name, *words[places[0] + 1 :]]
    matches = [(index, part) for index, word in enumerate(words) for part in quoted_parts(word, problem_text)]
    if len(matches) != 1:
        return []
    index, part = matches[0]
    start, _, rest = words[index].partition(part)
    if PLACE_SEPARATOR.search(name) and name.startswith(start):
        start = ""
    return [*words[:index], f"{start}{name}{rest}", *words[index + 1 :]]


def quoted_parts(word: str, text: str) -> list[str]:
    """The parts of a place that a text quotes."""
    return [part for part in dict.fromkeys(PLACE_SEPARATOR.split(word)) if part and repr(part) in text]


def with_shell_hints(problem: Problem, place: str) -> Problem:
    """The problem with hints for the shell. Hints are written as lines of a session: `log` for `zim log kilwa-7`."""
    return msgspec.structs.replace(problem, hints=tuple(shell_hint(hint, place) for hint in problem.hints))


def shell_hint(hint: str, place: str) -> str:
    """A hint as it is typed in the shell, with the place added if it names none."""
    command_name, _, arguments = hint.partition(" ")
    if command_name not in ENTRIES_BY_NAME:
        return hint
    first_word = arguments.partition(" ")[0]
    names_place = names_a_place(first_word) or first_word in (place, PLACE_SEPARATOR.split(place, maxsplit=1)[0])
    entry = ENTRIES_BY_NAME[command_name]
    if place and entry.takes_a_place and not names_place:
        place = place.partition("@")[0] if command_name in HEAD_COMMANDS or entry.feature else place
        arguments = arguments.replace("PLACE", place) if "PLACE" in arguments else f"{place} {arguments}"
    return f"{program_name()} {command_name} {arguments}".rstrip()


def _problem_without_context(error: BaseException) -> Problem:
    match error:
        case ProblemError(problem=problem):
            return problem
        case GameError():
            kind = next(kind for error_type, kind in KIND_BY_ERROR_TYPE if isinstance(error, error_type))
            return Problem(kind, error.what, NOT_UNDERSTOOD, _reasons(error.why), error.hints)
        case click.ClickException():
            return _usage_problem(error)
        case ConflictError():
            hints = error.hints or ("log", "board", "and then your move again")
            return Problem("conflict", error.what, CONFLICT, _reasons(error.why), tuple(hints))
        case OutputError():
            return Problem("file", error.what, NOT_UNDERSTOOD, _reasons(error.why), error.hints)
        case DamagedError():
            return Problem("store", error.what, STORE_FAILURE, _reasons(error.why), error.hints or OPERATOR_HINTS)
        case StoreError():
            return Problem("store", error.what, STORE_FAILURE, _reasons(error.why), error.hints or STORE_HINTS)
        case Exception() if (library := failed_library(error)) and not describe_broken_game(error):
            from event_store.extras import broken_import

            failure = broken_import(error, library)
            return Problem("bug", "this installation of zim is incomplete", BUG, _reasons(failure.why), failure.hints)
        case OSError():
            path = os.fsdecode(error.filename) if error.filename else ""
            if is_disk_full(error):
                what = f"the disk is full: {path or unnamed_file()} can't be written"
                return Problem("file", what, STORE_FAILURE, (), (DISK_FULL_HINT,))
            problem_text = f"{path} can't be read or written" if path else "a file failed"
            return Problem("file", problem_text, STORE_FAILURE, _reasons(failure_reason(error)))
        case KeyboardInterrupt() | click.Abort():
            return Problem("stopped", "", INTERRUPTED)
    reasons = _reasons(f"{type(error).__name__}: {error}")
    broken_part = describe_broken_game(error)
    if broken_part:
        return Problem(
            "bug", f"this is a bug in the game {broken_part}", BUG, reasons, (f"zim check {broken_part.split()[0]}",)
        )
    return Problem("bug", BUG_TEXT, BUG, reasons, ("the same with ZIM_DEBUG=1",))


def unnamed_file() -> str:
    """What an error without the name of a file is about: stdout, if that can be full, or else a temporary file."""
    with suppress(OSError, ValueError):
        mode = os.fstat(sys.stdout.fileno()).st_mode
        if stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not sys.stdout.isatty()):
            return "stdout"
    return "a temporary file"


def _reasons(reason: str) -> tuple[Reason, ...]:
    return (Reason(reason),) if reason else ()


def help_example(context: click.Context) -> tuple[str, ...]:
    """The first example in the help of a command, about the place that was typed; () if there is none."""
    name, help_text = context.info_name or "", context.command.help or ""
    lines = (line.strip() for line in help_text.partition("Example:\n")[2].splitlines())
    example = next((line for line in lines if line.startswith(f"zim {name} ")), "")
    place = context.params.get("place", "")
    place_text = f" {place}" if place and place != getattr(context.obj, "place", "") else ""
    return (re.sub(rf"^zim {name}( [a-z]+-\d+(?!\.)\S*)?", name + place_text, example),) if example else ()


def _usage_problem(error: click.ClickException) -> Problem:
    context = getattr(error, "ctx", None)
    hints = (f"{context.command_path} --help",) if context else ()
    if context and isinstance(error, click.MissingParameter):
        hints = (*help_example(context), *hints)
    message = error.format_message().rstrip(".").replace(" is not a valid integer range", " is not a whole number")
    return Problem("usage", message, NOT_UNDERSTOOD, (), hints)
