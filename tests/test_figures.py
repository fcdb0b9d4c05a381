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
    BOX,
    CONSTANTS,
    CRAFTSMEN,
    GODS,
    NO_GOD,
    RESOURCES,
    SECONDARY,
    SPECIALISTS,
)

NAMES = re.compile(r"\b(?:R|A|AMB)-(?:[A-Z]+-)?\d\d\b(?:(?:/| to |\.\.)\d\d)?|\b[1-9]x[1-9]\b(?= tiles)")
"""Codes of rules, and the shape of a tile."""
FORMULA = re.compile(r"[<>{}]|:=|\b[hBd]\(|\bR\b(?!-)|\bfloor\b|\bmod\b|\b(?:max|min)\(")


def enumeration(figures: object) -> str:
    """`2, 4 or 6`."""
    *first, last = map(str, figures)  # type: ignore[call-overload]
    return f"{', '.join(first)} or {last}"


C, HERD = CONSTANTS, SPECIALISTS["herd"]
PLAIN, ESHU = NO_GOD.range, GODS["eshu"].range
WIDE = Board.from_rows(("." * 30,) * 30)


def ball(width: int, height: int, steps: int) -> int:
    """How many squares of open land are within so many steps of a tile, its own among them."""
    tile = tuple(f"{column}{row}" for column in "mn"[:width] for row in (14, 15)[:height])
    return WIDE.ball(WIDE.mask(tile), steps).bit_count()


LAKES = Board.from_rows(("..~~~..",))
ACROSS = next(steps for steps in range(9) if LAKES.ball(LAKES.mask(("a1",)), steps) & LAKES.mask(("g1",)))
DRAWN = sorted(sum(row.count("x") for row in layout) for layout in BOX.layouts.values())
LEVEL_VP = [after - before for before, after in zip(C.level_vp, C.level_vp[1:], strict=False)]
VP = sorted({each.vp for each in CRAFTSMEN.values()})
REVENUE = [cost + more for cost, more in zip(HERD.costs, HERD.herd, strict=True)]
RAISED = enumeration(range(2, C.max_price + 1))

ZIMBABWE: dict[str, list[str]] = {
    "R-GEO-01": ["(8 directions)"],
    "R-GEO-02": ["(4 directions)"],
    "R-RNG-01": ["counts 1"],
    "R-RNG-03": [f"to the right end is {ACROSS}"],
    "R-RNG-04": ["costs 1"],
    "R-RNG-05": [
        f"at range {PLAIN}: {ball(1, 1, PLAIN)} (one cell), {ball(1, 2, PLAIN)} (1x2), {ball(2, 2, PLAIN)} (2x2)",
        f"{ball(1, 1, ESHU)} for one cell at range {ESHU}",
    ],
    "R-RNG-06": [f"The range is {PLAIN}", f"it is {ESHU} for everything"],
    "R-HUB-04": [f"costs {C.hub_cost} cattle more"],
    "R-HUB-05": [f"costs {C.hub_cost};"],
    "R-SET-01": [
        f"{C.players[0]} to {C.players[1]} players",
        f"{enumeration(DRAWN)} others",
        f"{C.gods_in_play} of {len(GODS)} gods",
        f"all {len(SPECIALISTS)} specialists",
    ],
    "R-SET-02": [f"on {C.start_vr}."],
    "R-SET-03": [f"VP {C.level_vp[1]}, VR {C.start_vr}, {C.start_cattle} cattle, one level-1 monument"],
    "R-SET-05": [
        f"{C.craftsmen_per_type} tiles of each craftsman",
        *(f"{kind.tiles} {name}" for name, kind in RESOURCES.items()),
        f"{C.water_tiles} water tiles",
        f"{C.cards_per_type} cards of each technology",
    ],
    "R-VR-01": [f"VR = {C.start_vr} +", f"{GODS['gu'].technology_vr} per technology"],
    "R-VR-02": [f"above {C.max_vr} "],
    "R-VR-05": [f"then +{GODS['gu'].vr}", "change of 0", "come to 0"],
    "R-BID-03": ["at least 1;", "at least 1 above"],
    "R-BID-09": [f"up to {GODS['elegua'].gift_subsidy} cattle", f"+ {GODS['elegua'].gift_subsidy}", "with 0 cattle"],
    "R-GOD-02": [
        f"counts {GODS['gu'].technology_vr};",
        f"rises by {GODS['gu'].vr}",
        f"more than {C.max_vr}",
        f"count {GODS['gu'].technology_vr} each",
        "VR by 1 for each",
    ],
    "R-GOD-03": [f"to {enumeration(range(1, C.max_price + 1))}"],
    "R-SPEC-06": [f"{enumeration(HERD.costs)} in total", f"yields {enumeration(REVENUE)}"],
    "R-SPEC-08": [
        f"paying {SPECIALISTS['builder'].costs[0]}",
        f"first {SPECIALISTS['builder'].keeps_of_cost} cattle",
        f"{SPECIALISTS['builder'].keeps_of_cost} cattle each go",
    ],
    "R-TURN-04": [f"range {ESHU} "],
    "R-MON-01": ["level-1", "(8 directions)", f"+{C.level_vp[1]} VP"],
    "R-CRA-03": [f"At most {C.craftsmen_per_type} tiles"],
    "R-CRA-06": [f"range {ESHU} "],
    "R-CRA-10": [f"({enumeration(VP)})"],
    "R-PRI-01": [f"price 1..{C.max_price}", f"raised to {RAISED}"],
    "R-RAI-01": [f"above {C.max_level}."],
    "R-RAI-03": [f"({len(CRAFTSMEN)} types)"],
    "R-RAI-04": [f"At most {len(CRAFTSMEN) - len(SECONDARY)} different goods"],
    "R-RAI-05": [f"{C.hub_cost} for each hub"],
    "R-RAI-06": [f"{C.hub_cost} for each hub"],
    "R-RAI-07": [f"at most {NO_GOD.markers} marker", f"at most {GODS['atete'].markers} ("],
    "R-RAI-08": [f"pays {GODS['anansi'].good_price} for", f"still cost {C.hub_cost}"],
    "R-RAI-11": [
        f"{', '.join(f'+{vp}' for vp in LEVEL_VP[1:])} for reaching level "
        f"{', '.join(map(str, range(2, C.max_level + 1)))}"
    ],
    "R-REV-02": [f"Plus {GODS['engai'].income} for Engai"],
}
B = box()
HALVES = Counter(location.half for location in B.locations)
BOOKS = Counter(card.book for card in B.adventures)
KINDS = Counter((card.book, card.artifact) for card in B.adventures if card.artifact)
PER_BOOK = len(B.adventures) // 2
ASSISTANTS = Counter(card.book for card in B.adventures if card.assistant)
COLLECTION = {(each.kind, each.size): each.vp for each in B.scoring.collections}
START = ", ".join(
    f"{number} {each.name.title()} {each.colour} {each.start.replace('_', ' ').title()} {each.silver}"
    for number, each in enumerate(B.companies, 1)
).replace(", ", "; ")
GONE = [B.removed[str(players)] for players in (4, 3, 2)]
LEFT = [len(B.expeditions) - gone for gone in GONE]
HELD = [number for number, vp in enumerate(B.scoring.assistants) if vp]

AFRICANA: dict[str, list[str]] = {
    "A-COMP-01": [f"{len(B.locations)} locations", f"{HALVES['north']} brown", f"{HALVES['south']} white"],
    "A-COMP-02": [f"{len(B.adventures)} adventure", f"{BOOKS['south']} white-", f"{BOOKS['north']} brown-"],
    "A-COMP-03": [
        f"{ASSISTANTS['north']} assistant",
        f"{PER_BOOK - ASSISTANTS['north']} artifact adventures",
        f"exactly {len(B.artifacts)} kinds",
        f"{2 * min(KINDS.values())} copies",
    ],
    "A-COMP-04": [f"{len(B.expeditions)} expedition"],
    "A-COMP-05": [
        f"{sum(B.travel_cards.values())} travel cards in {len(B.colours)} colours",
        f"{sum(B.assistants.values())} assistant cards, {min(B.assistants.values())} per",
        f"{B.jokers} jokers",
    ],
    "A-COMP-06": [
        f"{len(B.companies)} companies",
        f"{len(B.companies)} explorers, {len(B.companies) * B.limits.markers} markers, {B.limits.markers} of",
        "25 silver and 15 gold coins, which are no limit",
    ],
    "A-COMP-07": [enumeration(sorted({len(location.symbols) for location in B.locations}))],
    "A-COMP-08": [f"{len(B.bonuses)} expedition spaces"],
    "A-SETUP-01": [f"{enumeration(range(B.limits.players[0], B.limits.players[1] + 1))} players"],
    "A-SETUP-02": [f"holds {PER_BOOK} cards"],
    "A-SETUP-04": [
        " / ".join(f"{gone} ({players} players)" for gone, players in zip(GONE, (4, 3, 2), strict=True)),
        f"{' / '.join(map(str, LEFT))} expeditions",
    ],
    "A-SETUP-06": [f"top {len(B.bonuses)} cards", f"1..{len(B.bonuses)}"],
    "A-SETUP-08": ["company 1;", "get 2, 3, 4.", "with 2 players Italy and France", "with 3 Germany"],
    "A-SETUP-09": [START],
    "A-SETUP-10": [f"{B.limits.markers} markers", "1 joker", "1 travel card"],
    "A-DRAW-01": [f"Draw {B.limits.draw} ", f"{B.limits.hand}-card limit"],
    "A-DRAW-03": [f"the {sum(B.travel_cards.values())} travel cards", "more than 25 "],
    "A-BOOK-02": [f"{B.costs.adventure} silver each"],
    "A-BOOK-03": [f"costs {B.costs.page} silver"],
    "A-BOOK-05": ["below 0"],
    "A-BOOK-09": [f"more than {B.limits.adventures} ", f"buy {B.limits.adventures + 1}, then remove 1"],
    "A-BOOK-10": ["with 0 silver"],
    "A-MOVE-02": ["(0..n)"],
    "A-RECOL-01": [f"For {B.costs.recolouring} silver", f"while {B.costs.recolouring} silver"],
    "A-JOIN-02": [f"max. {B.limits.markers} at", f"of {B.limits.markers} markers"],
    "A-EXP-06": [f"at most {len(B.bonuses)} to join"],
    "A-ADV-03": [f"there are {min(B.assistants.values())} of each colour, and 2 such adventures"],
    "A-EOT-01": [f"Hand limit {B.limits.hand},"],
    "A-EOT-04": [f"Limit of {B.limits.adventures} "],
    "A-EOT-06": [f"more than {B.limits.hand} cards"],
    "A-EOT-07": [f"fewer than {len(B.bonuses)} "],
    "A-SCORE-02": [
        "; ".join(f"{size} {kind} {vp}" for (kind, size), vp in COLLECTION.items()),
        "score 0",
    ],
    "A-SCORE-03": ["4 identical", "3 and 1, or 2 and 2", "3 or 5 different", "2 and 1, 4 and 1"],
    "A-SCORE-04": [
        f"3 of one kind and 1 of each of three others bring {collections_value((3, 1, 1, 1), B.scoring.collections)} ",
        f"(4 different and 2 identical), not {COLLECTION['identical', 3]} and 2",
    ],
    "A-SCORE-05": [
        f"0 or {HELD[0] - 1}: {B.scoring.assistants[1]}",
        f"{HELD[0]}: {B.scoring.assistants[HELD[0]]};",
        f"{HELD[1]} or more: {B.scoring.assistants[HELD[1]]}",
        "adventures: 0",
    ],
    "A-SCORE-06": [
        f"each full {B.scoring.silver_per_vp} silver",
        "1 VP",
        f"1 for each {B.scoring.travel_cards_per_vp} travel cards",
        f"{B.scoring.unfinished_artifact} for each unfinished",
    ],
    "AMB-12": ["gold counts 5"],
}
CLAIMS = {"zimbabwe": ZIMBABWE, "africana": AFRICANA}

each_game = pytest.mark.parametrize("kind", CLAIMS)


@each_game
def test_each_figure_in_a_rule_is_the_one_that_is_played_by(kind: str) -> None:
    rules = {rule.code: rule_texts(rule) for rule in game(kind).texts.rules()}
    assert {code: claim for code, claims in CLAIMS[kind].items() for claim in claims if claim not in rules[code]} == {}
    left = {code: without(text, CLAIMS[kind].get(code, [])) for code, text in rules.items()}
    assert {code: text for code, text in left.items() if re.search(r"\d", text)} == {}


def rule_texts(rule: Rule) -> str:
    """The texts of a rule, without the quoted rulebook."""
    return f"{rule.text} {rule.reading.other} {rule.reading.no_option}" if rule.reading else rule.text


def without(text: str, claims: list[str]) -> str:
    """What is left of a text without claims and names."""
    for claim in claims:
        text = text.replace(claim, " ")
    return NAMES.sub(" ", text)


@each_game
def test_rules_are_said_in_words(kind: str) -> None:
    rules = {rule.code: rule_texts(rule) for rule in game(kind).texts.rules()}
    assert {code: text for code, text in rules.items() if FORMULA.search(text)} == {}


@each_game
def test_options_say_how_many_play_and_how_many_do_by_themselves(kind: str) -> None:
    least, most = {"zimbabwe": C.players, "africana": B.limits.players}[kind]
    text = game(kind).rules.OPTIONS["players"]
    assert text.startswith(f"{least} to {most}")
    setup_outcome = game(kind).rules.decide(game(kind).evolution.initial(), "", game(kind).rules.set_up({}, 1))
    assert isinstance(setup_outcome, Accepted)
    assert f"(default {len(setup_outcome.state.seats)})" in text
    for players in range(least, most + 1):
        assert len(begin_match(game(kind), players=str(players)).state.seats) == players


def test_options_say_how_many_gods_are_dealt() -> None:
    assert f"random ({C.gods_in_play} of {len(GODS)})" in game("zimbabwe").rules.OPTIONS["gods"]
    assert len(begin_match(game("zimbabwe")).state.setup.gods) == C.gods_in_play
    assert len(BOX.beginner.gods) == 6
    assert "beginner (the six of" in game("zimbabwe").rules.OPTIONS["gods"]
