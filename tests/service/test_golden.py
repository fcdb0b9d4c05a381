"""The bytes of the events in which names are stored: see `golden`."""

from __future__ import annotations

from pathlib import Path

from tests.event_store.golden import check_golden
from zimcore.service.names import GameNamed, LineForgotten, LineNamed, LineRenamed, LineSwitched, TakenAsRecorded


def test_the_bytes_of_a_form_do_not_change() -> None:
    examples = [
        GameNamed("kilwa-7", "zimbabwe", "5f3a"),
        LineNamed("main", "5f3b"),
        LineSwitched("what-if"),
        LineRenamed("what-if", "eshu"),
        LineForgotten("eshu"),
        TakenAsRecorded(bytes(range(16)), "fact 2 was 'kilwa pays 2' and would be nothing today"),
    ]
    check_golden(Path(__file__).with_name("golden.json"), examples)
