"""Each option names the rules that it overrules, and one function gives the text of a rule at a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.africana.kit import explorers_at
from tests.overruling import Scene, changed_rules
from zimcore.game import Event
from zimcore.games.africana import events as africana_events
from zimcore.games.registry import game
from zimcore.games.zimbabwe import events as zimbabwe_events
from zimcore.rule_texts import rules_at_table
from zimcore.toolkit.house_rules import HouseRule

ROOT = Path(__file__).parents[1]
HOUSE_MODULES = {kind: import_module(f"zimcore.games.{kind}.house") for kind in ("zimbabwe", "africana")}
HOUSE_RULES: dict[str, dict[str, HouseRule]] = {
    kind: {**module.HOUSE_RULES, **getattr(module, "SITE_RULES", {})} for kind, module in HOUSE_MODULES.items()
}
OPTIONS = [(kind, option) for kind, house_rules in HOUSE_RULES.items() for option in house_rules]
FACT_RULES = {
    "CattlePaid hubs": {
        "qamata": "R-GOD-04 R-HUB-08",
        "raised_hub": "R-HUB-04 R-RAI-05 R-RAI-06",
    },
    "CattlePaid builder": {"builder": "R-SPEC-08"},
    "RoundBegun plaques": {"shadipinyi": "R-GOD-04 R-BID-01", "start_stack": "R-VR-03"},
    "VRChanged": {"gu": "R-VR-05 R-GOD-02"},
    "MythologiesCompared": {"xango": "R-END-02"},
    "SilverPaid page": {"free_page": "AMB-05 A-BOOK-03", "bought_page": "A-BOOK-04 A-BOOK-03"},
    "SilverPaid joining bonus": {"bonus": "AMB-17 A-JOIN-04"},
    "PileShuffled": {"reshuffle": "AMB-07 A-DRAW-02"},
    "CardsDiscarded": {"recoloured_assistants": "A-RECOL-01 A-MOVE-04 AMB-08"},
    "ExpeditionLaid": {"refill": "AMB-10 A-EOT-07 A-EOT-09"},
}
"""The rules that decide a fact: by the fact, then by what is read otherwise."""
DOWNSTREAM_FACTS = {"RoundBegun", "TurnBegun", "TurnEnded", "ActionEnded", "Passed", "OrderSet", "EndTriggered"}
"""Facts that only follow from those above: a longer turn, or who is next."""
CONSEQUENCES = {"R-RAI-10", "R-CRA-05", "R-SPEC-02", "A-BOOK-05"}
"""Rules that only ask whether a price can be paid: their words are true at each table."""
SAID_TOO = {
    "dziva": {"R-GOD-03", "R-TURN-03"},
    "resource_range": {"R-RNG-07", "R-RAI-05", "R-RAI-06"},
    "shadipinyi": {"R-BID-10", "R-BID-12"},
    "first_gift": {"R-BID-03"},
    "secondary_hubs": {"R-HUB-03"},
    "obatala": {"R-MON-02"},
    "ending": {"A-ADV-04"},
    "must_end": {"A-ADV-04", "A-EXP-01"},
    "joined": {"A-EXP-05"},
    "discards": {"AMB-15", "A-EOT-06"},
    "score": {"AMB-13", "A-INFO-01"},
}
"""Rules whose words the option contradicts, while a refusal names a more special one, or only what is seen changes."""


def rich(amount: int) -> Callable[[Any], list[Event]]:
    """Each player begins with so many cattle more."""
    return lambda state: [
        zimbabwe_events.CattlePaid(zimbabwe_events.STOCK, seat, amount, "given") for seat in state.seats
    ]


def silver(amount: int) -> Callable[[Any], list[Event]]:
    """Each player begins with so much silver more."""
    return lambda state: [
        africana_events.SilverPaid(africana_events.BANK, seat, amount, "given") for seat in state.seats
    ]


def with_assistants(state: Any) -> list[Event]:
    """Silver and assistants for all."""
    cards = ("gray_assistant", "violet_assistant")
    return [*silver(30)(state), *(africana_events.CardsDrawn(seat, cards) for seat in state.seats)]


def at_targets(state: Any) -> list[Event]:
    """Each player stands where an expedition ends that they joined."""
    targets = [next(each for each in state.box.expeditions if each.id == card).target for card in state.spaces]
    return [
        *explorers_at(**dict(zip(state.seats, targets, strict=False))),
        *(
            africana_events.ExpeditionJoined(seat, card, space)
            for space, (seat, card) in enumerate(zip(state.seats, state.spaces, strict=False), 1)
        ),
    ]


def nearly_without_expeditions(state: Any) -> list[Event]:
    """One expedition is left in the stack, and two spaces are empty."""
    cards = [*reversed(state.stack[1:])]
    laid = [africana_events.ExpeditionLaid(card, 1 + index % 5) for index, card in enumerate(cards)]
    last = {event.space: event.expedition for event in laid}
    return [*laid, *(africana_events.ExpeditionEnded(state.seats[0], last[space], space) for space in (1, 2))]


def nearly_without_cards(state: Any) -> list[Event]:
    """Two travel cards are left in the pile, and all others are discarded."""
    seat, cards = state.seats[0], state.pile[2:]
    return [africana_events.CardsDrawn(seat, cards), africana_events.CardsDiscarded(seat, cards)]


def with_vp(state: Any) -> list[Event]:
    """All are above their VR; the adorer of Xango is the one with the least."""
    points = [zimbabwe_events.VPScored(seat, 40 + 5 * index, "given") for index, seat in enumerate(state.seats)]
    return [zimbabwe_events.GodAdored(state.seats[0], "xango"), *points]


def behind_a_monument(state: Any) -> list[Event]:
    """The only way to the clay leads past a monument."""
    return [*rich(15)(state), zimbabwe_events.MonumentBuilt(state.setup.order[0], "b1")]


def adored(god: str, amount: int = 15) -> Callable[[Any], list[Event]]:
    """The first player adores a god."""
    return lambda state: [*rich(amount)(state), zimbabwe_events.GodAdored(state.seats[0], god)]


def with_vr(change: int) -> Callable[[Any], list[Event]]:
    """The VR of the first player has changed."""
    return lambda state: [*rich(15)(state), zimbabwe_events.VRChanged(state.seats[0], change, "given")]


NO_GODS = {"players": "2", "gods": "0"}
SCENES = {
    "xango": Scene({"players": "2", "gods": "xango"}, with_vp, 2, 30),
    **{
        option: Scene({"players": "2", "gods": option}, rich(15), 6, 80)
        for option in ("dziva", "qamata", "shadipinyi", "gu")
    },
    "obatala": Scene({"players": "2", "gods": "obatala", "specialists": "none"}, adored("obatala"), 4, 40),
    "atete": Scene({"players": "2", "gods": "atete", "specialists": "none"}, adored("atete", 60), 6, 100),
    "ending": Scene({"players": "4"}, at_targets, 2, 12),
    "must_end": Scene({"players": "4"}, at_targets, 2, 12),
    "joined": Scene({"players": "4"}, at_targets, 2, 12),
    "resource_range": Scene({**NO_GODS, "map": "C......./________/S......S"}, behind_a_monument, 2, 12),
    "recoloured_assistants": Scene({"players": "2"}, with_assistants, 4, 60),
    "refill": Scene({"players": "2"}, nearly_without_expeditions, 1, 12),
    "reshuffle": Scene({"players": "2"}, nearly_without_cards, 2, 12),
    "dziva_crafting": Scene({"players": "2", "gods": "dziva"}, adored("dziva"), 4, 60),
    "start_stack": Scene({**NO_GODS, "specialists": "builder"}, with_vr(-2), 4, 40),
    "god_limit": Scene({"players": "2", "gods": "all", "specialists": "none"}, with_vr(18), 2, 12),
    "herd": Scene({**NO_GODS, "specialists": "herd"}, rich(15), 4, 40),
    "score": Scene({"players": "2"}, silver(10), 1, 30),
}
USUAL_SCENE = {"zimbabwe": Scene(NO_GODS, rich(15), 5, 80), "africana": Scene({"players": "2"}, silver(10), 4, 150)}


def codes_of_fact(option: str, fact: Any) -> set[str]:
    """The rules that decide a fact."""
    name = type(fact).__name__
    if name == "RoundBegun" and hasattr(fact, "plaques"):
        name += " plaques"
    elif name in ("CattlePaid", "SilverPaid"):
        name += f" {fact.reason}"
    if name in DOWNSTREAM_FACTS:
        return set()
    return set(FACT_RULES.get(name, {}).get(option, f"{name}?").split())


@pytest.mark.parametrize(("kind", "option"), OPTIONS)
def test_an_option_names_the_rules_whose_outcome_it_changes(kind: str, option: str) -> None:
    named_codes = {*HOUSE_RULES[kind][option].overrules}
    shown_codes = named_codes - SAID_TOO.get(option, set())
    found_rules = changed_rules(
        game(kind),
        option,
        SCENES.get(option, USUAL_SCENE[kind]),
        lambda _, fact: codes_of_fact(option, fact),
        lambda found: shown_codes <= {*found},
    )
    found_codes = {*found_rules} - CONSEQUENCES
    assert found_codes <= named_codes, found_rules
    assert shown_codes <= found_codes, f"{option}: nothing shows {shown_codes - found_codes}"


@pytest.mark.parametrize(("kind", "option"), OPTIONS)
def test_an_option_quotes_a_clause_of_each_rule(kind: str, option: str) -> None:
    rules = {rule.code: rule for rule in game(kind).texts.rules()}
    house_rule = HOUSE_RULES[kind][option]
    assert house_rule.code in house_rule.overrules
    for code, (clause, words) in house_rule.overrules.items():
        assert clause in rules[code].text
        assert words or code == house_rule.code or house_rule.other_reading
    is_reading = rules[house_rule.code].source == "reading"
    assert house_rule.is_open == is_reading or option in getattr(HOUSE_MODULES[kind], "SITE_RULES", {})


class Options:
    """A set-up command with these options."""

    def __init__(self, **options: str) -> None:
        self.options = tuple(options.items())


def test_a_rule_at_a_table_says_its_own_text_then_what_the_table_plays() -> None:
    here = {
        rule.code: rule for rule in rules_at_table(game("zimbabwe"), Options(obatala="together", xango="overshoot"))
    }
    usual = {rule.code: rule for rule in rules_at_table(game("zimbabwe"))}
    changed = {code for code in usual if here[code].text != usual[code].text}
    assert changed == {"R-MON-01", "R-MON-02"}
    for code in changed:
        assert here[code].text.startswith(f"{usual[code].text} At this table (obatala=together): ")
        assert here[code].house == ("obatala=together",)


def test_nothing_else_asks_a_game_for_its_rules() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for folder in ("event_store", "zimcore", "zimcli", "scripts")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"\btexts\s*\.\s*rules\s*\(|[\w.]*rulebook\.toml", path.read_text("utf-8"))
    ]
    makers = [f"zimcore/games/{kind}/texts.py" for kind in HOUSE_RULES]
    assert sorted({*readers} - {*makers}) == ["zimcore/rule_texts.py"]


def test_a_missing_rule_of_an_option_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    house_rule = HOUSE_RULES["zimbabwe"]["obatala"]
    fault = house_rule._replace(overrules={"R-MON-02": house_rule.overrules["R-MON-02"]})
    monkeypatch.setitem(HOUSE_RULES["zimbabwe"], "obatala", fault)
    with pytest.raises(AssertionError, match="R-MON-01"):
        test_an_option_names_the_rules_whose_outcome_it_changes("zimbabwe", "obatala")
