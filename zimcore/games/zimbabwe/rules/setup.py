"""The set-up: deals everything from options and a seed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from zimcore.game import Event, OptionError, Seat
from zimcore.games.zimbabwe.board import square_name
from zimcore.games.zimbabwe.commands import SetUp
from zimcore.games.zimbabwe.components import COMPONENTS, CONSTANTS, GODS, SEATS, SPECIALISTS
from zimcore.games.zimbabwe.events import STOCK, GameSetUp, HouseRulesChosen
from zimcore.games.zimbabwe.house import HOUSE_RULES, SITE_RULES
from zimcore.games.zimbabwe.rules.rule import Draft, Stage, decides, guard
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit import house_rules
from zimcore.toolkit.chance import chance, shuffle
from zimcore.toolkit.house_rules import chosen_rules, help_of, require_known_options
from zimcore.toolkit.player_names import corrected_players, split_player_names

ALL_RULES = {**HOUSE_RULES, **SITE_RULES}
OPTIONS = {
    "players": "2 to 5, or the empires that play: kilwa,zulu,lozi, also with names: kilwa:Ann,zulu:Bob (default 4)",
    "seed": "the number that all chance follows from (default: random)",
    "gods": "random (8 of 12), beginner (the six of the rulebook's tip, no specialists), all, a number, or their names",
    "specialists": "all, none, or their names",
    "map": "random; tiles and quarter turns slot by slot (0.1,5.1,3.0,2.2); or rows with / between: . land, ~ water,"
    " S start area, C W I D resources, _ nothing",
    "order": "who starts first, second ...: the stack of VR markers from the top (default: random)",
    "max_rounds": "ends the game after this many rounds (default: no limit)",
    "vr": "other VR for gods and specialists: eshu:5,herd:4",
    **help_of(ALL_RULES),
}
SUGGESTIONS = {
    option: (f"{option}={value}", "help new")
    for option, value in {
        "players": "4",
        "seed": "7",
        "gods": "random",
        "specialists": "all",
        "map": "random",
        "order": "random",
        "max_rounds": "8",
        "vr": "eshu:5,herd:4",
    }.items()
}
"""What to type instead of a wrong value."""
RULES_WITH_FIELDS = ("xango", "dziva", "qamata", "shadipinyi")
"""The oldest house rules, which have fields of their own in stored set-ups; the others are in `HouseRulesChosen`."""

Options = Mapping[str, str]


def deal(seed: int, options: Options) -> GameSetUp:
    """Deals everything, from the seed alone. Raises `OptionError` for a wrong option."""
    return _cached_deal(seed, tuple(sorted(options.items())))


@lru_cache(maxsize=1)
def _cached_deal(seed: int, options_given: tuple[tuple[str, str], ...]) -> GameSetUp:
    """`deal` with a cache: a new game deals when it reads its options, in the guard, and for the events."""
    options = dict(options_given)
    require_known_options(options, [*OPTIONS])
    seats, names = _parse_players(options.get("players", "4"))
    tiles, rows = _parse_map(options.get("map", "random"), len(seats), chance(seed, "map"))
    gods = _parse_gods(options.get("gods", "random"), chance(seed, "gods"))
    vr_overrides = _parse_vr_overrides(options.get("vr", ""))
    max_rounds = options.get("max_rounds")
    return GameSetUp(
        seats=seats,
        rows=rows,
        order=_parse_order(options.get("order", ""), seats, chance(seed, "order")),
        gods={god: vr_overrides.get(god, GODS[god].vr) for god in sorted(gods)},
        specialists={
            name: vr_overrides.get(name, SPECIALISTS[name].vr) for name in sorted(_parse_specialists(options))
        },
        seed=seed,
        tiles=tiles,
        xango=_house_rule_value("xango", options),
        dziva=_house_rule_value("dziva", options),
        max_rounds=_parse_number("max_rounds", max_rounds, 1, 10_000) if max_rounds else None,
        qamata=_house_rule_value("qamata", options),
        shadipinyi=_house_rule_value("shadipinyi", options),
        names=names,
    )


def _split_words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _parse_number(option: str, text: str, minimum: int, maximum: int) -> int:
    if text.isascii() and text.isdigit() and len(text) < 20 and minimum <= int(text) <= maximum:
        return int(text)
    raise OptionError(f"{option}={text}", f"{option} is a number from {minimum} to {maximum}", SUGGESTIONS[option])


def _house_rule_value(option: str, options: Options) -> str:
    """The value given for a house rule with a field of its own, or the usual value: the field stores it as it is."""
    chosen_rules({option: HOUSE_RULES[option]}, options)
    return options.get(option, HOUSE_RULES[option].usual)


def _parse_names(option: str, text: str, known_names: Mapping[str, object] | tuple[str, ...]) -> tuple[str, ...]:
    names = _split_words(text.lower())
    wrong_names = [name for name in names if name not in known_names]
    if wrong_names or len(set(names)) < len(names):
        reason = (
            f"there is no {', '.join(wrong_names)}; there is {', '.join(known_names)}"
            if wrong_names
            else "a name is given twice"
        )
        raise OptionError(f"{option}={text}", reason, SUGGESTIONS[option])
    return tuple(names)


def _parse_players(text: str) -> tuple[tuple[Seat, ...], dict[Seat, str]]:
    """The seats, and the names of their players."""
    try:
        players, names = split_player_names(text, SEATS)
        return _parse_seats(players), names
    except OptionError as error:
        raise OptionError(f"players={text}", error.why, [corrected_players(text, SEATS, *CONSTANTS.players)]) from None


def _parse_seats(text: str) -> tuple[Seat, ...]:
    min_players, max_players = CONSTANTS.players
    if text.isascii() and text.isdigit():
        return SEATS[: _parse_number("players", text, min_players, max_players)]
    seats = _parse_names("players", text, SEATS)
    if min_players <= len(seats) <= max_players:
        return seats
    raise OptionError(
        f"players={text}", f"the game is for {min_players} to {max_players} players", SUGGESTIONS["players"]
    )


def _parse_order(text: str, seats: tuple[Seat, ...], random: Callable[[], float]) -> tuple[Seat, ...]:
    if not text or text == "random":
        return shuffle(seats, random)
    order = _parse_names("order", text, seats)
    if len(order) == len(seats):
        return order
    raise OptionError(f"order={text}", f"name all players: {', '.join(seats)}", SUGGESTIONS["order"])


def _parse_gods(text: str, random: Callable[[], float]) -> tuple[str, ...]:
    if text == "beginner":
        return COMPONENTS.beginner.gods
    if text == "all":
        return tuple(GODS)
    if text == "random" or text.isdigit():
        god_count = CONSTANTS.gods_in_play if text == "random" else _parse_number("gods", text, 0, len(GODS))
        return shuffle(GODS, random)[:god_count]
    return _parse_names("gods", text, GODS)


def _parse_specialists(options: Options) -> tuple[str, ...]:
    default_text = "none" if options.get("gods") == "beginner" else "all"
    text = options.get("specialists", default_text)
    if text == "none":
        return ()
    return tuple(SPECIALISTS) if text == "all" else _parse_names("specialists", text, SPECIALISTS)


def _parse_vr_overrides(text: str) -> dict[str, int]:
    """The numbers in `eshu:5,herd:4`."""
    vr_by_name = {}
    for word in _split_words(text):
        name, _, vr_text = word.partition(":")
        digits = vr_text.removeprefix("-")
        if (name not in GODS and name not in SPECIALISTS) or not digits.isdecimal() or len(digits) > 2:
            raise OptionError(f"vr={text}", f"{word} is not a god or specialist, a colon and a VR", SUGGESTIONS["vr"])
        vr_by_name[name] = int(vr_text)
    return vr_by_name


def _parse_map(
    text: str, player_count: int, random: Callable[[], float]
) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """The tiles with their quarter turns, slot by slot, and the rows of the map that they make."""
    layout = COMPONENTS.layouts[str(player_count)]
    if text == "random":
        tiles = _random_tiles(layout, random)
    elif set(text) <= set("0123456789., "):
        layout, tiles = _chosen_tiles(text, layout)
    else:
        return (), _drawn_map(text, player_count)
    return tiles, _lay_tiles(layout, tiles)


def _slots(layout: tuple[str, ...]) -> str:
    """The slots of a layout row by row, `*` for the start tile: `x*xxxx`."""
    return "".join(layout).replace("-", "")


def _random_tiles(layout: tuple[str, ...], random: Callable[[], float]) -> tuple[tuple[int, int], ...]:
    drawn_tiles = iter(shuffle(range(1, len(COMPONENTS.tiles)), random))
    return tuple((0 if slot == "*" else next(drawn_tiles), int(random() * 4)) for slot in _slots(layout))


def _chosen_tiles(text: str, layout: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """The tiles, and the layout that the slot of the start tile shows: the usual one, or that turned by 180 degrees."""
    tiles = []
    for word in _split_words(text):
        match, last_tile = re.fullmatch(r"(\d{1,2})(?:\.([0-3]?))?", word), len(COMPONENTS.tiles) - 1
        if not match or int(match[1]) > last_tile:
            reason = f"{word}: a tile is 0 to {last_tile}, with quarter turns behind it .0 to .3"
            raise OptionError(f"map={text}", reason, SUGGESTIONS["map"])
        tiles.append((int(match[1]), int(match[2] or 0)))
    turned_layout = tuple(row[::-1] for row in reversed(layout))
    for each in (layout, turned_layout):
        are_starts_right = [tile == 0 for tile, _ in tiles] == [slot == "*" for slot in _slots(each)]
        if are_starts_right and len({tile for tile, _ in tiles}) == len(tiles):
            return each, tuple(tiles)
    slot_text = " ".join("start" if slot == "*" else "tile" for slot in _slots(layout))
    reason = f"the slots are {slot_text}; tile 0 is the start tile, each is there once"
    raise OptionError(f"map={text}", reason, SUGGESTIONS["map"])


def rotate_tile(rows: tuple[str, ...], turns: int) -> tuple[str, ...]:
    """A tile turned clockwise by a number of quarter turns."""
    for _ in range(turns):
        rows = tuple("".join(column) for column in zip(*rows[::-1], strict=True))
    return rows


def _lay_tiles(layout: tuple[str, ...], tiles: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
    remaining_tiles = iter(tiles)
    size = len(COMPONENTS.tiles[0].rows)
    rows = []
    for slots in layout:
        tile_rows = [(" " * size,) * size if slot == "-" else _turned_tile(*next(remaining_tiles)) for slot in slots]
        rows += ["".join(row_parts) for row_parts in zip(*tile_rows, strict=True)]
    return tuple(rows)


def _turned_tile(tile: int, turns: int) -> tuple[str, ...]:
    return rotate_tile(COMPONENTS.tiles[tile].rows, turns)


def _drawn_map(text: str, player_count: int) -> tuple[str, ...]:
    rows = tuple(row.replace("_", " ").rstrip() for row in text.split("/"))
    unknown_letters = set("".join(rows)) - set(".~SCWID ")
    problem = None
    if unknown_letters:
        problem = f"a map has no {' '.join(sorted(unknown_letters))}"
    elif len(rows) > 26 or max(map(len, rows)) > 26:
        problem = "a map has at most 26 rows and 26 columns"
    elif "".join(rows).count("S") < player_count:
        problem = f"{player_count} players need {player_count} start areas (S)"
    elif neighbours := _neighbouring_starts(rows):
        problem = (
            f"first monuments would break zoning: the start areas {neighbours[0]} and {neighbours[1]} are neighbours"
        )
    if problem:
        raise OptionError(f"map={text}", problem, SUGGESTIONS["map"])
    return rows


def _neighbouring_starts(rows: tuple[str, ...]) -> tuple[str, ...]:
    """Two neighbouring start areas, if there are any: monuments can't be neighbours (R-MON-01)."""
    start_points = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == "S"}
    for x, y in sorted(start_points):
        for neighbour in sorted(start_points & {(x + 1, y - 1), (x + 1, y), (x + 1, y + 1), (x, y + 1)}):
            return square_name(x, y), square_name(*neighbour)
    return ()


def set_up_command(options: Options, seed: int) -> SetUp:
    """The command for a new game; `seed` is used if the options have none. Raises `OptionError`."""
    setup_options = {name: text for name, text in options.items() if name != "seed"}
    if "seed" in options:
        seed = _parse_number("seed", options["seed"], 0, 2**63 - 1)
    deal(seed, setup_options)
    command = SetUp(seed, tuple(sorted(setup_options.items())))
    _event_house_rules(command)
    return command


def _event_house_rules(command: SetUp) -> dict[str, str]:
    """The chosen house rules of a game, except those with a field of their own. Raises `OptionError`."""
    return chosen_rules(
        {option: rule for option, rule in ALL_RULES.items() if option not in RULES_WITH_FIELDS}, dict(command.options)
    )


@guard("R-SET-01", SetUp, stage=Stage.TURN)
def nothing_is_set_up(state: State, seat: Seat, command: SetUp) -> str | None:
    """A game is set up only once."""
    return "the game is set up already" if state.phase else None


@guard("R-SET-01", SetUp, stage=Stage.WORDS)
def options_make_sense(state: State, seat: Seat, command: SetUp) -> str | None:
    """The options must be valid."""
    try:
        deal(command.seed, dict(command.options))
        _event_house_rules(command)
    except OptionError as error:
        return str(error)
    return None


@decides(SetUp)
def set_up(draft: Draft, seat: Seat, command: SetUp) -> None:
    """Deals the cards, the map and the VR markers, and gives each player cattle."""
    setup_event = deal(command.seed, dict(command.options))
    draft.happen(setup_event)
    if house_rules_chosen := _event_house_rules(command):
        draft.happen(HouseRulesChosen(house_rules_chosen))
    for player in setup_event.seats:
        draft.pay(STOCK, player, CONSTANTS.start_cattle, "set-up")


def flip_house_rule(events: Sequence[Event], option: str) -> Sequence[Event]:
    """The events of a set-up with one house rule flipped."""
    return house_rules.flip_house_rule(ALL_RULES, HouseRulesChosen, events, option)
