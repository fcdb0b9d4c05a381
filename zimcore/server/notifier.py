"""Sends notices to absent players, by the kinds that the server allows.

A kind is a URL of `apprise` with placeholders that players fill in, or Web Push. Players can't choose the server that
notices go to.
"""

from __future__ import annotations

import logging
import re
import tomllib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from event_store import EventStoreError
from zimcore.documents.seats import NewNotices
from zimcore.game import GameError
from zimcore.server.background import Background
from zimcore.server.problem_responses import ProblemError
from zimcore.server.workers import Open
from zimcore.service import GameService

if TYPE_CHECKING:
    from zimcore.server.web_push import PushSender

Kind: TypeAlias = "str | PushSender"
"""How to send notices: a URL of apprise, or Web Push."""
Kinds: TypeAlias = Mapping[str, Kind]
BROWSER = "browser"
"""The name of the kind that is Web Push."""
PLACEHOLDER = re.compile(r"\{([a-z]{1,16})\}")
ALLOWED_VALUE = re.compile(r"[A-Za-z0-9._+@-]{1,64}")
"""Values that a player may fill in for a placeholder."""
EXAMPLE = 'mail = "mailtos://USER:PASSWORD@smtp.example/{address}"'
PUSH_EXAMPLE = 'browser = { contact = "mailto:hanna@zim.example" }'

log = logging.getLogger("zim.server")


def read_kinds(file: Path, push_key: Path) -> Kinds:
    """Reads the kinds in a TOML file: each a name and a URL with placeholders; `browser` is Web Push.

    The key for Web Push is in another file, which is created if it is missing. Raises `GameError`.
    """
    if not all(map(find_spec, ("apprise", "httpx", "py_vapid"))):
        raise GameError(
            "no notices can be sent", "the library for it is not installed", ["pip install 'great-zim[notices]'"]
        )
    try:
        kinds = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # ValueError: not UTF-8, not TOML, or a number too long
        raise GameError(f"{file} can't be read", str(error), [EXAMPLE]) from error
    for kind, url in kinds.items():
        if kind == BROWSER:
            kinds[kind] = push_sender(url, push_key)
        else:
            check_kind(kind, url)
    return kinds


def push_sender(table: Any, key: Path) -> PushSender:
    """Web Push as a table says: a contact and, besides those of browsers, push services. Raises `GameError`."""
    from zimcore.server.web_push import load_sender

    known = isinstance(table, dict) and set(table) <= {"contact", "services"}
    contact, services = (table.get("contact"), table.get("services", [])) if known else (None, [])
    if not isinstance(contact, str) or not re.fullmatch(r"mailto:[!-~]+@[!-~]+|https://[!-~]+", contact):
        why = "push services want to know whom to write to: a contact, as mailto: or https:"
        raise GameError(f"not a way to reach browsers: {table}", why, [PUSH_EXAMPLE])
    if not isinstance(services, list) or not all(
        isinstance(each, str) and re.fullmatch(r"https?://[a-z0-9.:\[\]-]+", each) for each in services
    ):
        why = "services are origins, such as https://push.example"
        raise GameError(f"not push services: {services}", why, [PUSH_EXAMPLE])
    return load_sender(key, contact, tuple(services))


def check_kind(kind: str, url: object) -> None:
    """Raises `GameError` if a kind is not valid, or would let players choose the server."""
    if not isinstance(url, str) or "://" not in url or not re.fullmatch(r"[a-z][a-z0-9-]{0,15}", kind):
        raise GameError(f"not a kind of notices: {kind}", "it has a name of small letters, and a URL", [EXAMPLE])
    server, _, rest = url.partition("://")[2].partition("/")
    if not rest and "?" in server:
        server, _, rest = server.partition("?")
    if PLACEHOLDER.search(server) or PLACEHOLDER.search(url.partition("://")[0]):
        raise GameError(
            f"{kind} has a placeholder in its server", "players could choose the server that notices go to", [EXAMPLE]
        )
    left = PLACEHOLDER.sub("", url)
    if not PLACEHOLDER.search(rest) or "{" in left or "}" in left:
        raise GameError(
            f"{kind} needs placeholders",
            "without one all notices would go to one address: {address}, of small letters",
            [EXAMPLE],
        )


def placeholders(kind: Kind) -> tuple[str, ...]:
    """What players fill in: the names of the placeholders of a URL, each once, or the fields of a subscription."""
    if isinstance(kind, str):
        return tuple(dict.fromkeys(PLACEHOLDER.findall(kind)))
    return kind.fields


def push_key_of(kinds: Kinds) -> str:
    """The key that a browser subscribes with; "" if there is no Web Push."""
    push = kinds.get(BROWSER, "")
    return "" if isinstance(push, str) else push.public_key


def fill_url(url: str, values: Mapping[str, str]) -> str:
    """The URL with the values of a player filled in."""
    return PLACEHOLDER.sub(lambda found: quote(values.get(found[1], ""), safe=""), url)


def send_notice(url: str, text: str) -> bool:
    """Sends a notice; returns whether that worked. Turns off apprise's log, which would have passwords in it."""
    import apprise

    logging.getLogger("apprise").disabled = True
    one = apprise.Apprise()
    return bool(one.add(url) and one.notify(body=text, title="zim"))


class Notifier:
    """The thread that notifies absent players. `is_listening(token_id)` says whether a player is watching now."""

    def __init__(
        self,
        open_: Open,
        kinds: Kinds,
        is_listening: Callable[[str], bool],
        send: Callable[[str, str], bool] = send_notice,
    ) -> None:
        self.kinds = kinds
        self._looks, self._send = is_listening, send
        self.background = Background("notices", open_, self._look)

    def hint(self, game: str) -> None:
        """Says that a game may have changed. Does nothing if the server allows no kind."""
        if self.kinds:
            self.background.hint(game)

    def close(self) -> None:
        """Sends nothing more. Does not wait for a notice that is being sent."""
        self.background.close()

    def _look(self, service: GameService, game: str) -> bool:
        try:
            self.notify_players(service, game)
        except (GameError, EventStoreError) as error:
            log.warning("no notices: %s", type(error).__name__)
        except Exception as error:
            log.error("a bug in notices: %s", type(error).__name__)
        return False

    def notify_players(self, service: GameService, game: str) -> None:
        """Sends the players of a game the notices they asked for, unless they are watching."""
        if not service.has_game(game):
            return
        for seat, id_ in service.members(game).seated.items():
            wanted = service.notices(game, id_)
            kind = self.kinds.get(wanted.kind, "") if wanted else ""
            if not wanted or not kind or self._looks(id_):
                continue
            for text in service.notices_due(game, seat, id_):
                if isinstance(kind, str):
                    sent = self._send(fill_url(kind, wanted.values), text)
                elif (result := kind.send(wanted.values, game, text)) == "gone":
                    log.info("a browser has ended its subscription")
                    service.want_notices(game, "", {}, by="server", whose=id_)
                    break
                else:
                    sent = result == "sent"
                if not sent:
                    log.warning("a notice was not sent", extra={"said": {"kind": wanted.kind}})


def check_wanted(kinds: Kinds, data: NewNotices) -> None:
    """Raises `ProblemError` for a kind that is not allowed, and for missing, unknown or invalid values."""
    if not data.kind:
        return
    if data.kind not in kinds:
        why = f"the server allows {' and '.join(kinds) or 'none'}"
        raise ProblemError(409, f"{data.kind} is not a kind of notices here", why, [*kinds], kind="not-possible")
    kind = kinds[data.kind]
    wanted = placeholders(kind)
    if set(data.values) != set(wanted):
        hints = [f"notices {data.kind} " + " ".join(f"{hole}=..." for hole in wanted)]
        raise ProblemError(409, f"{data.kind} needs {' and '.join(wanted)}", "", hints, kind="not-possible")
    if not isinstance(kind, str):
        if fault := kind.fault_of(data.values):
            raise ProblemError(409, "this browser can't be reached", fault, ["notices none"], kind="not-possible")
        return
    for hole, value in data.values.items():
        if not ALLOWED_VALUE.fullmatch(value):
            why = "it has up to 64 letters, digits and ._+@- in it"
            raise ProblemError(409, f"no {hole}: {value[:64]!r}", why, kind="not-possible")
