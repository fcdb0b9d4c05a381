"""Amend and pick: play commands of the past again elsewhere, like a rebase and a cherry-pick in git.

All commands are decided first and then appended in one transaction, so no reader sees half of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from msgspec.structs import replace

from event_store import Draft, Entry
from event_store.line_history import is_on_path, path_to
from zimcore.commits import Commit, Position
from zimcore.documents import history
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.positions import commit_document, commit_documents, position_document
from zimcore.game import Command, Event, GameError, Refused, UnknownError, parts
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.lines.visibility import TABLE, check_is_played, check_may_play, check_no_peeking, state_for
from zimcore.service.records.deciding import try_command
from zimcore.service.records.free_names import free_name
from zimcore.service.records.names import OWN_LINE_MARK, check_name_is_free
from zimcore.service.records.places import check_name, locate_range, parse_place
from zimcore.service.records.results import Replay, ReplayConflict
from zimcore.service.records.signed_commands import check_unbound
from zimcore.service.writing.writer import Writer, WriteRequest, check_head

Keep: TypeAlias = Literal["all", "skip", "stop"]
"""What to store if a command is refused: nothing (`all`), all other commands (`skip`), those before it (`stop`)."""


def rewrite_answer(replay: Replay) -> RewriteAnswer:
    """A replay as a document: the commits played again, the conflicts and the position."""
    return RewriteAnswer(
        stored=replay.stored,
        played=commit_documents(replay.commits),
        conflicts=tuple(
            history.Conflict(commit_document(conflict.commit), conflict.refused.refusals)
            for conflict in replay.conflicts
        ),
        position=position_document(replay.position),
    )


def replay(start: Position, commits: Iterable[Commit], keep: Keep, time: datetime) -> Replay:
    """Plays the commands of commits again from a position, without storing anything. Raises `GameError`."""
    if keep not in get_args(Keep):
        raise GameError(f"keep={keep}", "it says what to keep where a move is refused", get_args(Keep))
    position, new_commits, conflicts = start, list[Commit](), list[ReplayConflict]()
    for commit in commits:
        trial = try_command(position, commit.command, time, commit.seat)
        if isinstance(trial, Refused):
            conflicts.append(ReplayConflict(commit, trial))
            if keep != "skip":
                break
        else:
            position = trial
            new_commits.append(position.commit)
    return Replay(position, tuple(new_commits), tuple(conflicts))


def amend(
    writer: Writer,
    repository: LineRepository,
    place: str,
    text: str | Command,
    name: str,
    request: WriteRequest,
    keep: Keep,
    *,
    is_dry_run: bool,
    is_current: bool = True,
) -> Replay | Refused:
    """Starts a line in which the move at a place is replaced and the moves after it are played again.

    A text may have several commands, separated by `;`, or none: then the move is left out. `is_dry_run` stores nothing.
    """
    match = parse_place(place).match
    earlier_entry = repository.names(match).earlier_entry(request.by, request.key)
    if earlier_entry:
        existing_line = repository.line_begun_by(match, earlier_entry.events)
        check_no_peeking(existing_line.game, request.viewer, "amend")
        return _first_replay(existing_line, existing_line.line.by_command_id.get(request.key.id, ()))
    with hints_about_moves(place):
        loaded_line, digest = repository.find(place)
    if isinstance(text, str):
        _check_verb(loaded_line, text)
    check_head(loaded_line, request)
    name = _free_name(repository, loaded_line, name, f"amend-{loaded_line.line.commit_numbers[digest]}")
    parent_digest = loaded_line.line.commits[digest].parent
    if not parent_digest:
        raise GameError(f"{loaded_line.place}@start is the set-up", "only moves can be amended", ["new"])
    check_no_peeking(loaded_line.game, request.viewer, "amend")
    check_is_played(loaded_line.commit(digest).command)
    check_may_play(request.viewer, loaded_line.commit(digest).seat)  # who replaces a move leaves it out, too
    position, new_commits = loaded_line.position(parent_digest), list[Commit]()
    for command in parts(loaded_line.game.notation, text) if isinstance(text, str) else [text]:
        trial = try_command(position, command, writer.clock())
        if isinstance(trial, Refused):
            return trial
        check_is_played(trial.commit.command)
        check_may_play(request.viewer, trial.commit.seat)
        position = trial
        new_commits.append(trial.commit)
    later_replay = replay(position, _commits_after(loaded_line, digest), keep, writer.clock())
    full_replay = replace(later_replay, commits=(*new_commits, *later_replay.commits))
    if not full_replay.commits:
        raise GameError(
            f"no move is left after {place}", "to leave out the last move, undo it", [f"undo {loaded_line.place}"]
        )
    check_unbound(
        {} if OWN_LINE_MARK in name else repository.known_names(loaded_line.match).current_bindings,
        () if is_dry_run else full_replay.commits,
    )
    if is_dry_run or _stores_nothing(full_replay, keep):
        return full_replay
    new_line = writer.begin_line(
        repository, (loaded_line, parent_digest), name, _contents_of(full_replay), request, is_current=is_current
    )
    return _stored_replay(full_replay, new_line)


def _check_verb(loaded_line: LoadedLine, text: str) -> None:
    """Raises `NotationError` for a text that begins with no word of the game, whatever is hidden."""
    notation, first_word = loaded_line.game.notation, next(iter(text.lower().split()), "")
    if first_word.isalpha() and not any(verb.startswith(first_word) for verb in notation.SYNTAX):
        notation.parse(text, state_for(loaded_line.game, loaded_line.states.state_at(loaded_line.line.head), TABLE))


def _free_name(repository: LineRepository, loaded_line: LoadedLine, name: str, default_name: str) -> str:
    taken_names = repository.names(loaded_line.match).lines
    if not name:
        return free_name(default_name, taken_names.__contains__)
    check_name(name)
    check_name_is_free(name, taken_names, "line")
    return name


def _commits_after(loaded_line: LoadedLine, digest: bytes) -> Sequence[Commit]:
    """The commits after one, up to the head; after an undone commit, up to the last one that can be redone."""
    line = loaded_line.line
    end = next((end for end in (line.head, line.tip) if is_on_path(line, digest, end)), digest)
    return [loaded_line.commit(each) for each in path_to(line, end)[line.commit_numbers[digest] + 1 :]]


@contextmanager
def hints_about_moves(place: str) -> Iterator[None]:
    """Proposes the log where a position is not there: at another one is another move, which nobody has meant."""
    try:
        yield
    except UnknownError as error:
        names = tuple(hint for hint in error.hints if "@" not in hint)
        error.hints = names or (f"log {place.partition('@')[0]} --all",)
        raise


def pick(
    writer: Writer,
    repository: LineRepository,
    place: str,
    source: str,
    request: WriteRequest,
    keep: Keep,
    *,
    is_dry_run: bool,
) -> Replay:
    """Plays the commands of a range at the head of a line. `is_dry_run` stores nothing."""
    loaded_line = repository.line_at_head(place, request.key)
    # Before all other checks: the source may have changed since.
    if earlier_entries := loaded_line.earlier_entries(request.by, request.key):
        check_no_peeking(loaded_line.game, request.viewer, "pick")
        return _first_replay(loaded_line, earlier_entries)
    source_line, commits = _line_and_commits(repository, source)
    check_no_peeking(loaded_line.game, request.viewer, "pick")
    if source_line.game is not loaded_line.game:
        raise GameError(
            f"{source} and {place}", "you can only pick moves of the same game", [f"lines {loaded_line.place}"]
        )
    check_head(loaded_line, request)
    for commit in commits:
        check_is_played(commit.command)
        check_may_play(request.viewer, commit.seat)
    check_unbound(repository.bindings_on(loaded_line), () if is_dry_run else commits)
    new_replay = replay(loaded_line.position(loaded_line.line.head), commits, keep, writer.clock())
    if is_dry_run or _stores_nothing(new_replay, keep) or not new_replay.commits:
        return new_replay
    drafts = writer.drafts(_contents_of(new_replay), request.by, request.key)
    writer.extend(loaded_line, lambda: _append_all(writer, loaded_line, drafts))
    return _stored_replay(new_replay, loaded_line)


def _append_all(writer: Writer, loaded_line: LoadedLine, drafts: Sequence[Draft]) -> Entry:
    line = loaded_line.line
    return writer.store.append_all(line.stream, line.revision, drafts, line.head)[-1]


def _line_and_commits(repository: LineRepository, source: str) -> tuple[LoadedLine, Sequence[Commit]]:
    parsed_place = parse_place(source)
    loaded_line = repository.line(parsed_place.match, parsed_place.line)
    with hints_about_moves(source):
        digests = locate_range(loaded_line.line, parsed_place.position, lambda: repository.named_commits(loaded_line))
    commits = [loaded_line.commit(digest) for digest in digests]
    if commits and not commits[0].parent:
        raise GameError(
            f"{source} begins with the set-up", "you can only pick moves", [f"log {loaded_line.place} --all"]
        )
    return loaded_line, commits


def _first_replay(loaded_line: LoadedLine, entries: Sequence[Entry]) -> Replay:
    """The answer to a retry: the commits that the first try stored."""
    return Replay(
        loaded_line.position_after(entries),
        tuple(loaded_line.commit(entry.digest) for entry in entries),
        (),
        stored=True,
    )


def _contents_of(replay: Replay) -> list[tuple[Sequence[Event], bytes]]:
    return [(commit.events, bytes.fromhex(commit.state)) for commit in replay.commits]


def _stores_nothing(replay: Replay, keep: Keep) -> bool:
    return bool(replay.conflicts) and keep == "all"


def _stored_replay(replay: Replay, loaded_line: LoadedLine) -> Replay:
    """A replay after it was stored: its commits have digests now."""
    line = loaded_line.line
    new_commits = [loaded_line.commit(digest) for digest in path_to(line, line.head)[-len(replay.commits) :]]
    return Replay(loaded_line.position(line.head), tuple(new_commits), replay.conflicts, stored=True)
