"""A random walk on a server: players, a spectator and the host act by HTTP, on the page and at terminals.

The checks are those of `walk`. In addition nobody who may only watch is offered a move, all roles see the same head,
and no answer has what is hidden from who asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.states.doors import Pipe, Prompt, Reply, Script, Shell, Table
from tests.states.served_doors import GAME, Http, Page, Person, ServedWorld, a_served_world
from tests.states.walk import Setting, Walk
from zimcore.commits import Position
from zimcore.game import GameError
from zimcore.service import EVERYTHING, Viewer

TERMINALS: tuple[type[Shell], ...] = (Shell, Script, Pipe, Prompt, Table)
PROGRAM_PATIENCE = 5.0
"""Seconds in which a server lets a program move."""
MIN_HAND_CARDS = 3
"""So many cards of a hand are no coincidence in a text."""


class ServedWalk(Walk):
    """A walk around a game on a server."""

    def __init__(self, world: ServedWorld, rng: Random, setting: Setting) -> None:
        self.served = world
        self.prepare(world, rng, setting)
        self.sessions: dict[tuple[str, type[Shell]], Shell] = {}
        self.people_by_door: dict[int, Person] = {}

    @property
    def open_doors(self) -> list[Shell]:  # type: ignore[override]
        return [*self.sessions.values()]

    def choose_door(self) -> Shell:
        person = self.rng.choice(self.served.people)
        return self.door_of(person, self.rng.choice([*TERMINALS, Http, Http, Page, Page]))

    def choose_other(self, door: Shell) -> Shell:
        others = [each for each in self.served.people if each.name != door.by]
        return self.door_of(self.rng.choice(others), self.rng.choice([Shell, Pipe, Http, Page]))

    def door_of(self, person: Person, door_type: type[Shell]) -> Shell:
        """The open session of a person, or a new process or browser of theirs."""
        url = self.served.server.url
        if door_type in (Prompt, Table):
            session = self.sessions.get((person.name, door_type))
            if session is None or not self.is_open(session):
                session = self.sessions[person.name, door_type] = self.served.open(door_type, person.name)
            door = session
        elif door_type is Page:
            door = Page(person, url, self.rng)
        elif door_type is Http:
            door = Http(person, url)
        else:
            door = door_type(person.service, person.name, "", GAME)
        self.people_by_door[id(door)] = person
        return door

    def place_of(self, door: Shell) -> str:
        if isinstance(door, Prompt | Table):
            return door.open_session.place
        if isinstance(door, Http | Page):
            return f"{GAME}/main"
        return str(door.service.current_line(GAME, by=door.by))

    def offer(self, door: Shell) -> str:
        if isinstance(door, Page):
            position = self.head(f"{GAME}/main")
            moves = [text for text, _ in zip(position.legal().texts(""), range(20), strict=False)]
            found, is_typed = door.find(self.rng.choice(moves) if moves and self.rng.random() < 0.5 else "")
            return "" if is_typed else found
        if isinstance(door, Http):
            reply = door.run("legal")
            person = self.people_by_door[id(door)]
            position = self.head(f"{GAME}/main")
            if person.seat not in position.to_move:
                return ""
            return self.chosen_offer(reply, position)
        if isinstance(door, Pipe) and self.people_by_door[id(door)].seat not in self.head(f"{GAME}/main").to_move:
            return ""  # programs know their seat, and the answer says whose moves are legal
        return super().offer(door)

    def choose_line(self, door: Shell) -> str:
        if isinstance(door, Page) and self.rng.random() < 0.6:
            return door.find()[0]
        return super().choose_line(door)

    def check_reply(self, door: Shell, line: str, reply: Reply, why: str) -> None:
        person = self.people_by_door[id(door)]
        self.served.seat_again()
        for seat, hand in self.hidden_hands(person):
            if hand in reply.text:
                self.fail(f"{door.name}: {person.name} reads the hand of {seat}: {hand}")
        super().check_reply(door, line, reply, why)

    def hidden_hands(self, person: Person) -> Iterator[tuple[str, str]]:
        """The hands that a person may not see, as tables show them."""
        position = self.service.position(f"{GAME}/main", EVERYTHING)
        if position.game.secrets is None or position.outcome.over or person.role == "auditor":
            return
        for seat in position.seats:
            if seat != person.seat:
                for table in self.service.position(f"{GAME}/main", Viewer(seat)).tables[1:]:
                    hand = next((str(row[1]) for row in table.rows if len(row) == 2 and row[0] == seat), "")
                    if hand.count(",") + 1 >= MIN_HAND_CARDS and "face down" not in hand:
                        yield seat, hand

    def check_programs(self) -> None:
        end = time.monotonic() + PROGRAM_PATIENCE
        while self.waiting_programs() and time.monotonic() < end:
            time.sleep(0.01)
        if waiting := self.waiting_programs():
            self.fail(f"{waiting} is a program, to move, and the server does not move it")

    def waiting_programs(self) -> set[str]:
        """The programs that are to move in the match."""
        position = self.service.head(f"{GAME}/main")
        bots = self.service.bots(f"{GAME}/main")
        if self.service.members(GAME).ended:  # all others have resigned
            return set()
        return set(position.to_move) if position.to_move and set(position.to_move) <= set(bots) else set()

    def check_doors(self) -> None:
        super().check_doors()
        person = self.rng.choice(self.served.people)
        head = self.head(f"{GAME}/main")
        seen = Http(person, self.served.server.url).run("show")
        if head.commit.digest not in seen.text:
            self.fail(f"http: {person.name} does not see the head {head.commit.number}: {seen.text[:300]}")
        if self.rng.random() < 0.2:
            status, offered, text = Page(person, self.served.server.url, self.rng).look()
            if status != 200 or head.status.split(" · ")[0] not in text:
                self.fail(f"page: {person.name} does not see {head.status}: {status} {text[:500]}")
            if not person.seat and any(each.address.endswith(("/moves", "/undo")) for each in offered):
                self.fail(f"page: {person.name}, who has no seat, is offered a move")

    def is_waiting_nowhere(self, door: Shell, *, was_over: bool) -> bool:
        if not isinstance(door, Table) or not self.is_open(door):
            return False
        person, position = self.people_by_door[id(door)], self.head(door.open_session.place)
        is_own_line = bool(person.seat) and position.line.startswith(f"{person.seat}--")
        plays_all = is_own_line and position.game.secrets is None
        if person.seat in position.to_move or (plays_all and position.to_move):
            return not door.controller.model.view.own_seats
        if not person.seat and door.controller.model.view.own_seats:
            self.fail(f"table: {person.name}, who has no seat, is offered moves")
        return False

    def head(self, place: str) -> Position:
        try:
            return self.service.head(place)
        except GameError as error:
            self.fail(f"a session is still on {place}: {error}")


def served_walk(folder: Path, seed: int, setting: Setting, steps: int) -> Iterator[str]:
    """Takes steps; yields the line of each. Raises `ViolationError`."""
    with a_served_world(folder, setting.kind, setting.options, setting.bots) as world:
        the_walk = ServedWalk(world, Random(seed), setting)
        for _ in range(steps):
            the_walk.step()
            if the_walk.trail:
                yield the_walk.trail[-1]
