"""Cards: packs, hands, piles and tricks, which also work where cards are hidden, and keep what each seat knows of them.

A card is a text, its suit first: `h10`. A field `hands: dict[Seat, Hand]` is marked `OWNER`, a field `stock: Pile`
`NOBODY`. Both can be applied to redacted events: a hidden card is `?`, and whoever knows a card goes on seeing it. So
imagined worlds have the cards that were passed, taken or peeked at where they are, and no suit that a seat can't have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

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

    `seen_by` has the cards that other seats know, by seat, those that all know under `EVERYBODY`; `shown` those that a
    seat was shown in secret. `at_most` says how many cards of a suit, or how often a card, the hand can have: 0 after
    the seat could not follow suit. The hand has a card of each group in `one_of`. All know the last two.
    """

    cards: tuple[Card, ...] = ()
    seen_by: dict[Seat, tuple[Card, ...]] = {}
    at_most: dict[str, int] = {}
    shown: dict[Seat, tuple[Card, ...]] = {}
    one_of: tuple[tuple[Card, ...], ...] = ()

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
        at_most = {kind: count + len(cards) for kind, count in self.at_most.items()}
        return replace(self, cards=_sorted((*self.cards, *cards)), seen_by=new_seen_by, at_most=at_most)

    def play(self, card: Card, led: str = "") -> Hand:
        """The hand after it has played a card openly. `led` is the suit that had to be followed, if there was one."""
        seen_by, shown = (_without_known(cards_by_seat, card) for cards_by_seat in (self.seen_by, self.shown))
        at_most = {kind: count - (kind in (card, suit_of(card))) for kind, count in self.at_most.items()}
        if led and suit_of(card) != led:
            at_most[led] = 0
        one_of = tuple(group for group in self.one_of if card not in group)
        return Hand(remove_cards(self.cards, card), seen_by, at_most, shown, one_of)

    def show(self, seat: Seat, card: Card) -> Hand:
        """The hand after it has shown a card to one seat in secret."""
        if is_unknown(card):
            return self
        is_visible = any(each == card for each in self.cards if not is_unknown(each))
        cards = self.cards if is_visible else _sorted((*remove_cards(self.cards, card), card))
        shown_cards = _sorted({*self.shown.get(seat, ()), card})
        return replace(self, cards=cards, shown=self.shown | {seat: shown_cards})

    def has_one_of(self, *cards: Card) -> Hand:
        """The hand after all have learned that it has one of these cards or more."""
        return self if cards in self.one_of else replace(self, one_of=(*self.one_of, cards))

    def has_none_of(self, *cards: Card) -> Hand:
        """The hand after all have learned that it has none of these cards."""
        return replace(self, at_most=self.at_most | dict.fromkeys(cards, 0))

    def without(self, *cards: Card) -> Hand:
        """The hand without some cards that not all could see. What others knew of it may be gone, so they forget it."""
        remaining_cards = remove_cards(self.cards, *cards)
        if is_unknown(remaining_cards) or is_unknown(cards):
            remaining_cards = (UNKNOWN,) * len(remaining_cards)  # type: ignore[assignment]
        return Hand(remaining_cards, at_most=self.at_most)

    def seen_from(self, seat: Seat, *, is_owner: bool) -> Hand:
        """The hand as a seat knows it."""
        if is_owner:
            return self
        remaining_cards, visible_cards = [card for card in self.cards if not is_unknown(card)], list[Card]()
        known_cards = [self.seen_by.get(knower, ()) for knower in dict.fromkeys((EVERYBODY, seat))]
        shown_cards = tuple(card for card in self.shown.get(seat, ()) if not any(card in each for each in known_cards))
        for card in chain(*known_cards, shown_cards):
            if card in remaining_cards:
                remaining_cards.remove(card)
                visible_cards.append(card)
        seen_by = {
            other_seat: shared_cards
            for other_seat, cards in self.seen_by.items()
            if (shared_cards := tuple(card for card in cards if card in visible_cards))
        }
        hidden_cards = (UNKNOWN,) * (len(self.cards) - len(visible_cards))
        shown = {seat: self.shown[seat]} if seat in self.shown else {}
        return Hand(_sorted((*visible_cards, *hidden_cards)), seen_by, self.at_most, shown, self.one_of)  # type: ignore[arg-type]

    def room_for(self) -> dict[str, int]:
        """How many of the hidden cards can be of a suit, or a card, for what is limited."""
        visible_kinds = [kind for card in self.cards if not is_unknown(card) for kind in (card, suit_of(card))]
        return {kind: max(count - visible_kinds.count(kind), 0) for kind, count in self.at_most.items()}


class Pile(msgspec.Struct, frozen=True):
    """Cards face down, the top one first; each method gives another pile.

    `peeked` has, for cards from the top on, the seats that have looked at each. `suits` has their suits, where their
    backs tell them.
    """

    cards: tuple[Card, ...] = ()
    peeked: tuple[tuple[Seat, ...], ...] = ()
    suits: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    def top(self, count: int = 1) -> tuple[Card, ...]:
        """The first cards."""
        return self.cards[:count]

    def without_top(self, count: int = 1) -> Pile:
        """The pile without its first cards."""
        return Pile(self.cards[count:], self.peeked[count:], self.suits[count:])

    def peek(self, seat: Seat, *cards: Card) -> Pile:
        """The pile after a seat has looked at the top cards, `cards` as the event has them."""
        known_cards = _known(cards, self.cards)
        seats = [(*self._seats_at(index), seat) for index in range(len(cards))]
        new_cards, peeked = (*known_cards, *self.cards[len(cards) :]), (*map(tuple, seats), *self.peeked[len(cards) :])
        return Pile(new_cards, peeked, self.suits)

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
        return Pile(tuple(cards), self.peeked, self.suits)  # type: ignore[arg-type]

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


class _Slot(NamedTuple):
    """A hidden card of a holder: what it can't be (suits and cards), and its suit if its back tells it."""

    holder: int
    forbidden: frozenset[str]
    suit: str

    def takes(self, card: Card) -> bool:
        """Whether the hidden card may be this one."""
        return card.startswith(self.suit) and self.forbidden.isdisjoint((card, card[0]))


def deal_hidden(holders: Sequence[Hand | Pile], cards: Sequence[Card], rng: Random) -> list[Hand | Pile]:
    """The holders with their hidden cards filled from `cards`, which may be more, so that each can have what it gets.

    Raises `GameError` if there is no such deal.
    """
    groups = [(number, group) for number, holder in enumerate(holders) for group in _open_groups(holder)]
    for _ in range(ATTEMPTS):
        slots = [slot for number, holder in enumerate(holders) for slot in _slots(number, holder, rng)]
        dealt = _deal_greedily(slots, cards, rng)
        if dealt is not None and all(_has_one(slots, dealt, *each) for each in groups):
            break
    else:
        dealt = _deal_exactly(slots, groups, cards, rng)
    cards_by_holder: dict[int, list[Card]] = {}
    for slot, card in zip(slots, dealt, strict=True):
        cards_by_holder.setdefault(slot.holder, []).append(card)
    return [_filled(holder, cards_by_holder.get(number, [])) for number, holder in enumerate(holders)]


def _open_groups(holder: Hand | Pile) -> Iterator[tuple[Card, ...]]:
    """The groups of which a hand has a card, where it is a hidden one."""
    if isinstance(holder, Hand):
        visible_cards = {card for card in holder.cards if not is_unknown(card)}
        yield from (group for group in holder.one_of if visible_cards.isdisjoint(group))


def _slots(number: int, holder: Hand | Pile, rng: Random) -> Iterator[_Slot]:
    """The hidden cards of a holder, with what they can't be."""
    hidden_indices = [index for index, card in enumerate(holder.cards) if is_unknown(card)]
    suits = holder.suits if isinstance(holder, Pile) else ()
    forbidden: list[set[str]] = [set() for _ in hidden_indices]
    for kind, room in holder.room_for().items() if isinstance(holder, Hand) else ():
        for index in rng.sample(range(len(forbidden)), max(len(forbidden) - room, 0)):
            forbidden[index].add(kind)
    for index, kinds in zip(hidden_indices, forbidden, strict=True):
        yield _Slot(number, frozenset(kinds), suits[index] if index < len(suits) else "")


def _deal_greedily(slots: Sequence[_Slot], cards: Sequence[Card], rng: Random) -> list[Card] | None:
    """A card for each slot, the most limited slots first; None if that ends without one."""
    remaining_cards, dealt = rng.sample(list(cards), len(cards)), [""] * len(slots)
    for index in sorted(range(len(slots)), key=lambda index: (not slots[index].suit, -len(slots[index].forbidden))):
        position = next((i for i, card in enumerate(remaining_cards) if slots[index].takes(card)), None)
        if position is None:
            return None
        dealt[index] = remaining_cards.pop(position)
    return dealt


def _has_one(slots: Sequence[_Slot], dealt: Sequence[Card], number: int, group: Sequence[Card]) -> bool:
    return any(slot.holder == number and card in group for slot, card in zip(slots, dealt, strict=True))


def _deal_exactly(
    slots: Sequence[_Slot], groups: Sequence[tuple[int, Sequence[Card]]], cards: Sequence[Card], rng: Random
) -> list[Card]:
    """A card for each slot: a card of each group first, then the others by augmenting paths (bipartite matching)."""
    order, fixed = rng.sample(range(len(cards)), len(cards)), dict[int, int]()

    def fix(remaining: Sequence[tuple[int, Sequence[Card]]]) -> dict[int, int] | None:
        if not remaining:
            return _match(slots, cards, order, fixed)
        number, group = remaining[0]
        if any(slots[slot].holder == number and cards[card] in group for slot, card in fixed.items()):
            return fix(remaining[1:])
        for card in order:
            free = (i for i, each in enumerate(slots) if each.holder == number and i not in fixed)
            if cards[card] not in group or card in fixed.values():
                continue
            if (slot := next((each for each in free if slots[each].takes(cards[card])), None)) is not None:
                fixed[slot] = card
                if (matched := fix(remaining[1:])) is not None:
                    return matched
                del fixed[slot]
        return None

    card_of_slot = fix(groups)
    if card_of_slot is None:
        raise GameError(
            "what is hidden can't be dealt again",
            f"{numbered(len(slots), 'card')} {are(len(slots))} hidden, "
            f"and the {len(cards)} others of the pack don't fit",
            ["define redeal(seat, seed) in the game's module"],
        )
    return [cards[card_of_slot[slot]] for slot in range(len(slots))]


def _match(
    slots: Sequence[_Slot], cards: Sequence[Card], order: Sequence[int], fixed: Mapping[int, int]
) -> dict[int, int] | None:
    """The number of a card for each slot, by the number of the slot; None if there is no such deal."""
    slot_of_card = {card: slot for slot, card in fixed.items()}

    def place(slot: int, tried: set[int]) -> bool:
        for number in order:
            if number not in tried and slots[slot].takes(cards[number]):
                tried.add(number)
                if number not in slot_of_card or place(slot_of_card[number], tried):
                    slot_of_card[number] = slot
                    return True
        return False

    if all(place(slot, {*fixed.values()}) for slot in range(len(slots)) if slot not in fixed):
        return {slot: card for card, slot in slot_of_card.items()}
    return None


def _without_known(cards_by_seat: Mapping[Seat, tuple[Card, ...]], card: Card) -> dict[Seat, tuple[Card, ...]]:
    """What seats know of a hand after it has lost a card openly."""
    remaining_cards = {
        seat: remove_cards(cards, card) if card in cards else cards for seat, cards in cards_by_seat.items()
    }
    return {seat: cards for seat, cards in remaining_cards.items() if cards}


def _filled(holder: Hand | Pile, new_cards: Sequence[Card]) -> Hand | Pile:
    drawn_cards = iter(new_cards)
    cards = tuple(next(drawn_cards) if is_unknown(card) else card for card in holder.cards)
    return replace(holder, cards=_sorted(cards) if isinstance(holder, Hand) else cards)


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
