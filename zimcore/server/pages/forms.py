"""Forms: what was filled in, checked as the body of a request to the resource that it is for."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

import msgspec

from zimcore.server.problems import ProblemError
from zimcore.server.replies import Asked

Form: TypeAlias = Mapping[str, str]
Wanted = TypeVar("Wanted", bound=msgspec.Struct)
KEY = re.compile(r"[!-~]{16,100}")


async def read(request: Asked) -> Form:
    """The fields of a form, of which `key` is as `Idempotency-Key` has to be. Raises `ProblemError`."""
    found = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    if not KEY.fullmatch(found.get("key", "")):
        raise ProblemError(400, "the form is not as it should be", "it has no key", ["open the page again"])
    return found


def filled(kind: type[Wanted], form: Form, /, **said: Any) -> Wanted:
    """What a form asks for: its fields that are of that kind, and what is said beside it. Raises `ProblemError`."""
    fields = {each.name: each.type for each in msgspec.structs.fields(kind)}
    found = {name: form[name].strip() for name in fields if name in form}
    ticked = {name: True for name in found if fields[name] is bool}
    return wanted(kind, **{**found, **ticked, **said})


def wanted(kind: type[Wanted], /, **fields: Any) -> Wanted:
    """What is asked for by these fields. Raises `ProblemError`."""
    try:
        return msgspec.convert(fields, kind, strict=False)  # a form has numbers as text
    except msgspec.ValidationError as error:
        raise ProblemError(400, "the form is not as it should be", str(error)) from error


def key_of() -> str:
    """A key for a form: sent twice it is done once."""
    return secrets.token_urlsafe(18)
