"""Trains small nets with numpy: a net computes a number for each seat from that seat's features.

The chances of the seats are the softmax of these numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scripts.research.selfplay import PositionSample
from zimcore.chances import Net as ModelNet

Numbers = NDArray[np.float64]
Net = tuple[Numbers, Numbers, Numbers]
"""The weights into the hidden layer, its bias, and the weights out of it."""
SEATS = 5
"""The most seats of a match."""
WEIGHT_DECAY, LEARNING_RATE = 1e-3, 2e-3
"""Weight decay; and the step size of Adam at first, for nets that start with random weights."""


class SampledPositions(NamedTuple):
    """Positions: for each the features of up to five seats, the winner, how many seats, the round, and the match."""

    x: Numbers
    winner: NDArray[np.int64]
    seats: NDArray[np.int64]
    round: NDArray[np.int64]
    match: NDArray[np.int64]

    @property
    def seat_mask(self) -> NDArray[np.bool_]:
        """For each position, which of the five seats exist."""
        return np.asarray(np.arange(SEATS) < self.seats[:, None])

    @property
    def won(self) -> Numbers:
        """For each position, 1 for the winner and 0 for the other seats."""
        return np.asarray(np.arange(SEATS) == self.winner[:, None], dtype=float)

    def scaled_features(self, mean: Numbers, scale: Numbers) -> Numbers:
        """The features as nets take them: centred and scaled, with zeros for missing seats."""
        return np.asarray((self.x - mean) / scale * self.seat_mask[..., None])


def stack_samples(matches: Iterable[Sequence[PositionSample]]) -> SampledPositions:
    """The positions of matches as arrays, with zeros for missing seats."""
    x, winner, seats, round_, match = [], [], [], [], []
    for number, rows in enumerate(matches):
        for row in rows:
            x.append(np.pad(np.array(row.x), ((0, SEATS - len(row.x)), (0, 0))))
            winner.append(row.winner)
            seats.append(len(row.x))
            round_.append(row.round)
            match.append(number)
    return SampledPositions(np.array(x), np.array(winner), np.array(seats), np.array(round_), np.array(match))


def fit(positions: SampledPositions, hidden_size: int, members: int, epochs: int, seed: int) -> dict[str, Any]:
    """Trains nets, each on four fifths of the games, with early stopping on the other fifth."""
    played_features = positions.x[positions.seat_mask]
    mean, scale = played_features.mean(0), played_features.std(0)
    scale = np.where(scale > 0, scale, 1.0)  # what no game had says nothing
    x = positions.scaled_features(mean, scale)
    nets = [
        train_on_games(
            f"net {member + 1} of {members}", positions, x, hidden_size, epochs, np.random.default_rng((seed, member))
        )
        for member in range(members)
    ]
    return {"mean": round_weights(mean), "scale": round_weights(scale), "nets": [net_document(net) for net in nets]}


def train_on_games(
    label: str, positions: SampledPositions, x: Numbers, hidden_size: int, epochs: int, rng: np.random.Generator
) -> Net:
    """Trains a net on four fifths of the games, with early stopping on the other fifth, and prints its log-loss."""
    held_out = held_out_positions(positions, rng)
    start_net = random_net(hidden_size, x.shape[2], rng)
    net, loss = train(start_net, x, positions.seat_mask, positions.won, held_out, epochs, LEARNING_RATE, rng)
    print(f"{label}: log-loss {loss:.4f} over the games that it was not shown", flush=True)
    return net


def held_out_positions(positions: SampledPositions, rng: np.random.Generator) -> NDArray[np.bool_]:
    """For each position, whether it is of the fifth of the games by which training is stopped."""
    return np.asarray((rng.permutation(positions.match.max() + 1) % 5 == 0)[positions.match])


def random_net(hidden_size: int, feature_count: int, rng: np.random.Generator) -> Net:
    """A net to start with. The last row of `out` connects the features directly to the output."""
    return (
        rng.normal(0, 1 / np.sqrt(feature_count), (hidden_size, feature_count)),
        np.zeros(hidden_size),
        np.zeros(hidden_size + feature_count),
    )


def net_arrays(model_net: ModelNet) -> Net:
    """The weights of a model's net as arrays."""
    return np.array(model_net.into), np.array(model_net.bias), np.array(model_net.out)


def net_document(net: Net) -> dict[str, Any]:
    """A net as the file has it."""
    return {name: round_weights(weights) for name, weights in zip(("in", "bias", "out"), net, strict=True)}


def round_weights(numbers: Numbers) -> Any:
    """Numbers rounded for the file."""
    return (
        [[float(f"{number:.4g}") for number in row] for row in numbers]
        if numbers.ndim > 1
        else [float(f"{number:.4g}") for number in numbers]
    )


def train(
    start_net: Net,
    x: Numbers,
    is_seat: Any,
    targets: Numbers,
    held_out: NDArray[np.bool_],
    epochs: int,
    learning_rate: float,
    rng: np.random.Generator,
) -> tuple[Net, float]:
    """Trains a net with Adam until it gets no better on the positions held out. Returns the best one, and its loss.

    `targets` are the chances of each position's seats that it learns.
    """
    net = list(start_net)
    first_moments, second_moments = ([np.zeros_like(each) for each in net] for _ in range(2))
    training_rows, step, stale_epochs = np.flatnonzero(~held_out), 0, 0
    best_net, best_loss = start_net, log_loss(start_net, x[held_out], is_seat[held_out], targets[held_out])
    for epoch in range(epochs):
        step_size = learning_rate * 0.93**epoch
        for batch in np.array_split(rng.permutation(training_rows), max(len(training_rows) // 256, 1)):
            gradients = loss_gradient(net, x[batch], is_seat[batch], targets[batch])
            step += 1
            for index, gradient in enumerate(gradients):
                gradient = gradient + WEIGHT_DECAY * net[index]
                first_moments[index] = 0.9 * first_moments[index] + 0.1 * gradient
                second_moments[index] = 0.999 * second_moments[index] + 0.001 * gradient**2
                net[index] = net[index] - step_size * (first_moments[index] / (1 - 0.9**step)) / (
                    np.sqrt(second_moments[index] / (1 - 0.999**step)) + 1e-8
                )
        loss = log_loss(net, x[held_out], is_seat[held_out], targets[held_out])
        stale_epochs = 0 if loss < best_loss else stale_epochs + 1
        if loss < best_loss:
            best_net, best_loss = (net[0], net[1], net[2]), loss
        if stale_epochs >= 6:
            break
    return best_net, best_loss


def log_loss(net: Sequence[Numbers], x: Numbers, is_seat: Any, targets: Numbers) -> float:
    """The mean log-loss of a net's chances, if `targets` are the true ones."""
    return float(-(targets * np.log(np.clip(chances(net, x, is_seat), 1e-6, 1))).sum(axis=1).mean())


def chances(net: Sequence[Numbers], x: Numbers, is_seat: Any) -> Numbers:
    """The chance of each seat."""
    return softmax(scores(net, x), is_seat)


def scores(net: Sequence[Numbers], x: Numbers) -> Numbers:
    """The number of each seat."""
    input_weights, bias, output_weights = net
    hidden_size = len(bias)
    hidden = np.tanh(x @ input_weights.T + bias)
    return np.asarray(hidden @ output_weights[:hidden_size] + x @ output_weights[hidden_size:])


def softmax(score: Numbers, is_seat: Any) -> Numbers:
    """Chances from scores, for the seats that exist."""
    score = np.where(is_seat, score, -np.inf)
    exponentials = np.exp(score - score.max(1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(1, keepdims=True))


def likelihood(numbers: Numbers, winner: Any) -> Numbers:
    """The chance of the winner."""
    return np.asarray(np.clip(numbers[np.arange(len(winner)), winner], 1e-6, 1))


def loss_gradient(net: Sequence[Numbers], x: Numbers, is_seat: Any, targets: Numbers) -> list[Numbers]:
    """The gradient of the loss by each weight."""
    input_weights, bias, output_weights = net
    hidden_size = len(bias)
    hidden_layer = np.tanh(x @ input_weights.T + bias)
    error = softmax(hidden_layer @ output_weights[:hidden_size] + x @ output_weights[hidden_size:], is_seat)
    error = np.where(is_seat, error - targets, 0) / len(targets)
    hidden_error = error[..., None] * output_weights[:hidden_size] * (1 - hidden_layer**2)
    output_gradient = np.concatenate([np.tensordot(error, hidden_layer, 2), np.tensordot(error, x, 2)])
    return [np.tensordot(hidden_error, x, ([0, 1], [0, 1])), hidden_error.sum((0, 1)), output_gradient]


def load_positions(paths: Sequence[Path]) -> SampledPositions:
    """The positions of several files. The numbers of their matches are made unique."""
    samples, count = [], 0
    for path in paths:
        with np.load(path) as arrays:
            sample = SampledPositions(**{name: arrays[name] for name in SampledPositions._fields})
        samples.append(sample._replace(match=sample.match + count))
        count += int(sample.match.max()) + 1
    return SampledPositions(*(np.concatenate(sample) for sample in zip(*samples, strict=True)))
