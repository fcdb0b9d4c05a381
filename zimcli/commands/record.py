"""The commands `log` and `events`: the moves of a line, and their events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click
import msgspec

from zimcli.session.command import COUNT, PlaceCommand, argument, declare_command, place_command, viewer_options
from zimcli.session.session import Session
from zimcore.commits import Commit, Position
from zimcore.documents.history import AllEventsAnswer, EventsAnswer, FactOf, LogAnswer, LogRow
from zimcore.documents.positions import Fact, commit_documents, position_document
from zimcore.history import graph, parse
from zimcore.history.bisect import evaluate_commits
from zimcore.history.graph import draw_lanes


@place_command()
@click.option("--events", "shows_events", is_flag=True, help="Show the facts of each move.")
@click.option("--all", "shows_undone", is_flag=True, help="Include undone moves.")
@click.option("--graph", "shows_all_lines", is_flag=True, help="Draw all lines of the game as one graph.")
@click.option(
    "--where", "expression_text", default="", metavar="EXPRESSION", help="Only moves after which this is true."
)
@click.option("-n", "--last", "max_count", type=COUNT, metavar="NUMBER", help="Only the last moves.")
@click.option("--ops", "lists_operations", is_flag=True, help="List operations instead of moves.")
def log(
    session: Session,
    place: str,
    shows_events: bool,
    shows_undone: bool,
    shows_all_lines: bool,
    expression_text: str,
    lists_operations: bool,
    max_count: int | None,
) -> LogAnswer:
    """List the moves of a line.

    One per line, first to last: its number, player, command and result, and the names of the position after it: where a
    round begins (@r4), and tags. --all includes undone moves, as branches of a graph. --graph draws all lines of the
    game as one graph, and names each head. --where lists only moves after which an expression is true (see `expect`).
    --ops lists operations instead: every change of the head and of names. Each can be undone (`undo --op`).

    Example::

        zim log kilwa-7 --where "kilwa.cattle < 3"
    """
    position = session.position(place)
    if lists_operations:
        return LogAnswer(
            position_document(position), operations=tuple(session.service.operations(place)[-(max_count or 0) :])
        )
    heads_by_line = heads_of(session, place) if shows_all_lines else {}
    commits = (
        session.service.log_of_lines(position.match, heads_by_line, session.viewer)
        if shows_all_lines
        else session.log(place, all_=shows_undone)
    )
    digests = (
        matching_digests(session, position, commits, expression_text)
        if expression_text
        else {commit.digest for commit in commits}
    )
    shown_commits = [commit for commit in commits if commit.digest in digests][-(max_count or 0) :]
    digests = {commit.digest for commit in shown_commits}
    return LogAnswer(
        position=position_document(position),
        commits=commit_documents(shown_commits, position.game if shows_events else None),
        graph=tuple(row for row in graph_rows(session, place, commits, heads_by_line) if row.digest in digests)
        if shows_undone or shows_all_lines
        else None,
        tags=tuple(tag for tag in session.service.tags(position.match) if tag.digest in digests),
        notes=session.notes(place, shown_commits),
    )


def heads_of(session: Session, place: str) -> dict[str, str]:
    """The digest of the head of each line of a game, by the name of the line. Leaves out damaged lines."""
    lines = session.service.lines(place, session.viewer, by=session.by)
    return {line.name: line.digest for line in lines if not line.damaged}


def matching_digests(session: Session, position: Position, commits: Sequence[Commit], expression_text: str) -> set[str]:
    """The digests of the commits after which an expression is true."""
    verdicts = evaluate_commits(
        position.game, commits, parse(expression_text), session.values_reader(expression_text, position.place)
    )
    return {verdict.commit.digest for verdict in verdicts if verdict.holds}


def graph_rows(
    session: Session, place: str, commits: Sequence[Commit], heads_by_line: Mapping[str, str]
) -> Sequence[LogRow]:
    """Commits as a graph, with the path to `place` on the left, and the names of lines at their heads."""
    own_digests = {commit.digest for commit in session.log(place)}
    names_by_digest = {
        digest: tuple(name for name, head in heads_by_line.items() if head == digest)
        for digest in heads_by_line.values()
    }
    return [
        LogRow(row.commit.digest, draw_lanes(row), names_by_digest.get(row.commit.digest, ()))
        for row in graph(commits, own_digests)
    ]


class EventsCommand(PlaceCommand):
    """Takes no place with `--all`."""

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front unless `--all` is among them."""
        return args if "--all" in args else super().with_place(session, args)


@declare_command(None, EventsCommand, {})
@argument("place", required=False)
@viewer_options
@click.option("--all", "of_all_games", is_flag=True, help="List the events of every game.")
def events(session: Session, place: str, of_all_games: bool) -> EventsAnswer | AllEventsAnswer:
    """List the events of a line.

    With --all those of every game, each on its current line.

    Example::

        zim events kilwa-7@-1 --json
        zim events --all --format jsonl
    """
    if of_all_games:
        return all_events(session)
    if not place:
        raise click.UsageError("Name a place, or add --all.")
    position = session.position(place)
    describe = position.game.notation.describe
    facts = [(commit.number, event) for commit in session.log(place) for event in commit.events]
    return EventsAnswer(
        events=tuple({"number": number, **msgspec.to_builtins(event)} for number, event in facts),
        facts=tuple(Fact(number, describe(event)) for number, event in facts),
        position=position_document(position),
    )


def all_events(session: Session) -> AllEventsAnswer:
    """The events of every game, each on its current line."""
    facts = list[FactOf]()
    for game in session.service.games():
        describe = session.position(game.name).game.notation.describe
        for commit in session.log(game.name):
            facts += [
                FactOf(game.name, game.line, commit.number, commit.digest, describe(event), msgspec.to_builtins(event))
                for event in commit.events
            ]
    return AllEventsAnswer(tuple(facts))
