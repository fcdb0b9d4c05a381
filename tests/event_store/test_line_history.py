"""Lines of play, compared with a naive model that stores the whole path to every commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from event_store import DamagedError, EventStore, Forked, HeadMoved, Line
from event_store.line_history import commit_after_steps, commit_at, fork_event_at, load_line, path_to, refresh
from tests.event_store.diary import AT, commit, open_diary

Digest = bytes
"""A commit, by its digest."""


@dataclass
class Model:
    """A naive model of a line: for every commit, the whole path to it."""

    paths: dict[Digest, list[Digest]] = field(default_factory=dict)
    head: Digest = b""
    tip: Digest = b""

    def commit(self, new_commit: Digest) -> None:
        self.paths[new_commit] = [*self.paths.get(self.head, []), new_commit]
        self.head = self.tip = new_commit

    def move(self, target: Digest) -> None:
        if target not in self.paths[self.tip]:
            self.tip = target
        self.head = target

    def commit_after_steps(self, steps: int) -> Digest | None:
        index = len(self.paths[self.head]) - 1 + steps
        return dict(enumerate(self.paths[self.tip])).get(index)

    def fork(self, commit: Digest) -> Model:
        return Model({ancestor: self.paths[ancestor] for ancestor in self.paths[commit]}, commit, commit)


class Game:
    """Lines in a store, and a model of each."""

    def __init__(self) -> None:
        self.store = open_diary("memory:")
        self.models: dict[str, Model] = {}
        self.lines: dict[str, Line] = {}
        self.commit_count = 0
        self.open_line("line0", Model())
        self.commit("line0")

    def open_line(self, stream: str, model: Model) -> None:
        self.models[stream] = model
        self.lines[stream] = load_line(self.store.read, stream)

    def commit(self, stream: str) -> None:
        self.commit_count += 1
        line = self.lines[stream]
        new_commit = commit(self.store, stream, line.revision, line.head, f"commit {self.commit_count}")
        refresh(self.store.read, line)
        self.models[stream].commit(new_commit.digest)

    def move(self, stream: str, target: Digest) -> None:
        line = self.lines[stream]
        self.store.append(stream, line.revision, [HeadMoved(line.head, target)], by="ann", at=AT)
        refresh(self.store.read, line)
        self.models[stream].move(target)

    def fork(self, stream: str, commit: Digest) -> None:
        fork_stream = f"line{len(self.lines)}"
        self.store.append(fork_stream, -1, [fork_event_at(self.lines[stream], commit)], by="ann", at=AT)
        self.open_line(fork_stream, self.models[stream].fork(commit))

    def check_lines(self) -> None:
        for stream, model in self.models.items():
            known_lines = [self.lines[each] for each in self.lines if each != stream]
            for line in (
                self.lines[stream],
                load_line(self.store.read, stream),
                load_line(self.store.read, stream, known_lines),
                load_line(self.store.read, stream, known_lines[::-1]),
            ):
                self.compare_with_model(line, model)

    @staticmethod
    def compare_with_model(line: Line, model: Model) -> None:
        assert list(line.commits) == list(model.paths)
        assert (line.head, line.tip, line.newest_commit) == (model.head, model.tip, next(reversed(model.paths)))
        for digest, path in model.paths.items():
            assert path_to(line, digest) == path
            assert line.commit_numbers[digest] == len(path) - 1
        for steps in range(-4, 5):
            assert commit_after_steps(line, steps) == model.commit_after_steps(steps)


@given(st.lists(st.tuples(st.sampled_from(["commit", "step", "goto", "fork"]), st.integers(0, 99), st.integers(0, 99))))
def test_lines_agree_with_the_naive_model(actions: list[tuple[str, int, int]]) -> None:
    game = Game()
    for action, line_number, random_number in actions:
        game.check_lines()
        stream = f"line{line_number % len(game.lines)}"
        model = game.models[stream]
        target_commit = list(model.paths)[random_number % len(model.paths)]
        match action:
            case "commit":
                game.commit(stream)
            case "step" if target := model.commit_after_steps(random_number % 7 - 3):
                game.move(stream, target)
            case "goto":
                game.move(stream, target_commit)
            case "fork":
                game.fork(stream, target_commit)
    game.check_lines()


@pytest.fixture
def game() -> Game:
    """A line with the commits 0 to 4."""
    game = Game()
    for _ in range(4):
        game.commit("line0")
    return game


def digest_at(game: Game, number: int, stream: str = "line0") -> Digest:
    digest = commit_at(game.lines[stream], number)
    assert digest
    return digest


def line_after(game: Game, *actions: Callable[[], None]) -> Line:
    for action in actions:
        action()
        game.check_lines()
    return game.lines["line0"]


def test_a_move_has_the_number_of_commands_before_it(game: Game) -> None:
    assert list(game.lines["line0"].commit_numbers.values()) == [0, 1, 2, 3, 4]


def test_undo_keeps_the_path_for_redo(game: Game) -> None:
    last_commit = game.lines["line0"].head
    line = line_after(
        game, lambda: game.move("line0", digest_at(game, 2)), lambda: game.move("line0", digest_at(game, 1))
    )
    assert (line.commit_numbers[line.head], commit_after_steps(line, 3)) == (1, last_commit)


def test_playing_on_leaves_the_undone_commits_in_the_line(game: Game) -> None:
    undone_commit = game.lines["line0"].head
    line = line_after(game, lambda: game.move("line0", digest_at(game, 3)), lambda: game.commit("line0"))
    assert line.commit_numbers[line.head] == line.commit_numbers[undone_commit] == 4
    assert undone_commit in line.commits
    assert commit_after_steps(line, 1) is None


def test_going_to_another_branch_makes_its_tip_the_tip(game: Game) -> None:
    undone_commit = game.lines["line0"].head
    line = line_after(
        game,
        lambda: game.move("line0", digest_at(game, 1)),
        lambda: game.commit("line0"),
        lambda: game.move("line0", undone_commit),
        lambda: game.move("line0", digest_at(game, 2)),
    )
    assert (line.tip, line.commit_numbers[line.head]) == (undone_commit, 2)


def test_a_fork_copies_nothing_and_keeps_the_numbers(game: Game) -> None:
    game.fork("line0", digest_at(game, 3))
    assert len(list(game.store.read("line1"))) == 1
    assert list(game.lines["line1"].commit_numbers.values()) == [0, 1, 2, 3]


def test_a_fork_does_not_see_what_its_parent_does_next(game: Game) -> None:
    game.fork("line0", digest_at(game, 4))
    game.commit("line0")
    game.check_lines()
    assert len(game.lines["line1"].commits) == 5


def test_a_fork_of_a_fork_at_a_shared_commit_refers_to_the_line_where_it_was_made(game: Game) -> None:
    game.fork("line0", digest_at(game, 3))
    line_after(game, lambda: game.commit("line1"))
    game.fork("line1", digest_at(game, 2))
    game.fork("line1", digest_at(game, 4, "line1"))
    assert [game.lines[f"line{line_number}"].fork_event for line_number in (2, 3)] == [
        Forked("line0", game.lines["line0"].commits[digest_at(game, 2)].revision, digest_at(game, 2)),
        Forked(
            "line1",
            game.lines["line1"].commits[digest_at(game, 4, "line1")].revision,
            digest_at(game, 4, "line1"),
        ),
    ]


def test_forks_may_be_100_deep(game: Game) -> None:
    for depth in range(100):
        game.commit(f"line{depth}")
        game.fork(f"line{depth}", game.lines[f"line{depth}"].head)
    assert len(game.lines["line100"].commits) == 105


@pytest.fixture
def store() -> EventStore:
    return open_diary("memory:")


def test_a_commit_that_does_not_build_on_the_head_is_damage(store: EventStore) -> None:
    commit(store, "a", -1, b"", "set up")
    commit(store, "a", 1, b"somewhere else", "played")
    with pytest.raises(DamagedError, match="stream a is damaged at revision 3: this commit does not build on the head"):
        load_line(store.read, "a")


def test_a_head_that_moved_to_no_commit_is_damage(store: EventStore) -> None:
    first_entry = commit(store, "a", -1, b"", "set up")
    store.append("a", 1, [HeadMoved(first_entry.digest, b"nowhere")], by="ann", at=AT)
    with pytest.raises(DamagedError, match="the head can't move like this"):
        load_line(store.read, "a")


def test_a_fork_of_no_commit_is_damage(store: EventStore) -> None:
    store.append("a", -1, [Forked("b", 1, b"nothing")], by="ann", at=AT)
    with pytest.raises(DamagedError, match="the commit that this line was forked from is missing"):
        load_line(store.read, "a")
