"""A league measures bots against many styles, and says where strength is not one number."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from scripts.research import league, selfplay
from scripts.research.styles import HELD_OUT, HIRABLE, STYLES
from zimcore.bots.bot_match import play_bots
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import Adore, Give, Hire, Pass
from zimcore.games.zimbabwe.components import GODS

BOT_SOURCE = """
from zimcore.bots.levels import PeerBot
class Mine(PeerBot): pass
"""


def run_league(monkeypatch: pytest.MonkeyPatch, results_file: Path, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["league", *words, "--into", str(results_file), "--workers", "1"])
    return league.main()


def results_of_pairs(**pairs: list[float]) -> dict[tuple[str, str], list[float]]:
    """Results of pairs such as `ab`, and for `ba` the opposite."""
    results = {(pair[0], pair[1]): deals for pair, deals in pairs.items()}
    return results | {
        (other_name, name): [1 - share for share in deals] for (name, other_name), deals in results.items()
    }


def test_a_league_goes_on_where_it_was_cut_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    results_file, words = tmp_path / "league.jsonl", ("peer", "greedy", "--deals", "2")
    assert run_league(monkeypatch, results_file, *words) == 0
    output, lines = capsys.readouterr().out, results_file.read_bytes()
    assert "4 matches of 2" in output
    results_file.write_bytes(lines[:-9])
    assert run_league(monkeypatch, results_file, *words) == 0
    assert capsys.readouterr().out == output
    records, new_records = (
        list(map(json.loads, content.splitlines())) for content in (lines, results_file.read_bytes())
    )
    assert [record | {"seconds": 0} for record in new_records] == [record | {"seconds": 0} for record in records]
    lines = results_file.read_bytes()
    assert run_league(monkeypatch, results_file, "peer", "greedy", "no-bids", "--deals", "1") == 0
    assert results_file.read_bytes().startswith(lines)
    assert len(results_file.read_bytes().splitlines()) == 4 + 4, "only the pairs with the new one are played"


def test_a_bot_of_another_author_enters_by_its_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "stranger.py").write_text(BOT_SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert run_league(monkeypatch, tmp_path / "l", "stranger:Mine", "greedy", "--deals", "1", "--players", "3") == 0
    output = capsys.readouterr().out
    assert "6 matches of 3" in output
    assert "stranger:Mine" in output
    assert "Elo" not in output, "a rating is of matches between two"


@pytest.mark.parametrize("words", [("quick", "clever"), ("quick",), ("quick", "peer", "--deals", "0")])
def test_a_league_that_cannot_be_played_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert run_league(monkeypatch, tmp_path / "l", *words) == 1
    assert capsys.readouterr().err.startswith("league: ")
    assert not (tmp_path / "l").exists()


def test_ratings_put_the_better_bot_first_with_an_interval() -> None:
    ratings = league.ratings(results_of_pairs(ab=[1.0, 0.5] * 10, bc=[1.0, 0.5] * 10, ac=[1.0] * 20))
    assert ratings["a"].rating > ratings["b"].rating > ratings["c"].rating
    assert ratings["a"].low < ratings["a"].rating < ratings["a"].high
    assert sum(rating.rating for rating in ratings.values()) == pytest.approx(4500)


def test_a_circle_is_found_and_an_order_is_none() -> None:
    victories = [1.0] * 20
    assert league.winning_circles(results_of_pairs(ab=victories, bc=victories, ca=victories)) == [("a", "b", "c")]
    assert league.winning_circles(results_of_pairs(ab=victories, bc=victories, ac=victories)) == []
    assert league.winning_circles(results_of_pairs(ab=victories, bc=victories, ca=[1.0, 0.0] * 10)) == []


def test_styles_do_what_their_names_say() -> None:
    def commands(style: str, number: int = 0) -> list[object]:
        bots = [(STYLES[style](number), 0), (STYLES["peer"](0), 0)]
        match = play_bots(GAME, bots, {"players": "2"}, 5)
        return [command for seat, command in match.moves if seat == match.seats[0]]

    for number in (3, 11):
        assert {command.god for command in commands("adores", number) if isinstance(command, Adore)} == {
            [*GODS][number]
        }
    for number, name in enumerate(HIRABLE):
        assert name in {command.specialist for command in commands("hires", number) if isinstance(command, Hire)}
    assert not any(isinstance(command, Give) for command in commands("no-bids"))
    bids = [command for command in commands("high-bids") if isinstance(command, Give | Pass)]
    assert sum(isinstance(bid, Give) for bid in bids) > len(bids) / 2


def test_a_member_of_a_style_is_always_the_same_and_unlike_others() -> None:
    for style in ("tastes", "strange", "plain", "plain-bidding"):
        make_bot = {**STYLES, **HELD_OUT}[style]
        bots = [make_bot(number) for number in (3, 3, 4)]
        weights, same_weights, other_weights = (getattr(getattr(bot, "bot", bot), "weights", None) for bot in bots)
        assert weights == same_weights
        assert weights != other_weights


def test_self_play_never_meets_styles_that_are_held_out() -> None:
    assert not set(STYLES) & set(HELD_OUT)
    rivals = {rival for number in range(300) for rival in selfplay.draw_bot_kinds("styles", number, 1)[1]}
    assert rivals == {f"style:{name}" for name in STYLES}
    for rival in rivals:
        assert selfplay.make_bot(GAME, rival, Random(1))


def test_the_file_of_a_league_has_a_match_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run_league(monkeypatch, tmp_path / "l", "peer", "greedy", "--deals", "1") == 0
    first_row = json.loads((tmp_path / "l").read_text().splitlines()[0])
    pair = {"game": "zimbabwe", "first": "peer", "other": "greedy"}
    assert first_row["meeting"] == {**pair, "players": 2, "deal": 0, "place": 0}
    assert first_row["won"] in (0.0, 0.5, 1.0)


@pytest.mark.parametrize("name", ["strong+xangoo", "quick~200", "strong:elo=5000"])
def test_an_entrant_that_does_not_exist_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_league(monkeypatch, tmp_path / "league.jsonl", name, "random", "--deals", "1") == 1
    assert capsys.readouterr().err.startswith("league: no such ")


def test_a_rating_from_lost_deals_alone_has_an_interval() -> None:
    rating = league.ratings(results_of_pairs(ab=[1.0, 1.0]))["a"]
    assert rating.low < rating.rating < rating.high
