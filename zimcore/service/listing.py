"""The lists of `zim games` and `zim lines`, read from projections. A line without one is folded and gets one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from zimcore.documents.listings import GameInfo, LineInfo, TagInfo
from zimcore.game import GameError
from zimcore.service import line_projections
from zimcore.service.line_projections import LineProjection
from zimcore.service.line_repository import LineRepository, LoadedLine, recorded_on
from zimcore.service.names import GameNamed, Names, Tag
from zimcore.service.visibility import TABLE, Viewer, position_for


def games(
    repository: LineRepository, viewer: Viewer, by: str, only: Collection[str] | None = None
) -> Sequence[GameInfo]:
    """The games whose names can be read, oldest first, each on the current line of the person `by`."""
    catalogue, _ = repository.intact()
    listed = [each for each in catalogue.games.values() if only is None or each.name in only]
    names = line_projections.load_names(repository.store, {each.game: each.name for each in listed})
    line_of = {stream: each.current(by, viewer.seat or "") for stream, each in names.items()}
    current = {stream: each.lines.get(line_of[stream], "") for stream, each in names.items()}
    listing = begin(repository, {current.get(each.game, ""): each.kind for each in listed}, viewer)
    infos = [
        _game_info(listing, each, names.get(each.game), line_of.get(each.game, ""), catalogue.begun[each.name])
        for each in listed
    ]
    repository.store.project(listing.made)
    return [replace(info, archived=True) if info.name in catalogue.archived else info for info in infos]


def lines(repository: LineRepository, match: str, viewer: Viewer) -> Sequence[LineInfo]:
    """The lines of a match, oldest first."""
    kind, names = repository.find_game(match).kind, repository.names(match)
    listing = begin(repository, dict.fromkeys(names.lines.values(), kind), viewer)
    parents = {stream: name for name, stream in names.lines.items()}
    infos = [_listed_line(listing, names, name, parents) for name in list(names.lines)]
    repository.store.project(listing.made)
    return infos


def tags(repository: LineRepository, match: str) -> Sequence[TagInfo]:
    """The tags of a match, oldest first."""
    tag_digests = [*repository.names(match).tags.items()]

    def info(name: str, tag: Tag) -> TagInfo:
        line_with_tag = repository.tagged_line(match, name, "")
        number = line_with_tag.line.numbers[tag.commit] if line_with_tag else None
        return TagInfo(name, line_with_tag.name if line_with_tag else "", number, tag.commit.hex(), tag.by, tag.at)

    return [info(name, tag) for name, tag in tag_digests]


class Listing(msgspec.Struct, eq=False):
    """The projections known so far, by stream, as a viewer may see them, and those `made` while listing."""

    repository: LineRepository
    viewer: Viewer
    known: dict[str, LineProjection]
    made: list[tuple[str, int, bytes, bytes]] = []

    def summary(self, match: str, name: str, stream: str) -> LineProjection:
        """The projection of a line; the line is folded if there is none."""
        if stream in self.known:
            return self.known[stream]
        loaded_line = self.repository.line(match, name)
        if self.viewer == TABLE or not loaded_line.game.secrets:
            content = line_projections.encode_projection(loaded_line)
            if content:
                self.made.append((stream, loaded_line.line.revision, loaded_line.line.last, content))
        return summary_of(loaded_line, self.viewer)


def begin(repository: LineRepository, kinds: Mapping[str, str], viewer: Viewer) -> Listing:
    """Starts a list: reads the projections of lines (streams with their kinds of game) that the viewer may see."""
    projections, projections_by_stream = repository.store.projections(kinds), dict[str, LineProjection]()
    for stream, kind in kinds.items():
        try:
            summary = line_projections.read_projection(projections.get(stream), repository.load(kind))
        except GameError:  # the list shows the reason
            continue
        if summary and (viewer == TABLE or not summary.secret):
            projections_by_stream[stream] = summary
    return Listing(repository, viewer, projections_by_stream)


def summary_of(loaded_line: LoadedLine, viewer: Viewer) -> LineProjection:
    """The projection of a loaded line, as a viewer may see it."""
    head, origin = position_for(loaded_line.position(loaded_line.line.head), viewer), loaded_line.line.forked
    return LineProjection(
        form=line_projections.projection_form(loaded_line.game),
        secret=bool(loaded_line.game.secrets),
        seats=head.seats,
        number=head.commit.number,
        status=head.status,
        head=loaded_line.line.head,
        played=head.commit.at,
        parent=origin.line if origin else "",
        forked_at=loaded_line.line.numbers[origin.commit] if origin else None,
    )


def _game_info(
    listing: Listing, named_game: GameNamed, names: Names | None, current: str, started_at: datetime
) -> GameInfo:
    """The row of a game. One that can't be read is listed with the reason, so that it does not hide the others."""
    try:
        names = names or listing.repository.names(named_game.name)
        line, stream = names.find(current)
        summary = listing.summary(named_game.name, line, stream)
    except Exception as error:  # damaged data or a third-party game may raise anything
        is_damaged = not isinstance(error, GameError)
        return GameInfo(
            named_game.name, named_game.kind, (), "", 0, 0, str(error), started_at, started_at, damaged=is_damaged
        )
    return GameInfo(
        name=named_game.name,
        kind=named_game.kind,
        seats=summary.seats,
        line=line,
        lines=len(names.lines),
        head=summary.number,
        status=summary.status,
        begun=started_at,
        played=summary.played or started_at,
    )


def _listed_line(listing: Listing, names: Names, name: str, parents: Mapping[str, str]) -> LineInfo:
    """The row of a line, with the reason if it can't be read."""
    stream = names.lines[name]
    try:
        summary = listing.summary(names.match, name, stream)
        deviation = ""
        if names.recorded:  # rare, so reading the whole line is fine
            loaded_line = listing.repository.line(names.match, name)
            deviation = recorded_on(loaded_line.line, names.recorded, loaded_line.line.head)
    except Exception as error:
        return LineInfo(name, 0, "", str(error), damaged=not isinstance(error, GameError))
    return LineInfo(
        name=name,
        head=summary.number,
        digest=summary.head.hex(),
        status=summary.status,
        parent=parents.get(summary.parent, ""),
        forked_at=summary.forked_at,
        recorded=deviation,
    )
