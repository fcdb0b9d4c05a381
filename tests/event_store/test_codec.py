"""Topics, bytes, and a form that changes twice: what the first release stored, the third one reads."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec
import pytest

from event_store import DamagedError, Forms
from event_store.codec import Codec, UnknownTopicError, Upcaster, encode


class GiftV1(msgspec.Struct, frozen=True, tag_field="event", tag="gift_given.1"):
    who: str
    cows: int


class GiftV2(msgspec.Struct, frozen=True, tag_field="event", tag="gift_given.2"):
    seat: str
    cattle: int


class Gift(msgspec.Struct, frozen=True, tag_field="event", tag="gift_given.3"):
    seat: str
    amount: int
    reasons: tuple[str, ...]


def rename_fields(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "gift_given.2", {"seat": fields["who"], "cattle": fields["cows"]}


def add_reasons(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "gift_given.3", {"seat": fields["seat"], "amount": fields["cattle"], "reasons": ["generosity"]}


def codec_of_release(event_type: type[msgspec.Struct], **upcasters: Upcaster) -> Codec:
    codec = Codec()
    codec.register(
        "zim", lambda: Forms((event_type,), {tag.replace("__", "."): upcaster for tag, upcaster in upcasters.items()})
    )
    return codec


CODEC_V1 = codec_of_release(GiftV1)
CODEC_V2 = codec_of_release(GiftV2, gift_given__1=rename_fields)
CODEC_V3 = codec_of_release(Gift, gift_given__1=rename_fields, gift_given__2=add_reasons)


def decode(codec: Codec, topic: str, content: bytes) -> msgspec.Struct:
    return codec.decode(topic, content, stream="a", revision=7)


def test_a_topic_is_a_kind_and_a_tag() -> None:
    assert CODEC_V1.encode(GiftV1("kilwa", 3))[0] == "zim.gift_given.1"


def test_an_encoded_event_is_decoded() -> None:
    gift = Gift("kilwa", 3, ("a", "b"))
    assert decode(CODEC_V3, *CODEC_V3.encode(gift)) == gift


def test_each_release_reads_what_those_before_it_stored() -> None:
    first_row, second_row = CODEC_V1.encode(GiftV1("kilwa", 3)), CODEC_V2.encode(GiftV2("zulu", 2))
    assert decode(CODEC_V2, *first_row) == GiftV2("kilwa", 3)
    assert decode(CODEC_V3, *first_row) == Gift("kilwa", 3, ("generosity",))
    assert decode(CODEC_V3, *second_row) == Gift("zulu", 2, ("generosity",))


def test_a_release_does_not_know_what_a_later_one_stores() -> None:
    with pytest.raises(DamagedError, match=r"'zim\.gift_given\.2'") as error:
        decode(CODEC_V1, *CODEC_V2.encode(GiftV2("zulu", 2)))
    assert error.value.hints == ("pip install --upgrade great-zim",)


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x80", encode({"event": "gift_given.3"}), encode([1, 2])])
def test_bytes_that_are_no_event_are_damage(content: bytes) -> None:
    with pytest.raises(
        DamagedError, match=r"stream a is damaged at revision 7: these bytes are not a zim\.gift_given\.3"
    ):
        decode(CODEC_V3, "zim.gift_given.3", content)


@pytest.mark.parametrize("content", [b"", encode({"event": "gift_given.1", "who": "kilwa"}), encode(3)])
def test_old_bytes_that_are_no_event_are_damage(content: bytes) -> None:
    with pytest.raises(DamagedError, match=r"these bytes are not a zim\.gift_given\.1"):
        decode(CODEC_V3, "zim.gift_given.1", content)


def test_an_upcaster_that_leads_to_no_form_is_damage() -> None:
    with pytest.raises(DamagedError, match=r"gift_given\.2"):
        decode(codec_of_release(Gift, gift_given__1=rename_fields), *CODEC_V1.encode(GiftV1("kilwa", 3)))


@pytest.mark.parametrize("topic", ["", "zim", "zim.", "chess.moved.1", "os.system.1", "zim.gift_given.9"])
def test_an_unregistered_topic_is_damage(topic: str) -> None:
    with pytest.raises(DamagedError, match="there is no event called"):
        decode(CODEC_V3, topic, b"")


def test_a_kind_is_loaded_when_its_first_topic_is_met() -> None:
    loaded_kinds = []

    def load_kind(kind: str, event_type: type[msgspec.Struct]) -> Forms:
        loaded_kinds.append(kind)
        return Forms((event_type,))

    codec = Codec()
    codec.register("one", lambda: load_kind("one", GiftV1))
    codec.register("two", lambda: load_kind("two", GiftV2))
    assert loaded_kinds == []
    for _ in range(2):
        decode(codec, "two.gift_given.2", encode(GiftV2("zulu", 2)))
    assert loaded_kinds == ["two"]


def test_an_event_of_no_kind_is_a_mistake() -> None:
    with pytest.raises(UnknownTopicError, match="GiftV2"):
        CODEC_V1.encode(GiftV2("zulu", 2))


def test_equal_events_have_equal_bytes() -> None:
    class Dealt(msgspec.Struct, frozen=True, tag_field="event", tag="dealt.1"):
        cards: dict[str, int]

    assert encode(Dealt({"a": 1, "b": 2})) == encode(Dealt({"b": 2, "a": 1}))


def test_only_topics_that_are_decoded_get_a_decoder() -> None:
    class Sold(msgspec.Struct, frozen=True, tag_field="event", tag="sold.1"):
        seat: str

    codec = Codec()
    codec.register("zim", lambda: Forms((Gift, Sold)))
    topic, content = codec.encode(Sold("zulu"))
    assert decode(codec, topic, content) == Sold("zulu")
    assert set(codec.decoders) == {"zim.sold.1"}
    assert codec.knows("zim.gift_given.3")


TWO_THREADS = """
import sys
from threading import Barrier, Thread
from typing import Union
import msgspec
from event_store import Forms
from event_store.codec import Codec, encode

sys.setswitchinterval(1e-6)

def decode(event_type, content, barrier):
    codec = Codec()
    codec.register("zim", lambda: Forms((event_type,)))
    barrier.wait()
    assert codec.decode("zim.whole.1", content, stream="a", revision=7).part.cows == 3

for number in range(60):
    fields = [("cows", "int"), ("to", "tuple[str, ...]")]
    parts = [msgspec.defstruct(f"Part{at}", fields, tag=f"{at}") for at in range(20)]
    whole = msgspec.defstruct("Whole", [("part", Union[tuple(parts)])], tag_field="event", tag="whole.1")
    barrier = Barrier(2)
    threads = [Thread(target=decode, args=(whole, encode(whole(parts[7](3, ()))), barrier)) for _ in range(2)]
    [each.start() for each in threads]
    [each.join() for each in threads]
print("alive")
"""


def test_two_threads_that_first_decode_an_event_at_once_do_not_end_the_process() -> None:
    process = subprocess.run([sys.executable, "-c", TWO_THREADS], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (0, "alive\n", "")
