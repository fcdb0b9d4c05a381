"""The list of all commands. Shell dispatch, the session language, help and completion all use it.

Each command is implemented in `zimcli/commands/`, in the module of its name or in that of its family; those of features
are in `zimcli/features/`. The module is imported when the command is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import click

    from zimcore.documents.positions import Answer


ArgumentKind: TypeAlias = Literal[
    "place",  # a game, a line or a position; in a session it may be left out
    "command",  # a command of the game that could be played there, as one text
    "amendment",  # a command of the game that replaces one that was played
    "text",  # the text of a message
    "words",  # the first words of a command of the game
    "question",  # a question to the game; its help lists the words
    "expression",  # an expression over a position, a figure or a square
    "overlay",  # an option that draws something over the board
    "rule",  # the code of a rule, or its beginning
    "topic",  # a command, or a part of the game
    "game",  # a kind of game
    "settings",  # a name, and options of a new game
    "name",  # a name
    "number",  # a number
    "bot",  # the level of a bot
    "file",  # a file
    "link",  # an invitation to a game on a server
    "choice",  # one of a few words that the help lists
]
"""The kind of an argument. Completion, the `?` key and the session language depend on it."""


class CommandEntry(NamedTuple):
    """A command: its name, its help in one line, and its group.

    `argument_kinds` are those of its arguments, in order. `is_read_only` marks a command that changes nothing although
    its group has commands that do. `is_shell_only` marks one that only the shell has, because in a session its name is
    a word of a game. The command of a `feature` is in `zimcli/features/`.
    """

    name: str
    help: str
    group: str
    argument_kinds: tuple[ArgumentKind, ...] = ()
    is_read_only: bool = False
    is_shell_only: bool = False
    feature: str = ""

    def load_command(self) -> click.Command:
        """Imports the module of the command, and returns the command."""
        family = FAMILY_BY_NAME.get(self.name)
        module_name = self.name.replace("-", "_") + "_" * iskeyword(self.name)
        module = import_module(
            f"zimcli.features.{self.feature}" if self.feature else f"zimcli.commands.{family or module_name}"
        )
        command: click.Command = getattr(module, self.name if family or self.feature else "command")
        family_words = [word for word, names in SUBCOMMANDS.items() if self.name in names]
        if self.name in HINT_QUESTIONS:
            command.epilog = f"Now typed: zim {HINT.name} PLACE --{self.name}"
        elif family_words:
            command.epilog = f"Also typed: zim {family_words[0]} {self.name}"
        return command

    @property
    def answer_types(self) -> tuple[type[Answer], ...]:
        """The types of its answers, from the annotation of its function; none if it only runs other lines."""
        from inspect import unwrap
        from typing import get_args, get_type_hints

        callback = self.load_command().callback
        assert callback
        return_type = get_type_hints(unwrap(callback))["return"]
        return tuple(each for each in get_args(return_type) or [return_type] if each is not type(None))

    @property
    def options_with_value(self) -> set[str]:
        """The options that take the next word as their value."""
        from click import Option

        options = [param for param in self.load_command().params if isinstance(param, Option)]
        return {name for option in options if not (option.is_flag or option.count) for name in option.opts}

    @property
    def takes_a_place(self) -> bool:
        """Whether its first argument is a place."""
        return self.argument_kinds[:1] == ("place",)

    @property
    def takes_text(self) -> bool:
        """Whether in a session the rest of the line is one text, unless it is quoted: `try craft potter d4`."""
        return not {"command", "amendment", "text"}.isdisjoint(self.argument_kinds)

    @property
    def is_check(self) -> bool:
        """Whether it is a check: it stores nothing that could change what it, or another check, says next time."""
        return self.group == CHECK_GROUP and self.name not in WRITING_CHECKS

    @property
    def only_reads(self) -> bool:
        """Whether it never changes a line of play."""
        return self.is_read_only or self.group in (LOOK_GROUP, CHECK_GROUP, HELP_GROUP)


PLAY_GROUP, TOGETHER_GROUP, LOOK_GROUP, TRAVEL_GROUP, CHECK_GROUP, KEEP_GROUP, HELP_GROUP = (
    *("Play", "Play together", "Look", "Move through history", "Check", "Keep", "Help and settings"),
)
WRITING_CHECKS = ("witness", "new-game", "learn")
"""Commands among the checks that write a file, as the user asked."""

ENTRIES = (
    CommandEntry("new", "Begin a game.", PLAY_GROUP, ("settings",)),
    CommandEntry("games", "List the games in the store.", PLAY_GROUP),
    CommandEntry("play", "Play a game at the table, or at a prompt.", PLAY_GROUP, ("place",)),
    CommandEntry("do", "Play one or more commands.", PLAY_GROUP, ("place", "command")),
    CommandEntry(
        "try", "Show what commands would do, without playing them.", PLAY_GROUP, ("place", "command"), is_read_only=True
    ),
    CommandEntry("legal", "List the legal commands.", PLAY_GROUP, ("place", "words"), is_read_only=True),
    CommandEntry(
        "plan",
        "Show the cheapest way to a goal, or which goals are worth it.",
        PLAY_GROUP,
        ("place", "question"),
        is_read_only=True,
    ),
    CommandEntry(
        "advice",
        "List promising commands, and what each would bring.",
        PLAY_GROUP,
        ("place", "words"),
        is_read_only=True,
    ),
    CommandEntry(
        "preview",
        "Show what a command, or the end of the round, would bring.",
        PLAY_GROUP,
        ("place", "words"),
        is_read_only=True,
    ),
    CommandEntry("hint", "Show the best turn now, and why.", PLAY_GROUP, ("place", "words"), is_read_only=True),
    CommandEntry("bot", "Let a bot play the current turn, or take over a seat.", PLAY_GROUP, ("place", "bot", "bot")),
    CommandEntry("arena", "Let bots play many games, and show which is better.", PLAY_GROUP, ("bot",)),
    CommandEntry("run", "Run a script.", PLAY_GROUP, ("file",)),
    CommandEntry("pipe", "Answer JSON requests on stdin, one per line.", PLAY_GROUP),
    CommandEntry(
        "host",
        "Host a game for friends, with a link for each of them.",
        TOGETHER_GROUP,
        ("settings",),
        is_shell_only=True,
    ),
    CommandEntry("join", "Join a game on a server with a link.", TOGETHER_GROUP, ("link",), is_shell_only=True),
    CommandEntry("seats", "Show who sits where in a game on a server.", TOGETHER_GROUP, ("place",), is_read_only=True),
    CommandEntry(
        "invite", "Invite a player or a guest to a game on a server with a link.", TOGETHER_GROUP, ("place", "name")
    ),
    CommandEntry("deal", "Deal a game on a server to the players at its open table.", TOGETHER_GROUP, ("place",)),
    CommandEntry(
        "order", "Give a standing order, to be played when your turn comes.", TOGETHER_GROUP, ("place", "command")
    ),
    CommandEntry("orders", "List your standing orders, and what became of them.", TOGETHER_GROUP, ("place",)),
    CommandEntry(
        "terms", "Show the terms of a game on a server, or change them.", TOGETHER_GROUP, ("place", "settings")
    ),
    CommandEntry(
        "notices",
        "Choose how a server notifies you of games.",
        TOGETHER_GROUP,
        ("place", "name", "settings"),
    ),
    CommandEntry("leave", "Leave a game for good, or resign.", TOGETHER_GROUP, ("place",), feature="departures"),
    CommandEntry(
        "say",
        "Send a chat message, or write a private note.",
        TOGETHER_GROUP,
        ("place", "text"),
        is_read_only=True,
    ),
    CommandEntry(
        "talk", "List the chat of a game, with your own notes.", TOGETHER_GROUP, ("place",), is_read_only=True
    ),
    CommandEntry(
        "takeback",
        "Ask the other players to take moves back.",
        TOGETHER_GROUP,
        ("place", "number"),
        feature="takebacks",
    ),
    CommandEntry(
        "requests",
        "List requests between players.",
        TOGETHER_GROUP,
        ("place",),
        is_read_only=True,
        feature="takebacks",
    ),
    CommandEntry(
        "accept", "Accept a request of another player.", TOGETHER_GROUP, ("place", "number"), feature="takebacks"
    ),
    CommandEntry(
        "decline", "Decline a request of another player.", TOGETHER_GROUP, ("place", "number"), feature="takebacks"
    ),
    CommandEntry(
        "withdraw",
        "Withdraw your request to the other players.",
        TOGETHER_GROUP,
        ("place", "number"),
        feature="takebacks",
    ),
    CommandEntry(
        "league",
        "Run a league: rounds of games, results and standings.",
        TOGETHER_GROUP,
        ("choice", "name", "settings"),
    ),
    CommandEntry(
        "vote",
        "Vote on what to do about a seat that is out of time.",
        TOGETHER_GROUP,
        ("place", "choice", "name"),
        feature="votes",
    ),
    CommandEntry("show", "Show a position: the move that made it, and the standings.", LOOK_GROUP, ("place",)),
    CommandEntry("board", "Draw the board.", LOOK_GROUP, ("place", "overlay")),
    CommandEntry("replay", "Write a game as a web page to step through.", LOOK_GROUP, ("place",)),
    CommandEntry("reach", "Show what can be reached from a square of the board.", LOOK_GROUP, ("place", "question")),
    CommandEntry("ask", "Ask the game a question, such as what its cards do.", LOOK_GROUP, ("place", "question")),
    CommandEntry("stats", "Show the statistics of a game, or of many.", LOOK_GROUP, ("place", "file")),
    CommandEntry("log", "List the moves of a line.", LOOK_GROUP, ("place",)),
    CommandEntry("analyse", "Judge every turn: chances to win, mistakes and turning points.", LOOK_GROUP, ("place",)),
    CommandEntry(
        "whatif", "Let bots play alternatives to the end, and compare the results.", LOOK_GROUP, ("place", "command")
    ),
    CommandEntry("story", "Tell a game round by round.", LOOK_GROUP, ("place",)),
    CommandEntry("events", "List the events of a line.", LOOK_GROUP, ("place",)),
    CommandEntry("compare", "Show how two lines or positions differ.", LOOK_GROUP, ("place", "place")),
    CommandEntry("why", "Explain how a value came about, newest change first.", LOOK_GROUP, ("place", "expression")),
    CommandEntry(
        "bisect", "Find the first move after which an expression is true.", LOOK_GROUP, ("place", "expression")
    ),
    CommandEntry("undo", "Undo moves.", TRAVEL_GROUP, ("place", "number")),
    CommandEntry("redo", "Redo moves that were undone.", TRAVEL_GROUP, ("place", "number")),
    CommandEntry("goto", "Move the head of a line to a position.", TRAVEL_GROUP, ("place",)),
    CommandEntry("fork", "Begin a new line at a position.", TRAVEL_GROUP, ("place", "name")),
    CommandEntry("amend", "Replace a move, and replay the moves after it.", TRAVEL_GROUP, ("place", "amendment")),
    CommandEntry("pick", "Replay moves of another line here.", TRAVEL_GROUP, ("place", "place")),
    CommandEntry("lines", "List the lines of a game.", TRAVEL_GROUP, ("place",)),
    CommandEntry("switch", "Make another line your current line.", TRAVEL_GROUP, ("place",)),
    CommandEntry("rename", "Rename a line.", TRAVEL_GROUP, ("place", "name")),
    CommandEntry("forget", "Remove a line from the list; its moves stay stored.", TRAVEL_GROUP, ("place",)),
    CommandEntry("tag", "Name a position, or list the names.", TRAVEL_GROUP, ("place", "name")),
    CommandEntry("verify", "Verify that a line is as it was played.", CHECK_GROUP, ("place", "file")),
    CommandEntry("audit", "Check a game log for illegal moves.", CHECK_GROUP, ("file",)),
    CommandEntry("witness", "Record all heads in a file, to keep outside the store.", CHECK_GROUP, ("file",)),
    CommandEntry("check", "Check a game's code against the contract.", CHECK_GROUP, ("game",)),
    CommandEntry("new-game", "Create the package of a game of your own.", CHECK_GROUP, ("name",)),
    CommandEntry("learn", "Train the bots of a game by letting them play it.", CHECK_GROUP, ("game", "settings")),
    CommandEntry("doctor", "Examine a store or a server for faults in its configuration.", CHECK_GROUP),
    CommandEntry("expect", "Fail unless an expression is true.", CHECK_GROUP, ("place", "expression")),
    CommandEntry("export", "Write a line or the whole store to a file.", KEEP_GROUP, ("place", "place")),
    CommandEntry("import", "Import an exported line or store, or a game of another site.", KEEP_GROUP, ("file",)),
    CommandEntry("key", "Show your signing key, and the known keys of others.", KEEP_GROUP, ("choice", "name")),
    CommandEntry(
        "seat", "Bind a seat to a key, so that its commands are signed.", KEEP_GROUP, ("place", "name", "name")
    ),
    CommandEntry("sign", "Sign a certificate.", KEEP_GROUP, ("file",)),
    CommandEntry("archive", "Archive a game: it is no longer listed.", KEEP_GROUP, ("place",)),
    CommandEntry("delete", "Delete a game; --back restores it.", KEEP_GROUP, ("place",)),
    CommandEntry("serve", "Serve games over the network.", KEEP_GROUP, ("choice", "name")),
    CommandEntry("backup", "Back up the whole store to a file, even while it is in use.", KEEP_GROUP, ("file",)),
    CommandEntry("db", "Create, check, restore, salvage or upgrade a store.", KEEP_GROUP, ("choice", "file")),
    CommandEntry("completion", "Print a completion script for your shell.", HELP_GROUP, ("choice",)),
    CommandEntry("config", "Show or change the settings of the prompt and the table.", HELP_GROUP, ("name",)),
    CommandEntry("explain", "Explain whether a command is legal, and why.", HELP_GROUP, ("place", "command")),
    CommandEntry("schema", "Print the JSON schemas of all documents.", HELP_GROUP, ("topic",)),
    CommandEntry("practise", "Practise the turns that gave something away in your games.", HELP_GROUP, ("place",)),
    CommandEntry("rules", "Look up a rule, or learn a game.", HELP_GROUP, ("rule",)),
    CommandEntry("tutorial", "Learn a game by playing its first rounds.", HELP_GROUP, ("game", "number")),
    CommandEntry("demo", "Watch a whole game.", HELP_GROUP, ("game",)),
    CommandEntry("help", "Explain a command, a card or a part of the game.", HELP_GROUP, ("topic",)),
)

FREQUENT_COMMANDS = {
    "Play": ("new", "games", "play", "legal", "hint", "undo", "redo"),
    "Look": ("show", "log", "why", "analyse", "whatif"),
    "Try other lines": ("fork", "lines", "switch", "compare"),
    "Play with friends": ("host", "join"),
    "Learn": ("tutorial", "practise", "rules", "help"),
}
"""The commands of `zim help`; `help all` has all."""

SUBCOMMANDS = {
    "request": ("takeback", "requests", "accept", "decline", "withdraw", "vote"),
    "room": ("invite", "seats", "leave", "terms", "deal", "notices"),
    "sign": ("key", "seat", "witness"),
    "dev": ("check", "new-game", "learn", "schema"),
}
"""Words that may stand before a command and hold a family together: `zim room invite` is `zim invite`."""

HINT_QUESTIONS = ("advice", "preview", "plan")
"""Commands that are options of `hint`: `zim hint kilwa-7 --plan kilwa` is `zim plan kilwa-7 kilwa`."""

FAMILIES = {
    "advising": ("advice", "hint"),
    "discussion": ("say", "talk"),
    "heads": ("lines", "goto", "undo", "redo", "fork", "switch", "rename", "forget"),
    "itself": ("config", "completion", "schema"),
    "keeping": ("archive", "delete", "backup", "db"),
    "orders": ("order", "orders"),
    "past": ("story", "stats", "compare", "why", "bisect", "expect"),
    "questions": ("ask", "plan", "reach", "preview"),
    "record": ("log", "events"),
    "rewriting": ("amend", "pick"),
    "rulebook": ("rules", "explain"),
    "running": ("run", "demo"),
    "seating": ("join", "seats", "invite", "deal", "terms", "notices"),
    "signing": ("key", "seat", "sign", "witness"),
}
"""Commands that share a module, each as a function of its own name. In other modules the function is `command`."""
FAMILY_BY_NAME = {name: family for family, names in FAMILIES.items() for name in names}

ENTRIES_BY_NAME = {entry.name: entry for entry in ENTRIES}

SESSION_ENTRIES = {name: entry for name, entry in ENTRIES_BY_NAME.items() if not entry.is_shell_only}
"""The commands that a line of a session may start with."""

NEW, DO, LEGAL, HINT, SHOW, BOARD, ASK, EXPLAIN, RULES, HELP = map(
    ENTRIES_BY_NAME.__getitem__, ("new", "do", "legal", "hint", "show", "board", "ask", "explain", "rules", "help")
)
"""Commands that zim runs itself, for keys and for lines without a command name, or that its hints name."""

SHORTHAND_ENTRIES = {"u": ENTRIES_BY_NAME["undo"], "r": ENTRIES_BY_NAME["redo"]}
"""Letters that stand for a command in a session, alone or with a number."""

LEAVE_WORDS = ("quit", "exit")
"""Words that end a session. The shell has no such commands."""


def answer_types_by_command() -> dict[str, tuple[type[Answer], ...]]:
    """The types of all answers by command. Commands that only run other lines are left out."""
    return {entry.name: answer_types for entry in ENTRIES if (answer_types := entry.answer_types)}


def without_family(words: Sequence[str]) -> Sequence[str]:
    """The words of a command line without the family in front of its command. A family alone is explained.

    >>> without_family(["room", "invite", "friday"]), without_family(["sign", "friday.cert"])
    (['invite', 'friday'], ['sign', 'friday.cert'])
    >>> without_family(["room", "--help"]), without_family(["room", "invitation"])
    (['help', 'room'], ['help', 'room', 'invitation'])
    """
    if not words or words[0] not in SUBCOMMANDS:
        return words
    if words[1:] and words[1] in SUBCOMMANDS[words[0]]:
        return words[1:]
    if words[0] in ENTRIES_BY_NAME:
        return words
    return [HELP.name, *(word for word in words if word not in ("--help", "-h"))]


def frequent_entries() -> Iterator[tuple[str, list[CommandEntry]]]:
    """The commands that most people use, by purpose."""
    for heading, names in FREQUENT_COMMANDS.items():
        yield heading, [ENTRIES_BY_NAME[name] for name in names]


def entries_by_group() -> Iterator[tuple[str, list[CommandEntry]]]:
    """The commands by group."""
    for group in dict.fromkeys(entry.group for entry in ENTRIES):
        yield group, [entry for entry in ENTRIES if entry.group == group]
