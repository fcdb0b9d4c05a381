"""Entity tags by RFC 9110: lists, weak tags, `*`; cached answers; and gzip."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.server.game_server import Client, GameServer, game_server
from zimcore.documents.endpoints import LEGAL, LOG, SHOW
from zimcore.server.endpoints import line_handlers, question_handlers
from zimcore.server.wire.repeated_answers import SentAnswer
from zimcore.server.wire.replies import GZIP_LEVEL, Reply, accepts_gzip, compress
from zimcore.server.wire.reply_cache import ReplyCache
from zimcore.service import GameService

OTHER_ETAG = f'"{"0" * 32}"'
TAGGED_PATHS = {row.name: row.path.format(game="k", line="main") for row in (SHOW, LOG, LEGAL)}


@pytest.mark.parametrize(
    ("if_none_match", "status"),
    [
        *(("{}", 304), ("W/{}", 304), ("{}, OTHER", 304), ('OTHER,W/"a,b" , {}', 304), ("*", 304), (" {} ", 304)),
        *(("OTHER", 200), ("W/OTHER", 200), ("{} nonsense", 200), ("nonsense", 200), ("", 200), ('"', 200)),
    ],
)
@pytest.mark.parametrize("path", TAGGED_PATHS.values(), ids=TAGGED_PATHS)
def test_a_matching_tag_is_answered_not_modified(
    nim_server: GameServer, path: str, if_none_match: str, status: int
) -> None:
    ann = nim_server.seats["ann"]
    etag = ann.get(path).headers["etag"]
    response = ann.get(path, **{"If-None-Match": if_none_match.replace("OTHER", OTHER_ETAG).replace("{}", etag)})
    assert response.status_code == status
    assert response.headers["etag"] == etag
    assert (response.content == b"") == (status == 304)


def test_not_modified_needs_no_position(nim_server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, calls = nim_server.seats["ann"], list[str]()
    etags = {path: ann.get(path).headers["etag"] for path in TAGGED_PATHS.values()}
    for name in ("position", "head", "log"):
        monkeypatch.setattr(GameService, name, lambda *_, method=name, **__: calls.append(method))
    for path, etag in etags.items():
        assert ann.get(path, **{"If-None-Match": etag}).status_code == 304
    assert calls == []
    assert ann.get(f"{nim_server.main}?at=start", **{"If-None-Match": OTHER_ETAG}).status_code == 500, (
        "else it is built"
    )


def test_entries_are_not_read_for_a_client_that_has_them(
    nim_server: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, path = nim_server.seats["ann"], f"{nim_server.main}/entries"
    etag = ann.get(path).headers["etag"]
    for name in ("copy", "copy_discussion"):
        monkeypatch.setattr(GameService, name, lambda *_, **__: pytest.fail("it is read"))
    assert ann.get(path, **{"If-None-Match": etag}).status_code == 304


@pytest.mark.parametrize(
    ("kind", "moves"), [("nim", ["take 1", "take 3", "take 3", "take 1"]), ("kuhn", ["say b", "say c"])]
)
def test_entries_with_the_same_tag_are_equal(tmp_path: Path, kind: str, moves: list[str]) -> None:
    """After everything that can happen around a game, for everyone; and the tag says nothing that the rest does not."""
    with game_server(tmp_path, kind, {"seed": "7"}, clock_step=3600) as server:
        first_seat, second_seat = server.seats
        clients = {
            **server.seats,
            "host": server.host,
            **{role: server.token(role) for role in ("spectator", "auditor")},
        }
        contents_by_tag, tags_by_content = dict[tuple[str, str], bytes](), dict[tuple[str, str, bytes], str]()
        changes: list[tuple[str, str, str, Any]] = [
            (first_seat, "POST", f"{server.path}/talk", {"text": "hello"}),
            (first_seat, "POST", f"{server.path}/talk", {"text": "a note", "own": True}),
            (first_seat, "POST", f"{server.path}/lines", {"name": "plan", "redeal": kind == "kuhn"}),
            (first_seat, "PUT", f"{server.path}/lines/{first_seat}--plan/name", {"name": "other"}),
            ("host", "PUT", f"{server.path}/terms", {"pace": "1h"}),
            *[("", "POST", f"{server.main}/moves", {"move": move}) for move in moves[:1]],
            (first_seat, "PUT", f"{server.path}/tags/opening", {"at": "0"}),
            (first_seat, "POST", f"{server.path}/votes", {"what": "wait", "seat": second_seat}),
            (first_seat, "POST", f"{server.path}/requests", {"steps": 1}),
            (second_seat, "PUT", f"{server.path}/requests/1", {"status": "declined"}),
            (first_seat, "PUT", f"{server.path}/lines/{first_seat}--other/name", {"name": "shared", "shared": True}),
            ("host", "POST", f"{server.path}/tokens", {"role": "spectator"}),
            *[("", "POST", f"{server.main}/moves", {"move": move}) for move in moves[1:]],
            ("host", "DELETE", f"{server.path}/seats/{second_seat}", None),
        ]
        for author, method, path, body in [("host", "GET", server.path, None), *changes]:
            sender = clients[author or server.service.head("k").to_move[0]]
            write_response = sender(method, path, body, head="*" if "lines/" in path else None)
            assert write_response.status_code < 300, (path, write_response.text)
            for name, client in clients.items():
                for query in ("", "?after=1&heard=0&noted=0", "?limit=1"):
                    response = client.get(f"{server.main}/entries{query}")
                    if response.status_code == 200:
                        query_key, tag = f"{name}{query}", response.headers["etag"]
                        assert contents_by_tag.setdefault((query_key, tag), response.content) == response.content, (
                            path,
                            query_key,
                        )
                        assert tags_by_content.setdefault((name, query, response.content), tag) == tag, (
                            path,
                            query_key,
                        )
        assert len(contents_by_tag) > 100


def test_not_modified_needs_the_same_rights(nim_server: GameServer) -> None:
    etag = nim_server.seats["ann"].get(nim_server.main).headers["etag"]
    assert nim_server.nobody.get(nim_server.main, **{"If-None-Match": etag}).status_code == 401
    ann = Client(nim_server.http, nim_server.seats["ann"].token)
    (token,) = (
        token for token in nim_server.host.get_json(f"{nim_server.path}/tokens")["tokens"] if token["seat"] == "ann"
    )
    assert nim_server.host("DELETE", f"{nim_server.path}/tokens/{token['id']}").status_code == 200
    assert ann.get(nim_server.main, **{"If-None-Match": etag}).status_code == 401
    assert ann.get(nim_server.main).status_code == 401, "neither by an answer that was kept"


def test_a_write_names_heads_in_a_list_or_weakly(nim_server: GameServer) -> None:
    ann, head = nim_server.seats["ann"], nim_server.head()
    for if_match, status in (
        (OTHER_ETAG, 412),
        (f"W/{OTHER_ETAG}", 412),
        (f"{OTHER_ETAG}, {OTHER_ETAG}", 412),
        (f'{OTHER_ETAG}, "short"', 400),
        (f'{OTHER_ETAG}, W/"{head}"', 201),
    ):
        response = ann("POST", f"{nim_server.main}/moves", {"move": "take 1"}, headers={"If-Match": if_match})
        assert response.status_code == status, (if_match, response.text)
    weak_header = {"If-Match": f'W/"{nim_server.head()}"'}
    assert (
        nim_server.seats["ben"]("POST", f"{nim_server.main}/moves", {"move": "take 1"}, headers=weak_header).status_code
        == 201
    )
    assert nim_server.service.head("k").commit.number == 2


# Cached answers.


def test_an_answer_is_made_once_for_equal_viewers(nim_server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    called_handlers = list[str]()

    def count_calls_of(module: Any, name: str) -> None:
        handler = getattr(module, name)
        work = handler.work

        def count_and_work(*body: Any) -> Any:
            called_handlers.append(name)
            return work(*body)

        monkeypatch.setattr(handler, "work", count_and_work)

    count_calls_of(line_handlers, "show")
    count_calls_of(question_handlers, "legal")
    first_spectator, second_spectator = nim_server.token("spectator"), nim_server.token("spectator")
    called_handlers.clear()
    for _ in range(3):
        assert first_spectator.get_json(nim_server.main) == second_spectator.get_json(nim_server.main)
    assert first_spectator.get_json(f"{nim_server.main}/legal?beginning=take") != first_spectator.get_json(
        f"{nim_server.main}/legal?beginning=take+1"
    )
    assert called_handlers == ["show", "legal", "legal"]
    nim_server.play("take 1")
    assert first_spectator.get_json(nim_server.main)["position"]["number"] == 1
    assert nim_server.host("PUT", f"{nim_server.path}/terms", {"pace": "2d"}).status_code == 200
    first_spectator.get_json(nim_server.main)
    assert called_handlers.count("show") == 3, "a move and new terms make it again"


def test_no_answer_about_hidden_cards_is_cached(tmp_path: Path) -> None:
    with game_server(tmp_path, "kuhn", {"seed": "7"}) as server:
        cache: ReplyCache[Reply] = server.http.app.state.replies
        clients = [*server.seats.values(), server.host, server.token("spectator"), server.token("auditor")]

        def ask_all() -> None:
            for client in clients:
                for path in TAGGED_PATHS.values():
                    assert client.get(path).status_code == 200

        ask_all()
        server.play("say b")
        ask_all()
        sent_answers: ReplyCache[SentAnswer] = server.http.app.state.sent_answers
        assert (cache.used_bytes, sent_answers.used_bytes) == (0, 0)
        server.play("say c")
        ask_all()
        assert cache.used_bytes > 0, "the cards are shown: from here on answers are kept"


def test_a_cache_drops_the_least_recently_used_answer() -> None:
    cache = ReplyCache[Reply](max_bytes=25)
    for key in "abc":
        cache.keep(key, Reply(b"0123456789"))
        assert cache.get("a") or key == "c"
    assert [bool(cache.get(key)) for key in "abc"] == [True, False, True]
    assert cache.used_bytes == 20


# Compressed answers.


def test_long_answers_are_compressed_for_clients_that_accept_it(nim_server: GameServer) -> None:
    nim_server.play("take 1", "take 1", "take 1")
    plain_response = nim_server.seats["ann"].get(f"{nim_server.main}/entries", **{"Accept-Encoding": "identity"})
    packed_response = nim_server.seats["ann"].get(f"{nim_server.main}/entries", **{"Accept-Encoding": "br, gzip;q=0.5"})
    assert "content-encoding" not in plain_response.headers
    assert (packed_response.headers["content-encoding"], packed_response.json()) == ("gzip", plain_response.json())
    assert int(packed_response.headers["content-length"]) < len(plain_response.content) / 1.5
    assert "Accept-Encoding" in packed_response.headers["vary"]
    short_response = nim_server.seats["ann"].get(f"{nim_server.path}/talk", **{"Accept-Encoding": "gzip"})
    assert "content-encoding" not in short_response.headers, "it would gain nothing"


def test_an_address_is_cached_compressed_and_plain(nim_server: GameServer) -> None:
    nim_server.play("take 1", "take 1", "take 1")
    ann = nim_server.seats["ann"]
    for encoding in ("gzip", "identity", "gzip", "identity"):
        with nim_server.http.stream(
            "GET", f"{nim_server.main}/moves", headers={**authorization(ann), "Accept-Encoding": encoding}
        ) as response:
            raw_body = b"".join(response.iter_raw())
        assert json.loads(gzip.decompress(raw_body) if encoding == "gzip" else raw_body)["command"] == "log"


def test_nothing_is_compressed_twice() -> None:
    packed_reply = compress(Reply(b"x" * 5000))
    assert packed_reply.headers == {"Content-Encoding": "gzip"}
    assert compress(packed_reply) == packed_reply
    assert gzip.decompress(packed_reply.content) == b"x" * 5000
    assert 1 <= GZIP_LEVEL <= 9


@pytest.mark.parametrize(
    ("header", "is_accepted"),
    [
        *(("gzip", True), ("deflate, gzip", True), ("GZIP;q=1.0", True), ("*", True), ("gzip; q=0.1", True)),
        *(("", False), ("br", False), ("gzip;q=0", False), ("gzip; q=0.0, br", False), ("x-gzip", False)),
    ],
)
def test_gzip_is_sent_to_clients_that_accept_it(header: str, is_accepted: bool) -> None:
    request: Any = SimpleNamespace(headers={"accept-encoding": header})
    assert accepts_gzip(request) == is_accepted


def authorization(client: Client) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.token}"}
