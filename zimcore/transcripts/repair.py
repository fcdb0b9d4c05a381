"""Repairs a log: finds the fewest changes that make all its lines legal.

The mistake in a log is at its first illegal line, or before it. So the search tries changes at that line, then further
and further back. Changes that make more lines legal are tried again from the next illegal line, cheapest first. The
kinds of changes are: a duplicate line, two swapped lines, a typo, a missing line, a superfluous line; likely mistakes
cost less. Effort is counted in lines played, not in time, so that the same log always gets the same answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, islice
from math import inf
from typing import Any, Literal, TypeAlias

import msgspec

from zimcore.bots.levels import QuickBot
from zimcore.game import AmbiguousError, Game, GameError, Seat
from zimcore.toolkit.progress import ReportProgress, ignore_progress
from zimcore.transcripts.line_readings import LISTED, TOKEN
from zimcore.transcripts.line_readings import SQUARE as SQUARE_PATTERN
from zimcore.transcripts.log_replay import Interpretation, is_notation, next_interpretations, note_fault, omitted_verbs
from zimcore.transcripts.records import LogLine
from zimcore.transcripts.typos import corrections, words_in

SQUARE = re.compile(SQUARE_PATTERN)
Kind: TypeAlias = Literal["left out", "swapped", "replaced", "put in", "note"]

NOTE_COST = 0.8
"""Cost of the change of a result that a line states."""
DUPLICATE_COST, SEAT_COST, SWAP_COST, TYPO_COST, WASTE_COST, MISSING_COST, SUPERFLUOUS_COST, OTHER_MOVE_COST = (
    0.5,
    0.9,
    1.0,
    1.0,
    1.1,
    1.6,
    2.0,
    2.2,
)
"""Costs of changes: remove a duplicate; correct the seat; swap two lines; correct a typo (more if it is large); insert
a line before one that wastes something; insert a line elsewhere; remove a line; replace it by another legal move."""
OTHER_SQUARE_COST, LATER_SQUARE_COST = 1.95, 1.05
"""Costs of another square for an impossible one; less if the seat does something there later."""
WORD_COST = 0.001
"""Extra cost of another legal move for each word that differs."""
DISTANCE_COST = 0.02
"""Extra cost of a change for each line between it and the first illegal line."""
INSERT_COST = 0.05
"""Extra cost of an inserted line for each likelier place that was tried before."""
PROGRESS_WEIGHT = 3.0
"""How much the share of legal lines counts against cost, when the search picks the next changes to continue from."""
FAR_LINES, FAR_COST = 24, 0.3
"""If a further change carries a log so many lines on, only changes are tried that cost at most so much more."""
MAX_DISTANCE, MAX_BRANCHES, MAX_LISTED, MAX_TEXTS, MAX_TRIED = 60, 6, 3_000, 300, 40
"""Limits: lines to go back, changes to follow from one illegal line, legal commands to consider for a missing line,
legal commands of each verb whose words are learned, and commands to try for a missing line."""
MAX_STEPS, MAX_PROPOSALS, MAX_CHANGES = 30_000, 5, 6
"""Limits: lines played in a search, proposals, and changes in one proposal."""
COMMANDS_PER_STEP = 40
"""So many legal commands are listed in the time of a line played."""
FAILURE_STEPS, UNWRITTEN_STEPS = 2, 4
"""What a line costs more that can't be played, and if what the log never writes is tried before it."""


class Edit(msgspec.Struct, frozen=True):
    """A change at a line: its kind, the new text, and the seat to move and the round there. "put in" inserts before it.

    "note" corrects the results that the line states: `text` has the true ones.

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
    legal_line_count: int

    @property
    def is_whole(self) -> bool:
        """Whether all lines are legal after the changes."""
        return self.legal_line_count == len(self.lines)


class Trail(msgspec.Struct, frozen=True, eq=False):
    """A node of the search: the changes so far, the changed lines, and the interpretations before each line.

    `interpretations` ends with an empty list if a line is illegal.
    """

    edits: tuple[Edit, ...]
    cost: float
    lines: tuple[LogLine, ...]
    interpretations: tuple[list[Interpretation], ...]

    @property
    def legal_line_count(self) -> int:
        """How many lines are legal from the start."""
        return len(self.interpretations) - (1 if self.interpretations[-1] else 2)


def repairs(
    game: Game,
    first_state: Any,
    lines: Sequence[LogLine],
    steps: int = MAX_STEPS,
    max_proposals: int = MAX_PROPOSALS,
    report: ReportProgress = ignore_progress,
    unwritten_words: Collection[str] = (),
) -> list[Repair]:
    """The smallest repairs of a log, likeliest first; [] for a legal log.

    If no repair within `steps` makes the whole log legal, the one that gets furthest. `unwritten_words` are verbs that
    the log never writes.
    """
    return RepairSearch(game, lines, steps, report, unwritten_words).find_repairs(first_state, max_proposals)


class RepairSearch:
    """The search for repairs of one log."""

    def __init__(
        self, game: Game, lines: Sequence[LogLine], steps: int, report: ReportProgress, unwritten_words: Collection[str]
    ) -> None:
        self.game = game
        self.unwritten_words = unwritten_words
        self.log = tuple(lines)
        self.steps = self.steps_left = steps
        self.report = report
        self.failure_steps = 1 + FAILURE_STEPS + UNWRITTEN_STEPS * bool(unwritten_words)
        self.allows_implied = False
        self.listed = LISTED.get()
        self.typed_counts = Counter(TOKEN.findall(" ".join(line.text.lower() for line in lines)))
        self.failed_indexes = set[int]()
        self.known_words: frozenset[str] = frozenset()
        self.all_words: frozenset[str] = frozenset()
        self.unknown_words: frozenset[str] = frozenset()

    def find_repairs(self, first_state: Any, max_proposals: int) -> list[Repair]:
        """Runs the search: see `repairs`."""
        start_trail = self.play_on(Trail((), 0.0, self.log, ([Interpretation(first_state)],)))
        if start_trail.legal_line_count == len(self.log):
            return []
        self.allows_implied = any(
            not omitted_verbs(self.game, interpretation) <= {*self.unwritten_words}
            for interpretation in start_trail.interpretations[start_trail.legal_line_count]
        )
        self.learn_words(start_trail.interpretations[0][0].state)
        counter, queue, complete_trails, best_trail = (
            count(),
            list[tuple[float, int, Trail]](),
            list[Trail](),
            start_trail,
        )
        heappush(queue, (0.0, next(counter), start_trail))
        while queue and self.steps_left > 0:
            *_, trail = heappop(queue)
            if len(trail.edits) >= (len(complete_trails[0].edits) if complete_trails else MAX_CHANGES):
                continue
            for child in self.next_trails(trail):
                if child.legal_line_count == len(child.lines):
                    complete_trails.append(child)
                    complete_trails.sort(key=lambda trail_found: (len(trail_found.edits), trail_found.cost))
                else:
                    best_trail = max(
                        best_trail,
                        child,
                        key=lambda trail_found: (
                            trail_found.legal_line_count - len(trail_found.edits),
                            -trail_found.cost,
                        ),
                    )
                    heappush(
                        queue,
                        (child.cost - PROGRESS_WEIGHT * child.legal_line_count / len(self.log), next(counter), child),
                    )
        smallest_trails = [
            trail_found for trail_found in complete_trails if len(trail_found.edits) == len(complete_trails[0].edits)
        ]
        repairs_found = without_duplicates(smallest_trails) or ([best_trail] if best_trail.edits else [])
        return [
            Repair(trail_found.edits, trail_found.cost, trail_found.lines, trail_found.legal_line_count)
            for trail_found in repairs_found[:max_proposals]
        ]

    def learn_words(self, state: Any) -> None:
        """Adds the words of a position: many, such as the gods of The Great Zimbabwe, are not legal at the start."""
        position_words = known_words(self.game, state)
        if position_words <= self.known_words:
            return
        self.known_words |= position_words
        self.all_words = self.known_words.union(self.typed_counts)
        self.unknown_words = frozenset(
            word for word, times in self.typed_counts.items() if times == 1 and word not in self.known_words
        )

    def play_on(self, trail: Trail) -> Trail:
        """The trail replayed up to its first illegal line, or to the end."""
        interpretations = list(trail.interpretations)
        for line in trail.lines[len(interpretations) - 1 :]:
            allows_implied_commands = self.allows_implied or not trail.cost
            following = next_interpretations(
                self.game,
                interpretations[-1],
                line,
                allows_implied_commands=allows_implied_commands,
                unwritten_words=self.unwritten_words,
            )
            self.steps_left -= len(interpretations[-1]) * (1 if following else self.failure_steps)
            interpretations.append(following)
            if not following:
                break
        self.charge_listing()
        self.report(self.steps - max(self.steps_left, 0), self.steps)
        return Trail(trail.edits, trail.cost, trail.lines, tuple(interpretations))

    def charge_listing(self, further: int = 0) -> None:
        """Takes the legal commands that were listed since the last time, and `further` ones, from the steps left."""
        listed = LISTED.get()
        self.steps_left -= (listed - self.listed + further) // COMMANDS_PER_STEP
        self.listed = listed

    def legal_texts(self, state: Any, seat: Seat) -> list[str]:
        """The legal commands in notation."""
        legal = self.game.rules.legal(state, seat)
        texts = [self.game.notation.format(command) for command in islice(legal, MAX_LISTED)]
        self.charge_listing(len(texts))
        return texts

    def next_trails(self, trail: Trail) -> list[Trail]:
        """The trails that get past the illegal line by one more change: all legal ones, and the best of the others."""
        failed_index, trails = trail.legal_line_count, list[Trail]()
        if failed_index not in self.failed_indexes:
            self.failed_indexes.add(failed_index)
            self.learn_words(trail.interpretations[failed_index][0].state)
        is_unreadable = not is_notation(
            self.game, trail.interpretations[failed_index][0].state, trail.lines[failed_index]
        )
        if not is_unreadable:
            trails += self.trails_with_insertion(trail, failed_index, MISSING_COST)
        for index in range(failed_index, max(0, failed_index - MAX_DISTANCE) - 1, -1):
            distance_cost = DISTANCE_COST * (failed_index - index)
            if self.steps_left <= 0 or cost_bound(trails, trail) <= trail.cost + TYPO_COST + distance_cost:
                break  # no change further back is cheaper
            for cost, kind, text, lines in self.possible_edits(trail, index, failed_index):
                if index == failed_index or trail.cost + cost + distance_cost < cost_bound(trails, trail):
                    trails += self.trail_after(trail, index, cost + distance_cost, kind, text, lines)
            if is_unreadable:
                break  # a line that can't be read is itself the mistake
        for point_rank, index in enumerate([] if is_unreadable else self.insertion_points(trail, failed_index), 1):
            cost = (
                WASTE_COST + DISTANCE_COST * point_rank
                if self.wastes_something(trail, index)
                else MISSING_COST + INSERT_COST * point_rank
            )
            if self.steps_left > 0 and cost_bound(trails, trail) > trail.cost + cost:
                trails += self.trails_with_insertion(trail, index, cost)
        complete_trails = [candidate for candidate in trails if candidate.legal_line_count == len(candidate.lines)]
        incomplete_trails = sorted(
            (candidate for candidate in trails if candidate not in complete_trails),
            key=lambda candidate: (-candidate.legal_line_count, candidate.cost),
        )
        return sorted(complete_trails, key=lambda candidate: candidate.cost) + incomplete_trails[:MAX_BRANCHES]

    def trail_after(
        self, trail: Trail, index: int, cost: float, kind: Kind, text: str, lines: tuple[LogLine, ...]
    ) -> Iterator[Trail]:
        """Yields the trail after a change, if it gets past the illegal line."""
        if self.steps_left <= 0:
            return
        child = self.play_on(Trail(trail.edits, trail.cost + cost, lines, trail.interpretations[: index + 1]))
        lines_before_failure = trail.legal_line_count + max(len(lines) - len(trail.lines), 0)
        if child.legal_line_count > lines_before_failure or child.legal_line_count == len(lines):
            yield msgspec.structs.replace(child, edits=(*trail.edits, self.make_edit(trail, index, kind, text)))

    def possible_edits(
        self, trail: Trail, index: int, failed_index: int
    ) -> Iterator[tuple[float, Kind, str, tuple[LogLine, ...]]]:
        """The possible changes at a line: the cost of each, its kind and text, and all lines after it is made."""
        line, lines_before, lines_after = trail.lines[index], trail.lines[:index], trail.lines[index + 1 :]
        if line.is_expectation:
            return
        if index == failed_index and (results := self.true_results(trail, index)):
            line_without_note = msgspec.structs.replace(line, amounts=())
            yield NOTE_COST, "note", ", ".join(results), (*lines_before, line_without_note, *lines_after)
        is_duplicate = any(is_same_line(line, neighbour) for neighbour in (*lines_before[-1:], *lines_after[:1]))
        yield DUPLICATE_COST if is_duplicate else SUPERFLUOUS_COST, "left out", "", (*lines_before, *lines_after)
        if lines_after and not lines_after[0].is_expectation and not is_same_line(line, lines_after[0]):
            swapped_lines = (*lines_before, lines_after[0], line, *lines_after[1:])
            yield SWAP_COST, "swapped", lines_after[0].text, swapped_lines
        mover, _ = self.mover_and_round(trail.interpretations[index][0].state)
        if mover and seat_named(line) not in ("", mover):
            line_of_mover = with_seat(line, mover)
            text = f"{mover}: {line_of_mover.text}" if line.seat else line_of_mover.text
            yield SEAT_COST, "replaced", text, (*lines_before, line_of_mover, *lines_after)
        for cost, text in self.rewordings(trail, index, failed_index):
            reworded_lines = (*lines_before, msgspec.structs.replace(line, text=text), *lines_after)
            yield cost, "replaced", text, reworded_lines

    def true_results(self, trail: Trail, index: int) -> tuple[str, ...]:
        """The results of a line that would be legal if it stated no others; () for all other lines."""
        line, interpretations = trail.lines[index], trail.interpretations[index]
        if not line.amounts:
            return ()
        following = next_interpretations(
            self.game, interpretations, line, unwritten_words=self.unwritten_words, may_note_be_wrong=True
        )
        first = following[0] if following else None
        if first is None or first.previous is None:
            return ()
        return note_fault(self.game, first.previous.state, first.played_readings, line)

    def make_edit(self, trail: Trail, index: int, kind: Kind, text: str = "") -> Edit:
        """The `Edit` for a change at a line of a trail."""
        seat, round_ = self.mover_and_round(trail.interpretations[index][0].state)
        move = 1 + sum(
            len(interpretations[0].played_readings) for interpretations in trail.interpretations[1 : index + 1]
        )
        return Edit(kind, trail.lines[index], move, text, seat, round_)

    def insertion_points(self, trail: Trail, failed_index: int) -> Sequence[int]:
        """The indexes of lines before the illegal one before which a line may be missing, likeliest first.

        They are lines that waste something, and starts of turns, those of the affected seat first.
        """
        points_of_seats, other_points, wasted_points = list[int](), list[int](), list[int]()
        seats = [self.last_seat(step) for step in trail.interpretations[1:]]
        mover, _ = self.mover_and_round(trail.interpretations[failed_index][0].state)
        affected_seats = {mover, seat_named(trail.lines[failed_index])}
        for index in range(failed_index - 1, -1, -1):
            interpretation = trail.interpretations[index + 1][0]
            if not interpretation.played_readings:
                continue
            seat = interpretation.played_readings[-1].seat
            if self.wastes_something(trail, index):
                wasted_points.append(index)
            elif failed_index - index < MAX_DISTANCE and seats[index - 1] != seat:
                (points_of_seats if seat in affected_seats else other_points).append(index)
        return [*wasted_points, *points_of_seats, *other_points]

    def wastes_something(self, trail: Trail, index: int) -> bool:
        """Whether a line wastes something: a sign that a line is missing before it."""
        state, readings = trail.interpretations[index][0].state, trail.interpretations[index + 1][0].played_readings
        return bool(readings and self.game.questions.waste(state, readings[-1].seat, readings[-1].command))

    def last_seat(self, interpretations: Sequence[Interpretation]) -> Seat:
        """The seat that played the last line."""
        return next(
            (
                interpretation.played_readings[-1].seat
                for interpretation in interpretations
                if interpretation.played_readings
            ),
            "",
        )

    def trails_with_insertion(self, trail: Trail, index: int, cost: float) -> Iterator[Trail]:
        """The trails with a line inserted before index `index`, for each likely command, likeliest first."""
        line = trail.lines[index]
        seat, _ = self.mover_and_round(trail.interpretations[index][0].state)
        for rank, text in enumerate(self.likely_missing(trail, index, trail.legal_line_count)):
            typed_text = f"{seat}: {text}" if has_seat(line) else text
            inserted_line = LogLine(line.number, typed_text, seat if line.seat else "")
            lines = (*trail.lines[:index], inserted_line, *trail.lines[index:])
            yield from self.trail_after(trail, index, cost + rank / 1000, "put in", text, lines)

    def mover_and_round(self, state: Any) -> tuple[Seat, str]:
        """The seat to move ("" for none), and the round."""
        from zimcore.transcripts.verdicts import round_of

        return "".join(self.game.evolution.to_move(state)[:1]), round_of(self.game, state)

    def rewordings(self, trail: Trail, index: int, failed_index: int) -> Iterator[tuple[float, str]]:
        """Other texts for a line, with their costs: corrected typos, and for the illegal line similar commands."""
        line, interpretations = trail.lines[index], trail.interpretations[index]
        seen_texts = {line.text.lower()}
        for distance, text in sorted(corrections(line.text.lower(), self.all_words, self.unknown_words)):
            if text not in seen_texts and self.is_command(text, interpretations[0].state):
                seen_texts.add(text)
                yield TYPO_COST + (distance - 1) / 2, text
        if index == failed_index:
            seat, _ = self.mover_and_round(interpretations[0].state)
            seat_prefix = f"{line.text.partition(':')[0]}: " if has_seat(line) else ""
            later_words = self.later_words(trail, index, seat)
            for legal_text in self.legal_texts(interpretations[0].state, seat):
                text = seat_prefix + legal_text
                if is_similar(text, line.text.lower()) and (text not in seen_texts or SQUARE.search(text)):
                    cost = other_move_cost(text, line.text.lower(), later_words)
                    if text not in seen_texts or cost < MISSING_COST:
                        seen_texts.add(text)
                        yield cost, text

    def later_words(self, trail: Trail, index: int, seat: Seat) -> frozenset[str]:
        """The words of what a seat does after a line, as far as the log says who moves."""
        texts = (line.text.lower() for line in trail.lines[index + 1 :] if seat_named(line) in ("", seat.lower()))
        return frozenset(TOKEN.findall(" ".join(texts)))

    def is_command(self, text: str, state: Any) -> bool:
        """Whether a text is a command in notation, ambiguous or not."""
        try:
            self.game.notation.parse(text, state)
        except AmbiguousError:
            return True
        except GameError:
            return False
        return True

    def likely_missing(self, trail: Trail, index: int, failed_index: int) -> Sequence[str]:
        """Legal commands that may be missing before a line, likeliest first.

        Likely are commands with words of the lines that follow, above all of the illegal line, and then good moves.
        """
        state = trail.interpretations[index][0].state
        seat, _ = self.mover_and_round(state)
        if not seat:
            return ()
        words_ahead = [
            word for line in trail.lines[index : index + MAX_DISTANCE] for word in TOKEN.findall(line.text.lower())
        ]
        word_weights = {word: 1 for word in words_ahead if any(map(str.isdigit, word))}
        word_weights |= dict.fromkeys(TOKEN.findall(trail.lines[failed_index].text.lower()), 3)
        good_moves = self.good_moves(state, seat)

        def rank_key(text: str) -> tuple[int, int]:
            tokens = [word for word in TOKEN.findall(text) if not word.isdigit()]
            return -sum(word_weights.get(word, 0) for word in tokens), good_moves.get(text, len(good_moves))

        ranked_texts = sorted(self.legal_texts(state, seat), key=rank_key)
        other_texts = [
            text for text in ranked_texts[MAX_TRIED:] if text in good_moves or not any(map(str.isdigit, text))
        ]
        return (*ranked_texts[:MAX_TRIED], *other_texts[:MAX_TRIED])

    def good_moves(self, state: Any, seat: Seat) -> Mapping[str, int]:
        """The moves that a quick bot considers, each with its rank from 0."""
        if self.game.strategy is None:
            return {}
        try:
            candidates = sorted(
                QuickBot().evaluate_candidates(self.game, state, seat), key=lambda candidate: -candidate.value
            )
        except GameError:
            return {}
        texts = dict.fromkeys(self.game.notation.format(candidate.command) for candidate in candidates)
        return {text: rank for rank, text in enumerate(texts)}


def cost_bound(trails: Sequence[Trail], parent: Trail) -> float:
    """The cost from which on no other change is tried: that of the best trail which is whole; infinity if none is.

    Behind the first change one that is far ahead of `parent` counts, too.
    """
    costs = [trail.cost for trail in trails if trail.legal_line_count == len(trail.lines)]
    far = parent.legal_line_count + FAR_LINES
    costs += [trail.cost + FAR_COST for trail in trails if parent.edits and trail.legal_line_count >= far]
    return min(costs, default=inf)


def known_words(game: Game, state: Any) -> set[str]:
    """The words of a position: those of notation, legal commands, squares and seats, and the numbers to 20."""
    board = game.display.board(state)
    squares = {cell.square for row in board.cells for cell in row if cell.square} if board else set()
    seat = "".join(game.evolution.to_move(state)[:1])
    legal_commands = game.rules.legal(state, seat)
    legal_texts = (text for verb in game.notation.SYNTAX for text in islice(legal_commands.texts(verb), MAX_TEXTS))
    vocabulary = words_in(
        [*game.notation.SYNTAX, *game.notation.SYNTAX.values(), *legal_texts, *game.evolution.seats(state)]
    )
    return vocabulary | {square.lower() for square in squares} | {str(number) for number in range(21)}


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


def other_move_cost(text: str, typed_text: str, later_words: Collection[str]) -> float:
    """The cost of another legal move: less for one in which only squares differ, above all if its seat is there later.

    >>> other_move_cost("build g1", "build a6", ["g1"]) < MISSING_COST < other_move_cost("build g1", "build a6", [])
    True
    """
    tokens, typed_tokens = TOKEN.findall(text), TOKEN.findall(typed_text)
    changed = [word for word, typed in zip(tokens, typed_tokens, strict=False) if word != typed]
    if len(tokens) != len(typed_tokens) or not all(map(SQUARE.fullmatch, changed)):
        return OTHER_MOVE_COST + WORD_COST * len({*tokens} ^ {*typed_tokens})
    is_used_later = all(word in later_words for word in changed)
    return (LATER_SQUARE_COST if is_used_later else OTHER_SQUARE_COST) + WORD_COST * len(changed)


def without_duplicates(trails: Sequence[Trail]) -> list[Trail]:
    """The trails without duplicates: those that insert the same lines in the same turns count as one."""
    trails_by_key: dict[Any, Trail] = {}
    for trail in trails:
        insertions = tuple((edit.text, edit.seat, edit.round) for edit in trail.edits if edit.kind == "put in")
        trails_by_key.setdefault(insertions if len(insertions) == len(trail.edits) else trail.lines, trail)
    return list(trails_by_key.values())
