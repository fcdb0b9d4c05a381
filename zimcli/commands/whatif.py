r"""Let bots play alternatives to the end, and compare the results.

ALTERNATIVE is a command ("bid 3"), a pattern for legal commands ("adore *"), or a whole turn ("adore eshu; build d7;
end"); name several to compare them. From there bots play every seat to the end, --games times for each alternative.
They vary their play, and hidden cards are dealt again, so that each game differs. Games with the same number have the
same cards and bots, so that alternatives are compared in pairs.

The table shows the share of victories of the seat to move with its 95 % interval, and how far each alternative is
behind the best one. --by sorts by any expression at the end of the game instead: kilwa.vp - zulu.vp (see `help
expressions`). Zim stops early when the best is certain. Games are kept on this machine: the same command resumes where
it was interrupted, and more --games play only the new ones.

--then is the level of the bots: random, peer, quick, strong or deep. --keep makes a line of each alternative, with the
first of its games.

Example::

    zim whatif kilwa-7 "bid 1" "bid 2" pass --games 2
    zim whatif kilwa-7 pass --games 1 --by "kilwa.vp - zulu.vp" --then peer
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from zimcli.command import argument, count_workers, place_command, pool_options
from zimcli.errors import hidden_problem, refusal_problem
from zimcli.session import Session
from zimcore.commits import Position
from zimcore.documents.analysis import AlternativeDocument, EstimateDocument, WhatIfAnswer
from zimcore.documents.positions import position_document, seat_with_unseen_cards
from zimcore.game import GameError, RefusedError

if TYPE_CHECKING:
    from zimcore.analysis.alternatives import PlayedOn, Question


@place_command(__doc__)
@argument("alternatives", nargs=-1, required=True, metavar="ALTERNATIVE...")
@click.option("--then", "level", default="quick", metavar="LEVEL", help="Level of the bots (quick).")
@click.option("--games", type=click.IntRange(1, 100_000), default=40, help="Games of each alternative (40).")
@click.option("--by", multiple=True, metavar="EXPRESSION", help="Sort by this at the end of the game.")
@click.option("--seed", type=click.IntRange(0, 2**62), default=0, help="Seed of the cards and the bots (0).")
@pool_options
@click.option("--keep", is_flag=True, help="Make a line of each alternative.")
def command(
    session: Session,
    place: str,
    alternatives: tuple[str, ...],
    level: str,
    games: int,
    by: tuple[str, ...],
    seed: int,
    workers: int | None,
    cluster: str | None,
    keep: bool,
) -> WhatIfAnswer:
    """Plays on, counts and compares."""
    from zimcli.analysis_cache import cache_folder
    from zimcore.analysis.alternative_cache import AlternativeCache
    from zimcore.analysis.alternatives import PlayedOn, Question, compare_alternatives, expand
    from zimcore.bots.registry import check_plays, parse_bot

    processes = count_workers(workers, cluster)
    session.check_help_allowed(place)
    position, commits, bot = session.position(place), session.log(place), parse_bot(level)
    check_plays(bot, position.game)
    check_is_known(position)
    if keep and position.game.secrets:
        why = "cards are dealt anew in every game: there is none to keep"
        raise GameError("--keep", why, [f"fork {place} NAME"])
    names = checked_expressions(session, position, place, by)
    try:
        alternatives_chosen = expand(position, alternatives)
    except RefusedError as error:
        raise refusal_problem(error.what, error.refused) from None
    question = Question(position, commits, alternatives_chosen, bot, games, names, seed)
    cache = AlternativeCache(cache_folder() / "whatif", question)
    total, games_played = games * len(alternatives_chosen), list[PlayedOn]()
    with session.out.progress(f"playing on from {position.place}") as report:
        report(0, total)
        for each in compare_alternatives(question, processes, cluster, cache.recall, cache.keep):
            games_played.append(each)
            report(len(games_played), total)
    if cache.failure:
        session.note(f"games are not kept for the next time: {cache.failure}")
    lines = keep_lines(session, question, games_played) if keep else {}
    return WhatIfAnswer(
        position=position_document(position),
        seat=position.mover,
        bot=str(bot),
        seed=seed,
        by=names,
        alternatives=alternative_documents(question, games_played, lines),
        decided=len(games_played) < total,
        reused=sum(cache.recall(each.alternative, each.number) is not None for each in games_played),
    )


def checked_expressions(session: Session, position: Position, place: str, by: Sequence[str]) -> tuple[str, ...]:
    """The expressions that ends are compared by. Raises `GameError` for one that has no value here."""
    from zimcore.history import parse

    for text in by:
        if "@" in text:
            raise GameError(text, "--by looks at the end of each game, and at no other position", ["help expressions"])
        parse(text).value(session.values_reader(text, place)(position.game, position.state))
    return tuple(by)


def check_is_known(position: Position) -> None:
    """Raises `GameError` where nobody is to move, or the hand of the seat to move can't be seen."""
    if not position.to_move:
        raise GameError(position.place, "the game is over: there is no alternative", ["log", "undo"])
    seat = seat_with_unseen_cards(position)
    if seat is not None:
        raise hidden_problem("whatif", f"the hand of {seat} is hidden, and programs would have to play it")


def alternative_documents(
    question: Question, games_played: Sequence[PlayedOn], lines: dict[int, str]
) -> tuple[AlternativeDocument, ...]:
    """The alternatives as documents, the best first by what they are ordered by."""
    from zimcore.analysis.alternatives import Estimate, difference, estimate, measures

    def document(estimated: Estimate) -> EstimateDocument:
        return EstimateDocument(estimated.mean, estimated.error)

    alternatives, names, seat = question.alternatives, question.by, question.position.mover
    measure_index = 0 if names else -1
    for index, name in enumerate(names):
        if not any(each.values[index] is not None for each in games_played):
            why = "it is no number at the end of any game; a comparison is one, such as winner == kilwa"
            raise GameError(name, why, ["help expressions"])
    ordered_by = [measures(games_played, nth, seat, measure_index) for nth in range(len(alternatives))]
    order = sorted(range(len(alternatives)), key=lambda nth: -estimate([*ordered_by[nth].values()]).mean)
    return tuple(
        AlternativeDocument(
            commands=alternatives[nth],
            games=sum(each.alternative == nth for each in games_played),
            wins=document(estimate([*measures(games_played, nth, seat).values()], of_wins=True)),
            values={
                name: document(estimate([*measures(games_played, nth, seat, index).values()]))
                for index, name in enumerate(names)
            },
            behind=document(difference(ordered_by[order[0]], ordered_by[nth], of_wins=measure_index < 0))
            if nth != order[0]
            else None,
            line=lines.get(nth, ""),
        )
        for nth in order
    )


def keep_lines(session: Session, question: Question, games_played: Sequence[PlayedOn]) -> dict[int, str]:
    """Begins a line for each alternative, with the first game that was played on; the current line stays."""
    from zimcli.bot_moves import log_name
    from zimcore.service.names import next_free

    service, by, lines, position = session.service, session.by, dict[int, str](), question.position
    bot_author = log_name(question.bot, position.game, str(question.seed))
    for nth, commands in enumerate(question.alternatives):
        first = next(each for each in games_played if each.alternative == nth and each.number == 0)
        name = next_free(f"whatif-{position.commit.number}", service.line_names(position.match))
        fork_place = f"{position.place}@{position.commit.number}"
        line = lines[nth] = service.fork(fork_place, name, by=by, viewer=session.viewer, current=False).place
        for text in commands:
            service.play_or_raise(line, text, by=by, viewer=session.viewer)
        for seat, text in first.played:
            service.play_or_raise(line, text, by=bot_author, seat=seat, viewer=session.viewer)
    return lines
