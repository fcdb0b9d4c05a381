"""A stored form that older programs can't read raises the format number, so that they refuse the store.

`data/store_format.json` has the forms that each number added: topics of events, tags of commands, and the forms of
files. A form that is not there fails here. If older programs can read it all the same, such as an event in a stream
that they do not look at, list it under `readable`. Otherwise raise `FORMAT` in `event_store/marks.py`, set `LEAST_ZIM`
to the coming version, and list it under the new number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import pytest

from event_store import export, marks
from event_store.chain import ATTESTED_TOPIC, PLAIN_TOPIC, UNSALTED_TOPIC
from event_store.codec import Codec, tag_of
from event_store.store import _event_forms
from zimcore.game import Command, Deal
from zimcore.games.registry import BUILT_IN, game
from zimcore.service.proofs import certificates, witness, witness_log
from zimcore.service.records.event_registration import load_game, register_service_events

FORMS_FILE = Path(__file__).with_name("data") / "store_format.json"
CLOSED = {1: "545679", 2: "395a54"}
"""The digest of the forms of each number that was released, or is in use: they are what its programs can read."""


def forms_in_code() -> set[str]:
    """Every form that can be stored, or written to a file that is read back."""
    codec = Codec()
    codec.register("store", _event_forms)
    register_service_events(codec)
    for kind in BUILT_IN:
        load_game(codec, kind, BUILT_IN)
    for kind in list(codec._loaders):
        codec._load_kind(kind)
    commands = {
        f"{kind}:{tag_of(form)}"
        for kind in BUILT_IN
        if game(kind).notation
        for form in (*Command.__subclasses__(), *Deal.__subclasses__())
        if form.__module__.startswith(f"zimcore.games.{kind}.")
    }
    files = {export.EXPORT_FORMAT, certificates.FORMAT, certificates.UNSEALED_FORMAT, witness.FORMAT}
    return {
        *codec._event_types,
        *codec.decoders,
        *commands,
        *files,
        witness_log.FORMAT,
        *(ATTESTED_TOPIC, PLAIN_TOPIC, UNSALTED_TOPIC),
    }


def faults(forms: set[str], listed_forms: Mapping[str, list[str]]) -> list[str]:
    """What is wrong with the list of forms."""
    unlisted_forms = forms - {form for listed in listed_forms.values() for form in listed}
    numbers = [int(number) for number in listed_forms if number != "readable"]
    changed_numbers = [number for number in numbers if digest_of(listed_forms[str(number)]) != CLOSED.get(number)]
    return [
        *(f"{form}: raise the format number, or list it as readable" for form in sorted(unlisted_forms)),
        *(f"the forms of {number} are not those of `CLOSED`" for number in changed_numbers),
        *([f"{max(numbers)} is not FORMAT"] if max(numbers) != marks.FORMAT else []),
    ]


def digest_of(forms: list[str]) -> str:
    return blake2b("\n".join(forms).encode(), digest_size=3).hexdigest()


def listed_forms() -> dict[str, list[str]]:
    listed: dict[str, list[str]] = json.loads(FORMS_FILE.read_text("utf-8"))
    return listed


def test_every_stored_form_belongs_to_a_format_number() -> None:
    assert not faults(forms_in_code(), listed_forms())


@pytest.mark.parametrize("form", ["names.game_named.2", "discussion.applauded.1", "zimbabwe:build.9", "store.2"])
def test_a_new_form_is_found(form: str) -> None:
    listed = listed_forms()
    assert faults({*forms_in_code(), form}, listed) == [f"{form}: raise the format number, or list it as readable"]
    assert not faults({*forms_in_code(), form}, {**listed, "readable": [*listed["readable"], form]})
    changed = {**listed, "1": [*listed["1"], form]}
    assert faults({*forms_in_code(), form}, changed) == ["the forms of 1 are not those of `CLOSED`"]


def test_a_new_number_needs_a_raised_format(monkeypatch: pytest.MonkeyPatch) -> None:
    number = marks.FORMAT + 1
    listed = {**listed_forms(), str(number): ["names.game_named.2"]}
    monkeypatch.setitem(CLOSED, number, digest_of(listed[str(number)]))
    assert faults(forms_in_code(), listed) == [f"{number} is not FORMAT"]
    monkeypatch.setattr(marks, "FORMAT", number)
    assert not faults(forms_in_code(), listed)
