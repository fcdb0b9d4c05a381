"""Each command by the pipe and over HTTP: the answer of the shell, or a table says why it has no such door."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from event_store import EventStore
from tests.cli.conftest import make_zim
from tests.predictable_salts import salt_maker
from tests.server.game_server import GameServer, game_server, service_opener
from tests.test_library_and_shell import LOG_FILE, LOG_TEXT, MEASURED, OPENING, PAIRS, play_opening, without
from zimcli.session.pipe_requests import parameters
from zimcli.shell.registry import ENTRIES, ENTRIES_BY_NAME
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.documents.parameter_names import FIELDS_BY_SHELL_NAME
from zimcore.service import GameService

OTHER_LINES = {
    "accept": "accept k --as kilwa",
    "advice": "advice k",
    "archive": "archive k",
    "backup": "backup k.db",
    "board": "board k",
    "check": "check zimbabwe --games 0",
    "config": "config theme",
    "db": "db check",
    "deal": "deal k",
    "decline": "decline k --as kilwa",
    "delete": "delete k --yes",
    "doctor": "doctor",
    "events": "events k",
    "explain": "explain k end",
    "export": "export k --certificate k.cert",
    "help": "help eshu",
    "import": f"import {LOG_FILE}",
    "invite": "invite k kilwa",
    "key": "key list",
    "league": "league open cup",
    "learn": "learn zimbabwe --games 0",
    "leave": "leave k --seat kilwa",
    "new-game": "new-game my-game",
    "notices": "notices k",
    "order": "order k 'kilwa: bid 1; pass'",
    "orders": "orders k",
    "plan": "plan k",
    "preview": "preview k end",
    "reach": "reach k f6",
    "replay": "replay k --html k.html",
    "requests": "requests k",
    "rules": "rules R-MON-01",
    "run": f"run {LOG_FILE}",
    "schema": "schema log",
    "seat": f"seat k kilwa {'ab' * 32}",
    "seats": "seats k",
    "sign": "sign k.cert",
    "stats": "stats k",
    "takeback": "takeback k 1 --as kilwa",
    "terms": "terms k",
    "vote": "vote k",
    "withdraw": "withdraw k --as kilwa",
    "witness": "witness k.witness",
}
"""A line for each command that the library has no method for. A refusal is an answer, too."""
NO_PIPE = {
    "it reads requests or keys itself": "pipe play host join serve",
    "it prints a text for a shell": "completion",
    "it types lines of its own, or asks for them": "demo tutorial practise",
}
"""Commands that a pipe does not answer as the shell does, by the reason."""
LINES = {name: line for name, (line, _) in PAIRS.items()} | OTHER_LINES


UNLIKE = {*MEASURED, "left", "judged"}
"""What may differ: a pipe leaves your current line alone, and a second analysis finds what the first has judged."""


def request_of(line: str) -> dict[str, Any]:
    """A line of the shell as a request of the pipe."""
    name, *words = shlex.split(line)
    entry, values, arguments, shared = ENTRIES_BY_NAME[name], dict[str, Any](), list[str](), dict[str, Any]()
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            arguments += [word]
        elif word == "--as":
            shared["as"] = words.pop(0)
        else:
            values[word.lstrip("-")] = words.pop(0) if word in entry.options_with_value else True
    for key, parameter in parameters(entry).items():
        if isinstance(parameter, click.Argument) and arguments:
            is_last = parameter.nargs == -1
            values[key], arguments = (arguments, []) if is_last else (arguments[0], arguments[1:])
    return {name: values or True, **shared}


def test_each_command_is_asked_by_the_pipe_or_there_is_a_reason() -> None:
    elsewhere = [name for names in NO_PIPE.values() for name in names.split()]
    assert sorted([*LINES, *elsewhere]) == sorted(entry.name for entry in ENTRIES)


@pytest.mark.parametrize("name", sorted(LINES))
def test_the_pipe_answers_as_the_shell(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line, replies = LINES[name], list[Any]()
    for door in ("shell", "pipe"):
        folder = tmp_path / door
        folder.mkdir()
        (folder / LOG_FILE).write_text(LOG_TEXT)
        monkeypatch.chdir(folder)
        with EventStore.open("memory:", salt_maker()) as store:
            zim = make_zim(play_opening(store))
            if name == "sign":
                zim("export", "k", "--certificate", "k.cert")
            if door == "shell":
                result = zim("--json", *shlex.split(line))
                documents = [json.loads(each) for each in result.stdout.splitlines()]
                error = [
                    json.loads(each)["error"] for each in result.stderr.splitlines() if each.startswith('{"error"')
                ]
                replies += [(result.exit_code, documents, error[-1]["what"] if error else None)]
            else:
                reply = json.loads(
                    zim("pipe", "--allow", name, "--allow", "key", stdin=json.dumps(request_of(line))).stdout
                )
                documents = reply.get("answers") or [each for each in [reply.get("answer")] if each]
                replies += [(reply["code"], documents, reply["error"]["what"] if reply.get("error") else None)]
    in_shell, in_pipe = (
        json.loads(json.dumps(each).replace(str(tmp_path / door), ""))
        for each, door in zip(replies, ("shell", "pipe"), strict=True)
    )
    assert without(in_pipe, UNLIKE) == without(in_shell, UNLIKE)
    assert in_shell[1] or in_shell[2], "there is something to compare"


class HttpCall(NamedTuple):
    """A line of the shell, and the request for the same answer: `{main}` and `{own}` are lines, of all and of kilwa."""

    line: str
    method: str
    path: str
    body: Any = None
    who: str = "kilwa"
    compared: tuple[str, ...] = ()
    """The fields that both answers have; by default all of the answer over HTTP."""
    unlike: str = ""
    """A field that differs: its time, or what only a server knows."""


HTTP = {
    "amend": HttpCall(
        "amend k/kilwa--own@3 'bid 2' --stop --as kilwa",
        "POST",
        "{own}/amendments",
        {"at": "3", "command": "bid 2", "name": "more", "keep": "stop"},
        compared=("stored", "conflicts", "total", "done"),
    ),
    "bisect": HttpCall("bisect k 'round >= 2'", "GET", "{main}/bisect?expression=round+%3E%3D+2"),
    "compare": HttpCall("compare k@4 k@2", "GET", "{main}/compare?at=4&other=@2"),
    "do": HttpCall("do k 'bid 1'", "POST", "{main}/moves", {"command": "bid 1"}, unlike="facts"),
    "forget": HttpCall("forget k/kilwa--own --as kilwa", "DELETE", "{own}"),
    "fork": HttpCall("fork k@3 kilwa--new --as kilwa", "POST", "{game}/lines", {"name": "new", "at": "3"}),
    "games": HttpCall("games", "GET", "/v1/games", unlike="played"),
    "goto": HttpCall("goto k/kilwa--own@2 --as kilwa", "PUT", "{own}/head", {"to": "2"}),
    "hint": HttpCall("hint k --nodes 100", "GET", "{main}/hint?nodes=100"),
    "legal": HttpCall("legal k end", "GET", "{main}/legal?words=end"),
    "lines": HttpCall("lines k --as kilwa", "GET", "{game}/lines"),
    "log": HttpCall("log k --events", "GET", "{main}/moves?events=true"),
    "order": HttpCall("order k 'mutapa: pass' --as mutapa", "POST", "{game}/orders", {"text": "pass"}, "mutapa"),
    "orders": HttpCall("orders k --as kilwa", "GET", "{game}/orders"),
    "pick": HttpCall("pick k/kilwa--own k@5..6 --skip", "POST", "{own}/picks", {"source": "main@5..6", "keep": "skip"}),
    "plan": HttpCall("plan k", "GET", "{main}/plan"),
    "redo": HttpCall("redo k/kilwa--own --as kilwa", "PUT", "{own}/head", {"steps": 1}),
    "rename": HttpCall("rename k/kilwa--own kilwa--my --as kilwa", "PUT", "{own}/name", {"name": "my"}),
    "requests": HttpCall("requests k", "GET", "{game}/requests"),
    "say": HttpCall("say k hello --as kilwa", "POST", "{game}/talk", {"text": "hello"}),
    "show": HttpCall("show k", "GET", "{main}"),
    "story": HttpCall("story k", "GET", "{main}/story"),
    "tag": HttpCall("tag k@3 here --as kilwa", "PUT", "{game}/tags/here", {"at": "3"}),
    "takeback": HttpCall("takeback k 1 --as mutapa", "POST", "{game}/requests", {"steps": 1}, "mutapa"),
    "talk": HttpCall("talk k", "GET", "{game}/talk"),
    "undo": HttpCall("undo k/kilwa--own 2 --as kilwa", "PUT", "{own}/head", {"steps": -2}),
    "verify": HttpCall("verify k", "GET", "{main}/verify", who="host", unlike="deal"),
    "why": HttpCall("why k mutapa.cattle", "GET", "{main}/why?subject=mutapa.cattle"),
}
NO_HTTP = {
    "the shell asks a server by the same commands; endpoints of these are in tests/server and tests/remote": (
        "accept decline deal host invite join league leave new notices seat seats serve terms vote withdraw"
    ),
    "the client answers it from its copy of the line, as a program that has one can": (
        "advice ask board bot events expect explain export preview reach stats switch try analyse whatif replay"
    ),
    "work on a machine: its files, its processors, its terminal": (
        "arena audit backup check completion config db doctor import key learn new-game pipe play"
        " practise run sign witness"
    ),
    "care of a store": "archive delete",
    "about Zim, not about a game": "demo help rules schema tutorial",
}
"""Commands without an endpoint that answers the same, by the reason."""
PERSONAL = {*UNLIKE, "digest", "parent", "by", "at", "command", "place", "names", "when", "current", "yours", "version"}
"""What depends on who asks, by which name, and when."""


def test_each_command_is_asked_over_http_or_there_is_a_reason() -> None:
    elsewhere = [name for names in NO_HTTP.values() for name in names.split()]
    assert sorted([*HTTP, *elsewhere]) == sorted(entry.name for entry in ENTRIES)


def play_on(service: GameService) -> None:
    """The opening, and a line of kilwa's own with a move that was undone."""
    for text in OPENING:
        service.play_or_raise("k", text, by="anna")
    service.fork("k@4", "kilwa--own", by="kilwa-player", current=False)
    for text in ("end", "end"):
        service.play_or_raise("k/kilwa--own", text, by="kilwa-player")
    service.undo("k/kilwa--own", by="kilwa-player")


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[GameServer, GameService]]:
    """A served game, and the same game in a store that the shell has."""
    for name in ("served", "twin"):
        (tmp_path / name).mkdir()
    with game_server(tmp_path / "served", "zimbabwe", {"players": "2", "seed": "7"}) as server:
        twin = service_opener(tmp_path / "twin")()
        with twin.store:
            twin.new("zimbabwe", {"players": "2", "seed": "7"}, name="k", by="hanna")
            for service in (server.service, twin):
                play_on(service)
            yield server, twin


@pytest.mark.parametrize("name", HTTP)
def test_http_answers_as_the_shell(name: str, servers: tuple[GameServer, GameService]) -> None:
    call, (server, twin) = HTTP[name], servers
    path = call.path.format(game=server.path, main=server.main, own=f"{server.path}/lines/kilwa--own")
    client, line = (
        server.host if call.who == "host" else server.seats[call.who],
        "kilwa--own" if "{own}" in call.path else "main",
    )
    response = client(call.method, path, call.body, head=None if call.method == "GET" else server.head(line))
    assert response.status_code < 300, response.text
    result = make_zim(twin)("--json", *shlex.split(call.line))
    assert result.exit_code == 0, result.output
    by_http, in_shell = (
        without(document, {*PERSONAL, call.unlike}) for document in (response.json(), json.loads(result.stdout))
    )
    compared = {key: value for key, value in by_http.items() if not call.compared or key in call.compared}
    assert compared
    assert {key: in_shell.get(key) for key in compared} == compared


ADDRESS_FIELDS = {"at", "line", "steps", "to", "since", "limit", "other", "source"}
"""The parts of a place, and of a page of a list."""
OF_HTTP_ONLY = {
    "amend": {"keep", "dry_run"},  # one choice instead of --skip and --stop; a name of Python for --dry-run
    "do": {"seat", "signed"},  # --as, and the signature that the shell makes itself
    "fork": {"bot"},
    "new": {"options", "public", "takebacks", "help", "bots", "terms", "house", "name"},  # options of `new`, in parts
    "pick": {"keep", "dry_run"},
    "takeback": {"move"},  # of an amendment that is asked for
}
"""Fields of a request that are no parameter of the command."""


@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.name)
def test_a_field_has_the_name_of_the_parameter(row: Any) -> None:
    name = {"play": "do", "begin": "new", "move_head": "goto", "ask": "takeback"}.get(row.name, row.name)
    if name not in HTTP and name != "new":
        return
    names = {*parameters(ENTRIES_BY_NAME[name]), *(each.rstrip("s") for each in parameters(ENTRIES_BY_NAME[name]))}
    added_names = FIELDS_BY_SHELL_NAME.get(row.request, {})
    assert {*added_names} <= names, "each added name is one of the shell"
    fields = {*row.request.__struct_fields__} - {*added_names.values()} - ADDRESS_FIELDS - OF_HTTP_ONLY.get(name, set())
    assert fields <= names


def test_the_old_name_of_a_field_goes_on_but_not_both(servers: tuple[GameServer, GameService]) -> None:
    server, _ = servers
    kilwa = server.seats["kilwa"]
    assert kilwa.get_json(f"{server.main}/why?what=mutapa.cattle") == kilwa.get_json(
        f"{server.main}/why?subject=mutapa.cattle"
    )
    assert kilwa.get(f"{server.main}/why?what=a&subject=b").status_code == 400
    both = kilwa("POST", f"{server.main}/moves", {"move": "bid 1", "command": "bid 1"}, head=server.head())
    assert both.status_code == 400, both.text
    drawn = kilwa.get_json(f"{server.main}/legal?sample=7")
    assert drawn["legal"] == kilwa.get_json(f"{server.main}/legal?sample=7")["legal"]
    assert len(drawn["legal"]) == 1
    assert kilwa("POST", f"{server.main}/moves", {"move": "bid 1"}, head=server.head()).status_code == 201
