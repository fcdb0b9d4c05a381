"""Text and commands: any unambiguous beginning of a word in, canonical notation out."""

import contextlib

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from tests.decider_kit import Facts
from tests.zimbabwe.facts import bidding, cattle, craftsman, monument, turn_of
from tests.zimbabwe.kit import given
from zimcore.game import AmbiguousError, NotationError, Refused
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import (
    Adore,
    AnyCommand,
    Build,
    EndTurn,
    Give,
    Good,
    Hire,
    Pass,
    PlaceCraftsman,
    Raise,
    Ritual,
    SetPrices,
    SetUp,
    Start,
    Supply,
    Use,
)
from zimcore.games.zimbabwe.legal import KINDS
from zimcore.games.zimbabwe.notation.commands import PHASES, SYNTAX

FACTS: Facts = [cattle(kilwa=9), craftsman("zulu", "potter", "b1-c1"), monument("kilwa", "f1"), turn_of("kilwa")]
STATE = given("C......... .......... .........C", FACTS).state
SCULPTURE = Good(Supply("sculptor", "c2", "a1"), Supply("wood_carver", "c7", "a8"))

CANONICAL_TEXTS: list[tuple[AnyCommand, str]] = [
    (Start("c3"), "start c3"),
    (Give(3), "bid 3"),
    (Pass(), "pass"),
    (Adore("tsui_goab"), "adore tsui_goab"),
    (Hire("herd", 4), "hire herd 4"),
    (Hire("shaman", resource="wood", squares=("d4",)), "hire shaman wood d4"),
    (Hire("rain_ceremony", squares=("d4", "d5")), "hire rain_ceremony d4-d5"),
    (Use("builder"), "use builder"),
    (Build(("d7", "f9")), "build d7 f9"),
    (PlaceCraftsman("potter", ("d4", "d5"), 2), "craft potter d4-d5 price 2"),
    (PlaceCraftsman("sculptor", ("d4", "e4", "d5", "e5")), "craft sculptor d4"),
    (SetPrices((("potter", 3), ("sculptor", 2))), "price potter 3 sculptor 2"),
    (Raise((Ritual("c3", (SCULPTURE,)),)), "raise c3 sculptor@c2/a1(wood_carver@c7/a8)"),
    (
        Raise((Ritual("c3", (Good(Supply("potter", "b1", "a1")), SCULPTURE)), Ritual("e5", ()))),
        "raise c3 potter@b1/a1 sculptor@c2/a1(wood_carver@c7/a8); e5",
    ),
    (EndTurn(), "end"),
]


@pytest.mark.parametrize(("command", "text"), CANONICAL_TEXTS, ids=[text for _, text in CANONICAL_TEXTS])
def test_a_command_has_one_text_and_is_read_back_from_it(command: AnyCommand, text: str) -> None:
    assert GAME.notation.format(command) == text
    assert GAME.notation.parse(text, STATE) == (None, command)


def test_every_kind_of_command_has_an_example_that_is_read() -> None:
    assert {text.split()[0] for _, text in CANONICAL_TEXTS} == SYNTAX.keys()
    for examples in SYNTAX.values():
        for example in examples.split(" · "):
            GAME.notation.parse(example, given("S", monument("kilwa", "a1")).state)


def test_a_set_up_shows_its_options() -> None:
    assert GAME.notation.format(SetUp(7, (("gods", "all"), ("players", "2")))) == "new gods=all players=2 seed=7"


@pytest.mark.parametrize(
    ("typed_text", "canonical_text"),
    [
        ("  BID   3 ", "bid 3"),
        ("bi 3", "bid 3"),
        ("ad es", "adore eshu"),
        ("adore tsui-goab", "adore tsui_goab"),
        ("h r d4-d5", "hire rain_ceremony d4-d5"),
        ("u sh d d4", "use shaman diamonds d4"),
        ("cr pot d4-d5 p 2", "craft potter d4-d5 price 2"),
        ("craft wood D4-E4", "craft wood_carver d4-e4"),
        ("craft scu d4", "craft sculptor d4"),
        ("craft scu d4-e5", "craft sculptor d4"),
        ("craft scu d4-e4-d5-e5", "craft sculptor d4"),
        ("pr v 3", "price vessel_maker 3"),
        ("r c3 pot@b1/a1", "raise c3 potter@b1/a1"),
    ],
)
def test_beginnings_of_words_are_enough(typed_text: str, canonical_text: str) -> None:
    assert GAME.notation.format(GAME.notation.parse(typed_text, STATE)[1]) == canonical_text


@pytest.mark.parametrize("prefix", ["zulu:", "ZULU: ", "z : "])
def test_a_line_may_name_the_seat(prefix: str) -> None:
    assert GAME.notation.parse(f"{prefix}bid 3", STATE) == ("zulu", Give(3))


def test_one_square_is_enough_where_a_small_tile_fits_only_one_way() -> None:
    state = given("C.. W.. ...", turn_of("kilwa")).state
    assert GAME.notation.parse("cra pot c1 price 1", state) == (None, PlaceCraftsman("potter", ("c1", "c2"), 1))
    assert GAME.notation.parse("cra pot b3 price 1", state) == (None, PlaceCraftsman("potter", ("b3", "c3"), 1))


@pytest.mark.parametrize("square", ["b1", "b2"])
def test_a_square_where_no_tile_can_lie_is_refused_with_a_reason(square: str) -> None:
    state = given("CWW .W. ...", turn_of("kilwa")).state
    command = GAME.notation.parse(f"craft potter {square} price 1", state)[1]
    refused = GAME.rules.decide(state, "kilwa", command)
    assert isinstance(refused, Refused)
    assert "R-CRA-04" in [each.code for each in refused.refusals]


@pytest.mark.parametrize(
    ("typed_text", "choices"),
    [
        ("adore e", ("elegua", "eshu", "engai")),
        ("cra pot h2", ("craft potter h2-i2", "craft potter h2-h3")),
    ],
)
def test_an_ambiguous_text_lists_its_meanings(typed_text: str, choices: tuple[str, ...]) -> None:
    with pytest.raises(AmbiguousError) as error:
        GAME.notation.parse(typed_text, STATE)
    assert set(error.value.hints) == set(choices)


@pytest.mark.parametrize(
    ("phase", "typed_text", "canonical_text"),
    [
        ("bidding", "p", "pass"),
        ("bidding", "3", "bid 3"),
        ("bidding", "b 3", "bid 3"),
        ("bidding", "zulu: 3", "bid 3"),
        ("turn", "b l5", "build l5"),
        ("turn", "p potter 3", "price potter 3"),
        ("turn", "en", "end"),
    ],
)
def test_words_are_read_by_what_the_phase_knows(phase: str, typed_text: str, canonical_text: str) -> None:
    state = given("C....", bidding("kilwa", "zulu") if phase == "bidding" else turn_of("kilwa")).state
    assert GAME.notation.format(GAME.notation.parse(typed_text, state)[1]) == canonical_text


def test_before_set_up_no_word_comes_before_another() -> None:
    with pytest.raises(AmbiguousError) as error:
        GAME.notation.parse("p", GAME.evolution.initial())
    assert error.value.hints == ("pass", "price")


def test_a_single_letter_ends_no_turn() -> None:
    with pytest.raises(AmbiguousError) as error:
        GAME.notation.parse("e", given("C....", turn_of("kilwa")).state)
    assert str(error.value) == "e: could be end, and a single letter can't end a turn"
    assert error.value.hints == ("end",)


def test_a_bare_number_is_a_bid_only_while_bids_are_made() -> None:
    with pytest.raises(NotationError):
        GAME.notation.parse("3", given("C....", turn_of("kilwa")).state)


def test_the_verbs_of_the_phases_are_those_of_the_legal_commands() -> None:
    assert {phase: tuple(verbs) for phase, verbs in KINDS.items()} == PHASES


@pytest.mark.parametrize(
    ("typed_text", "message"),
    [
        ("", "no command: nothing was typed"),
        ("kilwa:", "no command: nothing was typed"),
        ("dance", "dance: unknown command; choose from adore, hire"),
        ("lozi: pass", "lozi: unknown player; choose from kilwa, zulu"),
        ("bid many", "many: not a number of cattle"),
        ("bid -1", "-1: not a number of cattle"),
        ("bid 1234567890", "1234567890: not a number of cattle"),
        ("bid", "bid: too few words for bid"),
        ("bid 1 2", "bid 1 2: too many words for bid"),
        ("adore zeus", "zeus: unknown god; choose from shadipinyi"),
        ("build d0", "d0: not a square: a column's letter and a row's number, as in d4"),
        ("build 4d", "4d: not a square"),
        ("hire shaman d4", "hire shaman d4: too few words for hire"),
        ("craft potter d4-d5-d6", "d4-d5-d6: a potter covers 1x2 squares"),
        ("craft sculptor d4-d5", "d4-d5: a sculptor covers 2x2 squares"),
        ("price potter", "price potter: too few words for price"),
        ("raise", "raise: no monument given"),
        ("raise c3 potter@b1", "potter@b1: not a ritual good: write craftsman@square/resource"),
        (
            "raise c3 potter@b1/a1, e5 potter@b1/a2",
            "potter@b1/a1,: not a ritual good: write craftsman@square/resource, and",
        ),
        ("raise c3 potter@b1/a1 e5 potter@b1/a2", "e5: not a ritual good: write craftsman@square/resource, and a ;"),
        ("raise c3 smith@b1/a1", "smith: unknown craftsman"),
    ],
)
def test_an_unknown_command_gets_hints_from_its_words(typed_text: str, message: str) -> None:
    with pytest.raises(NotationError) as error:
        GAME.notation.parse(typed_text, STATE)
    assert str(error.value).startswith(message)


def test_a_short_raise_stands_for_the_cheapest_plan() -> None:
    assert GAME.notation.format(GAME.notation.parse("raise f1", STATE)[1]) == "raise f1 potter@b1/a1"
    given("C.....", monument("kilwa", "f1"), turn_of("kilwa")).when("raise f1").refused("R-RAI-02")
    given("C.....", monument("zulu", "f1"), turn_of("kilwa")).when("raise f1 f1").refused("R-RAI-01")


NAMES = ["potter", "sculptor", "herd", "shaman", "wood", "price", "kilwa:", "potter@b1/a1"]
SIGNS = ["a1", "c1-c2", "f1", "z99", "3", ";", "@", "/", "(", ")", "-"]
WORDS = st.sampled_from([*SYNTAX, *NAMES, *SIGNS]) | st.text(max_size=3)


@settings(max_examples=300)
@for_all(st.text() | st.lists(WORDS, max_size=6).map(" ".join))
def test_any_text_is_a_command_or_an_error_that_says_why(text: str) -> None:
    with contextlib.suppress(NotationError):
        _, command = GAME.notation.parse(text, STATE)
        GAME.rules.decide(STATE, "kilwa", command)
        assert GAME.notation.parse(GAME.notation.format(command), STATE) == (None, command)
