"""Digests reveal nothing hidden, even to a reader who knows all else and tries every value."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from event_store import DamagedError, PlainSeal
from event_store.chain import PLAIN_TOPIC, RANDOM_SIZE, UNSALTED_TOPIC, Row, digest_of_parts, make_seal, unsalted_seal
from event_store.codec import encode
from tests.event_store.diary import AT, Noted, note, open_diary

ALL_HANDS = [f"{high_card} and {low_card}" for high_card in range(5) for low_card in range(high_card)]
hands = st.sampled_from(ALL_HANDS)
ComputeDigest = Callable[[list[Row], PlainSeal], bytes]
"""Computes the digest of rows by what an attacker believes of their seal."""


def rows_of_hand(hand: str) -> list[Row]:
    return [(0, "diary.noted.1", encode(Noted(hand)))]


def seal_and_public_part(hand: str) -> tuple[PlainSeal, PlainSeal]:
    """What was sealed when a hand was drawn; and all that others know of it: the rest of the seal, and the digest."""
    with open_diary("memory:") as store:
        (entry,) = [note(store, "a", -1, hand, id="c1", state=digest_of_parts(hand.encode()))]
    assert isinstance(entry.seal, PlainSeal)
    return entry.seal, replace(entry.seal, salt=b"", state=b"")


def possible_hands(digest: bytes, public_seal: PlainSeal, compute_digest: ComputeDigest) -> list[str]:
    """The hands that an attacker can't rule out: those that come to the digest."""
    seals_by_hand = {hand: replace(public_seal, state=digest_of_parts(hand.encode())) for hand in ALL_HANDS}
    return [
        hand
        for hand, seal_of_hand in seals_by_hand.items()
        if compute_digest(rows_of_hand(hand), seal_of_hand) == digest
    ]


def unsalted_digest(rows: list[Row], public_seal: PlainSeal) -> bytes:
    return unsalted_seal(public_seal, rows).digest


def salted_digest(salt: bytes) -> ComputeDigest:
    def compute_digest(rows: list[Row], public_seal: PlainSeal) -> bytes:
        sealed_fields = {
            "parent": public_seal.parent,
            "by": public_seal.by,
            "at": public_seal.at,
            "id": public_seal.id,
            "state": public_seal.state,
        }
        return make_seal(rows, **sealed_fields, salt=salt[:RANDOM_SIZE], place=salt[RANDOM_SIZE:]).digest  # type: ignore[arg-type]

    return compute_digest


@given(hands)
def test_a_seal_of_the_oldest_form_gave_a_hand_away_to_a_full_search(hand: str) -> None:
    full_seal, public_seal = seal_and_public_part(hand)
    assert possible_hands(unsalted_seal(full_seal, rows_of_hand(hand)).digest, public_seal, unsalted_digest) == [hand]


@given(hands, st.binary(min_size=RANDOM_SIZE, max_size=RANDOM_SIZE))
def test_without_the_salt_no_hand_matches_a_digest(hand: str, guessed_salt: bytes) -> None:
    full_seal, public_seal = seal_and_public_part(hand)
    assert possible_hands(full_seal.digest, public_seal, salted_digest(guessed_salt)) == []
    assert possible_hands(full_seal.digest, public_seal, unsalted_digest) == []


@given(hands)
def test_only_the_salt_hides_a_hand(hand: str) -> None:
    full_seal, public_seal = seal_and_public_part(hand)
    assert possible_hands(full_seal.digest, public_seal, salted_digest(full_seal.salt)) == [hand]


@given(hands)
def test_the_same_commit_has_another_digest_each_time(hand: str) -> None:
    """Two commits can't be compared, and a digest can't be looked up in a table."""
    first_seal, second_seal = seal_and_public_part(hand)[0], seal_and_public_part(hand)[0]
    assert (first_seal.by, first_seal.at, first_seal.id, first_seal.state) == (
        second_seal.by,
        second_seal.at,
        second_seal.id,
        second_seal.state,
    )
    assert first_seal.digest != second_seal.digest


def test_a_salt_is_random_and_long_enough() -> None:
    with open_diary("memory:") as store:
        salts = [note(store, f"s{number}", -1, "one").seal.salt[:RANDOM_SIZE] for number in range(100)]
    assert len(set(salts)) == 100
    assert {len(salt) for salt in salts} == {16}
    all_bytes = b"".join(salts)
    assert 700 * 8 < sum(each.bit_count() for each in all_bytes) < 900 * 8, "half of the bits are set"


def test_an_entry_is_never_sealed_without_salt() -> None:
    with open_diary("memory:", b"short") as store, pytest.raises(ValueError, match="16 bytes"):
        note(store, "a", -1, "one")


def unsalted_entry(hand: str, parent: bytes, at: datetime) -> list[tuple[str, bytes]]:
    """An entry as it was stored before there were salts: its topics and bytes."""
    public_seal = PlainSeal(parent, "ann", at, f"id of {hand}", b"", b"", b"")
    ((_, topic, content),) = rows_of_hand(hand)
    return [(topic, content), (UNSALTED_TOPIC, encode(unsalted_seal(public_seal, rows_of_hand(hand))))]


def test_a_stream_may_have_unsalted_and_salted_entries(tmp_path: object) -> None:
    with open_diary(f"sqlite:///{tmp_path}/games.zim") as store:
        old_rows = unsalted_entry("3 and 1", b"", AT)
        store._backend.insert_rows([("a", revision, *row) for revision, row in enumerate(old_rows)])
        (old_entry,) = store.read("a")
        assert (old_entry.events, old_entry.seal.salt, old_entry.seal.at) == ((Noted("3 and 1"),), b"", AT)
        assert [row[1:] for row in old_entry.all_rows] == old_rows
        new_entry = note(store, "a", 1, "4 and 2", at=AT + timedelta(seconds=1))
        assert new_entry.parent == old_entry.digest
        assert [entry.all_rows[-1][1] for entry in store.read("a")] == [UNSALTED_TOPIC, PLAIN_TOPIC]


@pytest.mark.parametrize(
    ("written_form", "claimed_topic"), [(UNSALTED_TOPIC, PLAIN_TOPIC), (PLAIN_TOPIC, UNSALTED_TOPIC)]
)
def test_a_seal_of_one_form_can_t_be_read_as_the_other(written_form: str, claimed_topic: str) -> None:
    with open_diary("memory:") as store:
        entry = note(store, "a", -1, "one")
        old_content = dict(unsalted_entry("one", b"", datetime(2024, 1, 1, tzinfo=UTC)))
        content = entry.seal_bytes if written_form == PLAIN_TOPIC else old_content[UNSALTED_TOPIC]
        store._backend.insert_rows([("b", *entry.rows[0]), ("b", 1, claimed_topic, content)])
        with pytest.raises(DamagedError, match="these bytes are not a seal"):
            list(store.read("b"))
