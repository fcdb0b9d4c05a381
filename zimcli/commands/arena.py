"""Let programs meet in many games, and tell who is better.

The first BOT meets the others, which fill the other seats: every deal is played once with it at each seat, so that
luck is shared. Told are the shares of victories with their 95 % interval, which is taken over deals. With --least it
stops as soon as it is sure whether the first wins that share, rather than 10 points less. With --into every game is
kept in a file, which zim opens as any store, and goes on where it was interrupted. The same again gives the same
games, whoever plays them: processes of this machine, or with --cluster the nodes of a Ray cluster (the extra
`cluster`; `auto` is the one that this machine is a node of).

Example::

    zim arena quick peer --games 12 --into arena.db
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

import click
from msgspec.structs import asdict

from zimcli.bot_moves import log_name
from zimcli.command import argument, plain_command
from zimcli.session import Session
from zimcore.bots.arena import Result, Seating, held_by, holdings, play_match, seatings, sequential_test, standings
from zimcore.bots.pools import make_pool
from zimcore.bots.process_pool import Matches, Playing, Pool, in_order
from zimcore.bots.ratings import ratings
from zimcore.bots.registry import VERSION, parse_bot
from zimcore.documents.play import ArenaAnswer, HoldingDocument, StandingDocument
from zimcore.service import EVERYTHING, GameService, open_service
from zimcore.service import game as game_of

LESS = 0.1
"""What a share asked for is told apart from."""


@plain_command(__doc__)
@argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--games", "matches", type=click.IntRange(1, 1_000_000), default=40, help="How many (40).")
@click.option("--players", type=click.IntRange(2, 20), default=4, help="How many at a table (4).")
@click.option("--game", "kind", default="", metavar="KIND", help="Which game to play.")
@click.option("--seed", type=click.IntRange(0, 2**62), default=1, help="Of the first deal; the next has the next (1).")
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes (one a core).")
@click.option("--cluster", metavar="ADDRESS", help="Play on a Ray cluster: HOST:PORT, or auto.")
@click.option("--least", type=click.FloatRange(LESS, 1), metavar="SHARE", help="Stop when this is shown or refuted.")
@click.option("--into", type=click.Path(path_type=Path), metavar="FILE", help="Keep every game there.")
def command(
    session: Session,
    bots: tuple[str, ...],
    matches: int,
    players: int,
    kind: str,
    seed: int,
    workers: int | None,
    cluster: str | None,
    least: float | None,
    into: Path | None,
) -> ArenaAnswer:
    """Plays, counts and keeps."""
    if workers and cluster:
        raise click.UsageError("--workers counts processes of this machine, a cluster counts its own: leave one out")
    met_by, game = [str(parse_bot(bot)) for bot in bots], session.game(kind)
    planned, results, sure = list(seatings(met_by, players, matches, seed)), list[Result](), None
    kept = open_service(f"sqlite:///{into.absolute()}") if into else None
    with session.out.progress("playing") as report:
        for result in play_matches(
            game.name, planned, partial(make_pool, workers or os.cpu_count() or 1, cluster), kept
        ):
            results.append(result)
            report(len(results), matches)
            if least and len(results) % players == 0:
                sure = sequential_test(results, least - LESS, least)
                if sure is not None:
                    break
    rated = ratings(results)
    found = tuple(
        StandingDocument(**asdict(each), rating=by.strength if by else None, doubt=by.doubt if by else None)
        for each in standings(results)
        for by in (rated.get(each.bot),)
    )
    return ArenaAnswer(
        game=game.name,
        players=players,
        matches=len(results),
        seed=seed,
        standings=found,
        holdings=tuple(HoldingDocument(**asdict(each)) for each in holdings(results)),
        sure=sure,
        kept=kept.store.url if kept else "",
    )


def play_matches(
    kind: str,
    planned: Sequence[Seating],
    begin: Callable[[Playing, int], Pool[Seating, Result]],
    kept: GameService | None,
) -> Iterator[Result]:
    """The results in the order of the plan, whoever plays; what is kept is not played again."""
    before = {each.number: found for each in planned if kept and (found := recall_result(kept, kind, each))}
    missing = [each for each in planned if each.number not in before]
    with begin(partial(all_of, kind), len(missing)) as those:
        fresh = in_order(those, missing)
        for each in planned:
            result = before.get(each.number) or next(fresh)
            if kept and each.number not in before:
                keep(kept, kind, result)
            yield result


def all_of(kind: str, bundle: Matches) -> list[Result]:
    """Matches, one after another, in a process of their own."""
    return [play_match(game_of(kind), seating) for seating in bundle]


def name_of(kind: str, seating: Seating) -> str:
    """What a game is called where it is kept: by its deal, and who sits where; other versions play other games."""
    place = seating.number - seating.block * len(seating.bots) + 1
    who = sha256(" ".join((kind, str(VERSION), *seating.bots)).encode()).hexdigest()[:6]
    return f"deal-{seating.seed}-seat-{place}-{who}"


def recall_result(kept: GameService, kind: str, seating: Seating) -> Result | None:
    """A result that is kept already; none of a game that was not kept to its end."""
    name = name_of(kind, seating)
    if not kept.has_game(name):
        return None
    end = kept.position(name, EVERYTHING)
    if not end.outcome.over:
        return None
    by = dict(zip(end.seats, seating.bots, strict=True))
    winners = tuple(by[seat] for seat in end.outcome.winners)
    counts = Counter(by[commit.seat] for commit in kept.log(name, viewer=EVERYTHING) if commit.seat)
    return Result(seating, winners, {}, counts, (), held_by(game_of(kind), end.state, end.outcome))


def keep(kept: GameService, kind: str, result: Result) -> None:
    """Stores a game that was played; if an earlier attempt was interrupted, what is missing of it."""
    seating = result.seating
    name = name_of(kind, seating)
    if not kept.has_game(name):
        kept.new(kind, {"players": str(len(seating.bots)), "seed": str(seating.seed)}, name=name, by="arena")
    begun = kept.position(name, EVERYTHING)
    by = dict(zip(begun.seats, seating.bots, strict=True))
    for seat, text in result.played[begun.commit.number :]:
        kept.play_or_raise(name, text, by=log_name(parse_bot(by[seat])), seat=seat, viewer=EVERYTHING)
