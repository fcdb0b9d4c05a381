"""The bytes of the store's own forms: see `golden`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from event_store.chain import make_seal, unsalted_seal
from event_store.export import export_lines, import_lines
from event_store.line_history import Forked, HeadMoved, load_line, refresh
from tests.event_store.diary import AT, commit, open_diary
from tests.event_store.golden import check_golden
from tests.event_store.test_chain import verify_streams

ROWS = [(0, "diary.noted.1", b"\x82"), (1, "diary.counted.1", b"\x83")]


def test_the_bytes_of_a_form_do_not_change() -> None:
    parent, state, salt = bytes(range(16)), bytes(range(16, 32)), bytes(range(32, 48))
    plain_seal = make_seal(ROWS, parent=parent, by="ann", at=AT, id="c1", state=state, salt=salt)
    head_moved = HeadMoved(bytes(16), bytes(range(16)))
    fork_event = Forked("5f3a", 12, bytes(range(16)))
    optional_fields: dict[str, Any] = {"request": bytes(range(48, 64)), "proof": bytes(range(64, 80))}
    seal_with_proof = make_seal(
        ROWS, parent=parent, by="ann", at=AT, id="c1", state=state, salt=salt, **optional_fields
    )
    check_golden(
        Path(__file__).with_name("golden.json"),
        [unsalted_seal(plain_seal, ROWS), plain_seal, seal_with_proof, head_moved, fork_event],
    )


def test_an_unsalted_store_is_read_and_appended_to() -> None:
    """The export is from before there were salts. Its digests are unchanged, and new entries follow the old ones."""
    lines = Path(__file__).with_name("unsalted.jsonl").read_bytes().splitlines(keepends=True)
    with open_diary("memory:") as store:
        assert import_lines(store, lines) == 7
        verify_streams(store)
        assert sorted(export_lines(store))[1:] == sorted(lines)[1:]
        line = load_line(store.read, "fork")
        assert line.head.hex() == "480ccba50ed7f3843409f4f85691e13b"
        new_commit = commit(store, "fork", line.revision, line.head, "played on")
        refresh(store.read, line)
        assert (line.head, len(new_commit.seal.salt)) == (new_commit.digest, 16)
        verify_streams(store)
        with open_diary("memory:") as second_diary:
            assert import_lines(second_diary, export_lines(store)) == 8
