"""Advice on squares for first monuments, buildings and craftsmen: what each would serve, claim and compete with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, zip_longest
from typing import NamedTuple

from zimcore.game import Advice, Seat
from zimcore.games.zimbabwe.advice.distances import Distances
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Build, PlaceCraftsman, Square, Start
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, RESOURCES, Type
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.placements import placements, types
from zimcore.games.zimbabwe.placements import starts as start_places
from zimcore.games.zimbabwe.rules.craftsmen import footprints, technology_vr, unclaimed_resources
from zimcore.games.zimbabwe.rules.monuments import building_ground
from zimcore.games.zimbabwe.rules.rituals import obsolete
from zimcore.games.zimbabwe.rules.rule import stands
from zimcore.games.zimbabwe.state import Craftsman, State
from zimcore.toolkit.words import begin, numbered

OTHERS, OWN, CLAIM, RIVAL, HUB = 2.0, 1.0, 1.5, 1.0, 0.2
"""Weights of the ranking: a monument served, of others or your own, and a resource claimed; against it, a competing
craftsman and a hub on the way."""


def starts(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """First monuments by the resources around: first the number of kinds, then the number of resources."""
    places = chain.from_iterable(group.commands(state) for group in start_places(state, ""))
    areas = [(around(state, place.square), place) for place in places if isinstance(place, Start)]
    for _, place in sorted(areas, key=lambda each: (-len(each[0]), -sum(each[0].values()))):
        yield Advice(format_command(place), brings_start(state, place.square))


def brings_start(state: State, square: Square) -> tuple[str, ...]:
    """The resources around a square, in words."""
    return (f"within reach: {count_text(around(state, square))}",)


def around(state: State, square: Square) -> Counter[str]:
    """The number of resources of each kind within range of a square."""
    ball = state.board.ball(state.board.square[square], state.steps)
    return +Counter({kind: (ball & state.resources[kind]).bit_count() for kind in RESOURCES})


def count_text(counts: Counter[str]) -> str:
    """Counts in words: `2 clay, 1 wood`; `nothing` if there are none."""
    return ", ".join(resources_text(count, name) for name, count in counts.most_common()) or "nothing"


def resources_text(count: int, name: str) -> str:
    """A number of resources: `1 diamond`, `2 diamonds`, `2 clay`."""
    return f"1 {name.removesuffix('s')}" if count == 1 else f"{count} {name}"


def buildings(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """Squares for monuments, by the goods that could raise them over few hubs."""
    if state.turn.action not in (None, "build"):
        return
    distances = Distances(state)
    offers = []
    for square in state.board.names(building_ground(state)):
        goods = goods_near(distances, square)
        offers.append((OTHERS * len(goods) - HUB * sum(goods.values()), square, goods))
    ranked = sorted(offers, key=lambda each: -each[0])
    if not ranked or not stands(state, seat, Build((ranked[0][1],))):
        return
    for _, square, goods in ranked:
        yield Advice(f"build {square}", brings_monument(goods))


def goods_near(distances: Distances, square: Square) -> dict[Type, int]:
    """The goods that could raise a monument, and the hubs on the way of each."""
    reached, obsolete_types = distances.craftsmen(distances.state.board.square[square]), obsolete(distances.state)
    goods: dict[Type, int] = {}
    for craftsman, hubs in sorted(reached.items(), key=lambda each: each[1]):
        if craftsman.type not in obsolete_types:
            goods.setdefault(craftsman.type, hubs)
    return goods


def brings_monument(goods: Mapping[Type, int]) -> tuple[str, ...]:
    """The VP of a new monument, and the goods within reach: `potter, wood_carver over 1 hub`."""
    listed = ", ".join(name + (f" over {numbered(hubs, 'hub')}" if hubs else "") for name, hubs in goods.items())
    return f"+{CONSTANTS.level_vp[1]} VP", f"goods within reach: {listed or 'none'}"


class CraftsmanSite(NamedTuple):
    """A site for a craftsman: the monuments it would serve, the resources it would claim, and its rivals."""

    squares: tuple[Square, ...]
    serves: dict[Square, int]
    claims: Squares
    rivals: tuple[Craftsman, ...]
    score: float


def crafts(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """Places for craftsmen. If no type is named, the best place of each type comes before any second best."""
    distances = Distances(state)
    names = [name for name in types(state) if begin([name], words[:1]) and placements(state, name)]
    ranked = {name: sorted(places(state, seat, name, distances), key=lambda place: -place.score) for name in names}
    first = sorted(names, key=lambda name: -max([place.score for place in ranked[name]], default=0))
    rows = zip_longest(*([(name, place) for place in ranked[name]] for name in first))
    for name, place in filter(None, chain.from_iterable(rows)):
        yield Advice(
            format_command(command(state, seat, name, place)), tuple(placing_effects(state, seat, name, place))
        )


def places(state: State, seat: Seat, type_: Type, distances: Distances) -> Iterator[CraftsmanSite]:
    """All sites where a craftsman of a type fits."""
    return looked_at(state, seat, type_, footprints(state, type_), distances)


def looked_at(
    state: State, seat: Seat, type_: Type, all_: Iterable[tuple[Square, ...]], distances: Distances
) -> Iterator[CraftsmanSite]:
    """The sites at these places for a craftsman of a type, with their scores."""
    board, free, counts = state.board, unclaimed_resources(state, type_), type_ not in obsolete(state)
    others = {rival: distances.monuments(rival.zone).keys() for rival in state.of_type(type_)}
    for squares in all_:
        zone = board.mask(squares)
        claims = state.resources_near(zone, CRAFTSMEN[type_].resource) & free
        serves = distances.monuments(zone) if counts else {}
        rivals = tuple(rival for rival, reached in others.items() if reached & serves.keys())
        own = sum(state.monuments[square].owner == seat for square in serves)
        score = OTHERS * (len(serves) - own) + OWN * own + CLAIM * claims.bit_count()
        score -= RIVAL * len(rivals) + HUB * sum(serves.values())
        yield CraftsmanSite(squares, serves, claims, rivals, score)


def command(state: State, seat: Seat, type_: Type, place: CraftsmanSite) -> PlaceCraftsman:
    """The command for a site. The price of a new technology is that of the cheapest rival, or the highest possible."""
    if f"{seat}/{type_}" in state.technologies:
        return PlaceCraftsman(type_, place.squares)
    prices = [state.technologies[f"{rival.owner}/{type_}"].price for rival in place.rivals]
    return PlaceCraftsman(type_, place.squares, min(prices, default=CONSTANTS.max_price))


def placing_effects(state: State, seat: Seat, type_: Type, place: CraftsmanSite) -> Iterator[str]:
    """The effects of placing a craftsman: `serves 3 monuments (Lozi 2, yours 1)`."""
    craftsman = CRAFTSMEN[type_]
    vr = technology_vr(state, seat, type_)
    yield f"+{craftsman.vp} VP, -{craftsman.cost} cattle" + (f", +{vr} VR" if vr else "")
    if type_ in obsolete(state):
        yield "its goods raise no monuments any more"
    else:
        yield f"serves {numbered(len(place.serves), 'monument')}" + whose(state, seat, place.serves)
    yield f"claims {resources_text(place.claims.bit_count(), craftsman.resource)}"
    owners = {seat: "yours"}
    rivals = [f"{owners.get(rival.owner, rival.owner.title())} at {rival.at}" for rival in place.rivals]
    yield f"competes with {', '.join(rivals)}" if rivals else f"no other {type_} there"


def whose(state: State, seat: Seat, squares: Iterable[Square]) -> str:
    """The owners of monuments in words: ` (Lozi 2, yours 1)`, "" for none."""
    owners = Counter(state.monuments[square].owner for square in squares)
    counts = ", ".join(
        f"{'yours' if owner == seat else owner.title()} {count}" for owner, count in owners.most_common()
    )
    return f" ({counts})" if counts else ""
