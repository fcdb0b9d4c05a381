"""The end of a game at the table and the prompt: result, turning points and next steps."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from event_store import EventStore
from tests.cli.conftest import Zim
from tests.cli.finished_games import FinishedGames, parse_africana_demo, store_analysis
from tests.cli.screen import Terminal
from tests.cli.table.conftest import WholeFrameTerminal
from zimcli.output.output import Output
from zimcli.render.spans import line_text
from zimcli.session.session import Session
from zimcli.study.game_end import (
    EndAnalysis,
    GameEnd,
    NextStep,
    analyses,
    game_end,
    next_steps,
    rematch_name,
    turning_points,
)
from zimcli.study.game_end_blocks import end_blocks
from zimcore.commits import Position
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.picture.replay import figures_of
from zimcore.service import GameService, open_service
from zimcore.service.lines.visibility import EVERYTHING, Viewer
from zimcore.service.records.discussion import terms_events


def end_text(position: Position, end: GameEnd, analysis: EndAnalysis) -> str:
    blocks = end_blocks(position, end, analysis, next_steps(end, position, analysis, is_thinking_on=True))
    return "\n".join(line_text(block) for block in blocks if isinstance(block, list))


def second_try(end: GameEnd, position: Position, analysis: EndAnalysis) -> NextStep:
    """The step that tries a turn again; after a defeat it is the first."""
    steps = next_steps(end, position, analysis, is_thinking_on=True)
    return steps[0 if end.has_lost else -1]


def test_after_a_defeat_a_second_try_comes_first(finished_games: FinishedGames) -> None:
    session = finished_games.session()
    end, position = game_end(session), session.current
    assert end
    assert position
    lost_end = end._replace(has_lost=True, stronger_command="")
    first, again, *_ = next_steps(lost_end, position, EndAnalysis(), is_thinking_on=True)
    assert (first.command.split()[0], again.name) == ("fork", "again")
    session.run_line(first.command)
    assert session.current
    assert 0 < session.current.commit.number < position.commit.number
    session.run_line("switch k/main")
    finished_games.zim("forget", f"k/{first.command.split()[-1]}")


def test_after_a_victory_a_stronger_opponent_comes_first() -> None:
    with EventStore.open("memory:") as store:
        service = GameService(store, games={"nim": "tests.nim:GAME"})
        service.new("nim", {"stones": "2"}, name="g", by="anna", bots={"ben": "quick"})
        service.play("g", "take 2", by="anna", seat="ann")
        session = Session(Output(), by="anna", service=service)
        session.enter_position(session.head("g/main"))
        end = game_end(session)
        assert end
        assert session.current
        steps = next_steps(end, session.current, EndAnalysis(), is_thinking_on=True)
        assert [step.name for step in steps[:2]] == ["a stronger opponent", "again"]
        session.run_line(steps[0].command)
        assert dict(service.bots(session.current.place)) == {"ben": "strong"}


def test_a_game_has_no_game_end_before_its_end(zim: Zim, finished_games: FinishedGames) -> None:
    session = finished_games.session()
    session.enter_position(session.position("k/main@3"))
    assert game_end(session) is None


@pytest.mark.parametrize("game", ["k", "a"])
def test_the_line_for_a_rematch_begins_the_same_game(finished_games: FinishedGames, game: str) -> None:
    session = finished_games.session(game)
    end = game_end(session)
    assert end
    name = shlex.split(end.again_command)[1]
    assert name.startswith(f"{game}-")
    result = finished_games.zim(*shlex.split(end.again_command), "--json")
    assert result.exit_code == 0, result.output
    rematch = session.service.position(f"{name}/main@0")
    assert session.current
    assert rematch_name(rematch, {f"{game}-2"}.__contains__) == f"{game}-3"
    assert {*rematch.seats} == {*session.current.seats}
    old_set_up = session.position(f"{game}/main@0").commit.command
    new_set_up = rematch.commit.command
    assert new_set_up.options == old_set_up.options
    assert session.service.bots(f"{name}/main") == session.service.bots(f"{game}/main")
    if game == "k":
        assert new_set_up.seed == old_set_up.seed + 1
    else:
        assert "seed=" not in end.again_command, "a typed seed would reveal all hidden cards"


def test_players_see_what_they_gave_away_and_where_to_try_again(finished_games: FinishedGames) -> None:
    blunder_move = store_analysis(finished_games)
    session = finished_games.session()
    end, position = game_end(session), session.current
    assert end
    assert position
    assert end.own_seats == ("kilwa",)
    *_, analysis = analyses(position.game, finished_games.commits, lambda: True)
    assert analysis.is_done
    assert [turn.last for turn in turning_points(end, analysis) if turn.word] == [blunder_move]
    text = end_text(position, end, analysis)
    assert "you played" in text
    assert "blunder, -20: better was adore xango; end" in text
    assert "accuracy 100" in text
    assert [" · ".join(figures_of(position, seat)) in text for seat in position.seats] == [True] * len(position.seats)
    assert "accuracy" not in end_text(position, end, analysis._replace(turn_count=analysis.turn_count + 1)), (
        "no accuracy while the analysis is incomplete"
    )
    first_move = next(decision.first for decision in finished_games.decisions if decision.last == blunder_move)
    step = second_try(end, position, analysis)
    assert step.command == f"fork @{first_move - 1} try-{first_move}"
    session.run_line(step.command)
    assert session.current
    assert session.current.line == f"try-{first_move}"
    assert session.current.commit.number == first_move - 1
    assert session.service.bots(session.current.place) == {"zulu": "quick"}
    session.run_line("switch k/main")
    next_step = second_try(game_end(session) or end, position, analysis)
    assert next_step.command == f"fork @{first_move - 1} try-{first_move}-2"
    finished_games.zim("forget", f"k/try-{first_move}")


def test_files_written_at_the_end_get_free_names(
    finished_games: FinishedGames, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.html").write_text("mine")
    (tmp_path / "k.cert").symlink_to("nowhere")
    session = finished_games.session()
    end = game_end(session)
    assert end
    assert session.current
    steps = {step.name: step.command for step in next_steps(end, session.current, EndAnalysis(), is_thinking_on=True)}
    assert steps["replay page"] == "replay --html k-2.html"
    assert steps["share"] == "export --certificate k-2.cert"
    session.run_line(steps["replay page"])
    session.run_line(steps["share"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k-2.cert", "k-2.html", "k.cert", "k.html"]
    assert (tmp_path / "k.html").read_text() == "mine"


def test_a_blunder_of_a_program_is_no_mistake_of_yours(finished_games: FinishedGames) -> None:
    store_analysis(finished_games)
    session = finished_games.session(seat="zulu")
    end, position = game_end(session), session.current
    assert end
    assert position
    *_, analysis = analyses(position.game, finished_games.commits, lambda: True)
    assert not [turn for turn in turning_points(end, analysis) if turn.word]
    assert all(not step.command.startswith("fork") for step in next_steps(end, position, analysis, is_thinking_on=True))


def test_an_analysis_stops_when_it_is_told_to(finished_games: FinishedGames) -> None:
    store_analysis(finished_games, omitted_turns=3)
    session = finished_games.session()
    assert session.current
    assert list(analyses(session.current.game, finished_games.commits, lambda: False)) == []


def test_a_game_without_a_model_of_chances_says_so(
    finished_games: FinishedGames, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ZIMBABWE.__dict__, "chances", None)
    *_, analysis = analyses(ZIMBABWE, finished_games.commits, lambda: True)
    assert analysis.why_none
    assert analysis.is_done
    session = finished_games.session()
    end = game_end(session)
    assert end
    assert session.current
    assert f"no analysis: {analysis.why_none}" in end_text(session.current, end, analysis)


def test_a_game_without_help_shows_no_analysis_before_the_match_is_over(finished_games: FinishedGames) -> None:
    """A line that was forked and played to its end, while the match goes on."""
    service = open_service(finished_games.store)
    options, moves = parse_africana_demo(AFRICANA.texts.demo())
    service.new("africana", options, name="h", by="anna", agreed=terms_events("ask", helps=False))
    service.fork("h", "ahead", by="anna", viewer=EVERYTHING)
    for move in moves:
        if not service.head("h/ahead", EVERYTHING).outcome.over:
            service.play("h/ahead", move, by="anna", viewer=EVERYTHING)
    session = Session(Output(), by="anna", service=service)
    session.enter_position(session.head("h/ahead"))
    end = game_end(session)
    assert end
    assert not end.allows_help
    assert session.current
    assert "analyse" not in [
        step.name for step in next_steps(end, session.current, EndAnalysis(), is_thinking_on=False)
    ]
    for move in moves:
        if not service.head("h/main", EVERYTHING).outcome.over:
            service.play("h/main", move, by="anna", viewer=EVERYTHING)
    end = game_end(session)
    assert end
    assert end.allows_help
    service.store.close()


def test_hidden_cards_are_judged_only_after_an_analysis_with_open(
    finished_games: FinishedGames, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zimcore.games.africana.secrets.OPENS_AT_END", False)
    session = finished_games.session("a", "italy")
    commits = session.service.log("a/main@100", viewer=Viewer("italy"))
    (analysis,) = analyses(AFRICANA, commits, lambda: True)
    assert analysis.is_hidden
    assert not analysis.decisions
    end = game_end(session)
    assert end
    assert session.current
    steps = next_steps(end, session.current, analysis, is_thinking_on=True)
    assert steps[-1].command == "analyse --open"
    result = finished_games.zim("--as", "italy", "analyse", "a@100", "--open", "--nodes", "1", "--json")
    assert result.exit_code == 0, result.output
    (analysis,) = analyses(AFRICANA, commits, lambda: True)
    assert len(analysis.decisions) == analysis.turn_count


OpenTable = Callable[..., Terminal]


@pytest.fixture
def open_table(finished_games: FinishedGames) -> Iterator[OpenTable]:
    terminals = list[Terminal]()

    def open_terminal(*words: str, lines: int = 30, columns: int = 100, thinking: bool = False) -> Terminal:
        command = ("-m", "zimcli", "--store", finished_games.store, "play", *words)
        config_file = finished_games.home / "zim" / "config.toml"
        config_file.unlink(missing_ok=True)
        terminal_class = Terminal if "--lines" in words else WholeFrameTerminal
        if terminal_class is Terminal:
            config_file.parent.mkdir(exist_ok=True)
            config_file.write_text(f"thinking = {str(thinking).lower()}\n")
            terminal = Terminal(finished_games.home, *command, lines=lines, columns=columns)
        else:
            terminal = WholeFrameTerminal(
                finished_games.home, *command, lines=lines, columns=columns, thinking=thinking
            )
        terminals.append(terminal)
        return terminal

    yield open_terminal
    for terminal in terminals:
        terminal.child.close(force=True)


@pytest.mark.parametrize(("lines", "columns"), [(30, 100), (24, 80)])
def test_the_table_shows_the_end_and_numbers_type_the_next_steps(
    open_table: OpenTable, finished_games: FinishedGames, lines: int, columns: int
) -> None:
    blunder_move = store_analysis(finished_games)
    terminal = open_table("k", lines=lines, columns=columns, thinking=True)
    terminal.wait_for_text("try again from")
    text = terminal.wait_for_text("accuracy 100")
    assert "─ game over ─" in text
    assert f"@{blunder_move} you played" in text
    assert "─ log" in text, "the board is not covered"
    assert "F6" not in text, "there is no turn to hint at"
    terminal.type_keys("2")  # after a defeat 1 is a second try
    text = terminal.wait_for_text("> new k-")
    terminal.type_keys("\r")
    text = terminal.wait_for_text("to place the first monument")
    assert "game over" not in text


def test_the_analysis_fills_in_while_the_table_goes_on(open_table: OpenTable, finished_games: FinishedGames) -> None:
    store_analysis(finished_games, omitted_turns=2)
    terminal = open_table("k", thinking=True)
    terminal.wait_for_text("2 again")
    terminal.type_keys("show\r")
    terminal.wait_for_text("k main @")
    terminal.type_keys("\x1b")
    terminal.wait_for_text("accuracy")
    terminal.wait_until(lambda text: "analysing" not in text and "try again from" in text)


def test_the_table_without_thinking_proposes_analyse(open_table: OpenTable, finished_games: FinishedGames) -> None:
    terminal = open_table("k")
    text = terminal.wait_for_text("6 analyse")
    assert "analysing" not in text


def test_africana_ends_at_the_table(open_table: OpenTable) -> None:
    terminal = open_table("a")
    text = terminal.wait_for_text("1 again")
    assert "game over" in text


def test_the_prompt_prints_the_game_end(open_table: OpenTable, finished_games: FinishedGames) -> None:
    blunder_move = store_analysis(finished_games)
    terminal = open_table("k", "--lines", lines=60, thinking=True)
    terminal.wait_until(lambda _: "try again from" in terminal.output_since_key.partition("where it turned")[2])
    text = terminal.output_since_key
    assert "game over:" in text
    assert "where it turned" in text
    assert f"@{blunder_move} you played" in text
    assert re.search(r"new k-\d --game zimbabwe players=kilwa,zulu", text)
    terminal.type_keys("story\r")
    terminal.wait_for_output("@start")


def test_a_program_ends_a_game_and_nothing_covers_the_board(
    open_table: OpenTable, finished_games: FinishedGames
) -> None:
    fork_number = (
        next(decision.first for decision in reversed(finished_games.decisions) if decision.seat == "kilwa") - 1
    )
    assert finished_games.zim("fork", f"k/main@{fork_number}", "last", "--bots").exit_code == 0
    terminal = open_table("k/last")
    terminal.wait_for_text("Kilwa")
    terminal.type_keys("bot random --seed x\r")
    text = terminal.wait_for_text("game over")
    assert "Escape closes" not in text


def test_a_script_with_json_prints_no_game_end(finished_games: FinishedGames) -> None:
    result = finished_games.zim("run", "-", "--json", stdin="play k\nshow\n")
    assert result.exit_code == 0
    assert [json.loads(line)["command"] for line in result.stdout.splitlines()] == ["play", "show"]
