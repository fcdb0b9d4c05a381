"""Answers as documents: shows an answer that was read from a document as the text that its command prints.

So a snapshot of the text is enough for most questions; of each kind of answer, one document has a snapshot too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from io import BytesIO, TextIOWrapper
from pprint import pformat

import msgspec

from zimcli.output.output import Output
from zimcli.shell.registry import answer_types_by_command
from zimcore.documents.positions import Answer

ANSWER_TYPES = answer_types_by_command()


def read_answer(json_line: str, answer_types: Sequence[type[Answer]]) -> Answer | None:
    """The answer in a line of JSON, by the first of several shapes that fits."""
    for answer_type in answer_types:
        with suppress(msgspec.ValidationError):
            return msgspec.json.decode(json_line, type=answer_type)
    return None


def render_answer(json_line: str, command: str) -> str:
    """The text that a command prints for the answer in a line of JSON."""
    answer = read_answer(json_line, ANSWER_TYPES[command])
    assert answer
    with TextIOWrapper(BytesIO(), encoding="utf-8") as buffer, redirect_stdout(buffer):
        Output().show_answer(answer)
        buffer.seek(0)
        return buffer.read()


def format_compactly(json_line: str) -> str:
    """A document in as few rows as can be read, for a snapshot."""
    return pformat(json.loads(json_line), width=118, compact=True)
