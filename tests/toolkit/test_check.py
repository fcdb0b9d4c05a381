"""`zim check` names the member that breaks the contract, and reports nothing for a correct game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, cast
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from zimcore.game import Advice, Board, Cell, Game, Step, Table, Transfer
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.check import TrialCounts, check, play_digest
from zimcore.toolkit.unknown import UNKNOWN


def findings_with(souk: ModuleType, **members: Any) -> list[str]:
    """The findings in the game of the page with some members changed."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in members.items():
            monkeypatch.setattr(souk, name, value, raising=False)
        game = Bundle("souk", "souk", "Souk", "1")
        return [str(finding) for finding in check(game, matches=2, moves=12)]


def line_of(souk: ModuleType, beginning: str) -> int:
    """The number of the first line of the page's game that begins so."""
    lines = Path(str(souk.__file__)).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.startswith(beginning))


def belongs_to(souk: ModuleType) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks a function as the author's own, by its module."""

    def set_module(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__module__ = souk.__name__
        return function

    return set_module


def test_the_game_of_the_page_keeps_the_contract(souk: ModuleType) -> None:
    assert findings_with(souk) == []
    assert play_digest(souk.GAME, 1, 10) == play_digest(souk.GAME, 1, 10)


def test_tried_matches_and_positions_are_counted(souk: ModuleType) -> None:
    counts = TrialCounts()
    assert [*check(souk.GAME, matches=2, moves=3, deals=2, counts=counts)] == []
    assert (counts.matches, counts.positions, counts.deals, counts.untwinned) == (2, 6, 2, 0)
    assert 20 < counts.pairs <= 2 * 4 * 4, "each of four positions, for three seats and a spectator"


def test_deciding_may_not_change_the_state_given(souk: ModuleType) -> None:
    @belongs_to(souk)
    def moves(state: Any, seat: str) -> Any:
        state.coins[seat] += 1
        return [souk.Bid(0)]

    assert any(finding.startswith("rules.decide: changes the state") for finding in findings_with(souk, moves=moves))


def test_facts_lead_to_the_state_of_the_answer(souk: ModuleType) -> None:
    def follow(draft: Any, seat: str, command: Any) -> None:
        souk_follow(draft, seat, command)
        draft.state.round += 1

    souk_follow = souk.follow
    message = (
        "evolution.evolve: the events lead to another state than that of the answer: change it in on_<event> alone"
    )
    assert any(finding.startswith(message) for finding in findings_with(souk, follow=follow))


def test_an_unforeseen_error_is_the_authors_and_says_where(souk: ModuleType) -> None:
    def follow(draft: Any, seat: str, command: Any) -> None:
        souk_follow(draft, seat, replace(command, coins=["many"]) if seat else command)

    souk_follow = souk.follow
    results = findings_with(souk, follow=follow)
    line = line_of(souk, "class BidSealed")
    assert f"evolution.EVENTS: BidSealed differs after it was stored and read (souk.py:{line})" in results
    assert ["(souk.py:" in finding for finding in results if finding.startswith("the game: ")] == [True]


def test_a_reveal_without_a_fact_is_found(souk: ModuleType) -> None:
    secrets = {**souk.SECRETS, souk.BidSealed: {}}
    (first_finding, *_) = findings_with(souk, SECRETS=secrets)
    assert "lead to another state than conceal" in first_finding


def test_a_command_that_is_not_written_as_it_is_read_is_found(souk: ModuleType) -> None:
    @belongs_to(souk)
    def format(command: Any) -> str:  # noqa: A001
        return "bid 1"

    assert any(finding.startswith("notation.parse: ") for finding in findings_with(souk, format=format))


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (["bid 99"], "questions.advice: gives what is not legal, or not in canonical form: bid 99"),
        (["bid 0", "bid 0"], "questions.advice: gives the same twice after ''"),
        (["BID 0"], "questions.advice: gives what is not legal, or not in canonical form: BID 0"),
    ],
)
def test_advice_is_a_legal_command_and_comes_once(souk: ModuleType, texts: list[str], problem: str) -> None:
    @belongs_to(souk)
    def advice(state: Any, seat: str, beginning: str = "") -> Any:
        return [Advice(text) for text in texts]

    assert problem in findings_with(souk, advice=advice)


def test_a_turn_has_parts_only_while_a_seat_is_to_move(souk: ModuleType) -> None:
    @belongs_to(souk)
    def turn(state: Any) -> Any:
        return [Step("bid", "not yet", done=False)]

    assert "display.turn: has parts of a turn, and no seat is to move before set-up" in findings_with(souk, turn=turn)


def test_a_seat_to_move_needs_a_legal_command(souk: ModuleType) -> None:
    def moves(state: Any, seat: str) -> Any:
        return []

    line = line_of(souk, "def moves")
    message = f"rules.legal: has nothing that a seat may do which is to move (souk.py:{line})"
    assert message in findings_with(souk, moves=moves)


def test_a_fact_without_a_function_is_named_when_the_game_is_loaded(souk: ModuleType) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.delattr(souk, "on_bid_sealed")
        (finding,) = [str(finding) for finding in check(Bundle("souk", "souk", "Souk", "1"))]
    assert "souk has no on_bid_sealed: BidSealed needs it" in finding


def test_a_command_may_not_show_what_its_fact_hides(souk: ModuleType) -> None:
    secrets = {form: fields for form, fields in souk.SECRETS.items() if form is not souk.Bid}
    line = line_of(souk, "class BidSealed")
    assert f"secrets.redact: hides BidSealed.coins, and shows it in Bid (souk.py:{line})" in findings_with(
        souk, SECRETS=secrets
    )


def test_questions_are_asked_and_art_is_drawn(souk: ModuleType) -> None:
    class CrookedQuestions:
        QUESTIONS: ClassVar = {"odds": "odds: what may come"}

        def ask(self, state: Any, question: str, words: Any) -> Any:
            return [Table("odds", ("good", "chance"), (("salt",),))]

    class TornArt:
        def ground(self, board: Any) -> Any:
            return ["<rect>"]

        def piece(self, *_: Any) -> str:
            return ""

        def emblem(self, *_: Any) -> str:
            return ""

        def panels(self, *_: Any) -> Any:
            return ()

    game = Bundle("souk", "souk", "Souk", "1")
    display = Mock(wraps=game.display, board=lambda state: Board(("a",), ("1",), ((Cell("a1", "S", "land"),),)))
    problems = {
        str(finding)
        for finding in check(
            cast(Game, GameWithOtherParts(game, questions=CrookedQuestions(), art=TornArt(), display=display)),
            matches=1,
            moves=2,
        )
    }
    assert "questions.ask: odds: rows are not as long as the heads" in problems
    assert any(problem.startswith("art: gives what is no SVG") for problem in problems)


class GameWithOtherParts:
    """A game with other parts."""

    def __init__(self, game: Game, **other_parts: Any) -> None:
        self.game, self.parts = game, other_parts

    def __getattr__(self, name: str) -> Any:
        return self.parts[name] if name in self.parts else getattr(self.game, name)


@pytest.mark.parametrize("hidden_as_none", [True, False])
def test_an_amount_that_a_viewer_may_not_know_is_none(souk: ModuleType, *, hidden_as_none: bool) -> None:
    @belongs_to(souk)
    def transfers(events: Any) -> Any:
        bids = (event for event in events if isinstance(event, souk.BidSealed))
        hidden: Any = None if hidden_as_none else UNKNOWN
        return [Transfer(bid.seat, "", hidden if bid.coins is UNKNOWN else bid.coins, "coins") for bid in bids]

    message = ["display.transfers: has an amount that is no number: give None for a hidden one"]
    assert findings_with(souk, transfers=transfers) == ([] if hidden_as_none else message)
