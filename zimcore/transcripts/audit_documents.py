"""Makes the document of an audited log: verdicts, causes, repairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from zimcore.documents.audits import AuditedLine, AuditedLog, Change, Proposal
from zimcore.documents.audits import Cause as CauseDocument
from zimcore.game import Accepted, Command, Game, GameError, parts
from zimcore.toolkit.progress import ReportProgress
from zimcore.transcripts.causes import Cause, find_causes
from zimcore.transcripts.layouts import Layout
from zimcore.transcripts.line_readings import LineReading
from zimcore.transcripts.log_replay import expectation_failure, unwritten_verbs
from zimcore.transcripts.records import LogLine, Transcript
from zimcore.transcripts.repair import MAX_CHANGES, NOTE_COST, Edit, Repair, repairs
from zimcore.transcripts.verdicts import LineVerdict, verdicts

MAX_UNREAD_SHARE = 0.1
"""If a larger share of lines can't be read, and more than a repair may change, they are in another notation."""


def audit_log(file: str, game: Game, layout: Layout, *, repair: bool, report: ReportProgress) -> AuditedLog:
    """Audits a log: a verdict on each line, and the causes of illegal lines; with `repair` also proposed repairs.

    `report(done, total)` is called as the search for repairs goes on, with numbers of lines played.
    """
    log, first_state, line_verdicts = layout.log, layout.first_state, layout.verdicts
    unwritten_words = unwritten_verbs(game, log.lines)
    is_whole = len(line_verdicts) == len(log.lines)
    is_legal = is_whole and all(verdict.verdict in ("legal", "ambiguous") for verdict in line_verdicts)
    has_illegal_lines = any(verdict.verdict in ("illegal", "not understood") for verdict in line_verdicts)
    unread_count = sum(verdict.verdict == "not understood" for verdict in line_verdicts)
    repairs_found, causes = list[Repair](), list[Cause]()
    if unread_count <= max(MAX_CHANGES, MAX_UNREAD_SHARE * len(line_verdicts)):
        if has_illegal_lines and is_whole:
            repairs_found = repairs(game, first_state, log.lines, report=report, unwritten_words=unwritten_words)
        elif not has_illegal_lines:
            repairs_found = [*correct_notes(line_verdicts)]
        causes = find_causes(line_verdicts, repairs_found[0] if repairs_found else None)
    cause_numbers = {line.number: cause.line.number for cause in causes for line in cause.consequences}
    setup_text = setup_line(game, log)
    return AuditedLog(
        file=file,
        kind=game.name,
        stands=is_legal,
        status=game.display.status(line_verdicts[-1].state if line_verdicts else first_state),
        lines=tuple(
            audited_line(game, verdict, cause_numbers.get(verdict.line.number, 0)) for verdict in line_verdicts
        ),
        causes=tuple(map(cause_document, causes)),
        skipped=log.skipped,
        first=log.first_line,
        read=layout.read,
        read_to=0 if is_whole else line_verdicts[-1].line.number,
        undone=tuple(undone_lines(game, first_state, log, line_verdicts, unwritten_words)),
        unwritten=Counter(
            text
            for verdict in line_verdicts
            for text in reading_texts(game, verdict.played_readings)
            if text in unwritten_words
        ),
        proposals=tuple(
            proposal_document(game, first_state, verdict, setup_text, unwritten_words) for verdict in repairs_found
        )
        if repair
        else (),
        script=(*setup_text, *(move for verdict in line_verdicts for move in script_moves(game, verdict)))
        if is_legal
        else (),
    )


def undone_lines(
    game: Game,
    first_state: Any,
    log: Transcript,
    line_verdicts: Sequence[LineVerdict],
    unwritten_words: frozenset[str],
) -> Iterator[AuditedLine]:
    """The moves that a log takes back, each judged once, at the position where it was played."""
    judged = set[LogLine]()
    for branch in log.branches:
        state = line_verdicts[branch.after - 1].state if branch.after else first_state
        for verdict in verdicts(game, state, branch.lines, unwritten_words):
            if verdict.line not in judged:
                judged.add(verdict.line)
                yield audited_line(game, verdict)


def cause_document(cause: Cause) -> CauseDocument:
    """A cause as a document."""
    return CauseDocument(
        number=cause.line.number,
        text=script_line(cause.line),
        consequences=len(cause.consequences),
        change=change_document(cause.edit) if cause.edit else None,
    )


def audited_line(game: Game, verdict: LineVerdict, follows: int = 0) -> AuditedLine:
    """A verdict as a document."""
    return AuditedLine(
        number=verdict.line.number,
        text=f"expect {verdict.line.text}" if verdict.line.is_expectation else verdict.line.text,
        verdict=verdict.verdict,
        seat=verdict.seat,
        round=verdict.round,
        move=verdict.move,
        played=reading_texts(game, verdict.played_readings),
        readings=tuple(reading_texts(game, reading_group) for reading_group in verdict.readings),
        decided=verdict.deciding_line,
        refusals=verdict.refusals,
        hints=verdict.hints,
        doubt=verdict.doubt,
        note=note_text(verdict),
        follows=follows,
    )


def note_text(verdict: LineVerdict) -> str:
    """Which results a line states, and the true ones; "" if they agree."""
    if not verdict.note_results:
        return ""
    return f"it says {', '.join(verdict.line.amounts)}, and the result is {', '.join(verdict.note_results)}"


def correct_notes(line_verdicts: Sequence[LineVerdict]) -> Iterator[Repair]:
    """The repair of a log of which only notes are wrong."""
    edits = tuple(
        Edit("note", verdict.line, verdict.move, ", ".join(verdict.note_results), verdict.seat, verdict.round)
        for verdict in line_verdicts
        if verdict.note_results
    )
    if edits:
        lines = tuple(verdict.line for verdict in line_verdicts)
        yield Repair(edits, NOTE_COST * len(edits), lines, len(lines))


def reading_texts(game: Game, readings_played: Sequence[LineReading]) -> tuple[str, ...]:
    """The commands of readings, in notation."""
    return tuple(game.notation.format(reading.command) for reading in readings_played)


def script_moves(game: Game, verdict: LineVerdict) -> Iterator[str]:
    """The commands that a line was read as, each as a line of a script with its seat."""
    if verdict.line.is_expectation:
        yield script_line(verdict.line)
    yield from (f"{reading.seat}: {game.notation.format(reading.command)}" for reading in verdict.played_readings)


def setup_line(game: Game, log: Transcript) -> tuple[str, ...]:
    """The set-up of a log as a line of a script; () if it can't be typed."""
    if isinstance(log.setup, Command):
        text = game.notation.format(log.setup)
        return (text,) if text.startswith("new ") else ()
    if log.setup is None or isinstance(log.setup, tuple):
        return ()
    return (" ".join(["new", "--game", game.name, *(f"{name}={value}" for name, value in log.setup.items())]),)


def proposal_document(
    game: Game, first_state: Any, repair: Repair, setup_texts: tuple[str, ...], unwritten_words: frozenset[str]
) -> Proposal:
    """A repair as a document, with the repaired log as a script in canonical notation; `whole` if that script runs."""
    repaired_verdicts = list(verdicts(game, first_state, repair.lines, unwritten_words))
    is_whole = repair.is_whole and len(repaired_verdicts) == len(repair.lines)
    script = tuple(move for verdict in repaired_verdicts for move in script_moves(game, verdict))
    return Proposal(
        whole=is_whole and script_runs(game, first_state, script),
        stands=repair.legal_line_count,
        lines=len(repair.lines),
        changes=tuple(map(change_document, repair.edits)),
        script=(*setup_texts, *script),
    )


def script_runs(game: Game, first_state: Any, script: Iterable[str]) -> bool:
    """Whether a script can be played from a position to its end, each line exactly as typed."""
    state = first_state
    for text in script:
        if text.startswith("expect "):
            if expectation_failure(game, state, LogLine(0, text.removeprefix("expect "), is_expectation=True)):
                return False
            continue
        for command_text in parts(game.notation, text):
            try:
                named_seat, command = game.notation.parse(command_text, state)
                seat = named_seat if named_seat is not None else "".join(game.evolution.to_move(state)[:1])
                decision = game.rules.decide(state, seat, command)
            except GameError:
                return False
            if not isinstance(decision, Accepted):
                return False
            state = decision.state
    return True


def change_document(edit: Edit) -> Change:
    """A change as a document, with the `amend` commands that make it."""
    line, move = script_line(edit.line), edit.move
    if edit.kind == "note":
        line = ", ".join(edit.line.amounts)
    amend = {
        "left out": (f'amend @{move} ""',),
        "replaced": (f'amend @{move} "{edit.text}"',),
        "swapped": (f'amend @{move} "{edit.text}"', f'amend @{move + 1} "{line}"'),
        "put in": (f'amend @{move} "{edit.text}; {line}"',),
        "note": (),
    }[edit.kind]
    return Change(
        kind=edit.kind,
        number=edit.line.number,
        was=line,
        text=edit.text,
        seat=edit.seat,
        round=edit.round,
        amend=amend,
    )


def script_line(line: LogLine) -> str:
    """A line of a log as a line of a script."""
    if line.is_expectation:
        return f"expect {line.text}"
    return f"{line.seat}: {line.text}" if line.seat else line.text
