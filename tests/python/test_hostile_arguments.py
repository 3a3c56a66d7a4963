"""Arguments that are changed by Python code while a call is at work, or that keep it busy."""

import contextlib
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from clock import within
from scenes_for_tests import run_python

import pyphys2d as p2
from pyphys2d import geometry

COUNT = 64
RING = 10 * np.array([(np.cos(t), np.sin(t)) for t in np.arange(COUNT) * 2 * np.pi / COUNT])
HOLE = np.array([(-1.0, -1), (1, -1), (0, 1)])


class Trap:
    """An array_like that does something when it is converted."""

    def __init__(self, action, value):
        self.action, self.value = action, value

    def __array__(self, dtype=None, copy=None):
        self.action()
        return np.array(self.value, dtype=float)


def flatten(array):
    array.shape = (array.size,)


def stand_up(array):
    array.shape = (array.size, 1)


def lay_down(array):
    array.shape = (1, array.size)


def spoil(array):
    array[...] = np.nan


def columns(table):
    return [table[name] for name in table.dtype.names]


def polygon_outline(array, trap):
    return p2.Polygon(array, [trap(HOLE)]).vertices


def polygon_first_hole(array, trap):
    square = [(-20, -20), (20, -20), (20, 20), (-20, 20)]
    return p2.Polygon(square, [array, trap(HOLE + 15)]).holes[0]


def rays(array, trap):
    world = p2.World()
    world.add_body(p2.Circle(3))
    return columns(world.cast_rays(array, trap((-10, 0))))


def points_in_polygon(array, trap):
    return geometry.point_in_polygon(array, trap(HOLE))


def new_bodies(array, trap):
    world = p2.World()
    slots = world.add_bodies(p2.Circle(1), array, trap(0.5))
    return slots, world.positions


def second_moment(array, trap):
    return geometry.second_moment(array, about=trap((0, 0)))


@pytest.mark.parametrize("change", [flatten, stand_up, lay_down, spoil])
@pytest.mark.parametrize(
    "call",
    [polygon_outline, polygon_first_hole, rays, points_in_polygon, new_bodies, second_moment],
)
def test_an_array_changed_while_later_arguments_are_converted(call, change):
    expected = call(RING.copy(), lambda value: value)
    array = RING.copy()
    try:
        found = call(array, lambda value: Trap(lambda: change(array), value))
    except ValueError:  # where the later argument is converted first
        assert call is second_moment
        return
    np.testing.assert_equal(found, expected)


def test_a_subclass_that_keeps_the_copies_made_of_it():
    kept = []

    class Spy(np.ndarray):
        def __array_finalize__(self, parent):
            kept.append(self)

    def change():
        for array in kept:
            if array.size == RING.size and array.flags.owndata:
                flatten(array)

    spy = RING.copy().view(Spy)
    found = geometry.point_in_polygon(spy, Trap(change, HOLE))
    np.testing.assert_equal(found, geometry.point_in_polygon(RING, HOLE))


def test_numbers_that_resize_their_array():
    class Number:
        def __float__(self):
            array.resize(2, refcheck=False)
            return 1.0

    array = np.array([Number() for _ in range(COUNT)], dtype=object)
    assert geometry.direction(array).shape == (COUNT, 2)


def busy_world():
    world = p2.World(sleeping=False)
    world.add_bodies(p2.Circle(0.5), [(i % 40 * 1.01, i // 40 * 1.01) for i in range(1500)])
    return world


def overtaken(prepare):
    """What a call returns whose arguments are changed while it runs. A thread of a busy machine may
    not have come to its call by then, which refuses what it finds: all is done again, with more
    time.
    """
    for delay in (0.02, 0.1, 0.5):
        call, change = prepare()
        found = []

        def run(call=call, found=found):
            with contextlib.suppress(ValueError):
                found.append(call())

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(delay)
        change()
        thread.join()
        if found:
            return found[0]
    raise AssertionError("arguments that were right when the call began were refused")


def test_an_array_changed_while_the_call_waits_for_a_step():
    steppers = []

    def prepare():
        world = busy_world()
        body, points = world.bodies[0], np.zeros((10000, 2))
        steppers.append(threading.Thread(target=lambda: world.step(n=60)))
        steppers[-1].start()
        time.sleep(0.02)

        def change():
            points.shape = (20000,)

        return lambda: body.contains(points), change

    inside = overtaken(prepare)
    for stepper in steppers:
        stepper.join()
    assert inside.shape == (10000,)


def test_rays_changed_while_they_are_cast():
    world = busy_world()
    world.step()
    expected = world.cast_rays([(-5.0, 3.2)], [(50.0, 0.1)])

    def prepare():
        origins = np.tile([(-5.0, 3.2)], (50000, 1))
        translations = np.tile([(50.0, 0.1)], (50000, 1))

        def change():
            spoil(translations)
            spoil(origins)

        return lambda: world.cast_rays(origins, translations), change

    found = overtaken(prepare)
    for found_column, column in zip(columns(found), columns(expected), strict=True):
        assert (found_column == column[0]).all()


# ---------------------------------------------------------------- trees


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
def test_pairs_of_many_boxes_in_one_place_can_be_interrupted():
    class InterruptError(Exception):
        pass

    def interrupt(*_):
        raise InterruptError

    tree = p2.AABBTree()
    for _ in range(15000):
        tree.insert((0, 0), (1, 1))
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with within(5), pytest.raises(InterruptError):
            tree.pairs()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    tree.validate()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
def test_a_signal_handler_that_changes_the_tree_does_not_disturb_pairs():
    tree = p2.AABBTree()
    boxes = [tree.insert((0, 0), (1, 1)) for _ in range(2500)]
    first, second = np.triu_indices(len(boxes), 1)
    expected = np.stack([np.array(boxes)[first], np.array(boxes)[second]], axis=1)

    def change(*_):
        while len(tree):
            tree.remove(boxes.pop())
        for _ in range(100):
            tree.insert((5, 5), (6, 6))

    old = signal.signal(signal.SIGALRM, change)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        found = tree.pairs()
        while boxes:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    np.testing.assert_array_equal(found, expected)
    tree.validate()


def test_pairs_are_in_order_after_ids_have_been_used_again():
    rng = np.random.default_rng(1)
    tree = p2.AABBTree()
    boxes = {}
    for _ in range(3):
        for _ in range(80):
            lower = rng.uniform(0, 10, 2)
            boxes[tree.insert(lower, lower + 1)] = lower
        for box in list(boxes)[::2]:
            tree.remove(box)
            del boxes[box]
    ids = sorted(boxes)
    expected = [
        (a, b)
        for i, a in enumerate(ids)
        for b in ids[i + 1 :]
        if (np.abs(boxes[a] - boxes[b]) <= 1).all()
    ]
    assert tree.pairs().tolist() == [list(pair) for pair in expected]


# ---------------------------------------------------------------- collections and shapes


def test_the_shapes_of_a_list_are_given_back():
    shapes = [p2.Box(1 + i, 1) for i in range(200)]
    world = p2.World()
    body = world.add_body(shapes)
    assert all(c.shape is s for c, s in zip(body.colliders, shapes, strict=True))
    slot = world.add_bodies(shapes, [(0, 0)], compound=True)[0]
    colliders = world.bodies[slot].colliders
    assert all(c.shape is s for c, s in zip(colliders, shapes, strict=True))


def test_a_shape_is_given_back_when_attach_had_to_wait():
    world = busy_world()
    body = world.bodies[0]
    found = []

    def attach(i):
        shape = p2.Box(1 + i, 1)
        found.append(body.attach(shape).shape is shape)

    threads = [threading.Thread(target=attach, args=(i,)) for i in range(150)]
    stepper = threading.Thread(target=lambda: world.step(n=60))
    stepper.start()
    time.sleep(0.02)
    for thread in threads:
        thread.start()
    for thread in [stepper, *threads]:
        thread.join()
    assert found == [True] * 150


def test_an_iterator_shared_by_threads_that_wait_for_a_step():
    for _ in range(5):
        world = busy_world()
        iterator = iter(world.joints)
        threads = [threading.Thread(target=lambda i=iterator: next(i, None)) for _ in range(8)]
        stepper = threading.Thread(target=lambda w=world: w.step(n=20))
        stepper.start()
        time.sleep(0.01)
        for thread in threads:
            thread.start()
        for thread in [stepper, *threads]:
            thread.join()
        assert list(iterator) == []


def test_code_that_runs_after_the_module_was_cleared():
    code = """
import gc, sys
import numpy as np
import pyphys2d

class Late:
    __slots__ = ("uses",)  # not seen by the collector: dropped in the middle of its work
    def __del__(self):
        for use in self.uses:
            try:
                use()
            except Exception as error:
                assert "NULL" not in str(error), error
        print("late")

def make():
    p2 = pyphys2d
    world, tree, shape = p2.World(), p2.AABBTree(), p2.Box(1, 1)
    body = world.add_body(shape)
    late = Late()
    late.uses = [
        lambda: world.bodies, lambda: list(world.colliders), lambda: world.add_body(shape),
        lambda: world.positions, lambda: world.events, lambda: world.contacts, lambda: world.step(),
        lambda: world.cast_ray((-5, 0), (9, 0)), lambda: world.at((0, 0)),
        lambda: world.remove(body),
        lambda: body.colliders[0].shape, lambda: body.position, lambda: body.attach(shape),
        lambda: type(world)(), lambda: type(shape)(1, 1), lambda: shape == shape,
        lambda: p2.geometry.distance(shape, shape), lambda: p2.geometry.collide(shape, shape),
        lambda: tree.insert((0, 0), (1, 1)), lambda: tree.nodes, lambda: tree.pairs(),
        lambda: repr(world), lambda: world.add_bodies(shape, np.zeros((2, 2))),
    ]
    world.add_body(None, user_data=late)
    tree.insert((0, 0), (1, 1), data=late)

make()
if len(sys.argv) > 1:
    for name in list(sys.modules):
        if name.startswith("pyphys2d"):
            del sys.modules[name]
    del pyphys2d
    gc.collect()
    print("collected")
"""
    for arguments in ([], ["now"]):
        done = run_python("-X", "faulthandler", "-c", code, *arguments)
        assert done.returncode == 0, done.stderr
        assert "late" in done.stdout
        assert "AssertionError" not in done.stderr, done.stderr


# ------------------------------------------------- what a call works on, while it converts


def of_body(name, value):
    return lambda s, trap: setattr(s.body, name, trap(value))


def add_joint(kind, **options):
    """The last option is the trap's."""

    def call(s, trap):
        last = list(options)[-1]
        more = options | {last: trap(options[last])}
        return getattr(s.world, f"add_{kind}_joint")(s.body, s.other, **more)

    return call


WORKING = {
    "position": of_body("position", (1, 2)),
    "velocity": of_body("velocity", (1, 2)),
    "force": lambda s, trap: s.body.apply_force((1, 0), trap((0, 1))),
    "impulse": lambda s, trap: s.body.apply_impulse((1, 0), trap((0, 1))),
    "move_to": lambda s, trap: s.platform.move_to(trap((0, 1)), 0.5, 0.1),
    "to_world": lambda s, trap: s.body.to_world(trap([(0, 1)] * 9)),
    "to_local": lambda s, trap: s.body.to_local(trap([(0, 1)] * 9)),
    "velocity_at": lambda s, trap: s.body.velocity_at(trap([(0, 1)] * 9)),
    "contains": lambda s, trap: s.body.contains(trap([(0, 1)] * 9)),
    "slice": lambda s, trap: s.world.slice(s.body, (0, 9), trap((0, 8))),
    "revolute": add_joint("revolute", anchor=(0, 0)),
    "distance": add_joint("distance", anchor_a=(0, 0), anchor_b=(1, 0)),
    "prismatic": add_joint("prismatic", axis=(0, 1)),
    "motor": add_joint("motor", offset=(0, 1)),
    "pulley": add_joint("pulley", ground_a=(0, 9), ground_b=(3, 9)),
    "mouse": lambda s, trap: s.world.add_mouse_joint(s.body, target=trap((0, 1))),
    "target": lambda s, trap: setattr(s.mouse, "target", trap((0, 1))),
    "add_body": lambda s, trap: s.world.add_body(p2.Circle(1), (0, 1), velocity=trap((0, 1))),
    "add_bodies": lambda s, trap: s.world.add_bodies(
        p2.Circle(1), np.zeros((9, 2)), velocity=trap(np.zeros((9, 2)))
    ),
    "positions": lambda s, trap: setattr(s.world, "positions", trap((1, 2))),
    "angles": lambda s, trap: setattr(s.world, "angles", trap(0.5)),
    "forces": lambda s, trap: setattr(s.world, "forces", trap((1, 2))),
    "gravity": lambda s, trap: setattr(s.world, "gravity", trap((1, 2))),
    "ray": lambda s, trap: s.world.cast_ray((-9, 9), trap((20, 0))),
    "rays": lambda s, trap: s.world.cast_rays(np.zeros((40, 2)), trap((20, 0)), radius=0.1),
    "choice": lambda s, trap: s.world.cast_ray(
        (-9, 9), (20, 0), where=lambda i: np.asarray(trap(np.ones(len(i)))) > 0
    ),
    "shape": lambda s, trap: s.world.cast_shape(p2.Circle(1), (0, 9, 0), trap((20, 0))),
    "shapes": lambda s, trap: s.world.cast_shapes(p2.Circle(1), np.zeros((40, 3)), trap((20, 0))),
    "impact": lambda s, trap: s.world.time_of_impact(p2.Circle(1), (0, 9, 0), trap((20, 0, 0))),
    "impacts": lambda s, trap: s.world.times_of_impact(
        p2.Circle(1), np.zeros((40, 3)), trap((20, 0, 0))
    ),
    "nearest": lambda s, trap: s.world.nearest(trap((0, 1)), k=3),
    "distances": lambda s, trap: s.world.distances(trap(np.zeros((40, 2))), k=3),
    "overlap": lambda s, trap: s.world.overlap(p2.Circle(9), trap((0, 1, 0))),
    "overlaps": lambda s, trap: s.world.overlaps(p2.Circle(9), trap(np.zeros((40, 3)))),
    "aabb": lambda s, trap: s.world.query_aabb((-9, -9), trap((9, 9))),
    "at": lambda s, trap: s.world.at(trap((0, 1))),
    "explode": lambda s, trap: s.world.explode(trap((0, 1)), 5, 2, 3),
    "fluid": lambda s, trap: s.world.add_fluid(trap([(-9, 0), (9, 0)]), 1),
    "surface": lambda s, trap: setattr(s.fluid, "surface", trap([(-9, 0), (9, 0)])),
    "wind": lambda s, trap: s.world.add_wind(trap((0, 1))),
}


ARRAYS = ("positions", "angles", "forces")


def remove_all(s):
    for members in (s.world.fields, s.world.joints, s.world.bodies):
        for member in list(members):
            s.world.remove(member)


def fill_up(s):
    s.world.add_bodies(p2.Circle(0.1), np.random.default_rng(0).uniform(50, 90, (3000, 2)))


def fall_apart(s):
    raise ArithmeticError


ACTIONS = {
    "removes it": lambda s: s.world.remove(s.body),
    "removes all": remove_all,
    "removes all and fills up": lambda s: (remove_all(s), fill_up(s)),
    "fills up": fill_up,
    "steps": lambda s: s.world.step(n=3),
    "locks it": lambda s: s.kept.append(s.world.stages()),
    "raises": fall_apart,
}


def working_scene():
    s = SimpleNamespace(world=p2.World(), kept=[])
    world = s.world
    s.body = world.add_body([p2.Box(1, 1), p2.Circle(0.5, (1, 0))], (0, 8.5), name="it")
    s.other = world.add_body(p2.Circle(1), (5, 8))
    s.platform = world.add_body(p2.Box(3, 1), (-9, 0), kind="kinematic")
    s.mouse = world.add_mouse_joint(s.other, target=(5, 9))
    s.fluid = world.add_fluid(-3.0, 1)
    world.add_weld_joint(s.body, s.other)
    world.step()
    return s


@pytest.mark.fast_cases(140)
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("name", WORKING)
def test_a_call_whose_world_is_changed_while_it_converts(name, action):
    """It does what a call made afterwards would do: that one's errors, and that one's world."""
    s, reference = working_scene(), working_scene()
    called = []

    def act():
        if not called:
            called.append(True)
            ACTIONS[action](s)

    def outcome(scene, trap):
        try:
            WORKING[name](scene, trap)
        except Exception as error:
            return type(error)
        return None

    got = outcome(s, lambda value: Trap(act, value))
    assert called
    if action == "raises":
        assert got is ArithmeticError
        assert s.world.hash() == reference.world.hash()
        return
    rows = len(reference.world.positions)
    ACTIONS[action](reference)

    def plain(value):
        if name not in ARRAYS:
            return np.array(value, dtype=float)
        whole = getattr(reference.world, name).copy()
        whole[:rows] = value  # rows that came meanwhile keep their numbers
        return whole

    assert got is outcome(reference, plain)
    for scene in (s, reference):
        scene.kept.clear()
        scene.world.step()
    assert s.world.hash() == reference.world.hash()
