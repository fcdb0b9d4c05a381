"""Decodes redacted events from a server, in which any value may be `?`, for hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from event_store.codec import Codec, Decoder
from zimcore.game import Event, Game, Seat
from zimcore.toolkit.unknown import UNKNOWN

_plain = msgspec.msgpack.Decoder()


class RedactedCodec(Codec):
    """Decodes the events of a game as redacted for a seat."""

    def __init__(self, game: Game, seat: Seat) -> None:
        super().__init__()
        self.game = game
        self.seat = seat

    def _make_decoder(self, form: type[msgspec.Struct]) -> Decoder:
        whole = super()._make_decoder(form)
        return partial(self._decode_redacted, form, whole) if issubclass(form, Event) else whole

    def _decode_redacted(self, form: type[Event], whole: Decoder, content: bytes) -> msgspec.Struct:
        try:
            event = whole(content)
        except msgspec.ValidationError:
            event = build_value(form, _plain.decode(content))
        # Redacted again here, so that a `?` in a text field, too, becomes the unknown value, which can't be used.
        secrets = self.game.secrets
        return secrets.redact(event, self.seat) if secrets and isinstance(event, Event) else event


def build_value(form: Any, value: Any) -> Any:
    """Converts a value to a type, with `UNKNOWN` for each hidden part. Raises `ValidationError`.

    >>> build_value(tuple[int, ...], [3, "?"])[0]
    3
    """
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError:
        if value == UNKNOWN.value:
            return UNKNOWN
        make = _MAKE.get(type(value))
        if make is None:
            raise
        return make(form, value)


def _of_list(form: Any, value: list[Any]) -> Any:
    for each in _choices(form):
        kind, args = get_origin(each) or each, get_args(each)
        if kind in (tuple, list):
            items = args if kind is tuple and args and args[-1] is not Ellipsis else (*args[:1],) * len(value)
            return kind(build_value(item, part) for item, part in zip(items, value, strict=True))
    raise msgspec.ValidationError(f"a list is not a {form}")


def _of_map(form: Any, value: dict[str, Any]) -> Any:
    for each in _choices(form):
        if isinstance(each, type) and issubclass(each, msgspec.Struct):
            config = each.__struct_config__
            if config.tag is None or value.get(config.tag_field or "") == config.tag:
                hints, fields = get_type_hints(each), msgspec.structs.fields(each)
                fields_by_name = {field.name: field.encode_name for field in fields if field.encode_name in value}
                return each(**{name: build_value(hints[name], value[code]) for name, code in fields_by_name.items()})
        elif (get_origin(each) or each) in (dict, Mapping):
            keys, values = get_args(each)
            return {msgspec.convert(key, keys): build_value(values, part) for key, part in value.items()}
    raise msgspec.ValidationError(f"a map is not a {form}")


def _choices(form: Any) -> Iterator[Any]:
    if get_origin(form) in (Union, UnionType):
        for each in get_args(form):
            yield from _choices(each)
    else:
        yield form


_MAKE: dict[type, Callable[[Any, Any], Any]] = {list: _of_list, dict: _of_map}
