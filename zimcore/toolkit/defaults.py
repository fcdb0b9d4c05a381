"""Makes the parts that an author does not write; members that the author's module defines replace ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from zimcore.game import Game
from zimcore.toolkit.display import Display
from zimcore.toolkit.empty_parts import Orders, Questions, Texts
from zimcore.toolkit.evolution import Evolution
from zimcore.toolkit.notation import Notation, commands_of
from zimcore.toolkit.rules import Rules
from zimcore.toolkit.secrets import MarkedSecrets

DEFAULT_PARTS: Mapping[str, Callable[[ModuleType, Game], Any]] = {
    "evolution": lambda author_module, game: Evolution(author_module),
    "rules": lambda author_module, game: Rules(author_module, game),
    "notation": lambda author_module, game: Notation(author_module, commands_of(author_module)),
    "display": lambda author_module, game: Display(author_module, game.evolution),
    "questions": lambda author_module, game: Questions(),
    "secrets": lambda author_module, game: MarkedSecrets(
        game, author_module.SECRETS, opens_at_end=getattr(author_module, "OPENS_AT_END", True)
    ),
    "orders": lambda author_module, game: Orders(),
    "texts": lambda author_module, game: Texts(),
}


ADAPTED_MEMBERS = {"set_up", "to_move"}
"""Members that an author writes in another form than the contract's: our parts call them."""


def make_part(part: str, game: Game, package: str) -> Any:
    """A part of a game, for the author's module `package`. Raises `GameError` if something needed is missing there."""
    author_module = import_module(package)
    default_part = DEFAULT_PARTS[part](author_module, game)
    for name in (name for name in dir(default_part) if not name.startswith("_") and name not in ADAPTED_MEMBERS):
        member = vars(author_module).get(name)
        if member is not None and _is_own(member, package):
            setattr(default_part, name, member)
    return default_part


def _is_own(member: Any, package: str) -> bool:
    """Whether a member is the author's: a `copy` imported from the standard library is not the contract's `copy`."""
    module = getattr(member, "__module__", package)
    return module == package or module.startswith(f"{package}.")
