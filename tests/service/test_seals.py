"""Seals and their places in games: rows of other games are an error, and older stores can be played on."""

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

from event_store import Entry, EventStore, HeadMoved, export
from event_store.export import ExportEntry
from event_store.seal_places import has_place
from zimcore.documents.storage import Upgraded
from zimcore.service import GameService, StoreError, open_service
from zimcore.service.care import maintenance, upgrading
from zimcore.service.proofs import certificates

FOLDER = Path(__file__).parent
OLD_EXPORT = FOLDER / "before_places.jsonl"
"""A store of the version before: kilwa-7 with an undo, a fork and talk, and kairo, which is of Africana."""
OLD_CERTIFICATE = FOLDER / "before_places.cert"
"""A certificate of kilwa-7/main in that store."""

RunSql: TypeAlias = Callable[[str], None]


@pytest.fixture
def tmp_path(disk_path: Path) -> Path:
    """A folder on a disk, where a killed writer leaves what it wrote."""
    return disk_path


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store"))
    return f"sqlite:///{tmp_path}/games.db"


@pytest.fixture
def run_sql(url: str) -> RunSql:
    """Runs a statement on the table of a store: `{events}`."""

    def execute(statement: str) -> None:
        path = url.removeprefix("sqlite:///")
        if path != url:
            with closing(sqlite3.connect(path)) as database, database:
                database.execute(statement.format(events="stored_events"))
                with suppress(sqlite3.OperationalError):  # an older store has none
                    database.execute("DELETE FROM projections")
            return
        address, _, schema = url.partition("?schema=")
        with psycopg.connect(address) as server:
            server.execute(statement.format(events=f"{schema}.stored_events"))
            server.execute(f"DELETE FROM {schema}.projections")

    return execute


@pytest.fixture
def old_store_url(url: str) -> str:
    """The URL of a store with the rows that the version before wrote."""
    with EventStore.open(url) as store:
        store.create()
        lines = [msgspec.json.decode(line, type=ExportEntry) for line in OLD_EXPORT.read_bytes().splitlines()[1:-1]]
        for line in lines:
            rows = [(line.stream, revision, *row) for revision, row in enumerate(line.rows, line.first_revision)]
            assert store._backend.insert_rows(rows)
    return url


@pytest.fixture
def two_matches(url: str) -> Iterator[GameService]:
    """Two games with the same set-up and the same moves."""
    with (service := open_service(url)).store:
        service.store.create()
        for name in ("one", "other"):
            service.new("zimbabwe", {"players": "3", "seed": "7"}, name=name, by="ann")
            for text in ("start g7", "start j7"):
                service.play(name, text, by="ann")
        yield service


def relabel(run_sql: RunSql, old_stream: str, new_stream: str) -> None:
    run_sql(f"UPDATE {{events}} SET originator_id = '{new_stream}' WHERE originator_id = '{old_stream}'")


def swap_streams(run_sql: RunSql, first_stream: str, second_stream: str) -> None:
    for old_stream, new_stream in ((first_stream, "aside"), (second_stream, first_stream), ("aside", second_stream)):
        relabel(run_sql, old_stream, new_stream)


def check_game_is_an_error(url: str, name: str) -> None:
    """Checks that a new service on the store raises an error for every question about a game."""
    questions: list[Callable[[GameService], object]] = [
        lambda service: service.position(name),
        lambda service: service.log(name),
        lambda service: service.certificate(f"{name}/main"),
        lambda service: service.play(name, "start l9", by="ann"),
    ]
    for question in questions:
        with (service := open_service(url)).store, pytest.raises(StoreError):
            question(service)
    with (service := open_service(url)).store:
        assert any(audit.fault for audit in service.verify_all())
        assert service.check()


@pytest.mark.parametrize("swapped_part", ["names", "line"])
def test_two_swapped_games_are_an_error(two_matches: GameService, url: str, run_sql: RunSql, swapped_part: str) -> None:
    """Both are complete: each row has its digest, each commit its parent."""
    names_streams = [two_matches._repository.names(name).stream for name in ("one", "other")]
    line_streams = [two_matches._repository.line(name).line.stream for name in ("one", "other")]
    swap_streams(run_sql, *(names_streams if swapped_part == "names" else line_streams))
    for name in ("one", "other"):
        check_game_is_an_error(url, name)


def test_a_move_of_another_game_is_an_error(two_matches: GameService, url: str, run_sql: RunSql) -> None:
    """Even if both lines came to the same state."""
    first_line, second_line = (two_matches._repository.line(name).line for name in ("one", "other"))
    first_revision = first_line.commits[first_line.head].rows[0][0]
    assert first_revision == second_line.commits[second_line.head].rows[0][0]
    run_sql(
        f"DELETE FROM {{events}} WHERE originator_id = '{first_line.stream}' AND originator_version >= {first_revision}"
    )
    columns = "originator_version, topic, state"
    run_sql(
        f"INSERT INTO {{events}} (originator_id, {columns}) SELECT '{first_line.stream}', {columns} FROM {{events}}"
        f" WHERE originator_id = '{second_line.stream}' AND originator_version >= {first_revision}"
    )
    check_game_is_an_error(url, "one")
    with (service := open_service(url)).store:
        assert service.position("other").commit.number == 2


def test_an_old_store_is_read_and_played_on(old_store_url: str) -> None:
    with (service := open_service(old_store_url)).store:
        assert service.game_names() == ["kilwa-7", "kairo"]
        assert not any(audit.fault for audit in service.verify_all())
        assert [each.text for each in service.log("kilwa-7/main")][-2:] == ["bid 2", "pass"]
        service.play("kilwa-7/main", "pass", by="anna")
        service.fork("kilwa-7/main@3", "another", by="anna")
        service.say("kilwa-7", "more", by="anna")
        service.new("zimbabwe", {"players": "3"}, name="fresh", by="anna")
        assert not service.check()
        place_by_stream = {
            stream: has_place([*service.store.read(stream)][-1].seal) for stream in service.store.streams()
        }
        new_streams = {service._repository.line(*place).line.stream for place in (("fresh",), ("kilwa-7", "another"))}
        assert {stream for stream, is_placed in place_by_stream.items() if is_placed} == new_streams | {
            service._repository.names("fresh").stream
        }


def test_an_old_certificate_is_verified_and_imported(old_store_url: str) -> None:
    certificate = certificates.read_certificate(OLD_CERTIFICATE.read_bytes())
    assert certificates.verify_certificate(certificate).fault is None
    with (service := open_service(old_store_url)).store:
        place = service.adopt(certificate, "kilwa-7/again", by="anna")
        assert place.commit.digest == certificate.header.head
        assert not service.check()
        assert (
            certificates.to_bytes(service.certificate("kilwa-7/again")).splitlines()[1:]
            == (OLD_CERTIFICATE.read_bytes().splitlines()[1:])
        )
        service.play("kilwa-7/again", "pass", by="anna")
        assert "move" not in {each.what for each in service.operations("kilwa-7/again")}, "the head went nowhere"
        assert not service.check()


def test_swapped_imported_lines_are_an_error(url: str, run_sql: RunSql) -> None:
    certificate = certificates.read_certificate(OLD_CERTIFICATE.read_bytes())
    with (service := open_service(url)).store:
        service.store.create()
        for name in ("a", "b"):
            service.adopt(certificate, f"{name}/main", by="anna")
        line_streams = [service._repository.line(name).line.stream for name in ("a", "b")]
    swap_streams(run_sql, line_streams[0], line_streams[1])
    for name in ("a", "b"):
        check_game_is_an_error(url, name)


KILLED_UPGRADE = """
import os, signal, sys
from pathlib import Path
from event_store.backends.backend import Backend
from zimcore.service import open_service
from zimcore.service.care import upgrading

url, backup, when, transactions = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
insert, answers = Backend.insert_rows, []

def insert_and_kill(self, rows, projections=()):
    if when == "before" and len(answers) == transactions:
        os.kill(os.getpid(), signal.SIGKILL)
    answers.append(insert(self, rows, projections))
    if len(answers) == transactions:
        os.kill(os.getpid(), signal.SIGKILL)
    return answers[-1]

Backend.insert_rows = insert_and_kill
service = open_service(url)
upgrading.upgrade(service.store, service.kinds, Path(backup), "anna")
"""
"""Upgrades a store, and is killed after so many transactions, or before the next one."""


def digests_by_stream(service: GameService) -> dict[str, list[bytes]]:
    return {stream: [each.digest for each in service.store.read(stream)] for stream in service.store.streams()}


def upgrade_store(url: str, backup: Path) -> Upgraded:
    with (service := open_service(url)).store:
        return upgrading.upgrade(service.store, service.kinds, backup, "anna")


def check_is_whole(service: GameService, digests_before: dict[str, list[bytes]]) -> None:
    """Asserts that the store has no fault and still has all its digests."""
    assert not service.check()
    assert [each.fault for each in service.verify_all()] == [None] * 3
    digests_after = digests_by_stream(service)
    assert {
        stream: digests_after[stream][: len(digests)] for stream, digests in digests_before.items()
    } == digests_before


def test_an_upgrade_seals_an_old_store_with_places(old_store_url: str, tmp_path: Path, run_sql: RunSql) -> None:
    with (service := open_service(old_store_url)).store:
        digests_before, witness = digests_by_stream(service), service.witness()
        assert {each.sealed for each in service.verify_all()} == {"without place"}
    upgraded = upgrade_store(old_store_url, tmp_path / "before.db")
    assert upgraded == Upgraded(str(tmp_path / "before.db"), 2, 7, ())
    with (service := open_service(old_store_url)).store:
        check_is_whole(service, digests_before)
        assert {each.sealed for each in service.verify_all()} == {"with place"}
        assert {stream: len(digests) - 1 for stream, digests in digests_by_stream(service).items()} == {
            stream: len(digests) for stream, digests in digests_before.items()
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
    assert upgrade_store(old_store_url, tmp_path / "again.db") == Upgraded("", 0, 0, ())
    assert not (tmp_path / "again.db").exists()
    with (service := open_service(old_store_url)).store:
        line_streams = [
            service._repository.line(*place).line.stream for place in (("kilwa-7", "main"), ("kairo", "main"))
        ]
    swap_streams(run_sql, *line_streams)
    for name in ("kilwa-7", "kairo"):
        check_game_is_an_error(old_store_url, name)


def test_an_upgrade_makes_a_backup_first_and_overwrites_no_file(old_store_url: str, tmp_path: Path) -> None:
    backup = tmp_path / "before.db"
    backup.write_text("of somebody else")
    with (service := open_service(old_store_url)).store:
        digests_before = digests_by_stream(service)
    with pytest.raises(StoreError, match="the file already exists"):
        upgrade_store(old_store_url, backup)
    assert backup.read_text() == "of somebody else"
    with (service := open_service(old_store_url)).store:
        assert digests_by_stream(service) == digests_before


@pytest.mark.parametrize(("when", "transaction_count"), [("after", 1), ("before", 1), ("before", 2)])
def test_a_killed_upgrade_leaves_a_whole_store_and_can_be_resumed(
    old_store_url: str, tmp_path: Path, when: str, transaction_count: int
) -> None:
    with (service := open_service(old_store_url)).store:
        digests_before = digests_by_stream(service)
    process = subprocess.run(
        [sys.executable, "-c", KILLED_UPGRADE, old_store_url, str(tmp_path / "first.db"), when, str(transaction_count)],
        check=False,
    )
    assert process.returncode == -signal.SIGKILL
    with (service := open_service(old_store_url)).store:
        check_is_whole(service, digests_before)
        seals_by_game = {each.game: each.sealed for each in service.verify_all()}
        assert seals_by_game == {
            "kilwa-7": "with place",
            "kairo": ["without place", "with place"][transaction_count - 1],
        }
    report = upgrade_store(old_store_url, tmp_path / "second.db")
    assert (report.games, report.left) == (2 - transaction_count, ())
    with (service := open_service(old_store_url)).store:
        check_is_whole(service, digests_before)
        assert {each.sealed for each in service.verify_all()} == {"with place"}


def test_an_upgrade_leaves_faulty_streams_unchanged(old_store_url: str, tmp_path: Path) -> None:
    with (service := open_service(old_store_url)).store as store:
        line = service._repository.line("kilwa-7", "what-if").line
        head_move = HeadMoved(line.head, b"no commit of its")
        store.append(line.stream, line.revision, [head_move], by="eve", at=service.log("kilwa-7")[0].at)
    report = upgrade_store(old_store_url, tmp_path / "before.db")
    assert [(fault.stream, "the head can't move" in fault.what) for fault in report.left] == [(line.stream, True)]
    assert (report.games, report.streams) == (2, 5), "all but that one, and the catalogue, which vouches for all"
    with (service := open_service(old_store_url)).store:
        assert {fault.stream for fault in service.check()} == {line.stream}
        assert service.position("kilwa-7/main").commit.number == 5
        assert not service.store.is_bound("games")


def test_old_rows_in_an_upgraded_stream_are_an_error(old_store_url: str, tmp_path: Path, run_sql: RunSql) -> None:
    """The backup has such rows: each has a valid digest, and none says where it belongs."""
    upgrade_store(old_store_url, tmp_path / "before.db")
    with (service := open_service(old_store_url)).store:
        line_stream, other_line_stream = (
            service._repository.line(*place).line.stream for place in (("kilwa-7", "main"), ("kairo", "main"))
        )
    last_revision = f"(SELECT max(originator_version) FROM {{events}} WHERE originator_id = '{line_stream}')"
    run_sql(
        f"DELETE FROM {{events}} WHERE originator_id = '{line_stream}' AND originator_version >= {last_revision} - 1"
    )
    check_game_is_an_error(old_store_url, "kilwa-7")
    with (service := open_service(old_store_url)).store:
        assert service.position("kairo").match == "kairo"
        with pytest.raises(StoreError, match="its stream has no places"):
            [*export.export_lines(service.store)]
        assert {line_stream} <= {*maintenance.save_intact_streams(service.store, f"sqlite:///{tmp_path}/saved.db").lost}
    run_sql(f"DELETE FROM {{events}} WHERE originator_id = '{line_stream}'")
    relabel(run_sql, other_line_stream, line_stream)  # the rows are bound to another game
    check_game_is_an_error(old_store_url, "kilwa-7")


def test_old_rows_of_an_upgraded_stream_are_not_imported(old_store_url: str, tmp_path: Path, run_sql: RunSql) -> None:
    """An import checks places as the store will."""
    upgrade_store(old_store_url, tmp_path / "before.db")
    with (service := open_service(old_store_url)).store:
        line_stream = service._repository.line("kilwa-7", "main").line.stream
        entries = [each for each in service.store.all_entries() if each.stream != line_stream]
        entries += [*service.store.read(line_stream)][:-1]
    with EventStore.open("memory:") as forged_store:
        forged_store.codec = service.store.codec
        forged_store.adopt(sorted(entries, key=lambda entry: entry.revision))
        forged_export = [*export.export_lines(forged_store)]
    with (service := open_service("memory:")).store, pytest.raises(StoreError, match="its stream has no places"):
        service.import_(forged_export, by="eve")


def test_an_old_store_with_a_lost_catalogue_is_saved(old_store_url: str, tmp_path: Path, run_sql: RunSql) -> None:
    """The catalogue is written anew, with its place: all that it leads to is bound too."""
    run_sql("DELETE FROM {events} WHERE originator_id = 'games' AND originator_version = 0")
    with (service := open_service(old_store_url)).store:
        assert maintenance.save_intact_streams(service.store, f"sqlite:///{tmp_path}/saved.db").lost == ("games",)
    with (saved_service := open_service(f"sqlite:///{tmp_path}/saved.db")).store:
        assert len(saved_service.game_names()) == 2
        assert {each.sealed for each in saved_service.verify_all() if not each.fault} == {"with place"}
        assert not saved_service.check()


@pytest.mark.parametrize("damage", ["state = 'x'", "topic = 'store.sealed.9'", "originator_version = 900"])
def test_damage_of_a_parent_leaves_its_fork_bound(
    two_matches: GameService, url: str, run_sql: RunSql, damage: str
) -> None:
    """The parent is damaged after the fork; the fork stays bound."""
    two_matches.fork("one/main@1", "what-if", by="ann")
    line = two_matches._repository.line("one").line
    if url.startswith("postgresql") and damage == "state = 'x'":
        damage = "state = '\\x78'::bytea"
    last_row = f"originator_id = '{line.stream}' AND originator_version = {line.revision}"
    run_sql(f"UPDATE {{events}} SET {damage} WHERE {last_row}")
    with (service := open_service(url)).store:
        audit = service.verify("one/what-if")
        assert audit.fault or audit.sealed == "with place"
        assert service.verify("one/main").fault


def test_a_damaged_store_is_not_upgraded(old_store_url: str, tmp_path: Path, run_sql: RunSql) -> None:
    """A damaged store has no complete backup."""
    with (service := open_service(old_store_url)).store:
        line_stream = service._repository.line("kilwa-7", "what-if").line.stream
    run_sql(f"DELETE FROM {{events}} WHERE originator_id = '{line_stream}' AND originator_version = 2")
    with pytest.raises(StoreError, match="was altered"):
        upgrade_store(old_store_url, tmp_path / "before.db")
    assert not (tmp_path / "before.db").exists()


def test_a_move_made_during_an_upgrade_is_sealed_too(
    old_store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original_adopt, positions = EventStore.adopt, list[object]()

    def play_and_adopt(self: EventStore, entries: Sequence[Entry]) -> None:
        if not positions:
            with (other_service := open_service(old_store_url)).store:
                positions.append(other_service.play("kilwa-7/main", "pass", by="anna"))
        original_adopt(self, entries)

    monkeypatch.setattr(EventStore, "adopt", play_and_adopt)
    assert upgrade_store(old_store_url, tmp_path / "before.db").left == ()
    with (service := open_service(old_store_url)).store:
        assert service.position("kilwa-7/main").commit.number == 6
        assert {each.sealed for each in service.verify_all()} == {"with place"}
        assert not service.check()


def test_a_certificate_says_how_it_was_sealed(old_store_url: str, tmp_path: Path) -> None:
    def seal_verdict(certificate: certificates.Certificate) -> str:
        return certificates.verify_certificate(certificate).sealed

    assert seal_verdict(certificates.read_certificate(OLD_CERTIFICATE.read_bytes())) == "without place"
    upgrade_store(old_store_url, tmp_path / "before.db")
    with (service := open_service(old_store_url)).store:
        assert certificates.to_bytes(service.certificate("kilwa-7/main")) == OLD_CERTIFICATE.read_bytes()
        service.play("kilwa-7/main", "pass", by="anna")
        assert seal_verdict(service.certificate("kilwa-7/main")) == "with place from @6 on"
        service.new("zimbabwe", {"players": "3"}, name="fresh", by="anna")
        assert seal_verdict(service.certificate("fresh")) == "with place"
