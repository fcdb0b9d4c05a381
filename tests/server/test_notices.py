"""Absent players are notified: once a turn, of requests and of the end, with the services that the operator allows."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue

import pytest
from msgspec.structs import replace

from tests.server.game_server import GENEROUS_SETTINGS, GameServer, game_server, service_opener
from tests.timeouts import PATIENCE
from zimcore.game import GameError
from zimcore.server.news.notice_kinds import AppriseUrl, NoticeKinds, apprise_url, read_kinds
from zimcore.server.news.notifier import Notifier
from zimcore.server.news.web_push import SendResult


class NoticeReceiver(HTTPServer):
    """A server that receives notices: their paths and texts, in order."""

    def __init__(self) -> None:
        self.notices = Queue[tuple[str, str]]()
        notices = self.notices

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                notices.put((self.path, body["message"]))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)

    def next_notice(self) -> tuple[str, str]:
        return self.notices.get(timeout=PATIENCE)


@pytest.fixture
def receiver() -> Iterator[NoticeReceiver]:
    server = NoticeReceiver()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


class RecordingSender:
    """A sender that records notices instead of sending them."""

    fields, public_key = ("who",), ""

    def __init__(self) -> None:
        self.texts = list[str]()

    def fault_of(self, values: Mapping[str, str]) -> str:
        return ""

    def send(self, values: Mapping[str, str], game: str, text: str) -> SendResult:
        self.texts.append(text)
        return "sent"


@pytest.fixture
def notice_kinds(receiver: NoticeReceiver) -> NoticeKinds:
    return {"hook": AppriseUrl(f"json://user:secret@127.0.0.1:{receiver.server_port}/{{who}}")}


@pytest.fixture
def server_with_notices(tmp_path: Path, notice_kinds: NoticeKinds) -> Iterator[GameServer]:
    """A game in which both players want notifications."""
    with game_server(
        tmp_path, "nim", {"stones": "6"}, settings=replace(GENEROUS_SETTINGS, notice_kinds=notice_kinds)
    ) as server:
        for seat, client in server.seats.items():
            body = {"kind": "hook", "values": {"who": f"{seat}@zim.example"}}
            assert client("PUT", f"{server.path}/notices", body, key=f"n-{seat}").status_code == 200
        yield server


def test_each_player_is_notified_once_of_a_turn_a_request_and_the_end(
    server_with_notices: GameServer, receiver: NoticeReceiver, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert receiver.next_notice() == ("/ann@zim.example", "it is your turn in k (ann, move 1)")
    server_with_notices.play("take 3")
    assert receiver.next_notice() == ("/ben@zim.example", "it is your turn in k (ben, move 2)")
    assert (
        server_with_notices.seats["ann"](
            "POST", f"{server_with_notices.path}/requests", {"steps": 1}, key="r"
        ).status_code
        == 201
    )
    assert receiver.next_notice() == ("/ben@zim.example", "ann-player asks in k to take moves back: requests k")
    # Another process, or a restarted one, sends no notice a second time.
    second_sender = RecordingSender()
    Notifier(service_opener(tmp_path), {"hook": second_sender}, lambda _: False).notify_players(
        server_with_notices.service, "k"
    )
    assert second_sender.texts == []
    server_with_notices.play("take 3")
    last_notices = {receiver.next_notice() for _ in range(2)}
    assert {path for path, _ in last_notices} == {"/ann@zim.example", "/ben@zim.example"}
    assert all(text.startswith("k is over") for _, text in last_notices)
    assert "secret" not in caplog.text


def test_a_player_who_is_watching_is_not_notified(
    server_with_notices: GameServer, receiver: NoticeReceiver, tmp_path: Path
) -> None:
    receiver.next_notice()
    sender = RecordingSender()
    watching_tokens = {server_with_notices.service.members("k").token_ids["ben"]}
    notifier = Notifier(service_opener(tmp_path), {"hook": sender}, watching_tokens.__contains__)
    server_with_notices.http.app.state.dispatcher.notifier.kinds = {}  # from here on only our notifier sends
    server_with_notices.play("take 1")
    notifier.notify_players(server_with_notices.service, "k")
    assert sender.texts == []
    watching_tokens.clear()
    notifier.notify_players(server_with_notices.service, "k")
    notifier.notify_players(server_with_notices.service, "k")
    assert sender.texts == ["it is your turn in k (ben, move 2)"]


def test_the_notices_of_a_player_are_private_and_can_be_ended(server_with_notices: GameServer) -> None:
    ann, ben = server_with_notices.seats["ann"], server_with_notices.seats["ben"]
    assert ann.get_json(f"{server_with_notices.path}/notices")["values"] == {"who": "ann@zim.example"}
    assert ben.get_json(f"{server_with_notices.path}/notices")["kinds"] == {"hook": ["who"]}
    entries = ben.get(f"{server_with_notices.main}/entries").text
    assert "ann@zim" not in entries
    assert server_with_notices.host.get(f"{server_with_notices.path}/notices").status_code == 403
    response = ann("PUT", f"{server_with_notices.path}/notices", {"kind": ""}, key="none")
    assert (response.json()["kind"], response.json()["values"]) == ("", {})


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ({"kind": "mail", "values": {}}, "mail is not a kind of notices here"),
        ({"kind": "hook", "values": {}}, "hook needs who"),
        ({"kind": "hook", "values": {"who": "x", "port": "80"}}, "hook needs who"),
        *(
            ({"kind": "hook", "values": {"who": who}}, "hook can't reach you")
            for who in ("", "a/b", "a?b=c", "a b", "a:b", "a%2f", "é")
        ),
    ],
)
def test_an_invalid_value_of_a_notice_is_refused(
    server_with_notices: GameServer, body: dict[str, object], title: str
) -> None:
    response = server_with_notices.seats["ann"]("PUT", f"{server_with_notices.path}/notices", body, key="bad")
    assert response.status_code == 409
    assert response.json()["title"].startswith(title)


@pytest.mark.parametrize(
    "url",
    ["json://{who}/x", "json://127.0.0.1:{port}/{who}", "{kind}://x/{who}", "json://x/y", "json://x/{Who}", "x", 3],
)
def test_an_invalid_notice_url_is_refused(url: object) -> None:
    with pytest.raises(GameError):
        apprise_url("hook", url)


def test_kinds_are_read_from_a_file(tmp_path: Path) -> None:
    notices_file = tmp_path / "notices.toml"
    notices_file.write_text('mail = "mailtos://zim:x@smtp.example?to={address}"\n')
    [kind] = read_kinds(notices_file, tmp_path / "push.pem").values()
    assert isinstance(kind, AppriseUrl)
    assert kind.url_for({"address": "a+b@c.example"}) == "mailtos://zim:x@smtp.example?to=a%2Bb%40c.example"
    notices_file.write_text("mail")
    with pytest.raises(GameError, match="can't be read"):
        read_kinds(notices_file, tmp_path / "push.pem")
