"""`zim audit`, `run`, `import` and `pipe` on files as people have them, which editors, chats and mail have changed.

Each case has the right value of one kind of file. The long ones are made from a recorded game.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli

Zim = Callable[..., Result]
RECORDED_GAME = Path(__file__).parent.parent / "games" / "bot-2p-015.zim"
WHOLE = "64 lines: 64 legal · round 9 · Mutapa has won"
SETUP = (
    "new demo players=4 map=6.0,10.3,1.0,0.0,7.1,5.0,4.3 gods=gu,shadipinyi,qamata,atete,anansi,obatala,eshu,engai "
    "specialists=shaman,rain_ceremony,herd,nomads,builder order=mutapa,lozi,zulu,kilwa seed=0"
)


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.chdir(tmp_path)
    return lambda *words, stdin=b"": CliRunner().invoke(cli, ["--store", "sqlite:///games.db", *words], input=stdin)


def recorded_lines() -> list[str]:
    lines = RECORDED_GAME.read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "expect"))]


def with_mark_in_the_middle(lines: list[str]) -> bytes:
    return "\n".join([*lines[:40], f"\ufeff{lines[40]}", *lines[41:]]).encode()


REWRITTEN: dict[str, Callable[[list[str]], bytes]] = {
    "UTF-16": lambda lines: "\n".join(lines).encode("utf-16"),
    "a byte order mark in the middle": with_mark_in_the_middle,
    "marks of direction": lambda lines: "\n".join(f"\u200f{line}" for line in lines).encode(),
    "CR ends lines": lambda lines: "\r".join(lines).encode(),
    "blanks that do not break": lambda lines: "\n".join(lines).replace(" ", "\xa0").encode(),
    "colours of a terminal": lambda lines: "\n".join(f"\x1b[1m{line}\x1b[0m" for line in lines).encode(),
    "Ctrl-Z at the end": lambda lines: ("\n".join(lines) + "\n\x1a").encode(),
}


@pytest.mark.parametrize("change", REWRITTEN)
def test_a_script_with_other_characters_is_audited_and_run(zim: Zim, change: str) -> None:
    Path("game.zim").write_bytes(REWRITTEN[change](recorded_lines()))
    audit = zim("audit", "game.zim")
    assert (audit.exit_code, WHOLE in audit.output) == (0, True), audit.output
    run = zim("run", "game.zim")
    assert run.exit_code == 0, run.output
    (game,) = json.loads(zim("--json", "games").stdout)["games"]
    assert zim("log", game["name"]).output.count("\n") == 65


@pytest.mark.parametrize("char", "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
def test_only_line_ends_end_a_line(zim: Zim, char: str) -> None:
    Path("game.zim").write_bytes(f"{SETUP}\nmutapa: start i7 # best{char}lozi: start l7\n".encode())
    audit = zim("audit", "game.zim")
    assert "1 line: 1 legal · set-up · Lozi to place" in audit.output, audit.output
    assert zim("run", "game.zim").exit_code == 0
    assert "Lozi to place" in zim("status", "demo").output or "Lozi" in zim("show", "demo").output


WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
DECORATED: dict[str, Callable[[str], str]] = {
    "marks of chess": lambda line: f"{line}!?",
    "numbers as words": lambda line: re.sub(r"bid ([0-9])$", lambda bid: f"bids {WORDS[int(bid[1])]} cattle", line),
    "long lines wrapped": lambda line: re.sub(r"^(.{20}\S*) ", r"\1\n", line),
    "digits of another script": lambda line: line.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
}


@pytest.mark.parametrize("change", DECORATED)
def test_a_mark_on_each_line_is_no_fault(zim: Zim, change: str) -> None:
    setup, *moves = recorded_lines()
    Path("game.log").write_text("\n".join([setup, *map(DECORATED[change], moves)]), "utf-8")
    audit = zim("audit", "game.log")
    assert (audit.exit_code, WHOLE in audit.output) == (0, True), audit.output


def test_a_line_of_any_length_is_read_or_named(zim: Zim) -> None:
    setup, *moves = recorded_lines()
    long_text = "a1 " * 60_000
    Path("game.log").write_text("\n".join([setup, *moves, f"# {long_text}"]), "utf-8")
    assert WHOLE in zim("audit", "game.log").output
    for log in (f"{setup}\n{moves[0]}\nkilwa: build {long_text}", f"seat,move\n,{setup}\nkilwa,{long_text}"):
        Path("game.log").write_text(log, "utf-8")
        audit = zim("audit", "game.log")
        assert (audit.exit_code, "line 3 of the log" in audit.output) == (2, True), audit.output


MOVES_OF_TWO = "2 lines: 2 legal · set-up · Zulu to place the first monument"
SHORT_LOGS = {
    "a remark alone": f"{SETUP}\nmutapa: start i7\n(hmm)\nlozi: start l7\n",
    "a rule and a fence": f"```\n{SETUP}\nmutapa: start i7\n----\nlozi: start l7\n```\n",
    "tags of chess": f'[Event "Club night"]\n[Result "*"]\n\n{SETUP}\n1. mutapa: start i7\n2. lozi: start l7\n',
    "a forum": f"[b]Our game[/b]\n{SETUP}\nmutapa: start i7\nlozi: start l7\n",
    "a remark before the set-up": f"{{a comment}}\n{SETUP}\nmutapa: start i7\nlozi: start l7\n",
    "a semicolon after the set-up": f"{SETUP}; mutapa: start i7\nlozi: start l7\n",
}


@pytest.mark.parametrize("kind", SHORT_LOGS)
def test_lines_without_a_move_are_skipped(zim: Zim, kind: str) -> None:
    Path("game.log").write_text(SHORT_LOGS[kind], "utf-8")
    audit = zim("audit", "game.log")
    assert (audit.exit_code, MOVES_OF_TWO in audit.output) == (0, True), audit.output


def test_a_cell_may_have_several_moves_on_lines(zim: Zim) -> None:
    setup, *moves = recorded_lines()
    rows = dict[int, str]()  # the moves of a seat that follow one another are in one cell
    for number, (seat, move) in enumerate((move.split(": ", 1) for move in moves), 1):
        last_number = max(rows, default=0)
        if last_number and rows[last_number].startswith(seat):
            rows[last_number] += f"\n{move}"
        else:
            rows[number] = f'{seat},"{move}'
    table = [f'{number},{row}"' for number, row in rows.items()]
    Path("game.csv").write_text("\n".join(["number,seat,move", f'0,,"{setup}"', *table]), "utf-8")
    audit = zim("audit", "game.csv")
    assert (audit.exit_code, WHOLE in audit.output) == (0, True), audit.output


def test_a_wrong_note_is_named_and_forbids_nothing(zim: Zim) -> None:
    Path("game.log").write_text(f"{SETUP}\nmutapa: start i7 -> +2 VP\nlozi: start l7 -> +1 VP\n", "utf-8")
    audit = zim("audit", "game.log", "--repair", "--into", "fixed.zim")
    assert audit.exit_code == 1
    assert "2 lines: 2 legal, 1 wrong note" in audit.output
    assert "game.log:2: mutapa: start i7: it says +2 vp, and the result is +1 vp" in audit.output
    assert "the note says +2 vp, and the result is +1 vp" in audit.output
    assert Path("fixed.zim").read_text("utf-8").splitlines()[1:] == ["mutapa: start i7", "lozi: start l7"]
    right_log = Path("game.log").read_text("utf-8").replace("+2 VP", "+1 VP")
    Path("game.log").write_text(right_log, "utf-8")
    assert zim("audit", "game.log").exit_code == 0


def test_a_wrong_note_in_an_illegal_log_is_a_cause_of_its_own(zim: Zim) -> None:
    Path("game.log").write_text(f"{SETUP}\nmutapa: start i7 -> +2 VP\nlozi: strat l7\nzulu: start g9\n", "utf-8")
    audit = zim("audit", "game.log", "--json")
    (log,) = json.loads(audit.stdout)["logs"]
    causes = [(cause["number"], cause["change"]["kind"], cause["consequences"]) for cause in log["causes"]]
    assert causes == [(2, "note", 0), (3, "replaced", 1)]


def test_each_of_several_files_is_judged_and_the_unreadable_ones_come_last(zim: Zim) -> None:
    Path("game.zim").write_text("\n".join(recorded_lines()), "utf-8")
    Path("empty.txt").touch()
    Path("zeros").write_bytes(b"\0\1")
    audit = zim("audit", "empty.txt", "game.zim", "missing", "zeros")
    assert audit.exit_code == 2
    assert audit.output.index(WHOLE) < audit.output.index("empty.txt · not read: the file is empty")
    assert "missing · not read: no such file or directory" in audit.output
    assert "zeros · not read: it is not a text file" in audit.output
    assert "3 files can't be read as logs" in audit.output
    document = json.loads(zim("--json", "audit", "empty.txt", "game.zim").stdout)
    assert ([log["file"] for log in document["logs"]], [*document["unread"]]) == (["game.zim"], ["empty.txt"])


def test_two_games_in_a_file_are_two_logs(zim: Zim) -> None:
    Path("both.zim").write_text("\n".join([*recorded_lines(), *recorded_lines()]), "utf-8")
    audit = zim("audit", "both.zim")
    assert (audit.exit_code, "both.zim · game of line 66 · 64 lines: 64 legal" in audit.output) == (0, True), (
        audit.output
    )
    assert "another game begins at line 66, and --into writes one" in zim("audit", "both.zim", "--into", "x").output
    assert not Path("x").exists()


@pytest.mark.parametrize("change", ["mark", "CRLF", "blank lines"])
@pytest.mark.parametrize("form", ["certificate", "store"])
def test_exports_that_an_editor_saved_are_imported(zim: Zim, change: str, form: str) -> None:
    zim("new", "a", "players=2", "seed=7")
    zim("export", *(["a", "--certificate", "a.json"] if form == "certificate" else ["--jsonl", "a.json"]))
    content = Path("a.json").read_bytes()
    changed = {
        "mark": b"\xef\xbb\xbf" + content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "blank lines": b"\n" + content + b"\n\n",
    }[change]
    Path("b.json").write_bytes(changed)
    imported = CliRunner().invoke(cli, ["--store", "sqlite:///other.db", "import", "b.json"])
    assert imported.exit_code == 0, imported.output
    assert CliRunner().invoke(cli, ["--store", "sqlite:///other.db", "verify", "--all"]).exit_code == 0


def test_a_file_in_utf_16_is_no_certificate_and_says_so(zim: Zim) -> None:
    Path("a.cert").write_bytes('{"zim":"certificate.1"}\n'.encode("utf-16"))
    assert "it is in UTF-16: save it as UTF-8" in zim("import", "a.cert").output


def test_a_request_behind_a_byte_order_mark_is_read(zim: Zim) -> None:
    reply = zim("pipe", stdin=b'\xef\xbb\xbf{"id": 1, "new": "a", "seed": 7}\r\n')
    assert json.loads(reply.stdout)["code"] == 0
