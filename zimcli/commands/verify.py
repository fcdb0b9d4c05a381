"""Verify that a line is as it was played.

Zim follows the chain of digests from the start and decides every command again. If something is wrong, you see where,
and which of three faults it is: altered (the chain is broken), rules changed (the same command would have another
result today), or damaged. --all verifies every line of every game, also lines without a name; a store without games is
a failure too. A certificate (zim export) is a file (- for stdin), and verifies without a store, signatures included.
Several files are verified one by one, with a line for each fault and a total; --against then names a store or a line
that must contain everything they prove.

A line whose latest moves were removed, or that was rewritten, is consistent in itself. A file that was kept elsewhere
reveals it: --since compares the whole store with a witness (zim witness), --against one line with a certificate. With a
log of witnesses (zim witness --append), --since checks that each recorded state is a prefix of the next one, and the
last a prefix of the store.

Zim shows whose keys have signed, as far as they are known (zim key list). If a name comes with another key than before,
you are warned and the exit code is 1. --signed-by requires that a person has signed the witness, each line of a log, or
the certificate, with a key that was already known.

Example::

    zim verify kilwa-7
    zim verify kilwa-7.cert
    zim verify --all --since friday.witness
    zim verify --all --since games.witnesses
    zim verify kilwa-7 --against kilwa-7.cert
    zim verify *.cert --against $ZIM_STORE
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import click
import msgspec

from zimcli.certificate_audits import audit_files
from zimcli.certificate_files import check_known_keys, remember_signer_keys
from zimcli.command import PlaceCommand, argument, declare_command
from zimcli.errors import OPERATOR_HINTS, negative_answer_problem
from zimcli.exit_codes import FailedError
from zimcli.files import is_file
from zimcli.session import Session
from zimcore.documents.listings import Signer
from zimcore.documents.storage import Outside, VerifyAnswer
from zimcore.service import GameService
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcore.documents.storage import Signature
    from zimcore.service.witness import WitnessSignature

CLOCK_TOLERANCE = timedelta(days=1)
"""How far the clocks of two machines may differ."""
DIGEST_START = re.compile(r"[0-9a-f]{4,31}")
"""The first digits of a digest."""


class VerifyCommand(PlaceCommand):
    """Takes no place with `--all` or a file."""

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front unless they name a file or have `--all`."""
        named_args = [args[index] for index in self.argument_indexes(args)]
        needs_no_place = {"--all", "-"} & {*args} or any(is_file(arg) for arg in named_args)
        return args if needs_no_place else super().with_place(session, args)

    def line_place(self, session: Session, place: str) -> str:
        """The place as typed. `verify` reads the list of games only once: it verifies the list, then finds the line."""
        return place


@declare_command(__doc__, VerifyCommand, {})
@argument("place", required=False, metavar="[PLACE | FILE]")
@argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--all", "verifies_all", is_flag=True, help="Verify every line of every game.")
@click.option("--empty-ok", "accepts_empty", is_flag=True, help="With --all: accept a store without games.")
@click.option("--since", "witness_path", default="", metavar="WITNESS", help="Also check the store against a witness.")
@click.option(
    "--against", "reference", default="", metavar="CERTIFICATE | STORE", help="Also check that it has all of this."
)
@click.option(
    "--signed-by", "signer", default="", metavar="NAME", help="Also check that NAME signed it with a known key."
)
def command(
    session: Session,
    place: str,
    files: tuple[str, ...],
    verifies_all: bool,
    accepts_empty: bool,
    witness_path: str,
    reference: str,
    signer: str,
) -> VerifyAnswer:
    """Verifies a line, files or the whole store. Raises `FailedError` if there is a fault."""
    if signer and not (witness_path or (place and not (files or reference) and is_file(place))):
        raise click.UsageError(
            "--signed-by needs a file: verify --all --since WITNESS --signed-by NAME, or verify FILE --signed-by NAME."
        )
    if (witness_path and not verifies_all) or (reference and (verifies_all or not place)):
        raise click.UsageError(
            "--since needs --all, --against a place: verify --all --since WITNESS, verify PLACE --against CERTIFICATE."
        )
    if verifies_all:
        return verify_store(session, witness_path, accepts_empty, signer)
    if not place:
        raise click.UsageError("Name a place or a file, or add --all.")
    if files or (reference and is_file(place)):
        return audit_files(session, [place, *files], reference)
    if is_file(place):
        return verify_certificate_file(session, place, signer)
    audit = session.service.verify(place, by=session.by, viewer=session.viewer)
    place = session.place_with_line(place)
    position_text = place.partition("@")[2].lower()
    digit_count = (
        len(position_text) if DIGEST_START.fullmatch(position_text) and not position_text.isdecimal() else None
    )
    answer = VerifyAnswer(audit, digits=digit_count, keys=remember_signer_keys(audit.signers))
    if reference and not audit.fault:
        return check_known_keys(compare_certificate(session, answer, place, reference))
    if audit.fault:
        problem_text = f"{audit.game}/{audit.line}".rstrip("/") + f" does not verify: {audit.fault.where}"
        hints = [f"log {audit.game}/{audit.line} --events"] if audit.line else OPERATOR_HINTS
        raise FailedError(answer, negative_answer_problem(audit.fault.kind, problem_text, [audit.fault.what], hints))
    return check_known_keys(answer)


def verify_store(session: Session, witness_path: str, accepts_empty: bool, signer: str) -> VerifyAnswer:
    """Verifies the whole store, and compares it with a witness if one is given."""
    service = session.maintenance_service("verify --all", "verify PLACE")
    comparison, signatures = compare_witness(session, service, witness_path) if witness_path else (None, [])
    with session.output.progress("verifying games") as report:
        audits = service.verify_all(report)
    signers = [signature for audit in audits for signature in audit.signers]
    signers += [Signer(signature.by, "", signature.key) for signature in signatures if signature]
    answer = VerifyAnswer(audits=tuple(audits), outside=comparison, keys=remember_signer_keys(signers))
    if signer:
        check_signed_by(signer, witness_path, signatures, answer)
    faults = [(audit, audit.fault) for audit in audits if audit.fault]
    if comparison and comparison.losses:
        from zimcli.witnesses import loss_problem

        raise FailedError(
            answer, loss_problem(comparison, [f"{fault.kind}: {fault.where}: {fault.what}" for _, fault in faults])
        )
    if faults:
        reasons = [f"{fault.kind}: {fault.where}: {fault.what}" for _, fault in faults]
        game_names = service.game_names()
        places = [f"{audit.game}/{audit.line}".strip("/") for audit, _ in faults if audit.game in game_names]
        count_text = f"{len(faults)} of {numbered(len(audits), 'line')}"
        problem_text = f"{count_text} {'does' if len(faults) == 1 else 'do'} not verify"
        hints = [f"verify {place}" for place in places][:3]
        raise FailedError(answer, negative_answer_problem("verify", problem_text, reasons, hints))
    if not audits and not accepts_empty:
        problem_text = f"there is nothing to verify in {service.url}"
        raise FailedError(
            answer,
            negative_answer_problem(
                "empty", problem_text, ["the store has no games"], ["verify --all --empty-ok", "games"]
            ),
        )
    return check_known_keys(answer)


def compare_witness(session: Session, service: GameService, path: str) -> tuple[Outside, list[WitnessSignature | None]]:
    """Compares the store with a witness or a log of them. Returns what is lost, and the signature of each line."""
    from zimcli.witnesses import read_witness, signature_of

    witness_record = read_witness(path)
    with session.output.progress("comparing streams") as report:
        if isinstance(witness_record, list):
            losses, signatures = (
                service.log_losses(witness_record, report),
                [record.signature for record in witness_record],
            )
            stream_count, written_at = (
                len({head.stream for record in witness_record for head in record.heads}),
                witness_record[-1].at,
            )
        else:
            losses, signatures = service.losses(witness_record, report), [witness_record.signature]
            stream_count, written_at = len(witness_record.heads), witness_record.header.at
    if written_at > service.clock() + CLOCK_TOLERANCE:
        raise negative_answer_problem(
            "altered", f"{path} is from the future", [f"it claims to be written on {written_at:%Y-%m-%d}"]
        )
    if not stream_count:
        session.show_note(f"{path} proves nothing: the store had no games when it was written")
    if not all(signatures):
        session.show_note(f"{path} is not signed: a person who can change the file can forge it")
    return Outside(path, written_at, stream_count, tuple(losses), signature_of(signatures[-1])), signatures


def compare_certificate(session: Session, answer: VerifyAnswer, place: str, path: str) -> VerifyAnswer:
    """Compares a line with a certificate. Raises `FailedError` if the line lacks something in it."""
    from zimcli.certificate_files import read_certificate, require_valid

    certificate = read_certificate(path)
    require_valid(certificate, session.kinds)
    loss = session.service.loss(place, certificate)
    comparison = Outside(path, None, 1, (loss,) if loss else ())
    answer = msgspec.structs.replace(answer, outside=comparison)
    if loss:
        from zimcli.witnesses import loss_problem

        raise FailedError(answer, loss_problem(comparison, []))
    return answer


def check_signed_by(
    signer: str, path: str, signatures: Sequence[WitnessSignature | Signature | None], answer: VerifyAnswer
) -> None:
    """Raises `FailedError` unless `signer` signed everything with a known or trusted key."""
    unsigned_lines = [number for number, each in enumerate(signatures, 1) if each is None or each.by != signer] or (
        [1] if not signatures else []
    )
    key_statuses = {(each.by, each.key): each.status for each in answer.keys}
    unknown_key_signatures = [
        signature
        for signature in signatures
        if signature and signature.by == signer and key_statuses.get((signer, signature.key)) in (None, "new")
    ]
    if unsigned_lines:
        other_names = sorted({each.by for each in signatures if each} - {signer})
        problem_text = f"{path} is not signed by {signer}"
        reason = f"it is signed by {' and '.join(other_names)}" if other_names else "it has no signature"
        reason += (
            f", and {len(unsigned_lines)} of {len(signatures)} lines are not"
            if len(signatures) > len(unsigned_lines)
            else ""
        )
        raise FailedError(answer, negative_answer_problem("unsigned", problem_text, [reason], ["key list"]))
    if unknown_key_signatures:
        problem_text, reason = f"{signer} signed {path} with an unknown key", f"key {unknown_key_signatures[0].key}"
        raise FailedError(
            answer,
            negative_answer_problem(
                "unknown key", problem_text, [reason], [f"key trust {signer} {unknown_key_signatures[0].key}"]
            ),
        )


def verify_certificate_file(session: Session, path: str, signer: str) -> VerifyAnswer:
    """Verifies a file and its signatures, without any store."""
    from zimcli.certificate_files import (
        forged_signatures,
        forged_signatures_error,
        invalid_certificate_error,
        read_certificate,
        signature_documents,
        verify_certificate,
    )

    certificate = read_certificate(path)
    audit = verify_certificate(certificate, session.kinds)
    false_signatures = forged_signatures(certificate) if not audit.fault else []
    genuine_signers = [
        Signer(signature.by, signature.seat, signature.key)
        for signature in certificate.signatures
        if signature not in false_signatures
    ]
    answer = VerifyAnswer(
        audit,
        signatures=signature_documents(certificate.signatures),
        forged=signature_documents(false_signatures),
        keys=remember_signer_keys([*audit.signers, *genuine_signers]) if not (audit.fault or false_signatures) else (),
        unproven="" if certificate.header.seal else f"{certificate.header.game}/{certificate.header.line}",
    )
    if audit.fault:
        raise FailedError(answer, invalid_certificate_error(audit, audit.fault))
    if false_signatures:
        raise FailedError(answer, forged_signatures_error(false_signatures))
    if signer:  # one of those who have signed
        own_signatures = [each for each in certificate.signatures if each.by == signer]
        check_signed_by(signer, path, signature_documents(own_signatures or certificate.signatures), answer)
    return check_known_keys(answer)
