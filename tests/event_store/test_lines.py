"""Lines of play, held against a naive model that copies everything and remembers every way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from event_store import DamagedError, EventStore, Forked, HeadMoved, Line
from event_store.line_history import commit_at, fork_of, load, path_to, refresh, step_target
from tests.event_store.diary import AT, commit, open_diary

Commit = bytes


@dataclass
class Model:
    """A naive model of a line: for every commit, the whole path to it."""

    ways: dict[Commit, list[Commit]] = field(default_factory=dict)
    head: Commit = b""
    tip: Commit = b""

    def commit(self, new: Commit) -> None:
        self.ways[new] = [*self.ways.get(self.head, []), new]
        self.head = self.tip = new

    def move(self, target: Commit) -> None:
        if target not in self.ways[self.tip]:
            self.tip = target
        self.head = target

    def commit_after_steps(self, steps: int) -> Commit | None:
        place = len(self.ways[self.head]) - 1 + steps
        return dict(enumerate(self.ways[self.tip])).get(place)

    def fork(self, at: Commit) -> Model:
        return Model({each: self.ways[each] for each in self.ways[at]}, at, at)


class Game:
    """Lines in a store, and their models beside them."""

    def __init__(self) -> None:
        self.store = open_diary("memory:")
        self.models: dict[str, Model] = {}
        self.lines: dict[str, Line] = {}
        self.made = 0
        self.open("line0", Model())
        self.commit("line0")

    def open(self, stream: str, model: Model) -> None:
        self.models[stream] = model
        self.lines[stream] = load(self.store.read, stream)

    def commit(self, stream: str) -> None:
        self.made += 1
        line = self.lines[stream]
        commit_made = commit(self.store, stream, line.revision, line.head, f"commit {self.made}")
        refresh(self.store.read, line)
        self.models[stream].commit(commit_made.digest)

    def move(self, stream: str, target: Commit) -> None:
        line = self.lines[stream]
        self.store.append(stream, line.revision, [HeadMoved(line.head, target)], by="ann", at=AT)
        refresh(self.store.read, line)
        self.models[stream].move(target)

    def fork(self, stream: str, at: Commit) -> None:
        fork = f"line{len(self.lines)}"
        self.store.append(fork, -1, [fork_of(self.lines[stream], at)], by="ann", at=AT)
        self.open(fork, self.models[stream].fork(at))

    def check(self) -> None:
        for stream, model in self.models.items():
            for line in (self.lines[stream], load(self.store.read, stream)):
                self.compare(line, model)

    @staticmethod
    def compare(line: Line, model: Model) -> None:
        assert list(line.commits) == list(model.ways)
        assert (line.head, line.tip, line.end) == (model.head, model.tip, next(reversed(model.ways)))
        for made, whole_way in model.ways.items():
            assert path_to(line, made) == whole_way
            assert line.numbers[made] == len(whole_way) - 1
        for steps in range(-4, 5):
            assert step_target(line, steps) == model.commit_after_steps(steps)


@given(st.lists(st.tuples(st.sampled_from(["commit", "step", "goto", "fork"]), st.integers(0, 99), st.integers(0, 99))))
def test_lines_are_what_the_naive_model_says(steps: list[tuple[str, int, int]]) -> None:
    game = Game()
    for what, a, b in steps:
        game.check()
        stream = f"line{a % len(game.lines)}"
        model = game.models[stream]
        there = list(model.ways)[b % len(model.ways)]
        match what:
            case "commit":
                game.commit(stream)
            case "step" if target := model.commit_after_steps(b % 7 - 3):
                game.move(stream, target)
            case "goto":
                game.move(stream, there)
            case "fork":
                game.fork(stream, there)
    game.check()


@pytest.fixture
def game() -> Game:
    """A line with the commits 0 to 4."""
    game = Game()
    for _ in range(4):
        game.commit("line0")
    return game


def at(game: Game, number: int, stream: str = "line0") -> Commit:
    index = commit_at(game.lines[stream], number)
    assert index
    return index


def do(game: Game, *actions: Callable[[], None]) -> Line:
    for action in actions:
        action()
        game.check()
    return game.lines["line0"]


def test_a_move_has_the_number_of_commands_before_it(game: Game) -> None:
    assert list(game.lines["line0"].numbers.values()) == [0, 1, 2, 3, 4]


def test_undo_keeps_the_way_for_redo(game: Game) -> None:
    last = game.lines["line0"].head
    line = do(game, lambda: game.move("line0", at(game, 2)), lambda: game.move("line0", at(game, 1)))
    assert (line.numbers[line.head], step_target(line, 3)) == (1, last)


def test_playing_on_leaves_the_undone_commits_in_the_line(game: Game) -> None:
    undone = game.lines["line0"].head
    line = do(game, lambda: game.move("line0", at(game, 3)), lambda: game.commit("line0"))
    assert line.numbers[line.head] == line.numbers[undone] == 4
    assert undone in line.commits
    assert step_target(line, 1) is None


def test_going_to_another_branch_makes_it_the_way(game: Game) -> None:
    undone = game.lines["line0"].head
    line = do(
        game,
        lambda: game.move("line0", at(game, 1)),
        lambda: game.commit("line0"),
        lambda: game.move("line0", undone),
        lambda: game.move("line0", at(game, 2)),
    )
    assert (line.tip, line.numbers[line.head]) == (undone, 2)


def test_a_fork_copies_nothing_and_keeps_the_numbers(game: Game) -> None:
    game.fork("line0", at(game, 3))
    assert len(list(game.store.read("line1"))) == 1
    assert list(game.lines["line1"].numbers.values()) == [0, 1, 2, 3]


def test_a_fork_does_not_see_what_its_parent_does_next(game: Game) -> None:
    game.fork("line0", at(game, 4))
    game.commit("line0")
    game.check()
    assert len(game.lines["line1"].commits) == 5


def test_a_fork_of_a_fork_at_a_shared_commit_refers_to_the_line_where_it_was_made(game: Game) -> None:
    game.fork("line0", at(game, 3))
    do(game, lambda: game.commit("line1"))
    game.fork("line1", at(game, 2))
    game.fork("line1", at(game, 4, "line1"))
    assert [game.lines[f"line{n}"].forked for n in (2, 3)] == [
        Forked("line0", game.lines["line0"].commits[at(game, 2)].revision, at(game, 2)),
        Forked("line1", game.lines["line1"].commits[at(game, 4, "line1")].revision, at(game, 4, "line1")),
    ]


def test_forks_go_as_deep_as_one_likes(game: Game) -> None:
    for depth in range(100):
        game.commit(f"line{depth}")
        game.fork(f"line{depth}", game.lines[f"line{depth}"].head)
    assert len(game.lines["line100"].commits) == 105


@pytest.fixture
def store() -> EventStore:
    return open_diary("memory:")


def test_a_commit_that_does_not_build_on_the_head_is_a_damage(store: EventStore) -> None:
    commit(store, "a", -1, b"", "set up")
    commit(store, "a", 1, b"somewhere else", "played")
    with pytest.raises(DamagedError, match="stream a is damaged at revision 3: this commit does not build on the head"):
        load(store.read, "a")


def test_a_head_that_moved_nowhere_is_a_damage(store: EventStore) -> None:
    first = commit(store, "a", -1, b"", "set up")
    store.append("a", 1, [HeadMoved(first.digest, b"nowhere")], by="ann", at=AT)
    with pytest.raises(DamagedError, match="the head can't move like this"):
        load(store.read, "a")


def test_a_fork_of_nothing_is_a_damage(store: EventStore) -> None:
    store.append("a", -1, [Forked("b", 1, b"nothing")], by="ann", at=AT)
    with pytest.raises(DamagedError, match="the commit that this line was forked from is missing"):
        load(store.read, "a")
