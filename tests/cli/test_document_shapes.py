"""Every document has its promised shape, and promised shapes only grow."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import fastjsonschema
import msgspec
import pytest
from click.testing import CliRunner, Result

from tests.cli.conftest import Zim
from tests.cli.documents import read_answer
from tests.cli.test_answers import GAME_LINES, QUESTIONS
from zimcli.main import cli
from zimcli.render.answers import renderers, rendering_module
from zimcli.session.pipe_requests import EXCLUDED_COMMANDS, parameters_schema
from zimcli.shell.registry import ENTRIES, CommandEntry, answer_types_by_command
from zimcore.documents.copies import CopyAnswer
from zimcore.documents.positions import Answer
from zimcore.documents.problems import ErrorDocument
from zimcore.documents.schema import schema
from zimcore.documents.seats import GameAnswer
from zimcore.games.registry import game as get_game

ANSWERS_BY_COMMAND = answer_types_by_command()


@cache
def schema_json() -> Any:
    """The schema of all documents."""
    parameters = {entry.name: parameters_schema(entry) for entry in ENTRIES if entry.name not in EXCLUDED_COMMANDS}
    return json.loads(msgspec.json.encode(schema(ANSWERS_BY_COMMAND, parameters)))


def convert_to_draft_7(schema_part: Any) -> Any:
    """A schema in draft 7, which the validator reads: it has another word for the items of a tuple."""
    if isinstance(schema_part, list):
        return [convert_to_draft_7(item) for item in schema_part]
    if not isinstance(schema_part, dict):
        return schema_part
    tuple_items = {"items": schema_part["prefixItems"]} if "prefixItems" in schema_part else {}
    return {
        key: convert_to_draft_7(value) for key, value in {**schema_part, **tuple_items}.items() if key != "prefixItems"
    }


@cache
def document_validator() -> Callable[[Any], Any]:
    """Validates by the schema alone, with a library that is not ours. It takes half a second and 100 MB to make."""
    validate: Callable[[Any], Any] = fastjsonschema.compile(convert_to_draft_7(schema_json()))
    return validate


def validate_document(document: Any) -> None:
    """Raises `JsonSchemaException` if a document is not of the schema."""
    document_validator()(document)


def decode_answer(json_line: str, answer_types: Sequence[type[Answer]]) -> Answer | None:
    """The answer in a line, by one of several shapes. The schema must accept it for its own command only."""
    document = json.loads(json_line)
    validate_document(document)
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate_document({**document, "command": "nobody"})
    return read_answer(json_line, answer_types)


@pytest.mark.parametrize("question_name", [name for name, words in QUESTIONS.items() if words[0] in ANSWERS_BY_COMMAND])
def test_an_answer_has_its_shape(zim: Zim, run_script: Callable[..., Result], question_name: str) -> None:
    assert run_script(*GAME_LINES).exit_code == 0
    words = QUESTIONS[question_name]
    assert decode_answer(zim(*words, "--json").stdout, ANSWERS_BY_COMMAND[words[0]])


def test_an_error_has_its_shape(zim: Zim) -> None:
    result = zim("--json", "log", "nothing")
    assert result.stdout == ""
    validate_document(json.loads(result.stderr))
    error = msgspec.json.decode(result.stderr, type=ErrorDocument).error
    assert (error.code, error.command, error.place) == (2, "log", "nothing")


def test_a_reply_has_its_shape(zim: Zim) -> None:
    for line in zim("pipe", stdin='{"new": "k"}\n{"do": "take 9"}\nnonsense\n').stdout.splitlines():
        validate_document(json.loads(line))


def test_an_answer_names_its_command_and_its_place(zim: Zim) -> None:
    zim("new", "k")
    document = json.loads(zim("do", "k", "take 1", "--json").stdout)
    assert (document["command"], document["place"]) == ("do", "k/main@1")
    assert document["digest"] == document["position"]["digest"]
    comparison = json.loads(zim("compare", "k@0", "k/main@1", "--json").stdout)
    assert (comparison["command"], comparison["place"]) == ("compare", "k/main@0")
    assert json.loads(zim("log", "--nope", "--json").stderr)["error"]["command"] == "log"


def test_the_standings_are_given_as_figures(zim: Zim) -> None:
    zim("run", "-", stdin="new k herd=3\ntake 1\ntake 1\nbuild a1\ntake 1")
    position = json.loads(zim("show", "k", "--json").stdout)["position"]
    assert (position["over"], position["winner"], position["ranking"]) == (True, "kilwa", [["kilwa"], ["zulu"]])
    assert position["scores"] == {"kilwa": 1, "zulu": 0}


def test_a_table_has_its_columns_as_values(zim: Zim) -> None:
    zim("new", "k")
    (table,) = json.loads(zim("show", "k", "--json").stdout)["tables"]
    assert table["columns"] == [
        {"name": "player", "type": "text", "values": ["kilwa", "zulu"]},
        {"name": "vp", "type": "number", "values": [0, 0]},
        {"name": "cattle", "type": "number", "values": [0, 0]},
    ]


OTHER_COMMANDS = {
    "bisect": ["bisect", "k", "round >= 1"],
    "bisect what never was": ["bisect", "k", "round >= 99"],
    "why a figure": ["why", "k", "kilwa.cattle"],
    "why a square": ["why", "k", "g9"],
    "plan": ["plan", "k"],
    "preview": ["preview", "k"],
    "advice": ["advice", "k", "craft"],
    "reach": ["reach", "k", "g9"],
    "ask": ["ask", "k", "cards", "eshu"],
    "ask what may be asked": ["ask", "k"],
    "stats": ["stats", "k"],
    "explain": ["explain", "k", "end"],
    "explain what is refused": ["explain", "k", "bid 99"],
    "story": ["story", "k"],
    "log of operations": ["log", "k", "--ops"],
    "replay": ["replay", "k", "--html", "page.html"],
    "try each": ["try", "k", "--each"],
    "amend": ["amend", "k@10", "craft ivory_carver k8 price 1", "--stop"],
    "amend with a conflict": ["amend", "k/main@9", "adore eshu", "--dry-run"],
    "pick": ["pick", "k/other", "k/main@11"],
    "tag": ["tag", "k@10", "opening"],
    "rename": ["rename", "k/other", "another"],
    "forget": ["forget", "k/another"],
    "key": ["key"],
    "export": ["export", "k", "--certificate", "k.cert"],
    "export tables": ["export", "k", "--tables", "tables"],
    "audit": ["audit", "lines.log", "--from", "k"],
    "export all": ["export", "--certificates", "certificates"],
    "sign": ["sign", "k.cert", "--seat", "kilwa"],
    "verify a file": ["verify", "k.cert"],
    "verify all": ["verify", "--all"],
    "import": ["import", "k.cert", "--as", "copy"],
    "bot": ["bot", "k", "quick"],
    "analyse": ["analyse", "k@12", "--nodes", "50", "--workers", "1"],
    "practise": ["practise", "--from", "sqlite:///games.db", "--list"],
    "whatif": ["whatif", "k@5", "*", "--games", "1", "--workers", "1", "--then", "random"],
    "hint": ["hint", "k", "--nodes", "50"],
    "arena": ["arena", "quick", "random", "--players", "2", "--games", "2", "--workers", "1"],
    "run": ["run", "lines.zim", "--keep-going"],
    "events of all": ["events", "--all"],
    "games where": ["games", "--where", "not over"],
    "seat": ["seat", "copy", "kilwa"],
    "say": ["say", "k", "well", "played"],
    "say about a position": ["say", "k@3", "here", "--note"],
    "talk": ["talk", "k"],
    "takeback": ["takeback", "--as", "kilwa", "k", "1"],
    "requests": ["requests", "k"],
    "decline": ["decline", "k", "--as", "zulu"],
    "takeback again": ["takeback", "--as", "kilwa", "k", "1"],
    "withdraw": ["withdraw", "k", "--as", "kilwa"],
    "takeback of zulu": ["takeback", "--as", "zulu", "k", "1"],
    "accept": ["accept", "k", "--as", "kilwa"],
    "known keys": ["key", "list"],
    "serve token": ["serve", "token", "kim", "--days", "30"],
    "serve tokens": ["serve", "tokens"],
    "config": ["config"],
    "completion": ["completion", "bash"],
    "help": ["help"],
    "help about a command": ["help", "log"],
    "help about the game": ["help", "potter"],
    "backup": ["backup", "copy.db"],
    "doctor": ["doctor"],
    "new-game": ["new-game", "pebbles"],
    "learn": ["learn", "pebbles.pebbles:GAME", "--games", "8"],
    "witness": ["witness", "k.witness"],
    "verify since": ["verify", "--all", "--since", "k.witness"],
    "archive": ["archive", "copy"],
    "games with archived ones": ["games", "--all"],
    "delete": ["delete", "copy"],
    "delete for good": ["delete", "copy", "--for-good", "--yes", "--yes"],
    "db": ["db", "init"],
    "db check": ["db", "check"],
    "db restore": ["db", "restore", "copy.db"],
    "db salvage": ["db", "salvage", "sqlite:///saved.db"],
    "db upgrade": ["db", "upgrade", "before.db"],
    "check": ["check", "zimbabwe", "--games", "1", "--moves", "5"],
}
"""Commands on a game of The Great Zimbabwe, typed one after the other."""


def test_the_other_answers_have_their_shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    store_options = ["--store", "sqlite:///games.db", "--by", "anna"]
    tutorial_text = get_game("zimbabwe").texts.tutorial().partition("undo")[0].replace("new tutorial", "new k")
    script = "\n".join(line for line in tutorial_text.splitlines() if line[:1] != "#")
    (tmp_path / "lines.zim").write_text("show k\nnonsense\n")
    (tmp_path / "lines.log").write_text("end\nnonsense\n")
    runner = CliRunner()
    assert (
        runner.invoke(cli, [*store_options, "run", "-"], input=f"{script}\nend\nfork k@10 other\nswitch main").exit_code
        == 0
    )
    for name, words in OTHER_COMMANDS.items():
        result = runner.invoke(cli, [*store_options, *words, "--json"])
        assert result.exit_code in (0, 1, 2 * (name == "run")), (name, result.output)
        for line in result.stdout.splitlines():
            assert decode_answer(
                line, ANSWERS_BY_COMMAND["show"] if '"tables"' in line else ANSWERS_BY_COMMAND[words[0]]
            ), name
        assert result.stdout, name


SERVED_COMMANDS = {
    entry.name for entry in ENTRIES if entry.group == "Play together" and entry.name in ANSWERS_BY_COMMAND
}
"""Commands about games on a server, whose answers `tests/remote` holds against their shapes."""


def test_the_shape_of_every_command_is_checked_against_an_answer() -> None:
    """mypy checks what a command returns; only an answer shows what is in a `dict` or `Any`."""
    assert {words[0] for words in [*QUESTIONS.values(), *OTHER_COMMANDS.values()]} | {
        "play",
        "schema",
        *SERVED_COMMANDS,
    } == set(ANSWERS_BY_COMMAND)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_command_answers_with_a_document_or_by_the_lines_that_it_runs(entry: CommandEntry) -> None:
    assert bool(entry.answer_types) == (entry.name not in ("pipe", "tutorial", "demo"))
    for answer_type in entry.answer_types:
        assert issubclass(answer_type, Answer)
        assert answer_type.__module__.startswith(("zimcore.documents.", "zimcore.features."))


ANSWER_TYPES = [answer for answer in Answer.__subclasses__() if answer.__module__.startswith("zimcore.")]


SERVER_ANSWERS = {GameAnswer, CopyAnswer}
"""Answers of a server that no command shows."""


def test_every_answer_is_given_by_a_command_or_a_server() -> None:
    assert {shape for shapes in ANSWERS_BY_COMMAND.values() for shape in shapes} | SERVER_ANSWERS == set(ANSWER_TYPES)


@pytest.mark.parametrize("answer_type", ANSWER_TYPES, ids=lambda answer_type: answer_type.__name__)
def test_the_renderer_of_an_answer_takes_its_type(answer_type: type[Answer]) -> None:
    renderer = renderers(rendering_module(answer_type.__module__))[answer_type]
    assert next(iter(get_type_hints(renderer).values())) is answer_type


def test_the_schema_allows_more_fields() -> None:
    assert b'additionalProperties":false' not in msgspec.json.encode(schema_json())


PROMISES_FILE = Path(__file__).parent.parent / "data" / "shapes.txt"
"""The promises so far: a line for each field of each shape, and for each kind of answer of a command."""


def list_promises(schema: dict[str, Any]) -> list[str]:
    """What a schema promises: `LogAnswer.commits {"type":"array",...}`; a field that may be missing has a `?`."""
    shapes = {
        f"{name}.{field}{'' if field in shape.get('required', ()) else '?'} {type_text(schema_type)}"
        for name, shape in schema["$defs"].items()
        for field, schema_type in shape["properties"].items()
    }
    answer_kinds = {
        f"{command} answers {variant['$ref']}"
        for command, answer_schema in schema["answers"].items()
        for variant in answer_schema.get("anyOf", [answer_schema])
    }
    return [f"version {schema['version']}", *sorted(shapes | answer_kinds)]


def type_text(schema_type: Any) -> str:
    """A type without its descriptions, which may change."""
    match schema_type:
        case dict():
            part_texts = (
                f'"{key}":{type_text(type_part)}'
                for key, type_part in sorted(schema_type.items())
                if key not in DESCRIPTIVE_KEYS
            )
            return f"{{{','.join(part_texts)}}}"
        case list():
            return f"[{','.join(map(type_text, schema_type))}]"
        case _:
            return json.dumps(schema_type)


DESCRIPTIVE_KEYS = ("description", "title", "default")


def find_lost_promises(old_promises: Sequence[str], new_promises: Sequence[str]) -> list[str]:
    """The promises that were broken. A field that was optional and is now always present counts as kept."""
    return [
        promise
        for promise in old_promises
        if promise not in new_promises and promise.replace("? ", " ", 1) not in new_promises
    ]


def test_shapes_only_grow(request: pytest.FixtureRequest) -> None:
    old_promises, new_promises = PROMISES_FILE.read_text("utf-8").splitlines(), list_promises(schema_json())
    if old_promises[0] == new_promises[0]:
        assert find_lost_promises(old_promises, new_promises) == [], (
            "a lost promise needs a new version: zimcore/documents/schema.py"
        )
    if request.config.getoption("update_snapshots"):
        PROMISES_FILE.write_text("\n".join(new_promises) + "\n", "utf-8")
    else:
        assert new_promises == old_promises, "--snapshot-update adds the new promises"


@pytest.mark.parametrize(
    ("new_definition", "lost_fields"),
    [
        ({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a", "b"]}, []),
        ({"type": "object", "properties": {"b": {}}, "required": ["b"]}, ["X.a"]),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, ["X.a"]),
        ({"type": "object", "properties": {"a": {"type": "integer"}}, "required": []}, ["X.a"]),
        ({"type": "object", "properties": {"a": {"anyOf": [{"type": "integer"}]}}, "required": ["a"]}, ["X.a"]),
        ({"type": "object", "properties": {"a": {"type": "integer", "title": "y"}}, "required": ["a"]}, []),
    ],
)
def test_a_field_that_is_lost_is_found(new_definition: dict[str, Any], lost_fields: list[str]) -> None:
    old_definition = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "description": "x"}
    old_and_new_promises = (
        list_promises({"version": 1, "$defs": {"X": definition}, "answers": {}})
        for definition in (old_definition, new_definition)
    )
    assert [promise.split()[0] for promise in find_lost_promises(*old_and_new_promises)] == lost_fields


def test_a_kind_of_answer_that_is_lost_is_found() -> None:
    old_schema = {"version": 1, "$defs": {}, "answers": {"do": {"anyOf": [{"$ref": "A"}, {"$ref": "B"}]}}}
    new_schema = {"version": 1, "$defs": {}, "answers": {"do": {"$ref": "A"}, "undo": {"$ref": "B"}}}
    assert find_lost_promises(list_promises(old_schema), list_promises(new_schema)) == ["do answers B"]
