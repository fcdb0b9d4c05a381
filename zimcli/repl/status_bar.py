"""The texts of the prompt and of the toolbar at the bottom of the screen."""

from __future__ import annotations

from collections.abc import Mapping

from prompt_toolkit.formatted_text import FormattedText

from zimcli.render.clocks import clocks_line
from zimcli.render.moves import place_line, turn_line
from zimcli.session.session import Session
from zimcore.commits import Position
from zimcore.documents.positions import position_document
from zimcore.game import Seat
from zimcore.picture.palette import owner_style
from zimcore.service.lines.clocks import Clock


class StatusBar:
    """The texts for the current position."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.clocks: Mapping[Seat, Clock] = {}

    def refresh(self) -> None:
        """Reads the clocks. Call it before each prompt: the toolbar is drawn far more often."""
        position = self.session.current
        self.clocks = self.session.service.due(position.match) if position else {}

    def prompt(self) -> FormattedText:
        """`kilwa-7 main @23 · round 4 · Zulu to act >`, with the steps of the turn above it."""
        position = self.session.current
        if position is None:
            return FormattedText([("", "zim > ")])
        (place_text, _), *status_texts = place_line(position_document(position))
        status_spans = [("class:prompt.status", text) for text, _ in status_texts]
        steps = position.game.display.turn(position.state)
        turn_spans = [("class:prompt.status", "".join(text for text, _ in turn_line(steps)) + "\n")] if steps else []
        return FormattedText(
            [*turn_spans, ("class:prompt.where", place_text), *status_spans, ("class:prompt.where", " > ")]
        )

    def toolbar(self) -> FormattedText:
        """The game's toolbar. A part about a seat has its colour, and is underlined if the seat is to move."""
        position = self.session.current
        if position is None:
            return FormattedText([("", "")])
        parts: list[tuple[str, str]] = []
        for section in position.game.display.toolbar(position.state).split("  "):
            parts += [(seat_style(position, section.partition(" ")[0]), f" {section} "), ("", " ")]
        if self.session.service.offline_reason:
            parts.append(("bold", f" {self.session.service.offline_reason}"))
        if self.clocks:
            parts.append(("", f" {clocks_line(self.clocks)}"))
        return FormattedText(parts)


def seat_style(position: Position, seat: str) -> str:
    """The style of a seat; "" for any other word."""
    colour = position.colours.get(seat)
    if colour is None:
        return ""
    ink, paper = owner_style(colour)
    return f"bg:{paper} {ink}" + (" bold underline" if seat in position.to_move else "")
