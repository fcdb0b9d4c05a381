"""Show the settings of the prompt and the table, or change one.

They are in a file of their own: its place, and what is in force. With KEY and VALUE one is changed, for good: `config
board on`, `config table.log f9`; the prompt takes it up at once, the table when it is opened next. --write puts the
template there, which explains each setting; a file that is there already stays.

Example::

    zim config theme light
"""

from __future__ import annotations

import click
import msgspec

from zimcli.command import argument, unplaced
from zimcli.config import TEMPLATE, config_file, load
from zimcli.session import Session
from zimcli.settings import change
from zimcore.documents.learn import SettingsAnswer
from zimcore.game import GameError


@unplaced(__doc__)
@argument("words", nargs=-1, metavar="[KEY VALUE]")
@click.option("--write", is_flag=True, help="Write the template where the settings are.")
def command(_: Session, words: tuple[str, ...], write: bool) -> SettingsAnswer:
    """Reads the settings, after one was changed or the template written."""
    file = config_file()
    if write and file.exists():
        raise GameError(f"{file} is there already", "it would be lost", ["config"])
    if write:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEMPLATE.read_text("utf-8"), "utf-8")
    if words:
        change(file, words[0], " ".join(words[1:]))
    settings = msgspec.to_builtins(load(file))
    return SettingsAnswer(str(file), file.exists(), settings)
