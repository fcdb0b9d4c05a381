"""Advice, previews and card texts predict effects correctly, under every option, god and house rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from random import Random

from hypothesis import given as for_all
from hypothesis import settings

from tests.zimbabwe.random_play import Recipe, play, recipes
from zimcore.game import Accepted, Advice, Refused
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import Adore, AnyCommand, Build, Give, Hire, Pass, PlaceCraftsman, Raise, Start
from zimcore.games.zimbabwe.components import CRAFTSMEN
from zimcore.games.zimbabwe.events import CattlePaid
from zimcore.games.zimbabwe.previews.bids import pass_all
from zimcore.games.zimbabwe.rules.rituals import markers_left
from zimcore.games.zimbabwe.state import Craftsman, State

SAMPLE_INTERVAL = 6
"""One position of this many is checked."""


def sampled_states(recipe: Recipe, move_count: int = 90) -> Iterator[State]:
    """One position of each `SAMPLE_INTERVAL` of a random game."""
    for move_number, move in enumerate(play(recipe, move_count)):
        if move_number % SAMPLE_INTERVAL == 0:
            yield move.state_before


def parse_figures(effect: str) -> dict[str, int]:
    """The amounts in `+4 VP, -6 cattle`, by their name."""
    return {name: int(amount) for amount, name in re.findall(r"([+-]\d+) (VP|VR|cattle)\b", effect)}


def decide_accepted(state: State, command: AnyCommand) -> Accepted:
    seat = state.actor or ""
    decision = GAME.rules.decide(state, seat, command)
    assert isinstance(decision, Accepted), (GAME.notation.format(command), decision)
    return decision


def changes_of_seat(state: State, state_after: State) -> dict[str, int]:
    seat = state.actor or ""
    return {
        "VP": state_after.vp[seat] - state.vp[seat],
        "VR": state_after.vr[seat] - state.vr[seat],
        "cattle": state_after.cattle[seat] - state.cattle[seat],
    }


def check_advice(state: State, advice: Advice) -> None:
    command = GAME.notation.parse(advice.text, state)[1]
    outcome = decide_accepted(state, command)
    if isinstance(command, Give | Pass):
        check_bid(state, outcome.state, advice)
        return
    if isinstance(command, Build | Start | Adore | Hire | PlaceCraftsman | Raise):
        announced_changes = Counter[str]()
        for effect in advice.brings:
            announced_changes.update(parse_figures(effect))
        for name, amount in changes_of_seat(state, outcome.state).items():
            assert announced_changes[name] == amount or (isinstance(command, Start) and name == "VP"), (
                advice,
                name,
                amount,
            )
    if isinstance(command, Raise):
        check_raise(state, outcome, advice)


def check_bid(state: State, state_after: State, advice: Advice) -> None:
    seat = state.actor or ""
    state_at_end = pass_all(state_after)
    turn_text, players_text = re.findall(r"turn (\d+) of (\d+)", advice.brings[0])[0]
    cattle_left_text, gained_text = re.findall(r"(\d+) cattle left and (\d+) from", advice.brings[1])[0]
    assert (state_at_end.order.index(seat) + 1, len(state_at_end.order)) == (int(turn_text), int(players_text))
    assert state_at_end.cattle[seat] == int(cattle_left_text) + int(gained_text)


def check_raise(state: State, outcome: Accepted, advice: Advice) -> None:
    seat = state.actor or ""
    payments = Counter[str]()
    for event in outcome.events:
        if isinstance(event, CattlePaid):
            payments["hubs" if event.reason == "hubs" else event.payee.partition("/")[0]] += event.amount
    payee_names = {seat: "yourself", "hubs": "hubs"}
    payments_text = next(effect for effect in advice.brings if effect.startswith("pays ")).removeprefix("pays ")
    assert {*payments_text.split(", ")} == {
        f"{payee_names.get(payee, payee.title())} {amount}" for payee, amount in payments.items()
    }
    drained_texts = [effect for effect in advice.brings if effect.startswith("takes the last ")]
    drained_names = {name for text in drained_texts for name in text.partition(" in reach of ")[2].split(", ")}
    for craftsman in state.craftsmen:
        craftsman_text = f"{craftsman.owner.title()}'s {craftsman.type} at {craftsman.at}"
        is_left_without = serves_a_later_seat(state, craftsman) and not serves_a_later_seat(outcome.state, craftsman)
        assert (craftsman_text in drained_names) == (is_left_without and craftsman.owner != seat), (
            advice,
            craftsman_text,
        )


def serves_a_later_seat(state: State, craftsman: Craftsman) -> bool:
    """Whether some player whose turn is still to come could use a resource of a craftsman: asked in their turn."""
    order = state.order
    for seat in order[order.index(state.turn.seat) + 1 :]:
        state_in_turn = state.in_turn_of(seat)
        resources = state_in_turn.resources_near(craftsman.zone, CRAFTSMEN[craftsman.type].resource)
        if any(markers_left(state_in_turn, seat, square) > 0 for square in state_in_turn.board.names(resources)):
            return True
    return False


@settings(max_examples=12)
@for_all(recipes())
def test_advice_predicts_what_happens(recipe: Recipe) -> None:
    for state in sampled_states(recipe):
        for beginning in ("", "raise", "craft", "hire"):
            for advice in GAME.questions.advice(state, state.actor or "", beginning)[:12]:
                check_advice(state, advice)


@settings(max_examples=12)
@for_all(recipes())
def test_a_preview_names_the_broken_rules_or_the_effects(recipe: Recipe) -> None:
    rng = Random(recipe.seed)
    for move in play(recipe, 90):
        state, command, seat = move.state_before, move.command, move.state_before.actor or ""
        if not isinstance(command, PlaceCraftsman | Raise):
            continue
        preview_tables = list(GAME.questions.ask(state, "preview", GAME.notation.format(command).split()))
        assert preview_tables[0].title != "Not legal now"
        check_preview(
            state,
            move.outcome,
            command,
            " ".join(" ".join(row) for row in preview_tables[0].rows),
            preview_tables[0].title,
        )
        wrong_command = spoil_command(state, command, rng)
        outcome = GAME.rules.decide(state, seat, wrong_command)
        tables = list(GAME.questions.ask(state, "preview", GAME.notation.format(wrong_command).split()))
        first_table = tables[0] if tables else None
        assert (first_table is not None and first_table.title == "Not legal now") == isinstance(outcome, Refused)
        if isinstance(outcome, Refused) and first_table:
            assert [row[0] for row in first_table.rows] == [refusal.code for refusal in outcome.refusals]


def check_preview(state: State, outcome: Accepted, command: AnyCommand, text: str, title: str) -> None:
    changes = changes_of_seat(state, outcome.state)
    if isinstance(command, Raise):
        assert title == f"{-changes['cattle']} cattle"
        return
    assert f"cost {-changes['cattle']} cattle" in text
    assert f"VP +{changes['VP']}" in text
    assert f"VR {changes['VR']:+}" in text


def spoil_command(state: State, command: PlaceCraftsman | Raise, rng: Random) -> AnyCommand:
    """The command with one fault: a distant square, or the first ritual of a raise twice."""
    if isinstance(command, Raise):
        return Raise((*command.rituals, command.rituals[0]))
    distant_square = rng.choice(list(state.board.square))
    return PlaceCraftsman(command.type, (distant_square, *command.squares[1:]), command.price)


@settings(max_examples=12)
@for_all(recipes())
def test_cards_say_the_vr_that_is_charged(recipe: Recipe) -> None:
    for move in play(recipe, 90):
        if isinstance(move.command, Adore | Hire):
            state, seat = move.state_before, move.state_before.actor or ""
            card_name = move.command.god if isinstance(move.command, Adore) else move.command.specialist
            [card_table] = GAME.questions.ask(state, "cards", [card_name])
            rebate = sum(technology.vr for technology in state.technologies_of(seat).values()) - sum(
                technology.vr for technology in move.outcome.state.technologies_of(seat).values()
            )
            assert int(card_table.rows[0][1]) == move.outcome.state.vr[seat] - state.vr[seat] + rebate


@settings(max_examples=12)
@for_all(recipes())
def test_the_hints_of_a_refusal_are_legal(recipe: Recipe) -> None:
    rng, played_commands = Random(recipe.seed), list[AnyCommand]()
    for move in play(recipe, 60):
        played_commands.append(move.command)
        state, seat = move.state_before, move.state_before.actor or ""
        for command in rng.sample(played_commands, min(3, len(played_commands))):
            outcome = GAME.rules.decide(state, seat, command)
            for hint in outcome.hints if isinstance(outcome, Refused) else ():
                decide_accepted(state, GAME.notation.parse(hint, state)[1])
