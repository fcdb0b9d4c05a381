"""Places: the small language in which every command names a position, `kilwa-7/what-if@r4.zulu`.

A place is a game, a line (the current one, when it is left out) and a position (the head, when it is left out):

| position | names |
|---|---|
| `@` | the head |
| `@12` | after move 12, on the way from the start over the head to the end of what can be redone |
| `@-3` | three moves back from the head |
| `@start`, `@end` | after the set-up; the last commit ever made on the line |
| `@r4`, `@r4.zulu` | after the commit in which that began, on the same way as the numbers |
| `@a1b2c3` | the commit whose digest begins so (4 hex digits or more), undone ones included |
| `@4..7` | moves 4 to 7, where several are asked for; `@r4..r5` are those of round 4, `@..7` begins at the start |

The table's order is the order of precedence: digits are a move where there is one, and a digest otherwise. The
beginning of a mark or digest will do, when nothing else begins so. Seen from a current place the game, or the game and
the line, may be left out: `@12`, `what-if@12`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec

from event_store.line_history import Line, commit_at, is_on_way, step_target, way
from zimcore.game import GameError, UnknownError

NAME = r"[\w-]+"
PLACE = re.compile(rf"(?:({NAME})(?:/({NAME}))?)?(?:@(.*))?")
A_COMMIT = r"-?\d{1,9}|[0-9a-f]{4,}"
"""A position that names a commit rather than what begins after one."""
MAX_SUGGESTIONS = 6
"""Names that are suggested in place of one that does not exist."""
DIGITS = 9
"""Of a number of commits, at most: longer ones are digests."""
MIN_DIGEST_DIGITS = 4
"""Hex digits that name a commit."""
MAX_NAME = 64
"""Characters of a name."""

Marks = Callable[[], Mapping[str, bytes]]
"""The commits by the names of the positions they end in; asked for when they are needed."""


class Place(msgspec.Struct, frozen=True):
    """A place as it was named: a line of "" is the current one, a position of "" the head."""

    match: str
    line: str = ""
    at: str = ""

    def __str__(self) -> str:
        line, at = f"/{self.line}" if self.line else "", f"@{self.at}" if self.at else ""
        return self.match + line + at


def parse_place(text: str, current: str = "", lines: Collection[str] = ()) -> Place:
    """Reads a place, which may be a short one seen from a `current` place of a game with these lines.

    Raises `GameError` for what is no place.

    >>> parse_place("kilwa-7/what-if@r4")
    Place(match='kilwa-7', line='what-if', at='r4')
    >>> str(parse_place("@12", "kilwa-7/main@3", ["main", "what-if"]))
    'kilwa-7/main@12'
    >>> str(parse_place("what-if@12", "kilwa-7/main", ["main", "what-if"]))
    'kilwa-7/what-if@12'
    >>> str(parse_place("lozi-2", "kilwa-7/main", ["main", "what-if"]))
    'lozi-2'
    """
    found = PLACE.fullmatch(text.strip())
    here = parse_place(current) if current else None
    if found is None or not (found[1] or here):
        raise GameError(f"not a place: {text!r}", "a place is game/line@position", ["kilwa-7", "kilwa-7/main@12"])
    match, line, at = found[1] or "", found[2] or "", (found[3] or "").lower()
    if here and not match:
        return Place(here.match, here.line, at)
    if here and not line and match in lines:
        return Place(here.match, match, at)
    return Place(match, line, at)


def near(wanted: str, names: Iterable[str]) -> list[str]:
    """Suggestions for a name: those that begin so or are spelled similarly, in any case; if there are none, the newest.

    >>> near("kilwa", ["zulu-1", "Kilwa-7", "mutapa"]), near("lgo", ["log", "legal"]), near("x", ["log", "legal"])
    (['Kilwa-7'], ['log'], ['log', 'legal'])
    """
    known = list(names)
    return alike(wanted, known)[:MAX_SUGGESTIONS] or known[-MAX_SUGGESTIONS:]


def alike(wanted: str, names: Iterable[str]) -> list[str]:
    """The names that begin so or are spelled similarly."""
    from difflib import get_close_matches

    written: dict[str, list[str]] = {}
    for name in names:
        written.setdefault(name.lower(), []).append(name)
    begun = [name for name in written if name.startswith(wanted.lower())] if wanted else []
    return [
        name for each in dict.fromkeys([*begun, *get_close_matches(wanted.lower(), written)]) for name in written[each]
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


def locate(line: Line, at: str, marks: Marks) -> bytes:
    """The digest of the commit that a position names. Raises `UnknownError` with suggestions."""
    found = _simple(line, at)
    if found:
        return found
    named = marks()  # only now: marks need the states of the whole line
    if at in named:
        return named[at]
    meant = {mark: digest for mark, digest in named.items() if mark.startswith(at)} | _digests(line, at)
    if len(set(meant.values())) == 1:
        return next(iter(meant.values()))
    if meant:
        raise UnknownError(f"@{at} could be more than one position", hints=[f"@{name}" for name in meant])
    raise UnknownError(f"there is no position @{at}", _what_there_is(line), [*_examples(line, at, named)])


def locate_all(line: Line, at: str, marks: Marks) -> list[bytes]:
    """The commits that a range names, first to last; a single position is a range of one. Raises `UnknownError`.

    The first commit is included if it is named itself (`@4..7`), but not if a mark names the position after it
    (`@r4..r5` are the moves of round 4, and `@r4` is the position before the first of them).
    """
    first, dots, last = at.partition("..")
    end = locate(line, last if dots else first, marks)
    begin = locate(line, (first or "start") if dots else first, marks)
    if not is_on_way(line, begin, end):
        raise UnknownError(f"@{first} is not on the way to @{last or ''}", _what_there_is(line), [f"@..{last}"])
    after = bool(dots) and not re.fullmatch(A_COMMIT, first)
    return way(line, end)[line.numbers[begin] + after :]


def _simple(line: Line, at: str) -> bytes | None:
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


def _digests(line: Line, beginning: str) -> dict[str, bytes]:
    if len(beginning) < MIN_DIGEST_DIGITS:
        return {}
    return {digest.hex(): digest for digest in line.commits if digest.hex().startswith(beginning)}


def _what_there_is(line: Line) -> str:
    head, last = line.numbers[line.head], line.numbers[line.tip]
    return f"the head is at move {head} of {last}"


def _examples(line: Line, at: str, marks: Mapping[str, bytes]) -> Iterator[str]:
    """Positions to suggest: those that are spelled similarly first, then from the start over the newest marks on."""
    known = ["start", *list(marks)[-6:], str(line.numbers[line.tip]), "end"]
    yield from (f"@{name}" for name in dict.fromkeys([*alike(at, marks), *known]))
