"""Handlers of seats, links and tokens: invite players, take a seat, leave it, revoke a token.

A host invites by a request (`NewToken`). The answer has the text of a link to a seat, or of a token. The game stores
only a `Grant` of it, with its digest.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from zimcore.documents import endpoints
from zimcore.documents.endpoints import Nothing
from zimcore.documents.seats import NewKey, NewToken, Redemption, SeatsAnswer, TokenAnswer, TokensAnswer
from zimcore.game import Event, GameError
from zimcore.server import tokens
from zimcore.server.member_documents import expiry_time, seats_answer, seats_of, token_info
from zimcore.server.problem_responses import ProblemError
from zimcore.server.routing import Call, HandlerAnswer, handles
from zimcore.server.tokens import Token
from zimcore.service import GameService
from zimcore.service.fair_deal import ShareAdded
from zimcore.service.memberships import (
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
from zimcore.service.names import NameEvent
from zimcore.service.person_names import check_name
from zimcore.service.public_keys import check_public_key


@handles(endpoints.SEATS)
def seats(call: Call, _: Nothing) -> SeatsAnswer:
    """Who sits where."""
    return seats_answer(call.service, call.game, call.visitor.members)


@handles(endpoints.LEAVE)
def leave(call: Call, _: Nothing) -> SeatsAnswer:
    """Leaves your seat; a host can free any seat. The token of its player is then no longer valid."""
    seat = str(call.path_values["seat"])
    __, members = call.service.change_members(
        call.game, lambda _: [SeatLeft(seat)], "leave", seat, **call.write_arguments
    )
    return seats_answer(call.service, call.game, members)


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
    """Invites somebody: gives a link to a seat, or a token to watch or to audit. For the host."""
    service, game = call.service, call.game
    check_invitation(service, game, body)
    is_seat_offer = is_for_seat(body)
    kind = tokens.LINK_KIND if is_seat_offer else body.role
    token_text = tokens.derive_token(kind, service.stream_of(game), call.token, call.key)
    expiry = expiry_time(service.clock(), body.days)

    def make_events(_: Members) -> Sequence[MemberEvent]:
        token_id, digest = tokens.id_of(token_text), tokens.digest(token_text)
        if is_seat_offer:
            return [SeatOffered(body.seat, token_id, digest, expiry, body.role == "bot")]
        return [TokenGiven(token_id, body.role, body.name, digest, expiry)]

    events, _ = service.change_members(game, make_events, "give", body, **call.write_arguments)
    return TokenAnswer(token_text, game, token_info(grant_from(events, service.clock())))


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
    check_name(body.by)
    if body.key:
        check_public_key(body.key)

    def make_events(members: Members) -> Sequence[NameEvent]:
        return seat_events(call, game, link, body, members)

    request_parts = (
        tokens.digest(link.text),
        body.by,
        body.scopes,
        body.key,
        *filter(None, [body.share, body.agreed]),
    )
    events, _ = service.change_members(
        game, make_events, "redeem", *request_parts, by=body.by, command_id=call.command_id
    )
    grant = grant_from(events, service.clock())
    if service.deal(game, by=service.members(game).host, only_if_full=True):
        _bind_new_player(service, game, grant.seat, body.key, body.by, call.key)
    token_text = tokens.derive_token(grant.role, link.stream, link.text, call.key)
    share = next((event.share.hex() for event in events if isinstance(event, ShareAdded)), "")
    return HandlerAnswer(TokenAnswer(token_text, game, token_info(grant), share), changed_game=game)


def seat_events(call: Call, game: str, link: Token, body: Redemption, members: Members) -> Sequence[NameEvent]:
    """The events of taking a seat by a link. Raises `InvalidLinkError`."""
    service, grant = call.service, tokens.find_grant(link.text, members.grants.values())
    if grant is None or not grant.offered or not grant.is_valid(service.clock()):
        raise InvalidLinkError
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
    )
    agreement_events = (
        [HouseRulesAgreed(grant.seat, " ".join(sorted(body.agreed.split())))] if members.house_rules else []
    )
    return [*agreement_events, seat_taken, *share_events(service, game, grant.seat, body.share)]


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


def grant_from(events: Sequence[Event], now: datetime) -> Grant:
    """The grant of the token or link that stored events gave."""
    members = Members()
    for event in events:
        members = members.after(event, now) if isinstance(event, MemberEvent) else members
    return next(iter(members.grants.values()))
