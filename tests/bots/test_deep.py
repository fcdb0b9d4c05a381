"""`deep` searches the turns of all seats: it is repeatable, keeps its budget, and can be interrupted."""

from random import Random

import pytest

from zimcore.bots.bot import Bot, View, view_for
from zimcore.bots.bot_match import play_with, think
from zimcore.bots.deep import DeepBot, TreeSearch, end_values
from zimcore.bots.levels import QuickBot
from zimcore.games.zimbabwe import GAME

QUICK = QuickBot()


@pytest.fixture(scope="module")
def view() -> View:
    """A position in the middle of a match, with many legal commands."""
    state = play_with(GAME, [(QUICK, 0)] * 3, {"players": "3"}, seed=11, max_commands=61).state
    assert not GAME.evolution.outcome(state).over
    return view_for(GAME, state, GAME.evolution.to_move(state)[0])


def test_it_is_the_same_again_and_looks_at_so_many_positions(view: View) -> None:
    first, second = ([*DeepBot().thinking(view, 3000, Random(seed))] for seed in (1, 2))
    assert first == second
    assert (first[-1].nodes_searched, first[-1].total) == (3000, 3000)
    assert [progress.nodes_searched for progress in first] == sorted(progress.nodes_searched for progress in first)
    assert first[-1].choice == DeepBot().choose(view, 3000, Random())
    assert "positions" in first[-1].choice.why


def test_every_seat_looks_for_what_is_best_for_itself(view: View) -> None:
    search = TreeSearch(GAME, QUICK, view.state, view.seat)
    for _ in range(40):
        search.step()
    nodes = [search.root]
    for node in nodes:
        nodes += [each.node for each in node.branches or () if each.node and each.node.branches]
    assert len({node.seat for node in nodes}) == 3
    assert search.root.visits == 40
    for node in nodes:
        branches = [each for each in node.branches or () if each.visits]
        assert sum(each.visits for each in branches) == node.visits
        if node.visits > 12:
            most = max(branches, key=lambda each: each.visits)
            assert most.mean(node.seat) >= max(each.mean(node.seat) for each in branches) - 0.15


def test_a_victory_is_worth_most_and_only_to_whom_it_belongs() -> None:
    match = play_with(GAME, [(QUICK, 0)] * 3, {"players": "3"}, seed=11)
    worth = end_values(GAME, match.state, QUICK)
    winner = match.outcome.winner
    assert winner
    assert worth[winner] >= 0.8 > 0.2 >= max(each for seat, each in worth.items() if seat != winner)


def test_where_only_one_thing_can_be_played_it_does_not_search(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    one = QUICK.rank_candidates(GAME, view.state, view.seat)[:1]
    monkeypatch.setattr(QuickBot, "rank_candidates", lambda *args: one)
    (progress,) = DeepBot().thinking(view, 3000, Random())
    assert progress.choice.command == one[0].command
    assert progress.choice.why.startswith("nothing else is worth trying")


def test_a_finished_game_is_not_polled_endlessly() -> None:
    match = play_with(GAME, [(QUICK, 0)] * 3, {"players": "3"}, seed=11)
    last = next(at for at, (seat, _) in reversed([*enumerate(match.played)]) if seat != match.outcome.winner)
    for most in (last, len(match.played) - 1):  # of one who loses, and of the one who wins
        state = play_with(GAME, [(QUICK, 0)] * 3, {"players": "3"}, seed=11, max_commands=most).state
        view = view_for(GAME, state, GAME.evolution.to_move(state)[0])
        steps = [*DeepBot().thinking(view, 4000, Random())]
        assert len(steps) <= 4000 / 20 + 1
        assert GAME.rules.apply(state, view.seat, steps[-1].choice.command)


def test_it_says_how_far_it_is_and_can_be_left(view: View) -> None:
    progress = list[tuple[int, int]]()
    choice = think(DeepBot(), view, 2000, "x", lambda count, of: progress.append((count, of)))
    assert progress[-1] == (2000, 2000)
    assert len(progress) > 2
    assert choice == DeepBot().choose(view, 2000, Random())

    def leave(count: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        think(DeepBot(), view, 2000, "x", leave)


def test_it_is_better_than_what_it_searches_with() -> None:
    wins = 0
    for seed in range(770_000, 770_004):
        bots: list[tuple[Bot, int]] = [(QUICK, 0), (QUICK, 0)]
        bots[seed % 2] = DeepBot(), 2000
        match = play_with(GAME, bots, {"players": "2"}, seed)
        wins += match.outcome.winner == match.seats[seed % 2]
    assert wins >= 3
