"""Every document has the shape that is promised, and the promises are written down in docs/schema.json."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import Result

from tests.cli.conftest import Zim
from tests.cli.test_answers import GAME, QUESTIONS
from zimcli.shapes import ANSWERS, Error, schema

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", [name for name, words in QUESTIONS.items() if words[0] in ANSWERS])
def test_an_answer_has_its_shape(zim: Zim, script: Callable[..., Result], name: str) -> None:
    assert script(*GAME).exit_code == 0
    words = QUESTIONS[name]
    msgspec.json.decode(zim(*words, "--json").stdout, type=ANSWERS[words[0]])


def test_an_error_has_its_shape(zim: Zim) -> None:
    answer = zim("--json", "log", "nothing")
    assert answer.stdout == ""
    assert msgspec.json.decode(answer.stderr, type=Error).error.code == 2


def test_every_shape_was_held_against_an_answer() -> None:
    assert set(ANSWERS) - {words[0] for words in QUESTIONS.values()} <= {"replay"}


def test_the_schema_is_written_down() -> None:
    written = json.loads((ROOT / "docs" / "schema.json").read_text("utf-8"))
    assert written == json.loads(msgspec.json.encode(schema())), "zim schema > docs/schema.json"
