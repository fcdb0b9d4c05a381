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

Zim shows whose keys have signed. If you trust another key for a name (zim key list), the exit code is 1. --signed-by
requires that a person signed the witness, each line of a log, or the certificate: NAME, if you trust a key of theirs,
NAME:KEY, or a file of such lines with / in its path (./club.keys). No check adds a key to those you trust.

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
from datetime import timedelta
from typing import TYPE_CHECKING

import click
import msgspec

from zimcli.output.errors import OPERATOR_HINTS, negative_answer_problem
from zimcli.output.files import is_file
from zimcli.proofs.certificate_audits import audit_files
from zimcli.proofs.certificate_files import check_known_keys, named_keys
from zimcli.proofs.required_signers import RequiredSigner
from zimcli.session.command import PlaceCommand, argument, declare_command
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.listings import Signer
from zimcore.documents.storage import Outside, VerifyAnswer
from zimcore.service import GameService
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcore.service.proofs.witness import WitnessSignature

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
    "--signed-by",
    "signer",
    default="",
    metavar="NAME | NAME:KEY | FILE",
    help="Also check that this person signed it, with a key that you trust.",
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
    if signer and not (witness_path or (place and not reference and is_file(place))):
        raise click.UsageError(
            "--signed-by needs a file: verify --all --since WITNESS --signed-by NAME, or verify FILE --signed-by NAME."
        )
    if (witness_path and not verifies_all) or (reference and (verifies_all or not place)):
        raise click.UsageError(
            "--since needs --all, --against a place: verify --all --since WITNESS, verify PLACE --against CERTIFICATE."
        )
    if verifies_all:
        return verify_store(session, witness_path, accepts_empty, RequiredSigner(signer))
    if not place:
        raise click.UsageError("Name a place or a file, or add --all.")
    if files or (reference and is_file(place)):
        return audit_files(session, [place, *files], reference, RequiredSigner(signer))
    if is_file(place):
        return verify_certificate_file(session, place, RequiredSigner(signer))
    audit = session.service.verify(place, by=session.by, viewer=session.viewer)
    place = session.place_with_line(place)
    position_text = place.partition("@")[2].lower()
    digit_count = (
        len(position_text) if DIGEST_START.fullmatch(position_text) and not position_text.isdecimal() else None
    )
    answer = VerifyAnswer(audit, digits=digit_count, keys=named_keys(audit.signers))
    if reference and not audit.fault:
        return check_known_keys(compare_certificate(session, answer, place, reference))
    if audit.fault:
        problem_text = f"{audit.game}/{audit.line}".rstrip("/") + f" does not verify: {audit.fault.where}"
        hints = [f"log {audit.game}/{audit.line} --events"] if audit.line else OPERATOR_HINTS
        raise FailedError(answer, negative_answer_problem(audit.fault.kind, problem_text, [audit.fault.what], hints))
    return check_known_keys(answer)


def verify_store(session: Session, witness_path: str, accepts_empty: bool, signer: RequiredSigner) -> VerifyAnswer:
    """Verifies the whole store, and compares it with a witness if one is given."""
    service = session.maintenance_service("verify --all", "verify PLACE")
    comparison, signatures = compare_witness(session, service, witness_path) if witness_path else (None, [])
    with session.output.progress("verifying games") as report:
        audits = service.verify_all(report)
    signers = [signature for audit in audits for signature in audit.signers]
    signers += [Signer(signature.by, "", signature.key) for signature in signatures if signature]
    answer = VerifyAnswer(audits=tuple(audits), outside=comparison, keys=named_keys(signers, signer.keys))
    if problem := signer.problem(witness_path, signatures):
        raise FailedError(answer, problem)
    faults = [(audit, audit.fault) for audit in audits if audit.fault]
    if comparison and comparison.losses:
        from zimcli.proofs.witnesses import loss_problem

        raise FailedError(
            answer, loss_problem(comparison, [f"{fault.kind}: {fault.where}: {fault.what}" for _, fault in faults])
        )
    if faults:
        reasons = [f"{fault.kind}: {fault.where}: {fault.what}" for _, fault in faults]
        game_names = service.game_names()
        places = [f"{audit.game}/{audit.line}".strip("/") for audit, _ in faults if audit.game in game_names]
        whole_count = sum(fault.kind == "unfinished" for _, fault in faults)  # about the store, not a line
        fault_count, line_count = len(faults) - whole_count, len(audits) - whole_count
        count_text = f"{fault_count} of {numbered(line_count, 'line')} {'does' if fault_count == 1 else 'do'}"
        problem_text = f"{count_text if fault_count else 'the store does'} not verify"
        unfinished = service.store.unfinished()
        hints = [unfinished.command(service.url)] if unfinished else [f"verify {place}" for place in places][:3]
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
    from zimcli.proofs.witnesses import read_witness, signature_of

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
        session.show_note(f"a clock was wrong: {path} says that it was written on {written_at:%Y-%m-%d}")
    if not stream_count:
        session.show_note(f"{path} proves nothing: the store had no games when it was written")
    if not all(signatures):
        session.show_note(f"{path} is not signed: a person who can change the file can forge it")
    return Outside(path, written_at, stream_count, tuple(losses), signature_of(signatures[-1])), signatures


def compare_certificate(session: Session, answer: VerifyAnswer, place: str, path: str) -> VerifyAnswer:
    """Compares a line with a certificate. Raises `FailedError` if the line lacks something in it."""
    from zimcli.proofs.certificate_files import read_certificate, require_valid

    certificate = read_certificate(path)
    require_valid(certificate, session.kinds)
    loss = session.service.loss(place, certificate)
    comparison = Outside(path, None, 1, (loss,) if loss else ())
    answer = msgspec.structs.replace(answer, outside=comparison)
    if loss:
        from zimcli.proofs.witnesses import loss_problem

        raise FailedError(answer, loss_problem(comparison, []))
    return answer


def verify_certificate_file(session: Session, path: str, signer: RequiredSigner) -> VerifyAnswer:
    """Verifies a file and its signatures, without any store."""
    from zimcli.proofs.certificate_files import (
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
        keys=named_keys([*audit.signers, *genuine_signers], signer.keys)
        if not (audit.fault or false_signatures)
        else (),
        unproven="" if certificate.header.seal else f"{certificate.header.game}/{certificate.header.line}",
    )
    if audit.fault:
        raise FailedError(answer, invalid_certificate_error(audit, audit.fault))
    if false_signatures:
        raise FailedError(answer, forged_signatures_error(false_signatures))
    if problem := signer.certificate_problem(path, certificate):
        raise FailedError(answer, problem)
    return check_known_keys(answer)
