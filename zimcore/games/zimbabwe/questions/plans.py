"""Answers how monuments can be raised, and at what price, or why they can't."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import GameError, NotationError, Seat, Table
from zimcore.games.zimbabwe.commands import Raise, Square
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.planner import Planner, best_raises, cheapest, why_not
from zimcore.games.zimbabwe.rules.rituals import Leg, hubs_of, legs, price_for
from zimcore.games.zimbabwe.state import Craftsman, State
from zimcore.toolkit.words import one_of


def plan(state: State, words: Sequence[str]) -> Sequence[Table]:
    """The plan for `[PLAYER] [MONUMENT ...]`: the cheapest for these monuments; without any, all sets worth raising."""
    named = bool(words) and words[0] not in state.board.square
    seat = one_of(words[0].rstrip(":"), state.seats, "player") if named else state.actor
    if not seat:
        why = f"{'the game is over' if state.phase == 'over' else 'nobody is to act now'}: name the player to plan for"
        raise GameError("no plan", why, [f"plan {each}" for each in state.seats])
    theirs = state.in_turn_of(seat)
    monuments = words[1:] if named else words
    return _plan_for(theirs, seat, monuments) if monuments else [_worth_raising(theirs, seat)]


def _worth_raising(state: State, seat: Seat) -> Table:
    raises = best_raises(state, seat)
    if not raises.plans:
        reasons = dict.fromkeys(
            why_not(state, seat, [square]) or "" for square in Planner(state, seat).growing_monuments()
        )
        return Table(f"{seat} can't raise anything", ("why",), tuple((reason,) for reason in reasons))
    title = f"Worth raising for {seat}, who has {state.cattle[seat]} cattle"
    rows = [(*map(str, (p.vp, p.cost, p.net, p.markers)), format_command(p.command)) for p in raises.plans]
    heads = ("VP", "cost", "for good", "markers", "command")
    return Table(title + _unproven(raises.proven), heads, tuple(rows), numbers=heads[:4])


def _unproven(proven: bool) -> str:
    return "" if proven else " (the best found; the search was cut short)"


def _plan_for(state: State, seat: Seat, monuments: Sequence[Square]) -> Sequence[Table]:
    growing = Planner(state, seat).growing_monuments()
    wrong = [square for square in monuments if square not in growing]
    if wrong or len(set(monuments)) < len(monuments):
        why = f"{seat} has no monument there that can be raised" if wrong else "a monument is named twice"
        raise NotationError(" ".join(wrong or monuments), why, [f"plan {square}" for square in growing])
    best = cheapest(state, seat, monuments)
    if best is None:
        reason = why_not(state, seat, monuments) or ""
        return [Table(f"{' '.join(monuments)} can't be raised", ("why",), ((reason,),))]
    title = f"{' '.join(monuments)}: {best.cost} cattle, {best.net} of them for good, for {best.vp} VP"
    short = best.cost - state.cattle[seat]
    title += (f"; {short} cattle short" if short > 0 else "") + _unproven(best.proven)
    command = Table("", ("command",), ((format_command(best.command),),))
    return [purchases(state, seat, best.command, title), command, *_other_ways(state, seat, monuments)]


def _other_ways(state: State, seat: Seat, monuments: Sequence[Square]) -> list[Table]:
    """A table of other goods for the same monuments: who is paid, what is used up, and whose craftsmen are drained."""
    from zimcore.games.zimbabwe.advice.raising import alternatives, payment_text

    ways = alternatives(state, seat, monuments)[1:]
    heads = ("cattle", "pays", "uses up", "leaves nothing to", "command")
    rows = [
        (
            str(way.cost),
            payment_text(way, seat),
            " ".join(way.uses),
            _craftsmen_text(way.drains),
            format_command(way.command),
        )
        for way in ways
    ]
    return [Table("Other ways", heads, tuple(rows), numbers=("cattle",))] if rows else []


def _craftsmen_text(drained: Sequence[Craftsman]) -> str:
    """Craftsmen in words: `potter at b1 (Zulu)`."""
    return ", ".join(f"{each.type} at {each.at} ({each.owner.title()})" for each in drained) or "-"


def purchases(state: State, seat: Seat, command: Raise, title: str) -> Table:
    """A table of all purchases of a raise; hubs are a count, prices are in cattle."""
    bought = [leg for ritual in command.rituals for leg in legs(state, ritual)]
    heads = ("owner", "good", "made at", "uses up", "hubs", "price", "for")
    owners = tuple(leg.maker.owner if leg.maker else "" for leg in bought)
    return Table(title, heads, tuple(_purchase(state, seat, leg) for leg in bought), owners, numbers=("hubs", "price"))


def _purchase(state: State, seat: Seat, leg: Leg) -> tuple[str, ...]:
    owner, hubs, price = "-", None, "-"
    if leg.maker:
        owner, price = leg.maker.owner, str(price_for(state, seat, leg.maker))
        hubs = hubs_of(state, leg)
    way = "-" if hubs is None else str(hubs)
    return owner, leg.supply.type, leg.supply.craftsman, leg.supply.resource, way, price, leg.monument
