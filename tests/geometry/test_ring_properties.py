"""Measures, properties and motions of rings, against exact rational arithmetic, NumPy, Shapely."""

from fractions import Fraction

import numpy as np
import pytest
import shapely
from geometry_strategies import (
    EPSILON,
    any_point,
    cross,
    exact,
    exact_twice_area,
    minus,
    point_lists,
    sign,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import polygon_moments, star

import pyphys2d.geometry as g

HOUSE = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]
FIVE = np.array([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)])
SIX = np.array([(3, 1), (3, 2), (2.2, 3), (1.5, 3), (0.8, 2), (1, 1)]) + 2.5


# ---------------------------------------------------------------- measures


@given(point_lists(3, 10))
def test_areas_by_rational_arithmetic(ring):
    expected = exact_twice_area(ring) / 2
    size = np.ptp(ring, axis=0).max()
    assert float(abs(Fraction(g.signed_area(ring)) - expected)) <= 40 * EPSILON * size**2
    assert g.area(ring) == abs(g.signed_area(ring))
    assert g.winding(ring) == sign(expected)
    assert sign(g.signed_area(ring)) == sign(expected) or len(ring) > 3


@given(st.lists(any_point, min_size=3, max_size=8))
def test_winding_of_any_floats(ring):
    assert g.winding(ring) == sign(exact_twice_area(ring))


@given(st.floats(0.01, 1), st.floats(-1, -0.01), st.integers(-3, 3), st.floats(0.1, 0.9))
def test_thin_rings(x, y, ulps, part):
    """A few units in the last place thin: sign, area and centroid still hold."""
    ring = np.array([(0, 0), (part * x, part * y), (x, y), (part * x, part * y)])
    ring[1, 1] += ulps * np.spacing(y)
    ring += (1, -2)
    for each in (ring, ring[:3]):
        area, (cx, cy) = exact_twice_area(each) / 2, (0, 0)
        assert g.winding(each) == sign(area)
        assert g.signed_area(each) == pytest.approx(float(area), rel=1e-14, abs=0)
        if area == 0:
            continue
        points = [exact(p) for p in each]
        for p, q in zip(points, points[1:] + points[:1], strict=True):
            cx += cross(p, q) * (p[0] + q[0]) / (6 * area)
            cy += cross(p, q) * (p[1] + q[1]) / (6 * area)
        np.testing.assert_allclose(g.centroid(each), (float(cx), float(cy)), rtol=1e-13)


def test_winding_of_rings_of_rounded_points_of_a_line():
    """The area is rounding of the vertices alone; plain sums often have the wrong sign."""
    rng = np.random.default_rng(4)
    plain_is_wrong = 0
    for _ in range(1000):
        start, along = rng.uniform(-1, 1, (2, 2))
        ring = start + along * rng.uniform(-1, 1, (6, 1))
        expected = sign(exact_twice_area(ring))
        assert g.winding(ring) == expected
        a, b = ring[1:-1] - ring[0], ring[2:] - ring[0]
        plain = np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
        plain_is_wrong += int(np.sign(plain)) != expected
    assert plain_is_wrong > 20


@pytest.mark.parametrize("scale", [1.0, 1e8, 1e-8])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_moments_at_all_scales(scale, offset):
    rings = np.array([star(np.random.default_rng(k), 9) for k in range(30)]) + offset
    rings *= scale
    area, centroid = g.area(rings), g.centroid(rings)
    moment, about = g.second_moment(rings), g.second_moment(rings, 2.5, (scale, 0))
    for k, ring in enumerate(rings):
        expected = polygon_moments(ring)
        assert area[k] == pytest.approx(expected.area, rel=1e-12)
        np.testing.assert_allclose(centroid[k], expected.centroid, rtol=1e-12)
        assert moment[k] == pytest.approx(expected.inertia, rel=1e-12)
        shift = np.subtract(expected.centroid, (scale, 0))
        whole = expected.inertia + expected.area * shift @ shift
        assert about[k] == pytest.approx(2.5 * whole, rel=1e-12)


def test_the_six_gon_of_the_tutorial():
    """The text sums |cross| over triangles from the origin, which lies outside; signs put it
    right.
    """
    assert g.area(SIX) == pytest.approx(3.55, rel=1e-14)
    a, b = SIX, np.roll(SIX, -1, axis=0)
    each = (a * a + a * b + b * b).sum(axis=1) / 12
    crosses = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    assert np.abs(crosses) @ each == pytest.approx(315.3639166666666, rel=1e-12)
    assert g.second_moment(SIX, about=(0, 0)) == pytest.approx(crosses @ each, rel=1e-12)
    assert g.second_moment(SIX, about=(0, 0)) == pytest.approx(139.50575, abs=1e-9)
    centered = SIX - g.centroid(SIX)
    assert g.second_moment(centered, about=(0, 0)) == pytest.approx(2.0905066510, abs=5e-11)
    np.testing.assert_allclose(g.centroid(FIVE - g.centroid(FIVE)), 0, atol=1e-15)


def test_rings_without_area():
    line = [(0, 0), (2, 2), (4, 4), (6, 6)]
    assert g.area(line) == 0
    assert g.winding(line) == 0
    np.testing.assert_array_equal(g.centroid(line), (3, 3))
    assert g.second_moment(line) == 0
    bow = [(0, 0), (2, 2), (2, 0), (0, 2)]
    assert g.winding(bow) == 0
    np.testing.assert_array_equal(g.centroid(bow), (1, 1))


def exact_moments(ring, about=None):
    """Signed area, centroid and second moment as fractions."""
    points = [exact(p) for p in np.asarray(ring, float)]
    area, cx, cy = exact_twice_area(ring) / 2, Fraction(0), Fraction(0)
    for p, q in zip(points, points[1:] + points[:1], strict=True):
        cx += cross(p, q) * (p[0] + q[0])
        cy += cross(p, q) * (p[1] + q[1])
    center = (cx / (6 * area), cy / (6 * area))
    origin, moment = center if about is None else exact(about), Fraction(0)
    points = [minus(p, origin) for p in points]
    for p, q in zip(points, points[1:] + points[:1], strict=True):
        moment += cross(p, q) * sum(p[k] ** 2 + p[k] * q[k] + q[k] ** 2 for k in (0, 1)) / 12
    return area, center, abs(moment)


def rounded(number):
    """The nearest float64; infinity beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf


L_RING = np.array([(0, 0), (3, 0), (3, 1), (1, 1), (1, 4), (0, 4)], float)
SIZES = [5e-324, 1e-310, 1e-200, 1e-160, 1e-100, 1e-60, 1, 1e60, 1e75, 1e100, 1e150, 1e160, 1e307]


@pytest.mark.fast_cases(80)
@pytest.mark.parametrize("wide", SIZES)
@pytest.mark.parametrize("high", SIZES)
@pytest.mark.parametrize("shift", [0, -2])
def test_measures_of_any_size(wide, high, shift):
    """Right wherever float64 can say it, else infinite or 0."""
    for ring in (L_RING, L_RING[::-1], np.roll(L_RING, 2, axis=0)):
        ring = (ring + shift) * (wide, high)
        area, center, moment = exact_moments(ring)
        assert g.signed_area(ring) == pytest.approx(rounded(area), rel=1e-14, abs=1e-323)
        assert g.area(ring) == abs(g.signed_area(ring))
        assert g.centroid(ring) == pytest.approx([*map(rounded, center)], rel=1e-14, abs=1e-323)
        assert g.second_moment(ring) == pytest.approx(rounded(moment), rel=1e-13, abs=1e-323)


@pytest.mark.parametrize("size", [1e-200, 1e-120, 1, 1e90, 1e200])
@pytest.mark.parametrize("far", [1e-250, 1e-120, 1, 1e90, 1e250])
@pytest.mark.parametrize("density", [1e-300, 3.0, 1e300])
def test_moments_about_any_point_at_any_density(size, far, density):
    about = (3 * far, -5 * far)
    expected = rounded(Fraction(density) * exact_moments(L_RING * size, about)[2])
    got = g.second_moment(L_RING * size, density, about)
    assert got == pytest.approx(expected, rel=1e-13, abs=1e-323)


def test_large_and_small_numbers_in_one_ring():
    ring = [(1e160, 1e160), (0, 0), (1e-150, 0)]  # the area is 5e9
    area, center, _ = exact_moments(ring)
    assert g.signed_area(ring) == pytest.approx(float(area), rel=1e-14)
    assert g.centroid(ring) == pytest.approx([*map(float, center)], rel=1e-14)
    most = np.finfo(float).max
    ring = [(-most, -most), (most, -most), (most, most), (-most, most)]
    assert g.area(ring) == np.inf
    np.testing.assert_allclose(g.centroid(ring) / most, 0, atol=1e-15)
    line = [(-most, -most), (0, 0), (most, most)]
    np.testing.assert_allclose(g.centroid(line) / most, 0, atol=1e-15)  # the mean
    assert g.second_moment(ring) == np.inf


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**-300, 2.0**300, 2.0**800])
def test_thin_rings_of_any_size(scale):
    """As test_thin_rings: a unit in the last place thin, the same but for the power of two."""
    ring = np.array([(1, -2), (1.3, -1.7), (1.75, -1.25), (1.3, -1.7)])
    ring[1, 1] = np.nextafter(ring[1, 1], 0)
    assert g.winding(ring * scale) == g.winding(ring) != 0
    np.testing.assert_allclose(g.centroid(ring * scale), g.centroid(ring) * scale, rtol=1e-13)
    expected = Fraction(g.signed_area(ring)) * Fraction(scale) ** 2
    assert g.signed_area(ring * scale) == pytest.approx(rounded(expected), rel=1e-13)


# ---------------------------------------------------------------- convexity


def is_convex_by_definition(ring):
    """All vertices on one side of each edge's line, and the ring goes round once."""
    points = [exact(p) for p in ring]
    distinct = [p for p, q in zip(points, points[1:] + points[:1], strict=True) if p != q]
    turns = set()
    total = 0.0
    count = len(distinct)
    if count < 3:
        return False
    for i in range(count):
        a, b, c = distinct[i - 2], distinct[i - 1], distinct[i]
        u, v = minus(b, a), minus(c, b)
        turns.add(sign(cross(u, v)))
        if cross(u, v) == 0 and u[0] * v[0] + u[1] * v[1] < 0:
            return False  # doubles back
        total += np.arctan2(float(cross(u, v)), float(u[0] * v[0] + u[1] * v[1]))
    return turns - {0} in ({1}, {-1}) and abs(total) < 3 * np.pi


@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 2), min_size=3, max_size=8))
def test_convexity_of_rings_on_a_coarse_grid(ring):
    assert g.is_convex(ring) == is_convex_by_definition(ring)


@given(point_lists(3, 9))
def test_hulls_are_convex_with_repeated_and_collinear_vertices(points):
    hull = g.convex_hull(points)
    if len(hull) < 3:
        assert not g.is_convex(points)
        return
    assert g.is_convex(hull)
    assert g.is_convex(hull[::-1])
    assert g.is_convex(np.repeat(hull, 3, axis=0))
    assert not g.is_convex(np.vstack([hull, hull]))


def test_shapes_that_are_not_convex():
    turns = np.arange(5) * 4 * np.pi / 5
    dart = [(0, 0), (4, 0), (4, 4), (3, 1)]
    for ring in (
        dart,
        dart[::-1],
        [(0, 0), (4, 0), (4, 4), (3, 1), (3, 1)],  # the corner is there twice
        np.column_stack([np.cos(turns), np.sin(turns)]),  # pentagram
        [(0, 0), (4, 0), (2, 0)],
        [(0, 0), (4, 0), (6, 0), (4, 0), (4, 4)],  # a spike
        [(1, 1)] * 4,
    ):
        assert not g.is_convex(ring)
    assert g.is_convex([(0, 0), (2, 0), (4, 0), (4, 4), (4, 4), (0, 4)])


# ---------------------------------------------------------------- edges and normals


def test_edges_and_normals_by_numpy():
    rings = np.array([star(np.random.default_rng(k), 7) for k in range(20)])
    edges = np.roll(rings, -1, axis=1) - rings
    np.testing.assert_array_equal(g.edges(rings), edges)
    outward = np.stack([edges[..., 1], -edges[..., 0]], axis=-1)
    outward /= np.linalg.norm(outward, axis=-1, keepdims=True)
    np.testing.assert_allclose(g.normals(rings), outward, atol=1e-15)
    # a clockwise ring has the same normals: edge i of the reversed ring is edge n - 2 - i
    np.testing.assert_allclose(
        g.normals(rings[:, ::-1]), np.roll(outward[:, ::-1], -1, axis=1), atol=1e-15
    )


@pytest.mark.parametrize("ring", [HOUSE, FIVE, SIX, SIX[::-1]])
def test_normals_point_out(ring):
    ring = np.array(ring, float)
    middles = (ring + np.roll(ring, -1, axis=0)) / 2
    region = shapely.Polygon(ring)
    outside, inside = middles + 1e-6 * g.normals(ring), middles - 1e-6 * g.normals(ring)
    assert not shapely.contains_xy(region, *outside.T).any()
    assert shapely.contains_xy(region, *inside.T).all()


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-8, 1e8, 1e300])
def test_normals_have_unit_length_at_all_scales(scale):
    ring = np.array([(0, 0), (4, 0), (4, 3)]) * scale
    np.testing.assert_allclose(g.normals(ring), [(0, -1), (1, 0), (-0.6, 0.8)], rtol=1e-15)


def test_an_edge_without_length_has_no_normal():
    normals = g.normals([(0, 0), (0, 0), (1, 0), (0, 1)])
    assert np.isnan(normals[0]).all()
    assert np.isfinite(normals[1:]).all()


# ---------------------------------------------------------------- motions


@given(point_lists(1, 8), st.floats(-1e3, 1e3), point_lists(1))
def test_motions_by_numpy(points, angle, about):
    about = about[0]
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    tolerance = 8 * EPSILON * max(np.abs(points).max(), np.abs(about).max())
    np.testing.assert_array_equal(g.translate(points, about), points + about)
    np.testing.assert_allclose(
        g.rotate(points, angle, about), (points - about) @ turn.T + about, rtol=0, atol=tolerance
    )
    np.testing.assert_allclose(
        g.transform(points, (*about, angle)), points @ turn.T + about, rtol=0, atol=tolerance
    )
    np.testing.assert_array_equal(g.rotate(points, angle), g.transform(points, (0, 0, angle)))


def test_a_pose_for_each_of_many_bodies():
    poses = np.array([(1, 2, 0.3), (4, 5, -2)])
    moved = g.transform(FIVE, poses)
    assert moved.shape == (2, 5, 2)
    for pose, ring in zip(poses, moved, strict=True):
        np.testing.assert_array_equal(ring, g.transform(FIVE, pose))
        assert g.area(ring) == pytest.approx(8.1, rel=1e-14)
    assert g.rotate(FIVE, [[0.1], [0.2], [0.3]]).shape == (3, 1, 5, 2)
    assert g.translate(np.empty((0, 2)), (1, 1)).shape == (0, 2)
