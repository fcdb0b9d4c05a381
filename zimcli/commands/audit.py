r"""Check a game log for illegal moves.

A log is a script, the output of `zim log` (text, CSV or --json), or a plain list of moves, one per line, as people
write them down; docs/auditing.md has the details. It begins with the set-up of the game (new players=3 seed=7); with
--from it goes on from a position of a game. Lines without a move are skipped, and prose before the set-up. Seats,
prices and, if the log never writes it, the `end` of a turn may be left out. A line with several readings is ambiguous;
you see which later line decides.

A table needs a header (seat,move), JSON objects such keys. --seats says what the log calls the seats. --words FILE
says what its words mean in ours, one per line: baut = build. --learn FILE asks you what unknown columns hold, and about
the first line of each kind that it can't read. It writes a style: --style FILE reads the rest of the archive by it.

One wrong line often makes many later ones illegal. Zim looks for the causes, shows what each line was likely meant to
say, and counts the consequences: 1 cause, 43 consequences. --all shows these too, each with the line it follows from.

--repair searches for the fewest changes that make the whole log legal and lists the likeliest first, as commands of
`amend`. --into FILE writes the log with the first repair applied, as a script that has been tested. Exits with 1 if the
log has illegal moves.

Example::

    zim log kilwa-7 > kilwa-7.log
    zim audit kilwa-7.log
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Sequence
from typing import Any

import click

from zimcli import files
from zimcli.command import plain_command, viewer_options
from zimcli.errors import HIDDEN_HINTS, answer_is_no
from zimcli.exit_codes import FailedError
from zimcli.registry import ENTRIES
from zimcli.session import Session
from zimcli.shell_completion import Argument
from zimcore.documents.audits import AuditAnswer, AuditedLog
from zimcore.game import Game, NotationError, OptionError
from zimcore.toolkit.words import numbered
from zimcore.transcripts.log_lines import Transcript
from zimcore.transcripts.log_styles import LogStyle

MAX_LOG_BYTES = 8 * 2**20
"""Maximum size of a log in bytes."""


@plain_command(__doc__)
@click.argument("paths", cls=Argument, nargs=-1, required=True, metavar="FILE...")
@click.option("--repair", is_flag=True, help="List the fewest changes that make the whole log legal.")
@click.option("--into", default="", metavar="FILE", help="Write the repaired log as a script.")
@click.option("--from", "start", default="", metavar="PLACE", help="Start the logs at this position.")
@click.option("--game", "kind", default="", metavar="KIND", help="The game that is played, if a log does not name it.")
@click.option("--seats", default="", metavar="NAME=SEAT,...", help="What the log calls the seats: Red=kilwa,M=mutapa.")
@click.option("--words", default="", metavar="FILE", help="What words of the log mean, one per line: baut = build.")
@click.option("--style", "known", default="", metavar="FILE", help="Read the logs in this style.")
@click.option("--learn", default="", metavar="FILE", help="Ask what can't be read, and write a style.")
@click.option("--all", "every", is_flag=True, help="Show all lines: legal ones and consequences too.")
@viewer_options
def command(
    session: Session,
    paths: Sequence[str],
    repair: bool,
    into: str,
    start: str,
    kind: str,
    seats: str,
    words: str,
    known: str,
    learn: str,
    every: bool,
) -> AuditAnswer:
    """Audits logs; an illegal move in one is a failure."""
    if into and len(paths) > 1:
        raise click.UsageError("--into FILE takes only one log.")
    if into and os.path.exists(into) and any(os.path.exists(path) and os.path.samefile(into, path) for path in paths):
        raise click.UsageError("--into would replace the log itself: name another file.")
    style = log_style(seats, words, known)
    if learn:
        style, every = learn_style(session, paths, learn, start, kind, style), True
    logs = [audit_one(session, path, repair or bool(into), start, kind, style) for path in paths]
    answer = AuditAnswer(tuple(logs), every)
    illegal_logs = [log for log in logs if not log.stands]
    if into:
        script = next((each.script for each in logs[0].proposals if each.whole), logs[0].script)
        if not script:
            raise FailedError(answer, illegal_logs_error(illegal_logs))
        files.write(into, (f"{line}\n".encode() for line in script))
    if illegal_logs:
        file, style_file = illegal_logs[0].file, learn or known
        hint = f"audit {file} --repair --style {style_file}" if style_file else f"audit {file} --repair"
        if illegal_logs[0].is_in_unknown_notation:
            raise FailedError(answer, illegal_logs_error(illegal_logs, (f"audit {file} --learn style.toml",)))
        raise FailedError(answer, illegal_logs_error(illegal_logs, () if repair or into else (hint,)))
    return answer


def illegal_logs_error(illegal_logs: Sequence[AuditedLog], hints: Sequence[str] = ()) -> Exception:
    """The error that names the illegal logs, each with its first cause."""
    why = [first_fault(log) for log in illegal_logs]
    what = f"{numbered(len(illegal_logs), 'log')} {'has' if len(illegal_logs) == 1 else 'have'} illegal moves"
    hidden = any(each.verdict == "hidden" for log in illegal_logs for each in log.lines)
    return answer_is_no("illegal", what, why, HIDDEN_HINTS if hidden else hints)


def first_fault(log: AuditedLog) -> str:
    """The first line of a log that is wrong, and how many lines follow from it."""
    line_number = log.causes[0].number if log.causes else 0
    faulty = [each for each in log.lines if each.number == line_number or each.verdict not in ("legal", "ambiguous")]
    first = next((each for each in faulty if each.number == line_number), faulty[0])
    if log.is_in_unknown_notation:
        return f"{log.file}: none of its {numbered(len(log.lines), 'line')} is a command in the notation of {log.kind}"
    consequences = (
        f", and {log.causes[0].consequences} follow from it" if log.causes and log.causes[0].consequences else ""
    )
    word = "likely wrong" if first.verdict == "legal" else first.verdict
    return f"{log.file}:{first.number}: {first.text}: {word}{consequences}"


def learn_style(
    session: Session, paths: Sequence[str], style_file: str, start: str, kind: str, style: LogStyle
) -> LogStyle:
    """Asks about what can't be read in logs, writes the style, and returns it. Without a terminal it only writes."""
    from zimcli.style_files import ask_questions, write_style
    from zimcore.transcripts.log_lines import kind_of, unknown_rows
    from zimcore.transcripts.log_replay import unwritten_verbs
    from zimcore.transcripts.style_questions import StyleQuestion, column_questions
    from zimcore.transcripts.verdicts import LineVerdict, verdicts

    session.check_files("audit FILE --learn", style_file)
    unknown = []
    for path in paths:
        text = read_text(path)

        def read_log(style: LogStyle, path: str = path, text: str = text) -> tuple[Game, Sequence[LineVerdict]]:
            game, first_state, log = parse_game_log(session, path, text, start, kind, style)
            return game, list(verdicts(game, first_state, log.lines, unwritten_verbs(game, log.lines)))

        def ask_columns(style: LogStyle, text: str = text) -> Sequence[StyleQuestion]:
            game = session.game(kind or kind_of(text))
            return column_questions(unknown_rows(text, game, style), style.columns)

        style, questions = ask_questions(session, style, ask_columns, read_log)
        unknown += questions
    files.write(style_file, [write_style(style, unknown).encode()])
    for each in unknown:
        session.note(f"{style_file}: say there what {each.word} is (line {each.line.number}: {each.line.text})")
    parts = (style.seats, "seats"), (style.words, "words"), (style.columns, "columns")
    counts_text = " and ".join(f"{len(each)} {kind}" for each, kind in parts if each or kind != "columns")
    session.note(f"{style_file} has {counts_text}; audit FILE --style {style_file} uses it")
    return style


def log_style(seats: str, words: str, known: str = "") -> LogStyle:
    """What logs call the seats, and the words of files. Raises `NotationError` for what is no pair, or no style."""
    from zimcore.transcripts.log_styles import LogStyle, parse_pairs

    style, text = LogStyle(), read_text(words) if words else ""
    if known:
        from zimcli.style_files import read_style

        style = read_style(known, read_text(known))
    additions = parse_pairs(seats, "--seats"), parse_pairs(text, words)
    return LogStyle({**style.seats, **additions[0]}, {**style.words, **additions[1]}, style.columns)


def read_text(path: str) -> str:
    """The text of a file. Raises `NotationError` if it has none, or is too long."""
    with files.open_for_reading(path) as file:
        content = file.read(MAX_LOG_BYTES + 1)
    if len(content) > MAX_LOG_BYTES:
        raise NotationError(path, f"a log has at most {MAX_LOG_BYTES >> 20} MiB", ["import FILE"])
    return decode_log(path, content)


def audit_one(session: Session, path: str, repair: bool, start: str, kind: str, style: LogStyle) -> AuditedLog:
    """Audits one log. Raises `GameError` if the file is not a log."""
    from zimcore.transcripts import audit_documents

    game, first_state, log = parse_game_log(session, path, read_text(path), start, kind, style)
    if log.preface:
        session.note(f"{path}: {lines_text(log.preface)} before `new` skipped")
    with session.out.progress(f"auditing {path}") as report:
        document = audit_documents.audit_log(path, game, first_state, log, repair=repair, report=report)
    if repair and not document.proposals:
        session.note(f"{path}: no repair found" if not document.stands else f"{path}: nothing to repair")
    return document


def parse_game_log(
    session: Session, path: str, text: str, start: str, kind: str, style: LogStyle
) -> tuple[Game, Any, Transcript]:
    """The game of a log, the position that it begins at, and its lines. Raises `GameError` if it is not a log."""
    from zimcore.transcripts.beginning import start_state
    from zimcore.transcripts.log_lines import kind_of, parse_log

    place = session.on_a_line(session.complete_place(start)) if start else ""
    position = session.position(place) if place else None
    game = position.game if position else session.game(kind or kind_of(text))
    log: Transcript = parse_log(text, game, reading_commands(game), style)
    if log.setup is not None and not any(not line.expects for line in log.lines):
        raise NotationError(path, "it has the set-up of a game, but no moves", ["help audit"])
    first_state = position.state if position else start_state(game, log)
    if unknown_seats := {*style.seats.values()}.difference(game.evolution.seats(first_state)):
        seats = ", ".join(game.evolution.seats(first_state))
        raise OptionError(
            f"--seats ...={min(unknown_seats)}", f"there is no such seat; the seats are {seats}", ["help audit"]
        )
    return game, first_state, log


def lines_text(numbers: Sequence[int]) -> str:
    """Lines by their numbers: `line 1`, `lines 1 to 3`.

    >>> lines_text([2]), lines_text([1, 3])
    ('line 2', 'lines 1 to 3')
    """
    return f"line {numbers[0]}" if len(numbers) == 1 else f"lines {numbers[0]} to {numbers[-1]}"


def decode_log(path: str, content: bytes) -> str:
    """The text of a log in UTF-8 or, as its first bytes say, in UTF-16. Raises `NotationError` for other files."""
    if not content.strip():
        raise NotationError(path, "the file is empty", ["help audit"])
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    if b"\0" in content:
        raise NotationError(path, "it is not a text file: it has zero bytes", ["verify FILE", "import FILE"])
    return content.decode("utf-8-sig", errors="replace")


def reading_commands(game: Game) -> set[str]:
    """The commands that a log may contain and that play nothing."""
    return {entry.name for entry in ENTRIES if entry.only_reads} - {*game.notation.SYNTAX}
