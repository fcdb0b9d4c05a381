"""GameService: the one door. Every client plays, undoes, forks and asks through it, and it alone appends.

What only some calls need is imported late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from event_store import Entry, EventStore
from zimcore.game import Command, Event, Refused, Seat, UnknownError
from zimcore.games.registry import GAMES
from zimcore.games.registry import game as load_game
from zimcore.service import heads
from zimcore.service.answers import Audit, Commit, GameInfo, LineInfo, Operation, Position, Replay, Trial
from zimcore.service.appending import Appender, new_id, now
from zimcore.service.deciding import command_of, decided, set_up, state_digest, tried
from zimcore.service.forms import register
from zimcore.service.names import (
    GameNamed,
    LineForgotten,
    LineNamed,
    LineRenamed,
    LineSwitched,
    Names,
    check_free,
    next_free,
)
from zimcore.service.open_lines import OpenLines
from zimcore.service.places import check_name, near, parse_place
from zimcore.service.seeing import check_no_peeking, seen_commit, seen_position, seen_refusal, seen_state

if TYPE_CHECKING:
    from zimcore.service.certificates import Certificate
    from zimcore.service.rewriting import Keep


class GameService:
    """Plays games in a store.

    A place is named by a text everywhere: `kilwa-7` (the head of its current line), `kilwa-7/what-if`,
    `kilwa-7/main@12`, `kilwa-7@r4.zulu` (see `places`). Methods raise `UnknownError` for what is not there,
    `GameError` for what can't be read, and the errors of `event_store` (`ConflictError`, `StoreError`) as they are.

    `eyes` are whoever looks: None sees all, a seat what its player knows, "" what everybody does. Answers are as these
    eyes may see them; what is played is decided with all there is.

    A service belongs to one thread; any number of services, in any number of processes, may share a store.
    """

    def __init__(
        self,
        store: EventStore,
        clock: Callable[[], datetime] = now,
        *,
        games: Mapping[str, str] = GAMES,
        ids: Callable[[], str] = new_id,
        eyes: Seat | None = None,
    ) -> None:
        self.store = store
        self.eyes = eyes
        self.kinds = games
        self.clock = clock
        self._ids = ids
        self._append = Appender(store, clock, ids)
        self._lines = OpenLines(store, games)
        register(store, games)

    def new(self, kind: str, options: Mapping[str, str], *, name: str = "", by: str) -> Position:
        """Sets up a game on a line called `main`; without a name it gets the next free one (`kilwa-7`).

        The option `seed` is a number; without it one is drawn. Raises `OptionError`.
        """
        rules = load_game(kind, self.kinds)
        if name:
            check_name(name)
            check_free(name, self._lines.catalogue().games, "game")
        state, events = set_up(rules, options)
        beginning = next(iter(rules.seats(state)), kind)
        # The name comes last: until all of the game is there, nothing of it is seen.
        line, game = self._ids(), self._ids()
        self._append.entry(line, -1, events, by, parent=b"", state=state_digest(rules, state))
        self._append.entry(game, -1, [LineNamed("main", line)], by)

        def choose(names: Names) -> Sequence[Event]:
            check_free(name, names.games, "game")
            return [GameNamed(name or next_free(beginning, names.games), kind, game)]

        self._append.names(self._lines.catalogue, choose, by)
        named = next(each.name for each in self._lines.catalogue().games.values() if each.game == game)
        return self.position(named)

    def games(self) -> Sequence[GameInfo]:
        """All games, in the order they were begun."""
        from zimcore.service import listing

        return listing.games(self._lines)

    def position(self, place: str) -> Position:
        """The position with that name."""
        found, digest = self._lines.find(place)
        return self._seen(found.position(digest))

    def head(self, place: str) -> Position:
        """The position where a line can be played on. Raises `GameError` for the name of any other position."""
        found = self._lines.at_head(place)
        return self._seen(found.position(found.line.head))

    def _seen(self, found: Position) -> Position:
        return seen_position(found, self.eyes)

    def parse(self, place: str, text: str) -> tuple[Seat, Command]:
        """The command in a text, and who is to play it: the seat that it names, or else whose turn it is."""
        here = self.position(place)
        return command_of(here.rules, here.state, text)

    def play(
        self,
        place: str,
        text: str | Command,
        *,
        by: str,
        seat: Seat | None = None,
        expected: str | None = None,
        command_id: str = "",
    ) -> Position | Refused:
        """Plays a command at the head of a line.

        `expected` is the digest of the head that the player saw; when the line has moved on, `ConflictError`.
        A command id that the line already holds gives the commit that it made: a retry never plays twice.
        """
        found = self._lines.at_head(place)
        if made := found.made_by(command_id):
            return self._seen(found.position(made[-1]))
        heads.check_head(found, expected)
        state = found.states.at(found.line.head)
        seat, command = command_of(found.rules, seen_state(found.rules, state, self.eyes), text, seat)
        events = decided(found.rules, state, seat, command)
        if isinstance(events, Refused):
            return seen_refusal(found.rules, state, seat, command, events, self.eyes)
        parent, digest = found.line.head, state_digest(found.rules, state)
        stream, revision = found.line.stream, found.line.revision

        def write() -> Entry:
            return self._append.entry(stream, revision, events, by, parent=parent, state=digest, id=command_id)

        return self._seen(found.position(heads.extend(self._append, found, write).digest))

    def try_(self, place: str, texts: Sequence[str | Command]) -> Trial:
        """What playing these commands at a place would lead to, up to the first that is refused; nothing is stored."""
        here = self.position(place)
        positions: list[Position] = []
        for text in texts:
            answer = tried(here, text, self.clock())
            if isinstance(answer, Refused):
                return Trial(tuple(positions), answer)
            here = answer
            positions.append(here)
        return Trial(tuple(positions))

    def undo(self, place: str, steps: int = 1, *, by: str) -> Position:
        """Moves the head that many commits back."""
        return self._seen(heads.step(self._append, self._lines.at_head(place), -steps, by, self.eyes))

    def redo(self, place: str, steps: int = 1, *, by: str) -> Position:
        """Moves the head forward again over what was undone."""
        return self._seen(heads.step(self._append, self._lines.at_head(place), steps, by, self.eyes))

    def goto(self, place: str, *, by: str) -> Position:
        """Moves the head of the line to the position named."""
        return self._seen(heads.move(self._append, *self._lines.find(place), by, self.eyes))

    def fork(self, place: str, name: str, *, by: str, redeal: bool = False) -> Position:
        """Begins a new line at the position named and makes it the current one.

        With `redeal` what the seat that looks does not know is dealt anew there, so that it can't peek.
        """
        check_name(name)
        found, digest = self._lines.find(place)
        check_free(name, self._lines.names(found.game).lines, "line")
        dealt = []
        if redeal:
            from zimcore.service import redealing

            dealt = [redealing.redealt(found.rules, found.states.at(digest), self.eyes)]
        else:
            check_no_peeking(found.rules, self.eyes, "fork")
        made = heads.begin_line(self._append, self._lines, (found, digest), name, dealt, by)
        return self._seen(made.position(made.line.head))

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
    ) -> Replay | Refused:
        """Begins a new line in which the move at a place is another one, and those after it are played again.

        Where one of those no longer stands it is a conflict. What is kept then is nothing, `skip` all that still
        stand, `stop` what came before it. The new line becomes the current one; without a name it is called
        `amend-12`. Refused is the new command itself. `expected` and `command_id` are as in `play`; a retry gives what
        was made, without the conflicts.
        """
        from zimcore.service import rewriting

        check_no_peeking(self._lines.find(place)[0].rules, self.eyes, "amend")
        how = rewriting.How(by, expected, command_id, keep, dry_run)
        return rewriting.amend(self._append, self._lines, place, text, name, how)

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
    ) -> Replay:
        """Plays the commands of a range (`kilwa-7/what-if@4..7`) at the head of a line, all at once.

        Conflicts are as in `amend`, `expected` and `command_id` too.
        """
        from zimcore.service import rewriting

        check_no_peeking(self._lines.find(place)[0].rules, self.eyes, "pick")
        how = rewriting.How(by, expected, command_id, keep, dry_run)
        return rewriting.pick(self._append, self._lines, place, source, how)

    def lines(self, place: str) -> Sequence[LineInfo]:
        """The lines of the game of a place, in the order they were begun."""
        from zimcore.service import listing

        return listing.lines(self._lines, parse_place(place).game)

    def switch(self, place: str, *, by: str) -> Position:
        """Makes a line the current one of its game."""
        found = self._lines.at_head(place)
        if found.name != self._lines.names(found.game).current:
            self._name(found.game, LineSwitched(found.name), by)
        return self._seen(found.position(found.line.head))

    def rename(self, place: str, name: str, *, by: str) -> Position:
        """Gives a line another name."""
        check_name(name)
        found = self._lines.at_head(place)
        self._name(found.game, LineRenamed(found.name, name), by)
        return self.position(f"{found.game}/{name}")

    def forget(self, place: str, *, by: str) -> Position:
        """Takes the name of a line away; its commits stay, and so does what was forked from it.

        Gives the position of the current line; that one has to keep its name.
        """
        found = self._lines.at_head(place)
        self._name(found.game, LineForgotten(found.name), by)
        return self.position(found.game)

    def _name(self, game: str, event: Event, by: str) -> None:
        def choose(names: Names) -> Sequence[Event]:
            names.check(event)
            return [event]

        self._append.names(lambda: self._lines.names(game), choose, by)

    def operations(self, place: str) -> Sequence[Operation]:
        """Everything that moved on a line and among the names of its game, first to last."""
        from zimcore.service import operations

        return operations.operations(self._lines, self._lines.at_head(place))

    def take_back(self, place: str, operation: str = "", *, by: str) -> Position:
        """Takes an operation back: the one whose id begins so, or the last one. Taking that back brings it again.

        Gives where the line is then, or where the current line is if that line has no name any more.
        """
        from zimcore.service import operations

        found = self._lines.at_head(place)
        operations.take_back(self._append, self._lines, found, operation, by, self.eyes)
        names = self._lines.names(found.game)
        name = next((name for name, stream in names.lines.items() if stream == found.line.stream), names.current)
        return self.position(f"{found.game}/{name}")

    def log(self, place: str, *, all_: bool = False) -> Sequence[Commit]:
        """The commits on the way to a position, first to last; with `all_` the undone ones of the line too."""
        found, digest = self._lines.find(place)
        commits = found.every_commit() if all_ else found.commits(digest)
        return [seen_commit(found.rules, commit, self.eyes) for commit in commits]

    def marks(self, place: str) -> Sequence[str]:
        """The names of the positions of a line, first to last: `r4`, `r4.zulu`."""
        return [*self._lines.find(place)[0].states.marks()]

    def verify(self, place: str) -> Audit:
        """Checks the chain of a line, and decides every command again."""
        from zimcore.service import audit

        return audit.verify(self.store, self._lines, place)

    def verify_all(self, report: Callable[[int, int], None] = lambda done, of: None) -> Sequence[Audit]:
        """Verifies every line of every game, and tells how many games are done, of how many."""
        from zimcore.service import audits

        return audits.verify_all(self.store, self._lines, report)

    def certificate(self, place: str) -> Certificate:
        """The certificate of a line up to a position: a file that proves it without this store."""
        from zimcore.service import certificates

        found, digest = self._lines.find(place)
        check_no_peeking(found.rules, self.eyes, "export")
        return certificates.issue(found, digest)

    def adopt(self, certificate: Certificate, place: str = "", *, by: str) -> Position:
        """Stores a certificate that was verified as a new line or game, with the same digests; see `adopting`."""
        from zimcore.service import adopting

        return self.position(adopting.adopt(self._append, self._lines, certificate, place, by))

    def export(self) -> Iterator[bytes]:
        """The lines of a file with all that is in the store. Raises `DamagedError`."""
        from event_store import archive

        for kind in {named.kind for named in self._lines.catalogue().games.values()}:
            check_no_peeking(load_game(kind, self.kinds), self.eyes, "export")
        return archive.exported(self.store)

    def import_(self, lines: Iterable[bytes], report: Callable[[int], None] = lambda entries: None) -> int:
        """Stores what was exported, and tells how many entries are done; gives how many there are.

        What is stored already is left as it is. Raises `DamagedError`, `ConflictError` where the store has others.
        """
        from event_store import archive

        return archive.imported(self.store, lines, report)

    def resolve(self, text: str, current: str = "") -> str:
        """The full name of a place that may be a short one (`@12`, `what-if@12`), seen from a current place."""
        here = parse_place(current).game if current else ""
        lines = self._lines.names(here).lines if here else {}
        found, games = parse_place(text, current, lines), self._lines.catalogue().games
        if here and not found.line and found.game not in games:
            what = f"there is no game and no line of {here} called {found.game!r}"
            raise UnknownError(what, "", near(found.game, [*games, *lines]))
        return str(found)
