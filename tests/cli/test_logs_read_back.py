"""A log that `zim log` has written, in any format and of any game, is audited clean without options.

Only a text without the seed of a deal can't be: the error names the log that can.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim
from tests.server.game_server import GAMES_BY_KIND
from zimcore.game import GameError
from zimcore.games.registry import GAMES
from zimcore.service import GameService

KINDS = {**GAMES, "nim": GAMES_BY_KIND["nim"]}
FORMATS = {
    "text": (),
    "json": ("--json",),
    "csv": ("--format", "csv"),
    "tsv": ("--format", "tsv"),
    "jsonl": ("--format", "jsonl"),
    "events": ("--json", "--events"),
    "facts": ("--events",),
    "all": ("--json", "--all"),
}
TEXTS = ("text", "facts")
"""Formats that have no events: what a hidden seed has dealt is not in them."""
MOVES = 14


def play_game(kind: str, seed: int) -> Zim:
    """A terminal with a game in which a move was taken back, and somebody has left."""
    service = GameService(EventStore.open("memory:"), games=KINDS)
    zim, rng = make_zim(service), Random(seed)
    service.new(kind, {"seed": str(seed)}, name="k", by="anna")
    for number in range(MOVES):
        position = service.head("k")
        if position.outcome.over:
            break
        command = position.game.rules.legal(position.state, position.mover).sample(rng)
        assert command is not None
        service.play_or_raise("k", command, by="anna", seat=position.mover)
        if number == 3:
            with suppress(GameError):  # what was hidden may have been shown
                service.undo("k", by="anna")
    if not position.outcome.over:
        zim("leave", "k", "--seat", position.seats[0], "--how", "replaced")
    return zim


@pytest.mark.parametrize("log_format", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("view", [(), ("--open",)])
@pytest.mark.parametrize("seed", [1, 5])
def test_a_written_log_is_read_back_without_options(
    kind: str, log_format: str, view: tuple[str, ...], seed: int, tmp_path: Path
) -> None:
    zim = play_game(kind, seed)
    moves = json.loads(zim("log", "k", "--json").stdout)["commits"]
    file = tmp_path / "log.txt"
    file.write_text(zim("log", "k", *FORMATS[log_format], *view).stdout, "utf-8")
    audit = zim("audit", str(file))
    if kind == "africana" and log_format in TEXTS and not view:
        assert (audit.exit_code, "zim log PLACE --json" in audit.stderr) == (2, True), audit.output
        file.write_text(zim("log", "k", "--json").stdout, "utf-8")
        audit = zim("audit", str(file))
    assert (audit.exit_code, audit.stderr) == (0, ""), audit.output
    assert f" {len(moves) - 1} legal" in audit.stdout
