"""Reads a command from a JSON object. Its parameters have the names that they have in the shell.

`{"log": {"place": "kilwa-7", "where": "zulu.vp > 3"}}` is `zim log kilwa-7 --where "zulu.vp > 3"`. The parameters may
also be next to the command; the command's value then has the arguments after the place: `{"do": ["bid 3"], "place":
"kilwa-7"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import click

from zimcli.shell.registry import ENTRIES_BY_NAME, CommandEntry
from zimcli.shell.typed_words import check_words
from zimcore.game import NotationError
from zimcore.service.records.places import similar_names
from zimcore.toolkit.characters import composed

SHARED_OPTIONS = ("as", "open", "by")
"""Options of `zim` itself that a request may have. Output options are not among them: answers are documents."""
OLD_NAMES: Mapping[str, Mapping[str, str]] = {
    "advice": {"words": "beginning"},
    "amend": {"text": "command"},
    "audit": {"paths": "files"},
    "bisect": {"words": "expression"},
    "expect": {"words": "expression"},
    "explain": {"words": "command"},
    "help": {"words": "name"},
    "preview": {"words": "command"},
    "new-game": {"folder": "name"},
    "why": {"words": "subject"},
}
"""What parameters of commands were called before; accepted until the first release after 0.1."""
NAME_KEY = "name"
"""The key for the name of a new game, where all other keys are its options."""
MAX_NAMED_KEYS = 8
"""The most keys that an error names."""
EXCLUDED_COMMANDS = ("pipe",)
"""Commands that a request may not name: they would read the following requests themselves."""


class PipeRequest(NamedTuple):
    """A command, its parameters, and the options of `zim` itself."""

    entry: CommandEntry
    parameter_values: Mapping[str, Any]
    shared_values: Mapping[str, Any]


def parse_request(fields: Mapping[str, Any]) -> PipeRequest:
    """Parses a request. Raises `NotationError`, with the names that would be valid."""
    entry = find_command(fields)
    own_parameters, is_nested = parameters(entry), isinstance(fields[entry.name], Mapping)
    # `by` is who asks next to a command, and inside it what that command calls so.
    shared_values = {
        key: fields[key] for key in SHARED_OPTIONS if is_nested and key in fields and key in own_parameters
    }
    typed_values = request_parameters(entry, {key: fields[key] for key in fields if key not in shared_values})
    shared_values |= {
        key: typed_values.pop(key) for key in SHARED_OPTIONS if key in typed_values and key not in own_parameters
    }
    for key, value in shared_values.items():
        if not isinstance(value, bool if key == "open" else str):
            raise NotationError(f"{key}: {value}", "this is not a value for it", [f'"{key}": "zulu"', '"open": true'])
    return PipeRequest(entry, typed_values, shared_values)


def find_command(fields: Mapping[str, Any]) -> CommandEntry:
    """The command of a request: the key that is a command. Of several, the one that takes the others as parameters."""
    entries = [ENTRIES_BY_NAME[key] for key in fields if key in ENTRIES_BY_NAME and key not in EXCLUDED_COMMANDS]
    if len(entries) > 1:  # the name of a command may also be a parameter of the other
        entries = [
            entry for entry in entries if all(has_parameter(entry, key) for key in fields if key != entry.name)
        ] or entries
    if len(entries) == 1:
        return entries[0]
    if entries:
        reason = "each of these is a command, and a request has one"
        raise NotationError(" and ".join(entry.name for entry in entries), reason, ['{"log": {"place": "kilwa-7"}}'])
    first_keys = [*islice(fields, MAX_NAMED_KEYS)]
    hints = [hint for key in first_keys for hint in similar_names(key, ENTRIES_BY_NAME)]
    first_word = str(fields.get("command", "")).partition(" ")[0]
    if "command" in fields:
        command_name = first_word if first_word in ENTRIES_BY_NAME else "log"
        reason = "a request has its command as a key, and the parameters as that one's value"
        raise NotationError("command", reason, [f'{{"{command_name}": {{"place": "kilwa-7"}}}}', "help pipe"])
    raise NotationError("which command", f"none of {', '.join(first_keys) or 'nothing'} is one", hints or ["help"])


def request_parameters(entry: CommandEntry, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a request, next to the command and inside it. Raises `NotationError` for an unknown one."""
    values, own_values = {key: value for key, value in fields.items() if key != entry.name}, fields[entry.name]
    nested_values = own_values if isinstance(own_values, Mapping) else arguments_of(entry, own_values)
    if duplicates := [key for key in nested_values if key in values]:
        raise NotationError(
            f"{duplicates[0]} twice", "it is given both next to the command and inside it", [f"help {entry.name}"]
        )
    old_names = OLD_NAMES.get(entry.name, {})
    values = {old_names.get(key, key): value for key, value in {**values, **nested_values}.items()}
    for key in values:
        if not has_parameter(entry, key):
            names = [*dict.fromkeys([*parameters(entry), *SHARED_OPTIONS])]
            hints = similar_names(key, names) or [f"help {entry.name}"]
            raise NotationError(f"{key} is no parameter of {entry.name}", f"it takes {', '.join(names)}", hints)
    return {key: value for key, value in values.items() if value is not None}


def arguments_of(entry: CommandEntry, value: Any) -> dict[str, Any]:
    """The parameters in a value that is not an object: the arguments after the place, or else the place itself.

    >>> arguments_of(ENTRIES_BY_NAME["do"], ["bid 3"]), arguments_of(ENTRIES_BY_NAME["log"], "kilwa-7")
    ({'commands': ['bid 3']}, {'place': ['kilwa-7']})
    >>> arguments_of(ENTRIES_BY_NAME["games"], True)
    {}
    """
    if value is None or value is True or value == []:
        return {}
    names = [name for name, parameter in parameters(entry).items() if isinstance(parameter, click.Argument)]
    if entry.takes_a_place:
        names = [name for name in names[1:] if name != open_ended_argument(entry)] or names[:1]
    if not names:
        raise NotationError(f"{entry.name}: {value}", f"{entry.name} takes no words", [f'{{"{entry.name}": true}}'])
    words = shell_texts(entry.name, value)
    arguments: dict[str, Any] = dict(zip(names[:-1], words, strict=False))
    return arguments | ({names[-1]: words[len(names) - 1 :]} if len(words) >= len(names) else {})


def has_parameter(entry: CommandEntry, key: str) -> bool:
    """Whether a command has a parameter of that name. A command with options of games accepts any name."""
    return key in parameters(entry) or key in SHARED_OPTIONS or open_ended_argument(entry) is not None


@cache
def parameters(entry: CommandEntry) -> Mapping[str, click.Parameter]:
    """The parameters of a command by their names in the shell: `place`, and `where` for `--where`."""
    parameters_by_name: dict[str, click.Parameter] = {}
    for parameter in entry.load_command().params:
        if isinstance(parameter, click.Argument):
            parameters_by_name[parameter.name or ""] = parameter
        elif isinstance(parameter, click.Option) and parameter.expose_value and not parameter.hidden:
            parameters_by_name |= {
                name.removeprefix("--"): parameter for name in parameter.opts if name.startswith("--")
            }
    return parameters_by_name


def open_ended_argument(entry: CommandEntry) -> str | None:
    """The argument that takes options known only to the games (`--players 4`, `--reach d4`), if there is one."""
    return next((name for name, each in parameters(entry).items() if each.type is click.UNPROCESSED), None)


def begins_a_game(entry: CommandEntry) -> bool:
    """Whether a command begins a game: its open-ended argument starts with a name."""
    name = open_ended_argument(entry)
    return name is not None and (parameters(entry)[name].metavar or "").startswith("[NAME]")


def amendment_argument(entry: CommandEntry) -> str | None:
    """The argument that takes the place of a move, if there is one: an empty text leaves the move out."""
    arguments = (name for name, each in parameters(entry).items() if isinstance(each, click.Argument))
    return next(
        (name for name, kind in zip(arguments, entry.argument_kinds, strict=False) if kind == "amendment"), None
    )


def function_arguments(entry: CommandEntry, values: Mapping[str, Any], context: click.Context) -> dict[str, Any]:
    """The arguments for the function of a command, parsed as the shell would, twenty times as fast.

    Raises `NotationError` and click's errors.
    """
    parameters_by_name, arguments, game_words = parameters(entry), dict(defaults(entry)), list[str]()
    for key, value in values.items():
        parameter = parameters_by_name.get(key)
        if parameter is None and key == NAME_KEY and begins_a_game(entry):
            game_words = [*shell_texts(key, value), *game_words]
        elif parameter is None:
            game_words += [f"--{key}", *([] if value is True else shell_texts(key, value))]
        elif value is not False or not isinstance(parameter, click.Option):
            leaves_move_out = value in ("", [""]) and key == amendment_argument(entry)
            arguments[parameter.name or ""] = "" if leaves_move_out else read_parameter(key, parameter, value, context)
    if game_words:
        check_words(game_words)
        name = open_ended_argument(entry) or ""
        arguments[name] = (*(arguments[name] or ()), *game_words)
    missing_parameters = [
        parameter
        for parameter in parameters_by_name.values()
        if parameter.required and arguments[parameter.name or ""] in (None, ())
    ]
    if missing_parameters:
        raise click.MissingParameter(ctx=context, param=missing_parameters[0])
    return arguments


def shell_words(request: PipeRequest) -> list[str]:
    """The request as it would be typed in the shell."""
    names = [name for name, each in parameters(request.entry).items() if isinstance(each, click.Argument)]
    values = request.parameter_values
    words = [request.entry.name, *(text for name in names if name in values for text in texts_of(values[name]))]
    for name, value in {**values, **request.shared_values}.items():
        if name not in names and value is not False:
            words += [f"--{name}", *([] if value is True else texts_of(value))]
    return words


def texts_of(value: object) -> list[str]:
    """A value, or each of a list, as text."""
    return [str(each) for each in (value if isinstance(value, list | tuple) else [value])]


@cache
def defaults(entry: CommandEntry) -> Mapping[str, Any]:
    """The default values of a command's parameters."""
    return entry.load_command().make_context(entry.name, [], resilient_parsing=True).params


def read_parameter(key: str, parameter: click.Parameter, value: Any, context: click.Context) -> Any:
    """Parses the value of one parameter. Raises `NotationError` and click's errors."""
    if isinstance(parameter, click.Option) and parameter.is_flag:
        if value is not True:
            raise NotationError(f"{key}: {value}", "it is true or false", [f'"{key}": true'])
        return parameter.flag_value if isinstance(parameter.flag_value, str) else True
    if value is True and isinstance(parameter, click.Option) and parameter.count:
        return 1  # as the option alone
    if value is True and isinstance(parameter, click.Option) and isinstance(parameter.flag_value, str):
        return parameter.flag_value
    texts = shell_texts(key, value)
    check_words(texts)
    values = [parameter.type(text, parameter, context) for text in texts]
    if parameter.nargs == -1 or parameter.multiple:
        return tuple(values)
    if len(values) != 1:
        raise NotationError(f"{key}: {value}", "it takes only one value", [])
    return values[0]


def shell_texts(key: str, value: Any) -> list[str]:
    """A text or a number, or a list of them, as the strings that the shell would have. Raises `NotationError`."""
    values = value if isinstance(value, list) else [value]
    for single_value in values:
        if isinstance(single_value, bool) or not isinstance(single_value, str | int | float):
            raise NotationError(f"{key}: {single_value}", "write a text, a number, or a list of them")
    return [composed(str(single_value)) for single_value in values]


def parameters_schema(entry: CommandEntry, game_options: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The parameters of a command as JSON Schema; a command that begins a game also has `game_options`, with help."""
    declared_parameters = parameters(entry)
    required_names = [name for name, each in declared_parameters.items() if each.required and name != "place"]
    shared_schemas = {"as": {"type": "string"}, "open": {"type": "boolean"}, "by": {"type": "string"}}
    property_schemas = shared_schemas | {name: parameter_schema(each) for name, each in declared_parameters.items()}
    if begins_a_game(entry):
        property_schemas[NAME_KEY] = {"type": "string"}
        for key, text in (game_options or {}).items():
            property_schemas.setdefault(key, {"type": ["string", "integer"], "description": text})
    return {"type": "object", "properties": property_schemas, "required": required_names}


def parameter_schema(parameter: click.Parameter) -> dict[str, Any]:
    """The JSON Schema of one parameter, with its help."""
    description = {"description": parameter.help} if isinstance(parameter, click.Option) and parameter.help else {}
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return {"type": "boolean", **description}
    item_schema: dict[str, Any] = {"type": "string"}
    if isinstance(parameter.type, click.Choice):
        item_schema = {"enum": [*parameter.type.choices]}
    elif isinstance(parameter.type, click.types.IntParamType):
        item_schema = {"type": "integer"}
    is_list = parameter.nargs == -1 or getattr(parameter, "multiple", False)
    return (
        {"anyOf": [item_schema, {"type": "array", "items": item_schema}], **description}
        if is_list
        else {**item_schema, **description}
    )
