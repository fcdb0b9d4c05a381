"""Lessons after the tutorial: tasks in positions of the demo, which the learner solves without being told the moves."""

import re
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner

from tests.cli.test_practise import LineCollector
from zimcli.main import cli
from zimcli.session.session import LeaveError
from zimcli.study.lesson_session import LessonSession
from zimcore.game import GameError, Task, figures
from zimcore.games.registry import game
from zimcore.history.expression import parse
from zimcore.rule_texts import lessons_of
from zimcore.service.records.scripts import positions_of_script

KINDS = ("zimbabwe", "africana")
TASKS = [
    (kind, title, number)
    for kind in KINDS
    for title, tasks in lessons_of(game(kind)).items()
    for number in range(len(tasks))
]


def begin_lesson(kind: str, tasks: list[Task]) -> LessonSession:
    return LessonSession(LineCollector(shown_lines=[]), "anna", game(kind), tasks)


def shown_text(session: LessonSession) -> str:
    return "\n".join(cast("LineCollector", session.output).shown_lines)


@pytest.mark.parametrize(("kind", "title", "number"), TASKS)
def test_a_task_is_not_solved_yet_and_its_solution_solves_it(kind: str, title: str, number: int) -> None:
    task = lessons_of(game(kind))[title][number]
    _, position = positions_of_script(game(kind), game(kind).texts.demo(), task.move)
    assert not parse(task.goal).holds(figures(position.game, position.state))
    assert not any(line in task.text for line in task.solution if " " in line), "the learner finds the moves"
    session = begin_lesson(kind, [task])
    *first_lines, last_line = task.solution
    for line in first_lines:
        session.run_line(line)
    with pytest.raises(LeaveError):
        session.run_line(last_line)
    assert session.solved == 1
    assert "✓ right" in shown_text(session)


def test_a_turn_that_ends_without_the_goal_is_taken_back_and_a_way_is_shown_when_asked() -> None:
    session = begin_lesson("zimbabwe", [*lessons_of(game("zimbabwe"))["Two goods"]])
    session.run_line("build b10")
    assert "✓" not in shown_text(session)
    session.run_line("end")
    assert "not yet: your turn is over without it" in shown_text(session)
    assert session.current
    assert session.current.commit.number == 36
    with pytest.raises(GameError, match="hint is not shown"):
        session.run_line("hint")
    session.run_line("solution")
    assert "raise g12 ivory_carver@k8/j4" in shown_text(session)
    session.run_line("raise g12")
    assert "2 of 2" in shown_text(session)


def test_others_answer_a_bid_and_a_pass_does_not_go_first() -> None:
    bids, _ = lessons_of(game("zimbabwe"))["Bids and gods"]
    session = begin_lesson("zimbabwe", [bids, bids])
    session.run_line("pass")
    assert "not yet" in shown_text(session)
    session.run_line("bid 4")
    assert session.solved == 1


@pytest.mark.parametrize("kind", KINDS)
def test_lessons_are_played_through_in_a_pipe_and_end_in_a_first_game(kind: str, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'games.db'}"
    number, next_line = 1, f"tutorial {kind} 2"
    while next_line.startswith("tutorial "):
        result = CliRunner().invoke(cli, ["--store", store, *next_line.split()])
        assert result.exit_code == 0, result.stderr
        number += 1
        next_line = re.findall(r"Next: zim (.*)", result.stdout)[-1]
    assert number == len(lessons_of(game(kind))) + 1
    assert CliRunner().invoke(cli, ["--store", store, *next_line.split()]).exit_code == 0
    if kind == "zimbabwe":
        assert "gods=beginner" in next_line
    refusal = CliRunner().invoke(cli, ["--store", store, "tutorial", kind, "9"])
    assert (refusal.exit_code, refusal.stderr.splitlines()[0]) == (2, "error: no lesson 9")
