"""A small file with one page zeroed or replaced by another page; and what readers of it get."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from event_store import EventStoreError
from zimcore.game import GameError
from zimcore.service import GameService

PAGE_SIZE = 512
"""Bytes of a page: the smallest, so that a small store has many."""


def shrink_pages(path: Path) -> bytes:
    """The bytes of a store whose pages were made small; it is written as the whole of the file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA journal_mode = DELETE")
        file.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        file.execute("VACUUM")
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.read_bytes()


def damaged_files(intact: bytes) -> Iterator[tuple[str, bytes]]:
    """Each page but the first zeroed, swapped with each other one, and copied over it: what was done, and the file."""
    pages = [intact[start : start + PAGE_SIZE] for start in range(0, len(intact), PAGE_SIZE)]
    for first, second in product(range(1, len(pages)), repeat=2):
        changes = {"copied over": {second: pages[first]}, "swapped with": {first: pages[second], second: pages[first]}}
        if first == second:
            changes = {"zeroed like": {first: bytes(PAGE_SIZE)}}
        elif first > second:
            del changes["swapped with"]
        for damage, change in changes.items():
            data = b"".join(change.get(number, page) for number, page in enumerate(pages))
            if data != intact:
                yield f"page {first + 1} {damage} {second + 1}", data


def read_answers(service: GameService, games: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """The answers about games, given with their lines, or `None` for an error.

    That something is not there is an answer, and a list which says that some of it could not be read is an error.
    """
    questions: dict[str, Callable[[], Any]] = {"games": partial(_games, service)}
    for game, lines in games.items():
        questions |= {f"lines {game}": partial(_lines, service, game), f"talk {game}": partial(_talk, service, game)}
        for place in (f"{game}/{line}" for line in lines):
            questions[f"log {place}"] = partial(_log, service, place)
            questions[f"log --ops {place}"] = partial(_operations, service, place)
    return {question: _answer(ask) for question, ask in questions.items()}


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except (EventStoreError, GameError) as error:
        return str(error) if "there is no" in str(error) or "has no line" in str(error) else None


def _log(service: GameService, place: str) -> Any:
    return [*(f"{each.digest} {each.text}" for each in service.log(place)), service.position(place).status]


def _operations(service: GameService, place: str) -> Any:
    return [each.id for each in service.operations(place)]


def _talk(service: GameService, game: str) -> Any:
    return [each.text for each in service.talk(game, by="ann")]


def _games(service: GameService) -> Any:
    listing = [(each.name, each.line, each.head) for each in service.games() if each.seats]
    return listing if not service.damaged_names() and len(listing) == len(service.game_names()) else None


def _lines(service: GameService, game: str) -> Any:
    lines = service.lines(game)
    return [(each.name, each.head) for each in lines] if all(each.digest for each in lines) else None
