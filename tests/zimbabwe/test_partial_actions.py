"""The main action may be played in one command or in several: the same facts follow.

Tried in random games; test_legal.py tests that `legal` works in the middle of such an action.
"""

from collections import Counter
from collections.abc import Iterator

from hypothesis import given as for_all
from hypothesis import note, settings
from msgspec.structs import replace

from tests.zimbabwe.random_play import Recipe, play, recipes
from zimcore.game import Accepted, Event
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import AnyCommand, Build, PlaceCraftsman, Raise, SetPrices
from zimcore.games.zimbabwe.legal import LegalCommands
from zimcore.games.zimbabwe.state import State


def parts_of(command: AnyCommand) -> list[AnyCommand]:
    """The command in parts: monument by monument, and the price of a new technology after its tile."""
    match command:
        case Build(squares=squares):
            return [Build((square,)) for square in squares]
        case Raise(rituals=rituals):
            return [Raise((ritual,)) for ritual in rituals]
        case PlaceCraftsman(type=type_, price=int(price)):
            return [replace(command, price=None), SetPrices(((type_, price),))]
    return [command]


def play_commands(state: State, commands: list[AnyCommand]) -> tuple[list[Event], State]:
    """All facts that follow from commands of the actor, one after another, and the position then."""
    events: list[Event] = []
    for command in commands:
        decision = GAME.rules.decide(state, state.actor or "", command)
        assert isinstance(decision, Accepted), (GAME.notation.format(command), decision)
        events += decision.events
        state = decision.state
    return events, state


def commands_with_parts(state: State) -> Iterator[AnyCommand]:
    """The legal commands that have several parts, a few of each kind."""
    legal_commands = LegalCommands(state)
    for kind in {"build", "craft", "raise"} & set(legal_commands.kinds):
        divisible_commands = [command for command in legal_commands.of_kind(kind) if len(parts_of(command)) > 1]
        yield from (*divisible_commands[:3], *divisible_commands[-3:])


@settings(max_examples=10)
@for_all(recipes())
def test_the_same_facts_follow_from_parts_and_from_the_whole(recipe: Recipe) -> None:
    for move in play(recipe, 150):
        if not isinstance(move.command, (Build, PlaceCraftsman, Raise)):
            continue
        for command in commands_with_parts(move.state_before):
            note(GAME.notation.format(command))
            events_of_whole, state_after_whole = play_commands(move.state_before, [command])
            events_of_parts, state_after_parts = play_commands(move.state_before, parts_of(command))
            assert events_of_parts == events_of_whole or isinstance(command, PlaceCraftsman)
            assert Counter(events_of_parts) == Counter(events_of_whole)
            assert GAME.evolution.canonical(state_after_parts) == GAME.evolution.canonical(state_after_whole)


def test_random_games_have_actions_of_several_parts() -> None:
    recipe = Recipe({"players": "3", "gods": "obatala"}, 12, 1)
    command_types = {type(command) for move in play(recipe, 250) for command in commands_with_parts(move.state_before)}
    assert command_types == {Build, PlaceCraftsman, Raise}
