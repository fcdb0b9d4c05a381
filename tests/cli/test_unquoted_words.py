"""A line of a script means the same as its words in the shell: a named game is the place, and options are not part of
the text."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from tests.cli.conftest import Zim

SCRIPT_LINES = (
    "say k hello there",
    "say k well-played --id s1",
    "say --id s1 k well-played",
    "say k@1 what a move",
    "say k never --note mind",
    "say k -- --id is an option",
    "say k -- -5 degrees",
    "say k 'in quotes' and not",
    "say k k",
    "do k/main 'take 1' --id c1",
    "do k 'take 1'",
    "try k 'take 1'",
    "explain k 'take 1'",
    "say k hello --such",
)


def talk_and_log(zim: Zim) -> Any:
    """The chat and the moves, without times and digests."""
    messages = json.loads(zim("talk", "k", "--json").stdout)["talk"]
    commits = json.loads(zim("log", "k", "--json").stdout)["commits"]
    return [{**message, "at": ""} for message in messages], [commit["text"] for commit in commits]


@pytest.mark.parametrize("line", SCRIPT_LINES)
def test_unquoted_words_are_read_as_in_the_shell(
    zim: Zim, other_zim: Zim, run_script: Callable[..., Result], line: str
) -> None:
    for run_zim in (zim, other_zim):
        for words in (["new", "k", "herd=12"], ["new", "k2", "herd=12"], ["do", "k", "take 1"]):
            assert run_zim(*words).exit_code == 0
    unquoted_line = line if line.startswith("say k 'in") else line.replace("'", "")
    shell_result, session_result = other_zim(*shlex.split(line)), run_script("play k", unquoted_line)
    assert session_result.exit_code == shell_result.exit_code, session_result.output
    assert talk_and_log(zim) == talk_and_log(other_zim)
