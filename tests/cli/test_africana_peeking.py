"""You can't look at hidden cards and then play on: forks, going back, and written files."""

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
from tests.cli.conftest import Zim, runs
from zimcli.output import Output
from zimcli.repl.completion import ZimCompleter
from zimcli.session import Session
from zimcore.game import Outcome
from zimcore.service import GameService, Viewer


@pytest.fixture
def game() -> Iterator[GameService]:
    """Italy and France have drawn cards; Italy has gone to Cairo and ended its turn."""
    with EventStore.open("memory:") as store:
        service = GameService(store)
        service.new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
        for move in ("draw", "draw", "move cairo turquoise", "end"):
            service.play("k", move, by="anna")
        yield service


@pytest.fixture
def zim(game: GameService) -> Zim:
    return runs(game)


def shown_position(zim: Zim, place: str, *eyes: str) -> Any:
    return json.loads(zim("--json", *eyes, "show", place).stdout)


def table(zim: Zim, place: str, title: str, *eyes: str) -> Any:
    tables = shown_position(zim, place, *eyes)["tables"]
    return next(each["rows"] for each in tables if each["title"] == title)


@pytest.mark.parametrize(
    "words",
    ["fork k x", "amend k@1 draw", "pick k k@1..1", "export k --certificate {}", "export --jsonl {}", "fork k@1 x"],
)
@pytest.mark.parametrize("eyes", [(), ("--as", "italy")])
def test_what_has_the_same_hidden_cards_is_for_open_eyes(
    zim: Zim, tmp_path: Path, words: str, eyes: tuple[str, ...]
) -> None:
    file = tmp_path / "written"
    answer = zim(*eyes, *words.format(file).split())
    assert answer.exit_code == 2
    assert "--open" in answer.stderr
    assert "--redeal" in answer.stderr
    assert not file.exists()


def test_with_open_eyes_it_can_be_done(zim: Zim, tmp_path: Path) -> None:
    file = tmp_path / "written"
    assert zim("--open", "export", "k", "--certificate", str(file)).exit_code == 0
    assert zim("verify", str(file)).exit_code == 0
    assert zim("--open", "fork", "k@1", "x").exit_code == 0


@pytest.mark.parametrize("eyes", [(), ("--as", "italy"), ("--as", "france")])
@pytest.mark.parametrize("words", ["undo k 3", "undo k 4", "goto k@1", "goto k@start"])
def test_a_drawn_card_can_not_be_unseen(zim: Zim, words: str, eyes: tuple[str, ...]) -> None:
    answer = zim(*eyes, *words.split())
    assert answer.exit_code == 2
    assert "can't be unseen" in answer.stderr
    assert shown_position(zim, "k")["commit"]["number"] == 4


def test_the_table_may_agree_to_go_back(zim: Zim) -> None:
    assert zim("--open", "goto", "k@start").exit_code == 0
    assert zim("redo", "k", "4").exit_code == 0


def test_you_can_undo_your_own_step_only(zim: Zim) -> None:
    for eyes in ((), ("--as", "france")):
        assert "can't be unseen" in zim(*eyes, "undo", "k", "2").stderr
    assert zim("--as", "italy", "undo", "k").exit_code == 0
    assert zim("--as", "italy", "undo", "k").exit_code == 0
    assert shown_position(zim, "k")["commit"]["number"] == 2
    assert "can't be unseen" in zim("--as", "italy", "undo", "k").stderr


def test_undoing_an_operation_is_no_way_round(zim: Zim) -> None:
    zim("--as", "italy", "undo", "k", "2")
    zim("do", "k", "turn north left")
    assert "can't be unseen" in zim("--as", "italy", "undo", "k", "--op").stderr


def test_a_page_that_was_turned_stays_so(zim: Zim) -> None:
    zim("do", "k", "turn south left")
    assert "can't be unseen" in zim("--as", "france", "undo", "k").stderr


def test_a_redealt_fork_keeps_what_its_seat_knows_and_nothing_else(zim: Zim) -> None:
    for name in ("x", "y"):
        assert zim("--as", "france", "fork", "k", name, "--redeal").exit_code == 0
        for title in ("Hands", "Expeditions", "Adventures", "Piles", "Standings"):
            rows = table(zim, f"k/{name}", title, "--as", "france")
            assert rows == table(zim, "k/main", title, "--as", "france")
    compared = json.loads(zim("--json", "--as", "france", "compare", "k/x", "k/y").stdout)
    assert compared["differences"] == []


def test_one_can_not_leave_a_redealt_line_for_the_cards_before(zim: Zim) -> None:
    zim("--as", "italy", "fork", "k", "x", "--redeal")
    for words in ("undo k/x", "goto k/x@4", "goto k/x@start"):
        assert "can't be unseen" in zim("--as", "italy", *words.split()).stderr, words
    assert shown_position(zim, "k/x")["commit"]["number"] == 5


def test_dealing_anew_is_for_a_seat(zim: Zim) -> None:
    assert "no seat given" in zim("fork", "k", "x", "--redeal").stderr
    assert "no seat given" in zim("--open", "fork", "k", "x", "--redeal").stderr
    assert "k has no seat germany" in zim("--as", "germany", "fork", "k", "x", "--redeal").stderr


def test_dealing_anew_is_for_games_with_secrets(zim: Zim) -> None:
    zim("new", "z", "--game", "zimbabwe", "players=2", "seed=1")
    assert "nothing is hidden" in zim("--as", "kilwa", "fork", "z", "x", "--redeal").stderr


def test_a_redealt_line_is_verified_like_any_other(zim: Zim) -> None:
    zim("--as", "italy", "fork", "k", "x", "--redeal")
    zim("do", "k/x", "draw")
    assert zim("verify", "k/x").exit_code == 0
    assert zim("--as", "italy", "story", "k/x").exit_code == 0
    assert zim("--as", "italy", "story", "k/x@start").exit_code == 0


@pytest.mark.parametrize("eyes", ["", "france"])
def test_the_seed_stays_secret(zim: Zim, eyes: str) -> None:
    eye_words = ("--as", eyes) if eyes else ()
    zim("--as", "italy", "fork", "k", "x", "--redeal")
    for words in ("log k/x --events --json", "events k/x --json", "show k/x@start --json", "log k/x --events"):
        text = zim(*eye_words, *words.split()).stdout
        assert '"seed":7' not in text
        assert "seed=" not in text


def completions(service: GameService, eyes: str | None, text: str) -> set[str]:
    session = Session(Output(), by="anna", service=service)
    session.enter(service.position("k"))
    session.set_viewer(Viewer(eyes))
    completer = ZimCompleter(session)
    completer.refresh()
    offers: Iterator[Any] = completer.get_completions(Document(text), CompleteEvent())
    return {completion.text for completion in offers}


def test_completion_offers_no_card_that_can_not_be_seen(game: GameService) -> None:
    assert completions(game, "", "move lagos ") == {"joker"}
    assert completions(game, "italy", "move lagos ") == {"joker"}
    assert completions(game, "france", "move walvis_bay ") > {"joker"}


def test_at_the_shell_a_card_is_named_or_the_hand_is_one_s_own(zim: Zim) -> None:
    """Otherwise what to try would say which cards are in the hand."""
    refusal: Callable[[str], str] = lambda text: zim("do", "k", text).stderr  # noqa: E731
    assert "part of the hand is hidden" in refusal("move walvis_bay")
    assert "magenta" not in refusal("move walvis_bay").partition("try:")[0]


def test_what_depends_on_a_hidden_card_is_not_shown(zim: Zim) -> None:
    place = "k@r1.france"
    for words, verdict in (
        (("explain", place, "move lagos gray"), "hidden: france: move lagos gray\n  A-MOVE-02 whether"),
        (("--as", "italy", "explain", place, "move lagos gray"), "hidden: france: move"),
        (("explain", place, "move lagos gray_assistant"), "not legal: france: move"),
        (("explain", place, "move walvis_bay gray"), "not legal: france: move"),
        (("--open", "explain", place, "move lagos gray_assistant"), "not legal: france: move"),
    ):
        assert zim(*words).stdout.startswith(verdict), words
    assert json.loads(zim("--json", "explain", place, "move lagos gray").stdout)["legal"] is None
    result = zim("try", place, "move lagos gray")
    assert (result.exit_code, result.stderr.partition(":")[0]) == (1, "hidden")
    assert "--as france answers in full" in zim("legal", place).stderr
    assert zim("--as", "france", "legal", place).stderr == ""


def test_what_is_refused_tells_nothing_of_a_hand(zim: Zim) -> None:
    """Other faults are reported; about the card, only that it is hidden."""
    zim("goto", "k@r1.france", "--open")
    cards = ("gray", "magenta", "violet", "turquoise", "orange")
    questions = [f"move {target} {card}" for target in ("cairo", "lagos", "walvis_bay") for card in cards]
    missing = [text for text in questions if "has no" in zim("--open", "explain", "k", text).stdout]
    assert len(missing) > 5
    for text in missing:
        assert "has no" not in zim("do", "k", text).stderr
        assert "has no" in zim("--as", "france", "explain", "k", text).stdout


def test_an_impossible_discard_is_refused_without_hidden_reasons(zim: Zim) -> None:
    hand = [card for row in table(zim, "k@r1.france", "Hands") for card in row if "face down" in card]
    assert hand
    many = " ".join(["gray"] * 9)
    assert "hidden" not in zim("explain", "k@r1.france", f"discard {many}").stdout.splitlines()[0]


def test_a_note_on_hidden_cards_is_about_the_seat_that_is_asked_about(zim: Zim) -> None:
    assert "--as italy answers" in zim("plan", "k@r1.france", "italy").stderr
    assert "--as france answers" in zim("--as", "italy", "plan", "k@r1.france").stderr
    assert zim("--as", "italy", "plan", "k@r1.france", "italy").stderr == ""


def test_a_fork_that_is_over_shows_no_cards_of_the_game_that_goes_on(
    game: GameService, zim: Zim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is dealt anew leaves the cards of before in the commits before, which the two lines have in common."""
    assert zim("--as", "italy", "fork", "k", "x", "--redeal").exit_code == 0
    line = game._lines.line("k", "x")
    evolution, end = line.game.evolution, line.game.evolution.canonical(line.states.state_at(line.line.head))
    monkeypatch.setattr(evolution, "outcome", lambda state: Outcome(over=evolution.canonical(state) == end))
    for words in ("fork k/x@2 y", f"export k/x@2 --certificate {tmp_path / 'leak.cert'}"):
        assert zim("--as", "italy", *words.split()).exit_code == 2
    assert not (tmp_path / "leak.cert").exists()


@pytest.mark.parametrize(("words", "is_noted"), [(["seed=7"], True), ([], False)])
def test_a_typed_seed_gets_a_note_that_it_can_be_guessed(
    zim: Zim, words: list[str], is_noted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "zimcli.commands.new.sys",
        SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True), stdout=SimpleNamespace(isatty=lambda: False)),
    )
    result = zim("new", "typed", "--game", "africana", *words)
    assert result.exit_code == 0, result.output
    assert ("a short seed can be guessed" in result.stderr) == is_noted
