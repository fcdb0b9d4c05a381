"""The Great Zimbabwe by the engine and by the oracle, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, ClassVar

from tests.oracle.compare import Command, Move, Recipe, Table, differs
from tests.oracle.zimbabwe import CRAFTSMEN, GODS, PAYMENTS, READINGS, SPECIALISTS, TILES, Game, Square, around, map_of
from zimcore.game import Accepted, OptionError
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe import commands as c
from zimcore.games.zimbabwe.board import Board
from zimcore.games.zimbabwe.events import STOCK, CattlePaid
from zimcore.games.zimbabwe.state import State

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OTHERS = {"xango": "absolute", "dziva": "turn-start", "qamata": "always", "shadipinyi": "always"}
OTHERS |= {"resource_range": "blocked", "raised_hub": "paid", "first_gift": "required", "specialist_uses": "one"}
OTHERS |= {"main_action": "in-parts", "builder": "whole-turn", "gu": "one-move", "obatala": "together"}
OTHERS |= {"secondary_hubs": "one", "new_prices": "turn-end", "atete": "own-markers"}
"""The other value of each house rule, by its option of `new`."""
EMPIRES = ["kilwa", "mutapa", "zulu", "lozi", "mapungubwe"]
WEIGHTS: dict[str, float] = {
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
WEIGHTS |= {"price": 2, "end": 1.5}


def name(square: Square) -> str:
    """The square as the engine names it; those off the board too."""
    row, column = square
    return f"{LETTERS[column]}{row + 1}"


@cache
def square_of(text: str) -> Square:
    """The square with a name: the inverse of `name`."""
    return int(text[1:]) - 1, LETTERS.index(text[0])


def names(squares: Iterable[Square]) -> tuple[str, ...]:
    return tuple(map(name, squares))


def supply(resource: Any) -> c.Supply | None:
    """Who makes a good, for the engine."""
    return c.Supply(resource[0], name(resource[1]), name(resource[2])) if resource else None


def engine_command(command: Command) -> c.AnyCommand:
    """The oracle's command as the engine's."""
    match command:
        case ("start", square):
            return c.Start(name(square))
        case ("give", amount):
            return c.Give(amount)
        case ("pass",):
            return c.Pass()
        case ("adore", god):
            return c.Adore(god)
        case ("hire" | "use" as word, who, cattle, resource, squares):
            return (c.Hire if word == "hire" else c.Use)(who, cattle, resource, names(squares))
        case ("build", squares):
            return c.Build(names(squares))
        case ("craft", type_, squares, price):
            return c.PlaceCraftsman(type_, names(squares), price)
        case ("price", prices):
            return c.SetPrices(prices)
        case ("raise", rituals):
            return c.Raise(tuple(c.Ritual(name(monument), tuple(map(good, goods))) for monument, goods in rituals))
        case ("end",):
            return c.EndTurn()
    raise AssertionError(command)


def good(resource: Any) -> c.Good:
    maker = supply(resource[0])
    assert maker
    return c.Good(maker, supply(resource[1]))


def oracle_command(command: c.AnyCommand) -> Command:
    """The engine's command as the oracle's."""
    match command:
        case c.Start(square):
            return "start", square_of(square)
        case c.Give(amount):
            return "give", amount
        case c.Pass():
            return ("pass",)
        case c.Adore(god):
            return "adore", god
        case c.Hire(who, cattle, resource, squares):
            return "hire", who, cattle, resource, tuple(map(square_of, squares))
        case c.Use(who, cattle, resource, squares):
            return "use", who, cattle, resource, tuple(map(square_of, squares))
        case c.Build(squares):
            return "build", tuple(map(square_of, squares))
        case c.PlaceCraftsman(type_, squares, price):
            return "craft", type_, tuple(map(square_of, squares)), price
        case c.SetPrices(prices):
            return "price", prices
        case c.Raise(rituals):
            return "raise", tuple(
                (
                    square_of(ritual.monument),
                    tuple((supply_words(each.maker), supply_words(each.primary)) for each in ritual.goods),
                )
                for ritual in rituals
            )
        case c.EndTurn():
            return ("end",)
    raise AssertionError(command)


def supply_words(resource: c.Supply | None) -> Any:
    return (resource.type, square_of(resource.craftsman), square_of(resource.resource)) if resource else None


class ZimbabweTable(Table):
    """The game by both."""

    GAME = GAME
    of_engine = staticmethod(engine_command)
    OPTIONS: ClassVar[Sequence[str]] = (
        *("players", "seed", "gods", "specialists", "map", "order", "vr", "max_rounds"),
        *READINGS,
    )

    def __init__(self, recipe: Recipe) -> None:
        setup_outcome = GAME.rules.decide(GAME.evolution.initial(), "", GAME.rules.set_up(recipe.options, recipe.seed))
        assert isinstance(setup_outcome, Accepted), (recipe, setup_outcome)
        self.engine: State = setup_outcome.state
        setup = self.engine.setup
        rows = list(setup.rows)
        if setup.tiles:
            differs("the map of these tiles", map_of(len(setup.seats), setup.tiles), rows)
        check_deal(recipe.options, setup)
        self.oracle = Game(
            list(setup.seats), rows, list(setup.order), dict(setup.gods), dict(setup.specialists), recipe.options
        )
        for seat, cattle in recipe.money.items():
            if seat in self.oracle.hand and cattle:
                payer, payee = (STOCK, seat) if cattle > 0 else (seat, STOCK)
                GAME.evolution.evolve(self.engine, CattlePaid(payer, payee, abs(cattle), "given"))
                self.oracle.hand[seat] += cattle

    @staticmethod
    def recipe(chance: Random) -> Recipe:
        """Any number of players, any gods, boards and readings; rich players see more of the game."""
        while True:
            options = random_options(chance)
            rich = chance.choice([0, 0, -2, 5, 20, 60])
            recipe = Recipe(options, chance.getrandbits(32), dict.fromkeys(EMPIRES, rich))
            try:
                GAME.rules.set_up(recipe.options, recipe.seed)
            except OptionError:
                continue
            return recipe

    def play(self, seat: str, command: Command, accepted: Accepted) -> None:
        self.engine = accepted.state
        self.oracle.play(seat, command)

    def weight(self, command: Command) -> float:
        return WEIGHTS[command[0]]

    def positions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.oracle.position(), engine_position(self.engine)

    # --- guesses

    def draw_moves(self, chance: Random) -> list[Move]:
        seat = self.oracle.actor or ""
        command = GAME.rules.legal(self.engine, seat).sample(chance)
        return [(seat, oracle_command(command))] if command else []

    def guesses(self, chance: Random) -> list[Move]:
        seat = self.oracle.actor or ""
        commands: list[Move] = [(seat, command) for command in near_legal_commands(self.oracle, seat, chance)]
        if chance.random() < 0.05:
            commands.append((seat, chance.choice([("start", (0, 0)), ("give", 1), ("pass",), ("end",)])))
        return commands

    def lists(self) -> Iterator[tuple[str, Any, Any]]:
        seat = self.oracle.actor or ""
        legal = [oracle_command(each) for each in GAME.rules.legal(self.engine, seat)]
        engine = [each for each in legal if each[0] != "raise"]
        oracle = [one_of_alike(each) for each in self.oracle.everything()]
        yield "commands", set(oracle), set(map(one_of_alike, engine))
        yield "commands, each once", [len(oracle)], [len(engine)]
        costs: dict[frozenset[Square], int | None] = {}
        for command in legal:
            if command[0] == "raise":
                costs[frozenset(monument for monument, _ in command[1])] = self.cost(seat, command)
        raises = self.oracle.raises()
        for monuments, cost in raises.items():
            if cost is None:  # it took too long to search: nothing is said about it
                costs.pop(monuments, None)
        yield "what can be raised, and its least cost", {each: n for each, n in raises.items() if n is not None}, costs

    def cost(self, seat: str, command: Command) -> int:
        """What a raise costs in all, as the oracle counts."""
        cost = 0
        for monument, goods in command[1]:
            for maker, primary in goods:
                bill = self.oracle.bill(seat, monument, maker, primary)
                assert isinstance(bill, dict), (command, bill)
                cost += bill["hubs"] + sum(price for _, _, price in bill["goods"])
        return cost


def one_of_alike(command: Command) -> Command:
    """Several ways to say the same as one."""
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
    beginner = ["xango", "tsui_goab", "elegua", "gu", "engai", "obatala"]
    fixed = {"beginner": beginner, "all": list(GODS)}.get(gods, gods.split(","))
    if gods == "random" or gods.isdigit():
        differs("how many gods are dealt", 8 if gods == "random" else int(gods), len(setup.gods))
        differs("gods that are none", set(), set(setup.gods) - set(GODS))
    else:
        differs("gods", set(fixed), set(setup.gods))
    who = options.get("specialists", "none" if gods == "beginner" else "all")
    differs("specialists", set({"all": SPECIALISTS, "none": []}.get(who, who.split(","))), set(setup.specialists))
    printed = {**GODS, **SPECIALISTS}
    changed = {each.split(":")[0]: int(each.split(":")[1]) for each in options.get("vr", "").split(",") if each}
    for card, vr in {**setup.gods, **setup.specialists}.items():
        differs(f"VR of {card}", changed.get(card, printed[card]), vr)
    players = options["players"]
    seats = [each.split(":")[0] for each in players.split(",")] if not players.isdigit() else EMPIRES[: int(players)]
    differs("seats", seats, list(setup.seats))
    differs("the stack of VR markers", sorted(seats), sorted(setup.order))
    if "order" in options:
        differs("the stack of VR markers", options["order"].split(","), list(setup.order))
    if "/" in options.get("map", ""):
        differs("the map", [row.rstrip("_").replace("_", " ") for row in options["map"].split("/")], list(setup.rows))


def random_options(chance: Random) -> dict[str, str]:
    """Options of a new game, most of them as they are by themselves."""
    count = chance.randint(2, 5)
    seats = EMPIRES[:count] if chance.random() < 0.7 else chance.sample(EMPIRES, count)
    options = {"players": str(count) if seats == EMPIRES[:count] else ",".join(seats)}
    some = ",".join(chance.sample(list(GODS), chance.randint(1, 11)))
    options["gods"] = chance.choice(["random", "random", "all", "all", "beginner", str(chance.randint(0, 12)), some])
    if chance.random() < 0.2:
        options["specialists"] = chance.choice(
            ["none", "all", ",".join(chance.sample(list(SPECIALISTS), chance.randint(1, 4)))]
        )
    board = chance.random()
    if board < 0.45:
        options["map"] = random_map(chance, count)
    elif board < 0.55:
        tiles = chance.sample(range(1, 11), {2: 3, 3: 5, 4: 6, 5: 8}[count])
        place = {2: 0, 3: 1, 4: 3, 5: 4}[count]
        tiles.insert(place, 0)
        options["map"] = ",".join(f"{tile}.{chance.randrange(4)}" for tile in tiles)
    if chance.random() < 0.2:
        options["order"] = ",".join(chance.sample(seats, count))
    often = chance.choice([0, 0, 0.1, 0.3])
    options |= {option: other for option, other in OTHERS.items() if chance.random() < often}
    if chance.random() < 0.3:
        # After one or two rounds there are ties, which else are rare.
        options["max_rounds"] = str(chance.choice([1, 2, chance.randint(1, 15)]))
    if chance.random() < 0.3:
        cards = chance.sample([*GODS, *SPECIALISTS], chance.randint(1, 5))
        options["vr"] = ",".join(f"{card}:{chance.randint(-3, 9)}" for card in cards)
    return options


def random_map(chance: Random, players: int) -> str:
    """A small board, dense with all that matters."""
    height, width = chance.randint(5, 11), chance.randint(5, 11)
    letters = "." * chance.randint(12, 30) + "~" * chance.randint(0, 6) + "WCID" + "_" * chance.randint(0, 2)
    rows = [[chance.choice(letters) for _ in range(width)] for _ in range(height)]
    for row, column in chance.sample([(row, column) for row in range(height) for column in range(width)], players + 1):
        rows[row][column] = "S"
    return "/".join("".join(row) for row in rows)


def near_legal_commands(game: Game, seat: str, chance: Random) -> Iterator[Command]:
    """Commands that are often nearly legal."""
    squares = list(game.land)
    if game.phase == "setup":
        starts = [square for square in squares if game.land[square] == "S"]
        yield "start", chance.choice(starts)
        yield "start", chance.choice(squares)
        yield "start", (25, 25)
    elif game.phase == "bidding":
        top, purse = game.gift, game.purse(seat)
        yield "give", chance.choice([-1, 0, top, top + 1, top + 2, purse, purse + 1, purse + 3, chance.randint(0, 30)])
        yield "give", min(purse, top + 1)
        yield ("pass",)
    else:
        if chance.random() < 0.7:
            yield ("end",)
        if game.turn["fresh"] and chance.random() < 0.3:
            yield guess_price(game, seat, chance, squares)
        for _ in range(chance.randint(2, 4)):
            (kind,) = chance.choices(list(GUESSES), [weight for _, weight in GUESSES.values()])
            yield GUESSES[kind][0](game, seat, chance, squares)


def any_square(game: Game, chance: Random, squares: list[Square]) -> Square:
    """A square, mostly an empty one, often near a monument or a resource."""
    for _ in range(4):
        square = chance.choice(squares)
        if chance.random() < 0.3 and game.monuments:
            square = chance.choice(around(chance.choice(list(game.monuments))))
        if game.empty(square):
            return square
    return chance.choice(squares)


def guess_adore(game: Game, seat: str, chance: Random, squares: list[Square]) -> Command:
    return "adore", chance.choice([*game.gods, *GODS, "nobody"])


def guess_service(game: Game, seat: str, chance: Random, squares: list[Square]) -> Command:
    own = [who for who, owner in game.owner.items() if owner == seat]
    who = chance.choice(own if own and chance.random() < 0.7 else list(SPECIALISTS))
    word = "use" if game.owner.get(who) == seat else "hire"
    cattle, resource = None, None
    places: tuple[Square, ...] = ()
    if who == "herd":
        cattle = chance.choice([*PAYMENTS["herd"], *PAYMENTS["herd"], 0, 3, 8])
    if who == "shaman":
        resource, places = chance.choice(list(TILES)), (any_square(game, chance, squares),)
    if who == "rain_ceremony":
        row, column = any_square(game, chance, squares)
        others = [(row, column + 1), (row + 1, column), (row + 1, column + 1), (row, column), (row + 2, column)]
        places = ((row, column), chance.choice(others[:2] if chance.random() < 0.8 else others))
    if chance.random() < 0.06:
        return (
            chance.choice(["hire", "use"]),
            chance.choice(list(SPECIALISTS)),
            chance.choice([None, cattle, 2]),
            chance.choice([resource, "clay", None, "gold"]),
            chance.choice([places, (), ((0, 0),)]),
        )
    return word, who, cattle, resource, places


def guess_build(game: Game, seat: str, chance: Random, squares: list[Square]) -> Command:
    most = 2 if game.god.get(seat) == "obatala" and chance.random() < 0.6 else 1
    if chance.random() < 0.05:
        most = chance.choice([0, 2, 3])
    chosen = [any_square(game, chance, squares) for _ in range(most)]
    if most == 2 and chance.random() < 0.3:
        row, column = chosen[0]
        chosen[1] = row, column + chance.choice([0, 1, 2]) if column < 20 else 0
    return "build", tuple(chosen)


def guess_craft(game: Game, seat: str, chance: Random, squares: list[Square]) -> Command:
    types = list(CRAFTSMEN)
    good_types = [
        type_
        for type_ in types
        if game.hand[seat] >= CRAFTSMEN[type_][4] and len(game.of_type(type_)) < 3 and (
            CRAFTSMEN[type_][1] is None or CRAFTSMEN[type_][1] in game.turn["stood"]
        )
    ]  # fmt: skip
    type_ = chance.choice(good_types if good_types and chance.random() < 0.9 else types)
    _, _, width, height, _, _, _ = CRAFTSMEN[type_]
    goods = list(game.new_resources(type_))
    if goods and chance.random() < 0.9:
        row, column = chance.choice(goods)
        reach = game.steps + 1
        row, column = row + chance.randint(-reach - 1, reach), column + chance.randint(-reach - 1, reach)
    else:
        row, column = any_square(game, chance, squares)
    if chance.random() < 0.5:
        width, height = height, width
    if chance.random() < 0.03:
        width += 1
    places = [(row + down, column + right) for down in range(height) for right in range(width)]
    if chance.random() < 0.03:
        chance.shuffle(places)
    if chance.random() < 0.02:
        places = chance.choice([[], places[1:], places[:1] * 2, [*places, places[0]]])
    if not all(0 <= row < 26 and 0 <= column < 26 for row, column in places):
        places = [(25, 25)] * len(places)
    new = (seat, type_) not in game.technologies or type_ in game.unpriced_technologies()
    price = chance.choice([1, 2, 3, None]) if new else None
    if chance.random() < 0.04:
        price = chance.choice([0, 1, 2, 4])
    return "craft", type_, tuple(places), price


def guess_price(game: Game, seat: str, chance: Random, squares: list[Square]) -> Command:
    own = [type_ for owner, type_ in game.technologies if owner == seat] or ["potter"]
    first = game.unpriced_technologies()
    chosen = first if first and chance.random() < 0.6 else chance.sample(own, chance.randint(1, len(own)))
    if chance.random() < 0.05:
        chosen = chance.choice([[], [*chosen, chosen[0]], [chance.choice(list(CRAFTSMEN))]])
    return "price", tuple((type_, chance.choice([1, 2, 3, 3, chance.randint(0, 4)])) for type_ in chosen)


def guess_raise(game: Game, seat: str, chance: Random, squares: list[Square]) -> Command:
    """Rituals of goods that are on the board, with some mistakes."""
    own = [square for square, (owner, level) in game.monuments.items() if owner == seat and level < 5]
    if chance.random() < 0.03 or not own:
        own = list(game.monuments)
    rituals = []
    for monument in chance.sample(own, min(len(own), chance.choice([1, 1, 2, 3]))):
        level = game.monuments[monument][1]
        goods = []
        makers = [each for each in game.craftsmen if chance.random() < 0.1 or usable(game, each[0])]
        chance.shuffle(makers)
        if game.god.get(seat) == "tsui_goab":
            makers = [chance.choice(makers) for _ in range(level)] if makers else []
        elif chance.random() < 0.95:
            makers = list({type_: (type_, owner, zone) for type_, owner, zone in makers}.values())
        for type_, _, zone in makers[: level if chance.random() < 0.96 else level + chance.choice([-1, 1])]:
            needs = CRAFTSMEN[type_][1]
            primary = None
            if needs:
                theirs = game.of_type(needs)
                primary = made_by(game, needs, chance.choice(theirs), chance, squares) if theirs else None
            elif chance.random() < 0.02:
                primary = made_by(game, type_, zone, chance, squares)
            if chance.random() < 0.02:
                primary = None
            goods.append((made_by(game, type_, zone, chance, squares), primary))
        rituals.append((monument, tuple(goods)))
    if chance.random() < 0.02 and rituals:
        rituals.append(rituals[0])
    return "raise", tuple(rituals)


def usable(game: Game, type_: str) -> bool:
    """Whether its good counts in a ritual."""
    return not any(needs == type_ and game.of_type(each) for each, (_, needs, *_) in CRAFTSMEN.items())


def made_by(game: Game, type_: str, zone: tuple[Square, ...], chance: Random, squares: list[Square]) -> Any:
    near = sorted(game.resources(CRAFTSMEN[type_][0], zone))
    marked = {square for square, _ in game.markers}
    free = [square for square in near if square not in marked]
    resource = chance.choice(free if free and chance.random() < 0.85 else near) if near else chance.choice(squares)
    if chance.random() < 0.02:
        resource = chance.choice(squares)
    at = zone[0] if chance.random() < 0.98 else zone[-1]
    return (type_, at, resource)


GUESSES = {
    "adore": (guess_adore, 2.0),
    "service": (guess_service, 2.0),
    "build": (guess_build, 2.0),
    "craft": (guess_craft, 6.0),
    "price": (guess_price, 1.5),
    "raise": (guess_raise, 6.0),
}


class Ground:
    """The ground that was asked for last: mostly it is the same again."""

    masks: Any = None
    land: dict[Square, str] = {}  # noqa: RUF012


def land_of(masks: tuple[tuple[str, int], ...], board: Board) -> dict[Square, str]:
    """What is on each square: the letter of the last set that has it."""
    if Ground.masks != (masks, board.stride):
        land: dict[Square, str] = {}
        for letter, squares in masks:
            land |= dict.fromkeys(map(square_of, board.names(squares)), letter)
        Ground.masks, Ground.land = (masks, board.stride), land
    return Ground.land


def engine_position(state: State) -> dict[str, Any]:
    """The engine's state in the oracle's words."""
    bidding, acting = state.phase == "bidding", state.phase == "actions"
    cards, waiting = {}, 0
    for account, cattle in state.cattle.items():
        if account == "card/qamata":
            waiting += cattle
        elif "/" in account and not account.startswith("plaque/") and cattle:
            owner, card = account.split("/")
            cards[owner, card] = cattle
    board, kinds = state.board, state.resources
    masks = ((".", board.exists), ("~", board.water), ("S", state.starts), ("W", kinds["wood"]), ("C", kinds["clay"]))
    land = land_of((*masks, ("I", kinds["ivory"]), ("D", kinds["diamonds"])), board)
    turn = state.turn if acting else None
    technologies = {}
    for card, held in state.technologies.items():
        owner, type_ = card.split("/")
        technologies[owner, type_] = (held.card, held.vr, held.price)
    ranking = GAME.evolution.outcome(state).ranking if state.phase == "over" else ()
    return {
        "phase": state.phase,
        "round": state.round,
        "actor": state.actor,
        "cattle": {seat: state.cattle.get(seat, 0) for seat in state.seats},
        "cards": cards,
        "waiting": waiting,
        "vp": dict(state.vp),
        "vr": dict(state.vr),
        "queue": list(state.queue),
        "gods": dict(state.adores),
        "specialists": {who: owner for who, owner in state.specialists.items() if owner},
        "technologies": technologies,
        "plaques": {each: state.cattle.get(f"plaque/{each}", 0) for each in state.plaques} if bidding else None,
        "plaque order": list(state.plaques) if bidding else None,
        "gift": state.gift if bidding else None,
        "gave": set(state.givers) if bidding else None,
        "passed": list(state.passed) if bidding else None,
        "order": list(state.order) if acting or state.phase == "over" else None,
        "turn": turn and (turn.card, frozenset(turn.used), turn.action, turn.taken),
        "done": turn and set(map(square_of, turn.monuments)),
        "monuments": {square_of(at): (each.owner, each.level) for at, each in state.monuments.items()},
        "craftsmen": [(each.type, each.owner, tuple(map(square_of, each.squares))) for each in state.craftsmen],
        "used": {square_of(at): count for at, count in state.used.items() if count},
        "land": land,
        "empty": set(map(square_of, board.names(state.empty))),
        "tiles": dict(state.tiles),
        "water": state.water_tiles,
        "winner": state.winner,
        "ranking": [seat for place in ranking for seat in place],
    }
