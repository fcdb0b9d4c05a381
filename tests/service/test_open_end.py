"""A game with hidden cards that is over is open to everybody, unless its author chose that it stays hidden."""

from __future__ import annotations

import pytest

from tests import kuhn
from tests.service.nim_service import service_on
from zimcore.game import GameError
from zimcore.service import GameService, Viewer
from zimcore.service.lines.visibility import EVERYTHING, SPECTATOR, TABLE
from zimcore.toolkit.bundle import Bundle

VIEWERS = [TABLE, SPECTATOR, Viewer("one"), Viewer("two")]


@pytest.fixture
def service() -> GameService:
    """A service with a hand of poker, `k`, in which nobody has said anything."""
    service = service_on("memory:", {"kuhn": "tests.kuhn:GAME"})
    service.new("kuhn", {"seed": "7"}, name="k", by="ann")
    return service


def say(service: GameService, *words: str, place: str = "k") -> None:
    for word in words:
        service.play(place, f"say {word}", by="ann")


def seen_by(service: GameService, viewer: Viewer, place: str = "k") -> list[str]:
    """What a viewer sees of a place: the position, and the deal in its log."""
    deal = service.log(place, viewer=viewer)[0]
    return [repr(service.position(place, viewer).state), repr(deal.events)]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_what_is_over_is_open(service: GameService, viewer: Viewer) -> None:
    say(service, "b")
    assert seen_by(service, viewer) != seen_by(service, EVERYTHING)
    say(service, "c")
    for place in ("k", "k@start", "k@1"):
        assert seen_by(service, viewer, place) == seen_by(service, EVERYTHING, place)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_what_stays_hidden_at_the_end_is_not_shown(
    service: GameService, viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.game("k").secrets, "OPENS_AT_END", False)
    say(service, "b", "c")
    assert seen_by(service, viewer) != seen_by(service, EVERYTHING)
    with pytest.raises(GameError, match="would show what is hidden"):
        service.certificate("k", viewer)


def test_an_author_chooses_that_it_stays_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kuhn, "OPENS_AT_END", False, raising=False)
    secrets = Bundle("tests.kuhn", "kuhn", "Kuhn Poker", version="1").secrets
    assert secrets
    assert not secrets.OPENS_AT_END


@pytest.mark.parametrize("viewer", [TABLE, Viewer("one"), Viewer("two")])
def test_who_has_seen_the_end_does_not_go_back(service: GameService, viewer: Viewer) -> None:
    """The last move has shown nothing by itself: it was a fold."""
    say(service, "b", "p")
    with pytest.raises(GameError, match="a finished game can't be changed") as caught:
        service.undo("k", by="ann", viewer=viewer)
    assert [*caught.value.hints] == ["--open", "fork k/main@1 NAME"]
    service.fork("k@1", "idea", by="ann", viewer=viewer)
    assert seen_by(service, viewer, "k/idea") != seen_by(service, EVERYTHING, "k/idea")
    service.undo("k/main", by="ann", viewer=EVERYTHING)
    assert seen_by(service, viewer, "k/main") != seen_by(service, EVERYTHING, "k/main")


def test_a_line_with_cards_of_its_own_opens_by_itself(service: GameService) -> None:
    one = Viewer("one")
    service.fork("k", "other", by="ann", viewer=one, redeal=True)
    say(service, "b", "p", place="k/main")
    assert seen_by(service, one, "k/main") == seen_by(service, EVERYTHING, "k/main")
    assert seen_by(service, one, "k/other") != seen_by(service, EVERYTHING, "k/other")
    lines = service.log_of_lines("k", ["main", "other"], one)
    assert len([commit for commit in lines if not commit.state]) == 1, "only the new deal is hidden"
