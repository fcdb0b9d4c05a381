"""Reads logs whose lines have more than moves: times and names of a chat, headings, markup, cells of an unknown table.

Moves are found first, by their verbs, wherever they stand on a line. Then the game says who can have made them, and the
word beside the moves, or in the heading above them, that tells this best is taken for the name of the player.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from zimcore.game import Game, GameError, Seat
from zimcore.toolkit.characters import lines_of, plain_digits, plain_text
from zimcore.toolkit.player_names import seats_by_word
from zimcore.toolkit.words import numbered
from zimcore.transcripts.beginning import start_state
from zimcore.transcripts.line_parts import (
    AMOUNT,
    NAME_IN_FRONT,
    RESULT,
    join_wrapped,
    parse_amounts,
    parse_options,
    split_commands,
    split_remarks,
    verb_of,
)
from zimcore.transcripts.line_readings import NUMBERS
from zimcore.transcripts.log_replay import unwritten_verbs
from zimcore.transcripts.log_styles import PLAIN_STYLE, LogStyle
from zimcore.transcripts.own_format import MAX_LENGTH, document_lines, find_documents, parse_logs
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
WORD = re.compile(r"[^\W\d_](?:\w|['’](?=\w))*")
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
TAIL = re.compile(r"\s*(?:;\s+[^\W\d_]+[.!]?|(?:[|&\\]|\"[;,])\D*|\"\W*|@\s+\d{1,2}[:.]\d\d\D*)$")
"""What may stand behind a move on its line: another cell without a number, the end of a quotation, or a time."""
HEADING = re.compile(r"\W*(?:round|r)\s*\d+\W*", re.IGNORECASE)
LAST_PREFIX = re.compile(r"((?:.*(?:[:>;)\]|]|\s[-–—])\s*)?)(.*)")
"""What is before the last part of a line: `[20:15] Anna: `, `Kilwa — `."""
VERB_CELL = re.compile(r"^([a-z]+)\s*[,;|\t]\s*(?=\w)", re.IGNORECASE)
"""A verb in a cell of its own."""
REMARK_WITHIN = re.compile(r"\{[^{}]*\}")
CLAUSE = re.compile(r"(?:,|\s(?:and|but|und|et))(?:\s+[^\W\d_]+){2,}[.!?]*$")
"""What is said of a move behind it: `, as expected`, `and hope for the best`."""
COMMENT_BEHIND = re.compile(r"(?<=\S)\s+#.*|^ {8}· .*")
SIGN_SHARE = 0.2
"""If a larger share of the lines with moves begins with `#`, it is a player's sign; otherwise it begins a remark."""
MAX_WORDS_OF_MOVE = 3
"""Words after a word with a typo, and of a line with a square, that may be a move."""
MAX_TRUSTED = 25
"""So many moves tell who has which name, even if one of them is illegal; without an illegal one all do."""
DOUBTFUL_LINES, DOUBTFUL_SHARE = 3, 0.05
"""If more lines than this can't be read, and a larger share of them, another layout is tried."""
PLAYERS_UNREAD = "who moves is not written: the rules say it"
"""How a log was read in which a wrong player can't be noticed."""
SEAT_PREFIX = re.compile(r"([^\W\d]\w*):\s+")
NO_NOTATION = re.compile(r"[!?]$|→|->|=>|\s[-–—]\s|\|")
"""What no command has in it."""


class Layout(NamedTuple):
    """A log in one layout: its first position, the verdicts on its lines, and how it was read, in words."""

    log: Transcript
    first_state: Any
    verdicts: Sequence[LineVerdict]
    read: tuple[str, ...] = ()
    slot: NameSlot = NameSlot()
    nameless: Sequence[LineVerdict] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether so many lines can't be read that the log may have another layout."""
        unread = sum(verdict.verdict == "not understood" for verdict in self.verdicts)
        return unread > max(DOUBTFUL_LINES, DOUBTFUL_SHARE * len(self.verdicts))

    @property
    def is_cut(self) -> bool:
        """Whether reading took so long that it ended before the last line."""
        return len(self.verdicts) < len(self.log.lines)

    @property
    def is_poor(self) -> bool:
        """Whether so few moves are legal that the log may have another layout.

        If it is certain who moved, moves of another player are none the less moves.
        """
        found = self.nameless if self.slot.is_certain and self.nameless else self.verdicts
        return self.is_doubtful or 2 * sum(map(_is_legal, found)) <= len(self.log.lines)

    @property
    def weight(self) -> int:
        """How well the layout explains the log: its legal moves, less the others."""
        return 2 * sum(map(_is_legal, self.verdicts)) - len(self.log.lines)

    def names_players(self, game: Game) -> bool:
        """Whether most lines say who moves."""
        seat_by_word = seats_by_word(game.evolution.seats(self.first_state), game.display.names(self.first_state))
        first_words = (verdict.line.seat or re.split(r"[:,\s]", verdict.line.text)[0] for verdict in self.verdicts)
        return 2 * sum(word.lower().replace("-", "_") in seat_by_word for word in first_words) >= len(self.verdicts)


class Verbs:
    """The verbs of a game, in the words of a style; names of its players, and other words of its set-up."""

    def __init__(self, game: Game, style: LogStyle, first_state: Any) -> None:
        self.syntax = game.notation.SYNTAX
        self.seats, self.things = frozenset[str](), frozenset[str]()
        self._game, self._style, self._first_state = game, style, first_state
        self._verbs = dict[str, str]()
        self.learn({})

    def learn(self, setup: Mapping[str, str] | None) -> None:
        """Learns the words of a set-up: a move may be one of them alone."""
        try:
            state = self._first_state or start_state(self._game, Transcript("", setup, ()))
        except GameError:
            return
        self.seats = frozenset(seats_by_word(self._game.evolution.seats(state), self._game.display.names(state)))
        self.things = frozenset(WORD.findall(" ".join((setup or {}).values()).lower())) - self.seats

    def verb(self, word: str) -> str:
        """The verb that a word is a form of; "" for none."""
        word = word.lower()
        if word not in self._verbs:
            form = imperative(self._style.our_word(word), self.syntax)
            self._verbs[word] = form if form in self.syntax else ""
        return self._verbs[word]

    def starts(self, text: str) -> Iterator[re.Match[str]]:
        """The verbs in a text that may begin a move. A `price` with a number behind a `craft` belongs to it."""
        parts_left = set[str]()
        for word in WORD.finditer(text):
            verb = self.verb(word[0])
            is_in_word = text[word.start() - 1 : word.start()] in ("_", "-", "@", "\\")
            if not verb or is_in_word or text[word.end() :][:1] in ("_", "="):
                continue
            next_word = "".join(re.findall(r"\w+", text[word.end() :])[:1])
            if verb in parts_left and (not next_word or next_word.isdigit() or next_word.lower() in NUMBERS):
                parts_left.remove(verb)
            else:
                parts_left = {*self.syntax[verb].split()} & {*self.syntax} - {verb}
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
    plain, error = list[tuple[Transcript, Any]](), None
    try:
        logs = parse_logs(text, game, skipped_words, style)
        plain = [(log, start_state(game, log) if first_state is None else first_state) for log in logs]
    except GameError as caught:
        if not finds_layout:
            raise
        error = caught
    if plain and not finds_layout:
        return [play_log(game, log, state) for log, state in plain]
    names_players = [notation_names_players(game, log, state) for log, state in plain]
    if plain and all(names_players):
        return [play_log(game, log, state) for log, state in plain]
    found = find_layouts(text, game, style, skipped_words, first_state)
    if error and not found:
        raise error
    is_better = found and not any(layout.is_poor for layout in found)
    if (
        not plain
        or any(layout.is_cut for layout in found)
        or (is_better and all(layout.slot.place for layout in found))
        or (is_better and None in names_players and line_count(found) >= sum(len(log.lines) for log, _ in plain))
    ):
        return found
    played = {layout.log.lines: layout.verdicts for layout in found}
    layouts = [
        Layout(log, state, played[log.lines]) if log.lines in played else play_log(game, log, state)
        for log, state in plain
    ]
    if found and sum(each.weight for each in found) > sum(each.weight for each in layouts):
        return found
    return [each if each.names_players(game) else each._replace(read=(PLAYERS_UNREAD,)) for each in layouts]


def line_count(layouts: Iterable[Layout]) -> int:
    """How many lines with moves some logs have."""
    return sum(len(layout.log.lines) for layout in layouts)


def notation_names_players(game: Game, log: Transcript, state: Any) -> bool | None:
    """Whether most lines of a log name a seat; None if a line is not in Zim's own notation, so that it may be chat.

    A wrong command after a seat is one still, if there are few of them.
    """
    seat_by_word = seats_by_word(game.evolution.seats(state), game.display.names(state))
    named = foreign = 0
    for line in log.lines:
        prefix = SEAT_PREFIX.match(line.text)
        text, seat = (line.text[prefix.end() :], prefix[1]) if prefix else (line.text, line.seat)
        named += bool(seat) or line.is_expectation
        if line.is_expectation:
            continue
        is_foreign = not verb_of(text.partition(" ")[0], game.notation.SYNTAX)
        foreign += is_foreign
        if (seat and _plain_word(seat) not in seat_by_word) or (is_foreign and not seat):
            return None
        if split_remarks(text, {})[1] or NO_NOTATION.search(text):
            return None
    return 2 * named >= len(log.lines) if foreign <= max(DOUBTFUL_LINES, DOUBTFUL_SHARE * len(log.lines)) else None


def _plain_word(name: str) -> str:
    return name.lower().replace("-", "_")


def play_log(game: Game, log: Transcript, first_state: Any = None, read: tuple[str, ...] = ()) -> Layout:
    """A log with the verdicts on its lines. Raises `GameError` if it does not say how its game was set up."""
    state = start_state(game, log) if first_state is None else first_state
    return Layout(log, state, [*verdicts(game, state, log.lines, unwritten_verbs(game, log.lines))], read)


class Record(NamedTuple):
    """A game in a text: its set-up and the line of it, the rows below, and the numbers of lines without a move."""

    setup: Mapping[str, str] | None
    first_line: int
    rows: list[Found | Heading | Control]
    skipped: list[int]

    @property
    def found(self) -> list[Found]:
        """The moves."""
        return [row for row in self.rows if isinstance(row, Found)]


def find_layouts(
    text: str, game: Game, style: LogStyle, skipped_words: Collection[str] = (), first_state: Any = None
) -> list[Layout]:
    """The logs in a text, found by their verbs; those that do not say how their games were set up are not read."""
    lines, setup = _plain_lines(text, game, style)
    if any(len(line) > MAX_LENGTH for line in lines):
        return []
    records = [record for record in _find_moves(lines, setup, game, style, skipped_words, first_state) if record.found]
    return [layout for record in records if (layout := _find_layout(game, record, len(lines), first_state))]


def _find_layout(game: Game, record: Record, line_count: int, first_state: Any) -> Layout | None:
    """A log with its players; None if it does not say how its game was set up."""
    found = record.found
    tree = _play(record.rows, [move.line for move in found])
    try:
        nameless = play_log(game, tree.transcript(game.name, record.setup), first_state)
    except GameError:
        return None
    if nameless.is_cut:  # reading took too long, and would again
        return nameless._replace(read=(PLAYERS_UNREAD,))
    verdict_by_index = dict(zip(tree.path(tree.head), nameless.verdicts, strict=False))
    pieces = frozenset(_names_in(nameless.first_state))
    chat = {found[index] for index, verdict in verdict_by_index.items() if _is_chat(verdict, pieces)}
    rows = [row for row in record.rows if row not in chat]
    moves = slotted_moves([row for row in rows if not isinstance(row, Control)])
    if not moves:
        return None
    state = nameless.first_state
    seat_by_word = seats_by_word(game.evolution.seats(state), game.display.names(state))
    slot = find_name_slot(
        moves,
        [*_trusted_seats(verdict_by_index.get(index) for index, move in enumerate(found) if move not in chat)],
        seat_by_word,
    )
    skipped = sorted({*record.skipped, *(move.line.number for move in chat)})
    read = [f"moves are found by their verbs: {len(moves)} in {numbered(line_count, 'line')}"]
    if slot.place:
        names = ", ".join(f"{name} is {seat}" for name, seat in slot.seat_by_name.items())
        read.append(f"who moves is read from '{slot.place}': {names} (beside {numbered(slot.right, 'move')})")
    else:
        read.append(PLAYERS_UNREAD)
    log = _play(rows, with_seats(moves, slot, seat_by_word)).transcript(
        game.name, record.setup, skipped, (), record.first_line
    )
    if len(log.lines) == len(nameless.verdicts) and all(map(_says_the_same, log.lines, nameless.verdicts)):
        same = [
            msgspec.structs.replace(each, line=line) for each, line in zip(nameless.verdicts, log.lines, strict=True)
        ]
        return Layout(log, state, same, tuple(read), slot)
    return play_log(game, log, state, tuple(read))._replace(slot=slot, nameless=nameless.verdicts)


def _says_the_same(line: LogLine, nameless: LineVerdict) -> bool:
    """Whether a line was played by the seat that it names: it need not be played again."""
    return not line.seat or (nameless.verdict == "legal" and line.seat == nameless.seat)


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
    lines = [*_without_quotations(lines)]
    return join_wrapped(_without_markup(lines), game), None


def _without_quotations(lines: Sequence[str]) -> Iterator[str]:
    """The lines; those that only quote a line above, with its name, are empty."""
    said = set[str]()
    for line in lines:
        quoted = line.lstrip("> ")
        said |= {line} if quoted == line and NAME_IN_FRONT.match(line) else set()
        yield "" if quoted != line and quoted in said else line


def _without_markup(lines: Sequence[str]) -> list[str]:
    """The lines without tags that are opened and closed somewhere, without emphasis and signs of a quotation."""
    tags = [
        ((match[2] or match[5]).lower(), bool(match[1] or match[4])) for line in lines for match in TAG.finditer(line)
    ]
    pairs = {name for name, is_end in tags if is_end and (name, False) in tags}

    def drop(match: re.Match[str]) -> str:
        """What a tag says beside its name may tell who moves."""
        return f" {match[3] or match[6] or ''} " if (match[2] or match[5]).lower() in pairs else match[0]

    return [EMPHASIS.sub(r"\2", TAG.sub(drop, line) if pairs else line) for line in map(_cells_apart, lines)]


def _cells_apart(line: str) -> str:
    """A line of a table whose cells are all in quotes, with `|` between them; others as they are, without comments."""
    line = COMMENT_BEHIND.sub("", line).replace("\\_", "_")
    return " | ".join(re.findall(r'"([^"]*)"', line)) if QUOTED_CELLS.fullmatch(line) else line


def _find_moves(
    lines: Sequence[str],
    setup: Mapping[str, str] | None,
    game: Game,
    style: LogStyle,
    skipped_words: Collection[str],
    first_state: Any,
) -> list[Record]:
    """The games of a text: a set-up begins another one, unless no move was before it."""
    records, verbs = [Record(setup, 0, [], [])], Verbs(game, style, first_state)
    begins = Counter(line.lstrip()[:1] for line in lines if any(verbs.starts(line)))
    are_signs = begins["#"] > SIGN_SHARE * begins.total()
    for number, line in enumerate(lines, 1):
        if setup_match := SETUP.search(line):
            if records[-1].setup != (new_setup := parse_options(setup_match[1])):
                kept = records if records[-1].found and records[-1].setup else ()
                records = [*kept, Record(new_setup, number, [], [])]
                verbs.learn(new_setup)
            continue
        text = style.translate(line).rstrip()
        if not text:
            continue
        control = _control(text.strip())
        is_comment = text.lstrip().startswith("#") and not are_signs
        is_skipped = control or is_comment or text.split()[0].lower() in skipped_words
        found = [] if is_skipped else [*_moves_on(number, text, game, verbs)]
        records[-1].rows.extend([control] if control else found or [Heading(text.strip()[:MAX_CONTEXT])])
        if not found:
            records[-1].skipped.append(number)
    return records


def _control(text: str) -> Control | None:
    """The control at the end of a line: `[20:15] Anna: undo`."""
    return control_of(text) or control_of(re.split(r"[:>|;,]\s*|\s[-–—]\s", text)[-1])


def _moves_on(number: int, text: str, game: Game, verbs: Verbs) -> Iterator[Found]:
    """The moves on a line. A word before a square that is nearly a verb begins one too."""
    starts = [*verbs.starts(text)]
    if not starts:
        start = _misspelt_start(text, verbs)
        starts = [start] if start else []
    if starts:
        first = starts[0].start()
        text = text[:first] + REMARK_WITHIN.sub(lambda remark: " " * len(remark[0]), _within_quotes(text, first))
        starts = [start for start in starts if text[start.start() : start.end()] == start[0]]
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
        plain_move, remark = split_remarks(VERB_CELL.sub(r"\1 ", CLAUSE.sub("", move)), game.notation.SYNTAX)
        plain_move, *results = RESULT.split(plain_move, maxsplit=1)
        amounts, cell = parse_amounts(" ".join([*results, remark])), len(CELL_END.findall(text[:column]))
        for part in split_commands(game, AFTER_MOVE.sub("", TAIL.sub("", plain_move))):
            yield Found(
                LogLine(number, part, amounts=amounts), before[-MAX_CONTEXT:], move[-MAX_CONTEXT:], column, cell
            )


def _within_quotes(text: str, start: int) -> str:
    """A move up to the end of the quotation, or of the column, in which it begins."""
    quote = text[start - 1 : start]
    move = text[start:].partition(quote)[0] if quote in ("'", '"', "`") else text[start:]
    move, *columns = re.split(r"\s{3,}|\t", VERB_CELL.sub(r"\1 ", move))
    return "  ".join([move, *(column for column in columns if AMOUNT.match(column))])


def _misspelt_start(text: str, verbs: Verbs) -> re.Match[str] | None:
    """Where a move without a readable verb begins: at a word that is nearly a verb, or where a few words have a square.

    So does a number behind the name of a player, and a word of the set-up. Such a line is no chat: a move that can't be
    read must not be passed in silence.
    """
    square, known = SQUARE.search(text), frozenset((*verbs.syntax, *(f"{verb}s" for verb in verbs.syntax)))
    for word in WORD.finditer(text, 0, square.start() if square else len(text)):
        words_behind = text[word.end() :].lower().split()
        has_object = bool(square) or len(words_behind) < MAX_WORDS_OF_MOVE
        next_word = "".join(words_behind[:1])
        has_thing = next_word in verbs.things or (len(next_word) > 3 and near_words(next_word, verbs.things))
        may_begin = (len(word[0]) > 2 and has_object) or has_thing
        if may_begin and not verbs.verb(word[0]) and near_words(word[0].lower(), known):
            return word
    if HEADING.fullmatch(text):
        return None
    prefix, rest = LAST_PREFIX.fullmatch(split_remarks(text, verbs.syntax)[0]).groups()  # type: ignore[union-attr]
    is_bid = rest.isdigit() and not verbs.seats.isdisjoint(WORD.findall(prefix.lower()))
    first_part = re.split(r"\s[-–—]", text, maxsplit=1)[0]
    is_thing = not verbs.things.isdisjoint((rest.lower(), first_part.lower()))
    if is_bid or is_thing or (SQUARE.search(rest) and len(rest.split()) <= MAX_WORDS_OF_MOVE):
        return re.compile(r"\S+").search(text, 0 if first_part.lower() in verbs.things else len(prefix))
    return None


def _is_legal(verdict: LineVerdict) -> bool:
    return verdict.verdict in ("legal", "ambiguous")


def _is_chat(verdict: LineVerdict, pieces: frozenset[str]) -> bool:
    """Whether a line only has a word that looks like a verb: no move is written like it, and it has no square.

    A verb with a name of the game behind it is a move, however it is spelt.
    """
    words, text = verdict.line.text.lower().split(), verdict.line.text
    is_short_move = len(words) == len(("verb", "name")) and words[1] in pieces
    return verdict.verdict == "not understood" and len(words) > 1 and not (is_short_move or re.search(r"\d", text))


def _names_in(value: object) -> Iterator[str]:
    """The names in a state: of gods, cards, cities."""
    match value:
        case str() if re.fullmatch(r"[a-z][a-z_]{2,}", value):
            yield value
        case msgspec.Struct():
            yield from _names_in([getattr(value, field) for field in value.__struct_fields__])
        case dict():
            yield from _names_in([*value, *value.values()])
        case list() | tuple() | set() | frozenset():
            for item in value:
                yield from _names_in(item)
