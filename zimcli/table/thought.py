"""Judges the position on the table while its player thinks, step by step, as `hint` does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from zimcli.table.model import LineView, Thought
from zimcore.game import GameError

UPDATE_INTERVAL = 0.2
"""Seconds between two updates of the screen: wording every step would take longer than the thinking."""


class Judge(NamedTuple):
    """Judges a position in a thread.

    `goes_on` says whether to continue; `wait_while_busy` waits for more urgent work.
    """

    goes_on: Callable[[], bool]
    wait_while_busy: Callable[[], object]

    def thoughts(self, view: LineView) -> Iterator[Thought]:
        """Yields the judgement of the head so far; the last one equals that of `hint`. Nothing without a model."""
        from zimcore.analysis.hint import answer_from_judgement, state_to_judge
        from zimcore.analysis.judgement import DEFAULT_NODES, improving_judgements

        head = view.head
        last_update, last_judgement = 0.0, None
        try:
            state = state_to_judge(head)
            for last_judgement in improving_judgements(head.game, state, head.mover, DEFAULT_NODES):
                self.wait_while_busy()
                if not self.goes_on():
                    return
                if time.monotonic() - last_update >= UPDATE_INTERVAL:
                    yield Thought(head, answer_from_judgement(head, state, last_judgement))
                    last_update = time.monotonic()
        except GameError:  # there is no model for this game, or hidden cards prevent a judgement
            return
        if last_judgement:
            yield Thought(head, answer_from_judgement(head, state, last_judgement), is_done=True)


def may_see_judgement(view: LineView, seat: str | None) -> bool:
    """Whether this player may see judgements: at their turn, in a game that allows help."""
    return (
        view.helps and not view.next_at_keyboard and bool(view.head.to_move) and (not seat or seat in view.head.to_move)
    )
