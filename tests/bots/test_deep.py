"""`deep` searches the turns of all seats: it is repeatable, keeps its budget, and can be interrupted."""

from random import Random

import pytest

from zimcore.bots.bot import Bot, View, view_for
from zimcore.bots.bot_match import play_bots, think
from zimcore.bots.deep import DeepBot, TreeSearch, end_values
from zimcore.bots.levels import QuickBot
from zimcore.games.zimbabwe import GAME

QUICK = QuickBot()


@pytest.fixture(scope="module")
def view() -> View:
    """A position in the middle of a match, with many legal commands."""
    state = play_bots(GAME, [(QUICK, 0)] * 3, {"players": "3"}, seed=11, max_commands=61).state
    assert not GAME.evolution.outcome(state).over
    return view_for(GAME, state, GAME.evolution.to_move(state)[0])


def test_deep_is_repeatable_and_looks_at_so_many_positions(view: View) -> None:
    first_progress, second_progress = ([*DeepBot().search_steps(view, 3000, Random(seed))] for seed in (1, 2))
    assert first_progress == second_progress
    assert (first_progress[-1].nodes_searched, first_progress[-1].nodes_planned) == (3000, 3000)
    assert [progress.nodes_searched for progress in first_progress] == sorted(
        progress.nodes_searched for progress in first_progress
    )
    assert first_progress[-1].choice == DeepBot().choose(view, 3000, Random())
    assert "positions" in first_progress[-1].choice.why


def test_every_seat_searches_for_its_own_best_turn(view: View) -> None:
    search = TreeSearch(GAME, QUICK, view.state, view.seat)
    for _ in range(40):
        search.step()
    nodes = [search.root]
    for node in nodes:
        nodes += [branch.node for branch in node.branches or () if branch.node and branch.node.branches]
    assert len({node.seat for node in nodes}) == 3
    assert search.root.visits == 40
    for node in nodes:
        branches = [branch for branch in node.branches or () if branch.visits]
        assert sum(branch.visits for branch in branches) == node.visits
        if node.visits > 12:
            most_visited = max(branches, key=lambda branch: branch.visits)
            assert most_visited.mean(node.seat) >= max(branch.mean(node.seat) for branch in branches) - 0.15


def test_a_victory_is_worth_most_and_only_to_the_winner() -> None:
    match = play_bots(GAME, [(QUICK, 0)] * 3, {"players": "3"}, seed=11)
    values = end_values(GAME, match.state, QUICK)
    winner = match.outcome.winner
    assert winner
    assert values[winner] >= 0.8 > 0.2 >= max(value for seat, value in values.items() if seat != winner)


def test_deep_does_not_search_a_single_candidate(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    only_candidate = QUICK.evaluate_candidates(GAME, view.state, view.seat)[:1]
    monkeypatch.setattr(QuickBot, "evaluate_candidates", lambda *args: only_candidate)
    (progress,) = DeepBot().search_steps(view, 3000, Random())
    assert progress.choice.command == only_candidate[0].command
    assert progress.choice.why.startswith("nothing else is worth trying")


def test_a_search_at_the_end_of_a_game_takes_few_steps() -> None:
    match = play_bots(GAME, [(QUICK, 0)] * 3, {"players": "3"}, seed=11)
    last_losing_move = next(
        number for number, (seat, _) in reversed([*enumerate(match.moves)]) if seat != match.outcome.winner
    )
    for max_commands in (last_losing_move, len(match.moves) - 1):  # of one who loses, and of the one who wins
        state = play_bots(GAME, [(QUICK, 0)] * 3, {"players": "3"}, seed=11, max_commands=max_commands).state
        view = view_for(GAME, state, GAME.evolution.to_move(state)[0])
        steps = [*DeepBot().search_steps(view, 4000, Random())]
        assert len(steps) <= 4000 / 20 + 1
        assert GAME.rules.apply(state, view.seat, steps[-1].choice.command)


def test_deep_reports_its_progress_and_can_be_interrupted(view: View) -> None:
    progress = list[tuple[int, int]]()
    choice = think(DeepBot(), view, 2000, "x", lambda count, total: progress.append((count, total)))
    assert progress[-1] == (2000, 2000)
    assert len(progress) > 2
    assert choice == DeepBot().choose(view, 2000, Random())

    def interrupt(count: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        think(DeepBot(), view, 2000, "x", interrupt)


def test_deep_beats_the_bot_that_it_searches_with() -> None:
    wins = 0
    for seed in range(770_000, 770_004):
        bots: list[tuple[Bot, int]] = [(QUICK, 0), (QUICK, 0)]
        bots[seed % 2] = DeepBot(), 2000
        match = play_bots(GAME, bots, {"players": "2"}, seed)
        wins += match.outcome.winner == match.seats[seed % 2]
    assert wins >= 3
