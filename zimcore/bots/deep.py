"""`deep`: a search tree over whole turns, in which every seat looks for what is best for itself (max^n).

A node is a position in which a seat begins a turn, or is to bid; its branches are turns that begin with one of the
likeliest commands and are ended by `quick`. A leaf is worth every seat's chance to win, or where nobody has learned
chances, what comes of it when `quick` plays it out at every seat: numbers that are averaged along the way back.
Branches are tried by what they have come to and how likely they look (PUCT). Where something is hidden there is a tree
for each of a few worlds as they may be, and their visits add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, sqrt
from random import Random
from statistics import fmean
from typing import Any

from zimcore.bots.bot import Choice, Told, View
from zimcore.bots.levels import ALONE, VICTORY, QuickBot, Tried, best, imagined, lead, played_out, varied
from zimcore.chances import chances
from zimcore.game import Command, Game, Seat

WIDE, WARM, CURIOUS = 10, 2.0, 0.25
"""Branches of a node at most, by how many points less a command looks half as likely (about), and how much a branch is
tried because of that before it has come to anything."""
DOUBT = 2
"""So many tries say as little as none."""
WINNING, FAR = 0.6, 10.0
"""How much of what an end is worth is a victory, and a lead that says much."""
LONGEST, SEEN, ASKED = 24, 20, 100
"""Commands of a turn at most; positions that a way down the tree counts for, though it meets an end that is known; and
those that it counts for to ask for chances, by the time that it takes."""
NODES = 100_000
"""Positions that are looked at for a command, if nobody says how many: ten seconds a turn, as a turn has two or so."""


class Branch:
    """A turn that may be played: its first command, how likely it looks, what it came to, and the node after it."""

    __slots__ = ("likely", "node", "sums", "tried", "visits")

    def __init__(self, tried: Tried, likely: float) -> None:
        self.tried, self.likely = tried, likely
        self.visits = 0
        self.sums: dict[Seat, float] = {}
        self.node: Node | None = None

    def mean(self, seat: Seat) -> float:
        """What it has come to for a seat, from 0 to 1."""
        return self.sums[seat] / self.visits


class Node:
    """A position, and what it has come to so far; its branches are found when it is looked at for the second time."""

    __slots__ = ("branches", "came_to", "seat", "state", "visits", "worth")

    def __init__(self, state: Any, seat: Seat) -> None:
        self.state, self.seat = state, seat
        self.came_to: dict[Seat, float] = {}
        self.visits, self.worth = 0, 0.5
        self.branches: list[Branch] | None = None

    def played(self, came_to: dict[Seat, float]) -> None:
        """Takes note of what it has come to when it was played out at once, or of what its state is worth."""
        self.came_to, self.visits, self.worth = came_to, 1, came_to.get(self.seat, 0.0)

    def chosen(self, branches: Sequence[Branch]) -> Branch:
        """The branch to be tried next; one that has not been tried promises what the node has."""
        spread, seat = CURIOUS * sqrt(self.visits), self.seat

        def promise(branch: Branch) -> float:
            so_far = branch.mean(seat) if branch.visits else self.worth
            return so_far + spread * branch.likely / (1 + branch.visits)

        return max(branches, key=promise)


class Search:
    """The tree of a position."""

    def __init__(self, game: Game, quick: QuickBot, state: Any, seat: Seat) -> None:
        self.game, self.quick = game, quick
        self.looked = 0
        self.root = Node(state, seat)
        self.expand(self.root)

    def expand(self, node: Node) -> list[Branch]:
        """Finds the likeliest commands of a seat, some of each kind first."""
        found = self.quick.tried(self.game, node.state, node.seat)
        self.looked += len(found)
        ranked = varied(found)
        if len(ranked) > WIDE:
            # Of those of a kind that are worth the same one is enough then: sites side by side, for most of them.
            unlike = dict[tuple[type[Command], float], Tried]()
            for each in ranked:
                unlike.setdefault((type(each.command), each.worth), each)
            ranked = list(unlike.values())[:WIDE]
        looks = [exp(max((each.worth - ranked[0].worth) / WARM, -20)) for each in ranked]
        # Half by the evaluation, half all alike: it is often wrong by some points.
        likely = [(look / sum(looks) + 1 / len(ranked)) / 2 for look in looks]
        node.branches = [Branch(each, chance) for each, chance in zip(ranked, likely, strict=True)]
        if node.came_to:  # by what looks best, which `quick` plays: that need not be played out again
            node.branches[0].visits, node.branches[0].sums = 1, dict(node.came_to)
        return node.branches

    def step(self) -> None:
        """Goes down the tree to a branch that was not tried, plays it out, and tells all on the way."""
        node, way = self.root, list[tuple[Node, Branch]]()
        while node.seat and (not way or node.visits):
            branch = node.chosen(node.branches or self.expand(node))
            way.append((node, branch))
            if branch.node is None:
                branch.node = self.after(branch, node.seat)
                if branch.visits:
                    branch.node.played(dict(branch.sums))
            node = branch.node
        self.looked += SEEN
        if not node.came_to:
            node.played(self.worth(node.state, way[-1][0].seat))
        for above, taken in way:
            above.visits += 1
            taken.visits += 1
            for seat, value in node.came_to.items():
                taken.sums[seat] = taken.sums.get(seat, 0.0) + value
            above.worth += (node.came_to[above.seat] - above.worth) / above.visits

    def worth(self, state: Any, seat: Seat) -> dict[Seat, float]:
        """What a position is worth to each seat, from 0 to 1, after the turn of one of them."""
        if self.game.chances:
            self.looked += ASKED
            return {each: chance.mean for each, chance in chances(self.game, state).items()}
        ends, looked = played_out(self.game, state, seat, self.quick)
        self.looked += looked
        return values(self.game, ends, self.quick)

    @property
    def wins(self) -> bool:
        """Whether the turn that was tried most wins at once."""
        first = max(self.root.branches or (), key=lambda each: each.visits)
        return bool(first.node and not first.node.seat and first.mean(self.root.seat) >= WINNING)

    def after(self, branch: Branch, seat: Seat) -> Node:
        """The position after a turn, which `quick` goes on with after the first command."""
        state, to_move = branch.tried.after, self.game.evolution.to_move(branch.tried.after)
        for _ in range(LONGEST):
            if not to_move or to_move[0] != seat:
                break
            found = self.quick.tried(self.game, state, seat)
            self.looked += len(found)
            state = best(found).after
            to_move = self.game.evolution.to_move(state)
        return Node(state, to_move[0] if to_move else "")


class DeepBot:
    """The turn that has come to most in a tree search."""

    def __init__(self, quick: QuickBot | None = None) -> None:
        self.quick = quick or QuickBot()

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The first command of that turn."""
        *_, told = self.thinking(view, nodes, rng)
        return told.choice

    def thinking(self, view: View, nodes: int, rng: Random) -> Iterator[Told]:
        """The same, step by step: whoever asks may show how far it is, or leave."""
        most = nodes or NODES
        trees = [Search(view.game, self.quick, world, view.seat) for world in imagined(view, rng)]
        if all(len(tree.root.branches or ()) == 1 for tree in trees):
            most = 0
        while (looked := sum(tree.looked for tree in trees)) < most and not all(tree.wins for tree in trees):
            for tree in trees:
                tree.step()
            yield Told(min(looked, most), most, self.choice(view, trees))
        yield Told(most, most, self.choice(view, trees))

    def choice(self, view: View, trees: Sequence[Search]) -> Choice:
        """What has come to most so far, and why."""
        seat, found = view.seat, dict[Command, list[Branch]]()
        for tree in trees:
            for branch in tree.root.branches or ():
                found.setdefault(branch.tried.command, []).append(branch)

        usual = fmean(tree.root.worth for tree in trees)

        def good(branches: Sequence[Branch]) -> float:
            """What it has come to, as if it had come to the usual some times too: one lucky try says little."""
            visits, came_to = visits_of(branches), sum(each.sums.get(seat, 0.0) for each in branches)
            return (came_to + DOUBT * usual) / (visits + DOUBT)

        command = max(found, key=lambda each: good(found[each]))
        branches = found[command]
        if len(found) == 1:
            return Choice(command, ALONE)
        turns, looked = sum(map(visits_of, found.values())), sum(tree.looked for tree in trees)
        what = f"tried {visits_of(branches)} times of {turns}, {looked} positions, {good(branches):.0%} good"
        return Choice(command, what)


def visits_of(branches: Sequence[Branch]) -> int:
    """How often a command was tried, in all trees."""
    return sum(each.visits for each in branches)


def values(game: Game, state: Any, quick: QuickBot) -> dict[Seat, float]:
    """What a position has come to for each seat, from 0 to 1: whether it has won, and by how much it is ahead."""
    outcome, found = game.evolution.outcome(state), dict[Seat, float]()
    for seat in game.evolution.seats(state):
        won = seat in outcome.winners
        ahead = 1 / (1 + exp((VICTORY * won - lead(game, state, seat, quick)) / FAR))
        found[seat] = WINNING * won + (1 - WINNING) * ahead if outcome.over else ahead
    return found
