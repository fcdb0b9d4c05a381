"""The site's history, copied as text: compared with the moves of a match, as it has too little to be played itself.

Lost in it are the map, the gods in play, all prices, and the types of craftsmen and resources: they are pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, islice
from typing import TypeAlias

from zimcore.game import Event, Misstatement, Seat
from zimcore.games.zimbabwe import events as e
from zimcore.games.zimbabwe.board import square_name
from zimcore.games.zimbabwe.evolve import evolve
from zimcore.games.zimbabwe.state import State

FIRST_LINE = "Welcome to Africa!"
PDF_TITLE, PDF_WIDTH = "TGZ Game History", 7
"""In the text of a PDF, squares are counted on a board of this width, whatever the map: a fault of the site."""
TIME = re.compile(r"^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d\s*")
PLACE = r"\((\d{1,3}), (\d{1,3})\)"
PROGRAM = "TgzBot"
"""What the site calls a player who has left."""
MAX_FACTS = 5_000
SORTED_FACTS = ("total", "points")
"""Facts of all players at once, which the text may have in another order."""
TURN_FACTS = ("monument", "chooses", "craftsman", "raises")
"""Facts of a turn, whose order within it may differ: a specialist may be hired long before it is used."""

Fact: TypeAlias = tuple[str, str, str]
"""A kind of fact, a player's name, and a value: `("bids", "ann", "3")`."""
NumberedFact: TypeAlias = tuple[int, Fact]
"""A fact with the index of its line."""


def is_history(text: str) -> bool:
    """Whether a text is the site's history, also the newest entry first."""
    return FIRST_LINE in text and bool(re.search(r"is the most generous|Start of turn \d|builds a monument at", text))


def differences(text: str, commits: Iterable[Sequence[Event]]) -> Sequence[Misstatement]:
    """Where a history differs from the commits of a match; the entry of each is the index of its line."""
    state = State()
    game_facts = [*_facts_of_game(state, commits)]
    all_names = [_name(state, seat) for seat in state.seats]
    text_facts = [*islice(_facts_of_text(text, [*all_names, PROGRAM], state.board.width), MAX_FACTS)]
    # The site shows all moves of a player who has left under the program's name. If several have, they are left out.
    gone_names = {*all_names} - {name for _, (_, name, _) in text_facts}
    names = {*all_names} - gone_names
    name_by_word = {name: name for name in names}
    if len(gone_names) == 1:
        name_by_word[PROGRAM] = next(iter(gone_names))
    numbered_facts = [
        (number, (kind, name_by_word[word], value))
        for number, (kind, word, value) in text_facts
        if word in name_by_word
    ]

    def compared(facts: Iterable[NumberedFact]) -> list[NumberedFact]:
        compared_names, gone_kinds = {*name_by_word.values()}, ("points", "passes")
        return [
            *_ordered(
                (number, fact)
                for number, fact in facts
                if fact[1] in compared_names and not (fact[1] in gone_names and fact[0] in gone_kinds)
            )
        ]

    numbered_facts = compared(numbered_facts)
    stated = [fact for _, fact in numbered_facts]
    true = [fact for _, fact in compared((0, fact) for fact in game_facts)]
    last_line = len(text.split("\n")) - 1
    found = list[Misstatement]()
    for kind, start, end, true_start, true_end in SequenceMatcher(None, stated, true, autojunk=False).get_opcodes():
        if kind != "equal":
            line = numbered_facts[start][0] if start < len(numbered_facts) else last_line
            found.append(Misstatement(line, "the history", _text(stated[start:end]), _text(true[true_start:true_end])))
    return found


def _text(facts: Sequence[Fact]) -> str:
    return "; ".join(" ".join(fact).strip() for fact in facts[:4]) or "nothing"


def _facts_of_game(state: State, commits: Iterable[Sequence[Event]]) -> Iterator[Fact]:
    """The facts of a match that its history states; `state` is left at the end."""
    for event in (event for commit in commits for event in commit):
        evolve(state, event)
        match event:
            case e.MonumentBuilt(seat=seat, square=square):
                yield "monument", _name(state, seat), square
            case e.GiftGiven(seat=seat, amount=amount):
                yield "bids", _name(state, seat), str(amount)
            case e.Passed(seat=seat):
                yield "passes", _name(state, seat), ""
            case e.GodAdored(seat=seat, god=card) | e.SpecialistHired(seat=seat, specialist=card):
                yield "chooses", _name(state, seat), card
            case e.CraftsmanPlaced(seat=seat, squares=squares):
                yield "craftsman", _name(state, seat), squares[0]
            case e.MonumentRaised(seat=seat, square=square):
                yield "raises", _name(state, seat), square
            case e.OrderSet():
                yield from sorted(("total", _name(state, seat), str(state.cattle[seat])) for seat in state.seats)
            case e.MythologiesCompared():
                yield from sorted(("total", _name(state, seat), str(state.cattle[seat])) for seat in state.seats)
                yield from sorted(
                    ("points", _name(state, seat), f"{state.vp[seat]} / {state.vr[seat]}") for seat in state.seats
                )
                if state.winner:
                    yield "winner", _name(state, state.winner), ""


def _name(state: State, seat: Seat) -> str:
    return state.setup.names.get(seat, seat)


def _ordered(facts: Iterable[NumberedFact]) -> Iterator[NumberedFact]:
    """Facts with their lines, those in one order whose order says nothing."""

    def part_of(numbered_fact: NumberedFact) -> tuple[str, str]:
        kind, name, _ = numbered_fact[1]
        return ("turn", name) if kind in TURN_FACTS else (kind, "") if kind in SORTED_FACTS else (kind, "alone")

    for (_, which), group in groupby(facts, part_of):
        part = [*group]
        yield from part if which == "alone" else sorted(part, key=lambda each: each[1])


def _facts_of_text(text: str, names: Sequence[str], width: int) -> Iterator[NumberedFact]:
    """The facts that a history states, the oldest first, each with the index of its line."""
    lines = [*enumerate(text.split("\n"))]
    if text.find(FIRST_LINE) > len(text) // 2:  # the newest entry comes first; entries stand between empty lines
        blocks = [[*block] for is_empty, block in groupby(lines, lambda line: not line[1].strip()) if not is_empty]
        lines = [line for block in reversed(blocks) for line in block]
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    for number, line in lines:
        for fact in _facts_of_line(line, words, PDF_TITLE in text, width):
            yield number, fact


def _facts_of_line(line: str, names: str, is_pdf: bool, width: int) -> Iterator[Fact]:
    text = TIME.sub("", line).strip()
    if winner := re.match(rf"Winner: ({names})$", text):
        yield "winner", winner[1], ""
    line_match = re.match(rf"({names}):? (.*)", text)
    if not line_match:
        return
    name, words = line_match[1], line_match[2]

    def squares() -> Iterator[str]:
        for x, y in re.findall(PLACE, words):
            column, row = int(x) - 1, int(y) - 1
            if is_pdf:
                row, column = divmod(row * PDF_WIDTH + column, width)
            yield square_name(column, row) if 0 <= column < 26 and 0 <= row < 26 else f"({x}, {y})"

    if re.match("builds (a monument|monuments) at", words):
        yield from (("monument", name, square) for square in squares())
    elif words.startswith("raises monument at"):
        yield "raises", name, next(squares(), "")
    elif re.match(rf"builds .*{PLACE} ?\. ", words):
        yield "craftsman", name, next(squares(), "")
    elif bid := re.match(r"bids (\d+)", words):
        yield "bids", name, bid[1]
    elif words.startswith("passes") and not words.endswith("position: 1"):
        yield "passes", name, ""
    elif card := re.match(r"chooses ([A-Z][\w -]*?)(?:\.| \(| VR)", words):
        yield "chooses", name, card[1].lower().replace(" ", "_").replace("-", "_")
    elif total := re.match(r"(?:gains \d+.*|\+\d+ )Total: (\d+)", words):
        yield "total", name, total[1]
    elif points := re.match(r"(\d+) / +(\d+)", words):
        yield "points", name, f"{points[1]} / {points[2]}"
