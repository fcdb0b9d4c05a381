"""The operations that each role sees: its line and the seats, but no names of others' lines, and no tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.game_server import Client, GameServer, game_server


def operation_rows(client: Client, server: GameServer) -> list[tuple[str, str, str]]:
    """The operations of the match that a client gets."""
    operations = client.get_json(f"{server.main}/operations")["operations"]
    return [(each["what"], each["source"], each["target"]) for each in operations]


def test_each_role_sees_its_operations(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        server.play("take 3")
        for name in ("plan", "doubt"):
            assert ann("POST", f"{server.path}/lines", {"name": name}).status_code == 201
        shared_name = {"name": "idea", "shared": True}
        assert ann("PUT", f"{server.path}/lines/ann--plan/name", shared_name, head="*").status_code == 200
        all_rows = [(each.what, each.source, each.target) for each in server.service.operations("k/main")]
        naming_rows = [("name", "", "ann--plan"), ("name", "", "ann--doubt")]
        switch_rows = [each for each in all_rows if each[0] == "switch"]
        link_rows = [each for each in all_rows if each[0] in ("offer", "token", "revoke")]
        rename_row = ("rename", "ann--plan", "idea")
        assert {*naming_rows, *switch_rows, *link_rows, rename_row} < {*all_rows}
        assert switch_rows
        assert len({each for each, *_ in link_rows}) > 0

        hidden_rows = {*naming_rows, *switch_rows, *link_rows, rename_row}
        public_rows = [each if each != rename_row else ("rename", "", "idea") for each in all_rows]
        spectator_rows = [each for each in public_rows if each not in hidden_rows]
        assert operation_rows(ann, server) == [each for each in all_rows if each not in link_rows]
        assert operation_rows(ben, server) == operation_rows(server.token("spectator"), server) == spectator_rows
        link_rows = [
            (operation.what, operation.source, operation.target)
            for operation in server.service.operations("k/main")
            if operation.what in ("offer", "token", "revoke")
        ]
        assert [each for each in operation_rows(server.host, server) if each in link_rows] == link_rows
        assert [each for each in operation_rows(server.host, server) if each not in link_rows] == spectator_rows


@pytest.mark.parametrize("line", ["ann--plan", "nowhere"])
def test_a_line_that_a_seat_can_t_see_has_no_operations(tmp_path: Path, line: str) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        assert server.seats["ann"]("POST", f"{server.path}/lines", {"name": "plan"}).status_code == 201
        assert server.seats["ben"].get(f"{server.path}/lines/{line}/operations").status_code == 404
