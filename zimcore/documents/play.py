"""Answers about commands: played, tried, legal, planned, explained."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random

import msgspec

from zimcore.commits import Position
from zimcore.documents.differences import Balance, Difference
from zimcore.documents.positions import (
    Answer,
    CommitDocument,
    Document,
    PositionDocument,
    position_document,
    seat_with_unseen_cards,
)
from zimcore.documents.tables import TableDocument, table_documents
from zimcore.game import Advice, GameError, Seat, Step


class PlayAnswer(Answer, frozen=True, omit_defaults=True):
    """The commits that were played, the position after them, the parts of the turn there, and what the commands wasted.

    `drawn` is a random legal command there, if one was asked for and any is legal.
    """

    played: tuple[CommitDocument, ...]
    position: PositionDocument
    turn: tuple[Step, ...] = ()
    wasted: tuple[str, ...] = ()
    drawn: str | None = None


class BotAnswer(Answer, frozen=True, kw_only=True):
    """The commits that a bot has played, its reason for each, and the position after them."""

    bot: str
    played: tuple[CommitDocument, ...]
    why: tuple[str, ...]
    position: PositionDocument
    turn: tuple[Step, ...]


class StandingDocument(Document, frozen=True):
    """How a bot did in an arena: matches, victories, their share from 0 to 1 with its 95 % interval.

    `milliseconds` is the time for a command on one core, `fair` the share of bots of equal strength. `rating` is its
    strength: 25 if it is unknown. `doubt` is the 95 % margin of error. Both are null if there is no opponent to compare
    with, or without the extra.
    """

    bot: str
    matches: int
    wins: float
    share: float
    low: float
    high: float
    milliseconds: float
    fair: float | None = None
    rating: float | None = None
    doubt: float | None = None


class HoldingDocument(Document, frozen=True):
    """The results in an arena of the seats that had a card at the end: its kind, their number, and their victories."""

    kind: str
    name: str
    seats: int
    wins: float


class ArenaAnswer(Answer, frozen=True, kw_only=True):
    """How bots have done against each other, the best first.

    `sure` says whether the first bot has the strength that you asked for: null if that is undecided or was not asked.
    `kept` is the store that has the games. `holdings` are the cards that seats had in the end, by wins.
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
    """A line of a script that has failed, with the exit code and the kind of its error."""

    number: int
    line: str
    code: int
    kind: str
    what: str


class RunAnswer(Answer, frozen=True):
    """The result of a script that continues after errors: the number of its lines, and those that failed."""

    file: str
    lines: int
    failed: tuple[FailedLine, ...]


class TrialAnswer(Answer, frozen=True):
    """The commits that a command would make, and what they change from before (`a`) to after (`b`)."""

    tried: tuple[CommitDocument, ...]
    position: PositionDocument
    changes: tuple[Difference, ...]
    balance: Balance


class Outlook(Document, frozen=True, omit_defaults=True):
    """A command, and each figure after it: null if the figure depends on what `hidden` names.

    A figure is a number, a word or a truth value.
    """

    command: str
    values: dict[str, int | str | bool | None]
    hidden: str = ""


class SweepAnswer(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """The figures after every legal command with this beginning, best first; `count` were tried.

    `by` are the figures, in the order in which they rank the commands; `now` are their present values.
    """

    position: PositionDocument
    count: int
    by: tuple[str, ...]
    now: dict[str, int | str | bool | None]
    outlooks: tuple[Outlook, ...]
    beginning: str = ""
    unseen: Seat | None = None


class LegalAnswer(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """The legal commands with this beginning; with `--count` only their number.

    `kinds` counts the commands by kind if there are so many that a summary comes first. If `unseen`, a seat, has hidden
    cards, there may be more commands.
    """

    count: int
    legal: tuple[str, ...] | None = None
    position: PositionDocument
    beginning: str = ""
    unseen: Seat | None = None
    kinds: dict[str, int] = msgspec.field(default_factory=dict)


class PlanAnswer(Answer, frozen=True, omit_defaults=True):
    """The plans that the game shows; `unseen` is a seat with hidden cards."""

    position: PositionDocument
    plan: tuple[TableDocument, ...]
    unseen: Seat | None = None


class AdviceAnswer(Answer, frozen=True, omit_defaults=True):
    """Legal commands with this beginning that are worth considering, and their effects; best first.

    If `unseen`, a seat, has hidden cards, there may be more commands.
    """

    position: PositionDocument
    advice: tuple[Advice, ...]
    beginning: str = ""
    unseen: Seat | None = None


class PreviewAnswer(Answer, frozen=True, omit_defaults=True):
    """The effects of a command, as the game computes them; without a command those of the end of the round."""

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
    """The verdict on a command under another reading of a rule, if it differs.

    `words` are the words of the rulebook, `reading` is how they can be read, and `option` is the option of `zim new`
    for it. `broken` has the codes and reasons of a refusal; `facts` are the effects of a legal command that differ.
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
    """A legal command with its effects, or an illegal one with the rules that it breaks.

    `legal` is null if it depends on hidden information. `both` are the verdicts under other readings, if you asked for
    them.
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


def sample_answer(position: Position, seed: int) -> LegalAnswer:
    """A random legal command, or none if none is legal; the same seed draws the same one."""
    command = position.legal().sample(Random(seed))
    texts = () if command is None else (position.game.notation.format(command),)
    document, unseen_seat = position_document(position), seat_with_unseen_cards(position)
    return LegalAnswer(count=len(texts), legal=texts, position=document, unseen=unseen_seat)


def legal_answer(position: Position, beginning: str = "", limit: int | None = None) -> LegalAnswer:
    """The legal commands with this beginning, at most `limit` of them."""
    texts = tuple(islice(position.legal().texts(beginning), limit))
    document, unseen_seat = position_document(position), seat_with_unseen_cards(position)
    return LegalAnswer(count=len(texts), legal=texts, position=document, beginning=beginning, unseen=unseen_seat)


def plan_answer(position: Position, words: Sequence[str]) -> PlanAnswer:
    """The plans that the game shows. Raises `GameError` if it does not answer this question."""
    return PlanAnswer(
        position_document(position), ask_game(position, "plan", words), seat_with_unseen_cards(position, words)
    )


def ask_game(position: Position, question: str, words: Sequence[str]) -> tuple[TableDocument, ...]:
    """The answer of a game to a question. Raises `GameError` if it does not know the question; the hints are those it
    knows.
    """
    game = position.game
    if question not in game.questions.QUESTIONS:
        raise GameError(question, f"{game.title} does not answer this question", [*game.questions.QUESTIONS])
    return table_documents(game.questions.ask(position.state, question, words))
