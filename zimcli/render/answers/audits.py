"""Logs that were audited, line by line, and what would make them stand."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Line, Screen
from zimcore.documents.audits import AuditAnswer, AuditedLine, AuditedLog, Change, Proposal

SIGNS = {
    "legal": ("✓", "green"),
    "illegal": ("✗", "red"),
    "ambiguous": ("~", "yellow"),
    "not understood": ("✗", "red"),
    "hidden": ("?", "yellow"),
}

MAX_EXPLAINED = 8
"""Lines that do not stand of which all is told: after the first, others most often follow from it."""


def audits(answer: AuditAnswer, _: Screen) -> Iterator[Block]:
    """Each log: the lines that are not plainly legal (or all of them), then the proposals."""
    for log in answer.logs:
        yield [(log.file, "bold"), (f" · {count_text(log)} · {log.status}", "")]
        told = [each for each in log.lines if answer.every or each.verdict != "legal" or each.doubt]
        fallen = [each.number for each in told if each.verdict not in ("legal", "ambiguous")]
        last = (
            fallen[MAX_EXPLAINED - 1]
            if len(fallen) > MAX_EXPLAINED and not answer.every
            else log.lines[-1].number
            if told
            else 0
        )
        for each in told:
            if each.number <= last:
                yield from line(each)
        more = sum(number > last for number in fallen)
        if more:
            yield [(f"      and {more} more, as the log goes on without these; --all shows them", "dim")]
        for number, found in enumerate(log.proposals, 1):
            yield from proposal(number, found, len(log.proposals))


def count_text(log: AuditedLog) -> str:
    """How many lines there are of each kind."""
    words = [each.verdict for each in log.lines]
    counts = [f"{words.count(word)} {word}" for word in SIGNS if word in words]
    lines = "1 line" if len(words) == 1 else f"{len(words)} lines"
    return f"{lines}: {', '.join(counts)}" if words else "no lines"


def line(each: AuditedLine) -> Iterator[Line]:
    """A line of a log, and what is to be said about it."""
    sign, style = SIGNS[each.verdict]
    where = f"round {each.round} · {each.seat}" if each.seat else f"round {each.round}"
    yield [(f"{each.number:>5} ", "dim"), (f"{sign} ", style), (each.text, "bold"), (f"  {where}", "dim")]
    if each.verdict == "not understood":
        yield [("        nobody can read this", "")]
    for refusal in each.refusals:
        yield [("        ", ""), (f"{refusal.code}  " if refusal.code else "", "yellow"), (refusal.reason, "")]
    if each.hints:
        word = "try" if each.verdict == "not understood" else "legal"
        yield [(f"        {word}: ", "dim"), (" · ".join(each.hints), "cyan")]
    if each.readings:
        yield [("        could be ", ""), (" | ".join("; ".join(reading) for reading in each.readings), "")]
        yield [("        ", ""), (f"line {each.decided} decides" if each.decided else "no later line decides", "dim")]
    if each.readings or (each.played and each.played != (each.text,) and each.verdict == "ambiguous"):
        yield [("        read as ", "dim"), ("; ".join(each.played), "")]
    if each.doubt:
        yield [(f"        doubtful: {each.doubt}", "yellow")]


def proposal(number: int, found: Proposal, of: int) -> Iterator[Line]:
    """A proposal: each change as it is typed, and in words."""
    whole = "the whole log stands" if found.whole else f"{found.stands} of {found.lines} lines stand"
    yield [
        (f"proposal {number} of {of}", "bold"),
        (f" · {len(found.changes)} {'change' if len(found.changes) == 1 else 'changes'} · {whole}", ""),
    ]
    for each in found.changes:
        for text in each.amend:
            yield [("  ", ""), (text, "cyan")]
        yield [(f"    line {each.number}: {in_words(each)}", "dim")]


def in_words(change: Change) -> str:
    """A change in words."""
    where = f" (round {change.round}, {change.seat})" if change.seat else f" (round {change.round})"
    told = {
        "left out": f"{change.was!r} is left out",
        "swapped": f"{change.was!r} comes after {change.text!r}",
        "replaced": f"{change.text!r} in the place of {change.was!r}",
        "put in": f"{change.text!r} is missing before {change.was!r}",
    }
    return told[change.kind] + where


RENDERERS: Renderers = {AuditAnswer: audits}
