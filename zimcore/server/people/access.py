"""Authentication and authorization: who sent a request, which games and lines they see, and which seat they play.

What a visitor may not see gets the same answer as something that does not exist.

In other words: session.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from event_store import DamagedError
from zimcore.documents.endpoint import Endpoint, Roles
from zimcore.documents.listings import TagInfo
from zimcore.game import GameError, Seat
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.tokens import find_grant, parse_token
from zimcore.service import EVERYTHING, SPECTATOR, TABLE, GameService, Viewer
from zimcore.service.records.memberships import READ, WRITE, Grant, Members, Role
from zimcore.service.records.names import OWN_LINE_MARK
from zimcore.service.records.places import suggest_names

ResultT = TypeVar("ResultT")
OWN_LINE_NAME = re.compile(r"[\w-]*\w--[\w-]*")
"""Finds the names of private lines (`SEAT--NAME`) in a text."""
TOKENLESS_SPECTATOR = Grant("", "spectator", b"", scopes=(READ,))
"""The grant of a visitor without a token, who watches a public game."""


class Visitor(msgspec.Struct, frozen=True):
    """The sender of a request: their token's grant, and the members and lines of their game ("" for an account).

    `lines` are all lines of the game, first the one that all play, called the match. A delayed visitor sees the game
    with a delay. A player can come by another token than that of their seat, `own_grant`: that of their account, or of
    another device.
    """

    game: str
    members: Members
    grant: Grant
    lines: Sequence[str] = ()
    is_delayed: bool = False
    own_grant: Grant | None = None

    @property
    def role(self) -> Role:
        """Their role in the game: host, seat, bot, spectator or auditor."""
        return self.grant.role

    @property
    def has_account(self) -> bool:
        """Whether their token is that of an account: accounts have the role host, also where another one hosts."""
        return self.role == "host"

    @property
    def seat(self) -> Seat:
        """The seat that they play, if any."""
        return self.grant.seat

    @property
    def name(self) -> str:
        """Their name."""
        return self.grant.name

    @property
    def needs_clock(self) -> bool:
        """Whether it depends on the time what they see, or whether their token is valid."""
        return self.is_delayed or any(grant.until for grant in (self.grant, self.own_grant) if grant)

    @property
    def visible_lines(self) -> list[str]:
        """The names of the lines that they see."""
        return [name for name in self.lines if self.sees(name)]

    def sees(self, line: str) -> bool:
        """Whether they see a line: not another seat's private one, and only the match if they are `is_delayed`."""
        owner, owner_mark, _ = line.partition(OWN_LINE_MARK)
        if self.is_delayed and line not in self.lines[:1]:
            return False
        return not owner_mark or owner == self.seat

    def owns(self, line: str) -> bool:
        """Whether a line is a private line of their seat."""
        return bool(self.seat) and line.startswith(self.seat + OWN_LINE_MARK)

    def check_role(self, roles: Roles) -> None:
        """Raises `ProblemError` if they have none of these roles."""
        if self.role not in roles:
            title, why = f"this is for a {' or '.join(roles)}", f"your token is for a {self.role}"
            if self.role == "host":
                reason_and_hints = ("you host this game, and have no seat in it", [f"zim seats {self.game}"])
            else:
                reason_and_hints = self.host_reason_and_hints(why)
            raise ProblemError(403, title, *reason_and_hints)

    def host_reason_and_hints(self, why: str = "") -> tuple[str, list[str]]:
        """Why they may not do what a host may, and what helps. The host may sit here with the token of a seat."""
        if self.members.host != self.name:
            host_text = f"ask {self.members.host}, who hosts this game" if self.members.host else "ask the host"
            return f"{why}; {host_text}".removeprefix("; "), [f"zim seats {self.game}" if self.game else "zim games"]
        why = "you host it, but this token is for your seat; use your account's token, or for links the hosting machine"
        return why, [f"zim host {self.game}"]

    def check_may_write(self) -> None:
        """Raises `ProblemError` if their token only reads."""
        if any(WRITE not in grant.scopes for grant in (self.grant, self.own_grant) if grant):
            raise ProblemError(403, "this token only reads", "it was made to read only", ["use another one"])


STRANGER = Visitor("", Members(), Grant("", "spectator", b"", scopes=()))
"""A visitor without a token, for endpoints that need none."""


def check_access(
    visitor: Visitor, row: Endpoint[Any, Any], path_values: Mapping[str, Any], query_or_body: msgspec.Struct
) -> None:
    """Raises `ProblemError` if a visitor may not use an endpoint, or does not own the line or seat in its address.

    Roles are checked first, so that a refusal does not reveal whether there is such a line or seat.
    """
    if row.roles:
        visitor.check_role(row.roles)
    reserved_roles = [roles for field, roles in row.reserved.items() if getattr(query_or_body, field)]
    for roles in reserved_roles:
        visitor.check_role(roles)
    if reserved_roles or visitor.role in row.exempt:
        return
    if row.must_own == "line" and not visitor.owns(path_values["line"]):
        place_of(visitor, path_values["line"])
        raise ProblemError(403, f"{path_values['line']} is not yours", "it belongs to the game", ["lines"])
    if row.must_own == "seat" and visitor.seat != path_values["seat"]:
        raise ProblemError(403, "this is not your seat", *visitor.host_reason_and_hints())


def authenticate(service: GameService, game: str, token_text: str) -> Visitor:
    """The visitor with a token, "" for none, in a game. Raises `ProblemError`, and `DamagedError` for damaged names."""
    token = parse_token(token_text) if token_text else None
    if token_text and token is None:
        raise no_token_problem("this is not a token", ["zim_seat_..."])
    service.prefetch(game)
    game_exists = service.has_game(game)
    if (
        token and not game_exists and (name_faults := service.damaged_names())
    ):  # the damaged name may be that of this game
        raise DamagedError(f"can't tell whether there is a game called {game!r}", name_faults[0])
    members, lines = service.members_and_lines(game) if game_exists else (Members(), ())
    if token and token.kind == "host":
        account = _valid_grant(service, token.text, service.accounts().grants.values())
        if token.own_seat:
            return visitor_at_own_seat(game, members, lines, account, token.own_seat)
        if members.host == account.name:
            return Visitor(game, members, account, lines)
    elif token and game_exists and service.stream_of(game) == token.stream:
        return member_visitor(service, game, members, lines, token_text)
    if members.public:
        return Visitor(
            game,
            members,
            TOKENLESS_SPECTATOR,
            lines,
            bool(lines) and sees_with_delay(service, game, members, TOKENLESS_SPECTATOR),
        )
    if token is None:
        raise no_token_problem("a token is needed", ["Authorization: Bearer zim_seat_..."])
    raise ProblemError(404, f"there is no game called {game!r} for you", "", ["GET /v1/games"])


def authenticate_anywhere(service: GameService, token_text: str) -> Visitor:
    """The visitor of a token: an account, or a member of a game. Raises `ProblemError`."""
    token = parse_token(token_text)
    if token is None:
        raise no_token_problem("a token is needed", ["Authorization: Bearer zim_host_..."])
    if token.kind == "host":
        return Visitor("", Members(), _valid_grant(service, token.text, service.accounts().grants.values()))
    game = service.match_of(token.stream)
    members, lines = service.members_and_lines(game) if game else (Members(), ())
    return member_visitor(service, game, members, lines, token_text)


def member_visitor(service: GameService, game: str, members: Members, lines: Sequence[str], token_text: str) -> Visitor:
    """The visitor with a token of a game. All devices of a player are the same visitor. Raises `ProblemError`."""
    grant = _valid_grant(service, token_text, members.grants.values())
    seat_grant = members.token_at(grant.seat) if grant.seat else None
    if seat_grant and seat_grant.id != grant.id:
        return Visitor(game, members, seat_grant, lines, own_grant=grant)
    return Visitor(game, members, grant, lines, bool(lines) and sees_with_delay(service, game, members, grant))


def visitor_at_own_seat(game: str, members: Members, lines: Sequence[str], account: Grant, seat: Seat) -> Visitor:
    """The player at a seat that belongs to their account. Raises `ProblemError`."""
    seat_grant = members.token_at(seat)
    if seat_grant is None or members.account_by_seat.get(seat) != account.name:
        raise no_token_problem("this seat is not your account's", ["open the link that you were given"])
    return Visitor(game, members, seat_grant, lines, own_grant=account)


def seats_of_account(service: GameService, game: str, token_text: str) -> Sequence[str]:
    """The token of an account as each of its own seats in a game: the player signs in once on each device."""
    account = find_grant(token_text, service.accounts().grants.values())
    if account is None or not service.has_game(game):
        return ()
    owners = service.members(game).account_by_seat
    return [f"{token_text}~{seat}" for seat, owner in owners.items() if owner == account.name]


def sees_with_delay(service: GameService, game: str, members: Members, grant: Grant) -> bool:
    """Whether a visitor sees the match with a delay: a spectator does, under terms with a delay, until it is over."""
    match_has_delay = bool(members.terms.behind_moves or members.terms.behind)
    return match_has_delay and grant.role == "spectator" and not service.position(game).outcome.over


def service_seen_by(service: GameService, visitor: Visitor) -> GameService:
    """The service as a visitor sees it: as it is now, or with a delay."""
    return service.delayed_service(visitor.members.terms) if visitor.is_delayed else service


def answer_visitor(service: GameService, visitor: Visitor, work: Callable[[GameService, Visitor], ResultT]) -> ResultT:
    """Runs work for a visitor, on what they see. Drops hints of errors that would name private lines of other seats."""
    try:
        return work(service_seen_by(service, visitor), visitor)
    except GameError as error:
        error.hints = tuple(hint for hint in error.hints if all(map(visitor.sees, OWN_LINE_NAME.findall(hint))))
        raise


def is_still_valid(visitor: Visitor, members: Members, accounts: Members, now: datetime) -> bool:
    """Whether a visitor's token is still valid."""
    grant = visitor.grant
    if visitor.is_delayed and members.terms != visitor.members.terms:
        return False  # the delay has changed: the client reconnects and gets the new one
    if not grant.id:
        return members.public

    def is_listed(each: Grant) -> bool:
        valid_grants = (accounts if each.role == "host" else members).grants
        return valid_grants.get(each.id) == each and each.is_valid(now)

    return all(is_listed(each) for each in (grant, visitor.own_grant) if each)


def _valid_grant(service: GameService, token_text: str, grants: Iterable[Grant]) -> Grant:
    grant = find_grant(token_text, grants)
    if grant is None or grant.offered or not grant.is_valid(service.clock()):
        raise no_token_problem("this token is not valid", ["ask the host for a new one"])
    return grant


def no_token_problem(title: str, hints: Iterable[str]) -> ProblemError:
    """The problem 401: the visitor is not known."""
    return ProblemError(401, title, "", [*hints])


def check_dealt(visitor: Visitor) -> None:
    """Raises `ProblemError` for a game that is not dealt yet."""
    if not visitor.lines:
        raise ProblemError(409, f"{visitor.game} is not dealt yet", "there are free seats", ["seats"], kind="not-dealt")


def place_of(visitor: Visitor, line: str, position_text: str = "") -> str:
    """The place of a line, or of a position on it. Raises `ProblemError` if the visitor does not see the line."""
    check_dealt(visitor)
    if line not in visitor.visible_lines:
        raise ProblemError(404, f"there is no line called {line!r}", "", suggest_names(line, visitor.visible_lines))
    return f"{visitor.game}/{line}" + (f"@{position_text}" if position_text else "")


def visible_tags(service: GameService, visitor: Visitor) -> tuple[TagInfo, ...]:
    """The tags of the lines that a visitor sees, at positions that are shown to them by now."""
    lines = visitor.visible_lines
    return tuple(tag for tag in service.tags(visitor.game) if tag.line in lines) if lines else ()


def viewer_of(service: GameService, visitor: Visitor, line: str) -> Viewer:
    """The viewer for a visitor on a line: what they see there, and which seat they play."""
    match visitor.role:
        case "seat" | "bot":
            if visitor.owns(line) and service.game(visitor.game).secrets is None:
                return TABLE  # on your own line you play all seats
            return Viewer(visitor.seat, own=not visitor.owns(line))
        case "auditor" if not service.hides(f"{visitor.game}/{line}"):
            return Viewer(EVERYTHING.seat, plays=False)
        case _:
            return SPECTATOR
