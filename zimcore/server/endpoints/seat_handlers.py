"""Handlers of seats, links and tokens: invite players, take a seat, leave it, revoke a token.

A host invites by a request (`NewToken`). The answer has the text of a link to a seat, or of a token. The game stores
only a `Grant` of it, with its digest.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from zimcore.documents import endpoints
from zimcore.documents.endpoint import Nothing
from zimcore.documents.seats import NewKey, NewToken, Redemption, SeatsAnswer, TokenAnswer, TokensAnswer
from zimcore.game import Event, GameError
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles
from zimcore.server.people.access import authenticate_anywhere
from zimcore.server.people.member_documents import expiry_time, seats_answer, seats_of, token_info
from zimcore.server.wire import tokens
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.tokens import Token
from zimcore.service import GameService
from zimcore.service.records.fair_deal import ShareAdded
from zimcore.service.records.memberships import (
    Grant,
    HouseRulesAgreed,
    InvalidLinkError,
    MemberEvent,
    Members,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    TokenGiven,
    TokenRevoked,
)
from zimcore.service.records.names import NameEvent
from zimcore.service.records.person_names import check_name
from zimcore.service.records.public_keys import check_public_key

DEVICE_LINK_DAYS = 1 / 24
"""How long a link to one's own seat is valid, unless the player says otherwise."""
DEVICE_AUTHOR = "another device"
"""The author of the redemption of such a link without a name."""


@handles(endpoints.SEATS)
def seats(call: Call, _: Nothing) -> SeatsAnswer:
    """Who sits where."""
    return seats_answer(call.service, call.game, call.visitor.members)


@handles(endpoints.BIND)
def bind(call: Call, body: NewKey) -> SeatsAnswer:
    """Binds your seat to a key, or replaces its key. From then on every command of the seat must be signed.

    A host replaces a lost key.
    """
    proofs = {body.key: bytes.fromhex(body.proof)}

    def signer(_: str, key: str, __: bytes) -> bytes:
        return proofs.get(key, bytes.fromhex(body.signed))

    call.service.bind(
        call.game, str(call.path_values["seat"]), body.key, lost=body.lost, signer=signer, **call.write_arguments
    )
    return seats_answer(call.service, call.game, call.visitor.members)


@handles(endpoints.TOKENS)
def list_tokens(call: Call, _: Nothing) -> TokensAnswer:
    """The valid tokens and links of a game. For its host."""
    return tokens_answer(call.visitor.members, call.service.clock())


def tokens_answer(members: Members, now: datetime) -> TokensAnswer:
    """The tokens and links of a game that are valid now."""
    return TokensAnswer(tuple(token_info(grant) for grant in members.grants.values() if grant.is_valid(now)))


@handles(endpoints.GIVE_TOKEN)
def give_token(call: Call, body: NewToken) -> TokenAnswer:
    """Invites somebody: gives a link to a seat, or a token to watch or to audit. For the host.

    A player gets a link to their own seat, to open it on another device; it ends after an hour.
    """
    service, game, visitor = call.service, call.game, call.visitor
    check_invitation(service, game, body)
    is_seat_offer, is_own_seat = is_for_seat(body), bool(visitor.seat)
    if is_own_seat and (not is_seat_offer or body.seat != visitor.seat or body.again):
        raise ProblemError(403, "this is for a host", *visitor.host_reason_and_hints(f"your seat is {visitor.seat}"))
    kind = tokens.LINK_KIND if is_seat_offer else body.role
    token_text = tokens.derive_token(kind, service.stream_of(game), call.token, call.key)
    expiry = expiry_time(service.clock(), body.days or (DEVICE_LINK_DAYS if is_own_seat else None))

    def make_events(members: Members) -> Sequence[MemberEvent]:
        token_id, digest = tokens.id_of(token_text), tokens.digest(token_text)
        if is_seat_offer:
            freed_seat = [SeatLeft(body.seat)] if body.again and body.seat in members.token_ids else []
            is_bot = visitor.role == "bot" if is_own_seat else body.role == "bot"
            return [*freed_seat, SeatOffered(body.seat, token_id, digest, expiry, is_bot, is_own_seat)]
        return [TokenGiven(token_id, body.role, body.name, digest, expiry)]

    events, members = service.change_members(game, make_events, "give", body, **call.write_arguments)
    return TokenAnswer(token_text, game, token_info(grant_from(events, members, service.clock())))


def is_for_seat(body: NewToken) -> bool:
    """Whether an invitation is a link to a seat."""
    return body.role in ("seat", "bot")


def check_invitation(service: GameService, game: str, body: NewToken) -> None:
    """Checks an invitation: raises `ProblemError` for a seat that can't be offered, `GameError` for an invalid name."""
    if body.seat and not is_for_seat(body):
        raise ProblemError(400, f"the role {body.role} has no seat", "leave seat empty, or use role seat or bot")
    if is_for_seat(body) and not body.seat:
        raise ProblemError(400, f"the role {body.role} needs a seat", "", seats_of(service, game))
    if is_for_seat(body) and body.seat not in seats_of(service, game):
        raise ProblemError(404, f"there is no seat {body.seat!r}", "", seats_of(service, game))
    if bot := service.bots(game).get(body.seat):
        raise ProblemError(409, f"{body.seat} is taken", f"{bot} plays it here", kind="not-possible")
    if body.name:
        check_name(body.name)


@handles(endpoints.REVOKE_TOKEN)
def revoke_token(call: Call, _: Nothing) -> TokensAnswer:
    """Revokes a token or a link of a game, by its id; if it is a player's, the seat becomes free. For the host."""
    token_id = str(call.path_values["token"])

    def make_events(members: Members) -> Sequence[MemberEvent]:
        seat = next((seat for seat, seat_token in members.token_ids.items() if seat_token == token_id), "")
        return [SeatLeft(seat) if seat else TokenRevoked(token_id)]

    __, members = call.service.change_members(call.game, make_events, "revoke", token_id, **call.write_arguments)
    return tokens_answer(members, call.service.clock())


@handles(endpoints.OWN_TOKEN)
def show_own_token(call: Call, _: Nothing) -> TokensAnswer:
    """What your token allows: role, game, seat and scopes."""
    return TokensAnswer((token_info(call.visitor.grant),))


@handles(endpoints.REDEEM)
def redeem(call: Call, body: Redemption) -> HandlerAnswer[TokenAnswer]:
    """Redeems a link, once, for the token of its seat. A retry with the same key gets the same token."""
    service, link = call.service, tokens.parse_token(body.link)
    if link is None or link.kind != tokens.LINK_KIND:
        raise ProblemError(400, "this is not a link", "", ["zim_link_..."])
    game = service.match_of(link.stream)
    if not game:
        raise InvalidLinkError
    if body.by:
        check_name(body.by)
    if body.key:
        check_public_key(body.key)
    account = account_name(call, body)

    def make_events(members: Members) -> Sequence[NameEvent]:
        return seat_events(call, game, link, body, account, members)

    request_parts = (
        tokens.digest(link.text),
        body.by,
        body.scopes,
        body.key,
        *filter(None, [body.share, body.agreed, account]),
    )
    events, members = service.change_members(
        game, make_events, "redeem", *request_parts, by=body.by or DEVICE_AUTHOR, command_id=call.command_id
    )
    grant = grant_from(events, members, service.clock())
    is_new_player = any(isinstance(event, SeatTaken) for event in events)
    if is_new_player and service.deal(game, by=service.members(game).host, only_if_full=True):
        _bind_new_player(service, game, grant.seat, body.key, body.by, call.key)
    token_text = tokens.derive_token(grant.role, link.stream, link.text, call.key)
    share = next((event.share.hex() for event in events if isinstance(event, ShareAdded)), "")
    return HandlerAnswer(TokenAnswer(token_text, game, token_info(grant), share), changed_game=game)


def account_name(call: Call, body: Redemption) -> str:
    """The name of the account that a seat is to belong to; "" for none. Raises `ProblemError`."""
    if not body.account:
        return ""
    account = authenticate_anywhere(call.service, body.account)
    if not account.has_account or account.name.casefold() != body.by.casefold():
        why = "a seat can belong to the account of the same name only: send none, or that of this name"
        raise ProblemError(403, f"this account is not that of {body.by!r}", why, ["seats"])
    account.check_may_write()
    return account.name


def seat_events(
    call: Call, game: str, link: Token, body: Redemption, account: str, members: Members
) -> Sequence[NameEvent]:
    """The events of taking a seat by a link, or of opening it on another device. Raises `InvalidLinkError`."""
    service, grant = call.service, tokens.find_grant(link.text, members.grants.values())
    if grant is None or not grant.offered or not grant.is_valid(service.clock()):
        raise InvalidLinkError
    if seated := members.token_at(grant.seat):
        return device_events(service, game, link, call.key, body, grant, seated)
    check_name(body.by)
    if not body.key and grant.seat in service.names(game).current_bindings:
        raise GameError(f"{grant.seat}'s commands are signed", "bring a key of your own", ["join LINK --key NAME"])
    token_text = tokens.derive_token(grant.role, link.stream, link.text, call.key)
    seat_taken = SeatTaken(
        grant.seat,
        grant.id,
        body.by,
        tokens.id_of(token_text),
        tokens.digest(token_text),
        scopes=body.scopes,
        bot=grant.role == "bot",
        key=body.key,
        account=account,
    )
    agreement_events = (
        [HouseRulesAgreed(grant.seat, " ".join(sorted(body.agreed.split())))] if members.house_rules else []
    )
    return [*agreement_events, seat_taken, *share_events(service, game, grant.seat, body.share)]


def device_events(
    service: GameService, game: str, link: Token, key: str, body: Redemption, offer: Grant, seated: Grant
) -> Sequence[MemberEvent]:
    """The events of opening a seat on another device of its player. Raises `GameError` if it would not sign."""
    binding = service.names(game).current_bindings.get(offer.seat)
    if binding and binding.key != body.key:
        why = "another device needs the same key: join where it is"
        raise GameError(f"{offer.seat}'s commands are signed", why, ["join LINK --key NAME"])
    token_text = tokens.derive_token(offer.role, link.stream, link.text, key)
    token_id, digest = tokens.id_of(token_text), tokens.digest(token_text)
    scopes = tuple(scope for scope in body.scopes if scope in seated.scopes)
    given = TokenGiven(token_id, offer.role, seated.name, digest, seated.until, scopes, offer.seat)
    return [TokenRevoked(offer.id), given]


def share_events(service: GameService, game: str, seat: str, share: str) -> Sequence[ShareAdded]:
    """The event that adds a new player's share to the deal; () without a share, or after the deal."""
    table = service.names(game).table
    return [ShareAdded(seat, bytes.fromhex(share))] if share and table and not table.line else []


def _bind_new_player(service: GameService, game: str, seat: str, key: str, by: str, command_id: str) -> None:
    """Binds a seat to the key of a player who joins after the deal, which binds all seats.

    This runs before the token is sent, so the player can't make an unsigned move. It replaces the key of an earlier
    player, as the host has invited a new one.
    """
    binding = service.names(game).current_bindings.get(seat)
    if key and (binding is None or binding.key != key):
        service.bind(game, seat, key, by=by, lost=bool(binding), command_id=f"bind/{command_id}")


def grant_from(events: Sequence[Event], members: Members, now: datetime) -> Grant:
    """The grant of the token or link that stored events gave, as `members` have it unless it is used or has ended."""
    new_members = Members()
    for event in events:
        new_members = new_members.after(event, now) if isinstance(event, MemberEvent) else new_members
    grant = next(iter(new_members.grants.values()))
    return members.grants.get(grant.id, grant)
