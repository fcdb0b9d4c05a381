"""Authorization: links are redeemed once, tokens end, and seats see and play only what is theirs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.server.asking import READS, send, stored_rows
from tests.server.game_server import BEGIN, Client, GameServer, game_server
from zimcore.server import accounts, tokens
from zimcore.server.access import Visitor
from zimcore.server.problem_responses import ProblemError
from zimcore.service.memberships import Grant, Members

LINES = ("/v1/games/k/lines/main", "/v1/games/k/lines/ben--plan")
ATTACKS: list[tuple[str, str, Any]] = [
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
"""What is Ben's, in the hands of others: what only a body says. Roles are tried by `test_endpoints.py`."""


@pytest.fixture
def match_with_plan(nim: GameServer) -> GameServer:
    """Ben is to move, and thinks about it on a line of his own."""
    nim.play("take 3")
    ben = nim.seats["ben"]
    assert ben("POST", f"{nim.path}/lines", {"name": "plan"}).status_code == 201
    assert ben("POST", f"{nim.path}/lines/ben--plan/moves", {"move": "take 2"}, head="*").status_code == 201
    return nim


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("who", ["ann", "bob", "spectator", "auditor", "nobody", "stranger", "liar"])
def test_no_visitor_changes_what_they_do_not_own(
    match_with_plan: GameServer, tmp_path: Path, who: str, line: str
) -> None:
    """An attacker tries everything at Ben's line, at his turn, seat and tokens."""
    attacker = attackers(match_with_plan)[who]
    before = stored_rows(match_with_plan)
    for method, path, body in ATTACKS:
        if (who, line, path) == ("ann", LINES[0], "{line}/head"):
            continue  # she may take back her own last move
        for head in ("*", match_with_plan.head(line.rpartition("/")[2])):
            answer = attacker(method, path.format(line=line), body, head=head)
            assert 400 <= answer.status_code < 500, (method, path, body, answer.text)
            assert "application/problem+json" in answer.headers["content-type"]
    assert stored_rows(match_with_plan) == before


def attackers(server: GameServer) -> dict[str, Client]:
    other = server.host("POST", "/v1/games", {"kind": "nim", "name": "elsewhere"})
    assert other.status_code == 201
    here, server.game = server.game, "elsewhere"
    stranger = server.sit("ben")
    server.game = here
    return {
        "ann": server.seats["ann"],
        "bob": Client(server.http, accounts.give(server.service, "bob").token),
        "spectator": server.token("spectator"),
        "auditor": server.token("auditor"),
        "nobody": server.nobody,
        "stranger": stranger,
        "liar": Client(server.http, tokens.new_token("seat", server.service.stream_of("k"))),
    }


@pytest.mark.parametrize("who", ["ann", "host", "spectator", "auditor"])
def test_a_line_of_another_seat_is_answered_as_one_that_is_not_there(match_with_plan: GameServer, who: str) -> None:
    looks = {**attackers(match_with_plan), "host": match_with_plan.host}[who]
    for row in READS:
        if "line" in row.parameters:
            theirs, none = (send(looks, row, match_with_plan, line=name) for name in ("ben--plan", "ben--plam"))
            assert theirs.status_code in (403, 404)
            assert theirs.text.replace("plan", "plam") == none.text
            assert theirs.headers == none.headers
    assert [line["name"] for line in looks.ok("/v1/games/k/lines")["lines"]] == ["main"]
    digest = match_with_plan.head("ben--plan")
    assert looks.get(f"/v1/games/k/positions/{digest}").status_code == 404
    assert looks.get(f"/v1/games/k/lines/main?at={digest}").status_code == 404
    assert looks.get("/v1/games/k/lines/main/compare?other=ben--plan").status_code == 404


@pytest.mark.parametrize("who", ["bob", "nobody", "stranger", "liar"])
def test_a_game_of_others_is_answered_as_one_that_is_not_there(match_with_plan: GameServer, who: str) -> None:
    looks = attackers(match_with_plan)[who]
    for row in READS:
        if "game" not in row.parameters:
            continue
        theirs, none = (send(looks, row, match_with_plan, game=name) for name in ("k", "q"))
        assert theirs.status_code in (401, 404)
        if who != "liar":  # who has guessed the stream of a game knows that it is there
            assert theirs.text.replace("'k'", "'q'") == none.text
            assert theirs.headers == none.headers


def test_redeeming_a_link_gives_the_seat_to_one_player(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, sit=False) as server:
        link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ann"}, key="for-ann").json()
        assert link["token"].startswith("zim_link_")
        assert Client(server.http, link["token"]).get(server.main).status_code == 401, "it is no token"
        body = {"link": link["token"], "by": "anna"}
        first = server.nobody("POST", "/v1/tokens", body, key="a-key-of-annas-own")
        again = server.nobody("POST", "/v1/tokens", body, key="a-key-of-annas-own")
        assert first.json()["token"] == again.json()["token"]
        assert first.json()["token"].startswith("zim_seat_")
        for key, by in (("another-key-entirely", "anna"), ("another-key-entirely", "eve")):
            late = server.nobody("POST", "/v1/tokens", {**body, "by": by}, key=key)
            assert (late.status_code, late.json()["title"]) == (404, "this link is no longer valid")
        stolen = server.nobody("POST", "/v1/tokens", {**body, "by": "eve"}, key="a-key-of-annas-own")
        assert (stolen.status_code, stolen.json()["kind"]) == (422, "key-taken")
        response = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ann"})
        assert (response.status_code, response.json()["title"]) == (409, "ann is taken")
        (seat, free) = server.host.ok(f"{server.path}/seats")["seats"]
        assert (seat["by"], free["by"]) == ("anna", "")


def test_a_newer_link_ends_the_older_one(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, sit=False) as server:
        links = [
            server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ann"}).json()["token"] for _ in "ab"
        ]
        answers = [
            server.nobody("POST", "/v1/tokens", {"link": link, "by": "anna"}, key=f"a-key-of-annas-{at}")
            for at, link in enumerate(links)
        ]
        assert [answer.status_code for answer in answers] == [404, 201]


def test_no_player_takes_the_name_of_another_player(tmp_path: Path) -> None:
    """Retries are known by who asks: the same name twice would get the answers of the other."""
    with game_server(tmp_path, "nim", {}, sit=False) as server:
        server.sit("ann", "anna")
        link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ben"}).json()["token"]
        answer = server.nobody("POST", "/v1/tokens", {"link": link, "by": "Anna"}, key="a-key-of-eve-herself")
        assert (answer.status_code, answer.json()["title"]) == (409, "another player is called Anna")


def test_who_has_left_or_was_revoked_is_out(nim: GameServer) -> None:
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    assert ann("DELETE", f"{nim.path}/seats/ann").status_code == 200
    assert ann.get(nim.main).status_code == 401
    ids = {token["name"]: token["id"] for token in nim.host.ok(f"{nim.path}/tokens")["tokens"]}
    assert set(ids) == {"ben-player"}
    assert nim.host("DELETE", f"{nim.path}/tokens/{ids['ben-player']}").status_code == 200
    assert ben.get(nim.main).status_code == 401
    assert [seat["by"] for seat in nim.host.ok(f"{nim.path}/seats")["seats"]] == ["", ""]
    assert nim.sit("ann", "amy").get(nim.main).status_code == 200


def test_a_token_ends_when_it_was_said(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, sit=False) as server:
        answer = server.host("POST", f"{server.path}/tokens", {"role": "spectator", "days": 0.0005})
        looks = Client(server.http, answer.json()["token"])
        assert answer.json()["about"]["until"] < (BEGIN + timedelta(days=1)).isoformat()
        statuses = [looks.get(server.main).status_code for _ in range(50)]  # each request is a second by that clock
        assert (statuses[0], statuses[-1]) == (200, 401)
        account = accounts.give(server.service, "kim", days=-1)
        assert Client(server.http, account.token).get("/v1/games").status_code == 401


def test_a_token_that_only_reads_writes_nothing(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, sit=False) as server:
        screen = server.sit("ann", scopes=["read"])
        assert screen.get(server.main).status_code == 200
        answer = screen("POST", f"{server.main}/moves", {"move": "take 1"}, head="*")
        assert (answer.status_code, answer.json()["title"]) == (403, "this token only reads")
        reader = Client(server.http, accounts.give(server.service, "rex", only_read=True).token)
        assert reader("POST", "/v1/games", {"kind": "nim"}).status_code == 403


def test_a_host_with_the_token_of_a_seat_is_not_sent_to_the_host() -> None:
    hints = dict[str, str]()
    for name in ("hanna", "ben"):
        visitor = Visitor("friday", Members(host="hanna"), Grant("", "seat", b"", name, "kilwa"))
        with pytest.raises(ProblemError, match="this is for a host") as error:
            visitor.check(("host",))
        hints[name] = " ".join(error.value.details.hints)
    assert hints == {"hanna": "zim host friday", "ben": "tell the host"}


def test_a_public_game_is_watched_without_a_token(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, public=True) as server:
        assert server.nobody.ok(server.main)["position"]["number"] == 0
        assert server.nobody("POST", f"{server.main}/moves", {"move": "take 1"}, head="*").status_code == 403
        assert server.nobody.get(f"{server.path}/tokens").status_code == 403


@pytest.mark.parametrize(
    "sent",
    [
        *("Bearer", "Bearer ", "Basic YTpi", "Bearer x", "Bearer zim_seat_", "Bearer zim_host_" + "A" * 43),
        *("Bearer zim_seat_id0002_" + "A" * 43, "Bearer zim_link_id0002_" + "A" * 43),
        "Bearer zim_seat_\xff" + "A" * 43,
        *("Bearer " + "A" * 4000, "Bearer zim_seat_id0002_" + "A" * 43 + "\x00"),
    ],
)
def test_a_text_that_is_no_token_is_an_error(nim: GameServer, sent: str) -> None:
    answer = nim.http.get(nim.main, headers={"Authorization": sent.encode("latin-1")})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "AAAA" not in answer.text


def test_no_token_is_stored(nim: GameServer, tmp_path: Path) -> None:
    nim.play("take 1")
    nim.service.store.close()
    with closing(sqlite3.connect(tmp_path / "games.zim")) as database:
        stored = b"".join(row[0] for row in database.execute("SELECT state FROM stored_events"))
    for client in (*nim.seats.values(), nim.host):
        secret = client.token[-43:]
        assert secret.encode() not in stored
        assert tokens.digest(client.token) in stored


def test_no_hint_names_a_line_of_another_seat(match_with_plan: GameServer) -> None:
    ann = match_with_plan.seats["ann"]
    for method, path, body in ATTACKS:
        for line in ("ann--plan", "ann--x", "plan", "ben--plam"):
            answer = ann(method, path.format(line=f"{match_with_plan.path}/lines/{line}"), body, head="*")
            assert "ben--plan" not in answer.text.replace("'ben--plan'", ""), (path, body)


def test_a_bot_is_a_seat_that_says_so(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, sit=False) as server:
        link = server.host("POST", f"{server.path}/tokens", {"role": "bot", "seat": "ann"}).json()["token"]
        token = server.nobody("POST", "/v1/tokens", {"link": link, "by": "deep-nim"}, key="a-key-of-deep-nim").json()
        assert token["token"].startswith("zim_bot_")
        bot = Client(server.http, token["token"])
        assert bot("POST", f"{server.main}/moves", {"move": "take 1"}, head="*").status_code == 201
        assert [(seat["by"], seat["bot"]) for seat in bot.ok(f"{server.path}/seats")["seats"]] == [
            ("deep-nim", True),
            ("", False),
        ]


def test_sealed_bids_meet_no_conflict_and_an_auditor_sees_them_when_all_is_over(tmp_path: Path, souk: Any) -> None:
    with game_server(tmp_path, "souk", {"seed": "7"}) as server:
        auditor, amina = server.token("auditor"), server.seats["amina"]
        head = server.head()
        for seat, client in server.seats.items():  # all on the head that they saw before anybody had bid
            answer = client("POST", f"{server.main}/moves", {"move": f"bid {len(seat) - 3}"}, head=head)
            assert answer.status_code == 201, answer.text
        assert server.seats["badr"]("PUT", f"{server.main}/head", {"steps": -1}, head="*").status_code == 409
        before = auditor.ok(f"{server.main}/moves?at=1")["commits"][1]
        assert before["text"] == "bid ?"
        assert auditor.get(f"{server.main}/certificate").json()["kind"] == "hidden"
        position = server.service.head("k")
        while not position.outcome.over:
            seat = position.to_move[0]
            text = next(iter(server.service.head("k").legal(seat).texts()))
            answer = server.seats[seat]("POST", f"{server.main}/moves", {"move": text.rpartition(": ")[2]}, head="*")
            assert answer.status_code == 201, answer.text
            position = server.service.head("k")
        assert auditor.ok(f"{server.main}/moves?at=1")["commits"][1]["text"] == "bid 2"
        assert auditor.get(f"{server.main}/certificate").status_code == 200
        assert amina("PUT", f"{server.main}/head", {"steps": -1}, head="*").status_code == 409, "it is over"
        assert auditor.ok(f"{server.main}/verify")["audit"]["fault"] is None
