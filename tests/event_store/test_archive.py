"""A whole store can be exported, imported and copied from one backend to another, to the last bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from event_store import AlteredError, ConflictError, DamagedError, EventStore, archive
from event_store.archive import exported, imported
from tests.event_store.diary import note, open_diary
from tests.event_store.test_chain import fill, verify


@pytest.fixture(params=["memory:", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EventStore:
    """An empty store."""
    match request.param:
        case "sqlite":
            return open_diary(f"sqlite:///{tmp_path}/copy.zim")
        case "postgresql":
            return open_diary(request.getfixturevalue("postgres_store"))
    return open_diary("memory:")


@pytest.fixture
def filled() -> list[bytes]:
    """The export of a store in which the entries of several streams follow one another in turn."""
    store = open_diary("memory:")
    fill(store)
    for revision in range(-1, 39, 2):
        note(store, "x", revision, f"x {revision}")
        note(store, "y", revision, f"ümlaut {revision}")
    return list(exported(store))


def test_what_is_imported_and_exported_again_is_the_same(store: EventStore, filled: list[bytes]) -> None:
    assert imported(store, filled) == 7 + 40
    assert list(exported(store)) == filled
    verify(store)


def test_a_copy_from_one_backend_to_another_and_back(tmp_path: Path, postgres_store: str, filled: list[bytes]) -> None:
    urls = (f"sqlite:///{tmp_path}/one.zim", postgres_store, f"sqlite:///{tmp_path}/two.zim")
    lines = filled
    for url in urls:
        with open_diary(url) as copy:
            imported(copy, lines)
            lines = list(exported(copy))
    assert lines == filled
    one, two = (list(open_diary(url)._backend.everything()) for url in (urls[0], urls[2]))
    assert one == two


def test_an_import_may_be_repeated_and_goes_on_where_it_ended(
    store: EventStore, filled: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "AT_ONCE", 10)
    for end in (20, 30):
        with pytest.raises(DamagedError, match=f"the export ends too early: after {end - 1} entries"):
            imported(store, filled[:end])
    told: list[int] = []
    assert imported(store, filled, told.append) == imported(store, filled) == 47
    assert (told[0], told[-1], told == sorted(told)) == (9, 47, True)
    assert list(exported(store)) == filled


def test_a_store_with_other_games_is_left_as_it_is(store: EventStore, filled: list[bytes]) -> None:
    note(store, "names", -1, "another game")
    before = list(exported(store))
    with pytest.raises(ConflictError, match="the store has other games"):
        imported(store, filled)
    assert list(exported(store)) == before


def test_a_changed_byte_is_found(store: EventStore, filled: list[bytes]) -> None:
    for number, line in enumerate(filled):
        place = len(line) * 3 // 4 if number < len(filled) - 1 else 20
        changed = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
        with pytest.raises(DamagedError):
            imported(store, [*filled[:number], changed, *filled[number + 1 :]])


def test_a_missing_line_is_found(store: EventStore, filled: list[bytes]) -> None:
    with pytest.raises((DamagedError, ConflictError)):
        imported(store, filled[:5] + filled[6:])


def test_lines_in_another_order_are_found(store: EventStore, filled: list[bytes]) -> None:
    with pytest.raises(DamagedError, match="is not as it was written"):
        imported(store, [*filled[:8], filled[9], filled[8], *filled[10:]])


@pytest.mark.parametrize("lines", [[], [b"My favourite games.\n"], [b'{"zim":"store.9"}\n']])
def test_what_is_no_export_is_told(store: EventStore, lines: list[bytes]) -> None:
    with pytest.raises(DamagedError, match="line 1 of the export is not as it was written"):
        imported(store, lines)


def test_an_empty_store_is_two_lines(store: EventStore) -> None:
    lines = list(exported(store))
    assert len(lines) == 2
    assert imported(store, lines) == 0


def test_nothing_altered_is_exported() -> None:
    store = open_diary("memory:")
    fill(store)
    events = store._backend.recorder._stored_events  # type: ignore[attr-defined]
    events[0] = type(events[0])("line", 0, events[0].topic, events[0].state.replace(b"set", b"let"))
    with pytest.raises(AlteredError):
        list(exported(store))
