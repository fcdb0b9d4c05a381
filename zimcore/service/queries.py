"""Queries: the read half of the service, for positions, lists and proofs. They change no game.

Modules that only some methods need are imported there, so that a command starts quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from event_store import DamagedError, EventStore, StoreError
from zimcore.commits import Commit, Position
from zimcore.documents.discussion import Remark
from zimcore.documents.listings import Audit, GameInfo, LineInfo, Operation, TagInfo
from zimcore.game import Command, Game, GameError, HiddenError, Refused, Seat, UnknownError
from zimcore.service.lines.line_repository import LineRepository, LoadedLine, recorded_deviation
from zimcore.service.lines.visibility import (
    SPECTATOR,
    TABLE,
    Viewer,
    check_no_peeking,
    commit_for,
    position_for,
    remarks_for,
)
from zimcore.service.records.deciding import read_command, try_command
from zimcore.service.records.discussion import Discussion
from zimcore.service.records.event_registration import register_service_events
from zimcore.service.records.idempotency import IdempotencyKey
from zimcore.service.records.memberships import Members
from zimcore.service.records.names import Names
from zimcore.service.records.places import Place, parse_place, suggest_names
from zimcore.service.records.results import LineVersion, News, Trial
from zimcore.toolkit.progress import ReportProgress, ignore_progress

if TYPE_CHECKING:
    from zimcore.documents.copies import DiscussionCopy
    from zimcore.documents.discussion import OrdersAnswer
    from zimcore.documents.leagues import LeagueAnswer, LeagueInfo
    from zimcore.documents.storage import Loss, StreamFault
    from zimcore.service.lines.clocks import Clock
    from zimcore.service.lines.copies import LineCopy
    from zimcore.service.proofs.certificates import Certificate
    from zimcore.service.proofs.witness import Witness
    from zimcore.service.proofs.witness_log import Record
    from zimcore.service.writing.archiving import GameContents


class Queries:
    """Reads the games of a store, as a viewer may see them: see `GameService`."""

    def __init__(
        self,
        store: EventStore,
        clock: Callable[[], datetime],
        games: Mapping[str, str],
        repository: LineRepository | None = None,
    ) -> None:
        self.store = store
        self.kinds = games
        self.clock = clock
        self._repository = repository or LineRepository(store, games)
        register_service_events(store)

    @property
    def url(self) -> str:
        """The URL of the store, without its password."""
        return self.store.url

    def check_exists(self, *hints: str) -> None:
        """Raises `StoreError` with these hints if the store does not exist: its name may be mistyped."""
        if not self.store.exists():
            raise StoreError(f"there is no store {self.url}", "nothing is kept there yet", hints)

    def seen_as(self, place: str, viewer: Viewer) -> Viewer:
        """The viewer to use at a place: one who knows all where nothing is hidden any more.

        Each method that takes a viewer calls this first.
        """
        return viewer if viewer.sees_all or self.hides(place) else replace(viewer, knows=True)

    def position(self, place: str, viewer: Viewer = TABLE) -> Position:
        """The position that a place names."""
        viewer = self.seen_as(place, viewer)
        loaded_line, digest = self._repository.find(place)
        return position_for(loaded_line.position(digest), viewer)

    def head(self, place: str, viewer: Viewer = TABLE) -> Position:
        """The position at the head of a line, where you can play. Raises `GameError` for any other position."""
        viewer = self.seen_as(place, viewer)
        loaded_line = self._repository.line_at_head(place)
        return position_for(loaded_line.position(loaded_line.line.head), viewer)

    def parse(self, place: str, text: str, viewer: Viewer = TABLE, seat: Seat | None = None) -> tuple[Seat, Command]:
        """The seat and the command of a text. The seat is the one that the text names, or else the one to move."""
        position = self.position(place, viewer)
        return read_command(position.game, position.state, text, seat)

    def try_(self, place: str, texts: Sequence[str | Command], viewer: Viewer = TABLE) -> Trial:
        """Tries commands at a place without storing anything, as far as the viewer can know the result.

        Stops before the first command that is refused or depends on hidden information.
        """
        viewer = self.seen_as(place, viewer)
        position = self.position(place, viewer)
        positions: list[Position] = []
        for text in texts:
            try:
                seat = viewer.seat if viewer.seat in position.to_move else None  # if several may act: the viewer's
                answer = try_command(position, text, self.clock(), seat)
            except HiddenError as error:
                return Trial(tuple(positions), hidden=str(error))
            if isinstance(answer, Refused):
                return Trial(tuple(positions), answer)
            position = answer
            positions.append(position)
        return Trial(tuple(positions))

    def log(self, place: str, *, all_: bool = False, viewer: Viewer = TABLE) -> Sequence[Commit]:
        """The commits on the path to a position, oldest first; with `all_` also the undone ones of the line."""
        viewer = self.seen_as(place, viewer)
        loaded_line, digest = self._repository.find(place)
        commits = loaded_line.every_commit() if all_ else loaded_line.commits(digest)
        return [commit_for(loaded_line.game, commit, viewer) for commit in commits]

    def log_of_lines(self, match: str, names: Iterable[str], viewer: Viewer = TABLE) -> Sequence[Commit]:
        """The commits of several lines of a game, undone ones too, each once, in the order in which they were made."""
        game, commits = self._repository.game(match), dict[bytes, Commit]()
        with self.store.snapshot_read():
            match_names = self._repository.names(match)
            name_by_stream = {match_names.find_line(name)[1]: name for name in names}
            for stream in self.store.prefetch_in_turn([*name_by_stream]):
                name = name_by_stream[stream]
                line_viewer, loaded_line = self.seen_as(f"{match}/{name}", viewer), self._repository.line(match, name)
                for digest in [digest for digest in loaded_line.line.commits if digest not in commits]:
                    commits[digest] = commit_for(game, loaded_line.commit(digest), line_viewer)
        return sorted(commits.values(), key=lambda commit: (commit.at, commit.number))

    def marks(self, place: str) -> Sequence[str]:
        """The marks of a line (`r4`, `r4.zulu`), first to last, after its tags."""
        return [*self._repository.named_commits(self._repository.find(place)[0])]

    def tags(self, match: str) -> Sequence[TagInfo]:
        """The tags of a game, oldest first."""
        from zimcore.service.writing import listing

        return listing.list_tags(self._repository, match)

    def news(self, place: str, after: int, viewer: Viewer = TABLE) -> Sequence[News]:
        """The changes of a line after a revision: commits and moves of its head, oldest first."""
        viewer = self.seen_as(place, viewer)
        loaded_line = self._repository.line_at_head(place)
        line, known_revision = loaded_line.line, -1
        if after < line.revision:
            # Read again only from the line's last known commit on, which is where an entry ends.
            own_commits = (each for each in reversed(line.commits.values()) if each.stream == line.stream)
            known_revision = next((each.revision for each in own_commits if each.revision <= after), -1)
        # Entries that others have written since the line was read are left for the next call.
        new_entries = self.store.read(line.stream, after=known_revision) if after < line.revision else ()
        return [
            News(entry.revision, entry.seal.at, entry.is_commit, position_for(loaded_line.position(head), viewer))
            for entry in new_entries
            if after < entry.revision <= line.revision
            for head in (loaded_line.head_after(entry),)
        ]

    def revision(self, place: str) -> int:
        """The last revision of a line, as in `News`."""
        return self._repository.line_at_head(place).line.revision

    def version(self, place: str) -> LineVersion:
        """The digest of the position that a place names, and the version of everything that is known of it.

        Builds no position: two answers of the same version about the same place are the same.
        """
        loaded_line, digest = self._repository.find(place)
        names = self._repository.known_names(loaded_line.match)
        return LineVersion(
            digest.hex(), names.stream, names.revision, loaded_line.line.stream, loaded_line.line.revision
        )

    def games(
        self,
        viewer: Viewer = TABLE,
        *,
        by: str = "",
        only: Collection[str] | None = None,
        report: ReportProgress = ignore_progress,
    ) -> Sequence[GameInfo]:
        """All games, or `only` these, oldest first, each on the current line of the person `by`."""
        from zimcore.service.writing import listing

        return listing.list_games(self._repository, viewer, by, only, report)

    def prefetch(self, match: str) -> None:
        """Within a snapshot read of the store: prefetches in one round trip what most requests about a game read."""
        self._repository.prefetch(match)

    def members(self, match: str) -> Members:
        """The members of a served game. Raises `UnknownError`."""
        return self._repository.names(match).members

    def players(self, match: str) -> Mapping[Seat, str] | None:
        """The player at each taken seat of a served game, by name; None where that is not known."""
        members = self.members(match)
        return {seat: grant.name for seat in members.token_ids if (grant := members.token_at(seat))}

    def members_and_lines(self, match: str) -> tuple[Members, Sequence[str]]:
        """The members of a game and the names of its lines, read at the same moment."""
        names = self._repository.names(match)
        return names.members, [*names.lines]

    def accounts(self) -> Members:
        """The people who may start games on a server."""
        return self._repository.accounts().members

    def match_of(self, stream: str) -> str:
        """The game with this stream of names; "" if there is none."""
        return self._repository.match_of(stream)

    def stream_of(self, match: str) -> str:
        """The stream of names of a game. Raises `UnknownError`."""
        return self._repository.find_match(match).game

    def games_hosted_by(self, host: str) -> Sequence[str]:
        """The names of the games of a host, oldest first."""
        return [match for match, members in self._members() if members.host == host]

    def games_played_by(self, account: str) -> Sequence[str]:
        """The names of the games with a seat that belongs to an account, oldest first."""
        return [match for match, members in self._members() if account in members.account_by_seat.values()]

    def public(self) -> Sequence[str]:
        """The names of the games that anyone may watch, oldest first."""
        return [match for match, members in self._members() if members.public]

    def reasons_unlisted(self) -> Sequence[str]:
        """Why games may be missing from a host's list: for each damaged game that can't be read, the reason."""
        unread_count = len(self._repository.readable_catalogue()[0].games) - len(self._loaded_names())
        return [*self.damaged_names(), *["the names in a game can't be read"] * unread_count]

    def _members(self) -> Iterator[tuple[str, Members]]:
        return ((each.match, each.members) for each in self._loaded_names())

    def _loaded_names(self) -> Sequence[Names]:
        """The names of each game that can be read."""
        from zimcore.service.lines import line_projections

        games = self._repository.readable_catalogue()[0].games.values()
        return [*line_projections.load_names(self.store, {each.game: each.name for each in games}).values()]

    def names(self, match: str) -> Names:
        """The names of a game: its lines, current lines, keys, bots and members. Raises `UnknownError`."""
        return self._repository.names(match)

    def begin_time(self, match: str) -> datetime:
        """When a game was started."""
        return self._repository.readable_catalogue()[0].start_times[match]

    def talk(self, match: str, *, by: str, whose: str = "", viewer: Viewer = TABLE) -> Sequence[Remark]:
        """The messages of a game, oldest first, with the private notes of one person.

        The notes are those of `by`, or of `whose` where names do not identify people (a server's token id).
        """
        repository = self._repository
        return remarks_for(repository.discussion(match), repository.discussion(match, whose or by), viewer)

    def discussion(self, match: str, whose: str = "") -> Discussion:
        """The discussion of a game: the public one, or the private one of a person (by `whose`, as in `talk`)."""
        return self._repository.discussion(match, whose)

    def due(self, match: str) -> Mapping[Seat, Clock]:
        """The clocks of the seats that are to move in a match; empty if its host has set no pace."""
        names = self._repository.names(match)
        if not names.members.terms.pace or not names.lines or names.members.ended:
            return {}
        from zimcore.service.lines import clocks

        return clocks.clocks_of_line(self._repository.line(match), names.members)

    def orders(self, place: str, seat: Seat, viewer: Viewer = TABLE) -> OrdersAnswer:
        """The standing orders of a seat. Raises `GameError` for a seat that is not the viewer's."""
        from zimcore.service.social import standing_orders

        match = parse_place(place).match
        loaded_line = self._repository.line(match)
        standing_orders.check_seat(loaded_line, seat, viewer)
        return standing_orders.orders_answer(
            loaded_line.game, match, seat, standing_orders.orders_discussion(self._repository, match, seat)
        )

    def leagues(self) -> Sequence[LeagueInfo]:
        """The leagues of the store, oldest first."""
        from zimcore.service.social import league_commands

        return league_commands.league_infos(self._repository)

    def league(self, name: str) -> LeagueAnswer:
        """A league: standings, rounds and history. Raises `UnknownError`."""
        from zimcore.service.social import league_commands

        return league_commands.league_answer(self._repository, name)

    def copy_discussion(self, match: str, whose: str, after: int) -> DiscussionCopy | None:
        """The entries of a discussion after a revision, for a copy of it: the public one, or that of `whose`."""
        from zimcore.service.lines import copies

        return copies.copy_discussion(self._repository, match, whose, after)

    def copy(self, place: str, after: int, seat: Seat | None, most: int = 2000) -> LineCopy:
        """The entries of a line after a revision (-1 for all), for a copy of it, redacted for a seat (None: whole).

        There are `most` in one answer; a client that needs more asks again.
        """
        from zimcore.service.lines import copies

        return copies.copy_line(self._repository, self._repository.line_at_head(place), after, seat, most)

    def hides(self, place: str) -> bool:
        """Whether a line still has hidden information: see `check_no_peeking`."""
        if self.game(parse_place(place).match).secrets is None:
            return False
        loaded_line = self._repository.find(place)[0]
        try:
            check_no_peeking(loaded_line.game, SPECTATOR, "this", lambda: self._repository.are_over(loaded_line))
        except GameError:
            return True
        return False

    def seat_at(self, place: str) -> Seat:
        """The viewer's seat at a place; always "" here, as each command names its seat."""
        del place
        return ""

    def role_at(self, place: str) -> str:
        """The caller's role at a place; always "keyboard" here: people who share it may play every seat."""
        del place
        return "keyboard"

    def may_have_changed(self, place: str) -> bool:
        """Whether a line may have changed since the last call. Always true here: reading a local store is cheap."""
        del place
        return True

    @property
    def offline_reason(self) -> str:
        """Why the server can't be reached while reads use a local copy; always "" for a store on this machine."""
        return ""

    def game_names(self, *, archived: bool = True) -> Sequence[str]:
        """The names of all games. Faster than `games`, as no game is read."""
        catalogue = self._repository.readable_catalogue()[0]
        return [name for name in catalogue.games if archived or name not in catalogue.archived_names]

    def deleted_games(self) -> Sequence[str]:
        """The names of deleted games, which can be restored."""
        return [*self._repository.readable_catalogue()[0].deleted_games]

    def contents(self, place: str) -> GameContents:
        """How much is stored of a game, deleted or not."""
        from zimcore.service.writing import archiving

        return archiving.count_contents(self._repository, archiving.game_in(self._repository, place))

    def game(self, match: str) -> Game:
        """The game (rules, notation, display) of a match. Raises `UnknownError`."""
        return self._repository.game(match)

    def game_of(self, kind: str) -> Game:
        """The game of a kind, even if the store has no match of it. Raises `GameError`."""
        return self._repository.load_game(kind)

    def has_game(self, name: str) -> bool:
        """Whether there is a game with this name."""
        return self._repository.has_match(name)

    def damaged_names(self) -> Sequence[str]:
        """The damaged entries of the catalogue, in words. Each may have named a game, which can't be found then."""
        return [str(fault) for fault in self._repository.readable_catalogue()[1]]

    def lines(self, place: str, viewer: Viewer = TABLE, *, by: str = "") -> Sequence[LineInfo]:
        """The lines of a place's game, oldest first; the current line of the person `by` is marked."""
        from zimcore.service.writing import listing

        match = parse_place(place).match
        current_name = self._repository.names(match).current_line(by, viewer.seat or "")
        infos = listing.list_lines(self._repository, match, viewer)
        return [replace(info, current=info.name == current_name) for info in infos]

    def line_names(self, match: str) -> Sequence[str]:
        """The names of the lines of a game."""
        return [*self._repository.names(match).lines]

    def bots(self, place: str) -> Mapping[Seat, str]:
        """The programs that play a line (by default the game's first one), by seat.

        Uses the names as they were last read.
        """
        parsed_place = parse_place(place)
        return self._repository.known_names(parsed_place.match).bots_on(parsed_place.line)

    def operations(self, place: str) -> Sequence[Operation]:
        """All operations on a line and on the names of its match, oldest first."""
        from zimcore.service.writing import operations

        return operations.operation_documents(self._repository, self._repository.line_at_head(place))

    def current_line(self, place: str, *, by: str, viewer: Viewer = TABLE) -> str:
        """A place with its line filled in: by default the current line of the person `by`. Raises `UnknownError`.

        It is the one that they switched to last, from whatever seat, else the first line, whose name is left out.
        """
        parsed_place = parse_place(place)
        if parsed_place.line:
            return place
        names = self._repository.names(parsed_place.match)
        return self._place_on_current_line(parsed_place, names, by, viewer)

    def _place_on_current_line(self, parsed_place: Place, names: Names, by: str, viewer: Viewer) -> str:
        line = names.current_line(by, viewer.seat or "")
        if parsed_place.position in names.tags and (
            tagged_line := self._repository.tagged_line(parsed_place.match, parsed_place.position, line)
        ):
            line = tagged_line.name
        return str(parsed_place if line == names.first_line else replace(parsed_place, line=line))

    def position_of_id(self, place: str, command_id: str, viewer: Viewer = TABLE) -> Position | None:
        """The position after the first commit made with a command id on a line, by whatever author; None for a new id.

        The line may have been renamed since.
        """
        loaded_line = self._repository.line_at_head(place, IdempotencyKey(command_id))
        entry = next(iter(loaded_line.line.by_command_id.get(command_id, ())), None)
        if not (entry and entry.is_commit):
            return None
        return position_for(loaded_line.position(entry.digest), self.seen_as(loaded_line.place, viewer))

    def places_of_id(self, place: str, command_id: str, *, by: str, viewer: Viewer = TABLE) -> Sequence[str]:
        """The places that an implied line may have meant when the person `by` used a command id first.

        `place` is on the line that is implied now. Empty for an id that the person has not used in this game.
        """
        parsed_place = replace(parse_place(place), line="")
        names, places = self._repository.names(parsed_place.match), list[str]()
        if (entry := names.by_command_id.get(command_id)) and entry.seal.by == by:
            names_then = names.names_before(entry, self.store)
            places.append(self._place_on_current_line(parsed_place, names_then, by, viewer))
        lines = self._readable_lines(names) if by in names.chosen_lines else ()  # others are on the first line
        line_names = [each.name for each in lines if each.has_own_request(command_id, by)]
        discussions = (self._repository.discussion(parsed_place.match, owner) for owner in ("", by))
        if any((entry := each.by_command_id.get(command_id)) and entry.seal.by == by for each in discussions):
            line_names += [*names.lines, *names.former_names]  # the request names its line, the entry does not
        places += [str(replace(parsed_place, line=name * (name != names.first_line))) for name in line_names]
        return [place, *places] if places else []

    def _readable_lines(self, names: Names) -> Iterator[LoadedLine]:
        for name in [*names.lines]:
            with suppress(DamagedError):  # a damaged line must not stop play on the others
                yield self._repository.line(names.match, name)

    def resolve(self, text: str, current: str = "") -> str:
        """The full name of a place that may be short (`@12`, `what-if@12`), given the current place."""
        current_match = parse_place(current).match if current else ""
        current_lines = self._repository.names(current_match).lines if current_match else {}
        place = parse_place(text, current, current_lines)
        if current_match and not place.line and place.match != current_match and not self.has_game(place.match):
            what = f"there is no game and no line of {current_match} called {place.match!r}"
            raise UnknownError(
                what, "", suggest_names(place.match, [*self._repository.readable_catalogue()[0].games, *current_lines])
            )
        return str(place)

    def verify(self, place: str, *, by: str = "", viewer: Viewer = TABLE) -> Audit:
        """Checks the chain of a line, by default the current one of `by`, and decides every command again."""
        from zimcore.service.proofs import audit

        return audit.verify_place(self.store, self._repository, place, by, viewer.seat or "")

    def verify_all(self, report: ReportProgress = ignore_progress) -> Sequence[Audit]:
        """Verifies every line of every match. `report` gets the number of matches done and the total."""
        from zimcore.service.proofs import audit

        with self.store.snapshot_read():  # a store of many forks has many streams: don't ask before each what is new
            return audit.verify_all(self.store, self._repository, report)

    def check(self, report: ReportProgress = ignore_progress) -> tuple[StreamFault, ...]:
        """Every fault of every stream, even of streams without a name. Every command is decided again."""
        from zimcore.service.care import maintenance

        return maintenance.find_faults(self.store, self._repository, report)

    def witness(self) -> Witness:
        """The heads of all streams. A witness that is kept elsewhere shows a rewritten history: see `losses`."""
        from zimcore.service.proofs import witness

        return witness.make_witness(self.store, self._repository, self.clock())

    def losses(self, since: Witness, report: ReportProgress = ignore_progress) -> Sequence[Loss]:
        """What the store has lost since a witness was written."""
        from zimcore.service.proofs import witness

        return list(witness.find_losses(self.store, self._repository, since, report))

    def log_losses(self, records: Sequence[Record], report: ReportProgress = ignore_progress) -> Sequence[Loss]:
        """What the store has lost since any record of a log of witnesses, or had differently at one of them."""
        from zimcore.service.proofs import witness_log

        return list(witness_log.find_losses(self.store, self._repository, records, report))

    def loss(self, place: str, certificate: Certificate) -> Loss | None:
        """What a line lacks of a verified certificate; None if it has all of it."""
        from zimcore.service.proofs import witness

        return witness.find_loss_in_line(self._repository.find(place)[0], certificate)

    def recorded_deviation(self, place: str) -> str:
        """The commit on the path to a position that was imported although today's rules would not give it, in words.

        Says which commit it is, who imported it and when, and how the rules differ; "" if there is none.
        """
        loaded_line, digest = self._repository.find(place)
        return recorded_deviation(
            loaded_line.line, self._repository.names(loaded_line.match).recorded_deviations, digest
        )

    def site_links(self, place: str) -> Mapping[str, str]:
        """The address of each position of a line (by its digest) on the site that the match was recorded on."""
        from zimcore.service.writing import recording

        loaded_line = self._repository.find(place)[0]
        return recording.site_links(loaded_line, self._repository.discussion(loaded_line.match))

    def certificate(self, place: str, viewer: Viewer = TABLE) -> Certificate:
        """The certificate of a line up to a position: a file that proves the line without this store."""
        from zimcore.service.proofs import certificates

        viewer = self.seen_as(place, viewer)
        loaded_line, digest = self._repository.find(place)
        check_no_peeking(loaded_line.game, viewer, "export", lambda: self._repository.are_over(loaded_line))
        return certificates.issue_certificate(loaded_line, digest, self._repository.names(loaded_line.match))

    def export(self, viewer: Viewer = TABLE) -> Iterator[bytes]:
        """Exports the whole store as the lines of a file, without private streams. Raises `DamagedError`."""
        from event_store import export
        from zimcore.service.records.discussion import is_private

        self.check_may_copy(viewer, "export")
        return export.export_lines(self.store, is_private)

    def check_may_copy(self, viewer: Viewer, what: str) -> None:
        """Raises `GameError` if a copy of the whole store would show hidden information, even of deleted games."""
        if viewer.sees_all:
            return
        catalogue = self._repository.readable_catalogue()[0]
        for kind in {each.kind for each in (*catalogue.games.values(), *catalogue.deleted_games.values())}:
            check_no_peeking(self._repository.load_game(kind), viewer, what)
