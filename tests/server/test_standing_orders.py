"""Standing orders over HTTP: only their seat gets them; no other visitor gets a byte of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.game_server import GameServer, game_server
from tests.server.test_delay import all_responses


def test_an_order_is_listed_carried_out_and_taken_back(nim_server: GameServer) -> None:
    path, ben = f"{nim_server.path}/orders", nim_server.seats["ben"]
    response = ben("POST", path, {"text": "take 2"})
    assert response.status_code == 201, response.text
    (order,) = response.json()["orders"]
    assert (order["text"], order["seat"], order["by"]) == ("take 2", "ben", "ben-player")
    assert ben.get_json(path)["orders"] == [order]
    nim_server.play("take 1")
    moves = ben.get_json(f"{nim_server.main}/moves")["commits"]
    assert [(each["text"], each["by"]) for each in moves[1:]] == [
        ("take 1", "ann-player"),
        ("take 2", "standing order of ben-player"),
    ]
    assert [each["number"] for each in ben.get_json(path)["ended"]] == [order["number"]]
    second_number = ben("POST", path, {"text": "take 1"}).json()["orders"][0]["number"]
    assert ben("DELETE", f"{path}/{second_number}").json()["orders"] == []
    assert ben("DELETE", f"{path}/{second_number}").status_code == 404


def test_a_retried_order_is_stored_once(nim_server: GameServer) -> None:
    path, ben = f"{nim_server.path}/orders", nim_server.seats["ben"]
    for _ in range(2):
        assert len(ben("POST", path, {"text": "take 2"}, key="o1").json()["orders"]) == 1
    assert ben("POST", path, {"text": "take 3"}, key="o1").status_code == 422


@pytest.mark.parametrize("body", [{"text": "frob"}, {"text": ""}, {"text": 3}, {}, {"text": "take 1", "seat": "ann"}])
def test_an_invalid_order_is_refused(nim_server: GameServer, body: dict[str, object]) -> None:
    response = nim_server.seats["ben"]("POST", f"{nim_server.path}/orders", body)
    assert response.status_code in (400, 409)
    assert "application/problem+json" in response.headers["content-type"]


def test_no_other_client_reads_gives_or_takes_back_orders(nim_server: GameServer) -> None:
    path = f"{nim_server.path}/orders"
    number = nim_server.seats["ben"]("POST", path, {"text": "take 2"}).json()["orders"][0]["number"]
    assert nim_server.seats["ann"].get_json(path)["orders"] == []
    assert nim_server.seats["ann"]("DELETE", f"{path}/{number}").status_code == 404
    for client in (nim_server.host, nim_server.token("spectator"), nim_server.token("auditor"), nim_server.nobody):
        for response in (
            client.get(path),
            client("POST", path, {"text": "take 1"}),
            client("DELETE", f"{path}/{number}"),
        ):
            assert response.status_code in (401, 403)
    response_to_removal = nim_server.host("DELETE", f"{nim_server.path}/seats/ann")
    assert response_to_removal.status_code == 200
    reading_client = nim_server.sit("ann", by="ann-player", scopes=["read"])
    assert reading_client.get(path).status_code == 200
    assert reading_client("POST", path, {"text": "take 1"}).status_code == 403


def test_the_next_player_of_a_seat_has_no_orders(nim_server: GameServer) -> None:
    path = f"{nim_server.path}/orders"
    nim_server.seats["ben"]("POST", path, {"text": "take 2"})
    assert nim_server.host("DELETE", f"{nim_server.path}/seats/ben").status_code == 200
    nim_server.play("take 1")  # nobody sits there now, so the order is not played
    assert nim_server.service.head("k").to_move == ("ben",)
    next_player = nim_server.sit("ben", by="bert")
    assert next_player.get_json(path)["orders"] == []


@pytest.mark.parametrize("role", ["ann", "host", "spectator", "auditor", "nobody"])
def test_orders_of_another_seat_change_no_byte(tmp_path: Path, role: str) -> None:
    from itertools import count

    responses = []
    for folder_name, order_texts in (("one", ()), ("other", ("take 2; take 1", "take 3"))):
        folder, numbers = tmp_path / folder_name, count(1)
        folder.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("secrets.token_bytes", lambda size, numbers=numbers: next(numbers).to_bytes(size))
            with game_server(folder, "nim", {"seed": "7"}, public=True, clock_step=0) as server:
                server.play("take 1", "take 2", "take 1", "take 1")
                assert server.service.head("k").to_move == ("ann",)
                for order_text in order_texts:
                    assert server.seats["ben"]("POST", f"{server.path}/orders", {"text": order_text}).status_code == 201
                client = {
                    "ann": server.seats["ann"],
                    "host": server.host,
                    "nobody": server.nobody,
                    "spectator": None,
                    "auditor": None,
                }[role] or server.token(role)
                responses.append(all_responses(server, client) if role != "ann" else responses_to_ann(server))
    for first_response, other_response in zip(*responses, strict=True):
        assert first_response == other_response


def responses_to_ann(server: GameServer) -> list[object]:
    """Everything that another seat can read, including moves that would trigger the orders."""
    paths = ["", "/seats", "/lines", "/orders", "/talk", "/lines/main", "/lines/main/moves", "/lines/main/entries"]
    responses = [server.seats["ann"].get(server.path + path) for path in paths]
    return [(each.status_code, each.text, sorted(each.headers.items())) for each in responses]
