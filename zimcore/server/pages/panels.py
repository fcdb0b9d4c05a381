"""Panels: what features add to the page of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from zimcore import features
from zimcore.commits import Commit, Position
from zimcore.server.people.access import Visitor
from zimcore.service import GameService

Part: TypeAlias = Literal["act", "around"]


class Shown(NamedTuple):
    """What a page shows: the visitor, the head of the line, its moves (for the part `around`), and the page's query."""

    service: GameService
    visitor: Visitor
    head: Position
    commits: Sequence[Commit] = ()
    query: Mapping[str, str] = {}

    @property
    def is_player(self) -> bool:
        """Whether the visitor has a seat."""
        return self.visitor.role in ("seat", "bot")


class Panel(NamedTuple):
    """A panel: the part of the page, its template in the folder of the features, and its values, by name."""

    part: Part
    template: str
    values: Callable[[Shown], Mapping[str, Any]]


def panel_values(part: Part, shown: Shown) -> Mapping[str, Any]:
    """The templates of the panels in a part of the page, and their values."""
    panels = [panel for module in features.modules("server") for panel in module.PANELS if panel.part == part]
    values: dict[str, Any] = {f"{part}_panels": [panel.template for panel in panels]}
    for panel in panels:
        values |= panel.values(shown)
    return values


def asking_events() -> Sequence[str]:
    """The events of the feed after which a page asks anew what its visitor can do: of features with a panel there."""
    modules = (each for each in features.modules("server") if any(panel.part == "act" for panel in each.PANELS))
    return [module.FEED.event for module in modules]
