"""What `zim games` and `zim lines` list."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.documents.listings import GameInfo, LineInfo
from zimcore.service.names import GameNamed
from zimcore.service.open_lines import OpenLines
from zimcore.service.visibility import Viewer, position_for


def games(open_lines: OpenLines, viewer: Viewer) -> Sequence[GameInfo]:
    """All games, in the order they were begun."""
    return [_listed(open_lines, named, viewer) for named in open_lines.catalogue().games.values()]


def _listed(open_lines: OpenLines, named: GameNamed, viewer: Viewer) -> GameInfo:
    """A game as it is listed. One that can't be read is listed with the reason: it must not hide the others."""
    try:
        return _game(open_lines, named, viewer)
    except Exception as error:  # whatever a damage, or a game of somebody else's, stumbles over
        begun = open_lines.catalogue().begun[named.name]
        return GameInfo(named.name, named.kind, (), "", 0, 0, str(error), begun, begun)


def _game(open_lines: OpenLines, named: GameNamed, viewer: Viewer) -> GameInfo:
    found = open_lines.line(named.name)
    head = position_for(found.position(found.line.head), viewer)
    return GameInfo(
        name=named.name,
        kind=named.kind,
        seats=head.seats,
        line=found.name,
        lines=len(open_lines.names(named.name).lines),
        head=head.commit.number,
        status=head.status,
        begun=open_lines.catalogue().begun[named.name],
        played=head.commit.at,
    )


def lines(open_lines: OpenLines, match: str, viewer: Viewer) -> Sequence[LineInfo]:
    """The lines of a match, in the order they were begun."""
    return [_line(open_lines, match, name, viewer) for name in open_lines.names(match).lines]


def _line(open_lines: OpenLines, match: str, name: str, viewer: Viewer) -> LineInfo:
    names, found = open_lines.names(match), open_lines.line(match, name)
    head, forked = position_for(found.position(found.line.head), viewer), found.line.forked
    parents = {stream: known for known, stream in names.lines.items()}
    return LineInfo(
        name=name,
        head=head.commit.number,
        digest=head.commit.digest,
        status=head.status,
        parent=parents.get(forked.line, "") if forked else "",
        forked_at=found.line.numbers[forked.commit] if forked else None,
    )
