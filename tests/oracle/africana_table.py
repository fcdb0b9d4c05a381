"""Africana by the engine and by the oracle, side by side."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from tests.oracle.africana import FIGURES, READINGS, Game
from tests.oracle.compare import Command, Move, Recipe, Table, check_equal
from zimcore.game import Accepted
from zimcore.games import africana
from zimcore.games.africana import GAME, commands
from zimcore.games.africana.events import BANK, PileShuffled, SilverPaid
from zimcore.games.africana.state import State

COMPONENTS_TEXT = Path(africana.__file__).with_name("components.toml").read_text("utf-8")
BOX = tomllib.loads(COMPONENTS_TEXT)
COMPONENT_FILES = TemporaryDirectory()
"""Where the files with other components lie, as long as the process lasts."""
COMMAND_WEIGHTS = {"draw": 5, "turn": 2, "buy": 12, "move": 9, "join": 30, "end": 1.5, "discard": 4}
COMMAND_WEIGHTS |= {"end expedition": 40, "end adventure": 40}


OTHER_READINGS = {"score": "hidden", "ending": "after-a-step", "must_end": "compulsory", "joined": "earlier-turn"}
OTHER_READINGS |= {"free_page": "purchase", "bought_page": "counts", "reshuffle": "at-once", "recolouring": "any"}
OTHER_READINGS |= {"refill": "none", "discards": "more", "bonus": "first"}
OTHER_READINGS |= {"recoloured_assistants": "leave"}
"""The other way to read what is disputed, by option."""


def engine_command(command: Command) -> commands.AnyCommand:
    """The oracle's command as the engine's."""
    match command:
        case ("draw",):
            return commands.Draw()
        case ("turn", book, half):
            return commands.TurnPage(book, half)
        case ("buy", book, half):
            return commands.Buy(book, half)
        case ("move", place, card, recoloured):
            return commands.Move(place, card, recoloured)
        case ("join", expedition):
            return commands.Join(expedition)
        case ("end expedition", expedition):
            return commands.EndExpedition(expedition)
        case ("end adventure", adventure):
            return commands.EndAdventure(adventure)
        case ("discard", cards, adventures):
            return commands.Discard(cards, adventures)
        case ("end",):
            return commands.EndTurn()
    raise AssertionError(command)


def oracle_command(command: commands.AnyCommand) -> Command:
    """The engine's command as the oracle's; discarded cards are sorted."""
    match command:
        case commands.Draw():
            return ("draw",)
        case commands.TurnPage(book, half):
            return "turn", book, half
        case commands.Buy(book, half):
            return "buy", book, half
        case commands.Move(place, card, recoloured):
            return "move", place, card, recoloured
        case commands.Join(expedition):
            return "join", expedition
        case commands.EndExpedition(expedition):
            return "end expedition", expedition
        case commands.EndAdventure(adventure):
            return "end adventure", adventure
        case commands.Discard(cards, adventures):
            return "discard", tuple(sorted(cards)), tuple(sorted(adventures))
        case commands.EndTurn():
            return ("end",)
    raise AssertionError(command)


class AfricanaTable(Table):
    """The game by both."""

    GAME = GAME
    to_engine = staticmethod(engine_command)
    OPTIONS: ClassVar[Sequence[str]] = ("players", "seed", "components", *READINGS)

    def __init__(self, recipe: Recipe) -> None:
        setup_outcome = GAME.rules.decide(GAME.evolution.initial(), "", GAME.rules.set_up(recipe.options, recipe.seed))
        assert isinstance(setup_outcome, Accepted), (recipe, setup_outcome)
        self.engine_state: State = setup_outcome.state
        setup = self.engine_state.setup
        assert setup
        path = recipe.options.get("components")
        box = tomllib.loads(Path(path).read_text("utf-8")) if path else BOX
        if not path:
            check_equal("the figures of the rulebook", FIGURES, {part: box[part] for part in FIGURES})
        books = {half: list(cards) for half, cards in setup.books.items()}
        assert len(setup.seats) == int(recipe.options["players"])
        self.oracle_game = Game(
            box, list(setup.seats), list(setup.pile), books, list(setup.stack), list(setup.removed), recipe.options
        )
        for seat, silver in recipe.start_money.items():
            if seat in self.oracle_game.silver and silver:
                GAME.evolution.evolve(self.engine_state, SilverPaid(BANK, seat, silver, "given"))
                self.oracle_game.silver[seat] += silver

    @staticmethod
    def random_recipe(rng: Random) -> Recipe:
        """Any number of players; rich players see more of the game."""
        probability = rng.choice([0, 0, 0.1, 0.3])
        options = {"players": str(rng.randint(2, 4))}
        options |= {option: value for option, value in OTHER_READINGS.items() if rng.random() < probability}
        if rng.random() < 0.4:
            options["components"] = write_other_components(rng)
        silver = rng.choice([0, 0, 3, 15, 60])
        return Recipe(options, rng.getrandbits(32), {company["name"]: silver for company in BOX["companies"]})

    def play(self, seat: str, command: Command, accepted: Accepted) -> None:
        self.engine_state = accepted.state
        piles = [list(event.pile) for event in accepted.events if isinstance(event, PileShuffled)]
        self.oracle_game.play(seat, command, piles)

    def weight(self, command: Command) -> float:
        """Steps to where something waits are the readiest: else hardly any game would come to its end."""
        game = self.oracle_game
        if command[0] == "move":
            return 40 if command[1] in useful_places(game, game.seat) else 5
        if command[0] == "end" and not game.action:
            return 0.1
        return COMMAND_WEIGHTS[command[0]]

    def positions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.oracle_game.position(), engine_position(self.engine_state)

    def draw_moves(self, rng: Random) -> list[Move]:
        seat = self.oracle_game.seat
        command = GAME.rules.legal(self.engine_state, seat).sample(rng)
        return [(seat, oracle_command(command))] if command else []

    def guess_moves(self, rng: Random) -> list[Move]:
        seat = self.oracle_game.seat
        return [(seat, command) for command in near_legal_commands(self.oracle_game, seat, rng)]

    def complete_lists(self) -> Iterator[tuple[str, Any, Any]]:
        engine_commands = [
            oracle_command(command) for command in GAME.rules.legal(self.engine_state, self.oracle_game.seat)
        ]
        oracle_commands = list(self.oracle_game.legal_commands())
        yield "commands", set(oracle_commands), set(engine_commands)
        yield "commands, each once", [len(oracle_commands)], [len(engine_commands)]


def near_legal_commands(game: Game, seat: str, rng: Random) -> Iterator[Command]:
    """Commands that are often nearly legal."""
    hand, place_of_seat = game.hands[seat], game.place_of[seat]
    if game.action_is_over or rng.random() < 0.02:
        excess_card_count, excess_adventure_count = game.excess_over_limits(seat)
        if rng.random() < 0.1:
            excess_card_count = max(0, excess_card_count + rng.choice([-1, 0, 1]))
            excess_adventure_count = max(0, excess_adventure_count + rng.choice([-1, 1]))
        discardable_cards = hand if rng.random() < 0.95 else [*hand, "gray", "joker", "orange"]
        discarded_cards = rng.sample(discardable_cards, min(excess_card_count, len(discardable_cards)))
        discarded_adventures = rng.sample(
            game.unfinished[seat], min(excess_adventure_count, len(game.unfinished[seat]))
        )
        if rng.random() < 0.03:
            discarded_adventures = rng.choice([discarded_adventures[:1] * 2, rng.sample(list(game.adventures), 1)])
        yield "discard", tuple(discarded_cards), tuple(discarded_adventures)
    # What waits here is asked about first: it is rare.
    yield from (("join", card) for card in game.spaces if card and game.expeditions[card]["start"] == place_of_seat)
    yield from (
        ("end expedition", card) for card in game.spaces if card and game.expeditions[card]["target"] == place_of_seat
    )
    yield from (("end adventure", card) for card in game.unfinished[seat] if rng.random() < 0.5)
    neighbours = sorted(
        place for route in game.routes if place_of_seat in route for place in route if place != place_of_seat
    )
    useful_neighbours = [place for place in neighbours if place in useful_places(game, seat)]
    if useful_neighbours and game.action in ("", "move"):
        place = rng.choice(useful_neighbours)
        yield from (("move", place, card, False) for card in sorted(set(hand)))
    for _ in range(rng.randint(2, 4)):
        kind = rng.choice(["draw", "turn", "buy", "move", "move", "move", "join", "expedition", "adventure", "end"])
        book_choices = [game.places[place_of_seat]["half"]] * 6 + ["north", "south"]
        if kind in ("draw", "end"):
            yield (kind,)
        elif kind in ("turn", "buy"):
            yield kind, rng.choice(book_choices), rng.choice(["left", "right"])
        elif kind == "move":
            place = rng.choice([*neighbours, *neighbours, rng.choice(list(game.places))])
            move_cards = hand or ["gray"]
            if rng.random() < 0.06:
                move_cards = [*game.box["colours"], "joker", "gray_assistant", "violet_assistant"]
            yield "move", place, rng.choice(move_cards), rng.random() < 0.15
        elif kind == "join":
            yield "join", rng.choice([card for card in game.spaces if card] or list(game.expeditions))
        elif kind == "expedition":
            yield "end expedition", rng.choice([*filter(None, game.spaces), rng.choice(list(game.expeditions))])
        else:
            yield "end adventure", rng.choice(list(game.adventures))


def useful_places(game: Game, seat: str) -> set[str]:
    """Where a player has something to join or to end."""
    places = {game.adventures[card]["target"] for card in game.unfinished[seat]}
    for card in filter(None, game.spaces):
        has_joined = seat in game.markers.get(card, [])
        places.add(game.expeditions[card]["target" if has_joined else "start"])
    return places


def write_other_components(rng: Random) -> str:
    """A file with other symbols, routes, rewards and figures than are printed: where it lies."""
    text = COMPONENTS_TEXT
    for pattern in (r"symbols = \[[^]]*\]", r'target = "\w+", artifact', r"silver = \d, vp = \d"):
        matches = re.findall(pattern, text)
        if "artifact" in pattern:  # targets stay in the half across the equator: those of one book change places
            matches = rng.sample(matches[:10], 10) + rng.sample(matches[10:], len(matches) - 10)
        else:
            rng.shuffle(matches)
        text = re.sub(pattern, partial(next_text, iter(matches)), text)
    text = re.sub(r"silver = \d(, vp = \d)", lambda match: f"silver = {rng.randint(0, 9)}{match[1]}", text)
    bonuses = ["silver = 1", "silver = 3", "travel_cards = 1", "travel_cards = 2", "silver = 1, travel_cards = 1"]
    text = re.sub(r"\{ (silver|travel_cards) = \d,", lambda _: f"{{ {rng.choice(bonuses)},", text)
    range_by_figure = {"hand": (3, 7), "adventures": (1, 4), "markers": (1, 5), "draw": (1, 4), "adventure": (2, 7)}
    range_by_figure |= {"page": (0, 3), "recolouring": (0, 6), "free_pages": (0, 2), "silver_per_vp": (2, 12)}
    range_by_figure |= {
        "travel_cards_per_vp": (1, 3),
        "unfinished_artifact": (0, 3),
        "2": (8, 12),
        "3": (5, 9),
        "4": (2, 6),
    }
    for name, (least, most) in range_by_figure.items():
        text = re.sub(rf"^{name} = \d+", f"{name} = {rng.randint(least, most)}", text, flags=re.MULTILINE)
    text = re.sub(r"^vp = \d+", lambda _: f"vp = {rng.randint(1, 14)}", text, flags=re.MULTILINE)
    path = Path(COMPONENT_FILES.name) / f"{sha256(text.encode()).hexdigest()[:12]}.toml"
    path.write_text(text, "utf-8")
    return str(path)


def next_text(texts: Iterator[str], _: re.Match[str]) -> str:
    return next(texts)


def engine_position(state: State) -> dict[str, Any]:
    """The engine's state in the oracle's words."""
    is_over = state.phase == "over"
    turn = state.turn
    return {
        "actor": state.actor,
        "round": state.round,
        "turn": None if is_over else (turn.action, max(0, state.box.books.free_pages - turn.pages), turn.over),
        # By the house the engine's count is one of pages that are left over, not of those turned.
        "pages": None if is_over or state.has_house_rule("free_page") else turn.pages,
        "silver": {seat: state.silver.get(seat, 0) for seat in state.seats},
        "at": dict(state.places),
        "hands": {seat: sorted(hand) for seat, hand in state.hands.items()},
        "table": list(state.table),
        "pile": list(state.pile),
        "discards": sorted(state.discards),
        "shuffles": state.shuffles,
        "supply": dict(state.supply),
        "books": {half: (list(book.left), list(book.right)) for half, book in state.books.items()},
        "unseen": {half: book.unseen for half, book in state.books.items()},
        "unfinished": {seat: sorted(cards) for seat, cards in state.unfinished.items()},
        "finished": {seat: sorted(cards) for seat, cards in state.finished.items()},
        "stack": list(state.stack),
        "spaces": list(state.spaces),
        "markers": {card: sorted(seats) for card, seats in state.markers.items() if seats},
        "removed": sorted(state.removed),
        "ending": state.ending,
        "vp": dict(state.vp),
        "winners": sorted(state.winners),
        "ranking": [sorted(place) for place in GAME.evolution.outcome(state).ranking] if is_over else [],
    }
