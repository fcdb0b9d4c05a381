"""Show the settings of the prompt.

They are in a file of their own: its place, and what is in force. --write puts the template there, which explains each
setting; a file that is there already stays.

Example::

    zim config
"""

from __future__ import annotations

import click
import msgspec

from zimcli.command import unplaced
from zimcli.config import TEMPLATE, config_file, load
from zimcli.session import Session
from zimcore.documents.learn import SettingsAnswer
from zimcore.game import GameError


@unplaced(__doc__)
@click.option("--write", is_flag=True, help="Write the template where the settings are.")
def command(_: Session, write: bool) -> SettingsAnswer:
    """Reads the settings, or writes the template first."""
    file = config_file()
    if write and file.exists():
        raise GameError(f"{file} is there already", "it would be lost", ["config"])
    if write:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEMPLATE.read_text("utf-8"), "utf-8")
    settings = msgspec.to_builtins(load(file))
    return SettingsAnswer(str(file), file.exists(), settings)
