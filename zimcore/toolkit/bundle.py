"""A game as a bundle of parts: modules of its package, imported when they are first asked for, or made from fields."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from zimcore.game import (
    Art,
    Chances,
    Display,
    Encoding,
    Evolution,
    Notation,
    Orders,
    Questions,
    Rules,
    Secrets,
    Strategy,
    Texts,
)


class Bundle:
    """A game by its package (or by its only module): what it is called, and its parts.

    The part `rules` is the module `rules` of the package where there is one, and else what the package itself says of
    rules. Members that it does not have are those of the toolkit, made from the fields of commands, facts and state;
    each can be overruled by itself. A part that is a module is complete, and needs no toolkit: mypy compares those of
    our games with the protocols in `tests/test_contract.py`.
    """

    def __init__(self, package: str, name: str, title: str, version: str) -> None:
        self.package = package
        self.name = name
        self.title = title
        self.version = version

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    def __reduce__(self) -> tuple[type[Bundle], tuple[str, str, str, str]]:
        """Its parts are modules, which another process imports for itself."""
        return Bundle, (self.package, self.name, self.title, self.version)

    @cached_property
    def evolution(self) -> Evolution:
        """What a state is, and how events change it."""
        return cast("Evolution", self._part("evolution"))

    @cached_property
    def rules(self) -> Rules:
        """What may be played, and what follows."""
        return cast("Rules", self._part("rules"))

    @cached_property
    def notation(self) -> Notation:
        """Commands and events as text."""
        return cast("Notation", self._part("notation"))

    @cached_property
    def display(self) -> Display:
        """Positions as they are shown."""
        return cast("Display", self._part("display"))

    @cached_property
    def questions(self) -> Questions:
        """What can be asked."""
        return cast("Questions", self._part("questions"))

    @cached_property
    def secrets(self) -> Secrets | None:
        """Who may know what; None where everybody sees everything."""
        there = self.has("secrets") or hasattr(import_module(self.package), "SECRETS")
        return cast("Secrets", self._part("secrets")) if there else None

    @cached_property
    def orders(self) -> Orders:
        """What can be ordered ahead."""
        return cast("Orders", self._part("orders"))

    @cached_property
    def texts(self) -> Texts:
        """What there is to read."""
        return cast("Texts", self._part("texts"))

    @cached_property
    def art(self) -> Art | None:
        """How its pieces look in a picture; None where their letters have to do."""
        return cast("Art", self._part("art")) if self.has("art") else None

    @cached_property
    def strategy(self) -> Strategy | None:
        """What a program has to know to play well; None where it can only play at random."""
        return cast("Strategy", self._part("strategy")) if self.has("strategy") else None

    @cached_property
    def chances(self) -> Chances | None:
        """The features of a seat's chance to win; None for a game without a model."""
        return cast("Chances", self._part("chances")) if self.has("chances") else None

    @cached_property
    def encoding(self) -> Encoding | None:
        """Positions and commands as numbers; None for a game without an encoding."""
        return cast("Encoding", self._part("encoding")) if self.has("encoding") else None

    def has(self, part: str) -> bool:
        """Whether a part is a module of the package."""
        package = import_module(self.package)
        return hasattr(package, "__path__") and find_spec(f"{self.package}.{part}") is not None

    def _part(self, part: str) -> Any:
        if self.has(part):
            return import_module(f"{self.package}.{part}")
        from zimcore.toolkit.defaults import make_part

        return make_part(part, self, self.package)
