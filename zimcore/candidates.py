"""What is legal at a position, by its words: one index for what is offered, what lights up, and what comes first.

All legal commands are read once, however many there are, and kept as a tree of their words. A look-up goes down the
tree and costs less than a frame; a position that was tried only has no digest, and is read anew.

In other words: candidate moves, move ordering.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from zimcore.commits import Position
from zimcore.game import Advice, Board, Event, Refused, Seat

WORD = re.compile(r"\w+")
MAX_CACHED = 16
"""Positions whose index is kept."""


class WordNode:
    """What may follow some words: the next words, and how many commands begin so, of which the first is `text`."""

    __slots__ = ("after", "count", "ends", "mask", "text")

    def __init__(self, text: str) -> None:
        self.after: dict[str, WordNode] = {}
        self.count = 0
        self.ends = False
        self.mask = -1
        self.text = text


class Candidate(NamedTuple):
    """A word that may come next: how many commands go on so, and one of them; `whole` if it ends with this word."""

    word: str
    number: int
    text: str
    whole: bool


class Candidates:
    """The legal commands of a position as a tree of their words, uncapped.

    >>> found = Candidates(["bid 1", "bid 2", "pass"])
    >>> [(each.word, each.number) for each in found.next("")], [each.word for each in found.next("bi ")]
    ([('bid', 2), ('pass', 1)], ['1', '2'])
    """

    def __init__(self, texts: Iterable[str], board: Board | None = None) -> None:
        self.root = WordNode("")
        cells = [cell for row in board.cells for cell in row] if board else []
        self.squares = {cell.square: at for at, cell in enumerate(cells) if cell.square}
        self._masks: dict[str, int] = {}
        for text in texts:
            node = self.root
            node.count += 1
            for word in text.split():
                found = node.after.get(word)
                if found is None:
                    found = node.after[word] = WordNode(text)
                node = found
                node.count += 1
            node.ends, node.text = True, text

    def next(self, beginning: str) -> list[Candidate]:
        """The words that may come next, where the last one typed may be unfinished: in the order of the rules."""
        found: dict[str, Candidate] = {}
        for word, node in self._next(beginning):
            seen = found.get(word)
            found[word] = Candidate(word, node.count + (seen.number if seen else 0), node.text, node.ends)
        return list(found.values())

    def texts(self, beginning: str) -> Iterator[str]:
        """The commands that begin so."""
        for node in self._so_far(beginning):
            yield from _texts(node)

    def count(self, beginning: str) -> int:
        """How many there are."""
        return sum(node.count for node in self._so_far(beginning))

    def squares_to_light(self, beginning: str) -> frozenset[str]:
        """The squares that the next word could name; if it can't name one, those of all that begins so."""
        found = list(self._next(beginning))
        mask = 0
        for word, _ in found:
            mask |= self._mask(word)
        if not mask:
            for _, node in found:
                mask |= self._all(node)
        return frozenset(square for square, at in self.squares.items() if mask >> at & 1)

    def _so_far(self, beginning: str) -> Iterator[WordNode]:
        words, last = _words(beginning)
        if last:
            return (node for _, node in self._next(beginning))
        return iter(self._after(words))

    def _after(self, words: Sequence[str]) -> list[WordNode]:
        nodes = [self.root]
        for word in words:
            nodes = [after for node in nodes for after in _matching(node, word)]
        return nodes

    def _next(self, beginning: str) -> Iterator[tuple[str, WordNode]]:
        words, last = _words(beginning)
        nodes = self._after(words)
        typed, dashed = last, last.replace("-", "_")
        for node in nodes:
            for word, after in node.after.items():
                if not typed or word.lower().startswith((typed, dashed)):
                    yield word, after

    def _mask(self, word: str) -> int:
        """The squares that a word names, as bits."""
        found = self._masks.get(word)
        if found is None:
            found = 0
            for part in WORD.findall(word):
                if part in self.squares:
                    found |= 1 << self.squares[part]
            self._masks[word] = found
        return found

    def _all(self, node: WordNode) -> int:
        """The squares that the words after a node name, as bits."""
        if node.mask < 0:
            mask = 0
            for word, after in node.after.items():
                mask |= self._mask(word) | self._all(after)
            node.mask = mask
        return node.mask


def _words(beginning: str) -> tuple[list[str], str]:
    """The words that were typed, without the seat before them, and the one that is being typed."""
    *words, last = (beginning.lower().lstrip() or "").split(" ")
    typed = [word for word in words if word]
    return (typed[1:] if typed and typed[0].endswith(":") else typed), last


def _matching(node: WordNode, word: str) -> Iterator[WordNode]:
    """What follows a word: the word itself if there is one, else all that begin with it."""
    if word in node.after:
        yield node.after[word]
        return
    dashed = word.replace("-", "_")
    for each, after in node.after.items():
        if each.lower().startswith((word, dashed)):
            yield after


def _texts(node: WordNode) -> Iterator[str]:
    if node.ends:
        yield node.text
    for after in node.after.values():
        yield from _texts(after)


_known: dict[tuple[str, str, str], Candidates] = {}
_advice: dict[tuple[str, str, str, str], Sequence[Advice]] = {}


def candidates(position: Position, seat: Seat = "") -> Candidates:
    """The index of a position, made when it is first asked for; of a seat where several may act."""
    key = _key(position, seat)
    found = _known.get(key)
    if found is None:
        found = Candidates(position.legal(seat).texts(), position.board)
        if position.commit.digest:
            _known[key] = found
            for old in list(_known)[:-MAX_CACHED]:
                _known.pop(old, None)
    return found


def are_known(position: Position) -> bool:
    """Whether the index of a position is made: nothing is waited for then."""
    return _key(position) in _known


def _key(position: Position, seat: Seat = "") -> tuple[str, str, str]:
    return position.match, position.commit.digest, seat or position.seen_by


def advice(position: Position, beginning: str = "", seat: Seat = "") -> Sequence[Advice]:
    """What the game thinks worth a look among the commands that begin so; an unfinished word is left out."""
    words = " ".join(_words(beginning)[0])
    key = (*_key(position, seat), words)
    found = _advice.get(key)
    if found is None:
        found = position.game.questions.advice(position.state, seat or position.actor or position.seen_by, words)
        if position.commit.digest:
            _advice[key] = found
            for old in list(_advice)[: -MAX_CACHED * MAX_CACHED]:
                _advice.pop(old, None)
    return found


def advice_is_known(position: Position, beginning: str = "") -> bool:
    """Whether it has been found."""
    return (*_key(position), " ".join(_words(beginning)[0])) in _advice


def rank_candidates(found: Sequence[Candidate], beginning: str, advice: Sequence[Advice]) -> list[Candidate]:
    """The candidates in the order in which they are worth a look, those that nothing is said of last."""
    at = len(_words(beginning)[0])
    words = [words[at] for each in advice if len(words := each.text.split()) > at]
    order = {word: place for place, word in enumerate(dict.fromkeys(words))}
    return sorted(found, key=lambda each: order.get(each.word, len(order)))


def meaning(position: Position, found: Candidate, advice: Sequence[Advice] = (), seat: Seat = "") -> str:
    """What a word would come to: the result of the command that it ends, or how many commands it begins."""
    if found.whole and found.number == 1:
        said = next((each.brings for each in advice if each.text == found.text), ())
        return ", ".join(said) or outcome(position, found.text, seat)
    return f"{found.number:,} commands" if found.number > 1 else found.text


def outcome(position: Position, text: str, seat: Seat = "") -> str:
    """What playing a command would come to, in a few words: `-2 cattle, +1 VP`."""
    game, state = position.game, position.state
    named, command = game.notation.parse(text, state)
    seat = named or seat or position.actor or ""
    answer = game.rules.decide(state, seat, command)
    if isinstance(answer, Refused):
        return ""
    played: Callable[..., Event] = game.evolution.EVENTS[0]
    return game.notation.summary((played(seat=seat, command=command), *answer.events))
