"""The one list of commands. It feeds the shell's dispatch, the session language, help and completion.

What a command does stands in the module of its name in `zimcli/commands/`, which is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import click

    from zimcore.documents.positions import Answer


class Kind(Enum):
    """What an argument is. Completion, the `?` key and the session language go by it."""

    PLACE = "a game, a line or a position; in a session it may be left out"
    COMMAND = "a command of the game that could be played there, as one text"
    AMENDMENT = "a command of the game in the place of one that was played"
    WORDS = "the words that a command of the game begins with"
    QUESTION = "what the game is asked about: its words are in the help"
    EXPRESSION = "an expression over a position, a figure or a square"
    OVERLAY = "what is laid over the board, as an option"
    RULE = "the code of a rule, or its beginning"
    TOPIC = "a command, or a part of the game"
    GAME = "a kind of game"
    SETTINGS = "a name, and options of a new game"
    NAME = "a name that is given"
    NUMBER = "a number"
    FILE = "a file"
    CHOICE = "one of a few words, which are in the help"


class Entry(NamedTuple):
    """A command: its name, the help in one line, and what it is for.

    `takes` are the kinds of its arguments, in order. One that `looks` moves nothing, though it stands among those that
    play.
    """

    name: str
    help: str
    group: str
    takes: tuple[Kind, ...] = ()
    looks: bool = False

    def load(self) -> click.Command:
        """The command itself, from its module."""
        module = import_module(f"zimcli.commands.{self.name}{'_' * iskeyword(self.name)}")
        command: click.Command = module.command
        return command

    @property
    def answer(self) -> type[Answer] | None:
        """What it answers with, if it does not only run other lines: what its function says that it returns."""
        from inspect import unwrap
        from typing import get_args, get_type_hints

        callback = self.load().callback
        assert callback
        returned = get_type_hints(unwrap(callback))["return"]
        found = [each for each in get_args(returned) or [returned] if each is not type(None)]
        return found[0] if found else None

    @property
    def takes_a_place(self) -> bool:
        """Whether its first argument is a place."""
        return self.takes[:1] == (Kind.PLACE,)

    @property
    def text(self) -> bool:
        """Whether in a session the rest of the line is one text, unless it has quotes: `try craft potter d4`."""
        return Kind.COMMAND in self.takes or Kind.AMENDMENT in self.takes

    @property
    def only_looks(self) -> bool:
        """Whether it leaves every line of play where it is."""
        return self.looks or self.group in (LOOK, CHECK, LEARN)


PLAY, LOOK, TRAVEL, CHECK, KEEP, LEARN = "Play", "Look", "Move through history", "Check", "Keep", "Learn"

ENTRIES = (
    Entry("new", "Begin a game.", PLAY, (Kind.SETTINGS,)),
    Entry("games", "List the games of the store.", PLAY),
    Entry("play", "Play a game at a prompt.", PLAY, (Kind.PLACE,)),
    Entry("do", "Play commands, one after the other.", PLAY, (Kind.PLACE, Kind.COMMAND)),
    Entry("try", "Show what commands would do, and play none.", PLAY, (Kind.PLACE, Kind.COMMAND), looks=True),
    Entry("legal", "List what can be played now.", PLAY, (Kind.PLACE, Kind.WORDS), looks=True),
    Entry(
        "plan",
        "Show the cheapest way to something, or what is worth doing.",
        PLAY,
        (Kind.PLACE, Kind.QUESTION),
        looks=True,
    ),
    Entry(
        "preview",
        "Show what a command, or the end of the round, would bring.",
        PLAY,
        (Kind.PLACE, Kind.WORDS),
        looks=True,
    ),
    Entry("run", "Run a script.", PLAY, (Kind.FILE,)),
    Entry("show", "Show a position: the move that made it, and the standings.", LOOK, (Kind.PLACE,)),
    Entry("board", "Draw the board.", LOOK, (Kind.PLACE, Kind.OVERLAY)),
    Entry("replay", "Write a game as a page to step through.", LOOK, (Kind.PLACE,)),
    Entry("reach", "Show what is in reach of a place on the board.", LOOK, (Kind.PLACE, Kind.QUESTION)),
    Entry("stats", "Show the statistics of a game.", LOOK, (Kind.PLACE,)),
    Entry("log", "List the moves of a line.", LOOK, (Kind.PLACE,)),
    Entry("story", "Tell a game round by round.", LOOK, (Kind.PLACE,)),
    Entry("events", "List the facts of a line.", LOOK, (Kind.PLACE,)),
    Entry("compare", "Show how two lines or positions differ.", LOOK, (Kind.PLACE, Kind.PLACE)),
    Entry("why", "Show what made something so, newest first.", LOOK, (Kind.PLACE, Kind.EXPRESSION)),
    Entry("bisect", "Find the first move after which something holds.", LOOK, (Kind.PLACE, Kind.EXPRESSION)),
    Entry("undo", "Step back; nothing is lost.", TRAVEL, (Kind.PLACE, Kind.NUMBER)),
    Entry("redo", "Step forward again.", TRAVEL, (Kind.PLACE, Kind.NUMBER)),
    Entry("goto", "Go to a position of a line.", TRAVEL, (Kind.PLACE,)),
    Entry("fork", "Begin a new line at a position.", TRAVEL, (Kind.PLACE, Kind.NAME)),
    Entry("amend", "Replace a move, and play what came after it again.", TRAVEL, (Kind.PLACE, Kind.AMENDMENT)),
    Entry("pick", "Play the commands of another line here.", TRAVEL, (Kind.PLACE, Kind.PLACE)),
    Entry("lines", "List the lines of a game.", TRAVEL, (Kind.PLACE,)),
    Entry("switch", "Make another line the current one.", TRAVEL, (Kind.PLACE,)),
    Entry("rename", "Give a line another name.", TRAVEL, (Kind.PLACE, Kind.NAME)),
    Entry("forget", "Take the name of a line away; its commits stay.", TRAVEL, (Kind.PLACE,)),
    Entry("verify", "Prove that a line is as it was played.", CHECK, (Kind.PLACE,)),
    Entry("expect", "Fail unless something is so.", CHECK, (Kind.PLACE, Kind.EXPRESSION)),
    Entry("export", "Write a line or the whole store to a file.", KEEP, (Kind.PLACE,)),
    Entry("import", "Read what was exported.", KEEP, (Kind.FILE,)),
    Entry("key", "Show the key with which you sign.", KEEP),
    Entry("sign", "Sign a certificate.", KEEP, (Kind.FILE,)),
    Entry("db", "Look after the database of a store.", KEEP, (Kind.CHOICE,)),
    Entry("completion", "Print what makes a shell complete zim's words.", LEARN, (Kind.CHOICE,)),
    Entry("config", "Show the settings of the prompt.", LEARN),
    Entry("explain", "Explain whether a command is legal, and why.", LEARN, (Kind.PLACE, Kind.COMMAND)),
    Entry("schema", "Show the shapes of documents.", LEARN),
    Entry("rules", "Look up a rule.", LEARN, (Kind.RULE,)),
    Entry("tutorial", "Learn a game by playing its first round.", LEARN, (Kind.GAME,)),
    Entry("demo", "Watch a whole game.", LEARN, (Kind.GAME,)),
    Entry("help", "Explain the commands, and the game.", LEARN, (Kind.TOPIC,)),
)

BY_NAME = {entry.name: entry for entry in ENTRIES}

NEW, DO, LEGAL, SHOW, BOARD, RULES, HELP = map(
    BY_NAME.__getitem__, ("new", "do", "legal", "show", "board", "rules", "help")
)
"""Those that zim runs by itself, for a line or a key that names none of them."""

LEAVE = ("quit", "exit")
"""What ends a session, in which alone they mean something."""


def answers() -> dict[str, type[Answer]]:
    """What the commands answer with, as their functions say; nothing for those that only run other lines."""
    return {entry.name: answer for entry in ENTRIES if (answer := entry.answer)}


def groups() -> Iterator[tuple[str, list[Entry]]]:
    """The commands by what one wants to do."""
    for group in dict.fromkeys(entry.group for entry in ENTRIES):
        yield group, [entry for entry in ENTRIES if entry.group == group]
