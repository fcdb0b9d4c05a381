"""Africana as the contract of `zimcore.game` wants it. What only some callers need is imported late."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from zimcore.game import (
    Event,
    Legal,
    Outcome,
    Overlay,
    Refused,
    Rule,
    Seat,
    Secrets,
    Table,
    Upcaster,
    View,
)
from zimcore.games.africana.commands import AnyCommand, SetUp
from zimcore.games.africana.events import EVENTS, RoundBegun, TurnBegun
from zimcore.games.africana.evolve import evolve
from zimcore.games.africana.secrets import AfricanaSecrets
from zimcore.games.africana.state import State

MARKS: Mapping[type[Event], Callable[[State], str]] = {
    RoundBegun: lambda state: f"r{state.round}",
    TurnBegun: lambda state: f"r{state.round}.{state.turn.seat}",
}
CANONICAL = msgspec.msgpack.Encoder(order="sorted")


class Africana:
    """Africana, for 2 to 4 players, with hidden hands."""

    name = "africana"
    title = "Africana"
    version = "1"
    events: Sequence[type[Event]] = EVENTS
    money: Sequence[str] = ("silver",)
    upcasters: Mapping[str, Upcaster] = {}
    secrets: Secrets | None = AfricanaSecrets()
    overlays: Mapping[str, str] = {
        "reach": "[LOCATION]: where one can get to in this turn, in cards or silver (s); or the cheapest way there",
    }
    questions: Mapping[str, str] = {
        "plan": "[PLAYER] [LOCATION]: the cheapest way there, or what it costs to get anywhere in this turn",
        "preview": "the points of each player by source, if the game ended now",
        "cards": "[NAME]: what expeditions, adventures and locations are",
    }

    @property
    def options(self) -> Mapping[str, str]:
        """The options of a new game."""
        from zimcore.games.africana.rules.setup import OPTIONS

        return OPTIONS

    def initial(self) -> State:
        """Nothing is set up."""
        return State()

    def set_up(self, options: Mapping[str, str], seed: int) -> SetUp:
        """The command for a new game. Raises `OptionError`."""
        from zimcore.games.africana.rules.setup import set_up_command

        return set_up_command(options, seed)

    def decide(self, state: State, seat: Seat, command: AnyCommand) -> Outcome | Refused:
        """What follows, or which rules are broken."""
        from zimcore.games.africana.rules import decide

        return decide(state, seat, command)

    evolve = staticmethod(evolve)
    marks = MARKS

    def copy(self, state: State) -> State:
        """The same position, free to be changed."""
        return state.copy()

    def canonical(self, state: State) -> bytes:
        """All that makes the position, in a form that depends on nothing else."""
        return CANONICAL.encode([getattr(state, name) for name in ESSENCE])

    def actor(self, state: State) -> Seat | None:
        """Whose turn it is."""
        return state.actor

    def seats(self, state: State) -> tuple[Seat, ...]:
        """All players."""
        return state.seats

    def parse(self, text: str, state: State) -> tuple[Seat | None, AnyCommand]:
        """A typed line. Raises `NotationError`."""
        from zimcore.games.africana.notation import parse_command

        return parse_command(text, state)

    def format(self, command: AnyCommand) -> str:
        """Canonical notation."""
        from zimcore.games.africana.notation import format_command

        return format_command(command)

    def describe(self, event: Event) -> str:
        """An event in a few words."""
        from zimcore.games.africana.telling import describe

        return describe(event)

    def summary(self, events: Sequence[Event]) -> str:
        """What a commit came to."""
        from zimcore.games.africana.telling import summary

        return summary(events)

    def tell(self, events: Sequence[Event]) -> str:
        """A turn as a sentence."""
        from zimcore.games.africana.story import tell

        return tell(events)

    def legal(self, state: State) -> Legal:
        """The legal commands."""
        from zimcore.games.africana.legal import LegalCommands

        return LegalCommands(state)

    def view(self, state: State, seat: Seat | None = None) -> View:
        """The position as a seat knows it."""
        from zimcore.games.africana.secrets import conceal
        from zimcore.games.africana.view import view

        return view(conceal(state, seat))

    def values(self, state: State, seat: Seat | None = None) -> dict[str, Any]:
        """The figures that expressions speak of, as far as a seat knows them."""
        from zimcore.games.africana.secrets import conceal
        from zimcore.games.africana.view import values

        return values(conceal(state, seat))

    def overlay(self, state: State, name: str, words: Sequence[str]) -> Overlay:
        """Something to see on the map. Raises `NotationError`."""
        from zimcore.games.africana.overlays import overlay

        return overlay(state, name, words)

    def ask(self, state: State, question: str, words: Sequence[str]) -> Sequence[Table]:
        """The answer to one of the questions. Raises `NotationError`."""
        from zimcore.games.africana.questions import ask

        return ask(state, question, words)

    def statistics(self, events: Sequence[Event]) -> Sequence[Table]:
        """What came of a game."""
        from zimcore.games.africana.statistics import statistics

        return statistics(events)

    def rules(self) -> Sequence[Rule]:
        """The rulebook, with what each rule guards."""
        from zimcore.games.africana.rulebook import rules

        return rules()

    def demo(self) -> str:
        """A whole game for two."""
        return Path(__file__).with_name("demo.zim").read_text("utf-8")

    def tutorial(self) -> str:
        """The first rounds, as one of the players."""
        return Path(__file__).with_name("tutorial.zim").read_text("utf-8")


ESSENCE = tuple(name for name in State.__struct_fields__ if name != "atlas")
"""Everything that a later decision can depend on; the atlas is made of the set-up."""

GAME = Africana()
