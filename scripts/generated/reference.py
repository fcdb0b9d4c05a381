"""Prints docs/reference.md, from the registry of commands, the table of endpoints and the docstrings of the library.

python scripts/generated/reference.py > docs/reference.md
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from textwrap import indent
from typing import Any

import click

import zimcore as zim
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcli.shell.registry import entries_by_group
from zimcore.documents.endpoint import EVERYBODY, NO_TOKEN, PLAYERS, Endpoint
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.documents.seats import Role

WIDTH = 100


def page_lines() -> Iterator[str]:
    """The help of every command, by group, and the roles that may use each endpoint of a server."""
    yield "# Reference\n\nFor looking up: every command with its options, as `zim COMMAND -h` prints it. Below are the"
    yield "[endpoints](#endpoints-of-a-server) of a server and the [library](#library)."
    yield "`scripts/generated/reference.py` makes this page."
    yield from help_lines("zim", cli)
    for group, entries in entries_by_group():
        yield f"\n## {group}"
        for entry in entries:
            yield f"\n### {entry.name}"
            yield from help_lines(f"zim {entry.name}", entry.load_command())
    yield from endpoints()
    yield from library()


def library() -> Iterator[str]:
    """The methods of a store and of a match, each with its docstring."""
    yield "\n## Library"
    for library_class in (zim.Store, zim.Match):
        yield f"\n### zim.{library_class.__name__}\n\n```text"
        yield inspect.getdoc(library_class) or ""
        for name, member in vars(library_class).items():
            if not name.startswith("_"):
                signature = "" if isinstance(member, property) else signature_text(member)
                yield f"\n.{name}{signature}"
                yield indent(inspect.getdoc(member) or "", "    ")
        yield "```"


def signature_text(function: Callable[..., object]) -> str:
    """The arguments of a method as they are typed, without `self`."""
    signature = inspect.signature(function)
    parameters = [each for name, each in signature.parameters.items() if name != "self"]
    return str(signature.replace(parameters=parameters)).replace("'", "")


def help_lines(name: str, command: click.Command) -> Iterator[str]:
    """The help of a command as a block."""
    context = click.Context(
        command, info_name=name, obj=Session(Output()), terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield "\n```text"
    yield from (line.rstrip() for line in command.get_help(context).splitlines())
    yield "```"


def endpoints() -> Iterator[str]:
    """A row for each endpoint, with the roles that may use it."""
    yield "\n## Endpoints of a server\n"
    yield "From `zimcore/documents/endpoints.py`; [the API](api.md#who-may-what) says what each role is.\n"
    yield "| endpoint | who may use it |"
    yield "|---|---|"
    for row in ENDPOINTS:
        yield f"| `{row.method} {row.path}` | {allowed_roles(row)} |"


def allowed_roles(row: Endpoint[Any, Any]) -> str:
    """The roles that may use an endpoint, each with its condition, in words."""
    if row.roles == NO_TOKEN:
        return "anyone, without a token"
    if row.roles == EVERYBODY and not row.must_own and not row.reserved:
        return "all"
    return ", ".join(role + role_condition(row, role) for role in row.roles)


def role_condition(row: Endpoint[Any, Any], role: Role) -> str:
    """The condition on which a role may use an endpoint, in brackets; "" if there is none."""
    role_fields = [f"`{field}`" for field, roles in row.reserved.items() if role in roles]
    other_fields = [f"`{field}`" for field, roles in row.reserved.items() if role not in roles]
    if row.must_own and role not in row.exempt:
        return f" (own {row.must_own})" if role in PLAYERS else f" (with {', '.join(role_fields)})"
    return f" (not {', '.join(other_fields)})" if other_fields else ""


if __name__ == "__main__":
    print("\n".join(page_lines()))
