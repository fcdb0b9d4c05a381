"""Which lines of a log are wrong, and which only follow from them: logs damaged as `scripts/bench audit` does it."""

from random import Random

import pytest

from tests.transcripts.damaged_logs import (
    TYPED_DAMAGES,
    RecordedGame,
    damage_typed_lines,
    damaged_typed_log,
    judge_repairs,
    recorded_games,
)
from zimcore.documents.audits import AuditedLog
from zimcore.games.zimbabwe import GAME
from zimcore.transcripts.audit_documents import audit_log, script_runs
from zimcore.transcripts.beginning import start_state
from zimcore.transcripts.causes import find_causes
from zimcore.transcripts.layouts import play_log
from zimcore.transcripts.own_format import parse_log
from zimcore.transcripts.verdicts import verdicts

SET_UP_LINE = (
    "new players=3 map=7.2,0.3,1.3,2.3,5.3,3.0 gods=eshu,engai,elegua,anansi specialists=none order=kilwa,mutapa,zulu"
)
OPENING = f"{SET_UP_LINE}\nkilwa: start l12\nmutapa: start l9\nzulu: start j7\n"


def audit(text: str, *, repair: bool = False) -> AuditedLog:
    log = parse_log(text, GAME)
    return audit_log("log", GAME, play_log(GAME, log), repair=repair, report=lambda count, total: None)


@pytest.fixture(scope="module")
def games() -> list[RecordedGame]:
    return recorded_games(GAME, [])


@pytest.mark.parametrize("kind", TYPED_DAMAGES)
def test_causes_of_logs_damaged_by_words_are_found(games: list[RecordedGame], kind: str) -> None:
    judgements = [judge_repairs(GAME, damaged_typed_log(GAME, games, kind, Random(seed))) for seed in range(4)]
    assert sum(judgement["cause"] for judgement in judgements) == 4
    assert sum(judgement["first"] for judgement in judgements) >= 3


@pytest.mark.parametrize("seed", range(20))
def test_seats_are_exchanged_though_one_has_all_last_lines(seed: int) -> None:
    original_lines = {1: "zulu: start c3", 2: "kilwa: pass", 3: "zulu: bid 1", 4: "zulu: build d4", 5: "zulu: end"}
    damaged_lines = dict(original_lines)
    first_number, second_number = damage_typed_lines("exchanged", damaged_lines, Random(seed))
    assert [number for number in original_lines if damaged_lines[number] != original_lines[number]] == [
        first_number,
        second_number,
    ]
    assert damaged_lines[first_number].split()[1:] == original_lines[first_number].split()[1:]
    assert damaged_lines[first_number].split()[0] == original_lines[second_number].split()[0]


def test_each_illegal_line_is_a_cause_or_follows_from_one() -> None:
    log = audit(OPENING + "zulu: bid 1\nmutapa: psas\nkilwa: pass\nzulu: adore eshu\nzulu: edn\nkilwa: adore anansi\n")
    assert [(cause.number, cause.consequences) for cause in log.causes] == [(6, 2), (9, 1)]
    assert [(line.number, line.follows) for line in log.lines if line.follows] == [(7, 6), (8, 6), (10, 9)]
    assert [cause.change and cause.change.text for cause in log.causes] == ["mutapa: pass", "zulu: end"]
    assert not log.proposals, "they are asked for by --repair"


def test_a_legal_line_can_be_the_cause() -> None:
    log = audit(
        OPENING + "zulu: bid 1\nkilwa: bid 2\nmutapa: pass\nzulu: adore eshu\nzulu: end\nmutapa: adore anansi\n"
    )
    first_cause = log.causes[0]
    assert first_cause.number < next(line.number for line in log.lines if line.follows)


def test_without_a_repair_the_first_illegal_line_is_the_cause() -> None:
    log = parse_log(OPENING + "zulu: bid 9\nzulu: bid 8\nzulu: bid 7\n", GAME)
    (cause,) = find_causes(list(verdicts(GAME, start_state(GAME, log), log.lines)), None)
    assert (cause.line.number, [line.number for line in cause.consequences], cause.edit) == (5, [6, 7], None)


def test_a_log_may_leave_out_all_ends_of_turns() -> None:
    log = audit(OPENING + "zulu: bid 1\nzulu: adore eshu\nzulu: build h7\nkilwa: adore anansi\n")
    assert (log.stands, log.unwritten) == (True, {"pass": 2, "end": 1}), "the last turn goes on"
    assert script_runs(GAME, start_state(GAME, parse_log(OPENING, GAME)), log.script[1:])
    log_with_one_end = audit(
        OPENING + "zulu: bid 1\npass\npass\nzulu: adore eshu\nzulu: build h7\nkilwa: adore anansi\nend\n"
    )
    assert not log_with_one_end.stands, "what a log writes elsewhere is missing where it does not"


def test_a_script_with_a_wrong_line_does_not_run() -> None:
    state = start_state(GAME, parse_log(OPENING, GAME))
    legal_lines = ["kilwa: start l12", "mutapa: start l9", "expect kilwa.vp == 1", "zulu: start j7"]
    assert script_runs(GAME, state, legal_lines)
    for wrong_line in ("expect kilwa.vp == 2", "j7", "zulu: start l9"):
        assert not script_runs(GAME, state, [*legal_lines[:3], wrong_line])


def test_an_edit_of_a_seat_is_typed_with_it() -> None:
    log = audit(OPENING + "kilwa: bid 1\nmutapa: pass\n", repair=True)
    (change,) = log.proposals[0].changes
    assert (change.kind, change.text, change.amend) == ("replaced", "zulu: bid 1", ('amend @4 "zulu: bid 1"',))


def test_a_word_that_is_near_one_of_the_game_is_not_left_out() -> None:
    log = audit(OPENING + "zulu: bid 1\nmutapa: pass\nkilwa: pass\nzulu: adore esu\nzulu: end\n", repair=True)
    assert (log.causes[0].number, log.proposals[0].changes[0].text) == (8, "zulu: adore eshu")
    for words in ("adores the esu", "adore nobody", "builds a hut", "adore zzz"):
        log = audit(OPENING + f"zulu: bid 1\nmutapa: pass\nkilwa: pass\nzulu: {words}\nzulu: end\n")
        assert [line.number for line in log.lines if line.verdict == "not understood"] == [8], words
