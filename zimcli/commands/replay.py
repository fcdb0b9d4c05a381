"""Write a game as a web page to step through.

FILE is a single page for any browser, with the board, the standings and their graphs, and the log. Arrow keys, a slider
and clicks on a graph move through the game, + and - zoom, and kilwa-7.html#12 or kilwa-7.html#r4 links to a position.
PLACE is the last position shown.

If the game was analysed (see `analyse`), the page also has a graph of the chances to win. Below the log you see what
each turn gave away, and B steps through the better turn.

Example::

    zim replay kilwa-7 --html kilwa-7.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from zimcli.session.analysis_cache import known_judgements
from zimcli.session.command import place_command
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcore.commits import Commit, Position
from zimcore.documents.look import ReplayAnswer
from zimcore.documents.positions import position_document

if TYPE_CHECKING:
    from zimcore.picture.replay import PageThought


@place_command(__doc__)
@click.option("--html", "page_file", type=OutputFile(to_show=True), required=True, metavar="FILE")
def command(session: Session, place: str, page_file: FileToWrite) -> ReplayAnswer:
    """Writes the page."""
    from zimcore.history.replay_states import states_after_commits
    from zimcore.picture.replay import replay_page

    last_position, commits = session.position(place), session.log(place)
    states = states_after_commits(
        last_position.game, commits
    )  # redacted events give redacted positions, so one fold serves every viewer
    positions_shown = (
        Position(last_position.match, last_position.line, commit, state, last_position.game) for commit, state in states
    )
    with session.output.progress("drawing moves") as report:
        page = replay_page(
            positions_shown,
            lambda done_count: report(done_count, len(commits)),
            page_thoughts(session, last_position, place, commits),
            [(note.about, note.text) for note in session.notes(place, commits)],
            session.service.site_links(place),
        )
    page_file.write([page.encode()])
    return ReplayAnswer(position_document(last_position), page_file.path, len(commits) - 1)


def page_thoughts(
    session: Session, last_position: Position, place: str, commits: Sequence[Commit]
) -> Mapping[int, PageThought]:
    """The judgements of a stored analysis, by the number of each turn's last commit."""
    judgements = known_judgements(session, last_position.game, place, commits)
    if not judgements:
        return {}
    from zimcore.analysis.match_analysis import better_positions
    from zimcore.picture.replay import PageThought

    return {
        judged_decision.decision.last: PageThought(
            chances=[round(100 * judged_decision.judged_turn.chances[seat].mean) for seat in last_position.seats],
            note=judged_decision.judged_turn.summary,
            better=better_positions(last_position, commits, judged_decision)
            if judged_decision.judged_turn.word
            else (),
        )
        for judged_decision in judgements
    }
