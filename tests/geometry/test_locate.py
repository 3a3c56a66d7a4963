"""Points in polygons: exact on edges and at vertices, one at a time and by the grid."""

import json
from importlib.resources import files

import numpy as np
import pytest
import shapely
from geometry_strategies import any_point, exact_winding_number, point_lists
from hypothesis import given
from hypothesis import strategies as st
from reference import random_polygon, star

import pyphys2d.geometry as g

EXACT = ["winding", "crossings"]
PENTAGRAM = [(np.cos(t), np.sin(t)) for t in np.arange(5) * 4 * np.pi / 5]


def rational_answer(ring, point, method):
    number = exact_winding_number(ring, point)
    if number is None:
        return True
    return number != 0 if method == "winding" else number % 2 == 1


def integer_answers(ring, points, method):
    """The same for arrays of small integers, where int64 is exact."""
    (px, py), number = np.asarray(points).T, 0
    boundary = np.zeros(len(points), bool)
    for (ax, ay), (bx, by) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        side = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        boundary |= (
            (side == 0)
            & (min(ax, bx) <= px)
            & (px <= max(ax, bx))
            & (min(ay, by) <= py)
            & (py <= max(ay, by))
        )
        up = (ay <= py) & (py < by) & (side > 0)
        down = (by <= py) & (py < ay) & (side < 0)
        number = number + up.astype(int) - down
    return boundary | (number != 0 if method == "winding" else number % 2 == 1)


def lattice(low, high):
    x, y = np.meshgrid(np.arange(low, high + 1), np.arange(low, high + 1))
    return np.column_stack([x.ravel(), y.ravel()])


@pytest.mark.parametrize("method", EXACT)
@given(point_lists(4, 12))
def test_one_point_by_rational_arithmetic(method, points):
    point, *ring = points
    assert g.point_in_polygon(point, ring, method) == rational_answer(ring, point, method)
    middle = (np.array(ring[0]) + ring[1]) / 2
    assert g.point_in_polygon(middle, ring, method) == rational_answer(ring, middle, method)
    assert g.point_in_polygon(ring, ring, method).all()


@given(st.lists(any_point, min_size=4, max_size=8))
def test_one_point_of_any_floats(points):
    point, *ring = points
    assert g.point_in_polygon(point, ring) == rational_answer(ring, point, "winding")


@pytest.mark.parametrize("method", EXACT)
@given(
    st.lists(st.tuples(*[st.integers(-9, 9)] * 2), min_size=3, max_size=40),
    st.sampled_from([(1, 0), (2.0**27, 0), (2.0**-27, 0), (1, 2.0**40), (2.0**-20, 2.0**27)]),
)
def test_the_grid_on_every_lattice_point_of_wild_rings(method, ring, frame):
    """Rings that cross and overlap themselves; all points at the height of vertices, many on
    edges.
    """
    scale, offset = frame
    points = np.tile(lattice(-10, 10), (10, 1))  # enough of them for a grid
    found = g.point_in_polygon(points * scale + offset, np.array(ring) * scale + offset, method)
    np.testing.assert_array_equal(found, integer_answers(ring, points, method))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("size", [8, 60, 500])
def test_the_grid_gives_what_single_calls_give(method, size):
    rng = np.random.default_rng(size)
    ring = star(rng, size, (3, -2), 2)
    wild = rng.normal(size=(size, 2))
    for polygon in (ring, ring[::-1], wild, np.round(wild * 4)):
        low, high = polygon.min(axis=0), polygon.max(axis=0)
        edges = (polygon + np.roll(polygon, 1, axis=0)) / 2
        level = np.column_stack([rng.uniform(low[0], high[0], size), polygon[:, 1]])
        points = np.vstack([rng.uniform(low, high, (6000, 2)), polygon, edges, level])
        found = g.point_in_polygon(points, polygon, method)
        singles = [g.point_in_polygon(p, polygon, method) for p in points[-2000:]]
        np.testing.assert_array_equal(found[-2000:], singles)


@pytest.mark.parametrize("count", [100, 3000, 200_000])
def test_great_britain_by_shapely(count):
    text = (files("pyphys2d.scenes.data") / "british_isles.json").read_text()
    britain = max(map(np.array, json.loads(text)["polygons"]), key=len)
    region = shapely.Polygon(britain)
    shapely.prepare(region)
    rng = np.random.default_rng(count)
    points = rng.uniform(*np.reshape(region.bounds, (2, 2)), (count, 2))
    points[::3, 1] = rng.choice(britain[:, 1], len(points[::3]))  # at the height of vertices
    points[::10] = rng.choice(britain, len(points[::10]))
    for method in EXACT:
        found = g.point_in_polygon(points, britain, method)
        np.testing.assert_array_equal(found, shapely.intersects_xy(region, *points.T))


def test_a_comb_of_long_teeth():
    """Every row of the grid meets every edge."""
    x = np.arange(2001.0)
    teeth = np.column_stack([x, np.where(x % 2, 1000.0, 0)])
    ring = np.vstack([teeth, [(2000, -1), (0, -1)]])
    points = np.random.default_rng(0).uniform((-1, -2), (2001, 1001), (20000, 2))
    px, py = points.T
    inside = (py >= -1) & (px >= 0) & (px <= 2000)
    inside &= py <= 1000 * (1 - np.abs(1 - px % 2))
    np.testing.assert_array_equal(g.point_in_polygon(points, ring), inside)


@pytest.mark.parametrize("method", EXACT)
def test_random_polygons_by_shapely(method):
    rng = np.random.default_rng(5)
    for _ in range(40):
        ring, _ = random_polygon(rng)
        region = shapely.Polygon(ring)
        points = rng.uniform(*np.reshape(region.bounds, (2, 2)), (1500, 2))
        expected = shapely.intersects_xy(region, points[:, 0], points[:, 1])
        np.testing.assert_array_equal(g.point_in_polygon(points, ring, method), expected)


def test_the_middle_of_a_pentagram():
    tip = (0.9, 0)
    assert g.point_in_polygon((0, 0), PENTAGRAM, "winding")
    assert not g.point_in_polygon((0, 0), PENTAGRAM, "crossings")
    assert g.point_in_polygon(tip, PENTAGRAM, "crossings")
    many = np.zeros((5000, 2))
    assert g.point_in_polygon(many, PENTAGRAM, "winding").all()
    assert not g.point_in_polygon(many, PENTAGRAM, "crossings").any()


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(
    "ring",
    [
        [(0, 0), (4, 0), (2, 0)],
        [(1, 0), (1, 4), (1, 2)],
        [(0, 0), (2, 2), (4, 4)],
        [(1, 1), (1, 1), (1, 1)],
    ],
)
def test_rings_without_area_hold_their_own_points_only(method, ring):
    points = np.tile(lattice(-1, 5), (40, 1)).astype(float)
    expected = [shapely.LineString(ring).distance(shapely.Point(p)) == 0 for p in lattice(-1, 5)]
    np.testing.assert_array_equal(
        g.point_in_polygon(points, ring, method), np.tile(expected, 40).astype(bool)
    )


def test_a_polygon_a_few_units_in_the_last_place_wide():
    """Far away, where neighbouring numbers are farther apart than the cells would be."""
    ulp = np.spacing(1e8)
    ring = np.array([(0, 0), (6, 1), (5, 6), (2, 3)])
    points = np.tile(lattice(-1, 7), (60, 1))
    found = g.point_in_polygon(points * ulp + 1e8, ring * ulp + 1e8)
    np.testing.assert_array_equal(found, integer_answers(ring, points, "winding"))


@pytest.mark.parametrize("scale", [1e300, 1e-300, 5e-324])
def test_polygons_at_the_ends_of_float64(scale):
    ring = np.array([(0, 0), (6, 1), (5, 6), (2, 3)])
    points = np.tile(lattice(-1, 7), (60, 1))
    found = g.point_in_polygon(points * scale, ring * scale)
    np.testing.assert_array_equal(found, integer_answers(ring, points, "winding"))


def test_the_naive_ray_fails_at_the_height_of_a_vertex():
    diamond = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    assert g.point_in_polygon((-2, 0.5), diamond, "naive_crossings") == False  # noqa: E712
    assert g.point_in_polygon((0, 0.5), diamond, "naive_crossings")
    # the ray from the middle passes through the right vertex: two edges meet it
    assert not g.point_in_polygon((0, 0), diamond, "naive_crossings")
    assert g.point_in_polygon((0, 0), diamond, "winding")


def test_the_naive_ray_on_the_grid_of_the_tutorial():
    """Wrong on some points, and on none but those at the height of a vertex."""
    x, y = np.meshgrid(np.arange(-2, 2.5, 0.1), np.arange(2.5, -2, -0.1))
    points = np.column_stack([x.ravel(), y.ravel()])
    five = np.array([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)])
    right = g.point_in_polygon(points, five)
    wrong = g.point_in_polygon(points, five, "naive_crossings") != right
    level = np.abs(points[:, 1:] - five[:, 1]).min(axis=1) < 1e-9
    assert (wrong & ~level).sum() == 0
    inner = level & (shapely.distance(shapely.LinearRing(five), shapely.points(points)) > 1e-9)
    assert (wrong & inner).sum() > 20


def test_cross_products_want_a_convex_polygon():
    dart = [(0, 0), (4, 0), (4, 4), (3, 1)]
    square = [(0, 0), (4, 0), (4, 4), (0, 4)]
    with pytest.raises(ValueError, match=r"^polygon: must be convex"):
        g.point_in_polygon((1, 1), dart, "cross_products")
    with pytest.raises(ValueError, match=r"^polygon\[1\]: must be convex"):
        g.point_in_polygon((1, 1), [square, dart], "cross_products")
    assert g.point_in_polygon([(1, 1), (0, 1)], square[::-1], "cross_products").tolist() == [
        True,
        False,
    ]
