"""Every hint in the source of the program can be typed.

What begins with a command is read by that command, with its options; what begins with an option has one of that name;
what installs an extra names one. The rest are moves and names that stand where the mistake stood.
"""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from zimcli.errors import in_the_shell
from zimcli.main import cli
from zimcli.program_name import program
from zimcli.registry import BY_NAME

ROOT = Path(__file__).parent.parent.parent
ERRORS = re.compile(r"(Error|Refused|[Pp]roblem|answer_is_no)$")
HOLES = ("1", "kilwa-7", "kilwa", "dark")
"""What may stand in the place of a placeholder of a hint; one of them has to work."""
OPTIONS = {option for name in BY_NAME for each in BY_NAME[name].load().params for option in each.opts} | {
    option for each in cli.params for option in each.opts
}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


class Hint(NamedTuple):
    """A hint in the source: its text, each hole of which is `{}`, and where it stands."""

    text: str
    where: str


def hints() -> Iterator[Hint]:
    """All texts among the hints of all errors."""
    for room in ("zimcli", "zimcore", "event_store"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                for listed in hints_in(node):
                    for text in texts(listed):
                        yield Hint(text, f"{path.relative_to(ROOT)}:{listed.lineno}")


def hints_in(node: ast.AST) -> Iterator[ast.expr]:
    """Where a node has hints: in an error that is made, or in what is kept under that name."""
    if isinstance(node, ast.Call) and ERRORS.search(ast.unparse(node.func)):
        yield from (each for each in node.args[2:] if not isinstance(each, ast.Constant))
        yield from (each.value for each in node.keywords if each.arg == "hints")
    if isinstance(node, ast.Assign):
        names, values = several(node.targets[0]), several(node.value)
        pairs = zip(names, values, strict=True) if len(names) == len(values) else [(node.targets[0], node.value)]
        yield from (value for name, value in pairs if "hint" in ast.unparse(name).lower())


def several(node: ast.expr) -> list[ast.expr]:
    """The parts of a tuple, or the one expression that there is."""
    return node.elts if isinstance(node, ast.Tuple) else [node]


def texts(node: ast.expr) -> Iterator[str]:
    """The texts in an expression, each hole as `{}`; what is asked for or looked up in it is none."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in values)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for each in parts:
                yield from texts(each)
        case ast.IfExp(body=one, orelse=other):
            yield from (*texts(one), *texts(other))
        case ast.BoolOp(values=parts):
            for each in parts:
                yield from texts(each)
        case ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner) | ast.Starred(value=inner):
            yield from texts(inner)
        case ast.BinOp(left=one, right=other):
            yield from (*texts(one), *texts(other))


FOUND = sorted({hint.text: hint for hint in hints()}.values())


def faults(text: str, file: Path) -> str:
    """What is wrong with a hint; "" if it can be typed."""
    if extra := re.search(r"great-zim\[(.*?)\]", text):
        return "" if extra[1] in EXTRAS else f"there is no extra {extra[1]}"
    if text.startswith("--"):
        option = re.split("[ =]", text)[0]
        return "" if option in OPTIONS or "{" in option else f"no command has {option}"
    if text.startswith("ask the "):
        return "in a shell it becomes a command: it is a sentence, and `ask` asks a game"
    problem = ""
    for words in commands(text, file):
        try:
            BY_NAME[words[0]].load().make_context(words[0], words[1:])
        except click.ClickException as error:
            problem = error.format_message()
        else:
            return ""
    return problem


def commands(text: str, file: Path) -> list[list[str]]:
    """The words of a command of zim that a hint proposes, for each of `HOLES`; [] for any other text."""
    proposals = []
    for hole in HOLES:
        typed = text.replace("{}", hole).replace("FILE", str(file)).replace("NUMBER", "1")
        typed = in_the_shell(typed, "kilwa-7").removeprefix(f"{program()} ").removeprefix("zim ")
        if typed.split()[:1] and typed.split()[0] not in {*BY_NAME, "--store"}:
            return []  # a sentence, which may have an apostrophe, or a command of another program
        words = [word for word in shlex.split(typed) if word != "..."]
        if words[:1] == ["--store"]:
            words = words[2:]
        if not words or words[0] not in BY_NAME or words[-1] == "--help":
            return []
        proposals.append(words)
    return proposals


def test_there_are_hints() -> None:
    assert len(FOUND) > 200
    assert {"join LINK", "seats {}", "pip install 'great-zim[server]'"} <= {hint.text for hint in FOUND}


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
    assert faults(text, tmp_path)


def test_every_hint_can_be_typed(tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    wrong = [f"{hint.where}: {hint.text}: {fault}" for hint in FOUND if (fault := faults(hint.text, file))]
    assert wrong == []
