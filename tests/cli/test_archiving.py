"""The commands `archive` and `delete`; `tests/service/test_archiving.py` has their effects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim, open_reproducible_service


@pytest.fixture
def zim_on_file(tmp_path: Path) -> Iterator[Zim]:
    """`zim` on a file with the games a and b."""
    with EventStore.open(f"sqlite:///{tmp_path}/games.zim") as store:
        zim = make_zim(open_reproducible_service(store))
        for name in ("a", "b"):
            assert zim("new", name).exit_code == 0
        yield zim


def listed_names(zim: Zim, *words: str) -> list[str]:
    return [game["name"] for game in json.loads(zim("games", "--json", *words).stdout)["games"]]


def test_an_archived_game_is_listed_where_it_is_asked_for(zim_on_file: Zim) -> None:
    result = zim_on_file("archive", "a")
    assert (result.stdout, result.stderr) == (
        "✓ a is archived: it is not listed, and can be played on\n  to undo this: zim archive a --back\n",
        "",
    )
    assert (listed_names(zim_on_file), listed_names(zim_on_file, "--archived"), listed_names(zim_on_file, "--all")) == (
        ["b"],
        ["a"],
        ["a", "b"],
    )
    assert listed_names(zim_on_file, "--where", "moves == 0") == ["b"]
    assert zim_on_file("games").stderr == "1 game is archived; try: zim games --archived\n"
    assert "archived · " in zim_on_file("games", "--all").stdout
    assert zim_on_file("archive", "a", "--back").stdout == "✓ a is listed again\n"
    assert listed_names(zim_on_file) == ["a", "b"]


def test_a_command_without_a_game_never_means_an_archived_one(zim_on_file: Zim) -> None:
    zim_on_file("archive", "a")
    assert json.loads(zim_on_file("show", "--json").stdout)["position"]["game"] == "b"
    zim_on_file("archive", "b")
    assert zim_on_file("show", "--json").exit_code == 2, "of two archived games neither is meant"


def test_a_deleted_game_tells_how_it_comes_back(zim_on_file: Zim) -> None:
    assert "✓ b is deleted; its moves stay in the store" in zim_on_file("delete", "b").stdout
    assert "error: b was deleted\n" in zim_on_file("log", "b").stderr
    assert "try: zim delete b --back\n" in zim_on_file("log", "b").stderr
    assert zim_on_file("games", "--all").stderr == "b was deleted; try: zim delete b --back\n"
    assert zim_on_file("delete", "b", "--back").exit_code == 0
    assert listed_names(zim_on_file) == ["a", "b"]


def test_delete_for_good_is_asked_about_twice(zim_on_file: Zim) -> None:
    zim_on_file("fork", "b", "what-if")
    first_result = zim_on_file("delete", "b", "--for-good")
    assert (first_result.exit_code, first_result.stdout) == (1, "")
    assert first_result.stderr.splitlines() == [
        "sure? delete b for good",
        "  2 lines with 0 moves would be gone for ever",
        "  try: zim delete b · zim delete b --for-good --yes",
    ]
    second_result = zim_on_file("delete", "b", "--for-good", "--yes")
    assert second_result.exit_code == 1
    assert "try: zim export b --certificate b.cert · zim delete b --for-good --yes --yes\n" in second_result.stderr
    assert listed_names(zim_on_file) == ["a", "b"]
    assert zim_on_file("delete", "b", "--for-good", "--yes", "--yes").stdout == "✓ b is deleted for good\n"
    assert "anna deleted it for good on 2024-05-01" in zim_on_file("log", "b").stderr
    assert listed_names(zim_on_file, "--all") == ["a"]


def test_delete_takes_only_one_of_for_good_and_back(zim_on_file: Zim) -> None:
    refusal = zim_on_file("delete", "b", "--for-good", "--back")
    assert (refusal.exit_code, listed_names(zim_on_file)) == (2, ["a", "b"])


def test_games_are_removed_for_good_only_from_a_file(zim: Zim) -> None:
    zim("new", "k")
    refusal = zim("delete", "k", "--for-good", "--yes", "--yes")
    assert refusal.exit_code == 2
    assert "games are removed for good only from a file of your own" in refusal.stderr
    assert "try: zim delete k · zim archive k\n" in refusal.stderr


def test_archive_and_delete_in_a_session_mean_the_current_game(zim_on_file: Zim) -> None:
    """When it is deleted, the session is in no game."""
    result = zim_on_file("run", "-", stdin="new c\narchive\narchive --back\ndelete\nboard a\nbuild g9")
    assert result.exit_code == 2
    assert listed_names(zim_on_file, "--all") == ["a", "b"]
    assert "no game has been begun" in result.stderr


def test_requests_of_a_pipe_archive_and_delete(zim_on_file: Zim) -> None:
    requests = [{"archive": "a", "id": 1}, {"delete": "b", "for-good": True, "id": 2}]
    requests.append({"delete": "b", "for-good": True, "yes": 2, "id": 3})
    result = zim_on_file("pipe", "--allow", "delete", stdin="\n".join(map(json.dumps, requests)))
    archive_reply, refused_reply, delete_reply = map(json.loads, result.stdout.splitlines())
    assert archive_reply["answer"]["now"] == "archived"
    assert (refused_reply["error"]["kind"], delete_reply["answer"]["now"]) == ("sure?", "removed")
    assert listed_names(zim_on_file, "--all") == ["a"]
