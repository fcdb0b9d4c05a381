"""The bytes of every event and command of The Great Zimbabwe as they lie in stores, see `golden_bytes`."""

import msgspec
import pytest

from event_store.codec import tag_of
from tests.golden_bytes import Golden
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe import commands as c
from zimcore.games.zimbabwe import events as e

MADE_OF = c.Good(c.Supply("sculptor", "c2", "a1"), c.Supply("wood_carver", "c7", "a8"))

EXAMPLES: list[msgspec.Struct] = [
    c.SetUp(7, (("players", "3"),)),
    c.Start("c3"),
    c.Give(3),
    c.Pass(),
    c.Adore("eshu"),
    c.Hire("shaman", 2, "wood", ("d4",)),
    c.Use("rain_ceremony", 3, "wood", ("d4", "d5")),
    c.Build(("d7", "f9")),
    c.PlaceCraftsman("potter", ("d4", "d5"), 2),
    c.SetPrices((("potter", 3), ("sculptor", 2))),
    c.Raise((c.Ritual("e5", (MADE_OF, c.Good(c.Supply("potter", "b1", "a2")))),)),
    c.EndTurn(),
    e.Played("kilwa", c.Give(3)),
    e.GameSetUp(
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
    e.HouseRulesChosen({"gu": "one-move"}),
    e.RoundBegun(2, ("shadipinyi", "zulu", "kilwa")),
    e.GiftGiven("kilwa", 3),
    e.CattlePaid("kilwa", "zulu/potter", 2, "potter"),
    e.Passed("zulu", forced=True),
    e.OrderSet(("kilwa", "zulu")),
    e.TurnBegun("kilwa"),
    e.TurnEnded("kilwa"),
    e.ActionTaken("kilwa", "craft"),
    e.GodAdored("kilwa", "eshu"),
    e.SpecialistHired("kilwa", "herd"),
    e.SpecialistUsed("kilwa", "herd"),
    e.ResourcePlaced("kilwa", "wood", "d4"),
    e.WaterPlaced("kilwa", ("d4", "d5")),
    e.MonumentBuilt("kilwa", "c3"),
    e.TechnologyTaken("kilwa", "potter", 1, 3),
    e.TechnologyRebated("kilwa", "potter", 1),
    e.CraftsmanPlaced("kilwa", "potter", ("d4", "d5")),
    e.PriceSet("kilwa", "potter", 2),
    e.GoodMade("kilwa", "potter", "d4", "c1"),
    e.MonumentRaised("kilwa", "c3", 2),
    e.VPScored("kilwa", 2, "monument c3"),
    e.VRChanged("kilwa", -4, "rebate of gu"),
    e.MythologiesCompared(("zulu", "kilwa"), "zulu"),
]
GOLDEN = Golden(GAME, EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: tag_of(type(example)))
def test_a_form_is_written_as_before(example: msgspec.Struct) -> None:
    GOLDEN.check_written(example)


@pytest.mark.parametrize("tag", GOLDEN.stored)
def test_stored_bytes_stay_readable(tag: str) -> None:
    GOLDEN.check_read(tag)


def test_every_event_and_command_has_an_example_with_all_its_fields() -> None:
    GOLDEN.check_complete(c.__name__)
