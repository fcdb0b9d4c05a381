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
from zimcli.expression_help import TOPIC, expression_help
from zimcli.program_name import Context
from zimcli.registry import BY_NAME, CommandEntry, groups
from zimcli.session import Session
from zimcli.topics import cards_of, rules_about, topics
from zimcore.documents.learn import HelpAnswer
from zimcore.documents.tables import table_documents
from zimcore.game import GameError
from zimcore.service.places import similar_names

NOT_IN_PLAY = "(not in play)"
"""The end of a card's description, if this match has no such card."""


@plain_command(__doc__)
@argument("words", nargs=-1, metavar="[NAME]")
def command(session: Session, words: tuple[str, ...]) -> HelpAnswer:
    """The help of a command, a page about a part of the game, or the list of commands."""
    name = " ".join(words)
    if not name:
        commands = {
            **commands_of_game(session),
            **({"Your aliases": own_aliases} if (own_aliases := aliases_or_none()) else {}),
            **{group: {each.name: each.help for each in entries} for group, entries in groups()},
        }
        parts = {game.title: tuple(topics(game.texts.rules())) for game in session.all_games}
        return HelpAnswer(commands=commands, topics=(*topics(session.all_rules), TOPIC), parts=parts)
    if name.lower() == TOPIC:
        return HelpAnswer(help=expression_help(session))
    if name in (aliases := aliases_or_none()):
        return HelpAnswer(help=f"{name} is an alias in your settings: zim {aliases[name]}")
    entry, is_game_command = BY_NAME.get(name), any(name in game.notation.SYNTAX for game in session.all_games)
    if entry and not (entry.is_shell_only and is_game_command):
        return command_help(session, entry)
    return topic_help(session, name.lower())


def commands_of_game(session: Session) -> dict[str, dict[str, str]]:
    """A legal example of each of the current game's commands, then the notation of those that are not legal now."""
    position = session.current
    if position is None:
        return {}
    syntax, legal = position.game.notation.SYNTAX, position.legal()
    legal_syntax = {verb: text for verb in syntax for text in islice(legal.texts(verb), 1)}
    other_syntax = {
        verb: notation_form(session, verb, text) for verb, text in syntax.items() if verb not in legal_syntax
    }
    title = position.game.title
    return {
        head: group
        for head, group in ((f"{title}, legal now", legal_syntax), (f"{title}, at other times", other_syntax))
        if group
    }


def command_help(session: Session, entry: CommandEntry) -> HelpAnswer:
    """The help of a command."""
    command_ = entry.load()
    context = Context(command_, info_name=entry.name, obj=session, **command_.context_settings)
    return HelpAnswer(help=command_.get_help(context))


def topic_help(session: Session, name: str) -> HelpAnswer:
    """The notation, cards and rules of one topic. Raises `GameError` if there are none."""
    syntaxes = [game.notation.SYNTAX[name] for game in session.all_games if name in game.notation.SYNTAX]
    rules, cards, headings = rules_about(session.all_rules, name), cards_of(session, name), headings_of(session, name)
    if not rules and not cards and not syntaxes and not headings:
        topic_words = [*BY_NAME, *topics(session.all_rules), TOPIC]
        hints = [f"help {each}" for each in similar_names(name, topic_words)] or ["help"]
        if name in session.kinds:
            raise GameError(f"no help about {name}", "it is the name of a game", [f"demo {name}", f"new --game {name}"])
        raise GameError(f"no help about {name}", "there is no command, card or part of the rules with this name", hints)
    syntax = " · ".join(notation_form(session, name, text) for text in dict.fromkeys(syntaxes)) or None
    return HelpAnswer(
        about=name,
        syntax=syntax,
        example=example(session, name),
        headings=headings or None,
        cards=table_documents(cards),
        rules=tuple(rules),
    )


def notation_form(session: Session, verb: str, syntax: str) -> str:
    """The notation of a command. If it names a card that is not in play, another one takes its place."""
    rows = [row for table in cards_of(session, verb) for row in table.rows]
    absent = {row[0] for row in rows if row[-1].endswith(NOT_IN_PLAY)}
    available = [row[0] for row in rows if not row[-1].endswith(")")]  # no player has them either
    return " ".join(available[0] if word in absent and available else word for word in syntax.split())


def headings_of(session: Session, name: str) -> dict[str, str]:
    """The table columns with this name and their meanings, in the current game; without one, in all games."""
    return {
        head if session.current else f"{head} ({game.title})": meaning
        for game in session.all_games
        for head, meaning in game.display.HEADINGS.items()
        if head.lower() == name
    }


def example(session: Session, verb: str) -> str | None:
    """A legal command with this verb: the most promising one, or any; None if there is none."""
    position = session.current
    if position is None or verb not in position.game.notation.SYNTAX:
        return None
    texts = (each.text for each in position.game.questions.advice(position.state, position.actor or "", verb))
    return next(texts, None) or next(iter(position.legal().texts(verb)), None)
