"""Standing orders over HTTP: only their seat gets them; no other visitor gets a byte of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.game_server import GameServer, game_server
from tests.server.test_delay import everything


def test_an_order_is_given_listed_carried_out_and_taken_back(nim: GameServer) -> None:
    path, ben = f"{nim.path}/orders", nim.seats["ben"]
    answer = ben("POST", path, {"text": "take 2"})
    assert answer.status_code == 201, answer.text
    (order,) = answer.json()["orders"]
    assert (order["text"], order["seat"], order["by"]) == ("take 2", "ben", "ben-player")
    assert ben.ok(path)["orders"] == [order]
    nim.play("take 1")
    moves = ben.ok(f"{nim.main}/moves")["commits"]
    assert [(each["text"], each["by"]) for each in moves[1:]] == [
        ("take 1", "ann-player"),
        ("take 2", "standing order of ben-player"),
    ]
    assert [each["number"] for each in ben.ok(path)["ended"]] == [order["number"]]
    other = ben("POST", path, {"text": "take 1"}).json()["orders"][0]["number"]
    assert ben("DELETE", f"{path}/{other}").json()["orders"] == []
    assert ben("DELETE", f"{path}/{other}").status_code == 404


def test_the_same_key_orders_once(nim: GameServer) -> None:
    path, ben = f"{nim.path}/orders", nim.seats["ben"]
    for _ in range(2):
        assert len(ben("POST", path, {"text": "take 2"}, key="o1").json()["orders"]) == 1
    assert ben("POST", path, {"text": "take 3"}, key="o1").status_code == 422


@pytest.mark.parametrize("body", [{"text": "frob"}, {"text": ""}, {"text": 3}, {}, {"text": "take 1", "seat": "ann"}])
def test_what_is_no_order_is_refused(nim: GameServer, body: dict[str, object]) -> None:
    answer = nim.seats["ben"]("POST", f"{nim.path}/orders", body)
    assert answer.status_code in (400, 409)
    assert "application/problem+json" in answer.headers["content-type"]


def test_no_other_player_asks_orders_or_takes_back(nim: GameServer) -> None:
    path = f"{nim.path}/orders"
    number = nim.seats["ben"]("POST", path, {"text": "take 2"}).json()["orders"][0]["number"]
    assert nim.seats["ann"].ok(path)["orders"] == []
    assert nim.seats["ann"]("DELETE", f"{path}/{number}").status_code == 404
    for who in (nim.host, nim.token("spectator"), nim.token("auditor"), nim.nobody):
        for answer in (who.get(path), who("POST", path, {"text": "take 1"}), who("DELETE", f"{path}/{number}")):
            assert answer.status_code in (401, 403)
    reader = nim.host("DELETE", f"{nim.path}/seats/ann")
    assert reader.status_code == 200
    reads = nim.sit("ann", by="ann-player", scopes=["read"])
    assert reads.get(path).status_code == 200
    assert reads("POST", path, {"text": "take 1"}).status_code == 403


def test_who_takes_the_seat_later_has_no_orders(nim: GameServer) -> None:
    path = f"{nim.path}/orders"
    nim.seats["ben"]("POST", path, {"text": "take 2"})
    assert nim.host("DELETE", f"{nim.path}/seats/ben").status_code == 200
    nim.play("take 1")  # and nobody sits there: what was ordered is nobody's
    assert nim.service.head("k").to_move == ("ben",)
    again = nim.sit("ben", by="bert")
    assert again.ok(path)["orders"] == []


@pytest.mark.parametrize("role", ["ann", "host", "spectator", "auditor", "nobody"])
def test_orders_of_another_seat_change_no_byte(tmp_path: Path, role: str) -> None:
    from itertools import count

    sent = []
    for name, texts in (("one", ()), ("other", ("take 2; take 1", "take 3"))):
        folder, numbers = tmp_path / name, count(1)
        folder.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("secrets.token_bytes", lambda size, numbers=numbers: next(numbers).to_bytes(size))
            with game_server(folder, "nim", {"seed": "7"}, public=True, tick=0) as server:
                server.play("take 1", "take 2", "take 1", "take 1")
                assert server.service.head("k").to_move == ("ann",)
                for text in texts:
                    assert server.seats["ben"]("POST", f"{server.path}/orders", {"text": text}).status_code == 201
                who = {
                    "ann": server.seats["ann"],
                    "host": server.host,
                    "nobody": server.nobody,
                    "spectator": None,
                    "auditor": None,
                }[role] or server.token(role)
                sent.append(everything(server, who) if role != "ann" else looks(server))
    for a, b in zip(*sent, strict=True):
        assert a == b


def looks(server: GameServer) -> list[object]:
    """Everything that another seat can read, including moves that would trigger the orders."""
    paths = ["", "/seats", "/lines", "/orders", "/talk", "/lines/main", "/lines/main/moves", "/lines/main/entries"]
    answers = [server.seats["ann"].get(server.path + path) for path in paths]
    return [(each.status_code, each.text, sorted(each.headers.items())) for each in answers]
