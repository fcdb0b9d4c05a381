"""GameService: the only way to the games of a store. Every client plays, undoes, forks and asks through it.

Modules that only some calls need are imported in those calls, so that a command starts quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from event_store import Draft, EventStore
from zimcore.commits import Commit, Position
from zimcore.documents.listings import Audit, GameInfo, LineInfo, Operation
from zimcore.game import Command, Event, HiddenError, Refused, RefusedError, Seat, UnknownError
from zimcore.games.registry import GAMES
from zimcore.service.answers import Replay, Trial
from zimcore.service.asking import ONCE, Asked, asked_for
from zimcore.service.deciding import command_of, decided, set_up, tried
from zimcore.service.forms import register_names
from zimcore.service.names import (
    GameNamed,
    LineForgotten,
    LineNamed,
    LineRenamed,
    LineSwitched,
    Names,
    SeatBound,
    check_free,
    check_line,
    next_free,
)
from zimcore.service.open_lines import OpenLine, OpenLines, recorded_on
from zimcore.service.places import check_name, near, parse_place
from zimcore.service.proofs import Signer, check_key, proven
from zimcore.service.visibility import (
    TABLE,
    Viewer,
    check_is_played,
    check_may_play,
    check_may_play_at_all,
    check_may_write,
    check_no_peeking,
    commit_for,
    position_for,
    redealt,
    refusal_for,
    state_for,
)
from zimcore.service.writer import Writer, check_head, commutes, new_id, now

if TYPE_CHECKING:
    from zimcore.documents.keep import Loss, StreamFault
    from zimcore.service.certificates import Certificate
    from zimcore.service.rewriting import Keep
    from zimcore.service.witness import Witness


NO_KEYS: Mapping[Seat, str] = MappingProxyType({})
"""Where no seat is bound."""


class GameService:
    """Plays games in a store.

    A place is named by a text everywhere: `kilwa-7` (the head of the line that it began with), `kilwa-7/what-if`,
    `kilwa-7/main@12`, `kilwa-7@r4.zulu` (see `places`). Everybody has a current line of their own: `resolve` knows it.
    Methods raise `UnknownError` for what does not exist, `GameError` for what can't be read, and those of `event_store`
    (`ConflictError`, `StoreError`) as they are.

    All that writes takes a `command_id`: the same again, by the same person, gets the answer of the first time and does
    nothing; with another content, or by somebody else, it raises `TakenError`. And it takes what is `expected`, the
    digest of the head of its line as its user saw it (four hex digits or more): if the line has moved on since, it
    raises `ConflictError`. Ids are looked for first.

    A `viewer` is who looks: answers hide what they may not see, while commands are decided on the whole state. The
    default is the table, so that a caller who forgets the argument hides too much and never too little.

    Commands of a seat that is bound to a key are signed by the `signer`, which belongs to whoever gives them: a service
    has no keys.

    A service belongs to one thread; any number of services, in any number of processes, may share a store.
    """

    def __init__(
        self,
        store: EventStore,
        clock: Callable[[], datetime] = now,
        *,
        games: Mapping[str, str] = GAMES,
        ids: Callable[[], str] = new_id,
        signer: Signer | None = None,
    ) -> None:
        self.store = store
        self.kinds = games
        self.clock = clock
        self.signer = signer
        self._ids = ids
        self._writer = Writer(store, clock, ids)
        self._lines = OpenLines(store, games)
        register_names(store)

    def new(
        self,
        kind: str,
        options: Mapping[str, str],
        *,
        name: str = "",
        by: str,
        keys: Mapping[Seat, str] = NO_KEYS,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Sets up a game on a line called `main`; without a name it gets the next free one (`kilwa-7`).

        The option `seed` is a number; without it one is drawn. `keys` bind seats: see `bind`. Raises `OptionError`.
        """
        check_may_write(viewer, "new")
        asked = asked_for(command_id, "new", kind, sorted(options.items()), name, sorted(keys.items()))
        if made := self._lines.catalogue().made(by, asked):
            return self._begun(made.events, viewer)
        game = self._lines.load(kind)
        if name:
            check_name(name)
            check_free(name, self._lines.catalogue().games, "game")
        begun = set_up(game, options)
        seats = game.evolution.seats(begun.state)
        for seat, key in keys.items():
            check_key(seat, key, seats)
        beginning = next(iter(seats), kind)
        # The name is stored last: a crash before that leaves streams that nobody sees, never half a match.
        line, names = self._ids(), self._ids()
        self._writer.entry(line, -1, begun.events, by, parent=b"", state=begun.digest)
        self._writer.entry(names, -1, [LineNamed("main", line), *(SeatBound(*each, {}) for each in keys.items())], by)

        def choose(catalogue: Names) -> Sequence[Event]:
            check_free(name, catalogue.games, "game")
            return [GameNamed(name or next_free(beginning, catalogue.games), kind, names)]

        return self._begun(self._writer.names(self._lines.catalogue, choose, by, asked), viewer)

    def _begun(self, events: Iterable[msgspec.Struct], viewer: Viewer) -> Position:
        """The beginning of the game that got its name by these events."""
        named = next(event.name for event in events if isinstance(event, GameNamed))
        return self.position(f"{named}@start", viewer)

    def games(self, viewer: Viewer = TABLE, *, by: str = "") -> Sequence[GameInfo]:
        """All games, in the order they were begun, each as it stands on the current line of somebody."""
        from zimcore.service import listing

        return listing.games(self._lines, viewer, by)

    def game_names(self) -> Sequence[str]:
        """The names of all games: faster than a list of them, as no game is looked at."""
        return [*self._lines.intact()[0].games]

    def has_game(self, name: str) -> bool:
        """Whether there is a game of that name."""
        return name in self._lines.intact()[0].games

    def line_names(self, match: str) -> Sequence[str]:
        """The names of the lines of a game."""
        return [*self._lines.names(match).lines]

    def unnamed(self) -> Sequence[str]:
        """What of the catalogue is damaged: for each entry that can't be read a game has no name."""
        return [str(fault) for fault in self._lines.intact()[1]]

    def position(self, place: str, viewer: Viewer = TABLE) -> Position:
        """The position with that name."""
        found, digest = self._lines.find(place)
        return position_for(found.position(digest), viewer)

    def head(self, place: str, viewer: Viewer = TABLE) -> Position:
        """The position at the head of a line, where it can be played on. Raises `GameError` for any other position."""
        found = self._lines.at_head(place)
        return position_for(found.position(found.line.head), viewer)

    def parse(self, place: str, text: str, viewer: Viewer = TABLE, seat: Seat | None = None) -> tuple[Seat, Command]:
        """The command in a text, and who plays it: the seat that the text names, or else the one to move."""
        here = self.position(place, viewer)
        return command_of(here.game, here.state, text, seat)

    def play(
        self,
        place: str,
        text: str | Command,
        *,
        by: str,
        seat: Seat | None = None,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position | Refused:
        """Plays a command at the head of a line.

        A line that has moved on is no conflict where all that was played since commutes with the command. Raises
        `GameError` for a seat that the viewer may not play.
        """
        check_may_play_at_all(viewer, text)  # before anything is read that the answer could hang on
        found = self._lines.at_head(place)
        asked = asked_for(command_id, "play", seat, text)
        if made := found.made(by, asked):  # before all checks: the answer of a retry is that of the first attempt
            return position_for(found.answer(made), viewer)
        state = found.states.known(found.line.head)
        # Parsed against what the viewer knows: what a text may be short for must not depend on hidden cards.
        seat, command = command_of(found.game, state_for(found.game, state, viewer), text, seat)
        check_is_played(command)
        check_may_play(viewer, seat)
        if not commutes(found, expected, seat, command):
            check_head(found, expected, viewer)
        answer = decided(found.game, state, seat, command)
        if isinstance(answer, Refused):
            return refusal_for(found.game, state, seat, command, answer, viewer)
        bound = self._lines.bound(found.match).get(seat)
        prove = partial(proven, by, bound.key, signer=self.signer, seat=seat) if bound else None
        return position_for(self._writer.commit(found, answer, by, asked, prove), viewer)

    def bind(
        self, place: str, seat: Seat, key: str, *, by: str, command_id: str = "", viewer: Viewer = TABLE
    ) -> Position:
        """Binds a seat of a game to a key (public, hex): from now on each of its commands is signed, on all lines.

        That is for good: who holds the store could else unbind it. Raises `GameError` for a key that is none, a seat
        that the viewer may not play, `UnknownError` for one that is not there or bound already.
        """
        check_may_play(viewer, seat)
        found = self._lines.at_head(place)
        asked, names = asked_for(command_id, "bind", seat, key), self._lines.names(found.match)
        if not names.made(by, asked):
            check_key(seat, key, found.game.evolution.seats(found.states.known(found.line.head)))
            since = {stream: self._revision(stream) for stream in names.streams}
            self._name(found.match, SeatBound(seat, key, since), by, asked)
        return position_for(found.position(found.line.head), viewer)

    def _revision(self, stream: str) -> int:
        return max((entry.revision for entry in self.store.read(stream)), default=-1)

    def play_or_raise(
        self,
        place: str,
        text: str | Command,
        *,
        by: str,
        seat: Seat | None = None,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """The same for those who expect to be right: raises `RefusedError` where `play` answers `Refused`."""
        answer = self.play(place, text, by=by, seat=seat, expected=expected, command_id=command_id, viewer=viewer)
        if isinstance(answer, Refused):
            raise RefusedError(
                text if isinstance(text, str) else self._lines.at_head(place).game.notation.format(text), answer
            )
        return answer

    def try_(self, place: str, texts: Sequence[str | Command], viewer: Viewer = TABLE) -> Trial:
        """What playing these commands at a place would lead to, as far as the viewer can know; nothing is stored.

        It ends before the first command that is refused, or that depends on hidden information.
        """
        here = self.position(place, viewer)
        positions: list[Position] = []
        for text in texts:
            try:
                seat = viewer.seat if viewer.seat in here.to_move else None  # if several may act: the viewer's
                answer = tried(here, text, self.clock(), seat)
            except HiddenError as error:
                return Trial(tuple(positions), hidden=str(error))
            if isinstance(answer, Refused):
                return Trial(tuple(positions), answer)
            here = answer
            positions.append(here)
        return Trial(tuple(positions))

    def undo(
        self,
        place: str,
        steps: int = 1,
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Moves the head that many commits back."""
        check_may_write(viewer, "undo")
        asked = asked_for(command_id, "undo", steps)
        return self._move(self._lines.at_head(place), -steps, by, asked, expected, viewer)

    def redo(
        self,
        place: str,
        steps: int = 1,
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Moves the head forward again over commits that were undone."""
        check_may_write(viewer, "redo")
        asked = asked_for(command_id, "redo", steps)
        return self._move(self._lines.at_head(place), steps, by, asked, expected, viewer)

    def goto(
        self, place: str, *, by: str, expected: str | None = None, command_id: str = "", viewer: Viewer = TABLE
    ) -> Position:
        """Moves the head of the line to the position named."""
        check_may_write(viewer, "goto")
        named = parse_place(place)
        asked = asked_for(command_id, "goto", named.at)
        return self._move(self._lines.line(named.match, named.line), named.at, by, asked, expected, viewer)

    def _move(
        self, found: OpenLine, to: int | str, by: str, asked: Asked, expected: str | None, viewer: Viewer
    ) -> Position:
        """Moves a head by so many steps, or to a position."""
        if made := found.made(by, asked):
            return position_for(found.answer(made), viewer)
        check_head(found, expected, viewer)
        if isinstance(to, int):
            return position_for(self._writer.step(found, to, by, viewer, asked), viewer)
        return position_for(self._writer.move(found, self._lines.locate(found, to), by, viewer, asked), viewer)

    def fork(
        self,
        place: str,
        name: str,
        *,
        by: str,
        redeal: bool = False,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Begins a new line at the position named and makes it the current one of whoever forks.

        With `redeal` all that the viewer's seat does not know is dealt anew there, so that it can't peek.
        """
        check_may_write(viewer, "fork")
        check_name(name)
        named = parse_place(place)
        asked = asked_for(command_id, "fork", named.at, name, redeal)
        names = self._lines.names(named.match)
        if before := names.made(by, asked):
            return self._forked(self._lines.begun(named.match, before.events), asked, viewer)
        found, digest = self._lines.find(place)
        check_head(found, expected, viewer)
        check_free(name, names.lines, "line")
        dealt = []
        if redeal:
            again = redealt(found.game, found.states.known(digest), viewer)
            dealt = [(again.events, again.digest)]
        else:
            check_no_peeking(found.game, viewer, "fork", self._lines.parents(found))
        made = self._writer.begin_line(self._lines, (found, digest), name, dealt, by, viewer.seat or "", asked)
        return position_for(made.position(made.line.head), viewer)

    @staticmethod
    def _forked(found: OpenLine, asked: Asked, viewer: Viewer) -> Position:
        """The position in which a fork began."""
        dealt = [entry.digest for entry in found.line.asked.get(asked.id, ()) if entry.stream == found.line.stream]
        forked = found.line.forked
        assert forked, "it is a fork"
        return position_for(found.position(dealt[-1] if dealt else forked.commit), viewer)

    def amend(
        self,
        place: str,
        text: str | Command,
        *,
        by: str,
        name: str = "",
        expected: str | None = None,
        command_id: str = "",
        keep: Keep = "all",
        dry_run: bool = False,
        viewer: Viewer = TABLE,
    ) -> Replay | Refused:
        """Begins a new line in which the move at a place is replaced, and those after it are played again.

        A later command that is refused now is a conflict. `keep` says what is stored then: nothing (`all` or nothing),
        all the others (`skip`), or those before it (`stop`). The new line becomes the current one; without a name it
        is called `amend-12`. It answers `Refused` if the new command itself is refused. A retry gives what was stored,
        without the conflicts.
        """
        check_may_write(viewer, "amend")
        from zimcore.service import rewriting

        named = parse_place(place)
        check_no_peeking(self._lines.game(named.match), viewer, "amend")
        asked = ONCE if dry_run else asked_for(command_id, "amend", named.at, text, name, keep)
        how = rewriting.How(by, viewer, expected, asked, keep, dry_run)
        return rewriting.amend(self._writer, self._lines, place, text, name, how)

    def pick(
        self,
        place: str,
        source: str,
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        keep: Keep = "all",
        dry_run: bool = False,
        viewer: Viewer = TABLE,
    ) -> Replay:
        """Plays the commands of a range (`kilwa-7/what-if@4..7`) at the head of a line, in one transaction.

        Conflicts are as in `amend`.
        """
        check_may_write(viewer, "pick")
        from zimcore.service import rewriting

        check_no_peeking(self._lines.find(place)[0].game, viewer, "pick")
        asked = ONCE if dry_run else asked_for(command_id, "pick", source, keep)
        how = rewriting.How(by, viewer, expected, asked, keep, dry_run)
        return rewriting.pick(self._writer, self._lines, place, source, how)

    def lines(self, place: str, viewer: Viewer = TABLE, *, by: str = "") -> Sequence[LineInfo]:
        """The lines of the game of a place, in the order they were begun, with the current one of somebody."""
        from zimcore.service import listing

        match = parse_place(place).match
        current = self._lines.names(match).current(by, viewer.seat or "")
        found = listing.lines(self._lines, match, viewer)
        return [replace(info, current=info.name == current) for info in found]

    def switch(
        self, place: str, *, by: str, expected: str | None = None, command_id: str = "", viewer: Viewer = TABLE
    ) -> Position:
        """Makes a line the current one of whoever switches: at the viewer's seat, if there is one."""
        check_may_write(viewer, "switch")
        found, seat = self._lines.at_head(place), viewer.seat or ""
        asked, names = asked_for(command_id, "switch", found.name), self._lines.names(found.match)
        if not names.made(by, asked):
            check_head(found, expected, viewer)
            if asked.id or found.name != names.current(by, seat):
                self._name(found.match, LineSwitched(found.name, by, seat), by, asked)
        return position_for(found.position(found.line.head), viewer)

    def rename(
        self,
        place: str,
        name: str,
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Gives a line another name."""
        check_may_write(viewer, "rename")
        check_name(name)
        named, asked = parse_place(place), asked_for(command_id, "rename", name)
        made = self._lines.names(named.match).made(by, asked)
        if made:
            check_line(made, named.line)
        else:
            found = self._lines.at_head(place)
            check_head(found, expected, viewer)
            self._name(found.match, LineRenamed(found.name, name), by, asked)
        return self.position(f"{named.match}/{name}", viewer)

    def forget(
        self, place: str, *, by: str, expected: str | None = None, command_id: str = "", viewer: Viewer = TABLE
    ) -> Position:
        """Takes the name of a line away; its commits stay, and so do lines that were forked from it.

        Gives the position of the current line. Where anybody is, the name can't be taken away.
        """
        check_may_write(viewer, "forget")
        named = parse_place(place)
        asked = asked_for(command_id, "forget", named.line)
        if not self._lines.names(named.match).made(by, asked):
            found = self._lines.at_head(place)
            check_head(found, expected, viewer)
            self._name(found.match, LineForgotten(found.name), by, asked)
        return self._named(named.match, "", by, viewer)

    def _named(self, match: str, line: str, by: str, viewer: Viewer) -> Position:
        """The head of a line; without a name that of somebody's current one."""
        return self.position(f"{match}/{line or self._lines.names(match).current(by, viewer.seat or '')}", viewer)

    def _name(self, match: str, event: Event, by: str, asked: Asked) -> None:
        def choose(names: Names) -> Sequence[Event]:
            names.check(event)
            return [event]

        self._writer.names(lambda: self._lines.names(match), choose, by, asked)

    def operations(self, place: str) -> Sequence[Operation]:
        """All operations on a line and on the names of its match, first to last."""
        from zimcore.service import operations

        return operations.operations(self._lines, self._lines.at_head(place))

    def take_back(
        self,
        place: str,
        operation: str = "",
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Takes an operation back: the one whose id begins so, or the last one. That can be taken back in turn.

        Gives the position of the line then, or of the current line if that line has no name any more.
        """
        check_may_write(viewer, "take_back")
        from zimcore.service import operations

        named, asked = parse_place(place), asked_for(command_id, "take back", operation)
        names = self._lines.names(named.match)
        if before := names.made(by, asked):
            renamed = {event.name: event.to for event in before.events if isinstance(event, LineRenamed)}
            name = renamed.get(named.line, named.line or names.first)
            return self._named(named.match, name if name in names.lines else "", by, viewer)
        found = self._lines.at_head(place)
        if made := found.made(by, asked):
            return position_for(found.answer(made), viewer)
        check_head(found, expected, viewer)
        operations.take_back(self._writer, self._lines, found, operation, by, viewer, asked)
        names = self._lines.names(found.match)
        name = next((name for name, stream in names.lines.items() if stream == found.line.stream), "")
        return self._named(found.match, name, by, viewer)

    def log(self, place: str, *, all_: bool = False, viewer: Viewer = TABLE) -> Sequence[Commit]:
        """The commits on the way to a position, first to last; with `all_` the undone ones of the line too."""
        found, digest = self._lines.find(place)
        commits = found.every_commit() if all_ else found.commits(digest)
        return [commit_for(found.game, commit, viewer) for commit in commits]

    def marks(self, place: str) -> Sequence[str]:
        """The names of the positions of a line, first to last: `r4`, `r4.zulu`."""
        return [*self._lines.find(place)[0].states.marks()]

    def verify(self, place: str) -> Audit:
        """Checks the chain of a line, and decides every command again."""
        from zimcore.service import audit

        return audit.verify(self.store, self._lines, place)

    def verify_all(self, report: Callable[[int, int], None] = lambda done, of: None) -> Sequence[Audit]:
        """Verifies every line of every match, and reports how many matches are done, of how many."""
        from zimcore.service import audit

        return audit.verify_all(self.store, self._lines, report)

    def witness(self) -> Witness:
        """Where every stream of the store stands: kept elsewhere, it shows what was taken back. See `losses`."""
        from zimcore.service import witness

        return witness.write(self.store, self._lines, self.clock())

    def losses(self, since: Witness, report: Callable[[int, int], None] = lambda done, of: None) -> Sequence[Loss]:
        """What the store does not have any more of all that a witness saw."""
        from zimcore.service import witness

        return list(witness.losses(self.store, self._lines, since, report))

    def loss(self, place: str, certificate: Certificate) -> Loss | None:
        """What a line does not have any more of a certificate that was verified."""
        from zimcore.service import witness

        return witness.against(self._lines.find(place)[0], certificate)

    def check(self, report: Callable[[int, int], None] = lambda done, of: None) -> tuple[StreamFault, ...]:
        """Every fault of every stream of the store, whether a name leads to it or not; every command decided again."""
        from zimcore.service import upkeep

        return upkeep.check(self.store, self._lines, report)

    def certificate(self, place: str, viewer: Viewer = TABLE) -> Certificate:
        """The certificate of a line up to a position: a file that proves it without this store."""
        from zimcore.service import certificates

        found, digest = self._lines.find(place)
        check_no_peeking(found.game, viewer, "export", self._lines.parents(found))
        return certificates.issue(found, digest, self._lines.bound(found.match))

    def adopt(
        self,
        certificate: Certificate,
        place: str = "",
        *,
        by: str,
        as_recorded: bool = False,
        report: Callable[[int, int], None] = lambda done, of: None,
        viewer: Viewer = TABLE,
    ) -> Position:
        """Verifies a certificate, and stores it as a new line or game, with the same digests.

        What today's rules would not give is stored only `as_recorded`, which marks it for ever; see `recorded`.
        """
        check_may_write(viewer, "adopt")
        from zimcore.service import certificates

        where = certificates.adopt(
            self._writer, self._lines, certificate, place, by, as_recorded=as_recorded, report=report
        )
        return self.position(where, viewer)

    def recorded(self, place: str) -> str:
        """Whether a commit on the way to a position was imported though today's rules would not have given it.

        Empty if there is none; else which it is, who has imported it and when, and how the rules differ.
        """
        found, digest = self._lines.find(place)
        return recorded_on(found.line, self._lines.names(found.match).recorded, digest)

    def export(self, viewer: Viewer = TABLE) -> Iterator[bytes]:
        """The whole store as the lines of a file. Raises `DamagedError`."""
        from event_store import archive

        for kind in {named.kind for named in self._lines.intact()[0].games.values()}:
            check_no_peeking(self._lines.load(kind), viewer, "export")
        return archive.exported(self.store)

    def import_(
        self,
        lines: Iterable[bytes],
        report: Callable[[int, int], None] = lambda done, of: None,
        *,
        by: str,
        as_recorded: bool = False,
    ) -> int:
        """Stores the lines of an export, reports how far it has come, and gives how many entries there are.

        All of it is checked first, as `adopt` checks a certificate. Entries that are stored already stay as they are.
        Raises `DamagedError`, `FaultyError`, and `ConflictError` where the store has other entries in their place: then
        nothing is stored.
        """
        from zimcore.service import importing

        def draft(events: Sequence[Event]) -> Draft:
            return self._writer.draft(events, by)

        return importing.imported(self._lines, lines, draft, as_recorded=as_recorded, report=report)

    def current_line(self, place: str, *, by: str, viewer: Viewer = TABLE) -> str:
        """A place with its line: where it names none, the current one of somebody. Raises `UnknownError`."""
        named = parse_place(place)
        if named.line:
            return place
        names = self._lines.names(named.match)
        line = names.current(by, viewer.seat or "")
        return place if line == names.first else str(replace(named, line=line))

    def resolve(self, text: str, current: str = "") -> str:
        """The full name of a place that may be a short one (`@12`, `what-if@12`), seen from a current place."""
        here = parse_place(current).match if current else ""
        lines = self._lines.names(here).lines if here else {}
        found, games = parse_place(text, current, lines), self._lines.intact()[0].games
        if here and not found.line and found.match not in games:
            what = f"there is no game and no line of {here} called {found.match!r}"
            raise UnknownError(what, "", near(found.match, [*games, *lines]))
        return str(found)
