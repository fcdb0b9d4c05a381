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

SALT_MARK = b"salted"
"""The first bytes of every salt in these tests."""
SKIPPED_TYPES = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)

QUESTIONS: dict[str, Callable[[GameService, Viewer], object]] = {
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
    service = GameService(EventStore.open("memory:", lambda: SALT_MARK + next(numbers).to_bytes(10)))
    with service.store:
        service.new("africana", {"players": "2", "seed": "7"}, name="k", by="ann")
        for _ in range(6):
            text = next(iter(service.position("k").legal().texts()))
            assert not isinstance(service.play("k", text, by="ann", command_id=f"c{text}"), Refused)
        yield service


def reachable_objects(root: object) -> Iterator[object]:
    """Everything reachable from an object, without modules, classes and functions."""
    visited, queue = set[int](), [root]
    while queue:
        reached_object = queue.pop()
        if id(reached_object) not in visited and not isinstance(reached_object, SKIPPED_TYPES):
            visited.add(id(reached_object))
            yield reached_object
            queue += reached_object if isinstance(reached_object, (tuple, list)) else _parts(reached_object)


def _parts(reached_object: Any) -> list[object]:
    fields = [getattr(reached_object, name) for name in getattr(reached_object, "__struct_fields__", ())]
    return fields + gc.get_referents(reached_object)


def contains_salt(reached_object: object) -> bool:
    return (isinstance(reached_object, bytes) and SALT_MARK in reached_object) or (
        isinstance(reached_object, str) and SALT_MARK.hex() in reached_object
    )


@pytest.mark.parametrize("viewer", [TABLE, SPECTATOR, Viewer("italy"), Viewer("france")], ids=str)
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_answer_to_a_viewer_contains_a_salt(service: GameService, viewer: Viewer, question: str) -> None:
    assert not any(map(contains_salt, reachable_objects(QUESTIONS[question](service, viewer))))


def test_entries_of_the_store_contain_salts(service: GameService) -> None:
    """Shows that the test above can fail."""
    stream = service._repository.line("k").line.stream
    assert any(map(contains_salt, reachable_objects(list(service.store.read(stream)))))
    assert any(map(contains_salt, reachable_objects([entry.seal for entry in service.store.read(stream)])))
