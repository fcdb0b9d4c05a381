"""A file with swapped pages: every reader gets the true answer or an error, never "not there"."""

from __future__ import annotations

from pathlib import Path

from tests.service.pages import answers, damaged_files, with_small_pages
from tests.service.table import play, service_on

GAMES = dict.fromkeys(("g0", "g1", "g2"), ("main", "what-if"))
ROOTS = 5
"""The first pages are the roots of tables: each is tried with every other page, of the others some."""
SOME = 23


def test_pages_in_the_place_of_others(tmp_path: Path) -> None:
    path = tmp_path / "games.zim"
    service = service_on(f"sqlite:///{path}")
    with service.store:
        for name in GAMES:
            service.new("nim", {"seed": "7"}, name=name, by="ann")
            play(service, "take 1", "take 2", place=name)
            service.fork(f"{name}@1", "what-if", by="ann")
            service.say(name, "well played", by="ann")
        truth = answers(service, GAMES)
    whole = with_small_pages(path)
    count, errors = 0, 0
    for number, (what, data) in enumerate(damaged_files(whole)):
        first, last = (int(word) for word in what.split() if word.isdecimal())
        if min(first, last) > ROOTS and number % SOME:
            continue
        for file in tmp_path.iterdir():
            file.unlink()
        path.write_bytes(data)
        with (reader := service_on(f"sqlite:///{path}?mode=ro")).store:
            views = answers(reader, GAMES)
        wrong = {key: answer for key, answer in views.items() if answer is not None and answer != truth[key]}
        assert not wrong, what
        count, errors = count + 1, errors + (None in views.values())
    assert errors > count / 2 > 100
