"""Bots at seats of a server: they play when it is their turn, once, and delay no other game."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.server.game_server import Client, GameServer, game_server, opener
from zimcore.bots.bot import Bot, Choice, View
from zimcore.bots.levels import QuickBot, RandomBot, WeakenedBot
from zimcore.bots.registry import VERSION, ConfiguredBot, parse_bot
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.server import bot_players
from zimcore.server.bot_players import MAX_NODES, BotPlayers, check_bots
from zimcore.service import GameService
from zimcore.service.memberships import GameHosted


@pytest.fixture
def served_nim(tmp_path: Path) -> Iterator[GameServer]:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        yield server


def until(what: Callable[[], Any]) -> Any:
    """Waits until a condition is true."""
    end = time.monotonic() + 60
    while not (value := what()):
        assert time.monotonic() < end, "it has never come to be so"
        time.sleep(0.02)
    return value


def begin_match(served: GameServer, **options: Any) -> Any:
    return served.host("POST", "/v1/games", {"kind": "nim", "name": "b", **options})


def test_a_program_plays_when_it_is_its_turn(served_nim: GameServer) -> None:
    seats = served_nim.service.position("k@start").seats
    assert begin_match(served_nim, bots={seats[1]: "random"}).status_code == 201
    assert [each["bot"] for each in served_nim.host.ok("/v1/games/b/seats")["seats"]] == [False, True]
    link = served_nim.host("POST", "/v1/games/b/tokens", {"role": "seat", "seat": seats[0]}).json()["token"]
    redeemed = Client(served_nim.http)("POST", "/v1/tokens", {"link": link, "by": "anna"}, key="sitting-down-as-anna")
    anna, path = Client(served_nim.http, redeemed.json()["token"]), "/v1/games/b/lines/main"
    head = anna.ok(path)["position"]["digest"]
    assert anna("POST", f"{path}/moves", {"move": "take 1"}, head=head).status_code == 201
    moves = until(lambda: (commits := anna.ok(f"{path}/moves")["commits"]) and len(commits) == 3 and commits)
    assert [each["by"] for each in moves][1:] == ["anna", f"bot random.{VERSION}"]
    assert served_nim.host.ok(f"{path}/verify")


def test_two_bots_play_each_other_to_the_end_without_a_request(served_nim: GameServer) -> None:
    seats = served_nim.service.position("k@start").seats
    begin_match(served_nim, bots=dict.fromkeys(seats, "random"), public=True)
    until(lambda: served_nim.service.head("b").game.evolution.outcome(served_nim.service.head("b").state).over)
    assert served_nim.service.verify("b")


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        ({"ann": "clever"}, "no such level"),
        ({"nobody": "random"}, "no player has the seat"),
        ({"ann": "tests.bots.strangers:GoodBot"}, "installed here"),
        ({"ann": "random:nodes=99999999"}, "are the limit"),
        ({"ann": "strong:elo=1500"}, "its ratings were not measured"),
    ],
)
def test_impossible_programs_begin_no_game(served_nim: GameServer, bots: dict[str, str], message: str) -> None:
    answer = begin_match(served_nim, bots=bots)
    assert 400 <= answer.status_code < 500, answer.text
    assert message in answer.text
    assert served_nim.host.get("/v1/games/b").status_code == 404


def test_a_search_that_names_no_budget_has_that_of_a_server() -> None:
    bots = {"kilwa": "deep", "zulu": "deep:nodes=70", "lozi": "strong", "mutapa": "strong:elo=1500"}
    assert check_bots(bots, ZIMBABWE) == {**bots, "kilwa": f"deep:nodes={MAX_NODES}"}


def test_a_rating_weakens_the_program_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_players, "_of_level", lambda level: RandomBot())
    bot = bot_players.in_subprocess(parse_bot("strong:elo=1500"))
    assert isinstance(bot, WeakenedBot)
    assert bot.elo == 1500
    assert isinstance(bot.bot, RandomBot)


def test_no_link_is_given_to_the_seat_of_a_program(served_nim: GameServer) -> None:
    begin_match(served_nim, bots={"ann": "random"})
    answer = served_nim.host("POST", "/v1/games/b/tokens", {"role": "seat", "seat": "ann"})
    assert (answer.status_code, "random plays it here" in answer.text) == (409, True)


def host_match(tmp_path: Path, kind: str, bots: dict[str, str]) -> tuple[Callable[[], GameService], GameService]:
    open_ = opener(tmp_path)
    service = open_()
    service.new(kind, {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna")], bots=bots)
    return open_, service


def test_of_two_processes_one_plays_each_move(tmp_path: Path) -> None:
    open_, service = host_match(tmp_path, "nim", {"ann": "random", "ben": "random"})
    both = [BotPlayers(open_, lambda _: None, lambda _: RandomBot()) for _ in range(2)]

    def over() -> bool:
        for players in both:
            players.hint("k", changed=True)
        here = service.head("k")
        return here.game.evolution.outcome(here.state).over

    until(over)
    for players in both:
        players.close()
    log = service.log("k")
    assert len({each.number for each in log}) == len(log)
    assert service.verify("k")
    assert service.position("k").figures["stones"] == 0
    service.store.close()


class WaitingBot:
    """Thinks until the test lets it play."""

    def __init__(self) -> None:
        self.was_asked, self.go = threading.Event(), threading.Event()

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        self.was_asked.set()
        assert self.go.wait(60)
        return QuickBot().choose(view, nodes, rng) if view.game.strategy else RandomBot().choose(view, nodes, rng)


def test_what_was_thought_about_another_position_is_not_played(tmp_path: Path) -> None:
    open_, service = host_match(tmp_path, "nim", {"ann": "random"})
    bot = WaitingBot()
    players = BotPlayers(open_, lambda _: None, lambda _: bot)
    players.hint("k")
    assert bot.was_asked.wait(60)
    service.play_or_raise("k", "take 3", by="somebody", seat="ann")
    bot.go.set()
    service.play_or_raise("k", "take 1", by="ben", seat="ben")
    players.hint("k", changed=True)
    until(lambda: len(service.log("k")) == 4)
    players.close()
    assert [each.by for each in service.log("k")][1:] == ["somebody", "ben", f"bot random.{VERSION}"]
    service.store.close()


class FailingBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        raise KeyError("clay")


def test_a_bot_that_fails_is_asked_once_a_position_and_other_bots_play_on(tmp_path: Path) -> None:
    open_, service = host_match(tmp_path, "nim", {"ann": "random"})
    service.new("nim", {"seed": "8"}, name="other", by="hanna", bots={"ann": "quick"})
    questions = list[str]()

    def bot(configured: ConfiguredBot) -> Bot:
        questions.append(configured.level)
        return FailingBot() if configured.level == "random" else RandomBot()

    players = BotPlayers(open_, lambda _: None, bot)
    for _ in range(3):
        players.hint("k", changed=True)
        until(lambda: not players.background.waiting)
    players.hint("other")
    until(lambda: len(service.log("other")) == 2)
    players.close()
    assert questions.count("random") == 1
    assert len(service.log("k")) == 1
    service.store.close()
