"""Each level beats the one below it: a short form of what `scripts/bench bots` measures."""

from random import Random

import pytest

from zimcore.bots.arena import iter_seatings, play_match, standings
from zimcore.bots.bot import view_for
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import QuickBot, StrongBot
from zimcore.chances import WINS_BY_FORCE
from zimcore.games.zimbabwe import GAME


@pytest.mark.parametrize(
    ("bots", "players", "games", "min_share"),
    [
        (("peer", "random"), 3, 6, 0.6),
        (("quick", "peer"), 4, 12, 0.7),
        (("strong", "quick"), 2, 2, 0.75),
    ],
)
def test_a_level_beats_the_one_below(bots: tuple[str, ...], players: int, games: int, min_share: float) -> None:
    (best_standing, *_) = standings(
        [play_match(GAME, seating) for seating in iter_seatings(bots, players, games, seed=800_000)]
    )
    assert best_standing.bot == bots[0]
    assert best_standing.share >= min_share


def test_strong_looks_no_further_than_a_line_that_wins() -> None:
    match = play_bots(GAME, [(QuickBot(), 0)] * 2, {"players": "2"}, seed=8)
    state = GAME.rules.apply(GAME.evolution.initial(), "", GAME.rules.set_up({"players": "2"}, 8)).state
    reasons = list[str]()
    for seat, command in match.moves:
        if seat == match.outcome.winner and state.round == match.state.round:
            reasons.append(StrongBot().choose(view_for(GAME, state, seat), 0, Random()).why)
        state = GAME.rules.apply(state, seat, command).state
    assert any(reason.startswith("best of 1 after") for reason in reasons), "quick at every seat wins there"
    assert WINS_BY_FORCE in reasons
    assert not any(WINS_BY_FORCE in reason for reason in reasons if reason != WINS_BY_FORCE), "a playout proves nothing"
