"""Bodies without contact: semi-implicit Euler, spin, damping, limits, forces and impulses."""

import numpy as np
import pytest
from reference import semi_implicit_euler

import pyphys2d as p2

SHAPES = {
    "circle": p2.Circle(0.5),
    "box": p2.Box(1, 2),
    "rounded": p2.Box(1, 1, radius=0.2),
    "none": None,
}


@pytest.mark.fast_cases(8)
@pytest.mark.parametrize("substeps", [1, 4, 8, 13])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_projectile_follows_semi_implicit_euler(shape, substeps):
    world = p2.World(gravity=(0.3, -9.81), substeps=substeps)
    options = {"mass": 2.0} if shape == "none" else {}
    body = world.add_body(SHAPES[shape], (1, 2), velocity=(30, 40), angular_velocity=2, **options)
    for done in range(100, 1001, 100):
        world.step(1 / 60, n=100)
        x, v = semi_implicit_euler((1, 2), (30, 40), (0.3, -9.81), 1 / 60, substeps, done)
        np.testing.assert_allclose(body.position, x, rtol=1e-12)
        np.testing.assert_allclose(body.velocity, v, rtol=1e-12)
        assert body.angle == pytest.approx(2 * done / 60, rel=1e-12)
        assert body.angular_velocity == 2
    assert world.step_count == 1000
    assert world.time == pytest.approx(1000 / 60, rel=1e-12)


@pytest.mark.parametrize("x", [1e7, -3.3e6, 1e7 + 0.123])
def test_a_slow_body_far_from_the_origin_is_rounded_once_a_step(x):
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Circle(0.5), (x, 0), velocity=(1e-3, 0))
    world.step(1 / 60, n=600)
    assert abs(body.position[0] - x - 0.01) < 600 * np.spacing(abs(x)) / 2


def test_sequential_impulses_takes_one_step_of_dt():
    world = p2.World(solver="sequential_impulses")
    body = world.add_body(p2.Circle(0.5), (0, 0), velocity=(1, 1))
    world.step(0.02, n=50)
    x, v = semi_implicit_euler((0, 0), (1, 1), (0, -9.81), 0.02, 1, 50)
    np.testing.assert_allclose(body.position, x, rtol=1e-12)
    np.testing.assert_allclose(body.velocity, v, rtol=1e-12)


def test_n_steps_in_one_call_are_n_calls():
    worlds = [p2.World(), p2.World()]
    for world in worlds:
        world.add_body(p2.Box(1, 1), velocity=(1, 2), angular_velocity=3)
    worlds[0].step(1 / 60, n=20)
    for _ in range(20):
        worlds[1].step(1 / 60)
    assert worlds[0].hash() == worlds[1].hash()
    np.testing.assert_array_equal(worlds[0].positions, worlds[1].positions)


def test_n_zero_does_nothing():
    world = p2.World()
    world.add_body(p2.Box(1, 1))
    before = world.hash()
    world.step(n=0)
    assert world.hash() == before
    assert world.step_count == 0


def test_free_spin_keeps_angular_momentum():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(3, 0.5, center=(1, 0.3)), velocity=(2, 1), angular_velocity=5)
    before, momentum = world.angular_momentum(), world.momentum()
    center = np.array(body.to_world(body.center_of_mass))
    world.step(n=1000)
    assert world.angular_momentum() == pytest.approx(before, rel=1e-9)
    np.testing.assert_allclose(world.momentum(), momentum, rtol=1e-12)
    assert body.angular_velocity == 5
    after = np.array(body.to_world(body.center_of_mass))
    np.testing.assert_allclose(after - center, np.array([2, 1]) * 1000 / 60, rtol=1e-9)
    x, y = after
    by_hand = body.inertia * 5 + body.mass * (x * 1 - y * 2)
    assert world.angular_momentum() == pytest.approx(by_hand, rel=1e-9)


def test_the_centre_of_mass_of_an_eccentric_body_flies_straight():
    """`positions` are of the origin, `velocities` of the centre of mass."""
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Circle(0.5, (2, 0)), (0, 0), angular_velocity=1)
    np.testing.assert_allclose(body.center_of_mass, (2, 0))
    world.step(n=60)
    assert body.angle == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(body.to_world((2, 0)), (2, 0), atol=1e-9)
    np.testing.assert_allclose(body.position, (2 - 2 * np.cos(1), -2 * np.sin(1)), atol=1e-9)
    np.testing.assert_allclose(body.velocity, (0, 0), atol=1e-12)


@pytest.mark.parametrize("scale", [0, 0.5, -2])
def test_gravity_scale(scale):
    world = p2.World(gravity=(0, -10), substeps=4)
    body = world.add_body(p2.Circle(1), gravity_scale=scale)
    world.step(n=30)
    x, v = semi_implicit_euler((0, 0), (0, 0), (0, -10 * scale), 1 / 60, 4, 30)
    np.testing.assert_allclose(body.position, x, rtol=1e-12)
    np.testing.assert_allclose(body.velocity, v, rtol=1e-12)


def test_damping_divides_by_one_plus_h_d_in_every_substep():
    world = p2.World(gravity=(0, -10), substeps=8)
    body = world.add_body(
        p2.Circle(1), velocity=(3, 0), angular_velocity=4, linear_damping=0.7, angular_damping=1.3
    )
    world.step(1 / 50, n=40)
    x, v = semi_implicit_euler((0, 0), (3, 0), (0, -10), 1 / 50, 8, 40, damping=0.7)
    np.testing.assert_allclose(body.velocity, v, rtol=1e-12)
    np.testing.assert_allclose(body.position, x, rtol=1e-12)
    assert body.angular_velocity == pytest.approx(4 / (1 + 1.3 / 400) ** 320, rel=1e-12)


def test_max_speed_limits_the_length_of_the_velocity():
    world = p2.World(gravity=(0, -10), max_speed=20)
    body = world.add_body(p2.Circle(1), velocity=(300, 400))
    world.step()
    assert np.hypot(*body.velocity) <= 20 * (1 + 1e-9)
    world.step(n=600)
    assert np.hypot(*body.velocity) <= 20 * (1 + 1e-9)
    assert np.hypot(*body.velocity) > 19


def test_fixed_rotation_never_turns():
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(20, 2), (0, -1), kind="static", angle=0.3)
    body = world.add_body(p2.Box(1, 1), (0, 3), fixed_rotation=True)
    body.apply_torque(100)
    body.apply_angular_impulse(5)
    world.step(n=120)
    assert body.angle == 0
    assert body.angular_velocity == 0
    body.fixed_rotation = False
    body.apply_angular_impulse(5)
    world.step()
    assert body.angular_velocity != 0


# ---------------------------------------------------------------- forces and impulses


def test_a_force_acts_in_the_first_step_of_a_call_and_is_cleared():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(1, 1), mass=2)
    body.apply_force((6, 0))
    np.testing.assert_array_equal(world.forces[body.index], (6, 0))
    world.step(0.1, n=5)
    np.testing.assert_allclose(body.velocity, (0.3, 0), rtol=1e-12)
    np.testing.assert_array_equal(world.forces[body.index], (0, 0))
    np.testing.assert_array_equal(world.torques[body.index], 0)


def test_force_at_a_point_gives_torque():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(2, 1), (3, 4), mass=2)
    body.apply_force((0, 6), point=(3.5, 4))
    assert world.torques[body.index] == pytest.approx(3, rel=1e-14)
    world.step(0.1)
    np.testing.assert_allclose(body.velocity, (0, 0.3), rtol=1e-12)
    assert body.angular_velocity == pytest.approx(0.3 / body.inertia, rel=1e-12)


def test_impulses_change_velocity_at_once():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(2, 1), (3, 4), mass=2)
    body.apply_impulse((4, 0), point=(3, 4.25))
    np.testing.assert_allclose(body.velocity, (2, 0), rtol=1e-14)
    assert body.angular_velocity == pytest.approx(-0.25 * 4 / body.inertia, rel=1e-14)
    body.apply_angular_impulse(body.inertia)
    assert body.angular_velocity == pytest.approx(1 - 1 / body.inertia, rel=1e-12)


def test_torque():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Circle(1))
    body.apply_torque(3)
    body.apply_torque(1)
    world.step(0.1)
    assert body.angular_velocity == pytest.approx(0.4 / body.inertia, rel=1e-12)


def test_energy_and_momentum_by_their_definitions():
    world = p2.World(gravity=(1, -10))
    rng = np.random.default_rng(0)
    for _ in range(20):
        world.add_body(
            p2.Box(*rng.uniform(0.5, 2, 2), center=rng.uniform(-1, 1, 2)),
            rng.uniform(-50, 50, 2),
            rng.uniform(-3, 3),
            velocity=rng.normal(size=2),
            angular_velocity=rng.normal(),
            density=rng.uniform(0.5, 3),
        )
    world.add_body(p2.Box(1, 1), kind="kinematic", velocity=(5, 5))
    m, inertia = world.masses, world.inertias
    v, w = world.velocities, world.angular_velocities
    kinetic = 0.5 * np.sum(m * (v**2).sum(axis=1)) + 0.5 * np.sum(inertia * w**2)
    assert world.kinetic_energy() == pytest.approx(kinetic, rel=1e-12)
    np.testing.assert_allclose(world.momentum(), (m[:, None] * v).sum(axis=0), rtol=1e-12)
    centers = np.array([b.to_world(b.center_of_mass) for b in world.bodies])
    assert world.potential_energy() == pytest.approx(-np.sum(m * (centers @ (1, -10))), rel=1e-12)
    for about in [(0, 0), (3, -2)]:
        r = centers - about
        spin = np.sum(inertia * w + m * (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]))
        assert world.angular_momentum(about=about) == pytest.approx(spin, rel=1e-12)


def test_kinetic_energy_of_a_fall_is_the_potential_energy_lost():
    world = p2.World(gravity=(0, -10), substeps=1)
    world.add_body(p2.Circle(1), (0, 100))
    before = world.kinetic_energy() + world.potential_energy()
    world.step(1e-4, n=1000)
    assert world.kinetic_energy() + world.potential_energy() == pytest.approx(before, rel=1e-5)


# ---------------------------------------------------------------- kinematic bodies


def test_a_kinematic_body_moves_as_told():
    world = p2.World(gravity=(0, -10))
    body = world.add_body(p2.Box(2, 1), kind="kinematic", velocity=(1, 2), angular_velocity=0.5)
    world.step(1 / 60, n=60)
    np.testing.assert_allclose(body.position, (1, 2), rtol=1e-12)
    assert body.angle == pytest.approx(0.5, rel=1e-12)
    assert body.mass == 0
    assert body.inertia == 0


def test_move_to_lands_on_the_pose():
    world = p2.World()
    body = world.add_body(p2.Box(2, 1, center=(0.5, 0.2)), (1, 1), 0.2, kind="kinematic")
    for pose in [((3, 2), 0.7), ((-1, 0), -1.5), ((0, 0), 0.0)]:
        body.move_to(*pose, 1 / 60)
        world.step(1 / 60)
        np.testing.assert_allclose(body.position, pose[0], atol=1e-9)
        assert body.angle == pytest.approx(pose[1], abs=1e-9)


def test_static_bodies_do_not_move():
    world = p2.World(gravity=(0, -10))
    body = world.add_body(p2.Box(1, 1), (0, 1), kind="static")
    body.apply_impulse((5, 5))
    body.apply_force((5, 5))
    world.step(n=10)
    np.testing.assert_array_equal(body.position, (0, 1))
    assert world.masses[body.index] == 0
