"""Repairs of logs: the fewest changes that make a damaged log legal, as `scripts/bench audit` measures them."""

import re
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.transcripts.damaged_logs import DAMAGES, RecordedGame, damaged_log, judge_repairs, recorded_games
from zimcore.games.zimbabwe import GAME
from zimcore.toolkit.progress import ignore_progress
from zimcore.transcripts import log_replay
from zimcore.transcripts.audit_documents import audit_log, change_document
from zimcore.transcripts.beginning import start_state
from zimcore.transcripts.layouts import play_log, read_logs
from zimcore.transcripts.line_readings import LISTED, LineReading, readings
from zimcore.transcripts.own_format import parse_log
from zimcore.transcripts.records import LogLine
from zimcore.transcripts.repair import repairs
from zimcore.transcripts.typos import edit_distance
from zimcore.transcripts.verdicts import MAX_LISTED

MAX_READINGS_OF_LOG, MAX_READINGS_OF_REPAIR = 9_000, 36_000
"""Readings that are tried in a log of 1,000 lines, and with the search for repairs: it takes a second or two."""


@pytest.fixture(scope="module")
def games() -> list[RecordedGame]:
    return recorded_games(GAME, [])


def lines_of(match: RecordedGame) -> list[LogLine]:
    return [LogLine(number, text, seat) for number, (seat, text, _) in enumerate(match.moves, 1)]


@pytest.mark.parametrize("seats", [True, False], ids=["seats", "no seats"])
@pytest.mark.parametrize("kind", DAMAGES)
def test_damaged_logs_are_repaired(games: list[RecordedGame], kind: str, seats: bool) -> None:
    judgements = [
        judge_repairs(GAME, damaged_log(GAME, games, kind, Random(seed), has_seats=seats)) for seed in range(4)
    ]
    if kind == "dropped":
        assert sum(judgement["gap"] for judgement in judgements) >= 3
        assert sum(judgement["five"] for judgement in judgements) >= 2
    else:
        assert sum(judgement["first"] for judgement in judgements) == 4


def test_a_legal_log_needs_no_repair(games: list[RecordedGame]) -> None:
    assert repairs(GAME, games[0].start_state, lines_of(games[0])) == []


def test_several_faults_take_several_changes(games: list[RecordedGame]) -> None:
    match = games[0]
    original_lines = lines_of(match)
    index = next(index for index, line in enumerate(original_lines) if index > 40 and line.text == "end")
    misspelt_line = LogLine(5, original_lines[4].text.replace("adore", "adoer"), original_lines[4].seat)
    assert misspelt_line.text != original_lines[4].text
    best_repair, *_ = repairs(
        GAME,
        match.start_state,
        [*original_lines[:4], misspelt_line, *original_lines[5:index], *original_lines[index + 1 :]],
    )
    assert best_repair.is_whole
    assert [(edit.kind, edit.text) for edit in best_repair.edits] == [
        ("replaced", original_lines[4].text),
        ("put in", "end"),
    ]
    assert [(line.seat, line.text) for line in best_repair.lines] == [(line.seat, line.text) for line in original_lines]


def test_changes_are_shown_as_amend_takes_them(games: list[RecordedGame]) -> None:
    match, original_lines = games[0], lines_of(games[0])
    doubled_edit = repairs(GAME, match.start_state, [*original_lines[:4], original_lines[3], *original_lines[4:]])[
        0
    ].edits[0]
    assert change_document(doubled_edit).amend == ('amend @5 ""',) or change_document(doubled_edit).amend == (
        'amend @4 ""',
    )
    swapped_edit = repairs(GAME, match.start_state, [original_lines[1], original_lines[0], *original_lines[2:]])[
        0
    ].edits[0]
    assert change_document(swapped_edit).amend == (
        f'amend @1 "{original_lines[0].text}"',
        f'amend @2 "{original_lines[1].seat}: {original_lines[1].text}"',
    )


def test_a_log_of_noise_has_no_whole_repair(games: list[RecordedGame]) -> None:
    noise_lines = [LogLine(200 + number, "adore nobody", "kilwa") for number in range(12)]
    results = repairs(GAME, games[0].start_state, [*lines_of(games[0])[:10], *noise_lines], steps=300)
    assert not any(result.is_whole for result in results)


def test_slips_have_a_small_distance() -> None:
    assert edit_distance("pass", "psas") == edit_distance("pass", "pas") == edit_distance("pass", "paass") == 1
    assert edit_distance("d4", "d5") < edit_distance("d4", "d8")


def test_two_slips_in_a_line_are_found_though_its_words_are_not_legal_at_the_start(games: list[RecordedGame]) -> None:
    match = games[0]
    original_lines = lines_of(match)
    index, line = next((index, line) for index, line in enumerate(original_lines) if line.text.startswith("adore"))
    god = line.text.split()[1]
    misspelt_line = LogLine(line.number, f"adoer {god[1] + god[0] + god[2:]}", line.seat)
    lines_without_god = [
        other_line for other_line in original_lines if god not in other_line.text.split() or other_line is line
    ]
    assert lines_without_god == original_lines, (
        "the god stands once in the log: its word is known from what is legal there"
    )
    best_repair, *_ = repairs(
        GAME, match.start_state, [*original_lines[:index], misspelt_line, *original_lines[index + 1 :]]
    )
    assert (best_repair.is_whole, [(edit.kind, edit.text) for edit in best_repair.edits]) == (
        True,
        [("replaced", line.text)],
    )


def test_an_impossible_square_becomes_one_that_the_seat_uses_later() -> None:
    script = (Path(__file__).parents[1] / "games" / "bot-2p-015.zim").read_text("utf-8")
    plain = "\n".join(line for line in script.splitlines() if not line.startswith(("#", "expect")))
    log = parse_log(plain.replace("kilwa: build e8", "kilwa: build a5"), GAME)
    (best, *_) = repairs(GAME, start_state(GAME, log), log.lines)
    assert [(edit.kind, edit.text) for edit in best.edits] == [("replaced", "kilwa: build e8")]


def lines_with(kept: str) -> str:
    """A thousand lines, of each of which only some words are kept."""
    script = (Path(__file__).parents[1] / "games" / "mixed-5p-20139.zim").read_text("utf-8").splitlines()
    setup, *moves = (line for line in script if line and not line.startswith(("#", "expect")))
    texts = [" ".join(re.findall(kept, move.split(": ", 1)[1])) or "end" for move in moves]
    return "\n".join([setup, *islice(cycle(texts), 1_000)])


@pytest.mark.parametrize("kept", [r"^\w+", r"\b[a-z]\d+\b"], ids=["verbs", "squares"])
def test_reading_stops_where_it_takes_too_long_and_says_so(kept: str) -> None:
    """Given lines that each could be many moves, when they are read, then only some are, and no script is made."""
    log, listed = parse_log(lines_with(kept), GAME), LISTED.get()
    layout = play_log(GAME, log)
    answer = audit_log("x", GAME, layout, repair=True, report=ignore_progress)
    assert LISTED.get() - listed < 2 * MAX_LISTED
    assert (answer.stands, answer.read_to, answer.script) == (False, answer.lines[-1].number, ())
    assert 0 < len(answer.lines) < 1_000


def people_without_ends(gaps: bool) -> list[str]:
    """Moves without players and without ends of turns, perhaps with gaps."""
    moves, rng = script_moves(), Random(5)
    return [text for _, text in moves if text != "end" and not (gaps and rng.random() < 0.05)]


def chat_broken_early() -> list[str]:
    moves = script_moves()
    return [f"[20:15] {seat[0]}. {seat[1:]}: {text}" for seat, text in [*moves[:6], *moves[7:]]]


def script_moves() -> list[tuple[str, str]]:
    """The moves of a game for two."""
    script = (Path(__file__).parents[1] / "games" / "mixed-2p-10028.zim").read_text("utf-8").splitlines()
    lines = [line.split(": ", 1) for line in script if line and not line.startswith(("#", "expect", "new"))]
    return [(seat, text) for seat, text in lines]


@pytest.mark.parametrize(
    "lines",
    [people_without_ends(gaps=False), people_without_ends(gaps=True), chat_broken_early()],
    ids=["no ends", "gaps", "chat"],
)
def test_a_thousand_lines_take_a_bounded_effort(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a log that is illegal from early on, when it is read and repaired, then few readings of lines are tried."""
    counts, script = Counter[str](), (Path(__file__).parents[1] / "games" / "mixed-2p-10028.zim").read_text("utf-8")
    setup = next(line for line in script.splitlines() if line.startswith("new "))

    def count_readings(*arguments: Any) -> list[LineReading]:
        counts["readings"] += 1
        return readings(*arguments)

    monkeypatch.setattr(log_replay, "readings", count_readings)
    (layout,) = read_logs("\n".join([setup, *islice(cycle(lines), 1_000)]), GAME)
    assert counts["readings"] < MAX_READINGS_OF_LOG
    audit_log("x", GAME, layout, repair=True, report=ignore_progress)
    assert counts["readings"] < MAX_READINGS_OF_REPAIR
