"""What was learned of a game by playing it against itself: how much each numeric figure says about who wins.

The chances of the seats are the softmax of their values; a seat's value is a weighted sum of its figures relative to
the mean of the others, each by itself and times each common figure (a round, say). `zim learn` writes the weights into
a file beside the game, and playouts are then cut off early and judged by them.

In other words: conditional logit, value function, truncated rollout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from importlib import import_module
from math import exp
from operator import mul
from pathlib import Path
from typing import Any

import msgspec

from zimcore.game import Game, Seat

MAX_COMMON = 3
"""How many common figures are used."""


class LearnedModel(msgspec.Struct, frozen=True):
    """The weights by feature, as they are stored.

    `version` is the game's. `commands` is after how many commands a playout is cut off; 0: it is played to its end, as
    that was better. `made_by` says from how many games they were learned. `is_proven` says that matches have shown it
    to be better; a file without it, as an older Zim wrote, is not used.
    """

    game: str
    version: str
    features: tuple[str, ...]
    weights: tuple[float, ...]
    commands: int
    made_by: str
    is_proven: bool = False

    @property
    def digest(self) -> str:
        """A short digest. A model with another digest plays differently."""
        return blake2b(msgspec.json.encode(self), digest_size=4).hexdigest()

    def shares(self, game: Game, state: Any) -> dict[Seat, float]:
        """Each seat's chance to win at a position in which nothing is concealed."""
        rows = features(game, state)
        values = {
            seat: sum(row.get(name, 0.0) * weight for name, weight in self._weights_by_feature())
            for seat, row in rows.items()
        }
        return softmax(values)

    def _weights_by_feature(self) -> Iterator[tuple[str, float]]:
        return zip(self.features, self.weights, strict=True)


def softmax(values: Mapping[Seat, float]) -> dict[Seat, float]:
    """Chances that add up to 1, from values.

    >>> softmax({"ann": 0.0, "ben": 0.0})
    {'ann': 0.5, 'ben': 0.5}
    """
    greatest_value = max(values.values(), default=0.0)
    powers = {seat: exp(value - greatest_value) for seat, value in values.items()}
    total = sum(powers.values())
    return {seat: power / total for seat, power in powers.items()}


def features(game: Game, state: Any) -> dict[Seat, dict[str, float]]:
    """The features of each seat, by name: numeric figures relative to the others, and these times common figures."""
    figures_by_seat = {
        seat: dict(_numeric_figures(game.display.figures(state, seat))) for seat in game.evolution.seats(state)
    }
    common_figures = [*_numeric_figures(game.display.common(state))][:MAX_COMMON]
    values_by_seat: dict[Seat, dict[str, float]] = {seat: {} for seat in figures_by_seat}
    for name in dict.fromkeys(name for row in figures_by_seat.values() for name in row):
        values = {seat: row.get(name, 0.0) for seat, row in figures_by_seat.items()}
        total, other_count = sum(values.values()), max(len(values) - 1, 1)
        for seat, value in values.items():
            relative_value = value - (total - value) / other_count
            values_by_seat[seat][name] = relative_value
            for common_name, common_value in common_figures:
                values_by_seat[seat][f"{name} x {common_name}"] = relative_value * common_value
    return values_by_seat


def _numeric_figures(figures: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """The numeric figures by name. Of a list its length and its sum count."""
    if isinstance(figures, Mapping):
        for key, value in figures.items():
            yield from _numeric_figures(value, f"{name}.{key}" if name else str(key))
    elif isinstance(figures, (int, float)) and not isinstance(figures, bool):
        yield name, float(figures)
    elif isinstance(figures, (list, tuple)):
        yield f"{name}.count", float(len(figures))
        if figures and all(type(figure) in (int, float) for figure in figures):
            yield f"{name}.sum", float(sum(figures))


def fit_weights(
    rows: Sequence[tuple[Sequence[Mapping[str, float]], Sequence[float]]], steps: int = 200, rate: float = 0.5
) -> dict[str, float]:
    """The weights that make the shares of victories in these positions most likely.

    A row has the features of each seat and its share of the victory. Features are scaled by their spread; small weights
    are preferred a little.
    """
    names = sorted({name for seat_rows, _ in rows for row in seat_rows for name in row})
    square_sums = [
        max(sum(row.get(name, 0.0) ** 2 for seat_rows, _ in rows for row in seat_rows), 1e-12) for name in names
    ]
    row_count = sum(len(seat_rows) for seat_rows, _ in rows) or 1
    scales = [(row_count / total) ** 0.5 if total > 1e-9 else 0.0 for total in square_sums]
    scaled_rows = [
        ([[row.get(name, 0.0) * scale for name, scale in zip(names, scales, strict=True)] for row in seat_rows], shares)
        for seat_rows, shares in rows
    ]
    weights, slope_squares = [0.0] * len(names), [1e-8] * len(names)
    for _ in range(steps):
        slopes = [0.001 * weight for weight in weights]
        for seat_rows, shares in scaled_rows:
            values = [sum(map(mul, weights, row)) for row in seat_rows]
            greatest_value = max(values)
            powers = [exp(value - greatest_value) for value in values]
            total = sum(powers)
            for row, power, share in zip(seat_rows, powers, shares, strict=True):
                error = (power / total - share) / len(scaled_rows)
                slopes = [slope + error * feature for slope, feature in zip(slopes, row, strict=True)]
        slope_squares = [total + slope * slope for total, slope in zip(slope_squares, slopes, strict=True)]
        weights = [
            weight - rate * slope / total**0.5
            for weight, slope, total in zip(weights, slopes, slope_squares, strict=True)
        ]
    return {name: round(weight * scale, 8) for name, weight, scale in zip(names, weights, scales, strict=True)}


_decoder = msgspec.json.Decoder(LearnedModel)  # not made by the threads that first need it: see `event_store.codec`


def learned_file(game: Game) -> Path:
    """The file beside a game's module or in its package: `souk.learned.json`."""
    file = Path(import_module(getattr(game, "package", type(game).__module__)).__file__ or "")
    return file.parent / "learned.json" if file.name == "__init__.py" else file.with_suffix(".learned.json")


def load_learned_model(game: Game) -> LearnedModel | None:
    """What was learned of this version of a game and proven; None if nothing was, or the file can't be read."""
    try:
        model = _decoder.decode(learned_file(game).read_bytes())
    except (OSError, ValueError):
        return None
    return model if model.is_proven and (model.game, model.version) == (game.name, game.version) else None
