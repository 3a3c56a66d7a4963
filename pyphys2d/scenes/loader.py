"""Reads scene files: JSON in, a `Scene` or a `SceneError` out, never anything else.

The format is described in docs/scene-format.md. Everything in a file is checked before a world is
made: types, ranges, unknown keys, sizes; a message names the place, as in ``bodies[3].shape.radius:
must be > 0, got -1``. Vertices are counted before shapes are made of them, so that a file costs a
fair multiple of its size: a vertex costs up to 2 kB and 10 µs, a byte of text up to 40 bytes. What
only the engine can know (a polygon that crosses itself) comes back as its message at the place of
the shape.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from pyphys2d import (
    Body,
    Box,
    Capsule,
    Chain,
    Circle,
    Drag,
    Fluid,
    Joint,
    PointGravity,
    Polygon,
    RegularPolygon,
    Segment,
    Shape,
    Wind,
    World,
    _core,
    _files,
)
from pyphys2d.scenes.scene import Scene, SceneError

CHUNK = 2**16  # bytes read at once
MAX_BYTES = 16 * 2**20
MAX_BODIES = 100_000
MAX_SHAPES_PER_BODY = 10_000
MAX_COLLIDERS = 500_000
MAX_POINTS = 10_000  # of one ring or chain
MAX_HOLES = 1_000
MAX_STEPS = 1_000_000
# Vertices in all, shapes counted once for each body that has them: some for every file, and one
# more for so many bytes.
MAX_VERTICES = 1_000_000
FREE_VERTICES = 200_000
BYTES_PER_VERTEX = 4
MAX_KEY_SHOWN = 40

Check = Callable[[Any, str], Any]
# What JSON Schema says of what a check takes, for pyphys2d.scenes.schema.
SCHEMAS: dict[Check, dict[str, Any]] = {}


def says(check: Check, schema: dict[str, Any]) -> Check:
    """Remember the schema of a check."""
    SCHEMAS[check] = schema
    return check


def fail(path: str, message: str) -> NoReturn:
    """Raise the one error of this module."""
    raise SceneError(f"{path}: {message}" if path else message)


def fail_from(path: str, error: Exception) -> NoReturn:
    """Pass on what the engine says of an argument, at the place of that argument."""
    named = re.match(r"([a-z_]+(?:\[\d+\])*): ", str(error))
    if named:
        fail(f"{path}.{named[1]}", str(error)[named.end() :])
    fail(path, str(error))


def shown(value: Any) -> str:
    """A value as the file has it, short enough for a message."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


# ------------------------------------------------------------------------------------ single values
def number(
    *, above: float | None = None, low: float | None = None, high: float | None = None
) -> Check:
    """A finite number > above, >= low, <= high."""

    def check(value: Any, path: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            fail(path, f"must be a number, got {shown(value)}")
        try:
            result = float(value)
        except OverflowError:
            fail(path, "the number is too large")
        if not math.isfinite(result):
            fail(path, "the number is too large")
        if above is not None and not result > above:
            fail(path, f"must be > {above:g}, got {shown(value)}")
        if low is not None and result < low:
            fail(path, f"must be >= {low:g}, got {shown(value)}")
        if high is not None and result > high:
            fail(path, f"must be <= {high:g}, got {shown(value)}")
        return result

    bounds = {"exclusiveMinimum": above, "minimum": low, "maximum": high}
    told = {key: bound for key, bound in bounds.items() if bound is not None}
    return says(check, {"type": "number", **told})


def integer(low: int, high: int) -> Check:
    """A whole number from low to high."""

    def check(value: Any, path: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            fail(path, f"must be a whole number, got {shown(value)}")
        if value < low:
            fail(path, f"must be >= {low}, got {shown(value)}")
        if value > high:
            fail(path, f"must be <= {high}, got {shown(value)}")
        return value

    return says(check, {"type": "integer", "minimum": low, "maximum": high})


def boolean(value: Any, path: str) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        fail(path, f"must be true or false, got {shown(value)}")
    return value


def string(longest: int) -> Check:
    """A string of at most ``longest`` characters."""

    def check(value: Any, path: str) -> str:
        if not isinstance(value, str):
            fail(path, f"must be a string, got {shown(value)}")
        if len(value) > longest:
            fail(path, f"must have at most {longest} characters, got {len(value)}")
        if not value.isprintable():
            fail(path, f"must hold printable characters only, got {shown(value)}")
        return value

    return says(check, {"type": "string", "maxLength": longest})


def choice(*names: str) -> Check:
    """One of a few strings."""

    def check(value: Any, path: str) -> str:
        if not isinstance(value, str) or value not in names:
            known = ", ".join(f'"{name}"' for name in names)
            fail(path, f"must be one of {known}, got {shown(value)}{nearest(value, names)}")
        return value

    return says(check, {"enum": list(names)})


def nearest(word: Any, known: Any) -> str:
    """``; did you mean "radius"?`` or nothing."""
    if not isinstance(word, str):
        return ""
    # The comparison is slow, and a file chooses both the word and the names of its shapes.
    names = [name for name in islice(known, 200) if len(name) <= 100]
    near = get_close_matches(word[:100], names, n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def array(value: Any, path: str, shortest: int, longest: int, what: str) -> list[Any]:
    """A list of shortest to longest entries."""
    if not isinstance(value, list):
        fail(path, f"must be a list of {what}, got {shown(value)}")
    if len(value) < shortest:
        fail(path, f"must have at least {shortest} {what}, got {len(value)}")
    if len(value) > longest:
        fail(path, f"must have at most {longest} {what}, got {len(value)}")
    return value


COORDINATE = number(low=-1e7, high=1e7)
ANY_NUMBER = number()
POSITIVE = number(above=0)
NOT_NEGATIVE = number(low=0)


def numbers(count: int, each: Check) -> Check:
    """A list of exactly ``count`` numbers."""

    def check(value: Any, path: str) -> tuple[float, ...]:
        if not isinstance(value, list) or len(value) != count:
            fail(path, f"must be a list of {count} numbers, got {shown(value)}")
        return tuple(each(entry, f"{path}[{k}]") for k, entry in enumerate(value))

    items = {"items": SCHEMAS[each], "minItems": count, "maxItems": count}
    return says(check, {"type": "array", **items})


def size(value: Any, path: str) -> tuple[float, float]:
    """Width and height of a wrapped world; null where it does not wrap."""
    if not isinstance(value, list) or len(value) != 2:
        fail(path, f"must be a list of 2 numbers or nulls, got {shown(value)}")
    width, height = (
        math.inf if side is None else POSITIVE(side, f"{path}[{k}]") for k, side in enumerate(value)
    )
    return width, height


POINT = numbers(2, COORDINATE)
VECTOR = numbers(2, ANY_NUMBER)


def points(shortest: int) -> Check:
    """A list of at least ``shortest`` points."""

    def check(value: Any, path: str) -> list[tuple[float, float]]:
        entries = array(value, path, shortest, MAX_POINTS, "points")
        return [POINT(entry, f"{path}[{k}]") for k, entry in enumerate(entries)]

    items = {"items": SCHEMAS[POINT], "minItems": shortest, "maxItems": MAX_POINTS}
    return says(check, {"type": "array", **items})


def rings(value: Any, path: str) -> list[list[tuple[float, float]]]:
    """A list of holes."""
    entries = array(value, path, 0, MAX_HOLES, "holes")
    return [points(3)(entry, f"{path}[{k}]") for k, entry in enumerate(entries)]


def record(
    value: Any, path: str, fields: Mapping[str, Check], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """An object with these fields and no others, each checked."""
    if not isinstance(value, dict):
        fail(path, f"must be an object, got {shown(value)}")
    for key in value:
        if key not in fields:
            fail(path, f"unknown key {shown(key)}{nearest(key, fields)}")
    for key in required:
        if key not in value:
            fail(path, f'the key "{key}" is missing')
    start = f"{path}." if path else ""
    return {key: fields[key](entry, start + key) for key, entry in value.items()}


# ------------------------------------------------------------------------------------------- shapes
@dataclass(frozen=True, slots=True)
class Kind:
    """A type of shape: what makes it of which fields, and the number of its vertices by these."""

    make: Callable[..., Shape]
    vertices: Callable[[dict[str, Any]], int]
    fields: dict[str, Check]
    required: tuple[str, ...]


SHAPES = {
    "circle": Kind(Circle, lambda _: 1, {"radius": POSITIVE, "center": POINT}, ("radius",)),
    "box": Kind(
        Box,
        lambda _: 4,
        {
            "width": POSITIVE,
            "height": POSITIVE,
            "center": POINT,
            "angle": ANY_NUMBER,
            "radius": NOT_NEGATIVE,
        },
        ("width", "height"),
    ),
    "polygon": Kind(
        Polygon,
        lambda given: len(given["vertices"]) + sum(map(len, given.get("holes", ()))),
        {"vertices": points(3), "holes": rings, "radius": NOT_NEGATIVE, "recenter": boolean},
        ("vertices",),
    ),
    "regular_polygon": Kind(
        RegularPolygon,
        lambda given: int(given["n"]),
        {
            "n": integer(3, MAX_POINTS),
            "radius": POSITIVE,
            "center": POINT,
            "angle": ANY_NUMBER,
            "rounding": NOT_NEGATIVE,
        },
        ("n", "radius"),
    ),
    "capsule": Kind(
        Capsule, lambda _: 2, {"p": POINT, "q": POINT, "radius": POSITIVE}, ("p", "q", "radius")
    ),
    "segment": Kind(Segment, lambda _: 2, {"p": POINT, "q": POINT}, ("p", "q")),
    "chain": Kind(
        Chain,
        lambda given: len(given["points"]),
        {"points": points(2), "loop": boolean},
        ("points",),
    ),
}


# ------------------------------------------------------------------------------------------- bodies
FRACTION = number(low=0, high=1)
MATERIAL: dict[str, Check] = {
    "density": NOT_NEGATIVE,
    "friction": NOT_NEGATIVE,
    "restitution": NOT_NEGATIVE,
    "rolling_resistance": NOT_NEGATIVE,
    "tangent_speed": ANY_NUMBER,
    "category": integer(0, 2**64 - 1),
    "mask": integer(0, 2**64 - 1),
    "group": integer(-(2**31), 2**31 - 1),
    "sensor": boolean,
    "pre_solve": boolean,
}
MATERIAL_DEFAULTS: dict[str, Any] = {
    "density": 1.0, "friction": 0.6, "restitution": 0.0, "rolling_resistance": 0.0,
    "tangent_speed": 0.0, "category": 1, "mask": 2**64 - 1, "group": 0, "sensor": False,
    "pre_solve": False,
}  # fmt: skip
BODY: dict[str, Check] = {
    "kind": choice("static", "kinematic", "dynamic"),
    "position": POINT,
    "angle": ANY_NUMBER,
    "velocity": VECTOR,
    "angular_velocity": ANY_NUMBER,
    "mass": POSITIVE,
    "inertia": POSITIVE,
    "center_of_mass": VECTOR,
    "sleep_threshold": NOT_NEGATIVE,
    **MATERIAL,
    "enabled": boolean,
    "label": string(200),
    "gravity_scale": ANY_NUMBER,
    "linear_damping": NOT_NEGATIVE,
    "angular_damping": NOT_NEGATIVE,
    "awake": boolean,
    "can_sleep": boolean,
    "bullet": boolean,
    "fixed_rotation": boolean,
    "lock_x": boolean,
    "lock_y": boolean,
    "name": string(200),
}

BODY_DEFAULTS: dict[str, Any] = {
    "angle": 0.0, "velocity": [0.0, 0.0], "angular_velocity": 0.0, "gravity_scale": 1.0,
    "linear_damping": 0.0, "angular_damping": 0.0, "awake": True, "can_sleep": True,
    "bullet": False, "fixed_rotation": False, "lock_x": False, "lock_y": False, "enabled": True,
}  # fmt: skip

# Of joints: the parameters of each type, which are keywords and attributes of the same name.
LIMITS: dict[str, Check] = {"lower": ANY_NUMBER, "upper": ANY_NUMBER}
SPRING: dict[str, Check] = {"spring_hertz": NOT_NEGATIVE, "spring_damping_ratio": NOT_NEGATIVE}
SPRUNG: dict[str, Check] = {**SPRING, "spring_target": ANY_NUMBER}
ELASTIC: dict[str, Check] = {"stiffness": NOT_NEGATIVE, "damping": NOT_NEGATIVE}
TORQUE: dict[str, Check] = {"motor_speed": ANY_NUMBER, "max_motor_torque": NOT_NEGATIVE}
FORCE: dict[str, Check] = {"motor_speed": ANY_NUMBER, "max_motor_force": NOT_NEGATIVE}
BREAKS: dict[str, Check] = {"break_force": NOT_NEGATIVE, "break_torque": NOT_NEGATIVE}
BREAKS_BY_FORCE: dict[str, Check] = {"break_force": NOT_NEGATIVE}
JOINTS: dict[str, dict[str, Check]] = {
    "revolute": {**LIMITS, **TORQUE, **SPRUNG, **ELASTIC, **BREAKS},
    "distance": {**LIMITS, **FORCE, **SPRUNG, **ELASTIC, **BREAKS_BY_FORCE},
    "prismatic": {**LIMITS, **FORCE, **SPRUNG, **ELASTIC, **BREAKS},
    "weld": {
        **SPRING,
        "angular_spring_hertz": NOT_NEGATIVE,
        "angular_spring_damping_ratio": NOT_NEGATIVE,
        **BREAKS,
    },
    "wheel": {**LIMITS, **TORQUE, **SPRUNG, **ELASTIC, **BREAKS},
    "motor": {
        "offset": VECTOR,
        "angle_offset": ANY_NUMBER,
        "linear_velocity": VECTOR,
        "angular_velocity": ANY_NUMBER,
        "max_force": NOT_NEGATIVE,
        "max_torque": NOT_NEGATIVE,
        **SPRING,
        **BREAKS,
    },
    "mouse": {"target": POINT, "max_force": NOT_NEGATIVE, **SPRING, **BREAKS_BY_FORCE},
    "filter": {},
    "pulley": {
        "ground_a": POINT,
        "ground_b": POINT,
        "ratio": POSITIVE,
        **LIMITS,
        **FORCE,
        **BREAKS_BY_FORCE,
    },
    "ratchet": {"tooth": ANY_NUMBER, "phase": ANY_NUMBER, "break_torque": NOT_NEGATIVE},
    "gear": {"ratio": ANY_NUMBER, "phase": ANY_NUMBER, **BREAKS},
    "rotary": {**LIMITS, **TORQUE, **SPRUNG, **ELASTIC, "break_torque": NOT_NEGATIVE},
}
ANCHORS: dict[str, tuple[str, ...]] = {
    "revolute": ("anchor", "anchor_a", "anchor_b"),
    "distance": ("anchor_a", "anchor_b", "length"),
    "prismatic": ("anchor", "anchor_a", "anchor_b", "axis"),
    "weld": ("anchor", "anchor_a", "anchor_b"),
    "wheel": ("anchor", "anchor_a", "anchor_b", "axis"),
    "motor": ("anchor", "anchor_a", "anchor_b"),
    "mouse": ("anchor",),
    "filter": (),
    "pulley": ("anchor_a", "anchor_b"),
    "ratchet": (),
    "gear": (),
    "rotary": (),
}
ANCHOR_CHECKS: dict[str, Check] = {
    "anchor": POINT,
    "anchor_a": POINT,
    "anchor_b": POINT,
    "axis": VECTOR,
    "length": POSITIVE,
}
LOCAL: dict[str, Check] = {  # in the frames of the bodies; all of them or none
    "local_anchor_a": VECTOR,
    "local_anchor_b": VECTOR,
    "local_axis": VECTOR,
    "reference_angle": ANY_NUMBER,
}
MAX_JOINTS, MAX_FIELDS = 200_000, 1_000


def surface(value: Any, path: str) -> Any:
    """A height, or a line of points."""
    return points(2)(value, path) if isinstance(value, list) else ANY_NUMBER(value, path)


FIELD_TYPES: dict[str, type] = {
    "fluid": Fluid,
    "drag": Drag,
    "wind": Wind,
    "point_gravity": PointGravity,
}
MASK: dict[str, Check] = {"mask": integer(0, 2**64 - 1)}
FIELDS: dict[str, dict[str, Check]] = {
    "fluid": {
        "surface": surface,
        "density": POSITIVE,
        "drag": NOT_NEGATIVE,
        "quadratic_drag": NOT_NEGATIVE,
        "flow": VECTOR,
        **MASK,
    },
    "drag": {
        **dict.fromkeys(("linear", "quadratic", "clamped", "angular"), NOT_NEGATIVE),
        **MASK,
    },
    "wind": {
        "velocity": VECTOR,
        **dict.fromkeys(("density", "drag", "lift"), NOT_NEGATIVE),
        **MASK,
    },
    "point_gravity": {
        "center": POINT,
        "strength": ANY_NUMBER,
        "power": ANY_NUMBER,
        "softening": NOT_NEGATIVE,
        "radius": POSITIVE,
        **MASK,
    },
}

WORLD: dict[str, Check] = {
    "gravity": VECTOR,
    "substeps": integer(1, 1024),
    "solver": choice("soft_step", "sequential_impulses"),
    "broadphase": choice("grid", "tree", "all_pairs"),
    "sleeping": boolean,
    "continuous": boolean,
    "iterations": integer(1, 1000),
    "baumgarte": FRACTION,
    "slop": NOT_NEGATIVE,
    "warm_starting": boolean,
    "accumulate": boolean,
    "positional_correction": FRACTION,
    "response": choice("impulse", "translate"),
    "contact_hertz": POSITIVE,
    "contact_damping_ratio": NOT_NEGATIVE,
    "contact_push_speed": NOT_NEGATIVE,
    "joint_hertz": POSITIVE,
    "joint_damping_ratio": NOT_NEGATIVE,
    "restitution_threshold": NOT_NEGATIVE,
    "hit_event_threshold": NOT_NEGATIVE,
    "max_speed": POSITIVE,
    "max_angular_speed": POSITIVE,
    "linear_damping": NOT_NEGATIVE,
    "angular_damping": NOT_NEGATIVE,
    "friction_rule": choice("geometric_mean", "max", "min", "average", "multiply"),
    "restitution_rule": choice("geometric_mean", "max", "min", "average", "multiply"),
    "wrap": size,
}


class _Bodies:
    """Checks the list of bodies; named shapes are made once and shared."""

    def __init__(self, max_vertices: int) -> None:
        self.named: dict[str, tuple[Shape, int]] = {}
        self.colliders = 0
        self.vertices = 0
        self.max_vertices = max_vertices
        self.labels: dict[str, int] = {}
        self.called: dict[str, list[int]] = {}

    def spend(self, vertices: int, path: str) -> None:
        """Count vertices, before any memory is taken for them."""
        self.vertices += vertices
        if self.vertices > self.max_vertices:
            fail(
                path,
                f"the shapes so far, counted once for each body, have {self.vertices} vertices, "
                f"must be <= {self.max_vertices} (see max_vertices)",
            )

    def shape(self, value: Any, path: str) -> tuple[Shape, int]:
        """A shape from an object with a type, and the number of its vertices."""
        if not isinstance(value, dict):
            fail(path, f"must be an object, got {shown(value)}")
        if "type" not in value:
            fail(path, 'the key "type" is missing')
        kind = SHAPES[choice(*SHAPES)(value["type"], f"{path}.type")]
        given = {k: v for k, v in value.items() if k != "type"}
        arguments = record(given, path, kind.fields, kind.required)
        vertices = kind.vertices(arguments)
        self.spend(vertices, path)
        try:
            return kind.make(**arguments), vertices
        except (ValueError, TypeError) as error:
            fail_from(path, error)

    def shapes(self, value: Any, path: str) -> None:
        """The table of named shapes."""
        if not isinstance(value, dict):
            fail(path, f"must be an object, got {shown(value)}")
        if len(value) > MAX_BODIES:
            fail(path, f"must have at most {MAX_BODIES} shapes, got {len(value)}")
        for key, entry in value.items():
            plain = key.isidentifier() and len(key) <= MAX_KEY_SHOWN
            self.named[key] = self.shape(
                entry, f"{path}.{key}" if plain else f"{path}[{shown(key)}]"
            )

    def one_shape(self, value: Any, path: str) -> Shape:
        """A shape, or the name of one."""
        if not isinstance(value, str):
            return self.shape(value, path)[0]
        if value not in self.named:
            fail(path, f"no shape is named {shown(value)}{nearest(value, self.named)}")
        shape, vertices = self.named[value]
        self.spend(vertices, path)
        return shape

    def several(self, value: Any, path: str) -> list[Shape]:
        """The shapes of one body."""
        entries = array(value, path, 0, MAX_SHAPES_PER_BODY, "shapes")
        return [self.one_shape(entry, f"{path}[{k}]") for k, entry in enumerate(entries)]

    def bodies(self, value: Any, path: str) -> list[dict[str, Any]]:
        """All bodies, as keywords for `World.add_body`."""
        fields = {
            **BODY, "shape": self.one_shape, "shapes": self.several, "colliders": self.attached,
        }  # fmt: skip
        result = []
        for k, entry in enumerate(array(value, path, 0, MAX_BODIES, "bodies")):
            place = f"{path}[{k}]"
            body = record(entry, place, fields)
            if sum(key in body for key in ("shape", "shapes", "colliders")) != 1:
                fail(place, 'give either "shape" or "shapes" (or "colliders")')
            self.name(body, k, place)
            if "mass" in body and "density" in body:
                fail(place, 'give either "mass" or "density"')
            attached = body.pop("colliders", None)
            made = attached if attached is not None else body.pop("shapes", None)
            made = made if made is not None else body.pop("shape")
            self.colliders += len(made) if isinstance(made, list) else 1
            if self.colliders > MAX_COLLIDERS:
                fail(place, f"more than {MAX_COLLIDERS} shapes on bodies")
            if attached is None:
                result.append({"shape_or_shapes": made or None, **body})
            else:
                if any(key in body for key in MATERIAL):
                    fail(place, 'materials belong into "colliders", where there is such a list')
                result.append({"colliders": attached, **body})
        return result

    def attached(self, value: Any, path: str) -> list[dict[str, Any]]:
        """The shapes of one body, each with its material."""
        fields = {"shape": self.one_shape, **MATERIAL}
        entries = array(value, path, 1, MAX_SHAPES_PER_BODY, "colliders")
        return [record(e, f"{path}[{k}]", fields, ("shape",)) for k, e in enumerate(entries)]

    def name(self, body: dict[str, Any], k: int, place: str) -> None:
        """Remember what joints call it: its label, else its name if no other body has it."""
        label = body.pop("label", None)
        if label is not None:
            if label in self.labels:
                fail(f"{place}.label", f"another body has the label {shown(label)}")
            self.labels[label] = k
        elif body.get("name"):
            self.called.setdefault(body["name"], []).append(k)

    def body(self, value: Any, path: str) -> int | None:
        """The number of the body of a name; None for null, the world."""
        if value is None:
            return None
        if not isinstance(value, str):
            fail(path, f"must be the name of a body, or null for the world, got {shown(value)}")
        found = [self.labels[value]] if value in self.labels else self.called.get(value, [])
        if not found:
            known = [*self.labels, *self.called]
            fail(path, f"no body is named {shown(value)}{nearest(value, known)}")
        if len(found) > 1:
            fail(path, f"{len(found)} bodies are named {shown(value)}; give the one a label")
        return found[0]

    def joints(self, value: Any, path: str) -> list[dict[str, Any]]:
        """All joints."""
        result, seen = [], set()  # type: ignore[var-annotated]
        for k, entry in enumerate(array(value, path, 0, MAX_JOINTS, "joints")):
            place = f"{path}[{k}]"
            kind, given = typed(entry, place, JOINTS)
            gear, mouse = kind == "gear", kind == "mouse"
            fields = {"label": string(200), "collide_connected": boolean, **JOINTS[kind]}
            fields |= {key: ANCHOR_CHECKS[key] for key in ANCHORS[kind]}
            if gear:
                fields |= dict.fromkeys(("joint_a", "joint_b"), string(200))
                required: tuple[str, ...] = ("joint_a", "joint_b")
            else:
                fields |= {"a": self.body, "b": self.body, **LOCAL}
                required = ("b",) if mouse else ("a", "b")
            joint = record(given, place, fields, required)
            for side in ("joint_a", "joint_b") if gear else ():
                if joint[side] not in seen:
                    what = f"no joint before has the label {shown(joint[side])}"
                    fail(f"{place}.{side}", what + nearest(joint[side], seen))
            if not gear and joint["b"] is None:
                fail(f"{place}.b", "must be a body; only a can be the world")
            local = [key for key in LOCAL if key in joint]
            if local and len(local) < len(LOCAL):
                fail(place, f"give all of {', '.join(LOCAL)}, or none of them")
            if "label" in joint:
                if joint["label"] in seen:
                    fail(f"{place}.label", f"another joint has the label {shown(joint['label'])}")
                seen.add(joint["label"])
            result.append({"type": kind, **joint})
        return result


def typed(entry: Any, path: str, kinds: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The type of an object, and its other keys."""
    if not isinstance(entry, dict):
        fail(path, f"must be an object, got {shown(entry)}")
    if "type" not in entry:
        fail(path, 'the key "type" is missing')
    kind: str = choice(*kinds)(entry["type"], f"{path}.type")
    return kind, {key: value for key, value in entry.items() if key != "type"}


def force_fields(value: Any, path: str) -> list[dict[str, Any]]:
    """Fluids, winds and the like."""
    required = {"fluid": ("surface", "density"), "wind": ("velocity",)}
    required["point_gravity"] = ("center", "strength")
    result = []
    for k, entry in enumerate(array(value, path, 0, MAX_FIELDS, "fields")):
        kind, given = typed(entry, f"{path}[{k}]", FIELDS)
        made = record(given, f"{path}[{k}]", FIELDS[kind], required.get(kind, ()))
        result.append({"type": kind, **made})
    return result


# What is of a body with all its shapes.
LATE = ("mass", "inertia", "center_of_mass", "lock_x", "lock_y", "awake")


def add_body(world: World, body: dict[str, Any]) -> Body:
    """A body from what `_Bodies.bodies` gives."""
    attached = body.get("colliders")
    if attached is None:
        return world.add_body(**body)
    late = {key: body[key] for key in LATE if key in body}
    if "center_of_mass" in late:  # velocities are of the centre of mass, wherever that is
        late |= {key: body[key] for key in ("velocity", "awake") if key in body}
    early = {key: value for key, value in body.items() if key not in ("colliders", *late)}
    made = world.add_body(**early)
    for collider in attached:
        made.attach(**collider)
    for key, value in late.items():
        setattr(made, key, value)
    return made


def add_joint(
    world: World, joint: dict[str, Any], bodies: list[Body], labels: dict[str, Joint]
) -> None:
    """A joint from what `_Bodies.joints` gives."""
    kind, given = joint["type"], dict(joint)
    for key in ("type", "label", *LOCAL):
        given.pop(key, None)
    add = getattr(world, f"add_{kind}_joint")
    if kind == "gear":
        sides = [labels[given.pop(side)] for side in ("joint_a", "joint_b")]
    else:
        ends = [given.pop("a", None), given.pop("b")]
        sides = [None if end is None else bodies[end] for end in ends]  # type: ignore[misc]
        sides = sides[1:] if kind == "mouse" else sides
    if kind in ("mouse", "filter"):
        given.pop("collide_connected", None)
    made = add(*sides, **given)
    if "reference_angle" in joint:
        anchors = (*joint["local_anchor_a"], *joint["local_anchor_b"])
        frame = (*anchors, *joint["local_axis"], joint["reference_angle"])
        _core._set_joint_frame(made, frame)
    if "label" in joint:
        labels[joint["label"]] = made


def add_field(world: World, field: dict[str, Any]) -> None:
    """A field from what `force_fields` gives."""
    given = {key: value for key, value in field.items() if key != "type"}
    if field["type"] == "fluid":
        given["level_or_surface"] = given.pop("surface")
    getattr(world, f"add_{field['type']}")(**given)


# -------------------------------------------------------------------------------------------- files
def _no_constant(name: str) -> NoReturn:
    raise SceneError(f"{name} is not a number that JSON knows")


def _whole(digits: str) -> int:
    if len(digits) > 400:
        raise SceneError(f"the number {digits[:20]}... is too large")
    return int(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise SceneError(f"the key {shown(key)} is given twice in one object")
        result[key] = value
    return result


def _parse(text: str) -> Any:
    try:
        return json.loads(
            text, parse_constant=_no_constant, parse_int=_whole, object_pairs_hook=_unique
        )
    except json.JSONDecodeError as error:
        raise SceneError(
            f"not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from None
    except RecursionError:
        raise SceneError("objects or lists are nested too deeply") from None


def loads(text: str, name: str = "scene", *, max_vertices: int | None = None) -> Scene:
    """Make a scene from the text of a scene file.

    Parameters
    ----------
    text : str
        JSON as docs/scene-format.md describes it.
    name : str
        The scene's name if the text gives none.
    max_vertices : int, optional
        How many vertices all shapes together may have, each counted once for each body that has it;
        by default 200,000 and one more for every 4 bytes of text, up to 1,000,000.

    Raises
    ------
    SceneError
        If anything in the text cannot be used; the message names the place.

    Examples
    --------
    >>> from pyphys2d import scenes
    >>> scene = scenes.loads('{"bodies": [{"shape": {"type": "circle", "radius": 1}}]}')
    >>> len(scene.world.bodies)
    1
    """
    if len(text) > MAX_BYTES:
        raise SceneError(f"larger than {MAX_BYTES // 2**20} MiB")
    if max_vertices is None:
        max_vertices = min(MAX_VERTICES, FREE_VERTICES + len(text) // BYTES_PER_VERTEX)
    table = _Bodies(max_vertices)
    document = _parse(text)
    if isinstance(document, dict) and "shapes" in document:
        # Bodies refer to named shapes, wherever in the file these stand.
        document = {"shapes": document["shapes"], **document}
    if isinstance(document, dict) and "joints" in document:
        # Joints refer to bodies.
        document = {k: document[k] for k in sorted(document, key=lambda k: k == "joints")}
    data = record(
        document,
        "",
        {
            "name": string(100),
            "description": string(1000),
            "dt": number(low=1e-9, high=1),
            "steps": integer(1, MAX_STEPS),
            "view": numbers(4, COORDINATE),
            "world": lambda value, path: record(value, path, WORLD),
            "shapes": table.shapes,
            "bodies": table.bodies,
            "joints": table.joints,
            "fields": force_fields,
        },
        ("bodies",),
    )
    view = data.get("view")
    if view is not None and not (view[0] < view[2] and view[1] < view[3]):
        fail("view", "must be [x_min, y_min, x_max, y_max] with x_min < x_max and y_min < y_max")
    try:
        world = World(**data.get("world", {}))
    except (ValueError, TypeError) as error:
        fail_from("world", error)
    bodies: list[Body] = []
    labels: dict[str, Joint] = {}
    for place, entries, add in (
        ("bodies", data["bodies"], lambda entry: bodies.append(add_body(world, entry))),
        ("joints", data.get("joints", ()), lambda j: add_joint(world, j, bodies, labels)),
        ("fields", data.get("fields", ()), lambda field: add_field(world, field)),
    ):
        for k, entry in enumerate(entries):
            try:
                add(entry)  # type: ignore[no-untyped-call]
            except (ValueError, TypeError) as error:
                fail_from(f"{place}[{k}]", error)
    for body, entry in zip(bodies, data["bodies"], strict=True):
        if not entry.get("awake", True):  # joints wake
            body.awake = False
    return Scene(
        data.get("name", name),
        world,
        data.get("description", ""),
        data.get("dt", 1 / 60),
        data.get("steps", 300),
        view=view,
    )


def load(path: str | os.PathLike[str], *, max_vertices: int | None = None) -> Scene:
    """Make a scene from a scene file.

    Parameters
    ----------
    path : path
    max_vertices : int, optional
        As for `loads`.

    Raises
    ------
    SceneError
        If the file cannot be read or anything in it cannot be used; the message names the file and
        the place in it.
    """
    place = os.fsdecode(path)
    try:
        return loads(_read(path), Path(place).stem, max_vertices=max_vertices)
    except SceneError as error:
        raise SceneError(f"{place}: {error}") from None


def _read(path: str | os.PathLike[str]) -> str:
    data = bytearray()
    try:
        with _files.open_regular(path) as file:
            # One call for all would take the memory of the largest file for the smallest, too.
            while len(data) <= MAX_BYTES and (piece := file.read(CHUNK)):
                data += piece
    except OSError as error:
        raise SceneError(f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # no regular file, or a null character in the path
        raise SceneError(f"cannot be read: {error}") from None
    if len(data) > MAX_BYTES:
        raise SceneError(f"larger than {MAX_BYTES // 2**20} MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SceneError(f"not UTF-8 text (byte {error.start})") from None


def load_world(path: str | os.PathLike[str]) -> World:
    """The world of a scene file; `pyphys2d.load`.

    Parameters
    ----------
    path : path

    Raises
    ------
    SceneError
        A ValueError: if the file cannot be read or anything in it cannot be used; the message names
        the file and the place in it.
    """
    return load(path).world
