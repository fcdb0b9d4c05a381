"""Chat on a server: authors, readers, and private notes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.server.game_server import Client, GameServer, game_server
from tests.server.test_feeds import feed_client, server_with_feeds
from zimcore.server.news.feeds import Feeds, parse_cursor
from zimcore.server.people import accounts


def visible_texts(client: Client, server: GameServer) -> list[str]:
    return [each["text"] for each in client.get_json(f"{server.path}/talk")["talk"]]


def status_of_message(client: Client, server: GameServer, text: str, **options: Any) -> int:
    return client("POST", f"{server.path}/talk", {"text": text, **options}).status_code


def test_all_read_messages_and_only_the_author_reads_a_note(nim_server: GameServer) -> None:
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    assert [
        status_of_message(ann, nim_server, "good luck"),
        status_of_message(ann, nim_server, "take 3, then 1", own=True),
        status_of_message(ben, nim_server, "thanks"),
    ] == [201] * 3
    assert status_of_message(nim_server.host, nim_server, "we begin at eight") == 201
    assert visible_texts(ann, nim_server) == ["good luck", "take 3, then 1", "thanks", "we begin at eight"]
    for client in (ben, nim_server.host, nim_server.token("spectator"), nim_server.token("auditor")):
        assert visible_texts(client, nim_server) == ["good luck", "thanks", "we begin at eight"]
    first_message = ann.get_json(f"{nim_server.path}/talk")["talk"][0]
    assert {key: first_message[key] for key in ("by", "seat", "text", "own")} == {
        "by": "ann-player",
        "seat": "ann",
        "text": "good luck",
        "own": False,
    }


@pytest.mark.parametrize("role", ["spectator", "auditor"])
def test_spectators_write_no_messages(nim_server: GameServer, role: str) -> None:
    assert status_of_message(nim_server.token(role), nim_server, "hello") == 403
    assert status_of_message(nim_server.nobody, nim_server, "hello") == 401


def test_a_host_and_a_person_with_the_name_of_a_player_read_no_notes(nim_server: GameServer) -> None:
    assert status_of_message(nim_server.seats["ann"], nim_server, "my plan", own=True) == 201
    assert status_of_message(nim_server.host, nim_server, "a note", own=True) == 403
    body = {"role": "spectator", "name": "ann-player"}
    spectator_of_that_name = Client(
        nim_server.http, nim_server.host("POST", f"{nim_server.path}/tokens", body).json()["token"]
    )
    host_of_that_name = Client(nim_server.http, accounts.create_token(nim_server.service, "ann-player").token)
    assert visible_texts(spectator_of_that_name, nim_server) == visible_texts(nim_server.host, nim_server) == []
    assert host_of_that_name.get(f"{nim_server.path}/talk").status_code == 404


def test_the_next_player_of_a_seat_reads_no_notes_of_the_last_one(nim_server: GameServer) -> None:
    assert status_of_message(nim_server.seats["ann"], nim_server, "my plan", own=True) == 201
    assert nim_server.seats["ann"]("DELETE", f"{nim_server.path}/seats/ann").status_code == 200
    for name in ("amy", "ann-player"):
        next_player = nim_server.sit("ann", name)
        assert visible_texts(next_player, nim_server) == []
        entries = next_player.get_json(f"{nim_server.main}/entries")
        assert "noted" not in entries
        assert next_player("DELETE", f"{nim_server.path}/seats/ann").status_code == 200


def test_a_message_may_be_about_a_position(nim_server: GameServer) -> None:
    nim_server.play("take 3")
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    assert status_of_message(ben, nim_server, "a strong opening", at="1") == 201
    assert ann.get_json(f"{nim_server.path}/talk")["talk"][0]["about"] == nim_server.head()
    assert status_of_message(ben, nim_server, "where", at="9") == 404
    assert ben("POST", f"{nim_server.path}/lines", {"name": "plan"}).status_code == 201
    assert status_of_message(ann, nim_server, "there", line="ben--plan", at="1") == 404
    assert status_of_message(ben, nim_server, "there", line="ben--plan", at="1") == 403, "the line is private"
    assert status_of_message(ben, nim_server, "there", line="ben--plan", at="1", own=True) == 201


def test_a_retried_message_is_stored_once(nim_server: GameServer) -> None:
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    path, body = f"{nim_server.path}/talk", {"text": "hello"}
    first_response, second_response = (ann("POST", path, body, key="k1") for _ in "ab")
    assert first_response.json() == second_response.json()
    assert ann("POST", path, {"text": "goodbye"}, key="k1").status_code == 422
    assert ben("POST", path, body, key="k1").status_code == 201, "a key is good for one person"
    assert visible_texts(ann, nim_server) == ["hello", "hello"]


@pytest.mark.parametrize(
    ("text", "status"),
    [("", 400), ("   ", 409), ("x" * 501, 400), ("a\nb", 409), ("\x1b]0;x\x07", 409), ("\u202e", 409), ("<b>&", 201)],
)
def test_hostile_messages_are_refused_or_plain_text(nim_server: GameServer, text: str, status: int) -> None:
    assert status_of_message(nim_server.seats["ann"], nim_server, text) == status


def test_a_feed_has_messages_and_no_notes(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path) as (server, run_with_feeds):
        ann = server.seats["ann"]

        async def listen_and_check(feeds: Feeds) -> None:
            ben = await feed_client(feeds, server, "ben")
            await ben.receive()
            assert status_of_message(ann, server, "a note", own=True) == 201
            assert status_of_message(ann, server, "good luck") == 201
            (message,) = await ben.receive()
            assert (message["event"], message["data"]["talk"][0]["text"]) == ("talk", "good luck")
            second_client = await feed_client(feeds, server, "ben", last_id=ben.messages[0]["id"])
            assert await second_client.receive() == [message]
            server.play("take 1")
            assert [each["event"] for each in await ben.receive()] == ["commit"]

        asyncio.run(run_with_feeds(listen_and_check))


def test_the_chat_reaches_listeners_who_connect_later(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path) as (server, run_with_feeds):
        assert status_of_message(server.seats["ann"], server, "good luck") == 201

        async def listen_and_check(feeds: Feeds) -> None:
            (standing_message,) = await (await feed_client(feeds, server, "ben")).receive()
            cursor = parse_cursor(standing_message["id"])
            assert cursor
            assert cursor.discussion_entries > 0
            late_client = await feed_client(feeds, server, "ben", last_id=f"{cursor.revision}.{cursor.seat_changes}.0")
            assert [each["event"] for each in await late_client.receive()] == ["talk"]

        asyncio.run(run_with_feeds(listen_and_check))


def test_messages_of_a_public_game_are_public(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}, public=True) as server:
        assert status_of_message(server.seats["ann"], server, "good luck") == 201
        assert visible_texts(server.nobody, server) == ["good luck"]
        assert status_of_message(server.nobody, server, "hello") == 403
