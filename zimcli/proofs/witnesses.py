"""Reads witnesses from files, and reports what a store has lost since."""

from __future__ import annotations

import msgspec

from zimcli.output.errors import negative_answer_problem
from zimcli.shell.exit_codes import ProblemError
from zimcore.documents.storage import Outside, Signature
from zimcore.service.proofs.witness import Witness, WitnessSignature
from zimcore.service.proofs.witness_log import Record
from zimcore.toolkit.file_kinds import WITNESS, WITNESS_LOG
from zimcore.toolkit.words import numbered


def read_witness(path: str) -> Witness | list[Record]:
    """The witness in a file, or the records of a witness log. Raises `ProblemError` if a signature is not genuine."""
    from zimcli.output.files import open_for_reading
    from zimcore.service.proofs import importing, signatures, witness, witness_log

    with open_for_reading(path, "a witness", [WITNESS, WITNESS_LOG]) as file:
        lines = list(importing.limited_lines(file, any_size=True))  # a file of your own, which grows for years
        if lines and witness_log.is_witness_log(lines[0]):
            records = witness_log.read_records(lines)
            for record in records:
                if record.signature and not signatures.is_valid_record_signature(record, record.signature):
                    raise forged_witness_error(record.signature, f"line {record.number + 1} of {path}")
            return records
        single = witness.read_witness(lines)
        if single.signature and not signatures.is_valid_witness_signature(single, single.signature):
            raise forged_witness_error(single.signature, path)
        return single


def forged_witness_error(signature: WitnessSignature, location: str) -> ProblemError:
    """The error for a signature that is not genuine."""
    reasons = ["this key has not signed this witness"]
    return negative_answer_problem(
        "forged", f"the signature of {signature.by} under {location} is not genuine", reasons
    )


def loss_problem(comparison: Outside, reasons: list[str]) -> ProblemError:
    """The problem for entries that a witness has seen and the store no longer has."""
    loss_texts = [f"{loss.kind}: {loss.name or f'stream {loss.stream}'}: {loss.what}" for loss in comparison.losses]
    count_text = f"{len(loss_texts)} of {numbered(comparison.streams, 'stream')}"
    problem_text = f"{count_text} {'lacks' if len(loss_texts) == 1 else 'lack'} entries that {comparison.file} records"
    kinds = {loss.kind for loss in comparison.losses}
    return negative_answer_problem(
        kinds.pop() if len(kinds) == 1 else "lost", problem_text, loss_texts + reasons, ["backup FILE", "import FILE"]
    )


def signature_of(signature: object | None) -> Signature | None:
    """A signature as a document."""
    return msgspec.convert({"seat": "", **msgspec.to_builtins(signature)}, Signature) if signature else None
