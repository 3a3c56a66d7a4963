"""Shapes: mass properties, bounds, support points, containment, values as values."""

import pickle

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from reference import (
    convex,
    is_convex_ring,
    place,
    polygon_moments,
    random_polygon,
    rounded_moments,
    shoelace,
    star,
)

import pyphys2d as p2

HOUSE = [(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)]
TRIANGLE = [(4, 1), (2, 4), (1, 1)]
FIVE = [(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)]
SIX = np.array([(3, 1), (3, 2), (2.2, 3), (1.5, 3), (0.8, 2), (1, 1)]) + 2.5


def check(shape, expected, tolerance):
    assert shape.area == pytest.approx(expected.area, rel=tolerance)
    size = max(np.sqrt(expected.area), np.abs(expected.centroid).max())
    np.testing.assert_allclose(shape.centroid, expected.centroid, rtol=0, atol=tolerance * size)
    assert shape.inertia == pytest.approx(expected.inertia, rel=tolerance)


# ---------------------------------------------------------------- numbers of the tutorial


@pytest.mark.parametrize("vertices", [HOUSE, TRIANGLE, FIVE, SIX])
@pytest.mark.parametrize("backwards", [False, True])
def test_tutorial_polygons_agree_with_exact_arithmetic(vertices, backwards):
    ring = np.array(vertices, float)[:: -1 if backwards else 1]
    check(p2.Polygon(ring), polygon_moments(ring), 1e-12)


def test_tutorial_areas_as_printed():
    assert p2.Polygon(HOUSE).area == 5.0
    assert p2.Polygon(TRIANGLE).area == 4.5
    assert p2.Polygon(FIVE).area == pytest.approx(8.1, abs=1e-12)
    assert p2.Polygon(SIX).area == pytest.approx(3.55, abs=1e-12)


def test_tutorial_centroids_as_printed():
    np.testing.assert_allclose(p2.Polygon(FIVE).centroid, (0.56995885, 0.2962963), atol=5e-9)
    np.testing.assert_allclose(p2.Polygon(SIX).centroid, (4.42065728, 4.37793427), atol=5e-9)


def test_tutorial_second_moment_as_printed():
    shape = p2.Polygon(SIX)
    assert shape.inertia == pytest.approx(2.0905066510, abs=5e-11)
    about_origin = shape.inertia + shape.area * float(np.dot(shape.centroid, shape.centroid))
    assert about_origin == pytest.approx(139.50575, abs=1e-9)


def test_recenter_shifts_the_centroid_to_the_origin():
    shape = p2.Polygon(FIVE, recenter=True)
    np.testing.assert_allclose(shape.centroid, (0, 0), atol=1e-15)
    expected = np.array(FIVE) - polygon_moments(FIVE).centroid
    np.testing.assert_allclose(shape.vertices, expected, atol=1e-14)
    assert shape.inertia == pytest.approx(p2.Polygon(FIVE).inertia, rel=1e-13)


def test_mass_of_a_circle_by_formula():
    shape = p2.Circle(1.5, (2, -3))
    assert shape.area == pytest.approx(np.pi * 1.5**2, rel=1e-15)
    assert tuple(shape.centroid) == (2, -3)
    assert shape.inertia == pytest.approx(0.5 * np.pi * 1.5**4, rel=1e-15)
    mass, center, inertia = shape.mass_properties(3)
    assert mass == pytest.approx(3 * np.pi * 1.5**2, rel=1e-15)
    assert tuple(center) == (2, -3)
    assert inertia == pytest.approx(0.5 * mass * 1.5**2, rel=1e-15)


def test_mass_of_a_box_by_formula():
    shape = p2.Box(3, 2, center=(1, 4), angle=0.3)
    assert shape.area == pytest.approx(6, rel=1e-14)
    np.testing.assert_allclose(shape.centroid, (1, 4), atol=1e-14)
    assert shape.inertia == pytest.approx(6 * (9 + 4) / 12, rel=1e-14)


def test_triangle_from_the_origin_by_the_formula_of_the_tutorial():
    a, b = np.array([3.0, 0.5]), np.array([1.0, 2.0])
    shape = p2.Polygon([(0, 0), a, b])
    mass = shape.area
    about_origin = shape.inertia + mass * float(shape.centroid @ shape.centroid)
    assert about_origin == pytest.approx(mass * (a @ a + b @ b + a @ b) / 6, rel=1e-14)


# ---------------------------------------------------------------- quadrature


@pytest.mark.parametrize("seed", range(12))
def test_rounded_polygons_by_quadrature(seed):
    rng = np.random.default_rng(seed)
    ring = convex(rng, int(rng.integers(3, 12)), rng.uniform(-2, 2, 2), rng.uniform(0.5, 3))
    radius = rng.uniform(0.05, 1.5)
    check(p2.Polygon(ring, radius=radius), rounded_moments(ring, radius), 1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_capsules_by_quadrature(seed):
    rng = np.random.default_rng(100 + seed)
    p, q = rng.uniform(-2, 2, (2, 2))
    radius = rng.uniform(0.1, 1)
    check(p2.Capsule(p, q, radius), rounded_moments([p, q], radius), 1e-10)


def test_rounded_box_measures_its_size_plus_two_radii():
    shape = p2.Box(2, 1, radius=0.25)
    np.testing.assert_allclose(shape.aabb, [(-1.25, -0.75), (1.25, 0.75)], atol=1e-15)
    # Steiner: area + perimeter r + pi r^2
    assert shape.area == pytest.approx(2 + 6 * 0.25 + np.pi * 0.25**2, rel=1e-14)
    check(shape, rounded_moments([(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)], 0.25), 1e-10)


def test_rounded_square_tends_to_the_circle():
    assert p2.Box(1e-3, 1e-3, radius=1).inertia == pytest.approx(p2.Circle(1).inertia, rel=3e-3)


@pytest.mark.fast_cases(80)
@pytest.mark.parametrize("seed", range(300))
def test_concave_polygons_with_holes_by_exact_arithmetic(seed):
    outer, holes = random_polygon(np.random.default_rng(1000 + seed))
    shape = p2.Polygon(outer, holes)
    check(shape, polygon_moments(outer, holes), 1e-12)
    parts = [np.asarray(part) for part in shape.parts]
    assert all(is_convex_ring(part) for part in parts)
    assert all(shoelace(part) > 0 for part in parts)
    assert sum(map(shoelace, parts)) == pytest.approx(shape.area, rel=1e-12)
    region = shapely.Polygon(outer, holes)
    union = shapely.union_all([shapely.Polygon(part) for part in parts])
    assert union.symmetric_difference(region).area < 1e-9 * region.area


def test_a_hole_takes_its_mass_away():
    square = [(-2, -2), (2, -2), (2, 2), (-2, 2)]
    hole = [(0, 0), (1, 0), (1, 1), (0, 1)]
    shape = p2.Polygon(square, [hole])
    assert shape.area == pytest.approx(15, rel=1e-14)
    np.testing.assert_allclose(shape.centroid, (-0.5 / 15, -0.5 / 15), atol=1e-14)
    assert not shape.contains([(0.5, 0.5)])[0]
    assert shape.contains([(-0.5, 0.5)])[0]


def test_far_from_the_origin_the_digits_stay():
    ring = np.array(HOUSE, float) + 1e6
    check(p2.Polygon(ring), polygon_moments(ring), 1e-9)


# ---------------------------------------------------------------- winding and form


@pytest.mark.parametrize("seed", range(30))
def test_either_winding_gives_the_same_shape(seed):
    ring = star(np.random.default_rng(seed), 9)
    forward, backward = p2.Polygon(ring), p2.Polygon(ring[::-1])
    assert shoelace(forward.vertices) > 0
    assert shoelace(backward.vertices) > 0
    assert forward.area == pytest.approx(backward.area, rel=1e-14)
    assert {tuple(v) for v in forward.vertices} == {tuple(v) for v in ring}
    assert {tuple(v) for v in backward.vertices} == {tuple(v) for v in ring}


def test_edges_and_normals_start_at_their_vertex():
    shape = p2.Polygon(FIVE)
    np.testing.assert_array_equal(shape.vertices, np.array(FIVE, float))
    edges = np.roll(shape.vertices, -1, axis=0) - shape.vertices
    np.testing.assert_allclose(shape.edges, edges, atol=1e-15)
    normals = np.column_stack([edges[:, 1], -edges[:, 0]]) / np.hypot(*edges.T)[:, None]
    np.testing.assert_allclose(shape.normals, normals, atol=1e-15)


def test_is_convex():
    assert p2.Polygon(HOUSE).is_convex
    assert not p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]).is_convex
    assert len(p2.Polygon(HOUSE).parts) == 1


@pytest.mark.parametrize("name", ["vertices", "edges", "normals"])
def test_arrays_of_a_polygon_are_cached_and_read_only(name):
    shape = p2.Polygon(HOUSE)
    array = getattr(shape, name)
    assert array.dtype == np.float64
    assert array.shape == (5, 2)
    assert getattr(shape, name) is array or np.shares_memory(getattr(shape, name), array)
    with pytest.raises(ValueError):
        array[0, 0] = 7
    with pytest.raises(ValueError):
        shape.parts[0][0] = 7


def test_a_polygon_does_not_follow_the_array_it_was_made_from():
    ring = np.array(HOUSE, float)
    shape = p2.Polygon(ring)
    ring += 10
    assert shape.area == 5
    assert shape.vertices.max() == 4


def test_a_regular_polygon_has_equal_sides_on_its_circle():
    shape = p2.RegularPolygon(7, 2.0)
    np.testing.assert_allclose(np.hypot(*np.asarray(shape.vertices).T), 2, rtol=1e-14)
    np.testing.assert_allclose(
        np.hypot(*np.asarray(shape.edges).T), 4 * np.sin(np.pi / 7), rtol=1e-13
    )
    assert shape.area == pytest.approx(3.5 * 4 * np.sin(2 * np.pi / 7), rel=1e-13)
    assert isinstance(shape, p2.Polygon)
    assert isinstance(p2.Box(1, 1), p2.Polygon)


def test_duplicate_vertices_are_merged():
    shape = p2.Polygon([(0, 0), (0, 0), (1, 0), (1, 1), (1, 1), (0, 1), (0, 0)])
    assert len(shape.vertices) == 4
    assert shape.area == 1


def test_a_polygon_of_many_vertices():
    t = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    ring = np.column_stack([np.cos(t), np.sin(t)])
    shape = p2.Polygon(ring)
    assert shape.is_convex
    assert len(shape.vertices) == 1000
    check(shape, polygon_moments(ring), 1e-12)


# ---------------------------------------------------------------- bounds, support, containment


def shapes_with_region(rng):
    """Shapes beside their Shapely regions."""
    center = rng.uniform(-2, 2, 2)
    ring = convex(rng, 6, center)
    p, q = rng.uniform(-2, 2, (2, 2))
    concave, holes = random_polygon(rng)
    smooth = 4096  # sides per quarter circle: the region is right to 1e-7
    yield p2.Circle(0.7, center), shapely.Point(center).buffer(0.7, smooth), 1e-7
    yield p2.Polygon(ring), shapely.Polygon(ring), 1e-12
    yield p2.Polygon(ring, radius=0.3), shapely.Polygon(ring).buffer(0.3, smooth), 1e-7
    yield p2.Capsule(p, q, 0.4), shapely.LineString([p, q]).buffer(0.4, smooth), 1e-7
    yield p2.Polygon(concave, holes), shapely.Polygon(concave, holes), 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_bounds_support_and_containment_of_all_areas(seed):
    rng = np.random.default_rng(seed)
    for shape, region, tolerance in shapes_with_region(rng):
        lower, upper = shape.aabb
        np.testing.assert_allclose([*lower, *upper], region.bounds, atol=10 * tolerance)
        outline = np.asarray(shapely.get_coordinates(region.boundary))
        for direction in rng.normal(size=(8, 2)):
            point = shape.support(direction)
            furthest = (outline @ direction).max()
            assert point @ direction == pytest.approx(furthest, abs=20 * tolerance)
            assert region.distance(shapely.Point(point)) < 20 * tolerance
        points = rng.uniform(lower - 0.2, upper + 0.2, (200, 2))
        clear = shapely.distance(region.boundary, shapely.points(points)) > 20 * tolerance
        expected = shapely.contains_xy(region, points[:, 0], points[:, 1])
        np.testing.assert_array_equal(shape.contains(points)[clear], expected[clear])


@pytest.mark.slow
def test_containment_of_thousands_of_random_polygons():
    rng = np.random.default_rng(7)
    for _ in range(2000):
        outer, holes = random_polygon(rng)
        region = shapely.Polygon(outer, holes)
        lower, upper = np.reshape(region.bounds, (2, 2))
        points = np.vstack(
            [rng.uniform(lower, upper, (24, 2)), outer + rng.normal(0, 0.1, outer.shape)]
        )
        clear = shapely.distance(region.boundary, shapely.points(points)) > 1e-12
        expected = shapely.contains_xy(region, points[:, 0], points[:, 1])
        got = p2.Polygon(outer, holes).contains(points)
        np.testing.assert_array_equal(got[clear], expected[clear])


def test_vertices_and_edges_belong_to_the_shape():
    shape = p2.Polygon(HOUSE)
    middles = (np.array(HOUSE, float) + np.roll(HOUSE, -1, axis=0)) / 2
    assert shape.contains(HOUSE).all()
    assert shape.contains(middles).all()


@pytest.mark.parametrize("form", [(3,), (4, 5), ()])
def test_contains_broadcasts_over_leading_axes(form):
    points = np.full((*form, 2), 0.1)
    result = np.asarray(p2.Circle(1).contains(points))
    assert result.shape == form
    assert result.dtype == bool
    assert result.all()


def test_contains_of_no_points_is_empty():
    assert p2.Circle(1).contains(np.empty((0, 2))).shape == (0,)


def test_segments_and_chains_have_no_area():
    segment, chain = p2.Segment((0, 0), (3, 4)), p2.Chain([(0, 0), (2, 0), (2, 2)])
    for shape in (segment, chain):
        assert shape.area == 0
        assert shape.inertia == 0
        assert shape.mass_properties(5)[0] == 0
    np.testing.assert_allclose(segment.centroid, (1.5, 2))
    np.testing.assert_allclose(chain.aabb, [(0, 0), (2, 2)])
    np.testing.assert_allclose(segment.support((1, 0)), (3, 4))


# ---------------------------------------------------------------- values

ALL = [
    p2.Circle(1),
    p2.Circle(1, (0, 1)),
    p2.Box(1, 2),
    p2.Box(1, 2, radius=0.1),
    p2.Box(1, 2, angle=0.5),
    p2.RegularPolygon(6, 1),
    p2.Polygon(HOUSE),
    p2.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (2, 1), (2, 2)]]),
    p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]),
    p2.Capsule((0, 0), (1, 0), 0.5),
    p2.Segment((0, 0), (1, 1)),
    p2.Chain([(0, 0), (1, 0), (2, 1)]),
    p2.Chain([(0, 0), (1, 0), (2, 1)], loop=True),
]


@pytest.mark.parametrize("shape", ALL, ids=repr)
def test_pickle_equality_hash_and_pictures(shape):
    again = pickle.loads(pickle.dumps(shape))
    assert again == shape
    assert hash(again) == hash(shape)
    assert type(again) is type(shape)
    assert again is not shape
    assert again.area == shape.area
    assert isinstance(shape, p2.Shape)
    assert "<svg" in shape._repr_svg_()
    assert type(shape).__name__ in repr(shape)


def test_different_shapes_are_different():
    for i, a in enumerate(ALL):
        for j, b in enumerate(ALL):
            assert (a == b) == (i == j)
    assert p2.Circle(1) != 1
    assert len(set(ALL)) == len(ALL)


def test_minus_zero_and_zero_are_one():
    assert p2.Circle(1, (0.0, 0)) == p2.Circle(1, (-0.0, 0))
    assert hash(p2.Circle(1, (0.0, 0))) == hash(p2.Circle(1, (-0.0, 0)))


@pytest.mark.parametrize("name", ["area", "radius", "centroid", "nonsense"])
def test_shapes_are_immutable(name):
    with pytest.raises((AttributeError, TypeError)):
        setattr(p2.Circle(1), name, 2)


def test_arguments_may_be_any_numbers():
    expected = p2.Circle(2.0, (1.0, 3.0))
    assert p2.Circle(2, [1, 3]) == expected
    assert p2.Circle(np.float32(2), np.array([1, 3], np.int8)) == expected
    assert p2.Circle(np.int64(2), (np.float32(1), np.array(3))) == expected


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: p2.Circle(-1), ["radius", "-1"]),
        (lambda: p2.Circle(0), ["radius", "0"]),
        (lambda: p2.Circle(np.nan), ["radius", "nan"]),
        (lambda: p2.Circle(np.inf), ["radius", "inf"]),
        (lambda: p2.Circle(1, (0, np.nan)), ["center", "nan"]),
        (lambda: p2.Circle(1, (0, 0, 0)), ["center"]),
        (lambda: p2.Box(0, 1), ["width", "0"]),
        (lambda: p2.Box(1, -2), ["height", "-2"]),
        (lambda: p2.Box(1, 2, radius=-0.5), ["radius", "-0.5"]),
        (lambda: p2.Box(1, 2, angle=np.inf), ["angle", "inf"]),
        (lambda: p2.RegularPolygon(2, 1), ["n", "2"]),
        (lambda: p2.RegularPolygon(5, -3), ["radius", "-3"]),
        (lambda: p2.Capsule((0, 0), (1, 0), 0), ["radius", "0"]),
        (lambda: p2.Capsule((0, np.inf), (1, 0), 1), ["p", "inf"]),
        (lambda: p2.Segment((1, 2), (1, 2)), ["q", "p", "0"]),
        (lambda: p2.Segment((0, 0), (np.nan, 0)), ["q", "nan"]),
        (lambda: p2.Chain([(0, 0)]), ["points"]),
        (lambda: p2.Chain([(0, 0), (1, 0)], loop=True), ["points"]),
        (lambda: p2.Chain([(0, 0), (1, 0), (1, np.nan)]), ["points[2", "nan"]),
        (lambda: p2.Polygon([(0, 0), (1, 0)]), ["vertices"]),
        (lambda: p2.Polygon([]), ["vertices"]),
        (lambda: p2.Polygon([(0, 0, 0), (1, 0, 0), (1, 1, 0)]), ["vertices"]),
        (lambda: p2.Polygon([(0, 0), (1, np.inf), (1, 1)]), ["vertices[1", "inf"]),
        (lambda: p2.Polygon([(0, 0), (1, 0), (1, 1), (0, np.nan)]), ["vertices[3", "nan"]),
        (lambda: p2.Polygon(HOUSE, radius=-1), ["radius", "-1"]),
        (lambda: p2.Polygon(HOUSE, [[(1.5, 1.5), (2, 1.5), (2, np.nan)]]), ["holes[0][2", "nan"]),
        (lambda: p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)], radius=0.1), ["radius"]),
    ],
)
def test_bad_numbers_are_named(make, words):
    with pytest.raises(ValueError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def test_a_self_crossing_polygon_says_which_edges_cross():
    with pytest.raises(ValueError, match=r"vertices\[\d\]|vertex \d|edges? \d") as caught:
        p2.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    assert "cross" in str(caught.value)


def test_a_vertex_on_another_edge_is_named():
    with pytest.raises(ValueError) as caught:
        p2.Polygon([(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)])
    assert "3" in str(caught.value)


@pytest.mark.parametrize(
    "vertices",
    [
        [(0, 0), (1, 1), (2, 2)],  # zero area
        [(0, 0), (0, 0), (0, 0)],
        [(0, 0), (5, 0), (0, 0), (5, 0)],
        [(0, 0), (10, 0), (10, 9e-5), (0, 9e-5)],  # narrower than 1e-4
        [(0, 0), (10, 10), (10, 10 + 1e-4)],  # narrow in a slanted direction only
    ],
)
def test_degenerate_and_thin_polygons_are_refused(vertices):
    with pytest.raises(ValueError):
        p2.Polygon(vertices)


def test_just_wide_enough_is_accepted():
    assert p2.Polygon([(0, 0), (10, 0), (10, 1.1e-4), (0, 1.1e-4)]).area == pytest.approx(1.1e-3)


@pytest.mark.parametrize(
    "holes",
    [
        [[(5, 5), (6, 5), (6, 6)]],  # outside
        [[(1.5, 1.5), (9, 1.5), (2, 2)]],  # crosses the ring
        [[(1.2, 1.2), (2.2, 1.2), (1.2, 2.2)], [(1.3, 1.3), (2.3, 1.3), (1.3, 2.3)]],  # overlap
    ],
)
def test_holes_must_lie_inside_and_apart(holes):
    with pytest.raises(ValueError, match="holes"):
        p2.Polygon(HOUSE, holes)


@pytest.mark.parametrize(
    "make",
    [
        lambda: p2.Circle("big"),
        lambda: p2.Circle(None),
        lambda: p2.Circle(),
        lambda: p2.Polygon(None),
        lambda: p2.Polygon("abc"),
        lambda: p2.Box(1, 2, wings=3),
    ],
)
def test_wrong_types_are_type_errors(make):
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    if "big" not in str(caught.value) and "abc" not in str(caught.value):
        assert caught.type is TypeError


numbers = st.one_of(
    st.floats(),
    st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e300, 1e7, np.nan, np.inf, 1e-4, 0.5]),
)


@given(st.lists(st.tuples(numbers, numbers), max_size=8), numbers)
def test_any_vertices_make_a_sound_shape_or_a_value_error(vertices, radius):
    try:
        shape = p2.Polygon(vertices, radius=radius)
    except ValueError:
        return
    assert np.isfinite([shape.area, shape.inertia, *shape.centroid]).all()
    assert shape.area > 0
    assert shape.inertia > 0
    assert radius >= 0
    assert (shape.aabb[1] > shape.aabb[0]).all()


@given(st.integers(3, 12), st.integers(0, 2**32 - 1))
def test_small_integer_grids_agree_with_shapely_on_validity(count, seed):
    """Touching and crossing edges are common on a small grid; the decision must be exact."""
    ring = np.random.default_rng(seed).integers(0, 4, (count, 2)).astype(float)
    keep = (ring != np.roll(ring, 1, axis=0)).any(axis=1)  # consecutive duplicates are merged
    merged = ring[keep]
    valid = (
        len(merged) >= 3 and shapely.Polygon(merged).is_valid and shapely.Polygon(merged).area > 0
    )
    try:
        shape = p2.Polygon(ring)
    except ValueError:
        assert not valid
    else:
        assert valid
        assert shape.area == pytest.approx(shapely.Polygon(merged).area, rel=1e-14)


def test_transformed_shape_has_the_same_mass():
    ring = np.array(FIVE, float)
    moved = place(ring, 3, -2, 1.1)
    a, b = p2.Polygon(ring), p2.Polygon(moved)
    assert b.inertia == pytest.approx(a.inertia, rel=1e-13)
    np.testing.assert_allclose(b.centroid, place([a.centroid], 3, -2, 1.1)[0], atol=1e-14)
