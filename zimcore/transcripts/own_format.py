"""Reads what zim runs and writes: scripts, what `log` prints, tables and JSON.

A table or JSON of others is read, too, if its columns or keys have names that Zim or a style knows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import or_
from typing import Any

import msgspec

from zimcore.game import Command, Game, GameError, NotationError, Refused
from zimcore.toolkit.characters import lines_of, plain_digits, plain_text
from zimcore.toolkit.player_names import NAME_PATTERN
from zimcore.transcripts.line_parts import (
    COMMENT,
    NUMBERING,
    RESULT,
    parse_amounts,
    parse_options,
    split_commands,
    verb_of,
)
from zimcore.transcripts.log_styles import (
    LIST_KEYS,
    PLAIN_STYLE,
    LogStyle,
    find_header,
    find_unknown_header,
    move_fields,
    raw_rows,
)
from zimcore.transcripts.records import Control, LogLine, Row, Setup, Transcript, control_of, play_rows

NODE = re.compile(r"[│├─╮╰╯┬┴┼|+?\\/ -]*[●○*o]\s{2,}(?=\d+\s)")
"""What `log --all` draws before a move: a full circle on the line of the head, an empty one on a branch."""
SETUP_ROW = re.compile(r"\s*0(?:\s{2,}|\t)(?!new )(.*?)(?:\s{2,}.*)?$")
"""How `log` prints a set-up that can't be typed."""
JSON_START = re.compile(r"\s*[\[{]\s*(?:[\[{\]}\"]|\Z)")
"""Begins what can only be meant as JSON."""
MAX_DEPTH, MAX_LOG_LINES, MAX_LENGTH, MAX_ROWS = 64, 20_000, 5_000, 60
"""Limits: nesting of brackets in JSON, lines of a log, characters of a line, rows by which columns are guessed."""


def parse_log(text: str, game: Game, skipped_words: Collection[str] = (), style: LogStyle = PLAIN_STYLE) -> Transcript:
    """Parses a log of one game in a style. Lines that begin with a word of `skipped_words` are not moves.

    Raises `NotationError` if the text is not a log, is too long, or has a second game.
    """
    log, *other_logs = parse_logs(text, game, skipped_words, style)
    if other_logs:
        reason = "another game begins there, and a log has one"
        raise NotationError(f"line {other_logs[0].first_line} of the log", reason, ["audit FILE"])
    return log


def parse_logs(
    text: str, game: Game, skipped_words: Collection[str] = (), style: LogStyle = PLAIN_STYLE
) -> list[Transcript]:
    """Parses the logs in a text: each set-up begins one. See `parse_log`."""
    text = plain_digits(plain_text(text))
    lines = lines_of(text)
    if len(lines) > MAX_LOG_LINES:
        raise NotationError("the log is too long", f"it has more than {MAX_LOG_LINES} lines")
    documents = find_documents(text)
    if documents is not None:
        logs = [*_parse_json(documents, game, style)]
    else:
        header = find_header(lines, style)
        if header:
            logs = [*_parse_table(lines, *header, game, style)]
        else:
            logs = [*_parse_text(lines, game, skipped_words, style)]
    long_line = next((line.number for log in logs for line in log.lines if len(line.text) > MAX_LENGTH), 0)
    if long_line:
        raise NotationError(
            f"line {long_line} of the log", f"it has more than {MAX_LENGTH} characters, and a move has fewer"
        )
    return logs


def kind_of(text: str, games: Iterable[Game] = ()) -> str:
    """The kind of game that a log names by `--game`, or of which its first events or its set-up are; "" for none."""
    if header := re.search(r"^\s*(?:0\s+)?(?:zim )?new\b.*--game[ =](\w+)", text, re.MULTILINE):
        return header[1]
    documents, lines = find_documents(plain_text(text)), lines_of(plain_text(text))
    table = find_header(lines) if documents is None else None
    rows = (
        ({"events": _events_in(cells)} for _, cells in raw_rows(lines, *table)) if table else _moves_in(documents or ())
    )
    events = next((row.get("events") for row in rows if isinstance(row, dict)), None)
    setup_row = next((row for line in lines if (row := SETUP_ROW.match(line))), None)
    for game in games:
        if isinstance(events, list) and events and _are_events_of(game, events):
            return game.name
        if setup_row and usual_setup(game, setup_row[1]):
            return game.name
    return ""


def usual_setup(game: Game, text: str) -> Command | None:
    """The set-up without options, if `log` prints it as this text, and it leaves nothing to chance; else None."""
    try:
        commands = [game.rules.set_up({}, seed) for seed in (1, 2)]
    except GameError:
        return None
    is_usual = commands[0] == commands[1] and game.notation.format(commands[0]) == text
    return commands[0] if is_usual else None


def _are_events_of(game: Game, events: Sequence[Any]) -> bool:
    try:
        for event in events:
            msgspec.convert(event, _event_type(game))
    except msgspec.ValidationError:
        return False
    return True


def _event_type(game: Game) -> Any:
    return reduce(or_, game.evolution.EVENTS)


def _parse_table(
    lines: Sequence[str], header_index: int, separator: str, game: Game, style: LogStyle
) -> Iterator[Transcript]:
    """A table with a header: its set-up is a row, or stands above the header. Each further set-up begins a log."""
    (*_, above) = _parse_text(lines[:header_index], game, (), style)
    setup: Setup | None = above.setup
    first_line, root_digest = above.first_line, ""
    rows, skipped_lines = list[Row](), list[int]()
    for number, texts in raw_rows(lines, header_index, separator):
        seat, text, result = move_fields(texts, style)
        move, *other_lines = style.translate(text).strip().split("\n")
        if move.startswith("new ") and (not rows or parse_options(move.removeprefix("new "))):
            if rows:
                yield play_rows(rows, root_digest).transcript(game.name, setup, skipped_lines, first_line=first_line)
                rows, skipped_lines = [], []
            setup, root_digest = parse_options(move.removeprefix("new ")), texts.get("digest", "")
            first_line = number
        elif texts.get("number") == "0" and not seat:  # `log` prints a set-up that can't be typed like this
            setup = _setup_in({"events": _events_in(texts), "seat": ""}, game, is_first=not rows) or setup
            skipped_lines.append(number)
            root_digest = texts.get("digest", "")
        elif move:
            seat, amounts = style.our_seat(seat), parse_amounts(style.translate(result))
            parts = [LogLine(number, part, seat, amounts) for part in split_commands(game, move)]
            parts += [
                LogLine(number, part, seat) for line in other_lines for part in split_commands(game, line.strip())
            ]
            rows.append(numbered_row(parts, texts))
    yield play_rows(rows, root_digest).transcript(game.name, setup, skipped_lines, first_line=first_line)


def _events_in(cells: Mapping[str, Any]) -> list[Any]:
    """The events in a row of a table that `log` has written; [] for every other row."""
    try:
        return msgspec.json.decode(cells.get("events", ""), type=list[Any])
    except msgspec.DecodeError:
        return []


def numbered_row(lines: Sequence[LogLine], cells: Mapping[str, Any], *, is_undone: bool = False) -> Row:
    """The moves of a row with what its cells say about its place in the log."""
    number = str(cells.get("number", ""))
    digest, parent = (str(cells.get(name) or "") for name in ("digest", "parent"))
    return Row(tuple(lines), int(number) if re.fullmatch(r"[0-9]{1,6}", number) else 0, digest, parent, is_undone)


def _parse_text(
    text: Sequence[str], game: Game, skipped_words: Collection[str], style: LogStyle
) -> Iterator[Transcript]:
    setup: Setup | None = None
    first_line = 0
    rows, skipped_lines, preface = list[Row | Control](), list[int](), tuple[int, ...]()
    for number, raw_line in enumerate(text, 1):
        node = NODE.match(raw_line)
        line = style.translate(COMMENT.sub("", raw_line[node.end() :] if node else raw_line)).strip()
        if not (line := line.removeprefix("zim ")):
            continue
        setup_row = SETUP_ROW.match(line)
        row_number = line.partition(" ")[0] if node else ""
        seat, move, result = split_columns(line)
        word, _, argument_text = move.partition(" ")
        lines, control = list[LogLine](), control_of(line)
        if control and control.verb not in game.notation.SYNTAX and setup is not None:
            rows.append(control)
            skipped_lines.append(number)
        elif word.lower() == "new" and (not rows or parse_options(argument_text)):
            option_text, _, move = argument_text.partition(";")
            if setup is not None and rows:
                yield play_rows(rows).transcript(game.name, setup, sorted(skipped_lines), preface, first_line)
                rows, skipped_lines = [], []
            setup, first_line = parse_options(option_text), number
            preface = tuple(dict.fromkeys(line.number for row in rows if isinstance(row, Row) for line in row.lines))
            rows, skipped_lines = [], [*skipped_lines, *preface]
            lines += [LogLine(number, part.strip()) for part in split_commands(game, move.strip()) if part.strip()]
        elif word.lower() == "expect":
            lines.append(LogLine(number, argument_text.strip(), is_expectation=True))
        elif setup_row or word.lower() in skipped_words:
            setup = usual_setup(game, setup_row[1]) if setup_row else setup
            skipped_lines.append(number)
        else:
            lines += [LogLine(number, part, seat, parse_amounts(result)) for part in split_commands(game, move)]
        if lines:
            is_undone = node is not None and node[0].rstrip()[-1] in "○o"
            rows.append(numbered_row(lines, {"number": row_number}, is_undone=is_undone))
    yield play_rows(rows).transcript(game.name, setup, sorted(skipped_lines), preface, first_line)


def split_columns(text: str) -> tuple[str, str, str]:
    """Splits a line into seat, move and result, which may be in columns, as `log` prints them.

    >>> split_columns("12  mutapa      adore obatala     +7 VR  @r1.lozi")
    ('mutapa', 'adore obatala', '+7 VR')
    >>> split_columns("1  zulu (O'Hara)  bid 3")
    ('zulu', 'bid 3', '')
    >>> split_columns("3")
    ('', '3', '')
    """
    cells = [part for part in re.split(r"\s{2,}|\t", text) if not part.startswith("@")] or [text]
    if len(cells) > 1 and re.fullmatch(r"@?\d+", cells[0]):
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


def _parse_json(documents: Sequence[Any], game: Game, style: LogStyle) -> Iterator[Transcript]:
    """Parses JSON: our own documents, one or several lines, or a list of moves `{"seat": "zulu", "text": "bid 3"}`.

    A move may also be a plain text. Keys may have other names, such as `player` and `move`; the options of the game may
    be next to its moves. Each further set-up begins a log.
    """
    setup: Setup | None = _options_beside_moves(documents, game)
    rows, count, root_digest, first_line = list[Row | Control](), 0, "", 0
    heads = _head_digests(documents)
    for index, move in enumerate(_moves_in(documents), 1):
        cells, lines = move if isinstance(move, dict) else {}, list[LogLine]()
        found_setup = _setup_in(move, game, is_first=not rows)
        if found_setup is not None:
            if rows:
                yield play_rows(rows, root_digest, heads).transcript(game.name, setup, first_line=first_line)
                rows, count = [], 0
            setup, root_digest, first_line = found_setup, str(cells.get("digest", "")), index
            continue
        match move:
            case str(move_text) if control := control_of(move_text):
                rows.append(control)
            case str(move_text):
                lines += [LogLine(count + 1, part) for part in split_commands(game, style.translate(move_text))]
            case {} if move_text := move_fields(move, style)[1]:
                seat, _, result = move_fields(move, style)
                move_text, result = style.translate(move_text), style.translate(result)
                lines.append(LogLine(count + 1, move_text, style.our_seat(seat), parse_amounts(result)))
            case _:
                reason = 'a move is {"seat": "zulu", "text": "bid 3"}, or a text'
                raise NotationError("no log", reason, ["audit FILE --learn STYLE", "import FILE", "verify FILE"])
        if lines:
            count += len(lines)
            rows.append(numbered_row(lines, cells))
    yield play_rows(rows, root_digest, heads).transcript(game.name, setup, first_line=first_line)


def _setup_in(move: Any, game: Game, *, is_first: bool) -> Setup | None:
    """The set-up that a row of JSON is; None for a move. Options alone are one only before the first move."""
    match move:
        case {"events": [{"event": _, "command": {"do": str()}}, *_] as events, "seat": ""}:
            return _setup_of_events(game, events)
        case str(text) | {"text": str(text)} if text.startswith("new ") and (is_first or parse_options(text[4:])):
            return parse_options(text.removeprefix("new "))
        case dict() if is_first and not move_fields(move)[1]:
            return _options_in(move, game) or None
    return None


def _head_digests(documents: Sequence[Any]) -> frozenset[str]:
    """The digests of the heads in documents of `log`."""
    positions = (document.get("position") for document in documents if isinstance(document, dict))
    return frozenset(str(each.get("digest", "")) for each in positions if isinstance(each, dict)) - {""}


def find_documents(text: str) -> list[Any] | None:
    """The documents of JSON: one on each line, or one alone; None for another text.

    Brackets also begin a line of a chat or of a forum. Raises `NotationError` for what only can be meant as JSON.
    """
    if not text.lstrip().startswith(("{", "[")):
        return None
    if nesting_depth(text) > MAX_DEPTH:
        raise NotationError("the log is nested too deep", f"more than {MAX_DEPTH} brackets are nested")
    try:
        return list(msgspec.json.Decoder().decode_lines(text))
    except msgspec.DecodeError:
        try:
            return [msgspec.json.decode(text)]
        except msgspec.DecodeError as error:
            if not JSON_START.match(text):
                return None
            raise NotationError("no log", f"it is not JSON: {str(error).lower()}", ["help audit"]) from None


def document_lines(documents: Sequence[Any], game: Game, style: LogStyle) -> tuple[list[str], Mapping[str, str] | None]:
    """The rows of JSON as lines `key: value | key: value`, with the move last, and the set-up beside them."""
    rows = [*_moves_in(documents)]
    texts = [dict(_flat_texts(row)) for row in rows]
    beside = [text for document in documents if document not in rows for _, text in _flat_texts(document)]
    verbs = Counter(
        key
        for row in texts
        for key, text in row.items()
        if verb_of(style.our_word(text.partition(" ")[0]), game.notation.SYNTAX)
    )
    lines = [
        " | ".join(
            f"{key}: {' '.join(text.split())}" for key, text in sorted(row.items(), key=lambda cell: verbs[cell[0]])
        )
        for row in texts
    ]
    return [*(text for text in beside if text.startswith("new ")), *lines], _options_beside_moves(documents, game)


def _flat_texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts and numbers in a value, each with the keys that lead to it. Those of a list under a key are one."""
    match value:
        case str() | int():
            yield name, str(value)
        case dict():
            for key, inner in value.items():
                yield from _flat_texts(inner, f"{name} {key}".strip())
        case [*_] if name and all(isinstance(item, str | int) for item in value):
            yield name, " ".join(map(str, value))
        case [*_] if all(isinstance(item, str | int) for item in value):
            yield from ((str(number), str(item)) for number, item in enumerate(value, 1))


def unknown_rows(text: str, game: Game, style: LogStyle = PLAIN_STYLE) -> list[tuple[int, Mapping[str, Any]]]:
    """The first moves of a table, or of JSON, whose columns a style does not know: line numbers, and values by column.

    [] for every other log.
    """
    documents = find_documents(plain_text(text))
    if documents is not None:
        moves = [move for move in _moves_in(documents) if isinstance(move, dict) and not _options_in(move, game)]
        is_known = any(move_fields(move, style)[1] or {"events", "text"} & {*move} for move in moves)
        return [] if is_known else [*enumerate(moves[:MAX_ROWS], 1)]
    lines = lines_of(plain_text(text))
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


def _setup_of_events(game: Game, events: Sequence[Any]) -> Setup:
    """The command of a set-up or, where a part of it is hidden, what it has dealt. Raises `GameError`."""
    try:
        played, *dealt = (msgspec.convert(event, _event_type(game)) for event in events)
    except msgspec.ValidationError as error:
        raise GameError(
            "the set-up of this log can't be read",
            str(error).lower(),
            ["log PLACE --json", "audit FILE --game KIND"],
        ) from None
    command: Command = played.command
    decision = game.rules.decide(game.evolution.initial(), "", command)
    return tuple(dealt) if isinstance(decision, Refused) else command
