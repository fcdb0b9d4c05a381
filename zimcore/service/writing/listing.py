"""The lists of games, lines and tags. Games and lines are read from projections; a line without one is folded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from zimcore.documents.listings import GameInfo, LineInfo, TagInfo
from zimcore.game import GameError
from zimcore.service.lines import line_projections
from zimcore.service.lines.line_projections import LineProjection
from zimcore.service.lines.line_repository import LineRepository, LoadedLine, recorded_deviation
from zimcore.service.lines.visibility import TABLE, Viewer, position_for
from zimcore.service.records.names import GameNamed, Names, Tag
from zimcore.toolkit.progress import ReportProgress, ignore_progress

LISTED_AT_ONCE = 500
"""Games listed before progress is reported: their projections are read and stored together."""


def list_games(
    repository: LineRepository,
    viewer: Viewer,
    author: str,
    chosen_names: Collection[str] | None = None,
    report: ReportProgress = ignore_progress,
) -> Sequence[GameInfo]:
    """The games whose names can be read, oldest first, each with the author's current line.

    Lines without a projection are folded, and their projections stored after every `LISTED_AT_ONCE` games.
    """
    catalogue, _ = repository.readable_catalogue()
    named_games = [each for each in catalogue.games.values() if chosen_names is None or each.name in chosen_names]
    infos = list[GameInfo]()
    for begin in range(0, len(named_games), LISTED_AT_ONCE):
        infos += _list_some(repository, viewer, author, catalogue, named_games[begin : begin + LISTED_AT_ONCE])
        report(len(infos), len(named_games))
    return infos


def _list_some(
    repository: LineRepository, viewer: Viewer, author: str, catalogue: Names, named_games: Sequence[GameNamed]
) -> Sequence[GameInfo]:
    folds_by_stream = line_projections.load_names(repository.store, {each.game: each.name for each in named_games})
    line_names = {stream: each.current_line(author, viewer.seat or "") for stream, each in folds_by_stream.items()}
    line_streams = {stream: each.lines.get(line_names[stream], "") for stream, each in folds_by_stream.items()}
    listing = begin_listing(repository, {line_streams.get(each.game, ""): each.kind for each in named_games}, viewer)
    infos = [
        _game_info(
            listing,
            named_game,
            folds_by_stream.get(named_game.game),
            line_names.get(named_game.game, ""),
            catalogue.start_times[named_game.name],
        )
        for named_game in named_games
    ]
    repository.store.store_projections(listing.new_projections)
    return [replace(info, archived=True) if info.name in catalogue.archived_names else info for info in infos]


def list_lines(repository: LineRepository, match: str, viewer: Viewer) -> Sequence[LineInfo]:
    """The lines of a match, oldest first."""
    kind, names = repository.find_match(match).kind, repository.names(match)
    listing = begin_listing(repository, dict.fromkeys(names.lines.values(), kind), viewer)
    line_names_by_stream = {stream: name for name, stream in names.lines.items()}
    infos = [_line_info(listing, names, name, line_names_by_stream) for name in list(names.lines)]
    repository.store.store_projections(listing.new_projections)
    return infos


def list_tags(repository: LineRepository, match: str) -> Sequence[TagInfo]:
    """The tags of a match, oldest first."""
    named_tags = [*repository.names(match).tags.items()]

    def tag_info(name: str, tag: Tag) -> TagInfo:
        tagged_line = repository.tagged_line(match, name, "")
        number = tagged_line.line.commit_numbers[tag.commit] if tagged_line else None
        return TagInfo(name, tagged_line.name if tagged_line else "", number, tag.commit.hex(), tag.by, tag.at)

    return [tag_info(name, tag) for name, tag in named_tags]


class Listing(msgspec.Struct, eq=False):
    """The projections of lines by stream, as a viewer may see them, and `new_projections` to store after listing."""

    repository: LineRepository
    viewer: Viewer
    projections_by_stream: dict[str, LineProjection]
    new_projections: list[tuple[str, int, bytes, bytes]] = []

    def line_projection(self, match: str, name: str, stream: str) -> LineProjection:
        """The projection of a line; the line is folded if there is none."""
        if stream in self.projections_by_stream:
            return self.projections_by_stream[stream]
        loaded_line = self.repository.line(match, name)
        if self.viewer == TABLE or not loaded_line.game.secrets:
            content = line_projections.encode_projection(loaded_line)
            if content:
                self.new_projections.append((stream, loaded_line.line.revision, loaded_line.line.last_digest, content))
        return projection_for(loaded_line, self.viewer)


def begin_listing(repository: LineRepository, kinds_by_stream: Mapping[str, str], viewer: Viewer) -> Listing:
    """Starts a list: reads the projections that the viewer may see, of lines by stream with their kinds of game."""
    stored_projections, visible_projections = repository.store.projections(kinds_by_stream), dict[str, LineProjection]()
    for stream, kind in kinds_by_stream.items():
        try:
            projection = line_projections.decode_projection(stored_projections.get(stream), repository.load_game(kind))
        except GameError:  # folding the line fails again later, and the list shows why
            continue
        if projection and (viewer == TABLE or not projection.has_secrets):
            visible_projections[stream] = projection
    return Listing(repository, viewer, visible_projections)


def projection_for(loaded_line: LoadedLine, viewer: Viewer) -> LineProjection:
    """The projection of a loaded line, as a viewer may see it."""
    head_position, fork = position_for(loaded_line.position(loaded_line.line.head), viewer), loaded_line.line.fork_event
    return LineProjection(
        stored_format=line_projections.projection_format(loaded_line.game),
        has_secrets=bool(loaded_line.game.secrets),
        seats=head_position.seats,
        number=head_position.commit.number,
        status=head_position.status,
        head=loaded_line.line.head,
        played_at=head_position.commit.at,
        parent=fork.line if fork else "",
        forked_at=loaded_line.line.commit_numbers[fork.commit] if fork else None,
    )


def _game_info(
    listing: Listing, named_game: GameNamed, names: Names | None, line_name: str, started_at: datetime
) -> GameInfo:
    """The row of a game. One that can't be read is listed with the reason, so that it does not hide the others."""
    try:
        names = names or listing.repository.names(named_game.name)
        found_name, stream = names.find_line(line_name)
        projection = listing.line_projection(named_game.name, found_name, stream)
    except Exception as error:  # damaged data or a third-party game may raise anything
        is_damaged = not isinstance(error, GameError)
        return GameInfo(
            named_game.name, named_game.kind, (), "", 0, 0, str(error), started_at, started_at, damaged=is_damaged
        )
    return GameInfo(
        name=named_game.name,
        kind=named_game.kind,
        seats=projection.seats,
        line=found_name,
        lines=len(names.lines),
        head=projection.number,
        status=projection.status,
        begun=started_at,
        played=projection.played_at or started_at,
    )


def _line_info(listing: Listing, names: Names, name: str, line_names_by_stream: Mapping[str, str]) -> LineInfo:
    """The row of a line, with the reason if it can't be read."""
    stream = names.lines[name]
    try:
        projection = listing.line_projection(names.match, name, stream)
        deviation = ""
        if names.recorded_deviations:  # rare, so reading the whole line is fine
            loaded_line = listing.repository.line(names.match, name)
            deviation = recorded_deviation(loaded_line.line, names.recorded_deviations, loaded_line.line.head)
    except Exception as error:
        return LineInfo(name, 0, "", str(error), damaged=not isinstance(error, GameError))
    return LineInfo(
        name=name,
        head=projection.number,
        digest=projection.head.hex(),
        status=projection.status,
        parent=line_names_by_stream.get(projection.parent, ""),
        forked_at=projection.forked_at,
        recorded=deviation,
    )
