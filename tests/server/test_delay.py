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
from tests.server.asking import READS, WRITES, send
from tests.server.game_server import BEGIN, KINDS, Client, GameServer, game_server
from tests.server.test_feeds import FeedClient, listening
from tests.server.test_secrets import SHARP_READS, SHARP_WRITES, response_without_digests
from zimcore.documents.endpoints import NO_TOKEN
from zimcore.game import OptionError
from zimcore.server.fair_queue import Payer
from zimcore.server.feeds import Feeds
from zimcore.service import GameService
from zimcore.service.memberships import TermsSet
from zimcore.service.terms import change_terms, parse_duration, terms_text

FIRST = ("take 1", "take 2", "take 1")

PAYER = Payer("", "s")


@contextmanager
def delayed_match(folder: Path, terms: dict[str, str], *since: str, public: bool = True) -> Iterator[GameServer]:
    """A game of Nim after three moves that spectators may know of, and others that they may not."""
    folder.mkdir()
    numbers = count(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_bytes", lambda size: next(numbers).to_bytes(size))
        yield from _delayed_match(folder, terms, since, public=public)


def _delayed_match(folder: Path, terms: dict[str, str], since: Sequence[str], *, public: bool) -> Iterator[GameServer]:
    with game_server(folder, "nim", {"seed": "7"}, public=public, tick=0) as server:
        answer = server.host("PUT", f"{server.path}/terms", terms)
        assert answer.status_code == 200, answer.text
        server.play(*FIRST, *since)
        yield server


def everything(server: GameServer, client: Client) -> list[Any]:
    """Everything that a visitor can receive, with digests, which belong to visible positions."""
    third = server.service.position(f"{server.game}@3").commit.digest
    head = client.ok(f"{server.main}")["position"]["digest"]

    def at(text: str) -> str:
        return text.format(game=server.path, main=server.main, head=head, third=third)

    server.http.app.state.dispatcher.feeds.closing = True  # a feed says what it has, and ends
    responses = []
    for question in (*SHARP_READS, "{main}?at=r2", "{main}?at=4", "{main}?at=5", "{main}?at=-1", "{main}?at=end"):
        responses.append((question, response_without_digests(client.get(at(question)))))
        responses.append((question, response_without_digests(client.get(at(question), Accept="application/x-ndjson"))))
    rows = (*READS, *(row for row in WRITES if row.who != NO_TOKEN))
    responses += [(row.name, response_without_digests(send(client, row, server, digest=head))) for row in rows]
    for method, question, body, expected in SHARP_WRITES:
        answer = client(method, at(question), body, head=at(expected), key=f"key-of-{method}-{len(responses)}")
        responses.append((f"{method} {question}", response_without_digests(answer)))
    return responses


@pytest.mark.parametrize("role", ["nobody", "spectator"])
def test_moves_that_are_too_young_change_no_byte(tmp_path: Path, role: str) -> None:
    sent = []
    for name, since in (("one", ("take 1", "take 1")), ("other", ("take 2", "take 2"))):
        with delayed_match(tmp_path / name, {"delay": "2"}, *since) as server:
            sent.append(everything(server, server.nobody if role == "nobody" else server.token("spectator")))
    for a, b in zip(*sent, strict=True):
        assert a == b
    assert 200 in {status for _, (status, *_) in sent[0]}


def test_the_two_games_do_differ_for_a_viewer_who_is_not_late(tmp_path: Path) -> None:
    """Otherwise the test above would show nothing."""
    sent = []
    for name, since in (("one", ("take 1", "take 1")), ("other", ("take 2", "take 2"))):
        with delayed_match(tmp_path / name, {"delay": "2"}, *since) as server:
            who = (server.seats["ann"], server.host, server.token("auditor"))
            sent += [each.ok(server.main)["position"] for each in who]
    assert {each["number"] for each in sent} == {5}
    assert len({each["digest"] for each in sent}) == 2


def test_a_delay_in_time_lets_nothing_through_before(tmp_path: Path) -> None:
    """Before and after three moves that are played at once, without the time that has passed."""
    sent = []
    for name, since in (("before", ()), ("after", ("take 1", "take 1"))):
        with delayed_match(tmp_path / name, {"delay": "2h"}, *since) as server:
            client = server.token("spectator")
            assert client.ok(server.main)["position"]["number"] == 0
            sent.append(everything(server, client))
    for a, b in zip(*sent, strict=True):
        assert a == b


def test_every_move_is_sent_when_it_is_old_enough() -> None:
    now = BEGIN
    store = EventStore.open("memory:")
    service = GameService(store, lambda: now, games=KINDS)
    service.new("nim", {"seed": "7"}, name="k", by="hanna")
    late = service.delayed_service(TermsSet(behind=3600))
    lengths = []
    for text in ("take 1", "take 2", "take 1"):
        now += timedelta(minutes=30)
        service.play("k", text, by="ann")
        lengths.append(late.head("k").commit.number)
    assert lengths == [0, 0, 1]
    now += timedelta(hours=1)
    assert late.head("k").commit.number == 3
    assert [each.commit.number for each in map(late.position, ("k@1", "k@2"))] == [1, 2]


def test_what_was_taken_back_meanwhile_is_seen_in_its_order(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {"delay": "2"}) as server:
        spectator = server.token("spectator")
        last = server.service.head("k").commit.seat
        answer = server.seats[last]("PUT", f"{server.main}/head", {"steps": -1}, head=server.head())
        assert answer.status_code == 200
        assert spectator.ok(server.main)["position"]["number"] == 1
        server.play("take 2")
        assert spectator.ok(server.main)["position"]["number"] == 2
        server.play("take 1")
        assert spectator.ok(server.main)["position"]["number"] == 2  # its head went back
        server.play("take 1")
        commits = spectator.ok(f"{server.main}/moves")["commits"]
        assert [each["text"] for each in commits[1:]] == ["take 1", "take 2", "take 2"]


def test_an_open_feed_goes_on_as_late_as_it_should(tmp_path: Path) -> None:
    with listening(tmp_path) as (listener, loop_):
        assert listener.host("PUT", f"{listener.path}/terms", {"delay": "2"}).status_code == 200
        spectator = listener.token("spectator")

        async def listen_and_check(feeds: Feeds) -> None:
            messages = await feeds.listen(
                listener.game, "main", spectator.token, "s", "application/x-ndjson", "", PAYER
            )
            client = FeedClient(messages)
            (standing,) = await client.receive()
            assert standing["data"]["position"]["number"] == 0
            for _ in range(4):
                await asyncio.to_thread(listener.play, "take 1")
            await client.until(2)
            assert client.moves == [1, 2]
            listener.host("PUT", f"{listener.path}/terms", {"delay": "none"})
            while client.messages[-1]["event"] != "end":  # it was let in as one who is late
                await client.receive()
            assert client.moves == [1, 2]
            again = FeedClient(
                await feeds.listen(
                    listener.game,
                    "main",
                    spectator.token,
                    "s",
                    "application/x-ndjson",
                    client.messages[-1]["id"],
                    PAYER,
                )
            )
            await again.until(4)
            assert again.moves == [3, 4]

        asyncio.run(loop_(listen_and_check))


def test_all_players_are_notified_of_the_end(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {"delay": "20"}) as server:
        spectator, position = server.token("spectator"), server.service.head("k")
        assert spectator.ok(server.main)["position"]["number"] == 0
        while not position.outcome.over:
            server.play("take 1")
            position = server.service.head("k")
        assert spectator.ok(server.main)["position"]["digest"] == position.commit.digest


def test_a_delayed_spectator_sees_no_other_line(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {"delay": "1"}) as server:
        ann = server.seats["ann"]
        assert ann("POST", f"{server.path}/lines", {"name": "idea"}).status_code == 201
        own = f"{server.path}/lines/ann--idea"
        assert ann("PUT", f"{own}/name", {"name": "shared", "shared": True}, head="*").status_code == 200
        assert ann.get(f"{server.path}/lines/shared").status_code == 200
        spectator = server.token("spectator")
        assert [each["name"] for each in spectator.ok(f"{server.path}/lines")["lines"]] == ["main"]
        assert spectator.get(f"{server.path}/lines/shared").status_code == 404
        assert spectator.get(f"{server.path}/positions/{server.head()}").status_code == 404


def test_only_the_host_sets_terms(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {"delay": "2"}) as server:
        path = f"{server.path}/terms"
        for client in (server.seats["ann"], server.token("spectator"), server.token("auditor")):
            assert client("PUT", path, {"delay": "none"}).status_code == 403
        assert server.nobody("PUT", path, {"delay": "none"}).status_code in (401, 403)
        for body in ({"delay": "1.5"}, {"delay": "99999"}, {"pace": "soon"}, {"bank": "7d"}, {"frob": "1"}):
            answer = server.host("PUT", path, body)
            assert answer.status_code in (400, 422), answer.text
        assert server.host.ok(f"{server.path}/seats")["terms"] == {"delay": "2"}
        assert server.host("PUT", path, {"delay": "none", "pace": "3d", "bank": "7d"}).json()["terms"] == {
            "pace": "3d",
            "bank": "1w",
        }
        assert server.token("spectator").ok(server.main)["position"]["number"] == 3
        mover = server.service.head("k").to_move[0]
        due = {each["seat"]: each["due"] for each in server.nobody.ok(f"{server.path}/seats")["seats"]}
        assert {seat for seat, until in due.items() if until} == {mover}
        assert due[mover] == "2024-05-11T20:00:00Z"  # three days and a bank of seven


def test_terms_can_be_said_when_a_game_is_begun(tmp_path: Path) -> None:
    with delayed_match(tmp_path / "k", {}) as server:
        body = {"kind": "nim", "public": True, "terms": {"delay": "90m"}}
        response = server.host("POST", "/v1/games", body)
        assert response.status_code == 201, response.text
        game = response.json()["position"]["game"]
        assert server.nobody.ok(f"/v1/games/{game}/seats")["terms"] == {"delay": "1h30m"}
        bad = server.host("POST", "/v1/games", {**body, "terms": {"delay": "yesterday"}})
        assert bad.status_code == 422


def test_terms_as_text() -> None:
    before = change_terms(TermsSet(), {"delay": "10", "pace": "3d", "bank": "7d"})
    assert terms_text(before) == "delay=10 pace=3d bank=1w"
    assert terms_text(change_terms(before, {"delay": "2h"})) == "delay=2h pace=3d bank=1w"
    assert terms_text(change_terms(before, {"pace": "none"})) == "delay=10"  # without a pace a bank is for nothing
    for text in ("3", "-3d", "d", "3d ", "3.5d", "99999w", "1h2"):
        with pytest.raises(OptionError):
            parse_duration(text, "pace")


def test_nothing_is_written_to_what_is_seen_late() -> None:
    service = GameService(EventStore.open("memory:"), games=KINDS)
    service.new("nim", {"seed": "7"}, name="k", by="hanna")
    with pytest.raises(StoreError, match="this store is read-only"):
        service.delayed_service(TermsSet(behind_moves=1)).play("k", "take 1", by="ann")
