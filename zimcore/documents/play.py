"""Answers to what is played, tried, planned and explained."""

from __future__ import annotations

import msgspec

from zimcore.documents.differences import Balance, Difference
from zimcore.documents.positions import Answer, CommitDocument, Document, PositionDocument
from zimcore.documents.tables import TableDocument
from zimcore.game import Advice, Seat, Step


class PlayAnswer(Answer, frozen=True, omit_defaults=True):
    """What was played, where that leads, the parts of the turn there, and what the commands have thrown away."""

    played: tuple[CommitDocument, ...]
    position: PositionDocument
    turn: tuple[Step, ...] = ()
    wasted: tuple[str, ...] = ()


class FailedLine(Document, frozen=True):
    """A line of a script that has failed, with the exit code of its error, and what kind it was."""

    number: int
    line: str
    code: int
    kind: str
    what: str


class RunAnswer(Answer, frozen=True):
    """What became of a script that goes on after errors: how many lines there were, and which have failed."""

    file: str
    lines: int
    failed: tuple[FailedLine, ...]


class TrialAnswer(Answer, frozen=True):
    """What would happen, and what changes by it from before (`a`) to after (`b`)."""

    tried: tuple[CommitDocument, ...]
    position: PositionDocument
    changes: tuple[Difference, ...]
    balance: Balance


class Outlook(Document, frozen=True, omit_defaults=True):
    """A command that was tried, and each figure after it: null where it hangs on what is `hidden`, which says on what.

    A figure is a number, a word, or whether something is so.
    """

    command: str
    values: dict[str, int | str | bool | None]
    hidden: str = ""


class SweepAnswer(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """What every legal command that begins so would come to, the best first; `count` were tried.

    `by` are the figures, in the order in which they decide what is best, and `now` is what they are before.
    """

    position: PositionDocument
    count: int
    by: tuple[str, ...]
    now: dict[str, int | str | bool | None]
    outlooks: tuple[Outlook, ...]
    beginning: str = ""
    unseen: Seat | None = None


class LegalAnswer(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """What can be played that begins so; with `--count` only how many there are.

    `kinds` says how many there are of each, where they are so many that a summary comes first.
    `unseen` is a seat not all of whose cards can be seen: then there may be more.
    """

    count: int
    legal: tuple[str, ...] | None = None
    position: PositionDocument
    beginning: str = ""
    unseen: Seat | None = None
    kinds: dict[str, int] = msgspec.field(default_factory=dict)


class PlanAnswer(Answer, frozen=True, omit_defaults=True):
    """What the game says of plans; `unseen` is a seat not all of whose cards can be seen."""

    position: PositionDocument
    plan: tuple[TableDocument, ...]
    unseen: Seat | None = None


class AdviceAnswer(Answer, frozen=True, omit_defaults=True):
    """Legal commands that are worth a look, those that begin so, and what each brings; the best first.

    `unseen` is a seat not all of whose cards can be seen: then there may be more.
    """

    position: PositionDocument
    advice: tuple[Advice, ...]
    beginning: str = ""
    unseen: Seat | None = None


class PreviewAnswer(Answer, frozen=True, omit_defaults=True):
    """What the game says would come of a command, or of the end of the round if there is none."""

    position: PositionDocument
    preview: tuple[TableDocument, ...]
    text: str = ""
    unseen: Seat | None = None


class BrokenRule(Document, frozen=True):
    """A rule that a command breaks, with the reason here; its source says whether it is the rulebook's or a reading."""

    code: str
    reason: str
    text: str
    section: str
    source: str = "rulebook"


class ExplainAnswer(Answer, frozen=True, omit_defaults=True):
    """A legal command with what it comes to, or one that is not with the rules that it breaks.

    `legal` is null where it hangs on something hidden.
    """

    position: PositionDocument
    explain: str
    legal: bool | None
    summary: str | None = None
    facts: tuple[str, ...] | None = None
    preview: tuple[TableDocument, ...] | None = None
    broken: tuple[BrokenRule, ...] | None = None
    hints: tuple[str, ...] | None = None
