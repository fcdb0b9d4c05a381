"""The table in this process, for tests that need no thread: its screen as text, and its keys, without a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prompt_toolkit.application import create_app_session
from prompt_toolkit.layout import FormattedTextControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Screen, WritePosition
from prompt_toolkit.output import DummyOutput

from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcli.settings.config import Config
from zimcli.table.app import build_app
from zimcli.table.controller import TableController
from zimcli.table.controls import Controls
from zimcore.candidates import advice, candidates
from zimcore.commits import Position
from zimcore.service import open_service


class InProcessTable:
    """A table without a terminal, and the keys that a player may press."""

    def __init__(self, controller: TableController, controls: Controls, columns: int, lines: int) -> None:
        self.controller = controller
        self.controls = controls
        self.columns = columns
        self.lines = lines

    def screen_text(self) -> str:
        """The text on the screen."""
        line = FormattedTextControl(f" > {self.controller.buffer.text}")
        self.controller.screen.line_window = Window(line, height=1)  # the real one needs a running application
        screen = Screen()
        area = WritePosition(0, 0, self.columns, self.lines)
        self.controller.screen.write_to_screen(screen, MouseHandlers(), area, "", False, None)
        rows = (screen.data_buffer[row_number] for row_number in range(self.lines))
        return "\n".join("".join(row[column].char for column in range(self.columns)).rstrip() for row in rows)

    def run_line(self, line: str) -> None:
        """Runs a line, as Enter does."""
        thread, model = self.controller.service_thread, self.controller.model
        self.controller.show_result(thread.executor.submit(thread.run_typed_line, line, model.head).result())
        compute_candidates(model.head)


def compute_candidates(position: Position) -> None:
    """Computes what can be played, which the table does in a thread."""
    candidates(position)
    advice(position)


@contextmanager
def in_process_table(
    kind: str, moves: Sequence[str] = (), seat: str = "", columns: int = 100, lines: int = 30
) -> Iterator[InProcessTable]:
    """A table at a new game after these moves, with its legal commands computed. Hidden hands need a seat."""
    service = open_service("memory:")
    service.new(kind, {"players": "2", "seed": "1"}, name="g", by="anna")
    for move in moves:
        service.play("g", move, by="anna")
    session = Session(Output(), by="anna", service=service)
    session.enter_position(session.position("g"))
    if seat:
        session.play_as(seat)
    with create_app_session(output=DummyOutput()):
        controller = TableController(session, Config(thinking=False))
        build_app(controller)
        compute_candidates(controller.model.head)
        try:
            table = InProcessTable(controller, Controls(controller), columns, lines)
            table.screen_text()  # the form of an answer depends on the layout
            yield table
        finally:
            controller.is_leaving = True
            controller.service_thread.close()
            controller.suggestion_pool.shutdown()
            controller.judging_pool.shutdown()
