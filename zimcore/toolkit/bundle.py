"""A game whose parts are modules of its package, each imported when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from zimcore.game import Display, Evolution, Notation, Questions, Rules, Secrets, Texts


class Bundle:
    """A game by its package: the part `rules` is the module `rules` in it, and so on.

    A module fulfils the protocol of its part: mypy compares them in `tests/test_contract.py`.
    """

    def __init__(self, package: str, name: str, title: str, version: str) -> None:
        self.package = package
        self.name = name
        self.title = title
        self.version = version

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    @cached_property
    def evolution(self) -> Evolution:
        """What a state is, and how events change it."""
        return cast("Evolution", self._module("evolution"))

    @cached_property
    def rules(self) -> Rules:
        """What may be played, and what follows."""
        return cast("Rules", self._module("rules"))

    @cached_property
    def notation(self) -> Notation:
        """Commands and events as text."""
        return cast("Notation", self._module("notation"))

    @cached_property
    def display(self) -> Display:
        """Positions as they are shown."""
        return cast("Display", self._module("display"))

    @cached_property
    def questions(self) -> Questions:
        """What can be asked."""
        return cast("Questions", self._module("questions"))

    @cached_property
    def secrets(self) -> Secrets | None:
        """Who may know what; None where everybody sees everything."""
        known = find_spec(f"{self.package}.secrets")
        return cast("Secrets", self._module("secrets")) if known else None

    @cached_property
    def texts(self) -> Texts:
        """What there is to read."""
        return cast("Texts", self._module("texts"))

    def _module(self, part: str) -> object:
        return import_module(f"{self.package}.{part}")
