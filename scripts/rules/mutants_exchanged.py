"""Four more operators: a guard's command, the first or least of several, a call that is left out, swapped arguments.

Each stands for a real fault of rules that the other operators can't make: a guard that was not registered for one
command, `max` for `min`, a forgotten step, `hubs(end, start)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from cosmic_ray.operators.operator import Example, Operator
from parso.python.tree import Keyword, Name, Number

from scripts.rules.mutants_left_out import Position, function_of

OPPOSITES: Mapping[str, str] = {"min": "max", "max": "min", "any": "all", "all": "any"}


class GuardTargetLeftOut(Operator):  # type: ignore[misc] # cosmic-ray has no types
    """Removes a command of a guard that has several: `@guard("T-1", Move, End)` becomes `@guard("T-1", End)`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Position, Position]]:
        """The commands that can be removed."""
        return ((target.start_pos, target.end_pos) for target in _guard_targets(node))

    def mutate(self, node: Any, index: int) -> Any:
        """The decorator without the command, and without the comma before it."""
        target = _guard_targets(node)[index]
        siblings = target.parent.children
        child_index = siblings.index(target)
        del siblings[child_index - 1 : child_index + 1]
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Examples, in the form that cosmic-ray requires."""
        check = "def f(a):\n    pass"
        return (
            Example(f'@guard("T-1", Move, End)\n{check}', f'@guard("T-1", End)\n{check}'),
            Example(
                f'@guard("T-1", Move, End, stage=1)\n{check}', f'@guard("T-1", Move, stage=1)\n{check}', occurrence=1
            ),
        )


class OtherEnd(Operator):  # type: ignore[misc]
    """Takes the other end of several: `min` for `max`, `any` for `all`, `[-1]` for `[0]`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Position, Position]]:
        """The name, or the index."""
        if function_of(node) is not None and (_opposite(node) or _is_first_index(node)):
            yield (node.start_pos, node.end_pos)

    def mutate(self, node: Any, index: int) -> Any:
        """The opposite name, or the last index."""
        if name := _opposite(node):
            return Name(name, node.start_pos, node.prefix)
        return Number("-1", node.start_pos, node.prefix)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Examples, in the form that cosmic-ray requires."""
        return (
            Example("def f(a):\n    return min(a)", "def f(a):\n    return max(a)"),
            Example("def f(a):\n    return all(a)", "def f(a):\n    return any(a)"),
            Example("def f(a):\n    return a[0]", "def f(a):\n    return a[-1]"),
        )


class CallLeftOut(Operator):  # type: ignore[misc]
    """Removes a statement that is a call: `draft.happen(...)`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Position, Position]]:
        """The statement."""
        if _is_call_statement(node):
            yield (node.start_pos, node.end_pos)

    def mutate(self, node: Any, index: int) -> Any:
        """`pass`."""
        return Keyword("pass", node.start_pos, node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Examples, in the form that cosmic-ray requires."""
        return (Example("def f(a):\n    a.happen(1)\n    return a", "def f(a):\n    pass\n    return a"),)


class ArgumentsSwapped(Operator):  # type: ignore[misc]
    """Swaps two neighbouring arguments of a call: `pay(seat, other, 2)` becomes `pay(other, seat, 2)`.

    Not of `min` and `max`, for which their order makes no difference.
    """

    def mutation_positions(self, node: Any) -> Iterator[tuple[Position, Position]]:
        """The first argument of each pair."""
        return ((left.start_pos, right.end_pos) for left, right in _argument_pairs(node))

    def mutate(self, node: Any, index: int) -> Any:
        """The call with the pair swapped."""
        left, right = _argument_pairs(node)[index]
        siblings = left.parent.children
        left_index, right_index = siblings.index(left), siblings.index(right)
        left_leaf, right_leaf = left.get_first_leaf(), right.get_first_leaf()
        left_leaf.prefix, right_leaf.prefix = right_leaf.prefix, left_leaf.prefix
        siblings[left_index], siblings[right_index] = right, left
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Examples, in the form that cosmic-ray requires."""
        return (
            Example("def f(a):\n    return g(a, b, 2)", "def f(a):\n    return g(b, a, 2)"),
            Example("def f(a):\n    return g(a, b, 2)", "def f(a):\n    return g(a, 2, b)", occurrence=1),
        )


OPERATORS: dict[str, Operator] = {
    "exchanged/guard-target": GuardTargetLeftOut(),
    "exchanged/other-end": OtherEnd(),
    "exchanged/call": CallLeftOut(),
    "exchanged/arguments": ArgumentsSwapped(),
}


def _guard_targets(node: Any) -> list[Any]:
    """The commands of a guard's decorator, if it has several."""
    decorator = node.search_ancestor("decorator") if node.type == "arglist" else None
    if decorator is None or node.parent.parent.parent is not decorator:
        return []
    is_guard = node.get_first_leaf().get_previous_leaf().get_previous_leaf().value == "guard"
    names = [child for child in node.children if is_guard and child.type == "name"]
    return names if len(names) > 1 else []


def _opposite(node: Any) -> str:
    """The name of the opposite function, for the name of one that is called; "" for any other node."""
    is_called = node.type == "name" and (leaf := node.get_next_leaf()) is not None and leaf.value == "("
    previous_leaf = node.get_previous_leaf() if is_called else None
    is_plain = is_called and (previous_leaf is None or previous_leaf.value not in (".", "def"))
    return OPPOSITES.get(node.value, "") if is_plain else ""


def _is_first_index(node: Any) -> bool:
    """Whether a node is the 0 of `[0]`."""
    parent = node.parent
    return bool(
        node.type == "number"
        and node.value == "0"
        and parent is not None
        and parent.type == "trailer"
        and parent.children[0].value == "["
        and len(parent.children) == 3
    )


def _is_call_statement(node: Any) -> bool:
    """Whether a node is a statement of a function that only calls something."""
    return bool(
        node.type in ("atom_expr", "power")
        and node.parent is not None
        and node.parent.type == "simple_stmt"
        and node.children[-1].type == "trailer"
        and node.children[-1].children[0].value == "("
        and function_of(node) is not None
    )


def _argument_pairs(node: Any) -> list[tuple[Any, Any]]:
    """Neighbouring plain arguments of a call in a function whose texts differ."""
    if node.type != "arglist" or node.parent is None or node.parent.type != "trailer" or function_of(node) is None:
        return []
    if node.parent.get_previous_sibling().get_code(include_prefix=False) in ("min", "max"):
        return []
    plain = [child for child in node.children if child.type != "operator" or child.value != ","]
    return [
        (left, right)
        for left, right in pairwise(plain)
        if "argument" not in (left.type, right.type)
        and left.get_code(include_prefix=False) != right.get_code(include_prefix=False)
    ]
