"""Play one or more commands.

Each COMMAND is played at the head of the line, in the notation of the game. A command with a seat before it is played
only if it is that seat's turn; `;` joins several. Zim stops at the first command that is refused; those before it stay
played. If a command gives something up, such as the main action of your turn, a note on stderr says so. At the table,
at the prompt and in scripts, you type commands of the game without `do`.

--expect plays only if the head is still the commit that you saw; otherwise the exit code is 3. With --id you can retry
safely: the same command with the same ID is played once and gives the same answer, whatever was played since. Another
command or another person with that ID is a conflict. A retry may leave out the line or name it in full: Zim finds the
line of the first try.

--sample also prints a random command that is legal next, as `legal --sample` does, so that a program that plays at
random asks only once per move.

Example::

    zim do kilwa-7 "bid 3" "zulu: pass"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

import click

from zimcli.session.command import RetryOptions, argument, place_command, retry_options
from zimcli.session.playing import PlayedMove, play, positions_by_orders, random_command, split_commands
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError, ProblemError
from zimcore.commits import Position
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import commit_documents, position_document
from zimcore.game import NotationError


@place_command(__doc__)
@argument("commands", nargs=-1, required=True, metavar="COMMAND...")
@click.option(
    "--sample",
    "sample_seed",
    type=int,
    metavar="NUMBER",
    help="Also draw a command that is legal next, with this seed.",
)
@retry_options
def command(
    session: Session, place: str, commands: tuple[str, ...], sample_seed: int | None, **options: Unpack[RetryOptions]
) -> PlayAnswer:
    """Plays each command. If one fails, the answer shows those before it, which stay played."""
    command_texts, moves = split_commands(session, place, commands), list[PlayedMove]()
    try:
        for move in play(session, place, command_texts, **options):
            moves += [move]
        for move in answering_moves(session, place, moves[-1].position):
            moves += [move]
    except BaseException as error:
        if 1 < len(command_texts) > len(moves):
            error.add_note(f"command {len(moves) + 1} of {len(command_texts)}: {command_texts[len(moves)]}")
        if not moves:
            raise
        if isinstance(error, ProblemError | NotationError) and len(moves) < len(command_texts):
            # The moves before the refused one stay: without an answer to them a bot would never play its turn.
            moves += answering_moves(session, place, moves[-1].position)
        raise FailedError(play_answer(session, moves), error) from error
    return play_answer(session, moves, sample_seed)


def answering_moves(session: Session, place: str, position_before: Position) -> Iterator[PlayedMove]:
    """Lets standing orders and the bots of a local game answer a position, and gives their moves."""
    for position in positions_by_orders(session, place, position_before):
        yield PlayedMove(position, "")
    if session.local_service and session.local_service.bots(place):  # a server makes them play by itself
        from zimcli.session.bot_moves import play_bot_seats

        for bot_move in play_bot_seats(session, place):
            yield PlayedMove(bot_move.position, "")


def play_answer(session: Session, moves: list[PlayedMove], sample_seed: int | None = None) -> PlayAnswer:
    """The commands that were played, and where they lead.

    A careful session has asked before giving something up, so its answers do not report that.
    """
    commits, last_position = commit_documents(move.position.commit for move in moves), moves[-1].position
    waste_texts = () if session.is_careful else tuple(move.waste_text for move in moves if move.waste_text)
    next_command = None if sample_seed is None else random_command(last_position, sample_seed)
    return PlayAnswer(
        commits,
        position_document(last_position),
        tuple(last_position.game.display.turn(last_position.state)),
        waste_texts,
        next_command,
    )
