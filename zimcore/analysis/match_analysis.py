"""Analyses a whole match turn by turn: each seat's chances, what each turn gave away, and the turning points."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from zimcore.analysis.judgement import NODES
from zimcore.analysis.judgement_cache import most_known
from zimcore.analysis.judgement_files import file_in
from zimcore.analysis.judging import ENGINE, JudgedTurn, judge
from zimcore.analysis.turns import is_same_turn
from zimcore.analysis.worlds import check_open
from zimcore.bots.pools import make_pool
from zimcore.bots.process_pool import one_by_one
from zimcore.bots.registry import VERSION
from zimcore.chances import Chance, chances, chances_of, model
from zimcore.commits import Commit, Position
from zimcore.game import Command, Event, Game, HiddenError, Played, Refused, Seat
from zimcore.history.replay_states import final_state
from zimcore.service import game as game_of
from zimcore.service.deciding import try_command

MIN_TURNING, MAX_TURNING = 0.1, 6
"""The least change of a chance at a turning point, and the most turning points in a list."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A turn or bid that was played: its first and last commit, the digest of the last one, its seat and commands."""

    first: int
    last: int
    digest: str
    seat: Seat
    commands: tuple[Command, ...]


class JudgedDecision(msgspec.Struct, frozen=True):
    """A decision and its judgement."""

    decision: Decision
    judged: JudgedTurn


Plain = tuple[int, str, tuple[Event, ...]]
"""The number, digest and events of a commit. A `Commit` holds its game and can't be sent to another process."""


def decisions(game: Game, commits: Sequence[Commit]) -> Iterator[tuple[Decision, Any, Any]]:
    """The turns and bids in commits from the start of a match, each with the position before and after it.

    A turn that has not ended is left out.
    """
    return _decisions(game, [to_plain(commit) for commit in commits])


def to_plain(commit: Commit) -> Plain:
    """The part of a commit that can be sent to another process."""
    return commit.number, commit.digest, commit.events


def _decisions(game: Game, commits: Sequence[Plain]) -> Iterator[tuple[Decision, Any, Any]]:
    state = game.evolution.initial()
    begin, plain_commits = state, list[Plain]()
    for each in commits:
        if not plain_commits:
            begin = game.evolution.copy(state)
        for event in each[2]:
            game.evolution.evolve(state, event)
        if not _played_event(each).seat:
            continue
        plain_commits.append(each)
        if not is_same_turn(game, begin, state):
            yield _decision(plain_commits), begin, game.evolution.copy(state)
            plain_commits = []


def _decision(plain_commits: Sequence[Plain]) -> Decision:
    """The decision made by these commits."""
    (first, *_), (last, digest, _) = plain_commits[0], plain_commits[-1]
    commands = tuple(_played_event(each).command for each in plain_commits)
    return Decision(first=first, last=last, digest=digest, seat=_played_event(plain_commits[0]).seat, commands=commands)


def _played_event(each: Plain) -> Played:
    event = each[2][0]
    assert isinstance(event, Played)
    return event


def engine(game: Game) -> str:
    """The version of the judgement, the bots and the model: another one may judge otherwise."""
    return f"{ENGINE}, bots {VERSION}, {model(chances_of(game)).made_by}"


Recall = Callable[[Decision], JudgedTurn | None]
Keep = Callable[[Decision, JudgedTurn], None]


def analyse(
    game: Game,
    commits: Sequence[Commit],
    nodes: int = NODES,
    seed: int = 0,
    workers: int = 1,
    cluster: str | None = None,
    recall: Recall = lambda _: None,
    keep: Keep = lambda _, __: None,
) -> Iterator[JudgedDecision]:
    """Yields the judgement of each turn and bid, in order. It is the same with any number of workers.

    Judgements that `recall` finds are not made again; each new one goes to `keep` at once, so that an interrupted
    analysis can go on. Raises `GameError` for a game without chances, `HiddenError` if cards are hidden at the end.
    """
    chances_of(game)
    check_open(game, final_state(game, commits))
    turns = [each for each, _, _ in decisions(game, commits)]
    known_turns = {each.last: turn for each in turns if (turn := recall(each))}
    missing = [each for each in turns if each.last not in known_turns]
    new_judgements = _judge_all(game, commits, missing, nodes, seed, workers, cluster)
    try:
        for each in turns:
            turn = known_turns.get(each.last)
            if turn is None:
                turn = next(new_judgements)
                keep(each, turn)
            yield JudgedDecision(each, turn)
    finally:
        new_judgements.close()


class Task(NamedTuple):
    """A decision to judge: the last one in these commits of a game."""

    kind: str
    commits: Sequence[Plain]
    nodes: int
    seed: int

    @property
    def label(self) -> str:
        """A name for messages: `the turn that ends @12`."""
        return f"the turn that ends @{self.commits[-1][0]}"


def known_judgements(folder: Path, game: Game, commits: Sequence[Commit]) -> Sequence[JudgedDecision]:
    """The judgements in the files of a folder for the turns and bids in these commits. Judges nothing itself."""
    judgements = most_known(file_in(folder, commits[0].digest), engine(game), {commit.digest for commit in commits})
    turns = [each for each, _, _ in decisions(game, commits)] if judgements else []
    return [JudgedDecision(each, judgements[each.digest]) for each in turns if each.digest in judgements]


def judge_all(tasks: Sequence[Task]) -> list[JudgedTurn]:
    """Judges some decisions. Worker processes call it."""
    return [_judge(game_of(task.kind), task) for task in tasks]


def _judge(game: Game, task: Task) -> JudgedTurn:
    """Replays the match up to the decision, since a position is far larger than the commits before it."""
    *_, (each, before, after) = _decisions(game, task.commits)
    return judge(game, before, each.seat, each.commands, after, task.nodes, task.seed)


def _judge_all(
    game: Game,
    commits: Sequence[Commit],
    missing: Sequence[Decision],
    nodes: int,
    seed: int,
    workers: int,
    cluster: str | None,
) -> Generator[JudgedTurn]:
    if cluster is None and (workers <= 1 or len(missing) <= 1):
        missing_numbers = {each.last for each in missing}
        for each, before, after in decisions(game, commits):
            if each.last in missing_numbers:
                yield judge(game, before, each.seat, each.commands, after, nodes, seed)
        return
    plain_commits = [to_plain(commit) for commit in commits]
    tasks = [Task(game.name, plain_commits[: each.last + 1], nodes, seed) for each in missing]
    with make_pool(workers, cluster, judge_all, len(missing)) as pool:
        yield from one_by_one(pool, tasks)


def better_turn(after: Position, commits: Sequence[Commit], judgement: JudgedDecision) -> list[Position]:
    """The positions after each command of the better turn, up to the first that depends on hidden cards."""
    before = [each for each in commits if each.number < judgement.decision.first]
    position, turn = replace(after, commit=before[-1], state=final_state(after.game, before)), list[Position]()
    for text in judgement.judged.best:
        try:
            positions = try_command(position, text, before[-1].at, judgement.decision.seat)
        except HiddenError:
            break
        if isinstance(positions, Refused):
            break
        turn.append(position := positions)
    return turn


def accuracy(judgements: Sequence[JudgedDecision]) -> dict[Seat, float]:
    """The accuracy of each seat, from 0 to 100: the mean over its turns and bids."""
    seats = dict.fromkeys(each.decision.seat for each in judgements)
    return {
        seat: fmean(each.judged.accuracy for each in judgements if each.decision.seat == seat) for seat in sorted(seats)
    }


def turning_points(judgements: Sequence[JudgedDecision]) -> list[JudgedDecision]:
    """The turns that changed the chances most, in the order of play."""
    candidates = sorted((each for each in judgements if change(each) >= MIN_TURNING), key=change, reverse=True)
    return sorted(candidates[:MAX_TURNING], key=lambda each: each.decision.last)


def change(judgement: JudgedDecision) -> float:
    """The largest change of any seat's chance in a turn."""
    before: Mapping[Seat, Chance] = judgement.judged.before
    return max(abs(chance.mean - before[seat].mean) for seat, chance in judgement.judged.chances.items())


def beginning(game: Game, commits: Sequence[Commit]) -> Mapping[Seat, Chance]:
    """Each seat's chance after the set-up, before the first turn."""
    state = game.evolution.initial()
    for event in commits[0].events:
        game.evolution.evolve(state, event)
    return chances(game, state)
