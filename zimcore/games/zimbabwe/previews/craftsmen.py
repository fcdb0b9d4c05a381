"""Previews placing a craftsman."""

from __future__ import annotations

import msgspec

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import PlaceCraftsman, Square
from zimcore.games.zimbabwe.components import CRAFTSMEN, CraftsmanType
from zimcore.games.zimbabwe.rules.cards import kept_cattle_by_specialist
from zimcore.games.zimbabwe.rules.craftsmen import next_card, technology_vr, unclaimed_resources
from zimcore.games.zimbabwe.rules.rituals import find_obsolete_types
from zimcore.games.zimbabwe.state import State


class CraftsmanPreview(msgspec.Struct, frozen=True):
    """The cost (in cattle) and effects of a craftsman, for the player who places it.

    `kept_cattle` of its `cost` comes back from a specialist's card (R-SPEC-08). `card` is the technology card taken
    with it (1, 2 or None), `vr` its VR. `claimed_resources` are those that no other craftsman of its type has within
    range, `shared_resources` those that one has. `hubs_by_monument` has the hubs to each monument within reach,
    `hubs_by_primary` those to each primary craftsman that it can work with. `obsolete_type` is the type whose goods no
    longer count in rituals (R-RAI-04); that is the placed type itself if a secondary one has replaced it already.
    """

    type: CraftsmanType
    cost: int
    kept_cattle: int
    vp: int
    vr: int
    card: int | None
    claimed_resources: tuple[Square, ...]
    shared_resources: tuple[Square, ...]
    hubs_by_monument: dict[Square, int]
    hubs_by_primary: dict[Square, int]
    obsolete_type: CraftsmanType | None


def preview_craftsman(state: State, seat: Seat, command: PlaceCraftsman) -> CraftsmanPreview:
    """The preview of a craftsman on squares of the board, whether it is legal or not."""
    craftsman = CRAFTSMEN[command.type]
    zone = state.board.mask(command.squares)
    resources_in_range, unclaimed_squares = (
        state.resources_near(zone, craftsman.resource),
        unclaimed_resources(state, command.type),
    )
    is_new = f"{seat}/{command.type}" not in state.technologies
    return CraftsmanPreview(
        type=command.type,
        cost=craftsman.cost,
        kept_cattle=sum(kept_cattle for _, kept_cattle in kept_cattle_by_specialist(state, craftsman.cost)),
        vp=craftsman.vp,
        vr=technology_vr(state, seat, command.type),
        card=next_card(state, command.type) if is_new else None,
        claimed_resources=state.board.names(resources_in_range & unclaimed_squares),
        shared_resources=state.board.names(resources_in_range & ~unclaimed_squares),
        hubs_by_monument=_hubs_by_square(
            state, zone, {square: state.board.square[square] for square in state.monuments}
        ),
        hubs_by_primary=_hubs_by_square(
            state, zone, {primary.at: primary.zone for primary in state.craftsmen_of_type(craftsman.needs or "")}
        ),
        obsolete_type=_obsolete_type(state, command.type),
    )


def _hubs_by_square(state: State, zone: Squares, targets: dict[Square, Squares]) -> dict[Square, int]:
    """The fewest hubs to each target within reach; ways are symmetric (R-RNG-08)."""
    hubs_by_square: dict[Square, int] = {}
    for hubs, ring in enumerate(state.board.hub_rings(zone, state.range_in_steps, state.monument_squares)):
        for square, target in targets.items():
            if target & ring:
                hubs_by_square.setdefault(square, hubs)
    return hubs_by_square


def _obsolete_type(state: State, type_: CraftsmanType) -> CraftsmanType | None:
    primary_type = CRAFTSMEN[type_].needs
    if primary_type:
        return None if primary_type in find_obsolete_types(state) else primary_type
    return type_ if type_ in find_obsolete_types(state) else None
