"""Explain the commands, and the game.

NAME is a command of zim, or anything of the game: a phase or a part of it (gods, hubs, revenues), a command (raise), a
card (eshu, potter). Without one the commands are listed by what one wants to do.

Example::

    zim help hubs
"""

from __future__ import annotations

import click

from zimcli.command import pass_session, unplaced
from zimcli.completing import completes, whatever_is_explained
from zimcli.registry import BY_NAME, groups
from zimcli.session import Session
from zimcli.topics import about, topics
from zimcore.game import GameError, Table
from zimcore.service.places import alike


@unplaced(__doc__)
@click.argument("words", nargs=-1, metavar="[NAME]", shell_complete=completes(whatever_is_explained))
@pass_session
def command(session: Session, words: tuple[str, ...]) -> None:
    """Prints the help of a command, what there is about a part of the game, or the commands."""
    name = " ".join(words)
    if not name:
        overview(session)
    elif name in BY_NAME:
        loaded = BY_NAME[name].load()
        context = click.Context(loaded, info_name=name, obj=session, **loaded.context_settings)
        text = loaded.get_help(context)
        session.out.lines([(line, "")] for line in text.splitlines())
        session.out.document({"help": text})
    else:
        topic(session, name.lower())


def topic(session: Session, name: str) -> None:
    """Prints the cards and the rules about something."""
    rules, cards = about(session.all_rules, name), cards_of(session, name)
    if not rules and not cards:
        known = [*BY_NAME, *topics(session.all_rules)]
        hints = [f"help {each}" for each in alike(name, known)] or ["help"]
        raise GameError(f"no help about {name}", "it is no command, no card and no part of the rules", hints)
    session.out.document({"about": name, "cards": cards, "rules": rules})
    for table in cards:
        session.out.table(table)
    for rule in rules:
        session.out.line((f"{rule.code:<9} ", "bold yellow"), rule.text)


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


def overview(session: Session) -> None:
    """Prints the commands by group, and the parts of the game."""
    for group, entries in groups():
        session.out.line((group, "bold"))
        session.out.lines([(f"  {entry.name:<11}", "cyan"), (entry.help, "")] for entry in entries)
    session.out.line(("Of the game", "bold"))
    session.out.line("  legal lists them; any of them may be typed as it is, and its beginning will do")
    session.out.line("  help explains: " + "; ".join(topics(session.all_rules)))
    commands = {group: {entry.name: entry.help for entry in entries} for group, entries in groups()}
    session.out.document({"commands": commands, "topics": topics(session.all_rules)})
