"""The text of `help questions`: which question each command answers. docs/questions.md is made of the same table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

QUESTIONS_TOPIC = "questions"
QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "What can I play?": {
        "legal craft": "What may I play now?",
        "hint": "What is the best turn? (F6 at the table)",
        "hint --advice craft": "Which commands are promising, and what would each serve, claim and cost?",
        "hint --preview bid 2": "What would this command bring? Without a command: this round?",
        "hint --plan": "What is within reach, and what is the cheapest way?",
        "try bid 2": "What would the position be after it?",
        "explain bid 2": "May I play this, and by which rule (not)?",
        "reach d4": "What can be reached from this square?",
        "ask cards": "What do the cards do?",
    },
    "How does it stand?": {
        "show": "Who is to move, and what has everyone got?",
        "board": "Where is everything?",
        "stats": "Who has done what so far?",
        "seats": "Who sits where on a server? (`seat` binds one to a key)",
        "orders": "Which moves have I ordered ahead? (`order` gives one)",
        "talk": "What was said, and what is asked of me? (`requests` has only requests)",
    },
    "What happened?": {
        "log": "Which moves led here?",
        "events": "Which effects did each move have, in full?",
        "story": "How did the game go, in words?",
        "why kilwa.vp": "Which moves made this figure?",
        "bisect kilwa.vp>=2": "After which move did this become true?",
        "expect kilwa.vp>=0": "Is this true here? (for scripts)",
        "analyse": "Which turn gave something away, and what was better?",
        "practise": "Can I find the better turn myself?",
    },
    "What if?": {
        "whatif": "Who wins after each of these moves, if programs play on?",
        "fork try-it": "How do I play on from here without changing the game?",
        "amend": "What if that move had been another, and all later ones the same?",
        "compare": "How do two lines or positions differ?",
        "arena": "Which program is better?",
    },
    "Is it right?": {
        "verify": "Is this line as it was played, by these rules?",
        "audit": "Are the moves in a log of our evening legal?",
        "witness": "Has anything stored been changed since then?",
        "doctor": "Does this store or server work as it should?",
        "check": "Does the code of a game keep the contract?",
    },
    "What does it mean?": {
        "help hubs": "What is this word, card or command?",
        "rules potter": "What do the rules say about it?",
    },
}
"""The questions by heading: what to type at a prompt, and what it answers."""


def question_help() -> str:
    """The help text."""
    return "\n".join(_help_lines())


def _help_lines() -> Iterator[str]:
    yield "Which question does which command answer? At a prompt, type what stands in front;"
    yield "in the shell, zim and the game go first: zim hint kilwa-7 --plan."
    width = max(len(typed_text) for rows in QUESTIONS.values() for typed_text in rows)
    for heading, rows in QUESTIONS.items():
        yield f"\n{heading}"
        yield from (f"  {typed_text:<{width}}  {question}" for typed_text, question in rows.items())
