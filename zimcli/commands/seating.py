"""Who takes part in a game on a server, and under which terms."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from zimcli.command import argument, place_command, plain_command
from zimcli.server_only import game_of, server
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer
from zimcore.documents.seats import (
    InviteAnswer,
    JoinAnswer,
    NewNotices,
    NoticesAnswer,
    SeatsAnswer,
    Terms,
    TokensAnswer,
)
from zimcore.game import OptionError
from zimcore.service.terms import KEYS

GUEST_ROLES = ("spectator", "auditor")


@plain_command()
@argument("link")
@click.option(
    "--key", "signs", default="", metavar="NAME", help="Sign each command with the key of that name of yours."
)
@click.option("--agree", "agreed", default="", metavar="RULES", help="Agree to the house rules of the table.")
def join(session: Session, link: str, signs: str, agreed: str) -> JoinAnswer:
    """Join a game on a server, by a link.

    A link is good once: it is redeemed for a token, which is kept in your folder and never shown. From then on the game
    is one of the store that is the server, and you are known there by your name (--by). The token of a host, a
    spectator or an auditor is kept as it is. With - the link is read from stdin, so that it stands in no list of
    processes.

    Where the table has house rules you agree to them by writing them out with --agree; without it the error says which
    they are, and `rules --disputed` what they mean.

    With --key each of your commands is signed, and nobody else can play your seat, the server not either: NAME is whose
    key it is (zim key), mostly yours. The setting `key` (zim config key NAME) does that for every game that you join.

    Example::

        zim join https://zim.example/join#zim_link_5f3a_...
        zim --store https://zim.example play
    """
    from zimcli.locations import folders, remote_library, store_url

    remote_library()
    from zimcli.signing_keys import own_key
    from zimcore.remote.connection import Connection
    from zimcore.remote.invitations import join, parse_invitation

    invitation = parse_invitation(sys.stdin.readline() if link == "-" else link, store_url(session.store))
    signs = signs or configured_key()
    key = own_key(signs)[0] if signs and invitation.kind == "link" else ""
    made = join(Connection(invitation.server), folders(), invitation, session.by, key, signs, agreed)
    return JoinAnswer(server=made.server, game=made.game, role=made.role, seat=made.seat, by=made.by)


def configured_key() -> str:
    """The name of the key in the settings; "" where there is none."""
    from zimcli.config import config_file, load

    return load(config_file()).key


@place_command()
@click.option("--tokens", "tokens_", is_flag=True, help="The links and tokens that are good, for the host.")
@click.option("--revoke", default="", metavar="ID", help="Make a link or a token good for nothing.")
def seats(session: Session, place: str, tokens_: bool, revoke: str) -> SeatsAnswer | TokensAnswer:
    """Show who sits where in a game on a server.

    With --tokens the host sees which links and tokens are good, by their ids; --revoke makes one good for nothing.

    Example::

        zim seats kilwa-7
    """
    service, match = server(session, "seats"), game_of(place)
    from zimcore.remote import invitations

    if revoke:
        return TokensAnswer(tuple(invitations.revoke(service, match, revoke)))
    if tokens_:
        return TokensAnswer(tuple(invitations.tokens(service, match)))
    return invitations.seats(service, match)


@place_command()
@argument("who")
@click.option("--bot", is_flag=True, help="A program is to play the seat.")
@click.option("--name", default="", metavar="NAME", help="By which a spectator or an auditor is listed.")
@click.option("--days", type=click.FloatRange(0, 3650, min_open=True), metavar="NUMBER", help="How long it is good.")
def invite(session: Session, place: str, who: str, bot: bool, name: str, days: float | None) -> InviteAnswer:
    """Invite somebody to a game on a server, by a link.

    WHO is a seat, whose link is good once; an older one of the same seat ends. A spectator sees what everybody knows,
    an auditor all of it when the game is over; what they are given may be used by all who have it. Only the host can
    invite.

    Example::

        zim invite kilwa-7 zulu
        zim invite kilwa-7 spectator --days 7
    """
    service, match = server(session, "invite"), game_of(place)
    from zimcore.remote.invitations import Guest, invite, link_of

    role: Guest = "spectator" if who == "spectator" else "auditor" if who == "auditor" else "bot" if bot else "seat"
    answer = invite(service, match, role, "" if who in GUEST_ROLES else who, name, days)
    link = link_of(service.connection.server, answer.token)
    return InviteAnswer(link=link, game=match, about=answer.about)


@place_command()
def deal(session: Session, place: str) -> PositionAnswer:
    """Deal a game on a server, to those who sit at its open table.

    It is dealt by itself when all have sat down; with this its host begins without the others, who can be invited
    later.

    Example::

        zim deal kilwa-7
    """
    service, match = server(session, "deal"), game_of(place)
    service.deal(match, by=session.by)
    return session.position_answer(session.position(f"{match}@start"))


@place_command()
@argument("words", nargs=-1, metavar="[delay=...] [pace=...] [bank=...]")
def terms(session: Session, place: str, words: tuple[str, ...]) -> SeatsAnswer:
    """Show the terms of a game on a server, or change them.

    delay is how late spectators see it: delay=10 is so many moves, delay=2h a time. When the game is over they see all.
    pace is how long a turn is to take, bank what each seat has once beyond that: pace=3d bank=7d. Who is out of time is
    shown by `seats`. Any of them may be none. Only the host changes them.

    Example::

        zim terms kilwa-7 delay=10 pace=3d bank=7d
    """
    service, match = server(session, "terms"), game_of(place)
    from zimcore.remote.invitations import agree, seats

    if not words:
        return seats(service, match)
    why = "terms are delay, pace and bank, each said once"
    return agree(service, match, Terms(**key_values(words, why, "terms ... delay=10 pace=3d", KEYS)))


@place_command()
@argument("kind", required=False)
@argument("words", nargs=-1, metavar="[KEY=VALUE]...")
def notices(session: Session, place: str, kind: str | None, words: tuple[str, ...]) -> NoticesAnswer:
    """Say how you are told of games on a server while you are away.

    You are told when it is your turn, when somebody asks you for something, and of the end: once each, and not while
    you look. Whoever operates the server allows kinds of notices; without one it shows them. With none you are told
    nothing.

    Example::

        zim notices kilwa-7 mail address=anna@zim.example
    """
    service, match = server(session, "notices"), game_of(place)
    if kind is None:
        return service.notices_answer(match)
    holes = key_values(words, "it is written as a key and a value", "notices mail address=anna@zim.example")
    return service.notices_answer(match, NewNotices("" if kind == "none" else kind, holes))


def key_values(words: tuple[str, ...], why: str, hint: str, known: Sequence[str] = ()) -> dict[str, str]:
    """What stands in words as `key=value`, each of the keys that are known at most once. Raises `OptionError`."""
    found = dict[str, str]()
    for word in words:
        key, equals, text = word.partition("=")
        if not key or not equals or (known and (key not in known or key in found)):
            raise OptionError(word, why, [hint])
        found[key] = text
    return found


@place_command()
@click.option("--seat", "freed", default="", metavar="SEAT", help="Free that seat, as the host.")
def leave(session: Session, place: str, freed: str) -> SeatsAnswer:
    """Leave one's seat in a game on a server.

    Its token is good for nothing then, and what was kept of the game here is deleted. Others may be invited to the
    seat. A host frees a seat with --seat.

    Example::

        zim leave kilwa-7
    """
    service, match = server(session, "leave"), game_of(place)
    from zimcore.remote.invitations import leave

    return leave(service, match, freed)
