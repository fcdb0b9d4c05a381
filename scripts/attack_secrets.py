"""Attacks hidden information: two games differ only in what is hidden, and no seat may find out which one it plays."""

from __future__ import annotations

import random

from attack_target import Breach, Report, Target

from tests.cli.conftest import Zim
from tests.cli.test_africana_hidden_cards import (
    COMMANDS,
    DEAL,
    deal_other_hidden_cards,
    output_without_digests,
    zim_after_moves,
)

WRITES = {"do", "undo", "goto", "fork", "amend", "pick", "export"}
VIEWER_OPTIONS = ("--as|italy|", "")


def secrecy(target: Target, tries: int, report: Report) -> None:
    """Compares all that a seat and a spectator can ask for, in two games with different hidden cards."""
    del target
    rng, requests = random.Random(11), [viewer_option + words for words in COMMANDS for viewer_option in VIEWER_OPTIONS]
    with zim_after_moves(DEAL) as dealt, zim_after_moves(deal_other_hidden_cards) as otherwise:
        if any(
            output_without_digests(dealt, f"--open|{words}|k") == output_without_digests(otherwise, f"--open|{words}|k")
            for words in ("show", "log")
        ):
            raise Breach("the two games do not differ: this attack shows nothing")
    # Commands that read share two games. Each command that may write gets two of its own.
    reads = [words for words in requests if not WRITES & set(words.split("|"))]
    sample = rng.sample(requests, min(tries, len(requests)))
    with zim_after_moves(DEAL) as dealt, zim_after_moves(deal_other_hidden_cards) as otherwise:
        for words in sample:
            if words in reads:
                report(common_answer(dealt, otherwise, words))
    for words in sample:
        if words not in reads:
            with zim_after_moves(DEAL) as dealt, zim_after_moves(deal_other_hidden_cards) as otherwise:
                report(common_answer(dealt, otherwise, words))


def common_answer(first: Zim, second: Zim, words: str) -> str:
    """Runs a command in both games. Returns what they have in common; raises `Breach` if they differ."""
    answer = output_without_digests(first, words)
    if answer != output_without_digests(second, words):
        raise Breach(f"zim {words.replace('|', ' ')} tells them apart")
    return "the same error" if answer[0] else "the same answer"
