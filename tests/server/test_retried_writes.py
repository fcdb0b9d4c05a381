"""Each endpoint that writes, sent twice with one id: the same answer, one effect, and no other request by that id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.server.endpoint_requests import WRITING_ENDPOINTS, path_of, stored_rows
from tests.server.game_server import GENEROUS_SETTINGS, Client, GameServer, game_server
from zimcore.documents.endpoint import Endpoint

KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
PRIVATE_LINE = {"line": "ann--plan"}


class Write(NamedTuple):
    """A request by a role or a seat, other content or parameters under the same id, and the writes before it."""

    who: str
    body: Any = None
    other_body: Any = None
    parameters: Mapping[str, Any] = MappingProxyType({})
    other_parameters: Mapping[str, Any] = MappingProxyType({})
    before: tuple[str, ...] = ()


WRITES: dict[str, Write] = {
    "begin": Write("host", {"kind": "nim", "name": "l"}, {"kind": "nim", "name": "l", "options": {"seed": "8"}}),
    "open_table": Write("host", {"kind": "nim", "name": "t"}, {"kind": "nim", "name": "t", "options": {"seed": "8"}}),
    "open_game": Write("nobody", {"game": "k", "seat": "ann"}, {"game": "k", "seat": "ben"}),
    "terms": Write("host", {"pace": "1m"}, {"pace": "2m"}),
    "deal": Write("host", parameters={"game": "t"}, before=("open_table",)),
    "leave": Write("host", other_parameters={"seat": "ann"}),
    "depart": Write("host", {"how": "left", "seat": "ann"}, {"how": "replaced", "seat": "ann"}),
    "give_back": Write("host", parameters={"seat": "ben"}, other_parameters={"seat": "ann"}, before=("leave",)),
    "bind": Write("ben", {"key": KEY}, {"key": KEY[::-1]}),
    "give_token": Write("host", {"role": "spectator"}, {"role": "auditor"}),
    "revoke_token": Write("host", other_parameters={"token": "none"}),
    "redeem": Write("nobody", {"link": "", "by": "carl"}, {"link": "", "by": "dora"}, before=("leave",)),
    "open_league": Write("host", {"name": "cup", "kind": "nim"}, {"name": "cup", "kind": "nim", "rounds": 2}),
    "change_league": Write(
        "host", {"what": "enter", "player": "hanna"}, {"what": "enter", "player": "ann"}, before=("open_league",)
    ),
    "league_seat": Write(
        "host", {"game": "cup-r1-t1"}, {"game": "cup-r1-t2"}, before=("open_league", "change_league", "others", "pair")
    ),
    "fork": Write("ann", {"name": "plan"}, {"name": "idea"}),
    "play": Write("ann", {"move": "take 3"}, {"move": "take 2"}),
    "move_head": Write("ann", {"steps": -1}, {"steps": -2}, PRIVATE_LINE, before=("fork", "own move")),
    "rename": Write("ann", {"name": "idea"}, {"name": "thought"}, PRIVATE_LINE, before=("fork",)),
    "forget": Write("ann", parameters=PRIVATE_LINE, other_parameters={"line": "ann--idea"}, before=("fork", "idea")),
    "amend": Write(
        "ann",
        {"at": "1", "move": "take 2", "name": "better"},
        {"at": "1", "move": "take 3", "name": "better"},
        PRIVATE_LINE,
        before=("fork", "own move"),
    ),
    "pick": Write(
        "ann", {"source": "main@1"}, {"source": "main@1", "keep": "skip"}, PRIVATE_LINE, before=("fork", "play")
    ),
    "tag": Write("ann", {"at": "0"}, {"at": "0", "line": "ann--plan"}, before=("fork",)),
    "untag": Write("ann", other_parameters={"tag": "other"}, before=("tag",)),
    "say": Write("ann", {"text": "hello"}, {"text": "goodbye"}),
    "ask": Write("ann", {"steps": 1}, {"steps": 0}, before=("play",)),
    "answer": Write("ben", {"status": "granted"}, {"status": "declined"}, before=("play", "ask")),
    "order": Write("ben", {"text": "take 1"}, {"text": "take 2"}),
    "take_back_order": Write("ben", parameters={"order": 1}, other_parameters={"order": 2}, before=("order",)),
    "want_notices": Write("ann", {"kind": ""}, {"kind": "mail"}),
    "vote": Write("ben", {"what": "wait"}, {"what": "end"}, before=("terms", "time passes")),
}
ROWS = {row.name: row for row in WRITING_ENDPOINTS}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GameServer]:
    settings = replace(GENEROUS_SETTINGS, open_play=True)
    with game_server(tmp_path, "nim", {"seed": "7"}, public=True, settings=settings, clock_step=7) as server:
        yield server


def send(server: GameServer, name: str, write: Write, key: str, *, is_other: bool = False) -> Any:
    """Sends a write, or the other one."""
    row: Endpoint[Any, Any] = ROWS[name]
    client: Client = {"host": server.host, "nobody": server.nobody, **server.seats}[write.who]
    parameters = {**write.parameters, **(write.other_parameters if is_other else {})}
    body = (write.other_body or write.body) if is_other else write.body
    return client(
        row.method, path_of(row, server, **parameters), body, key=key, head="*" if row.if_match == "must" else None
    )


def prepare(server: GameServer, step: str) -> None:
    """Does what comes before a write: another write of the table, or one of its own."""
    if step == "time passes":
        for _ in range(30):
            server.service.clock()
        return
    if step in WRITES:
        response = send(server, step, WRITES[step], f"the-key-before-{step}")
    elif step == "own move":
        plan = f"{server.path}/lines/ann--plan/moves"
        response = server.seats["ann"]("POST", plan, {"move": "take 1", "seat": "ann"}, head="*")
    elif step == "idea":
        response = server.seats["ann"]("POST", f"{server.path}/lines", {"name": "idea"})
    else:
        change = {"what": "enter", "player": "ann"} if step == "others" else {"what": "pair"}
        response = server.host("POST", "/v1/leagues/cup/changes", change)
    assert response.status_code in (200, 201), (step, response.text)


def test_each_writing_endpoint_is_sent_again_here() -> None:
    assert {*WRITES} == {*ROWS}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_is_sent_again_has_one_answer_and_one_effect(server: GameServer, name: str) -> None:
    write = WRITES[name]
    for step in write.before:
        prepare(server, step)
    if name == "redeem":
        link = server.host("POST", f"{server.path}/tokens", {"role": "seat", "seat": "ben"}).json()["token"]
        write = write._replace(body={**write.body, "link": link}, other_body={**write.other_body, "link": link})
    if name == "revoke_token":
        write = write._replace(parameters={"token": server.service.members("k").token_ids["ben"]})
    rows = stored_rows(server)
    first = send(server, name, write, "the-key-of-this-write")
    assert first.status_code in (200, 201), first.text
    rows_after = stored_rows(server)
    assert rows_after != rows, "it has an effect"

    second = send(server, name, write, "the-key-of-this-write")

    assert (second.status_code, second.json()) == (first.status_code, first.json())
    assert stored_rows(server) == rows_after
    if write.other_body or write.other_parameters:
        other = send(server, name, write, "the-key-of-this-write", is_other=True)
        assert other.status_code >= 400, other.text
        assert stored_rows(server) == rows_after
