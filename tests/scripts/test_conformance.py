"""`scripts/conformance` on a small recording: it agrees, it notices what differs, and it knows what it can't read."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "tests" / "data" / "recorded.jsonl"


def run_conformance(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "scripts.rules.conformance", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_recording_agrees() -> None:
    result = run_conformance(str(RECORDING))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "1 of 1 games agree, 73 steps compared",
        "13 of 13 refusals agree, 1 left out: between taking and using a specialist, which is one command of ours",
        "1 of 1 sets of legal places agree",
        "1 of 1 boards with range and hub queries agree",
    ]


@pytest.mark.parametrize(
    ("recorded_text", "altered_text", "message"),
    [
        ('"vp":2,', '"vp":3,', "recorded"),
        ('"kind":"gift_not_affordable"', '"kind":"raise_unaffordable"', "none of R-RAI-10"),
        ('"monument_cells":[[0,0],', '"monument_cells":[', "monument_cells differ"),
        ('"hubs":1', '"hubs":2', "recorded 2"),
    ],
)
def test_a_difference_is_named(recorded_text: str, altered_text: str, message: str, tmp_path: Path) -> None:
    text = RECORDING.read_text("utf-8")
    assert recorded_text in text
    altered_file = tmp_path / "altered.jsonl"
    altered_file.write_text(text.replace(recorded_text, altered_text, 1), "utf-8")
    result = run_conformance(str(altered_file))
    assert result.returncode == 1
    assert message in result.stdout


def test_a_packed_recording_is_read(tmp_path: Path) -> None:
    packed_file = tmp_path / "recorded.jsonl.gz"
    packed_file.write_bytes(gzip.compress(RECORDING.read_bytes()))
    result = run_conformance(str(packed_file))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("1 of 1 games agree")


def test_a_folder_is_read_and_a_file_that_is_no_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "recorded.jsonl").write_bytes(RECORDING.read_bytes())
    (tmp_path / "README.md").write_text("not a recording")
    assert run_conformance(str(tmp_path)).stdout.startswith("1 of 1 games agree")
    empty_folder = tmp_path / "empty"
    empty_folder.mkdir()
    assert (
        run_conformance(str(empty_folder)).stderr == f"error: {empty_folder} has no files named *.jsonl or *.jsonl.gz\n"
    )
    assert (
        f"{tmp_path / 'README.md'} is not a file of JSON lines" in run_conformance(str(tmp_path / "README.md")).stderr
    )


@pytest.mark.parametrize(
    "content",
    [b"not packed", gzip.compress(b"{}" * 9, mtime=0)[:-9], b"\x1f\x8b\x08" + bytes(9)],
    ids=["plain", "cut off", "broken"],
)
def test_a_badly_packed_file_is_refused(content: bytes, tmp_path: Path) -> None:
    packed_file = tmp_path / "recorded.jsonl.gz"
    packed_file.write_bytes(content)
    result = run_conformance(str(packed_file))
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("content", ["not json", '{"a": 1}'])
def test_a_file_without_a_recording_is_refused(content: str, tmp_path: Path) -> None:
    other_file = tmp_path / "other.jsonl"
    other_file.write_text(content, "utf-8")
    result = run_conformance(str(other_file))
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")


def test_a_game_is_printed_as_a_script() -> None:
    result = run_conformance(str(RECORDING), "--script", "mixed-2p-20040")
    assert result.returncode == 0
    assert result.stdout.splitlines()[-1].startswith("expect winner == ")
