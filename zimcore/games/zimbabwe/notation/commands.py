"""Parses and formats commands: words can be abbreviated on input, and output is canonical.

>>> from zimcore.games.zimbabwe.state import State
>>> parse_command("zulu: BID 3", State())
('zulu', Give(amount=3))
>>> format_command(Give(3))
'bid 3'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from zimcore.game import AmbiguousError, NotationError, Seat
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
    SetUp,
    Square,
    Start,
    Supply,
    Use,
)
from zimcore.games.zimbabwe.components import CRAFTSMEN, GODS, RESOURCES, SEATS, SPECIALISTS, Type
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.player_names import seats_by_word
from zimcore.toolkit.words import an, not_by_a_letter, one_of, taking

SYNTAX = {
    "start": "start c3",
    "bid": "bid 3",
    "pass": "pass",
    "adore": "adore eshu",
    "hire": "hire herd 4 · hire shaman wood d4 · hire rain_ceremony d4-d5 · hire builder",
    "use": "use herd 4 · use shaman wood d4 · use rain_ceremony d4-d5 · use builder",
    "build": "build d7 · build d7 f9",
    "craft": "craft potter d4-d5 price 2",
    "price": "price potter 3 sculptor 2",
    "raise": "raise c3 e5 · raise c3 sculptor@c2/a1(wood_carver@c7/a8); e5 potter@f6/g9",
    "end": "end",
}

PHASES: Mapping[str, tuple[str, ...]] = {
    "setup": ("start",),
    "bidding": ("bid", "pass"),
    "actions": ("adore", "hire", "use", "build", "craft", "price", "raise", "end"),
}
"""The verbs of each phase: an ambiguous beginning means one of the current phase."""

SQUARE = re.compile(r"[a-z][1-9][0-9]?\Z")
SUPPLY = r"([a-z_-]+)@([a-z0-9]+)/([a-z0-9]+)"
GOOD = rf"{SUPPLY}(?:\({SUPPLY}\))?\Z"


def parse_command(text: str, state: State) -> tuple[Seat | None, AnyCommand]:
    """The seat named in a line, if any, and its command; a `raise` without goods becomes the cheapest plan.

    During the bidding a number alone is a bid: `3` is `bid 3`. Raises `NotationError` for text that is no command,
    `AmbiguousError` if there are several.
    """
    line = " ".join(text.lower().split())
    seat_word, colon, command_text = line.rpartition(":")
    called = seats_by_word(state.seats or SEATS, state.setup.names)
    seat = called[one_of(seat_word.strip(), called, "player")] if colon else None
    words = (command_text if colon else line).split()
    if not words:
        raise NotationError("no command", "nothing was typed", tuple(SYNTAX.values()))
    if words[0].isdigit():
        if state.phase != "bidding":
            raise NotationError(words[0], "a number alone is a bid, and there is no bidding now", ("legal", "help bid"))
        words = ["bid", *words]
    verb = one_of(words[0], SYNTAX, "command", now=PHASES.get(state.phase, ()))
    if verb == "end":
        not_by_a_letter(words[0], verb)
    return seat, PARSERS[verb](words[1:], state)


def continues(command: str, part: str) -> bool:
    """Whether a part after `;` is the next monument of a raise: `e5 potter@f6/g9`.

    >>> continues("zulu: raise c3", "e5"), continues("raise c3", "end"), continues("build d7", "e5")
    (True, False, False)
    """
    verb, square = command.rpartition(":")[2].split()[:1], part.lower().split()[:1]
    return any("raise".startswith(word.lower()) for word in verb) and any(map(SQUARE.match, square))


def _square(word: str) -> Square:
    if SQUARE.match(word):
        return word
    raise NotationError(word, "not a square: a column's letter and a row's number, as in d4")


def _number(word: str, what: str) -> int:
    if word.isascii() and word.isdigit() and len(word) < 10:
        return int(word)
    raise NotationError(word, f"not a number of {what}")


def _taking(verb: str, words: Sequence[str], counts: Collection[int]) -> None:
    taking(verb, words, counts, SYNTAX[verb])


def _start(words: Sequence[str], state: State) -> Start:
    _taking("start", words, (1,))
    return Start(_square(words[0]))


def _bid(words: Sequence[str], state: State) -> Give:
    _taking("bid", words, (1,))
    return Give(_number(words[0], "cattle"))


def _pass(words: Sequence[str], state: State) -> Pass:
    _taking("pass", words, (0,))
    return Pass()


def _end(words: Sequence[str], state: State) -> EndTurn:
    _taking("end", words, (0,))
    return EndTurn()


def _adore(words: Sequence[str], state: State) -> Adore:
    _taking("adore", words, (1,))
    return Adore(one_of(words[0], GODS, "god", now=state.setup.gods))


def _hire(words: Sequence[str], state: State) -> Hire:
    return Hire(*_specialist("hire", words, state))


def _use(words: Sequence[str], state: State) -> Use:
    return Use(*_specialist("use", words, state))


def _specialist(
    verb: str, words: Sequence[str], state: State
) -> tuple[str, int | None, str | None, tuple[Square, ...]]:
    _taking(verb, words, (1, 2, 3))
    name = one_of(words[0], SPECIALISTS, "specialist", now=state.specialists)
    specialist, rest = SPECIALISTS[name], words[1:]
    if specialist.places_resource:
        _taking(verb, words, (3,))
        return name, None, one_of(rest[0], RESOURCES, "resource"), _squares(rest[1])
    _taking(verb, words, (1, 2))
    if specialist.places_water:
        _taking(verb, words, (2,))
        return name, None, None, _squares(rest[0])
    return name, _number(rest[0], "cattle") if rest else None, None, ()


def _squares(word: str) -> tuple[Square, ...]:
    return tuple(_square(part) for part in word.split("-"))


def _build(words: Sequence[str], state: State) -> Build:
    _taking("build", words, range(1, 27))
    return Build(tuple(_square(word) for word in words))


def _craft(words: Sequence[str], state: State) -> PlaceCraftsman:
    priced = len(words) == 4 and "price".startswith(words[2])
    _taking("craft", words[:2] if priced else words, (2,))
    type_ = one_of(words[0], CRAFTSMEN, "craftsman")
    return PlaceCraftsman(
        type_, _footprint(type_, _squares(words[1]), state), _number(words[3], "cattle") if priced else None
    )


def _footprint(type_: Type, squares: tuple[Square, ...], state: State) -> tuple[Square, ...]:
    """All squares of a tile, from all of them, its first one, or two opposite corners."""
    width, height = CRAFTSMEN[type_].size
    if len(squares) == width * height:
        return squares
    if width == height and (len(squares) == 1 or squares == (squares[0], _beside(squares[0], 1, 1))):
        return tuple(_beside(squares[0], x, y) for y in range(height) for x in range(width))
    if len(squares) == 1:
        return _either_way(type_, squares[0], state)
    raise NotationError("-".join(squares), f"{an(type_)} covers {width}x{height} squares", (SYNTAX["craft"],))


def _beside(square: Square, columns: int, rows: int) -> Square:
    return f"{chr(ord(square[0]) + columns)}{int(square[1:]) + rows}"


def _either_way(type_: Type, square: Square, state: State) -> tuple[Square, ...]:
    """The squares of a two-square tile that starts here. Raises `AmbiguousError` if it can lie in two ways."""
    from zimcore.games.zimbabwe.rules.craftsmen import footprints

    across, down = (square, _beside(square, 1, 0)), (square, _beside(square, 0, 1))
    ways = [way for way in (across, down) if all(each in state.board.square for each in way)]
    if not ways:
        return down  # the rules will refuse it: there is no such square
    possible = [way for way in ways if way in set(footprints(state, type_))] if state.phase == "actions" else ways
    if len(possible) == 1:
        return possible[0]
    choices = [f"craft {type_} {'-'.join(way)}" for way in possible or ways]
    raise AmbiguousError(square, f"{an(type_)} covers two squares", choices)


def _price(words: Sequence[str], state: State) -> SetPrices:
    _taking("price", words, range(2, 15, 2))
    pairs = zip(words[::2], words[1::2], strict=True)
    return SetPrices(tuple((one_of(type_, CRAFTSMEN, "craftsman"), _number(price, "cattle")) for type_, price in pairs))


def _raise(words: Sequence[str], state: State) -> Raise:
    parts = [part.split() for part in " ".join(words).split(";") if part.strip()]
    if not parts:
        raise NotationError("raise", "no monument given", (SYNTAX["raise"],))
    if not any("@" in word for part in parts for word in part):
        return _cheapest(tuple(_square(word) for part in parts for word in part), state)
    return Raise(tuple(Ritual(_square(part[0]), tuple(_good(word) for word in part[1:])) for part in parts))


def _cheapest(monuments: tuple[Square, ...], state: State) -> Raise:
    """The plan for a `raise` without goods; if there is none, a raise that the rules refuse with a reason."""
    from zimcore.games.zimbabwe.planner import cheapest
    from zimcore.games.zimbabwe.rules.rituals import growing

    possible = set(monuments) <= set(growing(state, state.turn.seat)) and len(set(monuments)) == len(monuments)
    plan = cheapest(state, state.turn.seat, monuments) if possible else None
    return plan.command if plan else Raise(tuple(Ritual(square, ()) for square in monuments))


def _good(word: str) -> Good:
    match = re.match(GOOD, word)
    if not match:
        why = "not a ritual good: craftsman@square/resource; with goods, a ; stands between two monuments"
        raise NotationError(word, why, (SYNTAX["raise"],))
    type_, craftsman, resource, *primary = match.groups()
    return Good(_supply(type_, craftsman, resource), _supply(*primary) if primary[0] else None)


def _supply(type_: str, craftsman: str, resource: str) -> Supply:
    return Supply(one_of(type_, CRAFTSMEN, "craftsman"), _square(craftsman), _square(resource))


PARSERS: dict[str, Callable[[Sequence[str], State], AnyCommand]] = {
    "start": _start,
    "bid": _bid,
    "pass": _pass,
    "adore": _adore,
    "hire": _hire,
    "use": _use,
    "build": _build,
    "craft": _craft,
    "price": _price,
    "raise": _raise,
    "end": _end,
}


def format_command(command: AnyCommand) -> str:
    """The canonical text of a command, which `parse_command` turns back into the same command."""
    match command:
        # Those of which a position has hundreds come first: a list of legal commands formats all of them.
        case Build(squares=squares):
            return f"build {' '.join(squares)}"
        case Use():
            return f"use {_format_use(command)}"
        case PlaceCraftsman():
            return _format_craft(command)
        case SetUp(seed=seed, options=options):
            return " ".join(["new", *(f"{name}={text}" for name, text in options), f"seed={seed}"])
        case Start(square=square):
            return f"start {square}"
        case Give(amount=amount):
            return f"bid {amount}"
        case Pass():
            return "pass"
        case Adore(god=god):
            return f"adore {god}"
        case Hire():
            return f"hire {_format_use(command)}"
        case SetPrices(prices=prices):
            return " ".join(["price", *(f"{type_} {price}" for type_, price in prices)])
        case Raise(rituals=rituals):
            return f"raise {'; '.join(map(_format_ritual, rituals))}"
        case EndTurn():
            return "end"


def _format_use(command: Hire | Use) -> str:
    cattle = str(command.cattle) if command.cattle is not None else ""
    return " ".join(filter(None, (command.specialist, cattle, command.resource, "-".join(command.squares))))


def _format_craft(command: PlaceCraftsman) -> str:
    squares = command.squares
    width, height = CRAFTSMEN[command.type].size if command.type in CRAFTSMEN else (0, 0)
    whole = tuple(_beside(squares[0], x, y) for y in range(height) for x in range(width)) if squares else ()
    where = squares[0] if width == height and squares == whole and squares else "-".join(squares)
    price = "" if command.price is None else f" price {command.price}"
    return f"craft {command.type} {where}{price}"


def _format_ritual(ritual: Ritual) -> str:
    return " ".join([ritual.monument, *map(_format_good, ritual.goods)])


def _format_good(good: Good) -> str:
    primary = f"({_format_supply(good.primary)})" if good.primary else ""
    return _format_supply(good.maker) + primary


def _format_supply(supply: Supply) -> str:
    return f"{supply.type}@{supply.craftsman}/{supply.resource}"
