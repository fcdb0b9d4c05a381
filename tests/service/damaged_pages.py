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
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        database.execute("VACUUM")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.read_bytes()


def damaged_files(intact_bytes: bytes) -> Iterator[tuple[str, bytes]]:
    """Each page but the first zeroed, swapped with each other one, and copied over it: what was done, and the file."""
    pages = [intact_bytes[start : start + PAGE_SIZE] for start in range(0, len(intact_bytes), PAGE_SIZE)]
    for first_number, second_number in product(range(1, len(pages)), repeat=2):
        changes_by_damage = {
            "copied over": {second_number: pages[first_number]},
            "swapped with": {first_number: pages[second_number], second_number: pages[first_number]},
        }
        if first_number == second_number:
            changes_by_damage = {"zeroed like": {first_number: bytes(PAGE_SIZE)}}
        elif first_number > second_number:
            del changes_by_damage["swapped with"]
        for damage, changed_pages in changes_by_damage.items():
            damaged_bytes = b"".join(changed_pages.get(number, page) for number, page in enumerate(pages))
            if damaged_bytes != intact_bytes:
                yield f"page {first_number + 1} {damage} {second_number + 1}", damaged_bytes


def read_answers(service: GameService, games: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """The answers about games, given with their lines, or `None` for an error.

    "There is no such game" is an answer; a list that says that a part of it could not be read is an error.
    """
    questions_by_name: dict[str, Callable[[], Any]] = {"games": partial(_game_rows, service)}
    for game, lines in games.items():
        questions_by_name |= {
            f"lines {game}": partial(_line_rows, service, game),
            f"talk {game}": partial(_message_texts, service, game),
        }
        for place in (f"{game}/{line}" for line in lines):
            questions_by_name[f"log {place}"] = partial(_log_rows, service, place)
            questions_by_name[f"log --ops {place}"] = partial(_operation_ids, service, place)
    return {name: _answer_or_none(question) for name, question in questions_by_name.items()}


def _answer_or_none(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except (EventStoreError, GameError) as error:
        return str(error) if "there is no" in str(error) or "has no line" in str(error) else None


def _log_rows(service: GameService, place: str) -> Any:
    return [*(f"{each.digest} {each.text}" for each in service.log(place)), service.position(place).status]


def _operation_ids(service: GameService, place: str) -> Any:
    return [each.id for each in service.operations(place)]


def _message_texts(service: GameService, game: str) -> Any:
    return [each.text for each in service.talk(game, by="ann")]


def _game_rows(service: GameService) -> Any:
    rows = [(each.name, each.line, each.head) for each in service.games() if each.seats]
    return rows if not service.damaged_names() and len(rows) == len(service.game_names()) else None


def _line_rows(service: GameService, game: str) -> Any:
    lines = service.lines(game)
    return [(each.name, each.head) for each in lines] if all(each.digest for each in lines) else None
