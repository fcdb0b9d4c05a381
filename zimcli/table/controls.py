"""Binds the keys of the settings and the mouse to actions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType

from zimcli.registry import HINT
from zimcli.render.board import LAST, TOUCHED
from zimcli.render.spans import Block, Line, Sheet
from zimcli.repl.key_bindings import question
from zimcli.table.controller import TableController
from zimcli.table.inspect import describe_square, inspect_square, laid_from, neighbour
from zimcli.table.key_actions import ACTIONS, keys_of, panel
from zimcli.table.model import Pager
from zimcli.table.offers import offers
from zimcli.table.panes import TITLES, Explain, GoToCommit, TypeText
from zimcli.table.screen import Meaning, SquareClick, WordClick
from zimcore.game import Table
from zimcore.toolkit.words import spaced

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone


ASKING = "?"
"""The beginning of a question about a word."""
SOON = 0.05
"""Seconds between two looks whether a position is judged."""


MARKS_OF_SQUARES = ((LAST, "the last move"), (TOUCHED, "what the line or the cursor can name, or would change"))
"""The signs beside what is on a square, with their meanings."""


class Controls:
    """The actions of keys and mouse."""

    def __init__(self, controller: TableController) -> None:
        self.controller = controller
        self.nothing_offered: list[Block] = []

    def bindings(self) -> KeyBindings:
        """Key bindings. Each key of the settings is bound to the method `key_NAME`."""
        keys = KeyBindings()
        line, board = (
            Condition(lambda: self.controller.model.focus == "line"),
            Condition(lambda: self.controller.model.focus == "board"),
        )
        paged = Condition(lambda: self.controller.model.pager is not None)
        moving = Condition(lambda: self.controller.model.focus != "line") | paged
        free = Condition(lambda: not self.controller.model.view.next_at_keyboard)
        empty = Condition(lambda: not self.controller.buffer.text)
        when = {
            "leave": empty,
            "close": Condition(lambda: self.controller.model.is_open) & ~is_searching,
            "overlay": board,
            "next": line,
            "previous": line,
        }
        for name in ACTIONS:
            filtered = when.get(name, free)
            if name not in ("leave", "clear", "suspend"):
                filtered = filtered & free
            for sequence in keys_of(getattr(self.controller.config.table, name)):
                keys.add(*sequence, filter=filtered & ~is_searching, eager=name == "close")(
                    lambda _, name=name: getattr(self, f"key_{name}")()
                )
        for key, dx, dy in (("up", 0, -1), ("down", 0, 1), ("left", -1, 0), ("right", 1, 0)):
            keys.add(key, filter=moving & free)(lambda _, dx=dx, dy=dy: self.arrow(dx, dy))
        keys.add("enter", filter=board & free)(lambda _: self.pick(self.controller.model.cursor))
        over = Condition(lambda: self.controller.menu.has_next_steps) & free & line & ~is_searching
        for number in "123456":
            keys.add(number, filter=over)(lambda event: self.step_on(event.data))
        keys.add(" ", filter=~free & empty)(lambda _: self.controller.buffer.validate_and_handle())
        awaits_yes = Condition(lambda: self.controller.awaits_yes)
        for key in (Keys.Any, Keys.BracketedPaste, "backspace", "escape"):
            keys.add(key, filter=awaits_yes & line & ~is_searching)(self.over)
        return keys

    def over(self, event: KeyPressEvent) -> None:
        """Replaces a line that waits for a confirmation with what is typed."""
        key, text = event.key_sequence[0].key, event.data.replace("\r\n", "\n").replace("\r", "\n")
        if text.isprintable() or key in (Keys.BracketedPaste, Keys.Backspace, Keys.Escape):
            self.controller.buffer.reset()
            self.controller.buffer.insert_text(text if text.isprintable() or key == Keys.BracketedPaste else "")
            self.controller.on_edit(event)  # an empty line sends no event
            self.controller.redraw()

    def step_on(self, number: str) -> None:
        """Types the command of a next step after a finished game; Enter runs it."""
        if not self.controller.menu.type_step(int(number) - 1):
            self.controller.buffer.insert_text(number)

    def key_help(self) -> None:
        """Shows the keys, and what is on the screen."""
        blocks: list[Block] = []
        for table in (*panel(self.controller.config.table), *self.explanations()):
            blocks += [Sheet(table), []]
        self.controller.model.pager = Pager("keys", blocks)
        self.controller.redraw()

    def explanations(self) -> list[Table]:
        """Tables of the signs on the board, the panes, and the headings of tables."""
        screen, headings = self.controller.screen, self.controller.model.shown_position.game.display.HEADINGS
        signs = [*screen.signs(screen.layout.size), *MARKS_OF_SQUARES] if screen.layout else []
        tables = [
            Table("On the board", ("sign", "what it is"), tuple(signs)),
            Table("The panes", ("pane", "what it shows"), tuple(TITLES.items())),
            Table("In the tables", ("head", "what it means"), tuple(headings.items())),
        ]
        return [table for table in tables if table.rows]

    def key_board(self) -> None:
        """Moves the focus to the board, or back."""
        model, board = self.controller.model, self.controller.screen.board
        if model.focus == "board":
            model.focus, model.cursor, model.inspected, model.overlay = "line", "", (), None
        elif board:
            model.focus, model.pager = "board", None
            lit = () if model.earlier_position else self.controller.menu.highlighted_squares(untyped=True)
            self.point(neighbour(board, model.cursor, 0, 0, lit or [*self.controller.screen.squares_to_move(board)]))
        self.controller.redraw()

    def key_log(self) -> None:
        """Moves the focus to the log, or back."""
        model = self.controller.model
        model.focus, model.pager = ("line" if model.focus == "log" else "log"), None
        model.earlier_position = model.earlier_position if model.focus == "log" else None
        self.controller.redraw()

    def key_panes(self) -> None:
        """Shows the next hidden panes."""
        self.controller.model.pane_toggles += 1
        self.controller.redraw()

    def key_answer(self) -> None:
        """Opens the last answer in the pager."""
        self.controller.model.pager = self.controller.model.last_pager
        self.controller.redraw()

    def key_back(self) -> None:
        """One page or one move back."""
        if not self.scroll(-1):
            self.controller.start_task(self.controller.step(-1))

    def key_forward(self) -> None:
        """One page or one move forward."""
        if not self.scroll(1):
            self.controller.start_task(self.controller.step(1))

    def key_next(self) -> None:
        """Tries the next word of the menu."""
        self.controller.menu.choose(1)

    def key_previous(self) -> None:
        """Tries the previous word of the menu."""
        self.controller.menu.choose(-1)

    def key_explain(self) -> None:
        """Explains the typed line, and keeps it. With nothing typed, shows the keys and the screen.

        The `?` then stays in the line, since a word may follow: `?income`.
        """
        if not self.controller.buffer.document.current_line_before_cursor.strip():
            self.controller.buffer.insert_text(ASKING)
            self.key_help()
            return
        line = question(self.controller.session, self.controller.buffer.document.current_line_before_cursor)
        self.controller.start_task(self.controller.do([line.partition(" --most")[0]]))

    def key_hint(self) -> None:
        """Shows the best turn in the position on the screen, and keeps the typed line."""
        position = self.controller.model.shown_position
        self.controller.start_task(self.controller.do([f"{HINT.name} @{position.commit.number}"]))

    def key_take(self) -> None:
        """Puts the best turn into the line; if it is already there, the next best. Not while a line is running."""
        if self.controller.is_busy:  # the best turn is that of the position before it
            return
        thought = self.controller.model.current_thought
        if self.is_judgement_awaited:
            self.controller.app.create_background_task(self.take_judged_turn())
            return
        if thought is None or not thought.answer.hints:
            self.key_hint()  # `hint` says why there is none
            return
        turns = ["; ".join(each.commands) for each in thought.answer.hints]
        line = self.controller.buffer.text
        chosen = turns[(turns.index(line) + 1) % len(turns)] if line in turns else turns[0]
        if self.controller.model.focus == "board":  # Enter is to play the turn, not to pick a square
            self.controller.model.close()
        self.controller.buffer.set_document(Document(chosen), bypass_readonly=True)
        self.forget_nothing_offered()

    @property
    def is_judgement_awaited(self) -> bool:
        """Whether the position on the screen is still being judged: until then its best turn may be a blunder."""
        model = self.controller.model
        thought = model.current_thought
        return model.is_judging and not model.earlier_position and not (thought and thought.done)

    async def take_judged_turn(self) -> None:
        """Puts the best turn into the line once it is judged, unless something was typed or played meanwhile."""
        model, waits = self.controller.model, list[Block]([[("the best turn comes when the thinking is done", "dim")]])
        before = model.head, self.controller.buffer.text
        self.controller.answer(waits)
        while self.is_judgement_awaited and (model.head, self.controller.buffer.text) == before:
            await asyncio.sleep(SOON)
        if model.answer is waits:
            model.answer = ()
        if (model.head, self.controller.buffer.text) == before:
            self.key_take()
        self.controller.redraw()

    def key_suspend(self) -> None:
        """Returns to the shell."""
        self.controller.app.suspend_to_background()

    def reset_question(self) -> None:
        """Takes a `?` back that asks about nothing yet: what comes next is no question."""
        if self.controller.buffer.text.strip() == ASKING:
            self.controller.buffer.reset()

    def key_close(self) -> None:
        """Closes what is open, and takes back a `?` that asks nothing."""
        self.reset_question()
        self.forget_nothing_offered()
        self.controller.model.close()
        self.controller.redraw()

    def key_overlay(self) -> None:
        """Shows the next overlay for the square under the cursor."""
        self.controller.model.overlay = laid_from(
            self.controller.model.shown_position, self.controller.model.cursor, self.controller.model.overlay
        )
        self.controller.redraw()

    def key_clear(self) -> None:
        """Stops the running line; if none is running, clears the input and closes what is open."""
        if (
            self.controller.is_busy and not self.controller.awaits_yes
        ):  # while a confirmation is pending, only background analysis may run
            self.controller.service_thread.stop()
            return
        if self.controller.buffer.complete_state:
            self.controller.buffer.cancel_completion()
        self.controller.buffer.reset()
        self.controller.on_edit(None)  # an empty line sends no event
        while self.controller.model.is_open and not self.controller.model.view.next_at_keyboard:
            self.controller.model.close()
        self.controller.model.answer = ()
        self.controller.redraw()

    def key_leave(self) -> None:
        """Leaves the table."""
        self.controller.app.exit()

    def arrow(self, dx: int, dy: int) -> None:
        """Handles an arrow key while the pager is open, or the focus is on log or board."""
        model, board = self.controller.model, self.controller.screen.board
        if self.scroll(dy, lines=1):
            return
        if model.focus == "log":
            self.controller.start_task(self.controller.step(dy or dx))
        elif board:
            self.point(neighbour(board, model.cursor, dx, dy))

    def scroll(self, by: int, lines: int = 0) -> bool:
        """Scrolls the pager, by lines or by pages. Returns whether a pager is open."""
        pager, layout = self.controller.model.pager, self.controller.screen.layout
        if pager and layout and by:
            pager.top = max(pager.top + by * (lines or max(layout.pager.height - 2, 1)), 0)
            self.controller.redraw()
        return pager is not None

    def point(self, square: str) -> None:
        """Puts the cursor on a square, and inspects it."""
        model = self.controller.model
        model.cursor, position = square, model.shown_position
        model.inspected = ()
        self.forget_nothing_offered()
        self.controller.redraw()

        def work() -> None:
            if model.cursor == square and position is model.shown_position:
                model.inspected = inspect_square(position, square, self.controller.screen.board)
                self.controller.redraw()

        if square:
            self.controller.thinking.submit(work)

    def pick(self, square: str) -> None:
        """Types a square. It replaces the unfinished word if the square fits the command."""
        if not square:
            return
        self.reset_question()
        typed_text, position = self.controller.menu.typed_text, self.controller.model.shown_position
        if typed_text in {cell.square for row in (position.board.cells if position.board else ()) for cell in row}:
            self.controller.buffer.reset()  # a square that was typed alone: now it is this one
            typed_text = ""
        if not typed_text and self.controller.menu.is_own_turn and not self.controller.model.earlier_position:
            self.controller.start_task(self.offer(square))
            return
        word = typed_text.rpartition(" ")[2]
        fitting = [
            text
            for text, _ in self.controller.menu.offered_words()
            if square in text.replace("-", " ").replace("@", " ").split()
        ]
        if self.controller.buffer.complete_state:
            self.controller.buffer.cancel_completion()
        self.controller.buffer.delete_before_cursor(len(word) if word and fitting else 0)
        before, after = " " if word and not fitting else "", " " if fitting else ""
        self.controller.buffer.insert_text(before + (fitting[0] if len(fitting) == 1 else square) + after)
        self.controller.model.focus = "line"
        self.controller.redraw()

    async def offer(self, square: str) -> None:
        """Offers commands for a square, with the first one in the line. Enter plays it."""
        position = self.controller.model.head
        loop = asyncio.get_running_loop()
        offer_list = await loop.run_in_executor(self.controller.thinking, offers, position, square)
        if position is not self.controller.model.head or self.controller.buffer.text:
            return
        if offer_list:
            self.controller.model.focus = "line"
            self.controller.menu.offer(offer_list)
        else:
            lit = self.controller.menu.highlighted_squares(untyped=True)
            instead = ": try a lit square" if lit else ""
            self.nothing_offered = [[(f"nothing can be done on {spaced(square)} now{instead}", "bold yellow")]]
            self.controller.answer(self.nothing_offered)

    def forget_nothing_offered(self) -> None:
        """Removes the answer that nothing can be done on a square, once the player goes on."""
        if self.controller.model.answer is self.nothing_offered:
            self.controller.model.answer = ()

    def on_mouse(self, event: MouseEvent) -> NotImplementedOrNone:
        """Handles the mouse: a click selects, the wheel scrolls the pager or the board, or moves along the log."""
        if self.controller.model.is_covered:
            if event.event_type == MouseEventType.MOUSE_UP and not self.controller.is_busy:
                self.controller.start_task(self.controller.hand_over())
            return None
        if event.event_type in (MouseEventType.SCROLL_UP, MouseEventType.SCROLL_DOWN):
            by = -1 if event.event_type == MouseEventType.SCROLL_UP else 1
            screen, at = self.controller.screen, event.position
            on_board = screen.layout is not None and screen.layout.board.has(at.x, at.y)
            if not self.controller.model.pager and on_board and screen.pan(3 * by):
                self.controller.redraw()
            elif not self.scroll(by, lines=3) and not self.controller.is_busy:
                self.controller.start_task(self.controller.step(by))
            return None
        if event.event_type == MouseEventType.MOUSE_MOVE:
            return self.point_out(self.controller.screen.at(event.position.x, event.position.y))
        if event.event_type != MouseEventType.MOUSE_UP or event.button not in (MouseButton.LEFT, MouseButton.UNKNOWN):
            return None
        match self.controller.screen.at(event.position.x, event.position.y):
            case SquareClick(name):
                self.point(name)
                if not self.controller.model.earlier_position and not self.controller.is_busy:
                    self.pick(name)
            case GoToCommit(number):
                self.controller.start_task(self.controller.show_position(f"@{number}"))
            case TypeText(text):
                self.controller.buffer.set_document(Document(text), bypass_readonly=True)
            case WordClick(number):
                self.controller.menu.take(number)
            case Explain(text):
                self.controller.answer([[(text, "")]])
        self.controller.redraw()
        return None

    def point_out(self, what: Meaning) -> NotImplementedOrNone:
        """Shows at the foot what the mouse points at: a square, or the meaning of a heading."""
        model, text = self.controller.model, Line()
        if isinstance(what, Explain):
            text = [(what.text, "")]
        elif isinstance(what, SquareClick) and self.controller.screen.board:
            board = self.controller.screen.board
            cell = next(cell for row in board.cells for cell in row if cell.square == what.name)
            text = [(f"{what.name} ", "dim"), *describe_square(model.shown_position, cell)]
        if text == model.pointer_line:
            return NotImplemented  # nothing has to be redrawn
        model.pointer_line = text
        self.controller.redraw()
        return None
