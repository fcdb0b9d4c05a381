r"""Check a game log for illegal moves.

A log is a script, the output of `zim log` (text, CSV or --json), a list of moves as people write them down, or a chat
or forum with moves in it; docs/auditing.md has the details. It begins with the set-up of the game (new players=3
seed=7); with --from it goes on from a position of a game. Lines without a move are skipped, and prose before the
set-up. Seats, prices and, if the log never writes it, the `end` of a turn may be left out. A line with several readings
is ambiguous; you see which later line decides.

A table needs a header (seat,move), JSON objects such keys. --seats says what the log calls the seats. --words FILE
says what its words mean in ours, one per line: baut = build. --learn FILE asks you what unknown columns hold, and about
the first line of each kind that it can't read. It writes a style: --style FILE reads the rest of the archive by it.

A game saved from onlineboardgamers.com is audited, too: its page, its data alone, or JSON. Its moves are decided, and
what the site says of order, cattle, VP, VR and winner is compared. --house-rules obg plays it by the site's own rules.
A folder stands for its files. Its history, copied as text or from the PDF, is compared with the game that --from names.

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

import os
from collections.abc import Collection, Iterator, Sequence

import click
import msgspec

from zimcli.output import files
from zimcli.output.errors import HIDDEN_HINTS, negative_answer_problem
from zimcli.render.answers.audits import notation_text
from zimcli.session.command import plain_command, viewer_options
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcli.session.shell_completion import Argument
from zimcli.shell.exit_codes import FailedError
from zimcli.study.recorded_files import MAX_FILE_BYTES, files_in, recordings_in, sheet_option
from zimcore.documents.audits import AuditAnswer, AuditedLog
from zimcore.game import Game, GameError, NotationError
from zimcore.games.registry import playable_games
from zimcore.toolkit.characters import decode_text
from zimcore.toolkit.file_kinds import JSON, LOG, PAGE, SCRIPT, SETTINGS, TEXT, FileKind
from zimcore.toolkit.words import numbered
from zimcore.transcripts.layouts import Layout
from zimcore.transcripts.log_styles import LogStyle

LOG_KINDS, STYLE_KINDS, WORD_KINDS = (LOG, SCRIPT, TEXT, PAGE, JSON), (SETTINGS, TEXT), (TEXT, SETTINGS)
"""The kinds of files that can be a log, a style, and a list of words."""


@plain_command(__doc__)
@click.argument("files", cls=Argument, nargs=-1, required=True, metavar="FILE...")
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
@sheet_option
@click.option("--all", "shows_all_lines", is_flag=True, help="Show all lines: legal ones and consequences too.")
@viewer_options
def command(
    session: Session,
    files: Sequence[str],
    is_repair_asked: bool,
    script_file: FileToWrite | None,
    first_place: str,
    kind: str,
    seats_text: str,
    words_path: str,
    style_path: str,
    new_style: FileToWrite | None,
    sheet: str,
    shows_all_lines: bool,
) -> AuditAnswer:
    """Audits logs; an illegal move in one is a failure."""
    paths = [each for file in files for each in files_in(file)]
    if script_file and len(paths) > 1:
        raise click.UsageError("--into FILE takes only one log.")
    style = log_style(seats_text, words_path, style_path)
    if new_style:
        if not (style_path and os.path.realpath(style_path) == os.path.realpath(new_style.path)):
            new_style.check()  # a style that was read may be extended
        style, shows_all_lines = learn_style(session, paths, new_style, first_place, kind, style), True
    logs, errors = list[AuditedLog](), dict[str, GameError | OSError]()
    for path in paths:
        try:
            text = read_text(path, "a log", LOG_KINDS)
            logs += audit_recordings(session, path, text, sheet, first_place) or audit_file(
                session, path, text, is_repair_asked or bool(script_file), first_place, kind, style
            )
        except (GameError, OSError) as error:
            if len(paths) == 1:
                raise
            errors[path] = error
    unread = {path: error_text(path, error) for path, error in errors.items()}
    answer = AuditAnswer(tuple(logs), shows_all_lines, unread=unread)
    if errors:
        problem_text = f"{numbered(len(errors), 'file')} can't be read as {'a log' if len(errors) == 1 else 'logs'}"
        raise FailedError(
            answer, NotationError(problem_text, "; ".join(f"{path}: {unread[path]}" for path in unread), ["help audit"])
        )
    illegal_logs = [log for log in logs if not log.stands]
    if script_file and len(logs) > 1:
        reason = f"another game begins at line {logs[1].first}, and --into writes one"
        raise NotationError(paths[0], reason, [f"audit {paths[0]}"])
    if script_file:
        script = next((each.script for each in logs[0].proposals if each.whole), logs[0].script)
        if not script and illegal_logs:
            raise FailedError(answer, illegal_logs_error(illegal_logs))
        script_file.write(f"{line}\n".encode() for line in script)
        answer = msgspec.structs.replace(answer, file=script_file.path)
    if illegal_logs:
        file, style_file = illegal_logs[0].file, new_style.typed if new_style else style_path
        hint = f"audit {file} --repair --style {style_file}" if style_file else f"audit {file} --repair"
        if illegal_logs[0].site:
            log = illegal_logs[0]
            hints = [
                f"audit {path} --house-rules {log.sheet}" for path in paths if log.file.startswith(path) and log.sheet
            ]
            raise FailedError(answer, illegal_logs_error(illegal_logs, hints[:1]))
        if illegal_logs[0].is_in_unknown_notation:
            raise FailedError(answer, illegal_logs_error(illegal_logs, (f"audit {file} --learn style.toml",)))
        raise FailedError(answer, illegal_logs_error(illegal_logs, () if is_repair_asked or script_file else (hint,)))
    if any(log.wrong_notes for log in logs):
        raise FailedError(answer, wrong_notes_error(logs))
    return answer


def error_text(path: str, error: GameError | OSError) -> str:
    """Why a file can't be read, without its name."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return error.why if error.what == path and error.why else str(error)


def wrong_notes_error(logs: Sequence[AuditedLog]) -> Exception:
    """The error for results that legal logs state wrongly."""
    lines = [(log.file, line) for log in logs for line in log.wrong_notes]
    problem_text = f"{numbered(len(lines), 'note')} {'disagrees' if len(lines) == 1 else 'disagree'} with the moves"
    return negative_answer_problem(
        "wrong notes", problem_text, [f"{file}:{line.number}: {line.text}: {line.note}" for file, line in lines[:5]]
    )


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
    if log.is_in_unknown_notation or not faulty_lines:
        return f"{log.file}: {notation_text(log) if faulty_lines else f'read up to line {log.read_to}'}"
    first_line = next((line for line in faulty_lines if line.number == line_number), faulty_lines[0])
    consequences_text = (
        f", and {log.causes[0].consequences} follow from it" if log.causes and log.causes[0].consequences else ""
    )
    verdict_text = "likely wrong" if first_line.verdict == "legal" else first_line.verdict
    return f"{log.file}:{first_line.number}: {first_line.text}: {verdict_text}{consequences_text}"


def learn_style(
    session: Session, paths: Sequence[str], style_file: FileToWrite, first_place: str, kind: str, style: LogStyle
) -> LogStyle:
    """Asks about what can't be read in logs, writes the style, and returns it. Without a terminal it only writes."""
    from zimcli.study.style_files import ask_questions, write_style
    from zimcore.transcripts.own_format import unknown_rows
    from zimcore.transcripts.style_questions import StyleQuestion, column_questions
    from zimcore.transcripts.verdicts import LineVerdict

    open_questions = []
    for path in paths:
        text = read_text(path, "a log", LOG_KINDS)

        def read_log(style: LogStyle, path: str = path, text: str = text) -> tuple[Game, Sequence[LineVerdict]]:
            game, layout = next(parse_game_logs(session, path, text, first_place, kind, style))
            if any(verdict.verdict not in ("legal", "ambiguous") for verdict in layout.verdicts):
                asked = parse_game_logs(session, path, text, first_place, kind, style, finds_layout=False)
                game, layout = next(asked)  # its lines are asked about as they stand
            return game, layout.verdicts

        def ask_columns(style: LogStyle, text: str = text) -> Sequence[StyleQuestion]:
            game = game_of_log(session, text, kind)
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

    style, words_text = LogStyle(), read_text(words_path, "a list of words", WORD_KINDS) if words_path else ""
    if style_path:
        from zimcli.study.style_files import read_style

        style = read_style(style_path, read_text(style_path, "a style", STYLE_KINDS))
    added_pairs = parse_pairs(seats_text, "--seats"), parse_pairs(words_text, words_path)
    return LogStyle({**style.seats, **added_pairs[0]}, {**style.words, **added_pairs[1]}, style.columns)


def read_text(path: str, wanted: str, accepted: Collection[FileKind]) -> str:
    """The text of a file of one of the kinds. Raises `NotationError` if it has none, or is too long."""
    with files.open_for_reading(path, wanted, accepted) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise NotationError(path, f"a log has at most {MAX_FILE_BYTES >> 20} MiB", ["import FILE"])
    return decode_text(content, path)


def audit_file(
    session: Session, path: str, text: str, is_repair_asked: bool, first_place: str, kind: str, style: LogStyle
) -> Iterator[AuditedLog]:
    """Audits the logs of a file. Raises `GameError` if it has none."""
    from zimcore.transcripts import audit_documents

    for game, layout in parse_game_logs(session, path, text, first_place, kind, style):
        if layout.log.preface:
            session.show_note(f"{path}: {line_range_text(layout.log.preface)} before `new` skipped")
        with session.output.progress(f"auditing {path}") as report:
            audited_log = audit_documents.audit_log(path, game, layout, repair=is_repair_asked, report=report)
        if is_repair_asked and not audited_log.proposals:
            session.show_note(f"{path}: no repair found" if not audited_log.stands else f"{path}: nothing to repair")
        yield audited_log


def parse_game_logs(
    session: Session, path: str, text: str, first_place: str, kind: str, style: LogStyle, *, finds_layout: bool = True
) -> Iterator[tuple[Game, Layout]]:
    """The logs of a text, each with its game and the position that it begins at. Raises `GameError` if it has none."""
    from zimcore.transcripts.auditing import logs_in

    place = session.place_with_line(session.complete_place(first_place)) if first_place else ""
    position = session.position(place) if place else None
    game = position.game if position else game_of_log(session, text, kind)
    first_state = position.state if position else None
    for layout in logs_in(text, path, game, style, first_state, finds_layout=finds_layout):
        yield game, layout


def audit_recordings(session: Session, path: str, text: str, sheet: str, place: str) -> Sequence[AuditedLog]:
    """Audits the matches in a file that other programs have recorded; () for a log. Raises `GameError`.

    The history of a match, copied as text, is compared with the game at a `place`.
    """
    from zimcore.transcripts.recorded_matches import audit_history, audit_recording, is_history

    if is_history(playable_games(session.kinds), text):
        if not place:
            why = "it lacks the map, the gods in play, all prices, and the types of craftsmen and resources"
            reason = f"a history copied as text can only be compared with a game: {why}"
            raise NotationError(path, reason, [f"audit {path} --from GAME", "import PAGE"])
        position = session.position(session.place_with_line(session.complete_place(place)))
        commits = session.service.log(position.place, viewer=session.viewer)
        log = audit_history(path, position.game, text, [commit.events for commit in commits], position.status)
        return [log] if log else ()

    recordings = recordings_in(session, text, sheet)
    names = [path if len(recordings) == 1 else f"{path}: {recording.name}" for _, recording in recordings]
    return [audit_recording(name, *each) for name, each in zip(names, recordings, strict=True)]


def game_of_log(session: Session, text: str, kind: str) -> Game:
    """The game of a log: the named one, or else the one that the log names, or of which its events are."""
    from zimcore.transcripts.own_format import kind_of

    kind = kind or kind_of(text, playable_games(session.kinds))
    return session.game(kind)


def line_range_text(numbers: Sequence[int]) -> str:
    """Lines by their numbers: `line 1`, `lines 1 to 3`.

    >>> line_range_text([2]), line_range_text([1, 3])
    ('line 2', 'lines 1 to 3')
    """
    return f"line {numbers[0]}" if len(numbers) == 1 else f"lines {numbers[0]} to {numbers[-1]}"
