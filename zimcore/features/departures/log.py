"""The rows of `log --ops` about departures."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.features.departures.events import PlayerLeft, PlayerReturned
from zimcore.game import GameError
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.writing.operation_kinds import OperationRow
from zimcore.service.writing.operations import LoggedOperation


def operations(repository: LineRepository, loaded_line: LoadedLine) -> Iterator[LoggedOperation]:
    """Who has left the match, and which seats were given back."""
    discussion, match = repository.discussion(loaded_line.match), loaded_line.match
    for entry in repository.store.read(discussion.stream):
        for event in entry.events:
            if isinstance(event, PlayerLeft | PlayerReturned):
                seat = event.seat
                error = GameError(
                    "this stays on record", "the seat can be given back", [f"leave {match} --back {seat}"]
                )
                what, target = ("leave", event.how) if isinstance(event, PlayerLeft) else ("back", "people")
                yield LoggedOperation(entry, OperationRow(what, seat, target, error, is_discussion=True))
