"""`audit --learn`: the style of a club's logs, by a question about the first line of each kind that can't be read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.conftest import Zim
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcli.study import style_files

CLUB_LINES = (
    *("new players=3 seed=7", "Rot: beginnt g7", "Gelb: beginnt j7", "Blau: beginnt l9", "Blau: bietet 2"),
    *("Gelb: passt", "Rot: passt", "Blau: verehrt eshu", "Blau: baut auf m11", "Blau: beendet"),
)
OTHER_CLUB_LINES = ("new players=3 seed=7", "Rot: beginnt g7", "Gelb: beginnt j7", "Blau: beginnt l9", "Blau: passt")


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.chdir(tmp_path)
    Path("club.log").write_text("\n".join(CLUB_LINES))
    Path("other.log").write_text("\n".join(OTHER_CLUB_LINES))

    def run_zim(*words: str, stdin: str = "") -> Result:
        session = Session(Output(), by="anna")
        return CliRunner().invoke(cli, words, input=stdin, obj=session, prog_name="zim")

    return run_zim


@pytest.fixture
def terminal_that_can_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style_files, "can_ask", lambda session: True)


def read_style() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path("club.toml").read_text())


@pytest.mark.usefixtures("terminal_that_can_ask")
def test_each_kind_is_asked_once_and_the_style_reads_the_archive(zim: Zim) -> None:
    answers = ["", "", "", "", "", "pass", "", "build", ""]
    result = zim("audit", "club.log", "--learn", "club.toml", stdin="".join(f"{answer}\n" for answer in answers))
    assert (result.exit_code, result.stdout.count("✓")) == (0, 9), result.output
    learnt_style = read_style()
    assert learnt_style["seats"] == {"rot": "mutapa", "gelb": "kilwa", "blau": "zulu"}
    learnt_words = {"beginnt": "start", "bietet": "bid", "passt": "pass", "verehrt": "adore", "baut": "build"}
    assert learnt_style["words"] == {**learnt_words, "beendet": "end"}
    assert all(result.stderr.count(f"is {word}") == 1 for word in ("rot", "beginnt", "passt", "baut"))
    other_result = zim("audit", "other.log", "--style", "club.toml", "--json")
    assert other_result.exit_code == 0, other_result.output
    assert zim("audit", "other.log").exit_code == 1


@pytest.mark.usefixtures("terminal_that_can_ask")
def test_an_answer_that_is_no_seat_is_asked_again(zim: Zim) -> None:
    result = zim("audit", "club.log", "--learn", "club.toml", stdin="red\nmutapa\n")
    assert "red: it is none of kilwa, mutapa, zulu" in result.stderr
    assert read_style()["seats"]["rot"] == "mutapa", "answers before the end of the input are kept"


def test_learn_without_a_terminal_writes_the_open_questions(zim: Zim) -> None:
    result = zim("audit", "club.log", "--learn", "club.toml", stdin="mutapa\n" * 9)
    assert result.exit_code == 1
    assert "club.toml: say there what rot is (line 2: Rot: beginnt g7)" in result.stderr
    assert '# rot = "mutapa"  # line 2: Rot: beginnt g7\n' in Path("club.toml").read_text()
    assert read_style() == {"seats": {}, "words": {}}


@pytest.mark.usefixtures("terminal_that_can_ask")
def test_a_log_in_our_words_needs_no_answer(zim: Zim) -> None:
    Path("club.log").write_text("new players=3 seed=7\nmutapa: start g7\nkilwa start j7\nzulu - l9\n")
    result = zim("audit", "club.log", "--learn", "club.toml")
    assert (result.exit_code, "what is" in result.stderr, read_style()) == (0, False, {"seats": {}, "words": {}}), (
        result.output
    )


@pytest.mark.parametrize("text", ["seats = 3", "[sets]\nred = 'kilwa'", "seats", "[seats]\nred = 4"])
def test_an_invalid_style_file_is_refused(zim: Zim, text: str) -> None:
    Path("club.toml").write_text(text)
    result = zim("audit", "club.log", "--style", "club.toml")
    assert (result.exit_code, "this is no style" in result.stderr) == (2, True)


def test_a_style_file_is_replaced_only_by_one_that_extends_it(zim: Zim) -> None:
    Path("club.toml").write_text("[seats]\nrot = 'mutapa'\n")
    refusal = zim("audit", "club.log", "--learn", "club.toml")
    assert (refusal.exit_code, "the file already exists" in refusal.stderr) == (2, True)
    assert zim("audit", "club.log", "--learn", "club.toml", "--style", "club.toml").exit_code == 1
    assert read_style()["seats"] == {"rot": "mutapa"}, "the known words stay in the style"
