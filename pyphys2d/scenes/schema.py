"""The schema of scene files, made of the tables that the loader checks with.

``python -m pyphys2d.scenes.schema`` writes ``scene.schema.json`` beside this file anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyphys2d.scenes import checks, loader, tables
from pyphys2d.scenes.checks import SCHEMAS, Check

PATH = Path(__file__).with_name("scene.schema.json")


def of(check: Check) -> dict[str, Any]:
    """What JSON Schema says of a check."""
    if check is checks.boolean:
        return {"type": "boolean"}
    if check is checks.size:
        side = {"type": ["number", "null"], "exclusiveMinimum": 0}
        return {"type": "array", "items": side, "minItems": 2, "maxItems": 2}
    if check is checks.pairs_of_materials:
        schema: dict[str, Any] = {"type": ["number", "null"], "minimum": 0}
        for least, most in ((3, 3), (1, checks.MAX_MATERIALS), (1, checks.MAX_MATERIALS)):
            schema = {"type": "array", "items": schema, "minItems": least, "maxItems": most}
        return schema
    if check is checks.segments:
        columns = {}
        for name, each in checks.SEGMENT_COLUMNS.items():
            items = SCHEMAS[each] | {"type": [SCHEMAS[each]["type"], "null"]}
            columns[name] = {
                "type": "array", "items": items, "minItems": 1, "maxItems": checks.MAX_POINTS
            }  # fmt: skip
        return {"type": "object", "properties": columns, "additionalProperties": False}
    if check is checks.rings:
        ring = SCHEMAS[checks.points(3)]
        return {"type": "array", "items": ring, "maxItems": checks.MAX_HOLES}
    if check is tables.surface:
        return {"anyOf": [SCHEMAS[checks.ANY_NUMBER], SCHEMAS[checks.points(2)]]}
    return SCHEMAS[check]


def of_fields(
    fields: Mapping[str, Check], required: tuple[str, ...] = (), **more: Any
) -> dict[str, Any]:
    """An object with these keys and no others."""
    keys = {key: of(check) for key, check in fields.items()} | more
    result = {"type": "object", "properties": keys, "additionalProperties": False}
    return result | ({"required": list(required)} if required else {})


def schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12, of a scene file."""
    text, number = {"type": "string"}, {"type": "number"}
    shapes = [
        of_fields(kind.fields, ("type", *kind.required), type={"const": name})
        for name, kind in tables.SHAPES.items()
    ]
    shape = {"anyOf": [text, {"$ref": "#/$defs/shape"}]}
    several = {"type": "array", "items": shape, "maxItems": loader.MAX_SHAPES_PER_BODY}
    collider = of_fields(tables.MATERIAL, ("shape",), shape=shape)
    colliders = {"type": "array", "items": collider, "minItems": 1}
    body = of_fields(tables.BODY, shape=shape, shapes=several, colliders=colliders)
    body["oneOf"] = [{"required": [key]} for key in ("shape", "shapes", "colliders")]
    end = {"type": ["string", "null"]}
    joints = []
    for name, parameters in tables.JOINTS.items():
        places = {key: tables.ANCHOR_CHECKS[key] for key in tables.ANCHORS[name]}
        own = {"type": {"const": name}, "label": text, "collide_connected": {"type": "boolean"}}
        if name == "gear":
            sides = {"joint_a": text, "joint_b": text}
            joints.append(of_fields(parameters, ("type", *sides), **own, **sides))
        else:
            ends = ("b",) if name == "mouse" else ("a", "b")
            keys = {**parameters, **places, **tables.LOCAL}
            joints.append(of_fields(keys, ("type", *ends), **own, a=end, b=text))
    fields = [
        of_fields(keys, ("type",), type={"const": name}) for name, keys in tables.FIELDS.items()
    ]
    numbers = {"type": "array", "items": number, "minItems": 4, "maxItems": 4}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scene file of pyphys2d",
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 100},
            "description": {"type": "string", "maxLength": 1000},
            "dt": {"type": "number", "minimum": 1e-9, "maximum": 1},
            "steps": {"type": "integer", "minimum": 1, "maximum": loader.MAX_STEPS},
            "view": numbers,
            "world": of_fields(tables.WORLD),
            "shapes": {"type": "object", "additionalProperties": {"$ref": "#/$defs/shape"}},
            "bodies": {"type": "array", "items": body, "maxItems": loader.MAX_BODIES},
            "joints": {"type": "array", "items": {"anyOf": joints}},
            "fields": {"type": "array", "items": {"anyOf": fields}},
        },
        "required": ["bodies"],
        "additionalProperties": False,
        "$defs": {"shape": {"anyOf": shapes}},
    }


def text() -> str:
    """The schema as its file has it."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
