"""A program that needs one game looks it up by the index of the catalogue, and finds what the whole catalogue says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from event_store import Entry
from event_store.codec import encode
from event_store.projections import pack_projection
from event_store.root_index import no_keys
from tests.service.nim_service import play, service_on
from zimcore.game import UnknownError
from zimcore.service import GameService
from zimcore.service.lines.line_repository import LEAST_INDEXED_GAMES, MAX_LOOKUPS
from zimcore.service.records.names import CATALOGUE


@pytest.fixture
def writer(url: str) -> Iterator[GameService]:
    """A service on a store with the games g0 to g5."""
    with (service := service_on(url)).store:
        begin_games(service, MAX_LOOKUPS + 2)
        yield service


@pytest.fixture
def reader(url: str) -> Iterator[GameService]:
    """Another program on that store, which has read nothing yet."""
    with (service := service_on(url, id_prefix="other")).store:
        yield service


@pytest.fixture
def read_streams(reader: GameService, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The streams that the other program reads, as it goes on."""
    streams, read = list[str](), reader.store.read

    def noting_read(stream: str, *arguments: Any, **options: Any) -> Iterator[Entry]:
        streams.append(stream)
        return read(stream, *arguments, **options)

    monkeypatch.setattr(reader.store, "read", noting_read)
    return streams


def begin_games(service: GameService, count: int) -> None:
    for number in range(count):
        service.new("nim", {"seed": "7"}, name=f"g{number}", by="ann")


@pytest.mark.parametrize(
    "use",
    [
        lambda service: service.position("g3"),
        lambda service: service.log("g3"),
        lambda service: service.lines("g3"),
        lambda service: service.say("g3", "well", by="ann"),
        lambda service: service.fork("g3@1", "what-if", by="ann"),
        lambda service: service.play("g3", "take 1", by="ann"),
        lambda service: service.undo("g3", by="ann"),
    ],
)
def test_one_game_is_used_without_reading_all_names(
    writer: GameService, reader: GameService, read_streams: list[str], use: Callable[[GameService], object]
) -> None:
    play(writer, "take 1", place="g3")
    use(reader)
    assert read_streams
    assert CATALOGUE not in read_streams


def test_a_program_that_goes_on_reads_all_names_once(
    writer: GameService, reader: GameService, read_streams: list[str]
) -> None:
    for number in range(MAX_LOOKUPS + 2):
        assert reader.position(f"g{number}").commit.number == 0
    assert read_streams.count(CATALOGUE) == 1
    writer.delete("g1", by="ann")
    with pytest.raises(UnknownError, match="g1 was deleted"):
        reader.play("g1", "take 1", by="ben")


def test_names_mean_what_all_entries_say(writer: GameService, url: str) -> None:
    writer.archive("g0", by="ann")
    writer.delete("g1", by="ann")
    writer.delete("g2", by="ann")
    writer.restore("g2", by="ann")
    first_stream = writer.position("g3").commit.digest
    writer.remove("g3", by="ann")
    writer.new("nim", {"seed": "8"}, name="g3", by="ann")
    for name in ("g0", "g2", "g3", "g4"):
        with (reader := service_on(url)).store:
            assert reader.position(name).commit == writer.position(name).commit
    assert writer.position("g3").commit.digest != first_stream
    with (reader := service_on(url)).store, pytest.raises(UnknownError, match="g1 was deleted") as error:
        reader.position("g1")
    assert error.value.hints == ("delete g1 --back",)


def test_a_game_that_was_looked_up_and_deleted_elsewhere_is_not_played_on(
    writer: GameService, reader: GameService
) -> None:
    reader.position("g0")
    writer.delete("g0", by="ann")
    with pytest.raises(UnknownError, match="g0 was deleted"):
        reader.play("g0", "take 1", by="ben")


def test_what_a_program_without_an_index_deletes_is_not_found(writer: GameService, url: str) -> None:
    writer.store.index_keys = no_keys
    writer.delete("g0", by="ann")
    assert not writer.store.is_indexed
    with (reader := service_on(url)).store, pytest.raises(UnknownError, match="g0 was deleted"):
        reader.position("g0")


def test_a_long_list_without_an_index_gets_one_when_it_is_read(
    writer: GameService, url: str, read_streams: list[str], reader: GameService
) -> None:
    writer.store.index_keys = no_keys
    for number in range(LEAST_INDEXED_GAMES - len(writer.game_names())):
        writer.new("nim", {"seed": "7"}, name=f"more{number}", by="ann")
    with (first_reader := service_on(url)).store:
        first_reader.position("g0")
        assert first_reader.store.is_indexed
    reader.position("more3")
    assert CATALOGUE not in read_streams


def test_an_index_that_hides_a_deletion_is_found_by_verify(writer: GameService, url: str) -> None:
    writer.delete("g0", by="ann")
    assert not any(audit.fault for audit in writer.verify_all())
    deletion = writer.store.entries_about("g0")[-1]
    forged_row = pack_projection(f" {CATALOGUE}/g0", deletion.revision, b"", encode(((0, 1),)))
    assert writer.store._backend.insert_rows([], [forged_row])
    with (reader := service_on(url)).store:
        assert reader.position("g0").commit.number == 0, "it is only a hint where to look"
    (fault,) = [audit.fault for audit in writer.verify_all() if audit.fault]
    assert fault.what == "its index has g0 wrong"
