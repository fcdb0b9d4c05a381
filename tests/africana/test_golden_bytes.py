"""The bytes of every event and command of Africana as they lie in stores, see `golden_bytes`."""

import msgspec
import pytest

from event_store.codec import tag_of
from tests.golden_bytes import GoldenBytes
from zimcore.games.africana import GAME, commands, events
from zimcore.games.africana.components import (
    Adventure,
    Bonus,
    Books,
    Collection,
    Company,
    Components,
    Costs,
    Expedition,
    Limits,
    Location,
    Route,
    Scoring,
)

BOX = Components(
    title="a small box",
    colours=("gray", "orange"),
    artifacts=("drum", "mask"),
    backs=("A", "B"),
    travel_cards={"gray": 12, "orange": 12},
    assistants={"gray": 2, "orange": 2},
    jokers=4,
    companies=(Company("italy", "white", "napoli", 2, "rulebook"),),
    bonuses=(Bonus(1, 0, "rulebook"), Bonus(0, 1)),
    locations=(Location("napoli", "Napoli", "north", ("gray", "orange"), (24, 0), "rulebook"),),
    routes=(Route(("napoli", "cairo"), ((30, 2),), "invented"),),
    expeditions=(Expedition("A01", "A", "napoli", "cairo", 5, 2, "invented"),),
    adventures=(
        Adventure("N01", "north", "cairo", artifact="drum", silver=4, vp=3, source="invented"),
        Adventure("S01", "south", "napoli", assistant="gray"),
    ),
    limits=Limits((2, 4), 5, 3, 4, 2),
    costs=Costs(5, 1, 5),
    books=Books(1),
    removed={"2": 10, "4": 4},
    scoring=Scoring((0, 0, -5), 10, 2, 1, (Collection("identical", 2, 6),)),
)

EXAMPLES: list[msgspec.Struct] = [
    commands.SetUp(7, (("players", "3"),), BOX),
    commands.Draw(),
    commands.TurnPage("north", "left"),
    commands.Buy("south", "right"),
    commands.Move("cairo", "gray", recoloured=True),
    commands.Join("A03"),
    commands.EndExpedition("A03"),
    commands.EndAdventure("N05"),
    commands.Discard(("gray", "joker"), ("N05",)),
    commands.EndTurn(),
    commands.Redeal("italy", 7),
    events.Played("italy", commands.Move("cairo", "gray")),
    events.GameSetUp(
        seats=("italy", "france"),
        components=BOX,
        pile=("gray", "orange"),
        books={"north": ("N01",), "south": ("S01", "S02")},
        stack=("B01", "A01"),
        removed=("C01",),
        seed=7,
        score="hidden",
        seen_by="italy",
        names={"italy": "Ann"},
    ),
    events.HouseRulesChosen({"bonus": "first"}),
    events.SilverPaid("bank", "italy", 2, "start"),
    events.RoundBegun(2),
    events.TurnBegun("italy"),
    events.ActionChosen("italy", "move"),
    events.CardsDrawn("italy", ("gray", "orange")),
    events.PileShuffled(("gray", "orange"), 1),
    events.PageTurned("italy", "north", "left", "N01", "N02"),
    events.AdventureBought("italy", "north", "left", "N01", "N02"),
    events.ExplorerMoved("italy", "napoli", "cairo", "gray", recoloured=True),
    events.ExpeditionJoined("italy", "A03", 2),
    events.ExpeditionEnded("italy", "A03", 2),
    events.AdventureEnded("italy", "N01"),
    events.AssistantTaken("italy", "gray"),
    events.TableCleared("italy", ("gray",), ("joker",)),
    events.ActionEnded("italy"),
    events.CardsDiscarded("italy", ("gray", "joker")),
    events.AdventuresDiscarded("italy", ("N01",)),
    events.ExpeditionLaid("A03", 2),
    events.EndTriggered(),
    events.TurnEnded("italy"),
    events.PlayerScored("italy", 20, 8, 6, -5, 2, 1, 1),
    events.GameEnded(("italy", "france")),
    events.UnknownRedealt(
        "italy", {"france": ("gray", "joker")}, ("orange",), {"north": ("N02", "N01")}, ("B01",), ("C01",), 9
    ),
]
GOLDEN_BYTES = GoldenBytes(GAME, EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: tag_of(type(example)))
def test_a_form_is_written_as_before(example: msgspec.Struct) -> None:
    GOLDEN_BYTES.check_written(example)


@pytest.mark.parametrize("tag", GOLDEN_BYTES.stored_entries)
def test_stored_bytes_stay_readable(tag: str) -> None:
    GOLDEN_BYTES.check_read(tag)


def test_every_event_and_command_has_an_example_with_all_its_fields() -> None:
    GOLDEN_BYTES.check_complete(commands.__name__)
