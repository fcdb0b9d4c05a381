"""Reads HTML forms, and checks their fields as the request body of an endpoint."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar, get_origin

import msgspec

from zimcore.server.wire.body_faults import describe_fault
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest

Form: TypeAlias = Mapping[str, str]
BodyT = TypeVar("BodyT", bound=msgspec.Struct)
FORM_KEY = re.compile(r"[!-~]{16,100}")


async def read_form(request: AnyRequest) -> Form:
    """The fields of a form. Raises `ProblemError` unless its `key` is a valid idempotency key."""
    fields = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    if not FORM_KEY.fullmatch(fields.get("key", "")):
        raise ProblemError(400, "the form is not valid", "it has no key", ["open the page again"])
    return fields


def fill_body(body_type: type[BodyT], form: Form, /, **extra_values: Any) -> BodyT:
    """A request body from those fields of a form that it has, and from `extra_values`. Raises `ProblemError`.

    The fields `values.x` and `values.y` of a form are entries of a mapping `values`.
    """
    field_types = {field.name: field.type for field in msgspec.structs.fields(body_type)}
    given_fields: dict[str, Any] = {name: form[name].strip() for name in field_types if name in form}
    for name in (name for name, field_type in field_types.items() if get_origin(field_type) is Mapping):
        given_fields[name] = {
            key.removeprefix(f"{name}."): value for key, value in form.items() if key.startswith(f"{name}.")
        }
    ticked_fields = {name: True for name in given_fields if field_types[name] is bool}
    return parse_form(body_type, **{**given_fields, **ticked_fields, **extra_values})


def parse_form(body_type: type[BodyT], /, **fields: Any) -> BodyT:
    """A request body from these form fields. Raises `ProblemError`."""
    try:
        return msgspec.convert(fields, body_type, strict=False)  # a form has numbers as text
    except msgspec.ValidationError as error:
        why = describe_fault(error, fields, body_type, is_strict=False)
        raise ProblemError(400, "the form is not valid", why) from error


def new_form_key() -> str:
    """A random idempotency key for a form: sent twice, it is done once."""
    return secrets.token_urlsafe(18)
