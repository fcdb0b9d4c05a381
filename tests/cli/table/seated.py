"""The table in this process: its screen as text, and its keys, without a terminal. For what needs no thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prompt_toolkit.application import create_app_session
from prompt_toolkit.layout import FormattedTextControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Screen, WritePosition
from prompt_toolkit.output import DummyOutput

from zimcli.config import Config
from zimcli.output import Output
from zimcli.session import Session
from zimcli.table.app import build_app
from zimcli.table.controller import TableController
from zimcli.table.controls import Controls
from zimcore.candidates import advice, candidates
from zimcore.commits import Position
from zimcore.service import open_service


class Seated:
    """Somebody at a table."""

    def __init__(self, controller: TableController, controls: Controls, columns: int, lines: int) -> None:
        self.controller = controller
        self.controls = controls
        self.columns = columns
        self.lines = lines

    def text(self) -> str:
        """The screen."""
        line = FormattedTextControl(f" > {self.controller.buffer.text}")
        self.controller.screen.line = Window(line, height=1)  # the real one needs a running application
        screen = Screen()
        where = WritePosition(0, 0, self.columns, self.lines)
        self.controller.screen.write_to_screen(screen, MouseHandlers(), where, "", False, None)
        rows = (screen.data_buffer[y] for y in range(self.lines))
        return "\n".join("".join(row[x].char for x in range(self.columns)).rstrip() for row in rows)

    def run(self, line: str) -> None:
        """Runs a line, as Enter does."""
        thread, model = self.controller.service_thread, self.controller.model
        self.controller.show_result(thread.thread.submit(thread.do, line, model.head).result())
        work_out(model.head)


def work_out(position: Position) -> None:
    """Works out what can be played, which the table does in a thread."""
    candidates(position)
    advice(position)


@contextmanager
def seated(
    kind: str, moves: Sequence[str] = (), seat: str = "", columns: int = 100, lines: int = 30
) -> Iterator[Seated]:
    """Sits down at a new game after these moves, whose legal commands are known. Hidden hands need a seat."""
    service = open_service("memory:")
    service.new(kind, {"players": "2", "seed": "1"}, name="g", by="anna")
    for move in moves:
        service.play("g", move, by="anna")
    session = Session(Output(), by="anna", service=service)
    session.enter(session.position("g"))
    if seat:
        session.play_as(seat)
    with create_app_session(output=DummyOutput()):
        controller = TableController(session, Config(thinking=False))
        build_app(controller)
        work_out(controller.model.head)
        try:
            at = Seated(controller, Controls(controller), columns, lines)
            at.text()  # what an answer looks like depends on the layout
            yield at
        finally:
            controller.is_leaving = True
            controller.service_thread.close()
            controller.thinking_pool.shutdown()
            controller.judging_pool.shutdown()
