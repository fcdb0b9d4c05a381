"""Nothing of one game is in the platform: words of our games occur in `zimcore/games`, in tests and in docs only.

What counts is what runs: names, and texts that are shown or compared. Docstrings, comments and examples may name games,
as docs do. A few places need a word all the same, and say why.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GAME_WORDS = (
    *("zimbabwe", "mutapa", "kilwa", "zulu", "lozi", "shona", "mapungubwe", "cattle", "craftsm[ae]n", "monuments?"),
    *("ritual", "potter", "sculptor", "vp", "vr", "specialists?", "eshu", "anansi", "engai", "xango"),
    *("africana", "explorers?", "expeditions?", "equator", "silver", "atlas", "cairo", "cape_town"),
)
GAME_WORD = re.compile(rf"(?<![a-z])(?:{'|'.join(GAME_WORDS)})(?![a-z])", re.IGNORECASE)

EXAMPLE_WORDS = ("kilwa", "mutapa", "zulu", "vp", "vr", "cattle", "monument", "craftsmen", "potter", "eshu")
ALLOWED_WORDS: Mapping[str, tuple[str, ...]] = {
    # Examples in help and in hints: a reader tries them in the demonstration, and tests do.
    **dict.fromkeys(
        (
            *("zimcli/commands/audit.py", "zimcli/commands/export.py", "zimcli/commands/new.py"),
            *(
                "zimcli/commands/pipe.py",
                "zimcore/analysis/alternative_documents.py",
                "zimcli/session/expression_help.py",
                "zimcli/session/question_help.py",
                "zimcli/main.py",
            ),
            *("zimcli/session/pipe_requests.py", "zimcli/session/script.py", "zimcore/history/evaluation.py"),
            *(
                "zimcore/server/pages/lobby.py",
                "zimcore/server/pages/page_parameters.py",
            ),
            "zimcore/transcripts/own_format.py",
        ),
        EXAMPLE_WORDS,
    ),
    # A field that /v1 has promised; `points` names the figure that it counts.
    "zimcore/documents/differences.py": ("vp",),
    "zimcli/render/figures.py": ("vp",),
    # Published environments have the names of their games, and versions of their own.
    "zimcore/envs/zim_africana_v0.py": ("africana",),
    "zimcore/envs/zim_zimbabwe_v0.py": ("zimbabwe",),
}
"""The words that a file may have."""


def platform_files() -> list[str]:
    """The code of the platform."""
    files = [path for room in ("event_store", "zimcore", "zimcli") for path in (ROOT / room).rglob("*.py")]
    return sorted(name for path in files if not (name := str(path.relative_to(ROOT))).startswith("zimcore/games/"))


def running_texts(source: str) -> Iterator[tuple[int, str]]:
    """The names and texts of a module with their lines, without docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                yield node.lineno, text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                yield node.lineno, name
            case ast.ClassDef(name=name) | ast.alias(name=name) | ast.keyword(arg=str(name)):
                yield node.lineno, name


def game_words_in(source: str, allowed_words: tuple[str, ...] = ()) -> list[str]:
    """The words of games in a module, each with its line: `12: cattle`."""
    return [
        f"{line}: {word}"
        for line, text in running_texts(source)
        for word in GAME_WORD.findall(text)
        if word.lower() not in allowed_words
    ]


def test_no_word_of_a_game_runs_in_the_platform() -> None:
    sources = {path: (ROOT / path).read_text("utf-8") for path in platform_files()}
    faults = {path: game_words_in(source, ALLOWED_WORDS.get(path, ())) for path, source in sources.items()}
    assert {path: words for path, words in faults.items() if words} == {}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('MAIN = "zulu.vp"', ["1: zulu", "1: vp"]),
        ("def f():\n    '''Zulu pays.'''\n    return state.cattle", ["3: cattle"]),
        ("from x import africana_v0 as y", ["1: africana"]),
        ("f(explorer=1)", ["1: explorer"]),
        ("# zulu\nzulus = 'atlases'", []),
    ],
)
def test_a_word_of_a_game_is_found(source: str, words: list[str]) -> None:
    assert sorted(game_words_in(source)) == sorted(words)


def test_each_exception_is_needed() -> None:
    for path, allowed_words in ALLOWED_WORDS.items():
        used_words = {
            found_word.partition(": ")[2].lower() for found_word in game_words_in((ROOT / path).read_text("utf-8"))
        }
        assert used_words, path
        assert allowed_words == EXAMPLE_WORDS or used_words == {*allowed_words}, path
