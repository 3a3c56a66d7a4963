"""What few contacts change costs little and leaves no trace: a layout that is built on the one
before it is the layout that is built from nothing.
"""

import numpy as np
import pytest

import pyphys2d as p2


def yard(**options):
    """Piles for several bins, balls that hop between them, boxes that come down on some, platforms
    that are driven away from under others.
    """
    options.setdefault("sleeping", False)
    world = p2.World(gravity=(0, -10), substeps=2, **options)
    world.add_body(p2.Box(1200, 2), (260, -1), kind="static")
    lasting = world.add_body(p2.Box(0.4, 0.4), (-60, 0.2), can_sleep=False)
    base, piles = 14, 26
    for k in range(4):
        place = (20 * (6 * k + 1) + 1.3, 30 + 6 * k)
        world.add_body(p2.Box(0.5, 0.5), place)
    for x in (-30, 20 * piles + 6):
        world.add_body(p2.Box(3, 0.4), (x, 1), kind="kinematic", velocity=(0.2, 0))
        world.add_body(p2.Box(1, 1), (x, 1.7))
    pile = [(0.5 * i + j - i, 0.5 + i) for i in range(base) for j in range(i, base)]
    for p in range(piles):
        world.add_bodies(p2.Box(1, 1), np.add(pile, (20 * p, 0)))
    world.add_body(p2.Box(3, 0.4), (-80, 1), kind="kinematic", velocity=(0.2, 0))
    for x in (-81, -79.5):
        world.add_body(p2.Circle(0.3), (x, 3), restitution=0.8, velocity=(0.2, 0))
    balls = np.array([(40 * k - 3, 3 + 0.7 * k) for k in range(12)])
    slots = world.add_bodies(p2.Circle(0.3), balls, restitution=0.7)
    world.velocities[slots] = (0.6, 0)
    return world, lasting


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"solver": "sequential_impulses", "iterations": 2}, {"sleeping": True}]
)
def test_a_layout_does_not_depend_on_the_one_before(options):
    """One world is made to start from nothing in every step, by a mass that is set again."""
    (patched, _), (whole, body) = yard(**options), yard(**options)
    for world in (patched, whole):
        world.bodies[body.index].mass = 0.3
    bins = set()
    for step in range(240):
        body.mass = 0.3
        patched.step()
        whole.step()
        if step % 10 == 9:
            assert patched.hash() == whole.hash()
            counters = [dict(world.counters) for world in (patched, whole)]
            bins.add(counters[0]["bins"])
            for counter in counters:
                del counter["layout_rebuilds"]
            assert counters[0] == counters[1]
        if step % 50 == 27:
            for a, b in zip(patched.stages(), whole.stages(), strict=True):
                for name, array in a.arrays.items():
                    np.testing.assert_array_equal(array, b.arrays[name], err_msg=name)
    assert max(bins) > 2


def tumblers(count, apart):
    """Figures of boxes on limited, sprung hinges that fall on a floor and on each other; a welded
    pair far away makes the layout search their trees in each build.
    """
    world = p2.World(gravity=(0, -10), substeps=4, sleeping=False)
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    slots = []
    for k in range(count):
        x, y = 0.7 * (k % 7) - 0.02 * k, 1 + 1.1 * (k // 7) + 0.4 * (k % 3)
        links = [world.add_body(p2.Box(0.5, 0.16), (x, y), angle=0.3 * k, group=-1 - k)]
        for n, (side, light) in enumerate([(-1, 1), (1, 1), (-1, 0.1)][: 2 + k % 2]):
            base = links[0] if n < 2 else links[1]
            pivot = base.to_world((0.25 * side, 0))
            at = base.to_world((0.5 * side, 0))
            limb = p2.Box(0.5, 0.1 + 0.02 * n)
            part = world.add_body(limb, at, angle=base.angle, density=light, group=-1 - k)
            world.add_revolute_joint(
                base,
                part,
                anchor=pivot,
                lower=-1,
                upper=0.5 + 0.1 * n,
                spring_hertz=3 * (k % 2),
                spring_damping_ratio=0.5,
                max_motor_torque=0.1,
            )
            links.append(part)
        slots += [link.index for link in links]
    if apart:
        pair = [world.add_body(p2.Box(1, 1), (500 + x, 50), gravity_scale=0) for x in (0, 1)]
        world.add_weld_joint(*pair, anchor=(500.5, 50))
    return world, slots


def test_trees_of_joints_that_last_are_those_that_are_searched_for_in_each_layout():
    """So it is, too, while islands come and go that are solved through their joints."""
    (lasting, slots), (searched, _) = tumblers(8, apart=False), tumblers(8, apart=True)
    through_joints = 0
    for _ in range(40):
        lasting.step()
        searched.step()
        through_joints += lasting.counters["substeps"] > lasting.substeps
        for name in ("positions", "angles", "velocities", "angular_velocities"):
            mine, others = getattr(lasting, name)[slots], getattr(searched, name)[slots]
            np.testing.assert_array_equal(mine, others)
    assert through_joints > 20
