"""Jerks and strong motors: what pulls hard and at once gains no energy and breaks no bound."""

import numpy as np
import pytest

import pyphys2d as p2

DT = 1 / 60


def gains(world, steps):
    """The largest energy of any step less that of the start, J."""
    start = world.kinetic_energy() + world.potential_energy()
    most = -np.inf
    for _ in range(steps):
        world.step(DT)
        most = max(most, world.kinetic_energy() + world.potential_energy() - start)
    return most


def string(points, load, height, *, length=3.0, mass=0.1):
    """Points on ropes, slack, and a load at the end that falls until they are taut."""
    world = p2.World(sleeping=False)
    last, part = None, length / (points + 1)
    for i in range(1, points + 2):
        share = i / (points + 1)
        body = world.add_body(
            p2.Circle(0.05),
            (0.5 * length * share, height * share),
            mass=mass if i <= points else load,
            mask=0,
        )
        anchor = None if last else (0, 0)
        world.add_distance_joint(last, body, anchor_a=anchor, upper=part)
        last = body
    return world


@pytest.mark.parametrize(("points", "load"), [(2, 30), (2, 100), (5, 10), (10, 10)])
def test_a_load_that_jerks_light_ropes_gains_no_energy(points, load):
    rng = np.random.default_rng(points)
    for height in rng.uniform(1, 2.8, 6):
        world = string(points, load, height)
        assert gains(world, 180) <= 0.01 * load * 9.81 * (3 + height)


@pytest.mark.parametrize("links", [5, 10])
@pytest.mark.parametrize("start", [0.3, 1.0])
def test_a_load_thrown_on_light_rods_gains_no_energy(links, start):
    world, last, part = p2.World(sleeping=False), None, 0.25
    way = np.array([np.cos(start), np.sin(start)])
    for i in range(1, links + 2):
        mass = 0.1 if i <= links else 100
        body = world.add_body(p2.Circle(0.05), part * i * way, mass=mass, mask=0)
        world.add_distance_joint(last, body, anchor_a=None if last else (0, 0))
        last = body
    assert gains(world, 600) <= 0.01 * 100 * 9.81 * part * (links + 1)
    lengths = [joint.length for joint in world.joints]
    np.testing.assert_allclose(lengths, part, atol=0.01)


@pytest.mark.parametrize("ropes", [15, 20])
def test_a_ring_of_ropes_with_a_load_gains_no_energy(ropes):
    world = p2.World(sleeping=False)
    turns = 2 * np.pi * np.arange(ropes) / ropes
    ring = [
        world.add_body(p2.Circle(0.05), (np.cos(t), np.sin(t)), mass=0.1, mask=0) for t in turns
    ]
    side = 2.02 * np.sin(np.pi / ropes)
    for a, b in zip(ring, np.roll(ring, 1), strict=True):
        world.add_distance_joint(a, b, upper=side)
    world.add_distance_joint(None, ring[ropes // 4], anchor_a=(0, 1.5), upper=0.5)
    load = world.add_body(p2.Circle(0.05), (0, -1.5), mass=50, mask=0)
    world.add_distance_joint(ring[3 * ropes // 4], load, upper=0.5)
    assert gains(world, 400) <= 1  # of 550 J that the load falls by


def test_a_net_of_taut_ropes_stays_where_it_hangs():
    world, part, points = p2.World(sleeping=False), 0.3, {}
    for x in range(8):
        for y in range(8):
            body = world.add_body(p2.Circle(0.05), (part * x, -part * y), mass=0.1, mask=0)
            points[x, y] = body
            above = points[x, y - 1] if y else None
            anchor = None if y else (part * x, part)
            world.add_distance_joint(above, body, anchor_a=anchor, upper=part)
            if x:
                world.add_distance_joint(points[x - 1, y], body, upper=part)
    load = world.add_body(p2.Circle(0.3), (4 * part, -8 * part), mass=5, mask=0)
    world.add_distance_joint(points[4, 7], load, upper=part)
    assert gains(world, 600) <= 0.01 * 5 * 9.81
    assert world.kinetic_energy() < 0.1
    assert max(joint.length for joint in world.joints) < 1.1 * part


@pytest.mark.parametrize("length", [0.5, 2.0])
def test_a_rod_that_is_shortened_step_by_step_reels_in(length):
    """At 2 m/s; only what is left of the last steps is missing."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    body = world.add_body(p2.Circle(0.05), (3, 0), mass=5)
    joint = world.add_distance_joint(None, body, anchor_a=(0, 0), upper=3)
    joint.upper = joint.length
    while joint.upper > length:
        joint.upper = max(length, joint.upper - 2 * DT)
        world.step(DT)
    assert body.position[0] == pytest.approx(length, abs=0.05)


def driven(world, kind, force):
    """How far a body of 0.1 kg is that a motor drives at 1 a second, between limits of 0.5."""
    body = world.add_body(p2.Box(0.1, 0.02), (0.05, 0), mass=0.1, mask=0)
    limits = {"lower": -0.5, "upper": 0.5, "motor_speed": 1}
    if kind == "revolute":
        joint = world.add_revolute_joint(
            None, body, anchor=(0, 0), max_motor_torque=force, **limits
        )
        return lambda: joint.angle
    joint = world.add_prismatic_joint(
        None, body, anchor=(0.05, 0), axis=(1, 0), max_motor_force=force, **limits
    )
    return lambda: joint.translation


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("force", [50, 100, 1e4, 1e6])
@pytest.mark.parametrize("others", [0, 1])
def test_a_strong_motor_drives_at_its_speed_to_the_limit_ahead(kind, force, others):
    """Its impulse of one substep would throw the body past either limit."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    place = driven(world, kind, force)
    for _ in range(7 * others):  # beside others it goes through lanes
        driven(world, kind, force)
    world.step(DT)
    assert place() == pytest.approx(DT, rel=1e-4)
    world.step(DT, n=60)
    assert place() == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("torque", [1e4, 1e5, 2e5, 1e6])
def test_a_motor_keeps_its_bound_against_the_limit_of_another_joint(torque):
    world = p2.World(gravity=(0, 0), sleeping=False)
    arm = world.add_body(p2.Box(1, 0.1), (0.5, 0), mass=1)
    motor = world.add_revolute_joint(
        None, arm, anchor=(0, 0), motor_speed=2, max_motor_torque=torque
    )
    stop = world.add_revolute_joint(None, arm, anchor=(0, 0), lower=-1, upper=1)
    world.step(DT, n=120)
    assert motor.angle == pytest.approx(1, abs=np.radians(0.5))
    assert motor.torque == pytest.approx(torque, rel=1e-6)
    assert stop.torque == pytest.approx(-torque, rel=1e-6)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("kind", ["revolute", "rotary", "prismatic"])
def test_a_motor_that_has_braked_pushes_on_to_a_limit_near_by(kind, sign, loop):
    """It brakes what is faster than its speed. What then is slower, and within a substep of the
    limit, is driven none the less. A rope that never tightens takes the joint out of the lanes.
    """
    world = p2.World(gravity=(0, 0), sleeping=False, substeps=1)
    body = world.add_body(p2.Circle(1), mass=1)
    options = {"lower": -1, "upper": 1, "motor_speed": 5 * sign}
    slides = kind == "prismatic"
    if slides:
        options |= {"axis": (1, 0), "max_motor_force": 0.1}
    else:
        options |= {"max_motor_torque": 0.1}
    joint = getattr(world, f"add_{kind}_joint")(None, body, **options)
    if loop:
        world.add_distance_joint(None, body, anchor_a=(0, 0), anchor_b=(0, 0), upper=100)

    def start(place, speed, push):
        if slides:
            body.position, body.velocity = (sign * place, 0), (sign * speed, 0)
            body.apply_force((sign * push, 0))
        else:
            body.angle, body.angular_velocity = sign * place, sign * speed
            body.apply_torque(sign * push)
        world.step(1 / 480)
        return sign * (joint.force[0] if slides else joint.torque)

    assert start(0, 10, 0) == pytest.approx(-0.1, rel=1e-5)
    assert start(1 - 5e-4, 0, -0.5) == pytest.approx(0.1, rel=1e-5)


def test_a_motor_joint_gives_no_angular_momentum():
    """Of two free bodies, with a force that acts beside both centres of mass."""
    world = p2.World(gravity=(0, 0), sleeping=False)
    a, b = world.add_body(p2.Box(1, 1)), world.add_body(p2.Box(1, 1), (2, 0))
    world.add_motor_joint(a, b, offset=(2, 3))
    world.step(DT, n=300)
    assert world.angular_momentum() == pytest.approx(0, abs=1e-4)
    c, s = np.cos(a.angle), np.sin(a.angle)
    reach = np.array([[c, s], [-s, c]]) @ (b.position - a.position)
    np.testing.assert_allclose(reach, (2, 3), atol=1e-3)

    world = p2.World(gravity=(0, 0), sleeping=False)
    a, b = world.add_body(p2.Box(1, 1)), world.add_body(p2.Box(1, 1), (2, 0))
    world.add_motor_joint(a, b, linear_velocity=(0, 1), max_force=1, max_torque=0)
    world.step(DT, n=300)
    assert world.angular_momentum() == pytest.approx(0, abs=1e-4)
    np.testing.assert_allclose(a.velocity + b.velocity, 0, atol=1e-5)
