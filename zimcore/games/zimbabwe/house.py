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
        {
            "R-END-02": ("then Xango's adorer", ""),
        },
    ),
    "dziva": HouseRule(
        "R-GOD-03",
        "immediate",
        "turn-start",
        "prices may be set right after choosing her too",
        "Prices may be set only at the beginning of later turns.",
        {
            "R-GOD-03": ("Also right after choosing Dziva", ""),
            "R-TURN-03": (
                "Effects of a card count immediately",
                "Dziva's prices can be set only from the adorer's next turn on.",
            ),
            "R-PRI-01": ("never lowered", "Right after choosing Dziva, prices can't be lowered either."),
            "R-PRI-03": ("except by Dziva", "Dziva's adorer can't set prices right after choosing her."),
        },
    ),
    "qamata": HouseRule(
        "R-GOD-04",
        "adored",
        "always",
        "hubs are paid to the card only while Qamata is adored",
        "Hubs are paid to the card whenever Qamata is among the gods: the cattle wait there for a later adorer.",
        {
            "R-GOD-04": ("act only while someone adores them", ""),
            "R-HUB-08": (
                "Hub payments go to the common stock",
                "While nobody adores Qamata, hub payments wait on the card, if Qamata is among the gods.",
            ),
        },
    ),
    "shadipinyi": HouseRule(
        "R-GOD-04",
        "adored",
        "always",
        "the plaque lies in the row only while Shadipinyi is adored",
        "The plaque lies in the row whenever Shadipinyi is among the gods: the common stock"
        " gets what is on it until a player adores Shadipinyi.",
        {
            "R-GOD-04": ("act only while someone adores them", ""),
            "R-BID-01": (
                "if some player adores Shadipinyi",
                "The god's plaque comes first whenever Shadipinyi is among the gods.",
            ),
            "R-BID-10": (
                "those on the god's plaque go to its adorer",
                "Until a player adores Shadipinyi, the common stock gets them.",
            ),
            "R-BID-12": (
                "cattle collected = cattle given",
                "Cattle on the plaque of a Shadipinyi without an adorer go to the stock.",
            ),
        },
    ),
    "resource_range": HouseRule(
        "R-RNG-07",
        "open",
        "blocked",
        "monuments do not block the range of craftsmen to resources",
        "A route to a resource may not lead through a monument: that would be a hub, and hubs lead to no resource.",
        {
            "R-RNG-07": ("Monuments do not block this range", ""),
            "R-CRA-06": ("Within range of the new tile", "Monuments block the range to a resource."),
            "R-RAI-05": (
                "one resource of the craftsman's kind within its range",
                "Monuments block the range to a resource.",
            ),
            "R-RAI-06": ("One resource within range of each", "Monuments block the range to a resource."),
        },
    ),
    "raised_hub": HouseRule(
        "R-HUB-04",
        "free",
        "paid",
        "the monument being raised is where the route starts, not a hub on it",
        "The monument being raised counts as a hub for every good: each costs 1 cattle more.",
        {
            "R-HUB-04": ("is not paid for as such", ""),
            "R-RAI-05": (
                "1 for each hub from the monument",
                "The monument being raised is paid as a hub, too: 1 cattle more.",
            ),
            "R-RAI-06": (
                "1 for each hub from the monument",
                "The monument being raised is paid as a hub, too: 1 cattle more.",
            ),
        },
        is_open=False,
    ),
    "first_gift": HouseRule(
        "R-BID-06",
        "optional",
        "required",
        "all may pass without any gift",
        "Every round needs a first gift: a player who can pay one may not pass before it is made.",
        {
            "R-BID-06": ("all may pass without any gift", ""),
            "R-BID-03": (
                "give or pass",
                "A player who can pay the first gift of the round may not pass before it is made.",
            ),
        },
    ),
    "specialist_uses": HouseRule(
        "R-TURN-01",
        "each",
        "one",
        "you may use each specialist that you own once in a turn",
        "You may use only one specialist in a turn, including one that you hire in it.",
        {
            "R-TURN-01": ("use each owned specialist at most once", ""),
        },
    ),
    "main_action": HouseRule(
        "R-TURN-04",
        "in-one",
        "in-parts",
        "cards and specialists come before or after the main action",
        "Cards and specialists may come between two craftsmen or two monuments: you could adore Eshu between them, and"
        " only the second craftsman would have range 6 then.",
        {
            "R-TURN-04": ("not in the middle", ""),
            "R-PRI-03": (
                "Prices change at no other time",
                "Prices may be raised later in the turn, too, after cards and specialists.",
            ),
        },
    ),
    "builder": HouseRule(
        "R-SPEC-08",
        "afterwards",
        "whole-turn",
        "the Builder keeps 2 cattle for each craftsman placed after it was paid",
        "For craftsmen placed earlier in the turn, 2 cattle each go from the common stock onto the Builder card, too.",
        {
            "R-SPEC-08": ("Of every craftsman placed afterwards in the turn", ""),
        },
    ),
    "herd": HouseRule(
        "R-SPEC-06",
        "at-once",
        "in-steps",
        "the Herd is used once in a turn, with 2, 4 or 6 cattle",
        "The Herd may be used up to three times in a turn, with 6 cattle in all.",
        {
            "R-SPEC-06": ("the amount is chosen at the one use of the turn", ""),
            "R-TURN-01": (
                "use each owned specialist at most once",
                "The Herd may be used up to three times in a turn.",
            ),
        },
        is_open=False,
    ),
    "gu": HouseRule(
        "R-VR-05",
        "two-moves",
        "one-move",
        "the VR marker moves for the rebate and again for Gu",
        "The rebate and Gu are one move of the VR marker, which stays if they add up to 0.",
        {
            "R-VR-05": ("rebate first, then +4", ""),
            "R-GOD-02": ("first VR falls", "The marker makes one move, by the sum of both."),
        },
    ),
    "obatala": HouseRule(
        "R-MON-02",
        "apart",
        "together",
        "zoning holds between the two monuments of one action, too",
        "Obatala's two monuments are placed at once, and neither is already on the board: they may be neighbours.",
        {
            "R-MON-02": ("the second must respect zoning also towards the first", ""),
            "R-MON-01": (
                "not adjacent (8 directions) to any monument of anyone",
                "The two monuments of one action may be neighbours.",
            ),
        },
    ),
    "secondary_hubs": HouseRule(
        "R-CRA-07",
        "any",
        "one",
        "a new secondary craftsman reaches its primary one over any number of hubs",
        "A new secondary craftsman reaches its primary one over one hub at most, though other routes may use several.",
        {
            "R-CRA-07": ("over any number of hubs", ""),
            "R-HUB-03": ("chains of any length are allowed", "A new secondary craftsman may use one hub at most."),
        },
    ),
    "new_prices": HouseRule(
        "R-PRI-01",
        "at-once",
        "turn-end",
        "a new technology gets its price before anything else is done",
        "The price of a new technology may wait for the end of the turn, behind cards and specialists.",
        {
            "R-PRI-01": ("but before anything else is done", ""),
        },
    ),
    "atete": HouseRule(
        "R-RAI-07",
        "all-markers",
        "own-markers",
        "markers of all players count for Atete's adorer",
        "Only their own markers count for Atete's adorer: two on each resource, whatever others have placed.",
        {
            "R-RAI-07": ("counting markers of all players this round", ""),
        },
    ),
}

SITE_RULES: dict[str, HouseRule] = {
    "dziva_crafting": HouseRule(
        "R-PRI-01",
        "raise-only",
        "any-price",
        "after placing craftsmen, Dziva's adorer can only raise prices, as others can",
        "After placing craftsmen, Dziva's adorer may set any price, also a lower one.",
        {
            "R-PRI-01": ("never lowered", ""),
        },
        is_open=False,
    ),
    "start_stack": HouseRule(
        "R-VR-03",
        "on-top",
        "below",
        "a VR marker that comes back to 20 lands on top of the markers there",
        "A VR marker that comes back to 20 lands below those that have never moved.",
        {
            "R-VR-03": ("lands on top of the stack at its new VR", ""),
        },
        is_open=False,
    ),
    "god_limit": HouseRule(
        "R-VR-02",
        "refused",
        "capped",
        "no god may be chosen that leaves VR above 40",
        "A god may be chosen although VR would be above 40: it is 40 then.",
        {
            "R-VR-02": ("You may not take a god", ""),
        },
        is_open=False,
    ),
}
"""Where a site plays otherwise than the rulebook: options for its recorded games, which no reading suggests."""
