r"""Let bots play alternatives to the end, and compare the results.

ALTERNATIVE is a command ("bid 3"), a pattern for legal commands ("adore *"), or a whole turn ("adore eshu; build d7;
end"); name several to compare them. From there bots play every seat to the end, --games times for each alternative.
They vary their play, and hidden cards are dealt again, so that each game differs. Games with the same number have the
same cards and bots, so that alternatives are compared in pairs.

The table shows the share of victories of the seat to move with its 95 % interval, and how far each alternative is
behind the best one. --by sorts by any expression at the end of the game instead: kilwa.vp - zulu.vp (see `help
expressions`). Zim stops early when the best is certain. It keeps the games on this machine: type the same command to
resume an interrupted comparison; with more --games it plays only the new ones.

--then is the level of the bots: random, peer, quick, strong or deep. --keep makes a line of each alternative, with the
first of its games.

Example::

    zim whatif kilwa-7 "bid 1" "bid 2" pass --games 2
    zim whatif kilwa-7 pass --games 1 --by "kilwa.vp - zulu.vp" --then peer
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

import click

from zimcli.output.errors import hidden_problem, refusal_problem
from zimcli.session.command import argument, count_workers, place_command, pool_options
from zimcli.session.session import Session
from zimcore.commits import Position
from zimcore.documents.analysis import WhatIfAnswer
from zimcore.game import GameError, HiddenError, RefusedError

if TYPE_CHECKING:
    from zimcore.analysis.alternatives import AlternativeGame, Comparison


EXAMPLES = 2
"""Alternatives that are proposed where none is given."""


@place_command(__doc__)
@argument("alternatives", nargs=-1, metavar="ALTERNATIVE...")
@click.option("--then", "bot_level", default="quick", metavar="LEVEL", help="Level of the bots (quick).")
@click.option(
    "--games",
    "game_count",
    type=click.IntRange(1, 100_000),
    metavar="NUMBER",
    default=40,
    help="Games of each alternative (40).",
)
@click.option(
    "--by", "expression_texts", multiple=True, metavar="EXPRESSION", help="Sort by this at the end of the game."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**62), metavar="NUMBER", default=0, help="Seed of the cards and the bots (0)."
)
@pool_options
@click.option("--keep", "keeps_lines", is_flag=True, help="Make a line of each alternative.")
def command(
    session: Session,
    place: str,
    alternatives: tuple[str, ...],
    bot_level: str,
    game_count: int,
    expression_texts: tuple[str, ...],
    seed: int,
    workers: int | None,
    cluster: str | None,
    keeps_lines: bool,
) -> WhatIfAnswer:
    """Plays on, counts and compares."""
    from zimcli.session.allowed_programs import named_bot
    from zimcli.session.analysis_cache import cache_folder, note_unkept
    from zimcore.analysis.alternative_cache import AlternativeCache
    from zimcore.analysis.alternative_documents import what_if_answer
    from zimcore.analysis.alternatives import (
        AlternativeGame,
        Comparison,
        check_can_play_on,
        compare_alternatives,
        expand_alternatives,
    )
    from zimcore.bots.registry import check_can_play

    worker_count = count_workers(workers, cluster)
    session.check_help_allowed(place)
    position, commits, bot = session.position(place), session.log(place), named_bot(session, bot_level)
    check_can_play(bot, position.game)
    try:
        check_can_play_on(position)
    except HiddenError as error:
        raise hidden_problem("whatif", str(error)) from None
    if not alternatives:
        legal = position.legal()
        first_commands = (next(iter(legal.texts(verb)), "") for verb in position.game.notation.SYNTAX)
        examples = [*dict.fromkeys([*filter(None, first_commands), *islice(legal.texts(), EXAMPLES)])][:EXAMPLES]
        raise GameError("no alternative given", "name the commands to compare", [shlex.join(["whatif", *examples])])
    if keeps_lines and position.game.secrets:
        reason = "cards are dealt anew in every game, so that no line can be kept"
        raise GameError("--keep", reason, [f"fork {place} NAME"])
    check_expressions(session, position, place, expression_texts)
    try:
        turns = expand_alternatives(position, alternatives)
    except RefusedError as error:
        raise refusal_problem(error.what, error.refused) from None
    comparison = Comparison(position, commits, turns, bot, game_count, expression_texts, seed)
    cache = AlternativeCache(cache_folder() / "whatif", comparison)
    total, played_games = game_count * len(turns), list[AlternativeGame]()
    with session.output.progress(f"playing on from {position.place}") as report:
        report(0, total)
        for played_game in compare_alternatives(comparison, worker_count, cluster, cache.recall, cache.store):
            played_games.append(played_game)
            report(len(played_games), total)
    note_unkept(session, cache.file)
    lines_by_alternative = keep_lines(session, comparison, played_games) if keeps_lines else {}
    reused_count = sum(cache.recall(each.alternative, each.game_number) is not None for each in played_games)
    return what_if_answer(comparison, played_games, reused_count, lines_by_alternative)


def check_expressions(session: Session, position: Position, place: str, expression_texts: Sequence[str]) -> None:
    """Raises `GameError` for an expression that has no value here."""
    from zimcore.history import parse

    for text in expression_texts:
        if "@" in text:
            raise GameError(text, "--by looks at the end of each game, and at no other position", ["help expressions"])
        parse(text).value(session.values_reader(text, place)(position.game, position.state))


def keep_lines(session: Session, comparison: Comparison, played_games: Sequence[AlternativeGame]) -> dict[int, str]:
    """Begins a line for each alternative, with the first game that was played on; the current line stays."""
    from zimcore.bots.registry import log_author
    from zimcore.service.records.names import next_free_name

    service, author, position, lines_by_alternative = session.service, session.by, comparison.position, dict[int, str]()
    bot_author = log_author(comparison.bot, position.game, str(comparison.seed))
    for index, commands in enumerate(comparison.alternatives):
        first_game = next(each for each in played_games if each.alternative == index and each.game_number == 0)
        name = next_free_name(f"whatif-{position.commit.number}", service.line_names(position.match))
        fork_place = f"{position.place}@{position.commit.number}"
        line_place = lines_by_alternative[index] = service.fork(
            fork_place, name, by=author, viewer=session.viewer, current=False
        ).place
        for command_text in commands:
            service.play_or_raise(line_place, command_text, by=author, viewer=session.viewer)
        for seat, command_text in first_game.seat_commands:
            service.play_or_raise(line_place, command_text, by=bot_author, seat=seat, viewer=session.viewer)
    return lines_by_alternative
