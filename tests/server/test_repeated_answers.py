"""An answer is repeated without a worker while the store stays as it was, and for the same token alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.game_server import Client, GameServer, game_server
from zimcore.documents.endpoints import LEGAL, LOG, SHOW
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.work.workers import WorkerPool
from zimcore.service import EventStore, GameService

PATHS = {row.name: row.path.format(game="k", line="main") for row in (SHOW, LOG, LEGAL)}


@contextmanager
def without_workers() -> Iterator[None]:
    """Within it no worker answers."""

    async def run(*_: Any) -> None:
        raise ProblemError(503, "no worker is here")

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(WorkerPool, "run", run)
        yield


def sent(response: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """What an answer says, but for what the client may still ask."""
    headers = {name: value for name, value in response.headers.items() if name != "ratelimit"}
    return response.status_code, response.content, headers


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_the_same_request_gets_the_same_answer(nim_server: GameServer, path: str, encoding: str) -> None:
    ann = nim_server.seats["ann"]
    first_answer = ann.get(path, **{"Accept-Encoding": encoding})
    unchanged_answer = ann.get(path, **{"Accept-Encoding": encoding, "If-None-Match": first_answer.headers["etag"]})
    assert (first_answer.status_code, unchanged_answer.status_code) == (200, 304)
    with without_workers():
        assert sent(ann.get(path, **{"Accept-Encoding": encoding})) == sent(first_answer)
        etags = {"Accept-Encoding": encoding, "If-None-Match": first_answer.headers["etag"]}
        assert sent(ann.get(path, **etags)) == sent(unchanged_answer)
        assert ann.get(path, **{"Accept-Encoding": "br"}).status_code == 503
        assert ann.get(f"{path}?limit=1" if path.endswith("log") else f"{path}?at=start").status_code == 503
        assert ann("HEAD", path, headers={"Accept-Encoding": encoding}).content == b""


def test_no_other_token_gets_it(nim_server: GameServer) -> None:
    assert nim_server.seats["ann"].get(nim_server.main).status_code == 200
    for client in (nim_server.seats["ben"], nim_server.nobody, Client(nim_server.http, "zim_seat_wrong")):
        with without_workers():
            assert client.get(nim_server.main).status_code == 503
    assert nim_server.nobody.get(nim_server.main).status_code == 401


def test_whatever_is_written_ends_it(nim_server: GameServer) -> None:
    ann, elsewhere = (
        nim_server.seats["ann"],
        GameService(EventStore.open(nim_server.service.store.full_url), games=nim_server.service.kinds),
    )

    def is_asked_anew() -> bool:
        with without_workers():
            is_kept = ann.get(nim_server.main).status_code == 200
        assert ann.get(nim_server.main).status_code == 200
        with without_workers():
            assert ann.get(nim_server.main).status_code == 200
        return not is_kept

    assert is_asked_anew()
    assert not is_asked_anew()
    nim_server.play("take 1")
    assert is_asked_anew()
    assert ann.get_json(nim_server.main)["position"]["number"] == 1
    with elsewhere.store:
        elsewhere.say("k", "from another program", by="carl")
        assert is_asked_anew()


def test_a_token_that_is_revoked_gets_nothing(nim_server: GameServer) -> None:
    spectator = nim_server.token("spectator")
    assert [spectator.get(nim_server.main).status_code for _ in range(2)] == [200, 200]
    tokens = nim_server.host.get_json(f"{nim_server.path}/tokens")["tokens"]
    (token_id,) = [each["id"] for each in tokens if each["role"] == "spectator"]
    assert nim_server.host("DELETE", f"{nim_server.path}/tokens/{token_id}").status_code == 200
    assert spectator.get(nim_server.main).status_code == 401


def test_a_token_that_will_expire_is_checked_each_time(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        response = server.host("POST", f"{server.path}/tokens", {"role": "spectator", "days": 1})
        spectator = Client(server.http, response.json()["token"])
        assert spectator.get(server.main).status_code == 200
        with without_workers():
            assert spectator.get(server.main).status_code == 503
