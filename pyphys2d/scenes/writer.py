"""Writes scene files: a world as JSON that people can read and `load` reads back.

A scene file describes a scene: what there is, where, and how fast. What a step leaves for the next
one beside that (impulses of contacts, sleep timers, clocks) is in snapshots alone. A world that has
made no step, and from which nothing was removed, comes back with the same `World.hash`.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
from collections import Counter
from typing import Any

import numpy as np

from pyphys2d import (
    Body,
    GearJoint,
    Shape,
    World,
    _core,
    _files,
)
from pyphys2d.scenes import tables
from pyphys2d.scenes.checks import SEGMENT_DEFAULTS

PLAIN_JOINTS = ("lower", "upper")

# What writes files of other kinds than scenes.
WRITTEN_BY = {
    **dict.fromkeys((".gif", ".mp4"), "p2.simulate(world, seconds=5).animate().save({})"),
    **dict.fromkeys((".html", ".htm"), "p2.simulate(world, seconds=5).to_html({})"),
    **dict.fromkeys(
        (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp"),
        "p2.plot.world(world).figure.savefig({})",
    ),
    ".npz": "p2.simulate(world, seconds=5).save({})",
    ".bin": "pathlib.Path({}).write_bytes(world.snapshot())",
    **dict.fromkeys((".pickle", ".pkl"), "pathlib.Path({}).write_bytes(pickle.dumps(world))"),
    **dict.fromkeys((".npy", ".csv", ".webm", ".parquet", ".zarr"), ""),
}


def save(world: World, path: str | os.PathLike[str], *, name: str = "") -> None:
    """Write a world as a scene file. An existing file is replaced once the new one is complete.

    Parameters
    ----------
    world : World
    path : path
    name : str
        Of the scene.

    Raises
    ------
    TypeError
        For something that is no World.
    ValueError
        For the suffix of another kind of file, as ``.gif``; the message says what writes it.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import pyphys2d as p2
    >>> world = p2.World()
    >>> ball = world.add_body(p2.Circle(1), (0, 5), name="ball")
    >>> p2.save(world, "/tmp/ball.json")
    >>> p2.load("/tmp/ball.json").hash() == world.hash()
    True
    """
    text = dumps(world, name=name)
    _files.refuse_other_kinds(path, (".json",), WRITTEN_BY)
    _files.save(path, lambda place: place.write_text(text, encoding="utf-8"))


def dumps(world: World, *, name: str = "") -> str:
    """The text of a scene file; one line for each thing."""
    if not isinstance(world, World):
        raise TypeError(f"world: must be a World, got {type(world).__name__}")
    document = describe(world)
    if name:
        document = {"name": name, **document}
    parts = []
    for key, value in document.items():
        if isinstance(value, list):
            inside = ",\n    ".join(_line(entry) for entry in value)
            parts.append(f'  "{key}": [\n    {inside}\n  ]' if value else f'  "{key}": []')
        elif key == "shapes":
            inside = ",\n    ".join(f"{_line(k)}: {_line(v)}" for k, v in value.items())
            parts.append(f'  "{key}": {{\n    {inside}\n  }}')
        else:
            parts.append(f'  "{key}": {_line(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def describe(world: World) -> dict[str, Any]:
    """What a scene file says of a world, as JSON's objects."""
    colliders = list(world.colliders)
    uses = Counter(collider.shape for collider in colliders)
    shared = [shape for shape, count in uses.items() if count > 1]
    names: dict[Shape, str] = {}
    numbers: Counter[str] = Counter()
    for shape in shared:
        kind = shape_of(shape)["type"]
        numbers[kind] += 1
        names[shape] = f"{kind} {numbers[kind]}"
    labels = _labels(world)
    document: dict[str, Any] = {"world": _settings(world)}
    if names:
        document["shapes"] = {name: shape_of(shape) for shape, name in names.items()}
    document["bodies"] = [_body(body, names, labels) for body in world.bodies]
    joints = _joints(world, labels)
    if joints:
        document["joints"] = joints
    fields = [_field(field) for field in world.fields]
    if fields:
        document["fields"] = fields
    return document


def _settings(world: World) -> dict[str, Any]:
    default, result = World(length_unit=world.length_unit), {}
    if world.length_unit != 1:
        result["length_unit"] = world.length_unit
    for key in tables.WORLD:
        value, usual = _plain(getattr(world, key)), _plain(getattr(default, key))
        if key == "wrap" and value is not None:
            value = [None if side == float("inf") else side for side in value]
        if key == "material_pairs":
            value = [[[None if x != x else x for x in pair] for pair in row] for row in value]
        if value != usual and value is not None:
            result[key] = value
    return {"gravity": world.gravity.tolist(), **result}


def _labels(world: World) -> dict[int, dict[str, str]]:
    """What each body is called in the file: its name, or a label where that is not enough."""
    taken = Counter(body.name for body in world.bodies if body.name)
    tied = {body.index for joint in world.joints for body in (joint.body_a, joint.body_b) if body}
    result: dict[int, dict[str, str]] = {}
    for body in world.bodies:
        own: dict[str, str] = {"name": body.name} if body.name else {}
        if body.index in tied and taken[body.name] != 1:  # type: ignore[index]
            label = f"body {body.index}"
            while label in taken:
                label += "'"
            own["label"] = label
        result[body.index] = own
    return result


def shape_of(shape: Shape) -> dict[str, Any]:
    """A shape as an object with its type."""
    kind = tables.shape_kind(shape)
    keys = tables.SHAPES[kind].values(shape)
    usual = {"center": [0, 0], "angle": 0, "radius": 0, "rounding": 0, "holes": [], "loop": False}
    usual["recenter"] = False
    plain = {key: _plain(value) for key, value in keys.items()}
    return {"type": kind} | {
        key: value
        for key, value in plain.items()
        if key not in usual or value != usual[key] or key in tables.SHAPES[kind].required
    }


def _segments(table: np.ndarray[Any, Any] | None) -> dict[str, list[float | None]] | None:
    """The columns in which a segment has something of its own."""
    if table is None:
        return None
    columns = {}
    for name, usual in SEGMENT_DEFAULTS.items():
        column = [None if x != x or x == usual else x for x in table[name].tolist()]
        if any(x is not None for x in column):
            columns[name] = column
    # One that says nothing still tells that there are surfaces.
    return columns or {"friction": [None] * len(table)}


def _changed(thing: Any, defaults: dict[str, Any]) -> dict[str, Any]:
    found = {key: _plain(getattr(thing, key)) for key in defaults if key != "segments"}
    if "segments" in defaults:
        found["segments"] = _segments(thing.segments)
    return {key: value for key, value in found.items() if value != defaults[key]}


def _body(body: Body, names: dict[Shape, str], labels: dict[int, dict[str, str]]) -> dict[str, Any]:
    result: dict[str, Any] = {**labels[body.index]}
    if body.kind != "dynamic":
        result["kind"] = body.kind
    result["position"] = body.position.tolist()
    result |= _changed(body, tables.BODY_DEFAULTS)
    colliders = body.colliders
    materials = [_changed(collider, tables.MATERIAL_DEFAULTS) for collider in colliders]
    shapes = [names.get(collider.shape) or shape_of(collider.shape) for collider in colliders]
    if not colliders or all(material == materials[0] for material in materials):
        result |= materials[0] if materials else {}
        result |= {"shape": shapes[0]} if len(shapes) == 1 else {"shapes": shapes}
    else:
        result["colliders"] = [
            {"shape": shape, **material} for shape, material in zip(shapes, materials, strict=True)
        ]
    if body.sleep_threshold is not None:
        result["sleep_threshold"] = body.sleep_threshold
    given = zip(("mass", "inertia", "center_of_mass"), _core._given_mass(body), strict=True)
    if body.kind == "dynamic":
        result |= {key: _plain(getattr(body, key)) for key, own in given if own}
    if "mass" in result and all(material == materials[0] for material in materials):
        result.pop("density", None)
    return result


def _joints(world: World, labels: dict[int, dict[str, str]]) -> list[dict[str, Any]]:
    geared = {
        joint.index for gear in world.joints if isinstance(gear, GearJoint)
        for joint in (gear.joint_a, gear.joint_b)
    }  # fmt: skip
    result = []
    for joint in world.joints:
        entry: dict[str, Any] = {"type": joint.kind}
        if joint.index in geared:
            entry["label"] = f"joint {joint.index}"
        if isinstance(joint, GearJoint):
            for side in ("joint_a", "joint_b"):
                entry[side] = f"joint {getattr(joint, side).index}"
        else:
            for side, body in (("a", joint.body_a), ("b", joint.body_b)):
                own = None if body is None else labels[body.index]
                entry[side] = None if own is None else own.get("label", own.get("name"))
            frame = _core._joint_frame(joint)
            entry["local_anchor_a"], entry["local_anchor_b"] = list(frame[:2]), list(frame[2:4])
            entry["local_axis"], entry["reference_angle"] = list(frame[4:6]), frame[6]
        if joint.collide_connected != _collides_by_default(joint.kind):
            entry["collide_connected"] = bool(joint.collide_connected)
        told_else = _told_else(joint)
        for key in tables.JOINTS[joint.kind]:
            value = _plain(getattr(joint, key))
            if value is None or (isinstance(value, float) and not np.isfinite(value)):
                continue
            if key in told_else:
                continue
            entry[key] = value
        result.append(entry)
    return result


def _told_else(joint: Any) -> set[str]:
    """What follows from what the springs of a joint are told by."""
    told_else = set[str]()
    for newtons, hertz in (
        (tables.ELASTIC, tables.SPRING),
        (tables.PAIRED_ELASTIC, tables.PAIRED),
    ):
        elastic = any(getattr(joint, key, 0) > 0 for key in newtons)
        told_else |= set(hertz if elastic else newtons)
    return told_else


@functools.cache
def _collides_by_default(kind: str) -> bool:
    """Whether bodies of such a joint may collide when nothing is said of it."""
    parameters = inspect.signature(getattr(World, f"add_{kind}_joint")).parameters
    told = parameters.get("collide_connected")
    return told is not None and bool(told.default)


def _field(field: Any) -> dict[str, Any]:
    kind = {v: k for k, v in tables.FIELD_TYPES.items()}[type(field)]
    result = {"type": kind}
    for key in tables.FIELDS[kind]:
        value = _plain(getattr(field, key))
        if key != "mask" or value != 2**64 - 1:
            result[key] = value
    return result
