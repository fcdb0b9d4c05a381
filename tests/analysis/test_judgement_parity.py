"""One judgement: library, shell and server find the same first turn and the same value, for a position and a budget."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from tests.server.game_server import GameServer, game_server
from tests.server.test_pages import get_page
from zimcli.main import cli
from zimcore.analysis.hint import answer_from_judgement, hint_answer
from zimcore.analysis.judgement import improving_judgements, judge_position
from zimcore.analysis.judging import judge_turn
from zimcore.analysis.match_analysis import iter_decisions
from zimcore.analysis.worlds import state_seen_by
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import QuickBot
from zimcore.documents.analysis import HintAnswer
from zimcore.games.registry import GAMES
from zimcore.server.pages import study
from zimcore.service import EVERYTHING, Viewer
from zimcore.service import game as load

NODES, SEED, SAMPLES = 200, 7, 4
"""Positions that each may search, the seed of the match, and how many of its turns and bids are compared."""


def hint_document(answer: HintAnswer) -> Any:
    """A document as programs get it."""
    return json.loads(msgspec.json.encode(answer))


def percent(chance: float) -> int:
    """A chance in percent, rounded as on the page and at the shell."""
    return int(f"{100 * chance:.0f}")


class HintSummary(NamedTuple):
    """What was answered: the best turn, its worth to the seat to move, and every seat's chance before it."""

    best_commands: tuple[str, ...]
    best_chance: float
    chances: dict[str, float]


def read_hint(answer: Any) -> HintSummary:
    """Reads a hint that is given as JSON."""
    best_hint = answer["hints"][0]
    return HintSummary(
        tuple(best_hint["commands"]),
        best_hint["chance"],
        {player: hint_chance["chance"] for player, hint_chance in answer["now"].items()},
    )


@pytest.fixture(scope="module", params=["zimbabwe", "africana"])
def finished_match(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[GameServer, Path]]:
    """A server with a match that is over, and the folder of its store."""
    folder = tmp_path_factory.mktemp("match")
    kind = request.param
    options = {"players": "2", "seed": str(SEED)}
    with game_server(folder, kind, options) as server:
        moves = play_bots(load(kind, GAMES), [(QuickBot(), 0)] * 2, {"players": "2"}, SEED).moves
        for seat, command in moves:
            server.service.play_or_raise("k", command, by="anna", seat=seat)
        assert server.service.head("k").outcome.over
        yield server, folder


def test_library_shell_and_server_give_the_same_judgement(
    finished_match: tuple[GameServer, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, folder = finished_match
    monkeypatch.setattr(study, "HINT_NODES", NODES)
    game, commits = server.service.head("k").game, server.service.log("k", viewer=EVERYTHING)
    all_decisions = [*iter_decisions(game, commits)]
    turns = all_decisions[:: len(all_decisions) // SAMPLES]
    improved_turns = 0
    for decision, state_before, state_after in turns:
        number, seat = decision.first - 1, decision.seat
        position = server.service.position(f"k@{number}", Viewer(seat))
        state = state_seen_by(game, state_before, seat)
        judgement = judge_position(game, state, seat, NODES)
        best_commands = tuple(map(game.notation.format, judgement.best.turn.commands))
        expected_summary = HintSummary(
            best_commands,
            round(judgement.chances[seat].mean, 3),
            {player: round(chance.mean, 3) for player, chance in judgement.chances.items()},
        )
        *_, last_judgement = improving_judgements(game, state, seat, NODES)
        words = ("hint", f"k@{number}", "--as", seat, "--nodes", str(NODES), "--json")
        shell_result = CliRunner().invoke(cli, ["--store", f"sqlite:///{folder}/games.zim", *words])
        page = get_page(
            server, f"/games/k?at={number}&ask=hint", server.seats[seat].token, **{"Zim-Part": "study"}
        ).text
        hint_by_source: dict[str, HintSummary] = {
            "what is thought last": read_hint(hint_document(answer_from_judgement(position, state, last_judgement))),
            "hint of the library": read_hint(hint_document(hint_answer(position, NODES))),
            "hint at the shell": read_hint(json.loads(shell_result.stdout)),
            "hint over HTTP": read_hint(server.seats[seat].get_json(f"{server.main}/hint?at={number}&nodes={NODES}")),
        }
        assert {name: hint for name, hint in hint_by_source.items() if hint != expected_summary} == {}, f"@{number}"
        best_judgement = judge_turn(
            game, state_before, seat, judgement.best.turn.commands, judgement.best.turn.end_state, NODES
        )
        assert (best_judgement.best_commands, best_judgement.loss, round(best_judgement.best_chance, 3)) == (
            (),
            0.0,
            expected_summary.best_chance,
        )
        assert {
            player: round(chance.mean, 3) for player, chance in best_judgement.chances.items()
        } == expected_summary.chances
        judged_turn = judge_turn(game, state_before, seat, decision.commands, state_after, NODES)
        assert round(judged_turn.best_chance, 3) == expected_summary.best_chance
        assert judged_turn.best_commands in ((), expected_summary.best_commands)
        improved_turns += bool(judged_turn.best_commands)
        shown_parts = re.search(r"wins <b>(\d+)[^<]*</b>.*?<li><b>(\d+)[^<]*</b> <a[^>]*>([^<]*)</a>", page, re.DOTALL)
        assert shown_parts, page
        turn_text = "; ".join(expected_summary.best_commands).replace("_", " ")
        assert (int(shown_parts[1]), int(shown_parts[2]), unescape(shown_parts[3])) == (
            *2 * (percent(expected_summary.best_chance),),
            turn_text,
        )
    assert improved_turns, "no turn of a quick bot was worse than the best: nothing was compared"
