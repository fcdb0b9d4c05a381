"""Cards: packs, hands, piles and tricks, which also work where cards are hidden, and keep what each seat knows of them.

A card is a text, its suit first: `h10`. A field `hands: dict[Seat, Hand]` is marked `OWNER`, a field `stock: Pile`
`NOBODY`. Both can be applied to redacted events: a hidden card is `?`, and whoever knows a card goes on seeing it. So
imagined worlds have the cards that were passed, taken or peeked at where they are, and no suit that a seat can't have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

import msgspec

from zimcore.game import GameError, Seat
from zimcore.toolkit.unknown import UNKNOWN, is_unknown
from zimcore.toolkit.words import are, numbered

Card: TypeAlias = str
SUITS, RANKS = "cdhs", ("2", "3", "4", "5", "6", "7", "8", "9", "10", "j", "q", "k", "a")
EVERYBODY: Seat = ""
"""The seat that stands for all seats and spectators in `seen_by`."""
ATTEMPTS = 20
"""How often hidden cards are dealt at random before an exact search for a deal."""


def make_pack(suits: str = SUITS, ranks: Sequence[str] = RANKS) -> tuple[Card, ...]:
    """All cards of some suits and ranks.

    >>> make_pack("ch", ("9", "10"))
    ('c9', 'c10', 'h9', 'h10')
    """
    return tuple(suit + rank for suit in suits for rank in ranks)


def suit_of(card: Card) -> str:
    """The suit of a card. Raises `HiddenError` for a hidden one."""
    return card[0]


def rank_of(card: Card, ranks: Sequence[str] = RANKS) -> int:
    """The place of a card's rank among all ranks, from 0.

    >>> rank_of("h10") > rank_of("h9")
    True
    """
    return ranks.index(card[1:])


def deal(cards: Sequence[Card], seats: Sequence[Seat], size: int) -> dict[Seat, tuple[Card, ...]]:
    """Hands of `size` cards for the seats, from the top of a pack.

    >>> deal(("c2", "c3", "c4", "c5", "c6"), ("ann", "ben"), 2)
    {'ann': ('c2', 'c3'), 'ben': ('c4', 'c5')}
    """
    return {seat: tuple(cards[index * size :][:size]) for index, seat in enumerate(seats)}


def remove_cards(cards: tuple[Card, ...], *cards_to_remove: Card) -> tuple[Card, ...]:
    """Removes some cards, each once. A card that is not visible in `cards` must be one of the unknown ones.

    >>> remove_cards(("c6", "c6", "h9"), "c6")
    ('c6', 'h9')
    """
    remaining_cards = list(cards)
    for card in cards_to_remove:
        positions = [index for index, each in enumerate(remaining_cards) if not is_unknown(each)]
        visible = None if is_unknown(card) else next((i for i in positions if remaining_cards[i] == card), None)
        hidden = next((index for index, each in enumerate(remaining_cards) if is_unknown(each)), None)
        position = hidden if visible is None else visible
        if position is None:
            raise ValueError(f"{card} is not among {' '.join(map(str, cards)) or 'no cards'}")
        del remaining_cards[position]
    return tuple(remaining_cards)


class Hand(msgspec.Struct, frozen=True):
    """The cards of a seat, sorted, hidden ones last; each method gives another hand.

    `seen_by` has the cards that other seats know, by seat, those that all know under `EVERYBODY`. `at_most` says how
    many cards of a suit the hand can have: 0 after the seat could not follow suit.
    """

    cards: tuple[Card, ...] = ()
    seen_by: dict[Seat, tuple[Card, ...]] = {}
    at_most: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    def __contains__(self, card: object) -> bool:
        return card in self.cards

    def plus(self, *cards: Card, seen_by: Sequence[Seat] = ()) -> Hand:
        """The hand with more cards; `seen_by` are other seats that know them, such as the one that passed them."""
        known_cards = [card for card in cards if not is_unknown(card)]
        new_seen_by = dict(self.seen_by)
        for seat in seen_by if known_cards else ():
            new_seen_by[seat] = _sorted((*new_seen_by.get(seat, ()), *known_cards))
        at_most = {suit: count + len(cards) for suit, count in self.at_most.items()}
        return Hand(_sorted((*self.cards, *cards)), new_seen_by, at_most)

    def play(self, card: Card, led: str = "") -> Hand:
        """The hand after it has played a card openly. `led` is the suit that had to be followed, if there was one."""
        seen_by = {seat: remove_cards(cards, card) if card in cards else cards for seat, cards in self.seen_by.items()}
        at_most = {suit: count - (suit == suit_of(card)) for suit, count in self.at_most.items()}
        if led and suit_of(card) != led:
            at_most[led] = 0
        return Hand(remove_cards(self.cards, card), {seat: cards for seat, cards in seen_by.items() if cards}, at_most)

    def without(self, *cards: Card) -> Hand:
        """The hand without some cards that not all could see. What others knew of it may be gone, so they forget it."""
        remaining_cards = remove_cards(self.cards, *cards)
        if is_unknown(remaining_cards) or is_unknown(cards):
            remaining_cards = (UNKNOWN,) * len(remaining_cards)  # type: ignore[assignment]
        return Hand(remaining_cards, {}, self.at_most)

    def seen_from(self, seat: Seat, *, is_owner: bool) -> Hand:
        """The hand as a seat knows it."""
        if is_owner:
            return self
        remaining_cards, visible_cards = [card for card in self.cards if not is_unknown(card)], list[Card]()
        for knower in dict.fromkeys((EVERYBODY, seat)):
            for card in self.seen_by.get(knower, ()):
                if card in remaining_cards:
                    remaining_cards.remove(card)
                    visible_cards.append(card)
        seen_by = {
            other_seat: shared_cards
            for other_seat, cards in self.seen_by.items()
            if (shared_cards := tuple(card for card in cards if card in visible_cards))
        }
        hidden_cards = (UNKNOWN,) * (len(self.cards) - len(visible_cards))
        return Hand(_sorted((*visible_cards, *hidden_cards)), seen_by, self.at_most)  # type: ignore[arg-type]

    def room_for(self) -> dict[str, int]:
        """How many of the hidden cards can be of a suit, for the suits that are limited."""
        visible_suits = [suit_of(card) for card in self.cards if not is_unknown(card)]
        return {suit: max(count - visible_suits.count(suit), 0) for suit, count in self.at_most.items()}


class Pile(msgspec.Struct, frozen=True):
    """Cards face down, the top one first; each method gives another pile.

    `peeked` has, for cards from the top on, the seats that have looked at each.
    """

    cards: tuple[Card, ...] = ()
    peeked: tuple[tuple[Seat, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    def top(self, count: int = 1) -> tuple[Card, ...]:
        """The first cards."""
        return self.cards[:count]

    def without_top(self, count: int = 1) -> Pile:
        """The pile without its first cards."""
        return Pile(self.cards[count:], self.peeked[count:])

    def peek(self, seat: Seat, *cards: Card) -> Pile:
        """The pile after a seat has looked at the top cards, `cards` as the event has them."""
        known_cards = _known(cards, self.cards)
        seats = [(*self._seats_at(index), seat) for index in range(len(cards))]
        return Pile((*known_cards, *self.cards[len(cards) :]), (*map(tuple, seats), *self.peeked[len(cards) :]))

    def draw_to(self, hand: Hand, owner: Seat, *cards: Card) -> tuple[Pile, Hand]:
        """The pile and a hand after its owner has drawn the top cards, `cards` as the event has them."""
        for index, card in enumerate(_known(cards, self.cards)):
            hand = hand.plus(card, seen_by=[seat for seat in self._seats_at(index) if seat != owner])
        return self.without_top(len(cards)), hand

    def seen_from(self, seats: Sequence[Seat]) -> Pile:
        """The pile as some seats know it together."""
        cards = [
            card if {EVERYBODY, *seats} & {*self._seats_at(index)} else UNKNOWN for index, card in enumerate(self.cards)
        ]
        return Pile(tuple(cards), self.peeked)  # type: ignore[arg-type]

    def _seats_at(self, index: int) -> tuple[Seat, ...]:
        return self.peeked[index] if index < len(self.peeked) else ()


def pass_cards(
    hands: dict[Seat, Hand], aside: dict[Seat, Hand], giver: Seat, receiver: Seat, cards: Sequence[Card]
) -> None:
    """Moves the cards that a giver has set aside into the receiver's hand. Both know them; `cards` are the event's.

    First all seats set theirs aside, with `Hand.without`, then all receive.
    """
    set_aside = aside.pop(giver)
    passed_cards = _known(cards, set_aside.cards) if is_unknown(tuple(cards)) else tuple(cards)
    hands[receiver] = hands[receiver].plus(*passed_cards, seen_by=(giver,))


def playable(hand: Hand, led: str = "") -> tuple[Card, ...]:
    """The cards that a hand may play: of the suit that was led, or any if it has none of it."""
    return tuple(card for card in hand if suit_of(card) == led) or hand.cards


def trick_winner(trick: Mapping[Seat, Card], trump: str = "", ranks: Sequence[str] = RANKS) -> Seat:
    """Who takes a trick, whose first card was led: the highest trump, or else the highest card of the suit led.

    >>> trick_winner({"ann": "h9", "ben": "h10", "cid": "c2"}), trick_winner({"ann": "h9", "ben": "c2"}, trump="c")
    ('ben', 'ben')
    """
    led = suit_of(next(iter(trick.values())))

    def strength(seat: Seat) -> tuple[bool, bool, int]:
        card = trick[seat]
        return suit_of(card) == trump, suit_of(card) == led, rank_of(card, ranks)

    return max(trick, key=strength)


def deal_hidden(holders: Sequence[Hand | Pile], cards: Sequence[Card], rng: Random) -> list[Hand | Pile]:
    """The holders with their hidden cards filled from `cards`, which may be more, so that no hand has a suit it can't.

    Raises `GameError` if there is no such deal.
    """
    slots = [(number, suits) for number, holder in enumerate(holders) for suits in _slots(holder, rng)]
    for _ in range(ATTEMPTS):
        dealt = _deal_greedily(slots, cards, rng)
        if dealt is not None:
            break
        slots = [(number, suits) for number, holder in enumerate(holders) for suits in _slots(holder, rng)]
    else:
        dealt = _deal_exactly(slots, cards, rng)
    cards_by_holder: dict[int, list[Card]] = {}
    for (number, _), card in zip(slots, dealt, strict=True):
        cards_by_holder.setdefault(number, []).append(card)
    return [_filled(holder, cards_by_holder.get(number, [])) for number, holder in enumerate(holders)]


def _slots(holder: Hand | Pile, rng: Random) -> Iterator[frozenset[str]]:
    """For each hidden card of a holder, the suits that it can't have."""
    count = sum(map(is_unknown, holder.cards))
    forbidden: list[set[str]] = [set() for _ in range(count)]
    for suit, room in holder.room_for().items() if isinstance(holder, Hand) else ():
        for index in rng.sample(range(count), max(count - room, 0)):
            forbidden[index].add(suit)
    return map(frozenset, forbidden)


def _deal_greedily(
    slots: Sequence[tuple[int, frozenset[str]]], cards: Sequence[Card], rng: Random
) -> list[Card] | None:
    """A card for each slot, the most limited slots first; None if that ends without one."""
    remaining_cards, dealt = rng.sample(list(cards), len(cards)), [""] * len(slots)
    for index in sorted(range(len(slots)), key=lambda index: -len(slots[index][1])):
        forbidden = slots[index][1]
        position = next((i for i, card in enumerate(remaining_cards) if card[0] not in forbidden), None)
        if position is None:
            return None
        dealt[index] = remaining_cards.pop(position)
    return dealt


def _deal_exactly(slots: Sequence[tuple[int, frozenset[str]]], cards: Sequence[Card], rng: Random) -> list[Card]:
    """A card for each slot, by augmenting paths. In other words: bipartite matching."""
    order, slot_of_card = rng.sample(range(len(cards)), len(cards)), dict[int, int]()

    def place(slot: int, tried: set[int]) -> bool:
        for number in order:
            if number not in tried and cards[number][0] not in slots[slot][1]:
                tried.add(number)
                if number not in slot_of_card or place(slot_of_card[number], tried):
                    slot_of_card[number] = slot
                    return True
        return False

    if not all(place(slot, set()) for slot in range(len(slots))):
        raise GameError(
            "what is hidden can't be dealt again",
            f"{numbered(len(slots), 'card')} {are(len(slots))} hidden, "
            f"and the {len(cards)} others of the pack don't fit",
            ["define redeal(seat, seed) in the game's module"],
        )
    card_of_slot = {slot: cards[number] for number, slot in slot_of_card.items()}
    return [card_of_slot[slot] for slot in range(len(slots))]


def _filled(holder: Hand | Pile, new_cards: Sequence[Card]) -> Hand | Pile:
    drawn_cards = iter(new_cards)
    cards = tuple(next(drawn_cards) if is_unknown(card) else card for card in holder.cards)
    return msgspec.structs.replace(holder, cards=_sorted(cards) if isinstance(holder, Hand) else cards)


def _known(cards: Sequence[Card], other_cards: Sequence[Card]) -> tuple[Card, ...]:
    """The cards, those that are hidden as the other ones have them."""
    return tuple(other_card if is_unknown(card) else card for card, other_card in zip(cards, other_cards, strict=False))


def _sorted(cards: Iterable[Card]) -> tuple[Card, ...]:
    return tuple(sorted(cards, key=card_order))


def card_order(card: Any) -> tuple[bool, str, int, str]:
    """Sorts cards by suit and rank, hidden ones last.

    >>> sorted(["h10", "c2", "h9"], key=card_order)
    ['c2', 'h9', 'h10']
    """
    if is_unknown(card):
        return True, "", 0, ""
    rank = card[1:]
    return False, card[:1], RANKS.index(rank) if rank in RANKS else -1, rank
