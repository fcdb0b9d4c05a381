"""Bots at seats of a server: they play when it is their turn, once, and delay no other game."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.server.game_server import Client, GameServer, game_server, service_opener
from tests.timeouts import PATIENCE
from zimcore.bots.bot import Bot, Choice, View
from zimcore.bots.levels import QuickBot, RandomBot, WeakenedBot
from zimcore.bots.registry import BOTS_VERSION, ConfiguredBot, parse_bot
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.server.endpoints import bot_players
from zimcore.server.endpoints.bot_players import MAX_NODES, BotPlayers, check_bots
from zimcore.service import GameService
from zimcore.service.records.memberships import GameHosted


@pytest.fixture
def nim_server(tmp_path: Path) -> Iterator[GameServer]:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        yield server


def wait_until(condition: Callable[[], Any]) -> Any:
    """Waits until a condition is true."""
    deadline = time.monotonic() + PATIENCE
    while not (met_condition := condition()):
        assert time.monotonic() < deadline, "the condition is still false"
        time.sleep(0.02)
    return met_condition


def begin_match(server: GameServer, **options: Any) -> Any:
    return server.host("POST", "/v1/games", {"kind": "nim", "name": "b", **options})


def test_a_bot_plays_on_its_turn(nim_server: GameServer) -> None:
    seats = nim_server.service.position("k@start").seats
    assert begin_match(nim_server, bots={seats[1]: "random"}).status_code == 201
    assert [each["bot"] for each in nim_server.host.get_json("/v1/games/b/seats")["seats"]] == [False, True]
    link = nim_server.host("POST", "/v1/games/b/tokens", {"role": "seat", "seat": seats[0]}).json()["token"]
    token_response = Client(nim_server.http)(
        "POST", "/v1/tokens", {"link": link, "by": "anna"}, key="sitting-down-as-anna"
    )
    anna, path = Client(nim_server.http, token_response.json()["token"]), "/v1/games/b/lines/main"
    head = anna.get_json(path)["position"]["digest"]
    assert anna("POST", f"{path}/moves", {"move": "take 1"}, head=head).status_code == 201
    bot_commits = wait_until(
        lambda: (commits := anna.get_json(f"{path}/moves")["commits"]) and len(commits) == 3 and commits
    )
    assert [each["by"] for each in bot_commits][1:] == ["anna", f"bot random.{BOTS_VERSION}"]
    assert nim_server.host.get_json(f"{path}/verify")


def test_two_bots_play_each_other_to_the_end_without_a_request(nim_server: GameServer) -> None:
    seats = nim_server.service.position("k@start").seats
    begin_match(nim_server, bots=dict.fromkeys(seats, "random"), public=True)
    wait_until(lambda: nim_server.service.head("b").game.evolution.outcome(nim_server.service.head("b").state).over)
    assert nim_server.service.verify("b")


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        ({"ann": "clever"}, "no such level"),
        ({"nobody": "random"}, "no player has the seat"),
        ({"ann": "tests.bots.foreign_bots:GoodBot"}, "installed here"),
        ({"ann": "random:nodes=99999999"}, "are the limit"),
        ({"ann": "strong:elo=1500"}, "its ratings were not measured"),
    ],
)
def test_invalid_bots_begin_no_game(nim_server: GameServer, bots: dict[str, str], message: str) -> None:
    response = begin_match(nim_server, bots=bots)
    assert 400 <= response.status_code < 500, response.text
    assert message in response.text
    assert nim_server.host.get("/v1/games/b").status_code == 404


def test_a_search_without_a_budget_has_that_of_the_server() -> None:
    bots = {"kilwa": "deep", "zulu": "deep:nodes=70", "lozi": "strong", "mutapa": "strong:elo=1500"}
    assert check_bots(bots, ZIMBABWE) == {**bots, "kilwa": f"deep:nodes={MAX_NODES}"}


def test_a_rating_weakens_the_program_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_players, "_bot_of_level", lambda level: RandomBot())
    bot = bot_players.subprocess_bot(parse_bot("strong:elo=1500"))
    assert isinstance(bot, WeakenedBot)
    assert bot.elo == 1500
    assert isinstance(bot.bot, RandomBot)


def test_the_seat_of_a_bot_gets_no_link(nim_server: GameServer) -> None:
    begin_match(nim_server, bots={"ann": "random"})
    response = nim_server.host("POST", "/v1/games/b/tokens", {"role": "seat", "seat": "ann"})
    assert (response.status_code, "random plays it here" in response.text) == (409, True)


def host_match(tmp_path: Path, kind: str, bots: dict[str, str]) -> tuple[Callable[[], GameService], GameService]:
    open_service = service_opener(tmp_path)
    service = open_service()
    service.new(kind, {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna")], bots=bots)
    return open_service, service


def test_two_processes_play_each_bot_move_once(tmp_path: Path) -> None:
    open_service, service = host_match(tmp_path, "nim", {"ann": "random", "ben": "random"})
    bot_players_of_processes = [BotPlayers(open_service, lambda _: None, lambda _: RandomBot()) for _ in range(2)]

    def hint_until_over() -> bool:
        for players in bot_players_of_processes:
            players.wake("k", changed=True)
        position = service.head("k")
        return position.game.evolution.outcome(position.state).over

    wait_until(hint_until_over)
    for players in bot_players_of_processes:
        players.close()
    log = service.log("k")
    assert len({each.number for each in log}) == len(log)
    assert service.verify("k")
    assert service.position("k").figures["stones"] == 0
    service.store.close()


class WaitingBot:
    """Thinks until the test lets it play."""

    def __init__(self) -> None:
        self.was_asked, self.may_play = threading.Event(), threading.Event()

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        self.was_asked.set()
        assert self.may_play.wait(60)
        return QuickBot().choose(view, nodes, rng) if view.game.strategy else RandomBot().choose(view, nodes, rng)


def test_a_choice_for_an_outdated_position_is_not_played(tmp_path: Path) -> None:
    open_service, service = host_match(tmp_path, "nim", {"ann": "random"})
    bot = WaitingBot()
    players = BotPlayers(open_service, lambda _: None, lambda _: bot)
    players.wake("k")
    assert bot.was_asked.wait(60)
    service.play_or_raise("k", "take 3", by="somebody", seat="ann")
    bot.may_play.set()
    service.play_or_raise("k", "take 1", by="ben", seat="ben")
    players.wake("k", changed=True)
    wait_until(lambda: len(service.log("k")) == 4)
    players.close()
    assert [each.by for each in service.log("k")][1:] == ["somebody", "ben", f"bot random.{BOTS_VERSION}"]
    service.store.close()


class FailingBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        raise KeyError("clay")


def test_a_failing_bot_is_asked_once_for_a_position_and_other_bots_play_on(tmp_path: Path) -> None:
    open_service, service = host_match(tmp_path, "nim", {"ann": "random"})
    service.new("nim", {"seed": "8"}, name="other", by="hanna", bots={"ann": "quick"})
    asked_levels = list[str]()

    def make_bot(configured_bot: ConfiguredBot) -> Bot:
        asked_levels.append(configured_bot.level)
        return FailingBot() if configured_bot.level == "random" else RandomBot()

    players = BotPlayers(open_service, lambda _: None, make_bot)
    for _ in range(3):
        players.wake("k", changed=True)
        wait_until(lambda: not players.background.waiting_games)
    players.wake("other")
    wait_until(lambda: len(service.log("other")) == 2)
    players.close()
    assert asked_levels.count("random") == 1
    assert len(service.log("k")) == 1
    service.store.close()


def test_moves_cause_no_look_for_bots_until_the_names_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a game without bots, in which a seat is then given to one."""
    looks, original_look = list[tuple[BotPlayers, str]](), BotPlayers._play_turn

    def note_and_look(players: BotPlayers, service: GameService, game: str) -> bool:
        looks.append((players, game))
        return original_look(players, service, game)

    monkeypatch.setattr(BotPlayers, "_play_turn", note_and_look)
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        server.host.get_json(server.main)
        players, _ = wait_until(lambda: looks)[0]
        players.background.enqueue("last")  # one thread looks, in order: then it knows the game as it is now
        wait_until(lambda: looks[-1][1] == "last")
        looks.clear()
        server.play("take 1", "take 1", "take 1")
        assert looks == []
        server.service.seat_bot("k/main", server.service.head("k").to_move[0], "random", by="hanna")
        response = server.host("POST", f"{server.path}/talk", {"text": "well"})
        assert response.status_code == 201, response.text
        wait_until(lambda: len(server.service.log("k")) == 5)
