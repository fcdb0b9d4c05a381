"""The commands for games on a server: joining and leaving, seats, invitations, terms, notices."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext

import click

from zimcli.session.allowed_programs import check_may_run
from zimcli.session.command import argument, place_command, plain_command
from zimcli.session.server_only import match_name, server_service
from zimcli.session.session import Session
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
from zimcore.service.records.terms import TERM_KEYS

GUEST_ROLES = ("spectator", "auditor")


@plain_command()
@argument("link")
@click.option("--key", "key_name", default="", metavar="NAME", help="Sign your commands with this key of yours.")
@click.option("--agree", "agreed_rules", default="", metavar="RULES", help="Agree to these house rules of the table.")
def join(session: Session, link: str, key_name: str, agreed_rules: str) -> JoinAnswer:
    """Join a game on a server with a link.

    A link works once: Zim exchanges it for a token, which it keeps in your folder and never shows. Then the server is
    the store of this game, and your name (--by) is your name there. Links of hosts, spectators and auditors are tokens
    themselves. With - Zim reads the link from stdin, so that it appears in no list of processes.

    If the table has house rules, --agree followed by the rules agrees to them. Without it the error shows the rules;
    `rules --disputed` explains them.

    With --key each of your commands is signed, and not even the server can play your seat. NAME says whose key to use
    (zim key), usually yours. The setting `key` (zim config key NAME) does this for every game that you join.

    Example::

        zim join https://zim.example/join#zim_link_5f3a_...
        zim --store https://zim.example play
    """
    if key_name:
        check_may_run(session, "key", "join --key")
    from zimcli.session.locations import store_url
    from zimcore.remote import remote_library
    from zimcore.remote.client_files import Folders

    remote_library()
    from zimcli.keys.signing_keys import own_key
    from zimcore.remote.connection import Connection
    from zimcore.remote.invitations import join, parse_invitation
    from zimcore.service.records.memberships import HouseRulesError, InvalidLinkError

    invitation = parse_invitation(sys.stdin.readline() if link == "-" else link, store_url(session.store))
    key_name = key_name or configured_key()
    needs_key, refusals = key_name and invitation.kind == "link", (InvalidLinkError, HouseRulesError)
    with own_key(key_name, refusals) if needs_key else nullcontext("") as public_key:
        credential = join(
            Connection(invitation.server), Folders.of_user(), invitation, session.by, public_key, key_name, agreed_rules
        )
    return JoinAnswer(
        server=credential.server, game=credential.game, role=credential.role, seat=credential.seat, by=credential.by
    )


def configured_key() -> str:
    """The name of the key in the settings; "" where there is none."""
    from zimcli.settings.config import load_config
    from zimcli.settings.config_file import config_file

    return load_config(config_file()).key


@place_command()
@click.option("--tokens", "lists_tokens", is_flag=True, help="List the valid links and tokens (host only).")
@click.option("--revoke", "revoked_id", default="", metavar="ID", help="End a link or a token.")
def seats(session: Session, place: str, lists_tokens: bool, revoked_id: str) -> SeatsAnswer | TokensAnswer:
    """Show who sits where in a game on a server.

    With --tokens the host sees the valid links and tokens by their ids; --revoke ends one.

    Example::

        zim seats kilwa-7
    """
    service, match = server_service(session, "seats"), match_name(place)
    from zimcore.remote import invitations

    if revoked_id:
        return TokensAnswer(tuple(invitations.revoke(service, match, revoked_id)))
    if lists_tokens:
        return TokensAnswer(tuple(invitations.read_tokens(service, match)))
    return invitations.read_seats(service, match)


@place_command()
@argument("who")
@click.option("--again", is_flag=True, help="Also if it is taken: its player's links and tokens end (host only).")
@click.option("--bot", "is_for_bot", is_flag=True, help="The link is for a bot.")
@click.option("--name", "guest_name", default="", metavar="NAME", help="Name of the spectator or auditor in the list.")
@click.option(
    "--days", type=click.FloatRange(0, 3650, min_open=True), metavar="NUMBER", help="Days until the link expires."
)
def invite(
    session: Session, place: str, who: str, again: bool, is_for_bot: bool, guest_name: str, days: float | None
) -> InviteAnswer:
    """Invite a player or a guest to a game on a server with a link.

    WHO is a seat, spectator or auditor. The link of a seat works once, and a new link ends the older one. A spectator
    sees what all players know; an auditor sees everything once the game is over. Spectator and auditor links can be
    shared. Only the host can invite others. The link to your own seat opens it on another device, within an hour.

    Example::

        zim invite kilwa-7 zulu
        zim invite kilwa-7 zulu --again
        zim invite kilwa-7 spectator --days 7
    """
    service, match = server_service(session, "invite"), match_name(place)
    from zimcore.remote.invitations import InvitedRole, format_link, invite

    role: InvitedRole = (
        "spectator" if who == "spectator" else "auditor" if who == "auditor" else "bot" if is_for_bot else "seat"
    )
    answer = invite(service, match, role, "" if who in GUEST_ROLES else who, guest_name, days, again=again)
    link = format_link(service.connection.server, answer.token)
    return InviteAnswer(link=link, game=match, about=answer.about)


@place_command()
def deal(session: Session, place: str) -> PositionAnswer:
    """Deal a game on a server to the players at its open table.

    The game is dealt by itself when all have sat down. With this the host begins without the missing players, who can
    be invited later.

    Example::

        zim deal kilwa-7
    """
    service, match = server_service(session, "deal"), match_name(place)
    service.deal(match, by=session.by)
    return session.position_answer(session.position(f"{match}@start"))


@place_command()
@argument("words", nargs=-1, metavar="[delay=...] [pace=...] [bank=...]")
def terms(session: Session, place: str, words: tuple[str, ...]) -> SeatsAnswer:
    """Show the terms of a game on a server, or change them.

    delay is how late spectators see the game: delay=10 is ten moves, delay=2h two hours. When the game is over they see
    everything. pace is the time for a turn, bank the extra time that each seat has for the whole game: pace=3d bank=7d.
    `seats` shows who is out of time. Each of them may be none. Only the host can change terms.

    Example::

        zim terms kilwa-7 delay=10 pace=3d bank=7d
    """
    service, match = server_service(session, "terms"), match_name(place)
    from zimcore.remote.invitations import change_terms, read_seats

    if not words:
        return read_seats(service, match)
    reason = "terms are delay, pace and bank, each at most once"
    return change_terms(service, match, Terms(**key_values(words, reason, "terms ... delay=10 pace=3d", TERM_KEYS)))


@place_command()
@argument("kind", required=False)
@argument("words", nargs=-1, metavar="[KEY=VALUE]...")
def notices(session: Session, place: str, kind: str | None, words: tuple[str, ...]) -> NoticesAnswer:
    """Choose how a server notifies you of games.

    You are notified when it is your turn, when a player asks you for something, and when the game ends: once each, and
    not while you are looking at the game. The operator of the server decides which kinds there are; without KIND you
    see them. KIND none turns notices off.

    Example::

        zim notices kilwa-7 mail address=anna@zim.example
    """
    service, match = server_service(session, "notices"), match_name(place)
    if kind is None:
        return service.notices_answer(match)
    values = key_values(words, "write it as key=value", "notices mail address=anna@zim.example")
    return service.notices_answer(match, NewNotices("" if kind == "none" else kind, values))


def key_values(words: tuple[str, ...], reason: str, example: str, keys: Sequence[str] = ()) -> dict[str, str]:
    """Parses words as `key=value`, each known key at most once. Raises `OptionError`."""
    values = dict[str, str]()
    for word in words:
        key, equals, text = word.partition("=")
        if not key or not equals or (keys and (key not in keys or key in values)):
            raise OptionError(word, reason, [example])
        values[key] = text
    return values
