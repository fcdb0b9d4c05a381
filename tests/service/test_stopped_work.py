"""Imports and salvages of many games that stop half way: what is there is said, and the same again goes on."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from eventsourcing.persistence import OperationalError

from event_store import ConflictError, DamagedError, Entry, EventStore
from event_store.export import export_lines
from event_store.marks import Unfinished
from tests.service.nim_service import play, service_on
from tests.service.test_league import change_league, finish_round, open_league
from zimcore.features.votes.events import VoteCast
from zimcore.service import GameService
from zimcore.service.care import maintenance
from zimcore.service.lines.visibility import Viewer
from zimcore.service.proofs.importing import ImportedGames
from zimcore.service.records.discussion import DISCUSSION_KIND, public_stream
from zimcore.service.records.memberships import GameHosted, TermsSet, TokenGiven
from zimcore.service.records.names import CATALOGUE, LEAGUE_KIND
from zimcore.service.social.standing_orders import orders_discussion
from zimcore.service.writing.many_games import StoppedError

TERMS = TermsSet(behind_moves=3, pace=3600, bank=7200)
NAMES = ("a", "b", "c", "d", "e", "f", "g")


@pytest.fixture
def seven_games() -> GameService:
    """Seven games with chat; some have more lines, and one was deleted."""
    service = service_on("memory:")
    for name in NAMES:
        service.new("nim", {"seed": "7"}, name=name, by="ann")
        play(service, "take 1", "take 2", place=name)
        service.say(name, f"hello {name}", by="ann")
    service.fork("c@1", "what-if", by="ann")
    service.delete("d", by="ann")
    return service


@pytest.fixture(params=["sqlite", "postgresql"])
def target_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return (
        str(request.getfixturevalue("postgres_store"))
        if request.param == "postgresql"
        else f"sqlite:///{tmp_path}/target.db"
    )


def fail_after(monkeypatch: pytest.MonkeyPatch, count: int, error: BaseException) -> None:
    """Lets that many games be stored, then fails."""
    original_adopt, counts = EventStore.adopt, iter(range(count))

    def adopt(store: EventStore, entries: Sequence[Entry]) -> None:
        is_of_target = "zim-import-" not in store.url and store.url != "memory:"
        if is_of_target and any(entry.stream == CATALOGUE for entry in entries) and next(counts, None) is None:
            raise error
        original_adopt(store, entries)

    monkeypatch.setattr(EventStore, "adopt", adopt)


DISK_FULL = OperationalError("database or disk is full")


@pytest.mark.parametrize("stop", [DISK_FULL, KeyboardInterrupt()], ids=["full", "Ctrl-C"])
def test_an_import_that_stops_says_what_is_there_and_goes_on(
    seven_games: GameService, target_url: str, monkeypatch: pytest.MonkeyPatch, stop: BaseException
) -> None:
    export = list(seven_games.export())
    with service_on(target_url).store as store:
        service = GameService(store, games=seven_games.kinds)
        error = store._backend.as_store_error("write to", stop) if isinstance(stop, Exception) else stop
        fail_after(monkeypatch, 3, error)
        with pytest.raises((StoppedError, KeyboardInterrupt)) as stopped:
            service.import_(export, by="cid", source="friday.jsonl")
        monkeypatch.undo()
        what, why = stopped.value.args[:2]
        assert what == "the import stopped: 3 of 7 games are there"
        assert why.endswith("; still missing: d, e, f, g")
        assert why.startswith("it was interrupted" if isinstance(stop, KeyboardInterrupt) else "the disk is full: ")

    with service_on(target_url).store as store:
        service = GameService(store, games=seven_games.kinds)
        assert [info.name for info in service.games()] == ["a", "b", "c"]
        assert [len(service.talk(name, by="ann")) for name in "abc"] == [1, 1, 1], "a game comes with its chat"
        (audit,) = (audit for audit in service.verify_all() if audit.fault)
        assert audit.fault
        assert (audit.fault.kind, "import of friday.jsonl" in audit.fault.what) == ("unfinished", True)
        assert any("import of friday.jsonl" in fault.what for fault in service.check())
        counts = list[tuple[int, int]]()
        imported = service.import_(export, lambda *each: counts.append(each), by="cid", source="friday.jsonl")
        assert imported == ImportedGames(len(export) - 2, 7, 3)
        assert [count for count in counts if count[1] == 7][-4:] == [(4, 7), (5, 7), (6, 7), (7, 7)]
        assert store.unfinished() is None
        assert list(service.export()) == export
        assert not any(audit.fault for audit in service.verify_all())
        assert service.import_(export, by="cid") == ImportedGames(len(export) - 2, 7, 7)
        assert list(service.export()) == export


def test_a_game_that_differs_is_named(seven_games: GameService, tmp_path: Path) -> None:
    export = list(seven_games.export())
    with service_on(f"sqlite:///{tmp_path}/target.db").store as store:
        service = GameService(store, games=seven_games.kinds)
        service.import_(export, by="cid")
        play(service, "take 3", place="b")
        play(seven_games, "take 1", place="b")
        rows_before = list(store.rows())
        reason = r"^nothing was imported: the store has another b: stream .* differs from revision \d+ on"
        with pytest.raises(ConflictError, match=reason):
            service.import_(seven_games.export(), by="cid")
        assert list(store.rows()) == rows_before
        assert store.unfinished() is None
    with service_on(f"sqlite:///{tmp_path}/other.db", id_prefix="other").store as store:
        service = GameService(store, games=seven_games.kinds)
        service.new("nim", {"seed": "8"}, name="b", by="cid")
        with pytest.raises(ConflictError, match=r"^nothing was imported: the store has another b: .* games "):
            service.import_(export, by="cid")


def test_an_import_of_one_game_needs_no_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one transaction: all or nothing."""
    one_game = service_on("memory:")
    one_game.new("nim", {"seed": "7"}, name="a", by="ann")
    with service_on(f"sqlite:///{tmp_path}/target.db").store as store:
        monkeypatch.setattr(EventStore, "mark_unfinished", lambda *_: pytest.fail("it was marked"))
        assert GameService(store, games=one_game.kinds).import_(one_game.export(), by="cid").games == 1


@pytest.fixture
def rich_service(tmp_path: Path) -> Iterator[GameService]:
    """A store with all that belongs to games: lines, names, tags, members, chat, votes, notes, programs, a league."""
    service = service_on(f"sqlite:///{tmp_path}/source.db")
    with service.store:
        open_league(service, "anna", "ben")
        change_league(service, "pair")
        finish_round(service)
        service.change_members("", lambda _: [TokenGiven("t", "host", "hanna", b"x" * 32)], by="hanna")
        for name in ("a", "b"):
            service.new("nim", {"seed": "7"}, name=name, by="ann")
            play(service, "take 1", "take 2", place=name)
            service.undo(name, by="ann")
            service.say(name, "for all", by="ann")
            service.say(name, "for me", own=True, by="ann")
            service.tag(f"{name}@1", "opening", by="ann")
            service.fork(f"{name}@1", "what-if", by="ann")
            service.rename(f"{name}/what-if", "tried", by="ann")
            service.want_notices(name, "mail", {"to": "ann@example.org"}, by="ann", whose="ann-id")
            service.order(name, "take 1", seat="ann", by="ann-id", viewer=Viewer("ann"))
            service.order(name, "take 2", seat="ann", by="ann-id", viewer=Viewer("ann"))
            service.change_members(name, lambda _: [GameHosted("hanna"), TERMS], by="hanna")
            service.seat_bot(f"{name}/main", "ben", "random", by="ann")
            names_stream = service._repository.find_match(name).game
            chat, vote = public_stream(names_stream), VoteCast("ann", "ben", "wait", b"h" * 16)
            service.store.append(chat, service.store.last_revision(chat), [vote], by="ann", at=service.clock())
        service.archive("b", by="ann")
        yield service


def orders_and_terms(service: GameService) -> tuple[list[str], TermsSet]:
    """The standing orders of Ann in a game, and its terms."""
    orders = service.orders("a", "ann", Viewer("ann")).orders
    return [each.text for each in orders], service.members("a").terms


def digests(store: EventStore) -> dict[str, list[bytes]]:
    """The digests of all entries, stream by stream."""
    return {stream: [entry.digest for entry in store.read(stream)] for stream in store.streams()}


def test_a_salvage_drops_nothing(rich_service: GameService, target_url: str) -> None:
    kinds = {topic.partition(".")[0] for _, (_, topic, _) in rich_service.store.rows()}
    assert kinds >= {"names", DISCUSSION_KIND, LEAGUE_KIND, "nim", "store"}
    saved = maintenance.save_intact_streams(rich_service.store, target_url)
    with service_on(target_url).store as target:
        assert orders_and_terms(GameService(target, games=rich_service.kinds)) == (["take 1", "take 2"], TERMS)
        assert digests(target) == digests(rich_service.store)
        assert list(export_lines(target)) == list(export_lines(rich_service.store))
        assert (saved.lost, sorted(saved.streams)) == ((), rich_service.store.streams())
        assert target.unfinished() is None
        witness = rich_service.witness()
        assert not list(GameService(target, games=rich_service.kinds).losses(witness))


def test_a_salvage_that_drops_chats_is_found(
    rich_service: GameService, target_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original_adopt = EventStore.adopt

    def adopt_without_chats(store: EventStore, entries: Sequence[Entry]) -> None:
        original_adopt(store, [entry for entry in entries if "." not in entry.stream])

    monkeypatch.setattr(EventStore, "adopt", adopt_without_chats)
    maintenance.save_intact_streams(rich_service.store, target_url)
    with service_on(target_url).store as target:
        missing_streams = digests(rich_service.store).keys() - digests(target).keys()
        assert missing_streams
        assert all("." in stream for stream in missing_streams)


def stop_after(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Lets that many streams be stored; then the disk is full."""
    original_adopt, counts = EventStore.adopt, iter(range(count))

    def adopt(store: EventStore, entries: Sequence[Entry]) -> None:
        if next(counts, None) is None:
            raise store._backend.as_store_error("write to", OperationalError("database or disk is full"))
        original_adopt(store, entries)

    monkeypatch.setattr(EventStore, "adopt", adopt)


@pytest.mark.parametrize("count", [0, 1, 7, 14])
def test_a_salvage_that_stops_says_so_and_goes_on(
    rich_service: GameService, target_url: str, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    stop_after(monkeypatch, count)
    with pytest.raises(StoppedError) as stopped:
        maintenance.save_intact_streams(rich_service.store, target_url)
    monkeypatch.undo()
    assert re.match(r"the salvage stopped: \d of 3 games (is|are) there: the disk is full: ", str(stopped.value))
    with service_on(target_url).store as target:
        service = GameService(target, games=rich_service.kinds)
        assert target.unfinished() == Unfinished("salvage", rich_service.store.url)
        if target.streams():
            read_or_writes: tuple[Callable[[], object], ...] = (
                lambda: service.position("a"),
                lambda: service.new("nim", {}, name="x", by="cid"),
            )
            for read_or_write in read_or_writes:
                with pytest.raises(DamagedError, match="has not come to its end") as error:
                    read_or_write()
                assert error.value.hints[0].startswith(f"zim --store {rich_service.store.url} db salvage ")
            assert "has not come to its end" in service.damaged_names()[0]
        assert "unfinished" in [audit.fault.kind for audit in service.verify_all() if audit.fault]
    counts = list[tuple[int, int]]()
    assert not maintenance.save_intact_streams(rich_service.store, target_url, lambda *each: counts.append(each)).lost
    assert counts == [(0, 3), (1, 3), (2, 3), (3, 3)]
    with service_on(target_url).store as target:
        assert digests(target) == digests(rich_service.store)
        assert target.unfinished() is None
    with pytest.raises(ConflictError, match="is not empty") as refusal:
        maintenance.save_intact_streams(rich_service.store, target_url)
    assert refusal.value.hints[0] == f"zim --store {shlex.quote(target_url)} verify --all"


@pytest.mark.parametrize("count", [3, 9, 12])
def test_what_is_written_again_is_written_once(
    rich_service: GameService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Damaged names, chats and the list of games are not copied but written again, whatever had been done before."""
    game = rich_service._repository.find_match("a").game
    orders = orders_discussion(rich_service._repository, "a", "ann").stream
    with closing(sqlite3.connect(tmp_path / "source.db", isolation_level=None)) as database:
        for stream in (game, public_stream(game), orders, CATALOGUE):
            database.execute(
                "UPDATE stored_events SET state = x'c1' WHERE originator_id = ? AND originator_version ="
                " (SELECT max(originator_version) - 1 FROM stored_events WHERE originator_id = ?)",
                (stream, stream),
            )
    events_of_urls = list[dict[str, list[object]]]()
    for name in ("at once", "stopped"):
        url = f"sqlite:///{tmp_path}/{name}.db"
        if name == "stopped":
            stop_after(monkeypatch, count)
            with pytest.raises(StoppedError):
                maintenance.save_intact_streams(rich_service.store, url)
            monkeypatch.undo()
        saved = maintenance.save_intact_streams(rich_service.store, url)
        assert sorted(saved.lost) == sorted([game, public_stream(game), orders, CATALOGUE])
        with service_on(url).store as target:
            service = GameService(target, games=rich_service.kinds)
            service.games()
            assert orders_and_terms(service) == (["take 1"], TERMS), "the last entry is the second order"
            streams = target.streams()
            events_of_urls.append({stream: [entry.events for entry in target.read(stream)] for stream in streams})
    assert events_of_urls[0] == events_of_urls[1]
