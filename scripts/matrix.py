"""Prints who may what, from the table of endpoints, as docs/api.md has it: python scripts/matrix.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zimcore.documents.endpoints import ENDPOINTS, EVERYBODY, NO_TOKEN, PLAYERS, Endpoint
from zimcore.documents.seats import Role


def matrix() -> Iterator[str]:
    """A row for each endpoint, a column for each role."""
    yield f"| endpoint | {' | '.join(EVERYBODY)} |"
    yield "|---" * (len(EVERYBODY) + 1) + "|"
    for row in ENDPOINTS:
        yield f"| `{row.method} {row.path}` | {' | '.join(may(row, role) for role in EVERYBODY)} |"


def may(row: Endpoint[Any, Any], role: Role) -> str:
    """What a role may do at an endpoint."""
    if row.who == NO_TOKEN:
        return "no token"
    if role not in row.who:
        return ""
    mine = [f"`{field}`" for field, whose in row.reserved.items() if role in whose]
    others = [f"`{field}`" for field, whose in row.reserved.items() if role not in whose]
    if row.own and role not in row.free:
        return f"own {row.own}" if role in PLAYERS else f"with {', '.join(mine)}"
    return f"yes, not {', '.join(others)}" if others else "yes"


if __name__ == "__main__":
    print("\n".join(matrix()))
