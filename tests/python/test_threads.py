"""Threads and processes: one world shared by two, many worlds side by side, fork."""

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scenes_for_tests import mixed, run_python

import pyphys2d as p2


def test_two_threads_stepping_one_world_take_turns():
    world = mixed(sleeping=False)
    threads = [
        threading.Thread(target=lambda: [world.step(n=10) for _ in range(10)]) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.step_count == 200
    alone = mixed(sleeping=False)
    alone.step(n=200)
    assert world.hash() == alone.hash()


def test_reading_while_another_thread_steps():
    world = mixed(sleeping=False)
    errors = []
    running = threading.Event()

    def read():
        try:
            running.set()
            for _ in range(60):
                assert len(world.contacts) >= 0
                assert len(world.pairs) >= 0
                world.cast_rays(np.zeros((50, 2)), np.ones((50, 2)))
                assert all(np.isfinite(body.position).all() for body in world.bodies)
                world.at((0, 1))
                assert world.kinetic_energy() >= 0
                world.hash()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    running.wait()
    while thread.is_alive():
        world.step(n=20)
    thread.join()
    assert errors == []


def test_adding_and_removing_while_another_thread_steps():
    world = mixed(sleeping=False)
    errors = []

    def change():
        try:
            for i in range(150):
                body = world.add_body(p2.Circle(0.3), (0.1 * (i % 40) - 2, 16))
                world.positions[body.index, 0] += 0.01
                if i % 2:
                    world.remove(body)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=change)
    thread.start()
    while thread.is_alive():
        world.step(n=3)
    thread.join()
    assert errors == []
    assert len(world.bodies) == len(mixed().bodies) + 75


def test_many_worlds_in_parallel_give_the_same_bits():
    def run(_):
        world = mixed()
        world.step(n=120)
        return world.hash()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(run, range(8)))) == 1


def test_shapes_are_shared_by_threads():
    shape = p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)])

    def run(seed):
        rng = np.random.default_rng(seed)
        for _ in range(30):
            world = p2.World()
            world.add_bodies(shape, rng.uniform(-5, 5, (20, 2)))
            world.step(n=3)
        return shape.area

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(run, range(4))) == {shape.area}


def _child(queue, world):
    world.step(n=50)
    queue.put(world.hash())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork():
    world = mixed()
    world.step(n=50)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue, world))
    child.start()
    result = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    world.step(n=50)
    assert world.hash() == result


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_fork_while_another_thread_steps():
    """The child can use worlds that were idle, is told so of the one that was not, and can drop
    it.
    """
    code = """
import gc, os, signal, sys, threading, time, pyphys2d as p2
busy, idle = p2.World(), p2.World()
busy.add_bodies(p2.Circle(0.5), [(i % 40, i // 40) for i in range(2000)])
body, view = busy.bodies[0], busy.positions
idle.add_body(p2.Circle(1))
worlds = [busy]
threading.Thread(target=lambda: worlds[0].step(n=10**6), daemon=True).start()
time.sleep(0.2)
child = os.fork()
if child == 0:
    signal.alarm(60)
    for use in (
        lambda: busy.time, lambda: busy.step(), lambda: body.position, lambda: busy.positions,
        lambda: busy.add_body(p2.Circle(1)), lambda: list(busy.bodies), lambda: repr(busy),
    ):
        try:
            use()
        except RuntimeError as error:
            assert "forked" in str(error), error
        else:
            os._exit(3)
    assert view.shape == (2000, 2)
    idle.step(n=10)
    thread = threading.Thread(target=idle.step)
    thread.start()
    thread.join()
    assert idle.step_count == 11
    del busy, body, view
    worlds.clear()
    gc.collect()
    again = os.fork()
    if again == 0:
        idle.step()
        os._exit(0 if idle.step_count == 12 else 4)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(again, 0)[1]))
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.stdout.flush()
os._exit(status)
"""
    done = run_python("-W", "ignore", "-c", code, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_signal_handler_that_forks_inside_its_own_step():
    code = """
import os, signal, pyphys2d as p2
world = p2.World(sleeping=False)
world.add_bodies(p2.Circle(0.5), [(i % 40, i // 40) for i in range(400)])
child = []
def locked():
    try:
        world.time
    except p2.WorldLockedError:
        return True
    return False
def fork(*_):
    if locked():
        child.append(os.fork())
        if not locked():
            os._exit(3)
    else: # between two steps
        signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.signal(signal.SIGALRM, fork)
signal.setitimer(signal.ITIMER_REAL, 0.1)
while not child:
    world.step(n=1000)
world.step()
os._exit(0 if child[0] == 0 else os.waitstatus_to_exitcode(os.waitpid(child[0], 0)[1]))
"""
    done = run_python("-W", "ignore", "-c", code, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_finalizer_that_uses_a_world_left_in_a_step_at_exit():
    code = """
import builtins, threading, time, pyphys2d as p2
world = p2.World()
world.add_bodies(p2.Circle(0.5), [(i % 40, i // 40) for i in range(2000)])
threading.Thread(target=lambda: world.step(n=10**6), daemon=True).start()
time.sleep(0.2)
class Last:
    def __del__(self, world=world, print=print, RuntimeError=RuntimeError):
        try:
            world.time
        except RuntimeError as error:
            print("told:", error, flush=True)
builtins.last = Last()
print("leaving", flush=True)
"""
    done = run_python("-c", code, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "leaving" in done.stdout
    assert "told: the world was being used" in done.stdout


def test_interpreter_exit_while_threads_step():
    code = """
import threading, time, pyphys2d as p2
world = p2.World()
world.add_bodies(p2.Circle(0.5), [(i % 40, i // 40) for i in range(2000)])
threading.Thread(target=lambda: world.step(n=10**6), daemon=True).start()
time.sleep(0.2)
print("leaving")
"""
    done = run_python("-c", code, timeout=60)
    assert "leaving" in done.stdout
    assert done.returncode == 0, done.stderr
