"""Amend and pick: play commands of the past again elsewhere, like a rebase and a cherry-pick in git.

All commands are decided first and then appended in one transaction, so no reader sees half of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, TypeAlias

from msgspec.structs import replace

from event_store import Draft, Entry
from event_store.line_history import is_on_path, path_to
from zimcore.commits import Commit, Position
from zimcore.documents import history
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.positions import commit_document, commit_documents, position_document
from zimcore.game import Command, Event, GameError, Refused, parts
from zimcore.service.deciding import try_command
from zimcore.service.free_names import free_name
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.names import OWN, check_free
from zimcore.service.places import check_name, locate_all, parse_place
from zimcore.service.results import Replay, ReplayConflict
from zimcore.service.signed_commands import check_unbound
from zimcore.service.visibility import check_is_played, check_may_play
from zimcore.service.writer import Writer, WriteRequest, check_head

Keep: TypeAlias = Literal["all", "skip", "stop"]
"""What to store if a command is refused: nothing (`all`), all other commands (`skip`), those before it (`stop`)."""


def rewrite_answer(replay: Replay) -> RewriteAnswer:
    """A replay as a document: the commits played again, the conflicts and the position."""
    return RewriteAnswer(
        stored=replay.stored,
        played=commit_documents(replay.commits),
        conflicts=tuple(
            history.Conflict(commit_document(each.commit), each.refused.refusals) for each in replay.conflicts
        ),
        position=position_document(replay.position),
    )


def replay(start: Position, commits: Iterable[Commit], keep: Keep, at: datetime) -> Replay:
    """Plays the commands of commits again from a position, without storing anything."""
    position, made, conflicts = start, list[Commit](), list[ReplayConflict]()
    for commit in commits:
        answer = try_command(position, commit.command, at, commit.seat)
        if isinstance(answer, Refused):
            conflicts.append(ReplayConflict(commit, answer))
            if keep != "skip":
                break
        else:
            position = answer
            made.append(position.commit)
    return Replay(position, tuple(made), tuple(conflicts))


def amend(
    writer: Writer,
    lines: LineRepository,
    place: str,
    text: str | Command,
    name: str,
    request: WriteRequest,
    keep: Keep,
    *,
    dry: bool,
    current: bool = True,
) -> Replay | Refused:
    """Starts a line in which the move at a place is replaced and the moves after it are played again.

    A text may have several commands, separated by `;`, or none: then the move is left out. `dry` stores nothing.
    """
    match = parse_place(place).match
    before = lines.names(match).earlier_entry(request.by, request.key)
    if before:
        again = lines.line_begun_by(match, before.events)
        return _stored_before(again, again.line.by_command_id.get(request.key.id, ()))
    found, digest = lines.find(place)
    check_head(found, request)
    name = _free_name(lines, found, name, f"amend-{found.line.numbers[digest]}")
    parent = found.line.commits[digest].parent
    if not parent:
        raise GameError(f"{found.place}@start is the set-up", "only moves can be amended", ["new"])
    position, changed = found.position(parent), list[Commit]()
    for command in parts(found.game.notation, text) if isinstance(text, str) else [text]:
        answer = try_command(position, command, writer.clock())
        if isinstance(answer, Refused):
            return answer
        check_is_played(answer.commit.command)
        check_may_play(request.viewer, answer.commit.seat)
        position = answer
        changed.append(answer.commit)
    if not changed:  # you need the right to play a move to leave it out, too
        check_is_played(found.commit(digest).command)
        check_may_play(request.viewer, found.commit(digest).seat)
    after = replay(position, _commits_after(found, digest), keep, writer.clock())
    whole = replace(after, commits=(*changed, *after.commits))
    if not whole.commits:
        raise GameError(
            f"no move is left after {place}", "to leave out the last move, undo it", [f"undo {found.place}"]
        )
    check_unbound({} if OWN in name else lines.known_names(found.match).bindings, () if dry else whole.commits)
    if dry or _is_unsolved(whole, keep):
        return whole
    made = writer.begin_line(lines, (found, parent), name, _contents(whole), request, current=current)
    return _stored_replay(whole, made)


def _free_name(lines: LineRepository, loaded: LoadedLine, name: str, fallback: str) -> str:
    taken = lines.names(loaded.match).lines
    if not name:
        return free_name(fallback, taken.__contains__)
    check_name(name)
    check_free(name, taken, "line")
    return name


def _commits_after(loaded: LoadedLine, digest: bytes) -> Sequence[Commit]:
    """The commits after one, up to the head; after an undone commit, up to the last one that can be redone."""
    line = loaded.line
    end = next((end for end in (line.head, line.tip) if is_on_path(line, digest, end)), digest)
    return [loaded.commit(each) for each in path_to(line, end)[line.numbers[digest] + 1 :]]


def pick(
    writer: Writer, lines: LineRepository, place: str, source: str, request: WriteRequest, keep: Keep, *, dry: bool
) -> Replay:
    """Plays the commands of a range at the head of a line. `dry` stores nothing."""
    found = lines.at_head(place, request.key)
    if made := found.earlier_entries(request.by, request.key):  # before all checks: the source may have changed since
        return _stored_before(found, made)
    origin, commits = _range(lines, source)
    if origin.game is not found.game:
        raise GameError(f"{source} and {place}", "you can only pick moves of the same game", [f"lines {found.place}"])
    check_head(found, request)
    for commit in commits:
        check_is_played(commit.command)
        check_may_play(request.viewer, commit.seat)
    check_unbound(lines.bindings_on(found), () if dry else commits)
    whole = replay(found.position(found.line.head), commits, keep, writer.clock())
    if dry or _is_unsolved(whole, keep) or not whole.commits:
        return whole
    drafts = writer.drafts(_contents(whole), request.by, request.key)
    writer.extend(found, lambda: _append_all(writer, found, drafts))
    return _stored_replay(whole, found)


def _append_all(writer: Writer, loaded: LoadedLine, drafts: Sequence[Draft]) -> Entry:
    line = loaded.line
    return writer.store.append_all(line.stream, line.revision, drafts, line.head)[-1]


def _range(lines: LineRepository, source: str) -> tuple[LoadedLine, Sequence[Commit]]:
    named = parse_place(source)
    found = lines.line(named.match, named.line)
    commits = [found.commit(digest) for digest in locate_all(found.line, named.at, lambda: lines.marks(found))]
    if commits and not commits[0].parent:
        raise GameError(f"{source} begins with the set-up", "you can only pick moves", [f"{found.place}@1.."])
    return found, commits


def _stored_before(loaded: LoadedLine, made: Sequence[Entry]) -> Replay:
    """The answer to a retry: the commits that the first try stored."""
    return Replay(loaded.answer(made), tuple(loaded.commit(entry.digest) for entry in made), (), stored=True)


def _contents(whole: Replay) -> list[tuple[Sequence[Event], bytes]]:
    return [(commit.events, bytes.fromhex(commit.state)) for commit in whole.commits]


def _is_unsolved(whole: Replay, keep: Keep) -> bool:
    return bool(whole.conflicts) and keep == "all"


def _stored_replay(whole: Replay, loaded: LoadedLine) -> Replay:
    """A replay after it was stored: its commits have digests now."""
    line = loaded.line
    made = [loaded.commit(digest) for digest in path_to(line, line.head)[-len(whole.commits) :]]
    return Replay(loaded.position(line.head), tuple(made), whole.conflicts, stored=True)
