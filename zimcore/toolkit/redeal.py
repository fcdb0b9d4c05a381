"""Deals hidden values again, for games whose secrets are marks: worlds for bots, and forks that reveal nothing.

Marks say what is hidden, not what it could be. That is learned from some set-ups: the values of marked fields are
grouped into pools (the fields of one deck share values), and each pool is a fixed set that was shuffled, distinct
values out of more, or independent values. What a seat sees in marked fields is taken out of the pool, and the rest
fills what it can't see. Where the author's `pack(state)` says which cards there are, these are dealt, to hands that can
have them (see `cards`). A sealed choice is no dealt value: it is taken back, and its seat chooses again, unless the
position after that can't be the one before.

In other words: determinization, information set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, islice
from random import Random
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from zimcore.game import Deal, Event, Game, GameError, HiddenError, Seat
from zimcore.toolkit.cards import Card, Hand, Pile, deal_hidden
from zimcore.toolkit.chance import generator
from zimcore.toolkit.unknown import UNKNOWN, is_unknown

SETUP_COUNT = 24
"""How many set-ups are looked at to learn what could be hidden."""
MAX_OPEN_FIELDS = 6
"""Of how many open fields with cards some may only name them."""
MAX_LISTED = 200
"""How many legal commands are looked at for one of each kind."""
ATTEMPTS = 100
"""How often hidden values are dealt again because the author's `invariant` does not hold."""
PROBLEM = "what is hidden can't be dealt again"
HINT = "define redeal(seat, seed) in the game's module"


class Redeal(Deal, frozen=True, tag="redeal_hidden.1"):
    """Deals again what a seat does not know."""

    seat: Seat
    seed: int


class HiddenRedealt(Event, frozen=True, tag="hidden_redealt.1"):
    """New values of hidden fields, as builtin types; of a field by seat, only the entries that are new.

    `choosing` has the seats, by field, whose sealed choice is taken back.
    """

    values: dict[str, Any]
    choosing: Mapping[str, tuple[Seat, ...]] = {}


class Pool(NamedTuple):
    """What the hidden values of some fields may be: each value with its number, and whether they are drawn anew."""

    fields: frozenset[str]
    kind: type
    counts: Counter[Any]
    is_independent: bool


class HiddenPools:
    """What could be hidden in a game, learned from its set-ups. `marks` are those of its state and its set-up."""

    def __init__(self, game: Game, marks: Mapping[type[msgspec.Struct], Mapping[str, str]]) -> None:
        self.game = game
        self.marks = marks
        self._pools_for: Callable[[int], Sequence[Pool]] = cache(lambda players: self._learn(players))

    def fill_event(self, visible_state: Any, rng: Random) -> HiddenRedealt:
        """The event that fills what is hidden in a concealed state, so that the author's `invariant` holds if it can.

        Raises `GameError` if set-ups do not tell what could be there.
        """
        event = self._fill_anyhow(visible_state, rng)
        for _ in range(ATTEMPTS if hasattr(self.game.evolution, "invariant") else 0):
            world = self.game.evolution.copy(visible_state)
            refill(world, event)
            if not broken_rule(self.game, world):
                break
            event = self._fill_anyhow(visible_state, rng)
        return event

    def _fill_anyhow(self, visible_state: Any, rng: Random) -> HiddenRedealt:
        values, possible_choices = dict[str, Any](), dict[str, tuple[Seat, ...]]()
        hidden_names, pack = self._hidden_fields(visible_state), self._pack(visible_state)
        card_names = [name for name in hidden_names if self._holds_cards(visible_state, name, pack)]
        for name in hidden_names:
            if name not in card_names and self._index(visible_state, name) is None:
                possible_choices[name] = self._seats_with_sealed_choices(visible_state, name)
        choices = {name: seats for name, seats in possible_choices.items() if seats}
        if card_names:
            naming_fields = self.naming_fields(visible_state)
            cards_by_field = _cards_in_fields(visible_state, self.marks.get(type(visible_state), {}), pack)
            seen_cards = sum(
                (each for name, each in cards_by_field.items() if name not in naming_fields), Counter[Card]()
            )
            values |= _deal_cards(visible_state, card_names, pack, seen_cards, rng)
        values |= self._draw(visible_state, {*hidden_names} - {*card_names, *choices}, rng)
        event = HiddenRedealt(msgspec.to_builtins(values), choices)
        if choices and not self._can_be_chosen_again(visible_state, event):
            values |= self._draw(visible_state, {*choices}, rng)
            return HiddenRedealt(msgspec.to_builtins(values), {})
        return event

    def _hidden_fields(self, visible_state: Any) -> Sequence[str]:
        names = self.marks.get(type(visible_state), {})
        return [name for name in names if any(leaf is UNKNOWN for leaf in leaves(getattr(visible_state, name)))]

    def naming_fields(self, visible_state: Any) -> Collection[str]:
        """The open fields that only name cards which are elsewhere, as a question does.

        That is told by the number of cards: with these fields there would be more or fewer than the pack has. The
        fewest that fit are taken; none if that does not tell.
        """
        marks, pack = self.marks.get(type(visible_state), {}), self._pack(visible_state)
        if not pack:  # the author deals hands by a `redeal` of their own
            return ()
        counts, cards_by_field = Counter(pack), _cards_in_fields(visible_state, marks, pack)
        holders = [
            holder
            for name in self._hidden_fields(visible_state)
            for _, holder, has_own_pack in _holders(name, getattr(visible_state, name))
            if not has_own_pack and self._holds_cards(visible_state, name, pack)
        ]
        hidden_count = sum(leaf is UNKNOWN for holder in holders for leaf in leaves(holder))
        open_fields = [name for name, cards in cards_by_field.items() if cards and name not in marks][:MAX_OPEN_FIELDS]
        for count in range(len(open_fields) + 1):
            for naming_fields in combinations(open_fields, count):
                seen_cards = (cards for name, cards in cards_by_field.items() if name not in naming_fields)
                if (sum(seen_cards, Counter[Card]()) & counts).total() + hidden_count == len(pack):
                    return naming_fields
        return ()

    def _pack(self, visible_state: Any) -> Sequence[Card]:
        """The cards of this deal, by the author's `pack(state)`; none if there is no such function."""
        author_module = getattr(self.game.evolution, "author_module", None)
        make_pack = getattr(author_module, "pack", None)
        return tuple(make_pack(visible_state)) if make_pack else ()

    def _holds_cards(self, visible_state: Any, name: str, pack: Sequence[Card]) -> bool:
        """Whether a field has hands or piles, or values of the pack."""
        holders = [holder for _, holder, _ in _holders(name, getattr(visible_state, name))]
        if any(isinstance(holder, (Hand, Pile)) for holder in holders):
            if not pack:
                raise GameError(PROBLEM, "its module has no function `pack(state)`: all cards of the deal", [HINT])
            return True
        if not pack or not all(isinstance(holder, tuple) for holder in holders):
            return False
        pools = self._pools_for(len(self.game.evolution.seats(visible_state)))
        index = self._index(visible_state, name)
        if index is None:
            types = _types_in(get_type_hints(type(visible_state))[name])
            return {str, tuple} <= types
        return {*pools[index].counts} <= {*pack}

    def _index(self, visible_state: Any, name: str) -> int | None:
        return _pool_index(self._pools_for(len(self.game.evolution.seats(visible_state))), name)

    def _draw(self, visible_state: Any, names: Iterable[str], rng: Random) -> dict[str, Any]:
        """New values of hidden fields, from the pools."""
        pools = self._pools_for(len(self.game.evolution.seats(visible_state)))
        names_by_pool: dict[int, list[str]] = {}
        for name in self.marks.get(type(visible_state), {}):
            if name in names:
                index = _pool_index(pools, name)
                pool_number = self._guess_pool(pools, visible_state, name) if index is None else index
                names_by_pool.setdefault(pool_number, []).append(name)
        values = dict[str, Any]()
        for index, pool_names in names_by_pool.items():
            known_values = [leaf for name in pools[index].fields for leaf in leaves(getattr(visible_state, name, ()))]
            hidden_count = sum(leaf is UNKNOWN for name in pool_names for leaf in leaves(getattr(visible_state, name)))
            drawn_values = iter(
                _draw_values(
                    pools[index], known_values, self._public_values(visible_state, pools[index]), hidden_count, rng
                )
            )
            values |= {name: _fill_hidden(getattr(visible_state, name), drawn_values) for name in pool_names}
        return values

    def _can_be_chosen_again(self, visible_state: Any, event: HiddenRedealt) -> bool:
        """Whether the position without the sealed choices is the one before them: a choice leads back to this one."""
        rules, evolution = self.game.rules, self.game.evolution
        state = evolution.copy(visible_state)
        refill(state, event)
        try:
            for seat in dict.fromkeys(seat for seats in event.choosing.values() for seat in seats):
                commands = {type(command): command for command in islice(rules.legal(state, seat), MAX_LISTED)}
                states = [rules.apply(state, seat, command).state for command in commands.values()]
                chosen = (each for each in states if any(seat in getattr(each, name) for name in event.choosing))
                state = next(chosen, None)
                if state is None:
                    return False
        except (HiddenError, LookupError):  # it needs what is hidden from this seat
            return True
        return agrees(visible_state, state)

    def _seats_with_sealed_choices(self, visible_state: Any, name: str) -> tuple[Seat, ...]:
        """The seats whose hidden entry in a field is a sealed choice: without it, they would be to move."""
        entries = getattr(visible_state, name)
        if not isinstance(entries, dict):
            return ()
        sealed_seats = [seat for seat, value in entries.items() if any(leaf is UNKNOWN for leaf in leaves(value))]
        seats_to_move = self._to_move(visible_state)
        remaining_entries = {seat: value for seat, value in entries.items() if seat not in sealed_seats}
        movers_without_entries = self._to_move(msgspec.structs.replace(visible_state, **{name: remaining_entries}))
        return tuple(sealed_seats) if set(sealed_seats) <= set(movers_without_entries) - set(seats_to_move) else ()

    def _to_move(self, state: Any) -> tuple[Seat, ...]:
        try:
            return self.game.evolution.to_move(state)
        except (HiddenError, LookupError):  # a rule that looks into the field
            return ()

    def _guess_pool(self, pools: Sequence[Pool], visible_state: Any, name: str) -> int:
        """The pool of a field that is empty at set-up: the only one of its type."""
        types = _types_in(get_type_hints(type(visible_state))[name])
        pool_indices = [index for index, pool in enumerate(pools) if pool.kind in types]
        if len(pool_indices) == 1:
            return pool_indices[0]
        raise GameError(PROBLEM, f"set-ups don't tell what {type(visible_state).__name__}.{name} may be", [HINT])

    def _public_values(self, visible_state: Any, pool: Pool) -> list[Any]:
        """The values of a pool that lie in fields without marks. A number there may be anything, so none is counted."""
        if pool.kind in (int, float, bool):
            return []
        field_marks = self.marks.get(type(visible_state), {})
        names = [name for name in visible_state.__struct_fields__ if name not in field_marks]
        return [leaf for name in names for leaf in leaves(getattr(visible_state, name)) if _is_countable(leaf, pool)]

    def _learn(self, players: int) -> Sequence[Pool]:
        """The pools of a game for a number of players."""
        rules, evolution = self.game.rules, self.game.evolution
        options = {"players": str(players)} if "players" in rules.OPTIONS else {}
        deals, values_by_name = list[dict[str, list[Any]]](), dict[str, set[Any]]()
        try:
            for seed in range(SETUP_COUNT):
                command = rules.set_up(options, seed)
                state = rules.apply(evolution.initial(), "", command).state
                values_by_field = {
                    f"{type(form).__name__}.{name}": value
                    for form, name, value in self._marked_fields((command, state))
                }
                deals.append(values_by_field)
                for name, field_values in values_by_field.items():
                    values_by_name.setdefault(name, set()).update(field_values)
        except TypeError as error:  # a value without a hash
            raise GameError(PROBLEM, f"its values can't be compared: {error}", [HINT]) from error
        state_name = type(state).__name__
        groups_of_fields = _group_overlapping({name: values for name, values in values_by_name.items() if values})
        return [_make_pool(field_names, deals, state_name, type(command).__name__) for field_names in groups_of_fields]

    def _marked_fields(self, structs: Iterable[Any]) -> Iterator[tuple[Any, str, list[Any]]]:
        for struct in structs:
            for name in self.marks.get(type(struct), {}):
                yield struct, name, [leaf for leaf in leaves(getattr(struct, name)) if leaf is not None]


def broken_rule(game: Game, state: Any) -> str:
    """What the author's `invariant` says of a state; "" where it holds, or there is none."""
    try:
        return str(getattr(game.evolution, "invariant", lambda _: "")(state) or "")
    except AssertionError as error:
        return str(error) or "an assertion fails"


def redeal_event(game: Game, state: Any, command: Redeal) -> HiddenRedealt:
    """The event that follows from the command. Raises `GameError` if set-ups do not tell what could be hidden."""
    if game.secrets is None or not hasattr(game.secrets, "pools"):
        raise GameError(PROBLEM, f"{game.title} has no marks", [HINT])
    pools: HiddenPools = game.secrets.pools
    return pools.fill_event(game.secrets.conceal(state, command.seat), generator(command.seed, "redeal"))


def refill(state: Any, event: HiddenRedealt) -> None:
    """Applies the event to a state, in place."""
    type_by_field = get_type_hints(type(state))
    for name, value in event.values.items():
        old_value, new_value = getattr(state, name), msgspec.convert(value, type_by_field[name])
        setattr(state, name, old_value | new_value if isinstance(old_value, dict) else new_value)
    for name, seats in event.choosing.items():
        setattr(state, name, {seat: entry for seat, entry in getattr(state, name).items() if seat not in seats})


def agrees(visible_value: Any, value: Any) -> bool:
    """Whether a value may be what is seen of it: `?` may be anything, and a hand with `?` has the cards that are seen.

    >>> agrees({"ann": (UNKNOWN, 2)}, {"ann": (1, 2)}), agrees((UNKNOWN,), (1, 2))
    (True, False)
    """
    if visible_value is UNKNOWN:
        return True
    if isinstance(visible_value, Hand) and isinstance(value, Hand) and is_unknown(visible_value.cards):
        visible_cards = Counter(card for card in visible_value if not is_unknown(card))
        return len(visible_value) == len(value) and visible_cards <= Counter(value.cards)
    if type(visible_value) is not type(value):
        return False
    if isinstance(visible_value, msgspec.Struct):
        return all(agrees(getattr(visible_value, name), getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(visible_value, Mapping):
        return visible_value.keys() == value.keys() and all(agrees(visible_value[key], value[key]) for key in value)
    if isinstance(visible_value, (tuple, list)):
        return len(visible_value) == len(value) and all(map(agrees, visible_value, value))
    return bool(visible_value == value)


def _holders(name: str, value: Any) -> list[tuple[tuple[Any, ...], Any, bool]]:
    """What holds cards in a field: its path, the hand, pile or tuple, and whether it has a pack of its own.

    Several in a tuple are the packs of later deals.
    """
    if isinstance(value, Mapping):
        return [(("entry", key), item, False) for key, item in value.items()]
    if isinstance(value, tuple) and any(isinstance(item, (tuple, Pile, Hand)) for item in value):
        return [(("item", index), item, True) for index, item in enumerate(value)]
    return [((), value, False)]


def _deal_cards(
    visible_state: Any, names: Sequence[str], pack: Sequence[Card], seen_cards: Mapping[Card, int], rng: Random
) -> dict[str, Any]:
    """New values of fields with hidden cards: cards of the pack that are seen nowhere else; packs of later deals."""
    holders = [(name, *holder) for name in names for holder in _holders(name, getattr(visible_state, name))]
    shared = [holder for *_, holder, is_alone in holders if not is_alone]
    dealt = iter(deal_hidden([*map(_as_holder, shared)], _unseen(pack, seen_cards), rng))
    values = dict[str, Any]()
    for name, path, holder, is_alone in holders:
        seen_in_pack = Counter(card for card in leaves(holder) if not is_unknown(card))
        new_holder = deal_hidden([_as_holder(holder)], _unseen(pack, seen_in_pack), rng)[0] if is_alone else next(dealt)
        new_value = new_holder.cards if isinstance(holder, tuple) else new_holder
        if not path:
            values[name] = new_value
        elif path[0] == "item":
            values.setdefault(name, []).append(new_value)
        elif any(leaf is UNKNOWN for leaf in leaves(holder)):
            values.setdefault(name, {})[path[1]] = new_value
    return values


def _cards_in_fields(visible_state: Any, marks: Mapping[str, str], pack: Sequence[Card]) -> dict[str, Counter[Card]]:
    """The cards of a pack that are seen in each field, but for the packs of later deals."""
    cards, names = {*pack}, visible_state.__struct_fields__
    later_fields = {name for name in marks if any(own for *_, own in _holders(name, getattr(visible_state, name)))}
    return {
        name: Counter(leaf for leaf in leaves(getattr(visible_state, name)) if isinstance(leaf, str) and leaf in cards)
        for name in names
        if name not in later_fields
    }


def _as_holder(value: Any) -> Hand | Pile:
    return value if isinstance(value, (Hand, Pile)) else Pile(value)


def _unseen(pack: Sequence[Card], seen_cards: Mapping[Card, int]) -> list[Card]:
    """The cards of a pack that are not seen; a card that is there once may be seen in several fields."""
    counts = Counter(pack)
    return [card for card, count in counts.items() for _ in range(count - min(seen_cards.get(card, 0), count))]


def leaves(value: Any) -> Iterator[Any]:
    """The single values in a field: those in its tuples, lists and dicts, and the cards of hands and piles.

    >>> list(leaves({"amina": (1, 2), "badr": ()}))
    [1, 2]
    """
    if isinstance(value, (Hand, Pile)):
        value = value.cards
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def _fill_hidden(value: Any, drawn_values: Iterator[Any]) -> Any:
    """The value with what is hidden filled in; of a dict only the entries that had something hidden."""
    if isinstance(value, Mapping):
        hidden_entries = {key: item for key, item in value.items() if any(leaf is UNKNOWN for leaf in leaves(item))}
        return {key: _fill_hidden(item, drawn_values) for key, item in hidden_entries.items()}
    if isinstance(value, (tuple, list)):
        return [
            _fill_hidden(item, drawn_values) if item is UNKNOWN or isinstance(item, (tuple, list)) else item
            for item in value
        ]
    return next(drawn_values) if value is UNKNOWN else value


def _draw_values(
    pool: Pool, known_values: Iterable[Any], public_values: Iterable[Any], hidden_count: int, rng: Random
) -> list[Any]:
    """Values for what is hidden, without those that are known. Raises `GameError` if there are too few."""
    if pool.is_independent:
        return rng.choices(list(pool.counts.elements()), k=hidden_count)
    remaining_counts = pool.counts - Counter(value for value in known_values if value is not UNKNOWN)
    for value in public_values:
        if remaining_counts.total() > hidden_count and remaining_counts[value]:
            remaining_counts[value] -= 1
    values = sorted(remaining_counts.elements(), key=msgspec.json.encode)
    if len(values) < hidden_count:
        reason = f"{hidden_count} values are hidden, and its set-ups leave {len(values)}"
        raise GameError(PROBLEM, reason, [HINT])
    return rng.sample(values, hidden_count)


def _make_pool(
    field_names: frozenset[str], deals: Sequence[Mapping[str, Sequence[Any]]], state_name: str, command_name: str
) -> Pool:
    """The pool of a group of fields. The set-up command has all values, where it has any; else the state has."""
    source_names = [name for name in field_names if name.startswith(f"{command_name}.")] or [*field_names]
    value_counts = [Counter(value for name in source_names for value in deal[name]) for deal in deals]
    is_fixed, is_distinct = (
        all(counts_of_deal == value_counts[0] for counts_of_deal in value_counts),
        all(max(counts_of_deal.values()) == 1 for counts_of_deal in value_counts if counts_of_deal),
    )
    all_values = sum(value_counts, Counter[Any]())
    counts = value_counts[0] if is_fixed else Counter(dict.fromkeys(all_values, 1)) if is_distinct else all_values
    fields = frozenset(name.partition(".")[2] for name in field_names if name.startswith(f"{state_name}."))
    counts = Counter(dict(sorted(counts.items(), key=lambda count_of_value: msgspec.json.encode(count_of_value[0]))))
    return Pool(fields, type(next(iter(counts))), counts, is_independent=not (is_fixed or is_distinct))


def _group_overlapping(fields: Mapping[str, set[Any]]) -> list[frozenset[str]]:
    """Groups of fields whose values overlap: they hold parts of the same deck."""
    groups = list[tuple[set[str], set[Any]]]()
    for name in sorted(fields):
        overlapping_groups = [group for group in groups if group[1] & fields[name]]
        groups = [group for group in groups if group not in overlapping_groups]
        names, values = (
            {name}.union(*(group_part for group_part, _ in overlapping_groups)),
            fields[name].union(*(group_part for _, group_part in overlapping_groups)),
        )
        groups.append((names, values))
    return [frozenset(names) for names, _ in groups]


def _pool_index(pools: Sequence[Pool], name: str) -> int | None:
    return next((index for index, pool in enumerate(pools) if name in pool.fields), None)


def _is_countable(leaf: Any, pool: Pool) -> bool:
    return type(leaf) is pool.kind and leaf in pool.counts


def _types_in(annotation: Any) -> set[Any]:
    """The types of the values in an annotation: `tuple` and `int` for `dict[str, tuple[int, ...]]`."""
    arguments = get_args(annotation)[1:] if get_origin(annotation) is dict else get_args(annotation)
    return {annotation, get_origin(annotation)}.union(*(_types_in(argument) for argument in arguments))
