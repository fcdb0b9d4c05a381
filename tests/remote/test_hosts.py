"""Two people at hosts of their own play over a network that is slow and loses packets, each with the real `zim`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.remote.hosts import Host, NoHostsError, connect_hosts
from tests.server.deployment import ZIM_PROGRAM, Listener, ServerProcess, behind_caddy
from tests.server.server_process import run_zim
from zimcore.service import open_service

MOVE_COUNT = 4
DELAY_SECONDS, LOSS_SHARE = 0.02, 0.04


class Player:
    """A player at a host of their own."""

    def __init__(self, host: Host, folder: Path, url: str, root_certificate: Path) -> None:
        self.host = host
        self.environment = {
            **os.environ,
            **{f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("DATA", "CACHE", "CONFIG", "STATE")},
            "ZIM_STORE": url,
            "SSL_CERT_FILE": str(root_certificate),
            "ZIM_BY": folder.name,
        }

    def __call__(self, *words: str) -> Any:
        """The answer of a command, as a document."""
        command = self.host.wrap_command(str(ZIM_PROGRAM), "--json", *words)
        process = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stdout + process.stderr
        return json.loads(process.stdout)


def test_a_game_is_played_over_a_network_that_loses_packets(tmp_path: Path, find_program: Callable[..., str]) -> None:
    find_program("curl")
    caddy, store = find_program("caddy"), f"sqlite:///{tmp_path}/games.db"
    try:
        with connect_hosts(3, delay=DELAY_SECONDS, loss=LOSS_SHARE) as ((server, *player_hosts), cable):
            account_token = json.loads(run_zim(tmp_path, "--json", "serve", "token", "hanna"))["token"]
            worker = ServerProcess(tmp_path, store, server.wrap_command())
            try:
                with behind_caddy(tmp_path, caddy, [worker.port], server.address, server.wrap_command()) as (
                    url,
                    root_certificate,
                ):
                    play_across_hosts(tmp_path, url, root_certificate, account_token, player_hosts)
            finally:
                assert worker.end() == 0
            assert cable.lost_frames > 0
            assert cable.passed_frames > 20 * MOVE_COUNT
    except NoHostsError as error:
        pytest.skip(str(error))
    audits = json.loads(run_zim(tmp_path, "--json", "verify", "--all"))["audits"]
    assert {audit["fault"] for audit in audits} == {None}


def play_across_hosts(
    folder: Path, url: str, root_certificate: Path, account_token: str, player_hosts: list[Host]
) -> None:
    """Anna invites Ben and a spectator; both play, and a listener follows the feed."""
    players = [
        Player(host, folder / name, url, root_certificate)
        for host, name in zip(player_hosts, ("anna", "ben"), strict=True)
    ]
    anna, ben = players
    anna("join", account_token)
    game = anna("new", "--players", "2")["position"]["game"]
    with (service := open_service(f"sqlite:///{folder}/games.db")).store:
        seats = service.position(game).seats
        *links, watch_link = (anna("invite", game, role)["link"] for role in (*seats, "spectator"))
        for player, link in zip(players, links, strict=True):
            player("join", link)
        token, feed = watch_link.partition("#")[2], f"{url}/v1/games/{game}/lines/main/feed"
        listener = Listener(
            feed, token, folder, "--cacert", str(root_certificate), command_prefix=ben.host.wrap_command()
        )
        listener.receive()
        for number in range(1, MOVE_COUNT + 1):
            position = service.head(game)
            answer = players[seats.index(position.to_move[0])]("do", game, next(iter(position.legal().texts(""))))
            assert answer["position"]["number"] == number
        listener.until(MOVE_COUNT)
        listener.close()
        assert listener.move_numbers == list(range(1, MOVE_COUNT + 1))
        for player in players:
            assert [each["number"] for each in player("log", game)["commits"]] == list(range(MOVE_COUNT + 1))
