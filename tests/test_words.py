"""A beginner's questions: the first line of `help` answers each, from the words of the game."""

import re

import pytest
from click.testing import CliRunner

from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.repl.key_bindings import explaining_command
from zimcli.session.session import Session
from zimcore.game import Word
from zimcore.games.africana.box import box
from zimcore.games.registry import game
from zimcore.games.zimbabwe.components import CONSTANTS, NO_GOD
from zimcore.rule_texts import find_word

ZIMBABWE_QUESTIONS = {
    "how do I win": "how to win: You win when your victory points",
    "who wins in a tie": "tie: .* Xango",
    "when does it end": "the end of the game: .* VP have reached their VR",
    "how long is a game": "the end of the game",
    "what are victory points": "VP: .* monuments .* craftsman",
    "where do points come from": "VP: .* Nothing else",
    "help vp": "VP: ",
    "what is VR": "VR: .* begins at 20",
    "what is my target": "VR: ",
    "what is a hub": "hub: A monument that carries your reach on",
    "what does a toll cost": "hub: .* 1 cattle each time",
    "why bid": "bid: .* get the god, the square or the last",
    "what is a gift": "bid: ",
    "how is the order of play decided": "bid: .* decide who goes first",
    "what is a plaque": "plaque: ",
    "which phases are there": "round: A round has four phases",
    "what happens in a round": "round: ",
    "what can I do in my turn": "turn: .* one card .* one of three things",
    "how many actions do I have": "turn: ",
    "how do I build": "monument: .* free",
    "what is zoning": "monument: .* never next to another",
    "how do I raise": "raise: .* L different ritual goods",
    "what is a ritual": "raise: ",
    "what is a craftsman": "craftsman: A tile that makes ritual goods",
    "what may a secondary do": "secondary craftsman: .* its primary good alone counts no more",
    "what does makes obsolete mean": "secondary craftsman: ",
    "what is a technology": "technology: ",
    "can I lower a price": "price: .* may only raise",
    "what is a used marker": "resource: .* used marker",
    "what does claims mean": "resource: .* claims",
    "how far can I reach": "range: .*3 steps",
    "how does a lake count": "range: .* one step to enter",
    "what is cattle for": "cattle: What you pay with",
    "how do I get money": "cattle: ",
    "what is income": "income: .* Engai",
    "what is a god": "god: ",
    "when can I adore": "god: ",
    "what does the shaman do": "specialist: ",
    "how many players": "setup: 2 to 5 players",
    "what should a first game use": "first game: .* gods=beginner",
    "what is margin": "margin: ",
}
AFRICANA_QUESTIONS = {
    "how do I win": "how to win: The player with the most",
    "when does the game end": "the end of the game: .* stack of expeditions",
    "what are victory points": "VP: .* 2 travel cards",
    "what can I do": "turn: .* one of three things",
    "how do I move": "move: Each step",
    "what is a travel card": "travel card: ",
    "what is the hand limit": "travel card: .* at most 5",
    "what is the joker": "joker: ",
    "how do I join": "expedition: ",
    "what is an artifact": "adventure: ",
    "how do I turn pages": "book: .* first free",
    "what is a collection": "collection: ",
    "may I change the color of a card": "recolouring: For 5 silver",
    "what is setup": "setup: 2 to 4 players",
}
QUESTIONS = [("zimbabwe", *each) for each in ZIMBABWE_QUESTIONS.items()]
QUESTIONS += [("africana", *each) for each in AFRICANA_QUESTIONS.items()]


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_each_question_of_a_beginner_has_an_answer(kind: str) -> None:
    answers = {
        question: f"{word.name}: {word.text}" if (word := find_word(game(kind), question)) else ""
        for asked_kind, question, _ in QUESTIONS
        if asked_kind == kind
    }
    wrong = {
        q: answers[q]
        for asked_kind, q, pattern in QUESTIONS
        if asked_kind == kind and not re.match(pattern, answers[q])
    }
    assert wrong == {}
    assert find_word(game(kind), "what is a frobnicator") is None
    assert len(QUESTIONS) >= 50


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_each_word_rests_on_rules(kind: str) -> None:
    codes = {rule.code for rule in game(kind).texts.rules()}
    words: tuple[Word, ...] = tuple(getattr(game(kind).texts, "words")())  # noqa: B009
    assert [word.name for word in words if not word.rules or not {*word.rules} <= codes] == []
    names = [name.lower() for word in words for name in (word.name, *word.also)]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def zim_lines(*words: str) -> list[str]:
    result = CliRunner().invoke(cli, ["--store", "memory:", *words])
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def test_help_begins_with_the_word_of_the_question() -> None:
    assert zim_lines("help", "what is a hub")[0].startswith("hub (The Great Zimbabwe): A monument")
    lines = zim_lines("help", "win")
    assert lines[0].startswith("how to win (The Great Zimbabwe): ")
    assert lines[1].startswith("how to win (Africana): ")
    assert any(line.startswith("R-BID-04") for line in zim_lines("help", "bid"))
    winning_lines = zim_lines("rules", "winning")
    assert winning_lines[0].startswith("how to win (The Great Zimbabwe): ")
    assert next(line for line in winning_lines if line.startswith("R-")).startswith("R-END-01")
    assert any(line.startswith("R-MON-01") for line in zim_lines("rules", "zoning"))


def test_the_figures_of_the_words_are_those_of_the_game() -> None:
    def text(kind: str, name: str) -> str:
        word = find_word(game(kind), name)
        assert word
        return word.text

    assert f"levels 1 to 5 are worth {', '.join(map(str, CONSTANTS.level_vp[1:]))} in all" in text("zimbabwe", "VP")
    assert f"begins at {CONSTANTS.start_vr}" in text("zimbabwe", "VR")
    assert f"{CONSTANTS.start_cattle} cattle" in text("zimbabwe", "setup")
    assert f"{NO_GOD.range} steps" in text("zimbabwe", "range")
    assert f"for {box().costs.adventure} silver each" in text("africana", "book")
    assert f"For {box().costs.recolouring} silver" in text("africana", "recolouring")


def test_a_question_typed_as_a_move_leads_to_its_answer() -> None:
    script = "new kilwa-7 players=2 seed=7\nwhat is a hub"
    result = CliRunner().invoke(cli, ["--store", "memory:", "run", "-"], input=script)
    assert "try: zim help hub" in result.stderr
    assert explaining_command(Session(Output()), "what is a hub") == "help what is a hub"


def test_why_proposes_the_help_of_a_word_that_is_no_figure() -> None:
    script = "new kilwa-7 players=2 seed=7\nwhy bid"
    result = CliRunner().invoke(cli, ["--store", "memory:", "run", "-"], input=script)
    assert result.stderr.startswith("error: no such name here: bid\n")
    assert "try: zim help bid" in result.stderr
