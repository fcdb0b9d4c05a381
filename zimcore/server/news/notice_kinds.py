"""Kinds of notices that an operator allows: URLs of `apprise` with placeholders, and Web Push.

Players fill in the fields of a kind. They can't choose the server that notices go to.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias
from urllib.parse import quote

import msgspec

from event_store.extras import lacking_extra
from zimcore.documents.seats import NewNotices
from zimcore.game import GameError
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.toolkit.toml import read_toml

if TYPE_CHECKING:
    from zimcore.server.news.web_push import PushSender, SendResult

WEB_PUSH_KIND = "browser"
"""The name of the kind that is Web Push."""
PLACEHOLDER = re.compile(r"\{([a-z]{1,16})\}")
ALLOWED_VALUE = re.compile(r"[A-Za-z0-9._+@-]{1,64}")
"""Values that a player may fill in for a placeholder."""
URL_EXAMPLE = 'mail = "mailtos://USER:PASSWORD@smtp.example/{address}"'
PUSH_EXAMPLE = 'browser = { contact = "mailto:hanna@zim.example" }'


class NoticeKind(Protocol):
    """A way to send notices. `public_key` is the key that a browser subscribes with; "" if it is not Web Push."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the values that a player fills in."""

    @property
    def public_key(self) -> str:
        """The key of this server for Web Push."""

    def fault_of(self, values: Mapping[str, str]) -> str:
        """Why the values of a player are not valid; "" if they are."""

    def send(self, values: Mapping[str, str], game: str, text: str) -> SendResult:
        """Sends a notice about a game; "gone" if the values reach no one any more."""


NoticeKinds: TypeAlias = Mapping[str, NoticeKind]


class AppriseUrl(msgspec.Struct, frozen=True):
    """A URL of `apprise` with placeholders: `mailtos://USER:PASSWORD@smtp.example/{address}`."""

    url: str
    public_key: ClassVar[str] = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of its placeholders, each once."""
        return tuple(dict.fromkeys(PLACEHOLDER.findall(self.url)))

    def fault_of(self, values: Mapping[str, str]) -> str:
        """Why the values of a player are not valid; "" if they are."""
        bad_values = [f"{name}={value[:64]!r}" for name, value in values.items() if not ALLOWED_VALUE.fullmatch(value)]
        return f"{bad_values[0]}: a value has up to 64 letters, digits and ._+@-" if bad_values else ""

    def url_for(self, values: Mapping[str, str]) -> str:
        """The URL with the values of a player."""
        return PLACEHOLDER.sub(lambda match: quote(values.get(match[1], ""), safe=""), self.url)

    def send(self, values: Mapping[str, str], game: str, text: str) -> SendResult:
        """Sends a notice. Turns off apprise's log, which would have passwords in it."""
        import apprise

        del game  # the text names it
        logging.getLogger("apprise").disabled = True
        sender = apprise.Apprise()
        return "sent" if sender.add(self.url_for(values)) and sender.notify(body=text, title="zim") else "failed"


def read_kinds(settings_path: Path, push_key_path: Path) -> NoticeKinds:
    """Reads the kinds in a TOML file: each a name and a URL with placeholders; `browser` is Web Push.

    The key for Web Push is in another file, which is created if it is missing. Raises `GameError`.
    """
    if failure := lacking_extra("notices"):
        raise GameError("no notices can be sent", *failure)
    try:
        settings = read_toml(settings_path.read_text("utf-8"))
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, not TOML, or a number too long
        raise GameError(f"{settings_path} can't be read", str(error), [URL_EXAMPLE]) from error
    return {
        kind: push_sender(url_or_table, push_key_path) if kind == WEB_PUSH_KIND else apprise_url(kind, url_or_table)
        for kind, url_or_table in settings.items()
    }


def push_sender(push_settings: Any, key_path: Path) -> PushSender:
    """Web Push as a table says: a contact and, besides those of browsers, push services. Raises `GameError`."""
    from zimcore.server.news.web_push import load_sender

    is_known_table = isinstance(push_settings, dict) and set(push_settings) <= {"contact", "services"}
    contact, services = (
        (push_settings.get("contact"), push_settings.get("services", [])) if is_known_table else (None, [])
    )
    if not isinstance(contact, str) or not re.fullmatch(r"mailto:[!-~]+@[!-~]+|https://[!-~]+", contact):
        why = "push services want to know whom to write to: a contact, as mailto: or https:"
        raise GameError(f"not a way to reach browsers: {push_settings}", why, [PUSH_EXAMPLE])
    if not isinstance(services, list) or not all(
        isinstance(service, str) and re.fullmatch(r"https?://[a-z0-9.:\[\]-]+", service) for service in services
    ):
        why = "services are origins, such as https://push.example"
        raise GameError(f"not push services: {services}", why, [PUSH_EXAMPLE])
    return load_sender(key_path, contact, tuple(services))


def apprise_url(kind: str, url: object) -> AppriseUrl:
    """The kind with a URL. Raises `GameError` if it is not valid, or would let players choose the server."""
    if not isinstance(url, str) or "://" not in url or not re.fullmatch(r"[a-z][a-z0-9-]{0,15}", kind):
        raise GameError(f"not a kind of notices: {kind}", "it has a name of small letters, and a URL", [URL_EXAMPLE])
    server, _, url_rest = url.partition("://")[2].partition("/")
    if not url_rest and "?" in server:
        server, _, url_rest = server.partition("?")
    if PLACEHOLDER.search(server) or PLACEHOLDER.search(url.partition("://")[0]):
        raise GameError(
            f"{kind} has a placeholder in its server",
            "players could choose the server that notices go to",
            [URL_EXAMPLE],
        )
    literal_text = PLACEHOLDER.sub("", url)
    if not PLACEHOLDER.search(url_rest) or "{" in literal_text or "}" in literal_text:
        raise GameError(
            f"{kind} needs placeholders",
            "without one all notices would go to one address: {address}, of small letters",
            [URL_EXAMPLE],
        )
    return AppriseUrl(url)


def push_key_of(kinds: NoticeKinds) -> str:
    """The key that a browser subscribes with; "" if there is no Web Push."""
    return kinds[WEB_PUSH_KIND].public_key if WEB_PUSH_KIND in kinds else ""


def check_notice_choice(kinds: NoticeKinds, body: NewNotices) -> None:
    """Raises `ProblemError` for a kind that is not allowed, and for missing, unknown or invalid values."""
    if not body.kind:
        return
    if body.kind not in kinds:
        why = f"the server allows {' and '.join(kinds) or 'none'}"
        raise ProblemError(409, f"{body.kind} is not a kind of notices here", why, [*kinds], kind="not-possible")
    kind = kinds[body.kind]
    example = " ".join(["notices", body.kind, *(f"{name}=..." for name in kind.fields)])
    if {*body.values} != {*kind.fields}:
        title = f"{body.kind} needs {' and '.join(kind.fields)}"
        raise ProblemError(409, title, "", [example], kind="not-possible")
    if fault := kind.fault_of(body.values):
        raise ProblemError(409, f"{body.kind} can't reach you", fault, [example, "notices none"], kind="not-possible")
