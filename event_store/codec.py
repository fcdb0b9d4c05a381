"""Encodes events as bytes and decodes them: short topics, one msgpack decoder per topic, upcasters for old tags.

A topic is a kind and the tag of an event's Struct: `zimbabwe.gift_given.1`. Each kind is registered with a function
that loads its event types when the first topic of the kind is needed, so opening a store imports no game.

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
_untyped_decoder = msgspec.msgpack.Decoder()
# msgspec 0.22 caches what it reads of a Struct on the Struct before that is complete. A second thread that uses the
# Struct meanwhile, or another Struct that contains it, crashes the process.
_decoder_lock = RLock()
_prepared_types = set[Any]()


class Forms(msgspec.Struct, frozen=True):
    """The event types (Structs) of a kind, and an upcaster for each old tag."""

    event_types: Sequence[type[msgspec.Struct]]
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
    with _decoder_lock:
        return msgspec.msgpack.Decoder(type_)


def prepare_type(type_: Any) -> None:
    """Lets msgspec read a type, so that several threads can convert to it, or decode it from JSON."""
    if type_ not in _prepared_types:
        decoder_of(type_)
        _prepared_types.add(type_)


def tag_of(event_type: type[msgspec.Struct]) -> str:
    """The tag of an event's Struct, as it is stored."""
    return str(event_type.__struct_config__.tag)


class Codec:
    """Turns events into topics and bytes, and back."""

    def __init__(self) -> None:
        self._loaders: dict[str, Callable[[], Forms]] = {}
        self._topics: dict[type[msgspec.Struct], str] = {}
        self._event_types: dict[str, type[msgspec.Struct]] = {}
        # `_load_kind` adds the decoders of old tags. Those of current tags are made when first needed: to make all of a
        # game's takes longer than to show it.
        self.decoders: dict[str, Decoder] = {}

    def register(self, kind: str, load_forms: Callable[[], Forms]) -> None:
        """Registers a kind of events; `load_forms` is called when its event types are first needed."""
        self._loaders[kind] = load_forms

    def encode(self, event: msgspec.Struct) -> tuple[str, bytes]:
        """The topic and bytes of an event. Raises `UnknownTopicError` if no registered kind has it."""
        while type(event) not in self._topics:
            if not self._loaders:
                raise UnknownTopicError(type(event).__qualname__)
            self._load_kind(next(iter(self._loaders)))
        return self._topics[type(event)], encode(event)

    def decode(self, topic: str, payload: bytes, *, stream: str, revision: int) -> msgspec.Struct:
        """The event in a row. Raises `DamagedError`, naming the row, if it can't be decoded."""
        try:
            return (self.decoders.get(topic) or self._find_decoder(topic))(payload)
        except UnknownTopicError:
            why = f"there is no event called {topic!r}: a newer Zim, or a game that is not installed, has written it"
            raise damaged_error(stream, revision, why, ("pip install --upgrade great-zim",)) from None
        # An upcaster may raise any error on wrong fields: the row is to blame.
        except Exception as error:
            raise damaged_error(stream, revision, f"these bytes are not a {topic}: {error}") from error

    def knows(self, topic: str) -> bool:
        """Whether events with this topic can be decoded."""
        try:
            return topic in self.decoders or bool(self._find_decoder(topic))
        except UnknownTopicError:
            return False

    def _find_decoder(self, topic: str) -> Decoder:
        kind = topic.partition(".")[0]
        if kind in self._loaders:
            self._load_kind(kind)
        if topic not in self.decoders:
            if topic not in self._event_types:
                raise UnknownTopicError(topic)
            self.decoders[topic] = self._make_decoder(self._event_types[topic])
        return self.decoders[topic]

    def _make_decoder(self, event_type: type[msgspec.Struct]) -> Decoder:
        return decoder_of(event_type).decode

    def _load_kind(self, kind: str) -> None:
        forms = self._loaders[kind]()
        types_by_tag = {tag_of(event_type): event_type for event_type in forms.event_types}
        for tag in forms.upcasters:
            self.decoders[f"{kind}.{tag}"] = _upcasting_decoder(tag, types_by_tag, forms.upcasters)
        for tag, event_type in types_by_tag.items():
            self._event_types[f"{kind}.{tag}"] = event_type
            self._topics[event_type] = f"{kind}.{tag}"
        del self._loaders[kind]


def _upcasting_decoder(
    tag: str, types_by_tag: Mapping[str, type[msgspec.Struct]], upcasters: Mapping[str, Upcaster]
) -> Decoder:
    """A decoder for an old tag: it applies one upcaster after another until a current tag is reached."""

    def decode(payload: bytes) -> msgspec.Struct:
        fields, current_tag = _untyped_decoder.decode(payload), tag
        while current_tag not in types_by_tag:
            current_tag, fields = upcasters[current_tag](fields)
        event_type = types_by_tag[current_tag]
        prepare_type(event_type)
        return msgspec.convert(fields | {str(event_type.__struct_config__.tag_field): current_tag}, event_type)

    return decode
