"""Every number in the tutorial is true of the rules, or of the position that it describes."""

from __future__ import annotations

from tests.tutorials import PlayedTutorial
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, NO_GOD
from zimcore.games.zimbabwe.rules.rituals import markers_left

LEVEL_VP, CARVER, ENGAI = CONSTANTS.level_vp, CRAFTSMEN["ivory_carver"], GODS["engai"]


def test_every_number_in_the_tutorial_is_true() -> None:
    tutorial = PlayedTutorial(GAME)
    first_state, bidding_state, adored_state, crafted_state = (
        tutorial.states[line] for line in ("start g12", "bid 1", "adore engai", "craft ivory_carver k8 price 2")
    )
    second_round_state, raised_state, last_state = (
        tutorial.states[line] for line in ("why kilwa.cattle", "raise g12", "why kilwa.vr")
    )
    board, inland_square = crafted_state.board, crafted_state.board.square["b10"]
    claims = {
        f"begins with {CONSTANTS.start_cattle} cattle, a VR of {CONSTANTS.start_vr}": True,
        "We play 2 rounds.": last_state.round == 3,
        f"Your monument has level 1, which is worth {LEVEL_VP[1]} VP.": first_state.monuments["g12"].level == 1,
        "Give 1: the first plaque is yours, so it even comes back.": (
            bidding_state.plaques[0] == "kilwa"
            and tutorial.states["mutapa: pass"].cattle["kilwa"] == first_state.cattle["kilwa"]
        ),
        f"Engai brings {ENGAI.income} cattle more in every round, and costs {ENGAI.vr} VR": True,
        f"you will need {CONSTANTS.start_vr + ENGAI.vr} VP to win": adored_state.vr["kilwa"] == 25,
        f"resources within {NO_GOD.range} steps": True,
        "any of the 8 squares around": (board.ball(inland_square, 1) & ~inland_square).bit_count() == 8,
        f"what lies within {NO_GOD.range} steps of k8": True,
        f"takes {CARVER.size[0]} by {CARVER.size[1]} squares": True,
        f"costs {CARVER.cost} cattle and brings {CARVER.vp} VP; the card of its craft costs {CARVER.vr[0]} VR": True,
        f"over a hub pay {CONSTANTS.hub_cost} cattle for the way": True,
        f"The price, 1 to {CONSTANTS.max_price} cattle": True,
        f"may build {GODS['obatala'].monuments} monuments": True,
        f"any good costs Zulu {GODS['anansi'].good_price}, whatever its price": second_round_state.adores["zulu"]
        == "anansi",
        f"Zulu, with {second_round_state.vr['zulu']}, is before you": second_round_state.plaques[:3]
        == ("shadipinyi", "zulu", "kilwa"),
        "Going first again costs 1: it lies on Shadipinyi's plaque, and is Lozi's.": (
            second_round_state.adores["lozi"] == "shadipinyi"
            and tutorial.states["hint --plan"].cattle["lozi"] == second_round_state.cattle["lozi"] + 1
        ),
        "yours has level 1, and needs 1 good": second_round_state.monuments["g12"].level == 1,
        "The 2 cattle lie on the card of your own ivory carver": raised_state.cattle["kilwa/ivory_carver"] == 2,
        f"Level 2 is worth {LEVEL_VP[2]} VP": raised_state.monuments["g12"].level == 2,
        f"You have {last_state.vp['kilwa']} VP of the {last_state.vr['kilwa']} that you need": True,
        f"an income of {2 + ENGAI.income} cattle a round: 2 for your monument, {ENGAI.income} from Engai": (
            last_state.income("kilwa") == 2
        ),
        f"goods of 2 crafts raise your monument to level 3, for {LEVEL_VP[3]} VP in all": True,
        f"at {CONSTANTS.hub_cost} cattle each": True,
        "type zim tutorial zimbabwe 2": True,
    }
    assert list(tutorial.unproven_claims(claims)) == []
    assert markers_left(raised_state, "kilwa", "j4") == 0, "used up until the round is over"
    assert markers_left(last_state, "kilwa", "j4") == 1


def test_the_tutorial_ends_with_a_round_and_names_the_craftsmen_of_each_seat() -> None:
    tutorial = PlayedTutorial(GAME)
    last_state = tutorial.states["story"]
    assert last_state.phase == "bidding"
    owners = {(craftsman.owner, craftsman.type) for craftsman in last_state.craftsmen}
    assert owners == {("kilwa", "ivory_carver"), ("lozi", "potter"), ("zulu", "wood_carver")}
