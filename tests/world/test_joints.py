"""Joints against formulas, SciPy and conservation laws; their handles, sleep, copies and bits."""

import doctest
import gc
import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from same_bits import BROAD_PHASES, check_same_bits
from scenes_for_tests import ground, jointed
from scipy import integrate, optimize

import pyphys2d as p2

DT = 1 / 60
G = 10.0


def make_world(gravity=(0, -G), **options):
    return p2.World(gravity=gravity, **({"sleeping": False} | options))


@pytest.fixture
def world():
    return make_world()


def energy(world):
    return world.kinetic_energy() + world.potential_energy()


def gaps(world):
    state = world.joint_state
    return np.hypot(*(state["anchor_a"] - state["anchor_b"]).T)


def add_chain(world, links, ratio):
    """The chain of the quality scenes: capsules of 1 m from the origin, a circle at the end."""
    last = None
    for i in range(links):
        body = world.add_body(p2.Capsule((-0.5, 0), (0.5, 0), 0.125), (i + 0.5, 0), mask=0)
        world.add_revolute_joint(last, body, anchor=(i, 0))
        last = body
    ball = world.add_body(p2.Circle(1), (links + 1, 0), mass=ratio * last.mass, mask=0)
    world.add_revolute_joint(last, ball, anchor=(links, 0))
    return ball


KINDS = [name for name in dir(p2.World) if name.startswith("add_") and name.endswith("_joint")]


@pytest.mark.parametrize("name", KINDS)
def test_the_example_in_the_docstring_is_true(name):
    names = {thing: getattr(p2, thing) for thing in p2.__all__} | {"np": np}
    text = getattr(p2.World, name).__doc__
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    assert len(test.examples) > 3
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_suspension_of_a_wheel_is_upright_by_default(world):
    base = world.add_body(p2.Box(1, 1), (0, 0), 0.5)
    wheel = world.add_body(p2.Circle(0.3), (1, 0))
    np.testing.assert_allclose(world.add_wheel_joint(base, wheel).axis, (0, 1), atol=1e-15)
    np.testing.assert_allclose(world.add_prismatic_joint(base, wheel).axis, (1, 0), atol=1e-15)


# ---------------------------------------------------------------- springs


def identify(samples, dt):
    """Frequency (Hz) and damping ratio of the linear recurrence that the samples follow."""
    past = np.column_stack([samples[1:-1], samples[:-2]])
    p, q = np.linalg.lstsq(past, samples[2:], rcond=None)[0]
    poles = np.log(np.roots([1, -p, -q]).astype(complex)) / dt
    omega = np.sqrt(np.prod(poles).real)
    return omega / (2 * np.pi), -np.sum(poles).real / (2 * omega)


def distance_spring(hertz, zeta):
    world = make_world((0, 0))
    a, b = world.add_body(p2.Circle(0.3)), world.add_body(p2.Box(0.5, 0.3), (2, 0))
    joint = world.add_distance_joint(
        a, b, length=1.8, spring_hertz=hertz, spring_damping_ratio=zeta
    )
    return world, lambda: joint.length - 1.8


def revolute_spring(hertz, zeta):
    world = make_world((0, 0))
    body = world.add_body(p2.Box(2, 0.3), (1, 0))
    joint = world.add_revolute_joint(
        None,
        body,
        anchor=(0, 0),
        spring_hertz=hertz,
        spring_damping_ratio=zeta,
        spring_target=0.3,
    )
    return world, lambda: joint.angle - 0.3


def prismatic_spring(hertz, zeta):
    """By little: the mass that it meets depends on the place, and its stiffness does not."""
    world = make_world((0, 0))
    a, b = world.add_body(p2.Box(1, 1)), world.add_body(p2.Box(2, 0.3), (1, 0.3))
    joint = world.add_prismatic_joint(
        a, b, axis=(1, 0.5), spring_hertz=hertz, spring_damping_ratio=zeta, spring_target=0.005
    )
    return world, lambda: joint.translation - 0.005


def wheel_spring(hertz, zeta):
    world = make_world((0, 0))
    wheel = world.add_body(p2.Circle(0.3))
    joint = world.add_wheel_joint(
        None, wheel, spring_hertz=hertz, spring_damping_ratio=zeta, spring_target=0.1
    )
    return world, lambda: joint.translation - 0.1


def weld_spring(hertz, zeta):
    world = make_world((0, 0))
    a, b = world.add_body(p2.Box(1, 1)), world.add_body(p2.Box(1, 0.3), (1, 0))
    joint = world.add_weld_joint(a, b, spring_hertz=hertz, spring_damping_ratio=zeta)
    b.angular_velocity = 0.01
    return world, lambda: joint.angle


def mouse_spring(hertz, zeta):
    world = make_world((0, 0))
    body = world.add_body(p2.Box(1, 1))
    world.add_mouse_joint(
        body, target=(0.1, 0), anchor=(0, 0), spring_hertz=hertz, spring_damping_ratio=zeta
    )
    return world, lambda: body.position[0] - 0.1


def motor_spring(hertz, zeta):
    world = make_world((0, 0))
    body = world.add_body(p2.Box(1, 1))
    world.add_motor_joint(
        None, body, offset=(0, 0.2), spring_hertz=hertz, spring_damping_ratio=zeta
    )
    return world, lambda: body.position[1] - 0.2


SPRINGS = [
    distance_spring,
    revolute_spring,
    prismatic_spring,
    wheel_spring,
    weld_spring,
    mouse_spring,
    motor_spring,
]


@pytest.mark.parametrize("make", SPRINGS)
@pytest.mark.parametrize(
    ("hertz", "zeta"), [(1, 0), (1, 0.7), (4, 0.3), (10, 0), (10, 0.3), (10, 1.5)]
)
def test_springs_have_their_frequency_and_damping(make, hertz, zeta):
    world, error = make(hertz, zeta)
    samples = []
    for _ in range(40):
        world.step(DT)
        samples.append(error())
    found, damping = identify(np.array(samples), DT)
    assert found == pytest.approx(hertz, rel=0.01)
    assert damping == pytest.approx(zeta, abs=0.04)


SOFT = ["weld", "wheel", "motor", "revolute", "prismatic", "distance"]


def soft_chain(kind, hertz, zeta):
    """Five free boxes of several sizes in a row."""
    world = p2.World((0, 0))
    sizes = np.array([0.5, 1.2, 0.7, 1.0, 0.4])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    boxes = [
        world.add_body(p2.Box(w, 0.6 * w), (x + w / 2, 0), mask=0)
        for w, x in zip(sizes, ends[:-1], strict=True)
    ]
    options = {"spring_hertz": hertz, "spring_damping_ratio": zeta}
    for a, b, x in zip(boxes[:-1], boxes[1:], ends[1:-1], strict=True):
        if kind == "motor":
            world.add_motor_joint(a, b, **options)
        elif kind == "distance":
            near = {"anchor_a": (x - 0.2, 0.1), "anchor_b": (x + 0.2, -0.1)}
            world.add_distance_joint(a, b, lower=0, upper=1e6, **near, **options)
        else:
            if kind in ("wheel", "prismatic"):
                options["axis"] = (0.3, 1)
            getattr(world, f"add_{kind}_joint")(a, b, anchor=(x, 0.2), **options)
    return world, boxes


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOFT)
@pytest.mark.parametrize("hertz", [0.5, 2, 10, 25, 300, 1e4, 1e6])
@pytest.mark.parametrize("zeta", [0, 0.1, 3, 100])
def test_free_chains_of_soft_joints_gain_nothing(kind, hertz, zeta):
    for kicked in (0, 2):
        world, boxes = soft_chain(kind, hertz, zeta)
        boxes[kicked].velocity = (1.5, -2)
        boxes[kicked].angular_velocity = 3
        kick = world.kinetic_energy()
        for _ in range(60):
            world.step(DT, n=10)
            assert world.kinetic_energy() < 1.01 * kick


def test_a_spring_is_as_stiff_wherever_its_bodies_are():
    """k = w^2 m of where it was made: beside its axle then, the wheel hangs below it in the end."""
    world = p2.World((0, -10), sleeping=False)
    wheel = world.add_body(p2.Box(1, 0.2), (0.3, 0), mass=2, angular_damping=5)
    joint = world.add_wheel_joint(
        None, wheel, anchor=(0, 0), spring_hertz=3, spring_damping_ratio=1
    )
    k = (2 * np.pi * 3) ** 2 / (1 / 2 + 0.3**2 / wheel.inertia)
    world.step(DT, n=1200)
    assert wheel.angle == pytest.approx(-np.pi / 2, abs=1e-3)
    assert -joint.translation == pytest.approx(2 * 10 / k, rel=1e-4)


@pytest.mark.parametrize("zeta", [0.1, 1, 3])
@pytest.mark.parametrize("hertz", [(2, 3), (10, 10), (30, 30), (3, 4, 5)])
def test_several_springs_share_a_weight(hertz, zeta):
    """m g = (k1 + k2 + ...) C, with k = m w^2 of each."""
    world = p2.World((0, -10), sleeping=False)
    body = world.add_body(p2.Box(1, 1), mass=3, fixed_rotation=True)
    joints = [
        world.add_distance_joint(
            None, body, anchor_a=(0, 5), spring_hertz=f, spring_damping_ratio=zeta
        )
        for f in hertz
    ]
    world.step(n=1500)
    squares = (2 * np.pi * np.array(hertz)) ** 2
    assert -body.position[1] == pytest.approx(10 / squares.sum(), rel=1e-4)
    shares = 30 * squares / squares.sum()
    assert [joint.force[1] for joint in joints] == pytest.approx(shares, rel=1e-4)


def test_springs_side_by_side_and_in_a_row():
    world = p2.World((0, -10), sleeping=False)
    beam = world.add_body(p2.Box(4, 0.5), (0, 5), mass=3)
    for x in (-1.5, 1.5):
        world.add_distance_joint(
            None, beam, anchor_a=(x, 9), anchor_b=(x, 5), spring_hertz=2, spring_damping_ratio=0.5
        )
    upper = world.add_body(p2.Circle(0.3), (9, 5), mass=5)
    lower = world.add_body(p2.Circle(0.3), (9, 3), mass=2)
    options = {"spring_hertz": 3, "spring_damping_ratio": 0.3}
    world.add_distance_joint(None, upper, anchor_a=(9, 9), anchor_b=(9, 5), **options)
    world.add_distance_joint(upper, lower, anchor_a=(9, 5), anchor_b=(9, 3), **options)
    world.step(n=2400)
    square = (2 * np.pi * 2) ** 2
    # A spring has its frequency with the effective mass at its anchor.
    stiffness = square / (1 / 3 + 1.5**2 / beam.inertia)
    assert 5 - beam.position[1] == pytest.approx(30 / (2 * stiffness), rel=1e-4)
    square = (2 * np.pi * 3) ** 2
    assert 5 - upper.position[1] == pytest.approx(70 / (5 * square), rel=1e-4)
    sag = 20 / (10 / 7 * square)
    assert upper.position[1] - lower.position[1] - 2 == pytest.approx(sag, rel=1e-4)


@pytest.mark.parametrize("hertz", [(5, 8), (12, 20), (30, 20)])
def test_two_springs_swing_at_the_root_of_the_sum_of_squares(hertz):
    world = p2.World((0, 0), sleeping=False)
    body = world.add_body(p2.Circle(0.3), mass=2, fixed_rotation=True)
    for f in hertz:
        world.add_distance_joint(
            None, body, anchor_a=(0, 9), anchor_b=(0, 0), spring_hertz=f, spring_damping_ratio=0
        )
    body.position = (0, 0.1)
    y = []
    for _ in range(960):
        world.step(1 / 480, 1)
        y.append(body.position[1])
    y = np.array(y)
    k = np.flatnonzero((y[:-1] > 0) & (y[1:] <= 0))
    crossed = k + y[k] / (y[k] - y[k + 1])
    found = (len(crossed) - 1) * 480 / (crossed[-1] - crossed[0])
    assert found == pytest.approx(np.hypot(*hertz), rel=1e-3)
    assert y[-480:].max() == pytest.approx(0.1, rel=1e-2)  # and neither gain nor lose


@pytest.mark.parametrize("zeta", [0.3, 1, 3])
@pytest.mark.parametrize("hertz", [1, 10, 200])
def test_a_weight_hangs_where_its_spring_balances_it(world, hertz, zeta):
    body = world.add_body(p2.Circle(0.3), mass=2)
    joint = world.add_distance_joint(
        None, body, anchor_a=(0, 2), spring_hertz=hertz, spring_damping_ratio=zeta
    )
    world.step(DT, n=1200)
    assert joint.length - 2 == pytest.approx(G / (2 * np.pi * hertz) ** 2, rel=1e-3, abs=1e-8)
    np.testing.assert_allclose(joint.force, (0, 2 * G), rtol=1e-3, atol=1e-6)


def test_a_mouse_pulls_with_no_more_than_its_force(world):
    body = world.add_body(p2.Circle(0.5), mass=2)
    mouse = world.add_mouse_joint(body, max_force=30)
    mouse.target = (0, 100)
    world.step(DT, n=30)
    np.testing.assert_allclose(body.velocity, (0, 30 * DT * (30 / 2 - G)), rtol=1e-5)
    np.testing.assert_allclose(mouse.force, (0, 30), rtol=1e-6)
    np.testing.assert_array_equal(mouse.anchor_a, (0, 100))


def test_a_motor_joint_drives_with_bounded_force():
    world = make_world((0, 0))
    a, b = world.add_body(p2.Box(1, 1), mass=4), world.add_body(p2.Box(1, 1), mass=1)
    joint = world.add_motor_joint(
        a, b, linear_velocity=(0, 2), angular_velocity=3, max_force=4, max_torque=0.5
    )
    world.step(DT, n=6)
    assert np.hypot(*joint.force) == pytest.approx(4, rel=1e-6)
    assert abs(joint.torque) == pytest.approx(0.5, rel=1e-6)
    world.step(DT, n=600)
    assert b.angular_velocity - a.angular_velocity == pytest.approx(3, abs=1e-5)
    np.testing.assert_allclose(world.momentum(), (0, 0), atol=1e-4)


@pytest.mark.parametrize("ratio", [1, 1e4, 1e-4])
@pytest.mark.parametrize("anchor", [(3, 0), (3.4, -0.4), (0, 0)])
def test_a_motor_joint_at_one_bound_reaches_the_other_coordinate(ratio, anchor):
    """Without a force, two bodies at any places turn against each other as is asked; without a
    torque, their anchors move as is asked.
    """
    for bounded in "force", "torque":
        world = make_world((0, 0))
        a = world.add_body(p2.Box(1, 1), mass=1)
        b = world.add_body(p2.Box(1, 1), (3, 0), mass=ratio)
        asked = {"max_force": 0, "max_torque": np.inf, "angular_velocity": np.pi}
        if bounded == "torque":
            asked = {"max_force": np.inf, "max_torque": 0, "linear_velocity": (0.2, -0.1)}
        local = b.to_local(anchor)
        joint = world.add_motor_joint(a, b, anchor_a=(0.2, 0), anchor_b=anchor, **asked)
        world.step(DT)
        if bounded == "force":
            assert b.angular_velocity - a.angular_velocity == pytest.approx(np.pi, rel=1e-6)
            np.testing.assert_array_equal([*joint.force, *a.velocity, *b.velocity], 0)
        else:
            assert joint.torque == 0
            at = b.to_world(local)
            gap = b.velocity_at(at) - a.velocity_at(at)
            np.testing.assert_allclose(gap, (0.2, -0.1), atol=3e-3)
        assert world.angular_momentum() == pytest.approx(0, abs=1e-5 * (1 + ratio))


@given(
    st.tuples(*[st.floats(-3, 3)] * 2),
    st.floats(-3, 3),
    st.floats(0, 2),
    st.floats(0, 2),
    st.tuples(*[st.floats(-1, 1)] * 2),
)
def test_a_bounded_motor_joint_does_the_best_it_may(linear, angular, force, torque, arm):
    """Of all impulses that it may give, those that leave the least energy in what is not as asked:
    the duality gap of that problem is 0.
    """
    world = make_world((0, 0), substeps=1)
    a = world.add_body(p2.Box(1, 1), mass=2)
    b = world.add_body(p2.Box(0.5, 1), (2, 0), mass=0.5)
    joint = world.add_motor_joint(
        a,
        b,
        anchor_a=(0.1, 0.2),
        anchor_b=np.add((2, 0), arm),
        linear_velocity=linear,
        angular_velocity=angular,
        max_force=force,
        max_torque=torque,
    )
    lever = np.add((2, 0), arm)  # of a, to the anchor of b
    rows_a = np.array([[-1, 0, lever[1]], [0, -1, -lever[0]], [0, 0, -1]])
    rows_b = np.array([[1, 0, -arm[1]], [0, 1, arm[0]], [0, 0, 1]])
    inverse_a, inverse_b = (np.diag([1 / c.mass, 1 / c.mass, 1 / c.inertia]) for c in (a, b))
    matrix = rows_a @ inverse_a @ rows_a.T + rows_b @ inverse_b @ rows_b.T
    asked = np.array([*linear, angular])
    world.step(DT)
    impulse = DT * np.array([*joint.force, joint.torque])
    assert np.hypot(*impulse[:2]) <= DT * force * (1 + 1e-6) + 1e-12
    assert abs(impulse[2]) <= DT * torque * (1 + 1e-6) + 1e-12

    missing = matrix @ impulse - asked  # the gradient: no allowed change goes against it
    gap = missing @ impulse + DT * force * np.hypot(*missing[:2]) + DT * torque * abs(missing[2])
    assert gap < 1e-6


@pytest.mark.parametrize("hertz", [1, 4, 10])
@pytest.mark.parametrize("zeta", [0.1, 0.5, 1, 2])
def test_a_spring_hinge_sags_as_hookes_law_has_it(hertz, zeta):
    world = make_world()
    a = world.add_body(p2.Box(0.2, 0.2), kind="static")
    bar = world.add_body(p2.Box(1, 0.2), (0.7, 0))
    world.add_revolute_joint(a, bar, anchor=(0, 0), spring_hertz=hertz, spring_damping_ratio=zeta)
    inertia = bar.inertia + bar.mass * 0.7**2
    stiffness = inertia * (2 * np.pi * hertz) ** 2
    angle = optimize.brentq(lambda x: stiffness * x - bar.mass * G * 0.7 * np.cos(x), 0, np.pi / 2)
    world.step(DT, n=1800)
    mean = np.mean([bar.angle for _ in range(240) if world.step(DT) is None])
    assert mean == pytest.approx(-angle, rel=1e-4)


# ---------------------------------------------------------------- limits and motors


@pytest.mark.parametrize(("lower", "upper"), [(-0.5, 0.5), (-3.5, 0), (-7, 1), (-20, -1.0)])
def test_a_hinge_stops_at_its_limit_whatever_its_angle(world, lower, upper):
    body = world.add_body(p2.Box(2, 0.3), (1, 0), density=100)
    joint = world.add_revolute_joint(None, body, anchor=(0, 0), lower=lower, upper=upper)
    joint.max_motor_torque = 3 * body.mass * G  # turns it round against its weight
    joint.motor_speed = -3
    for _ in range(900):
        world.step(DT)
        if joint.angle < upper:
            assert lower - np.radians(0.5) < joint.angle
    assert joint.angle == pytest.approx(lower, abs=np.radians(0.05))
    assert joint.speed == pytest.approx(0, abs=1e-4)


def test_a_limit_under_load_gives_the_torque_of_statics(world):
    body = world.add_body(p2.Box(2, 0.3), (1, 0), density=100)
    joint = world.add_revolute_joint(None, body, anchor=(0, 0), lower=-0.5)
    world.step(DT, n=300)
    assert joint.angle == pytest.approx(-0.5, abs=1e-5)
    assert joint.torque == pytest.approx(body.mass * G * np.cos(0.5), rel=1e-3)
    np.testing.assert_allclose(joint.force, (0, body.mass * G), rtol=1e-3, atol=0.5)


def test_a_slide_stops_at_its_limits(world):
    body = world.add_body(p2.Box(1, 1), density=50)
    joint = world.add_prismatic_joint(None, body, axis=(1, 2), lower=-2, upper=1)
    low = 0
    for _ in range(120):
        world.step(DT)
        low = min(low, joint.translation)
    assert -2.001 < low == pytest.approx(-2, abs=1e-3)
    joint.max_motor_force, joint.motor_speed = 3 * body.mass * G, 4
    world.step(DT, n=120)
    assert joint.translation == pytest.approx(1, abs=1e-3)
    assert body.angle == pytest.approx(0, abs=1e-4)
    np.testing.assert_allclose(body.position, np.array([1, 2]) / np.sqrt(5), atol=1e-3)


def test_a_rope_hangs_loose_and_holds(world):
    body = world.add_body(p2.Circle(0.1), (0.5, 0), mass=3)
    rope = world.add_distance_joint(None, body, upper=1)
    world.step(DT, n=6)
    np.testing.assert_array_equal(rope.force, (0, 0))
    longest = 0
    for _ in range(600):
        world.step(DT)
        longest = max(longest, rope.length)
    assert longest < 1.001
    assert rope.upper == 1
    assert rope.lower == 0


def test_a_motor_gives_its_torque_and_reaches_its_speed():
    world = make_world((0, 0))
    body = world.add_body(p2.Circle(0.5))
    joint = world.add_revolute_joint(None, body, motor_speed=10, max_motor_torque=0.2)
    world.step(DT, n=30)
    assert joint.torque == pytest.approx(0.2, rel=1e-6)
    assert joint.speed == pytest.approx(0.2 * 0.5 / body.inertia, rel=1e-5)
    world.step(DT, n=600)
    assert joint.speed == pytest.approx(10, rel=1e-6)
    assert joint.torque == pytest.approx(0, abs=1e-6)
    joint.motor_speed = 0  # a friction now
    world.step(DT, n=600)
    assert joint.speed == pytest.approx(0, abs=1e-6)


def test_a_motor_without_bound_is_exact(world):
    body = world.add_body(p2.Box(2, 0.2), (1, 0))
    joint = world.add_revolute_joint(
        None, body, anchor=(0, 0), motor_speed=2, max_motor_torque=np.inf
    )
    for _ in range(200):
        world.step(DT)
        assert joint.speed == pytest.approx(2, abs=1e-5)
    assert joint.angle == pytest.approx(2 * 200 * DT, rel=1e-4)


def test_a_piston_lengthens(world):
    body = world.add_body(p2.Box(1, 1), (0, 2))
    piston = world.add_distance_joint(
        None, body, motor_speed=0.5, max_motor_force=100, lower=1, upper=3
    )
    world.step(DT, n=60)
    assert piston.length == pytest.approx(2.5, abs=0.01)
    assert piston.force[1] == pytest.approx(body.mass * G, rel=0.01)
    world.step(DT, n=180)
    assert piston.length == pytest.approx(3, abs=1e-3)


def test_a_wheel_rolls_by_its_motor(world):
    ground(world)
    car = world.add_body(p2.Box(2, 0.4), (0, 1))
    wheels = [world.add_body(p2.Circle(0.4), (x, 0.4), friction=1) for x in (-0.8, 0.8)]
    for wheel in wheels:
        world.add_wheel_joint(
            car,
            wheel,
            motor_speed=-5,
            max_motor_torque=5,
            spring_hertz=4,
            spring_damping_ratio=0.7,
            lower=-0.25,
            upper=0.25,
        )
    world.step(DT, n=300)
    assert car.velocity[0] == pytest.approx(5 * 0.4, rel=0.02)
    assert abs(car.angle) < 0.05


# ---------------------------------------------------------------- rigid joints


@pytest.mark.parametrize("kind", ["revolute", "distance"])
def test_a_pendulum_keeps_its_energy_for_a_minute(world, kind):
    bob = world.add_body(p2.Circle(0.1), (1, 0), mass=1)
    if kind == "revolute":
        world.add_revolute_joint(None, bob, anchor=(0, 0))
    else:
        world.add_distance_joint(None, bob)
    errors = []
    for _ in range(3600):
        world.step(DT)
        errors.append(energy(world) / G)
    assert np.abs(errors).max() < 0.002


def test_a_pendulum_swings_as_the_equation_says(world):
    bob = world.add_body(p2.Box(0.4, 0.1), (1, 0))
    joint = world.add_revolute_joint(None, bob, anchor=(0, 0))
    arm = G * bob.mass / (bob.inertia + bob.mass)
    answer = integrate.solve_ivp(
        lambda _, s: (s[1], -arm * np.cos(s[0])), (0, 3), (0, 0), rtol=1e-10, atol=1e-10
    )
    world.step(DT, n=180)
    assert joint.angle == pytest.approx(answer.y[0, -1], abs=2e-3)


def test_a_double_pendulum_never_gains(world):
    bobs = [world.add_body(p2.Circle(0.1), (x, 0), mass=1, mask=0) for x in (1, 2)]
    world.add_revolute_joint(None, bobs[0], anchor=(0, 0))
    world.add_revolute_joint(bobs[0], bobs[1], anchor=(1, 0))
    errors = []
    for _ in range(3600):
        world.step(DT)
        errors.append(energy(world) / (3 * G))
    assert max(errors) < 0.01
    assert min(errors) > -0.02


@pytest.mark.parametrize(
    ("links", "ratio"), [(10, 1), (10, 100), (10, 10_000), (30, 10), (30, 1000)]
)
def test_chains_do_not_stretch(links, ratio):
    world = make_world()
    add_chain(world, links, ratio)
    most = total = 0
    for _ in range(400):
        world.step(DT)
        error = gaps(world)
        most, total = max(most, error.max()), max(total, error.sum())
    assert most < 0.005
    assert total < (0.01 if (links, ratio) == (30, 1000) else 0.03)


@pytest.mark.parametrize(("ratio", "stretch", "overlap"), [(100, 0.1, 0.03), (1000, 0.03, 0.01)])
def test_a_bridge_carries(ratio, stretch, overlap):
    world = make_world()
    planks = [
        world.add_body(p2.Box(1, 0.25), (i + 0.5, 0), density=20, group=-1) for i in range(30)
    ]
    for i in range(30):
        world.add_revolute_joint(planks[i - 1] if i else None, planks[i], anchor=(i, 0))
    world.add_revolute_joint(None, planks[29], anchor=(30, 0))
    for x in (12, 15, 18):
        world.add_body(p2.Box(2, 2), (x, 1.2), mass=ratio * planks[0].mass)
    most = 0
    for _ in range(300):
        world.step(DT)
        most = max(most, gaps(world).sum())
    assert most < stretch
    assert 0 < -world.contacts["separation"].min() < overlap
    assert np.abs(world.velocities).max() < 0.5


def test_two_pins_make_a_beam_of_ten_boxes(world):
    boxes = [
        world.add_body(p2.Box(1, 0.5), (i + 0.5, 0), mass=1 if i < 9 else 1000, mask=0)
        for i in range(10)
    ]
    for i, box in enumerate(boxes):
        for y in (-0.25, 0.25):
            world.add_revolute_joint(boxes[i - 1] if i else None, box, anchor=(i, y))
    for _ in range(120):
        world.step(DT)
        assert gaps(world).max() < 0.02
    assert boxes[9].position[1] == pytest.approx(0, abs=0.02)


def test_a_closed_ring_holds_a_weight(world):
    n, ratio = 20, 1000
    angles = 2 * np.pi * np.arange(n + 1) / n + np.pi / 2
    corners = np.column_stack([np.cos(angles), np.sin(angles)]) / (2 * np.sin(np.pi / n))
    links = [
        world.add_body(p2.Box(1, 0.25), (p + q) / 2, np.arctan2(*(q - p)[::-1]), mask=0)
        for p, q in itertools.pairwise(corners)
    ]
    for i in range(n):
        world.add_revolute_joint(links[i - 1], links[i], anchor=corners[i])
    world.add_revolute_joint(None, links[0], anchor=corners[0])
    weight = world.add_body(p2.Circle(1), corners[n // 2], mass=ratio * links[0].mass, mask=0)
    world.add_revolute_joint(links[n // 2], weight, anchor=corners[n // 2])
    for _ in range(240):
        world.step(DT)
        assert gaps(world).max() < 0.02


@pytest.mark.parametrize("direction", [(0, -1), (1, 0)])
@pytest.mark.parametrize("kind", ["rod", "rope"])
def test_hanging_rods_and_ropes_carry_what_hangs_on_them(direction, kind):
    direction = np.array(direction)
    world, last = make_world(10 * direction), None
    for i in range(10):
        mass = 1000 if i == 9 else 1
        body = world.add_body(p2.Circle(0.1), (i + 1) * direction, mass=mass, mask=0)
        world.add_distance_joint(
            last, body, anchor_a=i * direction, **{"upper": 1} if kind == "rope" else {}
        )
        last = body
    world.step(DT, n=60)
    assert gaps(world) == pytest.approx(1, abs=1e-4)
    loads = 10 * (1000 + np.arange(9, -1, -1))
    np.testing.assert_allclose(
        world.joint_state["force"], -loads[:, None] * direction, rtol=1e-3, atol=0.1
    )


def test_a_rope_may_pass_through_its_anchor():
    world = make_world((0, 0))
    ball = world.add_body(p2.Circle(0.1), (-1, 0), velocity=(5, 0))
    world.add_distance_joint(None, ball, anchor_a=(0, 0), upper=2, spring_hertz=0)
    world.step(DT, n=20)
    np.testing.assert_allclose(ball.velocity, (5, 0))


def test_ropes_that_make_a_tangle_leave_hinges_stiff(world):
    """More loops than are solved at once: ropes go alone, the chains they tie stay whole."""
    chains = []
    for x in range(6):
        last, chain = None, []
        for i in range(8):
            body = world.add_body(p2.Box(0.1, 0.8), (x, -i - 0.5), mask=0)
            world.add_revolute_joint(last, body, anchor=(x, -i))
            chain.append(last := body)
        chains.append(chain)
    hinges = len(world.joints)
    for left, right in itertools.pairwise(chains):
        for a, b in zip(left, right, strict=True):
            world.add_distance_joint(a, b, upper=1.2)
    chains[0][-1].apply_impulse((-0.4, 0))
    worst = 0
    for _ in range(240):
        world.step(DT)
        worst = max(worst, gaps(world)[:hinges].max())
    assert worst < 2e-3
    assert gaps(world)[hinges:].max() < 1.25


def test_a_net_of_joints_comes_to_rest(world):
    """More loops than are solved at once: Gauss-Seidel."""
    n = 8
    body = {}
    for k in range(n):
        for i in range(n):
            kind = "static" if i == 0 and k in (3, 4) else "dynamic"
            body[k, i] = world.add_body(p2.Circle(0.4), (k, -i), kind=kind, mask=0)
            if i:
                world.add_revolute_joint(body[k, i - 1], body[k, i], anchor=(k, 0.5 - i))
            if k:
                world.add_revolute_joint(body[k - 1, i], body[k, i], anchor=(k - 0.5, -i))
    for _ in range(300):
        world.step(DT)
        assert gaps(world).max() < 0.02
    assert world.kinetic_energy() < 1e-4


def test_a_shelf_is_welded_to_the_wall(world):
    parts = [world.add_body(p2.Box(1, 0.2), (i + 0.5, 0), density=10) for i in range(3)]
    welds = [
        world.add_weld_joint(parts[i - 1] if i else None, part, anchor=(i, 0))
        for i, part in enumerate(parts)
    ]
    world.step(DT, n=200)
    weight = parts[0].mass * G
    assert parts[2].angle == pytest.approx(0, abs=1e-3)
    assert welds[0].torque == pytest.approx(weight * (0.5 + 1.5 + 2.5), rel=1e-3)
    assert welds[2].force[1] == pytest.approx(weight, rel=1e-3)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["revolute", "distance", "prismatic", "weld", "wheel", "motor"]),
)
def test_joints_keep_momentum(seed, kind):
    rng = np.random.default_rng(seed)
    world = make_world((0, 0))
    a = world.add_body(p2.Box(1, 0.5), rng.normal(size=2), rng.normal(), mask=0)
    b = world.add_body(p2.Box(0.7, 0.7), rng.normal(size=2), rng.normal(), density=3, mask=0)
    anchor = rng.normal(size=2)
    options = {} if kind == "distance" else {"anchor": anchor}
    if kind in ("prismatic", "wheel"):
        options["axis"] = rng.normal(size=2)
    if kind in ("revolute", "wheel", "weld"):
        options |= {"spring_hertz": 3, "spring_damping_ratio": 0.2}
    getattr(world, f"add_{kind}_joint")(a, b, **options)
    for body in (a, b):
        body.velocity, body.angular_velocity = rng.normal(size=2), rng.normal()
    before = world.momentum(), world.angular_momentum()
    most = sum(body.mass * (np.linalg.norm(body.velocity) + 1) for body in (a, b))
    world.step(DT, n=60)
    # Each of 8 substeps may round a velocity to single precision.
    rounding = 60 * 8 * 2**-24 * most
    np.testing.assert_allclose(world.momentum(), before[0], rtol=0, atol=rounding)
    assert world.angular_momentum() == pytest.approx(before[1], abs=5e-3)


def test_far_from_the_origin_it_is_the_same():
    heights = []
    for x in (0, 1e7):
        world = make_world()
        bob = world.add_body(p2.Box(0.4, 0.1), (x + 1, 0))
        world.add_revolute_joint(None, bob, anchor=(x, 0))
        world.step(DT, n=100)
        heights.append(bob.position[1])
    assert heights[0] == pytest.approx(heights[1], abs=1e-6)


def test_a_kinematic_body_carries_what_is_joined_to_it(world):
    turntable = world.add_body(p2.Circle(0.2), kind="kinematic", angular_velocity=2)
    arm = world.add_body(p2.Box(1, 0.1), (0.5, 0))
    world.add_weld_joint(turntable, arm, anchor=(0, 0))
    world.step(DT, n=90)
    assert arm.angle == pytest.approx(3, abs=0.01)
    np.testing.assert_allclose(arm.position, (0.5 * np.cos(3), 0.5 * np.sin(3)), atol=0.01)


def test_a_body_that_does_not_turn(world):
    body = world.add_body(p2.Box(1, 1), (1, 0), fixed_rotation=True)
    world.add_distance_joint(None, body)
    for _ in range(120):
        world.step(DT)
        assert gaps(world)[0] == pytest.approx(1, abs=1e-3)
    assert body.angle == 0


@pytest.mark.parametrize("ratio", [0.5, 1, 2])
def test_a_pulley_accelerates_as_its_weights_say(world, ratio):
    a, b = world.add_body(p2.Box(1, 1), (-2, 0), mass=1), world.add_body(p2.Box(1, 1), (2, 0))
    b.mass = 3
    rope = world.add_pulley_joint(a, b, ground_a=(-2, 5), ground_b=(2, 5), ratio=ratio)
    assert (rope.length_a, rope.length_b, rope.ratio) == (5, 5, ratio)
    world.step(DT, n=30)
    tension = (1 + ratio) * G / (1 + ratio**2 / 3)  # of a's rope; b's is ratio times that
    assert a.velocity[1] == pytest.approx((tension - G) * 0.5, rel=0.01)
    assert b.velocity[1] == pytest.approx((ratio * tension / 3 - G) * 0.5, rel=0.01)
    np.testing.assert_allclose(rope.force, (0, ratio * tension), rtol=1e-3, atol=1e-6)
    assert rope.length_a + ratio * rope.length_b == pytest.approx(5 + 5 * ratio, abs=1e-3)


def test_a_pulley_swings_on_two_ropes(world):
    a, b = world.add_body(p2.Circle(0.2), (-3, 0)), world.add_body(p2.Circle(0.2), (2, 0))
    rope = world.add_pulley_joint(a, b, ground_a=(-2, 4), ground_b=(2, 4))
    total = rope.length_a + rope.length_b
    start = energy(world)
    for _ in range(300):
        world.step(DT)
        assert rope.length_a + rope.length_b == pytest.approx(total, abs=2e-3)
    assert energy(world) == pytest.approx(start, abs=0.01 * a.mass * G * 4)


@pytest.mark.parametrize("tooth", [0.25, -0.25])
def test_a_ratchet_turns_one_way(world, tooth):
    beam = world.add_body(p2.Box(2, 0.2), (np.sign(tooth), 0))
    pin = world.add_revolute_joint(
        None, beam, anchor=(0, 0), motor_speed=4 * tooth, max_motor_torque=20
    )
    pawl = world.add_ratchet_joint(None, beam, tooth=tooth)
    world.step(DT, n=40)
    reached = pawl.angle
    assert abs(reached) > 0.6
    pin.max_motor_torque = 0
    world.step(DT, n=180)
    kept = np.floor(reached / tooth) * tooth
    assert pawl.angle == pytest.approx(kept, abs=1e-3)
    load = beam.mass * G * abs(np.cos(beam.angle))
    assert pawl.torque == pytest.approx(np.sign(tooth) * load, rel=1e-3)


def test_a_ratchet_keeps_its_tooth_when_something_else_is_set(world):
    wheel = world.add_body(p2.Circle(0.5), angular_velocity=2)
    world.add_revolute_joint(None, wheel)
    pawl = world.add_ratchet_joint(None, wheel, tooth=0.25, phase=0.1)
    world.step(DT, n=30)
    assert pawl.angle == pytest.approx(1, abs=0.01)
    for _ in range(120):
        wheel.apply_torque(-10)
        world.step(DT)
        pawl.break_torque = 1000 + world.step_count
    assert pawl.angle == pytest.approx(0.85, abs=1e-3)
    pawl.tooth = -0.25
    wheel.angular_velocity = -2
    world.step(DT, n=30)
    assert pawl.angle == pytest.approx(-0.15, abs=0.01)


def test_pulleys_and_ratchets_refuse_bad_numbers(world):
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    grounds = {"ground_a": (0, 5), "ground_b": (3, 5)}
    for options, match in (
        (grounds | {"ratio": 0}, "ratio"),
        (grounds | {"ratio": np.nan}, "ratio"),
        (grounds | {"ground_a": (0, np.inf)}, "ground_a"),
        (grounds | {"ground_b": (1e16, 0)}, "ground_b"),
    ):
        with pytest.raises(ValueError, match=match):
            world.add_pulley_joint(a, b, **options)
    with pytest.raises(TypeError, match="ground_b"):
        world.add_pulley_joint(a, b, ground_a=(0, 5))
    for tooth in (0, np.nan, np.inf):
        with pytest.raises(ValueError, match="tooth"):
            world.add_ratchet_joint(a, b, tooth=tooth)
    pawl = world.add_ratchet_joint(a, b, tooth=0.1)
    with pytest.raises(ValueError, match="tooth"):
        pawl.tooth = 0
    pawl.phase = 0.05
    assert (pawl.tooth, pawl.phase, pawl.kind) == (0.1, 0.05, "ratchet")
    assert len(world.joints) == 1


# ---------------------------------------------------------------- breaking


@pytest.mark.parametrize("kind", ["distance", "revolute", "weld"])
@pytest.mark.parametrize(("share", "breaks"), [(0.95, True), (1.05, False)])
def test_a_joint_breaks_at_its_force(world, kind, share, breaks):
    body = world.add_body(p2.Circle(0.1), (0, -1), mass=3)
    joint = getattr(world, f"add_{kind}_joint")(None, body, break_force=3 * G * share)
    world.step(DT, n=60)
    events = world.events.joint_break
    assert joint.alive is not breaks
    assert len(events) == breaks
    if breaks:
        assert events["joint"][0] == joint.index
        np.testing.assert_allclose(events["force"][0], (0, 3 * G), rtol=0.05, atol=0.1)
        with pytest.raises(p2.RemovedError):
            joint.force  # noqa: B018
        assert len(world.joints) == 0
        assert body.velocity[1] < -9


@pytest.mark.parametrize(("share", "breaks"), [(0.95, True), (1.05, False)])
def test_a_joint_breaks_at_its_torque(world, share, breaks):
    body = world.add_body(p2.Box(1, 0.2), (0.5, 0), mass=2)
    world.add_weld_joint(None, body, anchor=(0, 0), break_torque=G * share)
    world.step(DT, n=60)
    assert len(world.events.joint_break) == breaks
    if breaks:
        assert world.events.joint_break["torque"][0] == pytest.approx(G, rel=0.05)


# ---------------------------------------------------------------- collisions


@pytest.mark.parametrize("broadphase", ["grid", "tree", "all_pairs"])
def test_joined_bodies_collide_only_when_asked(broadphase):
    world = make_world((0, 0), broadphase=broadphase)
    a, b = world.add_body(p2.Box(1, 1)), world.add_body(p2.Box(1, 1), (0.7, 0))
    c = world.add_body(p2.Box(1, 1), (0, 0.8))
    joint = world.add_weld_joint(a, b)
    world.step(DT)
    assert {(r["body_a"], r["body_b"]) for r in world.pairs} == {(0, 2), (1, 2)}
    world.remove(joint)
    assert c.alive
    world.step(DT)
    assert (0, 1) in {(r["body_a"], r["body_b"]) for r in world.pairs}
    joint = world.add_weld_joint(a, b, collide_connected=True)
    world.step(DT)
    assert joint.collide_connected
    assert (0, 1) in {(r["body_a"], r["body_b"]) for r in world.pairs}
    world.add_filter_joint(b, a)
    world.step(DT)
    assert (0, 1) not in {(r["body_a"], r["body_b"]) for r in world.pairs}


def test_two_joints_between_two_bodies_both_keep_them_apart():
    world = make_world((0, 0))
    a, b = world.add_body(p2.Box(1, 1)), world.add_body(p2.Box(1, 1), (0.7, 0))
    joints = [world.add_filter_joint(a, b), world.add_filter_joint(a, b)]
    world.step(DT)
    world.remove(joints[0])
    world.step(DT)
    assert len(world.pairs) == 0
    world.remove(joints[1])
    world.step(DT)
    assert len(world.pairs) == 1


def test_a_contact_that_a_joint_ends_is_told():
    world = p2.World()
    ground(world)
    a, b = world.add_body(p2.Box(1, 1), (0, 0.5)), world.add_body(p2.Box(1, 1), (0, 1.5))
    world.step(DT, n=30)
    world.add_filter_joint(a, b)
    world.step(DT)
    ends = world.events.contact_end
    assert (a.index, b.index) in {(r["body_a"], r["body_b"]) for r in ends}


# ---------------------------------------------------------------- sleep


def test_joined_bodies_sleep_and_wake_together():
    world = make_world(sleeping=True)
    bodies = [world.add_body(p2.Circle(0.2), (0, -i - 1.0)) for i in range(3)]
    for i, body in enumerate(bodies):
        world.add_distance_joint(bodies[i - 1] if i else None, body)
    assert len(set(world.islands)) == 3  # not laid out yet
    world.step(DT, n=120)
    assert len(set(world.islands)) == 1
    assert not any(body.awake for body in bodies)
    bodies[2].apply_impulse((0.01, 0))
    assert all(body.awake for body in bodies)


def test_a_body_put_to_sleep_is_woken_by_what_pulls_it():
    world = make_world(sleeping=True)
    a, b = world.add_body(p2.Circle(0.2), (0, 0)), world.add_body(p2.Circle(0.2), (1, 0))
    a.awake = False
    b.awake = False
    world.add_revolute_joint(a, b)
    assert a.awake
    assert b.awake
    a.awake = b.awake = False
    a.awake = True
    world.step(DT)
    assert b.awake


def test_moving_the_ground_of_a_joint_wakes():
    world = make_world(sleeping=True)
    hook = world.add_body(p2.Circle(0.1), (0, 0), kind="static")
    bob = world.add_body(p2.Circle(0.2), (0, -1), linear_damping=2)
    rope = world.add_distance_joint(hook, bob)
    world.step(DT, n=120)
    assert not bob.awake
    hook.position = (0.1, 0)
    world.step(DT)
    assert bob.awake
    world.step(DT, n=2000)
    assert not bob.awake
    world.positions[hook.index] = (0, 0)
    world.step(DT)
    assert bob.awake
    world.step(DT, n=2000)
    world.remove(hook)
    assert bob.awake
    assert not rope.alive
    world.step(DT, n=30)
    assert bob.velocity[1] == pytest.approx(-5 * (1 - np.exp(-1)), rel=0.02)


def test_changing_a_joint_wakes():
    world = make_world(sleeping=True)
    bob = world.add_body(p2.Box(1, 0.2), (0, -1))
    joint = world.add_revolute_joint(None, bob, anchor=(0, -1), lower=-1, upper=1)
    world.step(DT, n=120)
    assert not bob.awake
    joint.lower = -2
    assert bob.awake
    world.step(DT, n=120)
    assert not bob.awake
    joint.lower = -2
    assert not bob.awake  # nothing has changed


def test_a_motor_that_turns_slowly_does_not_fall_asleep():
    world = make_world((0, 0), sleeping=True)
    hand = world.add_body(p2.Box(1, 0.1))
    joint = world.add_revolute_joint(None, hand, motor_speed=0.02, max_motor_torque=10)
    world.step(DT, n=600)
    assert joint.angle == pytest.approx(0.2, rel=0.01)


# ---------------------------------------------------------------- handles


def test_handles(world):
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    pin = world.add_revolute_joint(a, b, anchor=(1, 0))
    rod = world.add_distance_joint(None, b, anchor_a=(3, 4))
    assert list(world.joints) == [pin, rod]
    assert len(world.joints) == 2
    assert world.joints[1] == rod
    assert rod in world.joints
    assert a not in world.joints
    assert a.joints == (pin,)
    assert b.joints == (pin, rod)
    assert isinstance(pin, p2.RevoluteJoint)
    assert isinstance(rod, p2.Joint)
    assert (pin.kind, pin.body_a, pin.body_b, rod.body_a) == ("revolute", a, b, None)
    assert pin.world is world
    assert pin.id != rod.id
    assert len({pin, rod, world.joints[0]}) == 2
    assert "bodies 0 and 1" in repr(pin)
    assert "the world" in repr(rod)
    np.testing.assert_array_equal(rod.anchor_a, (3, 4))
    np.testing.assert_array_equal(rod.anchor_b, (3, 0))
    assert rod.length == rod.lower == rod.upper == 4
    world.remove(pin)
    assert not pin.alive
    assert "removed" in repr(pin)
    for use in (lambda: pin.angle, lambda: world.remove(pin), lambda: setattr(pin, "lower", 1)):
        with pytest.raises(p2.RemovedError, match="joint 0"):
            use()
    with pytest.raises(KeyError):
        world.joints[0]
    again = world.add_weld_joint(a, b)
    assert again.index == 0
    assert again.id != pin.id
    assert not pin.alive
    world.remove(b)
    assert not again.alive
    assert not rod.alive
    assert len(world.joints) == 0
    assert a.joints == ()


def test_properties_read_and_write(world):
    body = world.add_body(p2.Circle(1))
    joint = world.add_wheel_joint(None, body, axis=(0, 3))
    for name in (
        "lower",
        "upper",
        "motor_speed",
        "max_motor_torque",
        "spring_hertz",
        "spring_damping_ratio",
        "spring_target",
        "break_force",
        "break_torque",
    ):
        setattr(joint, name, np.float32(0.5) if name != "lower" else -0.5)
        assert getattr(joint, name) == (0.5 if name != "lower" else -0.5)
        with pytest.raises(ValueError, match=name):
            setattr(joint, name, np.nan)
        with pytest.raises(TypeError, match=name):
            setattr(joint, name, "1")
        with pytest.raises(TypeError, match=name):
            delattr(joint, name)
    with pytest.raises(ValueError, match="lower"):
        joint.lower = 1
    joint.lower, joint.upper = -np.inf, np.inf
    with pytest.raises(ValueError, match="spring_hertz"):
        joint.spring_hertz = np.inf
    assert joint.spring_hertz == 0.5
    with pytest.raises(AttributeError):
        joint.force = (0, 0)


LIMITED = {
    "revolute": {},
    "distance": {},
    "prismatic": {},
    "wheel": {},
    "pulley": {"ground_a": (-3, 9), "ground_b": (3, 9)},
}


@pytest.mark.parametrize("kind", LIMITED)
def test_both_limits_move_at_once(world, kind):
    a, b = world.add_body(p2.Circle(1), (-3, 0)), world.add_body(p2.Circle(1), (3, 0))
    joint = getattr(world, f"add_{kind}_joint")(a, b, lower=1, upper=2, **LIMITED[kind])
    before = world.hash()
    for limit, value, got in (("lower", 3, "3.0, 2.0"), ("upper", 0, "1.0, 0.0")):
        message = re.escape(f"{limit}: must leave lower <= upper, got ({got}); set_limits(")
        with pytest.raises(ValueError, match=message):
            setattr(joint, limit, value)
    for bad, error in (
        ((3, 2), "lower: must be <= upper"),
        ((0, 1e16), "upper: must be"),
        ((np.nan, 1), "lower"),
    ):
        with pytest.raises(ValueError, match=error):
            joint.set_limits(*bad)
    with pytest.raises(TypeError, match="upper"):
        joint.set_limits(1)
    assert world.hash() == before
    for lower, upper in ((3, 4), (0.5, 1), (7, 7)):
        joint.set_limits(lower, upper=upper)
        assert (joint.lower, joint.upper) == (lower, upper)
    world.remove(joint)
    with pytest.raises(p2.RemovedError):
        joint.set_limits(0, 1)


@pytest.mark.parametrize("kind", LIMITED)
def test_none_is_no_limit_also_afterwards(world, kind):
    a, b = world.add_body(p2.Circle(1), (-3, 0)), world.add_body(p2.Circle(1), (3, 0))
    joint = getattr(world, f"add_{kind}_joint")(a, b, lower=1, upper=2, **LIMITED[kind])
    least = 0 if kind in ("distance", "pulley") else -np.inf
    joint.lower = None
    assert (joint.lower, joint.upper) == (least, 2)
    joint.upper = None
    assert joint.upper == np.inf
    joint.set_limits(1, 2)
    joint.set_limits(None, None)
    assert (joint.lower, joint.upper) == (least, np.inf)


def test_none_means_what_it_means_when_a_joint_is_made():
    def world_of(**options):
        world = p2.World()
        body = world.add_body(p2.Box(1, 1), (1, 2), 0.3)
        motor = world.add_motor_joint(None, body, max_torque=options.get("most", 4))
        mouse = world.add_mouse_joint(body, anchor=(1.2, 2.1), max_force=options.get("most", 5))
        spring = world.add_distance_joint(
            None, body, spring_hertz=2, break_force=options.get("most", 6)
        )
        return world, motor, mouse, spring

    made, *_ = world_of(most=None)
    world, motor, mouse, spring = world_of()
    motor.offset, motor.angle_offset = (5, 5), 3
    motor.spring_hertz = 9
    mouse.target = (7, 7)
    spring.spring_target = 1
    for joint, names in (
        (motor, ("offset", "angle_offset", "max_torque", "spring_hertz")),
        (mouse, ("target", "max_force")),
        (spring, ("spring_target", "break_force")),
    ):
        for name in names:
            setattr(joint, name, None)
    assert motor.offset.tolist() == [1, 2]
    assert motor.angle_offset == 0.3
    assert mouse.target == pytest.approx([1.2, 2.1])
    assert spring.spring_target == np.hypot(1, 2)
    made.step(n=20)
    world.step(n=20)
    np.testing.assert_allclose(world.positions, made.positions, rtol=1e-12)
    motor.angular_velocity = 2
    motor.spring_hertz = None  # drives now
    assert motor.spring_hertz == 0
    for joint, name in ((motor, "angular_velocity"), (spring, "motor_speed")):
        with pytest.raises(TypeError, match=f"{name}: must be a number, got NoneType"):
            setattr(joint, name, None)


@pytest.mark.parametrize("given", [{"offset": (1, 0)}, {"angle_offset": 1}])
@pytest.mark.parametrize("driven", [{"linear_velocity": (0, 1)}, {"angular_velocity": 2}])
def test_a_motor_joint_is_made_to_pull_or_to_drive(world, given, driven):
    body = world.add_body(p2.Box(1, 1))
    (name,) = given
    with pytest.raises(ValueError, match=f"^{name}: give it or a velocity"):
        world.add_motor_joint(None, body, **given, **driven)
    assert len(world.joints) == 0
    world.add_motor_joint(None, body, **given, linear_velocity=(0, 0))
    # Both are kept, and spring_hertz says which is in use.
    pull = world.add_motor_joint(None, body, **given, **driven, spring_hertz=3)
    assert (getattr(pull, name) == given[name]).all() if name == "offset" else pull.angle_offset


def test_a_rod_has_its_length_whatever_a_spring_would_have(world):
    body = world.add_body(p2.Circle(1), (3, 0))
    rod = world.add_distance_joint(None, body, length=2, spring_target=1)
    assert (rod.lower, rod.upper, rod.spring_target) == (2, 2, 1)


def test_an_axis_may_have_any_length(world):
    body = world.add_body(p2.Circle(1))
    for axis in ((3e200, 4e200), (3e-310, 4e-310)):
        joint = world.add_prismatic_joint(None, body, axis=axis)
        assert joint.axis == pytest.approx([0.6, 0.8])
        world.remove(joint)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w, b: w.add_mouse_joint(b, target=(1e18, 0)), "target: must be within +-1e+15 m"),
        (lambda w, b: w.add_mouse_joint(b, anchor=(1e18, 0)), "anchor: must be within +-1e+15 m"),
        (
            lambda w, b: w.add_distance_joint(None, b, length=1e18),
            "length: must be > 0 and <= 1e+15, got 1e+18",
        ),
        (
            lambda w, b: w.add_revolute_joint(None, b, motor_speed=-1e18),
            "motor_speed: must be within +-1e+15, got -1e+18",
        ),
        (
            lambda w, b: w.add_revolute_joint(None, b, max_motor_torque=1e18),
            "max_motor_torque: must be >= 0 and <= 1e+15 or infinite, got 1e+18",
        ),
        (
            lambda w, b: w.add_revolute_joint(None, b, lower=np.nan),
            "lower: must be a number, also infinite, got nan",
        ),
        (
            lambda w, b: w.add_revolute_joint(None, b, spring_hertz=np.nan),
            "spring_hertz: must be finite, got nan",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_bound(world, call, message):
    body = world.add_body(p2.Circle(1))
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call(world, body)
    assert len(world.joints) == 0


KINDS = {
    "revolute": {"lower": -1, "upper": 1},
    "distance": {},
    "prismatic": {"spring_hertz": 3},
    "weld": {},
    "wheel": {"spring_hertz": 3},
    "motor": {},
    "pulley": {"ground_a": (-3, 9), "ground_b": (3, 9)},
    "ratchet": {"tooth": 0.3},
    "rotary": {"stiffness": 3},
}


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_with_joints_beyond_measure_stop_the_step(kind):
    world = make_world()
    a, b, c = (world.add_body(p2.Box(1, 1), (3 * k, 0)) for k in range(3))
    rail = world.add_body(kind="kinematic", position=(3, 0))
    joint = getattr(world, f"add_{kind}_joint")(a, b, **KINDS[kind])
    world.add_revolute_joint(b, c)
    world.add_motor_joint(rail, c, max_force=5)
    world.step(DT, n=3)

    for body, name, value, shown in (
        (a, "position", (1e300, 0), "1e.300"),
        (b, "position", (0, -1.7e308), "-1.7e.308"),
        (c, "angle", 1e16, "1e.16"),
        (rail, "position", (1e100, 0), "1e.100"),
    ):
        before = world.hash()
        with pytest.raises(ValueError, match=rf"^{name}: must be within .*, got {shown}"):
            setattr(body, name, value)
        assert world.hash() == before
        old = getattr(body, name)
        getattr(world, name + "s")[body.index] = value
        for _ in range(2):
            with pytest.raises(
                ValueError, match=rf"^{name}s: body {body.index} has {shown}; must be within"
            ):
                world.step(DT)
        setattr(body, name, old)
        assert world.hash() == before
    world.step(DT)
    # At the bound all stays finite.
    a.position, c.angle = (1e15, -1e15), -1e15
    for _ in range(10):
        world.step(DT)
        assert all(np.isfinite(world.joint_state[name]).all() for name in ("force", "torque"))
    world.remove(joint)
    a.position, a.velocity = (1e15, 0), (400, 0)
    world.step(1)  # without a joint anywhere
    with pytest.raises(ValueError, match=r"^b: a body with joints must be within"):
        world.add_weld_joint(b, a, anchor=(0, 0))


def test_infinity_of_any_float(world):
    joint = world.add_revolute_joint(None, world.add_body(p2.Circle(1)), upper=np.float32(np.inf))
    joint.lower = np.array(-np.inf)
    assert (joint.lower, joint.upper) == (-np.inf, np.inf)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"anchor": (0, np.nan)}, ValueError, "anchor"),
        ({"anchor": (0, 0, 0)}, ValueError, "anchor"),
        ({"anchor": (0, 0), "anchor_a": (1, 1)}, TypeError, "anchor"),
        ({"anchor": (1e16, 0)}, ValueError, "anchor:"),
        ({"lower": 2, "upper": 1}, ValueError, "lower"),
        ({"lower": np.inf}, ValueError, "lower"),
        ({"spring_hertz": -1}, ValueError, "spring_hertz"),
        ({"motor_speed": np.inf}, ValueError, "motor_speed"),
        ({"max_motor_torque": "a"}, TypeError, "max_motor_torque"),
        ({"break_force": -1}, ValueError, "break_force"),
        ({"collide_connected": "yes"}, TypeError, "collide_connected"),
        ({"length": 1}, TypeError, "length"),
    ],
)
def test_bad_arguments_change_nothing(world, options, error, match):
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    before = world.hash()
    with pytest.raises(error, match=match):
        world.add_revolute_joint(a, b, **options)
    assert world.hash() == before
    assert len(world.joints) == 0


def test_bad_bodies(world):
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    other = p2.World().add_body(p2.Circle(1))
    with pytest.raises(ValueError, match="another body"):
        world.add_revolute_joint(a, a)
    with pytest.raises(TypeError, match="b: must be a Body"):
        world.add_revolute_joint(a, None)
    with pytest.raises(TypeError, match="a: must be a Body or None"):
        world.add_revolute_joint(0, b)
    with pytest.raises(ValueError, match="another world"):
        world.add_weld_joint(a, other)
    with pytest.raises(ValueError, match="axis"):
        world.add_prismatic_joint(a, b, axis=(0, 0))
    with pytest.raises(ValueError, match="length"):
        world.add_distance_joint(a, b, length=0)
    world.remove(b)
    with pytest.raises(p2.RemovedError):
        world.add_weld_joint(a, b)
    with pytest.raises(TypeError):
        p2.RevoluteJoint()


def test_joints_need_the_soft_solver():
    world = p2.World(solver="sequential_impulses")
    body = world.add_body(p2.Circle(1))
    with pytest.raises(ValueError, match="soft_step"):
        world.add_mouse_joint(body)


def test_joint_state_is_a_table(world):
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    joints = [world.add_revolute_joint(None, a), world.add_distance_joint(a, b)]
    world.remove(joints[0])
    joints[0] = world.add_weld_joint(a, b)
    world.step(DT)
    table = world.joint_state
    assert list(table["joint"]) == [0, 1]
    assert list(table["kind"]) == [3, 1]
    for row, joint in zip(table, joints, strict=True):
        np.testing.assert_array_equal(row["force"], joint.force)
        np.testing.assert_array_equal(row["anchor_b"], joint.anchor_b)
        assert row["torque"] == joint.torque
    assert table["position"][1] == joints[1].length
    assert np.isnan(table["position"][0])
    world.remove(joints[0])
    assert world.joint_state["joint"].tolist() == [1]  # packed
    assert len(make_world().joint_state) == 0


def test_kinds_in_the_table_have_names():
    world = jointed()
    kinds = world.joint_state["kind"]
    names = np.array(p2.JOINT_KINDS)[kinds].tolist()
    assert names == [joint.kind for joint in world.joints]
    assert len(set(p2.JOINT_KINDS)) == len(p2.JOINT_KINDS) == 12


def test_handles_do_not_keep_a_world_alive_or_leak():
    gc.collect()
    before = p2._core._live()
    for _ in range(20):
        world = make_world()
        add_chain(world, 3, 1)
        joints = list(world.joints)
        world.step(DT)
        del world, joints
    gc.collect()
    assert p2._core._live() == before


# ---------------------------------------------------------------- copies, bits, memory


def test_closing_stages_early_leaves_joints_as_they_were():
    world = jointed()
    world.step(DT, n=20)
    before = world.hash()
    stages = world.stages(DT)
    for stage in stages:
        if stage.name == "poses":
            break
    stages.close()
    assert world.hash() == before
    twin = jointed()
    twin.step(DT, n=20)
    world.step(DT, n=20)
    twin.step(DT, n=20)
    assert world.hash() == twin.hash()


def test_the_hash_sees_joints():
    hashes = set()
    for change in (None, "lower", "motor_speed", "break_force"):
        world = jointed()
        joint = world.joints[10]
        if change:
            setattr(joint, change, -0.5 if change == "lower" else 7)
        hashes.add(world.hash())
    assert len(hashes) == 4


def test_the_same_bits_for_all_widths_workers_and_broad_phases():
    def run(**options):
        world = jointed(**options)
        world.step(DT, n=120)
        return world

    check_same_bits(run, others=({"workers": 3}, *BROAD_PHASES))


def test_a_layout_that_was_kept_is_as_good_as_one_made_anew():
    """Boxes overlap and part, nothing touches: pairs come and go, joints stay."""

    def run(disturb):
        world = make_world((0, 0), broadphase="grid")
        arms = []
        for x in (-2, 0, 2):
            arm = world.add_body(p2.Box(1.2, 0.1), (x + 0.6, 0))
            arms.append(world.add_revolute_joint(None, arm, anchor=(x, 0)))
            arm.angular_velocity = 3 + x
        for i in range(6):
            world.add_body(p2.Circle(0.1), (-20, 1.5 + 0.3 * i), velocity=(8 + i, 0))
        hashes, pairs = [], set()
        for _ in range(300):
            if disturb:
                arms[0].break_force = 1e9 - world.step_count % 2
                arms[0].break_force = np.inf
            world.step(DT)
            assert not len(world.contacts)
            hashes.append(world.hash())
            pairs.add(len(world.pairs))
        assert len(pairs) > 1
        return hashes

    assert run(False) == run(True)


def test_mixed_joints_stay_whole():
    world = jointed()
    world.step(DT, n=600)
    state = world.joint_state
    rigid = np.isin(state["kind"], (0, 3))
    assert np.hypot(*(state["anchor_a"] - state["anchor_b"])[rigid].T).max() < 0.005
    assert np.isfinite(world.positions).all()


def test_memory_failures_leave_the_world_as_it_was():
    testing = pytest.importorskip("pyphys2d._testing")
    n = 0
    while True:
        world = make_world()
        a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (1, 0))
        c = world.add_body(p2.Circle(1), (2, 0))
        world.step(DT)
        before = world.hash()
        n += 1
        testing.fail_allocation(n)
        try:
            world.add_revolute_joint(a, b)
            made = world.hash()
            world.add_distance_joint(b, c)
            before = world.hash()
            world.step(DT)
        except MemoryError:
            assert world.hash() in (before, made if len(world.joints) else before)
            world.step(DT)
        else:
            break
        finally:
            testing.fail_allocation(0)
    assert n > 3


def test_removing_joints_in_any_order():
    rng = np.random.default_rng(5)
    for _ in range(10):
        world = jointed()
        things = [*world.joints, *world.bodies]
        for k in rng.permutation(len(things)):
            if things[k].alive:
                world.remove(things[k])
            if rng.random() < 0.3:
                world.step(DT)
        assert len(world.joints) == len(world.bodies) == 0
        world.step(DT)


def test_a_link_that_pulls_along_one_axis_alone_is_counted_in_full():
    """A rope under its trolley adds to the y of the trolley's inertia and to nothing else."""
    world = p2.World(gravity=(0, -10))
    trolley = world.add_body(p2.Box(1, 0.4), (-2, 9.8), group=-1)
    world.add_prismatic_joint(None, trolley, axis=(1, 0))
    hook = world.add_body(p2.Circle(0.2), (-2, 5), density=20, group=-1)
    winch = world.add_distance_joint(
        trolley, hook, lower=0.5, upper=9.5, motor_speed=0, max_motor_force=4000
    )
    world.step(n=60)
    np.testing.assert_allclose(winch.force, (0, 10 * hook.mass), rtol=1e-3)
    winch.motor_speed = -1
    world.step(n=60)
    np.testing.assert_allclose(hook.position, (-2, 6), atol=5e-3)
