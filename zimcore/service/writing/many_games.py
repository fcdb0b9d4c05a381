"""Work that stores many games, one after another: the streams of each, and what is there when it stops half way.

The store has a mark from before the first game until after the last one, so that it does not look whole meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias, TypeVar

from event_store import ConflictError, DiskFullError, EventStore, StoreError
from event_store.marks import Unfinished
from zimcore.service.records.discussion import names_stream_of
from zimcore.service.records.names import CATALOGUE, GameNamed, Names, deleted_label, read_names_leniently
from zimcore.toolkit.progress import ReportProgress
from zimcore.toolkit.words import are, numbered

MAX_NAMES = 5
"""Games named in a message; the others are counted."""

BatchT = TypeVar("BatchT")

LabelledGame: TypeAlias = tuple[GameNamed, str]
"""A game and its name in messages."""


def batches_by_game(
    store: EventStore, catalogue: Names, streams: Sequence[str]
) -> Iterator[tuple[LabelledGame | None, list[str]]]:
    """These streams in batches: one per game, then one per stream without a game, the catalogue last."""
    remaining_streams, streams_by_game = dict.fromkeys(streams), dict[str, list[str]]()
    for stream in streams:
        streams_by_game.setdefault(names_stream_of(stream), []).append(stream)
    labelled_games = [(each, name) for name, each in catalogue.games.items()]
    labelled_games += [(each, deleted_label(name)) for name, each in catalogue.deleted_games.items()]
    for labelled_game in labelled_games:
        names_stream = labelled_game[0].game
        game_streams = streams_of_game(store, names_stream, streams_by_game.get(names_stream, ()))
        game_streams = [stream for stream in game_streams if stream in remaining_streams]
        for stream in game_streams:
            del remaining_streams[stream]
        if game_streams:
            yield labelled_game, game_streams
    yield from ((None, [stream]) for stream in sorted(remaining_streams, key=lambda stream: stream == CATALOGUE))


def streams_of_game(store: EventStore, names_stream: str, streams: Iterable[str]) -> list[str]:
    """The streams of a game: its names, all lines that ever had a name, and its discussions among `streams`."""
    lines = read_names_leniently(store, names_stream)[0].streams
    discussions = [stream for stream in streams if names_stream_of(stream) == names_stream]
    return [*dict.fromkeys([names_stream, *lines, *discussions])]


class StoppedError(StoreError):
    """Work on many games stopped half way. `what` counts the games that are there, `why` names those that are not.

    The last hint is the command that goes on. `__cause__` is what stopped it.
    """


class ManyGames:
    """One piece of work (such as `import`) on games with these names, after some that were `already` there."""

    def __init__(self, store: EventStore, unfinished: Unfinished, report: ReportProgress) -> None:
        self.store = store
        self.unfinished = unfinished
        self.already_count = 0
        self.names: Sequence[str] = ()
        self._report = report
        self._has_begun = False
        self._done_count = 0

    @property
    def game_count(self) -> int:
        """The number of all games."""
        return self.already_count + len(self.names)

    def begin(self, names: Sequence[str], already_count: int = 0, *, marks: bool = True) -> None:
        """Begins to store these games; some more were there `already`. With `marks`, marks the store as unfinished."""
        self.names, self.already_count = names, already_count
        if marks:
            self._has_begun = True
            self.store.mark_unfinished(self.unfinished)

    def end(self) -> None:
        """Marks the store as finished, if it is not."""
        if self.store.unfinished():
            self.store.mark_unfinished(None)

    def one_by_one(self, batches: Iterable[tuple[str, BatchT]]) -> Iterator[BatchT]:
        """The batches, each of a named game or of other streams (""). One is stored when the next one is asked for."""
        self._report(self.already_count, self.game_count)
        for name, batch in batches:
            yield batch
            if name:
                self._done_count += 1
                self._report(self.already_count + self._done_count, self.game_count)

    @contextmanager
    def explaining_stops(self) -> Iterator[None]:
        """Raises `StoppedError` for an error after the beginning. Ctrl-C stays one, with the same text."""
        try:
            yield
        except (StoreError, ConflictError, OSError) as error:
            if self._has_begun:
                hints = () if isinstance(error, ConflictError) else getattr(error, "hints", ())
                raise StoppedError(*self._stop_text(_reason(error)), (*hints, self._command)) from error
            raise
        except KeyboardInterrupt as error:
            if self._has_begun:
                raise KeyboardInterrupt(*self._stop_text("it was interrupted"), self._command) from error
            raise

    @property
    def _command(self) -> str:
        return self.unfinished.command(self.store.url)

    def _stop_text(self, reason: str) -> tuple[str, str]:
        left_names = shortened(self.names[self._done_count :]) or "what belongs to no game"
        there_count = self.already_count + self._done_count
        count_text = f"{there_count} of {numbered(self.game_count, 'game')} {are(there_count)} there"
        return f"the {self.unfinished.work} stopped: {count_text}", f"{reason}; still missing: {left_names}"


def shortened(names: Sequence[str]) -> str:
    """The first names, and how many more there are.

    >>> shortened(["nim"]), shortened(["a", "b", "c", "d", "e", "f", "g"])
    ('nim', 'a, b, c, d, e and 2 more')
    """
    more_count = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more_count} more" if more_count > 0 else "")


def _reason(error: Exception) -> str:
    return f"the disk is full: {error}" if isinstance(error, DiskFullError) else str(error)
