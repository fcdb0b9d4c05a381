"""The Great Zimbabwe by the engine and by the oracle, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, ClassVar

from tests.oracle.compare import Command, Move, Recipe, Table, check_equal
from tests.oracle.zimbabwe import (
    CRAFTSMEN,
    GODS,
    PAYMENTS,
    READINGS,
    SPECIALISTS,
    TILES,
    Game,
    Square,
    map_rows,
    surrounding_squares,
)
from zimcore.game import Accepted, OptionError
from zimcore.games.zimbabwe import GAME, commands
from zimcore.games.zimbabwe.board import Board
from zimcore.games.zimbabwe.events import STOCK, CattlePaid
from zimcore.games.zimbabwe.state import State

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OTHER_READINGS = {"xango": "absolute", "dziva": "turn-start", "qamata": "always", "shadipinyi": "always"}
OTHER_READINGS |= {
    "resource_range": "blocked",
    "raised_hub": "paid",
    "first_gift": "required",
    "specialist_uses": "one",
}
OTHER_READINGS |= {"main_action": "in-parts", "builder": "whole-turn", "gu": "one-move", "obatala": "together"}
OTHER_READINGS |= {"secondary_hubs": "one", "new_prices": "turn-end", "atete": "own-markers", "herd": "in-steps"}
OTHER_READINGS |= {"dziva_crafting": "any-price", "start_stack": "below", "god_limit": "capped"}
"""The other value of each house rule, by its option of `new`."""
EMPIRES = ["kilwa", "mutapa", "zulu", "lozi", "mapungubwe"]
COMMAND_WEIGHTS: dict[str, float] = {
    "start": 1,
    "give": 3,
    "pass": 1,
    "raise": 40,
    "craft": 12,
    "adore": 2,
    "hire": 2,
    "use": 4,
    "build": 5,
}
COMMAND_WEIGHTS |= {"price": 2, "end": 1.5}


def square_name(square: Square) -> str:
    """The square as the engine names it; those off the board too."""
    row, column = square
    return f"{LETTERS[column]}{row + 1}"


@cache
def square_of(text: str) -> Square:
    """The square with a name: the inverse of `square_name`."""
    return int(text[1:]) - 1, LETTERS.index(text[0])


def square_names(squares: Iterable[Square]) -> tuple[str, ...]:
    return tuple(map(square_name, squares))


def engine_supply(maker: Any) -> commands.Supply | None:
    """The maker of a good, as the engine's `Supply`."""
    return commands.Supply(maker[0], square_name(maker[1]), square_name(maker[2])) if maker else None


def engine_command(command: Command) -> commands.AnyCommand:
    """The oracle's command as the engine's."""
    match command:
        case ("start", square):
            return commands.Start(square_name(square))
        case ("give", amount):
            return commands.Give(amount)
        case ("pass",):
            return commands.Pass()
        case ("adore", god):
            return commands.Adore(god)
        case ("hire" | "use" as word, specialist, cattle, resource, squares):
            return (commands.Hire if word == "hire" else commands.Use)(
                specialist, cattle, resource, square_names(squares)
            )
        case ("build", squares):
            return commands.Build(square_names(squares))
        case ("craft", type_, squares, price):
            return commands.PlaceCraftsman(type_, square_names(squares), price)
        case ("price", prices):
            return commands.SetPrices(prices)
        case ("raise", rituals):
            return commands.Raise(
                tuple(
                    commands.Ritual(square_name(monument), tuple(map(engine_good, goods)))
                    for monument, goods in rituals
                )
            )
        case ("end",):
            return commands.EndTurn()
    raise AssertionError(command)


def engine_good(good: Any) -> commands.Good:
    engine_maker = engine_supply(good[0])
    assert engine_maker
    return commands.Good(engine_maker, engine_supply(good[1]))


def oracle_command(command: commands.AnyCommand) -> Command:
    """The engine's command as the oracle's."""
    match command:
        case commands.Start(square):
            return "start", square_of(square)
        case commands.Give(amount):
            return "give", amount
        case commands.Pass():
            return ("pass",)
        case commands.Adore(god):
            return "adore", god
        case commands.Hire(specialist, cattle, resource, squares):
            return "hire", specialist, cattle, resource, tuple(map(square_of, squares))
        case commands.Use(specialist, cattle, resource, squares):
            return "use", specialist, cattle, resource, tuple(map(square_of, squares))
        case commands.Build(squares):
            return "build", tuple(map(square_of, squares))
        case commands.PlaceCraftsman(type_, squares, price):
            return "craft", type_, tuple(map(square_of, squares)), price
        case commands.SetPrices(prices):
            return "price", prices
        case commands.Raise(rituals):
            return "raise", tuple(
                (
                    square_of(ritual.monument),
                    tuple((oracle_supply(good.maker), oracle_supply(good.primary)) for good in ritual.goods),
                )
                for ritual in rituals
            )
        case commands.EndTurn():
            return ("end",)
    raise AssertionError(command)


def oracle_supply(supply: commands.Supply | None) -> Any:
    return (supply.type, square_of(supply.craftsman), square_of(supply.resource)) if supply else None


class ZimbabweTable(Table):
    """The game by both."""

    GAME = GAME
    to_engine = staticmethod(engine_command)
    OPTIONS: ClassVar[Sequence[str]] = (
        *("players", "seed", "gods", "specialists", "map", "order", "vr", "max_rounds"),
        *READINGS,
    )

    def __init__(self, recipe: Recipe) -> None:
        setup_outcome = GAME.rules.decide(GAME.evolution.initial(), "", GAME.rules.set_up(recipe.options, recipe.seed))
        assert isinstance(setup_outcome, Accepted), (recipe, setup_outcome)
        self.engine_state: State = setup_outcome.state
        setup = self.engine_state.setup
        rows = list(setup.rows)
        if setup.tiles:
            check_equal("the map of these tiles", map_rows(len(setup.seats), setup.tiles), rows)
        check_deal(recipe.options, setup)
        self.oracle_game = Game(
            list(setup.seats), rows, list(setup.order), dict(setup.gods), dict(setup.specialists), recipe.options
        )
        for seat, cattle in recipe.start_money.items():
            if seat in self.oracle_game.cattle and cattle:
                payer, payee = (STOCK, seat) if cattle > 0 else (seat, STOCK)
                GAME.evolution.evolve(self.engine_state, CattlePaid(payer, payee, abs(cattle), "given"))
                self.oracle_game.cattle[seat] += cattle

    @staticmethod
    def random_recipe(rng: Random) -> Recipe:
        """Any number of players, any gods, boards and readings; rich players see more of the game."""
        while True:
            options = random_options(rng)
            cattle = rng.choice([0, 0, -2, 5, 20, 60])
            recipe = Recipe(options, rng.getrandbits(32), dict.fromkeys(EMPIRES, cattle))
            try:
                GAME.rules.set_up(recipe.options, recipe.seed)
            except OptionError:
                continue
            return recipe

    def play(self, seat: str, command: Command, accepted: Accepted) -> None:
        self.engine_state = accepted.state
        self.oracle_game.play(seat, command)

    def weight(self, command: Command) -> float:
        return COMMAND_WEIGHTS[command[0]]

    def positions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.oracle_game.position(), engine_position(self.engine_state)

    # --- guesses

    def draw_moves(self, rng: Random) -> list[Move]:
        seat = self.oracle_game.actor or ""
        command = GAME.rules.legal(self.engine_state, seat).sample(rng)
        return [(seat, oracle_command(command))] if command else []

    def guess_moves(self, rng: Random) -> list[Move]:
        seat = self.oracle_game.actor or ""
        moves: list[Move] = [(seat, command) for command in near_legal_commands(self.oracle_game, seat, rng)]
        if rng.random() < 0.05:
            moves.append((seat, rng.choice([("start", (0, 0)), ("give", 1), ("pass",), ("end",)])))
        return moves

    def complete_lists(self) -> Iterator[tuple[str, Any, Any]]:
        seat = self.oracle_game.actor or ""
        engine_commands = [oracle_command(command) for command in GAME.rules.legal(self.engine_state, seat)]
        engine_raises = [command for command in engine_commands if command[0] == "raise"]
        other_engine_commands = [command for command in engine_commands if command[0] != "raise"]
        oracle_commands = [normal_form(command) for command in self.oracle_game.legal_commands()]
        yield "commands", set(oracle_commands), set(map(normal_form, other_engine_commands))
        yield "commands, each once", [len(oracle_commands)], [len(other_engine_commands)]
        costs: dict[frozenset[Square], int | None] = {}
        for command in engine_raises:
            costs[frozenset(monument for monument, _ in command[1])] = self.raise_cost(seat, command)
        oracle_costs = self.oracle_game.least_raise_costs()
        for monuments, cost in oracle_costs.items():
            if cost is None:  # it took too long to search: nothing is said about it
                costs.pop(monuments, None)
        yield (
            "what can be raised, and its least cost",
            {monument_set: cost for monument_set, cost in oracle_costs.items() if cost is not None},
            costs,
        )

    def raise_cost(self, seat: str, command: Command) -> int:
        """What a raise costs in all, as the oracle counts."""
        cost = 0
        for monument, goods in command[1]:
            for maker, primary in goods:
                bill = self.oracle_game.bill(seat, monument, maker, primary)
                assert isinstance(bill, dict), (command, bill)
                cost += bill["hubs"] + sum(price for _, _, price in bill["goods"])
        return cost


def normal_form(command: Command) -> Command:
    """The command in one form, where the game has several for it."""
    if command[0] == "build":
        return "build", tuple(sorted(command[1]))
    if command[0] in ("hire", "use"):
        return (*command[:4], tuple(sorted(command[4])))
    if command[0] == "price":
        return "price", tuple(sorted(command[1]))
    return command


def check_deal(options: dict[str, str], setup: Any) -> None:
    """What chance may not change: how many gods there are, which if they are named, what their VR is."""
    gods = options.get("gods", "random")
    beginner_gods = ["xango", "tsui_goab", "elegua", "gu", "engai", "obatala"]
    expected_gods = {"beginner": beginner_gods, "all": list(GODS)}.get(gods, gods.split(","))
    if gods == "random" or gods.isdigit():
        check_equal("how many gods are dealt", 8 if gods == "random" else int(gods), len(setup.gods))
        check_equal("gods that are none", set(), set(setup.gods) - set(GODS))
    else:
        check_equal("gods", set(expected_gods), set(setup.gods))
    specialists = options.get("specialists", "none" if gods == "beginner" else "all")
    check_equal(
        "specialists",
        set({"all": SPECIALISTS, "none": []}.get(specialists, specialists.split(","))),
        set(setup.specialists),
    )
    printed_vr = {**GODS, **SPECIALISTS}
    changed_vr = {entry.split(":")[0]: int(entry.split(":")[1]) for entry in options.get("vr", "").split(",") if entry}
    for card, vr in {**setup.gods, **setup.specialists}.items():
        check_equal(f"VR of {card}", changed_vr.get(card, printed_vr[card]), vr)
    players = options["players"]
    seats = [entry.split(":")[0] for entry in players.split(",")] if not players.isdigit() else EMPIRES[: int(players)]
    check_equal("seats", seats, list(setup.seats))
    check_equal("the stack of VR markers", sorted(seats), sorted(setup.order))
    if "order" in options:
        check_equal("the stack of VR markers", options["order"].split(","), list(setup.order))
    if "/" in options.get("map", ""):
        check_equal(
            "the map", [row.rstrip("_").replace("_", " ") for row in options["map"].split("/")], list(setup.rows)
        )


def random_options(rng: Random) -> dict[str, str]:
    """Options of a new game, most of them as they are by themselves."""
    player_count = rng.randint(2, 5)
    seats = EMPIRES[:player_count] if rng.random() < 0.7 else rng.sample(EMPIRES, player_count)
    options = {"players": str(player_count) if seats == EMPIRES[:player_count] else ",".join(seats)}
    chosen_gods = ",".join(rng.sample(list(GODS), rng.randint(1, 11)))
    options["gods"] = rng.choice(["random", "random", "all", "all", "beginner", str(rng.randint(0, 12)), chosen_gods])
    if rng.random() < 0.2:
        options["specialists"] = rng.choice(["none", "all", ",".join(rng.sample(list(SPECIALISTS), rng.randint(1, 4)))])
    map_choice = rng.random()
    if map_choice < 0.45:
        options["map"] = random_map(rng, player_count)
    elif map_choice < 0.55:
        tiles = rng.sample(range(1, 11), {2: 3, 3: 5, 4: 6, 5: 8}[player_count])
        tile_slot = {2: 0, 3: 1, 4: 3, 5: 4}[player_count]
        tiles.insert(tile_slot, 0)
        options["map"] = ",".join(f"{tile}.{rng.randrange(4)}" for tile in tiles)
    if rng.random() < 0.2:
        options["order"] = ",".join(rng.sample(seats, player_count))
    probability = rng.choice([0, 0, 0.1, 0.3])
    options |= {option: value for option, value in OTHER_READINGS.items() if rng.random() < probability}
    if rng.random() < 0.3:
        # After one or two rounds there are ties, which else are rare.
        options["max_rounds"] = str(rng.choice([1, 2, rng.randint(1, 15)]))
    if rng.random() < 0.3:
        cards = rng.sample([*GODS, *SPECIALISTS], rng.randint(1, 5))
        options["vr"] = ",".join(f"{card}:{rng.choice([*range(-3, 10), 19, 25])}" for card in cards)
    return options


def random_map(rng: Random, player_count: int) -> str:
    """A small board, dense with all that matters."""
    height, width = rng.randint(5, 11), rng.randint(5, 11)
    letters = "." * rng.randint(12, 30) + "~" * rng.randint(0, 6) + "WCID" + "_" * rng.randint(0, 2)
    rows = [[rng.choice(letters) for _ in range(width)] for _ in range(height)]
    for row, column in rng.sample(
        [(row, column) for row in range(height) for column in range(width)], player_count + 1
    ):
        rows[row][column] = "S"
    return "/".join("".join(row) for row in rows)


def near_legal_commands(game: Game, seat: str, rng: Random) -> Iterator[Command]:
    """Commands that are often nearly legal."""
    squares = list(game.land)
    if game.phase == "setup":
        start_squares = [square for square in squares if game.land[square] == "S"]
        yield "start", rng.choice(start_squares)
        yield "start", rng.choice(squares)
        yield "start", (25, 25)
    elif game.phase == "bidding":
        highest_gift, largest_gift = game.gift, game.largest_gift(seat)
        yield (
            "give",
            rng.choice(
                [
                    -1,
                    0,
                    highest_gift,
                    highest_gift + 1,
                    highest_gift + 2,
                    largest_gift,
                    largest_gift + 1,
                    largest_gift + 3,
                    rng.randint(0, 30),
                ]
            ),
        )
        yield "give", min(largest_gift, highest_gift + 1)
        yield ("pass",)
    else:
        if rng.random() < 0.7:
            yield ("end",)
        if game.turn["fresh"] and rng.random() < 0.3:
            yield guess_price(game, seat, rng, squares)
        for _ in range(rng.randint(2, 4)):
            (kind,) = rng.choices(list(GUESSES), [weight for _, weight in GUESSES.values()])
            yield GUESSES[kind][0](game, seat, rng, squares)


def any_square(game: Game, rng: Random, squares: list[Square]) -> Square:
    """A square, mostly an empty one, often near a monument or a resource."""
    for _ in range(4):
        square = rng.choice(squares)
        if rng.random() < 0.3 and game.monuments:
            square = rng.choice(surrounding_squares(rng.choice(list(game.monuments))))
        if game.is_empty(square):
            return square
    return rng.choice(squares)


def guess_adore(game: Game, seat: str, rng: Random, squares: list[Square]) -> Command:
    return "adore", rng.choice([*game.gods, *GODS, "nobody"])


def guess_service(game: Game, seat: str, rng: Random, squares: list[Square]) -> Command:
    own_specialists = [specialist for specialist, owner in game.owner_of.items() if owner == seat]
    specialist = rng.choice(own_specialists if own_specialists and rng.random() < 0.7 else list(SPECIALISTS))
    word = "use" if game.owner_of.get(specialist) == seat else "hire"
    cattle, resource = None, None
    chosen_squares: tuple[Square, ...] = ()
    if specialist == "herd":
        cattle = rng.choice([*PAYMENTS["herd"], *PAYMENTS["herd"], 0, 3, 8])
    if specialist == "shaman":
        resource, chosen_squares = rng.choice(list(TILES)), (any_square(game, rng, squares),)
    if specialist == "rain_ceremony":
        row, column = any_square(game, rng, squares)
        neighbours = [(row, column + 1), (row + 1, column), (row + 1, column + 1), (row, column), (row + 2, column)]
        chosen_squares = ((row, column), rng.choice(neighbours[:2] if rng.random() < 0.8 else neighbours))
    if rng.random() < 0.06:
        return (
            rng.choice(["hire", "use"]),
            rng.choice(list(SPECIALISTS)),
            rng.choice([None, cattle, 2]),
            rng.choice([resource, "clay", None, "gold"]),
            rng.choice([chosen_squares, (), ((0, 0),)]),
        )
    return word, specialist, cattle, resource, chosen_squares


def guess_build(game: Game, seat: str, rng: Random, squares: list[Square]) -> Command:
    count = 2 if game.god_of.get(seat) == "obatala" and rng.random() < 0.6 else 1
    if rng.random() < 0.05:
        count = rng.choice([0, 2, 3])
    squares_to_build = [any_square(game, rng, squares) for _ in range(count)]
    if count == 2 and rng.random() < 0.3:
        row, column = squares_to_build[0]
        squares_to_build[1] = row, column + rng.choice([0, 1, 2]) if column < 20 else 0
    return "build", tuple(squares_to_build)


def guess_craft(game: Game, seat: str, rng: Random, squares: list[Square]) -> Command:
    types = list(CRAFTSMEN)
    affordable_types = [
        type_
        for type_ in types
        if game.cattle[seat] >= CRAFTSMEN[type_][4] and len(game.squares_of_type(type_)) < 3 and (
            CRAFTSMEN[type_][1] is None or CRAFTSMEN[type_][1] in game.turn["stood"]
        )
    ]  # fmt: skip
    type_ = rng.choice(affordable_types if affordable_types and rng.random() < 0.9 else types)
    _, _, width, height, _, _, _ = CRAFTSMEN[type_]
    resource_squares = list(game.new_resources(type_))
    if resource_squares and rng.random() < 0.9:
        row, column = rng.choice(resource_squares)
        distance = game.steps + 1
        row, column = row + rng.randint(-distance - 1, distance), column + rng.randint(-distance - 1, distance)
    else:
        row, column = any_square(game, rng, squares)
    if rng.random() < 0.5:
        width, height = height, width
    if rng.random() < 0.03:
        width += 1
    footprint = [(row + down, column + right) for down in range(height) for right in range(width)]
    if rng.random() < 0.03:
        rng.shuffle(footprint)
    if rng.random() < 0.02:
        footprint = rng.choice([[], footprint[1:], footprint[:1] * 2, [*footprint, footprint[0]]])
    if not all(0 <= row < 26 and 0 <= column < 26 for row, column in footprint):
        footprint = [(25, 25)] * len(footprint)
    is_unpriced = (seat, type_) not in game.technologies or type_ in game.unpriced_technologies()
    price = rng.choice([1, 2, 3, None]) if is_unpriced else None
    if rng.random() < 0.04:
        price = rng.choice([0, 1, 2, 4])
    return "craft", type_, tuple(footprint), price


def guess_price(game: Game, seat: str, rng: Random, squares: list[Square]) -> Command:
    own_types = [type_ for owner, type_ in game.technologies if owner == seat] or ["potter"]
    unpriced_types = game.unpriced_technologies()
    types = (
        unpriced_types
        if unpriced_types and rng.random() < 0.6
        else rng.sample(own_types, rng.randint(1, len(own_types)))
    )
    if rng.random() < 0.05:
        types = rng.choice([[], [*types, types[0]], [rng.choice(list(CRAFTSMEN))]])
    return "price", tuple((type_, rng.choice([1, 2, 3, 3, rng.randint(0, 4)])) for type_ in types)


def guess_raise(game: Game, seat: str, rng: Random, squares: list[Square]) -> Command:
    """Rituals of goods that are on the board, with some mistakes."""
    raisable_monuments = [square for square, (owner, level) in game.monuments.items() if owner == seat and level < 5]
    if rng.random() < 0.03 or not raisable_monuments:
        raisable_monuments = list(game.monuments)
    rituals = []
    for monument in rng.sample(raisable_monuments, min(len(raisable_monuments), rng.choice([1, 1, 2, 3]))):
        level = game.monuments[monument][1]
        goods = []
        makers = [
            craftsman for craftsman in game.craftsmen if rng.random() < 0.1 or counts_in_ritual(game, craftsman[0])
        ]
        rng.shuffle(makers)
        if game.god_of.get(seat) == "tsui_goab":
            makers = [rng.choice(makers) for _ in range(level)] if makers else []
        elif rng.random() < 0.95:
            makers = list({type_: (type_, owner, zone) for type_, owner, zone in makers}.values())
        for type_, _, zone in makers[: level if rng.random() < 0.96 else level + rng.choice([-1, 1])]:
            primary_type = CRAFTSMEN[type_][1]
            primary = None
            if primary_type:
                primary_squares = game.squares_of_type(primary_type)
                primary = (
                    guess_supply(game, primary_type, rng.choice(primary_squares), rng, squares)
                    if primary_squares
                    else None
                )
            elif rng.random() < 0.02:
                primary = guess_supply(game, type_, zone, rng, squares)
            if rng.random() < 0.02:
                primary = None
            goods.append((guess_supply(game, type_, zone, rng, squares), primary))
        rituals.append((monument, tuple(goods)))
    if rng.random() < 0.02 and rituals:
        rituals.append(rituals[0])
    return "raise", tuple(rituals)


def counts_in_ritual(game: Game, type_: str) -> bool:
    """Whether its good counts in a ritual."""
    return not any(
        primary_type == type_ and game.squares_of_type(other_type)
        for other_type, (_, primary_type, *_) in CRAFTSMEN.items()
    )


def guess_supply(game: Game, type_: str, zone: tuple[Square, ...], rng: Random, squares: list[Square]) -> Any:
    resource_squares = sorted(game.resources(CRAFTSMEN[type_][0], zone))
    used_resources = {square for square, _ in game.markers}
    unused_resources = [square for square in resource_squares if square not in used_resources]
    resource = (
        rng.choice(unused_resources if unused_resources and rng.random() < 0.85 else resource_squares)
        if resource_squares
        else rng.choice(squares)
    )
    if rng.random() < 0.02:
        resource = rng.choice(squares)
    first_square = zone[0] if rng.random() < 0.98 else zone[-1]
    return (type_, first_square, resource)


GUESSES = {
    "adore": (guess_adore, 2.0),
    "service": (guess_service, 2.0),
    "build": (guess_build, 2.0),
    "craft": (guess_craft, 6.0),
    "price": (guess_price, 1.5),
    "raise": (guess_raise, 6.0),
}


class LandCache:
    """The land that was computed last: it seldom changes between two calls."""

    masks: Any = None
    land: dict[Square, str] = {}  # noqa: RUF012


def land_of(letter_masks: tuple[tuple[str, int], ...], board: Board) -> dict[Square, str]:
    """The letter of each square: that of the last set that contains it."""
    if LandCache.masks != (letter_masks, board.stride):
        land: dict[Square, str] = {}
        for letter, squares in letter_masks:
            land |= dict.fromkeys(map(square_of, board.names(squares)), letter)
        LandCache.masks, LandCache.land = (letter_masks, board.stride), land
    return LandCache.land


def engine_position(state: State) -> dict[str, Any]:
    """The engine's state in the oracle's words."""
    is_bidding, is_acting = state.phase == "bidding", state.phase == "actions"
    cards, waiting_cattle = {}, 0
    for account, cattle in state.cattle.items():
        if account == "card/qamata":
            waiting_cattle += cattle
        elif "/" in account and not account.startswith("plaque/") and cattle:
            owner, card = account.split("/")
            cards[owner, card] = cattle
    board, resources = state.board, state.resources
    letter_masks = (
        (".", board.existing_squares),
        ("~", board.water),
        ("S", state.start_areas),
        ("W", resources["wood"]),
        ("C", resources["clay"]),
    )
    land = land_of((*letter_masks, ("I", resources["ivory"]), ("D", resources["diamonds"])), board)
    turn = state.turn if is_acting else None
    technologies = {}
    for card, technology in state.technologies.items():
        owner, type_ = card.split("/")
        technologies[owner, type_] = (technology.card, technology.vr, technology.price)
    ranking = GAME.evolution.outcome(state).ranking if state.phase == "over" else ()
    return {
        "phase": state.phase,
        "round": state.round,
        "actor": state.actor,
        "cattle": {seat: state.cattle.get(seat, 0) for seat in state.seats},
        "cards": cards,
        "waiting": waiting_cattle,
        "vp": dict(state.vp),
        "vr": dict(state.vr),
        "queue": list(state.queue),
        "gods": dict(state.adores),
        "specialists": {specialist: owner for specialist, owner in state.specialists.items() if owner},
        "technologies": technologies,
        "plaques": {plaque: state.cattle.get(f"plaque/{plaque}", 0) for plaque in state.plaques}
        if is_bidding
        else None,
        "plaque order": list(state.plaques) if is_bidding else None,
        "gift": state.gift if is_bidding else None,
        "gave": set(state.givers) if is_bidding else None,
        "passed": list(state.passed_seats) if is_bidding else None,
        "order": list(state.order) if is_acting or state.phase == "over" else None,
        "turn": turn and (turn.card, frozenset(turn.used), turn.action, turn.taken),
        "done": turn and set(map(square_of, turn.monuments)),
        "monuments": {
            square_of(square): (monument.owner, monument.level) for square, monument in state.monuments.items()
        },
        "craftsmen": [
            (craftsman.type, craftsman.owner, tuple(map(square_of, craftsman.squares))) for craftsman in state.craftsmen
        ],
        "used": {square_of(square): count for square, count in state.used_markers.items() if count},
        "land": land,
        "empty": set(map(square_of, board.names(state.empty_land))),
        "tiles": dict(state.tiles),
        "water": state.water_tiles,
        "winner": state.winner,
        "ranking": [seat for place in ranking for seat in place],
    }
