"""Who may change what: no chosen deals, no moves for other seats by detours, no writes by spectators."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from event_store import EventStore
from zimcore.game import GameError, Refused
from zimcore.games.africana.commands import Redeal
from zimcore.service import EVERYTHING, SPECTATOR, TABLE, GameService, Viewer


@pytest.fixture
def service() -> GameService:
    service = GameService(EventStore.open("memory:"))
    service.new("zimbabwe", {"players": "3", "seed": "7"}, name="k", by="anna")
    for text in ("start g7", "start j7", "start l9", "bid 2", "pass", "pass"):
        assert not isinstance(service.play("k", text, by="anna"), Refused), text
    service.fork("k@4", "other", by="anna")
    service.switch("k/main", by="anna")
    return service


WRITES: list[Callable[[GameService], Any]] = [
    lambda service: service.undo("k", by="eve", viewer=SPECTATOR),
    lambda service: service.redo("k", by="eve", viewer=SPECTATOR),
    lambda service: service.goto("k@2", by="eve", viewer=SPECTATOR),
    lambda service: service.fork("k@2", "x", by="eve", viewer=SPECTATOR),
    lambda service: service.amend("k@4", "bid 3", by="eve", viewer=SPECTATOR),
    lambda service: service.pick("k/other", "k/main@5", by="eve", viewer=SPECTATOR),
    lambda service: service.switch("k/other", by="eve", viewer=SPECTATOR),
    lambda service: service.rename("k/other", "x", by="eve", viewer=SPECTATOR),
    lambda service: service.forget("k/other", by="eve", viewer=SPECTATOR),
    lambda service: service.tag("k@2", "opening", by="eve", viewer=SPECTATOR),
    lambda service: service.untag("k", "opening", by="eve", viewer=SPECTATOR),
    lambda service: service.take_back("k", by="eve", viewer=SPECTATOR),
    lambda service: service.new("zimbabwe", {}, by="eve", viewer=SPECTATOR),
]


@pytest.mark.parametrize("write", WRITES)
def test_a_spectator_changes_nothing(service: GameService, write: Callable[[GameService], Any]) -> None:
    lists_before = [service.lines("k"), service.games(), service.operations("k")]
    with pytest.raises(GameError, match="is not for a spectator"):
        write(service)
    assert [service.lines("k"), service.games(), service.operations("k")] == lists_before


@pytest.mark.parametrize("viewer", [Viewer("italy"), TABLE, EVERYTHING])
def test_no_player_can_play_a_deal(viewer: Viewer) -> None:
    service = GameService(EventStore.open("memory:"))
    service.new("africana", {"seed": "7"}, name="k", by="anna")
    with pytest.raises(GameError, match="made by Zim"):
        service.play("k", Redeal("italy", 5), by="mallory", viewer=viewer)
    assert service.position("k").commit.number == 0


def test_amend_and_pick_do_not_play_another_seat(service: GameService) -> None:
    seat = service.log("k")[4].seat
    other_seat = next(each for each in service.position("k").seats if each != seat)
    with pytest.raises(GameError, match="can't be played here"):
        service.amend("k@4", "bid 3", by="mallory", viewer=Viewer(other_seat))
    with pytest.raises(GameError, match="can't be played here"):
        service.pick("k/other", "k/main@5..6", by="mallory", viewer=Viewer(seat))
    assert [line.name for line in service.lines("k")] == ["main", "other"]


def test_a_spectator_learns_nothing_by_playing_for_a_seat() -> None:
    """The answer is the same for every hand: it does not depend on the hand."""
    service = GameService(EventStore.open("memory:"))
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
    seats = service.position("k").seats
    colours = ("gray", "green", "orange", "purple", "red", "white", "yellow", "blue", "brown", "black")
    discards = [f"{seat}: discard {colour}" for seat in seats for colour in colours]
    answers = set()
    for text in [*discards, "draw", "no command", ""]:
        with pytest.raises(GameError, match="can't be played by a spectator") as error:
            service.play("k", text, by="eve", viewer=SPECTATOR, command_id="c1")
        answers.add((str(error.value).replace(text, "TEXT", 1), error.value.hints))
    assert len(answers) == 1
    assert service.position("k").commit.number == 0


def test_an_error_reveals_no_card_of_a_hand() -> None:
    """The seat is checked before the move: the error for another player's move reveals nothing about their hand."""
    service = GameService(EventStore.open("memory:"))
    hand = service.new("africana", {"seed": "7"}, name="a", by="anna", viewer=EVERYTHING).figures["italy"]["hand"]
    assert "turquoise" in hand
    assert "gray" not in hand
    for viewer, reason in ((SPECTATOR, "by a spectator"), (Viewer("france"), "you are france")):
        answers = set()
        for card in ("turquoise", "gray"):
            with pytest.raises(GameError, match=reason) as error:
                service.play("a", f"italy: move aswan {card}", by="eve", viewer=viewer)
            answers.add(str(error.value).replace(card, "CARD"))
        assert len(answers) == 1


@pytest.mark.parametrize(("kind", "size"), [("zimbabwe", 4), ("africana", 7)])
def test_a_seed_of_a_game_with_secrets_is_too_long_to_be_guessed(
    kind: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn_sizes = list[int]()

    def urandom(count: int) -> bytes:
        drawn_sizes.append(count)
        return b"\xff" * count

    monkeypatch.setattr("zimcore.service.records.deciding.os", SimpleNamespace(urandom=urandom))
    service = GameService(EventStore.open("memory:"))
    position = service.new(kind, {}, name="k", by="anna", viewer=EVERYTHING)
    assert drawn_sizes == [size]
    assert getattr(position.commit.command, "seed") == 256**size - 1  # noqa: B009 - each game has a command of its own
