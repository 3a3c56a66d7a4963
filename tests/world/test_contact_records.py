"""What is kept of contacts, wherever the engine keeps it: ages, impulses, and that looking at them
leaves no trace.
"""

import numpy as np
import pytest
from scenes_for_tests import ground, mixed, pyramid

import pyphys2d as p2

SOLVERS = ["soft_step", "sequential_impulses"]


def dropped(**options):
    """A stack that falls asleep, and a box that hits it later."""
    world = p2.World(gravity=(0, -10), **options)
    ground(world)
    for i in range(4):
        world.add_body(p2.Box(1, 1), (0.1 * i, 0.5 + i))
    world.add_body(p2.Circle(0.4), (4, 0.4))
    world.add_body(p2.Box(0.8, 0.8), (0.3, 60))
    return world


def visited(**options):
    """Piles, beside which somebody with a lower number than theirs comes slowly to the ground, so
    that the list of pairs changes while the layout lasts.
    """
    world = p2.World(gravity=(0, -10), sleeping=False, **options)
    ground(world)
    world.add_body(p2.Box(1, 1), (20, 2), velocity=(0, -0.6), gravity_scale=0)
    for i in range(30):
        world.add_body(p2.Box(1, 1), (3 * (i % 6), 0.5 + i // 6))
    return world


def ages(world):
    rows = world.contacts
    pairs = zip(rows["collider_a"], rows["collider_b"], rows["age"], strict=True)
    return {(int(a), int(b)): int(age) for a, b, age in pairs}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("every", [1, 7])
def test_age_is_the_number_of_awake_steps_since_the_contact_began(solver, every):
    """Counted from the events, across sleep and wake, however seldom it is read."""
    world = dropped(solver=solver)
    expected = {}
    slept = woke = oldest = most = 0
    for step in range(330):
        before = world.awake.copy()
        world.step()
        events = world.events
        solved = before | world.awake  # who fell asleep did so at the end of the step
        for pair, age in expected.items():
            expected[pair] = age + bool(solved[[world.colliders[c].body.index for c in pair]].any())
        for row in events.contact_end:
            del expected[int(row["collider_a"]), int(row["collider_b"])]
        for row in events.contact_begin:
            expected[int(row["collider_a"]), int(row["collider_b"])] = 0
        slept += len(events.sleep)
        woke += len(events.wake)
        if step % every == 0 or step > 300:
            found = ages(world)
            assert found.items() <= expected.items()
            oldest, most = max(oldest, *found.values()), max(most, len(found))
    assert slept >= 5
    assert woke >= 4
    assert most >= 5
    assert oldest > 80


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "scene", [mixed, dropped, visited, lambda **options: pyramid(6, **options)[0]]
)
def test_reading_leaves_no_trace(scene, solver):
    """A world whose contacts and hash are read at all times, and one left alone for long."""
    read, alone = scene(solver=solver), scene(solver=solver)
    for step in range(280):
        read.step()
        alone.step()
        assert len(read.contacts) >= 0
        if step % 3 == 0:
            read.hash()
        if step % 90 == 89:
            assert read.hash() == alone.hash()
            np.testing.assert_array_equal(read.contacts, alone.contacts)
    np.testing.assert_array_equal(read.contacts, alone.contacts)
    assert read.hash() == alone.hash()


def test_steps_by_stages_keep_the_same_records():
    world, staged = pyramid(6)[0], pyramid(6)[0]
    for step in range(60):
        world.step()
        if step % 4 == 1:
            for _ in staged.stages():
                pass
        else:
            staged.step()
    np.testing.assert_array_equal(world.contacts, staged.contacts)
    assert world.hash() == staged.hash()


def test_materials_that_change_under_a_lasting_layout():
    """Rolling and bouncing use fields of their own, which come and go with the materials."""
    worlds = [p2.World(gravity=(0, -10), sleeping=False) for _ in range(2)]
    for world in worlds:
        ground(world)
        for i in range(6):
            world.add_body(p2.Circle(0.5), (1.2 * i, 0.5 + 0.1 * i), velocity=(0.5, 0))
    changes = {90: {"rolling_resistance": 0.2}, 120: {"restitution": 0.5}}
    changes |= {150: {"rolling_resistance": 0.0, "restitution": 0.0}}
    for step in range(200):
        for world in worlds:
            for name, value in changes.get(step, {}).items():
                for collider in world.colliders:
                    setattr(collider, name, value)
            world.step()
        assert len(worlds[0].contacts) > 0
    assert worlds[0].hash() == worlds[1].hash()
    np.testing.assert_array_equal(worlds[0].contacts, worlds[1].contacts)


def test_impulses_carry_the_weight_after_many_steps_without_a_change():
    world, slots = pyramid(5)
    world.step(n=400)
    rows = world.contacts
    on_ground = rows["normal_impulse"][(rows["body_a"] == 0) | (rows["body_b"] == 0)]
    assert on_ground.sum() == pytest.approx(world.masses[slots].sum() * 10 / 60, rel=1e-3)


def test_bodies_that_fall_alike_are_loaded_to_the_same_bits():
    """One body with damping, far away, makes the solver look at the forces of all."""
    plain, slots = pyramid(6)
    other, same = pyramid(6)
    other.add_body(p2.Box(1, 1), (900, 900), linear_damping=0.3, gravity_scale=0)
    for world, top in ((plain, slots[-1]), (other, same[-1])):
        world.velocities[top] = (30, 250)  # beyond half the speed limit after some steps
        world.step(n=150)
    np.testing.assert_array_equal(plain.positions[slots], other.positions[same])
    np.testing.assert_array_equal(plain.velocities[slots], other.velocities[same])


def test_a_force_counts_whoever_wrote_it():
    """By a call, through a view that is kept and through one that is gone."""
    ends = []
    for way in range(3):
        world, slots = pyramid(4)
        world.step(n=60)
        view = world.forces if way == 1 else None
        for _ in range(30):
            if way == 0:
                world.bodies[int(slots[-1])].apply_force((4000, 0))
            elif way == 1:
                view[slots[-1]] = (4000, 0)
            else:
                world.forces[slots[-1]] = (4000, 0)
            world.step()
        ends.append(world.positions[slots].copy())
    assert ends[0][-1][0] > 1
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


@pytest.mark.parametrize("scene", [mixed, visited, lambda: pyramid(12)[0]])
def test_a_step_that_fails_leaves_the_records_of_the_one_before(scene):
    """Nobody reads before the failure, so records are as far behind as they may be."""
    testing = pytest.importorskip("pyphys2d._testing", reason="needs PYPHYS2D_TESTING=1")
    world, reference = scene(), scene()
    failures = 0
    for step in range(200):
        testing.fail_allocation(1 + step % 5)
        try:
            world.step()
        except MemoryError:
            failures += 1
            testing.fail_allocation(0)
            np.testing.assert_array_equal(world.contacts, reference.contacts)
            assert world.hash() == reference.hash()
            world.step()
        finally:
            testing.fail_allocation(0)
        reference.step()
    assert failures >= 1
    assert world.hash() == reference.hash()
