"""Each kind of command of each game is refused out of turn, in another phase, and after the end."""

from importlib import import_module
from typing import Any, get_args

import pytest

from tests.house_rules import begin_match
from zimcore.game import Refused
from zimcore.games.registry import game

ZIMBABWE_COMMANDS = {
    "setup": {"start a6": "R-SET-02"},
    "bidding": {"bid 1": "R-BID-02", "pass": "R-BID-02"},
    "actions": dict.fromkeys(
        [
            *("adore eshu", "hire builder", "use builder", "build a1", "craft potter a1-b1 price 1", "price potter 2"),
            *("raise a6 potter@a1/b1", "end"),
        ],
        "R-TURN-01",
    ),
}
AFRICANA_COMMANDS = dict.fromkeys(
    [
        *("draw", "turn north left", "buy north left", "move cairo joker", "join A01", "end A01", "end N01", "end"),
        "discard joker",
    ],
    "A-TURN-01",
)


def zimbabwe_state(phase: str) -> Any:
    """A position in this phase, in which kilwa is to move."""
    state = begin_match(game("zimbabwe"), order="kilwa,mutapa", gods="eshu", seed="3").state
    scripts = {"setup": [], "bidding": ["start a6", "start a3"], "actions": ["start a6", "start a3", "pass"]}
    if phase == "over":
        over = zimbabwe_state("actions").copy()
        over.phase, over.winner = "over", "mutapa"
        return over
    starts = list(game("zimbabwe").rules.legal(state, "kilwa").texts("start"))
    texts = {"start a6": starts[0], "start a3": starts[-1]}
    for line in scripts[phase]:
        seat = game("zimbabwe").evolution.to_move(state)[0]
        state = accepted_state("zimbabwe", state, seat, texts.get(line, line))
    return state


def accepted_state(kind: str, state: Any, seat: str, text: str) -> Any:
    """The position after a legal command."""
    answer = game(kind).rules.decide(state, seat, game(kind).notation.parse(text, state)[1])
    assert not isinstance(answer, Refused), (text, answer)
    return answer.state


def refusal_codes(kind: str, state: Any, seat: str, text: str) -> set[str]:
    """The rules that a command breaks."""
    answer = game(kind).rules.decide(state, seat, game(kind).notation.parse(text, state)[1])
    return {refusal.code for refusal in answer.refusals} if isinstance(answer, Refused) else set()


CASES = [(phase, text, code) for phase, codes in ZIMBABWE_COMMANDS.items() for text, code in codes.items()]


@pytest.mark.parametrize(("phase", "text", "code"), CASES)
def test_zimbabwe_refuses_a_command_out_of_turn_in_another_phase_and_after_the_end(
    phase: str, text: str, code: str
) -> None:
    state = zimbabwe_state(phase)
    [mover] = game("zimbabwe").evolution.to_move(state)
    [other] = {"kilwa", "mutapa"} - {mover}
    assert code in refusal_codes("zimbabwe", state, other, text)
    for other_phase in {*ZIMBABWE_COMMANDS} - {phase}:
        other_state = zimbabwe_state(other_phase)
        [mover] = game("zimbabwe").evolution.to_move(other_state)
        assert code in refusal_codes("zimbabwe", other_state, mover, text), other_phase
    for seat in ("kilwa", "mutapa"):
        assert "R-END-01" in refusal_codes("zimbabwe", zimbabwe_state("over"), seat, text)


@pytest.mark.parametrize(("text", "code"), AFRICANA_COMMANDS.items())
def test_africana_refuses_a_command_out_of_turn_and_after_the_end(text: str, code: str) -> None:
    state = begin_match(game("africana")).state
    assert code in refusal_codes("africana", state, "france", text)
    over = state.copy()
    over.phase, over.winners = "over", ("italy",)
    for seat in ("italy", "france"):
        assert "A-END-02" in refusal_codes("africana", over, seat, text)
    if text != "discard joker":
        excess = state.copy()
        excess.turn = type(state.turn)("italy", "draw", over=True)
        assert "A-TURN-03" in refusal_codes("africana", excess, "italy", text)
    else:
        assert "A-EOT-06" in refusal_codes("africana", state, "italy", text)


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_no_kind_of_command_is_left_out(kind: str) -> None:
    lines = [text for _, text, _ in CASES] if kind == "zimbabwe" else [*AFRICANA_COMMANDS]
    state = zimbabwe_state("actions") if kind == "zimbabwe" else begin_match(game(kind)).state
    tried = {type(game(kind).notation.parse(text, state)[1]) for text in lines}
    commands = {*get_args(import_module(f"zimcore.games.{kind}.commands").AnyCommand)}
    # Setting up and dealing again belong to no turn.
    assert {command for command in commands if command.__name__ not in ("SetUp", "Redeal")} == tried
