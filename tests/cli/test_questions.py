"""`help questions`, and the questions that are options of `hint`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from tests.predictable_salts import salt_maker
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.question_help import QUESTIONS
from zimcli.session.session import Session
from zimcli.shell.registry import ENTRIES_BY_NAME, FREQUENT_COMMANDS, HINT_QUESTIONS, SUBCOMMANDS
from zimcore.service import GameService

Zim = Callable[..., Result]
ASKED_ELSEWHERE = {
    **dict.fromkeys(("amend", "compare", "whatif"), "needs a move or a line of one's own"),
    **dict.fromkeys(("audit", "witness", "check", "practise", "arena"), "needs a file, a game or bots that play on"),
    **dict.fromkeys(("hint", "analyse"), "takes long; see test_hint.py"),
    **dict.fromkeys(("seats", "orders"), "needs a server, or a seat"),
}
"""Commands of the page that are not typed alone at a prompt in this test, and why."""
LINES = [typed_text for rows in QUESTIONS.values() for typed_text in rows]


@pytest.fixture
def zim_with_match() -> Iterator[Zim]:
    """`zim` on a store in memory, with a match of The Great Zimbabwe in which Kilwa bids."""
    with EventStore.open("memory:", salt_maker()) as store:
        service = GameService(store)

        def run_zim(*words: str, stdin: str = "") -> Result:
            session = Session(Output(), by="anna", service=service)
            return CliRunner().invoke(cli, words, obj=session, prog_name="zim", input=stdin)

        assert run_zim("new", "k", "players=2", "seed=1").exit_code == 0
        assert run_zim("do", "k", "start c1", "start f1").exit_code == 0
        yield run_zim


@pytest.mark.parametrize("line", LINES)
def test_each_line_of_the_page_is_a_command_and_most_answer_as_they_stand(zim_with_match: Zim, line: str) -> None:
    word, _, rest = line.partition(" ")
    assert word in ENTRIES_BY_NAME
    if word in ASKED_ELSEWHERE and not rest:
        return
    setting = "bid 1\npass\n" * (word in ("reach", "explain", "legal") or "--advice" in line)
    result = zim_with_match("run", "-", stdin=f"switch k\n{setting}{line}\n")
    assert result.exit_code in (0, 1), result.output
    assert "not understood" not in result.stderr
    assert "error" not in result.stderr


def test_the_page_answers_the_confusing_pairs_of_commands(zim_with_match: Zim) -> None:
    page = zim_with_match("help", "questions").stdout
    words = [
        *("seat", "seats", "order", "orders", "check", "verify", "audit", "witness", "doctor"),
        *("explain", "why", "rules", "help", "legal", "hint", "try", "whatif", "reach", "ask"),
        *(f"--{name}" for name in HINT_QUESTIONS),
    ]
    assert [word for word in words if word not in page.replace("`", " ").split()] == []


def test_help_leads_to_the_page_and_shows_about_twenty_commands(zim_with_match: Zim) -> None:
    assert "help questions" in zim_with_match("help").stdout
    assert len([name for names in FREQUENT_COMMANDS.values() for name in names]) <= 24
    assert "help questions" in zim_with_match("help", "questoins").stderr
    assert set(SUBCOMMANDS) == {"request", "room", "sign", "dev"}


WORDS_BY_QUESTION: Mapping[str, tuple[str, ...]] = {"advice": ("bid",), "preview": ("bid", "1"), "plan": ("kilwa",)}


@pytest.mark.parametrize("name", HINT_QUESTIONS)
def test_an_option_of_hint_answers_as_the_command_did(zim_with_match: Zim, name: str) -> None:
    def answer(*words: str) -> Mapping[str, Any]:
        document: dict[str, Any] = json.loads(zim_with_match(*words, "--json").stdout)
        return {key: value for key, value in document.items() if key != "command"}

    words = WORDS_BY_QUESTION[name]
    assert answer("hint", "k", f"--{name}", *words) == answer(name, "k", *words)
    request = json.dumps({"hint": {"place": "k", name: True, "words": list(words)}})
    piped = json.loads(zim_with_match("pipe", stdin=request + "\n").stdout)
    assert {key: piped["answer"][key] for key in answer(name, "k", *words)} == answer(name, "k", *words)


@pytest.mark.parametrize("name", HINT_QUESTIONS)
def test_an_old_name_says_the_new_one(zim_with_match: Zim, name: str) -> None:
    assert f"zim hint PLACE --{name}" in zim_with_match(name, "--help").stdout


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("craft",), "zim hint k --advice craft"),
        (("--plan", "--nodes", "3"), "zim hint k --plan"),
        (("--plan", "--advice"), "zim hint k --advice"),
        (("--plan", "--most", "2"), "zim hint k --plan"),
        (("--most", "7"), "zim hint k --most 5"),
    ],
)
def test_options_of_hint_that_do_not_go_together_say_what_does(
    zim_with_match: Zim, words: tuple[str, ...], hint: str
) -> None:
    result = zim_with_match("hint", "k", *words)
    assert result.exit_code == 2
    assert hint in result.stderr
