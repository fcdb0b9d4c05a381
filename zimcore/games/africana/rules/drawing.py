"""Action A, and drawing travel cards for any other reason (A-DRAW)."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.africana.cards import UNKNOWN
from zimcore.games.africana.commands import Draw
from zimcore.games.africana.events import CardsDrawn, PileShuffled
from zimcore.games.africana.rules.rule import Draft, decides
from zimcore.games.africana.rules.turn import choose_action, end_action
from zimcore.games.africana.state import State
from zimcore.toolkit.chance import chance, shuffle


def draw_cards(draft: Draft, seat: Seat, count: int) -> None:
    """Draws cards; shuffles the discard pile when a card is needed (A-DRAW-02, AMB-07).

    Draws fewer if no cards are left (A-DRAW-03).
    """
    state, cards_to_draw = draft.state, count
    while cards_to_draw:
        if not state.pile:
            _shuffle_discards(draft)
        draw_count = min(cards_to_draw, len(state.pile))
        if not draw_count:
            return
        draft.happen(CardsDrawn(seat, state.pile[-draw_count:][::-1]))
        cards_to_draw -= draw_count
        if not state.pile and state.has_house_rule("reshuffle"):
            _shuffle_discards(draft)


def _shuffle_discards(draft: Draft) -> None:
    """Makes the discards the new pile, if there are any."""
    state = draft.state
    if state.discards:
        draft.happen(PileShuffled(_new_pile(state), state.shuffles + 1))


def _new_pile(state: State) -> tuple[str, ...]:
    """The discards in an order that depends on the seed and the number of earlier shuffles."""
    if state.seed is None:
        return (UNKNOWN,) * len(state.discards)
    return shuffle(state.discards, chance(state.seed, f"shuffle {state.shuffles + 1}"))


@decides(Draw)
def draw(draft: Draft, seat: Seat, command: Draw) -> None:
    """Draws without regard to the hand limit, which is checked at the end of the turn (A-DRAW-01)."""
    choose_action(draft, "draw")
    draw_cards(draft, seat, draft.state.box.limits.draw)
    end_action(draft)
