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
| `@obg/57` | position 57 of the site that a recorded game is from |
| `@a1b2c3` | the commit whose digest begins with these 4 or more hex digits, undone ones included |
| `@4..7` | moves 4 to 7, for commands that take several; `@r4..r5` are those of round 4, `@..7` begins at the start |

The rows are in order of precedence: digits are a move if there is one with that number, otherwise a digest. You can
shorten a mark (`r4`, `r4.zulu`) or a digest to a beginning that is unique. If there is a current place, you can leave
out the game, or the game and the line: `what-if@12`, `@12`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec

from event_store.line_history import Line, commit_after_steps, commit_at, is_on_path, path_to
from zimcore.game import GameError, UnknownError
from zimcore.toolkit.characters import composed

NAME_PATTERN = r"[\w-]+"
PLACE_PATTERN = re.compile(rf"(?:({NAME_PATTERN})(?:/({NAME_PATTERN}))?)?(?:@(.*))?")
COMMIT_POSITION_PATTERN = r"-?\d{1,9}|[0-9a-f]{4,}"
"""A position that names a commit itself: a number or a digest, not a mark."""
MAX_SUGGESTIONS = 6
"""The most suggestions for a name that does not exist."""
MAX_NUMBER_DIGITS = 9
"""The most digits of a move number; more digits are a digest."""
MIN_DIGEST_DIGITS = 4
"""The fewest hex digits that name a commit."""
MAX_ENTRIES_WITHOUT_COMMIT = 4
"""The most entries after a recorded game's last command: revenues, comparison, the end or the next turn."""
MAX_NAME_CHARACTERS = 64
"""The most characters of a name."""

ReadMarks = Callable[[], Mapping[str, bytes]]
"""Returns the commits by their marks (`r4`, `r4.zulu`); called only when needed."""


class Place(msgspec.Struct, frozen=True):
    """A place as it was typed. Position "" is the head.

    Line "" is the current line where `current_line` fills it in, else the first line of the game.
    """

    match: str
    line: str = ""
    position: str = ""

    def __str__(self) -> str:
        line_suffix = f"/{self.line}" if self.line else ""
        position_suffix = f"@{self.position}" if self.position else ""
        return self.match + line_suffix + position_suffix


def parse_place(text: str, current: str = "", lines: Collection[str] = ()) -> Place:
    """Parses a place, which may be short if there is a `current` place, in a game with these lines.

    Raises `GameError` for an invalid place.

    >>> parse_place("kilwa-7/what-if@r4")
    Place(match='kilwa-7', line='what-if', position='r4')
    >>> str(parse_place("@12", "kilwa-7/main@3", ["main", "what-if"]))
    'kilwa-7/main@12'
    >>> str(parse_place("what-if@12", "kilwa-7/main", ["main", "what-if"]))
    'kilwa-7/what-if@12'
    >>> str(parse_place("lozi-2", "kilwa-7/main", ["main", "what-if"]))
    'lozi-2'
    """
    if not isinstance(text, str):
        raise GameError(f"not a place: {text!r:.80}", "a place is a text", ["games"])
    parts = PLACE_PATTERN.fullmatch(composed(text.strip()))
    current_place = parse_place(current) if current else None
    if parts is None or not (parts[1] or current_place):
        raise GameError(f"not a place: {text!r:.80}", "a place is game/line@position", ["games"])
    match, line, position = parts[1] or "", parts[2] or "", (parts[3] or "").lower()
    if current_place and not match:
        return Place(current_place.match, current_place.line, position)
    if current_place and not line and match in lines:
        return Place(current_place.match, match, position)
    return Place(match, line, position)


def suggest_names(name: str, names: Iterable[str]) -> list[str]:
    """Suggestions for a name: those with that beginning or a similar spelling, ignoring case; if none, the newest.

    >>> suggest_names("kilwa", ["zulu-1", "Kilwa-7", "mutapa"])
    ['Kilwa-7']
    >>> suggest_names("lgo", ["log", "legal"]), suggest_names("x", ["log", "legal"])
    (['log'], ['log', 'legal'])
    """
    all_names = list(names)
    return similar_names(name, all_names)[:MAX_SUGGESTIONS] or all_names[-MAX_SUGGESTIONS:]


def similar_names(typed_name: str, names: Iterable[str]) -> list[str]:
    """The names with that beginning or a similar spelling, ignoring case."""
    from difflib import get_close_matches

    names_by_lower_case: dict[str, list[str]] = {}
    for name in names:
        names_by_lower_case.setdefault(name.lower(), []).append(name)
    prefixed_names = [name for name in names_by_lower_case if name.startswith(typed_name.lower())] if typed_name else []
    return [
        name
        for lower_name in dict.fromkeys([*prefixed_names, *get_close_matches(typed_name.lower(), names_by_lower_case)])
        for name in names_by_lower_case[lower_name]
    ]


def check_name(name: str) -> None:
    """Raises `GameError` for a name that can't be part of a place.

    >>> check_name("what if")
    Traceback (most recent call last):
    zimcore.game.GameError: not a name: 'what if': a name has letters, digits, - and _, and does not begin with -
    """
    if len(name) > MAX_NAME_CHARACTERS:
        raise GameError(
            f"not a name: {name[:MAX_NAME_CHARACTERS]}...",
            f"a name has up to {MAX_NAME_CHARACTERS} characters, this has {len(name):,}",
        )
    check_characters(name)
    if name.startswith("-"):
        raise not_a_name_error(name)


def check_characters(name: str) -> None:
    """Raises `GameError` for a name with characters that no name of Zim ever had: shells could run them."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise not_a_name_error(name)


def not_a_name_error(name: str) -> GameError:
    """The error for a name that can't be part of a place."""
    return GameError(f"not a name: {name!r}", "a name has letters, digits, - and _, and does not begin with -")


RESERVED_TAG_PATTERN = re.compile(rf"start|end|{COMMIT_POSITION_PATTERN}|[a-z]{{0,2}}\d*")
"""Names that no tag may have: they belong to other positions, or may later in the game (`r12`)."""


def check_tag(name: str) -> None:
    """Raises `GameError` for a name that can't be a tag.

    >>> check_tag("r4")
    Traceback (most recent call last):
    zimcore.game.GameError: r4 can't be a tag: this name is reserved for other positions, such as the start of a round
    """
    check_name(name)
    if RESERVED_TAG_PATTERN.fullmatch(name):
        why = "this name is reserved for other positions, such as the start of a round"
        raise GameError(f"{name} can't be a tag", why, [f"tag opening-{name}"])


def locate_commit(line: Line, position_name: str, read_marks: ReadMarks) -> bytes:
    """The digest of the commit that a position names. Raises `UnknownError` with suggestions."""
    plain_digest = _plain_commit(line, position_name) or _recorded_commit(line, position_name)
    if plain_digest:
        return plain_digest
    marks_by_name = read_marks()  # not earlier: marks need the states of the whole line
    if position_name in marks_by_name:
        return marks_by_name[position_name]
    digests_by_name = {
        mark: digest for mark, digest in marks_by_name.items() if mark.startswith(position_name)
    } | _matching_digests(line, position_name)
    if len(set(digests_by_name.values())) == 1:
        return next(iter(digests_by_name.values()))
    if digests_by_name:
        raise UnknownError(
            f"@{position_name} could be more than one position", hints=[f"@{name}" for name in digests_by_name]
        )
    raise UnknownError(
        f"there is no position @{position_name}",
        _head_text(line),
        [*_example_positions(line, position_name, marks_by_name)],
    )


def locate_range(line: Line, range_text: str, read_marks: ReadMarks) -> list[bytes]:
    """The commits of a range, first to last; a single position is a range of one. Raises `UnknownError`.

    A first commit given by number or digest is included (`@4..7`). One given by a mark is not: `@r4` is the position
    before the first move of round 4, so `@r4..r5` are the moves of round 4.
    """
    first_position, dots, last_position = range_text.partition("..")
    last_digest = locate_commit(line, last_position if dots else first_position, read_marks)
    first_digest = locate_commit(line, (first_position or "start") if dots else first_position, read_marks)
    if not is_on_path(line, first_digest, last_digest):
        raise UnknownError(
            f"@{first_position} is not on the way to @{last_position or ''}", _head_text(line), [f"@..{last_position}"]
        )
    skips_first = bool(dots) and not re.fullmatch(COMMIT_POSITION_PATTERN, first_position)
    return path_to(line, last_digest)[line.commit_numbers[first_digest] + skips_first :]


def _plain_commit(line: Line, position_name: str) -> bytes | None:
    """The commit that a position names without marks or digests: the head, `start`, `end`, or a number."""
    match position_name:
        case "":
            return line.head
        case "start":
            return commit_at(line, 0)
        case "end":
            return line.newest_commit
    digits = position_name.removeprefix("-")
    if not digits.isdecimal() or len(digits) > MAX_NUMBER_DIGITS:
        return None
    return (
        commit_at(line, int(position_name)) if digits == position_name else commit_after_steps(line, int(position_name))
    )


def recorded_id(mark: str, number: int) -> str:
    """The command id of a commit by its number on the site that it was recorded on, which also names its position."""
    return f"{mark}/{number}"


def recorded_numbers(line: Line, mark: str) -> dict[bytes, int]:
    """The numbers of a line's commits on the site that they were recorded on, by digest."""
    return {
        digest: int(entry.seal.id.partition("/")[2])
        for digest, entry in line.commits.items()
        if re.fullmatch(rf"{re.escape(mark)}/\d{{1,{MAX_NUMBER_DIGITS}}}", entry.seal.id)
    }


def _recorded_commit(line: Line, position_name: str) -> bytes | None:
    """The commit of a position of another site (`obg/57`): the last one recorded with this number or a lower one.

    The site counts more than commands, so up to `MAX_ENTRIES_WITHOUT_COMMIT` numbers may follow those of the last one.
    """
    mark, _, digits = position_name.partition("/")
    if not digits.isdecimal() or len(digits) > MAX_NUMBER_DIGITS:
        return None
    numbers = recorded_numbers(line, mark)
    if not numbers or int(digits) > max(numbers.values()) + MAX_ENTRIES_WITHOUT_COMMIT:
        return None
    return next((digest for digest in reversed(numbers) if numbers[digest] <= int(digits)), None)


def _matching_digests(line: Line, beginning: str) -> dict[str, bytes]:
    if len(beginning) < MIN_DIGEST_DIGITS:
        return {}
    return {digest.hex(): digest for digest in line.commits if digest.hex().startswith(beginning)}


def _head_text(line: Line) -> str:
    head_number, last_number = line.commit_numbers[line.head], line.commit_numbers[line.tip]
    return f"the head is at move {head_number} of {last_number}"


def _example_positions(line: Line, position_name: str, marks: Mapping[str, bytes]) -> Iterator[str]:
    """Positions to suggest: similar marks first, then the start, the newest marks, the tip and the end."""
    usual_positions = ["start", *list(marks)[-6:], str(line.commit_numbers[line.tip]), "end"]
    yield from (f"@{name}" for name in dict.fromkeys([*similar_names(position_name, marks), *usual_positions]))
