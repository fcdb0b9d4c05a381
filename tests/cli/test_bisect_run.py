"""`bisect run`: your own program decides, and `bisect` finds the first move after which it says no."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Zim
from zimcli.output.output import DocumentCollector, Output
from zimcli.repl.loop import run_line
from zimcli.session.session import Session
from zimcli.shell.exit_codes import ProblemError
from zimcore.game import GameError
from zimcore.history.bisect import Verdict, first_bad
from zimcore.service import GameService

GAME_LINES = "\n".join(("new k herd=30", *["take 1"] * 16))


@pytest.fixture
def zim_with_game(zim: Zim) -> Zim:
    assert zim("run", "-", stdin=GAME_LINES).exit_code == 0
    return zim


def checking_program(tmp_path: Path, body: str) -> list[str]:
    """The command line of a program that notes the position it gets, and runs `body` with its number."""
    program_file, notes_file = tmp_path / "check.py", tmp_path / "seen"
    prelude = (
        "import json, sys\ndocument = json.load(sys.stdin)\n"
        f"open({str(notes_file)!r}, 'a').write(json.dumps(document) + '\\n')\nnumber = document['position']['number']\n"
    )
    program_file.write_text(f"{prelude}{body}\n")
    return [sys.executable, "-S", str(program_file)]


@given(st.integers(1, 60), st.data())
@settings(max_examples=300)
def test_halving_finds_the_first_bad_position(last_number: int, data: st.DataObject) -> None:
    first_bad_number = data.draw(st.integers(1, last_number))
    skipped_numbers = data.draw(st.sets(st.integers(1, last_number).filter(lambda number: number != last_number)))
    tested_numbers: list[int] = []

    def verdict_of(number: int) -> Verdict:
        tested_numbers.append(number)
        return "skip" if number in skipped_numbers else "bad" if number >= first_bad_number else "good"

    boundary = first_bad(0, last_number, verdict_of)
    unskipped_numbers = [number for number in range(last_number + 1) if number not in skipped_numbers]
    assert boundary == (
        max(number for number in unskipped_numbers if number < first_bad_number),
        min(number for number in unskipped_numbers if number >= first_bad_number),
    )
    assert len(tested_numbers) == len(set(tested_numbers)) <= last_number.bit_length() + len(skipped_numbers)


def test_the_program_gets_few_positions_as_show_prints_them(zim_with_game: Zim, tmp_path: Path) -> None:
    program = checking_program(tmp_path, "sys.exit(7 if number >= 11 else 0)")
    result = zim_with_game("--json", "bisect", "k", "run", *program)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert (answer["first"]["number"], answer["first"]["before"], answer["first"]["after"]) == (
        11,
        {"status": 0},
        {"status": 7},
    )
    notes = (tmp_path / "seen").read_text().splitlines()
    assert len(notes) <= 6
    shown_document = json.loads(
        zim_with_game("show", f"k@{json.loads(notes[-1])['position']['number']}", "--json").stdout
    )
    assert json.loads(notes[-1]) == shown_document


def test_skipped_positions_are_named(zim_with_game: Zim, tmp_path: Path) -> None:
    program = checking_program(tmp_path, "sys.exit(125 if number in (9, 10) else number >= 11)")
    result = zim_with_game("bisect", "k", "run", *program)
    assert "11" in result.stdout.splitlines()[0]
    assert "@9, @10" in result.stdout


def test_options_and_quotes_go_to_the_program(zim_with_game: Zim, tmp_path: Path) -> None:
    program = checking_program(tmp_path, "print('given', sys.argv[1:], file=sys.stderr)\nsys.exit(number > 3)")
    result = zim_with_game("bisect", "k", "run", *program, "--json", "--as", "-x")
    assert "given ['--json', '--as', '-x']" in result.stderr
    assert result.stdout.splitlines()[0].split()[0] == "4"
    quoted_result = zim_with_game("bisect", "k", "run", " ".join([*program, "'a b'"]))
    assert "given ['a b']" in quoted_result.stderr


@pytest.mark.parametrize(
    ("body", "exit_code", "message"),
    [
        ("sys.exit(0)", 1, "never"),
        ("sys.exit(200)", 2, "exit status was 200"),
        ("import os; os.kill(os.getpid(), 9)", 2, "signal 9"),
        ("sys.exit(125)", 2, "could not test an end"),
    ],
)
def test_bisect_run_stops_without_a_boundary(
    zim_with_game: Zim, tmp_path: Path, body: str, exit_code: int, message: str
) -> None:
    result = zim_with_game("bisect", "k", "run", *checking_program(tmp_path, body))
    assert result.exit_code == exit_code
    assert message in result.stderr


def test_a_missing_program_is_an_error(zim_with_game: Zim) -> None:
    result = zim_with_game("bisect", "k", "run", "./not-there")
    assert (result.exit_code, "./not-there\n  it can't be run" in result.stderr) == (2, True)
    assert "name the program" in zim_with_game("bisect", "k", "run").stderr


def test_expressions_still_work_beside_run(zim_with_game: Zim) -> None:
    assert zim_with_game("bisect", "k", "kilwa.cattle >= 3").exit_code == 0


def test_only_the_user_runs_programs(zim_with_game: Zim, service: GameService, tmp_path: Path) -> None:
    program = checking_program(tmp_path, "sys.exit(number > 3)")
    bisect_line = f"bisect k run {' '.join(program)}"
    script_file = tmp_path / "others.zim"
    script_file.write_text(f"{bisect_line}\n")
    request = json.dumps({"bisect": {"place": "k", "words": ["run", *program]}})
    results = [
        zim_with_game("run", str(script_file)),
        zim_with_game("play", "k", stdin=bisect_line),
        zim_with_game("pipe", stdin=request),
    ]
    assert all("never for a script or a pipe" in result.output for result in results)
    session = Session(Output(), by="anna", service=service)
    session.is_careful = True
    with pytest.raises(GameError, match="never for a script"):
        run_line(session, f"run {script_file}")
    with pytest.raises(GameError, match="never for a script"):
        run_line(Session(Output(), by="anna", service=service), bisect_line)
    assert not (tmp_path / "seen").exists()


def test_bisect_run_works_at_the_prompt(zim_with_game: Zim, service: GameService, tmp_path: Path) -> None:
    session = Session(DocumentCollector(), by="anna", service=service)
    session.is_careful = True
    run_line(session, f"bisect k run {' '.join(checking_program(tmp_path, 'sys.exit(number > 3)'))}")
    assert session.output.answers[0].first.number == 4  # type: ignore[attr-defined]
    with pytest.raises(ProblemError):
        run_line(session, f"bisect k run {' '.join(checking_program(tmp_path, 'sys.exit(0)'))}")
