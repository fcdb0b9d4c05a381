"""A game as a bundle of parts, which are modules of its package, imported at first use, or made by the toolkit."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from zimcore.game import (
    Art,
    Chances,
    Display,
    Encoding,
    Evolution,
    Notation,
    Orders,
    Questions,
    Recordings,
    Rules,
    Secrets,
    Strategy,
    Texts,
)

if TYPE_CHECKING:
    from zimcore.toolkit.monte_carlo import Playouts


class Bundle:
    """A game: its package (or only module), name, title, version and parts.

    The part `rules` is the module `rules` of the package if there is one. Otherwise the toolkit makes it: members that
    the package defines are taken from there, and the rest is derived from the fields of commands, events and state. A
    part that is a module must be complete; `tests/test_game_contract.py` has mypy compare those of our games with the
    protocols.
    """

    def __init__(self, package: str, name: str, title: str, version: str) -> None:
        self.package = package
        self.name = name
        self.title = title
        self.version = version

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    def __reduce__(self) -> tuple[type[Bundle], tuple[str, str, str, str]]:
        """A pickle has no parts: another process imports them itself."""
        return Bundle, (self.package, self.name, self.title, self.version)

    @cached_property
    def evolution(self) -> Evolution:
        """The states of the game, and how events change them."""
        return cast("Evolution", self._part("evolution"))

    @cached_property
    def rules(self) -> Rules:
        """Which commands are legal, and the events that follow from them."""
        return cast("Rules", self._part("rules"))

    @cached_property
    def notation(self) -> Notation:
        """Commands and events as text."""
        return cast("Notation", self._part("notation"))

    @cached_property
    def display(self) -> Display:
        """How positions are shown."""
        return cast("Display", self._part("display"))

    @cached_property
    def questions(self) -> Questions:
        """The questions that the game answers."""
        return cast("Questions", self._part("questions"))

    @cached_property
    def secrets(self) -> Secrets | None:
        """What each seat may know; None if nothing is hidden."""
        has_secrets = self.has("secrets") or hasattr(import_module(self.package), "SECRETS")
        return cast("Secrets", self._part("secrets")) if has_secrets else None

    @cached_property
    def orders(self) -> Orders:
        """The standing orders that the game adds."""
        return cast("Orders", self._part("orders"))

    @cached_property
    def texts(self) -> Texts:
        """The rules, the demonstration and the tutorial as texts."""
        return cast("Texts", self._part("texts"))

    @cached_property
    def art(self) -> Art | None:
        """How its pieces look in a picture; None if letters are enough."""
        return cast("Art", self._part("art")) if self.has("art") else None

    @cached_property
    def strategy(self) -> Strategy | None:
        """What a bot needs in order to play well; without a module of its own, random playouts."""
        if self.has("strategy"):
            return cast("Strategy", self._part("strategy"))
        from zimcore.toolkit.monte_carlo import MonteCarloStrategy

        return MonteCarloStrategy(self._playouts)

    @cached_property
    def _playouts(self) -> Playouts:
        """Random playouts, for both parts that can be made from them, with what `zim learn` has found."""
        from zimcore.toolkit.learned import load_learned_model
        from zimcore.toolkit.monte_carlo import Playouts

        return Playouts(self, load_learned_model(self))

    @cached_property
    def chances(self) -> Chances | None:
        """The features of a seat's chance to win; without a module of its own, random playouts."""
        if self.has("chances"):
            return cast("Chances", self._part("chances"))
        from zimcore.toolkit.monte_carlo import PlayoutChances

        return PlayoutChances(self._playouts)

    @cached_property
    def encoding(self) -> Encoding | None:
        """Positions and commands as numbers; without a module of its own, made from the fields."""
        if self.has("encoding"):
            return cast("Encoding", self._part("encoding"))
        from zimcore.toolkit.encoding import FieldEncoding

        return FieldEncoding(self)

    @cached_property
    def recordings(self) -> Recordings | None:
        """Reads what other programs have recorded; None without a module for it."""
        return cast("Recordings", self._part("recordings")) if self.has("recordings") else None

    def has(self, part: str) -> bool:
        """Whether a part is a module of the package."""
        package = import_module(self.package)
        return hasattr(package, "__path__") and find_spec(f"{self.package}.{part}") is not None

    def _part(self, part: str) -> Any:
        if self.has(part):
            return import_module(f"{self.package}.{part}")
        from zimcore.toolkit.defaults import make_part

        return make_part(part, self, self.package)
