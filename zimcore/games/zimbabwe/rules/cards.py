"""Gods and specialists: one card a turn, and the use of specialists."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Adore, Hire, Use
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, RESOURCES, SPECIALISTS, God, Specialist
from zimcore.games.zimbabwe.events import (
    STOCK,
    Account,
    GodAdored,
    ResourcePlaced,
    SpecialistHired,
    SpecialistUsed,
    TechnologyRebated,
    VRChanged,
    WaterPlaced,
)
from zimcore.games.zimbabwe.rules.rule import Draft, Stage, decides, guard
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import joined, numbered


def prices_come_first(state: State, seat: Seat) -> bool:
    """Whether new technologies need their prices before cards are taken or used (R-PRI-01)."""
    return bool(state.unpriced_technologies(seat)) and not state.has_house_rule("new_prices")


def vr_limit_reason(state: State, seat: Seat, change: int) -> str | None:
    """The reason why adding `change` VR is too much (R-VR-02); None if it is not."""
    vr = state.vr[seat] + change
    return f"{seat}'s VR would be {vr}, and it can't be above {CONSTANTS.max_vr}" if vr > CONSTANTS.max_vr else None


def change_vr(draft: Draft, seat: Seat, change: int, reason: str) -> None:
    """Moves a VR marker; without a change it stays where it is in its stack (R-VR-05)."""
    if change:
        draft.happen(VRChanged(seat, change, reason))


@guard("R-GOD-01", Adore, stage=Stage.WORDS)
def god_is_in_play(state: State, seat: Seat, command: Adore) -> str | None:
    """The god must be among those dealt."""
    return None if command.god in state.setup.gods else f"{command.god} is not in play"


@guard("R-SPEC-01", Hire, Use, stage=Stage.WORDS)
def specialist_is_in_play(state: State, seat: Seat, command: Hire | Use) -> str | None:
    """The specialist must be in the game."""
    return None if command.specialist in state.specialists else f"{command.specialist} is not in play"


@guard("R-TURN-01", Adore, Hire)
def card_action_is_left(state: State, seat: Seat, command: Adore | Hire) -> str | None:
    """A player takes at most one card a turn."""
    return f"{seat} has already taken a card in this turn" if state.turn.card else None


@guard("R-GOD-01", Adore)
def god_can_be_adored(state: State, seat: Seat, command: Adore) -> str | None:
    """A player adores one god for the whole game, and a god has one adorer."""
    god_of_seat, adorer = state.adores.get(seat), state.adorer_of(command.god)
    if god_of_seat:
        return f"{seat} adores {god_of_seat}, for good"
    return f"{adorer} adores {command.god}" if adorer else None


def may_take_a_card(state: State, seat: Seat) -> bool:
    """Whether a player may take a card, before the rules about each card."""
    return not prices_come_first(state, seat) and card_action_is_left(state, seat, Adore("")) is None


def may_adore(state: State, seat: Seat) -> bool:
    """Whether a player may adore a god, before the rules about each god."""
    return may_take_a_card(state, seat) and god_can_be_adored(state, seat, Adore("")) is None


@guard("R-VR-02", Adore)
def god_is_within_the_limit(state: State, seat: Seat, command: Adore) -> str | None:
    """VR must stay within the limit, after the rebate for technologies (R-GOD-02)."""
    if state.has_house_rule("god_limit"):
        return None
    return vr_limit_reason(state, seat, state.setup.gods[command.god] - god_rebate(state, seat, GODS[command.god]))


def god_rebate(state: State, seat: Seat, god: God) -> int:
    """The VR that a god takes off a player's technologies (R-GOD-02)."""
    if god.technology_vr is None:
        return 0
    return sum(technology.vr - god.technology_vr for technology in state.technologies_of(seat).values())


def waiting_account(god: str) -> Account:
    """The account of cattle that wait for a god's next adorer."""
    return f"card/{god}"


@decides(Adore)
def adore(draft: Draft, seat: Seat, command: Adore) -> None:
    """Adores a god, whose effects begin at once (R-TURN-03)."""
    state, god = draft.state, GODS[command.god]
    rebate = god_rebate(state, seat, god)
    draft.happen(GodAdored(seat, command.god))
    if god.technology_vr is not None:
        for type_ in state.technologies_of(seat):
            draft.happen(TechnologyRebated(seat, type_, god.technology_vr))
    vr = state.setup.gods[command.god]
    if state.has_house_rule("god_limit"):
        vr = min(vr, CONSTANTS.max_vr - state.vr[seat] + rebate)
    if state.has_house_rule("gu"):
        change_vr(draft, seat, vr - rebate, command.god)
    else:
        change_vr(draft, seat, -rebate, f"rebate of {command.god}")
        change_vr(draft, seat, vr, command.god)
    draft.pay(
        waiting_account(command.god),
        f"{seat}/{command.god}",
        state.cattle.get(waiting_account(command.god), 0),
        command.god,
    )


@guard("R-SPEC-01", Hire)
def specialist_is_free(state: State, seat: Seat, command: Hire) -> str | None:
    """There is one card of each specialist."""
    owner = state.specialists[command.specialist]
    return f"{owner} has the {command.specialist}" if owner else None


@guard("R-VR-02", Hire)
def specialist_is_within_the_limit(state: State, seat: Seat, command: Hire) -> str | None:
    """VR must stay within the limit."""
    return vr_limit_reason(state, seat, state.setup.specialists[command.specialist])


@guard("R-TURN-01", Use)
def specialist_is_ready(state: State, seat: Seat, command: Use) -> str | None:
    """A player can use each of their own specialists once a turn; under a house rule, the Herd until it is full."""
    if state.specialists[command.specialist] != seat:
        return f"{seat} does not have the {command.specialist}"
    paid_cattle = state.paid_in_steps(seat, command.specialist)
    if command.specialist not in state.turn.used or 0 < paid_cattle < max(SPECIALISTS[command.specialist].costs):
        return None
    paid_note = f", with {paid_cattle} cattle, the most in a turn" if paid_cattle else ""
    return f"{seat} has used the {command.specialist} in this turn{paid_note}"


@guard("R-TURN-01", Hire, Use)
def specialist_use_is_left(state: State, seat: Seat, command: Hire | Use) -> str | None:
    """A player can use any number of specialists a turn, or one under a house rule; the Herd in steps is still one."""
    if not state.turn.used or not state.has_house_rule("specialist_uses"):
        return None
    if state.paid_in_steps(seat, command.specialist):
        return None
    return f"{seat} has used the {state.turn.used[0]} in this turn, and the house rules allow one (specialist_uses=one)"


def payment(command: Hire | Use) -> int | None:
    """The cattle paid onto the card: as given, or its only cost; None if there is a choice and none was given."""
    costs = SPECIALISTS[command.specialist].costs
    return costs[0] if command.cattle is None and len(costs) == 1 else command.cattle


@guard("R-SPEC-02", Hire, Use)
def payment_is_the_cost(state: State, seat: Seat, command: Hire | Use) -> str | None:
    """Most specialists have one cost."""
    costs = SPECIALISTS[command.specialist].costs
    if len(costs) > 1 or payment(command) in costs:
        return None
    return f"the {command.specialist} takes {costs[0]} cattle, not {command.cattle}"


@guard("R-SPEC-06", Hire, Use)
def payment_is_one_of_the_costs(state: State, seat: Seat, command: Hire | Use) -> str | None:
    """The Herd takes 2, 4 or 6 cattle, in all under a house rule."""
    costs, paid_cattle = SPECIALISTS[command.specialist].costs, state.paid_in_steps(seat, command.specialist)
    allowed_costs = [cost for cost in costs if cost + paid_cattle <= max(costs)]
    if len(costs) == 1 or not allowed_costs or command.cattle in allowed_costs:  # a full one: R-TURN-01
        return None
    cattle_offered = "nothing" if command.cattle is None else str(command.cattle)
    more = " more" * bool(paid_cattle)
    return f"the {command.specialist} takes {joined(map(str, allowed_costs), 'or')} cattle{more}, not {cattle_offered}"


@guard("R-SPEC-02", Hire, Use)
def payment_is_at_hand(state: State, seat: Seat, command: Hire | Use) -> str | None:
    """The player must have the cattle."""
    cost, cattle = payment(command), state.cattle[seat]
    if cost is None or cost <= cattle:
        return None
    return f"using the {command.specialist} costs {cost} cattle and {seat} has {cattle}"


def may_hire(state: State, seat: Seat, specialist: str) -> bool:
    """Whether a player who may take a card may hire a specialist, before the rules about its use."""
    checks = (specialist_is_free, specialist_use_is_left, specialist_is_within_the_limit, payment_is_at_hand)
    return not any(check(state, seat, Hire(specialist)) for check in checks)


def may_use(state: State, seat: Seat, specialist: str) -> bool:
    """Whether a player may use a specialist, before the rules about its use."""
    checks = (specialist_is_ready, specialist_use_is_left, payment_is_at_hand)
    return not prices_come_first(state, seat) and not any(check(state, seat, Use(specialist)) for check in checks)


@guard("R-SPEC-03", Hire, Use, stage=Stage.WORDS)
def tile_is_left(state: State, seat: Seat, command: Hire | Use) -> str | None:
    """There must be a tile left to place."""
    specialist = SPECIALISTS.get(command.specialist)
    if specialist and specialist.places_water and not state.water_tiles:
        return "no water tile is left"
    if specialist and specialist.places_resource and state.tiles.get(command.resource or "") == 0:
        return f"no tile of {command.resource} is left"
    return None


@guard("R-SPEC-04", Hire, Use)
def resource_can_lie_there(state: State, seat: Seat, command: Hire | Use) -> str | None:
    """One resource goes onto one empty square."""
    if not SPECIALISTS[command.specialist].places_resource:
        return f"the {command.specialist} places no resource" if command.resource else None
    if command.resource not in RESOURCES:
        return f"say which resource to place: {', '.join(RESOURCES)}"
    return _occupied_reason(state, command.squares, 1)


@guard("R-SPEC-05", Hire, Use)
def water_can_lie_there(state: State, seat: Seat, command: Hire | Use) -> str | None:
    """Water goes onto two empty squares with a common edge."""
    specialist = SPECIALISTS[command.specialist]
    if not specialist.places_water:
        if not command.squares or specialist.places_resource:
            return None
        return f"the {command.specialist} places nothing"
    return _occupied_reason(state, command.squares, 2) or _edge_reason(state, command.squares)


def _occupied_reason(state: State, squares: tuple[str, ...], count: int) -> str | None:
    if len(set(squares)) != count or len(squares) != count:
        return f"name {numbered(count, 'square')} of empty land"
    occupied_squares = [square for square in squares if not state.board.square[square] & state.empty_land]
    return f"{', '.join(occupied_squares)}: not empty land" if occupied_squares else None


def _edge_reason(state: State, squares: tuple[str, ...]) -> str | None:
    lower_bit, higher_bit = sorted(state.board.square[square] for square in squares)
    return (
        None
        if higher_bit in (lower_bit << 1, lower_bit << state.board.stride)
        else f"{'-'.join(squares)} have no common edge"
    )


@decides(Hire)
def hire(draft: Draft, seat: Seat, command: Hire) -> None:
    """Takes, pays and uses a specialist (R-SPEC-01)."""
    draft.happen(SpecialistHired(seat, command.specialist))
    change_vr(draft, seat, draft.state.setup.specialists[command.specialist], command.specialist)
    use(draft, seat, command)


@decides(Use)
def use(draft: Draft, seat: Seat, command: Hire | Use) -> None:
    """Pays onto the card (R-SPEC-02) and applies the specialist's effects."""
    specialist = SPECIALISTS[command.specialist]
    card_account = f"{seat}/{command.specialist}"
    cattle_paid = payment(command) or 0
    draft.pay(seat, card_account, cattle_paid, command.specialist)
    draft.happen(SpecialistUsed(seat, command.specialist))
    if specialist.herd:
        draft.pay(STOCK, card_account, specialist.herd[specialist.costs.index(cattle_paid)], command.specialist)
    if specialist.keeps_of_cost and draft.state.has_house_rule("builder"):
        draft.pay(STOCK, card_account, kept_for_earlier_craftsmen(draft.state, specialist), command.specialist)
    if specialist.places_resource and command.resource:
        draft.happen(ResourcePlaced(seat, command.resource, command.squares[0]))
    if specialist.places_water:
        draft.happen(WaterPlaced(seat, command.squares))


def kept_for_earlier_craftsmen(state: State, specialist: Specialist) -> int:
    """The cattle that a specialist keeps for craftsmen placed earlier in this turn, under a house rule (R-SPEC-08)."""
    craftsmen_of_turn = state.craftsmen[state.turn.stood :]
    return sum(min(specialist.keeps_of_cost, CRAFTSMEN[craftsman.type].cost) for craftsman in craftsmen_of_turn)


def kept_cattle_by_specialist(state: State, cost: int) -> Iterator[tuple[str, int]]:
    """The specialists used this turn that keep a part of a craftsman's cost (R-SPEC-08), each with its cattle."""
    for name in state.turn.used:
        kept_cattle = min(SPECIALISTS[name].keeps_of_cost, cost)
        if kept_cattle:
            yield name, kept_cattle
            cost -= kept_cattle
