"""What is known of the keys that have signed something, and the answer where a name came with another than it had."""

from __future__ import annotations

from collections.abc import Iterable

from zimcli.errors import answer_is_no
from zimcli.problems import FailedError
from zimcli.render.answers.keep import signer
from zimcore.documents.keep import NamedKey, VerifyAnswer
from zimcore.documents.listings import Signer

WRONG = {"changed": "this name had another key", "revoked": "this key was revoked"}


def named_keys(signers: Iterable[Signer]) -> tuple[NamedKey, ...]:
    """The keys that have signed, each once, with what is known of them."""
    signers = list(signers)
    every = list(dict.fromkeys((each.by, each.seat, each.key) for each in signers))
    if not every:
        return ()
    from zimcli import known_keys

    former = {each.key: each.former for each in signers if each.former}
    found = known_keys.met([(by, key) for by, _, key in every], former)
    return tuple(NamedKey(by, seat, key, found[by, key]) for by, seat, key in every)


def with_known_keys(answer: VerifyAnswer) -> VerifyAnswer:
    """The answer; a failure where a name came with another key than it had, or with one that was revoked."""
    wrong = [each for each in answer.keys if each.status in WRONG]
    if wrong:
        why = [f"{signer(each)}, key {each.key}: {WRONG[each.status]}" for each in wrong]
        hints = ["key list", *(f"key trust {each.by} {each.key}" for each in wrong if each.status == "changed")][:3]
        raise FailedError(answer, answer_is_no("wrong key", "somebody else may have signed this", why, hints))
    return answer
