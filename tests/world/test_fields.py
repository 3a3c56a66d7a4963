"""Fluids and drag against formulas, SciPy and conservation laws; their handles."""

import gc
import re

import numpy as np
import pytest
from failing import fail_every_allocation
from hypothesis import given, settings
from hypothesis import strategies as st
from same_bits import BROAD_PHASES, check_same_bits
from scenes_for_tests import ground, mixed
from scipy import integrate, optimize

import pyphys2d as p2
from pyphys2d.geometry import submerged

DT = 1 / 60
G = 9.81
COMB = [(0, 0), (3, 0), (3, 1.5), (2, 0.4), (1.5, 1.5), (1, 0.4), (0, 1.5)]
SHAPES = [
    p2.Box(1, 0.6),
    p2.Circle(0.5),
    p2.Capsule((-0.5, 0), (0.5, 0.2), 0.3),
    p2.Box(0.8, 0.4, radius=0.15),
    p2.Polygon(COMB, recenter=True),
    p2.RegularPolygon(5, 0.6),
]


@pytest.fixture
def world():
    return p2.World(gravity=(0, -G), sleeping=False)


def energy(body):
    v, w = body.velocity, body.angular_velocity
    return 0.5 * (body.mass * float(v @ v) + body.inertia * w * w)


# ---------------------------------------------------------------- lift


@pytest.mark.parametrize("gravity", [(0, -G), (3, -4), (0, 5), (0, 0)])
@pytest.mark.parametrize("shape", SHAPES)
def test_lift_is_the_displaced_weight_at_its_centroid(shape, gravity):
    world = p2.World(gravity=gravity)
    surface = np.array([(-2, 0.1), (0.2, -0.2), (1, 0.3)])
    world.add_fluid(surface, 3, 0)
    body = world.add_body(shape, (0.1, 0.05), 0.4, density=0.7)
    center = body.to_world(body.center_of_mass)
    area, centroid, _ = submerged(shape, surface, (0.1, 0.05, 0.4))
    lift = -3 * area * np.array(gravity, float)
    arm = centroid - center
    world.step(DT)
    expected = DT * (np.array(gravity) + lift / body.mass)
    np.testing.assert_allclose(body.velocity, expected, atol=1e-13)
    torque = arm[0] * lift[1] - arm[1] * lift[0]
    assert body.angular_velocity == pytest.approx(DT * torque / body.inertia, abs=1e-13)


def test_colliders_add_up_and_sensors_displace_nothing(world):
    shapes = [p2.Box(1, 1), p2.Circle(0.5, (2, 0))]
    world.add_fluid(10, 2, 0)
    body = world.add_body(shapes, fixed_rotation=True)
    body.attach(p2.Box(5, 5), sensor=True, density=0)
    world.step(DT)
    area = sum(s.area for s in shapes)
    assert body.velocity[1] == pytest.approx(DT * G * (2 * area / body.mass - 1), rel=1e-12)


def test_only_colliders_of_the_mask(world):
    fluid = world.add_fluid(10, 2, 0, mask=0b110)
    wet = world.add_body(p2.Box(1, 1), (0, 0), category=0b010)
    dry = world.add_body(p2.Box(1, 1), (5, 0), category=0b001)
    world.step(DT)
    assert wet.velocity[1] == pytest.approx(DT * G, rel=1e-12)
    assert dry.velocity[1] == pytest.approx(-DT * G, rel=1e-12)
    fluid.mask = 0b001
    world.velocities *= 0
    world.step(DT)
    assert wet.velocity[1] == pytest.approx(-DT * G, rel=1e-12)
    assert dry.velocity[1] == pytest.approx(DT * G, rel=1e-12)


def test_fluids_that_overlap_add_up(world):
    for density in (0.5, 0.25, 1):
        world.add_fluid(10, density, 0)
    body = world.add_body(p2.Circle(1))
    world.step(DT)
    assert body.velocity[1] == pytest.approx(DT * G * 0.75, rel=1e-12)


def test_gravity_scale_is_the_bodys_alone(world):
    world.add_fluid(10, 2, 0)
    body = world.add_body(p2.Circle(1), gravity_scale=-3)
    world.step(DT)
    assert body.velocity[1] == pytest.approx(DT * G * (2 + 3), rel=1e-12)


def settle(world, seconds=60):
    world.step(DT, n=round(seconds / DT))


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
@pytest.mark.parametrize("density", [0.1, 0.5, 0.85])
def test_a_box_floats_at_its_depth(solver, density):
    world = p2.World(gravity=(0, -G), solver=solver)
    world.add_fluid(2, 1000)
    body = world.add_body(p2.Box(4, 1), (0, 3), density=1000 * density)
    settle(world)
    assert not body.awake
    assert 2 - (body.position[1] - 0.5) == pytest.approx(density, abs=1e-3)
    assert body.angle == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.5, 0.9])
def test_a_circle_floats_at_its_depth(world, ratio):
    """The half angle a of the wetted arc solves a - sin a cos a = pi ratio."""
    world.add_fluid(0, 2, 2)
    body = world.add_body(p2.Circle(0.7), (0, 0.4), density=2 * ratio)
    half = optimize.brentq(lambda a: a - np.sin(a) * np.cos(a) - np.pi * ratio, 0, np.pi)
    settle(world)
    assert body.position[1] == pytest.approx(0.7 * np.cos(half), abs=1e-3 * 0.7)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_every_shape_floats_with_its_weight_displaced_below_its_centre(world, shape):
    world.add_fluid(0, 3, 3)
    body = world.add_body(shape, (0, 0.5), 0.3)
    settle(world)
    pose = (*body.position, body.angle)
    area, centroid, _ = submerged(shape, 0, pose)
    assert 3 * area == pytest.approx(body.mass, rel=1e-3)
    assert centroid[0] == pytest.approx(body.to_world(body.center_of_mass)[0], abs=2e-3)


def test_a_square_of_half_density_floats_on_its_corner(world):
    """Between densities of 0.28 and 0.72 upright is no stable place: it turns by 45 degrees."""
    world.add_fluid(0, 2)
    body = world.add_body(p2.Box(1, 1), (0, 0), 0.01)
    flat = world.add_body(p2.Box(1, 1), (5, 0.4), 0.2, density=2 * 0.1)
    settle(world)
    assert body.angle % (np.pi / 2) == pytest.approx(np.pi / 4, abs=2e-3)
    assert abs((flat.angle + np.pi / 4) % (np.pi / 2) - np.pi / 4) < 2e-3


def test_a_prism_floats_at_the_angle_of_least_energy(world):
    """Among all poses that displace the weight, the one where the energy of body and fluid is
    least.
    """
    shape = p2.Polygon([(-1, -0.5), (1, -0.5), (0.4, 0.7)], recenter=True)
    world.add_fluid(0, 2, 2)
    body = world.add_body(shape, (0, 0), 0.2)
    settle(world, 90)

    def potential(angle):
        def excess(y):
            return 2 * submerged(shape, 0, (0, y, angle))[0] - shape.area

        y = optimize.brentq(excess, -3, 3, xtol=1e-14)
        area, centroid, _ = submerged(shape, 0, (0, y, angle))
        return shape.area * y - 2 * area * centroid[1]

    here = potential(body.angle)
    around = [potential(body.angle + d) for d in (-0.05, -0.02, 0.02, 0.05)]
    assert here < min(around)
    found = optimize.minimize_scalar(
        potential, bounds=(body.angle - 0.2, body.angle + 0.2), method="bounded",
        options={"xatol": 1e-8},
    )  # fmt: skip
    assert body.angle == pytest.approx(found.x, abs=2e-3)


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_without_drag_it_bobs_for_ever_at_the_right_rate(solver):
    """m y'' = -density g width y: a swing of constant amplitude."""
    world = p2.World(gravity=(0, -G), sleeping=False, solver=solver)
    world.add_fluid(0, 2, 0)
    body = world.add_body(p2.Box(1, 1), (0, 0.2), fixed_rotation=True)
    heights = []
    for _ in range(6000):
        world.step(DT)
        heights.append(body.position[1])
    y = np.array(heights)
    assert np.abs(y[:600]).max() == pytest.approx(0.2, rel=5e-3)
    assert np.abs(y[-600:]).max() == pytest.approx(0.2, rel=5e-3)
    up = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    times = up + y[up] / (y[up] - y[up + 1])
    assert np.diff(times).mean() * DT == pytest.approx(2 * np.pi / np.sqrt(2 * G), rel=1e-3)


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_without_drag_rolling_keeps_its_energy(solver):
    """Heave and roll of a wide box: kinetic energy and weight against the energy of the fluid."""
    world = p2.World(gravity=(0, -G), sleeping=False, solver=solver)
    world.add_fluid(0, 2, 0)
    shape = p2.Box(2, 0.7)
    body = world.add_body(shape, (0, 0.02), 0.25)

    def total():
        area, centroid, _ = submerged(shape, 0, (*body.position, body.angle))
        fluid = 2 * area * G * centroid[1]
        return energy(body) + body.mass * G * body.position[1] - fluid

    start, energies = total(), []
    for _ in range(3000):
        world.step(DT)
        energies.append(total())
    rest = 2 * 0.7 * G * 0.175  # upright at its floating depth
    swing = start - rest
    assert swing > 0
    late = np.mean(energies[-300:])
    assert late == pytest.approx(np.mean(energies[:300]), abs=0.05 * swing)


@pytest.mark.parametrize("density", [20, 1000, 1e5])
@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_what_is_far_too_light_settles_too(solver, density):
    """The springs of such bodies are too stiff for the step; they must not throw them out."""
    world = p2.World(gravity=(0, -G), sleeping=False, solver=solver)
    world.add_fluid(0, density)
    shapes = [p2.Box(2, 1), p2.Circle(0.2), p2.Box(0.2, 0.1), p2.Box(3, 0.05)]
    bodies = [world.add_body(s, (5 * i, 0.8), 0.1) for i, s in enumerate(shapes)]
    highest = 0
    for _ in range(1200):
        world.step(DT)
        highest = max(highest, *(b.position[1] for b in bodies))
    assert highest < 1
    for body, shape in zip(bodies, shapes, strict=True):
        assert np.abs(body.velocity).max() < 0.2
        half_diagonal = np.hypot(*shape.aabb[1])
        assert -0.1 < body.position[1] < half_diagonal + 0.05


def test_at_ten_million_metres_as_at_the_origin():
    depths = []
    for far in (0, 1e7):
        world = p2.World(gravity=(0, -G))
        world.add_fluid([(far - 3, far + 0.5), (far + 3, far - 0.5)], 2, 0.5)
        body = world.add_body(p2.Box(1, 1), (far, far + 0.5), 0.3)
        world.step(DT, n=120)
        depths.append([*(body.position - far), body.angle])
    np.testing.assert_allclose(depths[1], depths[0], atol=1e-5)


@pytest.mark.parametrize("drag", [0, 1, 300])
def test_contact_carries_what_the_fluid_does_not(world, drag):
    """A stone on the bottom: the normal force is its weight less the lift, however thick it is."""
    ground(world)
    world.add_fluid(0.5, 2, drag)
    body = world.add_body(p2.Box(1, 1), (0, 0.5), density=5)
    world.step(DT, n=240)
    normal = world.contacts["normal_impulse"].sum() / DT
    assert normal == pytest.approx((5 - 2 * 0.5) * G, rel=1e-3)
    assert body.position[1] == pytest.approx(0.5, abs=1e-3)


# ---------------------------------------------------------------- drag of a fluid


def test_a_neutral_body_follows_the_closed_form(world):
    """With the fluid's density, v' = drag (flow - v) and w' = -drag w; the step is backward
    Euler.
    """
    world.gravity = (0, 0)
    world.add_fluid(100, 1.5, 0.8, flow=(2, -1))
    body = world.add_body(
        p2.Box(1, 2), velocity=(-3, 4), angular_velocity=5, density=1.5, can_sleep=False
    )
    factor = 1
    for _ in range(120):
        world.step(DT)
        factor /= 1 + 0.8 * DT
    expected = np.array([2, -1]) + factor * (np.array([-3, 4]) - (2, -1))
    np.testing.assert_allclose(body.velocity, expected, rtol=1e-12)
    assert body.angular_velocity == pytest.approx(5 * factor, rel=1e-12)
    assert factor == pytest.approx(np.exp(-1.6), rel=0.02)


def test_drag_is_that_of_every_bit_of_area(world):
    """Half submerged, moving and turning: force and torque against a sum over small squares."""
    world.gravity = (0, 0)
    shape, pose = p2.Polygon(COMB), (0.3, -0.6, 0.5)
    fluid = world.add_fluid([(-5, 0), (2, 0.4), (3, -1)], 2, 1e-6, flow=(0.5, 0.2))
    body = world.add_body(shape, pose[:2], pose[2], velocity=(1, -2), angular_velocity=3, density=1)
    center = body.to_world(body.center_of_mass)
    side = 0.01
    x, y = np.meshgrid(np.arange(-4, 5, side), np.arange(-4, 5, side))
    points = np.column_stack([x.ravel(), y.ravel()])
    points = points[points[:, 1] < np.interp(points[:, 0], *np.array(fluid.surface).T)]
    points = points[body.contains(points)]
    arm = points - center
    v = np.array([1, -2]) + 3 * np.column_stack([-arm[:, 1], arm[:, 0]])
    force = 2e-6 * side**2 * ((0.5, 0.2) - v)
    torque = (arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]).sum()
    world.step(1e-6)
    gain = (body.velocity - (1, -2)) / 1e-6 * body.mass
    np.testing.assert_allclose(gain, force.sum(0), rtol=5e-3)
    turn = (body.angular_velocity - 3) / 1e-6 * body.inertia
    assert turn == pytest.approx(torque, rel=5e-3)


def test_quadratic_drag_of_a_fluid(world):
    """v' = -(c + q |v|) v, both implicit in v with |v| as it was."""
    world.gravity = (0, 0)
    world.add_fluid(100, 1, 0.5, quadratic_drag=0.25)
    body = world.add_body(p2.Circle(1), velocity=(6, 8), can_sleep=False)
    world.step(1e-4, n=20000)
    exact = integrate.solve_ivp(
        lambda t, v: -(0.5 + 0.25 * v) * v, (0, 2), [10], rtol=1e-10, atol=1e-12
    )
    assert np.linalg.norm(body.velocity) == pytest.approx(exact.y[0, -1], rel=1e-3)
    assert body.velocity[1] / body.velocity[0] == pytest.approx(8 / 6, rel=1e-9)


def test_terminal_speed_in_a_fluid_is_exact(world):
    """(density ratio - 1) g / drag, for any step."""
    world.add_fluid(1e9, 1, 4)
    body = world.add_body(p2.Circle(0.5), density=3)
    world.step(0.5, n=400)
    assert body.velocity[1] == pytest.approx(-(3 - 1) * G / 4, rel=1e-9)


@settings(max_examples=60)
@given(
    shape=st.sampled_from(SHAPES),
    drag=st.sampled_from([1e-3, 1, 1e3, 1e9, 1e15]),
    dt=st.sampled_from([1e-3, DT, 1.0]),
    depth=st.floats(-1, 1),
    velocity=st.tuples(st.floats(-50, 50), st.floats(-50, 50)),
    spin=st.floats(-20, 20),
    density=st.sampled_from([1e-3, 1, 1e6]),
)
def test_drag_only_ever_takes_energy(shape, drag, dt, depth, velocity, spin, density):
    """Relative to the flow, whatever the coefficient, the step and the place of the drag."""
    world = p2.World(gravity=(0, 0), max_speed=1e6)
    world.add_fluid(0, 1000, drag)
    body = world.add_body(
        shape, (0, depth), velocity=velocity, angular_velocity=spin, density=density
    )
    before = energy(body)
    for _ in range(5):
        world.step(dt)
        after = energy(body)
        assert after <= before * (1 + 1e-9) + 1e-300
        before = after


def test_huge_drag_stops_and_does_not_turn_round(world):
    world.gravity = (0, 0)
    world.add_fluid(100, 1e15, 1e15, quadratic_drag=1e15)
    body = world.add_body(p2.Box(1, 2), velocity=(30, -40), angular_velocity=7)
    world.step(DT)
    assert np.abs(body.velocity).max() < 1e-9
    assert abs(body.angular_velocity) < 1e-9
    world.fields[0].flow = (3, 4)
    world.step(DT)
    np.testing.assert_allclose(body.velocity, (3, 4), rtol=1e-9)


def test_a_river_carries_what_floats_in_it():
    world = p2.World(gravity=(0, -G))
    world.add_fluid(0, 2, 0.5, flow=(1.5, 0))
    log = world.add_body(p2.Capsule((-1, 0), (1, 0), 0.2), can_sleep=True)
    assert world.bodies[0].awake
    settle(world, 30)
    assert log.awake
    np.testing.assert_allclose(log.velocity, (1.5, 0), atol=1e-3)


# ---------------------------------------------------------------- drag of air


@pytest.mark.parametrize("mass", [0.5, 8])
def test_linear_drag_against_the_closed_form(world, mass):
    world.add_drag(linear=2)
    body = world.add_body(p2.Circle(0.5), mass=mass, velocity=(5, 3))
    steps, dt = 2000, 1e-3
    world.step(dt, n=steps)
    k, t = 2 / mass, steps * dt
    decay = np.exp(-k * t)
    expected = [5 * decay, (3 + G / k) * decay - G / k]
    np.testing.assert_allclose(body.velocity, expected, rtol=2e-3, atol=5e-3)


def test_linear_drag_reaches_its_terminal_speed_exactly(world):
    world.add_drag(linear=3)
    body = world.add_body(p2.Circle(1), mass=2)
    world.step(DT, n=3000)
    assert body.velocity[1] == pytest.approx(-2 * G / 3, rel=1e-9)


def test_quadratic_drag_of_a_shot_is_exact(world):
    """Without gravity 1 / v grows by c dt / m in each step, which is the exact solution."""
    world.gravity = (0, 0)
    world.add_drag(quadratic=0.3)
    body = world.add_body(p2.Circle(1), mass=2, velocity=(60, -80))
    world.step(DT, n=200)
    speed = 1 / (1 / 100 + 0.3 / 2 * 200 * DT)
    np.testing.assert_allclose(body.velocity, np.array([0.6, -0.8]) * speed, rtol=1e-11)


def test_quadratic_drag_against_an_integrator(world):
    world.add_drag(linear=0.1, quadratic=0.05)
    body = world.add_body(p2.Circle(0.5), mass=1.5, velocity=(30, 20), can_sleep=False)

    def slope(t, state):
        v = state[2:]
        return [*v, *(-(0.1 + 0.05 * np.hypot(*v)) * v / 1.5 + (0, -G))]

    exact = integrate.solve_ivp(slope, (0, 3), [0, 0, 30, 20], rtol=1e-10, atol=1e-10).y[:, -1]
    errors = []
    for n in (600, 1200, 2400):
        body.position, body.velocity = (0, 0), (30, 20)
        world.step(3 / n, n=n)
        errors.append(np.abs([*(body.position - exact[:2]), *(body.velocity - exact[2:])]).max())
    assert errors[-1] < 0.02
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.1)  # first order
    assert errors[2] == pytest.approx(errors[1] / 2, rel=0.1)


def test_quadratic_terminal_speed(world):
    world.add_drag(quadratic=0.4)
    body = world.add_body(p2.Circle(0.5), mass=3)
    world.step(DT, n=3000)
    assert body.velocity[1] == pytest.approx(-np.sqrt(3 * G / 0.4), rel=1e-9)


@pytest.mark.parametrize("coefficient", [0.5, 20])
def test_the_clamped_drag_of_the_tutorial(world, coefficient):
    """Velocity loses clamp_magnitude(v, 1) drag dt, whatever the mass."""
    world.gravity = (0, 0)
    world.add_drag(clamped=coefficient)
    light = world.add_body(p2.Circle(0.5), mass=1, velocity=(3, -4), can_sleep=False)
    heavy = world.add_body(p2.Circle(0.5), (9, 9), mass=50, velocity=(3, -4), can_sleep=False)
    v = np.array([3.0, -4.0])
    for _ in range(700):
        world.step(DT)
        v -= v / max(1, np.linalg.norm(v)) * coefficient * DT
        np.testing.assert_allclose(light.velocity, v, rtol=1e-11, atol=1e-300)
        np.testing.assert_allclose(heavy.velocity, v, rtol=1e-11, atol=1e-300)
    assert np.linalg.norm(v) < 1


def test_clamped_drag_stops_and_does_not_turn_round(world):
    world.gravity = (0, 0)
    world.add_drag(clamped=1e6)
    world.add_drag(clamped=1e6)
    body = world.add_body(p2.Circle(0.5), velocity=(3, -4))
    world.step(DT)
    np.testing.assert_allclose(body.velocity, (0, 0), atol=1e-15)


def test_angular_drag(world):
    world.add_drag(angular=0.7)
    body = world.add_body(p2.Box(2, 1), angular_velocity=9)
    world.step(DT, n=50)
    expected = 9 / (1 + 0.7 * DT / body.inertia) ** 50
    assert body.angular_velocity == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", ["linear", "quadratic", "clamped", "angular"])
def test_huge_coefficients_stop(world, kind):
    world.gravity = (0, 0)
    world.add_drag(**{kind: 1e15})
    body = world.add_body(p2.Box(2, 1), velocity=(30, -40), angular_velocity=9)
    world.step(DT)
    stopped = abs(body.angular_velocity) if kind == "angular" else np.abs(body.velocity).max()
    assert stopped < 1e-9


def test_forces_of_the_user_are_still_there(world):
    world.gravity = (0, 0)
    world.add_drag(linear=2)
    body = world.add_body(p2.Circle(1), mass=4)
    body.apply_force((8, 0))
    body.apply_torque(3)
    world.step(DT)
    assert body.velocity[0] == pytest.approx(8 / 4 * DT / (1 + 2 / 4 * DT), rel=1e-12)
    assert body.angular_velocity == pytest.approx(3 / body.inertia * DT, rel=1e-12)
    assert not world.forces.any()
    assert not world.torques.any()


def test_static_kinematic_and_disabled_bodies_are_left_alone(world):
    world.add_drag(linear=100)
    world.add_fluid(10, 100)
    wall = world.add_body(p2.Box(1, 1), kind="static")
    lift = world.add_body(p2.Box(1, 1), (5, 0), kind="kinematic", velocity=(0, 2))
    off = world.add_body(p2.Box(1, 1), (9, 0), velocity=(1, 1), enabled=False)
    stiff = world.add_body(p2.Box(1, 2), (15, 0), angular_velocity=3, fixed_rotation=True)
    spin = stiff.angular_velocity
    world.step(DT, n=10)
    np.testing.assert_array_equal(wall.position, (0, 0))
    np.testing.assert_array_equal(lift.velocity, (0, 2))
    np.testing.assert_array_equal(off.position, (9, 0))
    assert stiff.angular_velocity == spin


# ---------------------------------------------------------------- sleep


def raft(**options):
    world = p2.World(gravity=(0, -G))
    world.add_fluid(0, 2, 3)
    body = world.add_body(p2.Box(2, 1), (0, 0), **options)
    world.step(DT, n=240)
    assert not body.awake
    return world, body


def test_a_sleeping_float_stays_asleep():
    world, body = raft()
    place = body.position
    world.step(DT, n=600)
    assert not body.awake
    np.testing.assert_array_equal(body.position, place)


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w.add_fluid(0, 1),
        lambda w: w.add_drag(linear=1),
        lambda w: w.remove(w.fields[0]),
        lambda w: setattr(w.fields[0], "density", 2.5),
        lambda w: setattr(w.fields[0], "surface", 0.1),
        lambda w: setattr(w.fields[0], "surface", -50),
        lambda w: setattr(w.fields[0], "flow", (1, 0)),
        lambda w: setattr(w.fields[0], "mask", 0),
        lambda w: setattr(w, "gravity", (0, -1)),
    ],
)
def test_a_change_wakes_what_it_reaches(change):
    world, body = raft()
    far = world.add_body(p2.Box(1, 1), (0, 50), awake=False)
    change(world)
    assert body.awake
    assert far.awake == (len(world.fields) == 2 and hasattr(world.fields[1], "linear")) or (
        world.gravity[1] == -1
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda w: setattr(w.fields[0], "density", 2),
        lambda w: setattr(w.fields[0], "surface", 0),
        lambda w: w.add_fluid(-10, 1),
        lambda w: w.add_fluid([(-5, -3), (-4, -2), (3, -3), (4, 99)], 1),
        lambda w: w.add_fluid(0, 1, mask=2),
        lambda w: w.add_drag(linear=1, mask=2),
    ],
)
def test_what_changes_nothing_wakes_nothing(change):
    world, body = raft()
    change(world)
    assert not body.awake


def test_what_sinks_slowly_does_not_fall_asleep_on_the_way():
    """2 cm/s in thick honey is below the sleep speed; it still gets to the bottom, and sleeps
    there.
    """
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_fluid(1000, 1.4, 200)
    body = world.add_body(p2.Circle(0.2), (0, 0.5), density=2)
    speed = (2 / 1.4 - 1) * 10 / 200
    world.step(DT, n=300)
    assert body.velocity[1] == pytest.approx(-speed, rel=1e-3)
    world.step(DT, n=1200)
    assert body.position[1] == pytest.approx(0.2, abs=5e-3)
    assert not body.awake


def test_a_slow_river_moves_what_has_come_to_rest():
    world = p2.World(gravity=(0, -G))
    fluid = world.add_fluid(0, 2, 0.05)
    body = world.add_body(p2.Box(2, 1))
    world.step(DT, n=120)
    assert not body.awake
    fluid.flow = (1, 0)
    world.step(DT, n=120)
    assert body.velocity[0] == pytest.approx(1 - np.exp(-0.05 * 2), rel=0.05)


# ---------------------------------------------------------------- handles


def test_handles_are_live_values(world):
    fluid = world.add_fluid(1.5, 1000, 2, quadratic_drag=0.5, flow=(1, -2), mask=7)
    assert (fluid.surface, fluid.density, fluid.drag) == (1.5, 1000, 2)
    assert (fluid.quadratic_drag, fluid.mask, fluid.index) == (0.5, 7, 0)
    np.testing.assert_array_equal(fluid.flow, (1, -2))
    points = [(0, 1), (1, 2), (3, -1)]
    fluid.surface = points
    points[0] = (9, 9)
    np.testing.assert_array_equal(fluid.surface, [(0, 1), (1, 2), (3, -1)])
    fluid.surface[:] = 0
    np.testing.assert_array_equal(fluid.surface, [(0, 1), (1, 2), (3, -1)])
    fluid.density, fluid.drag, fluid.quadratic_drag = 900, 3, 0.25
    fluid.flow, fluid.mask = np.array([4, 5]), 0xFFFF_FFFF_FFFF_FFFF
    assert (fluid.density, fluid.drag, fluid.quadratic_drag) == (900, 3, 0.25)
    assert fluid.mask == 2**64 - 1
    np.testing.assert_array_equal(fluid.flow, (4, 5))
    drag = world.add_drag(linear=1, quadratic=2, clamped=3, angular=4)
    assert (drag.linear, drag.quadratic, drag.clamped, drag.angular) == (1, 2, 3, 4)
    drag.linear, drag.quadratic, drag.clamped, drag.angular = 5, 6, 7, 8
    assert (drag.linear, drag.quadratic, drag.clamped, drag.angular) == (5, 6, 7, 8)
    assert fluid.world is world
    assert repr(fluid) == (
        "<Fluid 0, surface of 3 points, density=900.0, drag=3.0, quadratic_drag=0.25, "
        "flow=(4.0, 5.0)>"
    )
    assert repr(drag) == "<Drag 1, linear=5.0, quadratic=6.0, clamped=7.0, angular=8.0>"


def test_the_repr_of_a_field_has_what_is_not_zero(world):
    assert repr(world.add_fluid(-0.5, 1000, mask=6)) == (
        "<Fluid 0, surface=-0.5, density=1000.0, drag=1.0, mask=6>"
    )
    assert repr(world.add_fluid(0, 0, 0)) == "<Fluid 1, surface=0.0, density=0.0>"
    drag = world.add_drag(quadratic=0.4)
    assert repr(drag) == "<Drag 2, quadratic=0.4>"
    drag.quadratic = 0
    assert repr(drag) == "<Drag 2>"
    world.remove(drag)
    assert repr(drag) == "<Drag 2, removed>"


def test_the_collection_of_fields(world):
    a, b, c = world.add_drag(linear=1), world.add_fluid(0, 1), world.add_drag(linear=1)
    assert len(world.fields) == 3
    assert list(world.fields) == [a, b, c]
    assert [type(f) for f in world.fields] == [p2.Drag, p2.Fluid, p2.Drag]
    world.remove(b)
    assert list(world.fields) == [a, c]
    assert b not in world.fields
    assert "water" not in world.fields
    assert len(world.fields) == 2
    with pytest.raises(KeyError):
        world.fields[1]
    with pytest.raises(TypeError, match="index"):
        world.fields["a"]
    d = world.add_fluid(0, 1)
    assert (d.index, d == b, d.id == b.id, hash(d) == hash(b)) == (1, False, False, False)
    assert world.fields[1] == d
    assert repr(world.fields) == "<3 fields: 2 drag, 1 fluid>"
    assert len(p2.World().fields) == 0


def test_removed_fields_say_so(world):
    fluid, drag = world.add_fluid([(0, 0), (1, 1)], 1), world.add_drag(linear=1)
    for field in (fluid, drag):
        assert field.alive
        world.remove(field)
        assert not field.alive
        assert "removed" in repr(field)
        with pytest.raises(p2.RemovedError, match=r"field \d has been removed"):
            world.remove(field)
        with pytest.raises(p2.RemovedError):
            field.mask = 1
    for name in ("surface", "density", "drag", "quadratic_drag", "flow", "mask"):
        with pytest.raises(p2.RemovedError):
            getattr(fluid, name)
    for name in ("linear", "quadratic", "clamped", "angular"):
        with pytest.raises(p2.RemovedError):
            setattr(drag, name, 1)
    with pytest.raises(p2.RemovedError):
        fluid.surface = 3
    body = world.add_body(p2.Circle(1), velocity=(1, 0), gravity_scale=0)
    world.step(DT)
    np.testing.assert_array_equal(body.velocity, (1, 0))


def test_a_handle_outlives_its_world():
    fluid = p2.World().add_fluid(3, 1)
    assert fluid.surface == 3
    with pytest.raises(ValueError, match="another world"):
        p2.World().remove(fluid)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda w: w.add_fluid(), TypeError, "level_or_surface"),
        (lambda w: w.add_fluid(0), TypeError, "density"),
        (lambda w: w.add_fluid(0, np.nan), ValueError, "density: must be finite"),
        (lambda w: w.add_fluid(0, -1), ValueError, "density: must be between 0 and 1e"),
        (lambda w: w.add_fluid(0, 1e16), ValueError, "density"),
        (lambda w: w.add_fluid(0, 1, -1), ValueError, "drag"),
        (lambda w: w.add_fluid(0, 1, 1, 1), TypeError, "positional"),
        (lambda w: w.add_fluid(0, 1, quadratic_drag="x"), TypeError, "quadratic_drag"),
        (lambda w: w.add_fluid(0, 1, flow=3), ValueError, "flow"),
        (lambda w: w.add_fluid(0, 1, flow=(0, np.inf)), ValueError, "flow"),
        (lambda w: w.add_fluid(0, 1, flow=(0, 1e300)), ValueError, "flow"),
        (lambda w: w.add_fluid(0, 1, mask=2**64), ValueError, "mask"),
        (lambda w: w.add_fluid(0, 1, mask=1.5), TypeError, "mask"),
        (lambda w: w.add_fluid(np.nan, 1), ValueError, "level_or_surface"),
        (lambda w: w.add_fluid([(0, 0)], 1), ValueError, "level_or_surface: must have shape"),
        (lambda w: w.add_fluid(np.zeros((2, 3)), 1), ValueError, "level_or_surface"),
        (lambda w: w.add_fluid([(1, 0), (0, 0)], 1), ValueError, r"level_or_surface\[1\]: x must"),
        (lambda w: w.add_fluid([(0, 0), (0, 1)], 1), ValueError, r"level_or_surface\[1\]: x must"),
        (lambda w: w.add_fluid([(0, 0), (1, np.nan)], 1), ValueError, "level_or_surface"),
        (lambda w: w.add_drag(1), TypeError, "positional"),
        (lambda w: w.add_drag(), TypeError, "missing a coefficient: linear, quadratic, clamped or"),
        (lambda w: w.add_drag(mask=1), TypeError, "missing a coefficient"),
        (lambda w: w.add_fluid(level=0, density=1), TypeError, "unexpected .* 'level'"),
        (lambda w: w.add_drag(cubic=1), TypeError, "cubic"),
        (lambda w: w.add_drag(linear=-1), ValueError, "linear"),
        (lambda w: w.add_drag(quadratic=np.inf), ValueError, "quadratic"),
        (lambda w: w.add_drag(clamped=None), TypeError, "clamped"),
        (lambda w: w.add_drag(angular=[1]), TypeError, "angular"),
        (lambda w: setattr(w.fields[0], "surface", [(1, 0), (0, 0)]), ValueError, r"surface\[1\]"),
        (lambda w: setattr(w.fields[0], "surface", "sea"), TypeError, "surface"),
        (lambda w: setattr(w.fields[0], "density", -2), ValueError, "density"),
        (lambda w: setattr(w.fields[0], "flow", (1, 2, 3)), ValueError, "flow"),
        (lambda w: setattr(w.fields[0], "mask", -2.5), TypeError, "mask"),
        (lambda w: delattr(w.fields[0], "density"), TypeError, "density"),
        (lambda w: delattr(w.fields[0], "surface"), TypeError, "surface"),
        (lambda w: delattr(w.fields[0], "mask"), TypeError, "mask"),
        (lambda w: setattr(w.fields[0], "index", 2), AttributeError, "index"),
        (
            lambda w: w.remove(3),
            TypeError,
            "object_or_objects: must be a Body, a Collider, a Joint, a field or several of these",
        ),
        (lambda w: p2.Fluid(), TypeError, "Fluid"),
    ],
)
def test_errors_name_the_argument_and_change_nothing(world, call, error, message):
    world.add_fluid([(0, 0), (1, 2)], 1)
    before = world.hash()
    with pytest.raises(error, match=message):
        call(world)
    assert world.hash() == before
    assert len(world.fields) == 1


def test_an_array_that_removes_the_field_while_it_is_converted(world):
    class Trap:
        def __array__(self, dtype=None, copy=None):
            world.remove(fluid)
            return np.array([(0.0, 0.0), (1.0, 1.0)])

    fluid = world.add_fluid(0, 1)
    with pytest.raises(p2.RemovedError):
        fluid.surface = Trap()
    assert len(world.fields) == 0


# ---------------------------------------------------------------- state


def test_the_hash_sees_every_number(world):
    hashes = {world.hash()}
    fluid, drag = world.add_fluid(0, 1), world.add_drag(linear=0)
    hashes.add(world.hash())
    for field, name, value in [
        (fluid, "density", 2),
        (fluid, "drag", 2),
        (fluid, "quadratic_drag", 1),
        (fluid, "flow", (0, 1)),
        (fluid, "mask", 3),
        (fluid, "surface", 1),
        (fluid, "surface", [(0, 0), (1, 0)]),
        (fluid, "surface", [(0, 0), (1, 1)]),
        (drag, "linear", 1),
        (drag, "quadratic", 1),
        (drag, "clamped", 1),
        (drag, "angular", 1),
        (drag, "mask", 3),
    ]:
        setattr(field, name, value)
        hashes.add(world.hash())
    assert len(hashes) == 15
    world.remove(drag)
    world.remove(fluid)
    assert world.hash() == p2.World(gravity=(0, -G), sleeping=False).hash()


def stormy(**options):
    world = mixed(**options)
    x = np.linspace(-9, 9, 19)
    world.add_fluid(np.column_stack([x, 5 + np.sin(x)]), 1.5, 2, flow=(0.5, 0))
    world.add_drag(linear=0.1, quadratic=0.01, clamped=0.05, angular=0.01)
    world.add_wind((2, 0.5))
    world.add_point_gravity((1, 9), 3, softening=1)
    return world


def test_many_steps_in_one_call_are_the_same_as_one_by_one():
    a, b = stormy(), stormy()
    a.step(DT, n=90)
    for _ in range(90):
        b.step(DT)
    assert a.hash() == b.hash()


def test_the_same_bits_at_every_width_and_with_every_broad_phase():
    def run(**options):
        world = stormy(**options)
        world.step(DT, n=90)
        return world

    check_same_bits(run, others=BROAD_PHASES)


def test_numbers_beyond_reason_do_no_harm(world):
    world.add_fluid([(-1e15, -1e15), (1e15, 1e15)], 1e15, 1e15, quadratic_drag=1e15)
    world.add_drag(linear=1e15, quadratic=1e15, clamped=1e15, angular=1e15)
    world.add_wind((1e15, -1e15), 1e15, drag=1e15, lift=1e15)
    for power in (-8, 2, 8):
        world.add_point_gravity((1e15, 1e15), 1e15, power=power)
        world.add_point_gravity((0, 1), -1e15, power=power, softening=1e15, radius=3)
    bodies = [
        world.add_body(shape, position, velocity=velocity, density=density)
        for shape in (p2.Box(1, 1), p2.Circle(1e6))
        for position in ((0, 0), (1e15, 1e15), (1e12, -1e15))
        for velocity in ((0, 0), (1e9, -1e9))
        for density in (1e-20, 1, 1e-6)
    ]
    world.gravity = (1e200, -1e300)
    for dt in (1e-9, DT, 1):
        world.step(dt)
    assert np.isfinite(world.velocities).all()
    assert len(bodies) == 36


def test_gravity_may_change_under_way(world):
    world.add_fluid(0, 2)
    body = world.add_body(p2.Box(4, 1), (0, 0))
    for gravity in ((0, -2), (0, -30)):
        world.gravity = gravity
        settle(world, 30)
        assert body.position[1] == pytest.approx(0, abs=1e-3)  # depth does not depend on it


OPERATIONS = {
    "add_fluid": lambda w: w.add_fluid(3, 1),
    "add_fluid with waves": lambda w: w.add_fluid([(0, 0), (1, 2), (3, 3)], 1),
    "add_drag": lambda w: w.add_drag(linear=1),
    "add_wind": lambda w: w.add_wind((1, 2)),
    "add_point_gravity": lambda w: w.add_point_gravity((1, 2), 3),
    "set the surface": lambda w: setattr(w.fields[0], "surface", [(0, 5), (1, 6)]),
    "set the density": lambda w: setattr(w.fields[0], "density", 3),
    "remove": lambda w: w.remove(w.fields[0]),
    "step": lambda w: w.step(DT),
    "read the surface": lambda w: w.fields[0].surface,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_allocation_may_fail(name):
    world, reference = stormy(), stormy()
    failures = fail_every_allocation(world, lambda: OPERATIONS[name](world))
    if name in ("add_fluid with waves", "set the surface", "step"):
        assert failures > 0
    OPERATIONS[name](reference)
    for each in (world, reference):
        each.step(DT, n=20)
    assert world.hash() == reference.hash()


def test_a_thousand_times_leaves_nothing():
    def once():
        world = p2.World()
        fluid = world.add_fluid([(0, 0), (1, 2)], 1)
        fluid.surface = [(0, 0), (1, 3), (2, 0)]
        world.add_body(p2.Circle(1))
        world.step(DT)
        assert len(fluid.surface) == 3
        world.remove(fluid)
        world.add_fluid([(0, 0), (1, 2)], 1)
        with pytest.raises(ValueError):
            world.add_fluid([(0, 0), (0, 0)], 1)

    for _ in range(3):
        once()
    gc.collect()
    before = p2._core._live()
    for _ in range(1000):
        once()
    gc.collect()
    assert p2._core._live() == before


def test_place_of_the_surface_is_that_of_the_world():
    """A wave that passes: the float follows it, and lies along its slope."""
    world = p2.World(gravity=(0, -G), sleeping=False)
    fluid = world.add_fluid(0, 2, 5)
    body = world.add_body(p2.Box(1, 0.2))
    x = np.linspace(-20, 20, 161)
    for step in range(1200):
        fluid.surface = np.column_stack([x, 0.3 * np.sin(0.4 * x - 0.6 * step * DT)])
        body.position = (0, body.position[1])
        world.step(DT)
        if step > 300:
            assert abs(body.position[1] - 0.3 * np.sin(-0.6 * step * DT)) < 0.05


def test_the_examples_of_the_docs_run(repository):
    text = (repository / "docs" / "fields.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), "fields.md", "exec"), {})
