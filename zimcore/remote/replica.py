"""A read replica of the games on a server: answers reads by replaying the entries that came from the server.

In other words: replication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

from zimcore.game import GameError
from zimcore.remote.remote_lines import RemoteLines
from zimcore.service import GameService, Viewer
from zimcore.service.lines.visibility import TABLE, without_open_hints
from zimcore.service.records.places import parse_place

if TYPE_CHECKING:
    from zimcore.service.proofs.certificates import Certificate

ArgumentsP = ParamSpec("ArgumentsP")
AnswerT = TypeVar("AnswerT")


class ReplicaService(GameService):
    """A read replica: a service on the mirror of a server instead of a store.

    It inherits all methods of a service, but most would be wrong here, as it has only part of the games. So it is
    private to the client, which delegates only the methods that it lists.
    """

    def __init__(self, remote_lines: RemoteLines, clock: Callable[[], datetime], games: Mapping[str, str]) -> None:
        super().__init__(remote_lines.mirror, clock, games=games, repository=remote_lines)
        self._remote = remote_lines

    def has_game(self, name: str) -> bool:
        """Whether there is a game of that name. For a game already here it does not ask the server."""
        return self._remote.last_copy_answer(name) is not None or super().has_game(name)

    def seen_as(self, place: str, viewer: Viewer) -> Viewer:
        """The viewer to use for a place: in a game with secrets, the token's viewer.

        Raises `GameError` if the token does not allow this viewer.
        """
        match = parse_place(place).match
        if self.game(match).secrets is None:
            return viewer
        copy_answer = self._remote.copy_answer(match)
        if viewer.seat and viewer.seat != copy_answer.seat:
            role_text = f"you are {copy_answer.seat or copy_answer.role}"
            raise GameError(
                f"--as {viewer.seat}", role_text, [f"--as {copy_answer.seat}"] if copy_answer.seat else ["seats"]
            )
        if viewer.sees_all and not copy_answer.whole:
            raise GameError("hidden cards can't be seen here", "the server does not send them", ["show"])
        if viewer.sees_all:
            return viewer
        viewer = Viewer(copy_answer.seat, viewer.plays and bool(copy_answer.seat), viewer.own)
        return super().seen_as(place, viewer) if copy_answer.whole else viewer

    @contextmanager
    def hinting_as_sent(self, place: str) -> Iterator[None]:
        """Leaves out the hints to see everything if the server sends only a part."""
        try:
            yield
        except GameError as error:
            if not self._remote.copy_answer(parse_place(place).match).whole:
                error.hints = without_open_hints(error.hints)
            raise

    def certificate(self, place: str, viewer: Viewer = TABLE) -> Certificate:
        """As that of a store, without the hint to see everything if the server sends only a part."""
        with self.hinting_as_sent(place):
            return super().certificate(place, viewer)


class HasReplica(Protocol):
    """A client that has a replica."""

    _replica: ReplicaService


def answered_by_replica(
    method: Callable[Concatenate[ReplicaService, ArgumentsP], AnswerT],
) -> Callable[Concatenate[HasReplica, ArgumentsP], AnswerT]:
    """A method for a client that delegates to the same method of its replica."""

    @wraps(method)
    def delegate(client: HasReplica, /, *args: ArgumentsP.args, **named_arguments: ArgumentsP.kwargs) -> AnswerT:
        return method(client._replica, *args, **named_arguments)

    return delegate
