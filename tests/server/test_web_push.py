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

from tests.server.browser import BROWSERS, browsers, offer_seats
from tests.server.game_server import GENEROUS_SETTINGS, Client, GameServer, game_server, service_opener
from tests.server.server_process import running_server
from tests.server.test_pages import SAME_ORIGIN, cookie_header, get_page
from tests.timeouts import PATIENCE
from zimcore.game import GameError
from zimcore.server.news.notice_kinds import read_kinds
from zimcore.server.news.notifier import Notifier
from zimcore.server.news.web_push import PushSender, encrypt, from_base64, load_sender, point_of, to_base64
from zimcore.service import open_service

RFC_8291_EXAMPLE = {
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
    """A browser at a push service: it decrypts messages without our code."""

    def __init__(self, push_service: PushService) -> None:
        self.private_key, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        self.path = f"/push/{to_base64(os.urandom(12))}"
        self.values = {
            "endpoint": f"http://127.0.0.1:{push_service.server_port}{self.path}",
            "key": to_base64(point_of(self.private_key.public_key())),
            "auth": to_base64(self.secret),
        }

    def decrypt(self, body: bytes) -> Any:
        salt, size, sender_point = body[:16], int.from_bytes(body[16:20], "big"), body[21 : 21 + body[20]]
        assert len(body) - 21 - len(sender_point) <= size
        sender_key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender_point)
        shared_secret = self.private_key.exchange(ec.ECDH(), sender_key)
        key_info = b"WebPush: info\0" + from_base64(self.values["key"]) + sender_point
        key_material = hmac_of(hmac_of(self.secret, shared_secret), key_info + b"\1")
        pseudo_random_key = hmac_of(salt, key_material)
        key = hmac_of(pseudo_random_key, b"Content-Encoding: aes128gcm\0\1")[:16]
        nonce = hmac_of(pseudo_random_key, b"Content-Encoding: nonce\0\1")[:12]
        text = AESGCM(key).decrypt(nonce, body[21 + len(sender_point) :], None)
        assert text.endswith(b"\2")
        return json.loads(text[:-1])


def hmac_of(key: bytes, message: bytes) -> bytes:
    hmac = HMAC(key, SHA256())
    hmac.update(message)
    return hmac.finalize()


class PushService(HTTPServer):
    """A push service: it records requests and answers with a status."""

    def __init__(self) -> None:
        self.requests, self.status = Queue[tuple[str, bytes, dict[str, str]]](), 201
        push_service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                push_service.requests.put(
                    (self.path, body, {name.lower(): value for name, value in self.headers.items()})
                )
                self.send_response(push_service.status)
                self.send_header("Location", f"http://127.0.0.1:{push_service.server_port}/elsewhere")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def next(self, *subscribers: Subscriber) -> tuple[Subscriber, Any, dict[str, str]]:
        path, body, headers = self.requests.get(timeout=PATIENCE)
        [subscriber] = [each for each in subscribers if each.path == path]
        return subscriber, subscriber.decrypt(body), headers

    def is_silent(self) -> bool:
        try:
            self.requests.get(timeout=0.2)
        except Empty:
            return True
        return False


@pytest.fixture
def push_service() -> Iterator[PushService]:
    push_service = PushService()
    threading.Thread(target=push_service.serve_forever, daemon=True).start()
    yield push_service
    push_service.shutdown()
    push_service.server_close()


@pytest.fixture
def sender(push_service: PushService, tmp_path: Path) -> PushSender:
    return load_sender(tmp_path / "keys" / "push.pem", "mailto:hanna@zim.example", (push_service.origin,))


@pytest.fixture
def table_with_push(tmp_path: Path, sender: PushSender) -> Iterator[GameServer]:
    settings = replace(GENEROUS_SETTINGS, notice_kinds={"browser": sender})
    with game_server(tmp_path, "nim", {"stones": "6"}, settings=settings) as server:
        yield server


def subscribe(server: GameServer, service: PushService, seat: str) -> Subscriber:
    subscriber = Subscriber(service)
    body = {"kind": "browser", "values": subscriber.values}
    assert server.seats[seat]("PUT", f"{server.path}/notices", body).status_code == 200
    return subscriber


def test_a_notice_is_encrypted_as_in_the_example_of_the_rfc() -> None:
    example = {name: from_base64(text) for name, text in RFC_8291_EXAMPLE.items()}
    own_key = ec.derive_private_key(int.from_bytes(example["own"], "big"), ec.SECP256R1())
    assert (
        encrypt(example["text"], example["browser"], example["secret"], own_key=own_key, salt=example["salt"])
        == example["message"]
    )


@pytest.mark.parametrize("character", ["x", "é", "🦁", "\x01"])
def test_a_long_notice_fits_into_one_record(push_service: PushService, sender: PushSender, character: str) -> None:
    subscriber = Subscriber(push_service)
    assert sender.send(subscriber.values, "k", character * 2000) == "sent"
    _, body, _ = push_service.requests.get(timeout=PATIENCE)
    assert len(body) <= 4096, "push services need not take more (RFC 8030)"
    text = subscriber.decrypt(body)["text"]
    assert text == character * len(text)
    assert len(text) == 1000 or len(body) > 4096 - 6, "no more is cut than must be"


def test_each_turn_is_pushed_once(table_with_push: GameServer, push_service: PushService, tmp_path: Path) -> None:
    ann, ben = subscribe(table_with_push, push_service, "ann"), subscribe(table_with_push, push_service, "ben")
    subscriber, message, headers = push_service.next(ann, ben)
    assert (subscriber, message) == (ann, {"game": "k", "text": "it is your turn in k (ann, move 1)"})
    assert headers["content-encoding"] == "aes128gcm"
    assert int(headers["ttl"]) > 0
    assert Vapid02.verify(headers["authorization"])
    claims = json.loads(from_base64(headers["authorization"].split("t=")[1].split(".")[1]))
    assert (claims["aud"], claims["sub"]) == (push_service.origin, "mailto:hanna@zim.example")
    assert (
        table_with_push.seats["ann"].get_json(f"{table_with_push.path}/notices")["push_key"] in headers["authorization"]
    )
    table_with_push.play("take 3")
    assert push_service.next(ann, ben)[:2] == (ben, {"game": "k", "text": "it is your turn in k (ben, move 2)"})
    kinds = table_with_push.http.app.state.dispatcher.notifier.kinds
    Notifier(service_opener(tmp_path), kinds, lambda _: False).notify_players(table_with_push.service, "k")
    assert push_service.is_silent(), "another process, or a restarted one, sends nothing again"
    table_with_push.seats["ann"]("PUT", f"{table_with_push.path}/notices", {"kind": ""})
    table_with_push.play("take 1")
    assert push_service.is_silent(), "ann wants no more"


def test_a_player_who_is_watching_gets_no_push(
    table_with_push: GameServer, push_service: PushService, tmp_path: Path
) -> None:
    ann = subscribe(table_with_push, push_service, "ann")
    push_service.next(ann)
    ben = subscribe(table_with_push, push_service, "ben")
    notifier = table_with_push.http.app.state.dispatcher.notifier
    kinds, notifier.kinds = notifier.kinds, {}
    table_with_push.play("take 1")
    watching_tokens = {table_with_push.service.members("k").token_ids["ben"]}
    our_notifier = Notifier(service_opener(tmp_path), kinds, watching_tokens.__contains__)
    our_notifier.notify_players(table_with_push.service, "k")
    assert push_service.is_silent()
    watching_tokens.clear()
    our_notifier.notify_players(table_with_push.service, "k")
    assert push_service.next(ann, ben)[0] is ben


@pytest.mark.parametrize(("status", "stays_subscribed"), [(404, False), (410, False), (500, True), (307, True)])
def test_a_subscription_that_has_ended_is_removed_and_no_redirect_is_followed(
    table_with_push: GameServer, push_service: PushService, status: int, stays_subscribed: bool
) -> None:
    push_service.status = status
    ann = subscribe(table_with_push, push_service, "ann")
    push_service.next(ann)
    read_kind = lambda: table_with_push.seats["ann"].get_json(f"{table_with_push.path}/notices")["kind"]  # noqa: E731
    assert push_service.is_silent(), "nothing comes to where a redirect leads"
    assert read_kind() == ("browser" if stays_subscribed else "")  # type: ignore[no-untyped-call]


VALID_SUBSCRIPTION = Subscriber(SimpleNamespace(server_port=1)).values  # type: ignore[arg-type]
FOREIGN_ENDPOINTS = (
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


def test_the_server_sends_to_known_push_services_only(table_with_push: GameServer, push_service: PushService) -> None:
    for endpoint in FOREIGN_ENDPOINTS:
        body = {"kind": "browser", "values": {**VALID_SUBSCRIPTION, "endpoint": endpoint}}
        response = table_with_push.seats["ann"]("PUT", f"{table_with_push.path}/notices", body)
        assert (response.status_code, response.json()["title"]) == (409, "browser can't reach you"), endpoint
    assert push_service.is_silent()


INVALID_SUBSCRIPTIONS = (
    *(
        {"key": "AAAA"},
        {"key": to_base64(b"\4" + b"\1" * 64)},
        {"key": ""},
        {"auth": to_base64(b"short")},
        {"auth": "é"},
    ),
    *({"more": "x"}, {"endpoint": "https://fcm.googleapis.com/" + "x" * 1000}),
)


def test_an_invalid_subscription_is_refused(table_with_push: GameServer) -> None:
    valid_values, ann = (
        {**VALID_SUBSCRIPTION, "endpoint": "https://fcm.googleapis.com/fcm/send/abc"},
        table_with_push.seats["ann"],
    )
    for values in INVALID_SUBSCRIPTIONS:
        response = ann(
            "PUT", f"{table_with_push.path}/notices", {"kind": "browser", "values": {**valid_values, **values}}
        )
        assert response.status_code == (400 if "endpoint" in values else 409), values
        if values.get("auth") == to_base64(b"short"):
            assert response.json()["detail"] == "its secret must have 16 bytes"
    assert ann.get_json(f"{table_with_push.path}/notices")["kind"] == ""


def test_the_form_of_a_page_subscribes_only_from_our_own_pages(
    table_with_push: GameServer, push_service: PushService
) -> None:
    ann, token = Subscriber(push_service), table_with_push.seats["ann"].token
    fields = {f"values.{name}": value for name, value in ann.values.items()}
    form = {"key": "a-key-of-a-subscription", "as": "ann", "kind": "browser", **fields}
    headers = {**cookie_header(token), "Zim-Part": "around"}
    assert table_with_push.http.post("/games/k/notices", data=form, headers=headers).status_code == 403
    assert table_with_push.seats["ann"].get_json(f"{table_with_push.path}/notices")["kind"] == ""
    assert (
        table_with_push.http.post("/games/k/notices", data=form, headers={**headers, **SAME_ORIGIN}).status_code == 204
    )
    assert push_service.next(ann)[1]["game"] == "k"
    page = get_page(table_with_push, "/games/k", token).text
    assert f'data-told="{sha256(ann.values["endpoint"].encode()).hexdigest()}"' in page
    assert (
        f'data-push-key="{table_with_push.seats["ann"].get_json(f"{table_with_push.path}/notices")["push_key"]}"'
        in page
    )
    assert ann.values["endpoint"] not in page


def test_the_key_of_a_server_is_made_once_and_only_its_user_reads_it(tmp_path: Path) -> None:
    key_file = tmp_path / "keys" / "push.pem"
    first_sender = load_sender(key_file, "mailto:hanna@zim.example")
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(key_file.parent.stat().st_mode) == 0o700
    assert load_sender(key_file, "https://zim.example").public_key == first_sender.public_key
    assert len(from_base64(first_sender.public_key)) == 65
    assert first_sender.public_key == to_base64(point_of(first_sender.signer.public_key))
    key_file.write_text("no key")
    with pytest.raises(GameError, match="can't be read"):
        load_sender(key_file, "mailto:hanna@zim.example")


def test_web_push_is_configured_in_the_file_of_notice_kinds(tmp_path: Path) -> None:
    notices_file, key_file = tmp_path / "notices.toml", tmp_path / "push.pem"
    notices_file.write_text(
        'mail = "mailtos://zim:x@smtp.example?to={address}"\nbrowser = { contact = "mailto:h@zim.example" }\n'
    )
    kinds = read_kinds(notices_file, key_file)
    assert isinstance(kinds["browser"], PushSender)
    assert set(kinds) == {"mail", "browser"}
    for invalid_value in (
        '"mailto:h@zim.example"',
        "{}",
        '{ contact = "hanna" }',
        '{ contact = "mailto:h@zim.example", port = 3 }',
        '{ contact = "mailto:h@zim.example", services = "https://push.example" }',
        '{ contact = "mailto:h@zim.example", services = ["https://push.example/path"] }',
    ):
        notices_file.write_text(f"browser = {invalid_value}\n")
        with pytest.raises(GameError, match=r"not a way to reach browsers|not push services"):
            read_kinds(notices_file, key_file)


STUB_PUSH_MANAGER = """const made = %s, ask = Notification.requestPermission.bind(Notification);
window.asked = 0;
Notification.requestPermission = () => { window.asked++; return ask(); };
const kept = { endpoint: made.endpoint, options: {}, unsubscribe: async () => true };
PushManager.prototype.getSubscription = async () => sessionStorage.kept ? kept : null;
PushManager.prototype.subscribe = async options => {
  window.options = options;
  sessionStorage.kept = "yes";
  return { toJSON: () => ({ endpoint: made.endpoint, keys: { p256dh: made.key, auth: made.auth } }) };
};"""
READ_NOTIFICATIONS = """const found = await (await navigator.serviceWorker.ready).getNotifications();
return found.map(each => [each.title, each.body, each.data])"""


def test_a_browser_subscribes_by_a_click_and_unsubscribes_by_another(
    find_program: Callable[..., str], push_service: PushService, tmp_path: Path
) -> None:
    """The push service of Chromium can't be reached: a stub answers for its `PushManager`."""
    notices_file = tmp_path / "notices.toml"
    notices_file.write_text(f'browser = {{ contact = "mailto:h@zim.example", services = ["{push_service.origin}"] }}\n')
    game_service, subscriber = open_service(f"sqlite:///{tmp_path}/games.db"), Subscriber(push_service)
    with (
        game_service.store,
        running_server(tmp_path, "--notices", str(notices_file)) as server,
        browsers(server, find_program, [tmp_path / "profile"], BROWSERS[1:]) as [browser],
    ):
        (first_seat, first_link), (_, link) = offer_seats(
            game_service, "zimbabwe", {"players": "2", "seed": "3"}, "turns"
        ).items()
        token = Client(server.http)(
            "POST", "/v1/tokens", {"link": first_link, "by": "Ann"}, key="sitting-down-at-a-seat"
        ).json()["token"]
        browser.cdp("Browser.grantPermissions", origin=server.url, permissions=["notifications"])
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=STUB_PUSH_MANAGER % json.dumps(subscriber.values))
        browser.join(link, "Ben")
        bell_state = partial(browser.run, "return document.getElementById('notify').getAttribute('aria-pressed')")
        assert (browser.run("return window.asked"), bell_state()) == (0, "false"), (
            "loading a page asks for no permission"
        )
        browser.click("#notify")
        browser.until(lambda: bell_state() == "true", browser.text("#link-state"))
        assert browser.run("return options.userVisibleOnly && options.applicationServerKey === notify.dataset.pushKey")
        browser.open("/")  # nobody watches the game
        while first_seat in game_service.head("turns").to_move:
            move = {"move": [*game_service.head("turns").legal().texts()][-1]}
            response = Client(server.http, token)("POST", "/v1/games/turns/lines/main/moves", move, head="*")
            assert response.status_code == 201, response.text
        _, message, _ = push_service.next(subscriber)
        browser.cdp("ServiceWorker.enable")
        push_message = {"origin": server.url, "registrationId": "0", "data": json.dumps(message)}
        worker_state_script = "return navigator.serviceWorker.ready.then(each => each.active.state)"
        browser.until(
            lambda: browser.run(worker_state_script) == "activated", "a message to a worker that is not is lost"
        )

        def deliver_push() -> object:
            browser.cdp(
                "ServiceWorker.deliverPushMessage", **push_message
            )  # the same again is the same notice: it has a tag
            return browser.run(READ_NOTIFICATIONS)

        browser.until(deliver_push)
        assert browser.run(READ_NOTIFICATIONS) == [["turns", message["text"], "/games/turns"]]
        browser.open("/games/turns")
        browser.wait_until_live()
        assert bell_state() == "true"
        browser.run("sessionStorage.removeItem('kept')")
        browser.driver.refresh()
        browser.wait_until_live()
        browser.until(lambda: bell_state() == "false", "in another browser the bell is not set")
        browser.run("sessionStorage.kept = 'yes'")
        browser.driver.refresh()
        browser.wait_until_live()
        browser.click("#notify")
        browser.until(lambda: bell_state() == "false")
        assert browser.console_errors() == []
