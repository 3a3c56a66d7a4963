"""What scene files may say: keys of shapes, bodies, joints, fields and worlds, with their checks.

The loader, the writer and the schema all read these tables.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyphys2d import (
    JOINT_KINDS,
    Box,
    Capsule,
    Chain,
    Circle,
    Drag,
    Fluid,
    PointGravity,
    Polygon,
    RegularPolygon,
    Segment,
    Shape,
    Wind,
    World,
)
from pyphys2d.scenes.checks import (
    ANY_NUMBER,
    MAX_POINTS,
    NOT_NEGATIVE,
    POINT,
    POSITIVE,
    VECTOR,
    Check,
    boolean,
    choice,
    integer,
    number,
    pairs_of_materials,
    points,
    rings,
    segments,
    size,
    string,
)


# ------------------------------------------------------------------------------------------- shapes
@dataclass(frozen=True, slots=True)
class Kind:
    """A type of shape: what makes it of which fields, and the number of its vertices by these.

    A file is written from the attributes of these names, or from what ``read`` has in their place.
    """

    make: type[Shape]
    vertices: Callable[[dict[str, Any]], int]
    fields: dict[str, Check]
    required: tuple[str, ...]
    read: dict[str, Callable[[Any], Any]] = field(default_factory=dict)

    def values(self, shape: Shape) -> dict[str, Any]:
        """The fields of a shape of this type."""
        return {
            name: self.read[name](shape) if name in self.read else getattr(shape, name)
            for name in self.fields
        }


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
        {"vertices": points(3), "radius": NOT_NEGATIVE, "holes": rings, "recenter": boolean},
        ("vertices",),
        {
            "holes": lambda shape: [hole.tolist() for hole in shape.holes],
            "recenter": lambda shape: not shape.centroid.any(),
        },
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
        {"radius": lambda shape: shape.circumradius, "rounding": lambda shape: shape.radius},
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
        {"loop": lambda shape: bool(shape.loop)},
    ),
}


def shape_kind(shape: Shape) -> str:
    """The name of a shape's type in files: of the nearest of its classes that has one."""
    names = {kind.make: name for name, kind in SHAPES.items()}
    for each in type(shape).__mro__:
        if each in names:
            return names[each]
    raise TypeError(f"no description of {type(shape).__name__}")


# ------------------------------------------------------------------------------------------- bodies
FRACTION = number(low=0, high=1)
RULE = choice("geometric_mean", "max", "min", "average", "multiply")
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
    "material": integer(0, 255),
    "friction_rule": RULE,
    "restitution_rule": RULE,
    "segments": segments,
}
MATERIAL_DEFAULTS: dict[str, Any] = {
    "density": 1.0, "friction": 0.6, "restitution": 0.0, "rolling_resistance": 0.0,
    "tangent_speed": 0.0, "category": 1, "mask": 2**64 - 1, "group": 0, "sensor": False,
    "pre_solve": False, "material": None, "friction_rule": None, "restitution_rule": None,
    "segments": None,
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

# Of joints: what each kind can be told is what World.add_KIND_joint takes, in that order; here is
# how it is checked. A name that is not here is a number, or a vector where its default is one.
SPRING: dict[str, Check] = {"spring_hertz": NOT_NEGATIVE, "spring_damping_ratio": NOT_NEGATIVE}
ELASTIC: dict[str, Check] = {"stiffness": NOT_NEGATIVE, "damping": NOT_NEGATIVE}
PAIRED: dict[str, Check] = {
    "angular_spring_hertz": NOT_NEGATIVE,
    "angular_spring_damping_ratio": NOT_NEGATIVE,
}
PAIRED_ELASTIC: dict[str, Check] = {
    "angular_stiffness": NOT_NEGATIVE,
    "angular_damping": NOT_NEGATIVE,
}
JOINT_CHECKS: dict[str, Check] = {
    **SPRING,
    **ELASTIC,
    **PAIRED,
    **PAIRED_ELASTIC,
    **dict.fromkeys(
        ("max_motor_torque", "max_motor_force", "max_force", "max_torque"), NOT_NEGATIVE
    ),
    "joint_hertz": POSITIVE,
    "joint_damping_ratio": NOT_NEGATIVE,
    **dict.fromkeys(("break_force", "break_torque"), NOT_NEGATIVE),
    "offset": VECTOR,
    **dict.fromkeys(("target", "ground_a", "ground_b"), POINT),
}
KIND_CHECKS: dict[str, dict[str, Check]] = {"pulley": {"ratio": POSITIVE}}
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
ENDS = ("a", "b", "body", "joint_a", "joint_b", "collide_connected", "user_data")


def keywords(kind: str) -> dict[str, Any]:
    """What a joint of a kind can be told beside its ends, and the defaults."""
    told = list(inspect.signature(getattr(World, f"add_{kind}_joint")).parameters.values())[1:]
    return {p.name: p.default for p in told if p.name not in ENDS and p.name not in LOCAL}


def joint_check(kind: str, name: str, default: Any) -> Check:
    """How a parameter of a kind is checked."""
    other = VECTOR if isinstance(default, tuple) else ANY_NUMBER
    return (JOINT_CHECKS | KIND_CHECKS.get(kind, {})).get(name, other)


# The parameters of each kind, which are keywords and attributes of the same name, and its anchors.
JOINTS: dict[str, dict[str, Check]] = {
    kind: {
        name: joint_check(kind, name, default)
        for name, default in keywords(kind).items()
        if name not in ANCHOR_CHECKS
    }
    for kind in JOINT_KINDS
}
ANCHORS: dict[str, tuple[str, ...]] = {
    kind: tuple(name for name in keywords(kind) if name in ANCHOR_CHECKS) for kind in JOINT_KINDS
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
    "friction_rule": RULE,
    "restitution_rule": RULE,
    "material_pairs": pairs_of_materials,
    "wrap": size,
    "length_unit": POSITIVE,
}
