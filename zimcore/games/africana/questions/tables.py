"""Answers questions in tables: the explorer's ways, the points so far, and the cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zimcore.game import GameError, NotationError, Seat, Table
from zimcore.games.africana.box import box as printed
from zimcore.games.africana.components import Adventure
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.notation.descriptions import points
from zimcore.games.africana.planner import Way, reachable
from zimcore.games.africana.scoring import score_player
from zimcore.games.africana.state import State
from zimcore.toolkit.words import numbered, one_of


def plan(state: State, words: Sequence[str]) -> Sequence[Table]:
    """The cheapest way to a location step by step, or the cost of each location within reach.

    A player's name can come first. Raises `NotationError`.
    """
    seat, rest = _seat(state, words)
    if len(rest) > 1:
        raise NotationError(" ".join(words), "it goes to one location", ["plan cairo"])
    ways = reachable(state, seat)
    if not rest:
        return [_all_ways(state, seat, ways)]
    to = one_of(rest[0], state.map.locations, "location")
    if to not in ways:
        title = f"{seat} can't get to {state.map.title(to)} in this turn"
        return [Table(title, ("step", "command"), (("-", "-"),), numbers=("step",))]
    return [_one_way(state, ways[to])]


def _seat(state: State, words: Sequence[str]) -> tuple[Seat, Sequence[str]]:
    if words and words[0] in state.seats:
        return words[0], words[1:]
    if not state.actor:
        why = f"{'the game is over' if state.phase == 'over' else 'nobody is to act now'}: name the player to plan for"
        raise GameError("no plan", why, [f"plan {each}" for each in state.seats])
    return state.actor, words


def _all_ways(state: State, seat: Seat, ways: dict[str, Way]) -> Table:
    heads = ("to", "silver", "travel cards", "steps", "way")
    rows = [
        (state.map.title(route.to), str(route.silver), str(route.travel_cards), str(route.steps), _steps_of(route))
        for route in ways.values()
    ]
    return Table(f"Where {seat} can get to", heads, tuple(rows), numbers=heads[1:4])


def _steps_of(route: Way) -> str:
    return " · ".join(map(format_command, route.commands)) or "-"


def _one_way(state: State, route: Way) -> Table:
    cards = numbered(route.travel_cards, "travel card")
    title = f"To {state.map.title(route.to)}: {route.silver} silver for recolouring, {cards}"
    rows = tuple((str(n), format_command(x)) for n, x in enumerate(route.commands, 1))
    return Table(title, ("step", "command"), rows, numbers=("step",))


def preview(state: State, words: Sequence[str]) -> Sequence[Table]:
    """The points of each player by source, as if the game ended now.

    Empty if words name a command, since `try` already shows its effects.
    """
    if words:
        return []
    seats = [seat for seat in state.seats if state.sees_finished(seat)]
    scores = [points(score_player(state, seat)) for seat in seats]
    sources = list(dict.fromkeys(source for of_seat in scores for source in of_seat))
    rows = [
        (seat, *(str(of_seat.get(source, 0)) for source in sources), str(sum(of_seat.values())))
        for seat, of_seat in zip(seats, scores, strict=True)
    ]
    heads = ("player", *sources, "VP")
    return [Table("If the game ended now", heads, tuple(rows), tuple(seats), numbers=heads[1:])]


def cards(state: State, words: Sequence[str]) -> Sequence[Table]:
    """Expeditions, adventures and locations: all of them, or those with a name or kind among the words."""
    box = state.box if state.setup else printed()
    expeditions = [(x.id, x.back, x.start, x.target, str(x.silver), str(x.vp)) for x in box.expeditions]
    adventures = [(x.id, x.book, x.target, _gives(x), str(x.silver), str(x.vp)) for x in box.adventures]
    starts = {company.start: company.name for company in box.companies}
    locations = [(x.name, x.half, " or ".join(x.symbols), starts.get(x.name, "-")) for x in box.locations]
    everything = (
        ("expeditions", ("expedition", "back", "from", "to", "silver", "VP"), expeditions),
        ("adventures", ("adventure", "book", "to", "what it is", "silver", "VP"), adventures),
        ("locations", ("location", "half", "takes", "start of"), locations),
    )
    names = {word.replace("-", "_") for word in words}
    tables = []
    for title, heads, rows in everything:
        named = [row for row in rows if not names or title in names or row[0].lower() in names]
        if named:
            tables.append(Table(title, heads, tuple(named), numbers=("silver", "VP") if "VP" in heads else ()))
    return tables


def _gives(adventure: Adventure) -> str:
    return adventure.artifact or f"{adventure.assistant} assistant"


ANSWERS: dict[str, Callable[[State, Sequence[str]], Sequence[Table]]] = {
    "plan": plan,
    "preview": preview,
    "cards": cards,
}
