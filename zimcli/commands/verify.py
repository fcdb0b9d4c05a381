"""Prove that a line is as it was played.

The chain of digests is followed from the start, and every command is decided again. The answer says which of three it
is, and where: altered (the chain is broken), rules changed (the same command would give other facts today), damaged.
With --all every line of every game is gone over, on all cores; where there is none nothing is proved, and that is a no
as well. A certificate (zim export) is a file, and is verified without any store; its signatures too.

Example::

    zim verify kilwa-7
    zim verify kilwa-7.cert
"""

from __future__ import annotations

from pathlib import Path

import click

from zimcli.command import Placed, argument, declared
from zimcli.errors import answer_is_no
from zimcli.problems import FailedError
from zimcli.session import Session
from zimcore.documents.keep import VerifyAnswer


class Verify(Placed):
    """With `--all` or a file there is no place."""

    def placed(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front where one is meant."""
        others = "--all" in args or any(Path(arg).is_file() for arg in args)
        return args if others else super().placed(session, args)


@declared(__doc__, Verify, {})
@argument("place", required=False, metavar="[PLACE | FILE]")
@click.option("--all", "all_", is_flag=True, help="Every line of every game.")
@click.option("--empty-ok", is_flag=True, help="With --all: a store without games is all right.")
def command(session: Session, place: str, all_: bool, empty_ok: bool) -> VerifyAnswer:
    """Verifies; a fault is a failure."""
    if all_:
        return everything(session, empty_ok)
    if not place:
        raise click.UsageError("What is to be verified: a place, a file, or --all?")
    if Path(place).is_file():
        return certificate(session, place)
    audit = session.service.verify(place)
    answer = VerifyAnswer(audit)
    if audit.fault:
        what = f"{audit.game}/{audit.line} does not verify: {audit.fault.where}"
        hints = [f"log {audit.game}/{audit.line} --events"]
        raise FailedError(answer, answer_is_no(audit.fault.kind, what, [audit.fault.what], hints))
    return answer


def everything(session: Session, empty_ok: bool) -> VerifyAnswer:
    """Verifies the whole store."""
    with session.out.progress("verifying games") as report:
        audits = session.service.verify_all(report)
    answer = VerifyAnswer(audits=tuple(audits))
    faults = [(audit, audit.fault) for audit in audits if audit.fault]
    if faults:
        why = [f"{fault.kind}: {fault.where}: {fault.what}" for _, fault in faults]
        places = [f"{audit.game}/{audit.line}".strip("/") for audit, _ in faults]
        what = f"{len(faults)} of {len(audits)} lines do not verify"
        hints = [f"verify {place}" for place in places if place][:3]
        raise FailedError(answer, answer_is_no("verify", what, why, hints))
    if not audits and not empty_ok:
        what = f"there is nothing to verify in {session.service.store.url}"
        raise FailedError(
            answer, answer_is_no("empty", what, ["it has no games"], ["verify --all --empty-ok", "games"])
        )
    return answer


def certificate(session: Session, path: str) -> VerifyAnswer:
    """Verifies a file and its signatures, without any store."""
    from zimcli.certificates import audit_of, documents, forged, not_genuine, not_signed, read

    found = read(path)
    audit = audit_of(found, session.kinds)
    wrong = forged(found) if not audit.fault else []
    answer = VerifyAnswer(audit, signatures=documents(found.signatures), forged=documents(wrong))
    if audit.fault:
        raise FailedError(answer, not_genuine(audit, audit.fault))
    if wrong:
        raise FailedError(answer, not_signed(wrong))
    return answer
