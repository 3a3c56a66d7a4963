"""Signals during a step: what a handler raises ends it soon, and the world is as it was before.

Moments are random in time, so each run of these tests tries others; what must hold does so at any.
"""

import signal
import time

import numpy as np
import pytest

import pyphys2d as p2

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")


class AlarmError(Exception):
    """What the alarm raises."""


@pytest.fixture(autouse=True)
def alarm():
    def ring(*_):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def heap(count=600, **options):
    world = p2.World(gravity=(0, -10), **options)
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    places = [(0.9 * (i % 30) - 13, 0.45 + 0.9 * (i // 30)) for i in range(count)]
    world.add_bodies(p2.Box(0.9, 0.9), places)
    if options.get("solver") is None:
        for k in range(30, count, 30):
            world.add_revolute_joint(world.bodies[0], world.bodies[k], anchor=places[k - 1])
    return world


SLOW = {
    "substeps": lambda: heap(9000, substeps=1024),
    "workers": lambda: heap(12000, substeps=1024, workers=3),
    "iterations": lambda: heap(solver="sequential_impulses", iterations=10**6),
}


def stopped(act, after):
    """Whether the alarm ended the act, and how long after it rang."""
    start = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        act()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except AlarmError:
        return time.perf_counter() - start - after
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


@pytest.mark.parametrize("name", SLOW)
def test_a_long_step_is_taken_back(name):
    world = SLOW[name]()
    views = world.positions, world.velocities
    before = world.hash(), world.step_count, [view.copy() for view in views]
    events = world.counters
    late = []
    for after in (0.03, 0.06, 0.11, 0.17):
        delay = stopped(world.step, after)
        if delay is None or world.step_count > before[1]:
            continue  # it had come to its end
        late.append(delay)
        assert (world.hash(), world.step_count) == before[:2]
        for view, copy in zip(views, before[2], strict=True):
            np.testing.assert_array_equal(view, copy)
        assert {k: v for k, v in world.counters.items() if "rebuilds" not in k} == {
            k: v for k, v in events.items() if "rebuilds" not in k
        }
    assert len(late) >= 3  # the step takes longer than that
    assert min(late) < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("sleeping", [False, True])
def test_a_world_that_was_stopped_goes_on_as_if_nothing_had_been(sleeping):
    world, plain = (heap(6000, substeps=1024, sleeping=sleeping) for _ in range(2))
    rng = np.random.default_rng(7)
    stops = 0
    for _ in range(6):
        for after in rng.uniform(0.03, 0.15, 2):
            count = world.step_count
            stops += stopped(world.step, after) is not None and world.step_count == count
        if world.step_count == plain.step_count:
            world.step()
        while plain.step_count < world.step_count:
            plain.step()
        assert world.hash() == plain.hash()
    assert stops > 0


def test_a_long_step_that_may_be_stopped_has_the_bits_of_one_that_may_not():
    """The stages of a step never make a copy to go back to; their step has the same bits."""
    world, plain = (heap(90, substeps=700) for _ in range(2))
    for _ in range(2):
        world.step()
        for _ in plain.stages(1 / 60):
            pass
        assert world.hash() == plain.hash()


def test_the_search_for_pairs_is_stopped():
    world = p2.World(gravity=(0, 0), broadphase="all_pairs")
    world.add_bodies(p2.Circle(0.1), np.random.default_rng(1).random((20_000, 2)) * 1e6)
    before = world.hash()
    delay = stopped(world.step, 0.05)
    assert delay is not None
    assert delay < 0.5
    assert world.hash() == before
    assert world.step_count == 0


def test_steps_before_the_stopped_one_are_kept():
    world = heap(90)
    assert stopped(lambda: world.step(n=10**6), 0.2) is not None
    assert world.step_count > 0
    plain = heap(90)
    plain.step(n=world.step_count)
    assert world.hash() == plain.hash()


def test_a_handler_in_the_middle_of_a_step_finds_the_world_locked():
    world = heap(6000, substeps=1024)
    found = []

    def look(*_):
        try:
            world.add_body()
        except p2.WorldLockedError as error:
            found.append(error)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    world.step()  # goes on: nothing was raised
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert world.step_count == 1
    assert found


def test_a_hook_is_called_once_for_a_long_step():
    world = heap(substeps=300)
    for collider in list(world.colliders)[:50]:
        collider.pre_solve = True
    calls = []
    world.on_pre_solve = lambda contacts: calls.append(len(contacts))
    world.on_force = lambda world: calls.append("force")
    world.step(n=2)
    assert [kind == "force" for kind in calls] == [True, False, True, False]
