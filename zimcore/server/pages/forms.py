"""Forms: what was filled in, checked as the body of a request to the resource that it is for."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

import msgspec

from zimcore.server.desk import Asked
from zimcore.server.problems import ProblemError

Form: TypeAlias = Mapping[str, str]
Wanted = TypeVar("Wanted", bound=msgspec.Struct)
KEY = re.compile(r"[!-~]{16,100}")


async def read(request: Asked) -> Form:
    """The fields of a form, of which `key` is as `Idempotency-Key` has to be. Raises `ProblemError`."""
    found = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    if not KEY.fullmatch(found.get("key", "")):
        raise ProblemError(400, "the form is not as it should be", "it has no key", ["open the page again"])
    return found


def wanted(kind: type[Wanted], /, **fields: Any) -> Wanted:
    """What a form asks for. Raises `ProblemError`."""
    try:
        return msgspec.convert(fields, kind, strict=False)  # a form has numbers as text
    except msgspec.ValidationError as error:
        raise ProblemError(400, "the form is not as it should be", str(error)) from error


def key_of() -> str:
    """A key for a form: sent twice it is done once."""
    return secrets.token_urlsafe(18)
