"""The levels of bots, from `random` to `strong`. `deep` has a module of its own.

`nodes` is how many positions a bot may search for one command. The same view, random numbers and nodes give the same
command.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from operator import mul
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from zimcore.bots.bot import Bot, Choice, View
from zimcore.chances import WINS_BY_FORCE, chance_values, winning_turn
from zimcore.game import Command, Game, GameError, RatedStrategy, Seat, Strategy
from zimcore.toolkit.monte_carlo import MAX_WORLDS, STEP_NODES, Candidate, MonteCarloStrategy, PlayoutChances
from zimcore.toolkit.words import numbered

ONLY_CANDIDATE_REASON = "nothing else is worth trying"
VICTORY_WORTH = 50.0
"""The worth of a victory, added to the points by which a seat leads."""
CHANCE_SHORTLIST, LEAD_SHORTLIST = (8, 6.0), (5, 4.0)
"""For `strong`: the most commands that it judges by chances or plays out, and how much less they may be worth than the
best one."""
STRONG_NODES = 4_000
"""The default number of positions for a command of `strong`."""
MAX_ROUND_PLAYOUTS = 4
"""With more than two players, after how many commands at most `strong` plays a turn of every seat: these are long."""
PLAYOUT_TURNS = 20
"""The turns of each seat in a playout that is judged by the lead, as there are no learned chances."""
PLAYOUT_NODES, STRONG_PLAYOUT_NODES = 1_000, 5_000
"""The default number of positions for a command of `quick` and `strong` in games without a strategy of their own."""
PLAYOUT_POSITIONS_PER_NODE = 20
"""A random playout passes about so many positions in the time in which `quick` judges one."""
WINNING_LEAD = VICTORY_WORTH - 10
"""Only a victory gives such a lead, so that the search can stop."""
SAMPLED_WORLDS, HIDDEN_PLAYOUT_TURNS = 3, 3
"""Where cards are hidden: how many worlds are sampled, and the turns of each seat in a playout."""


class RandomBot:
    """Plays any legal command."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """Draws a legal command without listing them. Raises `GameError` if there is none."""
        command = view.game.rules.legal(view.state, view.seat).sample(rng)
        if command is None:
            raise GameError(f"{view.seat} can't play", "no command is legal")
        return Choice(command, "drawn at random")


class SlippingBot:
    """Plays like another bot, and now and then a random candidate."""

    def __init__(self, bot: Bot, slip_share: float) -> None:
        self.bot = bot
        self.slip_share = slip_share

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The other bot's choice, or a random candidate."""
        if rng.random() < self.slip_share:
            plans = list(strategy_of(view.game).candidates(view.state, view.seat))
            return Choice(rng.choice(plans)[0], "drawn: a slip")
        return self.bot.choose(view, nodes, rng)


class WeakenedBot:
    """Slips as often as `strong` must for a rating. It searches as many positions as the other bot."""

    def __init__(self, bot: Bot, elo: int) -> None:
        self.bot = bot
        self.elo = elo

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The other bot's choice, or a slip. Raises `GameError` for a rating that was not measured in the game."""
        return SlippingBot(self.bot, share_of_slips(view.game, self.elo)).choose(view, nodes, rng)


class PeerBot:
    """Plays the game's baseline, a simple rule that is never tuned."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The command of the baseline."""
        return Choice(strategy_of(view.game).baseline(view.state, view.seat), "by the rule of the baseline")


class TriedPlan(NamedTuple):
    """A plan that was tried: the worth of the position after it, its first command, that position, all its commands.

    `nodes_searched` is how many positions were searched for it.
    """

    value: float
    command: Command
    next_state: Any
    commands: Sequence[Command] = ()
    nodes_searched: int = 1


class QuickBot:
    """Plays the best next command by a tuned evaluation."""

    def __init__(self, weights: Sequence[float] | None = None) -> None:
        self.weights = weights

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The candidate with the best position after it."""
        if isinstance(strategy := strategy_of(view.game), MonteCarloStrategy):
            return search_by_playouts(strategy, view, nodes or PLAYOUT_NODES)
        candidates = self.evaluate_candidates(view.game, view.state, view.seat, nodes)
        best_plan = first_best(candidates)
        return Choice(best_plan.command, f"best of {len(candidates)}" if len(candidates) > 1 else ONLY_CANDIDATE_REASON)

    def weights_for(self, strategy: Strategy) -> Sequence[float]:
        """The weights of the features: the bot's own, or those of the game."""
        return self.weights or weight_row(strategy)

    def evaluate_candidates(self, game: Game, state: Any, seat: Seat, nodes: int = 0) -> list[TriedPlan]:
        """The worth of the first `nodes` candidates (of all for 0), in the game's order.

        Without a strategy of the game's own, they are searched by random playouts of `nodes` positions.
        """
        strategy = strategy_of(game)
        if isinstance(strategy, MonteCarloStrategy):
            plans = strategy.search(state, seat, nodes or STEP_NODES)
            return [to_tried_plan(strategy, state, seat, candidate) for candidate in plans]
        weights = self.weights_for(strategy)
        features, candidates = strategy.features, list[TriedPlan]()
        for plan in islice(strategy.candidates(state, seat), nodes or None):
            next_state = state_after(game, state, seat, plan)
            candidates.append(TriedPlan(sum(map(mul, weights, features(next_state, seat))), plan[0], next_state, plan))
        return candidates


class StrongBot:
    """After each of the best candidates, finishes its turn and plays a turn of every seat with `quick`; then takes the
    candidate with the best learned chance.

    With more than two players, it first keeps the candidates that are best at the end of its own turn. Without
    learned chances, and where cards are hidden, it plays many turns and judges by the lead. The search stops at a
    candidate that wins.
    """

    def __init__(self, quick: QuickBot | None = None) -> None:
        self.quick = quick or QuickBot()

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The candidate with the best chance, or the largest lead, after its playouts."""
        game, seat, state = view.game, view.seat, view.state
        if isinstance(strategy := strategy_of(game), MonteCarloStrategy):
            return search_by_playouts(strategy, view, nodes or STRONG_PLAYOUT_NODES)
        if commands := winning_turn(game, state, seat):
            return Choice(commands[0], WINS_BY_FORCE)
        candidates = self.quick.evaluate_candidates(game, state, seat)
        uses_chances = strong_judges_by_chances(game)
        max_plans, margin = CHANCE_SHORTLIST if uses_chances else LEAD_SHORTLIST
        ordered_plans = drop_alike(vary_kinds(candidates)) if uses_chances else vary_kinds(candidates)
        shortlist = [plan for plan in ordered_plans[:max_plans] if plan.value >= ordered_plans[0].value - margin]
        if len(shortlist) == 1:
            return Choice(shortlist[0].command, ONLY_CANDIDATE_REASON)
        worlds = sample_worlds(view, rng)
        nodes_searched = len(candidates)
        judged_plans = list[tuple[float, TriedPlan]]()
        if uses_chances and len(game.evolution.seats(state)) > 2 and len(shortlist) > MAX_ROUND_PLAYOUTS:
            shortlist, plan_nodes = self.keep_best_plans(view, shortlist, (nodes or STRONG_NODES) - nodes_searched)
            nodes_searched += plan_nodes
        for plan in shortlist:
            # All candidates meet the same worlds, so that none wins by better luck.
            next_states = (
                [plan.next_state]
                if uses_chances
                else [state_after(game, world, seat, plan.commands) for world in worlds]
            )
            evaluations = [self.evaluate(game, next_state, seat) for next_state in next_states]
            value = fmean(value for value, _ in evaluations)
            nodes_searched += sum(node_count for _, node_count in evaluations)
            judged_plans.append((value, plan))
            if value >= (1.0 if uses_chances else WINNING_LEAD) or nodes_searched >= (nodes or STRONG_NODES):
                break
        value, best_plan = max(judged_plans, key=lambda judged_plan: judged_plan[0])
        value_text = f"value {value:.0%}" if uses_chances else f"{value:+.0f} against the others"
        return Choice(
            best_plan.command, f"best of {len(judged_plans)} after {numbered(nodes_searched, 'position')}, {value_text}"
        )

    def keep_best_plans(self, view: View, plans: Sequence[TriedPlan], nodes: int) -> tuple[list[TriedPlan], int]:
        """The plans with the best chances after `quick` has finished the turn, and the number of positions searched.

        Their `next_state` becomes the position at the end of the turn. A plan that wins is the only one.
        """
        game, seat, nodes_searched, judged_plans = view.game, view.seat, 0, list[tuple[float, TriedPlan]]()
        for tried_plan in plans:
            end_state, plan_nodes = play_out(game, tried_plan.next_state, seat, self.quick, 0)
            value, nodes_searched = chance_values(game, end_state)[seat], nodes_searched + plan_nodes + 1
            finished_plan = tried_plan._replace(next_state=end_state)
            if value >= 1.0:
                return [finished_plan], nodes_searched
            judged_plans.append((value, finished_plan))
            if nodes_searched >= nodes:
                break
        best_plans = sorted(judged_plans, key=lambda judged_plan: -judged_plan[0])[:MAX_ROUND_PLAYOUTS]
        return [plan for _, plan in best_plans], nodes_searched

    def evaluate(self, game: Game, state: Any, seat: Seat) -> tuple[float, int]:
        """The worth of a position for a seat that is in its turn, and the number of positions searched."""
        if strong_judges_by_chances(game):
            end_state, nodes_searched = play_out(game, state, seat, self.quick, 1)
            return chance_values(game, end_state)[seat], nodes_searched + 1
        end_state, nodes_searched = play_out(game, state, seat, self.quick)
        return lead_of(game, end_state, seat, self.quick), nodes_searched


def share_of_slips(game: Game, elo: int) -> float:
    """The share of slips for a rating, between those measured. Raises `GameError` if it is beyond them, or none was."""
    strategy = strategy_of(game)
    if not isinstance(strategy, RatedStrategy):
        raise GameError(f"strong:elo={elo} is not for {game.title}", "its ratings were not measured there", ["strong"])
    measured_slips = sorted(strategy.SLIPS.items())
    weakest_elo, strongest_elo = measured_slips[0][0], measured_slips[-1][0]
    if not weakest_elo <= elo <= strongest_elo:
        nearest_bot = f"strong:elo={min(max(elo, weakest_elo), strongest_elo)}"
        raise GameError(
            f"no such rating: {elo}", f"in {game.title} they go from {weakest_elo} to {strongest_elo}", [nearest_bot]
        )
    (low_elo, low_elo_share), (high_elo, high_elo_share) = next(
        pair for pair in pairwise(measured_slips) if elo <= pair[1][0]
    )
    return low_elo_share + (high_elo_share - low_elo_share) * (elo - low_elo) / (high_elo - low_elo)


def search_by_playouts(strategy: MonteCarloStrategy, view: View, nodes: int) -> Choice:
    """The best command by random playouts of about `nodes` positions."""
    plans = strategy.search(view.state, view.seat, nodes)
    if len(plans) == 1:
        return Choice(plans[0].command, ONLY_CANDIDATE_REASON)
    best_plan, tries = plans[0], sum(plan.tries for plan in plans)
    nodes_searched = sum(plan.nodes_searched for plan in plans)
    model_note = ", by what was learned" if strategy.playouts.learned_model else ""
    effort = f"{numbered(tries, 'playout')}, {numbered(nodes_searched, 'position')}"
    impossible_worlds = strategy.impossible_worlds(view.state, view.seat)
    world_note = (
        f"; {impossible_worlds} of {MAX_WORLDS} imagined deals can't be: zim check" if impossible_worlds else ""
    )
    why = f"best of {len(plans)} after {effort}, value {best_plan.value:.0%}{model_note}{world_note}"
    return Choice(best_plan.command, why)


def to_tried_plan(strategy: MonteCarloStrategy, state: Any, seat: Seat, candidate: Candidate) -> TriedPlan:
    """A candidate of a search as a plan that was tried."""
    value, next_state = strategy.WEIGHTS["chance"] * candidate.value, strategy.state_after(state, seat, candidate)
    return TriedPlan(
        value,
        candidate.command,
        next_state,
        (candidate.command,),
        max(1, candidate.nodes_searched // PLAYOUT_POSITIONS_PER_NODE),
    )


def play_out(game: Game, state: Any, seat: Seat, quick: QuickBot, turns: int | None = None) -> tuple[Any, int]:
    """The position after `quick` has played at every seat, or at the end, and the number of positions searched.

    It finishes the turn of `seat`, then plays `turns` turns of each seat; by default many.
    """
    if turns is None:
        turns = HIDDEN_PLAYOUT_TURNS if game.secrets else PLAYOUT_TURNS
    nodes_searched, current_seat, turns_left = 0, seat, turns * len(game.evolution.seats(state))
    while to_move := game.evolution.to_move(state):
        if to_move[0] != current_seat:
            if not turns_left:
                break
            current_seat, turns_left = to_move[0], turns_left - 1
        candidates = quick.evaluate_candidates(game, state, current_seat)
        nodes_searched += positions_searched(candidates)
        state = first_best(candidates).next_state
    return state, nodes_searched


def sample_worlds(view: View, rng: Random) -> list[Any]:
    """Positions that agree with what a seat knows: several samples if the game hides something, otherwise one."""
    secrets, apply = view.game.secrets, view.game.rules.apply
    if secrets is None:
        return [view.state]
    return [apply(view.state, "", secrets.redeal(view.seat, rng.getrandbits(32))).state for _ in range(SAMPLED_WORLDS)]


def state_after(game: Game, state: Any, seat: Seat, plan: Sequence[Command]) -> Any:
    """The position after all commands of a plan."""
    for command in plan:
        state = game.rules.apply(state, seat, command).state
    return state


def lead_of(game: Game, state: Any, seat: Seat, quick: QuickBot) -> float:
    """A seat's lead over the best other, by the worth of the position for each; a victory adds `VICTORY_WORTH`."""
    outcome = game.evolution.outcome(state)
    if outcome.over:
        score_by_seat = {other_seat: score or 0 for other_seat, score in outcome.scores.items()}
        return VICTORY_WORTH * (seat in outcome.winners) + score_by_seat.pop(seat) - max(score_by_seat.values())
    strategy = strategy_of(game)
    weights = quick.weights_for(strategy)
    worth_by_seat = {
        other_seat: sum(map(mul, weights, strategy.features(state, other_seat)))
        for other_seat in game.evolution.seats(state)
    }
    return float(worth_by_seat.pop(seat) - max(worth_by_seat.values()))


def vary_kinds(candidates: Sequence[TriedPlan]) -> list[TriedPlan]:
    """The best plan of each kind of command first, then the others, so that similar ones come late."""
    ordered_plans = sorted(candidates, key=lambda plan: -plan.value)
    best_by_kind = {type(plan.command): plan for plan in reversed(ordered_plans)}
    best_plans = sorted(best_by_kind.values(), key=lambda plan: -plan.value)
    return [*best_plans, *(plan for plan in ordered_plans if plan is not best_by_kind[type(plan.command)])]


def drop_alike(ordered_plans: Sequence[TriedPlan]) -> list[TriedPlan]:
    """The first of equally good commands of a kind: most of these are neighbouring squares."""
    plan_by_kind_and_value = dict[tuple[type[Command], float], TriedPlan]()
    for plan in ordered_plans:
        plan_by_kind_and_value.setdefault((type(plan.command), plan.value), plan)
    return list(plan_by_kind_and_value.values())


def positions_searched(candidates: Sequence[TriedPlan]) -> int:
    """The positions that were searched for some plans."""
    return sum(candidate.nodes_searched for candidate in candidates)


def chances_cost(game: Game) -> int:
    """What playouts for the chances of a position cost, in positions; 0 for a trained model, which needs none."""
    return game.chances.positions // PLAYOUT_POSITIONS_PER_NODE if isinstance(game.chances, PlayoutChances) else 0


def has_learned_chances(game: Game) -> bool:
    """Whether a game has a trained model of the chances. Random playouts do not count."""
    return game.chances is not None and not isinstance(game.chances, PlayoutChances)


def strong_judges_by_chances(game: Game) -> bool:
    """Whether `strong` judges by chances: it was measured only where nothing is hidden."""
    return has_learned_chances(game) and game.secrets is None


def first_best(candidates: Sequence[TriedPlan]) -> TriedPlan:
    """The plan with the highest worth, the first of several."""
    return max(candidates, key=lambda candidate: candidate.value)


def strategy_of(game: Game) -> Strategy:
    """The game's strategy. Raises `GameError` if it has none."""
    if game.strategy is None:
        raise GameError(f"no bot can play {game.title} well", "it has no strategy", ["random"])
    return game.strategy


def weight_row(strategy: Strategy) -> Sequence[float]:
    """The weights in the order of the features."""
    return [strategy.WEIGHTS.get(name, 0.0) for name in strategy.FEATURES]
