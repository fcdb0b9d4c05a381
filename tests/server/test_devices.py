"""A seat belongs to a person: on each of their devices, by their account or a link, until a new link ends the old."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tests.server.game_server import Client, GameServer, game_server
from tests.server.test_pages import get_page, send_form
from zimcore.server.people import accounts


def invite(client: Client, seat: str, status: int = 201, **options: object) -> str:
    """The text of a link to a seat, or the title of the refusal."""
    response = client("POST", "/v1/games/k/tokens", {"role": "seat", "seat": seat, **options})
    assert response.status_code == status, response.text
    return str(response.json()["token" if status == 201 else "title"])


def redeem(server: GameServer, link: str, status: int = 201, **options: object) -> Client:
    """The client that has redeemed a link."""
    body = {"link": link, **options}
    key = f"redeeming-{link[-12:]}-{len(options)}-{status}"
    response = server.nobody("POST", "/v1/tokens", body, key=key)
    assert response.status_code == status, response.text
    return Client(server.http, response.json().get("token", ""))


def take(server: GameServer, client: Client) -> int:
    return client("POST", f"{server.main}/moves", {"move": "take 1"}, head=server.head()).status_code


def test_a_player_opens_their_seat_on_another_device_and_keeps_the_first(nim_server: GameServer) -> None:
    laptop = nim_server.seats["ann"]
    phone = redeem(nim_server, invite(laptop, "ann"))
    assert phone.get_json("/v1/tokens")["tokens"][0]["seat"] == "ann"
    assert [take(nim_server, client) for client in (phone, nim_server.seats["ben"], laptop)] == [201, 201, 201]
    assert [each["by"] for each in nim_server.host.get_json("/v1/games/k/seats")["seats"]] == [
        "ann-player",
        "ben-player",
    ]
    assert {commit.by for commit in nim_server.service.log("k")[1:]} == {"ann-player", "ben-player"}


def test_all_devices_of_a_player_share_their_orders_and_private_lines(nim_server: GameServer) -> None:
    ben = nim_server.seats["ben"]
    phone = redeem(nim_server, invite(ben, "ben"))
    assert phone("POST", "/v1/games/k/orders", {"text": "take 3"}).status_code == 201
    assert [each["text"] for each in ben.get_json("/v1/games/k/orders")["orders"]] == ["take 3"]
    assert ben("POST", "/v1/games/k/lines", {"name": "plan"}).status_code == 201
    assert phone.get("/v1/games/k/lines/ben--plan").status_code == 200


def test_a_link_to_another_device_works_once_and_a_newer_one_ends_it(nim_server: GameServer) -> None:
    ann = nim_server.seats["ann"]
    old_link, new_link = invite(ann, "ann"), invite(ann, "ann")
    redeem(nim_server, old_link, 404)
    redeem(nim_server, new_link)
    redeem(nim_server, new_link, 404, by="eve")


def test_a_link_to_another_device_ends_after_an_hour(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, clock_step=600) as server:
        link = invite(server.seats["ann"], "ann")
        for _ in range(10):
            server.service.clock()
        redeem(server, link, 404)


def test_only_the_player_gets_a_link_to_a_taken_seat(nim_server: GameServer) -> None:
    ann, watcher = nim_server.seats["ann"], nim_server.token("spectator")
    assert invite(ann, "ben", 403) == "this is for a host"
    assert invite(ann, "ann", 403, again=True) == "this is for a host"
    assert invite(watcher, "ann", 403).startswith("this is for a")
    assert invite(nim_server.host, "ann", 409) == "ann is taken"
    response = ann("POST", "/v1/games/k/tokens", {"role": "spectator"})
    assert (response.status_code, response.json()["title"]) == (403, "this is for a host")
    assert nim_server.nobody("POST", "/v1/games/k/tokens", {"role": "seat", "seat": "ann"}).status_code == 401


def test_a_device_that_only_reads_stays_so(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        screen = redeem(server, invite(server.seats["ann"], "ann"), scopes=["read"])
        assert screen.get(server.main).status_code == 200
        assert take(server, screen) == 403
        assert screen("POST", "/v1/games/k/tokens", {"role": "seat", "seat": "ann"}).status_code == 403


def test_the_host_s_new_link_ends_all_that_opened_the_seat(nim_server: GameServer) -> None:
    ann = nim_server.seats["ann"]
    phone, unused_link = redeem(nim_server, invite(ann, "ann")), invite(ann, "ann")
    new_link = invite(nim_server.host, "ann", again=True)
    assert [client.get(nim_server.main).status_code for client in (ann, phone)] == [401, 401]
    redeem(nim_server, unused_link, 404)
    redeem(nim_server, new_link, 409)  # it needs a name: the seat is free
    back = redeem(nim_server, new_link, by="ann-player")
    assert back.get(nim_server.main).status_code == 200
    assert take(nim_server, nim_server.seats["ben"]) != 401, "the others keep their seats"


def test_a_device_is_revoked_by_itself(nim_server: GameServer) -> None:
    ann = nim_server.seats["ann"]
    phone = redeem(nim_server, invite(ann, "ann"))
    tokens = nim_server.host.get_json("/v1/games/k/tokens")["tokens"]
    (seat_token, device_token) = [each["id"] for each in tokens if each["seat"] == "ann"]
    assert nim_server.host("DELETE", f"/v1/games/k/tokens/{device_token}").status_code == 200
    assert [client.get(nim_server.main).status_code for client in (ann, phone)] == [200, 401]
    assert nim_server.host("DELETE", f"/v1/games/k/tokens/{seat_token}").status_code == 200
    assert ann.get(nim_server.main).status_code == 401


@pytest.fixture
def hanna(tmp_path: Path) -> GameServer:  # type: ignore[misc]
    """A game whose host, hanna, has taken the seat ann in a browser, by her account."""
    with game_server(tmp_path, "nim", {"seed": "7"}, take_seats=False) as server:
        link = invite(server.host, "ann")
        redeem(server, link, by="Hanna", account=server.host.token)
        server.seats = {"ben": server.sit("ben", "ben")}
        yield server


def test_an_account_plays_its_seat_on_every_device_where_it_signs_in(hanna: GameServer) -> None:
    page = get_page(hanna, "/games/k", hanna.host.token).text
    assert "Your turn" in page
    assert 'data-seat="ann"' in page
    lobby = get_page(hanna, "/", hanna.host.token).text
    assert re.search(r"you are <span[^>]*>Ann", lobby)
    assert "Your turn" in lobby
    key = re.findall(r'name="key" value="([^"]*)"', page)[0]
    form = {"as": "ann", "line": "", "head": hanna.head(), "key": key, "move": "take 1"}
    assert send_form(hanna, "/games/k/moves", form, hanna.host.token).status_code == 303
    assert take(hanna, hanna.seats["ben"]) == 201
    assert take(hanna, Client(hanna.http, f"{hanna.host.token}~ann")) == 201, "programs may, too"
    assert get_page(hanna, "/games/k?as=host", hanna.host.token).text.count("You are its host") == 1


def test_nobody_gets_a_seat_by_an_account_that_does_not_own_it(hanna: GameServer) -> None:
    eve = accounts.create_token(hanna.service, "eve").token
    watcher = hanna.token("spectator").token
    for token in (f"{eve}~ann", f"{hanna.host.token}~ben", f"{watcher}~ann", f"{hanna.seats['ben'].token}~ann"):
        assert Client(hanna.http, token).get(hanna.main).status_code == 401, token
    free_link = invite(hanna.host, "ben", again=True)
    redeem(hanna, free_link, 403, by="eve", account=hanna.host.token)
    redeem(hanna, free_link, 401, by="eve", account=eve[:-1] + ("A" if eve[-1] != "A" else "B"))
    redeem(hanna, free_link, by="Eve", account=eve)
    assert Client(hanna.http, f"{eve}~ben").get(hanna.main).status_code == 200


def test_an_account_s_seat_ends_with_the_account_s_token_and_with_the_seat(hanna: GameServer) -> None:
    second = accounts.create_token(hanna.service, "hanna")
    reader = accounts.create_token(hanna.service, "hanna", is_read_only=True).token
    assert take(hanna, Client(hanna.http, f"{reader}~ann")) == 403
    at_seat = Client(hanna.http, f"{second.token}~ann")
    assert at_seat.get(hanna.main).status_code == 200
    accounts.revoke(hanna.service, second.about.id, by="hanna")
    assert at_seat.get(hanna.main).status_code == 401
    link = invite(hanna.host, "ann", again=True)
    redeem(hanna, link, by="zoe")
    assert Client(hanna.http, f"{hanna.host.token}~ann").get(hanna.main).status_code == 401, "zoe sits there now"


def test_a_page_opens_the_seat_on_a_phone_and_a_host_s_page_gives_a_new_link(nim_server: GameServer) -> None:
    ann = nim_server.seats["ann"].token
    page = get_page(nim_server, "/games/k", ann).text
    assert "Open on my phone" in page
    assert "A new link" not in page
    form = {"seat": "ann", "own": "ann", "key": "k" * 20}
    answer = send_form(nim_server, "/games/k/links", form, ann)
    (link,) = re.findall(r'value="[^"]*/join#(zim_link_[^"]*)"', answer.text)
    assert 'class="qr"' in answer.text
    about = send_form(nim_server, "/join/about", {"link": link, "key": "k" * 20}).text
    assert "You are <b>ann-player</b>" in about
    host_page = unescape(get_page(nim_server, "/games/k?as=host", nim_server.host.token).text)
    assert "A new link for ben-player" in host_page
    stolen = send_form(nim_server, "/games/k/links", {"seat": "ben", "own": "ben", "key": "k" * 20}, ann)
    assert stolen.status_code == 401
    forged = send_form(nim_server, "/games/k/links", {"seat": "ben", "own": "ann", "key": "k" * 20}, ann)
    assert forged.status_code == 403


def test_a_free_seat_that_is_to_move_says_how_it_is_filled(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}, take_seats=False) as server:
        ben = server.sit("ben", "ben").token
        assert "hanna, the host, can send its link" in get_page(server, "/games/k", ben).text
        page = get_page(server, "/games/k?as=host", server.host.token).text
        assert "A link for Ann" in page
