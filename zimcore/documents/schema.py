"""The schema of all answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from zimcore.documents.learn import SchemaAnswer
from zimcore.documents.positions import Answer, Document
from zimcore.documents.problems import ErrorDocument

VERSION = 1
"""Of all shapes together: it changes when one loses something."""


def schema(answers: Mapping[str, Sequence[type[Answer]]]) -> SchemaAnswer:
    """The schema of what commands answer with, by their names."""
    from inspect import cleandoc

    every: Sequence[type[Document]] = [
        *dict.fromkeys(shape for several in answers.values() for shape in several),
        ErrorDocument,
    ]
    references, found = msgspec.json.schema_components(every, ref_template="#/$defs/{name}")
    named = dict(zip(every, references, strict=True))
    # Versions of Python indent the text of a class in their own ways.
    defs = {name: {**shape, "description": cleandoc(shape["description"])} for name, shape in found.items()}
    return SchemaAnswer(
        schema="https://json-schema.org/draft/2020-12/schema",
        title="Answers of zim --json",
        version=VERSION,
        answers={command: _any([named[shape] for shape in shapes]) for command, shapes in answers.items()},
        error=named[ErrorDocument],
        defs=defs,
    )


def _any(shapes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return shapes[0] if len(shapes) == 1 else {"anyOf": list(shapes)}
