"""Trains the nets that only the chances shown to people use: one for each family of styles.

Who sits at a table matters more than the net: what wins among strong players loses among weak ones. So each family has
a net of its own, trained on its games alone. Zim shows the mean of these and of the nets that learned from our levels,
and their spread as the error. A factor of the scores, by players and round, then makes the chances more even or surer:
the one with the least log-loss on families that were left out of training.

`calibrate families` is the command. The result depends on the seed alone. Each game is a line of a file, so that an
interrupted run can go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from scripts.research.learn import Matches
from scripts.research.nets import (
    Net,
    Numbers,
    SampledPositions,
    likelihood,
    net_arrays,
    net_document,
    scores,
    softmax,
    stack_samples,
    train_on_games,
)
from scripts.research.selfplay import STYLE_PREFIX, PositionSample, Record, play_match_of, samples_of_record
from zimcore import chances
from zimcore.bots.pools import make_pool
from zimcore.bots.process_pool import results_one_by_one
from zimcore.chances import Model

T = TypeVar("T")
FACTORS = np.linspace(0.1, 1.5, 29)
"""The factors of scores that are tried: from almost even chances, which keep their order, to surer ones than the nets',
since a mean of several nets is less sure than each.
"""
FACTOR_1 = int(np.argmin(abs(FACTORS - 1)))
"""The index of the factor 1."""
TIERS = (0, 0, 1, 1, 2, 3, 4)
"""`TIERS[r - 1]` is the tier of round `r`; later rounds have the last tier. Rounds of a tier share a factor."""
PLAYER_COUNTS = (2, 2, 2, 3, 4, 4, 5)
"""The numbers of players, drawn at random: games of two are the shortest, and their positions the fewest."""
POSITION_STRIDE = 2
"""One of so many positions is learned from."""
HIDDEN, EPOCHS = 16, 40
"""The hidden units of a net, and the most passes over its positions."""


FAMILIES: Mapping[str, Sequence[str]] = {
    "strange": ("strange",),
    "cards": ("adores", "hires", "tastes"),
    "bids": ("high-bids", "no-bids", "first"),
    "simple": ("peer", "greedy", "low-vr", "few-craftsmen"),
}
"""The families of styles (see styles.py)."""


def draw_family_table(name: str, seed: int, number: int) -> tuple[int, tuple[str, ...]]:
    """The seed of the deal, and the kind of bot at all seats, by the number of a family's game."""
    rng = Random(f"{name} {seed} {number}")
    players = rng.choice(PLAYER_COUNTS)
    style = rng.choice(FAMILIES[name])
    return rng.getrandbits(40), (STYLE_PREFIX + style,) * players


def play_family_game(name: str, seed: int, number: int) -> str:
    """Plays a family's game by its number. It is JSON; "" if the game did not end."""
    deal_seed, bot_kinds = draw_family_table(name, seed, number)
    record = play_match_of("zimbabwe", deal_seed, bot_kinds, Random(f"bots {name} {seed} {number}"))
    return msgspec.json.encode(record).decode() if record else ""


def game_positions(record_json: str, interval: int = POSITION_STRIDE) -> list[PositionSample]:
    """The positions of a game to learn from; with an `interval` of n, every n-th of them."""
    return samples_of_record(msgspec.json.decode(record_json, type=Record), interval)


class Call(NamedTuple):
    """A task for a pool."""

    function: Callable[[Any], Any]
    argument: Any

    @property
    def label(self) -> str:
        """Its name in errors."""
        return f"game {self.argument}" if isinstance(self.argument, int) else "a recorded game"


def run_calls(calls: Sequence[Call]) -> list[Any]:
    """Runs some tasks."""
    return [call.function(call.argument) for call in calls]


def map_in_pool(
    workers: int, cluster: str | None, function: Callable[[Any], T], arguments: Sequence[Any]
) -> Iterator[T]:
    """Applies a function to arguments in processes or, with an address, on the nodes of a cluster."""
    with make_pool(workers, cluster, run_calls, len(arguments)) as pool:
        yield from results_one_by_one(pool, (Call(function, argument) for argument in arguments))


def play_families(count: int, seed: int, matches: Matches) -> dict[str, SampledPositions]:
    """The positions of so many games of each family."""
    positions_by_family = {}
    for name in FAMILIES:
        records = [record for record in matches.play(partial(play_family_game, name, seed), range(count)) if record]
        rows_by_game = [rows for rows in matches.parallel_map(game_positions, records) if rows]
        positions_by_family[name] = stack_samples(rows_by_game)
        print(f"{name}: {len(rows_by_game)} games, {len(positions_by_family[name].winner)} positions", flush=True)
    return positions_by_family


def train_family(name: str, model: Model, positions: SampledPositions, seed: int) -> Net:
    """Trains a family's net, with the features scaled as the model's are."""
    rng = np.random.default_rng((seed, *name.encode()))
    return train_on_games(f"net of {name}", positions, model_features(model, positions), HIDDEN, EPOCHS, rng)


def model_features(model: Model, positions: SampledPositions) -> Numbers:
    """The features as the model scales them."""
    return positions.scaled_features(np.array(model.mean), np.array(model.scale))


FactorLosses = dict[tuple[int, int], dict[str, Numbers]]
"""By players and tier of rounds: for each family the mean log-loss of its games at each of the factors `FACTORS`."""


def losses_of_family(model: Model, name: str, nets: Iterable[Net], positions: SampledPositions) -> FactorLosses:
    """The losses of nets on the games of a family, at each factor."""
    x, seat_mask = model_features(model, positions), positions.seat_mask
    scores_by_net = [scores(net, x) for net in nets]
    chances_by_factor = (
        np.mean([softmax(factor * net_scores, seat_mask) for net_scores in scores_by_net], axis=0) for factor in FACTORS
    )
    losses = np.stack([-np.log(likelihood(factor_chances, positions.winner)) for factor_chances in chances_by_factor])
    tiers = np.array([TIERS[min(round_number, len(TIERS)) - 1] for round_number in positions.round])
    losses_by_tier = FactorLosses()
    for players in np.unique(positions.seats):
        for tier in np.unique(tiers):
            is_chosen = (positions.seats == players) & (tiers == tier)
            if is_chosen.any():
                mean_losses = mean_over_matches(losses[:, is_chosen], positions.match[is_chosen])
                losses_by_tier[int(players), int(tier)] = {name: mean_losses}
    return losses_by_tier


def mean_over_matches(losses: Numbers, match: Any) -> Numbers:
    """The mean loss of a game at each factor: all games count alike."""
    counts = np.bincount(match)
    return np.asarray((losses / counts[match]).sum(axis=1) / np.count_nonzero(counts))


def merge_losses(family_losses: Iterable[FactorLosses]) -> FactorLosses:
    """The losses of all families together."""
    merged_losses = FactorLosses()
    for losses in family_losses:
        for key, losses_by_family in losses.items():
            merged_losses.setdefault(key, {}).update(losses_by_family)
    return merged_losses


def best_factor_index(losses_by_family: Mapping[str, Numbers], excluded: str = "") -> int:
    """The index of the factor with the least mean loss over all families, or all but `excluded`."""
    return int(np.argmin(np.mean([losses for name, losses in losses_by_family.items() if name != excluded], axis=0)))


def choose_factors(losses: FactorLosses) -> dict[int, list[float]]:
    """The factors by players, for each round."""
    return {
        players: [round(float(FACTORS[best_factor_index(losses[players, tier])]), 2) for tier in TIERS]
        for players in sorted({players for players, _ in losses})
    }


def print_losses(losses: FactorLosses) -> None:
    """Prints, by players and tier, the loss at factor 1 and at the factor chosen on the other families."""
    for (players, tier), losses_by_family in sorted(losses.items()):
        plain_loss = np.mean([family_losses[FACTOR_1] for family_losses in losses_by_family.values()])
        scaled_loss = np.mean(
            [
                family_losses[best_factor_index(losses_by_family, excluded=name)]
                for name, family_losses in losses_by_family.items()
            ]
        )
        figures = f"{plain_loss:.3f}, by the factor of other families {scaled_loss:.3f}"
        print(f"{players} players, rounds from {TIERS.index(tier) + 1}: {figures}, even chances {np.log(players):.3f}")


def train_families(model: Model, count: int, seed: int, matches: Matches) -> Model:
    """The model with a net for each family, and factors of their scores."""
    positions_by_family = play_families(count, seed, matches)
    net_by_family = {
        name: train_family(name, model, family_positions, seed)
        for name, family_positions in positions_by_family.items()
    }
    level_nets = [net_arrays(net) for net in model.nets]
    losses = merge_losses(
        losses_of_family(
            model,
            name,
            [*level_nets, *(net_by_family[family] for family in net_by_family if family != name)],
            positions_by_family[name],
        )
        for name in net_by_family
    )
    print_losses(losses)
    other_runs = [run for run in model.made_by.split("; ") if not run.startswith("families")]
    return msgspec.structs.replace(
        model,
        made_by="; ".join(
            [*other_runs, f"families --games {count} --seed {seed}: games {matches.digest.hexdigest()[:16]}"]
        ),
        family_nets=msgspec.convert([net_document(net) for net in net_by_family.values()], type=list[chances.Net]),
        score_factors=choose_factors(losses),
    )
