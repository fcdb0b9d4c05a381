"""Reads a box of components from a file, and checks it against the rulebook."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import msgspec

from zimcore.game import OptionError
from zimcore.games.africana.checks import find_faults
from zimcore.games.africana.components import Components

MAX_BYTES = 1 << 20
"""The largest file of components: ours has 20,000 bytes."""
MAX_DOTS = 500
"""The most dots in a line: dots separate the names of a key, and tomllib takes minutes for thousands of them."""


@cache
def box() -> Components:
    """The components that come with the game: a reconstruction, see components.toml. Reads them once."""
    return read_components(Path(__file__).with_name("components.toml"))


def read_components(path: Path) -> Components:
    """The components in a file, checked. Raises `OptionError` with all faults of the file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise OptionError(f"components={path}", f"a file of components has {MAX_BYTES:,} bytes at most")
        text = content.decode()
        if any(line.count(".") > MAX_DOTS for line in text.splitlines()):
            raise RecursionError(f"a line has more than {MAX_DOTS} dots")
        components = msgspec.convert(tomllib.loads(text), Components)
    except OSError as error:
        raise OptionError(f"components={path}", error.strerror or "it can't be read") from None
    except (ValueError, RecursionError) as error:  # from wrong bytes, wrong TOML, too long numbers and wrong fields
        raise OptionError(f"components={path}", f"it does not have the form of components.toml: {error}") from None
    all_faults = find_faults(components)
    if all_faults:
        raise OptionError(f"components={path}", "; ".join(all_faults))
    return components
