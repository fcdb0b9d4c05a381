"""Viewers with limited sight never get the salt of a commit: without it a digest reveals nothing."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from itertools import count
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import pytest

from zimcore.game import Refused
from zimcore.service import SPECTATOR, TABLE, EventStore, GameService, Viewer

MARK = b"salted"
"""What every salt begins with here."""
GLOBAL = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)

ASKED: dict[str, Callable[[GameService, Viewer], object]] = {
    "position": lambda service, viewer: service.position("k", viewer),
    "a position of the past": lambda service, viewer: service.position("k@1", viewer),
    "head": lambda service, viewer: service.head("k", viewer),
    "log": lambda service, viewer: service.log("k", all_=True, viewer=viewer),
    "operations": lambda service, viewer: service.operations("k"),
    "lines": lambda service, viewer: service.lines("k"),
    "games": lambda service, viewer: service.games(),
    "a trial": lambda service, viewer: service.try_("k", [*service.position("k").legal().texts()][:1], viewer),
    "verify": lambda service, viewer: service.verify("k"),
}


@pytest.fixture(scope="module")
def service() -> Iterator[GameService]:
    """A game with hidden hands, in which some cards were drawn."""
    numbers = count()
    service = GameService(EventStore.open("memory:", lambda: MARK + next(numbers).to_bytes(10)))
    with service.store:
        service.new("africana", {"players": "2", "seed": "7"}, name="k", by="ann")
        for _ in range(6):
            text = next(iter(service.position("k").legal().texts()))
            assert not isinstance(service.play("k", text, by="ann", command_id=f"c{text}"), Refused)
        yield service


def reachable(root: object) -> Iterator[object]:
    """Everything reachable from an object, without modules, classes and functions."""
    visited, waiting = set[int](), [root]
    while waiting:
        each = waiting.pop()
        if id(each) not in visited and not isinstance(each, GLOBAL):
            visited.add(id(each))
            yield each
            waiting += each if isinstance(each, (tuple, list)) else _parts(each)


def _parts(value: Any) -> list[object]:
    fields = [getattr(value, name) for name in getattr(value, "__struct_fields__", ())]
    return fields + gc.get_referents(value)


def tells(value: object) -> bool:
    return (isinstance(value, bytes) and MARK in value) or (isinstance(value, str) and MARK.hex() in value)


@pytest.mark.parametrize("viewer", [TABLE, SPECTATOR, Viewer("italy"), Viewer("france")], ids=str)
@pytest.mark.parametrize("what", ASKED)
def test_a_viewer_is_never_given_a_salt(service: GameService, viewer: Viewer, what: str) -> None:
    assert not any(map(tells, reachable(ASKED[what](service, viewer))))


def test_who_holds_the_store_has_it(service: GameService) -> None:
    """So that the test above can fail."""
    stream = service._lines.line("k").line.stream
    assert any(map(tells, reachable(list(service.store.read(stream)))))
    assert any(map(tells, reachable([entry.seal for entry in service.store.read(stream)])))
