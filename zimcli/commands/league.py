"""Run a league: rounds of games, results and standings.

open begins a league. pairing=round-robin lets each player meet each other one as evenly as can be; pairing=swiss pairs
players with about equal points who have not met. seats=2 or seats=3..4 are the players at a table. rounds=5 are those
of the season. Other options are those of `new`, for each game. On a server there are also pace=3d and bank=7d, and
public=yes lets anyone watch.

enter adds players, by default you; --bot lets a program play. withdraw takes a player out; their results stay. pair
records the games that are over, pairs the next round and begins its games. record only records. close ends the season.
correct sets the ranks of a game, where a result is wrong or a game will never end: the league keeps what was recorded,
and shows why.

A game gives the share of opponents who ended behind you: 1 for the first, 0 for the last. Equal points are decided by
wins, then by the points of your opponents. Ratings need great-zim[bots].

On a server the host does all that; players with an account enter and withdraw themselves, and join takes their seats.
Without WHAT you see all leagues; show has rounds and games, standings only the players.

Example::

    zim league open cup pairing=swiss rounds=4
    zim league enter cup anna ben
    zim league pair cup
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, get_args

import click
from msgspec.structs import replace

from zimcli.commands.new import parse_new_game
from zimcli.session.command import argument, id_option, plain_command
from zimcli.session.session import Session
from zimcore.documents.leagues import ChangeWhat, LeagueAnswer, LeagueChange, LeaguesAnswer, NewLeague, PairingSystem
from zimcore.game import GameError, OptionError

if TYPE_CHECKING:
    from zimcore.service.writing.writer import WriteOptions

CHANGE_WORDS: Sequence[ChangeWhat] = get_args(ChangeWhat)
SHOW_WORDS = ("show", "standings")
LEAGUE_OPTIONS = ("pairing", "seats", "rounds", "pace", "bank", "public")
"""The options of a league itself; the others are those of its games."""


@plain_command(__doc__)
@argument("what", required=False, type=click.Choice(["open", *CHANGE_WORDS, "join", *SHOW_WORDS]))
@argument("name", default="")
@argument("words", nargs=-1, metavar="[PLAYER | GAME | KEY=VALUE]...")
@click.option("--game", "kind", default="", metavar="KIND", help="Game to play (open).")
@click.option("--bot", default="", metavar="LEVEL", help="The program that plays as the player (enter).")
@click.option("--seed", type=click.IntRange(0, 2**53), metavar="NUMBER", help="Chooses among equal pairings (pair).")
@click.option("--why", "reason", default="", metavar="TEXT", help="The reason of a correction (correct).")
@id_option
def command(
    session: Session,
    what: str | None,
    name: str,
    words: tuple[str, ...],
    kind: str,
    bot: str,
    seed: int | None,
    reason: str,
    command_id: str,
) -> LeagueAnswer | LeaguesAnswer:
    """Opens, changes or shows a league."""
    if what is None:
        return LeaguesAnswer(tuple(session.service.leagues()))
    if not name:
        league_names = [league.name for league in session.service.leagues()] if what != "open" else ["cup"]
        raise GameError(
            "no league given",
            "name one",
            [" ".join(["league", what, league_name]) for league_name in league_names] or ["league open cup"],
        )
    options: WriteOptions = {"by": session.by, "viewer": session.viewer, "command_id": command_id}
    if what == "open":
        return session.opened_service.open_league(new_league(session, name, words, kind), **options)
    service = session.service
    if what == "join":
        return take_seats(session, name)
    if what in SHOW_WORDS:
        answer = service.league(name)
        return answer if what == "show" else replace(answer, rounds=(), history=())
    changes = list(requested_changes(session, name, what, words, bot, seed, reason))
    for index, change in enumerate(changes):
        if index and command_id:
            options["command_id"] = f"{command_id}/{index}"
        answer = service.change_league(name, change, **options)
    return answer


def new_league(session: Session, name: str, words: Sequence[str], kind: str) -> NewLeague:
    """The league that `open` asks for. Raises `OptionError`."""
    typed_options = dict(word.partition("=")[::2] for word in words)
    league_options = {key: typed_options[key] for key in LEAGUE_OPTIONS if typed_options.get(key)}
    _, game, options = parse_new_game(
        session, [word for word in words if word.partition("=")[0] not in league_options], kind
    )
    if session.local_service and (server_options := {"pace", "bank", "public"} & {*league_options}):
        reason = "only a league on a server has clocks and watchers"
        raise OptionError(", ".join(sorted(server_options)), reason, ["zim --store https://HOST league open ..."])
    pairing, round_count, public_word = (
        league_options.get("pairing", "round-robin"),
        league_options.get("rounds", "0"),
        league_options.get("public", "no"),
    )
    if pairing not in get_args(PairingSystem):
        raise OptionError(
            f"pairing={pairing}",
            "rounds are paired in two ways",
            [f"pairing={each}" for each in get_args(PairingSystem)],
        )
    if not (round_count.isascii() and round_count.isdigit() and len(round_count) < 4):
        raise OptionError(f"rounds={round_count}", "these are the rounds of the season", ["rounds=5"])
    if public_word not in ("yes", "no"):
        raise OptionError(f"public={public_word}", "public is yes or no", ["public=yes", "public=no"])
    return NewLeague(
        name,
        game.name,
        options,
        pairing,  # type: ignore[arg-type]  # it was looked up
        league_options.get("seats", "2"),
        int(round_count),
        public_word == "yes",
        league_options.get("pace", ""),
        league_options.get("bank", ""),
    )


def requested_changes(
    session: Session, name: str, change_word: str, words: Sequence[str], bot: str, seed: int | None, reason: str
) -> Iterator[LeagueChange]:
    """The changes that a command asks for: one for each player who enters, else one."""
    match change_word:
        case "enter":
            if bot:
                from zimcli.session.allowed_programs import named_bot
                from zimcore.bots.registry import check_can_play

                configured_bot = named_bot(session, bot)
                check_can_play(configured_bot, session.service.game_of(session.service.league(name).kind))
                bot = str(configured_bot)
            yield from (LeagueChange("enter", player, bot) for player in words or [""])  # a server knows who you are
        case "withdraw":
            yield LeagueChange("withdraw", "".join(words[:1]))
        case "pair":
            yield LeagueChange("pair", seed=seed)
        case "correct":
            yield correction(words, reason)
        case "close":
            yield LeagueChange("close")
        case _:
            yield LeagueChange("record")


def correction(words: Sequence[str], reason: str) -> LeagueChange:
    """The change that sets the ranks of a game: `cup-r1-t1 anna=1 ben=2`. Raises `OptionError`."""
    game_names = [word for word in words if "=" not in word]
    ranks = dict(word.rpartition("=")[::2] for word in words if "=" in word)
    example = 'league correct cup cup-r1-t1 anna=1 ben=2 --why "ben gave up"'
    for player, rank in ranks.items():
        if not (rank.isascii() and rank.isdigit() and 0 < int(rank[:4]) <= 128):
            raise OptionError(f"{player}={rank}", "a rank is 1 for the first", [example])
    if len(game_names) != 1 or not ranks:
        raise OptionError("no result given", "a correction names a game, and the rank of each player", [example])
    return LeagueChange(
        "correct", game=game_names[0], ranks={player: int(rank) for player, rank in ranks.items()}, why=reason
    )


def take_seats(session: Session, name: str) -> LeagueAnswer:
    """Takes the user's seats in the games of a league on a server."""
    from zimcli.commands.seating import configured_key
    from zimcli.keys.signing_keys import ensure_own_key
    from zimcli.session.server_only import server_service
    from zimcore.remote.client_files import Folders
    from zimcore.remote.invitations import join_league

    service, key_name = server_service(session, "league join"), configured_key()
    joined_credentials = join_league(
        service, Folders.of_user(), name, ensure_own_key(key_name)[0] if key_name else "", key_name
    )
    for credential in joined_credentials:
        session.show_note(f"you play {credential.seat} in {credential.game}")
    if not joined_credentials:
        session.show_note(f"no seat of {name} is waiting for you")
    return service.league(name)
