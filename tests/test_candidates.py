"""The index of what is legal at a position: it leaves nothing out, however many commands there are."""

from __future__ import annotations

import pytest

from zimcli.output.output import Output
from zimcli.repl.completion import ZimCompleter
from zimcli.session.session import Session
from zimcore.candidates import Candidates, candidate_meaning, candidates, rank_candidates
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
def position(service: GameService) -> Position:
    return service.position("demo")


def test_every_kind_of_command_is_offered(service: GameService, position: Position) -> None:
    session = Session(Output(), by="anna", service=service)
    session.enter_position(position)
    offered_words = [word for word, _ in ZimCompleter(session).words("", "")]
    verbs = {text.split()[0] for text in position.legal().texts()}
    assert set(offered_words[: len(verbs)]) == verbs  # before zim's own words
    assert {"craft", "raise", "end"} <= set(verbs)


def test_a_look_up_finds_what_the_listing_has(position: Position) -> None:
    index = candidates(position)
    for beginning in ("", "craft", "cra wood-c", "build d", "raise", "nothing"):
        assert sorted(index.texts(beginning)) == sorted(position.legal().texts(beginning))
        assert index.count(beginning) == len(list(position.legal().texts(beginning)))


def test_a_word_that_is_finished_means_itself(position: Position) -> None:
    index = candidates(position)
    assert len({text.split()[1] for text in index.texts("build n1")}) > 1
    (square, *_) = [text.split()[1] for text in index.texts("build n1")]
    assert {text.split()[1] for text in index.texts(f"build {square} ")} == {square}


def test_candidates_are_made_once_for_a_position(position: Position) -> None:
    assert candidates(position) is candidates(position)


def test_squares_of_the_next_words_are_lit(position: Position) -> None:
    index = candidates(position)
    build_squares = {square for text in position.legal().texts("build") for square in text.split()[1:]}
    assert index.squares_to_light("build ") == build_squares
    assert index.squares_to_light("buil") == build_squares
    assert index.squares_to_light("nothing") == frozenset()
    assert index.squares_to_light("end") == frozenset()


def test_advised_candidates_come_first() -> None:
    index = Candidates(["build a1", "build a2", "build b3", "end"])
    advice = [Advice("build b3", ("serves 3",)), Advice("build a2")]
    assert [candidate.word for candidate in rank_candidates(index.next_words("build "), "build ", advice)] == [
        "b3",
        "a2",
        "a1",
    ]
    assert [candidate.word for candidate in rank_candidates(index.next_words(""), "", [])] == [
        "build",
        "end",
    ]


def test_each_candidate_says_what_it_leads_to(position: Position) -> None:
    meanings = {
        candidate.word: candidate_meaning(position, candidate) for candidate in candidates(position).next_words("")
    }
    assert meanings["build"].endswith(" commands")
    meanings = {
        candidate.word: candidate_meaning(position, candidate)
        for candidate in candidates(position).next_words("craft potter ")
    }
    assert all("VR" in text or text.endswith(" commands") for text in meanings.values())
