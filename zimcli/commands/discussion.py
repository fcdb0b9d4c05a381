"""The commands for chat, requests between players, and votes."""

from __future__ import annotations

from typing import Literal, Unpack, cast

import click

from zimcli.command import RetryOptions, argument, id_option, place_command, retry_options
from zimcli.request_answers import request_answer
from zimcli.server_only import match_name
from zimcli.session import Session
from zimcore.documents.discussion import RequestsAnswer, TalkAnswer, VotesAnswer, VoteWhat


@place_command()
@argument("text", nargs=-1, required=True, metavar="TEXT")
@click.option("--note", is_flag=True, help="Write a private note instead.")
@id_option
def say(session: Session, place: str, text: tuple[str, ...], note: bool, command_id: str) -> TalkAnswer:
    """Send a chat message, or write a private note.

    Everyone who sees the game sees the message: at the table and the prompt it arrives between the moves, and `talk`
    lists it. If PLACE has a position, the message is about that position. A note (--note) is yours alone, and no export
    contains it.

    Example::

        zim say kilwa-7 well played
        zim say kilwa-7@12 --note "what if I had built e5"
    """
    message = session.service.say(
        place, " ".join(text), by=session.by, own=note, command_id=command_id, viewer=session.viewer
    )
    return TalkAnswer(match_name(place), (message,))


@place_command()
def talk(session: Session, place: str) -> TalkAnswer:
    """List the chat of a game, with your own notes.

    Example::

        zim talk kilwa-7
    """
    match = match_name(place)
    return TalkAnswer(match, tuple(session.service.talk(match, by=session.by, viewer=session.viewer)))


@place_command()
def requests(session: Session, place: str) -> RequestsAnswer:
    """List requests between players.

    Example::

        zim requests kilwa-7
    """
    match = match_name(place)
    return RequestsAnswer(match, tuple(session.service.requests(match, session.viewer)))


@place_command()
@argument("steps", type=click.IntRange(1), default=1)
@retry_options
def takeback(session: Session, place: str, steps: int, **options: Unpack[RetryOptions]) -> RequestsAnswer:
    """Ask the other players to take moves back.

    You need not ask about your last move if no move was played since and it revealed nothing: `undo` takes it back. For
    anything further the other players see which moves would be gone, and accept or decline. When all have accepted, Zim
    takes the moves back. The request lapses if a move is played first. To change a move and keep the later ones that
    are still legal, use `amend ... --ask`.

    The request says whether you have seen hidden cards since: you will still know them. With takebacks=free you ask
    only in that case; with takebacks=never moves are final.

    Example::

        zim takeback kilwa-7 2 --as zulu
    """
    return request_answer(
        session, session.service.ask(place, steps, by=session.by, viewer=session.viewer, **options), place
    )


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def accept(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Accept a request of another player.

    Leave the number out if only one request waits for you. When the last player accepts, it is done at once.

    Example::

        zim accept kilwa-7 1 --as lozi
    """
    return answer_request(session, place, "granted", number or 0, command_id)


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def decline(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Decline a request of another player.

    Leave the number out if only one request waits for you. The game stays as it is.

    Example::

        zim decline kilwa-7 1 --as lozi
    """
    return answer_request(session, place, "declined", number or 0, command_id)


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def withdraw(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Withdraw your request to the other players.

    Leave the number out if only one request of yours is open.

    Example::

        zim withdraw kilwa-7 1 --as zulu
    """
    return answer_request(session, place, "withdrawn", number or 0, command_id)


def answer_request(
    session: Session, place: str, status: Literal["granted", "declined", "withdrawn"], number: int, command_id: str
) -> RequestsAnswer:
    """Grants, declines or withdraws a request."""
    request = session.service.answer(
        match_name(place), status, number, by=session.by, command_id=command_id, viewer=session.viewer
    )
    return request_answer(session, request, place)


@place_command()
@argument("what", type=click.Choice(["wait", "bot", "end"]), required=False)
@argument("seat", required=False)
@id_option
def vote(session: Session, place: str, what: str | None, seat: str | None, command_id: str) -> VotesAnswer:
    """Vote on what to do about a seat that is out of time.

    The other seats can wait (the seat gets its pace once more), give it to a bot, or end the match as it is. It is done
    when all of them have voted the same. If the late player plays after all, nothing is lost. Without a choice you see
    the votes.

    Example::

        zim vote kilwa-7 wait --as lozi
    """
    match = match_name(place)
    if not what:
        return session.service.votes(match)
    vote_choice = cast("VoteWhat", what)
    return session.service.vote(
        match, vote_choice, seat or "", by=session.by, command_id=command_id, viewer=session.viewer
    )
