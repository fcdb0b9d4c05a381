"""A game with rules only can be played, undone, forked and verified; missing parts are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.game import NotationError, Refused
from zimcore.service import GameService

GAMES = {"nim": "tests.nim:GAME"}


@pytest.fixture
def service() -> GameService:
    service = GameService(EventStore.open("memory:"), games=GAMES)
    service.new("nim", {"stones": "5"}, name="k", by="ann")
    return service


def zim(service: GameService, words: str) -> Result:
    """The result of a command in the shell."""
    return CliRunner().invoke(cli, words.split(), obj=Session(Output(), by="ann", service=service))


def test_a_game_is_played_to_its_end(service: GameService) -> None:
    for text in ("take 3", "ben: take 1", "TAKE 1"):
        assert not isinstance(service.play("k", text, by="ann"), Refused)
    position = service.position("k")
    assert (position.outcome.winner, position.to_move, position.status) == ("ann", (), "round 2 · Ann has won")
    assert [commit.text for commit in service.log("k")] == ["set up 5", "take 3", "take 1", "take 1"]
    assert service.verify("k").fault is None


def test_a_game_is_undone_and_forked(service: GameService) -> None:
    service.play("k", "take 3", by="ann")
    service.undo("k", by="ann")
    service.fork("k", "other", by="ann")
    service.play("k/other", "take 1", by="ann")
    assert service.position("k/other").figures["stones"] == 4
    assert service.position("k/main").figures["stones"] == 5
    assert service.verify("k/other").fault is None


def test_an_illegal_command_is_refused_with_the_legal_ones(service: GameService) -> None:
    refusal = service.play("k", "take 4", by="ann")
    assert isinstance(refusal, Refused)
    assert refusal.hints == ("take 1", "take 2", "take 3")
    refused_turn = service.play("k", "ben: take 1", by="ann")
    assert isinstance(refused_turn, Refused)
    assert refused_turn.refusals[0].reason == "ann may act now, not ben"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("take", "it is written take STONES"),
        ("take many", "it is written take STONES"),
        ("take 1 2", "too many words: take STONES"),
        ("give 1", "unknown command; choose from take"),
    ],
)
def test_an_unknown_command_gets_a_hint_how_one_is_written(service: GameService, text: str, reason: str) -> None:
    with pytest.raises(NotationError) as error:
        service.play("k", text, by="ann")
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("board k", "Nim has no board"),
        ("plan k", "Nim does not answer this question"),
        ("reach k a1", "Nim does not answer this question"),
        ("preview k", "Nim does not answer this question"),
        ("demo nim", "Nim has no demo"),
        ("tutorial nim", "Nim has no tutorial"),
        ("rules", "Nim has no rules to look up"),
    ],
)
def test_a_missing_part_is_named(service: GameService, words: str, text: str) -> None:
    result = zim(service, words)
    assert result.exit_code == 2, result.output
    assert text in result.output


@pytest.mark.parametrize(
    "words", ["show k", "log k --events", "stats k", "story k", "legal k", "why k stones", "compare k@start k"]
)
def test_default_views_are_made_from_the_fields(service: GameService, words: str) -> None:
    service.play("k", "take 3", by="ann")
    result = zim(service, words)
    assert result.exit_code == 0, result.output


def test_a_picture_and_a_page_can_do_without_a_board(service: GameService, tmp_path: Path) -> None:
    page = tmp_path / "k.html"
    result = CliRunner().invoke(
        cli, ["replay", "k", "--html", str(page)], obj=Session(Output(), by="ann", service=service)
    )
    assert result.exit_code == 0, result.output
    assert "Nim" in page.read_text("utf-8")
