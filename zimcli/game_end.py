"""The end of a game: who won, what was given away and where, and the lines that lead on from there.

The table and the prompt show the same. The result is there at once; an analysis fills in what it finds.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zimcli.files import free_file
from zimcli.session import Session
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import DecisionDocument
from zimcore.game import Game, GameError, HiddenError, Seat

SHOWN = 3
"""Turns that are shown of those that gave something away."""
OFTEN = 0.5
"""Seconds between two states of an analysis that are shown."""


class GameEnd(NamedTuple):
    """What is known of a game that is over, beside its position.

    `people` are the seats that no program plays, those of who looks where they have some. `again` is the line that
    begins the same game with the next seed; `lines` are the names that are taken; `bots` says whether programs play,
    and `helps` whether they may say what they think of the game.
    """

    people: tuple[Seat, ...]
    again: str
    lines: Sequence[str]
    bots: bool
    helps: bool


class EndAnalysis(NamedTuple):
    """What an analysis of a game has found by now; `why_none` says why there can't be one: some cards may be
    hidden still.
    """

    decisions: Sequence[DecisionDocument] = ()
    accuracy: Mapping[Seat, float] = {}
    total: int = 0
    why_none: str = ""
    is_hidden: bool = False

    @property
    def is_done(self) -> bool:
        """Whether all turns and bids are judged."""
        return bool(self.why_none) or 0 < self.total == len(self.decisions)


class NextStep(NamedTuple):
    """What can be done when a game is over, and the line that does it."""

    name: str
    line: str


def game_end(session: Session) -> GameEnd | None:
    """What is known of the end of the game that is played here; None before it is over."""
    here = session.here
    if here is None or not here.outcome.over:
        return None
    bots = session.service.bots(here.place)
    people = tuple(seat for seat in here.seats if seat not in bots)
    mine = (session.seat,) if session.seat else people
    again = again_line(session.position(f"{here.place}@0"), bots) if session.local_service else ""
    against = bool(bots) and bool(session.local_service)
    return GameEnd(mine, again, session.service.line_names(here.match), against, session.helps(here.place))


def again_line(begun: Position, bots: Mapping[Seat, str]) -> str:
    """The line that begins a game with the same options and programs, and the next seed; without a seed where cards
    are hidden.
    """
    game, command = begun.game, begun.commit.command
    options, seed = dict(getattr(command, "options", ())), getattr(command, "seed", None)
    if isinstance(seed, int) and game.secrets is None:
        options["seed"] = str(seed + 1)
    words = [f"{key}={text}" for key, text in options.items()]
    words += ["bots=" + ",".join(f"{seat}:{bot}" for seat, bot in bots.items())] if bots else []
    return shlex.join(["new", "--game", game.name, *words])


def analyses(
    game: Game, commits: Sequence[Commit], goes_on: Callable[[], bool], idle: Callable[[], object] = lambda: None
) -> Iterator[EndAnalysis]:
    """What an analysis finds, again and again until it is done or is not to go on; all of it is kept.

    It runs in processes of its own. `idle` waits for what comes first.
    """
    from zimcli.analysis_cache import file_of, folder
    from zimcore.analysis import match_analysis as matches
    from zimcore.analysis.judgement import NODES
    from zimcore.analysis.judgement_cache import JudgementCache

    total, found, shown = sum(1 for _ in matches.decisions(game, commits)), list[matches.JudgedDecision](), 0.0
    try:
        known = matches.known_judgements(folder(), game, commits)
        if len(known) == total:
            yield _found(game, commits, known, total)
            return
        kept = JudgementCache(file_of(commits), matches.engine(game), NODES, 0)
        for each in matches.analyse(
            game,
            commits,
            workers=os.cpu_count() or 1,
            recall=lambda decision: kept.recall(decision.digest),
            keep=lambda decision, judged: kept.keep(decision.digest, judged),
        ):
            idle()
            if not goes_on():
                return
            found.append(each)
            if time.monotonic() - shown >= OFTEN or len(found) == total:
                yield _found(game, commits, found, total)
                shown = time.monotonic()
    except HiddenError:
        yield EndAnalysis(why_none="some cards are still hidden from you", is_hidden=True)
    except GameError as error:  # nobody has learned to judge this game
        yield EndAnalysis(why_none=f"{error.what}: {error.why}" if error.why else error.what)
    except OSError as error:  # what was found can't be kept
        yield EndAnalysis(why_none=str(error))


def _found(game: Game, commits: Sequence[Commit], found: Sequence[object], total: int) -> EndAnalysis:
    from zimcore.analysis.analysis_documents import decision_documents
    from zimcore.analysis.match_analysis import accuracy

    return EndAnalysis(tuple(decision_documents(game, commits, found)), accuracy(found), total)  # type: ignore[arg-type]


def turning_points(end: GameEnd, analysis: EndAnalysis) -> list[DecisionDocument]:
    """The turns of people that gave most away, in their order; those after which the chances changed most follow where
    there are too few.
    """
    own = [each for each in analysis.decisions if each.seat in end.people and each.word and each.best]
    worst = sorted(own, key=lambda each: -each.given)[:SHOWN]
    others = [each for each in analysis.decisions if each.turning and each not in worst]
    return sorted([*worst, *others[: SHOWN - len(worst)]], key=lambda each: each.last)


def next_steps(end: GameEnd, here: Position, analysis: EndAnalysis, *, thinks: bool) -> list[NextStep]:
    """What leads on, in an order in which what comes later is added at the end."""
    steps = [NextStep("again", end.again)] if end.again else []
    steps += [
        NextStep("story", "story"),
        NextStep("replay page", "replay --html " + shlex.quote(free_file(f"{here.match}.html"))),
        NextStep("share", "export --certificate " + shlex.quote(free_file(f"{here.match}.cert"))),
    ]
    own = [each for each in analysis.decisions if each.seat in end.people and each.word and each.best]
    if analysis.is_hidden:
        steps.append(NextStep("analyse, with all cards open", "analyse --open"))
    elif end.helps and not (thinks or analysis.decisions):
        steps.append(NextStep("analyse", "analyse"))
    if own:
        worst = max(own, key=lambda each: each.given)
        name = free_name(f"try-{worst.first}", end.lines)
        line = f"fork @{worst.first - 1} {name}" + " --bots" * end.bots
        steps.append(NextStep(f"try again from @{worst.first - 1}", line))
    return steps


def free_name(name: str, taken: Sequence[str]) -> str:
    """A name for a line, with a number after it where it is taken.

    >>> free_name("try-41", ["main"]), free_name("try-41", ["main", "try-41"])
    ('try-41', 'try-41-2')
    """
    return next(each for each in (name, *(f"{name}-{number}" for number in range(2, 1000))) if each not in taken)
