"""Figures in the texts of `help` and `rules` are those that the games are played by.

Each claim is made from the components, or from what a function of the game gives. Of a rule's text all claims are taken
away: no digit may be left, so that a figure that changes, or comes in, has to be held here.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.house_rules import begin_match
from zimcore.game import Accepted, Rule
from zimcore.games.africana.box import box
from zimcore.games.africana.scoring import collections_value
from zimcore.games.registry import game
from zimcore.games.zimbabwe.board import Board
from zimcore.games.zimbabwe.components import (
    COMPONENTS,
    CONSTANTS,
    CRAFTSMEN,
    GODS,
    NO_GOD,
    RESOURCES,
    SECONDARY_BY_PRIMARY,
    SPECIALISTS,
)

NAMES_WITH_FIGURES = re.compile(r"\b(?:R|A|AMB)-(?:[A-Z]+-)?\d\d\b(?:(?:/| to |\.\.)\d\d)?|\b[1-9]x[1-9]\b(?= tiles)")
"""Codes of rules, and the shape of a tile."""
FORMULA = re.compile(r"[<>{}]|:=|\b[hBd]\(|\bR\b(?!-)|\bfloor\b|\bmod\b|\b(?:max|min)\(")


def enumeration(figures: object) -> str:
    """`2, 4 or 6`."""
    *first_figures, last_figure = map(str, figures)  # type: ignore[call-overload]
    return f"{', '.join(first_figures)} or {last_figure}"


HERD = SPECIALISTS["herd"]
NORMAL_RANGE, ESHU_RANGE = NO_GOD.range, GODS["eshu"].range
OPEN_LAND = Board.from_rows(("." * 30,) * 30)


def squares_within(width: int, height: int, steps: int) -> int:
    """The number of squares of open land within so many steps of a tile, its own included."""
    tile = tuple(f"{column}{row}" for column in "mn"[:width] for row in (14, 15)[:height])
    return OPEN_LAND.ball(OPEN_LAND.mask(tile), steps).bit_count()


LAKE_BOARD = Board.from_rows(("..~~~..",))
STEPS_ACROSS_LAKE = next(
    steps for steps in range(9) if LAKE_BOARD.ball(LAKE_BOARD.mask(("a1",)), steps) & LAKE_BOARD.mask(("g1",))
)
DRAWN_TILES = sorted(sum(row.count("x") for row in layout) for layout in COMPONENTS.layouts.values())
LEVEL_VP = [
    higher_vp - lower_vp for lower_vp, higher_vp in zip(CONSTANTS.level_vp, CONSTANTS.level_vp[1:], strict=False)
]
CRAFTSMAN_VP = sorted({craftsman.vp for craftsman in CRAFTSMEN.values()})
HERD_REVENUE = [cost + added_cattle for cost, added_cattle in zip(HERD.costs, HERD.herd, strict=True)]
RAISED_PRICES = enumeration(range(2, CONSTANTS.max_price + 1))

ZIMBABWE_CLAIMS: dict[str, list[str]] = {
    "R-GEO-01": ["(8 directions)"],
    "R-GEO-02": ["(4 directions)"],
    "R-RNG-01": ["counts 1"],
    "R-RNG-03": [f"to the right end is {STEPS_ACROSS_LAKE}"],
    "R-RNG-04": ["costs 1"],
    "R-RNG-06": [f"The range is {NORMAL_RANGE}", f"it is {ESHU_RANGE} for everything"],
    "R-HUB-04": [f"costs {CONSTANTS.hub_cost} cattle more"],
    "R-HUB-05": [f"costs {CONSTANTS.hub_cost};"],
    "R-SET-01": [
        f"{CONSTANTS.players[0]} to {CONSTANTS.players[1]} players",
        f"{enumeration(DRAWN_TILES)} others",
        f"{CONSTANTS.gods_in_play} of {len(GODS)} gods",
        f"all {len(SPECIALISTS)} specialists",
    ],
    "R-SET-02": [f"on {CONSTANTS.start_vr}."],
    "R-SET-03": [
        f"VP {CONSTANTS.level_vp[1]}, VR {CONSTANTS.start_vr}, {CONSTANTS.start_cattle} cattle, one level-1 monument"
    ],
    "R-SET-05": [
        f"{CONSTANTS.craftsmen_per_type} tiles of each craftsman",
        *(f"{kind.tiles} {name}" for name, kind in RESOURCES.items()),
        f"{CONSTANTS.water_tiles} water tiles",
        f"{CONSTANTS.cards_per_type} cards of each technology",
    ],
    "R-VR-01": [f"VR = {CONSTANTS.start_vr} +", f"{GODS['gu'].technology_vr} per technology"],
    "R-VR-02": [f"above {CONSTANTS.max_vr}."],
    "R-VR-05": [f"then +{GODS['gu'].vr}", "change of 0", "add up to 0"],
    "R-BID-03": ["at least 1;", "at least 1 above"],
    "R-BID-09": [f"up to {GODS['elegua'].gift_subsidy} cattle", f"+ {GODS['elegua'].gift_subsidy}", "with 0 cattle"],
    "R-GOD-02": [
        f"counts {GODS['gu'].technology_vr};",
        f"rises by {GODS['gu'].vr}",
        f"more than {CONSTANTS.max_vr}",
        f"count {GODS['gu'].technology_vr} each",
        "VR by 1 for each",
    ],
    "R-GOD-03": [f"to {enumeration(range(1, CONSTANTS.max_price + 1))}"],
    "R-SPEC-06": [
        f"{enumeration(HERD.costs)} in total",
        f"yields {enumeration(HERD_REVENUE)}",
        f"with {max(HERD.costs)} cattle in all",
    ],
    "R-SPEC-08": [
        f"paying {SPECIALISTS['builder'].costs[0]}",
        f"first {SPECIALISTS['builder'].keeps_of_cost} cattle",
        f"{SPECIALISTS['builder'].keeps_of_cost} cattle each go",
    ],
    "R-TURN-04": [f"range {ESHU_RANGE} "],
    "R-MON-01": ["level-1", "(8 directions)", f"+{CONSTANTS.level_vp[1]} VP"],
    "R-CRA-03": [f"At most {CONSTANTS.craftsmen_per_type} tiles"],
    "R-CRA-06": [f"range {ESHU_RANGE} "],
    "R-CRA-10": [f"({enumeration(CRAFTSMAN_VP)})"],
    "R-PRI-01": [f"price 1..{CONSTANTS.max_price}", f"raised to {RAISED_PRICES}"],
    "R-RAI-01": [f"above {CONSTANTS.max_level}."],
    "R-RAI-03": [f"({len(CRAFTSMEN)} types)"],
    "R-RAI-04": [f"At most {len(CRAFTSMEN) - len(SECONDARY_BY_PRIMARY)} different goods"],
    "R-RAI-05": [f"{CONSTANTS.hub_cost} for each hub"],
    "R-RAI-06": [f"{CONSTANTS.hub_cost} for each hub"],
    "R-RAI-07": [f"at most {NO_GOD.markers} marker", f"at most {GODS['atete'].markers} ("],
    "R-RAI-08": [f"pays {GODS['anansi'].good_price} for", f"still cost {CONSTANTS.hub_cost}"],
    "R-RAI-11": [
        f"{', '.join(f'+{vp}' for vp in LEVEL_VP[1:])} for reaching level "
        f"{', '.join(map(str, range(2, CONSTANTS.max_level + 1)))}"
    ],
    "R-REV-02": [f"Plus {GODS['engai'].income} for Engai"],
}
AFRICANA_BOX = box()
LOCATIONS_BY_HALF = Counter(location.half for location in AFRICANA_BOX.locations)
ADVENTURES_BY_BOOK = Counter(card.book for card in AFRICANA_BOX.adventures)
COPIES_BY_ARTIFACT = Counter((card.book, card.artifact) for card in AFRICANA_BOX.adventures if card.artifact)
ADVENTURES_PER_BOOK = len(AFRICANA_BOX.adventures) // 2
ASSISTANTS_BY_BOOK = Counter(card.book for card in AFRICANA_BOX.adventures if card.assistant)
COLLECTION_VP = {(collection.kind, collection.size): collection.vp for collection in AFRICANA_BOX.scoring.collections}
STARTING_COMPANIES = ", ".join(
    f"{number} {company.name.title()} {company.colour} {company.start.replace('_', ' ').title()} {company.silver}"
    for number, company in enumerate(AFRICANA_BOX.companies, 1)
).replace(", ", "; ")
REMOVED_EXPEDITIONS = [AFRICANA_BOX.removed[str(players)] for players in (4, 3, 2)]
REMAINING_EXPEDITIONS = [len(AFRICANA_BOX.expeditions) - removed_count for removed_count in REMOVED_EXPEDITIONS]
ASSISTANT_THRESHOLDS = [number for number, vp in enumerate(AFRICANA_BOX.scoring.assistants) if vp]

AFRICANA_CLAIMS: dict[str, list[str]] = {
    "A-COMP-01": [
        f"{len(AFRICANA_BOX.locations)} locations",
        f"{LOCATIONS_BY_HALF['north']} brown",
        f"{LOCATIONS_BY_HALF['south']} white",
    ],
    "A-COMP-02": [
        f"{len(AFRICANA_BOX.adventures)} adventure",
        f"{ADVENTURES_BY_BOOK['south']} white-",
        f"{ADVENTURES_BY_BOOK['north']} brown-",
    ],
    "A-COMP-03": [
        f"{ASSISTANTS_BY_BOOK['north']} assistant",
        f"{ADVENTURES_PER_BOOK - ASSISTANTS_BY_BOOK['north']} artifact adventures",
        f"exactly {len(AFRICANA_BOX.artifacts)} kinds",
        f"{2 * min(COPIES_BY_ARTIFACT.values())} copies",
    ],
    "A-COMP-04": [f"{len(AFRICANA_BOX.expeditions)} expedition"],
    "A-COMP-05": [
        f"{sum(AFRICANA_BOX.travel_cards.values())} travel cards in {len(AFRICANA_BOX.colours)} colours",
        f"{sum(AFRICANA_BOX.assistants.values())} assistant cards, {min(AFRICANA_BOX.assistants.values())} per",
        f"{AFRICANA_BOX.jokers} jokers",
    ],
    "A-COMP-06": [
        f"{len(AFRICANA_BOX.companies)} companies",
        f"{len(AFRICANA_BOX.companies)} explorers, "
        f"{len(AFRICANA_BOX.companies) * AFRICANA_BOX.limits.markers} markers, {AFRICANA_BOX.limits.markers} of",
        "25 silver and 15 gold coins, which are no limit",
    ],
    "A-COMP-07": [enumeration(sorted({len(location.symbols) for location in AFRICANA_BOX.locations}))],
    "A-COMP-08": [f"{len(AFRICANA_BOX.bonuses)} expedition spaces"],
    "A-SETUP-01": [f"{enumeration(range(AFRICANA_BOX.limits.players[0], AFRICANA_BOX.limits.players[1] + 1))} players"],
    "A-SETUP-02": [f"holds {ADVENTURES_PER_BOOK} cards"],
    "A-SETUP-04": [
        " / ".join(
            f"{removed_count} ({players} players)"
            for removed_count, players in zip(REMOVED_EXPEDITIONS, (4, 3, 2), strict=True)
        ),
        f"{' / '.join(map(str, REMAINING_EXPEDITIONS))} expeditions",
    ],
    "A-SETUP-06": [f"top {len(AFRICANA_BOX.bonuses)} cards", f"1..{len(AFRICANA_BOX.bonuses)}"],
    "A-SETUP-08": ["company 1;", "get 2, 3, 4.", "with 2 players Italy and France", "with 3 Germany"],
    "A-SETUP-09": [STARTING_COMPANIES],
    "A-SETUP-10": [f"{AFRICANA_BOX.limits.markers} markers", "1 joker", "1 travel card"],
    "A-DRAW-01": [f"Draw {AFRICANA_BOX.limits.draw} ", f"{AFRICANA_BOX.limits.hand}-card limit"],
    "A-DRAW-03": [f"the {sum(AFRICANA_BOX.travel_cards.values())} travel cards", "more than 25 "],
    "A-BOOK-02": [f"{AFRICANA_BOX.costs.adventure} silver each"],
    "A-BOOK-03": [f"costs {AFRICANA_BOX.costs.page} silver"],
    "A-BOOK-05": ["below 0"],
    "A-BOOK-09": [
        f"more than {AFRICANA_BOX.limits.adventures} ",
        f"buy {AFRICANA_BOX.limits.adventures + 1}, then remove 1",
    ],
    "A-BOOK-10": ["with 0 silver"],
    "A-RECOL-01": [f"For {AFRICANA_BOX.costs.recolouring} silver", f"while {AFRICANA_BOX.costs.recolouring} silver"],
    "A-JOIN-02": [f"max. {AFRICANA_BOX.limits.markers} at", f"of {AFRICANA_BOX.limits.markers} markers"],
    "A-EXP-06": [f"at most {len(AFRICANA_BOX.bonuses)} to join"],
    "A-ADV-03": [f"there are {min(AFRICANA_BOX.assistants.values())} of each colour, and 2 such adventures"],
    "A-EOT-01": [f"Hand limit {AFRICANA_BOX.limits.hand},"],
    "A-EOT-04": [f"Limit of {AFRICANA_BOX.limits.adventures} "],
    "A-EOT-06": [f"more than {AFRICANA_BOX.limits.hand} cards"],
    "A-EOT-07": [f"fewer than {len(AFRICANA_BOX.bonuses)} "],
    "A-SCORE-02": [
        "; ".join(f"{size} {kind} {vp}" for (kind, size), vp in COLLECTION_VP.items()),
        "score 0",
    ],
    "A-SCORE-03": ["4 identical", "3 and 1, or 2 and 2", "3 or 5 different", "2 and 1, 4 and 1"],
    "A-SCORE-04": [
        "3 of one kind and 1 of each of three others bring "
        f"{collections_value((3, 1, 1, 1), AFRICANA_BOX.scoring.collections)} ",
        f"(4 different and 2 identical), not {COLLECTION_VP['identical', 3]} and 2",
    ],
    "A-SCORE-05": [
        f"0 or {ASSISTANT_THRESHOLDS[0] - 1}: {AFRICANA_BOX.scoring.assistants[1]}",
        f"{ASSISTANT_THRESHOLDS[0]}: {AFRICANA_BOX.scoring.assistants[ASSISTANT_THRESHOLDS[0]]};",
        f"{ASSISTANT_THRESHOLDS[1]} or more: {AFRICANA_BOX.scoring.assistants[ASSISTANT_THRESHOLDS[1]]}",
        "adventures: 0",
    ],
    "A-SCORE-06": [
        f"each full {AFRICANA_BOX.scoring.silver_per_vp} silver",
        "1 VP",
        f"1 for each {AFRICANA_BOX.scoring.travel_cards_per_vp} travel cards",
        f"{AFRICANA_BOX.scoring.unfinished_artifact} for each unfinished",
    ],
    "AMB-12": ["gold counts 5"],
}
CLAIMS = {"zimbabwe": ZIMBABWE_CLAIMS, "africana": AFRICANA_CLAIMS}

each_game = pytest.mark.parametrize("kind", CLAIMS)


@each_game
def test_each_figure_in_a_rule_is_that_of_the_game(kind: str) -> None:
    rules = {rule.code: rule_text(rule) for rule in game(kind).texts.rules()}
    assert {code: claim for code, claims in CLAIMS[kind].items() for claim in claims if claim not in rules[code]} == {}
    remaining_texts = {code: remove_claims(text, CLAIMS[kind].get(code, [])) for code, text in rules.items()}
    assert {code: text for code, text in remaining_texts.items() if re.search(r"\d", text)} == {}


def rule_text(rule: Rule) -> str:
    """The texts of a rule, without the quoted rulebook."""
    return f"{rule.text} {rule.reading.other} {rule.reading.no_option}" if rule.reading else rule.text


def remove_claims(text: str, claims: list[str]) -> str:
    """A text without its claims and the names in it."""
    for claim in claims:
        text = text.replace(claim, " ")
    return NAMES_WITH_FIGURES.sub(" ", text)


@each_game
def test_rule_texts_have_no_formulas(kind: str) -> None:
    rules = {rule.code: rule_text(rule) for rule in game(kind).texts.rules()}
    assert {code: text for code, text in rules.items() if FORMULA.search(text)} == {}


@each_game
def test_options_name_the_range_and_the_default_of_players(kind: str) -> None:
    min_players, max_players = {"zimbabwe": CONSTANTS.players, "africana": AFRICANA_BOX.limits.players}[kind]
    text = game(kind).rules.OPTIONS["players"]
    assert text.startswith(f"{min_players} to {max_players}")
    setup_outcome = game(kind).rules.decide(game(kind).evolution.initial(), "", game(kind).rules.set_up({}, 1))
    assert isinstance(setup_outcome, Accepted)
    assert f"(default {len(setup_outcome.state.seats)})" in text
    for player_count in range(min_players, max_players + 1):
        assert len(begin_match(game(kind), players=str(player_count)).state.seats) == player_count


def test_options_say_how_many_gods_are_dealt() -> None:
    assert f"random ({CONSTANTS.gods_in_play} of {len(GODS)})" in game("zimbabwe").rules.OPTIONS["gods"]
    assert len(begin_match(game("zimbabwe")).state.setup.gods) == CONSTANTS.gods_in_play
    assert len(COMPONENTS.beginner.gods) == 6
    assert "beginner (the six of" in game("zimbabwe").rules.OPTIONS["gods"]
