"""The keys of the settings and the mouse: what each press and click does at the table."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType

from zimcli.registry import HINT
from zimcli.render.spans import Block, Sheet
from zimcli.repl.keys import question
from zimcli.table.inspect import inspected, laid_from, neighbour
from zimcli.table.keys import ACTIONS, keys_of, panel
from zimcli.table.model import Pager
from zimcli.table.offers import offers
from zimcli.table.panes import Look, Say
from zimcli.table.screen import Square, Word
from zimcli.table.seated import Seated

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone


class Controls:
    """What the hands of one who sits at the table do."""

    def __init__(self, seated: Seated) -> None:
        self.seated = seated

    def bindings(self) -> KeyBindings:
        """The keys of the settings, each bound to the method of its name."""
        keys = KeyBindings()
        line, board = (
            Condition(lambda: self.seated.model.focus == "line"),
            Condition(lambda: self.seated.model.focus == "board"),
        )
        paged = Condition(lambda: self.seated.model.pager is not None)
        moving = Condition(lambda: self.seated.model.focus != "line") | paged
        free = Condition(lambda: not self.seated.model.view.awaited)
        empty = Condition(lambda: not self.seated.buffer.text)
        when = {
            "explain": Condition(lambda: bool(self.seated.buffer.document.current_line_before_cursor.strip())),
            "leave": empty,
            "close": Condition(lambda: self.seated.model.is_open) & ~is_searching,
            "overlay": board,
            "next": line,
            "previous": line,
        }
        for name in ACTIONS:
            filtered = when.get(name, free)
            if name not in ("leave", "clear", "suspend"):
                filtered = filtered & free
            for sequence in keys_of(getattr(self.seated.config.table, name)):
                keys.add(*sequence, filter=filtered & ~is_searching, eager=name == "close")(
                    lambda _, name=name: getattr(self, f"key_{name}")()
                )
        for key, dx, dy in (("up", 0, -1), ("down", 0, 1), ("left", -1, 0), ("right", 1, 0)):
            keys.add(key, filter=moving & free)(lambda _, dx=dx, dy=dy: self.arrow(dx, dy))
        keys.add("enter", filter=board & free)(lambda _: self.pick(self.seated.model.cursor))
        keys.add(" ", filter=~free & empty)(lambda _: self.seated.buffer.validate_and_handle())
        asked = Condition(lambda: self.seated.asked)
        for key in (Keys.Any, Keys.BracketedPaste, "backspace", "escape"):
            keys.add(key, filter=asked & line & ~is_searching)(self.over)
        return keys

    def over(self, event: KeyPressEvent) -> None:
        """What is typed takes the place of a line that was asked about."""
        key, typed = event.key_sequence[0].key, event.data.replace("\r\n", "\n").replace("\r", "\n")
        if typed.isprintable() or key in (Keys.BracketedPaste, Keys.Backspace, Keys.Escape):
            self.seated.buffer.reset()
            self.seated.buffer.insert_text(typed if typed.isprintable() or key == Keys.BracketedPaste else "")
            self.seated.edited(event)  # a line that is empty now does not say so
            self.seated.changed()

    def key_help(self) -> None:
        """Shows the keys."""
        blocks: list[Block] = []
        for table in panel(self.seated.config.table):
            blocks += [Sheet(table), []]
        self.seated.model.pager = Pager("keys", blocks)
        self.seated.changed()

    def key_board(self) -> None:
        """Goes to the board, or back."""
        model, board = self.seated.model, self.seated.screen.board
        if model.focus == "board":
            model.focus, model.cursor, model.inspected, model.overlay = "line", "", (), None
        elif board:
            model.focus, model.pager = "board", None
            self.point(
                neighbour(board, model.cursor, 0, 0, [*self.seated.menu.lit(), *self.seated.screen.owned(board)])
            )
        self.seated.changed()

    def key_log(self) -> None:
        """Goes to the log, or back."""
        model = self.seated.model
        model.focus, model.pager = ("line" if model.focus == "log" else "log"), None
        model.looking = model.looking if model.focus == "log" else None
        self.seated.changed()

    def key_panes(self) -> None:
        """Shows other panes."""
        self.seated.model.turned += 1
        self.seated.changed()

    def key_answer(self) -> None:
        """Opens the last answer."""
        self.seated.model.pager = self.seated.model.last
        self.seated.changed()

    def key_back(self) -> None:
        """A page or a move back."""
        if not self.scroll(-1):
            self.seated.task(self.seated.step(-1))

    def key_forward(self) -> None:
        """A page or a move forward."""
        if not self.scroll(1):
            self.seated.task(self.seated.step(1))

    def key_next(self) -> None:
        """The next word of the menu."""
        self.seated.menu.choose(1)

    def key_previous(self) -> None:
        """The word before."""
        self.seated.menu.choose(-1)

    def key_explain(self) -> None:
        """Explains what is typed, which stays."""
        line = question(self.seated.session, self.seated.buffer.document.current_line_before_cursor)
        self.seated.task(self.seated.do([line.partition(" --most")[0]]))

    def key_hint(self) -> None:
        """Shows the best turn in the position that is on the screen; what is typed stays."""
        here = self.seated.model.here
        self.seated.task(self.seated.do([f"{HINT.name} @{here.commit.number}"]))

    def key_take(self) -> None:
        """Puts the best turn into the line; where it stands there already, the next one."""
        thought = self.seated.model.judged
        if thought is None or not thought.answer.hints:
            self.key_hint()  # which says why there is none
            return
        turns = ["; ".join(each.commands) for each in thought.answer.hints]
        line = self.seated.buffer.text
        chosen = turns[(turns.index(line) + 1) % len(turns)] if line in turns else turns[0]
        self.seated.buffer.set_document(Document(chosen), bypass_readonly=True)

    def key_suspend(self) -> None:
        """Back to the shell."""
        self.seated.app.suspend_to_background()

    def key_close(self) -> None:
        """Closes what is open."""
        self.seated.model.close()
        self.seated.changed()

    def key_overlay(self) -> None:
        """Lays the next thing that goes from a square over the board."""
        self.seated.model.overlay = laid_from(
            self.seated.model.here, self.seated.model.cursor, self.seated.model.overlay
        )
        self.seated.changed()

    def key_clear(self) -> None:
        """Stops what is being done; else clears the line and closes what is open. Nothing that was played is lost."""
        if self.seated.is_busy and not self.seated.asked:  # where Enter is waited for, only advice is thought of
            self.seated.desk.stop()
            return
        if self.seated.buffer.complete_state:
            self.seated.buffer.cancel_completion()
        self.seated.buffer.reset()
        self.seated.edited(None)  # a line that is empty now does not say so
        while self.seated.model.is_open and not self.seated.model.view.awaited:
            self.seated.model.close()
        self.seated.model.answer = ()
        self.seated.changed()

    def key_leave(self) -> None:
        """Leaves."""
        self.seated.app.exit()

    def arrow(self, dx: int, dy: int) -> None:
        """An arrow, where it is not the line's."""
        model, board = self.seated.model, self.seated.screen.board
        if self.scroll(dy, lines=1):
            return
        if model.focus == "log":
            self.seated.task(self.seated.step(dy or dx))
        elif board:
            self.point(neighbour(board, model.cursor, dx, dy))

    def scroll(self, by: int, lines: int = 0) -> bool:
        """Scrolls the pager, if one is open, by lines or by pages."""
        pager, layout = self.seated.model.pager, self.seated.screen.layout
        if pager and layout and by:
            pager.top = max(pager.top + by * (lines or max(layout.pager.height - 2, 1)), 0)
            self.seated.changed()
        return pager is not None

    def point(self, square: str) -> None:
        """Puts the cursor on a square, and has it inspected."""
        model = self.seated.model
        model.cursor, position = square, model.here
        model.inspected = ()
        self.seated.changed()

        def work() -> None:
            if model.cursor == square and position is model.here:
                model.inspected = inspected(position, square, self.seated.screen.board)
                self.seated.changed()

        if square:
            self.seated.thinking.submit(work)

    def pick(self, square: str) -> None:
        """Puts a square into the line: in the place of the word that is begun, if that is one of what may come."""
        if not square:
            return
        typed = self.seated.menu.typed
        if not typed and self.seated.menu.is_ones_turn and not self.seated.model.looking:
            self.seated.task(self.offer(square))
            return
        word = typed.rpartition(" ")[2]
        fitting = [
            text for text, _ in self.seated.menu.offered() if square in text.replace("-", " ").replace("@", " ").split()
        ]
        if self.seated.buffer.complete_state:
            self.seated.buffer.cancel_completion()
        self.seated.buffer.delete_before_cursor(len(word) if word and fitting else 0)
        self.seated.buffer.insert_text((fitting[0] if len(fitting) == 1 else square) + (" " if fitting else ""))
        self.seated.model.focus = "line"
        self.seated.changed()

    async def offer(self, square: str) -> None:
        """Offers what can be done on a square: the first stands in the line, Enter plays it."""
        position = self.seated.model.head
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self.seated.thinking, offers, position, square)
        if position is not self.seated.model.head or self.seated.buffer.text:
            return
        if found:
            self.seated.model.focus = "line"
            self.seated.menu.offer(found)
        else:
            self.seated.answer([[(f"nothing can be done on {square} now", "bold yellow")]])

    def clicked(self, event: MouseEvent) -> NotImplementedOrNone:
        """The mouse: what is clicked is meant, the wheel scrolls what is read or looks along the log."""
        if self.seated.model.is_covered:
            if event.event_type == MouseEventType.MOUSE_UP and not self.seated.is_busy:
                self.seated.task(self.seated.hand_over())
            return None
        if event.event_type in (MouseEventType.SCROLL_UP, MouseEventType.SCROLL_DOWN):
            by = -1 if event.event_type == MouseEventType.SCROLL_UP else 1
            screen, at = self.seated.screen, event.position
            on_board = screen.layout is not None and screen.layout.board.has(at.x, at.y)
            if not self.seated.model.pager and on_board and screen.pan(3 * by):
                self.seated.changed()
            elif not self.scroll(by, lines=3) and not self.seated.is_busy:
                self.seated.task(self.seated.step(by))
            return None
        if event.event_type != MouseEventType.MOUSE_UP or event.button not in (MouseButton.LEFT, MouseButton.UNKNOWN):
            return None
        match self.seated.screen.at(event.position.x, event.position.y):
            case Square(name):
                self.point(name)
                if not self.seated.model.looking and not self.seated.is_busy:
                    self.pick(name)
            case Look(number):
                self.seated.task(self.seated.look(f"@{number}"))
            case Say(text):
                self.seated.buffer.set_document(Document(text), bypass_readonly=True)
            case Word(number):
                self.seated.menu.take(number)
        self.seated.changed()
        return None
