"""Events and contacts agree: what begins, ends."""

import numpy as np
import pytest
from scenes_for_tests import ground, mixed

import pyphys2d as p2


def key(row):
    return tuple(int(row[name]) for name in ("body_a", "body_b", "collider_a", "collider_b"))


@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
@pytest.mark.parametrize("sleeping", [True, False])
def test_begins_less_ends_are_the_touching_pairs_at_all_times(solver, sleeping):
    """Of colliders: a concave shape is one collider, whichever of its pieces touch."""
    world = mixed(solver=solver, sleeping=sleeping)
    touching = set()
    begins = ends = 0
    rng = np.random.default_rng(0)
    for step in range(260):
        world.step()
        events = world.events
        for row in events.contact_end:
            assert key(row) in touching
            touching.discard(key(row))
            ends += 1
        for row in events.contact_begin:
            assert key(row) not in touching
            touching.add(key(row))
            begins += 1
        assert begins - ends == len(touching)
        # contacts have the poses after the step: what has points, touches
        assert {key(row) for row in world.contacts} <= touching
        if step % 40 == 20:
            bodies = [b for b in world.bodies if b.kind == "dynamic"]
            world.remove(bodies[int(rng.integers(len(bodies)))])
    assert begins > 100
    assert ends > 20


def test_events_have_their_step_numbers():
    world = p2.World(gravity=(0, -10))
    ground(world)
    world.add_body(p2.Circle(0.5), (0, 1.5))
    world.add_body(p2.Circle(0.5), (3, 3))
    world.step(n=120)
    begins = world.events.contact_begin
    assert len(begins) == 2
    steps = list(begins["step"])
    assert steps == sorted(steps)
    assert 0 < steps[0] < steps[1] < 120
    # free fall: 1 m and 2.5 m at 10 m/s²
    assert steps[0] == pytest.approx(np.sqrt(2 * 1.0 / 10) * 60, abs=2.5)
    assert steps[1] == pytest.approx(np.sqrt(2 * 2.5 / 10) * 60, abs=2.5)
    world.step()
    assert len(world.events.contact_begin) == 0


def test_events_of_one_call_are_the_events_of_its_steps():
    worlds = [mixed(), mixed()]
    worlds[0].step(n=100)
    rows = []
    for _ in range(100):
        worlds[1].step()
        rows.append(worlds[1].events.contact_begin)
    np.testing.assert_array_equal(worlds[0].events.contact_begin, np.concatenate(rows))


def test_hit_events_carry_speed_point_and_impulse():
    world = p2.World(gravity=(0, 0))
    floor = ground(world)
    body = world.add_body(p2.Circle(0.5), (2, 1), velocity=(0, -8))
    slow = world.add_body(p2.Circle(0.5), (6, 0.6), velocity=(0, -0.5))
    world.step(n=30)
    (hit,) = world.events.contact_hit
    assert {int(hit["body_a"]), int(hit["body_b"])} == {floor.index, body.index}
    assert hit["speed"] == pytest.approx(8, rel=0.05)
    assert hit["impulse"] == pytest.approx(8 * body.mass, rel=0.1)
    np.testing.assert_allclose(hit["point"], (2, 0), atol=0.1)
    np.testing.assert_allclose(np.abs(hit["normal"]), (0, 1), atol=1e-6)
    assert slow.position[1] < 0.6


def test_hit_threshold():
    world = p2.World(gravity=(0, 0), hit_event_threshold=10)
    ground(world)
    world.add_body(p2.Circle(0.5), (2, 1), velocity=(0, -8))
    world.step(n=30)
    assert len(world.events.contact_hit) == 0
    assert len(world.events.contact_begin) == 1


def test_sleep_and_wake_alternate():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=200)
    assert list(world.events.sleep["body"]) == [body.index]
    assert len(world.events.wake) == 0
    body.apply_impulse((0, 1))
    world.step(n=200)
    assert list(world.events.wake["body"]) == [body.index]
    assert world.events.wake["step"][0] < world.events.sleep["step"][0]


def test_removal_ends_contacts():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=10)
    number = body.index
    world.remove(body)
    world.step()
    ends = world.events.contact_end
    assert len(ends) == 1
    assert number in (ends[0]["body_a"], ends[0]["body_b"])


def test_tables_own_their_memory():
    world = mixed()
    world.step(n=100)
    rows, copy = world.contacts, world.contacts.copy()
    begins, begins_copy = world.events.contact_begin, world.events.contact_begin.copy()
    world.step(n=50)
    np.testing.assert_array_equal(rows, copy)
    np.testing.assert_array_equal(begins, begins_copy)
    assert not np.shares_memory(world.contacts, world.contacts)


def test_columns():
    world = mixed()
    world.step(n=100)
    assert set(world.contacts.dtype.names) >= {
        "body_a", "body_b", "collider_a", "collider_b", "piece_a", "piece_b", "normal", "point",
        "separation", "normal_impulse", "tangent_impulse", "feature", "age",
    }  # fmt: skip
    events = world.events
    for name in ("contact_begin", "contact_end"):
        assert set(getattr(events, name).dtype.names) >= {
            "step",
            "body_a",
            "body_b",
            "collider_a",
            "collider_b",
        }
    assert set(events.contact_hit.dtype.names) >= {
        "step",
        "body_a",
        "body_b",
        "point",
        "normal",
        "speed",
        "impulse",
    }
    for name in ("sensor_begin", "sensor_end", "joint_break", "sleep", "wake", "body_move"):
        assert "step" in getattr(events, name).dtype.names


def test_counters_and_profile():
    world = mixed(sleeping=False)
    world.step(n=50)
    counters, profile = dict(world.counters), dict(world.profile)
    assert counters["bodies"] == len(world.bodies)
    assert counters["colliders"] == len(world.colliders)
    assert counters["pairs"] == len(world.pairs)
    assert counters["touching"] == len({key(row) for row in world.contacts})
    assert counters["islands"] >= world.islands.max() + 1
    assert all(value >= 0 for value in profile.values())
    assert profile["step"] > 0
