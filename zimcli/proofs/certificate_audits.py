"""Audits several certificates at once. A fault in one file does not stop the audit of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from zimcli.output.errors import negative_answer_problem
from zimcli.proofs.certificate_files import (
    WRONG_KEY_REASONS,
    forged_signatures,
    named_keys,
    read_certificate,
    verify_certificate,
)
from zimcli.proofs.required_signers import RequiredSigner
from zimcli.render.answers.storage import signer_text
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.listings import Audit, Fault, Signer
from zimcore.documents.storage import FileAudit, KnownKey, VerifyAnswer
from zimcore.game import GameError, NotationError
from zimcore.service import StoreError
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcli.shell.service_types import AnyService
    from zimcore.service.proofs.certificates import Certificate

FindLines: TypeAlias = "Callable[[Certificate], tuple[AnyService, Sequence[str]]]"
"""The service and the names of the lines that should contain everything a certificate proves."""


def audit_files(session: Session, paths: Sequence[str], reference: str, signer: RequiredSigner) -> VerifyAnswer:
    """Verifies certificate files, and checks them against `reference` if it is given: a line, or the URL of a store.
    Each must be signed by `signer`.

    Raises `FailedError` with the whole answer if a file has a fault.
    """
    audits, find_lines = list[FileAudit](), lines_finder(session, reference) if reference else None
    met_keys = [*signer.keys]
    with session.output.progress("verifying files") as report:
        for count, path in enumerate(paths, 1):
            audits.append(audit_file(session, path, find_lines, met_keys, signer))
            report(count, len(paths))
    answer = VerifyAnswer(files=tuple(audits))
    faults = [(each.file, each.audit.fault) for each in audits if each.audit.fault]
    if faults:
        reasons = [f"{file}: {fault.kind}: {fault.where}: {fault.what}" for file, fault in faults]
        count_text = f"{len(faults)} of {numbered(len(audits), 'file')}"
        problem_text = f"{count_text} {'does' if len(faults) == 1 else 'do'} not verify"
        raise FailedError(answer, negative_answer_problem("verify", problem_text, reasons))
    return answer


def lines_finder(session: Session, reference: str) -> FindLines:
    """The function that finds the lines to compare a certificate with: the line `reference`, or, if that is the URL of
    another store, all lines of the same game there.
    """
    if ":" not in reference:
        return lambda _: (session.service, [reference])
    other_session = Session(session.output, reference)
    other_session.is_checking = True
    other_service = other_session.service
    game_names = {each.name for each in other_service.games()}

    def lines_of_game(certificate: Certificate) -> tuple[AnyService, Sequence[str]]:
        game = certificate.header.game
        lines = other_service.lines(game) if game in game_names else ()
        return other_service, [f"{game}/{line.name}" for line in lines]

    return lines_of_game


def audit_file(
    session: Session, path: str, find_lines: FindLines | None, met_keys: list[KnownKey], signer: RequiredSigner
) -> FileAudit:
    """The audit of one file. A file that can't be read is reported as a fault, so that the audit continues.

    `met_keys` are those of the signer and the unknown keys of the files before; those of this file are added.
    """
    try:
        certificate = read_certificate(path)
        audit = verify_certificate(certificate, session.kinds)
        fault = (
            audit.fault
            or next(faults_of(certificate, find_lines), None)
            or signer_fault(certificate, signer)
            or wrong_key(certificate, audit, met_keys)
        )
    except (GameError, StoreError, OSError) as error:
        is_other_kind = isinstance(error, NotationError)
        what = getattr(error, "why" if is_other_kind else "strerror", None) or str(error)
        fault = Fault("other kind" if is_other_kind else "damaged", "the file", what)
        return FileAudit(path, Audit("", "", 0, 0, "", fault), ())
    signers = tuple(f"{each.by} for {each.seat}" if each.seat else each.by for each in certificate.signatures)
    audit_with_fault = Audit(audit.game, audit.line, audit.commits, audit.events, audit.digest, fault)
    return FileAudit(path, audit_with_fault, signers)


def signer_fault(certificate: Certificate, signer: RequiredSigner) -> Fault | None:
    """The fault of a certificate that is not signed as it must be."""
    if error := signer.certificate_problem("", certificate):
        problem = error.problem
        return Fault(problem.kind, "its signatures", "; ".join(reason.text for reason in problem.why))
    return None


def wrong_key(certificate: Certificate, audit: Audit, met_keys: list[KnownKey]) -> Fault | None:
    """A fault if a signer's name has another key, or if the key was revoked."""
    signers = (Signer(each.by, each.seat, each.key) for each in certificate.signatures)
    keys = named_keys([*audit.signers, *signers], met_keys)
    met_keys += [KnownKey(each.by, each.key, each.status, "") for each in keys if each.status == "new"]
    wrong_keys = (each for each in keys if each.status in WRONG_KEY_REASONS)
    return next(
        (Fault("wrong key", signer_text(key), f"key {key.key}: {WRONG_KEY_REASONS[key.status]}") for key in wrong_keys),
        None,
    )


def faults_of(certificate: Certificate, find_lines: FindLines | None) -> Iterator[Fault]:
    """The faults outside the chain itself: forged signatures, and moves that no line of `find_lines` contains."""
    yield from (
        Fault("forged", "its signatures", f"{signature.by} has not signed this")
        for signature in forged_signatures(certificate)
    )
    if find_lines:
        service, lines = find_lines(certificate)
        losses = [service.loss(line, certificate) for line in lines]
        if losses and not all(losses):
            return
        fault_text = next((loss.what for loss in losses if loss), f"there is no game {certificate.header.game}")
        yield Fault("lost", lines[0] if lines else service.url, fault_text)
