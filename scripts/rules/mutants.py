"""Mutation testing of the rules: changes them in one place at a time, and sees whether a test notices.

The changes are cosmic-ray's and those of `mutants_left_out.py` and `mutants_exchanged.py`.
A seed draws which of them to try. Each is tried in a
process of its own that imports the changed module: no file is changed. It runs the tests of its game that call the
changed function, the quickest first, until one fails. Each result is written at once, so you can stop a run and
continue it; the results of a module are valid until it changes.

Survivors that no test could notice are explained in `mutants.toml`. Exits with 1 if too many survive, or one without an
explanation.
"""

from __future__ import annotations

import ast
import hashlib
import sys
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import msgspec
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider

from scripts.rules import mutants_exchanged, mutants_left_out
from scripts.rules.mutants_run import GameTests, run_with_tests

ROOT = Path(__file__).resolve().parents[2]
UNUSED_OPERATORS = ("_Is", "_IsNot", "_Is_Eq", "_IsNot_NotEq")
"""Suffixes of operators that are not used: whether equal values are the same object is up to the interpreter."""
MODULES = ("zimcore/games/*/rules/*.py", "zimcore/games/*/evolve.py")
MIN_KILLED_SHARE = 0.97
PART_SIZE = 60
"""Mutants to try before the tests of both games are collected again."""


class Mutant(msgspec.Struct, frozen=True):
    """A change: the module, the operator, and the index of the place that it changes."""

    module: str
    operator: str
    place: int
    line: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.operator} {self.place}"

    @property
    def game(self) -> str:
        """The game of its rules, which is also the folder of their tests."""
        return self.module.split("/")[2]


class TrialResult(msgspec.Struct, frozen=True):
    """The result of a mutant, valid for the module with this digest: `killed`, `timeout` or `survived`, the test, the
    time.

    `same` means that the change had no effect; it does not count.
    """

    mutant: Mutant
    digest: str
    outcome: str
    by: str
    seconds: float


@cache
def module_source(module: str) -> str:
    return (ROOT / module).read_text("utf-8")


@cache
def source_digest(module: str) -> str:
    return hashlib.sha256(module_source(module).encode()).hexdigest()[:12]


@cache
def operators_by_name() -> dict[str, Any]:
    """The operators of cosmic-ray that need no arguments, and ours."""
    provider = OperatorProvider()
    names = [name for name in provider if not name.endswith(UNUSED_OPERATORS) and not provider[name].arguments()]
    return {**{name: provider[name]() for name in names}, **mutants_left_out.OPERATORS, **mutants_exchanged.OPERATORS}


def possible_mutants(module: str) -> Iterator[Mutant]:
    """Every place where an operator applies in a module, including those where nothing would change."""
    nodes = list(ast_nodes(get_ast(module_source(module))))
    annotations = annotation_ranges(ast.parse(module_source(module)))
    for name, operator in operators_by_name().items():
        starts = (start for node in nodes for start, _ in operator.mutation_positions(node))
        for operator_index, start in enumerate(starts):
            if not any(range_start <= start < range_end for range_start, range_end in annotations):
                yield Mutant(module, name, operator_index, start[0])


def annotation_ranges(tree: ast.AST) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The ranges of annotations, as lines and columns. They are never evaluated."""
    ranges = []
    for node in ast.walk(tree):
        annotation = node.returns if isinstance(node, ast.FunctionDef) else getattr(node, "annotation", None)
        if annotation:
            ranges.append(
                (
                    (annotation.lineno, annotation.col_offset),
                    (annotation.end_lineno or 0, annotation.end_col_offset or 0),
                )
            )
    return ranges


@cache
def mutated_source(mutant: Mutant) -> str:
    """The module's source with the change; empty if that is the same program, or not valid."""
    source_before = module_source(mutant.module)
    source_after = mutate_code(source_before, operators_by_name()[mutant.operator], mutant.place) or ""
    try:
        return source_after if ast.dump(ast.parse(source_after)) != ast.dump(ast.parse(source_before)) else ""
    except SyntaxError:
        return ""


def sample_mutants(count: int, seed: int, path_part: str, operator_part: str = "") -> Iterator[Mutant]:
    """A random sample of mutants. A larger sample starts with the same ones."""
    modules = sorted(str(path.relative_to(ROOT)) for pattern in MODULES for path in ROOT.glob(pattern))
    mutants = [
        mutant
        for module in modules
        if path_part in module
        for mutant in possible_mutants(module)
        if operator_part in mutant.operator
    ]
    Random(seed).shuffle(mutants)
    yield from mutants[: count or None]


def changed_lines(mutant: Mutant) -> tuple[str, str]:
    """The changed lines before and after, without indentation."""
    lines_before, lines_after = module_source(mutant.module).splitlines(), mutated_source(mutant).splitlines()
    while lines_before and lines_after and lines_before[0] == lines_after[0]:
        del lines_before[0], lines_after[0]
    while lines_before and lines_after and lines_before[-1] == lines_after[-1]:
        del lines_before[-1], lines_after[-1]
    return " ".join(map(str.strip, lines_before)), " ".join(map(str.strip, lines_after))


def known_results(session: Path) -> dict[Mutant, TrialResult]:
    """The stored results that are still valid."""
    rows = session.read_bytes().splitlines() if session.exists() else []
    results = (msgspec.json.decode(row, type=TrialResult) for row in rows)
    return {result.mutant: result for result in results if result.digest == source_digest(result.mutant.module)}


def survivor_reasons() -> dict[tuple[str, str, str], str]:
    """The reasons why no test could notice a change, by module, old line and new line."""
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["survivor"]
    return {(survivor["module"], survivor["was"], survivor["now"]): survivor["why"] for survivor in entries}


def try_mutants(arguments: Namespace, mutants: list[Mutant]) -> dict[Mutant, TrialResult]:
    """Tries mutants without a result until the time is up; survivors again if `arguments` say so.

    The sample is processed in parts, so what has been tried so far is a sample too.
    """
    results, deadline = known_results(arguments.session), monotonic() + 60 * arguments.minutes
    reasons = survivor_reasons()
    survivors = {mutant for mutant, result in results.items() if result.outcome == "survived"}
    retried_mutants = {
        survivor
        for survivor in survivors
        if arguments.again and (survivor.module, *changed_lines(survivor)) not in reasons
    }
    untried_mutants = [mutant for mutant in mutants if mutant not in results or mutant in retried_mutants]
    for start in range(0, len(untried_mutants), PART_SIZE):
        for game in ("africana", "zimbabwe"):
            mutants_of_part = [mutant for mutant in untried_mutants[start : start + PART_SIZE] if mutant.game == game]

            def run_part(game_tests: GameTests, part: list[Mutant] = mutants_of_part) -> None:
                for mutant in part:
                    if monotonic() < deadline:
                        row = msgspec.json.encode(try_mutant(game_tests, mutant))
                        with arguments.session.open("ab") as file:
                            file.write(row + b"\n")

            if mutants_of_part and monotonic() < deadline:
                run_with_tests(ROOT, game, arguments.session, run_part, arguments.tests)
    return known_results(arguments.session)


def try_mutant(game_tests: GameTests, mutant: Mutant) -> TrialResult:
    """Tries one mutant, and prints the result."""
    started_at = monotonic()
    source = mutated_source(mutant)
    outcome, failed_test = game_tests.try_mutant(mutant.module, source, mutant.line) if source else ("same", "")
    seconds = round(monotonic() - started_at, 2)
    print(f"{outcome:<8} {seconds:>6.1f} s  {mutant}  {failed_test}", flush=True)
    return TrialResult(mutant, source_digest(mutant.module), outcome, failed_test, seconds)


def print_report(mutants: list[Mutant], results: dict[Mutant, TrialResult]) -> int:
    """Prints how many were killed, and the survivors. Returns 0 if that is enough."""
    sample_results = [results[mutant] for mutant in mutants if mutant in results]
    effective_results = [result for result in sample_results if result.outcome != "same"]
    survivors = [result.mutant for result in effective_results if result.outcome == "survived"]
    reasons, killed_count = survivor_reasons(), len(effective_results) - len(survivors)
    unexplained_count = 0
    for mutant in survivors:
        line_before, line_after = changed_lines(mutant)
        reason = reasons.get((mutant.module, line_before, line_after))
        unexplained_count += not reason
        print(
            f"survived: {mutant}", f"  - {line_before}", f"  + {line_after}", f"  {reason or 'not explained'}", sep="\n"
        )
    # Those that are explained are the same program in other words: no test could notice them.
    share = killed_count / max(killed_count + unexplained_count, 1)
    share_of_all = killed_count / max(len(effective_results), 1)
    print(
        f"{killed_count} of {len(effective_results)} killed ({share_of_all:.1%}), {len(survivors)} survived, "
        f"{unexplained_count} of them not explained: {share:.1%} of those that a test could notice"
    )
    if len(sample_results) < len(mutants):
        print(f"{len(mutants) - len(sample_results)} of the sample are still to be tried: the same again goes on")
    return 0 if share >= MIN_KILLED_SHARE and not unexplained_count else 1


def main() -> int:
    """Reads the arguments, tries what is missing, reports."""
    parser = ArgumentParser("mutants", description="Changes the rules in one place at a time; do the tests notice?")
    parser.add_argument("--sample", type=int, default=500, help="how many changes (default 500)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only modules with this in their path")
    parser.add_argument("--operator", default="", metavar="TEXT", help="only operators with this in their name")
    parser.add_argument("--tests", default="", metavar="TEXT", help="ask only tests with this in their name")
    parser.add_argument("--minutes", type=float, default=600, help="stop trying after so long (default 600)")
    parser.add_argument(
        "--again", action="store_true", help="try survivors again that are not explained, after tests were added"
    )
    parser.add_argument("--session", type=Path, default=ROOT / ".mutants.jsonl", help="where results are kept")
    arguments = parser.parse_args()
    mutants = list(sample_mutants(arguments.sample, arguments.seed, arguments.only, arguments.operator))
    return print_report(mutants, try_mutants(arguments, mutants))


if __name__ == "__main__":
    sys.exit(main())
