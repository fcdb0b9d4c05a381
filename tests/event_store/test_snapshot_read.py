"""Within a snapshot read a stream is read once; a failed write shows the entries of other writers."""

from __future__ import annotations

from pathlib import Path

import pytest

from event_store import ConflictError
from tests.event_store.diary import note, open_diary


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_entries_of_others_are_seen_in_the_next_snapshot_read_or_after_a_conflict(
    request: pytest.FixtureRequest, tmp_path: Path, backend: str
) -> None:
    url = f"sqlite:///{tmp_path}/d.db" if backend == "sqlite" else str(request.getfixturevalue("postgres_store"))
    with open_diary(url) as our_store, open_diary(url) as their_store:
        end_revision = note(our_store, "line", -1, "first").revision
        with our_store.snapshot_read():
            assert list(our_store.read("line", after=end_revision)) == []
            their_entry = note(their_store, "line", end_revision, "theirs")
            assert (
                list(our_store.read("line", after=end_revision))
                == list(our_store.read_streams({"line": end_revision})["line"])
                == []
            )
            with pytest.raises(ConflictError):
                note(our_store, "line", end_revision, "too late")
            assert [entry.digest for entry in our_store.read("line", after=end_revision)] == [their_entry.digest]
            our_entry = note(our_store, "line", their_entry.revision, "mine")
            assert list(our_store.read("line", after=our_entry.revision)) == []
        later_entry = note(their_store, "line", our_entry.revision, "later")
        assert [entry.digest for entry in our_store.read("line", after=our_entry.revision)] == [later_entry.digest]
        with our_store.snapshot_read():
            assert list(our_store.read("line", after=later_entry.revision)) == []
