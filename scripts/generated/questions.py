"""Prints docs/questions.md, from the table of `zim help questions`.

python scripts/generated/questions.py > docs/questions.md
"""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.session.question_help import QUESTIONS


def page_lines() -> Iterator[str]:
    """A table for each heading."""
    yield "# Which question does which command answer?\n"
    yield "For players who wonder what to ask. Type these at a prompt or at the table (`zim play kilwa-7`). In a shell,"
    yield '`zim` and the game go first: `zim hint kilwa-7 --plan`, `zim try kilwa-7 "bid 2"`. `zim help questions` has'
    yield "the same; the [reference](reference.md) has each command with its options."
    for heading, rows in QUESTIONS.items():
        yield f"\n## {heading}\n\n| type | to ask |\n|---|---|"
        yield from (f"| `{typed_text}` | {question} |" for typed_text, question in rows.items())


if __name__ == "__main__":
    print("\n".join(page_lines()))
