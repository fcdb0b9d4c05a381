"""Weak public keys, points of small order or in an encoding that is not canonical, are refused wherever a key is taken.

Under such a key a signature of any message can be made: the library `cryptography` finds it valid.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, product

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from tests.service.nim_service import service_on
from zimcore.game import GameError
from zimcore.service import GameService
from zimcore.service.proofs import certificates, importing, signatures, witness_log
from zimcore.service.proofs.witness import WitnessSignature
from zimcore.service.records import ed25519
from zimcore.service.records.public_keys import FIELD_PRIME, SIGN_BIT, check_public_key, is_weak

D = -121665 * pow(121666, -1, FIELD_PRIME) % FIELD_PRIME
"""The constant of the curve -x^2 + y^2 = 1 + d x^2 y^2."""
Point = tuple[int, int]
NEUTRAL_POINT: Point = (0, 1)


def add(a: Point, b: Point) -> Point:
    """The sum of two points of the curve."""
    product_of_all = D * a[0] * b[0] * a[1] * b[1]
    return (
        (a[0] * b[1] + a[1] * b[0]) * pow(1 + product_of_all, -1, FIELD_PRIME) % FIELD_PRIME,
        (a[1] * b[1] + a[0] * b[0]) * pow(1 - product_of_all, -1, FIELD_PRIME) % FIELD_PRIME,
    )


def multiply(factor: int, point: Point) -> Point:
    """A multiple of a point."""
    total = NEUTRAL_POINT
    for digit in f"{factor:b}":
        total = add(total, total)
        total = add(total, point) if digit == "1" else total
    return total


def x_of(y: int) -> int | None:
    """An x for a y; None if no point has this y (RFC 8032, 5.1.3)."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, FIELD_PRIME) % FIELD_PRIME
    root = pow(square, (FIELD_PRIME + 3) // 8, FIELD_PRIME)
    for x in (root, root * pow(2, (FIELD_PRIME - 1) // 4, FIELD_PRIME) % FIELD_PRIME):
        if x * x % FIELD_PRIME == square:
            return x
    return None


def small_order_points() -> set[Point]:
    """The eight points whose eighth multiple is the neutral one, found from a random point, not from a list."""
    order = 2**252 + 27742317777372353535851937790883648493
    for y in count(2):
        x = x_of(y)
        if x is not None and len(points := {multiply(n * order, (x, y)) for n in range(8)}) == 8:
            return points
    raise AssertionError


def encode_point(x: int, y: int) -> bytes:
    return (y | (SIGN_BIT if x & 1 else 0)).to_bytes(32, "little")


CANONICAL_KEYS = sorted(encode_point(*point) for point in small_order_points())
OTHER_ENCODINGS = sorted(
    (y | sign).to_bytes(32, "little")
    for y, sign in product(range(FIELD_PRIME, SIGN_BIT), (0, SIGN_BIT))
    if x_of(y % FIELD_PRIME) is not None
)
"""Points with a y that is not reduced."""
NEGATIVE_ZEROS = [(y | SIGN_BIT).to_bytes(32, "little") for y in (1, FIELD_PRIME - 1)]
"""Points with x = 0 and its sign."""
WEAK_KEYS = [*CANONICAL_KEYS, *OTHER_ENCODINGS, *NEGATIVE_ZEROS]
NEUTRAL_KEY = (1).to_bytes(32, "little")
ANY_SIGNATURE = NEUTRAL_KEY + bytes(32)
"""A signature of every message under the neutral key."""


def test_there_are_eight_points_of_small_order_and_more_encodings() -> None:
    assert (len(CANONICAL_KEYS), NEUTRAL_KEY in CANONICAL_KEYS) == (8, True)
    assert len(set(WEAK_KEYS)) == len(WEAK_KEYS) > 20


@pytest.mark.parametrize("key", WEAK_KEYS, ids=bytes.hex)
def test_a_weak_key_is_refused_with_and_without_the_library(key: bytes) -> None:
    assert is_weak(key)
    with pytest.raises(GameError, match="is a weak key: anybody can sign with it"):
        check_public_key(key.hex())
    assert not any(ed25519.is_signature(key, point + bytes(32), b"pay") for point in WEAK_KEYS)


def test_the_library_alone_accepts_a_signature_of_every_message() -> None:
    """The reason for this module. If the library refuses it one day, the check costs nothing."""
    Ed25519PublicKey.from_public_bytes(NEUTRAL_KEY).verify(ANY_SIGNATURE, b"pay")


@given(st.binary(min_size=32, max_size=32))
def test_a_key_that_was_made_is_accepted(seed: bytes) -> None:
    key = ed25519.key_from_bytes(seed.hex().encode())
    assert check_public_key(ed25519.public_key(key))
    assert ed25519.is_signature(bytes.fromhex(ed25519.public_key(key)), key.sign(b"pay"), b"pay")


@pytest.fixture
def service() -> GameService:
    service = service_on("memory:")
    service.new("nim", {"seed": "7"}, name="nim", by="ann")
    return service


def refuses(action: Callable[[], object]) -> None:
    with pytest.raises(GameError, match="weak key"):
        action()


@pytest.mark.parametrize("key", WEAK_KEYS[::3], ids=bytes.hex)
def test_no_seat_is_bound_to_a_weak_key(service: GameService, key: bytes) -> None:
    refuses(lambda: service.bind("nim", "ann", key.hex(), by="ann"))
    refuses(lambda: service.new("nim", {"seed": "7"}, name="other", by="ann", keys={"ann": key.hex()}))


def test_a_stored_binding_to_a_weak_key_is_a_fault(service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store, an export or a certificate may come from a Zim that took such keys, or from a forger."""
    monkeypatch.setattr("zimcore.service.records.signed_commands.check_public_key", str)
    service.bind("nim", "ann", NEUTRAL_KEY.hex(), by="ann")
    audit = service.verify("nim")
    assert audit.fault
    assert (audit.fault.kind, "ann: 0100000000000000 is a weak key" in audit.fault.what) == ("forged", True)
    with pytest.raises(importing.FaultyError, match="weak key"):
        service_on("memory:", id_prefix="c").import_(service.export(), by="ann")
    certificate = service.certificate("nim")
    certificate_audit = certificates.verify_certificate(certificate, service.kinds)
    assert certificate_audit.fault
    assert "weak key" in certificate_audit.fault.what


def test_no_file_is_signed_with_a_weak_key(service: GameService) -> None:
    certificate = service.certificate("nim")
    signature = certificates.Signature("ann", "", NEUTRAL_KEY.hex(), ANY_SIGNATURE.hex())
    assert not signatures.is_valid_signature(certificate, signature)
    witness_signature = WitnessSignature("ann", NEUTRAL_KEY.hex(), ANY_SIGNATURE.hex())
    witness = service.witness()
    assert not signatures.is_valid_witness_signature(witness, witness_signature)
    record = witness_log.next_record([], witness)
    assert record
    assert not signatures.is_valid_record_signature(record, witness_signature)
