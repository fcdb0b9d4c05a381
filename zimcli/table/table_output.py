"""The output of a session at the table: collects answers for the screen, and prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

import msgspec

from zimcli.output.output import Output, raise_no_picture
from zimcli.render.answers import blocks
from zimcli.render.problems import problem_lines
from zimcli.render.spans import Block, Note, Screen
from zimcli.shell.program_name import typable
from zimcore.documents.look import BoardAnswer
from zimcore.documents.play import BotAnswer, PlayAnswer
from zimcore.documents.positions import Answer
from zimcore.documents.problems import Problem
from zimcore.toolkit.progress import ReportProgress


class Sink(Protocol):
    """Receives what is shown."""

    def add_blocks(self, new_blocks: Iterable[Block], *, leaves_board: bool = False) -> None:
        """Adds blocks below the earlier ones; with `leaves_board`, as for moves and errors, the board stays visible.

        Raises `KeyboardInterrupt` if the user has asked to stop the line.
        """
        ...

    def show_board(self, answer: BoardAnswer) -> bool:
        """Shows a board on the table, if it can. Returns whether it did."""
        ...

    def report_progress(self, text: str) -> None:
        """Shows the progress of a long task. Raises `KeyboardInterrupt` if the user has asked to stop the line."""
        ...


class TableOutput(Output, frozen=True, kw_only=True):
    """The output of a session at the table."""

    sink: Sink

    def show_answer(self, answer: Answer, *, in_session: bool = False, is_failure: bool = False) -> None:
        """Shows an answer. A board replaces the one on the table."""
        if self.json:
            self.sink.add_blocks([[(msgspec.json.encode(answer).decode(), "")]])
        elif not (isinstance(answer, BoardAnswer) and self.sink.show_board(answer)):
            content = blocks(answer, Screen(not self.ascii, in_session=in_session, is_failure=is_failure))
            self.sink.add_blocks(content, leaves_board=isinstance(answer, PlayAnswer | BotAnswer))

    def show_blocks(self, blocks: Iterable[Block]) -> None:
        """Shows text that is not part of an answer."""
        self.sink.add_blocks(blocks)

    def draw_picture(self, make_png: Callable[[], bytes], is_wanted: bool | None) -> bool:
        """Draws nothing: the table has its own board. Raises `GameError` if a picture is wanted."""
        return bool(is_wanted) and raise_no_picture("the table has its board")

    def show_note(self, text: str) -> None:
        """Shows a note."""
        self.sink.add_blocks([Note(typable(text))])

    def show_problem(self, problem: Problem) -> None:
        """Shows a problem."""
        self.sink.add_blocks(problem_lines(problem), leaves_board=True)

    @contextmanager
    def progress(self, task_name: str) -> Iterator[ReportProgress]:
        """Reports progress. The task can be stopped at each report."""
        self.sink.report_progress(task_name)
        yield lambda done_count, total: self.sink.report_progress(
            f"{task_name} {done_count:,}" + (f" of {total:,}" if total else "")
        )
