"""A witness file kept elsewhere reveals every removed or rewritten entry, on SQLite and PostgreSQL."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from event_store import Draft, Entry, EventStore, HeadMoved, NewerError, chain, seal_places
from tests.service.forged_files import forge_certificate
from tests.service.nim_service import FIRST_TIME, play, service_on
from tests.service.test_importing import take_one_less
from zimcore.documents.storage import Loss
from zimcore.service import DamagedError, GameService
from zimcore.service.proofs import signatures, witness
from zimcore.service.proofs.witness import Witness
from zimcore.service.records import ed25519
from zimcore.service.records.names import LineNamed, LineSwitched

StoredRows = list[tuple[str, int, str, bytes]]


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store"))
    return f"sqlite:///{tmp_path}/games.zim"


@pytest.fixture
def service(store_url: str) -> Iterator[GameService]:
    """Two games; in the first the head was moved back twice, and then played on."""
    service = service_on(store_url)
    with service.store:
        for name in ("nim", "other"):
            service.new("nim", {"seed": "7"}, name=name, by="ann")
        play(service, "take 1", "take 3", "take 3")
        service.undo("nim", 2, by="ann")
        service.redo("nim", by="ann")
        play(service, "take 1")
        service.fork("nim@1", "what-if", by="ann")
        yield service


def stored_rows(url: str) -> StoredRows:
    with EventStore.open(url) as store:
        return [(stream, *row) for stream, row in store.rows()]


def replace_rows(url: str, new_rows: StoredRows) -> None:
    """Replaces the rows of a store, as its owner can."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as database:
            database.execute("DELETE FROM stored_events")
            database.execute("DELETE FROM projections")  # projections store where each stream ended
            database.executemany("INSERT INTO stored_events VALUES (?,?,?,?)", new_rows)
        return
    address, _, schema = url.partition("?schema=")
    insert_statement = (
        f"INSERT INTO {schema}.stored_events (originator_id, originator_version, topic, state) VALUES (%s,%s,%s,%s)"
    )
    with psycopg.connect(address) as database:
        database.execute(f"DELETE FROM {schema}.stored_events")
        database.cursor().executemany(insert_statement, new_rows)


def reread_witness(service: GameService) -> Witness:
    """A witness of the store, after encoding and decoding."""
    return witness.read_witness(list(witness.lines_of(service.witness())))


def losses_found(url: str, old_witness: Witness) -> list[tuple[str, str]]:
    """The losses of a store without faults: only the witness shows them."""
    service = service_on(url, id_prefix="later")
    with service.store:
        assert not any(audit.fault for audit in service.verify_all())
        return [(loss.kind, loss.name) for loss in service.losses(old_witness)]


def test_a_store_that_was_played_on_has_no_losses(service: GameService, store_url: str) -> None:
    old_witness = reread_witness(service)
    play(service, "take 1", place="nim/main")
    service.undo("other", 0, by="ann")
    service.new("nim", {}, name="third", by="ann")
    service.switch("nim/main", by="ann")
    service.forget("nim/what-if", by="ann")
    reports: list[tuple[int, int]] = []
    assert service.losses(old_witness, lambda done, total: reports.append((done, total))) == []
    assert reports == [(number, 6) for number in range(1, 7)]
    assert losses_found(store_url, old_witness) == []


def test_a_cut_off_end_is_a_loss(service: GameService, store_url: str) -> None:
    line = service._repository.line("nim", "main").line
    old_witness, last_commit = reread_witness(service), line.commits[line.head]
    replace_rows(
        store_url, [row for row in stored_rows(store_url) if row[0] != line.stream or row[1] < last_commit.rows[0][0]]
    )
    assert losses_found(store_url, old_witness) == [("cut off", "nim/main")]


def test_an_older_copy_is_a_loss(service: GameService, store_url: str) -> None:
    rows_before = stored_rows(store_url)
    play(service, "take 1", place="nim/main")
    play(service, "take 1", place="other")
    old_witness = reread_witness(service)
    replace_rows(store_url, rows_before)
    assert sorted(losses_found(store_url, old_witness)) == [("cut off", "nim/main"), ("cut off", "other/main")]


def test_a_dropped_game_is_a_loss(service: GameService, store_url: str) -> None:
    old_witness = reread_witness(service)
    streams = {service._repository.names("other").stream, service._repository.line("other").line.stream}
    replace_rows(
        store_url,
        [row for row in stored_rows(store_url) if row[0] not in streams and (row[0] != "games" or row[1] < 2)],
    )
    assert sorted(losses_found(store_url, old_witness)) == [
        ("cut off", "the names of all games"),
        ("gone", "other/main"),
        ("gone", "the names of other"),
    ]


def test_a_rewritten_line_is_a_loss(service: GameService, store_url: str) -> None:
    """Another history, by the rules and with fresh digests, in the place of the one that was."""
    stream = service._repository.line("other", "main").line.stream
    play(service, "take 2", place="other")
    old_witness = reread_witness(service)
    with EventStore.open("memory:") as store:
        forging_service = GameService(store, lambda: FIRST_TIME, games=service.kinds)
        forging_service.new("nim", {"seed": "7"}, name="other", by="ann")
        play(forging_service, "take 3", place="other")
        forged_entries = [entry for entry in store.all_entries() if entry.is_commit]
        drafts = [Draft(each.events, "ann", each.seal.at, each.seal.id, each.seal.state) for each in forged_entries]
        forged_rows = [(stream, *row) for entry in store.append_all(stream, -1, drafts) for row in entry.all_rows]
    replace_rows(store_url, [row for row in stored_rows(store_url) if row[0] != stream] + forged_rows)
    assert losses_found(store_url, old_witness) == [("rewritten", "other/main")]


def test_a_forged_last_head_move_is_a_loss(service: GameService, store_url: str) -> None:
    """The last entry's author is forged: only the digest of all entries shows it."""
    service.undo("nim", by="ann")
    line, old_witness = service._repository.line("nim", "main").line, reread_witness(service)
    forge_head_move_author(service, store_url, line.stream, is_last=True)
    assert losses_found(store_url, old_witness) == [("rewritten", "nim/main")]


def test_a_forged_head_move_before_later_entries_is_damage(service: GameService, store_url: str) -> None:
    """Later entries were sealed on top of the original one."""
    line = service._repository.line("nim", "main").line
    forge_head_move_author(service, store_url, line.stream, is_last=False)
    with (
        service_on(store_url, id_prefix="later").store as store,
        pytest.raises(DamagedError, match="sealed for another place"),
    ):
        list(store.read(line.stream))


def forge_head_move_author(service: GameService, store_url: str, stream: str, *, is_last: bool) -> None:
    """Changes the author of a head move: the last one, or the first, with a valid digest and place.

    After the first one the next head move is sealed anew, too, so that only later entries show the forgery.
    """
    entries = list(service.store.read(stream))
    head_move_numbers = [number for number, entry in enumerate(entries) if isinstance(entry.events[0], HeadMoved)]
    previous_entry = entries[head_move_numbers[-1 if is_last else 0] - 1]
    for number in head_move_numbers[-1:] if is_last else head_move_numbers[:2]:
        original_entry = entries[number]
        seal = original_entry.seal
        new_seal = chain.make_seal(
            original_entry.rows,
            parent=previous_entry.digest,
            by="eve",
            at=seal.at,
            id=seal.id,
            state=b"",
            salt=b"x" * 16,
            place=seal_places.place_after(original_entry.stream, previous_entry.digest),
        )
        entries[number] = previous_entry = Entry(
            original_entry.stream,
            original_entry.revision,
            original_entry.rows,
            new_seal,
            msgspec.msgpack.encode(new_seal),
            service.store.codec,
        )
    other_rows = [row for row in stored_rows(store_url) if row[0] != stream]
    replace_rows(store_url, other_rows + [(stream, *row) for entry in entries for row in entry.all_rows])


def test_forged_names_are_a_loss(service: GameService, store_url: str) -> None:
    """The owner of the store gives a fork another name in the old entries."""
    names_stream = service._repository.names("nim").stream
    old_witness = reread_witness(service)
    forged_rows = list[Any]()
    last_revision = -1
    with EventStore.open("memory:") as store:
        store.codec = service.store.codec
        for entry in service.store.read(names_stream):
            events = [rename_line(event) for event in entry.events]
            forged_entry = store.seal_entry(
                names_stream, last_revision, Draft(events, entry.seal.by, entry.seal.at, entry.seal.id)
            )
            store.adopt([forged_entry])
            last_revision, forged_rows = forged_entry.revision, [*forged_rows, *forged_entry.all_rows]
    other_rows = [row for row in stored_rows(store_url) if row[0] != names_stream]
    replace_rows(store_url, other_rows + [(names_stream, *row) for row in forged_rows])
    assert ("rewritten", "the names of nim") in losses_found(store_url, old_witness)


def rename_line(event: msgspec.Struct) -> msgspec.Struct:
    has_the_name = isinstance(event, (LineNamed, LineSwitched)) and event.name == "what-if"
    return msgspec.structs.replace(event, name="why-not") if has_the_name else event


def test_a_lost_write_ahead_log_is_a_loss(tmp_path: Path) -> None:
    """The last moves are in SQLite's write-ahead log: a copy of the database file alone is an older or empty store."""
    path, copy_path = tmp_path / "games.zim", tmp_path / "copy.zim"
    service = service_on(f"sqlite:///{path}")
    with service.store:
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        old_witness = reread_witness(service)
        shutil.copy(path, copy_path)
    assert {kind for kind, _ in losses_found(f"sqlite:///{copy_path}", old_witness)} == {"gone"}


def test_a_witness_that_was_altered_is_reported(service: GameService) -> None:
    lines = list(witness.lines_of(service.witness()))
    assert witness.read_witness(lines).heads[-1].entries
    for number, line in enumerate(lines):
        for new_lines in ([], [line.replace(b"1", b"2", 1).replace(b"a", b"b", 1)], [line, line]):
            with pytest.raises((DamagedError, NewerError)):
                witness.read_witness([*lines[:number], *new_lines, *lines[number + 1 :]])
    for other_lines in ([], [b"My games.\n"], [b'{"zim":"certificate.1"}\n']):
        with pytest.raises(DamagedError, match="this is not a witness"):
            witness.read_witness(other_lines)


def test_a_signature_of_a_witness_covers_its_heads(service: GameService) -> None:
    signed_witness = signatures.sign_witness(service.witness(), ed25519.new_key(), "ann")
    assert signed_witness.signature
    read_witness = witness.read_witness(list(witness.lines_of(signed_witness)))
    assert read_witness == signed_witness
    assert signatures.is_valid_witness_signature(read_witness, signed_witness.signature)
    assert not signatures.is_valid_witness_signature(
        read_witness, msgspec.structs.replace(signed_witness.signature, by="eve")
    )
    play(service, "take 1", place="nim/main")
    assert not signatures.is_valid_witness_signature(service.witness(), signed_witness.signature)


def loss_of(service: GameService, place: str, certificate: Any) -> Loss:
    loss = service.loss(place, certificate)
    assert loss
    return loss


def test_a_line_that_lacks_moves_of_a_certificate_has_a_loss(service: GameService) -> None:
    certificate = service.certificate("nim/main")
    assert service.loss("nim/main", certificate) is None
    service.undo("nim/main", by="ann")
    play(service, "take 2", place="nim/main")
    assert service.loss("nim/main", certificate) is None, "undone moves are still there"
    short_service = service_on("memory:")
    with short_service.store:
        short_service.adopt(service.certificate("nim/main@1"), by="ann")
        loss = loss_of(short_service, "nim", certificate)
        assert (loss.kind, loss.what) == (
            "cut off",
            f"it was played to @3 ({certificate.header.head[:12]}), and ends with @1",
        )
        play(short_service, "take 1")
        loss = loss_of(short_service, "nim", certificate)
        assert (loss.kind, loss.what[:6]) == ("rewritten", "@2 was")
        short_service.adopt(
            forge_certificate(service, certificate, take_one_less), "forged", by="eve", as_recorded=True
        )
        assert loss_of(short_service, "forged", certificate).kind == "rewritten"
        short_service.new("nim", {"stones": "9"}, name="another", by="ann")
        loss = loss_of(short_service, "another", certificate)
        assert (loss.kind, loss.what[-37:]) == ("rewritten", "or the certificate is of another game")
