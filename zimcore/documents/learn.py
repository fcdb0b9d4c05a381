"""Answers that explain the rules, the commands, and Zim itself."""

from __future__ import annotations

from typing import Any

import msgspec

from zimcore.documents.look import BoardAnswer
from zimcore.documents.play import ExplainAnswer
from zimcore.documents.positions import Answer, Document
from zimcore.documents.tables import TableDocument
from zimcore.game import PrimerSection, Rule


class SettingsAnswer(Answer, frozen=True):
    """The settings of the prompt, the file that they are read from, and whether that file exists."""

    file: str
    there: bool
    settings: dict[str, Any]


class CompletionAnswer(Answer, frozen=True):
    """The script that makes a shell complete zim's words."""

    shell: str
    script: str


class DisputedReading(Document, frozen=True):
    """An option for another reading of a rule, and in how many of the `games` it would have mattered.

    `first` is the first move that the other reading refuses, or that has another effect under it; `how` says which.
    Games that are partly hidden are not examined: `hidden` counts them.
    """

    code: str
    option: str
    mattered: int
    games: int
    hidden: int = 0
    first: str = ""
    how: str = ""


class ExampleDocument(Document, frozen=True):
    """A position in which a rule matters: its board, what a command does there, and what to look at.

    `place` names the position if the game's demo has it; the demo can be stored.
    """

    board: BoardAnswer | None
    explained: ExplainAnswer
    look: str
    place: str


class RulesAnswer(Answer, frozen=True, omit_defaults=True):
    """Rules; after a search for a word also what it means, and the cards and commands with that word.

    With the disputed rules, `disputed` says for each of their options where it would have mattered. The rules of a
    game come with its `title` and its `primer`; for a single rule `typed` is what one types for what it guards.
    """

    rules: tuple[Rule, ...]
    cards: tuple[TableDocument, ...] = ()
    commands: dict[str, str] = msgspec.field(default_factory=dict)
    disputed: tuple[DisputedReading, ...] | None = None
    meanings: dict[str, str] = msgspec.field(default_factory=dict)
    title: str = ""
    primer: tuple[PrimerSection, ...] = ()
    typed: tuple[str, ...] = ()
    example: ExampleDocument | None = None


class HelpAnswer(Answer, frozen=True, omit_defaults=True):
    """The help of a command; the cards and rules about something; or all commands by group, and the topics.

    In a game its own commands come first. The topics are also given as `parts` of each game, by its title. Of a
    command of the game `syntax` says how it is written, and `example` is one that is legal here, if one is. `headings`
    are heads of tables of that name, and what they mean; `meanings` are words of beginners, and what they mean.
    """

    help: str | None = None
    about: str | None = None
    syntax: str | None = None
    example: str | None = None
    headings: dict[str, str] | None = None
    cards: tuple[TableDocument, ...] | None = None
    rules: tuple[Rule, ...] | None = None
    commands: dict[str, dict[str, str]] | None = None
    topics: tuple[str, ...] | None = None
    parts: dict[str, tuple[str, ...]] | None = None
    meanings: dict[str, str] | None = None


class SchemaAnswer(Answer, frozen=True, rename={"schema": "$schema", "defs": "$defs", "any_of": "anyOf"}):
    """The shapes of all answers as one JSON Schema; the `command` of a document says which shape it has.

    `answers` maps commands to shapes. `error`, `note` and `progress` go to stderr; `reply` is what `zim pipe` answers
    to a request, and `requests` are the parameters of each command there.
    """

    schema: str
    title: str
    version: int
    any_of: tuple[dict[str, Any], ...]
    answers: dict[str, Any]
    error: dict[str, Any]
    note: dict[str, Any]
    progress: dict[str, Any]
    reply: dict[str, Any]
    requests: dict[str, Any]
    defs: dict[str, Any]
