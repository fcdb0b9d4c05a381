"""The names that parameters have in the shell, where a field of a request was named otherwise: a server takes both.

Shell, pipe, library and schemas have one name for a parameter. Fields of version 1 of the API stay: these were added.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from zimcore.documents.discussion import NewRemark
from zimcore.documents.query_parameters import LegalQuery, LogQuery, WhyQuery
from zimcore.documents.seats import LineName, Move, NewAmendment, NewGame

FIELDS_BY_SHELL_NAME: Mapping[type[msgspec.Struct], Mapping[str, str]] = {
    LegalQuery: {"words": "beginning"},
    LineName: {"share": "shared"},
    LogQuery: {"all": "every", "events": "facts"},
    Move: {"command": "move"},
    NewAmendment: {"command": "move"},
    NewGame: {"game": "kind"},
    NewRemark: {"note": "own"},
    WhyQuery: {"subject": "what"},
}


def with_field_names(document: object, request_type: type[msgspec.Struct]) -> object:
    """A body with the names of fields instead of those of the shell; one that has both stays as it is.

    >>> with_field_names({"command": "bid 3", "seat": "zulu"}, Move)
    {'move': 'bid 3', 'seat': 'zulu'}
    """
    fields = FIELDS_BY_SHELL_NAME.get(request_type, {})
    if not isinstance(document, dict) or any(fields[name] in document for name in fields.keys() & document.keys()):
        return document
    return {fields.get(name, name): value for name, value in document.items()}
