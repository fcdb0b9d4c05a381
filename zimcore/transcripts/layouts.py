"""Reads logs whose lines have more than moves: times and names of a chat, headings, markup, cells of an unknown table.

Moves are found first, by their verbs, wherever they stand on a line. Then the game says who can have made them, and the
word beside the moves, or in the heading above them, that tells this best is taken for the name of the player.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from zimcore.game import Game, GameError, Seat
from zimcore.toolkit.characters import lines_of, plain_digits, plain_text
from zimcore.toolkit.player_names import seats_by_word
from zimcore.toolkit.words import numbered
from zimcore.transcripts.beginning import start_state
from zimcore.transcripts.log_lines import (
    COMMENT,
    MAX_LENGTH,
    RESULT,
    document_lines,
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
from zimcore.transcripts.records import Control, LogLine, Row, Transcript, Tree, control_of, play_rows
from zimcore.transcripts.slots import (
    CELL_END,
    MAX_CONTEXT,
    Found,
    Heading,
    NameSlot,
    find_name_slot,
    slotted_moves,
    with_seats,
)
from zimcore.transcripts.typos import imperative, near_words
from zimcore.transcripts.verdicts import LineVerdict, verdicts

QUOTED_CELLS = re.compile(r"""\s*"[^"]*"(?:[;,\t]"[^"]*")+\s*""")
"""A line of a table whose cells are all in quotes."""
WORD = re.compile(r"[^\W\d_][\w'’]*")
SQUARE = re.compile(r"(?<![\w/.])[a-z]\d{1,2}(?!\w)", re.IGNORECASE)
SETUP = re.compile(
    r"(?<![\w-])new(?=\s)((?:\s+[\w.-]+)?(?:\s+(?:--)?\w+[= ][\w.,:/@-]+)*\s+(?:--)?\w+=[\w.,:/@-]+)", re.IGNORECASE
)
"""A set-up, which stands anywhere on its line: `new players=2 seed=7`."""
TAG = re.compile(r"\[(/?)([a-z*]+)([= ][^][]*)?\]|<(/?)([a-z][\w-]*)(\s[^<>]*?)?/?>", re.IGNORECASE)
EMPHASIS = re.compile(r"(\*\*|~~|`+|(?<!\w)__)(?=\S)(.+?)\1")
BETWEEN = re.compile(r"[,;/|.>→&+]\s*|\b(?:then|and|und|et)\s+", re.IGNORECASE)
"""What may stand between two moves of a line."""
AFTER_MOVE = re.compile(r"[^\w()\[\]{}+-]+$")
"""Signs after a move, and pictures in a chat."""
TAIL = re.compile(r"\s*(?:(?:[|&\\]|\"[;,])\D*|\"\W*|@\s+\d{1,2}[:.]\d\d\D*)$")
"""What may stand behind a move on its line: another cell without a number, the end of a quotation, or a time."""
MAX_WORDS_OF_MOVE = 3
"""Words after a word with a typo, and of a line with a square, that may be a move."""
MAX_TRUSTED = 25
"""So many moves tell who has which name, even if one of them is illegal; without an illegal one all do."""
DOUBTFUL_LINES, DOUBTFUL_SHARE = 3, 0.05
"""If more lines than this can't be read, and a larger share of them, another layout is tried."""
PLAYERS_UNREAD = "who moves is not written: the rules say it"
"""How a log was read in which a wrong player can't be noticed."""


class Layout(NamedTuple):
    """A log in one layout: its first position, the verdicts on its lines, and how it was read, in words."""

    log: Transcript
    first_state: Any
    verdicts: Sequence[LineVerdict]
    read: tuple[str, ...] = ()
    slot: NameSlot = NameSlot()
    nameless_weight: int = 0

    @property
    def is_doubtful(self) -> bool:
        """Whether so many lines can't be read that the log may have another layout."""
        unread = sum(verdict.verdict == "not understood" for verdict in self.verdicts)
        return unread > max(DOUBTFUL_LINES, DOUBTFUL_SHARE * len(self.verdicts))

    @property
    def weight(self) -> int:
        """How well the layout explains the log: its legal moves, less the others."""
        return 2 * sum(map(_is_legal, self.verdicts)) - len(self.log.lines)

    def names_players(self, game: Game) -> bool:
        """Whether most lines say who moves."""
        seat_by_word = seats_by_word(game.evolution.seats(self.first_state), game.display.names(self.first_state))
        first_words = (verdict.line.seat or re.split(r"[:,\s]", verdict.line.text)[0] for verdict in self.verdicts)
        return 2 * sum(word.lower().replace("-", "_") in seat_by_word for word in first_words) >= len(self.verdicts)

    def explains_more_than(self, plain: Layout, game: Game) -> bool:
        """Whether more of a log can be read in this layout than in plain lines, or it also says who moves.

        Where it does, moves of another player are illegal, of which plain lines know nothing.
        """
        if self.weight > plain.weight + DOUBTFUL_LINES:
            return True
        return self.slot.is_certain and self.nameless_weight >= plain.weight and not plain.names_players(game)


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
            is_part = text[word.start() - 1 : word.start()] in ("_", "-", "@", "\\") or text[word.end() :][:1] in (
                "_",
                "=",
            )
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
    logs = list[Transcript]()
    try:
        logs = parse_logs(text, game, skipped_words, style)
        layouts = [play_log(game, log, first_state) for log in logs]
    except GameError:
        found = find_layout(text, game, style, skipped_words, first_state) if finds_layout and len(logs) < 2 else None
        if found is None or found.weight <= 0:
            raise
        return [found]
    if not finds_layout or len(layouts) > 1 or not (layouts[0].is_doubtful or not layouts[0].names_players(game)):
        return layouts
    found = find_layout(text, game, style, skipped_words, first_state)
    if found and found.explains_more_than(layouts[0], game):
        return [found]
    return layouts if layouts[0].names_players(game) else [layouts[0]._replace(read=(PLAYERS_UNREAD,))]


def play_log(game: Game, log: Transcript, first_state: Any = None, read: tuple[str, ...] = ()) -> Layout:
    """A log with the verdicts on its lines. Raises `GameError` if it does not say how its game was set up."""
    state = start_state(game, log) if first_state is None else first_state
    return Layout(log, state, [*verdicts(game, state, log.lines, unwritten_verbs(game, log.lines))], read)


def find_layout(
    text: str, game: Game, style: LogStyle, skipped_words: Collection[str] = (), first_state: Any = None
) -> Layout | None:
    """The log in a text, found by its verbs; None if there is none, or it does not say how its game was set up."""
    lines, setup = _plain_lines(text, game, style)
    if any(len(line) > MAX_LENGTH for line in lines):
        return None
    setup, first_line, rows, skipped = _find_moves(lines, setup, game, style, skipped_words)
    found = [row for row in rows if isinstance(row, Found)]
    tree = _play(rows, [move.line for move in found])
    try:
        nameless = play_log(game, tree.transcript(game.name, setup), first_state)
    except GameError:
        return None
    verdict_by_index = dict(zip(tree.path(tree.head), nameless.verdicts, strict=False))
    chat = {found[index] for index, verdict in verdict_by_index.items() if _is_chat(verdict)}
    rows = [row for row in rows if row not in chat]
    moves = slotted_moves([row for row in rows if not isinstance(row, Control)])
    if not moves:
        return None
    slot = find_name_slot(
        moves,
        [*_trusted_seats(verdict_by_index.get(index) for index, move in enumerate(found) if move not in chat)],
    )
    skipped += [move.line.number for move in chat]
    log = _play(rows, with_seats(moves, slot)).transcript(game.name, setup, sorted({*skipped}), first_line=first_line)
    read = [f"moves are found by their verbs: {len(moves)} in {numbered(len(lines), 'line')}"]
    if slot.place:
        names = ", ".join(f"{name} is {seat}" for name, seat in slot.seat_by_name.items())
        read.append(f"who moves is read from '{slot.place}': {names} (beside {numbered(slot.right, 'move')})")
    else:
        read.append(PLAYERS_UNREAD)
    layout = play_log(game, log, nameless.first_state, tuple(read))
    return layout._replace(slot=slot, nameless_weight=nameless.weight)


def _play(rows: Sequence[Found | Heading | Control], lines: Sequence[LogLine]) -> Tree:
    """The moves of rows, as `lines`, where the controls between them say."""
    move_lines = iter(lines)
    return play_rows(
        row if isinstance(row, Control) else Row((next(move_lines),)) for row in rows if not isinstance(row, Heading)
    )


def _trusted_seats(found_verdicts: Iterable[LineVerdict | None]) -> Iterator[Seat]:
    """Who made each move by the rules, "" where they can't be trusted: some way behind an illegal move."""
    is_trusted = True
    for index, verdict in enumerate(found_verdicts):
        is_legal = verdict is not None and _is_legal(verdict)
        is_trusted = is_trusted and (is_legal or verdict is None)
        yield verdict.seat if verdict and is_legal and (is_trusted or index < MAX_TRUSTED) else ""


def _plain_lines(text: str, game: Game, style: LogStyle) -> tuple[list[str], Mapping[str, str] | None]:
    """The lines of a text without markup, and a set-up that stands beside its moves. A row of JSON is a line."""
    documents = find_documents(plain_text(text))
    if documents is not None:
        return document_lines(documents, game, style)
    lines = lines_of(plain_digits(plain_text(text)))
    return join_wrapped(_without_markup(lines), game), None


def _without_markup(lines: Sequence[str]) -> list[str]:
    """The lines without tags that are opened and closed somewhere, without emphasis and signs of a quotation."""
    tags = [
        ((match[2] or match[5]).lower(), bool(match[1] or match[4])) for line in lines for match in TAG.finditer(line)
    ]
    pairs = {name for name, is_end in tags if is_end and (name, False) in tags}

    def drop(match: re.Match[str]) -> str:
        """What a tag says beside its name may tell who moves."""
        return f" {match[3] or match[6] or ''} " if (match[2] or match[5]).lower() in pairs else match[0]

    return [EMPHASIS.sub(r"\2", TAG.sub(drop, line) if pairs else line).rstrip() for line in map(_cells_apart, lines)]


def _cells_apart(line: str) -> str:
    """A line of a table whose cells are all in quotes, with `|` between them; others as they are, without comments."""
    line = COMMENT.sub("", line).replace("\\_", "_")
    return " | ".join(re.findall(r'"([^"]*)"', line)) if QUOTED_CELLS.fullmatch(line) else line


def _find_moves(
    lines: Sequence[str],
    setup: Mapping[str, str] | None,
    game: Game,
    style: LogStyle,
    skipped_words: Collection[str],
) -> tuple[Mapping[str, str] | None, int, list[Found | Heading | Control], list[int]]:
    """The last set-up of a text and the number of its line, the rows below it, and the numbers of other lines."""
    first_line, rows, skipped, verbs = 0, list[Found | Heading | Control](), list[int](), Verbs(game, style)
    for number, line in enumerate(lines, 1):
        if setup_match := SETUP.search(line):
            if setup != (new_setup := parse_options(setup_match[1])):
                setup, first_line, rows = new_setup, number, []
            continue
        text = style.translate(COMMENT.sub("", line)).rstrip()
        if not text:
            continue
        if control := _control(text.strip()):
            rows.append(control)
            skipped.append(number)
            continue
        found = [*_moves_on(number, text, game, verbs)] if text.split()[0].lower() not in skipped_words else []
        rows += found
        if not found:
            skipped.append(number)
            rows.append(Heading(text.strip()[:MAX_CONTEXT]))
    return setup, first_line, rows, skipped


def _control(text: str) -> Control | None:
    """The control at the end of a line: `[20:15] Anna: undo`."""
    return control_of(text) or control_of(re.split(r"[:>|;,]\s*|\s[-–—]\s", text)[-1])


def _moves_on(number: int, text: str, game: Game, verbs: Verbs) -> Iterator[Found]:
    """The moves on a line. A word before a square that is nearly a verb begins one too."""
    starts = [*verbs.starts(text)]
    if not starts:
        start = _misspelt_start(text, verbs)
        starts = [start] if start else []
    pieces, previous_end = list[tuple[str, str, int]](), 0  # what is before a move, the move, and its column
    for start in starts:
        gap = text[previous_end : start.start()]
        if pieces:
            between = [*BETWEEN.finditer(gap)]
            if not between or len(gap[between[-1].end() :].split()) > 2:
                continue
            before, move, column = pieces.pop()
            pieces.append((before, move + gap[: between[-1].start()], column))
            gap = gap[between[-1].end() :]
        pieces.append((gap, start[0], start.start()))
        previous_end = start.end()
    if pieces:
        before, move, column = pieces.pop()
        pieces.append((before, move + text[previous_end:], column))
    for before, move, column in pieces:
        plain_move, remark = split_remarks(move, game.notation.SYNTAX)
        plain_move, *results = RESULT.split(plain_move, maxsplit=1)
        amounts, cell = parse_amounts(" ".join([*results, remark])), len(CELL_END.findall(text[:column]))
        for part in split_commands(game, AFTER_MOVE.sub("", TAIL.sub("", plain_move))):
            yield Found(
                LogLine(number, part, amounts=amounts), before[-MAX_CONTEXT:], move[-MAX_CONTEXT:], column, cell
            )


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
