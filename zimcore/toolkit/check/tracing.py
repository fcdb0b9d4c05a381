"""Where in an author's files something happens: by the error that it raises, or by two runs that part."""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from re import findall
from types import CodeType, FrameType
from typing import Any, NamedTuple

from zimcore.game import Event, Game, HiddenError
from zimcore.toolkit.rules import Draft

MAX_VALUE_LENGTH = 200
"""How many characters of a value are compared."""
MAX_STEPS = 20_000
"""How many steps of a run are recorded."""
AUTHORS_FUNCTIONS = {"legal": ("moves",), "decide": ("follow", "moves"), "apply": ("follow",), "evolve": ("State",)}
"""The function that an author writes for a member that the toolkit makes."""


class Step(NamedTuple):
    """A line that was reached, a value that was returned there, or an event that happened there."""

    where: str
    value: str = ""


class TracedRun(NamedTuple):
    """What a run gave, the steps in the author's files, and where each event happened, with its text then."""

    result: Any
    steps: list[Step]
    events: list[str]
    event_texts: list[str]


def package_of(game: Game) -> str:
    """The name of the package or module that an author wrote."""
    return str(getattr(game, "package", type(game).__module__))


def is_by_author(module: object, game: Game) -> bool:
    """Whether a module is the author's."""
    return str(module) == (package := package_of(game)) or str(module).startswith(f"{package}.")


def where_raised(error: BaseException, game: Game) -> str:
    """The line of the author's code that raised an error: `souk.py:112 in follow`; "" if there is none."""
    location = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if is_by_author(frame.f_globals.get("__name__"), game):
            location = _code_location(frame.f_code, line)
    return location


def error_text(error: BaseException) -> str:
    """An error of the author's code: its type and text, the event that was applied, and its fields that are hidden."""
    text = f"{type(error).__name__}: {error}"
    for frame, _ in traceback.walk_tb(error.__traceback__):
        event = frame.f_locals.get("event")
        if frame.f_code.co_name.startswith(("on_", "evolve")) and isinstance(event, Event):
            hidden_fields = [name for name in event.__struct_fields__ if "?" in short_text(getattr(event, name, None))]
            hidden_text = f", where {' and '.join(hidden_fields)} is ?" if hidden_fields else ""
            return f"{text}, applying {type(event).__name__}{hidden_text}"
    return text


def _code_location(code: CodeType, line: int) -> str:
    return f"{code.co_filename.rpartition('/')[2]}:{line} in {code.co_name}"


def trace_run(game: Game, function: Callable[[], Any]) -> TracedRun:
    """Calls a function and records the author's lines that it reaches. What it gives may be an error that it raised."""
    steps, events, event_texts = list[Step](), list[str](), list[str]()

    def trace(frame: FrameType, kind: str, arg: Any) -> Any:
        if frame.f_code is Draft.happen.__code__ and kind == "call" and frame.f_back:
            events.append(_code_location(frame.f_back.f_code, frame.f_back.f_lineno))
            event_texts.append(short_text(frame.f_locals.get("event")))
            steps.append(Step(events[-1], event_texts[-1]))
            return None
        if not is_by_author(frame.f_globals.get("__name__"), game):
            return None
        if kind in ("line", "return") and len(steps) < MAX_STEPS:
            value = short_text(arg) if kind == "return" else ""
            steps.append(Step(_code_location(frame.f_code, frame.f_lineno), value))
        return trace

    return TracedRun(_call_traced(trace, function), steps, events, event_texts)


def _call_traced(tracer: Any, function: Callable[[], Any]) -> Any:
    """Calls a function under a tracer; gives an error that it raised as a value."""
    previous_trace = sys.gettrace()
    sys.settrace(tracer)
    try:
        return function()
    except Exception as error:  # any exception of the author's code
        return error
    finally:
        sys.settrace(previous_trace)


def where_runs_part(game: Game, first_call: Callable[[], Any], second_call: Callable[[], Any]) -> str:
    """The first line of the author's at which two runs part: by the way that they take, or by a value; "" for none."""
    first_steps, second_steps = trace_run(game, first_call).steps, trace_run(game, second_call).steps
    index = next(
        (
            index
            for index, (step, other_step) in enumerate(zip(first_steps, second_steps, strict=False))
            if step != other_step
        ),
        None,
    )
    if index is None:
        shorter_steps, longer_steps = sorted((first_steps, second_steps), key=len)
        return (
            longer_steps[len(shorter_steps) - 1].where
            if len(shorter_steps) < len(longer_steps) and shorter_steps
            else ""
        )
    has_left_path = first_steps[index].where != second_steps[index].where and index > 0
    return first_steps[index - 1 if has_left_path else index].where


def where_hidden(game: Game, function: Callable[[], Any]) -> str:
    """The line of the author's that uses something hidden; "" if it uses nothing hidden."""
    result = _call_traced(sys.gettrace(), function)
    return where_raised(result, game) if isinstance(result, HiddenError) else ""


def where_changed(game: Game, function: Callable[[], Any], probe: Callable[[], object]) -> str:
    """The author's line after which a probe first gives something else; "" if none did it."""
    first_value = probe()
    return next((location for location, value in probe_each_line(game, function, probe) if value != first_value), "")


def where_values_part(game: Game, *calls_and_probes: tuple[Callable[[], Any], Callable[[], object]]) -> str:
    """The author's line after which the probes of two runs differ; "" if they never do."""
    first_values, second_values = (probe_each_line(game, *pair) for pair in calls_and_probes)
    return next(
        (pair[0] for pair, other_pair in zip(first_values, second_values, strict=False) if pair[1] != other_pair[1]), ""
    )


def probe_each_line(game: Game, function: Callable[[], Any], probe: Callable[[], object]) -> list[tuple[str, object]]:
    """Calls a function, and gives what a probe gives after each of the author's lines that it reaches."""
    locations_and_values, current_line = list[tuple[str, object]](), [""]

    def trace(frame: FrameType, kind: str, arg: Any) -> Any:
        if not is_by_author(frame.f_globals.get("__name__"), game):
            return None
        locations_and_values.append((current_line[0], probe()))
        caller_frame = frame.f_back if kind == "return" and frame.f_back else frame
        current_line[0] = _code_location(caller_frame.f_code, caller_frame.f_lineno)
        return trace

    _call_traced(trace, function)
    return locations_and_values


def where_written(game: Game, function: Callable[[], Any], state_text: Callable[[Any], object]) -> str:
    """The author's line that changes the state of a draft without an event; "" for none.

    `state_text` writes a state as text.
    """
    locations, last_texts = list[str](), dict[int, tuple[str, object]]()

    def trace(frame: FrameType, kind: str, arg: Any) -> Any:
        draft: Any = next((local for local in frame.f_locals.values() if isinstance(local, Draft)), None)
        if frame.f_code is Draft.happen.__code__ and kind == "call":
            last_texts.pop(id(draft), None)
            return None
        if draft is None or not is_by_author(frame.f_globals.get("__name__"), game):
            return trace
        location, previous_text = last_texts.get(id(draft), ("", None))
        current_text = state_text(draft.state)
        if location and previous_text != current_text:
            locations.append(location)
        last_texts[id(draft)] = _code_location(frame.f_code, frame.f_lineno), current_text
        return trace

    _call_traced(trace, function)
    return next(iter(locations), "")


def short_text(value: object) -> str:
    """A value as text, cut off where it is long; without addresses in memory, which differ from run to run."""
    try:
        text = repr(value)
    except Exception:  # an author's own representation may fail
        return type(value).__name__
    return type(value).__name__ if " at 0x" in text else text[:MAX_VALUE_LENGTH]


def where_mentioned(game: Game, member: str, message: str) -> str:
    """The line where a name in a message is defined, else the member's function; "" where the author has neither."""
    name = member.rpartition(".")[2]
    message_words = (word for word in findall(r"\w+", message) if "_" in word or not word.islower())
    for word in (*message_words, name, *AUTHORS_FUNCTIONS.get(name, ())):
        if location := _definitions(package_of(game)).get(word):
            return location
    return ""


def where_used(game: Game, function_name: str, texts: Sequence[str]) -> str:
    """The first line of the author's that has one of these texts in a function; "" if there is none."""
    location = _definitions(package_of(game)).get(function_name, "")
    file_name, _, line_number = location.partition(":")
    file = Path(import_module(package_of(game)).__file__ or "").parent / file_name
    if not location or not file.exists():
        return location
    lines = file.read_text("utf-8").splitlines()
    for number in range(int(line_number), len(lines)):
        if lines[number] and not lines[number].startswith((" ", ")")):
            break
        if any(text in lines[number] for text in texts):
            return f"{file_name}:{number + 1} in {function_name}"
    return location


def where_type(game: Game, event: Event) -> str:
    """The line of an event's type."""
    return where_mentioned(game, "", type(event).__name__)


def _definitions(package: str) -> dict[str, str]:
    """Where each function, type and constant is defined in the modules of a package."""
    module = import_module(package)
    file = Path(module.__file__ or "")
    files = sorted(file.parent.rglob("*.py")) if hasattr(module, "__path__") else [file]
    return {name: location for file_of_package in files for name, location in _definitions_in_file(file_of_package)}


def _definitions_in_file(file: Path) -> Iterator[tuple[str, str]]:
    for node in ast.parse(file.read_text("utf-8")).body if file.suffix == ".py" else ():
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, f"{file.name}:{node.lineno}"
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, f"{file.name}:{node.lineno}"
