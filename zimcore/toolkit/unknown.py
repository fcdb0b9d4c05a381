"""The stand-in for a hidden value: it is shown as `?`, and nothing can be calculated with it."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from zimcore.game import HiddenError

HIDDEN_ERROR = ("this depends on hidden information", "you can't see it")
BINARY_OPERATORS = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
"""The operators with two operands; each has a reflected form: `radd`."""
OTHER_OPERATIONS = (
    "hash bool int float complex index round trunc floor ceil neg pos abs invert len iter reversed getitem setitem "
    "delitem contains lt le gt ge"
)
"""Further uses of a value that would invent information: calculating, ordering, looking up, testing its truth."""


class HiddenAttributeError(HiddenError, AttributeError):
    """A hidden value was asked for an attribute. It is an `AttributeError`, so that `hasattr` says no."""


class Unknown(Enum):
    """Something hidden from the viewer. You can print it and compare it with itself; other uses raise `HiddenError`."""

    UNKNOWN = "?"

    def _refuse(self, *_: object) -> NoReturn:
        raise HiddenError(*HIDDEN_ERROR)

    def __eq__(self, other: object) -> bool:
        return True if other is self else self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # the language and libraries ask for these, to see what a value can do
            raise AttributeError(name)
        raise HiddenAttributeError(*HIDDEN_ERROR)

    def __str__(self) -> str:
        return "?"

    __repr__ = __str__


for _name in (*BINARY_OPERATORS.split(), *(f"r{name}" for name in BINARY_OPERATORS.split()), *OTHER_OPERATIONS.split()):
    setattr(Unknown, f"__{_name}__", Unknown._refuse)

UNKNOWN = Unknown.UNKNOWN


def is_unknown(value: object) -> bool:
    """Whether a value is hidden, or a tuple or list with a hidden item."""
    return value is UNKNOWN or (isinstance(value, (tuple, list)) and any(item is UNKNOWN for item in value))
