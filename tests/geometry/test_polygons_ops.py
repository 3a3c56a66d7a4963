"""Hulls, simplification, triangles, convex parts, clipping and slicing of plain polygons, against
Shapely and exact rational arithmetic.
"""

import doctest
import json
import math
import signal
from fractions import Fraction
from importlib.resources import files

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from random_polygons import any_ring, arms, comb, lattice, spikes
from reference import convex, polygon_moments, random_polygon, shoelace, star

import pyphys2d.geometry as g
from pyphys2d import Polygon, _core

L_SHAPE = np.array([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)], float)
BOW_TIE = [(0, 0), (2, 2), (2, 0), (0, 2)]
SQUARE = np.array([(0, 0), (2, 0), (2, 2), (0, 2)], float)


def fractions(ring):
    return [(Fraction(float(x)), Fraction(float(y))) for x, y in np.asarray(ring, float)]


def whole_numbers(*rings):
    """A function that multiplies rings by the power of two that makes these ones whole numbers:
    exact as fractions are, and much faster.
    """
    mantissa, exponent = np.frexp(np.concatenate([np.ravel(ring) for ring in rings]))
    low = int(exponent[mantissa != 0].min(initial=1000)) - 53
    return lambda ring: [
        (int(math.ldexp(x, -low)), int(math.ldexp(y, -low)))
        for x, y in np.asarray(ring, float).tolist()
    ]


def turn(a, b, c):
    """Exact sign of the area of three points given as fractions or whole numbers."""
    cross = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (cross > 0) - (cross < 0)


def twice_area(ring):
    """Signed and exact, of a ring of fractions or whole numbers."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1], strict=True))


def is_strictly_convex(ring):
    """Exactly: every corner turns left."""
    return all(turn(ring[i - 2], ring[i - 1], ring[i]) > 0 for i in range(len(ring)))


def total_area(parts):
    """Sum of the areas of many parts in plain NumPy, each about its first vertex."""
    sizes = np.array([len(part) for part in parts])
    first = np.cumsum(sizes) - sizes
    flat = np.concatenate(parts) - np.repeat([part[0] for part in parts], sizes, axis=0)
    after = np.arange(1, len(flat) + 1)
    after[first + sizes - 1] = first
    return float((flat[:, 0] * flat[after, 1] - flat[after, 0] * flat[:, 1]).sum() / 2)


def regions(rings):
    """Many rings as polygons of Shapely, made at once."""
    if not rings:
        return []
    owner = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    return shapely.polygons(shapely.linearrings(np.concatenate(rings), indices=owner))


def same_region(parts, expected, tolerance=1e-12):
    union = shapely.union_all(regions(parts))
    return union.symmetric_difference(expected).area <= tolerance * expected.area


# ---------------------------------------------------------------- convex hull

cloud = hnp.arrays(
    float,
    st.tuples(st.integers(0, 40), st.just(2)),
    elements=st.one_of(
        st.integers(-3, 3).map(float), st.floats(-1, 1).map(lambda v: round(v, 12)), st.just(0.1)
    ),
)
scales = st.sampled_from([1.0, 1e8, 1e-8, 1e100, 1e-100])


@given(cloud, scales)
def test_hull_holds_all_points_exactly(points, scale):
    points = points * scale
    hull = g.convex_hull(points)
    rows = {tuple(row) for row in points + 0.0}
    assert {tuple(row) for row in hull + 0.0} <= rows
    assert len(hull) == len({tuple(row) for row in hull + 0.0})
    exact = whole_numbers(points)
    corners = exact(hull)
    if len(hull) < 3:
        assert len(hull) == min(len(rows), 2)
    else:
        assert is_strictly_convex(corners)
    if len(hull) >= 2:
        assert tuple(hull[0]) == min(map(tuple, points))
        for p in exact(points):
            for i in range(len(corners)):
                assert turn(corners[i - 1], corners[i], p) >= 0


@pytest.mark.parametrize("seed", range(20))
def test_hull_is_that_of_shapely(seed):
    points = np.random.default_rng(seed).normal(size=(10**3, 2)) * (3, 1) + (50, 0)
    hull = shapely.Polygon(g.convex_hull(points))
    assert hull.equals(shapely.MultiPoint(points).convex_hull)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([], np.zeros((0, 2))),
        (np.zeros((0, 2)), np.zeros((0, 2))),
        ([(3, 4)], [(3, 4)]),
        ([(3, 4)] * 5, [(3, 4)]),
        ([(3, 4), (1, 2)], [(1, 2), (3, 4)]),
        ([(0, 0), (2, 2), (1, 1), (0, 0), (2, 2)], [(0, 0), (2, 2)]),
        ([(0, 0), (0, 5), (0, 2)], [(0, 0), (0, 5)]),
        ([(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 1)], [(0, 0), (2, 0), (2, 2)]),
    ],
)
def test_hull_of_few_or_collinear_points(points, expected):
    np.testing.assert_array_equal(g.convex_hull(points), expected)
    assert g.convex_hull(points).shape == np.shape(expected)


def test_hull_of_many_points():
    angle = np.linspace(0, 2 * np.pi, 50_001)[:-1]
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.vstack([ring, 0.5 * ring])[np.random.default_rng(1).permutation(100_000)]
    hull = g.convex_hull(points)
    assert hull.tolist() == g.convex_hull(ring).tolist()
    assert shoelace(hull) == pytest.approx(shapely.MultiPoint(ring).convex_hull.area, rel=1e-12)


# ------------------------------------------------------------------ simplify


def to_segment(p, a, b):
    """Distances of points (n, 2) to a segment, plain NumPy."""
    edge, ap = b - a, p - a
    length = edge @ edge
    t = np.clip(ap @ edge / length, 0, 1) if length > 0 else np.zeros(len(p))
    return np.hypot(*(ap - t[:, None] * edge).T)


def peucker(path, tolerance):
    """Douglas-Peucker as the book has it; rows that stay."""
    if len(path) < 3:
        return list(range(len(path)))
    distances = to_segment(path[1:-1], path[0], path[-1])
    far = int(distances.argmax())
    if distances[far] <= tolerance:
        return [0, len(path) - 1]
    left = peucker(path[: far + 2], tolerance)
    return left[:-1] + [row + far + 1 for row in peucker(path[far + 1 :], tolerance)]


@pytest.mark.fast_cases(20)
@pytest.mark.parametrize("seed", range(40))
def test_simplified_paths_are_those_of_shapely(seed):
    rng = np.random.default_rng(seed)
    path = np.cumsum(rng.normal(size=(int(rng.integers(2, 200)), 2)), axis=0)
    for tolerance in (0, 0.3, 1, 4, 100):
        line = shapely.LineString(path).simplify(tolerance, preserve_topology=False)
        got = g.simplify(path, tolerance, closed=False)
        np.testing.assert_array_equal(got, path[peucker(path, tolerance)])
        if seed:  # both are right where two vertices are equally far
            np.testing.assert_array_equal(got, shapely.get_coordinates(line))


@pytest.mark.fast_cases(20)
@pytest.mark.parametrize("seed", range(60))
def test_simplified_rings(seed):
    rng = np.random.default_rng(seed)
    ring = any_ring(rng, 300)
    size = np.ptp(ring, axis=0).max()
    for tolerance in (0.003 * size, 0.03 * size, 0.5 * size):
        got = g.simplify(ring, tolerance)
        rows = [int(np.flatnonzero((ring == v).all(axis=1))[0]) for v in got]
        assert rows == sorted(rows)
        assert len(rows) >= 3
        assert int(np.lexsort((ring[:, 1], ring[:, 0]))[0]) in rows
        for start, end in zip(rows, [*rows[1:], rows[0] + len(ring)], strict=True):
            between = ring[np.arange(start + 1, end) % len(ring)]
            if len(between):
                distance = to_segment(between, ring[start], ring[end % len(ring)])
                assert distance.max() <= tolerance * (1 + 1e-12)
        # where the ring begins does not matter
        other = g.simplify(np.roll(ring, 7, axis=0), tolerance)
        assert {tuple(v) for v in other} == {tuple(v) for v in got}


def test_simplify_keeps_ends_and_drops_what_says_nothing():
    straight = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (0, 2), (0, 1)]
    np.testing.assert_array_equal(g.simplify(straight, 0), SQUARE)
    assert g.simplify([(0, 0), (1, 5), (2, 0)], 10, closed=False).tolist() == [[0, 0], [2, 0]]
    assert g.simplify([(0, 0), (1, 5), (2, 0)], 10).shape == (3, 2)
    assert g.simplify([], 1).shape == (0, 2)
    assert g.simplify([(1, 2)], 1, closed=False).tolist() == [[1, 2]]
    assert g.simplify([(1, 1)] * 4, 0).tolist() == [[1, 1]]
    assert g.simplify([(0, 0), (2, 2), (1, 1)], 0.1).tolist() == [[0, 0], [2, 2]]


def test_simplify_splits_off_one_vertex_at_a_time():
    """Peaks that grow: every stretch is one vertex shorter than the last, 3,000 deep."""
    n = 3000
    path = np.column_stack([np.arange(n), np.arange(n) * (-1.0) ** np.arange(n)])
    np.testing.assert_array_equal(g.simplify(path, 1, closed=False)[-10:], path[-10:])
    small = g.simplify(path[:500], 300, closed=False)
    np.testing.assert_array_equal(small, path[:500][peucker(path[:500], 300)])


@pytest.mark.parametrize("scale", [1e8, 1e-8, 1e140, 1e-140])
def test_simplify_at_any_size(scale):
    ring = np.round(8 * any_ring(np.random.default_rng(3), 200)) * 2.0 ** np.round(np.log2(scale))
    np.testing.assert_array_equal(
        g.simplify(ring, 0.25 * np.ptp(ring)),
        g.simplify(ring / ring.max(), 0.25 * np.ptp(ring / ring.max())) * ring.max(),
    )


# ----------------------------------------------------- triangles and convex parts


def check_parts(ring, holes=(), region=True):
    """Convex exactly, of the same area exactly, and covering the polygon: so disjoint."""
    parts = g.decompose(ring, holes)
    exact = whole_numbers(ring, *holes)
    corners = [exact(part) for part in parts]
    assert all(map(is_strictly_convex, corners))
    area = abs(twice_area(exact(ring))) - sum(abs(twice_area(exact(hole))) for hole in holes)
    assert sum(map(twice_area, corners)) == area
    if region:
        assert same_region(parts, shapely.Polygon(ring, holes))
    return parts


def check_triangles(ring, holes=()):
    triangles = g.triangulate(ring, holes)
    vertices = np.concatenate([np.asarray(r, float) for r in [ring, *holes]])
    assert triangles.dtype == np.int64
    assert triangles.shape == (len(vertices) + 2 * len(holes) - 2, 3)
    exact = whole_numbers(ring, *holes)
    points = exact(vertices)
    corners = [[points[row] for row in triangle] for triangle in triangles.tolist()]
    assert all(turn(*triangle) > 0 for triangle in corners)
    area = abs(twice_area(exact(ring))) - sum(abs(twice_area(exact(hole))) for hole in holes)
    assert sum(map(twice_area, corners)) == area
    assert len(np.unique(triangles)) == len(vertices)
    # each edge is an inner one, walked once either way, or one of a ring
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    pairs = {tuple(edge) for edge in edges.tolist()}
    assert len(pairs) == len(edges)
    assert sum((b, a) not in pairs for a, b in pairs) == len(vertices)


def test_every_british_isle():
    text = (files("pyphys2d.scenes.data") / "british_isles.json").read_text()
    rings = [np.array(ring) for ring in json.loads(text)["polygons"]]
    assert max(map(len, rings)) > 500
    for ring in rings:
        check_parts(ring)
        check_triangles(ring)
        check_parts(ring * 1e8)
        check_parts(ring[::-1] * 1e-11)


@pytest.mark.slow
def test_a_thousand_random_polygons():
    rng = np.random.default_rng(2026)
    most = 0
    for number in range(1000):
        ring = any_ring(rng, 500)
        if number % 2:
            ring = np.roll(ring[::-1], number, axis=0)
        most = max(most, len(ring))
        check_parts(ring, region=number % 3 == 0)
        if number % 10 == 0:
            check_triangles(ring)
    assert most > 450


@pytest.mark.parametrize("inner", [0.9, 0.3, 1e-3])
def test_a_star_of_a_thousand_spikes(inner):
    ring = spikes(2000, inner)
    assert len(check_parts(ring)) <= 1001
    check_triangles(ring)


@pytest.mark.fast_cases(20)
@pytest.mark.parametrize("seed", range(60))
def test_polygons_with_holes(seed):
    ring, holes = random_polygon(np.random.default_rng(seed))
    check_parts(ring, holes)
    check_triangles(ring, holes)


def test_many_holes():
    holes = [convex(np.random.default_rng(k), 5, (k % 20, k // 20), 0.4) for k in range(400)]
    ring = [(-1, -1), (20, -1), (20, 20), (-1, 20)]
    check_parts(ring, holes)
    check_triangles(ring, holes)


def test_straight_corners_and_repeated_vertices():
    ring = [(0, 0), (1, 0), (2, 0), (2, 0), (2, 2), (1, 2), (1, 2), (0, 2), (0, 1), (0, 0)]
    parts = g.decompose(ring)
    assert len(parts) == 1
    assert parts[0].tolist() == SQUARE.tolist()
    triangles = g.triangulate(ring)
    assert triangles.shape == (5, 3)
    assert set(triangles.ravel().tolist()) == {0, 1, 2, 4, 5, 7, 8}
    assert sum(map(shoelace, np.array(ring, float)[triangles])) == 4


@pytest.mark.slow
def test_work_grows_with_the_number_of_vertices_and_not_its_square():
    """Fifty thousand vertices, where edges overlap along x and along y, and on straight edges:
    minutes if any stage compared all pairs.
    """
    steps = np.arange(12_500) / 12_500
    o = np.zeros_like(steps)
    sides = [(steps, o), (o + 1, steps), (1 - steps, o + 1), (o, 1 - steps)]
    straight = np.vstack([np.column_stack(side) for side in sides])
    parts = g.decompose(straight)
    assert [len(part) for part in parts] == [4]
    teeth = comb(np.random.default_rng(0), 30_000)
    for ring in (spikes(50_000), teeth, teeth[::-1, ::-1]):
        area = abs(shoelace(ring))
        assert total_area(g.decompose(ring)) == pytest.approx(area, rel=1e-12)
        left, right = g.slice_polygon(ring, (-0.3, 0.01), (0.3, 0.02))
        assert total_area(left + right) == pytest.approx(area, rel=1e-12)
    crossing = spikes(50_000)
    crossing[[35_000, 35_010]] = crossing[[35_010, 35_000]]
    with pytest.raises(ValueError, match=r"vertices: edge \d+ -> \d+ crosses edge"):
        g.decompose(crossing)


# ------------------------------------------------------------------------ clip


def half_plane(point, normal, reach):
    """The side behind the normal as a large box, for Shapely."""
    n = np.asarray(normal, float) / np.hypot(*normal)
    t = np.array([-n[1], n[0]])
    p = np.asarray(point, float)
    corners = [p - reach * t, p + reach * t, p + reach * t - reach * n, p - reach * t - reach * n]
    return shapely.Polygon(corners)


@pytest.mark.fast_cases(25)
@pytest.mark.parametrize("scale", [1, 1e8, 1e-8])
@pytest.mark.parametrize("seed", range(25))
def test_clipped_by_a_half_plane(seed, scale):
    rng = np.random.default_rng(seed)
    ring = scale * any_ring(rng, 80)
    ring = ring[::-1] if seed % 2 else ring
    region = shapely.Polygon(ring)
    for _ in range(4):
        point = rng.uniform(ring.min(axis=0), ring.max(axis=0))
        normal = rng.normal(size=2) * rng.choice([1e-200, 1, 1e100])
        got = g.clip_halfplane(ring, point, normal)
        expected = region.intersection(half_plane(point, normal, 20 * np.abs(ring).max()))
        if len(got) == 0:
            assert expected.area < 1e-9 * region.area
            continue
        assert len(got) >= 3
        assert np.sign(shoelace(got)) == np.sign(shoelace(ring))
        assert abs(shoelace(got)) == pytest.approx(expected.area, abs=1e-11 * region.area)
        moments = polygon_moments(got)
        assert np.hypot(*(moments.centroid - shapely.get_coordinates(expected.centroid)[0])) < (
            1e-8 * scale * region.area / expected.area
        )
        along = (got - point) @ (normal / np.hypot(*normal))
        assert along.max() <= 1e-14 * np.abs(ring).max()


def test_vertices_on_the_clip_line_stay_as_they_are():
    assert g.clip_halfplane(SQUARE, (0, 2), (0, 1)).tolist() == SQUARE.tolist()
    assert g.clip_halfplane(SQUARE, (1, 1), (1, -1)).tolist() == [[0, 0], [2, 2], [0, 2]]
    assert g.clip_halfplane(SQUARE, (0, 2), (0, -1)).shape == (0, 2)  # an edge has no area
    assert g.clip_halfplane(SQUARE, (0, 3), (0, -1)).shape == (0, 2)
    assert g.clip_halfplane(SQUARE, (0, 0), (1, 1)).shape == (0, 2)  # nor has a corner
    assert g.clip_halfplane([], (0, 0), (1, 1)).shape == (0, 2)
    once = g.clip_halfplane(g.clip_halfplane(SQUARE, (9, 9), (-1, 0)), (0, 0), (1, 1))
    assert once.shape == (0, 2)


def test_a_level_cut_is_level_to_the_last_digit():
    ring = any_ring(np.random.default_rng(8), 100) * 1e3
    low = g.clip_halfplane(ring, (0, 0.1), (0, 7))
    new = low[~(low[:, None] == ring[None]).all(axis=2).any(axis=1)]
    assert len(new) >= 2
    assert set(new[:, 1]) == {0.1}
    left = g.clip_halfplane(ring, (0.1, 5), (2, 0))
    new = left[~(left[:, None] == ring[None]).all(axis=2).any(axis=1)]
    assert set(new[:, 0]) == {0.1}


def test_concave_parts_stay_joined_along_the_clip_line():
    u = np.array([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)], float)
    got = g.clip_halfplane(u, (0, 2), (0, -1))
    assert shoelace(got) == 2
    assert set(map(tuple, got)) == {(0, 2), (1, 2), (2, 2), (3, 2), (0, 3), (1, 3), (2, 3), (3, 3)}
    left, _ = g.slice_polygon(u, (0, 2), (1, 2))
    assert [shoelace(part) for part in left] == [1, 1]


@pytest.mark.fast_cases(40)
@pytest.mark.parametrize("scale", [1, 1e8, 1e-8])
@pytest.mark.parametrize("seed", range(40))
def test_clipped_by_a_convex_polygon(seed, scale):
    rng = np.random.default_rng(seed)
    subject = any_ring(rng, 80)
    size = np.ptp(subject, axis=0).max()
    center = rng.uniform(subject.min(axis=0), subject.max(axis=0))
    clip = convex(rng, int(rng.integers(3, 12)), center, size * rng.uniform(0.05, 1))
    subject, clip = scale * subject, scale * clip[:: rng.choice([-1, 1])]
    got = g.clip_polygon(subject, clip)
    expected = shapely.Polygon(subject).intersection(shapely.Polygon(clip))
    assert (shoelace(got) if len(got) else 0) == pytest.approx(
        expected.area, abs=1e-11 * shapely.Polygon(subject).area
    )
    if len(got):
        assert shapely.distance(shapely.Polygon(clip), shapely.points(got)).max() < (
            1e-13 * np.abs(clip).max()
        )


def test_clip_polygons_that_only_touch():
    assert g.clip_polygon(SQUARE, SQUARE + np.array((2, 0))).shape == (0, 2)
    assert g.clip_polygon(SQUARE, SQUARE + 2).shape == (0, 2)
    assert g.clip_polygon(SQUARE, SQUARE).tolist() == SQUARE.tolist()
    assert g.clip_polygon(SQUARE, 5 * SQUARE - 4).tolist() == SQUARE.tolist()
    assert g.clip_polygon(SQUARE, SQUARE / 4 + 0.5).tolist() == (SQUARE / 4 + 0.5).tolist()
    straight = [(0, 0), (1, 0), (1, 0), (2, 0), (2, 2), (0, 2)]
    assert shoelace(g.clip_polygon(SQUARE + 1, straight)) == 1
    assert g.clip_polygon([], SQUARE).shape == (0, 2)


def test_a_round_clip_with_many_edges():
    angle = np.linspace(0, 2 * np.pi, 4001)[:-1]
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    star_ring = 1.5 * spikes(4000)
    expected = shapely.Polygon(star_ring).intersection(shapely.Polygon(circle))
    assert shoelace(g.clip_polygon(star_ring, circle)) == pytest.approx(expected.area, rel=1e-12)


# ----------------------------------------------------------------------- slice


def check_slices(ring, p, q):
    """All that can be said of any cut; returns both lists."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    left, right = g.slice_polygon(ring, p, q)
    area = abs(shoelace(ring))
    size = np.abs(ring).max()
    for side, parts in ((1, left), (-1, right)):
        for part in parts:
            assert shoelace(part) > 0
            region = shapely.Polygon(part)
            assert region.is_valid, shapely.is_valid_reason(region)
            along = (q - p) / np.hypot(*(q - p))
            heights = side * ((part - p) @ np.array([-along[1], along[0]]))
            assert heights.min() >= -1e-14 * (size + np.abs(p).max())
    parts = left + right
    assert sum(map(shoelace, parts)) == pytest.approx(area, rel=1e-12)
    moments = polygon_moments(ring)
    moment = sum(shoelace(part) * np.array(polygon_moments(part).centroid) for part in parts)
    np.testing.assert_allclose(moment / area, moments.centroid, atol=1e-12 * size)
    return left, right


@pytest.mark.fast_cases(30)
@pytest.mark.parametrize("scale", [1, 1e8, 1e-8])
@pytest.mark.parametrize("seed", range(30))
def test_sliced_along_a_line_that_meets_no_vertex(seed, scale):
    rng = np.random.default_rng(seed)
    ring = scale * any_ring(rng, int(rng.choice([12, 60, 300])))
    region = shapely.Polygon(ring)
    for _ in range(3):
        p, q = rng.uniform(ring.min(axis=0), ring.max(axis=0), (2, 2))
        d = (q - p) / np.hypot(*(q - p))
        normal = np.array([-d[1], d[0]])
        if np.abs((ring - p) @ normal).min() < 1e-9 * scale:
            continue
        left, right = check_slices(ring, p, q)
        for parts, n in ((left, -normal), (right, normal)):
            half = region.intersection(half_plane(p, n, 20 * np.abs(ring).max()))
            expected = [half] if half.geom_type == "Polygon" else list(half.geoms)
            assert len(parts) == sum(e.area > 0 for e in expected)
            assert same_region(parts, half, 1e-9) or half.area < 1e-6 * region.area


def exact_parts(ring, p, q):
    """Slicing of a lattice ring in rational arithmetic by a second way: unions of the triangles of
    a triangulation, cut one by one, joined over shared edges. Area of each part, sorted.
    Only the new corners are fractions.
    """
    p, q = np.array([p, q]).astype(int).tolist()
    pieces = {1: [], -1: []}
    vertices = [tuple(v) for v in np.asarray(ring).astype(int).tolist()]
    for triangle in g.triangulate(ring).tolist():
        corners = [vertices[row] for row in triangle]
        heights = [(q[0] - p[0]) * (v[1] - p[1]) - (q[1] - p[1]) * (v[0] - p[0]) for v in corners]
        for side in (1, -1):
            piece = []
            for i in range(3):
                a, b, ha, hb = corners[i - 1], corners[i], heights[i - 1], heights[i]
                if ha * hb < 0:
                    t = Fraction(ha, ha - hb)
                    piece.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
                if side * hb >= 0:
                    piece.append(b)
            if len(piece) > 2 and twice_area(piece) > 0:
                pieces[side].append(piece)
    areas = {}
    for side, polygons in pieces.items():
        root = list(range(len(polygons)))

        def find(i, root=root):
            while root[i] != i:
                i = root[i]
            return i

        owner = {}
        for number, polygon in enumerate(polygons):
            for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True):
                other = owner.setdefault(frozenset((a, b)), number)
                root[find(number)] = find(other)
        sums = {}
        for number, polygon in enumerate(polygons):
            sums[find(number)] = sums.get(find(number), 0) + Fraction(twice_area(polygon)) / 2
        areas[side] = sorted(sums.values())
    return areas[1], areas[-1]


@pytest.mark.fast_cases(20)
@pytest.mark.parametrize("seed", range(60))
def test_sliced_through_vertices_and_along_edges(seed):
    """Whole coordinates, lines through them: vertices on the line, edges on it, corners that only
    touch it. Parts by exact arithmetic.
    """
    rng = np.random.default_rng(seed)
    ring = lattice(rng, int(rng.integers(4, 60)))
    for _ in range(4):
        p, q = ring[rng.choice(len(ring), 2, replace=False)]
        left, right = check_slices(ring, p, q)
        expected = exact_parts(ring, p, q)
        for parts, areas in zip((left, right), expected, strict=True):
            got = sorted(shoelace(part) for part in parts)
            np.testing.assert_allclose(got, [float(a) for a in areas], rtol=1e-12)
        swapped = g.slice_polygon(ring[::-1], q, p)
        assert [len(swapped[1]), len(swapped[0])] == [len(left), len(right)]


@pytest.mark.parametrize("scale", [1 / 3, 1e-8, 1e8])
def test_sliced_a_hair_beside_vertices(scale):
    """Scaled by no power of two, vertices that were on the line are now a unit in the last place
    beside it: parts would touch themselves by the rounding of new vertices.
    """
    rng = np.random.default_rng(5)
    for _ in range(60):
        ring = scale * lattice(rng, int(rng.integers(4, 60)))
        check_slices(ring, *ring[rng.choice(len(ring), 2, replace=False)])


def test_a_line_that_misses_leaves_the_polygon_on_its_side():
    for ring in (L_SHAPE, L_SHAPE[::-1]):
        left, right = g.slice_polygon(ring, (0, -1), (1, -1))
        assert len(left) == 1
        assert right == []
        assert sorted(map(tuple, left[0])) == sorted(map(tuple, L_SHAPE))
        assert shoelace(left[0]) == 6
        left, right = g.slice_polygon(ring, (1, 0), (0, 0))  # along an edge
        assert (left, len(right)) == ([], 1)
        left, right = g.slice_polygon(ring, (0, 5), (1, 4))  # in a corner
        assert (left, len(right)) == ([], 1)
    triangle = [(0, 0), (2, 0), (1, 1)]
    left, right = g.slice_polygon(triangle, (0, 1), (5, 1))  # in a corner
    assert (left, len(right)) == ([], 1)


def test_slices_share_their_new_vertices():
    rng = np.random.default_rng(11)
    ring = arms(rng, 200)
    left, right = g.slice_polygon(ring, (0.1, 0.2), (0.9, 0.7))
    own = {tuple(v) for v in ring}
    assert {tuple(v) for part in left for v in part} - own == {
        tuple(v) for part in right for v in part
    } - own


def test_a_comb_falls_into_its_teeth_in_order():
    teeth = comb(np.random.default_rng(2), 400)
    left, right = g.slice_polygon(teeth, (0, 0), (1, 0))
    assert len(left) == 100
    assert len(right) == 1
    starts = [part[:, 0].min() for part in left]
    assert starts == sorted(starts)
    left, right = g.slice_polygon(teeth, (1, 0), (0, 0))
    assert len(right) == 100
    assert [part[:, 0].min() for part in right] == sorted(starts, reverse=True)


@pytest.mark.parametrize("exponent", [-900, -540, -300, 490])
@pytest.mark.parametrize("seed", range(10))
def test_cuts_do_not_depend_on_size(seed, exponent):
    """Bit for bit, where products of two lengths have long left the range of float64."""
    rng = np.random.default_rng(seed)
    ring = lattice(rng, 40) if seed % 2 else any_ring(rng, 60)
    scale = 2.0**exponent
    size = np.abs(ring).max()
    clip = convex(rng, 5, ring.mean(axis=0), size / 2)
    for _ in range(4):
        p, q = ring[rng.choice(len(ring), 2, replace=False)]
        q = q + rng.choice([0, 1e-3]) * rng.normal(size=2)
        expected = g.slice_polygon(ring, p, q)
        got = g.slice_polygon(scale * ring, scale * p, scale * q)
        for side, other in zip(expected, got, strict=True):
            assert [(scale * part).tolist() for part in side] == [part.tolist() for part in other]
        normal = rng.normal(size=2)
        for n in (normal, scale * normal):
            low = g.clip_halfplane(scale * ring, scale * p, n)
            assert low.tolist() == (scale * g.clip_halfplane(ring, p, normal)).tolist()
    inside = g.clip_polygon(scale * ring, scale * clip)
    assert inside.tolist() == (scale * g.clip_polygon(ring, clip)).tolist()


def test_sides_are_exact_for_normals_of_any_length():
    """All of the triangle is behind the line, by the small component of the normal."""
    triangle = np.array([(1e-250, -1e150), (2e-250, -5e149), (0, -6e149)])
    for turn in (0, 1):
        ring, normal = np.roll(triangle, turn, axis=1), np.roll((1e150, 1e-200), turn)
        assert all(
            sum(Fraction(c) * Fraction(n) for c, n in zip(v, normal, strict=True)) < 0 for v in ring
        )
        assert g.clip_halfplane(ring, (0, 0), normal).tolist() == ring.tolist()
        assert g.clip_halfplane(ring, (0, 0), -normal).shape == (0, 2)


def exact_clip(ring, p, q, side):
    """Area of the ring on one side of a line: Sutherland-Hodgman with fractions."""
    kept = []
    for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
        ha, hb = (
            side * ((q[0] - p[0]) * (v[1] - p[1]) - (q[1] - p[1]) * (v[0] - p[0])) for v in (a, b)
        )
        kept += [a] if ha >= 0 else []
        if ha * hb < 0:
            t = ha / (ha - hb)
            kept.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
    return twice_area(kept) / 2 if kept else Fraction(0)


coordinate = st.one_of(
    st.integers(-4, 4).map(float), st.floats(-4, 4, allow_subnormal=False, width=32)
)
points_of_lines = st.tuples(coordinate, coordinate)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    hnp.arrays(float, st.tuples(st.integers(3, 9), st.just(2)), elements=coordinate),
    points_of_lines,
    points_of_lines,
    st.sampled_from([1.0, 1e8, 1e-8]),
)
def test_any_small_polygon_sliced(points, p, q, scale):
    assume(p != q)
    ring, p, q = scale * points, scale * np.array(p), scale * np.array(q)
    try:
        g.decompose(ring)
    except ValueError:
        with pytest.raises(ValueError, match="vertices"):
            g.slice_polygon(ring, p, q)
        return
    # a crossing point may be a unit in the last place off
    slack = 1e-15 * np.ptp(ring) * np.abs(ring).max()
    for side, parts in zip((1, -1), g.slice_polygon(ring, p, q), strict=True):
        assert all(shoelace(part) >= 0 for part in parts)
        exact = float(abs(exact_clip(fractions(ring), *fractions([p, q]), side)))
        assert sum(map(shoelace, parts)) == pytest.approx(exact, rel=1e-12, abs=slack)


# ---------------------------------------------------------------- what is refused

RING_FUNCTIONS = {
    "decompose": g.decompose,
    "triangulate": g.triangulate,
    "slice_polygon": lambda ring: g.slice_polygon(ring, (0, 0), (1, 0.5)),
}


@pytest.mark.parametrize("name", RING_FUNCTIONS)
def test_rings_that_are_not_simple(name):
    call = RING_FUNCTIONS[name]
    with pytest.raises(ValueError, match=r"vertices: edge 0 -> 1 crosses edge 2 -> 3"):
        call(BOW_TIE)
    with pytest.raises(ValueError, match=r"vertices\[4\] lies on edge 0 -> 1"):
        call([(0, 0), (4, 0), (4, 4), (3, 1), (2, 0), (1, 1)])
    with pytest.raises(ValueError, match=r"vertices\[3\] repeats vertices\[1\]"):
        call([(0, 0), (2, 0), (3, 1), (2, 0), (0, 2)])
    with pytest.raises(
        ValueError, match=r"vertices: at least 3 distinct vertices are needed, got 2"
    ):
        call([(0, 0), (2, 0), (2, 0), (0, 0)])
    with pytest.raises(ValueError, match=r"vertices"):
        call([(0, 0), (1, 1), (2, 2)])
    with pytest.raises(ValueError, match=r"vertices: must have shape \(n, 2\) with n >= 3"):
        call([(0, 0), (1, 1)])
    with pytest.raises(ValueError, match=r"vertices: must have shape"):
        call(np.zeros((4, 3)))
    with pytest.raises(ValueError, match=r"vertices\[1, 0\]: must be finite, got nan"):
        call([(0, 0), (np.nan, 1), (2, 2)])
    with pytest.raises(
        ValueError, match=r"vertices\[2, 1\]: must be within \+-1e150, got -1e\+200"
    ):
        call([(0, 0), (1, 1), (2, -1e200)])
    with pytest.raises(TypeError, match="vertices"):
        call("abc")
    with pytest.raises(ValueError, match=r"vertices: must have shape"):
        call([])


@pytest.mark.parametrize("name", ["decompose", "triangulate"])
def test_holes_that_are_out_of_place(name):
    call = RING_FUNCTIONS[name]
    function = getattr(g, name)
    hole = SQUARE / 4 + 0.5
    with pytest.raises(ValueError, match=r"holes\[1\]: lies outside the polygon"):
        function(SQUARE, [hole, hole + 5])
    with pytest.raises(ValueError, match=r"holes\[0\]: lies inside holes\[1\]"):
        function(SQUARE, [hole / 2 + 0.4, hole])
    with pytest.raises(ValueError, match=r"holes\[0\]\[1\] lies on edge 1 -> 2 of vertices"):
        function(SQUARE, [hole + 1])
    with pytest.raises(ValueError, match=r"edge 1 -> 2 crosses edge 0 -> 1 of holes\[0\]"):
        function(SQUARE, [hole + np.array((1.2, 0.1))])
    with pytest.raises(ValueError, match=r"holes\[0\]: must have shape"):
        function(SQUARE, [[(1, 1), (1.5, 1)]])
    with pytest.raises(ValueError, match=r"holes\[0\]: edge 0 -> 1 crosses edge 2 -> 3"):
        function(SQUARE, [np.array(BOW_TIE) / 4 + 0.5])
    with pytest.raises(ValueError, match=r"holes\[0\]\[0, 0\]: must be finite"):
        function(SQUARE, [[(np.inf, 1), (1.5, 1), (1, 1.5)]])
    with pytest.raises(TypeError, match="holes"):
        function(SQUARE, 3)
    # an island in a hole would be a polygon of its own
    with pytest.raises(ValueError, match=r"holes"):
        function(SQUARE, [4 * SQUARE - 3])
    assert len(call(SQUARE)) > 0


def test_other_arguments_that_are_refused():
    with pytest.raises(ValueError, match=r"q: must differ from p, got \(1.0, 2.0\)"):
        g.slice_polygon(SQUARE, (1, 2), (1, 2))
    with pytest.raises(ValueError, match=r"p\[0\]: must be within \+-1e150"):
        g.slice_polygon(SQUARE, (1e160, 2), (1, 2))
    with pytest.raises(ValueError, match="normal: must not be zero"):
        g.clip_halfplane(SQUARE, (0, 0), (0, 0))
    with pytest.raises(ValueError, match=r"vertices: must have shape \(n, 2\) with n >= 3"):
        g.clip_halfplane(SQUARE[:2], (0, 0), (0, 1))
    with pytest.raises(ValueError, match="point"):
        g.clip_halfplane(SQUARE, (0, np.nan), (0, 1))
    for bad in (L_SHAPE, BOW_TIE, spikes(10), [(0, 0), (1, 1), (2, 2)], [(1, 1)] * 3):
        with pytest.raises(ValueError, match="clip: must be a convex polygon"):
            g.clip_polygon(SQUARE, bad)
    pentagram = convex(np.random.default_rng(0), 5)[[0, 2, 4, 1, 3]]
    with pytest.raises(ValueError, match="clip: must be a convex polygon"):
        g.clip_polygon(SQUARE, pentagram)
    with pytest.raises(ValueError, match=r"tolerance: must be >= 0, got -1"):
        g.simplify(SQUARE, -1)
    with pytest.raises(ValueError, match=r"tolerance: must be finite"):
        g.simplify(SQUARE, np.nan)
    with pytest.raises(ValueError, match="vertices: must have shape"):
        g.simplify(SQUARE[:2], 1)
    with pytest.raises(ValueError, match=r"points: must have shape \(n, 2\)"):
        g.convex_hull([(1, 2, 3)])
    with pytest.raises(ValueError, match=r"points\[0, 1\]: must be finite"):
        g.convex_hull([(1, np.inf)])
    with pytest.raises(TypeError):
        g.simplify(SQUARE, 1, True)


integer_rings = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12, unique=True
)


def first_fault(ring):
    """Lowest edge that meets an earlier one otherwise than in a shared vertex, by all pairs in
    whole numbers; and the lowest that it meets.
    """
    n = len(ring)
    edges = [(ring[i], ring[(i + 1) % n]) for i in range(n)]

    def on(p, a, b):
        box = all(min(a[k], b[k]) <= p[k] <= max(a[k], b[k]) for k in (0, 1))
        return turn(a, b, p) == 0 and box

    def meet(i, j):
        (a, b), (c, d) = edges[i], edges[j]
        if j == i + 1 or (i == 0 and j == n - 1):
            corner, u, v = (b, a, d) if b == c else (a, b, c)
            dot = sum((u[k] - corner[k]) * (v[k] - corner[k]) for k in (0, 1))
            return turn(u, corner, v) == 0 and dot > 0
        if on(a, c, d) or on(b, c, d) or on(c, a, b) or on(d, a, b):
            return True
        return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0

    for j in range(n):
        for i in range(j):
            if meet(i, j):
                return i, j
    return None


@settings(max_examples=200)
@given(integer_rings)
def test_simplicity_by_all_pairs(ring):
    """On a lattice every second random ring touches itself in some degenerate way."""
    fault, n = first_fault(ring), len(ring)
    if fault is None:
        g.decompose(ring)
        return
    with pytest.raises(ValueError, match="vertices") as caught:
        g.decompose(ring)
    message, (i, j) = str(caught.value), fault
    if "crosses" in message:
        assert f"edge {i} -> {(i + 1) % n} crosses edge {j} -> {(j + 1) % n}" in message
    else:
        vertex = int(message.split("[")[1].split("]")[0])
        assert vertex in {i, j, (i + 1) % n, (j + 1) % n}


@pytest.mark.fast_cases(30)
@pytest.mark.parametrize("seed", range(100))
def test_simplicity_of_large_rings_is_that_of_shapely(seed):
    rng = np.random.default_rng(seed)
    ring = any_ring(rng, 500)
    i, j = rng.choice(len(ring), 2, replace=False)
    ring[[i, j]] = ring[[j, i]]
    try:
        g.decompose(ring)
    except ValueError:
        assert not shapely.Polygon(ring).is_valid
    else:
        assert shapely.Polygon(ring).is_valid


# ----------------------------------------------------------------------- signals


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
@pytest.mark.parametrize("function", [g.decompose, g.triangulate, Polygon])
def test_long_work_is_interrupted(function):
    """Handlers run while it is at work; one that raises ends it, and nothing is left behind."""

    class InterruptError(Exception):
        pass

    calls = 0

    def interrupt(*_):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise InterruptError

    ring = spikes(300_000)
    before = _core._live()
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.1)
        with pytest.raises(InterruptError):
            function(ring)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert _core._live() == before


# ------------------------------------------------------------------------- prose


@pytest.mark.parametrize(
    "name",
    [
        "convex_hull",
        "simplify",
        "triangulate",
        "decompose",
        "clip_halfplane",
        "clip_polygon",
        "slice_polygon",
    ],
)
def test_examples_of_the_docstrings(name):
    runner = doctest.DocTestRunner()
    names = {n: getattr(g, n) for n in g.__all__}
    example = doctest.DocTestParser().get_doctest(
        getattr(_core, name).__doc__, names, name, None, 0
    )
    assert len(example.examples) >= 1
    assert runner.run(example).failed == 0


def test_moments_survive_a_decomposition():
    rng = np.random.default_rng(4)
    for _ in range(20):
        ring = star(rng, int(rng.integers(5, 60)), (1e3, -1e3))
        parts = g.decompose(ring)
        about = polygon_moments(ring).centroid
        total = sum(g.second_moment(part, about=about) for part in parts)
        assert total == pytest.approx(polygon_moments(ring).inertia, rel=1e-10)
