"""Joints in lanes: nets of pins, and trees of revolute joints, against the joint-by-joint and the
tree-by-tree way, statics, and each other.
"""

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d.scenes import benchmark

DT = 1 / 60
ARRAYS = ("positions", "angles", "velocities", "angular_velocities")


def free_world(**options):
    return p2.World(**{"gravity": (0, -10), "sleeping": False, **options})


def limb(world, x=0.0, turned=(), hang=True):
    """Five bones with limits, springs and motors; joints in `turned` have their ends swapped."""
    bones = [
        world.add_body(p2.Capsule((-0.4, 0), (0.4, 0), 0.1), (x + 0.5 + k, 0.1 * k), mask=0)
        for k in range(5)
    ]
    if hang:
        world.add_revolute_joint(None, bones[0], anchor=(x, 0))
    for k, (a, b) in enumerate([(0, 1), (1, 2), (1, 3), (3, 4)]):
        sign = -1 if k in turned else 1
        ends = (bones[b], bones[a]) if k in turned else (bones[a], bones[b])
        lower, upper = sorted((sign * -0.6, sign * 0.3))
        world.add_revolute_joint(
            *ends,
            anchor=(x + 0.5 + 0.5 * (a + b), 0),
            lower=lower,
            upper=upper,
            spring_hertz=2,
            spring_damping_ratio=0.2,
            spring_target=sign * 0.1,
            motor_speed=sign * 0.5,
            max_motor_torque=0.2,
        )
    return bones


def state(world, bodies):
    rows = [body.index for body in bodies]
    return [getattr(world, name)[rows] for name in ARRAYS]


@pytest.mark.parametrize("hang", [True, False])
@pytest.mark.parametrize("substeps", [4, 8])
def test_trees_in_lanes_move_as_trees_alone(hang, substeps):
    """A rope that never tightens makes a loop, and so takes its tree out of the lanes. They differ
    by the rounding of float32, and by that of a gap within a substep when a limit is met.
    """
    lanes, alone = free_world(substeps=substeps), free_world(substeps=substeps)
    mine, others = limb(lanes, hang=hang), limb(alone, hang=hang)
    alone.add_distance_joint(others[0], others[4], upper=100, collide_connected=True)
    if not hang:
        for bones in (mine, others):
            bones[2].velocity = (3, 8)
    for _ in range(60):
        lanes.step(DT)
        alone.step(DT)
    for a, b in zip(state(lanes, mine), state(alone, others), strict=True):
        np.testing.assert_allclose(a, b, atol=5e-4)
    for a, b in zip(lanes.joints, alone.joints, strict=False):
        np.testing.assert_allclose(a.force, b.force, rtol=1e-2, atol=1e-2)
        assert a.torque == pytest.approx(b.torque, rel=1e-2, abs=1e-2)


@pytest.mark.parametrize("count", [2, 3, 5, 9])
def test_what_shares_a_block_changes_no_bit(count):
    single, many = free_world(), free_world()
    alone = limb(single)
    copies = [limb(many) for _ in range(count)]
    copies[1][4].velocity = (0, 30)  # this one swings elsewhere, with other limits at work
    for world in (single, many):
        world.step(DT, n=90)
    for k, copy in enumerate(copies):
        same = [
            np.array_equal(a, b)
            for a, b in zip(state(single, alone), state(many, copy), strict=True)
        ]
        assert all(same) if k != 1 else not any(same)


def bush(world, x=0.0, ratio=1.0, hang=False):
    """A trunk, four branches with two twigs each; children of one body in a row and apart."""
    trunk = world.add_body(p2.Box(1, 1), (x, 0), mass=ratio, mask=0)
    bodies = [trunk]
    if hang:
        world.add_revolute_joint(None, trunk, anchor=(x - 0.3, 0.4))
    for k, (dx, dy) in enumerate([(1, 0.25), (-1, 0.5), (0.5, 1), (-0.25, -1)]):
        branch = world.add_body(p2.Box(0.5, 0.25), (x + dx, dy), mass=1 + k, mask=0)
        world.add_revolute_joint(trunk, branch, anchor=(x + dx / 2, dy / 2))
        bodies.append(branch)
        for twist in (0.2, -0.3):
            twig = world.add_body(p2.Circle(0.2), (x + 1.5 * dx - twist * dy, 1.5 * dy), mask=0)
            world.add_revolute_joint(branch, twig, anchor=(x + dx, dy))
            bodies.append(twig)
    return bodies


@pytest.mark.parametrize("hang", [True, False])
def test_trees_that_branch_move_as_trees_alone(hang):
    """As above, without springs: next to nothing differs."""
    lanes, alone = free_world(), free_world()
    mine, others = bush(lanes, hang=hang), bush(alone, hang=hang)
    alone.add_distance_joint(others[1], others[4], upper=100, collide_connected=True)
    for bodies in (mine, others):
        bodies[3].velocity = (2, -3)
    for world in (lanes, alone):
        world.step(DT, n=40)
    for a, b in zip(state(lanes, mine), state(alone, others), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-3)


def string(world, links, root):
    """Of links with all kinds of masses and damping, on a fixed point, a moving body or nothing."""
    last, bodies = None, []
    if root == "kinematic":
        last = world.add_body(p2.Box(1, 1), (0, 0), kind="kinematic", velocity=(3, 1), mask=0)
        last.angular_velocity = 2
    for k in range(links):
        link = world.add_body(p2.Box(1, 0.25), (k + 0.5, 0), mass=1 + 7 * k % 5, mask=0)
        link.angular_damping, link.linear_damping = 0.1 * (k % 3), 0.05 * (k % 2)
        if k or root != "none":
            world.add_revolute_joint(last, link, anchor=(k, 0))
        bodies.append(link)
        last = link
    bodies[0].velocity = (0, 2)
    return bodies


@pytest.mark.parametrize("tree", ["bush", "hung bush", 2, 7, 8, 9, 25])
@pytest.mark.parametrize("root", ["world", "kinematic", "none"])
def test_lanes_across_bodies_give_the_bits_of_lanes_across_trees(tree, root):
    def grow(world):
        if isinstance(tree, int):
            return string(world, tree, root)
        bodies = bush(world, hang=tree != "bush", ratio=1 if root == "world" else 50)
        bodies[3].velocity = (2, -3)
        return bodies

    single, many = free_world(substeps=4), free_world(substeps=4)
    alone, copies = grow(single), [grow(many) for _ in range(8)]
    for world in (single, many):
        world.step(DT, n=60)
    for copy in copies:
        for a, b in zip(state(single, alone), state(many, copy), strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_unit_of_mass_makes_no_difference():
    states = []
    for power in (0, 70, -70):
        world = free_world(substeps=4)
        last, bodies = None, []
        for k in range(8):
            link = world.add_body(
                p2.Box(1, 0.25), (k + 0.5, 0), mass=(1 + 30 * (k == 7)) * 2.0**power, mask=0
            )
            world.add_revolute_joint(last, link, anchor=(k, 0))
            bodies.append(link)
            last = link
        world.step(DT, n=120)
        states.append([*state(world, bodies), world.joint_state["force"] * 2.0**-power])
    for other in states[1:]:
        for a, b in zip(states[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("count", [1, 9])
def test_a_chain_holds_far_away_and_any_load(count):
    """At 10,000 km, and ten million times a link's mass at the end."""
    world = free_world(substeps=4)
    place, links = 1e7, []
    for n in range(count):
        last = None
        for k in range(8):
            link = world.add_body(
                p2.Box(1, 0.25), (place + k + 0.5, 20 * n), mass=1e7 if k == 7 else 1, mask=0
            )
            world.add_revolute_joint(last, link, anchor=(place + k, 20 * n))
            links.append(link)
            last = link
    start = world.kinetic_energy() + world.potential_energy()
    for _ in range(150):
        world.step(DT)
        ends = world.joint_state
        assert np.hypot(*(ends["anchor_a"] - ends["anchor_b"]).T).max() < 5e-3
        gain = world.kinetic_energy() + world.potential_energy() - start
        assert gain < 0.01 * count * 1e7 * 10 * 8


@pytest.mark.parametrize("count", [2, 8])
def test_a_sudden_pull_changes_no_bit_of_others(count):
    """Slack chains with a heavy end that snap tight one after the other."""

    def chains(number):
        world, ends = free_world(substeps=4), []
        for n in range(number):
            last = None
            for k in range(6):
                x = 0.5 if k % 2 == 0 else 0.4  # folded
                link = world.add_body(p2.Box(1, 0.1), (x, 10 * n), mass=1 if k < 5 else 800, mask=0)
                world.add_revolute_joint(last, link, anchor=(k % 2, 10 * n))
                last = link
            last.velocity = (0, -0.5 * n)
            ends.append(last)
        return world, ends

    many, ends = chains(count)
    many.step(DT, n=150)
    for n in range(count):
        single, bodies = chains(n + 1)
        for body in list(single.bodies):
            if body.index < bodies[-1].index - 5:
                single.remove(body)
        single.step(DT, n=150)
        for a, b in zip(state(many, [ends[n]]), state(single, [bodies[-1]]), strict=True):
            np.testing.assert_array_equal(a, b)


def test_who_is_watched_moves_alike():
    """Trees that are alone stay in their lanes for all substeps, unless somebody looks on; beside
    others, or with the bin to themselves.
    """
    for crowd in (False, True):
        worlds = [free_world(substeps=4) for _ in range(2)]
        for world in worlds:
            for n in range(4):
                bush(world, 10.0 * n, hang=n == 0)
                limb(world, 10.0 * n)
            if crowd:
                world.add_body(p2.Box(10, 1), (0, -20), kind="static")
                world.add_body(p2.Box(1, 1), (0, -19))
        worlds[0].step(DT, n=30)
        for _ in range(30):
            list(worlds[1].stages(DT))
        assert worlds[0].hash() == worlds[1].hash()


@pytest.mark.parametrize("turned", [(0,), (1,), (2,), (1, 3)])
def test_which_body_is_a_makes_no_difference(turned):
    one, other = free_world(), free_world()
    bones, swapped = limb(one), limb(other, turned=turned)
    for world in (one, other):
        world.step(DT, n=60)
    for a, b in zip(state(one, bones), state(other, swapped), strict=True):
        np.testing.assert_array_equal(a, b)
    for k, (a, b) in enumerate(zip(list(one.joints)[1:], list(other.joints)[1:], strict=True)):
        sign = -1 if k in turned else 1
        assert b.angle == sign * a.angle
        np.testing.assert_array_equal(b.force, sign * np.array(a.force))
        assert b.torque == sign * a.torque


def test_layouts_that_last_and_new_ones_give_the_same_bits():
    """Contacts come and go among ragdolls; a body far away that is told its mass again makes all
    layouts anew.
    """
    rain = benchmark.rain()
    worlds = [benchmark.build_world(rain, sleeping=False) for _ in range(2)]
    hashes = []
    for number, world in enumerate(worlds):
        benchmark.Arrivals(world, rain).step()
        stranger = world.add_body(p2.Circle(0.5), (1e4, 0), mask=0)
        for step in range(230):
            if number and step > 170:
                stranger.mass = stranger.mass + 1
                stranger.mass = stranger.mass - 1
            world.step(DT)
        hashes.append([getattr(world, name).copy() for name in ARRAYS])
    for a, b in zip(*hashes, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_net_at_rest_hangs_by_its_weight():
    grid = benchmark.joint_grid(8)
    world = benchmark.build_world(grid)
    world.step(DT, n=60)
    for _ in range(60):
        world.velocities *= 0.8
        world.angular_velocities *= 0.8
        world.step(DT, n=10)
    table = world.joint_state
    held = world.kinds[table["body_a"]] == 0
    weight = world.masses[world.kinds == 2].sum() * 10
    assert held.sum() > 0
    pull = table["force"][held].sum(axis=0) - table["force"][world.kinds[table["body_b"]] == 0].sum(
        axis=0
    )
    assert pull[1] == pytest.approx(weight, rel=0.01)
    gaps = np.hypot(*(table["anchor_b"] - table["anchor_a"]).T)
    assert gaps.max() < 0.02


def test_nets_do_not_gain_energy_under_load():
    """Pins that turned bodies back a substep late would swing them up."""
    grid = benchmark.joint_grid(40)
    world = benchmark.build_world(grid, substeps=4)
    inertia = world.inertias[world.kinds == 2]
    for _ in range(12):
        world.step(DT, n=10)
        spin = world.angular_velocities[world.kinds == 2]
        speed = np.hypot(*world.velocities[world.kinds == 2].T)
        assert 0.5 * (inertia * spin**2).sum() < 20
        assert speed.max() < 15


def test_nets_are_the_same_for_any_number_of_workers():
    hashes = set()
    for workers in (1, 2, 3):
        world = benchmark.build_world(benchmark.joint_grid(60), workers=workers, substeps=4)
        world.step(DT, n=10)
        hashes.add(world.hash())
    assert len(hashes) == 1
