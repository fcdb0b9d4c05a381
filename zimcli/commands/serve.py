"""Serve games to others on the network.

It listens until it is told to end (Ctrl-C, SIGTERM). Whoever begins games there has an account: `serve token NAME`
makes a token for one, which is shown this once; `serve tokens` lists them, `serve revoke ID` ends one. A reverse proxy
brings TLS: see docs/operating.md. With --demo a game is begun in a store that is thrown away, and links
for two browsers are printed, or what to type in two other terminals. Needs the extra `server`.

Example::

    zim serve --demo
    zim serve token anna --days 30
    zim serve --listen 127.0.0.1:8321
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from zimcli import analysis_cache
from zimcli.command import argument, plain_command
from zimcli.program_name import typable
from zimcli.session import Session
from zimcore.documents.seats import TokenAnswer, TokensAnswer
from zimcore.game import GameError

LISTEN = "127.0.0.1:8321"
SUBCOMMANDS = {"token": 1, "tokens": 0, "revoke": 1}


@plain_command(__doc__)
@argument("what", required=False, type=click.Choice(list(SUBCOMMANDS)), metavar="[token | tokens | revoke]")
@argument("name", required=False, default="", metavar="[NAME | ID]")
@click.option("--listen", default=LISTEN, metavar="HOST:PORT", show_default=True, help="Where to listen; port 0: any.")
@click.option("--demo", is_flag=True, help="Begin a game to try it with.")
@click.option(
    "--notices",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="By what those who are away are told (TOML).",
)
@click.option("--port", metavar="PORT", expose_value=False, hidden=True, callback=lambda *said: port_alone(said[2]))
@click.option("--days", type=click.FloatRange(0, 3650, min_open=True), metavar="NUMBER", help="How long a token lasts.")
@click.option("--only-read", is_flag=True, help="The token is not for beginning games.")
def command(
    session: Session,
    what: str | None,
    name: str,
    listen: str,
    demo: bool,
    notices: Path | None,
    days: float | None,
    only_read: bool,
) -> TokenAnswer | TokensAnswer | None:
    """Serves, or looks after accounts."""
    if what is None and name == "":
        if session.level:
            raise GameError("serve", "it goes on until it is ended, and here are lines of a session", ["zim serve"])
        serve(session, listen, notices, demo=demo)
        return None
    check_installed()
    if what is None or bool(name) != bool(SUBCOMMANDS[what]):
        raise GameError(
            f"serve {what or name} {name}".rstrip(), "", ["serve token NAME", "serve revoke ID", "serve tokens"]
        )
    from zimcore.server import accounts

    kept = session.keeper(f"serve {what}", making=what == "token")
    if what == "token":
        return accounts.give(kept, name, days=days, only_read=only_read)
    if what == "revoke":
        return accounts.revoke(kept, name, by=session.by)
    return accounts.list_tokens(kept)


def port_alone(port: str | None) -> None:
    """Raises `GameError` for a port that is named by itself, as other servers take it."""
    if port:
        host = LISTEN.rpartition(":")[0]
        raise GameError(f"--port {port}", "the host and the port are named together", [f"serve --listen {host}:{port}"])


def check_installed() -> None:
    """Raises `GameError` where the extra is missing."""
    if not all(map(find_spec, ("httptools", "jinja2", "litestar", "prometheus_client", "segno", "uvicorn", "uvloop"))):
        raise GameError(
            "nothing can be served", "the extra `server` is not installed", ["pip install 'great-zim[server]'"]
        )


def serve(session: Session, listen: str, notices: Path | None, *, demo: bool) -> None:
    """Serves until it is told to end."""
    host, port = address_in(listen)
    check_installed()
    if demo:
        with TemporaryDirectory(prefix="zim-demo-") as folder:
            serve_store(session, f"sqlite:///{folder}/demo.db", host, port, notices, demo=True)
        return
    store = session.keeper("serve", making=True).store
    store.create()
    serve_store(session, store.address, host, port, notices, demo=False)


def address_in(listen: str) -> tuple[str, int]:
    """The host and the port of `HOST:PORT`. Raises `GameError`."""
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise GameError(f"--listen {listen}", "that is a host and a port", [f"--listen {LISTEN}"])
    return host, int(port)


def serve_store(session: Session, store: str, host: str, port: int, notices: Path | None, *, demo: bool) -> None:
    """Serves a store; says where, when it listens."""
    from zimcore.server import serving
    from zimcore.service import open_service

    if store.startswith("memory:"):
        raise GameError("a store in memory can't be served", "each lane opens the store for itself", ["--demo"])
    settings = serving.settings(notices, analysis_cache.folder())
    with open_service(store).store as opened:
        begun = serving.begin_demo(opened) if demo else None

    def ready(url: str) -> None:
        session.note(f"serving {opened.url} at {url} until Ctrl-C")
        if begun:
            click.echo(typable(begun(url)))

    serving.serve(lambda: open_service(store), host.strip("[]"), port, ready, settings, quiet=demo)
