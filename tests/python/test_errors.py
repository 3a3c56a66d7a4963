"""The table of errors in full: which exception, what it names, and that the world is as it was."""

import signal
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes_for_tests import ground, mixed

import pyphys2d as p2


@pytest.fixture
def world():
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_body(p2.Box(1, 1), (0, 0.5))
    world.add_body(p2.Circle(0.5), (3, 4), kind="kinematic")
    world.step(n=3)
    return world


def test_the_ladder_of_exceptions():
    assert issubclass(p2.RemovedError, ReferenceError)
    assert issubclass(p2.WorldLockedError, RuntimeError)
    assert issubclass(p2.CapacityError, MemoryError)
    assert issubclass(p2.SnapshotError, ValueError)


BOX = p2.Box(1, 1)

BAD_VALUES = [
    ("gravity", lambda w, x: p2.World(gravity=(0, x))),
    ("gravity", lambda w, x: setattr(w, "gravity", (x, 0))),
    ("contact_hertz", lambda w, x: p2.World(contact_hertz=x)),
    ("contact_damping_ratio", lambda w, x: p2.World(contact_damping_ratio=x)),
    ("restitution_threshold", lambda w, x: p2.World(restitution_threshold=x)),
    ("max_speed", lambda w, x: p2.World(max_speed=x)),
    ("dt", lambda w, x: w.step(x)),
    ("position", lambda w, x: w.add_body(BOX, (x, 0))),
    ("angle", lambda w, x: w.add_body(BOX, (0, 0), x)),
    ("velocity", lambda w, x: w.add_body(BOX, velocity=(0, x))),
    ("angular_velocity", lambda w, x: w.add_body(BOX, angular_velocity=x)),
    ("density", lambda w, x: w.add_body(BOX, density=x)),
    ("friction", lambda w, x: w.add_body(BOX, friction=x)),
    ("restitution", lambda w, x: w.add_body(BOX, restitution=x)),
    ("rolling_resistance", lambda w, x: w.add_body(BOX, rolling_resistance=x)),
    ("tangent_speed", lambda w, x: w.add_body(BOX, tangent_speed=x)),
    ("gravity_scale", lambda w, x: w.add_body(BOX, gravity_scale=x)),
    ("linear_damping", lambda w, x: w.add_body(BOX, linear_damping=x)),
    ("angular_damping", lambda w, x: w.add_body(BOX, angular_damping=x)),
    ("mass", lambda w, x: w.add_body(BOX, mass=x)),
    ("positions", lambda w, x: w.add_bodies(BOX, [(0, 9), (x, 0)])),
    ("angles", lambda w, x: w.add_bodies(BOX, [(0, 9), (2, 9)], [0, x])),
    ("position", lambda w, x: setattr(w.bodies[1], "position", (x, 0))),
    ("angle", lambda w, x: setattr(w.bodies[1], "angle", x)),
    ("velocity", lambda w, x: setattr(w.bodies[1], "velocity", (0, x))),
    ("angular_velocity", lambda w, x: setattr(w.bodies[1], "angular_velocity", x)),
    ("mass", lambda w, x: setattr(w.bodies[1], "mass", x)),
    ("gravity_scale", lambda w, x: setattr(w.bodies[1], "gravity_scale", x)),
    ("linear_damping", lambda w, x: setattr(w.bodies[1], "linear_damping", x)),
    ("angular_damping", lambda w, x: setattr(w.bodies[1], "angular_damping", x)),
    ("friction", lambda w, x: setattr(w.colliders[1], "friction", x)),
    ("restitution", lambda w, x: setattr(w.colliders[1], "restitution", x)),
    ("density", lambda w, x: setattr(w.colliders[1], "density", x)),
    ("rolling_resistance", lambda w, x: setattr(w.colliders[1], "rolling_resistance", x)),
    ("tangent_speed", lambda w, x: setattr(w.colliders[1], "tangent_speed", x)),
    ("force", lambda w, x: w.bodies[1].apply_force((x, 0))),
    ("point", lambda w, x: w.bodies[1].apply_force((1, 0), point=(x, 0))),
    ("impulse", lambda w, x: w.bodies[1].apply_impulse((x, 0))),
    ("point", lambda w, x: w.bodies[1].apply_impulse((1, 0), point=(x, 0))),
    ("torque", lambda w, x: w.bodies[1].apply_torque(x)),
    ("impulse", lambda w, x: w.bodies[1].apply_angular_impulse(x)),
    ("position", lambda w, x: w.bodies[2].move_to((x, 0), 0, 0.1)),
    ("angle", lambda w, x: w.bodies[2].move_to((0, 0), x, 0.1)),
    ("dt", lambda w, x: w.bodies[2].move_to((0, 0), 0, x)),
    ("density", lambda w, x: w.bodies[1].attach(BOX, density=x)),
    ("about", lambda w, x: w.angular_momentum(about=(0, x))),
]


@pytest.mark.parametrize(
    ("name", "call"), BAD_VALUES, ids=[f"{i}-{row[0]}" for i, row in enumerate(BAD_VALUES)]
)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_numbers_are_refused_at_the_door(world, name, call, value):
    before = world.hash()
    with pytest.raises(ValueError) as caught:
        call(world, value)
    assert name in str(caught.value)
    assert ("nan" if value != value else "inf") in str(caught.value)
    assert world.hash() == before


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("dt", lambda w: w.step(0)),
        ("dt", lambda w: w.step(-1 / 60)),
        ("n", lambda w: w.step(n=-1)),
        ("substeps", lambda w: p2.World(substeps=0)),
        ("substeps", lambda w: p2.World(substeps=-3)),
        ("workers", lambda w: p2.World(workers=0)),
        ("max_bodies", lambda w: p2.World(max_bodies=0)),
        ("solver", lambda w: p2.World(solver="magic")),
        ("friction_rule", lambda w: p2.World(friction_rule="sum")),
        ("restitution_rule", lambda w: p2.World(restitution_rule="sum")),
        ("contact_hertz", lambda w: p2.World(contact_hertz=-1)),
        ("kind", lambda w: w.add_body(BOX, kind="solid")),
        ("density", lambda w: w.add_body(BOX, density=-1)),
        ("friction", lambda w: w.add_body(BOX, friction=-0.1)),
        ("restitution", lambda w: w.add_body(BOX, restitution=-0.1)),
        ("linear_damping", lambda w: w.add_body(BOX, linear_damping=-1)),
        ("mass", lambda w: w.add_body(BOX, mass=-2)),
        ("mass", lambda w: setattr(w.bodies[1], "mass", 0)),
        ("position", lambda w: w.add_body(BOX, (1, 2, 3))),
        ("position", lambda w: w.add_body(BOX, [[1, 2]])),
        ("positions", lambda w: w.add_bodies(BOX, [1, 2, 3])),
        ("position", lambda w: setattr(w.bodies[1], "position", (1,))),
    ],
)
def test_other_bad_values_are_named(world, name, call):
    before = world.hash()
    with pytest.raises(ValueError, match=name):
        call(world)
    assert world.hash() == before


@pytest.mark.parametrize(
    "call",
    [
        lambda w: w.add_body("box"),
        lambda w: w.add_body(BOX, "here"),
        lambda w: w.add_body(BOX, None),
        lambda w: w.add_body([BOX, 3]),
        lambda w: w.add_body(BOX, angle="left"),
        lambda w: w.add_body(BOX, wings=2),
        lambda w: w.add_body(BOX, (0, 0), 0, "dynamic"),
        lambda w: w.add_body(BOX, density="heavy"),
        lambda w: w.add_body(BOX, kind=2),
        lambda w: w.add_body(BOX, category=1.5),
        lambda w: w.add_body(BOX, name=3),
        lambda w: w.remove(3),
        lambda w: w.remove(BOX),
        lambda w: w.remove(None),
        lambda w: w.step("fast"),
        lambda w: w.step(n=2.5),
        lambda w: p2.World(substeps=2.5),
        lambda w: p2.World(gravity=None),
        lambda w: p2.World(warp=9),
        lambda w: w.bodies[1].attach(3),
        lambda w: w.bodies[1].apply_force("up"),
        lambda w: setattr(w.bodies[1], "position", None),
        lambda w: setattr(w.bodies[1], "angle", "x"),
        lambda w: w.cast_ray((0, 0)),
        lambda w: w.overlap(3, (0, 0, 0)),
        lambda w: w.touching(3),
        lambda w: p2.Body(),
        lambda w: p2.Collider(),
    ],
)
def test_wrong_types(world, call):
    before = world.hash()
    with pytest.raises((TypeError, ValueError)) as caught:
        call(world)
    # text where numbers belong may be told by NumPy's own words; everything else is a TypeError
    assert caught.type is TypeError or "convert" in str(caught.value)
    assert world.hash() == before


def test_deleting_attributes_is_refused(world):
    body = world.bodies[1]
    for owner, name in (
        (body, "position"),
        (body, "mass"),
        (body.colliders[0], "friction"),
        (world, "gravity"),
        (world, "positions"),
    ):
        with pytest.raises((AttributeError, TypeError)):
            delattr(owner, name)


# ---------------------------------------------------------------- removed

BODY_READS = [
    "position", "angle", "velocity", "angular_velocity", "mass", "inertia", "center_of_mass",
    "transform",
    "inverse_transform", "awake", "bullet", "fixed_rotation", "gravity_scale", "linear_damping",
    "name",
    "angular_damping", "enabled", "can_sleep", "colliders", "joints", "contacts", "kind",
    "user_data",
]  # fmt: skip
BODY_CALLS = [
    lambda b: b.apply_force((1, 0)),
    lambda b: b.apply_impulse((1, 0)),
    lambda b: b.apply_torque(1),
    lambda b: b.apply_angular_impulse(1),
    lambda b: b.to_world((0, 0)),
    lambda b: b.to_local((0, 0)),
    lambda b: b.velocity_at((0, 0)),
    lambda b: b.contains((0, 0)),
    lambda b: b.wake(),
    lambda b: b.sleep(),
    lambda b: b.move_to((0, 0), 0, 1),
    lambda b: b.attach(BOX),
    lambda b: b.world.remove(b),
    lambda b: b.world.touching(b),
    lambda b: setattr(b, "position", (0, 0)),
    lambda b: setattr(b, "kind", "static"),
    lambda b: setattr(b, "name", "x"),
    lambda b: setattr(b, "user_data", 1),
    lambda b: setattr(b, "awake", True),
]


@pytest.mark.parametrize("reuse", [False, True])
def test_a_removed_body_raises_removed_error(world, reuse):
    body = world.bodies[1]
    world.remove(body)
    if reuse:
        assert world.add_body(p2.Circle(1)).index == body.index
    before = world.hash()
    for name in BODY_READS:
        with pytest.raises(p2.RemovedError):
            getattr(body, name)
    for call in BODY_CALLS:
        with pytest.raises(p2.RemovedError):
            call(body)
    assert world.hash() == before
    assert "removed" in repr(body).lower() or str(body.index) in repr(body)
    assert isinstance(hash(body), int)
    assert body == body


@pytest.mark.parametrize("way", ["collider", "body"])
def test_a_removed_collider_raises_removed_error(world, way):
    body = world.bodies[1]
    collider = body.attach(BOX)
    world.remove(collider if way == "collider" else body)
    for name in (
        "body",
        "density",
        "friction",
        "category",
        "mask",
        "aabb",
        "vertices",
        "shape",
        "sensor",
    ):
        with pytest.raises(p2.RemovedError):
            getattr(collider, name)
    with pytest.raises(p2.RemovedError):
        collider.friction = 0.1
    with pytest.raises(p2.RemovedError):
        world.remove(collider)
    repr(collider)


def test_a_body_of_another_world_is_refused(world):
    other = p2.World().add_body(BOX)
    before = world.hash()
    with pytest.raises(ValueError):
        world.remove(other)
    with pytest.raises(ValueError):
        world.touching(other)
    assert world.hash() == before


# ---------------------------------------------------------------- capacity


def test_max_bodies():
    world = p2.World(max_bodies=3)
    world.add_bodies(p2.Circle(1), [(0, 0), (5, 0)])
    before = world.hash()
    with pytest.raises(p2.CapacityError, match="3"):
        world.add_bodies(p2.Circle(1), [(0, 9), (5, 9)])
    assert world.hash() == before
    assert len(world.bodies) == 2
    body = world.add_body(p2.Circle(1), (10, 0))
    with pytest.raises(p2.CapacityError):
        world.add_body(p2.Circle(1))
    world.remove(body)
    world.add_body(p2.Circle(1))
    world.step()


# ---------------------------------------------------------------- locked, interrupted

main_thread_only = pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"),
    reason="signals reach the main thread of a POSIX system only",
)


@main_thread_only
@pytest.mark.parametrize(
    "call",
    [
        lambda w, b: w.step(),
        lambda w, b: w.add_body(BOX),
        lambda w, b: w.add_bodies(BOX, [(0, 0)]),
        lambda w, b: w.remove(b),
        lambda w, b: setattr(w, "gravity", (0, 0)),
        lambda w, b: setattr(b, "position", (0, 0)),
        lambda w, b: b.apply_impulse((1, 0)),
        lambda w, b: b.attach(BOX),
        lambda w, b: setattr(w, "velocities", 0),
    ],
)
def test_using_the_world_from_inside_its_own_step(call):
    """A signal handler runs in the middle of a call that would last for hours."""
    world = mixed(sleeping=False)
    body = world.bodies[1]
    seen = []

    class Done(Exception):  # noqa: N818
        pass

    def handler(signum, frame):
        try:
            call(world, body)
        except Exception as error:
            seen.append(error)
        raise Done

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Done):
            world.step(n=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert [type(error) for error in seen] == [p2.WorldLockedError]
    again = mixed(sleeping=False)
    again.step(n=world.step_count)
    assert again.hash() == world.hash()


@main_thread_only
def test_ctrl_c_stops_a_long_step_and_keeps_the_steps_done():
    world = mixed(sleeping=False)

    def handler(signum, frame):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            world.step(n=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    done = world.step_count
    assert 0 < done < 10**9
    again = mixed(sleeping=False)
    again.step(n=done)
    assert again.hash() == world.hash()


def test_the_steps_before_a_failing_one_are_kept():
    """A kinematic body with a joint, which knows no speed limit, leaves its range during a call."""
    world = p2.World(gravity=(0, 0))
    far = world.add_body(p2.Circle(1), (1e15 - 1e10, 0), kind="kinematic", velocity=(1e9, 0))
    world.add_filter_joint(far, world.add_body(p2.Circle(1), (1e15, 0)))
    ok = world.add_body(p2.Circle(1), (0, 10), velocity=(1, 0))
    with pytest.raises(ValueError, match=r"\b0\b"):
        world.step(1.0, n=100)
    assert 0 < world.step_count < 20
    assert ok.position[0] == pytest.approx(world.step_count)


# ---------------------------------------------------------------- anything at all

garbage = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.floats(), max_size=4),
    st.tuples(st.floats(), st.floats()),
    st.just(np.zeros((2, 2))),
    st.just(np.array([1 + 2j, 0])),
    st.just(np.array(["a", "b"])),
    st.just(object()),
    st.just(p2.Circle(1)),
)


@given(st.lists(garbage, max_size=4), st.integers(0, 100))
def test_garbage_arguments_never_do_harm(arguments, which):
    world = p2.World(max_bodies=64)
    body = world.add_body(p2.Box(1, 1))
    targets = [
        world.add_body, world.add_bodies, world.remove, world.cast_ray, world.cast_ray_all,
        world.cast_rays,
        world.query_aabb, world.at, world.overlap, world.touching, body.apply_force,
        body.apply_impulse,
        body.apply_torque, body.move_to, body.attach, body.to_world, body.contains, p2.Circle,
        p2.Polygon,
        p2.Box, p2.Capsule, p2.Segment, p2.Chain, p2.RegularPolygon, p2.AABBTree().insert,
        world.angular_momentum, body.velocity_at,
    ]  # fmt: skip
    try:  # noqa: SIM105
        targets[which % len(targets)](*arguments)
    except (TypeError, ValueError, KeyError, OverflowError, p2.RemovedError, MemoryError):
        pass
    world.step()
    assert np.isfinite(world.positions[world.alive]).all()
