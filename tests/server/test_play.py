"""A game over HTTP: what each resource answers, and how writes are kept safe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.game_server import GameServer, game_server


def test_two_play_a_game(nim: GameServer) -> None:
    nim.play("take 3", "take 1")
    ann = nim.seats["ann"]
    response = ann.get(nim.main)
    assert response.headers["etag"] == f'"{nim.head()}"'
    assert response.json()["position"]["number"] == 2
    assert [commit["text"] for commit in ann.ok(f"{nim.main}/moves")["commits"]][1:] == ["take 3", "take 1"]
    nim.play("take 3", "take 3")
    assert ann.ok(nim.main)["position"]["winner"] == "ben"
    assert ann.ok(f"{nim.path}")["game"]["head"] == 4
    assert [each["name"] for each in ann.ok("/v1/games")["games"]] == ["k"]


def test_a_game_with_nothing_but_rules_has_hints_and_opponents(nim: GameServer) -> None:
    nim.play("take 3", "take 1")
    hint = nim.seats["ann"].ok(f"{nim.main}/hint?nodes=100")
    assert hint["hints"][0]["commands"] == ["take 2"]
    assert nim.host("POST", "/v1/games", {"kind": "nim", "name": "b", "bots": {"ann": "quick"}}).status_code == 201


def test_a_move_that_the_rules_forbid_tells_every_rule(nim: GameServer) -> None:
    answer = nim.seats["ann"]("POST", f"{nim.main}/moves", {"move": "take 4"}, head=nim.head())
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    problem = answer.json()
    assert problem["type"] == "urn:zim:problem:refused"
    assert (problem["kind"], problem["title"]) == ("refused", "take 4")
    assert [reason["text"] for reason in problem["why"]] == ["1 to 3 of 10 stones, not 4"]
    assert nim.service.head("k").commit.number == 0


@pytest.mark.parametrize(
    ("method", "where", "body"),
    [
        ("POST", "moves", {"move": "take 1"}),
        ("PUT", "head", {"steps": -1}),
    ],
)
def test_who_writes_says_which_head_they_saw(nim: GameServer, method: str, where: str, body: object) -> None:
    ann, head = nim.seats["ann"], nim.head()
    assert ann(method, f"{nim.main}/{where}", body).status_code == 428
    assert ann(method, f"{nim.main}/{where}", body, head="not a digest").status_code == 400
    assert ann(method, f"{nim.main}/{where}", body, head=head[:8]).status_code == 400
    nim.play("take 3", "take 2")
    late = ann(method, f"{nim.main}/{where}", body, head=head)
    assert late.status_code == 412
    assert late.json()["head"] == nim.head()
    assert [commit["text"] for commit in late.json()["since"]] == ["take 3", "take 2"]


def test_a_move_asked_for_again_is_played_once(nim: GameServer) -> None:
    ann, head = nim.seats["ann"], nim.head()
    first = ann("POST", f"{nim.main}/moves", {"move": "take 1"}, key="once", head=head)
    nim.play("take 1")
    again = ann("POST", f"{nim.main}/moves", {"move": "take 1"}, key="once", head=head)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    other = ann("POST", f"{nim.main}/moves", {"move": "take 2"}, key="once", head=nim.head())
    assert (other.status_code, other.json()["kind"]) == (422, "key-taken")
    ben = nim.seats["ben"]("POST", f"{nim.main}/moves", {"move": "take 1"}, key="once", head=nim.head())
    assert (ben.status_code, ben.json()["kind"]) == (422, "key-taken")
    assert nim.service.head("k").commit.number == 2


def test_a_write_without_a_key_is_not_done(nim: GameServer) -> None:
    for method, where, body in [("POST", "moves", {"move": "take 1"}), ("PUT", "head", {"steps": 1})]:
        assert nim.seats["ann"](method, f"{nim.main}/{where}", body, key=None, head="*").status_code == 400


def test_you_can_undo_your_last_move_until_another_player_moves(nim: GameServer) -> None:
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    nim.play("take 3")
    assert ben("PUT", f"{nim.main}/head", {"steps": -1}, head=nim.head()).status_code == 409
    assert ann("PUT", f"{nim.main}/head", {"steps": -1}, head=nim.head()).status_code == 200
    assert ben("PUT", f"{nim.main}/head", {"steps": 1}, head=nim.head()).status_code == 409
    assert ann("PUT", f"{nim.main}/head", {"steps": 1}, head=nim.head()).status_code == 200
    nim.play("take 1")
    for body in ({"steps": -1}, {"steps": -2}, {"to": "start"}):
        assert ann("PUT", f"{nim.main}/head", body, head=nim.head()).status_code == 409
    assert nim.service.head("k").commit.number == 2


def test_questions_are_resources(nim: GameServer) -> None:
    nim.play("take 3", "take 1")
    ann = nim.seats["ann"]
    assert ann.ok(f"{nim.main}/legal")["legal"] == ["take 1", "take 2", "take 3"]
    assert ann.ok(f"{nim.main}/legal?beginning=take 2&at=1")["count"] == 1
    why = ann.ok(f"{nim.main}/why?what=stones")
    assert [(each["before"], each["after"]) for each in why["postings"]][:2] == [(7, 6), (10, 7)]
    assert ann.ok(f"{nim.main}/bisect?expression=stones<8")["first"]["number"] == 1
    assert ann.ok(f"{nim.main}/compare?other=@1")["parted"] == 1
    assert ann.ok(f"{nim.main}/story")["story"]
    assert ann.get(f"{nim.main}/plan").status_code == 409, "Nim has none"
    assert ann.get(f"{nim.main}/why?what=nothing").status_code == 409
    assert ann.get(f"{nim.main}/moves?at=99").status_code == 404


def test_a_position_stays_reachable_by_its_digest(nim: GameServer) -> None:
    nim.play("take 3")
    digest, ann = nim.head(), nim.seats["ann"]
    nim.play("take 1")
    response = ann.get(f"{nim.path}/positions/{digest}")
    assert response.json()["position"]["number"] == 1
    assert response.headers["cache-control"] == "private, max-age=31536000, immutable"
    picture = ann.get(f"{nim.path}/positions/{digest}.svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.startswith("<svg")
    assert ann.get(f"{nim.path}/positions/{'0' * 32}").status_code == 404


def test_what_has_not_changed_is_not_sent_again(nim: GameServer) -> None:
    ann = nim.seats["ann"]
    tag = ann.get(nim.main).headers["etag"]
    assert ann.get(nim.main, **{"If-None-Match": tag}).status_code == 304
    nim.play("take 1")
    assert ann.get(nim.main, **{"If-None-Match": tag}).status_code == 200


def test_a_line_of_ones_own_is_played_by_oneself_alone_until_it_is_shared(nim: GameServer) -> None:
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    nim.play("take 3")
    forked = ann("POST", f"{nim.path}/lines", {"name": "what-if", "at": "start"})
    assert (forked.status_code, forked.headers["location"]) == (201, f"{nim.path}/lines/ann--what-if")
    own = f"{nim.path}/lines/ann--what-if"
    for text in ("take 1", "take 2"):  # for both: it is a thought
        assert ann("POST", f"{own}/moves", {"move": text}, head=nim.head("ann--what-if")).status_code == 201
    assert ann("PUT", f"{own}/head", {"to": "start"}, head="*").status_code == 200
    assert [line["name"] for line in ann.ok(f"{nim.path}/lines")["lines"]] == ["main", "ann--what-if"]
    assert [line["name"] for line in ben.ok(f"{nim.path}/lines")["lines"]] == ["main"]
    shared = ann("PUT", f"{own}/name", {"name": "what-if", "shared": True}, head="*")
    assert shared.status_code == 200
    assert ben.ok(f"{nim.path}/lines/what-if")["position"]["number"] == 0
    assert ann.get(own).status_code == 404


def test_a_host_begins_games_and_lets_people_in(nim: GameServer) -> None:
    response = nim.host("POST", "/v1/games", {"kind": "nim", "name": "second", "options": {"stones": "5"}})
    assert response.status_code == 201
    again = nim.host("POST", "/v1/games", {"kind": "nim", "name": "second"})
    assert (again.status_code, again.json()["kind"]) == (409, "name-taken")
    assert [game["name"] for game in nim.host.ok("/v1/games")["games"]] == ["k", "second"]
    assert nim.seats["ann"].get("/v1/games/second").status_code == 404
    assert nim.seats["ann"]("POST", "/v1/games", {"kind": "nim"}).status_code == 403
    for own in ({"seed": "7"}, {"components": "/etc/passwd"}):  # one would know the deal, and read the server's files
        for path in ("/v1/games", "/v1/tables"):
            assert nim.host("POST", path, {"kind": "africana", "options": own}).json()["status"] == 403
    assert nim.host("POST", "/v1/games", {"kind": "chess"}).status_code == 404


def test_health_and_figures_need_no_token(nim: GameServer) -> None:
    assert nim.nobody.ok("/health")["status"] == "ok"
    nim.seats["ann"].get(nim.main)
    figures = nim.nobody.get("/metrics").text
    assert 'zim_requests_total{method="GET",resource="/v1/games/{game}/lines/{line}",status="200"}' in figures
    assert "zim_seat" not in figures
    assert nim.nobody.ok("/v1/openapi.json")["openapi"].startswith("3.1")


def test_a_hint_is_for_the_seat_to_move(tmp_path: Path) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}) as server:
        mover = server.service.head("k").to_move[0]
        (other,) = server.seats.keys() - {mover}
        hint = server.seats[mover].ok(f"{server.main}/hint?nodes=50")
        assert hint["seat"] == mover
        assert 0 < len(hint["hints"]) <= 3
        for client in (server.seats[other], server.host, server.token("spectator")):
            assert client.get(f"{server.main}/hint?nodes=50").status_code == 403
        assert server.seats[mover].get(f"{server.main}/hint?nodes=501").status_code == 400


def test_no_hint_where_the_host_has_switched_help_off(tmp_path: Path) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}, sit=False) as server:
        body = {"kind": "zimbabwe", "options": {"players": "2"}, "name": "alone", "help": False}
        assert server.host("POST", "/v1/games", body).status_code == 201
        server.game = "alone"
        mover = server.service.head("alone").to_move[0]
        seat = server.sit(mover)
        refused = seat.get(f"{server.main}/hint")
        assert refused.status_code == 409
        assert "help=no" in refused.text
        assert seat("POST", f"{server.path}/lines", {"name": "plan"}).status_code == 201
        assert seat.get(f"{server.path}/lines/{mover}--plan/hint").status_code == 409
        assert server.host("POST", "/v1/tables", {**body, "name": "table"}).status_code == 201
        assert not server.service.discussion("table").helps


def test_only_a_write_that_may_be_stored_wakes_bots_notices_and_feeds(nim: GameServer) -> None:
    """They look at the game, which costs as much as a move."""
    announced, dispatcher = list[str](), nim.http.app.state.dispatcher
    dispatcher.announce_change = announced.append
    ann = nim.seats["ann"]
    assert ann("POST", f"{nim.main}/moves", {"move": "take 9"}, head=nim.head()).status_code == 422
    assert ann("POST", f"{nim.main}/moves", {"move": "take 1"}, head="0" * 32).status_code == 412
    assert announced == []
    nim.play("take 1")
    assert announced == ["k"]
