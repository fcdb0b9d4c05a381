"""Benchmarks a play through an open service against its parts: deciding, encoding, digests, the insert.

Both sides play the demo's game in memory, as commands (nothing is parsed), alternating in the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from eventsourcing.persistence import StoredEvent
from eventsourcing.popo import POPOApplicationRecorder

from event_store.chain import digest_of_parts
from event_store.codec import encode
from scripts.shared.measure import cpu_seconds, demo_moves, expect_at_most, paired_medians, reason_for_floor
from zimcore.game import Accepted, Command, Seat
from zimcore.games.zimbabwe import GAME
from zimcore.service import open_service

COMMIT_TIME = datetime(2026, 1, 1, tzinfo=UTC)


def bench(folder: Path) -> None:
    """Prints the ratio."""
    del folder
    options, moves = demo_commands()
    tasks = partial(play_by_service, options, moves), partial(play_by_parts, options, moves)
    our_time, parts_time = paired_medians(*tasks, 7, cpu_seconds)
    details = f"{our_time / len(moves) * 1e6:.0f} us a play, {parts_time / len(moves) * 1e6:.0f} us"
    expect_at_most("play in memory, times its parts", details, our_time / parts_time, 2.6, reason_for_floor("1.5"))


def demo_commands() -> tuple[dict[str, str], list[tuple[Seat, Command]]]:
    """The moves of the game as commands, each with its seat."""
    options, texts = demo_moves()
    service, moves = open_service("memory:"), []
    service.new(GAME.name, options, name="demo", by="bench")
    for text in texts:
        moves.append(service.parse("demo", text))
        service.play("demo", text, by="bench")
    return options, moves


def play_by_service(options: dict[str, str], moves: Sequence[tuple[Seat, Command]]) -> None:
    """Plays as a client that knows the head."""
    service = open_service("memory:")
    head = service.new(GAME.name, options, name="demo", by="bench").commit.digest
    for seat, command in moves:
        position: Any = service.play("demo/main", command, by="bench", seat=seat, expected=head)
        head = position.commit.digest


def play_by_parts(options: dict[str, str], moves: Sequence[tuple[Seat, Command]]) -> None:
    """The unavoidable work without a service. It stores the same rows."""
    decide, canonical = GAME.rules.decide, GAME.evolution.canonical
    played_event: Callable[..., Any] = GAME.evolution.EVENTS[0]
    recorder, revision, parent = POPOApplicationRecorder(), 0, b""
    setup_event = GAME.rules.set_up(
        {name: text for name, text in options.items() if name != "seed"}, int(options["seed"])
    )
    state = GAME.evolution.initial()
    for seat, command in [("", setup_event), *moves]:
        decision = decide(state, seat, command)
        assert isinstance(decision, Accepted)
        state = decision.state
        rows = [encode(event) for event in (played_event(seat=seat, command=command), *decision.events)]
        seal = encode((COMMIT_TIME, "bench", "id", digest_of_parts(canonical(state))))
        parent = digest_of_parts(parent, *rows, seal)
        sealed_rows = [*rows, seal + parent]
        recorder.insert_events(
            [StoredEvent("line", revision + index, "zimbabwe.x.1", row) for index, row in enumerate(sealed_rows)]
        )
        revision += len(sealed_rows)
