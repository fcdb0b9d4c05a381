"""A certificate proves a line without its store; imported, the line has the same digests."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests import nim
from tests.service.nim_service import NIM_ONLY, log_texts, play, service_on
from zimcore.service import DamagedError, Fault, GameService, UnknownError
from zimcore.service.proofs import certificates, signatures
from zimcore.service.proofs.certificates import Certificate
from zimcore.service.records import ed25519


@pytest.fixture
def forked_match(service: GameService) -> GameService:
    """Three moves on `main`, of which one is undone; a fork of move 1 with a move of its own."""
    play(service, "take 1", "take 3", "take 3")
    service.undo("nim", by="ann")
    service.fork("nim@1", "what-if", by="ann")
    play(service, "take 2")
    return service


@pytest.fixture
def other_service() -> Iterator[GameService]:
    """A service on another store, in which there is no game."""
    service = service_on("memory:", id_prefix="other")
    with service.store:
        yield service


def fault_of(certificate: Certificate, games: dict[str, str] = NIM_ONLY) -> Fault:
    fault = certificates.verify_certificate(certificate, games).fault
    assert fault
    return fault


def test_a_certificate_proves_a_line(forked_match: GameService) -> None:
    file_bytes = certificates.to_bytes(forked_match.certificate("nim/what-if"))
    audit = certificates.verify_certificate(certificates.read_certificate(file_bytes), NIM_ONLY)
    assert (audit.game, audit.line, audit.commits, audit.events, audit.fault) == ("nim", "what-if", 3, 8, None)
    assert audit.digest == forked_match.position("nim/what-if").commit.digest


def test_a_certificate_ends_at_its_position(forked_match: GameService) -> None:
    header = forked_match.certificate("nim/main@1").header
    position = forked_match.position("nim/main@1")
    assert (header.kind, header.rules, header.commits) == ("nim", "3", 2)
    assert (header.head, header.state) == (position.commit.digest, position.commit.state)


def test_a_certificate_is_written_as_lines_of_json_and_always_the_same(forked_match: GameService) -> None:
    file_bytes = certificates.to_bytes(forked_match.certificate("nim/main"))
    assert file_bytes == certificates.to_bytes(certificates.read_certificate(file_bytes))
    header, *links = map(json.loads, file_bytes.splitlines())
    assert (header["zim"], header["game"], header["line"]) == ("certificate.2", "nim", "main")
    assert [link["number"] for link in links] == [0, 1, 2]


def test_a_changed_byte_anywhere_is_found(forked_match: GameService) -> None:
    file_bytes = certificates.to_bytes(forked_match.certificate("nim/main"))
    indexes, start_of_names = random.Random(7).sample(range(len(file_bytes)), 400), file_bytes.index(b'"kind"')
    for index in indexes:
        altered_bytes = file_bytes[:index] + bytes([file_bytes[index] ^ 1]) + file_bytes[index + 1 :]
        try:
            fault = certificates.verify_certificate(certificates.read_certificate(altered_bytes), NIM_ONLY).fault
        except (DamagedError, UnknownError):
            continue
        is_unproven = (
            index < start_of_names or b'"rules"' in file_bytes[index - 12 : index + 8]
        )  # names and versions are no part of the proof
        assert (
            fault
            or is_unproven
            or certificates.read_certificate(altered_bytes) == certificates.read_certificate(file_bytes)
        ), file_bytes[index - 20 : index + 5]


@pytest.mark.parametrize("kept_lines", [slice(0, 3), slice(0, 1)])
def test_a_file_that_was_cut_off_is_damaged(forked_match: GameService, kept_lines: slice) -> None:
    file_bytes = b"".join(
        certificates.to_bytes(forked_match.certificate("nim/main")).splitlines(keepends=True)[kept_lines]
    )
    assert fault_of(certificates.read_certificate(file_bytes)).kind == "damaged"


def test_a_commit_that_was_taken_out_is_altered(forked_match: GameService) -> None:
    certificate = forked_match.certificate("nim/main")
    fault = fault_of(msgspec.structs.replace(certificate, links=(certificate.links[0], certificate.links[2])))
    assert (fault.kind, fault.where[:16]) == ("altered", "after nim/main@0")


def test_digests_that_are_not_those_of_the_bytes_are_altered(forked_match: GameService) -> None:
    certificate = forked_match.certificate("nim/main")
    wrong_link = msgspec.structs.replace(certificate.links[1], state="00" * 16)
    fault = fault_of(
        msgspec.structs.replace(certificate, links=(certificate.links[0], wrong_link, certificate.links[2]))
    )
    assert (fault.kind, fault.where) == ("altered", "nim/main@1")


def test_other_rules_are_reported_with_their_versions(
    forked_match: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = forked_match.certificate("nim/main")
    monkeypatch.setattr(nim, "MAX_TAKEN", 2)
    monkeypatch.setattr(nim.GAME, "version", "4")
    fault = fault_of(certificate)
    assert fault.kind == "rules changed"
    assert fault.what.endswith("(it was played by the rules 3, these are 4)")


@pytest.mark.parametrize("file_bytes", [b"", b"My favourite games.", b'{"zim":"store.1"}\n', b"\x80{}"])
def test_an_invalid_certificate_is_an_error(file_bytes: bytes) -> None:
    with pytest.raises(DamagedError, match="this is not a certificate"):
        certificates.read_certificate(file_bytes)


def test_a_certificate_in_another_encoding_is_named() -> None:
    with pytest.raises(DamagedError, match="it is in UTF-16: save it as UTF-8"):
        certificates.read_certificate('{"zim":"certificate.2"}'.encode("utf-16"))


def test_an_imported_line_has_the_same_digests(forked_match: GameService, other_service: GameService) -> None:
    position = other_service.adopt(forked_match.certificate("nim/what-if"), by="cid")
    assert (position.match, position.line) == ("nim", "what-if")
    assert other_service.log("nim/what-if") == forked_match.log("nim/what-if")
    assert other_service.verify("nim").fault is None
    assert play(other_service, "take 1").state == play(forked_match, "take 1", place="nim/what-if").state


def test_a_certificate_of_an_imported_line_is_the_same(forked_match: GameService, other_service: GameService) -> None:
    certificate = forked_match.certificate("nim/main")
    other_service.adopt(certificate, by="cid")
    assert other_service.certificate("nim/main") == certificate


def test_a_known_part_of_a_line_is_not_stored_again(forked_match: GameService) -> None:
    for position_suffix in ("", "@1"):
        position = forked_match.adopt(forked_match.certificate(f"nim/main{position_suffix}"), by="cid")
        assert (position.match, position.line) == ("nim", "main")
    assert [info.name for info in forked_match.lines("nim")] == ["main", "what-if"]
    forked_match.redo("nim/main", by="ann")
    undone_certificate = forked_match.certificate("nim/main")
    forked_match.undo("nim/main", by="ann")
    assert forked_match.adopt(undone_certificate, by="cid").line == "main-1", "what was undone is no part of the line"


def test_an_existing_game_gets_a_new_line(forked_match: GameService, other_service: GameService) -> None:
    other_service.adopt(forked_match.certificate("nim/main@1"), by="cid")
    other_service.play_or_raise("nim", next(iter(other_service.position("nim").legal().texts(""))), by="cid")
    position = forked_match.adopt(other_service.certificate("nim/main"), by="cid")
    assert (position.match, position.line) == ("nim", "main-1")
    assert log_texts(forked_match, "nim/main-1") == log_texts(other_service, "nim/main")
    assert forked_match.adopt(forked_match.certificate("nim/main@1"), "nim/early", by="cid").line == "early"
    assert [info.name for info in forked_match.lines("nim")] == ["main", "what-if", "main-1", "early"]


def test_an_import_keeps_another_game_of_the_same_name(forked_match: GameService, other_service: GameService) -> None:
    other_service.new("nim", {"seed": "8"}, name="nim", by="cid")
    certificate = forked_match.certificate("nim/main")
    assert other_service.adopt(certificate, by="cid").match == "nim-1"
    assert other_service.adopt(certificate, "mine", by="cid").match == "mine"
    with pytest.raises(UnknownError, match="there is a game called 'nim' already"):
        other_service.adopt(certificate, "nim/other", by="cid")


def test_signatures_of_several_players(forked_match: GameService) -> None:
    certificate = forked_match.certificate("nim/main")
    keys = {player: ed25519.new_key() for player in ("ann", "ben")}
    for player, key in keys.items():
        certificate = signatures.sign_certificate(certificate, key, player, player)
    certificate = certificates.read_certificate(certificates.to_bytes(certificate))
    assert [(each.by, each.seat, each.key) for each in certificate.signatures] == [
        (player, player, ed25519.public_key(key)) for player, key in keys.items()
    ]
    assert all(signatures.is_valid_signature(certificate, each) for each in certificate.signatures)
    assert certificates.verify_certificate(certificate, NIM_ONLY).fault is None
    resigned_certificate = signatures.sign_certificate(certificate, keys["ann"], "ann", "ann")
    assert len(resigned_certificate.signatures) == 2


@pytest.mark.parametrize(
    "forge_fields",
    [
        lambda each: {"by": "eve"},
        lambda each: {"seat": "ben"},
        lambda each: {"key": ed25519.public_key(ed25519.new_key())},
        lambda each: {"key": "00"},
        lambda each: {"signature": each.signature[::-1]},
        lambda each: {"signature": "no hex"},
    ],
)
def test_a_forged_signature_is_found(forked_match: GameService, forge_fields: Callable[[Any], dict[str, str]]) -> None:
    certificate = signatures.sign_certificate(forked_match.certificate("nim/main"), ed25519.new_key(), "ann", "ann")
    (signature,) = certificate.signatures
    assert not signatures.is_valid_signature(certificate, msgspec.structs.replace(signature, **forge_fields(signature)))


def in_oldest_form(certificate: Certificate) -> Certificate:
    """A certificate in the form of the past: without a seal of its head, signed without its names."""
    header = msgspec.structs.replace(certificate.header, zim="certificate.1", keys=(), seal="")
    return Certificate(header, certificate.links)


@pytest.mark.parametrize("field", ["game", "line", "rules"])
def test_a_head_that_was_altered_is_found(forked_match: GameService, field: str) -> None:
    certificate = signatures.sign_certificate(forked_match.certificate("nim/main"), ed25519.new_key(), "ann", "ann")
    altered_header = msgspec.structs.replace(certificate.header, **{field: "other"})
    fault = fault_of(msgspec.structs.replace(certificate, header=altered_header))
    assert (fault.kind, fault.what) == ("altered", "the head of the certificate was altered: names, rules or keys")
    resealed_certificate = msgspec.structs.replace(certificate, header=certificates.seal_header(altered_header))
    assert not signatures.is_valid_signature(resealed_certificate, certificate.signatures[0]), (
        "these names are not signed"
    )


def test_no_signature_covers_the_names_in_a_certificate_of_the_oldest_form(forked_match: GameService) -> None:
    old_certificate = signatures.sign_certificate(
        in_oldest_form(forked_match.certificate("nim/main")), ed25519.new_key(), "ann", "ann"
    )
    renamed_certificate = certificates.read_certificate(
        certificates.to_bytes(old_certificate).replace(b'"game":"nim"', b'"game":"mine"')
    )
    assert certificates.verify_certificate(renamed_certificate, NIM_ONLY).fault is None
    assert all(signatures.is_valid_signature(renamed_certificate, each) for each in renamed_certificate.signatures)


def test_a_certificate_signed_in_the_oldest_form_stays_genuine() -> None:
    file_bytes = Path(__file__).with_name("signed.cert").read_bytes()
    certificate = certificates.read_certificate(file_bytes)
    assert certificates.to_bytes(certificate) == file_bytes
    fault = certificates.verify_certificate(certificate, NIM_ONLY).fault
    assert fault is None or fault.kind == "rules changed", "the chain holds; the Nim of that day kept another state"
    assert [(each.by, each.seat) for each in certificate.signatures] == [("ann", "ben")]
    assert signatures.is_valid_signature(certificate, certificate.signatures[0])


def test_a_signature_is_for_one_line_only(forked_match: GameService) -> None:
    certificate = signatures.sign_certificate(forked_match.certificate("nim/main"), ed25519.new_key(), "ann")
    (signature,) = certificate.signatures
    assert not signatures.is_valid_signature(forked_match.certificate("nim/what-if"), signature)


RSA_KEY = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize("passphrase", ["", "four words as they say", "ключ"])
def test_a_written_key_can_be_read(passphrase: str) -> None:
    key = ed25519.new_key()
    file_bytes = ed25519.key_to_bytes(key, passphrase)
    assert ed25519.is_encrypted(file_bytes) == bool(passphrase)
    assert ed25519.public_key(ed25519.key_from_bytes(file_bytes, passphrase)) == ed25519.public_key(key)
    assert ed25519.public_key(ed25519.key_from_bytes(file_bytes, passphrase or "none is needed"))


def test_a_key_in_hex_can_be_read() -> None:
    """The first test vector of RFC 8032."""
    key = ed25519.key_from_bytes(b"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    assert ed25519.public_key(key) == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"


@pytest.mark.parametrize("passphrase", ["", "a wrong one"])
def test_a_key_does_not_open_without_its_passphrase(passphrase: str) -> None:
    with pytest.raises(ValueError, match=r"passphrase|password"):
        ed25519.key_from_bytes(ed25519.key_to_bytes(ed25519.new_key(), "the right one"), passphrase)


@pytest.mark.parametrize(
    "file_bytes",
    [b"", b"short", b"00" * 31, b"\xff", b"-----BEGIN PRIVATE KEY-----\nno\n", pytest.param(RSA_KEY, id="rsa")],
)
def test_an_invalid_key_is_an_error(file_bytes: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        ed25519.key_from_bytes(file_bytes)
