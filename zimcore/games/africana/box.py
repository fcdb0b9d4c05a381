"""Reads a box of components from a file, and checks it against the rulebook."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from shlex import join

import msgspec

from zimcore.game import OptionError
from zimcore.games.africana.checks import find_faults
from zimcore.games.africana.components import Components
from zimcore.toolkit.toml import read_toml

MAX_BYTES = 1 << 20
"""How much of a file is read: ours has 20,000 bytes."""
OUR_FILE = Path(__file__).with_name("components.toml")
"""The components that come with the game: a reconstruction, as the file says."""


@cache
def box() -> Components:
    """The components that come with the game. Reads them once."""
    return read_components(OUR_FILE)


def read_components(path: Path) -> Components:
    """The components in a file, checked. Raises `OptionError` with all faults of the file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        components = msgspec.convert(read_toml(content.decode()), Components)
    except OSError as error:
        hints = (join(["cp", str(OUR_FILE), str(path)]),) if isinstance(error, FileNotFoundError) else ()
        raise OptionError(f"components={path}", error.strerror or "it can't be read", hints) from None
    except ValueError as error:  # from wrong bytes, wrong TOML, too long numbers and wrong fields
        raise OptionError(f"components={path}", f"it does not have the form of components.toml: {error}") from None
    all_faults = find_faults(components)
    if all_faults:
        raise OptionError(f"components={path}", "; ".join(all_faults))
    return components
