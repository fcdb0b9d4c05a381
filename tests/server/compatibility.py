"""Which changes of an OpenAPI break a client that was written for an earlier one: pure functions over both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
SHAPES = "#/components/schemas/"


def breaks(before: Schema, now: Schema) -> list[str]:
    """The changes after `before` that break its clients."""
    asked = {name for each in operations(before).values() for name in references(each.get("requestBody", {}))}
    return [*broken_operations(before, now), *broken_shapes(before, now, asked)]


def operations(schema: Schema) -> dict[str, Any]:
    """The operations by method and path."""
    return {f"{how.upper()} {path}": each for path, at in schema["paths"].items() for how, each in at.items()}


def references(part: Any) -> Iterator[str]:
    """The names of shapes that a part refers to."""
    if isinstance(part, Mapping):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"].removeprefix(SHAPES)
        for each in part.values():
            yield from references(each)
    elif isinstance(part, list):
        for each in part:
            yield from references(each)


def broken_operations(before: Schema, now: Schema) -> Iterator[str]:
    """Operations, their names, parameters, bodies and answers."""
    there = operations(now)
    for name, old in operations(before).items():
        new = there.get(name)
        if new is None:
            yield f"{name} is gone"
            continue
        if new["operationId"] != old["operationId"]:
            yield f"{name} has another name: generated clients call it {old['operationId']}"
        yield from broken_parameters(name, parameters(old), parameters(new))
        if "requestBody" in new and "requestBody" not in old:
            yield f"{name} needs a body"
        if bare(old.get("requestBody")) != bare(new.get("requestBody")) and "requestBody" in old:
            yield f"{name} takes another body"
        for status, answer in old["responses"].items():
            if status.startswith("2") and status not in new["responses"]:
                yield f"{name} does not answer {status}"
            for media, content in answer.get("content", {}).items():
                old_content = new["responses"].get(status, {}).get("content", {})
                if status.startswith("2") and bare(old_content.get(media)) != bare(content):
                    yield f"{name} answers {status} by another {media}"


def parameters(operation: Schema) -> dict[str, Any]:
    """The parameters of an operation by place and name."""
    return {f"{each['in']} {each['name']}": each for each in operation.get("parameters", ())}


def broken_parameters(name: str, old: Schema, new: Schema) -> Iterator[str]:
    """Parameters that were removed, became required, or accept less."""
    yield from (f"{name} has no {each} any more" for each in old if each not in new)
    for key, each in new.items():
        if each["required"] and not (key in old and old[key]["required"]):
            yield f"{name} needs {key}"
        if key in old:
            yield from (f"{name}, {key}: {why}" for why in narrower(old[key]["schema"], each["schema"]))


def broken_shapes(before: Schema, now: Schema, asked: set[str]) -> Iterator[str]:
    """Shapes, their fields and values."""
    new_shapes = now["components"]["schemas"]
    for name, old in before["components"]["schemas"].items():
        new = new_shapes.get(name)
        if new is None:
            yield f"{name} is gone"
            continue
        yield from (f"{name}: {why}" for why in narrower(old, new))
        needed, was = set(new.get("required", ())), set(old.get("required", ()))
        yield from (f"{name} needs {each}" for each in sorted(needed - was) if name in asked)
        yield from (f"{name} may lack {each}" for each in sorted(was - needed) if name not in asked)


def narrower(old: Any, new: Any) -> Iterator[str]:
    """Removed fields and values of a shape, and changed types."""
    if "$ref" in old or "type" in old:
        for key in ("$ref", "type", "items", "additionalProperties"):
            if bare(old.get(key)) != bare(new.get(key)):
                yield f"another {key}"
    yield from (f"the value {each!r} is gone" for each in old.get("enum", ()) if each not in new.get("enum", [each]))
    for kind in ("oneOf", "anyOf"):
        kinds = [bare(each) for each in new.get(kind, ())]
        yield from (f"a kind is gone: {bare(each)}" for each in old.get(kind, ()) if bare(each) not in kinds)
    for name, field in old.get("properties", {}).items():
        if name not in new.get("properties", {}):
            yield f"the field {name} is gone"
        else:
            yield from (f"{name}: {why}" for why in narrower(field, new["properties"][name]))


def bare(shape: Any) -> Any:
    """A schema without its descriptions."""
    if isinstance(shape, Mapping):
        words = ("description", "title", "summary")
        return {key: bare(each) for key, each in shape.items() if not (key in words and isinstance(each, str))}
    return [*map(bare, shape)] if isinstance(shape, list) else shape
