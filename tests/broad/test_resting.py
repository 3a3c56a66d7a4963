"""Pairs of resting bodies stand apart from those of moving ones; nothing else may tell."""

import numpy as np
import pytest
from scenes_for_tests import ground

import pyphys2d as p2

KINDS = ["grid", "tree", "all_pairs"]


def piles(**options):
    """Small piles that fall asleep, a ball that rolls along them, and a door that turns once."""
    world = p2.World(gravity=(0, -10), **options)
    ground(world, 60)
    for x in range(-40, 41, 8):
        for y in range(3):
            world.add_body(p2.Box(1, 1), (x, 0.5 + y))
    door = world.add_body(p2.Box(2, 0.3), (20, 3.3), kind="kinematic")
    ball = world.add_body(p2.Circle(0.7), (-50, 0.7), can_sleep=False)
    return world, ball, door


def stir(world, ball, door, step):
    if step == 80:
        ball.velocity = (14, 0)
    if step == 150:
        door.angular_velocity = 1.0
    if step == 200:
        door.angular_velocity = 0.0
    if step == 230:
        world.positions[1] = (-40, 6)  # a sleeper is taken away through a view
    if step == 260:
        world.bodies[20].apply_impulse((3, 0))
    if step == 270:
        world.remove(world.bodies[7])
    if step == 300:
        world.add_body(p2.Box(1, 1), (30, 8))


def run(kind, steps=420):
    world, ball, door = piles(broadphase=kind)
    seen = []
    for step in range(steps):
        stir(world, ball, door, step)
        world.step()
        pairs = world.pairs
        keys = list(zip(pairs["collider_a"].tolist(), pairs["collider_b"].tolist(), strict=True))
        assert keys == sorted(set(keys))
        seen.append((world.hash(), int(world.awake.sum()), len(world.contacts)))
    return seen


def test_every_broad_phase_sees_the_same_world():
    grid, tree, every = (run(kind) for kind in KINDS)
    assert grid == tree == every
    awake = np.array([row[1] for row in grid])
    assert awake.min() <= 4  # nearly all of them slept
    assert (np.diff(awake) > 2).sum() >= 2  # piles were woken
    assert (np.diff(awake) < -2).sum() >= 2  # and fell asleep again


@pytest.mark.parametrize("kind", KINDS)
def test_finding_all_pairs_anew_changes_nothing(kind):
    """A filter of a body that nobody meets makes the world look for every pair in every step."""
    plain, *own = piles(broadphase=kind)
    anew, *other = piles(broadphase=kind)
    lonely = [world.add_body(p2.Circle(1), (0, 500), kind="static") for world in (plain, anew)]
    for step in range(300):
        stir(plain, *own, step)
        stir(anew, *other, step)
        lonely[1].colliders[0].category = 1 + step % 2
        plain.step()
        anew.step()
        if step % 10 == 0:
            for name in ("positions", "angles", "velocities", "angular_velocities", "awake"):
                np.testing.assert_array_equal(getattr(plain, name), getattr(anew, name))
            np.testing.assert_array_equal(plain.contacts, anew.contacts)
    events = plain.counters, anew.counters
    assert events[1]["pair_rebuilds"] > 2 * events[0]["pair_rebuilds"]
    assert events[0]["touching"] == events[1]["touching"]


def test_a_copy_in_slow_motion_knows_who_rests():
    plain, *own = piles()
    slow, *other = piles()
    for step in range(200):
        stir(plain, *own, step)
        stir(slow, *other, step)
        plain.step()
        if step % 3:
            slow.step()
        else:
            for _ in slow.stages():
                pass
        assert plain.hash() == slow.hash()


def test_what_moves_together_makes_no_pairs():
    def pairs_at(velocities):
        world = p2.World(gravity=(0, 0))
        world.add_bodies(p2.Box(1, 1), [(1.45 * i, 0) for i in range(10)], velocity=velocities)
        world.step(1e-3)  # slow enough for none to reach another
        world.step(1 / 60)
        return len(world.pairs)

    assert pairs_at(np.tile((30.0, 40.0), (10, 1))) == 0
    against = np.array([(30.0 * (-1) ** i, 0.0) for i in range(10)])
    assert pairs_at(against) == 9
