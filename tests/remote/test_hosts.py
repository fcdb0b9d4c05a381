"""Two people at hosts of their own play over a network that is slow and loses packets, each with the real `run_zim`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.remote.hosts import Host, NoHostsError, hosts
from tests.server.network import ZIM, Listener, Worker, behind_caddy
from tests.server.process import run_zim
from zimcore.service import open_service

MOVES = 4
DELAY, LOSS = 0.02, 0.04


class Player:
    """A player at a host of their own."""

    def __init__(self, host: Host, folder: Path, site: str, root: Path) -> None:
        self.host = host
        self.environment = {
            **os.environ,
            **{f"XDG_{what}_HOME": str(folder / what.lower()) for what in ("DATA", "CACHE", "CONFIG", "STATE")},
            "ZIM_STORE": site,
            "SSL_CERT_FILE": str(root),
            "ZIM_BY": folder.name,
        }

    def __call__(self, *words: str) -> Any:
        """What a command answers."""
        command = self.host.within(str(ZIM), "--json", *words)
        process = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stdout + process.stderr
        return json.loads(process.stdout)


def test_a_game_over_a_network_that_loses_packets(tmp_path: Path, program: Callable[..., str]) -> None:
    program("curl")
    caddy, store = program("caddy"), f"sqlite:///{tmp_path}/games.db"
    try:
        with hosts(3, delay=DELAY, loss=LOSS) as ((server, *others), cable):
            account = json.loads(run_zim(tmp_path, "--json", "serve", "token", "hanna"))["token"]
            worker = Worker(tmp_path, store, server.within())
            try:
                with behind_caddy(tmp_path, caddy, [worker.port], server.address, server.within()) as (site, root):
                    play_across_hosts(tmp_path, site, root, account, others)
            finally:
                assert worker.end() == 0
            assert cable.lost > 0
            assert cable.passed > 20 * MOVES
    except NoHostsError as error:
        pytest.skip(str(error))
    audits = json.loads(run_zim(tmp_path, "--json", "verify", "--all"))["audits"]
    assert {audit["fault"] for audit in audits} == {None}


def play_across_hosts(folder: Path, site: str, root: Path, account: str, others: list[Host]) -> None:
    """A host invites the other, they play, and one listens meanwhile."""
    people = [Player(host, folder / name, site, root) for host, name in zip(others, ("anna", "ben"), strict=True)]
    anna, ben = people
    anna("join", account)
    game = anna("new", "--players", "2")["position"]["game"]
    with (service := open_service(f"sqlite:///{folder}/games.db")).store:
        seats = service.position(game).seats
        *links, watching = (anna("invite", game, who)["link"] for who in (*seats, "spectator"))
        for player, link in zip(people, links, strict=True):
            player("join", link)
        token, feed = watching.partition("#")[2], f"{site}/v1/games/{game}/lines/main/feed"
        listener = Listener(feed, token, folder, "--cacert", str(root), command_prefix=ben.host.within())
        listener.receive()
        for number in range(1, MOVES + 1):
            here = service.head(game)
            answer = people[seats.index(here.to_move[0])]("do", game, next(iter(here.legal().texts(""))))
            assert answer["position"]["number"] == number
        listener.until(MOVES)
        listener.close()
        assert listener.moves == list(range(1, MOVES + 1))
        for player in people:
            assert [each["number"] for each in player("log", game)["commits"]] == list(range(MOVES + 1))
