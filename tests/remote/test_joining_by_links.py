"""A server in its own process; a host and two players, each with a name and files of their own, who play by links.

Their commands run in this process; in `test_acceptance` each terminal is a process of its own.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from tests.cli.test_document_shapes import validate_document
from zimcli.main import cli

ZIM_COMMAND = [sys.executable, "-m", "zimcli"]


class Person(NamedTuple):
    """A person at a terminal."""

    folder: Path
    name: str
    store: str

    def __call__(self, *words: str, exit_code: int = 0, typed_text: str = "") -> str:
        """The output of a command, whose exit code must be the expected one."""
        result = CliRunner(env=self.environment()).invoke(cli, words, input=typed_text, prog_name="zim")
        assert result.exit_code == exit_code, result.output
        return result.output

    def environment(self) -> dict[str, str]:
        """Environment variables for the folders, name and store of the person."""
        folders = {f"XDG_{kind}_HOME": str(self.folder / kind.lower()) for kind in ("DATA", "CACHE", "CONFIG", "STATE")}
        return {**folders, "ZIM_BY": self.name, "ZIM_STORE": self.store, "NO_COLOR": "1"}


@pytest.fixture
def url_and_token(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a server, and the token of its host."""
    operator = Person(tmp_path / "operator", "operator", f"sqlite:///{tmp_path}/games.db")
    token = re.search("zim_host_[A-Za-z0-9_-]{43}", operator("serve", "token", "hanna"))
    assert token
    process = subprocess.Popen(
        [*ZIM_COMMAND, "serve", "--listen", "127.0.0.1:0"],
        env={**os.environ, **operator.environment()},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    url = next(url_match[0] for line in process.stderr if (url_match := re.search(r"http://127\.0\.0\.1:\d+", line)))
    yield url, token[0]
    process.send_signal(signal.SIGTERM)
    process.stderr.close()
    assert process.wait(30) == 0


def first_legal_move(person: Person, game: str) -> str:
    legal_texts: list[str] = json.loads(person("--json", "legal", game))["legal"]
    return legal_texts[0]


def test_two_players_join_by_links_and_play(url_and_token: tuple[str, str], tmp_path: Path) -> None:
    url, token = url_and_token
    hanna, ann, ben, eve = (Person(tmp_path / name, name, url) for name in ("hanna", "ann", "ben", "eve"))
    hanna("join", "-", typed_text=token + "\n")
    assert "set-up" in hanna("new", "k", "players=2")
    assert "k" in hanna("games")
    seats = json.loads(hanna("--json", "seats", "k"))["seats"]
    people = dict(zip((each["seat"] for each in seats), (ann, ben), strict=True))
    for seat, person in people.items():
        invitation = json.loads(hanna("--json", "invite", "k", seat))
        validate_document(invitation)
        answer = json.loads(person("--json", "join", invitation["link"]))
        validate_document(answer)
        assert (answer["game"], answer["seat"], answer["by"]) == ("k", seat, person.name)
        assert "no longer valid" in eve("join", invitation["link"], exit_code=2)
    for _ in range(4):  # the first monuments
        to_move = json.loads(ann("--json", "show", "k"))["position"]["to_move"][0]
        mover, opponent = people[to_move], next(each for seat, each in people.items() if seat != to_move)
        move = first_legal_move(mover, "k")
        assert "refused" in opponent("do", "k", move, exit_code=1)
        mover("do", "k", move)
    assert ann("log", "k") == ben("log", "k")
    assert "as it was played: 5 commits" in ann("verify", "k")
    assert "as it was played: 5 commits" in ben("verify", "k")
    assert "kilwa" in ann("compare", "k@1", "k@3")
    fork_position = json.loads(ann("--json", "fork", "k@2", "what-if"))["position"]
    assert fork_position["line"].endswith("--what-if")
    assert "what-if" not in ben("lines", "k")
    ann("do", "k/" + fork_position["line"], first_legal_move(ann, "k/" + fork_position["line"]))
    ann("switch", "k/main")
    assert "a token is needed" in eve("show", "k", exit_code=2)
    terms_answer = json.loads(hanna("--json", "terms", "k", "delay=10", "pace=3d"))
    validate_document(terms_answer)
    assert terms_answer["terms"] == {"delay": "10", "pace": "3d"}
    assert "spectators see it 10 moves late" in ann("terms", "k")
    assert "this is for a host" in ann("terms", "k", "pace=none", exit_code=2)
    assert "terms are delay, pace and bank" in hanna("terms", "k", "speed=fast", exit_code=2)
    seats_answer = json.loads(ben("--json", "leave", "k"))
    validate_document(seats_answer)
    assert "ben" not in hanna("seats", "k")
    ben("do", "k", "pass", exit_code=2)
    for person in people.values():
        files = [file for file in person.folder.rglob("*") if file.is_file()]
        assert {file.stat().st_mode & 0o077 for file in files} == {0}


def test_no_token_is_ever_shown(url_and_token: tuple[str, str], tmp_path: Path) -> None:
    url, token = url_and_token
    hanna = Person(tmp_path / "hanna", "hanna", url)
    outputs = [hanna("join", f"{url}/join#{token}"), hanna("new", "k", "players=2"), hanna("games")]
    outputs += [
        hanna("seats", "k"),
        hanna("seats", "k", "--tokens"),
        hanna("show", "k"),
        hanna("show", "zzz", exit_code=2),
    ]
    outputs += [hanna("join", f"{url}/join#{token}x", exit_code=2)]
    assert token[9:] not in "".join(outputs)


def test_commands_for_a_server_are_refused_without_one(tmp_path: Path) -> None:
    local_person = Person(tmp_path / "ann", "ann", f"sqlite:///{tmp_path}/games.db")
    local_person("new", "k")
    for words in (["seats", "k"], ["invite", "k", "kilwa"], ["terms", "k"]):
        output = local_person(*words, exit_code=2)
        assert "is for a game on a server" in output
        assert "zim --store https://HOST" in output
    assert "only a game on a server has terms" in local_person("new", "l", "pace=3d", exit_code=2)
    assert "no server given" in local_person("join", "zim_link_5f3a_" + 43 * "x", exit_code=2)
    assert "this is not a link" in local_person("join", "https://zim.example", exit_code=2)
    unreachable = Person(tmp_path / "ann", "ann", "http://127.0.0.1:1")
    assert "can't be reached" in unreachable("show", "k", exit_code=4)
    assert "is not safe" in Person(tmp_path / "ann", "ann", "http://zim.example")("games", exit_code=4)


def test_a_league_knows_players_by_their_accounts_not_by_their_login_names(
    url_and_token: tuple[str, str], tmp_path: Path
) -> None:
    url, token = url_and_token
    operator = Person(tmp_path / "operator", "operator", f"sqlite:///{tmp_path}/games.db")
    hanna = Person(tmp_path / "hanna", "root", url)
    hanna("join", "-", typed_text=token + "\n")
    hanna("league", "open", "cup", "pace=3d")
    for name in ("ann", "ben"):
        player = Person(tmp_path / name, "root", url)
        player("join", "-", typed_text=operator("serve", "token", name).splitlines()[0] + "\n")
        assert f" {name} " in player("league", "enter", "cup")
        assert "no seat of cup is waiting for you" in player("league", "join", "cup")
    hanna("league", "pair", "cup")
    assert re.search(r"you play \w+ in cup-r1-t1", Person(tmp_path / "ann", "root", url)("league", "join", "cup"))
