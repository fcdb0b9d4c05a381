"""Pairings: who meets whom in a round of a league, at which table and in which order of seats.

Pure functions: the same players, past rounds and seed give the same round. Libraries for Swiss pairings know tables of
two only, so tables of any size are dealt here: random tables are improved by swaps until none helps. A round robin at
tables of two follows a fixed schedule instead, in which each player meets each other one once.

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

REPEATED = 10**9
"""The cost of two players who meet again: more than any difference in points."""
POINT = 60
"""The cost of a difference of one point; the points of tables of up to six players are whole numbers of it."""
STARTS, WORK = 20, 20_000
"""The most random tables that are improved, and how many swaps all of them try at least."""
MOST_ORDERS = 5
"""Up to so many players, all orders of seats are compared; of larger tables only rotations."""


class Pairing(NamedTuple):
    """A round: its tables, and the players who have a bye because there is no table for them."""

    tables: tuple[Table, ...]
    byes: tuple[str, ...] = ()


class Past(NamedTuple):
    """What earlier rounds say of each player: byes, meetings, and how often each sat at each position of a table."""

    byes: Counter[str]
    met: Counter[frozenset[str]]
    sat: Counter[tuple[str, int]]


def past_of(rounds: Sequence[Pairing]) -> Past:
    """Counts byes, meetings and seats.

    >>> past_of([Pairing((("ann", "ben"),), ("cem",))]).sat["ben", 1]
    1
    """
    byes = Counter(player for each in rounds for player in each.byes)
    tables = [table for each in rounds for table in each.tables]
    met = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
    return Past(byes, met, Counter((player, at) for table in tables for at, player in enumerate(table)))


def planned_rounds(system: PairingSystem, players: int, most: int) -> int:
    """The rounds of a season, unless it has a number of its own.

    In a round robin enough for each player to meet each other one; in a Swiss league enough to tell the best.

    >>> planned_rounds("round-robin", 5, 2), planned_rounds("round-robin", 9, 4), planned_rounds("swiss", 9, 2)
    (5, 3, 4)
    """
    if system == "swiss":
        return max(ceil(log2(max(players, 2))), 1)
    return max(players - 1 + players % 2, 0) if most == 2 else ceil(max(players - 1, 0) / (most - 1))


def table_sizes(players: int, least: int, most: int) -> list[int]:
    """The sizes of the tables: as few players as can be have a bye, at as few tables as can be.

    Raises `GameError` if there are too few players for a table.

    >>> table_sizes(7, 3, 4), table_sizes(7, 4, 4), table_sizes(5, 2, 2)
    ([4, 3], [4], [2, 2])
    """
    if players < least:
        raise GameError(
            f"a table takes {numbered(least, 'player')}", f"{players} are in the league", ["league enter NAME PLAYER"]
        )
    counts = range(1, players // least + 1)
    tables = max(counts, key=lambda count: (min(players, count * most), -count))
    seated = min(players, tables * most)
    return [seated // tables + (at < seated % tables) for at in range(tables)]


def pair_round(
    system: PairingSystem,
    players: Sequence[str],
    rounds: Sequence[Pairing],
    points: Mapping[str, float],
    sizes: tuple[int, int],
    seed: int,
    schedule: Sequence[str] = (),
) -> Pairing:
    """Pairs the next round. `sizes` are the least and the most players at a table; `points` only count in `swiss`.

    `schedule` has the players of a round robin as it began; those who have withdrawn leave a bye to their opponents.
    Raises `GameError` if there are too few players.
    """
    rng, past = Random(seed), past_of(rounds)
    lengths = table_sizes(len(players), *sizes)
    if system == "round-robin" and sizes == (2, 2):
        dealt = round_robin_tables(schedule or players, len(rounds))
        tables = [table for table in dealt if len(table) == 2 and {*table} <= {*players}]
        seated = {player for table in tables for player in table}
        byes = tuple(player for player in players if player not in seated)
        return Pairing(tuple(in_seats(table, past, rng) for table in tables), byes)
    worth = {each: round(POINT * points.get(each, 0)) if system == "swiss" else 0 for each in players}
    order = rng.sample([*players], len(players))
    order.sort(key=lambda each: (past.byes[each], worth[each]))
    out = len(players) - sum(lengths)
    at_tables = best_tables(order[out:], lengths, past, worth, rng)
    at_tables.sort(key=lambda table: -sum(worth[each] for each in table))
    return Pairing(tuple(in_seats(table, past, rng) for table in at_tables), tuple(sorted(order[:out])))


def round_robin_tables(players: Sequence[str], number: int) -> list[Table]:
    """The pairs of a round of a round robin, by the circle method; a player alone has a bye.

    >>> [round_robin_tables(["ann", "ben", "cem"], number) for number in range(3)]
    [[('ann',), ('ben', 'cem')], [('ann', 'cem'), ('ben',)], [('ann', 'ben'), ('cem',)]]
    """
    circle = [*players, *[""] * (len(players) % 2)]
    turn = number % (len(circle) - 1)
    first, rest = circle[0], circle[1:]
    around = [first, *rest[len(rest) - turn :], *rest[: len(rest) - turn]]
    pairs = [(around[at], around[-1 - at]) for at in range(len(around) // 2)]
    return sorted(tuple(sorted(filter(None, pair), key=circle.index)) for pair in pairs)


def best_tables(
    players: Sequence[str], lengths: Sequence[int], past: Past, worth: Mapping[str, int], rng: Random
) -> list[Table]:
    """Deals players to tables so that few meet again, and those at a table have about as many points."""
    names = sorted(players, key=lambda each: -worth[each])
    costs = [[cost(a, b, past, worth) for b in names] for a in names]
    starts = max(1, min(STARTS, WORK // len(names) ** 2))
    ordered = [*range(len(names))]
    tables = [improve_tables([*ordered] if not start else rng.sample(ordered, len(ordered)), lengths, costs)
             for start in range(starts)]  # fmt: skip
    best = min(tables, key=lambda order: total(order, lengths, costs))
    return [tuple(names[each] for each in table) for table in split_into_tables(best, lengths)]


def cost(a: str, b: str, past: Past, worth: Mapping[str, int]) -> int:
    """The cost of two players at one table: it grows with each meeting before, so that those are spread evenly."""
    again: int = 8 ** past.met[frozenset((a, b))] - 1
    return REPEATED * again + (worth[a] - worth[b]) ** 2


def split_into_tables(order: Sequence[int], lengths: Sequence[int]) -> list[Sequence[int]]:
    """Cuts an order of players into tables."""
    ends = [sum(lengths[: at + 1]) for at in range(len(lengths))]
    return [order[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def total(order: Sequence[int], lengths: Sequence[int], costs: Sequence[Sequence[int]]) -> int:
    """The cost of all tables."""
    return sum(costs[a][b] for table in split_into_tables(order, lengths) for a, b in combinations(table, 2))


def improve_tables(order: list[int], lengths: Sequence[int], costs: Sequence[Sequence[int]]) -> list[int]:
    """Swaps players of two tables as long as that makes both together cheaper."""
    table_of = [at for at, length in enumerate(lengths) for _ in range(length)]
    tables = [[at for at, table in enumerate(table_of) if table == each] for each in range(len(lengths))]

    def cost_at(player: int, table: int, without: int) -> int:
        row = costs[player]
        return sum(row[order[at]] for at in tables[table] if at != without)

    is_better = True
    while is_better:
        is_better = False
        for i, j in combinations(range(len(order)), 2):
            if table_of[i] == table_of[j]:
                continue
            a, b = order[i], order[j]
            now = cost_at(a, table_of[i], i) + cost_at(b, table_of[j], j)
            if cost_at(b, table_of[i], i) + cost_at(a, table_of[j], j) < now:
                order[i], order[j], is_better = b, a, True
    return order


def in_seats(table: Table, past: Past, rng: Random) -> Table:
    """The players of a table in the order of its seats: each sits where they have sat least often."""
    turned = [table[at:] + table[:at] for at in range(len(table))]
    orders = [*permutations(table)] if len(table) <= MOST_ORDERS else turned
    rng.shuffle(orders)
    return min(orders, key=lambda order: sum(past.sat[each, at] * 2 + 1 for at, each in enumerate(order)))
