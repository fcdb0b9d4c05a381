"""The test kit for authors of games: plays a game at random, and checks all that the contract promises.

>>> from zimcore.games.zimbabwe import GAME
>>> list(check(GAME, matches=1, moves=5))
[]
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any
from xml.etree import ElementTree

import msgspec

from zimcore.game import Accepted, Board, Event, Game, GameError, HiddenError, NotationError, Played, Seat, figures
from zimcore.toolkit.svg import INK, PAPER

MATCHES, MOVES, LISTED = 3, 60, 25
"""Games that are played, moves in each, and legal commands that are looked at in a position."""
LOOKED_THROUGH = 3000
"""Legal commands among which those are drawn."""
GARBAGE = ("", " ", "nonsense", "nobody: nothing", "1 2 3", "?", "é", "bid bid bid bid bid bid")


class Finding(msgspec.Struct, frozen=True):
    """A broken promise of the contract: the part and member, what, and the line of the author's file if it is known."""

    member: str
    what: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.member}: {self.what}" + (f" ({self.where})" if self.where else "")


def check(
    game: Game,
    *,
    matches: int = MATCHES,
    moves: int = MOVES,
    options: Mapping[str, str] | None = None,
    report: Callable[[int], None] = lambda played: None,
) -> Iterator[Finding]:
    """The findings, each once; `report` is called with the number of matches played."""
    seen: set[tuple[str, str]] = set()
    for seed in range(matches):
        for finding in Checks(game, Random(seed)).match(seed, moves, options or {}):
            if (finding.member, finding.what) not in seen:
                seen.add((finding.member, finding.what))
                yield finding
        report(seed + 1)


def play_digest(game: Game, seed: int, moves: int) -> bytes:
    """The canonical bytes at the end of a random match, which have to be the same in any process."""
    checks = Checks(game, Random(seed))
    state = checks.set_up(seed, {})
    for _ in range(moves):
        seat = next(iter(game.evolution.to_move(state)), "")
        found = list(islice(game.rules.legal(state, seat), LISTED)) if seat else []
        answer = game.rules.decide(state, seat, checks.rng.choice(found)) if found else None
        if not isinstance(answer, Accepted):
            break
        state = answer.state
    return game.evolution.canonical(state)


class Checks:
    """One random match. Each check is named after the member that it checks."""

    def __init__(self, game: Game, rng: Random) -> None:
        self.game = game
        self.rng = rng
        self.known: dict[Seat, Any] = {}

    def match(self, seed: int, moves: int, options: Mapping[str, str]) -> Iterator[Finding]:
        """Plays, and looks at every position on the way."""
        try:
            yield from self._display(self.game.evolution.initial(), "before set-up")
            state = self.set_up(seed, options)
            yield from self._texts((), state)
            for _ in range(moves):
                yield from self._position(state)
                answer = yield from self._move(state)
                if answer is None:
                    return
                state = answer
        except HiddenError as error:
            yield Finding("rules.decide", f"needs what is hidden where nothing is: {error}", where_of(error, self.game))
        except Exception as error:  # any exception of the author's code is a finding
            yield Finding("the game", f"{type(error).__name__}: {error}", where_of(error, self.game))

    def set_up(self, seed: int, options: Mapping[str, str]) -> Any:
        """The position after set-up; `known` is set up with what each viewer may know of it."""
        evolution = self.game.evolution
        self.known = {seat: evolution.initial() for seat in self._viewers(())}
        command = self.game.rules.set_up(options, seed)
        answer = self.game.rules.decide(evolution.initial(), "", command)
        if not isinstance(answer, Accepted):
            raise GameError("the game can't be set up", "; ".join(each.reason for each in answer.refusals))
        self.known = {seat: evolution.initial() for seat in self._viewers(evolution.seats(answer.state))}
        self._evolve_known((self._played("", command), *answer.events))
        return answer.state

    def _played(self, seat: Seat, command: Any) -> Event:
        form: Callable[..., Event] = self.game.evolution.EVENTS[0]
        return form(seat=seat, command=command)

    def _viewers(self, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return (*seats, "") if self.game.secrets else ()

    def _evolve_known(self, events: tuple[Event, ...]) -> None:
        for seat, known in self.known.items():
            assert self.game.secrets
            for event in events:
                self.game.evolution.evolve(known, self.game.secrets.redact(event, seat))

    def _position(self, state: Any) -> Iterator[Finding]:
        yield from self._evolution(state)
        yield from self._display(state, "in a match")
        yield from self._questions(state)
        yield from self._art(self.game.display.board(state))
        for seat in self.game.evolution.seats(state):
            yield from self._legal(state, seat)
            yield from self._advice(state, seat)
        yield from self._secrets(state)

    def _evolution(self, state: Any) -> Iterator[Finding]:
        evolution = self.game.evolution
        copy = evolution.copy(state)
        if evolution.canonical(copy) != evolution.canonical(state):
            yield Finding("evolution.copy", "a copy has other canonical bytes")
        if set(evolution.to_move(state)) - set(evolution.seats(state)):
            yield Finding("evolution.to_move", "names somebody who is no seat")
        outcome = evolution.outcome(state)
        if outcome.over and evolution.to_move(state):
            yield Finding("evolution.to_move", "somebody may act after the end")
        if not outcome.over and not evolution.to_move(state):
            yield Finding("evolution.to_move", "nobody may act, and it is not over")
        if outcome.over and not outcome.ranking:
            yield Finding("evolution.outcome", "it is over, and has no ranking")

    def _legal(self, state: Any, seat: Seat) -> Iterator[Finding]:
        rules, legal = self.game.rules, self.game.rules.legal(state, seat)
        found = list(islice(legal, LOOKED_THROUGH))
        found = self.rng.sample(found, LISTED) if len(found) > LISTED else found
        to_move = self.game.evolution.to_move(state)
        may_act = seat in to_move
        if bool(found) != may_act or bool(legal) != bool(found):
            what = "has nothing that a seat may do which is to move" if may_act else "lists what a seat may not do now"
            yield Finding("rules.legal", what)
        if len(found) < LISTED and not len(found) == legal.count() == len(list(legal.texts())):
            yield Finding("rules.legal", "count(), texts() and what it goes through are not as many")
        for command in found:
            if command not in legal or not isinstance(rules.decide(state, seat, command), Accepted):
                yield Finding("rules.decide", f"refuses what is legal: {self.game.notation.format(command)}")
            yield from self._notation(state, seat, command)
        waiting = set(self.game.evolution.seats(state)) - set(to_move)
        if any(isinstance(rules.decide(state, other, command), Accepted) for other in waiting for command in found[:1]):
            yield Finding("rules.decide", "accepts a command of a seat that is not to move")

    def _advice(self, state: Any, seat: Seat) -> Iterator[Finding]:
        """Advice on everything, and on one kind of command: legal, as it is written, once, and what was asked for."""
        questions, legal, notation = self.game.questions, self.game.rules.legal(state, seat), self.game.notation
        may_act = seat in self.game.evolution.to_move(state)
        drawn = legal.sample(self.rng) if may_act else None
        kind = notation.format(drawn).partition(" ")[0] if drawn is not None else ""
        for beginning in dict.fromkeys(("", kind)):
            texts = [each.text for each in questions.advice(state, seat, beginning)]
            if len(set(texts)) < len(texts):
                yield Finding("questions.advice", f"gives the same twice after {beginning!r}")
            for text in texts:
                _, command = notation.parse(text, state)
                if command not in legal or notation.format(command) != text:
                    yield Finding("questions.advice", f"gives what is not legal, or not in canonical form: {text}")
                if not text.startswith(beginning):
                    yield Finding("questions.advice", f"gives {text} after {beginning!r}")
        if drawn is not None and not isinstance(questions.waste(state, seat, drawn), str):
            yield Finding("questions.waste", "gives something that is no text")

    def _notation(self, state: Any, seat: Seat, command: Any) -> Iterator[Finding]:
        notation = self.game.notation
        text = notation.format(command)
        for typed, who in ((text, None), (f"{seat}: {text}", seat), (text.upper(), None)):
            if notation.parse(typed, state) != (who, command):
                yield Finding("notation.parse", f"{typed!r} is not read as what was written so")
        for garbage in GARBAGE:
            try:
                _, read = notation.parse(garbage, state)
            except NotationError:
                continue
            if notation.format(read) == "":
                yield Finding("notation.parse", f"takes {garbage!r} for a command")

    def _display(self, state: Any, when: str) -> Iterator[Finding]:
        display, evolution = self.game.display, self.game.evolution
        if not isinstance(display.status(state), str) or not display.status(state):
            yield Finding("display.status", f"says nothing {when}")
        try:
            msgspec.json.encode(figures(self.game, state))
        except TypeError as error:
            yield Finding("display.figures", f"has something that is no figure {when}: {error}")
        if set(display.colours(state)) < set(evolution.seats(state)):
            yield Finding("display.colours", f"leaves out a seat {when}")
        for table in display.tables(state):
            if any(len(row) != len(table.heads) for row in table.rows):
                yield Finding("display.tables", f"{table.title}: rows are not as long as the heads")
        board = display.board(state)
        if board and {len(row) for row in board.cells} - {len(board.columns)}:
            yield Finding("display.board", "rows are not as long as the names of the columns")
        display.toolbar(state)
        if display.turn(state) and not evolution.to_move(state):
            yield Finding("display.turn", f"has parts of a turn, and nobody is to move {when}")

    def _questions(self, state: Any) -> Iterator[Finding]:
        questions = self.game.questions
        for name in questions.QUESTIONS:
            try:
                tables = questions.ask(state, name, ())
            except (NotationError, HiddenError):
                continue
            if any(len(row) != len(table.heads) for table in tables for row in table.rows):
                yield Finding("questions.ask", f"{name}: rows are not as long as the heads")

    def _art(self, board: Board | None) -> Iterator[Finding]:
        art = self.game.art
        if art is None or board is None:
            return
        drawn = [*art.ground(board), art.emblem(INK, PAPER)]
        drawn += [art.piece(cell, (1, 1), INK, PAPER) for row in board.cells for cell in row if cell.role != "void"]
        try:
            ElementTree.fromstring(f"<svg>{''.join(drawn)}</svg>")  # noqa: S314 - it is not somebody else's
        except ElementTree.ParseError as error:
            yield Finding("art", f"gives what is no SVG: {error}")

    def _secrets(self, state: Any) -> Iterator[Finding]:
        secrets, evolution = self.game.secrets, self.game.evolution
        for seat, known in self.known.items():
            assert secrets
            concealed = secrets.conceal(state, seat)
            if evolution.canonical(known) != evolution.canonical(concealed):
                yield Finding("secrets.redact", f"what {seat or 'a spectator'} is told leads elsewhere than conceal")
            if evolution.canonical(secrets.conceal(concealed, seat)) != evolution.canonical(concealed):
                yield Finding("secrets.conceal", "concealing twice is not the same as once")
            yield from self._display(concealed, "in a concealed position")

    def _move(self, state: Any) -> Generator[Finding, None, Any]:
        """Plays a random legal command; gives the position after it."""
        evolution, rules = self.game.evolution, self.game.rules
        to_move = evolution.to_move(state)
        if not to_move:
            return None
        seat = self.rng.choice(to_move)
        found = list(islice(rules.legal(state, seat), LISTED))
        if not found:
            return None
        command = self.rng.choice(found)
        before = evolution.canonical(state)
        answer = rules.decide(state, seat, command)
        if evolution.canonical(state) != before:
            yield Finding("rules.decide", "changes the state that it is given")
        assert isinstance(answer, Accepted)
        yield from self._answer(state, seat, command, answer)
        drawn = rules.legal(state, seat).sample(self.rng)
        if drawn not in rules.legal(state, seat):
            yield Finding("rules.legal", "sample() draws what is not legal")
        if rules.apply(state, seat, command).events != answer.events:
            yield Finding("rules.apply", "gives other facts than decide")
        events = (self._played(seat, command), *answer.events)
        yield from self._told(events[0], answer.events)
        self._evolve_known(events)
        yield from self._texts(events, answer.state)
        return answer.state

    def _told(self, played: Any, facts: tuple[Event, ...]) -> Iterator[Finding]:
        """What a fact hides may not stand in the command that it follows from, in a field of that name."""
        secrets = self.game.secrets
        for viewer in self.known if secrets else ():
            assert secrets
            told: Any = secrets.redact(played, viewer)
            for fact in facts:
                for name in _changed(fact, secrets.redact(fact, viewer)) & {*played.command.__struct_fields__}:
                    if repr(getattr(told.command, name)) == repr(getattr(fact, name)):
                        what = f"hides {type(fact).__name__}.{name}, and shows it in {type(played.command).__name__}"
                        yield Finding("secrets.redact", what)

    def _answer(self, state: Any, seat: Seat, command: Any, answer: Accepted) -> Iterator[Finding]:
        evolution, again = self.game.evolution, self.game.rules.decide(state, seat, command)
        if not isinstance(again, Accepted) or again.events != answer.events:
            yield Finding("rules.decide", "gives other facts when it is asked again")
        after = evolution.copy(state)
        for event in answer.events:
            if isinstance(event, Played):
                yield Finding("rules.decide", "gives Played, which whoever stores the facts puts in front")
            if type(event) not in evolution.EVENTS:
                yield Finding("evolution.EVENTS", f"leaves out {type(event).__name__}")
            evolution.evolve(after, event)
            yield from self._display(after, "in the middle of a commit")
        if evolution.canonical(after) != evolution.canonical(answer.state):
            yield Finding("evolution.evolve", "the facts lead to another state than that of the answer")
        played = self._played(seat, command)
        for event in (played, *answer.events):
            if not _can_be_stored(event):
                yield Finding("evolution.EVENTS", f"{type(event).__name__} is another after it was stored and read")
        evolution.evolve(after, played)
        if evolution.canonical(after) != evolution.canonical(answer.state):
            yield Finding("evolution.evolve", "Played changes the state: only facts do")

    def _texts(self, events: tuple[Event, ...], state: Any) -> Iterator[Finding]:
        notation, secrets = self.game.notation, self.game.secrets
        for seat in self._viewers(self.game.evolution.seats(state)) or (None,):
            redacted = [secrets.redact(event, seat) if secrets and seat is not None else event for event in events]
            texts = [*map(notation.describe, redacted), notation.summary(redacted), notation.tell(redacted)]
            if not all(isinstance(text, str) for text in texts):
                yield Finding("notation.describe", "gives something that is no text")
        for event in events:
            mark = self.game.evolution.MARKS.get(type(event))
            name = mark(event, state) if mark else None
            if name is not None and not name.replace(".", "").replace("_", "").isalnum():
                yield Finding("evolution.MARKS", f"{name!r} can't be typed as the name of a position")


def _changed(one: Any, other: Any) -> set[str]:
    """The fields in which two events differ, as they are shown: what is unknown can't be compared with anything."""
    return {name for name in one.__struct_fields__ if repr(getattr(one, name)) != repr(getattr(other, name))}


def _can_be_stored(event: Event) -> bool:
    try:
        return bool(msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=type(event)) == event)
    except (msgspec.MsgspecError, TypeError):
        return False


def where_of(error: BaseException, game: Game) -> str:
    """The author's line that an error comes from, if it is one of theirs: `souk.py:112 in follow`."""
    package = getattr(game, "package", type(game).__module__)
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module == package or module.startswith(f"{package}."):
            found = f"{frame.f_code.co_filename.rpartition('/')[2]}:{line} in {frame.f_code.co_name}"
    return found
