"""The bytes of the events in which names, discussions and leagues are stored: see `golden`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import msgspec

from event_store.codec import Codec, encode
from tests.event_store.golden import check_golden
from zimcore.service.records.bindings import KeyChanged, SeatBound
from zimcore.service.records.discussion import (
    DISCUSSION_EVENTS,
    HelpAgreed,
    NoticeSent,
    NoticesWanted,
    OrderEnded,
    OrderGiven,
    Said,
    TakebacksAgreed,
)
from zimcore.service.records.fair_deal import Dealt, ShareAdded, TableOpened
from zimcore.service.records.league import (
    LeagueClosed,
    LeagueEvent,
    LeagueOpened,
    PairedTable,
    PlayerEntered,
    PlayerWithdrew,
    ResultCorrected,
    ResultRecorded,
    RoundClosed,
    RoundPaired,
)
from zimcore.service.records.memberships import (
    GameDecided,
    GameEnded,
    GameHosted,
    GameResumed,
    HouseRulesAgreed,
    HouseRulesSet,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    TermsSet,
    TimeGiven,
    TokenGiven,
    TokenRevoked,
)
from zimcore.service.records.names import (
    BotSeated,
    GameArchived,
    GameDeleted,
    GameNamed,
    GameRemoved,
    GameRestored,
    ImportedAsRecorded,
    LeagueNamed,
    LineForgotten,
    LineNamed,
    LineRenamed,
    LineSwitched,
    NameEvent,
    PositionTagged,
    TagRemoved,
    forms,
)

EXPIRY = datetime(2024, 5, 1, tzinfo=UTC)


class OldBotSeated(msgspec.Struct, frozen=True, tag_field="event", tag="bot_seated.1"):
    """The event as it was stored before programs had seats on other lines."""

    seat: str
    bot: str


class OldLineSwitched(msgspec.Struct, frozen=True, tag_field="event", tag="line_switched.1"):
    """A form of the past: until then one line was current for all."""

    name: str


def test_the_bytes_of_a_form_do_not_change() -> None:
    examples = [
        GameNamed("kilwa-7", "zimbabwe", "5f3a"),
        GameArchived("kilwa-7"),
        GameDeleted("kilwa-7"),
        GameRestored("kilwa-7"),
        GameRemoved("kilwa-7", ("5f3a", "5f3b")),
        LineNamed("main", "5f3b"),
        OldLineSwitched("what-if"),
        LineSwitched("what-if", "ann", "zulu"),
        LineRenamed("what-if", "eshu"),
        LineForgotten("eshu"),
        PositionTagged("opening", "5f3b", bytes(range(16))),
        TagRemoved("opening"),
        ImportedAsRecorded(bytes(range(16)), "fact 2 was 'kilwa pays 2' and would be nothing today"),
        OldBotSeated("zulu", "strong:nodes=500"),
        BotSeated("zulu", "strong:nodes=500", "5f3b"),
        SeatBound("zulu", "0f" * 32, {"5f3b": 12}),
        KeyChanged("zulu", "1e" * 32, {"5f3b": 15}, bytes(64), bytes(range(64))),
        TableOpened("zimbabwe", {"players": "2"}, ("kilwa", "zulu"), bytes(range(32))),
        ShareAdded("zulu", bytes(range(32))),
        Dealt("5f3b"),
        GameHosted("anna", public=True),
        SeatOffered("zulu", "a1b2", bytes(range(32)), EXPIRY, bot=True),
        SeatTaken("zulu", "a1b2", "ben", "c3d4", bytes(range(32)), EXPIRY, ("read",), True, "0f"),
        SeatLeft("zulu"),
        TokenGiven("e5f6", "spectator", "hall", bytes(range(32)), EXPIRY, ("read",)),
        TokenRevoked("e5f6"),
        Said("well played", "zulu", bytes(range(16))),
        TakebacksAgreed("never"),
        HelpAgreed(False),
        OrderGiven("bid up to 4", "zulu"),
        OrderEnded(3, "taken back"),
        NoticesWanted("mail", {"address": "anna@zim.example"}),
        NoticeSent(("turn 0f", "request 2")),
        TermsSet(10, 7200, 259200, 604800),
        TimeGiven("zulu"),
        GameEnded(),
        GameDecided("zulu"),
        GameResumed(),
        HouseRulesSet({"xango": "absolute"}),
        HouseRulesAgreed("zulu", "xango=absolute"),
        LeagueNamed("cup", "5f3c"),
        LeagueOpened("cup", "nim", {"stones": "9"}, "swiss", 3, 4, 5, "hanna", True, 259200, 604800),
        PlayerEntered("robo", "strong:nodes=500"),
        PlayerWithdrew("robo"),
        RoundPaired(1, 7, (PairedTable("cup-r1-t1", "5f3d", ("kilwa", "zulu"), ("anna", "ben")),), ("robo",)),
        ResultRecorded("cup-r1-t1", {"anna": 2, "ben": 1}, {"anna": 7, "ben": None}, bytes(range(16)), True),
        ResultCorrected("cup-r1-t1", {"anna": 1, "ben": 2}, "ben was out of time"),
        RoundClosed(1),
        LeagueClosed(),
    ]
    check_golden(Path(__file__).with_name("golden.json"), examples)
    assert {*DISCUSSION_EVENTS, *get_args(NameEvent), *get_args(LeagueEvent)} <= {*map(type, examples)}


def test_a_bot_of_an_old_event_plays_the_first_line() -> None:
    codec = Codec()
    codec.register("names", forms)
    content = encode(OldBotSeated("zulu", "quick"))
    event = codec.decode("names.bot_seated.1", content, stream="names", revision=3)
    assert event == BotSeated("zulu", "quick", line="")


def test_an_old_switch_is_that_of_its_author() -> None:
    codec = Codec()
    codec.register("names", forms)
    content = encode(OldLineSwitched("what-if"))
    event = codec.decode("names.line_switched.1", content, stream="names", revision=3)
    assert event == LineSwitched("what-if", by="", seat="")
