"""Host a game for friends, with a link for each of them.

Zim starts a game as `new` does, with the same NAME and options, serves it from this machine, and prints a link for each
free seat. A friend opens the link in a browser, or types `zim join` and the link. You take the first seat, or the one
that --seat names; with --seat none you only serve. bots=zulu:quick lets a bot play a seat.

By default only this machine can connect. --lan opens the game to your home network, at this machine's address there, or
the one that --listen names. It is not encrypted, so use it only in networks that you trust. --url is the address by
which friends reach you through a tunnel or a proxy. In a terminal these links are also shown as QR codes.

Zim says who joins and who leaves. Ctrl-C stops serving. The game and its players are kept: `zim host NAME` goes on,
with new links for the free seats; --again SEAT also gives a new link to a friend who has lost theirs. You can also host
a game that you started with `new`. Needs the extras `server` and `remote`.

Example::

    zim host friday players=kilwa,zulu,lozi bots=lozi:quick
    zim host friday --lan
"""

from __future__ import annotations

import re
import shlex
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, NoReturn

import click
from msgspec.structs import replace

from zimcli.commands.new import (
    agreed_terms,
    bot_names,
    complete_hints,
    parse_bots,
    parse_new_game,
    seats_of,
    split_words,
)
from zimcli.commands.serve import DEFAULT_ADDRESS, check_server_imports, listen_option, parse_address
from zimcli.render.remarks import seat_line
from zimcli.session import analysis_cache
from zimcli.session.command import argument, plain_command
from zimcli.session.seen_discussion import SeenDiscussion
from zimcli.session.session import Session
from zimcli.shell.program_name import program_name
from zimcore.documents.seats import HostAnswer
from zimcore.game import GameError, OptionError, Seat
from zimcore.service import StoreError
from zimcore.toolkit.addresses import LOOPBACK_HOSTS, host_of, is_private, is_this_machine

if TYPE_CHECKING:
    from zimcore.service import GameService

POLL_SECONDS = 1.0
"""Seconds until the host looks again who has joined."""
NO_SEAT = "none"
OWN_LINK_DAYS = 1.0
"""How long the link to the host's own seat is valid."""
WILDCARD_ADDRESSES = ("", "0.0.0.0", "::")  # noqa: S104  # wildcard addresses: no client can connect to these


@plain_command(__doc__, ignore_unknown_options=True)
@argument("words", nargs=-1, metavar="[NAME] [KEY=VALUE]...", type=click.UNPROCESSED)
@click.option("--game", "kind", default="", metavar="KIND", help="Game to play.")
@click.option("--seat", default="", metavar="SEAT", help="Your seat (none: only serve).")
@click.option("--again", "freed_seat", default="", metavar="SEAT", help="Free this seat, for a friend who lost it.")
@click.option("--lan", "opens_to_lan", is_flag=True, help="Also listen on your home network.")
@listen_option
@click.option("--url", default="", metavar="URL", help="Address by which friends reach this machine.")
def command(
    session: Session,
    words: tuple[str, ...],
    kind: str,
    seat: str,
    freed_seat: str,
    opens_to_lan: bool,
    listen_address: str,
    url: str,
) -> HostAnswer | None:
    """Begins or resumes a game, serves it, and prints the links."""
    check_server_imports()
    from zimcore.remote import remote_library
    from zimcore.server import hosting, serving

    remote_library()
    address, port = parse_address(listen_address)
    address = address.strip("[]")
    if opens_to_lan and address in (*LOOPBACK_HOSTS, *WILDCARD_ADDRESSES):
        address = own_address()
    url = check_address(address, port, url)
    serving.listening_socket(address, port, "host").close()  # fails before a game is stored
    service = session.maintenance_service("host", may_create=True)
    with service.store as store:
        if store.full_url.startswith("memory:"):
            raise GameError(
                "a store in memory can't be served",
                "each worker of the server opens the store for itself",
                ["zim --store sqlite:///games.db host"],
            )
        game = find_or_begin_game(session, service, words, kind, seat)
        hosting.make_host(service, game, session.by)
        if freed_seat:
            hosting.vacate(service, game, freed_seat, session.by)
        free_seats = sorted(hosting.free_seats(service, game), key=service.head(game).seats.index)  # you get the first
        own_seat = host_seat(seat, free_seats, service, game, session.by)
        store_words = ["--store", store.url] if session.store else []  # without a password
        options = {
            "--listen": listen_address * (listen_address != DEFAULT_ADDRESS),
            "--url": url,
            "--seat": seat * (seat == NO_SEAT),
        }
        option_words = [word for option, value in options.items() if value for word in (option, value)]
        command_words = [*store_words, "host", game, *["--lan"] * opens_to_lan, *option_words]
        host_command = f"{program_name()} {shlex.join(command_words)}"
        links = hosting.offer_links(service, game, free_seats, session.by)
        table = HostedTable(session, game, own_seat, links, service.bots(game), host_command)

    def announce_table(local_url: str) -> None:
        if address in WILDCARD_ADDRESSES:
            local_url = f"http://127.0.0.1:{local_url.rpartition(':')[2]}"
        Thread(target=table.welcome_players, args=(local_url, url or local_url, store.full_url), daemon=True).start()

    settings = serving.make_settings(
        None,
        analysis_cache.cache_folder(),
        [address or WILDCARD_ADDRESSES[-1], host_of(url)],
        is_lan=not url.startswith("https:"),
    )
    try:
        serving.serve(
            lambda: open_worker_service(store.full_url), address, port, announce_table, settings, is_quiet=True
        )
    finally:
        session.show_note(f"{game} is stored; to go on: {host_command}")
    return None


def find_or_begin_game(session: Session, service: GameService, words: tuple[str, ...], kind: str, seat: str) -> str:
    """The name of the game to host: an existing one, or a new one. Raises `OptionError`."""
    names, options = split_words(words)
    if len(names) == 1 and service.has_game(names[0]):
        if options or kind:
            extra_words = " ".join(word for word in words if word != names[0]) or f"--game {kind}"
            raise OptionError(
                extra_words, f"{names[0]} has begun already, and keeps its options", [f"zim host {names[0]}"]
            )
        return names[0]
    try:
        return begin_game(session, service, words, kind, seat)
    except GameError as error:
        hints = complete_hints("host", words, kind, error.hints)
        error.hints = tuple(re.sub(r"^new\b", "host", hint) for hint in hints)
        raise


def begin_game(session: Session, service: GameService, words: tuple[str, ...], kind: str, seat: str) -> str:
    """Begins a game to host, and returns its name. Raises `OptionError`."""
    name, game, options = parse_new_game(session, words, kind)
    from zimcore.server import hosting
    from zimcore.service.records.terms import TERM_KEYS

    if "keys" in options:
        raise OptionError("keys", "players bring their keys when they join", ["zim join LINK --key NAME"])
    typed_terms = {key: options.pop(key) for key in TERM_KEYS if key in options}
    agreements, bots = agreed_terms(options), bot_names(parse_bots(session, options.pop("bots", ""), game, options))
    check_seat(seat, [seat_name for seat_name in seats_of(game, options) if seat_name not in bots])
    return hosting.begin_hosted_game(service, game, options, name, session.by, bots, agreements, typed_terms)


def host_seat(name: str, free_seats: list[Seat], service: GameService, game: str, by: str) -> Seat:
    """The seat that the host takes now; "" for none. Raises `GameError` if the seat is not free."""
    if name == NO_SEAT or by.casefold() in service.members(game).seat_by_person or not free_seats:
        return ""
    check_seat(name, free_seats)
    return name or free_seats[0]


def check_seat(name: str, free_seats: Sequence[Seat]) -> None:
    """Raises `GameError` if the seat is taken or does not exist."""
    if name not in ("", NO_SEAT, *free_seats):
        raise GameError(
            f"--seat {name}", "this seat is not free", [f"--seat {free_seat}" for free_seat in (*free_seats, NO_SEAT)]
        )


def open_worker_service(address: str) -> GameService:
    """Opens the store for a worker thread of the server."""
    from zimcore.service import open_service

    return open_service(address)


def check_address(address: str, port: int, url: str) -> str:
    """The address by which friends reach this machine; "" if it is the address that it listens on.

    Raises `GameError` if tokens would cross the internet unencrypted, or if no link can name the address.
    """
    from zimcore.remote.connection import server_address

    if url:
        try:
            return server_address(url)
        except StoreError as error:
            raise GameError(f"--url {url}", error.why or error.what, ["zim host --url https://HOST"]) from None
    if address in WILDCARD_ADDRESSES:
        raise GameError(
            f"--listen {address}:{port}", "a link can't lead to this address", ["zim host --lan", "zim host --url URL"]
        )
    if address not in LOOPBACK_HOSTS and not is_private(address):
        reason = "it is not in a home network, and strangers on the way could read your friends' tokens"
        raise GameError(f"{address} needs encryption", reason, ["zim host --url https://HOST", "zim host"])
    return ""


def own_address() -> str:
    """The address of this machine in its network. Raises `GameError` if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe_socket:
        try:
            # A documentation address: nothing is sent, but an interface is chosen.
            probe_socket.connect(("192.0.2.1", 9))
            return str(probe_socket.getsockname()[0])
        except OSError as error:
            raise GameError("--lan", f"this machine is not in a network: {error.strerror}", ["zim host"]) from None


class HostedTable:
    """A hosted game: the seat of the host, the links by seat, the bots by seat, and the line that hosts it again."""

    def __init__(
        self,
        session: Session,
        game: str,
        own_seat: Seat,
        links: Mapping[Seat, str],
        bots: Mapping[Seat, str],
        host_command: str,
    ) -> None:
        self.session = session
        self.game = game
        self.own_seat = own_seat
        self.links = links
        self.bots = bots
        self.host_command = host_command

    def welcome_players(self, local_url: str, public_url: str, address: str) -> None:
        """Takes the host's seat, prints the links, and then who comes. Runs in a thread once the server answers."""
        from zimcore.remote.invitations import format_link

        seat, own_link = self.take_host_seat(local_url)
        links = {
            friend_seat: format_link(public_url, link)
            for friend_seat, link in self.links.items()
            if friend_seat != self.own_seat
        }
        self.session.set_output(pager=False)  # a pager would take Ctrl-C
        answer = HostAnswer(self.game, public_url, local_url, seat, links, dict(self.bots), command="host")
        if own_link:
            answer = replace(answer, own_link=format_link(public_url, own_link))
        self.session.show_answer(answer)
        self.note_seated_players(address, seat)
        if public_url.startswith("http:") and not is_this_machine(public_url):
            self.session.show_note("not encrypted: other people in your network could read your friends' tokens")
        self.announce_players(address)

    def note_seated_players(self, address: str, own_seat: Seat) -> None:
        """Says which friends have a seat, and what gives one of them a new link."""
        service = open_worker_service(address)
        with service.store:
            for seat, by in (service.players(self.game) or {}).items():
                if seat != own_seat and seat not in self.bots:
                    self.session.show_note(
                        f"{by} plays {seat}; if they lost their link: {self.host_command} --again {seat}"
                    )

    def announce_players(self, address: str) -> NoReturn:
        """Says who takes or leaves a seat, as it happens."""
        service = open_worker_service(address)
        with service.store:
            seen_discussion = SeenDiscussion(players=service.players(self.game))
            while True:
                time.sleep(POLL_SECONDS)
                discussion = SeenDiscussion(players=service.players(self.game))
                for seat_change in discussion.changed_seats(seen_discussion):
                    self.session.show_note("".join(text for text, _ in seat_line(*seat_change)))
                seen_discussion = discussion

    def take_host_seat(self, local_url: str) -> tuple[Seat, str]:
        """Takes the host's seat if it is free. Returns it, and a link that opens it in a browser; "" for none."""
        from zimcore.remote.client_files import Folders
        from zimcore.remote.connection import Connection
        from zimcore.remote.invitations import Invitation, join, own_seat_link, saved_credentials

        server, by = Connection(local_url), self.session.by
        if self.own_seat:
            invitation = Invitation(local_url, self.links[self.own_seat], "link")
            credential = join(server, Folders.of_user(), invitation, by)
            return credential.seat, own_seat_link(server, credential, OWN_LINK_DAYS)
        for credential in saved_credentials(Folders.of_user()):
            if credential.game == self.game and credential.seat and credential.server.startswith("http:"):
                with suppress(GameError, StoreError):  # the token may belong to a game of that name in another store
                    own = join(server, Folders.of_user(), Invitation(local_url, credential.token, "seat"), by)
                    return own.seat, own_seat_link(server, own, OWN_LINK_DAYS)
        return "", ""
