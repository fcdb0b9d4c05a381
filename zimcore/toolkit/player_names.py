"""Reads the option `players`, which can name a player for each seat."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from zimcore.game import OptionError, Seat

NAME = r"[^\W_][\w.'’-]{0,19}"


def split_player_names(text: str, seats: Collection[Seat]) -> tuple[str, dict[Seat, str]]:
    """Splits `kilwa:Ann,zulu` into the seats and the names by seat. Raises `OptionError` for a wrong seat or name.

    >>> split_player_names("kilwa:Ann,zulu", ["kilwa", "zulu"])
    ('kilwa zulu', {'kilwa': 'Ann'})
    """
    names: dict[Seat, str] = {}
    for word in text.replace(",", " ").split():
        seat, colon, name = word.partition(":")
        if not colon:
            continue
        taken = {*(each.casefold() for each in names.values()), *seats}
        if seat.lower() not in seats:
            raise OptionError(f"players={text}", f"there is no {seat} to name; the seats are {', '.join(seats)}")
        if not re.fullmatch(NAME, name):
            raise OptionError(
                f"players={text}", f"{name or 'nothing'} is not a name: up to 20 letters, digits and . ' - _"
            )
        if name.casefold() in taken:
            raise OptionError(f"players={text}", f"{name} is the name of a seat, or of another player")
        names[seat.lower()] = name
    return " ".join(word.partition(":")[0] for word in text.replace(",", " ").split()), names


def with_name(seat: Seat, names: Mapping[Seat, str]) -> str:
    """A seat with the name of its player, if known.

    >>> with_name("kilwa", {"kilwa": "Ann"}), with_name("zulu", {})
    ('kilwa (Ann)', 'zulu')
    """
    return f"{seat} ({names[seat]})" if seat in names else seat


def title_with_name(seat: Seat | None, names: Mapping[Seat, str]) -> str:
    """A seat with its player's name, as a sentence begins: `Kilwa (Ann)`."""
    return with_name(seat.title(), {each.title(): name for each, name in names.items()}) if seat else ""


def seats_by_word(seats: Iterable[Seat], names: Mapping[Seat, str]) -> dict[str, Seat]:
    """Seats by the words for them in lower case: their own names, and those of their players."""
    return {seat: seat for seat in seats} | {name.lower().replace("-", "_"): seat for seat, name in names.items()}
