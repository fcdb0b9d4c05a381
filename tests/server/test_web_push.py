"""Browsers are notified by Web Push: encrypted, signed, once a turn, only at push services that the server knows."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Empty, Queue
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from msgspec.structs import replace
from py_vapid import Vapid02

from tests.server.browsing import browsers, offer_seats
from tests.server.game_server import GENEROUS, Client, GameServer, game_server, opener
from tests.server.process import serving
from tests.server.test_pages import OWN, cookie, get_page
from tests.waiting import PATIENCE
from zimcore.game import GameError
from zimcore.server.notice_kinds import read_kinds
from zimcore.server.notifier import Notifier
from zimcore.server.web_push import PushSender, encrypt, from_text, load_sender, point_of, to_text
from zimcore.service import open_service

RFC_8291 = {
    "text": "V2hlbiBJIGdyb3cgdXAsIEkgd2FudCB0byBiZSBhIHdhdGVybWVsb24",
    "own": "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
    "browser": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "salt": "DGv6ra1nlYgDCS1FRnbzlw",
    "secret": "BTBZMqHH6r4Tts7J_aSIgg",
    "message": "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIg"
    "Dll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
}
"""The example of RFC 8291, section 5 and appendix A."""


class Subscriber:
    """A browser at a push service: it decrypts what comes, with no code of ours."""

    def __init__(self, service: PushService) -> None:
        self.private, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        self.path = f"/push/{to_text(os.urandom(12))}"
        self.values = {
            "endpoint": f"http://127.0.0.1:{service.server_port}{self.path}",
            "key": to_text(point_of(self.private.public_key())),
            "auth": to_text(self.secret),
        }

    def decrypt(self, body: bytes) -> Any:
        salt, size, sender = body[:16], int.from_bytes(body[16:20], "big"), body[21 : 21 + body[20]]
        assert len(body) - 21 - len(sender) <= size
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.private.exchange(ec.ECDH(), public)
        info = b"WebPush: info\0" + from_text(self.values["key"]) + sender
        material = mac(mac(self.secret, shared), info + b"\1")
        random = mac(salt, material)
        key = mac(random, b"Content-Encoding: aes128gcm\0\1")[:16]
        nonce = mac(random, b"Content-Encoding: nonce\0\1")[:12]
        text = AESGCM(key).decrypt(nonce, body[21 + len(sender) :], None)
        assert text.endswith(b"\2")
        return json.loads(text[:-1])


def mac(key: bytes, data: bytes) -> bytes:
    code = HMAC(key, SHA256())
    code.update(data)
    return code.finalize()


class PushService(HTTPServer):
    """What a push service is: it takes what a signed request brings, and answers with a status."""

    def __init__(self) -> None:
        self.heard, self.status = Queue[tuple[str, bytes, dict[str, str]]](), 201
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                service.heard.put((self.path, body, {name.lower(): value for name, value in self.headers.items()}))
                self.send_response(service.status)
                self.send_header("Location", f"http://127.0.0.1:{service.server_port}/elsewhere")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def next(self, *subscribers: Subscriber) -> tuple[Subscriber, Any, dict[str, str]]:
        path, body, headers = self.heard.get(timeout=PATIENCE)
        [messages] = [each for each in subscribers if each.path == path]
        return messages, messages.decrypt(body), headers

    def is_silent(self) -> bool:
        try:
            self.heard.get(timeout=0.2)
        except Empty:
            return True
        return False


@pytest.fixture
def service() -> Iterator[PushService]:
    push_service = PushService()
    threading.Thread(target=push_service.serve_forever, daemon=True).start()
    yield push_service
    push_service.shutdown()
    push_service.server_close()


@pytest.fixture
def sender(service: PushService, tmp_path: Path) -> PushSender:
    return load_sender(tmp_path / "keys" / "push.pem", "mailto:hanna@zim.example", (service.origin,))


@pytest.fixture
def table_with_push(tmp_path: Path, sender: PushSender) -> Iterator[GameServer]:
    settings = replace(GENEROUS, notices={"browser": sender})
    with game_server(tmp_path, "nim", {"stones": "6"}, settings=settings) as server:
        yield server


def subscribe(pushed: GameServer, service: PushService, seat: str) -> Subscriber:
    subscriber = Subscriber(service)
    body = {"kind": "browser", "values": subscriber.values}
    assert pushed.seats[seat]("PUT", f"{pushed.path}/notices", body).status_code == 200
    return subscriber


def test_a_notice_is_encrypted_as_in_the_example_of_the_rfc() -> None:
    of = {name: from_text(text) for name, text in RFC_8291.items()}
    own = ec.derive_private_key(int.from_bytes(of["own"], "big"), ec.SECP256R1())
    assert encrypt(of["text"], of["browser"], of["secret"], own=own, salt=of["salt"]) == of["message"]


def test_each_turn_is_pushed_once_and_says_only_that(
    table_with_push: GameServer, service: PushService, tmp_path: Path
) -> None:
    ann, ben = subscribe(table_with_push, service, "ann"), subscribe(table_with_push, service, "ben")
    who, message, headers = service.next(ann, ben)
    assert (who, message) == (ann, {"game": "k", "text": "it is your turn in k (ann, move 1)"})
    assert headers["content-encoding"] == "aes128gcm"
    assert int(headers["ttl"]) > 0
    assert Vapid02.verify(headers["authorization"])
    claims = json.loads(from_text(headers["authorization"].split("t=")[1].split(".")[1]))
    assert (claims["aud"], claims["sub"]) == (service.origin, "mailto:hanna@zim.example")
    assert table_with_push.seats["ann"].ok(f"{table_with_push.path}/notices")["push_key"] in headers["authorization"]
    table_with_push.play("take 3")
    assert service.next(ann, ben)[:2] == (ben, {"game": "k", "text": "it is your turn in k (ben, move 2)"})
    kinds = table_with_push.http.app.state.dispatcher.notifier.kinds
    Notifier(opener(tmp_path), kinds, lambda _: False).notify_players(table_with_push.service, "k")
    assert service.is_silent(), "another process, or a restarted one, sends nothing again"
    table_with_push.seats["ann"]("PUT", f"{table_with_push.path}/notices", {"kind": ""})
    table_with_push.play("take 1")
    assert service.is_silent(), "ann wants no more"


def test_a_player_who_is_watching_gets_no_push(
    table_with_push: GameServer, service: PushService, tmp_path: Path
) -> None:
    ann = subscribe(table_with_push, service, "ann")
    service.next(ann)
    ben = subscribe(table_with_push, service, "ben")
    notifier = table_with_push.http.app.state.dispatcher.notifier
    kinds, notifier.kinds = notifier.kinds, {}
    table_with_push.play("take 1")
    looking = {table_with_push.service.members("k").seated["ben"]}
    ours = Notifier(opener(tmp_path), kinds, looking.__contains__)
    ours.notify_players(table_with_push.service, "k")
    assert service.is_silent()
    looking.clear()
    ours.notify_players(table_with_push.service, "k")
    assert service.next(ann, ben)[0] is ben


@pytest.mark.parametrize(("status", "stays"), [(404, False), (410, False), (500, True), (307, True)])
def test_a_subscription_that_has_ended_is_removed_and_no_redirect_is_followed(
    table_with_push: GameServer, service: PushService, status: int, stays: bool
) -> None:
    service.status = status
    ann = subscribe(table_with_push, service, "ann")
    service.next(ann)
    kind = lambda: table_with_push.seats["ann"].ok(f"{table_with_push.path}/notices")["kind"]  # noqa: E731
    assert service.is_silent(), "nothing comes to where a redirect leads"
    assert kind() == ("browser" if stays else "")  # type: ignore[no-untyped-call]


GOOD = Subscriber(SimpleNamespace(server_port=1)).values  # type: ignore[arg-type]
ELSEWHERE = (
    *("http://fcm.googleapis.com/x", "https://fcm.googleapis.com:8443/x", "https://fcm.googleapis.com@10.0.0.1/x"),
    *(
        "https://zim.example/x",
        "https://xfcm.googleapis.com/x",
        "https://push.apple.com.zim.example/x",
        "https://evilpush.apple.com/x",
    ),
    *("https://127.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/latest", "https://localhost/x"),
    *("file:///etc/passwd", "https://[", "", "https://fcm.googleapis.com/x\r\nHost: a", "x" * 999),
)


def test_no_player_lets_the_server_send_elsewhere(table_with_push: GameServer, service: PushService) -> None:
    for endpoint in ELSEWHERE:
        body = {"kind": "browser", "values": {**GOOD, "endpoint": endpoint}}
        answer = table_with_push.seats["ann"]("PUT", f"{table_with_push.path}/notices", body)
        assert (answer.status_code, answer.json()["title"]) == (409, "browser can't reach you"), endpoint
    assert service.is_silent()


NO_SUBSCRIPTION = (
    *({"key": "AAAA"}, {"key": to_text(b"\4" + b"\1" * 64)}, {"key": ""}, {"auth": to_text(b"short")}, {"auth": "é"}),
    *({"more": "x"}, {"endpoint": "https://fcm.googleapis.com/" + "x" * 1000}),
)


def test_what_is_no_subscription_is_refused(table_with_push: GameServer) -> None:
    good, ann = {**GOOD, "endpoint": "https://fcm.googleapis.com/fcm/send/abc"}, table_with_push.seats["ann"]
    for values in NO_SUBSCRIPTION:
        answer = ann("PUT", f"{table_with_push.path}/notices", {"kind": "browser", "values": {**good, **values}})
        assert answer.status_code == (400 if "endpoint" in values else 409), values
    assert ann.ok(f"{table_with_push.path}/notices")["kind"] == ""


def test_the_form_of_a_page_subscribes_only_from_our_own_pages(
    table_with_push: GameServer, service: PushService
) -> None:
    ann, token = Subscriber(service), table_with_push.seats["ann"].token
    fields = {f"values.{name}": value for name, value in ann.values.items()}
    form = {"key": "a-key-of-a-subscription", "as": "ann", "kind": "browser", **fields}
    headers = {**cookie(token), "Zim-Part": "around"}
    assert table_with_push.http.post("/games/k/notices", data=form, headers=headers).status_code == 403
    assert table_with_push.seats["ann"].ok(f"{table_with_push.path}/notices")["kind"] == ""
    assert table_with_push.http.post("/games/k/notices", data=form, headers={**headers, **OWN}).status_code == 204
    assert service.next(ann)[1]["game"] == "k"
    page = get_page(table_with_push, "/games/k", token).text
    assert f'data-told="{sha256(ann.values["endpoint"].encode()).hexdigest()}"' in page
    assert f'data-push-key="{table_with_push.seats["ann"].ok(f"{table_with_push.path}/notices")["push_key"]}"' in page
    assert ann.values["endpoint"] not in page


def test_the_key_of_a_server_is_made_once_and_only_its_user_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "keys" / "push.pem"
    first = load_sender(file, "mailto:hanna@zim.example")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert load_sender(file, "https://zim.example").public_key == first.public_key
    assert len(from_text(first.public_key)) == 65
    assert first.public_key == to_text(point_of(first.signer.public_key))
    file.write_text("no key")
    with pytest.raises(GameError, match="can't be read"):
        load_sender(file, "mailto:hanna@zim.example")


def test_a_file_of_kinds_says_how_browsers_are_reached(tmp_path: Path) -> None:
    file, key = tmp_path / "notices.toml", tmp_path / "push.pem"
    file.write_text(
        'mail = "mailtos://zim:x@smtp.example?to={address}"\nbrowser = { contact = "mailto:h@zim.example" }\n'
    )
    kinds = read_kinds(file, key)
    assert isinstance(kinds["browser"], PushSender)
    assert set(kinds) == {"mail", "browser"}
    for wrong in (
        '"mailto:h@zim.example"',
        "{}",
        '{ contact = "hanna" }',
        '{ contact = "mailto:h@zim.example", port = 3 }',
        '{ contact = "mailto:h@zim.example", services = "https://push.example" }',
        '{ contact = "mailto:h@zim.example", services = ["https://push.example/path"] }',
    ):
        file.write_text(f"browser = {wrong}\n")
        with pytest.raises(GameError, match=r"not a way to reach browsers|not push services"):
            read_kinds(file, key)


STUB = """const made = %s, ask = Notification.requestPermission.bind(Notification);
window.asked = 0;
Notification.requestPermission = () => { window.asked++; return ask(); };
const kept = { endpoint: made.endpoint, options: {}, unsubscribe: async () => true };
PushManager.prototype.getSubscription = async () => sessionStorage.kept ? kept : null;
PushManager.prototype.subscribe = async options => {
  window.options = options;
  sessionStorage.kept = "yes";
  return { toJSON: () => ({ endpoint: made.endpoint, keys: { p256dh: made.key, auth: made.auth } }) };
};"""
NOTES = """const found = await (await navigator.serviceWorker.ready).getNotifications();
return found.map(each => [each.title, each.body, each.data])"""


def test_a_browser_subscribes_by_a_click_and_ends_it_by_another(
    program: Callable[..., str], service: PushService, tmp_path: Path
) -> None:
    """The push service of Chromium is out of reach: what its `PushManager` would answer is ours."""
    toml = tmp_path / "notices.toml"
    toml.write_text(f'browser = {{ contact = "mailto:h@zim.example", services = ["{service.origin}"] }}\n')
    store, me = open_service(f"sqlite:///{tmp_path}/games.db"), Subscriber(service)
    with (
        store.store,
        serving(tmp_path, "--notices", str(toml)) as server,
        browsers(server, program, [tmp_path / "profile"]) as [at],
    ):
        (first, other), (_, link) = offer_seats(store, "zimbabwe", {"players": "2", "seed": "3"}, "turns").items()
        token = Client(server.http)(
            "POST", "/v1/tokens", {"link": other, "by": "Ann"}, key="sitting-down-at-a-seat"
        ).json()["token"]
        at.cdp("Browser.grantPermissions", origin=server.url, permissions=["notifications"])
        at.cdp("Page.addScriptToEvaluateOnNewDocument", source=STUB % json.dumps(me.values))
        at.join(link, "Ben")
        is_told = partial(at.run, "return document.getElementById('notify').getAttribute('aria-pressed')")
        assert (at.run("return window.asked"), is_told()) == (0, "false"), "nobody is asked at load"
        at.click("#notify")
        at.until(lambda: is_told() == "true", at.text("#link-state"))
        assert at.run("return options.userVisibleOnly && options.applicationServerKey === notify.dataset.pushKey")
        at.open("/")  # nobody watches the game
        while first in store.head("turns").to_move:
            move = {"move": [*store.head("turns").legal().texts()][-1]}
            response = Client(server.http, token)("POST", "/v1/games/turns/lines/main/moves", move, head="*")
            assert response.status_code == 201, response.text
        _, message, _ = service.next(me)
        at.cdp("ServiceWorker.enable")
        sent = {"origin": server.url, "registrationId": "0", "data": json.dumps(message)}
        state = "return navigator.serviceWorker.ready.then(each => each.active.state)"
        at.until(lambda: at.run(state) == "activated", "a message to a worker that is not is lost")

        def deliver_push() -> object:
            at.cdp("ServiceWorker.deliverPushMessage", **sent)  # the same again is the same notice: it has a tag
            return at.run(NOTES)

        at.until(deliver_push)
        assert at.run(NOTES) == [["turns", message["text"], "/games/turns"]]
        at.open("/games/turns")
        at.live()
        assert is_told() == "true"
        at.run("sessionStorage.removeItem('kept')")
        at.driver.refresh()
        at.live()
        at.until(lambda: is_told() == "false", "in another browser the bell is not set")
        at.run("sessionStorage.kept = 'yes'")
        at.driver.refresh()
        at.live()
        at.click("#notify")
        at.until(lambda: is_told() == "false")
        assert at.complaints() == []
