"""What is thought of the position on the table while its player thinks: the judgement of a hint, step by step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from zimcli.table.model import LineView, Thought
from zimcore.game import GameError

OFTEN = 0.2
"""Seconds between two things that are shown: words for each step would take longer than the thinking."""


class Judge(NamedTuple):
    """Thinks in a thread. `goes_on` says whether it is still asked for; `idle` waits for what comes first."""

    goes_on: Callable[[], bool]
    idle: Callable[[], object]

    def thoughts(self, view: LineView) -> Iterator[Thought]:
        """What is thought of the head, the last one as `hint` says it; nothing where too little is known there."""
        from zimcore.analysis.hint import document, state_to_judge
        from zimcore.analysis.judgement import NODES, thinking

        head = view.head
        shown, last = 0.0, None
        try:
            state = state_to_judge(head)
            for last in thinking(head.game, state, head.mover, NODES):
                self.idle()
                if not self.goes_on():
                    return
                if time.monotonic() - shown >= OFTEN:
                    yield Thought(head, document(head, state, last))
                    shown = time.monotonic()
        except GameError:  # nobody has learned to judge this game, or too little of it is known
            return
        if last:
            yield Thought(head, document(head, state, last), done=True)


def is_judged(view: LineView, seat: str | None) -> bool:
    """Whether who sits here may be told what is thought: at their turn, in a game that allows it."""
    return view.helps and not view.awaited and bool(view.head.to_move) and (not seat or seat in view.head.to_move)
