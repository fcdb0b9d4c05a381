"""A whole store can be exported, imported and copied from one backend to another, to the last bit."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Never

import msgspec
import pytest

from event_store import AlteredError, ConflictError, DamagedError, Entry, EventStore, NewerError, export
from event_store.export import export_lines, import_lines
from event_store.input_limits import InputLimits, lines_of
from tests.event_store.diary import note, open_diary
from tests.event_store.test_chain import fill, verify_streams


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
def export_of_streams() -> list[bytes]:
    """The export of a store in which the entries of several streams follow one another in turn."""
    store = open_diary("memory:")
    fill(store)
    for revision in range(-1, 39, 2):
        note(store, "x", revision, f"x {revision}")
        note(store, "y", revision, f"ümlaut {revision}")
    return list(export_lines(store))


def test_an_imported_store_is_exported_unchanged(store: EventStore, export_of_streams: list[bytes]) -> None:
    assert import_lines(store, export_of_streams) == 7 + 40
    assert list(export_lines(store)) == export_of_streams
    verify_streams(store)


def test_copies_between_backends_are_equal(tmp_path: Path, postgres_store: str, export_of_streams: list[bytes]) -> None:
    urls = (f"sqlite:///{tmp_path}/one.zim", postgres_store, f"sqlite:///{tmp_path}/two.zim")
    lines = export_of_streams
    for url in urls:
        with open_diary(url) as copy:
            import_lines(copy, lines)
            lines = list(export_lines(copy))
    assert lines == export_of_streams
    first_rows, last_rows = (list(open_diary(url)._backend.all_rows()) for url in (urls[0], urls[2]))
    assert first_rows == last_rows


def test_an_import_may_be_repeated(store: EventStore, export_of_streams: list[bytes]) -> None:
    assert import_lines(store, export_of_streams) == import_lines(store, export_of_streams) == 47
    assert list(export_lines(store)) == export_of_streams


def test_an_import_reports_how_many_entries_it_has_unpacked(
    export_of_streams: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "ROWS_PER_TRANSACTION", 20)
    reported_counts = list[int]()
    import_lines(
        open_diary("memory:"), export_of_streams, report_progress=lambda count, _: reported_counts.append(count)
    )
    assert reported_counts == [19, 39]


def test_an_interrupted_import_can_be_resumed(
    store: EventStore, export_of_streams: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    original_adopt, attempts = store.adopt, iter(range(3))

    def interrupt_third_adopt(entries: list[Entry]) -> None:
        if next(attempts, None) is None:
            raise KeyboardInterrupt
        original_adopt(entries)

    monkeypatch.setattr(store, "adopt", interrupt_third_adopt)
    with pytest.raises(KeyboardInterrupt):
        import_lines(store, export_of_streams)
    monkeypatch.undo()
    assert store.streams() == ["fork", "line", "names"], "each is complete or missing"
    assert import_lines(store, export_of_streams) == 47
    assert list(export_lines(store)) == export_of_streams


@pytest.mark.parametrize("line_count", [1, 2, 20, 47])
def test_a_truncated_export_is_not_stored(store: EventStore, export_of_streams: list[bytes], line_count: int) -> None:
    with pytest.raises(DamagedError, match=f"the export ends too early: after {line_count - 1} entries"):
        import_lines(store, export_of_streams[:line_count])
    assert store.streams() == []


def test_an_entry_whose_parent_is_missing_is_not_stored(store: EventStore, export_of_streams: list[bytes]) -> None:
    """Each entry and the sum at the end are intact: only the chain shows the missing entries."""
    entry_lines = [line for line in export_of_streams[1:-1] if b'"stream":"line"' not in line]
    total = export.ExportTotal()
    for line in entry_lines:
        total.add(export._decode_entry(store, 1, line).digest)
    foot_line = msgspec.json.encode(total.foot()) + b"\n"
    with pytest.raises(DamagedError, match="the export was altered"):
        import_lines(store, [export_of_streams[0], *entry_lines, foot_line])
    assert store.streams() == []


def test_a_failed_check_keeps_an_import_from_being_stored(store: EventStore, export_of_streams: list[bytes]) -> None:
    def refuse_import(unpacked_store: EventStore) -> Never:
        assert len(unpacked_store.streams()) == 5
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        import_lines(store, export_of_streams, refuse_import)
    assert store.streams() == []


def test_a_store_with_other_games_is_left_as_it_is(store: EventStore, export_of_streams: list[bytes]) -> None:
    note(store, "names", -1, "another game")
    export_before = list(export_lines(store))
    with pytest.raises(ConflictError, match="the store has other games"):
        import_lines(store, export_of_streams)
    assert list(export_lines(store)) == export_before


def test_a_changed_byte_is_found(export_of_streams: list[bytes]) -> None:
    store = open_diary("memory:")
    for line_index, line in enumerate(export_of_streams):
        byte_index = len(line) * 3 // 4 if line_index < len(export_of_streams) - 1 else 20
        altered_line = line[:byte_index] + bytes([line[byte_index] ^ 1]) + line[byte_index + 1 :]
        with pytest.raises(DamagedError):
            import_lines(store, [*export_of_streams[:line_index], altered_line, *export_of_streams[line_index + 1 :]])
    assert store.streams() == []


def test_a_missing_line_is_found(store: EventStore, export_of_streams: list[bytes]) -> None:
    with pytest.raises((DamagedError, ConflictError)):
        import_lines(store, export_of_streams[:5] + export_of_streams[6:])


def test_lines_in_another_order_are_found(store: EventStore, export_of_streams: list[bytes]) -> None:
    with pytest.raises((DamagedError, ConflictError)):
        import_lines(
            store, [*export_of_streams[:8], export_of_streams[9], export_of_streams[8], *export_of_streams[10:]]
        )


@pytest.mark.parametrize("lines", [[], [b"My favourite games.\n"], [b'{"zim":"witness.1"}\n']])
def test_an_invalid_export_is_an_error(store: EventStore, lines: list[bytes]) -> None:
    with pytest.raises(DamagedError, match="this is not an export of a store: line 1 should be"):
        import_lines(store, lines)


def test_an_export_of_a_newer_zim_names_what_to_install(store: EventStore, export_of_streams: list[bytes]) -> None:
    newer_head = export_of_streams[0].replace(b"store.1", b"store.12").replace(b"}", b',"salt":"none"}')
    with pytest.raises(NewerError) as error:
        import_lines(store, [newer_head, *export_of_streams[1:]])
    assert str(error.value).startswith("this export needs a newer Zim: it is of the form store.12; this is Zim ")
    assert str(error.value).endswith(", which knows store.1")
    assert error.value.hints == ("pip install --upgrade great-zim",)


def test_a_stream_can_t_have_the_name_of_a_mark(store: EventStore, export_of_streams: list[bytes]) -> None:
    """Else an import could say that the store needs a newer Zim."""
    line = export_of_streams[1].replace(b'"stream":"fork"', b'"stream":" format"')
    with pytest.raises(DamagedError, match="line 2 of the export: no stream is called ' format'"):
        import_lines(store, [export_of_streams[0], line, *export_of_streams[2:]])


def test_an_empty_store_exports_two_lines(store: EventStore) -> None:
    lines = list(export_lines(store))
    assert len(lines) == 2
    assert import_lines(store, lines) == 0


def test_an_altered_entry_is_not_exported() -> None:
    store = open_diary("memory:")
    fill(store)
    stored_events = store._backend.recorder._stored_events  # type: ignore[attr-defined]
    stored_events[0] = type(stored_events[0])(
        "line", 0, stored_events[0].topic, stored_events[0].state.replace(b"set", b"let")
    )
    with pytest.raises(AlteredError):
        list(export_lines(store))


def test_input_limits_hold_while_a_file_is_read() -> None:
    def read_lines(content: bytes, **limits: int) -> list[bytes]:
        return list(lines_of(BytesIO(content), InputLimits(**limits)))

    assert read_lines(b"1\n2\n3", max_size=5, max_lines=3) == [b"1\n", b"2\n", b"3"]
    with pytest.raises(DamagedError, match="more than 4 bytes"):
        read_lines(b"1\n2\n3", max_size=4)
    with pytest.raises(DamagedError, match="more than 4 bytes"):
        read_lines(b"12345678", max_size=4)
    with pytest.raises(DamagedError, match="more than 2 lines"):
        read_lines(b"1\n2\n3", max_lines=2)
    assert read_lines(b"[" * 64 + b"]" * 64)
    with pytest.raises(DamagedError, match="line 2 is nested deeper than 64 brackets"):
        read_lines(b"[]\n" + b"[" * 65 + b"]" * 65)
    for text in (b'"' + b"[" * 99 + b'"', b'["\\\\", "' + b"[" * 99 + b'\\""]', b"[]" * 99):
        assert read_lines(text) == [text], text


def test_a_line_that_is_nested_too_deeply_is_reported(store: EventStore, export_of_streams: list[bytes]) -> None:
    deep_line = b'{"stream":"a","revision":0,"rows":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    with pytest.raises(DamagedError, match="line 2 of the export: it is nested deeper than 64 brackets"):
        import_lines(store, [export_of_streams[0], deep_line])
