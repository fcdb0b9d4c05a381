"""Games hosted from this machine: their host, and the links with which friends take seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Game, GameError, Seat
from zimcore.server.endpoints.bot_players import check_bots
from zimcore.server.wire.tokens import digest, id_of, new_token
from zimcore.service import GameService
from zimcore.service.records.discussion import DiscussionEvent
from zimcore.service.records.memberships import GameHosted, MemberEvent, Members, SeatLeft, SeatOffered, TermsSet
from zimcore.service.records.terms import changed_terms


def begin_hosted_game(
    service: GameService,
    game: Game,
    options: Mapping[str, str],
    name: str,
    by: str,
    bots: Mapping[Seat, str],
    agreements: Sequence[DiscussionEvent],
    terms: Mapping[str, str],
) -> str:
    """Begins a game with a host, and bots at some seats; returns its name. Raises `GameError`.

    `agreements` say how moves are taken back, and whether players get help.
    """
    member_events: list[MemberEvent] = [GameHosted(by), *([changed_terms(TermsSet(), terms)] if terms else [])]
    position = service.new(
        game.name, options, name=name, by=by, bots=check_bots(bots, game), agreed=agreements, served=member_events
    )
    return position.match


def make_host(service: GameService, game: str, by: str) -> None:
    """Makes a person the host of a game in this store, unless it has a host."""

    def make_events(members: Members) -> Sequence[MemberEvent]:
        return [] if members.host else [GameHosted(by)]

    service.change_members(game, make_events, by=by)


def free_seats(service: GameService, game: str) -> list[Seat]:
    """The seats of a game without a player or bot; the seats to move come first."""
    taken_seats = {*service.members(game).token_ids, *service.bots(game)}
    position = service.head(game)
    return sorted(
        (seat for seat in position.seats if seat not in taken_seats), key=lambda seat: seat not in position.to_move
    )


def vacate(service: GameService, game: str, seat: Seat, by: str) -> None:
    """Frees the seat of a person, whose token ends. Raises `GameError` if none sits there."""
    seated_tokens = service.members(game).token_ids
    if seat not in seated_tokens:
        why = f"the seats of people are {', '.join(seated_tokens)}" if seated_tokens else "no person has a seat"
        raise GameError(f"there is no person at {seat}", why)
    service.change_members(game, lambda _: [SeatLeft(seat)], by=by)


def offer_links(service: GameService, game: str, seats: Sequence[Seat], by: str) -> dict[Seat, str]:
    """The token of a new link for each of the seats, to be used once. Older links to the same seats end."""
    link_tokens_by_seat = {seat: new_token("link", service.stream_of(game)) for seat in seats}
    offers = [
        SeatOffered(seat, id_of(link_token), digest(link_token)) for seat, link_token in link_tokens_by_seat.items()
    ]
    service.change_members(game, lambda _: offers, by=by)
    return link_tokens_by_seat
