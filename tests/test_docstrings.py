"""A docstring names what is there: `` `name` `` is in the code below it, or is defined somewhere in the project.

After a rename the old name often stays in the docstring. A text that is not a name, such as an example, is written with
quotes: `"friday-2"`.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from zimcli.shell.registry import ENTRIES_BY_NAME

ROOT = Path(__file__).parent.parent
PACKAGES = ("event_store", "zimcore", "zimcli")
QUOTED_NAME = re.compile(r"(?<!`)``?([a-z_]+)``?(?!`)")
DOCTEST = re.compile(r"(?m)^\s*(>>>|\.\.\.).*$")
DATA_WORD = re.compile(r'(?m)^(\w+) =|"(\w+)"')
NAMES_KNOWN_EVERYWHERE = frozenset({*keyword.kwlist, *dir(builtins), *sys.stdlib_module_names, *ENTRIES_BY_NAME})
"""Names that need no definition: of Python, and of commands."""


class DocumentedObject(NamedTuple):
    """A function or class with its docstring."""

    line: int
    name: str
    docstring: str


def documented_objects(tree: ast.Module) -> Iterator[DocumentedObject]:
    """The functions of a module, and its classes that are no mere data: a value of a field is often quoted there."""
    for node in ast.walk(tree):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        is_class = isinstance(node, ast.ClassDef) and any(
            isinstance(statement, ast.FunctionDef) and statement.name == "__init__" for statement in node.body
        )
        if (is_function or is_class) and (docstring := ast.get_docstring(node)):  # type: ignore[arg-type]
            yield DocumentedObject(node.lineno, node.name, docstring)  # type: ignore[attr-defined]


def definitions(tree: ast.Module) -> Iterator[str]:
    """The functions, classes and fields that a module defines, and the options of its classes (`frozen`)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (each.arg for each in node.keywords if each.arg)
            fields = (each.target for each in node.body if isinstance(each, ast.AnnAssign))
            yield from (field.id for field in fields if isinstance(field, ast.Name))


def words_in_code(tree: ast.Module) -> Iterator[str]:
    """All names in the code of a module, those that it imports, and the words in its strings, but not docstrings."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname", "module", "value"):
            if isinstance(text := getattr(node, field, None), str) and id(node) not in docstrings:
                yield from re.findall(r"\w+", text)


def words_in_data(folder: Path) -> Iterator[str]:
    """The keys and texts in the data of games, such as the names of cards."""
    for path in (*folder.rglob("*.json"), *folder.rglob("*.toml")):
        yield from (key or text for key, text in DATA_WORD.findall(path.read_text("utf-8")))


def stale_names(folder: Path, *packages: str) -> list[str]:
    """The quoted names that neither the module nor a definition in the packages has."""
    sources = [path for package in packages for path in sorted((folder / package).rglob("*.py"))]
    trees = {path.relative_to(folder): ast.parse(path.read_text("utf-8")) for path in sources}
    known_names = {
        *NAMES_KNOWN_EVERYWHERE,
        *words_in_data(folder / "zimcore"),
        *(part for path in trees for part in path.parts),
    }
    known_names.update(path.stem for path in trees)
    known_names.update(name for tree in trees.values() for name in definitions(tree))
    stale_lines = list[str]()
    for path, tree in trees.items():
        known_names_here = known_names.union(words_in_code(tree))
        for line, name, docstring in documented_objects(tree):
            for quoted_name in QUOTED_NAME.findall(DOCTEST.sub("", docstring)):
                if quoted_name not in known_names_here:
                    stale_lines.append(f"{path}:{line} {name}: `{quoted_name}`")
    return stale_lines


def test_docstrings_name_what_is_there() -> None:
    assert stale_names(ROOT, *PACKAGES) == []


@pytest.mark.parametrize(
    ("docstring", "expected_lines"),
    [
        ('Draws `square`, as `there` and `other` do; `None`, `undo` and `"friday"` are known.', []),
        ("Draws `framed` squares.", ["package/module.py:2 draw: `framed`"]),
        ("Draws ``framed`` squares.", ["package/module.py:2 draw: `framed`"]),
        ("Draws it.\n\n    >>> framed\n    ", []),
    ],
)
def test_an_old_name_in_a_docstring_is_found(tmp_path: Path, docstring: str, expected_lines: list[str]) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "other.py").write_text("")
    (tmp_path / "package" / "module.py").write_text(
        f'class Board:\n    def draw(self, square):\n        """{docstring}"""\n        return "is there"\n'
    )
    assert stale_names(tmp_path, "package") == expected_lines
