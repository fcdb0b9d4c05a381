"""Create the package of a game of your own.

Writes a folder NAME: rules that play, a test, a README with the next commands, and a pyproject.toml. NAME is a Python
name, as in `import NAME`. docs/new-game.md explains the parts. With --cards it is a game of tricks: hands, a secret
pass, bids, several deals.

Example::

    zim new-game pebbles
    zim new-game trumps --cards
"""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template

import click

from zimcli.session.command import argument, plain_command
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcli.shell.installation import install_hint
from zimcore.documents.storage import NewGameAnswer
from zimcore.game import GameError, NotationError
from zimcore.games.registry import BUILT_IN

TEMPLATES_FOLDER = Path(__file__).parents[1] / "new_game"
FILES_BY_TEMPLATE = {
    "game.py.txt": "{name}.py",
    "test_game.py.txt": "test_{name}.py",
    "pyproject.toml.txt": "pyproject.toml",
    "README.md.txt": "README.md",
}
"""The file that each template becomes."""
CARD_TEMPLATES = {
    "game.py.txt": "cards.py.txt",
    "test_game.py.txt": "test_cards.py.txt",
    "README.md.txt": "README_cards.md.txt",
}
"""The templates that a game of cards has instead of others."""
NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,29}")


@plain_command(__doc__)
@argument("name", type=OutputFile("package", to_show=True))
@click.option("--cards", "has_cards", is_flag=True, help="Begin with a game of cards.")
def command(session: Session, name: FileToWrite, has_cards: bool) -> NewGameAnswer:
    """Creates the folder. Raises `GameError` if it exists, `NotationError` for a name that no module can have."""
    module_name = name.typed
    check_name(module_name, {*session.kinds, *BUILT_IN})
    try:
        name.make_folder(is_new=True)
    except FileExistsError:
        reason = "a game gets a new folder, so that nothing is overwritten"
        raise GameError(f"{name.path} exists already", reason, [f"new-game {module_name}_2"]) from None
    title = module_name.replace("_", " ").strip().title()
    for template, file in FILES_BY_TEMPLATE.items():
        template = CARD_TEMPLATES.get(template, template) if has_cards else template
        text = Template((TEMPLATES_FOLDER / template).read_text("utf-8")).safe_substitute(name=module_name, title=title)
        name.inside(file.format(name=module_name)).write([text.encode()])
    files = tuple(file.format(name=module_name) for file in FILES_BY_TEMPLATE.values())
    return NewGameAnswer(module_name, title, name.path, files, install_hint(f"pip install --editable ./{module_name}"))


def check_name(name: str, used_names: set[str]) -> None:
    """Raises `NotationError` for a name that can't be a module's, or is already the name of a module or a game.

    >>> check_name("go-fish", set())
    Traceback (most recent call last):
    zimcore.game.NotationError: go-fish: a game's name is also its module's: lower case letters, digits and underscores
    """
    identifier = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")[:25] or "pebbles"
    hints = [
        f"new-game {identifier}"
        if NAME_PATTERN.fullmatch(identifier) and not is_taken(identifier, used_names)
        else f"new-game my_{identifier}"
    ]
    if not NAME_PATTERN.fullmatch(name):
        reason = "a game's name is also its module's: lower case letters, digits and underscores"
        raise NotationError(name, f"{reason}, 30 at most" if len(name) > 30 else reason, hints)
    if is_taken(name, used_names):
        raise NotationError(name, "a game or a module of Python has this name already", hints)


def is_taken(name: str, game_names: set[str]) -> bool:
    """Whether a word of Python, a game or an installed module has this name."""
    if iskeyword(name) or name in game_names or name in sys.stdlib_module_names:
        return True
    module_spec = find_spec(name)
    # Python finds each folder in the current one, too: a folder that is no package has no origin.
    return module_spec is not None and module_spec.origin is not None
