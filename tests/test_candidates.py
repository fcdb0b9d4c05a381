"""The index of what is legal at a position: it leaves nothing out, however many commands there are."""

from __future__ import annotations

import pytest

from zimcli.output import Output
from zimcli.repl.completion import ZimCompleter
from zimcli.session import Session
from zimcore.candidates import Candidates, candidates, meaning, rank_candidates
from zimcore.game import Advice
from zimcore.games.zimbabwe import GAME
from zimcore.service import GameService, Position, open_service


@pytest.fixture(scope="module")
def service() -> GameService:
    """The demonstration up to a turn with 11,100 legal commands, most of them pairs of monuments."""
    lines = [line for line in GAME.texts.demo().splitlines() if line[:1] not in ("#", "")]
    service = open_service("memory:")
    service.new(GAME.name, dict(word.split("=") for word in lines[0].split()[2:]), name="demo", by="anna")
    for line in [line for line in lines[1:] if not line.startswith("expect")][:12]:
        service.play("demo", line, by="anna")
    return service


@pytest.fixture
def here(service: GameService) -> Position:
    return service.position("demo")


def test_every_kind_of_command_is_offered(service: GameService, here: Position) -> None:
    session = Session(Output(), by="anna", service=service)
    session.enter(here)
    first = [word for word, _ in ZimCompleter(session).words("", "")]
    kinds = {text.split()[0] for text in here.legal().texts()}
    assert set(first[: len(kinds)]) == kinds  # before zim's own words
    assert {"craft", "raise", "end"} <= set(kinds)


def test_a_look_up_finds_what_the_listing_has(here: Position) -> None:
    candidate_words = candidates(here)
    for beginning in ("", "craft", "cra wood-c", "build d", "raise", "nothing"):
        assert sorted(candidate_words.texts(beginning)) == sorted(here.legal().texts(beginning))
        assert candidate_words.count(beginning) == len(list(here.legal().texts(beginning)))


def test_a_word_that_is_finished_means_itself(here: Position) -> None:
    candidate_words = candidates(here)
    assert len({text.split()[1] for text in candidate_words.texts("build n1")}) > 1
    (one, *_) = [text.split()[1] for text in candidate_words.texts("build n1")]
    assert {text.split()[1] for text in candidate_words.texts(f"build {one} ")} == {one}


def test_it_is_made_once_for_a_position(here: Position) -> None:
    assert candidates(here) is candidates(here)


def test_squares_of_the_next_word_are_lit_and_else_those_of_all_that_follows(here: Position) -> None:
    candidate_words = candidates(here)
    building = {square for text in here.legal().texts("build") for square in text.split()[1:]}
    assert candidate_words.squares_to_light("build ") == building
    assert candidate_words.squares_to_light("buil") == building
    assert candidate_words.squares_to_light("nothing") == frozenset()
    assert candidate_words.squares_to_light("end") == frozenset()


def test_what_is_worth_a_look_comes_first() -> None:
    words = Candidates(["build a1", "build a2", "build b3", "end"])
    advice = [Advice("build b3", ("serves 3",)), Advice("build a2")]
    assert [each.word for each in rank_candidates(words.next("build "), "build ", advice)] == ["b3", "a2", "a1"]
    assert [each.word for each in rank_candidates(words.next(""), "", [])] == ["build", "end"]


def test_a_word_says_what_it_comes_to(here: Position) -> None:
    meanings = {each.word: meaning(here, each) for each in candidates(here).next("")}
    assert meanings["build"].endswith(" commands")
    meanings = {each.word: meaning(here, each) for each in candidates(here).next("craft potter ")}
    assert all("VR" in text or text.endswith(" commands") for text in meanings.values())
