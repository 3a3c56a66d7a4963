"""Lines, segments and rays against exact rational arithmetic and Shapely."""

import numpy as np
import pytest
import shapely
from geometry_strategies import (
    EPSILON,
    any_point,
    exact,
    exact_line_intersection,
    exact_ray_hit,
    exact_segment_intersection,
    largest,
    point_lists,
)
from hypothesis import given
from hypothesis import strategies as st

import pyphys2d.geometry as g

NOWHERE = [np.nan, np.nan]
FIVE = [(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)]


def distance_to(found, expected):
    """Largest difference of coordinates, without rounding."""
    return max(abs(float(v - w)) for v, w in zip(exact(found), expected, strict=True))


def assert_near(found, expected, scale, ulps):
    if expected is None:
        np.testing.assert_array_equal(found, NOWHERE)
    else:
        assert np.isfinite(found).all()
        assert distance_to(found, expected) <= ulps * EPSILON * scale


def assert_in_box(point, *ends):
    ends = np.array(ends, float)
    assert (ends.min(axis=0) <= point).all()
    assert (point <= ends.max(axis=0)).all()


@given(point_lists(4))
def test_segments_by_rational_arithmetic(points):
    a, b, c, d = points
    found = g.segment_intersection(a, b, c, d)
    expected = exact_segment_intersection(a, b, c, d)
    assert_near(found, expected, largest(points), 8)
    if expected is not None:
        assert_in_box(found, a, b)
        assert_in_box(found, c, d)
        if expected in map(exact, points):
            assert exact(found) == expected


@given(any_point, any_point, any_point, any_point)
def test_whether_segments_of_any_floats_meet(a, b, c, d):
    """From subnormal numbers to the largest ones."""
    found = g.segment_intersection(a, b, c, d)
    if exact_segment_intersection(a, b, c, d) is None:
        np.testing.assert_array_equal(found, NOWHERE)
    else:
        assert_in_box(found, a, b)
        assert_in_box(found, c, d)


@given(point_lists(4))
def test_lines_by_rational_arithmetic(points):
    expected = exact_line_intersection(*points)
    scale = largest(points)
    if expected is not None:
        scale = max(scale, *(abs(float(v)) for v in expected))
    assert_near(g.line_intersection(*points), expected, scale, 16)


@given(point_lists(4))
def test_rays_by_rational_arithmetic(points):
    origin, ahead, a, b = points
    direction = ahead - origin
    found = g.ray_vs_segment(origin, direction, a, b)
    expected = exact_ray_hit(origin, direction, a, b)
    assert_near(found, expected, largest(a, b), 8)
    if expected is not None:
        assert_in_box(found, a, b)


@given(any_point, any_point, any_point, any_point)
def test_whether_rays_of_any_floats_hit(origin, direction, a, b):
    found = g.ray_vs_segment(origin, direction, a, b)
    if exact_ray_hit(origin, direction, a, b) is None:
        np.testing.assert_array_equal(found, NOWHERE)
    else:
        assert_in_box(found, a, b)


@pytest.mark.parametrize("scale", [1.0, 1e8, 1e-8])
def test_random_segments_by_shapely(scale):
    points = scale * np.random.default_rng(0).normal(size=(4, 3000, 2))
    a, b, c, d = points
    found = g.segment_intersection(a, b, c, d)
    first, second = (shapely.linestrings(np.stack(ends, axis=1)) for ends in ((a, b), (c, d)))
    meet = shapely.intersects(first, second)
    assert 500 < meet.sum() < 1500
    np.testing.assert_array_equal(~np.isnan(found).any(axis=1), meet)
    expected = shapely.get_coordinates(shapely.intersection(first[meet], second[meet]))
    np.testing.assert_allclose(found[meet], expected, atol=1e-11 * scale)


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        (((0, 0), (4, 0), (0, 1), (4, 1)), NOWHERE),  # parallel
        (((0, 0), (4, 0), (5, 0), (6, 0)), NOWHERE),  # on one line, apart
        (((0, 0), (4, 0), (4, 0), (6, 0)), (4, 0)),  # end to end
        (((0, 0), (4, 0), (3, 0), (6, 0)), (3, 0)),  # overlapping
        (((0, 0), (4, 0), (6, 0), (3, 0)), (3, 0)),
        (((4, 0), (0, 0), (3, 0), (1, 0)), (3, 0)),  # one in the other, from the other side
        (((4, 0), (0, 0), (1, 0), (3, 0)), (3, 0)),
        (((2, 0), (4, 0), (0, 0), (6, 0)), (2, 0)),
        (((1, 1), (1, 5), (1, 4), (1, 3)), (1, 3)),  # upright
        (((0, 0), (4, 0), (2, 0), (2, 5)), (2, 0)),  # an end on the other
        (((2, 0), (2, 5), (0, 0), (4, 0)), (2, 0)),
        (((0, 0), (0, 0), (0, 0), (0, 0)), (0, 0)),  # points
        (((0, 0), (0, 0), (1, 0), (1, 0)), NOWHERE),
        (((1, 1), (1, 1), (0, 0), (2, 2)), (1, 1)),
        (((1, 2), (1, 2), (0, 0), (2, 2)), NOWHERE),
        (((0, 0), (2, 2), (1, 1), (1, 1)), (1, 1)),
    ],
)
def test_special_positions_of_segments(segments, expected):
    np.testing.assert_array_equal(g.segment_intersection(*segments), expected)


@pytest.mark.parametrize(
    ("ray", "expected"),
    [
        (((0, 0), (1, 0), (2, -1), (2, 1)), (2, 0)),
        (((0, 0), (-1, 0), (2, -1), (2, 1)), NOWHERE),  # behind
        (((0, 0), (1, 0), (2, 0), (2, 1)), (2, 0)),  # at an end
        (((0, 0), (1, 0), (2, 1), (2, 3)), NOWHERE),
        (((0, 0), (1, 0), (5, 0), (3, 0)), (3, 0)),  # along the segment
        (((4, 0), (1, 0), (5, 0), (3, 0)), (4, 0)),
        (((9, 0), (1, 0), (5, 0), (3, 0)), NOWHERE),
        (((0, 0), (0, 2), (0, 5), (0, 3)), (0, 3)),
        (((2, 0), (1, 0), (2, -1), (2, 1)), (2, 0)),  # from the segment
        (((2, 0), (0, 0), (2, -1), (2, 1)), (2, 0)),  # without length
        (((0, 0), (0, 0), (2, -1), (2, 1)), NOWHERE),
        (((0, 0), (1, 1), (3, 3), (3, 3)), (3, 3)),  # a segment without length
        (((0, 0), (1, 1), (3, 2), (3, 2)), NOWHERE),
    ],
)
def test_special_positions_of_rays(ray, expected):
    np.testing.assert_array_equal(g.ray_vs_segment(*ray), expected)


def test_segments_at_a_flat_angle():
    """Apart by a few units in the last place along their whole length, and far from the origin of
    neither axis: plain cross products are noise.
    """
    rng = np.random.default_rng(3)
    crossing = 0
    for _ in range(2000):
        a, b = rng.uniform(-1, 1, (2, 2)) * (1, 1e-3)
        c, d = (
            a + rng.integers(-3, 4, 2) * np.spacing(a),
            b + rng.integers(-3, 4, 2) * np.spacing(b),
        )
        expected = exact_segment_intersection(a, b, c, d)
        crossing += expected is not None and expected not in map(exact, (a, b, c, d))
        assert_near(g.segment_intersection(a, b, c, d), expected, largest(a, b, c, d), 8)
        line = exact_line_intersection(a, b, c, d)
        if line is not None:
            scale = max(largest(a, b, c, d), *(abs(float(v)) for v in line))
            assert_near(g.line_intersection(a, b, c, d), line, scale, 16)
    assert crossing > 200


def test_lines_without_one_common_point():
    for lines in (
        ((0, 0), (1, 1), (0, 4), (1, 5)),  # parallel
        ((0, 0), (1, 1), (2, 2), (3, 3)),  # the same
        ((1, 1), (1, 1), (0, 4), (1, 5)),  # no line
        ((0, 0), (1, 1), (2, 3), (2, 3)),
    ):
        np.testing.assert_array_equal(g.line_intersection(*lines), NOWHERE)
    np.testing.assert_array_equal(g.line_intersection((2, 0), (2, 9), (0, 1), (1, 1)), (2, 1))


def test_nearly_parallel_lines_meet_far_away():
    found = g.line_intersection((0, 0), (1, 0), (0, 1), (1, np.nextafter(1, 0)))
    np.testing.assert_allclose(found, (2.0**53, 0), rtol=1e-15)


def test_a_cannonball_against_the_coast_of_a_ring():
    square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    for a, b, expected in [
        ((-5, 1), (5, 1), (0, 1)),
        ((5, 1), (-5, 1), (2, 1)),
        ((0.5, 0.5), (1.5, 1), NOWHERE),  # stays inside
        ((0.5, 1), (5, 1), (2, 1)),  # leaves
        ((-5, 2), (5, 2), (0, 2)),  # along a side
        ((-1, 1), (1, 3), (0, 2)),  # by a corner
        ((-5, 3), (5, 3), NOWHERE),
        ((2, 1), (5, 1), (2, 1)),  # from the side
    ]:
        np.testing.assert_array_equal(g.segment_vs_polygon(a, b, square), expected)


@given(point_lists(5, 11))
def test_segments_against_rings_by_rational_arithmetic(points):
    a, b, *ring = points
    hits = [
        exact_segment_intersection(a, b, c, d)
        for c, d in zip(ring, ring[1:] + ring[:1], strict=True)
    ]
    start = exact(a)
    hits = [hit for hit in hits if hit is not None]
    nearest = min(
        hits, key=lambda p: sum((v - w) ** 2 for v, w in zip(p, start, strict=True)), default=None
    )
    assert_near(g.segment_vs_polygon(a, b, ring), nearest, largest(points), 16)


def test_many_segments_against_the_five_gon_by_shapely():
    a, b = np.random.default_rng(1).normal(size=(2, 2000, 2)) * 2
    found = g.segment_vs_polygon(a, b, FIVE)
    boundary = shapely.LinearRing(FIVE)
    paths = shapely.linestrings(np.stack([a, b], axis=1))
    hit = shapely.intersects(boundary, paths)
    np.testing.assert_array_equal(~np.isnan(found).any(axis=1), hit)
    expected = shapely.distance(shapely.intersection(boundary, paths), shapely.points(a))[hit]
    np.testing.assert_allclose(np.hypot(*(found - a)[hit].T), expected, atol=1e-12)


@given(st.integers(0, 2**32), st.sampled_from([1.0, 1e8, 1e-8]))
def test_the_order_of_ends_does_not_matter(seed, scale):
    a, b, c, d = scale * np.random.default_rng(seed).normal(size=(4, 2))
    first = g.segment_intersection(a, b, c, d)
    for other in (
        g.segment_intersection(b, a, c, d),
        g.segment_intersection(a, b, d, c),
        g.segment_intersection(c, d, a, b),
    ):
        np.testing.assert_allclose(first, other, rtol=0, atol=16 * EPSILON * largest(a, b, c, d))
