"""Trust: a client checks everything it can, and remembers what a server said before."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from event_store import AlteredError, EventStore, StoreError
from tests.cli.conftest import make_zim
from tests.remote.loopback_server import KINDS, LoopbackServer, loopback_server, texts
from zimcore.documents.copies import CopyAnswer
from zimcore.game import GameError, Played
from zimcore.remote import client_files
from zimcore.remote.client_files import Memory
from zimcore.remote.connection import Connection, server_of
from zimcore.service import GameService, Position, Viewer


def test_a_server_that_goes_back_is_caught(nim: LoopbackServer, tmp_path: Path) -> None:
    ann = nim.sit("ann")
    nim.sit("ben")
    shutil.copytree(tmp_path, tmp_path / "kept", ignore=shutil.ignore_patterns("*-player", "kept", "hanna"))
    ann.play_or_raise("k", "take 3", by="ann")
    nim.stop()
    _replace_store(tmp_path)
    nim.start()
    with pytest.raises(AlteredError, match="has rewritten k/main") as error:
        ann.position("k")
    assert "you have seen" in error.value.why
    assert "it has nothing there" in error.value.why
    assert str(tmp_path / "ann-player") in error.value.hints[0]
    with pytest.raises(AlteredError, match="has rewritten k/main"):
        nim.person("ann-player").position("k")


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("others", [["take 1"], ["take 1", "take 2"], ["take 2", "take 2", "take 2"]])
def test_a_server_that_plays_anew_is_caught(
    nim: LoopbackServer, tmp_path: Path, cached: bool, others: list[str]
) -> None:
    """The remembered heads show it, even if the cache is gone."""
    ann = nim.sit("ann")
    nim.sit("ben")
    shutil.copytree(tmp_path, tmp_path / "kept", ignore=shutil.ignore_patterns("*-player", "kept", "hanna"))
    ann.play_or_raise("k", "take 3", by="ann")
    ann.position("k")
    nim.stop()
    _replace_store(tmp_path)
    with GameService(EventStore.open(f"sqlite:///{tmp_path}/games.zim"), games=KINDS).store as store:
        forged = GameService(store, games=KINDS)
        for text in others:
            forged.play_or_raise("k", text, by="mallory")
    nim.start()
    if not cached:
        shutil.rmtree(nim.folders("ann-player").cache)
    for _ in range(2):  # it is not forgotten by having been told
        with pytest.raises(AlteredError, match="has rewritten k/main"):
            nim.person("ann-player").position("k")


def _replace_store(folder: Path) -> None:
    for file in folder.glob("games.zim*"):
        file.unlink()
    for file in (folder / "kept").glob("games.zim*"):
        shutil.copy(file, folder / file.name)


class Liar(Connection):
    """A connection through an attacker who changes the server's answers."""

    def __init__(self, server: str, change: object) -> None:
        super().__init__(server)
        self.change = change

    def get(self, path: str, *words: object, **more: object):  # type: ignore[no-untyped-def]
        answered = super().get(path, *words, **more)  # type: ignore[arg-type]
        if not path.endswith("/entries") or not answered.content:
            return answered
        copy = msgspec.json.decode(answered.content, type=CopyAnswer)
        return msgspec.structs.replace(answered, content=msgspec.json.encode(self.change(copy)))  # type: ignore[operator]


def _with_row(copy: CopyAnswer, at: int, row: tuple[str, bytes]) -> CopyAnswer:
    first, *rest = copy.entries
    rows = (*first.rows[:at], row, *first.rows[at + 1 :])
    return msgspec.structs.replace(copy, entries=(msgspec.structs.replace(first, rows=rows), *rest))


LIES = {
    "another fact": lambda answer: _with_row(
        answer, 1, (answer.entries[0].rows[1][0], b"\x81\xa5event\xaeround_begun.1")
    ),
    "another seal": lambda answer: _with_row(
        answer, -1, (answer.entries[0].rows[-1][0], answer.entries[0].rows[-1][1][:-1])
    ),
    "a gap": lambda answer: msgspec.structs.replace(answer, entries=answer.entries[1:]),
    "no entries": lambda answer: msgspec.structs.replace(answer, entries=()),
    "too few": lambda answer: msgspec.structs.replace(answer, entries=answer.entries[:-1]),
    "twice": lambda answer: msgspec.structs.replace(answer, entries=(*answer.entries, answer.entries[-1])),
    "another game": lambda answer: msgspec.structs.replace(answer, game="../../k"),
    "another line": lambda answer: msgspec.structs.replace(answer, line="other"),
    "an unknown kind": lambda answer: msgspec.structs.replace(answer, kind="chess"),
    "more for ever": lambda answer: msgspec.structs.replace(answer, more=True, entries=()),
    "names that are none": lambda answer: msgspec.structs.replace(answer, lines=()),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_can_t_be_is_not_taken_in(nim: LoopbackServer, lie: str) -> None:
    nim.sit("ann")
    nim.sit("ben").play  # noqa: B018
    person = nim.person("ann-player")
    nim.service.play_or_raise("k", "take 1", by="x")
    person.connection = person.remote.connection = Liar(nim.url, LIES[lie])
    with pytest.raises((StoreError, GameError)):
        person.position("k")
    assert not [*nim.folders("ann-player").cache.rglob("*.jsonl")], "nothing of it is kept"
    person.connection = person.remote.connection = Connection(nim.url)
    assert texts(person) == ["0 set up 10", "1 take 1"]


def test_a_move_that_the_rules_forbid_is_found_by_verify_at_the_client(nim: LoopbackServer) -> None:
    ann = nim.sit("ann")
    forged = GameService(EventStore.open("memory:"), games=KINDS)
    forged.new("nim", {"seed": "7"}, name="k", by="x")
    loaded_line = forged._lines.line("k")
    from tests.nim import NimPlayed, StonesTaken, Take

    events = (NimPlayed("zed", Take(3)), StonesTaken("zed", 3000))
    forged.store.append(
        loaded_line.line.stream,
        loaded_line.line.revision,
        events,
        by="x",
        at=forged.clock(),
        parent=loaded_line.line.head,
        state=b"x",
    )
    copy = msgspec.json.decode(
        ann.connection.get("/v1/games/k/lines/main/entries", ann.remote.token("k")).content, type=CopyAnswer
    )
    from zimcore.service.copies import entry_document

    documents = tuple(
        msgspec.structs.replace(entry_document(loaded_line, entry, None), stream=copy.stream)
        for entry in forged.store.read(loaded_line.line.stream)
    )

    def change(copy: CopyAnswer) -> CopyAnswer:
        last = documents[-1]
        return msgspec.structs.replace(copy, entries=documents, revision=last.first + len(last.rows) - 1)

    ann.connection = ann.remote.connection = Liar(nim.url, change)
    assert texts(ann)[-1] == "1 take 3"
    fault = ann.verify("k").fault
    assert fault
    assert (fault.kind, fault.where.partition("@")[0]) == ("rules changed", "k/main")


def test_a_move_of_another_line_in_the_place_of_one_is_not_taken_in(nim: LoopbackServer) -> None:
    """Both moves build on the same commit: only the place in its seal says where each belongs."""
    ann = nim.sit("ann")
    nim.service.play_or_raise("k", "take 1", by="x")
    nim.service.fork("k@0", "other", by="x")
    nim.service.play_or_raise("k/other", "take 2", by="x")

    def copy_of(line: str) -> CopyAnswer:
        path = f"/v1/games/k/lines/{line}/entries"
        return msgspec.json.decode(ann.connection.get(path, ann.remote.token("k")).content, type=CopyAnswer)

    there, entry = copy_of("main"), copy_of("other").entries[-1]
    entry = msgspec.structs.replace(entry, stream=there.stream, first=there.entries[-1].first)

    def change(copy: CopyAnswer) -> CopyAnswer:
        end = entry.first + len(entry.rows) - 1
        return msgspec.structs.replace(copy, entries=(*copy.entries[:-1], entry), revision=end)

    ann.connection = ann.remote.connection = Liar(nim.url, change)
    with pytest.raises(AlteredError, match="sealed for another place"):
        ann.position("k")
    ann.connection = ann.remote.connection = Connection(nim.url)
    assert texts(ann) == ["0 set up 10", "1 take 1"]


def test_addresses_that_are_none_or_not_safe() -> None:
    assert server_of("HTTPS://Zim.example:443/") == "https://zim.example"
    assert server_of("http://127.0.0.1:8321/") == "http://127.0.0.1:8321"
    for url, why in (
        ("http://zim.example", "is not safe"),
        ("https://ann:secret@zim.example", "without a password"),
        ("https://", "not the address"),
        ("https://zim.example?x=1", "not the address"),
        ("https://zim.example:99999", "not the address"),
    ):
        with pytest.raises(StoreError, match=why) as error:
            server_of(url)
        assert "secret" not in str(error.value)


AFRICANA = {"seed": "7", "players": "2"}


def test_what_arrives_never_holds_what_a_seat_may_not_know(tmp_path: Path) -> None:
    """Not in what came, nor in memory, nor on the disk: the bytes are searched."""
    with loopback_server(tmp_path) as server:
        server.begin("africana", AFRICANA, "a")
        seats = server.service.position("a").seats
        people = {seat: server.sit(seat, "a") for seat in seats}
        for _ in range(12):
            here = server.service.position("a")
            seat = here.to_move[0]
            text = next(iter(people[seat].position("a").legal(seat).texts()))
            people[seat].play_or_raise("a", text, by=seat)
        for seat, person in people.items():
            local = server.service.log("a", viewer=Viewer(seat))
            assert [commit.events for commit in person.log("a")] == [commit.events for commit in local]
            theirs = server.service.position("a", Viewer(seat))
            assert state_without_map(person.position("a")) == state_without_map(theirs)
            secret = hidden_bytes(server, seat)
            stream = person.remote.line("a").line.stream
            memory = [content for entry in person.remote.mirror.read(stream) for _, _, content in entry.rows]
            disk = [file.read_bytes() for file in (tmp_path / f"{seat}-player").rglob("*") if file.is_file()]
            assert secret
            for content in secret:
                assert content not in memory
                import base64

                encoded = base64.b64encode(content)
                assert not any(encoded in file or content in file for file in disk)


def state_without_map(position: Position) -> dict[str, object]:
    """A state, without the map that all states share."""
    return {name: value for name, value in vars_of(position.state).items() if name != "atlas"}


def vars_of(state: msgspec.Struct) -> dict[str, object]:
    return {name: getattr(state, name) for name in state.__struct_fields__}


def hidden_bytes(house_: LoopbackServer, seat: str) -> list[bytes]:
    """The stored bytes of all events that a seat does not know as they are."""
    line = house_.service._lines.line("a")
    secrets = line.game.secrets
    assert secrets
    return [
        content
        for entry in house_.service.store.read(line.line.stream)
        for event, (_, _, content) in zip(entry.events, entry.rows, strict=True)
        if secrets.redact(event, seat) != event  # type: ignore[arg-type]
    ]


@pytest.mark.usefixtures("souk")
def test_after_the_end_everything_is_shown_and_checked(tmp_path: Path) -> None:
    """A server can't have changed a card of which it has given the digest before."""
    with loopback_server(tmp_path) as server:
        server.begin("souk", {"seed": "7"}, "s")
        seats = server.service.position("s").seats
        people = {seat: server.sit(seat, "s") for seat in seats}
        first = people[seats[0]]
        first.position("s")
        assert not first.remote.mirror.is_whole(first.remote.line("s").line.stream)
        while not server.service.position("s").outcome.over:
            here = server.service.position("s")
            seat = here.to_move[0]
            text = [*people[seat].position("s").legal(seat).texts()][-1]
            people[seat].play_or_raise("s", text, by=seat, seat=seat)
        assert first.verify("s").fault is None
        assert first.remote.mirror.is_whole(first.remote.line("s").line.stream)
        assert [c.digest for c in first.log("s")] == [c.digest for c in server.service.log("s")]
        assert isinstance(first.log("s")[0].events[0], Played)


def test_memory_is_only_the_user_s(nim: LoopbackServer) -> None:
    nim.sit("ann").position("k")
    files = [file for file in (nim.folder / "ann-player").rglob("*") if file.is_file()]
    assert files
    assert {file.stat().st_mode & 0o077 for file in files} == {0}
    memory = client_files.read_file(nim.folders("ann-player").memory(nim.url), Memory)
    assert [head.place for head in memory.heads.values()] == ["k/main"]


@pytest.mark.parametrize("where", ["originator_id = 'games' AND originator_version = 2", "topic LIKE '%game_hosted%'"])
def test_a_list_of_a_host_says_that_a_game_may_be_missing(tmp_path: Path, where: str) -> None:
    """On a damaged server a game without readable members is left out; the others are listed."""
    with loopback_server(tmp_path) as server:
        for name in ("one", "other"):
            server.begin("nim", {"seed": "7"}, name)
        server.host()
        zim = make_zim(server.person("hanna"))
        assert (zim("games").exit_code, zim("games").stdout.count("one")) == (0, 1)
        server.stop()
        server.service.store.close()
        with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as file:
            row = f"(SELECT max(rowid) FROM stored_events WHERE {where})"
            assert file.execute(f"UPDATE stored_events SET state = x'c1' WHERE rowid = {row}").rowcount == 1
            file.execute("DELETE FROM projections")
        server.start()
        result = make_zim(server.person("hanna"))("games")
        assert (result.exit_code, "a game is missing in this list" in result.stderr) == (4, True), result.output
        assert "one" in result.stdout


def test_a_game_whose_name_can_t_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        server.begin("nim", {"seed": "7"})
        server.host()
        server.stop()
        server.service.store.close()
        with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as file:
            file.execute(
                "UPDATE stored_events SET state = x'c1' WHERE originator_id = 'games' AND originator_version = 0"
            )
            file.execute("DELETE FROM projections")
        server.start()
        for words in (("show", "k"), ("log", "k"), ("verify", "k")):
            result = make_zim(server.person("hanna"))(*words)
            assert (result.exit_code, "there is no game" in result.output) == (4, False), result.output
