"""The lines of games on a server: loaded when needed, and replayed from the entries received so far.

Each look is one request. Entries are also saved on disk, so that reads work without a network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec

from event_store import AlteredError, DamagedError, Entry, StoreError
from zimcore.documents import endpoints
from zimcore.documents.copies import BoundSeat, CopyAnswer
from zimcore.documents.listings import GameInfo
from zimcore.documents.query_parameters import CopyQuery, PageQuery
from zimcore.game import GameError, Seat, UnknownError
from zimcore.remote import client_files
from zimcore.remote.client_files import Credential, Folders, Memory, SeenHead
from zimcore.remote.connection import NEWER_HINTS, Connection, UnreachableError, decode_document, query_of
from zimcore.remote.mirror import Mirror, check_follows, check_place, entry_of
from zimcore.remote.problem_errors import NoTokenError
from zimcore.remote.seen_heads import SeenHistory
from zimcore.service.lines.copies import table_in
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.records.bindings import Binding, KeyChanged, SeatBound
from zimcore.service.records.discussion import Discussion
from zimcore.service.records.fair_deal import DealTable
from zimcore.service.records.memberships import Members
from zimcore.service.records.names import GameNamed, Names, Tag
from zimcore.service.records.places import check_characters, check_name, suggest_names

FIRST_LINE_NAME = "main"
"""The usual name of the match on a server."""
MAX_PARTS = 1000
"""The most requests in a row to load one line."""
MAX_REMEMBERED_IDS = 200
"""The most command ids of a game whose implied words are remembered."""
LONG_AGO = -1e9


class FollowedLine(msgspec.Struct):
    """A line as of the last look: the answer, its ETag, the time of the look, and the last revision on this machine."""

    answer: CopyAnswer
    etag: str = ""
    loaded_at: float = 0.0
    revision: int = -1


class RemoteLines(LineRepository):
    """Finds games and lines on a server, with the user's tokens.

    A line is not loaded again within `fresh_seconds`, or within `retry_seconds` if the server could not be reached.
    `preferred_names` are the seats and names of the user, to choose among several tokens. `notify` is called with a
    message for the user: that the server can't be reached. Without `keeps_copies` nothing that the server sends is
    stored on this machine: neither entries nor the heads and keys that were seen.
    """

    def __init__(
        self,
        connection: Connection,
        games: Mapping[str, str],
        folders: Folders,
        credentials: Callable[[], Sequence[Credential]],
        *,
        fresh_seconds: float = 0.5,
        retry_seconds: float = 3.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.mirror = Mirror(connection.server)
        super().__init__(self.mirror, games)
        self.connection = connection
        self.folders = folders
        self.credentials = credentials
        self.fresh_seconds = fresh_seconds
        self.retry_seconds = retry_seconds
        self.memory = client_files.read_file(folders.memory_file(connection.server), Memory)
        self.notify: Callable[[str], None] = lambda _: None
        self.preferred_names: tuple[str, ...] = ()
        self.is_offline = False
        self.keeps_copies = True
        self._clock = clock
        self._seen_history = SeenHistory(self.mirror, connection.server, folders.memory_file(connection.server))
        self._listing_time = LONG_AGO
        self._followed_lines: dict[str, dict[str, FollowedLine]] = {}
        self._game_infos: dict[str, GameInfo] = {}
        # Why games may be missing in the list, as the server last said.
        self.reasons_unlisted: tuple[str, ...] = ()
        self._discussion_streams: dict[str, tuple[str, ...]] = {}

    # Tokens.

    def _server_credentials(self) -> Sequence[Credential]:
        """The user's tokens for this server."""
        return [credential for credential in self.credentials() if credential.server == self.connection.server]

    def credential(self, match: str) -> Credential | None:
        """The token for a game: of a seat there, else of a spectator, else of its host's account."""
        server_credentials = self._server_credentials()
        game_credentials = [credential for credential in server_credentials if credential.game == match]
        preferred_credentials = [
            credential for credential in game_credentials if {credential.seat, credential.by} & {*self.preferred_names}
        ] or game_credentials
        account_credentials = [credential for credential in server_credentials if not credential.game]
        return next(iter([*preferred_credentials[::-1], *account_credentials]), None)

    def token(self, match: str) -> str:
        """The token for a game; "" if there is none."""
        credential = self.credential(match)
        return credential.token if credential else ""

    def host_token(self, match: str) -> str:
        """The token for what only a game's host may do: that of your account if it hosts the game, else as `token`."""
        server_credentials = self._server_credentials()
        # Without a token for the game `token` returns that of an account anyway.
        if any(credential.game == match for credential in server_credentials):
            for account in (credential for credential in server_credentials if not credential.game):
                host_games = self.connection.ask(endpoints.GAMES, PageQuery(), account.token).games
                if match in {info.name for info in host_games}:
                    return account.token
        return self.token(match)

    # Games and lines.

    def catalogue(self) -> Names:
        """The games that your tokens are valid for, and public ones that were looked at.

        Raises `StoreError` if the server can't be reached, or refuses all tokens, and no game is known here: then
        nothing says that there are none.
        """
        time_now = self._clock()
        if time_now - self._listing_time >= (self.retry_seconds if self.is_offline else self.fresh_seconds):
            self._load_catalogue()
            self._listing_time = time_now
        return self._catalogue

    def readable_catalogue(self) -> tuple[Names, tuple[DamagedError, ...]]:
        """The catalogue, and no faults: a client has no stored catalogue that could be damaged."""
        return self.catalogue(), ()

    def read_deletions(self) -> None:
        """Nothing: the server answers that a game was deleted."""

    def game_infos(self) -> Mapping[str, GameInfo]:
        """The games as the server lists them; offline as it last listed them."""
        self.catalogue()
        return self._game_infos

    def _load_catalogue(self) -> None:
        server_credentials = self._server_credentials()
        for credential in server_credentials:
            if credential.game and credential.game not in self._catalogue.games:
                with suppress(StoreError, GameError):
                    self._load_followed(credential.game)
        faults: tuple[str, ...] = ()
        refusals = list[GameError]()
        for token in [credential.token for credential in server_credentials] or [""]:
            try:
                answer = self.connection.ask(endpoints.GAMES, PageQuery(), token)
            except UnreachableError as error:
                if not self._catalogue.games:
                    raise
                self._report_offline(error)
                return
            except GameError as error:  # this token is no longer valid; others may be
                refusals += [error] * bool(token)
                continue
            self.is_offline = False
            faults += answer.damaged
            for game_info in answer.games:
                self._game_infos[game_info.name] = game_info
                self._add_game_name(game_info.name, game_info.kind, game_info.begun)
        if refusals and len(refusals) == len(server_credentials) and not self._catalogue.games:
            what = f"{self.connection.server} accepts none of your tokens"
            raise StoreError(what, str(refusals[-1]), ("join LINK", *refusals[-1].hints))
        self.reasons_unlisted = tuple(dict.fromkeys(faults))

    def _add_game_name(self, match: str, kind: str, begin_time: datetime) -> None:
        check_name(match)
        known_name = self._catalogue.games.get(match)
        if known_name and known_name.kind != kind:
            raise AlteredError(f"{match} is another game", f"it was {known_name.kind}, and now the server says {kind}")
        self._catalogue.games[match] = known_name or GameNamed(match, kind, match)
        self._catalogue.start_times.setdefault(match, begin_time)

    def find_match(self, match: str) -> GameNamed:
        """The game of that name. Raises `UnknownError`."""
        if match not in self._catalogue.games:
            try:
                self.refresh(match)
            except (UnknownError, NoTokenError) as error:
                try:
                    names = self.readable_catalogue()[0].games
                except StoreError:  # it accepts none of your tokens: the first answer says what it means here
                    raise error from None
                if not names:
                    raise
                raise UnknownError(
                    f"there is no game called {match!r}", "", suggest_names(match, names) or ["new"]
                ) from None
        return self._catalogue.games[match]

    def names(self, match: str) -> Names:
        """The names of the lines that you may see in a game. Raises `UnknownError`."""
        self.refresh(match)
        return self.known_names(match)

    def line(self, match: str, name: str = "") -> LoadedLine:
        """A line, up to date. Raises `UnknownError`."""
        self.refresh(match, name)
        return self._read_line(match, *self.known_names(match).find_line(name))

    # Loading.

    def refresh(self, match: str, name: str = "", *, now: bool = False) -> None:
        """Loads what is new on a line, unless that was just done; with `now` always. Raises the server's error."""
        check_name(match)
        followed_lines = self._load_followed(match)
        name = name or (self.known_names(match).first_line if followed_lines else FIRST_LINE_NAME)
        check_name(name)
        followed_line = followed_lines.get(name)
        if (
            followed_line
            and not now
            and self._clock() - followed_line.loaded_at
            < (self.retry_seconds if self.is_offline else self.fresh_seconds)
        ):
            return
        try:
            self._load_new_entries(match, name, followed_line)
        except UnreachableError as error:
            if followed_line is None:
                raise
            followed_line.loaded_at = self._clock()
            self._report_offline(error)
        else:
            self.is_offline = False

    def _load_new_entries(self, match: str, name: str, followed_line: FollowedLine | None) -> None:
        path = endpoints.COPY.address(game=match, line=name)
        for _ in range(MAX_PARTS):
            after_revision, etag = (followed_line.revision, followed_line.etag) if followed_line else (-1, "")
            try:
                params = query_of(CopyQuery(after_revision, **self._discussion_revisions(match)))
                response = self.connection.get(path, self.token(match), etag=etag, params=params)
            except UnknownError:
                if followed_line is None and name == FIRST_LINE_NAME and not self._followed_lines[match]:
                    return self._load_new_entries(match, self._first_line_name(match), None)
                self._forget_lines(match, name)
                if followed_line is None and name == FIRST_LINE_NAME:
                    raise
                self.refresh(match, now=True)
                self.known_names(match).find_line(name)  # raises a better error, unless the line exists after all
                raise
            if followed_line and not response.content:
                followed_line.loaded_at = self._clock()
                return None
            answer = decode_document(response.content, CopyAnswer, self.connection.server)
            if (answer.game, answer.line) != (match, name):
                why = f"it was asked for {match}/{name}"
                raise DamagedError(f"{self.connection.server} answered something else", why)
            if followed_line and answer.stream != followed_line.answer.stream:  # another line has this name now
                followed_line = None
                continue
            if followed_line and answer.whole and not followed_line.answer.whole:
                followed_line = self._line_to_reload(followed_line)
                continue
            followed_line = self._add_answer(answer, response.etag)
            if not answer.more:
                return None
        raise DamagedError(
            f"{self.connection.server} sent an answer without an end", f"it was asked for {match}/{name}"
        )

    def _line_to_reload(self, followed_line: FollowedLine) -> FollowedLine:
        """A line to load again from the start, as nothing is hidden any more: its complete entries can be checked."""
        # States replayed so far lack what was hidden, and the lines of a game share states.
        for stream, cached_line in [*self._cached_lines.items()]:
            if cached_line.match == followed_line.answer.game:
                del self._cached_lines[stream]
        return FollowedLine(msgspec.structs.replace(followed_line.answer, whole=True))

    def _first_line_name(self, match: str) -> str:
        listed_lines = self.connection.ask(endpoints.LINES, PageQuery(), self.token(match), game=match).lines
        if not listed_lines or listed_lines[0].name == FIRST_LINE_NAME:
            raise UnknownError(f"{match} has no lines")
        return listed_lines[0].name

    def _add_answer(self, answer: CopyAnswer, etag: str, *, from_disk: bool = False) -> FollowedLine:
        """Adds the entries of an answer, if they are consistent with what was seen before.

        Adds none and raises `AlteredError` or `DamagedError` if they are not, or if they can't be replayed.
        """
        for name in (*(line.name for line in answer.lines), *(tag.name for tag in answer.tags)):
            check_characters(name)
        game, place = self.load_game(answer.kind), f"{answer.game}/{answer.line}"
        entries = [entry_of(document, self.mirror, game, answer.seat) for document in answer.entries]
        own_entries = [entry for entry in entries if entry.stream == answer.stream]
        self._seen_history.check_entries(answer, own_entries)
        self._add_discussion(answer)
        if not from_disk:
            self._seen_history.check_seen_head(answer, own_entries, self.memory)
            credential = self.credential(answer.game)
            self._seen_history.check_keys(
                answer, self.memory, credential.key if credential and credential.seat == answer.seat else ""
            )
        self._add_game_name(answer.game, answer.kind, answer.begun)
        new_entries = self.mirror.add_entries(entries)
        last_entry = self.mirror.last_entry(answer.stream)
        assert last_entry, "checked above"
        old_followed_line = self._followed_lines[answer.game].get(answer.line)
        if not from_disk:
            try:
                self._replay(answer, place)
            except DamagedError:
                self.mirror.remove_entries(new_entries)
                self._cached_lines.pop(answer.stream, None)
                raise
        followed_line = FollowedLine(answer, etag, self._clock(), last_entry.revision)
        self._followed_lines[answer.game][answer.line] = followed_line
        self._store_names(answer)
        if not from_disk and (
            entries or old_followed_line is None or without_entries(old_followed_line.answer) != without_entries(answer)
        ):
            self._save_answer(answer, last_entry, place)
        return followed_line

    def _discussion_revisions(self, match: str) -> dict[str, int]:
        """The last revisions of a game's discussion (`heard`) and of your own notes (`noted`) on this machine."""
        streams_by_parameter = zip(("heard", "noted"), self._discussion_streams.get(match, ("", "")), strict=True)
        return {
            parameter: last_entry.revision
            for parameter, stream in streams_by_parameter
            if (last_entry := self.mirror.last_entry(stream))
        }

    def _add_discussion(self, answer: CopyAnswer) -> None:
        """Adds an answer's discussion. Raises `AlteredError` or `DamagedError` if it contradicts an earlier one."""
        self._discussion_streams[answer.game] = tuple(
            copied_stream.stream if copied_stream else "" for copied_stream in (answer.heard, answer.noted)
        )
        for copied_stream in filter(None, (answer.heard, answer.noted)):
            previous_entry = self.mirror.last_entry(copied_stream.stream)
            game = self.load_game(answer.kind)
            entries = [
                entry_of(copied_stream, self.mirror, game, answer.seat) for copied_stream in copied_stream.entries
            ]
            is_bound = previous_entry is not None and self.mirror.is_placed(previous_entry)
            if previous_entry and copied_stream.revision < previous_entry.revision:
                title = f"{self.connection.server} has taken back part of the discussion of {answer.game}"
                raise AlteredError(
                    title, f"it was at revision {previous_entry.revision}, and is at {copied_stream.revision}"
                )
            for entry in entries:
                if entry.stream != copied_stream.stream:
                    raise DamagedError("the server sent an invalid answer", "it belongs to another stream")
                if previous_entry is None or entry.revision > previous_entry.revision:
                    check_follows(entry, previous_entry)
                    is_bound = check_place(entry, previous_entry, is_bound=is_bound)
                    previous_entry = entry
            self.mirror.add_entries(entries)

    def discussion(self, match: str, whose: str = "") -> Discussion:
        """The public discussion of a match; with `whose`, your own notes."""
        self.refresh(match)
        stream = self._discussion_streams.get(match, ("", ""))[bool(whose)]
        loaded_discussion = self._discussions.setdefault(stream, Discussion(stream))
        loaded_discussion.refresh(self.mirror)
        return loaded_discussion

    def human_seats(self, match: str, seats: Sequence[str]) -> Sequence[str]:
        """Those of the seats that people play, not bots, as the server last said."""
        return [info.seat for info in self.copy_answer(match).seats if info.by and not info.bot and info.seat in seats]

    def _replay(self, answer: CopyAnswer, place: str) -> None:
        """Replays a line up to its head. Raises `DamagedError` if its events can't be applied."""
        try:
            line = self._read_line(answer.game, answer.line, answer.stream)
            line.states.state_at(line.line.head)
        except DamagedError:
            raise
        except Exception as error:  # invalid events can make the rules raise anything
            why = f"{self.connection.server} sent it: {type(error).__name__}"
            raise DamagedError(f"{place} can't be understood", why, NEWER_HINTS) from error

    def _store_names(self, answer: CopyAnswer) -> None:
        """Stores the names of a game's lines, as the server sent them."""
        match = answer.game
        names = Names(match, match=match, lines={line.name: line.stream for line in answer.lines})
        names.all_bindings = keys_of(answer)
        names.table = table_of(answer) if answer.whole else None
        # The match is never a private line, whatever a server says.
        names.own_streams = {line.stream: None for line in answer.lines if line.own and line.name != FIRST_LINE_NAME}
        names.recorded_deviations = {bytes.fromhex(commit): name for commit, name in answer.recorded.items()}
        names.tags = tags_of(answer)
        names.streams = dict.fromkeys(names.lines.values())
        names.members = Members(answer.host, answer.public)
        names.chosen_lines = self.memory.chosen.get(match, {})
        self._names[match] = names

    def known_names(self, match: str) -> Names:
        """The names of a match's lines, as of the last look. Raises `UnknownError`."""
        stream = self.find_match(match).game
        if stream not in self._names:
            raise UnknownError(f"there is no game called {match!r} here", "", ["games"])
        return self._names[stream]

    def copy_answer(self, match: str) -> CopyAnswer:
        """The server's last answer about a game: your role, the seats and their players."""
        self.refresh(match)
        known_answer = self.last_copy_answer(match)
        assert known_answer, "it was looked at"
        return known_answer

    def last_copy_answer(self, match: str) -> CopyAnswer | None:
        """The server's last answer about a game, without a request; None if there was none."""
        followed_lines = self._followed_lines.get(match) or {}
        return (
            max(followed_lines.values(), key=lambda followed_line: followed_line.loaded_at).answer
            if followed_lines
            else None
        )

    def choose(self, match: str, name: str, by: str) -> None:
        """Makes a line a player's current one, from whatever seat: only this client remembers it."""
        stream = self.known_names(match).find_line(name)[1]

        def choose_line(memory: Memory) -> Memory:
            chosen_in_match = memory.chosen.get(match, {})
            chosen_lines = {**chosen_in_match, by: {"": stream}}
            return msgspec.structs.replace(memory, chosen={**memory.chosen, match: chosen_lines})

        self._remember(choose_line)
        self.known_names(match).chosen_lines = self.memory.chosen[match]

    def implied(self, match: str, command_id: str) -> str:
        """What the words of an earlier write with a command id left out; "" if there was none."""
        return self.memory.implied.get(match, {}).get(command_id, "")

    def remember_implied(self, match: str, command_id: str, value: str) -> None:
        """Remembers what the words of a write with a command id left out; with "" forgets it."""

        def add_value(memory: Memory) -> Memory:
            values = {key: known for key, known in memory.implied.get(match, {}).items() if key != command_id}
            values |= {command_id: value} if value else {}
            newest_values = dict([*values.items()][-MAX_REMEMBERED_IDS:])
            return msgspec.structs.replace(memory, implied={**memory.implied, match: newest_values})

        self._remember(add_value)

    # Files.

    @contextmanager
    def keeping_no_copies(self) -> Iterator[None]:
        """Stores nothing that the server sends, while a check runs."""
        keeps_copies, self.keeps_copies = self.keeps_copies, False
        try:
            yield
        finally:
            self.keeps_copies = keeps_copies

    def _copy_file(self, match: str) -> Path:
        credential = self.credential(match)
        return self.folders.copy_file(self.connection.server, match, credential.id if credential else "")

    def _remember(self, update: Callable[[Memory], Memory]) -> None:
        self.memory = client_files.update_file(self.folders.memory_file(self.connection.server), Memory, update)

    def _save_answer(self, answer: CopyAnswer, last_entry: Entry, place: str) -> None:
        if not self.keeps_copies:
            return
        client_files.append_row(self._copy_file(answer.game), msgspec.json.encode(answer))
        seen_head = SeenHead(last_entry.revision, last_entry.digest.hex(), place)

        def add_head(memory: Memory) -> Memory:
            old_head = memory.heads.get(answer.stream)
            keys = _merge_bindings(memory.keys.get(answer.game, ()), answer.bound)
            if keys:
                memory = msgspec.structs.replace(memory, keys={**memory.keys, answer.game: keys})
            if old_head and old_head.revision >= seen_head.revision:
                return memory
            return msgspec.structs.replace(memory, heads={**memory.heads, answer.stream: seen_head})

        self._remember(add_head)

    def _load_followed(self, match: str) -> dict[str, FollowedLine]:
        """The lines of a game that this process or an earlier one looked at, by name."""
        if match not in self._followed_lines:
            self._followed_lines[match] = {}
            path = self._copy_file(match)
            try:
                for row in client_files.complete_rows(path):
                    answer = decode_document(row, CopyAnswer, str(path))
                    if answer.game == match:
                        self._add_answer(answer, "", from_disk=True).loaded_at = LONG_AGO
            except (StoreError, GameError):  # discard an invalid cache
                self._forget_lines(match)
                if self.keeps_copies:
                    with suppress(OSError):
                        path.unlink()
        return self._followed_lines[match]

    def _forget_lines(self, match: str, name: str = "") -> None:
        followed_lines = self._followed_lines.get(match, {})
        for line_name in [name] if name else [*followed_lines]:
            if followed_line := followed_lines.pop(line_name, None):
                self.mirror.drop_streams([followed_line.answer.stream])
                self._cached_lines.pop(followed_line.answer.stream, None)

    def _report_offline(self, error: UnreachableError) -> None:
        if not self.is_offline:
            self.is_offline = True
            self.notify(f"offline: {error.what}; this is the last state that you saw")


def table_of(answer: CopyAnswer) -> DealTable | None:
    """How a game was dealt, as the server says. Raises `DamagedError` for an invalid answer."""
    if answer.deal is None:
        return None
    try:
        return table_in(answer.deal)
    except ValueError as error:
        raise DamagedError(f"the deal of {answer.game} can't be understood", str(error)) from None


def tags_of(answer: CopyAnswer) -> dict[str, Tag]:
    """The tags of a game, as the server says. Raises `DamagedError` for an invalid answer."""
    stream_by_line = {line.name: line.stream for line in answer.lines}
    try:
        return {
            tag.name: Tag(stream_by_line[tag.line], bytes.fromhex(tag.digest), tag.by, tag.at) for tag in answer.tags
        }
    except (KeyError, ValueError) as error:
        raise DamagedError(f"the tags of {answer.game} can't be understood", str(error)) from None


def keys_of(answer: CopyAnswer) -> dict[Seat, tuple[Binding, ...]]:
    """The keys of seats, as the server says. Raises `DamagedError` for an invalid answer."""
    bindings_by_seat: dict[Seat, tuple[Binding, ...]] = {}
    for bound_seat in answer.bound:
        earlier_bindings = bindings_by_seat.get(bound_seat.seat, ())
        try:
            signatures = bytes.fromhex(bound_seat.signed), bytes.fromhex(bound_seat.proof)
        except ValueError:
            raise DamagedError(
                f"{answer.game} has invalid keys", f"{bound_seat.seat}: {bound_seat.signed[:16]}"
            ) from None
        binding: Binding = KeyChanged(bound_seat.seat, bound_seat.key, dict(bound_seat.since), *signatures)
        bindings_by_seat[bound_seat.seat] = (
            *earlier_bindings,
            binding if earlier_bindings else SeatBound(bound_seat.seat, bound_seat.key, dict(bound_seat.since)),
        )
    return bindings_by_seat


def _merge_bindings(known_seats: Sequence[BoundSeat], reported_seats: Sequence[BoundSeat]) -> tuple[BoundSeat, ...]:
    """The keys of an answer, with all known revisions from which they count, as lines may be hidden in an answer."""
    known_bindings = {(bound_seat.seat, number): bound_seat for number, bound_seat in enumerate(known_seats)}
    merged_bindings = []
    for number, bound_seat in enumerate(reported_seats):
        known_binding = known_bindings.get((bound_seat.seat, number))
        since_revisions = {
            **(known_binding.since if known_binding and known_binding.key == bound_seat.key else {}),
            **bound_seat.since,
        }
        merged_bindings.append(msgspec.structs.replace(bound_seat, since=since_revisions))
    return tuple(merged_bindings)


def without_entries(answer: CopyAnswer) -> CopyAnswer:
    """The answer without its entries."""
    heard_stream, noted_stream = (
        msgspec.structs.replace(stream, entries=()) if stream else None for stream in (answer.heard, answer.noted)
    )
    return msgspec.structs.replace(answer, entries=(), before="", more=False, heard=heard_stream, noted=noted_stream)
