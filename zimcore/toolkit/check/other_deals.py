"""Deals that a game's `set_up` can make instead of another: the same code, with other draws of its `chance`.

The draws of a set-up are recorded. For another deal some of them are changed and the author's function runs again, so
that whatever it promises of a deal (sorted hands, no misdeal, a pack without doubles) holds in the other one as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from itertools import islice
from random import Random
from typing import Any

import msgspec

from zimcore.toolkit.check.tags import Deal, Tag

MAX_PROBED = 400
"""How many places of draws are probed for what they decide."""
SWAPS = 24
"""How many pairs of places are swapped, one after the other, where a whole shuffle does not fit."""


class Draw(msgspec.Struct, frozen=True):
    """One use of chance: a number, or an order of items of which the first `taken` are used."""

    kind: str
    value: Any = None
    order: tuple[int, ...] = ()
    taken: int = 0


class SteeredChance(Random):
    """Chance that follows recorded draws as long as they fit, and `source` otherwise. Records what it gives."""

    def __init__(self, source: Random, script: Sequence[Draw] = ()) -> None:
        super().__init__(0)
        self.source, self.script, self.draws = source, script, list[Draw]()

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """As `Random.shuffle`."""
        items = list(x)
        x[:] = [items[index] for index in self._order("shuffle", len(items), len(items))]

    def sample(self, population: Any, k: int, *, counts: Iterable[int] | None = None) -> list[Any]:
        """As `Random.sample`."""
        items = list(population)
        if counts is not None:
            items = [item for item, count in zip(items, counts, strict=True) for _ in range(count)]
        return [items[index] for index in self._order("sample", len(items), k)[:k]]

    def choice(self, seq: Any) -> Any:
        """As `Random.choice`."""
        return seq[self._order("choice", len(seq), 1)[0]]

    def random(self) -> float:
        """As `Random.random`."""
        return float(self._number("random", self.source.random))

    def getrandbits(self, k: int, /) -> int:
        """As `Random.getrandbits`."""
        return int(self._number(f"bits {k}", lambda: self.source.getrandbits(k)))

    def _randbelow(self, n: int) -> int:
        return int(self._number(f"below {n}", lambda: self.source.randrange(n)))

    def _number(self, kind: str, draw: Callable[[], Any]) -> Any:
        scripted_draw = self._scripted(kind)
        self.draws.append(scripted_draw or Draw(kind, draw()))
        return self.draws[-1].value

    def _order(self, kind: str, size: int, taken: int) -> tuple[int, ...]:
        scripted_draw = self._scripted(f"{kind} {size} {taken}")
        self.draws.append(
            scripted_draw or Draw(f"{kind} {size} {taken}", order=self._draw_order(kind, size, taken), taken=taken)
        )
        return self.draws[-1].order

    def _draw_order(self, kind: str, size: int, taken: int) -> tuple[int, ...]:
        """The indices that the same call of `Random` would choose, and then the others."""
        indices = list(range(size))
        match kind:
            case "shuffle":
                self.source.shuffle(indices)
                return tuple(indices)
            case "sample":
                chosen_indices = self.source.sample(indices, taken)
            case _:
                chosen_indices = [self.source.choice(indices)]
        return (*chosen_indices, *(index for index in indices if index not in {*chosen_indices}))

    def _scripted(self, kind: str) -> Draw | None:
        number = len(self.draws)
        return self.script[number] if number < len(self.script) and self.script[number].kind == kind else None


class OtherDeals:
    """The deals that a set-up can make instead of one, `deal` being its values by label.

    `make` runs the set-up with some chance, and gives its command and the values by label.
    """

    def __init__(self, make: Callable[[Random], tuple[Any, Deal]], source: Random) -> None:
        self.make = make
        chance = SteeredChance(source)
        self.command, self.deal = make(chance)
        self.draws = chance.draws
        self._tags_by_place: dict[tuple[int, int], set[Tag]] | None = None

    def draw(self, known_tags: frozenset[Tag], rng: Random, *, is_whole: bool) -> Iterator[tuple[Any, Deal]]:
        """Other deals with the same known values: a shuffle of all that may change, or ever more swaps."""
        free_places = [place for place, tags in self._probe(rng).items() if not tags & known_tags]
        if is_whole:
            yield from self._kept(self._shuffled(free_places, rng), known_tags, rng)
            return
        draws, found = self.draws, 0
        for _ in range(4 * SWAPS):
            swapped_draws = self._swapped(draws, free_places, rng)
            for command, deal in self._kept(swapped_draws, known_tags, rng):
                draws, found = swapped_draws, found + 1
                yield command, deal
            if found >= SWAPS:
                return

    def _kept(self, draws: Sequence[Draw], known_tags: frozenset[Tag], rng: Random) -> Iterator[tuple[Any, Deal]]:
        try:
            command, deal = self.make(SteeredChance(rng, draws))
        except Exception:  # the set-up that the author promises works; one that loops for a good deal may not
            return
        if (
            deal.keys() == self.deal.keys()
            and deal != self.deal
            and all(deal[tag] == self.deal[tag] for tag in known_tags & deal.keys())
        ):
            yield command, deal

    def _probe(self, rng: Random) -> dict[tuple[int, int], set[Tag]]:
        """What each place of each draw decides: the labels whose values change if it is swapped with two others."""
        if self._tags_by_place is None:
            self._tags_by_place = dict(islice(self._probe_places(rng), MAX_PROBED))
        return self._tags_by_place

    def _probe_places(self, rng: Random) -> Iterator[tuple[tuple[int, int], set[Tag]]]:
        for number, draw in enumerate(self.draws):
            if not draw.order:
                other_draws = [self._with(self.draws, number, Draw(draw.kind, _other_value(draw, rng)))]
                yield (number, 0), self._changed_tags(other_draws, rng)
            for place in range(len(draw.order) if len(draw.order) > 1 else 0):
                partners = rng.sample([other for other in range(len(draw.order)) if other != place], 1)
                partners += [(partners[0] + step) % len(draw.order) for step in (1, 2)]
                changed = [
                    self._changed_tags([self._with(self.draws, number, _swap(draw, place, partner))], rng)
                    for partner in dict.fromkeys(partners)
                    if partner != place
                ]
                yield (number, place), set.intersection(*changed) if place < draw.taken else set()

    def _changed_tags(self, scripts: Iterable[Sequence[Draw]], rng: Random) -> set[Tag]:
        changed_tags = set[Tag]()
        for script in scripts:
            try:
                deal = self.make(SteeredChance(rng, script))[1]
            except Exception:  # see `_kept`
                return {*self.deal}
            changed_tags |= {tag for tag, value in self.deal.items() if tag not in deal or deal[tag] != value}
        return changed_tags

    def _with(self, draws: Sequence[Draw], number: int, draw: Draw) -> list[Draw]:
        return [*draws[:number], draw, *draws[number + 1 :]]

    def _shuffled(self, free_places: Sequence[tuple[int, int]], rng: Random) -> list[Draw]:
        draws = list(self.draws)
        for number in dict.fromkeys(number for number, _ in free_places):
            places = [place for other_number, place in free_places if other_number == number]
            if draws[number].order:
                order = list(draws[number].order)
                for place, index in zip(
                    places, rng.sample([order[place] for place in places], len(places)), strict=True
                ):
                    order[place] = index
                draws[number] = msgspec.structs.replace(draws[number], order=tuple(order))
            else:
                draws[number] = Draw(draws[number].kind, _other_value(draws[number], rng))
        return draws

    def _swapped(self, draws: Sequence[Draw], free_places: Sequence[tuple[int, int]], rng: Random) -> list[Draw]:
        if not free_places:
            return list(draws)
        number, place = rng.choice(free_places)
        if not draws[number].order:
            return self._with(draws, number, Draw(draws[number].kind, _other_value(draws[number], rng)))
        other_places = [other for other_number, other in free_places if other_number == number and other != place]
        if not other_places:
            return list(draws)
        return self._with(draws, number, _swap(draws[number], place, rng.choice(other_places)))


def _swap(draw: Draw, place: int, other_place: int) -> Draw:
    order = list(draw.order)
    order[place], order[other_place] = order[other_place], order[place]
    return msgspec.structs.replace(draw, order=tuple(order))


def _other_value(draw: Draw, rng: Random) -> Any:
    kind, _, size = draw.kind.partition(" ")
    match kind:
        case "below":
            return rng.randrange(int(size))
        case "bits":
            return rng.getrandbits(int(size))
    return rng.random()
