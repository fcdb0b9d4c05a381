"""Digests reveal nothing hidden, even to a reader who knows all else and tries every value."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from event_store import DamagedError, Sealed
from event_store.chain import SALT, SEAL, UNSALTED, Row, seal, short_digest, unsalted_seal
from event_store.codec import encode
from tests.event_store.diary import AT, Noted, note, open_diary

HANDS = [f"{one} and {other}" for one in range(5) for other in range(one)]
hands = st.sampled_from(HANDS)
Seal = Callable[[list[Row], Sealed], bytes]
"""The digest of rows by what an attacker believes of their seal."""


def rows_of(hand: str) -> list[Row]:
    return [(0, "diary.noted.1", encode(Noted(hand)))]


def seal_and_public_part(hand: str) -> tuple[Sealed, Sealed]:
    """What was sealed when a hand was drawn; and all that others know of it: the rest of the seal, and the digest."""
    with open_diary("memory:") as store:
        (entry,) = [note(store, "a", -1, hand, id="c1", state=short_digest(hand.encode()))]
    assert isinstance(entry.seal, Sealed)
    return entry.seal, replace(entry.seal, salt=b"", state=b"")


def possible_hands(digest: bytes, public_seal: Sealed, digest_of: Seal) -> list[str]:
    """The hands that an attacker can't rule out: those that come to the digest."""
    candidates = {hand: replace(public_seal, state=short_digest(hand.encode())) for hand in HANDS}
    return [hand for hand, sealed in candidates.items() if digest_of(rows_of(hand), sealed) == digest]


def in_the_past(rows: list[Row], public_seal: Sealed) -> bytes:
    return unsalted_seal(public_seal, rows).digest


def with_salt(salt: bytes) -> Seal:
    def digest_of(rows: list[Row], public_seal: Sealed) -> bytes:
        answers = {
            "parent": public_seal.parent,
            "by": public_seal.by,
            "at": public_seal.at,
            "id": public_seal.id,
            "state": public_seal.state,
        }
        return seal(rows, **answers, salt=salt[:SALT], place=salt[SALT:]).digest  # type: ignore[arg-type]

    return digest_of


@given(hands)
def test_a_seal_of_the_oldest_form_gave_a_hand_away_to_a_full_search(hand: str) -> None:
    whole, public_seal = seal_and_public_part(hand)
    assert possible_hands(unsalted_seal(whole, rows_of(hand)).digest, public_seal, in_the_past) == [hand]


@given(hands, st.binary(min_size=SALT, max_size=SALT))
def test_without_the_salt_a_digest_rules_no_hand_in(hand: str, guess: bytes) -> None:
    whole, public_seal = seal_and_public_part(hand)
    assert possible_hands(whole.digest, public_seal, with_salt(guess)) == []
    assert possible_hands(whole.digest, public_seal, in_the_past) == []


@given(hands)
def test_it_is_the_salt_alone_that_hides_it(hand: str) -> None:
    whole, public_seal = seal_and_public_part(hand)
    assert possible_hands(whole.digest, public_seal, with_salt(whole.salt)) == [hand]


@given(hands)
def test_the_same_twice_has_other_digests(hand: str) -> None:
    """Two commits can't be compared, and a digest can't be looked up in a table."""
    first, second = seal_and_public_part(hand)[0], seal_and_public_part(hand)[0]
    assert (first.by, first.at, first.id, first.state) == (second.by, second.at, second.id, second.state)
    assert first.digest != second.digest


def test_a_salt_is_random_and_long_enough() -> None:
    with open_diary("memory:") as store:
        salts = [note(store, f"s{n}", -1, "one").seal.salt[:SALT] for n in range(100)]
    assert len(set(salts)) == 100
    assert {len(salt) for salt in salts} == {16}
    every = b"".join(salts)
    assert 700 * 8 < sum(each.bit_count() for each in every) < 900 * 8, "half of the bits are set"


def test_an_entry_is_never_sealed_without_salt() -> None:
    with open_diary("memory:", b"short") as store, pytest.raises(ValueError, match="16 bytes"):
        note(store, "a", -1, "one")


def past(hand: str, parent: bytes, at: datetime) -> list[tuple[str, bytes]]:
    """An entry as it was stored before there were salts: its topics and bytes."""
    sealed = Sealed(parent, "ann", at, f"id of {hand}", b"", b"", b"")
    ((_, topic, content),) = rows_of(hand)
    return [(topic, content), (UNSALTED, encode(unsalted_seal(sealed, rows_of(hand))))]


def test_old_entries_and_new_ones_stand_in_one_stream(tmp_path: object) -> None:
    with open_diary(f"sqlite:///{tmp_path}/games.zim") as store:
        first = past("3 and 1", b"", AT)
        store._backend.insert([("a", revision, *row) for revision, row in enumerate(first)])
        (old,) = store.read("a")
        assert (old.events, old.seal.salt, old.seal.at) == ((Noted("3 and 1"),), b"", AT)
        assert [row[1:] for row in old.whole] == first
        new = note(store, "a", 1, "4 and 2", at=AT + timedelta(seconds=1))
        assert new.parent == old.digest
        assert [entry.whole[-1][1] for entry in store.read("a")] == [UNSALTED, SEAL]


@pytest.mark.parametrize(("topic", "other"), [(UNSALTED, SEAL), (SEAL, UNSALTED)])
def test_a_seal_of_one_form_is_none_of_the_other(topic: str, other: str) -> None:
    with open_diary("memory:") as store:
        entry = note(store, "a", -1, "one")
        old = dict(past("one", b"", datetime(2024, 1, 1, tzinfo=UTC)))
        content = entry.sealed if topic == SEAL else old[UNSALTED]
        store._backend.insert([("b", *entry.rows[0]), ("b", 1, other, content)])
        with pytest.raises(DamagedError, match="these bytes are not a seal"):
            list(store.read("b"))
