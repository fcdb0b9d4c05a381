"""The menu above the line: the words that may come next, and the squares that light up for them.

The words come from the index of the position, while a key is handled. Until the index is ready, only zim's own words
are offered. The meaning of a word is worked out only when it is shown.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from prompt_toolkit.buffer import Buffer, CompletionState
from prompt_toolkit.completion import Completion
from prompt_toolkit.document import Document

from zimcli.render.spans import Line
from zimcli.repl.completion import Offer, ZimCompleter
from zimcli.session.session import Session
from zimcli.shell.registry import SESSION_ENTRIES
from zimcli.table.model import TableModel
from zimcli.table.panes import PaneRow
from zimcli.table.text import clip, width_of
from zimcore.candidates import WORD_PATTERN, advice, candidates, is_advice_cached, is_cached
from zimcore.commits import Position
from zimcore.game import Advice
from zimcore.toolkit.player_names import with_name
from zimcore.toolkit.words import words_begin_with

COLUMN_WIDTH = 38
"""Columns of a word with its meaning, in a menu of several rows."""
MANY_HIGHLIGHTED, MAX_HIGHLIGHTED = 24, 12
"""If more squares than `MANY_HIGHLIGHTED` could be named, only those of the best `MAX_HIGHLIGHTED` commands are."""


class Menu(ZimCompleter):
    """The words that may be typed next."""

    def __init__(self, session: Session, model: TableModel, buffer: Buffer, keys: Mapping[str, str]) -> None:
        super().__init__(session)
        self.model = model
        self.buffer = buffer
        self.keys = keys
        self._offers_cache: tuple[Hashable, list[Offer]] = (None, [])
        self._lit_cache: tuple[Hashable, frozenset[str]] = None, frozenset()
        self._meanings: dict[tuple[str, str], str] = {}
        self._word_starts: dict[tuple[int, int], int] = {}
        self._offered_commands: tuple[CompletionState, list[Offer]] | None = None
        self.cut_choice: Line = []
        """The chosen word with its whole meaning, if the menu had to cut it."""

    @property
    def position(self) -> Position:
        """The position at which the typed line would be played."""
        return self.model.head

    @property
    def is_own_turn(self) -> bool:
        """Whether this player is to move."""
        return bool(self.model.view.own_seats)

    @property
    def is_indexing(self) -> bool:
        """Whether the index is still being made."""
        return not is_cached(self.position)

    def legal_offers(self, beginning: str) -> Iterator[Offer]:
        """The next words of legal commands; none until the index is ready."""
        return super().legal_offers(beginning) if is_cached(self.position) else iter(())

    def advice(self, beginning: str) -> tuple[Advice, ...]:
        """The game's advice, if it has been worked out and may be shown."""
        is_cached = self.model.view.advises and is_advice_cached(self.position, beginning)
        return tuple(advice(self.position, beginning)) if is_cached else ()

    @property
    def typed_text(self) -> str:
        """The line up to the cursor, without a word of the menu that is only being tried."""
        state = self.buffer.complete_state
        document = state.original_document if state else self.buffer.document
        return document.text_before_cursor.rpartition("\n")[2].lstrip()

    def offered_words(self) -> list[Offer]:
        """The words that may come next, cached for the typed text."""
        if self._offered_commands and self.buffer.complete_state is self._offered_commands[0]:
            return self._offered_commands[1]
        typed_text = self.typed_text
        key = (typed_text, self.cache_key())
        if self._offers_cache[0] != key:
            beginning, space, word = typed_text.rpartition(" ")
            try:
                offers = list(self.words(beginning + space, word)) if typed_text or self.is_own_turn else []
            except Exception:  # the line is incomplete: its errors are shown when it is entered
                offers = []
            self._offers_cache = key, offers
        return self._offers_cache[1]

    def cache_key(self) -> Hashable:
        """What the words depend on, besides the typed text."""
        position = self.position
        return (
            position.place,
            position.commit.digest,
            position.seen_by,
            is_cached(position),
            is_advice_cached(position, self.typed_text),
        )

    def is_complete(self) -> bool:
        """Whether the index and the advice are ready."""
        position = self.position
        return is_cached(position) and is_advice_cached(position) and is_advice_cached(position, self.typed_text)

    def highlighted_squares(self, *, untyped: bool = False) -> frozenset[str]:
        """The squares that the typed text could mean; none for zim's own commands.

        With `untyped`, the squares that you can play on light up before anything is typed. Of many squares those of the
        best commands light up, unless all commands bring the same.
        """
        word, _, argument_text = self.typed_text.partition(" ")
        entry = SESSION_ENTRIES.get(word)
        if entry and not ("command" in entry.argument_kinds or "words" in entry.argument_kinds):
            return frozenset()
        beginning = argument_text if entry else self.typed_text
        may_light = beginning or (untyped and self.is_own_turn and not entry)
        if not may_light or not is_cached(self.position):
            return frozenset()
        key = beginning, self.cache_key()
        if self._lit_cache[0] != key:
            highlighted = candidates(self.position).squares_to_light(beginning)
            self._lit_cache = (
                key,
                highlighted & self.best_squares(beginning) or highlighted
                if len(highlighted) > MANY_HIGHLIGHTED
                else highlighted,
            )
        return self._lit_cache[1]

    def best_squares(self, beginning: str) -> frozenset[str]:
        """The squares of the best commands with a beginning, if they differ in what they bring."""
        words = beginning.lower().split()
        ranked_commands = [each for each in self.advice(beginning) if words_begin_with(each.text.split(), words)]
        best_commands = [each.text for each in ranked_commands if each.brings != ranked_commands[-1].brings][
            :MAX_HIGHLIGHTED
        ]
        return frozenset(word for text in best_commands for word in WORD_PATTERN.findall(text))

    def rows_key(self) -> Hashable:
        """What the rows of the menu depend on."""
        state = self.buffer.complete_state
        chosen_index = state.complete_index if state else None, id(state) if state else 0
        return self.typed_text, self.cache_key(), *chosen_index, self.has_next_steps, tuple(self.model.next_steps)

    def choose_word(self, step: int) -> None:
        """Tries the next word (`step` 1) or the previous one (-1). If there is only one word, takes it."""
        buffer = self.buffer
        if buffer.complete_state is None:
            word = self.typed_text.rpartition(" ")[2]
            completions = [Completion(text, -len(word)) for text, _ in self.offered_words()]
            if not completions:
                return
            buffer.complete_state = CompletionState(buffer.document, completions)
        if len(buffer.complete_state.completions) == 1:
            buffer.go_to_completion(0)
            buffer.complete_state = None
            buffer.insert_text(" ")
        elif step > 0:
            buffer.complete_next()
        else:
            buffer.complete_previous()

    def offer_commands(self, offers: list[Offer]) -> None:
        """Offers whole commands instead of words, with the first one in the line."""
        state = CompletionState(Document(), [Completion(text) for text, _ in offers])
        self.buffer.complete_state = state
        self._offered_commands = state, offers
        self.buffer.go_to_completion(0)

    @property
    def has_next_steps(self) -> bool:
        """Whether the menu shows the numbered next steps: the game is over, and the line is empty."""
        return self.model.end is not None and not self.buffer.text

    def type_step(self, number: int) -> bool:
        """Types the command of a next step, counted from 0. Returns whether there is such a step."""
        steps = self.model.next_steps
        if self.has_next_steps and number < len(steps):
            self.buffer.set_document(Document(steps[number].command), bypass_readonly=True)
            return True
        return False

    def next_step_rows(self, width: int) -> Iterator[PaneRow]:
        """The next steps after a game with their numbers, in as many rows as needed."""
        line, word_starts = list[tuple[str, str]](), dict[tuple[int, int], int]()
        row = 0
        for number, step in enumerate(self.model.next_steps):
            entry = [(f" {number + 1} ", "class:table.word"), (f"{step.name} ", "class:table.meaning")]
            if line and width_of(line) + width_of(entry) > width:
                yield PaneRow(line)
                line, row = [], row + 1
            word_starts[row, width_of(line)] = number
            line += entry
        self._word_starts = word_starts
        yield PaneRow(line)

    def take_word(self, number: int) -> None:
        """Takes a word by its number. If whole commands are offered, taking the one in the line plays it."""
        if self.type_step(number):
            return
        offers = self.offered_words()
        if self._offered_commands and offers is self._offered_commands[1]:
            if number < len(offers) and self.buffer.text == offers[number][0]:
                self.buffer.validate_and_handle()
            elif number < len(offers):
                self.buffer.go_to_completion(number)
        elif number < len(offers):
            text, word = offers[number][0], self.typed_text.rpartition(" ")[2]
            if self.buffer.complete_state:
                self.buffer.cancel_completion()
            self.buffer.delete_before_cursor(len(word))
            self.buffer.insert_text(text + " ")

    def word_at(self, x: int, y: int) -> int | None:
        """The number of the word at a point of the menu."""
        starts = [(start, number) for (row, start), number in self._word_starts.items() if row == y and start <= x]
        return max(starts)[1] if starts else None

    def rows(self, width: int, height: int) -> Iterable[PaneRow]:
        """The words with their meanings: side by side in one row, or in columns in several rows."""
        self._word_starts, self.cut_choice = {}, []
        if self.has_next_steps:
            return [*self.next_step_rows(width)][:height]
        offers = self.offered_words()
        state = self.buffer.complete_state
        chosen_number = state.complete_index if state else None
        if not offers:
            waiting_seats = " and ".join(
                with_name(seat, self.position.names).capitalize() for seat in self.position.to_move
            )
            return (
                [PaneRow([(f" waiting for {waiting_seats}", "dim")])] if waiting_seats and not self.is_own_turn else []
            )
        return (
            self.single_row(offers, chosen_number, width)
            if height == 1
            else self.column_rows(offers, chosen_number, width, height)
        )

    def single_row(self, offers: list[Offer], chosen_number: int | None, width: int) -> list[PaneRow]:
        """One row that starts with the word before the chosen one. Only the chosen word has its meaning."""
        first_number = max((chosen_number or 0) - 1, 0)
        if (
            chosen_number
            and sum(len(offers[index][0]) + 3 for index in (first_number, chosen_number))
            + len(self.meaning(chosen_number))
            + 9
            > width
        ):
            first_number = chosen_number
        line = [("… ", "dim")] if first_number else []
        for number in range(first_number, len(offers)):
            word = offers[number][0]
            meaning = self.meaning(number) if number == chosen_number or len(offers) == 1 else ""
            room = width - width_of(line) - 2
            if len(word) + len(meaning) + 9 > room:  # the word matters more than its meaning
                self.cut_choice = [(f"{word}  ", "bold"), (meaning, "")] if number == chosen_number else []
                meaning = "".join(text for text, _ in clip([(meaning, "")], max(room - len(word) - 9, 1)))
            if len(word) + (len(meaning) + 1 if meaning else 0) > room - (8 if number + 1 < len(offers) else 0):
                line.append((f"+{len(offers) - number}", "dim"))
                break
            self._word_starts[0, width_of(line)] = number
            line.append((f" {word} ", "class:table.chosen" if number == chosen_number else "class:table.word"))
            line += [(f"{meaning} ", "class:table.meaning")] if meaning else []
        return [PaneRow(line)]

    def column_rows(self, offers: list[Offer], chosen_number: int | None, width: int, height: int) -> list[PaneRow]:
        """Several rows, column by column, no more columns than needed. The last cell says how many words don't fit."""
        column_count = max(min(width // COLUMN_WIDTH, -(-len(offers) // height)), 1)
        column_width = width // column_count
        room = height * column_count
        first_number = max((chosen_number or 0) - room + 2, 0) if len(offers) > room else 0
        rows = list[PaneRow]()
        for row in range(height):
            line: list[tuple[str, str]] = []
            for column in range(column_count):
                number = first_number + column * height + row
                self._word_starts[row, column * column_width] = number
                cell = self.cell(offers, number, chosen_number, column_width, last_number=first_number + room - 1)
                line += [*cell, (" " * (column_width - width_of(cell)), "")]
            rows.append(PaneRow(line))
        return rows

    def cell(
        self, offers: list[Offer], number: int, chosen_number: int | None, width: int, last_number: int
    ) -> list[tuple[str, str]]:
        """A word of the menu with its meaning."""
        if number >= len(offers):
            return []
        if number == last_number and len(offers) > last_number + 1:
            return [(f" +{len(offers) - last_number} more", "dim")]
        word = (f" {offers[number][0]} ", "class:table.chosen" if number == chosen_number else "class:table.word")
        entry = [word, (f" {self.meaning(number)}", "class:table.meaning")]
        if number == chosen_number and width_of(entry) > width - 1:
            self.cut_choice = [(f"{offers[number][0]}  ", "bold"), (self.meaning(number), "")]
        return clip(entry, width - 1)

    def meaning(self, number: int) -> str:
        """The meaning of a word, cached."""
        text, meaning = self.offered_words()[number]
        if isinstance(meaning, str):
            return meaning
        key = (f"{self.position.commit.digest} {self.position.seen_by} {self.typed_text}", text)
        if key not in self._meanings:
            if len(self._meanings) > 2000:
                self._meanings.clear()
            self._meanings[key] = meaning()
        return self._meanings[key]
