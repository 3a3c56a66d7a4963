"""The four demos of the notebook tutorial, alive: grabbing, normals, collision, tunneling.

Source of the ideas: D. Sotirov's notebook tutorial on a rigid-body engine in Python, whose demos
these are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from pyphys2d import Box, Capsule, Circle, Polygon, RegularPolygon, Shape, World, geometry
from pyphys2d._live import Message, Session

Array: TypeAlias = npt.NDArray[np.float64]

PENTAGON = [(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)]
TRIANGLE = [(4, 1), (2, 4), (1, 1)]
HOUSE = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]


def _centered(points: Sequence[Sequence[float]]) -> Polygon:
    ring = np.array(points, float)
    return Polygon(ring - geometry.centroid(ring))


def _room(world: World, width: float, height: float) -> None:
    """A floor, a ceiling and two walls around (0, height / 2)."""
    thick = 0.5
    for x, y, w, h in (
        (0, -thick / 2, width + 2 * thick, thick),
        (0, height + thick / 2, width + 2 * thick, thick),
        (-(width + thick) / 2, height / 2, thick, height),
        ((width + thick) / 2, height / 2, thick, height),
    ):
        world.add_body(Box(w, h), (x, y), kind="static")


# ----------------------------------------------------------------------------------------- grabbing
def grabbing() -> Session:
    """Take a body by the mouse, move it, throw it."""

    def make() -> tuple[World, None]:
        world = World(gravity=(0, 0))
        _room(world, 20, 11)
        shapes: list[Shape] = [
            _centered(PENTAGON),
            _centered(TRIANGLE),
            _centered(HOUSE),
            Circle(1),
            Box(2.2, 1.2),
            Capsule((-0.9, 0), (0.9, 0), 0.5),
            RegularPolygon(6, 1),
        ]
        for k, shape in enumerate(shapes):
            place = (-6.6 + 2.2 * k * 1.05, 5.5 + 2.4 * (-1) ** k)
            world.add_body(shape, place, angle=0.3 * k, restitution=0.5, name=f"body {k + 1}")
        return world, None

    session = Session(
        make()[0],
        remake=make,
        title="Grabbing: drag a body and let go to throw it",
        view=(-10.6, -0.6, 10.6, 11.6),
        playing=True,
    )

    def set_gravity(value: float) -> None:
        session.world.gravity = (0, -value)
        for body in session.world.bodies:
            body.wake()

    session.add_control(
        "slider",
        "Gravity",
        lambda: -float(session.world.gravity[1]),
        set_gravity,
        min=0.0,
        max=20.0,
        step=0.1,
        unit="m/s²",
    )
    return session


# ------------------------------------------------------------------------------------------ normals
PAIRS: dict[str, Callable[[], tuple[Shape, Shape]]] = {
    "pentagon and triangle": lambda: (_centered(PENTAGON), _centered(TRIANGLE)),
    "house and box": lambda: (_centered(HOUSE), Box(2.4, 1.4)),
    "two boxes": lambda: (Box(3, 1.6), Box(2, 2)),
    "pentagon and circle": lambda: (_centered(PENTAGON), Circle(1.1)),
    "capsule and hexagon": lambda: (Capsule((-1.2, 0), (1.2, 0), 0.6), RegularPolygon(6, 1.2)),
}


class _Normals:
    """Two shapes that wait, and what the narrow phase says of them."""

    def __init__(self) -> None:
        self.pair = next(iter(PAIRS))
        self.axes, self.clipping, self.contacts, self.normals = True, True, True, True

    def make(self) -> tuple[World, None]:
        world = World(gravity=(0, 0))
        a, b = PAIRS[self.pair]()
        world.add_body(a, (-1.0, 0), name="a")
        world.add_body(b, (1.0, 0.9), angle=0.35, name="b")
        return world, None

    def marks(self, world: World) -> list[Message]:
        a, b = world.bodies[0], world.bodies[1]
        shapes = (a.colliders[0].shape, b.colliders[0].shape)
        poses = [(*body.position.tolist(), body.angle) for body in (a, b)]
        found: list[Message] = []
        trace = geometry.sat(*shapes, *poses)
        if self.axes:
            found += self._axes(trace)
        if self.normals:
            for color, body in enumerate((a, b)):
                found += self._edge_normals(body, color)
        clip = geometry.clip(*shapes, *poses)
        if self.clipping and clip.kind == "faces":
            found += [
                _mark("line", clip.reference_edge, color=6, width=3.5),
                _mark("line", clip.incident_edge, color=5, width=3.5),
                _mark("legend", color=6, text="reference edge"),
                _mark("legend", color=5, text="incident edge"),
            ]
            for point, normal in clip.planes:
                along = np.array([-normal[1], normal[0]])
                found.append(
                    _mark("line", [point - 4 * along, point + 4 * along], color="faint", dash=True)
                )
        if self.contacts:
            for point, depth in zip(clip.points, clip.depths, strict=True):
                tip = point + 0.8 * clip.normal
                found.append(_mark("arrow", [point, tip], color="contact", width=2))
                label = f"{1000 * depth:.0f} mm deep"
                found.append(_mark("dot", [point], color="contact", width=2.2, text=label))
        gap = float(-trace.overlaps[trace.best])
        words = f"apart by {gap:.3f} m" if gap > 0 else f"overlap of {-gap:.3f} m"
        found.append(_mark("legend", text=f"Least: {words}"))
        return found

    @staticmethod
    def _edge_normals(body: Any, color: int) -> list[Message]:
        """From the middle of each edge of a polygon outwards."""
        shape = body.colliders[0].shape
        if not isinstance(shape, Polygon):
            return []
        ring = body.to_world(shape.vertices)
        edges = np.roll(ring, -1, axis=0) - ring
        middles = ring + 0.5 * edges
        outwards = np.column_stack([edges[:, 1], -edges[:, 0]]) / np.hypot(*edges.T)[:, None]
        return [
            _mark("arrow", [middle, middle + 0.45 * outward], color=color, width=1.2)
            for middle, outward in zip(middles, outwards, strict=True)
        ]

    @staticmethod
    def _axes(trace: Any) -> list[Message]:
        """The projections of both shapes on each axis, on lines around the scene."""
        found = []
        for k, (axis, a, b) in enumerate(
            zip(trace.axes, trace.intervals_a, trace.intervals_b, strict=True)
        ):
            across = np.array([-axis[1], axis[0]])
            best = k == trace.best
            at = -(3.4 + 0.2 * k) * across
            width = 4.0 if best else 1.6
            for color, (low, high) in ((0, a), (1, b)):
                shift = 0.07 * across * (1 if color else -1)
                line = [at + shift + low * axis, at + shift + high * axis]
                found.append(_mark("line", line, color=color, width=width))
            if best:
                found.append(_mark("arrow", [at, at + axis], color=2, width=2.5))
        return found


def normals() -> Session:
    """Move a shape: the separating axes, the clipping and the contacts follow."""
    demo = _Normals()
    session = Session(
        demo.make()[0],
        remake=demo.make,
        title="Normals: drag the shapes; the scene waits",
        view=(-9, -5.2, 9, 5.2),
    )
    session.marks = lambda: demo.marks(session.world)

    def place(body: Any, point: Array) -> bool:
        return False  # a world that waits takes positions as they come

    session.on_drag = place
    session.color = "body"  # as their projections have

    def choose(pair: str) -> None:
        demo.pair = pair
        session.reset()

    session.add_control("choice", "Shapes", lambda: demo.pair, choose, choices=list(PAIRS))

    def toggle(label: str, name: str) -> None:
        def get() -> bool:
            return bool(getattr(demo, name))

        def put(value: bool) -> None:
            setattr(demo, name, value)

        session.add_control("toggle", label, get, put)

    toggle("Axes and projections", "axes")
    toggle("Clipping", "clipping")
    toggle("Contacts", "contacts")
    toggle("Normals of edges", "normals")

    def turn(value: float) -> None:
        session.world.bodies[1].angle = np.radians(value)

    session.add_control(
        "slider",
        "Angle of b",
        lambda: round(float(np.degrees(session.world.bodies[1].angle)), 1),
        turn,
        min=-180.0,
        max=180.0,
        step=0.5,
        unit="°",
    )
    return session


def _mark(kind: str, points: Any = (), **style: Any) -> Message:
    return {"kind": kind, "points": np.asarray(points, float).reshape(-1, 2).tolist(), **style}


# ---------------------------------------------------------------------------------------- collision
class _Collision:
    """Shapes in a tray, by the solver and the options that are chosen."""

    def __init__(self) -> None:
        self.solver = "soft_step"
        self.response: Literal["impulse", "translate"] = "impulse"
        self.iterations = 10.0
        self.friction = 0.4
        self.restitution = 0.2
        self.points = "by clipping"

    def make(self) -> tuple[World, None]:
        world = self._world()
        _tray(world)
        random = np.random.default_rng(4)
        for k in range(16):
            place = (-5 + 10 * random.random(), 2.5 + 1.1 * k)
            body = world.add_body(_random_shape(random), place, angle=6 * random.random())
            self._paint(body)
        return world, None

    def _world(self) -> World:
        if self.solver == "soft_step":
            return World(gravity=(0, -9.81))
        return World(
            gravity=(0, -9.81),
            solver="sequential_impulses",
            iterations=int(self.iterations),
            response=self.response,
        )

    def _paint(self, body: Any) -> None:
        for collider in body.colliders:
            collider.friction, collider.restitution = self.friction, self.restitution

    def moved(self, old: World) -> World:
        """A world with the new options whose bodies are where those of the old one were."""
        world = self._world()
        for body in old.bodies:
            new = world.add_body(
                [collider.shape for collider in body.colliders],
                body.position,
                angle=body.angle,
                kind=body.kind,
                velocity=body.velocity,
                angular_velocity=body.angular_velocity,
            )
            self._paint(new)
        return world

    def marks(self, world: World) -> list[Message]:
        if self.points == "none":
            return []
        rows = world.contacts
        if self.points == "by clipping":
            return [_mark("dot", rows["point"], color="contact", width=1.6)] if len(rows) else []
        found = []
        pairs = np.unique(np.column_stack([rows["collider_a"], rows["collider_b"]]), axis=0)
        for a, b in pairs.tolist():
            point = _crude(world, a, b)
            if point is not None:
                found.append(point)
        return [_mark("dot", found, color=3, width=1.6)] if found else []


def _crude(world: World, a: int, b: int) -> Array | None:
    """The tutorial's first try: the middle of the deepest vertices of both along the normal."""
    ends = []
    rows = world.contacts
    row = rows[(rows["collider_a"] == a) & (rows["collider_b"] == b)][0]
    for index, sign in ((a, 1.0), (b, -1.0)):
        collider = world.colliders[index]
        if isinstance(collider.shape, Circle):
            place = collider.body.to_world(collider.shape.center)
            ends.append(place + sign * collider.shape.radius * row["normal"])
            continue
        vertices = np.asarray(collider.vertices, float).reshape(-1, 2)
        depth = sign * vertices @ row["normal"]
        ends.append(vertices[depth > depth.max() - 0.005].mean(axis=0))
    return np.asarray(0.5 * (ends[0] + ends[1]))


def _tray(world: World) -> None:
    world.add_body(Box(14, 0.8), (0, -0.4), kind="static")
    for side in (-1, 1):
        world.add_body(Box(0.8, 7), (side * 7.2, 2.6), angle=-0.25 * side, kind="static")


def _random_shape(random: np.random.Generator) -> Shape:
    if random.random() < 0.3:
        return Circle(0.4 + 0.3 * random.random())
    count = int(random.integers(3, 8))
    angles = np.sort(2 * np.pi * (np.arange(count) + 0.7 * random.random(count)) / count)
    radius = 0.5 + 0.5 * random.random()
    return _centered((radius * np.column_stack([np.cos(angles), np.sin(angles)])).tolist())


def collision() -> Session:
    """Shapes in a tray: solvers, responses, iterations, friction and restitution to choose."""
    demo = _Collision()
    session = Session(
        demo.make()[0],
        remake=demo.make,
        title="Collision: choose how contacts are solved",
        view=(-9, -1.2, 9, 9.5),
        playing=True,
    )
    session.marks = lambda: demo.marks(session.world)

    def choose(name: str) -> Callable[[Any], None]:
        def put(value: Any) -> None:
            setattr(demo, name, value)
            session.replace_world(demo.moved(session.world))

        return put

    def material(name: str) -> Callable[[float], None]:
        def put(value: float) -> None:
            setattr(demo, name, value)
            for body in session.world.bodies:
                demo._paint(body)

        return put

    def reader(name: str) -> Callable[[], Any]:
        return lambda: getattr(demo, name)

    session.add_control(
        "choice",
        "Solver",
        reader("solver"),
        choose("solver"),
        choices=["soft_step", "sequential_impulses"],
    )
    session.add_control(
        "choice",
        "Response (sequential)",
        reader("response"),
        choose("response"),
        choices=["impulse", "translate"],
    )
    session.add_control(
        "slider",
        "Iterations (sequential)",
        reader("iterations"),
        choose("iterations"),
        min=1.0,
        max=50.0,
        step=1.0,
    )
    for name, most in (("friction", 1.5), ("restitution", 1.0)):
        session.add_control(
            "slider",
            name.capitalize(),
            reader(name),
            material(name),
            min=0.0,
            max=most,
            step=0.01,
        )
    session.add_control(
        "choice",
        "Contact points",
        reader("points"),
        lambda value: setattr(demo, "points", value),
        choices=["by clipping", "crude average", "none"],
    )
    return session


# --------------------------------------------------------------------------------------- tunneling
class _Tunneling:
    """A ball that is shot at a thin wall."""

    def __init__(self) -> None:
        self.speed = 120.0
        self.thickness = 0.02
        self.continuous = True

    def make(self) -> tuple[World, None]:
        world = World(gravity=(0, 0), continuous=self.continuous)
        world.add_body(Box(self.thickness, 8), (5, 0), kind="static", name="wall")
        for y in (-4.25, 4.25):
            world.add_body(Box(24, 0.5), (0, y), kind="static")
        for x in (-12.25, 12.25):
            world.add_body(Box(0.5, 9), (x, 0), kind="static")
        return world, None

    def shoot(self, world: World) -> None:
        # At the first speed, 2 m a step, one ends half a metre before the wall.
        world.add_body(
            Circle(0.15),
            (-9.5, np.random.default_rng(world.step_count).uniform(-3.5, 3.5)),
            velocity=(self.speed, 0),
            restitution=0.3,
        )


def tunneling() -> Session:
    """A fast ball and a thin wall, with continuous collision on and off."""
    demo = _Tunneling()
    session = Session(
        demo.make()[0],
        remake=demo.make,
        title="Tunneling: shoot a ball at the wall",
        view=(-12.6, -4.6, 12.6, 4.6),
        playing=True,
    )

    def choose(name: str) -> Callable[[Any], None]:
        def put(value: Any) -> None:
            setattr(demo, name, value)
            session.replace_world(demo.make()[0])

        return put

    session.add_control("button", "Shoot", None, lambda _: demo.shoot(session.world))
    session.add_control(
        "slider",
        "Speed",
        lambda: demo.speed,
        lambda value: setattr(demo, "speed", value),
        min=5.0,
        max=390.0,
        step=5.0,
        unit="m/s",
    )
    session.add_control(
        "slider",
        "Thickness of the wall",
        lambda: demo.thickness,
        choose("thickness"),
        min=0.005,
        max=0.5,
        step=0.005,
        unit="m",
    )
    session.add_control("toggle", "Continuous", lambda: demo.continuous, choose("continuous"))

    def passed() -> list[Message]:
        world = session.world
        beyond = sum(body.kind == "dynamic" and body.position[0] > 5 for body in world.bodies)
        words = f"{beyond} of {len(world.bodies) - 5} balls passed the wall"
        return [_mark("legend", text=words)]

    session.marks = passed
    return session


DEMOS: dict[str, Callable[[], Session]] = {
    "grabbing": grabbing,
    "normals": normals,
    "collision": collision,
    "tunneling": tunneling,
}
