"""Explain the commands, and the game.

NAME is a command of zim, or anything of the game: a phase or a part of it (gods, hubs, revenues), a command (raise), a
card (eshu, potter). Without one the commands are listed by what one wants to do.

Example::

    zim help hubs
"""

from __future__ import annotations

import click

from zimcli.command import argument, unplaced
from zimcli.registry import BY_NAME, Entry, groups
from zimcli.session import Session
from zimcli.topics import about, topics
from zimcore.documents.learn import HelpAnswer
from zimcore.game import GameError, Table
from zimcore.service.places import alike


@unplaced(__doc__)
@argument("words", nargs=-1, metavar="[NAME]")
def command(session: Session, words: tuple[str, ...]) -> HelpAnswer:
    """The help of a command, what there is about a part of the game, or the commands."""
    name = " ".join(words)
    if not name:
        commands = {group: {entry.name: entry.help for entry in entries} for group, entries in groups()}
        return HelpAnswer(commands=commands, topics=tuple(topics(session.all_rules)))
    return about_command(session, BY_NAME[name]) if name in BY_NAME else about_topic(session, name.lower())


def about_command(session: Session, entry: Entry) -> HelpAnswer:
    """The help of a command."""
    loaded = entry.load()
    context = click.Context(loaded, info_name=entry.name, obj=session, **loaded.context_settings)
    return HelpAnswer(help=loaded.get_help(context))


def about_topic(session: Session, name: str) -> HelpAnswer:
    """The cards and the rules about something."""
    rules, cards = about(session.all_rules, name), cards_of(session, name)
    if not rules and not cards:
        known = [*BY_NAME, *topics(session.all_rules)]
        hints = [f"help {each}" for each in alike(name, known)] or ["help"]
        raise GameError(f"no help about {name}", "it is no command, no card and no part of the rules", hints)
    return HelpAnswer(about=name, cards=tuple(cards), rules=tuple(rules))


def cards_of(session: Session, name: str) -> list[Table]:
    """The cards of that name or kind, of the game that is played or of all there are."""
    games = [game for game in session.all_games if "cards" in game.questions.QUESTIONS]
    words = [name, name.replace(" ", "_")]
    here = session.here
    return [
        card
        for game in games
        for card in game.questions.ask(here.state if here else game.evolution.initial(), "cards", words)
    ]
