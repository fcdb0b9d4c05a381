"""Prints docs/reference.md, made from the registry of commands: python scripts/reference.py > docs/reference.md."""

from __future__ import annotations

from collections.abc import Iterator

import click

from zimcli.main import cli
from zimcli.output import Output
from zimcli.registry import groups
from zimcli.session import Session

WIDTH = 100


def page() -> Iterator[str]:
    """The help of everything, by what one wants to do."""
    yield "# Reference\n\nEvery command with its options, as `zim COMMAND --help` prints it."
    yield from help_of("zim", cli)
    for group, entries in groups():
        yield f"\n## {group}"
        for entry in entries:
            yield f"\n### {entry.name}"
            yield from help_of(f"zim {entry.name}", entry.load())


def help_of(name: str, command: click.Command) -> Iterator[str]:
    """The help of a command as a block."""
    context = click.Context(
        command, info_name=name, obj=Session(Output()), terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield "\n```text"
    yield from (line.rstrip() for line in command.get_help(context).splitlines())
    yield "```"


if __name__ == "__main__":
    print("\n".join(page()))
