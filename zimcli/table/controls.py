"""Binds the keys of the settings and the mouse to actions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType

from zimcli.render.board import DOT_SIGN, LAST_MOVE_SIGN
from zimcli.render.spans import Block, Line, Sheet
from zimcli.repl.key_actions import ACTIONS, key_tables, keys_of
from zimcli.repl.key_bindings import explaining_command, is_free_text
from zimcli.shell.registry import HINT
from zimcli.table.controller import TableController
from zimcli.table.inspect import describe_square, inspect_square, neighbour, next_overlay
from zimcli.table.model import Pager
from zimcli.table.offers import offers_for_square
from zimcli.table.panes import BAR_MEANING, TITLES, Explain, GoToCommit, PressKey, TypeText
from zimcli.table.screen import Meaning, SquareClick, WordClick
from zimcore.game import Table
from zimcore.toolkit.words import spaced

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone


QUESTION_MARK = "?"
"""The beginning of a question about a word."""
JUDGE_POLL_SECONDS = 0.05
"""Seconds between two looks whether a position is judged."""


MARKS_OF_SQUARES = (
    (LAST_MOVE_SIGN, "the last move"),
    (DOT_SIGN, "what the line or the cursor can name, or would change"),
)
"""The signs beside what is on a square, with their meanings."""


class Controls:
    """The actions of keys and mouse."""

    def __init__(self, controller: TableController) -> None:
        self.controller = controller
        self.empty_offer_blocks: list[Block] = []

    def bindings(self) -> KeyBindings:
        """Key bindings. Each key of the settings is bound to the method `key_NAME`."""
        keys = KeyBindings()
        is_on_line, is_on_board = (
            Condition(lambda: self.controller.model.focus == "line"),
            Condition(lambda: self.controller.model.focus == "board"),
        )
        is_paging = Condition(lambda: self.controller.model.pager is not None)
        moves_cursor = Condition(lambda: self.controller.model.focus != "line") | is_paging
        is_free = Condition(lambda: not self.controller.model.view.next_at_keyboard)
        is_empty = Condition(lambda: not self.controller.buffer.text)
        conditions = {
            "leave": is_empty,
            "close": Condition(lambda: self.controller.model.has_something_to_close) & ~is_searching,
            "overlay": is_on_board,
            "next": is_on_line,
            "previous": is_on_line,
        }
        for name in ACTIONS:
            condition = conditions.get(name, is_free)
            if name not in ("leave", "clear", "suspend"):
                condition = condition & is_free
            for sequence in keys_of(getattr(self.controller.config.table, name)):
                keys.add(*sequence, filter=condition & ~is_searching, eager=name == "close")(
                    lambda _, name=name: getattr(self, f"key_{name}")()
                )
        for key_name, dx, dy in (("up", 0, -1), ("down", 0, 1), ("left", -1, 0), ("right", 1, 0)):
            keys.add(key_name, filter=moves_cursor & is_free)(lambda _, dx=dx, dy=dy: self.press_arrow(dx, dy))
        keys.add("enter", filter=is_on_board & is_free)(lambda _: self.pick_square(self.controller.model.cursor))
        has_steps = Condition(lambda: self.controller.menu.has_next_steps) & is_free & is_on_line & ~is_searching
        for number in "123456":
            keys.add(number, filter=has_steps)(lambda event: self.type_next_step(event.data))
        keys.add(" ", filter=~is_free & is_empty)(lambda _: self.controller.buffer.validate_and_handle())
        awaits_confirmation = Condition(lambda: self.controller.awaits_confirmation)
        for key_name in (Keys.Any, Keys.BracketedPaste, "backspace", "escape"):
            keys.add(key_name, filter=awaits_confirmation & is_on_line & ~is_searching)(self.replace_line)
        return keys

    def replace_line(self, event: KeyPressEvent) -> None:
        """Replaces a line that waits for a confirmation with what is typed."""
        key, text = event.key_sequence[0].key, event.data.replace("\r\n", "\n").replace("\r", "\n")
        if text.isprintable() or key in (Keys.BracketedPaste, Keys.Backspace, Keys.Escape):
            self.controller.buffer.reset()
            self.controller.buffer.insert_text(text if text.isprintable() or key == Keys.BracketedPaste else "")
            self.controller.on_cursor_moved(event)  # an empty line sends no event
            self.controller.redraw()

    def type_next_step(self, number: str) -> None:
        """Types the command of a next step after a finished game; Enter runs it."""
        if not self.controller.menu.type_step(int(number) - 1):
            self.controller.buffer.insert_text(number)

    def key_help(self) -> None:
        """Shows the keys, and what is on the screen."""
        blocks: list[Block] = []
        for table in (*key_tables(self.controller.config.table), *self.explanation_tables()):
            blocks += [Sheet(table), []]
        self.controller.model.pager = Pager("keys", blocks)
        self.controller.redraw()

    def explanation_tables(self) -> list[Table]:
        """Tables of the signs on the board, the panes, and the headings of tables."""
        screen, headings = self.controller.screen, self.controller.model.shown_position.game.display.HEADINGS
        signs_with_meanings = [*screen.signs(screen.layout.size), *MARKS_OF_SQUARES] if screen.layout else []
        tables = [
            Table("On the board", ("sign", "what it is"), tuple(signs_with_meanings)),
            Table("The panes", ("pane", "what it shows"), (*TITLES.items(), BAR_MEANING)),
            Table("In the tables", ("head", "what it means"), tuple(headings.items())),
        ]
        return [table for table in tables if table.rows]

    def key_board(self) -> None:
        """Moves the focus to the board, or back."""
        model, board = self.controller.model, self.controller.screen.board
        if model.focus == "board":
            model.focus, model.cursor, model.inspection_blocks, model.overlay = "line", "", (), None
        elif board:
            model.focus, model.pager = "board", None
            highlighted = () if model.earlier_position else self.controller.menu.highlighted_squares(untyped=True)
            self.point_at(
                neighbour(board, model.cursor, 0, 0, highlighted or [*self.controller.screen.squares_to_move(board)])
            )
        self.controller.redraw()

    def key_log(self) -> None:
        """Moves the focus to the log, or back."""
        model = self.controller.model
        model.focus, model.pager = ("line" if model.focus == "log" else "log"), None
        model.earlier_position = model.earlier_position if model.focus == "log" else None
        self.controller.redraw()

    def key_panes(self) -> None:
        """Shows the next hidden panes."""
        self.controller.model.pane_key_presses += 1
        self.controller.redraw()

    def key_answer(self) -> None:
        """Opens the last answer in the pager."""
        self.controller.model.pager = self.controller.model.last_pager
        self.controller.redraw()

    def key_back(self) -> None:
        """One page or one move back."""
        if not self.scroll_pager(-1):
            self.controller.start_task(self.controller.step_through_moves(-1))

    def key_forward(self) -> None:
        """One page or one move forward."""
        if not self.scroll_pager(1):
            self.controller.start_task(self.controller.step_through_moves(1))

    def key_next(self) -> None:
        """Tries the next word of the menu."""
        self.controller.menu.choose_word(1)

    def key_previous(self) -> None:
        """Tries the previous word of the menu."""
        self.controller.menu.choose_word(-1)

    def key_explain(self) -> None:
        """Explains the typed line, and keeps it. With nothing typed, shows the keys and the screen.

        The `?` then stays in the line, since a word may follow: `?income`. So it does in free text.
        """
        typed_line = self.controller.buffer.document.current_line_before_cursor
        if not typed_line.strip() or is_free_text(typed_line):
            self.controller.buffer.insert_text(QUESTION_MARK)
            if not typed_line.strip():
                self.key_help()
            return
        line = explaining_command(self.controller.session, typed_line)
        self.controller.start_task(self.controller.run_lines([line.partition(" --most")[0]]))

    def key_hint(self) -> None:
        """Shows the best turn in the position on the screen, and keeps the typed line."""
        position = self.controller.model.shown_position
        self.controller.start_task(self.controller.run_lines([f"{HINT.name} @{position.commit.number}"]))

    def key_take(self) -> None:
        """Puts the best turn into the line; if it is already there, the next best. Not while a line is running."""
        if self.controller.is_busy:  # the best turn is that of the position before it
            self.controller.show_answer([[("a move is on its way: F7 has the best turn when it is your turn", "dim")]])
            return
        thought = self.controller.model.current_thought
        if self.is_judgement_awaited:
            self.controller.app.create_background_task(self.take_judged_turn())
            return
        if thought is None or not thought.answer.hints:
            self.key_hint()  # `hint` says why there is none
            return
        turns = ["; ".join(hint.commands) for hint in thought.answer.hints]
        line = self.controller.buffer.text
        next_turn = turns[(turns.index(line) + 1) % len(turns)] if line in turns else turns[0]
        if self.controller.model.focus == "board":  # Enter is to play the turn, not to pick a square
            self.controller.model.close()
        self.controller.buffer.set_document(Document(next_turn), bypass_readonly=True)
        self.forget_empty_offer()

    @property
    def is_judgement_awaited(self) -> bool:
        """Whether the position on the screen is still being judged: until then its best turn may be a blunder."""
        model = self.controller.model
        thought = model.current_thought
        return model.is_judging and not model.earlier_position and not (thought and thought.is_done)

    async def take_judged_turn(self) -> None:
        """Puts the best turn into the line once it is judged, unless something was typed or played meanwhile."""
        model, waiting_text = (
            self.controller.model,
            list[Block]([[("the best turn comes when the thinking is done", "dim")]]),
        )
        head_before = model.head, self.controller.buffer.text
        self.controller.show_answer(waiting_text)
        while self.is_judgement_awaited and (model.head, self.controller.buffer.text) == head_before:
            await asyncio.sleep(JUDGE_POLL_SECONDS)
        if model.answer is waiting_text:
            model.answer = ()
        if (model.head, self.controller.buffer.text) == head_before:
            self.key_take()
        self.controller.redraw()

    def key_suspend(self) -> None:
        """Returns to the shell."""
        self.controller.app.suspend_to_background()

    def reset_question(self) -> None:
        """Takes a `?` back that asks about nothing yet: what comes next is no question."""
        if self.controller.buffer.text.strip() == QUESTION_MARK:
            self.controller.buffer.reset()

    def key_close(self) -> None:
        """Closes what is open, and takes back a `?` that asks nothing."""
        self.reset_question()
        self.forget_empty_offer()
        self.controller.model.close()
        self.controller.redraw()

    def key_overlay(self) -> None:
        """Shows the next overlay for the square under the cursor."""
        self.controller.model.overlay = next_overlay(
            self.controller.model.shown_position, self.controller.model.cursor, self.controller.model.overlay
        )
        self.controller.redraw()

    def key_clear(self) -> None:
        """Stops the running line; if none is running, clears the input and closes what is open."""
        if (
            self.controller.is_busy and not self.controller.awaits_confirmation
        ):  # while a confirmation is pending, only background analysis may run
            self.controller.service_thread.stop()
            return
        if self.controller.buffer.complete_state:
            self.controller.buffer.cancel_completion()
        self.controller.buffer.reset()
        self.controller.on_cursor_moved(None)  # an empty line sends no event
        while self.controller.model.has_something_to_close and not self.controller.model.view.next_at_keyboard:
            self.controller.model.close()
        self.controller.model.answer = ()
        self.controller.redraw()

    def key_leave(self) -> None:
        """Leaves the table."""
        self.controller.app.exit()

    def press_arrow(self, dx: int, dy: int) -> None:
        """Handles an arrow key while the pager is open, or the focus is on log or board."""
        model, board = self.controller.model, self.controller.screen.board
        if self.scroll_pager(dy, lines=1):
            return
        if model.focus == "log":
            self.controller.start_task(self.controller.step_through_moves(dy or dx))
        elif board:
            self.point_at(neighbour(board, model.cursor, dx, dy))

    def scroll_pager(self, direction: int, lines: int = 0) -> bool:
        """Scrolls the pager, by lines or by pages. Returns whether a pager is open."""
        pager, layout = self.controller.model.pager, self.controller.screen.layout
        if pager and layout and direction:
            pager.top_line = max(pager.top_line + direction * (lines or max(layout.pager.height - 2, 1)), 0)
            self.controller.redraw()
        return pager is not None

    def point_at(self, square: str) -> None:
        """Puts the cursor on a square, and inspects it."""
        model = self.controller.model
        model.cursor, position = square, model.shown_position
        model.inspection_blocks = ()
        self.forget_empty_offer()
        self.controller.redraw()

        def inspect() -> None:
            if model.cursor == square and position is model.shown_position:
                model.inspection_blocks = inspect_square(position, square, self.controller.screen.board)
                self.controller.redraw()

        if square:
            self.controller.suggestion_pool.submit(inspect)

    def pick_square(self, square: str) -> None:
        """Types a square. It replaces the unfinished word if the square fits the command."""
        if not square:
            return
        self.reset_question()
        typed_text, position = self.controller.menu.typed_text, self.controller.model.shown_position
        if typed_text in {cell.square for row in (position.board.cells if position.board else ()) for cell in row}:
            self.controller.buffer.reset()  # a square that was typed alone: now it is this one
            typed_text = ""
        if not typed_text and self.controller.menu.is_own_turn and not self.controller.model.earlier_position:
            self.controller.start_task(self.offer_commands(square))
            return
        word = typed_text.rpartition(" ")[2]
        fitting_words = [
            text
            for text, _ in self.controller.menu.offered_words()
            if square in text.replace("-", " ").replace("@", " ").split()
        ]
        if self.controller.buffer.complete_state:
            self.controller.buffer.cancel_completion()
        self.controller.buffer.delete_before_cursor(len(word) if word and fitting_words else 0)
        space_before, space_after = " " if word and not fitting_words else "", " " if fitting_words else ""
        self.controller.buffer.insert_text(
            space_before + (fitting_words[0] if len(fitting_words) == 1 else square) + space_after
        )
        self.controller.model.focus = "line"
        self.controller.redraw()

    async def offer_commands(self, square: str) -> None:
        """Offers commands for a square, with the first one in the line. Enter plays it."""
        position = self.controller.model.head
        loop = asyncio.get_running_loop()
        offer_list = await loop.run_in_executor(self.controller.suggestion_pool, offers_for_square, position, square)
        if position is not self.controller.model.head or self.controller.buffer.text:
            return
        if offer_list:
            self.controller.model.focus = "line"
            self.controller.menu.offer_commands(offer_list)
        else:
            highlighted = self.controller.menu.highlighted_squares(untyped=True)
            hint_text = ": try a lit square" if highlighted else ""
            self.empty_offer_blocks = [[(f"nothing can be done on {spaced(square)} now{hint_text}", "bold yellow")]]
            self.controller.show_answer(self.empty_offer_blocks)

    def forget_empty_offer(self) -> None:
        """Removes the answer that nothing can be done on a square, once the player goes on."""
        if self.controller.model.answer is self.empty_offer_blocks:
            self.controller.model.answer = ()

    def on_mouse(self, event: MouseEvent) -> NotImplementedOrNone:
        """Handles the mouse: a click selects, the wheel scrolls the pager or the board, or moves along the log."""
        if self.controller.model.is_covered:
            if event.event_type == MouseEventType.MOUSE_UP and not self.controller.is_busy:
                self.controller.start_task(self.controller.hand_over_keyboard())
            return None
        if event.event_type in (MouseEventType.SCROLL_UP, MouseEventType.SCROLL_DOWN):
            direction = -1 if event.event_type == MouseEventType.SCROLL_UP else 1
            screen, pointer = self.controller.screen, event.position
            is_on_board = screen.layout is not None and screen.layout.board.contains(pointer.x, pointer.y)
            if not self.controller.model.pager and is_on_board and screen.scroll_board(3 * direction):
                self.controller.redraw()
            elif not self.scroll_pager(direction, lines=3) and not self.controller.is_busy:
                self.controller.start_task(self.controller.step_through_moves(direction))
            return None
        if event.event_type == MouseEventType.MOUSE_MOVE:
            return self.show_meaning(self.controller.screen.meaning_at(event.position.x, event.position.y))
        if event.event_type != MouseEventType.MOUSE_UP or event.button not in (MouseButton.LEFT, MouseButton.UNKNOWN):
            return None
        match self.controller.screen.meaning_at(event.position.x, event.position.y):
            case SquareClick(name):
                self.point_at(name)
                if not self.controller.model.earlier_position and not self.controller.is_busy:
                    self.pick_square(name)
            case GoToCommit(number):
                self.controller.start_task(self.controller.show_position(f"@{number}"))
            case TypeText(text):
                self.controller.buffer.set_document(Document(text), bypass_readonly=True)
            case WordClick(number):
                self.controller.menu.take_word(number)
            case PressKey(action):
                getattr(self, f"key_{action}")()
            case Explain(text):
                self.controller.show_answer([[(text, "")]])
        self.controller.redraw()
        return None

    def show_meaning(self, meaning: Meaning) -> NotImplementedOrNone:
        """Shows at the foot what the mouse points at: a square, or the meaning of a heading."""
        model, line = self.controller.model, Line()
        if isinstance(meaning, Explain):
            line = [(meaning.text, "")]
        elif isinstance(meaning, SquareClick) and self.controller.screen.board:
            board = self.controller.screen.board
            cell = next(cell for row in board.cells for cell in row if cell.square == meaning.name)
            line = [(f"{meaning.name} ", "dim"), *describe_square(model.shown_position, cell)]
        if line == model.pointer_line:
            return NotImplemented  # nothing has to be redrawn
        model.pointer_line = line
        self.controller.redraw()
        return None
