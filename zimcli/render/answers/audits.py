"""Renders audited logs, line by line, and proposed repairs."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers, written_files
from zimcli.render.spans import Block, Line, Screen
from zimcore.documents.audits import AuditAnswer, AuditedLine, AuditedLog, Cause, Change, Proposal
from zimcore.toolkit.words import are, numbered

SIGN_BY_VERDICT = {
    "legal": ("✓", "green"),
    "illegal": ("✗", "red"),
    "ambiguous": ("~", "yellow"),
    "not understood": ("✗", "red"),
    "hidden": ("?", "yellow"),
}


def audits_blocks(answer: AuditAnswer, _: Screen) -> Iterator[Block]:
    """Each log: the lines that are wrong or doubtful (or all lines), then the proposals."""
    files = [log.file for log in answer.logs]
    for log in answer.logs:
        place = f" · game of line {log.first}" if files.count(log.file) > 1 else ""
        yield [(log.file, "bold"), (f"{place} · {count_text(log)} · {log.status}", "")]
        yield from ([(f"      {text}", "dim")] for text in log.read)
        for word, use_count in log.unwritten.items():
            yield [(f"      `{word}` is never written: {numbered(use_count, 'time')} it was read all the same", "dim")]
        for number, text in log.deviations:
            yield [(f"{number:>5} ", "dim"), ("the site plays otherwise: ", "yellow"), (text, "")]
        causes = {line.number: line for line in log.causes}
        first_unread = next((line for line in log.lines if line.verdict == "not understood"), None)
        for line in log.lines:
            cause = causes.pop(line.number, None)
            is_hidden = not answer.every and (line.follows or (log.is_in_unknown_notation and line is not first_unread))
            if cause or answer.every or (not is_hidden and (line.verdict != "legal" or line.doubt or line.note)):
                yield from log_line(line, cause)
            if cause:
                yield from cause_lines(cause, answer.every)
        for line in log.undone:
            if answer.every or line.verdict not in ("legal", "ambiguous"):
                yield from log_line(line, is_undone=True)
        if log.is_in_unknown_notation:
            yield [(f"      {notation_text(log)}", "yellow"), ("" if answer.every else "; --all shows them", "dim")]
        for proposal_number, proposal in enumerate(log.proposals, 1):
            yield from proposal_lines(proposal_number, proposal, len(log.proposals))
    if len(answer.logs) > 1:
        yield [(total_text(answer), "bold")]
    for file, reason in answer.unread.items():
        yield [(file, "bold"), (f" · not read: {reason}", "yellow")]
    yield from written_files(filter(None, [answer.file]))


def total_text(answer: AuditAnswer) -> str:
    """How many logs there are, and how many of them are legal."""
    legal_count = sum(log.stands for log in answer.logs)
    illegal_count = len(answer.logs) - legal_count
    return f"{len(answer.logs)} logs: {legal_count} legal" + (
        f", {illegal_count} with illegal moves" if illegal_count else ""
    )


def cause_lines(cause: Cause, shows_all_lines: bool) -> Iterator[Line]:
    """The likely repair of a line, and what follows from the error."""
    if cause.change:
        yield [("        likely: ", "dim"), (change_text(cause.change), "")]
    if cause.consequences:
        later_text = f"{numbered(cause.consequences, 'later line')} {are(cause.consequences)} illegal because of it"
        yield [(f"        {later_text}{'' if shows_all_lines else '; --all shows them'}", "dim")]


def count_text(log: AuditedLog) -> str:
    """How many lines there are of each kind."""
    verdicts = [each.verdict for each in log.lines]
    counts = [f"{verdicts.count(word)} {word}" for word in SIGN_BY_VERDICT if word in verdicts]
    if log.causes:
        consequences = sum(each.consequences for each in log.causes)
        counts.append(numbered(len(log.causes), "cause"))
        counts += [numbered(consequences, "consequence")] if consequences else []
    if log.wrong_notes:
        counts.append(numbered(len(log.wrong_notes), "wrong note"))
    if log.undone:
        counts.append(f"{numbered(len(log.undone), 'move')} taken back")
    if log.site:
        counts = [f"read to entry {log.read_to} of {log.entries}", *counts]
        return f"{log.site}: {', '.join(counts)}"
    read_text = f"read up to line {log.read_to}: " if log.read_to else ""
    return f"{read_text}{numbered(len(verdicts), 'line')}: {', '.join(counts)}" if verdicts else "no lines"


def notation_text(log: AuditedLog) -> str:
    """How many of its lines are not in the notation of the game."""
    unread_count, lines_text = (
        sum(line.verdict == "not understood" for line in log.lines),
        numbered(len(log.lines), "line"),
    )
    if unread_count == len(log.lines):
        return f"none of its {lines_text} is a command in the notation of {log.kind}"
    return f"{unread_count} of its {lines_text} {are(unread_count)} not in the notation of {log.kind}"


def log_line(line: AuditedLine, cause: Cause | None = None, *, is_undone: bool = False) -> Iterator[Line]:
    """A line of a log with its remarks. A legal line that is a cause is marked."""
    sign, style = ("!", "yellow") if cause and line.verdict == "legal" else SIGN_BY_VERDICT[line.verdict]
    location = f"round {line.round} · {line.seat}" if line.seat else f"round {line.round}"
    location += " · taken back" * is_undone
    yield [(f"{line.number:>5} ", "dim"), (f"{sign} ", style), (line.text, "bold"), (f"  {location}", "dim")]
    if line.follows:
        yield [(f"        follows from line {line.follows}", "dim")]
    if line.verdict == "not understood":
        yield [("        no move is written like this", "")]
    for refusal in line.refusals:
        yield [("        ", ""), (f"{refusal.code}  " if refusal.code else "", "yellow"), (refusal.reason, "")]
    if line.hints:
        hint_word = "try" if line.verdict == "not understood" else "legal"
        yield [(f"        {hint_word}: ", "dim"), (" · ".join(line.hints), "cyan")]
    if line.readings:
        yield [("        could be ", ""), (" | ".join("; ".join(reading) for reading in line.readings), "")]
        yield [("        ", ""), (f"line {line.decided} decides" if line.decided else "no later line decides", "dim")]
    if line.readings or (line.played and line.played != (line.text,) and line.verdict == "ambiguous"):
        yield [("        read as ", "dim"), ("; ".join(line.played), "")]
    if line.doubt:
        yield [(f"        doubtful: {line.doubt}", "yellow")]
    if line.note:
        yield [(f"        wrong note: {line.note}", "yellow")]


def proposal_lines(number: int, proposal: Proposal, count: int) -> Iterator[Line]:
    """A proposal: each change as it is typed, and in words."""
    partial_verdict = f"{proposal.stands} of {numbered(proposal.lines, 'line')} {are(proposal.stands)} legal"
    verdict = "the whole log is legal" if proposal.whole else partial_verdict
    yield [
        (f"proposal {number} of {count}", "bold"),
        (f" · {numbered(len(proposal.changes), 'change')} · {verdict}", ""),
    ]
    for change in proposal.changes:
        for text in change.amend:
            yield [("  ", ""), (text, "cyan")]
        yield [(f"    line {change.number}: {change_text(change)}", "dim")]


def change_text(change: Change) -> str:
    """A change in words."""
    location = f" (round {change.round}, {change.seat})" if change.seat else f" (round {change.round})"
    text_by_action = {
        "left out": f"{change.was!r} is left out",
        "swapped": f"{change.was!r} comes after {change.text!r}",
        "replaced": f"{change.text!r} instead of {change.was!r}",
        "note": f"the note says {change.was}, and the result is {change.text}",
        "put in": f"{change.text!r} is missing before {change.was!r}",
    }
    return text_by_action[change.kind] + location


RENDERERS: Renderers = {AuditAnswer: audits_blocks}
