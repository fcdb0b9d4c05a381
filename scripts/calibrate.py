"""Learns the chances to win of a game's positions from games of bots.

    calibrate play --games 3000 --seed 1 --out games.jsonl   plays the games to learn from
    calibrate look games.jsonl --out looked.npz              computes the features of their positions
    calibrate fit looked.npz --out model.json                fits a few small nets, each to its own games
    calibrate temper games.jsonl --out model.json            draws a model towards even chances, by families of styles

A net computes a number for each seat from that seat's features. The chances are the softmax of these numbers, so they
add up to 1 and do not depend on the order of the seats. Results depend only on the seeds; the file records the runs.

To temper, play `--tables one-style`: games between bots of one style, which is their family. All families count alike,
and the loss of each is printed with the tempers that the others gave.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np
from nets import Numbers, fit, load_positions, stack_samples
from selfplay import STYLE_PREFIX, TABLE_KINDS, Record, append_records, play_games, read_records, record_rows
from styles import HELD_OUT

from zimcore.chances import Model
from zimcore.games.registry import GAMES
from zimcore.service import game as load

TIERS = (0, 0, 1, 1, 2, 3, 4)
"""The tier of each round, the last for all later ones: rounds of a tier have the same factor."""
FACTORS = np.linspace(0.1, 1, 19)
"""The factors of scores that are tried: from almost even chances, which keep their order, to what the nets say."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="calibrate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("play", "look", "fit", "temper"))
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--game", default="zimbabwe")
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--tables", choices=TABLE_KINDS, default="mixed", help="which bots play each other")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="use every n-th position of a game")
    parser.add_argument("--hidden", type=int, default=8)
    parser.add_argument("--members", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--made-by", default="", help="the runs that made the games, for the record")
    parser.add_argument("--out", type=Path)
    args = parser.parse_intermixed_args()  # file names may come after the options
    if "style" in args.tables and args.game != "zimbabwe":
        parser.error("the styles are of The Great Zimbabwe: leave out --game, or choose other --tables")
    if args.what == "play":
        numbers = range(args.first, args.first + args.games)
        print(append_records(args.out, play_games(args.game, args.tables, numbers, args.seed, args.workers)), "games")
    elif args.what == "look":
        with ProcessPoolExecutor(args.workers) as pool:
            positions = stack_samples(
                pool.map(partial(record_rows, interval=args.every), read_records(args.files), chunksize=8)
            )
        np.savez_compressed(args.out, **positions._asdict())
        print(len(positions.winner), "positions of", positions.match.max() + 1, "games")
    elif args.what == "temper":
        trained_model = msgspec.json.decode(args.out.read_bytes(), type=Model)
        with ProcessPoolExecutor(args.workers) as pool:
            curves = loss_curves(pool.map(partial(game_losses, trained_model), read_records(args.files), chunksize=4))
        print_families(curves)
        digest = blake2b(b"".join(each.read_bytes() for each in args.files), digest_size=8).hexdigest()
        made_by = f"{trained_model.made_by}; {args.made_by}temper games {digest}"
        tempered = msgspec.structs.replace(trained_model, made_by=made_by, tempers=tempers_of(curves))
        args.out.write_bytes(msgspec.json.encode(tempered) + b"\n")
    elif args.what == "fit":
        model = fit(load_positions(args.files), args.hidden, args.members, args.epochs, args.seed)
        chance_model = load(args.game, GAMES).chances
        assert chance_model
        metadata = {"made_by": args.made_by or " ".join(sys.argv[1:]), "features": list(chance_model.FEATURES), **model}
        args.out.write_bytes(msgspec.json.encode(metadata) + b"\n")
    return 0


Curves = dict[tuple[int, int], dict[str, Numbers]]
"""By players and tier of rounds: for each family the mean log-loss of its games at each of the factors `FACTORS`."""


def game_losses(model: Model, record: Record) -> tuple[Record, dict[int, Numbers]]:
    """A game, and by tier the mean log-loss at each factor. Raises `SystemExit` for styles that are held out."""
    if held_out_bots := {STYLE_PREFIX + each for each in HELD_OUT} & {*record.bots}:
        raise SystemExit(f"calibrate: {', '.join(held_out_bots)}: this style is to measure with only")
    losses_by_tier = dict[int, list[Numbers]]()
    for row in record_rows(record, interval=2):
        scores = np.array(model.scores(row.x))
        exponentials = np.exp(FACTORS[:, None, None] * (scores - scores.max(axis=1, keepdims=True)))
        winner_chances = (exponentials / exponentials.sum(axis=2, keepdims=True)).mean(axis=1)[:, row.winner]
        losses_by_tier.setdefault(TIERS[min(row.round, len(TIERS)) - 1], []).append(
            -np.log(np.maximum(winner_chances, 1e-6))
        )
    return record, {tier: np.mean(each, axis=0) for tier, each in losses_by_tier.items()}


def loss_curves(results: Iterable[tuple[Record, dict[int, Numbers]]]) -> Curves:
    """The losses of games by players, tier and family."""
    losses = dict[tuple[int, int], dict[str, list[Numbers]]]()
    for record, losses_by_tier in results:
        for tier, curve in losses_by_tier.items():
            losses.setdefault((len(record.bots), tier), {}).setdefault(record.bots[0], []).append(curve)
    return {key: {name: np.mean(each, axis=0) for name, each in games.items()} for key, games in losses.items()}


def best_factor(curves: Mapping[str, Numbers], excluded: str = "") -> int:
    """The index of the factor with the least mean loss over families but one."""
    return int(np.argmin(np.mean([each for name, each in curves.items() if name != excluded], axis=0)))


def tempers_of(curves: Curves) -> dict[int, list[float]]:
    """The factors by players, for each round."""
    player_counts = sorted({each for each, _ in curves})
    return {
        each: [round(float(FACTORS[best_factor(curves[each, tier])]), 2) for tier in TIERS] for each in player_counts
    }


def print_families(curves: Curves) -> None:
    """For each number of players, and each tier: the loss without tempers, and with those that other families gave."""
    for (players, tier), families in sorted(curves.items()):
        untempered_loss = np.mean([each[-1] for each in families.values()])
        tempered_loss = np.mean([each[best_factor(families, name)] for name, each in families.items()])
        figures = (
            f"{untempered_loss:.3f}, tempered by other families {tempered_loss:.3f}, even chances {np.log(players):.3f}"
        )
        print(f"{players} players, rounds from {TIERS.index(tier) + 1}: {figures}")


if __name__ == "__main__":
    sys.exit(main())
