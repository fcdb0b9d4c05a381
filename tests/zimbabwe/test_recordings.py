"""Games saved from onlineboardgamers.com: every form gives the same moves, and what the site says of them is compared.

The files in `tests/data/obg` are invented games in the site's form; the `.zim` is the same game as a script.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from gzip import compress
from pathlib import Path
from typing import Any

import pytest

from zimcore.game import Accepted, NotationError, Recording
from zimcore.games.zimbabwe import GAME, recordings
from zimcore.games.zimbabwe.recordings.packing import MAX_CHARACTERS, decompress_lz, unpack
from zimcore.games.zimbabwe.state import State

FOLDER = Path(__file__).parents[1] / "data" / "obg"


def text_of(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def data_of(name: str) -> list[Any]:
    """The unpacked data of a game, which a test may change."""
    value = unpack(text_of(name))
    assert isinstance(value, list)
    return value


def pack(value: Any) -> str:
    return b64encode(compress(json.dumps(value).encode())).decode()


def read(text: str, **options: str) -> Recording:
    (recording,) = recordings.read(text, options)
    return recording


def lines_of(recording: Recording) -> list[str]:
    return [f"{move.seat}: {GAME.notation.format(move.command)}" for move in recording.moves]


def play(script: str) -> State:
    """The last position of a script, played by the rules."""
    first_line, *lines = script.splitlines()
    options = dict(word.split("=", 1) for word in first_line.split()[2:])
    decision = GAME.rules.decide(GAME.evolution.initial(), "", GAME.rules.set_up(options, 0))
    for line in lines:
        assert isinstance(decision, Accepted)
        seat, command = GAME.notation.parse(line, decision.state)
        decision = GAME.rules.decide(decision.state, seat or "", command)
    assert isinstance(decision, Accepted)
    state: State = decision.state
    return state


def test_every_form_of_a_game_gives_the_moves_of_its_script() -> None:
    script = text_of("g01-2p.zim")
    page, old = text_of("g01-2p.page.html"), text_of("g01-2p.old-lz.txt")
    value = unpack(old)
    for text in (page, old, f"\n {old} \n", json.dumps(value), json.dumps({"gameData": old}), pack(value)):
        recording = read(text)
        assert lines_of(recording) == script.splitlines()[1:]
        assert GAME.evolution.canonical(recording.state) == GAME.evolution.canonical(play(script))
        assert (recording.wrong, recording.stopped_at, recording.entries) == ((), None, 137)


def test_a_page_has_the_players_the_times_and_the_address() -> None:
    recording = read(text_of("g01-2p.page.html"))
    assert recording.players == {"lozi": "ann", "zulu": "ben"}
    assert recording.address == "https://www.onlineboardgamers.com/TGZ/9102/replay/"
    assert str(recording.moves[0].at) == "2025-11-25 21:09:21+00:00"
    moves_after = tuple(sum(move.entry <= entry for move in recording.moves) for entry in range(6))
    assert moves_after == (0, 1, 2, 2, 3, 3), "a forced pass and the order of the round are no commands"
    assert read(text_of("g01-2p.old-lz.txt")).moves[0].at is None


def test_several_games_in_a_text_are_several_recordings() -> None:
    page, row = text_of("g01-2p.page.html"), text_of("g11-4p-rewind-kickout.row.json")
    assert [each.name for each in recordings.read(page + page.replace("g01-2p", "again"), {})] == ["g01-2p", "again"]
    both = f"{text_of('g05-4p.gamedata.txt')}\n{text_of('d5-tie-xango.gamedata.txt')}\n"
    assert [len(each.moves) for each in recordings.read(both, {})] == [176, 173]
    rows = json.dumps([json.loads(row), json.loads(text_of("g03-3p.row.json"))])
    assert [each.remarks[0].text for each in recordings.read(rows, {})] == ["good luck", "good luck"]


@pytest.mark.parametrize(
    "name",
    ["g05-4p.gamedata.txt", "g10-3p-resign.page.html", "g11-4p-rewind-kickout.row.json", "d5-tie-xango.gamedata.txt"],
)
def test_order_cattle_points_winner_and_pieces_are_as_the_site_says(name: str) -> None:
    recording = read(text_of(name))
    assert (recording.wrong, recording.stopped_at) == ((), None)
    assert GAME.evolution.outcome(recording.state).over


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        (3, lambda data: data[2].__setitem__(0, 9), "cattle of "),
        (14, lambda data: data[0].__setitem__(5, 99), "cattle of "),
        (15, lambda data: data[0].__setitem__(2, 9), "VP of "),
        (15, lambda data: data[1].__setitem__(3, 38), "VR of "),
        (16, lambda data: data.__setitem__(0, 7), "round"),
        (17, lambda data: data.reverse(), "winner"),
    ],
)
def test_a_wrong_statement_of_the_site_is_found(kind: int, change: Callable[[Any], None], what: str) -> None:
    value = data_of("g01-2p.old-lz.txt")
    index = max(index for index, entry in enumerate(value[7]) if entry[0] == kind)
    change(value[7][index][3])
    wrong = read(pack(value)).wrong
    assert (wrong[0].entry, wrong[0].what.startswith(what)) == (index, True), wrong


def test_the_pieces_beside_the_history_are_compared() -> None:
    value = data_of("g01-2p.old-lz.txt")
    value[0][0][4][0][1] = 5
    (wrong,) = read(pack(value)).wrong
    assert (wrong.what, wrong.stated[:4], wrong.true[:4]) == ("monuments of lozi", "b12 ", "b12 ")


def test_reading_stops_where_the_site_plays_otherwise_and_says_why() -> None:
    lowered = read(text_of("d1-dziva-lowers-after-crafting.gamedata.txt")).stopped_at
    assert lowered
    assert (lowered.entry, lowered.text, lowered.refusals[0].code) == (
        19,
        "price wood_carver 1",
        "R-PRI-01",
    )
    stack = read(text_of("d2-back-to-vr-20.gamedata.txt")).stopped_at
    assert stack
    assert stack.entry == 15
    assert stack.refusals[0].reason == "the next order of bids is zulu lozi there, and lozi zulu by the rules"


@pytest.mark.parametrize(
    ("name", "deviations"),
    [
        ("d1-dziva-lowers-after-crafting.gamedata.txt", [(19, "dziva_crafting=any-price")]),
        ("d2-back-to-vr-20.gamedata.txt", [(15, "start_stack=below")]),
        ("g03-3p.row.json", [(42, "dziva_crafting=any-price")]),
        ("g12-4p-chosen-map.gamedata.txt", [(38, "start_stack=below"), (142, "dziva_crafting=any-price")]),
        ("g05-4p.gamedata.txt", []),
    ],
)
def test_by_the_rules_of_the_site_its_games_are_read_to_the_end(name: str, deviations: list[tuple[int, str]]) -> None:
    recording = read(text_of(name), **recordings.SHEETS["obg"])
    assert (recording.stopped_at, recording.wrong) == (None, ())
    assert [(each.entry, each.option) for each in recording.deviations] == deviations
    usual = read(text_of(name))
    assert [(each.entry, each.option) for each in usual.deviations] == deviations[:1]
    assert (usual.stopped_at.sheet if usual.stopped_at else "") == ("obg" if deviations else "")


def test_who_has_left_is_named_with_what_the_site_does_then() -> None:
    recording = read(text_of("g11-4p-rewind-kickout.row.json"))
    text = "dan was kicked out: a program passes and does nothing for zulu, who can't win"
    assert [(each.entry, each.text) for each in recording.deviations] == [(79, text)]
    assert [(each.author, each.text) for each in recording.remarks] == [("ann", "good luck")]
    assert [(each.entry, each.seat, each.how) for each in recording.leavers] == [(79, "zulu", "kicked_out")]


def test_the_last_player_left_wins_there() -> None:
    value = unpack(re.findall(r"gameData = '([^']+)'", text_of("g10-3p-resign.page.html"))[0])
    history = value[7]
    fifth_turn = history.index([16, -1, 102319, [5]])
    value[7] = [*history[: fifth_turn + 1], [19, 2, 9, ["cat"]], [17, -1, 9, [[-21, 0, 5], [-41, 1, 5], [-41, 2, 5]]]]
    recording = read(pack(value))
    assert recording.deviations[-1].text == "kilwa wins there, as others have left; by the rules the game would go on"
    assert [each.entry for each in recording.deviations] == [36, fifth_turn + 1, fifth_turn + 2]
    assert (recording.stopped_at, "winner" in {each.what for each in recording.wrong}) == (None, False)


def test_gods_of_fan_expansions_are_refused_by_name() -> None:
    value = data_of("g01-2p.old-lz.txt")
    value[10].append(17)
    with pytest.raises(NotationError, match="it is played with Ekwensu: a god of a fan expansion"):
        read(pack(value))


@pytest.mark.parametrize(
    "text", ["", "kilwa: bid 3", "[1, 2]", '{"gameData": ""}', "N" * 40, "H4sI" + "A" * 40, "gameData"]
)
def test_other_texts_have_no_game(text: str) -> None:
    assert [*recordings.read(text, {})] == []


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value[0][0].__setitem__(2, 9),
        lambda value: value[0][1].__setitem__(2, value[0][0][2]),
        lambda value: value[7].__setitem__(4, [2, 1, "x", []]),
        lambda value: value[1].__setitem__(0, 44),
        lambda value: value.__setitem__(0, [{}]),
    ],
)
def test_damaged_data_is_an_error_that_says_so(change: Callable[[Any], None]) -> None:
    value = data_of("g01-2p.old-lz.txt")
    change(value)
    with pytest.raises((NotationError, ValueError)):
        read(pack(value))


@pytest.mark.parametrize(
    "entry",
    [
        *([1, 0, 5, []], [1, 9, 5, [3]], [2, 1, 5, "x"], [7, 0, 5, [[3, 2], [[40, 1, 1], [39]]]]),
        *([8, 0, 5, [999, 0, 0, 0, 0]], [8, 0, 5, [11, 0, 0, 0, 0]], [30, 0, 5, []], [77, 0, 5, []]),
        *([6, 0, 5, [10**30]], [19, 7, 5, []]),
    ],
)
def test_an_entry_that_can_not_be_read_stops_the_reading_and_nothing_else(entry: list[Any]) -> None:
    value = data_of("g01-2p.old-lz.txt")
    value[7][21] = entry
    stopped_at = read(pack(value)).stopped_at
    assert stopped_at
    assert stopped_at.entry == 21


def test_what_unpacks_to_more_than_the_limit_is_no_game() -> None:
    assert unpack(b64encode(compress(b"[" + b" " * MAX_CHARACTERS + b"]")).decode()) is None
    assert unpack("[" * 100_000) is None
    assert decompress_lz("B" * 1000) in ("", decompress_lz("B" * 1000))
