"""Who wakes when sleepers are hit: everybody in touch, in the same step, and nobody else."""

import numpy as np
import pytest
from failing import fail_every_allocation

import pyphys2d as p2

KINDS = ["grid", "tree", "all_pairs"]
ROW = 40


def sleepers(**options):
    """Rows of boxes that were made asleep on one ground, and a ball that flies at the first.

    The boxes of a row touch each other; rows are 0.1 m apart. A column of circles stands on the
    last box of the first row, and a hexagon and a polygon with too many sides for lanes beside it.
    """
    world = p2.World(gravity=(0, -10), **options)
    world.add_body(p2.Box(1000, 1), (0, -0.5), kind="static")
    for row in range(3):
        places = np.column_stack([row * (ROW + 0.1) + np.arange(ROW), np.full(ROW, 0.5)])
        world.add_bodies(p2.Box(1, 1), places, awake=False)
    x = ROW - 1.0
    for k in range(5):
        world.add_body(p2.Circle(0.5), (x, 1.5 + k), awake=False)
    world.add_body(p2.RegularPolygon(6, 0.6), (x - 3, 1.5), angle=0.1, awake=False)
    world.add_body(p2.RegularPolygon(12, 0.6), (x - 6, 1.55), awake=False)
    ball = world.add_body(p2.Circle(0.4), (-3, 0.6), velocity=(20, 0))
    return world, ball


def in_touch():
    """Slots of the first row and what stands on it; the ball."""
    last = 1 + 3 * ROW
    return {*range(1, 1 + ROW), *range(last, last + 7), last + 7}


def step_until_hit(world, before=None):
    for _ in range(60):
        asleep = ~world.awake
        if before:
            before(world)
        world.step()
        woken = np.flatnonzero(asleep & world.awake)
        if len(woken):
            return woken
    pytest.fail("nobody was hit")


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_touch_wake_in_one_step(kind):
    world, _ = sleepers(broadphase=kind)
    woken = step_until_hit(world)
    assert set(np.flatnonzero(world.awake & (world.kinds == 2)).tolist()) == in_touch()
    assert sorted(world.events.wake["body"].tolist()) == woken.tolist()
    assert world.events.wake["step"].tolist() == [world.step_count - 1] * len(woken)
    assert world.counters["contacts"] >= 2 * ROW - 1  # with the ground and with each other


def test_the_way_in_which_pairs_are_found_does_not_matter():
    """A body is made in each step of the second world, so that it lists every pair anew."""
    seen = []
    for anew in (False, True):
        world, _ = sleepers()
        lonely = world.add_body(p2.Circle(1), (0, 500), kind="static")

        def touch(_world, lonely=lonely, anew=anew):
            if anew:
                lonely.colliders[0].category = 3 - lonely.colliders[0].category

        woken = step_until_hit(world, touch)
        seen.append((woken.tolist(), world.positions.tobytes(), world.velocities.tobytes()))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_same_bits_with_any_number_of_workers(workers):
    world, _ = sleepers(workers=workers)
    other, _ = sleepers()
    assert step_until_hit(world).tolist() == step_until_hit(other).tolist()
    world.step(n=20)
    other.step(n=20)
    assert world.hash() == other.hash()


def test_ground_that_moves_wakes_what_stands_on_it_and_that_its_neighbours():
    world, ball = sleepers()
    world.remove(ball)
    world.step()
    assert not world.awake[1:].any()
    world.bodies[0].position = (0, -0.51)  # it is what all stand on
    world.step()
    assert world.awake[1 : 1 + 3 * ROW].all()


def test_memory_may_fail_while_they_wake():
    """Whichever allocation of the step fails, nothing has happened."""
    after, _ = sleepers()
    step_until_hit(after)
    world, _ = sleepers()
    world.step(n=after.step_count - 1)
    assert fail_every_allocation(world, world.step) > 2
    assert world.hash() == after.hash()
    np.testing.assert_array_equal(world.awake, after.awake)
