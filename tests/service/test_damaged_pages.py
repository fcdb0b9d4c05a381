"""A file with swapped pages: every reader gets the true answer or an error, never "not there"."""

from __future__ import annotations

from pathlib import Path

from tests.service.damaged_pages import damaged_files, read_answers, shrink_pages
from tests.service.nim_service import play, service_on

GAMES = dict.fromkeys(("g0", "g1", "g2"), ("main", "what-if"))
ROOT_PAGES = 5
"""The first pages are the roots of tables: each is tried with every other page, the other pages only with some."""
TRIED_PAGE_STEP = 23


def test_a_file_with_swapped_pages_gives_true_answers_or_errors(tmp_path: Path) -> None:
    path = tmp_path / "games.zim"
    service = service_on(f"sqlite:///{path}")
    with service.store:
        for name in GAMES:
            service.new("nim", {"seed": "7"}, name=name, by="ann")
            play(service, "take 1", "take 2", place=name)
            service.fork(f"{name}@1", "what-if", by="ann")
            service.say(name, "well played", by="ann")
        true_answers = read_answers(service, GAMES)
    intact_bytes = shrink_pages(path)
    file_count, error_count = 0, 0
    for number, (damage, damaged_bytes) in enumerate(damaged_files(intact_bytes)):
        first_number, last_number = (int(word) for word in damage.split() if word.isdecimal())
        if min(first_number, last_number) > ROOT_PAGES and number % TRIED_PAGE_STEP:
            continue
        for file in tmp_path.iterdir():
            file.unlink()
        path.write_bytes(damaged_bytes)
        with (reader := service_on(f"sqlite:///{path}?mode=ro")).store:
            answers = read_answers(reader, GAMES)
        wrong_answers = {
            key: answer for key, answer in answers.items() if answer is not None and answer != true_answers[key]
        }
        assert not wrong_answers, damage
        file_count, error_count = file_count + 1, error_count + (None in answers.values())
    assert error_count > file_count / 2 > 100
