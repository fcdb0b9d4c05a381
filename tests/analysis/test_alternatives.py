"""Alternatives that programs play on: the texts that name them, games in pairs, estimates, and stopping."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.nim import GAME as NIM
from zimcore.analysis import alternatives
from zimcore.analysis.alternative_cache import AlternativeCache
from zimcore.analysis.alternatives import (
    MIN_GAMES,
    PlayedOn,
    Question,
    compare_alternatives,
    difference,
    estimate,
    expand,
    is_decided,
    measures,
    play_on,
    play_tasks,
    state_after_past,
    tasks_of,
    wins,
)
from zimcore.bots.registry import parse_bot
from zimcore.commits import Position
from zimcore.game import GameError, RefusedError
from zimcore.games.africana import GAME as AFRICANA
from zimcore.service import EVERYTHING, GameService, Viewer, open_service

QUICK = parse_bot("quick")


@pytest.fixture
def service() -> GameService:
    return open_service("memory:")


def begin_match(service: GameService, kind: str = "zimbabwe", **options: str) -> Position:
    return service.new(kind, {"players": "2", "seed": "7", **options}, name="k", by="anna", viewer=EVERYTHING)


def bidding(service: GameService) -> Position:
    begin_match(service, max_rounds="2")
    for text in ("start f6", "start c6"):
        service.play_or_raise("k", text, by="anna")
    return service.head("k")


def play_alternatives(
    service: GameService, position: Position, texts: Sequence[str], games: int, **options: Any
) -> list[PlayedOn]:
    paths = expand(position, texts)
    commits = service.log(f"k@{position.commit.number}", viewer=Viewer(position.mover))
    workers = options.pop("workers", 1)
    return list(compare_alternatives(Question(position, commits, paths, QUICK, games, **options), workers))


def test_alternatives_are_commands_patterns_and_whole_turns(service: GameService) -> None:
    here = bidding(service)
    assert expand(here, ["bid *", "pass", "pass"]) == [("bid 1",), ("bid 2",), ("bid 3",), ("pass",)]
    assert expand(here, [f"{here.mover}: bid *"]) == [("bid 1",), ("bid 2",), ("bid 3",)]
    with pytest.raises(RefusedError):
        expand(here, ["bid 9"])
    for text, why in (("adore *", "no legal command is like this"), ("fly", "unknown command")):
        with pytest.raises(GameError, match=why):
            expand(here, [text])
    other = next(seat for seat in here.seats if seat != here.mover)
    with pytest.raises(GameError, match="it is the turn of"):
        expand(here, [f"{other}: pass"])


def test_too_many_alternatives_are_refused(service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternatives, "MAX_ALTERNATIVES", 3)
    here = bidding(service)
    assert len(expand(here, ["bid *"])) == 3
    with pytest.raises(GameError, match="these are 4 alternatives"):
        expand(here, ["bid *", "pass"])


def test_games_with_one_number_meet_the_same_programs(service: GameService) -> None:
    here = bidding(service)
    one = play_alternatives(service, here, ["bid 1", "pass"], 3, by=("kilwa.vp", "round > 2"))
    assert [(each.number, each.alternative) for each in one] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert one == play_alternatives(service, here, ["bid 1", "pass"], 3, by=("kilwa.vp", "round > 2"), workers=2)
    assert {bool(each.played) for each in one if each.number == 0} == {True}
    assert len({each.values for each in one if each.alternative == 0}) > 1, "the programs waver"
    again = play_alternatives(service, here, ["pass"], 3, by=("kilwa.vp", "round > 2"))
    assert [each.values for each in again] == [each.values for each in one if each.alternative == 1], (
        "whatever is asked"
    )


def test_a_worker_reads_the_past_of_a_question_once(service: GameService) -> None:
    here = bidding(service)
    question = Question(here, service.log("k"), expand(here, ["bid 1", "pass"]), QUICK, 2)
    tasks = list(tasks_of(question, [(0, 0), (0, 1), (1, 0), (1, 1)]))
    assert len({id(task.past) for task in tasks}) == 1, "it is written once"
    state_after_past.cache_clear()
    first = play_tasks(tasks)
    assert (state_after_past.cache_info().misses, state_after_past.cache_info().hits) == (1, 3)
    assert play_tasks(tasks) == first, "no game changes the position that all begin from"


def test_hidden_cards_are_dealt_anew_from_what_the_seat_knows(service: GameService) -> None:
    begin_match(service, "africana")
    seat = service.position("k", EVERYTHING).mover
    here = service.position("k", Viewer(seat))
    played_on = play_alternatives(service, here, ["draw"], 2, by=(f"{seat}.vp",))
    assert len(played_on) == 2
    assert AFRICANA.secrets


def test_a_game_without_a_strategy_is_played_on_at_random() -> None:
    state = NIM.rules.apply(NIM.evolution.initial(), "", NIM.rules.set_up({"stones": "9"}, 1)).state
    ends = [play_on(NIM, state, parse_bot("random"), number, 0) for number in range(20)]
    assert {NIM.evolution.outcome(end).over for end, _ in ends} == {True}
    assert len({tuple(moves) for _, moves in ends}) > 5
    assert play_on(NIM, state, parse_bot("random"), 3, 0)[1] == ends[3][1]


def result(alternative: int, number: int, *winners: str, value: float | None = None) -> PlayedOn:
    return PlayedOn(alternative, number, winners, (value,))


def test_estimates() -> None:
    assert wins(result(0, 0, "kilwa", "zulu"), "kilwa") == 0.5
    results = [result(0, 0, "kilwa", value=3), result(0, 1, "zulu"), result(1, 0, "zulu"), result(1, 1, "zulu")]
    assert measures(results, 0, "kilwa") == {0: 1.0, 1: 0.0}
    assert measures(results, 0, "kilwa", 0) == {0: 3}, "what was no number counts for nothing"
    assert difference(measures(results, 0, "kilwa"), measures(results, 1, "kilwa")).mean == 0.5
    many = estimate([float(number % 2) for number in range(400)])
    assert many.mean == 0.5
    sure = estimate([1.0] * 16, of_wins=True)
    assert sure.error
    assert sure.error > 0.1, "sixteen wins of sixteen prove no certainty"
    assert many.error == pytest.approx(1.96 * 0.5 / 20, rel=0.01)


def test_it_is_decided_when_one_wins_more_beyond_doubt() -> None:
    def after(games: int, every: int) -> list[PlayedOn]:
        """Results in which the first alternative wins all games, and the second one every `every`-th."""
        return [
            result(nth, number, "kilwa" if nth == 0 or number % every == 0 else "zulu")
            for number in range(games)
            for nth in range(2)
        ]

    assert is_decided(after(MIN_GAMES, 4), 2, "kilwa")
    assert not is_decided(after(MIN_GAMES - 8, 4), 2, "kilwa"), "too few"
    assert not is_decided(after(MIN_GAMES + 8, 1), 2, "kilwa"), "as good"
    assert not is_decided(after(MIN_GAMES, 4)[:MIN_GAMES], 1, "kilwa"), "nothing to compare it with"
    opposed = [
        PlayedOn(each.alternative, each.number, each.winners, (float(each.alternative),))
        for each in after(MIN_GAMES, 4)
    ]
    assert is_decided(opposed, 2, "kilwa", 0), "by the figure that they are ordered by"
    assert not is_decided(after(MIN_GAMES, 4), 2, "kilwa", 0), "which has no value here"


def test_what_was_interrupted_goes_on(service: GameService, tmp_path: Path) -> None:
    here = bidding(service)
    expansion = expand(here, ["bid 1", "pass"])

    question = Question(here, service.log("k"), expansion, QUICK, 2)

    cache = AlternativeCache(tmp_path, question)
    first = compare_alternatives(question, recall=cache.recall, keep=cache.keep)
    before = [next(first), next(first), next(first)]
    first.close()
    cache.path.write_bytes(cache.path.read_bytes()[:-9])  # cut off, as by a crash
    again, new_entries = AlternativeCache(tmp_path, question), list[PlayedOn]()
    whole = list(compare_alternatives(question, recall=again.recall, keep=new_entries.append))
    assert whole[:3] == before
    assert len(new_entries) == 2
    other = AlternativeCache(tmp_path, question._replace(alternatives=expansion[::-1]))
    assert other.recall(1, 0) == PlayedOn(1, *[getattr(before[0], name) for name in PlayedOn.__struct_fields__[1:]])
