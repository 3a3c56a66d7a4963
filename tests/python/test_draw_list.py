"""What is drawn: outlines against formulas and Shapely, joints at their anchors, all of one
instant, read-only, in its own memory."""

import doctest
import gc
import sys
import threading

import numpy as np
import pytest
import shapely
from scenes_for_tests import ground, jointed, mixed

import pyphys2d as p2
from pyphys2d import _core

AREA, CIRCLE, LINE, LOOP = range(4)
STEM, MAIN, DASH, LIMIT = range(4)
STATIC, KINEMATIC, AWAKE, ASLEEP = range(4)
ARRAYS = [
    "poses",
    "states",
    "colliders",
    "aabbs",
    "points",
    "rings",
    "circles",
    "joints",
    "joint_points",
    "contacts",
]
STEP = 2 * np.pi / 64  # the chord rule: the longest step on an arc

HOLED = p2.Polygon(
    [(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (2, 1), (2, 2)], [(3, 3), (3.5, 3), (3, 3.5)]]
)
AREAS = [
    p2.Box(2, 1, angle=0.3),
    p2.Box(2, 1, (3, 4), radius=0.4),
    p2.RegularPolygon(500, 1),
    p2.Polygon([(0, 0), (3, 0), (1, 2)], radius=0.2),
    p2.Polygon([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]),
    p2.Polygon([(0, 0), (0, 3), (2, 0)]),
    HOLED,
    p2.Capsule((0, 0), (3, 1), 0.5),
    p2.Capsule((0, 0), (1e-6, 0), 0.5),
    p2.Box(1, 1, (9e6, 9e6)),
]


def rings_of(drawing, row):
    """The rings of a row of colliders, in the frame of its body."""
    which = range(row["first"], row["first"] + row["count"])
    return [drawing.points[drawing.rings[k] : drawing.rings[k + 1]] for k in which]


def only(shape, **options):
    """The draw list of a world with a body of this shape, and its row."""
    world = p2.World()
    world.add_body(shape, (5, 6), 0.7, **options)
    drawing = world.draw_list()
    (row,) = drawing.colliders
    return drawing, row


# ------------------------------------------------------------------------------------------ shapes
@pytest.mark.parametrize("shape", AREAS, ids=repr)
def test_an_outline_has_the_area_of_its_shape(shape):
    drawing, row = only(shape)
    assert row["kind"] == AREA
    assert row["convex"] == shape.is_convex if isinstance(shape, p2.Polygon) else row["convex"]
    assert row["radius"] == shape.radius
    rings = rings_of(drawing, row)
    polygon = shapely.Polygon(rings[0], rings[1:])
    assert polygon.is_valid
    assert polygon.exterior.is_ccw
    assert not any(hole.is_ccw for hole in polygon.interiors)
    # Chords of a full turn leave out at most 1 - sin(s) / s of a disc, which none has less of
    # than all its arcs have together.
    lost = np.pi * shape.radius**2 * (1 - np.sin(STEP) / STEP)
    assert shape.area - lost - 1e-9 * shape.area <= polygon.area <= shape.area * (1 + 1e-9)
    if not shape.radius:
        assert sum(map(len, rings)) == len(shape.vertices) + sum(map(len, shape.holes))


def test_holes_follow_their_outer_ring():
    drawing, row = only(HOLED)
    outer, *holes = rings_of(drawing, row)
    np.testing.assert_array_equal(outer, HOLED.vertices)
    assert len(holes) == len(HOLED.holes) == 2
    for found, expected in zip(holes, HOLED.holes, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("shape", "distance"),
    [
        (
            p2.Capsule((0, 0), (2, 0), 0.5),
            lambda p: np.hypot(p[:, 0] - p[:, 0].clip(0, 2), p[:, 1]),
        ),
        (p2.Box(4, 2, radius=0.5), lambda p: np.hypot(*np.maximum(np.abs(p) - (2, 1), 0).T)),
    ],
    ids=["capsule", "rounded box"],
)
def test_arcs_are_vertices_on_the_arc_by_the_chord_rule(shape, distance):
    drawing, row = only(shape)
    (ring,) = rings_of(drawing, row)
    np.testing.assert_allclose(distance(ring), 0.5, rtol=1e-12)
    chords = np.hypot(*(np.roll(ring, -1, axis=0) - ring).T)
    arcs = chords[chords < 1]  # straight edges are longer
    assert 64 <= len(arcs) <= 64 + 3 * 4
    assert arcs.max() <= 2 * 0.5 * np.sin(STEP / 2) * (1 + 1e-12)


def test_a_circle_is_its_centre_and_radius():
    drawing, row = only(p2.Circle(2, (3, 4)))
    assert (row["kind"], row["count"], row["sensor"]) == (CIRCLE, 1, False)
    np.testing.assert_array_equal(drawing.circles[row["first"]], (3, 4, 2))
    assert len(drawing.points) == 0
    np.testing.assert_array_equal(drawing.rings, [0])


def test_lines_are_their_points_and_chains_are_solid_on_the_right():
    for shape, kind in (
        (p2.Segment((0, 0), (0, 3)), LINE),
        (p2.Chain([(3, 0), (0, 0), (-3, 1)]), LINE),
        (p2.Chain([(0, 0), (1, 0), (1, 2)], loop=True), LOOP),
    ):
        drawing, row = only(shape, kind="static")
        assert row["kind"] == kind
        (line,) = rings_of(drawing, row)
        points = shape.points if isinstance(shape, p2.Chain) else np.stack([shape.p, shape.q])
        np.testing.assert_array_equal(line, points)
    # A ball rests on the left of the points, and falls through from the other side.
    for x, rests in ((-1, True), (1, False)):
        world = p2.World()
        world.add_body(p2.Chain([(-5 * x, 0), (5 * x, 0)]), kind="static")
        ball = world.add_body(p2.Circle(0.5), (0, 1))
        world.step(n=120)
        drawing = world.draw_list()
        start, end = rings_of(drawing, drawing.colliders[0])[0]
        right = np.array([(end - start)[1], -(end - start)[0]])
        assert (right[1] < 0) == (ball.position[1] > 0) == (not rests)


def test_colliders_that_share_a_shape_share_its_rings():
    world = p2.World()
    box, ball = p2.Box(1, 1), p2.Circle(1)
    for k in range(50):
        world.add_body([box, ball] if k % 2 else [ball, box], (3 * k, 0))
    drawing = world.draw_list()
    assert len(drawing.colliders) == 100
    assert len(drawing.points) == 4
    assert len(drawing.circles) == 1
    for kind in (AREA, CIRCLE):
        rows = drawing.colliders[drawing.colliders["kind"] == kind]
        assert len(rows) == 50
        assert not rows["first"].any()
    np.testing.assert_array_equal(drawing.colliders["collider"], np.arange(100))


def test_many_different_shapes_keep_their_outlines():
    world = p2.World()
    sizes = np.linspace(1, 2, 700)
    for k, size in enumerate(sizes):
        world.add_body(p2.Box(size, 1), (3 * k, 0))
        world.add_body(p2.Circle(size), (3 * k, 9))
    drawing = world.draw_list()
    for row in drawing.colliders:
        size = sizes[row["body"] // 2]
        if row["kind"] == CIRCLE:
            assert drawing.circles[row["first"], 2] == size
        else:
            (ring,) = rings_of(drawing, row)
            assert np.ptp(ring[:, 0]) == pytest.approx(size, rel=1e-12)


def test_the_example_of_the_docstring_runs():
    (example,) = doctest.DocTestFinder().find(p2.World.draw_list, "draw_list", globs={})
    assert example.examples
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


# ------------------------------------------------------------------------------------- the instant
def test_the_outlines_at_the_poses_are_where_the_colliders_are():
    world = mixed()
    world.step(n=30)
    world.remove(world.bodies[7])
    drawing = world.draw_list()
    assert drawing.time == world.time
    alive = world.alive
    np.testing.assert_array_equal(drawing.poses[alive, :2], world.positions[alive])
    np.testing.assert_array_equal(drawing.poses[alive, 2], world.angles[alive])
    np.testing.assert_array_equal(drawing.colliders["collider"],
                                  [collider.index for collider in world.colliders])  # fmt: skip
    np.testing.assert_array_equal(drawing.aabbs, world.aabbs[drawing.colliders["collider"]])
    for row, box in zip(drawing.colliders, drawing.aabbs, strict=True):
        x, y, angle = drawing.poses[row["body"]]
        if row["kind"] == CIRCLE:
            *center, reach = drawing.circles[row["first"]]
            local = np.array([center])
        else:
            (local,), reach = rings_of(drawing, row), 0
        cos, sin = np.cos(angle), np.sin(angle)
        points = local @ np.array([(cos, sin), (-sin, cos)]) + (x, y)
        found = np.stack([points.min(axis=0) - reach, points.max(axis=0) + reach])
        radius = world.colliders[row["collider"]].shape.radius if row["kind"] == AREA else 0
        np.testing.assert_allclose(found, box, atol=radius * (1 - np.cos(STEP / 2)) + 1e-9)
    np.testing.assert_array_equal(drawing.contacts, world.contacts)
    assert len(drawing.contacts)


def test_states_and_sensors():
    world = p2.World(gravity=(0, 0))
    box = p2.Box(1, 1)
    for k, kind in enumerate(("static", "kinematic", "dynamic", "dynamic", "dynamic")):
        world.add_body(box, (3 * k, 0), kind=kind, sensor=k == 4)
    world.bodies[3].sleep()
    drawing = world.draw_list()
    assert drawing.states.tolist() == [STATIC, KINEMATIC, AWAKE, ASLEEP, AWAKE]
    assert drawing.colliders["sensor"].tolist() == [False] * 4 + [True]
    assert not drawing.colliders["one_sided"].any()


def test_chains_alone_are_one_sided():
    world = p2.World()
    for loop in (False, True):
        world.add_body(p2.Chain([(0, 0), (1, 0), (1, 1)], loop=loop), kind="static")
    world.add_body([p2.Segment((0, 0), (1, 0)), p2.Circle(1), p2.Box(1, 1)], (5, 5))
    found = world.draw_list().colliders["one_sided"].tolist()
    assert found == [True, True, False, False, False]


def test_what_is_removed_is_absent():
    world = jointed()
    world.step(n=5)
    body = next(joint.body_b for joint in world.joints)
    slot, joints = body.index, {joint.index for joint in body.joints}
    assert joints <= set(world.draw_list().joints["joint"].tolist())
    world.remove(body)
    drawing = world.draw_list()
    assert slot not in drawing.colliders["body"]
    assert np.isnan(drawing.poses[slot]).all() or len(drawing.poses) <= slot
    assert not joints & set(drawing.joints["joint"].tolist())
    assert slot not in drawing.contacts["body_a"]
    assert slot not in drawing.contacts["body_b"]


def test_an_empty_world_and_bodies_without_shapes():
    world = p2.World()
    assert [len(getattr(world.draw_list(), name)) for name in ARRAYS] == [0] * 5 + [1] + [0] * 4
    world.add_body(position=(1, 2))
    drawing = world.draw_list()
    np.testing.assert_array_equal(drawing.poses, [(1, 2, 0)])
    assert not len(drawing.colliders)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e308])
def test_poses_that_are_not_finite_are_given_as_they_are(bad):
    world = jointed()
    world.positions[1] = bad
    world.angles[2] = bad
    drawing = world.draw_list()
    assert not np.isfinite(drawing.poses[1, :2]).any() or bad == 1e308
    assert np.isfinite(drawing.points).all()  # in the frames of the bodies
    assert len(drawing.joints)


def test_a_wrapped_world_is_given_as_the_engine_has_it():
    world = p2.World(gravity=(0, 0), wrap=(10, np.inf))
    world.add_bodies(p2.Box(1, 1), [(0.2, 0), (9.4, 0)])
    world.step()
    drawing = world.draw_list()
    np.testing.assert_array_equal(drawing.poses[:, :2], world.positions)
    np.testing.assert_array_equal(drawing.contacts, world.contacts)
    assert len(drawing.contacts)


def test_views_that_were_written_to_are_read():
    world = p2.World()
    world.add_body(p2.Box(1, 1))
    world.positions[0] = (3, 4)
    drawing = world.draw_list()
    np.testing.assert_array_equal(drawing.poses[0], (3, 4, 0))
    np.testing.assert_allclose(drawing.aabbs[0], [(2.5, 3.5), (3.5, 4.5)])


# ------------------------------------------------------------------------------------------ joints
def test_joints_are_polylines_at_their_anchors():
    world = jointed()
    world.step(n=10)
    drawing = world.draw_list()
    rows, points = drawing.joints, drawing.joint_points
    assert np.isfinite(points).all()
    np.testing.assert_array_equal(rows["first"], np.cumsum(rows["count"]) - rows["count"])
    assert rows["count"].sum() == len(points)
    assert (rows["count"] >= 2).all()
    assert set(rows["kind"].tolist()) <= {STEM, MAIN, DASH, LIMIT}
    assert set(rows["joint"].tolist()) == {joint.index for joint in world.joints}
    for state in world.joint_state:
        mine = rows[(rows["joint"] == state["joint"]) & (rows["kind"] == STEM)]
        stems = [points[row["first"] : row["first"] + row["count"]] for row in mine]
        for body, anchor in (("body_a", "anchor_a"), ("body_b", "anchor_b")):
            if not stems or state[body] < 0:
                continue
            ends = [np.stack([world.positions[state[body]], state[anchor]])]
            assert any(line.shape == (2, 2) and np.array_equal(line, ends[0]) for line in stems)


def test_marks_are_as_large_as_asked_for():
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Box(2, 0.2), (1, 0))
    world.add_revolute_joint(None, body, anchor=(0, 0))
    for size in (0.1, 3.0):
        drawing = world.draw_list(mark_size=size)
        (pin,) = drawing.joints[drawing.joints["kind"] == MAIN]
        circle = drawing.joint_points[pin["first"] : pin["first"] + pin["count"]]
        np.testing.assert_allclose(np.hypot(*circle.T), 0.3 * size, rtol=1e-12)


# ------------------------------------------------------------------------------- what is asked for
def test_parts_are_left_out_on_demand():
    world = jointed()
    world.step(n=30)
    whole = world.draw_list()
    parts = {
        "shapes": {"colliders", "aabbs", "points", "circles"},
        "joints": {"joints", "joint_points"},
        "contacts": {"contacts"},
    }
    for option, names in parts.items():
        drawing = world.draw_list(**{option: False})
        for name in set(ARRAYS) - {"rings"}:
            expected = getattr(whole, name)
            found = getattr(drawing, name)
            assert found.dtype == expected.dtype
            assert found.shape[1:] == expected.shape[1:]
            np.testing.assert_array_equal(found, expected[:0] if name in names else expected)
    assert world.draw_list(shapes=False).rings.tolist() == [0]


def test_arguments_are_checked():
    world = p2.World()
    with pytest.raises(TypeError, match="shapes: must be"):
        world.draw_list(shapes="yes")
    with pytest.raises(TypeError, match="positional"):
        world.draw_list(True)
    with pytest.raises(TypeError, match="mark_size: must be"):
        world.draw_list(mark_size="big")
    for bad in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match="mark_size: must be"):
            world.draw_list(mark_size=bad)


def test_a_list_is_read_only_and_its_own():
    world = jointed()
    world.step(n=30)
    drawing = world.draw_list()
    assert isinstance(drawing, p2.DrawList)
    before = {name: getattr(drawing, name).copy() for name in ARRAYS}
    for name in ARRAYS:
        array = getattr(drawing, name)
        assert array.flags.owndata, name
        assert not array.flags.writeable, name
        assert array.flags.c_contiguous, name
        with pytest.raises(AttributeError):
            setattr(drawing, name, array)
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array
    world.step(n=30)
    del world
    gc.collect()
    for name, copy in before.items():
        np.testing.assert_array_equal(getattr(drawing, name), copy)
    with pytest.raises(TypeError):
        p2.DrawList()
    text = repr(drawing)
    assert text.startswith("DrawList(time=")
    assert "colliders=<" in text
    assert f"rings=<{len(drawing.rings)} rows>" in text
    assert len(text) < 400
    drawing, _ = only(p2.Circle(1))
    drawing.states.shape = ()
    assert "states=<1 rows>" in repr(drawing)


def test_a_list_changes_nothing():
    one, other = jointed(), jointed()
    for _ in range(20):
        one.draw_list()
        one.step()
        other.step()
    one.draw_list()
    assert one.hash() == other.hash()


def test_memory_is_given_back():
    world = jointed()
    world.step(n=30)
    world.draw_list()
    allocations, references = _core._live()["allocations"], sys.getrefcount(world)
    for _ in range(50):
        drawing = world.draw_list()
    assert _core._live()["allocations"] == allocations
    assert sys.getrefcount(world) == references
    assert all(sys.getrefcount(getattr(drawing, name)) == 2 for name in ARRAYS)


def test_hooks_may_ask_or_are_refused():
    world = p2.World()
    ground(world)
    world.add_body(p2.Box(1, 1), (0, 0.5), pre_solve=True)
    seen = []

    def on_force(world):
        seen.append(world.draw_list())

    world.on_force = on_force
    world.step(n=3)
    assert [len(drawing.colliders) for drawing in seen] == [2, 2, 2]
    assert seen[0].time < seen[2].time
    refused = []

    def on_pre_solve(rows):
        try:
            world.draw_list()
        except p2.WorldLockedError as error:
            refused.append(error)

    world.on_pre_solve = on_pre_solve
    world.step(n=3)
    assert len(refused) == 3
    for _ in world.stages():
        assert len(world.draw_list().colliders) == 2


def test_another_thread_gets_whole_instants():
    """Of a body that only ever moves along x = y = angle."""
    world = p2.World(gravity=(0, 0))
    world.add_body(p2.Box(1, 1), velocity=(1, 1), angular_velocity=1)
    world.add_bodies(p2.Circle(0.5), [(-9 - 2 * k, 0) for k in range(300)])
    seen, errors, stop = [], [], threading.Event()

    def look():
        try:
            while not stop.is_set():
                seen.append(world.draw_list())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=look)
    thread.start()
    for _ in range(100):
        world.step(n=5)
    stop.set()
    thread.join()
    assert not errors
    assert seen
    for drawing in seen:
        np.testing.assert_allclose(drawing.poses[0], drawing.time, atol=1e-9)


# -------------------------------------------------------------------------------- outlines of rings
def test_rounded_rings():
    for shape, ring in (
        (p2.Capsule((0, 0), (3, 1), 0.5), [(0, 0), (3, 1)]),
        (p2.Box(2, 1, radius=0.5), p2.Box(2, 1).vertices),
    ):
        drawing, _ = only(shape)
        np.testing.assert_allclose(_core._rounded(ring, 0.5), drawing.points, atol=1e-12)
    circle = _core._rounded([(1, 2)], 3)
    np.testing.assert_allclose(np.hypot(*(circle - (1, 2)).T), 3, rtol=1e-12)
    assert len(circle) == 64
    # One that is not convex: no more than points at the distance.
    crooked = [(-1, 0), (0, -2), (0, -1), (1, -0.445)] * 50
    found = _core._rounded(crooked, 0.242)
    away = np.hypot(*(found[:, None] - np.array(crooked[:4])).transpose(2, 0, 1)).min(axis=1)
    assert away.max() <= 0.242 * (1 + 1e-12)
    with pytest.raises(ValueError, match="radius: must be"):
        _core._rounded([(0, 0)], 0)
    with pytest.raises(ValueError, match="ring: must"):
        _core._rounded([], 1)
    with pytest.raises(TypeError):
        _core._rounded([(0, 0)])
