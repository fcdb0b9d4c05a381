"""Completion at the prompt: by the kind of word that may come next. Commands of the game only if they are legal now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

import click
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from zimcli.registry import BY_NAME, ENTRIES, LEAVE, Kind
from zimcli.session import Session
from zimcli.shell_completion import explained, named, options_of_board
from zimcore.game import Event, Refused
from zimcore.service import LineInfo, Position

MOST = 3000
"""How many legal commands are read for the next word: monuments can be raised in very many ways."""


Offered: TypeAlias = tuple[str, str]
"""A word, and what it means."""


class ZimCompleter(Completer):
    """Completes the word under the cursor."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: Sequence[LineInfo] = ()
        self.marks: Sequence[str] = ()

    def look(self) -> None:
        """Reads the names of lines and positions before each prompt.

        Completion runs in a thread of prompt_toolkit, and a service belongs to the thread that has made it.
        """
        if self.session.here:
            self.lines = self.session.service.lines(self.session.here.match)
            self.marks = self.session.service.marks(self.session.place)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """The words that may stand at the cursor; if looking for them fails, none."""
        before = document.text_before_cursor.rpartition("\n")[2].lstrip()
        beginning, space, word = before.rpartition(" ")
        try:
            for text, meaning in self.words(beginning + space, word):
                yield Completion(text, -len(word), display_meta=meaning)
        except Exception:  # the line is half typed: what is wrong with it is said when it is entered
            return

    def words(self, beginning: str, word: str) -> Iterator[tuple[str, str]]:
        """The words that may follow a beginning, and what they mean."""
        command, _, rest = beginning.partition(" ")
        if not beginning:
            offered: Iterable[tuple[str, str]] = self.first()
        elif word.startswith("-") and command in BY_NAME:
            offered = self.options(command)
        elif word.startswith("@") and command in BY_NAME:
            offered = ((f"@{mark}", "") for mark in ("start", *self.marks, "end"))
        else:
            offered = self.next(command, rest)
        seen: set[str] = set()
        for text, meaning in offered:
            if text.startswith(word) and text not in seen:
                seen.add(text)
                yield text, meaning

    def first(self) -> Iterator[tuple[str, str]]:
        """The first word of a line: of the game, or a command of zim."""
        yield from self.legal("")
        yield from ((entry.name, entry.help) for entry in ENTRIES)
        yield LEAVE[0], "Leave."

    def next(self, command: str, rest: str = "") -> Iterable[tuple[str, str]]:
        """The next word after a first one: of a command of zim by the kinds of its arguments.

        Where a place comes first it may be left out, so that what follows it is offered at once.
        """
        entry = BY_NAME.get(command)
        if entry is None:
            return self.legal(f"{command} {rest}")
        kind = next((kind for kind in reversed(entry.takes) if kind in OFFERS), None)
        return OFFERS[kind](self, rest) if kind else ()

    def options(self, command: str) -> Iterator[tuple[str, str]]:
        """The options of a command; of the board, what can be laid over it too."""
        for option in BY_NAME[command].load().params:
            if isinstance(option, click.Option) and not option.hidden:
                yield option.opts[0], option.help or ""
        if "overlay" in BY_NAME[command].takes:
            yield from options_of_board(self.session.played)

    def legal(self, beginning: str) -> Iterator[tuple[str, str]]:
        """The next word of the legal commands that begin so, with its result or how many commands follow."""
        here, at = self.session.here, len(beginning.split())
        if here is None:
            return
        found: dict[str, list[str]] = {}
        for text in islice(here.legal().texts(beginning), MOST):
            words = text.split()
            if len(words) > at:
                found.setdefault(words[at], []).append(text)
        for word, texts in found.items():
            whole = len(texts) == 1 and len(texts[0].split()) == at + 1
            yield word, outcome(here, texts[0]) if whole else f"{len(texts)} commands" if texts[1:] else texts[0]


def figures(completer: ZimCompleter, _: str) -> Iterable[Offered]:
    """The names of figures."""
    here = completer.session.here
    return named(here.figures) if here else ()


OFFERS: Mapping[Kind, Callable[[ZimCompleter, str], Iterable[Offered]]] = {
    "place": lambda completer, _: ((line.name, line.status) for line in completer.lines),
    "command": lambda completer, rest: completer.legal(rest),
    "words": lambda completer, rest: completer.legal(rest),
    "expression": figures,
    "rule": lambda completer, _: ((rule.code, rule.text) for rule in completer.session.played.texts.rules()),
    "topic": lambda completer, _: explained(completer.session.all_rules),
}
"""What is offered for an argument, of the words that stand before it."""


def outcome(position: Position, text: str) -> str:
    """What playing a command would come to, in a few words: `-2 cattle, +1 VP`."""
    game, state = position.game, position.state
    seat, command = game.notation.parse(text, state)
    seat = seat or position.actor or ""
    answer = game.rules.decide(state, seat, command)
    if isinstance(answer, Refused):
        return ""
    played: Callable[..., Event] = game.evolution.EVENTS[0]
    return game.notation.summary((played(seat=seat, command=command), *answer.events))
