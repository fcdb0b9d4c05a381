"""Applies events to a position. It checks no rules and never refuses: stored events have happened.

Events redacted for a seat give the position as that seat knows it (see `secrets`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from zimcore.game import Event
from zimcore.games.africana import events as e
from zimcore.games.africana.atlas import Atlas
from zimcore.games.africana.cards import JOKER, add_cards, assistant, is_travel, remove_cards
from zimcore.games.africana.state import NO_TURN, Book, State, Turn


def evolve(state: State, event: Event) -> None:
    """Applies an event to a state. Raises `KeyError` for an event of another game."""
    APPLIERS[type(event)](state, event)


def command_played(state: State, event: e.Played) -> None:
    """Does nothing: only the events that follow a command change the state."""


def game_set_up(state: State, event: e.GameSetUp) -> None:
    state.setup = event
    state.atlas = Atlas(event.components)
    state.phase = "playing"
    state.seed = event.seed
    company_by_name = {company.name: company for company in event.components.companies}
    state.silver = {e.BANK: 0, **dict.fromkeys(event.seats, 0)}
    state.places = {seat: company_by_name[seat].start for seat in event.seats}
    state.hands = dict.fromkeys(event.seats, (JOKER,))
    state.pile = event.pile
    state.supply = {colour: event.components.assistants[colour] for colour in event.components.colours}
    state.books = {half: Book(cards, (), max(len(cards) - 1, 0)) for half, cards in event.books.items()}
    state.unfinished = dict.fromkeys(event.seats, ())
    state.finished = dict.fromkeys(event.seats, ())
    state.stack = event.stack
    state.spaces = ("",) * len(event.components.bonuses)
    state.removed = event.removed


def house_rules_chosen(state: State, event: e.HouseRulesChosen) -> None:
    state.house = event.rules


def silver_paid(state: State, event: e.SilverPaid) -> None:
    state.silver[event.payer] -= event.amount
    state.silver[event.payee] += event.amount


def round_begun(state: State, event: e.RoundBegun) -> None:
    state.round = event.round


def turn_begun(state: State, event: e.TurnBegun) -> None:
    state.turn = Turn(event.seat)
    state.joined_this_turn = ()


def action_chosen(state: State, event: e.ActionChosen) -> None:
    state.turn = replace(state.turn, action=event.action)


def cards_drawn(state: State, event: e.CardsDrawn) -> None:
    state.pile = state.pile[: len(state.pile) - len(event.cards)]
    state.hands[event.seat] = add_cards(state.hands[event.seat], *event.cards)


def pile_shuffled(state: State, event: e.PileShuffled) -> None:
    state.pile = event.pile
    state.discards = ()
    state.shuffles = event.number


def page_turned(state: State, event: e.PageTurned) -> None:
    book = state.books[event.book]
    if event.half == "left":
        state.books[event.book] = _without_top_card(book, event.shows, (*book.right, event.adventure))
    else:
        state.books[event.book] = Book((*book.left, event.adventure), book.right[:-1], book.unseen)
    state.turn = replace(state.turn, pages=state.turn.pages + 1)


def _without_top_card(book: Book, shows: str, right: tuple[str, ...]) -> Book:
    """The book after its left top card was taken; the card below it, if any, is now visible to all."""
    left = (*book.left[:-2], shows) if shows else ()
    return Book(left, right, min(book.unseen, max(len(left) - 1, 0)))


def adventure_bought(state: State, event: e.AdventureBought) -> None:
    book = state.books[event.book]
    if event.half == "left":
        state.books[event.book] = _without_top_card(book, event.shows, book.right)
    else:
        state.books[event.book] = replace(book, right=book.right[:-1])
    state.unfinished[event.seat] += (event.adventure,)
    pages = state.turn.pages + state.has_house_rule("bought_page")
    if state.has_house_rule("free_page"):
        # The next page is free, even if earlier ones were paid for.
        pages = min(pages, state.box.books.free_pages) - 1
    state.turn = replace(state.turn, pages=pages)


def explorer_moved(state: State, event: e.ExplorerMoved) -> None:
    state.places[event.seat] = event.to
    state.hands[event.seat] = remove_cards(state.hands[event.seat], event.card)
    state.table += (event.card,)
    if event.recoloured and not is_travel(event.card) and state.has_house_rule("recoloured_assistants"):
        state.recoloured_assistants += (event.card,)


def expedition_joined(state: State, event: e.ExpeditionJoined) -> None:
    state.markers[event.expedition] = (*state.markers.get(event.expedition, ()), event.seat)
    if state.has_house_rule("joined"):
        state.joined_this_turn += (event.expedition,)


def expedition_ended(state: State, event: e.ExpeditionEnded) -> None:
    state.markers.pop(event.expedition, None)
    state.spaces = _place_card(state.spaces, event.space, "")
    state.finished[event.seat] += (event.expedition,)


def _place_card(spaces: tuple[str, ...], space: int, card: str) -> tuple[str, ...]:
    return (*spaces[: space - 1], card, *spaces[space:])


def adventure_ended(state: State, event: e.AdventureEnded) -> None:
    state.unfinished[event.seat] = remove_cards(state.unfinished[event.seat], event.adventure)
    state.finished[event.seat] += (event.adventure,)


def assistant_taken(state: State, event: e.AssistantTaken) -> None:
    state.supply[event.colour] -= 1
    state.hands[event.seat] = add_cards(state.hands[event.seat], assistant(event.colour))


def table_cleared(state: State, event: e.TableCleared) -> None:
    state.table = state.recoloured_assistants = ()
    state.discards += event.discarded
    state.hands[event.seat] = add_cards(state.hands[event.seat], *event.returned)


def action_ended(state: State, event: e.ActionEnded) -> None:
    state.turn = replace(state.turn, over=True)


def cards_discarded(state: State, event: e.CardsDiscarded) -> None:
    state.hands[event.seat] = remove_cards(state.hands[event.seat], *event.cards)
    state.discards += tuple(card for card in event.cards if is_travel(card))
    state.removed += tuple(card for card in event.cards if not is_travel(card))


def adventures_discarded(state: State, event: e.AdventuresDiscarded) -> None:
    state.unfinished[event.seat] = remove_cards(state.unfinished[event.seat], *event.adventures)
    state.removed += event.adventures


def expedition_laid(state: State, event: e.ExpeditionLaid) -> None:
    state.stack = state.stack[:-1]
    state.spaces = _place_card(state.spaces, event.space, event.expedition)


def end_triggered(state: State, event: e.EndTriggered) -> None:
    state.ending = True


def turn_ended(state: State, event: e.TurnEnded) -> None:
    state.turn = NO_TURN


def player_scored(state: State, event: e.PlayerScored) -> None:
    state.vp[event.seat] = event.vp


def game_ended(state: State, event: e.GameEnded) -> None:
    state.phase = "over"
    state.winners = event.winners


def unknown_redealt(state: State, event: e.UnknownRedealt) -> None:
    """Viewers who may not see the redealt cards keep the unknown ones that they had."""
    state.hands |= event.hands
    state.pile = event.pile or state.pile
    state.stack = event.stack or state.stack
    state.removed = event.removed or state.removed
    state.seed = event.seed
    for half, left in event.books.items():
        state.books[half] = replace(state.books[half], left=left)


APPLIERS: dict[type[Event], Callable[[State, Any], None]] = {
    e.Played: command_played,
    e.GameSetUp: game_set_up,
    e.HouseRulesChosen: house_rules_chosen,
    e.SilverPaid: silver_paid,
    e.RoundBegun: round_begun,
    e.TurnBegun: turn_begun,
    e.ActionChosen: action_chosen,
    e.CardsDrawn: cards_drawn,
    e.PileShuffled: pile_shuffled,
    e.PageTurned: page_turned,
    e.AdventureBought: adventure_bought,
    e.ExplorerMoved: explorer_moved,
    e.ExpeditionJoined: expedition_joined,
    e.ExpeditionEnded: expedition_ended,
    e.AdventureEnded: adventure_ended,
    e.AssistantTaken: assistant_taken,
    e.TableCleared: table_cleared,
    e.ActionEnded: action_ended,
    e.CardsDiscarded: cards_discarded,
    e.AdventuresDiscarded: adventures_discarded,
    e.ExpeditionLaid: expedition_laid,
    e.EndTriggered: end_triggered,
    e.TurnEnded: turn_ended,
    e.PlayerScored: player_scored,
    e.GameEnded: game_ended,
    e.UnknownRedealt: unknown_redealt,
}
