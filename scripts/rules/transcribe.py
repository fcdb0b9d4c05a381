"""Writes a recorded game as a script of zim, with the recorded values as expectations: see `conformance --script`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.recordings import Digest, Document, command, options, steps
from zimcore.game import Refused
from zimcore.games.zimbabwe.components import SEATS
from zimcore.service import open_service


def script(document: Document) -> Iterator[str]:
    """The lines of a script that plays a document's game and, round by round, expects what the recorder saw.

    Raises `ValueError` if our rules refuse a recorded action.
    """
    service = open_service("memory:")
    game_options, expected = options(document), dict(document["start"])
    position = service.new("zimbabwe", game_options, by="recorder")
    yield f"# {document['id']}: played by an independent engine; the expectations are what it recorded."
    yield " ".join(["new", *(f"{name}={text}" for name, text in game_options.items())])
    for step in steps(document):
        round_before = expected["round"]
        expected |= step.changes
        played_command = command(position.state, step.action, is_hire=step.is_hire)
        yield f"{step.seat}: {position.game.notation.format(played_command)}"
        position_after = service.play(f"{position.place}", played_command, by="recorder", seat=step.seat)
        if isinstance(position_after, Refused):
            raise ValueError(f"{document['id']}: {played_command} is refused")
        position = position_after
        if expected["round"] > round_before or expected["phase"] == "over":
            yield from _expectations(expected, document["options"]["players"])


def _expectations(expected: Digest, players: int) -> Iterator[str]:
    yield f"# {'the end' if expected['phase'] == 'over' else 'round ' + str(expected['round'])}"
    for seat, number in zip(SEATS, range(players), strict=False):
        player = expected[f"p{number}"]
        figures = {"vp": player["vp"], "vr": player["vr"], "cattle": player["cattle"], "on_cards": player["pending"]}
        yield "expect " + " and ".join(f"{seat}.{name} == {figure}" for name, figure in figures.items())
    if expected["winner"] is not None:
        yield f"expect winner == {SEATS[expected['winner']]}"
