"""One game in many styles of notation: `audit --learn` reads nearly all after a few answers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.log_styles import COLOURS, MEANING_BY_WORD, STYLES
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcli.study import style_files
from zimcore.transcripts.style_questions import StyleQuestion

GAME_FILE = Path(__file__).parents[1] / "games" / "mixed-3p-10117.zim"
NEW_LINE, *PLAYED_LINES = (
    line for line in GAME_FILE.read_text("utf-8").splitlines() if not line.startswith(("#", "expect"))
)
MOVES = [(seat, text) for seat, text in (line.split(": ", 1) for line in PLAYED_LINES)]
LOGS = {style: write(NEW_LINE, MOVES) for style, write in STYLES.items()}
MAX_ANSWERS, MAX_HARD_STYLES = 5, 2
Zim = Callable[..., Result]


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(cli, words, obj=Session(Output(), by="anna"), prog_name="zim")


def learn_style(zim: Zim, monkeypatch: pytest.MonkeyPatch, style: str) -> tuple[Any, int]:
    """The audit of a log after its author's answers, and the number of answers."""
    questions = list[str]()

    def answer_question(_: Session, question: StyleQuestion) -> str:
        questions.append(question.word)
        return MEANING_BY_WORD.get(question.word, "-")

    monkeypatch.setattr(style_files, "can_ask", lambda session: True)
    monkeypatch.setattr(style_files, "ask_question", answer_question)
    Path("game.log").write_text(LOGS[style], "utf-8", newline="")
    zim("audit", "game.log", "--learn", "club.toml", "--force")
    (audited_log,) = json.loads(zim("audit", "game.log", "--style", "club.toml", "--json").stdout)["logs"]
    return audited_log, len(questions)


def test_all_styles_are_read_and_nearly_all_after_at_most_five_answers(
    zim: Zim, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(LOGS) >= 12
    results_by_style = {style: learn_style(zim, monkeypatch, style) for style in LOGS}
    fully_read_styles = {
        style
        for style, (audited_log, _) in results_by_style.items()
        if audited_log.get("script", [])[1:] == PLAYED_LINES
    }
    # The style "notes" leaves out goods, so its script may differ: it counts as read if the game is legal.
    if results_by_style["notes"][0]["stands"]:
        fully_read_styles.add("notes")
    assert {*LOGS} == fully_read_styles
    quickly_read_styles = {style for style, (_, answers) in results_by_style.items() if answers <= MAX_ANSWERS}
    assert len({*LOGS} - (fully_read_styles & quickly_read_styles)) <= MAX_HARD_STYLES
    assert results_by_style["German"][1] == 3 + len({text.split()[0] for _, text in MOVES}), (
        "each seat and verb is asked for once"
    )


@pytest.mark.parametrize("style", ["German header", "lines of JSON"])
def test_without_a_terminal_unknown_columns_are_left_blank_in_the_style_file(zim: Zim, style: str) -> None:
    Path("game.log").write_text(LOGS[style], "utf-8")
    seat_column, move_column = ("spieler", "aktion") if style == "German header" else ("who", "did")
    result = zim("audit", "game.log", "--learn", "club.toml")
    assert f"club.toml: say there what {seat_column} is" in result.stderr
    assert (result.exit_code, "Traceback" in result.output) == (0 if style == "German header" else 2, False)
    style_text = Path("club.toml").read_text("utf-8")
    assert tomllib.loads(style_text)["columns"] == {}
    assert f'# {seat_column} = "seat"' in style_text
    assert f'# {move_column} = "move"' in style_text
    Path("club.toml").write_text(
        '[seats]\nrot = "kilwa"\ngelb = "mutapa"\nblau = "zulu"\n'
        f'[columns]\n{seat_column} = "seat"\n{move_column} = "move"\n'
    )
    assert zim("audit", "game.log", "--style", "club.toml").exit_code == 0


def test_an_unknown_meaning_of_a_column_is_an_error(zim: Zim) -> None:
    Path("game.log").write_text(LOGS["German header"], "utf-8")
    Path("club.toml").write_text('[columns]\naktion = "zug"\n')
    result = zim("audit", "game.log", "--style", "club.toml")
    assert (result.exit_code, "a column holds move, object, seat, result, or nothing" in result.stderr) == (2, True)


def test_words_of_a_style_leave_the_set_up_alone(zim: Zim) -> None:
    Path("game.log").write_text(LOGS["colours"], "utf-8")
    Path("words.txt").write_text("xango =\norder = adore\n", "utf-8")
    seats = ",".join(f"{name}={seat}" for seat, name in COLOURS.items())
    (audited_log,) = json.loads(zim("audit", "game.log", "--seats", seats, "--words", "words.txt", "--json").stdout)[
        "logs"
    ]
    assert audited_log["lines"][0]["verdict"] == "legal"
