"""Shows a position by the fields of its state: enough to play, and a game can override each member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from zimcore.game import Arrow, Board, Event, Evolution, NotationError, Overlay, Seat, Step, Table, Transfer
from zimcore.toolkit.cards import Hand, Pile
from zimcore.toolkit.unknown import Unknown
from zimcore.toolkit.words import joined

COLOURS = ("red", "blue", "green", "yellow", "purple", "brown", "black", "gray")
PLAIN_TYPES = (int, str, bool, Unknown, type(None))


class Display:
    """Fields that are a `dict` by seat are the figures of each seat; plain fields are the common ones."""

    def __init__(self, author_module: Any, evolution: Evolution) -> None:
        self.author_module = author_module
        self.evolution = evolution
        self.MONEY: Sequence[str] = getattr(author_module, "MONEY", ())
        self.SERIES: Sequence[str] = getattr(author_module, "SERIES", ("score", *self.MONEY))
        self.RANKING: str = getattr(author_module, "RANKING", "")
        self.HOLDINGS: Mapping[str, str] = {}
        self.HAND: str = getattr(author_module, "HAND", "")
        self.GOAL = ""
        self.OVERLAYS: Mapping[str, str] = {}
        self.HEADINGS: Mapping[str, str] = {}

    def status(self, state: Any) -> str:
        """The round, if there is one, and the seats to move or the winners."""
        outcome, seats_to_move = self.evolution.outcome(state), self.evolution.to_move(state)
        round_text = f"round {state.round} · " if getattr(state, "round", 0) else ""
        if outcome.over:
            winners = joined(seat.title() for seat in outcome.winners)
            return f"{round_text}{winners or 'nobody'} {'have' if len(outcome.winners) > 1 else 'has'} won"
        return round_text + (
            f"{joined(seat.title() for seat in seats_to_move)} to act" if seats_to_move else "not set up"
        )

    def toolbar(self, state: Any) -> str:
        """Each seat's score."""
        scores = self.evolution.outcome(state).scores
        return "  ".join(f"{seat} {'?' if score is None else score}" for seat, score in scores.items())

    def turn(self, state: Any) -> Sequence[Step]:
        """Returns no parts of a turn."""
        return ()

    def colours(self, state: Any) -> Mapping[Seat, str]:
        """A colour for each seat, in the order of the seats."""
        return dict(zip(self.evolution.seats(state), COLOURS, strict=False))

    def names(self, state: Any) -> Mapping[Seat, str]:
        """Returns no names of players."""
        return {}

    def common(self, state: Any) -> Mapping[str, Any]:
        """The plain fields of the state, whether the game is over, and the winner."""
        outcome = self.evolution.outcome(state)
        fields = {name: _figure(value) for name, value in _fields(state).items()}
        plain_fields = {name: value for name, value in fields.items() if isinstance(value, PLAIN_TYPES)}
        return {**plain_fields, "over": outcome.over, "winner": outcome.winner}

    def figures(self, state: Any, seat: Seat) -> Mapping[str, Any]:
        """A seat's score, and its entries in the fields by seat."""
        score = self.evolution.outcome(state).scores.get(seat)
        figures_of_seat = {
            name: value[seat] for name, value in _fields(state).items() if isinstance(value, dict) and seat in value
        }
        return {"score": score} | {name: _figure(value) for name, value in figures_of_seat.items()}

    def tables(self, state: Any) -> Sequence[Table]:
        """A table with the figures of all seats."""
        seats = self.evolution.seats(state)
        figure_rows = [self.figures(state, seat) for seat in seats]
        columns = list(dict.fromkeys(name for row in figure_rows for name in row))
        text_rows = tuple(
            (seat, *(_text(row.get(name)) for name in columns)) for seat, row in zip(seats, figure_rows, strict=True)
        )
        number_columns = tuple(name for name in columns if all(_is_number(row.get(name)) for row in figure_rows))
        return (Table("Standings", ("player", *columns), text_rows, seats, number_columns),)

    def board(self, state: Any) -> Board | None:
        """Returns None: there is no board."""
        return None

    def overlay(self, state: Any, name: str, words: Sequence[str]) -> Overlay:
        """Raises `NotationError`: there are no overlays."""
        raise NotationError(name, "this game has no overlays", ["board"])

    def arrows(self, events: Sequence[Event]) -> Sequence[Arrow]:
        """Returns no arrows."""
        return ()

    def transfers(self, events: Sequence[Event]) -> Sequence[Transfer]:
        """Returns no transfers."""
        return ()


def _fields(state: Any) -> dict[str, Any]:
    return msgspec.structs.asdict(state)


def _figure(value: Any) -> Any:
    """A value as a figure: of a hand its cards, of a pile how many it has."""
    if isinstance(value, Pile):
        return len(value)
    return list(value) if isinstance(value, (tuple, Hand)) else value


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)
