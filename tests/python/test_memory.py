"""Leaks and failing allocations.

The second half needs the test extension: build with PYPHYS2D_TESTING=1, as the README's test
command does.
"""

import gc
import pickle

import numpy as np
import pytest
from failing import check_collected
from scenes_for_tests import mixed

import pyphys2d as p2
from pyphys2d import _core


def live():
    gc.collect()
    return _core._live()


def make_and_drop_worlds():
    world = p2.World()
    world.add_body(p2.Box(1, 1), user_data=world)
    view = world.positions
    world.step()
    del world
    return view


def make_and_drop_bodies():
    world = p2.World()
    for _ in range(5):
        body = world.add_body([p2.Box(1, 1), p2.Circle(1)], name="x", user_data=[1])
        body.attach(p2.Capsule((0, 0), (1, 0), 0.1))
        world.step()
        assert body.contacts is not None
        world.remove(body)


def make_and_drop_shapes():
    shape = p2.Polygon([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)], [[(1, 0.5), (2, 0.5), (2, 0.7)]])
    assert len(shape.parts)
    assert len(shape.vertices)
    assert len(shape.normals)
    assert pickle.loads(pickle.dumps(shape)) == shape
    p2.Chain([(0, 0), (1, 0), (2, 0)])


def make_and_drop_failures():
    world = p2.World(max_bodies=1)
    world.add_body(p2.Circle(1))
    for call in (
        lambda: p2.Circle(-1),
        lambda: p2.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)]),
        lambda: world.add_body(p2.Circle(1)),
        lambda: world.add_body(p2.Circle(1), (np.nan, 0)),
        lambda: world.add_bodies(p2.Circle(1), [(0, np.inf)]),
        lambda: world.step(-1),
        lambda: world.cast_rays([(0, 0)], [(np.nan, 0)]),
    ):
        with pytest.raises((ValueError, MemoryError)):
            call()


def ask_questions():
    world = p2.World()
    world.add_bodies(p2.Box(1, 1), [(i, 0) for i in range(4)])
    world.step()
    world.cast_ray((-5, 0), (10, 0))
    world.cast_ray_all((-5, 0), (10, 0))
    world.cast_rays([(-5, 0)], [(10, 0)])
    world.query_aabb((-5, -5), (5, 5))
    world.at((0, 0))
    world.overlap(p2.Circle(1), (0, 0, 0))
    world.touching(world.bodies[0])
    ball, poses = p2.Circle(1), np.zeros((9, 3))
    world.cast_rays([(-5, 0)] * 9, [(10, 0)], radius=0.5, where=lambda i: i > 0)
    world.cast_shape(ball, (-5, 0, 0), (10, 0), where=np.ones(4, bool))
    world.cast_shapes([ball] * 9, poses, (10, 0))
    world.time_of_impact(world.bodies[0], dt=1)
    world.times_of_impact(list(world.bodies), dt=1)
    world.times_of_impact(ball, poses, poses + 1, dt=1)
    world.nearest((0, 0), k=3)
    world.distances(poses[:, :2], k=40)
    world.overlaps(ball, poses, pieces=True)
    for ask in (
        lambda: world.nearest((0, 0), where=[True]),
        lambda: world.nearest((0, 0), where=lambda i: 1 / 0),
        lambda: world.cast_shapes([ball, 3], poses, (1, 0)),
        lambda: world.times_of_impact([world.bodies[0], ball], dt=1),
    ):
        with pytest.raises((ValueError, TypeError, ZeroDivisionError)):
            ask()
    assert world.events.contact_begin is not None
    assert len(world.contacts) + len(world.pairs) + len(world.islands) + len(world.aabbs) > 0
    world.hash()


def slice_bodies():
    world = p2.World(max_bodies=3)
    body = world.add_body([p2.Box(1, 1), p2.Circle(1)], name="x", user_data=[world])
    left, right = world.slice(body, (0, 0), (0, 1))
    world.slice(left, (-9, 0.1), (9, 0.1))
    with pytest.raises(p2.CapacityError):
        world.slice(right, (0, 0), (1, 0))
    assert len(right.convex_hull())
    ring = [(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]
    g = p2.geometry
    parts = g.slice_polygon(ring, (0, 2), (1, 2))
    parts += g.decompose(ring), g.triangulate(ring), g.convex_hull(ring), g.simplify(ring, 1)
    parts += g.clip_halfplane(ring, (0, 2), (0, 1)), g.clip_polygon(ring, [(0, 0), (2, 0), (0, 2)])
    with pytest.raises(ValueError, match="crosses"):
        g.slice_polygon([(0, 0), (2, 2), (2, 0), (0, 2)], (0, 0), (1, 0))


def step_in_slow_motion():
    world = p2.World()
    world.add_bodies(p2.Box(1, 1), [(0, 0), (0.9, 0)])
    assert len(list(world.stages())) > 10
    for stage in world.stages():
        assert repr(stage)
        break
    world.bodies[0].user_data = world.stages()


def show_pictures():
    world = p2.World()
    body = world.add_body([p2.Box(1, 1), p2.Circle(1)], name="one")
    for thing in (world, body, body.colliders[0], p2.geometry.collide(p2.Circle(1), p2.Circle(1))):
        assert "<svg" in thing._repr_html_()
    p2.geometry.sat(p2.Box(1, 1), p2.Circle(1))
    p2.geometry.clip(p2.Box(1, 1), p2.Box(1, 1))
    p2.geometry.gjk(p2.Box(1, 1), p2.Box(1, 1), pose_b=(3, 1, 0))
    p2.geometry.toi(p2.Box(1, 1), p2.Circle(1), (0, 0, 0), (0, 0, 9), (5, 0, 0), (1, 0, 0))


def ask_pairs():
    boxes, poses = [p2.Box(1, 1) for _ in range(20)], np.zeros((20, 3))
    for function in (p2.geometry.distance, p2.geometry.mtv, p2.geometry.collide):
        function(boxes, tuple(boxes), poses, out=function(np.array(boxes), boxes[0], poses))
    p2.geometry.time_of_impact(boxes, boxes[0], *[poses] * 4)
    with pytest.raises(TypeError):
        p2.geometry.distance([*boxes, None], boxes[0])
    with pytest.raises(ValueError, match="broadcast"):
        p2.geometry.distance(boxes, boxes[:3])


@pytest.mark.parametrize(
    "work",
    [
        make_and_drop_worlds,
        make_and_drop_bodies,
        make_and_drop_shapes,
        make_and_drop_failures,
        ask_questions,
        slice_bodies,
        step_in_slow_motion,
        ask_pairs,
        pytest.param(show_pictures, marks=pytest.mark.slow),
    ],
)
def test_a_thousand_times_leaves_nothing(work):
    for _ in range(3):
        work()
    before = live()
    for _ in range(1000):
        work()
    assert live() == before


def test_live_counts_what_lives():
    before = live()
    world = p2.World()
    during = live()
    assert during != before
    view = world.positions
    del world
    assert live() != before or view is not None
    del view
    assert live() == before


def one_of_each():
    """A world with all that refers to it, by name."""
    world = type("OwnWorld", (p2.World,), {})(workers=1)  # with a place for attributes
    ground, body = world.add_body(p2.Box(9, 1), kind="static"), world.add_body(p2.Box(1, 1))
    things = {
        "body": body,
        "collider": body.colliders[0],
        "joint": world.add_revolute_joint(ground, body),
        "field": world.add_wind((1, 0)),
        "mover": p2.CharacterMover(world, p2.Capsule((0, 0), (0, 1), 0.3), (0, 5)),
        "tree": p2.AABBTree(),
        "hit": world.cast_ray((0, 9), (0, -9)),
        "trajectory": p2.Trajectory.record(world, 2),
        "stages": world.stages(),
    }
    for name in ("bodies", "colliders", "joints", "fields"):
        things[name] = getattr(world, name)
        things[f"iterator of {name}"] = iter(getattr(world, name))
    things["tree"].insert((0, 0), (1, 1), body)
    things["method"] = body.apply_force
    return world, things


PLACES = {
    "body.user_data": lambda world, things, it: setattr(things["body"], "user_data", it),
    "add_body": lambda world, things, it: world.add_body(p2.Circle(1), user_data=it),
    "collider.user_data": lambda world, things, it: setattr(
        world.bodies[0].colliders[0], "user_data", it
    ),
    "attach": lambda world, things, it: world.bodies[0].attach(p2.Circle(1), user_data=it),
    "joint": lambda world, things, it: world.add_weld_joint(None, world.bodies[1], user_data=it),
    "on_force": lambda world, things, it: setattr(world, "on_force", lambda _: it),
    "on_pre_solve": lambda world, things, it: setattr(world, "on_pre_solve", lambda _: it),
    "pair_filter": lambda world, things, it: setattr(world, "pair_filter", lambda _: it),
    "spring law": lambda world, things, it: world.add_spring_law(
        world.add_rotary_joint(None, world.bodies[1]), lambda x, v: it
    ),
    "attribute": lambda world, things, it: setattr(world, "mine", it),
    "tree": lambda world, things, it: (
        things["tree"].insert((0, 0), (1, 1), it),
        setattr(things["body"], "user_data", things["tree"]),
    ),
}


@pytest.mark.fast_cases(70)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", [*one_of_each()[1], "world", "all"])
def test_a_world_that_holds_what_refers_to_it_is_collected(name, place):
    """Through every place that keeps an object, and everything that refers to a world."""

    def make():
        world, things = one_of_each()
        it = {**things, "world": world, "all": [things, world]}[name]
        if name != "stages" or place in (
            "add_body",
            "attach",
            "joint",
            "pair_filter",
            "spring law",
        ):  # which a step that goes on refuses
            things["stages"].close()
        PLACES[place](world, things, it)
        return world

    check_collected(make, 2)


def test_a_view_cached_on_its_world_does_not_keep_it():
    before = live()
    for _ in range(100):
        world = p2.World()
        world.add_body(p2.Circle(1), user_data={"world": world, "view": world.positions})
        del world
    assert live() == before


# ---------------------------------------------------------------- failing allocations


@pytest.fixture
def testing():
    module = pytest.importorskip(
        "pyphys2d._testing",
        reason="LOUD: failing allocations are NOT tested, build with PYPHYS2D_TESTING=1",
    )
    yield module
    module.fail_allocation(0)


def small_world():
    world = mixed()
    world.step(n=60)
    assert world.positions is not None
    return world


POLE = (0, 9)
COMB = [(0, 0), (3, 0), (3, 1.5), (2, 0.4), (1.5, 1.5), (1, 0.4), (0, 1.5)]
HOLE = [(0.2, 0.1), (0.4, 0.1), (0.3, 0.3)]

OPERATIONS = {
    "World": lambda w: p2.World(),
    "World tree": lambda w: p2.World(broadphase="tree"),
    "Circle": lambda w: p2.Circle(1),
    "Polygon": lambda w: p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]),
    "Polygon with a hole": lambda w: p2.Polygon(
        [(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (2, 1), (2, 2)]]
    ),
    "Chain": lambda w: p2.Chain([(0, 0), (1, 0), (2, 1)], loop=True),
    "add_body": lambda w: w.add_body(p2.Box(1, 1), (0, 30)),
    "add_body of many pieces": lambda w: w.add_body(
        [p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]), p2.Circle(1)], (0, 30)
    ),
    "add_bodies": lambda w: w.add_bodies(p2.Box(1, 1), [(i, 30) for i in range(500)]),
    "attach": lambda w: w.bodies[5].attach(p2.Circle(0.2)),
    "attach with data": lambda w: w.bodies[5].attach(p2.Circle(0.2), user_data=POLE),
    "joint with data": lambda w: w.add_weld_joint(None, w.bodies[5], user_data=POLE),
    "remove": lambda w: w.remove(w.bodies[7]),
    "remove the terrain": lambda w: w.remove(w.bodies[0]),
    "step": lambda w: w.step(),
    "stages": lambda w: list(w.stages()),
    "stages closed early": lambda w: w.stages().close(),
    "move and step": lambda w: (w.positions.__setitem__(9, (0, 40)), w.step()),
    "kind": lambda w: setattr(w.bodies[9], "kind", "static"),
    "mask": lambda w: setattr(w.bodies[9].colliders[0], "mask", 0),
    "position": lambda w: setattr(w.bodies[9], "position", (0, 50)),
    "contacts": lambda w: w.contacts,
    "pairs": lambda w: w.pairs,
    "islands": lambda w: w.islands,
    "hash": lambda w: w.hash(),
    "events": lambda w: w.events,
    "make a sensor": lambda w: setattr(w.bodies[9].colliders[0], "sensor", True),
    "overlaps of sensors": lambda w: [c.overlaps for c in w.colliders],
    "cast_ray": lambda w: w.cast_ray((-20, 1), (40, 0)),
    "cast_ray_all": lambda w: w.cast_ray_all((-20, 1), (40, 0)),
    "cast_rays": lambda w: w.cast_rays([(-20, 1)], [(40, 0)]),
    "many rays": lambda w: w.cast_rays(np.tile([(-20.0, 1.0)], (600, 1)), (40, 0)),
    "query_aabb": lambda w: w.query_aabb((-5, 0), (5, 5)),
    "at": lambda w: w.at((0, 1)),
    "overlap": lambda w: w.overlap(p2.Circle(1), (0, 1, 0)),
    "fat ray": lambda w: w.cast_ray((-20, 1), (40, 0), radius=0.5),
    "fat rays": lambda w: w.cast_rays(
        np.tile([(-20.0, 1.0)], (600, 1)), (40, 0), radius=0.2, where=lambda i: i > 3
    ),
    "cast_shape": lambda w: w.cast_shape(p2.Box(1, 1), (-20, 1, 0), (40, 0)),
    "cast_shapes": lambda w: w.cast_shapes(p2.Box(1, 1), np.zeros((600, 3)), (40, 0)),
    "times_of_impact": lambda w: w.times_of_impact(list(w.bodies), dt=1),
    "nearest": lambda w: w.nearest((0, 1), k=3),
    "nearest 99": lambda w: w.nearest((0, 1), k=99),
    "distances": lambda w: w.distances(np.zeros((300, 2)), k=2),
    "overlaps": lambda w: w.overlaps(p2.Circle(3), np.zeros((40, 3)), pieces=True),
    "touching": lambda w: w.touching(w.bodies[9]),
    "convex_hull": lambda w: w.bodies[11].convex_hull(),
    "slice": lambda w: w.slice(w.bodies[11], w.bodies[11].position, w.bodies[11].to_world((1, 2))),
    "slice a circle": lambda w: w.slice(
        w.bodies[3], w.bodies[3].position, w.bodies[3].to_world((1, 2))
    ),
    "slice the terrain": lambda w: w.slice(w.bodies[0], (1, 0), (1, 1)),
    "geometry.convex_hull": lambda w: p2.geometry.convex_hull(COMB),
    "geometry.decompose": lambda w: p2.geometry.decompose(COMB, [HOLE]),
    "geometry.triangulate": lambda w: p2.geometry.triangulate(COMB, [HOLE]),
    "geometry.simplify": lambda w: p2.geometry.simplify(COMB, 0.1),
    "geometry.clip_halfplane": lambda w: p2.geometry.clip_halfplane(COMB, (0, 1), (0, 1)),
    "geometry.clip_polygon": lambda w: p2.geometry.clip_polygon(COMB, HOLE),
    "geometry.slice_polygon": lambda w: p2.geometry.slice_polygon(COMB, (0, 1), (1, 1)),
    "geometry.hull_trace": lambda w: p2.geometry.hull_trace(COMB),
    "slice beside": lambda w: w.slice(w.bodies[8], (0, 900), (1, 900)),
    "gjk": lambda w: p2.geometry.gjk(p2.Box(1, 1), p2.Circle(1), pose_b=(3, 0, 0)),
    "toi": lambda w: p2.geometry.toi(p2.Box(9, 1), p2.Circle(1), *[(3, 0, 0), (0, 4, 9)] * 2),
}


@pytest.mark.fast_cases(60)
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("fresh", [False, True])
def test_every_allocation_may_fail(testing, name, fresh):
    """The n-th allocation fails, for every n: MemoryError, the world as it was, and the next try
    works.
    """
    operation = OPERATIONS[name]
    world = mixed() if fresh else small_world()
    failures = 0
    for n in range(1, 400):
        before = world.hash()
        positions = world.positions.copy()
        count = len(world.bodies)
        if name == "move and step":
            before = None
        testing.fail_allocation(n)
        try:
            operation(world)
        except MemoryError:
            failures += 1
        else:
            break
        finally:
            testing.fail_allocation(0)
        if before is None:
            world.positions[9] = positions[9]
        else:
            assert world.hash() == before
        np.testing.assert_array_equal(world.positions, positions)
        assert len(world.bodies) == count
    else:
        pytest.fail("still failing after 400 allocations")
    if name in ("World", "Circle", "Polygon", "Chain", "convex_hull", "slice") or "." in name:
        assert failures > 0
    # what was spared a failure gives the bits of a world that never met one
    reference = mixed() if fresh else small_world()
    operation(reference)
    assert world.hash() == reference.hash()
    for each in (world, reference):
        each.step(n=30)
    assert world.hash() == reference.hash()


def test_a_long_run_with_failures_in_between_gives_the_same_bits(testing):
    world, reference = mixed(), mixed()
    failures = 0
    for k in range(150):
        testing.fail_allocation(1 + k % 7)
        try:
            world.step()
        except MemoryError:
            failures += 1
            testing.fail_allocation(0)
            world.step()
        finally:
            testing.fail_allocation(0)
        reference.step()
    assert failures > 0
    assert world.hash() == reference.hash()


def test_failures_leak_nothing(testing):
    def once():
        for n in range(1, 60):
            testing.fail_allocation(n)
            try:
                world = p2.World()
                world.add_bodies([p2.Box(1, 1), p2.Circle(1)], [(0, 0), (0.5, 0.5)], compound=True)
                world.step()
                world.cast_ray((0, 0), (1, 1))
                assert world.contacts is not None
            except MemoryError:
                pass
            finally:
                testing.fail_allocation(0)

    once()
    before = live()
    for _ in range(10):
        once()
    assert live() == before


def test_a_switch_makes_allocations_of_python_fail(testing):
    """`fail_python_allocation` counts those of its own thread alone, and only while it is on."""
    byte = b"x"

    def fails(n, count):
        """Which of six strings cannot be made."""
        failed, steps = [False] * 6, iter(range(6))
        testing.fail_python_allocation(n, count)
        try:
            for i in steps:
                try:
                    byte * 1000
                except MemoryError:
                    failed[i] = True
        finally:
            seen = testing.fail_python_allocation(0)
        return failed, seen

    fails(0, 1)
    assert fails(7, 1) == ([False] * 6, 6)
    assert fails(2, 1)[0] == [False, True, False, False, False, False]
    assert fails(1, 2**62)[0] == [True] * 6
    assert fails(0, 1) == ([False] * 6, 0)
    with pytest.raises(ValueError):
        testing.fail_python_allocation(-1)
    with pytest.raises(ValueError):
        testing.fail_python_allocation(1, 0)
