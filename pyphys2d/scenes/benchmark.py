"""The benchmark scenes as numbers, so that every engine is fed the same work.

For a benchmark or a test::

    from pyphys2d.scenes import benchmark
    description = benchmark.DESCRIPTIONS["tumbler"]()     # engine-neutral
    world = benchmark.build_world(description)            # ours; extra keywords go to World(...)
    benchmark.run(world, description, steps=100)          # with the driven bodies

A `Description` holds `gravity` (m/s^2), `dt` (s), `steps`, `sleeping` (False: the scene says "no
sleep"), `groups`, `pins`, `driven` and `arrival`. Bodies are numbered in the order of the groups
and, inside a group, of the rows; a fresh world gives them the slots of these numbers.

A `Group` is n bodies that share their shapes, kind and material: `kind` ("static" | "kinematic" |
"dynamic"), `shapes` (tuple of `ShapeSpec`, in the body's frame), `positions (n, 2)`, `angles (n,)`,
`velocities (n, 2)`, `angular_velocities (n,)`, `density`, `friction`, `restitution`, `awake`,
`can_sleep`; `category` and `mask` (of the shapes: two collide if each category is in the other's
mask) and `family` (not 0: its members do not collide with each other).

A `ShapeSpec` is `kind` ("circle" | "polygon" | "segment" | "capsule" | "loop"), `points (k, 2)` (a
circle's centre, a convex polygon's vertices counter-clockwise, the two ends of a segment or a
capsule, the points of a closed chain that holds bodies in, counter-clockwise) and `radius` (of
circles, capsules and rounded polygons, else 0).

`Pins` are n revolute joints that share their numbers: bodies `a (n,)` and `b (n,)`, `anchors (n,
2)`, `limits` (radians, or None), `spring` (hertz, damping ratio, or None), `motor` (rad/s, largest
torque in N m, or None).

A `Driven` is the number of a kinematic `body` and its `path`: time in seconds to (x, y, angle).
Before each step at time t give that body the velocity (path(t + dt) - its pose) / dt.

Where there is an `arrival`, a function, it is asked before step k (from 0) and answers None or an
`Arrival`: the bodies of `groups` with `pins` among them (numbered from 0) take the `place`. Whoever
arrived there before is removed first. Places fill up in the order of their numbers; the bodies of
the places come behind those of the groups.

All rotations come from `pyphys2d.geometry.direction`, the engine's own sine and cosine, and random
numbers from a seeded PCG64, so the numbers are the same bits on every machine. Lists of scenes: E.
Catto's Box2D benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyphys2d import Body, Capsule, Chain, Circle, Polygon, Segment, Shape, World
from pyphys2d.geometry import direction

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
DEGREE = 0.017453292519943295  # radians
ALL = 2**64 - 1  # a mask of everything
ANY_TORQUE = 1e15  # N m; the most that a joint of this library can be told
RAIN_COLUMNS = 40
DT = 1 / 60


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    """A shape as numbers; see the top of the module."""

    kind: str
    points: Array
    radius: float = 0.0

    def make(self) -> Shape:
        """The shape as a value of this library."""
        if self.kind == "circle":
            return Circle(self.radius, self.points[0])
        if self.kind == "segment":
            return Segment(self.points[0], self.points[1])
        if self.kind == "capsule":
            return Capsule(self.points[0], self.points[1], self.radius)
        if self.kind == "loop":
            return Chain(self.points, loop=True)
        return Polygon(self.points, radius=self.radius)


@dataclass(frozen=True, slots=True)
class Group:
    """Bodies that share shapes, kind and material; see the top of the module."""

    kind: str
    shapes: tuple[ShapeSpec, ...]
    positions: Array
    angles: Array
    velocities: Array
    angular_velocities: Array
    density: float = 1.0
    friction: float = 0.6
    restitution: float = 0.0
    awake: bool = True
    can_sleep: bool = True
    category: int = 1
    mask: int = ALL
    family: int = 0


@dataclass(frozen=True, slots=True)
class Pins:
    """Revolute joints that share their numbers; see the top of the module."""

    a: Numbers
    b: Numbers
    anchors: Array
    limits: tuple[float, float] | None = None
    spring: tuple[float, float] | None = None
    motor: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """Bodies that take a place; see the top of the module."""

    place: int
    groups: tuple[Group, ...]
    pins: tuple[Pins, ...]


@dataclass(frozen=True, slots=True)
class Driven:
    """A kinematic body that follows a path; see the top of the module."""

    body: int
    path: Callable[[float], tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Description:
    """A scene as numbers; see the top of the module."""

    name: str
    groups: tuple[Group, ...]
    steps: int
    gravity: tuple[float, float] = (0.0, -10.0)
    sleeping: bool = True
    driven: tuple[Driven, ...] = ()
    dt: float = DT
    pins: tuple[Pins, ...] = ()
    arrival: Callable[[int], Arrival | None] | None = None

    @property
    def body_count(self) -> int:
        """Number of bodies over all groups, without those that arrive."""
        return sum(len(group.positions) for group in self.groups)


def polygon(points: ArrayLike) -> ShapeSpec:
    """A convex polygon from counter-clockwise vertices (n, 2) in metres."""
    return ShapeSpec("polygon", np.array(points, float))


def box(
    half_x: float, half_y: float, x: float = 0.0, y: float = 0.0, radius: float = 0.0
) -> ShapeSpec:
    """An upright box of half-extents (half_x, half_y) about (x, y), grown by radius; metres."""
    corners = [(-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y)]
    return ShapeSpec("polygon", np.array([(x + a, y + b) for a, b in corners]), radius)


def circle(radius: float) -> ShapeSpec:
    """A circle about the origin, metres."""
    return ShapeSpec("circle", np.zeros((1, 2)), radius)


def capsule(ax: float, ay: float, bx: float, by: float, radius: float) -> ShapeSpec:
    """A capsule from (ax, ay) to (bx, by), metres."""
    return ShapeSpec("capsule", np.array([(ax, ay), (bx, by)]), radius)


def pins(pairs: ArrayLike, anchors: ArrayLike, **numbers: Any) -> Pins:
    """Joints of pairs (n, 2) of bodies at anchors (n, 2)."""
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return Pins(both[:, 0], both[:, 1], np.array(anchors, float).reshape(-1, 2), **numbers)


def group(
    shapes: ShapeSpec | list[ShapeSpec],
    positions: ArrayLike,
    kind: str = "dynamic",
    *,
    velocity: tuple[float, float] = (0.0, 0.0),
    angular_velocity: float = 0.0,
    **material: Any,
) -> Group:
    """Bodies at positions (n, 2), all with angle 0 and the same velocity."""
    rows = np.array(positions, float).reshape(-1, 2)
    n = len(rows)
    return Group(
        kind,
        (shapes,) if isinstance(shapes, ShapeSpec) else tuple(shapes),
        rows,
        np.zeros(n),
        np.tile(np.array(velocity, float), (n, 1)),
        np.full(n, angular_velocity),
        **material,
    )


def _grid(x: float, y: float, spacing: float, columns: int, rows: int) -> Array:
    """Points column by column, each from below to above."""
    points = [(x + spacing * i, y + spacing * j) for i in range(columns) for j in range(rows)]
    return np.array(points)


def large_pyramid() -> Description:
    """5,050 boxes in one pyramid of base 100."""
    base = 100
    positions = [
        (0.5 * (i + 1) + (j - i) - 0.5 * base, 0.5 * (2 * i + 1))
        for i in range(base)
        for j in range(i, base)
    ]
    ground = group(box(100, 1), (0, -1), "static")
    return Description(
        "large_pyramid", (ground, group(box(0.5, 0.5), positions)), 500, sleeping=False
    )


def many_pyramids(copies: int = 20) -> Description:
    """Pyramids of base 10 on as many floors as there are pyramids in a row: 55 copies² boxes."""
    half = 5.5 * copies
    floors = [
        ShapeSpec("segment", np.array([(-half, 11.0 * row), (half, 11.0 * row)]))
        for row in range(copies)
    ]
    positions = [
        (1 - half + 11 * p + 0.5 * i + (j - i), 11 * row + 0.5 * (2 * i + 1))
        for row in range(copies)
        for p in range(copies)
        for i in range(10)
        for j in range(i, 10)
    ]
    ground = group(floors, (0, 0), "static")
    return Description(
        "many_pyramids", (ground, group(box(0.5, 0.5), positions)), 200, sleeping=False
    )


def _drum(kind: str, angular_velocity: float = 0.0) -> tuple[Group, Group]:
    """A square drum and the boxes in it."""
    walls = [box(0.5, 10, 10, 0), box(0.5, 10, -10, 0), box(10, 0.5, 0, 10), box(10, 0.5, 0, -10)]
    drum = group(walls, (0, 10), kind, angular_velocity=angular_velocity, density=50)
    return drum, group(box(0.125, 0.125), _grid(-9, 1, 0.4, 45, 45))


def tumbler() -> Description:
    """2,025 boxes in a square drum that turns at 25 degrees a second."""
    return Description("tumbler", _drum("kinematic", 25 * DEGREE), 750)


def jointed_tumbler() -> Description:
    """The tumbler with a dynamic drum, which a motor turns."""
    ground = group(circle(0.1), (0, 10), "static", mask=0)
    motor = pins((0, 1), (0, 10), motor=(25 * DEGREE, 1e8))
    return Description("jointed_tumbler", (ground, *_drum("dynamic")), 750, pins=(motor,))


def _arc_quad(inner: float, outer: float, start: float, end: float) -> ShapeSpec:
    """A quad between two radii and two angles (degrees), about the origin."""
    c0, s0 = direction(start * DEGREE)
    c1, s1 = direction(end * DEGREE)
    ring = [(inner, c0, s0), (outer, c0, s0), (outer, c1, s1), (inner, c1, s1)]
    return polygon([(r * c, r * s) for r, c, s in ring])


def washer() -> Description:
    """8,100 small boxes in a turning ring with four fins."""
    shapes = []
    for k in range(36):
        shapes.append(_arc_quad(16, 18, 10 * k - 1, 10 * k + 11))
        if k % 9 == 0:
            shapes.append(_arc_quad(14, 16, 10 * k, 10 * k + 10))
    ring = group(
        shapes, (0, 10), "kinematic", velocity=(0.001, -0.002), angular_velocity=25 * DEGREE
    )
    boxes = group(box(0.1, 0.1), _grid(-9.9, 0.1, 0.21, 90, 90))
    return Description("washer", (ring, boxes), 500)


def smash() -> Description:
    """A heavy box flies into 9,600 sleeping small ones, without gravity."""
    bullet = group(box(4, 4), (-20, 0), velocity=(40, 0), density=8)
    wall = group(box(0.2, 0.2), _grid(30, -16, 0.4, 120, 80), awake=False)
    return Description("smash", (bullet, wall), 300, gravity=(0, 0))


def _yard(half_width: int, wall_height: int) -> Group:
    """A floor along y = 0 and two walls, of overlapping boxes on one static body."""
    floor = [box(0.55, 0.5, x, 0) for x in range(-half_width, half_width + 1)]
    walls = [
        box(0.5, 0.55, side * half_width, 1 + j) for side in (-1, 1) for j in range(wall_height)
    ]
    return group(floor + walls, (0, 0), "static")


def compounds() -> Description:
    """3,000 bodies of two overlapping triangles each fall into a yard."""
    left = polygon([(-1, 0), (0.5, 1), (0, 2)])
    right = polygon([(1, 0), (0, 2), (-0.5, 1)])
    positions = [
        (2 * i - 19 + (0.25 if j % 2 else -0.25), 2.25 * j + 5.575)
        for i in range(20)
        for j in range(150)
    ]
    bodies = group([left, right], positions, friction=0.5)
    return Description("compounds", (_yard(40, 100), bodies), 500)


def _pusher_path(time: float) -> tuple[float, float, float]:
    return 60 * direction(0.2 * time)[1], 4.0, 0.0


def junkyard() -> Description:
    """8,000 pentagons in a yard, pushed to and fro."""
    pentagon = polygon(
        [(0.25 * c, 0.25 * s) for c, s in (direction(72 * DEGREE * k) for k in range(5))]
    )
    positions = [
        (0.375 * (2 * i - 200) + (0.1 if j % 2 else -0.1), j + 15.0)
        for i in range(200)
        for j in range(40)
    ]
    pusher = group(box(2, 4), (0, 4), "kinematic")
    return Description(
        "junkyard",
        (_yard(80, 50), pusher, group(pentagon, positions)),
        800,
        driven=(Driven(1, _pusher_path),),
    )


def circles() -> Description:
    """10,000 circles fall into a bin 70 m wide."""
    random = np.random.Generator(np.random.PCG64(2026))
    positions = _grid(-34, 1, 0.8, 86, 117)[:10_000]
    positions = positions + 0.1 * (random.random(positions.shape) - 0.5)
    tray = group([box(37, 1, 0, -1), box(1, 60, -36, 60), box(1, 60, 36, 60)], (0, 0), "static")
    return Description("circles", (tray, group(circle(0.35), positions)), 500)


def spinner() -> Description:
    """A long bar stirs 6,076 capsules, circles and boxes in a round bowl."""
    bowl = np.array([direction(DEGREE * k) for k in range(360)]) * 40 + (0, 32)
    ring = group(ShapeSpec("loop", bowl), (0, 0), "static", friction=0.1)
    bar = group(box(0.4, 20, radius=0.2), (0, 12), friction=0, can_sleep=False)
    columns = int((23 - -23) / 0.5) + 1
    places = np.array([(-23 + 0.5 * (k % columns), 2 + 0.5 * (k // columns)) for k in range(6076)])
    material: dict[str, Any] = {"density": 0.25, "friction": 0.1, "restitution": 0.1}
    # In turn, which here are groups: a body's number says nothing of its place.
    shapes = (capsule(-0.25, 0, 0.25, 0, 0.25), circle(0.35), box(0.35, 0.35))
    crowd = [group(shape, places[k::3], **material) for k, shape in enumerate(shapes)]
    motor = pins((0, 1), (0, 12), motor=(5, ANY_TORQUE))
    return Description("spinner", (ring, bar, *crowd), 500, pins=(motor,))


def joint_grid(size: int = 100) -> Description:
    """A net of size x size circles and revolute joints that hangs by a few of them."""
    held = range(size // 2 - 3, size // 2 + 4)
    places = [(k, -i) for k in range(size) for i in range(size)]
    fixed = [place for place in places if place[1] == 0 and place[0] in held]
    free = [place for place in places if place not in set(fixed)]
    number = {place: n for n, place in enumerate(fixed + free)}
    pairs, anchors = [], []
    for k, y in places:
        for neighbour in ((k, y + 1), (k - 1, y)):
            held_both = number[k, y] < len(fixed) and number.get(neighbour, len(fixed)) < len(fixed)
            if neighbour in number and not held_both:
                pairs.append((number[neighbour], number[k, y]))
                anchors.append((0.5 * (k + neighbour[0]), 0.5 * (y + neighbour[1])))
    filters: dict[str, Any] = {"category": 2, "mask": ALL - 2}
    groups = (
        group(circle(0.4), fixed, "static", **filters),
        group(circle(0.4), free, **filters),
    )
    return Description("joint_grid", groups, 500, sleeping=False, pins=(pins(pairs, anchors),))


# A ragdoll 1.8 m tall, in step: parent, where the middle of its upright capsule is, half length and
# radius of that, height of the joint with the parent, limits of its angle in half turns. Not quite
# in balance, or engines that keep its symmetry would let it stand.
_BONES = {
    "hip": (None, (0.0, 0.96), 0.02, 0.10, 0.0, (0.0, 0.0)),
    "torso": ("hip", (0.01, 1.22), 0.14, 0.09, 1.02, (-0.25, 0.0)),
    "head": ("torso", (0.03, 1.63), 0.06, 0.09, 1.47, (-0.3, 0.1)),
    "left thigh": ("hip", (0.04, 0.73), 0.15, 0.06, 0.91, (-0.05, 0.4)),
    "left shin": ("left thigh", (0.07, 0.30), 0.20, 0.05, 0.52, (-0.5, 0.0)),
    "right thigh": ("hip", (-0.04, 0.73), 0.15, 0.06, 0.91, (-0.05, 0.4)),
    "right shin": ("right thigh", (-0.06, 0.30), 0.20, 0.05, 0.52, (-0.5, 0.0)),
    "left arm": ("torso", (0.03, 1.27), 0.12, 0.04, 1.40, (-0.1, 0.8)),
    "left hand": ("left arm", (0.05, 1.00), 0.12, 0.035, 1.13, (-0.2, 0.3)),
    "right arm": ("torso", (-0.02, 1.27), 0.12, 0.04, 1.40, (-0.1, 0.8)),
    "right hand": ("right arm", (-0.03, 1.00), 0.12, 0.035, 1.13, (-0.2, 0.3)),
}


def _ragdolls(feet: list[tuple[float, float]], family: int) -> tuple[list[Group], list[Pins]]:
    """A group per ragdoll and bone, and the joints between them."""
    groups = [
        group(capsule(0, -half, 0, half, radius), (x + dx, y + dy), family=family + doll)
        for doll, (x, y) in enumerate(feet)
        for _, (dx, dy), half, radius, _, _ in _BONES.values()
    ]
    names = list(_BONES)
    joints = []
    for bone, (parent, (side, _), _, _, pivot, limits) in enumerate(_BONES.values()):
        if parent is None:
            continue
        first = len(_BONES) * np.arange(len(feet))
        pairs = np.column_stack([first + names.index(parent), first + bone])
        lower, upper = 180 * DEGREE * np.array(limits)
        joints.append(
            pins(
                pairs,
                [(x + 0.5 * (side + _BONES[parent][1][0]), y + pivot) for x, y in feet],
                limits=(float(lower), float(upper)),
                spring=(5, 0.5),
                motor=(0, 0.05),
            )
        )
    return groups, joints


def _rain_column(step: int) -> Arrival | None:
    """In every eighth step 25 ragdolls, five above each floor."""
    if step % 8:
        return None
    place = step // 8 % RAIN_COLUMNS
    x = -125 + 250 / RAIN_COLUMNS * (place + 0.5)
    feet = [(x + 0.5 * k, 40.0 + 45 * floor) for floor in range(5) for k in range(5)]
    groups, joints = _ragdolls(feet, 1 + 25 * place)
    return Arrival(place, tuple(groups), tuple(joints))


def rain() -> Description:
    """Ragdolls rain on five floors, up to 1,000 of them; then the oldest go as others come."""
    tiles = [box(0.25, 0.25, -125 + 0.5 * k, 0) for k in range(501)]
    floors = group(tiles, [(0, 45 * floor) for floor in range(5)], "static")
    return Description("rain", (floors,), 1000, arrival=_rain_column)


DESCRIPTIONS: Mapping[str, Callable[[], Description]] = MappingProxyType(
    {
        build.__name__: build
        for build in (
            large_pyramid,
            many_pyramids,
            tumbler,
            washer,
            smash,
            compounds,
            junkyard,
            circles,
            jointed_tumbler,
            spinner,
            joint_grid,
            rain,
        )
    }
)


def build_world(description: Description, **world_kwargs: Any) -> World:
    """A world with the bodies of a description, in its order.

    Parameters
    ----------
    description : Description
    **world_kwargs
        For `World`; they win over the description's gravity and sleeping.

    Examples
    --------
    >>> from pyphys2d.scenes import benchmark
    >>> world = benchmark.build_world(benchmark.tumbler(), substeps=4)
    >>> len(world.bodies)
    2026
    """
    settings: dict[str, Any] = {
        "gravity": description.gravity,
        "sleeping": description.sleeping,
        **world_kwargs,
    }
    world = World(**settings)
    add(world, description.groups, description.pins)
    return world


def add(world: World, groups: Sequence[Group], joints: Sequence[Pins]) -> list[Body]:
    """Add bodies and the joints between them to a world; returns the bodies by their number."""
    bodies: list[Body] = []
    for part in groups:
        slots = world.add_bodies(
            [shape.make() for shape in part.shapes],
            part.positions,
            part.angles,
            kind=part.kind,  # type: ignore[arg-type]
            velocity=part.velocities,
            angular_velocity=part.angular_velocities,
            density=part.density,
            friction=part.friction,
            restitution=part.restitution,
            awake=part.awake,
            can_sleep=part.can_sleep,
            category=part.category,
            mask=part.mask,
            group=-part.family,
            compound=True,
        )
        bodies += [world.bodies[slot] for slot in slots]
    for same in joints:
        options: dict[str, Any] = {}
        if same.limits:
            options |= {"lower": same.limits[0], "upper": same.limits[1]}
        if same.spring:
            options |= {"spring_hertz": same.spring[0], "spring_damping_ratio": same.spring[1]}
        if same.motor:
            options |= {"motor_speed": same.motor[0], "max_motor_torque": same.motor[1]}
        for a, b, anchor in zip(same.a, same.b, same.anchors, strict=True):
            world.add_revolute_joint(bodies[a], bodies[b], anchor=anchor, **options)
    return bodies


class Arrivals:
    """Lets bodies arrive in a world, step by step."""

    def __init__(self, world: World, description: Description) -> None:
        self.world = world
        self.arrival = description.arrival
        self.steps = 0
        self.places: dict[int, list[Body]] = {}

    def step(self) -> None:
        """Before each step."""
        arrival = self.arrival(self.steps) if self.arrival else None
        self.steps += 1
        if arrival is None:
            return
        for body in self.places.get(arrival.place, []):
            self.world.remove(body)
        self.places[arrival.place] = add(self.world, arrival.groups, arrival.pins)


def drive(world: World, description: Description) -> None:
    """Give the driven bodies the velocities of the coming step."""
    for driven in description.driven:
        x, y, angle = driven.path(world.time + description.dt)
        world.bodies[driven.body].move_to((x, y), angle, description.dt)


def run(world: World, description: Description, steps: int | None = None) -> None:
    """Advance by ``steps`` steps (default: the description's), driving what is driven.

    Whoever arrives does so from step 0 on.
    """
    count = description.steps if steps is None else steps
    if not description.driven and not description.arrival:
        world.step(description.dt, count)
        return
    arrivals = Arrivals(world, description)
    for _ in range(count):
        arrivals.step()
        drive(world, description)
        world.step(description.dt)
