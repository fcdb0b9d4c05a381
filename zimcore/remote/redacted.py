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

_plain_decoder = msgspec.msgpack.Decoder()


class RedactedCodec(Codec):
    """Decodes the events of a game as redacted for a seat."""

    def __init__(self, game: Game, seat: Seat) -> None:
        super().__init__()
        self.game = game
        self.seat = seat

    def _make_decoder(self, value_type: type[msgspec.Struct]) -> Decoder:
        complete_decoder = super()._make_decoder(value_type)
        return (
            partial(self._decode_redacted, value_type, complete_decoder)
            if issubclass(value_type, Event)
            else complete_decoder
        )

    def _decode_redacted(self, value_type: type[Event], complete_decoder: Decoder, content: bytes) -> msgspec.Struct:
        try:
            event = complete_decoder(content)
        except msgspec.ValidationError:
            event = build_value(value_type, _plain_decoder.decode(content))
        # Redacted again here, so that a `?` in a text field becomes `UNKNOWN`, too: using it raises an error.
        secrets = self.game.secrets
        return secrets.redact(event, self.seat) if secrets and isinstance(event, Event) else event


def build_value(value_type: Any, value: Any) -> Any:
    """Converts a value to a type, with `UNKNOWN` for each hidden part. Raises `ValidationError`.

    >>> build_value(tuple[int, ...], [3, "?"])[0]
    3
    """
    try:
        return msgspec.convert(value, value_type)
    except msgspec.ValidationError:
        if value == UNKNOWN.value:
            return UNKNOWN
        make_value = _BUILDERS_BY_TYPE.get(type(value))
        if make_value is None:
            raise
        return make_value(value_type, value)


def _build_list(value_type: Any, value: list[Any]) -> Any:
    for member_type in _union_members(value_type):
        list_type, item_types = get_origin(member_type) or member_type, get_args(member_type)
        if list_type in (tuple, list):
            element_types = (
                item_types
                if list_type is tuple and item_types and item_types[-1] is not Ellipsis
                else (*item_types[:1],) * len(value)
            )
            return list_type(
                build_value(item_type, element) for item_type, element in zip(element_types, value, strict=True)
            )
    raise msgspec.ValidationError(f"a list is not a {value_type}")


def _build_map(value_type: Any, value: dict[str, Any]) -> Any:
    for member_type in _union_members(value_type):
        if isinstance(member_type, type) and issubclass(member_type, msgspec.Struct):
            struct_config = member_type.__struct_config__
            if struct_config.tag is None or value.get(struct_config.tag_field or "") == struct_config.tag:
                hints_by_name, fields = get_type_hints(member_type), msgspec.structs.fields(member_type)
                encoded_names = {field.name: field.encode_name for field in fields if field.encode_name in value}
                return member_type(
                    **{
                        name: build_value(hints_by_name[name], value[encoded_name])
                        for name, encoded_name in encoded_names.items()
                    }
                )
        elif (get_origin(member_type) or member_type) in (dict, Mapping):
            key_type, map_value_type = get_args(member_type)
            return {
                msgspec.convert(key, key_type): build_value(map_value_type, map_value)
                for key, map_value in value.items()
            }
    raise msgspec.ValidationError(f"a map is not a {value_type}")


def _union_members(value_type: Any) -> Iterator[Any]:
    if get_origin(value_type) in (Union, UnionType):
        for member_type in get_args(value_type):
            yield from _union_members(member_type)
    else:
        yield value_type


_BUILDERS_BY_TYPE: dict[type, Callable[[Any, Any], Any]] = {list: _build_list, dict: _build_map}
