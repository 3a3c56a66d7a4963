"""Whole shapes against each other: distances by Shapely and by exact arithmetic, translations and
manifolds by all pairs of convex parts.
"""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import convex, convex_mtv, place, random_polygon, star

import pyphys2d as p2
import pyphys2d.geometry as g

STILL = (0, 0, 0)


def moved(region, pose):
    return shapely.transform(region, lambda points: place(points, *pose))


def concave_shape(rng):
    """A shape of several pieces and its region in Shapely."""
    if rng.random() < 0.5:
        outer, holes = random_polygon(rng)
        return p2.Polygon(outer, holes), shapely.Polygon(outer, holes)
    points = np.cumsum(rng.uniform((0.1, -1), (0.5, 1), (int(rng.integers(2, 40)), 2)), axis=0)
    return p2.Chain(points), shapely.LineString(points)


@pytest.mark.parametrize("seed", range(8))
def test_distances_of_concave_shapes_against_shapely(seed):
    rng = np.random.default_rng(seed)
    made = [concave_shape(rng) for _ in range(20)]
    shapes, regions = [m[0] for m in made], [m[1] for m in made]
    poses = np.column_stack([rng.uniform(-15, 15, (20, 2)), rng.uniform(-7, 7, 20)])
    result = g.distance(np.array(shapes)[:, None], shapes, poses[:, None], poses[::-1])
    there = [moved(r, p) for r, p in zip(regions, poses, strict=True)]
    here = [moved(r, p) for r, p in zip(regions, poses[::-1], strict=True)]
    expected = shapely.distance(np.array(there)[:, None], here)
    np.testing.assert_allclose(result["distance"], expected, atol=1e-12)
    apart = expected > 1e-9
    assert 20 < apart.sum() < 399
    between = result["point_b"] - result["point_a"]
    np.testing.assert_allclose(
        between[apart], (result["distance"][..., None] * result["normal"])[apart], atol=1e-11
    )
    for i, k in np.argwhere(apart)[::7]:
        for region, point in ((there[i], "point_a"), (here[k], "point_b")):
            assert region.distance(shapely.Point(result[point][i, k])) < 1e-12
    assert (result["point_a"] == result["point_b"])[expected == 0].all()


def pairs_of_parts(a, b, pose_a, pose_b):
    for part_a in a.parts:
        for part_b in b.parts:
            yield place(part_a, *pose_a), place(part_b, *pose_b)


@pytest.mark.parametrize("seed", range(40))
def test_concave_shapes_answer_for_the_parts_that_overlap_most(seed):
    rng = np.random.default_rng(seed)
    a, b = (p2.Polygon(star(rng, int(rng.integers(5, 20)))) for _ in range(2))
    pose_a, pose_b = (np.append(rng.uniform(-0.6, 0.6, 2), rng.uniform(-4, 4)) for _ in range(2))
    pushes = [convex_mtv(p, q) for p, q in pairs_of_parts(a, b, pose_a, pose_b)]
    depths = [np.hypot(*push) for push in pushes if push is not None]
    push = g.mtv(a, b, pose_a, pose_b)
    manifold = g.collide(a, b, pose_a, pose_b)
    if not depths:
        assert push is None
        return
    assert np.hypot(*push) == pytest.approx(max(depths), rel=1e-9)
    singles = [
        g.collide(p2.Polygon(p), p2.Polygon(q), pose_a, pose_b) for p in a.parts for q in b.parts
    ]
    deepest = [min(single.separations) for single in singles if single]
    assert min(manifold.separations) == pytest.approx(min(deepest), abs=1e-12)


def test_only_what_is_near_counts_in_long_chains():
    # Two combs of 20,000 sides each: all pairs would be 4e8.
    x = np.arange(20_001.0)
    a = p2.Chain(np.column_stack([x, x % 2]))
    b = p2.Chain(np.column_stack([x, x % 2 + 0.3 * (x == 12_345)]))
    result = g.distance(a, b, pose_b=(0, -4, 0))
    tip = (12_345, 1.3 - 4)  # to the sides of the notch above it
    expected = shapely.Point(tip).distance(shapely.LineString(np.column_stack([x, x % 2])))
    assert result.distance == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(result.point_b, tip, rtol=1e-12)


# ------------------------------------------------------------------- exact distances


def exact_distance(ring_a, ring_b):
    """Of two disjoint convex rings (or segments, or points) of Fractions."""

    def squared(p, a, b):
        ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], p[0] - a[0], p[1] - a[1]
        length = ux * ux + uy * uy
        t = min(max((ux * vx + uy * vy) / length, 0), 1) if length else Fraction(0)
        return (vx - t * ux) ** 2 + (vy - t * uy) ** 2

    best = min(
        squared(p, ring[i - 1], ring[i])
        for points, ring in ((ring_a, ring_b), (ring_b, ring_a))
        for p in points
        for i in range(len(ring))
    )
    return sqrt(best) if best < 10**300 else float("inf")


SIZES = st.sampled_from([2e-4, 1e-2, 1.0, 1e3, 1e6])


@st.composite
def convex_rings(draw):
    """Round ones, slivers, boxes, segments and points, at any of many sizes."""
    size = draw(SIZES)
    kind = draw(st.sampled_from(["round", "sliver", "box", "segment", "point"]))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    if kind == "round":
        return convex(rng, int(rng.integers(3, 12)), scale=max(size, 1e-3))
    if kind == "sliver":
        return np.array([(-size - 1e-3, 0), (size + 1e-3, 0), (rng.uniform(-size, size), 5e-4)])
    if kind == "box":
        return np.array([(0, 0), (size, 0), (size, size), (0, size)]) * rng.uniform(1, 3)
    points = rng.uniform(-size, size, (2, 2))
    return points if kind == "segment" else points[:1]


def shape_of(ring):
    if len(ring) == 1:
        return p2.Circle(1e-3, ring[0]), 1e-3
    return (p2.Segment(*ring) if len(ring) == 2 else p2.Polygon(ring)), 0.0


@settings(max_examples=150)
@given(
    convex_rings(),
    convex_rings(),
    st.sampled_from([0.0, 1.0, -1e4, 1e8]),
    st.sampled_from([0.0, 1e-8, -1e-8, 1e-3, 1.0, 3e5, 1e8]),
    st.sampled_from([(1, 0), (0, -1), (0.6, 0.8), (-0.28, 0.96)]),
)
def test_distances_of_any_size_anywhere_against_exact_arithmetic(a, b, place_a, gap, way):
    # b begins beyond a's end along the way, and the gap further.
    offset = (a @ way).max() - (b @ way).min() + gap
    pose_a = (place_a, -place_a, 0.0)
    pose_b = (place_a + offset * way[0], -place_a + offset * way[1], 0.0)
    (shape_a, ra), (shape_b, rb) = shape_of(a), shape_of(b)
    # What the rounded positions say, not what was meant.
    rings = [
        [(Fraction(x) + Fraction(pose[0]), Fraction(y) + Fraction(pose[1])) for x, y in ring]
        for ring, pose in ((a.tolist(), pose_a), (b.tolist(), pose_b))
    ]
    result = g.distance(shape_a, shape_b, pose_a, pose_b)
    size = float(max(np.abs(a).max(), np.abs(b).max())) + abs(offset)
    along = min(p[0] * Fraction(way[0]) + p[1] * Fraction(way[1]) for p in rings[1])
    along -= max(p[0] * Fraction(way[0]) + p[1] * Fraction(way[1]) for p in rings[0])
    # Positions far away can be rounded into an overlap of their last digits.
    slack = 4e-15 * size + (4e-16 * abs(place_a) if along <= 0 else 0)
    expected = max(exact_distance(*rings) - ra - rb, 0)
    assert result.distance == pytest.approx(expected, abs=slack)
    # Points are rounded at the place where they are.
    between = np.subtract(result.point_b, result.point_a)
    slack = 1e-12 * (size + abs(place_a))
    assert np.hypot(*between) == pytest.approx(result.distance, abs=slack)


@settings(max_examples=100)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 1e4, -1e8]),
    st.sampled_from([1e-3, 1.0, 1e4]),
    st.floats(0.01, 0.99),
)
def test_translations_do_not_depend_on_the_place(seed, origin, scale, share):
    rng = np.random.default_rng(seed)
    a, b = convex(rng, 5, scale=scale), convex(rng, 7, scale=scale)
    offset = share * scale * np.array([0.5, -0.25])
    pose_b = np.append(np.array([origin, -origin]) + offset, 0)
    offset = pose_b[:2] - (origin, -origin)  # what is left of it
    expected = convex_mtv(a, b + offset)
    push = g.mtv(p2.Polygon(a), p2.Polygon(b), (origin, -origin, 0), pose_b)
    axes = g.sat(p2.Polygon(a), p2.Polygon(b), (origin, -origin, 0), pose_b)
    if expected is None:
        assert push is None
        return
    assert np.hypot(*push) == pytest.approx(np.hypot(*expected), rel=1e-12, abs=1e-14 * scale)
    np.testing.assert_array_equal(push, axes.mtv)
    manifold = g.collide(p2.Polygon(a), p2.Polygon(b), (origin, -origin, 0), pose_b)
    assert -min(manifold.separations) == pytest.approx(np.hypot(*push), abs=1.1e-3, rel=1e-9)


# ---------------------------------------------------------------- touching


def assert_separates(normal, a, b, slack):
    """A line across the normal has a behind it and b before it."""
    assert np.hypot(*normal) == pytest.approx(1, rel=1e-14)
    assert (a @ normal).max() <= (b @ normal).min() + slack


@pytest.mark.parametrize("seed", range(40))
def test_the_normal_of_shapes_that_touch(seed):
    rng = np.random.default_rng(seed)
    a, b = convex(rng, int(rng.integers(3, 9))), convex(rng, int(rng.integers(3, 9)))
    pose = np.array([0, 0, rng.uniform(-4, 4)])
    turned = place(b, *pose)
    edges = np.roll(a, -1, axis=0) - a
    k = int(rng.integers(len(a)))
    outward = np.array([edges[k, 1], -edges[k, 0]]) / np.hypot(*edges[k])
    nearest = turned[(turned @ outward).argmin()]
    pose[:2] = a[k] + rng.choice([0.0, 0.5, rng.random()]) * edges[k] - nearest
    shape_a, shape_b = p2.Polygon(a), p2.Polygon(b)
    for found in (
        g.distance(shape_a, shape_b, pose_b=pose),
        g.cast_shape(shape_a, shape_b, pose_b=pose, translation_b=-outward),
        g.time_of_impact(shape_a, shape_b, STILL, STILL, pose, pose - (*outward, 0), target=0),
    ):
        assert_separates(found.normal, a, place(b, *pose), 2e-14)
    back = g.distance(shape_b, shape_a, pose_a=pose)
    assert_separates(back.normal, place(b, *pose), a, 2e-14)


def test_the_normal_of_boxes_and_segments_that_touch():
    box, flat = p2.Box(2, 2), p2.Segment((-1, 0), (1, 0))
    assert g.distance(box, box, pose_b=(2, 0, 0)).normal.tolist() == [1, 0]
    assert g.distance(box, box, pose_b=(0.5, -2, 0)).normal.tolist() == [0, -1]
    assert g.cast_shape(box, box, pose_b=(0, 2, 0), translation_b=(1, 0)).normal.tolist() == [0, 1]
    assert g.toi(box, box, STILL, STILL, (2, 0, 0), STILL, target=0).normals.tolist() == [[1, 0]]
    ends = np.array([(-1.0, 0), (1, 0)])
    for p, q in (((1, 0), (2, 0)), ((0, 0), (0, 2)), ((0, -2), (0, 0)), ((1, 0), (2, 1))):
        normal = g.distance(flat, p2.Segment(p, q)).normal
        assert_separates(normal, ends, np.array([p, q]), 0)
    many = g.distance(p2.Chain([(-9, 3), (-1, 0), (1, 0)]), box, pose_b=(0, 1, 0))
    assert many.normal.tolist() == [0, 1]


def test_shapes_deep_in_each_other_have_no_normal():
    box = p2.Box(2, 2)
    for b, pose in (
        (box, (1.9, 0, 0)),
        (box, (2 - 1e-13, 0, 0)),
        (p2.Circle(1), (0.5, 0, 0)),
        (p2.Segment((0, -3), (0, 3)), STILL),
        (p2.Box(2, 2, radius=0.1), (2, 0, 0)),  # the cores touch, and there is the radius
    ):
        assert g.distance(box, b, pose_b=pose).normal.tolist() == [0, 0]
        assert g.cast_shape(box, b, pose_b=pose, translation_b=(5, 0)).normal.tolist() == [0, 0]
