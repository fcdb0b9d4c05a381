"""Begin a game.

NAME is the name of the game; without it the game gets the next free name. Options of the game follow as key=value, or
as --key value. Every game also takes:

keys=zulu:anna,kilwa:ben binds seats to keys (see `seat`). bots=zulu:strong,lozi:quick lets bots play seats on the
game's first line (see `bot`). takebacks=ask, free or never says whether moves can be taken back (see `takeback`); the
default is to ask the other players. help=no forbids hints and analysis until the game is over (see `hint`, `analyse`).
On a server there are also delay=10, pace=3d and bank=7d (see `terms`).

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
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, get_args

import click

from zimcli.command import argument, id_option, plain_command
from zimcli.output import Output
from zimcli.session import Session
from zimcore.documents.discussion import Takebacks
from zimcore.documents.positions import PositionAnswer
from zimcore.documents.seats import SeatsAnswer
from zimcore.game import Game, GameError, OptionError, Seat
from zimcore.service.discussion import DiscussionEvent, terms_events

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot
    from zimcore.service.memberships import MemberEvent

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


class NewCommand(click.Command):
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
@id_option
def command(
    session: Session, words: tuple[str, ...], kind: str, is_fair_deal: bool, rules_path: str, command_id: str
) -> PositionAnswer | SeatsAnswer:
    """Begins a game and makes it the current one."""
    try:
        return begin_game_or_open_table(session, words, kind, rules_path, command_id, is_fair_deal=is_fair_deal)
    except GameError as error:
        error.hints = complete_hints("new", words, kind, error.hints)
        raise


def begin_game_or_open_table(
    session: Session, words: tuple[str, ...], kind: str, rules_path: str, command_id: str, *, is_fair_deal: bool
) -> PositionAnswer | SeatsAnswer:
    """Begins a game, or opens a table for one. Raises `OptionError`."""
    name, game, options = parse_new_game(session, words, kind)
    kind = game.name
    house_rules = read_house_rules(rules_path, game, options) if rules_path else {}
    options |= house_rules
    agreements, bots = agreed_terms(options), parse_bots(session, options.pop("bots", ""), game, options)
    if is_fair_deal or (house_rules and not session.local_service):
        return open_table(session, kind, options, name, bots, agreements, house_rules, command_id)
    keys, terms = parse_keys(options.pop("keys", ""), session.by, game, options), parse_terms(options, session)
    begin_game = (
        partial(session.maintenance_service("new keys=...", may_create=True).new, keys=keys)
        if keys
        else session.opened_service.new
    )
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
        from zimcli.allowed_programs import allow_in_game
        from zimcli.bot_moves import play_bot_seats

        if session.is_typed:
            allow_in_game(session, position.place, [*bots.values()])
        for bot_move in play_bot_seats(session, position.place):
            position = bot_move.position
    if sys.stdout.isatty() and not session.level and "@" not in session.store:  # which may have a password
        store_words = ["--store", session.store] if session.store else []
        session.show_note(f"to play it: zim {shlex.join([*store_words, 'play', position.match])}")
    return session.position_answer(position)


def complete_hints(command: str, words: Sequence[str], kind: str, hints: Sequence[str]) -> tuple[str, ...]:
    """The hints. An option becomes the whole command: what was typed, with that option.

    >>> complete_hints("new", ["friday", "players=9", "seed=7"], "africana", ["players=4", "help new"])
    ('new friday --game africana players=4 seed=7', 'help new')
    """

    def complete_hint(hint: str) -> str:
        key, equals, value = hint.partition("=")
        if not (equals and key.isidentifier()):
            return hint
        all_options = {**options, key: value}
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
    from zimcore.service.terms import TERM_KEYS

    unknown_options = sorted(set(options) - {*game.rules.OPTIONS, *COMMON_OPTIONS, *TERM_KEYS})
    if unknown_options:
        option_names = ", ".join(
            [*game.rules.OPTIONS, *(each for each in COMMON_OPTIONS if each not in game.rules.OPTIONS)]
        )
        raise OptionError(
            f"there is no option {', '.join(unknown_options)}", f"a new game takes {option_names}", ["help new"]
        )


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
    from zimcli.server_only import server_service
    from zimcore.service.memberships import GameHosted, HouseRulesSet

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


def read_house_rules(path: str, game: Game, options: Mapping[str, str]) -> dict[str, str]:
    """The house rules of a sheet that differ from the default. Raises `OptionError` for a wrong line."""
    import re

    from zimcli import files
    from zimcore.history.disputed_readings import reading_options as readings
    from zimcore.toolkit.toml import read_toml

    readings_by_option, house_rules = readings(game), dict[str, str]()
    with files.open_for_reading(path) as file:
        sheet_bytes = file.read()
    try:
        sheet_values = read_toml(sheet_bytes.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # wrong bytes, wrong TOML, numbers that are too long
        bare_value = re.search(rb"^[ \t]*([a-z_]+)[ \t]*=[ \t]*([a-z-]+)[ \t]*\r?$", sheet_bytes, re.MULTILINE)
        option, value = (
            map(bytes.decode, bare_value.groups())
            if bare_value
            else next(iter(readings_by_option.items()), ("option", "value"))
        )
        raise OptionError(path, f"this is not a sheet of house rules: {error}", [f'{option} = "{value}"']) from error
    for option, reading in sheet_values.items():
        location = f"{path}: {option} = {reading}"
        if option not in readings_by_option:
            reason = f"{game.title} has no such house rule; it has {', '.join(readings_by_option) or 'none'}"
            raise OptionError(location, reason, ["rules --disputed"])
        if not isinstance(reading, str):
            raise OptionError(location, "the value has to be in quotes", [f'{option} = "{readings_by_option[option]}"'])
        if options.get(option, reading) != reading:
            raise OptionError(location, f"{option} is {options[option]} already", [f"new ... {option}={reading}"])
        game.rules.set_up({option: reading}, 0)  # raises for unknown values
        if reading == readings_by_option[option]:
            house_rules[option] = reading
    return house_rules


def commands_for_game_name(kind: str, session: Session) -> list[str]:
    """Both commands that may be meant when the name of a kind of game stands alone."""
    return [f"new --game {kind}", f"new {kind} --game {session.game().name}"]


def parse_terms(options: dict[str, str], session: Session) -> list[MemberEvent]:
    """The terms of a game on a server, taken out of its options: `delay=10`, `pace=3d`, `bank=7d`."""
    from zimcore.service.terms import TERM_KEYS, changed_terms

    typed_terms = {key: options.pop(key) for key in TERM_KEYS if key in options}
    if not typed_terms:
        return []
    if session.local_service:
        terms_text = " ".join(f"{key}={text}" for key, text in typed_terms.items())
        raise OptionError(
            terms_text, "only a game on a server has terms", ["zim --store https://HOST new ...", "help terms"]
        )
    from zimcore.service.memberships import TermsSet

    return [changed_terms(TermsSet(), typed_terms)]


def parse_bots(session: Session, bots_text: str, game: Game, options: Mapping[str, str]) -> dict[Seat, ConfiguredBot]:
    """The bots by seat: `zulu:strong,lozi:quick`. Raises `GameError` for one that a script may not name."""
    if not bots_text:
        return {}
    from zimcli.allowed_programs import named_bot
    from zimcore.bots.registry import check_can_play

    bots: dict[Seat, ConfiguredBot] = {}
    for seat, level in parse_by_seat("bots", bots_text, game, options):
        bots[seat] = named_bot(session, level)
        check_can_play(bots[seat], game)
    return bots


def bot_names(bots: Mapping[Seat, ConfiguredBot]) -> dict[Seat, str]:
    """The names of bots, as a game records them."""
    return {seat: str(bot) for seat, bot in bots.items()}


def parse_keys(keys_text: str, by: str, game: Game, options: Mapping[str, str]) -> dict[Seat, str]:
    """The public keys by seat: `zulu:anna,kilwa:ben`."""
    from zimcli.signing_keys import public_key_of

    return {seat: public_key_of(key_name, by) for seat, key_name in parse_by_seat("keys", keys_text, game, options)}


def parse_by_seat(key: str, option_text: str, game: Game, options: Mapping[str, str]) -> Iterator[tuple[Seat, str]]:
    """The pairs of an option by seat: `zulu:strong,lozi:quick`. Raises `OptionError` with an example."""
    seats = set[Seat]()
    for pair in filter(None, option_text.split(",")):
        seat, colon, value = pair.partition(":")
        if not colon or seat in seats:
            first_seat, *_ = seats_of(game, options)
            raise OptionError(f"{key}={option_text}", SEAT_OPTION_FORMS[key], [f"{key}={first_seat}:{value or seat}"])
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
