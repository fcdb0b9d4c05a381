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
from zimcore.games.zimbabwe.components import CRAFTSMEN, GODS, RESOURCES, SEATS, SPECIALISTS, CraftsmanType
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.player_names import seats_by_word
from zimcore.toolkit.words import an, check_not_a_letter, check_word_count, join_names, one_of

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
"""Examples of the commands, by verb."""

PHASES: Mapping[str, tuple[str, ...]] = {
    "setup": ("start",),
    "bidding": ("bid", "pass"),
    "actions": ("adore", "hire", "use", "build", "craft", "price", "raise", "end"),
}
"""The verbs of each phase: an ambiguous beginning means one of the current phase."""

SQUARE_PATTERN = re.compile(r"[a-z][1-9][0-9]?\Z")
SUPPLY_PATTERN = r"([a-z_-]+)@([a-z0-9]+)/([a-z0-9]+)"
GOOD_PATTERN = rf"{SUPPLY_PATTERN}(?:\({SUPPLY_PATTERN}\))?\Z"


def verbs(state: State) -> Sequence[str]:
    """The verbs of the phase; none after the end."""
    return PHASES.get(state.phase, ())


def parse_command(text: str, state: State) -> tuple[Seat | None, AnyCommand]:
    """The seat named in a line, if any, and its command; a `raise` without goods becomes the cheapest plan.

    During the bidding a number alone is a bid: `3` is `bid 3`. Raises `NotationError` for text that is no command,
    `AmbiguousError` if there are several.
    """
    typed_text = " ".join(text.lower().split())
    seat_word, colon, command_text = typed_text.rpartition(":")
    seat_by_name = seats_by_word(state.seats or SEATS, state.setup.names)
    seat = seat_by_name[one_of(seat_word.strip(), seat_by_name, "player")] if colon else None
    words = join_names((command_text if colon else typed_text).split(), (*CRAFTSMEN, *SPECIALISTS, *GODS))
    if not words:
        raise NotationError("no command", "nothing was typed", tuple(SYNTAX.values()))
    if words[0].isdigit():
        if state.phase != "bidding":
            raise NotationError(words[0], "a number alone is a bid, and there is no bidding now", ("legal", "help bid"))
        words = ["bid", *words]
    verb = one_of(words[0], SYNTAX, "command", possible_now=PHASES.get(state.phase, ()))
    if verb == "end":
        check_not_a_letter(words[0], verb)
    return seat, PARSERS[verb](words[1:], state)


def continues(command: str, part: str) -> bool:
    """Whether a part after `;` is the next monument of a raise: `e5 potter@f6/g9`.

    >>> continues("zulu: raise c3", "e5"), continues("raise c3", "end"), continues("build d7", "e5")
    (True, False, False)
    """
    verb_words, square_words = command.rpartition(":")[2].split()[:1], part.lower().split()[:1]
    return any("raise".startswith(word.lower()) for word in verb_words) and any(map(SQUARE_PATTERN.match, square_words))


def _parse_square(word: str) -> Square:
    if SQUARE_PATTERN.match(word):
        return word
    raise NotationError(word, "not a square: a column's letter and a row's number, as in d4")


def _parse_number(word: str, unit: str) -> int:
    if word.isascii() and word.isdigit() and len(word) < 10:
        return int(word)
    raise NotationError(word, f"not a number of {unit}")


def _check_word_count(verb: str, words: Sequence[str], counts: Collection[int]) -> None:
    check_word_count(verb, words, counts, SYNTAX[verb])


def _parse_start(words: Sequence[str], state: State) -> Start:
    _check_word_count("start", words, (1,))
    return Start(_parse_square(words[0]))


def _parse_bid(words: Sequence[str], state: State) -> Give:
    _check_word_count("bid", words, (1,))
    return Give(_parse_number(words[0], "cattle"))


def _parse_pass(words: Sequence[str], state: State) -> Pass:
    _check_word_count("pass", words, (0,))
    return Pass()


def _parse_end(words: Sequence[str], state: State) -> EndTurn:
    _check_word_count("end", words, (0,))
    return EndTurn()


def _parse_adore(words: Sequence[str], state: State) -> Adore:
    _check_word_count("adore", words, (1,))
    return Adore(one_of(words[0], GODS, "god", possible_now=state.setup.gods))


def _parse_hire(words: Sequence[str], state: State) -> Hire:
    return Hire(*_parse_specialist("hire", words, state))


def _parse_use(words: Sequence[str], state: State) -> Use:
    return Use(*_parse_specialist("use", words, state))


def _parse_specialist(
    verb: str, words: Sequence[str], state: State
) -> tuple[str, int | None, str | None, tuple[Square, ...]]:
    _check_word_count(verb, words, (1, 2, 3))
    name = one_of(words[0], SPECIALISTS, "specialist", possible_now=state.specialists)
    specialist, arguments = SPECIALISTS[name], words[1:]
    if specialist.places_resource:
        _check_word_count(verb, words, (3,))
        return name, None, one_of(arguments[0], RESOURCES, "resource"), _parse_squares(arguments[1])
    _check_word_count(verb, words, (1, 2))
    if specialist.places_water:
        _check_word_count(verb, words, (2,))
        return name, None, None, _parse_squares(arguments[0])
    return name, _parse_number(arguments[0], "cattle") if arguments else None, None, ()


def _parse_squares(word: str) -> tuple[Square, ...]:
    return tuple(_parse_square(square_word) for square_word in word.split("-"))


def _parse_build(words: Sequence[str], state: State) -> Build:
    _check_word_count("build", words, range(1, 27))
    return Build(tuple(_parse_square(word) for word in words))


def _parse_craft(words: Sequence[str], state: State) -> PlaceCraftsman:
    has_price = len(words) == 4 and "price".startswith(words[2])
    _check_word_count("craft", words[:2] if has_price else words, (2,))
    type_ = one_of(words[0], CRAFTSMEN, "craftsman")
    return PlaceCraftsman(
        type_,
        _complete_footprint(type_, _parse_squares(words[1]), state),
        _parse_number(words[3], "cattle") if has_price else None,
    )


def _complete_footprint(type_: CraftsmanType, squares: tuple[Square, ...], state: State) -> tuple[Square, ...]:
    """All squares of a tile, from all of them, its first one, or two opposite corners."""
    width, height = CRAFTSMEN[type_].size
    if len(squares) == width * height:
        return squares
    if width == height and (len(squares) == 1 or squares == (squares[0], _offset_square(squares[0], 1, 1))):
        return tuple(_offset_square(squares[0], x, y) for y in range(height) for x in range(width))
    if len(squares) == 1:
        return _two_square_footprint(type_, squares[0], state)
    raise NotationError("-".join(squares), f"{an(type_)} covers {width}x{height} squares", (SYNTAX["craft"],))


def _offset_square(square: Square, columns: int, rows: int) -> Square:
    return f"{chr(ord(square[0]) + columns)}{int(square[1:]) + rows}"


def _two_square_footprint(type_: CraftsmanType, square: Square, state: State) -> tuple[Square, ...]:
    """The squares of a two-square tile that starts here; if it can't lie here, those that the rules refuse.

    Raises `AmbiguousError` if it can lie in two ways.
    """
    from zimcore.games.zimbabwe.rules.craftsmen import footprints

    wide_footprint, tall_footprint = (square, _offset_square(square, 1, 0)), (square, _offset_square(square, 0, 1))
    footprints_on_board = [
        footprint
        for footprint in (wide_footprint, tall_footprint)
        if all(tile_square in state.board.square for tile_square in footprint)
    ]
    if not footprints_on_board:
        return tall_footprint  # the rules will refuse it: there is no such square
    possible_footprints = (
        [footprint for footprint in footprints_on_board if footprint in set(footprints(state, type_))]
        if state.phase == "actions"
        else footprints_on_board
    )
    if len(possible_footprints) < 2:
        return (possible_footprints or footprints_on_board)[0]
    commands_possible = [f"craft {type_} {'-'.join(footprint)}" for footprint in possible_footprints]
    raise AmbiguousError(square, f"{an(type_)} covers two squares", commands_possible)


def _parse_price(words: Sequence[str], state: State) -> SetPrices:
    _check_word_count("price", words, range(2, 15, 2))
    type_price_pairs = zip(words[::2], words[1::2], strict=True)
    return SetPrices(
        tuple(
            (one_of(type_, CRAFTSMEN, "craftsman"), _parse_number(price, "cattle")) for type_, price in type_price_pairs
        )
    )


def _parse_raise(words: Sequence[str], state: State) -> Raise:
    words_of_monuments = [
        monument_words.split() for monument_words in " ".join(words).split(";") if monument_words.strip()
    ]
    if not words_of_monuments:
        raise NotationError("raise", "no monument given", (SYNTAX["raise"],))
    if not any("@" in word for monument_words in words_of_monuments for word in monument_words):
        return _cheapest_raise(
            tuple(_parse_square(word) for monument_words in words_of_monuments for word in monument_words), state
        )
    return Raise(
        tuple(
            Ritual(_parse_square(monument_words[0]), tuple(_parse_good(word) for word in monument_words[1:]))
            for monument_words in words_of_monuments
        )
    )


def _cheapest_raise(monuments: tuple[Square, ...], state: State) -> Raise:
    """The plan for a `raise` without goods; if there is none, a raise that the rules refuse with a reason."""
    from zimcore.games.zimbabwe.planner import cheapest_plan
    from zimcore.games.zimbabwe.rules.rituals import growing_monuments

    can_all_rise = set(monuments) <= set(growing_monuments(state, state.turn.seat)) and len(set(monuments)) == len(
        monuments
    )
    plan = cheapest_plan(state, state.turn.seat, monuments) if can_all_rise else None
    return plan.command if plan else Raise(tuple(Ritual(square, ()) for square in monuments))


def _parse_good(word: str) -> Good:
    match = re.match(GOOD_PATTERN, word)
    if not match:
        reason = "not a ritual good: write craftsman@square/resource, and a ; after the goods of a monument"
        raise NotationError(word, reason, (SYNTAX["raise"],))
    type_, craftsman_square, resource_square, *primary = match.groups()
    return Good(
        _parse_supply(type_, craftsman_square, resource_square), _parse_supply(*primary) if primary[0] else None
    )


def _parse_supply(type_: str, craftsman_square: str, resource_square: str) -> Supply:
    return Supply(
        one_of(type_, CRAFTSMEN, "craftsman"), _parse_square(craftsman_square), _parse_square(resource_square)
    )


PARSERS: dict[str, Callable[[Sequence[str], State], AnyCommand]] = {
    "start": _parse_start,
    "bid": _parse_bid,
    "pass": _parse_pass,
    "adore": _parse_adore,
    "hire": _parse_hire,
    "use": _parse_use,
    "build": _parse_build,
    "craft": _parse_craft,
    "price": _parse_price,
    "raise": _parse_raise,
    "end": _parse_end,
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
    cattle_text = str(command.cattle) if command.cattle is not None else ""
    return " ".join(filter(None, (command.specialist, cattle_text, command.resource, "-".join(command.squares))))


def _format_craft(command: PlaceCraftsman) -> str:
    squares = command.squares
    width, height = CRAFTSMEN[command.type].size if command.type in CRAFTSMEN else (0, 0)
    footprint = tuple(_offset_square(squares[0], x, y) for y in range(height) for x in range(width)) if squares else ()
    squares_text = squares[0] if width == height and squares == footprint and squares else "-".join(squares)
    price_text = "" if command.price is None else f" price {command.price}"
    return f"craft {command.type} {squares_text}{price_text}"


def _format_ritual(ritual: Ritual) -> str:
    return " ".join([ritual.monument, *map(_format_good, ritual.goods)])


def _format_good(good: Good) -> str:
    primary_text = f"({_format_supply(good.primary)})" if good.primary else ""
    return _format_supply(good.maker) + primary_text


def _format_supply(supply: Supply) -> str:
    return f"{supply.type}@{supply.craftsman}/{supply.resource}"
