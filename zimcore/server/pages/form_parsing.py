"""Reads HTML forms, and checks their fields as the request body of an endpoint."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar, get_origin

import msgspec

from zimcore.server.problem_responses import ProblemError
from zimcore.server.replies import AnyRequest

Form: TypeAlias = Mapping[str, str]
Body = TypeVar("Body", bound=msgspec.Struct)
KEY = re.compile(r"[!-~]{16,100}")


async def read_form(request: AnyRequest) -> Form:
    """The fields of a form. Raises `ProblemError` unless its `key` is a valid idempotency key."""
    fields = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    if not KEY.fullmatch(fields.get("key", "")):
        raise ProblemError(400, "the form is not valid", "it has no key", ["open the page again"])
    return fields


def fill_body(kind: type[Body], form: Form, /, **said: Any) -> Body:
    """A request body from those fields of a form that it has, and from `said`. Raises `ProblemError`.

    The fields `values.x` and `values.y` of a form are entries of a mapping `values`.
    """
    fields = {each.name: each.type for each in msgspec.structs.fields(kind)}
    given_fields: dict[str, Any] = {name: form[name].strip() for name in fields if name in form}
    for name in (name for name, type_ in fields.items() if get_origin(type_) is Mapping):
        given_fields[name] = {
            key.removeprefix(f"{name}."): text for key, text in form.items() if key.startswith(f"{name}.")
        }
    ticked = {name: True for name in given_fields if fields[name] is bool}
    return parse_form(kind, **{**given_fields, **ticked, **said})


def parse_form(kind: type[Body], /, **fields: Any) -> Body:
    """A request body from these form fields. Raises `ProblemError`."""
    try:
        return msgspec.convert(fields, kind, strict=False)  # a form has numbers as text
    except msgspec.ValidationError as error:
        raise ProblemError(400, "the form is not valid", str(error)) from error


def new_form_key() -> str:
    """A random idempotency key for a form: sent twice, it is done once."""
    return secrets.token_urlsafe(18)
