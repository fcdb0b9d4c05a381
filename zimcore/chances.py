"""Each seat's chance to win, by a small model trained on games of bots.

A game provides features of each seat (`Game.chances`). A few small neural nets, each trained on different games, turn
them into a score for each seat; the chances are the softmax of the scores. The spread between the nets is the error.

Bots compare positions by the `values` of nets that learned from strong play. The chances that people are shown come
from nets that learned from all our levels and from others, one for each family of styles: so the spread also shows what
the families disagree on. A factor of the scores, below 1 early in a game and above it late, makes these chances more
even or surer: the one that is best for a family that no net has met.

In other words: win probability, value network, ensemble, temperature scaling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import count
from math import exp, sqrt, tanh
from operator import mul
from typing import Any

import msgspec

from zimcore.game import Chances, Command, Game, GameError, Seat


class Chance(msgspec.Struct, frozen=True):
    """A chance from 0 to 1, and its standard error: the spread between the nets, 0 if the chance is certain."""

    mean: float
    error: float = 0.0


WINS_BY_FORCE = "wins by force"
"""What is said of a seat that wins whatever the others play."""
CHANCE_DIGITS = 9
"""Chances are rounded to so many digits: sums in another order, as by numpy, differ in the 16th."""
EVALUATIONS_BEFORE_NUMPY = 30
"""After so many positions the nets use numpy, if it is installed: importing it takes as long as these."""
_evaluation_numbers = count()


class Net(msgspec.Struct, frozen=True, rename={"into": "in"}):
    """A net with one hidden layer of tanh units; the last weights in `out` lead directly from features to score."""

    into: list[list[float]]
    bias: list[float]
    out: list[float]

    def score(self, x: Sequence[float]) -> float:
        """The score of a seat with the scaled features `x`."""
        hidden = [tanh(sum(map(mul, row, x)) + bias) for row, bias in zip(self.into, self.bias, strict=True)]
        return float(sum(map(mul, self.out, [*hidden, *x])))


class Model(msgspec.Struct, frozen=True, dict=True):
    """A trained model: its nets, and the runs that made it. Features are scaled: (x - mean) / scale.

    `nets` learned from games of our levels. With `family_nets`, one for each family of styles, they give the chances
    that people are shown. `score_factors` multiply the scores behind these chances (0: even chances, 1: as the nets
    say), by the number of players and for rounds 1, 2 and so on; the last one is for all later rounds. `expert_nets`
    learned from strong play: they give the values that bots compare, or `nets` in a model without them.
    """

    made_by: str
    features: list[str]
    mean: list[float]
    scale: list[float]
    nets: list[Net]
    score_factors: dict[int, list[float]] = {}
    family_nets: list[Net] = []
    expert_nets: list[Net] = []

    @cached_property
    def playing_nets(self) -> Ensemble:
        """The nets by which bots compare positions."""
        return Ensemble(self.mean, self.scale, self.expert_nets or self.nets)

    @cached_property
    def shown_nets(self) -> Ensemble:
        """The nets behind the chances that people are shown."""
        return Ensemble(self.mean, self.scale, [*self.nets, *self.family_nets])

    def chances(self, features_by_seat: Mapping[Seat, Sequence[float]]) -> dict[Seat, Chance]:
        """The chance of each seat as people are shown it, from the features of all seats."""
        return self.shown_nets.chances(features_by_seat, self.score_factor(list(features_by_seat.values())))

    def values(self, features_by_seat: Mapping[Seat, Sequence[float]]) -> dict[Seat, float]:
        """The chance of each seat as the nets say: bots compare positions of different rounds by it."""
        return {seat: chance.mean for seat, chance in self.playing_nets.chances(features_by_seat, 1.0).items()}

    def score_factor(self, seat_rows: Sequence[Sequence[float]]) -> float:
        """The factor of the scores, from the features of the seats."""
        if not (round_factors := self.score_factors.get(len(seat_rows))):
            return 1.0
        round_number = int(seat_rows[0][self.features.index("round")])
        return round_factors[min(max(round_number, 1), len(round_factors)) - 1]


class Ensemble:
    """Nets that judge together; their features are scaled alike."""

    def __init__(self, mean: Sequence[float], scale: Sequence[float], nets: Sequence[Net]) -> None:
        self.mean, self.scale, self.nets = mean, scale, nets

    def chances(self, features_by_seat: Mapping[Seat, Sequence[float]], factor: float) -> dict[Seat, Chance]:
        """The chance of each seat, from the features of all seats; all scores are multiplied by `factor`."""
        seat_rows = list(features_by_seat.values())
        arrays = self.arrays if next(_evaluation_numbers) >= EVALUATIONS_BEFORE_NUMPY else None
        scores = arrays.scores(seat_rows) if arrays else self.scores(seat_rows)
        net_chances_of_seats = zip(
            *(softmax([factor * score for score in net_scores]) for net_scores in scores), strict=True
        )
        return dict(zip(features_by_seat, map(mean_chance, net_chances_of_seats), strict=True))

    def scores(self, seat_rows: Sequence[Sequence[float]]) -> list[list[float]]:
        """The score of each seat by each net, from the features of the seats."""
        scaled_rows = [
            [(value - mean) / scale for value, mean, scale in zip(row, self.mean, self.scale, strict=True)]
            for row in seat_rows
        ]
        return [[net.score(row) for row in scaled_rows] for net in self.nets]

    @cached_property
    def arrays(self) -> NetArrays | None:
        """The nets as arrays; None without numpy."""
        try:
            import numpy
        except ImportError:
            return None
        return NetArrays(numpy, self)


class NetArrays:
    """The nets of an ensemble as arrays of numpy."""

    def __init__(self, numpy: Any, ensemble: Ensemble) -> None:
        self.numpy = numpy
        self.mean, self.scale = numpy.array(ensemble.mean), numpy.array(ensemble.scale)
        self.nets = [self._layers(net) for net in ensemble.nets]

    def _layers(self, net: Net) -> tuple[Any, Any, Any, Any]:
        """The weights into the hidden layer, its bias, those out of it, and those directly to the score."""
        array, hidden_size = self.numpy.array, len(net.bias)
        into = array(net.into).reshape(hidden_size, len(self.mean)).T  # a net may have no hidden layer
        return into, array(net.bias), array(net.out[:hidden_size]), array(net.out[hidden_size:])

    def scores(self, seat_rows: Sequence[Sequence[float]]) -> list[list[float]]:
        """What `Ensemble.scores` returns, but for the last digits."""
        scaled_rows = (self.numpy.array(seat_rows) - self.mean) / self.scale
        return [
            (self.numpy.tanh(scaled_rows @ into + bias) @ out + scaled_rows @ direct_weights).tolist()
            for into, bias, out, direct_weights in self.nets
        ]


def mean_chance(net_chances: Sequence[float]) -> Chance:
    """The mean of the nets' chances, and their standard deviation.

    >>> mean_chance([0.5, 0.7])
    Chance(mean=0.6, error=0.1)
    """
    from statistics import fmean  # slow to import

    mean = fmean(net_chances)
    return Chance(
        round(mean, CHANCE_DIGITS), round(sqrt(fmean([(chance - mean) ** 2 for chance in net_chances])), CHANCE_DIGITS)
    )


def softmax(numbers: Sequence[float]) -> list[float]:
    """Probabilities proportional to the exponentials of the numbers.

    >>> softmax([1.0, 1.0])
    [0.5, 0.5]
    """
    largest_number = max(numbers)
    weights = [exp(number - largest_number) for number in numbers]
    total = sum(weights)
    return [number / total for number in weights]


def chances(game: Game, state: Any) -> dict[Seat, Chance]:
    """Each seat's chance to win; it is certain at the end, and if a seat wins by force.

    Raises `GameError` for a game without a model, or before the set-up.
    """
    if (seat_chances := certain_chances(game, state)) is not None:
        return {seat: Chance(chance) for seat, chance in seat_chances.items()}
    chance_part = chance_features(game)
    return load_model(chance_part).chances(chance_part.features(state))


def chance_values(game: Game, state: Any) -> dict[Seat, float]:
    """Each seat's chance, by which bots compare positions: like `chances`, but as the nets say. Raises `GameError`."""
    if (seat_chances := certain_chances(game, state)) is not None:
        return seat_chances
    chance_part = chance_features(game)
    return load_model(chance_part).values(chance_part.features(state))


def certain_chances(game: Game, state: Any) -> dict[Seat, float] | None:
    """Each seat's chance if it is certain, otherwise None. Raises `GameError` as `chances` does."""
    seats, outcome = game.evolution.seats(state), game.evolution.outcome(state)
    if outcome.over:
        return {seat: outcome.victory(seat) for seat in seats}
    chance_part = chance_features(game)
    if not seats:
        raise GameError("no chances yet", "the game is not set up")
    winner = chance_part.forced_winner(state)
    return {seat: float(seat == winner) for seat in seats} if winner else None


def wins_by_force(game: Game, state: Any, seat: Seat) -> bool:
    """Whether a seat has won, or is proven to win whatever the others play."""
    outcome = game.evolution.outcome(state)
    if outcome.over:
        return seat in outcome.winners
    return game.chances is not None and game.chances.forced_winner(state) == seat


def winning_turn(game: Game, state: Any, seat: Seat) -> Sequence[Command]:
    """The commands of a turn with which a seat that is to move is proven to win; none if none are known."""
    is_to_move = game.chances is not None and game.evolution.to_move(state) == (seat,)
    return game.chances.winning_turn(state) if game.chances is not None and is_to_move else ()


def chance_features(game: Game) -> Chances:
    """The `Chances` part of a game. Raises `GameError` for a game without it."""
    if game.chances is None:
        raise GameError(f"there are no chances for {game.title}", "no model of them was trained", ["story", "stats"])
    return game.chances


def load_model(chance_part: Chances) -> Model:
    """The model of a game, decoded once. Raises `GameError` if it was trained on other features."""
    return _load_model(chance_part.MODEL, tuple(chance_part.FEATURES))


_model_decoder = msgspec.json.Decoder(Model)  # not made by the threads that first need it: see `event_store.codec`


@cache
def _load_model(model_json: bytes, feature_names: tuple[str, ...]) -> Model:
    model = _model_decoder.decode(model_json)
    if model.features != list(feature_names):
        raise GameError("can't use the model of the chances", "it was trained on other features")
    return model
