"""Where answers go at the table: nothing is printed, all of it is gathered for the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

import msgspec

from zimcli.output import Output, no_picture
from zimcli.render.answers import blocks
from zimcli.render.problems import problem_lines
from zimcli.render.spans import Block, Note, Screen
from zimcore.documents.look import BoardAnswer
from zimcore.documents.positions import Answer
from zimcore.documents.problems import Problem


class Sink(Protocol):
    """Takes what is shown."""

    def add(self, found: Iterable[Block]) -> None:
        """Blocks, below what there is already. Raises `KeyboardInterrupt` where the user has stopped it."""
        ...

    def lay(self, answer: BoardAnswer) -> bool:
        """A board: whether it is one that can be shown on the table."""
        ...

    def report(self, text: str) -> None:
        """How far a long task has come. Raises `KeyboardInterrupt` where the user has stopped it."""
        ...


class TableOutput(Output, frozen=True, kw_only=True):
    """The output of a session at the table."""

    sink: Sink

    def show(self, answer: Answer, *, in_session: bool = False, failed: bool = False) -> None:
        """Shows an answer; a board is laid on the one that is there."""
        if self.json:
            self.sink.add([[(msgspec.json.encode(answer).decode(), "")]])
        elif not (isinstance(answer, BoardAnswer) and self.sink.lay(answer)):
            self.sink.add(blocks(answer, Screen(not self.ascii, in_session=in_session, failed=failed)))

    def tell(self, blocks: Iterable[Block]) -> None:
        """Shows text that belongs to no answer."""
        self.sink.add(blocks)

    def draw(self, make: Callable[[], bytes], wanted: bool | None) -> bool:
        """No picture: the board of the table stays. Raises `GameError` for one that is wanted."""
        return bool(wanted) and no_picture("the table has its board")

    def note(self, text: str) -> None:
        """Says something that is no answer."""
        self.sink.add([Note(text)])

    def problem(self, problem: Problem) -> None:
        """Shows what went wrong."""
        self.sink.add(problem_lines(problem))

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """Says how far it has come; there it can be stopped, too."""
        self.sink.report(what)
        yield lambda done, of: self.sink.report(f"{what} {done:,}" + (f" of {of:,}" if of else ""))
