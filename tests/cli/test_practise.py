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

from tests.cli.finished import FinishedGames, judged_turn, keep, moves_of
from tests.cli.screen import Terminal
from tests.cli.table.conftest import WholeFrames
from zimcli import practice, practice_session
from zimcli.output import DocumentCollector
from zimcli.practice import Exercise, Progress, due_exercises, find_exercises
from zimcli.practice_session import PracticeSession
from zimcli.session import LeaveError
from zimcore.analysis.judgement import NODES
from zimcore.analysis.judgement_cache import JudgementCache
from zimcore.analysis.judgement_files import file_in
from zimcore.analysis.judging import JudgedTurn
from zimcore.analysis.match_analysis import decisions, engine
from zimcore.chances import Chance
from zimcore.game import GameError
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.service import GameService, open_service
from zimcore.service.discussion import terms_events
from zimcore.service.visibility import EVERYTHING, Viewer

TODAY = date(2026, 11, 24)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data are elsewhere, and it is always the same day."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(practice, "today", lambda: TODAY)
    monkeypatch.setattr(practice_session, "today", lambda: TODAY)
    return tmp_path


class LineCollector(DocumentCollector, frozen=True):
    """Output that collects the lines it shows."""

    collected: list[str] = field(default_factory=list)

    def show_blocks(self, blocks: object) -> None:
        self.collected.extend("".join(text for text, _ in each) for each in blocks)  # type: ignore[attr-defined]


@pytest.fixture
def service(finished: FinishedGames) -> Iterator[GameService]:
    keep(finished)
    service = open_service(finished.store)
    yield service
    service.store.close()


def exercises_of(service: GameService, by: str = "anna", *, of_all: bool = False) -> list[Exercise]:
    return list(find_exercises(service, ["k/main", "a/main"], by, of_all=of_all))


def practise(service: GameService, *, times: int = 1) -> PracticeSession:
    (one,) = exercises_of(service)
    return PracticeSession(LineCollector(collected=[]), "anna", [one] * times)


def collected_text(session: PracticeSession) -> str:
    assert isinstance(session.out, LineCollector)
    return "\n".join(session.out.collected)


def a_turn(session: PracticeSession) -> str:
    """A turn that can be played."""
    return "; ".join(session.exercise.turn.commands)


def says(monkeypatch: pytest.MonkeyPatch, loss: float) -> None:
    """What the judge says of each turn."""
    chances = {"kilwa": Chance(0.4), "zulu": Chance(0.6)}
    best = ("adore engai", "end") if loss else ()
    turn = JudgedTurn(
        before=chances, chances=chances, chance=0.4, best=best, best_chance=0.6, given=loss, error=0.0, nodes=9
    )

    def judge(*_: object) -> JudgedTurn:
        return turn

    monkeypatch.setattr(practice_session, "judge", judge)


def test_your_own_turns_are_asked_about(service: GameService, finished: FinishedGames) -> None:
    (one,) = exercises_of(service)
    assert one.turn.seat == "kilwa"
    assert one.turn.word == "blunder"
    assert exercises_of(service, "somebody") == [one], "who has not played there learns from what people played"
    assert exercises_of(service, "bot quick") == [one]
    assert not [exercise for exercise in exercises_of(service, of_all=True) if exercise.turn.seat == "zulu"]


def test_of_another_store_all_are_asked_about(finished: FinishedGames, monkeypatch: pytest.MonkeyPatch) -> None:
    worst = next(each for each in finished.decisions if each.seat == "zulu" and len(each.commands) > 1)
    cache = JudgementCache(finished.file, engine(ZIMBABWE), NODES, 0)
    for each in finished.decisions:
        cache.keep(each.digest, judged_turn(each, worst.last))
    service = open_service(finished.store)
    assert exercises_of(service) == []
    assert [each.turn.seat for each in exercises_of(service, of_all=True)] == ["zulu"]
    service.store.close()


def test_a_turn_that_gives_nothing_away_solves_it(service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, 0.0)
    session = practise(service, times=2)
    before = service.head("k/main").commit.digest
    session.execute(a_turn(session))
    assert "✓ right" in collected_text(session)
    assert "asked again from 2026-11-25" in collected_text(session)
    assert session.number == 1
    assert session.current
    assert session.current.commit.number == session.exercise.turn.first - 1
    with pytest.raises(LeaveError):
        session.execute(a_turn(session))
    assert "2 of 2 solved" in collected_text(session)
    assert practice.load_progress()[session.exercise.key] == Progress(2, TODAY + timedelta(days=3))
    assert service.head("k/main").commit.digest == before, "games stay as they are"


def test_a_bad_turn_is_taken_back_and_the_best_is_shown_after_two(
    service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, 0.12)
    session = practise(service, times=2)
    first, *rest = session.exercise.turn.commands
    assert rest
    session.execute(first)
    assert "mistake" not in collected_text(session), "the turn goes on"
    session.execute("; ".join(rest))
    assert "mistake, -12 points" in collected_text(session)
    assert "adore engai" not in collected_text(session)
    assert session.current
    assert session.current.commit.number == session.exercise.turn.first - 1
    session.execute(a_turn(session))
    assert "best is adore engai; end" in collected_text(session)
    assert session.number == 1
    assert practice.load_progress()[session.exercise.key] == Progress(0, TODAY + timedelta(days=1))


def test_solved_at_the_second_try_it_comes_again_as_soon_as_before(
    service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = exercises_of(service)
    practice.save_progress(one.key, Progress(3, TODAY))
    session = practise(service, times=2)
    says(monkeypatch, 0.12)
    session.execute(a_turn(session))
    says(monkeypatch, 0.0)
    session.execute(a_turn(session))
    assert practice.load_progress()[one.key] == Progress(3, TODAY + timedelta(days=7))


def test_it_is_judged_as_a_hint_is(service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    session = practise(service, times=2)
    from zimcore.analysis import judging
    from zimcore.analysis.judging import judge
    from zimcore.history.replay_states import end

    commits = service.log("k/main")
    turn = session.exercise.turn
    before = end(session.exercise.game, commits[: turn.first])
    after = end(session.exercise.game, commits[: turn.last + 1])
    commands = [commit.command for commit in commits[turn.first : turn.last + 1]]
    monkeypatch.setattr(judging, "WORDS", {0.01: "inaccuracy"})  # with two, chances are nearly even so early
    expected = judge(session.exercise.game, before, turn.seat, commands, after)
    session.execute(a_turn(session))
    assert expected.word, "else another seed is needed"
    assert f"{expected.word}, -{100 * expected.given:.0f} points" in collected_text(session)


@pytest.mark.parametrize("line", ["hint", "advice", "analyse", "whatif", "bot quick", "plan"])
def test_what_would_tell_it_is_refused(service: GameService, line: str) -> None:
    session = practise(service)
    with pytest.raises(GameError, match="not told in an exercise"):
        session.execute(line)


@pytest.mark.parametrize("line", ["new", "fork x", "switch main", "delete k", "play k"])
def test_what_leads_elsewhere_is_refused(service: GameService, line: str) -> None:
    session = practise(service)
    with pytest.raises(GameError, match="not for an exercise"):
        session.execute(line)
    session.execute("show")
    session.execute("legal")
    assert session.current
    assert session.current.match == "exercise-1"


def test_moves_are_taken_back_as_before(service: GameService) -> None:
    session = practise(service)
    session.execute(session.exercise.turn.commands[0])
    session.execute("undo")
    assert session.current
    assert session.current.commit.number == session.exercise.turn.first - 1
    assert not practice.load_progress()


@pytest.mark.parametrize("line", ["undo 2", "goto @3", "undo; undo 2"])
def test_it_is_not_solved_in_another_position(service: GameService, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    says(monkeypatch, 0.0)
    session = practise(service)
    commit = session.start_position.commit
    with pytest.raises(GameError, match=f"the exercise begins at @{commit.number}"):
        session.execute(line)
    assert session.current
    assert session.current.commit.digest == commit.digest
    assert not practice.load_progress()
    with pytest.raises(LeaveError):
        session.execute(a_turn(session))
    assert "1 of 1 solved" in collected_text(session)


@pytest.mark.parametrize("line", ["do pass --as zulu", "do --as=zulu pass", "undo --as zulu"])
def test_other_seats_are_not_played(service: GameService, line: str) -> None:
    session = practise(service)
    with pytest.raises(GameError, match="--as is not for an exercise"):
        session.execute(line)
    assert session.current
    assert session.current.commit.digest == session.start_position.commit.digest


def test_two_who_practise_at_once_keep_all(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load, reading = practice.load_progress, Barrier(2)

    def slow_load() -> dict[str, Progress]:
        progress = load()
        with suppress(BrokenBarrierError):
            reading.wait(0.3)  # both have read before either writes, if nothing hinders them
        return progress

    monkeypatch.setattr(practice, "load_progress", slow_load)
    both = [Thread(target=practice.save_progress, args=(key, Progress(1, TODAY))) for key in "ab"]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert load() == {"a": Progress(1, TODAY), "b": Progress(1, TODAY)}
    assert sorted(path.name for path in (data / "zim").iterdir()) == ["practice.json", "practice.json.lock"]


def test_skip_keeps_nothing(service: GameService) -> None:
    session = practise(service)
    with pytest.raises(LeaveError):
        session.execute("skip")
    assert "0 of 1 solved" in collected_text(session)
    assert not practice.load_progress()


def test_hands_of_others_stay_hidden(finished: FinishedGames) -> None:
    analysed = finished.zim("analyse", "a@60", "--nodes", "1", "--open")
    assert analysed.exit_code == 0, analysed.output
    service = open_service(finished.store)
    questions = exercises_of(service, of_all=True)
    assert questions, "else a move of more is needed"
    session = PracticeSession(LineCollector(collected=[]), "anna", questions)
    assert session.viewer == Viewer(questions[0].turn.seat)
    assert session.current
    assert session.current.seen_by == questions[0].turn.seat
    file_in(finished.file.parent, service.position("a/main@0").commit.digest).unlink()
    service.store.close()


def test_a_match_with_hidden_hands_asks_nothing_before_it_is_over(finished: FinishedGames) -> None:
    service = open_service(finished.store)
    options, moves = moves_of(AFRICANA.texts.demo())
    service.new("africana", options, name="going", by="anna")
    for move in moves[:60]:
        service.play("going", move, by="anna", viewer=EVERYTHING)
    assert finished.zim("analyse", "going", "--nodes", "1", "--open").exit_code == 0
    assert list(find_exercises(service, ["going/main"], "anna", of_all=True)) == []
    service.delete("going", by="anna")
    service.store.close()


def test_where_no_program_helps_nothing_is_asked_before_the_end(finished: FinishedGames) -> None:
    service, questions = open_service(finished.store), {}
    for name, helps in (("n", True), ("h", False)):
        events, options = terms_events("ask", helps=helps), {"players": "kilwa,zulu", "seed": "7"}
        service.new("zimbabwe", options, name=name, by="anna", agreed=events)
        for commit in finished.commits[1:20]:
            service.play_or_raise(name, commit.command, seat=commit.seat, by="anna")
        commits = service.log(f"{name}/main")
        cache = JudgementCache(file_in(finished.file.parent, commits[0].digest), engine(ZIMBABWE), NODES, 0)
        for each, _, _ in decisions(ZIMBABWE, commits):
            cache.keep(each.digest, judged_turn(each, each.last))
        questions[name] = list(find_exercises(service, [f"{name}/main"], "anna", of_all=True))
        service.delete(name, by="anna")
    assert questions["n"]
    assert not questions["h"]
    service.store.close()


def test_what_is_due_is_asked_first(service: GameService) -> None:
    (one,) = exercises_of(service)
    four = [
        one._replace(key=key, turn=replace(one.turn, given=loss))
        for key, loss in zip("abcd", (0.1, 0.3, 0.2, 0.9), strict=True)
    ]
    progress = {
        "a": Progress(1, TODAY),
        "c": Progress(1, TODAY - timedelta(days=2)),
        "d": Progress(1, TODAY + timedelta(days=1)),
    }
    assert [each.key for each in due_exercises(four, progress, TODAY)] == ["c", "a", "b"]


def test_a_file_that_is_not_ours_is_named(data: Path) -> None:
    (data / "zim").mkdir()
    (data / "zim" / "practice.json").write_text('{"a": 3}')
    with pytest.raises(GameError, match=r"practice\.json"):
        practice.load_progress()


def test_the_list_says_what_there_is(finished: FinishedGames) -> None:
    keep(finished)
    result = finished.zim("--by", "anna", "practise", "--list")
    assert result.exit_code == 0, result.output
    assert "blunder, -20  not asked yet" in result.stdout
    document = json.loads(finished.zim("--by", "anna", "practise", "k/main@5", "--json").stdout)
    (one,) = document["exercises"]
    assert (one["seat"], one["word"], one["due"]) == ("kilwa", "blunder", None)
    practice.save_progress(
        next(each.digest for each in finished.decisions if each.first == int(one["place"].partition("@")[2]) + 1),
        Progress(1, TODAY),
    )
    assert "due 2026-11-24" in finished.zim("--by", "anna", "practise", "--list").stdout
    from_store = finished.zim("practise", "--from", finished.store, "--json")
    assert len(json.loads(from_store.stdout)["exercises"]) == 1


def test_without_an_analysis_it_says_what_to_type(finished: FinishedGames) -> None:
    refused = finished.zim("practise")
    assert refused.exit_code == 2
    assert "nothing to practise" in refused.output
    assert "zim analyse k" in refused.output
    assert finished.zim("practise", "nobody").exit_code == 2


def test_a_pipe_gets_a_hint_how_to_list(finished: FinishedGames) -> None:
    keep(finished)
    refused = finished.zim("--by", "anna", "practise")
    assert refused.exit_code == 2
    assert "practise needs a terminal" in refused.output
    inside = finished.zim("--by", "anna", "run", "-", typed="play k\npractise\n")
    assert "practise begins in the shell" in inside.output


@pytest.mark.parametrize(("lines", "columns"), [(30, 100), (24, 80)])
def test_it_is_asked_at_the_table(finished: FinishedGames, lines: int, columns: int) -> None:
    keep(finished)
    words = ("-m", "zimcli", "--store", finished.store, "--by", "anna", "practise")
    terminal = WholeFrames(finished.home, *words, lines=lines, columns=columns, thinking=True)
    text = terminal.see("Play a better turn")
    assert "─ practise" in text
    assert "1 of 1" in text
    assert "you are Kilwa" in text
    assert "worth a look" not in text
    assert "F6 hint" not in text
    assert "by what it brings" not in text
    terminal.type("hint\r")
    terminal.see("hint is not told in an exercise")
    terminal.type("\x03")
    terminal.wait(lambda text: "hint is not told" not in text and "Play a better turn" in text)
    terminal.type("skip\r")
    assert "0 of 1 solved" in terminal.settle()
    terminal.child.close(force=True)


def test_it_is_asked_line_by_line(finished: FinishedGames) -> None:
    keep(finished)
    words = ("-m", "zimcli", "--store", finished.store, "--by", "anna", "practise", "--lines")
    terminal = Terminal(finished.home, *words)
    terminal.see("Play a better turn")
    terminal.see("exercise-1 main @")
    terminal.type("skip\r")
    terminal.see("0 of 1 solved")
    terminal.child.close(force=True)
