"""Renders answers as text. Only the modules of this package know how an answer looks.

The module `look` here renders the answers of `zimcore.documents.look`, and so on. A feature renders its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from zimcli.render.spans import Block, Note, Screen
from zimcore.documents.positions import Answer

Renderers: TypeAlias = Mapping[type[Answer], Callable[[Any, Screen], Iterator[Block]]]
"""The rendering function for each type of answer; a test checks that every answer has one."""


def renderers(name: str) -> Renderers:
    """The rendering functions in a module. Imports only that one."""
    renderers_found: Renderers = import_module(name).RENDERERS
    return renderers_found


def blocks(answer: Answer, screen: Screen) -> Iterator[Block]:
    """The lines and tables of an answer."""
    kind = type(answer)
    return renderers(rendering_module(kind.__module__))[kind](answer, screen)


def rendering_module(documents_module: str) -> str:
    """The module that renders the documents of a module.

    >>> rendering_module("zimcore.documents.look"), rendering_module("zimcore.features.votes.documents")
    ('zimcli.render.answers.look', 'zimcli.features.votes')
    """
    package, _, name = documents_module.rpartition(".")
    return f"{__name__}.{name}" if package == "zimcore.documents" else package.replace("zimcore", "zimcli", 1)


def written_files(files: Iterable[str]) -> Iterator[Block]:
    """The files that were written. If one of them is stdout, nothing else may be printed there."""
    for file in files:
        yield Note(f"written: {file}") if file == "-" else [(f"written: {file}", "")]
