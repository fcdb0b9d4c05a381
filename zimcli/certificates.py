"""Certificates as commands use them: read from a file, verified, their signatures checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from zimcli.errors import answer_is_no
from zimcli.files import reading
from zimcli.trouble import TroubleError
from zimcore.service import Audit, Fault

if TYPE_CHECKING:
    from zimcore.service.certificates import Certificate, Signature


def read(path: str) -> Certificate:
    """The certificate in a file. Raises `DamagedError`."""
    from zimcore.service import certificates

    with reading(path) as file:
        return certificates.read(file.read())


def audit_of(certificate: Certificate, kinds: Mapping[str, str]) -> Audit:
    """Verifies a certificate without any database."""
    from zimcore.service import certificates

    return certificates.verify(certificate, kinds)


def forged(certificate: Certificate) -> list[Signature]:
    """The signatures that are not genuine. Raises `GameError` where they can't be checked."""
    if not certificate.signatures:
        return []
    from zimcore.service import signatures

    return [each for each in certificate.signatures if not signatures.is_genuine(certificate, each)]


def required(certificate: Certificate, kinds: Mapping[str, str], *, today: bool = True) -> None:
    """Raises `TroubleError` when a certificate does not hold; not for other rules, if those of `today` don't matter."""
    audit = audit_of(certificate, kinds)
    if audit.fault and (today or audit.fault.kind != "rules changed"):
        raise not_genuine(audit, audit.fault)
    wrong = forged(certificate)
    if wrong:
        raise not_signed(wrong)


def not_genuine(audit: Audit, fault: Fault) -> TroubleError:
    """The answer to a certificate that does not hold."""
    what = f"{audit.game}/{audit.line} does not verify: {fault.where}"
    return answer_is_no(fault.kind, what, [fault.what])


def not_signed(wrong: list[Signature]) -> TroubleError:
    """The answer to signatures that are not genuine."""
    names = ", ".join(each.by + (f" for {each.seat}" if each.seat else "") for each in wrong)
    return answer_is_no("forged", f"a signature is not genuine: {names}", ["this key has not signed this line"])
