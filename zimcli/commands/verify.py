"""Prove that a line is as it was played.

The chain of digests is followed from the start, and every command is decided again. The answer says which of three it
is, and where: altered (the chain is broken), rules changed (the same command would give other facts today), damaged.
With --all every line of every game is gone over, on all cores, and those without a name too; where there is none,
nothing is proved, and that is a no as well. A certificate (zim export) is a file, and is verified without any store;
its signatures too. Several are gone over one by one, a line for each fault, and at the end it says of how many;
--against then names a store, or a line, which must have all that they prove.

A line whose end was taken away, or that was written anew, is whole in itself. What was kept elsewhere shows it: --since
compares the whole store with a witness (zim witness), --against one line with a certificate.

Whose keys have signed is said as far as it is known (zim key list): a name that comes with another key than it had is
told, and exit code 1.

Example::

    zim verify kilwa-7
    zim verify kilwa-7.cert
    zim verify --all --since friday.witness
    zim verify kilwa-7 --against kilwa-7.cert
    zim verify *.cert --against $ZIM_STORE
"""

from __future__ import annotations

import re
from pathlib import Path

import click
import msgspec

from zimcli.audits import many
from zimcli.certificates import named_keys, with_known_keys
from zimcli.command import Placed, argument, declared
from zimcli.errors import answer_is_no
from zimcli.problems import FailedError, ProblemError
from zimcli.session import Session
from zimcore.documents.keep import Outside, VerifyAnswer
from zimcore.documents.listings import Signer
from zimcore.service import GameService

DIGEST = re.compile(r"[0-9a-f]{4,31}")
"""A part of a digest."""


class Verify(Placed):
    """With `--all` or a file there is no place."""

    def placed(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front where one is meant."""
        words = [args[at] for at in self.positions(args)]
        others = "--all" in args or any(Path(arg).is_file() for arg in words)
        return args if others else super().placed(session, args)

    def on_a_line(self, session: Session, place: str) -> str:
        """A file needs no store."""
        return place if Path(place).is_file() else super().on_a_line(session, place)


@declared(__doc__, Verify, {})
@argument("place", required=False, metavar="[PLACE | FILE]")
@argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--all", "all_", is_flag=True, help="Every line of every game.")
@click.option("--empty-ok", is_flag=True, help="With --all: a store without games is all right.")
@click.option("--since", default="", metavar="WITNESS", help="And that nothing of a witness is lost.")
@click.option(
    "--against", default="", metavar="CERTIFICATE | STORE", help="And that the line, or the store, has all of it."
)
def command(
    session: Session, place: str, files: tuple[str, ...], all_: bool, empty_ok: bool, since: str, against: str
) -> VerifyAnswer:
    """Verifies; a fault is a failure."""
    if (since and not all_) or (against and (all_ or not place)):
        raise click.UsageError("It is verify --all --since WITNESS, and verify PLACE --against CERTIFICATE.")
    if all_:
        return everything(session, since, empty_ok)
    if not place:
        raise click.UsageError("What is to be verified: a place, a file, or --all?")
    if files or (against and Path(place).is_file()):
        return many(session, [place, *files], against)
    if Path(place).is_file():
        return certificate(session, place)
    audit = session.service.verify(place)
    at = place.partition("@")[2].lower()
    digits = len(at) if DIGEST.fullmatch(at) and not at.isdecimal() else None
    answer = VerifyAnswer(audit, digits=digits, keys=named_keys(audit.signers))
    if against and not audit.fault:
        return with_known_keys(compared(session, answer, place, against))
    if audit.fault:
        what = f"{audit.game}/{audit.line} does not verify: {audit.fault.where}"
        hints = [f"log {audit.game}/{audit.line} --events"]
        raise FailedError(answer, answer_is_no(audit.fault.kind, what, [audit.fault.what], hints))
    return with_known_keys(answer)


def everything(session: Session, since: str, empty_ok: bool) -> VerifyAnswer:
    """Verifies the whole store."""
    kept = session.keeper("verify --all", "verify PLACE")
    seen = witnessed(session, kept, since) if since else None
    with session.out.progress("verifying games") as report:
        audits = kept.verify_all(report)
    signers = [each for audit in audits for each in audit.signers]
    signers += [Signer(seen.signed.by, seen.signed.seat, seen.signed.key)] if seen and seen.signed else []
    answer = VerifyAnswer(audits=tuple(audits), outside=seen, keys=named_keys(signers))
    faults = [(audit, audit.fault) for audit in audits if audit.fault]
    if seen and seen.losses:
        raise FailedError(answer, lost(seen, [f"{fault.kind}: {fault.where}: {fault.what}" for _, fault in faults]))
    if faults:
        why = [f"{fault.kind}: {fault.where}: {fault.what}" for _, fault in faults]
        there = kept.game_names()
        places = [f"{audit.game}/{audit.line}".strip("/") for audit, _ in faults if audit.game in there]
        what = f"{len(faults)} of {len(audits)} lines do not verify"
        hints = [f"verify {place}" for place in places][:3]
        raise FailedError(answer, answer_is_no("verify", what, why, hints))
    if not audits and not empty_ok:
        what = f"there is nothing to verify in {kept.url}"
        raise FailedError(
            answer, answer_is_no("empty", what, ["it has no games"], ["verify --all --empty-ok", "games"])
        )
    return with_known_keys(answer)


def witnessed(session: Session, kept: GameService, path: str) -> Outside:
    """What a witness says of the store."""
    from zimcli.commands.signing import signature_of
    from zimcli.files import reading
    from zimcore.service import importing, witness

    with reading(path) as file:
        found = witness.read(importing.lines_of(file))
    if found.signed:
        from zimcore.service import signatures

        if not signatures.vouches(found, found.signed):
            what = f"the signature of {found.signed.by} under {path} is not genuine"
            raise answer_is_no("forged", what, ["this key has not signed this witness"])
    with session.out.progress("comparing streams") as report:
        losses = tuple(kept.losses(found, report))
    return Outside(path, found.header.at, len(found.heads), losses, signature_of(found.signed))


def compared(session: Session, answer: VerifyAnswer, place: str, path: str) -> VerifyAnswer:
    """Whether a line has all that a certificate proves."""
    from zimcli.certificates import read, required

    found = read(path)
    required(found, session.kinds)
    loss = session.service.loss(place, found)
    outside = Outside(path, None, 1, (loss,) if loss else ())
    answer = msgspec.structs.replace(answer, outside=outside)
    if loss:
        raise FailedError(answer, lost(outside, []))
    return answer


def lost(outside: Outside, why: list[str]) -> ProblemError:
    """The problem that something is not there any more."""
    told = [f"{loss.kind}: {loss.name or f'stream {loss.stream}'}: {loss.what}" for loss in outside.losses]
    what = f"{len(told)} of {outside.streams} streams have not all that {outside.file} has seen"
    kinds = {loss.kind for loss in outside.losses}
    return answer_is_no(kinds.pop() if len(kinds) == 1 else "lost", what, told + why, ["backup FILE", "import FILE"])


def certificate(session: Session, path: str) -> VerifyAnswer:
    """Verifies a file and its signatures, without any store."""
    from zimcli.certificates import audit_of, documents, forged, not_genuine, not_signed, read

    found = read(path)
    audit = audit_of(found, session.kinds)
    wrong = forged(found) if not audit.fault else []
    genuine = [Signer(each.by, each.seat, each.key) for each in found.signatures if each not in wrong]
    answer = VerifyAnswer(
        audit,
        signatures=documents(found.signatures),
        forged=documents(wrong),
        keys=named_keys([*audit.signers, *genuine]) if not (audit.fault or wrong) else (),
        unproven="" if found.head.seal else f"{found.head.game}/{found.head.line}",
    )
    if audit.fault:
        raise FailedError(answer, not_genuine(audit, audit.fault))
    if wrong:
        raise FailedError(answer, not_signed(wrong))
    return with_known_keys(answer)
