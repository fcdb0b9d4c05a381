"""Certificates and their signatures for commands: reading a file, verifying it, and looking up the signers' keys."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from zimcli.output.errors import negative_answer_problem
from zimcli.output.files import open_for_reading
from zimcli.render.answers.storage import signer_text
from zimcli.shell.exit_codes import FailedError, ProblemError
from zimcore.documents import storage
from zimcore.documents.listings import Audit, Fault, Signer
from zimcore.documents.storage import KnownKey, NamedKey, VerifyAnswer
from zimcore.toolkit.file_kinds import CERTIFICATE

if TYPE_CHECKING:
    from zimcore.service.proofs.certificates import Certificate, Signature


def read_certificate(path: str) -> Certificate:
    """Reads the certificate in a file, or on stdin (`-`). Raises `DamagedError` with the name of the file."""
    from zimcore.service import DamagedError
    from zimcore.service.proofs import certificates, importing

    with open_for_reading(path, "a certificate", [CERTIFICATE]) as file:
        try:
            return certificates.read_lines(importing.limited_lines(file))
        except DamagedError as error:
            problem_text = f"{'stdin' if path == '-' else path}: {error.what}"
            raise DamagedError(problem_text, error.why) from error


def verify_certificate(certificate: Certificate, kinds: Mapping[str, str]) -> Audit:
    """Verifies a certificate without any database. `kinds` has the module of each kind of game."""
    from zimcore.service.proofs import certificates

    return certificates.verify_certificate(certificate, kinds)


def forged_signatures(certificate: Certificate) -> list[Signature]:
    """The signatures that are not genuine, or whose signer has no valid name.

    Raises `GameError` if they can't be checked.
    """
    if not certificate.signatures:
        return []
    from zimcore.service.proofs import signatures

    return signatures.forged_signatures(certificate)


def signature_documents(signatures: Iterable[Signature]) -> tuple[storage.Signature, ...]:
    """Signatures as documents."""
    return tuple(msgspec.convert(each, storage.Signature, from_attributes=True) for each in signatures)


def require_valid(certificate: Certificate, kinds: Mapping[str, str]) -> None:
    """Raises `ProblemError` if a certificate is not valid."""
    audit = verify_certificate(certificate, kinds)
    if audit.fault:
        raise invalid_certificate_error(audit, audit.fault)
    require_genuine_signatures(certificate)


def require_genuine_signatures(certificate: Certificate) -> None:
    """Raises `ProblemError` if one of its signatures is not genuine."""
    forged = forged_signatures(certificate)
    if forged:
        raise forged_signatures_error(forged)


def invalid_certificate_error(audit: Audit, fault: Fault) -> ProblemError:
    """The error for a certificate that is not valid."""
    problem_text = f"{audit.game}/{audit.line} does not verify: {fault.where}"
    return negative_answer_problem(fault.kind, problem_text, [fault.what])


def forged_signatures_error(signatures: list[Signature]) -> ProblemError:
    """The error for forged signatures, with a reason for each."""
    from zimcore.service.records.person_names import PERSON_NAME_PATTERN

    signers_text = ", ".join(each.by + (f" for {each.seat}" if each.seat else "") for each in signatures)
    reasons = [
        f"the key given for {each.by} has not signed this line"
        if PERSON_NAME_PATTERN.fullmatch(each.by)
        else f"{each.by} can't be the name of a person"
        for each in signatures
    ]
    return negative_answer_problem("forged", f"a signature is not genuine: {signers_text}", reasons)


WRONG_KEY_REASONS = {"changed": "this name has another key", "revoked": "this key was revoked"}


def named_keys(signers: Iterable[Signer], given_keys: Sequence[KnownKey] = ()) -> tuple[NamedKey, ...]:
    """The keys of signers, each once, with its status among the known keys and those given for this check."""
    signers = list(signers)
    signer_keys = list(dict.fromkeys((each.by, each.seat, each.key) for each in signers))
    if not signer_keys:
        return ()
    from zimcli.keys import known_keys

    former_keys = {each.key: each.former for each in signers if each.former}
    statuses = known_keys.key_statuses([(by, key) for by, _, key in signer_keys], former_keys, given_keys)
    return tuple(NamedKey(by, seat, key, statuses[by, key]) for by, seat, key in signer_keys)


def check_known_keys(answer: VerifyAnswer) -> VerifyAnswer:
    """The answer. Raises `FailedError` if a signer's name was known with another key, or if a key was revoked."""
    wrong_keys = [each for each in answer.keys if each.status in WRONG_KEY_REASONS]
    if wrong_keys:
        reasons = [f"{signer_text(each)}, key {each.key}: {WRONG_KEY_REASONS[each.status]}" for each in wrong_keys]
        changed_keys = [each for each in wrong_keys if each.status == "changed"]
        hints = ["key list", *(f"key trust {shlex.quote(each.by)} {each.key} --replace" for each in changed_keys)][:3]
        raise FailedError(
            answer, negative_answer_problem("wrong key", "another person may have signed this", reasons, hints)
        )
    return answer
