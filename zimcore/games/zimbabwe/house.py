"""House rules: the readings of the rulebook that a table may decide otherwise."""

from __future__ import annotations

from zimcore.toolkit.house_rules import HouseRule

HOUSE: dict[str, HouseRule] = {
    "xango": HouseRule(
        "R-END-02",
        "overshoot",
        "absolute",
        "he wins only ties in overshoot",
        "That several have reached their VR is the tie: Xango wins before any overshoot is compared.",
    ),
    "dziva": HouseRule(
        "R-GOD-03",
        "immediate",
        "turn-start",
        "prices may be set right after choosing her too",
        "Prices may be set only at the beginning of later turns.",
    ),
    "qamata": HouseRule(
        "R-GOD-04",
        "adored",
        "always",
        "hubs are paid to the card only while Qamata is adored",
        "Hubs are paid to the card whenever Qamata is among the gods: the cattle wait there for a later adorer.",
    ),
    "shadipinyi": HouseRule(
        "R-GOD-04",
        "adored",
        "always",
        "the plaque lies there only while Shadipinyi is adored",
        "The plaque lies there whenever Shadipinyi is among the gods: while nobody adores Shadipinyi the common stock"
        " gets what is on it.",
    ),
    "resource_range": HouseRule(
        "R-RNG-07",
        "open",
        "blocked",
        "monuments do not block the range of craftsmen to resources",
        "A way to a resource may not lead through a monument, which would be a hub, and hubs lead to no resource.",
    ),
    "raised_hub": HouseRule(
        "R-HUB-04",
        "free",
        "paid",
        "the monument being raised is the start of the way and no hub of it",
        "The monument being raised is used as a hub for every good: each costs 1 cattle more.",
    ),
    "first_gift": HouseRule(
        "R-BID-06",
        "optional",
        "required",
        "all may pass without any gift",
        "There has to be a first gift in every round: a player who can pay one may not pass before it is given.",
    ),
    "specialist_uses": HouseRule(
        "R-TURN-01",
        "each",
        "one",
        "each specialist that one owns may be used once in a turn",
        "Only one specialist may be used in a turn, the one that is taken in it included.",
    ),
    "main_action": HouseRule(
        "R-TURN-04",
        "in-one",
        "in-parts",
        "cards and specialists come before or after the main action",
        "Cards and specialists may come between two craftsmen or two monuments: Eshu could be adored between them, and"
        " a craftsman placed who needs range 6 when another one could not be.",
    ),
    "builder": HouseRule(
        "R-SPEC-08",
        "afterwards",
        "whole-turn",
        "of craftsmen placed after the Builder was paid 2 cattle each are kept",
        "Of craftsmen placed earlier in the turn 2 cattle each go from the common stock onto the Builder card, too.",
    ),
    "gu": HouseRule(
        "R-VR-05",
        "two-moves",
        "one-move",
        "the VR marker moves for the rebate and again for Gu",
        "Rebate and Gu are one move of the VR marker, which stays where it lies when they come to 0.",
    ),
    "obatala": HouseRule(
        "R-MON-02",
        "apart",
        "together",
        "zoning holds between the two monuments of one action, too",
        "Both monuments are placed at once, and neither is already on the board: they may be neighbours.",
    ),
    "secondary_hubs": HouseRule(
        "R-CRA-07",
        "any",
        "one",
        "a new secondary craftsman reaches its primary one over any number of hubs",
        "A new secondary craftsman reaches its primary one over one hub at most. But hubs lead to other hubs.",
    ),
    "new_prices": HouseRule(
        "R-PRI-01",
        "at-once",
        "turn-end",
        "a new technology gets its price before anything else is done",
        "The price of a new technology may wait for the end of the turn, behind cards and specialists.",
    ),
    "atete": HouseRule(
        "R-RAI-07",
        "all-markers",
        "own-markers",
        "markers of all players count for Atete's adorer",
        "Only their own markers count for Atete's adorer: two on each resource, whatever others have placed.",
    ),
}
