"""Auditing many certificates at once finds one altered bit, and names its file."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from event_store import Entry
from tests.cli.conftest import TEST_GAMES, Zim, make_zim
from zimcli.proofs.certificate_files import forged_signatures_error
from zimcore.service import GameService
from zimcore.service.proofs.certificates import Signature
from zimcore.service.records.names import CATALOGUE


@pytest.fixture
def certificate_files(
    zim: Zim, run_script: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for match_name in ("a", "b", "c"):
        assert run_script(f"new {match_name}", "take 2", "take 1").exit_code == 0
        assert zim("export", match_name, "--certificate", f"{match_name}.cert").exit_code == 0
    return ["a.cert", "b.cert", "c.cert"]


def test_unaltered_certificates_verify(zim: Zim, certificate_files: list[str]) -> None:
    result = zim("verify", *certificate_files)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("✓ 3 files verify: 9 commits")


def test_one_altered_bit_is_found_and_its_file_named(zim: Zim, certificate_files: list[str]) -> None:
    certificate_bytes = bytearray(Path("b.cert").read_bytes())
    certificate_bytes[len(certificate_bytes) // 2] ^= 1
    Path("b.cert").write_bytes(certificate_bytes)
    result = zim("verify", *certificate_files, "no.cert", "--json")
    files = json.loads(result.stdout)["files"]
    assert [file["file"] for file in files if file["audit"]["fault"]] == ["b.cert", "no.cert"]
    error = json.loads(result.stderr)["error"]
    assert (result.exit_code, error["what"]) == (1, "2 of 4 files do not verify")
    assert [reason["text"].partition(":")[0] for reason in error["why"]] == ["b.cert", "no.cert"]


def test_the_error_for_forged_signatures_has_a_reason_for_each() -> None:
    signatures = [Signature(by, "", "aa", "bb") for by in ("eve", "no/name")]
    assert [reason.text for reason in forged_signatures_error(signatures).problem.why] == [
        "the key given for eve has not signed this line",
        "no/name can't be the name of a person",
    ]


def test_export_writes_a_certificate_of_every_line(zim: Zim, certificate_files: list[str]) -> None:
    assert zim("fork", "a@1", "what-if").exit_code == 0
    result = zim("export", "--certificates", "all")
    assert result.stdout == f"✓ 4 certificates are written to {Path('all').absolute()}\n"
    files = sorted(map(str, Path("all").glob("*.cert")))
    assert files == ["all/a.main.cert", "all/a.what-if.cert", "all/b.main.cert", "all/c.main.cert"]
    assert zim("verify", *files).exit_code == 0


def test_the_list_of_games_is_read_once_for_one_game(
    service: GameService, run_script: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a store of many games that list would be most of the reading."""
    assert run_script("new a", "take 2").exit_code == 0
    assert make_zim(service)("fork", "a@0", "what-if").exit_code == 0
    store, noted_reads = service.store, list[tuple[str, int]]()
    original_read = store.read

    def note_read(stream: str, after: int = -1, until: int | None = None) -> Iterator[Entry]:
        noted_reads.append((stream, after))
        return original_read(stream, after, until)

    monkeypatch.setattr(store, "read", note_read)
    result = make_zim(GameService(store, games=TEST_GAMES))("verify", "a")  # a new service, as each process has
    assert result.stdout.startswith("✓ a/what-if is as it was played")
    assert noted_reads.count((CATALOGUE, -1)) == 1


def test_commits_that_a_line_lacks_are_reported_as_lost(zim: Zim, certificate_files: list[str]) -> None:
    assert zim("verify", "a.cert", "--against", "a").exit_code == 0
    result = zim("verify", "a.cert", "--against", "b/main")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "a.cert: lost: b/main" in result.stderr
