"""Alternatives that programs play on: the texts that name them, games in pairs, estimates, and stopping."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.nim import GAME as NIM
from tests.recordings import script_steps
from zimcore.analysis import alternatives
from zimcore.analysis.alternative_cache import AlternativeCache
from zimcore.analysis.alternatives import (
    MIN_GAMES_TO_DECIDE,
    AlternativeGame,
    Comparison,
    compare_alternatives,
    estimate_difference,
    estimate_mean,
    expand_alternatives,
    is_decided,
    iter_tasks,
    play_tasks,
    play_to_end,
    replay_commits,
    values_by_game,
    victory_share,
)
from zimcore.analysis.turns import turn_key
from zimcore.bots.registry import parse_bot
from zimcore.commits import Position
from zimcore.game import GameError, RefusedError
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.service import EVERYTHING, GameService, Viewer, open_service

GAMES_FOLDER = Path(__file__).parents[1] / "games"

QUICK = parse_bot("quick")


@pytest.fixture
def service() -> GameService:
    return open_service("memory:")


def begin_match(service: GameService, game_name: str = "zimbabwe", **options: str) -> Position:
    return service.new(game_name, {"players": "2", "seed": "7", **options}, name="k", by="anna", viewer=EVERYTHING)


def begin_bidding(service: GameService) -> Position:
    begin_match(service, max_rounds="2")
    for text in ("start f6", "start c6"):
        service.play_or_raise("k", text, by="anna")
    return service.head("k")


def play_alternatives(
    service: GameService, position: Position, texts: Sequence[str], games: int, **options: Any
) -> list[AlternativeGame]:
    expanded_texts = expand_alternatives(position, texts)
    commits = service.log(f"k@{position.commit.number}", viewer=Viewer(position.mover))
    workers = options.pop("workers", 1)
    return list(compare_alternatives(Comparison(position, commits, expanded_texts, QUICK, games, **options), workers))


def test_alternatives_are_commands_patterns_and_whole_turns(service: GameService) -> None:
    position = begin_bidding(service)
    assert expand_alternatives(position, ["bid *", "pass", "pass"]) == [("bid 1",), ("bid 2",), ("bid 3",), ("pass",)]
    assert expand_alternatives(position, [f"{position.mover}: bid *"]) == [("bid 1",), ("bid 2",), ("bid 3",)]
    with pytest.raises(RefusedError):
        expand_alternatives(position, ["bid 9"])
    for text, message in (("adore *", "no legal command is like this"), ("fly", "unknown command")):
        with pytest.raises(GameError, match=message):
            expand_alternatives(position, [text])
    other_seat = next(seat for seat in position.seats if seat != position.mover)
    with pytest.raises(GameError, match="it is the turn of"):
        expand_alternatives(position, [f"{other_seat}: pass"])


def test_too_many_alternatives_are_refused(service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternatives, "MAX_ALTERNATIVES", 3)
    position = begin_bidding(service)
    assert len(expand_alternatives(position, ["bid *"])) == 3
    with pytest.raises(GameError, match="these are 4 alternatives"):
        expand_alternatives(position, ["bid *", "pass"])


def test_games_with_the_same_number_have_the_same_bots(service: GameService) -> None:
    position = begin_bidding(service)
    games = play_alternatives(service, position, ["bid 1", "pass"], 3, expressions=("kilwa.vp", "round > 2"))
    assert [(result.game_number, result.alternative) for result in games] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
    ]
    assert games == play_alternatives(
        service, position, ["bid 1", "pass"], 3, expressions=("kilwa.vp", "round > 2"), workers=2
    )
    assert {bool(result.seat_commands) for result in games if result.game_number == 0} == {True}
    assert len({result.values for result in games if result.alternative == 0}) > 1, "the programs waver"
    results_alone = play_alternatives(service, position, ["pass"], 3, expressions=("kilwa.vp", "round > 2"))
    assert [result.values for result in results_alone] == [
        result.values for result in games if result.alternative == 1
    ], "whatever is asked"


def test_a_worker_reads_the_past_of_a_question_once(service: GameService) -> None:
    position = begin_bidding(service)
    comparison = Comparison(position, service.log("k"), expand_alternatives(position, ["bid 1", "pass"]), QUICK, 2)
    tasks = list(iter_tasks(comparison, [(0, 0), (0, 1), (1, 0), (1, 1)]))
    assert len({id(task.pickled_commits) for task in tasks}) == 1, "it is written once"
    replay_commits.cache_clear()
    results = play_tasks(tasks)
    assert (replay_commits.cache_info().misses, replay_commits.cache_info().hits) == (1, 3)
    assert play_tasks(tasks) == results, "no game changes the position that all begin from"


def test_hidden_cards_are_dealt_anew_from_what_the_seat_knows(service: GameService) -> None:
    begin_match(service, "africana")
    seat = service.position("k", EVERYTHING).mover
    position = service.position("k", Viewer(seat))
    results = play_alternatives(service, position, ["draw"], 2, expressions=(f"{seat}.vp",))
    assert len(results) == 2
    assert AFRICANA.secrets


def test_a_game_without_a_strategy_is_played_on_at_random() -> None:
    state = NIM.rules.apply(NIM.evolution.initial(), "", NIM.rules.set_up({"stones": "9"}, 1)).state
    playouts = [play_to_end(NIM, state, parse_bot("random"), number, 0) for number in range(20)]
    assert {NIM.evolution.outcome(end_state).over for end_state, _ in playouts} == {True}
    assert len({tuple(moves) for _, moves in playouts}) > 5
    assert play_to_end(NIM, state, parse_bot("random"), 3, 0)[1] == playouts[3][1]


def finished_game(alternative: int, number: int, *winners: str, value: float | None = None) -> AlternativeGame:
    return AlternativeGame(alternative, number, winners, (value,))


def test_estimates_have_a_mean_and_an_error() -> None:
    assert victory_share(finished_game(0, 0, "kilwa", "zulu"), "kilwa") == 0.5
    results = [
        finished_game(0, 0, "kilwa", value=3),
        finished_game(0, 1, "zulu"),
        finished_game(1, 0, "zulu"),
        finished_game(1, 1, "zulu"),
    ]
    assert values_by_game(results, 0, "kilwa") == {0: 1.0, 1: 0.0}
    assert values_by_game(results, 0, "kilwa", 0) == {0: 3}, "what was no number counts for nothing"
    assert estimate_difference(values_by_game(results, 0, "kilwa"), values_by_game(results, 1, "kilwa")).mean == 0.5
    estimate_of_halves = estimate_mean([float(number % 2) for number in range(400)])
    assert estimate_of_halves.mean == 0.5
    estimate_of_wins = estimate_mean([1.0] * 16, of_wins=True)
    assert estimate_of_wins.margin
    assert estimate_of_wins.margin > 0.1, "sixteen wins of sixteen prove no certainty"
    assert estimate_of_halves.margin == pytest.approx(1.96 * 0.5 / 20, rel=0.01)


def test_a_comparison_is_decided_when_one_wins_more_beyond_doubt() -> None:
    def results_of(games: int, interval: int) -> list[AlternativeGame]:
        """Results in which the first alternative wins all games, and the second one of every `interval` games."""
        return [
            finished_game(alternative, number, "kilwa" if alternative == 0 or number % interval == 0 else "zulu")
            for number in range(games)
            for alternative in range(2)
        ]

    assert is_decided(results_of(MIN_GAMES_TO_DECIDE, 4), 2, "kilwa")
    assert not is_decided(results_of(MIN_GAMES_TO_DECIDE - 8, 4), 2, "kilwa"), "too few"
    assert not is_decided(results_of(MIN_GAMES_TO_DECIDE + 8, 1), 2, "kilwa"), "as good"
    assert not is_decided(results_of(MIN_GAMES_TO_DECIDE, 4)[:MIN_GAMES_TO_DECIDE], 1, "kilwa"), (
        "nothing to compare it with"
    )
    opposed_results = [
        AlternativeGame(result.alternative, result.game_number, result.winners, (float(result.alternative),))
        for result in results_of(MIN_GAMES_TO_DECIDE, 4)
    ]
    assert is_decided(opposed_results, 2, "kilwa", 0), "by the figure that they are ordered by"
    assert not is_decided(results_of(MIN_GAMES_TO_DECIDE, 4), 2, "kilwa", 0), "which has no value here"


def test_an_interrupted_comparison_goes_on(service: GameService, tmp_path: Path) -> None:
    position = begin_bidding(service)
    expanded_texts = expand_alternatives(position, ["bid 1", "pass"])

    comparison = Comparison(position, service.log("k"), expanded_texts, QUICK, 2)

    cache = AlternativeCache(tmp_path, comparison)
    interrupted_comparison = compare_alternatives(comparison, recall=cache.recall, keep=cache.store)
    first_games = [next(interrupted_comparison), next(interrupted_comparison), next(interrupted_comparison)]
    interrupted_comparison.close()
    cache.file.path.write_bytes(cache.file.path.read_bytes()[:-9])  # cut off, as by a crash
    reopened_cache, new_games = AlternativeCache(tmp_path, comparison), list[AlternativeGame]()
    all_games = list(compare_alternatives(comparison, recall=reopened_cache.recall, keep=new_games.append))
    assert all_games[:3] == first_games
    assert len(new_games) == 2
    other_cache = AlternativeCache(tmp_path, comparison._replace(alternatives=expanded_texts[::-1]))
    assert other_cache.recall(1, 0) == AlternativeGame(
        1, *[getattr(first_games[0], name) for name in AlternativeGame.__struct_fields__[1:]]
    )


def test_random_errors_do_not_depend_on_what_was_played_before() -> None:
    """Else games in pairs would differ by luck, too: with another god taken, or another bid."""
    keys_by_turn = dict[tuple[Any, ...], set[str]]()
    for file in sorted(GAMES_FOLDER.glob("*-3p-*.zim")):
        moves, _ = script_steps(file.read_text("utf-8"))
        for state, _, _ in moves:
            turn = (state.phase, state.round, ZIMBABWE.evolution.to_move(state))
            keys_by_turn.setdefault(turn, set()).add(turn_key(ZIMBABWE, state))
    assert len(keys_by_turn) > 20
    assert {len(keys) for keys in keys_by_turn.values()} == {1}
