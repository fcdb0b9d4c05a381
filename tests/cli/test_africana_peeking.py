"""No player can look at hidden cards and then play on: by a fork, by going back, or by a written file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim
from zimcli.output.output import Output
from zimcli.repl.completion import ZimCompleter
from zimcli.session.session import Session
from zimcore.game import Outcome
from zimcore.service import GameService, Viewer


@pytest.fixture
def africana_service() -> Iterator[GameService]:
    """Italy and France have drawn cards; Italy has gone to Cairo and ended its turn."""
    with EventStore.open("memory:") as store:
        service = GameService(store)
        service.new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
        for move in ("draw", "draw", "move cairo turquoise", "end"):
            service.play("k", move, by="anna")
        yield service


@pytest.fixture
def zim(africana_service: GameService) -> Zim:
    return make_zim(africana_service)


def show_position(zim: Zim, place: str, *seat_options: str) -> Any:
    return json.loads(zim("--json", *seat_options, "show", place).stdout)


def table_rows(zim: Zim, place: str, title: str, *seat_options: str) -> Any:
    tables = show_position(zim, place, *seat_options)["tables"]
    return next(table["rows"] for table in tables if table["title"] == title)


@pytest.mark.parametrize("command", ["amend k@9 end", "pick k k@9", "amend k@start end", "pick k k@start"])
def test_open_is_no_hint_for_a_move_that_there_is_not(zim: Zim, command: str) -> None:
    assert "--open" not in zim(*command.split()).stderr


@pytest.mark.parametrize(
    "command",
    ["fork k x", "amend k@1 draw", "pick k k@1..1", "export k --certificate {}", "export --jsonl {}", "fork k@1 x"],
)
@pytest.mark.parametrize("seat_options", [(), ("--as", "italy")])
def test_a_copy_with_the_same_hidden_cards_needs_open(
    zim: Zim, tmp_path: Path, command: str, seat_options: tuple[str, ...]
) -> None:
    file = tmp_path / "written"
    result = zim(*seat_options, *command.format(file).split())
    assert result.exit_code == 2
    assert "--open" in result.stderr
    assert "--redeal" in result.stderr
    assert not file.exists()


def test_a_copy_with_the_same_hidden_cards_is_made_with_open(zim: Zim, tmp_path: Path) -> None:
    file = tmp_path / "written"
    assert zim("--open", "export", "k", "--certificate", str(file)).exit_code == 0
    assert zim("verify", str(file)).exit_code == 0
    assert zim("--open", "fork", "k@1", "x").exit_code == 0


@pytest.mark.parametrize("seat_options", [(), ("--as", "italy"), ("--as", "france")])
@pytest.mark.parametrize("command", ["undo k 3", "undo k 4", "goto k@1", "goto k@start"])
def test_a_drawn_card_can_not_be_unseen(zim: Zim, command: str, seat_options: tuple[str, ...]) -> None:
    result = zim(*seat_options, *command.split())
    assert result.exit_code == 2
    assert "has shown what was hidden: it can't be undone" in result.stderr
    assert show_position(zim, "k")["commit"]["number"] == 4


def test_goto_with_open_goes_back_before_seen_cards(zim: Zim) -> None:
    assert zim("--open", "goto", "k@start").exit_code == 0
    assert zim("redo", "k", "4").exit_code == 0


def test_you_can_undo_your_own_step_only(zim: Zim) -> None:
    for seat_options in ((), ("--as", "france")):
        assert "has shown what was hidden: it can't be undone" in zim(*seat_options, "undo", "k", "2").stderr
    assert zim("--as", "italy", "undo", "k").exit_code == 0
    assert zim("--as", "italy", "undo", "k").exit_code == 0
    assert show_position(zim, "k")["commit"]["number"] == 2
    assert "has shown what was hidden: it can't be undone" in zim("--as", "italy", "undo", "k").stderr


def test_undoing_an_operation_does_not_unsee_cards(zim: Zim) -> None:
    zim("--as", "italy", "undo", "k", "2")
    zim("do", "k", "turn north left")
    assert "has shown what was hidden: it can't be undone" in zim("--as", "italy", "undo", "k", "--op").stderr


def test_a_turned_page_can_not_be_unseen(zim: Zim) -> None:
    zim("do", "k", "turn south left")
    assert "has shown what was hidden: it can't be undone" in zim("--as", "france", "undo", "k").stderr


def test_a_redealt_fork_keeps_what_its_seat_knows_and_nothing_else(zim: Zim) -> None:
    for line_name in ("x", "y"):
        assert zim("--as", "france", "fork", "k", line_name, "--redeal").exit_code == 0
        for title in ("Hands", "Expeditions", "Adventures", "Piles", "Standings"):
            rows = table_rows(zim, f"k/{line_name}", title, "--as", "france")
            assert rows == table_rows(zim, "k/main", title, "--as", "france")
    comparison = json.loads(zim("--json", "--as", "france", "compare", "k/x", "k/y").stdout)
    assert comparison["differences"] == []


def test_a_redealt_line_cannot_go_back_to_the_old_cards(zim: Zim) -> None:
    zim("--as", "italy", "fork", "k", "x", "--redeal")
    for command in ("undo k/x", "goto k/x@4", "goto k/x@start"):
        assert "has shown what was hidden: it can't be undone" in zim("--as", "italy", *command.split()).stderr, command
    assert show_position(zim, "k/x")["commit"]["number"] == 5


def test_a_redeal_needs_a_seat(zim: Zim) -> None:
    assert "no seat given" in zim("fork", "k", "x", "--redeal").stderr
    assert "no seat given" in zim("--open", "fork", "k", "x", "--redeal").stderr
    assert "k has no seat germany" in zim("--as", "germany", "fork", "k", "x", "--redeal").stderr


def test_a_redeal_needs_hidden_cards(zim: Zim) -> None:
    zim("new", "z", "--game", "zimbabwe", "players=2", "seed=1")
    assert "nothing is hidden" in zim("--as", "kilwa", "fork", "z", "x", "--redeal").stderr


def test_a_redealt_line_is_verified_like_any_other(zim: Zim) -> None:
    zim("--as", "italy", "fork", "k", "x", "--redeal")
    zim("do", "k/x", "draw")
    assert zim("verify", "k/x").exit_code == 0
    assert zim("--as", "italy", "story", "k/x").exit_code == 0
    assert zim("--as", "italy", "story", "k/x@start").exit_code == 0


@pytest.mark.parametrize("seat", ["", "france"])
def test_the_seed_stays_secret(zim: Zim, seat: str) -> None:
    seat_options = ("--as", seat) if seat else ()
    zim("--as", "italy", "fork", "k", "x", "--redeal")
    for command in ("log k/x --events --json", "events k/x --json", "show k/x@start --json", "log k/x --events"):
        text = zim(*seat_options, *command.split()).stdout
        assert '"seed":7' not in text
        assert "seed=" not in text


def completions(service: GameService, seat: str | None, text: str) -> set[str]:
    session = Session(Output(), by="anna", service=service)
    session.enter_position(service.position("k"))
    session.set_viewer(Viewer(seat))
    completer = ZimCompleter(session)
    completer.refresh()
    offers: Iterator[Any] = completer.get_completions(Document(text), CompleteEvent())
    return {completion.text for completion in offers}


def test_completion_offers_no_card_that_can_not_be_seen(africana_service: GameService) -> None:
    assert completions(africana_service, "", "move lagos ") == {"joker"}
    assert completions(africana_service, "italy", "move lagos ") == {"joker"}
    assert completions(africana_service, "france", "move walvis_bay ") > {"joker"}


def test_the_shell_proposes_no_card_of_a_hidden_hand(zim: Zim) -> None:
    """Such a proposal would reveal the cards of the hand."""
    read_refusal: Callable[[str], str] = lambda text: zim("do", "k", text).stderr  # noqa: E731
    assert "part of the hand is hidden" in read_refusal("move walvis_bay")
    assert "magenta" not in read_refusal("move walvis_bay").partition("try:")[0]


def test_a_verdict_that_depends_on_a_hidden_card_is_not_shown(zim: Zim) -> None:
    place = "k@r1.france"
    for move, verdict in (
        (("explain", place, "move lagos gray"), "hidden: france: move lagos gray\n  A-MOVE-02 whether"),
        (("--as", "italy", "explain", place, "move lagos gray"), "hidden: france: move"),
        (("explain", place, "move lagos gray_assistant"), "not legal: france: move"),
        (("explain", place, "move walvis_bay gray"), "not legal: france: move"),
        (("--open", "explain", place, "move lagos gray_assistant"), "not legal: france: move"),
    ):
        assert zim(*move).stdout.startswith(verdict), move
    assert json.loads(zim("--json", "explain", place, "move lagos gray").stdout)["legal"] is None
    result = zim("try", place, "move lagos gray")
    assert (result.exit_code, result.stderr.partition(":")[0]) == (1, "hidden")
    assert "--as france answers in full" in zim("legal", place).stderr
    assert zim("--as", "france", "legal", place).stderr == ""


def test_a_refusal_reveals_no_card_of_a_hand(zim: Zim) -> None:
    """Refusals name other faults, but say nothing of the card except that it is hidden."""
    zim("goto", "k@r1.france", "--open")
    cards = ("gray", "magenta", "violet", "turquoise", "orange")
    moves = [f"move {target} {card}" for target in ("cairo", "lagos", "walvis_bay") for card in cards]
    impossible_moves = [move for move in moves if "has no" in zim("--open", "explain", "k", move).stdout]
    assert len(impossible_moves) > 5
    for move in impossible_moves:
        assert "has no" not in zim("do", "k", move).stderr
        assert "has no" in zim("--as", "france", "explain", "k", move).stdout


def test_an_impossible_discard_is_refused_without_hidden_reasons(zim: Zim) -> None:
    hand = [card for row in table_rows(zim, "k@r1.france", "Hands") for card in row if "face down" in card]
    assert hand
    nine_cards = " ".join(["gray"] * 9)
    assert "hidden" not in zim("explain", "k@r1.france", f"discard {nine_cards}").stdout.splitlines()[0]


def test_a_note_on_hidden_cards_is_about_the_seat_that_is_asked_about(zim: Zim) -> None:
    assert "--as italy answers" in zim("plan", "k@r1.france", "italy").stderr
    assert "--as france answers" in zim("--as", "italy", "plan", "k@r1.france").stderr
    assert zim("--as", "italy", "plan", "k@r1.france", "italy").stderr == ""


def test_a_fork_that_is_over_shows_no_cards_of_the_game_that_goes_on(
    africana_service: GameService, zim: Zim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A redeal leaves the old cards in the earlier commits, which both lines share."""
    assert zim("--as", "italy", "fork", "k", "x", "--redeal").exit_code == 0
    loaded_line = africana_service._repository.line("k", "x")
    evolution, last_state = (
        loaded_line.game.evolution,
        loaded_line.game.evolution.canonical(loaded_line.states.state_at(loaded_line.line.head)),
    )
    monkeypatch.setattr(evolution, "outcome", lambda state: Outcome(over=evolution.canonical(state) == last_state))
    for command in ("fork k/x@2 y", f"export k/x@2 --certificate {tmp_path / 'leak.cert'}"):
        assert zim("--as", "italy", *command.split()).exit_code == 2
    assert not (tmp_path / "leak.cert").exists()


@pytest.mark.parametrize(("options", "is_noted"), [(["seed=7"], True), ([], False)])
def test_a_typed_seed_gets_a_note_that_it_can_be_guessed(
    zim: Zim, options: list[str], is_noted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "zimcli.commands.new.sys",
        SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True), stdout=SimpleNamespace(isatty=lambda: False)),
    )
    result = zim("new", "typed", "--game", "africana", *options)
    assert result.exit_code == 0, result.output
    assert ("a short seed can be guessed" in result.stderr) == is_noted
