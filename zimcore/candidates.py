"""An index of the legal commands of a position by their words: for completion, squares to highlight, and ranking.

All legal commands are read once, however many there are, and kept as a tree of their words. A look-up goes down the
tree and takes less than a frame. The index is cached by the position's digest; a tried position has none, so its index
is made each time.

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
"""The most positions whose index is cached."""


class WordNode:
    """A node of the tree: the next words after some words, and the number of commands below, of which one is `text`.

    `ends` says that `text` is complete here. `mask` are the squares named below as bits, -1 until computed.
    """

    __slots__ = ("after", "count", "ends", "mask", "text")

    def __init__(self, text: str) -> None:
        self.after: dict[str, WordNode] = {}
        self.count = 0
        self.ends = False
        self.mask = -1
        self.text = text


class Candidate(NamedTuple):
    """A possible next word: the number of commands that continue with it, and one of them; `whole` if it ends here."""

    word: str
    number: int
    text: str
    whole: bool


class Candidates:
    """The legal commands of a position as a tree of their words, without a limit.

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
                next_node = node.after.get(word)
                if next_node is None:
                    next_node = node.after[word] = WordNode(text)
                node = next_node
                node.count += 1
            node.ends, node.text = True, text

    def next(self, beginning: str) -> list[Candidate]:
        """The possible next words, or completions of the last word typed, in the order of the legal commands."""
        by_name: dict[str, Candidate] = {}
        for word, node in self._next(beginning):
            earlier = by_name.get(word)
            by_name[word] = Candidate(word, node.count + (earlier.number if earlier else 0), node.text, node.ends)
        return list(by_name.values())

    def texts(self, beginning: str) -> Iterator[str]:
        """The commands that begin with these words, of which the last may be incomplete."""
        for node in self._nodes_matching(beginning):
            yield from _texts(node)

    def count(self, beginning: str) -> int:
        """The number of commands that begin with these words."""
        return sum(node.count for node in self._nodes_matching(beginning))

    def squares_to_light(self, beginning: str) -> frozenset[str]:
        """The squares that the next word can name; if it can't name any, those that later words can name."""
        masks = list(self._next(beginning))
        mask = 0
        for word, _ in masks:
            mask |= self._mask(word)
        if not mask:
            for _, node in masks:
                mask |= self._mask_below(node)
        return frozenset(square for square, at in self.squares.items() if mask >> at & 1)

    def _nodes_matching(self, beginning: str) -> Iterator[WordNode]:
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
        last_typed, with_underscores = last, last.replace("-", "_")
        for node in nodes:
            for word, after in node.after.items():
                if not last_typed or word.lower().startswith((last_typed, with_underscores)):
                    yield word, after

    def _mask(self, word: str) -> int:
        """The squares that a word names, as bits."""
        cached_mask = self._masks.get(word)
        if cached_mask is None:
            cached_mask = 0
            for part in WORD.findall(word):
                if part in self.squares:
                    cached_mask |= 1 << self.squares[part]
            self._masks[word] = cached_mask
        return cached_mask

    def _mask_below(self, node: WordNode) -> int:
        """The squares that the words after a node name, as bits."""
        if node.mask < 0:
            mask = 0
            for word, after in node.after.items():
                mask |= self._mask(word) | self._mask_below(after)
            node.mask = mask
        return node.mask


def _words(beginning: str) -> tuple[list[str], str]:
    """The complete words of a text, without a leading seat (`zulu:`), and the word that is being typed."""
    *words, last = (beginning.lower().lstrip() or "").split(" ")
    typed_words = [word for word in words if word]
    return (typed_words[1:] if typed_words and typed_words[0].endswith(":") else typed_words), last


def _matching(node: WordNode, word: str) -> Iterator[WordNode]:
    """The nodes after a word: the exact match if there is one, else all words that begin with it."""
    if word in node.after:
        yield node.after[word]
        return
    with_underscores = word.replace("-", "_")
    for each, after in node.after.items():
        if each.lower().startswith((word, with_underscores)):
            yield after


def _texts(node: WordNode) -> Iterator[str]:
    if node.ends:
        yield node.text
    for after in node.after.values():
        yield from _texts(after)


_cached: dict[tuple[str, str, str], Candidates] = {}
_cached_advice: dict[tuple[str, str, str, str], Sequence[Advice]] = {}


def candidates(position: Position, seat: Seat = "") -> Candidates:
    """The index of a position, from the cache if possible; give a `seat` if several may act."""
    key = _key(position, seat)
    cached = _cached.get(key)
    if cached is None:
        cached = Candidates(position.legal(seat).texts(), position.board)
        if position.commit.digest:
            _cached[key] = cached
            for old in list(_cached)[:-MAX_CACHED]:
                _cached.pop(old, None)
    return cached


def is_cached(position: Position) -> bool:
    """Whether the index of a position is in the cache, so that `candidates` is fast."""
    return _key(position) in _cached


def _key(position: Position, seat: Seat = "") -> tuple[str, str, str]:
    return position.match, position.commit.digest, seat or position.seen_by


def advice(position: Position, beginning: str = "", seat: Seat = "") -> Sequence[Advice]:
    """The game's advice for commands that begin with these words, cached; an incomplete last word is ignored."""
    words = " ".join(_words(beginning)[0])
    key = (*_key(position, seat), words)
    cached = _cached_advice.get(key)
    if cached is None:
        cached = position.game.questions.advice(position.state, seat or position.actor or position.seen_by, words)
        if position.commit.digest:
            _cached_advice[key] = cached
            for old in list(_cached_advice)[: -MAX_CACHED * MAX_CACHED]:
                _cached_advice.pop(old, None)
    return cached


def is_advice_cached(position: Position, beginning: str = "") -> bool:
    """Whether this advice is in the cache."""
    return (*_key(position), " ".join(_words(beginning)[0])) in _cached_advice


def rank_candidates(candidate_list: Sequence[Candidate], beginning: str, advice: Sequence[Advice]) -> list[Candidate]:
    """The candidates in the order of the advice; those without advice come last."""
    at = len(_words(beginning)[0])
    words = [words[at] for each in advice if len(words := each.text.split()) > at]
    order = {word: place for place, word in enumerate(dict.fromkeys(words))}
    return sorted(candidate_list, key=lambda each: order.get(each.word, len(order)))


def meaning(position: Position, candidate: Candidate, advice: Sequence[Advice] = (), seat: Seat = "") -> str:
    """The meaning of a candidate: the result of the command it completes, or the number of commands that it begins."""
    if candidate.whole and candidate.number == 1:
        effects = next((each.brings for each in advice if each.text == candidate.text), ())
        return ", ".join(effects) or outcome(position, candidate.text, seat)
    return f"{candidate.number:,} commands" if candidate.number > 1 else candidate.text


def outcome(position: Position, text: str, seat: Seat = "") -> str:
    """The result of playing a command, in a few words: `-2 cattle, +1 VP`; "" if it is illegal."""
    game, state = position.game, position.state
    parsed_seat, command = game.notation.parse(text, state)
    seat = parsed_seat or seat or position.actor or ""
    answer = game.rules.decide(state, seat, command)
    if isinstance(answer, Refused):
        return ""
    played_type: Callable[..., Event] = game.evolution.EVENTS[0]
    return game.notation.summary((played_type(seat=seat, command=command), *answer.events))
