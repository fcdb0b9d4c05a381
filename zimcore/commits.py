"""Commits and positions: what history and the service both speak of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from zimcore.game import Arrow, Board, Event, Game, Legal, Outcome, Played, Seat, Table, figures

DRAWN_BY = "zim.pictures"
"""The group of entry points for what draws positions: `svg` is called with a `Position`, and gives SVG."""


class Commit(msgspec.Struct, frozen=True):
    """One accepted command with its facts.

    `number` counts the commands from the start (0 is the set-up). `digest` and `state` are hex; a commit that was only
    tried has no digest. `events` are all that was stored, `Played` first. `marks` names the positions that it ends in
    (`r4`, `r4.zulu`). Texts are made from these events when they are needed: if a viewer's events are redacted, so are
    the texts.
    """

    number: int
    digest: str
    parent: str
    state: str
    by: str
    at: datetime
    events: tuple[Event, ...]
    marks: tuple[str, ...]
    game: Game

    @property
    def played(self) -> Played:
        """Who asked for what."""
        played = self.events[0]
        assert isinstance(played, Played)
        return played

    @property
    def seat(self) -> Seat:
        """Who played it; "" for a set-up."""
        return self.played.seat

    @property
    def command(self) -> Any:
        """What was asked for."""
        return self.played.command

    @property
    def text(self) -> str:
        """The command in notation."""
        return self.game.notation.format(self.command)

    @property
    def summary(self) -> str:
        """Its result, in one short line."""
        return self.game.notation.summary(self.events)


class Position(msgspec.Struct, frozen=True):
    """A place in a match: which line, after which commit, and the state there (a copy, which may be changed).

    `match` is the name by which people call it, `kilwa-7`; `game` is what is played. `seen_by` is the seat whose eyes
    it is seen with, where it is one seat's.
    """

    match: str
    line: str
    commit: Commit
    state: Any
    game: Game
    seen_by: Seat = ""

    @property
    def place(self) -> str:
        """The line, by its full name: `kilwa-7/main`."""
        return f"{self.match}/{self.line}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All players."""
        return self.game.evolution.seats(self.state)

    @property
    def to_move(self) -> tuple[Seat, ...]:
        """Who may act now."""
        return self.game.evolution.to_move(self.state)

    @property
    def actor(self) -> Seat | None:
        """The seat to move, if it is a single one."""
        return self.to_move[0] if len(self.to_move) == 1 else None

    @property
    def outcome(self) -> Outcome:
        """Whether it is over, and the standings."""
        return self.game.evolution.outcome(self.state)

    @property
    def mover(self) -> Seat:
        """The seat that plays here by default: whose turn it is; if several may act, the viewer's."""
        return self.actor or self.seen_by or next(iter(self.to_move), "")

    def legal(self, seat: Seat = "") -> Legal:
        """What a seat can play here; if none is named, the one that plays."""
        return self.game.rules.legal(self.state, seat or self.mover)

    @property
    def status(self) -> str:
        """One line: the round, and who is to do what."""
        return self.game.display.status(self.state)

    @property
    def colours(self) -> Mapping[Seat, str]:
        """The colour of each seat."""
        return self.game.display.colours(self.state)

    @property
    def names(self) -> Mapping[Seat, str]:
        """The people who play, by seat, as far as they were named."""
        return self.game.display.names(self.state)

    @property
    def figures(self) -> dict[str, Any]:
        """What expressions speak of here: `{"round": 4, "kilwa": {"vp": 3}}`."""
        return figures(self.game, self.state)

    @property
    def tables(self) -> tuple[Table, ...]:
        """What is to be seen beside the board, the standings first."""
        return tuple(self.game.display.tables(self.state))

    @property
    def board(self) -> Board | None:
        """The board, if there is one."""
        return self.game.display.board(self.state)

    def _repr_svg_(self) -> str | None:
        """Its picture, by which a notebook shows it; None where nothing is installed that draws one.

        Who draws is named by the entry point `svg` of `zim.pictures`: nothing here knows how a picture is made.
        """
        from importlib.metadata import entry_points  # slow, and only a notebook asks

        found = entry_points(group=DRAWN_BY, name="svg")
        return str(next(iter(found)).load()(self)) if found else None

    @property
    def arrows(self) -> tuple[Arrow, ...]:
        """What went from where to where on the board in its last commit."""
        return tuple(self.game.display.arrows(self.commit.events))
