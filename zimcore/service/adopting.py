"""A certificate becomes a line of play in a store, with the same digests."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from event_store.lines import numbered
from zimcore.game import Event, GameError
from zimcore.service.appending import Appender
from zimcore.service.certificates import Certificate
from zimcore.service.names import GameNamed, LineNamed, Names, check_free, next_free
from zimcore.service.open_lines import OpenLines
from zimcore.service.places import check_name, parse_place


def adopt(append: Appender, open_lines: OpenLines, certificate: Certificate, place: str, by: str) -> str:
    """Stores a certificate that was verified; where it is then (`kilwa-7/main`).

    Where the store has that game, with the same set-up, it is a new line of it; else it is a new game. A name that is
    taken gets a number, unless it was asked for by `place`: then it raises `UnknownError`.
    """
    named = parse_place(place or f"{certificate.head.game}/{certificate.head.line}")
    name, line = named.game, named.line or certificate.head.line
    for each in (name, line):
        check_name(each)
    games = open_lines.catalogue().games
    has_it = name in games and _begins_alike(open_lines, name, certificate)
    if place and not has_it:
        check_free(name, games, "game")
    stream = _store(append, certificate)
    game = games[name].game if has_it else append.ids()

    def choose_line(names: Names) -> Sequence[Event]:
        nonlocal line
        line = _free(line, names.lines, "line" if named.line and place else "")
        return [LineNamed(line, stream)]

    append.names(lambda: _names(append, game), choose_line, by)
    if has_it:
        return f"{name}/{line}"

    def choose_game(names: Names) -> Sequence[Event]:
        nonlocal name
        name = _free(name, names.games, "game" if place else "")
        return [GameNamed(name, certificate.head.kind, game)]

    append.names(open_lines.catalogue, choose_game, by)
    return f"{name}/{line}"


def _names(append: Appender, stream: str) -> Names:
    names = Names(stream)
    names.refresh(append.store)
    return names


def _free(name: str, taken: Collection[str], what: str) -> str:
    """The name, or one with a number if it is taken; raises `UnknownError` instead where it was asked for."""
    if what:
        check_free(name, taken, what)
    return next_free(name, taken) if name in taken else name


def _begins_alike(open_lines: OpenLines, name: str, certificate: Certificate) -> bool:
    line = open_lines.line(name).line
    first = numbered(line, 0)
    return first is not None and first.hex() == certificate.links[0].digest


def _store(append: Appender, certificate: Certificate) -> str:
    """Stores the commits in a stream of their own, all at once."""
    stream = append.ids()
    rows, entries, done = certificate.rows(), [], 0
    for link in certificate.links:
        entries.append(append.store.entry(stream, rows[done : done + len(link.rows)]))
        done += len(link.rows)
    if not entries:
        raise GameError("the certificate is empty")
    append.store.adopt(entries)
    return stream
