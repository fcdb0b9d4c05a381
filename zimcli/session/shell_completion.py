"""Completion in the shell: names of places, and legal commands. Errors are ignored, and offer nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from zimcli.shell.registry import ENTRIES_BY_NAME, ArgumentKind

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from zimcli.session.session import Session
    from zimcore.commits import Position
    from zimcore.game import Game, Rule


class TypedInput(NamedTuple):
    """What was typed so far: the place, the words after it, and the incomplete word at the cursor."""

    session: Session
    place: str
    words: tuple[str, ...]
    word: str

    @property
    def position(self) -> Position:
        """The position at the place."""
        return self.session.position(self.place)


Offers: TypeAlias = "Iterable[tuple[str, str]]"
"""The words to offer, each with an explanation."""

MAX_COMMAND_OFFERS = 500
"""The most commands to offer: longer lists are of no use."""


class Argument(click.Argument):
    """An argument of a command. Its kind in the registry decides what completion offers."""

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """The words that may come here; those of click if the kind of the argument has none."""
        find_offers = OFFERS.get(self.kind(context))
        return (
            offer_words(find_offers, context, self, incomplete)
            if find_offers
            else super().shell_complete(context, incomplete)
        )

    def kind(self, context: click.Context) -> ArgumentKind:
        """Its kind in the registry, by its index among the arguments."""
        arguments = [each for each in context.command.params if isinstance(each, click.Argument)]
        return ENTRIES_BY_NAME[context.info_name or ""].argument_kinds[arguments.index(self)]


def offer_words(
    find_offers: Callable[[TypedInput], Offers], context: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The completions of a word in the shell. They come from a session without a current place."""
    from click.shell_completion import CompletionItem

    from zimcli.output.output import Output
    from zimcli.session.session import Session

    session = Session(Output(), store=context.find_root().params.get("store") or "")
    typed_places = context.params.get(param.name or "") or ()
    try:
        offers = list(
            find_offers(TypedInput(session, context.params.get("place") or "", tuple(typed_places), incomplete))
        )
    except Exception:  # the line is incomplete: its errors are shown when it is run
        return []
    return [CompletionItem(shell_escaped(word), help=why) for word, why in offers if word.startswith(incomplete)]


def shell_escaped(word: str) -> str:
    """A word quoted for the shell. Bash takes a completion literally, so blanks need a backslash; others quote it."""
    return word.replace(" ", r"\\ ") if os.environ.get("_ZIM_COMPLETE") == "bash_complete" else word


def place_offers(typed_input: TypedInput) -> Iterator[tuple[str, str]]:
    """The names of games; after `/` their lines, after `@` the marks of a line."""
    service, (line, at_sign, _) = typed_input.session.service, typed_input.word.partition("@")
    game, slash, _ = line.partition("/")
    if at_sign:
        yield from ((f"{line}@{mark}", "") for mark in ("start", *service.marks(line), "end"))
    elif slash:
        yield from ((f"{game}/{each.name}", each.status) for each in service.lines(game))
    else:
        yield from ((each.name, each.status) for each in service.games() if not each.archived)


def overlay_offers(typed_input: TypedInput) -> Offers:
    """The overlays of the board, as options."""
    return options_of_board(typed_input.position.game)


def options_of_board(game: Game) -> Iterator[tuple[str, str]]:
    """The overlays of a game, each with its meaning."""
    overlays = [*game.display.OVERLAYS.items(), ("legal", "COMMAND: where commands with this beginning are legal")]
    return ((f"--{name}", meaning) for name, meaning in overlays)


def figure_names(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The names of figures, each with its current value."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from figure_names(value, f"{prefix}{name}.")
        elif not isinstance(value, list | tuple):
            yield f"{prefix}{name}", str(value)


def words_of_commands(typed_input: TypedInput) -> Offers:
    """The next words of the legal commands that start with what is typed_input."""
    index, command_texts = len(typed_input.words), typed_input.position.legal().texts(" ".join(typed_input.words))
    words = (text.split()[index : index + 1] for text in islice(command_texts, MAX_COMMAND_OFFERS))
    return ((word, "") for word in dict.fromkeys(word for next_words in words for word in next_words))


def topics_to_explain(rules: Sequence[Rule]) -> Iterator[tuple[str, str]]:
    """The topics of `help`: commands, and the parts of the games."""
    from zimcli.session.topics import topics

    yield from ((entry.name, entry.help) for entry in ENTRIES_BY_NAME.values())
    yield from ((topic, "") for topic in topics(rules))


def bot_levels() -> Iterator[tuple[str, str]]:
    """The levels of bots, each with its meaning."""
    from zimcore.bots.registry import LEVEL_MEANINGS, levels

    return ((level, LEVEL_MEANINGS.get(level, "")) for level in levels())


OFFERS: Mapping[ArgumentKind, Callable[[TypedInput], Offers]] = {
    "place": place_offers,
    "command": lambda typed_input: (
        (text, "") for text in islice(typed_input.position.legal().texts(typed_input.word), MAX_COMMAND_OFFERS)
    ),
    "words": words_of_commands,
    "expression": lambda typed_input: () if typed_input.words else figure_names(typed_input.position.figures),
    "rule": lambda typed_input: ((rule.code, rule.text) for rule in typed_input.session.all_rules),
    "topic": lambda typed_input: () if typed_input.words else topics_to_explain(typed_input.session.all_rules),
    "bot": lambda _: bot_levels(),
}
"""What to offer for each kind of argument. Click completes files and choices; new names and numbers are free."""
