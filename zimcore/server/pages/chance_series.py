"""The graph of a finished match: each seat's chance to win after each move, and the results of an analysis."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from litestar import Response, get

from zimcore.analysis.better_lines import find_better_line
from zimcore.analysis.match_analysis import (
    MAX_TURNING_POINTS,
    MIN_TURNING_CHANGE,
    JudgedDecision,
    chances_at_start,
    iter_decisions,
    known_judgements,
    turning_points,
)
from zimcore.chances import chances as chances_at
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import MARKS
from zimcore.game import GameError, Seat
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.pages import browser
from zimcore.server.pages.page_parameters import SeatOrRole, ShownLine, common_line
from zimcore.server.pages.rendering import accepted_encodings, json_reply
from zimcore.server.pages.steps import ghost_of
from zimcore.server.people.access import Visitor, place_of, viewer_of
from zimcore.server.wire.parameters import GameName
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply
from zimcore.service import GameService, Viewer

MAX_CACHED = 4000
"""The most positions whose chances are cached."""

PercentBySeat = Mapping[Seat, int]
"""Each seat's chance to win, in percent."""


class BetterTurn(msgspec.Struct, frozen=True):
    """A turn that gave something away: the numbers of its first and last move, its mark (`?`), a summary.

    `line` is the line with the better turn, "" if there is none. `ghost` are SVG drawings of what the better turn would
    have added to the board before it.
    """

    first: int
    last: int
    mark: str
    said: str
    line: str = ""
    ghost: Sequence[str] = ()


class ChanceSeries(msgspec.Struct, frozen=True):
    """`chances` has a list for each seat, in order: its chance to win after each move, in percent.

    Within a turn the chances are those before it. `turning` are the numbers of the moves that changed them most.
    `better` are the mistakes that a stored analysis has found.
    """

    chances: Sequence[Sequence[int]] = ()
    turning: Sequence[int] = ()
    better: Sequence[BetterTurn] = ()


@get("/games/{game:str}/chances")
async def chances(request: AnyRequest, game: GameName, as_: SeatOrRole = "", line: ShownLine = "") -> Response[Any]:
    """Each seat's chance to win after each move of a line, as Zim estimates it; only when the match is over."""
    await browser.act_in_game(request, game, as_)
    make_reply = partial(
        chances_reply, line=line, folder=request.app.state.analyses, encodings=accepted_encodings(request)
    )
    return await dispatcher_of(request).answer_long(request, game, make_reply)


def chances_reply(service: GameService, visitor: Visitor, *, line: str, folder: Path | None, encodings: str) -> Reply:
    """The chances on a line, with the mistakes by an analysis in the `folder`. Raises `ProblemError`."""
    game, line_name = visitor.game, line or common_line(visitor)
    place, viewer = place_of(visitor, line_name), viewer_of(service, visitor, line_name)
    match = service.position(f"{game}/{common_line(visitor)}")
    if not match.outcome.over:
        why = "they would help a player"
        raise ProblemError(409, "chances are shown when the match is over", why, kind="not-possible")
    position = service.position(place, viewer)
    if position.game.chances is None:
        return json_reply(encodings, ChanceSeries())
    commits = service.log(place, viewer=viewer)
    judgements = known_judgements(folder, position.game, commits) if folder and not service.hides(place) else ()
    line_names = (
        [line_info.name for line_info in service.lines(game, viewer) if visitor.sees(line_info.name)]
        if judgements
        else ()
    )
    better_turns_found = [*better_turns(service, position, commits, judgements, line_names, viewer)]
    return json_reply(encodings, chance_series(position, commits, judgements, better_turns_found, viewer))


def better_turns(
    service: GameService,
    position: Position,
    commits: Sequence[Commit],
    judgements: Sequence[JudgedDecision],
    line_names: Collection[str],
    viewer: Viewer,
) -> Iterator[BetterTurn]:
    """The turns that gave something away, by an analysis."""
    for judgement in judgements:
        if judgement.judged_turn.word:
            line = find_better_line(service, position.match, commits, judgement, line_names, viewer)
            mark = MARKS[judgement.judged_turn.word]
            first_move, last_move = judgement.decision.first, judgement.decision.last
            ghost = better_ghost(
                service, position, commits[first_move - 1], judgement.judged_turn.best_commands, viewer
            )
            yield BetterTurn(first_move, last_move, mark, judgement.judged_turn.summary, line, ghost)


def better_ghost(
    service: GameService, position: Position, commit_before: Commit, best_commands: Sequence[str], viewer: Viewer
) -> Sequence[str]:
    """Drawings of what `best_commands` would have added to the board after a commit."""
    place = f"{position.place}@{commit_before.digest}"
    positions_after = service.try_(place, best_commands, viewer).positions
    return [
        drawing
        for before_and_after in pairwise([service.position(place, viewer), *positions_after])
        for drawing in ghost_of(*before_and_after)
    ]


def chance_series(
    position: Position,
    commits: Sequence[Commit],
    judgements: Sequence[JudgedDecision],
    better_turns_found: Sequence[BetterTurn],
    viewer: Viewer,
) -> ChanceSeries:
    """The chances on the way to a position; an empty series if they depend on hidden information."""
    game, judged_chances = (
        position.game,
        {judgement.decision.last: judgement.judged_turn.chances for judgement in judgements},
    )
    viewing_seat = viewer.seat if game.secrets else None
    try:
        percent_rows, change_by_move = [to_percent(chances_at_start(game, commits))], dict[int, int]()
        for decision, _, state_after in iter_decisions(game, commits):
            cache_key, old_percent = (decision.digest, viewing_seat), percent_rows[-1]
            new_percent = (
                to_percent(judged_chances[decision.last])
                if decision.last in judged_chances
                else _percents_by_position.get(cache_key)
            )
            if new_percent is None:
                new_percent = _percents_by_position[cache_key] = to_percent(chances_at(game, state_after))
            percent_rows += [old_percent] * (decision.last - len(percent_rows)) + [new_percent]
            change_by_move[decision.last] = max(abs(new_percent[seat] - old_percent[seat]) for seat in new_percent)
    except GameError:
        return ChanceSeries()
    for old_key in [*_percents_by_position][:-MAX_CACHED]:
        _percents_by_position.pop(old_key, None)
    percent_rows += percent_rows[-1:] * (len(commits) - len(percent_rows))
    if len(judgements) == len(change_by_move):
        turning = [judgement.decision.last for judgement in turning_points(judgements)]
    else:
        largest_changes = sorted(change_by_move, key=lambda number: -change_by_move[number])[:MAX_TURNING_POINTS]
        turning = sorted(number for number in largest_changes if change_by_move[number] >= 100 * MIN_TURNING_CHANGE)
    return ChanceSeries([[row[seat] for row in percent_rows] for seat in position.seats], turning, better_turns_found)


def to_percent(win_chances: Mapping[Seat, Any]) -> PercentBySeat:
    """Chances in whole percent."""
    return {seat: round(100 * chance.mean) for seat, chance in win_chances.items()}


# A cache by the digest of a position and the viewing seat: a few milliseconds for each add up over a match.
_percents_by_position: dict[tuple[str, Seat | None], PercentBySeat] = {}
