"""Explain a command, a card or a part of the game.

NAME is a command of zim, or a part of the game: a phase or a subject (gods, hubs, revenues), a command (raise), a card
(eshu, potter), or the head of a column (vr). For a command of the game you see its notation, with an example that is
legal here. Without NAME you see the commands that most people use; in a game its own come first. `help all` has every
command. Some belong to a family and may be typed after it: `zim room invite` is `zim invite`; `help room` lists them.
`help questions` says which command answers which question, `help expressions` what `expect`, --where and --by take,
`help notation` how moves are written, and `help keys` what keys and clicks do at the table. `rules WORD` searches for
any other word.

Example::

    zim help hubs
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from zimcli.output.errors import hints_for_other_word
from zimcli.session.command import argument, plain_command
from zimcli.session.expression_help import EXPRESSIONS_TOPIC, expression_help
from zimcli.session.question_help import QUESTIONS_TOPIC, question_help
from zimcli.session.session import Session
from zimcli.session.topics import cards_of, meanings_of, rules_about, topics
from zimcli.settings.config import aliases_or_none
from zimcli.shell.program_name import Context
from zimcli.shell.registry import (
    ENTRIES_BY_NAME,
    HELP,
    SUBCOMMANDS,
    CommandEntry,
    entries_by_group,
    frequent_entries,
)
from zimcore.documents.learn import HelpAnswer
from zimcore.documents.tables import table_documents
from zimcore.game import GameError
from zimcore.rule_texts import find_word, rules_at_table
from zimcore.service.records.places import similar_names

NOT_IN_PLAY_SUFFIX = "(not in play)"
"""The end of a card's description, if this match has no such card."""
ALL_TOPIC, NOTATION_TOPIC = "all", "notation"
KEYS_TOPICS = ("keys", "mouse", "table")


@plain_command(__doc__)
@argument("name", nargs=-1, metavar="[NAME]")
def command(session: Session, name: tuple[str, ...]) -> HelpAnswer:
    """The help of a command, a page about a part of the game, or the list of commands."""
    words = name[1:] if name[1:] and name[1] in SUBCOMMANDS.get(name[0], ()) else name
    topic = " ".join(words)
    if topic in ("", ALL_TOPIC):
        return list_of_commands(session, entries_by_group() if topic else frequent_entries(), has_topics=bool(topic))
    if words[1:] and words[0] in SUBCOMMANDS:
        raise unknown_subcommand(*words[:2])
    if topic in SUBCOMMANDS and topic not in ENTRIES_BY_NAME:
        members = {f"{topic} {each}": ENTRIES_BY_NAME[each].help for each in SUBCOMMANDS[topic]}
        return HelpAnswer(commands={f"{topic}: commands of one family": members})
    if topic.lower() == EXPRESSIONS_TOPIC:
        return HelpAnswer(help=expression_help(session))
    if topic.lower() == NOTATION_TOPIC:
        return HelpAnswer(commands=forms_by_heading(session) or all_forms(session))
    if topic.lower() == QUESTIONS_TOPIC:
        return HelpAnswer(help=question_help())
    if topic.lower() in KEYS_TOPICS:
        return keys_help(topic.lower())
    if topic in (aliases := aliases_or_none()):
        return HelpAnswer(help=f"{topic} is an alias in your settings: zim {aliases[topic]}")
    entry = ENTRIES_BY_NAME.get(topic)
    is_game_command = any(topic in game.notation.SYNTAX for game in session.all_games)
    if entry and not (entry.is_shell_only and is_game_command):
        return command_help(session, entry)
    return topic_help(session, topic.lower())


def unknown_subcommand(family: str, word: str) -> GameError:
    """The error for a word that is no command of a family."""
    hints = [f"help {family} {each}" for each in similar_names(word, SUBCOMMANDS[family])] or [f"help {family}"]
    return GameError(f"{family} {word}", f"{family} has {', '.join(SUBCOMMANDS[family])}", hints)


def list_of_commands(
    session: Session, groups: Iterable[tuple[str, Sequence[CommandEntry]]], *, has_topics: bool
) -> HelpAnswer:
    """The commands of the current game, the user's aliases and the given commands; with the topics of each game."""
    help_by_group = {
        **forms_by_heading(session),
        **({"Your aliases": own_aliases} if (own_aliases := aliases_or_none()) else {}),
        **{group: {each.name: each.help for each in entries} for group, entries in groups},
    }
    if not has_topics:
        more = {
            f"{HELP.name} {QUESTIONS_TOPIC}": "Which command answers which question.",
            f"{HELP.name} {ALL_TOPIC}": "Every command.",
            **{each: f"{', '.join(names)}" for each, names in SUBCOMMANDS.items()},
        }
        return HelpAnswer(commands={**help_by_group, "More": more})
    topics_by_game = {game.title: tuple(topics(rules_at_table(game))) for game in session.all_games}
    return HelpAnswer(
        commands=help_by_group,
        topics=(*topics(session.all_rules), EXPRESSIONS_TOPIC, NOTATION_TOPIC, QUESTIONS_TOPIC),
        parts=topics_by_game,
    )


def forms_by_heading(session: Session) -> dict[str, dict[str, str]]:
    """A legal example of each of the current game's commands, then the notation of those that are not legal now."""
    position = session.current
    if position is None:
        return {}
    forms_by_verb, legal_commands = position.game.notation.SYNTAX, position.legal()
    legal_examples = {verb: form for verb in forms_by_verb for form in islice(legal_commands.texts(verb), 1)}
    other_forms = {
        verb: notation_form(session, verb, form) for verb, form in forms_by_verb.items() if verb not in legal_examples
    }
    title = position.game.title
    return {
        heading: examples
        for heading, examples in ((f"{title}, legal now", legal_examples), (f"{title}, at other times", other_forms))
        if examples
    }


def all_forms(session: Session) -> dict[str, dict[str, str]]:
    """The notation of each command of each game."""
    return {
        game.title: {verb: notation_form(session, verb, form) for verb, form in game.notation.SYNTAX.items()}
        for game in session.all_games
    }


def command_help(session: Session, entry: CommandEntry) -> HelpAnswer:
    """The help of a command."""
    click_command = entry.load_command()
    context = Context(click_command, info_name=entry.name, obj=session, **click_command.context_settings)
    return HelpAnswer(help=click_command.get_help(context))


def keys_help(topic: str) -> HelpAnswer:
    """The keys of the table, and what the mouse does there."""
    from zimcli.repl.key_actions import key_tables
    from zimcli.repl.loop import load_settings

    return HelpAnswer(about=topic, cards=table_documents(key_tables(load_settings()[0].table)))


def topic_help(session: Session, topic: str) -> HelpAnswer:
    """The notation, cards and rules of one topic. Raises `GameError` if there are none."""
    forms = [game.notation.SYNTAX[topic] for game in session.all_games if topic in game.notation.SYNTAX]
    found_words = {game: word for game in session.all_games if (word := find_word(game, topic))}
    codes = {code for word in found_words.values() for code in word.rules}
    is_part_of_game = bool(forms) or topic in topics(session.all_rules)
    found_rules = rules_about(session.all_rules, topic) if is_part_of_game or not codes else []
    rules, cards, headings = (
        [*(rule for rule in session.all_rules if rule.code in codes), *(r for r in found_rules if r.code not in codes)],
        cards_of(session, topic),
        {} if found_words else headings_of(session, topic),
    )
    if not rules and not cards and not forms and not headings:
        known_topics = [*ENTRIES_BY_NAME, *topics(session.all_rules), EXPRESSIONS_TOPIC, QUESTIONS_TOPIC]
        similar_topics = [f"help {each}" for each in similar_names(topic, known_topics)]
        hints = [*hints_for_other_word(topic), *similar_topics] or ["help"]
        if topic in session.kinds:
            raise GameError(
                f"no help about {topic}", "it is the name of a game", [f"demo {topic}", f"new --game {topic}"]
            )
        raise GameError(
            f"no help about {topic}", "there is no command, card or part of the rules with this name", hints
        )
    notation_text = " · ".join(notation_form(session, topic, form) for form in dict.fromkeys(forms)) or None
    return HelpAnswer(
        about=topic,
        syntax=notation_text,
        example=example(session, topic),
        headings=headings or None,
        meanings=meanings_of(session, found_words) or None,
        cards=table_documents(cards),
        rules=tuple(rules),
    )


def notation_form(session: Session, verb: str, form: str) -> str:
    """The notation of a command. If it names a card that is not in play, another one takes its place."""
    rows = [row for table in cards_of(session, verb) for row in table.rows]
    absent_cards = {row[0] for row in rows if row[-1].endswith(NOT_IN_PLAY_SUFFIX)}
    available_cards = [row[0] for row in rows if not row[-1].endswith(")")]  # no player has them either
    return " ".join(available_cards[0] if word in absent_cards and available_cards else word for word in form.split())


def headings_of(session: Session, column_name: str) -> dict[str, str]:
    """The table columns with this name and their meanings, in the current game; without one, in all games."""
    return {
        heading if session.current else f"{heading} ({game.title})": meaning
        for game in session.all_games
        for heading, meaning in game.display.HEADINGS.items()
        if heading.lower() == column_name
    }


def example(session: Session, verb: str) -> str | None:
    """A legal command with this verb: the most promising one, or any; None if there is none."""
    position = session.current
    if position is None or verb not in position.game.notation.SYNTAX:
        return None
    command_texts = (each.text for each in position.game.questions.advice(position.state, position.actor or "", verb))
    return next(command_texts, None) or next(iter(position.legal().texts(verb)), None)
