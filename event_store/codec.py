"""Encodes events as bytes and decodes them: short topics, one msgpack decoder per topic, upcasters for old forms.

A topic is a kind and the tag of an event's Struct: `zimbabwe.gift_given.1`. Each kind is registered with a function
that loads its forms when the first topic of the kind is needed, so opening a store imports no game.

In other words: event schema versioning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any, TypeAlias

import msgspec

from event_store.errors import damaged_error

Fields: TypeAlias = dict[str, Any]
Upcaster: TypeAlias = Callable[[Fields], tuple[str, Fields]]
"""Takes the fields of an event stored under an old tag, and returns its next tag and fields."""

Decoder: TypeAlias = Callable[[bytes], msgspec.Struct]

_encoder = msgspec.msgpack.Encoder(order="deterministic")
_plain = msgspec.msgpack.Decoder()
# msgspec (0.22) keeps what it reads of a Struct with the Struct, from before it has read all of it. A second thread
# that first meets the same Struct meanwhile, or another one that contains it, ends the process by a segmentation fault.
_meeting = RLock()
_met = set[Any]()


class Forms(msgspec.Struct, frozen=True):
    """The event Structs of a kind, and an upcaster for each old tag."""

    events: Sequence[type[msgspec.Struct]]
    upcasters: Mapping[str, Upcaster] = {}


class UnknownTopicError(LookupError):
    """There is no event with this topic."""


def encode(value: Any) -> bytes:
    """The canonical bytes of a value: equal values have equal bytes.

    >>> encode({"b": 1, "a": 2}) == encode({"a": 2, "b": 1})
    True
    """
    return _encoder.encode(value)


def decoder_of(type_: Any) -> msgspec.msgpack.Decoder[Any]:
    """A decoder of a type; threads that share Structs make theirs by this, one at a time."""
    with _meeting:
        return msgspec.msgpack.Decoder(type_)


def prepare(form: Any) -> None:
    """Lets msgspec read a type, so that several threads can convert to it, or decode it from JSON."""
    if form not in _met:
        decoder_of(form)
        _met.add(form)


def tag_of(form: type[msgspec.Struct]) -> str:
    """The tag of an event's Struct, as it is stored."""
    return str(form.__struct_config__.tag)


class Codec:
    """Turns events into topics and bytes, and back."""

    def __init__(self) -> None:
        self._loaders: dict[str, Callable[[], Forms]] = {}
        self._topics: dict[type[msgspec.Struct], str] = {}
        self._forms: dict[str, type[msgspec.Struct]] = {}
        # Only of topics decoded so far; `decode` makes the others. To make all of a game takes longer than to show it.
        self.decoders: dict[str, Decoder] = {}

    def register(self, kind: str, load: Callable[[], Forms]) -> None:
        """Registers a kind of events; `load` is called when its forms are first needed."""
        self._loaders[kind] = load

    def encode(self, event: msgspec.Struct) -> tuple[str, bytes]:
        """The topic and bytes of an event. Raises `UnknownTopicError` if no registered kind has it."""
        while type(event) not in self._topics:
            if not self._loaders:
                raise UnknownTopicError(type(event).__qualname__)
            self._load(next(iter(self._loaders)))
        return self._topics[type(event)], encode(event)

    def decode(self, topic: str, state: bytes, *, stream: str, revision: int) -> msgspec.Struct:
        """The event in a row. Raises `DamagedError`, naming the row, if it can't be decoded."""
        try:
            return (self.decoders.get(topic) or self._find(topic))(state)
        except UnknownTopicError:
            hints = ("update zim: a newer version may have written it",)
            raise damaged_error(stream, revision, f"there is no event called {topic!r}", hints) from None
        # An upcaster may raise any error on wrong fields: the row is to blame.
        except Exception as error:
            raise damaged_error(stream, revision, f"these bytes are not a {topic}: {error}") from error

    def knows(self, topic: str) -> bool:
        """Whether events with this topic can be decoded."""
        try:
            return topic in self.decoders or bool(self._find(topic))
        except UnknownTopicError:
            return False

    def _find(self, topic: str) -> Decoder:
        kind = topic.partition(".")[0]
        if kind in self._loaders:
            self._load(kind)
        if topic not in self.decoders:
            if topic not in self._forms:
                raise UnknownTopicError(topic)
            self.decoders[topic] = self._make_decoder(self._forms[topic])
        return self.decoders[topic]

    def _make_decoder(self, form: type[msgspec.Struct]) -> Decoder:
        return decoder_of(form).decode

    def _load(self, kind: str) -> None:
        forms = self._loaders[kind]()
        types = {tag_of(form): form for form in forms.events}
        for tag in forms.upcasters:
            self.decoders[f"{kind}.{tag}"] = _upcasting_decoder(tag, types, forms.upcasters)
        for tag, form in types.items():
            self._forms[f"{kind}.{tag}"] = form
            self._topics[form] = f"{kind}.{tag}"
        del self._loaders[kind]


def _upcasting_decoder(
    tag: str, types: Mapping[str, type[msgspec.Struct]], upcasters: Mapping[str, Upcaster]
) -> Decoder:
    """A decoder for an old tag: it applies one upcaster after another until a current form is reached."""

    def decode(state: bytes) -> msgspec.Struct:
        fields, current_tag = _plain.decode(state), tag
        while current_tag not in types:
            current_tag, fields = upcasters[current_tag](fields)
        form = types[current_tag]
        prepare(form)
        return msgspec.convert(fields | {str(form.__struct_config__.tag_field): current_tag}, form)

    return decode
