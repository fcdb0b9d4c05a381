"""What a log may look like: scripts, what `log` prints, JSON of ours, and plain lists of moves."""

import json

import pytest

from zimcore.game import GameError, NotationError
from zimcore.games.zimbabwe import GAME
from zimcore.transcripts.beginning import start_state
from zimcore.transcripts.layouts import find_layouts
from zimcore.transcripts.line_readings import _words_of, readings
from zimcore.transcripts.log_styles import PLAIN_STYLE, LogStyle, parse_pairs
from zimcore.transcripts.own_format import parse_log
from zimcore.transcripts.records import LogLine

SETUP = "new players=kilwa,mutapa,zulu seed=7 gods=eshu,engai,elegua,anansi specialists=none"


def parsed_lines(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(line.seat, line.text, line.amounts) for line in parse_log(text, GAME, {"board"}).lines]


def test_a_script_is_read() -> None:
    text = "# a game\nnew players=2 seed=7\nkilwa: start c3 # here\n\nboard\nbuild d7; end\nexpect kilwa.vp == 1\n"
    log = parse_log(text, GAME, {"board"})
    assert log.setup == {"players": "2", "seed": "7"}
    assert [(line.number, line.text, line.is_expectation) for line in log.lines] == [
        (3, "kilwa: start c3", False),
        (6, "build d7", False),
        (6, "end", False),
        (7, "kilwa.vp == 1", True),
    ]
    assert log.skipped == (5,)


def test_the_words_of_a_legal_command_are_worked_out_once_for_a_whole_log() -> None:
    state = start_state(GAME, parse_log("new players=2 seed=7\n", GAME))
    equal_state = start_state(GAME, parse_log("new players=2 seed=7\n", GAME))
    (seat,) = GAME.evolution.to_move(state)
    first_square, second_square, *_ = (
        GAME.notation.format(command).split()[1] for command in GAME.rules.legal(state, seat)
    )
    assert readings(GAME, state, LogLine(1, first_square))
    cache_before = _words_of.cache_info()
    assert readings(GAME, state, LogLine(2, second_square))  # the same position: nothing is listed again
    assert _words_of.cache_info() == cache_before
    assert readings(GAME, equal_state, LogLine(3, second_square))
    cache_after = _words_of.cache_info()
    assert (cache_after.misses, cache_after.hits > cache_before.hits) == (cache_before.misses, True)


def test_prose_before_the_set_up_is_skipped() -> None:
    text = "Our first evening; Ann won\n\nWe played by the book.\nnew players=2 seed=7\nkilwa: start c3\n"
    log = parse_log(text, GAME)
    assert log.setup == {"players": "2", "seed": "7"}
    assert [line.text for line in log.lines] == ["kilwa: start c3"]
    assert (log.preface, log.skipped) == ((1, 3), (1, 3))


def test_a_second_set_up_begins_another_game_and_is_refused_with_its_line() -> None:
    with pytest.raises(NotationError, match="line 3 of the log: another game begins there"):
        parse_log("new players=2 seed=7\nkilwa: start c3\nnew players=3 seed=8\n", GAME)


def test_the_output_of_log_is_read() -> None:
    assert parsed_lines(
        "   0              new players=2 seed=7    kilwa, mutapa\n  12  mutapa      adore obatala   +7 VR  @r1"
    ) == [("mutapa", "adore obatala", ("+7 vr",))]
    assert parsed_lines(" 8  mutapa      pass       order of play: kilwa, mutapa  @r1.kilwa") == [
        ("mutapa", "pass", ())
    ]
    assert parsed_lines(" 9      raise c3 potter@f6/g9; e5 potter@f6/h9   -4 cattle") == [
        ("", "raise c3 potter@f6/g9; e5 potter@f6/h9", ("-4 cattle",))
    ]


def test_a_set_up_that_can_t_be_typed_is_no_move() -> None:
    log = parse_log("   0              set_up      italy, france  @r1\n   1  italy       move tangier joker\n", GAME)
    assert ([line.text for line in log.lines], log.skipped) == (["move tangier joker"], (1,))


def people_lines(text: str, style: LogStyle = PLAIN_STYLE) -> list[tuple[str, str, tuple[str, ...]]]:
    """The moves of a log as people write it, below a set-up."""
    layouts = find_layouts(f"{SETUP}\n{text}", GAME, style)
    return [(line.seat, line.text, line.amounts) for layout in layouts for line in layout.log.lines]


def test_a_plain_list_is_read() -> None:
    assert people_lines("Round 1\n1. bid 3\n2) Zulu passes\n- pass\nend -> +2 cattle\n== r2 ==") == [
        ("", "bid 3", ()),
        ("zulu", "passes", ()),
        ("", "pass", ()),
        ("", "end", ("+2 cattle",)),
    ]


@pytest.mark.parametrize(
    ("typed_text", "seat", "text", "amounts"),
    [
        ("kilwa: bid 3 (hmm)", "kilwa", "bid 3", ()),
        ("kilwa - bid 3 -- too much", "kilwa", "bid 3", ()),
        ("Kilwa – bid 3 (-3 cattle) [late]", "kilwa", "bid 3", ("-3 cattle",)),
        ("kilwa: rasie c3; e5 potter@f6/g9(a@b2/c3)", "kilwa", "rasie c3; e5 potter@f6/g9(a@b2/c3)", ()),
        ("kilwa raises c3; e5", "kilwa", "raises c3; e5", ()),
        ("pass // well", "", "pass", ()),
        ("bid 3 {hm}", "", "bid 3", ()),
        ("Mutapa — start f6", "mutapa", "start f6", ()),
        ("Mutapa -- starts f6 -- at last", "mutapa", "starts f6", ()),
        ("3. Mutapa — strat f6 (-1 cattle)", "mutapa", "strat f6", ("-1 cattle",)),
        ("passes — bid too high", "", "passes", ()),
        ("eshu — good choice", "", "eshu", ()),
        ("Mutapa — f6", "mutapa", "f6", ()),
        ("Kilwa - 3", "kilwa", "3", ()),
        ("pass — 3", "", "pass", ()),
    ],
)
def test_a_line_as_people_type_it_is_one_move(typed_text: str, seat: str, text: str, amounts: tuple[str, ...]) -> None:
    assert people_lines(typed_text) == [(seat, text, amounts)]


GERMAN_STYLE = LogStyle(
    {"rot": "kilwa", "m": "mutapa"}, parse_pairs("bietet = bid\npasst = pass\nRinder = cattle\nauf =", "x")
)


@pytest.mark.parametrize(
    ("typed_text", "seat", "text", "amounts"),
    [
        ("Rot: bietet 3", "kilwa", "bid 3", ()),
        ("M bietet auf 3  -3 Rinder", "mutapa", "bid 3", ("-3 cattle",)),
        ("12. Rot — passt", "kilwa", "pass", ()),
        ("  12  M       bid 3", "mutapa", "bid 3", ()),
        ("zulu: build m3 (rot)", "zulu", "build m3", ()),
    ],
)
def test_seats_and_words_of_a_style_are_translated(
    typed_text: str, seat: str, text: str, amounts: tuple[str, ...]
) -> None:
    assert people_lines(typed_text, GERMAN_STYLE) == [(seat, text, amounts)]


def test_a_table_has_its_moves_below_a_header() -> None:
    log = parse_log(
        "new players=2 seed=7\nTurn,Player,Move,Result\n1,Rot,bietet 3,-3 Rinder\n,,,\n"
        '2,zulu,"raise c3; e5",-1 cattle\n3,M,pass,',
        GAME,
        (),
        GERMAN_STYLE,
    )
    assert log.setup == {"players": "2", "seed": "7"}
    assert [(line.number, line.seat, line.text, line.amounts) for line in log.lines] == [
        (3, "kilwa", "bid 3", ("-3 cattle",)),
        (5, "zulu", "raise c3; e5", ("-1 cattle",)),
        (6, "mutapa", "pass", ()),
    ]
    assert parsed_lines("seat\taction\ttarget\nkilwa\tbuild\tm5\n") == [("kilwa", "build m5", ())]
    assert parsed_lines("seat;move\nkilwa;raise c3; e5\n") == [("kilwa", "raise c3; e5", ())], (
        "the columns after the last heading belong to the move"
    )


def test_json_with_the_keys_of_others() -> None:
    moves = [{"player": "Rot", "action": "build", "target": ["m5", "m6"]}, {"player": "zulu", "move": "pass"}]
    log = parse_log(json.dumps({"players": ["kilwa", "zulu"], "seed": 7, "turns": moves}), GAME, (), GERMAN_STYLE)
    assert log.setup == {"players": "kilwa,zulu", "seed": "7"}
    assert [(line.seat, line.text) for line in log.lines] == [("kilwa", "build m5 m6"), ("zulu", "pass")]


def test_a_pair_that_is_none_is_refused() -> None:
    with pytest.raises(NotationError, match="--seats: Red"):
        parse_pairs("Red", "--seats")


def test_json_is_read() -> None:
    moves = [{"seat": "kilwa", "text": "bid 3", "summary": "-3 cattle"}, {"text": "pass"}]
    expected = [("kilwa", "bid 3", ("-3 cattle",)), ("", "pass", ())]
    assert parsed_lines(json.dumps({"commits": [{"seat": "", "text": "new players=2 seed=7"}, *moves]})) == expected
    assert parsed_lines("\n".join(map(json.dumps, moves))) == expected
    assert parsed_lines('["bid 3", "pass; pass"]') == [("", "bid 3", ()), ("", "pass", ()), ("", "pass", ())]


@pytest.mark.parametrize(
    "text", ["[" * 100, "{", '{"a": 1}', '[{"text": 3}]', "[1]", "pass\n" * 20_001, "raise" * 2_000]
)
def test_a_text_that_is_no_log_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_log(text, GAME)


@pytest.mark.parametrize("text", ["\x00@r1  @r2\n", "  @x\n\t\t\n", "-> ->", ";;;", "1.\n\ufeff", "9" * 500])
def test_strange_texts_are_read_as_lines(text: str) -> None:
    assert all(isinstance(line, LogLine) for line in parse_log(text, GAME).lines)


def test_a_set_up_that_leaves_something_to_chance_is_refused() -> None:
    for text in ("pass", "new players=2", "new players=2 seed=x", "new players=9 seed=7"):
        with pytest.raises(GameError):
            start_state(GAME, parse_log(text, GAME))
    script = "new players=2 map=0.1,5.1,3.0,2.2 gods=xango,gu specialists=none order=kilwa,mutapa"
    assert start_state(GAME, parse_log(script, GAME)).seats == ("kilwa", "mutapa")


def test_the_patterns_of_a_style_are_made_once() -> None:
    style = LogStyle({"red": "kilwa"}, {"baut": "build"})
    assert style.translate("Red: baut m5") == "kilwa: build m5"
    assert style._foreign_word_pattern is style._foreign_word_pattern
    assert style._seat_pattern is style._seat_pattern
