"""What the prompt and the foot of the screen say of the position, made once a position."""

from __future__ import annotations

from prompt_toolkit.formatted_text import FormattedText

from zimcli.render.moves import place_line
from zimcli.render.palette import owner_style
from zimcli.session import Session
from zimcore.game import View
from zimcore.service import Position


class Glance:
    """The view of the current position, and the words made of it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seen: Position | None = None
        self.view: View | None = None

    def look(self) -> View | None:
        """The view of the current position."""
        here = self.session.here
        if here and here is not self.seen:
            self.view, self.seen = here.view(), here
        return self.view

    def prompt(self) -> FormattedText:
        """`kilwa-7 main @23 · round 4 · Zulu to build >`."""
        view = self.look()
        if view is None or self.session.here is None:
            return FormattedText([("", "zim > ")])
        (where, _), *status = place_line(self.session.here, view)
        told = [("class:prompt.status", text) for text, _ in status]
        return FormattedText([("class:prompt.where", where), *told, ("class:prompt.where", " > ")])

    def toolbar(self) -> FormattedText:
        """The game's own few words; a part that begins with a seat has its colour, who is to play is underlined."""
        view = self.look()
        if view is None:
            return FormattedText([("", "")])
        parts: list[tuple[str, str]] = []
        for part in view.toolbar.split("  "):
            parts += [(self.seat_style(view, part.partition(" ")[0]), f" {part} "), ("", " ")]
        return FormattedText(parts)

    def seat_style(self, view: View, seat: str) -> str:
        """The colours of a seat; none for any other word."""
        if seat not in view.colours:
            return ""
        ink, paper = owner_style(view.colours[seat])
        return f"bg:{paper} {ink}" + (" bold underline" if seat == view.actor else "")
