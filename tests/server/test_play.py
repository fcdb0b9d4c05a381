"""A game over HTTP: what each resource answers, and how writes are kept safe."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from tests.server.game_server import GameServer, game_server
from zimcore.game import GameError
from zimcore.server.wire.problem_responses import ProblemError


def test_two_seats_play_a_game(nim_server: GameServer) -> None:
    nim_server.play("take 3", "take 1")
    ann = nim_server.seats["ann"]
    response = ann.get(nim_server.main)
    assert response.headers["etag"] == f'"{nim_server.head()}"'
    assert response.json()["position"]["number"] == 2
    assert [commit["text"] for commit in ann.get_json(f"{nim_server.main}/moves")["commits"]][1:] == [
        "take 3",
        "take 1",
    ]
    nim_server.play("take 3", "take 3")
    assert ann.get_json(nim_server.main)["position"]["winner"] == "ben"
    assert ann.get_json(f"{nim_server.path}")["game"]["head"] == 4
    assert [each["name"] for each in ann.get_json("/v1/games")["games"]] == ["k"]


def test_a_game_with_nothing_but_rules_has_hints_and_opponents(nim_server: GameServer) -> None:
    nim_server.play("take 3", "take 1")
    hint = nim_server.seats["ann"].get_json(f"{nim_server.main}/hint?nodes=100")
    assert hint["hints"][0]["commands"] == ["take 2"]
    assert (
        nim_server.host("POST", "/v1/games", {"kind": "nim", "name": "b", "bots": {"ann": "quick"}}).status_code == 201
    )


def test_a_forbidden_move_is_refused_with_every_broken_rule(nim_server: GameServer) -> None:
    response = nim_server.seats["ann"]("POST", f"{nim_server.main}/moves", {"move": "take 4"}, head=nim_server.head())
    assert (response.status_code, response.headers["content-type"]) == (422, "application/problem+json")
    problem = response.json()
    assert problem["type"] == "urn:zim:problem:refused"
    assert (problem["kind"], problem["title"]) == ("refused", "take 4")
    assert [reason["text"] for reason in problem["why"]] == ["1 to 3 of 10 stones, not 4"]
    assert nim_server.service.head("k").commit.number == 0


@pytest.mark.parametrize(
    ("method", "resource", "body"),
    [
        ("POST", "moves", {"move": "take 1"}),
        ("PUT", "head", {"steps": -1}),
    ],
)
def test_a_write_must_name_the_expected_head(nim_server: GameServer, method: str, resource: str, body: object) -> None:
    ann, head = nim_server.seats["ann"], nim_server.head()
    assert ann(method, f"{nim_server.main}/{resource}", body).status_code == 428
    assert ann(method, f"{nim_server.main}/{resource}", body, head="not a digest").status_code == 400
    assert ann(method, f"{nim_server.main}/{resource}", body, head=head[:8]).status_code == 400
    nim_server.play("take 3", "take 2")
    late_response = ann(method, f"{nim_server.main}/{resource}", body, head=head)
    assert late_response.status_code == 412
    assert late_response.json()["head"] == nim_server.head()
    assert [commit["text"] for commit in late_response.json()["since"]] == ["take 3", "take 2"]


def test_a_retried_move_is_played_once(nim_server: GameServer) -> None:
    ann, head = nim_server.seats["ann"], nim_server.head()
    first_response = ann("POST", f"{nim_server.main}/moves", {"move": "take 1"}, key="once", head=head)
    nim_server.play("take 1")
    retry = ann("POST", f"{nim_server.main}/moves", {"move": "take 1"}, key="once", head=head)
    assert (first_response.status_code, retry.status_code) == (201, 201)
    assert first_response.content == retry.content
    other_response = ann("POST", f"{nim_server.main}/moves", {"move": "take 2"}, key="once", head=nim_server.head())
    assert (other_response.status_code, other_response.json()["kind"]) == (422, "key-taken")
    response_to_ben = nim_server.seats["ben"](
        "POST", f"{nim_server.main}/moves", {"move": "take 1"}, key="once", head=nim_server.head()
    )
    assert (response_to_ben.status_code, response_to_ben.json()["kind"]) == (422, "key-taken")
    assert nim_server.service.head("k").commit.number == 2


def test_a_write_without_a_key_is_refused(nim_server: GameServer) -> None:
    for method, resource, body in [("POST", "moves", {"move": "take 1"}), ("PUT", "head", {"steps": 1})]:
        assert (
            nim_server.seats["ann"](method, f"{nim_server.main}/{resource}", body, key=None, head="*").status_code
            == 400
        )


def test_you_can_undo_your_last_move_until_another_player_moves(nim_server: GameServer) -> None:
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    nim_server.play("take 3")
    assert ben("PUT", f"{nim_server.main}/head", {"steps": -1}, head=nim_server.head()).status_code == 409
    assert ann("PUT", f"{nim_server.main}/head", {"steps": -1}, head=nim_server.head()).status_code == 200
    assert ben("PUT", f"{nim_server.main}/head", {"steps": 1}, head=nim_server.head()).status_code == 409
    assert ann("PUT", f"{nim_server.main}/head", {"steps": 1}, head=nim_server.head()).status_code == 200
    nim_server.play("take 1")
    for body in ({"steps": -1}, {"steps": -2}, {"to": "start"}):
        assert ann("PUT", f"{nim_server.main}/head", body, head=nim_server.head()).status_code == 409
    assert nim_server.service.head("k").commit.number == 2


def test_questions_are_resources(nim_server: GameServer) -> None:
    nim_server.play("take 3", "take 1")
    ann = nim_server.seats["ann"]
    assert ann.get_json(f"{nim_server.main}/legal")["legal"] == ["take 1", "take 2", "take 3"]
    assert ann.get_json(f"{nim_server.main}/legal?beginning=take 2&at=1")["count"] == 1
    explanation = ann.get_json(f"{nim_server.main}/why?what=stones")
    assert [(each["before"], each["after"]) for each in explanation["postings"]][:2] == [(7, 6), (10, 7)]
    assert ann.get_json(f"{nim_server.main}/bisect?expression=stones<8")["first"]["number"] == 1
    assert ann.get_json(f"{nim_server.main}/compare?other=@1")["parted"] == 1
    assert ann.get_json(f"{nim_server.main}/story")["story"]
    assert ann.get(f"{nim_server.main}/plan").status_code == 409, "Nim has none"
    assert ann.get(f"{nim_server.main}/why?what=nothing").status_code == 409
    assert ann.get(f"{nim_server.main}/moves?at=99").status_code == 404


def test_a_position_stays_reachable_by_its_digest(nim_server: GameServer) -> None:
    nim_server.play("take 3")
    digest, ann = nim_server.head(), nim_server.seats["ann"]
    nim_server.play("take 1")
    response = ann.get(f"{nim_server.path}/positions/{digest}")
    assert response.json()["position"]["number"] == 1
    assert response.headers["cache-control"] == "private, max-age=31536000, immutable"
    picture = ann.get(f"{nim_server.path}/positions/{digest}.svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.startswith("<svg")
    assert ann.get(f"{nim_server.path}/positions/{'0' * 32}").status_code == 404


def test_an_unchanged_position_is_not_sent_again(nim_server: GameServer) -> None:
    ann = nim_server.seats["ann"]
    etag = ann.get(nim_server.main).headers["etag"]
    assert ann.get(nim_server.main, **{"If-None-Match": etag}).status_code == 304
    nim_server.play("take 1")
    assert ann.get(nim_server.main, **{"If-None-Match": etag}).status_code == 200


def test_a_private_line_is_played_by_its_seat_until_it_is_shared(nim_server: GameServer) -> None:
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    nim_server.play("take 3")
    fork_response = ann("POST", f"{nim_server.path}/lines", {"name": "what-if", "at": "start"})
    assert (fork_response.status_code, fork_response.headers["location"]) == (
        201,
        f"{nim_server.path}/lines/ann--what-if",
    )
    line_path = f"{nim_server.path}/lines/ann--what-if"
    for text in ("take 1", "take 2"):  # ann plays both seats on her line
        assert (
            ann("POST", f"{line_path}/moves", {"move": text}, head=nim_server.head("ann--what-if")).status_code == 201
        )
    assert ann("PUT", f"{line_path}/head", {"to": "start"}, head="*").status_code == 200
    assert [line["name"] for line in ann.get_json(f"{nim_server.path}/lines")["lines"]] == ["main", "ann--what-if"]
    assert [line["name"] for line in ben.get_json(f"{nim_server.path}/lines")["lines"]] == ["main"]
    share_response = ann("PUT", f"{line_path}/name", {"name": "what-if", "shared": True}, head="*")
    assert share_response.status_code == 200
    assert ben.get_json(f"{nim_server.path}/lines/what-if")["position"]["number"] == 0
    assert ann.get(line_path).status_code == 404


def test_a_host_begins_games(nim_server: GameServer) -> None:
    response = nim_server.host("POST", "/v1/games", {"kind": "nim", "name": "second", "options": {"stones": "5"}})
    assert response.status_code == 201
    second_response = nim_server.host("POST", "/v1/games", {"kind": "nim", "name": "second"})
    assert (second_response.status_code, second_response.json()["kind"]) == (409, "name-taken")
    assert [game["name"] for game in nim_server.host.get_json("/v1/games")["games"]] == ["k", "second"]
    assert nim_server.seats["ann"].get("/v1/games/second").status_code == 404
    assert nim_server.seats["ann"]("POST", "/v1/games", {"kind": "nim"}).status_code == 403
    for options in (
        {"seed": "7"},
        {"components": "/etc/passwd"},
    ):  # one would know the deal, and read the server's files
        for path in ("/v1/games", "/v1/tables"):
            assert nim_server.host("POST", path, {"kind": "africana", "options": options}).json()["status"] == 403
    assert nim_server.host("POST", "/v1/games", {"kind": "chess"}).status_code == 404


def test_health_and_figures_need_no_token(nim_server: GameServer) -> None:
    assert nim_server.nobody.get_json("/health")["status"] == "ok"
    nim_server.seats["ann"].get(nim_server.main)
    metrics_text = nim_server.nobody.get("/metrics").text
    assert 'zim_requests_total{method="GET",resource="/v1/games/{game}/lines/{line}",status="200"}' in metrics_text
    assert "zim_seat" not in metrics_text
    assert nim_server.nobody.get_json("/v1/openapi.json")["openapi"].startswith("3.1")


def test_a_hint_is_for_the_seat_to_move(tmp_path: Path) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}) as server:
        seat_to_move = server.service.head("k").to_move[0]
        (other_seat,) = server.seats.keys() - {seat_to_move}
        hint = server.seats[seat_to_move].get_json(f"{server.main}/hint?nodes=50")
        assert hint["seat"] == seat_to_move
        assert 0 < len(hint["hints"]) <= 3
        for client in (server.seats[other_seat], server.host, server.token("spectator")):
            assert client.get(f"{server.main}/hint?nodes=50").status_code == 403
        assert server.seats[seat_to_move].get(f"{server.main}/hint?nodes=501").status_code == 400


def test_there_is_no_hint_without_help(tmp_path: Path) -> None:
    with game_server(tmp_path, "zimbabwe", {"players": "2", "seed": "3"}, take_seats=False) as server:
        body = {"kind": "zimbabwe", "options": {"players": "2"}, "name": "alone", "help": False}
        assert server.host("POST", "/v1/games", body).status_code == 201
        server.game = "alone"
        seat_to_move = server.service.head("alone").to_move[0]
        player = server.sit(seat_to_move)
        refusal = player.get(f"{server.main}/hint")
        assert refusal.status_code == 409
        assert "help=no" in refusal.text
        assert player("POST", f"{server.path}/lines", {"name": "plan"}).status_code == 201
        assert player.get(f"{server.path}/lines/{seat_to_move}--plan/hint").status_code == 409
        assert server.host("POST", "/v1/tables", {**body, "name": "table"}).status_code == 201
        assert not server.service.discussion("table").allows_help


def test_only_a_stored_write_wakes_bots_notices_and_feeds(nim_server: GameServer) -> None:
    """Waking them costs as much as a move."""
    announced_games, dispatcher = list[str](), nim_server.http.app.state.dispatcher
    dispatcher.announce_change = lambda game, _: announced_games.append(game)
    ann = nim_server.seats["ann"]
    assert ann("POST", f"{nim_server.main}/moves", {"move": "take 9"}, head=nim_server.head()).status_code == 422
    assert ann("POST", f"{nim_server.main}/moves", {"move": "take 1"}, head="0" * 32).status_code == 412
    assert announced_games == []
    nim_server.play("take 1")
    assert announced_games == ["k"]


@pytest.mark.parametrize(
    ("path", "move"), [("lines/main/moves", "take 4"), ("lines/main/moves", "frob"), ("lines/x", "")]
)
def test_a_refused_request_leaves_no_garbage(nim_server: GameServer, path: str, move: str) -> None:
    """Garbage would stop all threads for a fifth of a second, again and again, while a client sends many requests."""
    ann, url = nim_server.seats["ann"], f"{nim_server.path}/{path}"
    gc.collect()
    gc.disable()
    try:
        for _ in range(10):
            response = ann("POST", url, {"move": move}, head="*") if move else ann.get(url)
            assert response.status_code in (400, 404, 422)
        leaked_errors = [each for each in gc.get_objects() if isinstance(each, (ProblemError, GameError))]
    finally:
        gc.enable()
    assert len(leaked_errors) < 5, "each is held by its own traceback"
