"""Translates games recorded by an independent engine into our options, commands and positions.

A document (`zim-conformance/1`) says how a game was dealt, and for each step the seat, the action, and what changed in
a digest of the position.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from zimcore.bots.bot_match import start_state
from zimcore.game import Seat
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.board import square_name
from zimcore.games.zimbabwe.commands import (
    Adore,
    AnyCommand,
    Build,
    EndTurn,
    Give,
    Good,
    Hire,
    Pass,
    PlaceCraftsman,
    Raise,
    Ritual,
    SetPrices,
    Start,
    Supply,
    Use,
)
from zimcore.games.zimbabwe.components import CRAFTSMEN, SEATS, SPECIALISTS
from zimcore.games.zimbabwe.rules.generosity import minimum_gift
from zimcore.games.zimbabwe.state import State

Document = dict[str, Any]
Digest = dict[str, Any]

ACTIONS_BY_KIND = {None: None, "build": "build_monuments", "craft": "place_craftsmen", "raise": "raise"}


def options(document: Document) -> dict[str, str]:
    """The options of a new game with the same deal as the document."""
    return {
        "players": str(document["options"]["players"]),
        "map": ",".join(f"{tile}.{turns}" for tile, turns in document["map"]),
        "gods": ",".join(document["gods"]),
        "specialists": ",".join(document["specialists"]) or "none",
        "order": ",".join(SEATS[seat] for seat in reversed(document["vr_stack"])),
        "seed": "0",
    }


def replay(document: Document) -> tuple[list[tuple[State, Seat, AnyCommand]], State]:
    """The moves of a recorded game, each with the position before it, and the final position."""
    game_options = options(document)
    state = start_state(GAME, game_options, int(game_options.pop("seed")))
    moves = list[tuple[State, Seat, AnyCommand]]()
    for step in steps(document):
        moves.append((state, step.seat, command(state, step.action, is_hire=step.is_hire)))
        state = GAME.rules.apply(*moves[-1]).state
    return moves, state


def script_steps(text: str) -> tuple[list[tuple[State, Seat, AnyCommand]], State]:
    """The same for a script, such as those in tests/games."""
    first_line, *lines = (line for line in text.splitlines() if not line.startswith(("#", "expect")))
    game_options = dict(word.split("=") for word in first_line.split()[1:])
    state, moves = (
        start_state(GAME, game_options, int(game_options.pop("seed", "0"))),
        list[tuple[State, Seat, AnyCommand]](),
    )
    for line in lines:
        seat, command = GAME.notation.parse(line, state)
        moves.append((state, seat or state.actor or "", command))
        state = GAME.rules.apply(*moves[-1]).state
    return moves, state


class Step(NamedTuple):
    """A recorded step that is one command of ours: its number, and everything that it changed.

    The recorder takes a specialist and uses it in two steps; for us that is one, the second, marked with `is_hire`.
    """

    number: int
    seat: Seat
    action: Document
    is_hire: bool
    changes: Digest


def steps(document: Document) -> Iterator[Step]:
    """The steps of a recorded game that are commands of ours."""
    specialist_was_taken, changes = False, Digest()
    for number, step in enumerate(document["steps"], 1):
        changes = {**(changes if specialist_was_taken else {}), **step["after"]}
        is_hire, specialist_was_taken = specialist_was_taken, step["action"]["do"] == "take_specialist"
        if not specialist_was_taken:
            yield Step(number, SEATS[step["seat"]], step["action"], is_hire, changes)


def command(state: State, action: Document, *, is_hire: bool = False) -> AnyCommand:
    """Our command for a recorded action. `is_hire` means that the step before it took the specialist that it uses."""
    match action["do"]:
        case "place_start":
            return Start(square_name(*action["at"]))
        case "gift":
            return Give(action["amount"])
        case "pass":
            return Pass()
        case "take_god":
            return Adore(action["god"])
        case "build_monuments":
            return Build(_squares(action["at"]))
        case "place_craftsman":
            return PlaceCraftsman(action["type"], _squares(action["at"]), action.get("price"))
        case "set_prices":
            return SetPrices(tuple(action["prices"].items()))
        case "raise":
            return Raise(_rituals(state, action["goods"]))
        case "end_turn":
            return EndTurn()
        case _:
            return _specialist(action, Hire if is_hire else Use)


def _specialist(action: Document, command_type: type[Hire] | type[Use]) -> Hire | Use:
    name = {"rain": "rain_ceremony"}.get(word := action["do"].removeprefix("use_"), word)
    match name:
        case "shaman":
            return command_type(name, resource=action["resource"], squares=_squares([action["at"]]))
        case "rain_ceremony":
            return command_type(name, squares=_squares(action["at"]))
        case "herd":
            return command_type(name, cattle=SPECIALISTS[name].costs[0] * action["times"])
        case _:
            return command_type(name)


def _squares(cells: list[list[int]]) -> tuple[str, ...]:
    return tuple(square_name(*cell) for cell in cells)


def _rituals(state: State, goods: list[Document]) -> tuple[Ritual, ...]:
    goods_by_monument: dict[str, list[Good]] = {}
    for ritual_good in goods:
        primary = ritual_good.get("primary")
        good_use = Good(_supply(state, ritual_good), _supply(state, primary) if primary else None)
        goods_by_monument.setdefault(square_name(*ritual_good["monument"]), []).append(good_use)
    return tuple(Ritual(monument, tuple(good_use)) for monument, good_use in goods_by_monument.items())


def _supply(state: State, source: Document) -> Supply:
    square = square_name(*source["craftsman"])
    craftsman = state.craftsman_at(square)
    return Supply(craftsman.type if craftsman else "", square, square_name(*source["resource"]))


def digest(state: State) -> Digest:
    """Our position in the recorder's form."""
    cells_by_square = cells(state)
    seat_numbers = {name: number for number, name in enumerate(state.seats)}
    is_bidding, is_acting = state.phase == "bidding", state.phase == "actions"
    return {
        "phase": state.phase,
        "round": state.round,
        "actor": seat_numbers.get(state.actor or ""),
        **{f"p{number}": _player(state, name) for number, name in enumerate(state.seats)},
        "vr_order": [seat_numbers[name] for name in state.queue],
        "bid": _bid(state, seat_numbers) if is_bidding else None,
        "order": [seat_numbers[name] for name in state.order] if state.phase in ("actions", "over") else None,
        "turn": _turn(state, seat_numbers) if is_acting else None,
        "monuments": sorted(
            (
                [*cells_by_square[square], seat_numbers[monument.owner], monument.level]
                for square, monument in state.monuments.items()
            ),
            key=_row_major,
        ),
        "craftsmen": [
            [craftsman.type, seat_numbers[craftsman.owner], [cells_by_square[square] for square in craftsman.squares]]
            for craftsman in state.craftsmen
        ],
        "used": sorted(
            ([*cells_by_square[square], markers] for square, markers in state.used_markers.items()), key=_row_major
        ),
        "tiles": sorted(_tiles(state, cells_by_square), key=_row_major),
        "supply": {**state.tiles, "water": state.water_tiles},
        "winner": seat_numbers.get(state.winner or ""),
    }


def _row_major(row: list[Any]) -> tuple[int, int]:
    return row[1], row[0]


def cells(state: State) -> dict[str, list[int]]:
    """The index of each square of the board in the recorder's numbering."""
    width, height = range(state.board.width), range(state.board.height)
    return {square_name(x, y): [x, y] for y in height for x in width}


def _player(state: State, seat: str) -> Digest:
    technologies = state.technologies_of(seat)
    return {
        "cattle": state.cattle[seat],
        "pending": sum(state.cattle[card] for card in state.card_accounts_of(seat)),
        "vp": state.vp[seat],
        "vr": state.vr[seat],
        "god": state.adores.get(seat),
        "specialists": list(state.specialists_of(seat)),
        "tech": {
            type_: {"price": technology.price, "card": technology.card, "vr": technology.vr}
            for type_ in CRAFTSMEN
            if (technology := technologies.get(type_))
        },
    }


def _bid(state: State, seat_numbers: dict[str, int]) -> Digest:
    bids = [None] * (len(state.seats) - len(state.passed_seats))
    return {
        "plaques": [[seat_numbers.get(name, name), state.cattle.get(f"plaque/{name}", 0)] for name in state.plaques],
        "next_plaque": state.cattle_given % len(state.plaques),
        "min_gift": minimum_gift(state),
        "passed": [seat_numbers[name] for name in state.passed_seats],
        "track": [*bids, *(seat_numbers[name] for name in reversed(state.passed_seats))],
    }


def _turn(state: State, seat_numbers: dict[str, int]) -> Digest:
    turn = state.turn
    return {
        "seat": seat_numbers[turn.seat],
        "card_taken": turn.card,
        "used": sorted(turn.used),
        "main": ACTIONS_BY_KIND[turn.action],
        "nomads": "nomads" in turn.used,
        "builder": "builder" in turn.used,
    }


def _tiles(state: State, cells_by_square: dict[str, list[int]]) -> Iterator[list[Any]]:
    letters = {"wood": "W", "clay": "C", "ivory": "I", "diamonds": "D"}
    tiles = dict.fromkeys(state.board.names(state.board.water), "~")
    for resource, squares in state.resources.items():
        tiles.update(dict.fromkeys(state.board.names(squares), letters[resource]))
    for square, letter in tiles.items():
        x, y = cells_by_square[square]
        if state.setup.rows[y][x] != letter:
            yield [x, y, letter]


class UnreadableError(Exception):
    """A file that can't be read or has other content: its name, and the reason."""


def documents(paths: list[str]) -> Iterator[Document]:
    """All documents in files, one per line. A file whose name ends in `.gz` is decompressed.

    In a folder, files whose names end in `.jsonl` or `.jsonl.gz` are read. Raises `UnreadableError`.
    """
    for path in (file for path_or_folder in map(Path, paths) for file in _files(path_or_folder)):
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
                yield from (msgspec.json.decode(line) for line in lines if line.strip())
        except OSError as error:
            raise UnreadableError(f"{path}: {error.strerror or error}") from error
        except (EOFError, zlib.error, msgspec.DecodeError) as error:
            raise UnreadableError(f"{path} is not a file of JSON lines: {error}") from error


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    paths = sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.gz")])
    if not paths:
        raise UnreadableError(f"{path} has no files named *.jsonl or *.jsonl.gz")
    return paths
