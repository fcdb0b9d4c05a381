"""What `zim audit --repair` finds in logs that were damaged on purpose.

Of each log one move is doubled, swapped with its neighbour, misspelt by a slip of the finger, or dropped. Damages after
which all lines are still legal are counted apart and drawn again: no rule tells them. The moves are those of recorded
games, from the files that ZIM_RECORDINGS names (as `games_bot.jsonl:games_mixed.jsonl`), or else from tests/games.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from measure import ROOT, recordings
from recordings import documents, replayed, scripted

from zimcore.documents.audits import Proposal
from zimcore.game import Game
from zimcore.games.registry import GAMES
from zimcore.service import game as load
from zimcore.transcripts.audit_documents import proposal
from zimcore.transcripts.log_lines import LogLine
from zimcore.transcripts.repair import repairs
from zimcore.transcripts.typos import KEYS
from zimcore.transcripts.verdicts import round_of, verdicts

LOGS, SEED, ATTEMPTS = 400, 1601, 50
DAMAGES = ("doubled", "swapped", "misspelt", "dropped")


class Recorded(NamedTuple):
    """A game: the position after its set-up, and of each move the seat, the text and the round."""

    begin: Any
    moves: list[tuple[str, str, str]]


class Damaged(NamedTuple):
    """A log with one fault, its index, and how many were drawn before in which nothing is illegal."""

    begin: Any
    lines: tuple[LogLine, ...]
    whole: tuple[LogLine, ...]
    move: tuple[str, str, str]
    unseen: int


def bench(folder: Path) -> None:
    """Damages and repairs logs, with the seats beside the moves and without, and prints a table of each."""
    del folder
    paths = recordings()
    for seats in (True, False):
        print(f"{LOGS} damaged logs, {'with' if seats else 'without'} seats")
        with ProcessPoolExecutor(os.cpu_count() or 1, initializer=begin, initargs=(paths,)) as pool:
            jobs = [(kind, SEED + number, seats) for number, kind in product(range(LOGS // len(DAMAGES)), DAMAGES)]
            found = list(pool.map(judged, *zip(*jobs, strict=True), chunksize=4))
        sys.stdout.writelines(f"  {line}\n" for line in table([kind for kind, *_ in jobs], found))


GAMES_READ: list[Recorded] = []
"""In a worker: the games that logs are made of."""


def begin(paths: Sequence[str]) -> None:
    """Reads the games."""
    GAMES_READ[:] = recorded(load("zimbabwe", GAMES), paths)


def recorded(game: Game, paths: Sequence[str]) -> list[Recorded]:
    """The games of recordings, or else those in tests/games."""
    scripts = sorted((ROOT / "tests" / "games").glob("*.zim"))
    every = map(replayed, documents([*paths])) if paths else (scripted(path.read_text("utf-8")) for path in scripts)
    return [
        Recorded(moves[0][0], [(seat, game.notation.format(asked), round_of(game, at)) for at, seat, asked in moves])
        for moves, _ in every
    ]


def damaged(game: Game, games: Sequence[Recorded], kind: str, rng: Random, *, seats: bool) -> Damaged:
    """A log with a damage that the rules can tell."""
    for unseen in range(ATTEMPTS):
        match = rng.choice(games)
        at = rng.randrange(len(match.moves) - 1)
        whole = tuple(LogLine(nth, text, seat if seats else "") for nth, (seat, text, _) in enumerate(match.moves, 1))
        lines = (*whole[:at], *instead(kind, whole, at, rng), *whole[at + (2 if kind == "swapped" else 1) :])
        if not all(each.verdict in ("legal", "ambiguous") for each in verdicts(game, match.begin, lines)):
            return Damaged(match.begin, lines, whole, match.moves[at], unseen)
    raise RuntimeError(f"{ATTEMPTS} damages in a row left all lines legal")


def instead(kind: str, whole: Sequence[LogLine], at: int, rng: Random) -> Sequence[LogLine]:
    """What stands where a line did, after one damage; where it is swapped, in the place of two."""
    line = whole[at]
    match kind:
        case "doubled":
            return line, line
        case "swapped":
            return whole[at + 1], line
        case "misspelt":
            return [LogLine(line.number, slipped(line.text, rng), line.seat)]
    return ()


def slipped(text: str, rng: Random) -> str:
    """A text with one slip: a letter is left out, doubled, swapped with the next one, or the key beside it."""
    at = rng.choice([at for at, char in enumerate(text) if char.isalnum()])
    before, char, after = text[:at], text[at], text[at + 1 :]
    row = next((row for row in KEYS if char in row), char)
    beside = [row[place] for place in (row.index(char) - 1, row.index(char) + 1) if 0 <= place < len(row)]
    made = rng.choice(("", char * 2, after[:1] + char, rng.choice(beside or [char])))
    return before + made + (after[1:] if len(made) == 2 and made[1] == char != made[0] else after)


def judged(kind: str, seed: int, seats: bool) -> Counter[str]:
    """What came of one log."""
    game = load("zimbabwe", GAMES)
    return repaired(game, damaged(game, GAMES_READ, kind, Random(f"{kind}{seed}"), seats=seats))


def repaired(game: Game, log: Damaged) -> Counter[str]:
    """What the proposals for a log are worth."""
    start = perf_counter()
    found = repairs(game, log.begin, log.lines)
    seconds = perf_counter() - start
    whole = [(line.seat, line.text) for line in log.whole]
    same = [[(line.seat, line.text) for line in each.lines] == whole for each in found]
    told = [proposal(each, ()) for each in found]
    seat, text, round_ = log.move
    return Counter(
        {
            "logs": 1,
            "unseen": log.unseen,
            "first": same[:1] == [True],
            "gap": any((seat, round_) == put[:2] for put in put_in(told[:1])),
            "five": any((seat, round_, text) == put for put in put_in(told)),
            "milliseconds": round(1000 * seconds),
        }
    )


def put_in(told: Sequence[Proposal]) -> Iterator[tuple[str, str, str]]:
    """The seat, the round and the text of each line that is said to be missing."""
    changes = (change for each in told for change in each.changes if change.kind == "put in")
    return ((change.seat, change.round, change.text) for change in changes)


def table(kinds: Sequence[str], found: Sequence[Counter[str]]) -> Iterator[str]:
    """A line for each kind of damage."""
    heads = ("logs", "original first", "gap named", "in first five", "seconds", "unseen")
    yield f"{'damage':<10} {heads[0]:>5} {heads[1]:>15} {heads[2]:>10} {heads[3]:>14} {heads[4]:>8} {heads[5]:>7}"
    for kind in DAMAGES:
        sums: Counter[str] = sum((each for name, each in zip(kinds, found, strict=True) if name == kind), Counter())
        logs = max(sums["logs"], 1)
        share = {name: f"{100 * sums[name] / logs:.0f} %" for name in ("first", "gap", "five")}
        gap, five = (share["gap"], share["five"]) if kind == "dropped" else ("", "")
        seconds = f"{sums['milliseconds'] / logs / 1000:.2f}"
        yield f"{kind:<10} {sums['logs']:>5} {share['first']:>15} {gap:>10} {five:>14} {seconds:>8} {sums['unseen']:>7}"
