"""Long lists come in pages, each with the address of the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import fields

from tests.server.asking import path_of
from tests.server.game_server import Client, GameServer, game_server
from zimcore.documents import endpoints
from zimcore.documents.endpoints import ENDPOINTS, Endpoint


def pages(client: Client, path: str, most: int = 50) -> list[Any]:
    """All pages from an address on, by their links."""
    results = list[Any]()
    while path:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        results.append(answer.json())
        path = answer.links.get("next", {}).get("url", "")
        assert len(results) < most, "it does not end"
    return results


@pytest.mark.parametrize("more", ["", "&facts=true", "&every=true"])
def test_moves_come_in_pages(nim: GameServer, more: str) -> None:
    nim.play(*["take 1"] * 6)
    ann = nim.seats["ann"]
    (whole,) = pages(ann, f"{nim.main}/moves?{more.lstrip('&')}")
    items = pages(ann, f"{nim.main}/moves?limit=3{more}")
    assert [len(page["commits"]) for page in items] == [3, 3, 1]
    assert [each for page in items for each in page["commits"]] == whole["commits"]
    assert {page["digest"] for page in items} == {whole["digest"]}
    (rest,) = pages(ann, f"{nim.main}/moves?since=4{more}")
    assert rest["commits"] == whole["commits"][5:]


def test_a_page_stays_with_the_log_that_it_began(nim: GameServer) -> None:
    nim.play("take 1", "take 1")
    ann = nim.seats["ann"]
    following = ann.get(f"{nim.main}/moves?limit=2").links["next"]["url"]
    nim.play("take 1", "take 1")
    assert [each["number"] for each in ann.ok(following)["commits"]] == [2]


def test_entries_come_in_pages(nim: GameServer) -> None:
    nim.play(*["take 1"] * 6)
    ann = nim.seats["ann"]
    (whole,) = pages(ann, f"{nim.main}/entries")
    items = pages(ann, f"{nim.main}/entries?limit=3")
    assert [len(page["entries"]) for page in items] == [3, 3, 1]
    assert [each for page in items for each in page["entries"]] == whole["entries"]


LISTS = (
    *(endpoints.GAMES, endpoints.LINES, endpoints.OPERATIONS, endpoints.TAGS),
    *(endpoints.TALK, endpoints.REQUESTS, endpoints.VOTES, endpoints.LEAGUES),
)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameServer]:
    """A game with three of everything or more; ben is always out of time."""
    with game_server(tmp_path_factory.mktemp("full"), "nim", {"seed": "7", "stones": "30"}, tick=3600) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        server.play("take 1", "take 1", "take 1")
        assert server.service.head("k").to_move == ("ben",)
        assert server.host("PUT", f"{server.path}/terms", {"pace": "1h"}).status_code == 200
        for number in range(3):
            for client, row, body in (
                (ann, endpoints.SAY, {"text": f"remark {number}", "own": number == 1}),
                (ann, endpoints.FORK, {"name": f"plan-{number}"}),
                (ann, endpoints.VOTE, {"what": "wait", "seat": "ben"}),
                (ann, endpoints.ASK, {"steps": 1}),
            ):
                answer = client("POST", path_of(row, server), body)
                assert answer.status_code == 201, answer.text
            path = path_of(endpoints.ANSWER, server, number=number + 1)
            assert ben("PUT", path, {"status": "declined"}).status_code == 200
            assert ann("PUT", f"{server.path}/tags/tag-{number}", {"at": str(number)}).status_code == 200
            assert server.host("POST", "/v1/games", {"kind": "africana", "name": f"g{number}"}).status_code == 201
            assert server.host("POST", "/v1/leagues", {"kind": "nim", "name": f"cup-{number}"}).status_code == 201
        yield server


@pytest.mark.parametrize("row", LISTS, ids=lambda row: row.name)
def test_every_list_comes_in_pages(full: GameServer, row: Endpoint[Any, Any]) -> None:
    name, path = row.name, path_of(row, full)
    client = full.host if row in (endpoints.GAMES, endpoints.LEAGUES) else full.seats["ann"]
    (whole,) = pages(client, path)
    assert len(whole[name]) >= 3
    for limit in (1, 2, len(whole[name]) - 1, len(whole[name])):
        items = pages(client, f"{path}?limit={limit}")
        assert [len(page[name]) for page in items][:-1] == [limit] * (len(items) - 1)
        assert [each for page in items for each in page[name]] == whole[name]
        assert {**items[0], name: None} == {**whole, name: None}
    (rest,) = pages(client, f"{path}?since={len(whole[name]) - 2}")
    assert rest[name] == whole[name][-1:]
    assert client.get(f"{path}?limit=0").status_code == 400


def test_no_list_that_grows_is_without_pages() -> None:
    """Tokens that are not valid any more leave their list, and a seat's orders are few."""
    paged = {row.name for row in ENDPOINTS if "limit" in {each.name for each in fields(row.request)}}
    assert paged == {"log", "copy", *(row.name for row in LISTS)}


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "since=-2", "limit=10001"])
def test_a_page_has_a_size(nim: GameServer, query: str) -> None:
    assert nim.seats["ann"].get(f"{nim.main}/moves?{query}").status_code == 400


def test_a_copy_ends_where_its_line_stood_when_it_was_loaded(nim: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may play and talk meanwhile; a client takes more than the answer says for damage."""
    nim.play("take 1")
    store, read = nim.service.store, nim.service.store.read

    def read_late(stream: str, **more: Any) -> Any:
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(store, "read", read)
            mover = nim.seats[nim.host.ok(nim.main)["position"]["to_move"][0]]
            assert mover("POST", f"{nim.main}/moves", {"move": "take 1"}, head="*").status_code == 201
            assert mover("POST", f"{nim.path}/talk", {"text": "well taken"}).status_code == 201
        return read(stream, **more)

    with store.snapshot_read():
        assert nim.service.head("k/main").commit.number == 1
        monkeypatch.setattr(store, "read", read_late)
        line, talk = nim.service.copy("k/main", -1, None), nim.service.copy_discussion("k", "", -1)
    assert talk
    for copied in (line, talk):
        last = copied.entries[-1]
        assert last.first + len(last.rows) - 1 == copied.revision
