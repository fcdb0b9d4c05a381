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
from tests.cli.conftest import Zim, runs
from tests.foreseen import salts
from zimcore.games.africana.events import GameSetUp
from zimcore.games.africana.rules import setup
from zimcore.service import GameService

BEGIN = datetime(2024, 5, 1, 12, tzinfo=UTC)
DEAL = setup.deal
KNOWN = (0, 2, 3)
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


def deal_otherwise(*arguments: object) -> GameSetUp:
    """Deals as usual, but reverses the order of the cards that Italy does not see in `MOVES`."""
    dealt = DEAL(*arguments)  # type: ignore[arg-type]
    top = list(dealt.pile[::-1])
    hidden = [at for at in range(len(top)) if at not in KNOWN]
    turned = {at: top[other] for at, other in zip(hidden, hidden[::-1], strict=True)}
    pile = tuple(turned.get(at, card) for at, card in enumerate(top))[::-1]
    books = {half: (*cards[:10][::-1], *cards[10:]) for half, cards in dealt.books.items()}
    removed = len(dealt.removed)
    last = (*dealt.removed, *dealt.stack[: 14 - removed])[::-1]
    stack = (*last[removed:], *dealt.stack[14 - removed :])
    return replace(dealt, pile=pile, books=books, stack=stack, removed=last[:removed])


def service_of(store: EventStore) -> GameService:
    ticks, ids = count(), count(1)
    return GameService(store, lambda: BEGIN + timedelta(minutes=next(ticks)), ids=lambda: f"{next(ids):04x}")


@contextmanager
def playing(deal: Callable[..., GameSetUp]) -> Iterator[Zim]:
    """A game of Italy and France after `MOVES`, at the terminal."""
    with EventStore.open("memory:", salts()) as store:
        run = runs(service_of(store))

        def zim(*words: str) -> Result:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(setup, "deal", deal)
                return run(*words)

        assert zim("new", "k", "--game", "africana", "players=2", "seed=7").exit_code == 0
        for move in MOVES:
            assert zim("do", "k", move).exit_code == 0, move
        yield zim


@pytest.fixture
def zim() -> Iterator[Zim]:
    with playing(DEAL) as game:
        yield game


@pytest.fixture
def other() -> Iterator[Zim]:
    """The same game to Italy, with other hidden cards."""
    with playing(deal_otherwise) as game:
        yield game


def output_without_digests(zim: Zim, words: str) -> tuple[int, str, str]:
    """The output without digests, which cover hidden cards but reveal nothing."""
    answer = zim(*words.split("|"))
    return answer.exit_code, hexless(answer.stdout), hexless(answer.stderr)


def hexless(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{8,32}\b", "DIGEST", text)


ASKED = [
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


@pytest.mark.parametrize("eyes", ["italy", ""])
@pytest.mark.parametrize("words", ASKED)
def test_what_is_hidden_changes_nothing_that_is_printed(zim: Zim, other: Zim, words: str, eyes: str) -> None:
    as_seat = f"--as|{eyes}|" if eyes else ""
    assert output_without_digests(zim, as_seat + words) == output_without_digests(other, as_seat + words)


def test_the_two_games_do_differ_in_what_is_hidden(zim: Zim, other: Zim) -> None:
    """Otherwise the test above would show nothing."""
    for words in ("show|k", "log|k", "events|k", "story|k", "compare|k@start|k@end"):
        assert output_without_digests(zim, f"--open|{words}") != output_without_digests(other, f"--open|{words}")
    assert output_without_digests(zim, "--as|france|show|k") != output_without_digests(other, "--as|france|show|k")


def replay_page(zim: Zim, folder: Path, eyes: tuple[str, ...]) -> str:
    file = folder / "replay.html"
    assert zim(*eyes, "replay", "k", "--html", str(file)).exit_code == 0
    return hexless(file.read_text("utf-8"))


def picture(zim: Zim, folder: Path, eyes: tuple[str, ...]) -> str:
    file = folder / "board.svg"
    assert zim(*eyes, "board", "k", "--svg", str(file)).exit_code == 0
    return file.read_text("utf-8")


@pytest.mark.parametrize("eyes", [("--as", "italy"), ()])
@pytest.mark.parametrize("make", [replay_page, picture])
def test_what_is_hidden_changes_nothing_in_a_file(
    zim: Zim, other: Zim, tmp_path: Path, make: Callable[..., str], eyes: tuple[str, ...]
) -> None:
    assert make(zim, tmp_path, eyes) == make(other, tmp_path, eyes)
