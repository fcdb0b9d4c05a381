"""The end of a game: the winner, the worst mistakes, and commands to go on with.

The table and the prompt show the same. The result appears at once; an analysis fills in the rest as it runs.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zimcli.output.files import free_file_name
from zimcli.session.session import Session
from zimcli.study.opponents import stronger_level
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import DecisionDocument
from zimcore.game import Game, GameError, HiddenError, Seat
from zimcore.service.records.free_names import free_name
from zimcore.service.records.places import MAX_NAME_CHARACTERS

MAX_TURNS_SHOWN = 3
"""The most turns to show."""
UPDATE_SECONDS = 0.5
"""Seconds between two updates of the analysis on the screen."""


class GameEnd(NamedTuple):
    """What there is to show about a finished game, apart from its position.

    `own_seats` are the seats to report on: the viewer's own if they play one, else all that are played by people.
    `again_command` begins the same game with the next seed; `line_names` are already in use; `allows_help` says
    whether programs may comment on the game. `stronger_command` begins it against stronger programs, after a victory
    over them; `has_lost` if the only person has lost to them.
    """

    own_seats: tuple[Seat, ...]
    again_command: str
    line_names: Sequence[str]
    allows_help: bool
    stronger_command: str = ""
    has_lost: bool = False


class EndAnalysis(NamedTuple):
    """What an analysis of a game has found so far.

    `why_none` is the reason if it can't run; `is_hidden` if that is hidden cards.
    """

    decisions: Sequence[DecisionDocument] = ()
    accuracy: Mapping[Seat, float] = {}
    turn_count: int = 0
    why_none: str = ""
    is_hidden: bool = False

    @property
    def is_done(self) -> bool:
        """Whether every turn and bid is judged, or no analysis is possible."""
        return bool(self.why_none) or 0 < self.turn_count == len(self.decisions)


class NextStep(NamedTuple):
    """A suggestion after the end of a game, and the command for it."""

    name: str
    command: str


def game_end(session: Session) -> GameEnd | None:
    """The end of the current game; None while it is still going on."""
    position = session.current
    if position is None or not position.outcome.over:
        return None
    bots = session.service.bots(position.place)
    human_seats = tuple(seat for seat in position.seats if seat not in bots)
    own_seats = (session.seat,) if session.seat else human_seats
    again_command = stronger_command = ""
    is_alone = bool(bots) and len(human_seats) == 1 and own_seats == human_seats
    winners = position.outcome.ranking[0]
    has_won, has_lost = is_alone and human_seats == tuple(winners), is_alone and human_seats[0] not in winners
    if local_service := session.local_service:
        first_position, name = session.position(f"{position.place}@0"), rematch_name(position, local_service.has_game)
        again_command = rematch_command(first_position, bots, name)
        stronger_bots = {seat: stronger_level(bot) for seat, bot in bots.items()}
        if has_won and stronger_bots != bots and position.game.strategy:
            stronger_command = rematch_command(first_position, stronger_bots, name)
    return GameEnd(
        own_seats,
        again_command,
        session.service.line_names(position.match),
        session.is_help_allowed(position.place),
        stronger_command,
        has_lost,
    )


def rematch_command(first_position: Position, bots: Mapping[Seat, str], match_name: str = "") -> str:
    """The command that begins a game with the same options and bots and the next seed; no seed if cards are hidden."""
    game, command = first_position.game, first_position.commit.command
    options, seed = dict(getattr(command, "options", ())), getattr(command, "seed", None)
    if isinstance(seed, int) and game.secrets is None:
        options["seed"] = str(seed + 1)
    words = [f"{key}={text}" for key, text in options.items()]
    words += ["bots=" + ",".join(f"{seat}:{bot}" for seat, bot in bots.items())] if bots else []
    return shlex.join(["new", *filter(None, [match_name]), "--game", game.name, *words])


def rematch_name(position: Position, has_game: Callable[[str], bool]) -> str:
    """A free name for the next game: "friday-2" after "friday"; "" after a name that leaves no room for a number."""
    base_name, _, number = position.match.rpartition("-")
    base_name = base_name if base_name and number.isdecimal() else position.match
    if len(base_name) + len("-999") > MAX_NAME_CHARACTERS:
        return ""
    return free_name(base_name, has_game, first_number=2, may_stay_bare=False)


def analyses(
    game: Game,
    commits: Sequence[Commit],
    may_continue: Callable[[], bool],
    wait_while_busy: Callable[[], object] = lambda: None,
) -> Iterator[EndAnalysis]:
    """Yields the analysis so far, again and again, until it is done or `may_continue()` is false. Caches judgements.

    The analysis runs in other processes. `wait_while_busy()` is called after each result, to let urgent work go first.
    """
    from zimcli.session.analysis_cache import cache_file, cache_folder
    from zimcore.analysis import match_analysis as matches
    from zimcore.analysis.judgement import DEFAULT_NODES
    from zimcore.analysis.judgement_cache import JudgementCache

    turn_count, judgements, last_update = (
        sum(1 for _ in matches.iter_decisions(game, commits)),
        list[matches.JudgedDecision](),
        0.0,
    )
    try:
        known_turns = matches.known_judgements(cache_folder(), game, commits)
        if len(known_turns) == turn_count:
            yield _end_analysis(game, commits, known_turns, turn_count)
            return
        cache = JudgementCache(cache_file(commits), matches.engine_version(game), DEFAULT_NODES, 0)
        for judged_decision in matches.analyse_match(
            game,
            commits,
            workers=os.cpu_count() or 1,
            recall=lambda decision: cache.recall(decision.digest),
            keep=lambda decision, judgements_found: cache.store(decision.digest, judgements_found),
        ):
            wait_while_busy()
            if not may_continue():
                return
            judgements.append(judged_decision)
            if time.monotonic() - last_update >= UPDATE_SECONDS or len(judgements) == turn_count:
                yield _end_analysis(game, commits, judgements, turn_count)
                last_update = time.monotonic()
    except HiddenError:
        yield EndAnalysis(why_none="some cards are still hidden from you", is_hidden=True)
    except GameError as error:  # there is no model for this game
        yield EndAnalysis(why_none=f"{error.what}: {error.why}" if error.why else error.what)
    except OSError as error:  # the cache can't be read or written
        yield EndAnalysis(why_none=str(error))


def _end_analysis(game: Game, commits: Sequence[Commit], judgements: Sequence[object], turn_count: int) -> EndAnalysis:
    from zimcore.analysis.analysis_documents import decision_documents
    from zimcore.analysis.match_analysis import accuracy

    return EndAnalysis(tuple(decision_documents(game, commits, judgements)), accuracy(judgements), turn_count)  # type: ignore[arg-type]


def turning_points(end: GameEnd, analysis: EndAnalysis) -> list[DecisionDocument]:
    """Up to `MAX_TURNS_SHOWN` turns in the order of play: the worst turns of people, then turns after which the chances
    changed most.
    """
    own_mistakes = [each for each in analysis.decisions if each.seat in end.own_seats and each.word and each.best]
    worst_turns = sorted(own_mistakes, key=lambda each: -each.given)[:MAX_TURNS_SHOWN]
    other_turns = [each for each in analysis.decisions if each.turning and each not in worst_turns]
    return sorted([*worst_turns, *other_turns[: MAX_TURNS_SHOWN - len(worst_turns)]], key=lambda each: each.last)


def next_steps(end: GameEnd, position: Position, analysis: EndAnalysis, *, is_thinking_on: bool) -> list[NextStep]:
    """Suggestions for what to do next: after a victory first a stronger opponent, after a defeat a second try.

    Otherwise those that the analysis adds come last, so that the others keep their places.
    """
    second_try = second_try_step(end, position, analysis)
    steps = [second_try] if second_try and end.has_lost else []
    steps += [NextStep("a stronger opponent", end.stronger_command)] if end.stronger_command else []
    steps += [NextStep("again", end.again_command)] if end.again_command else []
    steps += [
        NextStep("story", "story"),
        NextStep("replay page", "replay --html " + shlex.quote(free_file_name(f"{position.match}.html"))),
        NextStep("share", "export --certificate " + shlex.quote(free_file_name(f"{position.match}.cert"))),
    ]
    if analysis.is_hidden:
        steps.append(NextStep("analyse, with all cards open", "analyse --open"))
    elif end.allows_help and not (is_thinking_on or analysis.decisions):
        steps.append(NextStep("analyse", "analyse"))
    return steps if end.has_lost or second_try is None else [*steps, second_try]


def second_try_step(end: GameEnd, position: Position, analysis: EndAnalysis) -> NextStep | None:
    """Plays on from before the turn of people that gave most away; after a defeat without one, from a third before the
    end.
    """
    own_mistakes = [each for each in analysis.decisions if each.seat in end.own_seats and each.word and each.best]
    if own_mistakes:
        first = max(own_mistakes, key=lambda each: each.given).first
    elif end.has_lost and position.game.secrets is None:
        first = max(position.commit.number * 2 // 3, 1)
    else:
        return None
    fork_name = free_name(f"try-{first}", end.line_names.__contains__, first_number=2)
    return NextStep(f"try again from @{first - 1}", f"fork @{first - 1} {fork_name}")
