"""Africana once more, as simply as can be: an oracle that the rules of the project are played against.

Written from the rulebook and its numbered rules alone. It imports nothing but the standard library. What is printed on
board and cards is given to it as read from a file in the form of `components.toml`, with the figures of the rules;
`FIGURES` are those of the rulebook.

Chance is not its own: it is given each pile that was shuffled, and checks that no card came or went. A pile, a half of
a book and the stack are lists with the top card last. A command is a tuple, its word first:

    ("draw",) · ("turn" or "buy", book, half) · ("move", place, card, recoloured) · ("join", expedition) · ("end",)
    ("end expedition", id) · ("end adventure", id) · ("discard", cards, adventures)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

Command = tuple[Any, ...]

FIGURES: dict[str, Any] = {
    "limits": {"players": [2, 4], "hand": 5, "adventures": 3, "markers": 4, "draw": 2},
    "costs": {"adventure": 5, "page": 1, "recolouring": 5},
    "books": {"free_pages": 1},
    "removed": {"2": 10, "3": 7, "4": 4},
    "scoring": {
        "assistants": [0, 0, -5, -10],
        "silver_per_vp": 10,
        "travel_cards_per_vp": 2,
        "unfinished_artifact": 1,
        "collections": [
            {"kind": "identical", "size": 2, "vp": 6},
            {"kind": "identical", "size": 3, "vp": 12},
            {"kind": "different", "size": 2, "vp": 2},
            {"kind": "different", "size": 4, "vp": 10},
        ],
    },
}
"""What the rulebook says of limits, costs (silver) and points (VP). A file with other figures is another game."""


READINGS = {"score": "open", "ending": "any-time", "must_end": "optional", "joined": "any-time", "free_page": "action"}
READINGS |= {"bought_page": "free", "reshuffle": "when-needed", "recolouring": "needed", "refill": "partial"}
READINGS |= {"discards": "excess", "bonus": "each", "recoloured_assistants": "return"}
"""How disputed words are read where nothing else was agreed on, by the option of a new game."""


class Game:
    """A game in progress. `first_broken_rule` says which rule forbids a command; `play` plays one that is legal."""

    def __init__(
        self,
        box: dict[str, Any],
        seats: list[str],
        pile: list[str],
        books: dict[str, list[str]],
        stack: list[str],
        removed: list[str],
        options: dict[str, str],
    ) -> None:
        self.box = box
        self.options = {**READINGS, **options}
        self.limits, self.costs, self.scoring = box["limits"], box["costs"], box["scoring"]
        self.places = {location["name"]: location for location in box["locations"]}
        self.routes = {frozenset(route["ends"]) for route in box["routes"]}
        self.expeditions = {expedition["id"]: expedition for expedition in box["expeditions"]}
        self.adventures = {adventure["id"]: adventure for adventure in box["adventures"]}
        company_by_name = {company["name"]: company for company in box["companies"]}
        self.check_deal(seats, pile, books, stack, removed)
        self.seats = seats
        self.pile, self.stack, self.removed = list(pile), list(stack), list(removed)
        self.books = {half: {"left": list(cards), "right": list[str]()} for half, cards in books.items()}
        self.seen_cards = {cards[-1] for cards in books.values()}
        self.discards: list[str] = []
        self.supply = dict(box["assistants"])
        self.spaces = [self.stack.pop() for _ in box["bonuses"]]
        self.markers: dict[str, list[str]] = {}
        self.place_of = {seat: company_by_name[seat]["start"] for seat in seats}
        self.silver = {seat: company_by_name[seat]["silver"] for seat in seats}
        self.hands = {seat: ["joker", self.pile.pop()] for seat in seats}
        self.unfinished: dict[str, list[str]] = {seat: [] for seat in seats}
        self.finished: dict[str, list[str]] = {seat: [] for seat in seats}
        self.table: list[str] = []
        self.changed_assistants: list[str] = []
        self.round, self.is_ending, self.is_over = 1, False, False
        self.shuffles = 0
        self.vp: dict[str, int] = {}
        self.winners: list[str] = []
        self.ranking: list[list[str]] = []
        self.begin_turn(seats[0])

    def check_deal(
        self, seats: list[str], pile: list[str], books: dict[str, list[str]], stack: list[str], removed: list[str]
    ) -> None:
        """What chance may not change (A-SETUP-02 to 05, 07, 08)."""
        assert seats == [company["name"] for company in self.box["companies"]][: len(seats)]
        assert Counter(pile) == Counter(self.box["travel_cards"])
        for half, cards in books.items():
            assert sorted(cards) == sorted(
                adventure for adventure, card in self.adventures.items() if card["book"] == half
            )
        assert sorted([*stack, *removed]) == sorted(self.expeditions)
        assert len(removed) == self.box["removed"][str(len(seats))]
        assert {self.expeditions[card]["back"] for card in removed} == {"C"}
        backs = [self.expeditions[card]["back"] for card in stack]
        assert backs == sorted(backs, reverse=True)

    def begin_turn(self, seat: str) -> None:
        self.seat, self.action, self.pages, self.action_is_over = seat, "", 0, False
        self.free_pages: int = self.box["books"]["free_pages"]
        self.has_moved = False
        self.newly_joined_expeditions: list[str] = []

    @property
    def actor(self) -> str | None:
        """Whose turn it is."""
        return None if self.is_over else self.seat

    # --- what is forbidden

    def first_broken_rule(self, seat: str, command: Command) -> str | None:
        """The first rule that is found to forbid a command, None where it is legal."""
        word = command[0]
        if self.is_over or seat != self.seat:
            return "not to move"
        if self.action_is_over != (word == "discard"):
            return "A-TURN-03"
        allowed_actions = {"draw": [""], "turn": ["", "books"], "buy": ["", "books"], "end": ["", "books", "move"]}
        if self.action not in allowed_actions.get(word, ["", "move"]) and word != "discard":
            return "A-TURN-01"
        check = getattr(self, "rule_broken_by_" + word.replace(" ", "_"))
        return check(seat, *command[1:])  # type: ignore[no-any-return]

    def rule_broken_by_draw(self, seat: str) -> str | None:
        return None

    def rule_broken_by_turn(self, seat: str, book: str, half: str) -> str | None:
        if self.silver[seat] < self.page_cost():
            return "A-BOOK-03"
        return self.rule_broken_by_book(seat, book, half)

    def page_cost(self) -> int:
        return 0 if self.free_pages else int(self.costs["page"])

    def turn_page(self) -> None:
        self.pages += 1
        self.free_pages = max(0, self.free_pages - 1)

    def rule_broken_by_buy(self, seat: str, book: str, half: str) -> str | None:
        if self.silver[seat] < self.adventure_price():
            return "A-BOOK-02"
        return self.rule_broken_by_book(seat, book, half)

    def adventure_price(self) -> int:
        """What an adventure costs, with the page that lifting it turns, where it does (A-BOOK-04)."""
        page_price = self.page_cost() if self.options["bought_page"] == "counts" else 0
        return int(self.costs["adventure"]) + page_price

    def rule_broken_by_book(self, seat: str, book: str, half: str) -> str | None:
        if book != self.places[self.place_of[seat]]["half"]:
            return "A-BOOK-01"
        return None if self.books[book].get(half) else "A-BOOK-07"

    def rule_broken_by_move(self, seat: str, place: str, card: str, is_recoloured: bool) -> str | None:
        if frozenset((self.place_of[seat], place)) not in self.routes or place == self.place_of[seat]:
            return "A-MOVE-01"
        if card not in self.hands[seat]:
            return "A-MOVE-01"
        if self.must_end(seat):
            return "AMB-02"
        symbols = self.places[place]["symbols"]
        is_fitting = card == "joker" or card_colour(card) in symbols
        if is_recoloured:
            # The reading of A-RECOL-02: who pays for another colour needs one.
            if is_fitting and (card == "joker" or self.options["recolouring"] == "needed"):
                return "A-RECOL-02"
            return "A-RECOL-01" if self.silver[seat] < self.costs["recolouring"] else None
        return None if is_fitting else "A-MOVE-01"

    def rule_broken_by_join(self, seat: str, expedition: str) -> str | None:
        if expedition not in self.spaces or not expedition:
            return "A-JOIN-01"
        if self.place_of[seat] != self.expeditions[expedition]["start"]:
            return "A-JOIN-01"
        marker_count = sum(seat in seats for seats in self.markers.values())
        return (
            "A-JOIN-02" if seat in self.markers.get(expedition, []) or marker_count >= self.limits["markers"] else None
        )

    def rule_broken_by_end_expedition(self, seat: str, expedition: str) -> str | None:
        if expedition not in self.spaces or not expedition:
            return "A-EXP-06"
        is_at_target = self.place_of[seat] == self.expeditions[expedition]["target"]
        if not is_at_target or seat not in self.markers.get(expedition, []):
            return "A-EXP-01"
        if self.options["joined"] == "earlier-turn" and expedition in self.newly_joined_expeditions:
            return "AMB-03"
        return self.rule_broken_by_ending()

    def rule_broken_by_ending(self) -> str | None:
        return "AMB-01" if self.options["ending"] == "after-a-step" and not self.has_moved else None

    def must_end(self, seat: str) -> bool:
        """Whether something has to be ended before the player goes on (AMB-02)."""
        if self.options["must_end"] == "optional" or self.action not in ("", "move"):
            return False
        must_end_expedition = any(self.rule_broken_by_end_expedition(seat, card) is None for card in self.spaces)
        return must_end_expedition or any(
            self.rule_broken_by_end_adventure(seat, card) is None for card in self.unfinished[seat]
        )

    def rule_broken_by_end_adventure(self, seat: str, adventure: str) -> str | None:
        if adventure not in self.unfinished[seat]:
            return "A-ADV-01"
        if self.place_of[seat] != self.adventures[adventure]["target"]:
            return "A-ADV-01"
        return self.rule_broken_by_ending()

    def rule_broken_by_discard(self, seat: str, cards: tuple[str, ...], adventures: tuple[str, ...]) -> str | None:
        for count, excess_count in zip((len(cards), len(adventures)), self.excess_over_limits(seat), strict=True):
            if count < excess_count or (count > excess_count and self.options["discards"] == "excess"):
                return "A-EOT-06"
        if Counter(cards) - Counter(self.hands[seat]) or Counter(adventures) - Counter(self.unfinished[seat]):
            return "A-EOT-01"
        return None

    def excess_over_limits(self, seat: str) -> tuple[int, int]:
        """How many cards and unfinished adventures are above the limits (A-EOT-01, A-EOT-04)."""
        excess_card_count = len(self.hands[seat]) - self.limits["hand"]
        return max(0, excess_card_count), max(0, len(self.unfinished[seat]) - self.limits["adventures"])

    def rule_broken_by_end(self, seat: str) -> str | None:
        return "AMB-02" if self.must_end(seat) else None

    # --- what happens

    def play(self, seat: str, command: Command, shuffled_piles: list[list[str]]) -> None:
        """Plays a legal command, and all that follows from it; with the piles that come of shuffling, if any do."""
        self.shuffled_piles = list(shuffled_piles)
        getattr(self, "play_" + command[0].replace(" ", "_"))(seat, *command[1:])
        assert not self.shuffled_piles, "shuffled without need"

    def draw(self, seat: str) -> None:
        """A travel card for the hand, from the discard pile shuffled where there is no other (A-DRAW-02)."""
        if not self.pile:
            self.shuffle()
        if self.pile:
            self.hands[seat].append(self.pile.pop())
        if not self.pile and self.options["reshuffle"] == "at-once":
            self.shuffle()

    def shuffle(self) -> None:
        if self.discards:
            self.pile = self.shuffled_piles.pop(0)
            assert Counter(self.pile) == Counter(self.discards)
            self.discards = []
            self.shuffles += 1

    def play_draw(self, seat: str) -> None:
        self.action = "draw"
        for _ in range(self.limits["draw"]):
            self.draw(seat)
        self.end_action(seat)

    def play_turn(self, seat: str, book: str, half: str) -> None:
        self.action = "books"
        self.silver[seat] -= self.page_cost()
        self.turn_page()
        other_half = "right" if half == "left" else "left"
        self.books[book][other_half].append(self.lift_top_card(book, half))

    def lift_top_card(self, book: str, half: str) -> str:
        """Takes the top card of a half; all players see the card below it."""
        card = self.books[book][half].pop()
        self.seen_cards |= {half[-1] for half in self.books[book].values() if half}
        return card

    def play_buy(self, seat: str, book: str, half: str) -> None:
        self.action = "books"
        self.silver[seat] -= self.adventure_price()
        if self.options["bought_page"] == "counts":
            self.turn_page()
        if self.options["free_page"] == "purchase":
            self.free_pages += 1
        self.unfinished[seat].append(self.lift_top_card(book, half))

    def play_move(self, seat: str, place: str, card: str, is_recoloured: bool) -> None:
        self.action = "move"
        self.place_of[seat] = place
        self.has_moved = True
        self.hands[seat].remove(card)
        self.table.append(card)
        if is_recoloured:
            self.silver[seat] -= self.costs["recolouring"]
            if card.endswith("_assistant") and self.options["recoloured_assistants"] == "leave":
                self.changed_assistants.append(card)

    def play_join(self, seat: str, expedition: str) -> None:
        self.action = "move"
        self.markers.setdefault(expedition, []).append(seat)
        self.newly_joined_expeditions.append(expedition)
        if self.options["bonus"] == "first" and len(self.markers[expedition]) > 1:
            return
        bonus = self.box["bonuses"][self.spaces.index(expedition)]
        self.silver[seat] += bonus.get("silver", 0)
        for _ in range(bonus.get("travel_cards", 0)):
            self.draw(seat)

    def play_end_expedition(self, seat: str, expedition: str) -> None:
        self.action = "move"
        self.silver[seat] += self.expeditions[expedition]["silver"]
        self.finished[seat].append(expedition)
        self.spaces[self.spaces.index(expedition)] = ""
        del self.markers[expedition]

    def play_end_adventure(self, seat: str, adventure: str) -> None:
        self.action = "move"
        card = self.adventures[adventure]
        self.unfinished[seat].remove(adventure)
        self.finished[seat].append(adventure)
        if card.get("assistant"):
            self.supply[card["assistant"]] -= 1
            self.hands[seat].append(card["assistant"] + "_assistant")
        else:
            self.silver[seat] += card["silver"]

    def play_end(self, seat: str) -> None:
        self.action = self.action or "move"
        self.end_action(seat)

    def end_action(self, seat: str) -> None:
        for card in self.table:
            (self.discards if is_travel_card(card) else self.hands[seat]).append(card)
        for card in self.changed_assistants:
            self.hands[seat].remove(card)
            self.removed.append(card)
        self.table, self.changed_assistants = [], []
        self.action_is_over = True
        if self.excess_over_limits(seat) == (0, 0):
            self.end_turn(seat)

    def play_discard(self, seat: str, cards: tuple[str, ...], adventures: tuple[str, ...]) -> None:
        for card in cards:
            self.hands[seat].remove(card)
            (self.discards if is_travel_card(card) else self.removed).append(card)
        for adventure in adventures:
            self.unfinished[seat].remove(adventure)
            self.removed.append(adventure)
        self.end_turn(seat)

    def end_turn(self, seat: str) -> None:
        """Refills (A-EOT-07 to 09), and goes on with the next player, or ends the game (A-END-02)."""
        is_stack_too_short = self.spaces.count("") > len(self.stack)
        self.is_ending = self.is_ending or is_stack_too_short
        for space, card in enumerate(self.spaces):
            if not card and self.stack and not (is_stack_too_short and self.options["refill"] == "none"):
                self.spaces[space] = self.stack.pop()
        next_index = self.seats.index(seat) + 1
        if next_index < len(self.seats):
            self.begin_turn(self.seats[next_index])
        elif self.is_ending:
            self.end_game()
        else:
            self.round += 1
            self.begin_turn(self.seats[0])

    def end_game(self) -> None:
        self.is_over = True
        self.vp = {seat: self.score(seat) for seat in self.seats}
        standing_by_seat = {seat: (self.vp[seat], self.silver[seat]) for seat in self.seats}
        for standing in sorted(set(standing_by_seat.values()), reverse=True):
            self.ranking.append([seat for seat in self.seats if standing_by_seat[seat] == standing])
        self.winners = self.ranking[0]

    def score(self, seat: str) -> int:
        """VP at the end (A-SCORE-01 to 07)."""
        points, artifact_counts, assistant_count = 0, Counter[str](), 0
        for card in self.finished[seat]:
            if card in self.expeditions:
                points += self.expeditions[card]["vp"]
            elif self.adventures[card].get("assistant"):
                assistant_count += 1
            else:
                points += self.adventures[card]["vp"]
                artifact_counts[self.adventures[card]["artifact"]] += 1
        counts = tuple(sorted(artifact_counts.values(), reverse=True))
        collections = tuple(
            (collection["kind"], collection["size"], collection["vp"]) for collection in self.scoring["collections"]
        )
        points += value_of_collections(counts, collections)
        penalties = self.scoring["assistants"]
        points += penalties[min(assistant_count, len(penalties) - 1)]
        points += self.silver[seat] // self.scoring["silver_per_vp"]
        points += sum(map(is_travel_card, self.hands[seat])) // self.scoring["travel_cards_per_vp"]
        unfinished_count = sum(not self.adventures[card].get("assistant") for card in self.unfinished[seat])
        return points + unfinished_count * self.scoring["unfinished_artifact"]  # type: ignore[no-any-return]

    # --- all that is legal

    def legal_commands(self) -> Iterator[Command]:
        """Each legal command once; of discards that are alike, one."""
        if self.actor:
            yield from (
                command
                for command in self.conceivable_commands(self.seat)
                if not self.first_broken_rule(self.seat, command)
            )

    def conceivable_commands(self, seat: str) -> Iterator[Command]:
        """All commands that could be legal at best."""
        hand = sorted(self.hands[seat])
        yield from [("draw",), ("end",)]
        yield from product(("turn", "buy"), self.books, ("left", "right"))
        yield from product(("move",), self.places, sorted(set(hand)), (False, True))
        yield from product(("join", "end expedition"), self.expeditions)
        yield from product(("end adventure",), self.adventures)
        if self.action_is_over:
            excess_card_count, excess_adventure_count = self.excess_over_limits(seat)
            own_adventures = sorted(self.unfinished[seat])
            may_discard_more = self.options["discards"] == "more"
            for card_count in range(excess_card_count, len(hand) + 1 if may_discard_more else excess_card_count + 1):
                for adventure_count in range(
                    excess_adventure_count, len(own_adventures) + 1 if may_discard_more else excess_adventure_count + 1
                ):
                    yield from product(
                        ("discard",), set(combinations(hand, card_count)), combinations(own_adventures, adventure_count)
                    )

    # --- the whole position

    def position(self) -> dict[str, Any]:
        """All that lies on the table and in the hands, as plain data."""
        return {
            "actor": self.actor,
            "round": self.round,
            "turn": None if self.is_over else (self.action, self.free_pages, self.action_is_over),
            "pages": None if self.is_over or self.options["free_page"] == "purchase" else self.pages,
            "silver": dict(self.silver),
            "at": dict(self.place_of),
            "hands": {seat: sorted(hand) for seat, hand in self.hands.items()},
            "table": list(self.table),
            "pile": list(self.pile),
            "discards": sorted(self.discards),
            "shuffles": self.shuffles,
            "supply": dict(self.supply),
            "books": {half: (list(book["left"]), list(book["right"])) for half, book in self.books.items()},
            "unseen": {
                half: sum(card not in self.seen_cards for card in book["left"]) for half, book in self.books.items()
            },
            "unfinished": {seat: sorted(cards) for seat, cards in self.unfinished.items()},
            "finished": {seat: sorted(cards) for seat, cards in self.finished.items()},
            "stack": list(self.stack),
            "spaces": list(self.spaces),
            "markers": {card: sorted(seats) for card, seats in self.markers.items()},
            "removed": sorted(self.removed),
            "ending": self.is_ending,
            "vp": dict(self.vp),
            "winners": sorted(self.winners),
            "ranking": [sorted(place) for place in self.ranking],
        }


def is_travel_card(card: str) -> bool:
    """Whether it is a travel card, and neither a joker nor an assistant."""
    return card != "joker" and not card.endswith("_assistant")


def card_colour(card: str) -> str:
    """The colour of a travel card or an assistant."""
    return card.removesuffix("_assistant")


@cache
def value_of_collections(counts: tuple[int, ...], collections: tuple[tuple[str, int, int], ...]) -> int:
    """The best value of these artifacts, by trying every set (A-SCORE-04)."""
    best_value = 0
    remaining_artifacts = [artifact for artifact, count in enumerate(counts) if count]
    for kind, size, points in collections:
        if kind == "identical":
            possible_sets = [(artifact,) * size for artifact in remaining_artifacts if counts[artifact] >= size]
        else:
            possible_sets = list(combinations(remaining_artifacts, size))
        for chosen_artifacts in possible_sets:
            remaining_counts = [count - chosen_artifacts.count(artifact) for artifact, count in enumerate(counts)]
            best_value = max(
                best_value, points + value_of_collections(tuple(sorted(remaining_counts, reverse=True)), collections)
            )
    return best_value
