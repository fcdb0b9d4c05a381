"""The doors to a store: shell, pipe, script, prompt, table. Each runs a line, and says what went wrong.

All doors of a world share one store in memory, each through a service of its own, as processes do.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any, NamedTuple, Protocol

from click.testing import CliRunner
from msgspec.json import encode
from prompt_toolkit.application import create_app_session
from prompt_toolkit.output import DummyOutput

from event_store import EventStore
from tests.predictable_salts import salt_maker
from zimcli.commands.pipe import reply_to
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.repl.loop import Conversation
from zimcli.session.pipe_requests import parameters
from zimcli.session.session import Session, split_arguments
from zimcli.settings.config import Config
from zimcli.shell.registry import ENTRIES_BY_NAME
from zimcli.table.app import build_app
from zimcli.table.controller import TableController
from zimcli.table.table_output import TableOutput
from zimcore.documents.problems import Problem
from zimcore.game import GameError
from zimcore.games.registry import GAMES
from zimcore.library.store import Store
from zimcore.service import ConflictError, GameService, StoreError

KINDS: Mapping[str, str] = {**GAMES, "nim": "tests.nim:GAME"}


class Reply(NamedTuple):
    """What a door said: an exit code (0 if all went well), the error, the hints, and the whole text."""

    code: int = 0
    what: str = ""
    hints: tuple[str, ...] = ()
    text: str = ""


class RecordingOutput(Output, frozen=True, kw_only=True):
    """Prints as usual, and keeps the problems."""

    problems: list[Problem]

    def show_problem(self, problem: Problem) -> None:
        self.problems.append(problem)
        super().show_problem(problem)


class RecordingTableOutput(TableOutput, frozen=True, kw_only=True):
    """The output of the table, which keeps the problems."""

    problems: list[Problem]

    def show_problem(self, problem: Problem) -> None:
        self.problems.append(problem)
        super().show_problem(problem)


class Door(Protocol):
    """A way in: it runs one line as its user would type it."""

    name: str

    def run(self, line: str) -> Reply: ...


class Shell:
    """A new process for each line, which names its game."""

    name = "shell"

    def __init__(self, service: GameService, by: str, seat: str = "", place: str = "g") -> None:
        self.service, self.by, self.seat, self.place = service, by, seat, place

    def session(self) -> Session:
        return Session(Output(), by=self.by, service=self.service)

    def parsed(self, line: str) -> tuple[str, list[str], dict[str, str | bool]]:
        """The command, the arguments and the options of a line of a session; a move is a command `do`."""
        command, _, argument_text = line.removeprefix("zim ").partition(" ")
        entry = ENTRIES_BY_NAME.get(command)
        if entry is None or (entry.is_shell_only and line.startswith(command)):  # a word of a game
            return "do", [self.place, line], {}
        arguments, options = list[str](), dict[str, str | bool]()
        words = iter(split_arguments(entry, argument_text))
        for word in words:
            if word.startswith("--"):
                takes_value = word in entry.options_with_value and word != "--op"  # whose value may be left out
                options[word] = next(words) if takes_value else True
            else:
                arguments.append(word)
        if entry.takes_a_place and arguments[:1] and arguments[0].startswith("@"):
            arguments[0] = self.place + arguments[0]
        elif entry.takes_a_place and not any("/" in word or word.partition("@")[0] == "g" for word in arguments[:1]):
            arguments = [self.place, *arguments]
        return command, arguments, options

    def words(self, line: str) -> list[str]:
        """The words of the shell for a line of a session; a line that begins with `zim` has its own."""
        if line.startswith("zim "):
            return shlex.split(line)[1:]
        command, arguments, options = self.parsed(line)
        return [command, *arguments, *(word for each in options.items() for word in each if isinstance(word, str))]

    def run(self, line: str) -> Reply:
        words = self.words(line)
        seat_words = ["--as", self.seat] if self.seat and "--as" not in words else []
        result = CliRunner().invoke(cli, ["--json", *seat_words, *words], obj=self.session(), prog_name="zim")
        errors = [json.loads(text) for text in result.stderr.splitlines() if text.startswith('{"error"')]
        problem: dict[str, Any] = errors[-1]["error"] if errors else {"what": "", "hints": ()}
        return Reply(result.exit_code, problem["what"], tuple(problem["hints"]), result.output)

    def run_after(self, change: Callable[[], object], line: str) -> Reply:
        """Runs a line; a second person acts while it is typed."""
        change()
        return self.run(line)


class Script(Shell):
    """A script of one line."""

    name = "script"

    def run(self, line: str) -> Reply:
        lines = f"switch {self.place}\n{line}\n"
        words = [*(["--as", self.seat] if self.seat else []), "--json", "run", "-"]
        result = CliRunner().invoke(cli, words, input=lines, obj=self.session(), prog_name="zim")
        return Reply(result.exit_code, result.stderr, (), result.output)


class Pipe(Shell):
    """A request of `zim pipe`."""

    name = "pipe"

    def run(self, line: str) -> Reply:
        if "--help" in line:  # a hint for people, who type it in the shell
            return super().run(line)
        command, arguments, options = self.parsed(line.replace(f" --by {self.by}", ""))  # a hint says who, too
        entry_parameters = parameters(ENTRIES_BY_NAME[command])
        names = [name for name, each in entry_parameters.items() if each.param_type_name == "argument"]
        values = {name[2:]: value for name, value in options.items()} | dict(zip(names, arguments, strict=False))
        seat = self.seat if "as" in entry_parameters else values.pop("as", self.seat)
        request = {command: values or True, "by": self.by} | ({"as": seat} if seat else {})
        session = Session(Output(), by="somebody", service=self.service)  # the request says who
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            reply = reply_to(session, json.dumps(request).encode())
        problem, text = reply.error, encode(reply.answer).decode()
        return Reply(reply.code, problem.what if problem else "", problem.hints if problem else (), text)


class Prompt(Shell):
    """An open prompt, line after line."""

    name = "prompt"

    def __init__(self, service: GameService, by: str, seat: str = "", place: str = "g") -> None:
        super().__init__(service, by, seat, place)
        self.problems: list[Problem] = []
        self.open_session = Session(RecordingOutput(problems=self.problems), by=by, service=service)
        self.open_session.enter_position(self.open_session.head(self.open_session.place_with_line(place)))
        if seat:
            self.open_session.play_as(seat)
        self.open_session.is_careful = True
        self.conversation = Conversation(self.open_session)

    def run(self, line: str) -> Reply:
        return self.run_after(lambda: None, line)

    def run_after(self, change: Callable[[], object], line: str) -> Reply:
        def ask(_: str) -> str:
            change()
            return line

        self.problems.clear()
        output = StringIO()
        with redirect_stdout(output), redirect_stderr(output):
            goes_on = self.conversation.run_prompt_once(ask)
        if self.problems:
            problem = self.problems[-1]
            return Reply(problem.code, problem.what, problem.hints, output.getvalue())
        return Reply(0 if goes_on else -1, text=output.getvalue())


class Table(Shell):
    """An open table, without a terminal."""

    name = "table"

    def __init__(self, service: GameService, by: str, seat: str = "", place: str = "g") -> None:
        super().__init__(service, by, seat, place)
        self.stack = ExitStack()
        self.stack.enter_context(create_app_session(output=DummyOutput()))
        self.problems: list[Problem] = []
        session = Session(Output(), by=by, service=service)
        session.enter_position(session.head(session.place_with_line(place)))
        if seat:
            session.play_as(seat)
        session.is_careful = True
        self.open_session = session
        self.controller = TableController(session, Config(thinking=False))
        build_app(self.controller)
        thread = self.controller.service_thread
        session.output = RecordingTableOutput(
            False, session.output.color, session.output.ascii, sink=thread, problems=self.problems
        )

    def run(self, line: str) -> Reply:
        self.problems.clear()
        thread, model = self.controller.service_thread, self.controller.model
        try:
            result = thread.executor.submit(thread.run_typed_line, line, model.head).result()
        except GameError as error:  # the controller shows it
            return Reply(2, error.what, error.hints)
        if not result.ends_table:
            self.controller.show_result(result)
        problem = self.problems[-1] if self.problems else None
        text = "\n".join(
            "".join(part for part, _ in block) if isinstance(block, list) else str(block) for block in result.blocks
        )
        if problem:
            return Reply(problem.code, problem.what, problem.hints, text)
        return Reply(-1 if result.ends_table else 0, text=text)

    def look(self) -> None:
        """Looks for news, as the table does four times a second."""
        thread = self.controller.service_thread
        if view := thread.executor.submit(thread.read_news).result():
            self.controller.show_news(view)

    def menu_words(self) -> list[str]:
        """The words that the menu offers on an empty line."""
        from zimcore.candidates import candidates

        candidates(self.controller.model.head)
        return [word for word, _ in self.controller.menu.offered_words()]

    def close(self) -> None:
        controller = self.controller
        controller.is_leaving = True
        controller.service_thread.close()
        controller.suggestion_pool.shutdown()
        controller.judging_pool.shutdown()
        self.stack.close()


class Library(Shell):
    """A program that uses the library."""

    name = "library"

    def run(self, line: str) -> Reply:
        """Calls the method that a line stands for; other lines are typed in the shell."""
        if line.startswith("zim "):
            return super().run(line)
        command, arguments, options = self.parsed(line)
        store = Store(self.service, by=self.by)
        calls: dict[str, Callable[[], object]] = {
            "do": lambda: store.play(*arguments),
            "undo": lambda: store.undo(arguments[0], *map(int, arguments[1:])),
            "redo": lambda: store.redo(arguments[0], *map(int, arguments[1:])),
            "goto": lambda: store.goto(*arguments),
            "fork": lambda: store.fork(*arguments),
            "switch": lambda: store.switch(*arguments),
            "rename": lambda: store.rename(*arguments),
            "forget": lambda: store.forget(*arguments),
            "amend": lambda: store.amend(*arguments, keep="stop" if "--stop" in options else "all"),
            "show": lambda: store.look(*arguments),
        }
        if command not in calls or (options and command != "amend"):
            return super().run(line)
        try:
            calls[command]()
        except (GameError, ConflictError, StoreError) as error:
            return Reply(2, str(error))
        except TypeError as error:
            return Reply(2, str(error))
        return Reply(0)


DOORS: tuple[type[Shell], ...] = (Shell, Script, Pipe, Prompt, Table)


class World:
    """A store with doors to it."""

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self.doors: list[Shell] = []
        self.service = self.new_service()

    def new_service(self) -> GameService:
        """Another process's service of the store."""
        return GameService(self.store, games=KINDS)

    def open(self, door: type[Shell], by: str = "anna", seat: str = "", place: str = "g") -> Shell:
        """Opens a door for a person."""
        self.doors.append(door(self.new_service(), by, seat, place))
        return self.doors[-1]


@contextmanager
def a_world() -> Iterator[World]:
    """A world with an empty store."""
    with EventStore.open("memory:", salt_maker()) as store:
        world = World(store)
        with closing_tables(world.doors):
            yield world


@contextmanager
def closing_tables(doors: Sequence[Shell]) -> Iterator[None]:
    """Closes the tables among the doors, also those that are opened later."""
    try:
        yield
    finally:
        for door in doors:
            if isinstance(door, Table):
                door.close()
