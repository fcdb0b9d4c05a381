"""Turns exceptions into problems to show. An exception that is not handled here is a bug, and is shown as one."""

from __future__ import annotations

import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from importlib.util import find_spec

import click
import msgspec

from zimcli.exit_codes import BUG, CONFLICT, INTERRUPTED, NO, NOT_UNDERSTOOD, STORE, ProblemError, UnsureError
from zimcli.output import Output
from zimcli.program_name import program, typable
from zimcli.registry import BY_NAME, NEW
from zimcli.typed_words import names_a_place
from zimcore.documents.play import FailedLine
from zimcore.documents.problems import Problem, Reason
from zimcore.game import AmbiguousError, GameError, NotationError, Refused
from zimcore.games.registry import describe_broken_game
from zimcore.service import ConflictError, DamagedError, StoreError
from zimcore.service.places import similar_names

KINDS: tuple[tuple[type[GameError], str], ...] = (
    (AmbiguousError, "ambiguous"),
    (NotationError, "not understood"),
    (GameError, "error"),
)
KEEPER_HINTS = ("db check", "db salvage NEW")
"""Hints for the person who runs a damaged store."""
STORE_HINTS = ("zim --store sqlite:///PATH ...", "zim --help")
HIDDEN_HINTS = ("the same with --as SEAT, or with --open",)
MAX_NAMED = 20
"""Failed lines listed at the end of a script. Each was already shown when it failed."""
PLACE_SEPARATOR = re.compile(r"[/@]")
"""The characters that end the name of a game in a place."""
BUG_TEXT = "this is a bug in zim, not in what you typed; nothing that was played is lost"


def refusal_problem(text: str, answer: Refused) -> ProblemError:
    """The problem for a command that the rules forbid, or whose result depends on hidden cards."""
    why = tuple(Reason(refusal.reason, refusal.code) for refusal in answer.refusals)
    if answer.all_hidden:
        return ProblemError(Problem("hidden", text, NO, why, HIDDEN_HINTS))
    hints = answer.hints or tuple(f"rules {reason.code}" for reason in why[:1])
    return ProblemError(Problem("refused", text, NO, why, hints))


def hidden_problem(text: str, why: str) -> ProblemError:
    """The problem for a command whose result depends on something hidden from the viewer."""
    return ProblemError(Problem("hidden", text, NO, _why(why), HIDDEN_HINTS))


def negative_answer_problem(kind: str, what: str, why: Sequence[str] = (), hints: Sequence[str] = ()) -> ProblemError:
    """The problem for a command that ran and found the answer to be no, such as `expect` or `verify`."""
    return ProblemError(Problem(kind, what, NO, tuple(map(Reason, why)), tuple(hints)))


def damaged_error(what: str, why: str = "", *, is_here: bool) -> DamagedError:
    """The error for damaged games that a list had to leave out. Only the person who runs the store can repair it."""
    hints = KEEPER_HINTS if is_here else ("tell the host: zim db check",)
    return DamagedError(what, why, hints)


def unsure_problem(text: str, wasted: str, instead: str) -> UnsureError:
    """Asks for confirmation of a command that would waste something."""
    hints = ("Enter, if it is meant", instead)
    return UnsureError(Problem("sure?", text, NO, (Reason(wasted),), hints))


def script_problem(what: str, failed: Sequence[FailedLine]) -> ProblemError:
    """The problem for a script with failed lines: lists the first of them, with the highest of all their exit codes."""
    why = [Reason(f"{each.number}: {each.line}: {each.what}") for each in failed[:MAX_NAMED]]
    why += [Reason(f"... and {len(failed) - MAX_NAMED} more")] if len(failed) > MAX_NAMED else []
    return ProblemError(Problem("failed", what, max(each.code for each in failed), tuple(why)))


OTHER_WORDS = {
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


def help_for_other_word(word: str) -> tuple[str, ...]:
    """The hint for a name that other programs use; () for any other word."""
    our_command = OTHER_WORDS.get(word.lower())
    return (f"help {our_command}",) if our_command else ()


def no_command_problem(word: str) -> ProblemError:
    """The problem for a word that is not a command, with similar commands as hints."""
    hints = help_for_other_word(word) or tuple(similar_names(word, BY_NAME)) or ("zim --help",)
    return ProblemError(Problem("usage", f"there is no command {word!r}", NOT_UNDERSTOOD, (), hints))


def problem_of(error: BaseException) -> Problem:
    """The problem for an exception, with the lines of scripts in which it was raised."""
    problem = _problem(error)
    hints, script_lines = (
        tuple(typable(for_this_python(hint)) for hint in problem.hints),
        tuple(getattr(error, "__notes__", ())),
    )
    name = getattr(getattr(error, "ctx", None), "info_name", "")  # a usage error has click's context
    command, place = getattr(error, "about", (name if name in BY_NAME else "", ""))
    return msgspec.structs.replace(problem, hints=hints, where=script_lines, command=command, place=place)


def for_this_python(hint: str) -> str:
    """`pip install ...` for the Python that runs zim. Environments made by uv have no pip."""
    if not hint.startswith("pip install "):
        return hint
    python = shlex.quote(sys.executable)
    if find_spec("pip"):
        return f"{python} -m {hint}"
    return f"uv pip install --python {python} {hint.removeprefix('pip install ')}"


def show(error: Exception, out: Output, place: str | None = None, words: Sequence[str] = ()) -> int:
    """Shows what went wrong, with a traceback if it is a bug and ZIM_DEBUG is set; returns the exit code.

    In the shell `place` is the place that the command was about, or "", and `words` are those of the command line.
    """
    problem = problem_of(error)
    if place is not None:
        problem = at_the_shell(with_command_lines(problem, words), place)
    out.problem(problem)
    if problem.code == BUG and os.environ.get("ZIM_DEBUG"):
        traceback.print_exception(error)
    return problem.code


def with_command_lines(problem: Problem, words: Sequence[str]) -> Problem:
    """Turns hints that are names into command lines: each replaces the typed word that the error quotes.

    >>> wrong = Problem("error", "there is no game called 'fridy'", NOT_UNDERSTOOD, (), ("friday", "new"))
    >>> with_command_lines(wrong, ["do", "fridy@r2", "pass"]).hints
    ('zim do friday@r2 pass', 'new')
    """
    indices = [
        index for index, word in enumerate(words) if repr(PLACE_SEPARATOR.split(word, maxsplit=1)[0]) in problem.what
    ]
    if len(indices) != 1:
        return problem
    words_before, word, words_after = words[: indices[0]], words[indices[0]], words[indices[0] + 1 :]
    place = word[len(PLACE_SEPARATOR.split(word, maxsplit=1)[0]) :]

    # A URL may contain a password, which must not be printed again. Such a hint leaves the store out.
    secret = [index for index, each in enumerate(words_before) if "://" in each and "@" in each]
    words_before = [each for index, each in enumerate(words_before) if index not in secret and index + 1 not in secret]

    names_games = problem.what.startswith("there is no game called ")

    def command_line(hint: str) -> str:
        is_command = hint in BY_NAME and not (names_games and hint != NEW.name)  # a game may be called `demo`
        is_name = not (" " in hint or hint.startswith("-") or is_command)
        return f"{program()} {shlex.join([*words_before, hint + place, *words_after])}" if is_name else hint

    return msgspec.structs.replace(problem, hints=tuple(map(command_line, problem.hints)))


def at_the_shell(problem: Problem, place: str) -> Problem:
    """The problem with hints for the shell. Hints are written as lines of a session: `log` for `zim log kilwa-7`."""
    return msgspec.structs.replace(problem, hints=tuple(in_the_shell(hint, place) for hint in problem.hints))


def in_the_shell(hint: str, place: str) -> str:
    """A hint as it is typed in the shell, with the place added if it names none."""
    word, _, arguments = hint.partition(" ")
    if word not in BY_NAME:
        return hint
    first_word = arguments.partition(" ")[0]
    names_place = names_a_place(first_word) or first_word in (place, PLACE_SEPARATOR.split(place, maxsplit=1)[0])
    if place and BY_NAME[word].takes_a_place and not names_place:
        arguments = arguments.replace("PLACE", place) if "PLACE" in arguments else f"{place} {arguments}"
    return f"{program()} {word} {arguments}".rstrip()


def _problem(error: BaseException) -> Problem:
    match error:
        case ProblemError(problem=problem):
            return problem
        case GameError():
            kind = next(kind for error_type, kind in KINDS if isinstance(error, error_type))
            return Problem(kind, error.what, NOT_UNDERSTOOD, _why(error.why), error.hints)
        case click.ClickException():
            return _usage(error)
        case ConflictError():
            hints = error.hints or ("log", "board", "and then your move again")
            return Problem("conflict", error.what, CONFLICT, _why(error.why), tuple(hints))
        case DamagedError():
            return Problem("store", error.what, STORE, _why(error.why), error.hints or KEEPER_HINTS)
        case StoreError():
            return Problem("store", error.what, STORE, _why(error.why), error.hints or STORE_HINTS)
        case OSError():
            what = f"{os.fsdecode(error.filename)} can't be read or written" if error.filename else "a file failed"
            return Problem("file", what, STORE, _why(error.strerror or str(error)))
        case KeyboardInterrupt() | click.Abort():
            return Problem("stopped", "", INTERRUPTED)
    why = _why(f"{type(error).__name__}: {error}")
    failure = describe_broken_game(error)
    if failure:
        return Problem("bug", f"this is a bug in the game {failure}", BUG, why, (f"zim check {failure.split()[0]}",))
    return Problem("bug", BUG_TEXT, BUG, why, ("the same with ZIM_DEBUG=1",))


def _why(text: str) -> tuple[Reason, ...]:
    return (Reason(text),) if text else ()


def help_example(context: click.Context) -> tuple[str, ...]:
    """The first example in the help of a command, about the place that was typed; () if there is none."""
    name, help_text = context.info_name or "", context.command.help or ""
    lines = (line.strip() for line in help_text.partition("Example:\n")[2].splitlines())
    example = next((line for line in lines if line.startswith(f"zim {name} ")), "")
    place = context.params.get("place", "")
    about = f" {place}" if place and place != getattr(context.obj, "place", "") else ""
    return (re.sub(rf"^zim {name}( [a-z]+-\d+(?!\.)\S*)?", name + about, example),) if example else ()


def _usage(error: click.ClickException) -> Problem:
    context = getattr(error, "ctx", None)
    hints = (f"{context.command_path} --help",) if context else ()
    if context and isinstance(error, click.MissingParameter):
        hints = (*help_example(context), *hints)
    message = error.format_message().rstrip(".").replace(" is not a valid integer range", " is not a whole number")
    return Problem("usage", message, NOT_UNDERSTOOD, (), hints)
