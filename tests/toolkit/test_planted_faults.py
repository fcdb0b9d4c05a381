"""The kit of authors finds 42 planted faults, and names the author's line: leaks of every kind, impure rules, gaps."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import connect_four, kuhn, nim, plots, roles, tiles
from tests.games import guests, inquiry, rummy, tricks, trumps
from tests.toolkit.conftest import page_blocks
from zimcore.game import Game
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.africana import secrets
from zimcore.games.africana.events import CardsDrawn
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.check import Finding, check
from zimcore.toolkit.check.twins import Twins

FAULTS = tomllib.loads((Path(__file__).parent / "planted_faults.toml").read_text("utf-8"))["fault"]
CORRECT_GAMES = [
    module.GAME for module in (connect_four, guests, inquiry, kuhn, nim, plots, roles, rummy, tiles, tricks, trumps)
]
SOURCES = {
    "souk": page_blocks("python"),
    "tiles": Path(str(tiles.__file__)).read_text("utf-8"),
    "kuhn": Path(str(kuhn.__file__)).read_text("utf-8"),
    "trumps": trumps.SOURCE,
    **{each.GAME.name: Path(str(each.__file__)).read_text("utf-8") for each in (guests, rummy, tricks)},
}


def source_with_fault(fault: dict[str, Any]) -> str:
    """A game's source with a fault in it."""
    source = SOURCES[fault["game"]]
    for old_text, new_text in ([fault["old"], fault["new"]], *fault.get("more", ())):
        assert source.count(old_text) == 1, old_text
        source = source.replace(old_text, new_text)
    return source


@pytest.fixture
def faulty_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The file of a game with a fault, which can be imported as `faulty`."""
    file = tmp_path / "faulty.py"
    file.write_text(source_with_fault(request.param), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield file
    sys.modules.pop("faulty", None)


def line_of_finding(finding: Finding) -> int:
    """The line that a finding names; 0 for none."""
    return int(finding.where.rpartition(":")[2].partition(" ")[0] or 0)


@pytest.mark.parametrize(
    ("faulty_file", "fault"),
    [(planted_fault, planted_fault) for planted_fault in FAULTS],
    indirect=["faulty_file"],
    ids=lambda _: "",
)
def test_a_planted_fault_is_found_and_located(faulty_file: Path, fault: dict[str, Any]) -> None:
    problems = [*check(Bundle("faulty", "faulty", "Faulty", "1"), matches=1, moves=14, deals=3)]
    lines = faulty_file.read_text("utf-8").splitlines()
    faulty_lines = {number for number, line in enumerate(lines, 1) if line.endswith("# fault")}
    findings = [
        finding
        for finding in problems
        if finding.member == fault["member"] and line_of_finding(finding) in faulty_lines
    ]
    assert findings, f"{fault['name']}: {faulty_lines}\n" + "\n".join(map(str, problems))


@pytest.mark.parametrize(
    "game",
    CORRECT_GAMES,
    ids=lambda game: game.name,
)
def test_a_game_without_faults_has_no_finding(game: Game) -> None:
    assert [*check(game, matches=2, moves=20, deals=3)] == []


@pytest.mark.parametrize("field", ["liars", "roles"])
def test_a_leak_of_an_unlabelled_value_is_found(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    def moves(state: Any, seat: str) -> Any:
        hidden_values = getattr(state, field)
        return (roles.Unmask(suspect) for suspect in state.liars if hidden_values[suspect] in (True, roles.Role.COOK))

    moves.__module__ = roles.__name__
    monkeypatch.setattr(roles, "moves", moves)
    problems = [*check(Bundle("tests.roles", "roles", "Roles", "1"), matches=0, moves=6, deals=4)]
    assert "rules.legal" in {problem.member for problem in problems}


def test_there_are_42_planted_faults() -> None:
    assert len(FAULTS) == 42


def test_an_announced_sum_may_be_known_if_the_author_says_so(souk: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    class BidSealed(souk.BidSealed, frozen=True, tag="bid_sealed.1"):  # type: ignore[name-defined, misc, call-arg]
        total: int = 0

    def follow(draft: Any, seat: str, command: Any) -> None:
        if not isinstance(command, souk.Bid):
            original_follow(draft, seat, command)
            return
        draft.happen(BidSealed(seat, command.coins, sum(draft.state.bids.values()) + command.coins))
        if not souk.to_move(draft.state):
            souk.sell(draft)

    original_follow = souk.follow
    BidSealed.__module__ = follow.__module__ = souk.__name__
    secrets_with_bid = {**souk.SECRETS, BidSealed: {"coins": "owner"}}
    for name, value in {"BidSealed": BidSealed, "follow": follow, "SECRETS": secrets_with_bid}.items():
        monkeypatch.setattr(souk, name, value)
    game = Bundle("souk", "souk", "Souk", "1")
    (leak,) = check(game, matches=1, moves=9, deals=2)
    assert (leak.member, "mark BidSealed.total in SECRETS" in leak.what) == ("secrets.redact", True)
    monkeypatch.setattr(souk, "DISCLOSES", {BidSealed: {"total"}}, raising=False)
    assert [*check(game, matches=1, moves=9, deals=2)] == []


def test_a_leak_is_found_in_a_game_with_secrets_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        secrets, "HIDERS", {form: hide for form, hide in secrets.HIDERS.items() if form is not CardsDrawn}
    )
    problems = [*Twins(AFRICANA, 0, 30, {"players": "2"}).findings()]
    assert any(problem.member == "secrets.redact" and "CardsDrawn.cards" in problem.what for problem in problems)
    assert all(problem.where.startswith("events.py:") for problem in problems if "CardsDrawn.cards" in problem.what)


@pytest.mark.parametrize("players", ["2", "4"])
def test_africana_tells_no_seat_what_is_hidden(players: str) -> None:
    twins = Twins(AFRICANA, 1, 40, {"players": players})
    assert [*twins.findings()] == []
    assert twins.counts.pairs > 100
