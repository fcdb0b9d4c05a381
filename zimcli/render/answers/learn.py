"""Renders rules, help and settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

import msgspec

from zimcli.render.answers import Renderers
from zimcli.render.answers.look import board_blocks
from zimcli.render.answers.play import explain_blocks
from zimcli.render.spans import Block, Line, Screen, Sheet
from zimcli.shell.program_name import typable
from zimcore.documents.learn import (
    CompletionAnswer,
    DisputedReading,
    ExampleDocument,
    HelpAnswer,
    RulesAnswer,
    SchemaAnswer,
    SettingsAnswer,
)
from zimcore.game import PrimerSection, Reading, Rule
from zimcore.rule_texts import by_section, dispute_note, section_label
from zimcore.toolkit.words import numbered

MANY_RULES = 24
"""Rules that need no headings."""
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


def rules_blocks(answer: RulesAnswer, screen: Screen) -> Iterator[Block]:
    """One rule per line, after the primer of a game; a single one in full; disputed ones with their readings."""
    if answer.disputed is not None:
        yield from dispute_lines(answer.rules, answer.disputed)
        return
    for name, meaning in answer.meanings.items():
        yield [(name, "bold"), (f": {meaning}", "")]
    if answer.primer:
        yield from primer_lines(answer.title, answer.primer)
    yield from sections_of(answer)
    if len(answer.rules) == 1:
        yield from detail_lines(answer.rules[0], answer.typed)
    if answer.example:
        yield from example_blocks(answer.example, screen)
    yield from map(Sheet, answer.cards)
    for name, text in answer.commands.items():
        yield command_line(name, text)


def primer_lines(title: str, primer: Sequence[PrimerSection]) -> Iterator[Line]:
    """The sections of a primer, each with a question and the command that answers it."""
    yield [(f"{title}: a primer", "bold")]
    yield [
        ("Each section ends in a question: answer it, then type the command to see. First store the demo's game:", "")
    ]
    demo_name = next(word for section in primer for word in section.command.split() if word.startswith("demo-"))
    yield [("    ", ""), (typable(f"zim demo {demo_name.removeprefix('demo-').partition('@')[0]} --keep"), "cyan")]
    for number, section in enumerate(primer, 1):
        yield from ([("", "")], [(f"{number}. {section.title}", "bold")])
        for paragraph in section.text.splitlines():
            style = "cyan" if paragraph.startswith(("new ", "play ")) else ""
            yield [(typable(f"    zim {paragraph}") if style else paragraph, style)]
        yield [("? ", "bold yellow"), (section.question, "")]
        yield [("    ", ""), (typable(f"zim {section.command}"), "cyan")]
    yield [("", "")]


def sections_of(answer: RulesAnswer) -> Iterator[Line]:
    """Rules, one per line; many are under the sections of the rulebook, with a table's house rules first."""
    sections = [*by_section(answer.rules).items()]
    house_rules = [rule for rule in answer.rules if rule.house]
    has_headings = len(sections) > 1 and (bool(answer.title) or len(answer.rules) > MANY_RULES)
    if has_headings and house_rules:
        sections = [("This table's house rules", house_rules), *sections]
    if not has_headings:
        yield from map(rule_line, answer.rules)
        return
    for section, rules in sections:
        yield [(section, "bold")]
        yield from map(rule_line, rules)


def example_blocks(example: ExampleDocument, screen: Screen) -> Iterator[Block]:
    """The board of an example, and what a command does there."""
    if example.board:
        yield from board_blocks(example.board, screen)
    yield [(example.look, "bold green")]
    yield from explain_blocks(example.explained, screen)
    if example.place:
        name, _, move = example.place.partition("@")
        yield [("try it yourself: ", "dim"), (typable(f"zim demo {name.removeprefix('demo-')} --keep"), "cyan")]
        yield [(" " * 17, ""), (typable(f'zim try {name}@{move} "{example.explained.explain}"'), "cyan")]


def dispute_lines(rules: Sequence[Rule], readings: Sequence[DisputedReading]) -> Iterator[Line]:
    """For each rule: the rulebook's words, our reading, the other one, and where that would have mattered."""
    for rule in rules:
        other_reading = rule.reading or Reading("", "")
        words_text = f'"{other_reading.words}"' if other_reading.words else "the rulebook says nothing of it"
        yield [(f"{rule.code:<9} ", "bold yellow"), (words_text, "dim"), (f" ({dispute_note(rule)})", "dim")]
        yield [(" " * 10, ""), ("here: ", "bold"), (rule.text, "")]
        yield [(" " * 10, ""), ("otherwise: ", "bold"), (other_reading.other, "")]
        if other_reading.no_option:
            yield [(" " * 10, ""), ("no option: ", "bold"), (other_reading.no_option, "")]
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
    return [(f"  {name:<10} ", "cyan"), (text, "")]


def rule_line(rule: Rule) -> Line:
    """The code of a rule and its text."""
    source_note = [(f" ({rule.source})", "dim")] if rule.source != "rulebook" else []
    return [(f"{rule.code:<9} ", "bold yellow"), (rule.text, ""), *source_note]


def detail_lines(rule: Rule, typed: Sequence[str]) -> Iterator[Line]:
    """The section of a rule, other readings of it, and what one types for the commands that it guards."""
    yield [(" " * 10, ""), (f"{section_label(rule.source)}: {rule.section}", "dim")]
    if rule.reading and rule.source == "rulebook":
        yield [(" " * 10, ""), (dispute_note(rule), "dim")]
    if rule.words:
        yield [(" " * 10, ""), (f'the rulebook\'s words: "{rule.words}"', "dim")]
    if rule.reading:
        yield [(" " * 10, ""), (f"otherwise: {rule.reading.other}", "dim")]
    if rule.reading and rule.reading.options:
        plural_ending = "s" * (len(rule.reading.options) > 1)
        play_note = (
            "this table plays it that way" if {*rule.house} >= {*rule.reading.options} else "to play it that way"
        )
        yield [(" " * 10, ""), (f"{play_note}: the option{plural_ending} {', '.join(rule.reading.options)}", "dim")]
    if rule.reading and rule.reading.no_option:
        yield [(" " * 10, ""), (f"no option: {rule.reading.no_option}", "dim")]
    for syntax in typed:
        yield [(" " * 10, ""), ("typed: ", "dim"), (syntax, "cyan")]


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
            yield [("legal here, for example: ", "dim"), (answer.example, "cyan")]
        for heading, meaning in {**(answer.meanings or {}), **(answer.headings or {})}.items():
            yield [(heading, "bold"), (f": {meaning}", "")]
        for table in answer.cards or ():
            yield Sheet(table)
        for rule in answer.rules or ():
            yield rule_line(rule)


def overview_lines(answer: HelpAnswer) -> Iterator[Line]:
    """The commands by group, and the parts of the game."""
    for group, commands in (answer.commands or {}).items():
        yield [(group, "bold")]
        width = max(map(len, commands), default=0)
        for command_name, text in commands.items():
            yield command_line(command_name.ljust(width + 1), text)
    if answer.parts:
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
