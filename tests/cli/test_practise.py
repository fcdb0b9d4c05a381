"""Exercises: the choice of positions, the judgement of answers, and when they are repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from threading import Barrier, BrokenBarrierError, Thread

import pytest
from msgspec import field
from msgspec.structs import replace

from tests.cli.finished_games import FinishedGames, judged_turn, make_judged_turn, parse_africana_demo, store_analysis
from tests.cli.screen import Terminal
from tests.cli.table.conftest import WholeFrameTerminal
from zimcli.output.output import DocumentCollector
from zimcli.session.session import LeaveError
from zimcli.study import practice, practice_session
from zimcli.study.practice import Exercise, Progress, due_exercises, find_exercises
from zimcli.study.practice_session import PracticeSession
from zimcore.analysis.judgement import DEFAULT_NODES
from zimcore.analysis.judgement_cache import JudgementCache
from zimcore.analysis.judgement_files import judgement_path
from zimcore.analysis.judging import JudgedTurn
from zimcore.analysis.match_analysis import engine_version, iter_decisions
from zimcore.game import GameError
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.service import GameService, open_service
from zimcore.service.lines.visibility import EVERYTHING, Viewer
from zimcore.service.records.discussion import terms_events

TODAY = date(2026, 11, 24)


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts the user's data in a temporary folder, and fixes the date."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(practice, "current_date", lambda: TODAY)
    monkeypatch.setattr(practice_session, "current_date", lambda: TODAY)
    return tmp_path


class LineCollector(DocumentCollector, frozen=True):
    """Output that collects the lines it shows."""

    shown_lines: list[str] = field(default_factory=list)

    def show_blocks(self, blocks: object) -> None:
        self.shown_lines.extend("".join(text for text, _ in block) for block in blocks)  # type: ignore[attr-defined]


@pytest.fixture
def service(finished_games: FinishedGames) -> Iterator[GameService]:
    store_analysis(finished_games)
    service = open_service(finished_games.store)
    yield service
    service.store.close()


def list_exercises(service: GameService, by: str = "anna", *, of_all_players: bool = False) -> list[Exercise]:
    return list(find_exercises(service, ["k/main", "a/main"], by, of_all_players=of_all_players))


def begin_practice(service: GameService, *, times: int = 1) -> PracticeSession:
    (exercise,) = list_exercises(service)
    return PracticeSession(LineCollector(shown_lines=[]), "anna", [exercise] * times)


def collected_text(session: PracticeSession) -> str:
    assert isinstance(session.output, LineCollector)
    return "\n".join(session.output.shown_lines)


def playable_turn(session: PracticeSession) -> str:
    """The turn of the exercise, as a line that can be typed."""
    return "; ".join(session.exercise.turn.commands)


def set_judgement(monkeypatch: pytest.MonkeyPatch, loss: float) -> None:
    """Makes the judge say that each turn gives away `loss`."""
    judgement = judged_turn(loss, "adore engai", "end") if loss else judged_turn(loss)

    def judge(*_: object) -> JudgedTurn:
        return judgement

    monkeypatch.setattr(practice_session, "judge_turn", judge)


def test_exercises_are_your_own_turns(service: GameService, finished_games: FinishedGames) -> None:
    (exercise,) = list_exercises(service)
    assert exercise.turn.seat == "kilwa"
    assert exercise.turn.word == "blunder"
    assert list_exercises(service, "somebody") == [exercise], "a stranger gets the turns that people played"
    assert list_exercises(service, "bot quick") == [exercise]
    assert not [exercise for exercise in list_exercises(service, of_all_players=True) if exercise.turn.seat == "zulu"]


def test_exercises_of_all_players_include_those_of_bots(finished_games: FinishedGames) -> None:
    bad_decision = next(
        decision for decision in finished_games.decisions if decision.seat == "zulu" and len(decision.commands) > 1
    )
    cache = JudgementCache(finished_games.analysis_file, engine_version(ZIMBABWE), DEFAULT_NODES, 0)
    for decision in finished_games.decisions:
        cache.store(decision.digest, make_judged_turn(decision, bad_decision.last))
    service = open_service(finished_games.store)
    assert list_exercises(service) == []
    assert [exercise.turn.seat for exercise in list_exercises(service, of_all_players=True)] == ["zulu"]
    service.store.close()


def test_a_turn_that_gives_nothing_away_solves_an_exercise(
    service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_judgement(monkeypatch, 0.0)
    session = begin_practice(service, times=2)
    digest_before = service.head("k/main").commit.digest
    session.run_line(playable_turn(session))
    assert "✓ right" in collected_text(session)
    assert "asked again from 2026-11-25" in collected_text(session)
    assert session.number == 1
    assert session.current
    assert session.current.commit.number == session.exercise.turn.first - 1
    with pytest.raises(LeaveError):
        session.run_line(playable_turn(session))
    assert "2 of 2 solved" in collected_text(session)
    assert practice.load_progress()[session.exercise.key] == Progress(2, TODAY + timedelta(days=3))
    assert service.head("k/main").commit.digest == digest_before, "games stay as they are"


def test_a_bad_turn_is_taken_back_and_the_best_is_shown_after_two(
    service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_judgement(monkeypatch, 0.12)
    session = begin_practice(service, times=2)
    first_command, *later_commands = session.exercise.turn.commands
    assert later_commands
    session.run_line(first_command)
    assert "mistake" not in collected_text(session), "the turn goes on"
    session.run_line("; ".join(later_commands))
    assert "mistake, -12 points" in collected_text(session)
    assert "adore engai" not in collected_text(session)
    assert session.current
    assert session.current.commit.number == session.exercise.turn.first - 1
    session.run_line(playable_turn(session))
    assert "best is adore engai; end" in collected_text(session)
    assert session.number == 1
    assert practice.load_progress()[session.exercise.key] == Progress(0, TODAY + timedelta(days=1))


def test_an_exercise_solved_at_the_second_try_keeps_its_interval(
    service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    (exercise,) = list_exercises(service)
    practice.save_progress(exercise.key, Progress(3, TODAY))
    session = begin_practice(service, times=2)
    set_judgement(monkeypatch, 0.12)
    session.run_line(playable_turn(session))
    set_judgement(monkeypatch, 0.0)
    session.run_line(playable_turn(session))
    assert practice.load_progress()[exercise.key] == Progress(3, TODAY + timedelta(days=7))


def test_a_turn_of_an_exercise_is_judged_as_a_hint_is(service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin_practice(service, times=2)
    from zimcore.analysis import judging
    from zimcore.analysis.judging import judge_turn
    from zimcore.history.replay_states import final_state

    commits = service.log("k/main")
    turn = session.exercise.turn
    state_before = final_state(session.exercise.game, commits[: turn.first])
    state_after = final_state(session.exercise.game, commits[: turn.last + 1])
    commands = [commit.command for commit in commits[turn.first : turn.last + 1]]
    monkeypatch.setattr(
        judging, "MISTAKE_WORDS", {0.01: "inaccuracy"}
    )  # with two players, chances are still nearly even here
    expected = judge_turn(session.exercise.game, state_before, turn.seat, commands, state_after)
    session.run_line(playable_turn(session))
    assert expected.word, "else another seed is needed"
    assert f"{expected.word}, -{100 * expected.loss:.0f} points" in collected_text(session)


@pytest.mark.parametrize("line", ["hint", "advice", "analyse", "whatif", "bot quick", "plan"])
def test_commands_that_tell_the_answer_are_refused(service: GameService, line: str) -> None:
    session = begin_practice(service)
    with pytest.raises(GameError, match="not shown in an exercise"):
        session.run_line(line)


@pytest.mark.parametrize("line", ["new", "fork x", "switch main", "delete k", "play k"])
def test_commands_that_leave_the_exercise_are_refused(service: GameService, line: str) -> None:
    session = begin_practice(service)
    with pytest.raises(GameError, match="not for an exercise"):
        session.run_line(line)
    session.run_line("show")
    session.run_line("legal")
    assert session.current
    assert session.current.match == "exercise-1"


def test_moves_of_an_exercise_are_undone(service: GameService) -> None:
    session = begin_practice(service)
    session.run_line(session.exercise.turn.commands[0])
    session.run_line("undo")
    assert session.current
    assert session.current.commit.number == session.exercise.turn.first - 1
    assert not practice.load_progress()


@pytest.mark.parametrize("line", ["undo 2", "goto @3", "undo; undo 2"])
def test_an_exercise_is_not_solved_in_another_position(
    service: GameService, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    set_judgement(monkeypatch, 0.0)
    session = begin_practice(service)
    commit = session.start_position.commit
    with pytest.raises(GameError, match=f"the exercise begins at @{commit.number}"):
        session.run_line(line)
    assert session.current
    assert session.current.commit.digest == commit.digest
    assert not practice.load_progress()
    with pytest.raises(LeaveError):
        session.run_line(playable_turn(session))
    assert "1 of 1 solved" in collected_text(session)


@pytest.mark.parametrize("line", ["do pass --as zulu", "do --as=zulu pass", "undo --as zulu"])
def test_other_seats_are_not_played_in_an_exercise(service: GameService, line: str) -> None:
    session = begin_practice(service)
    with pytest.raises(GameError, match="--as is not for an exercise"):
        session.run_line(line)
    assert session.current
    assert session.current.commit.digest == session.start_position.commit.digest


def test_progress_stored_at_the_same_time_is_all_kept(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_progress, barrier = practice.load_progress, Barrier(2)

    def slow_load() -> dict[str, Progress]:
        progress = load_progress()
        with suppress(BrokenBarrierError):
            barrier.wait(0.3)  # both have read before either writes, if nothing hinders them
        return progress

    monkeypatch.setattr(practice, "load_progress", slow_load)
    threads = [Thread(target=practice.save_progress, args=(key, Progress(1, TODAY))) for key in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load_progress() == {"a": Progress(1, TODAY), "b": Progress(1, TODAY)}
    assert sorted(path.name for path in (data_folder / "zim").iterdir()) == ["practice.json", "practice.json.lock"]


def test_skip_stores_no_progress(service: GameService) -> None:
    session = begin_practice(service)
    with pytest.raises(LeaveError):
        session.run_line("skip")
    assert "0 of 1 solved" in collected_text(session)
    assert not practice.load_progress()


def test_hands_of_others_stay_hidden(finished_games: FinishedGames) -> None:
    result = finished_games.zim("analyse", "a@60", "--nodes", "1", "--open")
    assert result.exit_code == 0, result.output
    service = open_service(finished_games.store)
    hidden_exercises = list_exercises(service, of_all_players=True)
    assert hidden_exercises, "if not, analyse one move more"
    session = PracticeSession(LineCollector(shown_lines=[]), "anna", hidden_exercises)
    assert session.viewer == Viewer(hidden_exercises[0].turn.seat)
    assert session.current
    assert session.current.seen_by == hidden_exercises[0].turn.seat
    # The tests share this folder.
    judgement_path(finished_games.analysis_file.parent, service.position("a/main@0").commit.digest).unlink()
    service.store.close()


def test_a_match_with_hidden_hands_has_no_exercise_before_its_end(finished_games: FinishedGames) -> None:
    service = open_service(finished_games.store)
    options, moves = parse_africana_demo(AFRICANA.texts.demo())
    service.new("africana", options, name="going", by="anna")
    for move in moves[:60]:
        service.play("going", move, by="anna", viewer=EVERYTHING)
    assert finished_games.zim("analyse", "going", "--nodes", "1", "--open").exit_code == 0
    assert list(find_exercises(service, ["going/main"], "anna", of_all_players=True)) == []
    service.delete("going", by="anna")
    service.store.close()


def test_a_game_without_help_has_no_exercise_before_its_end(finished_games: FinishedGames) -> None:
    service, exercises_by_match = open_service(finished_games.store), {}
    for match_name, allows_help in (("helped", True), ("alone", False)):
        events, options = terms_events("ask", helps=allows_help), {"players": "kilwa,zulu", "seed": "7"}
        service.new("zimbabwe", options, name=match_name, by="anna", agreed=events)
        for commit in finished_games.commits[1:20]:
            service.play_or_raise(match_name, commit.command, seat=commit.seat, by="anna")
        commits = service.log(f"{match_name}/main")
        cache = JudgementCache(
            judgement_path(finished_games.analysis_file.parent, commits[0].digest),
            engine_version(ZIMBABWE),
            DEFAULT_NODES,
            0,
        )
        for decision, _, _ in iter_decisions(ZIMBABWE, commits):
            cache.store(decision.digest, make_judged_turn(decision, decision.last))
        exercises_by_match[match_name] = list(
            find_exercises(service, [f"{match_name}/main"], "anna", of_all_players=True)
        )
        service.delete(match_name, by="anna")
    assert exercises_by_match["helped"]
    assert not exercises_by_match["alone"]
    service.store.close()


def test_due_exercises_come_first(service: GameService) -> None:
    (exercise,) = list_exercises(service)
    exercises = [
        exercise._replace(key=exercise_key, turn=replace(exercise.turn, given=loss))
        for exercise_key, loss in zip("abcd", (0.1, 0.3, 0.2, 0.9), strict=True)
    ]
    progress = {
        "a": Progress(1, TODAY),
        "c": Progress(1, TODAY - timedelta(days=2)),
        "d": Progress(1, TODAY + timedelta(days=1)),
    }
    assert [exercise.key for exercise in due_exercises(exercises, progress, TODAY)] == ["c", "a", "b"]


def test_an_invalid_progress_file_is_an_error(data_folder: Path) -> None:
    (data_folder / "zim").mkdir()
    (data_folder / "zim" / "practice.json").write_text('{"a": 3}')
    with pytest.raises(GameError, match=r"practice\.json"):
        practice.load_progress()


def test_the_list_shows_exercises_with_their_due_dates(finished_games: FinishedGames) -> None:
    store_analysis(finished_games)
    result = finished_games.zim("--by", "anna", "practise", "--list")
    assert result.exit_code == 0, result.output
    assert "blunder, -20  not asked yet" in result.stdout
    document = json.loads(finished_games.zim("--by", "anna", "practise", "k/main@5", "--json").stdout)
    (exercise,) = document["exercises"]
    assert (exercise["seat"], exercise["word"], exercise["due"]) == ("kilwa", "blunder", None)
    practice.save_progress(
        next(
            decision.digest
            for decision in finished_games.decisions
            if decision.first == int(exercise["place"].partition("@")[2]) + 1
        ),
        Progress(1, TODAY),
    )
    assert "due 2026-11-24" in finished_games.zim("--by", "anna", "practise", "--list").stdout
    result = finished_games.zim("practise", "--from", finished_games.store, "--json")
    assert len(json.loads(result.stdout)["exercises"]) == 1


def test_practise_without_an_analysis_proposes_analyse(finished_games: FinishedGames) -> None:
    refusal = finished_games.zim("practise")
    assert refusal.exit_code == 2
    assert "nothing to practise" in refusal.output
    assert "zim analyse k" in refusal.output
    assert finished_games.zim("practise", "nobody").exit_code == 2


def test_practise_needs_a_terminal_and_the_shell(finished_games: FinishedGames) -> None:
    store_analysis(finished_games)
    refusal = finished_games.zim("--by", "anna", "practise")
    assert refusal.exit_code == 2
    assert "practise needs a terminal" in refusal.output
    result = finished_games.zim("--by", "anna", "run", "-", stdin="play k\npractise\n")
    assert "practise begins in the shell" in result.output


@pytest.mark.parametrize(("lines", "columns"), [(30, 100), (24, 80)])
def test_an_exercise_is_asked_at_the_table(finished_games: FinishedGames, lines: int, columns: int) -> None:
    store_analysis(finished_games)
    practise_command = ("-m", "zimcli", "--store", finished_games.store, "--by", "anna", "practise")
    terminal = WholeFrameTerminal(finished_games.home, *practise_command, lines=lines, columns=columns, thinking=True)
    text = terminal.wait_for_text("Play a better turn")
    assert "─ practise" in text
    assert "1 of 1" in text
    assert "you are Kilwa" in text
    assert "worth a look" not in text
    assert "F6 hint" not in text
    assert "by what it brings" not in text
    terminal.type_keys("hint\r")
    terminal.wait_for_text("hint is not shown in an exercise")
    terminal.type_keys("\x03")
    terminal.wait_until(lambda text: "hint is not shown in an exercise" not in text and "Play a better turn" in text)
    terminal.type_keys("skip\r")
    assert "0 of 1 solved" in terminal.wait_for_silence()
    terminal.child.close(force=True)


def test_an_exercise_is_asked_line_by_line(finished_games: FinishedGames) -> None:
    store_analysis(finished_games)
    practise_command = ("-m", "zimcli", "--store", finished_games.store, "--by", "anna", "practise", "--lines")
    terminal = Terminal(finished_games.home, *practise_command)
    terminal.wait_for_text("Play a better turn")
    terminal.wait_for_text("exercise-1 main @")
    terminal.type_keys("skip\r")
    terminal.wait_for_text("0 of 1 solved")
    terminal.child.close(force=True)
