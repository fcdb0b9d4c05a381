"""The library: a store of games in a few methods. `import zimcore as zim` loads it lazily.

>>> import zimcore as zim
>>> store = zim.open("memory:")
>>> here = store.new("zimbabwe", name="kilwa-7", players=3, seed=7)
>>> here = store.play("kilwa-7", "start g7")
>>> store.log("kilwa-7")[-1].text
'start g7'
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec

from zimcore.analysis.help_permission import check_help_allowed, is_help_allowed
from zimcore.analysis.table_rows import TABLES, ChanceRow, MatchRows
from zimcore.chances import chances
from zimcore.commits import Commit, Position
from zimcore.game import Refused, RefusedError, Seat, Table
from zimcore.history.rounds import rounds, turns
from zimcore.picture.chance_graph import ChancePoint, draw_chance_graph
from zimcore.picture.sheet import draw_picture
from zimcore.picture.squares import squares_of_last_move
from zimcore.remote import is_remote, remote_library
from zimcore.service import TABLE, GameService, Trial, Viewer, open_service
from zimcore.service.results import News
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcore.remote.service import RemoteService

MAX_HTML_ROWS = 20
"""The most rows of a frame that a notebook shows."""


class Frame(msgspec.Struct, frozen=True):
    """A table as `columns`, each a list by its name: `pandas.DataFrame(frame.columns)`.

    With pyarrow it is an Arrow stream, too, which Polars (`polars.DataFrame(frame)`) and DuckDB (`FROM frame`) read.
    """

    columns: dict[str, list[Any]]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow stream. Raises `ImportError` without pyarrow."""
        import pyarrow

        return pyarrow.table(self.columns).__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<{numbered(self.height, 'row')} of {', '.join(self.columns)}>"

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), []))

    def _repr_html_(self) -> str:
        """The first rows, for a notebook."""
        rows = (row for row, _ in zip(zip(*self.columns.values(), strict=True), range(MAX_HTML_ROWS), strict=False))
        body = "".join(f"<tr>{''.join(f'<td>{escape(str(value))}</td>' for value in row)}</tr>" for row in rows)
        heads = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        return f"<table><tr>{heads}</tr>{body}</table><p>{numbered(self.height, 'row')}</p>"


class Curve(msgspec.Struct, frozen=True):
    """Each seat's chance to win after every turn, by what a program has learned; a notebook draws it."""

    position: Position
    points: tuple[ChancePoint, ...]

    def __repr__(self) -> str:
        return f"<the chances after {numbered(len(self.points), 'turn')} of {self.position.place}>"

    def _repr_svg_(self) -> str:
        return draw_chance_graph(self.position, self.points)


class Store:
    """The games of a store, as one player or as the whole table.

    Without a seat you see what is public, and play any seat; with one, what that seat knows, and play it alone. A place
    is a text: `kilwa-7`, `kilwa-7/main@12`. All methods raise `GameError` for a place that does not exist.
    """

    def __init__(self, service: GameService | RemoteService, viewer: Viewer = TABLE, by: str = "python") -> None:
        self.service, self.viewer, self.by = service, viewer, by

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the store."""
        if isinstance(self.service, GameService):
            self.service.store.close()
        else:
            self.service.connection.close()

    def at(self, viewer: Seat | Viewer) -> Store:
        """The same store as a seat, or as another viewer: `zim.EVERYTHING` hides nothing."""
        return Store(self.service, viewer if isinstance(viewer, Viewer) else Viewer(viewer), self.by)

    def games(self) -> list[str]:
        """The names of all games."""
        return [game.name for game in self.service.games(self.viewer)]

    def new(self, kind: str, *, name: str = "", **options: object) -> Position:
        """Begins a game; the options are those of `zim new`. Raises `OptionError`."""
        option_texts = {option: str(value) for option, value in options.items()}
        return self.service.new(kind, option_texts, name=name, by=self.by, viewer=self.viewer)

    def look(self, place: str) -> Position:
        """A position, as far as the viewer knows it."""
        return self.service.position(place, self.viewer)

    def log(self, place: str) -> Sequence[Commit]:
        """The moves up to a place, the set-up first."""
        return self.service.log(place, viewer=self.viewer)

    def play(self, place: str, text: str, *, expected: str | None = None) -> Position:
        """Plays a command, and returns the position after it.

        Raises `RefusedError`, whose `refused` has every broken rule, and `ConflictError` if `expected`, the digest of
        the position that you saw, is no longer the head.
        """
        seat = self.viewer.seat or None
        position = self.service.play(place, text, seat=seat, by=self.by, viewer=self.viewer, expected=expected)
        if isinstance(position, Refused):
            raise RefusedError(text, position)
        return position

    def try_(self, place: str, *texts: str) -> Trial:
        """Where commands would lead, without playing them: positions, and the refusal or what is hidden."""
        return self.service.try_(place, texts, self.viewer)

    def ask(self, place: str, question: str, *words: str) -> Sequence[Table]:
        """The answer of a game to one of its questions, as `zim ask`."""
        position = self.look(place)
        return position.game.questions.ask(position.state, question, words)

    def fork(self, place: str, name: str, *, redeal: bool = False) -> Position:
        """A new line that begins at a place. With `redeal`, what the seat does not know is dealt again."""
        return self.service.fork(place, name, redeal=redeal, by=self.by, viewer=self.viewer)

    def follow(
        self, place: str, *, after: int = -1, pause: float = 0.2, patience: float | None = None
    ) -> Iterator[News]:
        """Yields what happens on a line: its commits and undone moves, each with the position after it.

        It begins with all after the revision `after`, by default with the set-up, and then looks every `pause` seconds.
        It ends if nothing happens for `patience` seconds.
        """
        seconds_waited = 0.0
        while patience is None or seconds_waited <= patience:
            latest_news = self.service.news(place, after, self.viewer)
            for news in latest_news:
                yield news
                after = news.revision
            seconds_waited = 0.0 if latest_news else seconds_waited + pause
            if not latest_news and (patience is None or seconds_waited <= patience):
                time.sleep(pause)

    def curve(self, place: str) -> Curve:
        """Each seat's chance to win up to a place.

        Raises `GameError` while help is off in the game, and `HiddenError` where they depend on what is hidden.
        """
        position, points = self.look(place), list[ChancePoint]()
        check_help_allowed(self.service, position.match)
        state = position.game.evolution.initial()
        for played_round in rounds(self.log(place)):
            for turn in turns(played_round.commits):
                for event in (event for commit in turn.commits for event in commit.events):
                    position.game.evolution.evolve(state, event)
                means = {seat: chance.mean for seat, chance in chances(position.game, state).items()}
                points.append(ChancePoint(turn.commits[-1].number, means, turn.name, played_round.name))
        return Curve(position, tuple(points))

    def frames(self, *places: str) -> Mapping[str, Frame]:
        """The tables of `zim export --tables` over places, or over all games, by name: `games`, `commits`, ..."""
        frames_by_name = {
            name: Frame({column: list[Any]() for column in row.__struct_fields__}) for name, row in TABLES.items()
        }
        columns_by_row_type = {row: frames_by_name[name].columns for name, row in TABLES.items()}
        for place in places or self.games():
            position, is_help_allowed_here = self.look(place), is_help_allowed(self.service, self.look(place).match)
            for row in MatchRows(position.match, position.line, position.game).rows(self.log(place)):
                if is_help_allowed_here or not isinstance(row, ChanceRow):
                    for column, value in msgspec.structs.asdict(row).items():
                        columns_by_row_type[type(row)][column].append(value)
        return frames_by_name


def open(url: str = "memory:", *, seat: Seat = "", by: str = "python") -> Store:  # noqa: A001 - zim.open
    """Opens a store: `memory:`, `sqlite:///games.db`, `postgresql://ann@host/games`. Raises `StoreError`.

    The URL of a server opens the games for which `zim join` has saved a token; you see and play its seat.

    >>> open("memory:").games()
    []
    """
    return Store(_open_service(url, seat, by), Viewer(seat) if seat else TABLE, by)


def _open_service(url: str, seat: Seat, by: str) -> GameService | RemoteService:
    if not is_remote(url):
        return open_service(url)
    from zimcore.remote.client_files import Folders

    service: RemoteService = remote_library().open_remote(url, Folders.of_user())
    service.remote_lines.preferred_names = tuple(filter(None, (seat, by)))
    return service


def draw(position: Position) -> str:
    """The picture of a position as SVG, with the last move marked."""
    return draw_picture(position, None, squares_of_last_move(position, position.board))
