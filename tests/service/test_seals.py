"""Seals and their places, as players meet them: rows of other games are an error, and older stores go on."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeAlias

import msgspec
import psycopg
import pytest

from event_store import Entry, EventStore, HeadMoved, archive
from event_store.archive import ArchiveEntry
from event_store.seal_places import has_place
from zimcore.documents.storage import Upgraded
from zimcore.service import GameService, StoreError, certificates, maintenance, open_service, upgrading

HERE = Path(__file__).parent
EXPORT = HERE / "before_places.jsonl"
"""A store of the version before: kilwa-7 with an undo, a fork and talk, and kairo, which is of Africana."""
CERTIFICATE = HERE / "before_places.cert"
"""Of kilwa-7/main in it."""

Sql: TypeAlias = Callable[[str], None]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store"))
    return f"sqlite:///{tmp_path}/games.db"


@pytest.fixture
def sql(url: str) -> Sql:
    """Runs a statement on the table of a store: `{events}`."""

    def run(statement: str) -> None:
        path = url.removeprefix("sqlite:///")
        if path != url:
            with closing(sqlite3.connect(path)) as file, file:
                file.execute(statement.format(events="stored_events"))
                with suppress(sqlite3.OperationalError):  # an older store has none
                    file.execute("DELETE FROM projections")
            return
        address, _, schema = url.partition("?schema=")
        with psycopg.connect(address) as server:
            server.execute(statement.format(events=f"{schema}.stored_events"))
            server.execute(f"DELETE FROM {schema}.projections")

    return run


@pytest.fixture
def old(url: str) -> str:
    """A store as the version before has left it, row by row."""
    with EventStore.open(url) as store:
        store.create()
        lines = [msgspec.json.decode(line, type=ArchiveEntry) for line in EXPORT.read_bytes().splitlines()[1:-1]]
        for line in lines:
            rows = [(line.stream, revision, *row) for revision, row in enumerate(line.rows, line.revision)]
            assert store._backend.insert(rows)
    return url


@pytest.fixture
def two_matches(url: str) -> Iterator[GameService]:
    """Two games that began alike."""
    with (service := open_service(url)).store:
        service.store.create()
        for name in ("one", "other"):
            service.new("zimbabwe", {"players": "3", "seed": "7"}, name=name, by="ann")
            for text in ("start g7", "start j7"):
                service.play(name, text, by="ann")
        yield service


def relabel(sql: Sql, was: str, now: str) -> None:
    sql(f"UPDATE {{events}} SET originator_id = '{now}' WHERE originator_id = '{was}'")


def swap(sql: Sql, one: str, other: str) -> None:
    for was, now in ((one, "aside"), (other, one), ("aside", other)):
        relabel(sql, was, now)


def is_an_error(url: str, name: str) -> None:
    """Checks that a new service on the store raises an error for every question about a game."""
    questions: list[Callable[[GameService], object]] = [
        lambda service: service.position(name),
        lambda service: service.log(name),
        lambda service: service.certificate(f"{name}/main"),
        lambda service: service.play(name, "start l9", by="ann"),
    ]
    for ask in questions:
        with (service := open_service(url)).store, pytest.raises(StoreError):
            ask(service)
    with (service := open_service(url)).store:
        assert any(audit.fault for audit in service.verify_all())
        assert service.check()


@pytest.mark.parametrize("what", ["names", "line"])
def test_two_games_that_were_swapped_are_an_error(two_matches: GameService, url: str, sql: Sql, what: str) -> None:
    """Both are complete: each row has its digest, each commit its parent."""
    games = [two_matches._lines.names(name).stream for name in ("one", "other")]
    lines = [two_matches._lines.line(name).line.stream for name in ("one", "other")]
    swap(sql, *(games if what == "names" else lines))
    for name in ("one", "other"):
        is_an_error(url, name)


def test_a_move_of_another_game_is_an_error(two_matches: GameService, url: str, sql: Sql) -> None:
    """Even if both lines came to the same state."""
    first, second = (two_matches._lines.line(name).line for name in ("one", "other"))
    begin = first.commits[first.head].rows[0][0]
    assert begin == second.commits[second.head].rows[0][0]
    sql(f"DELETE FROM {{events}} WHERE originator_id = '{first.stream}' AND originator_version >= {begin}")
    columns = "originator_version, topic, state"
    sql(
        f"INSERT INTO {{events}} (originator_id, {columns}) SELECT '{first.stream}', {columns} FROM {{events}}"
        f" WHERE originator_id = '{second.stream}' AND originator_version >= {begin}"
    )
    is_an_error(url, "one")
    with (service := open_service(url)).store:
        assert service.position("other").commit.number == 2


def test_a_store_of_before_is_read_and_played_on(old: str) -> None:
    with (service := open_service(old)).store:
        assert service.game_names() == ["kilwa-7", "kairo"]
        assert not any(audit.fault for audit in service.verify_all())
        assert [each.text for each in service.log("kilwa-7/main")][-2:] == ["bid 2", "pass"]
        service.play("kilwa-7/main", "pass", by="anna")
        service.fork("kilwa-7/main@3", "another", by="anna")
        service.say("kilwa-7", "more", by="anna")
        service.new("zimbabwe", {"players": "3"}, name="fresh", by="anna")
        assert not service.check()
        streams = {stream: has_place([*service.store.read(stream)][-1].seal) for stream in service.store.streams()}
        fresh = {service._lines.line(*place).line.stream for place in (("fresh",), ("kilwa-7", "another"))}
        assert {stream for stream, placed in streams.items() if placed} == fresh | {
            service._lines.names("fresh").stream
        }


def test_a_certificate_of_before_is_verified_and_brought_in(old: str) -> None:
    certificate = certificates.read_certificate(CERTIFICATE.read_bytes())
    assert certificates.verify(certificate).fault is None
    with (service := open_service(old)).store:
        place = service.adopt(certificate, "kilwa-7/again", by="anna")
        assert place.commit.digest == certificate.head.head
        assert not service.check()
        assert (
            certificates.write(service.certificate("kilwa-7/again")).splitlines()[1:]
            == (CERTIFICATE.read_bytes().splitlines()[1:])
        )
        service.play("kilwa-7/again", "pass", by="anna")
        assert "move" not in {each.what for each in service.operations("kilwa-7/again")}, "the head went nowhere"
        assert not service.check()


def test_a_line_brought_in_can_t_be_given_to_another(url: str, sql: Sql) -> None:
    certificate = certificates.read_certificate(CERTIFICATE.read_bytes())
    with (service := open_service(url)).store:
        service.store.create()
        for name in ("a", "b"):
            service.adopt(certificate, f"{name}/main", by="anna")
        lines = [service._lines.line(name).line.stream for name in ("a", "b")]
    swap(sql, lines[0], lines[1])
    for name in ("a", "b"):
        is_an_error(url, name)


KILL = """
import os, signal, sys
from pathlib import Path
from event_store.backends.backend import Backend
from zimcore.service import open_service, upgrading

url, backup, when, transactions = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
insert, done = Backend.insert, []

def killed(self, rows, beside=()):
    if when == "before" and len(done) == transactions:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(insert(self, rows, beside))
    if len(done) == transactions:
        os.kill(os.getpid(), signal.SIGKILL)
    return done[-1]

Backend.insert = killed
service = open_service(url)
upgrading.upgrade(service.store, service.kinds, Path(backup), "anna")
"""
"""Upgrades a store, and is killed after so many transactions, or before the next one."""


def digests(service: GameService) -> dict[str, list[bytes]]:
    return {stream: [each.digest for each in service.store.read(stream)] for stream in service.store.streams()}


def upgrade(url: str, backup: Path) -> Upgraded:
    with (service := open_service(url)).store:
        return upgrading.upgrade(service.store, service.kinds, backup, "anna")


def is_whole(service: GameService, before: dict[str, list[bytes]]) -> None:
    """Nothing is wrong with the store, and it has all digests that it had."""
    assert not service.check()
    assert [each.fault for each in service.verify_all()] == [None] * 3
    after = digests(service)
    assert {stream: after[stream][: len(each)] for stream, each in before.items()} == before


def test_a_store_of_before_is_sealed_with_place(old: str, tmp_path: Path, sql: Sql) -> None:
    with (service := open_service(old)).store:
        before, witness = digests(service), service.witness()
        assert {each.sealed for each in service.verify_all()} == {"without place"}
    report = upgrade(old, tmp_path / "before.db")
    assert report == Upgraded(str(tmp_path / "before.db"), 2, 7, ())
    with (service := open_service(old)).store:
        is_whole(service, before)
        assert {each.sealed for each in service.verify_all()} == {"with place"}
        assert {stream: len(each) - 1 for stream, each in digests(service).items()} == {
            stream: len(each) for stream, each in before.items()
        }
        assert not service.losses(witness)
        for place, text, by in (("kilwa-7/main", "pass", "anna"), ("kilwa-7/what-if", "adore eshu", "anna")):
            service.play(place, text, by=by)
        service.undo("kilwa-7/main", by="anna")
        service.fork("kilwa-7/main@2", "another", by="anna")
        service.rename("kilwa-7/another", "third", by="anna")
        service.say("kilwa-7", "played on", by="anna")
        assert [each.text for each in service.talk("kilwa-7", by="anna")] == ["well bid", "played on"]
        assert not service.check()
    assert upgrade(old, tmp_path / "again.db") == Upgraded("", 0, 0, ())
    assert not (tmp_path / "again.db").exists()
    with (service := open_service(old)).store:
        lines = [service._lines.line(*place).line.stream for place in (("kilwa-7", "main"), ("kairo", "main"))]
    swap(sql, *lines)
    for name in ("kilwa-7", "kairo"):
        is_an_error(old, name)


def test_the_backup_comes_first_and_is_never_written_over(old: str, tmp_path: Path) -> None:
    backup = tmp_path / "before.db"
    backup.write_text("of somebody else")
    with (service := open_service(old)).store:
        before = digests(service)
    with pytest.raises(StoreError, match="the file already exists"):
        upgrade(old, backup)
    assert backup.read_text() == "of somebody else"
    with (service := open_service(old)).store:
        assert digests(service) == before


@pytest.mark.parametrize(("when", "transactions"), [("after", 1), ("before", 1), ("before", 2)])
def test_killed_while_it_is_sealed_it_is_whole_and_goes_on(
    old: str, tmp_path: Path, when: str, transactions: int
) -> None:
    with (service := open_service(old)).store:
        before = digests(service)
    killed = subprocess.run(
        [sys.executable, "-c", KILL, old, str(tmp_path / "first.db"), when, str(transactions)], check=False
    )
    assert killed.returncode == -signal.SIGKILL
    with (service := open_service(old)).store:
        is_whole(service, before)
        games = {each.game: each.sealed for each in service.verify_all()}
        assert games == {"kilwa-7": "with place", "kairo": ["without place", "with place"][transactions - 1]}
    report = upgrade(old, tmp_path / "second.db")
    assert (report.games, report.left) == (2 - transactions, ())
    with (service := open_service(old)).store:
        is_whole(service, before)
        assert {each.sealed for each in service.verify_all()} == {"with place"}


def test_what_does_not_verify_stays_as_it_was(old: str, tmp_path: Path) -> None:
    with (service := open_service(old)).store as store:
        line = service._lines.line("kilwa-7", "what-if").line
        moved = HeadMoved(line.head, b"no commit of its")
        store.append(line.stream, line.revision, [moved], by="eve", at=service.log("kilwa-7")[0].at)
    report = upgrade(old, tmp_path / "before.db")
    assert [(fault.stream, "the head can't move" in fault.what) for fault in report.left] == [(line.stream, True)]
    assert (report.games, report.streams) == (2, 5), "all but that one, and the catalogue, which vouches for all"
    with (service := open_service(old)).store:
        assert {fault.stream for fault in service.check()} == {line.stream}
        assert service.position("kilwa-7/main").commit.number == 5
        assert not service.store.is_bound("games")


def test_rows_of_before_in_the_place_of_a_whole_stream_are_an_error(old: str, tmp_path: Path, sql: Sql) -> None:
    """As the backup has them: each has its digest, and none says where it belongs."""
    upgrade(old, tmp_path / "before.db")
    with (service := open_service(old)).store:
        line, other = (service._lines.line(*place).line.stream for place in (("kilwa-7", "main"), ("kairo", "main")))
    last = f"(SELECT max(originator_version) FROM {{events}} WHERE originator_id = '{line}')"
    sql(f"DELETE FROM {{events}} WHERE originator_id = '{line}' AND originator_version >= {last} - 1")
    is_an_error(old, "kilwa-7")
    with (service := open_service(old)).store:
        assert service.position("kairo").match == "kairo"
        with pytest.raises(StoreError, match="none of its seals has a place"):
            [*archive.export_lines(service.store)]
        assert {line} <= {*maintenance.save(service.store, f"sqlite:///{tmp_path}/saved.db").lost}
    sql(f"DELETE FROM {{events}} WHERE originator_id = '{line}'")
    relabel(sql, other, line)  # of another game, and bound there
    is_an_error(old, "kilwa-7")


def test_such_rows_are_not_imported(old: str, tmp_path: Path, sql: Sql) -> None:
    """What a file brings is read as it will be where it is stored."""
    upgrade(old, tmp_path / "before.db")
    with (service := open_service(old)).store:
        line = service._lines.line("kilwa-7", "main").line.stream
        lines = [each for each in service.store.all_entries() if each.stream != line]
        lines += [*service.store.read(line)][:-1]
    with EventStore.open("memory:") as forged:
        forged.codec = service.store.codec
        forged.adopt(sorted(lines, key=lambda entry: entry.revision))
        exported = [*archive.export_lines(forged)]
    with (service := open_service("memory:")).store, pytest.raises(StoreError, match="none of its seals has a place"):
        service.import_(exported, by="eve")


def test_a_store_of_before_whose_catalogue_is_lost_is_saved(old: str, tmp_path: Path, sql: Sql) -> None:
    """The catalogue is written anew, with its place: all that it leads to is bound too."""
    sql("DELETE FROM {events} WHERE originator_id = 'games' AND originator_version = 0")
    with (service := open_service(old)).store:
        assert maintenance.save(service.store, f"sqlite:///{tmp_path}/saved.db").lost == ("games",)
    with (saved := open_service(f"sqlite:///{tmp_path}/saved.db")).store:
        assert len(saved.game_names()) == 2
        assert {each.sealed for each in saved.verify_all() if not each.fault} == {"with place"}
        assert not saved.check()


@pytest.mark.parametrize("end", ["state = 'x'", "topic = 'store.sealed.9'", "originator_version = 900"])
def test_a_damage_elsewhere_makes_nothing_seem_older(two_matches: GameService, url: str, sql: Sql, end: str) -> None:
    """The parent is damaged after the fork; the fork stays bound."""
    two_matches.fork("one/main@1", "what-if", by="ann")
    line = two_matches._lines.line("one").line
    bytes_ = {"state = 'x'": "state = '\\x78'::bytea"}.get(end, end) if url.startswith("postgresql") else end
    sql(
        f"UPDATE {{events}} SET {bytes_} WHERE originator_id = '{line.stream}' AND originator_version = {line.revision}"
    )
    with (service := open_service(url)).store:
        verification = service.verify("one/what-if")
        assert verification.fault or verification.sealed == "with place"
        assert service.verify("one/main").fault


def test_a_damaged_store_is_not_touched(old: str, tmp_path: Path, sql: Sql) -> None:
    """There can be no whole backup of it."""
    with (service := open_service(old)).store:
        line = service._lines.line("kilwa-7", "what-if").line.stream
    sql(f"DELETE FROM {{events}} WHERE originator_id = '{line}' AND originator_version = 2")
    with pytest.raises(StoreError, match="was altered"):
        upgrade(old, tmp_path / "before.db")
    assert not (tmp_path / "before.db").exists()


def test_a_move_made_meanwhile_is_sealed_too(old: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adopt, tries = EventStore.adopt, list[int]()

    def played_before(self: EventStore, entries: Sequence[Entry]) -> None:
        if not tries:
            tries.append(1)
            with (other := open_service(old)).store:
                other.play("kilwa-7/main", "pass", by="anna")
        adopt(self, entries)

    monkeypatch.setattr(EventStore, "adopt", played_before)
    assert upgrade(old, tmp_path / "before.db").left == ()
    with (service := open_service(old)).store:
        assert service.position("kilwa-7/main").commit.number == 6
        assert {each.sealed for each in service.verify_all()} == {"with place"}
        assert not service.check()


def test_a_certificate_says_how_it_was_sealed(old: str, tmp_path: Path) -> None:
    def seal_verdict(certificate: certificates.Certificate) -> str:
        return certificates.verify(certificate).sealed

    assert seal_verdict(certificates.read_certificate(CERTIFICATE.read_bytes())) == "without place"
    upgrade(old, tmp_path / "before.db")
    with (service := open_service(old)).store:
        assert certificates.write(service.certificate("kilwa-7/main")) == CERTIFICATE.read_bytes()
        service.play("kilwa-7/main", "pass", by="anna")
        assert seal_verdict(service.certificate("kilwa-7/main")) == "with place from @6 on"
        service.new("zimbabwe", {"players": "3"}, name="fresh", by="anna")
        assert seal_verdict(service.certificate("fresh")) == "with place"
