"""Serve games over the network.

The server runs until you stop it (Ctrl-C, SIGTERM). To start games there you need an account: `serve token NAME`
creates a token and shows it once, `serve tokens` lists the tokens, `serve revoke ID` ends one. For TLS, put a reverse
proxy in front, and name its address with --url: see docs/operating.md. Zim refuses requests to other names. --demo
starts a game in a temporary store and prints links for two browsers, or the commands for two other terminals. Needs the
extra `server`.

Example::

    zim serve --demo
    zim serve token anna --days 30
    zim serve --listen 127.0.0.1:8321
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.core import ParameterSource

from event_store.extras import broken_import, lacking_extra
from zimcli.keys.signing_keys import push_key_file
from zimcli.session import analysis_cache
from zimcli.session.command import argument, plain_command
from zimcli.session.session import Session
from zimcli.shell.program_name import typable
from zimcore.documents.seats import TokenAnswer, TokensAnswer
from zimcore.game import GameError
from zimcore.toolkit.addresses import host_of

DEFAULT_ADDRESS = "127.0.0.1:8321"
listen_option = click.option(
    "--listen",
    "listen_address",
    default=DEFAULT_ADDRESS,
    metavar="HOST:PORT",
    show_default=True,
    help="Address to listen on (port 0: any free one).",
)
SUBCOMMAND_ARGUMENT_COUNTS = {"token": 1, "tokens": 0, "revoke": 1}
SERVING_PARAMETERS = ("listen_address", "urls", "is_demo", "notices_file", "allows_open_play", "direct_url")
"""The parameters whose options mean something only without a subcommand."""
TOKEN_PARAMETERS = ("valid_days", "is_token_read_only")
"""The parameters whose options mean something only with `token`."""


@plain_command(__doc__)
@argument(
    "subcommand",
    required=False,
    type=click.Choice(list(SUBCOMMAND_ARGUMENT_COUNTS)),
    metavar="[token | tokens | revoke]",
)
@argument("name_or_id", required=False, default="", metavar="[NAME | ID]")
@listen_option
@click.option(
    "--url",
    "urls",
    multiple=True,
    metavar="URL",
    envvar="ZIM_URL",
    show_envvar=True,
    help="Address by which clients reach this server (repeatable).",
)
@click.option("--demo", "is_demo", is_flag=True, help="Start a game in a temporary store, to try it.")
@click.option(
    "--notices",
    "notices_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="How to notify players who are away (TOML).",
)
@click.option(
    "--open-play",
    "allows_open_play",
    is_flag=True,
    help="Let people without an account go on from public games, against programs.",
)
@click.option(
    "--direct",
    "direct_url",
    envvar="ZIM_DIRECT",
    default="",
    metavar="URL",
    help="URL of the database itself, if ZIM_STORE leads to a connection pool: pools signal no changes (ZIM_DIRECT).",
)
@click.option(
    "--port", metavar="PORT", expose_value=False, hidden=True, callback=lambda *values: refuse_port(values[2])
)
@click.option(
    "--days",
    "valid_days",
    type=click.FloatRange(0, 3650, min_open=True),
    metavar="NUMBER",
    help="Days until the token expires.",
)
@click.option("--only-read", "is_token_read_only", is_flag=True, help="The token can't start games.")
def command(
    session: Session,
    subcommand: str | None,
    name_or_id: str,
    listen_address: str,
    urls: tuple[str, ...],
    is_demo: bool,
    notices_file: Path | None,
    direct_url: str,
    allows_open_play: bool,
    valid_days: float | None,
    is_token_read_only: bool,
) -> TokenAnswer | TokensAnswer | None:
    """Serves the store, or creates, lists and revokes account tokens."""
    check_options(subcommand, is_demo=is_demo)
    if subcommand is None:
        if session.level:
            raise GameError("serve", "it runs until you stop it, so it can't run in a session", ["zim serve"])
        serve(
            session, listen_address, urls, notices_file, direct_url, is_demo=is_demo, allows_open_play=allows_open_play
        )
        return None
    check_server_installed()
    if bool(name_or_id) != bool(SUBCOMMAND_ARGUMENT_COUNTS[subcommand]):
        raise GameError(
            f"serve {subcommand} {name_or_id}".rstrip(), "", ["serve token NAME", "serve revoke ID", "serve tokens"]
        )
    from zimcore.server.people import accounts

    service = session.maintenance_service(f"serve {subcommand}", may_create=subcommand == "token")
    if subcommand == "token":
        return accounts.create_token(service, name_or_id, days=valid_days, is_read_only=is_token_read_only)
    if subcommand == "revoke":
        return accounts.revoke(service, name_or_id, by=session.by)
    return accounts.list_tokens(service)


def check_options(subcommand: str | None, *, is_demo: bool) -> None:
    """Raises `click.UsageError` for a typed option that would be ignored. Variables of the environment may be set."""
    context = click.get_current_context()
    if is_demo and context.get_parameter_source("direct_url") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--direct is for a store on PostgreSQL; the demo has a temporary store of its own.")
    ignored_parameters = {
        *(SERVING_PARAMETERS if subcommand else ()),
        *(TOKEN_PARAMETERS if subcommand != "token" else ()),
    }
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in ignored_parameters and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            serve_command = "serve token" if name in TOKEN_PARAMETERS else "serve"
            words = f"serve {subcommand or ''}".rstrip()
            raise click.UsageError(f"{parameter.opts[0]} belongs to `{serve_command}`, and not to `{words}`.")


def refuse_port(port: str | None) -> None:
    """Raises `GameError` for `--port`, which other servers have."""
    if port:
        host = DEFAULT_ADDRESS.rpartition(":")[0]
        raise GameError(f"--port {port}", "name the host and the port together", [f"serve --listen {host}:{port}"])


def check_server_installed() -> None:
    """Raises `GameError` if the extra `server` is not installed."""
    if failure := lacking_extra("server"):
        raise GameError("zim can't serve", *failure)


def check_server_imports() -> None:
    """Raises `GameError` if the extra `server` is not installed, or if a module of it can't be imported."""
    check_server_installed()
    try:
        import_module("zimcore.server.serving")
    except ImportError as error:
        raise GameError("zim can't serve", *broken_import(error)) from error


def serve(
    session: Session,
    listen_address: str,
    urls: Sequence[str],
    notices_file: Path | None,
    direct_url: str,
    *,
    is_demo: bool,
    allows_open_play: bool,
) -> None:
    """Serves until it is stopped."""
    host, port = parse_address(listen_address)
    host_names = [host.strip("[]") or "::", *map(host_name_in, urls)]
    check_server_imports()
    if is_demo:
        with TemporaryDirectory(prefix="zim-demo-") as folder:
            serve_store(
                session,
                f"sqlite:///{folder}/demo.db",
                host,
                port,
                host_names,
                notices_file,
                is_demo=True,
                allows_open_play=allows_open_play,
            )
        return
    store = session.maintenance_service("serve", may_create=True).store
    store.create()
    serve_store(
        session,
        store.full_url,
        host,
        port,
        host_names,
        notices_file,
        direct_url,
        is_demo=False,
        allows_open_play=allows_open_play,
    )


def parse_address(address: str) -> tuple[str, int]:
    """The host and the port of `HOST:PORT`. Raises `GameError`."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise GameError(f"--listen {address}", "write it as HOST:PORT", [f"--listen {DEFAULT_ADDRESS}"])
    return host, int(port)


def host_name_in(url: str) -> str:
    """The host name in a URL by which clients reach a server. Raises `GameError`."""
    if not url.startswith(("http://", "https://")) or not host_of(url):
        raise GameError(f"--url {url}", "write it as https://HOST or https://HOST:PORT", ["--url https://zim.example"])
    return host_of(url)


def serve_store(
    session: Session,
    store_address: str,
    host: str,
    port: int,
    host_names: Sequence[str],
    notices_file: Path | None,
    direct_url: str = "",
    *,
    is_demo: bool,
    allows_open_play: bool,
) -> None:
    """Serves a store, and prints the address once it listens."""
    from zimcore.server import serving
    from zimcore.service import open_service

    if store_address.startswith("memory:"):
        raise GameError(
            "a store in memory can't be served", "each worker of the server opens the store for itself", ["--demo"]
        )
    settings = serving.make_settings(
        notices_file,
        analysis_cache.cache_folder(),
        host_names,
        is_lan=is_demo,
        direct_url=direct_url,
        open_play=allows_open_play,
        push_key_path=push_key_file(),
    )
    with open_service(store_address).store as served_store:
        demo_links = serving.begin_demo(served_store) if is_demo else None

    def announce_address(url: str) -> None:
        session.show_note(f"serving {served_store.url} at {url} (Ctrl-C stops)")
        if demo_links:
            click.echo(typable(demo_links(url)))

    serving.serve(
        lambda: open_service(store_address), host.strip("[]"), port, announce_address, settings, is_quiet=is_demo
    )
