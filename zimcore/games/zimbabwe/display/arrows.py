"""Arrows for a raise: the goods' ways from resources over craftsmen to monuments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcore.game import Arrow, Event
from zimcore.games.zimbabwe.commands import Good, Raise, Supply
from zimcore.games.zimbabwe.events import Played


def arrows(events: Sequence[Event]) -> Sequence[Arrow]:
    """The arrows of a raise; none for other commands."""
    played_event = events[0] if events else None
    if not isinstance(played_event, Played) or not isinstance(played_event.command, Raise):
        return ()
    rituals = played_event.command.rituals
    return tuple(
        arrow
        for ritual in rituals
        for good in ritual.goods
        for arrow in _good_arrows(good, ritual.monument, played_event.seat)
    )


def _good_arrows(good: Good, monument: str, seat: str) -> Iterator[Arrow]:
    """The way of a good: resource to craftsman, the primary good's if there is one, and on to the monument."""
    if good.primary:
        yield from _supply_arrows(good.primary)
        yield Arrow(good.primary.craftsman, good.maker.craftsman, "", seat)
    yield from _supply_arrows(good.maker)
    yield Arrow(good.maker.craftsman, monument, "", seat)


def _supply_arrows(supply: Supply) -> Iterator[Arrow]:
    yield Arrow(supply.resource, supply.craftsman)
