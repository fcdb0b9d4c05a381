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
from zimcore.games.zimbabwe.previews.bids import all_pass
from zimcore.games.zimbabwe.rules.rituals import markers_left
from zimcore.games.zimbabwe.state import Craftsman, State

EVERY = 6
"""Of so many positions one is looked at."""


def looked_at(recipe: Recipe, moves: int = 90) -> Iterator[State]:
    """Positions of a random game, those in which cards, craftsmen and raises abound first of all."""
    for number, move in enumerate(play(recipe, moves)):
        if number % EVERY == 0:
            yield move.before


def figures(brings: str) -> dict[str, int]:
    """`+4 VP, -6 cattle` by what it counts."""
    return {what: int(by) for by, what in re.findall(r"([+-]\d+) (VP|VR|cattle)\b", brings)}


def accept(state: State, command: AnyCommand) -> Accepted:
    seat = state.actor or ""
    answer = GAME.rules.decide(state, seat, command)
    assert isinstance(answer, Accepted), (GAME.notation.format(command), answer)
    return answer


def changes(state: State, after: State) -> dict[str, int]:
    seat = state.actor or ""
    return {
        "VP": after.vp[seat] - state.vp[seat],
        "VR": after.vr[seat] - state.vr[seat],
        "cattle": after.cattle[seat] - state.cattle[seat],
    }


def check_advice(state: State, advice: Advice) -> None:
    command = GAME.notation.parse(advice.text, state)[1]
    answer = accept(state, command)
    if isinstance(command, Give | Pass):
        check_bid(state, answer.state, advice)
        return
    if isinstance(command, Build | Start | Adore | Hire | PlaceCraftsman | Raise):
        counts = Counter[str]()
        for each in advice.brings:
            counts.update(figures(each))
        for what, by in changes(state, answer.state).items():
            assert counts[what] == by or (isinstance(command, Start) and what == "VP"), (advice, what, by)
    if isinstance(command, Raise):
        check_raise(state, answer, advice)


def check_bid(state: State, after: State, advice: Advice) -> None:
    seat = state.actor or ""
    end = all_pass(after)
    place, players = re.findall(r"turn (\d+) of (\d+)", advice.brings[0])[0]
    left, gained = re.findall(r"(\d+) cattle left and (\d+) from", advice.brings[1])[0]
    assert (end.order.index(seat) + 1, len(end.order)) == (int(place), int(players))
    assert end.cattle[seat] == int(left) + int(gained)


def check_raise(state: State, answer: Accepted, advice: Advice) -> None:
    seat = state.actor or ""
    paid = Counter[str]()
    for event in answer.events:
        if isinstance(event, CattlePaid):
            paid["hubs" if event.reason == "hubs" else event.payee.partition("/")[0]] += event.amount
    names = {seat: "yourself", "hubs": "hubs"}
    text = next(each for each in advice.brings if each.startswith("pays ")).removeprefix("pays ")
    assert {*text.split(", ")} == {f"{names.get(who, who.title())} {cattle}" for who, cattle in paid.items()}
    drained = "; ".join(each for each in advice.brings if each.startswith("takes the last "))
    for craftsman in state.craftsmen:
        name = f"{craftsman.owner.title()}'s {craftsman.type} at {craftsman.at}"
        left_without = works_for_later(state, craftsman) and not works_for_later(answer.state, craftsman)
        assert (name in drained) == (left_without and craftsman.owner != seat), (advice, name)


def works_for_later(state: State, craftsman: Craftsman) -> bool:
    """Whether some player whose turn is still to come could use a resource of a craftsman: asked in their turn."""
    order = state.order
    for later in order[order.index(state.turn.seat) + 1 :]:
        theirs = state.in_turn_of(later)
        near = theirs.resources_near(craftsman.zone, CRAFTSMEN[craftsman.type].resource)
        if any(markers_left(theirs, later, square) > 0 for square in theirs.board.names(near)):
            return True
    return False


@settings(max_examples=12)
@for_all(recipes())
def test_what_advice_says_is_what_happens(recipe: Recipe) -> None:
    for state in looked_at(recipe):
        for beginning in ("", "raise", "craft", "hire"):
            for advice in GAME.questions.advice(state, state.actor or "", beginning)[:12]:
                check_advice(state, advice)


@settings(max_examples=12)
@for_all(recipes())
def test_a_preview_names_the_broken_rules_first_and_else_says_what_happens(recipe: Recipe) -> None:
    chance = Random(recipe.seed)
    for move in play(recipe, 90):
        state, command, seat = move.before, move.command, move.before.actor or ""
        if not isinstance(command, PlaceCraftsman | Raise):
            continue
        consequences = list(GAME.questions.ask(state, "preview", GAME.notation.format(command).split()))
        assert consequences[0].title != "Not legal now"
        check_preview(
            state, move.outcome, command, " ".join(" ".join(row) for row in consequences[0].rows), consequences[0].title
        )
        wrong = spoilt(state, command, chance)
        answer = GAME.rules.decide(state, seat, wrong)
        tables = list(GAME.questions.ask(state, "preview", GAME.notation.format(wrong).split()))
        first = tables[0] if tables else None
        assert (first is not None and first.title == "Not legal now") == isinstance(answer, Refused)
        if isinstance(answer, Refused) and first:
            assert [row[0] for row in first.rows] == [each.code for each in answer.refusals]


def check_preview(state: State, outcome: Accepted, command: AnyCommand, text: str, title: str) -> None:
    by = changes(state, outcome.state)
    if isinstance(command, Raise):
        assert title == f"{-by['cattle']} cattle"
        return
    assert f"cost {-by['cattle']} cattle" in text
    assert f"VP +{by['VP']}" in text
    assert f"VR {by['VR']:+}" in text


def spoilt(state: State, command: PlaceCraftsman | Raise, chance: Random) -> AnyCommand:
    """The command with something changed: other squares, or the goods of another monument's raise twice."""
    if isinstance(command, Raise):
        return Raise((*command.rituals, command.rituals[0]))
    corner = chance.choice(list(state.board.square))
    return PlaceCraftsman(command.type, (corner, *command.squares[1:]), command.price)


@settings(max_examples=12)
@for_all(recipes())
def test_cards_say_the_vr_that_is_charged_and_who_can_have_them(recipe: Recipe) -> None:
    for move in play(recipe, 90):
        if isinstance(move.command, Adore | Hire):
            state, seat = move.before, move.before.actor or ""
            name = move.command.god if isinstance(move.command, Adore) else move.command.specialist
            [card] = GAME.questions.ask(state, "cards", [name])
            rebate = sum(card_.vr for card_ in state.technologies_of(seat).values()) - sum(
                card_.vr for card_ in move.outcome.state.technologies_of(seat).values()
            )
            assert int(card.rows[0][1]) == move.outcome.state.vr[seat] - state.vr[seat] + rebate


@settings(max_examples=12)
@for_all(recipes())
def test_what_a_refusal_proposes_is_legal(recipe: Recipe) -> None:
    chance, played = Random(recipe.seed), list[AnyCommand]()
    for move in play(recipe, 60):
        played.append(move.command)
        state, seat = move.before, move.before.actor or ""
        for command in chance.sample(played, min(3, len(played))):
            answer = GAME.rules.decide(state, seat, command)
            for hint in answer.hints if isinstance(answer, Refused) else ():
                accept(state, GAME.notation.parse(hint, state)[1])
