"""The legal commands of a position, as a view: nothing is made before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

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
from zimcore.games.africana.rules.rule import RULEBOOK
from zimcore.games.africana.rules.turn import excess_adventures, excess_cards
from zimcore.games.africana.state import SIDES, State
from zimcore.toolkit.words import begin


class LegalCommands:
    """What can be played now: iterable, `in`, `bool`, `count()`. Cards that can't be seen play no part.

    Without a seat it is for whose turn it is.
    """

    def __init__(self, state: State, seat: Seat | None = None) -> None:
        self.state = state
        self.seat = seat or state.actor or ""

    def __iter__(self) -> Iterator[AnyCommand]:
        return self._of_kinds([])

    def __contains__(self, command: object) -> bool:
        known = isinstance(command, Command) and type(command) in RULEBOOK.guards
        return known and RULEBOOK.stands(self.state, self.seat, command)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def __repr__(self) -> str:
        return f"<{self.count()} legal commands for {self.seat or 'nobody'}>"

    def count(self) -> int:
        """How many there are."""
        return sum(1 for _ in self)

    def texts(self, beginning: str = "") -> Iterator[str]:
        """The commands in notation, those whose words begin like these: `mo cai`."""
        words = beginning.lower().split()
        texts = map(format_command, self._of_kinds(words[:1]))
        return (text for text in texts if begin(text.lower().split(), words))

    def _of_kinds(self, verb: list[str]) -> Iterator[AnyCommand]:
        if self.seat and self.seat == self.state.actor:
            for kind, candidates in KINDS.items():
                if begin([kind], verb):
                    yield from (command for command in candidates(self.state) if command in self)


def draws(state: State) -> Iterator[Draw]:
    """Action A."""
    yield Draw()


def pages(state: State) -> Iterator[TurnPage]:
    """Both halves of the player's book."""
    return (TurnPage(state.half_of(state.turn.seat), side) for side in SIDES)


def purchases(state: State) -> Iterator[Buy]:
    """Both halves of the player's book."""
    return (Buy(state.half_of(state.turn.seat), side) for side in SIDES)


def moves(state: State) -> Iterator[Move]:
    """Steps along all routes, with each kind of card in the hand, as it is or recoloured."""
    seat = state.turn.seat
    for place in state.map.neighbours[state.places[seat]]:
        for card in sorted(set(state.hands[seat])):
            yield Move(place, card)
            yield Move(place, card, True)


def joins(state: State) -> Iterator[Join]:
    """Face-up expeditions."""
    return (Join(card) for card in state.spaces if card)


def ends(state: State) -> Iterator[EndExpedition | EndAdventure | EndTurn]:
    """Expeditions and adventures, and the turn."""
    yield from (EndExpedition(card) for card in state.spaces if card)
    yield from (EndAdventure(card) for card in state.unfinished[state.turn.seat])
    yield EndTurn()


def discards(state: State) -> Iterator[Discard]:
    """Every choice of what is above the limits."""
    if not state.turn.over:
        return
    seat, cards, adventures = state.turn.seat, excess_cards(state), excess_adventures(state)
    for some in sorted(set(combinations(sorted(state.hands[seat]), cards))):
        for others in combinations(state.unfinished[seat], adventures):
            yield Discard(some, others)


KINDS: dict[str, Callable[[State], Iterator[AnyCommand]]] = {
    "draw": draws,
    "turn": pages,
    "buy": purchases,
    "move": moves,
    "join": joins,
    "end": ends,
    "discard": discards,
}
