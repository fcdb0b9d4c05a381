"""Answers that explain the rules, the commands, and Zim itself."""

from __future__ import annotations

from typing import Any

import msgspec

from zimcore.documents.positions import Answer, Document
from zimcore.documents.tables import TableDocument
from zimcore.game import Rule


class SettingsAnswer(Answer, frozen=True):
    """The settings of the prompt, the file that they are read from, and whether it is there."""

    file: str
    there: bool
    settings: dict[str, Any]


class CompletionAnswer(Answer, frozen=True):
    """The script that makes a shell complete zim's words."""

    shell: str
    script: str


class DisputedReading(Document, frozen=True):
    """An option that reads a rule otherwise, and where that would have mattered: in how many of so many `games`.

    `first` is the first of these games, at the move that would have been refused, or come to something else: `how`.
    Of games of which not all can be seen nothing is known: those are `hidden`.
    """

    code: str
    option: str
    mattered: int
    games: int
    hidden: int = 0
    first: str = ""
    how: str = ""


class RulesAnswer(Answer, frozen=True, omit_defaults=True):
    """Rules as they can be looked up; where a word was searched for also the cards and the commands with it.

    Where the disputed ones are asked for, `disputed` says of each option of theirs where it would have mattered.
    """

    rules: tuple[Rule, ...]
    cards: tuple[TableDocument, ...] = ()
    commands: dict[str, str] = msgspec.field(default_factory=dict)
    disputed: tuple[DisputedReading, ...] | None = None


class HelpAnswer(Answer, frozen=True, omit_defaults=True):
    """The help of a command; the cards and rules about something; or all commands by group, and the topics.

    In a game its own commands come first. The topics are also given as `parts` of each game, by its title. Of a
    command of the game `syntax` says how it is written, and `example` is one that is legal here, if one is. `headings`
    are heads of tables of that name, and what they mean.
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


class SchemaAnswer(Answer, frozen=True, rename={"schema": "$schema", "defs": "$defs", "any_of": "anyOf"}):
    """The shapes of all answers as one JSON Schema, by which any document can be told by its `command`.

    `answers` says which shape is whose; `error`, `note` and `progress` go to stderr, `reply` is what `zim pipe` says to
    a request. `requests` are the parameters that each command takes there.
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
