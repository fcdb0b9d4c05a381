"""Attacks hidden information: two games differ only in what is hidden, and no seat may find out which one it plays."""

from __future__ import annotations

import random

from scripts.attacks.attack_target import Breach, ReportOutcome, Target
from tests.cli.conftest import Zim
from tests.cli.test_africana_hidden_cards import (
    COMMANDS,
    ORIGINAL_DEAL,
    deal_other_hidden_cards,
    output_without_digests,
    zim_after_moves,
)

WRITING_COMMANDS = {"do", "undo", "goto", "fork", "amend", "pick", "export"}
VIEWER_OPTIONS = ("--as|italy|", "")
"""A seat and a spectator, as the beginning of a command; `|` is between words."""


def compare_hidden_cards(target: Target, tries: int, report: ReportOutcome) -> None:
    """Compares all that a seat and a spectator can ask for, in two games with different hidden cards."""
    del target
    requests = [option + command for command in COMMANDS for option in VIEWER_OPTIONS]
    with zim_after_moves(ORIGINAL_DEAL) as first_zim, zim_after_moves(deal_other_hidden_cards) as second_zim:
        full_view_requests = ("--open|show|k", "--open|log|k")
        if any(
            output_without_digests(first_zim, request) == output_without_digests(second_zim, request)
            for request in full_view_requests
        ):
            raise Breach("the two games do not differ: this attack shows nothing")
    # Commands that read share two games. Each command that may write gets two of its own.
    reading_requests = [request for request in requests if not WRITING_COMMANDS & set(request.split("|"))]
    sample = random.Random(0).sample(
        requests, min(tries, len(requests))
    )  # among the first eight, one sees a drawn card
    with zim_after_moves(ORIGINAL_DEAL) as first_zim, zim_after_moves(deal_other_hidden_cards) as second_zim:
        for request in sample:
            if request in reading_requests:
                report(check_same_answer(first_zim, second_zim, request))
    for request in sample:
        if request not in reading_requests:
            with zim_after_moves(ORIGINAL_DEAL) as first_zim, zim_after_moves(deal_other_hidden_cards) as second_zim:
                report(check_same_answer(first_zim, second_zim, request))


def check_same_answer(first_zim: Zim, second_zim: Zim, request: str) -> str:
    """Runs a command in both games. Returns in words whether both failed; raises `Breach` if they differ."""
    answer = output_without_digests(first_zim, request)
    if answer != output_without_digests(second_zim, request):
        raise Breach(f"zim {request.replace('|', ' ')} tells them apart")
    return "the same error" if answer[0] else "the same answer"
