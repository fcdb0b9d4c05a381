"""Reads a command from a JSON object. Its parameters have the names that they have in the shell.

`{"log": {"place": "kilwa-7", "where": "zulu.vp > 3"}}` is `zim log kilwa-7 --where "zulu.vp > 3"`. The parameters may
also be next to the command; the command's value then has the arguments after the place: `{"do": ["bid 3"], "place":
"kilwa-7"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import click

from zimcli.registry import BY_NAME, CommandEntry
from zimcli.typed_words import check_typed
from zimcore.game import NotationError
from zimcore.service.places import similar_names

SHARED = ("as", "open", "by")
"""Options of `zim` itself that a request may have. Output options are not among them: answers are documents."""
NOT_HERE = ("pipe",)
"""Commands that a request may not name: they would read the following requests themselves."""


class PipeRequest(NamedTuple):
    """A command, its parameters, and the options of `zim` itself."""

    entry: CommandEntry
    given: Mapping[str, Any]
    shared: Mapping[str, Any]


def request(found: Mapping[str, Any]) -> PipeRequest:
    """Parses a request. Raises `NotationError`, with the names that would be valid."""
    entry = command_in(found)
    given = parameters_in(entry, found)
    own = parameters(entry)
    shared = {key: given.pop(key) for key in SHARED if key in given and key not in own}
    for key, value in shared.items():
        if not isinstance(value, bool if key == "open" else str):
            raise NotationError(f"{key}: {value}", "this is not a value for it", [f'"{key}": "zulu"', '"open": true'])
    return PipeRequest(entry, given, shared)


def command_in(found: Mapping[str, Any]) -> CommandEntry:
    """The command of a request: the key that is a command. Of several, the one that takes the others as parameters."""
    named = [BY_NAME[key] for key in found if key in BY_NAME and key not in NOT_HERE]
    if len(named) > 1:  # the name of a command may also be a parameter of the other
        named = [each for each in named if all(has_parameter(each, key) for key in found if key != each.name)] or named
    if len(named) == 1:
        return named[0]
    if named:
        why = "each of these is a command, and a request has one"
        raise NotationError(" and ".join(entry.name for entry in named), why, ['{"log": {"place": "kilwa-7"}}'])
    hints = [hint for key in found for hint in similar_names(key, BY_NAME)]
    word = str(found.get("command", "")).partition(" ")[0]
    if "command" in found:
        what = word if word in BY_NAME else "log"
        why = "a request has its command as a key, and the parameters as that one's value"
        raise NotationError("command", why, [f'{{"{what}": {{"place": "kilwa-7"}}}}', "help pipe"])
    raise NotationError("which command", f"none of {', '.join(found) or 'nothing'} is one", hints or ["help"])


def parameters_in(entry: CommandEntry, found: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a request, next to the command and inside it. Raises `NotationError` for an unknown one."""
    given, own = {key: value for key, value in found.items() if key != entry.name}, found[entry.name]
    inside = own if isinstance(own, Mapping) else arguments_of(entry, own)
    if twice := [key for key in inside if key in given]:
        raise NotationError(
            f"{twice[0]} twice", "it is given both next to the command and inside it", [f"help {entry.name}"]
        )
    given |= inside
    for key in given:
        if not has_parameter(entry, key):
            names = [*parameters(entry), *SHARED]
            hints = similar_names(key, names) or [f"help {entry.name}"]
            raise NotationError(f"{key} is no parameter of {entry.name}", f"it takes {', '.join(names)}", hints)
    return {key: value for key, value in given.items() if value is not None}


def arguments_of(entry: CommandEntry, value: Any) -> dict[str, Any]:
    """The parameters in a value that is not an object: the arguments after the place, or else the place itself.

    >>> arguments_of(BY_NAME["do"], ["bid 3"]), arguments_of(BY_NAME["log"], "kilwa-7")
    ({'commands': ['bid 3']}, {'place': ['kilwa-7']})
    >>> arguments_of(BY_NAME["games"], True)
    {}
    """
    if value is None or value is True or value == []:
        return {}
    names = [name for name, each in parameters(entry).items() if isinstance(each, click.Argument)]
    if entry.takes_a_place:
        names = [name for name in names[1:] if name != open_ended(entry)] or names[:1]
    if not names:
        raise NotationError(f"{entry.name}: {value}", f"{entry.name} takes no words", [f'{{"{entry.name}": true}}'])
    several = texts(entry.name, value)
    found: dict[str, Any] = dict(zip(names[:-1], several, strict=False))
    return found | ({names[-1]: several[len(names) - 1 :]} if len(several) >= len(names) else {})


def has_parameter(entry: CommandEntry, key: str) -> bool:
    """Whether a command has a parameter of that name. A command with options of games accepts any name."""
    return key in parameters(entry) or key in SHARED or open_ended(entry) is not None


@cache
def parameters(entry: CommandEntry) -> Mapping[str, click.Parameter]:
    """The parameters of a command by their names in the shell: `place`, and `where` for `--where`."""
    found: dict[str, click.Parameter] = {}
    for each in entry.load().params:
        if isinstance(each, click.Argument):
            found[each.name or ""] = each
        elif isinstance(each, click.Option) and each.expose_value and not each.hidden:
            found |= {name.removeprefix("--"): each for name in each.opts if name.startswith("--")}
    return found


def open_ended(entry: CommandEntry) -> str | None:
    """The argument that takes options known only to the games (`--players 4`, `--reach d4`), if there is one."""
    return next((name for name, each in parameters(entry).items() if each.type is click.UNPROCESSED), None)


def amendment(entry: CommandEntry) -> str | None:
    """The argument that takes the place of a move, if there is one: an empty text leaves the move out."""
    arguments = (name for name, each in parameters(entry).items() if isinstance(each, click.Argument))
    return next((name for name, kind in zip(arguments, entry.takes, strict=False) if kind == "amendment"), None)


def function_arguments(entry: CommandEntry, given: Mapping[str, Any], context: click.Context) -> dict[str, Any]:
    """The arguments for the function of a command, parsed as the shell would, twenty times as fast.

    Raises `NotationError` and click's errors.
    """
    known, found, rest = parameters(entry), dict(defaults(entry)), list[str]()
    for key, value in given.items():
        each = known.get(key)
        if each is None:
            rest += [f"--{key}", *([] if value is True else texts(key, value))]
        elif value is not False or not isinstance(each, click.Option):
            leaves_out = value in ("", [""]) and key == amendment(entry)
            found[each.name or ""] = "" if leaves_out else read_parameter(key, each, value, context)
    if rest:
        check_typed(rest)
        name = open_ended(entry) or ""
        found[name] = (*(found[name] or ()), *rest)
    missing = [each for each in known.values() if each.required and found[each.name or ""] in (None, ())]
    if missing:
        raise click.MissingParameter(ctx=context, param=missing[0])
    return found


@cache
def defaults(entry: CommandEntry) -> Mapping[str, Any]:
    """The default values of a command's parameters."""
    return entry.load().make_context(entry.name, [], resilient_parsing=True).params


def read_parameter(key: str, declared: click.Parameter, value: Any, context: click.Context) -> Any:
    """Parses the value of one parameter. Raises `NotationError` and click's errors."""
    if isinstance(declared, click.Option) and declared.is_flag:
        if value is not True:
            raise NotationError(f"{key}: {value}", "it is true or false", [f'"{key}": true'])
        return declared.flag_value if isinstance(declared.flag_value, str) else True
    if value is True and isinstance(declared, click.Option) and isinstance(declared.flag_value, str):
        return declared.flag_value
    found = texts(key, value)
    check_typed(found)
    several = [declared.type(text, declared, context) for text in found]
    if declared.nargs == -1 or declared.multiple:
        return tuple(several)
    if len(several) != 1:
        raise NotationError(f"{key}: {value}", "it takes only one value", [])
    return several[0]


def texts(key: str, value: Any) -> list[str]:
    """A text or a number, or a list of them, as the strings that the shell would have. Raises `NotationError`."""
    several = value if isinstance(value, list) else [value]
    for each in several:
        if isinstance(each, bool) or not isinstance(each, str | int | float):
            raise NotationError(f"{key}: {each}", "write a text, a number, or a list of them")
    return [str(each) for each in several]


def shape(entry: CommandEntry) -> dict[str, Any]:
    """The parameters of a command as JSON Schema."""
    known = parameters(entry)
    needed = [name for name, each in known.items() if each.required and name != "place"]
    shared = {"as": {"type": "string"}, "open": {"type": "boolean"}, "by": {"type": "string"}}
    found = shared | {name: kind(each) for name, each in known.items()}
    return {"type": "object", "properties": found, "required": needed}


def kind(declared: click.Parameter) -> dict[str, Any]:
    """The JSON Schema of one parameter, with its help."""
    said = {"description": declared.help} if isinstance(declared, click.Option) and declared.help else {}
    if isinstance(declared, click.Option) and declared.is_flag:
        return {"type": "boolean", **said}
    one: dict[str, Any] = {"type": "string"}
    if isinstance(declared.type, click.Choice):
        one = {"enum": [*declared.type.choices]}
    elif isinstance(declared.type, click.types.IntParamType):
        one = {"type": "integer"}
    several = declared.nargs == -1 or getattr(declared, "multiple", False)
    return {"anyOf": [one, {"type": "array", "items": one}], **said} if several else {**one, **said}
