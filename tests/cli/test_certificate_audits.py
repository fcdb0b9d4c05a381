"""Auditing many certificates at once finds and names one altered bit."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from event_store import Entry
from tests.cli.conftest import GAMES, Zim, make_zim
from zimcore.service import GameService
from zimcore.service.names import CATALOGUE


@pytest.fixture
def certificates(zim: Zim, script: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        assert script(f"new {name}", "take 2", "take 1").exit_code == 0
        assert zim("export", name, "--certificate", f"{name}.cert").exit_code == 0
    return ["a.cert", "b.cert", "c.cert"]


def test_unaltered_certificates_verify(zim: Zim, certificates: list[str]) -> None:
    answer = zim("verify", *certificates)
    assert (answer.exit_code, answer.stderr) == (0, "")
    assert answer.stdout.startswith("✓ 3 files are as they were played: 9 commits")


def test_one_altered_bit_is_found_and_named(zim: Zim, certificates: list[str]) -> None:
    data = bytearray(Path("b.cert").read_bytes())
    data[len(data) // 2] ^= 1
    Path("b.cert").write_bytes(data)
    answer = zim("verify", *certificates, "no.cert", "--json")
    files = json.loads(answer.stdout)["files"]
    assert [each["file"] for each in files if each["audit"]["fault"]] == ["b.cert", "no.cert"]
    error = json.loads(answer.stderr)["error"]
    assert (answer.exit_code, error["what"]) == (1, "2 of 4 files do not verify")
    assert [reason["text"].partition(":")[0] for reason in error["why"]] == ["b.cert", "no.cert"]


def test_export_writes_a_certificate_of_every_line(zim: Zim, certificates: list[str]) -> None:
    assert zim("fork", "a@1", "what-if").exit_code == 0
    answer = zim("export", "--certificates", "all")
    assert answer.stdout == "✓ 4 certificates are written\n"
    files = sorted(map(str, Path("all").glob("*.cert")))
    assert files == ["all/a.main.cert", "all/a.what-if.cert", "all/b.main.cert", "all/c.main.cert"]
    assert zim("verify", *files).exit_code == 0


def test_the_list_of_games_is_read_once_for_one_game(
    service: GameService, script: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a store of many games that list would be most of the reading."""
    assert script("new a", "take 2").exit_code == 0
    assert make_zim(service)("fork", "a@0", "what-if").exit_code == 0
    store, reads = service.store, list[tuple[str, int]]()
    read = store.read

    def note_read(stream: str, after: int = -1, until: int | None = None) -> Iterator[Entry]:
        reads.append((stream, after))
        return read(stream, after, until)

    monkeypatch.setattr(store, "read", note_read)
    answer = make_zim(GameService(store, games=GAMES))("verify", "a")  # a new service, as each process has
    assert answer.stdout.startswith("✓ a/what-if is as it was played")
    assert reads.count((CATALOGUE, -1)) == 1


def test_commits_that_a_line_lacks_are_reported_as_lost(zim: Zim, certificates: list[str]) -> None:
    assert zim("verify", "a.cert", "--against", "a").exit_code == 0
    answer = zim("verify", "a.cert", "--against", "b/main")
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert "a.cert: lost: b/main" in answer.stderr
