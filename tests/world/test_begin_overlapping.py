"""Bodies that are put into each other: they come apart, and leave each other slowly."""

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d.scenes.links import add_ragdoll

SHAPES = {
    "box": p2.Box(1, 1),
    "circle": p2.Circle(0.5),
    "capsule": p2.Capsule((-0.5, 0), (0.5, 0), 0.2),
    "angle": [p2.Box(1, 0.2, center=(0, -0.4)), p2.Box(0.2, 1, center=(-0.4, 0))],
}
# Overlaps are deep from here on (`pushed` in csrc/base/length_list.h).
DEEP = 0.02
# Shallow ones are pushed apart at a rate of about 18/s, and the first to leave gets some of these
# speeds, each of which is at most 18/s x 0.02 m.
SLOW = 3 * 18 * DEEP


def crowd(world, kind, count, seed, center=(0, 0)):
    """Bodies within a square of 1 m."""
    rng = np.random.default_rng(seed)
    return [
        world.add_body(
            SHAPES[kind], tuple(center + rng.uniform(-0.5, 0.5, 2)), angle=rng.uniform(0, 6.3)
        )
        for _ in range(count)
    ]


def deepest(world):
    return -min([0, *world.contacts["separation"]])


@pytest.mark.parametrize("count", [2, 10, 40])
@pytest.mark.parametrize("kind", SHAPES)
def test_a_crowd_comes_apart_slowly(kind, count):
    """Of 40 bodies, the first used to leave at 9 to 58 m/s. Nothing gives them any momentum. Where
    bodies that move are displaced, their angular momentum changes a little: of angles, the longest
    in coming apart, by up to 0.4 % in twelve crowds.
    """
    world = p2.World(gravity=(0, 0))
    bodies = crowd(world, kind, count, 1)
    fastest = 0
    for _ in range(240):
        world.step()
        fastest = max(fastest, *np.hypot(*world.velocities.T))
        momentum = sum(body.mass * np.array(body.velocity) for body in bodies)
        assert np.all(np.abs(momentum) < 1e-5 * count)
    assert deepest(world) < DEEP
    assert fastest < SLOW
    scale = sum(body.mass * np.hypot(*body.position) * SLOW for body in bodies)
    assert abs(world.angular_momentum()) < (5e-3 if kind == "angle" else 1e-3) * scale


@pytest.mark.parametrize("kind", SHAPES)
def test_a_crowd_on_a_floor_stays_there(kind):
    """Forty angles used to leave the floor at 130 m/s."""
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -1.5), kind="static")
    for x in (-10, 10):
        world.add_body(p2.Box(1, 20), (x, 8), kind="static")
    bodies = crowd(world, kind, 40, 2)
    fastest = 0
    for _ in range(480):
        world.step()
        fastest = max(fastest, *np.hypot(*world.velocities.T))
    highest = max(body.position[1] for body in bodies)
    assert deepest(world) < DEEP
    assert fastest < 12
    assert highest < 6


def test_a_crowd_does_not_change_what_is_elsewhere():
    """Bits: it may share a batch of the solver with a stack, a pendulum and a small collision."""

    def run(with_crowd):
        world = p2.World()
        ground = world.add_body(p2.Box(100, 1), (0, -0.5), kind="static")
        bodies = [world.add_body(p2.Box(1, 1), (0, 0.48 + 0.97 * k)) for k in range(4)]
        bodies += [world.add_body(p2.Box(0.3, 1), (10, 5)), world.add_body(p2.Circle(0.4), (20, 3))]
        world.add_revolute_joint(ground, bodies[4], anchor=(10, 5.5))
        bodies += [world.add_body(p2.Circle(0.4), (20.1, 2.5))]
        if with_crowd:
            crowd(world, "angle", 12, 3, (-20, 2))
        seen = []
        for _ in range(90):
            world.step()
            seen.append([[*body.position, body.angle, *body.velocity] for body in bodies])
        return np.array(seen)

    np.testing.assert_array_equal(run(True), run(False))


def test_what_joints_hold_is_pushed_as_one():
    """Displacements do not open a joint: two rods of a pair lie in a box."""
    world = p2.World(gravity=(0, 0))
    rods = [world.add_body(p2.Box(0.1, 1), (0.2 * k, 0)) for k in range(2)]
    joint = world.add_weld_joint(*rods, anchor=(0.1, 0))
    world.add_body(p2.Box(1, 1), (0.3, 0.2))
    for _ in range(120):
        world.step()
        assert np.hypot(*(joint.anchor_b - joint.anchor_a)) < 2e-3
    assert deepest(world) < DEEP


@pytest.mark.parametrize("seed", range(3))
def test_ragdolls_in_one_place_come_apart(seed):
    """Ten, of 1.8 m. Contacts and joints pressed against each other, ever harder: to 400 m/s."""
    rng = np.random.default_rng(seed)
    world = p2.World(gravity=(0, 0))
    for k in range(10):
        add_ragdoll(world, tuple(rng.uniform(-0.3, 0.3, 2)), k + 1)
    fastest = 0
    for _ in range(300):
        world.step()
        fastest = max(fastest, *np.hypot(*world.velocities.T))
    assert fastest < 10
    assert deepest(world) < DEEP
    assert world.joint_separations[:, 0].max() < 0.05


@pytest.mark.parametrize("seed", range(4))
def test_boxes_in_chains_leave_them_slowly(seed):
    """What has no joints is moved out of what joints hold: links are seven times as light."""
    rng = np.random.default_rng(seed)
    world = p2.World(gravity=(0, 0))
    for _ in range(8):
        start, angle = rng.uniform(-0.4, 0.4, 2), rng.uniform(0, 6.3)
        along = np.array([np.cos(angle), np.sin(angle)])
        links = [
            world.add_body(
                p2.Capsule((-0.12, 0), (0.12, 0), 0.05), start + 0.3 * k * along, angle=angle
            )
            for k in range(6)
        ]
        for k in range(5):
            world.add_revolute_joint(*links[k : k + 2], anchor=start + (0.3 * k + 0.15) * along)
        world.add_body(p2.Box(0.5, 0.5), rng.uniform(-0.4, 0.4, 2), angle=rng.uniform(0, 6))
    fastest = 0
    for _ in range(240):
        world.step()
        fastest = max(fastest, *np.hypot(*world.velocities.T))
    assert fastest < 15


@pytest.mark.parametrize("elsewhere", [(-0.002, 1.0), (-0.03, 0.0)], ids=["bounces", "deep"])
@pytest.mark.parametrize("overlap", [(0.0003, 0.00099), (0.015, 0.0199)], ids=["slight", "nearly"])
def test_what_is_deep_elsewhere_changes_no_bit(overlap, elsewhere):
    """Whether overlaps are separated by displacements was asked of a whole batch at once."""

    def run(seed, beside):
        rng = np.random.default_rng(seed)
        world = p2.World(gravity=(0, 0))
        apart, speed = 1 - rng.uniform(*overlap), rng.uniform(0.05, 0.95)
        restitution = float(rng.choice([0, 0.3, 1]))
        shape = p2.Circle(0.5) if rng.random() < 0.5 else p2.Box(1, 1)
        bodies = [
            world.add_body(
                shape,
                (i * apart, rng.uniform(-0.1, 0.1)),
                velocity=((1 - i) * speed, 0),
                mass=float(rng.choice([1, 100, 1000])),
                restitution=restitution,
            )
            for i in range(3)
        ]
        if beside:
            for x in (100, 101 + elsewhere[0]):
                world.add_body(p2.Circle(0.5), (x, 0), restitution=elsewhere[1])
        seen = []
        for _ in range(20):
            world.step()
            seen.append([(*body.position, body.angle, *body.velocity) for body in bodies])
        return np.array(seen)

    for seed in range(60):
        np.testing.assert_array_equal(run(seed, False), run(seed, True))
