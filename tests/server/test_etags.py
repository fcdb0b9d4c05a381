"""Entity tags by RFC 9110: lists, weak tags, `*`. An answer is not sent twice, nor made twice; and gzip."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.server.game_server import Client, GameServer, game_server
from zimcore.documents.endpoints import LEGAL, LOG, SHOW
from zimcore.server import line_handlers, question_handlers
from zimcore.server.replies import GZIP_LEVEL, Reply, accepts_gzip, pack
from zimcore.server.reply_cache import ReplyCache
from zimcore.service import GameService

OTHER = f'"{"0" * 32}"'
KEPT = {row.name: row.path.format(game="k", line="main") for row in (SHOW, LOG, LEGAL)}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        *(("{}", 304), ("W/{}", 304), ("{}, OTHER", 304), ('OTHER,W/"a,b" , {}', 304), ("*", 304), (" {} ", 304)),
        *(("OTHER", 200), ("W/OTHER", 200), ("{} nonsense", 200), ("nonsense", 200), ("", 200), ('"', 200)),
    ],
)
@pytest.mark.parametrize("path", KEPT.values(), ids=KEPT)
def test_what_a_client_has_is_not_sent_again(nim: GameServer, path: str, sent: str, status: int) -> None:
    ann = nim.seats["ann"]
    tag = ann.get(path).headers["etag"]
    answer = ann.get(path, **{"If-None-Match": sent.replace("OTHER", OTHER).replace("{}", tag)})
    assert answer.status_code == status
    assert answer.headers["etag"] == tag
    assert (answer.content == b"") == (status == 304)


def test_not_modified_is_answered_without_any_position(nim: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, built = nim.seats["ann"], list[str]()
    tags = {path: ann.get(path).headers["etag"] for path in KEPT.values()}
    for name in ("position", "head", "log"):
        monkeypatch.setattr(GameService, name, lambda *_, what=name, **__: built.append(what))
    for path, tag in tags.items():
        assert ann.get(path, **{"If-None-Match": tag}).status_code == 304
    assert built == []
    assert ann.get(f"{nim.main}?at=start", **{"If-None-Match": OTHER}).status_code == 500, "else it is built"


def test_entries_are_not_read_for_a_client_that_has_them(nim: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, path = nim.seats["ann"], f"{nim.main}/entries"
    tag = ann.get(path).headers["etag"]
    for name in ("copy", "copy_discussion"):
        monkeypatch.setattr(GameService, name, lambda *_, **__: pytest.fail("it is read"))
    assert ann.get(path, **{"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(
    ("kind", "moves"), [("nim", ["take 1", "take 3", "take 3", "take 1"]), ("kuhn", ["say b", "say c"])]
)
def test_entries_with_the_same_tag_are_the_same(tmp_path: Path, kind: str, moves: list[str]) -> None:
    """After everything that can happen around a game, for everyone; and the tag says nothing that the rest does not."""
    with game_server(tmp_path, kind, {"seed": "7"}, tick=3600) as server:
        first, second = server.seats
        everyone = {
            **server.seats,
            "host": server.host,
            **{role: server.token(role) for role in ("spectator", "auditor")},
        }
        tags, contents = dict[tuple[str, str], bytes](), dict[tuple[str, str, bytes], str]()
        changes: list[tuple[str, str, str, Any]] = [
            (first, "POST", f"{server.path}/talk", {"text": "hello"}),
            (first, "POST", f"{server.path}/talk", {"text": "a note", "own": True}),
            (first, "POST", f"{server.path}/lines", {"name": "plan", "redeal": kind == "kuhn"}),
            (first, "PUT", f"{server.path}/lines/{first}--plan/name", {"name": "other"}),
            ("host", "PUT", f"{server.path}/terms", {"pace": "1h"}),
            *[("", "POST", f"{server.main}/moves", {"move": move}) for move in moves[:1]],
            (first, "PUT", f"{server.path}/tags/opening", {"at": "0"}),
            (first, "POST", f"{server.path}/votes", {"what": "wait", "seat": second}),
            (first, "POST", f"{server.path}/requests", {"steps": 1}),
            (second, "PUT", f"{server.path}/requests/1", {"status": "declined"}),
            (first, "PUT", f"{server.path}/lines/{first}--other/name", {"name": "shared", "shared": True}),
            ("host", "POST", f"{server.path}/tokens", {"role": "spectator"}),
            *[("", "POST", f"{server.main}/moves", {"move": move}) for move in moves[1:]],
            ("host", "DELETE", f"{server.path}/seats/{second}", None),
        ]
        for who, method, path, body in [("host", "GET", server.path, None), *changes]:
            sender = everyone[who or server.service.head("k").to_move[0]]
            answer = sender(method, path, body, head="*" if "lines/" in path else None)
            assert answer.status_code < 300, (path, answer.text)
            for name, client in everyone.items():
                for query in ("", "?after=1&heard=0&noted=0", "?limit=1"):
                    response = client.get(f"{server.main}/entries{query}")
                    if response.status_code == 200:
                        about, tag = f"{name}{query}", response.headers["etag"]
                        assert tags.setdefault((about, tag), response.content) == response.content, (path, about)
                        assert contents.setdefault((name, query, response.content), tag) == tag, (path, about)
        assert len(tags) > 100


def test_not_modified_needs_the_same_rights(nim: GameServer) -> None:
    tag = nim.seats["ann"].get(nim.main).headers["etag"]
    assert nim.nobody.get(nim.main, **{"If-None-Match": tag}).status_code == 401
    ann = Client(nim.http, nim.seats["ann"].token)
    (token,) = (each for each in nim.host.ok(f"{nim.path}/tokens")["tokens"] if each["seat"] == "ann")
    assert nim.host("DELETE", f"{nim.path}/tokens/{token['id']}").status_code == 200
    assert ann.get(nim.main, **{"If-None-Match": tag}).status_code == 401
    assert ann.get(nim.main).status_code == 401, "neither by an answer that was kept"


def test_a_write_names_heads_in_a_list_or_weakly(nim: GameServer) -> None:
    ann, head = nim.seats["ann"], nim.head()
    for sent, status in (
        (OTHER, 412),
        (f"W/{OTHER}", 412),
        (f"{OTHER}, {OTHER}", 412),
        (f'{OTHER}, "short"', 400),
        (f'{OTHER}, W/"{head}"', 201),
    ):
        answer = ann("POST", f"{nim.main}/moves", {"move": "take 1"}, headers={"If-Match": sent})
        assert answer.status_code == status, (sent, answer.text)
    weak = {"If-Match": f'W/"{nim.head()}"'}
    assert nim.seats["ben"]("POST", f"{nim.main}/moves", {"move": "take 1"}, headers=weak).status_code == 201
    assert nim.service.head("k").commit.number == 2


# Answers that are kept.


def test_an_answer_is_made_once_for_all_who_see_the_same(nim: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[str]()

    def count(module: Any, name: str) -> None:
        handler = getattr(module, name)
        work = handler.work

        def count_made(*body: Any) -> Any:
            calls.append(name)
            return work(*body)

        monkeypatch.setattr(handler, "work", count_made)

    count(line_handlers, "show")
    count(question_handlers, "legal")
    first, second = nim.token("spectator"), nim.token("spectator")
    calls.clear()
    for _ in range(3):
        assert first.ok(nim.main) == second.ok(nim.main)
    assert first.ok(f"{nim.main}/legal?beginning=take") != first.ok(f"{nim.main}/legal?beginning=take+1")
    assert calls == ["show", "legal", "legal"]
    nim.play("take 1")
    assert first.ok(nim.main)["position"]["number"] == 1
    assert nim.host("PUT", f"{nim.path}/terms", {"pace": "2d"}).status_code == 200
    first.ok(nim.main)
    assert calls.count("show") == 3, "a move and new terms make it again"


def test_nothing_is_kept_of_a_game_that_still_hides_something(tmp_path: Path) -> None:
    with game_server(tmp_path, "kuhn", {"seed": "7"}) as server:
        cache: ReplyCache = server.http.app.state.replies
        everyone = [*server.seats.values(), server.host, server.token("spectator"), server.token("auditor")]

        def ask_all() -> None:
            for client in everyone:
                for path in KEPT.values():
                    assert client.get(path).status_code == 200

        ask_all()
        server.play("say b")
        ask_all()
        assert cache.size == 0
        server.play("say c")
        ask_all()
        assert cache.size > 0, "the cards are shown: from here on answers are kept"


def test_a_cache_drops_what_was_not_asked_for_longest() -> None:
    cache = ReplyCache(most=25)
    for key in "abc":
        cache.keep(key, Reply(b"0123456789"))
        assert cache.get("a") or key == "c"
    assert [bool(cache.get(key)) for key in "abc"] == [True, False, True]
    assert cache.size == 20


# Compressed.


def test_long_answers_are_compressed_for_clients_that_accept_it(nim: GameServer) -> None:
    nim.play("take 1", "take 1", "take 1")
    plain = nim.seats["ann"].get(f"{nim.main}/entries", **{"Accept-Encoding": "identity"})
    packed = nim.seats["ann"].get(f"{nim.main}/entries", **{"Accept-Encoding": "br, gzip;q=0.5"})
    assert "content-encoding" not in plain.headers
    assert (packed.headers["content-encoding"], packed.json()) == ("gzip", plain.json())
    assert int(packed.headers["content-length"]) < len(plain.content) / 1.5
    assert "Accept-Encoding" in packed.headers["vary"]
    short = nim.seats["ann"].get(f"{nim.path}/talk", **{"Accept-Encoding": "gzip"})
    assert "content-encoding" not in short.headers, "it would gain nothing"


def test_the_same_address_is_kept_in_both_forms(nim: GameServer) -> None:
    nim.play("take 1", "take 1", "take 1")
    ann = nim.seats["ann"]
    for accepted in ("gzip", "identity", "gzip", "identity"):
        with nim.http.stream(
            "GET", f"{nim.main}/moves", headers={**bearer(ann), "Accept-Encoding": accepted}
        ) as response:
            raw = b"".join(response.iter_raw())
        assert json.loads(gzip.decompress(raw) if accepted == "gzip" else raw)["command"] == "log"


def test_nothing_is_compressed_twice() -> None:
    once = pack(Reply(b"x" * 5000))
    assert once.headers == {"Content-Encoding": "gzip"}
    assert pack(once) == once
    assert gzip.decompress(once.content) == b"x" * 5000
    assert 1 <= GZIP_LEVEL <= 9


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        *(("gzip", True), ("deflate, gzip", True), ("GZIP;q=1.0", True), ("*", True), ("gzip; q=0.1", True)),
        *(("", False), ("br", False), ("gzip;q=0", False), ("gzip; q=0.0, br", False), ("x-gzip", False)),
    ],
)
def test_gzip_is_sent_to_those_who_accept_it(header: str, accepted: bool) -> None:
    request: Any = SimpleNamespace(headers={"accept-encoding": header})
    assert accepts_gzip(request) == accepted


def bearer(client: Client) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.token}"}
