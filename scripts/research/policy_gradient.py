"""A simple learner for the benchmark `zim_zimbabwe_v1.md`: a policy gradient with masks and self-play, in numpy alone.

One hidden layer reads the scaled observation; actions that are not legal have no chance. All seats play the same
policy. After every `BATCH_MATCHES` matches up to `STEPS_PER_SEAT` actions of each seat are reinforced by its return,
less the mean return of that seat. The deals are drawn from 2**62 seeds.

In other words: REINFORCE with a baseline.
"""

from __future__ import annotations

import time
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from zimcore.bots.bot import Choice, View
from zimcore.envs.env_match import Setting
from zimcore.envs.vector import VectorEnv

HIDDEN, LEARNING_RATE, SCALE = 64, 2e-3, 8
"""Hidden units; the learning rate of Adam; and what the inverse hyperbolic sine of an observation is divided by."""
MATCHES, BATCH_MATCHES, STEPS_PER_SEAT = 16, 16, 60
"""Matches side by side, ended matches for an update, and the actions of each seat that an update learns from, drawn at
random."""

Array = npt.NDArray[np.float32]


class Policy(NamedTuple):
    """The weights of a policy: into the hidden layer, its bias, and out of it."""

    into: Array
    bias: Array
    out: Array

    def hidden_layer(self, observations: Array) -> Array:
        """The hidden layer for observations."""
        return np.asarray(np.tanh(scale_observations(observations) @ self.into + self.bias), np.float32)

    def action_chances(self, observations: Array, masks: npt.NDArray[np.int8]) -> Array:
        """The chance of each action; 0 for those that are not in the mask."""
        values = np.where(masks, self.hidden_layer(observations) @ self.out, -np.inf)
        exponentials = np.exp(values - values.max(axis=1, keepdims=True))
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True), np.float32)

    def save(self, file: Path) -> None:
        """Writes the weights to a file."""
        np.savez_compressed(file, **self._asdict())


class TakenAction(NamedTuple):
    """An action that was taken: what was seen, the mask as bits, and the action."""

    observation: npt.NDArray[np.float16]
    mask: npt.NDArray[np.uint8]
    action: int


def scale_observations(observations: Array) -> Array:
    """Observations from -1 to 1."""
    return np.asarray(np.clip(np.arcsinh(observations) / SCALE, -1, 1), np.float32)


def draw_action(action_chances: Array, random_number: float) -> int:
    """The action for a random number from 0 to 1; rounding never leads to one without a chance.

    >>> [draw_action(np.array([0, 0.5, 0.5, 0], np.float32), number) for number in (0.4, 0.99999999)]
    [1, 2]
    """
    legal_actions = np.flatnonzero(action_chances)
    index = np.searchsorted(np.cumsum(action_chances[legal_actions]), random_number, side="right")
    return int(legal_actions[min(int(index), len(legal_actions) - 1)])


def new_policy(setting: Setting, seed: int) -> Policy:
    """A policy that plays almost at random."""
    rng = np.random.default_rng(seed)
    into = rng.normal(0, 1 / np.sqrt(setting.observation_size / 8), (setting.observation_size, HIDDEN))
    out = np.zeros((HIDDEN, setting.action_count))
    return Policy(*(np.asarray(weights, np.float32) for weights in (into, np.zeros(HIDDEN), out)))


def load_policy(file: Path) -> Policy:
    """The policy in a file."""
    with np.load(file) as arrays:
        return Policy(arrays["into"], arrays["bias"], arrays["out"])


def train(kind: str, seconds: float, seed: int, workers: int = 2) -> tuple[Policy, int]:
    """Learns for a number of seconds; returns the policy and the number of matches."""
    rng, match_count = np.random.default_rng(seed), 0
    with VectorEnv(kind, MATCHES, players=2, workers=workers) as environment:
        policy = new_policy(environment.setting, seed)
        adam = Adam(policy)
        environment.reset(seed)
        running_steps: list[tuple[list[TakenAction], list[TakenAction]]] = [([], []) for _ in range(MATCHES)]
        finished_episodes = list[tuple[list[TakenAction], int, float]]()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            action_chances = policy.action_chances(environment.observations, environment.masks)
            actions = [draw_action(each, rng.random()) for each in action_chances]
            for index, action in enumerate(actions):
                observation = environment.observations[index].astype(np.float16)
                running_steps[index][environment.players[index]].append(
                    TakenAction(observation, np.packbits(environment.masks[index]), action)
                )
            environment.step(actions)
            for index in np.flatnonzero(environment.ended).tolist():
                finished_episodes += [
                    (running_steps[index][seat], seat, float(environment.rewards[index][seat])) for seat in range(2)
                ]
                running_steps[index], match_count = ([], []), match_count + 1
            if len(finished_episodes) >= 2 * BATCH_MATCHES:
                adam.step(gradient(policy, finished_episodes, rng))
                finished_episodes = []
    return policy, match_count


def gradient(policy: Policy, episodes: list[tuple[list[TakenAction], int, float]], rng: np.random.Generator) -> Policy:
    """The direction in which actions that were followed by better returns become likelier."""
    mean_returns = [
        np.mean([seat_return for _, seat, seat_return in episodes if seat == of_seat] or [0]) for of_seat in range(2)
    ]
    steps, advantages = list[TakenAction](), list[float]()
    for steps_taken, seat, seat_return in episodes:
        sampled_indexes = rng.permutation(len(steps_taken))[:STEPS_PER_SEAT]
        steps += [steps_taken[index] for index in sampled_indexes]
        advantages += [seat_return - float(mean_returns[seat])] * len(sampled_indexes)
    observations = np.array([step.observation for step in steps], np.float32)
    masks = np.unpackbits(np.array([step.mask for step in steps]), axis=1, count=policy.out.shape[1]).view(np.int8)
    hidden, action_chances = policy.hidden_layer(observations), policy.action_chances(observations, masks)
    output_error = -action_chances
    output_error[np.arange(len(steps)), [step.action for step in steps]] += 1
    output_error *= np.array(advantages, np.float32)[:, None] / len(steps)
    hidden_error = (output_error @ policy.out.T) * (1 - hidden**2)
    return Policy(scale_observations(observations).T @ hidden_error, hidden_error.sum(axis=0), hidden.T @ output_error)


class Adam:
    """Steps along gradients, each weight at its own scale."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.count = policy, 0
        self.mean = [np.zeros_like(each) for each in policy]
        self.square = [np.zeros_like(each) for each in policy]

    def step(self, gradients: Policy) -> None:
        """Changes the policy in place."""
        self.count += 1
        for weights, weight_gradient, mean, square in zip(self.policy, gradients, self.mean, self.square, strict=True):
            mean += 0.1 * (weight_gradient - mean)
            square += 0.001 * (weight_gradient * weight_gradient - square)
            step_scale = np.sqrt(square / (1 - 0.999**self.count)) + 1e-8
            weights += LEARNING_RATE * mean / (1 - 0.9**self.count) / step_scale


class PolicyBot:
    """Plays by a policy: draws each action by its chance."""

    def __init__(self, policy: Policy, setting: Setting) -> None:
        self.policy, self.setting = policy, setting

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The command whose actions are drawn."""
        encoding, actions, command = self.setting.encoding, tuple[int, ...](), None
        while command is None:
            mask = self.setting.mask_array(encoding.mask(view.state, view.seat, actions))
            observation: Any = encoding.observe(view.state, view.seat, actions)
            action_chances = self.policy.action_chances(
                self.setting.observation_row(observation.planes, observation.figures)[None], mask[None]
            )[0]
            legal_actions = np.flatnonzero(mask)
            action = rng.choices(
                legal_actions.tolist(), [float(chance) + 1e-9 for chance in action_chances[legal_actions]]
            )[0]
            actions = (*actions, action)
            command = encoding.command(view.state, view.seat, actions)
        return Choice(command, "drawn by a policy")
