"""Importing and verifying files that are forged, oversized, empty or no certificates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from tests.cli.conftest import Zim
from tests.cli.herd import Taken
from tests.service.forged_files import forge_certificate
from zimcli.output.errors import COMMANDS_BY_OTHER_WORD
from zimcli.shell.registry import ENTRIES_BY_NAME
from zimcore.game import Event
from zimcore.service import GameService
from zimcore.service.proofs import certificates


def inflate_taken(_: int, events: Sequence[Event]) -> Sequence[Event]:
    return [msgspec.structs.replace(event, number=1000) if isinstance(event, Taken) else event for event in events]


@pytest.fixture
def forgery(zim: Zim, service: GameService, tmp_path: Path) -> str:
    """A certificate in which 1000 cattle were taken where 2 were asked for."""
    zim("new", "kilwa-7", "herd=12")
    assert zim("do", "kilwa-7", "take 2").exit_code == 0
    path = tmp_path / "forged.cert"
    path.write_bytes(certificates.to_bytes(forge_certificate(service, service.certificate("kilwa-7"), inflate_taken)))
    return str(path)


def test_a_forged_payment_is_refused_and_stays_reported_if_taken_as_recorded(
    zim: Zim, forgery: str, tmp_path: Path
) -> None:
    refusal = zim("import", forgery, "--as", "forged")
    assert (refusal.exit_code, refusal.stdout) == (1, "")
    assert refusal.stderr.startswith("rules changed: it is not imported: kilwa-7/main@1 (")
    assert "  try: zim import FILE --as-recorded\n" in refusal.stderr
    assert [line.split()[0] for line in zim("games").stdout.splitlines()[1:]] == ["kilwa-7"]
    notice = "as recorded, not as today's rules would give it: "
    mark = f"{notice}@1 was imported by anna on 2024-05-01: fact 1 was "
    for words in (
        ("import", forgery, "--as", "forged", "--as-recorded"),
        ("show", "forged"),
        ("export", "forged", "--certificate", str(tmp_path / "again.cert")),
    ):
        result = zim(*words)
        assert (result.exit_code, mark in result.stdout) == (0, True), result.output
        assert " proves " not in result.stdout
    verify_result = zim("verify", "forged")
    assert verify_result.exit_code == 1
    assert f"{notice}forged/main@1 was imported by anna" in verify_result.stdout
    assert "as recorded · " in zim("lines", "forged").stdout
    assert notice not in zim("show", "forged@0").stdout


def test_oversized_files_are_reported(zim: Zim, tmp_path: Path) -> None:
    huge_file, deep_file = tmp_path / "huge.cert", tmp_path / "deep.cert"
    with huge_file.open("wb") as file:
        file.write(b'{"zim":"certificate.1","game":"')
        file.truncate(65 << 20)
    deep_file.write_bytes(b'{"zim":"certificate.1","game":' + b"[" * 100_000)
    for words, message in (
        (("import", str(huge_file)), "the file is too large to read"),
        (("verify", str(huge_file)), "the file is too large to read"),
        (("import", str(deep_file)), "the file can't be read\n  line 1 is nested deeper than 64 brackets"),
        (("verify", str(deep_file)), "the file can't be read\n  line 1 is nested deeper than 64 brackets"),
    ):
        result = zim(*words)
        assert (result.exit_code, result.stderr.partition(":")[0]) == (4, "store"), result.output
        assert message in result.stderr
        assert ("--any-size" in result.stderr) == (words == ("import", str(huge_file)))


def test_a_line_that_is_here_already_is_not_stored_again(zim: Zim, tmp_path: Path) -> None:
    zim("new", "kilwa-7", "herd=12")
    zim("do", "kilwa-7", "take 2")
    path = str(tmp_path / "kilwa-7.cert")
    assert zim("export", "kilwa-7", "--certificate", path).exit_code == 0
    for words in ([], ["--as", "kilwa-7"]):
        result = zim("import", path, *words)
        assert (result.exit_code, result.stdout.split()[:2]) == (0, ["kilwa-7", "main"])
        assert "all of it is here already, on kilwa-7/main" in result.stderr
    zim("do", "kilwa-7", "take 1")
    assert "is here already, on kilwa-7/main" in zim("import", path).stderr, (
        "a line with later moves contains the certificate too"
    )
    assert len(zim("lines", "kilwa-7", "--format", "csv").stdout.splitlines()) == 2
    assert zim("import", path, "--as", "kilwa-7/other").exit_code == 0, "another line was asked for"
    assert len(zim("lines", "kilwa-7", "--format", "csv").stdout.splitlines()) == 3


def test_a_certificate_is_verified_from_standard_input(zim: Zim, tmp_path: Path) -> None:
    zim("new", "kilwa-7", "herd=12")
    path = tmp_path / "kilwa-7.cert"
    zim("export", "kilwa-7", "--certificate", str(path))
    whole_text, cut_text = path.read_text("utf-8"), path.read_text("utf-8")[:-9]
    assert zim("verify", "-", stdin=whole_text).exit_code == 0
    assert zim("verify", "-", stdin=cut_text).exit_code in (1, 4)


def test_words_of_other_programs_lead_to_our_commands(zim: Zim) -> None:
    for word, command in (
        ("blame", "why"),
        ("diff", "compare"),
        ("checkout", "switch"),
        ("sweep", "try"),
        ("tags", "tag"),
    ):
        refusal = zim(word, "kilwa-7")
        assert (refusal.exit_code, f"try: zim help {command}" in refusal.stderr) == (2, True)
    assert set(COMMANDS_BY_OTHER_WORD.values()) <= set(ENTRIES_BY_NAME)
    assert not set(COMMANDS_BY_OTHER_WORD) & set(ENTRIES_BY_NAME), "no word of another program is a command of ours"


@pytest.mark.parametrize("content", [b"", b"\n"])
def test_an_empty_file_says_that_it_is_empty(zim: Zim, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.cert"
    path.write_bytes(content)
    refusal = zim("import", str(path))
    assert (refusal.exit_code, "the file is empty" in refusal.stderr) == (2, True)
    assert zim("games", "--json").stdout.count("kilwa") == 0, "nothing was stored"


@pytest.mark.parametrize(
    ("content", "reason"),
    [("", "the file is empty"), ("round 1\nkilwa built\n", "it is a text, not a"), ("{}", "it is a JSON file, not a")],
)
def test_a_file_that_is_no_certificate_is_an_error(zim: Zim, tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "prose.txt"
    path.write_text(content, "utf-8")
    for typed_name, shown_name in ((str(path), str(path)), ("-", "stdin")):
        result = zim("verify", typed_name, stdin=content)
        assert (result.exit_code, result.stderr.startswith(f"not understood: {shown_name}\n  {reason}")) == (2, True)
        assert "db " not in result.stderr, "nothing is wrong with the store"
