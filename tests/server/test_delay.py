"""Spectators see a game with the host's delay: nothing they get depends on later moves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from event_store import EventStore, StoreError
from tests.server.endpoint_requests import READING_ENDPOINTS, WRITING_ENDPOINTS, send_request
from tests.server.game_server import FIRST_TIME, GAMES_BY_KIND, Client, GameServer, game_server
from tests.server.test_feeds import FeedClient, server_with_feeds
from tests.server.test_secrets import PROBING_READS, PROBING_WRITES, response_without_digests
from zimcore.documents.endpoint import NO_TOKEN
from zimcore.game import OptionError
from zimcore.server.news.feeds import Feeds
from zimcore.server.work.fair_queue import Payer
from zimcore.service import GameService
from zimcore.service.records.memberships import TermsSet
from zimcore.service.records.terms import changed_terms, parse_duration, terms_text

FIRST_MOVES = ("take 1", "take 2", "take 1")

PAYER = Payer("", "s")


@contextmanager
def delayed_match(folder: Path, terms: dict[str, str], *later_moves: str, public: bool = True) -> Iterator[GameServer]:
    """A game of Nim after three moves that spectators may see, and later ones that they may not."""
    folder.mkdir()
    numbers = count(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_bytes", lambda size: next(numbers).to_bytes(size))
        yield from play_delayed_match(folder, terms, later_moves, public=public)


def play_delayed_match(
    folder: Path, terms: dict[str, str], later_moves: Sequence[str], *, public: bool
) -> Iterator[GameServer]:
    with game_server(folder, "nim", {"seed": "7"}, public=public, clock_step=0) as server:
        response = server.host("PUT", f"{server.path}/terms", terms)
        assert response.status_code == 200, response.text
        server.play(*FIRST_MOVES, *later_moves)
        yield server


def all_responses(server: GameServer, client: Client) -> list[Any]:
    """Everything that a visitor can receive, with digests, which belong to visible positions."""
    third_digest = server.service.position(f"{server.game}@3").commit.digest
    head = client.get_json(f"{server.main}")["position"]["digest"]

    def fill_address(text: str) -> str:
        return text.format(game=server.path, main=server.main, head=head, third=third_digest)

    server.http.app.state.dispatcher.feeds.is_closing = True  # a feed says what it has, and ends
    responses = []
    for question in (*PROBING_READS, "{main}?at=r2", "{main}?at=4", "{main}?at=5", "{main}?at=-1", "{main}?at=end"):
        responses.append((question, response_without_digests(client.get(fill_address(question)))))
        responses.append(
            (question, response_without_digests(client.get(fill_address(question), Accept="application/x-ndjson")))
        )
    rows = (*READING_ENDPOINTS, *(row for row in WRITING_ENDPOINTS if row.roles != NO_TOKEN))
    responses += [(row.name, response_without_digests(send_request(client, row, server, digest=head))) for row in rows]
    for method, question, body, expected_head in PROBING_WRITES:
        response = client(
            method,
            fill_address(question),
            body,
            head=fill_address(expected_head),
            key=f"key-of-{method}-{len(responses)}",
        )
        responses.append((f"{method} {question}", response_without_digests(response)))
    return responses


@pytest.mark.parametrize("role", ["nobody", "spectator"])
def test_delayed_moves_change_no_byte(tmp_path: Path, role: str) -> None:
    responses = []
    for name, later_moves in (("one", ("take 1", "take 1")), ("other", ("take 2", "take 2"))):
        with delayed_match(tmp_path / name, {"delay": "2"}, *later_moves) as server:
            responses.append(all_responses(server, server.nobody if role == "nobody" else server.token("spectator")))
    for first_response, other_response in zip(*responses, strict=True):
        assert first_response == other_response
    assert 200 in {status for _, (status, *_) in responses[0]}


def test_the_two_games_differ_for_a_viewer_without_delay(tmp_path: Path) -> None:
    """Shows that the test above can fail."""
    positions = []
    for name, later_moves in (("one", ("take 1", "take 1")), ("other", ("take 2", "take 2"))):
        with delayed_match(tmp_path / name, {"delay": "2"}, *later_moves) as server:
            clients = (server.seats["ann"], server.host, server.token("auditor"))
            positions += [each.get_json(server.main)["position"] for each in clients]
    assert {each["number"] for each in positions} == {5}
    assert len({each["digest"] for each in positions}) == 2


def test_a_delay_in_time_shows_no_move_early(tmp_path: Path) -> None:
    """Compares the responses before and after two moves that are played at once."""
    responses = []
    for name, later_moves in (("before", ()), ("after", ("take 1", "take 1"))):
        with delayed_match(tmp_path / name, {"delay": "2h"}, *later_moves) as server:
            client = server.token("spectator")
            assert client.get_json(server.main)["position"]["number"] == 0
            responses.append(all_responses(server, client))
    for response_before, response_after in zip(*responses, strict=True):
        assert response_before == response_after


def test_every_move_is_sent_when_it_is_old_enough() -> None:
    now = FIRST_TIME
    store = EventStore.open("memory:")
    service = GameService(store, lambda: now, games=GAMES_BY_KIND)
    service.new("nim", {"seed": "7"}, name="k", by="hanna")
    delayed_service = service.delayed_service(TermsSet(behind=3600))
    delayed_numbers = []
    for text in ("take 1", "take 2", "take 1"):
        now += timedelta(minutes=30)
        service.play("k", text, by="ann")
        delayed_numbers.append(delayed_service.head("k").commit.number)
    assert delayed_numbers == [0, 0, 1]
    now += timedelta(hours=1)
    assert delayed_service.head("k").commit.number == 3
    assert [each.commit.number for each in map(delayed_service.position, ("k@1", "k@2"))] == [1, 2]


def test_a_delayed_undo_is_seen_in_its_order(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {"delay": "2"}) as server:
        spectator = server.token("spectator")
        last_seat = server.service.head("k").commit.seat
        response = server.seats[last_seat]("PUT", f"{server.main}/head", {"steps": -1}, head=server.head())
        assert response.status_code == 200
        assert spectator.get_json(server.main)["position"]["number"] == 1
        server.play("take 2")
        assert spectator.get_json(server.main)["position"]["number"] == 2
        server.play("take 1")
        assert spectator.get_json(server.main)["position"]["number"] == 2  # its head went back
        server.play("take 1")
        commits = spectator.get_json(f"{server.main}/moves")["commits"]
        assert [each["text"] for each in commits[1:]] == ["take 1", "take 2", "take 2"]


def test_an_open_feed_keeps_its_delay(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path) as (server, run_with_feeds):
        assert server.host("PUT", f"{server.path}/terms", {"delay": "2"}).status_code == 200
        spectator = server.token("spectator")

        async def listen_and_check(feeds: Feeds) -> None:
            messages = await feeds.listen(server.game, "main", spectator.token, "s", "application/x-ndjson", "", PAYER)
            client = FeedClient(messages)
            (standing_message,) = await client.receive()
            assert standing_message["data"]["position"]["number"] == 0
            for _ in range(4):
                await asyncio.to_thread(server.play, "take 1")
            await client.until(2)
            assert client.move_numbers == [1, 2]
            server.host("PUT", f"{server.path}/terms", {"delay": "none"})
            while client.messages[-1]["event"] != "end":  # the feed was opened with a delay, so it ends
                await client.receive()
            assert client.move_numbers == [1, 2]
            second_client = FeedClient(
                await feeds.listen(
                    server.game,
                    "main",
                    spectator.token,
                    "s",
                    "application/x-ndjson",
                    client.messages[-1]["id"],
                    PAYER,
                )
            )
            await second_client.until(4)
            assert second_client.move_numbers == [3, 4]

        asyncio.run(run_with_feeds(listen_and_check))


def test_spectators_see_the_end_without_delay(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {"delay": "20"}) as server:
        spectator, position = server.token("spectator"), server.service.head("k")
        assert spectator.get_json(server.main)["position"]["number"] == 0
        while not position.outcome.over:
            server.play("take 1")
            position = server.service.head("k")
        assert spectator.get_json(server.main)["position"]["digest"] == position.commit.digest


def test_a_delayed_spectator_sees_no_other_line(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {"delay": "1"}) as server:
        ann = server.seats["ann"]
        assert ann("POST", f"{server.path}/lines", {"name": "idea"}).status_code == 201
        line_path = f"{server.path}/lines/ann--idea"
        assert ann("PUT", f"{line_path}/name", {"name": "shared", "shared": True}, head="*").status_code == 200
        assert ann.get(f"{server.path}/lines/shared").status_code == 200
        spectator = server.token("spectator")
        assert [each["name"] for each in spectator.get_json(f"{server.path}/lines")["lines"]] == ["main"]
        assert spectator.get(f"{server.path}/lines/shared").status_code == 404
        assert spectator.get(f"{server.path}/positions/{server.head()}").status_code == 404


def test_a_fork_of_a_delayed_position_stops_no_spectator(tmp_path: Path) -> None:
    """Nothing of such a line can be seen yet: that is no damage, also when tags are looked up on all lines."""
    with delayed_match(tmp_path / "k", {"delay": "1"}) as server:
        ann, spectator = server.seats["ann"], server.token("spectator")
        assert ann("POST", f"{server.path}/lines", {"name": "idea"}).status_code == 201
        assert ann("PUT", f"{server.path}/tags/late", {"at": "3"}).status_code == 200
        for path in (f"{server.path}/tags", f"{server.main}/entries", f"{server.main}?at=late"):
            assert spectator.get(path).status_code == (404 if "at=" in path else 200), path
        assert spectator.get_json(f"{server.path}/tags")["tags"] == []
        assert "late" not in spectator.get(f"{server.main}/operations").text
        server.play("take 1")
        assert [tag["name"] for tag in spectator.get_json(f"{server.path}/tags")["tags"]] == ["late"]


def test_only_the_host_sets_terms(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {"delay": "2"}) as server:
        path = f"{server.path}/terms"
        for client in (server.seats["ann"], server.token("spectator"), server.token("auditor")):
            assert client("PUT", path, {"delay": "none"}).status_code == 403
        assert server.nobody("PUT", path, {"delay": "none"}).status_code in (401, 403)
        for body in ({"delay": "1.5"}, {"delay": "99999"}, {"pace": "soon"}, {"bank": "7d"}, {"frob": "1"}):
            response = server.host("PUT", path, body)
            assert response.status_code in (400, 422), response.text
        assert server.host.get_json(f"{server.path}/seats")["terms"] == {"delay": "2"}
        assert server.host("PUT", path, {"delay": "none", "pace": "3d", "bank": "7d"}).json()["terms"] == {
            "pace": "3d",
            "bank": "1w",
        }
        assert server.token("spectator").get_json(server.main)["position"]["number"] == 3
        seat_to_move = server.service.head("k").to_move[0]
        deadlines = {each["seat"]: each["due"] for each in server.nobody.get_json(f"{server.path}/seats")["seats"]}
        assert {seat for seat, deadline in deadlines.items() if deadline} == {seat_to_move}
        assert deadlines[seat_to_move] == "2024-05-11T20:00:00Z"  # three days and a bank of seven


def test_terms_can_be_set_with_a_new_game(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {}) as server:
        body = {"kind": "nim", "public": True, "terms": {"delay": "90m"}}
        response = server.host("POST", "/v1/games", body)
        assert response.status_code == 201, response.text
        game = response.json()["position"]["game"]
        assert server.nobody.get_json(f"/v1/games/{game}/seats")["terms"] == {"delay": "1h30m"}
        refusal = server.host("POST", "/v1/games", {**body, "terms": {"delay": "yesterday"}})
        assert refusal.status_code == 422


def test_terms_are_written_as_text() -> None:
    terms = changed_terms(TermsSet(), {"delay": "10", "pace": "3d", "bank": "7d"})
    assert terms_text(terms) == "delay=10 pace=3d bank=1w"
    assert terms_text(changed_terms(terms, {"delay": "2h"})) == "delay=2h pace=3d bank=1w"
    assert terms_text(changed_terms(terms, {"pace": "none"})) == "delay=10"  # without a pace there is no bank
    for text in ("3", "-3d", "d", "3d ", "3.5d", "99999w", "1h2"):
        with pytest.raises(OptionError):
            parse_duration(text, "pace")


def test_a_delayed_service_is_read_only() -> None:
    service = GameService(EventStore.open("memory:"), games=GAMES_BY_KIND)
    service.new("nim", {"seed": "7"}, name="k", by="hanna")
    with pytest.raises(StoreError, match="this store is read-only"):
        service.delayed_service(TermsSet(behind_moves=1)).play("k", "take 1", by="ann")
