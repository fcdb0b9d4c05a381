"""Logs that take moves back: the line of the head is audited, and what was taken back is judged where it was played."""

from __future__ import annotations

import json

import msgspec
import pytest

from zimcore.game import Accepted
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME
from zimcore.toolkit.progress import ignore_progress
from zimcore.transcripts.audit_documents import audit_log
from zimcore.transcripts.layouts import play_log
from zimcore.transcripts.own_format import kind_of, parse_log
from zimcore.transcripts.records import Transcript

SETUP = "new players=2 seed=508\n"
COMMITS = [
    {"number": 0, "digest": "a", "parent": "", "seat": "", "text": "new players=2 seed=508"},
    {"number": 1, "digest": "b", "parent": "a", "seat": "kilwa", "text": "start d6"},
    {"number": 2, "digest": "c", "parent": "b", "seat": "mutapa", "text": "start a6"},
    {"number": 3, "digest": "d", "parent": "c", "seat": "mutapa", "text": "bid 1"},
    {"number": 3, "digest": "e", "parent": "c", "seat": "mutapa", "text": "bid 2"},
]
GRAPH = """\
●      0              new players=2 seed=508  kilwa, mutapa, seed 508
●      1  kilwa       start d6                +1 VP
●      2  mutapa      start a6                +1 VP, round 1 begins, plaques: mutapa, kilwa  @r1
├─○    3  mutapa      bid 1                   -1 cattle
●      3  mutapa      bid 2                   -2 cattle
"""


def read(text: str) -> Transcript:
    return parse_log(text, GAME)


def texts(log: Transcript) -> tuple[list[str], list[list[str]]]:
    """The moves on the line of the head, and those of each branch."""
    return [line.text for line in log.lines], [[line.text for line in branch.lines] for branch in log.branches]


@pytest.mark.parametrize(
    ("script", "kept", "undone"),
    [
        ("a\nb\nundo\nc", ["a", "c"], [["b"]]),
        ("a\nb\nundo 2\nc", ["c"], [["a", "b"]]),
        ("a\nb\nundo\nredo", ["a", "b"], []),
        ("a\nb\nundo\nredo 3\nc", ["a", "b", "c"], []),
        ("a\nb\nc\ngoto @1\nd", ["a", "d"], [["b", "c"]]),
        ("a\nb\ngoto @1\ngoto @end", ["a", "b"], []),
        ("a\nb\ngoto start\nc", ["c"], [["a", "b"]]),
        ("a\nexpect 1 > 0\nb\nundo\nc", ["a", "1 > 0", "c"], [["b"]]),
        ("a\nfork @0 other\nb\nswitch main\nc", ["a", "c"], [["b"]]),
        ("a\nTake back.\nb", ["b"], [["a"]]),
        ("undo\na", ["a"], []),
    ],
)
def test_the_line_of_the_head_is_read(script: str, kept: list[str], undone: list[list[str]]) -> None:
    assert texts(read(SETUP + script)) == (kept, undone)


@pytest.mark.parametrize("rows", [COMMITS, [{**row, "parent": "", "digest": ""} for row in COMMITS]])
@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_rows_go_on_where_they_say(form: str, rows: list[dict[str, str]]) -> None:
    """Given undone moves, when the log has digests, or only numbers that fall, then they are no moves of the game."""
    if form == "csv":
        log_text = "\n".join(",".join(map(str, row)) for row in [[*COMMITS[0]], *[[*row.values()] for row in rows]])
    else:
        log_text = json.dumps(rows) if form == "json" else "\n".join(map(json.dumps, rows))
    assert texts(read(log_text)) == (["start d6", "start a6", "bid 2"], [["bid 1"]])


def test_the_head_of_a_document_decides() -> None:
    """Given a log whose head is before its last moves, when it is read, then these were taken back."""
    document = {"position": {"digest": "c"}, "commits": COMMITS}
    assert texts(read(json.dumps(document))) == (["start d6", "start a6"], [["bid 1"], ["bid 2"]])


def test_the_printed_graph_is_read() -> None:
    assert texts(read(GRAPH)) == (["start d6", "start a6", "bid 2"], [["bid 1"]])


def test_a_table_that_numbers_turns_is_no_tree() -> None:
    """Given a table in which several moves have one number, when it is read, then all are played."""
    rows = ["1,kilwa,start d6", "1,mutapa,start a6", "2,mutapa,bid 1", "2,kilwa,pass"]
    assert texts(read(SETUP + "turn,seat,move\n" + "\n".join(rows)))[1] == []
    assert texts(read(SETUP + "number,seat,move\n" + "\n".join(rows)))[1] == []


def test_a_move_that_was_taken_back_is_judged_where_it_was_played() -> None:
    log = read(SETUP + "start d6\nstart a6\nbid 9\nundo\nbid 1\n")
    audited = audit_log("x", GAME, play_log(GAME, log), repair=False, report=ignore_progress)
    assert (audited.stands, [(line.number, line.verdict) for line in audited.undone]) == (True, [(4, "illegal")])
    assert audited.status == "round 1 · Kilwa to bid 2 or more"


def test_the_events_of_a_log_name_its_game() -> None:
    """Given JSON of `log` in a game that it does not name, when its game is asked for, then its events tell."""
    events = [{"event": "played.1", "seat": "", "command": {"do": "set_up.1", "seed": 7, "options": []}}]
    for game in (GAME, AFRICANA):
        command = game.rules.set_up({"players": "2"}, 7)
        decision = game.rules.decide(game.evolution.initial(), "", command)
        assert isinstance(decision, Accepted)
        rows = [{"text": "", "events": [*events, *map(msgspec.to_builtins, decision.events)]}]
        assert kind_of(json.dumps(rows), [GAME, AFRICANA]) == game.name
    assert kind_of("new players=2", [GAME]) == kind_of('[{"events": [{"event": "x"}]}]', [GAME]) == ""
