"""Hidden information, from marks on the fields of states, events and commands.

An author writes `SECRETS = {State: {"deck": NOBODY, "bids": OWNER}, BidSealed: {"coins": OWNER}}`.

A hidden value is replaced by `UNKNOWN`, which is shown as `?` and can't be calculated with. Applying a redacted event
gives the concealed position, as long as events only move hidden things. To reveal something, use an event that puts it
into a field without a mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec

from zimcore.game import Command, Event, Game, GameError, Played, Seat
from zimcore.toolkit.cards import EVERYBODY, Hand, Pile
from zimcore.toolkit.chance import generator
from zimcore.toolkit.evolution import copy_value
from zimcore.toolkit.redeal import HiddenPools, HiddenRedealt, Redeal, refill
from zimcore.toolkit.unknown import UNKNOWN, is_unknown

OWNER, NOBODY = "owner", "nobody"
"""Who may know a field: only its owner, or no seat. An event is owned by its seat; in a `dict` by seat, each seat owns
its entry. In an event or a command, the name of another field says that the seats in it know it, too."""

Marks = Mapping[type[msgspec.Struct], Mapping[str, str]]
"""The marked fields by kind of state, event or command; all seats know fields without a mark."""


class MarkedSecrets:
    """The part `secrets` of a game whose module defines `SECRETS`."""

    def __init__(self, game: Game, marks: Marks, *, opens_at_end: bool = True) -> None:
        for struct_type, fields in marks.items():
            for name in {*fields} - {*struct_type.__struct_fields__}:
                raise GameError(f"SECRETS marks {struct_type.__name__}.{name}", "it has no such field", ["check GAME"])
            known_marks = {OWNER, NOBODY}
            if issubclass(struct_type, (Event, Command)):
                known_marks |= {*struct_type.__struct_fields__}
            for name, knower in fields.items():
                if knower not in known_marks:
                    what = f"SECRETS marks {struct_type.__name__}.{name} as known to {knower!r}"
                    why = "that is neither OWNER nor NOBODY, nor a field of an event or a command that names seats"
                    raise GameError(what, why, ["check GAME"])
        self.pools = HiddenPools(game, marks)
        self.marks, self.OPENS_AT_END = {**marks}, opens_at_end
        self.marks[Redeal] = {"seed": NOBODY}

    def conceal(self, state: Any, seat: Seat) -> Any:
        """The position as a seat knows it: a copy, which can be changed."""
        hidden_values = {
            name: _hide(getattr(state, name), knower, (seat,)) for name, knower in self._marks_of(state).items()
        }
        return copy_value(msgspec.structs.replace(state, **hidden_values))

    def hides(self, state: Any, seat: Seat) -> bool:
        """Whether something that belongs to a seat is hidden in this state."""
        fields = (getattr(state, name) for name, knower in self._marks_of(state).items() if knower == OWNER)
        entries = (field.get(seat) for field in fields if isinstance(field, Mapping))
        return any(is_unknown(entry.cards if isinstance(entry, Hand) else entry) for entry in entries)

    def redact(self, event: Event, seat: Seat) -> Event:
        """The event as a seat may know it."""
        if isinstance(event, Played):
            return msgspec.structs.replace(event, command=self._redact(event.command, event.seat, seat))
        if isinstance(event, HiddenRedealt):
            return self._redact_redeal_event(event, seat)
        redacted_event: Event = self._redact(event, getattr(event, "seat", ""), seat)
        return redacted_event

    def redeal(self, seat: Seat, seed: int) -> Command:
        """A command that deals again what a seat does not know. `HiddenPools` says what can be dealt."""
        return Redeal(seat, seed)

    def known_together(self, state: Any) -> Any:
        """A copy of the position as all seats together know it."""
        seats = self.pools.game.evolution.seats(state)
        hidden_values = {
            name: _hide(getattr(state, name), knower, seats)
            for name, knower in self._marks_of(state).items()
            if knower == NOBODY
        }
        return copy_value(msgspec.structs.replace(state, **hidden_values))

    def shuffled(self, state: Any, seed: int) -> Any:
        """A copy in which what no seat knows is dealt again. Raises `GameError` as `fill_event`."""
        return self.fill(self.known_together(state), generator(seed, "shuffled"))

    def _redact(self, struct: Any, owner: Seat, seat: Seat) -> Any:
        hidden_values = {}
        for name, knower in self._marks_of(struct).items():
            value, knowers = getattr(struct, name), {owner}
            if knower not in (OWNER, NOBODY):
                named_seats = getattr(struct, knower)
                knowers |= {named_seats} if isinstance(named_seats, str) else {*named_seats}
            is_by_seat = knower == OWNER and isinstance(value, Mapping)
            if knower == NOBODY or is_by_seat or seat not in knowers - {""}:
                hidden_values[name] = _hide(value, knower, (seat,))
        return msgspec.structs.replace(struct, **hidden_values) if hidden_values else struct

    @property
    def deals_by_marks(self) -> bool:
        """Whether `redeal` is ours; the author's module may have replaced it by its own."""
        return "redeal" not in vars(self)

    def fill(self, visible_state: Any, rng: Random) -> Any:
        """A copy of a concealed state in which what is hidden is dealt again. Raises `GameError` as `fill_event`."""
        filled_state = copy_value(visible_state)
        refill(filled_state, self.pools.fill_event(visible_state, rng))
        return filled_state

    def _redact_redeal_event(self, event: HiddenRedealt, seat: Seat) -> Event:
        """The event without the values that a seat does not know: its position has `?` there already."""
        values = {
            name: {seat: value[seat]}
            for name, value in event.values.items()
            if self._is_owned(name) and isinstance(value, Mapping) and seat in value
        }
        return HiddenRedealt(values, event.choosing)

    def _is_owned(self, name: str) -> bool:
        return any(
            fields.get(name) == OWNER
            for struct_type, fields in self.marks.items()
            if not issubclass(struct_type, (Event, Command))
        )

    def _marks_of(self, struct: Any) -> Mapping[str, str]:
        return self.marks.get(type(struct), {})


def _hide(value: Any, knower: str, seats: tuple[Seat, ...]) -> Any:
    """A field's value as some seats know it together."""
    if isinstance(value, dict):
        return {key: _hide_item(item, seats, knower == OWNER and key in seats) for key, item in value.items()}
    return _hide_item(value, seats, False)


def _hide_item(value: Any, seats: tuple[Seat, ...], is_owner: bool) -> Any:
    """An entry of a field. The number of hidden items stays known, as with the backs of cards."""
    if isinstance(value, Hand):
        return value.seen_from(seats[0] if len(seats) == 1 else EVERYBODY, is_owner=is_owner)
    if is_owner:
        return value
    if isinstance(value, Pile):
        return value.seen_from(seats)
    if isinstance(value, (tuple, list)):
        return type(value)(
            _hide_item(item, seats, False) if isinstance(item, (tuple, list, Hand, Pile)) else UNKNOWN for item in value
        )
    return UNKNOWN
