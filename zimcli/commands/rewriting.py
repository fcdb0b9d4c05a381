"""Moves that are played again elsewhere: amended, or picked from another line."""

from __future__ import annotations

import re
from collections.abc import Callable
from shlex import join
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import click
from msgspec.structs import replace

from zimcli.command import RetryOptions, argument, place_command, retry_options
from zimcli.errors import answer_is_no, refusal_problem
from zimcli.exit_codes import FailedError
from zimcli.request_answers import request_answer
from zimcli.session import Session
from zimcore.commits import Position
from zimcore.documents.discussion import RequestsAnswer
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.positions import position_document
from zimcore.game import Refused
from zimcore.service import Replay
from zimcore.service.rewriting import Keep, rewrite_answer

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def replay_options(function: Decorated) -> Decorated:
    """`--skip`, `--stop` and `--dry-run`."""
    for decorate in (
        click.option("--dry-run", is_flag=True, help="Show what would come of it, and keep nothing."),
        click.option("--stop", "keep", flag_value="stop", help="Keep what stands until the first that does not."),
        click.option("--skip", "keep", flag_value="skip", help="Leave out what no longer stands."),
        click.option("--all", "keep", flag_value="all", default="all", hidden=True),
    ):
        function = decorate(function)
    return function


def rewritten(replay: Replay, keep: Keep, *typed: str) -> RewriteAnswer:
    """The answer: what was played again, and the conflicts; a failure if nothing is stored because of them.

    The words that were typed are those to type again, with a decision.
    """
    answer = rewrite_answer(replay)
    if answer.conflicts and (keep == "all" or not answer.played):
        first = answer.conflicts[0].commit
        what = f"@{first.number} {first.seat}: {first.text} no longer stands, and nothing is kept"
        hints = [f"{join(typed)} {decision}" for decision in ("--skip", "--stop")]
        raise FailedError(answer, answer_is_no("conflict", what, [], hints))
    return answer


@place_command()
@argument("text", metavar="COMMAND")
@replay_options
@click.option("--name", default="", help="What the new line is called.")
@click.option("--then", "level", default="", metavar="LEVEL", help="Let programs play on from there to the end.")
@click.option("--ask", is_flag=True, help="Ask the others to have it so on this line.")
@retry_options
def amend(
    session: Session,
    place: str,
    text: str,
    keep: Keep,
    dry_run: bool,
    name: str,
    level: str,
    ask: bool,
    **asked: Unpack[RetryOptions],
) -> RewriteAnswer | RequestsAnswer:
    """Replace a move, and play what came after it again.

    A new line begins before the move at PLACE (the last one if no position is named, the first of a round or turn at
    @r3 or @r3.zulu); COMMAND is played there, then the
    later commands up to the head, each decided anew. COMMAND may be several, with ; between them: `amend @18 "end; bid
    3"` puts an `end` before a bid; and "" leaves the move out. The old line stays as it is. The first command that no
    longer stands is a conflict: it is shown with the rules that it breaks, nothing is kept, and the exit code is 1;
    --skip or --stop decide otherwise. The new line is called `amend-12` if no --name is given, and is your current one
    from then on.

    With --then the later commands are played as long as they stand, and from there on programs play every seat to the
    end of the game. `whatif` does so many times, and says how sure the difference is.

    With --ask a move of yours is replaced on its own line, once the other players have accepted that (see `takeback`);
    what no longer stands is left out.

    Example::

        zim amend kilwa-7@18 "adore eshu" --stop
    """
    if ask:
        return request_answer(
            session, session.service.ask(place, move=text, by=session.by, viewer=session.viewer, **asked), place
        )
    place = first_of_round(session, place)
    bot = bot_that_plays_on(session, place, level, ask or dry_run) if level else None
    keep = "stop" if bot and keep == "all" else keep
    before = session.current_line(place)
    replay = session.service.amend(
        place, text, by=session.by, viewer=session.viewer, name=name, keep=keep, dry_run=dry_run, **asked
    )
    if isinstance(replay, Refused):
        raise refusal_problem(text, replay)
    if replay.stored:
        session.enter(replay.position)
    answer = rewritten(replay, keep, "amend", place, text)
    if bot and replay.stored:
        answer = replace(answer, position=position_document(play_on(session, replay.position, bot)))
    is_left = replay.stored and before != replay.position.line  # asked for again, it was left before
    return replace(answer, left=before) if is_left else answer


def first_of_round(session: Session, place: str) -> str:
    """The place of the first move of a round or turn, where one is named: `@r3` is the position before it."""
    line, _, at = place.partition("@")
    if not re.match(r"r\d", at.lower()):
        return place
    return f"{line}@{session.position(place).commit.number + 1}"


def bot_that_plays_on(session: Session, place: str, level: str, nothing_is_kept: bool) -> ConfiguredBot:
    """The program of a level. Raises `GameError` for one that can't play this game."""
    from zimcore.bots.registry import check_plays, parse_bot

    if nothing_is_kept:
        raise click.UsageError("--then plays on a line that is kept: leave --dry-run and --ask out.")
    bot = parse_bot(level)
    check_plays(bot, session.position(place).game)
    return bot


def play_on(session: Session, position: Position, bot: ConfiguredBot) -> Position:
    """The end of the game, played by a program at every seat."""
    from zimcli.bot_moves import play_to_end

    moves = [each.position for each in play_to_end(session, position.place, bot)] if position.to_move else []
    session.note(f"{bot} has played {len(moves)} commands to the end")
    return moves[-1] if moves else position


@place_command()
@argument("source")
@replay_options
@retry_options
def pick(
    session: Session, place: str, source: str, keep: Keep, dry_run: bool, **asked: Unpack[RetryOptions]
) -> RewriteAnswer:
    """Play the commands of another line here.

    SOURCE is a move (what-if@7) or several (what-if@4..7, both included; what-if@r4..r5 is all of round 4). They are
    played at the head of the line, all at once. The first that does not stand here is a conflict, as in `amend`.

    Example::

        zim pick kilwa-7/what-if main@r4..r5
    """
    source = session.on_a_line(session.whole(source, place))
    asked["expected"] = asked["expected"] or session.seen_head(place) or ""
    replay = session.service.pick(
        place, source, by=session.by, viewer=session.viewer, keep=keep, dry_run=dry_run, **asked
    )
    if replay.stored:
        session.saw(replay.position)
    return rewritten(replay, keep, "pick", place, source)
