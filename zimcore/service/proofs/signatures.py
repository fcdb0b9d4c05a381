"""Signatures of certificates, witnesses and logs of witnesses.

The signature of a certificate covers its header (the digest of the last commit and so every byte before it, the kind of
game, the version of its rules, the names of game and line, the keys of seats), the signer and their seat. In the first
format of certificates it does not cover names and keys.
"""

from __future__ import annotations

import msgspec

from event_store.codec import encode
from zimcore.service.proofs.certificates import UNSEALED_FORMAT, Certificate, Header, Signature
from zimcore.service.proofs.witness import Witness, WitnessSignature
from zimcore.service.proofs.witness_log import Record
from zimcore.service.records.ed25519 import PrivateKey, is_signature, public_key
from zimcore.service.records.person_names import PERSON_NAME_PATTERN

CERTIFICATE_PREFIX, UNSEALED_CERTIFICATE_PREFIX = b"zim certificate 2\n", b"zim certificate 1\n"
WITNESS_PREFIX, RECORD_PREFIX = b"zim witness 1\n", b"zim witness log 1\n"


def forged_signatures(certificate: Certificate) -> list[Signature]:
    """The signatures that are not genuine, or whose signer has no valid name."""
    return [
        each
        for each in certificate.signatures
        if not (PERSON_NAME_PATTERN.fullmatch(each.by) and is_valid_signature(certificate, each))
    ]


def sign_certificate(certificate: Certificate, key: PrivateKey, signer: str, seat: str = "") -> Certificate:
    """The certificate with a new signature, which replaces an earlier one of the same player and seat."""
    signature = key.sign(_certificate_message(certificate.header, signer, seat)).hex()
    other_signatures = tuple(each for each in certificate.signatures if (each.by, each.seat) != (signer, seat))
    return msgspec.structs.replace(
        certificate, signatures=(*other_signatures, Signature(signer, seat, public_key(key), signature))
    )


def sign_witness(witness: Witness, key: PrivateKey, signer: str) -> Witness:
    """The witness with a new signature."""
    signature = key.sign(WITNESS_PREFIX + encode((witness.foot.digest, signer))).hex()
    return msgspec.structs.replace(witness, signature=WitnessSignature(signer, public_key(key), signature))


def sign_record(record: Record, key: PrivateKey, signer: str) -> Record:
    """The record of a log of witnesses with a new signature."""
    signature = key.sign(RECORD_PREFIX + encode((record.digest, signer))).hex()
    return msgspec.structs.replace(record, signature=WitnessSignature(signer, public_key(key), signature))


def is_valid_record_signature(record: Record, signature: WitnessSignature) -> bool:
    """Whether the signature is valid: made with the key that it names, for this record and name."""
    return _is_signed_by(signature.key, signature.signature, RECORD_PREFIX + encode((record.digest, signature.by)))


def is_valid_signature(certificate: Certificate, signature: Signature) -> bool:
    """Whether the signature is valid: made with the key that it names, for this certificate, player and seat."""
    message = _certificate_message(certificate.header, signature.by, signature.seat)
    return _is_signed_by(signature.key, signature.signature, message)


def is_valid_witness_signature(witness: Witness, signature: WitnessSignature) -> bool:
    """Whether the signature is valid: made with the key that it names, for this witness and name."""
    return _is_signed_by(
        signature.key, signature.signature, WITNESS_PREFIX + encode((witness.foot.digest, signature.by))
    )


def _is_signed_by(key: str, signature: str, message: bytes) -> bool:
    try:
        return is_signature(bytes.fromhex(key), bytes.fromhex(signature), message)
    except ValueError:  # the key or the signature is not hex
        return False


def _certificate_message(header: Header, signer: str, seat: str) -> bytes:
    if header.zim == UNSEALED_FORMAT:
        return UNSEALED_CERTIFICATE_PREFIX + encode((header.kind, header.rules, header.head, signer, seat))
    return CERTIFICATE_PREFIX + encode((header, signer, seat))
