"""Places: the small language in which every command names a position, such as `kilwa-7/what-if@r4.zulu`.

A place is a reference, as in git's revision syntax. It has a game, a line (by default the current one) and a
position (by default the head):

| position | names |
|---|---|
| `@` | the head |
| `@12` | after move 12, on the path from the start through the head to the last move that can be redone |
| `@-3` | three moves back from the head |
| `@start`, `@end` | after the set-up; the last commit ever made on the line |
| `@r4`, `@r4.zulu` | after the commit in which round 4, or Zulu's turn in it, began, on the same path |
| `@opening` | the position with this tag, a name that a player has given it |
| `@a1b2c3` | the commit whose digest begins with these 4 or more hex digits, undone ones included |
| `@4..7` | moves 4 to 7, for commands that take several; `@r4..r5` are those of round 4, `@..7` begins at the start |

The rows are in order of precedence: digits are a move if there is one with that number, otherwise a digest. You can
shorten a mark or a digest to a beginning that is unique. If there is a current place, you can leave out the game, or
the game and the line: `what-if@12`, `@12`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec

from event_store.line_history import Line, commit_at, is_on_path, path_to, step_target
from zimcore.game import GameError, UnknownError

NAME = r"[\w-]+"
PLACE = re.compile(rf"(?:({NAME})(?:/({NAME}))?)?(?:@(.*))?")
COMMIT_POSITION = r"-?\d{1,9}|[0-9a-f]{4,}"
"""A position that names a commit itself: a number or a digest, not a mark."""
MAX_SUGGESTIONS = 6
"""The most suggestions for a name that does not exist."""
DIGITS = 9
"""The most digits of a move number; more digits are a digest."""
MIN_DIGEST_DIGITS = 4
"""The fewest hex digits that name a commit."""
MAX_NAME = 64
"""The most characters of a name."""

Marks = Callable[[], Mapping[str, bytes]]
"""Returns the commits by their marks (`r4`, `r4.zulu`); called only when needed."""


class Place(msgspec.Struct, frozen=True):
    """A place as it was typed: position "" is the head, line "" the current one if `current_line` fills it in.

    Where nothing has filled it in, line "" is the first line of the game.
    """

    match: str
    line: str = ""
    at: str = ""

    def __str__(self) -> str:
        line, at = f"/{self.line}" if self.line else "", f"@{self.at}" if self.at else ""
        return self.match + line + at


def parse_place(text: str, current: str = "", lines: Collection[str] = ()) -> Place:
    """Parses a place, which may be short if there is a `current` place, in a game with these lines.

    Raises `GameError` for an invalid place.

    >>> parse_place("kilwa-7/what-if@r4")
    Place(match='kilwa-7', line='what-if', at='r4')
    >>> str(parse_place("@12", "kilwa-7/main@3", ["main", "what-if"]))
    'kilwa-7/main@12'
    >>> str(parse_place("what-if@12", "kilwa-7/main", ["main", "what-if"]))
    'kilwa-7/what-if@12'
    >>> str(parse_place("lozi-2", "kilwa-7/main", ["main", "what-if"]))
    'lozi-2'
    """
    match_ = PLACE.fullmatch(text.strip())
    current_place = parse_place(current) if current else None
    if match_ is None or not (match_[1] or current_place):
        raise GameError(f"not a place: {text!r}", "a place is game/line@position", ["kilwa-7", "kilwa-7/main@12"])
    match, line, at = match_[1] or "", match_[2] or "", (match_[3] or "").lower()
    if current_place and not match:
        return Place(current_place.match, current_place.line, at)
    if current_place and not line and match in lines:
        return Place(current_place.match, match, at)
    return Place(match, line, at)


def near(name: str, names: Iterable[str]) -> list[str]:
    """Suggestions for a name: names with that beginning or a similar spelling, in any case; if none, the newest.

    >>> near("kilwa", ["zulu-1", "Kilwa-7", "mutapa"]), near("lgo", ["log", "legal"]), near("x", ["log", "legal"])
    (['Kilwa-7'], ['log'], ['log', 'legal'])
    """
    all_names = list(names)
    return similar_names(name, all_names)[:MAX_SUGGESTIONS] or all_names[-MAX_SUGGESTIONS:]


def similar_names(wanted: str, names: Iterable[str]) -> list[str]:
    """The names with that beginning or a similar spelling, in any case."""
    from difflib import get_close_matches

    by_lower: dict[str, list[str]] = {}
    for name in names:
        by_lower.setdefault(name.lower(), []).append(name)
    beginning = [name for name in by_lower if name.startswith(wanted.lower())] if wanted else []
    return [
        name
        for each in dict.fromkeys([*beginning, *get_close_matches(wanted.lower(), by_lower)])
        for name in by_lower[each]
    ]


def check_name(name: str) -> None:
    """Raises `GameError` for a name that can't be part of a place.

    >>> check_name("what if")
    Traceback (most recent call last):
    zimcore.game.GameError: not a name: 'what if': a name has letters, digits, - and _, and does not begin with -
    """
    if len(name) > MAX_NAME:
        raise GameError(
            f"not a name: {name[:MAX_NAME]}...", f"a name has up to {MAX_NAME} characters, this has {len(name):,}"
        )
    if not re.fullmatch(NAME, name) or name.startswith("-"):
        raise GameError(f"not a name: {name!r}", "a name has letters, digits, - and _, and does not begin with -")


RESERVED = re.compile(rf"start|end|{COMMIT_POSITION}|[a-z]{{0,2}}\d*")
"""Names that no tag may have: other positions are called so, or may be later in the game (`r12`)."""


def check_tag(name: str) -> None:
    """Raises `GameError` for a name that can't be a tag.

    >>> check_tag("r4")
    Traceback (most recent call last):
    zimcore.game.GameError: r4 can't be a tag: other positions are called so, such as the start of a round
    """
    check_name(name)
    if RESERVED.fullmatch(name):
        why = "other positions are called so, such as the start of a round"
        raise GameError(f"{name} can't be a tag", why, [f"tag opening-{name}"])


def locate(line: Line, at: str, marks: Marks) -> bytes:
    """The digest of the commit that a position names. Raises `UnknownError` with suggestions."""
    plain_position = _plain_position(line, at)
    if plain_position:
        return plain_position
    marks_by_name = marks()  # not earlier: marks need the states of the whole line
    if at in marks_by_name:
        return marks_by_name[at]
    matches = {mark: digest for mark, digest in marks_by_name.items() if mark.startswith(at)} | _matching_digests(
        line, at
    )
    if len(set(matches.values())) == 1:
        return next(iter(matches.values()))
    if matches:
        raise UnknownError(f"@{at} could be more than one position", hints=[f"@{name}" for name in matches])
    raise UnknownError(f"there is no position @{at}", _head_text(line), [*_examples(line, at, marks_by_name)])


def locate_all(line: Line, at: str, marks: Marks) -> list[bytes]:
    """The commits of a range, first to last; a single position is a range of one. Raises `UnknownError`.

    A first commit given by number or digest is included (`@4..7`). One given by a mark is not: `@r4` is the position
    before the first move of round 4, so `@r4..r5` are the moves of round 4.
    """
    first, dots, last = at.partition("..")
    end = locate(line, last if dots else first, marks)
    begin = locate(line, (first or "start") if dots else first, marks)
    if not is_on_path(line, begin, end):
        raise UnknownError(f"@{first} is not on the way to @{last or ''}", _head_text(line), [f"@..{last}"])
    after = bool(dots) and not re.fullmatch(COMMIT_POSITION, first)
    return path_to(line, end)[line.numbers[begin] + after :]


def _plain_position(line: Line, at: str) -> bytes | None:
    match at:
        case "":
            return line.head
        case "start":
            return commit_at(line, 0)
        case "end":
            return line.end
    number = at.removeprefix("-")
    if not number.isdecimal() or len(number) > DIGITS:
        return None
    return commit_at(line, int(at)) if number == at else step_target(line, int(at))


def _matching_digests(line: Line, beginning: str) -> dict[str, bytes]:
    if len(beginning) < MIN_DIGEST_DIGITS:
        return {}
    return {digest.hex(): digest for digest in line.commits if digest.hex().startswith(beginning)}


def _head_text(line: Line) -> str:
    head, last = line.numbers[line.head], line.numbers[line.tip]
    return f"the head is at move {head} of {last}"


def _examples(line: Line, at: str, marks: Mapping[str, bytes]) -> Iterator[str]:
    """Positions to suggest: similar marks first, then the start, the newest marks, the tip and the end."""
    known = ["start", *list(marks)[-6:], str(line.numbers[line.tip]), "end"]
    yield from (f"@{name}" for name in dict.fromkeys([*similar_names(at, marks), *known]))
