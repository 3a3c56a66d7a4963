"""One adapter per engine: the same description in, steps, and the state out.

Every adapter is made from (description, substeps) and has `step(count)` -> seconds spent in steps,
processor time and wall time; `ways`, its ways to read the pose of every body after a step, and
`read(way)` -> seconds of one reading; `state()` -> positions of the bodies' origins, angles,
velocities of the centres of mass, angular velocities, in the order of the description, those who
have arrived behind the others, by their places. Arrivals are not part of the time. Settings are
each engine's own defaults; what differs is said in `SETTINGS`.

Ways to read: "view" (the live arrays), "batch" (one call that copies all poses into arrays),
"loop" (attributes, body by body).
"""

from __future__ import annotations

from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyphys2d.scenes.benchmark import Description, Group, Pins

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
    """Gives driven bodies their velocities before each step, and lets others arrive."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.steps_done = 0
        self.first: list[Any] = []
        self.places: dict[int, list[Any]] = {}
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
            if description.arrival and (arrival := description.arrival(self.steps_done)):
                self.remove(self.places.get(arrival.place, []))
                self.places[arrival.place] = self.add(arrival.groups, arrival.pins)
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

    @property
    def bodies(self) -> list[Any]:
        """All bodies in their order."""
        return self.first + [body for place in sorted(self.places) for body in self.places[place]]

    def add(self, groups: Sequence[Group], joints: Sequence[Pins]) -> list[Any]:
        raise NotImplementedError

    def remove(self, bodies: list[Any]) -> None:
        raise NotImplementedError

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
        self.first = list(world.bodies)
        self.readers = {"view": lambda: (world.positions, world.angles)}

    def add(self, groups: Sequence[Group], joints: Sequence[Pins]) -> list[Any]:
        """Bodies and their joints."""
        from pyphys2d.scenes import benchmark

        return benchmark.add(self.world, groups, joints)

    def remove(self, bodies: list[Any]) -> None:
        """With their joints."""
        for body in bodies:
            self.world.remove(body)

    def set_velocity(self, body: int, velocity: tuple[float, float], spin: float) -> None:
        self.world.velocities[body] = velocity
        self.world.angular_velocities[body] = spin

    def one_step(self, dt: float) -> None:
        self.world.step(dt)

    def state(self) -> State:
        """Copies of the live arrays."""
        world, rows = self.world, [body.index for body in self.bodies]
        return (
            world.positions[rows],
            world.angles[rows],
            world.velocities[rows],
            world.angular_velocities[rows],
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
        self.first = self.add(description.groups, description.pins)
        buffer = pymunk.batch.Buffer()
        fields = pymunk.batch.BodyFields.POSITION | pymunk.batch.BodyFields.ANGLE

        def batch() -> np.ndarray:
            buffer.clear()
            pymunk.batch.get_space_bodies(space, fields, buffer)
            return np.frombuffer(buffer.float_buf()).reshape(-1, 3)

        self.readers = {
            "batch": batch,
            "loop": lambda: [(body.position, body.angle) for body in self.bodies],
        }

    def add(self, groups: Sequence[Group], joints: Sequence[Pins]) -> list[Any]:
        """Bodies and their joints."""
        import pymunk

        kinds = {
            "static": pymunk.Body.STATIC,
            "kinematic": pymunk.Body.KINEMATIC,
            "dynamic": pymunk.Body.DYNAMIC,
        }
        made: list[Any] = []
        asleep = []
        for group in groups:
            filters = pymunk.ShapeFilter(
                group=group.family,
                categories=group.category & 0xFFFFFFFF,
                mask=group.mask & 0xFFFFFFFF,
            )
            for i, position in enumerate(group.positions):
                body = pymunk.Body(body_type=kinds[group.kind])
                body.position = tuple(map(float, position))
                body.angle = float(group.angles[i])
                shapes: list[Any] = []
                for spec in group.shapes:
                    points = [tuple(map(float, point)) for point in spec.points]
                    if spec.kind == "circle":
                        shapes.append(pymunk.Circle(body, spec.radius, points[0]))
                    elif spec.kind == "loop":
                        ends = zip(points, points[1:] + points[:1], strict=True)
                        shapes += [pymunk.Segment(body, p, q, 0) for p, q in ends]
                    elif spec.kind in ("segment", "capsule"):
                        shapes.append(pymunk.Segment(body, points[0], points[1], spec.radius))
                    else:
                        shapes.append(pymunk.Poly(body, points, radius=spec.radius))
                for shape in shapes:
                    shape.density = group.density
                    # its rule multiplies, ours takes the geometric mean: the roots make them equal
                    shape.friction = group.friction**0.5
                    shape.elasticity = group.restitution
                    shape.filter = filters
                self.space.add(body, *shapes)
                if group.kind != "static":
                    body.velocity = tuple(map(float, group.velocities[i]))
                    body.angular_velocity = float(group.angular_velocities[i])
                made.append(body)
                if not group.awake:
                    asleep.append(body)
        for body in asleep:
            body.sleep()
        for same in joints:
            for a, b, anchor in zip(same.a, same.b, same.anchors, strict=True):
                self.pin(made[a], made[b], tuple(map(float, anchor)), same)
        return made

    def pin(self, a: Any, b: Any, anchor: tuple[float, ...], numbers: Pins) -> None:
        """A revolute joint, of up to four constraints here."""
        import pymunk

        parts: list[Any] = [pymunk.PivotJoint(a, b, anchor)]
        if numbers.limits:
            parts.append(pymunk.RotaryLimitJoint(a, b, *numbers.limits))
        if numbers.spring:
            hertz, zeta = numbers.spring
            inertia = 1 / (1 / a.moment + 1 / b.moment)
            omega = 2 * np.pi * hertz
            parts.append(
                pymunk.DampedRotarySpring(
                    a, b, 0, inertia * omega * omega, 2 * zeta * inertia * omega
                )
            )
        if numbers.motor:
            parts.append(pymunk.SimpleMotor(a, b, -numbers.motor[0]))
            parts[-1].max_force = numbers.motor[1]
        for part in parts:
            part.collide_bodies = False
        self.space.add(*parts)

    def remove(self, bodies: list[Any]) -> None:
        """With their joints."""
        joints = {joint for body in bodies for joint in body.constraints}
        self.space.remove(*joints, *(shape for body in bodies for shape in body.shapes), *bodies)

    def set_velocity(self, body: int, velocity: tuple[float, float], spin: float) -> None:
        self.first[body].velocity = velocity
        self.first[body].angular_velocity = spin

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
        self.world = pyb2d3.World(gravity=description.gravity)
        self.world.sleeping_enabled = description.sleeping
        self.view = pyb2d3.Bodies()
        self.poses = np.empty((0, 4), np.float32)
        self.first = self.add(description.groups, description.pins)
        self.watch()
        self.readers = {
            "batch": lambda: self.view.get_transforms(self.poses),
            "loop": lambda: [(body.position, body.angle) for body in self.bodies],
        }

    def watch(self) -> None:
        """The present bodies for reading in one call."""
        import pyb2d3

        self.view = pyb2d3.Bodies()
        for body in self.bodies:
            self.view.append(body)
        self.poses = np.empty((len(self.bodies), 4), np.float32)

    def add(self, groups: Sequence[Group], joints: Sequence[Pins]) -> list[Any]:
        """Bodies and their joints."""
        import pyb2d3

        world = self.world
        make = {
            "static": world.create_static_body,
            "kinematic": world.create_kinematic_body,
            "dynamic": world.create_dynamic_body,
        }
        made: list[Any] = []
        for group in groups:
            material = pyb2d3.surface_material(
                friction=group.friction, restitution=group.restitution
            )
            definition = pyb2d3.shape_def(
                density=group.density,
                material=material,
                filter=pyb2d3.make_filter(
                    category_bits=group.category, mask_bits=group.mask, group_index=-group.family
                ),
            )
            shapes: list[Any] = []
            loops: list[Any] = []
            for spec in group.shapes:
                ends = [tuple(map(float, point)) for point in spec.points]
                if spec.kind == "circle":
                    shapes.append(pyb2d3.circle(center=ends[0], radius=spec.radius))
                elif spec.kind == "segment":
                    shapes.append(pyb2d3.segment(ends[0], ends[1]))
                elif spec.kind == "capsule":
                    shapes.append(pyb2d3.capsule(ends[0], ends[1], spec.radius))
                elif spec.kind == "loop":  # its chains are free on the right
                    points = np.array(spec.points[::-1], np.float32)
                    loops.append(pyb2d3.chain_def(points, material=material, is_loop=True))
                else:
                    points = np.array(spec.points, np.float32)
                    shapes.append(pyb2d3.polygon(points=points, radius=spec.radius or None))
            for i, position in enumerate(group.positions):
                body = make[group.kind](position=tuple(map(float, position)))
                body.create_shapes(definition, shapes)
                for loop in loops:
                    body.create_chain(loop)
                if group.kind != "static":
                    body.linear_velocity = tuple(map(float, group.velocities[i]))
                    body.angular_velocity = float(group.angular_velocities[i])
                    body.enabled_sleep = group.can_sleep
                made.append(body)
                if not group.awake:
                    body.awake = False
        for same in joints:
            for a, b, anchor in zip(same.a, same.b, same.anchors, strict=True):
                self.pin(made[a], made[b], tuple(map(float, anchor)), same)
        return made

    def pin(self, a: Any, b: Any, anchor: tuple[float, ...], numbers: Pins) -> None:
        """A revolute joint."""
        options: dict[str, Any] = {}
        if numbers.limits:
            options["lower_angle"], options["upper_angle"] = numbers.limits
            options["enable_limit"] = True
        if numbers.spring:
            options["hertz"], options["damping_ratio"] = numbers.spring
            options["enable_spring"] = True
        if numbers.motor:
            options["motor_speed"], options["max_motor_torque"] = numbers.motor
            options["enable_motor"] = True
        self.world.create_revolute_joint(
            a,
            b,
            local_anchor_a=a.local_point(anchor),
            local_anchor_b=b.local_point(anchor),
            **options,
        )

    def remove(self, bodies: list[Any]) -> None:
        """With their joints."""
        for body in bodies:
            body.destroy()

    def set_velocity(self, body: int, velocity: tuple[float, float], spin: float) -> None:
        self.first[body].linear_velocity = velocity
        self.first[body].angular_velocity = spin

    def read(self, way: str) -> float:
        """Seconds to read the poses of all bodies once."""
        if self.description.arrival:
            self.watch()
        return super().read(way)

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
