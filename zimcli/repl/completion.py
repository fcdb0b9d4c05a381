"""Completion: first which kind of thing may come next, then its names. Of the game only what is legal now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import click
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from zimcli.completing import explained, named, options_of_board
from zimcli.registry import BY_NAME, ENTRIES
from zimcli.session import Session
from zimcore.game import Event, Refused
from zimcore.service import LineInfo, Position

MOST = 3000
"""How many legal commands are looked at for the next word: a hand of them can be raised in very many ways."""
LINES = ("switch", "compare", "fork", "goto", "log", "board", "show", "verify", "events", "replay")
SUBJECTS = ("why", "bisect", "expect")
GAME_WORDS = ("legal", "do", "try")


class ZimCompleter(Completer):
    """Completes the word under the cursor."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: Sequence[LineInfo] = ()
        self.marks: Sequence[str] = ()

    def look(self) -> None:
        """Takes note of lines and positions there are: completion runs in a thread, and the service is of another."""
        if self.session.here:
            self.lines = self.session.service.lines(self.session.here.match)
            self.marks = self.session.service.marks(self.session.place)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """What may stand where the cursor is; an error while looking offers nothing."""
        before = document.text_before_cursor.rpartition("\n")[2].lstrip()
        beginning, space, word = before.rpartition(" ")
        try:
            for text, meaning in self.words(beginning + space, word):
                yield Completion(text, -len(word), display_meta=meaning)
        except Exception:
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
        yield "quit", "Leave."

    def next(self, command: str, rest: str = "") -> Iterable[tuple[str, str]]:
        """The next word after a first one."""
        if command in GAME_WORDS:
            return self.legal(rest)
        if command in LINES:
            return ((line.name, line.status) for line in self.lines)
        if command == "rules":
            return ((rule.code, rule.text) for rule in self.session.played.texts.rules())
        if command in SUBJECTS and self.session.here:
            return named(self.session.here.figures)
        if command == "help":
            return explained(self.session.all_rules)
        return () if command in BY_NAME else self.legal(f"{command} {rest}")

    def options(self, command: str) -> Iterator[tuple[str, str]]:
        """The options of a command; of the board, what can be laid over it too."""
        for option in BY_NAME[command].load().params:
            if isinstance(option, click.Option) and not option.hidden:
                yield option.opts[0], option.help or ""
        if command == "board":
            yield from options_of_board(self.session.played)

    def legal(self, beginning: str) -> Iterator[tuple[str, str]]:
        """The next word of the legal commands that begin so, with what it comes to or how many commands follow."""
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
