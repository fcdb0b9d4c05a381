"""`zim tag`: in the shell, in a script, and in the log."""

from __future__ import annotations

import json
from collections.abc import Callable

from click.testing import Result

from tests.cli.conftest import Zim

GAME_LINES = ("new k herd=30", "take 1", "take 2", "take 1")


def tags(zim: Zim) -> list[tuple[str, int]]:
    return [(tag["name"], tag["number"]) for tag in json.loads(zim("tag", "k", "--json").stdout)["tags"]]


def test_tag_in_the_shell(zim: Zim, run_script: Callable[..., Result]) -> None:
    assert run_script(*GAME_LINES).exit_code == 0
    for words in (["k@1", "Early"], ["later", "k@2"], ["last"]):
        result = zim("tag", *words)
        assert result.exit_code == 0, result.output
        assert len(result.stdout.splitlines()) == 2
    assert tags(zim) == [("early", 1), ("later", 2), ("last", 3)]
    assert zim("show", "k@early").stdout == zim("show", "k@1").stdout
    assert [line.split()[-1] for line in zim("log", "k").stdout.splitlines()[-2:]] == ["@later", "@last"]
    assert zim("tag", "-d", "early").exit_code == 0
    assert tags(zim) == [("later", 2), ("last", 3)]
    assert "tag k -d later" in zim("tag", "k", "-d", "late").stderr
    assert zim("tag", "-d", "later").exit_code == zim("tag", "-d", "last").exit_code == 0
    assert zim("tag", "k").stdout == ""
    assert "no tags; try: zim tag k@r2 opening" in zim("tag", "k").stderr


def test_tag_in_a_script(zim: Zim, run_script: Callable[..., Result]) -> None:
    output = run_script(
        *GAME_LINES, "tag @1 early", "tag last", "tag", "undo 2", "expect 'round@last == 2'", "compare @early"
    )
    assert output.exit_code == 0, output.output
    assert tags(zim) == [("early", 1), ("last", 3)]


def test_errors_of_tag(zim: Zim, run_script: Callable[..., Result]) -> None:
    run_script(*GAME_LINES)
    assert "can't be a tag" in zim("tag", "k@1", "r4").stderr
    assert "there is a line called 'main'" in zim("tag", "k@1", "main").stderr
    assert "leave out one of the names" in zim("tag", "k", "early", "-d", "late").stderr
    assert tags(zim) == []
