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
from tests.oracle.compare import Command, Move, Recipe, Table, differs
from zimcore.game import Accepted
from zimcore.games import africana
from zimcore.games.africana import GAME
from zimcore.games.africana import commands as c
from zimcore.games.africana.events import BANK, PileShuffled, SilverPaid
from zimcore.games.africana.state import State

PRINTED = Path(africana.__file__).with_name("components.toml").read_text("utf-8")
BOX = tomllib.loads(PRINTED)
FILES = TemporaryDirectory()
"""Where the files with other components lie, as long as the process lasts."""
WEIGHTS = {"draw": 5, "turn": 2, "buy": 12, "move": 9, "join": 30, "end": 1.5, "discard": 4}
WEIGHTS |= {"end expedition": 40, "end adventure": 40}


OTHERS = {"score": "hidden", "ending": "after-a-step", "must_end": "compulsory", "joined": "earlier-turn"}
OTHERS |= {"free_page": "purchase", "bought_page": "counts", "reshuffle": "at-once", "recolouring": "any"}
OTHERS |= {"refill": "none", "discards": "more", "bonus": "first"}
"""The other way to read what is disputed, by option."""


def engine_command(command: Command) -> c.AnyCommand:
    """The oracle's command as the engine's."""
    match command:
        case ("draw",):
            return c.Draw()
        case ("turn", book, half):
            return c.TurnPage(book, half)
        case ("buy", book, half):
            return c.Buy(book, half)
        case ("move", place, card, recoloured):
            return c.Move(place, card, recoloured)
        case ("join", expedition):
            return c.Join(expedition)
        case ("end expedition", expedition):
            return c.EndExpedition(expedition)
        case ("end adventure", adventure):
            return c.EndAdventure(adventure)
        case ("discard", cards, adventures):
            return c.Discard(cards, adventures)
        case ("end",):
            return c.EndTurn()
    raise AssertionError(command)


def oracle_command(command: c.AnyCommand) -> Command:
    """The engine's command as the oracle's; what is discarded in an order of the words."""
    match command:
        case c.Draw():
            return ("draw",)
        case c.TurnPage(book, half):
            return "turn", book, half
        case c.Buy(book, half):
            return "buy", book, half
        case c.Move(place, card, recoloured):
            return "move", place, card, recoloured
        case c.Join(expedition):
            return "join", expedition
        case c.EndExpedition(expedition):
            return "end expedition", expedition
        case c.EndAdventure(adventure):
            return "end adventure", adventure
        case c.Discard(cards, adventures):
            return "discard", tuple(sorted(cards)), tuple(sorted(adventures))
        case c.EndTurn():
            return ("end",)
    raise AssertionError(command)


class AfricanaTable(Table):
    """The game by both."""

    GAME = GAME
    of_engine = staticmethod(engine_command)
    OPTIONS: ClassVar[Sequence[str]] = ("players", "seed", "components", *READINGS)

    def __init__(self, recipe: Recipe) -> None:
        setup_outcome = GAME.rules.decide(GAME.evolution.initial(), "", GAME.rules.set_up(recipe.options, recipe.seed))
        assert isinstance(setup_outcome, Accepted), (recipe, setup_outcome)
        self.engine: State = setup_outcome.state
        setup = self.engine.setup
        assert setup
        path = recipe.options.get("components")
        box = tomllib.loads(Path(path).read_text("utf-8")) if path else BOX
        if not path:
            differs("the figures of the rulebook", FIGURES, {part: box[part] for part in FIGURES})
        books = {half: list(cards) for half, cards in setup.books.items()}
        assert len(setup.seats) == int(recipe.options["players"])
        self.oracle = Game(
            box, list(setup.seats), list(setup.pile), books, list(setup.stack), list(setup.removed), recipe.options
        )
        for seat, silver in recipe.money.items():
            if seat in self.oracle.silver and silver:
                GAME.evolution.evolve(self.engine, SilverPaid(BANK, seat, silver, "given"))
                self.oracle.silver[seat] += silver

    @staticmethod
    def recipe(chance: Random) -> Recipe:
        """Any number of players; rich players see more of the game."""
        often = chance.choice([0, 0, 0.1, 0.3])
        options = {"players": str(chance.randint(2, 4))}
        options |= {option: other for option, other in OTHERS.items() if chance.random() < often}
        if chance.random() < 0.4:
            options["components"] = other_components(chance)
        rich = chance.choice([0, 0, 3, 15, 60])
        return Recipe(options, chance.getrandbits(32), {each["name"]: rich for each in BOX["companies"]})

    def play(self, seat: str, command: Command, accepted: Accepted) -> None:
        self.engine = accepted.state
        piles = [list(event.pile) for event in accepted.events if isinstance(event, PileShuffled)]
        self.oracle.play(seat, command, piles)

    def weight(self, command: Command) -> float:
        """Steps to where something waits are the readiest: else hardly any game would come to its end."""
        game = self.oracle
        if command[0] == "move":
            return 40 if command[1] in useful_places(game, game.seat) else 5
        if command[0] == "end" and not game.action:
            return 0.1
        return WEIGHTS[command[0]]

    def positions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.oracle.position(), engine_position(self.engine)

    def draw_moves(self, chance: Random) -> list[Move]:
        seat = self.oracle.seat
        command = GAME.rules.legal(self.engine, seat).sample(chance)
        return [(seat, oracle_command(command))] if command else []

    def guesses(self, chance: Random) -> list[Move]:
        seat = self.oracle.seat
        return [(seat, command) for command in near_legal_commands(self.oracle, seat, chance)]

    def lists(self) -> Iterator[tuple[str, Any, Any]]:
        engine = [oracle_command(each) for each in GAME.rules.legal(self.engine, self.oracle.seat)]
        oracle = list(self.oracle.everything())
        yield "commands", set(oracle), set(engine)
        yield "commands, each once", [len(oracle)], [len(engine)]


def near_legal_commands(game: Game, seat: str, chance: Random) -> Iterator[Command]:
    """Commands that are often nearly legal."""
    hand, here = game.hands[seat], game.at[seat]
    if game.done or chance.random() < 0.02:
        cards, adventures = game.excess(seat)
        if chance.random() < 0.1:
            cards, adventures = max(0, cards + chance.choice([-1, 0, 1])), max(0, adventures + chance.choice([-1, 1]))
        pool = hand if chance.random() < 0.95 else [*hand, "gray", "joker", "orange"]
        some = chance.sample(pool, min(cards, len(pool)))
        others = chance.sample(game.unfinished[seat], min(adventures, len(game.unfinished[seat])))
        if chance.random() < 0.03:
            others = chance.choice([others[:1] * 2, chance.sample(list(game.adventures), 1)])
        yield "discard", tuple(some), tuple(others)
    # What waits here is asked about first: it is rare.
    yield from (("join", card) for card in game.spaces if card and game.expeditions[card]["start"] == here)
    yield from (("end expedition", card) for card in game.spaces if card and game.expeditions[card]["target"] == here)
    yield from (("end adventure", card) for card in game.unfinished[seat] if chance.random() < 0.5)
    neighbours = sorted(place for route in game.routes if here in route for place in route if place != here)
    places = [place for place in neighbours if place in useful_places(game, seat)]
    if places and game.action in ("", "move"):
        place = chance.choice(places)
        yield from (("move", place, card, False) for card in sorted(set(hand)))
    for _ in range(chance.randint(2, 4)):
        kind = chance.choice(["draw", "turn", "buy", "move", "move", "move", "join", "expedition", "adventure", "end"])
        books = [game.places[here]["half"]] * 6 + ["north", "south"]
        if kind in ("draw", "end"):
            yield (kind,)
        elif kind in ("turn", "buy"):
            yield kind, chance.choice(books), chance.choice(["left", "right"])
        elif kind == "move":
            place = chance.choice([*neighbours, *neighbours, chance.choice(list(game.places))])
            cards_ = hand or ["gray"]
            if chance.random() < 0.06:
                cards_ = [*game.box["colours"], "joker", "gray_assistant", "violet_assistant"]
            yield "move", place, chance.choice(cards_), chance.random() < 0.15
        elif kind == "join":
            yield "join", chance.choice([card for card in game.spaces if card] or list(game.expeditions))
        elif kind == "expedition":
            yield "end expedition", chance.choice([*filter(None, game.spaces), chance.choice(list(game.expeditions))])
        else:
            yield "end adventure", chance.choice(list(game.adventures))


def useful_places(game: Game, seat: str) -> set[str]:
    """Where a player has something to join or to end."""
    places = {game.adventures[card]["target"] for card in game.unfinished[seat]}
    for card in filter(None, game.spaces):
        joined = seat in game.markers.get(card, [])
        places.add(game.expeditions[card]["target" if joined else "start"])
    return places


def other_components(chance: Random) -> str:
    """A file with other symbols, routes, rewards and figures than are printed: where it lies."""
    text = PRINTED
    for pattern in (r"symbols = \[[^]]*\]", r'target = "\w+", artifact', r"silver = \d, vp = \d"):
        parts = re.findall(pattern, text)
        if "artifact" in pattern:  # targets stay in the half across the equator: those of one book change places
            parts = chance.sample(parts[:10], 10) + chance.sample(parts[10:], len(parts) - 10)
        else:
            chance.shuffle(parts)
        text = re.sub(pattern, partial(following, iter(parts)), text)
    text = re.sub(r"silver = \d(, vp = \d)", lambda m: f"silver = {chance.randint(0, 9)}{m[1]}", text)
    bonuses = ["silver = 1", "silver = 3", "travel_cards = 1", "travel_cards = 2", "silver = 1, travel_cards = 1"]
    text = re.sub(r"\{ (silver|travel_cards) = \d,", lambda _: f"{{ {chance.choice(bonuses)},", text)
    figures = {"hand": (3, 7), "adventures": (1, 4), "markers": (1, 5), "draw": (1, 4), "adventure": (2, 7)}
    figures |= {"page": (0, 3), "recolouring": (0, 6), "free_pages": (0, 2), "silver_per_vp": (2, 12)}
    figures |= {"travel_cards_per_vp": (1, 3), "unfinished_artifact": (0, 3), "2": (8, 12), "3": (5, 9), "4": (2, 6)}
    for name, (least, most) in figures.items():
        text = re.sub(rf"^{name} = \d+", f"{name} = {chance.randint(least, most)}", text, flags=re.MULTILINE)
    text = re.sub(r"^vp = \d+", lambda _: f"vp = {chance.randint(1, 14)}", text, flags=re.MULTILINE)
    path = Path(FILES.name) / f"{sha256(text.encode()).hexdigest()[:12]}.toml"
    path.write_text(text, "utf-8")
    return str(path)


def following(texts: Iterator[str], _: re.Match[str]) -> str:
    return next(texts)


def engine_position(state: State) -> dict[str, Any]:
    """The engine's state in the oracle's words."""
    over = state.phase == "over"
    turn = state.turn
    return {
        "actor": state.actor,
        "round": state.round,
        "turn": None if over else (turn.action, max(0, state.box.books.free_pages - turn.pages), turn.over),
        # By the house the engine's count is one of pages that are left over, not of those turned.
        "pages": None if over or state.has_house_rule("free_page") else turn.pages,
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
        "markers": {card: sorted(joined) for card, joined in state.markers.items() if joined},
        "removed": sorted(state.removed),
        "ending": state.ending,
        "vp": dict(state.vp),
        "winners": sorted(state.winners),
        "ranking": [sorted(place) for place in GAME.evolution.outcome(state).ranking] if over else [],
    }
