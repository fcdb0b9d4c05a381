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
import msgspec

from zimcli import files
from zimcli.command import plain_command, viewer_options
from zimcli.errors import HIDDEN_HINTS, negative_answer_problem
from zimcli.exit_codes import FailedError
from zimcli.output_files import FileToWrite, OutputFile
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
@click.option(
    "--repair", "is_repair_asked", is_flag=True, help="List the fewest changes that make the whole log legal."
)
@click.option("--into", "script_file", type=OutputFile(), metavar="FILE", help="Write the repaired log as a script.")
@click.option("--from", "first_place", default="", metavar="PLACE", help="Start the logs at this position.")
@click.option("--game", "kind", default="", metavar="KIND", help="The game that is played, if a log does not name it.")
@click.option(
    "--seats",
    "seats_text",
    default="",
    metavar="NAME=SEAT,...",
    help="What the log calls the seats: Red=kilwa,M=mutapa.",
)
@click.option(
    "--words", "words_path", default="", metavar="FILE", help="What words of the log mean, one per line: baut = build."
)
@click.option("--style", "style_path", default="", metavar="FILE", help="Read the logs in this style.")
@click.option(
    "--learn", "new_style", type=OutputFile("log"), metavar="FILE", help="Ask what can't be read, and write a style."
)
@click.option("--all", "shows_all_lines", is_flag=True, help="Show all lines: legal ones and consequences too.")
@viewer_options
def command(
    session: Session,
    paths: Sequence[str],
    is_repair_asked: bool,
    script_file: FileToWrite | None,
    first_place: str,
    kind: str,
    seats_text: str,
    words_path: str,
    style_path: str,
    new_style: FileToWrite | None,
    shows_all_lines: bool,
) -> AuditAnswer:
    """Audits logs; an illegal move in one is a failure."""
    if script_file and len(paths) > 1:
        raise click.UsageError("--into FILE takes only one log.")
    style = log_style(seats_text, words_path, style_path)
    if new_style:
        if not (style_path and os.path.realpath(style_path) == os.path.realpath(new_style.path)):
            new_style.check()  # a style that was read may be extended
        style, shows_all_lines = learn_style(session, paths, new_style, first_place, kind, style), True
    logs = [audit_log(session, path, is_repair_asked or bool(script_file), first_place, kind, style) for path in paths]
    answer = AuditAnswer(tuple(logs), shows_all_lines)
    illegal_logs = [log for log in logs if not log.stands]
    if script_file:
        script = next((each.script for each in logs[0].proposals if each.whole), logs[0].script)
        if not script:
            raise FailedError(answer, illegal_logs_error(illegal_logs))
        script_file.write(f"{line}\n".encode() for line in script)
        answer = msgspec.structs.replace(answer, file=script_file.path)
    if illegal_logs:
        file, style_file = illegal_logs[0].file, new_style.typed if new_style else style_path
        hint = f"audit {file} --repair --style {style_file}" if style_file else f"audit {file} --repair"
        if illegal_logs[0].is_in_unknown_notation:
            raise FailedError(answer, illegal_logs_error(illegal_logs, (f"audit {file} --learn style.toml",)))
        raise FailedError(answer, illegal_logs_error(illegal_logs, () if is_repair_asked or script_file else (hint,)))
    return answer


def illegal_logs_error(illegal_logs: Sequence[AuditedLog], hints: Sequence[str] = ()) -> Exception:
    """The error that names the illegal logs, each with its first cause."""
    reasons = [first_fault(log) for log in illegal_logs]
    problem_text = f"{numbered(len(illegal_logs), 'log')} {'has' if len(illegal_logs) == 1 else 'have'} illegal moves"
    depends_on_hidden = any(line.verdict == "hidden" for log in illegal_logs for line in log.lines)
    return negative_answer_problem("illegal", problem_text, reasons, HIDDEN_HINTS if depends_on_hidden else hints)


def first_fault(log: AuditedLog) -> str:
    """The first line of a log that is wrong, and how many lines follow from it."""
    line_number = log.causes[0].number if log.causes else 0
    faulty_lines = [
        line for line in log.lines if line.number == line_number or line.verdict not in ("legal", "ambiguous")
    ]
    first_line = next((line for line in faulty_lines if line.number == line_number), faulty_lines[0])
    if log.is_in_unknown_notation:
        return f"{log.file}: none of its {numbered(len(log.lines), 'line')} is a command in the notation of {log.kind}"
    consequences_text = (
        f", and {log.causes[0].consequences} follow from it" if log.causes and log.causes[0].consequences else ""
    )
    verdict_text = "likely wrong" if first_line.verdict == "legal" else first_line.verdict
    return f"{log.file}:{first_line.number}: {first_line.text}: {verdict_text}{consequences_text}"


def learn_style(
    session: Session, paths: Sequence[str], style_file: FileToWrite, first_place: str, kind: str, style: LogStyle
) -> LogStyle:
    """Asks about what can't be read in logs, writes the style, and returns it. Without a terminal it only writes."""
    from zimcli.style_files import ask_questions, write_style
    from zimcore.transcripts.log_lines import kind_of, unknown_rows
    from zimcore.transcripts.log_replay import unwritten_verbs
    from zimcore.transcripts.style_questions import StyleQuestion, column_questions
    from zimcore.transcripts.verdicts import LineVerdict, verdicts

    open_questions = []
    for path in paths:
        text = read_text(path)

        def read_log(style: LogStyle, path: str = path, text: str = text) -> tuple[Game, Sequence[LineVerdict]]:
            game, first_state, log = parse_game_log(session, path, text, first_place, kind, style)
            return game, list(verdicts(game, first_state, log.lines, unwritten_verbs(game, log.lines)))

        def ask_columns(style: LogStyle, text: str = text) -> Sequence[StyleQuestion]:
            game = session.game(kind or kind_of(text))
            return column_questions(unknown_rows(text, game, style), style.columns)

        style, questions = ask_questions(session, style, ask_columns, read_log)
        open_questions += questions
    style_file.write([write_style(style, open_questions).encode()], replace=True)
    for question in open_questions:
        session.show_note(
            f"{style_file.path}: say there what {question.word} is (line {question.line.number}: {question.line.text})"
        )
    sections = (style.seats, "seats"), (style.words, "words"), (style.columns, "columns")
    counts_text = " and ".join(f"{len(section)} {kind}" for section, kind in sections if section or kind != "columns")
    session.show_note(f"{style_file.path} has {counts_text}; audit FILE --style {style_file.typed} uses it")
    return style


def log_style(seats_text: str, words_path: str, style_path: str = "") -> LogStyle:
    """What logs call the seats, and the words of files. Raises `NotationError` for what is no pair, or no style."""
    from zimcore.transcripts.log_styles import LogStyle, parse_pairs

    style, words_text = LogStyle(), read_text(words_path) if words_path else ""
    if style_path:
        from zimcli.style_files import read_style

        style = read_style(style_path, read_text(style_path))
    added_pairs = parse_pairs(seats_text, "--seats"), parse_pairs(words_text, words_path)
    return LogStyle({**style.seats, **added_pairs[0]}, {**style.words, **added_pairs[1]}, style.columns)


def read_text(path: str) -> str:
    """The text of a file. Raises `NotationError` if it has none, or is too long."""
    with files.open_for_reading(path) as file:
        content = file.read(MAX_LOG_BYTES + 1)
    if len(content) > MAX_LOG_BYTES:
        raise NotationError(path, f"a log has at most {MAX_LOG_BYTES >> 20} MiB", ["import FILE"])
    return decode_log(path, content)


def audit_log(
    session: Session, path: str, is_repair_asked: bool, first_place: str, kind: str, style: LogStyle
) -> AuditedLog:
    """Audits one log. Raises `GameError` if the file is not a log."""
    from zimcore.transcripts import audit_documents

    game, first_state, log = parse_game_log(session, path, read_text(path), first_place, kind, style)
    if log.preface:
        session.show_note(f"{path}: {line_range_text(log.preface)} before `new` skipped")
    with session.output.progress(f"auditing {path}") as report:
        audited_log = audit_documents.audit_log(path, game, first_state, log, repair=is_repair_asked, report=report)
    if is_repair_asked and not audited_log.proposals:
        session.show_note(f"{path}: no repair found" if not audited_log.stands else f"{path}: nothing to repair")
    return audited_log


def parse_game_log(
    session: Session, path: str, text: str, first_place: str, kind: str, style: LogStyle
) -> tuple[Game, Any, Transcript]:
    """The game of a log, the position that it begins at, and its lines. Raises `GameError` if it is not a log."""
    from zimcore.transcripts.beginning import start_state
    from zimcore.transcripts.log_lines import kind_of, parse_log

    place = session.place_with_line(session.complete_place(first_place)) if first_place else ""
    position = session.position(place) if place else None
    game = position.game if position else session.game(kind or kind_of(text))
    log: Transcript = parse_log(text, game, names_of_reading_commands(game), style)
    if log.setup is not None and not any(not line.is_expectation for line in log.lines):
        raise NotationError(path, "it has the set-up of a game, but no moves", ["help audit"])
    first_state = position.state if position else start_state(game, log)
    if unknown_seats := {*style.seats.values()}.difference(game.evolution.seats(first_state)):
        seats = ", ".join(game.evolution.seats(first_state))
        raise OptionError(
            f"--seats ...={min(unknown_seats)}", f"there is no such seat; the seats are {seats}", ["help audit"]
        )
    return game, first_state, log


def line_range_text(numbers: Sequence[int]) -> str:
    """Lines by their numbers: `line 1`, `lines 1 to 3`.

    >>> line_range_text([2]), line_range_text([1, 3])
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


def names_of_reading_commands(game: Game) -> set[str]:
    """The commands that a log may contain and that play nothing."""
    return {entry.name for entry in ENTRIES if entry.only_reads} - {*game.notation.SYNTAX}
