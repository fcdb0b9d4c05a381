"""Renders positions, boards and statistics."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers, written_files
from zimcli.render.moves import DIGEST_DIGITS, deviation_lines, fact_lines, move_line, place_line, turn_line
from zimcli.render.spans import Block, Screen
from zimcli.render.tables import table_blocks
from zimcore.documents.look import (
    AllStatisticsAnswer,
    AskAnswer,
    BoardAnswer,
    ReachAnswer,
    ReplayAnswer,
    ShowAnswer,
    StatisticsAnswer,
)
from zimcore.toolkit.words import numbered


def show_blocks(answer: ShowAnswer, _: Screen) -> Iterator[Block]:
    """A commit with its facts, and all tables of the position after it."""
    commit, colours = answer.commit, answer.position.colours
    yield place_line(answer.position)
    yield from ([(note.text, "yellow")] for note in answer.notes)
    yield from deviation_lines(answer.recorded)
    yield [(f"commit {commit.digest[:DIGEST_DIGITS]} by {commit.by}, {commit.at:%Y-%m-%d %H:%M}", "dim")]
    yield move_line(commit, answer.position)
    yield from fact_lines(commit.facts or ())
    if answer.turn:
        yield turn_line(answer.turn)
    yield from table_blocks(answer.tables, colours)


def board_blocks(answer: BoardAnswer, screen: Screen) -> Iterator[Block]:
    """The board with its overlay; or only the names of the files that it was drawn into."""
    if answer.files or answer.board is None:
        yield from written_files(answer.files)
        return
    from zimcli.render.board import NORMAL_SIZE, size_for
    from zimcli.render.map import drawing_class

    overlay, terminal_size = answer.overlay, screen.size()
    drawing = drawing_class(answer.board)(
        answer.board,
        answer.position.colours,
        has_glyphs=screen.has_glyphs,
        overlay=overlay.squares if overlay else None,
        last_squares=answer.last,
        size=size_for(answer.board, *terminal_size) if terminal_size else NORMAL_SIZE,
    )
    yield place_line(answer.position)
    if overlay:
        yield [(overlay.title, "bold yellow")]
    yield from drawing.lines()


def replay_blocks(answer: ReplayAnswer, _: Screen) -> Iterator[Block]:
    """The name of the HTML file with the replay."""
    yield from written_files((answer.file,))


def reach_blocks(answer: ReachAnswer, _: Screen) -> Iterator[Block]:
    """What can be reached from a square."""
    from zimcli.render.answers.play import question_tables

    return question_tables(answer.position, answer.reach, answer.unseen)


def ask_blocks(answer: AskAnswer, _: Screen) -> Iterator[Block]:
    """The game's answer to a question."""
    from zimcli.render.answers.play import question_tables

    return question_tables(answer.position, answer.answer, answer.unseen)


def statistics_blocks(answer: StatisticsAnswer, _: Screen) -> Iterator[Block]:
    """Totals over the events up to a position."""
    yield place_line(answer.position)
    yield from table_blocks(answer.stats, answer.position.colours)


def all_statistics_blocks(answer: AllStatisticsAnswer, _: Screen) -> Iterator[Block]:
    """Tables over finished games."""
    yield [(numbered(answer.games, "finished game"), "bold")]
    yield from table_blocks(answer.stats, {})


RENDERERS: Renderers = {
    AllStatisticsAnswer: all_statistics_blocks,
    ShowAnswer: show_blocks,
    BoardAnswer: board_blocks,
    ReplayAnswer: replay_blocks,
    ReachAnswer: reach_blocks,
    AskAnswer: ask_blocks,
    StatisticsAnswer: statistics_blocks,
}
