"""Long lists come in pages, each with the address of the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import fields

from tests.server.endpoint_requests import path_of
from tests.server.game_server import Client, GameServer, game_server
from zimcore.documents import endpoints
from zimcore.documents.endpoint import Endpoint
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.features.takebacks.documents import ANSWER, ASK, REQUESTS
from zimcore.features.votes.documents import VOTE, VOTES


def read_pages(client: Client, path: str, max_pages: int = 50) -> list[Any]:
    """All pages from an address on, by their links."""
    page_contents = list[Any]()
    while path:
        response = client.get(path)
        assert response.status_code == 200, response.text
        page_contents.append(response.json())
        path = response.links.get("next", {}).get("url", "")
        assert len(page_contents) < max_pages, "the pages do not end"
    return page_contents


@pytest.mark.parametrize("options", ["", "&facts=true", "&every=true"])
def test_moves_are_paged(nim_server: GameServer, options: str) -> None:
    nim_server.play(*["take 1"] * 6)
    ann = nim_server.seats["ann"]
    (single_page,) = read_pages(ann, f"{nim_server.main}/moves?{options.lstrip('&')}")
    pages = read_pages(ann, f"{nim_server.main}/moves?limit=3{options}")
    assert [len(page["commits"]) for page in pages] == [3, 3, 1]
    assert [commit for page in pages for commit in page["commits"]] == single_page["commits"]
    assert {page["digest"] for page in pages} == {single_page["digest"]}
    (last_page,) = read_pages(ann, f"{nim_server.main}/moves?since=4{options}")
    assert last_page["commits"] == single_page["commits"][5:]


def test_pages_stay_with_the_log_of_the_first_page(nim_server: GameServer) -> None:
    nim_server.play("take 1", "take 1")
    ann = nim_server.seats["ann"]
    next_address = ann.get(f"{nim_server.main}/moves?limit=2").links["next"]["url"]
    nim_server.play("take 1", "take 1")
    assert [each["number"] for each in ann.get_json(next_address)["commits"]] == [2]


def test_entries_are_paged(nim_server: GameServer) -> None:
    nim_server.play(*["take 1"] * 6)
    ann = nim_server.seats["ann"]
    (single_page,) = read_pages(ann, f"{nim_server.main}/entries")
    pages = read_pages(ann, f"{nim_server.main}/entries?limit=3")
    assert [len(page["entries"]) for page in pages] == [3, 3, 1]
    assert [entry for page in pages for entry in page["entries"]] == single_page["entries"]


PAGED_LISTS = (
    *(endpoints.GAMES, endpoints.LINES, endpoints.OPERATIONS, endpoints.TAGS),
    *(endpoints.TALK, REQUESTS, VOTES, endpoints.LEAGUES),
)


@pytest.fixture(scope="module")
def server_with_lists(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameServer]:
    """A game with three or more items in every list; ben is always out of time."""
    with game_server(tmp_path_factory.mktemp("full"), "nim", {"seed": "7", "stones": "30"}, clock_step=3600) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        server.play("take 1", "take 1", "take 1")
        assert server.service.head("k").to_move == ("ben",)
        assert server.host("PUT", f"{server.path}/terms", {"pace": "1h"}).status_code == 200
        for number in range(3):
            for client, row, body in (
                (ann, endpoints.SAY, {"text": f"remark {number}", "own": number == 1}),
                (ann, endpoints.FORK, {"name": f"plan-{number}"}),
                (ann, VOTE, {"what": "wait", "seat": "ben"}),
                (ann, ASK, {"steps": 1}),
            ):
                response = client("POST", path_of(row, server), body)
                assert response.status_code == 201, response.text
            path = path_of(ANSWER, server, number=number + 1)
            assert ben("PUT", path, {"status": "declined"}).status_code == 200
            assert ann("PUT", f"{server.path}/tags/tag-{number}", {"at": str(number)}).status_code == 200
            assert server.host("POST", "/v1/games", {"kind": "africana", "name": f"g{number}"}).status_code == 201
            assert server.host("POST", "/v1/leagues", {"kind": "nim", "name": f"cup-{number}"}).status_code == 201
        yield server


@pytest.mark.parametrize("row", PAGED_LISTS, ids=lambda row: row.name)
def test_every_list_is_paged(server_with_lists: GameServer, row: Endpoint[Any, Any]) -> None:
    name, path = row.name, path_of(row, server_with_lists)
    client = server_with_lists.host if row in (endpoints.GAMES, endpoints.LEAGUES) else server_with_lists.seats["ann"]
    (single_page,) = read_pages(client, path)
    assert len(single_page[name]) >= 3
    for limit in (1, 2, len(single_page[name]) - 1, len(single_page[name])):
        pages = read_pages(client, f"{path}?limit={limit}")
        assert [len(page[name]) for page in pages][:-1] == [limit] * (len(pages) - 1)
        assert [element for page in pages for element in page[name]] == single_page[name]
        assert {**pages[0], name: None} == {**single_page, name: None}
    (last_page,) = read_pages(client, f"{path}?since={len(single_page[name]) - 2}")
    assert last_page[name] == single_page[name][-1:]
    assert client.get(f"{path}?limit=0").status_code == 400


def test_every_growing_list_is_paged() -> None:
    """Tokens that are not valid any more leave their list; orders of a seat, and departures, are few."""
    paged_names = {row.name for row in ENDPOINTS if "limit" in {each.name for each in fields(row.request)}}
    assert paged_names == {"log", "copy", "departures", *(row.name for row in PAGED_LISTS)}


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "since=-2", "limit=10001"])
def test_an_invalid_page_size_is_refused(nim_server: GameServer, query: str) -> None:
    assert nim_server.seats["ann"].get(f"{nim_server.main}/moves?{query}").status_code == 400


def test_a_copy_ends_at_the_head_that_was_loaded(nim_server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may play and chat meanwhile; a client would take additional entries for damage."""
    nim_server.play("take 1")
    store, read_entries = nim_server.service.store, nim_server.service.store.read

    def play_and_read(stream: str, **options: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(store, "read", read_entries)
            player = nim_server.seats[nim_server.host.get_json(nim_server.main)["position"]["to_move"][0]]
            assert player("POST", f"{nim_server.main}/moves", {"move": "take 1"}, head="*").status_code == 201
            assert player("POST", f"{nim_server.path}/talk", {"text": "well taken"}).status_code == 201
        return read_entries(stream, **options)

    with store.snapshot_read():
        assert nim_server.service.head("k/main").commit.number == 1
        monkeypatch.setattr(store, "read", play_and_read)
        line_copy, discussion_copy = (
            nim_server.service.copy("k/main", -1, None),
            nim_server.service.copy_discussion("k", "", -1),
        )
    assert discussion_copy
    for copy in (line_copy, discussion_copy):
        last_entry = copy.entries[-1]
        assert last_entry.first + len(last_entry.rows) - 1 == copy.revision
