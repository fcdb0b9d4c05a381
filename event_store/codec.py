"""Events <-> bytes: short topics, one typed msgpack decoder a topic, and upcasters for forms of the past.

A topic is a kind and the tag of an event's Struct: `zimbabwe.gift_given.1`. Kinds are registered with a function that
loads their forms, which is called when the first of their topics is met: opening a store imports no game.

In other words: event schema versioning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from event_store.errors import damaged_error

Fields: TypeAlias = dict[str, Any]
Upcaster: TypeAlias = Callable[[Fields], tuple[str, Fields]]
"""Takes the fields of an event stored under an old tag, gives its next tag and fields."""

Decoder: TypeAlias = Callable[[bytes], msgspec.Struct]

_encoder = msgspec.msgpack.Encoder(order="deterministic")
_plain = msgspec.msgpack.Decoder()


class Forms(msgspec.Struct, frozen=True):
    """How the events of a kind look today, and how those of old tags become them."""

    events: Sequence[type[msgspec.Struct]]
    upcasters: Mapping[str, Upcaster] = {}


class UnknownTopicError(LookupError):
    """No event is known by this topic."""


def encode(value: Any) -> bytes:
    """The canonical bytes of a value: equal values have equal bytes.

    >>> encode({"b": 1, "a": 2}) == encode({"a": 2, "b": 1})
    True
    """
    return _encoder.encode(value)


def tag_of(form: type[msgspec.Struct]) -> str:
    """The tag of an event's Struct, as it stands in its bytes."""
    return str(form.__struct_config__.tag)


class Codec:
    """Turns events into topics and bytes, and back."""

    def __init__(self) -> None:
        self._loaders: dict[str, Callable[[], Forms]] = {}
        self._topics: dict[type[msgspec.Struct], str] = {}
        # Of the topics met so far; the others are found by `decode`.
        self.decoders: dict[str, Decoder] = {}

    def register(self, kind: str, load: Callable[[], Forms]) -> None:
        """Makes a kind of events known; its forms are loaded when they are needed."""
        self._loaders[kind] = load

    def encode(self, event: msgspec.Struct) -> tuple[str, bytes]:
        """The topic and bytes of an event. Raises `UnknownTopicError` for one that no registered kind has."""
        while type(event) not in self._topics:
            if not self._loaders:
                raise UnknownTopicError(type(event).__qualname__)
            self._load(next(iter(self._loaders)))
        return self._topics[type(event)], encode(event)

    def decode(self, topic: str, state: bytes, *, stream: str, revision: int) -> msgspec.Struct:
        """The event in a row. Raises `DamagedError`, naming the row, when there is none."""
        try:
            return (self.decoders.get(topic) or self._find(topic))(state)
        except UnknownTopicError:
            hints = ("update zim: a newer version may have written it",)
            raise damaged_error(stream, revision, f"there is no event called {topic!r}", hints) from None
        # Whatever an upcaster stumbles over, the row is what is wrong.
        except Exception as error:
            raise damaged_error(stream, revision, f"these bytes are not a {topic}: {error}") from error

    def _find(self, topic: str) -> Decoder:
        kind = topic.partition(".")[0]
        if kind in self._loaders:
            self._load(kind)
        if topic not in self.decoders:
            raise UnknownTopicError(topic)
        return self.decoders[topic]

    def _load(self, kind: str) -> None:
        forms = self._loaders[kind]()
        types = {tag_of(form): form for form in forms.events}
        for tag in forms.upcasters:
            self.decoders[f"{kind}.{tag}"] = _upcasting_decoder(tag, types, forms.upcasters)
        for tag, form in types.items():
            self.decoders[f"{kind}.{tag}"] = msgspec.msgpack.Decoder(form).decode
            self._topics[form] = f"{kind}.{tag}"
        del self._loaders[kind]


def _upcasting_decoder(
    tag: str, types: Mapping[str, type[msgspec.Struct]], upcasters: Mapping[str, Upcaster]
) -> Decoder:
    """A decoder for bytes of the past: it lets the upcasters hand the fields on until today's form is reached."""

    def decode(state: bytes) -> msgspec.Struct:
        fields, now = _plain.decode(state), tag
        while now not in types:
            now, fields = upcasters[now](fields)
        form = types[now]
        return msgspec.convert(fields | {str(form.__struct_config__.tag_field): now}, form)

    return decode
