"""The benchmark scenes as numbers, so that every engine is fed the same work.

For a benchmark or a test::

    from pyphys2d.scenes import benchmark
    description = benchmark.DESCRIPTIONS["tumbler"]()     # engine-neutral
    world = benchmark.build_world(description)            # ours; extra keywords go to World(...)
    benchmark.run(world, description, steps=100)          # with the driven bodies

A `Description` holds `gravity` (m/s^2), `dt` (s), `steps`, `sleeping` (False: the scene says "no
sleep"), `groups` and `driven`. Bodies are numbered in the order of the groups and, inside a group,
of the rows; a fresh world gives them the slots of these numbers.

A `Group` is n bodies that share their shapes, kind and material: `kind` ("static" | "kinematic" |
"dynamic"), `shapes` (tuple of `ShapeSpec`, in the body's frame), `positions (n, 2)`, `angles (n,)`,
`velocities (n, 2)`, `angular_velocities (n,)`, `density`, `friction`, `restitution`, `awake`.

A `ShapeSpec` is `kind` ("circle" | "polygon" | "segment"), `points (k, 2)` (a circle's centre, a
convex polygon's vertices counter-clockwise, a segment's two ends) and `radius` (circles only, else
0).

A `Driven` is the number of a kinematic `body` and its `path`: time in seconds to (x, y, angle).
Before each step at time t give that body the velocity (path(t + dt) - its pose) / dt.

All rotations come from `pyphys2d.geometry.direction`, the engine's own sine and cosine, and random
numbers from a seeded PCG64, so the numbers are the same bits on every machine. Lists of scenes: E.
Catto's Box2D benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyphys2d import Circle, Polygon, Segment, Shape, World
from pyphys2d.geometry import direction

Array = NDArray[np.float64]
DEGREE = 0.017453292519943295  # radians
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
        return Polygon(self.points)


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

    @property
    def body_count(self) -> int:
        """Number of bodies over all groups."""
        return sum(len(group.positions) for group in self.groups)


def polygon(points: ArrayLike) -> ShapeSpec:
    """A convex polygon from counter-clockwise vertices (n, 2) in metres."""
    return ShapeSpec("polygon", np.array(points, float))


def box(half_x: float, half_y: float, x: float = 0.0, y: float = 0.0) -> ShapeSpec:
    """An upright box of half-extents (half_x, half_y) about (x, y), metres."""
    corners = [(-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y)]
    return polygon([(x + a, y + b) for a, b in corners])


def circle(radius: float) -> ShapeSpec:
    """A circle about the origin, metres."""
    return ShapeSpec("circle", np.zeros((1, 2)), radius)


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


def tumbler() -> Description:
    """2,025 boxes in a square drum that turns at 25 degrees a second."""
    walls = [box(0.5, 10, 10, 0), box(0.5, 10, -10, 0), box(10, 0.5, 0, 10), box(10, 0.5, 0, -10)]
    drum = group(walls, (0, 10), "kinematic", angular_velocity=25 * DEGREE, density=50)
    return Description("tumbler", (drum, group(box(0.125, 0.125), _grid(-9, 1, 0.4, 45, 45))), 750)


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
    for part in description.groups:
        world.add_bodies(
            [shape.make() for shape in part.shapes],
            part.positions,
            part.angles,
            kind=part.kind,
            velocity=part.velocities,
            angular_velocity=part.angular_velocities,
            density=part.density,
            friction=part.friction,
            restitution=part.restitution,
            awake=part.awake,
        )
    return world


def drive(world: World, description: Description) -> None:
    """Give the driven bodies the velocities of the coming step."""
    for driven in description.driven:
        x, y, angle = driven.path(world.time + description.dt)
        world.bodies[driven.body].move_to((x, y), angle, description.dt)


def run(world: World, description: Description, steps: int | None = None) -> None:
    """Advance by ``steps`` steps (default: the description's), driving what is driven."""
    count = description.steps if steps is None else steps
    if not description.driven:
        world.step(description.dt, count)
        return
    for _ in range(count):
        drive(world, description)
        world.step(description.dt)
