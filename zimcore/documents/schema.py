"""The schema of all answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from zimcore.documents.learn import SchemaAnswer
from zimcore.documents.positions import Answer, Document
from zimcore.documents.problems import ErrorDocument

VERSION = 1
"""Of all shapes together: it changes when one loses something."""


def schema(answers: Mapping[str, type[Answer]]) -> SchemaAnswer:
    """The schema of what commands answer with, by their names."""
    from inspect import cleandoc

    shapes: Sequence[type[Document]] = [*dict.fromkeys(answers.values()), ErrorDocument]
    references, found = msgspec.json.schema_components(shapes, ref_template="#/$defs/{name}")
    named = dict(zip(shapes, references, strict=True))
    # Versions of Python indent the text of a class in their own ways.
    defs = {name: {**shape, "description": cleandoc(shape["description"])} for name, shape in found.items()}
    return SchemaAnswer(
        schema="https://json-schema.org/draft/2020-12/schema",
        title="Answers of zim --json",
        version=VERSION,
        answers={command: named[shape] for command, shape in answers.items()},
        error=named[ErrorDocument],
        defs=defs,
    )
