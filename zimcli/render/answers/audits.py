"""Renders audited logs, line by line, and proposed repairs."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Line, Screen
from zimcore.documents.audits import AuditAnswer, AuditedLine, AuditedLog, Cause, Change, Proposal
from zimcore.toolkit.words import are, numbered

SIGNS = {
    "legal": ("✓", "green"),
    "illegal": ("✗", "red"),
    "ambiguous": ("~", "yellow"),
    "not understood": ("✗", "red"),
    "hidden": ("?", "yellow"),
}


def audits(answer: AuditAnswer, _: Screen) -> Iterator[Block]:
    """Each log: the lines that are wrong or doubtful (or all lines), then the proposals."""
    for log in answer.logs:
        yield [(log.file, "bold"), (f" · {count_text(log)} · {log.status}", "")]
        for text, times in log.unwritten.items():
            yield [(f"      `{text}` is never written: {numbered(times, 'time')} it was read all the same", "dim")]
        causes = {each.number: each for each in log.causes}
        for each in log.lines:
            cause_found = causes.pop(each.number, None)
            follows = not answer.every and (each.follows or (log.is_in_unknown_notation and each is not log.lines[0]))
            if cause_found or answer.every or (not follows and (each.verdict != "legal" or each.doubt)):
                yield from log_line(each, cause_found)
            if cause_found:
                yield from cause_lines(cause_found, answer.every)
        if log.is_in_unknown_notation:
            what = f"none of the {numbered(len(log.lines), 'line')} is a command in the notation of {log.kind}"
            yield [(f"      {what}", "yellow"), ("" if answer.every else "; --all shows them", "dim")]
        for number, proposed in enumerate(log.proposals, 1):
            yield from proposal_lines(number, proposed, len(log.proposals))
    if len(answer.logs) > 1:
        yield [(total(answer), "bold")]


def total(answer: AuditAnswer) -> str:
    """How many logs there are, and how many of them are legal."""
    legal = sum(log.stands for log in answer.logs)
    illegal = len(answer.logs) - legal
    return f"{len(answer.logs)} logs: {legal} legal" + (f", {illegal} with illegal moves" if illegal else "")


def cause_lines(cause_: Cause, every: bool) -> Iterator[Line]:
    """The likely repair of a line, and what follows from the error."""
    if cause_.change:
        yield [("        likely: ", "dim"), (in_words(cause_.change), "")]
    if cause_.consequences:
        later = f"{numbered(cause_.consequences, 'later line')} {are(cause_.consequences)} illegal because of it"
        yield [(f"        {later}{'' if every else '; --all shows them'}", "dim")]


def count_text(log: AuditedLog) -> str:
    """How many lines there are of each kind."""
    words = [each.verdict for each in log.lines]
    counts = [f"{words.count(word)} {word}" for word in SIGNS if word in words]
    if log.causes:
        consequences = sum(each.consequences for each in log.causes)
        counts.append(numbered(len(log.causes), "cause"))
        counts += [numbered(consequences, "consequence")] if consequences else []
    return f"{numbered(len(words), 'line')}: {', '.join(counts)}" if words else "no lines"


def log_line(each: AuditedLine, cause_: Cause | None = None) -> Iterator[Line]:
    """A line of a log with its remarks. A legal line that is a cause is marked."""
    sign, style = ("!", "yellow") if cause_ and each.verdict == "legal" else SIGNS[each.verdict]
    location = f"round {each.round} · {each.seat}" if each.seat else f"round {each.round}"
    yield [(f"{each.number:>5} ", "dim"), (f"{sign} ", style), (each.text, "bold"), (f"  {location}", "dim")]
    if each.follows:
        yield [(f"        follows from line {each.follows}", "dim")]
    if each.verdict == "not understood":
        yield [("        no move is written like this", "")]
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


def proposal_lines(number: int, proposal_: Proposal, count: int) -> Iterator[Line]:
    """A proposal: each change as it is typed, and in words."""
    partial_verdict = f"{proposal_.stands} of {numbered(proposal_.lines, 'line')} {are(proposal_.stands)} legal"
    verdict = "the whole log is legal" if proposal_.whole else partial_verdict
    yield [
        (f"proposal {number} of {count}", "bold"),
        (f" · {numbered(len(proposal_.changes), 'change')} · {verdict}", ""),
    ]
    for each in proposal_.changes:
        for text in each.amend:
            yield [("  ", ""), (text, "cyan")]
        yield [(f"    line {each.number}: {in_words(each)}", "dim")]


def in_words(change: Change) -> str:
    """A change in words."""
    location = f" (round {change.round}, {change.seat})" if change.seat else f" (round {change.round})"
    words = {
        "left out": f"{change.was!r} is left out",
        "swapped": f"{change.was!r} comes after {change.text!r}",
        "replaced": f"{change.text!r} instead of {change.was!r}",
        "put in": f"{change.text!r} is missing before {change.was!r}",
    }
    return words[change.kind] + location


RENDERERS: Renderers = {AuditAnswer: audits}
