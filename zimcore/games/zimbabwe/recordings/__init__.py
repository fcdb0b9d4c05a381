"""Recorded games of onlineboardgamers.com: saved pages and data of the site, as matches of this game.

The form is described by what files have; no code of the site is here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from zimcore.game import (
    Accepted,
    Deviation,
    GameError,
    Misstatement,
    NotationError,
    RecordedLeaver,
    RecordedRemark,
    Recording,
    Seat,
    StoppedAt,
)
from zimcore.games.zimbabwe.commands import SetUp
from zimcore.games.zimbabwe.components import GODS, SPECIALISTS
from zimcore.games.zimbabwe.house import SITE_RULES
from zimcore.games.zimbabwe.recordings.conversion import Conversion, time_of
from zimcore.games.zimbabwe.recordings.entries import EMPIRES, SITE, Kind, god_name, name_of
from zimcore.games.zimbabwe.recordings.entries import GODS as SITE_GODS
from zimcore.games.zimbabwe.recordings.entries import SPECIALISTS as SITE_SPECIALISTS
from zimcore.games.zimbabwe.recordings.history_text import differences, is_history
from zimcore.games.zimbabwe.recordings.saved_games import GameData, SavedGame, saved_games
from zimcore.games.zimbabwe.recordings.statements import (
    ORDERS,
    is_decided_by_leaving,
    last_misstatements,
    misstatements,
    winner_of,
)
from zimcore.games.zimbabwe.rules import decide, set_up
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.player_names import NAME_PATTERN

__all__ = ["SHEETS", "differences", "is_history", "read"]
MARK = "obg"
"""Before the number of an entry in the name of a position: `obg/57`."""
SHEETS = {MARK: {"herd": "in-steps", **{option: rule.other for option, rule in SITE_RULES.items()}}}
"""The house rules of the site."""


def read(text: str, options: Mapping[str, str]) -> Iterator[Recording]:
    """The games of the site in a text; none if it has none. Raises `GameError` for one that can't be read."""
    for game in saved_games(text):
        yield _recording(game, options)


class _Reading(NamedTuple):
    """A game as it was read: its conversion, what the site states wrongly, and where reading stopped."""

    conversion: Conversion
    setup: SetUp
    first_state: State
    wrong: Sequence[Misstatement]
    stopped_at: StoppedAt | None

    @property
    def end(self) -> int:
        """The index of the first entry that was not read."""
        return self.stopped_at.entry if self.stopped_at else len(self.conversion.game.data.history)


def _recording(game: SavedGame, further_options: Mapping[str, str]) -> Recording:
    seats = tuple(name_of(EMPIRES, player.colour, "colour") for player in game.data.players)
    if len({*seats}) < len(seats):
        raise NotationError("the game's data can't be read", "two players have one colour")
    names = _player_names(game, seats)
    options = {**_options(game.data, seats, names), **further_options}
    reading = _read(game, seats, options)
    conversion, stopped_at = reading.conversion, reading.stopped_at
    deviations = [*_deviations(game, seats, options), *_deviations_by_leaving(conversion, names)]
    if stopped_at and (cause := _cause(game, seats, options, reading)):
        deviations.append(cause)
        stopped_at = replace(stopped_at, sheet=MARK)
    return Recording(
        site=SITE,
        mark=MARK,
        name=game.name,
        address=f"https://www.{SITE}/TGZ/{game.number}/replay/" if game.number else "",
        setup=reading.setup,
        first_state=reading.first_state,
        moves=tuple(conversion.moves),
        entries=len(game.data.history),
        state=conversion.state,
        players=names,
        remarks=tuple(RecordedRemark(name, time_of(milliseconds), text) for name, milliseconds, text in game.chat),
        leavers=_leavers(conversion),
        wrong=tuple(reading.wrong),
        stopped_at=stopped_at,
        deviations=tuple(sorted(deviations, key=lambda deviation: deviation.entry)),
    )


def _read(game: SavedGame, seats: Sequence[Seat], options: Mapping[str, str]) -> _Reading:
    """Plays a game under options. Raises `GameError` if it can't be set up."""
    command = set_up(options, 0)
    decision = decide(State(), "", command)
    if not isinstance(decision, Accepted):
        raise NotationError("the game can't be set up", "; ".join(refusal.reason for refusal in decision.refusals))
    conversion, wrong, stopped_at = Conversion(game, seats, decision.state), list[Misstatement](), None
    try:
        for index, entry in conversion.read():
            wrong += misstatements(conversion, index, entry)
            if order := next((each for each in wrong if each.what in ORDERS), None):
                wrong.remove(order)
                raise NotationError(f"the {order.what} is {order.stated} there, and {order.true} by the rules")
        wrong += last_misstatements(conversion)
    except GameError as error:
        stopped_at = conversion.stopped_at(error)
    return _Reading(conversion, command, decision.state, wrong, stopped_at)


def _deviations(game: SavedGame, seats: Sequence[Seat], options: Mapping[str, str]) -> Iterator[Deviation]:
    """The rules of the site among the options without which the game would end or differ earlier."""
    for option, rule in SITE_RULES.items():
        if options.get(option) == rule.other:
            usual = _read(game, seats, {**options, option: rule.usual})
            if usual.stopped_at:
                yield Deviation(usual.end, f"{option}={rule.other}", rule.other_reading)


HOW = {"resigned": "has resigned", "kicked_out": "was kicked out"}


def _leavers(conversion: Conversion) -> tuple[RecordedLeaver, ...]:
    """Who has left; the last one with the winner, if that has decided the game."""
    leavers, history = [*conversion.leavers()], conversion.game.data.history
    last = len(history) - 1
    if leavers and history[last].kind == Kind.END and conversion.index == last:
        winner = winner_of(conversion, history[last])
        if is_decided_by_leaving(conversion, [winner]) and conversion.state.winner != winner:
            latest = max(leavers, key=lambda departure: departure.entry)
            leavers[leavers.index(latest)] = replace(latest, winner=winner)
    return tuple(leavers)


def _deviations_by_leaving(conversion: Conversion, names: Mapping[Seat, str]) -> Iterator[Deviation]:
    """What the site does for players who have left, and where that has decided the game."""
    for each in _leavers(conversion):
        if how := HOW.get(each.how):
            text = f"{names[each.seat]} {how}: a program passes and does nothing for {each.seat}, who can't win"
            yield Deviation(each.entry, "", text)
        if each.winner:
            text = f"{each.winner} wins there, as others have left; by the rules the game would go on"
            yield Deviation(conversion.index, "", text)


def _cause(game: SavedGame, seats: Sequence[Seat], options: Mapping[str, str], reading: _Reading) -> Deviation | None:
    """The rule of the site by which a game goes on where reading stopped; None if there is none."""
    for option, rule in SITE_RULES.items():
        if options.get(option) != rule.other and _read(game, seats, {**options, option: rule.other}).end > reading.end:
            return Deviation(reading.end, f"{option}={rule.other}", rule.other_reading)
    return None


def _player_names(game: SavedGame, seats: Sequence[Seat]) -> dict[Seat, str]:
    """The players' names by seat. A second seat of the same person has the name that was typed for it."""
    names = (
        player.shown_name if player.name.startswith("SHADOW") and player.shown_name else player.name
        for player in game.data.players
    )
    return {seat: html.unescape(name) for seat, name in zip(seats, names, strict=True)}


def _options(data: GameData, seats: Sequence[Seat], names: Mapping[Seat, str]) -> dict[str, str]:
    """The options of a new game with the same deal. Raises `NotationError` for gods that this game does not have."""
    gods = [god_name(number) for number in (*data.gods_left, *(god for each in data.players for god in each.gods))]
    if several := next((player.name for player in data.players if len(player.gods) > 1), ""):
        raise NotationError(f"{several} has several gods", "this was done by the menu for cheating in practice games")
    hired = [number for player in data.players for number, _ in player.specialists]
    specialists = [name_of(SITE_SPECIALISTS, number, "specialist") for number in (*data.specialists_left, *hired)]
    order = [seats[player] for player in _first_order(data, len(seats))]
    options = {
        "players": ",".join(_typed_players(seats, names)),
        "map": ",".join(f"{tile}.{turns}" for tile, turns in zip(data.tiles[::2], data.tiles[1::2], strict=False)),
        "gods": ",".join(sorted(gods, key=SITE_GODS.index)),
        "order": ",".join(order),
    }
    if {*specialists} != {*SPECIALISTS}:
        options["specialists"] = ",".join(specialists) or "none"
    if other_vr := _other_vr(data, gods):
        options["vr"] = other_vr
    return options


def _first_order(data: GameData, player_count: int) -> Sequence[int]:
    """The order of the first monuments, from the first entry; that of the seats if there is none."""
    first = data.history[0] if data.history else None
    order = first.data[0] if first and first.kind == Kind.BEGIN and isinstance(first.data, list) and first.data else ()
    return order if isinstance(order, list) and sorted(order) == [*range(player_count)] else range(player_count)


def _typed_players(seats: Sequence[Seat], names: Mapping[Seat, str]) -> Iterator[str]:
    """The seats as they are typed, each with its player's name, as far as it can be typed."""
    used_names = {*seats}
    for seat in seats:
        name = re.sub(r"[^\w.'’-]+", "-", names[seat]).lstrip("_.-'’")[:20]
        is_free = re.fullmatch(NAME_PATTERN, name) and name.casefold() not in used_names
        used_names.add(name.casefold())
        yield f"{seat}:{name}" if is_free else seat


def _other_vr(data: GameData, gods: Sequence[str]) -> str:
    """The VR of gods in play and of specialists that differ from the printed ones, as the option takes them."""
    god_vr, specialist_vr = data.vr
    changed = [f"{god}:{vr}" for god, vr in zip(SITE_GODS, god_vr, strict=False) if god in gods and vr != GODS[god].vr]
    changed += [
        f"{name}:{vr}" for name, vr in zip(SITE_SPECIALISTS, specialist_vr, strict=False) if vr != SPECIALISTS[name].vr
    ]
    return ",".join(changed)
