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
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, RESOURCES, CraftsmanType
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.placements import craftsman_groups, start_groups, type_names
from zimcore.games.zimbabwe.rules.craftsmen import footprints, technology_vr, unclaimed_resources
from zimcore.games.zimbabwe.rules.monuments import building_ground
from zimcore.games.zimbabwe.rules.rituals import find_obsolete_types
from zimcore.games.zimbabwe.rules.rule import is_legal
from zimcore.games.zimbabwe.state import Craftsman, State
from zimcore.toolkit.words import numbered, words_begin_with

OTHERS_WEIGHT, OWN_WEIGHT, CLAIM_WEIGHT, RIVAL_WEIGHT, HUB_WEIGHT = 2.0, 1.0, 1.5, 1.0, 0.2
"""Weights of the ranking: a monument served, of others or your own, and a resource claimed; against it, a competing
craftsman and a hub on the way."""


def start_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """First monuments by the resources around: first the number of kinds, then the number of resources."""
    commands = chain.from_iterable(group.commands(state) for group in start_groups(state, ""))
    counts_and_commands = [
        (resources_around(state, command.square), command) for command in commands if isinstance(command, Start)
    ]
    for _, command in sorted(counts_and_commands, key=lambda row: (-len(row[0]), -sum(row[0].values()))):
        yield Advice(format_command(command), start_effects(state, command.square))


def start_effects(state: State, square: Square) -> tuple[str, ...]:
    """The resources around a square, in words."""
    return (f"within reach: {count_text(resources_around(state, square))}",)


def resources_around(state: State, square: Square) -> Counter[str]:
    """The number of resources of each kind within range of a square."""
    squares_in_range = state.board.ball(state.board.square[square], state.range_in_steps)
    return +Counter({kind: (squares_in_range & state.resources[kind]).bit_count() for kind in RESOURCES})


def count_text(counts: Counter[str]) -> str:
    """Counts in words: `2 clay, 1 wood`; `nothing` if there are none."""
    return ", ".join(resources_text(count, name) for name, count in counts.most_common()) or "nothing"


def resources_text(count: int, name: str) -> str:
    """A number of resources: `1 diamond`, `2 diamonds`, `2 clay`."""
    return f"1 {name.removesuffix('s')}" if count == 1 else f"{count} {name}"


def building_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """Squares for monuments, by the goods that could raise them over few hubs."""
    if state.turn.action not in (None, "build"):
        return
    distances = Distances(state)
    scored_squares = []
    for square in state.board.names(building_ground(state)):
        hubs_by_type = goods_near(distances, square)
        scored_squares.append(
            (OTHERS_WEIGHT * len(hubs_by_type) - HUB_WEIGHT * sum(hubs_by_type.values()), square, hubs_by_type)
        )
    ranked_squares = sorted(scored_squares, key=lambda row: -row[0])
    if not ranked_squares or not is_legal(state, seat, Build((ranked_squares[0][1],))):
        return
    for _, square, hubs_by_type in ranked_squares:
        yield Advice(f"build {square}", monument_effects(hubs_by_type))


def goods_near(distances: Distances, square: Square) -> dict[CraftsmanType, int]:
    """The goods that could raise a monument, and the hubs on the way of each."""
    hubs_by_craftsman, obsolete_types = (
        distances.hubs_to_craftsmen(distances.state.board.square[square]),
        find_obsolete_types(distances.state),
    )
    hubs_by_type: dict[CraftsmanType, int] = {}
    for craftsman, hubs in sorted(hubs_by_craftsman.items(), key=lambda item: item[1]):
        if craftsman.type not in obsolete_types:
            hubs_by_type.setdefault(craftsman.type, hubs)
    return hubs_by_type


def monument_effects(hubs_by_type: Mapping[CraftsmanType, int]) -> tuple[str, ...]:
    """The VP of a new monument, and the goods within reach: `potter, wood_carver over 1 hub`."""
    goods_text = ", ".join(
        type_ + (f" over {numbered(hubs, 'hub')}" if hubs else "") for type_, hubs in hubs_by_type.items()
    )
    return f"+{CONSTANTS.level_vp[1]} VP", f"goods within reach: {goods_text or 'none'}"


class CraftsmanSite(NamedTuple):
    """A site for a craftsman: the monuments it would serve, the resources it would claim, and its rivals."""

    squares: tuple[Square, ...]
    hubs_by_monument: dict[Square, int]
    claimed_resources: Squares
    rivals: tuple[Craftsman, ...]
    score: float


def craftsman_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """Places for craftsmen. If no type is named, the best place of each type comes before any second best."""
    distances = Distances(state)
    placeable_types = [
        type_ for type_ in type_names(state) if words_begin_with([type_], words[:1]) and craftsman_groups(state, type_)
    ]
    sites_by_type = {
        type_: sorted(sites_of_type(state, seat, type_, distances), key=lambda site: -site.score)
        for type_ in placeable_types
    }
    types_by_best_site = sorted(
        placeable_types, key=lambda name: -max([site.score for site in sites_by_type[name]], default=0)
    )
    rounds_of_sites = zip_longest(*([(type_, site) for site in sites_by_type[type_]] for type_ in types_by_best_site))
    for type_, site in filter(None, chain.from_iterable(rounds_of_sites)):
        yield Advice(
            format_command(site_command(state, seat, type_, site)), tuple(placing_effects(state, seat, type_, site))
        )


def sites_of_type(state: State, seat: Seat, type_: CraftsmanType, distances: Distances) -> Iterator[CraftsmanSite]:
    """All sites where a craftsman of a type fits."""
    return evaluate_sites(state, seat, type_, footprints(state, type_), distances)


def evaluate_sites(
    state: State, seat: Seat, type_: CraftsmanType, squares_of_sites: Iterable[tuple[Square, ...]], distances: Distances
) -> Iterator[CraftsmanSite]:
    """The sites at these places for a craftsman of a type, with their scores."""
    board, unclaimed_squares, is_useful = (
        state.board,
        unclaimed_resources(state, type_),
        type_ not in find_obsolete_types(state),
    )
    squares_served_by_rival = {
        rival: distances.hubs_to_monuments(rival.zone).keys() for rival in state.craftsmen_of_type(type_)
    }
    for squares in squares_of_sites:
        zone = board.mask(squares)
        claimed_resources = state.resources_near(zone, CRAFTSMEN[type_].resource) & unclaimed_squares
        hubs_by_monument = distances.hubs_to_monuments(zone) if is_useful else {}
        rivals = tuple(
            rival
            for rival, squares_served in squares_served_by_rival.items()
            if squares_served & hubs_by_monument.keys()
        )
        own_count = sum(state.monuments[square].owner == seat for square in hubs_by_monument)
        score = (
            OTHERS_WEIGHT * (len(hubs_by_monument) - own_count)
            + OWN_WEIGHT * own_count
            + CLAIM_WEIGHT * claimed_resources.bit_count()
        )
        score -= RIVAL_WEIGHT * len(rivals) + HUB_WEIGHT * sum(hubs_by_monument.values())
        yield CraftsmanSite(squares, hubs_by_monument, claimed_resources, rivals, score)


def site_command(state: State, seat: Seat, type_: CraftsmanType, site: CraftsmanSite) -> PlaceCraftsman:
    """The command for a site. The price of a new technology is that of the cheapest rival, or the highest possible."""
    if f"{seat}/{type_}" in state.technologies:
        return PlaceCraftsman(type_, site.squares)
    prices = [state.technologies[f"{rival.owner}/{type_}"].price for rival in site.rivals]
    return PlaceCraftsman(type_, site.squares, min(prices, default=CONSTANTS.max_price))


def placing_effects(state: State, seat: Seat, type_: CraftsmanType, site: CraftsmanSite) -> Iterator[str]:
    """The effects of placing a craftsman: `serves 3 monuments (Lozi 2, yours 1)`."""
    craftsman = CRAFTSMEN[type_]
    vr = technology_vr(state, seat, type_)
    yield f"+{craftsman.vp} VP, -{craftsman.cost} cattle" + (f", +{vr} VR" if vr else "")
    if type_ in find_obsolete_types(state):
        yield "its goods raise no monuments any more"
    else:
        yield f"serves {numbered(len(site.hubs_by_monument), 'monument')}" + owners_text(
            state, seat, site.hubs_by_monument
        )
    yield f"claims {resources_text(site.claimed_resources.bit_count(), craftsman.resource)}"
    owner_names = {seat: "yours"}
    rival_texts = [f"{owner_names.get(rival.owner, rival.owner.title())} at {rival.at}" for rival in site.rivals]
    yield f"competes with {', '.join(rival_texts)}" if rival_texts else f"no other {type_} there"


def owners_text(state: State, seat: Seat, squares: Iterable[Square]) -> str:
    """The owners of monuments in words: ` (Lozi 2, yours 1)`, "" for none."""
    count_by_owner = Counter(state.monuments[square].owner for square in squares)
    counts_text = ", ".join(
        f"{'yours' if owner == seat else owner.title()} {count}" for owner, count in count_by_owner.most_common()
    )
    return f" ({counts_text})" if counts_text else ""
