"""A random walk over states and doors: people play, undo, fork, rename ... by all doors, and act between lines.

After each line it checks that the state has a way on: programs have moved, doors agree, what is offered is accepted,
and a hint that is printed works as printed. It follows offers and hints, so that it does what people do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from time import sleep
from typing import NamedTuple, NoReturn, Protocol

from tests.states.doors import DOORS, Library, Pipe, Prompt, Reply, Script, Shell, Table, World
from zimcli.shell.registry import ENTRIES_BY_NAME
from zimcore.analysis.seated_programs import let_programs_move
from zimcore.commits import Position
from zimcore.game import GameError, UnknownError
from zimcore.service import TABLE, GameService, Viewer

MAX_LOOKS, LOOK_SECONDS = 300, 0.1
"""How often a session looks until it must show the head: a server lets its programs move on their own time."""

PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|\.\.\.|LINK|PATH")
"""A word in a hint that stands for one of the user's own."""
SWITCH_NOTE = re.compile(r"switch (\S+) goes back")
EMPTY_NAME = re.compile(r"^ |''|\w  \w| :|^can't")
"""What an error looks like in which a name is missing."""
ENDING_WORDS = ("quit", "exit")
KNOWN_CODES = (0, 1, 2, 3, 4)
SECOND_PERSON = "ben"
TRAIL_LENGTH = 14


class Setting(NamedTuple):
    """A game that is walked on: its kind, its options, and the programs by seat."""

    kind: str
    options: Mapping[str, str]
    bots: Mapping[str, str]


SETTINGS = {
    "people": Setting("nim", {"stones": "14"}, {}),
    "soon over": Setting("nim", {"stones": "3"}, {}),
    "soon won": Setting("nim", {"stones": "3"}, {"ben": "random"}),
    "a program": Setting("nim", {"stones": "17"}, {"ben": "random"}),
    "programs": Setting("nim", {"stones": "20", "players": "3"}, {"ben": "random", "cid": "random"}),
    "zimbabwe": Setting("zimbabwe", {"players": "2", "seed": "7"}, {"mutapa": "random"}),
    "africana": Setting("africana", {"players": "2", "seed": "3"}, {"france": "random"}),
}

WALKED_FOLDERS = ("event_store", "zimcore", "zimcli", "tests/states")
"""A change of code in these folders leads on other walks: see `code_seed`."""


class ViolationError(AssertionError):
    """A state without a way on, or doors that disagree; with the lines that led there."""


class HasService(Protocol):
    """A world whose store can be looked into."""

    def new_service(self) -> GameService: ...

    def open(self, door: type[Shell], by: str = "anna", seat: str = "", place: str = "g") -> Shell: ...


class Walk:
    """A walk in one world. `step` takes a step, and raises `ViolationError`."""

    def __init__(self, world: World, rng: Random, setting: Setting) -> None:
        self.prepare(world, rng, setting)
        self.service.new(setting.kind, setting.options, name="g", by="anna", bots=setting.bots)
        list(let_programs_move(self.service, "g", TABLE))
        self.open_doors = [world.open(door_type) for door_type in (Prompt, Table)]

    def prepare(self, world: HasService, rng: Random, setting: Setting) -> None:
        """Takes a world in which nothing was typed yet."""
        self.world, self.rng, self.setting = world, rng, setting
        self.trail: list[str] = []
        self.earlier_moves = dict[str, None]()
        self.names_used = 0
        self.follow_next: tuple[Shell, str, str] | None = None

    @property
    def service(self) -> GameService:
        return self.world.new_service()

    def step(self) -> None:
        """Types one line at one door, and checks what it leads to."""
        try:
            self.type_something()
        except GameError as error:
            self.fail(f"an error got out of a door: {error}")

    def type_something(self) -> None:
        """Types what was offered or hinted at, or what people might type."""
        if self.follow_next:
            door, line, why = self.follow_next
            self.follow_next = None
            self.type_line(door, line, why)
            return
        door = self.choose_door()
        if self.rng.random() < 0.25 and (offer := self.offer(door)):
            self.type_line(door, offer, "offered")
            return
        line = self.choose_line(door)
        if line:
            self.type_line(door, line, "")

    def choose_door(self) -> Shell:
        """An open session, or a new process of somebody."""
        door_type: type[Shell] = self.rng.choice([*DOORS, Library])
        for index, door in enumerate(self.open_doors):
            if type(door) is door_type:
                if not self.is_open(door):
                    self.restore_game()
                    self.open_doors[index] = self.world.open(door_type)
                return self.open_doors[index]
        seat = self.rng.choice(["", "", *self.seats()]) if door_type is not Library else ""
        by = self.rng.choice(["anna", SECOND_PERSON])
        return door_type(self.service, by, seat, "g")

    @staticmethod
    def is_open(door: Shell) -> bool:
        """Whether a session is still in a game: it has left one that was deleted."""
        return isinstance(door, Prompt | Table) and door.open_session.current is not None

    def restore_game(self) -> None:
        if not self.service.has_game("g"):
            self.service.restore("g", by="anna")

    def seats(self) -> Sequence[str]:
        return [seat for seat in self.head("g").seats if seat not in self.setting.bots] if self.has_game() else []

    def has_game(self) -> bool:
        return self.service.has_game("g")

    def head(self, place: str) -> Position:
        """The head of a line. Fails if a session that has looked is on a line that is gone."""
        try:
            return self.service.head(place)
        except UnknownError as error:
            self.fail(f"a session is still on {place}: {error}")

    def place_of(self, door: Shell) -> str:
        """The line on which a door plays."""
        if isinstance(door, Prompt | Table):
            return door.open_session.place
        return self.service.current_line("g", by=door.by, viewer=Viewer(door.seat) if door.seat else TABLE)

    def offer(self, door: Shell) -> str:
        """A command that the door offers; "" if it offers none."""
        if not self.has_game() or isinstance(door, Library):
            return ""
        if isinstance(door, Table):
            door.look()
            words = [
                word for word in door.menu_words() if word in self.head(door.open_session.place).game.notation.SYNTAX
            ]
            if not words:
                return ""
            position = self.head(door.open_session.place)
            return next(iter(position.legal().texts(self.rng.choice(words))), "")
        position = self.head(self.place_of(door))
        if isinstance(door, Pipe) and door.seat not in ("", *position.to_move):
            return ""  # programs read in the answer who is to move
        return self.chosen_offer(door.run("legal --all"), position)

    def chosen_offer(self, reply: Reply, position: Position) -> str:
        """One of the commands that an answer of `legal` lists; "" if it lists none of one's own."""
        if "not yours to play" in reply.text:
            return ""
        texts = [text for text in listed_commands(reply) if text.split()[0] in position.game.notation.SYNTAX]
        return self.rng.choice(texts) if texts else ""

    def choose_other(self, door: Shell) -> Shell:
        """Where a second person types while a line is typed at a door."""
        door_type: type[Shell] = self.rng.choice([Shell, Shell, Pipe, Script, Library])
        return door_type(self.service, SECOND_PERSON if door.by != SECOND_PERSON else "anna", "", "g")

    def choose_line(self, door: Shell) -> str:
        """A line that people might type there, legal or not."""
        rng = self.rng
        if not self.has_game():
            return rng.choice(["delete g --back", "show", "undo", "games"])
        position = self.head(self.place_of(door))
        number, last = rng.randint(0, position.commit.number + 1), position.commit.number
        lines = self.service.line_names("g")
        line, seat = rng.choice(lines), rng.choice(position.seats)
        moves = [text for _, text in zip(range(4), position.legal().texts(""), strict=False)]
        self.earlier_moves.update(dict.fromkeys(moves))
        move = rng.choice([*moves, *(["take 9"] if self.setting.kind == "nim" else []), "xyzzy"])
        self.names_used += 1
        name = f"n{self.names_used}"
        often = [move] * 8 if moves else ["show", *self.earlier_moves]
        choices = [
            *often,
            *("undo", "undo", "undo 2", f"undo {last + 3}", "redo", "redo", "redo 2", "undo --op"),
            *(f"goto @{number}", "goto @start", "goto @end", f"goto g/{line}@{number}", "goto @-1"),
            *(f"fork {name}", f"fork @{number} {name}", f"fork @start {name} --alone", f"fork {name} --no-switch"),
            *(f"amend @{number} {move}", f"amend @{number} {move} --stop", f"pick g/{line}@{number}", "pick @1"),
            *(f"switch g/{line}", f"switch g/{name}", f"rename g/{line} {name}", f"forget g/{line}"),
            *(
                f"bot random --for {seat}",
                f"bot people --for {seat}",
                "bot random",
                f"tag @{number} mark{name}",
            ),
            *("archive g", "archive g --back", "delete g", "delete g --back", "games", "lines", "show", "log"),
            *("say well played", "requests", "takeback", f"order {move}", "orders", "accept", "decline 1", "withdraw"),
            *(f"explain {move}", f"try {move}", "legal", "story", f"show @{number}", f"compare g/{line}", "verify"),
            *(
                f"archive g/{line}",
                "undo 9",
                f"tag @-2 mark{name}",
                f"bot random --for {seat} --to-end",
                "vote continue",
            ),
            *("seats", "terms", f"why {seat}.score", "export --certificate -", "help undo", "fork", "switch nowhere"),
        ]
        return rng.choice(choices)

    def type_line(self, door: Shell, line: str, why: str) -> None:
        """Types a line at a door, perhaps while a second person acts, and checks the state after it."""
        interrupts = not isinstance(door, Script) and not why and self.rng.random() < 0.3
        other = self.choose_other(door)
        other_line = self.choose_line(other) if interrupts else ""
        note = f" (while {other.by} types by {other.name}: {other_line})" * bool(other_line)
        who = f"{door.by}{f' as {door.seat}' if door.seat else ''}"
        self.trail.append(f"{door.name:7} {who}: {line}{f'   [{why}]' if why else ''}{note}")
        first_line = self.service.names("g").first_line if self.has_game() and not interrupts else ""
        takes_orders = not first_line or bool(self.head(f"g/{first_line}").to_move)
        was_over = self.has_game() and not self.head(self.place_of(door)).to_move
        lines_before = {} if interrupts else self.current_lines()
        reply = door.run_after(lambda: other.run(other_line), line) if other_line else door.run(line)
        self.trail[-1] += f" -> {reply.code} {reply.what}"
        self.check_reply(door, line, reply, why)
        if command_of(line) == "order" and reply.code == 0 and not takes_orders:
            self.fail(f"{door.name}: an order is accepted though the game is over")
        self.check_current_lines(door, reply, lines_before)
        self.check_programs()
        self.check_doors()
        if self.is_waiting_nowhere(door, was_over=was_over):
            self.fail(f"{door.name}: nothing is offered, and the game goes on")

    def check_reply(self, door: Shell, line: str, reply: Reply, why: str) -> None:
        if reply.code not in KNOWN_CODES and reply.code != -1:
            self.fail(f"{door.name}: {line}: exit code {reply.code}: {reply.text[-800:]}")
        if "Traceback" in reply.text:
            self.fail(f"{door.name}: {line}: a traceback: {reply.text[-800:]}")
        if EMPTY_NAME.search(reply.what):
            self.fail(f"{door.name}: {line}: an error without a name: {reply.what!r}")
        # Whether the rules allow a command can't be checked, for a hint, on what is hidden.
        is_answer = "--open" in line.split() and reply.code == 1
        if why and reply.code not in (0, -1) and not (is_a_question(reply) or is_answer):
            self.fail(f"{door.name}: {why}, and refused: {line}: {reply.code} {reply.what} {reply.hints}")
        hints = [hint for hint in reply.hints if not PLACEHOLDER.search(hint) and not is_elsewhere(hint)]
        if hints and not why and not is_a_question(reply) and "Missing argument" not in reply.what:
            hint = self.rng.choice(hints)
            if command_of(line) in ("amend", "pick") and command_of(hint) not in ENTRIES_BY_NAME:
                self.fail(f"{door.name}: {line}: a hint about the past is a move, played at the head: {hint}")
            if line.split()[0] in ("try", "explain") and command_of(hint) not in ENTRIES_BY_NAME:
                hint = f"{line.split()[0]} {hint}"  # a move, which is not played
            self.follow_next = door, hint, f"a hint of {line!r}"

    def current_lines(self) -> dict[str, str]:
        """The current line of each person; the same at every seat."""
        if not self.has_game():
            return {}
        lines = dict[str, str]()
        for person in ("anna", SECOND_PERSON):
            viewers = (TABLE, *map(Viewer, self.head("g").seats))
            found = {self.service.current_line("g", by=person, viewer=viewer) for viewer in viewers}
            if len(found) > 1:
                self.fail(f"{person} is on several lines at once: {found}")
            lines.update(dict.fromkeys([person], found.pop()))
        return lines

    def check_current_lines(self, door: Shell, reply: Reply, lines_before: Mapping[str, str]) -> None:
        """What somebody types moves nobody else to another line, and what goes back according to a note does so."""
        if not lines_before or not self.has_game():
            return
        lines = self.current_lines()
        for person, line in lines_before.items():
            is_there = line.partition("/")[2] in ("", *self.service.line_names("g"))
            if person != door.by and is_there and lines[person] != line:
                self.fail(f"{door.name}: {door.by} moved {person} from {line} to {lines[person]}")
        noted = SWITCH_NOTE.search(reply.text)
        if noted and noted[1].rpartition("/")[2] not in self.service.line_names("g"):
            self.fail(f"{door.name}: {noted[0]!r}, and there is no such line")

    def check_programs(self) -> None:
        """No program is to move: who has moved last has let it."""
        service = self.service
        if not self.has_game():
            return
        for name in service.line_names("g"):
            position = service.head(f"g/{name}")
            bots = service.bots(f"g/{name}")
            if position.to_move and set(position.to_move) <= set(bots):
                self.fail(f"{position.to_move} is a program, to move on {name}, and nobody moves it")

    def check_doors(self) -> None:
        """Open sessions see the head of the line they are on, once they have looked."""
        if not self.has_game():
            return
        for door in self.open_doors:
            if not self.is_open(door):
                continue
            for _ in range(MAX_LOOKS):
                seen = self.look(door)
                if not self.is_open(door):
                    break
                assert isinstance(door, Prompt | Table)
                head = self.head(door.open_session.place)
                if seen is not None and seen.commit.digest == head.commit.digest:
                    break
                sleep(LOOK_SECONDS)
            else:
                shown = f"{seen.place}@{seen.commit.number}" if seen else "nothing"
                self.fail(f"{door.name} shows {shown} and not {head.place}@{head.commit.number}")

    def look(self, door: Shell) -> Position | None:
        """What an open session shows after it has looked for news."""
        if isinstance(door, Table):
            try:
                door.look()
            except UnknownError as error:
                self.fail(f"the table can't read its line: {error}")
            return door.controller.model.head
        assert isinstance(door, Prompt)
        door.run("help undo")
        return door.open_session.current

    def is_waiting_nowhere(self, door: Shell, *, was_over: bool) -> bool:
        """Whether people at one keyboard are offered nothing at the table, though a person is to move."""
        del was_over
        if not isinstance(door, Table) or not self.is_open(door) or not self.has_game():
            return False
        position = self.head(door.open_session.place)
        return bool(position.to_move) and not door.controller.model.view.own_seats

    def fail(self, what: str) -> NoReturn:
        """Raises `ViolationError` with the last lines."""
        steps = "\n  ".join(self.trail[-TRAIL_LENGTH:])
        raise ViolationError(f"{what}\n  {steps}")


def listed_commands(reply: Reply) -> Sequence[str]:
    """The commands that an answer of `legal` lists, as JSON or as text."""
    for text in reply.text.splitlines():
        if text.startswith('{"legal"') or '"legal":[' in text:
            return tuple(json.loads(text)["legal"])
    return [text.strip() for text in reply.text.splitlines() if text.strip()]


def command_of(line: str) -> str:
    """The command that a line runs, without what the shell adds."""
    return next((word for word in line.split() if word != "zim" and not word.startswith("-")), "")


def is_a_question(reply: Reply) -> bool:
    """Whether the answer asks to confirm what would waste something."""
    return reply.hints[:1] == ("Enter, if it is meant",)


def is_elsewhere(hint: str) -> bool:
    """Whether a hint leads out of the world of the walk: to a server, a file, a new game."""
    words = [word for word in hint.split() if word not in ("zim", "--json")]
    return words[0] in ("new", "import", "join", "host", "play", "tutorial", "demo") or "http" in hint


def walk(world: World, seed: int, setting: Setting, steps: int) -> Iterator[str]:
    """Takes steps; yields the line of each. Raises `ViolationError`."""
    the_walk = Walk(world, Random(seed), setting)
    for _ in range(steps):
        the_walk.step()
        if the_walk.trail:
            yield the_walk.trail[-1]
