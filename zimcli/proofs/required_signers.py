"""What `--signed-by` demands: that a person signed a certificate or a witness, with a key that the user trusts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from zimcli.keys.known_keys import keys_of, keys_to_check_by
from zimcli.output.errors import negative_answer_problem
from zimcli.shell.exit_codes import ProblemError

if TYPE_CHECKING:
    from zimcore.documents.storage import KnownKey
    from zimcore.service.proofs.certificates import Certificate, Signature
    from zimcore.service.proofs.witness import WitnessSignature


class RequiredSigner:
    """The person that `--signed-by` names, and their keys; "" demands none. Raises `GameError` for anything else."""

    def __init__(self, typed: str) -> None:
        self.typed = typed
        self.keys: Sequence[KnownKey] = keys_to_check_by(typed) if typed else ()

    def certificate_problem(self, path: str, certificate: Certificate) -> ProblemError | None:
        """What is wrong with the signatures of a certificate. One with a trusted key is enough."""
        trusted_keys, names = (
            {(each.by, each.key) for each in self.keys},
            {self.typed, *(each.by for each in self.keys)},
        )
        signatures = certificate.signatures
        own_signatures = [each for each in signatures if (each.by, each.key) in trusted_keys]
        own_signatures = own_signatures or [each for each in signatures if each.by in names]
        return self.problem(path, own_signatures or signatures)

    def problem(self, path: str, signatures: Sequence[WitnessSignature | Signature | None]) -> ProblemError | None:
        """The problem with a file unless all of it was signed with one of the keys."""
        if not self.typed:
            return None
        names = sorted({each.by for each in self.keys}) or [self.typed]
        other_lines = [each for each in signatures if each is None or each.by not in names]
        if other_lines or not signatures:
            other_names = sorted({each.by for each in other_lines if each})
            reason = f"it is signed by {' and '.join(other_names)}" if other_names else "it has no signature"
            if len(signatures) > len(other_lines):
                reason += f", and {len(other_lines)} of {len(signatures)} lines are not"
            problem_text = f"{path} is not signed by {' or '.join(names)}"
            return negative_answer_problem("unsigned", problem_text, [reason], ["key list"])
        trusted_keys = {(each.by, each.key) for each in self.keys}
        used_keys = dict.fromkeys((each.by, each.key) for each in signatures if each)
        unknown_keys = [each for each in used_keys if each not in trusted_keys]
        if not unknown_keys:
            return None
        name = unknown_keys[0][0]
        problem_text = f"{path} is signed in the name of {name} with a key that you don't trust"
        reasons = [f"signed with {key}" for by, key in unknown_keys if by == name]
        reasons += [f"you trust {key}" for by, key in sorted(trusted_keys) if by == name]
        reasons += [f"a forger can put any key there: let {name} read you theirs, and trust it if it is the same"]
        option = " --replace" if keys_of(name) else ""
        hints = [f"key trust {shlex.quote(by)} {key}{option}" for by, key in unknown_keys]
        return negative_answer_problem("unknown key", problem_text, reasons, hints[:3])
