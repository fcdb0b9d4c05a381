"""Within a snapshot read a stream is read once; a failed write shows the entries of other writers."""

from __future__ import annotations

from pathlib import Path

import pytest

from event_store import ConflictError
from tests.event_store.diary import note, open_diary


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_what_others_write_is_seen_in_the_next_look_or_after_a_conflict(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    url = f"sqlite:///{tmp_path}/d.db" if kind == "sqlite" else str(request.getfixturevalue("postgres_store"))
    with open_diary(url) as ours, open_diary(url) as second_diary:
        end = note(ours, "line", -1, "first").revision
        with ours.snapshot_read():
            assert list(ours.read("line", after=end)) == []
            theirs = note(second_diary, "line", end, "theirs")
            assert list(ours.read("line", after=end)) == list(ours.read_several({"line": end})["line"]) == []
            with pytest.raises(ConflictError):
                note(ours, "line", end, "too late")
            assert [entry.digest for entry in ours.read("line", after=end)] == [theirs.digest]
            mine = note(ours, "line", theirs.revision, "mine")
            assert list(ours.read("line", after=mine.revision)) == []
        last = note(second_diary, "line", mine.revision, "later")
        assert [entry.digest for entry in ours.read("line", after=mine.revision)] == [last.digest]
        with ours.snapshot_read():
            assert list(ours.read("line", after=last.revision)) == []
