"""The commands `amend` and `pick`, which replay moves elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from shlex import join
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import click
from msgspec.structs import replace

from zimcli.features.takebacks import ask
from zimcli.output.errors import negative_answer_problem, refusal_problem
from zimcli.session.command import RetryOptions, argument, no_switch_option, place_command, retry_options
from zimcli.session.session import Session
from zimcli.session.shell_moves import verb_of
from zimcli.shell.exit_codes import FailedError
from zimcore.commits import Position
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.positions import position_document
from zimcore.features.takebacks.documents import NewRequest, RequestsAnswer
from zimcore.game import GameError, NotationError, Refused
from zimcore.service import Replay, TakenError
from zimcore.service.records.idempotency import RetriedId
from zimcore.service.records.places import parse_place
from zimcore.service.writing.rewriting import Keep, rewrite_answer
from zimcore.toolkit.words import numbered

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot

DecoratedFunction = TypeVar("DecoratedFunction", bound=Callable[..., Any])


def replay_options(function: DecoratedFunction) -> DecoratedFunction:
    """Adds `--skip`, `--stop` and `--dry-run` to a command."""
    for add_option in (
        click.option("--dry-run", is_flag=True, help="Show the result, and keep nothing."),
        click.option("--stop", "keep", flag_value="stop", help="Keep the moves before the first conflict."),
        click.option("--skip", "keep", flag_value="skip", help="Leave out moves that are no longer legal."),
        click.option("--all", "keep", flag_value="all", default="all", hidden=True),
    ):
        function = add_option(function)
    return function


def rewrite_or_fail(
    replay: Replay, keep: Keep, *command_words: str, may_skip: Callable[[], bool] = lambda: True
) -> RewriteAnswer:
    """The moves that were replayed, and the conflicts. Raises `FailedError` if nothing is stored because of them.

    The hints of that error repeat `command_words`, with --skip or --stop if these keep something.
    """
    answer = rewrite_answer(replay)
    if answer.conflicts and (keep == "all" or not answer.played):
        commit = answer.conflicts[0].commit
        problem_text = f"@{commit.number} {commit.seat}: {commit.text} is no longer legal, and nothing is kept"
        keep_options = ["--skip", "--stop"] if answer.played else ["--skip"] if keep != "skip" and may_skip() else []
        hints = [f"{join(command_words)} {keep_option}" for keep_option in keep_options] or ["legal"]
        raise FailedError(answer, negative_answer_problem("conflict", problem_text, [], hints))
    return answer


@place_command()
@argument("command")
@replay_options
@click.option("--name", default="", help="Name of the new line.")
@click.option("--then", "bot_level", default="", metavar="LEVEL", help="Let bots of this level play on to the end.")
@click.option("--ask", "asks_others", is_flag=True, help="Ask the others to change it on this line.")
@no_switch_option
@retry_options
def amend(
    session: Session,
    place: str,
    command: str,
    keep: Keep,
    dry_run: bool,
    name: str,
    bot_level: str,
    asks_others: bool,
    stays: bool,
    **options: Unpack[RetryOptions],
) -> RewriteAnswer | RequestsAnswer:
    """Replace a move, and replay the moves after it.

    A new line begins before the move at PLACE (by default the last move; with @r3 or @r3.zulu the first of the round or
    turn). COMMAND is played there, then the later commands up to the head, each decided again. COMMAND may be several
    commands: `amend @18 "end; bid 3"` puts an `end` before a bid, and "" leaves the move out. The old line stays as it
    is. A later command that is no longer legal is a conflict: Zim shows the rules it breaks, keeps nothing, and exits
    with 1, unless you add --skip or --stop. The new line is called `amend-12` (--name changes that) and becomes your
    current line, as in `fork`, unless you add --no-switch.

    With --then the later commands are played up to the first conflict, and then bots play every seat to the end of the
    game. `whatif` does that many times, and says how certain the difference is.

    --ask asks the other players before replacing a move of yours on the game's own line (see `takeback`). Moves that
    are no longer legal are left out.

    Example::

        zim amend kilwa-7@18 "adore eshu" --stop
    """
    if asks_others:
        return ask(session, place, NewRequest(move=command), **options)
    place = first_move_of_round(session, place)
    bot = load_final_bot(session, place, bot_level, asks_others or dry_run) if bot_level else None
    keep = "stop" if bot and keep == "all" else keep
    line_before = session.current_line(place)
    try:
        replay = session.service.amend(
            place,
            command,
            by=session.by,
            viewer=session.viewer,
            name=name,
            keep=keep,
            dry_run=dry_run,
            current=session.is_typed and not stays,
            **options,
        )
    except NotationError as error:
        error.hints = amending_hints(session, place, error.hints, keep)
        raise
    if isinstance(replay, Refused):
        raise refusal_problem(command, replace(replay, hints=amending_hints(session, place, replay.hints, keep)))
    if replay.stored and not stays:
        session.enter_new_line(replay.position)
    answer = rewrite_or_fail(replay, keep, "amend", place, command)
    if bot and replay.stored:
        last_position = play_to_end_of_game(session, replay.position, bot, options["command_id"])
        answer = replace(answer, position=position_document(last_position))
    is_line_left = (
        replay.stored and session.is_typed and not stays and line_before != replay.position.line
    )  # a retry left it the first time
    return replace(answer, left=line_before) if is_line_left else answer


def amending_hints(session: Session, place: str, hints: Sequence[str], keep: Keep) -> tuple[str, ...]:
    """The hints of the rules: each is a move, which would be played at the head, as the whole command that amends.

    Where later moves are not legal after it, it has an option for them.
    """
    verbs = session.position(place).game.notation.SYNTAX

    def amending_hint(move: str) -> str:
        by, viewer, has_conflicts = session.by, session.viewer, False
        with suppress(GameError):
            replay = session.service.amend(place, move, by=by, viewer=viewer, keep=keep, dry_run=True)
            has_conflicts = not isinstance(replay, Refused) and bool(replay.conflicts)
        option = f"--{keep}" if keep != "all" else "--stop" if has_conflicts else ""
        return join(filter(None, ["amend", place, move, option]))

    return tuple(amending_hint(hint) if verb_of(hint) in verbs else hint for hint in hints)


def first_move_of_round(session: Session, place: str) -> str:
    """The place of the first move of a round or turn, where one is named: `@r3` is the position before it."""
    line, _, position_text = place.partition("@")
    if not re.match(r"r\d", position_text.lower()):
        return place
    return f"{line}@{session.position(place).commit.number + 1}"


def load_final_bot(session: Session, place: str, bot_level: str, keeps_nothing: bool) -> ConfiguredBot:
    """The program of a level. Raises `GameError` for one that can't play this game."""
    from zimcli.session.allowed_programs import named_bot
    from zimcore.bots.registry import check_can_play

    if keeps_nothing:
        raise click.UsageError("--then plays on a line that is kept: leave --dry-run and --ask out.")
    bot = named_bot(session, bot_level)
    check_can_play(bot, session.position(place).game)
    return bot


def play_to_end_of_game(session: Session, position: Position, bot: ConfiguredBot, command_id: str) -> Position:
    """The end of the game, played by a program at every seat."""
    from zimcli.session.bot_moves import play_turn

    moves = play_turn(session, position.place, bot, command_id=command_id and f"{command_id}/then", to_end=True)
    positions_after = [move.position for move in moves]
    session.show_note(f"{bot} has played {numbered(len(positions_after), 'command')} to the end")
    return positions_after[-1] if positions_after else position


@place_command()
@argument("source")
@replay_options
@retry_options
def pick(
    session: Session, place: str, source: str, keep: Keep, dry_run: bool, **options: Unpack[RetryOptions]
) -> RewriteAnswer:
    """Replay moves of another line here.

    SOURCE is a move (what-if@7) or several (what-if@4..7, both included; what-if@r4..r5 is all of round 4). They are
    played at the head of the line, all at once. The first that is not legal here is a conflict, as in `amend`.

    Example::

        zim pick kilwa-7/what-if main@r4..r5
    """
    typed_source = session.complete_place(source, place)
    options["expected"] = options["expected"] or session.seen_head_digest(place) or ""

    def pick_from(source: str, command_id: str) -> Replay:
        options["command_id"] = command_id
        return session.service.pick(
            place, source, by=session.by, viewer=session.viewer, keep=keep, dry_run=dry_run, **options
        )

    source = session.place_with_line(typed_source)
    replay = pick_first(pick_from, [source, *other_sources(session, typed_source)], options["command_id"])
    if replay.stored:
        session.record_head(replay.position)

    def may_skip() -> bool:
        by, viewer = session.by, session.viewer
        return bool(session.service.pick(place, source, by=by, viewer=viewer, keep="skip", dry_run=True).commits)

    return rewrite_or_fail(replay, keep, "pick", place, source, may_skip=may_skip)


def other_sources(session: Session, typed_source: str) -> Iterator[str]:
    """The places that a source without a line may have meant at a first attempt, when another line was current."""
    parsed_source = parse_place(typed_source)
    if not parsed_source.line:
        yield typed_source
        for line_name in session.service.line_names(parsed_source.match):
            yield str(replace(parsed_source, line=line_name))


def pick_first(pick_from: Callable[[str, str], Replay], sources: Sequence[str], command_id: str) -> Replay:
    """Picks from the first of the sources; with an id that was used before, from the one that was meant then."""
    try:
        return pick_from(sources[0], command_id)
    except TakenError:
        for source in sources[1:] if command_id else ():
            with suppress(TakenError):
                return pick_from(source, RetriedId(command_id))
        raise
