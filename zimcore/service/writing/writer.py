"""The writer: appends entries, names, lines and moves of a head to a store.

Each is one transaction, but a new line takes two: its name comes after its commits.

There are no locks. An append names the revision at which its writer saw the stream, and is refused if another writer
was faster (`ConflictError`). For a commit the player gets that error, as they may want another move now. Events of
names are made again from the names of then, as any free name will do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import Any, NamedTuple, Required, TypeAlias, TypedDict, TypeVar, cast

import msgspec

from event_store import ConflictError, Draft, Entry, EventStore, HeadMoved, TakenError
from event_store.line_history import advance, fork_event_at, is_on_path, path_to, refresh
from zimcore.commits import Position
from zimcore.game import Command, Event, GameError, Played, Refused, Seat, UnknownError
from zimcore.service.lines.line_projections import encode_fork_projection, encode_projection
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.lines.visibility import OPEN_HINT, TABLE, Viewer, check_going_back, check_may_write, text_seen_by
from zimcore.service.records.deciding import PendingCommit
from zimcore.service.records.folds import Fold
from zimcore.service.records.idempotency import NO_KEY, IdempotencyKey, idempotency_key
from zimcore.service.records.names import OWN_LINE_MARK, BotSeated, LineNamed, LineSwitched, NameEvent, Names
from zimcore.service.records.places import MIN_DIGEST_DIGITS
from zimcore.service.records.signed_commands import check_unsigned, command_message
from zimcore.toolkit.words import numbered

CommitContent: TypeAlias = tuple[Sequence[Event], bytes]
"""The content of a commit: its events, and the digest of the state after them."""

SignMessage: TypeAlias = Callable[[bytes], bytes]
"""Signs a message and returns the signature."""

AnyFold = TypeVar("AnyFold", bound=Fold[Any])


class WriteRequest(NamedTuple):
    """Author, viewer, expected head (a digest) and idempotency key of a write. In other words: command metadata."""

    by: str
    viewer: Viewer
    expected: str | None
    key: IdempotencyKey


class WriteOptions(TypedDict, total=False):
    """The options of every write: its author, its command id (for a safe retry), and the viewer."""

    by: Required[str]
    command_id: str
    viewer: Viewer


class LineWriteOptions(WriteOptions, total=False):
    """The options of a write to a line: also the digest of the head that the author saw."""

    expected: str | None


def write_request(
    action: str, *request_parts: object, by: str, command_id: str = "", viewer: Viewer = TABLE
) -> WriteRequest:
    """A write; its idempotency key covers action and parts. Raises `GameError` for a viewer who may not write."""
    return line_write_request(action, *request_parts, by=by, command_id=command_id, viewer=viewer)


def line_write_request(
    action: str,
    *request_parts: object,
    by: str,
    command_id: str = "",
    viewer: Viewer = TABLE,
    expected: str | None = None,
    older_parts: Sequence[Sequence[object]] = (),
) -> WriteRequest:
    """A write to a line; `expected` is the digest of the head that its author saw, if they say so.

    `older_parts` are those that earlier versions of Zim had for the same request.
    """
    check_may_write(viewer, action)
    older_requests = [(action, *parts) for parts in older_parts]
    key = idempotency_key(command_id, action, *request_parts, older_parts=older_requests)
    return WriteRequest(by, viewer, expected, key)


def discussion_request(
    action: str,
    *parts: object,
    by: str,
    command_id: str = "",
    viewer: Viewer = TABLE,
    older_parts: Sequence[Sequence[object]] = (),
) -> WriteRequest:
    """A write to a discussion. The viewer's seat belongs to the request, but not what the viewer sees."""
    seat = viewer.seat or ""
    seats = [seat] if seat else ["", None]  # earlier versions told a viewer who sees everything from one without a seat
    all_older_parts = [(*each, older_seat) for each in (parts, *older_parts) for older_seat in seats]
    return line_write_request(
        action, *parts, seat, by=by, command_id=command_id, viewer=viewer, older_parts=all_older_parts
    )


def current_time() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def in_utc(clock: Callable[[], datetime]) -> Callable[[], datetime]:
    """The same clock in UTC, as all that is written says it. A time without a zone is that of this machine."""
    return lambda: clock().astimezone(UTC)


def new_id() -> str:
    """A random id for a stream or a command: 16 hex digits."""
    return os.urandom(8).hex()


class Writer(msgspec.Struct, frozen=True):
    """Appends entries to a store, each with the time and an id: the command id of its key, or a random one."""

    store: EventStore
    clock: Callable[[], datetime]
    ids: Callable[[], str]

    def append_entry(
        self,
        stream: str,
        last_revision: int,
        events: Sequence[msgspec.Struct],
        author: str,
        *,
        parent: bytes | None = None,
        state: bytes = b"",
        key: IdempotencyKey = NO_KEY,
        proof: bytes = b"",
        projection: bytes = b"",
    ) -> Entry:
        """Appends an entry. A commit has a `parent` (the digest of the commit it builds on) and a `state` (digest)."""
        return self.store.append(
            stream,
            last_revision,
            events,
            by=author,
            at=self.clock(),
            parent=parent,
            id=key.id or self.ids(),
            state=state,
            request=key.request_digest,
            proof=proof,
            projection=projection,
        )

    def draft(
        self, events: Sequence[msgspec.Struct], author: str, *, state: bytes = b"", key: IdempotencyKey = NO_KEY
    ) -> Draft:
        """An entry that will be appended together with others."""
        return Draft(events, author, self.clock(), key.id or self.ids(), state, key.request_digest)

    def first_entry(self, stream: str, events: Sequence[msgspec.Struct], author: str) -> Entry:
        """The first entry of a stream, no commit, to be adopted together with others."""
        return self.store.seal_entry(stream, -1, self.draft(events, author))

    def first_commit(self, stream: str, events: Sequence[msgspec.Struct], state: bytes, author: str) -> list[Entry]:
        """The first commit of a line, to be adopted together with its name."""
        return self.store.seal_entries(stream, -1, [self.draft(events, author, state=state)], b"")

    def drafts(self, commits: Sequence[CommitContent], author: str, key: IdempotencyKey) -> list[Draft]:
        """The drafts of the commits of one request. If it has a command id, all of them get it."""
        return [self.draft(events, author, state=state, key=key) for events, state in commits]

    def append_from_fold(
        self,
        read_fold: Callable[[], AnyFold],
        make_events: Callable[[AnyFold], Sequence[Event]],
        author: str,
        key: IdempotencyKey = NO_KEY,
    ) -> Sequence[msgspec.Struct]:
        """Appends the events that `make_events` returns for a fold of their stream; tries again if another was faster.

        Returns the events, or for a retry those that were stored the first time. There is no limit of tries: each lost
        race means that another writer made progress, and `make_events` raises an error once its change is impossible.
        Raises `TakenError` for an id that is taken, and `ConflictError` if nobody was faster: what was read before is
        gone, as in an older copy of the store.
        """
        conflict, conflict_revision = None, -1
        while True:
            fold = read_fold()
            if conflict and fold.revision <= conflict_revision:
                raise conflict
            if earlier_entry := fold.earlier_entry(author, key):
                return cast("Sequence[msgspec.Struct]", earlier_entry.events)
            events = make_events(fold)
            try:
                if events:
                    self.append_entry(fold.stream, fold.revision, events, author, key=key)
                return events
            except ConflictError as error:  # `read_fold` gets what the other writer has appended
                conflict, conflict_revision = error, fold.revision

    def commit(
        self,
        loaded_line: LoadedLine,
        pending: PendingCommit,
        author: str,
        key: IdempotencyKey,
        sign: SignMessage | None = None,
    ) -> Position:
        """Appends a commit to a line and caches the state that was computed when it was decided: nothing is read back.

        `sign` signs the command of a seat that is bound to a key.
        """
        line, parent, last_revision = loaded_line.line, loaded_line.line.head, loaded_line.line.revision
        signature = b""
        if sign:  # the id is signed too, so choose it first
            key = IdempotencyKey(key.id or self.ids(), key.request_digest)
            topic, played_bytes = self.store.codec.encode(pending.events[0])
            signature = sign(command_message(line.path[0], parent, topic, played_bytes, key.id))

        projection = encode_projection(loaded_line, (b"", line.commit_numbers[parent] + 1), pending.state, is_new=True)

        def write() -> Entry:
            return self.append_entry(
                line.stream,
                last_revision,
                pending.events,
                author,
                parent=parent,
                state=pending.digest,
                key=key,
                proof=signature,
                projection=projection,
            )

        entry = _append_to_line(loaded_line, write)
        # Normally the entry follows what we have read. A retry after a lost connection may instead get the entry of its
        # first try, with entries of others before or after it: then read them all.
        if entry.rows[0][0] == last_revision + 1 and entry.seal.state == pending.digest:
            advance(line, entry)
            return loaded_line.add_commit(entry, pending.events, pending.state)
        refresh(self.store.read, line)
        return loaded_line.position(entry.digest)

    def extend(self, loaded_line: LoadedLine, write: Callable[[], Entry]) -> Entry:
        """Calls `write` to append to a line, then reads the new entries. Raises `ConflictError` for a lost race."""
        entry = _append_to_line(loaded_line, write)
        refresh(self.store.read, loaded_line.line)
        return entry

    def move_head(
        self, loaded_line: LoadedLine, target: bytes, author: str, viewer: Viewer, key: IdempotencyKey = NO_KEY
    ) -> Position:
        """Moves the head of a line to a commit.

        Raises `GameError` if that would take back a move that revealed something to the viewer.
        """
        line = loaded_line.line
        check_going_back(loaded_line, target, viewer)
        # A move to where the head already is stores nothing, except with an id: a retry must find this answer.
        if target != line.head or key.id:
            head_events = [HeadMoved(line.head, target)]
            projection = encode_projection(loaded_line, (target, line.commit_numbers[target]))
            entry = self.extend(
                loaded_line,
                lambda: self.append_entry(
                    line.stream, line.revision, head_events, author, key=key, projection=projection
                ),
            )
            return loaded_line.position_after([entry])
        return loaded_line.position(target)

    def step_head(
        self, loaded_line: LoadedLine, steps: int, author: str, viewer: Viewer, key: IdempotencyKey = NO_KEY
    ) -> Position:
        """Moves the head by `steps` moves, back if negative. The answers of the viewer's `programs` go with them.

        Raises `UnknownError` if there is no such move.
        """
        target = commit_after_moves(loaded_line, steps, viewer.programs, viewer)
        return self.move_head(loaded_line, target, author, viewer, key)

    def begin_line(
        self,
        repository: LineRepository,
        line_and_digest: tuple[LoadedLine, bytes],
        name: str,
        commits: Sequence[CommitContent],
        request: WriteRequest,
        *,
        with_bots: bool = True,
        is_current: bool = True,
    ) -> LoadedLine:
        """Starts a line at a commit, with more `commits` if given. If it `is_current`, the author is on it afterwards.

        `with_bots` the programs that play the old line play it, too, but never a player's own line on a server. Its
        name is stored last, so a crash leaves at worst a stream without a name.
        """
        (loaded_line, digest), (author, viewer, _, key) = line_and_digest, request
        stream = self.ids()
        fork_draft = self.draft([fork_event_at(loaded_line.line, digest)], author)
        drafts = self.drafts(commits, author, key)
        projection = b"" if drafts else encode_fork_projection(loaded_line, digest)
        keeps_bots = with_bots and OWN_LINE_MARK not in name
        self.store.append_all(stream, -1, [fork_draft, *drafts], digest, projection)

        def make_events(names: Names) -> Sequence[NameEvent]:
            check_unsigned({} if OWN_LINE_MARK in name else names.current_bindings, commits)
            events: list[NameEvent] = [LineNamed(name, stream)]
            events += [LineSwitched(name, author, viewer.seat or "")] if is_current else []
            bots = names.bots_on(loaded_line.name) if keeps_bots else {}
            events += [BotSeated(seat, bot, stream) for seat, bot in bots.items()]
            names.check(*events)
            return events

        events = self.append_from_fold(lambda: repository.names(loaded_line.match), make_events, author, key)
        repository.names(loaded_line.match)  # read them again, as `known_names` is used to see who plays
        is_ours = LineNamed(name, stream) in events  # otherwise a concurrent try of the same request started it
        return (
            repository.load_fork(loaded_line, name, stream)
            if is_ours
            else repository.line_begun_by(loaded_line.match, events)
        )


def check_head(loaded_line: LoadedLine, request: WriteRequest) -> None:
    """Raises `ConflictError` if the head is not `expected`: the digest that the player saw, or its beginning."""
    head, expected = loaded_line.line.head.hex(), request.expected
    check_expected_digest(loaded_line, expected)
    if expected and not head.startswith(expected):
        head_commit = loaded_line.commit(loaded_line.line.head)
        text = text_seen_by(loaded_line, loaded_line.line.head, request.viewer)
        why = f"{head_commit.by} has brought it to @{head_commit.number}: {text}"
        raise ConflictError(f"{loaded_line.place} has moved on", why, [f"log {loaded_line.place}"], head=head)


def check_expected_digest(loaded_line: LoadedLine, expected: str | None) -> None:
    """Raises `GameError` if `expected` is not a digest, or too short a beginning of one."""
    if expected and not re.fullmatch(f"[0-9a-f]{{{MIN_DIGEST_DIGITS},}}", expected):
        why = f"give the digest of the head, or its beginning: {MIN_DIGEST_DIGITS} hex digits or more"
        raise GameError(f"not a digest: {expected!r}", why, [loaded_line.line.head.hex()[:8]])


def commutes(loaded_line: LoadedLine, expected: str | None, seat: Seat, command: Command) -> bool:
    """Whether a command may be played although others have played since the head that its player saw (`expected`).

    It may if the game says that the order of the commands makes no difference, as with two sealed bids: each is legal
    in the position before both, and has the same effect after the other. So players who choose at the same time meet
    no conflict.
    """
    line, rules = loaded_line.line, loaded_line.game.rules
    check_expected_digest(loaded_line, expected)
    if not expected or line.head.hex().startswith(expected):
        return True
    seen_digest = next((digest for digest in reversed(line.commits) if digest.hex().startswith(expected)), b"")
    # After an undo, the player saw another position.
    if not seen_digest or not is_on_path(line, seen_digest, line.head):
        return False
    state_before, own_move = loaded_line.states.state_at(seen_digest), Played(seat, command)
    later_moves = [
        loaded_line.commit(digest).played for digest in path_to(line, line.head)[line.commit_numbers[seen_digest] + 1 :]
    ]
    if isinstance(rules.decide(state_before, seat, command), Refused):
        return False
    return all(
        later_move.seat != seat and rules.are_independent(state_before, later_move, own_move)
        for later_move in later_moves
    )


def _append_to_line(loaded_line: LoadedLine, write: Callable[[], Entry]) -> Entry:
    """Calls `write` to append to a line. A `ConflictError` then names the line by its place, not by its stream."""
    try:
        return write()
    except TakenError:
        raise
    except ConflictError as error:
        what, hints = f"{loaded_line.place} has moved on", [f"log {loaded_line.place}"]
        raise ConflictError(what, error.why, hints, head=error.head) from error


def numbers_after_moves(loaded_line: LoadedLine, direction: int, programs: Collection[Seat]) -> Iterator[int]:
    """The numbers of the commits that 1, 2, 3 moves back (`direction` -1) or forward lead to.

    After each a person made the next move: `undo` against programs goes back to one's own last decision. Where programs
    play no seat, or every seat, all moves count. A commit is only decoded when its number is asked for.
    """
    line = loaded_line.line
    head = line.commit_numbers[line.head]
    numbers = iter(range(head - 1, -1, -1) if direction < 0 else range(head + 1, len(line.path)))
    if not programs or {*programs} >= {*loaded_line.position(line.head).seats}:
        return numbers
    return (
        number
        for number in numbers
        if number + 1 == len(line.path) or loaded_line.commit(line.path[number + 1]).seat not in programs
    )


def commit_after_moves(
    loaded_line: LoadedLine, steps: int, programs: Collection[Seat], viewer: Viewer | None = None
) -> bytes:
    """The commit `steps` moves after the head, before it if negative.

    Raises `UnknownError` if there is none; its hint is one that the `viewer` may go back to.
    """
    line = loaded_line.line
    if not steps:
        return line.head
    number = next(islice(numbers_after_moves(loaded_line, steps, programs), abs(steps) - 1, None), None)
    if number is None:
        raise no_more_moves_error(loaded_line, steps, programs, viewer)
    return line.path[number]


def no_more_moves_error(
    loaded_line: LoadedLine, steps: int, programs: Collection[Seat], viewer: Viewer | None = None
) -> UnknownError:
    """The error for more moves forward (or back, if negative) than there are, or than the viewer may take back."""

    def may_go_to(number: int) -> bool:
        try:
            check_going_back(loaded_line, loaded_line.line.path[number], viewer or TABLE)
        except GameError:
            return False
        return True

    numbers = [*numbers_after_moves(loaded_line, steps, programs)]
    verb, steps_left = "undo" if steps < 0 else "redo", len([*takewhile(may_go_to, numbers)] if viewer else numbers)
    if numbers and not steps_left:
        try:
            check_going_back(loaded_line, loaded_line.line.path[numbers[0]], viewer or TABLE)
        except GameError as error:
            opened = f"{verb} {loaded_line.place} {len(numbers)} {OPEN_HINT}"
            error.hints = tuple(opened if hint == OPEN_HINT else hint for hint in error.hints)
            raise
    what = (
        f"you can {verb} no more than {numbered(steps_left, 'move')}" if steps_left else f"there is nothing to {verb}"
    )
    hints = [f"{verb} {loaded_line.place} {steps_left}"] if steps_left else [f"log {loaded_line.place} --all"]
    return UnknownError(what, f"{loaded_line.place} is {loaded_line.head_text()}", hints)
