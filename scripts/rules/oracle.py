"""Plays the rules against a second, simple simulator of each game, and compares everything that both say.

The simulators are `tests/oracle/zimbabwe.py` and `africana.py`: they share no code with the engine.
`tests/oracle/compare.py` defines what is compared. One of the tests is a short run with a new seed each time; this is
the long one. Every run prints its seed, and `--seed` plays the same games again, as far as the time allows. A
difference also prints the number of its game, which `--repeat` plays alone. Exits with 1 if there is a difference.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.queues import Queue
from random import Random
from time import monotonic

from tests.oracle.compare import MAX_MOVES, DifferenceError, Tally, play_random_game, run_campaign, shrink
from tests.oracle.planted_faults import faults, try_fault
from tests.oracle.tables import TABLES

LISTING_SHARE = 0.005
"""How often the complete lists are compared: they take as long as some hundred commands."""
REPORT_INTERVAL = 15
"""Seconds between two lines about the progress."""


def run_job(
    game: str, seed: int, seconds: float, max_differences: int, updates: Queue[tuple[int, Tally, bool]], number: int
) -> None:
    """A process that plays. It puts its tally into the queue from time to time, and the final one at the end."""
    deadline, last_report = monotonic() + seconds, [monotonic()]

    def report(tally: Tally) -> None:
        if monotonic() > last_report[0] + REPORT_INTERVAL:
            last_report[0] = monotonic()
            updates.put((number, tally, False))

    final_tally = run_campaign(
        TABLES[game],
        seed,
        is_enough=lambda _: monotonic() > deadline,
        listing_share=LISTING_SHARE,
        max_differences=max_differences,
        report=report,
    )
    final_tally.differences = [shrink(TABLES[game], difference, 60) for difference in final_tally.differences]
    updates.put((number, final_tally, True))


def run_jobs(game: str, arguments: Namespace, seconds: float) -> Iterator[Tally]:
    """Yields what all processes have compared so far, again and again; the last one is complete."""
    context = get_context("spawn")
    updates: Queue[tuple[int, Tally, bool]] = context.Queue()
    seeds = Random(f"{arguments.seed} {game}")
    processes = [
        context.Process(target=run_job, args=(game, seeds.getrandbits(48), seconds, arguments.most, updates, number))
        for number in range(arguments.jobs)
    ]
    for process in processes:
        process.start()
    latest_tallies: dict[int, Tally] = {}
    ended_count = 0
    while ended_count < len(processes):
        number, tally, is_final = updates.get()
        latest_tallies[number] = tally
        ended_count += is_final
        yield sum(latest_tallies.values(), Tally())
    for process in processes:
        process.join()


def play_games(arguments: Namespace) -> int:
    """Plays, and prints progress and results. Returns the number of differences."""
    games = [arguments.game] if arguments.game else list(TABLES)
    seconds, differences = 60 * arguments.minutes / len(games), 0
    print(f"seed {arguments.seed}: the same again with --seed {arguments.seed}", flush=True)
    for game in games:
        started_at, last_report, tally = monotonic(), monotonic(), Tally()
        for tally in run_jobs(game, arguments, seconds):
            if monotonic() > last_report + REPORT_INTERVAL:
                last_report = monotonic()
                print(f"{(last_report - started_at) / 60:5.1f} min  {game}: {tally}", flush=True)
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in tally.decisions_by_kind.most_common())
        print(f"{game}: {tally}", f"  played: {kinds}", sep="\n", flush=True)
        for difference in tally.differences:
            print(f"\n{game} --repeat {difference.seed}, as short as it was found:\n{difference}", flush=True)
        differences += len(tally.differences)
    return differences


def replay_difference(game: str, seed: int) -> int:
    """Plays one game again, with all lists at every position, and prints the result."""
    tally = Tally()
    try:
        play_random_game(TABLES[game], seed, tally, MAX_MOVES, 1)
    except DifferenceError as difference:
        tally.differences.append(shrink(TABLES[game], difference, 60))
    print(*tally.differences, f"{game}: {tally}", sep="\n")
    return len(tally.differences)


def run_planted_faults(games: list[str], seed: int) -> int:
    """Plants faults one by one, and prints which are found. Returns how many are not."""
    missed_count = 0
    for game in games:
        all_faults = faults(game)
        found_count = 0
        for fault in all_faults:
            result = try_fault(fault, seed)
            found_count += result.is_found
            outcome = "found" if result.is_found else "MISSED"
            print(f"{outcome:<6} {result.decisions:>7,} decisions  {game}: {fault.description}")
            if result.is_found:
                print(f"       {result.difference[:200]}", flush=True)
        print(f"{game}: {found_count} of {len(all_faults)} found", flush=True)
        missed_count += len(all_faults) - found_count
    return missed_count


def main() -> int:
    """Reads the arguments and plays."""
    parser = ArgumentParser("oracle", description="Plays the rules against a second, simple simulator of each game.")
    parser.add_argument("--minutes", type=float, default=2, help="how long, for all games together (default 2)")
    parser.add_argument("--game", choices=list(TABLES), help="only this one (default: each, one after the other)")
    parser.add_argument("--seed", type=int, help="plays the same games again (default: drawn, and said)")
    parser.add_argument("--jobs", type=int, default=1, help="processes that play at once (default 1)")
    parser.add_argument("--most", type=int, default=1, help="differences after which a process ends (default 1)")
    parser.add_argument("--repeat", type=int, metavar="NUMBER", help="plays the one game again that has this number")
    parser.add_argument("--planted", action="store_true", help="plants faults in the engine, and sees each found")
    arguments = parser.parse_args()
    if arguments.repeat is not None:
        if not arguments.game:
            parser.error("--repeat is the number of a game: say of which, with --game")
        return 1 if replay_difference(arguments.game, arguments.repeat) else 0
    if arguments.seed is None:
        arguments.seed = Random().getrandbits(32)
    if arguments.planted:
        print(f"seed {arguments.seed}: the same again with --seed {arguments.seed}", flush=True)
        return 1 if run_planted_faults([arguments.game] if arguments.game else list(TABLES), arguments.seed) else 0
    return 1 if play_games(arguments) else 0


if __name__ == "__main__":
    sys.exit(main())
