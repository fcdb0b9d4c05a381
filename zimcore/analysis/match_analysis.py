"""Analyses a whole match turn by turn: each seat's chances, what each turn gave away, and the turning points."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from zimcore.analysis.judgement import DEFAULT_NODES
from zimcore.analysis.judgement_cache import cached_judgements
from zimcore.analysis.judgement_files import judgement_path
from zimcore.analysis.judging import JUDGEMENT_VERSION, JudgedTurn, judge_turn
from zimcore.analysis.turns import is_same_turn
from zimcore.analysis.worlds import check_cards_open
from zimcore.bots.pools import make_pool
from zimcore.bots.process_pool import results_one_by_one
from zimcore.bots.registry import BOTS_VERSION
from zimcore.chances import Chance, chance_features, chances, load_model
from zimcore.commits import Commit, Position
from zimcore.game import Command, Event, Game, HiddenError, Played, Refused, Seat
from zimcore.history.replay_states import final_state
from zimcore.service import game as game_of
from zimcore.service.records.deciding import try_command

MIN_TURNING_CHANGE, MAX_TURNING_POINTS = 0.1, 6
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
    judged_turn: JudgedTurn


PlainCommit = tuple[int, str, tuple[Event, ...]]
"""The number, digest and events of a commit. A `Commit` holds its game and can't be sent to another process."""


def iter_decisions(game: Game, commits: Sequence[Commit]) -> Iterator[tuple[Decision, Any, Any]]:
    """The turns and bids in commits from the start of a match, each with the position before and after it.

    A turn that has not ended is left out.
    """
    return _iter_plain_decisions(game, [to_plain(commit) for commit in commits])


def to_plain(commit: Commit) -> PlainCommit:
    """The part of a commit that can be sent to another process."""
    return commit.number, commit.digest, commit.events


def _iter_plain_decisions(game: Game, commits: Sequence[PlainCommit]) -> Iterator[tuple[Decision, Any, Any]]:
    state = game.evolution.initial()
    turn_start, turn_commits = state, list[PlainCommit]()
    for commit in commits:
        if not turn_commits:
            turn_start = game.evolution.copy(state)
        for event in commit[2]:
            game.evolution.evolve(state, event)
        if not _played_event(commit).seat:
            continue
        turn_commits.append(commit)
        if not is_same_turn(game, turn_start, state):
            yield _make_decision(turn_commits), turn_start, game.evolution.copy(state)
            turn_commits = []


def _make_decision(turn_commits: Sequence[PlainCommit]) -> Decision:
    """The decision made by these commits."""
    (first, *_), (last, digest, _) = turn_commits[0], turn_commits[-1]
    commands = tuple(_played_event(commit).command for commit in turn_commits)
    return Decision(first=first, last=last, digest=digest, seat=_played_event(turn_commits[0]).seat, commands=commands)


def _played_event(commit: PlainCommit) -> Played:
    event = commit[2][0]
    assert isinstance(event, Played)
    return event


def engine_version(game: Game) -> str:
    """The version of the judgement, the bots and the model: another one may judge otherwise."""
    return f"{JUDGEMENT_VERSION}, bots {BOTS_VERSION}, {load_model(chance_features(game)).made_by}"


RecallJudgement = Callable[[Decision], JudgedTurn | None]
KeepJudgement = Callable[[Decision, JudgedTurn], None]


def analyse_match(
    game: Game,
    commits: Sequence[Commit],
    nodes: int = DEFAULT_NODES,
    seed: int = 0,
    workers: int = 1,
    cluster: str | None = None,
    recall: RecallJudgement = lambda _: None,
    keep: KeepJudgement = lambda _, __: None,
) -> Iterator[JudgedDecision]:
    """Yields the judgement of each turn and bid, in order. It is the same with any number of workers.

    Judgements that `recall` finds are not made again; each new one goes to `keep` at once, so that an interrupted
    analysis can go on. Raises `GameError` for a game without chances, `HiddenError` if cards are hidden at the end.
    """
    chance_features(game)
    check_cards_open(game, final_state(game, commits))
    all_decisions = [decision for decision, _, _ in iter_decisions(game, commits)]
    recalled_judgements = {
        decision.last: judged_turn for decision in all_decisions if (judged_turn := recall(decision))
    }
    unjudged_decisions = [decision for decision in all_decisions if decision.last not in recalled_judgements]
    new_judgements = _judge_decisions(game, commits, unjudged_decisions, nodes, seed, workers, cluster)
    try:
        for decision in all_decisions:
            judged_turn = recalled_judgements.get(decision.last)
            if judged_turn is None:
                judged_turn = next(new_judgements)
                keep(decision, judged_turn)
            yield JudgedDecision(decision, judged_turn)
    finally:
        new_judgements.close()


class JudgementTask(NamedTuple):
    """A decision to judge: the last one in these commits of a game."""

    kind: str
    commits: Sequence[PlainCommit]
    nodes: int
    seed: int

    @property
    def label(self) -> str:
        """A name for messages: `the turn that ends @12`."""
        return f"the turn that ends @{self.commits[-1][0]}"


def known_judgements(folder: Path, game: Game, commits: Sequence[Commit]) -> Sequence[JudgedDecision]:
    """The judgements in the files of a folder for the turns and bids in these commits. Judges nothing itself."""
    judged_turns = cached_judgements(
        judgement_path(folder, commits[0].digest), engine_version(game), {commit.digest for commit in commits}
    )
    match_decisions = [decision for decision, _, _ in iter_decisions(game, commits)] if judged_turns else []
    return [
        JudgedDecision(decision, judged_turns[decision.digest])
        for decision in match_decisions
        if decision.digest in judged_turns
    ]


def judge_tasks(tasks: Sequence[JudgementTask]) -> list[JudgedTurn]:
    """Judges some decisions. Worker processes call it."""
    return [_judge_task(game_of(task.kind), task) for task in tasks]


def _judge_task(game: Game, task: JudgementTask) -> JudgedTurn:
    """Replays the match up to the decision, since a position is far larger than the commits before it."""
    *_, (decision, state_before, state_after) = _iter_plain_decisions(game, task.commits)
    return judge_turn(game, state_before, decision.seat, decision.commands, state_after, task.nodes, task.seed)


def _judge_decisions(
    game: Game,
    commits: Sequence[Commit],
    unjudged_decisions: Sequence[Decision],
    nodes: int,
    seed: int,
    workers: int,
    cluster: str | None,
) -> Generator[JudgedTurn]:
    if cluster is None and (workers <= 1 or len(unjudged_decisions) <= 1):
        unjudged_numbers = {decision.last for decision in unjudged_decisions}
        for decision, state_before, state_after in iter_decisions(game, commits):
            if decision.last in unjudged_numbers:
                yield judge_turn(game, state_before, decision.seat, decision.commands, state_after, nodes, seed)
        return
    plain_commits = [to_plain(commit) for commit in commits]
    tasks = [
        JudgementTask(game.name, plain_commits[: decision.last + 1], nodes, seed) for decision in unjudged_decisions
    ]
    with make_pool(workers, cluster, judge_tasks, len(unjudged_decisions)) as pool:
        yield from results_one_by_one(pool, tasks)


def better_positions(last_position: Position, commits: Sequence[Commit], judgement: JudgedDecision) -> list[Position]:
    """The positions after each command of the better turn, up to the first that depends on hidden cards."""
    earlier_commits = [commit for commit in commits if commit.number < judgement.decision.first]
    position, positions_after = (
        replace(last_position, commit=earlier_commits[-1], state=final_state(last_position.game, earlier_commits)),
        list[Position](),
    )
    for text in judgement.judged_turn.best_commands:
        try:
            position_or_refusal = try_command(position, text, earlier_commits[-1].at, judgement.decision.seat)
        except HiddenError:
            break
        if isinstance(position_or_refusal, Refused):
            break
        positions_after.append(position := position_or_refusal)
    return positions_after


def accuracy(judgements: Sequence[JudgedDecision]) -> dict[Seat, float]:
    """The accuracy of each seat, from 0 to 100: the mean over its turns and bids."""
    seats = dict.fromkeys(judgement.decision.seat for judgement in judgements)
    return {
        seat: fmean(judgement.judged_turn.accuracy for judgement in judgements if judgement.decision.seat == seat)
        for seat in sorted(seats)
    }


def turning_points(judgements: Sequence[JudgedDecision]) -> list[JudgedDecision]:
    """The turns that changed the chances most, in the order of play."""
    judgements_by_change = sorted(
        (judgement for judgement in judgements if largest_change(judgement) >= MIN_TURNING_CHANGE),
        key=largest_change,
        reverse=True,
    )
    return sorted(judgements_by_change[:MAX_TURNING_POINTS], key=lambda judgement: judgement.decision.last)


def largest_change(judgement: JudgedDecision) -> float:
    """The largest change of any seat's chance in a turn."""
    chances_before: Mapping[Seat, Chance] = judgement.judged_turn.chances_before
    return max(abs(chance.mean - chances_before[seat].mean) for seat, chance in judgement.judged_turn.chances.items())


def chances_at_start(game: Game, commits: Sequence[Commit]) -> Mapping[Seat, Chance]:
    """Each seat's chance after the set-up, before the first turn."""
    state = game.evolution.initial()
    for event in commits[0].events:
        game.evolution.evolve(state, event)
    return chances(game, state)
