"""Which tests come through a function, and what they say when it is changed. See mutants.py.

The tests of a game are collected once. Each mutant gets a copy of that process, in which the function is given its
changed code: that takes hardly more than the test that fails. Where it would survive, or where more than the code of a
function was changed, the quick tests are asked once more, where the changed module is imported anew.
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

from tests.changed import Changed, name_of

Reached: TypeAlias = dict[str, tuple[float, list[str]]]
"""By test: how many seconds it takes, and the functions (`path function`) that it comes through."""
Said: TypeAlias = tuple[int, str]
"""What a process of its own gives: a code, -1 if it took too long, and a text."""

PATIENCE = 4.0
"""Seconds that a test may take while it is watched, about three times as long as by itself, to be asked at all.

What only longer looks would notice counts as survived.
"""
QUICK = 0.5
"""The same of a test that is asked again in an interpreter of its own."""
ENOUGH_MEMORY = 4 << 30
"""Bytes of address space: a change may well make something grow without end."""

hypothesis.settings.register_profile(
    "mutants",
    deadline=None,
    max_examples=25,
    derandomize=True,
    database=None,
    # What is found need not be made small.
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
    # Whatever is watched is slow.
    suppress_health_check=tuple(hypothesis.HealthCheck),
)
OPTIONS = (
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


class Watched(msgspec.Struct):
    """What was seen of the tests of one file, as long as it and the game are as they were."""

    digest: str
    reached: Reached


class TooLong(BaseException):
    """A test takes too long to be asked."""


class Trials:
    """The tests of one game, and the mutants that are tried on them."""

    def __init__(self, root: Path, game: str, items: Sequence[pytest.Item], kept: Path, only: str) -> None:
        self.root = root
        self.items = {item.nodeid: item for item in items if only in item.nodeid}
        gc.freeze()
        self.through = self._reached(kept.with_name(f"{kept.stem}-{game}.json"), game)
        silent = sum(seconds >= PATIENCE for seconds, _ in self.through.values())
        print(f"{game}: {len(self.through) - silent} tests are asked, {silent} take too long", flush=True)

    def _reached(self, kept: Path, game: str) -> Reached:
        """Which functions each test comes through; kept beside the session, test file by test file."""
        known = msgspec.json.decode(kept.read_bytes(), type=dict[str, Watched]) if kept.exists() else {}
        rules = digest_of(path for folder in (game, "../toolkit") for path in self._sources(folder))
        files = dict.fromkeys(test.partition("::")[0] for test in self.items)
        for file in files:
            tests = [test for test in self.items if test.startswith(f"{file}::")]
            digest = rules + digest_of([self.root / file])
            before = known.get(file)
            if before and before.digest == digest and before.reached.keys() >= set(tests):
                continue
            _, said = apart(partial(self._watched, tests), 3600)
            known[file] = Watched(digest, msgspec.json.decode(said, type=Reached))
            kept.write_bytes(msgspec.json.encode(known))
        return {test: found for file in files for test, found in known[file].reached.items() if test in self.items}

    def _sources(self, folder: str) -> list[Path]:
        return sorted((self.root / "zimcore" / "games" / folder).rglob("*.py"))

    def _watched(self, tests: Sequence[str]) -> Said:
        ours, found = str(self.root / "zimcore"), Reached()
        signal.signal(signal.SIGPROF, _too_long)
        for test in tests:
            seen: set[CodeType] = set()
            begun = process_time()
            signal.setitimer(signal.ITIMER_PROF, PATIENCE)
            failed = self._failed([test], noting(seen))
            signal.setitimer(signal.ITIMER_PROF, 0)
            # One that fails without any change is no judge either.
            took = PATIENCE if failed else process_time() - begun
            codes = (code for code in seen if code.co_filename.startswith(ours))
            found[test] = (took, sorted({f"{code.co_filename} {outermost(code.co_qualname)}" for code in codes}))
        return 0, msgspec.json.encode(found).decode()

    def tried(self, module: str, text: str, line: int) -> tuple[str, str]:
        """What the tests say of a module with this source, changed in a line: the outcome, the first that failed."""
        function = function_at((self.root / module).read_text("utf-8"), line)
        here = f"{self.root / module} {function}"
        took = {test: seconds for test, (seconds, came) in self.through.items() if not function or here in came}
        tests = sorted((test for test in took if took[test] < PATIENCE), key=took.__getitem__)
        if not tests:
            return "survived", "no test comes there"
        seconds = 60 + 20 * sum(took[test] for test in tests)
        code, failed = apart(lambda: self._with_code(module, text, function, tests), seconds) if function else (0, "")
        if not code:
            quick = [test for test in tests if took[test] < QUICK] or tests
            code, failed = apart(lambda: anew(self.root, module, text, quick), seconds)
        return {0: "survived", -1: "timeout"}.get(code, "killed"), failed

    def _with_code(self, module: str, text: str, function: str, tests: Sequence[str]) -> Said:
        live, code = function_of(sys.modules[name_of(module)], function), code_of(text, function)
        if live is None or code is None or code == live.__code__:
            return 0, ""  # a default, a decorator: what is done once, when the module is imported
        live.__code__ = code
        failed = self._failed(tests, None)
        return bool(failed), failed

    def _failed(self, tests: Sequence[str], note: Callable[..., object] | None) -> str:
        """The first of the tests that fails."""
        for test in tests:
            item, reports = self.items[test], Reports()
            item.config.pluginmanager.register(reports)
            sys.setprofile(note)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            sys.setprofile(None)
            item.config.pluginmanager.unregister(reports)
            if reports.failed:
                return test
        return ""


class Reports:
    """A plugin of pytest that notes which test fails."""

    failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


def with_tests(root: Path, game: str, kept: Path, work: Callable[[Trials], None], only: str = "") -> None:
    """Does some work, in a process of its own, with the tests of a game, or those that have a text in their name."""

    class Instead:
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            work(Trials(root, game, session.items, kept, only))
            return True

    if child := os.fork():
        os.waitpid(child, 0)
        return
    try:
        pytest.main([*OPTIONS, "--rootdir", str(root), str(root / "tests" / game)], plugins=[Instead()])
    finally:
        os._exit(0)


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TooLong


def digest_of(paths: Iterable[Path]) -> str:
    """Some files in 12 letters."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]


def noting(seen: set[CodeType]) -> Callable[[FrameType, str, object], None]:
    """What notes the code of each function that is called."""
    add = seen.add

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            add(frame.f_code)

    return note


def anew(root: Path, module: str, text: str, tests: Sequence[str]) -> Said:
    """The first of some tests that fails, in an interpreter of its own that imports the module from this source."""
    for name in [name for name in sys.modules if name.startswith(("zimcore", "tests"))]:
        del sys.modules[name]
    sys.meta_path.insert(0, Changed(root / module, name_of(module), text))
    choose, reports = Choose(tests), Reports()
    files = dict.fromkeys(str(root / test.partition("::")[0]) for test in tests)
    code = pytest.main([*OPTIONS, "-x", "--rootdir", str(root), *files], plugins=[choose, reports])
    return int(code), reports.failed or ("nothing can be imported" if code else "")


class Choose:
    """A plugin of pytest that leaves only some tests, in their order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.place = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.place), key=lambda i: self.place[i.nodeid])


def outermost(name: str) -> str:
    """The function that stands alone in its module, or its class: those within it are a part of it."""
    return name.partition(".<locals>")[0]


def function_at(text: str, line: int) -> str:
    """The qualified name of the outermost function around a line, its decorators included; else nothing."""
    names: list[str] = []
    nodes: Sequence[ast.stmt] = ast.parse(text).body
    while around := [node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef) and _has(node, line)]:
        names.append(around[0].name)
        if isinstance(around[0], ast.FunctionDef):
            return ".".join(names)
        nodes = around[0].body
    return ""


def _has(node: ast.FunctionDef | ast.ClassDef, line: int) -> bool:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first <= line <= (node.end_lineno or 0)


def code_of(text: str, function: str) -> CodeType | None:
    """The code of a function in a source."""
    code = compile(text, "", "exec")
    for name in function.split("."):
        found = [each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name]
        if len(found) != 1:
            return None
        [code] = found
    return code


def function_of(module: ModuleType, function: str) -> FunctionType | None:
    """The function itself, under what decorators have made of it."""
    found: Any = module
    for name in function.split("."):
        members: Mapping[str, object] = vars(found)
        found = members.get(name)
        found = found.fget if isinstance(found, property) else found
    found = inspect.unwrap(found)
    return found if isinstance(found, FunctionType) else None


def apart(work: Callable[[], Said], seconds: float) -> Said:
    """What some work gives in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        _work(work, write, seconds)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    code, _, text = said.decode().partition("\n")
    return (int(code), text) if code else (-1, "")


def _work(work: Callable[[], Said], write: int, seconds: float) -> None:
    """In the child: never comes back. An alarm ends it, as nobody catches that signal."""
    with suppress(BaseException):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(seconds) + 1)
        resource.setrlimit(resource.RLIMIT_AS, (ENOUGH_MEMORY, ENOUGH_MEMORY))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        said = (3, "no test could run")
        with suppress(BaseException):
            said = work()
        with os.fdopen(write, "wb") as pipe:
            pipe.write(f"{said[0]:d}\n{said[1]}".encode())
    os._exit(0)
