"""Pairings: who meets whom in a round of a league, at which table and in which order of seats.

Pure functions: the same players, past rounds and seed give the same round. Libraries for Swiss pairings know tables of
two only, so tables of any size are dealt here: random tables are improved by swaps until none helps. A round robin at
tables of two follows a fixed schedule instead, in which each player meets every other player once.

In other words: tournament, Swiss system, round robin, circle method, social golfer problem.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from math import ceil, log2
from random import Random
from typing import NamedTuple, TypeAlias

from zimcore.documents.leagues import PairingSystem
from zimcore.game import GameError
from zimcore.toolkit.words import numbered

Table: TypeAlias = tuple[str, ...]
"""The players at a table, in the order of its seats."""

REPEAT_COST = 10**9
"""The cost of two players who meet again: more than any difference in points."""
POINT_SCALE = 60
"""What a point counts in costs, before it is squared: 60 can be divided by 1 to 6, so shares of a point are whole."""
MAX_STARTS, SWAP_BUDGET = 20, 20_000
"""How many random orders are improved: at most `MAX_STARTS`, and so few that a pass over all of them tries no more than
`SWAP_BUDGET` swaps; but at least one."""
MAX_PERMUTED_PLAYERS = 5
"""At tables of up to this size all orders of seats are compared; of larger tables only rotations."""


class Pairing(NamedTuple):
    """A round: its tables, and the players who have a bye because there is no table for them."""

    tables: tuple[Table, ...]
    byes: tuple[str, ...] = ()


class PastCounts(NamedTuple):
    """What earlier rounds say of each player: byes, meetings, and how often each sat at each position of a table."""

    bye_counts: Counter[str]
    meeting_counts: Counter[frozenset[str]]
    seat_counts: Counter[tuple[str, int]]


def count_past_rounds(rounds: Sequence[Pairing]) -> PastCounts:
    """Counts byes, meetings and seats.

    >>> count_past_rounds([Pairing((("ann", "ben"),), ("cem",))]).seat_counts["ben", 1]
    1
    """
    bye_counts = Counter(player for pairing in rounds for player in pairing.byes)
    tables = [table for pairing in rounds for table in pairing.tables]
    meeting_counts = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
    return PastCounts(
        bye_counts,
        meeting_counts,
        Counter((player, position) for table in tables for position, player in enumerate(table)),
    )


def planned_round_count(system: PairingSystem, player_count: int, max_players: int) -> int:
    """The rounds of a season, unless it has a number of its own.

    In a round robin enough for each player to meet every other player; in a Swiss league enough to tell the best.

    >>> planned_round_count("round-robin", 5, 2), planned_round_count("round-robin", 9, 4)
    (5, 3)
    >>> planned_round_count("swiss", 9, 2)
    4
    """
    if system == "swiss":
        return max(ceil(log2(max(player_count, 2))), 1)
    return (
        max(player_count - 1 + player_count % 2, 0)
        if max_players == 2
        else ceil(max(player_count - 1, 0) / (max_players - 1))
    )


def table_sizes(player_count: int, min_players: int, max_players: int) -> list[int]:
    """The sizes of the tables. As few players as possible have a bye, then there are as few tables as possible.

    Raises `GameError` if there are too few players for a table.

    >>> table_sizes(7, 3, 4), table_sizes(7, 4, 4), table_sizes(5, 2, 2)
    ([4, 3], [4], [2, 2])
    """
    if player_count < min_players:
        raise GameError(
            f"a table takes {numbered(min_players, 'player')}",
            f"{player_count} are in the league",
            ["league enter NAME PLAYER"],
        )
    possible_counts = range(1, player_count // min_players + 1)
    table_count = max(possible_counts, key=lambda count: (min(player_count, count * max_players), -count))
    seated_count = min(player_count, table_count * max_players)
    return [seated_count // table_count + (index < seated_count % table_count) for index in range(table_count)]


def pair_round(
    system: PairingSystem,
    players: Sequence[str],
    rounds: Sequence[Pairing],
    points: Mapping[str, float],
    player_range: tuple[int, int],
    seed: int,
    scheduled_players: Sequence[str] = (),
) -> Pairing:
    """Pairs the next round. `player_range` has the least and the most players at a table; `points` count in `swiss`.

    `scheduled_players` are those of a round robin as it began; those who have withdrawn leave their opponents a bye.
    Raises `GameError` if there are too few players.
    """
    rng, past_counts = Random(seed), count_past_rounds(rounds)
    sizes_of_tables = table_sizes(len(players), *player_range)
    if system == "round-robin" and player_range == (2, 2):
        scheduled_tables = round_robin_tables(scheduled_players or players, len(rounds))
        tables = [table for table in scheduled_tables if len(table) == 2 and {*table} <= {*players}]
        seated_players = {player for table in tables for player in table}
        byes = tuple(player for player in players if player not in seated_players)
        return Pairing(tuple(assign_seats(table, past_counts, rng) for table in tables), byes)
    scaled_points = {each: round(POINT_SCALE * points.get(each, 0)) if system == "swiss" else 0 for each in players}
    bye_order = rng.sample([*players], len(players))
    bye_order.sort(key=lambda each: (past_counts.bye_counts[each], scaled_points[each]))
    bye_count = len(players) - sum(sizes_of_tables)
    dealt_tables = best_tables(bye_order[bye_count:], sizes_of_tables, past_counts, scaled_points, rng)
    dealt_tables.sort(key=lambda table: -sum(scaled_points[each] for each in table))
    return Pairing(
        tuple(assign_seats(table, past_counts, rng) for table in dealt_tables), tuple(sorted(bye_order[:bye_count]))
    )


def round_robin_tables(players: Sequence[str], round_number: int) -> list[Table]:
    """The pairs of a round of a round robin, by the circle method; a player alone has a bye.

    >>> [round_robin_tables(["ann", "ben", "cem"], number) for number in range(3)]
    [[('ann',), ('ben', 'cem')], [('ann', 'cem'), ('ben',)], [('ann', 'ben'), ('cem',)]]
    """
    circle = [*players, *[""] * (len(players) % 2)]
    shift = round_number % (len(circle) - 1)
    fixed_player, moving_players = circle[0], circle[1:]
    turned_circle = [
        fixed_player,
        *moving_players[len(moving_players) - shift :],
        *moving_players[: len(moving_players) - shift],
    ]
    pairs = [(turned_circle[index], turned_circle[-1 - index]) for index in range(len(turned_circle) // 2)]
    return sorted(tuple(sorted(filter(None, pair), key=circle.index)) for pair in pairs)


def best_tables(
    players: Sequence[str],
    sizes_of_tables: Sequence[int],
    past_counts: PastCounts,
    scaled_points: Mapping[str, int],
    rng: Random,
) -> list[Table]:
    """Deals players to tables so that few meet again, and those at a table have about as many points."""
    ordered_players = sorted(players, key=lambda each: -scaled_points[each])
    costs = [
        [pair_cost(player, other_player, past_counts, scaled_points) for other_player in ordered_players]
        for player in ordered_players
    ]
    start_count = max(1, min(MAX_STARTS, SWAP_BUDGET // len(ordered_players) ** 2))
    sorted_order = [*range(len(ordered_players))]
    start_orders = [
        rng.sample(sorted_order, len(sorted_order)) if number else [*sorted_order] for number in range(start_count)
    ]
    improved_orders = [improve_tables(order, sizes_of_tables, costs) for order in start_orders]
    best_order = min(improved_orders, key=lambda order: total_cost(order, sizes_of_tables, costs))
    return [tuple(ordered_players[each] for each in table) for table in split_into_tables(best_order, sizes_of_tables)]


def pair_cost(player: str, other_player: str, past_counts: PastCounts, scaled_points: Mapping[str, int]) -> int:
    """The cost of two players at one table: it grows with each meeting before, so that those are spread evenly."""
    repetition_factor: int = 8 ** past_counts.meeting_counts[frozenset((player, other_player))] - 1
    return REPEAT_COST * repetition_factor + (scaled_points[player] - scaled_points[other_player]) ** 2


def split_into_tables(order: Sequence[int], sizes_of_tables: Sequence[int]) -> list[Sequence[int]]:
    """Cuts an order of players into tables."""
    ends = [sum(sizes_of_tables[: index + 1]) for index in range(len(sizes_of_tables))]
    return [order[end - size : end] for end, size in zip(ends, sizes_of_tables, strict=True)]


def total_cost(order: Sequence[int], sizes_of_tables: Sequence[int], costs: Sequence[Sequence[int]]) -> int:
    """The cost of all tables."""
    return sum(
        costs[player][other_player]
        for table in split_into_tables(order, sizes_of_tables)
        for player, other_player in combinations(table, 2)
    )


def improve_tables(order: list[int], sizes_of_tables: Sequence[int], costs: Sequence[Sequence[int]]) -> list[int]:
    """Swaps players of two tables as long as that makes both together cheaper."""
    table_by_position = [index for index, size in enumerate(sizes_of_tables) for _ in range(size)]
    positions_by_table = [
        [index for index, table in enumerate(table_by_position) if table == table_number]
        for table_number in range(len(sizes_of_tables))
    ]

    def cost_at(seated_player: int, table: int, vacated_position: int) -> int:
        player_costs = costs[seated_player]
        return sum(
            player_costs[order[position]] for position in positions_by_table[table] if position != vacated_position
        )

    has_improved = True
    while has_improved:
        has_improved = False
        for position, other_position in combinations(range(len(order)), 2):
            if table_by_position[position] == table_by_position[other_position]:
                continue
            player, other_player = order[position], order[other_position]
            current_cost = cost_at(player, table_by_position[position], position) + cost_at(
                other_player, table_by_position[other_position], other_position
            )
            if (
                cost_at(other_player, table_by_position[position], position)
                + cost_at(player, table_by_position[other_position], other_position)
                < current_cost
            ):
                order[position], order[other_position], has_improved = other_player, player, True
    return order


def assign_seats(table: Table, past_counts: PastCounts, rng: Random) -> Table:
    """The players of a table in the order of its seats: each sits where they have sat least often."""
    rotations = [table[index:] + table[:index] for index in range(len(table))]
    orders = [*permutations(table)] if len(table) <= MAX_PERMUTED_PLAYERS else rotations
    rng.shuffle(orders)
    return min(orders, key=lambda order: sum(past_counts.seat_counts[each, index] for index, each in enumerate(order)))
