"""The tutorial at the table: decides which typed lines to run, and moves through the lesson."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from zimcli.lesson import HARMLESS, Lesson, LessonStep, comes_later, is_same_line
from zimcli.registry import IN_SESSION, LEAVE
from zimcli.render.spans import Block
from zimcli.session import Session
from zimcli.table.model import TableModel
from zimcli.typed_words import names_a_place


class Teacher:
    """Guides a player through a lesson."""

    def __init__(
        self,
        session: Session,
        model: TableModel,
        do: Callable[[list[str]], Awaitable[bool]],
        answer: Callable[[list[Block]], None],
    ) -> None:
        """`do` runs lines and returns whether all succeeded; `answer` shows blocks."""
        self.session, self.model = session, model
        self.do, self.answer = do, answer

    def begin(self, led: Lesson) -> None:
        """Starts a lesson. It turns off confirmations, because the lesson's own lines are meant."""
        self.model.lesson, self.session.careful = led, False

    async def take(self, led: Lesson, lines: Sequence[str]) -> None:
        """Handles a typed line: runs the lesson's line or a harmless command, and explains other moves."""
        model, text = self.model, " ".join(" ".join(lines).split())
        if not text and (model.pager or led.turn_page() or led.is_over):
            model.pager = None
            return
        word = text.partition(" ")[0]
        if not text or is_same_line(model.head, text, led.line):
            await self.go_on(led)
        elif word in HARMLESS or word in LEAVE or word.startswith("?") or names_a_place(text):
            await self.do([text])
        elif word in IN_SESSION:
            self.answer([[(comes_later(word, led.line), "bold yellow")]])
        else:
            await self.do([f"explain {text}"])

    async def go_on(self, led: Lesson) -> None:
        """Runs the lesson's line, and the moves of other seats after it."""
        line, played = led.line, list[Block]()
        while await self.do([line]):
            played += self.model.answer
            led.skip() if LessonStep("", line).is_theirs else led.next_step()
            line = led.line
            if not LessonStep("", line).is_theirs:
                if len(played) > len(self.model.answer):
                    self.answer(played)
                self.session.careful = led.is_over
                return
