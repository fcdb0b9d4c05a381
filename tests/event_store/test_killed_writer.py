"""Nothing that was acknowledged is ever lost: a writer is killed at random moments, and all is there."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from event_store import Line
from event_store.verification import verify_entries
from tests.event_store.diary import note, open_diary

REPOSITORY = Path(__file__).parents[2]
WRITER_PROGRAM = """
import sys
from tests.event_store.diary import note, open_diary

store = open_diary(sys.argv[1])
revision = max((entry.revision for entry in store.read("a")), default=-1)
while True:
    revision = note(store, "a", revision, "one", "two", "three").revision
    print(revision, flush=True)
"""


def last_revision_before_kill(url: str, seconds: float) -> int:
    """The last revision that a writer printed before it was killed."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER_PROGRAM, url], stdout=subprocess.PIPE, cwd=REPOSITORY, text=True
    )
    assert writer.stdout
    first_line = writer.stdout.readline()
    time.sleep(seconds)
    writer.kill()
    printed_lines = (first_line + writer.stdout.read()).splitlines(keepends=True)
    writer.wait()
    return int([line for line in printed_lines if line.endswith("\n")][-1])


@pytest.fixture
def tmp_path(disk_path: Path) -> Path:
    """A folder on a disk, where a killed writer leaves what it wrote."""
    return disk_path


@pytest.mark.parametrize("seed", range(3))
def test_acknowledged_entries_survive_a_kill(tmp_path: Path, seed: int) -> None:
    url = f"sqlite:///{tmp_path}/games.zim"
    random_delays = random.Random(seed)
    for _ in range(3):
        acknowledged_revision = last_revision_before_kill(url, random_delays.uniform(0, 0.15))
        with open_diary(url) as store:
            entries = list(verify_entries(store.read, Line("a")))
            assert acknowledged_revision <= entries[-1].revision <= acknowledged_revision + 4
            note(store, "a", entries[-1].revision, "one", "two", "three")
