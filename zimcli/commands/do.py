"""Play commands, one after the other.

Each COMMAND is played at the head of the line, in the notation of the game; a seat in front of it is checked, and `;`
joins several. It stops at the first that is refused; those before it stand. What is thrown away (the main action of a
turn that is ended) is noted on stderr. In a session a command of the game needs no `do`.

With --expect it plays only if the head is still the commit that you saw, else the exit code is 3. With --id the same
again plays nothing twice and gives the same answer, whatever was played since; another command, or somebody else, with
that ID is a conflict. A line that is named in full is still meant the second time, when you may be on another one.

With --sample one of all that is legal then is drawn and told, as `legal --sample` does: a program that plays at random
needs one answer a move.

Example::

    zim do kilwa-7 "bid 3" "zulu: pass"
"""

from __future__ import annotations

from typing import Unpack

import click

from zimcli.command import RetryOptions, argument, place_command, retry_options
from zimcli.exit_codes import FailedError
from zimcli.playing import PlayedMove, play, positions_by_orders, random_command, split_commands
from zimcli.session import Session
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import commit_documents, position_document


@place_command(__doc__)
@argument("commands", nargs=-1, required=True, metavar="COMMAND...")
@click.option("--sample", type=int, metavar="NUMBER", help="Draw one of what is legal then.")
@retry_options
def command(
    session: Session, place: str, commands: tuple[str, ...], sample: int | None, **asked: Unpack[RetryOptions]
) -> PlayAnswer:
    """Plays each command; if one fails, those before it stay played and are shown."""
    texts, moves = split_commands(session, place, commands), list[PlayedMove]()
    try:
        for move in play(session, place, texts, **asked):
            moves += [move]
        moves += [PlayedMove(each, "") for each in positions_by_orders(session, place, moves[-1].position)]
        if session.local_service and session.local_service.bots(place):  # a server lets them play itself
            from zimcli.bot_moves import follow

            for thought in follow(session, place):
                moves += [PlayedMove(thought.position, "")]
    except BaseException as error:
        if 1 < len(texts) > len(moves):
            error.add_note(f"command {len(moves) + 1} of {len(texts)}: {texts[len(moves)]}")
        if moves:
            raise FailedError(answer(session, moves), error) from error
        raise
    return answer(session, moves, sample)


def answer(session: Session, moves: list[PlayedMove], sample: int | None = None) -> PlayAnswer:
    """The commands that were played, and where they lead. Whoever was asked need not be told what was thrown away."""
    commits, end = commit_documents(move.position.commit for move in moves), moves[-1].position
    wasted = () if session.careful else tuple(move.wasted for move in moves if move.wasted)
    then = None if sample is None else random_command(end, sample)
    return PlayAnswer(commits, position_document(end), tuple(end.game.display.turn(end.state)), wasted, then)
