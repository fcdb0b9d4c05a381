"""Action B: turning pages and buying adventures in the book of the half of the map where the explorer is (A-BOOK)."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.africana.commands import Buy, TurnPage
from zimcore.games.africana.components import HALVES
from zimcore.games.africana.events import AdventureBought, PageTurned
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.rules.turn import choose_action
from zimcore.games.africana.state import SIDES, State


@guard("A-BOOK-02", TurnPage, Buy, stage=Stage.WORDS)
def half_exists(state: State, seat: Seat, command: TurnPage | Buy) -> str | None:
    """There are two books with two halves each."""
    if command.book in HALVES and command.half in SIDES:
        return None
    return f"{command.book} {command.half} is not a half of a book: {' or '.join(HALVES)}, {' or '.join(SIDES)}"


@guard("A-BOOK-01", TurnPage, Buy)
def book_is_own(state: State, seat: Seat, command: TurnPage | Buy) -> str | None:
    """The book must be that of the half of the map where the player's explorer is."""
    half = state.half_of(seat)
    if command.book == half:
        return None
    place = state.map.title(state.places[seat])
    return f"{seat}'s explorer is at {place}, in the {half}: only the {half} book can be used from there"


@guard("A-BOOK-07", TurnPage, Buy)
def half_has_cards(state: State, seat: Seat, command: TurnPage | Buy) -> str | None:
    """An empty half has nothing to buy and nothing to turn."""
    if state.books[command.book].half(command.half):
        return None
    return f"the {command.half} half of the {command.book} book is empty"


def page_cost(state: State) -> int:
    """Silver for the next page of this action (A-BOOK-03)."""
    return state.box.costs.page if state.turn.pages >= state.box.books.free_pages else 0


@guard("A-BOOK-03", TurnPage)
def page_can_be_paid(state: State, seat: Seat, command: TurnPage) -> str | None:
    """The first page is free, each further one costs silver."""
    cost, silver = page_cost(state), state.silver[seat]
    return f"this page costs {cost} silver and {seat} has {silver}" if cost > silver else None


@guard("A-BOOK-05", Buy)
def adventure_can_be_paid(state: State, seat: Seat, command: Buy) -> str | None:
    """The player must have the silver for an adventure."""
    price, page, silver = state.box.costs.adventure, lifting_cost(state), state.silver[seat]
    cost_text = f"{price} silver" + (f", its page {page} (a house rule: bought_page=counts)," if page else "")
    return f"an adventure costs {cost_text} and {seat} has {silver}" if price + page > silver else None


def lifting_cost(state: State) -> int:
    """Silver for lifting a card, on top of its price: under a house rule it counts as a page (A-BOOK-04)."""
    return page_cost(state) if state.has_house_rule("bought_page") else 0


@decides(TurnPage)
def turn_page(draft: Draft, seat: Seat, command: TurnPage) -> None:
    """The top card moves onto the other half."""
    choose_action(draft, "books")
    draft.pay(seat, page_cost(draft.state), "page")
    draft.happen(PageTurned(seat, command.book, command.half, *_top_cards(draft.state, command)))


@decides(Buy)
def buy(draft: Draft, seat: Seat, command: Buy) -> None:
    """The top card becomes the player's unfinished adventure; the card below it is revealed for free (A-BOOK-04)."""
    choose_action(draft, "books")
    adventure, *card_below = _top_cards(draft.state, command)
    draft.pay(seat, lifting_cost(draft.state), "page")
    draft.pay(seat, draft.state.box.costs.adventure, adventure)
    draft.happen(AdventureBought(seat, command.book, command.half, adventure, *card_below))


def _top_cards(state: State, command: TurnPage | Buy) -> tuple[str, ...]:
    """The top card of a half, and the card below it if there is one."""
    return state.books[command.book].half(command.half)[-1:-3:-1]
