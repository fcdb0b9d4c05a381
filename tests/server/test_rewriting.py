"""Moves played again on a server: on lines of one's own as one likes, on the match one's own only."""

from __future__ import annotations

import pytest

from tests.server.game_server import GameServer


def test_a_move_is_amended_on_a_line_of_ones_own(nim: GameServer) -> None:
    nim.play("take 3", "take 1")
    ann, path = nim.seats["ann"], f"{nim.main}/amendments"
    body = {"at": "1", "move": "take 2", "name": "better"}
    response = ann("POST", path, body, key="k1")
    assert response.status_code == 200
    assert (response.json()["stored"], response.json()["position"]["line"]) == (True, "ann--better")
    assert ann("POST", path, body, key="k1").json()["position"] == response.json()["position"]
    assert ann("POST", path, {**body, "move": "take 9", "name": "x"}).status_code == 422
    assert ann("POST", path, {**body, "at": "99", "name": "x"}).status_code == 404
    assert [each["name"] for each in nim.seats["ben"].ok(f"{nim.path}/lines")["lines"]] == ["main"]
    assert nim.head() == nim.service.position("k@2").commit.digest


def test_a_conflict_is_reported_and_nothing_is_stored(nim: GameServer) -> None:
    nim.play("take 1", "take 3", "take 3", "take 2")
    ann, path = nim.seats["ann"], f"{nim.main}/amendments"
    answer = ann("POST", path, {"at": "1", "move": "take 3", "name": "more"}).json()
    assert (answer["stored"], [each["commit"]["text"] for each in answer["conflicts"]]) == (False, ["take 2"])
    assert nim.service.line_names("k") == ["main"]
    body = ann("POST", path, {"at": "1", "move": "take 3", "name": "more", "keep": "skip"}).json()
    assert (body["stored"], body["position"]["number"]) == (True, 3)


def test_only_ones_own_moves_are_picked_onto_the_match(nim: GameServer) -> None:
    nim.play("take 3")
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    assert ben("POST", f"{nim.path}/lines", {"name": "plan"}).status_code == 201
    own = f"{nim.path}/lines/ben--plan"
    for move in ("take 2", "take 1"):
        assert ben("POST", f"{own}/moves", {"move": move}, head="*").status_code == 201
    both = ben("POST", f"{nim.main}/picks", {"source": "ben--plan@2..3"}, head="*")
    assert both.status_code == 409, both.text
    assert ann("POST", f"{nim.main}/picks", {"source": "ben--plan@2"}, head="*").status_code == 404
    assert ben("POST", f"{nim.main}/picks", {"source": "ben--plan@2"}).status_code == 428
    picked = ben("POST", f"{nim.main}/picks", {"source": "ben--plan@2"}, head=nim.head())
    assert (picked.status_code, picked.json()["position"]["number"]) == (200, 2)
    late = ben("POST", f"{nim.main}/picks", {"source": "ben--plan@2"}, head=nim.service.position("k@1").commit.digest)
    assert (late.status_code, [each["number"] for each in late.json()["since"]]) == (412, [2])


@pytest.mark.parametrize("line", ["main", "ben--plan"])
def test_only_a_line_of_ones_own_is_forgotten(nim: GameServer, line: str) -> None:
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    assert ben("POST", f"{nim.path}/lines", {"name": "plan"}).status_code == 201
    assert ann("DELETE", f"{nim.path}/lines/{line}").status_code == (403 if line == "main" else 404)
    assert nim.host("DELETE", f"{nim.path}/lines/{line}").status_code == 403, (
        "a host has no lines, whether it is there or not"
    )
    response = ben("DELETE", f"{nim.path}/lines/ben--plan", key="k1")
    assert (response.status_code, response.json()["position"]["line"]) == (200, "main")
    assert nim.service.line_names("k") == ["main"]
