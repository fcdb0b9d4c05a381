"""Short helpers for the tests of the service: open one, play, read the log. Games of Nim are called `nim`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import count

from tests.predictable_salts import salt_maker
from zimcore.game import Refused
from zimcore.service import EventStore, GameService, Position

NIM_ONLY = {"nim": "tests.nim:GAME"}
FIRST_TIME = datetime(2024, 5, 1, 20, tzinfo=UTC)


def service_on(url: str, games: Mapping[str, str] = NIM_ONLY, id_prefix: str = "") -> GameService:
    """A service whose clock, ids and salts can be foreseen; of two on a store each needs a name of its own."""
    seconds, numbers = count(), count(1)
    return GameService(
        EventStore.open(url, salt_maker()),
        lambda: FIRST_TIME + timedelta(seconds=next(seconds)),
        games=games,
        ids=lambda: f"{id_prefix}id{next(numbers)}",
    )


def play(service: GameService, *commands: str, place: str = "nim") -> Position:
    """Ann plays legal commands, by default on her current line of `nim`. Returns the position after them."""
    place = service.current_line(place, by="ann")
    position = service.position(place)
    for command in commands:
        answer = service.play(place, command, by="ann")
        assert not isinstance(answer, Refused), answer
        position = answer
    return position


def log_texts(service: GameService, place: str = "nim", *, all_: bool = False) -> list[str]:
    """The log of a place: number and command of each commit."""
    return [f"{commit.number} {commit.text}" for commit in service.log(place, all_=all_)]
