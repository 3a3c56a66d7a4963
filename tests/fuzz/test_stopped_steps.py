"""A step that is stopped at any question is undone, whatever is in the world, and leaves the same
future: the stops of `stopped_steps` against steps that nobody stops.
"""

import builtins
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import determinism
import determinism_worlds
import stopped_steps

import pyphys2d as p2
from pyphys2d import _testing


def pile(**options):
    """Calm contacts, whose impulses are carried from step to step, and joints."""
    world = p2.World(gravity=(0, -10), **options)
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    boxes = [world.add_body(p2.Box(1, 1), (1.01 * (i % 5), 0.5 + i // 5)) for i in range(20)]
    jointed = boxes if options.get("solver") is None else []
    for a, b in zip(jointed[::4], jointed[1::4], strict=True):
        world.add_revolute_joint(a, b, anchor=a.position)
    return world, lambda step: None


def platform():
    """A kinematic body that has a target in each step, another that begins and ceases to move."""
    world = p2.World(gravity=(0, -10))
    lift = world.add_body(p2.Box(4, 1), (0, 0), kind="kinematic")
    door = world.add_body(p2.Box(1, 4), (4, 0), kind="kinematic")
    world.add_bodies(p2.Circle(0.4), [(0.5 * i - 1, 1 + i) for i in range(6)])

    def act(step):
        lift.move_to((0.1 * step, 0.05 * step), 0.0, 1 / 60)
        door.velocity = (-1, 0) if step % 10 < 5 else (0, 0)

    return world, act


def sleepers():
    """Bodies that sleep, and bullets that wake them."""
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 1), [(2 * (i // 2), 0.5 + i % 2) for i in range(12)])
    for _ in range(120):
        world.step(1 / 60)
    assert world.counters["awake"] == 0

    def act(step):
        if step % 6 == 0:
            world.add_body(p2.Circle(0.1), (-5, 0.5), velocity=(390, 0), bullet=True, density=50)
        if step % 6 == 3:
            world.bodies[1 + step // 3].sleep()

    return world, act


@pytest.mark.parametrize(
    "make",
    [
        pile,
        lambda: pile(substeps=3, workers=2),
        lambda: pile(solver="sequential_impulses"),
        platform,
        sleepers,
    ],
)
def test_a_step_that_was_stopped_leaves_the_same_future(make):
    (world, act), (plain, act_plainly) = make(), make()
    stops = 0
    for step in range(24):
        act(step)
        act_plainly(step)
        stops += stopped_steps.make(world, 1 / 60)
        plain.step(1 / 60)
        assert world.hash() == plain.hash()
        np.testing.assert_array_equal(world.contacts, plain.contacts)
        for name in ("contact_begin", "contact_end", "contact_hit", "sleep", "wake", "body_move"):
            told, plainly = (getattr(w.events, name) for w in (world, plain))
            np.testing.assert_array_equal(told, plainly)
        found, plainly = ([b.index for b in w.query_aabb((-1, -1), (2, 2))] for w in (world, plain))
        assert found == plainly
    assert stops > 24 * 15


@pytest.mark.parametrize("make", [pile, platform])
def test_stages_that_were_stopped_leave_the_world_as_it_was(make):
    (world, act), (plain, act_plainly) = make(), make()
    stops = 0
    for step in range(6):
        act(step)
        act_plainly(step)
        before = world.hash(), world.step_count, world.counters
        blocks = _testing.live_allocations()
        stages = None
        while stages is None:
            stops += 1
            _testing.stop_steps(stops)
            try:
                stages = world.stages(1 / 60)
            except KeyboardInterrupt:
                assert (world.hash(), world.step_count, world.counters) == before
                assert _testing.live_allocations() == blocks
            finally:
                _testing.stop_steps(0)
        asked, stops = stops, 0
        assert asked > 20
        for _ in stages:
            pass
        plain.step(1 / 60)
        assert world.hash() == plain.hash()


def reshaped():
    """What a joint holds has become a chain among other bodies: an island of trees in which not all
    contacts of a step that is stopped were prepared."""
    world = p2.World(gravity=(0, -10), broadphase="all_pairs", continuous=False, substeps=4)
    floor = [p2.Box(60, 1), p2.Box(1, 20, center=(20, 10))]
    world.add_body(floor, (0, -0.5), kind="static")
    drive = {"velocity": (-1.4785, 0.41012), "angular_velocity": 1.122}
    world.add_body(p2.Box(6, 0.5), (3.3309, 0.057202), kind="kinematic", **drive)
    fast = {"velocity": (20.92, -0.44059), "angular_velocity": 1.8709, "density": 0.1001}
    world.add_body(p2.RegularPolygon(3, 0.1932), (-11, 6.0118), linear_damping=9.017, **fast)
    heavy = {"velocity": (9.4621, 4.5715), "density": 17.74, "friction": 5}
    a = world.add_body(p2.RegularPolygon(5, 0.5509), (-10, 6.0118), **heavy)
    turning = {"velocity": (-10.255, 1.3119), "angular_velocity": -1.5717}
    b = world.add_body(p2.RegularPolygon(11, 0.5006), (-5, 6.0118), mask=3, **turning)
    last = {"angular_velocity": 0.04311, "density": 4.56, "fixed_rotation": True}
    world.add_body(p2.RegularPolygon(3, 0.1932), (-4, 6.0118), restitution=0.2, **last)
    world.add_rotary_joint(a, b, motor_speed=-1.784, max_motor_torque=0.3742)
    return world, b


def test_an_island_of_trees_is_stopped_before_its_contacts_are_prepared():
    places = [(-30, 20), (-25, 0), (-6, -1), (3, 0.5), (25, 0), (30, 20)]
    (world, body), (plain, twin) = reshaped(), reshaped()
    for step in range(4):
        if step == 2:
            body.colliders[0].set_shape(p2.Chain(places), update_mass=True)
            twin.colliders[0].set_shape(p2.Chain(places), update_mass=True)
        assert stopped_steps.make(world, 1 / 60) > 20
        plain.step(1 / 60)
        assert world.hash() == plain.hash()


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "late"), [(7, False), (14, True), (34, True)])
def test_a_random_world_whose_steps_are_stopped_has_the_same_bits(seed, late, monkeypatch):
    lines = determinism_worlds.program(seed, with_late=late)
    assert not any("on_force" in line or "w.stages(" in line for line in lines)
    stops = []
    monkeypatch.setattr(
        builtins, "go", lambda w, dt: stops.append(stopped_steps.make(w, dt)), raising=False
    )
    stopped = [line.replace("w.step(", "go(w, ") for line in lines]
    width = p2.simd.name
    assert determinism.run(stopped, width, 1) == determinism.run(lines, width, 1)
    assert sum(stops) > 15 * len(stops) > 0
