"""Answers about an audited log: a verdict on each line, and changes that would make the whole log legal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from zimcore.documents.positions import Answer, Document
from zimcore.game import Refusal, Seat

Verdict: TypeAlias = Literal["legal", "illegal", "ambiguous", "not understood", "hidden"]


class AuditedLine(Document, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict on a line of a log. An illegal line is skipped: the next one is judged without it.

    `number` is the line in its file, `move` the number of the last move so far, `round` the round of play. `played` is
    how the line is read, with implied commands. An `ambiguous` line has all legal `readings`; `decided` is the number
    of the line that leaves only one of them (0 if none does). `refusals` are all rules that an illegal line breaks,
    `hints` legal alternatives; for a `hidden` line they depend on hidden information. `doubt` says what a legal move
    wastes, since a line before it may be missing. `note` says which results the line states wrongly. `follows` is the
    number of the line that caused this error.
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
    note: str = ""
    follows: int = 0


class Change(Document, frozen=True, kw_only=True, omit_defaults=True):
    """A change: a line is `left out`, `swapped` with the next one or `replaced`, or `text` is `put in` before it.

    In a `note` the results `was` are wrong, and `text` are the true ones.

    `number` and `was` are the number and the text of the line, `seat` and `round` those of its position. `amend` is the
    command for the change; its move number counts the earlier changes as made.
    """

    kind: str
    number: int
    was: str
    text: str = ""
    seat: Seat = ""
    round: str = ""
    amend: tuple[str, ...] = ()


class Proposal(Document, frozen=True, kw_only=True):
    """Changes after which `stands` lines of a log, of `lines` in all, are legal; `whole` says whether all are.

    `script` is the changed log.
    """

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
    """A log: its game and its lines; with `--repair` also the proposals, the fewest and likeliest changes first.

    `stands` says whether all lines are legal, or can be read so; then `script` has all moves in full. Otherwise
    `causes` are the wrong lines; all other illegal lines follow from them. No causes are searched for in a log in
    another notation. `first` is the line of the set-up: a file may have several logs. `status` is the position at the
    end, in words. `skipped` are the numbers of lines without a move. A wrong note does not make a log illegal. `undone`
    are moves that the log takes back, judged where they were played; they don't count for `stands`. `unwritten` counts
    the implied commands that the log never writes, such as `end`. `read` says how moves and names were found in a log
    that has more on its lines. If reading takes too long, it ends behind line `read_to`, and the log does not stand.

    Of a match that a program has recorded, `site` names the program. The lines are then its `entries`, by the numbers
    that it gives them, as far as they are commands or state something wrong; they were read up to entry `read_to`.
    `deviations` are the rules of the program without which its match would have gone otherwise, each with its entry;
    `sheet` names the house rules by which reading goes on.
    """

    file: str
    kind: str
    stands: bool
    status: str
    lines: tuple[AuditedLine, ...]
    causes: tuple[Cause, ...] = ()
    skipped: tuple[int, ...] = ()
    undone: tuple[AuditedLine, ...] = ()
    first: int = 0
    read: tuple[str, ...] = ()
    unwritten: Mapping[str, int] = {}
    proposals: tuple[Proposal, ...] = ()
    script: tuple[str, ...] = ()
    site: str = ""
    entries: int = 0
    read_to: int = 0
    deviations: tuple[tuple[int, str], ...] = ()
    sheet: str = ""

    @property
    def wrong_notes(self) -> tuple[AuditedLine, ...]:
        """The lines that state wrong results."""
        return tuple(line for line in self.lines if line.note)

    @property
    def is_in_unknown_notation(self) -> bool:
        """Whether many lines are no commands in the notation of the game: no cause or repair was searched for."""
        return not self.causes and any(line.verdict == "not understood" for line in self.lines)


class AuditAnswer(Answer, frozen=True, omit_defaults=True):
    """Logs that were audited. If `every` is true, all their lines are shown, also the legal ones.

    `file` has the repaired log. `unread` are the files that can't be read, each with the reason.
    """

    logs: tuple[AuditedLog, ...]
    every: bool = False
    file: str = ""
    unread: Mapping[str, str] = {}
