"""Prove that a line is as it was played.

The chain of digests is followed from the start, and every command is decided again. The answer says which of three it
is, and where: altered (the chain is broken), rules changed (the same command would give other facts today), damaged.
With --all every line of every game is gone over, on all cores. A certificate (zim export) is a file, and is verified
without any store; its signatures too.

Example::

    zim verify kilwa-7
    zim verify kilwa-7.cert
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from zimcli.command import Placed, declared, pass_session
from zimcli.completing import completes, places
from zimcli.errors import answer_is_no
from zimcli.session import Session
from zimcore.service import Audit


class Verify(Placed):
    """With `--all` or a file there is no place."""

    def placed(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front where one is meant."""
        others = "--all" in args or any(Path(arg).is_file() for arg in args)
        return args if others else super().placed(session, args)


@declared(__doc__, Verify, {})
@click.argument("place", required=False, metavar="[PLACE | FILE]", shell_complete=completes(places))
@click.option("--all", "all_", is_flag=True, help="Every line of every game.")
@pass_session
def command(session: Session, place: str, all_: bool) -> None:
    """Verifies; exit code 1 if there is a fault."""
    if all_:
        return everything(session)
    if Path(place).is_file():
        return certificate(session, place)
    audit = session.service.verify(place)
    session.out.document({"audit": audit})
    if audit.fault:
        what = f"{audit.game}/{audit.line} does not verify: {audit.fault.where}"
        raise answer_is_no(audit.fault.kind, what, [audit.fault.what], [f"log {audit.game}/{audit.line} --events"])
    session.out.line((f"✓ {audit.game}/{audit.line}", "bold green"), f" is as it was played: {counted([audit])}")
    return None


def everything(session: Session) -> None:
    """Verifies the whole store."""
    from zimcli.render.progress import progress

    with progress("verifying games") as report:
        audits = session.service.verify_all(report)
    session.out.document({"audits": audits})
    faults = [(audit, audit.fault) for audit in audits if audit.fault]
    if faults:
        why = [f"{fault.kind}: {fault.where}: {fault.what}" for _, fault in faults]
        places = [f"{audit.game}/{audit.line}".strip("/") for audit, _ in faults]
        what = f"{len(faults)} of {len(audits)} lines do not verify"
        raise answer_is_no("verify", what, why, [f"verify {place}" for place in places if place][:3])
    games = len({audit.game for audit in audits})
    what = f"{games} games with {len(audits)} lines are as they were played: {counted(audits)}"
    session.out.line(("✓ ", "bold green"), what)


def certificate(session: Session, path: str) -> None:
    """Verifies a file and its signatures, without any store."""
    from zimcli.certificates import audit_of, forged, not_genuine, not_signed, read

    found = read(path)
    audit = audit_of(found, session.kinds)
    wrong = forged(found) if not audit.fault else []
    session.out.document({"audit": audit, "signatures": found.signatures, "forged": wrong})
    if audit.fault:
        raise not_genuine(audit, audit.fault)
    if wrong:
        raise not_signed(wrong)
    session.out.line((f"✓ {audit.game}/{audit.line}", "bold green"), f" is as it was played: {counted([audit])}")
    for each in found.signatures:
        session.out.line(f"  signed by {each.by}" + (f" for {each.seat}" if each.seat else "") + f", key {each.key}")


def counted(audits: Sequence[Audit]) -> str:
    """What was gone over."""
    commits, events = sum(audit.commits for audit in audits), sum(audit.events for audit in audits)
    head = f", head {audits[0].digest}" if len(audits) == 1 else ""
    return f"{commits} commits, {events} events{head}"
