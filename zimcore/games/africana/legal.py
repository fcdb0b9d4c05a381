"""The legal commands of a position, as a lazy view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from random import Random
from typing import TypeVar

from zimcore.game import Command, Seat
from zimcore.games.africana.commands import (
    AnyCommand,
    Buy,
    Discard,
    Draw,
    EndAdventure,
    EndExpedition,
    EndTurn,
    Join,
    Move,
    TurnPage,
)
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.rules.limits import may_discard_more
from zimcore.games.africana.rules.rule import RULEBOOK
from zimcore.games.africana.rules.turn import excess_adventure_count, excess_card_count
from zimcore.games.africana.state import SIDES, State
from zimcore.toolkit.sampling import in_random_order, in_weighted_order, random_item
from zimcore.toolkit.words import texts_that_begin, words_begin_with

T = TypeVar("T")


class LegalCommands:
    """The legal commands of a seat: iterable, `in`, `bool`, `count()`. Hidden cards are not used.

    Without a seat, those of the seat to move.
    """

    def __init__(self, state: State, seat: Seat | None = None) -> None:
        self.state = state
        self.seat = seat or state.actor or ""

    def __iter__(self) -> Iterator[AnyCommand]:
        return self._commands_of_kinds([])

    def __contains__(self, command: object) -> bool:
        if isinstance(command, str):
            return command in self.texts(command)
        is_known = isinstance(command, Command) and type(command) in RULEBOOK.guards
        return is_known and RULEBOOK.is_legal(self.state, self.seat, command)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def __repr__(self) -> str:
        return f"<{self.count()} legal commands for {self.seat or 'nobody'}>"

    def count(self) -> int:
        """The number of legal commands."""
        return sum(1 for _ in self)

    def texts(self, beginning: str = "") -> Iterator[str]:
        """The commands in notation whose words start with those of `beginning`: `mo cai`."""
        commands = self._commands_of_kinds(beginning.lower().split()[:1])
        return texts_that_begin(map(format_command, commands), beginning)

    def sample(self, rng: Random, weights: Mapping[str, float] | None = None) -> AnyCommand | None:
        """A random legal command, drawn without listing all; None if there is none.

        It draws a kind (`KINDS`) with a legal command: uniformly, or by `weights` (1 by default, 0 for never). Then it
        draws uniformly from that kind. For a discard it draws cards and adventures from those of the seat.
        """
        if not self.seat or self.seat != self.state.actor:
            return None
        for kind in in_weighted_order(KINDS, rng, weights) if weights else in_random_order(KINDS, rng):
            commands = random_discard(self.state, rng) if kind == "discard" else KINDS[kind](self.state)
            for command in in_random_order(commands, rng):
                if command in self:
                    return command
        return None

    def _commands_of_kinds(self, first_word: list[str]) -> Iterator[AnyCommand]:
        if self.seat and self.seat == self.state.actor:
            for kind, possible_commands in KINDS.items():
                if words_begin_with([kind], first_word):
                    yield from (command for command in possible_commands(self.state) if command in self)


def draw_commands(state: State) -> Iterator[Draw]:
    """Action A: drawing cards."""
    yield Draw()


def page_commands(state: State) -> Iterator[TurnPage]:
    """Turning a page, on both sides of the book."""
    return (TurnPage(state.half_of(state.turn.seat), side) for side in SIDES)


def purchase_commands(state: State) -> Iterator[Buy]:
    """Buying the top card, on both sides of the book."""
    return (Buy(state.half_of(state.turn.seat), side) for side in SIDES)


def move_commands(state: State) -> Iterator[Move]:
    """Steps along all routes with each kind of card in the hand, as it is or recoloured. Most are not legal."""
    seat = state.turn.seat
    for place in state.map.neighbours[state.places[seat]]:
        for card in sorted(set(state.hands[seat])):
            yield Move(place, card)
            yield Move(place, card, True)


def join_commands(state: State) -> Iterator[Join]:
    """Joining each face-up expedition."""
    return (Join(card) for card in state.spaces if card)


def end_commands(state: State) -> Iterator[EndExpedition | EndAdventure | EndTurn]:
    """Ending each expedition and adventure, and ending the turn."""
    yield from (EndExpedition(card) for card in state.spaces if card)
    yield from (EndAdventure(card) for card in state.unfinished[state.turn.seat])
    yield EndTurn()


def discard_commands(state: State) -> Iterator[Discard]:
    """Every choice of discards."""
    if not state.turn.over:
        return
    hand, unfinished = sorted(state.hands[state.turn.seat]), state.unfinished[state.turn.seat]
    for card_count in _possible_counts(state, excess_card_count(state), len(hand)):
        for cards_chosen in sorted(set(combinations(hand, card_count))):
            for adventure_count in _possible_counts(state, excess_adventure_count(state), len(unfinished)):
                yield from (
                    Discard(cards_chosen, adventures_chosen)
                    for adventures_chosen in combinations(unfinished, adventure_count)
                )


def _possible_counts(state: State, excess_count: int, available_count: int) -> range:
    """The numbers of items that can be discarded, with `available_count` of them."""
    return range(excess_count, (available_count if may_discard_more(state) else excess_count) + 1)


def random_discard(state: State, rng: Random) -> Iterator[Discard]:
    """A random choice of discards; none if nothing has to be discarded."""
    if state.turn.over:
        seat = state.turn.seat
        hand, unfinished = sorted(state.hands[seat]), state.unfinished[seat]
        card_count, adventure_count = excess_card_count(state), excess_adventure_count(state)
        if may_discard_more(state):
            card_count = random_item(_possible_counts(state, card_count, len(hand)), rng) or 0
            adventure_count = random_item(_possible_counts(state, adventure_count, len(unfinished)), rng) or 0
        yield Discard(_random_items(hand, card_count, rng), _random_items(unfinished, adventure_count, rng))


def _random_items(items: Sequence[T], count: int, rng: Random) -> tuple[T, ...]:
    """`count` random items, in their order."""
    indexes = in_random_order(range(len(items)), rng)
    return tuple(items[index] for index in sorted(islice(indexes, count)))


KINDS: dict[str, Callable[[State], Iterator[AnyCommand]]] = {
    "draw": draw_commands,
    "turn": page_commands,
    "buy": purchase_commands,
    "move": move_commands,
    "join": join_commands,
    "end": end_commands,
    "discard": discard_commands,
}
