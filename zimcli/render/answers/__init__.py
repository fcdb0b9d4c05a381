"""Answers as text: the only place that knows how each is shown.

The answers of `zimcore.documents.look` are rendered by the module `look` here, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from zimcli.render.spans import Block, Screen
from zimcore.documents.positions import Answer

Renderers: TypeAlias = Mapping[type[Answer], Callable[[Any, Screen], Iterator[Block]]]
"""The rendering function for each type of answer; a test checks that every answer has one."""


def renderers(name: str) -> Renderers:
    """Those of the answers in a module of `zimcore.documents`; only that one is loaded."""
    found: Renderers = import_module(f"{__name__}.{name}").RENDERERS
    return found


def blocks(answer: Answer, screen: Screen) -> Iterator[Block]:
    """The lines and tables in which an answer is shown."""
    kind = type(answer)
    return renderers(kind.__module__.rpartition(".")[2])[kind](answer, screen)
