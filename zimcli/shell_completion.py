"""Completion in the shell: names of places, and what is legal there. Errors on the way offer nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from zimcli.registry import BY_NAME, Kind

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from zimcli.session import Session
    from zimcore.game import Game, Rule

Offer: TypeAlias = "Callable[[Session, str, tuple[str, ...], str], Iterator[tuple[str, str]]]"
"""Of a session, a place, the words typed after it and the beginning of a word: the words that may come, and why."""

MOST = 500
"""The most commands that are offered: nobody reads more."""


class Argument(click.Argument):
    """An argument of a command. The registry says of what kind it is, and so what may be offered for it."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What may stand there; whatever click has for its type where the kind has nothing to offer."""
        offer = OFFERS.get(self.kind(ctx))
        return offered(offer, ctx, self, incomplete) if offer else super().shell_complete(ctx, incomplete)

    def kind(self, ctx: click.Context) -> Kind:
        """Its kind, by where it stands among the arguments."""
        arguments = [each for each in ctx.command.params if isinstance(each, click.Argument)]
        return BY_NAME[ctx.info_name or ""].takes[arguments.index(self)]


def offered(offer: Offer, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What is offered for a word in the shell, looked up by a session without a current place."""
    from click.shell_completion import CompletionItem

    from zimcli.output import Output
    from zimcli.session import Session

    session = Session(Output(), store=ctx.find_root().params.get("store") or "")
    typed = ctx.params.get(param.name or "") or ()
    try:
        found = list(offer(session, ctx.params.get("place") or "", tuple(typed), incomplete))
    except Exception:  # the line is being typed: whatever is wrong with it is said when it is run
        return []
    return [CompletionItem(in_shell(word), help=why) for word, why in found if word.startswith(incomplete)]


def in_shell(word: str) -> str:
    """A word as the shell needs it: bash reads a backslash and takes the rest as it stands, the others quote it."""
    return word.replace(" ", r"\\ ") if os.environ.get("_ZIM_COMPLETE") == "bash_complete" else word


def places(session: Session, _: str, __: tuple[str, ...], incomplete: str) -> Iterator[tuple[str, str]]:
    """Games; after `/` their lines, after `@` the marks of a line."""
    line, at, _ = incomplete.partition("@")
    game, slash, _ = line.partition("/")
    if at:
        yield from ((f"{line}@{mark}", "") for mark in ("start", *session.service.marks(line), "end"))
    elif slash:
        yield from ((f"{game}/{each.name}", each.status) for each in session.service.lines(game))
    else:
        yield from ((each.name, each.status) for each in session.service.games() if not each.archived)


def overlays(session: Session, place: str, _: tuple[str, ...], __: str) -> Iterator[tuple[str, str]]:
    """What can be laid over the board, as options."""
    return options_of_board(session.position(place).game)


def options_of_board(game: Game) -> Iterator[tuple[str, str]]:
    """The overlays of a game."""
    laid = [*game.display.OVERLAYS.items(), ("legal", "COMMAND: where what begins so is legal")]
    return ((f"--{name}", meaning) for name, meaning in laid)


def subjects(session: Session, place: str, typed: tuple[str, ...], _: str) -> Iterator[tuple[str, str]]:
    """What expressions speak of: `kilwa.vp`."""
    return named(session.position(place).figures) if not typed else iter(())


def named(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """The names of figures, each with what it is now."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from named(value, f"{before}{name}.")
        elif not isinstance(value, list | tuple):
            yield f"{before}{name}", str(value)


def whole_commands(session: Session, place: str, _: tuple[str, ...], incomplete: str) -> Iterator[tuple[str, str]]:
    """The legal commands, each as one word."""
    return ((text, "") for text in islice(session.position(place).legal().texts(incomplete), MOST))


def words_of_commands(session: Session, place: str, typed: tuple[str, ...], _: str) -> Iterator[tuple[str, str]]:
    """The next word of the legal commands that begin as typed."""
    at, texts = len(typed), session.position(place).legal().texts(" ".join(typed))
    words = (text.split()[at : at + 1] for text in islice(texts, MOST))
    return ((word, "") for word in dict.fromkeys(word for found in words for word in found))


def rule_codes(session: Session, _: str, __: tuple[str, ...], ___: str) -> Iterator[tuple[str, str]]:
    """The codes of rules."""
    return ((rule.code, rule.text) for rule in session.all_rules)


def whatever_is_explained(session: Session, _: str, typed: tuple[str, ...], __: str) -> Iterator[tuple[str, str]]:
    """Commands, and the parts of the game."""
    return explained(session.all_rules) if not typed else iter(())


def explained(rules: Sequence[Rule]) -> Iterator[tuple[str, str]]:
    """The same, of some rulebooks."""
    from zimcli.topics import topics

    yield from ((entry.name, entry.help) for entry in BY_NAME.values())
    yield from ((topic, "") for topic in topics(rules))


def bots() -> Iterator[tuple[str, str]]:
    """The levels of programs that play."""
    from zimcore.bots.registry import MEANINGS, levels

    return ((level, MEANINGS.get(level, "")) for level in levels())


OFFERS: Mapping[Kind, Offer] = {
    "place": places,
    "command": whole_commands,
    "words": words_of_commands,
    "expression": subjects,
    "rule": rule_codes,
    "topic": whatever_is_explained,
    "bot": lambda _, __, ___, ____: bots(),
}
"""What is offered in the shell. Of files, numbers and choices click knows as much; a new name is anybody's guess."""
