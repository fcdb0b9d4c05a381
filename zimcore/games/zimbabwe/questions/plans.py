"""Answers how monuments can be raised, and at what price, or why they can't."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import GameError, NotationError, Seat, Table
from zimcore.games.zimbabwe.commands import Raise, Square
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.planner import Planner, best_raises, cheapest_plan, explain_impossible
from zimcore.games.zimbabwe.rules.rituals import Purchase, hubs_to_pay, price_for, purchases
from zimcore.games.zimbabwe.state import Craftsman, State
from zimcore.toolkit.words import one_of


def plan(state: State, words: Sequence[str]) -> Sequence[Table]:
    """The plan for `[PLAYER] [MONUMENT ...]`: the cheapest for these monuments; without any, all sets worth raising."""
    is_player_named = bool(words) and words[0] not in state.board.square
    seat = one_of(words[0].rstrip(":"), state.seats, "player") if is_player_named else state.actor
    if not seat:
        reason = (
            f"{'the game is over' if state.phase == 'over' else 'nobody is to act now'}: name the player to plan for"
        )
        raise GameError("no plan", reason, [f"plan {seat_name}" for seat_name in state.seats])
    state_in_turn = state.in_turn_of(seat)
    monuments = words[1:] if is_player_named else words
    return _tables_of_plan(state_in_turn, seat, monuments) if monuments else [_best_raises_table(state_in_turn, seat)]


def _best_raises_table(state: State, seat: Seat) -> Table:
    raises = best_raises(state, seat)
    if not raises.plans:
        reasons = dict.fromkeys(
            explain_impossible(state, seat, [square]) or "" for square in Planner(state, seat).growing_monuments()
        )
        return Table(f"{seat} can't raise anything", ("why",), tuple((reason,) for reason in reasons))
    title = f"Worth raising for {seat}, who has {state.cattle[seat]} cattle"
    rows = [
        (*map(str, (plan.vp, plan.cost, plan.net, plan.markers)), format_command(plan.command)) for plan in raises.plans
    ]
    headings = ("VP", "cost", "for good", "markers", "command")
    return Table(title + _unproven_note(raises.is_proven), headings, tuple(rows), numbers=headings[:4])


def _unproven_note(is_proven: bool) -> str:
    return "" if is_proven else " (the best found; the search was cut short)"


def _tables_of_plan(state: State, seat: Seat, monuments: Sequence[Square]) -> Sequence[Table]:
    growing_monuments = Planner(state, seat).growing_monuments()
    unraisable_squares = [square for square in monuments if square not in growing_monuments]
    if unraisable_squares or len(set(monuments)) < len(monuments):
        problem = (
            f"{seat} has no monument there that can be raised" if unraisable_squares else "a monument is named twice"
        )
        raise NotationError(
            " ".join(unraisable_squares or monuments), problem, [f"plan {square}" for square in growing_monuments]
        )
    best_plan = cheapest_plan(state, seat, monuments)
    if best_plan is None:
        reason = explain_impossible(state, seat, monuments) or ""
        return [Table(f"{' '.join(monuments)} can't be raised", ("why",), ((reason,),))]
    title = f"{' '.join(monuments)}: {best_plan.cost} cattle, {best_plan.net} of them for good, for {best_plan.vp} VP"
    shortfall = best_plan.cost - state.cattle[seat]
    title += (f"; {shortfall} cattle short" if shortfall > 0 else "") + _unproven_note(best_plan.is_proven)
    command_table = Table("", ("command",), ((format_command(best_plan.command),),))
    return [
        table_of_purchases(state, seat, best_plan.command, title),
        command_table,
        *_alternatives_table(state, seat, monuments),
    ]


def _alternatives_table(state: State, seat: Seat, monuments: Sequence[Square]) -> list[Table]:
    """A table of other goods for the same monuments: who is paid, what is used up, and whose craftsmen are drained."""
    from zimcore.games.zimbabwe.advice.raising import alternatives, payment_text

    options = alternatives(state, seat, monuments)[1:]
    headings = ("cattle", "pays", "uses up", "leaves nothing to", "command")
    rows = [
        (
            str(option.cost),
            payment_text(option, seat),
            " ".join(option.resources),
            _craftsmen_text(option.drained_craftsmen),
            format_command(option.command),
        )
        for option in options
    ]
    return [Table("Other ways", headings, tuple(rows), numbers=("cattle",))] if rows else []


def _craftsmen_text(craftsmen: Sequence[Craftsman]) -> str:
    """Craftsmen in words: `potter at b1 (Zulu)`."""
    return (
        ", ".join(f"{craftsman.type} at {craftsman.at} ({craftsman.owner.title()})" for craftsman in craftsmen) or "-"
    )


def table_of_purchases(state: State, seat: Seat, command: Raise, title: str) -> Table:
    """A table of all purchases of a raise; hubs are a count, prices are in cattle."""
    all_purchases = [purchase for ritual in command.rituals for purchase in purchases(state, ritual)]
    headings = ("owner", "good", "made at", "uses up", "hubs", "price", "for")
    owners = tuple(purchase.maker.owner if purchase.maker else "" for purchase in all_purchases)
    return Table(
        title,
        headings,
        tuple(_purchase_row(state, seat, purchase) for purchase in all_purchases),
        owners,
        numbers=("hubs", "price"),
    )


def _purchase_row(state: State, seat: Seat, purchase: Purchase) -> tuple[str, ...]:
    owner, hubs, price_text = "-", None, "-"
    if purchase.maker:
        owner, price_text = purchase.maker.owner, str(price_for(state, seat, purchase.maker))
        hubs = hubs_to_pay(state, purchase)
    hubs_text = "-" if hubs is None else str(hubs)
    return (
        owner,
        purchase.supply.type,
        purchase.supply.craftsman,
        purchase.supply.resource,
        hubs_text,
        price_text,
        purchase.monument,
    )
