"""Reads the lines of a log: our scripts, what `log` prints, our JSON, or a plain list of moves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from zimcore.game import Command, Game, GameError, NotationError, parts
from zimcore.toolkit.player_names import NAME_PATTERN
from zimcore.transcripts.log_styles import (
    LIST_KEYS,
    PLAIN_STYLE,
    LogStyle,
    Row,
    find_header,
    find_unknown_header,
    move_fields,
    raw_rows,
)
from zimcore.transcripts.typos import imperative, near_words

COMMENT = re.compile(r"(^|\s)#.*")
HEADING = re.compile(r"\W*(?:round|r)\s*\d+\W*", re.IGNORECASE)
NUMBERING = re.compile(r"^(?:\d+[.)]\s+|[-*•]\s+)")
RESULT = re.compile(r"\s*(?:→|->|=>)\s*")
AMOUNT = re.compile(r"([+-]\d+) (\w+)")
REMARK = re.compile(r"\s+(?:\(([^()]*)\)|\[([^][]*)\]|(?:--|//|—)\s(.*))$")
"""A remark at the end of a line: `(hmm)`, `[late]`, `-- or so`. In a plan of goods no blank precedes a bracket."""
WORD = re.compile(r"[^\s;]+")
SEAT = re.compile(r"([^\W\d][\w.-]*)(?::\s*|\s+[-–—>|]+\s+)(?=\S)")
"""A seat in front of its move: `kilwa: bid 3`, `Kilwa - bid 3`."""
SQUARES = re.compile(r"[a-z]?\d+(?:[\s,/-]+[a-z]?\d+)*")
"""Squares and numbers, with nothing else."""
MAX_DEPTH, MAX_LOG_LINES, MAX_LENGTH, MAX_ROWS = 64, 20_000, 5_000, 60
"""Limits: nesting of brackets in JSON, lines of a log, characters of a line, rows by which columns are guessed."""


class LogLine(msgspec.Struct, frozen=True):
    """A move in a log: a line, or one of several moves on a line.

    `number` is the line number in the file, from 1. `seat` is the player in a column of its own, "" for none. `amounts`
    are the results that the line states: `+2 vp`. With `is_expectation` the text is not a move but an
    expression that must be true there.
    """

    number: int
    text: str
    seat: str = ""
    amounts: tuple[str, ...] = ()
    is_expectation: bool = False


class Transcript(msgspec.Struct, frozen=True):
    """A parsed log: its set-up (a command or options; None if missing), its moves, and the numbers of skipped lines.

    `preface` are the numbers of the lines before the set-up, which are skipped, too.
    """

    kind: str
    setup: Command | Mapping[str, str] | None
    lines: tuple[LogLine, ...]
    skipped: tuple[int, ...] = ()
    preface: tuple[int, ...] = ()


def parse_log(text: str, game: Game, skipped_words: Collection[str] = (), style: LogStyle = PLAIN_STYLE) -> Transcript:
    """Parses a log in a style. Lines that begin with a word of `skipped_words` are not moves.

    Raises `NotationError` if the text is not a log, or is too long.
    """
    stripped_text = text.lstrip("\ufeff \t\r\n")
    if len(text.splitlines()) > MAX_LOG_LINES:
        raise NotationError("the log is too long", f"it has more than {MAX_LOG_LINES} lines")
    if stripped_text.startswith(("{", "[")):
        log = _parse_json(stripped_text, game, style)
    else:
        lines = text.lstrip("\ufeff").splitlines()
        header = find_header(lines, style)
        log = _parse_table(lines, *header, game, style) if header else _parse_text(lines, game, skipped_words, style)
    long_line = next((line.number for line in log.lines if len(line.text) > MAX_LENGTH), 0)
    if long_line:
        raise NotationError(
            f"line {long_line} of the log", f"it has more than {MAX_LENGTH} characters, and a move has fewer"
        )
    return log


def kind_of(text: str) -> str:
    """The kind of game that a log names, by `--game` in its `new` line; "" if it names none."""
    header = re.search(r"^\s*(?:zim )?new\b.*--game[ =](\w+)", text, re.MULTILINE)
    return header[1] if header else ""


def _parse_table(lines: Sequence[str], header_index: int, separator: str, game: Game, style: LogStyle) -> Transcript:
    """A table with a header: its set-up is a row, or stands above the header. Raises `NotationError` for two games."""
    setup, log_text, skipped_lines = (
        _parse_text(lines[:header_index], game, (), style).setup,
        list[LogLine](),
        list[int](),
    )
    for number, texts in raw_rows(lines, header_index, separator):
        row = Row(number, *move_fields(texts, style))
        move, remark = split_remarks(style.translate(row.text), game.notation.SYNTAX)
        if move.startswith("new ") and not log_text:
            setup = parse_options(move.removeprefix("new "))
        elif move.startswith("new ") and parse_options(move.removeprefix("new ")):
            reason = "another game begins there, and a log has one"
            raise NotationError(f"line {row.number} of the log", reason, ["export --tables DIR GAME"])
        elif texts.get("number") == "0" and not row.seat:  # `log` prints a set-up that can't be typed like this
            skipped_lines.append(row.number)
        elif move:
            seat, result = style.our_seat(row.seat), parse_amounts(f"{style.translate(row.result)} {remark}")
            log_text += [LogLine(row.number, part, seat, result) for part in split_commands(game, move)]
    return Transcript(game.name, setup, tuple(log_text), tuple(skipped_lines))


def _parse_text(text: Sequence[str], game: Game, skipped_words: Collection[str], style: LogStyle) -> Transcript:
    setup: Mapping[str, str] | None = None
    lines, skipped_lines, preface = list[LogLine](), list[int](), tuple[int, ...]()
    for number, raw_line in enumerate(text, 1):
        move = style.translate(COMMENT.sub("", raw_line)).strip().removeprefix("zim ")
        if not move:
            continue
        is_setup = re.match(r"0(?:\s{2,}|\t)(?!new )", move)  # `log` prints a set-up that can't be typed like this
        move, remark = split_remarks(move, game.notation.SYNTAX)
        seat, move, result = split_columns(move)
        result = f"{result} {remark}"
        word, _, argument_text = move.partition(" ")
        if word.lower() == "new" and (not lines or (setup is None and parse_options(argument_text))):
            setup, preface, lines = (
                parse_options(argument_text),
                tuple(dict.fromkeys(line.number for line in lines)),
                [],
            )
            skipped_lines += preface
        elif word.lower() == "expect":
            lines.append(LogLine(number, argument_text.strip(), is_expectation=True))
        elif is_setup or word.lower() in skipped_words or HEADING.fullmatch(move):
            skipped_lines.append(number)
        else:
            lines += [LogLine(number, part, seat, parse_amounts(result)) for part in split_commands(game, move)]
    return Transcript(game.name, setup, tuple(lines), tuple(sorted(skipped_lines)), preface)


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
    return seat_match.end() if imperative(word, verbs) in verbs or (len(word) > 3 and _verb_of(word, verbs)) else 0


def split_commands(game: Game, text: str) -> Iterator[str]:
    """The commands of a line, which are separated by `;`.

    The verb may be misspelled: as `raise` takes several parts, `rasie j12; q6` is one command, not two.
    """
    syntax = game.notation.SYNTAX
    seat_match = SEAT.match(text)
    seat, move_text = (
        (f"{seat_match[1]}: ", text[seat_match.end() :])
        if seat_match and seat_match[1].lower() not in syntax
        else ("", text)
    )
    words = WORD.findall(move_text)
    if not seat and len(words) > 1 and not _verb_of(words[0], syntax) and _verb_of(words[1], syntax):
        seat = words.pop(0)
        seat, move_text = f"{seat} ", move_text.removeprefix(seat).lstrip()
    verb = words[0] if words else ""
    canonical_verb = _verb_of(verb, syntax) or verb
    first_part, *other_parts = [*parts(game.notation, canonical_verb + move_text.removeprefix(verb))] or [""]
    if first_part:
        yield seat + verb + first_part.removeprefix(canonical_verb)
    yield from other_parts


def _verb_of(word: str, syntax: Mapping[str, str]) -> str:
    """The verb of a word in any form (`bids`) or with a typo; "" for none."""
    word = word.lower().rstrip(",")
    imperative_verb = imperative(word, syntax)
    return (
        imperative_verb
        if imperative_verb in syntax
        else next((verb for _, verb in near_words(word, frozenset(syntax))), "")
    )


def split_columns(text: str) -> tuple[str, str, str]:
    """Splits a line into seat, move and result, which may be in columns, as `log` prints them.

    >>> split_columns("12  mutapa      adore obatala     +7 VR  @r1.lozi")
    ('mutapa', 'adore obatala', '+7 VR')
    >>> split_columns("1  zulu (O'Hara)  bid 3")
    ('zulu', 'bid 3', '')
    >>> split_columns("3. Zulu: bid 3 -> -3 cattle")
    ('', 'Zulu: bid 3', '-3 cattle')
    >>> split_columns("3")
    ('', '3', '')
    """
    cells = [part for part in re.split(r"\s{2,}|\t", text) if not part.startswith("@")] or [text]
    if len(cells) > 1 and re.fullmatch(r"@?\d+[.)]?", cells[0]):
        del cells[0]
    seat = cells.pop(0).rstrip(":").partition(" ")[0] if _has_seat(cells) else ""
    move, *results = [*RESULT.split(NUMBERING.sub("", cells[0], count=1), maxsplit=1), *cells[1:]]
    return seat, move.strip(), " ".join(results)


def _has_seat(cells: Sequence[str]) -> bool:
    """Whether the first column is a seat: one word, and perhaps its player's name in brackets.

    The next column has to be a move, not a result (`pass  -1 cattle`).
    """
    if len(cells) < 2 or not re.fullmatch(rf"[^\W\d]+(?: \({NAME_PATTERN}\))?:?", cells[0]):
        return False
    return not re.match(r"[+-]\d|.*[:,]", cells[1]) or "@" in cells[1]


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


def _parse_json(text: str, game: Game, style: LogStyle) -> Transcript:
    """Parses JSON: our own documents, one or several lines, or a list of moves `{"seat": "zulu", "text": "bid 3"}`.

    A move may also be a plain text. Keys may have other names, such as `player` and `move`; the options of the game may
    be next to its moves.
    """
    documents = _documents(text)
    setup: Command | Mapping[str, str] | None = _options_beside_moves(documents, game)
    lines = list[LogLine]()
    for move in _moves_in(documents):
        match move:
            case {"events": [{"event": _, "command": {"do": str()}} as played_move, *_], "seat": ""} if not lines:
                setup = _setup_command(game, played_move)
            case str(move_text) | {"text": str(move_text)} if move_text.startswith("new ") and not lines:
                setup = parse_options(move_text.removeprefix("new "))
            case str(move_text):
                lines += [LogLine(len(lines) + 1, part) for part in split_commands(game, style.translate(move_text))]
            case {} if move_text := move_fields(move, style)[1]:
                seat, _, result = move_fields(move, style)
                move_text, result = style.translate(move_text), style.translate(result)
                lines.append(LogLine(len(lines) + 1, move_text, style.our_seat(seat), parse_amounts(result)))
            case dict() if not lines and (game_options := _options_in(move, game)):
                setup = game_options
            case _:
                reason = 'a move is {"seat": "zulu", "text": "bid 3"}, or a text'
                raise NotationError("no log", reason, ["audit FILE --learn STYLE", "import FILE", "verify FILE"])
    return Transcript(game.name, setup, tuple(lines))


def _documents(text: str) -> list[Any]:
    """The documents of JSON: one on each line, or one alone. Raises `NotationError` if there is none."""
    if nesting_depth(text) > MAX_DEPTH:
        raise NotationError("the log is nested too deep", f"more than {MAX_DEPTH} brackets are nested")
    try:
        return list(msgspec.json.Decoder().decode_lines(text))
    except msgspec.DecodeError:
        try:
            return [msgspec.json.decode(text)]
        except msgspec.DecodeError as error:
            raise NotationError("no log", f"it is not JSON: {str(error).lower()}", ["help audit"]) from None


def unknown_rows(text: str, game: Game, style: LogStyle = PLAIN_STYLE) -> list[tuple[int, Mapping[str, Any]]]:
    """The first moves of a table, or of JSON, whose columns a style does not know: line numbers, and values by column.

    [] for every other log.
    """
    stripped_text = text.lstrip("\ufeff \t\r\n")
    if stripped_text.startswith(("{", "[")):
        moves = [
            move
            for move in _moves_in(_documents(stripped_text))
            if isinstance(move, dict) and not _options_in(move, game)
        ]
        is_known = any(move_fields(move, style)[1] or {"events", "text"} & {*move} for move in moves)
        return [] if is_known else [*enumerate(moves[:MAX_ROWS], 1)]
    lines = text.lstrip("\ufeff").splitlines()
    header = None if find_header(lines, style) else find_unknown_header(lines)
    return [row for row in islice(raw_rows(lines, *header), MAX_ROWS) if row[1]] if header else []


def nesting_depth(text: str) -> int:
    """The deepest nesting of brackets (brackets in strings count, too)."""
    open_brackets = deepest = 0
    for char in re.findall(r"[\[\]{}]", text):
        open_brackets += 1 if char in "[{" else -1
        deepest = max(deepest, open_brackets)
    return deepest


def _moves_in(documents: Sequence[Any]) -> Iterator[Any]:
    for document in documents:
        match document:
            case [*moves]:
                yield from moves
            case {} if move_list := [document[key] for key in LIST_KEYS if isinstance(document.get(key), list)]:
                yield from move_list[0]
            case dict() if not {"events", "text"} & {*document} and (lists := _lists_of_objects(document)):
                yield from max(lists, key=len)
            case _:
                yield document


def _lists_of_objects(document: Mapping[str, Any]) -> list[list[Any]]:
    """The lists of objects in an object: one of them has the moves, though its key is in another language."""
    lists = [value for value in document.values() if isinstance(value, list) and value]
    return [value for value in lists if all(isinstance(item, Mapping) for item in value)]


def _options_beside_moves(documents: Sequence[Any], game: Game) -> dict[str, str] | None:
    """The options of a game that stand beside its moves: `{"players": 3, "seed": 7, "moves": [...]}`."""
    match documents:
        case [dict() as document] if not isinstance(document.get("commits"), list):
            return _options_in(document, game) or None
    return None


def _options_in(document: Mapping[str, Any], game: Game) -> dict[str, str]:
    """The options of a game in an object, or in its `options` or `setup`."""
    nested_options = document.get("options", document.get("setup", {}))
    all_options = {**document, **(nested_options if isinstance(nested_options, Mapping) else {})}
    game_options = {name: all_options[name] for name in all_options if name == "seed" or name in game.rules.OPTIONS}
    return {
        name: ",".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in game_options.items()
    }


def _setup_command(game: Game, move: Any) -> Command:
    """The command of a stored set-up event. Raises `GameError` if it can't be read, as when parts are hidden."""
    try:
        command: Command = msgspec.convert(move, game.evolution.EVENTS[0]).command  # type: ignore[attr-defined]
    except msgspec.ValidationError as error:
        raise GameError(
            "the set-up of this log can't be read",
            str(error).lower(),
            ["log PLACE --open --json", "audit FILE --game KIND"],
        ) from None
    return command
