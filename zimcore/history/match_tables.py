"""Tables over many finished matches: who wins with what, from which seat, how long they take, and by how much."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from zimcore.game import Game, Seat, Table


class FinishedMatch(NamedTuple):
    """A finished match: its last state, and the seat that has won it ("" for several or none)."""

    game: Game
    state: Any
    winner: Seat


def match_tables(matches: Sequence[FinishedMatch]) -> Sequence[Table]:
    """The tables over matches of one game; () for none.

    A row counts how often players had it and won with it, and by how much they led on average (negative: were behind).
    """
    if not matches:
        return ()
    figures: Sequence[str] = getattr(matches[0].game.display, "TALLIED", ())  # games of others may be older
    tables = [
        _share_table(title, [row for match in matches for row in rows_of(match)])
        for title, rows_of in (
            ("seat", _places),
            *((figure, lambda match, figure=figure: _holdings(match, figure)) for figure in figures),
        )
    ]
    rounds = Counter(match.game.display.common(match.state).get("round") for match in matches)
    margins = Counter(margin for match in matches for margin in _margins(match, [match.winner]) if match.winner)
    counts = [_count_table("rounds", rounds), _count_table("margin of the winner", margins)]
    return [table for table in (*tables, *counts) if table.rows]


Row = tuple[str, bool, int | None]
"""What a player had, whether they won, and by how much they led."""


def _margins(match: FinishedMatch, seats: Iterable[Seat]) -> Iterator[int | None]:
    """By how much each of these seats is ahead of the best other one; None where points are hidden."""
    scores = match.game.evolution.outcome(match.state).scores
    for seat in seats:
        others = [score for other, score in scores.items() if other != seat and score is not None]
        own_score = scores.get(seat)
        yield None if own_score is None or not others else own_score - max(others)


def _rows(match: FinishedMatch, seat: Seat, names: Iterable[str]) -> Iterator[Row]:
    (margin,) = _margins(match, [seat])
    return ((name, seat == match.winner, margin) for name in names)


def _places(match: FinishedMatch) -> Iterator[Row]:
    for number, seat in enumerate(match.game.evolution.seats(match.state), 1):
        yield from _rows(match, seat, [str(number)])


def _holdings(match: FinishedMatch, figure: str) -> Iterator[Row]:
    for seat in match.game.evolution.seats(match.state):
        value = match.game.display.figures(match.state, seat).get(figure)
        yield from _rows(match, seat, value if isinstance(value, list) else [value or "none"])


def _share_table(title: str, rows: Sequence[Row]) -> Table:
    rows_by_name = defaultdict[str, list[Row]](list)
    for row in rows:
        rows_by_name[row[0]].append(row)
    cells = []
    for name, own_rows in sorted(rows_by_name.items(), key=lambda item: (-_share(item[1]), item[0])):
        margins = [margin for *_, margin in own_rows if margin is not None]
        mean = f"{sum(margins) / len(margins):+.1f}" if margins else "-"
        wins = sum(is_winner for _, is_winner, _ in own_rows)
        cells.append((name, str(len(own_rows)), str(wins), f"{100 * _share(own_rows):.0f}", mean))
    heads = (title, "games", "wins", "%", "margin")
    return Table(f"By {title}", heads, tuple(cells), numbers=heads[1:])


def _share(rows: Sequence[Row]) -> float:
    return sum(is_winner for _, is_winner, _ in rows) / len(rows)


def _count_table(title: str, counts: Counter[Any]) -> Table:
    cells = tuple((str(value), str(count)) for value, count in sorted(counts.items()) if value is not None)
    return Table(title.capitalize(), (title, "games"), cells, numbers=(title, "games"))
