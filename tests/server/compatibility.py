"""The changes between two OpenAPI documents that break a client of the earlier one: pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
SHAPE_REFERENCE_PREFIX = "#/components/schemas/"


def breaking_changes(old_schema: Schema, new_schema: Schema) -> list[str]:
    """The changes that break clients of the old schema."""
    request_shapes = {
        name for operation in operations(old_schema).values() for name in references(operation.get("requestBody", {}))
    }
    return [*broken_operations(old_schema, new_schema), *broken_shapes(old_schema, new_schema, request_shapes)]


def operations(schema: Schema) -> dict[str, Any]:
    """The operations by method and path."""
    return {
        f"{method.upper()} {path}": operation
        for path, path_item in schema["paths"].items()
        for method, operation in path_item.items()
    }


def references(schema_part: Any) -> Iterator[str]:
    """The names of shapes that a part refers to."""
    if isinstance(schema_part, Mapping):
        if isinstance(schema_part.get("$ref"), str):
            yield schema_part["$ref"].removeprefix(SHAPE_REFERENCE_PREFIX)
        for inner_part in schema_part.values():
            yield from references(inner_part)
    elif isinstance(schema_part, list):
        for inner_part in schema_part:
            yield from references(inner_part)


def broken_operations(old_schema: Schema, new_schema: Schema) -> Iterator[str]:
    """Operations, their names, parameters, bodies and answers."""
    new_operations = operations(new_schema)
    for name, old_operation in operations(old_schema).items():
        new_operation = new_operations.get(name)
        if new_operation is None:
            yield f"{name} is gone"
            continue
        if new_operation["operationId"] != old_operation["operationId"]:
            yield f"{name} has another name: generated clients call it {old_operation['operationId']}"
        yield from broken_parameters(name, parameters(old_operation), parameters(new_operation))
        if "requestBody" in new_operation and "requestBody" not in old_operation:
            yield f"{name} needs a body"
        if (
            without_descriptions(old_operation.get("requestBody"))
            != without_descriptions(new_operation.get("requestBody"))
            and "requestBody" in old_operation
        ):
            yield f"{name} takes another body"
        for status, response in old_operation["responses"].items():
            if status.startswith("2") and status not in new_operation["responses"]:
                yield f"{name} does not answer {status}"
            for media_type, content in response.get("content", {}).items():
                new_content = new_operation["responses"].get(status, {}).get("content", {})
                if status.startswith("2") and without_descriptions(new_content.get(media_type)) != without_descriptions(
                    content
                ):
                    yield f"{name} answers {status} by another {media_type}"


def parameters(operation: Schema) -> dict[str, Any]:
    """The parameters of an operation by place and name."""
    return {f"{each['in']} {each['name']}": each for each in operation.get("parameters", ())}


def broken_parameters(name: str, old_parameters: Schema, new_parameters: Schema) -> Iterator[str]:
    """Parameters that were removed, became required, or accept less."""
    yield from (
        f"{name} has no {parameter} any more" for parameter in old_parameters if parameter not in new_parameters
    )
    for key, parameter in new_parameters.items():
        if parameter["required"] and not (key in old_parameters and old_parameters[key]["required"]):
            yield f"{name} needs {key}"
        if key in old_parameters:
            yield from (
                f"{name}, {key}: {change}"
                for change in narrowed_parts(old_parameters[key]["schema"], parameter["schema"])
            )


def broken_shapes(old_schema: Schema, new_schema: Schema, request_shapes: set[str]) -> Iterator[str]:
    """Shapes, their fields and values."""
    new_shapes = new_schema["components"]["schemas"]
    for name, old_shape in old_schema["components"]["schemas"].items():
        new_shape = new_shapes.get(name)
        if new_shape is None:
            yield f"{name} is gone"
            continue
        yield from (f"{name}: {change}" for change in narrowed_parts(old_shape, new_shape))
        required_fields, old_required_fields = set(new_shape.get("required", ())), set(old_shape.get("required", ()))
        yield from (
            f"{name} needs {field}" for field in sorted(required_fields - old_required_fields) if name in request_shapes
        )
        yield from (
            f"{name} may lack {field}"
            for field in sorted(old_required_fields - required_fields)
            if name not in request_shapes
        )


def narrowed_parts(old_shape: Any, new_shape: Any) -> Iterator[str]:
    """Removed fields and values of a shape, and changed types."""
    if "$ref" in old_shape or "type" in old_shape:
        for key in ("$ref", "type", "items", "additionalProperties"):
            if without_descriptions(old_shape.get(key)) != without_descriptions(new_shape.get(key)):
                yield f"another {key}"
    yield from (
        f"the value {value!r} is gone"
        for value in old_shape.get("enum", ())
        if value not in new_shape.get("enum", [value])
    )
    for alternatives_key in ("oneOf", "anyOf"):
        alternatives = [without_descriptions(each) for each in new_shape.get(alternatives_key, ())]
        yield from (
            f"a kind is gone: {without_descriptions(alternative)}"
            for alternative in old_shape.get(alternatives_key, ())
            if without_descriptions(alternative) not in alternatives
        )
    for name, field in old_shape.get("properties", {}).items():
        if name not in new_shape.get("properties", {}):
            yield f"the field {name} is gone"
        else:
            yield from (f"{name}: {change}" for change in narrowed_parts(field, new_shape["properties"][name]))


def without_descriptions(shape: Any) -> Any:
    """A schema without its descriptions."""
    if isinstance(shape, Mapping):
        text_keys = ("description", "title", "summary")
        return {
            key: without_descriptions(value)
            for key, value in shape.items()
            if not (key in text_keys and isinstance(value, str))
        }
    return [*map(without_descriptions, shape)] if isinstance(shape, list) else shape
