"""Trust: a client checks everything it can, and remembers what a server said before."""

from __future__ import annotations

import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import cast

import msgspec
import pytest

from event_store import AlteredError, EventStore, StoreError
from event_store.backends.sqlite import Pool
from event_store.store_files import opened_store
from tests.cli.conftest import make_zim
from tests.remote.loopback_server import GAMES_BY_KIND, LoopbackServer, log_lines, loopback_server
from zimcore.documents.copies import CopyAnswer
from zimcore.documents.listings import TagInfo
from zimcore.game import GameError, Played
from zimcore.remote import client_files
from zimcore.remote.client_files import Memory
from zimcore.remote.connection import Connection, server_address
from zimcore.service import GameService, Position, Viewer


def test_a_server_with_an_older_store_is_caught(nim_server: LoopbackServer, tmp_path: Path) -> None:
    ann = nim_server.sit("ann")
    nim_server.sit("ben")
    shutil.copytree(tmp_path, tmp_path / "kept", ignore=shutil.ignore_patterns("*-player", "kept", "hanna"))
    ann.play_or_raise("k", "take 3", by="ann")
    nim_server.stop()
    _replace_store(tmp_path)
    nim_server.start()
    with pytest.raises(AlteredError, match="has rewritten k/main") as error:
        ann.position("k")
    assert "you have seen" in error.value.why
    assert "it has nothing there" in error.value.why
    assert str(tmp_path / "ann-player") in error.value.hints[0]
    with pytest.raises(AlteredError, match="has rewritten k/main"):
        nim_server.person("ann-player").position("k")


@pytest.mark.parametrize("is_cached", [True, False])
@pytest.mark.parametrize("forged_moves", [["take 1"], ["take 1", "take 2"], ["take 2", "take 2", "take 2"]])
def test_a_server_with_other_moves_is_caught(
    nim_server: LoopbackServer, tmp_path: Path, is_cached: bool, forged_moves: list[str]
) -> None:
    """The remembered heads show it, even if the cache is gone."""
    ann = nim_server.sit("ann")
    nim_server.sit("ben")
    shutil.copytree(tmp_path, tmp_path / "kept", ignore=shutil.ignore_patterns("*-player", "kept", "hanna"))
    ann.play_or_raise("k", "take 3", by="ann")
    ann.position("k")
    nim_server.stop()
    _replace_store(tmp_path)
    with GameService(EventStore.open(f"sqlite:///{tmp_path}/games.zim"), games=GAMES_BY_KIND).store as store:
        forged_service = GameService(store, games=GAMES_BY_KIND)
        for text in forged_moves:
            forged_service.play_or_raise("k", text, by="mallory")
    nim_server.start()
    if not is_cached:
        shutil.rmtree(nim_server.folders("ann-player").cache)
    for _ in range(2):  # the client does not forget it after the first error
        with pytest.raises(AlteredError, match="has rewritten k/main"):
            nim_server.person("ann-player").position("k")


def test_a_check_keeps_no_copy_of_what_it_reads(nim_server: LoopbackServer) -> None:
    """From Python, too; what is played afterwards is kept again."""
    ann = nim_server.sit("ann")
    nim_server.sit("ben")
    folders = nim_server.folders("ann-player")

    def files() -> dict[Path, bytes]:
        paths = (path for folder in (folders.cache, folders.data) for path in folder.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in paths}

    before = files()
    assert ann.verify("k").fault is None
    assert files() == before
    ann.play_or_raise("k", "take 3", by="ann")
    kept = files()
    assert kept != before
    assert nim_server.person("ann-player").verify("k").fault is None
    assert files() == kept
    assert nim_server.person("ann-player").position("k").commit.number == 1


def _replace_store(folder: Path) -> None:
    """Puts the kept store in the place of the server's, which nothing in this process has open then."""
    for pool in [*opened_store(str(folder / "games.zim")).users]:
        cast(Pool, pool).close()
    for file in folder.glob("games.zim*"):
        file.unlink()
    for file in (folder / "kept").glob("games.zim*"):
        shutil.copy(file, folder / file.name)


class Liar(Connection):
    """A connection through an attacker who changes the server's answers."""

    def __init__(self, server: str, change: object) -> None:
        super().__init__(server)
        self.change = change

    def get(self, path: str, *words: object, **options: object):  # type: ignore[no-untyped-def]
        response = super().get(path, *words, **options)  # type: ignore[arg-type]
        if not path.endswith("/entries") or not response.content:
            return response
        copy_answer = msgspec.json.decode(response.content, type=CopyAnswer)
        return msgspec.structs.replace(response, content=msgspec.json.encode(self.change(copy_answer)))  # type: ignore[operator]


def replace_row(copy_answer: CopyAnswer, index: int, row: tuple[str, bytes]) -> CopyAnswer:
    first_entry, *later_entries = copy_answer.entries
    rows = (*first_entry.rows[:index], row, *first_entry.rows[index + 1 :])
    return msgspec.structs.replace(
        copy_answer, entries=(msgspec.structs.replace(first_entry, rows=rows), *later_entries)
    )


LIES = {
    "another fact": lambda copy_answer: replace_row(
        copy_answer, 1, (copy_answer.entries[0].rows[1][0], b"\x81\xa5event\xaeround_begun.1")
    ),
    "another seal": lambda copy_answer: replace_row(
        copy_answer, -1, (copy_answer.entries[0].rows[-1][0], copy_answer.entries[0].rows[-1][1][:-1])
    ),
    "a gap": lambda copy_answer: msgspec.structs.replace(copy_answer, entries=copy_answer.entries[1:]),
    "no entries": lambda copy_answer: msgspec.structs.replace(copy_answer, entries=()),
    "too few": lambda copy_answer: msgspec.structs.replace(copy_answer, entries=copy_answer.entries[:-1]),
    "twice": lambda copy_answer: msgspec.structs.replace(
        copy_answer, entries=(*copy_answer.entries, copy_answer.entries[-1])
    ),
    "another game": lambda copy_answer: msgspec.structs.replace(copy_answer, game="../../k"),
    "another line": lambda copy_answer: msgspec.structs.replace(copy_answer, line="other"),
    "an unknown kind": lambda copy_answer: msgspec.structs.replace(copy_answer, kind="chess"),
    "more for ever": lambda copy_answer: msgspec.structs.replace(copy_answer, more=True, entries=()),
    "names that are none": lambda copy_answer: msgspec.structs.replace(copy_answer, lines=()),
    "a line that a shell would run": lambda copy_answer: msgspec.structs.replace(
        copy_answer, lines=(*copy_answer.lines, msgspec.structs.replace(copy_answer.lines[0], name="$(id)"))
    ),
    "a tag that a shell would run": lambda copy_answer: msgspec.structs.replace(
        copy_answer, tags=(TagInfo("`id`", "main", 0, "00" * 16, "eve", copy_answer.begun),)
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_an_impossible_answer_is_not_accepted(nim_server: LoopbackServer, lie: str) -> None:
    nim_server.sit("ann")
    nim_server.sit("ben").play  # noqa: B018
    person = nim_server.person("ann-player")
    nim_server.service.play_or_raise("k", "take 1", by="x")
    person.connection = person.remote_lines.connection = Liar(nim_server.url, LIES[lie])
    with pytest.raises((StoreError, GameError)):
        person.position("k")
    assert not [*nim_server.folders("ann-player").cache.rglob("*.jsonl")], "the answer is not is_cached"
    person.connection = person.remote_lines.connection = Connection(nim_server.url)
    assert log_lines(person) == ["0 set up 10", "1 take 1"]


def test_a_move_that_the_rules_forbid_is_found_by_verify_at_the_client(nim_server: LoopbackServer) -> None:
    ann = nim_server.sit("ann")
    forged_service = GameService(EventStore.open("memory:"), games=GAMES_BY_KIND)
    forged_service.new("nim", {"seed": "7"}, name="k", by="x")
    loaded_line = forged_service._repository.line("k")
    from tests.nim import NimPlayed, StonesTaken, Take

    events = (NimPlayed("zed", Take(3)), StonesTaken("zed", 3000))
    forged_service.store.append(
        loaded_line.line.stream,
        loaded_line.line.revision,
        events,
        by="x",
        at=forged_service.clock(),
        parent=loaded_line.line.head,
        state=b"x",
    )
    copy_answer = msgspec.json.decode(
        ann.connection.get("/v1/games/k/lines/main/entries", ann.remote_lines.token("k")).content, type=CopyAnswer
    )
    from zimcore.service.lines.copies import entry_document

    documents = tuple(
        msgspec.structs.replace(entry_document(loaded_line, entry, None), stream=copy_answer.stream)
        for entry in forged_service.store.read(loaded_line.line.stream)
    )

    def change_answer(copy_answer: CopyAnswer) -> CopyAnswer:
        last_document = documents[-1]
        return msgspec.structs.replace(
            copy_answer, entries=documents, revision=last_document.first + len(last_document.rows) - 1
        )

    ann.connection = ann.remote_lines.connection = Liar(nim_server.url, change_answer)
    assert log_lines(ann)[-1] == "1 take 3"
    fault = ann.verify("k").fault
    assert fault
    assert (fault.kind, fault.where.partition("@")[0]) == ("rules changed", "k/main")


def test_a_move_of_another_line_is_not_accepted(nim_server: LoopbackServer) -> None:
    """Both moves build on the same commit: only the place in its seal says where each belongs."""
    ann = nim_server.sit("ann")
    nim_server.service.play_or_raise("k", "take 1", by="x")
    nim_server.service.fork("k@0", "other", by="x")
    nim_server.service.play_or_raise("k/other", "take 2", by="x")

    def fetch_copy(line: str) -> CopyAnswer:
        path = f"/v1/games/k/lines/{line}/entries"
        return msgspec.json.decode(ann.connection.get(path, ann.remote_lines.token("k")).content, type=CopyAnswer)

    main_copy, entry = fetch_copy("main"), fetch_copy("other").entries[-1]
    entry = msgspec.structs.replace(entry, stream=main_copy.stream, first=main_copy.entries[-1].first)

    def change_answer(copy_answer: CopyAnswer) -> CopyAnswer:
        revision = entry.first + len(entry.rows) - 1
        return msgspec.structs.replace(copy_answer, entries=(*copy_answer.entries[:-1], entry), revision=revision)

    ann.connection = ann.remote_lines.connection = Liar(nim_server.url, change_answer)
    with pytest.raises(AlteredError, match="sealed for another place"):
        ann.position("k")
    ann.connection = ann.remote_lines.connection = Connection(nim_server.url)
    assert log_lines(ann) == ["0 set up 10", "1 take 1"]


def test_invalid_and_unsafe_addresses_are_errors() -> None:
    assert server_address("HTTPS://Zim.example:443/") == "https://zim.example"
    assert server_address("http://127.0.0.1:8321/") == "http://127.0.0.1:8321"
    for url, reason in (
        ("http://zim.example", "is not safe"),
        ("https://ann:secret@zim.example", "without a password"),
        ("https://", "not the address"),
        ("https://zim.example?x=1", "not the address"),
        ("https://zim.example:99999", "not the address"),
    ):
        with pytest.raises(StoreError, match=reason) as error:
            server_address(url)
        assert "secret" not in str(error.value)


AFRICANA_OPTIONS = {"seed": "7", "players": "2"}


def test_a_client_never_gets_what_its_seat_may_not_know(tmp_path: Path) -> None:
    """The test searches the bytes of answers, memory and disk."""
    with loopback_server(tmp_path) as server:
        server.begin_game("africana", AFRICANA_OPTIONS, "a")
        seats = server.service.position("a").seats
        people = {seat: server.sit(seat, "a") for seat in seats}
        for _ in range(12):
            position = server.service.position("a")
            seat = position.to_move[0]
            text = next(iter(people[seat].position("a").legal(seat).texts()))
            people[seat].play_or_raise("a", text, by=seat)
        for seat, person in people.items():
            visible_commits = server.service.log("a", viewer=Viewer(seat))
            assert [commit.events for commit in person.log("a")] == [commit.events for commit in visible_commits]
            visible_position = server.service.position("a", Viewer(seat))
            assert state_without_map(person.position("a")) == state_without_map(visible_position)
            hidden_contents = hidden_bytes(server, seat)
            stream = person.remote_lines.line("a").line.stream
            cached_contents = [
                content for entry in person.remote_lines.mirror.read(stream) for _, _, content in entry.rows
            ]
            files = [file.read_bytes() for file in (tmp_path / f"{seat}-player").rglob("*") if file.is_file()]
            assert hidden_contents
            for content in hidden_contents:
                assert content not in cached_contents
                import base64

                encoded = base64.b64encode(content)
                assert not any(encoded in file or content in file for file in files)


def state_without_map(position: Position) -> dict[str, object]:
    """A state, without the map that all states share."""
    return {name: value for name, value in state_fields(position.state).items() if name != "atlas"}


def state_fields(state: msgspec.Struct) -> dict[str, object]:
    return {name: getattr(state, name) for name in state.__struct_fields__}


def hidden_bytes(server: LoopbackServer, seat: str) -> list[bytes]:
    """The stored bytes of all events that are redacted for a seat."""
    line = server.service._repository.line("a")
    secrets = line.game.secrets
    assert secrets
    return [
        content
        for entry in server.service.store.read(line.line.stream)
        for event, (_, _, content) in zip(entry.events, entry.rows, strict=True)
        if secrets.redact(event, seat) != event  # type: ignore[arg-type]
    ]


@pytest.mark.usefixtures("souk")
def test_a_client_checks_hidden_cards_after_the_end(tmp_path: Path) -> None:
    """A server gives the digest of each hidden card before, so it can't change the card."""
    with loopback_server(tmp_path) as server:
        server.begin_game("souk", {"seed": "7"}, "s")
        seats = server.service.position("s").seats
        people = {seat: server.sit(seat, "s") for seat in seats}
        first_client = people[seats[0]]
        first_client.position("s")
        assert not first_client.remote_lines.mirror.is_complete(first_client.remote_lines.line("s").line.stream)
        while not server.service.position("s").outcome.over:
            position = server.service.position("s")
            seat = position.to_move[0]
            text = [*people[seat].position("s").legal(seat).texts()][-1]
            people[seat].play_or_raise("s", text, by=seat, seat=seat)
        assert first_client.verify("s").fault is None
        assert first_client.remote_lines.mirror.is_complete(first_client.remote_lines.line("s").line.stream)
        assert [commit.digest for commit in first_client.log("s")] == [
            commit.digest for commit in server.service.log("s")
        ]
        assert isinstance(first_client.log("s")[0].events[0], Played)


def test_only_the_user_can_read_the_files_of_a_client(nim_server: LoopbackServer) -> None:
    nim_server.sit("ann").position("k")
    files = [file for file in (nim_server.folder / "ann-player").rglob("*") if file.is_file()]
    assert files
    assert {file.stat().st_mode & 0o077 for file in files} == {0}
    memory = client_files.read_file(nim_server.folders("ann-player").memory_file(nim_server.url), Memory)
    assert [head.place for head in memory.heads.values()] == ["k/main"]


@pytest.mark.parametrize(
    "condition", ["originator_id = 'games' AND originator_version = 2", "topic LIKE '%game_hosted%'"]
)
def test_a_list_of_a_host_says_that_a_game_may_be_missing(tmp_path: Path, condition: str) -> None:
    """On a damaged server a game without readable members is left out; the others are listed."""
    with loopback_server(tmp_path) as server:
        for name in ("one", "other"):
            server.begin_game("nim", {"seed": "7"}, name)
        server.host()
        zim = make_zim(server.person("hanna"))
        assert (zim("games").exit_code, zim("games").stdout.count("one")) == (0, 1)
        server.stop()
        server.service.store.close()
        with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as database:
            row = f"(SELECT max(rowid) FROM stored_events WHERE {condition})"
            assert database.execute(f"UPDATE stored_events SET state = x'c1' WHERE rowid = {row}").rowcount == 1
            database.execute("DELETE FROM projections")
        server.start()
        result = make_zim(server.person("hanna"))("games")
        assert (result.exit_code, "a game is missing in this list" in result.stderr) == (4, True), result.output
        assert "one" in result.stdout


def test_a_game_whose_name_can_t_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        server.begin_game("nim", {"seed": "7"})
        server.host()
        server.stop()
        server.service.store.close()
        with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as database:
            database.execute(
                "UPDATE stored_events SET state = x'c1' WHERE originator_id = 'games' AND originator_version = 0"
            )
            database.execute("DELETE FROM projections")
        server.start()
        for words in (("show", "k"), ("log", "k"), ("verify", "k")):
            result = make_zim(server.person("hanna"))(*words)
            assert (result.exit_code, "there is no game" in result.output) == (4, False), result.output


@pytest.mark.parametrize("words", ["verify k", "expect k 'stones == 10'", "audit moves.log --from k"])
def test_a_check_notes_nothing_of_a_server(
    nim_server: LoopbackServer, tmp_path: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forger's server that is checked twice is the same twice, and the genuine one is no rewritten one after it."""
    monkeypatch.chdir(tmp_path)
    Path("moves.log").write_text("> take 3\n")
    nim_server.redeem_link("ann-player", nim_server.link("ann"))
    shutil.copytree(tmp_path, tmp_path / "kept", ignore=shutil.ignore_patterns("*-player", "kept", "hanna"))
    for text in ("take 1", "take 2"):
        nim_server.service.play_or_raise("k", text, by="mallory")
    folder = nim_server.folder / "ann-player"
    files_before = _files_in(folder)
    results = [make_zim(nim_server.person("ann-player"))(*shlex.split(words)) for _ in range(2)]
    assert results[0].output == results[1].output
    assert _files_in(folder) == files_before
    nim_server.stop()
    _replace_store(tmp_path)
    nim_server.start()
    assert make_zim(nim_server.person("ann-player"))(*shlex.split(words)).exit_code == 0
    assert _files_in(folder) == files_before
    make_zim(nim_server.person("ann-player"))("show", "k")
    assert _files_in(folder) != files_before, "what you look at is noted"


def test_a_check_at_a_prompt_ends_with_the_check(nim_server: LoopbackServer) -> None:
    ann = nim_server.sit("ann")
    files_before = _files_in(nim_server.folder / "ann-player")
    assert make_zim(ann)("run", "-", stdin="verify k\nverify k\n").exit_code == 0
    assert _files_in(nim_server.folder / "ann-player") == files_before
    assert make_zim(ann)("run", "-", stdin="verify k\ndo k 'take 3'\n").exit_code == 0
    assert _files_in(nim_server.folder / "ann-player") != files_before


def _files_in(folder: Path) -> dict[str, bytes]:
    """The contents of the files below a folder."""
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
