"""Moves played again on a server: any on a private line, a seat's own on the match."""

from __future__ import annotations

import pytest

from tests.server.game_server import GameServer


def test_a_move_is_amended_on_a_private_line(nim_server: GameServer) -> None:
    nim_server.play("take 3", "take 1")
    ann, path = nim_server.seats["ann"], f"{nim_server.main}/amendments"
    body = {"at": "1", "move": "take 2", "name": "better"}
    response = ann("POST", path, body, key="k1")
    assert response.status_code == 200
    assert (response.json()["stored"], response.json()["position"]["line"]) == (True, "ann--better")
    assert ann("POST", path, body, key="k1").json()["position"] == response.json()["position"]
    assert ann("POST", path, {**body, "move": "take 9", "name": "x"}).status_code == 422
    assert ann("POST", path, {**body, "at": "99", "name": "x"}).status_code == 404
    assert [each["name"] for each in nim_server.seats["ben"].get_json(f"{nim_server.path}/lines")["lines"]] == ["main"]
    assert nim_server.head() == nim_server.service.position("k@2").commit.digest


def test_a_conflict_is_reported_and_nothing_is_stored(nim_server: GameServer) -> None:
    nim_server.play("take 1", "take 3", "take 3", "take 2")
    ann, path = nim_server.seats["ann"], f"{nim_server.main}/amendments"
    amendment = ann("POST", path, {"at": "1", "move": "take 3", "name": "more"}).json()
    assert (amendment["stored"], [each["commit"]["text"] for each in amendment["conflicts"]]) == (False, ["take 2"])
    assert nim_server.service.line_names("k") == ["main"]
    skipping_amendment = ann("POST", path, {"at": "1", "move": "take 3", "name": "more", "keep": "skip"}).json()
    assert (skipping_amendment["stored"], skipping_amendment["position"]["number"]) == (True, 3)


def test_a_seat_picks_only_its_own_moves_onto_the_match(nim_server: GameServer) -> None:
    nim_server.play("take 3")
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    assert ben("POST", f"{nim_server.path}/lines", {"name": "plan"}).status_code == 201
    line_path = f"{nim_server.path}/lines/ben--plan"
    for move in ("take 2", "take 1"):
        assert ben("POST", f"{line_path}/moves", {"move": move}, head="*").status_code == 201
    two_moves_response = ben("POST", f"{nim_server.main}/picks", {"source": "ben--plan@2..3"}, head="*")
    assert two_moves_response.status_code == 409, two_moves_response.text
    assert ann("POST", f"{nim_server.main}/picks", {"source": "ben--plan@2"}, head="*").status_code == 404
    assert ben("POST", f"{nim_server.main}/picks", {"source": "ben--plan@2"}).status_code == 428
    pick_response = ben("POST", f"{nim_server.main}/picks", {"source": "ben--plan@2"}, head=nim_server.head())
    assert (pick_response.status_code, pick_response.json()["position"]["number"]) == (200, 2)
    late_response = ben(
        "POST",
        f"{nim_server.main}/picks",
        {"source": "ben--plan@2"},
        head=nim_server.service.position("k@1").commit.digest,
    )
    assert (late_response.status_code, [each["number"] for each in late_response.json()["since"]]) == (412, [2])


@pytest.mark.parametrize("line", ["main", "ben--plan"])
def test_a_seat_forgets_only_its_private_lines(nim_server: GameServer, line: str) -> None:
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    assert ben("POST", f"{nim_server.path}/lines", {"name": "plan"}).status_code == 201
    assert ann("DELETE", f"{nim_server.path}/lines/{line}").status_code == (403 if line == "main" else 404)
    assert nim_server.host("DELETE", f"{nim_server.path}/lines/{line}").status_code == 403, (
        "a host has no lines, whether it is there or not"
    )
    response = ben("DELETE", f"{nim_server.path}/lines/ben--plan", key="k1")
    assert (response.status_code, response.json()["position"]["line"]) == (200, "main")
    assert nim_server.service.line_names("k") == ["main"]
