"""Functions of pairs of shapes called on arrays: each row says what a single call says."""

import doctest
import gc
import re
import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import convex, star

import pyphys2d as p2
import pyphys2d.geometry as g

POSES = st.lists(st.tuples(*[st.floats(-1e9, 1e9)] * 2, st.floats(-1e4, 1e4)), max_size=4)


def random_shapes(rng, count):
    made = []
    for _ in range(count):
        kind = int(rng.integers(0, 7))
        p, q = rng.uniform(-1, 1, (2, 2))
        ring = convex(rng, int(rng.integers(3, 12)))
        radius = rng.uniform(0.1, 0.6)
        made.append(
            p2.Circle(radius, p) if kind == 0
            else p2.Capsule(p, q, radius) if kind == 1
            else p2.Segment(p, q) if kind == 2
            else p2.Polygon(ring) if kind == 3
            else p2.Polygon(ring, radius=radius) if kind == 4
            else p2.Polygon(star(rng, 9)) if kind == 5
            else p2.Chain([(-1, 0), p, (q[0] + 2, q[1])])
        )  # fmt: skip
    return made


def random_poses(rng, *shape):
    return np.concatenate(
        [rng.uniform(-1.5, 1.5, (*shape, 2)), rng.uniform(-7, 7, (*shape, 1))], -1
    )


def motions(rng, *shape):
    return [random_poses(rng, *shape) * (4, 4, 1) for _ in range(4)]


def assert_row(row, single):
    """A row of a structured array holds the bits of the object of a single call."""
    if isinstance(single, g.Manifold):
        count = int(row["count"])
        assert count == len(single.points)
        np.testing.assert_array_equal(row["normal"], single.normal)
        for name in ("points", "separations", "features"):
            np.testing.assert_array_equal(row[name][:count], getattr(single, name))
        assert np.isnan(row["points"][count:]).all()
        assert np.isnan(row["separations"][count:]).all()
        return
    for name in set(row.dtype.fields) & set(dir(single)):
        np.testing.assert_array_equal(row[name], getattr(single, name))


def assert_same(rows, others):
    for name in rows.dtype.names or [()]:
        np.testing.assert_array_equal(rows[name], others[name])


@pytest.mark.parametrize("function", [g.distance, g.collide, g.mtv])
def test_rows_are_single_calls(function):
    rng = np.random.default_rng(1)
    a, b = random_shapes(rng, 150), random_shapes(rng, 150)
    pose_a, pose_b = random_poses(rng, 150), random_poses(rng, 150)
    rows = function(a, b, pose_a, pose_b)
    assert rows.shape == ((150, 2) if function is g.mtv else (150,))
    found = 0
    for i in range(150):
        single = function(a[i], b[i], pose_a[i], pose_b[i])
        if function is g.mtv:
            expected = (np.nan, np.nan) if single is None else single
            np.testing.assert_array_equal(rows[i], expected)
            found += single is not None
        else:
            assert_row(rows[i], single)
            found += bool(single if function is g.collide else single.distance)
    assert 20 < found < 140


def test_rows_of_moving_shapes_are_single_calls():
    rng = np.random.default_rng(2)
    a, b = random_shapes(rng, 100), random_shapes(rng, 100)
    way = motions(rng, 100)
    rows = g.time_of_impact(a, b, *way, target=0.01)
    casts = g.cast_shape(a, b, way[0], way[2], way[3][:, :2])
    assert 10 < rows["hit"].sum() < 95
    assert 10 < casts["hit"].sum() < 95
    for i in range(100):
        single = g.time_of_impact(a[i], b[i], *(pose[i] for pose in way), 0.01)
        assert_row(rows[i], single)
        assert bool(single) is single.hit
        assert_row(casts[i], g.cast_shape(a[i], b[i], way[0][i], way[2][i], way[3][i, :2]))


def test_poses_of_a_cast_may_be_left_out():
    a, b, way, zero = p2.Box(2, 2), p2.Circle(0.5, (-4, 0)), (8, 1), (0, 0, 0)
    cast = g.cast_shape(a, b, zero, zero, way)
    assert 0 < cast.fraction < 1
    assert_same(
        g.cast_shape(a, b, translation_b=[way])[0], g.cast_shape(a, b, zero, zero, [way])[0]
    )
    assert g.cast_shape(a, b, translation_b=way).fraction == cast.fraction
    moved = g.cast_shape(a, b, pose_b=(-1, 0, 0), translation_b=way).fraction
    assert moved == g.cast_shape(a, b, zero, (-1, 0, 0), way).fraction > cast.fraction


def test_leading_axes_broadcast():
    rng = np.random.default_rng(3)
    a, b = random_shapes(rng, 3), random_shapes(rng, 4)
    pose_a, pose_b = random_poses(rng, 3, 1), random_poses(rng, 2, 1, 4)
    column = np.array(a)[:, None]
    rows = g.distance(column, b, pose_a, pose_b)
    assert rows.shape == (2, 3, 4)
    assert rows.flags.owndata
    for i, k, m in np.ndindex(2, 3, 4):
        assert_row(rows[i, k, m], g.distance(a[k], b[m], pose_a[k, 0], pose_b[i, 0, m]))
    assert g.mtv(column, b, pose_a, pose_b).shape == (2, 3, 4, 2)
    one = g.distance(a[0], (b[0],), [[[0.5, 0, 0]]])
    assert one.shape == (1, 1)
    assert_row(one[0, 0], g.distance(a[0], b[0], (0.5, 0, 0)))
    alone = g.distance(np.array(a[0], dtype=object), b[0])
    assert isinstance(alone, g.Distance)


def test_no_pairs_give_no_rows():
    circle = p2.Circle(1)
    assert g.distance([], [circle]).shape == (0,)
    assert g.distance(circle, circle, []).shape == (0,)
    assert g.collide(circle, circle, np.zeros((0, 3))).shape == (0,)
    assert g.mtv([], circle).shape == (0, 2)
    assert g.time_of_impact(circle, circle, *[[]] * 4).shape == (0,)
    assert g.cast_shape(circle, (), (0, 0, 0), (0, 0, 0), np.zeros((5, 1, 2))).shape == (5, 0)


def test_out_takes_the_rows():
    rng = np.random.default_rng(4)
    a, b = random_shapes(rng, 6), random_shapes(rng, 6)
    pose = random_poses(rng, 6)
    for call in (
        lambda **k: g.distance(a, b, pose, **k),
        lambda **k: g.collide(a, b, pose, **k),
        lambda **k: g.mtv(a, b, pose, **k),
        lambda **k: g.cast_shape(a, b, pose, pose[::-1], (1, 0), **k),
        lambda **k: g.time_of_impact(a, b, pose, pose, pose[::-1], pose + 1, **k),
    ):
        rows = call()
        out = np.zeros_like(rows)
        assert call(out=out) is out
        assert_same(rows, out)
        wide = np.zeros((6, 2, *rows.shape[1:]), rows.dtype)[:, 0]
        assert_same(call(out=wide), rows)
        with pytest.raises(ValueError, match="out: must have shape"):
            call(out=rows[:5])
        with pytest.raises(TypeError, match="out: must take"):
            call(out=np.zeros(rows.shape, "U5"))
        with pytest.raises(TypeError, match="out: must be an array"):
            call(out=[])
        out.flags.writeable = False
        with pytest.raises(ValueError, match="out: must be writable"):
            call(out=out)
    with pytest.raises(TypeError, match="out: must take"):
        g.distance(a, b, pose, out=np.zeros(6))
    floats = np.zeros((6, 2), np.float32)
    np.testing.assert_allclose(g.mtv(a, b, pose, out=floats), g.mtv(a, b, pose), rtol=1e-6)
    # With an array to fill, a single pair is a row without axes.
    single = g.mtv(p2.Box(2, 2), p2.Box(2, 2), pose_b=(1.5, 0, 0), out=np.zeros(2))
    np.testing.assert_array_equal(single, (0.5, 0))
    np.testing.assert_array_equal(
        g.mtv(p2.Box(2, 2), p2.Box(2, 2), pose_b=(5, 0, 0), out=np.zeros(2)), (np.nan, np.nan)
    )
    row = g.distance(p2.Circle(1), p2.Circle(1), pose_b=(3, 0, 0), out=np.zeros_like(
        g.distance(p2.Circle(1), [p2.Circle(1)])[0]))  # fmt: skip
    assert row["distance"] == 1


def test_errors_name_the_argument():
    circle, still = p2.Circle(1), (0, 0, 0)
    with pytest.raises(TypeError, match="b: must be a Shape or a sequence of Shapes, got float"):
        g.distance(circle, 1.5)
    with pytest.raises(TypeError, match="a: must hold Shapes, got dtype float64"):
        g.distance(np.zeros((3, 2)), circle)
    with pytest.raises(TypeError, match=r"a\[1\]: must be a Shape, got NoneType"):
        g.distance([circle, None], circle)
    with pytest.raises(TypeError, match=r"a\[0\]: must be a Shape, got str"):
        g.collide(np.array(["x"], dtype=object), circle)
    with pytest.raises(TypeError, match="a: must be a Shape or a sequence of Shapes, got str"):
        g.collide("x", circle)
    with pytest.raises(TypeError, match="a: must be a Shape or a sequence of Shapes, got gen"):
        g.collide((c for c in [circle]), circle)
    with pytest.raises(ValueError, match=r"pose_b: must have shape \(..., 3\), got \(4, 2\)"):
        g.mtv(circle, circle, pose_b=np.zeros((4, 2)))
    with pytest.raises(ValueError, match=r"pose_a\[1, 2\]: must be finite, got nan"):
        g.mtv(circle, circle, [still, (0, 0, np.nan)])
    message = r"{}: leading axes {} do not broadcast with {} of the arguments before it$"
    for call, what in (
        (lambda: g.mtv([circle] * 2, circle, np.zeros((3, 3))), ("pose_a", "(3,)", "(2,)")),
        (lambda: g.distance([circle] * 2, [circle] * 3), ("b", "(3,)", "(2,)")),
        (lambda: g.mtv([circle] * 2, circle, np.zeros((4, 3, 3))), ("pose_a", "(4, 3)", "(2,)")),
        (
            lambda: g.collide(circle, [circle] * 2, np.zeros((3, 1, 3)), np.zeros((4, 1, 3))),
            ("pose_b", "(4, 1)", "(3, 2)"),
        ),
    ):
        with pytest.raises(ValueError, match=message.format(what[0], *map(re.escape, what[1:]))):
            call()
    with pytest.raises(ValueError, match=r"translation_b: must have shape \(..., 2\), got \(3,\)"):
        g.cast_shape(circle, circle, still, still, still)
    with pytest.raises(ValueError, match=r"target: must be >= 0, got -1"):
        g.time_of_impact(circle, circle, still, still, still, still, -1)
    with pytest.raises(ValueError, match="target: must be finite, got nan"):
        g.time_of_impact(circle, circle, still, still, still, still, target=float("nan"))
    with pytest.raises(ValueError, match=r"margin: must be >= 0, got -0.5"):
        g.collide(circle, circle, margin=-0.5)
    for arguments in ({}, {"translation_b": None}, {"pose_b": (-3, 0, 0)}):
        with pytest.raises(TypeError, match=r"cast_shape\(\) missing .* argument 'translation_b'"):
            g.cast_shape(circle, circle, **arguments)
    with pytest.raises(TypeError, match="end_b"):
        g.time_of_impact(circle, circle, still, still, still)
    with pytest.raises(ValueError, match=r"a: has 17 dimensions, at most 16 are possible"):
        g.distance(np.full((1,) * 17, circle), circle)
    with pytest.raises(MemoryError):
        g.time_of_impact(circle, circle, *(np.zeros((2**14, *(1,) * k, 3)) for k in range(4)))


def test_shapes_and_poses_are_those_at_the_call():
    a = [p2.Circle(1) for _ in range(5)]
    poses = np.zeros((5, 3))
    poses[:, 0] = np.arange(5) + 3

    class Changing:
        def __float__(self):
            a.clear()
            poses[:] = 0
            gc.collect()
            return 0.0

    moving = [(Changing(), 0.0, 0.0)] * 5
    rows = g.distance(a, p2.Circle(1), poses, moving)
    np.testing.assert_array_equal(rows["distance"], np.arange(5) + 1)
    assert a == []


def test_tuples_of_shapes_being_read_are_out_of_sight():
    class Noticed(float):
        def __float__(self):
            gc.collect()
            seen.extend(
                thing
                for thing in gc.get_objects()
                if type(thing) is tuple and thing and thing[0] is shapes[0]
            )
            return 0.0

    seen: list[object] = []
    shapes = [p2.Capsule((0, 0), (1, 0), 0.5) for _ in range(5)]
    g.distance(shapes, p2.Circle(1), pose_b=np.array([(Noticed(), 0, 0)] * 5, dtype=object))
    assert seen == []


@settings(max_examples=60)
@given(POSES, POSES)
def test_any_poses_are_answered(pose_a, pose_b):
    n = min(len(pose_a), len(pose_b))
    a, b = p2.Polygon(star(np.random.default_rng(0), 7)), p2.Capsule((0, 0), (1, 1), 0.2)
    pose_a = np.array(pose_a[:n]).reshape(n, 3)
    pose_b = np.array(pose_b[:n]).reshape(n, 3)
    rows = g.distance(a, b, pose_a, pose_b)
    assert rows.shape == (n,)
    assert (rows["distance"] >= 0).all()
    assert np.isfinite(rows["point_a"]).all()
    pushed = ~np.isnan(g.mtv(a, b, pose_a, pose_b)[:, 0])
    assert (rows["distance"][pushed] == 0).all()
    hits = g.time_of_impact(a, b, pose_a, pose_a, pose_a, pose_b)
    assert (hits["hit"] == ~np.isnan(hits["fraction"])).all()
    assert hits["hit"].all()  # they begin at the same place


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
def test_a_long_call_can_be_interrupted():
    class EnoughError(Exception):
        pass

    def interrupt(*_):
        raise EnoughError

    chain = p2.Chain(np.column_stack([np.arange(400.0), np.arange(400) % 2]))
    out = np.zeros((2000, 2000, 2))
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(EnoughError):
            g.mtv(chain, chain, np.zeros((2000, 1, 3)), np.zeros((2000, 3)), out=out)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert not out.any()


def test_threads_share_shapes():
    rng = np.random.default_rng(5)
    a, b = random_shapes(rng, 400), random_shapes(rng, 400)
    pose_a, pose_b = random_poses(rng, 400), random_poses(rng, 400)
    expected = g.distance(a, b, pose_a, pose_b)
    found = []

    def ask():
        found.append([g.distance(a, b, pose_a, pose_b) for _ in range(5)])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(rows.tobytes() == expected.tobytes() for each in found for rows in each)


@pytest.mark.parametrize("name", ["distance", "mtv", "collide", "time_of_impact", "cast_shape"])
def test_pair_examples(name):
    text = getattr(g, name).__doc__
    names = {n: getattr(p2, n) for n in ("Box", "Circle")} | {name: getattr(g, name)}
    test = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
    assert len(test.examples) > 0
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
