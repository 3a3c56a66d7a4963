"""The hook before every step: against the same done between steps; its misuse."""

import gc
import re
import threading

import numpy as np
import pytest
from failing import check_collected, fail_every_allocation
from scenes_for_tests import ground, mixed

import pyphys2d as p2

DT = 1 / 60


@pytest.fixture
def world():
    return p2.World(gravity=(0, 0), sleeping=False)


def test_it_is_called_before_each_step_with_the_world(world):
    body = world.add_body(p2.Circle(0.5))
    seen = []

    def push(w):
        assert w is world
        seen.append((w.step_count, w.time, body.position[0]))
        body.apply_force((2, 0))

    assert world.on_force is None
    world.on_force = push
    assert world.on_force is push
    world.step(DT, n=5)
    assert [s[0] for s in seen] == [0, 1, 2, 3, 4]
    assert seen[1][1] == DT
    assert seen[0][2] == 0 < seen[1][2] < seen[4][2]
    assert body.velocity[0] == pytest.approx(5 * DT * 2 / body.mass, rel=1e-12)
    world.on_force = None
    world.step(DT, n=5)
    assert len(seen) == 5
    world.on_force = push
    world.step(DT, n=0)
    assert len(seen) == 5


def test_the_live_arrays_are_at_hand(world):
    """A weight on every body is gravity, to the last bits."""
    world.add_bodies(p2.Box(1, 1), [(3 * i, 0) for i in range(50)], density=2.5)
    twin = p2.World(gravity=(1, -9), sleeping=False)
    twin.add_bodies(p2.Box(1, 1), [(3 * i, 0) for i in range(50)], density=2.5)
    world.on_force = lambda w: np.copyto(w.forces, w.masses[:, None] * (1, -9))
    world.step(DT, n=60)
    twin.step(DT, n=60)
    np.testing.assert_allclose(world.positions, twin.positions, rtol=1e-12)
    assert not world.forces.any()


def test_an_older_view_may_be_written_in_it(world):
    world.add_bodies(p2.Circle(0.5), [(2 * i, 0) for i in range(5)])
    forces, velocities = world.forces, world.velocities

    def push(_):
        forces[:, 1] += 3
        velocities[0] = (1, 0)

    world.on_force = push
    world.step(DT, n=9)
    assert (world.velocities[1:, 1] > 0.1).all()
    assert world.velocities[0, 0] == 1


def program(world, step):
    """Changes of every kind, by the number of the step."""
    bodies = list(world.bodies)
    world.forces[::3] += (0.3 * step, 2)
    world.torques[::5] -= 0.4
    if step % 3 == 0:
        world.add_body(p2.Box(0.5, 0.4), (step % 7 - 3, 12), 0.1 * step, friction=0.1)
    if step % 4 == 0:
        world.remove(bodies[-1 - step % 3])
    if step % 5 == 0:
        bodies[1].position = (step % 11 - 5, 15)
        bodies[1].attach(p2.Circle(0.2, (0.5, 0)))
    if step % 5 == 2 and len(bodies[1].colliders) > 1:
        world.remove(bodies[1].colliders[-1])
    if step % 8 == 0:
        world.add_drag(linear=0.1)
        world.explode((0, 1), 3, 1, 1)
    if step % 9 == 0:
        x, y = bodies[3].position
        world.slice(bodies[3], (x, y - 5), (x, y + 5))
    if step % 10 == 0:
        world.gravity = (0, -9 - step % 20)
        bodies[4].sleep()
    if step % 11 == 0 and len(world.fields):
        world.remove(world.fields[0])


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("solver", ["soft_step", "sequential_impulses"])
def test_what_it_does_is_what_is_done_between_steps(solver, workers):
    """Adding, removing, moving, cutting in the hook, n steps a call: the same bits."""
    world, twin = (mixed(solver=solver, workers=workers) for _ in range(2))
    world.on_force = lambda w: program(w, w.step_count)
    world.step(DT, n=40)
    world.step(DT, n=20)
    for step in range(60):
        program(twin, step)
        twin.step(DT)
    assert world.hash() == twin.hash()
    assert len(world.bodies) == len(twin.bodies)


def test_all_may_be_removed(world):
    world.add_bodies(p2.Box(1, 1), [(0.5 * i, 0) for i in range(20)])
    world.add_fluid(0, 1)
    world.step(DT)

    def clear(w):
        for thing in (*w.bodies, *w.fields):
            w.remove(thing)
        w.on_force = None

    world.on_force = clear
    world.step(DT, n=3)
    assert len(world.bodies) == 0
    assert len(world.fields) == 0
    assert world.step_count == 4
    assert len(world.events.contact_end) > 0


def test_a_body_may_remove_itself_while_others_hold_it(world):
    body = world.add_body(p2.Box(1, 1))
    collider = body.colliders[0]
    world.on_force = lambda w: w.remove(body) if body.alive else None
    world.step(DT, n=3)
    with pytest.raises(p2.RemovedError):
        body.wake()
    with pytest.raises(p2.RemovedError):
        collider.friction = 1


def test_an_empty_world_may_be_filled(world):
    world.on_force = lambda w: w.add_body(p2.Circle(0.5), (3 * w.step_count, 0))
    world.step(DT, n=4)
    assert len(world.bodies) == 4


def test_the_example_of_the_docs_runs(repository):
    text = (repository / "docs" / "hooks.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    space = {}
    exec(compile("\n".join(blocks), "hooks.md", "exec"), space)
    np.testing.assert_allclose(np.linalg.norm(space["world"].positions, axis=1), 3, atol=0.3)


# ---------------------------------------------------------------- exceptions


class OurError(Exception):
    pass


def raiser(error, at):
    def hook(world):
        if world.step_count == at:
            raise error

    return hook


@pytest.mark.parametrize(
    "error", [OurError("x"), KeyboardInterrupt(), SystemExit(3), MemoryError()]
)
def test_an_exception_leaves_step_as_itself(error):
    world, twin = mixed(), mixed()
    world.on_force = raiser(error, 25)
    with pytest.raises(type(error)) as caught:
        world.step(DT, n=100)
    assert caught.value is error
    assert world.step_count == 25
    twin.step(DT, n=25)
    assert world.hash() == twin.hash()
    with pytest.raises(type(error)):
        world.step(DT)
    assert world.hash() == twin.hash()
    world.on_force = None
    world.step(DT, n=10)
    twin.step(DT, n=10)
    assert world.hash() == twin.hash()


def test_what_it_did_before_it_failed_stays(world):
    """As anything done between two steps."""
    body = world.add_body(p2.Circle(0.5), mass=2)

    def fail(_):
        body.apply_force((4, 0))
        raise OurError

    world.on_force = fail
    with pytest.raises(OurError):
        world.step(DT)
    np.testing.assert_array_equal(world.forces, [(4, 0)])
    world.on_force = None
    world.step(DT)
    assert body.velocity[0] == pytest.approx(DT * 2, rel=1e-12)


def test_the_events_of_the_last_call_survive_a_hook_that_fails():
    world = p2.World()
    ground(world)
    world.add_body(p2.Box(1, 1), (0, 0.499))
    world.step(DT)
    begun = len(world.events.contact_begin)
    assert begun == 1
    world.on_force = raiser(OurError(), 1)
    with pytest.raises(OurError):
        world.step(DT)
    assert len(world.events.contact_begin) == begun


def test_it_sees_the_events_so_far():
    world = p2.World()
    ground(world)
    world.add_body(p2.Circle(0.5), (0, 0.51), velocity=(0, -2), restitution=1)
    found = []
    world.on_force = lambda w: found.append(len(w.events.contact_begin))
    world.step(DT, n=4)
    world.step(DT, n=2)
    assert found[0] == 0
    assert found[3] == 1
    assert found[4] == 1  # of the call before
    assert found[5] == 0


def test_numbers_that_are_not_finite_are_named(world):
    world.add_bodies(p2.Circle(0.5), [(3 * i, 0) for i in range(3)])

    def spoil(w):
        if w.step_count == 2:
            w.forces[1, 0] = np.nan

    world.on_force = spoil
    with pytest.raises(ValueError, match="forces: body 1"):
        world.step(DT, n=9)
    assert world.step_count == 2


@pytest.mark.parametrize("dt", [0, -1, np.nan, 1e9, "1"])
def test_a_step_that_is_refused_calls_nothing(world, dt):
    world.add_body(p2.Circle(0.5))
    world.on_force = lambda w: w.bodies[0].apply_force((1, 0))
    before = world.hash()
    for call in (world.step, world.stages):
        with pytest.raises((ValueError, TypeError)):
            call(dt)
    assert world.hash() == before


@pytest.mark.parametrize("bad", [3, "push", [], (lambda: 0,)])
def test_what_cannot_be_called_is_refused(world, bad):
    world.on_force = print
    with pytest.raises(TypeError, match="on_force: must be callable or None, got"):
        world.on_force = bad
    assert world.on_force is print
    with pytest.raises(TypeError, match="on_force cannot be deleted"):
        del world.on_force


def test_a_hook_with_a_wrong_signature(world):
    world.on_force = lambda: None
    before = world.hash()
    with pytest.raises(TypeError, match="positional"):
        world.step(DT)
    assert world.hash() == before


# ---------------------------------------------------------------- re-entrancy


def test_steps_inside_are_refused(world):
    world.add_body(p2.Circle(0.5))
    caught = []

    def again(w):
        for call in (w.step, w.stages, lambda: w.step(n=0)):
            with pytest.raises(p2.WorldLockedError, match="hook") as error:
                call()
            caught.append(error.value)

    world.on_force = again
    world.step(DT, n=2)
    assert len(caught) == 6
    assert world.step_count == 2


def test_another_world_may_be_stepped_inside(world):
    other = p2.World()
    other.on_force = lambda w: w.add_body(p2.Circle(1))
    world.on_force = lambda _: other.step(DT)
    world.step(DT, n=3)
    assert (other.step_count, len(other.bodies)) == (3, 3)


def test_a_refusal_inside_leaves_the_way_open(world):
    body = world.add_body(p2.Circle(0.5))

    def clumsy(w):
        with pytest.raises(ValueError):
            w.add_body(p2.Circle(1), (np.nan, 0))
        with pytest.raises(ValueError):
            body.apply_force((np.inf, 0))
        with pytest.raises(KeyError):
            w.bodies[99]
        with pytest.raises(TypeError):
            w.add_wind()
        assert repr(w).startswith("<World of 1")
        repr(body)
        w.hash(), w.contacts, w.events, w.profile, w.tree()
        w.cast_rays([(0, 5)] * 1000, [(0, -9)] * 1000)

    world.on_force = clumsy
    world.step(DT, n=3)
    assert world.step_count == 3
    world.on_force = None
    world.step(DT)


def test_a_hook_that_drops_itself_and_what_it_holds(world):
    class Holder:
        def __init__(self):
            self.body = world.add_body(p2.Circle(0.5))

        def __call__(self, w):
            w.on_force = None
            return self

        def __del__(self):
            died.append(world.step_count)  # the world may be used here

    died = []
    world.on_force = Holder()
    world.step(DT, n=2)
    gc.collect()
    assert died == [0]
    assert world.step_count == 2


# ---------------------------------------------------------------- stages


def test_stages_call_it_once():
    world, twin = mixed(), mixed()
    calls = []

    def push(w):
        calls.append(w.step_count)
        w.forces[:] += (0.5, 0.1)

    world.on_force = twin.on_force = push
    for _ in range(5):
        for _ in world.stages(DT):
            pass
        twin.step(DT)
    assert calls == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert world.hash() == twin.hash()


def test_a_hook_that_fails_locks_nothing(world):
    world.add_body(p2.Circle(0.5))
    world.on_force = raiser(OurError(), 0)
    with pytest.raises(OurError):
        world.stages(DT)
    world.on_force = None
    world.step(DT)


def test_it_may_be_set_while_stages_lock_the_world(world):
    world.add_body(p2.Circle(0.5))
    stages = world.stages(DT)
    next(stages)
    world.on_force = raiser(OurError(), 1)
    list(stages)
    with pytest.raises(OurError):
        world.step(DT)


# ---------------------------------------------------------------- threads, memory


def test_other_threads_wait_until_all_steps_are_made(world):
    world.add_body(p2.Circle(0.5))
    inside, order = threading.Event(), []

    def slow(w):
        inside.set()
        for _ in range(50):
            order.append("hook")
            threading.Event().wait(0.0005)

    def reader():
        inside.wait(10)
        order.append(("read", world.step_count))

    def stepper():
        inside.wait(10)
        world.step(DT)
        order.append("stepped")

    world.on_force = slow
    threads = [threading.Thread(target=f) for f in (reader, stepper)]
    for thread in threads:
        thread.start()
    world.step(DT, n=3)
    for thread in threads:
        thread.join(10)
    assert world.step_count == 4
    assert order.index("stepped") >= 150
    (read,) = (i for i, entry in enumerate(order) if isinstance(entry, tuple))
    assert read >= 149
    assert order[read][1] >= 3


def test_many_threads_with_hooks():
    world = mixed()
    errors = []

    def work():
        try:
            for _ in range(10):
                world.step(DT, n=2)
                world.add_body(p2.Circle(0.3), (0, 20))
        except Exception as error:
            errors.append(error)

    world.on_force = lambda w: np.add(w.forces, (0.1, 0), out=w.forces)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors
    assert world.step_count == 80


def test_a_world_and_its_hook_are_collected_together():
    def make():
        world = p2.World()
        body = world.add_body(p2.Circle(1))
        world.on_force = lambda _: body.apply_force((1, 0))
        world.step(DT)
        return world

    check_collected(make)


def test_every_allocation_may_fail():
    world, reference = mixed(), mixed()
    calls = []
    world.on_force = reference.on_force = lambda w: calls.append(w.step_count)
    failures = fail_every_allocation(world, lambda: world.step(DT))
    assert failures > 0
    assert len(calls) == failures + 1
    reference.step(DT)
    assert world.hash() == reference.hash()
