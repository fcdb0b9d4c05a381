"""The house rules: rules that a table can choose to read in another way.

Each row: the code of the rule, the usual value, the other value, what the usual one means, what the other one means.
"""

from __future__ import annotations

from zimcore.toolkit.house_rules import HouseRule

HOUSE_RULES: dict[str, HouseRule] = {
    "score": HouseRule(
        "AMB-13",
        "open",
        "hidden",
        "all players see the cards under company cards",
        "Only the owner of a company card sees the cards under it, until the end.",
        {
            "AMB-13": ("what lies under company cards can be seen by all", ""),
            "A-INFO-01": (
                "Everything else is open",
                "Only the owner of a company card sees what lies under it, until the end.",
            ),
        },
    ),
    "ending": HouseRule(
        "AMB-01",
        "any-time",
        "after-a-step",
        "expeditions and adventures may be ended before the first step",
        "Nothing can be ended before the first step: the rules say 'even before moving' only of joining.",
        {
            "AMB-01": ("also before the first step, or with none", ""),
            "A-ADV-04": ("the order of all joins and endings freely", "Nothing can be ended before the first step."),
        },
    ),
    "must_end": HouseRule(
        "AMB-02",
        "optional",
        "compulsory",
        "you may go on though you could end an expedition or an adventure",
        "A player who could end an expedition or an adventure where they stand has to, before they go on.",
        {
            "AMB-02": ("never compulsory", ""),
            "A-ADV-04": ("all are optional", "Endings are compulsory, before anything else."),
            "A-EXP-01": ("the player may end it", "It has to be ended."),
        },
        is_open=False,
    ),
    "joined": HouseRule(
        "AMB-03",
        "any-time",
        "earlier-turn",
        "an expedition may be joined and ended in one action",
        "Only an expedition that was joined in an earlier turn can be ended.",
        {
            "AMB-03": ("may have been joined in this action", ""),
            "A-EXP-05": (
                "may be joined and ended in one action",
                "It can be ended only in a later turn than it was joined.",
            ),
        },
    ),
    "free_page": HouseRule(
        "AMB-05",
        "action",
        "purchase",
        "turning one page of the book is free in each action",
        "One page is free in each action, and one more after each card that is bought.",
        {
            "AMB-05": ("One page in each action is free", ""),
            "A-BOOK-03": (
                "The first page of an action is free",
                "One more page is free after each card that is bought.",
            ),
        },
    ),
    "bought_page": HouseRule(
        "A-BOOK-04",
        "free",
        "counts",
        "the card below is revealed at no cost",
        "Buying a card turns a page: it counts as one, and costs silver unless it is the free one.",
        {
            "A-BOOK-04": ("this is not a page turn", ""),
            "A-BOOK-03": ("each further one costs 1 silver", "Buying a card counts as turning a page."),
        },
    ),
    "reshuffle": HouseRule(
        "AMB-07",
        "when-needed",
        "at-once",
        "the discard pile is shuffled only when a card is needed",
        "The discard pile is shuffled as soon as the last card is drawn: cards discarded later are not part of it.",
        {
            "AMB-07": ("shuffled when the next card is needed", ""),
            "A-DRAW-02": (
                "Empty pile: shuffle the discard pile",
                "The pile is shuffled as soon as its last card is drawn.",
            ),
        },
    ),
    "recolouring": HouseRule(
        "A-RECOL-02",
        "needed",
        "any",
        "a card that pays as it is can't be recoloured",
        "A travel or assistant card may be recoloured though it pays as it is: it costs silver and brings nothing.",
        {
            "A-RECOL-02": ("only to pay for a step that it does not pay as it is", ""),
        },
    ),
    "recoloured_assistants": HouseRule(
        "A-RECOL-01",
        "return",
        "leave",
        "a recoloured assistant returns to the hand",
        "The Dutch rulebook makes a recoloured assistant a travel card: it leaves the game instead of returning.",
        {
            "A-RECOL-01": ("A recoloured assistant still returns to the hand", ""),
            "A-MOVE-04": ("joker and assistants back to the hand", "A recoloured assistant leaves the game."),
            "AMB-08": ("it returns after all steps", "A recoloured assistant does not return: it leaves the game."),
        },
    ),
    "refill": HouseRule(
        "AMB-10",
        "partial",
        "none",
        "the rest of the stack is laid out",
        "No card is laid out when there are not enough for all empty spaces.",
        {
            "AMB-10": ("what is left is laid out", ""),
            "A-EOT-09": ("What is left is laid out", "Nothing is laid out then."),
            "A-EOT-07": (
                "the empty spaces are filled from the stack",
                "They stay empty when the stack is too short for all.",
            ),
        },
    ),
    "discards": HouseRule(
        "AMB-15",
        "excess",
        "more",
        "only the excess is discarded",
        "A player who has to discard may discard more than the excess.",
        {
            "AMB-15": ("exactly as much as is above the limit", ""),
            "A-EOT-01": ("Excess only", "A player who has to discard may discard more."),
            "A-EOT-04": ("excess (player's choice)", "A player who has to discard may discard more."),
            "A-EOT-06": (
                "No voluntary discarding below the limit",
                "A player who has to discard may go below the limit.",
            ),
        },
    ),
    "bonus": HouseRule(
        "AMB-17",
        "each",
        "first",
        "every player who joins gets the bonus",
        "Only the first to join an expedition gets the bonus, as if it were taken from the board.",
        {
            "AMB-17": ("gets the whole bonus too", ""),
            "A-JOIN-04": ("Every joiner, not only the first", "Only the first to join gets the bonus."),
        },
        is_open=False,
    ),
}
