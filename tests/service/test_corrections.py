"""What is proposed after a slip: commands that the rules accept, and nothing hidden."""

from __future__ import annotations

import pytest

from zimcore.game import NotationError, Refused
from zimcore.service import GameService, Viewer, open_service
from zimcore.service.lines.visibility import EVERYTHING

FIRST_MOVES = ("start f1", "start f4", "bid 1", "pass")


def service_after_moves(move_count: int) -> GameService:
    service = open_service("memory:")
    service.new("zimbabwe", {"players": "kilwa,zulu", "seed": "5"}, name="k", by="anna")
    for move in FIRST_MOVES[:move_count]:
        assert not isinstance(service.play("k", move, by="anna"), Refused)
    return service


def hints_for(service: GameService, text: str, viewer: Viewer = EVERYTHING) -> tuple[str, ...]:
    with pytest.raises(NotationError) as error:
        service.parse("k", text, viewer)
    return error.value.hints


@pytest.mark.parametrize(
    ("move_count", "slip", "first_proposal"),
    [
        (0, "strt f66", "start f1"),
        (0, "zulu: strt f66", "start f1"),
        (2, "bd 99", "bid 1"),
        (4, "adore eshuu", "adore eshu"),
        (4, "adre eshuu", "adore eshu"),
        (4, "hre herrd 9", "hire herd 2"),
    ],
)
def test_corrections_of_a_slip_are_legal(move_count: int, slip: str, first_proposal: str) -> None:
    service = service_after_moves(move_count)
    proposals = hints_for(service, slip)
    assert proposals[0] == first_proposal
    for text in proposals:
        assert not service.try_("k", [text]).refused


def test_a_text_that_only_begins_a_command_is_completed() -> None:
    service = service_after_moves(0)
    assert hints_for(service, "strt") == hints_for(service, "start") == ("start c1", "start f1", "start a3")


def test_the_list_of_legal_moves_is_proposed_where_no_correction_is_legal() -> None:
    assert hints_for(service_after_moves(0), "adore eshuu") == ("legal", "help adore")


def test_orientations_of_a_tile_are_proposed_only_where_they_are_legal() -> None:
    assert hints_for(service_after_moves(0), "craft potter d4") == ("legal", "help craft")
    assert [hint.partition(" price")[0] for hint in hints_for(service_after_moves(4), "craft potter c2")[:2]] == [
        "craft potter c2-d2",
        "craft potter c2-c3",
    ]


@pytest.mark.parametrize("slip", ["mve tripoli turquoise", "italy: moov cairo gray"])
def test_corrections_do_not_depend_on_hidden_cards(slip: str) -> None:
    def hints_of_seeds(viewer: Viewer) -> set[tuple[str, ...]]:
        proposals = set()
        for seed in range(12):
            service = open_service("memory:")
            service.new("africana", {"players": "2", "seed": str(seed)}, name="k", by="anna")
            proposals.add(hints_for(service, slip, viewer))
        return proposals

    assert len(hints_of_seeds(Viewer("france"))) == 1
    assert len(hints_of_seeds(EVERYTHING)) > 1  # the cards do matter
