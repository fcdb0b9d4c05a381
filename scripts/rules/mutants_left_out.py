"""Two operators that cosmic-ray lacks: remove an assignment, or a keyword of `replace` or of a constructor.

A forgotten reset is the typical error of a fold: in `state.givers = state.passed_seats = ()`, no test missed the first
target. Only removals that the program could survive are made: a missing local name would be noticed at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from cosmic_ray.operators.operator import Example, Operator
from parso.python.tree import Keyword

Position: TypeAlias = tuple[int, int]


class AssignmentLeftOut(Operator):  # type: ignore[misc] # cosmic-ray has no types
    """Removes an assignment in a function, or one target of several: `a.x = a.y = 0` becomes `a.y = 0`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Position, Position]]:
        """The targets that can be removed."""
        return ((target.start_pos, target.end_pos) for target in _targets(node) if _is_missed_late(node, target))

    def mutate(self, node: Any, index: int) -> Any:
        """The statement without the target; `pass` if it had no other."""
        target = [each for each in _targets(node) if _is_missed_late(node, each)][index]
        if len(_targets(node)) == 1:
            return Keyword("pass", node.start_pos, node.get_first_leaf().prefix)
        child_index, prefix = node.children.index(target), node.get_first_leaf().prefix
        del node.children[child_index : child_index + 2]
        node.get_first_leaf().prefix = prefix
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Examples, in the form that cosmic-ray requires."""
        return (
            Example("def f(a):\n    a.x = 0", "def f(a):\n    pass"),
            Example("def f(a):\n    a.x = a.y = 0", "def f(a):\n    a.y = 0"),
            Example("def f(a):\n    a.x = a.y = 0", "def f(a):\n    a.x = 0", occurrence=1),
            Example("def f(a):\n    b = 1\n    b += a", "def f(a):\n    b = 1\n    pass", occurrence=1),
        )


class KeywordLeftOut(Operator):  # type: ignore[misc]
    """Removes a keyword of `replace(...)`, or of a constructor: `Passed(seat, forced=True)`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Position, Position]]:
        """The keywords that can be removed."""
        return ((keyword.start_pos, keyword.end_pos) for keyword in _keywords(node))

    def mutate(self, node: Any, index: int) -> Any:
        """The call without the keyword, and without its comma."""
        keyword = _keywords(node)[index]
        siblings = keyword.parent.children
        child_index = siblings.index(keyword)
        if keyword.parent is node:
            del siblings[child_index]
        else:
            first_index = max(child_index - 1, 0)
            del siblings[first_index : first_index + 2]
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Examples, in the form that cosmic-ray requires."""
        return (
            Example("def f(a):\n    return replace(a, b=1, c=2)", "def f(a):\n    return replace(a, c=2)"),
            Example(
                "def f(a):\n    return replace(a, b=1, c=2)", "def f(a):\n    return replace(a, b=1)", occurrence=1
            ),
            Example("def f(a):\n    return Thing(b=1)", "def f(a):\n    return Thing()"),
        )


OPERATORS: dict[str, Operator] = {"left-out/assignment": AssignmentLeftOut(), "left-out/keyword": KeywordLeftOut()}


def _targets(node: Any) -> list[Any]:
    """The targets of an assignment in a function; a tuple of names is one target."""
    if node.type != "expr_stmt" or function_of(node) is None:
        return []
    if node.children[1].type == "annassign":
        return [node.children[0]] if len(node.children[1].children) > 2 else []
    return node.children[:-1:2] if len(node.children) > 2 else []


def _is_missed_late(node: Any, target: Any) -> bool:
    """Whether a program without the assignment gets further than the next line that uses the name."""
    if target.type in ("atom_expr", "power"):
        return True
    return target.type == "name" and _count_bindings(function_of(node), target.value) > 1


def _count_bindings(function: Any, name: str) -> int:
    """How often a function binds a name: by statements, loops, parameters."""
    leaf, last_leaf, count = function.get_first_leaf(), function.get_last_leaf(), 0
    while leaf is not None:
        count += leaf.type == "name" and leaf.value == name and leaf.is_definition()
        leaf = None if leaf is last_leaf else leaf.get_next_leaf()
    return count


def _keywords(node: Any) -> list[Any]:
    """The keywords of a call in a function, if it is a `replace` or a constructor."""
    if node.type != "trailer" or node.children[0] != "(" or function_of(node) is None:
        return []
    callee = node.get_previous_leaf().value
    if callee != "replace" and not callee[:1].isupper():
        return []
    arguments = node.children[1]
    argument_nodes = arguments.children if arguments.type == "arglist" else [arguments]
    return [each for each in argument_nodes if each.type == "argument" and each.children[1] == "="]


def function_of(node: Any) -> Any:
    """The function around a node, if the node is in its body, not in a decorator or a default."""
    while node.parent is not None:
        if node.parent.type == "funcdef" and node is node.parent.children[-1]:
            return node.parent
        node = node.parent
    return None
