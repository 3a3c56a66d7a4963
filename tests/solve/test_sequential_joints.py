"""Points and lengths of the readable solver, against theory and against the engine's own."""

from itertools import pairwise

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 240
G = 10.0


def readable(**options):
    options = {"sleeping": False, **options}
    return p2.World(gravity=(0, -G), solver="sequential_impulses", **options)


def crossings(angles):
    """Times at which they come up through 0, between the steps."""
    k = np.flatnonzero((angles[:-1] < 0) & (angles[1:] >= 0))
    return DT * (k + angles[k] / (angles[k] - angles[k + 1]))


@pytest.mark.parametrize("amplitude", [0.1, 1.0])
def test_a_compound_pendulum_keeps_its_period(amplitude):
    """T = 2 pi sqrt(I / (m g l)) / agm(1, cos(amplitude / 2)), with I about the pin."""
    world = readable()
    rod = world.add_body(p2.Box(2, 0.1), (np.sin(amplitude), -np.cos(amplitude)))
    rod.angle = amplitude - np.pi / 2
    pin = world.add_revolute_joint(None, rod, anchor=(0, 0))
    angles = []
    for _ in range(2400):
        world.step(DT)
        angles.append(rod.angle + np.pi / 2)
    inertia = rod.inertia + rod.mass
    a, g = 1.0, np.cos(amplitude / 2)
    for _ in range(6):
        a, g = (a + g) / 2, np.sqrt(a * g)
    period = 2 * np.pi * np.sqrt(inertia / (rod.mass * G)) / a
    assert np.diff(crossings(np.array(angles))).mean() == pytest.approx(period, rel=2e-3)
    assert np.hypot(*(pin.anchor_b - pin.anchor_a)) < 1e-3


def test_a_pendulum_on_a_rod_keeps_its_energy_and_its_length():
    world = readable()
    bob = world.add_body(p2.Circle(0.1), (2, 0))
    rod = world.add_distance_joint(None, bob, anchor_a=(0, 0))
    for _ in range(960):
        world.step(DT)
        energy = 0.5 * bob.mass * (bob.velocity @ bob.velocity) + bob.mass * G * bob.position[1]
        assert abs(energy) < 0.02 * bob.mass * G * 2
        assert rod.length == pytest.approx(2, abs=2e-3)


def test_a_swing_pulls_with_weight_and_centripetal_force():
    """From the horizontal, at the bottom: m g + m v^2 / L = 3 m g."""
    world = readable()
    bob = world.add_body(p2.Circle(0.1), (2, 0), mass=3)
    pin = world.add_revolute_joint(None, bob, anchor=(0, 0))
    pulls = []
    for _ in range(480):
        world.step(DT)
        pulls.append(np.hypot(*pin.force))
    # the circle turns with its arm, as the pin holds it: m L^2 + I
    share = 1 + 2 * 4 * 3 / (3 * 4 + bob.inertia)
    assert max(pulls) == pytest.approx(share * 3 * G, rel=0.02)


def test_a_rope_is_slack_until_it_is_taut():
    world = readable()
    bob = world.add_body(p2.Circle(0.1), (0, -0.5), mass=2)
    rope = world.add_distance_joint(None, bob, anchor_a=(0, 0), upper=1)
    world.step(DT, n=60)
    assert bob.velocity[1] == pytest.approx(-G / 4)
    assert np.allclose(rope.force, 0)
    world.step(DT, n=960)
    assert rope.length == pytest.approx(1, abs=1e-3)
    assert np.allclose(rope.force, (0, 2 * G), rtol=1e-3, atol=1e-3)


def test_a_lower_limit_pushes_only():
    world = readable()
    ball = world.add_body(p2.Circle(0.1), (0, 1.2), mass=2)
    strut = world.add_distance_joint(None, ball, anchor_a=(0, 0), lower=1)
    world.step(DT, n=720)
    assert strut.length == pytest.approx(1, abs=1e-3)
    assert np.allclose(strut.force, (0, 2 * G), rtol=1e-3, atol=1e-3)
    ball.velocity = (0, 3)
    world.step(DT, n=20)
    assert ball.velocity[1] == pytest.approx(3 - G * 20 * DT)


def bridge(world, planks=6, mass=2.0):
    """Planks of 1 m, side by side, hung between two pins."""
    bodies = [
        world.add_body(p2.Box(1, 0.1), (k + 0.5, 0), mass=mass, group=-1) for k in range(planks)
    ]
    pins = [world.add_revolute_joint(None, bodies[0], anchor=(0, 0))]
    pins += [
        world.add_revolute_joint(bodies[k - 1], bodies[k], anchor=(k, 0)) for k in range(1, planks)
    ]
    pins.append(world.add_revolute_joint(None, bodies[-1], anchor=(planks, 0)))
    return bodies, pins


def test_a_bridge_at_rest_has_the_forces_of_statics():
    """Six planks hang between pins 5 m apart: half of the weight on either end, each plank's own
    less from pin to pin, the same pull along everywhere, and no torque about any plank's middle.
    """
    world = readable(iterations=60)
    cos = 5 / 6  # they start as a V
    sin = np.sqrt(1 - cos**2)
    ends = np.array([(k * cos, -min(k, 6 - k) * sin) for k in range(7)])
    bodies = []
    for left, right in pairwise(ends):
        body = world.add_body(p2.Box(1, 0.1), (left + right) / 2, mass=2, group=-1)
        body.angle = np.arctan2(*(right - left)[::-1])
        body.linear_damping = body.angular_damping = 2.0
        bodies.append(body)
    sides = zip([None, *bodies], [*bodies, bodies[-1]], ends, strict=True)
    pins = [world.add_revolute_joint(a if a is not b else None, b, anchor=at) for a, b, at in sides]
    world.step(DT, n=4000)
    for body in bodies:  # which takes its part of what gravity gives in a step
        body.linear_damping = body.angular_damping = 0
    world.step(DT, n=400)
    assert np.abs(world.velocities).max() < 1e-3
    forces = np.array([pin.force for pin in pins])  # on what is to the right of the pin
    forces[-1] *= -1  # but for the last one, which holds the last plank
    weight = 2 * G
    assert np.allclose(forces[:, 1], weight * (3 - np.arange(7)), atol=0.01)
    assert np.allclose(forces[:, 0], forces[0, 0], rtol=1e-3)
    for body, (left, right) in zip(bodies, pairwise(forces), strict=True):
        x, y = 0.5 * np.cos(body.angle), 0.5 * np.sin(body.angle)
        both = left + right  # the left end bears left, the right end -right
        assert y * both[0] - x * both[1] == pytest.approx(0, abs=0.01)


def test_the_engine_agrees():
    """The same chain and rope for two seconds, by both solvers in small steps."""

    def end(world):
        links = [world.add_body(p2.Box(0.9, 0.1), (k + 0.5, 0), group=-1) for k in range(3)]
        world.add_revolute_joint(None, links[0], anchor=(0, 0))
        world.add_revolute_joint(links[0], links[1], anchor=(1, 0))
        world.add_distance_joint(links[1], links[2], anchor_a=(2, 0), anchor_b=(2.1, 0))
        world.step(1 / 2000, n=2000)
        return world.positions.copy()

    ours = end(readable(iterations=40))
    theirs = end(p2.World(gravity=(0, -G), sleeping=False))
    assert np.abs(ours - theirs).max() < 0.02


def test_a_bead_slides_down_a_wire_and_presses_on_it():
    """g sin along, m g cos across, and it turns freely."""
    world, slope = readable(), np.radians(30)
    along, across = (
        np.array([np.cos(slope), -np.sin(slope)]),
        np.array([np.sin(slope), np.cos(slope)]),
    )
    bead = world.add_body(p2.Box(0.4, 0.2), (0, 0), mass=2, angular_velocity=3)
    wire = world.add_wheel_joint(None, bead, axis=along)
    world.step(DT, n=round(1 / DT))
    assert bead.velocity == pytest.approx(G * np.sin(slope) * along, abs=1e-5)
    assert bead.position @ across == pytest.approx(0, abs=1e-6)
    assert wire.force == pytest.approx(2 * G * np.cos(slope) * across, rel=1e-4)
    assert bead.angular_velocity == pytest.approx(3, rel=1e-6)


def test_a_bead_on_a_bar_that_turns_keeps_the_angular_momentum():
    world = p2.World(gravity=(0, 0), solver="sequential_impulses", sleeping=False, iterations=40)
    bar = world.add_body(p2.Box(4, 0.1), (0, 0), mass=2, angular_velocity=1, mask=0)
    bead = world.add_body(p2.Circle(0.1), (0.5, 0), mass=0.2, velocity=(0, 0.5), mask=0)
    world.add_wheel_joint(bar, bead, axis=(1, 0))
    momentum, spin = world.momentum(), world.angular_momentum()
    world.step(1 / 600, n=1000)
    assert bead.position @ bead.position > 1  # it has gone outwards
    assert np.abs(bar.to_local(bead.position)[1]) < 1e-3
    assert np.allclose(world.momentum(), momentum, atol=1e-5)
    assert world.angular_momentum() == pytest.approx(spin, rel=2e-3)


def test_momentum_of_what_is_free_stays():
    world = p2.World(gravity=(0, 0), solver="sequential_impulses", sleeping=False)
    a = world.add_body(p2.Box(1, 0.2), (0, 0), velocity=(1, 2), density=3)
    b = world.add_body(p2.Circle(0.4), (1.5, 0), angular_velocity=5)
    c = world.add_body(p2.Circle(0.2), (1.5, 2))
    world.add_revolute_joint(a, b, anchor=(0.7, 0.1))
    world.add_distance_joint(b, c)
    before, spin = world.momentum(), world.angular_momentum()
    world.step(DT, n=480)
    assert np.allclose(world.momentum(), before, rtol=1e-6)
    assert world.angular_momentum() == pytest.approx(spin, rel=2e-2)


def test_loads_start_the_next_step():
    """A hanging chain needs fewer iterations where each step begins with the last one's loads."""

    def stretch(warm):
        world = readable(iterations=5, warm_starting=warm)
        _, pins = bridge(world)
        world.step(DT, n=480)
        return max(np.hypot(*(pin.anchor_b - pin.anchor_a)) for pin in pins)

    assert stretch(True) < 0.2 * stretch(False)


def test_the_bad_way_puts_anchors_together():
    world = readable(response="translate")
    bob = world.add_body(p2.Circle(0.1), (1, 0))
    rod = world.add_distance_joint(None, bob, anchor_a=(0, 0))
    world.step(DT, n=100)
    assert rod.length < 1.1


def test_joints_of_it_collide_and_break():
    world = readable()
    bob = world.add_body(p2.Circle(0.1), (0, -1), mass=2)
    world.add_revolute_joint(None, bob, anchor=(0, 0), break_force=19)
    world.step(DT, n=3)
    assert len(world.events.joint_break) == 1
    assert not len(world.joints)


@pytest.mark.parametrize(
    ("kind", "options", "name"),
    [
        ("revolute", {"spring_hertz": 1}, "spring_hertz"),
        ("revolute", {"max_motor_torque": 1}, "max_motor_torque"),
        ("revolute", {"lower": -1}, "lower"),
        ("revolute", {"upper": 1}, "upper"),
        ("distance", {"spring_hertz": 2}, "spring_hertz"),
        ("distance", {"max_motor_force": 3}, "max_motor_force"),
        ("wheel", {"spring_hertz": 2}, "spring_hertz"),
        ("wheel", {"lower": -1}, "lower"),
        ("wheel", {"max_motor_torque": 3}, "max_motor_torque"),
        ("wheel", {"max_force": 3}, "max_force"),
        ("weld", {}, "weld"),
        ("motor", {}, "motor"),
    ],
)
def test_what_it_has_not_is_refused(kind, options, name):
    world = readable()
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    with pytest.raises(ValueError, match=f"{name}.*soft_step"):
        getattr(world, f"add_{kind}_joint")(a, b, **options)
    assert not len(world.joints)


def test_what_it_has_not_is_refused_later_too():
    world = readable()
    a, b = world.add_body(p2.Circle(1)), world.add_body(p2.Circle(1), (3, 0))
    pin = world.add_revolute_joint(a, b)
    with pytest.raises(ValueError, match=r"spring_hertz.*soft_step"):
        pin.spring_hertz = 2
    assert pin.spring_hertz == 0


def test_a_step_is_the_same_twice():
    def run():
        world = readable(iterations=8)
        bridge(world)
        world.step(DT, n=100)
        return world.hash()

    assert run() == run()
