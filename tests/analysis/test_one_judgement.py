"""One judgement: every door sees the same first turn and the same value, given the same position and budget."""

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
from zimcore.analysis.hint import document, hint_answer
from zimcore.analysis.judgement import judgement, thinking
from zimcore.analysis.judging import judge
from zimcore.analysis.match_analysis import decisions
from zimcore.analysis.worlds import as_seen
from zimcore.bots.bot_match import play_with
from zimcore.bots.levels import QuickBot
from zimcore.documents.analysis import HintAnswer
from zimcore.games.registry import GAMES
from zimcore.server.pages import study
from zimcore.service import EVERYTHING, Viewer
from zimcore.service import game as load

NODES, SEED, ASKED = 200, 7, 4
"""Positions that each door may look at, the match, and of how many of its turns and bids all doors are asked."""


def as_json(answer: HintAnswer) -> Any:
    """A document as programs get it."""
    return json.loads(msgspec.json.encode(answer))


def percent(chance: float) -> int:
    """A chance in percent, rounded as on the page."""
    return int(100 * chance + 0.5)


class Seen(NamedTuple):
    """The answer of a door: the best turn, its worth to the seat to move, and every seat's chance before it."""

    first: tuple[str, ...]
    value: float
    now: dict[str, float]


def hint_as_json(answer: Any) -> Seen:
    """What a hint says, as JSON."""
    first = answer["hints"][0]
    return Seen(tuple(first["commands"]), first["chance"], {who: each["chance"] for who, each in answer["now"].items()})


@pytest.fixture(scope="module", params=["zimbabwe", "africana"])
def over(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GameServer, Path]]:
    """A server with a match that is over, and the folder of its store."""
    folder = tmp_path_factory.mktemp("doors")
    kind = request.param
    options = {"players": "2", "seed": str(SEED)}
    with game_server(folder, kind, options) as server:
        played = play_with(load(kind, GAMES), [(QuickBot(), 0)] * 2, {"players": "2"}, SEED).played
        for seat, command in played:
            server.service.play_or_raise("k", command, by="anna", seat=seat)
        assert server.service.head("k").outcome.over
        yield server, folder


def test_all_doors_say_the_same(over: tuple[GameServer, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    server, folder = over
    monkeypatch.setattr(study, "NODES", NODES)
    game, commits = server.service.head("k").game, server.service.log("k", viewer=EVERYTHING)
    all_decisions = [*decisions(game, commits)]
    turns = all_decisions[:: len(all_decisions) // ASKED]
    better = 0
    for each, before, after in turns:
        at, seat = each.first - 1, each.seat
        position = server.service.position(f"k@{at}", Viewer(seat))
        state = as_seen(game, before, seat)
        mine = judgement(game, state, seat, NODES)
        first = tuple(map(game.notation.format, mine.best.turn.commands))
        one = Seen(first, round(mine.chances[seat].mean, 3), {who: round(c.mean, 3) for who, c in mine.chances.items()})
        *_, last = thinking(game, state, seat, NODES)
        words = ("hint", f"k@{at}", "--as", seat, "--nodes", str(NODES), "--json")
        shell = CliRunner().invoke(cli, ["--store", f"sqlite:///{folder}/games.zim", *words])
        page = get_page(server, f"/games/k?at={at}&ask=hint", server.seats[seat].token, **{"Zim-Part": "study"}).text
        doors: dict[str, Seen] = {
            "what is thought last": hint_as_json(as_json(document(position, state, last))),
            "hint of the library": hint_as_json(as_json(hint_answer(position, NODES))),
            "hint at the shell": hint_as_json(json.loads(shell.stdout)),
            "hint over HTTP": hint_as_json(server.seats[seat].ok(f"{server.main}/hint?at={at}&nodes={NODES}")),
        }
        assert {name: door for name, door in doors.items() if door != one} == {}, f"@{at}"
        best = judge(game, before, seat, mine.best.turn.commands, mine.best.turn.after, NODES)
        assert (best.best, best.given, round(best.best_chance, 3)) == ((), 0.0, one.value)
        assert {who: round(c.mean, 3) for who, c in best.chances.items()} == one.now
        played = judge(game, before, seat, each.commands, after, NODES)
        assert round(played.best_chance, 3) == one.value
        assert played.best in ((), one.first)
        better += bool(played.best)
        line = re.search(r"wins <b>(\d+)[^<]*</b>.*?<li><b>(\d+)[^<]*</b> <a[^>]*>([^<]*)</a>", page, re.DOTALL)
        assert line, page
        in_words = "; ".join(one.first).replace("_", " ")
        assert (int(line[1]), int(line[2]), unescape(line[3])) == (*2 * (percent(one.value),), in_words)
    assert better, "no turn of a quick bot was worse than the best: nothing was compared"
