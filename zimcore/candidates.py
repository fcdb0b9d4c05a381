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

WORD_PATTERN = re.compile(r"\w+")
MAX_CACHED_POSITIONS = 16
"""The most positions whose index is cached."""


class WordNode:
    """A node of the tree: the next words after some words, and the number of commands below, of which one is `text`.

    `is_complete` says that `text` ends here. `square_mask` has a bit for each square named below (-1: not computed).
    """

    __slots__ = ("command_count", "is_complete", "next_nodes", "square_mask", "text")

    def __init__(self, text: str) -> None:
        self.next_nodes: dict[str, WordNode] = {}
        self.command_count = 0
        self.is_complete = False
        self.square_mask = -1
        self.text = text


class Candidate(NamedTuple):
    """A possible next word: the number of commands that continue with it, and one of them.

    `is_complete` says that this command ends here.
    """

    word: str
    command_count: int
    text: str
    is_complete: bool


class Candidates:
    """The legal commands of a position as a tree of their words, without a limit.

    >>> bids = Candidates(["bid 1", "bid 2", "pass"])
    >>> [(candidate.word, candidate.command_count) for candidate in bids.next_words("")]
    [('bid', 2), ('pass', 1)]
    >>> [candidate.word for candidate in bids.next_words("bi ")]
    ['1', '2']
    """

    def __init__(self, texts: Iterable[str], board: Board | None = None) -> None:
        self.root = WordNode("")
        cells = [cell for row in board.cells for cell in row] if board else []
        self.square_bits = {cell.square: bit for bit, cell in enumerate(cells) if cell.square}
        self._masks_by_word: dict[str, int] = {}
        for text in texts:
            node = self.root
            node.command_count += 1
            for word in text.split():
                next_node = node.next_nodes.get(word)
                if next_node is None:
                    next_node = node.next_nodes[word] = WordNode(text)
                node = next_node
                node.command_count += 1
            node.is_complete, node.text = True, text

    def next_words(self, beginning: str) -> list[Candidate]:
        """The possible next words, or completions of the last word typed, in the order of the legal commands."""
        candidates_by_word: dict[str, Candidate] = {}
        for word, node in self._next_nodes(beginning):
            earlier_candidate = candidates_by_word.get(word)
            candidates_by_word[word] = Candidate(
                word,
                node.command_count + (earlier_candidate.command_count if earlier_candidate else 0),
                node.text,
                node.is_complete,
            )
        return list(candidates_by_word.values())

    def texts(self, beginning: str) -> Iterator[str]:
        """The commands that begin with these words, of which the last may be incomplete."""
        for node in self._nodes_matching(beginning):
            yield from _texts_below(node)

    def count(self, beginning: str) -> int:
        """The number of commands that begin with these words."""
        return sum(node.command_count for node in self._nodes_matching(beginning))

    def squares_to_light(self, beginning: str) -> frozenset[str]:
        """The squares that the next word can name; if it can't name any, those that later words can name."""
        candidate_nodes = list(self._next_nodes(beginning))
        mask = 0
        for word, _ in candidate_nodes:
            mask |= self._word_mask(word)
        if not mask:
            for _, node in candidate_nodes:
                mask |= self._mask_below(node)
        return frozenset(square for square, bit in self.square_bits.items() if mask >> bit & 1)

    def _nodes_matching(self, beginning: str) -> Iterator[WordNode]:
        words, last_word = _split_beginning(beginning)
        if last_word:
            return (node for _, node in self._next_nodes(beginning))
        return iter(self._nodes_after(words))

    def _nodes_after(self, words: Sequence[str]) -> list[WordNode]:
        nodes = [self.root]
        for word in words:
            nodes = [next_node for node in nodes for next_node in _matching_nodes(node, word)]
        return nodes

    def _next_nodes(self, beginning: str) -> Iterator[tuple[str, WordNode]]:
        words, last_word = _split_beginning(beginning)
        nodes = self._nodes_after(words)
        with_underscores = last_word.replace("-", "_")
        for node in nodes:
            for word, next_node in node.next_nodes.items():
                if not last_word or word.lower().startswith((last_word, with_underscores)):
                    yield word, next_node

    def _word_mask(self, word: str) -> int:
        """The squares that a word names, as bits."""
        cached_mask = self._masks_by_word.get(word)
        if cached_mask is None:
            cached_mask = 0
            for square_word in WORD_PATTERN.findall(word):
                if square_word in self.square_bits:
                    cached_mask |= 1 << self.square_bits[square_word]
            self._masks_by_word[word] = cached_mask
        return cached_mask

    def _mask_below(self, node: WordNode) -> int:
        """The squares that the words after a node name, as bits."""
        if node.square_mask < 0:
            mask = 0
            for word, next_node in node.next_nodes.items():
                mask |= self._word_mask(word) | self._mask_below(next_node)
            node.square_mask = mask
        return node.square_mask


def _split_beginning(beginning: str) -> tuple[list[str], str]:
    """The complete words of a text, without a leading seat (`zulu:`), and the word that is being typed."""
    *words, last_word = (beginning.lower().lstrip() or "").split(" ")
    typed_words = [word for word in words if word]
    return (typed_words[1:] if typed_words and typed_words[0].endswith(":") else typed_words), last_word


def _matching_nodes(node: WordNode, word: str) -> Iterator[WordNode]:
    """The nodes after a word: the exact match if there is one, else all words that begin with it."""
    if word in node.next_nodes:
        yield node.next_nodes[word]
        return
    with_underscores = word.replace("-", "_")
    for next_word, next_node in node.next_nodes.items():
        if next_word.lower().startswith((word, with_underscores)):
            yield next_node


def _texts_below(node: WordNode) -> Iterator[str]:
    if node.is_complete:
        yield node.text
    for next_node in node.next_nodes.values():
        yield from _texts_below(next_node)


_candidates_cache: dict[tuple[str, str, str], Candidates] = {}
_advice_cache: dict[tuple[str, str, str, str], Sequence[Advice]] = {}


def candidates(position: Position, seat: Seat = "") -> Candidates:
    """The index of a position, from the cache if possible; give a `seat` if several may act."""
    key = _cache_key(position, seat)
    cached_candidates = _candidates_cache.get(key)
    if cached_candidates is None:
        cached_candidates = Candidates(position.legal(seat).texts(), position.board)
        if position.commit.digest:
            _candidates_cache[key] = cached_candidates
            for old_key in list(_candidates_cache)[:-MAX_CACHED_POSITIONS]:
                _candidates_cache.pop(old_key, None)
    return cached_candidates


def is_cached(position: Position) -> bool:
    """Whether the index of a position is in the cache, so that `candidates` is fast."""
    return _cache_key(position) in _candidates_cache


def _cache_key(position: Position, seat: Seat = "") -> tuple[str, str, str]:
    return position.match, position.commit.digest, seat or position.seen_by


def advice(position: Position, beginning: str = "", seat: Seat = "") -> Sequence[Advice]:
    """The game's advice for commands that begin with these words, cached; an incomplete last word is ignored."""
    words = " ".join(_split_beginning(beginning)[0])
    key = (*_cache_key(position, seat), words)
    cached_advice = _advice_cache.get(key)
    if cached_advice is None:
        cached_advice = position.game.questions.advice(
            position.state, seat or position.actor or position.seen_by, words
        )
        if position.commit.digest:
            _advice_cache[key] = cached_advice
            for old_key in list(_advice_cache)[: -MAX_CACHED_POSITIONS * MAX_CACHED_POSITIONS]:
                _advice_cache.pop(old_key, None)
    return cached_advice


def is_advice_cached(position: Position, beginning: str = "") -> bool:
    """Whether this advice is in the cache."""
    return (*_cache_key(position), " ".join(_split_beginning(beginning)[0])) in _advice_cache


def rank_candidates(
    candidates_to_rank: Sequence[Candidate], beginning: str, advice: Sequence[Advice]
) -> list[Candidate]:
    """The candidates in the order of the advice; those without advice come last."""
    word_index = len(_split_beginning(beginning)[0])
    advised_texts = [advised_command.text.split() for advised_command in advice]
    next_words = [words[word_index] for words in advised_texts if len(words) > word_index]
    rank_by_word = {word: rank for rank, word in enumerate(dict.fromkeys(next_words))}
    return sorted(candidates_to_rank, key=lambda candidate: rank_by_word.get(candidate.word, len(rank_by_word)))


def candidate_meaning(position: Position, candidate: Candidate, advice: Sequence[Advice] = (), seat: Seat = "") -> str:
    """The meaning of a candidate: the result of the command it completes, or the number of commands that it begins."""
    if candidate.is_complete and candidate.command_count == 1:
        effects = next(
            (advised_command.brings for advised_command in advice if advised_command.text == candidate.text), ()
        )
        return ", ".join(effects) or result_summary(position, candidate.text, seat)
    return f"{candidate.command_count:,} commands" if candidate.command_count > 1 else candidate.text


def result_summary(position: Position, text: str, seat: Seat = "") -> str:
    """The result of playing a command, in a few words: `-2 cattle, +1 VP`; "" if it is illegal."""
    game, state = position.game, position.state
    parsed_seat, command = game.notation.parse(text, state)
    seat = parsed_seat or seat or position.actor or ""
    answer = game.rules.decide(state, seat, command)
    if isinstance(answer, Refused):
        return ""
    played_type: Callable[..., Event] = game.evolution.EVENTS[0]
    return game.notation.summary((played_type(seat=seat, command=command), *answer.events))
