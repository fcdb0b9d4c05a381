"""Previews as tables: a bid, a craftsman, a raise, or the end of the round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zimcore.game import Accepted, Seat, Table
from zimcore.games.zimbabwe.commands import AnyCommand, EndTurn, Give, Pass, PlaceCraftsman, Raise
from zimcore.games.zimbabwe.components import CRAFTSMEN
from zimcore.games.zimbabwe.notation.commands import parse_command
from zimcore.games.zimbabwe.notation.descriptions import reached_text
from zimcore.games.zimbabwe.previews import (
    BidPreview,
    preview_bid,
    preview_craftsman,
    provisional_ranking,
    revenue_by_source,
)
from zimcore.games.zimbabwe.questions.plans import table_of_purchases
from zimcore.games.zimbabwe.rules import decide
from zimcore.games.zimbabwe.rules.generosity import largest_gift, minimum_gift
from zimcore.games.zimbabwe.rules.rituals import raise_cost
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import numbered


def preview(state: State, words: Sequence[str]) -> Sequence[Table]:
    """The preview of a command, beyond its events; without one, all bids and the end of the round.

    If a craftsman or a raise is not legal now, the broken rules come first. Empty if there are no figures.
    """
    if words:
        seat, command = parse_command(" ".join(words), state)
        return _preview_command(state, seat or state.actor or "", command)
    return [*_tables_of_bids(state), *_tables_of_round_end(state)]


def _preview_command(state: State, seat: Seat, command: AnyCommand) -> Sequence[Table]:
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
            purchase_table = table_of_purchases(state, seat, command, f"{raise_cost(state, seat, command)} cattle")
            return [*_broken_rules(state, seat, command), purchase_table]
        case EndTurn():
            return _tables_of_round_end(state)
    return []


def _broken_rules(state: State, seat: Seat, command: AnyCommand) -> Sequence[Table]:
    """A table of the rules that a command breaks; none if it is legal."""
    decision = decide(state, seat, command)
    if isinstance(decision, Accepted):
        return []
    return [
        Table("Not legal now", ("rule", "why"), tuple((refusal.code, refusal.reason) for refusal in decision.refusals))
    ]


def _tables_of_bids(state: State) -> Sequence[Table]:
    """Passing, and every legal gift."""
    if state.phase != "bidding":
        return []
    gifts = range(minimum_gift(state), largest_gift(state, state.actor or "") + 1)
    return _bid_table([preview_bid(state, amount) for amount in (0, *gifts)])


def _bid_table(bids: Iterable[BidPreview | None]) -> Sequence[Table]:
    legal_bids = [bid for bid in bids if bid]
    headings = ("bid", "from stock", "left", "gained", "then", "turn", "order")
    title = f"If all others pass after {legal_bids[0].seat}" if legal_bids else ""
    return [Table(title, headings, tuple(map(_bid_row, legal_bids)), numbers=headings[1:6])] if legal_bids else []


def _bid_row(bid: BidPreview) -> tuple[str, ...]:
    figures = (
        bid.stock_share,
        bid.cattle_left,
        bid.cattle_gained,
        bid.cattle_left + bid.cattle_gained,
        bid.turn_number,
    )
    return str(bid.amount) if bid.amount else "pass", *map(str, figures), ", ".join(bid.order)


def _craftsman_table(state: State, seat: Seat, command: PlaceCraftsman) -> Table:
    craftsman = preview_craftsman(state, seat, command)
    kept_text = f", of which {craftsman.kept_cattle} come back" if craftsman.kept_cattle else ""
    card_text = f", for card {craftsman.card} of the {craftsman.type}" if craftsman.card else ""
    monument_texts = (
        f"{state.monuments[square].owner} {square} over {numbered(hubs, 'hub')}"
        for square, hubs in craftsman.hubs_by_monument.items()
    )
    primary_texts = (f"{square} over {numbered(hubs, 'hub')}" for square, hubs in craftsman.hubs_by_primary.items())
    rows = (
        ("cost", f"{craftsman.cost} cattle{kept_text}"),
        ("VP", f"+{craftsman.vp}"),
        ("VR", f"+{craftsman.vr}{card_text}"),
        ("claims", _join_texts(craftsman.claimed_resources)),
        ("shares", _join_texts(craftsman.shared_resources)),
        ("serves", _join_texts(monument_texts)),
        ("works with", _join_texts(primary_texts)),
        ("makes obsolete", craftsman.obsolete_type or "-"),
    )
    return Table(craftsman.type, ("what", "comes to"), rows)


def _join_texts(texts: Iterable[str]) -> str:
    return ", ".join(texts) or "-"


def _tables_of_round_end(state: State) -> Sequence[Table]:
    return [_revenue_table(state), _ranking_table(state)] if state.phase not in ("", "over") else []


def _revenue_table(state: State) -> Table:
    rows: list[tuple[str, ...]] = []
    for seat in state.seats:
        cattle_by_source = revenue_by_source(state, seat)
        rows += [(seat, source, str(cattle), "") for source, cattle in cattle_by_source.items()]
        total = sum(cattle_by_source.values())
        rows.append((seat, "in all", str(total), str(state.cattle[seat] + total)))
    headings = ("player", "from", "cattle", "then")
    return Table(
        "Revenues, if the round ended now", headings, tuple(rows), tuple(row[0] for row in rows), numbers=headings[2:]
    )


def _ranking_table(state: State) -> Table:
    standings = provisional_ranking(state)
    seats_at_vr = [standing.seat for standing in standings if standing.has_reached_vr]
    title = "Ranking, if the round ended now" + (f": {reached_text(seats_at_vr)}" if seats_at_vr else "")
    rows = tuple((standing.seat, str(standing.vp), str(standing.vr), f"{standing.margin:+d}") for standing in standings)
    headings = ("player", "VP", "VR", "margin")
    return Table(title, headings, rows, tuple(standing.seat for standing in standings), numbers=headings[1:])
