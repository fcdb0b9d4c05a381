"""Reads logs whose lines have more than moves: times and names of a chat, headings, markup, cells of an unknown table.

Moves are found first, by their verbs, wherever they stand on a line. Then the game says who can have made them, and the
word beside the moves, or in the heading above them, that tells this best is taken for the name of the player.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from zimcore.game import Game, GameError, Seat
from zimcore.toolkit.characters import lines_of, plain_digits, plain_text
from zimcore.toolkit.words import numbered
from zimcore.transcripts.beginning import start_state
from zimcore.transcripts.log_lines import (
    COMMENT,
    MAX_LENGTH,
    RESULT,
    find_documents,
    join_wrapped,
    parse_amounts,
    parse_logs,
    parse_options,
    split_commands,
    split_remarks,
)
from zimcore.transcripts.log_replay import unwritten_verbs
from zimcore.transcripts.log_styles import PLAIN_STYLE, LogStyle
from zimcore.transcripts.records import Control, LogLine, Row, Transcript, control_of, play_rows
from zimcore.transcripts.typos import imperative, near_words
from zimcore.transcripts.verdicts import LineVerdict, verdicts

NAME = re.compile(r"[^\W\d_][\w'’.-]*|\d+|[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]+")
"""What may stand for a player: a word, a number (`player 2`), or signs and pictures (🔴)."""
QUOTED_CELLS = re.compile(r"""\s*"[^"]*"(?:[;,\t]"[^"]*")+\s*""")
"""A line of a table whose cells are all in quotes."""
WORD = re.compile(r"[^\W\d_][\w'’]*")
SQUARE = re.compile(r"(?<![\w/.])[a-z]\d{1,2}(?!\w)", re.IGNORECASE)
SETUP = re.compile(
    r"(?<![\w-])new(?=\s)((?:\s+[\w.-]+)?(?:\s+(?:--)?\w+[= ][\w.,:/@-]+)*\s+(?:--)?\w+=[\w.,:/@-]+)", re.IGNORECASE
)
"""A set-up, which stands anywhere on its line: `new players=2 seed=7`."""
TAG = re.compile(r"\[(/?)([a-z*]+)([= ][^][]*)?\]|<(/?)([a-z][\w-]*)(\s[^<>]*?)?/?>", re.IGNORECASE)
EMPHASIS = re.compile(r"\*\*|~~|`+|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)")
BETWEEN = re.compile(r"[,;/|.>→&+]\s*|\b(?:then|and|und|et)\s+", re.IGNORECASE)
"""What may stand between two moves of a line."""
AFTER_MOVE = re.compile(r"[^\w()\[\]{}+-]+$")
"""Signs after a move, and pictures in a chat."""
MAX_CONTEXT, MAX_WORDS = 80, 12
"""Characters before a move that are looked at, and words there that may be a name."""
MAX_WORDS_OF_MOVE = 3
"""Words after a word with a typo, and of a line with a square, that may be a move."""
MAX_TRUSTED = 25
"""So many moves tell who has which name, even if one of them is illegal; without an illegal one all do."""
WRONG_COST, WORD_COST = 4, 2
"""What a name beside a move of another player counts against one that fits, and what each further name counts."""
DOUBTFUL_LINES, DOUBTFUL_SHARE = 3, 0.05
"""If more lines than this can't be read, and a larger share of them, another layout is tried."""


class Found(NamedTuple):
    """A move on a line, with what stands before it, and the last line without a move."""

    line: LogLine
    before: str
    above: str


class Layout(NamedTuple):
    """A log in one layout: its first position, the verdicts on its lines, and how it was read, in words."""

    log: Transcript
    first_state: Any
    verdicts: Sequence[LineVerdict]
    read: tuple[str, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether so many lines can't be read that the log may have another layout."""
        unread = sum(verdict.verdict == "not understood" for verdict in self.verdicts)
        return unread > max(DOUBTFUL_LINES, DOUBTFUL_SHARE * len(self.verdicts))

    @property
    def weight(self) -> int:
        """How well the layout explains the log: its legal moves, less the others."""
        return 2 * sum(map(_is_legal, self.verdicts)) - len(self.verdicts)


class Verbs:
    """The verbs of a game, in the words of a style."""

    def __init__(self, game: Game, style: LogStyle) -> None:
        self.syntax = game.notation.SYNTAX
        self._style = style
        self._verbs = dict[str, str]()

    def verb(self, word: str) -> str:
        """The verb that a word is a form of; "" for none."""
        word = word.lower()
        if word not in self._verbs:
            form = imperative(self._style.our_word(word), self.syntax)
            self._verbs[word] = form if form in self.syntax else ""
        return self._verbs[word]

    def starts(self, text: str) -> Iterator[re.Match[str]]:
        """The verbs in a text that may begin a move. `price` begins none where it belongs to a `craft`."""
        current = ""
        for word in WORD.finditer(text):
            verb = self.verb(word[0])
            is_part = text[word.start() - 1 : word.start()] in ("_", "-", "@") or text[word.end() :][:1] in ("_", "=")
            if verb and not is_part and verb not in self.syntax.get(current, "").split()[1:]:
                current = verb
                yield word


def read_logs(
    text: str,
    game: Game,
    skipped_words: Collection[str] = (),
    style: LogStyle = PLAIN_STYLE,
    first_state: Any = None,
    *,
    finds_layout: bool = True,
) -> list[Layout]:
    """The logs in a text, each with its first position: as plain lines, or in the layout that explains more of a log.

    Without `finds_layout` they are plain lines, as for one who asks what the words of a log mean.

    Raises `GameError` if the text has no log, or does not say how its game was set up.
    """
    logs = parse_logs(text, game, skipped_words, style)
    try:
        layouts = [play_log(game, log, first_state) for log in logs]
    except GameError:
        found = find_layout(text, game, style, skipped_words, first_state) if finds_layout and len(logs) == 1 else None
        if found is None or found.weight <= 0:
            raise
        return [found]
    if not finds_layout or len(layouts) > 1 or not layouts[0].is_doubtful:
        return layouts
    found = find_layout(text, game, style, skipped_words, first_state)
    return [found] if found and found.weight > layouts[0].weight + DOUBTFUL_LINES else layouts


def play_log(game: Game, log: Transcript, first_state: Any = None, read: tuple[str, ...] = ()) -> Layout:
    """A log with the verdicts on its lines. Raises `GameError` if it does not say how its game was set up."""
    state = start_state(game, log) if first_state is None else first_state
    return Layout(log, state, [*verdicts(game, state, log.lines, unwritten_verbs(game, log.lines))], read)


def find_layout(
    text: str, game: Game, style: LogStyle, skipped_words: Collection[str] = (), first_state: Any = None
) -> Layout | None:
    """The log in a text, found by its verbs; None if there is none, or it does not say how its game was set up."""
    if find_documents(plain_text(text)) is not None or any(len(line) > MAX_LENGTH for line in lines_of(text)):
        return None
    lines = join_wrapped(_without_markup(lines_of(plain_digits(plain_text(text)))), game)
    setup, first_line, found, skipped = _find_moves(lines, game, style, skipped_words)
    moves = [row for row in found if isinstance(row, Found)]
    if not moves:
        return None
    try:
        nameless = play_log(game, Transcript(game.name, setup, tuple(move.line for move in moves)), first_state)
    except GameError:
        return None
    chat = {move for move, verdict in zip(moves, nameless.verdicts, strict=True) if _is_chat(verdict)}
    judged_moves = [pair for pair in zip(moves, nameless.verdicts, strict=True) if not _is_chat(pair[1])]
    slot, seat_by_name, count = _name_slot(judged_moves)
    tree = play_rows(
        row if isinstance(row, Control) else Row((_with_seat(row, slot, seat_by_name),))
        for row in found
        if row not in chat
    )
    skipped += [move.line.number for move in chat]
    log = tree.transcript(game.name, setup, sorted({*skipped}), first_line=first_line)
    read = [f"moves are found by their verbs: {len(judged_moves)} in {numbered(len(lines), 'line')}"]
    if slot:
        names = ", ".join(f"{name} is {seat}" for name, seat in seat_by_name.items())
        read.append(f"who moves is read from '{slot}': {names} (beside {numbered(count, 'move')})")
    else:
        read.append("who moves is not written: the rules say it")
    return play_log(game, log, nameless.first_state, tuple(read))


def _without_markup(lines: Sequence[str]) -> list[str]:
    """The lines without tags that are opened and closed somewhere, without emphasis and signs of a quotation."""
    tags = [
        ((match[2] or match[5]).lower(), bool(match[1] or match[4])) for line in lines for match in TAG.finditer(line)
    ]
    pairs = {name for name, is_end in tags if is_end and (name, False) in tags}

    def drop(match: re.Match[str]) -> str:
        """What a tag says beside its name may tell who moves."""
        return f" {match[3] or match[6] or ''} " if (match[2] or match[5]).lower() in pairs else match[0]

    return [EMPHASIS.sub("", TAG.sub(drop, line) if pairs else line).strip() for line in map(_cells_apart, lines)]


def _cells_apart(line: str) -> str:
    """A line of a table whose cells are all in quotes, with `|` between them; others as they are, without comments."""
    line = COMMENT.sub("", line)
    return " | ".join(re.findall(r'"([^"]*)"', line)) if QUOTED_CELLS.fullmatch(line) else line


def _find_moves(
    lines: Sequence[str], game: Game, style: LogStyle, skipped_words: Collection[str]
) -> tuple[Mapping[str, str] | None, int, list[Found | Control], list[int]]:
    """The last set-up of a text and the number of its line, the moves after it, and the numbers of other lines."""
    setup: Mapping[str, str] | None = None
    first_line, rows, skipped, above, verbs = 0, list[Found | Control](), list[int](), "", Verbs(game, style)
    for number, line in enumerate(lines, 1):
        if setup_match := SETUP.search(line):
            if setup != (new_setup := parse_options(setup_match[1])):
                setup, first_line, rows = new_setup, number, []
            continue
        text = style.translate(COMMENT.sub("", line)).strip()
        if not text:
            continue
        if control := _control(text):
            rows.append(control)
            skipped.append(number)
            continue
        found = [*_moves_on(number, text, above, game, verbs)] if text.split()[0].lower() not in skipped_words else []
        rows += found
        if not found:
            skipped.append(number)
            above = text[:MAX_CONTEXT]
    return setup, first_line, rows, skipped


def _control(text: str) -> Control | None:
    """The control at the end of a line: `[20:15] Anna: undo`."""
    return control_of(text) or control_of(re.split(r"[:>|;,]\s*|\s[-–—]\s", text)[-1])


def _moves_on(number: int, text: str, above: str, game: Game, verbs: Verbs) -> Iterator[Found]:
    """The moves on a line. A word before a square that is nearly a verb begins one too."""
    starts = [*verbs.starts(text)]
    if not starts:
        start = _misspelt_start(text, verbs)
        starts = [start] if start else []
    pieces, previous_end = list[tuple[str, str]](), 0
    for start in starts:
        gap = text[previous_end : start.start()]
        if pieces:
            between = [*BETWEEN.finditer(gap)]
            if not between or len(gap[between[-1].end() :].split()) > 2:
                continue
            before, move = pieces.pop()
            pieces.append((before, move + gap[: between[-1].start()]))
            gap = gap[between[-1].end() :]
        pieces.append((gap, start[0]))
        previous_end = start.end()
    if pieces:
        before, move = pieces.pop()
        pieces.append((before, move + text[previous_end:]))
    for before, move in pieces:
        plain_move, remark = split_remarks(move, game.notation.SYNTAX)
        plain_move, *results = RESULT.split(plain_move, maxsplit=1)
        amounts = parse_amounts(" ".join([*results, remark]))
        for part in split_commands(game, AFTER_MOVE.sub("", plain_move)):
            yield Found(LogLine(number, part, amounts=amounts), before[-MAX_CONTEXT:], above)


def _misspelt_start(text: str, verbs: Verbs) -> re.Match[str] | None:
    """Where a move without a readable verb begins: at a word that is nearly a verb, or where a few words have a square.

    Such a line is no chat: a move that can't be read must not be passed in silence.
    """
    square, known = SQUARE.search(text), frozenset(verbs.syntax)
    for word in WORD.finditer(text, 0, square.start() if square else len(text)):
        is_alone = len(text[word.end() :].split()) < MAX_WORDS_OF_MOVE
        if len(word[0]) > 2 and near_words(word[0].lower(), known) and (square or is_alone):
            return word
    rest = re.compile(r"(?:.*[:>;)\]|]\s*)?(.*)").fullmatch(text) if square else None
    if rest and SQUARE.search(rest[1]) and len(rest[1].split()) <= MAX_WORDS_OF_MOVE:
        return re.compile(r"\S+").search(text, rest.start(1))
    return None


def _is_legal(verdict: LineVerdict) -> bool:
    return verdict.verdict in ("legal", "ambiguous")


def _is_chat(verdict: LineVerdict) -> bool:
    """Whether a line only has a word that looks like a verb: no move is written like it, and it has no square."""
    text = verdict.line.text
    return verdict.verdict == "not understood" and len(text.split()) > 1 and not re.search(r"\d", text)


def _slots(move: Found) -> Iterator[tuple[str, str]]:
    """Each word near a move, and where it stands: what is around it (with 9 for numbers), or which word it is."""
    for where, text in (("", move.before), ("above: ", move.above)):
        words = [*NAME.finditer(text)][:MAX_WORDS]
        for index, word in enumerate(words):
            around = f"{text[: word.start()]}*{text[word.end() :]}"
            yield where + re.sub(r"\d+", "9", " ".join(around.split())), word[0].lower()
            yield f"{where}word {index + 1}", word[0].lower()
            yield f"{where}word {index - len(words)}", word[0].lower()


def _name_slot(moves: Sequence[tuple[Found, LineVerdict]]) -> tuple[str, dict[str, Seat], int]:
    """The place whose words tell best who moved, the seat of each word there, and how many moves say so."""
    counts, is_trusted = dict[str, Counter[tuple[str, Seat]]](), True
    for index, (move, verdict) in enumerate(moves):
        is_trusted = is_trusted and _is_legal(verdict)
        if _is_legal(verdict) and verdict.seat and (is_trusted or index < MAX_TRUSTED):
            for slot, word in dict.fromkeys(_slots(move)):
                counts.setdefault(slot, Counter())[word, verdict.seat] += 1
    best, best_score = ("", dict[str, Seat](), 0), 0.0
    for slot, pairs in counts.items():
        seats_by_word = dict[str, Counter[Seat]]()
        for (word, seat), count in pairs.items():
            seats_by_word.setdefault(word, Counter())[seat] += count
        names = {word: seats.most_common(1)[0] for word, seats in seats_by_word.items() if seats.total() > 1}
        right = sum(count for _, count in names.values())
        wrong = sum(pairs.values()) - right
        score = right - WRONG_COST * wrong - WORD_COST * len(seats_by_word)
        if len({seat for seat, _ in names.values()}) > 1 and score > best_score:
            best, best_score = (slot, {word: seat for word, (seat, _) in names.items()}, right), score
    return best


def _with_seat(move: Found, slot: str, seat_by_name: Mapping[str, Seat]) -> LogLine:
    word = next((word for where, word in _slots(move) if where == slot), "") if slot else ""
    return msgspec.structs.replace(move.line, seat=seat_by_name.get(word, ""))
