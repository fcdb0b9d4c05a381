"""What is said around a game, and what players ask one another for."""

from __future__ import annotations

from typing import Literal, Unpack, cast

import click

from zimcli.command import RetryOptions, argument, id_option, place_command, retry_options
from zimcli.request_answers import request_answer
from zimcli.server_only import game_of
from zimcli.session import Session
from zimcore.documents.discussion import RequestsAnswer, TalkAnswer, VotesAnswer, VoteWhat


@place_command()
@argument("text", nargs=-1, required=True, metavar="TEXT")
@click.option("--note", is_flag=True, help="Note it for yourself: nobody else sees it.")
@id_option
def say(session: Session, place: str, text: tuple[str, ...], note: bool, command_id: str) -> TalkAnswer:
    """Say something to all who see the game, or note it for yourself.

    What is said is kept beside the moves: at the table and at the prompt it comes as they do, and `talk` lists it. With
    a position it is about that position. A note (--note) is read by nobody else, and no export carries it.

    Example::

        zim say kilwa-7 well played
        zim say kilwa-7@12 --note "what if I had built e5"
    """
    said = session.service.say(
        place, " ".join(text), by=session.by, own=note, command_id=command_id, viewer=session.viewer
    )
    return TalkAnswer(game_of(place), (said,))


@place_command()
def talk(session: Session, place: str) -> TalkAnswer:
    """List what was said around a game, with your own notes.

    Example::

        zim talk kilwa-7
    """
    match = game_of(place)
    return TalkAnswer(match, tuple(session.service.talk(match, by=session.by, viewer=session.viewer)))


@place_command()
def requests(session: Session, place: str) -> RequestsAnswer:
    """List what players have asked one another for.

    Example::

        zim requests kilwa-7
    """
    match = game_of(place)
    return RequestsAnswer(match, tuple(session.service.requests(match, session.viewer)))


@place_command()
@argument("steps", type=click.IntRange(1), default=1)
@retry_options
def takeback(session: Session, place: str, steps: int, **asked: Unpack[RetryOptions]) -> RequestsAnswer:
    """Ask the others to take moves back.

    Your own last move needs no asking as long as nobody has played since and it has shown nothing new: `undo` takes it
    back. Anything further is for the others to accept or decline; they see which moves would be gone. Once all have
    accepted it is done. When somebody plays on, the request has lapsed. To play a move otherwise and keep the later
    ones as far as they stand: `amend ... --ask`.

    The request says whether you have seen hidden cards since: you will still know them. With takebacks=free nobody is
    asked unless you have; with takebacks=never nothing is taken back.

    Example::

        zim takeback kilwa-7 2 --as zulu
    """
    return request_answer(
        session, session.service.ask(place, steps, by=session.by, viewer=session.viewer, **asked), place
    )


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def accept(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Accept what another player has asked for.

    Without a number it is the only request that waits for you. With the last who accepts it is done at once.

    Example::

        zim accept kilwa-7 1 --as lozi
    """
    return answer_request(session, place, "granted", number or 0, command_id)


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def decline(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Decline what another player has asked for.

    Without a number it is the only request that waits for you. Nothing is changed.

    Example::

        zim decline kilwa-7 1 --as lozi
    """
    return answer_request(session, place, "declined", number or 0, command_id)


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def withdraw(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Withdraw what you have asked the others for.

    Without a number it is the only request of yours that is open.

    Example::

        zim withdraw kilwa-7 1 --as zulu
    """
    return answer_request(session, place, "withdrawn", number or 0, command_id)


def answer_request(
    session: Session, place: str, what: Literal["granted", "declined", "withdrawn"], number: int, command_id: str
) -> RequestsAnswer:
    """Answers a request, or withdraws one's own."""
    found = session.service.answer(
        game_of(place), what, number, by=session.by, command_id=command_id, viewer=session.viewer
    )
    return request_answer(session, found, place)


@place_command()
@argument("what", type=click.Choice(["wait", "bot", "end"]), required=False)
@argument("seat", required=False)
@id_option
def vote(session: Session, place: str, what: str | None, seat: str | None, command_id: str) -> VotesAnswer:
    """Vote what is to be done about a seat that is out of time.

    The others wait for it (it has its pace once more), give it to a bot, or end the match as it stands: that is done
    with the last of them who votes the same. Who plays after all has lost nothing. Without a choice it shows the votes.

    Example::

        zim vote kilwa-7 wait --as lozi
    """
    match = game_of(place)
    if not what:
        return session.service.votes(match)
    chosen = cast("VoteWhat", what)
    return session.service.vote(match, chosen, seat or "", by=session.by, command_id=command_id, viewer=session.viewer)
