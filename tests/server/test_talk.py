"""Chat on a server: authors, readers, and private notes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.server.game_server import Client, GameServer, game_server
from tests.server.test_feeds import feed_client, listening
from zimcore.server import accounts
from zimcore.server.feeds import Feeds, parse_mark


def texts(client: Client, server: GameServer) -> list[str]:
    return [each["text"] for each in client.ok(f"{server.path}/talk")["talk"]]


def say(client: Client, server: GameServer, text: str, **options: Any) -> int:
    return client("POST", f"{server.path}/talk", {"text": text, **options}).status_code


def test_what_is_said_is_heard_by_all_and_a_note_by_its_writer(nim: GameServer) -> None:
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    assert [say(ann, nim, "good luck"), say(ann, nim, "take 3, then 1", own=True), say(ben, nim, "thanks")] == [201] * 3
    assert say(nim.host, nim, "we begin at eight") == 201
    assert texts(ann, nim) == ["good luck", "take 3, then 1", "thanks", "we begin at eight"]
    for client in (ben, nim.host, nim.token("spectator"), nim.token("auditor")):
        assert texts(client, nim) == ["good luck", "thanks", "we begin at eight"]
    first = ann.ok(f"{nim.path}/talk")["talk"][0]
    assert {key: first[key] for key in ("by", "seat", "text", "own")} == {
        "by": "ann-player",
        "seat": "ann",
        "text": "good luck",
        "own": False,
    }


@pytest.mark.parametrize("role", ["spectator", "auditor"])
def test_who_only_watches_says_nothing(nim: GameServer, role: str) -> None:
    assert say(nim.token(role), nim, "hello") == 403
    assert say(nim.nobody, nim, "hello") == 401


def test_a_host_and_a_person_with_the_name_of_a_player_read_no_notes(nim: GameServer) -> None:
    assert say(nim.seats["ann"], nim, "my plan", own=True) == 201
    assert say(nim.host, nim, "a note", own=True) == 403
    body = {"role": "spectator", "name": "ann-player"}
    twin = Client(nim.http, nim.host("POST", f"{nim.path}/tokens", body).json()["token"])
    account = Client(nim.http, accounts.give(nim.service, "ann-player").token)
    assert texts(twin, nim) == texts(nim.host, nim) == []
    assert account.get(f"{nim.path}/talk").status_code == 404


def test_the_next_player_of_a_seat_reads_no_notes_of_the_last_one(nim: GameServer) -> None:
    assert say(nim.seats["ann"], nim, "my plan", own=True) == 201
    assert nim.seats["ann"]("DELETE", f"{nim.path}/seats/ann").status_code == 200
    for name in ("amy", "ann-player"):
        later = nim.sit("ann", name)
        assert texts(later, nim) == []
        copied = later.ok(f"{nim.main}/entries")
        assert "noted" not in copied
        assert later("DELETE", f"{nim.path}/seats/ann").status_code == 200


def test_something_is_said_about_a_position(nim: GameServer) -> None:
    nim.play("take 3")
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    assert say(ben, nim, "a strong opening", at="1") == 201
    assert ann.ok(f"{nim.path}/talk")["talk"][0]["about"] == nim.head()
    assert say(ben, nim, "where", at="9") == 404
    assert ben("POST", f"{nim.path}/lines", {"name": "plan"}).status_code == 201
    assert say(ann, nim, "there", line="ben--plan", at="1") == 404
    assert say(ben, nim, "there", line="ben--plan", at="1") == 403, "nobody else knows that line"
    assert say(ben, nim, "there", line="ben--plan", at="1", own=True) == 201


def test_the_same_with_its_key_is_said_once(nim: GameServer) -> None:
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    path, body = f"{nim.path}/talk", {"text": "hello"}
    first, second = (ann("POST", path, body, key="k1") for _ in "ab")
    assert first.json() == second.json()
    assert ann("POST", path, {"text": "goodbye"}, key="k1").status_code == 422
    assert ben("POST", path, body, key="k1").status_code == 201, "a key is good for one person"
    assert texts(ann, nim) == ["hello", "hello"]


@pytest.mark.parametrize(
    ("text", "status"),
    [("", 400), ("   ", 409), ("x" * 501, 400), ("a\nb", 409), ("\x1b]0;x\x07", 409), ("\u202e", 409), ("<b>&", 201)],
)
def test_hostile_texts(nim: GameServer, text: str, status: int) -> None:
    assert say(nim.seats["ann"], nim, text) == status


def test_a_feed_brings_what_is_said_and_no_note(tmp_path: Path) -> None:
    with listening(tmp_path) as (listener, loop_):
        ann = listener.seats["ann"]

        async def listen_and_check(feeds: Feeds) -> None:
            ben = await feed_client(feeds, listener, "ben")
            await ben.receive()
            assert say(ann, listener, "a note", own=True) == 201
            assert say(ann, listener, "good luck") == 201
            (message,) = await ben.receive()
            assert (message["event"], message["data"]["talk"][0]["text"]) == ("talk", "good luck")
            later = await feed_client(feeds, listener, "ben", last=ben.messages[0]["id"])
            assert await later.receive() == [message]
            listener.play("take 1")
            assert [each["event"] for each in await ben.receive()] == ["commit"]

        asyncio.run(loop_(listen_and_check))


def test_the_chat_reaches_listeners_who_connect_later(tmp_path: Path) -> None:
    with listening(tmp_path) as (listener, loop_):
        assert say(listener.seats["ann"], listener, "good luck") == 201

        async def listen_and_check(feeds: Feeds) -> None:
            (standing,) = await (await feed_client(feeds, listener, "ben")).receive()
            mark = parse_mark(standing["id"])
            assert mark
            assert mark.heard > 0
            missed = await feed_client(feeds, listener, "ben", last=f"{mark.revision}.{mark.changes}.0")
            assert [each["event"] for each in await missed.receive()] == ["talk"]

        asyncio.run(loop_(listen_and_check))


def test_a_public_game_lets_everybody_listen(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, public=True) as server:
        assert say(server.seats["ann"], server, "good luck") == 201
        assert texts(server.nobody, server) == ["good luck"]
        assert say(server.nobody, server, "hello") == 403
