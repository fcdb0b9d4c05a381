"""Each line of a log: legal, illegal by which rules, ambiguous until which line decides."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import SetPrices
from zimcore.transcripts.beginning import start_state
from zimcore.transcripts.layouts import read_logs
from zimcore.transcripts.line_readings import readings
from zimcore.transcripts.log_replay import result_amounts
from zimcore.transcripts.own_format import parse_log
from zimcore.transcripts.verdicts import LineVerdict, verdicts

GAMES = sorted((Path(__file__).parent.parent / "games").glob("*.zim"))
SET_UP_LINE = (
    "new players=3 map=7.2,0.3,1.3,2.3,5.3,3.0 gods=eshu,engai,elegua,anansi specialists=none order=kilwa,mutapa,zulu"
)
OPENING = f"{SET_UP_LINE}\nstart l12\nstart l9\nstart j7\n"


def verdicts_of(text: str) -> list[LineVerdict]:
    log = parse_log(text, GAME)
    return list(verdicts(GAME, start_state(GAME, log), log.lines))


def moves_of_verdicts(line_verdicts: Sequence[LineVerdict]) -> list[list[str]]:
    return [[GAME.notation.format(reading.command) for reading in verdict.played_readings] for verdict in line_verdicts]


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_recorded_games_are_legal_with_what_they_expect(path: Path) -> None:
    assert {verdict.verdict for verdict in verdicts_of(path.read_text("utf-8"))} == {"legal"}


def test_moves_as_people_write_them_down() -> None:
    line_verdicts = verdicts_of(OPENING + "Zulu bids 1\npasses\nKilwa passes.\nchooses\neshu\nbuilds on M3\nend")
    assert [verdict.verdict for verdict in line_verdicts[3:]] == ["legal"] * 3 + ["not understood"] + ["legal"] * 3
    assert moves_of_verdicts(line_verdicts)[3:] == [
        ["bid 1"],
        ["pass"],
        ["pass"],
        [],
        ["adore eshu"],
        ["build m3"],
        ["end"],
    ]
    assert line_verdicts[3].seat == "zulu"


def test_sentences_are_read_by_their_verb_and_the_words_of_the_game() -> None:
    line_verdicts = verdicts_of(
        OPENING
        + "Zulu bids 1\npass\npass, good luck\nadores the great eshu\nbuilds a monument at h7\nZulu ends the turn"
    )
    assert moves_of_verdicts(line_verdicts)[3:] == [
        ["bid 1"],
        ["pass"],
        ["pass"],
        ["adore eshu"],
        ["build h7"],
        ["end"],
    ]
    assert verdicts_of(OPENING + "Zulu thinks about bidding 1")[-1].verdict == "not understood", (
        "what begins with no verb is talk"
    )


def test_an_illegal_line_has_all_rules_and_is_left_out() -> None:
    line_verdicts = verdicts_of(OPENING + "kilwa: bid 9\nbid 1\nadore eshu\npass")
    wrong_bid, legal_bid, early_adoration, legal_pass = line_verdicts[3:]
    assert wrong_bid.verdict == "illegal"
    assert [refusal.code for refusal in wrong_bid.refusals] == ["R-BID-02"]
    assert (legal_bid.verdict, early_adoration.verdict, legal_pass.verdict) == ("legal", "illegal", "legal")
    assert [verdict.move for verdict in line_verdicts[3:]] == [3, 4, 4, 5]
    last_verdict = verdicts_of(OPENING + "bid 1\npass\npass\nmutapa: craft potter a1-a2 price 9")[-1]
    assert len({refusal.code for refusal in last_verdict.refusals}) > 1


def test_the_result_written_after_a_move_weighs_and_forbids_nothing() -> None:
    line_verdicts = verdicts_of(OPENING + "bid 1  -> -2 cattle\nbid 2  -> -2 cattle (+1 beer)")
    assert [(verdict.verdict, verdict.note_results) for verdict in line_verdicts[3:]] == [
        ("legal", ("-1 cattle",)),
        ("legal", ()),
    ]


def test_an_expectation_that_does_not_hold_is_illegal() -> None:
    line_verdicts = verdicts_of(OPENING + "expect kilwa.vp == 1\nexpect kilwa.vp == 2")
    assert [verdict.verdict for verdict in line_verdicts[3:]] == ["legal", "illegal"]
    assert "kilwa.vp is 1" in line_verdicts[4].refusals[0].reason


def with_results(text: str) -> str:
    """A script without its expectations and prices, with the result of each raise next to it."""
    log = parse_log(text, GAME)
    state, lines = start_state(GAME, log), [next(line for line in text.splitlines() if line.startswith("new "))]
    for line in log.lines:
        if not line.is_expectation:
            (reading,) = readings(GAME, state, line)
            accepted = GAME.rules.apply(state, *reading)
            result = " -> " + ", ".join(result_amounts(GAME, reading, accepted.events)) if "raise" in line.text else ""
            lines.append(line.text.partition(" price")[0] + result)
            state = accepted.state
    return "\n".join(lines)


def test_prices_may_be_left_out_and_a_later_line_decides() -> None:
    script = GAMES[0].read_text("utf-8")
    line_verdicts = read_logs(with_results(script), GAME)[0].verdicts
    ambiguous_verdicts = [verdict for verdict in line_verdicts if verdict.verdict == "ambiguous"]
    assert {verdict.verdict for verdict in line_verdicts} == {"legal", "ambiguous"}
    assert len(ambiguous_verdicts) == script.count(" price ") > 2
    assert all(len(verdict.readings) > 1 for verdict in ambiguous_verdicts)
    verdicts_by_deciding_line = {
        verdict.deciding_line: verdict for verdict in ambiguous_verdicts if verdict.deciding_line
    }
    assert verdicts_by_deciding_line
    for number, ambiguous_verdict in verdicts_by_deciding_line.items():
        assert number > ambiguous_verdict.line.number
        assert "raise" in next(verdict for verdict in line_verdicts if verdict.line.number == number).line.text
        priced_commands = [reading[0].command for reading in ambiguous_verdict.readings]
        assert len({command.prices[0][0] for command in priced_commands if isinstance(command, SetPrices)}) == 1
