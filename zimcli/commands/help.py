"""Explain a command, a card or a part of the game.

NAME is a command of zim, or a part of the game: a phase or a subject (gods, hubs, revenues), a command (raise), a card
(eshu, potter), or the head of a column (vr). For a command of the game you see its notation, with an example that is
legal here. Without NAME you see the commands by purpose; in a game its own come first. `help expressions` explains what
`expect`, --where and --by take. `rules WORD` searches for any other word.

Example::

    zim help hubs
"""

from __future__ import annotations

from itertools import islice

from zimcli.command import argument, plain_command
from zimcli.config import aliases_or_none
from zimcli.expression_help import EXPRESSIONS_TOPIC, expression_help
from zimcli.program_name import Context
from zimcli.registry import ENTRIES_BY_NAME, CommandEntry, entries_by_group
from zimcli.session import Session
from zimcli.topics import cards_of, rules_about, topics
from zimcore.documents.learn import HelpAnswer
from zimcore.documents.tables import table_documents
from zimcore.game import GameError
from zimcore.service.places import similar_names

NOT_IN_PLAY_SUFFIX = "(not in play)"
"""The end of a card's description, if this match has no such card."""


@plain_command(__doc__)
@argument("words", nargs=-1, metavar="[NAME]")
def command(session: Session, words: tuple[str, ...]) -> HelpAnswer:
    """The help of a command, a page about a part of the game, or the list of commands."""
    name = " ".join(words)
    if not name:
        help_by_group = {
            **forms_by_heading(session),
            **({"Your aliases": own_aliases} if (own_aliases := aliases_or_none()) else {}),
            **{group: {each.name: each.help for each in entries} for group, entries in entries_by_group()},
        }
        topics_by_game = {game.title: tuple(topics(game.texts.rules())) for game in session.all_games}
        return HelpAnswer(
            commands=help_by_group, topics=(*topics(session.all_rules), EXPRESSIONS_TOPIC), parts=topics_by_game
        )
    if name.lower() == EXPRESSIONS_TOPIC:
        return HelpAnswer(help=expression_help(session))
    if name in (aliases := aliases_or_none()):
        return HelpAnswer(help=f"{name} is an alias in your settings: zim {aliases[name]}")
    entry, is_game_command = ENTRIES_BY_NAME.get(name), any(name in game.notation.SYNTAX for game in session.all_games)
    if entry and not (entry.is_shell_only and is_game_command):
        return command_help(session, entry)
    return topic_help(session, name.lower())


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


def command_help(session: Session, entry: CommandEntry) -> HelpAnswer:
    """The help of a command."""
    click_command = entry.load_command()
    context = Context(click_command, info_name=entry.name, obj=session, **click_command.context_settings)
    return HelpAnswer(help=click_command.get_help(context))


def topic_help(session: Session, topic: str) -> HelpAnswer:
    """The notation, cards and rules of one topic. Raises `GameError` if there are none."""
    forms = [game.notation.SYNTAX[topic] for game in session.all_games if topic in game.notation.SYNTAX]
    rules, cards, headings = (
        rules_about(session.all_rules, topic),
        cards_of(session, topic),
        headings_of(session, topic),
    )
    if not rules and not cards and not forms and not headings:
        known_topics = [*ENTRIES_BY_NAME, *topics(session.all_rules), EXPRESSIONS_TOPIC]
        hints = [f"help {each}" for each in similar_names(topic, known_topics)] or ["help"]
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
