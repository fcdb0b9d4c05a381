"""Bots play whole matches by the rules; the same seed gives the same moves."""

from collections.abc import Sequence
from random import Random

import pytest

from tests import nim
from zimcore.bots.bot import Bot, Choice, View, view_for
from zimcore.bots.bot_match import PlayedMatch, play_bots, start_state
from zimcore.bots.levels import PeerBot, QuickBot, RandomBot, StrongBot, share_of_slips, weight_row
from zimcore.bots.registry import check_can_play, parse_bot
from zimcore.game import Command, Game, GameError, RatedStrategy
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE

OPTIONS = {"players": "3"}


def move_texts(match: PlayedMatch, game: Game) -> list[str]:
    return [f"{seat}: {game.notation.format(command)}" for seat, command in match.moves]


@pytest.mark.parametrize("bots", [[RandomBot()] * 3, [PeerBot()] * 3, [QuickBot(), PeerBot(), RandomBot()]])
def test_a_match_ends_and_is_the_same_with_the_same_seed(bots: Sequence[Bot]) -> None:
    first_match, second_match = (play_bots(ZIMBABWE, [(bot, 0) for bot in bots], OPTIONS, seed=7) for _ in range(2))
    assert first_match.outcome.over
    assert first_match.outcome.winner in first_match.seats
    assert move_texts(first_match, ZIMBABWE) == move_texts(second_match, ZIMBABWE)


def test_another_seed_plays_another_match() -> None:
    first_match, second_match = (play_bots(ZIMBABWE, [(RandomBot(), 0)] * 3, OPTIONS, seed=seed) for seed in (1, 2))
    assert move_texts(first_match, ZIMBABWE) != move_texts(second_match, ZIMBABWE)


def test_any_game_can_be_played_at_random() -> None:
    assert play_bots(AFRICANA, [(RandomBot(), 0)] * 2, {"players": "2"}, seed=3).outcome.over
    assert play_bots(nim.GAME, [(RandomBot(), 0)] * 2, {}, seed=3).outcome.over


@pytest.mark.parametrize("bot", [PeerBot(), QuickBot()])
def test_bots_with_a_strategy_refuse_a_game_without_one(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(nim.GAME), "strategy", None)  # `setattr` would fail: a Game is frozen
    with pytest.raises(GameError, match="no bot can play Nim well"):
        play_bots(nim.GAME, [(bot, 0)] * 2, {}, seed=3)


def test_the_peer_bot_is_better_than_chance() -> None:
    matches = [
        play_bots(ZIMBABWE, [(PeerBot(), 0), (RandomBot(), 0), (RandomBot(), 0)], OPTIONS, seed=seed)
        for seed in range(4)
    ]
    assert [match.outcome.winner == match.seats[0] for match in matches] == [True] * 4


def test_candidates_are_legal_and_never_empty() -> None:
    strategy = ZIMBABWE.strategy
    assert strategy
    state = start_state(ZIMBABWE, OPTIONS, 11)
    rng = Random(5)
    for _ in range(250):
        (seat,) = ZIMBABWE.evolution.to_move(state)
        legal_commands, canonical_state = ZIMBABWE.rules.legal(state, seat), ZIMBABWE.evolution.canonical(state)
        commands = [plan[0] for plan in strategy.candidates(state, seat)]
        assert commands
        assert [command for command in commands if command not in legal_commands] == []
        assert len(strategy.features(state, seat)) == len(strategy.FEATURES)
        assert ZIMBABWE.evolution.canonical(state) == canonical_state
        state = ZIMBABWE.rules.apply(state, seat, rng.choice(commands)).state
        if not ZIMBABWE.evolution.to_move(state):
            break


def test_weights_are_those_of_features() -> None:
    strategy = ZIMBABWE.strategy
    assert strategy
    assert set(strategy.WEIGHTS) <= set(strategy.FEATURES)
    assert len(weight_row(strategy)) == len(strategy.FEATURES)


def test_a_bot_looks_at_as_many_positions_as_are_allowed() -> None:
    state = start_state(ZIMBABWE, OPTIONS, 11)
    for _ in range(4):
        (seat,) = ZIMBABWE.evolution.to_move(state)
        command = PeerBot().choose(view_for(ZIMBABWE, state, seat), 0, Random()).command
        state = ZIMBABWE.rules.apply(state, seat, command).state
    (seat,) = ZIMBABWE.evolution.to_move(state)
    assert QuickBot().choose(view_for(ZIMBABWE, state, seat), 2, Random()).why == "best of 2"
    assert (
        QuickBot().choose(view_for(ZIMBABWE, state, seat), 1, Random()).why.startswith("nothing else is worth trying")
    )
    assert StrongBot().choose(view_for(ZIMBABWE, state, seat), 1, Random()).why.startswith("best of 1 after")


def test_a_weaker_rating_slips_more_often() -> None:
    strategy = ZIMBABWE.strategy
    assert isinstance(strategy, RatedStrategy)
    ratings, shares = [*strategy.SLIPS], [*strategy.SLIPS.values()]
    assert (ratings, shares) == (sorted(ratings, reverse=True), sorted(shares)), "the stronger, the fewer slips"
    assert (shares[0], shares[-1]) == (0, 1)
    highest_rating, second_rating = ratings[:2]
    assert (
        shares[0]
        < share_of_slips(ZIMBABWE, highest_rating - 1)
        < share_of_slips(ZIMBABWE, (highest_rating + second_rating) // 2)
        < shares[1]
    )
    assert share_of_slips(ZIMBABWE, second_rating) == pytest.approx(shares[1])


def test_the_strongest_rating_plays_as_strong_and_the_weakest_at_random() -> None:
    strategy = ZIMBABWE.strategy
    assert isinstance(strategy, RatedStrategy)
    ratings = sorted(strategy.SLIPS, reverse=True)
    state = start_state(ZIMBABWE, OPTIONS, 11)
    view = View(ZIMBABWE, state, ZIMBABWE.evolution.to_move(state)[0])

    def choices(name: str) -> list[Choice]:
        return [parse_bot(name).bot.choose(view, 0, Random(number)) for number in range(9)]

    assert choices(f"strong:elo={ratings[0]}") == choices("strong")
    weakest_choices = choices(f"strong:elo={ratings[-1]}")
    assert weakest_choices == choices(f"strong:elo={ratings[-1]}")
    assert {choice.why for choice in weakest_choices} == {"drawn: a slip"}
    assert len({choice.command for choice in weakest_choices}) > 1
    reasons = [choice.why for choice in choices(f"strong:elo={ratings[1]}") + choices(f"strong:elo={ratings[2]}")]
    assert len({*reasons}) > 1


@pytest.mark.parametrize(
    ("game", "elo", "message", "hint"),
    [
        (ZIMBABWE, 9_999, "no such rating: 9999: in The Great Zimbabwe they go from", "strong:elo="),
        (ZIMBABWE, 1, "no such rating: 1", "strong:elo="),
        (AFRICANA, 1500, "strong:elo=1500 is not for Africana: its ratings were not measured", "strong"),
    ],
)
def test_a_rating_that_was_not_measured_is_refused(game: Game, elo: int, message: str, hint: str) -> None:
    with pytest.raises(GameError, match=message) as error:
        check_can_play(parse_bot(f"strong:elo={elo}"), game)
    (suggestion,) = error.value.hints
    assert suggestion.startswith(hint)
    check_can_play(parse_bot(suggestion), game)


class IllegalBot:
    """A bot that plays an illegal command."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        command: Command = ZIMBABWE.notation.parse("end", view.state)[1]
        return Choice(command)


def test_an_illegal_command_of_a_bot_is_named() -> None:
    with pytest.raises(GameError, match=r"can't play end: .*first monuments"):
        play_bots(ZIMBABWE, [(IllegalBot(), 0)] * 3, OPTIONS, seed=1)
