"""After any flipped bit in a file, every way to read it gives an error or the true answer."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from event_store import Entry, EventStore, Line, StoreError
from event_store.line_history import load_line
from tests.event_store.diary import commit, note, open_diary
from tests.event_store.test_chain import fill

FIRST_REVISIONS = {"line": 2, "fork": 1, "names": 1, "long": 1}
"""The revision of the first entry of each stream."""
Answer = list[tuple[int, bytes, str]] | str


def entries_answer(entries: object) -> Answer:
    assert hasattr(entries, "__iter__")
    return [(entry.revision, entry.digest, repr((entry.seal, entry.events))) for entry in entries]


def line_answer(store: EventStore, stream: str) -> Answer:
    line: Line = load_line(store.read, stream)
    return [*entries_answer(line.commits.values()), (line.revision, line.head, repr((line.path, line.fork_event)))]


ANSWERS_BY_READING: dict[str, Callable[[EventStore, str], Answer]] = {
    "read": lambda store, stream: entries_answer(store.read(stream)),
    "read on": lambda store, stream: entries_answer(store.read(stream, after=FIRST_REVISIONS[stream])),
    "read until": lambda store, stream: entries_answer(store.read(stream, until=FIRST_REVISIONS[stream])),
    "read several": lambda store, stream: entries_answer(store.read_streams({stream: -1, "names": -1})[stream]),
    "line": line_answer,
    "export": lambda store, stream: entries_answer([each for each in store.all_entries() if each.stream == stream]),
}


def read_answers(path: Path) -> dict[str, Answer]:
    """By stream and way of reading: the entries, or only that an error was raised."""
    answers: dict[str, Answer] = {}
    with open_diary(f"sqlite:///{path}?mode=ro") as store:
        for stream in FIRST_REVISIONS:
            for reading, read_answer in ANSWERS_BY_READING.items():
                try:
                    answers[f"{reading} {stream}"] = read_answer(store, stream)
                except StoreError as error:
                    answers[f"{reading} {stream}"] = error.what
    return answers


@pytest.fixture(scope="module")
def store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a line, a fork of it, names, and a stream that needs pages of its own."""
    path = tmp_path_factory.mktemp("flips") / "games.zim"
    with open_diary(f"sqlite:///{path}") as store:
        fill(store)
        last_entry: Entry = commit(store, "long", -1, b"", "begun")
        for number in range(100):
            note(store, f"other-{number}", -1, "more " * number)
            last_entry = commit(store, "long", last_entry.revision, last_entry.digest, *("more",) * (number % 4 + 1))
    return path


def test_300_flips_are_reported_or_do_nothing(store_file: Path, tmp_path: Path) -> None:
    true_answers, rng, error_count = read_answers(store_file), random.Random(12), 0
    assert not any(isinstance(answer, str) for answer in true_answers.values())
    for number in range(300):
        damaged_bytes = bytearray(store_file.read_bytes())
        bit = rng.randrange(8 * len(damaged_bytes))
        damaged_bytes[bit // 8] ^= 1 << bit % 8
        path = tmp_path / f"{number}.zim"
        path.write_bytes(damaged_bytes)
        for reading, answer in read_answers(path).items():
            error_count += isinstance(answer, str)
            assert isinstance(answer, str) or answer == true_answers[reading], f"bit {bit}: {reading}"
        path.unlink()
    assert error_count > 100
