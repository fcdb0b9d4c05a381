"""The Great Zimbabwe as the contract of `zimcore.game` wants it. What only some callers need is imported late."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from zimcore.game import Event, Legal, Outcome, Overlay, Refused, Rule, Seat, Secrets, Table, Upcaster, View
from zimcore.games.zimbabwe.commands import AnyCommand, SetUp
from zimcore.games.zimbabwe.events import EVENTS, RoundBegun, TurnBegun
from zimcore.games.zimbabwe.evolve import evolve
from zimcore.games.zimbabwe.state import State

if TYPE_CHECKING:
    from zimcore.games.zimbabwe.board import Board

MARKS: Mapping[type[Event], Callable[[State], str]] = {
    RoundBegun: lambda state: f"r{state.round}",
    TurnBegun: lambda state: f"r{state.round}.{state.turn.seat}",
}
CANONICAL = msgspec.msgpack.Encoder(order="sorted")


class Zimbabwe:
    """The Great Zimbabwe, for 2 to 5 players."""

    name = "zimbabwe"
    title = "The Great Zimbabwe"
    version = "1"
    money: Sequence[str] = ("cattle", "on_cards")
    events: Sequence[type[Event]] = EVENTS
    upcasters: Mapping[str, Upcaster] = {}
    secrets: Secrets | None = None
    overlays: Mapping[str, str] = {
        "reach": "SQUARE: what is in range of a square or craftsman, in steps",
        "hubs": "SQUARE: how many hubs it takes to get there",
        "owner": "whose everything is",
        "resources": "the used markers that each resource can still bear",
    }
    questions: Mapping[str, str] = {
        "plan": "[PLAYER] [MONUMENT...]: the cheapest way to raise them, or all sets that are worth raising",
        "reach": "SQUARE: resources, craftsmen and monuments, in steps and in hubs",
        "preview": "[COMMAND]: what it would bring; without one all bids, the revenues and the ranking",
        "cards": "[NAME]: what gods, specialists and craftsmen cost and do",
    }

    @property
    def options(self) -> Mapping[str, str]:
        """The options of a new game."""
        from zimcore.games.zimbabwe.rules.setup import OPTIONS

        return OPTIONS

    def initial(self) -> State:
        """Nothing is set up."""
        return State()

    def set_up(self, options: Mapping[str, str], seed: int) -> SetUp:
        """The command for a new game. Raises `OptionError`."""
        from zimcore.games.zimbabwe.rules.setup import set_up_command

        return set_up_command(options, seed)

    def decide(self, state: State, seat: Seat, command: AnyCommand) -> Outcome | Refused:
        """What follows, or which rules are broken."""
        from zimcore.games.zimbabwe.rules import decide

        outcome = decide(state, seat, command)
        if isinstance(outcome, Outcome):
            return outcome
        from zimcore.games.zimbabwe.hints import hinted

        return hinted(state, seat, command, outcome)

    evolve = staticmethod(evolve)
    marks = MARKS

    def copy(self, state: State) -> State:
        """The same position, free to be changed."""
        return state.copy()

    def canonical(self, state: State) -> bytes:
        """All that makes the position, in a form that depends on nothing else."""
        return CANONICAL.encode(_essence(state))

    def actor(self, state: State) -> Seat | None:
        """Whose turn it is."""
        return state.actor

    def seats(self, state: State) -> tuple[Seat, ...]:
        """All players."""
        return state.seats

    def parse(self, text: str, state: State) -> tuple[Seat | None, AnyCommand]:
        """A typed line. Raises `NotationError`."""
        from zimcore.games.zimbabwe.notation import parse_command

        return parse_command(text, state)

    def format(self, command: AnyCommand) -> str:
        """Canonical notation."""
        from zimcore.games.zimbabwe.notation import format_command

        return format_command(command)

    def describe(self, event: Event) -> str:
        """An event in a few words."""
        from zimcore.games.zimbabwe.telling import describe

        return describe(event)

    def summary(self, events: Sequence[Event]) -> str:
        """What a commit came to."""
        from zimcore.games.zimbabwe.telling import summary

        return summary(events)

    def tell(self, events: Sequence[Event]) -> str:
        """What a player did in a turn, for a story."""
        from zimcore.games.zimbabwe.story import tell

        return tell(events)

    def legal(self, state: State) -> Legal:
        """The legal commands."""
        from zimcore.games.zimbabwe.legal import LegalCommands

        return LegalCommands(state)

    def view(self, state: State, seat: Seat | None = None) -> View:
        """The position as data; every seat sees all of it."""
        from zimcore.games.zimbabwe.view import view

        return view(state)

    def values(self, state: State, seat: Seat | None = None) -> dict[str, Any]:
        """The figures that expressions speak of."""
        from zimcore.games.zimbabwe.view import values

        return values(state)

    def overlay(self, state: State, name: str, words: Sequence[str]) -> Overlay:
        """Something to see on the board. Raises `NotationError`."""
        from zimcore.games.zimbabwe.overlays import overlay

        return overlay(state, name, words)

    def ask(self, state: State, question: str, words: Sequence[str]) -> Sequence[Table]:
        """Plans, reach and previews. Raises `NotationError`."""
        from zimcore.games.zimbabwe.questions import ask

        return ask(state, question, words)

    def statistics(self, events: Sequence[Event]) -> Sequence[Table]:
        """Sums over the events."""
        from zimcore.games.zimbabwe.statistics import statistics

        return statistics(events)

    def rules(self) -> Sequence[Rule]:
        """The rulebook, with what each rule guards."""
        from zimcore.games.zimbabwe.rulebook import rules

        return rules()

    def demo(self) -> str:
        """A whole four-player game with a fork."""
        return Path(__file__).with_name("demo.zim").read_text("utf-8")

    def tutorial(self) -> str:
        """The first rounds, as one of the players."""
        return Path(__file__).with_name("tutorial.zim").read_text("utf-8")


def _essence(state: State) -> tuple[object, ...]:
    """Everything that a later decision can depend on; what is derived from it is left out."""
    board: Board = state.board
    return (
        state.setup,
        state.phase,
        state.round,
        state.vp,
        state.vr,
        state.queue,
        # The order in which accounts and cards came to be is the order of revenues, and of what is listed.
        list(state.cattle.items()),
        {god: state.adorer_of(god) for god in state.setup.gods},
        list(state.specialists.items()),
        list(state.technologies.items()),
        (state.plaques, state.given, state.gift, state.givers, state.passed, state.bidder),
        state.order,
        state.turn,
        state.monuments,
        [(craftsman.type, craftsman.owner, craftsman.squares) for craftsman in state.craftsmen],
        state.used,
        {resource: board.names(squares) for resource, squares in state.resources.items()},
        board.names(board.water),
        state.tiles,
        state.water_tiles,
        state.reached,
        state.winner,
    )


GAME = Zimbabwe()
