"""Learns the chances to win of a game's positions from games of bots.

    calibrate play --games 3000 --seed 1 --out games.jsonl   plays the games to learn from
    calibrate look games.jsonl --out looked.npz              computes the features of their positions
    calibrate fit looked.npz --out model.json                fits a few small nets, each to its own games
    calibrate families games.jsonl --out model.json          adds nets for the chances shown to people (see families.py)
    calibrate experts games.jsonl --out model.json           adds or improves the nets that bots use (see experts.py)

A net computes a number for each seat from that seat's features. The chances are the softmax of these numbers, so they
add up to 1 and do not depend on the order of the seats. Results depend only on the seeds; the file records the runs.

The first three stages make a model. `families` and `experts` are one command each: they take the model, play the games
that the file does not have, and train. Each run of `experts` is a step.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from scripts.research.experts import train_experts
from scripts.research.families import map_in_pool, train_families
from scripts.research.learn import Matches
from scripts.research.nets import fit, load_positions, stack_samples
from scripts.research.selfplay import TABLE_KINDS, append_records, play_games, read_records, samples_of_record
from zimcore.chances import Model
from zimcore.game import GameError
from zimcore.games.registry import GAMES
from zimcore.service import game as load_game

TRAINING_STAGES: Mapping[str, Callable[[Model, int, int, Matches], Model]] = {
    "families": train_families,
    "experts": train_experts,
}
"""The stages that play and train: they return a model with more nets."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="calibrate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stage", choices=("play", "look", "fit", *TRAINING_STAGES))
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--game", default="zimbabwe")
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--tables", choices=TABLE_KINDS, default="mixed", help="which bots play each other")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cluster", help="families, experts: the address of a Ray cluster whose nodes play, or `auto`")
    parser.add_argument("--every", type=int, default=1, help="use every n-th position of a game")
    parser.add_argument("--hidden", type=int, default=8)
    parser.add_argument("--members", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--made-by", default="", help="the runs that made the games, for the record")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_intermixed_args()  # file names may come after the options
    if "style" in arguments.tables and arguments.game != "zimbabwe":
        parser.error("the styles are of The Great Zimbabwe: leave out --game, or choose other --tables")
    if arguments.stage in TRAINING_STAGES and arguments.game != "zimbabwe":
        parser.error(f"the {arguments.stage} are of The Great Zimbabwe: leave out --game")
    if arguments.out is None:
        parser.error(f"{arguments.stage} writes a file: name it with --out")
    if arguments.stage in TRAINING_STAGES and not arguments.out.is_file():
        parser.error(f"{arguments.stage} are added to a model: name its file with --out")
    if arguments.stage == "play":
        game_numbers = range(arguments.first, arguments.first + arguments.games)
        print(
            append_records(
                arguments.out,
                play_games(arguments.game, arguments.tables, game_numbers, arguments.seed, arguments.workers),
            ),
            "games",
        )
    elif arguments.stage == "look":
        with ProcessPoolExecutor(arguments.workers) as pool:
            positions = stack_samples(
                pool.map(
                    partial(samples_of_record, interval=arguments.every), read_records(arguments.files), chunksize=8
                )
            )
        np.savez_compressed(arguments.out, **positions._asdict())
        print(len(positions.winner), "positions of", positions.match.max() + 1, "games")
    elif train_more := TRAINING_STAGES.get(arguments.stage):
        trained_model = msgspec.json.decode(arguments.out.read_bytes(), type=Model)
        match_source = Matches(
            partial(map_in_pool, arguments.workers, arguments.cluster), arguments.files[0] if arguments.files else None
        )
        try:
            improved_model = train_more(trained_model, arguments.games, arguments.seed, match_source)
        except GameError as error:  # no cluster at this address
            sys.exit(f"calibrate: {error}")
        arguments.out.write_bytes(msgspec.json.encode(improved_model) + b"\n")
    elif arguments.stage == "fit":
        model = fit(
            load_positions(arguments.files), arguments.hidden, arguments.members, arguments.epochs, arguments.seed
        )
        chance_features = load_game(arguments.game, GAMES).chances
        assert chance_features
        model_document = {
            "made_by": arguments.made_by or " ".join(sys.argv[1:]),
            "features": list(chance_features.FEATURES),
            **model,
        }
        arguments.out.write_bytes(msgspec.json.encode(model_document) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
