"""The options of a new game: what each deals, and which values it refuses."""

import re
from collections.abc import Iterable

import pytest

from tests.zimbabwe.facts import cattle, monument, turn_of
from tests.zimbabwe.kit import given
from zimcore.game import OptionError
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import SetUp
from zimcore.games.zimbabwe.components import COMPONENTS, CONSTANTS, GODS, SEATS, SPECIALISTS
from zimcore.games.zimbabwe.events import GameSetUp
from zimcore.games.zimbabwe.house import HOUSE_RULES, SITE_RULES
from zimcore.games.zimbabwe.rules.setup import deal, rotate_tile, set_up_command


def deal_match(seed: int = 7, /, **options: str) -> GameSetUp:
    return deal(seed, options)


def test_by_default_4_play_with_8_gods_and_all_specialists_by_chance() -> None:
    set_up = deal_match()
    assert set_up.seats == SEATS[:4]
    assert sorted(set_up.order) == sorted(set_up.seats)
    assert len(set_up.gods) == 8
    assert set_up.specialists == {name: specialist.vr for name, specialist in SPECIALISTS.items()}
    assert (set_up.xango, set_up.dziva, set_up.max_rounds) == ("overshoot", "immediate", None)


def test_the_same_seed_deals_the_same_and_another_one_does_not() -> None:
    assert deal_match(5) == deal_match(5)
    set_ups = [deal_match(seed) for seed in range(12)]
    assert len({set_up.rows for set_up in set_ups}) == len({tuple(set_up.gods) for set_up in set_ups}) == 12
    assert len({set_up.order for set_up in set_ups}) > 1


@pytest.mark.parametrize(
    "options", [{"gods": "all"}, {"specialists": "none"}, {"order": "kilwa mutapa zulu lozi"}, {"vr": "eshu:5"}]
)
def test_fixing_one_option_does_not_change_the_others(options: dict[str, str]) -> None:
    random_deal, fixed_deal = deal_match(), deal_match(**options)
    assert fixed_deal.tiles == random_deal.tiles
    assert "order" in options or fixed_deal.order == random_deal.order
    assert "gods" in options or fixed_deal.gods.keys() == random_deal.gods.keys()


def test_a_written_map_changes_nothing_else() -> None:
    assert deal_match(players="2", map="0,1,2,3").order == deal_match(players="2").order
    assert deal_match(players="2", map="0,1,2,3").gods == deal_match(players="2").gods


@pytest.mark.parametrize(
    ("players", "size", "voids"),
    [
        ("2", (12, 12), []),
        ("3", (18, 18), ["a1", "g6", "f12", "l1"]),
        ("4", (18, 18), ["m1", "r6", "a13", "f18"]),
        ("5", (18, 18), []),
    ],
)
def test_layouts_have_their_size_and_voids(players: str, size: tuple[int, int], voids: list[str]) -> None:
    set_up = deal_match(players=players)
    rows = set_up.rows
    assert (len(rows[0]), len(rows)) == size
    void_squares = {
        f"{chr(97 + column)}{row_index + 1}"
        for row_index, row in enumerate(rows)
        for column, letter in enumerate(row)
        if letter == " "
    }
    assert set(voids) <= void_squares
    assert len(void_squares) == size[0] * size[1] - 36 * len(set_up.tiles)
    assert len(set_up.tiles) == {"2": 4, "3": 6, "4": 7, "5": 9}[players]
    assert "".join(rows).count("S") == 6


def test_random_tiles_are_drawn_once_each_and_lie_in_any_rotation() -> None:
    tiles_of_games = [deal_match(seed, players="5").tiles for seed in range(30)]
    assert all(len({tile for tile, _ in tiles}) == len(tiles) == 9 for tiles in tiles_of_games)
    assert all(tiles[4][0] == 0 for tiles in tiles_of_games), "the start tile is in the middle"
    assert {quarter_turns for tiles in tiles_of_games for _, quarter_turns in tiles} == {0, 1, 2, 3}
    assert {tile for tiles in tiles_of_games for tile, _ in tiles} == set(range(11))


def test_a_quarter_turn_is_clockwise() -> None:
    assert rotate_tile(("ab", "cd"), 0) == ("ab", "cd")
    assert rotate_tile(("ab", "cd"), 1) == ("ca", "db")
    assert rotate_tile(("ab", "cd"), 2) == ("dc", "ba")
    assert rotate_tile(("ab", "cd"), 4) == ("ab", "cd")


def test_the_box_holds_the_pieces_of_the_rulebook() -> None:
    tile_letters = "".join(row for tile in COMPONENTS.tiles for row in tile.rows)
    assert {letter: tile_letters.count(letter) for letter in ".~SCWID"} == {
        ".": 268,
        "~": 90,
        "S": 6,
        "C": 10,
        "W": 10,
        "I": 7,
        "D": 5,
    }


def test_a_map_can_be_written_in_tiles_or_drawn() -> None:
    set_up = deal_match(players="2", map="0.1, 5.1 3.0,2.2")
    assert set_up.tiles == ((0, 1), (5, 1), (3, 0), (2, 2))
    assert set_up.rows[0][:6] == "".join(row[0] for row in COMPONENTS.tiles[0].rows[::-1])
    assert deal_match(players="2", map="0,1,2,3").tiles == ((0, 0), (1, 0), (2, 0), (3, 0))
    set_up_with_all_signs = deal_match(players="4", map="4.1, 5.2 6.3,0,7,8 9")
    assert set_up_with_all_signs.tiles == ((4, 1), (5, 2), (6, 3), (0, 0), (7, 0), (8, 0), (9, 0))
    drawn_set_up = deal_match(players="2", map="S.C_/_~WS__/ID")
    assert (drawn_set_up.tiles, drawn_set_up.rows) == ((), ("S.C", " ~WS", "ID"))
    assert deal_match(players="2", map="/".join(["S.S" + "." * 23, "." * 26] * 13)).rows[24] == "S.S" + "." * 23, (
        "up to 26x26 squares"
    )


@pytest.mark.parametrize(
    ("text", "seats"), [("2", SEATS[:2]), ("5", SEATS), ("Zulu,kilwa lozi", ("zulu", "kilwa", "lozi"))]
)
def test_players_are_a_number_or_names(text: str, seats: tuple[str, ...]) -> None:
    assert deal_match(players=text).seats == seats


@pytest.mark.parametrize(
    ("text", "seats", "names"),
    [
        ("kilwa:Ann,zulu:Bob", ("kilwa", "zulu"), {"kilwa": "Ann", "zulu": "Bob"}),
        ("Zulu:Zoë-2 kilwa", ("zulu", "kilwa"), {"zulu": "Zoë-2"}),
        ("2", ("kilwa", "mutapa"), {}),
    ],
)
def test_people_are_named_with_their_seats(text: str, seats: tuple[str, ...], names: dict[str, str]) -> None:
    set_up = deal_match(players=text)
    assert (set_up.seats, set_up.names) == (seats, names)


@pytest.mark.parametrize(
    ("text", "gods"), [("all", GODS), ("beginner", COMPONENTS.beginner.gods), ("eshu, gu", ("eshu", "gu")), ("0", ())]
)
def test_gods_are_chosen_by_number_name_or_word(text: str, gods: Iterable[str]) -> None:
    assert deal_match(gods=text).gods == {god: GODS[god].vr for god in gods}


@pytest.mark.parametrize("god_count", range(13))
def test_any_number_of_gods_is_dealt(god_count: int) -> None:
    assert len(deal_match(gods=str(god_count)).gods) == god_count


def test_specialists_are_chosen_by_name_or_word() -> None:
    assert deal_match(specialists="none").specialists == {}
    assert deal_match(specialists="herd,nomads").specialists == {"herd": 6, "nomads": 1}
    assert deal_match(gods="beginner").specialists == {}
    assert deal_match(gods="beginner", specialists="all").specialists.keys() == SPECIALISTS.keys()


def test_order_readings_limit_and_vr_are_options() -> None:
    assert deal_match(players="kilwa,zulu", order="zulu,kilwa").order == ("zulu", "kilwa")
    assert deal_match(order="random") == deal_match()
    set_up = deal_match(xango="absolute", dziva="turn-start", max_rounds="12", gods="eshu,gu", vr="eshu:15,herd:-4")
    assert (set_up.xango, set_up.dziva, set_up.max_rounds) == ("absolute", "turn-start", 12)
    assert set_up.gods == {"eshu": 15, "gu": 4}
    assert (set_up.qamata, set_up.shadipinyi) == ("adored", "adored")
    other_set_up = deal_match(qamata="always", shadipinyi="always")
    assert (other_set_up.qamata, other_set_up.shadipinyi) == ("always", "always")
    assert set_up.specialists["herd"] == -4


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("players", text) for text in ["1", "6", "kilwa", "kilwa,kilwa", "atlantis,zulu", "", "²", "9" * 20]),
        *(("gods", text) for text in ["13", "zeus", "gu,gu", "-1", "²"]),
        *(("specialists", text) for text in ["witch", "herd,herd", "3"]),
        *(("map", text) for text in ["0,1,2", "1,0,2,3", "0,1,1,2", "0,1,2,11", "0.4,1,2,3", "", "."]),
        *(("map", text) for text in ["S.X/S..", "S", "SS/..", "S./.S", ".S/S.", "S/S/" + "./" * 25, "S" * 27]),
        *(("order", text) for text in ["kilwa", "kilwa,kilwa", "kilwa,lozi", "kilwa,mutapa,zulu"]),
        *(("xango", text) for text in ["first", ""]),
        *(("dziva", text) for text in ["never"]),
        *((god, text) for god in ("qamata", "shadipinyi") for text in ["never", ""]),
        *(
            ("players", text)
            for text in ["kilwa:,zulu", "kilwa:Zulu,zulu", "kilwa:Ann,zulu:ann", "kilwa:-,zulu", "3:Ann"]
        ),
        *(("players", f"kilwa:{'a' * 21},zulu"), ("players", "kilwa:a:b,zulu"), ("players", "nowhere:Ann,zulu")),
        *(("max_rounds", text) for text in ["0", "many", "-3", "10001", "1.5"]),
        *(("vr", text) for text in ["eshu", "eshu:", "zeus:3", "eshu:many", "eshu:100", "eshu:²", "eshu:--1"]),
        *(("seed", text) for text in ["many", "-1", str(2**63)]),
        *(("colour", text) for text in ["red"]),
    ],
)
def test_a_wrong_value_of_an_option_is_named(option: str, value: str) -> None:
    with pytest.raises(OptionError) as error:
        GAME.rules.set_up({"players": "2", option: value}, 7)
    assert error.value.what in (f"{option}={value}", "there is no option colour")
    assert error.value.why


@pytest.mark.parametrize(("text", "message"), [("gu,gu", "a name is given twice"), ("zeus,gu", "there is no zeus")])
def test_wrong_names_are_distinguished_from_duplicates(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        GAME.rules.set_up({"players": "2", "gods": text}, 7)


def test_the_command_keeps_the_options_as_given_and_an_own_seed_comes_first() -> None:
    assert GAME.rules.set_up({"players": "3", "gods": "all"}, 7) == SetUp(7, (("gods", "all"), ("players", "3")))
    assert GAME.rules.set_up({"seed": "0"}, 7) == SetUp(0)


def test_every_option_has_a_sentence_of_help_and_is_tested() -> None:
    assert GAME.rules.OPTIONS.keys() == {
        *("players", "seed", "gods", "specialists", "map", "order", "max_rounds", "vr"),
        *HOUSE_RULES,
        *SITE_RULES,
    }
    assert all(GAME.rules.OPTIONS.values())


@pytest.mark.parametrize("offset", [(1, 0), (1, 1), (0, 1), (-1, 1)])
@pytest.mark.parametrize("first_area", [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_start_areas_are_never_neighbours(first_area: tuple[int, int], offset: tuple[int, int]) -> None:
    start_areas = {first_area, (first_area[0] + offset[0], first_area[1] + offset[1])}
    rows = ["".join("S" if (column, row) in start_areas else "." for column in range(5)) for row in range(5)]
    with pytest.raises(OptionError, match="are neighbours"):
        deal_match(players="2", map="/".join(rows))


@pytest.mark.parametrize("word", ["11", "0.4", "1.2.3", ".1", "123"])
def test_a_map_names_the_tile_that_it_does_not_know(word: str) -> None:
    with pytest.raises(
        OptionError, match=re.escape(f"{word}: a tile is 0 to 10, with quarter turns behind it .0 to .3")
    ):
        deal_match(players="2", map=f"{word},1,2,3")


def test_a_map_of_the_wrong_tiles_says_what_the_slots_are() -> None:
    with pytest.raises(OptionError, match="the slots are start tile tile tile;"):
        deal_match(players="2", map="1,0,2,3")


def test_the_largest_figures_are_taken() -> None:
    assert deal_match(max_rounds="10000").max_rounds == 10_000
    assert set_up_command({"seed": str(2**63 - 1)}, 7).seed == 2**63 - 1
    with pytest.raises(OptionError, match="seed"):
        set_up_command({"seed": str(2**63)}, 7)


@pytest.mark.parametrize("rows", [["S.S" + "." * 24], ["S.S", "." * 27], ["S.S", *["."] * 26]])
def test_a_map_is_at_most_26_squares_wide_and_high(rows: list[str]) -> None:
    with pytest.raises(OptionError, match="at most 26 rows and 26 columns"):
        deal_match(players="2", map="/".join(rows))


@pytest.mark.parametrize(("map_", "neighbours"), [("SS../....", "a1 and b1"), ("S.../S...", "a1 and a2")])
def test_start_areas_that_are_neighbours_are_named_in_reading_order(map_: str, neighbours: str) -> None:
    with pytest.raises(OptionError, match=f"the start areas {neighbours} are neighbours"):
        deal_match(players="2", map=map_)


@pytest.mark.rule(accepts="R-SET-05")
def test_r_set_05_cardboard_is_limited_and_cattle_are_not() -> None:
    tiles_by_resource = {name: resource.tiles for name, resource in COMPONENTS.resources.items()}
    assert tiles_by_resource == {"wood": 6, "clay": 4, "ivory": 3, "diamonds": 3}
    assert (CONSTANTS.water_tiles, CONSTANTS.craftsmen_per_type, CONSTANTS.cards_per_type) == (8, 3, 2)
    answer = given("...", cattle(kilwa=1000), monument("kilwa", "a1"), turn_of("kilwa", "kilwa")).when("end")
    assert answer.state.cattle["kilwa"] == 1001
