"""Answers about commands: played, tried, legal, planned, explained."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import msgspec

from zimcore.commits import Position
from zimcore.documents.differences import Balance, Difference
from zimcore.documents.positions import (
    Answer,
    CommitDocument,
    Document,
    PositionDocument,
    position_document,
    unseen,
)
from zimcore.documents.tables import TableDocument, table_documents
from zimcore.game import Advice, GameError, Seat, Step


class PlayAnswer(Answer, frozen=True, omit_defaults=True):
    """What was played, where that leads, the parts of the turn there, and what the commands have thrown away.

    `drawn` is one of the commands that are legal there, if there are any and one was to be drawn.
    """

    played: tuple[CommitDocument, ...]
    position: PositionDocument
    turn: tuple[Step, ...] = ()
    wasted: tuple[str, ...] = ()
    drawn: str | None = None


class BotAnswer(Answer, frozen=True, kw_only=True):
    """What a bot has played, why it has played each, in the terms of the game, and where that leads."""

    bot: str
    played: tuple[CommitDocument, ...]
    why: tuple[str, ...]
    position: PositionDocument
    turn: tuple[Step, ...]


class StandingDocument(Document, frozen=True):
    """How a bot has done in an arena: matches, victories, their share from 0 to 1 with its 95 % interval.

    `milliseconds` are those of a command, of one core. `rating` is how strong it is, 25 for nobody knows, and `doubt`
    how far from it the truth may be with 95 %: null where there is nobody to compare it with, or without the extra.
    """

    bot: str
    matches: int
    wins: float
    share: float
    low: float
    high: float
    milliseconds: float
    rating: float | None = None
    doubt: float | None = None


class HoldingDocument(Document, frozen=True):
    """How those have done in an arena who had a card in the end: its kind, how many had it, and their victories."""

    kind: str
    name: str
    seats: int
    wins: float


class ArenaAnswer(Answer, frozen=True, kw_only=True):
    """How bots have done against each other, the best first.

    `sure` says whether the bot named first was shown to be as good as was asked for, null where that is open or was not
    asked for. `kept` is the store that has the games. `holdings` are the cards that seats had in the end, by wins.
    """

    game: str
    players: int
    matches: int
    seed: int
    standings: tuple[StandingDocument, ...]
    holdings: tuple[HoldingDocument, ...] = ()
    sure: bool | None = None
    kept: str = ""


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
    """A command that was tried, and each figure after it: null if it depends on what `hidden` names.

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


class OtherVerdict(Document, frozen=True):
    """What a command comes to under another reading of a rule, where that is not the same as here.

    `words` are those that are read, `reading` how, and `option` that of a new game which plays so. `broken` has the
    codes and reasons of a refusal; of a legal command there are `facts`, those that are not the same.
    """

    code: str
    words: str
    section: str
    reading: str
    option: str
    legal: bool | None
    broken: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


class ExplainAnswer(Answer, frozen=True, omit_defaults=True):
    """A legal command with what it comes to, or one that is not with the rules that it breaks.

    `legal` is null if it depends on hidden information. `both` are the other verdicts, where they are asked for.
    """

    position: PositionDocument
    explain: str
    legal: bool | None
    summary: str | None = None
    facts: tuple[str, ...] | None = None
    preview: tuple[TableDocument, ...] | None = None
    broken: tuple[BrokenRule, ...] | None = None
    hints: tuple[str, ...] | None = None
    both: tuple[OtherVerdict, ...] | None = None


def legal_answer(position: Position, beginning: str = "", most: int | None = None) -> LegalAnswer:
    """What can be played that begins so, up to so many."""
    texts = tuple(islice(position.legal().texts(beginning), most))
    where, hidden = position_document(position), unseen(position)
    return LegalAnswer(count=len(texts), legal=texts, position=where, beginning=beginning, unseen=hidden)


def plan_answer(position: Position, words: Sequence[str]) -> PlanAnswer:
    """What the game says of plans. Raises `GameError` where it does not answer this question."""
    return PlanAnswer(position_document(position), ask_game(position, "plan", words), unseen(position, words))


def ask_game(position: Position, question: str, words: Sequence[str]) -> tuple[TableDocument, ...]:
    """What a game answers. Raises `GameError` if it does not know the question; the hints are those it knows."""
    game = position.game
    if question not in game.questions.QUESTIONS:
        raise GameError(question, f"{game.title} does not answer this question", [*game.questions.QUESTIONS])
    return table_documents(game.questions.ask(position.state, question, words))
