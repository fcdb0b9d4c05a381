"""Replays games that an independent engine recorded, through our rules and store, and compares every step.

The service plays each document in a store. After every step, our position is written as the recorder's kind of digest.
Deviations named in a document are known faults of its recorder: those games are left out.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from scripts.rules.recorded_checks import CHECKS, INEXPRESSIBLE_KINDS, Check, Positions, Row
from scripts.rules.transcribe import script
from tests.recordings import Digest, Document, UnreadableError, command, digest, documents, options, steps
from zimcore.game import Refused
from zimcore.service import open_service

T = TypeVar("T")


def replay(document: Document) -> tuple[int, str | None]:
    """Plays a document's game. Returns how many steps agree, and the first difference."""
    service = open_service("memory:")
    position = service.new("zimbabwe", options(document), by="recorder")
    line, expected_digest = f"{position.match}/{position.line}", dict(document["start"])
    if difference := _difference(expected_digest, digest(position.state)):
        return 0, f"{document['id']} start: {difference}"
    for step in steps(document):
        expected_digest |= step.changes
        parsed_command = command(position.state, step.action, is_hire=step.is_hire)
        location = f"{document['id']} step {step.number}, {step.seat} {position.game.notation.format(parsed_command)}"
        position_after = service.play(line, parsed_command, by="recorder", seat=step.seat)
        if isinstance(position_after, Refused):
            return step.number - 1, f"{location}: {_refusal_text(position_after)}"
        if difference := _difference(expected_digest, digest(position_after.state)):
            return step.number - 1, f"{location}: {difference}"
        position = position_after
    return len(document["steps"]), _result_difference(document, expected_digest)


def _refusal_text(refusal_answer: Refused) -> str:
    return f"refused, {'; '.join(f'{refusal.code} {refusal.reason}' for refusal in refusal_answer.refusals)}"


def _difference(expected: Digest, actual: Digest) -> str | None:
    for key, value in expected.items():
        if actual[key] != value:
            return f"{key} is {actual[key]}, recorded {value}"
    return None


def _result_difference(document: Document, last_digest: Digest) -> str | None:
    result = document["result"]
    if result["over"] and last_digest["winner"] != result["winner_default"]:
        return f"{document['id']} result: winner {last_digest['winner']}, recorded {result['winner_default']}"
    return None


def print_comparison(games: list[Document], rows: list[Row]) -> int:
    """Prints the differences and totals. Returns 0 only if everything agrees."""
    comparable_games = [game for game in games if not game.get("deviation")]
    with ProcessPoolExecutor() as pool:
        results = list(with_progress(pool.map(replay, comparable_games, chunksize=2), len(comparable_games), "games"))
    differences = [difference for _, difference in results if difference]
    print(*differences, sep="\n", end="\n" if differences else "")
    if games:
        step_count = sum(step_count for step_count, _ in results)
        excluded_note = (
            f", {len(games) - len(comparable_games)} left out for a named deviation"
            if len(games) > len(comparable_games)
            else ""
        )
        same_count = len(comparable_games) - len(differences)
        print(f"{same_count} of {len(comparable_games)} games agree, {step_count} steps compared{excluded_note}")
    failures = len(differences) + sum(
        print_check(name, compare_row, rows_with_key(rows, key), games) for key, (name, compare_row) in CHECKS.items()
    )
    return 1 if failures or not comparable_games + rows else 0


def rows_with_key(rows: list[Row], key: str) -> list[Row]:
    """The rows with this key, which identifies their kind."""
    return [row for row in rows if key in row]


def print_check(name: str, compare_row: Check, rows: list[Row], games: list[Document]) -> int:
    """Checks rows of one kind. Returns how many differ or can't be checked."""
    if not rows:
        return 0
    positions = Positions(games)
    missing_games = {row["game"] for row in rows if "game" in row and not positions.has(row["game"])}
    differences = [f"the game {game} is not among the files" for game in sorted(missing_games)]
    known_rows = [row for row in rows if row.get("game") not in missing_games]
    comparable_rows = [row for row in known_rows if row.get("kind") not in INEXPRESSIBLE_KINDS]
    results = [compare_row(row, positions) for row in with_progress(comparable_rows, len(comparable_rows), name)]
    differences += [difference for difference in results if difference]
    print(*differences, sep="\n", end="\n" if differences else "")
    excluded_count = len(known_rows) - len(comparable_rows)
    note = (
        f", {excluded_count} left out: between taking and using a specialist, which is one command of ours"
        if excluded_count
        else ""
    )
    print(f"{results.count(None)} of {len(rows) - excluded_count} {name} agree{note}")
    return len(differences)


def with_progress(rows: Iterable[T], total: int, name: str) -> Iterable[T]:
    """Yields the rows, with a progress bar on stderr if it is a terminal."""
    if not sys.stderr.isatty():
        return rows
    from rich.console import Console
    from rich.progress import track

    return track(rows, name, total, console=Console(stderr=True), transient=True)


def print_script(games: list[Document], name: str) -> int:
    """Prints one game as a script."""
    for game in games:
        if game["id"] == name:
            print(*script(game), sep="\n")
            return 0
    print(f"error: no game {name} in these files", file=sys.stderr)
    return 2


def main() -> int:
    """Reads the files, then compares them, or prints a script."""
    parser = ArgumentParser("conformance", description="Replays recorded games, checks recorded answers.")
    parser.add_argument(
        "file", nargs="+", help="games (zim-conformance/1) and checks, a line each, or .gz; or a folder of these"
    )
    parser.add_argument("--script", metavar="ID", help="print this game as a script for tests/games instead")
    arguments = parser.parse_args()
    try:
        rows = list(documents(arguments.file))
    except UnreadableError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    games = rows_with_key(rows, "schema")
    check_rows = [row for row in rows if "schema" not in row]
    unknown_rows = sum(not any(key in row for key in CHECKS) for row in check_rows)
    if unknown_rows:
        print(f"error: {unknown_rows} rows are neither games nor checks", file=sys.stderr)
        return 2
    return print_script(games, arguments.script) if arguments.script else print_comparison(games, check_rows)


if __name__ == "__main__":
    sys.exit(main())
