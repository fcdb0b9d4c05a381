"""The parts of a line of a log: its moves, the seat in front of them, remarks, and results that it states."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from zimcore.game import Game, parts
from zimcore.transcripts.typos import imperative, near_words

COMMENT = re.compile(r"(^|\s)#.*|^ {8}· .*")
"""A comment, or a line of `log` with a fact."""
NUMBERING = re.compile(r"^(?:\d+[.)]\s+|[-*•]\s+)")
RESULT = re.compile(r"\s*(?:→|->|=>)\s*|\s{2,}(?=[+-]\d)")
AMOUNT = re.compile(r"([+-]\d+) (\w+)")
REMARK = re.compile(r"\s+(?:\(([^()]*)\)|\[([^][]*)\]|\{([^{}]*)\}|(?:--|//|—)\s(.*))$")
"""A remark at the end of a line: `(hmm)`, `[late]`, `-- or so`. In a plan of goods no blank precedes a bracket."""
WORD = re.compile(r"[^\s;]+")
SIGNS = re.compile(r"[\W_]+")
WRAPPED_HEAD, WRAPPED_REST = re.compile(r"[A-Za-z_]-$"), re.compile(r"[a-z]\w*")
LETTERS = re.compile(r"[^\W\d_]{2,}")
SEAT_SHARE = 0.8
"""If a larger share of the lines names a seat, the others may be ends of their moves."""
SEAT = re.compile(r"([^\W\d][\w.-]*)(?::\s*|\s+[-–—>|]+\s+)(?=\S)")
"""A seat in front of its move: `kilwa: bid 3`, `Kilwa - bid 3`."""
NAME_IN_FRONT = re.compile(r"[\W\d]*[^\W\d][\w .'’-]{0,30}?(?::\s*|\s+[-–—>|]+\s+)(?=\S)")
DIGIT = re.compile(r"\d")
BEGINS_SETUP = re.compile(r"\bnew\s.*=")
SQUARES = re.compile(r"[a-z]?\d+(?:[\s,/-]+[a-z]?\d+)*")
"""Squares and numbers, with nothing else."""


def join_wrapped(lines: Sequence[str], game: Game) -> list[str]:
    """The lines, with what was wrapped joined: the rest of it is no longer on the next line.

    A word may be parted by a hyphen. Where each line that names no seat follows a full one, it continues that; where
    nearly all lines name a seat, another one with the words of moves continues the move above it.
    """
    joined, seat_lines = [*lines], [line for line in lines if SEAT.match(line)]
    words = {word for text in (*seat_lines, *game.notation.SYNTAX.values()) for word in LETTERS.findall(text)}
    first_words = {SEAT.sub("", line, count=1).split()[0] for line in seat_lines}
    are_wrapped, full_lines = len(seat_lines) >= SEAT_SHARE * sum(map(bool, lines)), _full_lines(lines)
    for index in range(len(joined) - 1, 0, -1):
        head, rest = joined[index - 1].rstrip(), joined[index].lstrip()
        word = WRAPPED_REST.match(rest)
        if WRAPPED_HEAD.search(head) and word and imperative(word[0], game.notation.SYNTAX) not in game.notation.SYNTAX:
            joined[index - 1 : index + 1] = head[:-1] + rest, ""
        elif index - 1 in full_lines:
            joined[index - 1 : index + 1] = full_lines[index - 1].join((joined[index - 1], joined[index])), ""
        elif are_wrapped and head and _continues(rest, words, first_words):
            joined[index - 1 : index + 1] = f"{head} {rest}", ""
    return joined


def _full_lines(lines: Sequence[str]) -> dict[int, str]:
    """The indexes of full lines that the next one continues, and what is between them: a blank, or nothing in a word.

    {} where a line that names no seat follows one that had space for its first word.

    >>> _full_lines(["new a=b", "Ann: build c4", "e5 f6", "Ben B.: end"]), _full_lines(["Ann: end", "hm", "Ben: bid 3"])
    ({1: ' '}, {})
    """
    texts = {index: line for index, line in enumerate(lines) if line.strip() and not BEGINS_SETUP.search(line)}
    rests = [index for index in texts if not NAME_IN_FRONT.match(texts[index]) and index - 1 in texts]
    width = max((len(texts[index - 1]) for index in rests), default=0)
    needed = [len(texts[index - 1]) + 1 + len((texts[index].split() or [""])[0]) for index in rests]
    has_space = min(needed, default=0) <= max(map(len, texts.values()), default=0)
    are_moves = 2 * sum(bool(DIGIT.search(texts[index])) for index in rests) >= len(rests)
    if has_space or not are_moves or len(rests) >= len(texts) / 2:
        return {}
    is_cut = len(rests) > 1 and all(len(texts[index - 1]) == width for index in rests)
    return {index - 1: "" if is_cut else " " for index in rests}


def _continues(text: str, words: Collection[str], first_words: Collection[str]) -> bool:
    """Whether a line is the end of the move above it: it has only words of moves, and begins none."""
    if not text or SEAT.match(text) or SIGNS.fullmatch(text):
        return False
    return text.split()[0] not in first_words and {*LETTERS.findall(text)} <= {*words}


def split_remarks(text: str, verbs: Mapping[str, str]) -> tuple[str, str]:
    """A line without the remarks at its end, and the remarks. A verb after a seat and a dash begins a move.

    >>> split_remarks("kilwa: bid 3 (-3 cattle) (hmm)", {}), split_remarks("raise c3 potter@f6/g9(a@b2/c3)", {})
    (('kilwa: bid 3', '-3 cattle hmm'), ('raise c3 potter@f6/g9(a@b2/c3)', ''))
    >>> split_remarks("Mutapa — f6", {}), split_remarks("pass — 3", {"pass": "pass"})
    (('Mutapa — f6', ''), ('pass', '3'))
    >>> split_remarks("kilwa -- bid 3 -- hmm", {"bid": "bid CATTLE"})
    ('kilwa -- bid 3', 'hmm')
    """
    remarks, move_start = list[str](), _move_after_dash(text, verbs)
    while remark := REMARK.search(text, move_start):
        remarks.insert(0, next(filter(None, remark.groups()), ""))
        text = text[: remark.start()]
    return text, " ".join(remarks)


def _move_after_dash(text: str, verbs: Mapping[str, str]) -> int:
    """The index where a move begins after a seat and a dash; 0 if there is none.

    The move begins with a verb (`Mutapa — start f6`) or has only squares and numbers (`Mutapa — f6`).
    """
    numbering = NUMBERING.match(text)
    seat_match = SEAT.match(text, numbering.end() if numbering else 0)
    if not seat_match or imperative(seat_match[1].lower(), verbs) in verbs:
        return 0
    move_text = text[seat_match.end() :].lower()
    word = move_text.split()[0]
    if SQUARES.fullmatch(move_text):
        return seat_match.end()
    return seat_match.end() if imperative(word, verbs) in verbs or (len(word) > 3 and verb_of(word, verbs)) else 0


def split_commands(game: Game, text: str) -> Iterator[str]:
    """The commands of a line, which are separated by `;`.

    The verb may be misspelled: as `raise` takes several parts, `rasie j12; q6` is one command, not two.
    """
    syntax, text = game.notation.SYNTAX, text.lstrip("; ")
    seat_match = SEAT.match(text)
    seat, move_text = (
        (f"{seat_match[1]}: ", text[seat_match.end() :])
        if seat_match and seat_match[1].lower() not in syntax
        else ("", text)
    )
    words = WORD.findall(move_text)
    if not seat and len(words) > 1 and not verb_of(words[0], syntax) and verb_of(words[1], syntax):
        seat = words.pop(0)
        seat, move_text = f"{seat} ", move_text.removeprefix(seat).lstrip()
    verb = words[0] if words else ""
    canonical_verb = verb_of(verb, syntax) or verb
    first_part, *other_parts = [*parts(game.notation, canonical_verb + move_text.removeprefix(verb))] or [""]
    if first_part:
        yield seat + verb + first_part.removeprefix(canonical_verb)
    yield from other_parts


def verb_of(word: str, syntax: Mapping[str, str]) -> str:
    """The verb of a word in any form (`bids`) or with a typo; "" for none."""
    word = word.lower().rstrip(",")
    imperative_verb = imperative(word, syntax)
    return (
        imperative_verb
        if imperative_verb in syntax
        else next((verb for _, verb in near_words(word, frozenset(syntax))), "")
    )


def parse_amounts(result: str) -> tuple[str, ...]:
    """The amounts in a result, in lower case.

    >>> parse_amounts("-4 cattle, +4 VP, round 2 begins")
    ('-4 cattle', '+4 vp')
    """
    return tuple(f"{figure} {word.lower()}" for figure, word in AMOUNT.findall(result))


def parse_options(option_text: str) -> dict[str, str]:
    """The options of a `new` line.

    >>> parse_options("kilwa-7 players=3 --game zimbabwe seed=7")
    {'players': '3', 'seed': '7'}
    """
    words = (word.removeprefix("--") for word in option_text.split())
    pairs = (word.partition("=") for word in words if "=" in word)
    return {name: value for name, _, value in pairs if name not in ("game", "name")}
