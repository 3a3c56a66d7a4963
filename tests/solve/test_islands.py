"""Islands, sleep, and everything that wakes."""

import numpy as np
import pytest
from scenes_for_tests import ground

import pyphys2d as p2


@pytest.fixture
def asleep():
    """Ground, a tower of three boxes at x = 0 and one box at x = 10, all asleep."""
    world = p2.World(gravity=(0, -10))
    ground(world)
    tower = [world.add_body(p2.Box(1, 1), (0, 0.5 + i)) for i in range(3)]
    alone = world.add_body(p2.Box(1, 1), (10, 0.5))
    world.step(n=300)
    assert not world.awake[1:].any()
    return world, tower, alone


def test_islands_are_numbered_by_lowest_slot(asleep):
    world, tower, alone = asleep
    islands = world.islands
    assert list(islands[[b.index for b in tower]]) == [0, 0, 0]
    assert islands[alone.index] == 1
    assert islands[0] == -1


def test_islands_are_connected_components_of_the_contacts():
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world)
    rng = np.random.default_rng(0)
    world.add_bodies(p2.Circle(0.5), rng.uniform((-20, 0.5), (20, 4), (60, 2)))
    world.step(n=200)
    parent = list(range(len(world.positions)))

    def find(i):
        while parent[i] != i:
            i = parent[i]
        return i

    for row in world.contacts:
        a, b = int(row["body_a"]), int(row["body_b"])
        if world.kinds[a] == 2 and world.kinds[b] == 2:
            parent[max(find(a), find(b))] = min(find(a), find(b))
    islands = world.islands
    assert islands[0] == -1
    # touching bodies share an island; an island may also hold bodies within the margin
    for i in range(1, len(parent)):
        assert islands[i] == islands[find(i)]
    assert islands.max() + 1 <= len({find(i) for i in range(1, len(parent))})


def test_a_sleeping_world_stands_still(asleep):
    world, _, _ = asleep
    before = world.positions.copy()
    world.step(n=100)
    np.testing.assert_array_equal(world.positions, before)
    assert (world.velocities == 0).all()


def test_sleep_is_an_event():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=300)
    assert list(world.events.sleep["body"]) == [body.index]


def test_sleeping_false_never_sleeps():
    world = p2.World(gravity=(0, -10), sleeping=False)
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=600)
    assert body.awake


def test_can_sleep_false_keeps_an_island_awake():
    world = p2.World(gravity=(0, -10))
    ground(world)
    a = world.add_body(p2.Box(1, 1), (0, 0.5))
    b = world.add_body(p2.Box(1, 1), (0, 1.5), can_sleep=False)
    world.step(n=400)
    assert a.awake
    assert b.awake
    b.can_sleep = True
    world.step(n=400)
    assert not a.awake
    assert not b.awake


def test_contact_wakes(asleep):
    world, tower, alone = asleep
    world.add_body(p2.Circle(0.5), (0, 4), velocity=(0, -10))
    world.step(n=20)
    assert all(b.awake for b in tower)
    assert not alone.awake


def wake_by_force(world, body):
    body.apply_force((0, 1e-3))


def wake_by_impulse(world, body):
    body.apply_impulse((0, 1e-3))


def wake_by_torque(world, body):
    body.apply_torque(1e-3)


def wake_by_angular_impulse(world, body):
    body.apply_angular_impulse(1e-3)


def wake_by_position(world, body):
    body.position = np.add(body.position, (0.01, 0))


def wake_by_angle(world, body):
    body.angle = 0.01


def wake_by_velocity(world, body):
    body.velocity = (0.5, 0)


def wake_by_angular_velocity(world, body):
    body.angular_velocity = 0.5


def wake_by_view_of_positions(world, body):
    world.positions[body.index, 1] += 0.1


def wake_by_view_of_angles(world, body):
    world.angles[body.index] += 0.01


def wake_by_view_of_velocities(world, body):
    world.velocities[body.index] = (0.1, 0.1)


def wake_by_view_of_spins(world, body):
    world.angular_velocities[body.index] = 0.1


def wake_by_view_of_forces(world, body):
    world.forces[body.index] = (0, 0.5)


def wake_by_view_of_torques(world, body):
    world.torques[body.index] = 0.5


def wake_by_call(world, body):
    body.wake()


def wake_by_flag(world, body):
    body.awake = True


def wake_by_mass(world, body):
    body.mass = 3


def wake_by_attaching(world, body):
    body.attach(p2.Circle(0.2, (0, 0.6)))


def wake_by_gravity(world, body):
    world.gravity = (0, -5)


WAYS = [f for name, f in sorted(globals().items()) if name.startswith("wake_by_")]


@pytest.mark.parametrize("way", WAYS, ids=lambda f: f.__name__)
def test_ways_to_wake(asleep, way):
    world, tower, alone = asleep
    way(world, alone)
    world.step()
    assert alone.awake
    if way is not wake_by_gravity:
        assert not any(b.awake for b in tower)
        assert alone.index in world.events.wake["body"]


@pytest.mark.parametrize("way", [wake_by_force, wake_by_view_of_velocities, wake_by_call])
def test_waking_one_wakes_its_island(asleep, way):
    world, tower, alone = asleep
    way(world, tower[2])
    world.step()
    assert all(b.awake for b in tower)
    assert not alone.awake


def test_removal_of_a_support_wakes(asleep):
    world, tower, alone = asleep
    world.remove(tower[0])
    world.step(n=30)
    assert tower[1].position[1] < 1.4
    assert not alone.awake


def test_removal_of_the_ground_wakes_all():
    world = p2.World(gravity=(0, -10))
    floor = ground(world)
    bodies = [world.add_body(p2.Box(1, 1), (3 * i, 0.5)) for i in range(3)]
    world.step(n=300)
    assert not any(b.awake for b in bodies)
    world.remove(floor)
    world.step(n=30)
    assert all(b.awake and b.position[1] < 0.4 for b in bodies)


def test_moving_the_ground_wakes(asleep):
    world, _, alone = asleep
    world.bodies[0].position = (0, -2)
    world.step(n=30)
    assert alone.awake
    assert alone.position[1] < 0.4


def test_changing_a_static_body_to_dynamic_wakes_what_it_carries():
    world = p2.World(gravity=(0, -10))
    shelf = world.add_body(p2.Box(4, 1), (0, 10), kind="static")
    body = world.add_body(p2.Box(1, 1), (0, 11))
    world.step(n=300)
    assert not body.awake
    shelf.kind = "dynamic"
    world.step(n=30)
    assert body.awake
    assert body.position[1] < 10.9


def test_a_kinematic_body_that_starts_to_move_wakes():
    world = p2.World(gravity=(0, -10))
    platform = world.add_body(p2.Box(6, 1), (0, -0.5), kind="kinematic")
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=300)
    assert not body.awake
    platform.velocity = (1, 0)
    world.step(n=60)
    assert body.awake
    assert body.velocity[0] == pytest.approx(1, rel=0.05)


def test_a_kinematic_pusher_wakes_a_sleeper():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    wall = world.add_body(p2.Box(1, 1), (-5, 0.52), kind="kinematic")
    world.step(n=300)
    assert not body.awake
    wall.velocity = (2, 0)
    world.step(n=150)
    assert body.position[0] > 0.9


def test_putting_to_sleep_by_hand():
    world = p2.World(gravity=(0, -10))
    body = world.add_body(p2.Box(1, 1), (0, 50), velocity=(1, 0))
    body.sleep()
    assert not body.awake
    world.step(n=30)
    np.testing.assert_array_equal(body.position, (0, 50))
    body.awake = True
    world.step(n=30)
    assert body.position[1] < 49


def test_created_asleep_waits_until_it_is_hit():
    world = p2.World(gravity=(0, -10))
    body = world.add_body(p2.Box(1, 1), (0, 10), awake=False)
    world.step(n=60)
    assert not body.awake
    assert body.position[1] == 10
    world.add_body(p2.Circle(0.5), (0, 13))
    world.step(n=90)
    assert body.position[1] < 10


def test_a_slow_steady_drift_does_not_sleep():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(1, 1), velocity=(1, 0))
    world.step(n=600)
    assert body.awake
    assert body.position[0] == pytest.approx(10, rel=1e-9)
