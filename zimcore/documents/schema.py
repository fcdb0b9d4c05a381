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
"""The version of all shapes together: it changes when a shape loses something."""


OTHER_DOCUMENTS = (ErrorDocument, NoteDocument, ProgressDocument, Reply)
"""Documents that are not answers of commands."""


def schema(answers: Mapping[str, Sequence[type[Answer]]], requests: Mapping[str, Any]) -> SchemaAnswer:
    """The schema of the answers of all commands, by name, and of the requests to them."""
    from inspect import cleandoc

    all_documents: Sequence[type[Document]] = [*dict.fromkeys(chain.from_iterable(answers.values())), *OTHER_DOCUMENTS]
    references, definitions = msgspec.json.schema_components(all_documents, ref_template="#/$defs/{name}")
    schemas_by_name = dict(zip(all_documents, references, strict=True))
    error, note, progress, reply = (schemas_by_name[shape] for shape in OTHER_DOCUMENTS)
    return SchemaAnswer(
        schema="https://json-schema.org/draft/2020-12/schema",
        title="Answers of zim --json",
        version=VERSION,
        any_of=(
            *(_with_command(name, schemas_by_name[shape]) for name, shapes in answers.items() for shape in shapes),
            error,
            note,
            progress,
            reply,
        ),
        answers={name: _any_of([schemas_by_name[shape] for shape in shapes]) for name, shapes in answers.items()},
        error=error,
        note=note,
        progress=progress,
        reply=reply,
        requests=dict(requests),
        # Versions of Python indent the text of a class in their own ways.
        defs={name: {**shape, "description": cleandoc(shape["description"])} for name, shape in definitions.items()},
    )


def _with_command(command: str, shape: dict[str, Any]) -> dict[str, Any]:
    # Drafts of JSON Schema before 2019 ignore everything next to a `$ref`.
    return {"allOf": [shape, {"properties": {"command": {"const": command}}, "required": ["command"]}]}


def _any_of(shapes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return shapes[0] if len(shapes) == 1 else {"anyOf": list(shapes)}
