"""Prints who may what, from the table of endpoints, as docs/api.md has it: python scripts/matrix.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zimcore.documents.endpoints import ENDPOINTS, EVERYBODY, NO_TOKEN, PLAYERS, Endpoint
from zimcore.documents.seats import Role


def matrix() -> Iterator[str]:
    """A row for each endpoint, with the roles that may use it."""
    yield "| endpoint | who may |"
    yield "|---|---|"
    for row in ENDPOINTS:
        yield f"| `{row.method} {row.path}` | {who(row)} |"


def who(row: Endpoint[Any, Any]) -> str:
    """The roles that may use an endpoint, each with its condition, in words."""
    if row.who == NO_TOKEN:
        return "no token"
    if row.who == EVERYBODY and not row.own and not row.reserved:
        return "all"
    return ", ".join(role + condition(row, role) for role in row.who)


def condition(row: Endpoint[Any, Any], role: Role) -> str:
    """In brackets, on what a role of the row may use it; "" without a condition."""
    mine = [f"`{field}`" for field, whose in row.reserved.items() if role in whose]
    others = [f"`{field}`" for field, whose in row.reserved.items() if role not in whose]
    if row.own and role not in row.free:
        return f" (own {row.own})" if role in PLAYERS else f" (with {', '.join(mine)})"
    return f" (not {', '.join(others)})" if others else ""


if __name__ == "__main__":
    print("\n".join(matrix()))
