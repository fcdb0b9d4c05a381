"""Show the settings of the prompt.

They are in a file of their own: its place, and what is in force. --write puts the template there, which explains each
setting; a file that is there already stays.

Example::

    zim config
"""

from __future__ import annotations

import click
import msgspec

from zimcli.command import pass_session, unplaced
from zimcli.config import TEMPLATE, config_file, load
from zimcli.session import Session
from zimcore.game import GameError


@unplaced(__doc__)
@click.option("--write", is_flag=True, help="Write the template where the settings are.")
@pass_session
def command(session: Session, write: bool) -> None:
    """Prints the settings, or writes the template."""
    file = config_file()
    if write and file.exists():
        raise GameError(f"{file} is there already", "it would be lost", ["config"])
    if write:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEMPLATE.read_text("utf-8"), "utf-8")
    settings = msgspec.to_builtins(load(file))
    session.out.document({"file": str(file), "there": file.exists(), "settings": settings})
    session.out.line((f"# {file}" + ("" if file.exists() else " (not there: these are the defaults)"), "dim"))
    for name, value in settings.items():
        session.out.line(f"{name} = {msgspec.json.encode(value).decode()}")
