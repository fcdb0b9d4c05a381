"""The parts of a game that can be explained, by the sections of its rulebook."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from zimcore.game import Game, Rule, Table, Word
from zimcore.toolkit.words import spaced

if TYPE_CHECKING:
    from zimcli.session.session import Session


HOUSE_TOPIC = "house rules"
"""The topic of the rules that a table may change."""


def part_of_game(rule: Rule) -> str:
    """The part of the game that a rule belongs to: `raising monuments`."""
    return re.sub(r"^[a-z]\) ", "", rule.section.rpartition(":")[2].strip().lower())


def topics(rules: Sequence[Rule]) -> list[str]:
    """The parts of the game, then its house rules."""
    house_topics = [HOUSE_TOPIC] if house_rules(rules) else []
    return [*dict.fromkeys(topic for rule in rules for topic in part_of_game(rule).split(", ")), *house_topics]


def house_rules(rules: Sequence[Rule]) -> list[Rule]:
    """The rules that this table has changed; if there are none, those that a table could change."""
    rules_with_options = [rule for rule in rules if rule.reading and rule.reading.options]
    return [rule for rule in rules_with_options if rule.house] or rules_with_options


def rules_about(all_rules: Sequence[Rule], name: str) -> list[Rule]:
    """The rules of a part of the game, or that guard a command; if there are none, those whose text has the words."""
    words = spaced(name)
    if words == HOUSE_TOPIC:
        return house_rules(all_rules)
    rules = [rule for rule in all_rules if name in rule.guards or words in part_of_game(rule)]
    return rules or [rule for rule in all_rules if words in rule.text.lower()]


def meanings_of(session: Session, found_words: Mapping[Game, Word]) -> dict[str, str]:
    """What a word means, by its name; outside a match the name says of which game it is."""
    return {
        word.name if session.current else f"{word.name} ({game.title})": word.text for game, word in found_words.items()
    }


def cards_of(session: Session, name: str) -> list[Table]:
    """The cards with that name or of that kind, in the current game or in all games."""
    return all_cards(session, name, name.replace(" ", "_"))


def all_cards(session: Session, *words: str) -> list[Table]:
    """All cards of the current game or of all games, or the ones that the words ask for."""
    games = [game for game in session.all_games if "cards" in game.questions.QUESTIONS]
    position = session.current
    return [
        card
        for game in games
        for card in game.questions.ask(position.state if position else game.evolution.initial(), "cards", words)
    ]


def cards_with(session: Session, search_text: str) -> list[Table]:
    """The cards whose name or text contains a word."""
    all_tables = all_cards(session)
    matching_tables = (
        replace(table, rows=tuple(row for row in table.rows if search_text in " ".join(row))) for table in all_tables
    )
    return [table for table in matching_tables if table.rows]


def rules_with(all_rules: Sequence[Rule], search_text: str) -> list[Rule]:
    """The rules whose text, section or commands contain a word; if there are several words, all of them."""
    if search_text == HOUSE_TOPIC:
        return house_rules(all_rules)
    texts = {rule.code: " ".join((rule.text, rule.section, *rule.guards)).lower() for rule in all_rules}
    return [rule for rule in all_rules if all(search_word in texts[rule.code] for search_word in search_text.split())]
