"""Repairs a log: finds the fewest changes that make all its lines legal.

The mistake in a log is at its first illegal line, or before it. So the search tries changes at that line, then further
and further back. Changes that make more lines legal are tried again from the next illegal line, cheapest first. The
kinds of changes are: a duplicate line, two swapped lines, a typo, a missing line, a superfluous line; likely mistakes
cost less. Effort is counted in lines played, not in time, so that the same log always gets the same answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, islice
from math import inf
from typing import Any, Literal, TypeAlias

import msgspec

from zimcore.bots.levels import QuickBot
from zimcore.game import AmbiguousError, Game, GameError, Seat
from zimcore.transcripts.line_readings import TOKEN
from zimcore.transcripts.log_lines import LogLine
from zimcore.transcripts.log_replay import Interpretation, is_notation, next_interpretations
from zimcore.transcripts.typos import corrections, words

Kind: TypeAlias = Literal["left out", "swapped", "replaced", "put in"]

DOUBLED, SEAT, SWAPPED, TYPO, WASTED, MISSING, SUPERFLUOUS, OTHER = 0.5, 0.9, 1.0, 1.0, 1.1, 1.6, 2.0, 2.2
"""Costs of changes: remove a duplicate; correct the seat; swap two lines; correct a typo (more if it is large); insert
a line before one that wastes something; insert a line elsewhere; remove a line; replace it by another legal move."""
DISTANCE_COST = 0.02
"""Extra cost of a change for each line between it and the first illegal line."""
INSERT_COST = 0.05
"""Extra cost of an inserted line for each likelier place that was tried before."""
PROGRESS_WEIGHT = 3.0
"""How much the share of legal lines counts against cost, when the search picks the next changes to continue from."""
MAX_DISTANCE, MAX_BRANCHES, LISTED, MAX_TEXTS, MAX_TRIED = 60, 6, 3_000, 300, 40
"""Limits: lines to go back, changes to follow from one illegal line, legal commands to consider for a missing line,
legal commands of each verb whose words are learned, and commands to try for a missing line."""
STEPS, MAX_PROPOSALS, CHANGES = 30_000, 5, 6
"""Limits: lines played in a search, proposals, and changes in one proposal."""


class Edit(msgspec.Struct, frozen=True):
    """A change at a line: its kind, the new text, and the seat to move and the round there. "put in" inserts before it.

    `move` is the number of the line's move after the earlier changes are made.
    """

    kind: Kind
    line: LogLine
    move: int
    text: str
    seat: Seat
    round: str


class Repair(msgspec.Struct, frozen=True):
    """A set of changes, their cost, the changed lines, and how many of these are legal from the start."""

    edits: tuple[Edit, ...]
    cost: float
    lines: tuple[LogLine, ...]
    legal_lines: int

    @property
    def whole(self) -> bool:
        """Whether all lines are legal after the changes."""
        return self.legal_lines == len(self.lines)


class Trail(msgspec.Struct, frozen=True, eq=False):
    """A node of the search: the changes so far, the changed lines, and the interpretations before each line.

    `interpretations` ends with an empty list if a line is illegal.
    """

    edits: tuple[Edit, ...]
    cost: float
    lines: tuple[LogLine, ...]
    interpretations: tuple[list[Interpretation], ...]

    @property
    def legal_lines(self) -> int:
        """How many lines are legal from the start."""
        return len(self.interpretations) - (1 if self.interpretations[-1] else 2)


Report: TypeAlias = Callable[[int, int], None]
"""Called with the number of lines played so far, and their limit."""


def repairs(
    game: Game,
    begin: Any,
    lines: Sequence[LogLine],
    steps: int = STEPS,
    max_proposals: int = MAX_PROPOSALS,
    report: Report = lambda done, of: None,
    unwritten: Collection[str] = (),
) -> list[Repair]:
    """The smallest repairs of a log, likeliest first; [] for a legal log. `unwritten` are verbs that it never writes.

    If no repair within `steps` makes the whole log legal, the one that gets furthest.
    """
    return RepairSearch(game, lines, steps, report, unwritten).find_repairs(begin, max_proposals)


class RepairSearch:
    """The search for repairs of one log."""

    def __init__(
        self, game: Game, lines: Sequence[LogLine], steps: int, report: Report, unwritten: Collection[str]
    ) -> None:
        self.game = game
        self.unwritten = unwritten
        self.log = tuple(lines)
        self.steps = self.left = steps
        self.report = report
        self.implied = False
        self.typed = Counter(TOKEN.findall(" ".join(line.text.lower() for line in lines)))
        self.failures = set[int]()
        self.known: frozenset[str] = frozenset()
        self.words: frozenset[str] = frozenset()
        self.unknown: frozenset[str] = frozenset()

    def find_repairs(self, begin: Any, max_proposals: int) -> list[Repair]:
        """Runs the search: see `repairs`."""
        first = self.play_on(Trail((), 0.0, self.log, ([Interpretation(begin)],)))
        if first.legal_lines == len(self.log):
            return []
        self.implied = any(len(way.played) > 1 for interpretations in first.interpretations for way in interpretations)
        self.learn_words(first.interpretations[0][0].state)
        order, queue, complete_trails, best = count(), list[tuple[float, int, Trail]](), list[Trail](), first
        heappush(queue, (0.0, next(order), first))
        while queue and self.left > 0:
            *_, trail = heappop(queue)
            if len(trail.edits) >= (len(complete_trails[0].edits) if complete_trails else CHANGES):
                continue
            for child in self.next_trails(trail):
                if child.legal_lines == len(child.lines):
                    complete_trails.append(child)
                    complete_trails.sort(key=lambda each: (len(each.edits), each.cost))
                else:
                    best = max(best, child, key=lambda each: (each.legal_lines - len(each.edits), -each.cost))
                    heappush(
                        queue, (child.cost - PROGRESS_WEIGHT * child.legal_lines / len(self.log), next(order), child)
                    )
        fewest = [each for each in complete_trails if len(each.edits) == len(complete_trails[0].edits)]
        repairs_found = distinct(fewest) or ([best] if best.edits else [])
        return [Repair(each.edits, each.cost, each.lines, each.legal_lines) for each in repairs_found[:max_proposals]]

    def learn_words(self, state: Any) -> None:
        """Adds the words of a position: many, such as the gods of The Great Zimbabwe, are not legal at the start."""
        known = known_words(self.game, state)
        if known <= self.known:
            return
        self.known |= known
        self.words = self.known.union(self.typed)
        self.unknown = frozenset(word for word, times in self.typed.items() if times == 1 and word not in self.known)

    def play_on(self, trail: Trail) -> Trail:
        """The trail replayed up to its first illegal line, or to the end."""
        interpretations = list(trail.interpretations)
        for line in trail.lines[len(interpretations) - 1 :]:
            is_implied = self.implied or not trail.edits
            after = next_interpretations(
                self.game, interpretations[-1], line, allow_implied=is_implied, unwritten=self.unwritten
            )
            self.left -= len(interpretations[-1])
            interpretations.append(after)
            if not after:
                break
        self.report(self.steps - max(self.left, 0), self.steps)
        return Trail(trail.edits, trail.cost, trail.lines, tuple(interpretations))

    def next_trails(self, trail: Trail) -> list[Trail]:
        """The trails that get past the illegal line by one more change: all legal ones, and the `WIDE` best others."""
        failed_at, trails = trail.legal_lines, list[Trail]()
        if failed_at not in self.failures:
            self.failures.add(failed_at)
            self.learn_words(trail.interpretations[failed_at][0].state)
        is_unreadable = not is_notation(self.game, trail.interpretations[failed_at][0].state, trail.lines[failed_at])
        for at in range(failed_at, max(0, failed_at - MAX_DISTANCE) - 1, -1):
            if self.left <= 0 or cheapest(trails) <= trail.cost + TYPO + DISTANCE_COST * (failed_at - at):
                break  # no change further back is cheaper
            for cost, edit, lines in self.edits(trail, at, failed_at):
                trails += self.trail_after(trail, at, cost + DISTANCE_COST * (failed_at - at), edit, lines)
            if is_unreadable:
                break  # a line that can't be read is itself the mistake
        for position, at in enumerate([] if is_unreadable else self.insertion_points(trail, failed_at)):
            cost = (
                MISSING + INSERT_COST * position
                if at == failed_at or not self.wastes_something(trail, at)
                else WASTED + DISTANCE_COST * position
            )
            if self.left <= 0 or cheapest(trails) <= trail.cost + cost:
                continue
            for rank, (edit, lines) in enumerate(self.insertions(trail, at, failed_at)):
                trails += self.trail_after(trail, at, cost + rank / 1000, edit, lines)
        complete = [each for each in trails if each.legal_lines == len(each.lines)]
        incomplete = sorted(
            (each for each in trails if each not in complete), key=lambda each: (-each.legal_lines, each.cost)
        )
        return sorted(complete, key=lambda each: each.cost) + incomplete[:MAX_BRANCHES]

    def trail_after(
        self, trail: Trail, at: int, cost: float, edit: Edit, lines: tuple[LogLine, ...]
    ) -> Iterator[Trail]:
        """Yields the trail after a change, if it gets past the illegal line."""
        if self.left <= 0:
            return
        child = self.play_on(Trail((*trail.edits, edit), trail.cost + cost, lines, trail.interpretations[: at + 1]))
        past = trail.legal_lines + max(len(lines) - len(trail.lines), 0)
        if child.legal_lines > past or child.legal_lines == len(lines):
            yield child

    def edits(self, trail: Trail, at: int, failed_at: int) -> Iterator[tuple[float, Edit, tuple[LogLine, ...]]]:
        """The possible changes at a line: the cost of each, and all lines after it is made."""
        line, before, after = trail.lines[at], trail.lines[:at], trail.lines[at + 1 :]
        if line.expects:
            return
        is_duplicate = any(is_same_line(line, other) for other in (*before[-1:], *after[:1]))
        yield DOUBLED if is_duplicate else SUPERFLUOUS, self.edit(trail, at, "left out"), (*before, *after)
        if after and not after[0].expects and not is_same_line(line, after[0]):
            yield SWAPPED, self.edit(trail, at, "swapped", after[0].text), (*before, after[0], line, *after[1:])
        mover, _ = self.mover_and_round(trail.interpretations[at][0].state)
        if mover and seat_named(line) not in ("", mover):
            with_mover = with_seat(line, mover)
            text = f"{mover}: {with_mover.text}" if line.seat else with_mover.text
            yield SEAT, self.edit(trail, at, "replaced", text), (*before, with_mover, *after)
        for cost, text in self.rewordings(trail, at, failed_at):
            reworded = (*before, msgspec.structs.replace(line, text=text), *after)
            yield cost, self.edit(trail, at, "replaced", text), reworded

    def edit(self, trail: Trail, at: int, kind: Kind, text: str = "") -> Edit:
        """The `Edit` for a change at a line of a trail."""
        seat, round_ = self.mover_and_round(trail.interpretations[at][0].state)
        move = 1 + sum(len(interpretations[0].played) for interpretations in trail.interpretations[1 : at + 1])
        return Edit(kind, trail.lines[at], move, text, seat, round_)

    def insertion_points(self, trail: Trail, failed_at: int) -> Sequence[int]:
        """The indexes of lines before which a line may be missing, likeliest first.

        They are: the illegal line, lines that waste something, and starts of turns, those of the affected seat first.
        """
        of_seat, other_points, wasted_points = list[int](), list[int](), list[int]()
        seats = [self.seat(each) for each in trail.interpretations[1:]]
        mover, _ = self.mover_and_round(trail.interpretations[failed_at][0].state)
        seats_affected = {mover, seat_named(trail.lines[failed_at])}
        for at in range(failed_at - 1, -1, -1):
            last = trail.interpretations[at + 1][0]
            if not last.played:
                continue
            seat = last.played[-1].seat
            if self.wastes_something(trail, at):
                wasted_points.append(at)
            elif failed_at - at < MAX_DISTANCE and seats[at - 1] != seat:
                (of_seat if seat in seats_affected else other_points).append(at)
        return [failed_at, *wasted_points, *of_seat, *other_points]

    def wastes_something(self, trail: Trail, at: int) -> bool:
        """Whether a line wastes something: a sign that a line is missing before it."""
        state, line_reading = trail.interpretations[at][0].state, trail.interpretations[at + 1][0].played
        return bool(line_reading and self.game.questions.waste(state, line_reading[-1].seat, line_reading[-1].command))

    def seat(self, interpretations: Sequence[Interpretation]) -> Seat:
        """The seat that played the last line."""
        return next((way.played[-1].seat for way in interpretations if way.played), "")

    def insertions(self, trail: Trail, at: int, failed_at: int) -> Iterator[tuple[Edit, tuple[LogLine, ...]]]:
        """The lines with one inserted before index `at`, for each likely command, likeliest first."""
        line = trail.lines[at]
        seat, _ = self.mover_and_round(trail.interpretations[at][0].state)
        for text in self.likely_missing(trail, at, failed_at):
            inserted_line = LogLine(
                line.number, f"{seat}: {text}" if has_seat(line) else text, seat if line.seat else ""
            )
            yield self.edit(trail, at, "put in", text), (*trail.lines[:at], inserted_line, *trail.lines[at:])

    def mover_and_round(self, state: Any) -> tuple[Seat, str]:
        """The seat to move ("" for none), and the round."""
        from zimcore.transcripts.verdicts import round_of

        return "".join(self.game.evolution.to_move(state)[:1]), round_of(self.game, state)

    def rewordings(self, trail: Trail, at: int, failed_at: int) -> Iterator[tuple[float, str]]:
        """Other texts for a line, with their costs: corrected typos, and for the illegal line similar commands."""
        line, interpretations = trail.lines[at], trail.interpretations[at]
        seen_texts = {line.text.lower()}
        for distance, text in sorted(corrections(line.text.lower(), self.words, self.unknown)):
            if text not in seen_texts and self.is_command(text, interpretations[0].state):
                seen_texts.add(text)
                yield TYPO + (distance - 1) / 2, text
        if at == failed_at:
            seat, _ = self.mover_and_round(interpretations[0].state)
            head = f"{line.text.partition(':')[0]}: " if has_seat(line) else ""
            for command in islice(self.game.rules.legal(interpretations[0].state, seat), LISTED):
                text = head + self.game.notation.format(command)
                if text not in seen_texts and is_similar(text, line.text.lower()):
                    seen_texts.add(text)
                    yield OTHER, text

    def is_command(self, text: str, state: Any) -> bool:
        """Whether a text is a command in notation, ambiguous or not."""
        try:
            self.game.notation.parse(text, state)
        except AmbiguousError:
            return True
        except GameError:
            return False
        return True

    def likely_missing(self, trail: Trail, at: int, failed_at: int) -> Sequence[str]:
        """Legal commands that may be missing before a line, likeliest first.

        Likely are commands with words of the lines that follow, above all of the illegal line, and then good moves.
        """
        state, game = trail.interpretations[at][0].state, self.game
        seat, _ = self.mover_and_round(state)
        if not seat:
            return ()
        words_ahead = [
            word for line in trail.lines[at : at + MAX_DISTANCE] for word in TOKEN.findall(line.text.lower())
        ]
        word_weights = {word: 1 for word in words_ahead if any(map(str.isdigit, word))}
        word_weights |= dict.fromkeys(TOKEN.findall(trail.lines[failed_at].text.lower()), 3)
        good_moves = self.good_moves(state, seat)

        def rank_key(text: str) -> tuple[int, int]:
            tokens = [word for word in TOKEN.findall(text) if not word.isdigit()]
            return -sum(word_weights.get(word, 0) for word in tokens), good_moves.get(text, len(good_moves))

        legal = [game.notation.format(each) for each in islice(game.rules.legal(state, seat), LISTED)]
        ordered = sorted(legal, key=rank_key)
        other_texts = [text for text in ordered[MAX_TRIED:] if text in good_moves or not any(map(str.isdigit, text))]
        return (*ordered[:MAX_TRIED], *other_texts[:MAX_TRIED])

    def good_moves(self, state: Any, seat: Seat) -> Mapping[str, int]:
        """The moves that a quick bot considers, each with its rank from 0."""
        if self.game.strategy is None:
            return {}
        try:
            candidates = sorted(QuickBot().rank_candidates(self.game, state, seat), key=lambda each: -each.value)
        except GameError:
            return {}
        texts = dict.fromkeys(self.game.notation.format(each.command) for each in candidates)
        return {text: rank for rank, text in enumerate(texts)}


def cheapest(trails: Sequence[Trail]) -> float:
    """The lowest cost of a trail whose lines are all legal; infinity if there is none."""
    return min((each.cost for each in trails if each.legal_lines == len(each.lines)), default=inf)


def known_words(game: Game, state: Any) -> set[str]:
    """The words of a position: those of notation, legal commands, squares and seats, and the numbers to 20."""
    board = game.display.board(state)
    squares = {cell.square for row in board.cells for cell in row if cell.square} if board else set()
    seat = "".join(game.evolution.to_move(state)[:1])
    every = game.rules.legal(state, seat)
    legal = (text for verb in game.notation.SYNTAX for text in islice(every.texts(verb), MAX_TEXTS))
    vocabulary = words([*game.notation.SYNTAX, *game.notation.SYNTAX.values(), *legal, *game.evolution.seats(state)])
    return vocabulary | {each.lower() for each in squares} | {str(number) for number in range(21)}


def is_same_line(line: LogLine, other_line: LogLine) -> bool:
    """Whether two lines have the same seat and text."""
    return (line.text, line.seat) == (other_line.text, other_line.seat)


def has_seat(line: LogLine) -> bool:
    """Whether the text of a line names its seat (`kilwa: bid 3`)."""
    return ":" in line.text


def seat_named(line: LogLine) -> Seat:
    """The seat that a line names, in its column or in its text; "" if it names none."""
    return (line.seat or (line.text.partition(":")[0] if has_seat(line) else "")).lower()


def with_seat(line: LogLine, seat: Seat) -> LogLine:
    """The line with another seat. Only for lines that name a seat."""
    if line.seat:
        return msgspec.structs.replace(line, seat=seat)
    return msgspec.structs.replace(line, text=f"{seat}:{line.text.partition(':')[2]}")


def is_similar(text: str, typed_text: str) -> bool:
    """Whether a typed line shares at least half of the words of a command, but is not the same."""
    text_tokens, typed_tokens = TOKEN.findall(text), TOKEN.findall(typed_text)
    return len({*text_tokens} & {*typed_tokens}) * 2 >= len(text_tokens) and text_tokens != typed_tokens


def distinct(trails: Sequence[Trail]) -> list[Trail]:
    """The trails without duplicates: those that insert the same lines in the same turns count as one."""
    trails_by_key: dict[Any, Trail] = {}
    for trail in trails:
        insertions = tuple((edit.text, edit.seat, edit.round) for edit in trail.edits if edit.kind == "put in")
        trails_by_key.setdefault(insertions if len(insertions) == len(trail.edits) else trail.lines, trail)
    return list(trails_by_key.values())
