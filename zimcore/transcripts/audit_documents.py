"""An audited log as the document that answers whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from zimcore.documents.audits import AuditedLine, AuditedLog, Change, Proposal
from zimcore.game import Command, Game
from zimcore.transcripts.line_readings import LineReading
from zimcore.transcripts.log_lines import LogLine, Transcript
from zimcore.transcripts.repair import Edit, Repair, repairs
from zimcore.transcripts.verdicts import LineVerdict, verdicts


def audit_log(
    file: str, game: Game, begin: Any, log: Transcript, *, repair: bool, report: Callable[[int, int], None]
) -> AuditedLog:
    """What is thought of a log, and with `repair` what would make it stand."""
    found = list(verdicts(game, begin, log.lines))
    stands = all(each.verdict in ("legal", "ambiguous") for each in found)
    proposals = repairs(game, begin, log.lines, report=report) if repair and not stands else []
    dealt = setup_line(game, log)
    return AuditedLog(
        file=file,
        kind=game.name,
        stands=stands,
        status=game.display.status(found[-1].state if found else begin),
        lines=tuple(audited_line(game, each) for each in found),
        skipped=log.skipped,
        proposals=tuple(proposal(each, dealt) for each in proposals),
        script=(*dealt, *(move for each in found for move in moves(game, each))) if stands else (),
    )


def audited_line(game: Game, found: LineVerdict) -> AuditedLine:
    """A verdict as a document."""
    return AuditedLine(
        number=found.line.number,
        text=f"expect {found.line.text}" if found.line.expects else found.line.text,
        verdict=found.verdict,
        seat=found.seat,
        round=found.round,
        move=found.move,
        played=texts(game, found.played),
        readings=tuple(texts(game, each) for each in found.readings),
        decided=found.decided,
        refusals=found.refusals,
        hints=found.hints,
        doubt=found.doubt,
    )


def texts(game: Game, played: Sequence[LineReading]) -> tuple[str, ...]:
    """Commands in notation."""
    return tuple(game.notation.format(each.command) for each in played)


def moves(game: Game, found: LineVerdict) -> Iterator[str]:
    """What a line says in full, as lines of a script."""
    if found.line.expects:
        yield script_line(found.line)
    yield from (f"{each.seat}: {game.notation.format(each.command)}" for each in found.played)


def setup_line(game: Game, log: Transcript) -> tuple[str, ...]:
    """How the game was set up, as a line of a script; nothing where that can't be typed."""
    if isinstance(log.setup, Command):
        text = game.notation.format(log.setup)
        return (text,) if text.startswith("new ") else ()
    if log.setup is None:
        return ()
    return (" ".join(["new", "--game", game.name, *(f"{name}={value}" for name, value in log.setup.items())]),)


def proposal(found: Repair, dealt: tuple[str, ...]) -> Proposal:
    """Changes as a document."""
    return Proposal(
        whole=found.whole,
        stands=found.stands,
        lines=len(found.lines),
        changes=tuple(map(change, found.edits)),
        script=(*dealt, *map(script_line, found.lines)),
    )


def change(edit: Edit) -> Change:
    """A change, and how it is typed."""
    line, move = script_line(edit.line), edit.move
    amend = {
        "left out": (f'amend @{move} ""',),
        "replaced": (f'amend @{move} "{edit.text}"',),
        "swapped": (f'amend @{move} "{edit.text}"', f'amend @{move + 1} "{line}"'),
        "put in": (f'amend @{move} "{edit.text}; {line}"',),
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
    """A line as a script has it."""
    if line.expects:
        return f"expect {line.text}"
    return f"{line.seat}: {line.text}" if line.seat else line.text
