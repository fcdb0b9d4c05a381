"""Finds which tests call a function, and runs them on changed code. See mutants.py.

The tests of a game are collected once, in a process of their own. Each mutant runs in a fork of it, where the
function gets its changed code: that takes hardly longer than the failing test. If the mutant survives that, or if more
than a function's code has changed, the quick tests run again in a process that imports the changed module.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import inspect
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import process_time
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, TypeAlias

import hypothesis
import msgspec
import pytest

from tests.source_importer import SourceImporter, module_name

ReachedCode: TypeAlias = dict[str, tuple[float, list[str]]]
"""For each test: its seconds, and the functions (`path function`) that it calls."""
ChildResult: TypeAlias = tuple[int, str]
"""What a child process returns: a code, -1 if it took too long, and a text."""

FILES_OF_ALL_GAMES = ("test_out_of_turn.py",)
"""Fixed tests of the rules of each game, beside those in the folder of one."""
MAX_TEST_SECONDS = 4.0
"""The most seconds of a test while its calls are recorded; this makes it about three times slower. Slower tests are not
used, so mutants that only they would notice count as survivors.
"""
QUICK_SECONDS = 0.5
"""The same for tests that run again in a new interpreter."""
MAX_MEMORY_BYTES = 4 << 30
"""Bytes of address space: a change may cause endless growth."""

hypothesis.settings.register_profile(
    "mutants",
    deadline=None,
    max_examples=25,
    derandomize=True,
    database=None,
    # No shrinking: any failing example is enough.
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
    # Recorded tests are slow.
    suppress_health_check=tuple(hypothesis.HealthCheck),
)
PYTEST_OPTIONS = (
    "-s",
    "-p",
    "no:warnings",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--hypothesis-profile=mutants",
    "--no-header",
    "-qq",
)


class RecordedTests(msgspec.Struct):
    """What was recorded for the tests of one file, valid while it and the game are unchanged."""

    digest: str
    reached: ReachedCode


class TooSlowTest(BaseException):
    """A test takes longer than `MAX_TEST_SECONDS`, so it is not used."""


class GameTests:
    """The tests of one game, and how to try mutants on them."""

    def __init__(self, root: Path, game: str, items: Sequence[pytest.Item], cache_path: Path, name_part: str) -> None:
        self.root = root
        self.items = {item.nodeid: item for item in items if name_part in item.nodeid}
        gc.freeze()
        self.reached_code = self._reached_code(cache_path.with_name(f"{cache_path.stem}-{game}.json"), game)
        slow_count = sum(seconds >= MAX_TEST_SECONDS for seconds, _ in self.reached_code.values())
        print(f"{game}: {len(self.reached_code) - slow_count} tests are used, {slow_count} are too slow", flush=True)

    def _reached_code(self, cache_path: Path, game: str) -> ReachedCode:
        """The functions that each test calls. Stored by test file in `cache_path`, so that they are recorded once."""
        recorded_tests = (
            msgspec.json.decode(cache_path.read_bytes(), type=dict[str, RecordedTests]) if cache_path.exists() else {}
        )
        rules_digest = digest_of(path for folder in (game, "../toolkit") for path in self._sources(folder))
        files = dict.fromkeys(test.partition("::")[0] for test in self.items)
        for file in files:
            tests = [test for test in self.items if test.startswith(f"{file}::")]
            digest = rules_digest + digest_of([self.root / file])
            recorded_file = recorded_tests.get(file)
            if recorded_file and recorded_file.digest == digest and recorded_file.reached.keys() >= set(tests):
                continue
            _, answer = run_in_child(partial(self._watch_tests, tests), 3600)
            recorded_tests[file] = RecordedTests(digest, msgspec.json.decode(answer, type=ReachedCode))
            cache_path.write_bytes(msgspec.json.encode(recorded_tests))
        return {
            test: seconds_and_functions
            for file in files
            for test, seconds_and_functions in recorded_tests[file].reached.items()
            if test in self.items
        }

    def _sources(self, folder: str) -> list[Path]:
        return sorted((self.root / "zimcore" / "games" / folder).rglob("*.py"))

    def _watch_tests(self, tests: Sequence[str]) -> ChildResult:
        our_folder, reached_code = str(self.root / "zimcore"), ReachedCode()
        signal.signal(signal.SIGPROF, _raise_too_slow)
        for test in tests:
            code_objects: set[CodeType] = set()
            started_at = process_time()
            signal.setitimer(signal.ITIMER_PROF, MAX_TEST_SECONDS)
            failed_test = self._first_failure([test], record_code(code_objects))
            signal.setitimer(signal.ITIMER_PROF, 0)
            # A test that fails without any change is not used either.
            duration = MAX_TEST_SECONDS if failed_test else process_time() - started_at
            codes = (code for code in code_objects if code.co_filename.startswith(our_folder))
            reached_code[test] = (
                duration,
                sorted({f"{code.co_filename} {outermost(code.co_qualname)}" for code in codes}),
            )
        return 0, msgspec.json.encode(reached_code).decode()

    def try_mutant(self, module_path: str, source: str, line: int) -> tuple[str, str]:
        """Runs the tests on a module with this source, changed in a line.

        Returns the outcome, and the first failing test.
        """
        function = function_at((self.root / module_path).read_text("utf-8"), line)
        changed_function = f"{self.root / module_path} {function}"
        seconds_by_test = {
            test: seconds
            for test, (seconds, called_functions) in self.reached_code.items()
            if not function or changed_function in called_functions
        }
        tests = sorted(
            (test for test in seconds_by_test if seconds_by_test[test] < MAX_TEST_SECONDS),
            key=seconds_by_test.__getitem__,
        )
        if not tests:
            return "survived", "no test calls it, or only slow ones"
        seconds = 60 + 20 * sum(seconds_by_test[test] for test in tests)
        exit_status, failed_test = (
            run_in_child(lambda: self._with_code(module_path, source, function, tests), seconds)
            if function
            else (0, "")
        )
        if not exit_status:
            quick_tests = [test for test in tests if seconds_by_test[test] < QUICK_SECONDS] or tests
            exit_status, failed_test = run_in_child(
                lambda: run_in_new_interpreter(self.root, module_path, source, quick_tests), seconds
            )
        return {0: "survived", -1: "timeout"}.get(exit_status, "killed"), failed_test

    def _with_code(self, module_path: str, source: str, function: str, tests: Sequence[str]) -> ChildResult:
        function_object, code = function_of(sys.modules[module_name(module_path)], function), code_of(source, function)
        if function_object is None or code is None or code == function_object.__code__:
            return 0, ""  # a default or a decorator runs only when the module is imported
        function_object.__code__ = code
        failed_test = self._first_failure(tests, None)
        return bool(failed_test), failed_test

    def _first_failure(self, tests: Sequence[str], profile_function: Callable[..., object] | None) -> str:
        """The first failing test."""
        for test in tests:
            test_item, reports = self.items[test], Reports()
            test_item.config.pluginmanager.register(reports)
            sys.setprofile(profile_function)
            test_item.config.hook.pytest_runtest_protocol(item=test_item, nextitem=None)
            sys.setprofile(None)
            test_item.config.pluginmanager.unregister(reports)
            if reports.failed_test:
                return test
        return ""


class Reports:
    """A pytest plugin that records which test fails."""

    failed_test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed_test = self.failed_test or report.nodeid


def run_with_tests(
    root: Path, game: str, cache_path: Path, work: Callable[[GameTests], None], name_part: str = ""
) -> None:
    """Runs `work` in a child process with the tests of a game, or those whose name contains `name_part`."""

    class LoopReplacement:
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            work(GameTests(root, game, session.items, cache_path, name_part))
            return True

    if child := os.fork():
        os.waitpid(child, 0)
        return
    try:
        tests = [str(root / "tests" / name) for name in (game, *FILES_OF_ALL_GAMES)]
        pytest.main([*PYTEST_OPTIONS, "--rootdir", str(root), *tests], plugins=[LoopReplacement()])
    finally:
        os._exit(0)


def _raise_too_slow(signal_number: int, frame: FrameType | None) -> None:
    raise TooSlowTest


def digest_of(paths: Iterable[Path]) -> str:
    """A digest of files, in 12 characters."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]


def record_code(code_objects: set[CodeType]) -> Callable[[FrameType, str, object], None]:
    """A profile function that records the code of each called function."""
    add_code = code_objects.add

    def record_call(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            add_code(frame.f_code)

    return record_call


def run_in_new_interpreter(root: Path, module_path: str, source: str, tests: Sequence[str]) -> ChildResult:
    """Runs tests in a new interpreter that imports the module from this source. Returns the first failing one."""
    for name in [name for name in sys.modules if name.startswith(("zimcore", "tests"))]:
        del sys.modules[name]
    sys.meta_path.insert(0, SourceImporter(root / module_path, module_name(module_path), source))
    kept_tests, reports = KeptTests(tests), Reports()
    files = dict.fromkeys(str(root / test.partition("::")[0]) for test in tests)
    exit_status = pytest.main([*PYTEST_OPTIONS, "-x", "--rootdir", str(root), *files], plugins=[kept_tests, reports])
    return int(exit_status), reports.failed_test or ("nothing can be imported" if exit_status else "")


class KeptTests:
    """A pytest plugin that keeps only some tests, in the given order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.place_by_test = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place_by_test),
            key=lambda item: self.place_by_test[item.nodeid],
        )


def outermost(name: str) -> str:
    """The outermost function around one: nested functions count as part of it."""
    return name.partition(".<locals>")[0]


def function_at(source: str, line: int) -> str:
    """The qualified name of the outermost function around a line, including its decorators; else ""."""
    names: list[str] = []
    nodes: Sequence[ast.stmt] = ast.parse(source).body
    while enclosing_nodes := [
        node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef) and _contains_line(node, line)
    ]:
        names.append(enclosing_nodes[0].name)
        if isinstance(enclosing_nodes[0], ast.FunctionDef):
            return ".".join(names)
        nodes = enclosing_nodes[0].body
    return ""


def _contains_line(node: ast.FunctionDef | ast.ClassDef, line: int) -> bool:
    first_line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first_line <= line <= (node.end_lineno or 0)


def code_of(source: str, function: str) -> CodeType | None:
    """The code of a function in a source."""
    code = compile(source, "", "exec")
    for name in function.split("."):
        inner_codes = [
            constant for constant in code.co_consts if isinstance(constant, CodeType) and constant.co_name == name
        ]
        if len(inner_codes) != 1:
            return None
        [code] = inner_codes
    return code


def function_of(module: ModuleType, function: str) -> FunctionType | None:
    """The function itself, inside its decorators."""
    target: Any = module
    for name in function.split("."):
        members: Mapping[str, object] = vars(target)
        target = members.get(name)
        target = target.fget if isinstance(target, property) else target
    target = inspect.unwrap(target)
    return target if isinstance(target, FunctionType) else None


def run_in_child(work: Callable[[], ChildResult], seconds: float) -> ChildResult:
    """The result of `work`, run in a child process."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        os.close(read_end)
        _run_and_exit(work, write_end, seconds)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        output = pipe.read()
    os.waitpid(child, 0)
    status, _, text = output.decode().partition("\n")
    return (int(status), text) if status else (-1, "")


def _run_and_exit(work: Callable[[], ChildResult], write_end: int, seconds: float) -> None:
    """Runs in the child, and never returns. The alarm ends it, because its signal is not handled."""
    with suppress(BaseException):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(seconds) + 1)
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, 1)
        os.dup2(devnull, 2)
        result = (3, "no test could run")
        with suppress(BaseException):
            result = work()
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(f"{result[0]:d}\n{result[1]}".encode())
    os._exit(0)
