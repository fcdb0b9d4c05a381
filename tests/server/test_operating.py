"""The examples of docs/operating/ are started for real: processes of the unit file behind Caddy, on one PostgreSQL."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bouncer import bounced
from tests.server.network import UNIT, ZIM, Listener, behind_caddy, person, wait_for, workers
from tests.server.process import zim
from zimcore.remote.invitations import invite

MOVES, KILLED, AGAIN = 12, 4, 8


def test_the_unit_file_is_one(tmp_path: Path, program: Callable[..., str]) -> None:
    """By systemd's own judgement; only where the program is it can't know."""
    copy = tmp_path / "zim@8321.service"
    copy.write_text(UNIT.read_text("utf-8").replace("/opt/zim/bin/zim", str(ZIM)))
    command = [program("systemd-analyze"), "verify", "--man=no", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_two_processes_behind_caddy_lose_nothing_when_they_are_killed(
    postgres_schema: str, tmp_path: Path, program: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game by remote clients, a spectator on a feed over HTTP/2; each process is killed once, in the middle."""
    program("curl")
    caddy, bouncer = program("caddy"), program("pgbouncer", "/usr/sbin/pgbouncer")
    with bounced(postgres_schema, bouncer) as store:
        zim(tmp_path, "db", "init", store=store)
        account = json.loads(zim(tmp_path, "--json", "serve", "token", "hanna", store=store))["token"]
        with (
            workers(tmp_path, store) as both,
            behind_caddy(tmp_path, caddy, [each.port for each in both]) as (url, root),
        ):
            monkeypatch.setenv("SSL_CERT_FILE", str(root))
            host = person(url, tmp_path / "hanna", account)
            game = host.new("zimbabwe", {"players": "2"}, by="hanna").match
            players = {
                seat: person(url, tmp_path / seat, invite(host, game, "seat", seat, "", None).token)
                for seat in host.position(game).seats
            }
            watching = invite(host, game, "spectator", "", "", None).token
            feed = f"{url}/v1/games/{game}/lines/main/feed"
            listener = Listener(feed, watching, tmp_path, "--http2", "--cacert", str(root))
            listener.hear()
            for number in range(1, MOVES + 1):
                if number == KILLED:  # the one that has the feed; after that only the other one is there
                    wait_for(lambda: sum(each.feeds for each in both) == 1)
                    first, second = sorted(both, key=lambda each: each.feeds, reverse=True)
                    first.end(signal.SIGKILL)
                if number == AGAIN:
                    listener.until(AGAIN - 1)
                    first.start()
                    second.end(signal.SIGKILL)
                here = host.head(game)
                answer = players[here.to_move[0]].play_or_raise(game, next(iter(here.legal().texts(""))), by="")
                assert answer.commit.number == number, "each is stored once"
            listener.until(MOVES)
            listener.close()
            assert listener.moves == list(range(1, MOVES + 1))
            assert listener.runs >= 3, "it was cut off by both"
            assert {head.split()[0] for head in listener.heads if head} == {"HTTP/2"}
            for service in players.values():
                assert [commit.number for commit in service.log(game)] == list(range(MOVES + 1))
    audits = json.loads(zim(tmp_path, "--json", "verify", "--all", store=postgres_schema))["audits"]
    assert {audit["fault"] for audit in audits} == {None}
