"""Replenishing the expeditions, and the end of the game that follows when they run out (A-EOT-07 to A-END)."""

from __future__ import annotations

from zimcore.games.africana.events import EndTriggered, ExpeditionLaid, GameEnded
from zimcore.games.africana.rules.rule import Draft
from zimcore.games.africana.scoring import score_player, winners


def fill_spaces(draft: Draft) -> None:
    """Fills empty spaces from the left while the stack lasts; no other card slides (A-EOT-07, A-EOT-08, AMB-10)."""
    if draft.state.spaces.count("") > len(draft.state.stack) and draft.state.has_house_rule("refill"):
        return
    for space, card in enumerate(draft.state.spaces, 1):
        if not card and draft.state.stack:
            draft.happen(ExpeditionLaid(draft.state.stack[-1], space))


def refill_spaces(draft: Draft) -> None:
    """Refills spaces at the end of a turn; if a space stays empty, the end is triggered (A-END-01)."""
    fill_spaces(draft)
    if not all(draft.state.spaces) and not draft.state.ending:
        draft.happen(EndTriggered())


def end_game(draft: Draft) -> None:
    """Scores all players and names the winners (A-SCORE)."""
    for seat in draft.state.seats:
        draft.happen(score_player(draft.state, seat))
    draft.happen(GameEnded(winners(draft.state)))
