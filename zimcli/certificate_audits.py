"""Audits several certificates at once. A fault in one file does not stop the audit of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from zimcli.certificate_files import WRONG_KEY_REASONS, audit_of, forged_signatures, named_keys, read_certificate
from zimcli.errors import answer_is_no
from zimcli.exit_codes import FailedError
from zimcli.render.answers.storage import signer_text
from zimcli.session import Session
from zimcore.documents.listings import Audit, Fault, Signer
from zimcore.documents.storage import FileAudit, VerifyAnswer
from zimcore.game import GameError
from zimcore.service import StoreError
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcli.service_types import Door
    from zimcore.service.certificates import Certificate

Places: TypeAlias = "Callable[[Certificate], tuple[Door, Sequence[str]]]"
"""The service and the names of the lines that should contain everything a certificate proves."""


def audit_files(session: Session, paths: Sequence[str], reference: str) -> VerifyAnswer:
    """Verifies certificate files, and checks them against `reference` if it is given: a line, or the URL of a store.

    Raises `FailedError` with the whole answer if a file has a fault.
    """
    audits, places = list[FileAudit](), places_in(session, reference) if reference else None
    with session.out.progress("verifying files") as report:
        for count, path in enumerate(paths, 1):
            audits.append(audit_file(session, path, places))
            report(count, len(paths))
    answer = VerifyAnswer(files=tuple(audits))
    faults = [(each.file, each.audit.fault) for each in audits if each.audit.fault]
    if faults:
        why = [f"{file}: {fault.kind}: {fault.where}: {fault.what}" for file, fault in faults]
        files = f"{len(faults)} of {numbered(len(audits), 'file')}"
        problem = f"{files} {'does' if len(faults) == 1 else 'do'} not verify"
        raise FailedError(answer, answer_is_no("verify", problem, why))
    return answer


def places_in(session: Session, reference: str) -> Places:
    """Where to look for the moves of a certificate: the line `reference`, or, if that is the URL of another store, all
    lines of the same game there.
    """
    if ":" not in reference:
        return lambda _: (session.service, [reference])
    other_service = Session(session.out, reference).service
    names = {each.name for each in other_service.games()}

    def lines_of_game(certificate: Certificate) -> tuple[Door, Sequence[str]]:
        game = certificate.head.game
        return other_service, [f"{game}/{line.name}" for line in other_service.lines(game)] if game in names else []

    return lines_of_game


def audit_file(session: Session, path: str, places: Places | None) -> FileAudit:
    """The audit of one file. A file that can't be read is reported as a fault, so that the audit continues."""
    try:
        certificate = read_certificate(path)
        audit = audit_of(certificate, session.kinds)
        fault = audit.fault or next(faults_of(certificate, places), None) or wrong_key(certificate, audit)
    except (GameError, StoreError, OSError) as error:
        fault = Fault("damaged", "the file", getattr(error, "strerror", None) or str(error))
        return FileAudit(path, Audit("", "", 0, 0, "", fault), ())
    signers = tuple(f"{each.by} for {each.seat}" if each.seat else each.by for each in certificate.signatures)
    audited = Audit(audit.game, audit.line, audit.commits, audit.events, audit.digest, fault)
    return FileAudit(path, audited, signers)


def wrong_key(certificate: Certificate, audit: Audit) -> Fault | None:
    """A fault if a signer's name was known with another key, or if the key was revoked."""
    signers = (Signer(each.by, each.seat, each.key) for each in certificate.signatures)
    wrong_keys = (each for each in named_keys([*audit.signers, *signers]) if each.status in WRONG_KEY_REASONS)
    return next(
        (
            Fault("wrong key", signer_text(each), f"key {each.key}: {WRONG_KEY_REASONS[each.status]}")
            for each in wrong_keys
        ),
        None,
    )


def faults_of(certificate: Certificate, places: Places | None) -> Iterator[Fault]:
    """The faults outside the chain itself: forged signatures, and moves that none of the lines at `places` contains."""
    yield from (
        Fault("forged", "its signatures", f"{each.by} has not signed this") for each in forged_signatures(certificate)
    )
    if places:
        service, lines = places(certificate)
        losses = [service.loss(line, certificate) for line in lines]
        if losses and not all(losses):
            return
        what = next((loss.what for loss in losses if loss), f"there is no game {certificate.head.game}")
        yield Fault("lost", lines[0] if lines else service.url, what)
