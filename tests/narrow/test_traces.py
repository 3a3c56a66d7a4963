"""Traces of the separating axis test and of clipping, against NumPy, Shapely and a clipping of our
own.
"""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
import shapely
from matplotlib import pyplot as plt
from reference import convex, place

import pyphys2d as p2
import pyphys2d.geometry as g

A = np.array([(-1, 0), (3, 0), (3, -2), (-1, -2)], float)
B = np.array([(3.5, -1.666), (4.5, 0), (1.5, 2), (1.5, -0.333)])
TRIANGLE = np.array([(4, 1), (2, 4), (1, 1)], float)
PENTAGON = np.array([(2, -2.5), (2.2, -0.5), (1.5, 0.5), (-1.2, -0.5), (-1, -2.5)])


def random_shape(rng):
    """A shape of any convex kind, the vertices of its core and its radius."""
    kind = int(rng.integers(0, 6))
    radius = rng.uniform(0.05, 0.8)
    p, q = rng.uniform(-1, 1, (2, 2))
    ring = convex(rng, int(rng.integers(3, 12)))
    if kind == 0:
        return p2.Circle(radius, p), p[None], radius
    if kind == 1:
        return p2.Capsule(p, q, radius), np.array([p, q]), radius
    if kind == 2:
        return p2.Segment(p, q), np.array([p, q]), 0.0
    if kind == 3:
        return p2.Polygon(ring, radius=radius), ring, radius
    if kind == 4:
        width, height = rng.uniform(0.3, 2, 2)
        x, y = width / 2, height / 2
        return p2.Box(width, height), np.array([(-x, -y), (x, -y), (x, y), (-x, y)]), 0.0
    return p2.Polygon(ring), ring, 0.0


def random_pairs(seed, count, spread=1.5):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        a, core_a, radius_a = random_shape(rng)
        b, core_b, radius_b = random_shape(rng)
        pose_a = (*rng.uniform(-1, 1, 2), rng.uniform(-7, 7))
        pose_b = (*rng.uniform(-spread, spread, 2), rng.uniform(-7, 7))
        placed = (place(core_a, *pose_a), radius_a), (place(core_b, *pose_b), radius_b)
        yield a, b, pose_a, pose_b, placed


def edge_normals(core):
    """Outward unit normals of a counter-clockwise ring; of two points the right side, the left."""
    edges = np.roll(core, -1, axis=0) - core
    return np.column_stack([edges[:, 1], -edges[:, 0]]) / np.hypot(*edges.T)[:, None]


def shadows(core, radius, axes):
    heights = core @ axes.T
    return np.column_stack([heights.min(axis=0) - radius, heights.max(axis=0) + radius])


def region(core):
    """The core in Shapely, for distances."""
    if len(core) == 1:
        return shapely.Point(core[0])
    return shapely.LineString(core) if len(core) == 2 else shapely.Polygon(core)


# ---------------------------------------------------------------- sat


def test_triangle_and_pentagon_of_the_tutorial():
    trace = g.sat(p2.Polygon(TRIANGLE), p2.Polygon(PENTAGON))
    assert trace.separated
    assert trace.mtv is None
    assert trace.overlaps[trace.best] == pytest.approx(-0.5)
    trace = g.sat(p2.Polygon(TRIANGLE - 1.5), p2.Polygon(PENTAGON))
    assert not trace.separated
    np.testing.assert_allclose(trace.mtv, (0, -1), atol=1e-12)
    assert trace.overlaps[trace.best] == pytest.approx(1)
    # the triangle's lower edge owns the axis
    assert (trace.owner[trace.best], trace.edge[trace.best]) == (0, 2)
    np.testing.assert_allclose(trace.shape_a.edges[2], (3, 0), atol=1e-12)


def test_clipping_example_of_the_tutorial_as_seen_by_the_axes():
    trace = g.sat(p2.Polygon(A), p2.Polygon(B))
    np.testing.assert_allclose(trace.mtv, (0.61505622, 0.92281503), atol=5e-9)
    np.testing.assert_allclose(
        trace.axes[trace.best], -trace.mtv / np.hypot(*trace.mtv), atol=1e-12
    )
    assert trace.owner.tolist() == [0] * 4 + [1] * 4


def test_two_circles_of_the_tutorial():
    trace = g.sat(p2.Circle(2, (-0.5, 0)), p2.Circle(1.2, (0.8, 1)))
    np.testing.assert_allclose(trace.mtv, (1.23639677, 0.95107443), atol=5e-9)
    assert trace.edge.tolist() == [-1]
    assert repr(trace).startswith("<SatTrace of 1 axis: overlap 1.55988")
    np.testing.assert_allclose(trace.axes, [np.array([1.3, 1]) / np.hypot(1.3, 1)], rtol=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_axes_intervals_and_overlaps_against_numpy(seed):
    for a, b, pose_a, pose_b, placed in random_pairs(seed, 120):
        trace = g.sat(a, b, pose_a, pose_b)
        (core_a, radius_a), (core_b, radius_b) = placed
        np.testing.assert_array_equal(trace.pose_a, pose_a)
        np.testing.assert_array_equal(trace.pose_b, pose_b)

        rows = 0
        for owner, core in enumerate((core_a, core_b)):
            if len(core) > 1:
                part = slice(rows, rows + len(core))
                np.testing.assert_allclose(trace.axes[part], edge_normals(core), atol=1e-12)
                assert (trace.owner[part] == owner).all()
                assert trace.edge[part].tolist() == list(range(len(core)))
                rows += len(core)
        assert trace.edge[rows:].tolist() in ([], [-1])
        np.testing.assert_allclose(np.hypot(*trace.axes.T), 1, rtol=1e-14)

        intervals_a = shadows(core_a, radius_a, trace.axes)
        intervals_b = shadows(core_b, radius_b, trace.axes)
        np.testing.assert_allclose(trace.intervals_a, intervals_a, atol=1e-12)
        np.testing.assert_allclose(trace.intervals_b, intervals_b, atol=1e-12)
        expected = np.minimum(
            intervals_a[:, 1] - intervals_b[:, 0], intervals_b[:, 1] - intervals_a[:, 0]
        )
        np.testing.assert_allclose(trace.overlaps, expected, atol=1e-12)
        assert trace.overlaps[trace.best] == pytest.approx(expected.min(), abs=1e-11)


@pytest.mark.parametrize("seed", range(8))
def test_the_best_axis_is_that_of_the_mtv(seed):
    together = 0
    for a, b, pose_a, pose_b, _ in random_pairs(100 + seed, 150):
        trace = g.sat(a, b, pose_a, pose_b)
        push = g.mtv(a, b, pose_a, pose_b)
        overlap = trace.overlaps[trace.best]
        assert trace.separated == (push is None) == (trace.mtv is None)
        if push is None:
            assert overlap <= 1e-12
            continue
        together += 1
        np.testing.assert_array_equal(trace.mtv, push)
        assert overlap == pytest.approx(np.hypot(*push), rel=1e-9, abs=1e-12)
        cross = push[0] * trace.axes[trace.best, 1] - push[1] * trace.axes[trace.best, 0]
        # an axis of the same overlap may point elsewhere, but only if the overlap is the same
        others = np.delete(trace.overlaps, trace.best)
        if not (np.abs(others - overlap) < 1e-9).any():
            assert abs(cross) < 1e-6 * np.hypot(*push)
    assert together > 30


@pytest.mark.parametrize("seed", range(8))
def test_what_is_apart_has_a_gap_along_some_axis_and_never_more_than_the_distance(seed):
    """For every kind of pair: no axis is missing."""
    apart = 0
    for a, b, pose_a, pose_b, placed in random_pairs(200 + seed, 150, spread=3):
        (core_a, radius_a), (core_b, radius_b) = placed
        distance = region(core_a).distance(region(core_b))
        gap = distance - radius_a - radius_b
        trace = g.sat(a, b, pose_a, pose_b)
        if gap > 1e-9:
            apart += 1
            assert trace.separated
            assert 0 < -trace.overlaps[trace.best] <= gap + 1e-9
            if radius_a + radius_b > 0:  # the last axis makes it the distance
                assert -trace.overlaps[trace.best] == pytest.approx(gap, abs=2e-9)
        elif gap < -1e-9:
            assert not trace.separated
    assert apart > 30


def test_an_interval_inside_the_other_leaves_by_the_nearer_end():
    trace = g.sat(p2.Box(10, 10), p2.Box(1, 2), pose_b=(3, -1, 0))
    np.testing.assert_allclose(trace.mtv, (2.5, 0))
    assert trace.overlaps[trace.best] == pytest.approx(2.5)
    np.testing.assert_array_equal(trace.axes[trace.best], (1, 0))
    np.testing.assert_allclose(trace.overlaps, [5, 2.5, 5, 2.5] * 2)
    # the other way round a is the one inside
    trace = g.sat(p2.Box(1, 2), p2.Box(10, 10), pose_a=(3, -1, 0))
    np.testing.assert_allclose(trace.mtv, (-2.5, 0))
    np.testing.assert_allclose(trace.overlaps, [5, 2.5, 5, 2.5] * 2)


@pytest.mark.parametrize(
    ("offset", "edge"), [((3, 0.1), 1), ((-3, 0.1), 3), ((0.1, 3), 2), ((0.1, -3), 0)]
)
def test_the_best_edge_faces_the_other_shape(offset, edge):
    trace = g.sat(p2.Box(2, 2), p2.Box(2, 2), pose_b=(*offset, 0))
    assert (trace.owner[trace.best], trace.edge[trace.best]) == (0, edge)
    assert trace.overlaps[trace.best] == pytest.approx(-1)


def test_a_gap_on_the_side_without_an_edge_is_a_gap():
    """Left of the triangle there is no edge upright, but the shadows on that axis are apart."""
    triangle = p2.Polygon([(0, 0), (2, -1), (2, 1)])
    trace = g.sat(triangle, p2.Circle(0.5), pose_b=(-1, 0, 0))
    upright = np.flatnonzero(trace.axes[:, 0] == 1)[0]
    assert trace.overlaps[upright] == pytest.approx(-0.5)


def test_edges_are_counted_as_the_shape_counts_them():
    """Whatever the convex piece inside: edges on one line are one axis, named by the first."""
    house = [(2, 0), (2, 2), (1, 3), (0, 2), (0, 1), (0, 0), (1, 0)]
    shape = p2.Polygon(house)
    trace = g.sat(shape, p2.Circle(0.5), pose_b=(1, -0.25, 0))
    assert trace.edge.tolist() == [0, 1, 2, 3, 5, -1]
    for axis, edge in zip(trace.axes[:-1], trace.edge[:-1], strict=True):
        np.testing.assert_allclose(axis, shape.normals[edge], atol=1e-15)
    assert trace.edge[trace.best] == 5
    assert trace.mtv == pytest.approx((0, -0.25))


def test_touching_is_separated():
    trace = g.sat(p2.Box(1, 1), p2.Box(1, 1), pose_b=(1, 0.25, 0))
    assert trace.separated
    assert trace.mtv is None
    assert trace.overlaps[trace.best] == 0
    assert "touching along edge 1 of a" in repr(trace)


@pytest.mark.parametrize("swap", [False, True])
def test_polygon_and_circle_have_the_axis_through_the_nearest_vertex(swap):
    polygon, circle = p2.Polygon(PENTAGON), p2.Circle(0.7, (0.1, -0.2))
    for pose in [(3, 1, 0.3), (2, 0.4, -1), (-2, 1, 2), (0.3, -0.4, 0), (1.5, 3, 0)]:
        args = (circle, polygon, pose) if swap else (polygon, circle, (0, 0, 0), pose)
        trace = g.sat(*args)
        center = place([(0.1, -0.2)], *pose)[0]
        nearest = PENTAGON[np.argmin(np.hypot(*(PENTAGON - center).T))]
        axis = (center - nearest) / np.hypot(*(center - nearest))
        assert len(trace.axes) == 6
        assert (trace.owner == int(swap)).all()
        assert trace.edge.tolist() == [0, 1, 2, 3, 4, -1]
        np.testing.assert_allclose(trace.axes[-1], axis, atol=1e-12)
        # the circle's shadow is the same on every axis
        shadow = trace.intervals_a if swap else trace.intervals_b
        np.testing.assert_allclose(np.diff(shadow, axis=1), 1.4, rtol=1e-12)


def test_a_circle_at_a_vertex_still_has_all_axes():
    trace = g.sat(p2.Box(2, 2), p2.Circle(0.5), pose_b=(1, 1, 0))
    np.testing.assert_array_equal(trace.axes[-1], (0, 1))
    assert trace.overlaps[trace.best] == pytest.approx(0.5)
    np.testing.assert_array_equal(trace.mtv, g.mtv(p2.Box(2, 2), p2.Circle(0.5), pose_b=(1, 1, 0)))


def test_coincident_circles_have_a_fixed_axis():
    trace = g.sat(p2.Circle(1), p2.Circle(0.5), (3, 4, 1), (3, 4, 2))
    np.testing.assert_array_equal(trace.axes, [(0, 1)])
    np.testing.assert_allclose(trace.mtv, (0, 1.5))
    np.testing.assert_allclose(trace.intervals_a, [(3, 5)])


def test_rounded_corners_have_the_axis_through_the_corners():
    a, b = p2.Box(2, 2, radius=0.5), p2.Capsule((0, 0), (2, 2), 0.25)
    trace = g.sat(a, b, pose_b=(1.5, 1.4, 0))
    assert trace.edge[-1] == -1
    assert trace.best == len(trace.axes) - 1
    np.testing.assert_allclose(trace.axes[-1], np.array([0.5, 0.4]) / np.hypot(0.5, 0.4))
    assert trace.overlaps[-1] == pytest.approx(0.75 - np.hypot(0.5, 0.4))
    assert "the line of the nearest points" in repr(trace)
    # side by side the edges are enough
    assert (g.sat(a, b, pose_b=(1.5, -0.5, 0)).edge >= 0).all()


def test_segments_on_one_line_are_separated_by_it():
    a, b = p2.Segment((0, 0), (1, 0)), p2.Segment((0, 0), (2, 0))
    trace = g.sat(a, b, pose_b=(1.25, 0, 0))
    np.testing.assert_array_equal(trace.axes[-1], (1, 0))
    assert trace.overlaps[trace.best] == pytest.approx(-0.25)
    assert trace.edge.tolist() == [0, 1, 0, 1, -1]
    crossing = g.sat(a, b, pose_b=(0.25, -0.5, np.pi / 2))
    assert crossing.edge.tolist() == [0, 1, 0, 1]
    assert crossing.overlaps[crossing.best] == pytest.approx(0.25)
    assert crossing.mtv is not None


def test_far_from_the_origin_the_overlaps_keep_their_digits():
    far = 2.0**23
    near = g.sat(p2.Polygon(A), p2.Polygon(B), (0, 0, 0.3), (0.25, 0.5, -0.2))
    away = g.sat(p2.Polygon(A), p2.Polygon(B), (far, -far, 0.3), (far + 0.25, -far + 0.5, -0.2))
    np.testing.assert_array_equal(away.overlaps, near.overlaps)
    np.testing.assert_array_equal(away.mtv, near.mtv)
    np.testing.assert_allclose(
        away.intervals_a, near.intervals_a + (near.axes @ (far, -far))[:, None], atol=1e-8
    )


def test_long_polygons():
    """Beyond the size from which the GIL is released."""
    a, b = p2.RegularPolygon(700, 1), p2.RegularPolygon(500, 2)
    trace = g.sat(a, b, pose_b=(2, 1, 0))
    assert len(trace.axes) == 1200
    assert trace.overlaps[trace.best] == pytest.approx(np.hypot(*trace.mtv))
    assert trace.overlaps[trace.best] == pytest.approx(3 - np.sqrt(5), abs=1e-4)
    assert "1188 axes not listed" in trace._repr_html_()


# ---------------------------------------------------------------- clip


def clip_line(line, point, normal):
    """A polyline behind a plane: Sutherland and Hodgman (1974), open."""
    heights = (line - point) @ normal
    kept = []
    for (p, q), (u, v) in zip(pairwise(line), pairwise(heights), strict=True):
        if not kept and u <= 0:
            kept.append(p)
        if (u <= 0) != (v <= 0):
            kept.append(p + (q - p) * u / (u - v))
        if v <= 0:
            kept.append(q)
    return np.array(kept).reshape(-1, 2)


def test_clipping_example_of_the_tutorial():
    trace = g.clip(p2.Polygon(A), p2.Polygon(B))
    assert trace.kind == "faces"
    assert trace.flipped  # the reference edge is b's
    np.testing.assert_allclose(trace.reference_edge, [(1.5, -0.333), (3.5, -1.666)])
    np.testing.assert_allclose(trace.incident_edge, [(3, 0), (-1, 0)])
    push = np.array([0.61505622, 0.92281503])
    np.testing.assert_allclose(trace.normal, push / np.hypot(*push), atol=1e-8)
    along = np.array([2, -1.333]) / np.hypot(2, 1.333)
    np.testing.assert_allclose(
        trace.planes, [[(1.5, -0.333), -along], [(3.5, -1.666), along]], atol=1e-12
    )
    cut = (3, 0), (1.5 + 0.333 * 1.333 / 2, 0)  # where the first plane meets the top of a
    np.testing.assert_array_equal(trace.stages[0], trace.incident_edge)
    np.testing.assert_allclose(trace.stages[1], cut, rtol=1e-12)
    np.testing.assert_allclose(trace.stages[2], cut, rtol=1e-12)
    np.testing.assert_allclose(trace.stages[3], cut[::-1], rtol=1e-12)
    inward = trace.normal  # the reference is b's: out of it is against the normal
    heights = (np.array(cut[::-1]) - trace.reference_edge[0]) @ inward
    np.testing.assert_allclose(trace.depths, heights, rtol=1e-12)
    assert trace.depths.max() == pytest.approx(np.hypot(*push), rel=1e-7)
    np.testing.assert_allclose(
        trace.points, np.array(cut[::-1]) - 0.5 * heights[:, None] * inward, rtol=1e-12
    )


def check_faces(trace, radii, radius_of_reference, cores):
    reference, incident = cores[::-1] if trace.flipped else cores
    outward = -trace.normal if trace.flipped else trace.normal
    start, end = trace.reference_edge
    for edge, core in ((trace.reference_edge, reference), (trace.incident_edge, incident)):
        for point in edge:
            assert np.hypot(*(core - point).T).min() < 1e-12
    # an edge of the reference, its outside on the right
    along = (end - start) / np.hypot(*(end - start))
    np.testing.assert_allclose(outward, (along[1], -along[0]), atol=2e-2)
    np.testing.assert_allclose(trace.planes[:, 0], trace.reference_edge)
    np.testing.assert_allclose(trace.planes[:, 1], [-along, along], atol=2e-2)
    np.testing.assert_array_equal(trace.stages[0], trace.incident_edge)
    line = trace.incident_edge
    for (point, normal), stage in zip(trace.planes, trace.stages[1:3], strict=True):
        line = clip_line(line, point, normal)
        np.testing.assert_allclose(stage, line, atol=1e-9)
    kept = trace.stages[3]
    heights = (kept - start) @ outward
    np.testing.assert_allclose(trace.depths, radii - heights, atol=1e-12)
    assert (trace.depths >= 0).all()
    # midway between the surface of the reference and that of the incident shape
    middle = 0.5 * (radius_of_reference + heights - (radii - radius_of_reference))
    np.testing.assert_allclose(
        trace.points, kept + (middle - heights)[:, None] * outward, atol=1e-12
    )
    for point in kept:
        assert np.hypot(*(line - point).T).min() < 1e-9


@pytest.mark.fast_cases(6)
@pytest.mark.parametrize("seed", range(12))
def test_the_trace_tells_how_collide_came_to_its_points(seed):
    kinds = []
    for a, b, pose_a, pose_b, placed in random_pairs(300 + seed, 250):
        trace = g.clip(a, b, pose_a, pose_b)
        manifold = g.collide(a, b, pose_a, pose_b)
        kinds.append(trace.kind)
        np.testing.assert_array_equal(trace.points, manifold.points)
        np.testing.assert_array_equal(trace.depths, -manifold.separations)
        assert (trace.kind == "apart") == (not manifold)
        if manifold:
            np.testing.assert_array_equal(trace.normal, manifold.normal)
        assert np.hypot(*trace.normal) == pytest.approx(1)

        (core_a, radius_a), (core_b, radius_b) = placed
        radii = radius_a + radius_b
        cores = region(core_a), region(core_b)
        if trace.kind == "faces":
            radius = radius_b if trace.flipped else radius_a
            check_faces(trace, radii, radius, (core_a, core_b))
        elif trace.kind == "corners":
            assert len(trace.points) == 1
            assert trace.depths[0] == pytest.approx(radii - cores[0].distance(cores[1]), abs=1e-9)
            ends = np.array(shapely.shortest_line(*cores).coords)
            np.testing.assert_allclose(
                trace.normal, (ends[1] - ends[0]) / np.hypot(*(ends[1] - ends[0])), atol=1e-6
            )
            # seldom a clipping was tried first, and missed the deepest vertex
            tried = len(trace.stages) > 0
            assert len(trace.stages) == 4 * tried
            assert trace.planes.shape == (2 * tried, 2, 2)
        elif trace.kind == "circle":
            assert len(core_a) == 1 or len(core_b) == 1
            assert trace.flipped == (len(core_a) == 1 < len(core_b))
            center = core_a[0] if trace.flipped else core_b[0]
            np.testing.assert_allclose(trace.incident_edge, [center, center], atol=1e-12)
            distance = cores[0].distance(cores[1])
            if distance > 1e-9:
                assert trace.depths[0] == pytest.approx(radii - distance, abs=1e-9)
                nearest = shapely.LineString(trace.reference_edge).distance(shapely.Point(center))
                assert nearest == pytest.approx(distance, abs=1e-9)
        elif trace.kind == "apart":
            assert cores[0].distance(cores[1]) > radii - 1e-9
    assert {"faces", "corners", "circle", "apart"} <= set(kinds)


def test_a_circle_against_a_corner_names_the_corner():
    trace = g.clip(p2.Box(2, 2), p2.Circle(0.5), pose_b=(1.2, 1.3, 0))
    assert trace.kind == "circle"
    np.testing.assert_array_equal(trace.reference_edge, [(1, 1), (1, 1)])
    np.testing.assert_allclose(trace.normal, np.array([0.2, 0.3]) / np.hypot(0.2, 0.3))
    trace = g.clip(p2.Circle(0.5), p2.Box(2, 2), pose_a=(0.2, 1.3, 0))
    assert trace.flipped
    np.testing.assert_allclose(trace.reference_edge, [(1, 1), (-1, 1)])
    np.testing.assert_allclose(trace.normal, (0, -1), atol=1e-15)


def test_corners_that_meet_give_a_vertex():
    """Cores a hair apart, corner to corner: nothing is left to clip, and no line to follow."""
    box = p2.Box(1, 1, radius=0.1)
    trace = g.clip(box, box, pose_b=(1 + 4e-10, 1 + 4e-10, 0))
    assert trace.kind == "vertex"
    assert [len(stage) for stage in trace.stages] in ([2, 0, 0, 0], [2, 2, 0, 0])
    np.testing.assert_allclose(trace.points, [(0.5, 0.5)], atol=1e-8)
    np.testing.assert_allclose(trace.depths, [0.2], atol=1e-8)
    manifold = g.collide(box, box, pose_b=(1 + 4e-10, 1 + 4e-10, 0))
    np.testing.assert_array_equal(trace.points, manifold.points)


def test_apart_shows_the_edge_that_separates_most():
    trace = g.clip(p2.Polygon(TRIANGLE), p2.Polygon(PENTAGON), (0, 5, 0))
    assert trace.kind == "apart"
    assert trace.points.shape == (0, 2)
    assert trace.depths.shape == (0,)
    np.testing.assert_allclose(trace.normal, (0, -1))
    np.testing.assert_allclose(trace.reference_edge, [(1, 6), (4, 6)])
    np.testing.assert_allclose(trace.incident_edge, [(1.5, 0.5), (-1.2, -0.5)])
    far = g.clip(p2.Circle(1), p2.Box(1, 1), pose_b=(1e6, 0, 0))
    np.testing.assert_allclose(far.normal, (1, 0), atol=1e-12)
    assert far.flipped
    assert repr(far) == "<ClipTrace: apart>"


def test_the_names_exchanged_give_the_same_points():
    for a, b, pose_a, pose_b, _ in random_pairs(77, 100):
        one, other = g.clip(a, b, pose_a, pose_b), g.clip(b, a, pose_b, pose_a)
        if one.kind == other.kind == "circle":
            np.testing.assert_allclose(one.points, other.points, atol=1e-12)
            np.testing.assert_allclose(one.normal, -other.normal, atol=1e-12)


def test_far_from_the_origin_points_move_along():
    far = 2.0**23
    near = g.clip(p2.Polygon(A), p2.Polygon(B), (0, 0, 0.25), (0.25, 0.5, 0))
    away = g.clip(p2.Polygon(A), p2.Polygon(B), (far, far, 0.25), (far + 0.25, far + 0.5, 0))
    np.testing.assert_array_equal(away.depths, near.depths)
    np.testing.assert_allclose(away.points, near.points + far, atol=2e-9)
    for stage, expected in zip(away.stages, near.stages, strict=True):
        np.testing.assert_allclose(stage, expected + far, atol=2e-9)


# ---------------------------------------------------------------- both

TRACES = [g.sat, g.clip, g.gjk]
CONCAVE = p2.Polygon([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)])
HOLED = p2.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (2, 1), (2, 2)]])


@pytest.mark.parametrize("function", TRACES)
@pytest.mark.parametrize("shape", [CONCAVE, HOLED])
def test_a_shape_of_several_parts_is_refused(function, shape):
    with pytest.raises(ValueError, match=r"^a: must be convex.*\.parts"):
        function(shape, p2.Circle(1))
    with pytest.raises(ValueError, match=r"^b: must be convex.*\.parts"):
        function(p2.Circle(1), shape)
    for part in shape.parts:  # as the message says
        function(p2.Polygon(part), p2.Circle(1))


@pytest.mark.parametrize("function", TRACES)
def test_a_chain_is_refused(function):
    with pytest.raises(ValueError, match=r"^b: must be convex, got a chain"):
        function(p2.Circle(1), p2.Chain([(0, 0), (1, 0)]))


@pytest.mark.parametrize("function", TRACES)
def test_bad_arguments_are_named(function):
    box = p2.Box(1, 1)
    with pytest.raises(TypeError, match=r"^a: must be a Shape, got list"):
        function([(0, 0), (1, 0), (0, 1)], box)
    with pytest.raises(TypeError, match=r"^b: must be a Shape"):
        function(box, None)
    with pytest.raises(ValueError, match=r"^pose_a"):
        function(box, box, (0, np.nan, 0))
    with pytest.raises(ValueError, match=r"^pose_b"):
        function(box, box, pose_b=(0, 0, np.inf))
    with pytest.raises(ValueError, match=r"^pose_b"):
        function(box, box, pose_b=np.zeros((4, 3)))
    with pytest.raises(TypeError):
        function(box)
    with pytest.raises(TypeError):
        function(box, box, pose_c=(0, 0, 0))


def arrays_of(trace):
    for name in type(trace).__dataclass_fields__:
        value = getattr(trace, name)
        yield from (
            each
            for each in (value if isinstance(value, tuple) else [value])
            if isinstance(each, np.ndarray)
        )


@pytest.mark.parametrize("function", TRACES)
def test_traces_cannot_be_changed(function):
    trace = function(p2.Polygon(A), p2.Polygon(B))
    arrays = list(arrays_of(trace))
    assert len(arrays) > 6
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    with pytest.raises(AttributeError):
        trace.pose_a = None
    with pytest.raises(AttributeError):
        trace.note = None
    assert trace == trace
    assert trace != function(p2.Polygon(A), p2.Polygon(B))  # no comparison of arrays


@pytest.mark.parametrize("function", TRACES)
def test_traces_can_be_kept(function):
    trace = function(p2.Polygon(A), p2.Circle(1, (3, 1)))
    for again in (pickle.loads(pickle.dumps(trace)), copy.deepcopy(trace)):
        assert repr(again) == repr(trace)
        for one, other in zip(arrays_of(trace), arrays_of(again), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("function", TRACES)
def test_the_longest_offsets_do_no_harm(function):
    """Poses whose difference overflows, or leaves no digits: an answer, whatever it is."""
    box = p2.Box(1, 1)
    for pose in [(1e308, -1e308, 0), (1e300, 1, 1e300), (1e16, 1e16, 3)]:
        for a, b in ((box, box), (p2.Circle(1), box), (p2.Circle(1), p2.Circle(2))):
            trace = function(a, b, tuple(-np.array(pose)), pose)
            assert repr(trace)
            assert trace._repr_html_().count("<svg") == 1
            assert getattr(trace, "separated", True)


@pytest.mark.parametrize("function", TRACES)
def test_traces_show_what_they_say(function):
    axes = function(p2.Polygon(A), p2.Polygon(B)).plot(plt.figure().gca())
    assert axes.has_data()
    plt.close(axes.figure)
