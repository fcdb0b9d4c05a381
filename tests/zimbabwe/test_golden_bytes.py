"""The bytes of every event and command of The Great Zimbabwe as they lie in stores, see `golden_bytes`."""

import msgspec
import pytest

from event_store.codec import tag_of
from tests.golden_bytes import GoldenBytes
from zimcore.games.zimbabwe import GAME, commands, events

SCULPTURE = commands.Good(commands.Supply("sculptor", "c2", "a1"), commands.Supply("wood_carver", "c7", "a8"))

EXAMPLES: list[msgspec.Struct] = [
    commands.SetUp(7, (("players", "3"),)),
    commands.Start("c3"),
    commands.Give(3),
    commands.Pass(),
    commands.Adore("eshu"),
    commands.Hire("shaman", 2, "wood", ("d4",)),
    commands.Use("rain_ceremony", 3, "wood", ("d4", "d5")),
    commands.Build(("d7", "f9")),
    commands.PlaceCraftsman("potter", ("d4", "d5"), 2),
    commands.SetPrices((("potter", 3), ("sculptor", 2))),
    commands.Raise((commands.Ritual("e5", (SCULPTURE, commands.Good(commands.Supply("potter", "b1", "a2")))),)),
    commands.EndTurn(),
    events.Played("kilwa", commands.Give(3)),
    events.GameSetUp(
        seats=("kilwa", "zulu"),
        rows=("S.~C", "WI D"),
        order=("zulu", "kilwa"),
        gods={"eshu": 4, "xango": -2},
        specialists={"herd": 6},
        seed=7,
        tiles=((0, 1), (5, 3)),
        xango="absolute",
        dziva="turn-start",
        max_rounds=12,
        qamata="always",
        shadipinyi="always",
        names={"kilwa": "Ann"},
    ),
    events.HouseRulesChosen({"gu": "one-move"}),
    events.RoundBegun(2, ("shadipinyi", "zulu", "kilwa")),
    events.GiftGiven("kilwa", 3),
    events.CattlePaid("kilwa", "zulu/potter", 2, "potter"),
    events.Passed("zulu", forced=True),
    events.OrderSet(("kilwa", "zulu")),
    events.TurnBegun("kilwa"),
    events.TurnEnded("kilwa"),
    events.ActionTaken("kilwa", "craft"),
    events.GodAdored("kilwa", "eshu"),
    events.SpecialistHired("kilwa", "herd"),
    events.SpecialistUsed("kilwa", "herd"),
    events.ResourcePlaced("kilwa", "wood", "d4"),
    events.WaterPlaced("kilwa", ("d4", "d5")),
    events.MonumentBuilt("kilwa", "c3"),
    events.TechnologyTaken("kilwa", "potter", 1, 3),
    events.TechnologyRebated("kilwa", "potter", 1),
    events.CraftsmanPlaced("kilwa", "potter", ("d4", "d5")),
    events.PriceSet("kilwa", "potter", 2),
    events.GoodMade("kilwa", "potter", "d4", "c1"),
    events.MonumentRaised("kilwa", "c3", 2),
    events.VPScored("kilwa", 2, "monument c3"),
    events.VRChanged("kilwa", -4, "rebate of gu"),
    events.MythologiesCompared(("zulu", "kilwa"), "zulu"),
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
