"""Answers that explain the rules, the commands, and zim itself."""

from __future__ import annotations

from typing import Any

import msgspec

from zimcore.documents.positions import Answer
from zimcore.game import Rule, Table


class SettingsAnswer(Answer, frozen=True):
    """The settings of the prompt, the file that they are read from, and whether it is there."""

    file: str
    there: bool
    settings: dict[str, Any]


class CompletionAnswer(Answer, frozen=True):
    """The script that makes a shell complete zim's words."""

    shell: str
    script: str


class RulesAnswer(Answer, frozen=True, omit_defaults=True):
    """Rules as they can be looked up; where a word was searched for also the cards and the commands with it."""

    rules: tuple[Rule, ...]
    cards: tuple[Table, ...] = ()
    commands: dict[str, str] = msgspec.field(default_factory=dict)


class HelpAnswer(Answer, frozen=True, omit_defaults=True):
    """The help of a command; the cards and rules about something; or all commands by group, and the topics.

    Of a command of the game `syntax` says how it is written, and `example` is one that is legal here, if one is.
    """

    help: str | None = None
    about: str | None = None
    syntax: str | None = None
    example: str | None = None
    cards: tuple[Table, ...] | None = None
    rules: tuple[Rule, ...] | None = None
    commands: dict[str, dict[str, str]] | None = None
    topics: tuple[str, ...] | None = None


class SchemaAnswer(Answer, frozen=True, rename={"schema": "$schema", "defs": "$defs"}):
    """The shapes of all answers as one JSON Schema; `answers` says which is whose."""

    schema: str
    title: str
    version: int
    answers: dict[str, Any]
    error: dict[str, Any]
    defs: dict[str, Any]
