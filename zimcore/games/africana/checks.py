"""Checks components against the rulebook; a player's own file has to pass all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from zimcore.games.africana.components import HALVES, Adventure, Components, Expedition, Location

ID_PATTERN = re.compile(r"[A-Z][0-9]{2}")
NAME_PATTERN = re.compile(r"[a-z]+(_[a-z]+)*")
MAX_PRINTED_NUMBER = 9_999
"""The largest number on a card or board."""
OPPOSITE_HALF = dict(zip(HALVES, HALVES[::-1], strict=True))


def find_faults(box: Components) -> list[str]:
    """All faults, each with its entry and the rule that it breaks.

    Later checks run only if earlier ones find nothing.
    """
    for checks in CHECKS:
        faults = [fault for check in checks for fault in check(box)]
        if faults:
            return faults
    return []


def check_names(box: Components) -> Iterator[str]:
    """Checks that names are unique, and can be typed."""
    words = [
        *box.colours,
        *box.artifacts,
        *(company.name for company in box.companies),
        *(location.name for location in box.locations),
    ]
    yield from (f"{word}: a name is small letters joined by _" for word in words if not NAME_PATTERN.fullmatch(word))
    ids = [card.id for card in _all_cards(box)]
    yield from (f"card {id_}: an id is a letter and two digits" for id_ in ids if not ID_PATTERN.fullmatch(id_))
    yield from (f"{name}: it is there {count} times" for name, count in Counter([*words, *ids]).items() if count > 1)
    code_counts = Counter(location.name[:3] for location in box.locations)
    yield from (
        f"location {location.name}: another name begins {location.name[:3]}"
        for location in box.locations
        if code_counts[location.name[:3]] > 1
    )


def check_counts(box: Components) -> Iterator[str]:
    """Checks the number of each component (A-COMP)."""
    yield from _check_count("A-COMP-05", "colours", len(box.colours), 5)
    yield from _check_count("A-COMP-03", "artifacts", len(box.artifacts), 5)
    yield from _check_count("A-COMP-04", "backs", len(box.backs), 3)
    yield from _check_count("A-COMP-04", "expeditions", len(box.expeditions), 34)
    yield from _check_count("A-COMP-02", "adventures", len(box.adventures), 30)
    yield from _check_count("A-COMP-05", "travel_cards", sum(box.travel_cards.values()), 60)
    yield from _check_count("A-COMP-05", "jokers", box.jokers, 4)
    yield from _check_count("A-COMP-06", "companies", len(box.companies), 4)
    yield from _check_count("A-COMP-08", "bonuses", len(box.bonuses), 5)
    for half in HALVES:
        yield from _check_count(
            "A-COMP-01", f"locations in the {half}", sum(location.half == half for location in box.locations), 11
        )
    for card_counts in (box.travel_cards, box.assistants):
        yield from (f"{colour}: not a colour of A-COMP-05" for colour in card_counts.keys() ^ set(box.colours))
    for colour, count in box.assistants.items():
        yield from _check_count("A-COMP-05", f"assistants {colour}", count, 2)


def check_figures(box: Components) -> Iterator[str]:
    """Checks that numbers are within the bounds of the rules."""
    min_players, max_players = box.limits.players
    if not 1 < min_players <= max_players <= len(box.companies):
        yield f"limits.players: {min_players} to {max_players} is not within 2 to {len(box.companies)} (A-SETUP-01)"
    if set(box.removed) != {str(players) for players in range(min_players, max_players + 1)}:
        yield f"removed: it needs {min_players} to {max_players} players (A-SETUP-04)"
    limits = (box.limits.hand, box.limits.adventures, box.limits.markers, box.limits.draw)
    if min_players * box.limits.markers > 99 or min(limits) < 1 or max(limits) > MAX_PRINTED_NUMBER:
        yield f"limits: they begin at 1 and end at {MAX_PRINTED_NUMBER}"
    if min(box.scoring.silver_per_vp, box.scoring.travel_cards_per_vp) < 1 or not box.scoring.assistants:
        yield "scoring: silver_per_vp, travel_cards_per_vp and assistants begin at 1 (A-SCORE-06)"
    for collection in box.scoring.collections:
        if collection.kind not in ("identical", "different") or collection.size < 2:
            yield f"scoring.collections: {collection.size} {collection.kind} is not a collection (A-SCORE-02)"
    amounts_by_entry = {
        "costs": (box.costs.adventure, box.costs.page, box.costs.recolouring),
        "books": (box.books.free_pages,),
    }
    amounts_by_entry |= {f"company {company.name}": (company.silver,) for company in box.companies}
    amounts_by_entry |= {f"card {card.id}": (card.silver, card.vp) for card in _all_cards(box)}
    amounts_by_entry |= {
        f"bonus {number}": (bonus.silver, bonus.travel_cards) for number, bonus in enumerate(box.bonuses, 1)
    }
    amounts_by_entry |= {"travel_cards": (*box.travel_cards.values(),), "removed": (*box.removed.values(),)}
    yield from (
        f"{entry}: an amount below 0" for entry, amounts in amounts_by_entry.items() if min(amounts, default=0) < 0
    )
    amounts_by_entry["scoring"] = (
        *(box.scoring.silver_per_vp, box.scoring.travel_cards_per_vp, box.scoring.unfinished_artifact),
        *box.scoring.assistants,
        *(collection.vp for collection in box.scoring.collections),
    )
    for entry, amounts in amounts_by_entry.items():
        if max(map(abs, amounts), default=0) > MAX_PRINTED_NUMBER:
            yield f"{entry}: an amount above {MAX_PRINTED_NUMBER}"


def check_board(box: Components) -> Iterator[str]:
    """Checks the locations with their symbols and cells, and that routes join them all."""
    for location in box.locations:
        yield from (f"location {location.name}: {fault}" for fault in _check_location(box, location))
    yield from _check_routes(box)
    cell_counts = Counter(cell for location in box.locations for cell in cells_of_location(location))
    yield from (f"the cell {cell} belongs to {count} locations" for cell, count in cell_counts.items() if count > 1)
    half_by_place = _halves_by_place(box)
    yield from (
        f"company {company.name}: {company.start} is not a location"
        for company in box.companies
        if company.start not in half_by_place
    )


def _check_location(box: Components, location: Location) -> Iterator[str]:
    if location.half not in HALVES:
        yield f"half {location.half} is neither north nor south (A-COMP-01)"
    if not 1 <= len(set(location.symbols)) == len(location.symbols) <= 2:
        yield "it shows 1 or 2 symbols, not the same twice (A-COMP-07)"
    yield from (f"symbol {symbol} is not a colour" for symbol in location.symbols if symbol not in box.colours)
    if not (0 <= location.at[0] < 19 and 0 <= location.at[1] < 60):
        yield f"at {list(location.at)} is outside of 19 columns and 60 rows"


def cells_of_location(location: Location) -> Iterator[tuple[int, int]]:
    """The four grid cells where a location is drawn."""
    column, row = location.at
    return ((column + x, row + y) for y in (0, 1) for x in (0, 1))


def _check_routes(box: Components) -> Iterator[str]:
    half_by_place, route_counts = _halves_by_place(box), Counter(frozenset(route.ends) for route in box.routes)
    for route in box.routes:
        entry = f"route {'-'.join(route.ends)}"
        yield from (f"{entry}: {end} is not a location" for end in route.ends if end not in half_by_place)
        if len(set(route.ends)) < 2 or route_counts[frozenset(route.ends)] > 1:
            yield f"{entry}: it joins nothing, or is listed twice"
    connected_places, places_to_visit = {box.locations[0].name}, [box.locations[0].name]
    while places_to_visit:
        place = places_to_visit.pop()
        new_places = {end for route in box.routes if place in route.ends for end in route.ends} - connected_places
        connected_places |= new_places
        places_to_visit += new_places
    yield from (
        f"location {name}: no route leads there (A-COMP-01)" for name in half_by_place.keys() - connected_places
    )


def check_cards(box: Components) -> Iterator[str]:
    """Checks where expeditions and adventures lead, and how many there are of each kind."""
    for card in box.expeditions:
        yield from (f"expedition {card.id}: {fault}" for fault in _check_expedition(box, card))
    for adventure in box.adventures:
        yield from (f"adventure {adventure.id}: {fault}" for fault in _check_adventure(box, adventure))
    for half in HALVES:
        book = [card for card in box.adventures if card.book == half]
        for colour in box.colours:
            yield from _check_count(
                "A-COMP-03", f"{half} book, assistant {colour}", _count_among(book, "assistant", colour), 1
            )
        for kind in box.artifacts:
            yield from _check_count(
                "A-COMP-03", f"{half} book, artifact {kind}", _count_among(book, "artifact", kind), 2
            )
    back_counts, first_back, last_back = Counter(card.back for card in box.expeditions), box.backs[0], box.backs[-1]
    if back_counts[first_back] < len(box.bonuses):
        yield f"expeditions: {back_counts[first_back]} with back {first_back} do not fill the spaces (A-SETUP-06)"
    if back_counts[last_back] < max(box.removed.values()):
        yield f"expeditions: {back_counts[last_back]} with back {last_back} are fewer than are removed (A-SETUP-04)"


def _check_expedition(box: Components, card: Expedition) -> Iterator[str]:
    half_by_place = _halves_by_place(box)
    yield from (f"{end} is not a location" for end in (card.start, card.target) if end not in half_by_place)
    if card.start == card.target:
        yield "it ends where it starts"
    if card.back not in box.backs:
        yield f"back {card.back} is not one of {', '.join(box.backs)} (A-COMP-04)"


def _check_adventure(box: Components, card: Adventure) -> Iterator[str]:
    if card.target not in _halves_by_place(box) or card.book not in HALVES:
        yield f"target {card.target} or book {card.book} does not exist"
    elif _halves_by_place(box)[card.target] != OPPOSITE_HALF[card.book]:
        yield f"target {card.target} is not in the {OPPOSITE_HALF[card.book]} (A-COMP-02)"
    if bool(card.artifact) == bool(card.assistant):
        yield "it is an artifact or an assistant (A-COMP-03)"
    if card.assistant and (card.silver or card.vp):
        yield "an assistant has no silver and no VP of its own (A-ADV-03)"


def _all_cards(box: Components) -> list[Expedition | Adventure]:
    return [*box.expeditions, *box.adventures]


def _halves_by_place(box: Components) -> dict[str, str]:
    return {location.name: location.half for location in box.locations}


def _count_among(adventures: Iterable[Adventure], field: str, value: str) -> int:
    return sum(getattr(card, field) == value for card in adventures)


def _check_count(code: str, entry: str, count: int, required_count: int) -> Iterator[str]:
    if count != required_count:
        yield f"{entry}: there are {count}, and there must be {required_count} ({code})"


CHECKS: tuple[tuple[Callable[[Components], Iterator[str]], ...], ...] = (
    (check_names, check_counts),
    (check_figures, check_board),
    (check_cards,),
)
