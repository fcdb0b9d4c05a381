"""The tutorial at the table: decides which typed lines to run, and moves through the lesson."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from zimcli.render.spans import Block
from zimcli.session.lesson import READ_ONLY_COMMANDS, Lesson, LessonStep, comes_later_message, is_same_line
from zimcli.session.session import Session
from zimcli.shell.registry import LEAVE_WORDS, SESSION_ENTRIES
from zimcli.shell.typed_words import names_a_place
from zimcli.table.model import TableModel


class Teacher:
    """Guides a player through a lesson."""

    def __init__(
        self,
        session: Session,
        model: TableModel,
        run_lines: Callable[[list[str]], Awaitable[bool]],
        show_answer: Callable[[list[Block]], None],
    ) -> None:
        """`run_lines` returns whether all lines succeeded; `show_answer` shows blocks."""
        self.session, self.model = session, model
        self.run_lines, self.show_answer = run_lines, show_answer

    def begin_lesson(self, lesson: Lesson) -> None:
        """Starts a lesson. It turns off confirmations, because the lesson's own lines are meant."""
        self.model.lesson, self.session.is_careful = lesson, False

    async def handle_lines(self, lesson: Lesson, lines: Sequence[str]) -> None:
        """Handles a typed line: runs the lesson's line or a harmless command, and explains other moves."""
        model, text = self.model, " ".join(" ".join(lines).split())
        if not text and (model.pager or lesson.turn_page() or lesson.is_over):
            model.pager = None
            return
        word = text.partition(" ")[0]
        if not text or is_same_line(model.head, text, lesson.line):
            await self.run_lesson_line(lesson)
        elif word in READ_ONLY_COMMANDS or word in LEAVE_WORDS or word.startswith("?") or names_a_place(text):
            await self.run_lines([text])
        elif word in SESSION_ENTRIES:
            self.show_answer([[(comes_later_message(word, lesson.line), "bold yellow")]])
        else:
            await self.run_lines([f"explain {text}"])

    async def run_lesson_line(self, lesson: Lesson) -> None:
        """Runs the lesson's line, and the moves of other seats after it."""
        line, shown_blocks = lesson.line, list[Block]()
        while await self.run_lines([line]):
            shown_blocks += self.model.answer
            lesson.append_next_step() if LessonStep("", line).is_of_other_seat else lesson.next_step()
            line = lesson.line
            if not LessonStep("", line).is_of_other_seat:
                if len(shown_blocks) > len(self.model.answer):
                    self.show_answer(shown_blocks)
                self.session.is_careful = lesson.is_over
                return
