"""Answers questions in tables: the explorer's ways, the points so far, and the cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zimcore.game import GameError, NotationError, Seat, Table
from zimcore.games.africana.box import box as printed_box
from zimcore.games.africana.components import Adventure
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.notation.descriptions import points_by_source
from zimcore.games.africana.planner import Way, ways_this_turn
from zimcore.games.africana.scoring import score_player
from zimcore.games.africana.state import State
from zimcore.toolkit.words import numbered, one_of


def plan(state: State, words: Sequence[str]) -> Sequence[Table]:
    """The cheapest way to a location step by step, or the cost of each location within reach.

    A player's name can come first. Raises `NotationError`.
    """
    seat, other_words = _split_off_seat(state, words)
    if len(other_words) > 1:
        raise NotationError(" ".join(words), "it goes to one location", ["plan cairo"])
    ways = ways_this_turn(state, seat)
    if not other_words:
        return [_ways_table(state, seat, ways)]
    target = one_of(other_words[0], state.map.locations, "location")
    if target not in ways:
        title = f"{seat} can't get to {state.map.title(target)} in this turn"
        return [Table(title, ("step", "command"), (("-", "-"),), numbers=("step",))]
    return [_way_table(state, ways[target])]


def _split_off_seat(state: State, words: Sequence[str]) -> tuple[Seat, Sequence[str]]:
    if words and words[0] in state.seats:
        return words[0], words[1:]
    if not state.actor:
        reason = (
            f"{'the game is over' if state.phase == 'over' else 'nobody is to act now'}: name the player to plan for"
        )
        raise GameError("no plan", reason, [f"plan {seat}" for seat in state.seats])
    return state.actor, words


def _ways_table(state: State, seat: Seat, ways: dict[str, Way]) -> Table:
    headings = ("to", "silver", "travel cards", "steps", "way")
    rows = [
        (state.map.title(way.to), str(way.silver), str(way.travel_cards), str(way.steps), _commands_text(way))
        for way in ways.values()
    ]
    return Table(f"Where {seat} can get to", headings, tuple(rows), numbers=headings[1:4])


def _commands_text(way: Way) -> str:
    return " · ".join(map(format_command, way.commands)) or "-"


def _way_table(state: State, way: Way) -> Table:
    cards_text = numbered(way.travel_cards, "travel card")
    title = f"To {state.map.title(way.to)}: {way.silver} silver for recolouring, {cards_text}"
    rows = tuple((str(number), format_command(command)) for number, command in enumerate(way.commands, 1))
    return Table(title, ("step", "command"), rows, numbers=("step",))


def preview(state: State, words: Sequence[str]) -> Sequence[Table]:
    """The points of each player by source, as if the game ended now.

    Empty if words name a command, since `try` already shows its effects.
    """
    if words:
        return []
    seats = [seat for seat in state.seats if state.sees_finished(seat)]
    points_of_seats = [points_by_source(score_player(state, seat)) for seat in seats]
    sources = list(dict.fromkeys(source for points in points_of_seats for source in points))
    rows = [
        (seat, *(str(points.get(source, 0)) for source in sources), str(sum(points.values())))
        for seat, points in zip(seats, points_of_seats, strict=True)
    ]
    headings = ("player", *sources, "VP")
    return [Table("If the game ended now", headings, tuple(rows), tuple(seats), numbers=headings[1:])]


def cards(state: State, words: Sequence[str]) -> Sequence[Table]:
    """Expeditions, adventures and locations: all of them, or those with a name or kind among the words."""
    box = state.box if state.setup else printed_box()
    expeditions = [
        (card.id, card.back, card.start, card.target, str(card.silver), str(card.vp)) for card in box.expeditions
    ]
    adventures = [
        (
            card.id,
            card.book,
            card.target,
            _reward_text(card),
            str(card.silver),
            str(card.vp),
        )
        for card in box.adventures
    ]
    company_by_start = {company.start: company.name for company in box.companies}
    locations = [
        (location.name, location.half, " or ".join(location.symbols), company_by_start.get(location.name, "-"))
        for location in box.locations
    ]
    kinds_of_cards = (
        ("expeditions", ("expedition", "back", "from", "to", "silver", "VP"), expeditions),
        ("adventures", ("adventure", "book", "to", "what it is", "silver", "VP"), adventures),
        ("locations", ("location", "half", "takes", "start of"), locations),
    )
    names = {word.replace("-", "_") for word in words}
    tables = []
    for title, headings, rows in kinds_of_cards:
        matching_rows = [row for row in rows if not names or title in names or row[0].lower() in names]
        if matching_rows:
            tables.append(
                Table(title, headings, tuple(matching_rows), numbers=("silver", "VP") if "VP" in headings else ())
            )
    return tables


def _reward_text(adventure: Adventure) -> str:
    return adventure.artifact or f"{adventure.assistant} assistant"


ANSWERS: dict[str, Callable[[State, Sequence[str]], Sequence[Table]]] = {
    "plan": plan,
    "preview": preview,
    "cards": cards,
}
