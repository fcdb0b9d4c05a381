"""Finds games of onlineboardgamers.com in a text: a saved page, JSON, or the packed data alone; several of them, too.

The text is parsed, whatever it begins with. A text without a game gives none; it may be a log.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

import msgspec

from zimcore.game import NotationError
from zimcore.games.zimbabwe.recordings.packing import parse_json, unpack

ASSIGNMENT = re.compile(
    r"""\b(game(?:Data|ID|Name|CreationTimestamp)|chatData)\s*=\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\d+)"""
)
"""A line of a page's script: `initData.gameID = 9102;`."""
MAX_ENTRIES, MAX_REMARKS, MAX_GAMES = 20_000, 5_000, 1_000
"""The most entries of a history, messages of a chat, and games of a file."""
SNLB = "SNLB"
"""What the site writes for a line break in a message."""


class Player(msgspec.Struct, frozen=True, array_like=True):
    """A player, in seat order. A god is `[id, cattle]`; newer games have a list of these. -1 is none."""

    name: str
    shown_name: str
    colour: int
    cattle: int
    monuments: tuple[tuple[int, int], ...]
    craftsmen: tuple[tuple[int, int, int], ...]
    prices: tuple[int, ...]
    god: tuple[Any, ...]
    specialists: tuple[tuple[int, int], ...]
    technologies: tuple[tuple[int, int], ...]
    marker: float

    @property
    def gods(self) -> tuple[int, ...]:
        """The gods that the player has adopted, by number."""
        pairs = self.god if self.god and isinstance(self.god[0], list) else [self.god]
        return tuple(pair[0] for pair in pairs if pair and isinstance(pair[0], int) and pair[0] >= 0)


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """An entry of the history: its kind, the player's number (-1 for none), seconds since the game began, and data."""

    kind: int
    player: int
    seconds: float
    data: Any


class Progress(msgspec.Struct, frozen=True, array_like=True):
    """Where the game is: turn, phase, the players still to act, and all in this round's order."""

    turn: int
    phase: int
    to_act: tuple[int, ...]
    order: tuple[int, ...]


class GameData(msgspec.Struct, frozen=True, array_like=True):
    """The state of a game and its history, as stored there. `vr` has those of gods and specialists, if changed."""

    players: tuple[Player, ...]
    tiles: tuple[int, ...]
    resources: Any
    water: Any
    board: tuple[int, ...]
    progress: Progress
    stock: tuple[int, ...]
    history: tuple[Entry, ...]
    used: Any
    bids: Any
    gods_left: tuple[int, ...]
    specialists_left: tuple[int, ...]
    vr: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


class SavedGame(msgspec.Struct, frozen=True):
    """A game as found: its data, number and name on the site, when it began (milliseconds, 0 if unknown), and its chat.

    A message of the chat has a name, milliseconds and a text; the oldest comes first.
    """

    data: GameData
    number: int = 0
    name: str = ""
    created: int = 0
    chat: tuple[tuple[str, int, str], ...] = ()


def saved_games(text: str) -> Iterator[SavedGame]:
    """The games in a text. Raises `NotationError` for a game that is damaged, or in a form that can't be read."""
    documents = [*_documents(text)]
    if len(documents) > MAX_GAMES:
        raise NotationError("the file has too many games", f"it has more than {MAX_GAMES:,}")
    for fields in documents:
        yield _saved_game(fields)


def _documents(text: str) -> Iterator[Mapping[str, Any]]:
    """The fields of each game in a text: `gameData`, and others by the names that a page gives them."""
    if "gameData" in text and (value := parse_json(text)) is not None:
        yield from _documents_in_json(value)
    elif "gameData" in text:
        yield from _documents_in_pages(text)
    elif _is_game(value := unpack(text)):
        yield {"gameData": value}
    else:
        words = text.split()
        if 1 < len(words) <= MAX_GAMES:
            values = [*takewhile(_is_game, map(unpack, words))]  # of a log only the first word is unpacked
            if len(values) == len(words):
                yield from ({"gameData": value} for value in values)


def _documents_in_json(value: Any) -> Iterator[Mapping[str, Any]]:
    for document in value if isinstance(value, list) else [value]:
        if isinstance(document, dict) and document.get("gameData"):
            renamed_fields = {"gameID": document.get("id"), "gameCreationTimestamp": document.get("created")}
            yield {**renamed_fields, **document}


def _documents_in_pages(text: str) -> Iterator[Mapping[str, Any]]:
    """The games of one or more saved pages. A page names each field once, its number first."""
    fields = dict[str, Any]()
    for name, value in ASSIGNMENT.findall(text):
        if name in fields:
            yield from [fields] if "gameData" in fields else []
            fields = {}
        fields[name] = _script_value(value)
    if "gameData" in fields:
        yield fields


def _script_value(literal: str) -> Any:
    """The value of a number or a string of a script, in either quotes."""
    if literal[0] == "'":
        literal = f'"{literal[1:-1].replace(chr(92) + chr(39), chr(39)).replace(chr(34), chr(92) + chr(34))}"'
    value = parse_json(literal)
    return literal[1:-1] if value is None else value


def _is_game(value: Any) -> bool:
    """Whether a value has the form of a game: a list with a list of players and, as its 8th element, a history."""
    return (
        isinstance(value, list)
        and 12 <= len(value) <= 14
        and all(isinstance(value[index], list) and value[index] for index in (0, 1, 4, 5, 7))
        and all(isinstance(entry, list) and len(entry) == 4 for entry in value[7])
    )


def _saved_game(fields: Mapping[str, Any]) -> SavedGame:
    value = fields["gameData"]
    value = unpack(value) if isinstance(value, str) else value
    if not _is_game(value):
        raise NotationError(
            "the game's data can't be read", "it is damaged, or the site has changed its form", ["help import"]
        )
    if len(value[7]) > MAX_ENTRIES:
        raise NotationError("the game's history is too long", f"it has more than {MAX_ENTRIES:,} entries")
    try:
        data = msgspec.convert(value, GameData)
    except msgspec.ValidationError as error:
        raise NotationError("the game's data can't be read", str(error), ["help import"]) from error
    return SavedGame(
        data=data,
        number=_whole_number(fields.get("gameID")),
        name=html.unescape(str(fields.get("gameName") or "")),
        created=_whole_number(fields.get("gameCreationTimestamp")),
        chat=_chat(fields.get("chatData")),
    )


def _whole_number(value: Any) -> int:
    """A number that may be written as a text; 0 for anything else, and for numbers that no time or game can have."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 15 else 0


def _chat(packed: Any) -> tuple[tuple[str, int, str], ...]:
    """The messages of a chat, the oldest first; none if they can't be read."""
    value = unpack(packed) if isinstance(packed, str) else packed
    messages = list[tuple[str, int, str]]()
    for message in value[:MAX_REMARKS] if isinstance(value, list) else ():
        if isinstance(message, list) and len(message) >= 3 and isinstance(message[2], str):
            text = html.unescape(message[2]).replace(SNLB, "\n")
            messages.append((html.unescape(str(message[0])), _whole_number(message[1]), text))
    return tuple(reversed(messages))
