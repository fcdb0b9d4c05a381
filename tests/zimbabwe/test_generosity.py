"""R-BID: the generosity of kings."""

import pytest

from tests.zimbabwe.facts import adored_god, bidding, cattle, turn_of
from tests.zimbabwe.kit import Position, given
from zimcore.games.zimbabwe.events import (
    STOCK,
    CattlePaid,
    GiftGiven,
    OrderSet,
    Passed,
    RoundBegun,
    TurnBegun,
    VRChanged,
)

MAP = "S.S.S"
SEATS = ("kilwa", "zulu", "mutapa")


def given_bidding(*, kilwa: int = 9, zulu: int = 9, mutapa: int = 9, god: str = "", adorer: str = "kilwa") -> Position:
    """Three players with that many cattle begin to bid, in this order."""
    facts = adored_god(adorer, god) if god else []
    plaques = ("shadipinyi", *SEATS) if god == "shadipinyi" else SEATS
    cattle_facts = cattle(kilwa=kilwa, zulu=zulu, mutapa=mutapa)
    return given(MAP, cattle_facts, facts, bidding(*plaques), seats=" ".join(SEATS))


def cattle_on_plaques(position: Position, *lines: str) -> list[int]:
    """The cattle on the plaques after these bids, from left to right."""
    state = position.when(*lines).state
    return [state.cattle.get(f"plaque/{plaque}", 0) for plaque in state.plaques]


@pytest.mark.rule(accepts="R-BID-01")
@pytest.mark.parametrize(("god", "plaques"), [("eshu", ()), ("shadipinyi", ("shadipinyi",))])
def test_r_bid_01_plaques_lie_in_vr_order_behind_that_of_shadipinyi(god: str, plaques: tuple[str, ...]) -> None:
    vr_facts = [VRChanged("kilwa", 9, "much"), VRChanged("mutapa", 1, "little"), *adored_god("zulu", god)]
    cattle_facts = cattle(kilwa=1, zulu=1, mutapa=1)
    position = given(MAP, cattle_facts, vr_facts, turn_of("kilwa", "kilwa"), seats=" ".join(SEATS))
    position.when("end").then_among(RoundBegun(2, (*plaques, "kilwa", "zulu", "mutapa")))


@pytest.mark.rule(accepts="R-BID-02")
def test_r_bid_02_turns_go_round_those_who_have_not_passed() -> None:
    for god in ("", "shadipinyi"):
        position = given_bidding(god=god)
        assert position.state.actor == "kilwa"
        assert position.when("bid 1").state.actor == "zulu"
        assert position.when("bid 1", "pass").state.actor == "mutapa"
        assert position.when("bid 1", "pass", "bid 2", "bid 3").state.actor == "mutapa"


@pytest.mark.rule(refuses="R-BID-02")
def test_r_bid_02_no_player_bids_out_of_turn_or_in_another_phase() -> None:
    given_bidding().when("zulu: bid 1").refused("R-BID-02", because="it is kilwa's turn, not zulu's")
    given_bidding().when("zulu: pass").refused("R-BID-02")
    given(MAP).when("bid 1").refused("R-BID-02", because="first monuments are being placed")
    given(MAP, turn_of("kilwa")).when("pass").refused("R-BID-02", because="taking their turns")


@pytest.mark.rule(accepts="R-BID-03")
def test_r_bid_03_each_gift_is_larger_than_the_last() -> None:
    given_bidding().when("bid 1", "bid 2").then_among(GiftGiven("zulu", 2))
    given_bidding().when("bid 3", "bid 7").then_among(GiftGiven("zulu", 7))


@pytest.mark.rule(refuses="R-BID-03")
def test_r_bid_03_a_smaller_or_equal_gift_is_refused() -> None:
    given_bidding().when("bid 0").refused("R-BID-03", because="the lowest bid now is 1 cattle, not 0")
    given_bidding().when("bid 3", "bid 3").refused("R-BID-03", because="the lowest bid now is 4 cattle, not 3")


@pytest.mark.rule(accepts="R-BID-04")
def test_r_bid_04_a_gift_is_not_topped_up_but_paid_in_full() -> None:
    position = given_bidding(kilwa=7)
    assert position.when("bid 2", "bid 3", "pass", "bid 5").state.cattle["kilwa"] == 0
    assert position.when("bid 2", "bid 3", "pass").state.cattle["kilwa"] == 5


@pytest.mark.rule(refuses="R-BID-04")
def test_r_bid_04_a_gift_is_no_more_than_the_bidder_has() -> None:
    given_bidding(kilwa=7).when("bid 2", "bid 3", "pass", "bid 6").refused("R-BID-04", because="kilwa has: 5 cattle")
    given_bidding(kilwa=1, god="elegua").when("bid 5").refused("R-BID-04", because="to which the stock adds 3")


@pytest.mark.rule(accepts="R-BID-05")
def test_r_bid_05_cattle_go_round_the_plaques_from_where_the_last_gift_stopped() -> None:
    assert cattle_on_plaques(given_bidding(), "bid 1") == [1, 0, 0]
    assert cattle_on_plaques(given_bidding(), "bid 1", "bid 2") == [1, 1, 1]
    assert cattle_on_plaques(given_bidding(), "bid 1", "bid 6") == [3, 2, 2]
    assert cattle_on_plaques(given_bidding(god="shadipinyi"), "bid 1", "bid 6") == [2, 2, 2, 1]
    given_bidding().when("bid 1", "bid 4").then_among(
        CattlePaid("zulu", "plaque/kilwa", 1, "gift"),
        CattlePaid("zulu", "plaque/zulu", 2, "gift"),
        CattlePaid("zulu", "plaque/mutapa", 1, "gift"),
    )


@pytest.mark.rule(accepts="R-BID-05")
def test_r_bid_05_plaques_of_those_who_passed_still_receive() -> None:
    assert cattle_on_plaques(given_bidding(), "pass", "bid 5") == [2, 2, 1]


@pytest.mark.rule(accepts="R-BID-02 R-BID-03 R-BID-05")
def test_r_bid_05_the_next_round_begins_anew() -> None:
    """The first plaque's owner begins, with a gift of 1 if that is wanted, and its first head goes to that plaque."""
    lines_of_round = ["bid 1", "bid 2", "bid 4", "pass", "pass", "end", "end", "end"]
    answer = given_bidding().when(*lines_of_round, "bid 1").then_among(GiftGiven("mutapa", 1))
    assert answer.state.plaques == ("mutapa", "zulu", "kilwa")
    assert cattle_on_plaques(given_bidding(), *lines_of_round, "bid 1") == [1, 0, 0]
    assert cattle_on_plaques(given_bidding(), *lines_of_round, "bid 1", "bid 3") == [2, 1, 1]


@pytest.mark.rule(accepts="R-BID-06")
def test_r_bid_06_all_may_pass_without_any_gift() -> None:
    answer = given_bidding().when("pass", "pass")
    answer.then(Passed("zulu"), OrderSet(("mutapa", "zulu", "kilwa")), TurnBegun("mutapa"))


@pytest.mark.rule(accepts="R-BID-07 R-BID-11")
def test_r_bid_07_passing_takes_the_last_open_place_and_the_last_player_is_first() -> None:
    position = given_bidding()
    answer = position.when("pass", "bid 1", "pass").then_among(OrderSet(("zulu", "mutapa", "kilwa")))
    assert answer.state.actor == "zulu"
    answer_after_turns = position.when("pass", "bid 1", "pass", "end", "end")
    answer_after_turns.then_among(TurnBegun("kilwa"))
    position.when("bid 1", "pass", "pass").then_among(OrderSet(("kilwa", "mutapa", "zulu")))
    position.when("pass", "pass").then_among(OrderSet(("mutapa", "zulu", "kilwa"))).then_no(GiftGiven)


@pytest.mark.rule(accepts="R-BID-08")
def test_r_bid_08_a_player_who_cannot_pay_the_least_gift_passes_by_force() -> None:
    given_bidding(zulu=2, mutapa=3).when("bid 2").then_among(GiftGiven("kilwa", 2), Passed("zulu", forced=True))
    given_bidding(zulu=2, mutapa=2).when("bid 2").then_among(
        Passed("zulu", forced=True),
        Passed("mutapa", forced=True),
        OrderSet(("kilwa", "mutapa", "zulu")),
        TurnBegun("kilwa"),
    )
    given_bidding(kilwa=6).when("bid 2", "bid 3", "pass").then(Passed("mutapa"))


@pytest.mark.rule(accepts="R-BID-08")
def test_r_bid_08_a_round_without_cattle_needs_no_bids() -> None:
    position = given(MAP, turn_of("kilwa", "kilwa"), seats=" ".join(SEATS))
    position.when("end").then_among(
        RoundBegun(2, ("mutapa", "zulu", "kilwa")),
        Passed("mutapa", forced=True),
        Passed("zulu", forced=True),
        OrderSet(("kilwa", "zulu", "mutapa")),
    )


@pytest.mark.rule(accepts="R-BID-09")
def test_r_bid_09_the_stock_adds_up_to_3_to_the_first_gift_of_eleguas_adorer() -> None:
    position = given_bidding(kilwa=7, zulu=20, mutapa=20, god="elegua")
    assert position.when("bid 2").then_among(CattlePaid(STOCK, "kilwa", 2, "elegua")).state.cattle["kilwa"] == 7
    assert position.when("bid 5").then_among(CattlePaid(STOCK, "kilwa", 3, "elegua")).state.cattle["kilwa"] == 5
    assert position.when("bid 10").then_among(CattlePaid(STOCK, "kilwa", 3, "elegua")).state.cattle["kilwa"] == 0
    assert position.when("bid 2", "bid 3", "pass", "bid 5").state.cattle["kilwa"] == 2
    assert position.when("bid 2", "bid 3").state.cattle["zulu"] == 17


@pytest.mark.rule(accepts="R-BID-09")
def test_r_bid_09_even_with_0_cattle_the_adorer_can_open_or_go_over_2() -> None:
    given_bidding(kilwa=0, god="elegua").when("bid 3").then_among(GiftGiven("kilwa", 3))
    given_bidding(zulu=0, god="elegua", adorer="zulu").when("bid 2", "bid 3").then_among(GiftGiven("zulu", 3))
    given_bidding(zulu=0, god="elegua", adorer="zulu").when("bid 3").then_among(Passed("zulu", forced=True))


@pytest.mark.rule(accepts="R-BID-09")
def test_r_bid_09_elegua_helps_once_in_every_round() -> None:
    position = given_bidding(kilwa=7, zulu=20, mutapa=20, god="elegua")
    answer_after_round = position.when("bid 2", "bid 4", "pass", "bid 5", "pass", "end", "end", "end")
    second_round = Position(answer_after_round.state)
    assert second_round.state.actor == "kilwa"
    second_round.when("bid 2").then_among(CattlePaid(STOCK, "kilwa", 2, "elegua"))
    answer_to_later_bids = second_round.when("bid 2", "bid 3", "bid 4", "bid 5")
    answer_to_later_bids.then_among(GiftGiven("kilwa", 5))
    assert CattlePaid(STOCK, "kilwa", 3, "elegua") not in answer_to_later_bids.events


@pytest.mark.rule(accepts="R-BID-10 R-BID-12")
def test_r_bid_10_plaques_are_collected_and_nothing_is_lost() -> None:
    position = given_bidding(god="shadipinyi", adorer="zulu")
    answer = position.when("bid 3", "bid 6", "pass").then_among(
        CattlePaid("plaque/shadipinyi", "zulu", 3, "plaque"),
        CattlePaid("plaque/kilwa", "kilwa", 2, "plaque"),
        CattlePaid("plaque/zulu", "zulu", 2, "plaque"),
        CattlePaid("plaque/mutapa", "mutapa", 2, "plaque"),
    )
    balances = {account: amount for account, amount in answer.state.cattle.items() if amount}
    assert balances == {STOCK: -27, "kilwa": 9 - 3 + 2, "zulu": 9 - 6 + 3 + 2, "mutapa": 9 + 2}
