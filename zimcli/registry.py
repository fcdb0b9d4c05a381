"""The one list of commands. It feeds the shell's dispatch, the session language, help and completion.

What a command does stands in the module of its name in `zimcli/commands/`, which is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import click

    from zimcore.documents.positions import Answer


class Entry(NamedTuple):
    """A command: its name, the help in one line, and what it is for.

    `text` says that in a session the rest of the line is one text, unless it has quotes: `try craft potter d4`.
    """

    name: str
    help: str
    group: str
    text: bool = False

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
        arguments = (each.name for each in self.load().params if each.param_type_name == "argument")
        return next(arguments, "") == "place"


PLAY, LOOK, TRAVEL, CHECK, KEEP, LEARN = "Play", "Look", "Move through history", "Check", "Keep", "Learn"

ENTRIES = (
    Entry("new", "Begin a game.", PLAY),
    Entry("games", "List the games of the store.", PLAY),
    Entry("play", "Play a game at a prompt.", PLAY),
    Entry("do", "Play commands, one after the other.", PLAY, text=True),
    Entry("try", "Show what commands would do, and play none.", PLAY, text=True),
    Entry("legal", "List what can be played now.", PLAY),
    Entry("plan", "Show the cheapest way to something, or what is worth doing.", PLAY),
    Entry("preview", "Show what a command, or the end of the round, would bring.", PLAY),
    Entry("run", "Run a script.", PLAY),
    Entry("show", "Show a position: the move that made it, and the standings.", LOOK),
    Entry("board", "Draw the board.", LOOK),
    Entry("replay", "Write a game as a page to step through.", LOOK),
    Entry("reach", "Show what is in reach of a place on the board.", LOOK),
    Entry("stats", "Show the statistics of a game.", LOOK),
    Entry("log", "List the moves of a line.", LOOK),
    Entry("story", "Tell a game round by round.", LOOK),
    Entry("events", "List the facts of a line.", LOOK),
    Entry("compare", "Show how two lines or positions differ.", LOOK),
    Entry("why", "Show what made something so, newest first.", LOOK),
    Entry("bisect", "Find the first move after which something holds.", LOOK),
    Entry("undo", "Step back; nothing is lost.", TRAVEL),
    Entry("redo", "Step forward again.", TRAVEL),
    Entry("goto", "Go to a position of a line.", TRAVEL),
    Entry("fork", "Begin a new line at a position.", TRAVEL),
    Entry("amend", "Replace a move, and play what came after it again.", TRAVEL, text=True),
    Entry("pick", "Play the commands of another line here.", TRAVEL),
    Entry("lines", "List the lines of a game.", TRAVEL),
    Entry("switch", "Make another line the current one.", TRAVEL),
    Entry("rename", "Give a line another name.", TRAVEL),
    Entry("forget", "Take the name of a line away; its commits stay.", TRAVEL),
    Entry("verify", "Prove that a line is as it was played.", CHECK),
    Entry("expect", "Fail unless something is so.", CHECK),
    Entry("export", "Write a line or the whole store to a file.", KEEP),
    Entry("import", "Read what was exported.", KEEP),
    Entry("key", "Show the key with which you sign.", KEEP),
    Entry("sign", "Sign a certificate.", KEEP),
    Entry("db", "Look after the database of a store.", KEEP),
    Entry("completion", "Print what makes a shell complete zim's words.", LEARN),
    Entry("config", "Show the settings of the prompt.", LEARN),
    Entry("explain", "Explain whether a command is legal, and why.", LEARN, text=True),
    Entry("schema", "Show the shapes of documents.", LEARN),
    Entry("rules", "Look up a rule.", LEARN),
    Entry("tutorial", "Learn a game by playing its first round.", LEARN),
    Entry("demo", "Watch a whole game.", LEARN),
    Entry("help", "Explain the commands, and the game.", LEARN),
)

BY_NAME = {entry.name: entry for entry in ENTRIES}


def answers() -> dict[str, type[Answer]]:
    """What the commands answer with, as their functions say; nothing for those that only run other lines."""
    return {entry.name: answer for entry in ENTRIES if (answer := entry.answer)}


def groups() -> Iterator[tuple[str, list[Entry]]]:
    """The commands by what one wants to do."""
    for group in dict.fromkeys(entry.group for entry in ENTRIES):
        yield group, [entry for entry in ENTRIES if entry.group == group]
