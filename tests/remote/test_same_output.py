"""The terminal prints the same with both services: each command is run on a store and on a server of that store."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.cli.conftest import Zim, make_zim
from tests.remote.loopback_server import loopback_server
from zimcore.games.registry import game
from zimcore.service import EVERYTHING

MOVE_COUNT = 56


class Terminals(NamedTuple):
    """A terminal on the machine with the store, and one of a player who reaches it by URL."""

    local: Zim
    remote: Zim


@pytest.fixture(scope="module")
def zimbabwe_terminals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminals]:
    """A match of Zimbabwe in round 5."""
    with loopback_server(tmp_path_factory.mktemp("zimbabwe")) as server:
        demo_lines = [line for line in game("zimbabwe").texts.demo().splitlines() if line[:1] not in ("#", "")]
        options = dict(word.split("=") for word in demo_lines[0].split()[2:])
        server.begin_game("zimbabwe", options, "z")
        for line in [line for line in demo_lines[1:] if not line.startswith("expect")][:MOVE_COUNT]:
            server.service.play_or_raise("z", line, by="anna")
        yield Terminals(make_zim(server.service), make_zim(server.sit("kilwa", "z")))


ZIMBABWE_COMMANDS = [
    *("show z", "show z@r3 --json", "show z@12", "show z@-3", "show z@r4.zulu", "log z", "log z --last 5 --json"),
    *("log z --all", "log z --events --last 2", "log z --where 'kilwa.cattle > 5'", "board z", "board z@r2 --ascii"),
    *("story z", "stats z", "events z@3", "events z --json", "why z kilwa.cattle", "why z kilwa.vp @r3 --json"),
    *(
        "bisect z 'kilwa.vp > 3'",
        "bisect z run grep -q 'phase.:.bidding'",
        "compare z@r2 z@r4",
        "compare z@5 z@9 --json",
        "legal z",
        "legal z --json",
        "plan z",
    ),
    *("advice z", "preview z", "reach z d4", "ask z goods", "expect z 'round == 5'", "expect z 'round == 4'"),
    *("try z 'bid 1'", "try z 'bid 99'", "explain z 'bid 1'", "explain z 'craft potter d4'", "verify z", "lines z"),
    *("show nothing", "show z@999", "show z/nowhere", "show z@ffff", "why z kilwa.cows", "do z dance", "do z 'bid 99'"),
    *("goto z@999", "redo z", "rules R-BID-02", "show z@4..5", "do z@3 pass", "do z 'bid 1' --expect 0000", "log"),
]


@pytest.mark.parametrize("command_line", ZIMBABWE_COMMANDS)
def test_both_services_print_the_same_without_secrets(zimbabwe_terminals: Terminals, command_line: str) -> None:
    local_result, remote_result = (terminal(*shlex.split(command_line)) for terminal in zimbabwe_terminals)
    assert (remote_result.exit_code, remote_result.stdout, remote_result.stderr) == (
        local_result.exit_code,
        local_result.stdout,
        local_result.stderr,
    )


@pytest.fixture(scope="module")
def africana_terminals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminals]:
    """A match of Africana after a few moves, as Italy sees it."""
    with loopback_server(tmp_path_factory.mktemp("africana")) as server:
        server.begin_game("africana", {"seed": "7", "players": "2"}, "a")
        for _ in range(14):
            position = server.service.position("a", EVERYTHING)
            server.service.play_or_raise("a", next(iter(position.legal().texts())), by="anna", viewer=EVERYTHING)
        yield Terminals(make_zim(server.service), make_zim(server.sit("italy", "a")))


AFRICANA_COMMANDS = [
    *("show a", "show a --json", "log a", "log a --json", "events a", "events a --json", "board a", "stats a"),
    *("legal a", "advice a", "story a", "compare a@2 a@9", "try a draw", "explain a draw", "do a dance", "show a@99"),
]


@pytest.mark.parametrize("command_line", AFRICANA_COMMANDS)
def test_both_services_print_the_same_with_secrets(africana_terminals: Terminals, command_line: str) -> None:
    local_result, remote_result = (
        africana_terminals.local("--as", "italy", *command_line.split()),
        africana_terminals.remote(*command_line.split()),
    )
    assert (remote_result.exit_code, remote_result.stdout, remote_result.stderr) == (
        local_result.exit_code,
        local_result.stdout,
        local_result.stderr.replace("zim --as italy ", "zim "),  # a token says whose seat it is
    )
