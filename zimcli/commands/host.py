"""Host a game for friends: a link for each of them.

It begins a game as `new` does, with the same NAME and options, serves it from this machine, and prints a link for each
seat that is free. A friend opens it in a browser, or types `zim join` and the link. You take the first seat, or the one
that --seat names; with --seat none nobody does. bots=zulu:quick lets a program play a seat.

By default only this machine can connect. --lan opens the game to your home network; it is not encrypted, so use it
where you trust everybody. --url is the address by which friends reach you through a tunnel or a proxy. In a terminal
these links are shown as QR codes, too.

Ctrl-C stops serving. The game and its players are kept: `zim host NAME` goes on, with new links for the seats that are
still free. You can also host a game that you began with `new`. Needs the extras `server` and `remote`.

Example::

    zim host friday players=kilwa,zulu,lozi bots=lozi:quick
    zim host friday --lan
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import click

from zimcli import analysis_cache
from zimcli.command import argument, plain_command
from zimcli.commands.new import agreed_in, asked_for, bots_in, seats_of, split_words
from zimcli.commands.serve import LISTEN, address_in, check_installed
from zimcli.program_name import program
from zimcli.session import Session
from zimcore.game import GameError, OptionError, Seat
from zimcore.service import StoreError

if TYPE_CHECKING:
    from zimcore.service import GameService

NOBODY = "none"


@plain_command(__doc__, ignore_unknown_options=True)
@argument("words", nargs=-1, metavar="[NAME] [KEY=VALUE]...", type=click.UNPROCESSED)
@click.option("--game", "kind", default="", metavar="KIND", help="Which game to play.")
@click.option("--seat", default="", metavar="SEAT", help="The seat that you take; none: only serve.")
@click.option("--lan", is_flag=True, help="Listen to the network of your house.")
@click.option("--listen", default=LISTEN, metavar="HOST:PORT", show_default=True, help="Where to listen; port 0: any.")
@click.option("--url", default="", metavar="URL", help="The address by which friends reach this machine.")
def command(session: Session, words: tuple[str, ...], kind: str, seat: str, lan: bool, listen: str, url: str) -> None:
    """Begins a game or goes on with one, serves it and says how to sit down."""
    check_installed()
    from zimcli.locations import remote_library
    from zimcore.server import hosting, serving

    remote_library()
    house, port = address_in(listen)
    if lan:
        house = "0.0.0.0"  # noqa: S104  # all of the house is what was asked for
    serving.listening(house, port).close()  # before a game is begun that nobody could reach
    service = session.keeper("host", making=True)
    with service.store as store:
        if store.address.startswith("memory:"):
            raise GameError(
                "a store in memory can't be served",
                "each lane opens the store for itself",
                ["zim --store sqlite:///games.db host"],
            )
        game = find_or_begin(session, service, words, kind, seat)
        hosting.host(service, game, session.by)
        free = hosting.free_seats(service, game)
        mine = seat_of(seat, free, service, game, session.by)
        table = Table(session, game, mine, hosting.links(service, game, free, session.by), service.bots(game))
    reached = url.rstrip("/") or (f"http://{own_address()}:{{port}}" if lan else "")

    def ready(local: str) -> None:
        port = local.rpartition(":")[2]
        local = f"http://127.0.0.1:{port}" if lan else local
        Thread(target=table.welcome, args=(local, reached.format(port=port) or local), daemon=True).start()

    settings = serving.settings(None, analysis_cache.folder(), lan=lan)
    try:
        serving.serve(lambda: open_worker_service(store.address), house, port, ready, settings, quiet=True)
    finally:
        again = [program(), "host", game, *(["--lan"] * lan), *([f"--listen {listen}"] if listen != LISTEN else [])]
        session.note(f"{game} is kept; to go on: {' '.join([*again, *([f'--url {url}'] if url else [])])}")


def find_or_begin(session: Session, service: GameService, words: tuple[str, ...], kind: str, seat: str) -> str:
    """The name of the game that is hosted: one that there is, or a new one. Raises `OptionError`."""
    names, options = split_words(words)
    if len(names) == 1 and service.has_game(names[0]):
        if options or kind:
            what = " ".join(word for word in words if word != names[0]) or f"--game {kind}"
            raise OptionError(what, f"{names[0]} has begun already, and goes on as it is", [f"zim host {names[0]}"])
        return names[0]
    named, game, options = asked_for(session, words, kind)
    from zimcore.server import hosting
    from zimcore.service.terms import KEYS

    if "keys" in options:
        raise OptionError("keys", "who joins brings a key along", ["zim join LINK --key NAME"])
    said = {key: options.pop(key) for key in KEYS if key in options}
    how, bots = agreed_in(options), bots_in(options.pop("bots", ""), game, options)
    check_seat(seat, [each for each in seats_of(game, options) if each not in bots])
    return hosting.begin(service, game, options, named, session.by, bots, how, said)


def seat_of(wanted: str, free: list[Seat], service: GameService, game: str, by: str) -> Seat:
    """The seat that the host takes now; "" for none. Raises `GameError` for one that is not free."""
    if wanted == NOBODY or by.casefold() in service.members(game).people or not free:
        return ""
    check_seat(wanted, free)
    return wanted or free[0]


def check_seat(wanted: str, free: Sequence[Seat]) -> None:
    """Raises `GameError` for a seat that is not free, or not there."""
    if wanted not in ("", NOBODY, *free):
        raise GameError(f"--seat {wanted}", "no such seat is free", [f"--seat {each}" for each in (*free, NOBODY)])


def open_worker_service(address: str) -> GameService:
    """The service over a store, for each thread that serves."""
    from zimcore.service import open_service

    return open_service(address)


def own_address() -> str:
    """The address of this machine in the network of the house. Raises `GameError` where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # an address that nobody has: it sends nothing, and chooses the way there
            return str(asked.getsockname()[0])
        except OSError as error:
            raise GameError("--lan", f"this machine is in no network: {error.strerror}", ["zim host"]) from None


class Table:
    """A game that is hosted: the seat of the host, the links by seat, and the programs."""

    def __init__(
        self, session: Session, game: str, mine: Seat, links: Mapping[Seat, str], bots: Mapping[Seat, str]
    ) -> None:
        self.session = session
        self.game = game
        self.mine = mine
        self.links = links
        self.bots = bots

    def welcome(self, local: str, reached: str) -> None:
        """Sits down, and says how others do: the server answers already, and this runs beside it."""
        say = self.session.note if self.session.out.json else click.echo
        sits = self.sit_down(local)
        say(f"{self.game} is served at {reached} until Ctrl-C")
        for seat, bot in self.bots.items():
            say(f"{bot} plays {seat}")
        if sits:
            say(f"you play {sits}; in another terminal: {program()} --store {local} play {self.game}")
        links = {seat: f"{reached}/join#{link}" for seat, link in self.links.items() if seat != self.mine}
        for seat, link in links.items():
            say(f"\n{seat} is free; this link is good once:\n{link}")  # in one piece, to be copied
            if sys.stdout.isatty() and not is_local(reached):
                self.session.tell(*([(row, "bright_white on black")] for row in draw_qr_code(link)))
        if links:
            say("\nA friend opens it in a browser, or types in a terminal: zim join LINK")
        if links and is_local(reached):
            self.session.note("only this machine reaches that address: see --lan and --url")

    def sit_down(self, local: str) -> Seat:
        """The seat that the host has, which is taken now if it is free; "" for none."""
        from zimcli.locations import folders
        from zimcore.remote.connection import Connection
        from zimcore.remote.invitations import Invitation, join, kept_tokens

        server, by = Connection(local), self.session.by
        if self.mine:
            return join(server, folders(), Invitation(local, self.links[self.mine], "link"), by).seat
        for each in kept_tokens(folders()):
            if each.game == self.game and each.seat and is_local(each.server):
                with suppress(GameError, StoreError):  # it may be good for a game of that name in another store
                    return join(server, folders(), Invitation(local, each.token, "seat"), by).seat
        return ""


def is_local(url: str) -> bool:
    """Whether nobody but this machine reaches that address."""
    return url.startswith(("http://127.", "http://localhost", "http://[::1]"))


def draw_qr_code(link: str) -> list[str]:
    """A link as a QR code, light on dark: two rows of it are one of text."""
    from io import StringIO

    import segno

    out = StringIO()
    segno.make(link, error="l", micro=False).terminal(out, border=2, compact=True)
    return out.getvalue().splitlines()
