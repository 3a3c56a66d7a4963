"""Memory stays flat over worlds with every feature, and over bodies that come and go in one world.

Short here; whole, with ten thousand worlds and a million bodies: PYPHYS2D_FLAT=1, or

    python tests/python/test_memory_flat.py
"""

import contextlib
import gc
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _core
from pyphys2d.trajectory import Trajectory

WHOLE = bool(os.environ.get("PYPHYS2D_FLAT")) or __name__ == "__main__"
WORLDS = 10_000 if WHOLE else 120
BODIES = 1_000_000 if WHOLE else 20_000
# Bytes that heaps of C and Python may wander by; sanitizers keep 256 MB of what was freed.
ROOM = (2 << 20) if "sanitize" not in _core.build_switches.split() else (258 << 20)
CACHED = 500  # objects that Python's and NumPy's caches may still take up, in all
JOINTS = (
    "revolute", "distance", "prismatic", "weld", "wheel", "motor", "filter", "ratchet",
    "rotary",
)  # fmt: skip


def live():
    gc.collect()
    return _core._live()


def blocks():
    """Of Python's own allocator; a leak of one object a round is seen among them."""
    gc.collect()
    return sys.getallocatedblocks()


def resident():
    """Bytes of this process in memory."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


def shapes():
    star = [(0.6, 0), (0.15, 0.15), (0, 0.6), (-0.15, 0.15), (-0.6, 0), (0, -0.5)]
    frame = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return [
        p2.Circle(0.4),
        p2.Box(0.8, 0.5, radius=0.05),
        p2.Capsule((-0.3, 0), (0.3, 0), 0.2),
        p2.RegularPolygon(5, 0.4),
        p2.Polygon(star),
        p2.Polygon(frame, [[(-0.5, -0.5), (0.5, -0.5), (0, 0.5)]]),
    ]


def furnish(world, number):
    """One of everything that can be in a world, and things that hold each other."""
    chain = p2.Chain([(-30, 0), (0, -1), (30, 0)]) if world.wrap is None else p2.Box(30, 0.5)
    ground = world.add_body(chain, kind="static", name="ground")
    world.add_body(p2.Segment((-3, 0.5), (3, 1)), kind="static")
    made = shapes()
    places = np.random.default_rng(number).uniform((-9, 2), (9, 9), (6, 2))
    world.add_bodies(made, places, compound=True)
    bodies = [
        world.add_body(made[i % 6], (2.0 * i - 10, 4), user_data=[world], name=f"body {i}")
        for i in range(12)
    ]
    bodies[0].user_data = bodies
    bodies[1].attach(p2.Circle(0.2, (1, 0)), pre_solve=True)
    world.add_body(p2.Circle(0.3), (-9, 6), velocity=(300, 0), bullet=True)
    for i, kind in enumerate(JOINTS):
        more = {"axis": (0, 1)} if kind in ("prismatic", "wheel") else {}
        more |= {"tooth": 0.5} if kind == "ratchet" else {}
        getattr(world, f"add_{kind}_joint")(bodies[i], bodies[i + 1], **more)
    world.add_mouse_joint(bodies[11], target=(9, 5))
    world.add_pulley_joint(bodies[9], bodies[10], ground_a=(8, 12), ground_b=(10, 12))
    a = world.add_revolute_joint(ground, bodies[10], anchor=(10, 4))
    b = world.add_prismatic_joint(ground, bodies[11], axis=(0, 1))
    world.add_gear_joint(a, b, 2)
    world.add_fluid(1.0, 1.5)
    world.add_drag(linear=0.1)
    world.add_wind((1, 0))
    world.add_point_gravity((0, 50), 3)
    eye = world.add_body(p2.Box(6, 6), (0, 4), kind="static", sensor=True)
    world.on_force = lambda world: bodies[2].apply_force((0, 1), (0, 0))
    world.on_pre_solve = lambda contacts: contacts["friction"].fill(0.5)
    return bodies, eye


def ask(world, bodies, eye):
    """Every question, by one and by many."""
    ball, poses = p2.Circle(1), np.zeros((40, 3))
    way = (20.0, 0.0)
    world.cast_ray((-10, 3), way, where=lambda indices: indices > 2)
    world.cast_ray_all((-10, 3), way)
    world.cast_rays(np.full((40, 2), 3.0), way, radius=0.1)
    world.cast_shape(ball, (-10, 3, 0), way)
    world.cast_shapes(ball, poses, way)
    world.time_of_impact(bodies[3], dt=0.5)
    world.times_of_impact(bodies, dt=0.5)
    world.nearest((0, 3), k=5)
    world.distances(poses[:, :2], k=3)
    world.overlap(ball)
    world.overlaps(ball, poses, pieces=True)
    world.at((0, 3))
    world.query_aabb((-5, 0), (5, 5))
    world.touching(bodies[4])
    world.explode((0, 1), 4, 2, 3)
    assert eye.colliders[0].overlaps is not None
    assert bodies[1].convex_hull().shape[1] == 2
    tables = (world.contacts, world.pairs, world.islands, world.aabbs, world.joint_state)
    views = (world.positions, world.angles, world.velocities, world.awake)
    events = world.events
    return [*tables, *views, events.contact_begin, events.body_move, world.tree(), world.hash()]


def live_through(number):
    """A whole world, with what looks at it, made and dropped."""
    backend = ("grid", "tree", "all_pairs")[number % 3]
    wrap = (80.0, np.inf) if number % 4 == 3 else None
    world = p2.World(broadphase=backend, workers=1 + number % 2, wrap=wrap)
    bodies, eye = furnish(world, number)
    recorder = Trajectory.record(world, 3, dt=1 / 60)
    assert recorder.positions.size
    kept = ask(world, bodies, eye)
    for stage in world.stages():
        assert repr(stage)
    if wrap is None:
        world.slice(bodies[4], bodies[4].position, bodies[4].to_world((1.0, 0.3)))
    world.remove(world.joints[0])
    world.remove(world.fields[0])
    world.remove(eye.colliders[0])
    world.remove(bodies[5])
    world.step()
    one, other, ring = p2.Box(2, 1), p2.Circle(0.7), [(0, 0), (2, 0), (1, 1), (1, 0.2)]
    g = p2.geometry
    kept += g.gjk(one, other, pose_b=(3, 1, 0)), g.sat(one, other), g.clip(one, one)
    kept += g.toi(one, other, (0, 0, 0), (0, 0, 1), (5, 0, 0), (1, 0, 0)), g.hull_trace(ring)
    tiles = g.TileMap([[0, 1, 1], [1, 0, 1]])
    tiles.to_bodies(world)
    tiles.cast_ray(np.full((20, 2), 0.5), (3.0, 0.2))
    with contextlib.suppress(ValueError):
        p2.World(contact_hertz=-1)
    tree = p2.AABBTree()
    tree.insert((0, 0), (1, 1), [tree, world, kept])
    assert world._repr_svg_()
    if number % 2:
        stages = world.stages()
        next(stages)
        kept.append(stages)  # left open
    kept.append(kept)


def add_and_remove(world, box, ball, rounds, count=1000):
    """Bodies that come and go in one world, by one and by many, some with joints."""
    places = np.random.default_rng(1).uniform((-40, 1), (40, 60), (count, 2))
    for _ in range(rounds):
        rows = world.add_bodies([box, ball], places, compound=True)
        for place in places[:9]:
            world.add_body(ball, place, name="x", user_data=world, sensor=True)
        members = list(world.bodies)
        world.add_weld_joint(members[-1], members[-2])
        assert len(rows) == count
        world.step()
        assert world.positions.shape[0] >= count
        for body in members[1:]:
            world.remove(body)
        assert len(world.bodies) == 1


def capacity(world):
    return world.counters["bytes"], len(world.positions), len(world.joint_state)


# ------------------------------------------------------------------------------------------


def live_through_many(count):
    for number in range(count):
        live_through(number)
        if number % 10 == 0:  # else memory is as large as the collector lets rings of objects grow
            gc.collect()


def measure_worlds(count):
    """Bytes that memory has grown by while so many worlds came and went, after a third of them for
    warming up.
    """
    before = live()
    live_through_many(count // 3)
    assert live() == before
    start, objects = resident(), blocks()
    live_through_many(count)
    assert live() == before
    assert blocks() < objects + CACHED + count // 4
    return resident() - start


def measure_bodies(count):
    """Likewise over bodies added and removed in one world, of which nothing else may grow."""
    world = p2.World(gravity=(0, -1))
    world.add_body(p2.Segment((-50, 0), (50, 0)), kind="static")
    pair = p2.Box(0.5, 0.5), p2.Circle(0.3)  # of which a world keeps the last 64 in any case
    add_and_remove(world, *pair, max(count // 3000, 2))
    before, size, start, objects = live(), capacity(world), resident(), blocks()
    add_and_remove(world, *pair, count // 1000)
    assert live() == before
    assert blocks() < objects + CACHED + count // 4
    assert capacity(world) == size
    return resident() - start


linux = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")


@pytest.mark.slow
@linux
def test_worlds_with_every_feature_leave_nothing():
    assert measure_worlds(WORLDS) < ROOM


@linux
def test_bodies_that_come_and_go_leave_their_world_as_large_as_it_was():
    assert measure_bodies(BODIES) < ROOM


if __name__ == "__main__":
    for name, work, number in (
        ("worlds", measure_worlds, WORLDS),
        ("bodies added and removed", measure_bodies, BODIES),
    ):
        grown = work(number)
        print(f"{number} {name}: {grown / 1024:+.0f} KiB, {resident() >> 20} MiB in all")
        if grown >= ROOM:
            sys.exit(1)
