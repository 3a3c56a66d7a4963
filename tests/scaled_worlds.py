"""Twins of worlds in another unit of length: the same calls, every length times the unit.

Masses stay, so densities go with the unit to the power of -2, forces with 1, torques and inertias
with 2. `Scaled(unit)` stands for the module `pyphys2d`; its worlds, bodies and joints scale what
they are told. With a unit that is a power of two every product is exact.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import pyphys2d as p2

# Powers of length of keywords and attributes.
POWERS = {
    **dict.fromkeys(("position", "velocity", "center_of_mass", "sleep_threshold"), 1),
    **dict.fromkeys(("tangent_speed", "anchor", "anchor_a", "anchor_b", "length"), 1),
    **dict.fromkeys(("ground_a", "ground_b", "offset", "linear_velocity", "target"), 1),
    **dict.fromkeys(("max_force", "break_force", "flow", "softening", "falloff", "center"), 1),
    **dict.fromkeys(("gravity", "max_speed", "restitution_threshold", "contact_push_speed"), 1),
    **dict.fromkeys(("wrap", "slop", "hit_event_threshold", "positions", "velocities"), 1),
    **dict.fromkeys(("forces", "local_anchor_a", "local_anchor_b", "max_motor_force"), 1),
    **dict.fromkeys(("max_torque", "break_torque", "max_motor_torque", "inertia", "torques"), 2),
    "density": -2,
}
LINEAR = dict.fromkeys(("lower", "upper", "motor_speed", "spring_target"), 1)
ANGULAR = {"stiffness": 2, "damping": 2}
OF_ANGLES = {"angular_stiffness": 2, "angular_damping": 2}  # damping of bodies is in 1/s
JOINTS = {
    "revolute": ANGULAR,
    "rotary": ANGULAR,
    "distance": LINEAR,
    "prismatic": LINEAR,
    "pulley": LINEAR,
    "wheel": {"lower": 1, "upper": 1, "spring_target": 1},
    "weld": OF_ANGLES,
    "motor": OF_ANGLES,
}
# Powers of what stands before keywords, of methods.
PLACES = {
    "apply_force": (1, 1),
    "apply_impulse": (1, 1),
    "apply_torque": (2,),
    "move_to": (1, 0, 0),
    "explode": (1, 1, 0),
    "add_point_gravity": (1,),
    "add_wind": (1, -2),
    "add_fluid": (1, -2, 0),
}
FIELDS = {
    "add_fluid": {"quadratic_drag": -1},
    "add_drag": {"quadratic": -1, "angular": 2},
    "add_wind": {"velocity": 1},
    "add_point_gravity": {"radius": 1},
}


class Scaled:
    """`pyphys2d` in another unit of length."""

    def __init__(self, unit: float) -> None:
        self.unit = unit
        self.worlds: list[p2.World] = []

    def by(self, value: Any, power: int) -> Any:
        """A number, an array or a nest of sequences of numbers."""
        if power == 0 or value is None:
            return value
        if isinstance(value, (list, tuple)):
            return [self.by(each, power) for each in value]
        return value * self.unit**power

    def _keywords(self, given: dict[str, Any], own: dict[str, int]) -> dict[str, Any]:
        return {k: self.by(v, own.get(k, POWERS.get(k, 0))) for k, v in given.items()}

    def _shape(self, make: Callable[..., Any], counts: int = 0) -> Callable[..., Any]:
        def made(*lengths: Any, **given: Any) -> Any:
            apart = {k: given.pop(k) for k in ("angle", "loop", "recenter") if k in given}
            first = list(lengths[:counts]) + [self.by(each, 1) for each in lengths[counts:]]
            return make(*first, **{k: self.by(v, 1) for k, v in given.items()}, **apart)

        return made

    def __getattr__(self, name: str) -> Any:
        if name == "RegularPolygon":
            return self._shape(p2.RegularPolygon, 1)
        if name in ("Circle", "Box", "Capsule", "Polygon", "Chain", "Segment"):
            return self._shape(getattr(p2, name))
        return getattr(p2, name)

    def World(self, *gravity: Any, **settings: Any) -> Any:
        gravity = tuple(self.by(each, 1) for each in gravity) or ()
        if not gravity and "gravity" not in settings:
            settings["gravity"] = (0, -9.81)
        world = p2.World(*gravity, **self._keywords(settings, {}), length_unit=self.unit)
        self.worlds.append(world)
        return _Proxy(self, world)


class _Views:
    """A live array that takes numbers at a unit of 1."""

    def __init__(self, scaled: Scaled, array: Any, power: int) -> None:
        self._scaled, self._array, self._power = scaled, array, power

    def __setitem__(self, key: Any, value: Any) -> None:
        self._array[key] = self._scaled.by(np.asarray(value, float), self._power)

    def __getitem__(self, key: Any) -> Any:
        return self._array[key] / self._scaled.unit**self._power


def _bare(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_bare(each) for each in value)
    return value._it if isinstance(value, _Proxy) else value


class _Proxy:
    """A world, a body or a joint that is told numbers at a unit of 1."""

    def __init__(self, scaled: Scaled, it: Any, powers: dict[str, int] | None = None) -> None:
        self.__dict__.update(_scaled=scaled, _it=it, _powers=powers or {})

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "segments":
            setattr(self._it, name, self._scaled._keywords(value, {}))
            return
        power = self._powers.get(name, POWERS.get(name, 0))
        setattr(self._it, name, self._scaled.by(value, power))

    def __getattr__(self, name: str) -> Any:
        found, scaled = getattr(self._it, name), self._scaled
        if name in ("positions", "velocities", "angular_velocities", "angles", "torques", "forces"):
            return _Views(scaled, found, POWERS.get(name, 0))
        if name == "colliders":
            return [_Proxy(scaled, each) for each in found]
        if not callable(found):
            return scaled.by(found, -POWERS[name]) if name in POWERS else found

        def call(*args: Any, **given: Any) -> Any:
            args = tuple(_bare(each) for each in args)
            if name in ("add_body", "add_bodies", "attach") and "mass" not in given:
                given.setdefault("density", 1.0)
            if name == "add_wind" and len(args) < 2:
                given.setdefault("density", 1.2)
            if name in ("add_body", "add_bodies"):
                args = args[:1] + tuple(scaled.by(each, 1) for each in args[1:2]) + args[2:]
                return _Proxy(scaled, found(*args, **scaled._keywords(given, {})))
            if name.endswith("_joint"):
                return self._joint(name[4:-6], found, args, given)
            places = PLACES.get(name, ())
            args = tuple(
                scaled.by(each, places[i] if i < len(places) else 0) for i, each in enumerate(args)
            )
            if name == "slice":
                args = (args[0], *(scaled.by(each, 1) for each in args[1:]))
            if name == "set_limits":
                args = tuple(scaled.by(each, self._powers.get("lower", 0)) for each in args)
            own = dict(FIELDS.get(name, {}))
            if name == "add_point_gravity":
                strength = 1 + given.get("power", 2)
                args = (args[0], *(scaled.by(each, strength) for each in args[1:]))
                own["strength"] = strength
            return found(*args, **scaled._keywords(given, own))

        return call

    def _joint(self, kind: str, add: Any, args: Any, given: Any) -> Any:
        scaled, powers = self._scaled, dict(JOINTS.get(kind, {}))
        if kind == "gear":
            linear = [isinstance(each, p2.PrismaticJoint) for each in args[:2]]
            powers["ratio"] = powers["phase"] = linear[0]
            powers["ratio"] = linear[0] - linear[1]
            powers["max_torque"] = 1 if linear[0] else 2  # a force where the first one slides
            args = (*args[:2], *(scaled.by(each, powers["ratio"]) for each in args[2:]))
        made = add(*args, **scaled._keywords(given, powers))
        return _Proxy(scaled, made, powers)
