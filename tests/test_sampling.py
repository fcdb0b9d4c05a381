"""Drawing one of many: what is drawn, how often, and that the same state of a random generator draws the same."""

from collections import Counter
from itertools import islice
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from zimcore.toolkit.sampling import in_random_order, in_weighted_order, random_below, random_item

seeds = st.integers(0, 2**32)


@given(seeds, st.integers(1, 50))
def test_a_number_is_below_the_count(seed: int, count: int) -> None:
    assert 0 <= random_below(count, Random(seed)) < count


@given(seeds, st.lists(st.integers()))
def test_a_random_item_is_one_of_the_items(seed: int, items: list[int]) -> None:
    assert (random_item(items, Random(seed)) in items) == bool(items)


def test_all_items_are_equally_likely() -> None:
    rng = Random(1)
    first_item_counts = Counter(next(in_random_order("abcd", rng)) for _ in range(4000))
    any_item_counts = Counter(random_item("abcd", rng) for _ in range(4000))
    assert all(900 < counts[letter] < 1100 for counts in (first_item_counts, any_item_counts) for letter in "abcd")


@given(seeds, st.lists(st.integers()))
def test_a_random_order_has_each_item_once(seed: int, items: list[int]) -> None:
    order = list(in_random_order(items, Random(seed)))
    assert sorted(order) == sorted(items)
    assert order == list(in_random_order(items, Random(seed)))


weight_tables = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0, 0.25, 1, 7, 1e9]))


@given(seeds, weight_tables)
def test_a_weighted_order_has_each_item_once_without_those_of_weight_0(seed: int, weights: dict[str, float]) -> None:
    order = list(in_weighted_order("abcdef", Random(seed), weights))
    assert sorted(order) == [letter for letter in "abcdef" if weights.get(letter, 1)]
    assert order == list(in_weighted_order("abcdef", Random(seed), weights))


def test_heavier_items_come_first_more_often() -> None:
    rng = Random(1)
    order_counts = Counter("".join(islice(in_weighted_order("abc", rng, {"a": 6, "b": 3}), 2)) for _ in range(10_000))
    expected_shares = {"ab": 6 / 10 * 3 / 4, "ac": 6 / 10 * 1 / 4, "ba": 3 / 10 * 6 / 7, "bc": 3 / 10 / 7}
    assert all(abs(order_counts[order] / 10_000 - share) < 0.02 for order, share in expected_shares.items())
