"""Bodies with more contacts than there are colors: solved side by side with others, and without a
trace in any bit.
"""

import numpy as np
import pytest
from scenes_for_tests import run_python

import pyphys2d as p2

ARRAYS = ("positions", "angles", "velocities", "angular_velocities")
COLORS, OVERFLOW = 32, 32


def raft(world, x=0.0, wide=40, high=12, weight=0.0):
    """A dynamic plate on rollers with a wall of bricks on it, and balls on top. Returns slots."""
    plate = world.add_body(p2.Box(wide + 1, 1), (x, 1.5))
    world.add_bodies(p2.Circle(0.5), [(x + k - 0.5 * wide, 0.5) for k in range(0, wide + 1, 4)])
    bricks = [
        (x + i + 0.5 * (j % 2) - 0.5 * wide + 0.25, 2.5 + j)
        for j in range(high)
        for i in range(wide)
    ]
    slots = world.add_bodies(p2.Box(0.98, 1), bricks, friction=0.4)
    balls = [(x + 3 * k - 0.4 * wide, 4 + high + k % 5) for k in range(wide // 4)]
    slots = np.append(slots, world.add_bodies(p2.Circle(0.4), balls, restitution=0.3))
    if weight:
        plate.mass = weight
    return np.append(slots, plate.index)


def harbour(**options):
    """Two rafts that lie side by side and a small one far away, on a floor."""
    options = {"gravity": (0, -10), "sleeping": False, **options}
    world = p2.World(**options)
    world.add_body(p2.Box(1000, 2), (0, -1), kind="static")
    raft(world, x=-21)
    raft(world, x=20.5, high=9, weight=30.0)
    raft(world, x=200, wide=36, high=3)
    return world


def colors_of(world):
    """Bodies and colors of the contacts of dynamic bodies with each other."""
    stages = {stage.name: stage for stage in world.stages()}
    contacts = stages["manifolds"].arrays["contacts"]
    rows = stages["constraints"].arrays["constraints"]
    both = (world.kinds[contacts["body_a"]] == 2) & (world.kinds[contacts["body_b"]] == 2)
    pairs = np.column_stack([contacts["body_a"], contacts["body_b"]])[both]
    _, one_each = np.unique(pairs, axis=0, return_index=True)
    return pairs[one_each], rows["color"][both][one_each]


def test_who_shares_a_body_within_a_color_has_a_hub():
    world = harbour()
    world.step(n=30)
    pairs, colors = colors_of(world)
    counts = np.bincount(pairs.ravel())
    hubs = np.flatnonzero(counts > COLORS)
    assert len(hubs) >= 2
    repeated = 0
    for color in range(COLORS):
        mine = pairs[colors == color]
        bodies, times = np.unique(mine, return_counts=True)
        assert set(bodies[times > 1]) <= set(hubs)
        repeated += (times - 1).sum()
    assert repeated > 20
    # a color for each contact of a hub would leave all but so many to be solved one by one; the
    # island of the raft far away has no room
    near = world.positions[:, 0] < 100
    left = (colors == OVERFLOW) & near[pairs[:, 0]]
    assert left.sum() < 0.5 * (counts[hubs[near[hubs]]] - COLORS).sum()


def test_workers_and_the_past_change_no_bit():
    """One world begins with a layout from nothing in every step, by a mass that is set again."""
    worlds = [harbour(workers=workers) for workers in (1, 1, 3)]
    assert worlds[0].hash() == worlds[1].hash() == worlds[2].hash()
    for _ in range(40):
        for world in worlds:
            world.step(n=3)
        worlds[1].bodies[3].mass = worlds[1].bodies[3].mass
        assert worlds[0].hash() == worlds[1].hash() == worlds[2].hash()
    assert worlds[0].counters["contacts"] > 1500


CHILD = """
from test_hubs import harbour
world = harbour()
world.step(n=60)
print(world.hash())
"""


def test_widths_change_no_bit():
    hashes = {width: run_python(CHILD, PYPHYS2D_SIMD=width).stdout for width in p2.simd.available}
    assert len(set(hashes.values())) == 1, hashes


@pytest.mark.parametrize("weight", [0.0, 3.0, 3000.0])
def test_others_change_no_bit(weight):
    """A raft moves as it does alone, whoever else is in the world."""
    alone, among = (p2.World(gravity=(0, -10), sleeping=False) for _ in range(2))
    slots = []
    for world in (alone, among):
        world.add_body(p2.Box(1000, 2), (0, -1), kind="static")
        slots.append(raft(world, weight=weight))
    raft(among, x=100, high=3)
    raft(among, x=200, wide=60)
    among.add_bodies(p2.Box(1, 1), [(-60 - 2 * k, 0.5) for k in range(60)])
    for _ in range(6):
        for world in (alone, among):
            world.step(n=10)
        for name in ARRAYS:
            a, b = (getattr(w, name)[s] for w, s in zip((alone, among), slots, strict=True))
            np.testing.assert_array_equal(a, b)


def test_a_raft_bears_what_lies_on_it():
    """The floor pushes as hard as everything weighs, and the raft as hard as what is on it."""
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(100, 2), (0, -1), kind="static")
    plate = world.add_body(p2.Box(60, 1), (0, 0.5))
    world.add_bodies(p2.Box(0.9, 1), [(k - 29.5, 1.5 + j) for j in range(12) for k in range(60)])
    world.step(n=400)
    contacts = world.contacts
    upward = contacts["normal"][:, 1] * contacts["normal_impulse"] * 60
    above = np.where(contacts["body_a"] == plate.index, upward, 0) + np.where(
        contacts["body_b"] == plate.index, -upward, 0
    )
    floor = (contacts["body_a"] == 0) | (contacts["body_b"] == 0)
    weight = 10 * world.masses[world.kinds == 2]
    load = weight.sum() - 10 * plate.mass
    assert np.isclose(np.abs(above[~floor]).sum(), load, rtol=1e-3)
    assert np.isclose(np.abs(upward[floor]).sum(), weight.sum(), rtol=1e-3)
    depth = -contacts["separation"].min()
    assert depth < 0.005
