"""Traces of GJK and of the time of impact: every round against plain NumPy, the end against the
functions that do not show their work.
"""

import copy
import pickle

import numpy as np
import pytest
import shapely
from matplotlib import pyplot as plt
from reference import convex, place

import pyphys2d as p2
import pyphys2d.geometry as g

STILL = (0.0, 0.0, 0.0)


def random_shape(rng):
    """A convex shape, its core's vertices and its radius."""
    kind = int(rng.integers(0, 5))
    p, q = rng.uniform(-1, 1, (2, 2))
    radius = rng.uniform(0.05, 0.5)
    ring = convex(rng, int(rng.integers(3, 10)))
    if kind == 0:
        return p2.Circle(radius, p), p[None], radius
    if kind == 1:
        return p2.Capsule(p, q, radius), np.stack([p, q]), radius
    if kind == 2:
        return p2.Segment(p, q), np.stack([p, q]), 0.0
    if kind == 3:
        return p2.Polygon(ring), ring, 0.0
    return p2.Polygon(ring, radius=radius), ring, radius


def random_pairs(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        a, b = random_shape(rng), random_shape(rng)
        poses = np.column_stack([rng.uniform(-2, 2, (2, 2)), rng.uniform(-7, 7, 2)])
        yield a, b, poses


def nearest_to_origin(simplex):
    """Distance of the hull of at most three points from the origin."""
    return shapely.MultiPoint(simplex).convex_hull.distance(shapely.Point(0, 0))


@pytest.mark.parametrize("seed", range(10))
def test_every_round_of_gjk(seed):
    overlapping = 0
    for (a, core_a, ra), (b, core_b, rb), (pose_a, pose_b) in random_pairs(seed, 30):
        trace = g.gjk(a, b, pose_a, pose_b)
        ring_a, ring_b = place(core_a, *pose_a), place(core_b, *pose_b)
        cloud = (ring_a[:, None] - ring_b[None]).reshape(-1, 2)
        hull = shapely.MultiPoint(cloud).convex_hull
        shown = shapely.MultiPoint(trace.difference).convex_hull
        assert shown.hausdorff_distance(hull) < 1e-12
        assert len(trace.difference) <= len(ring_a) + len(ring_b)
        if len(trace.difference) > 2 and hull.area > 1e-9:
            assert g.winding(trace.difference) == 1
        n = len(trace.supports)
        assert n == len(trace.directions) == len(trace.simplices) == len(trace.closest)
        for k in range(n):
            support, direction = trace.supports[k], trace.directions[k]
            # the furthest vertex of the difference along the direction
            assert np.hypot(*(cloud - support).T).min() < 1e-12
            highest = (cloud @ direction).max()
            assert support @ direction == pytest.approx(highest, abs=1e-12 * np.hypot(*direction))
            simplex = trace.simplices[k]
            kept = np.vstack([*trace.simplices[k - 1 : k], support])
            for corner in simplex:
                assert np.hypot(*(kept - corner).T).min() < 1e-12
            assert trace.distances[k] == pytest.approx(nearest_to_origin(simplex), abs=1e-9)
            assert trace.distances[k] == pytest.approx(nearest_to_origin(kept), abs=1e-9)
            if len(simplex) < 3:
                assert np.hypot(*trace.closest[k]) == pytest.approx(trace.distances[k], abs=1e-9)
            if 0 < k < n:  # towards the origin
                assert direction @ trace.closest[k - 1] <= 1e-12
        assert (np.diff(trace.distances) <= 0).all()
        assert trace.distances[-1] == pytest.approx(hull.distance(shapely.Point(0, 0)), abs=1e-9)
        result = g.distance(a, b, pose_a, pose_b)
        assert trace.distance == result.distance
        assert trace.overlapping == (result.distance == 0)
        np.testing.assert_array_equal(trace.point_a, result.point_a)
        np.testing.assert_array_equal(trace.point_b, result.point_b)
        assert trace.distance == pytest.approx(max(trace.distances[-1] - ra - rb, 0), abs=1e-12)
        overlapping += trace.overlapping
    assert 0 < overlapping < 30


def test_a_difference_with_parallel_sides_has_them_once():
    trace = g.gjk(p2.Box(2, 1), p2.Box(4, 2), (0, 0, 0), (5, 0, 0))
    np.testing.assert_allclose(
        sorted(trace.difference.tolist()), [(-8, -1.5), (-8, 1.5), (-2, -1.5), (-2, 1.5)]
    )
    points = g.gjk(p2.Circle(1), p2.Circle(2), (0, 0, 0), (3, 4, 0))
    np.testing.assert_array_equal(points.difference, [(-3, -4)])
    assert points.distances.tolist() == [5, 5]  # found, and none nearer
    assert repr(points) == "<GjkTrace of 2 rounds: distance 2>"


@pytest.mark.parametrize("seed", range(10))
def test_every_round_of_the_time_of_impact(seed):
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(20):
        (a, _, _), (b, _, _) = random_shape(rng), random_shape(rng)
        ends = np.column_stack([rng.uniform(-4, 4, (4, 2)), rng.uniform(-5, 5, 4)])
        target = float(rng.choice([0.005, 0.1]))
        trace = g.toi(a, b, *ends, target)
        result = g.time_of_impact(a, b, *ends, target)
        assert trace.hit == result.hit
        np.testing.assert_array_equal(trace.fraction, result.fraction)
        assert trace.target == target
        t = trace.fractions[:, None]
        np.testing.assert_allclose(trace.poses_a, ends[0] + t * (ends[1] - ends[0]), atol=1e-12)
        np.testing.assert_allclose(trace.poses_b, ends[2] + t * (ends[3] - ends[2]), atol=1e-12)
        assert trace.fractions[0] == 0
        assert (np.diff(trace.fractions) > 0).all()
        rows = g.distance(a, b, trace.poses_a, trace.poses_b)
        np.testing.assert_allclose(trace.distances, rows["distance"], atol=1e-12)
        gap = trace.points_b - trace.points_a
        np.testing.assert_allclose(np.hypot(*gap.T), trace.distances, atol=1e-12)
        apart = trace.distances > 1e-6
        np.testing.assert_allclose(
            gap[apart], (trace.distances[:, None] * trace.normals)[apart], atol=1e-9
        )
        assert (trace.distances[:-1] > target).all()
        if trace.hit:
            assert trace.fractions[-1] == trace.fraction
            assert trace.distances[-1] <= target * (1 + 1e-8)
        hits += trace.hit
    assert 0 < hits < 20


def arrays_of(trace):
    for name in type(trace).__dataclass_fields__:
        value = getattr(trace, name)
        if isinstance(value, np.ndarray):
            yield value


def some_toi():
    return g.toi(p2.Box(1.5, 0.3), p2.Box(1, 1), (-3, 1, 0), (2, 0, 4), (2, 0, 0), (0, 1, 0.5))


def test_the_way_to_an_impact_shows_itself_and_stays_as_it_is():
    trace = some_toi()
    assert repr(trace) == f"<ToiTrace of {len(trace.fractions)} rounds: hit at 0.576952>"
    html = trace._repr_html_()
    assert html.count("<svg") == 1
    assert "hit at 0.576952" in html
    assert len(list(arrays_of(trace))) == 9
    for array in arrays_of(trace):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    for again in (pickle.loads(pickle.dumps(trace)), copy.deepcopy(trace)):
        assert repr(again) == repr(trace)
        for one, other in zip(arrays_of(trace), arrays_of(again), strict=True):
            np.testing.assert_array_equal(one, other)
    axes = some_toi().plot(plt.figure().gca())
    assert axes.get_title().startswith("touch at 0.577")
    plt.close(axes.figure)
    missed = g.toi(p2.Circle(1), p2.Circle(1), STILL, STILL, (4, 0, 0), (4, 9, 0))
    assert repr(missed) == "<ToiTrace of 1 round: no hit>"
    assert np.isnan(missed.fraction)
    assert missed._repr_html_().count("<svg") == 1
    far = g.toi(p2.Circle(1), p2.Box(1, 1), (-1e308, 0, 0), STILL, (1e308, 0, 0), (0, 0, 1e308))
    assert far._repr_html_().count("<svg") == 1
    assert repr(far)


def test_bad_arguments_of_toi_are_named():
    box, concave = p2.Box(1, 1), p2.Polygon([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)])
    with pytest.raises(ValueError, match=r"^b: must be convex.*\.parts"):
        g.toi(box, concave, *[STILL] * 4)
    with pytest.raises(TypeError, match=r"^a: must be a Shape, got int"):
        g.toi(3, box, *[STILL] * 4)
    for i, name in enumerate(("start_a", "end_a", "start_b", "end_b")):
        poses = [STILL] * 4
        poses[i] = (0, np.inf, 0)
        with pytest.raises(ValueError, match=rf"^{name}"):
            g.toi(box, box, *poses)
    with pytest.raises(ValueError, match=r"^target: must be >= 0, got -2"):
        g.toi(box, box, *[STILL] * 4, target=-2)
