"""Every hint in the source of the program can be typed.

A hint that begins with a command is parsed by that command; one that begins with an option names an existing option;
one that installs an extra names an existing extra. All others are moves and names that replace the mistake.
"""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from zimcli.main import cli
from zimcli.output.errors import shell_hint
from zimcli.shell.program_name import program_name
from zimcli.shell.registry import ENTRIES_BY_NAME

ROOT = Path(__file__).parent.parent.parent
ERROR_NAMES = re.compile(r"(Error|Refused|[Pp]roblem)$")
PLACEHOLDER_VALUES = ("1", "kilwa-7", "kilwa", "dark")
"""Values for the holes of a hint; one of them has to work."""
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


class Hint(NamedTuple):
    """A hint in the source: its text with `{}` for each hole, and its file and line."""

    text: str
    place: str


def find_hints() -> Iterator[Hint]:
    """All hints of all errors in the source."""
    for package in ("zimcli", "zimcore", "event_store"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                for expression in hint_expressions(node):
                    for text in literal_texts(expression):
                        yield Hint(text, f"{path.relative_to(ROOT)}:{expression.lineno}")


def hint_expressions(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions of a node that are hints: arguments of an error, or values of a name with `hint` in it."""
    if isinstance(node, ast.Call) and ERROR_NAMES.search(ast.unparse(node.func)):
        yield from (argument for argument in node.args[2:] if not isinstance(argument, ast.Constant))
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "hints")
    if isinstance(node, ast.Assign):
        targets, values = tuple_parts(node.targets[0]), tuple_parts(node.value)
        pairs = zip(targets, values, strict=True) if len(targets) == len(values) else [(node.targets[0], node.value)]
        yield from (value for target, value in pairs if "hint" in ast.unparse(target).lower())


def tuple_parts(node: ast.expr) -> list[ast.expr]:
    """The parts of a tuple; [node] for any other expression."""
    return node.elts if isinstance(node, ast.Tuple) else [node]


def literal_texts(node: ast.expr) -> Iterator[str]:
    """The literal texts in an expression, with `{}` for each hole. Calls and look-ups give none."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in values)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from literal_texts(part)
        case ast.IfExp(body=choice, orelse=alternative):
            yield from (*literal_texts(choice), *literal_texts(alternative))
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from literal_texts(part)
        case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part) | ast.Starred(value=part):
            yield from literal_texts(part)
        case ast.BinOp(left=left_part, right=right_part):
            yield from (*literal_texts(left_part), *literal_texts(right_part))


@cache
def all_hints() -> list[Hint]:
    """The hints of the source, each text once. It takes a second to read them."""
    return sorted({hint.text: hint for hint in find_hints()}.values())


@cache
def all_options() -> set[str]:
    """The options of zim and of each command."""
    commands = [cli, *(entry.load_command() for entry in ENTRIES_BY_NAME.values())]
    return {option for command in commands for parameter in command.params for option in parameter.opts}


def hint_fault(text: str, file: Path) -> str:
    """What is wrong with a hint; "" if it can be typed."""
    if extra_match := re.search(r"great-zim\[(.*?)\]", text):
        return "" if extra_match[1] in EXTRAS else f"there is no extra {extra_match[1]}"
    if text.startswith("--"):
        option = re.split("[ =]", text)[0]
        return "" if option in all_options() or "{" in option else f"no command has {option}"
    if text.startswith("ask the "):
        return "in a shell it becomes a command: it is a sentence, and `ask` asks a game"
    fault = ""
    for words in proposed_commands(text, file):
        try:
            ENTRIES_BY_NAME[words[0]].load_command().make_context(words[0], words[1:])
        except click.ClickException as error:
            fault = error.format_message()
        else:
            return ""
    return fault


def proposed_commands(text: str, file: Path) -> list[list[str]]:
    """The words of a command of zim that a hint proposes, for each of `PLACEHOLDER_VALUES`; [] for any other text."""
    proposals = []
    for placeholder_value in PLACEHOLDER_VALUES:
        command_line = text.replace("{}", placeholder_value).replace("FILE", str(file)).replace("NUMBER", "1")
        command_line = shell_hint(command_line, "kilwa-7").removeprefix(f"{program_name()} ").removeprefix("zim ")
        if command_line.split()[:1] and command_line.split()[0] not in {*ENTRIES_BY_NAME, "--store"}:
            return []  # a sentence, which may have an apostrophe, or a command of another program
        words = [word for word in shlex.split(command_line) if word != "..."]
        if words[:1] == ["--store"]:
            words = words[2:]
        if not words or words[0] not in ENTRIES_BY_NAME or words[-1] == "--help":
            return []
        proposals.append(words)
    return proposals


def test_the_hints_of_the_source_are_found() -> None:
    assert len(all_hints()) > 200
    assert {"join LINK", "seats {}", "pip install --upgrade great-zim"} <= {hint.text for hint in all_hints()}


@pytest.mark.parametrize(
    "text",
    [
        "archive {} --bak",
        "serve tokn",
        "say",
        "import into an empty store",
        "--everything",
        "pip install 'great-zim[serve]'",
    ],
)
def test_a_hint_that_can_not_be_typed_is_found(text: str, tmp_path: Path) -> None:
    assert hint_fault(text, tmp_path)


def test_every_hint_can_be_typed(tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    faults = [f"{hint.place}: {hint.text}: {fault}" for hint in all_hints() if (fault := hint_fault(hint.text, file))]
    assert faults == []
