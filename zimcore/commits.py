"""`Commit` and `Position`: the types that history, service and clients share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from zimcore.game import Arrow, Board, Event, Game, Legal, Outcome, Played, Seat, Table, Transfer, figures

PICTURES_GROUP = "zim.pictures"
"""The group of entry points for drawing positions: `svg` takes a `Position` and returns SVG."""


class Commit(msgspec.Struct, frozen=True):
    """An accepted command with its events.

    `number` counts the commands from the start (0 is the set-up). `digest`, `parent` and `state` are digests in hex; a
    commit that was only tried has no digest. `events` are the stored events, `Played` first. `marks` are names of the
    position after it (`r4`, `r4.zulu`). Texts are made from the events when needed, so for a viewer with redacted
    events they are redacted, too.
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

    def __repr__(self) -> str:
        return f"<{self.number} {f'{self.seat}: ' * bool(self.seat)}{self.text}>"

    @property
    def played(self) -> Played:
        """The first event: the command and its seat."""
        played = self.events[0]
        assert isinstance(played, Played)
        return played

    @property
    def seat(self) -> Seat:
        """The seat that played it; "" for a set-up."""
        return self.played.seat

    @property
    def command(self) -> Any:
        """The command."""
        return self.played.command

    @property
    def text(self) -> str:
        """The command in notation."""
        return self.game.notation.format(self.command)

    @property
    def summary(self) -> str:
        """Its result in one short line: `-4 cattle, +2 VP`."""
        return self.game.notation.summary(self.events)


class Position(msgspec.Struct, frozen=True):
    """A position in a match: its line, its commit, and the state after it (a copy, which may be changed).

    `match` is the name of the game that is played, `kilwa-7`; `game` has its rules, notation and display. `seen_by` is
    the seat whose view it is, "" for none.
    """

    match: str
    line: str
    commit: Commit
    state: Any
    game: Game
    seen_by: Seat = ""

    def __repr__(self) -> str:
        return f"<{self.place} @{self.commit.number}: {self.status}>"

    @property
    def place(self) -> str:
        """The full name of the line: `kilwa-7/main`."""
        return f"{self.match}/{self.line}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All seats, in seat order."""
        return self.game.evolution.seats(self.state)

    @property
    def to_move(self) -> tuple[Seat, ...]:
        """The seats that may act now."""
        return self.game.evolution.to_move(self.state)

    @property
    def actor(self) -> Seat | None:
        """The seat to move, if it is a single one."""
        return self.to_move[0] if len(self.to_move) == 1 else None

    @property
    def outcome(self) -> Outcome:
        """Whether the match is over, and the standings."""
        return self.game.evolution.outcome(self.state)

    @property
    def mover(self) -> Seat:
        """The seat that plays here by default: the seat to move; if several may act, the viewer's; "" for none."""
        return self.actor or self.seen_by or next(iter(self.to_move), "")

    def legal(self, seat: Seat = "") -> Legal:
        """The legal commands of a seat, by default of `mover`. They are objects; `texts()` has them in notation."""
        return self.game.rules.legal(self.state, seat or self.mover)

    @property
    def status(self) -> str:
        """One line: the round, the seat to move and what it has to do."""
        return self.game.display.status(self.state)

    @property
    def colours(self) -> Mapping[Seat, str]:
        """The colour of each seat."""
        return self.game.display.colours(self.state)

    @property
    def names(self) -> Mapping[Seat, str]:
        """The names of the players, by seat, as far as they were given."""
        return self.game.display.names(self.state)

    @property
    def figures(self) -> dict[str, Any]:
        """The figures for expressions: `{"round": 4, "kilwa": {"vp": 3}}`."""
        return figures(self.game, self.state)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables next to the board, the standings first."""
        return tuple(self.game.display.tables(self.state))

    @property
    def board(self) -> Board | None:
        """The board; None for a game without one."""
        return self.game.display.board(self.state)

    def __str__(self) -> str:
        """The place, the status, the board and the standings as lines of text."""
        rows = [("", *self.board.columns)] if self.board else []
        if self.board:
            row_texts = ([cell.text for cell in row] for row in self.board.cells)
            rows += [(name, *texts) for name, texts in zip(self.board.rows, row_texts, strict=True)]
        board_lines = ["".join(f"{text:<4}" for text in row).rstrip() for row in rows]
        table_texts = [str(table) for table in self.tables[:1]]
        return "\n".join([f"{self.place} @{self.commit.number} · {self.status}", *board_lines, *table_texts])

    def _repr_svg_(self) -> str | None:
        """The picture for a notebook; None if no package that draws it is installed.

        The entry point `svg` of `zim.pictures` names the function that draws: this module must not depend on it.
        """
        from importlib.metadata import entry_points  # slow, and only a notebook asks

        svg_entry_points = entry_points(group=PICTURES_GROUP, name="svg")
        return str(next(iter(svg_entry_points)).load()(self)) if svg_entry_points else None

    @property
    def arrows(self) -> tuple[Arrow, ...]:
        """The arrows for what moved on the board in its last commit."""
        return tuple(self.game.display.arrows(self.commit.events))

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        """Who paid whom in its last commit."""
        return tuple(self.game.display.transfers(self.commit.events))
