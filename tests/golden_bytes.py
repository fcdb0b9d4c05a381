"""The stored bytes of every event and command of a game: all past forms stay readable.

For each tag a file has stored bytes and the fields that they encode: once with all fields, and once with only those
that have no default. A form that changes unseen, a default included, fails the tests that are made here.

To add a new event or command, or a new version of one under a new tag: put an example of it among the game's examples
and run `ZIM_GOLDEN=write pytest` on that game's test. That adds what is missing and rewrites nothing. The old tag and
its bytes stay in the file, with the fields that its upcaster makes of them today.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from event_store.codec import Codec, Forms, encode, tag_of
from zimcore.game import Command, Deal, Game

DATA_FOLDER = Path(__file__).with_name("data")

StoredEntries = dict[str, list[dict[str, Any]]]
"""By tag: the bytes of each example in hex, and its fields."""


class GoldenBytes:
    """A game's examples, and their stored bytes."""

    def __init__(self, game: Game, examples: Sequence[msgspec.Struct]) -> None:
        self.game = game
        self.examples = examples
        self.forms: dict[str, type[msgspec.Struct]] = {tag_of(type(example)): type(example) for example in examples}
        self.stored_entries = self._golden_file(DATA_FOLDER / f"{game.name}_events.json")

    def _golden_file(self, file: Path) -> StoredEntries:
        """The stored bytes; with `ZIM_GOLDEN=write` missing examples are added to the file first."""
        stored_entries: StoredEntries = json.loads(file.read_text("utf-8")) if file.exists() else {}
        if os.environ.get("ZIM_GOLDEN") == "write":
            stored_entries = {tag_of(type(example)): entries_of(example) for example in self.examples} | stored_entries
            lines = (f"{json.dumps(tag)}: {json.dumps(stored_entries[tag])}" for tag in sorted(stored_entries))
            file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
        return stored_entries

    def check_written(self, example: msgspec.Struct) -> None:
        """A form is written with the same bytes as before."""
        assert entries_of(example) == self.stored_entries[tag_of(type(example))], "a changed form needs a new tag"

    def check_read(self, tag: str) -> None:
        """Stored bytes stay readable."""
        for entry in self.stored_entries[tag]:
            assert fields_of(self._decode(tag, bytes.fromhex(entry["bytes"]))) == entry["fields"]

    def check_complete(self, commands_module: str) -> None:
        """Every event, and every command of a module, has an example with all its fields."""
        forms = [*Command.__subclasses__(), *Deal.__subclasses__()]
        command_tags = {tag_of(form) for form in forms if form.__module__ == commands_module}
        assert self.forms.keys() == command_tags | {tag_of(event) for event in self.game.evolution.EVENTS}
        for example in self.examples:
            fields = {field.name for field in msgspec.structs.fields(example)}
            assert fields == msgspec.msgpack.decode(encode(example)).keys() - {"do", "event"}, (
                "an example leaves a field at its default"
            )

    def _decode(self, tag: str, stored_bytes: bytes) -> msgspec.Struct:
        """Decodes stored bytes as a store does: an event by its tag, old tags too, and a command as `Played` has it."""
        if tag in self.forms and tag_of(self.forms[tag]) not in {tag_of(event) for event in self.game.evolution.EVENTS}:
            return msgspec.msgpack.decode(stored_bytes, type=self.forms[tag])
        codec = Codec()
        codec.register(self.game.name, lambda: Forms(tuple(self.game.evolution.EVENTS), self.game.evolution.UPCASTERS))
        return codec.decode(f"{self.game.name}.{tag}", stored_bytes, stream="golden", revision=0)


def minimal_example(example: msgspec.Struct) -> msgspec.Struct:
    """The example with only its required fields."""
    fields = msgspec.structs.fields(example)
    return type(example)(**{field.name: getattr(example, field.name) for field in fields if field.required})


def fields_of(form: msgspec.Struct) -> dict[str, Any]:
    """All fields, those left at their defaults too, as JSON has them."""
    fields: dict[str, Any] = json.loads(msgspec.json.encode(msgspec.structs.asdict(form)))
    return fields


def entries_of(example: msgspec.Struct) -> list[dict[str, Any]]:
    """What the file has for an example: it with all fields, and with only the required ones if these are fewer."""
    forms = [example] if minimal_example(example) == example else [example, minimal_example(example)]
    return [{"bytes": encode(form).hex(), "fields": fields_of(form)} for form in forms]
