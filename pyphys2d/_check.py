"""Common mistakes in a scene: `World.check`."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyphys2d._arguments import number
from pyphys2d._core import Body, Chain, Collider, DistanceJoint, World
from pyphys2d._diff import SETTINGS
from pyphys2d._hints import attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 20  # findings of one kind
OVERLAP = 0.05  # of the smaller body's size
MASS_RATIO = 1e4
LARGE, SMALL = 30.0, 0.02  # lengths of a typical moving body, over the unit of length
FALL = 300.0  # gravity over that unit, above which it looks like that of pixels
LONG_STEP = 1 / 25  # seconds
STIFFEST = 0.1  # of the substep rate, beyond which joint_hertz of a joint has no effect
AT_LIMIT = 0.02  # of the way of a spring to its limit; what is nearer lies on it
RESTS = 0.05  # of that way in a second: what is slower is at rest
APART = (
    0.01  # between the anchors of a joint, of the unit of length and as a part of the bodies' size
)
# Of joints, what is in radians, or radians per second.
ANGLES = {
    "RevoluteJoint": ("lower", "upper", "reference_angle", "spring_target", "motor_speed"),
    "RotaryJoint": ("lower", "upper", "reference_angle", "spring_target", "motor_speed"),
    "WheelJoint": ("motor_speed",),
    "WeldJoint": ("reference_angle",),
    "MotorJoint": ("angle_offset",),
    "RatchetJoint": ("tooth",),
}


@dataclass(frozen=True)
class Finding:
    """Something that may be a mistake.

    Attributes
    ----------
    kind : str
        What sort it is of: "overlap", "mass ratio", "scale", "speed", "chain side", "mass",
        "anchors", "angle", "dt", "filter", "material", "motor", "tuning", "terrain",
        "gravity", "joint", "spring", "damping", "hook", "setting".
    message : str
        What was found, and what helps.
    objects : tuple
        Bodies, colliders and joints that it is about.
    """

    kind: str
    message: str
    objects: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def _size(body: Body) -> float:
    boxes = [collider.aabb for collider in body.colliders]
    if not boxes:
        return 0.0
    lower, upper = np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)
    return float((upper - lower).max())


def _name(body: Body) -> str:
    return f"{body.name!r}" if body.name else f"body {body.index}"


def check(world: World, dt: float | None = None) -> list[Finding]:
    """See World.check."""
    if dt is not None:
        dt = number(dt, "dt", above=0)
    moving = [body for body in world.bodies if body.kind == "dynamic"]
    sizes = {body.index: _size(body) for body in world.bodies}
    found: list[Finding] = []
    for part in (
        _overlaps(world, sizes),
        _masses(world, moving),
        _scale(moving, sizes, world),
        _gravity(world, moving),
        _damping(world),
        _hooks(world),
        _names(world),
        _speeds(world, moving, sizes, dt),
        _chains(world),
        _joints(world, sizes),
        _idle_joints(world),
        _bottomed(world),
        _motors(world),
        _tunings(world, dt),
        _angles(world),
        _filters(world),
        _materials(world),
    ):
        found += itertools.islice(part, MOST)
    if dt is not None and dt > LONG_STEP:
        found.append(
            Finding("dt", f"a step of {dt:.3g} s is long: take 1/60 s, and more steps (n=)")
        )
    return found


def _overlaps(world: World, sizes: dict[int, float]) -> Iterator[Finding]:
    """Overlaps of the present: a copy is stepped next to nothing, so that they are contacts."""
    twin = world._clone()
    twin.step(1e-9)
    rows, before = twin.contacts, world.contacts
    loaded = before[before["normal_impulse"] > 0]
    pressed = set(zip(loaded["body_a"].tolist(), loaded["body_b"].tolist(), strict=True))
    seen = set()
    for row in rows[np.argsort(rows["separation"])] if len(rows) else ():
        a, b = int(row["body_a"]), int(row["body_b"])
        size = min(sizes.get(k, 0.0) or np.inf for k in (a, b))
        if row["separation"] > -OVERLAP * size or (a, b) in seen:
            continue
        seen.add((a, b))
        one, other = world.bodies[a], world.bodies[b]
        depth = f"{_name(one)} and {_name(other)} overlap by {-row['separation']:.3g} m"
        if (a, b) in pressed:
            message = (
                f"{depth}, pressed together: a contact yields by what it carries over the mass of "
                "the lighter body. Heavier or larger bodies below, and smaller heaps, yield less"
            )
        else:
            message = (
                f"{depth} and will be pushed apart: place them apart, or keep them from colliding "
                "by group, category and mask"
            )
            groups = [{collider.group for collider in body.colliders} for body in (one, other)]
            shared = max(groups[0] & groups[1], default=0)
            if shared > 0:
                message += f". Group {shared} makes them collide: a negative one keeps them apart"
        yield Finding("overlap", message, (one, other))


def _masses(world: World, moving: list[Body]) -> Iterator[Finding]:
    for body in moving:
        weighs = any(c.density > 0 and c.shape.area > 0 for c in body.colliders)
        if not weighs and body.mass == 1.0:
            yield Finding(
                "mass",
                f"{_name(body)} has no shape that weighs and counts as 1 kg: give it a shape with "
                "area and density, or mass=",
                (body,),
            )
    for joint in world.joints:
        a, b = joint.body_a, joint.body_b
        if a is None or b is None or a.kind != "dynamic" or b.kind != "dynamic":
            continue
        ratio = max(a.mass, b.mass) / max(min(a.mass, b.mass), 1e-300)
        if ratio > MASS_RATIO:
            yield Finding(
                "mass ratio",
                f"a joint ties {_name(a)} ({a.mass:.3g} kg) to {_name(b)} ({b.mass:.3g} kg), "
                f"1 : {ratio:.0f}: lighter loads or heavier parts need fewer substeps",
                (joint, a, b),
            )
    rows = world.contacts
    seen = set()
    for a, b in zip(rows["body_a"].tolist(), rows["body_b"].tolist(), strict=True):
        one, other = world.bodies[a], world.bodies[b]
        if (a, b) in seen or one.kind != "dynamic" or other.kind != "dynamic":
            continue
        seen.add((a, b))
        ratio = max(one.mass, other.mass) / max(min(one.mass, other.mass), 1e-300)
        if ratio > MASS_RATIO:
            yield Finding(
                "mass ratio",
                f"{_name(one)} ({one.mass:.3g} kg) touches {_name(other)} ({other.mass:.3g} kg), "
                f"1 : {ratio:.0f}: a density= nearer to the other's, or more substeps=",
                (one, other),
            )


def _scale(moving: list[Body], sizes: dict[int, float], world: World) -> Iterator[Finding]:
    known = [sizes[body.index] for body in moving if sizes[body.index] > 0]
    if not known:
        return
    typical = float(np.median(known))
    unit, fall = world.length_unit, float(np.hypot(*world.gravity))
    suggested = float(f"{typical:.0e}")
    if typical > LARGE * unit or fall > FALL * unit:
        helps = "give gravity in the units of the bodies"
        if suggested > unit:
            helps = (
                f"World(length_unit={suggested:g}) makes distances and speeds that are built in "
                "fit, or divide all lengths by the pixels of a metre"
            )
        yield Finding(
            "scale",
            f"moving bodies measure {typical:.3g} and gravity is {fall:.3g} per s², for a "
            f"length_unit of {unit:g}: that looks like pixels. {helps[0].upper()}{helps[1:]}",
        )
    elif typical < SMALL * unit:
        yield Finding(
            "scale",
            f"moving bodies measure {typical:.3g}: contacts begin at {0.02 * unit:g} and sleep at "
            f"{0.05 * unit:g} per second, which shows. World(length_unit={suggested:g}) makes them "
            "fit, or scale lengths, gravity and speeds up",
        )


def _gravity(world: World, moving: list[Body]) -> Iterator[Finding]:
    """Gravity that points up, where nothing would ever stop what it pulls."""
    x, y = world.gravity
    pulled = [body for body in moving if body.gravity_scale > 0]
    if not y > abs(x) or not pulled:
        return
    tops = [c.aabb[1][1] for c in world.colliders if c.body.kind != "dynamic" and not c.sensor]
    if max(tops, default=-np.inf) <= min(body.position[1] for body in pulled):
        yield Finding(
            "gravity",
            f"gravity ({x:g}, {y:g}) points up, and nothing above the bodies would stop them: y "
            f"grows upwards, and things fall with World(({x:g}, {-y:g}))",
        )


def _damping(world: World) -> Iterator[Finding]:
    """What another engine keeps of the speed in a second; here it is a rate, 1/s."""
    rate = world.damping
    if rate is not None and 0.5 < rate < 1:
        yield Finding(
            "damping",
            f"damping {rate:g} takes {1 - np.exp(-rate):.0%} of all speeds in a second: if "
            f"{rate:.0%} were to be kept, it is damping = {-np.log(rate):.3g}",
        )


def _hooks(world: World) -> Iterator[Finding]:
    colliders = list(world.colliders)
    if world.on_pre_solve is not None and colliders and not any(c.pre_solve for c in colliders):
        yield Finding(
            "hook",
            "on_pre_solve is set and will not be called: it is asked about contacts of colliders "
            "with pre_solve=True, and there are none",
        )


def _names(world: World) -> Iterator[Finding]:
    """Of a subclass, whose worlds take any attribute: those that are settings elsewhere."""
    for name in getattr(world, "__dict__", ()):
        meant = re.fullmatch(r"; did you mean world\.(\w+)\?", attribute(World, name))
        if meant is not None and meant[1] in SETTINGS:
            yield Finding(
                "setting",
                f"{name} of this {type(world).__name__} is an attribute of its own, which no step "
                f"reads: the setting is {meant[1]}",
            )


def _speeds(
    world: World, moving: list[Body], sizes: dict[int, float], dt: float | None
) -> Iterator[Finding]:
    limited = world.counters["limited"]
    if limited:
        fast = [b for b in moving if np.hypot(*b.velocity) > 0.99 * world.max_speed]
        yield Finding(
            "speed",
            f"the last step slowed {limited} bodies to max_speed = {world.max_speed:g} m/s or "
            f"max_angular_speed = {world.max_angular_speed:g} rad/s, or kept them from numbers "
            "without end: give the world larger ones, or look where they come from",
            tuple(fast[:3]),
        )
    for body in moving:
        speed = float(np.hypot(*body.velocity))
        if speed > world.max_speed:
            yield Finding(
                "speed",
                f"{_name(body)} has {speed:.4g} m/s; steps limit speeds to max_speed = "
                f"{world.max_speed:g}: set world.max_speed",
                (body,),
            )
        elif (
            dt is not None
            and not world.continuous
            and sizes[body.index] > 0
            and speed * dt > sizes[body.index]
        ):
            yield Finding(
                "speed",
                f"{_name(body)} goes {speed * dt:.3g} m a step, further than it is long: it may "
                "pass through things; World(continuous=True) keeps it from that",
                (body,),
            )


def _chains(world: World) -> Iterator[Finding]:
    """Bodies near a chain that are all on its solid side."""
    for collider in world.colliders:
        shape = collider.shape
        if not isinstance(shape, Chain):
            continue
        if collider.body.kind == "dynamic":
            yield Finding(
                "terrain",
                f"{_name(collider.body)} has a chain, which is terrain, and moves: a static body "
                "has kind='static'",
                (collider,),
            )
        points = collider.body.to_world(np.asarray(shape.points))
        ends = np.roll(points, -1, axis=0) if shape.loop else points[1:]
        starts = points if shape.loop else points[:-1]
        sides = []
        for body in world.bodies:
            if body.kind != "dynamic":
                continue
            side = _side(body.position, starts, ends)
            if side is not None:
                sides.append((side, body))
        wrong = [body for side, body in sides if side < 0]
        if wrong and len(wrong) == len(sides):
            yield Finding(
                "chain side",
                f"all {len(wrong)} bodies near the chain of {_name(collider.body)} are on its "
                "solid side and will not collide: reverse its points (the free side is on the left "
                "of the walk)",
                (collider, *wrong[:3]),
            )


def _side(point: Any, starts: Any, ends: Any) -> float | None:
    """Of the nearest segment that a point projects onto: > 0 on the left. None: of none."""
    along = ends - starts
    length = np.hypot(*along.T)
    gap = point - starts
    part = (gap * along).sum(axis=1) / np.maximum(length**2, 1e-300)
    across = (along[:, 0] * gap[:, 1] - along[:, 1] * gap[:, 0]) / np.maximum(length, 1e-300)
    over = (part >= 0) & (part <= 1)
    if not over.any():
        return None
    return float(across[over][np.argmin(np.abs(across[over]))])


def _joints(world: World, sizes: dict[int, float]) -> Iterator[Finding]:
    for joint in world.joints:
        if isinstance(joint, DistanceJoint) and joint.spring_hertz == 0 and joint.stiffness == 0:
            length = float(np.hypot(*(joint.anchor_b - joint.anchor_a)))
            nearest = min(max(length, joint.lower), joint.upper)
            gap = abs(length - nearest)
            if gap > APART * world.length_unit and gap > APART * length:
                yield Finding(
                    "anchors",
                    f"the anchors of DistanceJoint {joint.index} are {length:.3g} m apart, "
                    f"{nearest:.3g} m are allowed, and they will be brought there at once: place "
                    "its bodies so, or give another length, lower or upper",
                    (joint,),
                )
        if type(joint).__name__ not in ("RevoluteJoint", "WeldJoint"):
            continue
        gap = float(np.hypot(*(joint.anchor_b - joint.anchor_a)))
        a = sizes.get(joint.body_a.index, 0.0) if joint.body_a is not None else np.inf
        size = min(s for s in (a, sizes.get(joint.body_b.index, 0.0), 1e9) if s > 0)
        if gap > APART * world.length_unit and gap > APART * size:
            yield Finding(
                "anchors",
                f"the anchors of {type(joint).__name__} {joint.index} are {gap:.3g} m apart and "
                "will be pulled together at once: place its bodies so that they meet",
                (joint,),
            )


def _idle_joints(world: World) -> Iterator[Finding]:
    """Joints and springs that can move nothing."""
    for joint in world.joints:
        what = f"{type(joint).__name__} {joint.index}"
        bodies = [body for body in (joint.body_a, joint.body_b) if body is not None]
        kind = type(joint).__name__
        if kind not in ("GearJoint", "FilterJoint") and all(b.kind != "dynamic" for b in bodies):
            yield Finding(
                "joint",
                f"{what} moves nothing: at least one of its bodies must be dynamic",
                (joint, *bodies),
            )
        for most in ("max_force", "max_torque"):
            if getattr(joint, most, None) == 0.0 and kind != "MotorJoint":
                yield Finding("joint", f"{most} of {what} is 0, so that it holds nothing", (joint,))
        target: float | None = getattr(joint, "spring_target", None)
        if target is None:
            continue
        lower: float = joint.lower  # type: ignore[attr-defined]
        upper: float = joint.upper  # type: ignore[attr-defined]
        sprung = joint.spring_hertz > 0 or joint.stiffness > 0  # type: ignore[attr-defined]
        if sprung and lower == upper:
            yield Finding(
                "spring",
                f"the spring of {what} does nothing: its limits hold it at {lower:g}; "
                "joint.set_limits(None, None) frees it",
                (joint,),
            )
        elif not sprung and isinstance(joint, DistanceJoint):
            off = max(lower - target, target - upper)
            if off > APART * world.length_unit and off > APART * target:
                yield Finding(
                    "spring",
                    f"{what} has a length or spring_target of {target:g} m, no spring, and limits "
                    f"{lower:g} to {upper:g} m, which alone count: joint.set_limits(lower, upper) "
                    "moves them, spring_hertz= or stiffness= makes a spring",
                    (joint,),
                )


def _bottomed(world: World) -> Iterator[Finding]:
    """Springs that a load has pushed as far as their limits let them."""
    for joint in world.joints:
        target: float | None = getattr(joint, "spring_target", None)
        if target is None or not (
            joint.spring_hertz > 0 or joint.stiffness > 0  # type: ignore[attr-defined]
        ):
            continue
        kind = type(joint).__name__
        where = next(n for n in ("translation", "length", "angle") if hasattr(joint, n))
        value: float = getattr(joint, where)
        inside = joint.lower < target < joint.upper  # type: ignore[attr-defined]
        for side in ("lower", "upper"):
            limit: float = getattr(joint, side)
            way = limit - target
            left = (limit - value) * np.sign(way)
            rests = abs(joint.speed) < RESTS * abs(way)  # type: ignore[attr-defined]
            if inside and np.isfinite(limit) and left < AT_LIMIT * abs(way) and rests:
                unit = "N m/rad" if where == "angle" else "N/m"
                yield Finding(
                    "spring",
                    f"the spring of {kind} {joint.index} does not carry its load: the joint rests "
                    f"on {side}={limit:g}. Its frequency is that of the bodies that it connects, "
                    "without what rests on them: give a higher spring_hertz, or stiffness= in "
                    f"{unit}",
                    (joint,),
                )


def _motors(world: World) -> Iterator[Finding]:
    """Motors that are told a speed and have nothing to reach it with."""
    for joint in world.joints:
        kind = type(joint)
        strength = "max_motor_torque" if hasattr(kind, "max_motor_torque") else "max_motor_force"
        if not (hasattr(kind, "motor_speed") and hasattr(kind, strength)):
            continue
        speed: float = joint.motor_speed  # type: ignore[attr-defined]
        if speed != 0.0 and getattr(joint, strength) == 0.0:
            yield Finding(
                "motor",
                f"motor_speed of {kind.__name__} {joint.index} is {speed:g} and {strength} is 0, "
                f"so that it moves nothing: give {strength}= as well, "
                f"{'N m' if strength == 'max_motor_torque' else 'N'}",
                (joint,),
            )


def _tunings(world: World, dt: float | None) -> Iterator[Finding]:
    """Springs that stand for a hold, and that substeps cannot follow."""
    rate = world.substeps / (1 / 60 if dt is None else dt)
    for joint in world.joints:
        hertz: float | None = getattr(joint, "joint_hertz", None)
        if hertz is not None and hertz > STIFFEST * rate * (1 + 1e-9):
            yield Finding(
                "tuning",
                f"joint_hertz of {type(joint).__name__} {joint.index} is {hertz:.6g} and acts as "
                f"{STIFFEST * rate:.3g} Hz, a tenth of {rate:.4g} substeps a second: None holds "
                "exactly, and more substeps= follow a stiffer spring",
                (joint,),
            )


def _is_degrees(angle: float) -> bool:
    """Whole fives of a size that radians seldom have, and that a step never makes."""
    return bool(10 <= abs(angle) <= 720) and angle % 5 == 0


def _is_turns(speed: float) -> bool:
    """Whole quarters of a turn in degrees."""
    return bool(90 <= abs(speed) <= 3600) and speed % 90 == 0


def _angles(world: World) -> Iterator[Finding]:
    for body in world.bodies:
        if _is_degrees(body.angle):
            yield Finding(
                "angle",
                f"{_name(body)} is turned by {body.angle:g} radians, which look like degrees: "
                f"angle=np.radians({body.angle:g}) is {np.radians(body.angle):.4g}",
                (body,),
            )
        if _is_turns(body.angular_velocity):
            speed = body.angular_velocity
            yield Finding(
                "angle",
                f"{_name(body)} turns by {speed:g} radians per second, which look like degrees: "
                f"np.radians({speed:g}) is {np.radians(speed):.4g}",
                (body,),
            )
    for joint in world.joints:
        for name in ANGLES.get(type(joint).__name__, ()):
            angle = getattr(joint, name)
            if (_is_turns if name == "motor_speed" else _is_degrees)(angle):
                unit = "radians per second" if name == "motor_speed" else "radians"
                yield Finding(
                    "angle",
                    f"{name} of {type(joint).__name__} {joint.index} is {angle:g} {unit}, which "
                    f"look like degrees: np.radians({angle:g}) is {np.radians(angle):.4g}",
                    (joint,),
                )


def _filters(world: World) -> Iterator[Finding]:
    colliders = list(world.colliders)
    if len(colliders) < 2:
        return
    keys: dict[tuple[int, int, int], list[Collider]] = {}
    for collider in colliders:
        keys.setdefault((collider.category, collider.mask, collider.group), []).append(collider)
    kinds = list(keys)
    for key in kinds:
        meets = any(_meet(key, other) and (key != other or len(keys[key]) > 1) for other in kinds)
        first = keys[key][0]
        if not meets and not (key[1] == 0 or key[0] == 0):
            yield Finding(
                "filter",
                f"category {key[0]:#x}, mask {key[1]:#x} and group {key[2]} of "
                f"{_name(first.body)} meet no other collider: two meet when each one's category "
                "is in the other's mask",
                tuple(keys[key][:3]),
            )


def _meet(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    if a[2] == b[2] and a[2] != 0:
        return a[2] > 0
    return bool(a[0] & b[1]) and bool(b[0] & a[1])


def _materials(world: World) -> Iterator[Finding]:
    for collider in world.colliders:
        if collider.restitution > 1:
            yield Finding(
                "material",
                f"restitution {collider.restitution:g} of {_name(collider.body)} adds energy at "
                "every bounce: 0 is plastic, 1 elastic",
                (collider,),
            )
