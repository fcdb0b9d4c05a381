"""Reads the option `players`, which can name a player for each seat."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from zimcore.game import OptionError, Seat
from zimcore.toolkit.words import spaced

NAME_PATTERN = r"[^\W_][\w.'’-]{0,19}"


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
        used_names = {*(used_name.casefold() for used_name in names.values()), *seats}
        if seat.lower() not in seats:
            raise OptionError(f"players={text}", f"there is no {seat} to name; the seats are {', '.join(seats)}")
        if not re.fullmatch(NAME_PATTERN, name):
            raise OptionError(
                f"players={text}", f"{name or 'nothing'} is not a name: up to 20 letters, digits and . ' - _"
            )
        if name.casefold() in used_names:
            raise OptionError(f"players={text}", f"{name} is the name of a seat, or of another player")
        names[seat.lower()] = name
    return " ".join(word.partition(":")[0] for word in text.replace(",", " ").split()), names


def corrected_players(
    text: str, seats: Sequence[Seat], min_players: int, max_players: int, *, in_order: bool = False
) -> str:
    """The right option that is nearest to a wrong one: slips corrected, other words as the names of free seats.

    With `in_order` the first seats play, whichever were named.

    >>> corrected_players("kilwa,zuul", ["kilwa", "mutapa", "zulu"], 2, 3)
    'players=kilwa,zulu'
    >>> corrected_players("Ann,Bob", ["kilwa", "mutapa", "zulu"], 2, 3)
    'players=kilwa:Ann,mutapa:Bob'
    >>> corrected_players("9", ["kilwa", "mutapa", "zulu"], 2, 3)
    'players=3'
    """
    from difflib import get_close_matches  # only needed after a typing error

    if text.isascii() and text.isdigit():
        return f"players={min(max(int(text[:9]), min_players), max_players)}"
    name_by_seat, free_names, known_words = dict[Seat, str](), list[str](), {*seats}
    for word in text.replace(",", " ").split():
        seat, colon, name = word.partition(":")
        similar_seats = get_close_matches(seat.lower(), seats, 1)
        name = name if similar_seats or colon else seat
        name = name if re.fullmatch(NAME_PATTERN, name) and name.casefold() not in known_words else ""
        known_words.add(name.casefold())
        if similar_seats and similar_seats[0] not in name_by_seat:
            name_by_seat[similar_seats[0]] = name
        elif name:
            free_names.append(name)
    free_seats = [seat for seat in seats if seat not in name_by_seat]
    player_count = max(min_players - len(name_by_seat), len(free_names))
    name_by_seat |= dict(zip(free_seats[:player_count], [*free_names, *[""] * player_count], strict=False))
    pairs = list(zip(seats, name_by_seat.values(), strict=False) if in_order else name_by_seat.items())[:max_players]
    return "players=" + ",".join(f"{seat}:{name}" if name else seat for seat, name in pairs)


def with_name(seat: Seat, names: Mapping[Seat, str]) -> str:
    """A seat with the name of its player, if known.

    >>> with_name("kilwa", {"kilwa": "Ann"}), with_name("zulu", {})
    ('kilwa (Ann)', 'zulu')
    """
    return f"{seat} ({names[seat]})" if seat in names else seat


def title_with_name(seat: Seat | None, names: Mapping[Seat, str]) -> str:
    """A seat with its player's name, as a sentence begins: `Kilwa (Ann)`."""
    return with_name(seat.title(), {named_seat.title(): name for named_seat, name in names.items()}) if seat else ""


def names_of_people(name_by_seat: Mapping[Seat, str]) -> dict[Seat, str]:
    """How each seat is called wherever people read of it: the name of its player, or its own where nobody sits.

    Names are unique: one that several players have, or that is also the name of a seat, is followed by the seat.

    >>> names_of_people({"kilwa": "Ann", "mutapa": "quick", "zulu": "quick", "lozi": ""})
    {'kilwa': 'Ann', 'mutapa': 'quick (Mutapa)', 'zulu': 'quick (Zulu)', 'lozi': 'Lozi'}
    >>> names_of_people({"kilwa": "Zulu", "zulu": ""})
    {'kilwa': 'Zulu (Kilwa)', 'zulu': 'Zulu'}
    """
    title_by_seat = {seat: spaced(seat).title() for seat in name_by_seat}
    taken_names = [name.casefold() for name in (*name_by_seat.values(), *title_by_seat.values()) if name]

    def name_of_seat(seat: Seat, name: str) -> str:
        title = title_by_seat[seat]
        is_unique = taken_names.count(name.casefold()) == 1 + (name.casefold() == title.casefold())
        return name if name and is_unique else f"{name} ({title})" if name else title

    return {seat: name_of_seat(seat, name) for seat, name in name_by_seat.items()}


def seats_by_word(seats: Iterable[Seat], names: Mapping[Seat, str]) -> dict[str, Seat]:
    """Seats by the words for them in lower case: their own names, and those of their players."""
    return {seat: seat for seat in seats} | {name.lower().replace("-", "_"): seat for seat, name in names.items()}
