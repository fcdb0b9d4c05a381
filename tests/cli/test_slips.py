"""Proposals after a slip can be typed as printed, and the rules accept them, in any position of any game."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from event_store import EventStore
from tests.cli.conftest import TEST_GAMES
from zimcli.output.errors import problem_of
from zimcli.output.output import Output
from zimcli.session.session import Session, split_arguments
from zimcli.shell.registry import SESSION_ENTRIES
from zimcore.commits import Position
from zimcore.game import GameError, Refused
from zimcore.games.registry import GAMES
from zimcore.service import GameService
from zimcore.service.lines.visibility import EVERYTHING, Viewer

MOST_MOVES = 60
SLIPS_PER_POSITION = 12
"""The number of slips in each position."""


def add_slip(rng: Random, text: str, words: list[str]) -> str:
    """A command with a letter lost, added or swapped, another word, a word too many, or only its beginning."""
    typed_words = text.split()
    index = rng.randrange(len(typed_words))
    word, letter_index = typed_words[index], rng.randrange(len(typed_words[index]))
    match rng.randrange(7):
        case 0:
            typed_words[index] = word[:letter_index] + word[letter_index + 1 :]
        case 1:
            typed_words[index] = word[:letter_index] + rng.choice("abcdefgh123") + word[letter_index:]
        case 2:
            typed_words[index] = (
                word[:letter_index] + word[letter_index : letter_index + 2][::-1] + word[letter_index + 2 :]
            )
        case 3:
            typed_words[index] = rng.choice(words)
        case 4:
            typed_words[index] = word[: letter_index + 1]
        case 5:
            typed_words.append(rng.choice(words))
        case _:
            del typed_words[index + 1 :]
    return " ".join(typed_words)


def random_match(kind: str, rng: Random) -> tuple[GameService, Position]:
    """A game after a random number of random moves."""
    service = GameService(EventStore.open("memory:"), games={**GAMES, **TEST_GAMES})
    position = service.new(kind, {"seed": str(rng.randrange(1000))}, name="k", by="anna")
    for _ in range(rng.randrange(MOST_MOVES)):
        if (command := position.legal().sample(rng)) is not None:
            play_outcome = service.play("k", position.game.notation.format(command), by="anna", viewer=EVERYTHING)
            assert not isinstance(play_outcome, Refused)
            position = service.position("k", EVERYTHING)
    return service, position


def prompt_session(service: GameService, viewer: Viewer) -> Session:
    """A session at the head of the game."""
    session = Session(Output(), by="anna", service=service)
    session.set_viewer(viewer)
    session.enter_position(session.position("k"))
    return session


def proposals(service: GameService, text: str, viewer: Viewer) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the service and the prompt propose for a text that they do not accept.

    The prompt comes last: running the text there may change the game.
    """
    try:
        try_result = service.try_("k", [text], viewer)
        if try_result.refused is None:
            return
        hints = try_result.refused.hints
    except GameError as error:
        hints = error.hints
    yield "service", hints
    with pytest.raises(Exception) as raised_error:  # noqa: PT011  # `problem_of` decides what it is
        prompt_session(service, viewer).run_line(text)
    yield "prompt", problem_of(raised_error.value).hints


def proposal_fault(service: GameService, position: Position, hint: str, viewer: Viewer) -> str:
    """Why a proposal can't be typed; "" if it can, or if that depends on hidden information."""
    verb, _, remaining_text = hint.partition(" ")
    try:
        if verb in SESSION_ENTRIES and verb not in position.game.notation.SYNTAX:
            prompt_session(service, viewer).make_context(
                SESSION_ENTRIES[verb], split_arguments(SESSION_ENTRIES[verb], remaining_text)
            )
            return ""
        refusal = service.try_("k", [hint], viewer).refused
    except (GameError, click.ClickException) as error:
        return str(error)
    return "; ".join(broken_rule.reason for broken_rule in refusal.refusals) if refusal else ""


@pytest.mark.parametrize("kind", ["zimbabwe", "africana", "herd"])
@given(seed=st.integers(0, 2**32))
def test_proposals_after_a_slip_can_be_typed(kind: str, seed: int) -> None:
    service, position = random_match(kind, rng := Random(seed))
    syntax = [example.split(" · ")[0] for example in position.game.notation.SYNTAX.values()]
    words = [word for example in syntax for word in example.split()]
    for number in range(SLIPS_PER_POSITION):
        command = position.legal().sample(rng)
        legal_lines = [] if command is None else [position.game.notation.format(command)]
        text = add_slip(rng, rng.choice([*legal_lines, rng.choice(syntax)]), words)
        viewer = EVERYTHING if number % 2 else Viewer(position.mover)
        for source, hints in proposals(service, text, viewer) if text.strip() else ():
            for hint in hints:
                assert not (reason := proposal_fault(service, position, hint, viewer)), (text, source, hint, reason)


def test_a_slip_that_is_like_a_move_gets_a_move_proposed() -> None:
    service = GameService(EventStore.open("memory:"))
    service.new("zimbabwe", {"players": "2", "seed": "1"}, name="k", by="anna")
    hints = dict(proposals(service, "strat f4", EVERYTHING))["prompt"]
    assert hints == ("start f4",), "a move comes before seat, stats and story of zim"
    other_hints = dict(proposals(service, "strat f6", EVERYTHING))["prompt"]
    assert other_hints[0] == "start f4", "f6 is not legal: the rules propose what is"
    assert "seat kilwa" in dict(proposals(service, "seta kilwa", EVERYTHING))["prompt"]
