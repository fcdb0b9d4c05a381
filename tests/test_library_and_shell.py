"""Each command that plays, asks or proves is a method of the library: both give the same answer on the same store.

`test_pipe_and_http.py` has the other doors.
"""

from __future__ import annotations

import inspect
import json
import shlex
from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

import zimcore as zim
from event_store import EventStore
from tests.cli.conftest import START_TIME, make_zim
from tests.predictable_salts import salt_maker
from zimcli.shell.registry import ENTRIES, CommandEntry
from zimcore.documents.discussion import Remark
from zimcore.documents.positions import commit_document, position_document
from zimcore.documents.tables import table_document
from zimcore.service import GameService

OPENING = ("start f6", "start c6", "bid 1", "pass", "end", "end")
"""Legal for two players with seed 7: round 1."""

LibraryCall = Callable[[zim.Store], Any]

LOG_FILE = "audited.log"
LOG_TEXT = "new players=2 seed=7\nstart f6\nstart c6\nbid 1\npass\nbuild a1\n"


def arena(store: zim.Store) -> Any:
    del store  # a function: it needs no store
    return zim.arena("random", "peer", games=2, players=2, workers=0)


PAIRS: dict[str, tuple[str, LibraryCall]] = {
    "amend": ('amend k@3 "bid 2" --stop', lambda store: store.amend("k@3", "bid 2", keep="stop")),
    "arena": ("arena random peer --games 2 --players 2 --workers 1", arena),
    "audit": (f"audit {LOG_FILE}", lambda store: store.audit(LOG_TEXT)),
    "analyse": ("analyse k --nodes 60", lambda store: store.analyse("k", nodes=60)),
    "ask": ("ask k cards", lambda store: store.ask("k", "cards")),
    "bisect": ('bisect k "round >= 2"', lambda store: store.bisect("k", "round >= 2")),
    "bot": ("bot k random --seed 3", lambda store: store.bot("k", "random", seed="3")),
    "compare": ("compare k@4 k/other", lambda store: store.compare("k@4", "k/other")),
    "do": ("do k end", lambda store: store.play("k", "end")),
    "expect": ('expect k "mutapa.vp == 1"', lambda store: store.value("k", "mutapa.vp == 1")),
    "forget": ("forget k/other", lambda store: store.forget("k/other")),
    "fork": ("fork k@3 again", lambda store: store.fork("k@3", "again")),
    "games": ("games", lambda store: store.games()),
    "goto": ("goto k@2", lambda store: store.goto("k@2")),
    "hint": ("hint k --nodes 200", lambda store: store.hint("k", nodes=200)),
    "legal": ("legal k", lambda store: store.look("k").legal()),
    "lines": ("lines k", lambda store: store.lines("k")),
    "log": ("log k", lambda store: store.log("k")),
    "new": ("new n --game zimbabwe players=2 seed=7", lambda store: store.new("zimbabwe", name="n", players=2, seed=7)),
    "pick": ("pick k k/other@5..6 --skip", lambda store: store.pick("k", "k/other@5..6", keep="skip")),
    "redo": ("redo k", lambda store: store.redo("k")),
    "rename": ("rename k/other third", lambda store: store.rename("k/other", "third")),
    "say": ("say k@3 hello", lambda store: store.say("k@3", "hello")),
    "show": ("show k", lambda store: store.look("k")),
    "story": ("story k", lambda store: store.story("k")),
    "switch": ("switch k/other", lambda store: store.switch("k/other")),
    "tag": ("tag k@3 here", lambda store: store.tag("k@3", "here")),
    "talk": ("talk k", lambda store: store.talk("k")),
    "try": ("try k end", lambda store: store.try_("k", "end")),
    "undo": ("undo k 2", lambda store: store.undo("k", 2)),
    "verify": ("verify k", lambda store: store.verify("k")),
    "whatif": (
        'whatif k@2 "bid 1" pass --games 2 --then random --workers 1',
        lambda store: store.whatif("k@2", "bid 1", "pass", games=2, then="random"),
    ),
    "why": ("why k mutapa.cattle", lambda store: store.why("k", "mutapa.cattle")),
}
"""A line of the shell and the same call, by the name of the command."""

ELSEWHERE = {
    "with files of their own, see test_library.py": "import export",
    "arguments in Python: of `games`, of `tag`, of `frames`, and `zim.sweep`, `zim.draw`": (
        "archive delete stats board check explain"
    ),
    "for people at a terminal": (
        "completion config demo help play practise run pipe tutorial key sign advice preview plan reach rules "
        "schema learn new-game replay"
    ),
    "of a server or its host": (
        "accept decline deal events host invite join league leave notices order orders requests seat seats serve "
        "takeback terms vote withdraw"
    ),
    "care of a store": "backup db doctor witness",
}
"""Commands without a method of their own, by the reason."""


def test_each_command_is_in_the_library_or_there_is_a_reason() -> None:
    elsewhere = [name for names in ELSEWHERE.values() for name in names.split()]
    assert sorted([*PAIRS, *elsewhere]) == sorted(entry.name for entry in ENTRIES)


@pytest.fixture
def services() -> Iterator[tuple[GameService, GameService]]:
    """Two stores with the same game, on which the same writes get the same digests."""
    with EventStore.open("memory:", salt_maker()) as first, EventStore.open("memory:", salt_maker()) as second:
        yield play_opening(first), play_opening(second)


def play_opening(event_store: EventStore) -> GameService:
    ticks, ids = count(), count(1)
    service = GameService(
        event_store, lambda: START_TIME + timedelta(minutes=next(ticks)), ids=lambda: f"{next(ids):04x}"
    )
    service.new("zimbabwe", {"players": "2", "seed": "7"}, name="k", by="anna")
    for text in OPENING:
        service.play_or_raise("k", text, by="anna")
    service.fork("k@4", "other", by="anna", current=False)
    for text in ("end", "end"):
        service.play_or_raise("k/other", text, by="anna")
    service.undo("k", by="anna")
    return service


LABELS = {"command", "place", "digest", "left", "judged"}
"""What the shell adds: what was typed, the line that it left, the analysis that this machine keeps."""
MEASURED = {"milliseconds", "file", "kept", "reused"}
"""What differs from run to run: the name of a file, which content has not, and how much was judged before."""


def comparable(name: str, answer: Any) -> dict[str, Any]:
    """What the library answered, as fields of the document of the shell."""
    match answer:
        case bool():
            return {"holds": answer}
        case zim.Position():
            return {"position": plain(position_document(answer))}
        case zim.Trial(positions=positions):
            return {"position": plain(position_document(positions[-1]))}
        case Remark():
            return {"talk": plain([answer])}
        case msgspec.Struct():
            return {field: value for field, value in plain(answer).items() if field not in LABELS}
    match name:
        case "ask":
            return {"answer": plain([table_document(table) for table in answer])}
        case "bot":
            return {"position": plain(position_document(answer[-1]))}
        case "games":
            return {"games": answer}
        case "legal":
            return {"count": answer.count(), "legal": [*answer.texts()]}
        case "lines":
            return {"lines": plain(answer)}
        case "log":
            return {"commits": plain([commit_document(commit) for commit in answer])}
        case "talk":
            return {"talk": plain(answer)}
        case "tag":
            return {"tags": plain(answer)}
        case "verify":
            return {"audit": plain(answer[0])}
    raise AssertionError(f"{name}: {answer!r} is not compared")


def without(document: Any, keys: Collection[str]) -> Any:
    """A document without some keys, at any depth."""
    match document:
        case dict():
            return {key: without(value, keys) for key, value in document.items() if key not in keys}
        case list():
            return [without(each, keys) for each in document]
    return document


def plain(answer: object) -> Any:
    return json.loads(msgspec.json.encode(answer))


def run_shell(service: GameService, line: str) -> Any:
    """The document of a line of the shell; that of an audit is on stdout, though its exit code is 1."""
    result = make_zim(service)("--json", *shlex.split(line))
    assert result.exit_code in (0, 1), result.stderr
    return json.loads(result.stdout)


@pytest.fixture(autouse=True)
def log_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log that is audited, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / LOG_FILE).write_text(LOG_TEXT)


@pytest.mark.parametrize("name", PAIRS)
def test_library_and_shell_answer_alike(name: str, services: tuple[GameService, GameService]) -> None:
    line, call = PAIRS[name]
    for_shell, for_library = services
    document = run_shell(for_shell, line)
    if name == "games":
        document["games"] = [each["name"] for each in document["games"]]
    compared = without(comparable(name, call(zim.Store(for_library, by="anna"))), MEASURED)
    assert compared
    assert {field: without(document.get(field), MEASURED) for field in compared} == compared
    assert for_shell.log("k")[-1].digest == for_library.log("k")[-1].digest, "both left the same game"


OTHER_ARGUMENTS = {"ask", "audit", "bot", "export", "hint", "import", "verify"}
"""Commands whose library method takes something else, such as bytes instead of a file, or the whole store."""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_arguments_have_one_name_in_shell_pipe_and_library(entry: CommandEntry) -> None:
    """The help's word is that of the pipe and of the schema: `COMMAND` is `command`, `COMMAND...` is `commands`."""
    arguments = [each for each in entry.load_command().params if isinstance(each, click.Argument)]
    for argument in arguments:
        help_word = (argument.metavar or argument.human_readable_name).strip("[].").lower()
        if help_word.isalpha():
            assert argument.name in (help_word, f"{help_word}s")
    method = getattr(zim.Store, {"do": "play", "try": "try_"}.get(entry.name, entry.name), None)
    if entry.name in OTHER_ARGUMENTS or not inspect.isfunction(method):
        return
    names = {name.rstrip("s") for name in inspect.signature(method).parameters}
    shell_names = {str(each.name).rstrip("s") for each in arguments if each.type is not click.UNPROCESSED}
    assert shell_names <= names
