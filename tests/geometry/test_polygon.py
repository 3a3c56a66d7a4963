"""pyphys2d.geometry on plain polygons and points: the numbers of the tutorial, second
implementations.
"""

import numpy as np
import pytest
import shapely
from reference import polygon_moments, random_polygon, star

import pyphys2d.geometry as g

HOUSE = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]
TRIANGLE = [(4, 1), (2, 4), (1, 1)]
FIVE = [(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)]
SIX = np.array([(3, 1), (3, 2), (2.2, 3), (1.5, 3), (0.8, 2), (1, 1)]) + 2.5


def test_areas_and_centroids_as_printed():
    assert g.area(HOUSE) == 5.0
    assert g.area(TRIANGLE) == 4.5
    assert g.area(FIVE) == pytest.approx(8.1, abs=1e-12)
    np.testing.assert_allclose(g.centroid(FIVE), (0.56995885, 0.2962963), atol=5e-9)
    np.testing.assert_allclose(g.centroid(SIX), (4.42065728, 4.37793427), atol=5e-9)


def test_second_moment_as_printed():
    assert g.second_moment(SIX) == pytest.approx(2.0905066510, abs=5e-11)
    assert g.second_moment(SIX, about=(0, 0)) == pytest.approx(139.50575, abs=1e-9)
    assert g.second_moment(SIX, 3.0) == pytest.approx(3 * g.second_moment(SIX), rel=1e-15)


@pytest.mark.fast_cases(20)
@pytest.mark.parametrize("seed", range(50))
def test_moments_of_random_rings_by_exact_arithmetic(seed):
    ring = star(np.random.default_rng(seed), 3 + seed % 20, (3, -2), 2)
    expected = polygon_moments(ring)
    for vertices in (ring, ring[::-1]):
        assert g.area(vertices) == pytest.approx(expected.area, rel=1e-12)
        np.testing.assert_allclose(g.centroid(vertices), expected.centroid, rtol=1e-12)
        assert g.second_moment(vertices) == pytest.approx(expected.inertia, rel=1e-12)


def tutorial_grid():
    x, y = np.meshgrid(np.arange(-2, 2.5, 0.1), np.arange(2.5, -2, -0.1))
    return np.column_stack([x.ravel(), y.ravel()])


def test_the_grid_of_the_tutorial_has_795_points_inside():
    inside = g.point_in_polygon(tutorial_grid(), FIVE, method="cross_products")
    assert inside.dtype == bool
    assert inside.sum() == 795


@pytest.mark.parametrize("method", ["winding", "crossings", "cross_products"])
def test_methods_agree_with_shapely_away_from_the_edges(method):
    points, region = tutorial_grid(), shapely.Polygon(FIVE)
    clear = shapely.distance(region.boundary, shapely.points(points)) > 1e-9
    assert (~clear).sum() == 36
    expected = shapely.contains_xy(region, points[:, 0], points[:, 1])
    got = g.point_in_polygon(points, FIVE, method=method)
    np.testing.assert_array_equal(got[clear], expected[clear])


@pytest.mark.parametrize("method", ["winding", "crossings"])
def test_points_in_random_concave_rings(method):
    rng = np.random.default_rng(3)
    for _ in range(500):
        ring, _ = random_polygon(rng)
        region = shapely.Polygon(ring)
        points = rng.uniform(*np.reshape(region.bounds, (2, 2)), (40, 2))
        clear = shapely.distance(region.boundary, shapely.points(points)) > 1e-12
        expected = shapely.contains_xy(region, points[:, 0], points[:, 1])
        got = g.point_in_polygon(points, ring, method=method)
        np.testing.assert_array_equal(got[clear], expected[clear])


@pytest.mark.parametrize("method", ["winding", "crossings"])
def test_points_at_the_height_of_a_vertex(method):
    """The classic failure of the naive ray: the ray passes through vertices."""
    diamond = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    points = [(-2, 0), (2, 0), (0, 0), (-0.5, 0), (-2, 1), (-2, -1), (2, 1)]
    expected = [False, False, True, True, False, False, False]
    assert list(g.point_in_polygon(points, diamond, method=method)) == expected


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_vertices_are_refused(bad):
    with pytest.raises(ValueError, match=r"vertices|polygon"):
        g.area([(0, 0), (1, 0), (bad, 1)])


def test_unknown_method_is_named():
    with pytest.raises(ValueError, match="method"):
        g.point_in_polygon([(0, 0)], FIVE, method="guess")
