"""Answers about an audited log: a verdict on each line, and changes that would make the whole log legal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from zimcore.documents.positions import Answer, Document
from zimcore.game import Refusal, Seat

Verdict: TypeAlias = Literal["legal", "illegal", "ambiguous", "not understood", "hidden"]


class AuditedLine(Document, frozen=True, kw_only=True, omit_defaults=True):
    """What is thought of a line of a log; one that does not stand is left out, and the next is asked without it.

    `number` is that of the line in its file, `move` that of its last move so far, `round` is where it was played.
    `played` is how the line is read, with what follows without being said. An `ambiguous` line has all `readings` that
    stand, and `decided` is the line after which only one of them does (0 if none decides). `refusals` are all rules
    that an illegal line breaks, `hints` what would be legal; of a `hidden` line they hang on what may not be seen.
    `doubt` says what a legal move throws away. `follows` is the number of the line whose fault this one is.
    """

    number: int
    text: str
    verdict: Verdict
    seat: Seat = ""
    round: str = ""
    move: int = 0
    played: tuple[str, ...] = ()
    readings: tuple[tuple[str, ...], ...] = ()
    decided: int = 0
    refusals: tuple[Refusal, ...] = ()
    hints: tuple[str, ...] = ()
    doubt: str = ""
    follows: int = 0


class Change(Document, frozen=True, kw_only=True, omit_defaults=True):
    """A change: a line is `left out`, `swapped` with the next one, `replaced`, or `text` is `put in` before it.

    `number` and `was` are the line, `seat` and `round` say whose turn it is there. `amend` is how the change is typed:
    the number of its move is that after the changes before this one.
    """

    kind: str
    number: int
    was: str
    text: str = ""
    seat: Seat = ""
    round: str = ""
    amend: tuple[str, ...] = ()


class Proposal(Document, frozen=True, kw_only=True):
    """Changes after which so many of all `lines` stand: each where it is `whole`. `script` is the log after them."""

    whole: bool
    stands: int
    lines: int
    changes: tuple[Change, ...]
    script: tuple[str, ...]


class Cause(Document, frozen=True, kw_only=True, omit_defaults=True):
    """A line that is wrong, the `change` that mends it if one was found, and how many lines are illegal through it."""

    number: int
    text: str
    consequences: int
    change: Change | None = None


class AuditedLog(Document, frozen=True, kw_only=True, omit_defaults=True):
    """A log: which game it is of, its lines, and with `--repair` the proposals, the fewest and likeliest changes first.

    `stands` says whether all of its lines are legal, or can be: then `script` has its moves in full. Where it does not,
    `causes` are the lines that are wrong; all other illegal lines follow from them. `skipped` are the numbers of lines
    that say no move. `unwritten` counts the commands that the log never writes and that were read all the same: `end`.
    """

    file: str
    kind: str
    stands: bool
    status: str
    lines: tuple[AuditedLine, ...]
    causes: tuple[Cause, ...] = ()
    skipped: tuple[int, ...] = ()
    unwritten: Mapping[str, int] = {}
    proposals: tuple[Proposal, ...] = ()
    script: tuple[str, ...] = ()


class AuditAnswer(Answer, frozen=True, omit_defaults=True):
    """Logs that were audited; `every` says that all their lines are to be shown."""

    logs: tuple[AuditedLog, ...]
    every: bool = False
