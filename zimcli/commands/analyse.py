"""Judge every turn: chances to win, mistakes and turning points.

The chances come from a model trained on games of bots, refined by playouts. Each turn is compared with the turn that
`hint` calls the best with as many positions; both are played out against the same opponents. A turn that loses 5 points
of the chance to win is an inaccuracy, 10 a mistake, 15 a blunder. You also get each player's accuracy and the turning
points, where the chances changed most. With hidden cards it shows how lucky each player was, and it waits until
everything is revealed.

The result depends only on --nodes and --seed. Finished work is kept in a file on this machine, so an interrupted
analysis goes on where it stopped. It can run in several processes, or with --cluster on the nodes of a Ray cluster (see
`arena`).

--fork keeps the better turns as lines: better-18 begins before move 18. --svg writes a graph.

Example::

    zim analyse kilwa-7 --nodes 60
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zimcli.analysis_cache import cache_file
from zimcli.command import count_workers, place_command, pool_options
from zimcli.session import Session
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import AnalyseAnswer, ChanceDocument, DecisionDocument
from zimcore.documents.positions import position_document
from zimcore.game import Seat
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcore.analysis.match_analysis import JudgedDecision


@place_command(__doc__)
@click.option(
    "--nodes", type=click.IntRange(1, 100_000_000), metavar="NUMBER", help="Positions to search per turn (4000)."
)
@click.option("--seed", type=click.IntRange(0, 2**62), default=0, help="Seed of the playouts.")
@pool_options
@click.option("--fork", "forks", is_flag=True, help="Keep the better turns as lines.")
@click.option(
    "--svg", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a graph of the chances."
)
@click.option("--fresh", is_flag=True, help="Ignore results from earlier.")
def command(
    session: Session,
    place: str,
    nodes: int | None,
    seed: int,
    workers: int | None,
    cluster: str | None,
    forks: bool,
    svg: Path | None,
    fresh: bool,
) -> AnalyseAnswer:
    """Judges the turns that lead to a position."""
    from zimcore.analysis.analysis_documents import accuracy_documents, decision_documents
    from zimcore.analysis.hint import chance_document
    from zimcore.analysis.judgement import NODES
    from zimcore.analysis.judgement_cache import JudgementCache
    from zimcore.analysis.match_analysis import JudgedDecision, analyse, beginning, decisions, engine

    processes = count_workers(workers, cluster)
    session.check_help_allowed(place)
    position, commits, nodes = session.position(place), session.log(place), nodes or NODES
    game = position.game
    cache = JudgementCache(cache_file(commits), engine(game), nodes, seed)
    if fresh:
        cache.known.clear()
    known_before, total, judgements = len(cache.known), sum(1 for _ in decisions(game, commits)), list[JudgedDecision]()
    with session.out.progress(f"analysing {position.place}") as report:
        report(0, total)
        for each in analyse(
            game,
            commits,
            nodes,
            seed,
            processes,
            cluster,
            lambda decision: cache.recall(decision.digest),
            lambda decision, judged_decisions: cache.keep(decision.digest, judged_decisions),
        ):
            judgements.append(each)
            report(len(judgements), total)
    judged_decisions = tuple(decision_documents(game, commits, judgements))
    start = {seat: chance_document(chance) for seat, chance in beginning(game, commits).items()}
    if svg:
        svg.write_text(graph_of(position, start, judged_decisions), "utf-8")
    return AnalyseAnswer(
        position=position_document(position),
        engine=engine(game),
        nodes=nodes,
        seed=seed,
        kept=total - (len(cache.known) - known_before),
        start=start,
        decisions=judged_decisions,
        accuracy=dict(accuracy_documents(judgements)),
        forked=fork_better_lines(session, position, commits, judgements) if forks else {},
    )


def graph_of(position: Position, start: Mapping[Seat, ChanceDocument], decisions: Sequence[DecisionDocument]) -> str:
    """Draws the chances to win as an SVG graph."""
    from zimcore.picture.chance_graph import ChancePoint, graph

    points = [ChancePoint(0, {seat: each.chance for seat, each in start.items()})]
    for each in decisions:
        chances = {seat: chance.chance for seat, chance in each.chances.items()}
        points.append(ChancePoint(each.last, chances, each.seat, each.round, each.word))
    return graph(position, points)


def fork_better_lines(
    session: Session, position: Position, commits: Sequence[Commit], decisions: Sequence[JudgedDecision]
) -> dict[str, int]:
    """Forks a line for each turn that gave something away, and plays the better turn there.

    Returns the number of the move that each new line begins after. Skips turns whose better line exists already. The
    current line stays the same.
    """
    from zimcore.analysis.better_lines import better_name, line_of_better

    service, by, lines = session.service, session.by, dict[str, int]()
    names = [*service.line_names(position.match)]
    for each in decisions:
        first, best = each.decision.first, each.judged.best
        if not (each.judged.word and best):
            continue
        if line_of_better(service, position.match, commits, each, names, session.viewer):
            continue
        name = better_name(first, names)
        service.fork(f"{position.place}@{first - 1}", name, by=by, viewer=session.viewer, current=False)
        author = f"analysis {numbered(round(100 * each.judged.given), 'point')} better"
        line = f"{position.match}/{name}"
        try:
            for text in best:
                service.play_or_raise(line, text, by=author, seat=each.decision.seat, viewer=session.viewer)
        except Exception:  # a seat that must sign, or a full store: keep no line with half a turn
            service.forget(line, by=by, viewer=session.viewer)
            raise
        lines[name] = first - 1
    return lines
