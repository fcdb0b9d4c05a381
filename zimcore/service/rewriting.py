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
    position, commits_played, conflicts = start, list[Commit](), list[ReplayConflict]()
    for commit in commits:
        answer = try_command(position, commit.command, at, commit.seat)
        if isinstance(answer, Refused):
            conflicts.append(ReplayConflict(commit, answer))
            if keep != "skip":
                break
        else:
            position = answer
            commits_played.append(position.commit)
    return Replay(position, tuple(commits_played), tuple(conflicts))


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
        existing_line = lines.line_begun_by(match, before.events)
        return _stored_before(existing_line, existing_line.line.by_command_id.get(request.key.id, ()))
    loaded_line, digest = lines.find(place)
    check_head(loaded_line, request)
    name = _free_name(lines, loaded_line, name, f"amend-{loaded_line.line.numbers[digest]}")
    parent = loaded_line.line.commits[digest].parent
    if not parent:
        raise GameError(f"{loaded_line.place}@start is the set-up", "only moves can be amended", ["new"])
    position, new_commits = loaded_line.position(parent), list[Commit]()
    for command in parts(loaded_line.game.notation, text) if isinstance(text, str) else [text]:
        answer = try_command(position, command, writer.clock())
        if isinstance(answer, Refused):
            return answer
        check_is_played(answer.commit.command)
        check_may_play(request.viewer, answer.commit.seat)
        position = answer
        new_commits.append(answer.commit)
    if not new_commits:  # you need the right to play a move to leave it out, too
        check_is_played(loaded_line.commit(digest).command)
        check_may_play(request.viewer, loaded_line.commit(digest).seat)
    after = replay(position, _commits_after(loaded_line, digest), keep, writer.clock())
    result = replace(after, commits=(*new_commits, *after.commits))
    if not result.commits:
        raise GameError(
            f"no move is left after {place}", "to leave out the last move, undo it", [f"undo {loaded_line.place}"]
        )
    check_unbound({} if OWN in name else lines.known_names(loaded_line.match).bindings, () if dry else result.commits)
    if dry or _is_unsolved(result, keep):
        return result
    entries = writer.begin_line(lines, (loaded_line, parent), name, _contents(result), request, current=current)
    return _stored_replay(result, entries)


def _free_name(lines: LineRepository, loaded_line: LoadedLine, name: str, fallback: str) -> str:
    used_names = lines.names(loaded_line.match).lines
    if not name:
        return free_name(fallback, used_names.__contains__)
    check_name(name)
    check_free(name, used_names, "line")
    return name


def _commits_after(loaded_line: LoadedLine, digest: bytes) -> Sequence[Commit]:
    """The commits after one, up to the head; after an undone commit, up to the last one that can be redone."""
    line = loaded_line.line
    end = next((end for end in (line.head, line.tip) if is_on_path(line, digest, end)), digest)
    return [loaded_line.commit(each) for each in path_to(line, end)[line.numbers[digest] + 1 :]]


def pick(
    writer: Writer, lines: LineRepository, place: str, source: str, request: WriteRequest, keep: Keep, *, dry: bool
) -> Replay:
    """Plays the commands of a range at the head of a line. `dry` stores nothing."""
    loaded_line = lines.at_head(place, request.key)
    if earlier := loaded_line.earlier_entries(
        request.by, request.key
    ):  # before all checks: the source may have changed since
        return _stored_before(loaded_line, earlier)
    origin, commits = _range(lines, source)
    if origin.game is not loaded_line.game:
        raise GameError(
            f"{source} and {place}", "you can only pick moves of the same game", [f"lines {loaded_line.place}"]
        )
    check_head(loaded_line, request)
    for commit in commits:
        check_is_played(commit.command)
        check_may_play(request.viewer, commit.seat)
    check_unbound(lines.bindings_on(loaded_line), () if dry else commits)
    result = replay(loaded_line.position(loaded_line.line.head), commits, keep, writer.clock())
    if dry or _is_unsolved(result, keep) or not result.commits:
        return result
    drafts = writer.drafts(_contents(result), request.by, request.key)
    writer.extend(loaded_line, lambda: _append_all(writer, loaded_line, drafts))
    return _stored_replay(result, loaded_line)


def _append_all(writer: Writer, loaded_line: LoadedLine, drafts: Sequence[Draft]) -> Entry:
    line = loaded_line.line
    return writer.store.append_all(line.stream, line.revision, drafts, line.head)[-1]


def _range(lines: LineRepository, source: str) -> tuple[LoadedLine, Sequence[Commit]]:
    parsed_place = parse_place(source)
    loaded_line = lines.line(parsed_place.match, parsed_place.line)
    commits = [
        loaded_line.commit(digest)
        for digest in locate_all(loaded_line.line, parsed_place.at, lambda: lines.marks(loaded_line))
    ]
    if commits and not commits[0].parent:
        raise GameError(f"{source} begins with the set-up", "you can only pick moves", [f"{loaded_line.place}@1.."])
    return loaded_line, commits


def _stored_before(loaded_line: LoadedLine, entries: Sequence[Entry]) -> Replay:
    """The answer to a retry: the commits that the first try stored."""
    return Replay(
        loaded_line.answer(entries), tuple(loaded_line.commit(entry.digest) for entry in entries), (), stored=True
    )


def _contents(result: Replay) -> list[tuple[Sequence[Event], bytes]]:
    return [(commit.events, bytes.fromhex(commit.state)) for commit in result.commits]


def _is_unsolved(result: Replay, keep: Keep) -> bool:
    return bool(result.conflicts) and keep == "all"


def _stored_replay(result: Replay, loaded_line: LoadedLine) -> Replay:
    """A replay after it was stored: its commits have digests now."""
    line = loaded_line.line
    new_commits = [loaded_line.commit(digest) for digest in path_to(line, line.head)[-len(result.commits) :]]
    return Replay(loaded_line.position(line.head), tuple(new_commits), result.conflicts, stored=True)
