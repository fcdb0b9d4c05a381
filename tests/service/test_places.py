"""The language in which positions are named."""

from __future__ import annotations

import pytest

from tests.service.nim_service import play
from zimcore.game import GameError
from zimcore.service import GameService, UnknownError
from zimcore.service.records.places import Place, locate_range, parse_place


@pytest.fixture
def forked_match(service: GameService) -> GameService:
    """Moves 0 to 4; then two back, and another branch: its head is move 3, and what can be redone ends there."""
    play(service, "take 1", "take 2", "take 3", "take 1")
    service.undo("nim", 2, by="ann")
    play(service, "take 2")
    service.fork("nim@1", "what-if", by="ann")
    service.switch("nim/main", by="ann")
    return service


@pytest.mark.parametrize(
    ("place", "number", "stones"),
    [
        ("nim", 3, 5),
        ("nim@", 3, 5),
        ("nim/main", 3, 5),
        ("nim/main@2", 2, 7),
        ("nim@0", 0, 10),
        ("nim@start", 0, 10),
        ("nim@end", 3, 5),
        ("nim@-1", 2, 7),
        ("nim@-3", 0, 10),
        ("nim@r1", 0, 10),
        ("nim@r1.ben", 1, 9),
        ("nim@r2", 2, 7),
        ("nim@r2.b", 3, 5),
        (" nim@R2.BEN ", 3, 5),
        ("nim/what-if", 1, 9),
        ("nim/what-if@start", 0, 10),
    ],
)
def test_a_place_names_a_position(forked_match: GameService, place: str, number: int, stones: int) -> None:
    position = forked_match.position(place)
    assert (position.commit.number, position.state.stones) == (number, stones)


def test_positions_that_can_be_redone_keep_their_numbers_and_marks(forked_match: GameService) -> None:
    forked_match.undo("nim", 3, by="ann")
    assert forked_match.position("nim@3").state.stones == 5
    assert forked_match.position("nim@r2.ben").commit.number == 3
    assert forked_match.position("nim@end").commit.number == 3


def test_a_commit_is_named_by_the_beginning_of_its_digest(forked_match: GameService) -> None:
    for commit in forked_match.log("nim", all_=True):
        for length in (8, 12, 32):
            assert forked_match.position(f"nim@{commit.digest[:length]}").commit == commit


def test_digits_are_a_move_number_before_a_digest(service: GameService) -> None:
    service.new("nim", {"stones": "5000"}, name="long", by="ann")
    play(service, *["take 1"] * 120, place="long")
    digests = [commit.digest[:4] for commit in service.log("long")]
    decimal_digests = [digest for digest in digests if digest.isdecimal() and int(digest) > 120]
    assert decimal_digests, "with these digests none begins with four digits that are no move: play some more"
    assert service.position(f"long@{decimal_digests[0]}").commit.digest.startswith(decimal_digests[0])
    assert service.position("long@0012").commit.number == 12


@pytest.mark.parametrize(
    "place", ["nim@4", "nim@-4", "nim@r3", "nim@zulu", "nim@abcd", "nim@ff", "nim@r1.ann", "nim@--1"]
)
def test_a_missing_position_is_an_error_that_lists_what_exists(forked_match: GameService, place: str) -> None:
    with pytest.raises(
        UnknownError, match=r"there is no position @.* on nim/main: the head is at move 3 of 3"
    ) as error:
        forked_match.position(place)
    assert {"nim/main@start", "nim/main@3", "nim/main@end", "nim/main@r2"} <= set(error.value.hints)


def test_a_typo_is_an_error_that_lists_similar_spellings(forked_match: GameService) -> None:
    with pytest.raises(UnknownError) as error:
        forked_match.position("nim@r2.bne")
    assert error.value.hints[0] == "nim/main@r2.ben"


@pytest.mark.parametrize(
    ("range_text", "numbers"),
    [
        ("1..3", [1, 2, 3]),
        ("2", [2]),
        ("2..", [2, 3]),
        ("-1..", [2, 3]),
        ("..2", [1, 2]),
        ("start..2", [1, 2]),
        ("..", [1, 2, 3]),
        ("r1..r2", [1, 2]),
        ("r1.ben..r2.ben", [2, 3]),
        ("3..3", [3]),
        ("", [3]),
    ],
)
def test_a_range_names_moves(forked_match: GameService, range_text: str, numbers: list[int]) -> None:
    loaded_line = forked_match._repository.line("nim")
    digests = locate_range(loaded_line.line, range_text, loaded_line.states.digests_by_mark)
    assert [loaded_line.line.commit_numbers[digest] for digest in digests] == numbers


@pytest.mark.parametrize("range_text", ["3..1", "1..9", "x..2"])
def test_an_invalid_range_is_reported(forked_match: GameService, range_text: str) -> None:
    loaded_line = forked_match._repository.line("nim")
    with pytest.raises(UnknownError):
        locate_range(loaded_line.line, range_text, loaded_line.states.digests_by_mark)


@pytest.mark.parametrize(
    ("text", "whole_place"),
    [
        ("@12", "nim/main@12"),
        ("@-3", "nim/main@-3"),
        ("@R2.ben", "nim/main@r2.ben"),
        ("what-if@4..7", "nim/what-if@4..7"),
        ("kilwa-7/what-if@r4", "kilwa-7/what-if@r4"),
        ("kilwa-7@a1b2c3", "kilwa-7@a1b2c3"),
    ],
)
def test_short_and_whole_places_have_one_parser(text: str, whole_place: str) -> None:
    parsed_place = parse_place(text, "nim/main@3", ["main", "what-if"])
    assert str(parsed_place) == whole_place
    assert parse_place(whole_place) == parsed_place


def test_an_ambiguous_position_is_an_error_that_lists_what_was_meant(forked_match: GameService) -> None:
    with pytest.raises(UnknownError, match="@r could be more than one position") as error:
        forked_match.position("nim@r")
    assert error.value.hints == ("nim/main@r1", "nim/main@r1.ben", "nim/main@r2", "nim/main@r2.ben")


def test_missing_games_and_lines_are_errors_that_list_existing_ones(forked_match: GameService) -> None:
    with pytest.raises(UnknownError, match="there is no game called 'nam'") as error:
        forked_match.position("nam")
    assert error.value.hints == ("nim",)
    with pytest.raises(UnknownError, match="nim has no line called 'what'") as error:
        forked_match.position("nim/what")
    assert error.value.hints == ("nim/what-if",)
    with pytest.raises(UnknownError, match="nim has no line called 'x'") as error:
        forked_match.position("nim/x")
    assert error.value.hints == ("nim/main", "nim/what-if")
    with pytest.raises(UnknownError, match="there is no game and no line of nim called 'mian'") as error:
        forked_match.resolve("mian", "nim")
    assert error.value.hints == ("main",)


@pytest.mark.parametrize("text", ["", "@", "@12", "nim/", "/main", "nim/main/more", "nim main", "ni m@2"])
def test_an_invalid_place_is_an_error(forked_match: GameService, text: str) -> None:
    with pytest.raises(GameError, match="not a place"):
        forked_match.position(text)


def test_a_place_has_a_game_a_line_and_a_position() -> None:
    assert parse_place("kilwa-7") == Place("kilwa-7")
    assert parse_place("kilwa-7/what_if@r4.zulu") == Place("kilwa-7", "what_if", "r4.zulu")


@pytest.mark.parametrize(
    ("text", "whole_place"),
    [
        ("", "nim/main"),
        ("@", "nim/main"),
        ("@2", "nim/main@2"),
        ("what-if", "nim/what-if"),
        ("what-if@1", "nim/what-if@1"),
        ("nim", "nim"),
        ("other/main@1", "other/main@1"),
    ],
)
def test_a_short_place_is_resolved_from_a_current_place(forked_match: GameService, text: str, whole_place: str) -> None:
    assert forked_match.resolve(text, "nim/main@3") == whole_place
