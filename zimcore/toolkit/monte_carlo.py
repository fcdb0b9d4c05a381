"""Judges positions by random playouts: the strategy and the chances of games that bring only rules.

A playout plays random legal commands to the end of the match. Its value for a seat is mostly the share of the victory,
and for the rest the lead in points. A search spreads its playouts over the candidate commands by successive halving:
all get some, then the better half gets more, and so on. Where something is hidden, playouts start from worlds: what the
seat can't see is dealt again. All candidates meet the same worlds and random numbers, so luck decides little.

Everything is determined by the position as the seat knows it.

In other words: Monte Carlo search, rollout, determinization.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from math import ceil, exp, log, log2, sqrt
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from zimcore.game import Accepted, Command, Game, GameError, HiddenError, Outcome, Seat
from zimcore.toolkit.learned import LearnedModel
from zimcore.toolkit.rules import Rules
from zimcore.toolkit.sampling import random_item
from zimcore.toolkit.secrets import MarkedSecrets
from zimcore.toolkit.worlds import world_fault

VICTORY_SHARE = 0.75
"""The share of a playout's value that is the victory; the lead makes the rest."""
HASTE_PER_COMMAND = 1e-5
"""How much nearer to 1/2 a value is for each command of its playout: an early victory is better than a late one."""
TRIAL_MATCHES, MAX_COMMANDS, CUT_COMMANDS = 8, 600, 40
"""Random matches that are played to learn a game's length and points; the longest match that playouts play to its end;
and the commands of a playout in games that take longer."""
MAX_CANDIDATES, MIN_CANDIDATES = 64, 12
"""The most candidates of a search, and how many it has even if its budget allows hardly a playout for each."""
MAX_WORLDS, NODES_PER_WORLD = 8, 60
"""Where something is hidden: the most worlds of a search, and how many positions it needs to have for each."""
NODES, STEP_NODES = 1000, 200
"""Positions of a search: for a command that is played, and for one within a turn or a playout that is judged."""
BATCHES, MAX_BATCH = 8, 5
"""Playouts for the chances of a position: the batches, and the most playouts of each."""
CHANCE_POSITIONS = 2000
"""About the most positions that these playouts pass, as long as each batch has one."""
MIN_CHANCE = 0.001
"""The least chance before the end."""


class MatchScale(NamedTuple):
    """What random matches of a game are like: the commands of one, the longest playout, and a usual lead in points."""

    commands: float
    longest_playout: int
    spread: float


class PlayoutEnd(NamedTuple):
    """Where a playout came to: the standings, whether the match is over, and how many commands were played.

    `learned_shares` are the seats' chances by the learned model, if the playout was cut off to be judged by it.
    """

    outcome: Outcome
    is_over: bool
    commands: int
    learned_shares: Mapping[Seat, float] | None = None


class Candidate:
    """A command that a search tries: the positions after it by world, its values so far, and the positions passed."""

    __slots__ = ("command", "nodes_searched", "states_by_world", "tries", "value", "value_sum")

    def __init__(self, command: Command) -> None:
        self.command = command
        self.states_by_world: dict[int, Any] = {}
        self.tries, self.nodes_searched, self.value_sum, self.value = 0, 0, 0.0, 0.0

    @property
    def mean(self) -> float:
        """The mean value of its playouts; 0 without any."""
        return self.value_sum / self.tries if self.tries else 0.0


class Playouts:
    """Random playouts of a game, and their values. With a model that was learned of it, they may be cut off early."""

    def __init__(self, game: Game, learned_model: LearnedModel | None = None) -> None:
        self.game = game
        self.learned_model = learned_model if learned_model and learned_model.commands else None

    @property
    def max_commands(self) -> int:
        """The most commands of a playout."""
        return self.learned_model.commands if self.learned_model else self.scale.longest_playout

    @cached_property
    def scale(self) -> MatchScale:
        """Learned from some random matches with the game's usual options."""
        rules, evolution, ends = self.game.rules, self.game.evolution, list[tuple[PlayoutEnd, Sequence[Seat]]]()
        for seed in range(TRIAL_MATCHES):
            try:
                state = rules.apply(evolution.initial(), "", rules.set_up({}, seed)).state
            except GameError:  # it can't be set up without options
                break
            ends.append((self.play(state, Random(seed), MAX_COMMANDS), evolution.seats(state)))
            if not ends[-1][0].is_over:
                return MatchScale(CUT_COMMANDS, CUT_COMMANDS, 1.0)
        if not ends:
            return MatchScale(CUT_COMMANDS, MAX_COMMANDS, 1.0)
        leads = [abs(lead) for end, seats in ends for lead in leads_of(end.outcome, seats).values()]
        commands = [end.commands for end, _ in ends]
        return MatchScale(
            max(fmean(commands), 1.0), min(MAX_COMMANDS, 2 * max(commands) + CUT_COMMANDS), max(fmean(leads), 1e-9)
        )

    def play(self, state: Any, rng: Random, max_commands: int) -> PlayoutEnd:
        """Plays random commands from a whole position to the end of the match, or at most `max_commands`."""
        evolution, rules = self.game.evolution, self.game.rules
        if isinstance(rules, Rules) and rules.can_play_on:
            state = evolution.copy(state)
            command_count = rules.play_on(state, rng, max_commands)
        else:
            state, command_count = self.play_step_by_step(state, rng, max_commands)
        outcome = evolution.outcome(state)
        learned_shares = (
            self.learned_model.shares(self.game, state) if self.learned_model and not outcome.over else None
        )
        return PlayoutEnd(outcome, outcome.over, command_count, learned_shares)

    def play_step_by_step(self, state: Any, rng: Random, max_commands: int) -> tuple[Any, int]:
        """The position after random commands, and their number, for rules that are not made by the toolkit."""
        evolution, rules, command_count = self.game.evolution, self.game.rules, 0
        while command_count < max_commands and (seat := random_item(evolution.to_move(state), rng)) is not None:
            command = rules.legal(state, seat).sample(rng)
            if command is None:
                break
            state, command_count = rules.apply(state, seat, command).state, command_count + 1
        return state, command_count

    def values(self, end: PlayoutEnd, seats: Sequence[Seat]) -> dict[Seat, float]:
        """Each seat's value of an end, from 0 to 1. Without a victory its chance counts, or the lead alone."""
        if end.learned_shares:
            return dict(end.learned_shares)
        values_by_seat, haste_factor = {}, 1 - min(HASTE_PER_COMMAND * end.commands, 0.5)
        for seat, lead in leads_of(end.outcome, seats).items():
            lead_value = logistic(lead / self.scale.spread)
            value = (
                VICTORY_SHARE * end.outcome.victory(seat) + (1 - VICTORY_SHARE) * lead_value
                if end.is_over
                else lead_value
            )
            values_by_seat[seat] = 0.5 + (value - 0.5) * haste_factor
        return values_by_seat

    def shares(self, end: PlayoutEnd, seats: Sequence[Seat]) -> dict[Seat, float]:
        """Each seat's share of the victory, from 0 to 1; without one, its chance, or by the leads."""
        if end.learned_shares:
            return dict(end.learned_shares)
        if end.is_over:
            return {seat: end.outcome.victory(seat) for seat in seats}
        weight_by_seat = {
            seat: exp(min(lead / self.scale.spread, 50)) for seat, lead in leads_of(end.outcome, seats).items()
        }
        return {seat: weight / sum(weight_by_seat.values()) for seat, weight in weight_by_seat.items()}

    def conceal_for(self, state: Any, seat: Seat) -> Any:
        """The position as a seat knows it."""
        return self.game.secrets.conceal(state, seat) if self.game.secrets else state

    def world(self, visible_state: Any, seat: Seat, rng: Random) -> Any:
        """A whole position that agrees with what a seat knows. Raises `GameError` if none can be made."""
        secrets = self.game.secrets
        if secrets is None:
            return visible_state
        if isinstance(secrets, MarkedSecrets) and secrets.deals_by_marks:
            return secrets.fill(visible_state, rng)
        return self.game.rules.apply(visible_state, "", secrets.redeal(seat, rng.getrandbits(32))).state


class MonteCarloStrategy:
    """The part `strategy` of a game that has none of its own: legal commands, judged by random playouts."""

    FEATURES: Sequence[str] = ("chance",)
    WEIGHTS: Mapping[str, float] = {"chance": 20.0}

    def __init__(self, playouts: Playouts) -> None:
        self.game = playouts.game
        self.playouts = playouts

    def candidates(self, state: Any, seat: Seat) -> Iterator[Sequence[Command]]:
        """The legal commands, each a plan of its own; some of them where there are very many."""
        return ((command,) for command in self.commands(state, seat, MAX_CANDIDATES, self.make_rng(state, seat)))

    def features(self, state: Any, seat: Seat) -> Sequence[float]:
        """A seat's mean value of some playouts from a position."""
        rng, seats = self.make_rng(state, seat), self.game.evolution.seats(state)
        worlds = [self.playouts.world(state, seat, rng) for _ in range(MAX_WORLDS)]
        ends = [self.playouts.play(world, rng, self.playouts.max_commands) for world in worlds]
        return (fmean(self.playouts.values(end, seats)[seat] for end in ends),)

    def baseline(self, state: Any, seat: Seat) -> Command:
        """A random legal command, always the same one in the same position."""
        return self.commands(state, seat, 1, self.make_rng(state, seat))[0]

    def make_rng(self, state: Any, seat: Seat) -> Random:
        """Random numbers that depend on the position as a seat knows it, and nothing else."""
        return Random(position_digest(self.game, self.playouts.conceal_for(state, seat)) + seat)

    def commands(self, visible_state: Any, seat: Seat, limit: int, rng: Random) -> list[Command]:
        """At most `limit` legal commands, drawn at random if there are more. Raises `GameError` if there is none."""
        legal_commands = self.game.rules.legal(visible_state, seat)
        commands_listed = list(islice(legal_commands, MAX_CANDIDATES + 1))
        if len(commands_listed) > MAX_CANDIDATES:
            commands_listed = list(dict.fromkeys(legal_commands.sample(rng) for _ in range(2 * limit)))[:limit]
        elif len(commands_listed) > limit:
            commands_listed = [
                commands_listed[index] for index in sorted(rng.sample(range(len(commands_listed)), limit))
            ]
        if not commands_listed:
            raise GameError(f"{seat or 'nobody'} can't play", "no command is legal", ["show"])
        return commands_listed

    def search(self, state: Any, seat: Seat, nodes: int = NODES) -> list[Candidate]:
        """The candidates of a seat, best first, after about so many positions.

        Raises `GameError` if nothing is legal, or if no world can be made of what the seat knows.
        """
        visible_state = self.playouts.conceal_for(state, seat)
        rng, scale = self.make_rng(visible_state, seat), self.playouts.scale
        limit = max(MIN_CANDIDATES, min(MAX_CANDIDATES, int(nodes / (2 * scale.commands))))
        candidates = [Candidate(command) for command in self.commands(visible_state, seat, limit, rng)]
        world_count = max(1, min(MAX_WORLDS, nodes // NODES_PER_WORLD)) if self.game.secrets else 1
        worlds = [self.playouts.world(visible_state, seat, rng) for _ in range(world_count)]
        good_candidates, bad_candidates = candidates, list[Candidate]()
        if self.game.secrets is None and (
            winning_candidate := self.find_winning_candidate(
                candidates, visible_state, seat, nodes // 2, bad_candidates
            )
        ):
            return [winning_candidate, *(candidate for candidate in candidates if candidate is not winning_candidate)]
        if bad_candidates and len(bad_candidates) < len(candidates):
            good_candidates = [candidate for candidate in candidates if candidate not in bad_candidates]
        candidates_ranked = self.rank_by_halving(
            good_candidates,
            worlds,
            seat,
            nodes - sum(candidate.nodes_searched for candidate in candidates),
            rng.getrandbits(48),
        )
        return [*candidates_ranked, *(candidate for candidate in bad_candidates if candidate not in candidates_ranked)]

    def impossible_worlds(self, state: Any, seat: Seat) -> int:
        """How many of `MAX_WORLDS` worlds that are imagined at a position can't be (see `world_fault`)."""
        secrets = self.game.secrets
        if not isinstance(secrets, MarkedSecrets):
            return 0
        visible_state = self.playouts.conceal_for(state, seat)
        rng, fields = self.make_rng(visible_state, seat), secrets.marks.get(type(visible_state), {})
        worlds = [self.playouts.world(visible_state, seat, rng) for _ in range(MAX_WORLDS)]
        return sum(bool(world_fault(self.game, visible_state, world, seat, fields)) for world in worlds)

    def find_winning_candidate(
        self, candidates: Sequence[Candidate], state: Any, seat: Seat, nodes: int, bad_candidates: list[Candidate]
    ) -> Candidate | None:
        """A candidate that wins at once, if there is one; in `bad_candidates` those after which the next seat does.

        In other words: decisive and anti-decisive moves.
        """
        evolution, rules = self.game.evolution, self.game.rules
        for candidate in candidates:
            candidate.states_by_world[0], candidate.nodes_searched = (
                rules.apply(state, seat, candidate.command).state,
                candidate.nodes_searched + 1,
            )
            if self.is_only_winner(candidate.states_by_world[0], seat):
                candidate.value = 1.0
                return candidate
        for candidate in candidates:
            position = candidate.states_by_world[0]
            for next_seat in evolution.to_move(position)[:1]:
                replies = islice(rules.legal(position, next_seat), MAX_CANDIDATES) if next_seat != seat else ()
                for reply in replies:
                    candidate.nodes_searched += 1
                    if self.is_only_winner(rules.apply(position, next_seat, reply).state, next_seat):
                        bad_candidates.append(candidate)
                        break
            if sum(candidate_tried.nodes_searched for candidate_tried in candidates) > nodes:
                break
        return None

    def is_only_winner(self, state: Any, seat: Seat) -> bool:
        """Whether the match is over and a seat is the only winner."""
        evolution = self.game.evolution
        return not evolution.to_move(state) and evolution.outcome(state).winners == (seat,)

    def rank_by_halving(
        self, candidates: Sequence[Candidate], worlds: Sequence[Any], seat: Seat, nodes: int, seed: int
    ) -> list[Candidate]:
        """The candidates, best first, by successive halving; their `value` falls in this order."""
        remaining_candidates, dropped_candidates, playout_number = list(candidates), list[Candidate](), 0
        rounds = ceil(log2(len(remaining_candidates)))
        nodes_spent = 0
        for round_index in range(rounds):
            round_end = nodes_spent + (nodes - nodes_spent) / (rounds - round_index)
            while True:
                nodes_searched = sum(
                    self.play_candidate(candidate, worlds, playout_number, seat, seed)
                    for candidate in remaining_candidates
                )
                nodes_spent, playout_number = nodes_spent + nodes_searched, playout_number + 1
                if nodes_spent >= round_end or not nodes_searched:
                    break
            remaining_candidates.sort(key=lambda candidate: -candidate.mean)
            kept_count = ceil(len(remaining_candidates) / 2)
            remaining_candidates, dropped_candidates = (
                remaining_candidates[:kept_count],
                [*remaining_candidates[kept_count:], *dropped_candidates],
            )
        value = 1.0
        for candidate in (*remaining_candidates, *dropped_candidates):
            candidate.value = value = min(value, candidate.mean)
        return [*remaining_candidates, *dropped_candidates]

    def play_candidate(
        self, candidate: Candidate, worlds: Sequence[Any], playout_number: int, seat: Seat, seed: int
    ) -> int:
        """Plays a candidate out once, and returns the number of positions passed."""
        world_index = playout_number % len(worlds)
        if world_index not in candidate.states_by_world:
            decision = self.game.rules.decide(worlds[world_index], seat, candidate.command)
            candidate.states_by_world[world_index] = decision.state if isinstance(decision, Accepted) else None
        if candidate.states_by_world[world_index] is None:  # it is illegal with these hidden cards
            return 0
        end = self.playouts.play(
            candidate.states_by_world[world_index], Random(seed + playout_number), self.playouts.max_commands
        )
        candidate.value_sum += self.playouts.values(end, self.game.evolution.seats(worlds[world_index]))[seat]
        candidate.tries += 1
        candidate.nodes_searched += end.commands + 1
        return end.commands + 1

    def state_after(self, state: Any, seat: Seat, candidate: Candidate) -> Any:
        """The position after a candidate, in a world if it depends on what is hidden."""
        try:
            return self.game.rules.apply(state, seat, candidate.command).state
        except HiddenError:
            return next((position for position in candidate.states_by_world.values() if position is not None), state)


class PlayoutChances:
    """The part `chances` of a game that has no model: each seat's share of the victories in random playouts.

    It has the form of a trained model. Each batch of playouts is a feature of a seat (the logarithm of its share of the
    victories), and each net of `MODEL` reads one batch. So the mean over the nets is the mean over all playouts. The
    batches are drawn together so far that the spread between the nets is the standard error of that mean.
    """

    FEATURES: Sequence[str] = tuple(f"batch {number}" for number in range(1, BATCHES + 1))
    TERMS: Mapping[str, Sequence[str]] = {}

    def __init__(self, playouts: Playouts) -> None:
        self.game = playouts.game
        self.playouts = playouts

    @cached_property
    def batch_size(self) -> int:
        """The playouts of a batch: fewer in long games."""
        return max(1, min(MAX_BATCH, int(CHANCE_POSITIONS / (BATCHES * self.playouts.scale.commands))))

    @property
    def positions(self) -> int:
        """About how many positions the chances of a position take."""
        return int(BATCHES * self.batch_size * self.playouts.scale.commands)

    @cached_property
    def MODEL(self) -> bytes:  # noqa: N802
        """Nets that each return one feature unchanged."""
        units = [[float(index == number) for index in range(BATCHES)] for number in range(BATCHES)]
        nets = [{"in": [], "bias": [], "out": unit} for unit in units]
        made_by = f"{BATCHES * self.batch_size} random playouts of each position"
        header = {"made_by": made_by, "features": self.FEATURES, "mean": [0.0] * BATCHES, "scale": [1.0] * BATCHES}
        return msgspec.json.encode({**header, "nets": nets})

    def forced_winner(self, state: Any) -> Seat:
        """No seat: playouts prove nothing."""
        return ""

    def winning_turn(self, state: Any) -> Sequence[Command]:
        """No commands: playouts prove nothing."""
        return ()

    def features(self, state: Any) -> Mapping[Seat, Sequence[float]]:
        """The logarithm of each seat's share of the victories, by batch."""
        seats, seed = self.game.evolution.seats(state), position_digest(self.game, state)
        rng = Random(seed)
        batches = [self.shares(state, seats, rng) for _ in range(BATCHES)]
        means = {seat: fmean(batch[seat] for batch in batches) for seat in seats}
        spread_factor = sqrt(BATCHES - 1)
        return {
            seat: [log(max(means[seat] + (batch[seat] - means[seat]) / spread_factor, MIN_CHANCE)) for batch in batches]
            for seat in seats
        }

    def shares(self, state: Any, seats: Sequence[Seat], rng: Random) -> dict[Seat, float]:
        """Each seat's mean share of the victories in a batch of playouts."""
        seats_to_move = self.game.evolution.to_move(state)
        world = self.playouts.world(state, seats_to_move[0] if seats_to_move else "", rng)
        ends = [self.playouts.play(world, rng, self.playouts.max_commands) for _ in range(self.batch_size)]
        shares_by_end = [self.playouts.shares(end, seats) for end in ends]
        return {seat: fmean(end_shares[seat] for end_shares in shares_by_end) for seat in seats}


def leads_of(outcome: Outcome, seats: Sequence[Seat]) -> dict[Seat, float]:
    """By how many points each seat leads the best other one; 0 for scores that are not known."""
    scores = {seat: outcome.scores.get(seat) or 0 for seat in seats}
    return {
        seat: score - max((scores[other_seat] for other_seat in seats if other_seat != seat), default=0)
        for seat, score in scores.items()
    }


def logistic(number: float) -> float:
    """A number from 0 to 1, 1/2 for 0.

    >>> logistic(0)
    0.5
    """
    return 1 / (1 + exp(-max(-50.0, min(number, 50.0))))


def position_digest(game: Game, state: Any) -> str:
    """A short digest of a position: equal for equal positions, on any machine."""
    return blake2b(game.evolution.canonical(state), digest_size=8).hexdigest()
