"""Checks components against the rulebook; a player's own file has to pass all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from zimcore.games.africana.components import HALVES, Adventure, Components, Expedition, Location

ID = re.compile(r"[A-Z][0-9]{2}")
NAME = re.compile(r"[a-z]+(_[a-z]+)*")
MAX_PRINTED = 9_999
"""The largest number on a card or board."""
OPPOSITE = dict(zip(HALVES, HALVES[::-1], strict=True))


def faults(box: Components) -> list[str]:
    """All faults, each with its entry and the rule that it breaks.

    Later checks run only if earlier ones find nothing.
    """
    for checks in CHECKS:
        results = [fault for check in checks for fault in check(box)]
        if results:
            return results
    return []


def names(box: Components) -> Iterator[str]:
    """Checks that names are unique, and can be typed."""
    words = [*box.colours, *box.artifacts, *(c.name for c in box.companies), *(each.name for each in box.locations)]
    yield from (f"{word}: a name is small letters joined by _" for word in words if not NAME.fullmatch(word))
    ids = [card.id for card in _cards(box)]
    yield from (f"card {id_}: an id is a letter and two digits" for id_ in ids if not ID.fullmatch(id_))
    yield from (f"{name}: it is there {count} times" for name, count in Counter([*words, *ids]).items() if count > 1)
    codes = Counter(each.name[:3] for each in box.locations)
    yield from (f"location {x.name}: another name begins {x.name[:3]}" for x in box.locations if codes[x.name[:3]] > 1)


def counts(box: Components) -> Iterator[str]:
    """Checks the number of each component (A-COMP)."""
    yield from _is("A-COMP-05", "colours", len(box.colours), 5)
    yield from _is("A-COMP-03", "artifacts", len(box.artifacts), 5)
    yield from _is("A-COMP-04", "backs", len(box.backs), 3)
    yield from _is("A-COMP-04", "expeditions", len(box.expeditions), 34)
    yield from _is("A-COMP-02", "adventures", len(box.adventures), 30)
    yield from _is("A-COMP-05", "travel_cards", sum(box.travel_cards.values()), 60)
    yield from _is("A-COMP-05", "jokers", box.jokers, 4)
    yield from _is("A-COMP-06", "companies", len(box.companies), 4)
    yield from _is("A-COMP-08", "bonuses", len(box.bonuses), 5)
    for half in HALVES:
        yield from _is("A-COMP-01", f"locations in the {half}", sum(x.half == half for x in box.locations), 11)
    for cards in (box.travel_cards, box.assistants):
        yield from (f"{colour}: not a colour of A-COMP-05" for colour in cards.keys() ^ set(box.colours))
    for colour, count in box.assistants.items():
        yield from _is("A-COMP-05", f"assistants {colour}", count, 2)


def figures(box: Components) -> Iterator[str]:
    """Checks that numbers are within the bounds of the rules."""
    least, most = box.limits.players
    if not 1 < least <= most <= len(box.companies):
        yield f"limits.players: {least} to {most} is not within 2 to {len(box.companies)} (A-SETUP-01)"
    if set(box.removed) != {str(players) for players in range(least, most + 1)}:
        yield f"removed: it needs {least} to {most} players (A-SETUP-04)"
    limits = (box.limits.hand, box.limits.adventures, box.limits.markers, box.limits.draw)
    if least * box.limits.markers > 99 or min(limits) < 1 or max(limits) > MAX_PRINTED:
        yield f"limits: they begin at 1 and end at {MAX_PRINTED}"
    if min(box.scoring.silver_per_vp, box.scoring.travel_cards_per_vp) < 1 or not box.scoring.assistants:
        yield "scoring: silver_per_vp, travel_cards_per_vp and assistants begin at 1 (A-SCORE-06)"
    for collection in box.scoring.collections:
        if collection.kind not in ("identical", "different") or collection.size < 2:
            yield f"scoring.collections: {collection.size} {collection.kind} is not a collection (A-SCORE-02)"
    amounts = {"costs": (box.costs.adventure, box.costs.page, box.costs.recolouring), "books": (box.books.free_pages,)}
    amounts |= {f"company {each.name}": (each.silver,) for each in box.companies}
    amounts |= {f"card {card.id}": (card.silver, card.vp) for card in _cards(box)}
    amounts |= {f"bonus {n}": (each.silver, each.travel_cards) for n, each in enumerate(box.bonuses, 1)}
    amounts |= {"travel_cards": (*box.travel_cards.values(),), "removed": (*box.removed.values(),)}
    yield from (f"{entry}: an amount below 0" for entry, values in amounts.items() if min(values, default=0) < 0)
    amounts["scoring"] = (
        *(box.scoring.silver_per_vp, box.scoring.travel_cards_per_vp, box.scoring.unfinished_artifact),
        *box.scoring.assistants,
        *(each.vp for each in box.scoring.collections),
    )
    for entry, values in amounts.items():
        if max(map(abs, values), default=0) > MAX_PRINTED:
            yield f"{entry}: an amount above {MAX_PRINTED}"


def board(box: Components) -> Iterator[str]:
    """Checks the locations with their symbols and cells, and that routes join them all."""
    for location in box.locations:
        yield from (f"location {location.name}: {fault}" for fault in _location(box, location))
    yield from _routes(box)
    cells = Counter(cell for location in box.locations for cell in block(location))
    yield from (f"the cell {cell} belongs to {n} locations" for cell, n in cells.items() if n > 1)
    places = _places(box)
    yield from (f"company {c.name}: {c.start} is not a location" for c in box.companies if c.start not in places)


def _location(box: Components, location: Location) -> Iterator[str]:
    if location.half not in HALVES:
        yield f"half {location.half} is neither north nor south (A-COMP-01)"
    if not 1 <= len(set(location.symbols)) == len(location.symbols) <= 2:
        yield "it shows 1 or 2 symbols, not the same twice (A-COMP-07)"
    yield from (f"symbol {symbol} is not a colour" for symbol in location.symbols if symbol not in box.colours)
    if not (0 <= location.at[0] < 19 and 0 <= location.at[1] < 60):
        yield f"at {list(location.at)} is outside of 19 columns and 60 rows"


def block(location: Location) -> Iterator[tuple[int, int]]:
    """The four grid cells where a location is drawn."""
    column, row = location.at
    return ((column + x, row + y) for y in (0, 1) for x in (0, 1))


def _routes(box: Components) -> Iterator[str]:
    places, degrees = _places(box), Counter(frozenset(route.ends) for route in box.routes)
    for route in box.routes:
        entry = f"route {'-'.join(route.ends)}"
        yield from (f"{entry}: {end} is not a location" for end in route.ends if end not in places)
        if len(set(route.ends)) < 2 or degrees[frozenset(route.ends)] > 1:
            yield f"{entry}: it joins nothing, or is listed twice"
    connected, ahead = {box.locations[0].name}, [box.locations[0].name]
    while ahead:
        here = ahead.pop()
        beside = {end for route in box.routes if here in route.ends for end in route.ends} - connected
        connected |= beside
        ahead += beside
    yield from (f"location {name}: no route leads there (A-COMP-01)" for name in places.keys() - connected)


def cards(box: Components) -> Iterator[str]:
    """Checks where expeditions and adventures lead, and how many there are of each kind."""
    for card in box.expeditions:
        yield from (f"expedition {card.id}: {fault}" for fault in _expedition(box, card))
    for adventure in box.adventures:
        yield from (f"adventure {adventure.id}: {fault}" for fault in _adventure(box, adventure))
    for half in HALVES:
        book = [card for card in box.adventures if card.book == half]
        for colour in box.colours:
            yield from _is("A-COMP-03", f"{half} book, assistant {colour}", _among(book, "assistant", colour), 1)
        for kind in box.artifacts:
            yield from _is("A-COMP-03", f"{half} book, artifact {kind}", _among(book, "artifact", kind), 2)
    backs = Counter(card.back for card in box.expeditions)
    if backs[box.backs[0]] < len(box.bonuses):
        yield f"expeditions: {backs[box.backs[0]]} with back {box.backs[0]} do not fill the spaces (A-SETUP-06)"
    if backs[box.backs[-1]] < max(box.removed.values()):
        yield f"expeditions: {backs[box.backs[-1]]} with back {box.backs[-1]} are fewer than are removed (A-SETUP-04)"


def _expedition(box: Components, card: Expedition) -> Iterator[str]:
    places = _places(box)
    yield from (f"{end} is not a location" for end in (card.start, card.target) if end not in places)
    if card.start == card.target:
        yield "it ends where it starts"
    if card.back not in box.backs:
        yield f"back {card.back} is not one of {', '.join(box.backs)} (A-COMP-04)"


def _adventure(box: Components, card: Adventure) -> Iterator[str]:
    if card.target not in _places(box) or card.book not in HALVES:
        yield f"target {card.target} or book {card.book} does not exist"
    elif _places(box)[card.target] != OPPOSITE[card.book]:
        yield f"target {card.target} is not in the {OPPOSITE[card.book]} (A-COMP-02)"
    if bool(card.artifact) == bool(card.assistant):
        yield "it is an artifact or an assistant (A-COMP-03)"
    if card.assistant and (card.silver or card.vp):
        yield "an assistant has no silver and no VP of its own (A-ADV-03)"


def _cards(box: Components) -> list[Expedition | Adventure]:
    return [*box.expeditions, *box.adventures]


def _places(box: Components) -> dict[str, str]:
    return {location.name: location.half for location in box.locations}


def _among(cards_: Iterable[Adventure], field: str, value: str) -> int:
    return sum(getattr(card, field) == value for card in cards_)


def _is(code: str, what: str, count: int, stated: int) -> Iterator[str]:
    if count != stated:
        yield f"{what}: there are {count}, and there must be {stated} ({code})"


CHECKS: tuple[tuple[Callable[[Components], Iterator[str]], ...], ...] = ((names, counts), (figures, board), (cards,))
