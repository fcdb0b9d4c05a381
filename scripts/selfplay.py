"""Games of bots to learn from: of all levels, and of some that play otherwise than they would, for variety.

Each game follows from its number and the seed of the run. A line of a file is a game: who played, every command, and
who has won.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from zimcore.bots.bot import Bot, Choice, View
from zimcore.bots.bot_match import play_with, start_state
from zimcore.bots.levels import PeerBot, QuickBot, StrongBot, strategy_of, weight_row
from zimcore.game import Game, Seat
from zimcore.games.registry import GAMES
from zimcore.games.zimbabwe.strategy.features import CARDS
from zimcore.service import game as load

KINDS = ("quick", "peer", "other", "wavers")
"""Who sits at a table: `other` is quick with weights of its own, `wavers` is quick that plays anything now and then."""
WAVERS = (0.03, 0.1, 0.25)
WANDERS = {"wanders": 0.4, "strays": 0.7}
"""Those at equal tables that play anything more often than not, and how often."""
TABLES = ("mixed", "equal", "tastes", "strong")
"""Who meets whom: all kinds, one kind, quick ones that each like other cards, or with a strong bot at one seat."""
SPREAD = 0.5
"""How far the weights of `other` are from those of quick, times each of them."""
TASTES = {"zimbabwe": CARDS, "africana": ()}
"""The features that are a matter of taste: `tastes` has the weights of quick for them, but dealt out anew."""
PLAYERS = {"zimbabwe": (2, 3, 4, 4, 4, 5), "africana": (2, 3, 4)}
"""How many sit at a table, drawn from these."""
MOST = 600


class Record(msgspec.Struct, frozen=True):
    """A game that was played: its options and seed, its bots by seat, its commands, and who has won."""

    game: str
    options: dict[str, str]
    seed: int
    bots: tuple[str, ...]
    moves: tuple[tuple[Seat, Any], ...]
    winners: tuple[Seat, ...]


class Wavering:
    """Plays as another does, and now and then the first command that comes to mind."""

    def __init__(self, bot: Bot, share: float) -> None:
        self.bot = bot
        self.share = share

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """By the other bot, or drawn from the candidates."""
        if rng.random() < self.share:
            plans = list(strategy_of(view.game).candidates(view.state, view.seat))
            return Choice(rng.choice(plans)[0], "drawn")
        return self.bot.choose(view, nodes, rng)


def bot(game: Game, kind: str, rng: Random) -> Bot:
    """One who sits at a table."""
    if kind == "other":
        return QuickBot([each * (1 + SPREAD * rng.gauss(0, 1)) for each in weight_row(strategy_of(game))])
    if kind == "tastes":
        strategy = strategy_of(game)
        weights = dict(zip(strategy.FEATURES, weight_row(strategy), strict=True))
        cards = TASTES[game.name]
        weights |= zip(cards, rng.sample([weights[each] for each in cards], len(cards)), strict=True)
        return QuickBot(list(weights.values()))
    if kind == "wavers":
        return Wavering(QuickBot(), rng.choice(WAVERS))
    if kind in WANDERS:
        return Wavering(QuickBot(), WANDERS[kind])
    if kind == "strong":
        return StrongBot()
    return PeerBot() if kind == "peer" else QuickBot()


def table(how: str, number: int, seed: int, game: str = "zimbabwe") -> tuple[int, tuple[str, ...]]:
    """The seed of the deal, and who sits where, by the number of a game.

    Of mixed tables every third has equal players. At equal ones it must not matter who plays like whom.
    """
    rng = Random(f"{seed} {number}")
    players = rng.choice(PLAYERS[game])
    if how == "equal":
        return rng.getrandbits(40), (rng.choice((*KINDS, *WANDERS)),) * players
    if how == "tastes":
        return rng.getrandbits(40), ("tastes",) * players
    kinds = [rng.choice(KINDS) for _ in range(players)] if number % 3 else ["quick"] * players
    if how == "strong":
        kinds[rng.randrange(players)] = "strong"
    return rng.getrandbits(40), tuple(kinds)


def played(name: str, how: str, seed: int, number: int) -> Record | None:
    """A game by its number; None for one that came to no end."""
    game = load(name, GAMES)
    deal, kinds = table(how, number, seed, name)
    rng = Random(f"bots {seed} {number}")
    options = {"players": str(len(kinds))}
    match = play_with(game, [(bot(game, kind, rng), 0) for kind in kinds], options, deal, MOST)
    if not match.outcome.over:
        return None
    moves = tuple((seat, msgspec.to_builtins(command)) for seat, command in match.played)
    return Record(name, options, deal, kinds, moves, match.outcome.winners)


def games(name: str, how: str, numbers: Sequence[int], seed: int, workers: int) -> Iterator[Record]:
    """The games of these numbers, in their order."""
    one = partial(played, name, how, seed)
    with ProcessPoolExecutor(workers) as pool:
        yield from (each for each in pool.map(one, numbers, chunksize=4) if each)


def write(path: Path, records: Iterable[Record]) -> int:
    """Appends games to a file, a line each; how many."""
    count = 0
    with path.open("ab") as out:
        for record in records:
            out.write(msgspec.json.encode(record) + b"\n")
            out.flush()
            count += 1
    return count


def read(paths: Iterable[Path]) -> Iterator[Record]:
    """The games in some files."""
    decoder = msgspec.json.Decoder(Record)
    for path in paths:
        with path.open("rb") as lines:
            yield from map(decoder.decode, lines)


class Row(NamedTuple):
    """A position of a match."""

    x: list[list[float]]
    winner: int
    round: int


def look(record: Record, every: int = 1) -> list[Row]:
    """The positions of a game in which somebody is to bid or begins a turn, or every n-th of them.

    A shared victory is the first seat's.
    """
    game = load(record.game, GAMES)
    form: Any = game.evolution.EVENTS[0]
    state = start_state(game, record.options, record.seed)
    moves = [
        msgspec.convert({"event": form.__struct_config__.tag, "seat": seat, "command": raw}, form)
        for seat, raw in record.moves
    ]
    return list(rows(game, state, ((each.seat, each.command) for each in moves), record.winners, every))


def rows(
    game: Game, state: Any, moves: Iterable[tuple[Seat, Any]], winners: Sequence[Seat], every: int = 1
) -> Iterator[Row]:
    """The same, by the commands that follow a position."""
    assert game.chances
    turn, count = "", 0
    for seat, command in moves:
        values = game.display.common(state)
        here = f"{values.get('round')} {values.get('phase')} {seat}"
        if values.get("round") and (here != turn or values.get("phase") == "bidding"):
            count += 1
            if count % every == 0:
                # Chances are asked with any eyes: every other position is one as spectators know it.
                concealed = game.secrets.conceal(state, "") if game.secrets and count // every % 2 else state
                found = game.chances.features(concealed)
                yield Row([list(each) for each in found.values()], list(found).index(winners[0]), values["round"])
        turn = here
        state = game.rules.apply(state, seat, command).state
