"""Renders rules, help and settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

import msgspec

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Line, Screen, Sheet
from zimcore.documents.learn import (
    CompletionAnswer,
    DisputedReading,
    HelpAnswer,
    RulesAnswer,
    SchemaAnswer,
    SettingsAnswer,
)
from zimcore.game import Reading, Rule
from zimcore.toolkit.words import numbered

TOPIC_COLUMNS = 76
"""Columns of a word list."""


def settings_blocks(answer: SettingsAnswer, _: Screen) -> Iterator[Block]:
    """The file, and each setting as it is written there."""
    yield [(f"# {answer.file}" + ("" if answer.there else " (not there: these are the defaults)"), "dim")]
    for name, value in answer.settings.items():
        yield [(f"{name} = {msgspec.json.encode(value).decode()}", "")]


def completion_blocks(answer: CompletionAnswer, _: Screen) -> Iterator[Block]:
    """The script, unchanged."""
    return text_lines(answer.script)


def rules_blocks(answer: RulesAnswer, _: Screen) -> Iterator[Block]:
    """One rule per line; a single one in full; disputed ones with their readings."""
    if answer.disputed is not None:
        yield from dispute_lines(answer.rules, answer.disputed)
        return
    for rule in answer.rules:
        yield rule_line(rule)
    if len(answer.rules) == 1:
        yield from detail_lines(answer.rules[0])
    yield from map(Sheet, answer.cards)
    for name, text in answer.commands.items():
        yield command_line(name, text)


def dispute_lines(rules: Sequence[Rule], readings: Sequence[DisputedReading]) -> Iterator[Line]:
    """For each rule: the rulebook's words, our reading, the other one, and where that would have mattered."""
    for rule in rules:
        other_reading = rule.reading or Reading("", "")
        yield [(f"{rule.code:<9} ", "bold yellow"), (f'"{other_reading.words}"', "dim")]
        yield [(" " * 10, ""), ("here: ", "bold"), (rule.text, "")]
        yield [(" " * 10, ""), ("otherwise: ", "bold"), (other_reading.other, "")]
        if other_reading.no_option:
            yield [(" " * 10, ""), ("no option: ", "bold"), (other_reading.no_option, "")]
        if rule.house:
            yield [(" " * 10, ""), (f"this table plays otherwise: {', '.join(rule.house)}", "bold")]
        for disputed_reading in (
            disputed_reading for disputed_reading in readings if disputed_reading.code == rule.code
        ):
            yield [(" " * 10, ""), (disputed_reading.option, "bold cyan"), (f"  {mattered_text(disputed_reading)}", "")]


def mattered_text(disputed: DisputedReading) -> str:
    """In how many games an option would have mattered, and where first."""
    if not disputed.games:
        return "there is no game to try it on"
    text = f"would have mattered in {disputed.mattered} of {numbered(disputed.games, 'game')}"
    text += f" ({disputed.hidden} can't be seen)" if disputed.hidden else ""
    return f"{text}: first at {disputed.first}, {disputed.how}" if disputed.first else text


def command_line(name: str, text: str) -> Line:
    """A command and its help."""
    return [(f"  {name:<11}", "cyan"), (text, "")]


def rule_line(rule: Rule) -> Line:
    """The code of a rule and its text."""
    source_note = [(f" ({rule.source})", "dim")] if rule.source != "rulebook" else []
    if rule.house:
        source_note.append((f" · this table plays otherwise: {', '.join(rule.house)}", "bold"))
    return [(f"{rule.code:<9} ", "bold yellow"), (rule.text, ""), *source_note]


def section_label(source: str) -> str:
    """What stands before the section of a rule: where the rule comes from."""
    return SECTION_LABEL_BY_SOURCE.get(source, f"{source}, not in the rulebook")


SECTION_LABEL_BY_SOURCE = {
    "rulebook": "rulebook",
    "reading": "a reading of the rulebook",
    "deduction": "a deduction from the rulebook",
    "refresher": "the refresher that comes with the rulebook",
    "addition": "an addition, not in the rulebook",
}
"""What stands before the section of a rule, by the source of the rule."""


def detail_lines(rule: Rule) -> Iterator[Line]:
    """The section of a rule, other readings of it, and the commands that it guards."""
    yield [(" " * 10, ""), (f"{section_label(rule.source)}: {rule.section}", "dim")]
    if rule.words:
        rulebook_name = "the refresher's" if rule.source == "refresher" else "the rulebook's"
        yield [(" " * 10, ""), (f'{rulebook_name} words: "{rule.words}"', "dim")]
    if rule.reading:
        yield [(" " * 10, ""), (f"otherwise: {rule.reading.other}", "dim")]
    if rule.reading and rule.reading.options:
        plural_ending = "s" * (len(rule.reading.options) > 1)
        play_note = "this table plays it that way" if rule.house == rule.reading.options else "to play it that way"
        yield [(" " * 10, ""), (f"{play_note}: the option{plural_ending} {', '.join(rule.reading.options)}", "dim")]
    if rule.reading and rule.reading.no_option:
        yield [(" " * 10, ""), (f"no option: {rule.reading.no_option}", "dim")]
    for guard in rule.guards:
        yield [(" " * 10, ""), (f"guards: {guard}", "dim")]


def help_blocks(answer: HelpAnswer, _: Screen) -> Iterator[Block]:
    """The help of a command, what there is about a part of the game, or all commands."""
    if answer.help is not None:
        yield from text_lines(answer.help)
    elif answer.commands is not None:
        yield from overview_lines(answer)
    else:
        if answer.syntax:
            yield [("written: ", "dim"), (answer.syntax, "bold")]
        if answer.example:
            yield [("legal here: ", "dim"), (answer.example, "cyan")]
        for heading, meaning in (answer.headings or {}).items():
            yield [(heading, "bold"), (f": {meaning}", "")]
        for table in answer.cards or ():
            yield Sheet(table)
        for rule in answer.rules or ():
            yield rule_line(rule)


def overview_lines(answer: HelpAnswer) -> Iterator[Line]:
    """The commands by group, and the parts of the game."""
    for group, commands in (answer.commands or {}).items():
        yield [(group, "bold")]
        for command_name, text in commands.items():
            yield command_line(command_name, text)
    yield [("Commands of the game", "bold")]
    yield [("  `legal` lists them; type one, or just its beginning", "")]
    for title, topics in (answer.parts or {}).items():
        yield [(f"Words of {title} that `help` explains", "bold")]
        for line in wrap(" · ".join(topic.replace(" ", "\0") for topic in topics), TOPIC_COLUMNS):
            yield [(f"  {line}".replace("\0", " "), "")]


def schema_blocks(answer: SchemaAnswer, _: Screen) -> Iterator[Block]:
    """The schema, indented."""
    return text_lines(msgspec.json.format(msgspec.json.encode(answer)).decode())


def text_lines(text: str) -> Iterator[Line]:
    """A text, unchanged."""
    for line in text.splitlines():
        yield [(line, "")]


RENDERERS: Renderers = {
    SettingsAnswer: settings_blocks,
    CompletionAnswer: completion_blocks,
    RulesAnswer: rules_blocks,
    HelpAnswer: help_blocks,
    SchemaAnswer: schema_blocks,
}
