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
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from zimcli.session.analysis_cache import cache_file, note_unkept
from zimcli.session.command import count_workers, place_command, pool_options
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import AnalyseAnswer, ChanceDocument, DecisionDocument
from zimcore.game import Seat
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcore.analysis.match_analysis import JudgedDecision


@place_command(__doc__)
@click.option(
    "--nodes", type=click.IntRange(1, 100_000_000), metavar="NUMBER", help="Positions to search per turn (4000)."
)
@click.option("--seed", type=click.IntRange(0, 2**62), metavar="NUMBER", default=0, help="Seed of the playouts.")
@pool_options
@click.option("--fork", "forks_better_turns", is_flag=True, help="Keep the better turns as lines.")
@click.option(
    "--svg",
    "graph_file",
    type=OutputFile(to_show=True),
    metavar="FILE",
    help="Write a graph of the chances.",
)
@click.option("--fresh", "ignores_cache", is_flag=True, help="Ignore results from earlier.")
def command(
    session: Session,
    place: str,
    nodes: int | None,
    seed: int,
    workers: int | None,
    cluster: str | None,
    forks_better_turns: bool,
    graph_file: FileToWrite | None,
    ignores_cache: bool,
) -> AnalyseAnswer:
    """Judges the turns that lead to a position."""
    from zimcore.analysis.analysis_documents import analyse_answer
    from zimcore.analysis.judgement import DEFAULT_NODES
    from zimcore.analysis.judgement_cache import JudgementCache
    from zimcore.analysis.match_analysis import (
        JudgedDecision,
        analyse_match,
        engine_version,
        iter_decisions,
    )

    processes = count_workers(workers, cluster)
    session.check_help_allowed(place)
    position, commits, nodes = session.position(place), session.log(place), nodes or DEFAULT_NODES
    game = position.game
    cache = JudgementCache(cache_file(commits), engine_version(game), nodes, seed)
    if ignores_cache:
        cache.judged_turns.clear()
    known_count, total, judgements = (
        len(cache.judged_turns),
        sum(1 for _ in iter_decisions(game, commits)),
        list[JudgedDecision](),
    )
    with session.output.progress(f"analysing {position.place}") as report:
        report(0, total)
        for judged_decision in analyse_match(
            game,
            commits,
            nodes,
            seed,
            processes,
            cluster,
            lambda decision: cache.recall(decision.digest),
            lambda decision, judged_decisions: cache.store(decision.digest, judged_decisions),
        ):
            judgements.append(judged_decision)
            report(len(judgements), total)
    note_unkept(session, cache.file)
    kept_count = total - (len(cache.judged_turns) - known_count)
    answer = analyse_answer(position, commits, judgements, nodes, seed, kept_count)
    if graph_file:
        graph_file.write([graph_of(position, answer.start, answer.decisions).encode()])
        answer = replace(answer, file=graph_file.path)
    if forks_better_turns:
        answer = replace(answer, forked=fork_better_lines(session, position, commits, judgements))
    return answer


def graph_of(
    position: Position, chances_at_start: Mapping[Seat, ChanceDocument], decisions: Sequence[DecisionDocument]
) -> str:
    """Draws the chances to win as an SVG graph."""
    from zimcore.picture.chance_graph import ChancePoint, draw_chance_graph

    points = [ChancePoint(0, {seat: chance.chance for seat, chance in chances_at_start.items()})]
    for decision in decisions:
        chances = {seat: chance.chance for seat, chance in decision.chances.items()}
        points.append(ChancePoint(decision.last, chances, decision.seat, decision.round, decision.word))
    return draw_chance_graph(position, points)


def fork_better_lines(
    session: Session, position: Position, commits: Sequence[Commit], judged_decisions: Sequence[JudgedDecision]
) -> dict[str, int]:
    """Forks a line for each turn that gave something away, and plays the better turn there.

    Returns the number of the move that each new line begins after. Skips turns whose better line exists already. The
    current line stays the same.
    """
    from zimcore.analysis.better_lines import better_line_name, find_better_line

    service, by, fork_numbers = session.service, session.by, dict[str, int]()
    line_names = [*service.line_names(position.match)]
    for judged_decision in judged_decisions:
        first_number, better_commands = judged_decision.decision.first, judged_decision.judged_turn.best_commands
        if not (judged_decision.judged_turn.word and better_commands):
            continue
        if find_better_line(service, position.match, commits, judged_decision, line_names, session.viewer):
            continue
        name = better_line_name(first_number, line_names)
        service.fork(f"{position.place}@{first_number - 1}", name, by=by, viewer=session.viewer, current=False)
        author = f"analysis {numbered(round(100 * judged_decision.judged_turn.loss), 'point')} better"
        fork_place = f"{position.match}/{name}"
        try:
            for command_text in better_commands:
                service.play_or_raise(
                    fork_place, command_text, by=author, seat=judged_decision.decision.seat, viewer=session.viewer
                )
        except Exception:  # a seat that must sign, or a full store: keep no line with half a turn
            service.forget(fork_place, by=by, viewer=session.viewer)
            raise
        fork_numbers[name] = first_number - 1
    return fork_numbers
