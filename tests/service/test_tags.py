"""Tags: names for positions. They stay at their positions when the line changes."""

from __future__ import annotations

import pytest

from event_store import EventStore, TakenError
from tests.cli.conftest import open_reproducible_service
from zimcore.game import GameError
from zimcore.service import GameService
from zimcore.service.lines.line_projections import encode_names


@pytest.fixture
def service() -> GameService:
    service = open_reproducible_service(EventStore.open("memory:"))
    service.new("herd", {"herd": "30"}, name="k", by="anna")
    for _ in range(4):
        service.play("k", "take 1", by="anna")
    return service


def tag_rows(service: GameService) -> list[tuple[str, str, int | None]]:
    return [(tag.name, tag.line, tag.number) for tag in service.tags("k")]


def test_a_tag_is_a_place(service: GameService) -> None:
    service.tag("k@2", "Opening", by="anna")
    assert service.position("k@opening") == service.position("k@2")
    assert service.position("k/main@OPEN").commit.number == 2
    assert [each.number for each in service.log("k@opening")] == [0, 1, 2]
    assert "opening" in service.marks("k")
    assert service.fork("k@opening", "what-if", by="anna").commit.number == 2


def test_a_tag_stays_when_the_head_moves_back_and_play_goes_on(service: GameService) -> None:
    commit_before = service.position("k@4").commit
    service.tag("k", "peak", by="anna")
    service.undo("k", 3, by="anna")
    service.play("k", "take 2", by="anna")
    assert service.position("k@peak").commit == commit_before
    assert tag_rows(service) == [("peak", "main", 4)]
    assert service.goto("k@peak", by="anna").commit == commit_before


def test_a_tag_without_a_line_leads_to_the_line_of_its_position(service: GameService) -> None:
    service.fork("k@1", "other", by="anna")
    service.play("k/other", "take 3", by="anna")
    service.tag("k/other", "aside", by="anna")
    service.switch("k/main", by="anna")
    assert service.current_line("k@aside", by="anna") == "k/other@aside"
    assert service.position("k@aside").line == "other"
    with pytest.raises(GameError, match="aside is not on k/main") as error:
        service.position("k/main@aside")
    assert error.value.hints == ("k/other@aside",)
    service.tag("k@1", "shared", by="anna")
    assert service.position("k/other@shared").commit == service.position("k@1").commit


def test_a_tag_outlives_the_name_of_its_line(service: GameService) -> None:
    service.fork("k@3", "other", by="anna")
    service.tag("k/other@2", "shared", by="anna")
    service.play("k/other", "take 3", by="anna")
    service.tag("k/other", "lost", by="anna")
    service.switch("k/main", by="anna")
    service.forget("k/other", by="anna")
    assert tag_rows(service) == [("shared", "main", 2), ("lost", "", None)]
    assert service.position("k@shared").line == "main"
    with pytest.raises(GameError, match="no position @lost"):
        service.position("k@lost")
    service.take_back("k", by="anna")
    assert service.position("k@lost").line == "other"


@pytest.mark.parametrize("name", ["start", "end", "r4", "12", "beef", "a", "-x", "two words", "x" * 65])
def test_a_name_that_means_another_position_is_refused(service: GameService, name: str) -> None:
    with pytest.raises(GameError):
        service.tag("k@2", name, by="anna")
    assert service.tags("k") == []


def test_a_word_is_either_a_line_or_a_tag(service: GameService) -> None:
    service.tag("k@2", "opening", by="anna")
    for make_clash in (
        lambda: service.tag("k@3", "main", by="anna"),
        lambda: service.tag("k@3", "opening", by="anna"),
        lambda: service.fork("k@3", "opening", by="anna"),
        lambda: service.rename("k", "opening", by="anna"),
        lambda: service.untag("k", "nothing", by="anna"),
    ):
        with pytest.raises(GameError):
            make_clash()
    assert tag_rows(service) == [("opening", "main", 2)]


def test_a_tag_can_be_taken_back(service: GameService) -> None:
    service.tag("k@2", "opening", by="anna")
    service.untag("k", "opening", by="anna")
    assert [each.what for each in service.operations("k")][-2:] == ["tag", "untag"]
    service.take_back("k", by="anna")
    assert tag_rows(service) == [("opening", "main", 2)]
    service.take_back("k", by="anna")
    assert tag_rows(service) == []


def test_a_retried_tag_is_set_once(service: GameService) -> None:
    for _ in range(2):
        service.tag("k@2", "opening", by="anna", command_id="c1")
        service.untag("k", "opening", by="anna", command_id="c2")
    assert len(service.operations("k")) == 8
    with pytest.raises(TakenError):
        service.tag("k@3", "other", by="anna", command_id="c1")


def test_a_tag_is_in_the_snapshot_of_the_names(service: GameService) -> None:
    service.tag("k@2", "opening", by="anna")
    assert b"opening" in encode_names(service.names("k"))
    second_service = GameService(service.store, games=service.kinds)
    assert second_service.position("k@opening").commit.number == 2
