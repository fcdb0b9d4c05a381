"""An import or a salvage that stops half way: what is shown then, and at the commands that follow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from event_store import Entry, EventStore
from tests.cli.conftest import TEST_GAMES, Zim, make_zim, open_reproducible_service
from zimcore.service import GameService
from zimcore.service.records.names import CATALOGUE

NAMES = tuple("abcdefgh")


@pytest.fixture
def source(tmp_path: Path) -> str:
    """A store with eight games, and its export in `all.jsonl`."""
    url = f"sqlite:///{tmp_path}/source.db"
    with EventStore.open(url) as store:
        zim = make_zim(open_reproducible_service(store))
        for name in NAMES:
            assert zim("new", name, "herd=12").exit_code == 0
        assert zim("export", "--jsonl", str(tmp_path / "all.jsonl")).exit_code == 0
    return url


def zim_on(url: str) -> Zim:
    """`zim` on a store, as a process of its own would open it."""
    return make_zim(GameService(EventStore.open(url), games=TEST_GAMES))


def stop_at(monkeypatch: pytest.MonkeyPatch, count: int, error: BaseException) -> None:
    """Lets that many batches be stored; then the error is raised."""
    original_adopt, counts = EventStore.adopt, iter(range(count))

    def adopt(store: EventStore, entries: Sequence[Entry]) -> None:
        if "zim-import-" not in store.url and next(counts, None) is None:
            raise error
        original_adopt(store, entries)

    monkeypatch.setattr(EventStore, "adopt", adopt)


def disk_full() -> BaseException:
    return EventStore.open("memory:")._backend.as_store_error("write to", OSError(28, "No space left on device"))


@pytest.mark.parametrize(
    ("error", "exit_code", "kind", "reason"),
    [
        (disk_full(), 4, "unfinished", "the disk is full: can't write to the store "),
        (KeyboardInterrupt(), 130, "stopped", "it was interrupted; still missing: "),
    ],
    ids=["disk full", "Ctrl-C"],
)
def test_an_import_that_stops(
    source: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    exit_code: int,
    kind: str,
    reason: str,
) -> None:
    assert source
    url, path = f"sqlite:///{tmp_path}/target.db", str(tmp_path / "all.jsonl")
    stop_at(monkeypatch, 2, error)
    result = zim_on(url)("import", path, "--as-recorded")
    monkeypatch.undo()
    assert result.exit_code == exit_code
    assert result.stderr.startswith(f"{kind}: the import stopped: 2 of 8 games are there\n  {reason}")
    assert "still missing: c, d, e, f, g and 1 more\n" in result.stderr
    assert f"zim --store {url} import {path} --as-recorded\n" in result.stderr

    note = f"the import of {path} has not come to its end: not all of it is here"
    for words, following_code in ((("games",), 4), (("show", "a"), 0), (("verify", "--all"), 1), (("db", "check"), 1)):
        result = zim_on(url)(*words)
        assert (result.exit_code, note in result.stderr) == (following_code, True), (words, result.output)
        assert f"try: zim --store {url} import {path}\n" in result.stderr
        assert ("verify: the store does not verify\n" in result.stderr) is (words == ("verify", "--all"))
    games = json.loads(zim_on(url)("games", "--json").stdout)
    assert ([game["name"] for game in games["games"]], games["unfinished"]) == (["a", "b"], note)

    again = zim_on(url)("import", path)
    assert (again.exit_code, again.stdout.splitlines()[1:]) == (
        0,
        ["  all of 8 games are there, 2 of them already before"],
    )
    once_more = json.loads(zim_on(url)("import", path, "--json").stdout)
    assert (once_more["games"], once_more["already"]) == (8, 8)
    for words in (("games",), ("verify", "--all"), ("db", "check")):
        result = zim_on(url)(*words)
        assert (result.exit_code, result.stderr) == (0, "")


def test_a_salvage_that_stops(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/saved.db"
    stop_at(monkeypatch, 6, disk_full())
    result = zim_on(source)("db", "salvage", url)
    monkeypatch.undo()
    assert result.exit_code == 4
    assert result.stderr.startswith("unfinished: the salvage stopped: 3 of 8 games are there\n  the disk is full: ")
    assert "still missing: d, e, f, g, h\n" in result.stderr
    assert f"zim --store {source} db salvage {url}\n" in result.stderr

    note = f"the salvage of {source} has not come to its end: not all of it is here"
    for words, exit_code in ((("games",), 4), (("show", "a"), 4), (("new", "x"), 4), (("verify", "--all"), 1)):
        result = zim_on(url)(*words)
        assert (result.exit_code, note in result.stderr) == (exit_code, True), (words, result.output)
        assert f"zim --store {source} db salvage {url}\n" in result.stderr

    again = zim_on(source)("--progress", "json", "db", "salvage", url)
    assert (again.exit_code, again.stdout) == (
        0,
        f"✓ 17 streams of {source} saved whole in {tmp_path}/saved.db: all of 8 games\n",
    )
    progress = [json.loads(line)["progress"] for line in again.stderr.splitlines()]
    assert progress[-1] == {"what": "saving games", "done": 8, "of": 8}
    with EventStore.open(source) as source_store, EventStore.open(url) as saved_store:
        for stream in (*source_store.streams(), CATALOGUE):
            assert [entry.digest for entry in saved_store.read(stream)] == [
                entry.digest for entry in source_store.read(stream)
            ]
    for words in (("games",), ("verify", "--all"), ("db", "check")):
        result = zim_on(url)(*words)
        assert (result.exit_code, result.stderr) == (0, "")


def test_a_mark_is_data(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file is called becomes no second command in a hint that is typed."""
    path = tmp_path / "all; rm -rf x.jsonl"
    path.write_bytes((tmp_path / "all.jsonl").read_bytes())
    stop_at(monkeypatch, 1, disk_full())
    result = zim_on(f"sqlite:///{tmp_path}/target.db")("import", str(path))
    assert f"import '{path}'\n" in result.stderr
    assert source


def test_a_full_disk_says_so_whatever_is_written(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    for words, what in (
        (("export", "--jsonl", f"{tmp_path}/x"), f"file: the disk is full: {tmp_path}/x can't be written\n"),
        (("export", "a", "--certificate", f"{tmp_path}/x"), f"file: the disk is full: {tmp_path}/x can't be written\n"),
        (("backup", f"{tmp_path}/x"), f"store: can't write the backup {tmp_path}/x\n  the disk is full\n"),
    ):
        result = zim_on(source)(*words)
        assert (result.exit_code, result.stderr.startswith(what)) == (4, True), result.output
        assert result.stderr.endswith("  try: free some space, then try again: nothing was lost\n")
        assert not (tmp_path / "x").exists()
