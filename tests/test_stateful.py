"""Random calls, one after the other, on one world: nothing crashes, views stay valid, numbers
stay finite.

The number of calls is set by PYPHYS2D_STATEFUL_STEPS (default 250; continuous integration runs
5,000 in a build with
sanitizers). The long run, in such a build:

    PYPHYS2D_STATEFUL_STEPS=100000 python -m pytest -s tests/test_stateful.py
"""

import contextlib
import gc
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import pyphys2d as p2

CALLS = int(os.environ.get("PYPHYS2D_STATEFUL_STEPS", "250"))
PER_EXAMPLE = 50

SHAPES = [
    p2.Circle(0.5),
    p2.Circle(3, (1, 0)),
    p2.Box(1, 1),
    p2.Box(0.3, 6),
    p2.Box(0.5, 0.5, radius=0.2),
    p2.RegularPolygon(11, 0.8),
    p2.Capsule((-0.5, 0), (0.5, 0), 0.3),
    p2.Segment((-3, 0), (3, 1)),
    p2.Chain([(-8, 0), (0, -1), (8, 0)]),
    p2.Chain([(-4, -4), (4, -4), (4, 4), (-4, 4)], loop=True),
    p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]),
    p2.Polygon([(-2, -2), (2, -2), (2, 2), (-2, 2)], [[(-1, -1), (1, -1), (0, 1)]]),
]
VIEWS = ["positions", "angles", "velocities", "angular_velocities", "forces", "torques"]
FIXED = ["masses", "inertias", "awake", "alive", "kinds"]

KINDS = ["static", "kinematic", "dynamic"]
BODY_NAMES = [
    *("position", "angle", "velocity", "angular_velocity", "mass", "kind", "awake", "bullet"),
    *("name", "fixed_rotation", "gravity_scale", "linear_damping", "angular_damping"),
    *("enabled", "can_sleep"),
]
COLLIDER_NAMES = [
    *("friction", "restitution", "density", "rolling_resistance", "tangent_speed"),
    *("category", "mask", "group", "sensor", "pre_solve"),
]
FIELD_NAMES = [
    *("remove", "surface", "density", "drag", "quadratic_drag", "flow", "mask"),
    *("linear", "quadratic", "clamped", "angular"),
    *("velocity", "lift", "center", "strength", "power", "softening", "radius"),
]

JOINTS = ["revolute", "distance", "prismatic", "weld", "wheel", "motor", "filter"]
JOINT_NAMES = [
    *("remove", "lower", "upper", "motor_speed", "max_motor_torque", "max_motor_force"),
    *("spring_hertz", "spring_damping_ratio", "spring_target", "break_force", "break_torque"),
    *("angular_spring_hertz", "angular_spring_damping_ratio"),
    *(
        "ratio",
        "tooth",
        "phase",
        "target",
        "offset",
        "linear_velocity",
        "angular_velocity",
        "max_force",
        "max_torque",
        "joint_hertz",
        "joint_damping_ratio",
    ),
]

shapes = st.sampled_from(SHAPES)
number = st.one_of(
    st.floats(-20, 20),
    st.sampled_from(
        [0.0, 1.0, -1.0, 1e-9, 1e7, -1e7, 1e30, float("nan"), float("inf"), -float("inf")]
    ),
)
tame = st.floats(-10, 10)
vector = st.tuples(number, number)
place = st.tuples(tame, tame)
garbage = st.one_of(
    st.none(), st.text(max_size=2), number, st.lists(number, max_size=3), st.just(object())
)
pick = st.integers(0, 10**6)


class Ledger:
    """What the events say of who touches whom and who is in which sensor, by ids."""

    def __init__(self, world):
        self.world = world
        self.seen = 0  # steps
        self.touching = set()
        self.inside = set()

    def book(self):
        """Of the last call; every step is booked once."""
        events, since = self.world.events, self.seen
        self.seen = self.world.step_count
        for begins, ends, now in (
            (events.contact_begin, events.contact_end, self.touching),
            (events.sensor_begin, events.sensor_end, self.inside),
        ):
            for step in sorted({*begins["step"].tolist(), *ends["step"].tolist()}):
                if step < since:
                    continue
                came, went = (
                    [
                        (int(row["collider_id_a"]), int(row["collider_id_b"]))
                        for row in rows[rows["step"] == step]
                    ]
                    for rows in (begins, ends)
                )
                assert len(set(came)) == len(came)
                assert len(set(went)) == len(went)
                if now is self.touching:
                    assert now.issuperset(went)
                    now.difference_update(went)
                    assert now.isdisjoint(came)
                    now.update(came)
                else:  # what crosses a sensor comes and goes
                    assert now.isdisjoint(came)
                    now.update(came)
                    assert now.issuperset(went)
                    now.difference_update(went)
        counters = self.world.counters
        assert counters["touching"] == len(self.touching)
        assert counters["visits"] == len(self.inside)

    def check_overlaps(self):
        """Right after a step, before anything else."""
        found = {(a.id, b.id) for a in self.world.colliders for b in a.overlaps}
        assert found == self.inside


class BookedWorld(p2.World):
    """Keeps its ledger, step by step."""

    def step(self, *args, **options):
        ledger = self.__dict__.setdefault("ledger", Ledger(self))
        before = self.step_count
        try:
            super().step(*args, **options)
        finally:
            if self.step_count > before:
                ledger.book()

    def stages(self, *args):
        ledger = self.__dict__.setdefault("ledger", Ledger(self))
        return BookedStages(super().stages(*args), ledger)


class BookedStages:
    def __init__(self, stages, ledger):
        self.stages, self.ledger = stages, ledger

    def __iter__(self):
        yield from self.stages
        self.ledger.book()

    def close(self):
        self.stages.close()


def check_sensors(world):
    """Against the distance of every pair, but for what touches within rounding errors."""
    colliders = [c for c in world.colliders if c.body.enabled]
    poses = {c.index: (*c.body.position, c.body.angle) for c in colliders}
    for sensor in (c for c in colliders if c.sensor):
        seen = {c.index for c in sensor.overlaps}
        for other in colliders:
            if (
                other.sensor
                or other.body == sensor.body
                or not np.isfinite(poses[other.index]).all()
            ):
                continue
            if sensor.group != 0 and sensor.group == other.group:
                sees = sensor.group > 0
            else:
                sees = sensor.category & other.mask and other.category & sensor.mask
            pose = poses[sensor.index], poses[other.index]
            if world.wrap is not None and np.isfinite(pose[0]).all():
                gap = np.subtract(pose[1][:2], pose[0][:2])
                size = np.where(np.isfinite(world.wrap), world.wrap, np.inf)
                turns = np.round(gap / size)
                gap = np.where(turns == 0, gap, gap - turns * np.where(turns == 0, 1, size))
                pose = pose[0], (*(pose[0][:2] + gap), pose[1][2])
            rounding = 1e-9 * (1 + np.abs(pose).max())
            if not sees:
                assert other.index not in seen
            elif rounding < 1e-3:
                distance = p2.geometry.distance(sensor.shape, other.shape, *pose).distance
                if other.index in seen:
                    assert distance <= rounding
                elif distance == 0:
                    depth = p2.geometry.mtv(sensor.shape, other.shape, *pose)
                    assert depth is None or np.hypot(*depth) <= rounding


class WorldMachine(RuleBasedStateMachine):
    @initialize(
        solver=st.sampled_from(["soft_step", "soft_step", "sequential_impulses"]),
        broadphase=st.sampled_from(["grid", "tree", "all_pairs"]),
        sleeping=st.booleans(),
        substeps=st.integers(1, 8),
        max_bodies=st.sampled_from([20, 2**20]),
        wrap=st.sampled_from([None, None, (125, 130), (125, float("inf"))]),
    )
    def make(self, **options):
        self.world = BookedWorld(gravity=(0, -10), **options)
        self.world.add_body(p2.Box(60, 2), (0, -12), kind="static")
        self.dead = []
        self.views = []
        self.handles = []

    def body(self, index):
        bodies = list(self.world.bodies)
        return bodies[index % len(bodies)] if bodies else None

    @rule(index=pick, x=st.integers(-3, 3), y=st.integers(-3, 3))
    def go_around(self, index, x, y):
        """A place a whole number of widths and heights away is the same."""
        world, body = self.world, self.body(index)
        if world.wrap is None or body is None or not np.isfinite(body.position).all():
            return
        place, ends = body.position, np.where(np.isfinite(world.wrap), world.wrap, 0)
        inside = not np.signbit(place).any() and (place < np.minimum(world.wrap, 1e3)).all()
        if inside and (place % 1 == 0).all():  # exact sums
            before = world.hash()
            world.positions[body.index] += ends * (x, y)
            assert world.hash() == before

    @contextlib.contextmanager
    def allowed(self):
        """Refusals are fine; they leave the state as it was."""
        before = self.world.hash()
        try:
            yield
        except (ValueError, TypeError, KeyError, OverflowError, p2.RemovedError, p2.CapacityError):
            assert self.world.hash() == before

    @rule(
        chosen=st.lists(shapes, max_size=3),
        position=place,
        angle=number,
        kind=st.sampled_from(["dynamic", "dynamic", "dynamic", "static", "kinematic"]),
        velocity=place,
        density=st.sampled_from([1, 1, 0, 1e-6, 1e6, -1, float("nan")]),
        fixed_rotation=st.booleans(),
        restitution=st.sampled_from([0, 0.5, 1]),
        sensor=st.booleans(),
        awake=st.booleans(),
    )
    def add_body(self, chosen, position, angle, **options):
        with self.allowed():
            self.handles.append(self.world.add_body(chosen or None, position, angle, **options))

    @rule(
        shape=shapes,
        position=st.tuples(st.floats(-20, 20), st.floats(-10, 20)),
        velocity=st.tuples(st.floats(-400, 400), st.floats(-400, 400)),
        angular_velocity=st.sampled_from([0, -60, 2000]),
        bullet=st.booleans(),
        kind=st.sampled_from(["dynamic", "dynamic", "kinematic"]),
    )
    def shoot(self, shape, position, **options):
        with self.allowed():
            self.handles.append(self.world.add_body(shape, position, **options))

    @rule(shape=shapes, positions=st.lists(place, max_size=12), bad=st.booleans())
    def add_bodies(self, shape, positions, bad):
        array = np.array(positions, float).reshape(-1, 2)
        if bad and len(array):
            array[-1, 0] = np.nan
        with self.allowed():
            slots = self.world.add_bodies(shape, array)
            assert not (bad and len(array))
            for axis, end in enumerate([] if self.world.wrap is None else self.world.wrap):
                column = array[:, axis]
                if np.isfinite(end):
                    column[column < 0] += end
                    column[column >= end] = 0
            assert (self.world.positions[slots] == array).all()

    @rule(index=pick)
    def remove(self, index):
        body = self.body(index)
        if body is not None:
            collider = body.colliders[0] if len(body.colliders) else None
            self.world.remove(body)
            self.dead += [body] if collider is None else [body, collider]
            assert np.isnan(self.world.positions[body.index]).all()

    @rule(index=pick)
    def remove_collider(self, index):
        colliders = list(self.world.colliders)
        if colliders:
            victim = colliders[index % len(colliders)]
            self.world.remove(victim)
            self.dead.append(victim)

    @rule(index=pick, shape=shapes, update_mass=st.booleans())
    def set_shape(self, index, shape, update_mass):
        colliders = list(self.world.colliders)
        if colliders:
            collider = colliders[index % len(colliders)]
            body = collider.body
            mass, before = body.mass, collider.shape
            with self.allowed():
                collider.set_shape(shape, update_mass=update_mass)
                assert collider.shape == shape
                assert update_mass or body.mass == mass
                return
            assert collider.shape == before

    @rule(
        index=pick,
        friction=st.lists(st.sampled_from([0, 0.5, 2, float("nan"), -1]), max_size=4),
        speed=st.one_of(st.none(), number),
    )
    def set_segments(self, index, friction, speed):
        chains = [c for c in self.world.colliders if isinstance(c.shape, p2.Chain)]
        if chains:
            chain = chains[index % len(chains)]
            count = len(chain.shape.points) - (not chain.shape.loop)
            with self.allowed():
                if speed is None:
                    chain.segments = None
                    assert chain.segments is None
                else:
                    row = {"friction": (friction * count)[:count], "tangent_speed": [speed] * count}
                    chain.segments = row
                    np.testing.assert_array_equal(chain.segments["friction"], row["friction"])

    @rule(what=st.sampled_from(["all", "none", "odd", "unset", "wrong", "fail", "again"]))
    def filter_pairs(self, what):
        """The next steps go by it; one that fails is not made."""
        answers = {
            "all": lambda pairs: np.ones(len(pairs), bool),
            "none": lambda pairs: np.zeros(len(pairs), bool),
            "odd": lambda pairs: (pairs["collider_a"] + pairs["collider_b"]) % 2 == 1,
            "wrong": lambda pairs: len(pairs),
            "fail": lambda pairs: 1 / 0,
        }
        if what == "again":
            self.world.refilter()
            return
        self.world.pair_filter = answers.get(what)
        if what in ("wrong", "fail"):
            before = self.world.hash()
            try:
                self.world.step()
            except (TypeError, ZeroDivisionError, ValueError):
                assert self.world.hash() == before
            self.world.pair_filter = None

    @rule(what=st.sampled_from(["add", "end", "wrong", "fail"]), index=pick)
    def laws_of_springs(self, what, index):
        """Springs by a function come and go; one that fails fails its step, which is not made."""
        laws = self.world.spring_laws
        if what == "end" or len(laws) > 5:
            for law in laws[: index % 3]:
                law.remove()
            return
        joints = [
            joint
            for joint in self.world.joints
            if hasattr(joint, "spring_target") and joint.lower < joint.upper
        ]
        moving = [body for body in self.world.bodies if body.kind == "dynamic"]
        if moving:
            with self.allowed():
                joints.append(self.world.add_rotary_joint(None, moving[index % len(moving)]))
        answers = {
            "add": lambda x, v: -3 * x - v,
            "wrong": lambda x, v: [*x, 1],
            "fail": lambda x, v: 1 / 0,
        }
        law = None
        with self.allowed():
            law = self.world.add_spring_law(joints[-3:], answers[what])
        if law is not None and what != "add":
            before = self.world.hash()
            try:
                self.world.step()
            except (ZeroDivisionError, ValueError):
                assert self.world.hash() == before
            law.remove()

    @rule(
        surface=st.one_of(number, st.lists(place, max_size=5)),
        density=number,
        drag=number,
        flow=vector,
    )
    def add_fluid(self, surface, density, drag, flow):
        with self.allowed():
            self.world.add_fluid(surface, density, drag, flow=flow)

    @rule(name=st.sampled_from(["linear", "quadratic", "clamped", "angular"]), value=number)
    def add_drag(self, name, value):
        with self.allowed():
            self.world.add_drag(**{name: value})

    @rule(velocity=vector, density=number, drag=number, lift=number, mask=st.integers(0, 3))
    def add_wind(self, velocity, density, **options):
        with self.allowed():
            self.world.add_wind(velocity, density, **options)

    @rule(
        center=vector,
        strength=number,
        power=st.one_of(st.integers(-9, 9), number),
        softening=number,
        radius=number,
    )
    def add_point_gravity(self, center, strength, **options):
        with self.allowed():
            self.world.add_point_gravity(center, strength, **options)

    @rule(
        center=st.one_of(place, vector),
        radius=st.one_of(st.floats(0, 20), number),
        impulse=tame,
        falloff=st.one_of(st.floats(0, 9), number),
        mask=st.integers(0, 3),
    )
    def explode(self, center, radius, impulse, falloff, mask):
        with self.allowed():
            rows = self.world.explode(center, radius, impulse, falloff, mask=mask)
            assert self.world.alive[rows["body"]].all()
            assert (np.diff(rows["collider"]) > 0).all()

    @rule(index=pick, name=st.sampled_from(FIELD_NAMES), value=st.one_of(number, vector, garbage))
    def change_or_remove_a_field(self, index, name, value):
        fields = list(self.world.fields)
        if not fields:
            return
        field = fields[index % len(fields)]
        if name == "remove":
            self.world.remove(field)
            self.dead.append(field)
        elif hasattr(field, name):
            with self.allowed():
                setattr(field, name, value)

    @rule(
        a=pick,
        b=pick,
        kind=st.sampled_from(JOINTS),
        anchor=st.one_of(place, vector),
        ground=st.booleans(),
        collide=st.booleans(),
        hertz=st.sampled_from([0, 0, 2, 30, 1e6]),
    )
    def add_joint(self, a, b, kind, anchor, ground, collide, hertz):
        a, b = (None if ground else self.body(a)), self.body(b)
        if b is None:
            return
        options = {"anchor": anchor, "collide_connected": collide, "spring_hertz": hertz}
        if kind == "distance":
            options["anchor_a"] = options.pop("anchor")
        if kind == "filter":
            options = {}
        with self.allowed():
            joint = getattr(self.world, f"add_{kind}_joint")(a, b, **options)
            assert joint in self.world.joints
            assert joint in b.joints

    @rule(body=pick, point=st.one_of(place, vector), force=st.sampled_from([1, 1e3, np.inf]))
    def add_mouse_joint(self, body, point, force):
        body = self.body(body)
        if body is not None:
            with self.allowed():
                self.world.add_mouse_joint(body, target=point, max_force=force)

    @rule(a=pick, b=pick, tooth=number, grounds=st.tuples(vector, place), ratio=number)
    def add_pulley_and_ratchet(self, a, b, tooth, grounds, ratio):
        a, b = self.body(a), self.body(b)
        if b is not None:
            with self.allowed():
                self.world.add_pulley_joint(
                    a, b, ground_a=grounds[0], ground_b=grounds[1], ratio=ratio
                )
            with self.allowed():
                self.world.add_ratchet_joint(a, b, tooth=tooth)

    @rule(a=pick, b=pick, ratio=number)
    def add_gear(self, a, b, ratio):
        joints = list(self.world.joints)
        if joints:
            with self.allowed():
                self.world.add_gear_joint(joints[a % len(joints)], joints[b % len(joints)], ratio)

    @rule(
        index=pick, lower=st.one_of(st.none(), number), upper=st.one_of(st.none(), number, garbage)
    )
    def set_limits(self, index, lower, upper):
        joints = [joint for joint in self.world.joints if hasattr(joint, "set_limits")]
        if joints:
            joint = joints[index % len(joints)]
            with self.allowed():
                joint.set_limits(lower, upper)
            assert joint.lower <= joint.upper

    @rule(index=pick, name=st.sampled_from(JOINT_NAMES), value=st.one_of(number, vector, garbage))
    def change_or_remove_a_joint(self, index, name, value):
        joints = list(self.world.joints)
        if not joints:
            return
        joint = joints[index % len(joints)]
        assert repr(joint)
        assert np.isfinite(joint.force).all()
        if name == "remove":
            self.world.remove(joint)
            self.dead.append(joint)
        elif hasattr(joint, name):
            with self.allowed():
                setattr(joint, name, value)

    @precondition(lambda self: self.dead)
    @rule(index=pick)
    def use_the_dead(self, index):
        ghost = self.dead[index % len(self.dead)]
        before = self.world.hash()
        for use in (
            lambda: self.world.remove(ghost),
            lambda: ghost.contacts,
            lambda: setattr(ghost, "friction", 1),
        ):
            try:
                use()
            except (p2.RemovedError, AttributeError):
                pass
            else:
                raise AssertionError("a removed object was used")
        assert self.world.hash() == before

    @rule(dt=st.sampled_from([1 / 60, 1 / 60, 1 / 30, 1e-4, 0.5]), n=st.integers(0, 8))
    def step(self, dt, n):
        with contextlib.suppress(ValueError):  # a state that a user made infinite
            self.world.step(dt, n)

    @rule(
        what=st.lists(st.sampled_from(["push", "add", "remove", "step", "raise", "off"])),
        index=pick,
        n=st.integers(0, 4),
        stages=st.booleans(),
        verdict=st.sampled_from(["none", "slip", "off", "half", "carry", "bad", "fail", "write"]),
    )
    def step_with_a_hook(self, what, index, n, stages, verdict):
        def judge(rows):
            nonlocal held
            assert len(rows)
            with pytest.raises(p2.WorldLockedError):
                self.world.step()
            if verdict == "slip":
                rows["friction"] = 0
            elif verdict in ("off", "half"):
                rows["enabled"][:: 1 if verdict == "off" else 2] = False
            elif verdict == "carry":
                rows["tangent_speed"], rows["restitution"] = 3, 0.5
            elif verdict == "bad":
                rows["friction"][-1] = np.nan
            elif verdict == "fail":
                raise ZeroDivisionError
            elif verdict == "write":
                held += 1

        held = self.world.velocities if verdict == "write" else np.zeros(0)
        if verdict != "none":
            self.world.on_pre_solve = judge
        before = self.world.step_count

        def hook(world):
            assert world is self.world
            for name in what:
                body = self.body(index)
                if name == "push":
                    world.forces[:] = 1
                elif name == "add":
                    with self.allowed():
                        world.add_body(p2.Circle(0.3), (0, 5))
                elif name == "remove" and body is not None:
                    world.remove(body)
                    self.dead.append(body)
                elif name == "step":
                    with pytest.raises(p2.WorldLockedError):
                        world.step()
                elif name == "raise":
                    raise ZeroDivisionError
                elif name == "off":
                    world.on_force = None

        self.world.on_force = hook
        try:
            for _ in self.world.stages() if stages else [self.world.step(n=n)]:
                pass
        except ZeroDivisionError:
            assert "raise" in what or verdict == "fail"
            assert self.world.step_count == before or (verdict == "fail" and not stages)
        except p2.WorldLockedError:
            assert verdict == "write"
        except ValueError:  # a state that a user made infinite
            pass
        else:
            assert self.world.step_count == before + (1 if stages else n)
        self.world.on_force = self.world.on_pre_solve = None

    @rule(n=st.integers(1, 3))
    def step_and_look_into_the_sensors(self, n):
        with contextlib.suppress(ValueError):  # a state that a user made infinite
            self.world.step(n=n)
            self.world.ledger.check_overlaps()

    @rule(dt=st.sampled_from([1 / 60, 1e-4, 0.5]), ends=st.booleans())
    def step_in_slow_motion(self, dt, ends):
        world, before = self.world, self.world.hash()
        try:
            stages = world.stages(dt)
        except ValueError:  # a state that a user made infinite
            assert world.hash() == before
            return
        shown = {}
        for stage in stages:
            shown[stage.name] = stage
            if stage.name == "events" and not ends:
                break
        if not ends:
            stages.close()
            assert world.hash() == before
            world.step(dt)
        for name in ("positions", "angles"):
            np.testing.assert_array_equal(getattr(shown["poses"], name), getattr(world, name))
            np.testing.assert_array_equal(
                shown["continuous"].arrays[name], shown["poses"].arrays[name]
            )
        fast = shown["continuous"].fast
        assert (fast["stopped_collider"] >= 0).sum() == world.counters["stopped"]
        assert ((fast["fraction"] >= 0) & (fast["fraction"] <= 1)).all()
        np.testing.assert_array_equal(shown["pairs"].pairs, world.pairs)
        for name, rows in shown["events"].arrays.items():
            np.testing.assert_array_equal(rows, getattr(world.events, name))

    @rule(dt=garbage, n=garbage)
    def step_with_garbage(self, dt, n):
        if isinstance(dt, float) and dt > 0 and isinstance(n, int):
            return
        with self.allowed():
            self.world.step(dt, n)

    @rule(name=st.sampled_from(VIEWS + FIXED))
    def hold_a_view(self, name):
        self.views.append((name, getattr(self.world, name)))

    @precondition(lambda self: self.views)
    @rule(index=pick)
    def drop_a_view(self, index):
        self.views.pop(index % len(self.views))

    @precondition(lambda self: self.views)
    @rule(which=pick, row=pick, value=tame)
    def write_through_a_held_view(self, which, row, value):
        name, view = self.views[which % len(self.views)]
        if name in VIEWS and len(view):
            row %= len(view)
            # A write to the row of a removed body shows until the next step and means nothing.
            value = value if row < len(self.world.alive) and self.world.alive[row] else np.nan
            view[row] = value

    @rule(name=st.sampled_from(VIEWS), row=pick, value=number)
    def write_and_step(self, name, row, value):
        view = getattr(self.world, name)
        if not len(view):
            return
        row %= len(view)
        alive = bool(self.world.alive[row])
        old = view[row].copy()
        others = np.delete(self.world.positions, row, axis=0)
        view[row] = value
        try:
            self.world.step()
        except ValueError:
            assert (alive and not np.isfinite(value)) or abs(value) > 1e6
            np.testing.assert_array_equal(np.delete(self.world.positions, row, axis=0), others)
        if alive and not abs(value) <= 1e6:
            view[row] = old
            if not np.isfinite(self.world.positions[row]).all():
                self.world.positions[row] = 0
            if not np.isfinite(self.world.velocities[row]).all():
                self.world.velocities[row] = 0

    @rule(name=st.sampled_from(VIEWS), value=tame)
    def assign(self, name, value):
        setattr(self.world, name, value)

    @rule(
        index=pick,
        name=st.sampled_from(BODY_NAMES),
        value=st.one_of(garbage, place, st.booleans(), st.sampled_from(KINDS)),
    )
    def set_on_a_body(self, index, name, value):
        body = self.body(index)
        if body is not None:
            with self.allowed():
                setattr(body, name, value)

    @rule(
        index=pick,
        name=st.sampled_from(COLLIDER_NAMES),
        value=st.one_of(garbage, st.integers(-3, 3), st.booleans()),
    )
    def set_on_a_collider(self, index, name, value):
        colliders = list(self.world.colliders)
        if colliders:
            with self.allowed():
                setattr(colliders[index % len(colliders)], name, value)

    @rule(index=pick, shape=shapes)
    def attach(self, index, shape):
        body = self.body(index)
        if body is not None:
            with self.allowed():
                body.attach(shape)

    @rule(index=pick, force=vector, point=st.one_of(st.none(), vector))
    def push(self, index, force, point):
        body = self.body(index)
        numbers = [*force, *(point or ())]
        if body is None:
            return
        if not np.isfinite(numbers).all():
            with self.allowed():
                body.apply_impulse(force, point)
                raise AssertionError("a non-finite impulse was taken")
        elif max(map(abs, numbers)) < 1e3:
            body.apply_force(force, point)
            body.apply_impulse(force, point=point)
            body.wake()

    @rule(index=pick, p=st.one_of(place, vector), q=st.one_of(place, vector))
    def slice(self, index, p, q):
        body = self.body(index)
        if body is None:
            return
        mass, kind, size = body.mass, body.kind, len(self.world.bodies)
        assert np.isfinite(body.convex_hull()).all()
        with self.allowed():
            parts = self.world.slice(body, p, q)
            assert parts == [body] or not body.alive
            assert len(self.world.bodies) == size - 1 + len(parts)
            assert {part.kind for part in parts} == {kind}
            assert np.isclose(sum(part.mass for part in parts), mass, rtol=1e-9)
            self.handles += parts
            if parts != [body]:
                self.dead.append(body)

    @rule(index=pick)
    def sleep(self, index):
        body = self.body(index)
        if body is not None:
            body.sleep()

    @rule(index=pick, position=place, angle=tame)
    def move_to(self, index, position, angle):
        body = self.body(index)
        if body is not None:
            with self.allowed():
                body.move_to(position, angle, 1 / 60)

    @rule(origin=vector, translation=vector, mask=st.integers(0, 7))
    def ask(self, origin, translation, mask):
        with self.allowed():
            hits = self.world.cast_ray_all(origin, translation, mask=mask)
            first = self.world.cast_ray(origin, translation, mask=mask)
            assert (first is None) == (not hits)
        with self.allowed():
            for collider in self.world.at(origin):
                assert collider.body.contains(origin)
        with self.allowed():
            self.world.query_aabb(origin, translation)
        with self.allowed():
            self.world.overlap(SHAPES[mask], (*origin, 0.3))
        with self.allowed():
            self.world.cast_rays([origin] * 3, [translation] * 3)

    @rule(
        origin=vector,
        translation=vector,
        angle=tame,
        number=st.integers(0, len(SHAPES) - 1),
        mask=st.integers(0, 7),
        radius=st.floats(0, 3),
        index=pick,
    )
    def ask_with_shapes(self, origin, translation, angle, number, mask, radius, index):
        world, shape, pose = self.world, SHAPES[number], (*origin, angle)
        chosen = np.arange(len(world.aabbs)) % 3 != index % 3
        for where in (None, chosen, lambda i: chosen[i]):
            options = {"mask": mask, "where": where}
            with self.allowed():
                hits = world.cast_ray_all(origin, translation, radius=radius, **options)
                rows = world.cast_rays([origin] * 3, translation, radius=radius, **options)
                assert (rows["body"] >= 0).all() == bool(hits)
            with self.allowed():
                hit = world.cast_shape(shape, pose, translation, **options)
                rows = world.cast_shapes(shape, [pose] * 20, translation, **options)
                assert rows["fraction"][7] == hit.fraction if hit else rows["body"][7] == -1
            with self.allowed():
                world.times_of_impact([shape] * 2, pose, (*translation, 1.0), dt=0.3, **options)
            with self.allowed():
                near = world.nearest(shape, k=4, pose=pose, **options)
                rows = world.distances(shape, k=4, poses=pose, **options)[0]
                assert [c.index for c in near] == list(rows["collider"][: len(near)])
                assert (np.diff(rows["distance"][: len(near)]) >= 0).all()
            with self.allowed():
                rows = world.overlaps(shape, pose, **options)
                overlapping = {c.index for c in world.overlap(shape, pose, **options)}
                assert {int(r["collider"]) for r in rows if r["depth"] > 1e-6} <= overlapping
        body = self.body(index)
        if body is not None:
            with self.allowed():
                hit = world.time_of_impact(body, dt=0.5)
                assert hit is None or hit.body != body

    @rule(
        position=st.one_of(st.none(), vector),
        velocity=vector,
        n=st.integers(1, 4),
        drop=st.booleans(),
        index=pick,
        follow=st.booleans(),
    )
    def move_a_character(self, position, velocity, n, drop, index, follow):
        mover = getattr(self, "mover", None)
        if mover is None or mover.world is not self.world:
            mover = self.mover = p2.CharacterMover(self.world, p2.Circle(0.5), one_way=2)
        with self.allowed():
            mover.body = self.body(index) if follow else None
        if position is not None:
            with self.allowed():
                mover.position = position
        for _ in range(n):
            state = mover.state
            moved = False
            with self.allowed():
                mover.move(velocity, 1 / 60, drop=drop)
                moved = True
            assert moved or mover.state == state
        assert np.isfinite(mover.position).all()
        assert np.isfinite(mover.velocity).all()
        assert mover.grounded or mover.ground is None
        with self.allowed():
            assert len(mover.planes) >= 0

    @rule(gravity=vector)
    def set_gravity(self, gravity):
        if max(map(abs, gravity)) < 100 or not np.isfinite(gravity).all():
            with self.allowed():
                self.world.gravity = gravity

    @rule()
    def read(self):
        world = self.world
        rows = world.contacts
        alive = world.alive
        for name in ("body_a", "body_b"):
            assert alive[rows[name]].all()
        assert len(world.pairs) <= world.counters["pairs"]  # of the last step
        assert len(world.islands) == len(world.positions)
        world.kinetic_energy(), world.momentum(), world.potential_energy()
        events = world.events
        for name in ("sleep", "wake", "body_move"):
            rows = getattr(events, name)
            assert (rows["step"] < world.step_count).all()
        for body, number in events.body_move[["body", "body_id"]]:
            assert world.bodies[int(body)] == world.bodies.by_id(number)
        check_sensors(world)
        repr(world), [repr(body) for body in world.bodies]

    @rule()
    def new_world_under_old_views(self):
        positions = self.world.positions
        expected = positions.copy()
        self.world = BookedWorld(gravity=(0, -10))
        self.dead, self.handles = [], []
        gc.collect()
        np.testing.assert_array_equal(positions, expected)

    @invariant()
    def views_are_valid(self):
        if not hasattr(self, "world"):
            return
        for name, view in self.views:
            view.sum()
            now = getattr(self.world, name)
            if np.shares_memory(now, view):
                np.testing.assert_array_equal(view, now[: len(view)])
        world = self.world
        assert len(world.bodies) == int(world.alive.sum())
        assert np.isnan(world.positions[~world.alive]).all()

    def teardown(self):
        if hasattr(self, "world"):
            views = self.views
            del self.world, self.handles, self.dead
            for _, view in views:
                view.sum()


TestWorld = WorldMachine.TestCase
TestWorld.settings = settings(
    max_examples=max(1, CALLS // PER_EXAMPLE),
    stateful_step_count=PER_EXAMPLE,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
