"""The bytes of the store's own forms: see `golden`."""

from __future__ import annotations

from pathlib import Path

from event_store.chain import seal
from event_store.lines import Forked, HeadMoved
from tests.event_store.diary import AT
from tests.event_store.golden import check_golden

ROWS = [(0, "diary.noted.1", b"\x82"), (1, "diary.counted.1", b"\x83")]


def test_the_bytes_of_a_form_do_not_change() -> None:
    sealed = seal(ROWS, parent=bytes(range(16)), by="ann", at=AT, id="c1", state=bytes(range(16, 32)))
    moved = HeadMoved(bytes(16), bytes(range(16)))
    forked = Forked("5f3a", 12, bytes(range(16)))
    check_golden(Path(__file__).with_name("golden.json"), [sealed, moved, forked])
