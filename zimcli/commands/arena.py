"""Let bots play many games, and show which is better.

The first BOT plays against the others, which fill the other seats. Every deal is played once with it at each seat, so
that luck is shared. You see the share of victories with its 95 % interval, computed over deals. --least SHARE stops as
soon as the results show whether the first bot wins that share, or 10 points less. --into keeps every game in a file,
which you can open as a store; if you interrupt it, the same command goes on there. The same options give the same
games, in processes of this machine or, with --cluster, on the nodes of a Ray cluster (extra `cluster`; `auto` is the
cluster that this machine belongs to).

A bot is a level, such as `strong` or `deep:nodes=20000`, or a class of your own as MODULE:CLASS. Python looks for the
module in installed packages and in the folders of PYTHONPATH.

Example::

    zim arena quick peer --games 12 --into arena.db
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256

import click

from event_store.outputs import StoreFileError
from zimcli.session.allowed_programs import named_bot
from zimcli.session.command import argument, count_workers, plain_command, pool_options
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcore.analysis.arena_results import arena_answer, play_bundle
from zimcore.bots.arena import (
    MatchResult,
    Seating,
    cards_at_end,
    iter_seatings,
    options_for,
    sequential_test,
)
from zimcore.bots.bot import FAILURE_HINTS
from zimcore.bots.pools import make_pool
from zimcore.bots.process_pool import PlayMatches, Pool, match_results_in_order
from zimcore.bots.registry import BOTS_VERSION, log_author, parse_bot
from zimcore.documents.play import ArenaAnswer
from zimcore.game import GameError
from zimcore.service import EVERYTHING, GameService, open_service
from zimcore.service import game as game_of

REJECTED_MARGIN = 0.1
"""How far below --least the share is that the test rejects."""


STORED_NAME_PATTERN = re.compile(r"deal-\d+-seat-\d+-[0-9a-f]{6}")
"""Matches the names of games that `stored_match_name` makes."""


@plain_command(__doc__)
@argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option(
    "--games",
    "match_count",
    type=click.IntRange(1, 1_000_000),
    metavar="NUMBER",
    default=40,
    help="Number of games (40).",
)
@click.option(
    "--players", "player_count", type=click.IntRange(2, 20), metavar="NUMBER", default=4, help="Players per game (4)."
)
@click.option("--game", "kind", default="", metavar="KIND", help="Game to play.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**62),
    metavar="NUMBER",
    default=1,
    help="Seed of the first deal; each deal adds 1 (1).",
)
@pool_options
@click.option(
    "--least",
    "target_share",
    type=click.FloatRange(REJECTED_MARGIN, 1),
    metavar="SHARE",
    help="Stop once this share is proved or refuted.",
)
@click.option("--into", "store_file", type=OutputFile("store"), metavar="FILE", help="Keep every game in this file.")
def command(
    session: Session,
    bots: tuple[str, ...],
    match_count: int,
    player_count: int,
    kind: str,
    seed: int,
    workers: int | None,
    cluster: str | None,
    target_share: float | None,
    store_file: FileToWrite | None,
) -> ArenaAnswer:
    """Plays the games, counts the results and keeps the games."""
    processes = count_workers(workers, cluster)
    bot_names, game = [str(named_bot(session, bot)) for bot in bots], session.game(kind)
    planned_seatings, results, has_target_share = (
        list(iter_seatings(bot_names, player_count, match_count, seed)),
        list[MatchResult](),
        None,
    )
    match_service = open_match_service(store_file) if store_file else None
    with session.output.progress("playing") as report, hints_without_a_game():
        for result in play_matches(game.name, planned_seatings, partial(make_pool, processes, cluster), match_service):
            results.append(result)
            report(len(results), match_count)
            if target_share and len(results) % player_count == 0:
                has_target_share = sequential_test(results, target_share - REJECTED_MARGIN, target_share)
                if has_target_share is not None:
                    break
    kept = match_service.store.url if match_service else ""
    return arena_answer(game.name, player_count, seed, results, sure=has_target_share, kept=kept)


def open_match_service(store_file: FileToWrite) -> GameService:
    """The service of the store that keeps the games. Raises `OutputError` for a store that has others."""
    service = open_service(f"sqlite:///{store_file.path}")
    if other_games := [name for name in service.game_names() if not STORED_NAME_PATTERN.fullmatch(name)]:
        reason = f"it is a store with other games, such as {other_games[0]}"
        raise store_file.with_hints(StoreFileError(f"can't write {store_file.path}", reason))
    return service


@contextmanager
def hints_without_a_game() -> Iterator[None]:
    """Replaces what a bot's failure proposes in a game of the user's: here there is none."""
    try:
        yield
    except GameError as error:
        if error.hints == FAILURE_HINTS:
            error.hints = ("help arena",)
        raise


def play_matches(
    kind: str,
    planned_seatings: Sequence[Seating],
    open_pool: Callable[[PlayMatches, int], Pool[Seating, MatchResult]],
    match_service: GameService | None,
) -> Iterator[MatchResult]:
    """Yields the results in the order of the plan. Games that are kept already are not played again."""
    stored_results = {
        seating.number: stored_result
        for seating in planned_seatings
        if match_service and (stored_result := recall_result(match_service, kind, seating))
    }
    new_seatings = [seating for seating in planned_seatings if seating.number not in stored_results]
    with open_pool(partial(play_bundle, kind), len(new_seatings)) as pool:
        new_results = match_results_in_order(pool, new_seatings)
        for seating in planned_seatings:
            result = stored_results.get(seating.number) or next(new_results)
            if match_service and seating.number not in stored_results:
                store_match(match_service, kind, result)
            yield result


def stored_match_name(kind: str, seating: Seating) -> str:
    """The name under which a game is kept: its deal, and a hash of the bots, their seats and their version."""
    place = seating.number - seating.block * len(seating.bots) + 1
    bots_hash = sha256(" ".join((kind, str(BOTS_VERSION), *seating.bots)).encode()).hexdigest()[:6]
    return f"deal-{seating.seed}-seat-{place}-{bots_hash}"


def recall_result(match_service: GameService, kind: str, seating: Seating) -> MatchResult | None:
    """The result of a game that is kept already; None if it was not kept to its end."""
    name = stored_match_name(kind, seating)
    if not match_service.has_game(name):
        return None
    last_position = match_service.position(name, EVERYTHING)
    if not last_position.outcome.over:
        return None
    bot_by_seat = dict(zip(last_position.seats, seating.bots, strict=True))
    winners = tuple(bot_by_seat[seat] for seat in last_position.outcome.winners)
    move_counts = Counter(
        bot_by_seat[commit.seat] for commit in match_service.log(name, viewer=EVERYTHING) if commit.seat
    )
    return MatchResult(
        seating, winners, {}, move_counts, (), cards_at_end(game_of(kind), last_position.state, last_position.outcome)
    )


def store_match(match_service: GameService, kind: str, result: MatchResult) -> None:
    """Stores a game, or the rest of it if an earlier attempt was interrupted."""
    seating = result.seating
    name = stored_match_name(kind, seating)
    if not match_service.has_game(name):
        options = {**options_for(game_of(kind), len(seating.bots)), "seed": str(seating.seed)}
        match_service.new(kind, options, name=name, by="arena")
    position = match_service.position(name, EVERYTHING)
    bot_by_seat = dict(zip(position.seats, seating.bots, strict=True))
    for seat, command_text in result.moves[position.commit.number :]:
        match_service.play_or_raise(
            name, command_text, by=log_author(parse_bot(bot_by_seat[seat]), position.game), seat=seat, viewer=EVERYTHING
        )
