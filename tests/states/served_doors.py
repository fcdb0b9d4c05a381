"""The doors to a game on a server: HTTP and the page, and terminals of players, a spectator and the host."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlencode

import httpx

from tests.remote.loopback_server import LoopbackServer, loopback_server
from tests.states.doors import Reply, Shell, closing_tables
from zimcli.output.errors import with_command_lines
from zimcore.documents.problems import Problem
from zimcore.remote.invitations import InvitedRole, format_link, invite
from zimcore.remote.service import RemoteService
from zimcore.server.pages.browser import COOKIE_PREFIX
from zimcore.server.wire.tokens import id_of
from zimcore.service.records.memberships import GameHosted

GAME = "g"
WRITTEN_ANYTHING = "well played"
"""What is typed into a field of a form that takes any text."""
FREE_FIELDS = ("text", "name", "by")
"""Fields of forms that people fill in: what they type may be refused."""
ENDPOINT_WORDS = ("undo", "redo", "goto", "fork", "amend", "pick", "rename", "forget", "say", "order")
OUTDATED = (409, 412)
"""The status of a request about a head that has moved on."""


class Person(NamedTuple):
    """Somebody at the server: a name, what opens their service, their token, and their seat if they have one."""

    name: str
    open_service: Callable[[], RemoteService]
    token: str
    seat: str
    role: str

    @property
    def service(self) -> Any:
        """The service of a new process."""
        return self.open_service()


class Http(Shell):
    """A program that sends requests as the API's documentation says."""

    name = "http"

    def __init__(self, person: Person, url: str) -> None:
        super().__init__(person.service, person.name, place=GAME)
        self.person = person
        self.client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {person.token}"}, timeout=30)
        self.keys = count(1)

    def run(self, line: str) -> Reply:
        return self.run_after(lambda: None, line)

    def run_after(self, change: Callable[[], object], line: str) -> Reply:
        """Reads the head, and sends the request for a line; a second person may act between the two."""
        if line.startswith("zim "):
            change()
            return super().run(line)
        command, arguments, options = self.parsed(line)
        place = next((each for each in arguments[:1] if each.partition("@")[0].partition("/")[0] == GAME), GAME)
        line_name = place.partition("@")[0].partition("/")[2] or "main"
        path = f"/v1/games/{GAME}/lines/{line_name}"
        head = self.client.get(path).headers.get("ETag", '"none"')
        change()
        request = self.request(command, arguments, options, path)
        if request is None:
            return super().run(line)
        method, address, body = request
        headers = {"Idempotency-Key": f"{self.by}-{next(self.keys)}-{id(self)}", "If-Match": head}
        response = self.client.request(method, address, headers=headers, json=body)
        return http_reply(response, self.words(line))

    def request(
        self, command: str, arguments: list[str], options: Mapping[str, str | bool], path: str
    ) -> tuple[str, str, dict[str, object] | None] | None:
        """Method, address and body for a command; None for one that has no request of its own."""
        _, _, position = arguments[0].partition("@") if arguments else ("", "", "")
        words = arguments[1:]
        number = int(words[0]) if words and words[0].isdigit() else 1
        if options and command != "amend":
            return None
        match command:
            case "do":
                return "POST", f"{path}/moves", {"move": " ".join(words)}
            case "undo" | "redo":
                return "PUT", f"{path}/head", {"steps": number if command == "redo" else -number}
            case "goto" if position:
                return "PUT", f"{path}/head", {"to": position}
            case "fork" if words:
                new_line: dict[str, object] = {"name": words[0], "line": path.rpartition("/")[2], "at": position}
                return "POST", f"/v1/games/{GAME}/lines", new_line
            case "say" if words:
                return "POST", f"/v1/games/{GAME}/talk", {"text": " ".join(words)}
            case "order" if words:
                return "POST", f"/v1/games/{GAME}/orders", {"text": " ".join(words)}
            case "forget":
                return "DELETE", path, None
            case "show":
                return "GET", path, None
            case "legal":
                return "GET", f"{path}/legal", None
            case "log":
                return "GET", f"{path}/moves", None
            case "seats":
                return "GET", f"/v1/games/{GAME}/seats", None
        return None


def http_reply(response: httpx.Response, words: Sequence[str]) -> Reply:
    """The reply of a server: its status as an exit code, what is wrong, and the hints, completed as clients do."""
    if response.status_code < 400:
        return Reply(0, text=response.text)
    problem = response.json()
    assert {"title", "status", "kind"} <= set(problem), response.text
    code = 255 if response.status_code >= 500 else 3 if response.status_code in OUTDATED else 2
    shown = with_command_lines(Problem("error", problem["title"], code, (), tuple(problem.get("hints", ()))), words)
    return Reply(code, f"{response.status_code} {problem['title']}", shown.hints, response.text)


class FoundForm(NamedTuple):
    """A form or a link of a page: how it is sent, and whether people type into it."""

    method: str
    address: str
    fields: dict[str, str]
    is_typed: bool

    def __str__(self) -> str:
        shown = {name: value for name, value in self.fields.items() if name not in ("key", "head", "as")}
        return f"{self.method} {self.address} {urlencode(shown)}".strip()


class PageReader(HTMLParser):
    """Collects what a page offers: links into the game, and forms with their buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[FoundForm] = []
        self.text: list[str] = []
        self._form: FoundForm | None = None
        self._buttons: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        match tag:
            case "a" if attributes.get("href", "").startswith((f"/games/{GAME}", "?")):
                self.found.append(FoundForm("GET", attributes["href"], {}, False))
            case "form":
                method = attributes.get("method", "get").upper()
                self._form, self._buttons = FoundForm(method, attributes.get("action", ""), {}, False), []
            case "input" | "select" if self._form and attributes.get("type") not in ("checkbox", "radio"):
                name = attributes.get("name", "")
                self._form.fields[name] = attributes.get("value", "")
                if attributes.get("type") != "hidden":
                    self._form = self._form._replace(is_typed=True)
                    self._form.fields[name] = attributes.get("value") or WRITTEN_ANYTHING
            case "button" if self._form:
                self._buttons.append((attributes.get("name", ""), attributes.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._form:
            buttons = self._buttons or [("", "")]
            for name, value in buttons:
                fields = {**self._form.fields, **({name: value} if name else {})}
                fields.pop("", None)
                self.found.append(self._form._replace(fields=fields))
            self._form = None

    def handle_data(self, data: str) -> None:
        self.text.append(data)


class Page(Shell):
    """A browser on the page of the game, without scripts: it follows links and sends forms."""

    name = "page"

    def __init__(self, person: Person, url: str, rng: Random) -> None:
        super().__init__(person.service, person.name, place=GAME)
        self.person, self.rng = person, rng
        cookies = {f"{COOKIE_PREFIX}{id_of(person.token)}": person.token}
        headers = {"Accept": "text/html", "Origin": url, "Sec-Fetch-Site": "same-origin"}
        self.client = httpx.Client(base_url=url, cookies=cookies, headers=headers, timeout=30)
        self.found: dict[str, FoundForm] = {}

    @property
    def address(self) -> str:
        return f"/games/{GAME}?as={self.person.seat or self.person.role}"

    def look(self, address: str = "") -> tuple[int, list[FoundForm], str]:
        """The page at an address: the status, what it offers, and its text."""
        response = self.client.get(address or self.address, follow_redirects=True)
        reader = PageReader()
        reader.feed(response.text)
        return response.status_code, reader.found, " ".join(" ".join(reader.text).split())

    def find(self, move: str = "") -> tuple[str, bool]:
        """Something that the page offers, after a move was typed if one is given, and whether people type into it."""
        address = f"{self.address}&{urlencode({'say': move})}" if move else self.address
        status, offered, text = self.look(address)
        assert status == 200, (status, address, text[:500])
        offered = [each for each in offered if not each.address.endswith("/games")]
        plays = [each for each in offered if each.address.endswith("/moves")]
        chosen = self.rng.choice(plays if plays and self.rng.random() < 0.7 else offered)
        self.found[str(chosen)] = chosen
        return str(chosen), chosen.is_typed

    def run(self, line: str) -> Reply:
        """Sends a form or follows a link that was found; another line is typed as a move, and played if it can be."""
        found = self.found.get(line)
        if found is None:
            _, offered, text = self.look(f"{self.address}&{urlencode({'say': line})}")
            found = next((each for each in offered if each.address.endswith("/moves")), None)
            if found is None:
                return Reply(1, "no such move can be played", text=text)
        if found.method == "GET":
            address = found.address if found.address.startswith("/") else f"/games/{GAME}{found.address}"
            query = urlencode(found.fields)
            separator = "&" if "?" in address else "?"
            response = self.client.get(f"{address}{separator}{query}" if query else address, follow_redirects=True)
        else:
            response = self.client.post(found.address, data=found.fields, follow_redirects=False)
        text = html.unescape(re.sub(r"<[^>]*>", " ", response.text))
        status = response.status_code
        code = 0 if status < 400 else 255 if status >= 500 else 3 if status in OUTDATED else 2
        return Reply(code, "" if code == 0 else f"{status} {' '.join(text.split())[:300]}", text=text)


class ServedWorld:
    """A server with a game, and the people around it: players, a spectator, an auditor, the host."""

    def __init__(self, server: LoopbackServer, kind: str, options: Mapping[str, str], bots: Mapping[str, str]) -> None:
        self.server = server
        hosted = [GameHosted("hanna", False)]
        server.service.new(kind, options, name=GAME, by="hanna", served=hosted, bots=bots)
        host_service = server.host()
        seats = [seat for seat in self.new_service().head(GAME).seats if seat not in bots]
        host_token = host_service.remote_lines.host_token(GAME)
        self.people = [Person("hanna", lambda: server.person("hanna"), host_token, "", "host")]
        self.people += [self.invited("seat", seat) for seat in seats]
        self.people += [self.invited("spectator", ""), self.invited("auditor", "")]
        self.doors: list[Shell] = []

    def invited(self, role: InvitedRole, seat: str) -> Person:
        """Somebody who has redeemed a link of the host."""
        name = f"{seat}-player" if seat else role
        link = format_link(self.server.url, invite(self.server.host(), GAME, role, seat, "", None).token)
        credential = self.server.redeem_link(name, link)
        return Person(name, lambda: self.server.person(name), credential.token, seat, role)

    def seat_again(self) -> None:
        """Has the host give back and offer anew each seat whose player has no valid token any more."""
        service = self.new_service()
        for index, person in enumerate(self.people):
            token = service.members(GAME).token_at(person.seat) if person.seat else None
            if person.seat and (token is None or token.id != id_of(person.token)):  # left, or a new link was made
                if person.seat in service.bots(GAME):  # its player has resigned
                    reply = Shell(self.people[0].service, "hanna", place=GAME).run(f"leave --back {person.seat}")
                    assert reply.code == 0, reply
                self.people[index] = self.invited("seat", person.seat)

    def new_service(self) -> Any:
        """The store itself, which the walk looks into."""
        return self.server.service

    def open(self, door: type[Shell], by: str = "anna", seat: str = "", place: str = GAME) -> Shell:
        """Opens a door for a person."""
        person = next(each for each in self.people if each.name == by)
        self.doors.append(door(person.service, by, seat, place))
        return self.doors[-1]


@contextmanager
def a_served_world(
    folder: Path, kind: str, options: Mapping[str, str], bots: Mapping[str, str]
) -> Iterator[ServedWorld]:
    """A server that listens, with a game on it."""
    with loopback_server(folder) as server:
        world = ServedWorld(server, kind, options, bots)
        with closing_tables(world.doors):
            yield world
