"""Threads inside a step: the same bits for any number of workers, and nothing else that shows."""

import os
import signal
import sys

import numpy as np
import pytest
from scenes_for_tests import mixed, pyramid, run_python

import pyphys2d as p2
from pyphys2d import _core


def towers(**options):
    """Forty small islands, several bins of them."""
    world = p2.World(gravity=(0, -10), **options)
    world.add_body(p2.Box(1000, 2), (0, -1), kind="static")
    x = np.repeat(np.arange(40) * 12.0, 60)
    column, row = np.tile(np.arange(60) % 6, 40), np.tile(np.arange(60) // 6, 40)
    world.add_bodies(p2.Box(0.98, 1), np.column_stack([x + column, row + 0.5]))
    return world


def bouncing(**options):
    """One giant island whose contacts use every feature: restitution, rolling, moving surface,
    damping, and a kinematic body.
    """
    world, _ = pyramid(70, **options)
    for body in list(world.bodies)[1::3]:
        body.linear_damping = 0.1
    for collider in list(world.colliders)[1::4]:
        collider.restitution = 0.5
        collider.rolling_resistance = 0.1
        collider.tangent_speed = 0.2
    world.add_body(p2.Box(4, 0.5), (-30, 6), kind="kinematic", velocity=(3, 0))
    return world


SCENES = {
    "giant island": lambda **options: pyramid(70, **options)[0],
    "bins": towers,
    "features": bouncing,
    "mixed": mixed,
}


@pytest.mark.parametrize("name", SCENES)
def test_workers_change_no_bit(name):
    worlds = [SCENES[name](workers=workers) for workers in (1, 2, 3, 7)]
    for _ in range(4):
        for world in worlds:
            world.step(n=5)
        assert len({world.hash() for world in worlds}) == 1
    counters = worlds[0].counters
    if name == "giant island":
        assert counters["bins"] == 1
        assert counters["contacts"] > 4096  # so that the team shares the bin
    elif name == "bins":
        assert counters["bins"] > 2
    for world in worlds[1:]:
        np.testing.assert_array_equal(world.contacts, worlds[0].contacts)
        assert world.counters == counters


def test_solver_of_the_lesson_with_workers():
    worlds = [pyramid(12, workers=w, solver="sequential_impulses")[0] for w in (1, 3)]
    for world in worlds:
        world.step(n=20)
    assert worlds[0].hash() == worlds[1].hash()


def test_slow_motion_with_workers():
    worlds = [pyramid(70, workers=w)[0] for w in (1, 2)]
    for world in worlds:
        world.step(n=3)
    for _ in worlds[1].stages():
        pass
    worlds[0].step()
    assert worlds[0].hash() == worlds[1].hash()
    for world in worlds:
        world.step(n=3)
    assert worlds[0].hash() == worlds[1].hash()


def test_many_workers_on_few_cores():
    worlds = [towers(workers=w) for w in (1, 256)]
    for world in worlds:
        world.step(n=3)
    assert worlds[0].hash() == worlds[1].hash()


FORK = """
import os, sys
import pyphys2d as p2
from test_workers import towers
world, reference = towers(workers=3), towers()
world.step(n=5)
reference.step(n=10)
child = os.fork()
world.step(n=5)
good = world.hash() == reference.hash()
if child == 0:
    grandchild = os.fork()
    world.step(n=2)
    reference.step(n=2)
    good = good and world.hash() == reference.hash()
    if grandchild:
        good = good and os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]) == 0
    del world
    os._exit(not good)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or not good)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_starts_its_own_threads():
    done = run_python("-W", "ignore", "-c", FORK, cwd=os.path.dirname(__file__), timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs signals")
def test_signals_are_for_the_caller():
    """A handler runs in the main thread although the team is busy most of the time."""
    code = """
import signal, threading
from test_workers import towers
world, seen = towers(workers=3), []
def handler(*_):
    seen.append(threading.current_thread() is threading.main_thread())
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    world.step(n=10**6)
except KeyboardInterrupt:
    pass
assert seen == [True]
count = world.step_count
world.step()
assert 0 < count < 10**6 and world.step_count == count + 1
"""
    done = run_python("-c", code, cwd=os.path.dirname(__file__), timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_interpreter_ends_while_a_team_works():
    code = """
import threading, time
from test_workers import towers
world = towers(workers=3)
threading.Thread(target=lambda: world.step(n=10**6), daemon=True).start()
time.sleep(0.3)
print("end")
"""
    done = run_python("-c", code, cwd=os.path.dirname(__file__), timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "end"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory")
@pytest.mark.skipif("sanitize" in _core.build_switches, reason="sanitizers need address space")
def test_threads_that_cannot_be_started_are_not_missed():
    """Too little address space for 255 stacks: the step is made by those there are, or refused."""
    code = """
import resource
from test_workers import towers
reference, world = towers(max_bodies=4096), towers(max_bodies=4096, workers=256)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
before = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (size + (64 << 20), before[1]))
try:
    world.step()
except MemoryError:
    assert world.step_count == 0
resource.setrlimit(resource.RLIMIT_AS, before)
world.step(n=3 - world.step_count)
reference.step(n=3)
assert world.hash() == reference.hash()
"""
    done = run_python("-c", code, cwd=os.path.dirname(__file__), timeout=120)
    assert done.returncode == 0, done.stderr
