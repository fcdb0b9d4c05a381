"""Replenishing the expeditions, and the end of the game that follows when they run out (A-EOT-07 to A-END)."""

from __future__ import annotations

from zimcore.games.africana.events import EndTriggered, ExpeditionLaid, GameEnded
from zimcore.games.africana.rules.rule import Draft
from zimcore.games.africana.scoring import score_player, winners


def fill_spaces(draft: Draft) -> None:
    """Fills empty spaces from the left while the stack lasts; cards that lie there don't slide (A-EOT-07, A-EOT-08).

    By a house rule no space is filled if the stack can't fill all (AMB-10).
    """
    if draft.state.spaces.count("") > len(draft.state.stack) and draft.state.has_house_rule("refill"):
        return
    for space, card in enumerate(draft.state.spaces, 1):
        if not card and draft.state.stack:
            draft.happen(ExpeditionLaid(draft.state.stack[-1], space))


def refill_or_trigger_end(draft: Draft) -> None:
    """Fills spaces at the end of a turn; if one stays empty, the end of the game is triggered (A-END-01)."""
    fill_spaces(draft)
    if not all(draft.state.spaces) and not draft.state.ending:
        draft.happen(EndTriggered())


def end_game(draft: Draft) -> None:
    """Scores all players and names the winners (A-SCORE)."""
    for seat in draft.state.seats:
        draft.happen(score_player(draft.state, seat))
    draft.happen(GameEnded(winners(draft.state)))
