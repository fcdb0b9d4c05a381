"""The house rules: rules that a table can choose to read in another way.

Each row: the code of the rule, the usual value, the other value, what the usual one means, what the other one means.
"""

from __future__ import annotations

from zimcore.toolkit.house_rules import HouseRule

HOUSE_RULES: dict[str, HouseRule] = {
    "xango": HouseRule(
        "R-END-02",
        "overshoot",
        "absolute",
        "Xango wins only ties in overshoot",
        "If several players have reached their VR, Xango's adorer among them wins: overshoot is not compared.",
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
        "the plaque lies in the row only while Shadipinyi is adored",
        "The plaque lies in the row whenever Shadipinyi is among the gods: the common stock"
        " gets what is on it until a player adores Shadipinyi.",
    ),
    "resource_range": HouseRule(
        "R-RNG-07",
        "open",
        "blocked",
        "monuments do not block the range of craftsmen to resources",
        "A route to a resource may not lead through a monument: that would be a hub, and hubs lead to no resource.",
    ),
    "raised_hub": HouseRule(
        "R-HUB-04",
        "free",
        "paid",
        "the monument being raised is where the route starts, not a hub on it",
        "The monument being raised counts as a hub for every good: each costs 1 cattle more.",
    ),
    "first_gift": HouseRule(
        "R-BID-06",
        "optional",
        "required",
        "all may pass without any gift",
        "Every round needs a first gift: a player who can pay one may not pass before it is made.",
    ),
    "specialist_uses": HouseRule(
        "R-TURN-01",
        "each",
        "one",
        "you may use each specialist that you own once in a turn",
        "You may use only one specialist in a turn, including one that you hire in it.",
    ),
    "main_action": HouseRule(
        "R-TURN-04",
        "in-one",
        "in-parts",
        "cards and specialists come before or after the main action",
        "Cards and specialists may come between two craftsmen or two monuments: you could adore Eshu between them, and"
        " only the second craftsman would have range 6 then.",
    ),
    "builder": HouseRule(
        "R-SPEC-08",
        "afterwards",
        "whole-turn",
        "the Builder keeps 2 cattle for each craftsman placed after it was paid",
        "For craftsmen placed earlier in the turn, 2 cattle each go from the common stock onto the Builder card, too.",
    ),
    "gu": HouseRule(
        "R-VR-05",
        "two-moves",
        "one-move",
        "the VR marker moves for the rebate and again for Gu",
        "The rebate and Gu are one move of the VR marker, which stays if they add up to 0.",
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
        "A new secondary craftsman reaches its primary one over one hub at most, though other routes may use several.",
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
