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
    ),
    "ending": HouseRule(
        "AMB-01",
        "any-time",
        "after-a-step",
        "expeditions and adventures may be ended before the first step",
        "Nothing can be ended before the first step: the rules say 'even before moving' only of joining.",
    ),
    "must_end": HouseRule(
        "AMB-02",
        "optional",
        "compulsory",
        "you may go on though you could end an expedition or an adventure",
        "A player who could end an expedition or an adventure where they stand has to, before they go on.",
    ),
    "joined": HouseRule(
        "AMB-03",
        "any-time",
        "earlier-turn",
        "an expedition may be joined and ended in one action",
        "Only an expedition that was joined in an earlier turn can be ended.",
    ),
    "free_page": HouseRule(
        "AMB-05",
        "action",
        "purchase",
        "turning one page of the book is free in each action",
        "One page is free in each action, and one more after each card that is bought.",
    ),
    "bought_page": HouseRule(
        "A-BOOK-04",
        "free",
        "counts",
        "the card below is revealed at no cost",
        "Buying a card turns a page: it counts as one, and costs silver unless it is the free one.",
    ),
    "reshuffle": HouseRule(
        "AMB-07",
        "when-needed",
        "at-once",
        "the discard pile is shuffled only when a card is needed",
        "The discard pile is shuffled as soon as the last card is drawn: cards discarded later are not part of it.",
    ),
    "recolouring": HouseRule(
        "A-RECOL-02",
        "needed",
        "any",
        "a card that pays as it is can't be recoloured",
        "A card may be recoloured though it pays as it is: it costs silver and brings nothing.",
    ),
    "refill": HouseRule(
        "AMB-10",
        "partial",
        "none",
        "the rest of the stack is laid out",
        "No card is laid out when there are not enough for all empty spaces.",
    ),
    "discards": HouseRule(
        "AMB-15",
        "excess",
        "more",
        "only the excess is discarded",
        "A player who has to discard may discard more than the excess.",
    ),
    "bonus": HouseRule(
        "AMB-17",
        "each",
        "first",
        "every player who joins gets the bonus",
        "Only the first to join an expedition gets the bonus, as if it were taken from the board.",
    ),
}
