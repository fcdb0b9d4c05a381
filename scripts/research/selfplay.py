"""Plays games of bots to learn from: of all levels, with some bots that deviate on purpose, for variety.

Each game depends only on its number and the seed of the run. Each line of a file is a game: its bots, every command,
and the winners.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from scripts.research.gods import append_json_lines
from scripts.research.styles import HELD_OUT, STYLES, shuffle_weights
from zimcore.bots.bot import Bot
from zimcore.bots.bot_match import play_bots, start_state
from zimcore.bots.levels import PeerBot, QuickBot, SlippingBot, StrongBot, strategy_of, weight_row
from zimcore.game import Game, Seat
from zimcore.games.registry import GAMES
from zimcore.games.zimbabwe.strategy.features import CARDS
from zimcore.service import game as load_game

BOT_KINDS = ("quick", "peer", "other", "wavers")
"""The kinds of bots: `other` is quick with weights of its own, `wavers` is quick with random moves now and then."""
WAVER_RATES = (0.03, 0.1, 0.25)
WANDER_RATES = {"wanders": 0.4, "strays": 0.7}
"""Bots for equal tables that often play at random, and how often."""
TABLE_KINDS = ("mixed", "equal", "tastes", "strong", "styles")
"""The kinds of tables: all kinds mixed, one kind, quick bots with different tastes in cards, a strong bot at
one seat, and bots of all styles but those that are held out (The Great Zimbabwe only).
"""
UNSEEN_TABLE_KINDS, UNSEEN_PLAYER_COUNTS = ("one-unseen", "unseen"), (2, 4)
"""Tables of two or four, only for measuring: bots of one held-out style, or of several with `quick` and `strong`."""
WEIGHT_SPREAD = 0.5
"""How far the weights of `other` differ from those of quick, relative to each weight."""
TASTE_FEATURES = {"zimbabwe": CARDS, "africana": ()}
"""The features that are a matter of taste: `tastes` has quick's weights for them in a random order."""
STYLE_PREFIX, STYLE_MEMBERS = "style:", 1_000
"""The beginning of a bot kind that is a style, such as `style:peer`; and how many members of each style play."""
PLAYER_COUNTS = {"zimbabwe": (2, 3, 4, 4, 4, 5), "africana": (2, 3, 4)}
"""The numbers of players, drawn at random."""
MAX_COMMANDS = 600


class Record(msgspec.Struct, frozen=True):
    """A played game: its options and seed, its bots by seat, its commands, and the winners."""

    game: str
    options: dict[str, str]
    seed: int
    bots: tuple[str, ...]
    moves: tuple[tuple[Seat, Any], ...]
    winners: tuple[Seat, ...]


def make_bot(game: Game, kind: str, rng: Random) -> Bot:
    """A bot of this kind."""
    if kind.startswith(STYLE_PREFIX):
        return {**STYLES, **HELD_OUT}[kind.removeprefix(STYLE_PREFIX)](rng.randrange(STYLE_MEMBERS))
    if kind == "other":
        return QuickBot([weight * (1 + WEIGHT_SPREAD * rng.gauss(0, 1)) for weight in weight_row(strategy_of(game))])
    if kind == "tastes":
        strategy = strategy_of(game)
        weights = dict(zip(strategy.FEATURES, weight_row(strategy), strict=True))
        return QuickBot([*shuffle_weights(weights, TASTE_FEATURES[game.name], rng).values()])
    if kind == "wavers":
        return SlippingBot(QuickBot(), rng.choice(WAVER_RATES))
    if kind in WANDER_RATES:
        return SlippingBot(QuickBot(), WANDER_RATES[kind])
    if kind == "strong":
        return StrongBot()
    return PeerBot() if kind == "peer" else QuickBot()


def draw_bot_kinds(table_kind: str, number: int, seed: int, game_name: str = "zimbabwe") -> tuple[int, tuple[str, ...]]:
    """The seed of the deal, and the kind of bot at each seat, by the number of a game.

    At mixed tables, every third game has equal bots. At equal tables all bots are of the same kind.
    """
    rng = Random(f"{seed} {number}")
    players = rng.choice(UNSEEN_PLAYER_COUNTS if table_kind in UNSEEN_TABLE_KINDS else PLAYER_COUNTS[game_name])
    if table_kind == "one-unseen":
        return rng.getrandbits(40), (STYLE_PREFIX + rng.choice([*HELD_OUT]),) * players
    if table_kind == "unseen":
        bot_kinds = [rng.choice([*map(STYLE_PREFIX.__add__, HELD_OUT), "quick", "strong"]) for _ in range(players)]
        bot_kinds[rng.randrange(players)] = STYLE_PREFIX + rng.choice([*HELD_OUT])
        return rng.getrandbits(40), tuple(bot_kinds)
    if table_kind == "equal":
        return rng.getrandbits(40), (rng.choice((*BOT_KINDS, *WANDER_RATES)),) * players
    if table_kind == "styles":
        return rng.getrandbits(40), tuple(STYLE_PREFIX + rng.choice([*STYLES]) for _ in range(players))
    if table_kind == "tastes":
        return rng.getrandbits(40), ("tastes",) * players
    bot_kinds = [rng.choice(BOT_KINDS) for _ in range(players)] if number % 3 else ["quick"] * players
    if table_kind == "strong":
        bot_kinds[rng.randrange(players)] = "strong"
    return rng.getrandbits(40), tuple(bot_kinds)


def play_game(game_name: str, table_kind: str, seed: int, number: int) -> Record | None:
    """Plays a game by its number. None if it did not end."""
    deal_seed, bot_kinds = draw_bot_kinds(table_kind, number, seed, game_name)
    return play_match_of(game_name, deal_seed, bot_kinds, Random(f"bots {seed} {number}"))


def play_match_of(game_name: str, deal_seed: int, bot_kinds: tuple[str, ...], rng: Random) -> Record | None:
    """Plays a game of these kinds of bots. None if it did not end."""
    game = load_game(game_name, GAMES)
    return play_recorded_game(game, deal_seed, bot_kinds, [make_bot(game, kind, rng) for kind in bot_kinds])


def play_recorded_game(game: Game, deal_seed: int, bot_kinds: tuple[str, ...], bots: Sequence[Bot]) -> Record | None:
    """Plays a game of these bots, which the record calls by their kinds. None if it did not end."""
    options = {"players": str(len(bots))}
    match = play_bots(game, [(bot, 0) for bot in bots], options, deal_seed, MAX_COMMANDS)
    if not match.outcome.over:
        return None
    moves = tuple((seat, msgspec.to_builtins(command)) for seat, command in match.moves)
    return Record(game.name, options, deal_seed, bot_kinds, moves, match.outcome.winners)


def play_games(game_name: str, table_kind: str, numbers: Sequence[int], seed: int, workers: int) -> Iterator[Record]:
    """Plays the games of these numbers, in order."""
    play_numbered_game = partial(play_game, game_name, table_kind, seed)
    with ProcessPoolExecutor(workers) as pool:
        yield from (record for record in pool.map(play_numbered_game, numbers, chunksize=4) if record)


def append_records(path: Path, records: Iterable[Record]) -> int:
    """Appends games to a file, one per line. Returns their number."""
    return sum(1 for _ in append_json_lines(path, records))


def read_records(paths: Iterable[Path]) -> Iterator[Record]:
    """The games in several files."""
    decoder = msgspec.json.Decoder(Record)
    for path in paths:
        with path.open("rb") as lines:
            yield from map(decoder.decode, lines)


class PositionSample(NamedTuple):
    """A position of a match."""

    x: list[list[float]]
    winner: int
    round: int


def samples_of_record(record: Record, interval: int = 1) -> list[PositionSample]:
    """The positions before each bid and each turn of a game; with an `interval` of n, every n-th of them.

    A shared win counts for the first seat.
    """
    game = load_game(record.game, GAMES)
    played_type: Any = game.evolution.EVENTS[0]
    state = start_state(game, record.options, record.seed)
    moves = [
        msgspec.convert(
            {"event": played_type.__struct_config__.tag, "seat": seat, "command": stored_command}, played_type
        )
        for seat, stored_command in record.moves
    ]
    return list(position_samples(game, state, ((move.seat, move.command) for move in moves), record.winners, interval))


def position_samples(
    game: Game, state: Any, moves: Iterable[tuple[Seat, Any]], winners: Sequence[Seat], interval: int = 1
) -> Iterator[PositionSample]:
    """The positions that `samples_of_record` returns, from a start position and the moves that follow it."""
    assert game.chances
    previous_turn, position_count = "", 0
    for seat, command in moves:
        figures = game.display.common(state)
        current_turn = f"{figures.get('round')} {figures.get('phase')} {seat}"
        if figures.get("round") and (current_turn != previous_turn or figures.get("phase") == "bidding"):
            position_count += 1
            if position_count % interval == 0:
                # The model is used for any viewer: every other position is concealed as for spectators.
                visible_state = (
                    game.secrets.conceal(state, "") if game.secrets and position_count // interval % 2 else state
                )
                features = game.chances.features(visible_state)
                yield PositionSample(
                    [list(row) for row in features.values()], list(features).index(winners[0]), figures["round"]
                )
        previous_turn = current_turn
        state = game.rules.apply(state, seat, command).state
