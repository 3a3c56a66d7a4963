"""Live views: zero-copy, valid for ever, seen at the next step, NaN in the rows of removed
bodies.
"""

import gc
import weakref

import numpy as np
import pytest
from scenes_for_tests import ground

import pyphys2d as p2

WRITABLE = {
    "positions": 2,
    "angles": 1,
    "velocities": 2,
    "angular_velocities": 1,
    "forces": 2,
    "torques": 1,
}
READ_ONLY = ["masses", "inertias", "awake", "alive", "kinds"]


@pytest.fixture
def world():
    world = p2.World(gravity=(0, 0))
    for i in range(4):
        world.add_body(p2.Box(1, 1), (3 * i, i), 0.1 * i)
    return world


@pytest.mark.parametrize("name", [*WRITABLE, *READ_ONLY])
def test_views_share_memory_and_have_a_row_per_slot(world, name):
    a, b = getattr(world, name), getattr(world, name)
    assert np.shares_memory(a, b)
    assert a.flags.c_contiguous
    assert len(a) == 4
    if name in WRITABLE:
        assert a.dtype == np.float64
        assert a.shape == ((4, 2) if WRITABLE[name] == 2 else (4,))
        assert a.flags.writeable
    else:
        assert not a.flags.writeable


def test_types_of_the_read_only_views(world):
    assert world.masses.dtype == np.float64
    assert world.inertias.dtype == np.float64
    assert world.awake.dtype == bool
    assert world.alive.dtype == bool
    assert world.kinds.dtype == np.uint8
    world.add_body(kind="static")
    world.add_body(kind="kinematic")
    assert list(world.kinds) == [2, 2, 2, 2, 0, 1]


@pytest.mark.parametrize("name", READ_ONLY)
def test_read_only_stays_read_only(world, name):
    view = getattr(world, name)
    with pytest.raises(ValueError):
        view[0] = 1
    with pytest.raises(ValueError):
        view.setflags(write=True)
    base = view.base
    while base is not None:
        assert not isinstance(base, np.ndarray) or not base.flags.writeable
        with pytest.raises((TypeError, ValueError, BufferError)):
            memoryview(base)[0:1] = b"\1"
        base = getattr(base, "base", None)
    with pytest.raises((AttributeError, ValueError, TypeError)):
        setattr(world, name, 0)


def test_a_view_follows_the_step(world):
    view = world.positions
    world.velocities[:] = (1, 2)
    world.step(0.5)
    np.testing.assert_allclose(view[0], (0.5, 1))
    np.testing.assert_array_equal(view, world.positions)


def test_singular_is_a_value(world):
    body = world.bodies[1]
    position = body.position
    world.positions[1] = (7, 8)
    np.testing.assert_array_equal(position, (3, 1))
    np.testing.assert_array_equal(body.position, (7, 8))
    assert body.position is not body.position
    assert not np.shares_memory(body.position, world.positions)
    with pytest.raises(ValueError, match=r"body\.position = \(x, y\)"):
        body.position[:] = 99
    np.testing.assert_array_equal(body.position, (7, 8))


def test_writes_teleport_and_push(world):
    world.positions[2] = (50, 60)
    world.angles[2] = 1.5
    world.velocities[2] = (1, 0)
    world.angular_velocities[2] = 2
    world.step(0.1)
    body = world.bodies[2]
    np.testing.assert_allclose(body.position, (50.1, 60), rtol=1e-12)
    assert body.angle == pytest.approx(1.7, rel=1e-12)
    assert [b.index for b in {c.body for c in world.at((50.1, 60))}] == [2]


def test_a_write_is_seen_by_queries_at_once(world):
    world.positions[3] = (-40, 0)
    assert [c.body.index for c in world.at((-40, 0))] == [3]
    assert world.at((9, 3)) == []


def test_teleported_bodies_collide_where_they_are():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=200)
    world.positions[body.index] = (20, 0.5)
    world.step(n=60)
    np.testing.assert_allclose(body.position, (20, 0.5), atol=0.01)
    assert len(world.touching(body)) == 1


@pytest.mark.parametrize("name", WRITABLE)
def test_assignment_writes_into_the_same_memory(world, name):
    view = getattr(world, name)
    setattr(world, name, np.full(view.shape, 0.25))
    np.testing.assert_array_equal(view, np.full(view.shape, 0.25))
    setattr(world, name, 0.5)
    np.testing.assert_array_equal(view, np.full(view.shape, 0.5))
    assert np.shares_memory(view, getattr(world, name))


def test_augmented_assignment(world):
    view = world.velocities
    view[:] = (3, 4)
    world.velocities *= 0
    np.testing.assert_array_equal(view, np.zeros((4, 2)))
    world.velocities += (1, 2)
    np.testing.assert_array_equal(view, np.tile((1.0, 2.0), (4, 1)))
    world.step(0.5)
    np.testing.assert_allclose(world.positions[0], (0.5, 1))


def test_assigning_the_wrong_form_changes_nothing(world):
    before = world.positions.copy()
    for bad in (np.zeros((3, 2)), np.zeros((4, 3)), "x"):
        with pytest.raises((ValueError, TypeError)):
            world.positions = bad
    np.testing.assert_array_equal(world.positions, before)


def test_rows_of_removed_bodies_are_nan(world):
    world.remove(world.bodies[1])
    for name, columns in WRITABLE.items():
        row = getattr(world, name)[1]
        assert np.isnan(row).all(), name
        assert np.shape(row) == ((2,) if columns == 2 else ())
    assert not world.alive[1]
    assert list(world.alive) == [True, False, True, True]
    assert np.isfinite(world.positions[[0, 2, 3]]).all()


def test_writes_to_rows_of_removed_bodies_are_ignored(world):
    world.remove(world.bodies[1])
    reference = world.hash()
    world.positions[1] = (5, 5)
    world.velocities[1] = (1, 1)
    assert world.hash() == reference
    world.step()
    assert np.isnan(world.positions[1]).all()
    world.velocities[:] = 1
    world.step()
    body = world.add_body(p2.Circle(1), (9, 9))
    assert body.index == 1
    np.testing.assert_array_equal(world.velocities[1], (0, 0))
    np.testing.assert_array_equal(world.forces[1], (0, 0))


def test_slots_are_stable_and_reused(world):
    bodies = list(world.bodies)
    world.remove(bodies[0])
    world.remove(bodies[2])
    assert [b.index for b in (bodies[1], bodies[3])] == [1, 3]
    assert len(world.positions) == 4
    fresh = [world.add_body(p2.Circle(1)) for _ in range(3)]
    assert sorted(b.index for b in fresh) == [0, 2, 4]
    assert len(world.positions) == 5
    ids = [b.id for b in (bodies[1], bodies[3], *fresh)]
    assert len(set(ids)) == 5


def test_an_older_view_stays_shorter(world):
    old = world.positions
    world.add_body(p2.Circle(1), (70, 7))
    assert len(old) == 4
    assert len(world.positions) == 5


def test_views_held_over_growth_stay_live():
    world = p2.World(gravity=(0, 0))
    first = world.add_body(p2.Circle(1), (1, 2))
    view = world.positions
    moved = world.views_moved
    world.add_bodies(p2.Circle(0.1), np.random.default_rng(0).uniform(-1e3, 1e3, (20_000, 2)))
    np.testing.assert_array_equal(view[0], (1, 2))
    if world.views_moved == moved:
        first.velocity = (3, 0)
        world.step(1.0)
        np.testing.assert_allclose(view[0], (4, 2))
        assert np.shares_memory(view, world.positions)
    else:  # a build without reservation: the old block stays readable
        view[:] = 0


def test_a_view_outlives_its_world():
    world = p2.World()
    world.add_bodies(p2.Circle(1), [(i, 0) for i in range(100)])
    views = [getattr(world, name) for name in [*WRITABLE, *READ_ONLY]]
    expected = world.positions.copy()
    ghost = weakref.ref(world)
    del world
    gc.collect()
    assert ghost() is None
    np.testing.assert_array_equal(views[0], expected)
    views[0][:] = 3
    assert views[0].sum() == 600
    rows = views[0][::2, 1]
    del views
    gc.collect()
    assert rows.sum() == 150


def test_views_of_many_worlds_are_apart():
    worlds = [p2.World() for _ in range(50)]
    for i, world in enumerate(worlds):
        world.add_body(p2.Circle(1), (i, 0))
    views = [world.positions for world in worlds]
    del worlds
    gc.collect()
    assert [view[0, 0] for view in views] == list(range(50))


def test_adding_and_removing_under_held_views():
    world = p2.World(gravity=(0, -10))
    ground(world)
    views = []
    rng = np.random.default_rng(0)
    for i in range(60):
        views.append(world.positions)
        world.add_body(p2.Box(0.5, 0.5), rng.uniform((-5, 1), (5, 10)))
        if i % 3 == 2:
            world.remove(list(world.bodies)[int(rng.integers(1, len(world.bodies)))])
        world.step()
        for view in views:
            np.testing.assert_array_equal(view, world.positions[: len(view)])


def test_nan_through_a_view_names_the_body_and_moves_nobody(world):
    world.velocities[:] = (1, 1)
    world.step()
    bad = world.bodies[2]
    bad.name = "culprit"
    world.velocities[2] = (np.nan, 0)
    positions, angles = world.positions.copy(), world.angles.copy()
    velocities = world.velocities.copy()
    with pytest.raises(ValueError, match=r"\b2\b"):
        world.step()
    np.testing.assert_array_equal(world.positions, positions)
    np.testing.assert_array_equal(world.angles, angles)
    np.testing.assert_array_equal(world.velocities, velocities)
    assert world.step_count == 1
    world.velocities[2] = 0
    world.step()
    np.testing.assert_allclose(world.positions[0], positions[0] + 1 / 60)


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_every_array_is_checked_before_the_step(world, name, value):
    getattr(world, name)[3] = value
    with pytest.raises(ValueError, match=r"\b3\b"):
        world.step()
    assert world.step_count == 0


def test_the_first_bad_body_is_named(world):
    world.positions[3] = np.nan
    world.angles[1] = np.inf
    with pytest.raises(ValueError, match=r"\b1\b"):
        world.step()


def test_asleep_bodies_are_checked_too():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=300)
    assert not body.awake
    world.positions[body.index] = np.nan
    with pytest.raises(ValueError):
        world.step()
    np.testing.assert_array_equal(world.positions[0], (0, -1))


class Holder:
    """What has nothing but the array interface."""

    def __init__(self, view):
        self.view = view
        self.__array_interface__ = view.__array_interface__


def asleep():
    world = p2.World(gravity=(0, -10))
    ground(world)
    body = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.step(n=300)
    assert not body.awake
    return world, body


@pytest.mark.parametrize(
    "derive",
    [
        lambda view: view,
        lambda view: view[1:][:],
        lambda view: view.reshape(-1)[2:].reshape(-1, 2),
        lambda view: np.asarray(memoryview(view))[1:],
        pytest.param(
            lambda view: np.from_dlpack(view)[1:],
            marks=pytest.mark.skipif(
                np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="read-only before NumPy 2.1"
            ),
        ),
        lambda view: np.frombuffer(view, dtype=np.float64)[2:].reshape(-1, 2),
        lambda view: np.asarray(Holder(view))[1:],
    ],
    ids=["same", "slice", "reshape", "memoryview", "dlpack", "frombuffer", "interface"],
)
def test_a_write_wakes_whatever_it_goes_through(derive):
    """Also in a later step than the one that followed the making of the view, and dropped since."""
    world, body = asleep()
    view = derive(world.velocities)
    gc.collect()
    world.step(n=3)
    assert not body.awake
    view[-1] = (0, 3)
    del view
    gc.collect()
    world.step()
    assert body.awake
    assert body.velocity[1] == pytest.approx(3 - 10 / 60, abs=1e-6)


def test_a_force_on_a_sleeper_acts_and_is_cleared():
    world, body = asleep()
    world.forces[body.index] = (0, 600)
    world.step()
    assert body.awake
    assert body.velocity[1] == pytest.approx(10 - 10 / 60, rel=1e-6)  # 1 kg
    np.testing.assert_array_equal(world.forces, 0)


def test_writes_to_static_and_resting_kinematic_bodies():
    world = p2.World(gravity=(0, 0))
    static = world.add_body(p2.Box(1, 1), (0, 0), kind="static")
    kinematic = world.add_body(p2.Box(1, 1), (5, 0), kind="kinematic")
    world.step(n=2)
    view = world.velocities
    world.step(n=2)
    view[:] = (6, 0)
    world.forces[:] = (1, 1)
    world.step()
    np.testing.assert_array_equal(view[static.index], (0, 0))
    np.testing.assert_allclose(kinematic.position, (5.1, 0))
    view[kinematic.index] = 0
    world.step(n=2)
    np.testing.assert_allclose(kinematic.position, (5.1, 0))
    assert not world.awake[kinematic.index]
    np.testing.assert_array_equal(world.forces, 0)


def test_what_is_written_to_the_velocity_of_a_static_body_is_no_state():
    """Also when the step fails that would take it away, and when the body is dynamic later."""
    world = p2.World(gravity=(0, 0))
    static = world.add_body(p2.Box(1, 1), kind="static")
    before = world.hash()
    world.velocities[static.index] = (6, 0)
    world.angular_velocities[static.index] = 1
    assert world.hash() == before
    static.kind = "dynamic"
    np.testing.assert_array_equal(static.velocity, (0, 0))
    assert static.angular_velocity == 0
    world.step()
    np.testing.assert_array_equal(static.position, (0, 0))


def test_a_write_while_steps_run_in_another_thread_is_not_lost():
    """The view is held when the steps begin, written to after the last look, and gone since."""
    import threading

    for _ in range(20):
        world, body = asleep()
        velocities = [world.velocities]
        started = threading.Event()

        def work(world=world, started=started):
            started.set()
            world.step(n=4000)

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        velocities[0][body.index] = (0, 1)
        velocities.clear()
        thread.join()
        world.step()
        if not body.awake:  # it was seen by the steps of the thread, and the body rests again
            assert world.step_count > 4000
            np.testing.assert_array_equal(body.velocity, (0, 0))


def test_huge_but_finite_numbers_do_not_crash(world):
    world.positions[0] = (1e300, -1e300)
    world.velocities[1] = (1e308, 1e308)
    world.angles[2] = 1e300
    world.angular_velocities[3] = 1e308
    for _ in range(5):
        try:
            world.step()
        except ValueError:
            break
    world.query_aabb((-1e300, -1e300), (1e300, 1e300))
    world.cast_ray((0, 0), (1e300, 1e300))


def test_reading_a_view_allocates_no_rows():
    import tracemalloc

    world = p2.World()
    world.add_bodies(p2.Circle(1), np.zeros((10_000, 2)))
    world.positions.sum()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    view = world.positions
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert view.shape == (10_000, 2)
    assert after - before < 1000
