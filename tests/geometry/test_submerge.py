"""Submerged parts of shapes: area, centroid and inertia against Shapely and exact formulas."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import place

import pyphys2d as p2
from pyphys2d.geometry import submerged

FAR = 1e4
COMB = [(0, 0), (5, 0), (5, 2), (4, 0.5), (3, 2), (2, 0.5), (1, 2)]
HOLE = [(0.5, 0.1), (4.5, 0.1), (4.5, 0.3), (0.5, 0.3)]


def liquid(surface):
    """Everything under a surface, as far as it matters."""
    points = np.array([(0.0, surface)]) if np.ndim(surface) == 0 else np.asarray(surface, float)
    left, right = (-FAR, points[0, 1]), (FAR, points[-1, 1])
    return shapely.Polygon([(-FAR, -FAR), left, *points, right, (FAR, -FAR)])


def second_moment(part, about):
    """Polar, by the signed triangles of each ring."""
    total = 0.0
    for polygon in getattr(part, "geoms", [part]):
        if polygon.geom_type != "Polygon":
            continue
        oriented = shapely.geometry.polygon.orient(polygon)
        for ring in [oriented.exterior, *oriented.interiors]:
            p = np.asarray(ring.coords)[:-1] - about
            q = np.roll(p, -1, axis=0)
            cross = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
            total += float((cross * (p * p + p * q + q * q).sum(1)).sum()) / 12
    return total


def check(shape, outline, surface, pose, tolerance=1e-9):
    part = outline.intersection(liquid(surface))
    area, centroid, inertia = submerged(shape, surface, pose)
    size = outline.area
    assert area == pytest.approx(part.area, abs=tolerance * size)
    if part.area < 1e-3 * size:
        return
    expected = np.asarray(part.centroid.coords[0])
    np.testing.assert_allclose(centroid, expected, atol=1e3 * tolerance * np.sqrt(size))
    moment = second_moment(part, expected)
    assert inertia == pytest.approx(moment, rel=100 * tolerance, abs=1e3 * tolerance * size**2)


coordinate = st.floats(-3, 3).map(lambda x: round(x, 3))


@st.composite
def surfaces(draw):
    if draw(st.booleans()):
        return draw(coordinate)
    xs = sorted(draw(st.sets(coordinate, min_size=2, max_size=9)))
    return np.array([(x, draw(coordinate)) for x in xs])


poses = st.tuples(coordinate, coordinate, st.sampled_from([0.0, np.pi / 2, 1.0, -2.5, 40.0]))


@st.composite
def stars(draw):
    """Simple polygons that see their centre, most of them concave."""
    count = draw(st.integers(3, 12))
    radii = [draw(st.floats(0.3, 2)) for _ in range(count)]
    angles = 2 * np.pi * (np.arange(count) + 0.5) / count
    return np.array(radii)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


@settings(max_examples=150)
@given(ring=stars(), surface=surfaces(), pose=poses)
def test_concave_polygons_under_polylines(ring, surface, pose):
    check(p2.Polygon(ring), shapely.Polygon(place(ring, *pose)), surface, pose)


@settings(max_examples=50)
@given(surface=surfaces(), pose=poses)
def test_a_comb_with_a_hole(surface, pose):
    outline = shapely.Polygon(place(COMB, *pose), [place(HOLE, *pose)])
    check(p2.Polygon(COMB, [HOLE]), outline, surface, pose)


ROUND = {
    "circle": (p2.Circle(0.8, (0.3, 0.1)), shapely.Point(0.3, 0.1), 0.8),
    "capsule": (p2.Capsule((-1, 0), (1, 0.5), 0.4), shapely.LineString([(-1, 0), (1, 0.5)]), 0.4),
    "box": (p2.Box(2, 1, radius=0.3), shapely.box(-1, -0.5, 1, 0.5), 0.3),
    "triangle": (
        p2.Polygon([(-1, -1), (1, -1), (0, 1.5)], radius=1.0),
        shapely.Polygon([(-1, -1), (1, -1), (0, 1.5)]),
        1.0,
    ),
}


@pytest.mark.parametrize("name", ROUND)
@settings(max_examples=40)
@given(surface=surfaces(), pose=poses)
def test_round_shapes(name, surface, pose):
    """Shapely's discs are polygons of 4,000 corners, whose area is 4e-7 too small."""
    shape, core, radius = ROUND[name]
    outline = shapely.affinity.rotate(
        core.buffer(radius, quad_segs=1000), pose[2], origin=(0, 0), use_radians=True
    )
    outline = shapely.affinity.translate(outline, pose[0], pose[1])
    check(shape, outline, surface, pose, tolerance=1e-6)


@pytest.mark.parametrize("depth", [1e-9, 1e-4, 0.3, 1.0, 1.7, 1.9999])
def test_circular_segments_by_their_formulas(depth):
    """A unit circle under y = 0 with its lowest point at -depth."""
    half = 2 * np.arcsin(np.sqrt(depth / 2))  # 1 - cos(half) = depth, well conditioned
    if half < 0.05:  # series of half - sin half cos half and of the centroid
        area = 2 / 3 * half**3 * (1 - half**2 / 5 + 2 * half**4 / 105)
        from_center = 1 - 0.3 * half**2
    else:
        area = half - np.sin(half) * np.cos(half)
        from_center = 2 * np.sin(half) ** 3 / (3 * area)
    found, centroid, _ = submerged(p2.Circle(1), 0, (5, 1 - depth, 0))
    assert found == pytest.approx(area, rel=1e-6, abs=1e-14 * np.pi)
    if found > 0:
        np.testing.assert_allclose(centroid, (5, 1 - depth - from_center), atol=1e-4)


def test_all_and_nothing():
    for shape in (p2.Box(1, 2), p2.Circle(1), p2.Capsule((0, 0), (1, 1), 0.5), p2.Polygon(COMB)):
        area, centroid, inertia = submerged(shape, 100, (3, 4, 0.5))
        assert area == shape.area
        assert inertia == shape.inertia
        np.testing.assert_allclose(centroid, place(shape.centroid[None], 3, 4, 0.5)[0], rtol=1e-14)
        area, centroid, inertia = submerged(shape, -100, (3, 4, 0.5))
        assert (area, inertia) == (0, 0)
        assert np.isnan(centroid).all()
    assert submerged(p2.Segment((0, -1), (1, -1)), 0)[0] == 0
    assert submerged(p2.Chain([(0, -1), (1, -1), (2, -3)]), 0)[0] == 0


@settings(max_examples=60)
@given(ring=stars(), surface=surfaces(), pose=poses)
def test_what_is_under_and_what_is_over_make_the_whole(ring, surface, pose):
    """Upside down, what was over the surface is under it."""
    shape, mirror = p2.Polygon(ring), p2.Polygon(ring * (1, -1))
    flipped = -surface if np.ndim(surface) == 0 else surface * (1, -1)
    below = submerged(shape, surface, pose)
    above = submerged(mirror, flipped, (pose[0], -pose[1], -pose[2]))
    assert below[0] + above[0] == pytest.approx(shape.area, rel=1e-12)
    if min(below[0], above[0]) > 1e-9:
        mean = (below[0] * below[1] + above[0] * above[1] * (1, -1)) / shape.area
        np.testing.assert_allclose(mean, place(shape.centroid[None], *pose)[0], atol=1e-9)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_far_from_the_origin(far):
    shape = p2.Box(1, 2, radius=0.25)
    near = submerged(shape, [(-1, 0.25), (0.5, -0.5), (2, 0.75)], (0, 0.25, 0.5))
    there = submerged(
        shape, [(far - 1, far + 0.25), (far + 0.5, far - 0.5), (far + 2, far + 0.75)],
        (far, far + 0.25, 0.5),
    )  # fmt: skip
    assert there[0] == pytest.approx(near[0], rel=1e-14)
    assert there[2] == pytest.approx(near[2], rel=1e-13)
    np.testing.assert_allclose(there[1] - far, near[1], atol=1e-15 * far)


def test_cliffs_are_no_trouble():
    """A pool between two walls that are as steep as float64 has them."""
    pool = [(0, -1e9), (np.nextafter(0, 1), 0), (1, 0), (np.nextafter(1, 2), -1e9)]
    area, centroid, inertia = submerged(p2.Box(4, 2), pool)
    assert area == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(centroid, (0.5, -0.5), atol=1e-12)
    assert inertia == pytest.approx(1 / 6, rel=1e-12)


def test_nearly_straight_corners_of_a_rounded_polygon_add_nothing():
    """Normals of edges in line differ by rounding in either direction."""
    angle = np.linspace(0, 2 * np.pi, 3001)[:-1]
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    for turn in np.linspace(0, 3, 13):
        area, _, _ = submerged(p2.Polygon(ring, radius=0.5), 0, (0, 0, turn))
        assert area == pytest.approx(1.5**2 * np.pi / 2, rel=1e-5)


def test_many_poses_in_one_call():
    shape = p2.Capsule((-1, 0), (1, 0), 0.5)
    poses = np.random.default_rng(5).uniform(-2, 2, (40, 5, 3))
    area, centroid, inertia = submerged(shape, [(-1, 0), (1, 0.5)], poses)
    assert (area.shape, centroid.shape, inertia.shape) == ((40, 5), (40, 5, 2), (40, 5))
    for i in np.ndindex(40, 5):
        one = submerged(shape, [(-1, 0), (1, 0.5)], poses[i])
        assert area[i] == one[0]
        np.testing.assert_array_equal(centroid[i], one[1])
        assert inertia[i] == one[2]
    empty = submerged(shape, 0, np.empty((0, 3)))
    assert (empty[0].shape, empty[1].shape, empty[2].shape) == ((0,), (0, 2), (0,))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((p2.Circle(1), np.nan), ValueError, "level_or_surface: must be finite"),
        ((p2.Circle(1), 1e16), ValueError, r"level_or_surface: must be within"),
        ((p2.Circle(1), [(0, 0)]), ValueError, r"level_or_surface: must have shape"),
        ((p2.Circle(1), [0, 1]), ValueError, r"level_or_surface: must have shape"),
        ((p2.Circle(1), np.zeros((0, 2))), ValueError, r"level_or_surface: must have shape"),
        (
            (p2.Circle(1), [(0, 0), (1, 0), (1, 2)]),
            ValueError,
            r"level_or_surface\[2\]: x must increase, got 1 after 1",
        ),
        ((p2.Circle(1), [(0, 0), (np.inf, 0)]), ValueError, r"level_or_surface\[1, 0\]"),
        ((p2.Circle(1), [(0, 0), (1, 1e300)]), ValueError, r"level_or_surface\[1\]"),
        ((p2.Circle(1), "water"), TypeError, "level_or_surface"),
        ((p2.Circle(1), None), TypeError, "level_or_surface"),
        ((p2.Circle(1), 0, (0, 0)), ValueError, r"pose: must have shape \(..., 3\)"),
        ((p2.Circle(1), 0, (0, 0, np.nan)), ValueError, r"pose\[2\]"),
        (("circle", 0), TypeError, "shape"),
    ],
)
def test_errors_name_the_argument(arguments, error, message):
    with pytest.raises(error, match=message):
        submerged(*arguments)


def test_huge_numbers_do_no_harm():
    for pose in [(1e300, 0, 0), (0, -1e300, 1e300), (1e15, 1e15, 3)]:
        area, _, inertia = submerged(p2.Box(1, 1), [(-1e15, -1e15), (1e15, 1e15)], pose)
        assert 0 <= area <= 1
        assert inertia >= 0
