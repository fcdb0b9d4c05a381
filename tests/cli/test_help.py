"""`help` about a game: from the rules and cards of any game."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli
from zimcli.session.expression_help import EXPRESSION_EXAMPLES, EXPRESSION_FORMS
from zimcore.history.evaluation import FUNCTIONS
from zimcore.service import game


def help_text(topic: str) -> str:
    result = CliRunner().invoke(cli, ["--store", "memory:", "help", topic])
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    ("topic", "expected_words"),
    [
        ("eshu", ["within 6 steps", "R-RNG-06"]),
        ("gods", ["anansi", "pays 1 cattle for any good", "R-GOD-01"]),
        ("potter", ["clay", "1x2", "+3, +4"]),
        ("vessel_maker", ["potter", "2x2"]),
        ("specialists", ["shaman", "R-SPEC-08"]),
        ("hubs", ["R-HUB-01", "R-HUB-09"]),
        ("raise", ["R-RAI-01"]),
        ("revenues", ["R-REV-01"]),
        ("obatala", ["builds up to 2 monuments"]),
    ],
)
def test_help_explains_a_topic(topic: str, expected_words: list[str]) -> None:
    text = help_text(topic)
    assert [word for word in expected_words if word not in text] == []


def test_every_card_says_what_it_does() -> None:
    zimbabwe = game("zimbabwe")
    for table in zimbabwe.questions.ask(zimbabwe.evolution.initial(), "cards", []):
        assert all(all(row) for row in table.rows)


@pytest.mark.parametrize(
    ("topic", "hint"), [("quartz", "zim help"), ("transportatin", "zim help transportation range")]
)
def test_help_on_an_unknown_topic_proposes_another(topic: str, hint: str) -> None:
    result = CliRunner().invoke(cli, ["--store", "memory:", "help", *topic.split()])
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"  try: {hint}")


@pytest.mark.parametrize(
    ("topic", "output_words"),
    [
        ("a07", ["A07         A     luanda  jidda       6   3"]),
        ("n01", ["adventures"]),
        ("cape town", ["cape_town  south"]),
        ("ambiguities", ["AMB-01", "AMB-03"]),
        ("religion and culture, gods", ["R-GOD-01"]),
    ],
)
def test_cards_places_and_parts_of_any_game_are_explained(topic: str, output_words: list[str]) -> None:
    result = CliRunner().invoke(cli, ["--store", "memory:", "help", *topic.split()])
    assert result.exit_code == 0
    assert all(output_word in result.stdout for output_word in output_words), result.stdout


@pytest.mark.parametrize(
    ("word", "expected_texts"),
    [
        ("engai", ["R-REV-02", "engai  +5  2 cattle more in each revenue phase"]),
        ("gods", ["R-GOD-01", "anansi"]),
        ("shaman", ["R-SPEC-04", "shaman      +3"]),
        ("second plaque", ["shadipinyi"]),
        ("certificate", ["  sign       Sign a certificate."]),
    ],
)
def test_a_word_is_searched_for_in_rules_cards_and_commands(word: str, expected_texts: list[str]) -> None:
    result = CliRunner().invoke(cli, ["--store", "memory:", "rules", *word.split()])
    assert result.exit_code == 0, result.stderr
    assert [text for text in expected_texts if text not in result.stdout] == []


def test_a_search_for_an_unknown_word_is_an_error() -> None:
    result = CliRunner().invoke(cli, ["--store", "memory:", "rules", "xyzzy"])
    assert (result.exit_code, result.stderr.splitlines()[0]) == (2, "error: nothing about xyzzy")


def test_a_command_of_the_game_is_explained_with_its_syntax() -> None:
    assert help_text("craft").splitlines()[0] == "written: craft potter d4-d5 price 2"
    assert "legal here" not in help_text("craft")


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_every_word_of_a_game_has_help(kind: str) -> None:
    for verb, syntax in game(kind).notation.SYNTAX.items():
        assert (
            f"written: {syntax}" in help_text(verb)
            or f" · {syntax}" in help_text(verb)
            or f"{syntax} · " in help_text(verb)
        )


def test_in_a_game_the_example_is_legal_there() -> None:
    script = "new k players=2 seed=1\nstart c1\nstart f1\nbid 1\npass\nhelp craft\nhelp bid\n"
    text = CliRunner().invoke(cli, ["--store", "memory:", "run", "-"], input=script).stdout
    example = text.partition("legal here, for example: ")[2].splitlines()[0]
    assert example.startswith("craft ")
    assert text.count("legal here") == 1
    result = CliRunner().invoke(cli, ["--store", "memory:", "run", "-"], input=script + example)
    assert result.exit_code == 0, result.stderr


def test_in_a_game_no_example_names_a_card_that_is_not_in_play() -> None:
    script = "new k players=2 seed=3\nhelp\nhelp adore\n"
    text = CliRunner().invoke(cli, ["--store", "memory:", "run", "-"], input=script).stdout
    assert re.search(r"^ +eshu .*\(not in play\)$", text, re.MULTILINE)
    written_match = re.search(r"written: adore (.*)", text)
    assert written_match
    assert re.search(rf"^ +{written_match[1]} .*[^)]$", text, re.MULTILINE), "it is in play"
    assert "adore eshu" not in text
    start_match = re.search(r"legal now\n +start +(start .*)$", text, re.MULTILINE)
    assert start_match
    result = CliRunner().invoke(cli, ["--store", "memory:", "run", "-"], input=script + start_match[1])
    assert result.exit_code == 0, result.stderr


def test_rules_are_found_by_several_words_in_any_place() -> None:
    result = CliRunner().invoke(cli, ["--store", "memory:", "rules", "monument", "range"])
    assert "R-HUB-01" in result.stdout
    assert "R-RNG-06" not in result.stdout
    question = CliRunner().invoke(cli, ["--store", "memory:", "rules", "how", "do", "I", "win"])
    assert question.stdout.startswith("how to win (The Great Zimbabwe)")
    assert "\nR-END-01" in question.stdout
    refusal = CliRunner().invoke(cli, ["--store", "memory:", "rules", "how", "do", "I", "yodel"])
    assert (refusal.exit_code, refusal.stderr.splitlines()[-1]) == (2, "  try: zim rules how")


def test_expressions_are_explained_with_examples_that_run(tmp_path: Path) -> None:
    def zim(*words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/games.db", *words], input=stdin)

    result = zim("help", "expressions")
    assert result.exit_code == 0
    assert all(expression in result.output for expression in (*EXPRESSION_FORMS, *FUNCTIONS, *EXPRESSION_EXAMPLES))
    assert zim("new", "k", "players=3", "seed=7").exit_code == 0
    for example in EXPRESSION_EXAMPLES:
        result = zim("expect", "k", example, "--json")
        assert result.exit_code in (0, 1), (example, result.output)
    session_output = zim("run", "-", stdin="new q players=2 seed=7\nhelp expressions").output
    assert "Names at q/main" in session_output
    assert "of each seat (kilwa, mutapa): vp, vr, margin, cattle" in session_output


def test_gods_say_who_has_them_or_that_they_are_not_in_play() -> None:
    script = "new k players=2 seed=1\nstart c1\nstart f1\nbid 1\npass\nadore eshu\nask cards gods\n"
    text = CliRunner().invoke(cli, ["--store", "memory:", "run", "-"], input=script).stdout
    lines_by_god = {line.split()[0]: line for line in text.splitlines() if line.split()}
    assert lines_by_god["elegua"].endswith("(not in play)")
    assert lines_by_god["eshu"].endswith("(mutapa has it)")
    assert not lines_by_god["gu"].endswith(")")


def test_a_command_for_another_player_gets_no_advice_to_look_at_their_cards() -> None:
    script = "new k --game africana players=2 seed=7\nfrance: draw\n"
    for seat_options in ([], ["--as", "italy"]):
        error_text = CliRunner().invoke(cli, ["--store", "memory:", *seat_options, "run", "-"], input=script).stderr
        assert "france" in error_text
        assert "--as" not in error_text
