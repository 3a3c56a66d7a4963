"""Exact predicates against rational arithmetic, where plain floats give the wrong sign."""

from fractions import Fraction

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

testing = pytest.importorskip(
    "pyphys2d._testing",
    reason="LOUD: internals are NOT tested, build with PYPHYS2D_TESTING=1",
)


def exact(a, b, c):
    (ax, ay), (bx, by), (cx, cy) = [[Fraction(float(v)) for v in p] for p in (a, b, c)]
    cross = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (cross > 0) - (cross < 0)


coordinate = st.floats(-1e7, 1e7, allow_nan=False)
point = st.tuples(coordinate, coordinate)


@given(point, point, point)
def test_orientation_of_any_three_points(a, b, c):
    assert testing.orientation(a, b, c) == exact(a, b, c)


any_float = st.floats(allow_nan=False, allow_infinity=False)
any_point = st.tuples(any_float, any_float)


@given(any_point, any_point, any_point)
def test_orientation_from_subnormal_to_the_largest_numbers(a, b, c):
    assert testing.orientation(a, b, c) == exact(a, b, c)


@given(any_point, st.integers(-(2**53), 2**53), st.integers(-(2**53), 2**53), st.integers(-3, 3))
def test_orientation_of_multiples_of_one_point(point, m, n, ulps):
    """Collinear up to rounding, over the whole range: products overflow or underflow."""
    with np.errstate(over="ignore"):
        b, c = np.multiply(point, m / 2**53), np.multiply(point, n / 2**53)
    c[1] += ulps * np.spacing(c[1])
    for a in ((0.0, 0.0), point):
        assert testing.orientation(a, tuple(b), tuple(c)) == exact(a, b, c)


def test_orientation_where_products_are_subnormal():
    rng = np.random.default_rng(1)
    for points in rng.integers(-9, 10, (3000, 3, 2)) * 2.0**-538:
        assert testing.orientation(*map(tuple, points)) == exact(*points)


def test_orientation_of_nearly_collinear_points():
    """Points a few units in the last place beside a line: plain arithmetic errs on many of them."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(3000):
        a, d = rng.uniform(-10, 10, (2, 2))
        b, c = a + d, a + rng.uniform(-3, 3) * d
        c = c + rng.integers(-3, 4, 2) * np.spacing(c)
        expected = exact(a, b, c)
        plain = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        wrong += int(np.sign(plain)) != expected
        assert testing.orientation(tuple(a), tuple(b), tuple(c)) == expected
    assert wrong > 50


def test_points_on_the_edges_of_a_ring_are_on_the_boundary():
    ring = np.array([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)], float)
    on = np.array([(2, 0), (4, 2), (3, 2.5), (1, 2.5), (0, 1), *ring])
    assert list(testing.ring_contains(ring, on)) == [0] * len(on)
    assert list(testing.ring_contains(ring, [(1, 1), (2, 2), (2, 0.5), (5, 5)])) == [1, -1, 1, -1]


@pytest.mark.parametrize("seed", range(30))
def test_width_by_all_directions(seed):
    points = np.random.default_rng(seed).normal(size=(20, 2)) * (3, 1)
    hull = np.array(shapely.MultiPoint(points).convex_hull.exterior.coords)
    # the narrowest strip has a side of the hull on its border
    edges = np.diff(hull, axis=0)
    normals = np.column_stack([edges[:, 1], -edges[:, 0]]) / np.hypot(*edges.T)[:, None]
    expected = np.ptp(hull @ normals.T, axis=0).min()
    assert testing.convex_width(points) == pytest.approx(expected, rel=1e-12)
