"""The styles that people write a game down in, and what they answer to questions about them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path

from zimcore.bots.bot_match import play_configured_bots
from zimcore.bots.registry import parse_bot
from zimcore.games.zimbabwe import GAME

Moves = Sequence[tuple[str, str]]
"""The seat and the text of each move."""
COLOURS = {"kilwa": "Red", "mutapa": "Yellow", "zulu": "Blue"}
GERMAN_COLOURS = {"kilwa": "Rot", "mutapa": "Gelb", "zulu": "Blau"}
PEOPLE = {"kilwa": "Ann", "mutapa": "Ben", "zulu": "Cleo"}
GERMAN_VERBS = {
    "start": "beginnt",
    "bid": "bietet",
    "pass": "passt",
    "adore": "verehrt",
    "build": "baut",
    "craft": "setzt",
}
GERMAN_VERBS |= {"price": "verlangt", "raise": "erhöht", "end": "beendet", "hire": "heuert", "use": "nutzt"}
SENTENCE_BY_VERB = {
    "start": "starts at {}",
    "bid": "bids {} cattle",
    "pass": "passes",
    "build": "builds a monument at {}",
}
SENTENCE_BY_VERB |= {
    "craft": "places a {}",
    "price": "sets the price of the {}",
    "end": "ends the turn",
    "hire": "hires {}",
}
REMARKS = ("  (hmm)", "", "", " -- nice", "", " !!")
SQUARE = re.compile(r"\b([a-r])(\d+)\b")
SEAT_BY_NAME = {name.lower(): seat for names in (COLOURS, GERMAN_COLOURS, PEOPLE) for seat, name in names.items()}
SEAT_BY_NAME |= {"m": "mutapa", "k": "kilwa", "z": "zulu"}
FIELD_NAMES = {"spieler": "seat", "who": "seat", "aktion": "move", "did": "move"}
VERB_BY_WORD = {word: verb for verb, word in GERMAN_VERBS.items()} | {"für": "price", "places": "craft"}
MEANING_BY_WORD = SEAT_BY_NAME | FIELD_NAMES | VERB_BY_WORD
"""What the author of a log answers; all other words mean nothing."""


def split_verb(text: str) -> tuple[str, str]:
    """The verb of a move, and the rest."""
    verb, _, arguments = text.partition(" ")
    return verb, arguments


def write_lines(begin_line: str, moves: Sequence[str] | Iterator[str], header: str = "") -> str:
    return "\n".join([begin_line, *header.splitlines(), *moves, ""])


def write_with_header(begin_line: str, moves: Moves) -> str:
    output = StringIO()
    writer = csv.writer(output)
    writer.writerow(["turn", "player", "action", "details"])
    writer.writerows([turn, COLOURS[seat], *split_verb(text)] for turn, (seat, text) in enumerate(moves, 1))
    return f"{begin_line}\n{output.getvalue()}"


def german_lines(moves: Moves) -> Iterator[str]:
    for seat, text in moves:
        verb, arguments = split_verb(text)
        yield f"{GERMAN_COLOURS[seat]}: {GERMAN_VERBS[verb]} {arguments.replace(' price ', ' für ')}".rstrip()


def prose_lines(moves: Moves) -> Iterator[str]:
    for seat, text in moves:
        verb, arguments = split_verb(text)
        yield f"{seat.title()} {SENTENCE_BY_VERB.get(verb, f'{verb}s {{}}').format(arguments)}."


def lines_with_square_first(moves: Moves) -> Iterator[str]:
    """Without ends and goods, and the number of a square first."""
    for seat, text in moves:
        verb, arguments = split_verb(text)
        arguments = SQUARE.sub(r"\2\1", arguments)
        if verb == "raise":
            arguments = ", ".join(part.split()[0] for part in arguments.split(";"))
        if verb != "end":
            yield f"{seat.title()}: {verb}s {arguments}".replace("passs", "passes")


def parse_options(begin_line: str) -> dict[str, str]:
    return dict(word.split("=") for word in begin_line.split()[1:])


def write_nested_json(begin_line: str, moves: Moves) -> str:
    return json.dumps(
        {**parse_options(begin_line), "moves": [{"player": COLOURS[seat], "move": text} for seat, text in moves]}
    )


def write_json_lines(begin_line: str, moves: Moves) -> str:
    return "\n".join(
        map(json.dumps, [parse_options(begin_line), *({"did": text, "who": seat} for seat, text in moves)])
    )


def numbered_lines(template: str, names: Mapping[str, str], moves: Moves) -> Iterator[str]:
    for number, (seat, text) in enumerate(moves, 1):
        yield template.format(
            number=number, name=names.get(seat, seat.title()), text=text, remark=REMARKS[number % len(REMARKS)]
        )


STYLES: Mapping[str, Callable[[str, Moves], str]] = {
    "colours": lambda begin_line, moves: write_lines(begin_line, numbered_lines("{name}: {text}", COLOURS, moves)),
    "initials": lambda begin_line, moves: write_lines(
        begin_line, [f"{seat[0].upper()} {text}" for seat, text in moves]
    ),
    "header": write_with_header,
    "German": lambda begin_line, moves: write_lines(begin_line, german_lines(moves)),
    "prose": lambda begin_line, moves: write_lines(begin_line, prose_lines(moves)),
    "JSON of others": write_nested_json,
    "numbers and dashes": lambda begin_line, moves: write_lines(
        begin_line, numbered_lines("{number}. {name} - {text}", {}, moves)
    ),
    "Windows": lambda begin_line, moves: (
        "\ufeff" + write_lines(begin_line, [f"{seat}: {text}".upper() for seat, text in moves]).replace("\n", "\r\n")
    ),
    "German header": lambda begin_line, moves: write_lines(
        begin_line, numbered_lines("{number}\t{name}\t{text}", GERMAN_COLOURS, moves), "Zug\tSpieler\tAktion"
    ),
    "lines of JSON": write_json_lines,
    "notes": lambda begin_line, moves: write_lines(begin_line, lines_with_square_first(moves)),
    "names and remarks": lambda begin_line, moves: write_lines(
        begin_line, numbered_lines("{name} — {text}{remark}", PEOPLE, moves)
    ),
    "table of a wiki": lambda begin_line, moves: write_lines(
        begin_line,
        numbered_lines("| {number} | {name} | {text} |", COLOURS, moves),
        "\n| # | Player | Move |\n|---|---|---|",
    ),
    "no header": lambda begin_line, moves: write_lines(begin_line, numbered_lines("{number},{name},{text}", {}, moves)),
}
"""Each style writes the set-up (a line) and the moves."""


def write_league(folder: Path, game_count: int) -> None:
    """Writes a folder of logs, each of another game and in one of nearly all styles, and the style of them all."""
    folder.mkdir()
    styles = [style for style in STYLES if style != "no header"]
    for number in range(1, game_count + 1):
        match = play_configured_bots(GAME, [parse_bot("peer")] * 3, {"players": "3", "max_rounds": "3"}, number)
        moves = [(seat, GAME.notation.format(command)) for seat, command in match.moves]
        log = STYLES[styles[number % len(styles)]](f"new players=3 seed={number} max_rounds=3", moves)
        (folder / f"{number:02}.log").write_text(log, "utf-8", newline="")
    tables_by_name = {"columns": FIELD_NAMES, "seats": SEAT_BY_NAME, "words": {**VERB_BY_WORD, "sets": ""}}
    table_texts = (
        f"[{name}]\n" + "".join(f'"{key}" = "{value}"\n' for key, value in table.items())
        for name, table in tables_by_name.items()
    )
    folder.with_suffix(".toml").write_text("\n".join(table_texts), "utf-8")
