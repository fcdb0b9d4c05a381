"""Previews as tables: a bid, a craftsman, a raise, or the end of the round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zimcore.game import Accepted, Seat, Table
from zimcore.games.zimbabwe.commands import AnyCommand, EndTurn, Give, Pass, PlaceCraftsman, Raise
from zimcore.games.zimbabwe.components import CRAFTSMEN
from zimcore.games.zimbabwe.notation.commands import parse_command
from zimcore.games.zimbabwe.notation.descriptions import reached_their_vr
from zimcore.games.zimbabwe.previews import Bid, preview_bid, preview_craftsman, provisional_ranking, revenue_by_source
from zimcore.games.zimbabwe.questions.plans import purchases
from zimcore.games.zimbabwe.rules import decide
from zimcore.games.zimbabwe.rules.generosity import largest_gift, minimum_gift
from zimcore.games.zimbabwe.rules.rituals import cost
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import numbered


def preview(state: State, words: Sequence[str]) -> Sequence[Table]:
    """The preview of a command, beyond its events; without one, all bids and the end of the round.

    If a craftsman or a raise is not legal now, the broken rules come first. Empty if there are no figures.
    """
    if words:
        seat, command = parse_command(" ".join(words), state)
        return _preview_of(state, seat or state.actor or "", command)
    return [*_all_bids(state), *_end_of_round(state)]


def _preview_of(state: State, seat: Seat, command: AnyCommand) -> Sequence[Table]:
    match command:
        case Give(amount=amount):
            return _bid_table([preview_bid(state, amount)])
        case Pass():
            return _bid_table([preview_bid(state, 0)])
        case PlaceCraftsman(type=type_, squares=squares) if type_ in CRAFTSMEN and set(squares) <= set(
            state.board.square
        ):
            return [*_broken_rules(state, seat, command), _craftsman_table(state, seat, command)]
        case Raise(rituals=rituals) if any(ritual.goods for ritual in rituals):
            bought = purchases(state, seat, command, f"{cost(state, seat, command)} cattle")
            return [*_broken_rules(state, seat, command), bought]
        case EndTurn():
            return _end_of_round(state)
    return []


def _broken_rules(state: State, seat: Seat, command: AnyCommand) -> Sequence[Table]:
    """A table of the rules that a command breaks; none if it is legal."""
    answer = decide(state, seat, command)
    if isinstance(answer, Accepted):
        return []
    return [Table("Not legal now", ("rule", "why"), tuple((each.code, each.reason) for each in answer.refusals))]


def _all_bids(state: State) -> Sequence[Table]:
    """Passing, and every legal gift."""
    if state.phase != "bidding":
        return []
    gifts = range(minimum_gift(state), largest_gift(state, state.actor or "") + 1)
    return _bid_table([preview_bid(state, amount) for amount in (0, *gifts)])


def _bid_table(bids: Iterable[Bid | None]) -> Sequence[Table]:
    offers_made = [bid for bid in bids if bid]
    heads = ("bid", "from stock", "left", "gained", "then", "turn", "order")
    title = f"If all others pass after {offers_made[0].seat}" if offers_made else ""
    return [Table(title, heads, tuple(map(_bid_row, offers_made)), numbers=heads[1:6])] if offers_made else []


def _bid_row(bid: Bid) -> tuple[str, ...]:
    figures = (bid.helped, bid.left, bid.gained, bid.left + bid.gained, bid.place)
    return str(bid.amount) if bid.amount else "pass", *map(str, figures), ", ".join(bid.order)


def _craftsman_table(state: State, seat: Seat, command: PlaceCraftsman) -> Table:
    placing = preview_craftsman(state, seat, command)
    serves = [(f"{state.monuments[square].owner} {square}", hubs) for square, hubs in placing.serves.items()]
    rows = (
        ("cost", f"{placing.cost} cattle" + (f", of which {placing.kept} come back" if placing.kept else "")),
        ("VP", f"+{placing.vp}"),
        ("VR", f"+{placing.vr}" + (f", for card {placing.card} of the {placing.type}" if placing.card else "")),
        ("claims", _join_texts(placing.claims)),
        ("shares", _join_texts(placing.shares)),
        ("serves", _join_texts(f"{monument} over {numbered(hubs, 'hub')}" for monument, hubs in serves)),
        (
            "works with",
            _join_texts(f"{primary} over {numbered(hubs, 'hub')}" for primary, hubs in placing.inputs.items()),
        ),
        ("makes obsolete", placing.obsolete or "-"),
    )
    return Table(placing.type, ("what", "comes to"), rows)


def _join_texts(texts: Iterable[str]) -> str:
    return ", ".join(texts) or "-"


def _end_of_round(state: State) -> Sequence[Table]:
    return [_revenues(state), _ranking(state)] if state.phase not in ("", "over") else []


def _revenues(state: State) -> Table:
    rows: list[tuple[str, ...]] = []
    for seat in state.seats:
        sources = revenue_by_source(state, seat)
        rows += [(seat, source, str(cattle), "") for source, cattle in sources.items()]
        total = sum(sources.values())
        rows.append((seat, "in all", str(total), str(state.cattle[seat] + total)))
    heads = ("player", "from", "cattle", "then")
    return Table(
        "Revenues, if the round ended now", heads, tuple(rows), tuple(row[0] for row in rows), numbers=heads[2:]
    )


def _ranking(state: State) -> Table:
    standings = provisional_ranking(state)
    reached = [each.seat for each in standings if each.reached]
    title = "Ranking, if the round ended now" + (f": {reached_their_vr(reached)}" if reached else "")
    rows = tuple((each.seat, str(each.vp), str(each.vr), f"{each.margin:+d}") for each in standings)
    heads = ("player", "VP", "VR", "margin")
    return Table(title, heads, rows, tuple(each.seat for each in standings), numbers=heads[1:])
