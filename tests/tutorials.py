"""The texts of a tutorial and their positions, to check its numbers against the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from zimcli.session.lesson import lesson_steps
from zimcli.shell.registry import SESSION_ENTRIES
from zimcore.game import Game
from zimcore.service import Viewer, open_service

NAMES_WITH_DIGITS = re.compile(r"\b[a-r]\d{1,2}\b|\b[A-C]\d\d\b")
"""Squares and cards, which are no numbers."""


class PlayedTutorial:
    """A tutorial that was played through: its text, and the state before each line."""

    def __init__(self, game: Game) -> None:
        self.text = ""
        self.states = dict[str, Any]()
        service = open_service("memory:")
        for step in lesson_steps(game.texts.tutorial()):
            self.text += f" {step.text}"
            if step.line.startswith("new ") and self.states:
                break  # its last line begins another game: a step towards playing on
            if step.line.startswith("new "):
                options = dict(word.split("=") for word in step.line.split() if "=" in word)
                service.new(game.name, options, name="t", by="anna")
            elif step.line and step.line.partition(" ")[0] not in SESSION_ENTRIES:
                service.play("t", step.line, by="anna", viewer=Viewer(None))
            self.states.setdefault(
                step.line, service.position("t", Viewer(None)).state
            )  # after it, and before what follows
        self.text = " ".join(self.text.split())

    def unproven_claims(self, claims: Mapping[str, bool]) -> Iterator[str]:
        """Claims that are false or not in the text, and sentences with numbers without a claim."""
        unclaimed_text = self.text
        for claim, is_true in claims.items():
            if not is_true:
                yield f"it is not so: {claim}"
            if claim not in unclaimed_text:
                yield f"not said: {claim}"
            unclaimed_text = unclaimed_text.replace(claim, "", 1)
        for sentence in re.split(r"(?<=[.?!:]) ", unclaimed_text):
            if re.search(r"\d", NAMES_WITH_DIGITS.sub("", sentence)):
                yield f"not proven: {sentence}"
