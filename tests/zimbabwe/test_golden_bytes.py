"""The bytes of every event and command as they lie in stores: what was written once can be read for ever.

`../data/zimbabwe_events.json` has, for each tag, stored bytes and the fields that they stand for: once with all fields
told and once with only those that have no default. A form that changes unseen, a default included, fails here.

To add a new event or command, or a new version of one under a new tag: put an example of it into `EXAMPLES` and run
`ZIM_GOLDEN=write pytest tests/zimbabwe/test_golden_bytes.py`. That adds what is missing and rewrites nothing. The old
tag and its bytes stay in the file, with the fields that its upcaster makes of them today.
"""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from event_store.codec import Codec, Forms, encode, tag_of
from zimcore.game import Command
from zimcore.zimbabwe import GAME
from zimcore.zimbabwe import commands as c
from zimcore.zimbabwe import events as e

FILE = Path(__file__).parent.with_name("data") / "zimbabwe_events.json"
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
    ),
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
FORMS: dict[str, type[msgspec.Struct]] = {tag_of(type(example)): type(example) for example in EXAMPLES}


def least(example: msgspec.Struct) -> msgspec.Struct:
    """The example with only the fields that it has to have."""
    fields = msgspec.structs.fields(example)
    return type(example)(**{field.name: getattr(example, field.name) for field in fields if field.required})


def fields_of(value: msgspec.Struct) -> dict[str, Any]:
    """All fields, those left at their defaults too, as JSON has them."""
    fields: dict[str, Any] = json.loads(msgspec.json.encode(msgspec.structs.asdict(value)))
    return fields


def entries(example: msgspec.Struct) -> list[dict[str, Any]]:
    """What the file has for an example: with all fields, and where that is something else, with the least."""
    values = [example] if least(example) == example else [example, least(example)]
    return [{"bytes": encode(value).hex(), "fields": fields_of(value)} for value in values]


def read(tag: str, stored: bytes) -> msgspec.Struct:
    """What a store reads: an event by its topic, of today or of the past; a command as it lies inside of `Played`."""
    if tag in FORMS and tag_of(FORMS[tag]) not in {tag_of(event) for event in GAME.events}:
        return msgspec.msgpack.decode(stored, type=FORMS[tag])
    codec = Codec()
    codec.register(GAME.name, lambda: Forms(tuple(GAME.events), GAME.upcasters))
    return codec.decode(f"{GAME.name}.{tag}", stored, stream="golden", revision=0)


def golden() -> dict[str, list[dict[str, Any]]]:
    """The file, with what is missing in it added when that was asked for."""
    stored: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    if os.environ.get("ZIM_GOLDEN") == "write":
        stored = {tag_of(type(each)): entries(each) for each in EXAMPLES} | stored
        lines = (f"{json.dumps(tag)}: {json.dumps(stored[tag])}" for tag in sorted(stored))
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return stored


GOLDEN = golden()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: tag_of(type(example)))
def test_a_form_is_written_as_ever(example: msgspec.Struct) -> None:
    assert entries(example) == GOLDEN[tag_of(type(example))], "a changed form needs a new tag"


@pytest.mark.parametrize("tag", GOLDEN)
def test_what_was_written_is_read_for_ever(tag: str) -> None:
    for stored in GOLDEN[tag]:
        assert fields_of(read(tag, bytes.fromhex(stored["bytes"]))) == stored["fields"]


def test_every_event_and_command_has_an_example_with_all_its_fields() -> None:
    commands = {tag_of(form) for form in Command.__subclasses__() if form.__module__ == c.__name__}
    assert FORMS.keys() == commands | {tag_of(event) for event in GAME.events}
    for example in EXAMPLES:
        told = {field.name for field in msgspec.structs.fields(example)}
        assert told == msgspec.msgpack.decode(encode(example)).keys() - {"do", "event"}, "a default is not told"
