"""Trains the nets by which bots compare positions, on games of strong play: expert iteration.

`strong` plays against itself, and at random now and then, for variety. The nets that it judged by learn from these
games how positions end. They become better judges, so that the next step is played better. The chances that a position
should have are those of the winner, mixed with what the nets say of the later positions: TD(lambda). A step counts only
if it passes the gate: with the new nets, `strong` must win more than its share against `strong` with the old ones, and
not clearly less often than that one against the styles to train with.

`calibrate experts` is the command for a step. The result depends on the seed alone. Each match is a line of a file, so
that an interrupted run can go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

import msgspec
import numpy as np

from scripts.research.families import game_positions, model_features
from scripts.research.learn import Matches
from scripts.research.nets import (
    Numbers,
    SampledPositions,
    chances,
    held_out_positions,
    net_arrays,
    net_document,
    stack_samples,
    train,
)
from scripts.research.selfplay import MAX_COMMANDS, STYLE_PREFIX, make_bot, play_recorded_game
from scripts.research.styles import STYLES
from zimcore import chances as zim_chances
from zimcore.bots.arena import INTERVAL_STANDARD_ERRORS, share_interval
from zimcore.bots.bot import Bot, Choice, View
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import SlippingBot, StrongBot
from zimcore.chances import Model
from zimcore.games.zimbabwe import GAME

PLAYER_COUNTS = (2, 2, 3, 4, 4, 4, 5)
"""The numbers of players, drawn at random."""
SLIP_SHARES = (0.0, 0.05, 0.1, 0.15)
"""How often a seat plays a random candidate, drawn for each."""
TRACE_DECAY = 0.95
"""The lambda of TD(lambda): how much of a position's target comes from the end rather than from the next position."""
EPOCHS, LEARNING_RATE = 30, 3e-4
"""The most passes over the positions, and the step size at first: smaller than for nets that start at random."""
GATE_SEED, GATE_PLAYERS = 35_000_000, (2, 4)
"""The first deal of the gate, and the numbers of players."""
GATE_DEALS = 12
"""The deals of the gate for each number of players."""


class Changed:
    """Something with other attributes in place of some of its own."""

    def __init__(self, original: Any, **attributes: Any) -> None:
        self.original = original
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


class ExpertBot:
    """Plays like `strong`, but compares positions by the nets of another model."""

    def __init__(self, model_json: bytes) -> None:
        self.game: Any = Changed(GAME, chances=Changed(GAME.chances, MODEL=model_json))
        self.bot = StrongBot()

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The choice of `strong` with this model."""
        return self.bot.choose(View(self.game, view.state, view.seat), nodes, rng)


def playing_model(model: Model, nets: Sequence[zim_chances.Net]) -> bytes:
    """A model, as JSON, with nothing but these nets."""
    return msgspec.json.encode(Model("", model.features, model.mean, model.scale, list(nets)))


def play_expert_game(model_json: bytes, seed: int, number: int) -> str:
    """A game of experts with this model, by its number. It is JSON; "" if the game did not end."""
    rng = Random(f"experts {seed} {number}")
    players, deal_seed = rng.choice(PLAYER_COUNTS), rng.getrandbits(40)
    expert = ExpertBot(model_json)
    bots = [SlippingBot(expert, rng.choice(SLIP_SHARES)) for _ in range(players)]
    record = play_recorded_game(GAME, deal_seed, ("expert",) * players, bots)
    return msgspec.json.encode(record).decode() if record else ""


def train_experts(model: Model, count: int, seed: int, matches: Matches, gate_deals: int = GATE_DEALS) -> Model:
    """A step: the model with better nets for bots. Its nets are the old ones if they don't pass the gate."""
    old_nets = model.expert_nets or model.nets
    old_json = playing_model(model, old_nets)
    records = [record for record in matches.play(partial(play_expert_game, old_json, seed), range(count)) if record]
    positions = stack_samples(
        rows for rows in matches.parallel_map(partial(game_positions, interval=1), records) if rows
    )
    print(f"{len(records)} games of experts, {len(positions.winner)} positions", flush=True)
    new_nets = improve_nets(model, old_nets, positions, seed)
    digest = matches.digest.hexdigest()[:16]
    if not passes_gate(playing_model(model, new_nets), old_json, gate_deals, matches):
        print("The new nets don't pass: the model stays as it is.", flush=True)
        return model
    return msgspec.structs.replace(
        model,
        made_by=f"{model.made_by}; experts --games {count} --seed {seed}: games {digest}",
        expert_nets=new_nets,
    )


def improve_nets(
    model: Model, old_nets: Sequence[zim_chances.Net], positions: SampledPositions, seed: int
) -> list[zim_chances.Net]:
    """The nets after they have learned from positions of experts' games."""
    x, seat_mask = model_features(model, positions), positions.seat_mask
    start_nets = [net_arrays(net) for net in old_nets]
    old_chances = np.mean([chances(net, x, seat_mask) for net in start_nets], axis=0)
    targets = td_targets(positions, old_chances)
    new_nets = []
    for number, start_net in enumerate(start_nets):
        rng = np.random.default_rng((seed, number))
        held_out = held_out_positions(positions, rng)
        net, loss = train(start_net, x, seat_mask, targets, held_out, EPOCHS, LEARNING_RATE, rng)
        print(f"net {number + 1} of {len(start_nets)}: log-loss {loss:.4f} on games held out", flush=True)
        new_nets.append(net_document(net))
    return msgspec.convert(new_nets, type=list[zim_chances.Net])


def td_targets(positions: SampledPositions, old_chances: Numbers) -> Numbers:
    """The chances of each position's seats to learn, from those of the later positions of its match and the winner."""
    targets = positions.won
    for index in reversed(range(len(targets) - 1)):
        if positions.match[index] == positions.match[index + 1]:
            targets[index] = TRACE_DECAY * targets[index + 1] + (1 - TRACE_DECAY) * old_chances[index + 1]
    return targets


def passes_gate(new_json: bytes, old_json: bytes, deals: int, matches: Matches) -> bool:
    """Whether `strong` with new nets beats `strong` with the old ones, and is not clearly worse against styles.

    Each deal is played once at every seat. Clearly worse: fewer wins on the same deals, with its 95 % interval.
    """
    has_passed = True
    for players in GATE_PLAYERS:
        seatings = [(deal, place) for deal in range(deals) for place in range(players)]
        shares_by_match_up = dict[str, Numbers]()
        for match_up, own_json, rival_json in (
            ("new against old", new_json, old_json),
            ("new against styles", new_json, b""),
            ("old against styles", old_json, b""),
        ):
            shares = [*matches.play(partial(play_gate_match, own_json, rival_json, players), seatings)]
            deal_shares = np.array(shares).reshape(deals, players).mean(axis=1)
            mean, low, high = share_interval(deal_shares.tolist())
            print(f"{match_up}, {players} players: {mean:.1%} [{low:.1%} to {high:.1%}] of {len(shares)}", flush=True)
            shares_by_match_up[match_up] = deal_shares
        against_old, against_styles, old_against_styles = shares_by_match_up.values()
        lead = against_styles - old_against_styles
        is_clearly_worse = lead.mean() + INTERVAL_STANDARD_ERRORS * lead.std() / np.sqrt(deals) < 0
        has_passed &= bool(against_old.mean() > 1 / players and not is_clearly_worse)
    return has_passed


def play_gate_match(own_json: bytes, rival_json: bytes, players: int, seating: tuple[int, int]) -> float:
    """The share of the victory of an expert against others or, without a model of theirs, against drawn styles."""
    deal, place = seating
    rng = Random(f"gate {deal}")
    rivals = [
        ExpertBot(rival_json) if rival_json else make_bot(GAME, STYLE_PREFIX + rng.choice([*STYLES]), rng)
        for _ in range(players - 1)
    ]
    bots: list[tuple[Bot, int]] = [(rival, 0) for rival in rivals]
    bots.insert(place, (ExpertBot(own_json), 0))
    match = play_bots(GAME, bots, {"players": str(players)}, GATE_SEED + deal, MAX_COMMANDS)
    return match.outcome.victory(match.seats[place])
