"""What can be done now: a list that narrows with each word, and what a whole command would cost and bring."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from zimcore.candidates import Candidate, advice, candidates, meaning, ranked
from zimcore.commits import Position
from zimcore.documents.problems import ProblemDetails
from zimcore.game import Advice, GameError, Seat, Table
from zimcore.server.problems import problem_of, refused
from zimcore.service import GameService, Viewer

MOST = 60
"""Words, or commands, that are offered at once."""
MOST_ADVICE = 4
WORD = re.compile(r"\w+")


class Offer(msgspec.Struct, frozen=True):
    """What may come next: the word, what the line is with it, and what it means."""

    word: str
    say: str
    means: str


class Preview(msgspec.Struct, frozen=True):
    """What a whole command comes to: its result, what would happen, who gets what; what it would throw away."""

    text: str
    summary: str
    facts: Sequence[str]
    tables: Sequence[Table]
    waste: str = ""


class Choice(msgspec.Struct, frozen=True):
    """What somebody can do who has said so much: what may come next, of `count` commands; squares that could be meant.

    With a whole command its preview; with one that is not possible the problem, and the rules in it by their codes.
    """

    say: str
    count: int
    offers: Sequence[Offer]
    lit: Sequence[str]
    advice: Sequence[Advice] = ()
    preview: Preview | None = None
    problem: ProblemDetails | None = None
    rules: Mapping[str, str] = {}


def choice(service: GameService, position: Position, viewer: Viewer, seat: Seat, say: str, square: str = "") -> Choice:
    """What a seat can do at the head of a line, after these words; with a `square` only what names that."""
    found, say = candidates(position, seat), say.lstrip()
    if square:
        texts = [text for text in found.texts(say) if square in WORD.findall(text)]
        offers = [Offer(text, text, "") for text in islice(texts, MOST)]
        return Choice(say, len(texts), offers, sorted(found.lit(say)))
    said, count = advice(position, say, seat), found.count(say)
    text = whole(found.texts(say), say)
    head = say.rpartition(" ")[0]
    offers = [
        Offer(
            each.word, f"{head} {each.word}".lstrip() + ("" if each.whole else " "), _means(position, each, said, seat)
        )
        for each in islice(ranked(found.next(say), say, said), MOST)
    ]
    if text == say.strip():
        offers = [each for each in offers if each.say.strip() != text]
    lit, some = sorted(found.lit(say)), said[:MOST_ADVICE]
    if text or (say.strip() and not count):
        return tried(service, position, viewer, seat, text or say.strip(), Choice(say, count, offers, lit, some))
    return Choice(say, count, offers, lit, some)


def _means(position: Position, each: Candidate, said: Sequence[Advice], seat: Seat) -> str:
    try:
        return meaning(position, each, said, seat)
    except GameError:
        return ""  # it hangs on what is hidden


def whole(texts: Iterator[str], say: str) -> str:
    """The command that is meant: what was said, if it is one, or the only one that begins so; "" for neither."""
    first = [*islice(texts, 2)]
    if len(first) == 1 and say.strip():
        return first[0]
    return say.strip() if say.strip() in first else ""


def tried(service: GameService, position: Position, viewer: Viewer, seat: Seat, text: str, choice: Choice) -> Choice:
    """What a command would come to, or why it can't be played."""
    rules: Mapping[str, str] = {}
    try:
        seats = f"{seat}: " if len(position.to_move) > 1 else ""
        trial = service.try_(f"{position.place}@{position.commit.digest}", [seats + text], viewer)
        if trial.refused:
            rules = {rule.code: rule.text for rule in position.game.texts.rules()}
            return msgspec.structs.replace(choice, problem=refused(text, trial.refused), rules=rules)
        if trial.hidden:
            summary = f"it hangs on what is hidden: {trial.hidden}"
            return msgspec.structs.replace(choice, preview=Preview(text, summary, (), ()))
        after = trial.positions[-1]
    except GameError as error:
        return msgspec.structs.replace(choice, problem=problem_of(error))
    described = [*map(after.game.notation.describe, after.commit.events[1:])]
    tables, waste = _asked(position, text), _waste(position, seat, after.commit.command)
    preview = Preview(after.commit.text, after.commit.summary, described, tables, waste)
    return msgspec.structs.replace(choice, preview=preview)


def _asked(position: Position, text: str) -> Sequence[Table]:
    questions = position.game.questions
    if "preview" not in questions.QUESTIONS:
        return ()
    try:
        return [table for table in questions.ask(position.state, "preview", text.split()) if table.rows]
    except GameError:
        return ()


def _waste(position: Position, seat: Seat, command: object) -> str:
    try:
        return position.game.questions.waste(position.state, seat, command)
    except GameError:
        return ""
