"""One adapter per engine: the same description in, steps, and the state out.

Every adapter is made from (description, substeps) and has `step(count)` -> seconds spent in steps,
processor time and wall time; `ways`, its ways to read the pose of every body after a step, and
`read(way)` -> seconds of one reading; `state()` -> positions of the bodies' origins, angles,
velocities of the centres of mass, angular velocities, in the order of the description. Settings
are each engine's own defaults; what differs is said in `SETTINGS`.

Ways to read: "view" (the live arrays), "batch" (one call that copies all poses into arrays),
"loop" (attributes, body by body).
"""

from __future__ import annotations

from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyphys2d.scenes.benchmark import Description

State = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Engine(Protocol):
    """What `compare.py` needs of an engine."""

    def __init__(self, description: Description, substeps: int) -> None: ...
    def step(self, count: int) -> tuple[float, float]: ...
    @property
    def ways(self) -> tuple[str, ...]: ...
    def read(self, way: str) -> float: ...
    def state(self) -> State: ...


class _Driven:
    """Gives the driven bodies, if any, their velocities before each step."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.steps_done = 0
        self.readers: dict[str, Callable[[], Any]] = {}

    @property
    def ways(self) -> tuple[str, ...]:
        """Ways to read poses."""
        return tuple(self.readers)

    def read(self, way: str) -> float:
        """Seconds to read the poses of all bodies once."""
        reader = self.readers[way]
        start = perf_counter()
        poses = reader()
        spent = perf_counter() - start
        del poses
        return spent

    def step(self, count: int) -> tuple[float, float]:
        """Advances by count steps; seconds spent in the engine's step alone: processor, wall."""
        description, spent, passed = self.description, 0.0, 0.0
        for _ in range(count):
            time = self.steps_done * description.dt
            for driven in description.driven:
                here, there = driven.path(time), driven.path(time + description.dt)
                velocity = [(b - a) / description.dt for a, b in zip(here, there, strict=True)]
                self.set_velocity(driven.body, (velocity[0], velocity[1]), velocity[2])
            wall, start = perf_counter(), process_time()
            self.one_step(description.dt)
            spent += process_time() - start
            passed += perf_counter() - wall
            self.steps_done += 1
        return spent, passed

    def set_velocity(self, body: int, velocity: tuple[float, float], spin: float) -> None:
        raise NotImplementedError

    def one_step(self, dt: float) -> None:
        raise NotImplementedError


class Pyphys2d(_Driven):
    """This library."""

    def __init__(self, description: Description, substeps: int) -> None:
        super().__init__(description)
        from pyphys2d.scenes import benchmark

        self.world = world = benchmark.build_world(description, substeps=substeps)
        self.readers = {"view": lambda: (world.positions, world.angles)}

    def set_velocity(self, body: int, velocity: tuple[float, float], spin: float) -> None:
        self.world.velocities[body] = velocity
        self.world.angular_velocities[body] = spin

    def one_step(self, dt: float) -> None:
        self.world.step(dt)

    def state(self) -> State:
        """Copies of the live arrays."""
        world = self.world
        return (
            world.positions.copy(),
            world.angles.copy(),
            world.velocities.copy(),
            world.angular_velocities.copy(),
        )


class Pymunk(_Driven):
    """Chipmunk by way of pymunk 7: 10 iterations, one step of dt (substeps are not used)."""

    def __init__(self, description: Description, substeps: int) -> None:
        super().__init__(description)
        import pymunk
        import pymunk.batch

        del substeps
        self.space = space = pymunk.Space()
        space.gravity = description.gravity
        if description.sleeping:
            space.sleep_time_threshold = 0.5
        kinds = {
            "static": pymunk.Body.STATIC,
            "kinematic": pymunk.Body.KINEMATIC,
            "dynamic": pymunk.Body.DYNAMIC,
        }
        self.bodies: list[Any] = []
        asleep = []
        for group in description.groups:
            for i, position in enumerate(group.positions):
                body = pymunk.Body(body_type=kinds[group.kind])
                body.position = tuple(map(float, position))
                body.angle = float(group.angles[i])
                shapes: list[Any] = []
                for spec in group.shapes:
                    points = [tuple(map(float, point)) for point in spec.points]
                    if spec.kind == "circle":
                        shapes.append(pymunk.Circle(body, spec.radius, points[0]))
                    elif spec.kind == "segment":
                        shapes.append(pymunk.Segment(body, points[0], points[1], 0))
                    else:
                        shapes.append(pymunk.Poly(body, points))
                    shapes[-1].density = group.density
                    # its rule multiplies, ours takes the geometric mean: the roots make them equal
                    shapes[-1].friction = group.friction
                    shapes[-1].elasticity = group.restitution
                space.add(body, *shapes)
                if group.kind != "static":
                    body.velocity = tuple(map(float, group.velocities[i]))
                    body.angular_velocity = float(group.angular_velocities[i])
                self.bodies.append(body)
                if not group.awake:
                    asleep.append(body)
        for shape in space.shapes:
            shape.friction = shape.friction**0.5
        for body in asleep:
            body.sleep()
        buffer = pymunk.batch.Buffer()
        fields = pymunk.batch.BodyFields.POSITION | pymunk.batch.BodyFields.ANGLE

        def batch() -> np.ndarray:
            buffer.clear()
            pymunk.batch.get_space_bodies(space, fields, buffer)
            return np.frombuffer(buffer.float_buf()).reshape(-1, 3)

        bodies = self.bodies
        self.readers = {
            "batch": batch,
            "loop": lambda: [(body.position, body.angle) for body in bodies],
        }

    def set_velocity(self, body: int, velocity: tuple[float, float], spin: float) -> None:
        self.bodies[body].velocity = velocity
        self.bodies[body].angular_velocity = spin

    def one_step(self, dt: float) -> None:
        self.space.step(dt)

    def state(self) -> State:
        """One attribute at a time; not timed."""
        bodies = self.bodies
        return (
            np.array([tuple(b.position) for b in bodies]),
            np.array([b.angle for b in bodies]),
            np.array([tuple(b.velocity) for b in bodies]),
            np.array([b.angular_velocity for b in bodies]),
        )


class Pyb2d3(_Driven):
    """Box2D v3.1 by way of pyb2d3, one thread."""

    def __init__(self, description: Description, substeps: int) -> None:
        super().__init__(description)
        import pyb2d3

        self.substeps = substeps
        self.world = world = pyb2d3.World(gravity=description.gravity)
        world.sleeping_enabled = description.sleeping
        make = {
            "static": world.create_static_body,
            "kinematic": world.create_kinematic_body,
            "dynamic": world.create_dynamic_body,
        }
        self.bodies: list[Any] = []
        self.view = pyb2d3.Bodies()
        for group in description.groups:
            material = pyb2d3.surface_material(
                friction=group.friction, restitution=group.restitution
            )
            definition = pyb2d3.shape_def(density=group.density, material=material)
            shapes: list[Any] = []
            for spec in group.shapes:
                if spec.kind == "circle":
                    shapes.append(pyb2d3.circle(center=tuple(spec.points[0]), radius=spec.radius))
                elif spec.kind == "segment":
                    shapes.append(pyb2d3.segment(tuple(spec.points[0]), tuple(spec.points[1])))
                else:
                    shapes.append(pyb2d3.polygon(points=np.array(spec.points, np.float32)))
            for i, position in enumerate(group.positions):
                body = make[group.kind](position=tuple(map(float, position)))
                body.create_shapes(definition, shapes)
                if group.kind != "static":
                    body.linear_velocity = tuple(map(float, group.velocities[i]))
                    body.angular_velocity = float(group.angular_velocities[i])
                self.bodies.append(body)
                self.view.append(body)
                if not group.awake:
                    body.awake = False
        bodies, view, poses = self.bodies, self.view, np.empty((len(self.bodies), 4), np.float32)
        self.readers = {
            "batch": lambda: view.get_transforms(poses),
            "loop": lambda: [(body.position, body.angle) for body in bodies],
        }

    def set_velocity(self, body: int, velocity: tuple[float, float], spin: float) -> None:
        self.bodies[body].linear_velocity = velocity
        self.bodies[body].angular_velocity = spin

    def one_step(self, dt: float) -> None:
        self.world.step(dt, self.substeps)

    def state(self) -> State:
        """One attribute at a time; not timed."""
        bodies = self.bodies
        return (
            np.array([tuple(b.position) for b in bodies], float),
            np.array([b.angle for b in bodies], float),
            np.array([tuple(b.linear_velocity) for b in bodies], float),
            np.array([b.angular_velocity for b in bodies], float),
        )


# label: (adapter, package, substeps, what the label means)
SETTINGS: dict[str, tuple[type[Any], str, int, str]] = {
    "pyphys2d": (Pyphys2d, "pyphys2d", 8, "defaults: 8 substeps"),
    "pyphys2d-4": (Pyphys2d, "pyphys2d", 4, "4 substeps"),
    "pymunk": (Pymunk, "pymunk", 1, "defaults: 10 iterations"),
    "pyb2d3": (Pyb2d3, "pyb2d3", 4, "defaults of Box2D: 4 substeps"),
}
