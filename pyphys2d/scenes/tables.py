"""What scene files may say: keys of shapes, bodies, joints, fields and worlds, with their checks.

The loader, the writer and the schema all read these tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyphys2d import (
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

# Of joints: the parameters of each type, which are keywords and attributes of the same name.
LIMITS: dict[str, Check] = {"lower": ANY_NUMBER, "upper": ANY_NUMBER}
SPRING: dict[str, Check] = {"spring_hertz": NOT_NEGATIVE, "spring_damping_ratio": NOT_NEGATIVE}
SPRUNG: dict[str, Check] = {**SPRING, "spring_target": ANY_NUMBER}
ELASTIC: dict[str, Check] = {"stiffness": NOT_NEGATIVE, "damping": NOT_NEGATIVE}
PAIRED: dict[str, Check] = {
    "angular_spring_hertz": NOT_NEGATIVE,
    "angular_spring_damping_ratio": NOT_NEGATIVE,
}
PAIRED_ELASTIC: dict[str, Check] = {
    "angular_stiffness": NOT_NEGATIVE,
    "angular_damping": NOT_NEGATIVE,
}
TORQUE: dict[str, Check] = {"motor_speed": ANY_NUMBER, "max_motor_torque": NOT_NEGATIVE}
FORCE: dict[str, Check] = {"motor_speed": ANY_NUMBER, "max_motor_force": NOT_NEGATIVE}
HOLDS: dict[str, Check] = {"max_force": NOT_NEGATIVE}
HOLDS_ANGLE: dict[str, Check] = {"max_torque": NOT_NEGATIVE}
TUNED: dict[str, Check] = {"joint_hertz": POSITIVE, "joint_damping_ratio": NOT_NEGATIVE}
BREAKS: dict[str, Check] = {"break_force": NOT_NEGATIVE, "break_torque": NOT_NEGATIVE}
BREAKS_BY_FORCE: dict[str, Check] = {"break_force": NOT_NEGATIVE}
JOINTS: dict[str, dict[str, Check]] = {
    "revolute": {**LIMITS, **TORQUE, **SPRUNG, **ELASTIC, **HOLDS, **TUNED, **BREAKS},
    "distance": {**LIMITS, **FORCE, **SPRUNG, **ELASTIC, **HOLDS, **TUNED, **BREAKS_BY_FORCE},
    "prismatic": {
        **LIMITS,
        **FORCE,
        **SPRUNG,
        **ELASTIC,
        **HOLDS,
        **HOLDS_ANGLE,
        **TUNED,
        **BREAKS,
    },
    "weld": {
        **SPRING,
        **PAIRED,
        **ELASTIC,
        **PAIRED_ELASTIC,
        **HOLDS,
        **HOLDS_ANGLE,
        **TUNED,
        **BREAKS,
    },
    "wheel": {**LIMITS, **TORQUE, **SPRUNG, **ELASTIC, **HOLDS, **TUNED, **BREAKS},
    "motor": {
        "offset": VECTOR,
        "angle_offset": ANY_NUMBER,
        "linear_velocity": VECTOR,
        "angular_velocity": ANY_NUMBER,
        **HOLDS,
        **HOLDS_ANGLE,
        **SPRING,
        **PAIRED,
        **ELASTIC,
        **PAIRED_ELASTIC,
        **BREAKS,
    },
    "mouse": {"target": POINT, **HOLDS, **SPRING, **ELASTIC, **BREAKS_BY_FORCE},
    "filter": {},
    "pulley": {
        "ground_a": POINT,
        "ground_b": POINT,
        "ratio": POSITIVE,
        **LIMITS,
        **FORCE,
        **HOLDS,
        **TUNED,
        **BREAKS_BY_FORCE,
    },
    "ratchet": {
        "tooth": ANY_NUMBER,
        "phase": ANY_NUMBER,
        **HOLDS_ANGLE,
        **TUNED,
        "break_torque": NOT_NEGATIVE,
    },
    "gear": {"ratio": ANY_NUMBER, "phase": ANY_NUMBER, **HOLDS_ANGLE, **TUNED, **BREAKS},
    "rotary": {
        **LIMITS,
        **TORQUE,
        **SPRUNG,
        **ELASTIC,
        **HOLDS_ANGLE,
        **TUNED,
        "break_torque": NOT_NEGATIVE,
    },
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
    "friction_rule": RULE,
    "restitution_rule": RULE,
    "material_pairs": pairs_of_materials,
    "wrap": size,
    "length_unit": POSITIVE,
}
