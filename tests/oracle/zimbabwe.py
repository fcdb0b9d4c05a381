"""The Great Zimbabwe once more, as simply as can be: an oracle that the rules of the project are played against.

Written from the rulebook and its numbered rules alone. It imports nothing but the standard library, has its own tables
of all that is printed, and looks at squares one by one: no fact of it is derived from code that it judges.

A square is `(row, column)`, counted from 0. A command is a tuple, its word first:

    ("start", square) · ("give", 3) · ("pass",) · ("adore", "eshu") · ("end",)
    ("hire" or "use", specialist, cattle or None, resource or None, squares)
    ("build", squares) · ("craft", type, squares, price or None) · ("price", ((type, 2), ...))
    ("raise", ((monument, ((maker, primary or None), ...)), ...)), where both are (type, first square, resource)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any

Square = tuple[int, int]
Command = tuple[Any, ...]

# type: (resource, needs, width, height, cost, VP, VR of the first and of the second card): table A1 of the rulebook
CRAFTSMEN: dict[str, tuple[str, str | None, int, int, int, int, tuple[int, int]]] = {
    "wood_carver": ("wood", None, 1, 2, 2, 1, (3, 4)),
    "potter": ("clay", None, 1, 2, 2, 1, (3, 4)),
    "ivory_carver": ("ivory", None, 2, 2, 2, 1, (2, 3)),
    "diamond_cutter": ("diamonds", None, 2, 2, 10, 3, (1, 2)),
    "sculptor": ("wood", "wood_carver", 2, 2, 4, 2, (3, 4)),
    "vessel_maker": ("clay", "potter", 2, 2, 4, 2, (3, 4)),
    "throne_maker": ("wood", "ivory_carver", 1, 2, 4, 2, (3, 4)),
}
SECONDARY_OF = {needs: type_ for type_, (_, needs, *_) in CRAFTSMEN.items() if needs}
"""By primary type: the secondary type that works on its good."""
GODS = {"shadipinyi": 4, "elegua": 4, "dziva": 2, "eshu": 4, "gu": 4, "obatala": 7, "atete": 5, "tsui_goab": 3}
GODS |= {"anansi": 5, "qamata": 2, "engai": 5, "xango": -2}
SPECIALISTS = {"shaman": 3, "rain_ceremony": 1, "herd": 6, "nomads": 1, "builder": 2}
PAYMENTS = {"shaman": (2,), "rain_ceremony": (3,), "herd": (2, 4, 6), "nomads": (2,), "builder": (2,)}
LETTERS = {"W": "wood", "C": "clay", "I": "ivory", "D": "diamonds"}
TILES = {"wood": 6, "clay": 4, "ivory": 3, "diamonds": 3}
READINGS = {"xango": "overshoot", "dziva": "immediate", "qamata": "adored", "shadipinyi": "adored"}
READINGS |= {"resource_range": "open", "raised_hub": "free", "first_gift": "optional", "specialist_uses": "each"}
READINGS |= {"main_action": "in-one", "builder": "afterwards", "gu": "two-moves", "obatala": "apart"}
READINGS |= {"secondary_hubs": "any", "new_prices": "at-once", "atete": "all-markers", "herd": "at-once"}
READINGS |= {"dziva_crafting": "raise-only", "start_stack": "on-top", "god_limit": "refused"}
"""The usual value of each house rule, by its option of `new`."""
VP_FOR_LEVEL = {1: 1, 2: 2, 3: 4, 4: 6, 5: 8}
"""VP for reaching a level."""
LAYOUTS = {2: ["*x", "xx"], 3: ["--x", "-*x", "xxx"], 4: ["xx-", "x*x", "-xx"], 5: ["xxx", "x*x", "xxx"]}
MAP_TILES = [
    "..S..S/....../S..W../..C..S/....../S..S..",
    "..~~../.W~~C./....../....../....W./......",
    "D..~~~/...~~~/C...I./....../....../......",
    "~~..../~~I.../..C.../....../.D..~~/....~~",
    "~~~~../~~~~../..W.../....../D....C/......",
    ".~~~~~/.I..../...W../...W../~~..../~~....",
    ".....~/.C...~/.....~/.....~/.~~DW~/.~~..~",
    "..~.../..~CI./..~C../..~.../..~~~~/..~~~~",
    ".~..../.~.I../.~..../.~I.../.~~~../.~~~.W",
    "....../.C..W./~~..../~~..../~~~~../.~~~.C",
    "~~~~.W/~~~~../~~~~../..ID../....../......",
]
MAX_SEARCH_STEPS = 3000
"""Steps of the search for the cheapest raise, after which it gives up."""


def map_rows(player_count: int, tiles: Iterable[tuple[int, int]]) -> list[str]:
    """The map as rows of letters, from the tiles with their quarter turns, slot by slot (part C of the rules).

    If the start tile is in another slot, the layout is turned by 180 degrees.
    """
    tiles = list(tiles)
    layout = LAYOUTS[player_count]
    if tiles["".join(layout).replace("-", "").index("*")][0]:
        layout = [row[::-1] for row in reversed(layout)]
    remaining_tiles, rows = iter(tiles), []
    for layout_row in layout:
        tiles_of_row = []
        for slot in layout_row:
            tile_rows = [" " * 6] * 6
            if slot != "-":
                number, turns = next(remaining_tiles)
                assert (number == 0) == (slot == "*")
                tile_rows = MAP_TILES[number].split("/")
                for _ in range(turns):
                    tile_rows = ["".join(tile_rows[5 - column][row] for column in range(6)) for row in range(6)]
            tiles_of_row.append(tile_rows)
        rows += ["".join(tile_rows[row] for tile_rows in tiles_of_row) for row in range(6)]
    return rows


class Game:
    """A game in progress. `first_broken_rule` says which rule forbids a command; `play` plays one that is legal."""

    def __init__(
        self,
        seats: list[str],
        rows: list[str],
        order: list[str],
        gods: dict[str, int],
        specialists: dict[str, int],
        options: dict[str, str],
    ) -> None:
        self.seats = seats
        self.options = {**READINGS, **options}
        self.gods, self.specialists = gods, specialists
        self.land: dict[Square, str] = {}
        for row, line in enumerate(rows):
            for column, letter in enumerate(line):
                if letter not in " _":
                    self.land[row, column] = letter
        self.resources_of_kind = {
            kind: {square for square in self.land if self.land[square] == letter} for letter, kind in LETTERS.items()
        }
        self.neighbours = {
            square: [neighbour for neighbour in surrounding_squares(square) if neighbour in self.land]
            for square in self.land
        }
        self.start_order = order
        self.phase, self.round = "setup", 0
        self.cattle = dict.fromkeys(seats, 3)
        self.cattle_on_cards: Counter[tuple[str, str]] = Counter()
        self.cattle_on_qamata = 0
        self.vp, self.vr = dict.fromkeys(seats, 0), dict.fromkeys(seats, 20)
        self.queue = list(reversed(order))  # on one value, the lower marker first
        self.moved_seats = set[str]()
        self.god_of: dict[str, str] = {}
        self.owner_of: dict[str, str] = {}
        self.technologies: dict[tuple[str, str], list[int]] = {}  # card, VR, price (0: not set)
        self.monuments: dict[Square, list[Any]] = {}  # owner, level
        self.craftsmen: list[tuple[str, str, tuple[Square, ...]]] = []  # type, owner, squares
        self.markers: list[tuple[Square, str]] = []  # used markers, and who has placed them
        self.tiles, self.water_tiles = dict(TILES), 8
        self.plaques: list[str] = []
        self.cattle_given = self.gift = 0
        self.givers: set[str] = set()
        self.passed_seats: list[str] = []
        self.bidder = ""
        self.order: list[str] = []
        self.turn: dict[str, Any] = {}
        self.winner: str | None = None
        self.ranking: list[str] = []
        self.clear_caches()

    # --- geometry

    def clear_caches(self) -> None:
        """Clears what was computed from the board, because there is new water. (New monuments only block.)"""
        self.lakes: dict[Square, frozenset[Square]] = {}
        self.squares_within: dict[tuple[Square, int], frozenset[Square]] = {}
        self.unblocked_squares_within: dict[tuple[Square, int], frozenset[Square]] = {}

    def lake(self, square: Square) -> frozenset[Square]:
        """All water that hangs together by edges with a square of water (R-GEO-02)."""
        if square not in self.lakes:
            lake_squares, frontier = {square}, [square]
            while frontier:
                row, column = frontier.pop()
                for neighbour in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                    if self.land.get(neighbour) == "~" and neighbour not in lake_squares:
                        lake_squares.add(neighbour)
                        frontier.append(neighbour)
            for water_square in lake_squares:
                self.lakes[water_square] = frozenset(lake_squares)
        return self.lakes[square]

    def ball(self, start: Square, steps: int, is_blocked: bool) -> frozenset[Square]:
        """All squares within so many steps of one (R-RNG-01); `is_blocked` where no path runs through a monument."""
        cache, key = self.squares_within if is_blocked else self.unblocked_squares_within, (start, steps)
        if key not in cache:
            squares = set(self.lake(start)) if self.land[start] == "~" else {start}
            edge_squares = set(squares)
            for _ in range(steps):
                next_squares: set[Square] = set()
                for square in edge_squares:
                    if is_blocked and square in self.monuments and square != start:
                        continue
                    for neighbour in self.neighbours[square]:
                        if neighbour not in squares:
                            next_squares |= self.lake(neighbour) if self.land[neighbour] == "~" else {neighbour}
                edge_squares = next_squares - squares
                squares |= edge_squares
            cache[key] = frozenset(squares)
        return cache[key]

    def squares_in_range(self, squares: Iterable[Square], is_blocked: bool = False) -> set[Square]:
        """All squares in range of any of these squares."""
        steps = self.steps
        return set().union(*(self.ball(square, steps, is_blocked) for square in squares))

    @property
    def steps(self) -> int:
        """The range in force (R-RNG-06)."""
        return 6 if self.turn and self.god_of.get(self.turn["seat"]) == "eshu" else 3

    def count_hubs(self, start_zone: Iterable[Square], end_zone: Iterable[Square]) -> int | None:
        """How many hubs are between two zones, None where no chain leads there (R-HUB-01)."""
        goal_squares, reached_squares, count, visited_hubs = (
            set(end_zone),
            self.squares_in_range(start_zone, is_blocked=True),
            0,
            set(start_zone),
        )
        while not reached_squares & goal_squares:
            hubs = {square for square in reached_squares if square in self.monuments} - visited_hubs
            if not hubs:
                return None
            visited_hubs |= hubs
            reached_squares = self.squares_in_range(hubs, is_blocked=True)
            count += 1
        return count

    def is_empty(self, square: Square) -> bool:
        """Whether a square is empty land (R-GEO-03)."""
        is_taken = square in self.monuments or any(square in squares for _, _, squares in self.craftsmen)
        return self.land.get(square) == "." and not is_taken

    def empty_squares(self) -> set[Square]:
        """All empty land."""
        craftsman_squares = {square for _, _, squares in self.craftsmen for square in squares}
        return (
            {square for square, letter in self.land.items() if letter == "."} - craftsman_squares - set(self.monuments)
        )

    def resources(self, kind: str, squares: Iterable[Square]) -> set[Square]:
        """The resources of a kind in range of these squares (R-RNG-07)."""
        return (
            self.squares_in_range(squares, is_blocked=self.options["resource_range"] == "blocked")
            & self.resources_of_kind[kind]
        )

    # --- who is to move

    @property
    def actor(self) -> str | None:
        """Whose turn it is."""
        if self.phase == "setup":
            return self.start_order[len(self.monuments)]
        if self.phase == "bidding":
            return self.next_bidder()
        return self.turn["seat"] if self.phase == "actions" else None

    def next_bidder(self) -> str:
        """The first seat after the last bidder, in the row of plaques, that has not passed (R-BID-02)."""
        next_index = self.plaques.index(self.bidder) + 1 if self.bidder else 0
        plaques_in_turn = self.plaques[next_index:] + self.plaques[:next_index]
        return next(seat for seat in plaques_in_turn if seat in self.seats and seat not in self.passed_seats)

    # --- what is forbidden

    def first_broken_rule(self, seat: str, command: Command) -> str | None:
        """The first rule that is found to forbid a command, None where it is legal."""
        word = command[0]
        if seat != self.actor or seat is None:
            return "not to move"
        words = {"setup": ["start"], "bidding": ["give", "pass"], "over": []}
        if word not in words.get(self.phase, ["adore", "hire", "use", "build", "craft", "price", "raise", "end"]):
            return "not in this phase"
        may_wait = word in ("craft", "price") or (self.options["new_prices"] == "turn-end" and word != "end")
        if self.phase == "actions" and self.unpriced_technologies() and not may_wait:
            return "R-PRI-01"
        check = getattr(self, "rule_broken_by_" + word)
        return check(seat, *command[1:])  # type: ignore[no-any-return]

    def rule_broken_by_start(self, seat: str, square: Square) -> str | None:
        return None if self.land.get(square) == "S" and square not in self.monuments else "R-SET-02"

    def rule_broken_by_give(self, seat: str, amount: int) -> str | None:
        if amount < self.gift + 1:
            return "R-BID-03"
        return "R-BID-04" if amount > self.largest_gift(seat) else None

    def largest_gift(self, seat: str) -> int:
        """The largest gift (R-BID-09)."""
        subsidy = 3 if self.god_of.get(seat) == "elegua" and seat not in self.givers else 0
        return self.cattle[seat] + subsidy

    def rule_broken_by_pass(self, seat: str) -> str | None:
        return "R-BID-06" if self.options["first_gift"] == "required" and not self.gift else None

    def rule_broken_by_adore(self, seat: str, god: str) -> str | None:
        if self.turn["card"] or seat in self.god_of:
            return "R-GOD-01"
        if god not in self.gods or god in self.god_of.values():
            return "R-GOD-01"
        is_too_much = self.vr[seat] - self.rebate(seat, god) + self.gods[god] > 40
        return "R-VR-02" if is_too_much and self.options["god_limit"] == "refused" else None

    def rebate(self, seat: str, god: str) -> int:
        """VR that technologies count no more (R-GOD-02)."""
        return sum(vr - 1 for (owner, _), (_, vr, _) in self.technologies.items() if owner == seat and god == "gu")

    def rule_broken_by_hire(self, seat: str, specialist: str, *usage: Any) -> str | None:
        if self.turn["card"] or specialist not in self.specialists or specialist in self.owner_of:
            return "R-SPEC-01"
        if self.vr[seat] + self.specialists[specialist] > 40:
            return "R-VR-02"
        return self.rule_broken_by_service(seat, specialist, *usage)

    def rule_broken_by_use(self, seat: str, specialist: str, *usage: Any) -> str | None:
        may_repeat = self.herd_steps(specialist) and self.turn["herd"] < 6
        if self.owner_of.get(specialist) != seat or (specialist in self.turn["used"] and not may_repeat):
            return "R-TURN-01"
        return self.rule_broken_by_service(seat, specialist, *usage)

    def herd_steps(self, specialist: str) -> bool:
        """Whether this is a Herd used in this turn, which the table lets grow again."""
        return specialist == "herd" and "herd" in self.turn["used"] and self.options["herd"] == "in-steps"

    def rule_broken_by_service(
        self, seat: str, specialist: str, cattle: int | None, resource: str | None, squares: tuple[Square, ...]
    ) -> str | None:
        """The rule that paying and using a specialist breaks, None if there is none."""
        if self.turn["used"] and self.options["specialist_uses"] == "one" and not self.herd_steps(specialist):
            return "R-TURN-01"
        if cattle is None and specialist == "herd":
            return "R-SPEC-06"
        payment = PAYMENTS[specialist][0] if cattle is None else cattle
        if payment not in PAYMENTS[specialist]:
            return "R-SPEC-06"
        if self.herd_steps(specialist) and self.turn["herd"] + payment > 6:
            return "R-SPEC-06"
        if payment > self.cattle[seat]:
            return "R-SPEC-02"
        if specialist != "shaman" and resource is not None:
            return "R-SPEC-03"
        if specialist == "shaman":
            if resource not in self.tiles or not self.tiles[resource] or len(squares) != 1:
                return "R-SPEC-04"
            return None if self.is_empty(squares[0]) else "R-SPEC-04"
        if specialist == "rain_ceremony":
            if not self.water_tiles or len(squares) != 2:
                return "R-SPEC-05"
            (row, column), (other_row, other_column) = squares
            if abs(row - other_row) + abs(column - other_column) != 1:
                return "R-SPEC-05"
            return None if all(map(self.is_empty, squares)) else "R-SPEC-05"
        return "R-SPEC-03" if squares else None

    def may_act(self, action: str) -> bool:
        """Whether an action may be begun, or is still open (R-TURN-04)."""
        is_open = self.turn["open"] or self.options["main_action"] == "in-parts"
        return self.turn["action"] is None or (self.turn["action"] == action and is_open)

    def rule_broken_by_build(self, seat: str, squares: tuple[Square, ...]) -> str | None:
        if not self.may_act("build"):
            return "R-TURN-04"
        if not squares or len(self.turn["done"]) + len(squares) > (2 if self.god_of.get(seat) == "obatala" else 1):
            return "R-MON-02"
        for index, square in enumerate(squares):
            other_monuments = [*self.monuments, *squares[:index]]
            if not self.is_empty(square) or square in other_monuments:
                return "R-MON-01"
            if self.options["obatala"] == "together":
                other_monuments = [monument for monument in self.monuments if monument not in self.turn["done"]]
            if "nomads" not in self.turn["used"] and any(
                neighbour in other_monuments for neighbour in surrounding_squares(square)
            ):
                return "R-MON-01"
        return None

    def rule_broken_by_craft(self, seat: str, type_: str, squares: tuple[Square, ...], price: int | None) -> str | None:
        if not self.may_act("craft") or self.turn["raised prices"]:
            return "R-TURN-04"
        if type_ not in CRAFTSMEN:
            return "R-CRA-02"
        resource, primary_type, width, height, cost, _, _ = CRAFTSMEN[type_]
        card = self.technologies.get((seat, type_))
        if card is None:
            if self.cards_left(type_) == 0:
                return "R-CRA-02"
            if self.vr[seat] + self.technology_vr(seat, type_) > 40:
                return "R-VR-02"
        if price is not None and (
            price not in (1, 2, 3) or (card is not None and type_ not in self.unpriced_technologies())
        ):
            return "R-PRI-01"
        if len(self.squares_of_type(type_)) >= 3:
            return "R-CRA-03"
        if not self.is_free_footprint(squares, width, height):
            return "R-CRA-04"
        if cost > self.cattle[seat]:
            return "R-CRA-05"
        if not self.new_resources(type_) & self.resources(resource, squares):
            return "R-CRA-06"
        if primary_type:
            if primary_type not in self.turn["stood"]:
                return "R-CRA-08"
            max_hubs = 1 if self.options["secondary_hubs"] == "one" else 999
            hub_counts = [
                self.count_hubs(squares, other_squares) for other_squares in self.squares_of_type(primary_type)
            ]
            if not any(count is not None and count <= max_hubs for count in hub_counts):
                return "R-CRA-07"
        return None

    def is_free_footprint(self, squares: tuple[Square, ...], width: int, height: int) -> bool:
        """Whether these are the squares of a tile, turned or not, all of them empty land (R-CRA-04)."""
        if not squares or len(set(squares)) != len(squares):
            return False
        top, left = min(squares)
        shapes = [
            {(top + row, left + column) for row in range(turned_height) for column in range(turned_width)}
            for turned_width, turned_height in ((width, height), (height, width))
        ]
        return set(squares) in shapes and all(map(self.is_empty, squares))

    def squares_of_type(self, type_: str) -> list[tuple[Square, ...]]:
        return [squares for other_type, _, squares in self.craftsmen if other_type == type_]

    def new_resources(self, type_: str) -> set[Square]:
        """Resources of its kind that no craftsman of this type has in range (R-CRA-06)."""
        kind = CRAFTSMEN[type_][0]
        return self.resources_of_kind[kind] - self.resources(
            kind, [square for zone in self.squares_of_type(type_) for square in zone]
        )

    def cards_left(self, type_: str) -> int:
        return 2 - sum(other_type == type_ for _, other_type in self.technologies)

    def technology_vr(self, seat: str, type_: str) -> int:
        """What the next card of a type counts for a player (R-CRA-02, R-GOD-02)."""
        return 1 if self.god_of.get(seat) == "gu" else CRAFTSMEN[type_][6][2 - self.cards_left(type_)]

    def unpriced_technologies(self) -> list[str]:
        """Technologies of this turn whose price has still to be set."""
        seat = self.turn["seat"]
        return [type_ for type_ in self.turn["taken"] if not self.technologies[seat, type_][2]]

    def rule_broken_by_price(self, seat: str, prices: tuple[tuple[str, int], ...]) -> str | None:
        if not prices or len(dict(prices)) < len(prices):
            return "R-PRI-02"
        unpriced_types = self.unpriced_technologies() if self.options["new_prices"] == "turn-end" else []
        for type_, price in prices:
            if not self.may_price_freely(seat) and not self.may_act("craft") and type_ not in unpriced_types:
                return "R-PRI-03"
            if (seat, type_) not in self.technologies or price not in self.new_prices(seat, type_):
                return "R-PRI-01"
        return None

    def may_price_freely(self, seat: str) -> bool:
        """Whether prices may go up and down now (R-GOD-03)."""
        return self.god_of.get(seat) == "dziva" and bool(self.turn["fresh"])

    def new_prices(self, seat: str, type_: str) -> list[int]:
        current_price = self.technologies[seat, type_][2]
        may_set_any = self.god_of.get(seat) == "dziva" and self.options["dziva_crafting"] == "any-price"
        if may_set_any or self.may_price_freely(seat) or type_ in self.unpriced_technologies():
            return [price for price in (1, 2, 3) if price != current_price]
        return [] if type_ in self.turn["taken"] else [price for price in (2, 3) if price > current_price]

    def rule_broken_by_raise(self, seat: str, rituals: tuple[Any, ...]) -> str | None:
        if not self.may_act("raise"):
            return "R-TURN-04"
        if not rituals:
            return "R-RAI-01"
        cost, markers, raised_monuments = 0, self.markers_counting_for(seat), list(self.turn["done"])
        for monument, goods in rituals:
            owner, level = self.monuments.get(monument, (None, 0))
            if owner != seat or monument in raised_monuments or level >= 5:
                return "R-RAI-01"
            raised_monuments.append(monument)
            if len(goods) != level:
                return "R-RAI-02"
            maker_types = [maker[0] for maker, _ in goods]
            if len(set(maker_types)) < len(maker_types) and self.god_of.get(seat) != "tsui_goab":
                return "R-RAI-03"
            for maker, primary in goods:
                bill = self.bill(seat, monument, maker, primary)
                if isinstance(bill, str):
                    return bill
                cost += bill["hubs"] + sum(amount for _, _, amount in bill["goods"])
                for _, _, resource in filter(None, (maker, primary)):
                    markers[resource] += 1
                    if markers[resource] > (2 if self.god_of.get(seat) == "atete" else 1):
                        return "R-RAI-07"
        return "R-RAI-10" if cost > self.cattle[seat] else None

    def markers_counting_for(self, seat: str) -> Counter[Square]:
        """The used markers that count for a player (R-RAI-07)."""
        ignores_others = self.god_of.get(seat) == "atete" and self.options["atete"] == "own-markers"
        return Counter(square for square, placer in self.markers if placer == seat or not ignores_others)

    def bill(self, seat: str, monument: Square, maker: Any, primary: Any) -> dict[str, Any] | str:
        """The cost of one good: hubs, and `(owner, type, cattle)` of its makers; or the rule that it breaks."""
        makers = []
        for supply in filter(None, (maker, primary)):
            type_, first_square, resource = supply
            matching_craftsmen = [
                (owner, squares)
                for other_type, owner, squares in self.craftsmen
                if other_type == type_ and squares[0] == first_square
            ]
            if not matching_craftsmen:
                return "R-RAI-05"
            if resource not in self.resources(CRAFTSMEN[type_][0], matching_craftsmen[0][1]):
                return "R-RAI-05"
            makers.append((type_, *matching_craftsmen[0]))
        primary_type = CRAFTSMEN[maker[0]][1]
        if primary_type != (primary[0] if primary else None):
            return "R-RAI-06"
        if maker[0] in SECONDARY_OF and self.squares_of_type(SECONDARY_OF[maker[0]]):
            return "R-RAI-04"
        hub_cost = 1 if self.options["raised_hub"] == "paid" else 0
        start_zone: tuple[Square, ...] = (monument,)
        goods = []
        for type_, owner, squares in makers:
            hubs = self.count_hubs(start_zone, squares)
            if hubs is None:
                return "R-RAI-05"
            hub_cost += hubs
            start_zone = squares
            price = 1 if self.god_of.get(seat) == "anansi" else self.technologies[owner, type_][2]
            goods.append((owner, type_, price))
        return {"hubs": hub_cost, "goods": goods}

    def rule_broken_by_end(self, seat: str) -> str | None:
        return None

    # --- what happens

    def play(self, seat: str, command: Command) -> None:
        """Plays a legal command, and all that follows from it."""
        getattr(self, "play_" + command[0])(seat, *command[1:])

    def play_start(self, seat: str, square: Square) -> None:
        self.monuments[square] = [seat, 1]
        self.vp[seat] += 1
        self.squares_within.clear()
        if len(self.monuments) == len(self.seats):
            self.begin_round()

    def begin_round(self) -> None:
        self.round += 1
        self.phase = "bidding"
        self.markers = []
        is_plaque_always_there = self.options["shadipinyi"] == "always" and "shadipinyi" in self.gods
        first_plaques = ["shadipinyi"] if is_plaque_always_there or "shadipinyi" in self.god_of.values() else []
        self.plaques = first_plaques + self.queue
        self.cattle_given = self.gift = 0
        self.givers, self.passed_seats, self.bidder, self.turn = set(), [], "", {}
        self.go_on_bidding()

    def go_on_bidding(self) -> None:
        """Players without cattle pass (R-BID-08), until one can bid or only one is left (R-BID-07)."""
        while len(self.passed_seats) < len(self.seats) - 1:
            next_seat = self.next_bidder()
            if self.largest_gift(next_seat) > self.gift:
                return
            self.passed_seats.append(next_seat)
            self.bidder = next_seat
        remaining_seat = next(seat for seat in self.seats if seat not in self.passed_seats)
        self.order = [remaining_seat, *reversed(self.passed_seats)]
        for plaque, cattle in self.cattle_on_plaques().items():
            payee = self.adorer("shadipinyi") if plaque == "shadipinyi" else plaque
            if payee:
                self.cattle[payee] += cattle
        self.phase = "actions"
        self.begin_turn(remaining_seat)

    def cattle_on_plaques(self) -> dict[str, int]:
        """The cattle on each plaque (R-BID-05)."""
        cattle_by_plaque = dict.fromkeys(self.plaques, 0)
        for number in range(self.cattle_given):
            cattle_by_plaque[self.plaques[number % len(self.plaques)]] += 1
        return cattle_by_plaque

    def adorer(self, god: str) -> str | None:
        return next((seat for seat, adored_god in self.god_of.items() if adored_god == god), None)

    def play_give(self, seat: str, amount: int) -> None:
        hand_cattle = amount
        if self.god_of.get(seat) == "elegua" and seat not in self.givers:
            hand_cattle -= min(3, amount)
        self.cattle[seat] -= hand_cattle
        self.givers.add(seat)
        self.cattle_given += amount
        self.gift = amount
        self.bidder = seat
        self.go_on_bidding()

    def play_pass(self, seat: str) -> None:
        self.passed_seats.append(seat)
        self.bidder = seat
        self.go_on_bidding()

    def begin_turn(self, seat: str) -> None:
        types_on_board = {type_ for type_, _, _ in self.craftsmen}
        self.turn = {"seat": seat, "card": False, "used": set(), "action": None, "open": False, "fresh": True}
        self.turn |= {"raised prices": False, "taken": [], "done": [], "placed": [], "herd": 0, "stood": types_on_board}

    def change_vr(self, seat: str, change: int) -> None:
        """Moves a VR marker on top of the stack at its new value (R-VR-03, R-VR-05)."""
        if change:
            self.vr[seat] += change
            self.queue.remove(seat)
            queue_index = sum(self.vr[other_seat] >= self.vr[seat] for other_seat in self.queue)
            self.moved_seats.add(seat)
            unmoved_seats = [other_seat for other_seat in self.queue if other_seat not in self.moved_seats]
            if unmoved_seats and self.vr[seat] == 20 and self.options["start_stack"] == "below":
                queue_index = self.queue.index(unmoved_seats[0])
            self.queue.insert(queue_index, seat)

    def play_adore(self, seat: str, god: str) -> None:
        rebate = self.rebate(seat, god)
        if self.options["gu"] == "two-moves":
            self.change_vr(seat, -rebate)
            rebate = 0
        if god == "gu":
            for (owner, _), card in self.technologies.items():
                if owner == seat:
                    card[1] = 1
        room = 40 - self.vr[seat] + rebate if self.options["god_limit"] == "capped" else 999
        self.change_vr(seat, min(self.gods[god], room) - rebate)
        self.god_of[seat] = god
        if god == "qamata" and self.cattle_on_qamata:
            self.cattle_on_cards[seat, "qamata"] += self.cattle_on_qamata
            self.cattle_on_qamata = 0
        self.turn["card"] = True
        self.turn["open"] = False
        self.turn["fresh"] = self.options["dziva"] == "immediate"

    def play_hire(self, seat: str, specialist: str, *usage: Any) -> None:
        self.change_vr(seat, self.specialists[specialist])
        self.owner_of[specialist] = seat
        self.turn["card"] = True
        self.play_use(seat, specialist, *usage)

    def play_use(
        self, seat: str, specialist: str, cattle: int | None, resource: str | None, squares: tuple[Square, ...]
    ) -> None:
        payment = PAYMENTS[specialist][0] if cattle is None else cattle
        self.cattle[seat] -= payment
        self.cattle_on_cards[seat, specialist] += payment + (payment // 2 if specialist == "herd" else 0)
        if specialist == "builder" and self.options["builder"] == "whole-turn":
            self.cattle_on_cards[seat, specialist] += sum(min(2, CRAFTSMEN[type_][4]) for type_ in self.turn["placed"])
        if specialist == "shaman" and resource:
            self.tiles[resource] -= 1
            self.land[squares[0]] = next(letter for letter, kind in LETTERS.items() if kind == resource)
            self.resources_of_kind[resource].add(squares[0])
        if specialist == "rain_ceremony":
            self.water_tiles -= 1
            for square in squares:
                self.land[square] = "~"
            self.clear_caches()
        self.turn["used"].add(specialist)
        self.turn["herd"] += payment if specialist == "herd" else 0
        self.turn["open"] = self.turn["fresh"] = False

    def begin_action(self, action: str) -> None:
        self.turn["action"], self.turn["open"], self.turn["fresh"] = action, True, False

    def play_build(self, seat: str, squares: tuple[Square, ...]) -> None:
        self.begin_action("build")
        for square in squares:
            self.monuments[square] = [seat, 1]
            self.turn["done"].append(square)
            self.vp[seat] += 1
        self.squares_within.clear()

    def play_craft(self, seat: str, type_: str, squares: tuple[Square, ...], price: int | None) -> None:
        self.begin_action("craft")
        _, _, _, _, cost, vp, _ = CRAFTSMEN[type_]
        if (seat, type_) not in self.technologies:
            vr = self.technology_vr(seat, type_)
            self.technologies[seat, type_] = [3 - self.cards_left(type_), vr, 0]
            self.change_vr(seat, vr)
            self.turn["taken"].append(type_)
        if price is not None:
            self.technologies[seat, type_][2] = price
        self.cattle[seat] -= cost
        if "builder" in self.turn["used"]:
            self.cattle_on_cards[seat, "builder"] += min(2, cost)
        self.vp[seat] += vp
        self.craftsmen.append((type_, seat, tuple(sorted(squares))))
        self.turn["placed"].append(type_)

    def play_price(self, seat: str, prices: tuple[tuple[str, int], ...]) -> None:
        if not self.may_price_freely(seat) and self.may_act("craft"):
            self.begin_action("craft")
            if any(type_ not in self.turn["taken"] for type_, _ in prices):
                self.turn["raised prices"] = True
        for type_, price in prices:
            self.technologies[seat, type_][2] = price

    def play_raise(self, seat: str, rituals: tuple[Any, ...]) -> None:
        self.begin_action("raise")
        for monument, goods in rituals:
            for maker, primary in goods:
                bill = self.bill(seat, monument, maker, primary)
                assert isinstance(bill, dict)
                self.cattle[seat] -= bill["hubs"]
                adorer_of_qamata = self.adorer("qamata")
                if adorer_of_qamata:
                    self.cattle_on_cards[adorer_of_qamata, "qamata"] += bill["hubs"]
                elif self.options["qamata"] == "always" and "qamata" in self.gods:
                    self.cattle_on_qamata += bill["hubs"]
                for owner, type_, price in bill["goods"]:
                    self.cattle[seat] -= price
                    self.cattle_on_cards[owner, type_] += price
                for _, _, resource in filter(None, (maker, primary)):
                    self.markers.append((resource, seat))
            self.monuments[monument][1] += 1
            self.vp[seat] += VP_FOR_LEVEL[self.monuments[monument][1]]
            self.turn["done"].append(monument)

    def play_end(self, seat: str) -> None:
        next_index = self.order.index(seat) + 1
        if next_index < len(self.order):
            self.begin_turn(self.order[next_index])
        else:
            self.end_round()

    def end_round(self) -> None:
        """Phases III and IV."""
        self.turn = {}
        for seat in self.seats:
            for card in [card for card in self.cattle_on_cards if card[0] == seat]:
                self.cattle[seat] += self.cattle_on_cards.pop(card)
            self.cattle[seat] += max(level for owner, level in self.monuments.values() if owner == seat)
            if self.god_of.get(seat) == "engai":
                self.cattle[seat] += 2
        finishers = [seat for seat in self.seats if self.vp[seat] >= self.vr[seat]]
        if not finishers and str(self.round) == self.options.get("max_rounds"):
            finishers = self.seats
        if not finishers:
            self.begin_round()
            return
        self.phase = "over"
        ranked_seats = sorted(self.seats, key=self.rank_key)
        self.ranking = [seat for seat in ranked_seats if seat in finishers] + [
            seat for seat in ranked_seats if seat not in finishers
        ]
        self.winner = self.ranking[0]

    def rank_key(self, seat: str) -> tuple[int, ...]:
        """The less, the better (R-END-02)."""
        xango_comes_later = int(self.god_of.get(seat) != "xango")
        missing_vp = self.vr[seat] - self.vp[seat]
        # With this option Xango beats all others who have reached their VR; of those who have not, nothing is said.
        is_xango_first = self.options["xango"] == "absolute" and missing_vp <= 0
        first_criterion = (xango_comes_later, missing_vp) if is_xango_first else (missing_vp, xango_comes_later)
        return (*first_criterion, -self.vp[seat], self.order.index(seat))

    # --- all that is legal

    def legal_commands(self) -> Iterator[Command]:
        """Each legal command once, without raises: tiles from the top left, priced where a card is taken."""
        seat = self.actor
        if seat:
            yield from (
                command for command in self.conceivable_commands(seat) if not self.first_broken_rule(seat, command)
            )

    def conceivable_commands(self, seat: str) -> Iterator[Command]:
        """All commands of the phase that could be legal at best."""
        squares = list(self.land)
        if self.phase == "setup":
            yield from (("start", square) for square in squares)
        elif self.phase == "bidding":
            yield from (("give", amount) for amount in range(self.cattle[seat] + 5))
            yield ("pass",)
        elif self.phase == "actions":
            yield ("end",)
            yield from (("adore", god) for god in GODS)
            for word, specialist in product(("hire", "use"), SPECIALISTS):
                yield from ((word, specialist, *usage) for usage in self.service_usages(specialist))
            empty_land = [square for square in squares if self.is_empty(square)]
            yield from (("build", (square,)) for square in empty_land)
            if self.god_of.get(seat) == "obatala":
                building_squares = [square for square in empty_land if not self.rule_broken_by_build(seat, (square,))]
                yield from (("build", pair) for pair in combinations(building_squares, 2))
            for type_, (_, _, width, height, _, _, _) in CRAFTSMEN.items():
                is_new = (seat, type_) not in self.technologies
                for row, column in empty_land:
                    for turned_width, turned_height in {(width, height), (height, width)}:
                        footprint = tuple(
                            (row + down, column + right)
                            for down in range(turned_height)
                            for right in range(turned_width)
                        )
                        if all(square in self.land for square in footprint):
                            yield from (
                                ("craft", type_, footprint, price) for price in ((1, 2, 3) if is_new else (None,))
                            )
            own_types = [type_ for owner, type_ in self.technologies if owner == seat]
            price_choices = [
                [0] + [price for price in (1, 2, 3) if not self.first_broken_rule(seat, ("price", ((type_, price),)))]
                for type_ in own_types
            ]
            for prices in product(*price_choices):
                yield ("price", tuple((type_, price) for type_, price in zip(own_types, prices, strict=True) if price))

    def service_usages(self, specialist: str) -> Iterator[tuple[int | None, str | None, tuple[Square, ...]]]:
        """All ways to use a specialist."""
        if specialist == "shaman":
            yield from ((None, kind, (square,)) for kind in TILES for square in self.land)
        elif specialist == "rain_ceremony":
            for row, column in self.land:
                yield from (
                    (None, None, ((row, column), other_square))
                    for other_square in ((row, column + 1), (row + 1, column))
                )
        else:
            yield from ((cattle if specialist == "herd" else None, None, ()) for cattle in PAYMENTS[specialist])

    def least_raise_costs(self) -> dict[frozenset[Square], int | None]:
        """Each set of monuments that can be raised now: the least that it costs, None where that takes too long."""
        seat = self.actor
        if not seat or self.phase != "actions" or not self.may_act("raise") or self.unpriced_technologies():
            return {}
        raisable_monuments = [
            square
            for square, (owner, level) in self.monuments.items()
            if owner == seat and level < 5 and square not in self.turn["done"]
        ]
        offers = {monument: self.offers(seat, monument) for monument in raisable_monuments}
        costs: dict[frozenset[Square], int | None] = {}
        for count in range(1, len(raisable_monuments) + 1):
            for monuments in combinations(raisable_monuments, count):
                # What can't be raised by itself, can't be raised with others.
                if any(frozenset(subset) not in costs for subset in combinations(monuments, count - 1) if subset):
                    continue
                cost, steps_left = self.find_least_cost(seat, monuments, offers)
                if steps_left <= 0:
                    costs[frozenset(monuments)] = None
                elif cost is not None and cost <= self.cattle[seat]:
                    costs[frozenset(monuments)] = cost
        return costs

    def offers(self, seat: str, monument: Square) -> dict[str, list[tuple[int, tuple[Square, ...]]]]:
        """By type: all ways to get a good of it for a monument, each with what it costs and the resources it uses."""
        offers_by_type: dict[str, list[tuple[int, tuple[Square, ...]]]] = {}
        for type_, _, squares in self.craftsmen:
            resource, primary_type, *_ = CRAFTSMEN[type_]
            for source in self.resources(resource, squares):
                maker = (type_, squares[0], source)
                primary_supplies: list[Any] = [None]
                if primary_type:
                    kind = CRAFTSMEN[primary_type][0]
                    primary_resources = [
                        (zone, resource_square)
                        for zone in self.squares_of_type(primary_type)
                        for resource_square in self.resources(kind, zone)
                    ]
                    primary_supplies = [
                        (primary_type, zone[0], resource_square) for zone, resource_square in primary_resources
                    ]
                for primary in primary_supplies:
                    bill = self.bill(seat, monument, maker, primary)
                    if isinstance(bill, dict):
                        cost = bill["hubs"] + sum(price for _, _, price in bill["goods"])
                        used_resources = tuple(sorted(supply[2] for supply in filter(None, (maker, primary))))
                        offers_by_type.setdefault(type_, []).append((cost, used_resources))
        return {type_: sorted(set(offers)) for type_, offers in offers_by_type.items()}

    def find_least_cost(
        self,
        seat: str,
        targets: tuple[Square, ...],
        offers: dict[Square, dict[str, list[tuple[int, tuple[Square, ...]]]]],
    ) -> tuple[int | None, int]:
        """The least that it costs to raise all of these, by trying everything; and the search steps that are left."""
        max_markers = 2 if self.god_of.get(seat) == "atete" else 1
        may_repeat = self.god_of.get(seat) == "tsui_goab"
        markers, best_costs, steps_left = self.markers_counting_for(seat), [self.cattle[seat] + 1], [MAX_SEARCH_STEPS]
        monuments = [monument for monument in targets for _ in range(self.monuments[monument][1])]

        def search(index: int, cost: int, last_type: str) -> None:
            steps_left[0] -= 1
            if cost >= best_costs[0] or steps_left[0] < 0:
                return
            if index == len(monuments):
                best_costs[0] = cost
                return
            monument = monuments[index]
            is_first_good = index == 0 or monuments[index - 1] != monument
            for type_ in sorted(offers[monument]):
                # The goods of a monument in the order of their names: each choice once.
                if not is_first_good and (type_ < last_type or (type_ == last_type and not may_repeat)):
                    continue
                for price, used_resources in offers[monument][type_]:
                    if cost + price >= best_costs[0]:
                        break
                    for resource in used_resources:
                        markers[resource] += 1
                    if all(markers[resource] <= max_markers for resource in used_resources):
                        search(index + 1, cost + price, type_)
                    for resource in used_resources:
                        markers[resource] -= 1

        search(0, 0, "")
        return (best_costs[0] if best_costs[0] <= self.cattle[seat] else None), steps_left[0]

    # --- the whole position

    def position(self) -> dict[str, Any]:
        """All that can be seen on the table, as plain data."""
        is_bidding, is_acting = self.phase == "bidding", self.phase == "actions"
        turn = self.turn if is_acting else None
        return {
            "phase": self.phase,
            "round": self.round,
            "actor": self.actor,
            "cattle": dict(self.cattle),
            "cards": {card: cattle for card, cattle in self.cattle_on_cards.items() if cattle},
            "waiting": self.cattle_on_qamata,
            "vp": dict(self.vp),
            "vr": dict(self.vr),
            "queue": list(self.queue),
            "gods": dict(self.god_of),
            "specialists": dict(self.owner_of),
            "technologies": {card: tuple(values) for card, values in self.technologies.items()},
            "plaques": self.cattle_on_plaques() if is_bidding else None,
            "plaque order": list(self.plaques) if is_bidding else None,
            "gift": self.gift if is_bidding else None,
            "gave": set(self.givers) if is_bidding else None,
            "passed": list(self.passed_seats) if is_bidding else None,
            "order": list(self.order) if is_acting or self.phase == "over" else None,
            "turn": turn and (turn["card"], frozenset(turn["used"]), turn["action"], tuple(turn["taken"])),
            "done": turn and set(turn["done"]),
            "monuments": {square: tuple(values) for square, values in self.monuments.items()},
            "craftsmen": list(self.craftsmen),
            "used": dict(Counter(square for square, _ in self.markers)),
            "land": self.land,
            "empty": self.empty_squares(),
            "tiles": dict(self.tiles),
            "water": self.water_tiles,
            "winner": self.winner,
            "ranking": list(self.ranking),
        }


def surrounding_squares(square: Square) -> list[Square]:
    """The eight neighbours of a square, whether they are on the board or not."""
    row, column = square
    return [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
