"""Begin a game.

NAME is the name of the game; without it the game gets the next free name. Options of the game follow as key=value, or
as --key value. Every game also takes:

keys=zulu:anna,kilwa:ben binds seats to keys (see `seat`). bots=zulu:strong,lozi:quick lets bots play seats on the
game's first line (see `bot`); bots=strong lets them play all seats but the first. takebacks=ask, free or never says
whether moves can be taken back (see `takeback`); the default is to ask the other players. help=no forbids hints and
analysis until the game is over (see `hint`, `analyse`). On a server there are also delay=10, pace=3d and bank=7d (see
`terms`).

On a server --fair opens a table: the game is dealt when all have sat down (zim invite), and each player adds random
bytes to the seed. So neither a player nor the server can choose the deal alone, and `verify` checks it. `zim deal`
starts without those who are missing.

--house-rules takes a sheet of house rules (TOML): one line for each disputed rule that you read the other way, such as
xango = "absolute"; `rules --disputed` lists them. On a server this also opens a table; the game is dealt when all have
sat down and agreed to the sheet.

Example::

    zim new kilwa-7 players=4 seed=7
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, get_args

import click

from zimcli.output.output import Output
from zimcli.session.command import Command, argument, id_option, plain_command
from zimcli.session.session import Session
from zimcore.commits import Position
from zimcore.documents.discussion import Takebacks
from zimcore.documents.positions import PositionAnswer
from zimcore.documents.seats import SeatsAnswer
from zimcore.game import Game, GameError, OptionError, Seat
from zimcore.service.records.discussion import DiscussionEvent, terms_events
from zimcore.toolkit.house_rules import require_known_options

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot
    from zimcore.service.records.memberships import MemberEvent

TAKEBACK_TERMS = get_args(Takebacks)
HELP_BY_WORD = {"yes": True, "no": False}
COMMON_OPTIONS = ("seed", "bots", "keys", "takebacks", "help")
"""Options that every game takes."""
SEAT_OPTION_FORMS = {
    "bots": "name one bot for each seat, as seat:level",
    "keys": "name one key for each seat, as seat:name",
}
"""The options by seat, and how they are written."""
NON_BREAKING_HYPHEN = "\N{NON-BREAKING HYPHEN}"
GUESSABLE_SEED = "a short seed can be guessed, and reveals all hidden cards; without seed= zim draws a long one"


class NewCommand(Command):
    """Lists the options of each game in its help."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Adds the options of each game; the first game is the default of `--game`."""
        session = context.find_object(Session) or Session(Output())
        for game in session.all_games:
            with formatter.section(f"Options of {game.title} (--game {game.name})"):
                # Click breaks lines at hyphens, which would cut values such as `in-parts` in two.
                texts = [
                    (f"{key}=...", text.replace("-", NON_BREAKING_HYPHEN)) for key, text in game.rules.OPTIONS.items()
                ]
                formatter.write_dl(texts)
        formatter.buffer = [text.replace(NON_BREAKING_HYPHEN, "-") for text in formatter.buffer]


@plain_command(__doc__, NewCommand, ignore_unknown_options=True)
@argument("words", nargs=-1, metavar="[NAME] [KEY=VALUE]...", type=click.UNPROCESSED)
@click.option("--game", "kind", default="", metavar="KIND", help="Game to play.")
@click.option("--fair", "is_fair_deal", is_flag=True, help="On a server: deal fairly once all have joined.")
@click.option("--house-rules", "rules_path", default="", metavar="FILE", help="Play by the house rules in this file.")
@click.option("--play", "opens_it", is_flag=True, help="Then open it, as `zim play` does.")
@id_option
def command(
    session: Session,
    words: tuple[str, ...],
    kind: str,
    is_fair_deal: bool,
    rules_path: str,
    opens_it: bool,
    command_id: str,
) -> PositionAnswer | SeatsAnswer | None:
    """Begins a game and makes it the current one."""
    try:
        answer = begin_game_or_open_table(
            session, words, kind, rules_path, command_id, is_fair_deal=is_fair_deal, opens_it=opens_it
        )
    except GameError as error:
        error.hints = complete_hints("new", words, kind, error.hints)
        raise
    if session.level or not (opens_it and isinstance(answer, PositionAnswer)):
        return answer
    from zimcli.commands.play import open_current_place

    open_current_place(session)
    return None


def begin_game_or_open_table(
    session: Session,
    words: tuple[str, ...],
    kind: str,
    rules_path: str,
    command_id: str,
    *,
    is_fair_deal: bool,
    opens_it: bool = False,
) -> PositionAnswer | SeatsAnswer:
    """Begins a game, or opens a table for one. Raises `OptionError`."""
    name, game, options = parse_new_game(session, words, kind)
    kind = game.name
    house_rules = dict[str, str]()
    if rules_path:
        from zimcli.study.house_rule_sheets import read_house_rules

        house_rules = read_house_rules(rules_path, game, options)
    options |= house_rules
    agreements, bots = agreed_terms(options), parse_bots(session, options.pop("bots", ""), game, options)
    if is_fair_deal or (house_rules and not session.local_service):
        return open_table(session, kind, options, name, bots, agreements, house_rules, command_id)
    key_names = dict(parse_by_seat("keys", options.pop("keys", ""), game, options))
    terms = parse_terms(options, session)
    with begin_with_keys(session, key_names) as begin_game:
        position = begin_game(
            kind,
            options,
            name=name,
            by=session.by,
            bots=bot_names(bots),
            agreed=agreements,
            served=terms,
            command_id=command_id,
            viewer=session.viewer,
        )
    if position.game.secrets and "seed" in options and sys.stderr.isatty():  # in a script it is on purpose
        session.show_note(GUESSABLE_SEED)
    session.enter_position(position)
    if bots:
        from zimcli.session.allowed_programs import allow_in_game
        from zimcli.session.bot_moves import play_bot_seats

        allow_in_game(session, position.place, [*bots.values()])
        for bot_move in play_bot_seats(session, position.place):
            position = bot_move.position
    if (
        sys.stdout.isatty() and not (session.level or opens_it) and "@" not in session.store
    ):  # which may have a password
        store_words = ["--store", session.store] if session.store else []
        session.show_note(f"to play it: zim {shlex.join([*store_words, 'play', position.match])}")
    return session.position_answer(position)


def complete_hints(command: str, words: Sequence[str], kind: str, hints: Sequence[str]) -> tuple[str, ...]:
    """The hints. An option becomes the whole command: what was typed, with that option in the place of a misspelt one.

    >>> complete_hints("new", ["first_gft=required", "seed=7"], "", ["first_gift=required"])
    ('new first_gift=required seed=7',)
    >>> complete_hints("new", ["friday", "players=9", "seed=7"], "africana", ["players=4", "help new"])
    ('new friday --game africana players=4 seed=7', 'help new')
    """
    from difflib import get_close_matches  # only needed after an error

    def complete_hint(hint: str) -> str:
        key, equals, value = hint.partition("=")
        if not (equals and key.isidentifier()):
            return hint
        misspelt = [
            name for name in get_close_matches(key, options, 1) if key not in options and options[name] == value
        ]
        all_options = {**{key if name in misspelt else name: typed for name, typed in options.items()}, key: value}
        game_words = ["--game", kind] if kind else []
        return shlex.join([command, *names, *game_words, *(f"{key}={value}" for key, value in all_options.items())])

    try:
        names, options = split_words(words)
    except OptionError:  # an option is given twice
        return tuple(hints)
    return tuple(map(complete_hint, hints))


def parse_new_game(session: Session, words: Sequence[str], kind: str) -> tuple[str, Game, dict[str, str]]:
    """The name of a new game ("": the next free one), the kind of game, and its options. Raises `OptionError`."""
    names, options = split_words(words)
    kind = kind or options.pop("game", "")
    if "" in names:
        raise OptionError(
            "the name is empty", "leave it out, and the game gets the next free name", ["new", "new kilwa-7"]
        )
    if len(names) > 1:
        hints = [f"new {names[0]} --game {word}" for word in names[1:] if word in session.kinds]
        raise OptionError(names[1], "a game has one name, and options are written key=value", hints or ["help new"])
    if names and not kind and names[0] in session.kinds:
        raise OptionError(
            names[0],
            "is this the kind of game to play, or the name of yours?",
            commands_for_game_name(names[0], session),
        )
    if kind and kind not in session.kinds:
        hints = [" ".join(["new", *names, "--game", each]) for each in session.kinds]
        raise OptionError(f"--game {kind}", "there is no game of this name", hints)
    game = session.game(kind)
    check_option_names(options, game)
    return (names[0] if names else ""), game, options


def check_option_names(options: Mapping[str, str], game: Game) -> None:
    """Raises `OptionError` for options that a new game does not take."""
    from zimcore.service.records.terms import TERM_KEYS

    named_options = dict.fromkeys((*game.rules.OPTIONS, *COMMON_OPTIONS))
    require_known_options({name: value for name, value in options.items() if name not in TERM_KEYS}, [*named_options])


def agreed_terms(options: dict[str, str]) -> list[DiscussionEvent]:
    """The terms for takebacks and help that differ from the default. Removes them from the options."""
    takebacks = options.pop("takebacks", "ask")
    if takebacks not in TAKEBACK_TERMS:
        raise OptionError(
            f"takebacks={takebacks}",
            "there is no such way to take moves back",
            [f"takebacks={each}" for each in TAKEBACK_TERMS],
        )
    help_word = options.pop("help", "yes")
    if help_word not in HELP_BY_WORD:
        raise OptionError(f"help={help_word}", "help is yes or no", [f"help={each}" for each in HELP_BY_WORD])
    return terms_events(takebacks, helps=HELP_BY_WORD[help_word])  # type: ignore[arg-type]  # it was looked up


def open_table(
    session: Session,
    kind: str,
    options: dict[str, str],
    name: str,
    bots: dict[Seat, ConfiguredBot],
    agreements: list[DiscussionEvent],
    house_rules: dict[str, str],
    command_id: str,
) -> SeatsAnswer:
    """Opens a table on a server. Players agree to its house rules when they join."""
    from zimcli.session.server_only import server_service
    from zimcore.service.records.memberships import GameHosted, HouseRulesSet

    service, by = server_service(session, "new --fair"), session.by
    hosting_events = [
        GameHosted(by),
        *parse_terms(options, session),
        *([HouseRulesSet(house_rules)] if house_rules else []),
    ]
    game = service.open_table(
        kind,
        options,
        name=name,
        by=by,
        served=hosting_events,
        bots=bot_names(bots),
        agreed=agreements,
        command_id=command_id,
    )
    from zimcore.remote import invitations

    return invitations.read_seats(service, game)


def commands_for_game_name(kind: str, session: Session) -> list[str]:
    """Both commands that may be meant when the name of a kind of game stands alone."""
    return [f"new --game {kind}", f"new {kind} --game {session.game().name}"]


def parse_terms(options: dict[str, str], session: Session) -> list[MemberEvent]:
    """The terms of a game on a server, taken out of its options: `delay=10`, `pace=3d`, `bank=7d`."""
    from zimcore.service.records.terms import TERM_KEYS, changed_terms

    typed_terms = {key: options.pop(key) for key in TERM_KEYS if key in options}
    if not typed_terms:
        return []
    if session.local_service:
        terms_text = " ".join(f"{key}={text}" for key, text in typed_terms.items())
        raise OptionError(
            terms_text, "only a game on a server has terms", ["zim --store https://HOST new ...", "help terms"]
        )
    from zimcore.service.records.memberships import TermsSet

    return [changed_terms(TermsSet(), typed_terms)]


def parse_bots(session: Session, bots_text: str, game: Game, options: Mapping[str, str]) -> dict[Seat, ConfiguredBot]:
    """The bots by seat: `zulu:strong,lozi:quick`. Raises `GameError` for one that a script may not name."""
    if not bots_text:
        return {}
    from zimcli.session.allowed_programs import named_bot
    from zimcore.bots.registry import check_can_play

    bots: dict[Seat, ConfiguredBot] = {}
    for seat, level in seats_and_levels(bots_text, game, options):
        bots[seat] = named_bot(session, level)
        check_can_play(bots[seat], game)
    return bots


def seats_and_levels(bots_text: str, game: Game, options: Mapping[str, str]) -> Iterator[tuple[Seat, str]]:
    """The pairs of `bots=`. A level alone is for every seat but the first, unless a seat has its name."""
    from zimcore.bots.registry import levels

    if bots_text.partition(":")[0] in levels() and not bots_text.count(","):
        first_seat, *other_seats = seats_of(game, options)
        if bots_text.partition(":")[0] not in (first_seat, *other_seats):
            yield from ((seat, bots_text) for seat in other_seats)
            return
    yield from parse_by_seat("bots", bots_text, game, options)


def bot_names(bots: Mapping[Seat, ConfiguredBot]) -> dict[Seat, str]:
    """The names of bots, as a game records them."""
    return {seat: str(bot) for seat, bot in bots.items()}


@contextmanager
def begin_with_keys(session: Session, key_names: Mapping[Seat, str]) -> Iterator[Callable[..., Position]]:
    """Yields what begins a game, with the keys of these people at these seats: `{"zulu": "anna"}`."""
    if not key_names:
        yield session.opened_service.new
        return
    from zimcli.keys.signing_keys import public_keys_of
    from zimcli.session.allowed_programs import check_may_run

    if session.by in key_names.values():
        check_may_run(session, "key", "new keys=...")
    service = session.maintenance_service("new keys=...", may_create=True)
    with public_keys_of([*key_names.values()], session.by) as public_keys:
        yield partial(service.new, keys=dict(zip(key_names, public_keys, strict=True)))


def parse_by_seat(key: str, option_text: str, game: Game, options: Mapping[str, str]) -> Iterator[tuple[Seat, str]]:
    """The pairs of an option by seat: `zulu:strong,lozi:quick`. Raises `OptionError` with an example."""
    seats = set[Seat]()
    for pair in filter(None, option_text.split(",")):
        seat, colon, value = pair.partition(":")
        if not colon or seat in seats:
            first_seat, *_ = seats_of(game, options)
            example = option_text.replace("=", ":") if "=" in option_text else f"{first_seat}:{value or seat}"
            raise OptionError(f"{key}={option_text}", SEAT_OPTION_FORMS[key], [f"{key}={example}"])
        seats.add(seat)
        yield seat, value


def seats_of(game: Game, options: Mapping[str, str]) -> Sequence[Seat]:
    """The seats of a game with these options. Raises `OptionError` for wrong options."""
    set_up_options = {key: text for key, text in options.items() if key in game.rules.OPTIONS and key != "seed"}
    return game.evolution.seats(
        game.rules.apply(game.evolution.initial(), "", game.rules.set_up(set_up_options, 0)).state
    )


def split_words(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Splits the words into names and options.

    >>> split_words(["kilwa-7", "players=4", "--seed", "7", "--gods=all"])
    (['kilwa-7'], {'players': '4', 'seed': '7', 'gods': 'all'})
    """
    names, options = list[str](), dict[str, str]()
    remaining_words = iter(words)
    for word in remaining_words:
        key, equals, value = word.removeprefix("--").partition("=")
        if not equals and not word.startswith("--"):
            names.append(word)
        elif key in options:
            raise OptionError(word, f"{key} is {options[key]} already", ["help new"])
        else:
            options[key] = value if equals else next(remaining_words, "")
    return names, options
