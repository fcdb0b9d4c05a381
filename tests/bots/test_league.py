"""A league measures bots against many styles, and says where strength is not one number."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import league
import selfplay
from styles import HELD_OUT, HIRED, STYLES

from zimcore.bots.bot_match import play_with
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import Adore, Give, Hire, Pass
from zimcore.games.zimbabwe.components import GODS

BOT = """
from zimcore.bots.levels import PeerBot
class Mine(PeerBot): pass
"""


def run_league(monkeypatch: pytest.MonkeyPatch, into: Path, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["league", *words, "--into", str(into), "--workers", "1"])
    return league.main()


def results_of_pairs(**pairs: list[float]) -> dict[tuple[str, str], list[float]]:
    """Results of pairs such as `ab`, and the same for the others."""
    results = {(pair[0], pair[1]): deals for pair, deals in pairs.items()}
    return results | {(other, one): [1 - each for each in deals] for (one, other), deals in results.items()}


def test_a_league_goes_on_where_it_was_cut_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    into, words = tmp_path / "league.jsonl", ("peer", "greedy", "--deals", "2")
    assert run_league(monkeypatch, into, *words) == 0
    whole, lines = capsys.readouterr().out, into.read_bytes()
    assert "4 matches of 2" in whole
    into.write_bytes(lines[:-9])
    assert run_league(monkeypatch, into, *words) == 0
    assert capsys.readouterr().out == whole
    played, again = (list(map(json.loads, each.splitlines())) for each in (lines, into.read_bytes()))
    assert [each | {"seconds": 0} for each in again] == [each | {"seconds": 0} for each in played]
    lines = into.read_bytes()
    assert run_league(monkeypatch, into, "peer", "greedy", "no-bids", "--deals", "1") == 0
    assert into.read_bytes().startswith(lines)
    assert len(into.read_bytes().splitlines()) == 4 + 4, "only the pairs with the new one are played"


def test_a_bot_of_somebody_else_enters_by_its_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "stranger.py").write_text(BOT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert run_league(monkeypatch, tmp_path / "l", "stranger:Mine", "greedy", "--deals", "1", "--players", "3") == 0
    out = capsys.readouterr().out
    assert "6 matches of 3" in out
    assert "stranger:Mine" in out
    assert "Elo" not in out, "a rating is of matches between two"


@pytest.mark.parametrize("words", [("quick", "clever"), ("quick",), ("quick", "peer", "--deals", "0")])
def test_what_can_t_be_played_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert run_league(monkeypatch, tmp_path / "l", *words) == 1
    assert capsys.readouterr().err.startswith("league: ")
    assert not (tmp_path / "l").exists()


def test_ratings_put_the_better_one_first_with_an_interval() -> None:
    rated = league.ratings(results_of_pairs(ab=[1.0, 0.5] * 10, bc=[1.0, 0.5] * 10, ac=[1.0] * 20))
    assert rated["a"].rating > rated["b"].rating > rated["c"].rating
    assert rated["a"].low < rated["a"].rating < rated["a"].high
    assert sum(each.rating for each in rated.values()) == pytest.approx(4500)


def test_a_circle_is_found_and_an_order_is_none() -> None:
    clear = [1.0] * 20
    assert league.circles(results_of_pairs(ab=clear, bc=clear, ca=clear)) == [("a", "b", "c")]
    assert league.circles(results_of_pairs(ab=clear, bc=clear, ac=clear)) == []
    assert league.circles(results_of_pairs(ab=clear, bc=clear, ca=[1.0, 0.0] * 10)) == []


def test_styles_do_what_their_names_say() -> None:
    def commands(style: str, number: int = 0) -> list[object]:
        bots = [(STYLES[style](number), 0), (STYLES["peer"](0), 0)]
        match = play_with(GAME, bots, {"players": "2"}, 5)
        return [command for seat, command in match.played if seat == match.seats[0]]

    for number in (3, 11):
        assert {each.god for each in commands("adores", number) if isinstance(each, Adore)} == {[*GODS][number]}
    for number, name in enumerate(HIRED):
        assert name in {each.specialist for each in commands("hires", number) if isinstance(each, Hire)}
    assert not any(isinstance(each, Give) for each in commands("no-bids"))
    bids = [each for each in commands("high-bids") if isinstance(each, Give | Pass)]
    assert sum(isinstance(each, Give) for each in bids) > len(bids) / 2


def test_a_member_of_a_style_is_always_the_same_and_unlike_others() -> None:
    for style in ("tastes", "strange", "plain", "plain-bidding"):
        make = {**STYLES, **HELD_OUT}[style]
        bots = [make(number) for number in (3, 3, 4)]
        first, again, other = (getattr(getattr(each, "bot", each), "weights", None) for each in bots)
        assert first == again
        assert first != other


def test_nothing_is_trained_with_the_styles_that_are_held_out() -> None:
    assert not set(STYLES) & set(HELD_OUT)
    met = {kind for number in range(300) for kind in selfplay.table("styles", number, 1)[1]}
    assert met == {f"style:{name}" for name in STYLES}
    for kind in met:
        assert selfplay.bot(GAME, kind, Random(1))


def test_the_file_of_a_league_has_a_match_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run_league(monkeypatch, tmp_path / "l", "peer", "greedy", "--deals", "1") == 0
    first = json.loads((tmp_path / "l").read_text().splitlines()[0])
    pair = {"game": "zimbabwe", "first": "peer", "other": "greedy"}
    assert first["meeting"] == {**pair, "players": 2, "deal": 0, "place": 0}
    assert first["won"] in (0.0, 0.5, 1.0)
