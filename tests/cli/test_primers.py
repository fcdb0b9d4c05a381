"""`zim rules GAME` begins with a primer: each section ends in a question that its command answers."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli
from zimcore.game import Refused
from zimcore.games.registry import game
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS
from zimcore.rule_texts import examples_of, primer_of
from zimcore.service.records.deciding import try_command
from zimcore.service.records.scripts import NO_TIME, example_positions, moves_of_script

KINDS = ("zimbabwe", "africana")


def run_zim(store: str, *words: str) -> Result:
    result = CliRunner().invoke(cli, ["--store", store, *words])
    assert result.exit_code in (0, 1), result.stderr
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_each_question_of_a_primer_is_answered_by_its_command(kind: str, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'games.db'}"
    shown_text = run_zim(store, "rules", kind).stdout
    store_line = f"zim demo {kind} --keep"
    assert store_line in shown_text
    for _ in range(2):  # the README and a page type it too
        assert f"demo-{kind} is stored" in run_zim(store, *store_line.split()[1:]).stderr
    wrong_answers = {}
    for section in primer_of(game(kind)):
        assert section.question.endswith("?")
        assert section.reason.endswith(".")
        assert f"    zim {section.command}\n" in shown_text
        result = run_zim(store, *shlex.split(section.command))
        output = " ".join((result.stdout + result.stderr).split())
        if section.answer not in output:
            wrong_answers[section.title] = output
        assert section.answer not in " ".join((section.text + section.question).split()), section.title
    assert wrong_answers == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_primer_shows_positions_of_the_demo_and_names_rules_that_exist(kind: str) -> None:
    _, moves = moves_of_script(game(kind).texts.demo())
    codes = {rule.code for rule in game(kind).texts.rules()}
    for section in primer_of(game(kind)):
        assert section.shown is None or 0 <= section.shown <= len(moves)
        assert {*re.findall(r"\b(?:R|A|AMB)-[A-Z]*-?\d\d\b", section.text)} <= codes
    assert sum(len(section.text.split()) for section in primer_of(game(kind))) < 1300


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_game_of_a_primer_can_be_begun_as_typed(kind: str, tmp_path: Path) -> None:
    begin_line = next(
        line for section in primer_of(game(kind)) for line in section.text.splitlines() if line.startswith("new ")
    )
    assert "first" in run_zim(f"sqlite:///{tmp_path / 'games.db'}", *shlex.split(begin_line)).stdout


def test_the_figures_of_the_primer_are_those_of_the_game() -> None:
    text = " ".join(section.text for section in primer_of(game("zimbabwe")))
    assert "1, 3, 7, 13 or 21 VP" in text
    assert CONSTANTS.level_vp[1:] == (1, 3, 7, 13, 21)
    assert (CONSTANTS.max_vr, CONSTANTS.craftsmen_per_type) == (40, 3)
    assert "40 is the most" in text
    rows = {name: (craftsman.cost, craftsman.vp, craftsman.vr[0]) for name, craftsman in CRAFTSMEN.items()}
    for names, figures in (
        (("wood_carver", "potter"), (2, 1, 3)),
        (("ivory_carver",), (2, 1, 2)),
        (("diamond_cutter",), (10, 3, 1)),
        (("sculptor", "vessel_maker", "throne_maker"), (4, 2, 3)),
    ):
        assert [rows[name] for name in names] == [figures] * len(names)
    named_gods = {god for god in GODS if god.replace("_", "-").casefold() in text.casefold()}
    assert named_gods == {*GODS}


def test_the_rules_of_a_table_begin_with_its_house_rules(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'games.db'}"
    run_zim(store, "new", "kilwa-7", "players=2", "seed=7", "xango=absolute")
    lines = run_zim(store, "rules", "kilwa-7").stdout.splitlines()
    place = lines.index("This table's house rules")
    assert lines[place + 1].startswith("R-END-02")
    assert "At this table (xango=absolute)" in lines[place + 1]
    assert lines.index("Game concepts: land, water") > place


def test_a_rule_says_what_one_types_for_it() -> None:
    lines = run_zim("memory:", "rules", "R-CRA-03").stdout.splitlines()
    assert any("typed: craft potter d4-d5 price 2" in line for line in lines)
    verbs = {verb for kind in KINDS for rule in game(kind).texts.rules() for verb in rule.guards}
    known_verbs = {verb for kind in KINDS for verb in game(kind).notation.SYNTAX}
    assert verbs - known_verbs == {"set_up", "redeal"}, "these are typed as `new` and `fork`"


@pytest.mark.parametrize("kind", KINDS)
def test_each_example_of_a_rule_shows_its_board_and_is_decided_by_its_rule(kind: str) -> None:
    examples = examples_of(game(kind))
    assert len(examples) >= {"zimbabwe": 53, "africana": 28}[kind]
    assert [code for code in examples if code not in {rule.code for rule in game(kind).texts.rules()}] == []
    for code, example in examples.items():
        _, position = example_positions(game(kind), example)
        answer = try_command(position, example.line, NO_TIME)
        if isinstance(answer, Refused):
            assert code in {refusal.code for refusal in answer.refusals}, code
        assert example.look.endswith("."), code


def test_an_example_is_shown_with_what_to_type_to_try_it(tmp_path: Path) -> None:
    output = run_zim("memory:", "rules", "r-mon-01", "--example").stdout
    assert output.startswith("R-MON-01")
    assert "demo main @12" in output
    assert "h7 touches the monument on i7." in output
    assert "not legal: build h7" in output
    store = f"sqlite:///{tmp_path / 'games.db'}"
    for line in re.findall(r"zim (demo .*|try .*)", output):
        result = CliRunner().invoke(cli, ["--store", store, *shlex.split(line)])
    assert "R-MON-01" in result.stderr
    refusal = CliRunner().invoke(cli, ["--store", "memory:", "rules", "R-MON-03", "--example"])
    assert refusal.exit_code == 2
    assert "zim rules R-MON-01 --example" in refusal.stderr
