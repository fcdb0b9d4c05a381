"""Long inputs by each door: twice as much takes at most about twice as many steps, or is refused before it is read."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim
from zimcli.output.errors import MAX_REPEATED_WORDS, with_command_lines
from zimcli.shell.exit_codes import NOT_UNDERSTOOD
from zimcore.documents.problems import Problem
from zimcore.game import NotationError
from zimcore.games import zimbabwe
from zimcore.service import GameService
from zimcore.service.records.deciding import MAX_COMMAND_CHARACTERS, read_command
from zimcore.toolkit.toml import MAX_CHARACTERS, NO_KEY, read_toml

SIZE = 300
MAX_GROWTH, SPARE_STEPS = 2.3, 20_000
"""The most steps for an input of twice the size: so many times as many, and some more, as from a cache."""
MAX_STEPS = 5_000_000

SHELL_INPUTS: dict[str, Callable[[int], list[str]]] = {
    "explain words": lambda n: ["explain", "k", *["pass"] * n],
    "explain commands": lambda n: ["explain", "k", "; ".join(["start g7"] * n)],
    "explain squares": lambda n: ["explain", "k", "craft potter " + " ".join(["d4"] * n)],
    "explain monuments": lambda n: ["explain", "k", "raise c3; " + "; ".join(["e5"] * n)],
    "do commands": lambda n: ["do", "k", "; ".join(["start x9"] * n)],
    "do words": lambda n: ["do", "k", *["start x9"] * n],
    "try commands": lambda n: ["try", "k", "; ".join(["start x9"] * n)],
    "amend": lambda n: ["amend", "k@0", "; ".join(["pass"] * n)],
    "order": lambda n: ["order", "k", "; ".join(["pass"] * n), "--as", "kilwa"],
    "whatif": lambda n: ["whatif", "k", *["pass"] * n],
    "legal": lambda n: ["legal", "k", *["start"] * n],
    "preview": lambda n: ["preview", "k", *["start"] * n],
    "plan": lambda n: ["plan", "k", *["a1"] * n],
    "reach": lambda n: ["reach", "k", *["a1"] * n],
    "board": lambda n: ["board", "k", *["a1"] * n],
    "ask": lambda n: ["ask", "k", *["cards"] * n],
    "sum": lambda n: ["expect", "k", "+".join(["1"] * n)],
    "brackets": lambda n: ["expect", "k", "(" * n + "1" + ")" * n],
    "nots": lambda n: ["expect", "k", "not " * n + "1"],
    "ands": lambda n: ["expect", "k", " and ".join(["round > 0"] * n)],
    "dots": lambda n: ["why", "k", ".".join(["kilwa"] * n)],
    "comparisons": lambda n: ["bisect", "k", " < ".join(["1"] * n)],
    "positions": lambda n: ["expect", "k", "round" + "@r1" * n],
    "where": lambda n: ["log", "k", *["--where", "round > 0"] * n],
    "place": lambda n: ["show", "k@" + "-" * n],
    "range": lambda n: ["pick", "k", "k@1" + "..2" * n],
    "options": lambda n: ["new", "n", *(f"o{number}=1" for number in range(n))],
    "seed": lambda n: ["new", "n", "seed=" + "9" * n],
    "gods": lambda n: ["new", "n", "gods=" + ",".join(["shaka"] * n)],
    "rules": lambda n: ["rules", *["x"] * n],
    "command": lambda n: ["x" * n],
    "fields": lambda n: ["log", "k", "--fields", ",".join(["text"] * n)],
}
STDIN_INPUTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "script of tries": ("run", lambda n: "play k\ntry " + "; ".join(["start x9"] * n)),
    "script of monuments": ("run", lambda n: "play k\nraise c3; " + "; ".join(["e5"] * n)),
    "script of quotes": ("run", lambda n: "play k\nsay " + "\"'" * n),
    "script of variables": ("run", lambda n: "\n".join(f"$v{number} = 1" for number in range(n))),
    "pipe of keys": ("pipe", lambda n: json.dumps({f"k{number}": 1 for number in range(n)})),
    "pipe of parameters": ("pipe", lambda n: json.dumps({"log": {f"k{number}": 1 for number in range(n)}})),
    "pipe of brackets": ("pipe", lambda n: '{"log":' + "[" * n),
    "pipe of commands": ("pipe", lambda n: json.dumps({"explain": "; ".join(["start g7"] * n), "place": "k"})),
    "log": ("audit", lambda n: "kilwa: " + "start g7; " * n),
}


class TooManyStepsError(Exception):
    """An input takes more steps than any may."""


def count_steps(work: Callable[[], Any]) -> int:
    """The lines of Python that some work runs."""
    steps = 0

    def trace(_: FrameType, event: str, __: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        if steps > MAX_STEPS:
            raise TooManyStepsError
        return trace

    previous_trace = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(previous_trace)
    return steps


@pytest.fixture(scope="module")
def zim() -> Iterator[Zim]:
    with EventStore.open("memory:") as store:
        run_zim = make_zim(GameService(store))
        assert run_zim("new", "k", "--game", "zimbabwe", "seed=7", "players=3").exit_code == 0
        yield run_zim


def check_growth(run: Callable[[int], object]) -> None:
    run(SIZE)  # modules are imported
    assert count_steps(lambda: run(2 * SIZE)) <= MAX_GROWTH * count_steps(lambda: run(SIZE)) + SPARE_STEPS


@pytest.mark.parametrize("make_words", SHELL_INPUTS.values(), ids=SHELL_INPUTS)
def test_a_long_command_line_takes_steps_in_proportion(zim: Zim, make_words: Callable[[int], list[str]]) -> None:
    check_growth(lambda size: zim(*make_words(size)))


@pytest.mark.parametrize(("command", "make_text"), STDIN_INPUTS.values(), ids=STDIN_INPUTS)
def test_a_long_text_on_stdin_takes_steps_in_proportion(
    zim: Zim, command: str, make_text: Callable[[int], str]
) -> None:
    words = {"run": ["run", "-"], "pipe": ["pipe"], "audit": ["audit", "-", "--game", "zimbabwe"]}[command]
    check_growth(lambda size: zim(*words, stdin=make_text(size)))


def test_steps_in_a_square_are_found() -> None:
    def square(size: int) -> None:
        for _ in range(size):
            for _ in range(size):
                pass

    with pytest.raises(AssertionError):
        check_growth(square)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a." * 50_000 + "a = 1", "a key has more than 64 parts"),
        ("[" + "a ." * 50_000 + "a]", "a key has more than 64 parts"),
        ('"$".' * 5_000 + "a = 1", "a key has more than 64 parts"),
        ('b = {a = """x"y""", ' + "a." * 5_000 + 'a = 1, c = ""}', "a key has more than 64 parts"),
        ('b = {a = """x"""", ' + "a." * 5_000 + 'a = 1, c = ""}', "a key has more than 64 parts"),
        ("b = {a = '''x'y''', " + "a." * 5_000 + "a = 1, c = ''}", "a key has more than 64 parts"),
        ('# """\n' + "a." * 5_000 + 'a = 1\n# """', "a key has more than 64 parts"),
        ("x = 1\n" * 50_000, "it has more than 262,144 characters"),
    ],
    ids=["key", "table", "quoted", "beside quotes", "after a quote", "beside single quotes", "comments", "lines"],
)
def test_a_hostile_sheet_is_refused_before_it_is_parsed(text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("it was parsed"))
    with pytest.raises(ValueError, match=why):
        read_toml(text)


def test_a_string_without_an_end_is_read_once() -> None:
    for quotes in ('"""', "'''", '"', "'"):
        assert len(NO_KEY.findall(f"a = {quotes}" + "\\x" * SIZE)) == 1


def test_a_sheet_that_is_nested_too_deep_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="its brackets are nested too deep"):
        read_toml("a = " + "[" * 5_000 + "]" * 5_000)


def test_a_sheet_may_have_many_dots_elsewhere() -> None:
    numbers = ", ".join(["1.5"] * 100)
    for quotes in ('"""', "'''"):
        text = f"{'a.' * 100}\n# x\n{'a.' * 100}"
        assert read_toml(f"a = {quotes}{text}{quotes}") == {"a": text}
    assert read_toml(f'a.b = [{numbers}]  # {"." * 100}\nc = "{"a." * 100}"')["a"]["b"] == [1.5] * 100
    assert len(read_toml("# " + "x" * (MAX_CHARACTERS - 2))) == 0


def test_a_long_command_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every door: the service reads all texts of commands with this function."""
    game, text = zimbabwe.GAME, "start g7; " * MAX_COMMAND_CHARACTERS
    monkeypatch.setattr(game.notation, "parse", lambda *_: pytest.fail("it was parsed"))
    with pytest.raises(NotationError) as error:
        read_command(game, game.evolution.initial, text)
    assert error.value.why == "it has more than 5,000 characters"
    assert len(error.value.what) < 100


def test_a_long_command_line_is_not_searched_for_what_an_error_quotes() -> None:
    problem = Problem("error", "there is no game called 'fridy'", NOT_UNDERSTOOD, (), ("friday",))
    assert with_command_lines(problem, ["do", "fridy", *["pass"] * MAX_REPEATED_WORDS]) is problem
