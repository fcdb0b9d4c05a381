"""Advice on gods and specialists: what they do, and what they would bring here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from zimcore.game import Advice, Seat
from zimcore.games.zimbabwe.commands import Adore, AnyCommand, Hire, Use
from zimcore.games.zimbabwe.components import CRAFTSMEN, GODS, SPECIALISTS, Resource, Specialist
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.placements import GROUPED_KINDS
from zimcore.games.zimbabwe.questions.cards import describe_god, describe_specialist
from zimcore.games.zimbabwe.rules.cards import god_rebate
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import words_begin_with

MAX_SQUARES = 6
"""The most squares to suggest for a resource."""


def god_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """Gods, the cheapest in VR first, less the VR that they take off technologies."""
    groups = (group for group in GROUPED_KINDS["adore"].all_groups(state) for _ in group.find_places())
    god_names = sorted((group.words.split()[1] for group in groups), key=lambda name: _net_vr(state, seat, name))
    for name in god_names:
        yield Advice(format_command(Adore(name)), god_effects(state, seat, name))


def god_effects(state: State, seat: Seat, name: str) -> tuple[str, ...]:
    """The VR of a god, and what the god does."""
    rebate = god_rebate(state, seat, GODS[name])
    rebate_text = (f"-{rebate} VR for your technologies",) if rebate else ()
    return (f"{state.setup.gods[name]:+} VR", *rebate_text, describe_god(state, name))


def _net_vr(state: State, seat: Seat, name: str) -> int:
    return state.setup.gods[name] - god_rebate(state, seat, GODS[name])


def hire_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """Specialists to hire, each where it is of most use."""
    return specialist_advice(state, seat, "hire", words)


def use_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """The seat's own specialists, which cost no more VR."""
    return specialist_advice(state, seat, "use", words)


def specialist_advice(state: State, seat: Seat, kind: str, words: list[str]) -> Iterator[Advice]:
    """What specialists can do; for those that place tiles, the best squares."""
    for group in GROUPED_KINDS[kind].all_groups(state):
        name = group.words.split()[1]
        if not words_begin_with([name], words[:1]):
            continue
        specialist = SPECIALISTS[name]
        commands = group.commands(state)
        commands = (
            _commands_near_craftsmen(state, seat, commands) if specialist.places_resource else islice(commands, 1)
        )
        for command in commands:
            yield Advice(format_command(command), specialist_effects(state, seat, command))


def specialist_effects(state: State, seat: Seat, command: AnyCommand) -> tuple[str, ...]:
    """The cost of a specialist here, and what it does."""
    if not isinstance(command, Hire | Use):
        return ()
    specialist = SPECIALISTS[command.specialist]
    vr_texts = (f"{state.setup.specialists[command.specialist]:+} VR",) if isinstance(command, Hire) else ()
    if command.resource and command.squares:
        own_craftsmen, craftsmen_of_others = _craftsmen_in_range(state, seat, command.resource, command.squares[0])
        resource_text = (
            f"another {command.resource} for your {', '.join(own_craftsmen)}"
            if own_craftsmen
            else f"another {command.resource}"
        )
        return (
            *vr_texts,
            _price_text(specialist),
            resource_text,
            *((f"for {', '.join(craftsmen_of_others)} too",) if craftsmen_of_others else ()),
        )
    return (*vr_texts, *_specialist_texts(state, specialist, command))


def _specialist_texts(state: State, specialist: Specialist, command: AnyCommand) -> tuple[str, ...]:
    """The effect of a specialist in words; for the Herd, the cattle that come back."""
    if specialist.herd and isinstance(command, Hire | Use) and command.cattle is not None:
        added_cattle = specialist.herd[specialist.costs.index(command.cattle)]
        returned_cattle = command.cattle + added_cattle
        return (
            f"-{command.cattle} cattle onto the card, {added_cattle} more from the stock:"
            f" {returned_cattle} back with the revenues",
        )
    return (_price_text(specialist), describe_specialist(state, specialist))


def _price_text(specialist: Specialist) -> str:
    """The cattle paid onto the card of a specialist with one price."""
    return f"-{specialist.costs[0]} cattle onto the card"


def _commands_near_craftsmen(state: State, seat: Seat, commands: Iterable[AnyCommand]) -> Iterator[AnyCommand]:
    """Commands for the squares in range of most of the seat's craftsmen, and fewest of others."""
    scored_commands = []
    for command in commands:
        if isinstance(command, Hire | Use) and command.resource:
            own_craftsmen, craftsmen_of_others = _craftsmen_in_range(state, seat, command.resource, command.squares[0])
            if own_craftsmen:
                scored_commands.append((len(own_craftsmen) - len(craftsmen_of_others) / 2, command))
    for _, command in sorted(scored_commands, key=lambda row: -row[0])[:MAX_SQUARES]:
        yield command


def _craftsmen_in_range(state: State, seat: Seat, resource: Resource, square: str) -> tuple[list[str], list[str]]:
    """The craftsmen in whose range a resource on a square would be: the seat's, and others'."""
    zone = state.board.square[square]
    craftsmen_in_range = [
        craftsman
        for craftsman in state.craftsmen
        if CRAFTSMEN[craftsman.type].resource == resource and state.squares_in_range(craftsman.zone) & zone
    ]
    own_craftsmen = [
        f"{craftsman.type} at {craftsman.at}" for craftsman in craftsmen_in_range if craftsman.owner == seat
    ]
    return own_craftsmen, [
        f"{craftsman.owner.title()}'s {craftsman.type}" for craftsman in craftsmen_in_range if craftsman.owner != seat
    ]
