"""The operations that each role sees: its line and the seats, but no names of others' lines, and no tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.game_server import Client, GameServer, game_server


def rows(client: Client, server: GameServer) -> list[tuple[str, str, str]]:
    """The messages of a feed of the match."""
    answer = client.ok(f"{server.main}/operations")["operations"]
    return [(each["what"], each["source"], each["target"]) for each in answer]


def test_each_role_hears_what_is_for_it(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        server.play("take 3")
        for name in ("plan", "doubt"):
            assert ann("POST", f"{server.path}/lines", {"name": name}).status_code == 201
        tag = {"name": "idea", "shared": True}
        assert ann("PUT", f"{server.path}/lines/ann--plan/name", tag, head="*").status_code == 200
        stored = [(each.what, each.source, each.target) for each in server.service.operations("k/main")]
        own = [("name", "", "ann--plan"), ("name", "", "ann--doubt")]
        switched = [each for each in stored if each[0] == "switch"]
        links = [each for each in stored if each[0] in ("offer", "token", "revoke")]
        renamed = ("rename", "ann--plan", "idea")
        assert {*own, *switched, *links, renamed} < {*stored}
        assert switched
        assert len({each for each, *_ in links}) > 0

        without = {*own, *switched, *links, renamed}
        all_see = [each if each != renamed else ("rename", "", "idea") for each in stored]
        for_all = [each for each in all_see if each not in without]
        assert rows(ann, server) == [each for each in stored if each not in links]
        assert rows(ben, server) == rows(server.token("spectator"), server) == for_all
        links = [
            (each.what, each.source, each.target)
            for each in server.service.operations("k/main")
            if each.what in ("offer", "token", "revoke")
        ]
        assert [each for each in rows(server.host, server) if each in links] == links
        assert [each for each in rows(server.host, server) if each not in links] == for_all


@pytest.mark.parametrize("line", ["ann--plan", "nowhere"])
def test_a_line_that_is_not_seen_has_none(tmp_path: Path, line: str) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        assert server.seats["ann"]("POST", f"{server.path}/lines", {"name": "plan"}).status_code == 201
        assert server.seats["ben"].get(f"{server.path}/lines/{line}/operations").status_code == 404
