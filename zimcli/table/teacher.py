"""The tutorial at the table: what of the lines that are typed it takes, and how it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from zimcli.lesson import HARMLESS, Lesson, Step, same
from zimcli.places import names_a_place
from zimcli.registry import IN_SESSION, LEAVE
from zimcli.render.spans import Block

if TYPE_CHECKING:
    from zimcli.table.app import Seated


class Teacher:
    """Leads one who sits at the table through a lesson."""

    def __init__(self, seated: Seated) -> None:
        self.seated = seated

    def begin(self, led: Lesson) -> None:
        """Leads from here on, and has nothing asked about: what is to be typed is meant so."""
        self.seated.model.lesson, self.seated.session.careful = led, False

    async def take(self, led: Lesson, lines: Sequence[str]) -> None:
        """Does the line that is named; answers what only looks, and what would become of another move."""
        seated, typed = self.seated, " ".join(" ".join(lines).split())
        if not typed and (seated.model.pager or led.turn_page() or led.is_over):
            seated.model.pager = None
            return
        word = typed.partition(" ")[0]
        if not typed or same(seated.model.head, typed, led.line):
            await self.go_on(led)
        elif word in HARMLESS or word in LEAVE or word.startswith("?") or names_a_place(typed):
            await seated.do([typed])
        elif word in IN_SESSION:
            seated.answer([[(f"{word} is for later; here we go on with: {led.line}", "bold yellow")]])
        else:
            await seated.do([f"explain {typed}"])

    async def go_on(self, led: Lesson) -> None:
        """Does the line that is named, and those of the others after it."""
        seated, line, played = self.seated, led.line, list[Block]()
        while await seated.do([line]):
            played += seated.model.answer
            led.skip() if Step("", line).is_theirs else led.done()
            line = led.line
            if not Step("", line).is_theirs:
                if len(played) > len(seated.model.answer):
                    seated.answer(played)
                seated.session.careful = led.is_over
                return
