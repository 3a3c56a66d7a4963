"""World.remove of many things: as one by one, all or none."""

import numpy as np
import pytest

import pyphys2d as p2


def pile():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static", name="floor")
    world.add_body(p2.Box(1, 1), (6, 0.5), kind="static")
    world.add_bodies(p2.Box(1, 1), [(x, y + 0.5) for x in (-3, 0, 3) for y in range(3)])
    world.add_revolute_joint(world.bodies[2], world.bodies[5], anchor=(-1, 1))
    world.add_filter_joint(world.bodies[3], world.bodies[6])
    world.add_drag(linear=0.1)
    world.step(n=120)
    return world


def leavers(world):
    return [
        world.bodies[1],
        world.bodies[4],
        world.joints[0],
        world.fields[0],
        world.bodies[7].colliders[0],
        world.bodies["floor"],
    ]


def test_it_is_as_one_by_one():
    one, other = pile(), pile()
    for thing in leavers(one):
        one.remove(thing)
    other.remove(leavers(other))
    assert one.hash() == other.hash()
    one.step(n=30)
    other.step(n=30)
    assert one.hash() == other.hash()
    assert "floor" not in [body.name for body in other.bodies]


@pytest.mark.parametrize(
    "slots",
    [
        np.array([2, 5, 9]),
        np.array([9, 2, 5], dtype=np.uint8),
        [2, 5, 9],
        (2, np.int32(5), 9),
        (slot for slot in (2, 5, 9)),
        range(2, 10)[::3][:3],
    ],
)
def test_slots_are_bodies(slots):
    world = pile()
    expected = [2, 5, 8] if isinstance(slots, range) else [2, 5, 9]
    world.remove(slots)
    assert set(range(11)) - {body.index for body in world.bodies} == set(expected)
    assert np.flatnonzero(~world.alive).tolist() == expected


def test_whole_collections_go():
    world = pile()
    world.remove(world.joints)
    world.remove(world.bodies)
    assert (len(world.joints), len(world.bodies), len(world.colliders)) == (0, 0, 0)
    world.remove([])
    world.remove(np.array([]))
    world.step()


def test_what_goes_with_another_or_is_given_twice():
    world = pile()
    body = world.bodies[5]
    world.remove([body.colliders[0], body, body, 5, *body.joints])
    assert not body.alive
    assert len(world.bodies) == 10


def test_all_or_none():
    world = pile()
    gone = world.bodies[4]
    world.remove(gone)
    before = world.hash()
    for some, message in (
        ([world.bodies[3], gone], r"object_or_objects\[1\]: number 4 has been removed"),
        (np.array([3, 4]), r"object_or_objects\[1\]: slot 4 holds no body"),
        ([3, 99], r"object_or_objects\[1\]: slot 99 holds no body"),
    ):
        with pytest.raises(p2.RemovedError, match=message):
            world.remove(some)
    other = pile()
    for some, error, message in (
        ([world.bodies[3], other.bodies[3]], ValueError, r"\[1\]: .* belongs to another world"),
        ([world.bodies[3], "floor"], TypeError, r"object_or_objects\[1\]: must be a Body"),
        ([world.bodies[3], True], TypeError, r"object_or_objects\[1\]"),
        (world.alive, TypeError, r"np.flatnonzero\(mask\) are the slots"),
        (np.array([1.0]), TypeError, "of integers"),
        (np.array([[1, 2]]), TypeError, "of integers and shape"),
        (np.array([-1]), ValueError, r"object_or_objects\[0\]: must be the slot"),
        ([-1], ValueError, r"object_or_objects\[0\]"),
        (3, TypeError, r"world.bodies\[slot\]"),
        ("floor", TypeError, r"world.bodies\[name\]"),
        (None, TypeError, "must be a Body"),
        ({}, TypeError, "must be a Body"),
    ):
        with pytest.raises(error, match=message):
            world.remove(some)
    assert world.hash() == before


def test_what_rested_on_them_wakes():
    world = p2.World()
    posts = world.add_bodies(p2.Box(1, 1), [(0, 0), (5, 0)], kind="static")
    boxes = world.add_bodies(p2.Box(1, 1), [(0, 1), (5, 1)])
    world.step(n=120)
    assert not world.awake[boxes].any()
    world.remove(posts[:1])
    assert world.awake[boxes].tolist() == [True, False]
