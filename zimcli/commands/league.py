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

from zimcli.command import argument, id_option, plain_command
from zimcli.commands.new import parse_new
from zimcli.session import Session
from zimcore.documents.leagues import ChangeWhat, LeagueAnswer, LeagueChange, LeaguesAnswer, NewLeague, PairingSystem
from zimcore.game import GameError, OptionError

if TYPE_CHECKING:
    from zimcore.service.writer import WriteOptions

CHANGES: Sequence[ChangeWhat] = get_args(ChangeWhat)
SHOW_WORDS = ("show", "standings")
OWN_OPTIONS = ("pairing", "seats", "rounds", "pace", "bank", "public")
"""The options of a league itself; the others are those of its games."""


@plain_command(__doc__)
@argument("what", required=False, type=click.Choice(["open", *CHANGES, "join", *SHOW_WORDS]))
@argument("name", default="")
@argument("words", nargs=-1, metavar="[PLAYER | GAME | KEY=VALUE]...")
@click.option("--game", "kind", default="", metavar="KIND", help="Game to play (open).")
@click.option("--bot", default="", metavar="LEVEL", help="The program that plays as the player (enter).")
@click.option("--seed", type=click.IntRange(0, 2**53), metavar="NUMBER", help="Chooses among equal pairings (pair).")
@click.option("--why", default="", metavar="TEXT", help="The reason of a correction (correct).")
@id_option
def command(
    session: Session,
    what: str | None,
    name: str,
    words: tuple[str, ...],
    kind: str,
    bot: str,
    seed: int | None,
    why: str,
    command_id: str,
) -> LeagueAnswer | LeaguesAnswer:
    """Opens, changes or shows a league."""
    if what is None:
        return LeaguesAnswer(tuple(session.service.leagues()))
    if not name:
        names = [each.name for each in session.service.leagues()] if what != "open" else ["cup"]
        raise GameError(
            "no league given", "name one", [" ".join(["league", what, each]) for each in names] or ["league open cup"]
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
    requests = list(requested_changes(session, name, what, words, bot, seed, why))
    for index, each in enumerate(requests):
        if index and command_id:
            options["command_id"] = f"{command_id}/{index}"
        answer = service.change_league(name, each, **options)
    return answer


def new_league(session: Session, name: str, words: Sequence[str], kind: str) -> NewLeague:
    """The league that `open` asks for. Raises `OptionError`."""
    typed = dict(word.partition("=")[::2] for word in words)
    own_options = {key: typed[key] for key in OWN_OPTIONS if typed.get(key)}
    _, game, options = parse_new(session, [word for word in words if word.partition("=")[0] not in own_options], kind)
    if session.local_service and (terms := {"pace", "bank", "public"} & {*own_options}):
        why = "only a league on a server has clocks and watchers"
        raise OptionError(", ".join(sorted(terms)), why, ["zim --store https://HOST league open ..."])
    pairing, rounds, public = (
        own_options.get("pairing", "round-robin"),
        own_options.get("rounds", "0"),
        own_options.get("public", "no"),
    )
    if pairing not in get_args(PairingSystem):
        raise OptionError(
            f"pairing={pairing}",
            "rounds are paired in two ways",
            [f"pairing={each}" for each in get_args(PairingSystem)],
        )
    if not (rounds.isascii() and rounds.isdigit() and len(rounds) < 4):
        raise OptionError(f"rounds={rounds}", "these are the rounds of the season", ["rounds=5"])
    if public not in ("yes", "no"):
        raise OptionError(f"public={public}", "public is yes or no", ["public=yes", "public=no"])
    return NewLeague(
        name,
        game.name,
        options,
        pairing,  # type: ignore[arg-type]  # it was looked up
        own_options.get("seats", "2"),
        int(rounds),
        public == "yes",
        own_options.get("pace", ""),
        own_options.get("bank", ""),
    )


def requested_changes(
    session: Session, name: str, what: str, words: Sequence[str], bot: str, seed: int | None, why: str
) -> Iterator[LeagueChange]:
    """The changes that a command asks for: one for each player who enters, else one."""
    match what:
        case "enter":
            if bot:
                from zimcore.bots.registry import check_plays, parse_bot

                configured = parse_bot(bot)
                check_plays(configured, session.service.game_of(session.service.league(name).kind))
                bot = str(configured)
            yield from (LeagueChange("enter", player, bot) for player in words or [""])  # a server knows who you are
        case "withdraw":
            yield LeagueChange("withdraw", "".join(words[:1]))
        case "pair":
            yield LeagueChange("pair", seed=seed)
        case "correct":
            yield correction(words, why)
        case "close":
            yield LeagueChange("close")
        case _:
            yield LeagueChange("record")


def correction(words: Sequence[str], why: str) -> LeagueChange:
    """The change that sets the ranks of a game: `cup-r1-t1 anna=1 ben=2`. Raises `OptionError`."""
    games = [word for word in words if "=" not in word]
    ranks = dict(word.rpartition("=")[::2] for word in words if "=" in word)
    hint = 'league correct cup cup-r1-t1 anna=1 ben=2 --why "ben gave up"'
    for player, rank in ranks.items():
        if not (rank.isascii() and rank.isdigit() and 0 < int(rank[:4]) <= 128):
            raise OptionError(f"{player}={rank}", "a rank is 1 for the first", [hint])
    if len(games) != 1 or not ranks:
        raise OptionError("no result given", "a correction names a game, and the rank of each player", [hint])
    return LeagueChange("correct", game=games[0], ranks={player: int(rank) for player, rank in ranks.items()}, why=why)


def take_seats(session: Session, name: str) -> LeagueAnswer:
    """Takes the user's seats in the games of a league on a server."""
    from zimcli.commands.seating import configured_key
    from zimcli.server_only import server_service
    from zimcli.signing_keys import own_key
    from zimcore.remote.client_files import Folders
    from zimcore.remote.invitations import join_league

    service, signs = server_service(session, "league join"), configured_key()
    joined = join_league(service, Folders.of_user(), name, own_key(signs)[0] if signs else "", signs)
    for credentials in joined:
        session.note(f"you play {credentials.seat} in {credentials.game}")
    if not joined:
        session.note(f"no seat of {name} is waiting for you")
    return service.league(name)
