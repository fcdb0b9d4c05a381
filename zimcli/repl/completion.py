"""Completion at the prompt, by the kind of the next word. Commands of the game are offered only if legal now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import click
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from zimcli.session.session import Session
from zimcli.session.shell_completion import bot_levels, figure_names, options_of_board, topics_to_explain
from zimcli.settings.config import aliases_or_none
from zimcli.shell.registry import HELP, LEAVE_WORDS, SESSION_ENTRIES, ArgumentKind
from zimcore.candidates import advice, candidate_meaning, candidates, rank_candidates
from zimcore.game import Advice
from zimcore.service import LineInfo, Position

Offer: TypeAlias = "tuple[str, str | Callable[[], str]]"
"""A word with its meaning, or with a function that works it out: a menu shows only a few of many words."""
COMMAND_COUNT_TEXT = f"{len(SESSION_ENTRIES)} commands of zim"
"""The meaning of the word that stands for all commands of zim."""


class ZimCompleter(Completer):
    """Completes the word under the cursor."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: Sequence[LineInfo] = ()
        self.marks: Sequence[str] = ()
        self.aliases: Mapping[str, str] = {}
        self.is_working = False
        """Whether completions are being worked out, in another thread."""

    @property
    def position(self) -> Position | None:
        """The position at which the typed line would be played."""
        return self.session.current

    def advice(self, beginning: str) -> Sequence[Advice]:
        """The game's advice among commands with this beginning."""
        return advice(self.position, beginning) if self.position and self.session.advises else ()

    def refresh(self) -> None:
        """Reads the names of lines and positions, and the user's aliases. Call it before each prompt.

        Completion runs in a thread of prompt_toolkit, and only the thread that created a service may use it.
        """
        self.aliases = aliases_or_none()
        if self.session.current:
            self.lines = self.session.service.lines(self.session.current.match)
            self.marks = self.session.service.marks(self.session.place)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """The words that may come at the cursor; none if finding them fails."""
        typed_line = document.text_before_cursor.rpartition("\n")[2].lstrip()
        beginning, space, word = typed_line.rpartition(" ")
        self.is_working = True
        try:
            for text, explanation in self.words(beginning + space, word):
                shown_text = explanation if isinstance(explanation, str) else explanation()
                yield Completion(text, -len(word), display_meta=shown_text)
        except Exception:  # the line is incomplete: its errors are shown when it is entered
            return
        finally:
            self.is_working = False

    def words(self, beginning: str, word: str) -> Iterator[Offer]:
        """The words that may follow a beginning, with their meanings."""
        command, _, argument_text = beginning.partition(" ")
        if not beginning:
            offers: Iterable[Offer] = self.first_words(word)
        elif word.startswith("-") and command in SESSION_ENTRIES:
            offers = self.option_offers(command)
        elif word.startswith("@") and command in SESSION_ENTRIES:
            offers = ((f"@{mark}", "") for mark in ("start", *self.marks, "end"))
        else:
            offers = self.next_words(command, argument_text + word)
        seen_texts: set[str] = set()
        for text, explanation in offers:
            if text.startswith(word) and text not in seen_texts:
                seen_texts.add(text)
                yield text, explanation

    def first_words(self, word: str) -> Iterator[Offer]:
        """The first word of a line: of the game, or if none fits, a command of zim.

        Zim has so many commands that they would hide the game's, so before you type, one word stands for all of them.
        """
        offers = list(self.legal_offers(word))
        yield from offers
        if offers or (not word and self.is_indexing):
            yield HELP.name, COMMAND_COUNT_TEXT
            return
        yield from ((entry.name, entry.help) for entry in SESSION_ENTRIES.values())
        yield from self.aliases.items()
        yield LEAVE_WORDS[0], "Leave."

    @property
    def is_indexing(self) -> bool:
        """Whether the legal commands are still being worked out."""
        return False

    def next_words(self, command: str, argument_text: str = "") -> Iterable[Offer]:
        """The next word after a command: for zim's commands, by the kind of the argument.

        A place may be left out, so what comes after it is offered at once.
        """
        entry = SESSION_ENTRIES.get(command)
        if entry is None:
            return self.legal_offers(f"{command} {argument_text}")
        kind = next((kind for kind in reversed(entry.argument_kinds) if kind in OFFERS), None)
        return OFFERS[kind](self, argument_text) if kind else ()

    def option_offers(self, command: str) -> Iterator[Offer]:
        """The options of a command; those of `board` include the overlays."""
        for option in SESSION_ENTRIES[command].load_command().params:
            if isinstance(option, click.Option) and not option.hidden:
                yield option.opts[0], option.help or ""
        if "overlay" in SESSION_ENTRIES[command].argument_kinds:
            yield from options_of_board(self.session.current_game)

    def legal_offers(self, beginning: str) -> Iterator[Offer]:
        """The next words of legal commands with this beginning, each with its result or how many commands follow."""
        position = self.position
        if position:
            advised_commands = self.advice(beginning)
            for word in rank_candidates(candidates(position).next_words(beginning), beginning, advised_commands):
                yield word.word, partial(candidate_meaning, position, word, advised_commands)


def figures(completer: ZimCompleter, _: str) -> Iterable[Offer]:
    """The names of figures."""
    position = completer.session.current
    return figure_names(position.figures) if position else ()


OFFERS: Mapping[ArgumentKind, Callable[[ZimCompleter, str], Iterable[Offer]]] = {
    "place": lambda completer, _: ((line.name, line.status) for line in completer.lines),
    "command": lambda completer, argument_text: completer.legal_offers(argument_text),
    "words": lambda completer, argument_text: completer.legal_offers(argument_text),
    "expression": figures,
    "rule": lambda completer, _: ((rule.code, rule.text) for rule in completer.session.all_rules),
    "topic": lambda completer, _: topics_to_explain(completer.session.all_rules),
    "bot": lambda completer, _: bot_levels(),
}
"""What to offer for each kind of argument, given the words so far."""
