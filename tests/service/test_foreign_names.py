"""Names that Zim never gives, in a store from elsewhere: a shell could run one that completion or a hint puts there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.service.nim_service import play, service_on
from zimcore.service import DamagedError
from zimcore.service.care import maintenance
from zimcore.service.records.names import (
    CATALOGUE,
    GameNamed,
    LeagueNamed,
    LineNamed,
    LineRenamed,
    NameEvent,
    PositionTagged,
)

FOREIGN_NAMES = ("k;touch${IFS}MARK", "$(id)", "`id`", "a b", "k/main", "k@1", "k\n", "k'", "", "\x1b[2J")


def append_event(url: str, stream: str, event: NameEvent) -> None:
    """Appends an event as a program that is not Zim would: only its digest is right."""
    with service_on(url).store as store:
        store.append(stream, store.last_revision(stream), [event], by="eve", at=datetime.now(UTC))


@pytest.fixture
def url(tmp_path: Path) -> str:
    service = service_on(url := f"sqlite:///{tmp_path}/foreign.db")
    service.new("nim", {}, name="nim", by="ann")
    service.store.close()
    return url


@pytest.mark.parametrize("name", FOREIGN_NAMES)
def test_a_game_or_league_with_such_a_name_is_damage_and_the_others_are_there(url: str, name: str) -> None:
    append_event(url, CATALOGUE, GameNamed(name, "nim", "0123456789abcdef"))
    append_event(url, CATALOGUE, LeagueNamed(name, "fedcba9876543210"))
    service = service_on(url)
    assert [game.name for game in service.games()] == ["nim"]
    assert ["not a name" in fault for fault in service.damaged_names()] == [True, True]
    play(service, "take 1")
    with pytest.raises(DamagedError, match="not a name"):
        service.new("nim", {}, name="next", by="ann")


@pytest.mark.parametrize("name", FOREIGN_NAMES)
@pytest.mark.parametrize(
    "make_event",
    [
        lambda name: LineNamed(name, "0123456789abcdef"),
        lambda name: LineRenamed("main", name),
        lambda name: PositionTagged(name, "", b""),
    ],
    ids=["line", "renamed", "tag"],
)
def test_a_line_or_tag_with_such_a_name_is_damage(url: str, make_event: Callable[[str], NameEvent], name: str) -> None:
    append_event(url, service_on(url).stream_of("nim"), make_event(name))
    with pytest.raises(DamagedError, match="not a name"):
        service_on(url).lines("nim")


def test_a_salvage_leaves_such_names_out(url: str, tmp_path: Path) -> None:
    append_event(url, CATALOGUE, GameNamed("$(id)", "nim", "0123456789abcdef"))
    new_url = f"sqlite:///{tmp_path}/new.db"
    saved = maintenance.save_intact_streams(service_on(url).store, new_url)
    assert saved.lost == (CATALOGUE,)
    assert [game.name for game in service_on(new_url).games()] == ["nim"]
    assert not service_on(new_url).check()
