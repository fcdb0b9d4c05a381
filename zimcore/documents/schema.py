"""The JSON schema of all answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from zimcore.documents.learn import SchemaAnswer
from zimcore.documents.pipe_reply import Reply
from zimcore.documents.positions import Answer, Document
from zimcore.documents.problems import ErrorDocument, NoteDocument, ProgressDocument

VERSION = 1
"""Of all shapes together: it changes when one loses something."""


OTHER_DOCUMENTS = (ErrorDocument, NoteDocument, ProgressDocument, Reply)
"""What is no answer of a command."""


def schema(answers: Mapping[str, Sequence[type[Answer]]], requests: Mapping[str, Any]) -> SchemaAnswer:
    """The schema of the answers of all commands, by name, and of the requests to them."""
    from inspect import cleandoc

    every: Sequence[type[Document]] = [*dict.fromkeys(chain.from_iterable(answers.values())), *OTHER_DOCUMENTS]
    references, found = msgspec.json.schema_components(every, ref_template="#/$defs/{name}")
    named = dict(zip(every, references, strict=True))
    error, note, progress, reply = (named[shape] for shape in OTHER_DOCUMENTS)
    return SchemaAnswer(
        schema="https://json-schema.org/draft/2020-12/schema",
        title="Answers of zim --json",
        version=VERSION,
        any_of=(
            *(_of(name, named[shape]) for name, shapes in answers.items() for shape in shapes),
            error,
            note,
            progress,
            reply,
        ),
        answers={name: _any([named[shape] for shape in shapes]) for name, shapes in answers.items()},
        error=error,
        note=note,
        progress=progress,
        reply=reply,
        requests=dict(requests),
        # Versions of Python indent the text of a class in their own ways.
        defs={name: {**shape, "description": cleandoc(shape["description"])} for name, shape in found.items()},
    )


def _of(command: str, shape: dict[str, Any]) -> dict[str, Any]:
    # Beside a `$ref` itself, drafts of JSON Schema before 2019 read nothing.
    return {"allOf": [shape, {"properties": {"command": {"const": command}}, "required": ["command"]}]}


def _any(shapes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return shapes[0] if len(shapes) == 1 else {"anyOf": list(shapes)}
