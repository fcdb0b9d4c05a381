"""Golden bytes: the stored forms of events, which may never change.

A changed form gets a new tag; `ZIM_GOLDEN=write pytest ...` adds its bytes to the file, and rewrites none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from event_store.codec import encode, tag_of


def check_golden(path: Path, examples: Sequence[msgspec.Struct]) -> None:
    """Fails when an example's bytes are not those in the file, can't be read any more, or are not there yet."""
    hex_by_tag: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    encoded_examples = {tag_of(type(example)): encode(example).hex() for example in examples}
    if os.environ.get("ZIM_GOLDEN") == "write":
        hex_by_tag = encoded_examples | hex_by_tag
        path.write_text(json.dumps(hex_by_tag, indent=2, sort_keys=True) + "\n")
    assert encoded_examples == hex_by_tag, "a changed form needs a new tag"
    for example in examples:
        golden_bytes = bytes.fromhex(hex_by_tag[tag_of(type(example))])
        assert msgspec.msgpack.decode(golden_bytes, type=type(example)) == example
