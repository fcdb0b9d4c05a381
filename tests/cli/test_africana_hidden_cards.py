"""What a seat sees at the command line: no output depends on a card that the seat has not seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from click.testing import Result
from msgspec.structs import replace

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim
from tests.predictable_salts import salt_maker
from zimcore.games.africana.events import GameSetUp
from zimcore.games.africana.rules import setup
from zimcore.service import GameService

START_TIME = datetime(2024, 5, 1, 12, tzinfo=UTC)
ORIGINAL_DEAL = setup.deal
KNOWN_CARD_INDEXES = (0, 2, 3)
"""Which cards of the pile Italy draws in `MOVES`, from the top; the others stay hidden from it."""
MOVES = """italy: draw
france: draw
italy: turn north left
italy: end
france: move port_natal joker
france: end
italy: end
france: turn south left
france: turn south right
france: end
italy: move tangier joker""".splitlines()


def deal_other_hidden_cards(*arguments: object) -> GameSetUp:
    """Deals as usual, but reverses the order of the cards that Italy does not see in `MOVES`."""
    set_up = ORIGINAL_DEAL(*arguments)  # type: ignore[arg-type]
    pile_from_top = list(set_up.pile[::-1])
    hidden_indexes = [index for index in range(len(pile_from_top)) if index not in KNOWN_CARD_INDEXES]
    replacements = {
        index: pile_from_top[other_index]
        for index, other_index in zip(hidden_indexes, hidden_indexes[::-1], strict=True)
    }
    pile = tuple(replacements.get(index, card) for index, card in enumerate(pile_from_top))[::-1]
    books = {half: (*cards[:10][::-1], *cards[10:]) for half, cards in set_up.books.items()}
    removed_count = len(set_up.removed)
    last_cards = (*set_up.removed, *set_up.stack[: 14 - removed_count])[::-1]
    stack = (*last_cards[removed_count:], *set_up.stack[14 - removed_count :])
    return replace(set_up, pile=pile, books=books, stack=stack, removed=last_cards[:removed_count])


def make_service(store: EventStore) -> GameService:
    ticks, ids = count(), count(1)
    return GameService(store, lambda: START_TIME + timedelta(minutes=next(ticks)), ids=lambda: f"{next(ids):04x}")


@contextmanager
def zim_after_moves(deal: Callable[..., GameSetUp]) -> Iterator[Zim]:
    """`zim` on a store with a game of Italy and France after `MOVES`."""
    with EventStore.open("memory:", salt_maker()) as store:
        run_zim = make_zim(make_service(store))

        def zim(*words: str) -> Result:
            with pytest.MonkeyPatch.context() as monkeypatch:
                monkeypatch.setattr(setup, "deal", deal)
                return run_zim(*words)

        assert zim("new", "k", "--game", "africana", "players=2", "seed=7").exit_code == 0
        for move in MOVES:
            assert zim("do", "k", move).exit_code == 0, move
        yield zim


@pytest.fixture
def zim() -> Iterator[Zim]:
    with zim_after_moves(ORIGINAL_DEAL) as run_zim:
        yield run_zim


@pytest.fixture
def other_zim() -> Iterator[Zim]:
    """`zim` on a game that looks the same to Italy, with other hidden cards."""
    with zim_after_moves(deal_other_hidden_cards) as run_zim:
        yield run_zim


def output_without_digests(zim: Zim, command: str) -> tuple[int, str, str]:
    """The output without digests, which cover hidden cards but reveal nothing."""
    result = zim(*command.split("|"))
    return result.exit_code, remove_digests(result.stdout), remove_digests(result.stderr)


def remove_digests(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{8,32}\b", "DIGEST", text)


COMMANDS = [
    "show|k",
    "show|k@2",
    "show|k@7",
    "--json|show|k",
    "--json|show|k@2",
    "log|k",
    "log|k|--events",
    "log|k|--all",
    "log|k|--ops",
    "--json|log|k",
    "--json|log|k|--events",
    "events|k",
    "--json|events|k",
    "story|k",
    "story|k@start",
    "story|k@2",
    "--json|story|k",
    "board|k",
    "board|k|--reach",
    "board|k|--reach|cairo",
    "--json|board|k",
    "compare|k@3|k@end",
    "compare|k@start|k@end",
    "--json|compare|k@2|k@7",
    "why|k|france.cards",
    "why|k|france.vp",
    "why|k|italy.vp",
    "why|k|cairo",
    "--json|why|k|france.travel_cards",
    "why|k|france.hand",
    "bisect|k|france.cards > 3",
    "bisect|k|france.travel_cards > 2",
    "bisect|k|pile < 55",
    "bisect|k|seed == 7",
    "stats|k",
    "--json|stats|k",
    "legal|k",
    "legal|k|move",
    "--json|legal|k",
    "legal|k@2",
    "explain|k|end",
    "explain|k|move lagos violet",
    "explain|k|france: move lagos violet",
    "preview|k",
    "preview|k|draw",
    "plan|k",
    "plan|k|france",
    "plan|k|france|lagos",
    "try|k@3|draw",
    "try|k@3|turn north right|turn north left|end|draw",
    "try|k|move timbuktu turquoise|end|draw|draw|draw",
    "try|k|france: draw|italy: draw|france: end",
    "try|k@9|turn south left|turn south left|end",
    "--json|try|k@3|draw",
    "verify|k",
    "--json|verify|k",
    "lines|k",
    "games",
    "export|k|--certificate|never-written.zim",
    "export|--jsonl|never-written.jsonl",
    "fork|k|x",
    "amend|k@3|draw",
    "amend|k@3|draw|--dry-run",
    "pick|k|k@2..3",
    "undo|k",
    "undo|k|3",
    "goto|k@2",
    "do|k|move lagos",
    "do|k|italy: move lagos",
    "do|k|frob",
    "do|k|buy south left",
]


@pytest.mark.parametrize("seat", ["italy", ""])
@pytest.mark.parametrize("command", COMMANDS)
def test_hidden_cards_change_no_output(zim: Zim, other_zim: Zim, command: str, seat: str) -> None:
    seat_words = f"--as|{seat}|" if seat else ""
    assert output_without_digests(zim, seat_words + command) == output_without_digests(other_zim, seat_words + command)


def test_the_two_games_differ_in_their_hidden_cards(zim: Zim, other_zim: Zim) -> None:
    """Without this difference the test above would prove nothing."""
    for command in ("show|k", "log|k", "events|k", "story|k", "compare|k@start|k@end"):
        assert output_without_digests(zim, f"--open|{command}") != output_without_digests(
            other_zim, f"--open|{command}"
        )
    assert output_without_digests(zim, "--as|france|show|k") != output_without_digests(other_zim, "--as|france|show|k")


def replay_page(zim: Zim, folder: Path, seat_options: tuple[str, ...]) -> str:
    replay_file = folder / "replay.html"
    assert zim(*seat_options, "replay", "k", "--html", str(replay_file), "--force").exit_code == 0
    return remove_digests(replay_file.read_text("utf-8"))


def picture_text(zim: Zim, folder: Path, seat_options: tuple[str, ...]) -> str:
    picture_file = folder / "board.svg"
    assert zim(*seat_options, "board", "k", "--svg", str(picture_file), "--force").exit_code == 0
    return picture_file.read_text("utf-8")


@pytest.mark.parametrize("seat_options", [("--as", "italy"), ()])
@pytest.mark.parametrize("write_file", [replay_page, picture_text])
def test_hidden_cards_change_no_file(
    zim: Zim, other_zim: Zim, tmp_path: Path, write_file: Callable[..., str], seat_options: tuple[str, ...]
) -> None:
    assert write_file(zim, tmp_path, seat_options) == write_file(other_zim, tmp_path, seat_options)


def test_why_ends_with_what_a_figure_means(zim: Zim) -> None:
    lines = zim("--as", "italy", "why", "k", "italy.vp").stdout.splitlines()
    assert lines[0].endswith("italy.vp is 1")
    assert "1 for each 2 travel cards" in lines[-1]
    assert "Victory points" not in zim("--as", "italy", "why", "k", "cairo").stdout
