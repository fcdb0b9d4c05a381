"""Authorization: links are redeemed once, tokens end, and seats see and play only what is theirs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.server.endpoint_requests import READING_ENDPOINTS, send_request, stored_rows
from tests.server.game_server import FIRST_TIME, Client, GameServer, game_server
from zimcore.server.people import accounts
from zimcore.server.people.access import Visitor
from zimcore.server.wire import tokens
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.service.records.memberships import Grant, Members

LINE_PATHS = ("/v1/games/k/lines/main", "/v1/games/k/lines/ben--plan")
WRITES_AGAINST_BEN: list[tuple[str, str, Any]] = [
    ("POST", "{line}/moves", {"move": "take 1"}),
    ("POST", "{line}/moves", {"move": "ben: take 1"}),
    ("POST", "{line}/moves", {"move": "take 1", "seat": "ben"}),
    ("PUT", "{line}/head", {"steps": -1}),
    ("PUT", "{line}/head", {"to": "start"}),
    ("PUT", "{line}/name", {"name": "mine"}),
    ("PUT", "{line}/name", {"name": "mine", "shared": True}),
    ("POST", "/v1/games/k/lines", {"name": "ben--plan"}),
    ("POST", "/v1/games/k/lines", {"name": "x", "line": "ben--plan"}),
    ("POST", "{line}/amendments", {"at": "1", "move": "take 1", "name": "ben--x"}),
    ("POST", "{line}/picks", {"source": "ben--plan@2"}),
    ("DELETE", "{line}", None),
    ("PUT", "/v1/games/k/requests/1", {"status": "granted"}),
    ("POST", "/v1/games/k/requests", {"line": "ben--plan"}),
    ("POST", "/v1/games/k/votes", {"what": "end", "seat": "ben"}),
    ("DELETE", "/v1/games/k/seats/ben", None),
    ("DELETE", "/v1/games/k/seats/nobody", None),
    ("PUT", "/v1/games/k/seats/ben/key", {"key": "0" * 64}),
    ("PUT", "/v1/games/k/seats/ben/key", {"key": "0" * 64, "lost": True}),
]
"""Writes on Ben's line, turn, seat and tokens by other people. `test_endpoints.py` covers the roles."""


@pytest.fixture
def match_with_plan(nim_server: GameServer) -> GameServer:
    """Ben is to move, and thinks about it on a line of his own."""
    nim_server.play("take 3")
    ben = nim_server.seats["ben"]
    assert ben("POST", f"{nim_server.path}/lines", {"name": "plan"}).status_code == 201
    assert ben("POST", f"{nim_server.path}/lines/ben--plan/moves", {"move": "take 2"}, head="*").status_code == 201
    return nim_server


@pytest.mark.parametrize("line", LINE_PATHS)
@pytest.mark.parametrize("role", ["ann", "bob", "spectator", "auditor", "nobody", "stranger", "liar"])
def test_no_visitor_changes_things_of_ben(match_with_plan: GameServer, tmp_path: Path, role: str, line: str) -> None:
    """An attacker tries everything at Ben's line, at his turn, seat and tokens."""
    attacker = attacking_clients(match_with_plan)[role]
    rows_before = stored_rows(match_with_plan)
    for method, path, body in WRITES_AGAINST_BEN:
        if (role, line, path) == ("ann", LINE_PATHS[0], "{line}/head"):
            continue  # Ann may take back her own last move
        for head in ("*", match_with_plan.head(line.rpartition("/")[2])):
            response = attacker(method, path.format(line=line), body, head=head)
            assert 400 <= response.status_code < 500, (method, path, body, response.text)
            assert "application/problem+json" in response.headers["content-type"]
    assert stored_rows(match_with_plan) == rows_before


def attacking_clients(server: GameServer) -> dict[str, Client]:
    other_game = server.host("POST", "/v1/games", {"kind": "nim", "name": "elsewhere"})
    assert other_game.status_code == 201
    own_game, server.game = server.game, "elsewhere"
    stranger = server.sit("ben")
    server.game = own_game
    return {
        "ann": server.seats["ann"],
        "bob": Client(server.http, accounts.create_token(server.service, "bob").token),
        "spectator": server.token("spectator"),
        "auditor": server.token("auditor"),
        "nobody": server.nobody,
        "stranger": stranger,
        "liar": Client(server.http, tokens.new_token("seat", server.service.stream_of("k"))),
    }


@pytest.mark.parametrize("role", ["ann", "host", "spectator", "auditor"])
def test_a_line_of_another_seat_is_answered_like_a_missing_one(match_with_plan: GameServer, role: str) -> None:
    client = {**attacking_clients(match_with_plan), "host": match_with_plan.host}[role]
    for row in READING_ENDPOINTS:
        if "line" in row.parameters:
            private_response, missing_response = (
                send_request(client, row, match_with_plan, line=name) for name in ("ben--plan", "ben--plam")
            )
            assert private_response.status_code in (403, 404)
            assert private_response.text.replace("plan", "plam") == missing_response.text
            assert private_response.headers == missing_response.headers
    assert [line["name"] for line in client.get_json("/v1/games/k/lines")["lines"]] == ["main"]
    digest = match_with_plan.head("ben--plan")
    assert client.get(f"/v1/games/k/positions/{digest}").status_code == 404
    assert client.get(f"/v1/games/k/lines/main?at={digest}").status_code == 404
    assert client.get("/v1/games/k/lines/main/compare?other=ben--plan").status_code == 404


@pytest.mark.parametrize("role", ["bob", "nobody", "stranger", "liar"])
def test_a_private_game_is_answered_like_a_missing_one(match_with_plan: GameServer, role: str) -> None:
    client = attacking_clients(match_with_plan)[role]
    for row in READING_ENDPOINTS:
        if "game" not in row.parameters:
            continue
        private_response, missing_response = (
            send_request(client, row, match_with_plan, game=name) for name in ("k", "q")
        )
        assert private_response.status_code in (401, 404)
        if role != "liar":  # a token with the right stream shows that the game exists
            assert private_response.text.replace("'k'", "'q'") == missing_response.text
            assert private_response.headers == missing_response.headers


def test_a_link_gives_its_seat_to_one_player_only(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, take_seats=False) as server:
        link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ann"}, key="for-ann").json()
        assert link["token"].startswith("zim_link_")
        assert Client(server.http, link["token"]).get(server.main).status_code == 401, "a link is no token"
        body = {"link": link["token"], "by": "anna"}
        first_response = server.nobody("POST", "/v1/tokens", body, key="a-key-of-annas-own")
        retry = server.nobody("POST", "/v1/tokens", body, key="a-key-of-annas-own")
        assert first_response.json()["token"] == retry.json()["token"]
        assert first_response.json()["token"].startswith("zim_seat_")
        for key, by in (("another-key-entirely", "anna"), ("another-key-entirely", "eve")):
            late_response = server.nobody("POST", "/v1/tokens", {**body, "by": by}, key=key)
            assert (late_response.status_code, late_response.json()["title"]) == (404, "this link is no longer valid")
        response_to_eve = server.nobody("POST", "/v1/tokens", {**body, "by": "eve"}, key="a-key-of-annas-own")
        assert (response_to_eve.status_code, response_to_eve.json()["kind"]) == (422, "key-taken")
        response = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ann"})
        assert (response.status_code, response.json()["title"]) == (409, "ann is taken")
        (seat, free_seat) = server.host.get_json(f"{server.path}/seats")["seats"]
        assert (seat["by"], free_seat["by"]) == ("anna", "")


@pytest.mark.parametrize(
    ("role", "seat", "title"),
    [("seat", "", "the role seat needs a seat"), ("spectator", "ann", "the role spectator has no seat")],
)
def test_a_seat_is_offered_to_players_and_programs_only(
    nim_server: GameServer, role: str, seat: str, title: str
) -> None:
    response = nim_server.host("POST", f"{nim_server.path}/tokens", {"role": role, "seat": seat})
    assert (response.status_code, response.json()["title"]) == (400, title)


def test_a_newer_link_ends_the_older_one(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, take_seats=False) as server:
        links = [
            server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ann"}).json()["token"] for _ in "ab"
        ]
        responses = [
            server.nobody("POST", "/v1/tokens", {"link": link, "by": "anna"}, key=f"a-key-of-annas-{index}")
            for index, link in enumerate(links)
        ]
        assert [response.status_code for response in responses] == [404, 201]


def test_no_player_takes_the_name_of_another_player(tmp_path: Path) -> None:
    """Retries are recognised by author: two players of one name would get each other's answers."""
    with game_server(tmp_path, "nim", {}, take_seats=False) as server:
        server.sit("ann", "anna")
        link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ben"}).json()["token"]
        response = server.nobody("POST", "/v1/tokens", {"link": link, "by": "Anna"}, key="a-key-of-eve-herself")
        assert (response.status_code, response.json()["title"]) == (409, "another player is called Anna")


def test_a_player_who_left_or_was_revoked_has_no_access(nim_server: GameServer) -> None:
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    assert ann("DELETE", f"{nim_server.path}/seats/ann").status_code == 200
    assert ann.get(nim_server.main).status_code == 401
    id_by_name = {
        token["name"]: token["id"] for token in nim_server.host.get_json(f"{nim_server.path}/tokens")["tokens"]
    }
    assert set(id_by_name) == {"ben-player"}
    assert nim_server.host("DELETE", f"{nim_server.path}/tokens/{id_by_name['ben-player']}").status_code == 200
    assert ben.get(nim_server.main).status_code == 401
    assert [seat["by"] for seat in nim_server.host.get_json(f"{nim_server.path}/seats")["seats"]] == ["", ""]
    assert nim_server.sit("ann", "amy").get(nim_server.main).status_code == 200


def test_a_token_ends_at_its_date(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, take_seats=False) as server:
        response = server.host("POST", f"{server.path}/tokens", {"role": "spectator", "days": 0.0005})
        client = Client(server.http, response.json()["token"])
        assert response.json()["about"]["until"] < (FIRST_TIME + timedelta(days=1)).isoformat()
        statuses = [client.get(server.main).status_code for _ in range(50)]  # each request is a second by that clock
        assert (statuses[0], statuses[-1]) == (200, 401)
        account = accounts.create_token(server.service, "kim", days=-1)
        assert Client(server.http, account.token).get("/v1/games").status_code == 401


def test_the_answer_to_a_revocation_lists_valid_tokens_only(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, take_seats=False) as server:
        _, revoked, valid = (
            server.host("POST", f"{server.path}/tokens", {"role": "spectator", "days": days}).json()["about"]["id"]
            for days in (0.0005, 1, 1)
        )
        for _ in range(50):  # each request is a second by the server's clock
            server.host.get_json(f"{server.path}/seats")
        answer = server.host("DELETE", f"{server.path}/tokens/{revoked}").json()
        assert [token["id"] for token in answer["tokens"]] == [valid]
        assert answer["tokens"] == server.host.get_json(f"{server.path}/tokens")["tokens"]


def test_a_token_that_only_reads_writes_nothing(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, take_seats=False) as server:
        reading_seat = server.sit("ann", scopes=["read"])
        assert reading_seat.get(server.main).status_code == 200
        response = reading_seat("POST", f"{server.main}/moves", {"move": "take 1"}, head="*")
        assert (response.status_code, response.json()["title"]) == (403, "this token only reads")
        reading_host = Client(server.http, accounts.create_token(server.service, "rex", is_read_only=True).token)
        assert reading_host("POST", "/v1/games", {"kind": "nim"}).status_code == 403


def test_a_host_with_the_token_of_a_seat_is_not_sent_to_the_host() -> None:
    hints = dict[str, str]()
    for name in ("hanna", "ben"):
        visitor = Visitor("friday", Members(host="hanna"), Grant("", "seat", b"", name, "kilwa"))
        with pytest.raises(ProblemError, match="this is for a host") as error:
            visitor.check_role(("host",))
        hints[name] = " ".join(error.value.details.hints)
    assert hints == {"hanna": "zim host friday", "ben": "zim seats friday"}


def test_a_public_game_is_watched_without_a_token(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, public=True) as server:
        assert server.nobody.get_json(server.main)["position"]["number"] == 0
        assert server.nobody("POST", f"{server.main}/moves", {"move": "take 1"}, head="*").status_code == 403
        assert server.nobody.get(f"{server.path}/tokens").status_code == 403


@pytest.mark.parametrize(
    "authorization",
    [
        *("Bearer", "Bearer ", "Basic YTpi", "Bearer x", "Bearer zim_seat_", "Bearer zim_host_" + "A" * 43),
        *("Bearer zim_seat_id0002_" + "A" * 43, "Bearer zim_link_id0002_" + "A" * 43),
        "Bearer zim_seat_\xff" + "A" * 43,
        *("Bearer " + "A" * 4000, "Bearer zim_seat_id0002_" + "A" * 43 + "\x00"),
    ],
)
def test_a_text_that_is_no_token_is_an_error(nim_server: GameServer, authorization: str) -> None:
    response = nim_server.http.get(nim_server.main, headers={"Authorization": authorization.encode("latin-1")})
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert "AAAA" not in response.text


def test_no_token_is_stored(nim_server: GameServer, tmp_path: Path) -> None:
    nim_server.play("take 1")
    nim_server.service.store.close()
    with closing(sqlite3.connect(tmp_path / "games.zim")) as database:
        stored_bytes = b"".join(row[0] for row in database.execute("SELECT state FROM stored_events"))
    for client in (*nim_server.seats.values(), nim_server.host):
        secret = client.token[-43:]
        assert secret.encode() not in stored_bytes
        assert tokens.digest(client.token) in stored_bytes


def test_no_hint_names_a_line_of_another_seat(match_with_plan: GameServer) -> None:
    ann = match_with_plan.seats["ann"]
    for method, path, body in WRITES_AGAINST_BEN:
        for line in ("ann--plan", "ann--x", "plan", "ben--plam"):
            response = ann(method, path.format(line=f"{match_with_plan.path}/lines/{line}"), body, head="*")
            assert "ben--plan" not in response.text.replace("'ben--plan'", ""), (path, body)


def test_a_seat_taken_as_bot_is_marked_as_bot(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, take_seats=False) as server:
        link = server.host("POST", f"{server.path}/tokens", {"role": "bot", "seat": "ann"}).json()["token"]
        token = server.nobody("POST", "/v1/tokens", {"link": link, "by": "deep-nim"}, key="a-key-of-deep-nim").json()
        assert token["token"].startswith("zim_bot_")
        bot = Client(server.http, token["token"])
        assert bot("POST", f"{server.main}/moves", {"move": "take 1"}, head="*").status_code == 201
        assert [(seat["by"], seat["bot"]) for seat in bot.get_json(f"{server.path}/seats")["seats"]] == [
            ("deep-nim", True),
            ("", False),
        ]


def test_sealed_bids_cause_no_conflict_and_an_auditor_sees_them_after_the_end(tmp_path: Path, souk: Any) -> None:
    with game_server(tmp_path, "souk", {"seed": "7"}) as server:
        auditor, amina = server.token("auditor"), server.seats["amina"]
        head = server.head()
        for seat, client in server.seats.items():  # all bids are on the head before the first bid
            response = client("POST", f"{server.main}/moves", {"move": f"bid {len(seat) - 3}"}, head=head)
            assert response.status_code == 201, response.text
        assert server.seats["badr"]("PUT", f"{server.main}/head", {"steps": -1}, head="*").status_code == 409
        sealed_bid = auditor.get_json(f"{server.main}/moves?at=1")["commits"][1]
        assert sealed_bid["text"] == "bid ?"
        assert auditor.get(f"{server.main}/certificate").json()["kind"] == "hidden"
        position = server.service.head("k")
        while not position.outcome.over:
            seat = position.to_move[0]
            text = next(iter(server.service.head("k").legal(seat).texts()))
            response = server.seats[seat]("POST", f"{server.main}/moves", {"move": text.rpartition(": ")[2]}, head="*")
            assert response.status_code == 201, response.text
            position = server.service.head("k")
        assert auditor.get_json(f"{server.main}/moves?at=1")["commits"][1]["text"] == "bid 2"
        assert auditor.get(f"{server.main}/certificate").status_code == 200
        assert amina("PUT", f"{server.main}/head", {"steps": -1}, head="*").status_code == 409, "it is over"
        assert auditor.get_json(f"{server.main}/verify")["audit"]["fault"] is None
