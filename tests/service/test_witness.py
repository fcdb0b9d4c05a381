"""A witness kept outside shows every way to take something back, on both databases."""

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

from event_store import Draft, Entry, EventStore, HeadMoved, chain, seal_places
from tests.service.forging import forge
from tests.service.table import BEGIN, play, service_on
from tests.service.test_importing import more_taken
from zimcore.documents.storage import Loss
from zimcore.service import DamagedError, GameService, ed25519, signatures, witness
from zimcore.service.names import LineNamed, LineSwitched
from zimcore.service.witness import Witness

Rows = list[tuple[str, int, str, bytes]]


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store"))
    return f"sqlite:///{tmp_path}/games.zim"


@pytest.fixture
def two_matches(store_url: str) -> Iterator[GameService]:
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


def rows(url: str) -> Rows:
    with EventStore.open(url) as store:
        return [(stream, *row) for stream, row in store.rows()]


def replace_rows(url: str, others: Rows) -> None:
    """Replaces the rows of a store, as its owner can."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
            file.execute("DELETE FROM stored_events")
            file.execute("DELETE FROM projections")  # which know where each stream ended
            file.executemany("INSERT INTO stored_events VALUES (?,?,?,?)", others)
        return
    address, _, schema = url.partition("?schema=")
    insert = (
        f"INSERT INTO {schema}.stored_events (originator_id, originator_version, topic, state) VALUES (%s,%s,%s,%s)"
    )
    with psycopg.connect(address) as server:
        server.execute(f"DELETE FROM {schema}.stored_events")
        server.cursor().executemany(insert, others)


def kept_outside(service: GameService) -> Witness:
    """A witness, as it is read from its file."""
    return witness.read_witness(list(witness.lines_of(service.witness())))


def losses(url: str, noted: Witness) -> list[tuple[str, str]]:
    """What is lost. The store verifies: nothing but the witness shows it."""
    service = service_on(url, who="later")
    with service.store:
        assert not any(audit.fault for audit in service.verify_all())
        return [(loss.kind, loss.name) for loss in service.losses(noted)]


def test_a_store_that_went_on_has_lost_nothing(two_matches: GameService, store_url: str) -> None:
    noted = kept_outside(two_matches)
    play(two_matches, "take 1", place="nim/main")
    two_matches.undo("other", 0, by="ann")
    two_matches.new("nim", {}, name="third", by="ann")
    two_matches.switch("nim/main", by="ann")
    two_matches.forget("nim/what-if", by="ann")
    reports: list[tuple[int, int]] = []
    assert two_matches.losses(noted, lambda count, of: reports.append((count, of))) == []
    assert reports == [(n, 6) for n in range(1, 7)]
    assert losses(store_url, noted) == []


def test_a_cut_end(two_matches: GameService, store_url: str) -> None:
    line = two_matches._lines.line("nim", "main").line
    noted, last = kept_outside(two_matches), line.commits[line.head]
    replace_rows(store_url, [row for row in rows(store_url) if row[0] != line.stream or row[1] < last.rows[0][0]])
    assert losses(store_url, noted) == [("cut off", "nim/main")]


def test_an_older_copy(two_matches: GameService, store_url: str) -> None:
    before = rows(store_url)
    play(two_matches, "take 1", place="nim/main")
    play(two_matches, "take 1", place="other")
    noted = kept_outside(two_matches)
    replace_rows(store_url, before)
    assert sorted(losses(store_url, noted)) == [("cut off", "nim/main"), ("cut off", "other/main")]


def test_a_dropped_game(two_matches: GameService, store_url: str) -> None:
    noted = kept_outside(two_matches)
    streams = {two_matches._lines.names("other").stream, two_matches._lines.line("other").line.stream}
    replace_rows(
        store_url,
        [
            row
            for row in rows(store_url)
            if (row[0] not in streams and (row[0], row[1]) < ("games", 2))
            or (row[0] not in streams and row[0] != "games")
        ],
    )
    assert sorted(losses(store_url, noted)) == [
        ("cut off", "the names of all games"),
        ("gone", "other/main"),
        ("gone", "the names of other"),
    ]


def test_a_full_rewrite(two_matches: GameService, store_url: str) -> None:
    """Another history, by the rules and with fresh digests, in the place of the one that was."""
    stream, noted = two_matches._lines.line("other", "main").line.stream, kept_outside(two_matches)
    play(two_matches, "take 2", place="other")
    noted = kept_outside(two_matches)
    with EventStore.open("memory:") as store:
        liar = GameService(store, lambda: BEGIN, games=two_matches.kinds)
        liar.new("nim", {"seed": "7"}, name="other", by="ann")
        play(liar, "take 3", place="other")
        lies = [entry for entry in store.all_entries() if entry.is_commit]
        drafts = [Draft(each.events, "ann", each.seal.at, each.seal.id, each.seal.state) for each in lies]
        forged_rows = [(stream, *row) for each in store.append_all(stream, -1, drafts) for row in each.whole]
    replace_rows(store_url, [row for row in rows(store_url) if row[0] != stream] + forged_rows)
    assert losses(store_url, noted) == [("rewritten", "other/main")]


def test_a_forged_movement_of_the_head(two_matches: GameService, store_url: str) -> None:
    """The last entry's author is forged: only the digest of all entries shows it."""
    two_matches.undo("nim", by="ann")
    line, noted = two_matches._lines.line("nim", "main").line, kept_outside(two_matches)
    rewrite_movement(two_matches, store_url, line.stream, last=True)
    assert losses(store_url, noted) == [("rewritten", "nim/main")]


def test_a_forged_movement_of_the_head_that_was_played_on(two_matches: GameService, store_url: str) -> None:
    """Later entries were sealed on top of the original one."""
    line = two_matches._lines.line("nim", "main").line
    rewrite_movement(two_matches, store_url, line.stream, last=False)
    with (
        service_on(store_url, who="later").store as store,
        pytest.raises(DamagedError, match="sealed for another place"),
    ):
        list(store.read(line.stream))


def rewrite_movement(played: GameService, store_url: str, stream: str, *, last: bool) -> None:
    """Changes the author of a head move: the last one, or the first, with a valid digest and place."""
    entries = list(played.store.read(stream))
    moves = [n for n, entry in enumerate(entries) if not entry.is_commit]
    first = moves[-1 if last else 0]
    before = entries[first - 1]
    for n in [first] if last else [first, first + 1]:
        assert isinstance(entries[n].events[0], HeadMoved)
        seal = entries[n].seal
        was = entries[n]
        answers = {"by": "eve", "at": seal.at, "id": seal.id, "state": b""}
        here = seal_places.place(was.stream, before.digest)
        new = chain.seal(was.rows, parent=before.digest, **answers, salt=b"x" * 16, place=here)  # type: ignore[arg-type]
        entries[n] = before = Entry(
            was.stream, was.revision, was.rows, new, msgspec.msgpack.encode(new), played.store.codec
        )
    others = [row for row in rows(store_url) if row[0] != stream]
    replace_rows(store_url, others + [(stream, *row) for entry in entries for row in entry.whole])


def test_forged_names(two_matches: GameService, store_url: str) -> None:
    """The fork has another name than it was given."""
    names, noted, forged_rows, last = two_matches._lines.names("nim").stream, kept_outside(two_matches), list[Any](), -1
    with EventStore.open("memory:") as store:
        store.codec = two_matches.store.codec
        for entry in two_matches.store.read(names):
            events = [rename_line(event) for event in entry.events]
            fake = store.seal_entry(names, last, Draft(events, entry.seal.by, entry.seal.at, entry.seal.id))
            store.adopt([fake])
            last, forged_rows = fake.revision, [*forged_rows, *fake.whole]
    replace_rows(
        store_url, [row for row in rows(store_url) if row[0] != names] + [(names, *row) for row in forged_rows]
    )
    assert ("rewritten", "the names of nim") in losses(store_url, noted)


def rename_line(event: msgspec.Struct) -> msgspec.Struct:
    named = isinstance(event, (LineNamed, LineSwitched)) and event.name == "what-if"
    return msgspec.structs.replace(event, name="why-not") if named else event


def test_a_lost_log(tmp_path: Path) -> None:
    """What was written last is in the file beside it: a copy of the other is an older store, or an empty one."""
    path, copy = tmp_path / "games.zim", tmp_path / "copy.zim"
    service = service_on(f"sqlite:///{path}")
    with service.store:
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        noted = kept_outside(service)
        shutil.copy(path, copy)
    assert {kind for kind, _ in losses(f"sqlite:///{copy}", noted)} == {"gone"}


def test_a_witness_that_was_altered_is_reported(two_matches: GameService) -> None:
    lines = list(witness.lines_of(two_matches.witness()))
    assert witness.read_witness(lines).heads[-1].entries
    for n, line in enumerate(lines):
        for change in ([], [line.replace(b"1", b"2", 1).replace(b"a", b"b", 1)], [line, line]):
            with pytest.raises(DamagedError):
                witness.read_witness([*lines[:n], *change, *lines[n + 1 :]])
    for other in ([], [b"My games.\n"], [b'{"zim":"certificate.1"}\n']):
        with pytest.raises(DamagedError, match="this is not a witness"):
            witness.read_witness(other)


def test_who_signs_a_witness_vouches_for_it(two_matches: GameService) -> None:
    signed = signatures.sign_witness(two_matches.witness(), ed25519.new_key(), "ann")
    assert signed.signed
    read = witness.read_witness(list(witness.lines_of(signed)))
    assert read == signed
    assert signatures.is_valid_witness_signature(read, signed.signed)
    assert not signatures.is_valid_witness_signature(read, msgspec.structs.replace(signed.signed, by="eve"))
    play(two_matches, "take 1", place="nim/main")
    assert not signatures.is_valid_witness_signature(two_matches.witness(), signed.signed)


def loss_of(service: GameService, place: str, certificate: Any) -> Loss:
    loss = service.loss(place, certificate)
    assert loss
    return loss


def test_a_line_against_a_certificate(two_matches: GameService) -> None:
    whole = two_matches.certificate("nim/main")
    assert two_matches.loss("nim/main", whole) is None
    two_matches.undo("nim/main", by="ann")
    play(two_matches, "take 2", place="nim/main")
    assert two_matches.loss("nim/main", whole) is None, "what was undone is there"
    cut = service_on("memory:")
    with cut.store:
        cut.adopt(two_matches.certificate("nim/main@1"), by="ann")
        loss = loss_of(cut, "nim", whole)
        assert (loss.kind, loss.what) == ("cut off", f"it was played to @3 ({whole.head.head[:12]}), and ends with @1")
        play(cut, "take 1")
        loss = loss_of(cut, "nim", whole)
        assert (loss.kind, loss.what[:6]) == ("rewritten", "@2 was")
        cut.adopt(forge(two_matches, whole, more_taken), "forged", by="eve", as_recorded=True)
        assert loss_of(cut, "forged", whole).kind == "rewritten"
        cut.new("nim", {"stones": "9"}, name="another", by="ann")
        loss = loss_of(cut, "another", whole)
        assert (loss.kind, loss.what[-37:]) == ("rewritten", "or the certificate is of another game")
