"""Manifolds and minimum translations: the tutorial's numbers, plain SAT, Shapely distances,
symmetry.
"""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from reference import convex, convex_mtv, place

import pyphys2d as p2
import pyphys2d.geometry as g

TRIANGLE = np.array([(4, 1), (2, 4), (1, 1)], float)
PENTAGON = np.array([(2, -2.5), (2.2, -0.5), (1.5, 0.5), (-1.2, -0.5), (-1, -2.5)])


def test_two_circles_of_the_tutorial():
    a, b = p2.Circle(2, (-0.5, 0)), p2.Circle(1.2, (0.8, 1))
    push = g.mtv(a, b)
    np.testing.assert_allclose(push, (1.23639677, 0.95107443), atol=5e-9)
    delta = np.array([1.3, 1.0])
    distance = np.hypot(*delta)
    np.testing.assert_allclose(push, delta / distance * (3.2 - distance), rtol=1e-12)


def test_triangle_and_pentagon_of_the_tutorial():
    pentagon = p2.Polygon(PENTAGON)
    assert g.mtv(p2.Polygon(TRIANGLE), pentagon) is None
    push = g.mtv(p2.Polygon(TRIANGLE - 1.5), pentagon)
    np.testing.assert_allclose(push, (0, -1), atol=1e-12)
    np.testing.assert_allclose(push, convex_mtv(TRIANGLE - 1.5, PENTAGON), atol=1e-12)


def test_clipping_example_of_the_tutorial():
    a = np.array([(-1, 0), (3, 0), (3, -2), (-1, -2)], float)
    b = np.array([(3.5, -1.666), (4.5, 0), (1.5, 2), (1.5, -0.333)])
    push = g.mtv(p2.Polygon(a), p2.Polygon(b))
    np.testing.assert_allclose(push, (0.61505622, 0.92281503), atol=5e-9)
    np.testing.assert_allclose(push, convex_mtv(a[::-1], b), rtol=1e-12)


def test_coincident_circles_get_a_fixed_answer():
    push = g.mtv(p2.Circle(1), p2.Circle(0.5))
    assert np.hypot(*push) == pytest.approx(1.5)
    np.testing.assert_array_equal(push, g.mtv(p2.Circle(1), p2.Circle(0.5)))


def test_apart_and_touching_have_no_mtv():
    assert g.mtv(p2.Circle(1), p2.Circle(1), pose_b=(2.5, 0, 0)) is None
    assert g.mtv(p2.Box(1, 1), p2.Box(1, 1), pose_b=(1.25, 0, 0)) is None


@pytest.mark.fast_cases(60)
@pytest.mark.parametrize("seed", range(200))
def test_convex_mtv_against_plain_numpy(seed):
    rng = np.random.default_rng(seed)
    a = convex(rng, int(rng.integers(3, 12)), scale=2)
    b = convex(rng, int(rng.integers(3, 12)), scale=rng.uniform(0.5, 2))
    pose_a = (*rng.uniform(-1, 1, 2), rng.uniform(-7, 7))
    pose_b = (*rng.uniform(-2, 2, 2), rng.uniform(-7, 7))
    expected = convex_mtv(place(a, *pose_a), place(b, *pose_b))
    push = g.mtv(p2.Polygon(a), p2.Polygon(b), pose_a, pose_b)
    if expected is None:
        assert push is None
    else:
        assert np.hypot(*push) == pytest.approx(np.hypot(*expected), rel=1e-9)
        moved = place(b, *pose_b) + push
        # pushed out: touching, not overlapping
        assert shapely.Polygon(place(a, *pose_a)).intersection(shapely.Polygon(moved)).area < 1e-9


def random_shape(rng):
    """A shape of any convex kind and its region in Shapely (curves right to 1e-7)."""
    kind = int(rng.integers(0, 5))
    radius = rng.uniform(0.1, 0.8)
    p, q = rng.uniform(-1, 1, (2, 2))
    ring = convex(rng, int(rng.integers(3, 10)))
    if kind == 0:
        return p2.Circle(radius, p), shapely.Point(p), radius
    if kind == 1:
        return p2.Capsule(p, q, radius), shapely.LineString([p, q]), radius
    if kind == 2:
        return p2.Segment(p, q), shapely.LineString([p, q]), 0.0
    if kind == 3:
        return p2.Polygon(ring), shapely.Polygon(ring), 0.0
    return p2.Polygon(ring, radius=radius), shapely.Polygon(ring), radius


def moved(region, pose):
    return shapely.transform(region, lambda points: place(points, *pose))


@pytest.mark.fast_cases(120)
@pytest.mark.parametrize("seed", range(400))
def test_distance_of_every_pair_of_kinds_against_shapely(seed):
    rng = np.random.default_rng(5000 + seed)
    (a, core_a, ra), (b, core_b, rb) = random_shape(rng), random_shape(rng)
    pose_a = (*rng.uniform(-2, 2, 2), rng.uniform(-4, 4))
    pose_b = (*rng.uniform(-2, 2, 2), rng.uniform(-4, 4))
    expected = shapely.distance(moved(core_a, pose_a), moved(core_b, pose_b)) - ra - rb
    result = g.distance(a, b, pose_a, pose_b)
    assert result.distance == pytest.approx(max(expected, 0), abs=1e-9)
    manifold = g.collide(a, b, pose_a, pose_b)
    if expected > 1e-9:
        np.testing.assert_allclose(
            np.subtract(result.point_b, result.point_a),
            result.distance * np.asarray(result.normal),
            atol=1e-9,
        )
        assert not manifold
        assert g.mtv(a, b, pose_a, pose_b) is None
    elif expected < -1e-9:
        assert manifold
        assert 1 <= len(manifold.points) <= 2
        assert np.hypot(*manifold.normal) == pytest.approx(1, rel=1e-12)
        if (
            core_a.distance(core_b) > 0
            and moved(core_a, pose_a).distance(moved(core_b, pose_b)) > 0
        ):
            # only the rounding overlaps: the depth is known exactly
            assert min(manifold.separations) == pytest.approx(expected, abs=1e-3)
            push = g.mtv(a, b, pose_a, pose_b)
            assert np.hypot(*push) == pytest.approx(-expected, abs=1e-9)


@pytest.mark.fast_cases(60)
@pytest.mark.parametrize("seed", range(200))
def test_exchanging_the_shapes_flips_the_normal(seed):
    rng = np.random.default_rng(9000 + seed)
    (a, _, _), (b, _, _) = random_shape(rng), random_shape(rng)
    pose_b = (*rng.uniform(-1, 1, 2), rng.uniform(-4, 4))
    forward = g.collide(a, b, (0, 0, 0), pose_b)
    backward = g.collide(b, a, pose_b, (0, 0, 0))
    assert bool(forward) == bool(backward)
    if forward:
        assert min(forward.separations) == pytest.approx(min(backward.separations), abs=1.1e-3)
    push, pull = g.mtv(a, b, (0, 0, 0), pose_b), g.mtv(b, a, pose_b, (0, 0, 0))
    assert (push is None) == (pull is None)
    if push is not None:
        assert np.hypot(*push) == pytest.approx(np.hypot(*pull), rel=1e-9)


@pytest.mark.fast_cases(60)
@pytest.mark.parametrize("seed", range(200))
def test_pushing_by_the_mtv_separates_every_pair(seed):
    rng = np.random.default_rng(7000 + seed)
    (a, core_a, ra), (b, core_b, rb) = random_shape(rng), random_shape(rng)
    pose_b = (*rng.uniform(-1, 1, 2), rng.uniform(-4, 4))
    push = g.mtv(a, b, (0, 0, 0), pose_b)
    if push is None:
        return
    after = moved(core_b, (*(np.array(pose_b[:2]) + push), pose_b[2]))
    if ra + rb > 0:
        assert core_a.distance(after) == pytest.approx(ra + rb, abs=1e-9)
    else:
        assert core_a.intersection(after).area < 1e-9
        assert core_a.distance(after) < 1e-9


def test_box_on_box_has_two_points_at_the_ends_of_the_overlap():
    manifold = g.collide(p2.Box(4, 2), p2.Box(2, 2), (0, 0, 0), (1.5, 1.9, 0))
    np.testing.assert_allclose(manifold.normal, (0, 1), atol=1e-15)
    np.testing.assert_allclose(sorted(manifold.points[:, 0]), (0.5, 2), atol=1e-12)
    np.testing.assert_allclose(manifold.points[:, 1], 0.95, atol=1e-12)  # midway
    np.testing.assert_allclose(manifold.separations, -0.1, atol=1e-12)
    assert len(set(manifold.features)) == 2


def test_features_stay_while_the_same_parts_touch():
    def features(x):
        return set(
            map(int, g.collide(p2.Box(4, 2), p2.Box(2, 2), (0, 0, 0), (x, 1.99, 0)).features)
        )

    assert features(0.0) == features(0.05) == features(-0.03)


def test_margin_reports_points_before_they_touch():
    boxes = p2.Box(1, 1), p2.Box(1, 1), (0, 0, 0), (0, 1.01, 0)
    assert not g.collide(*boxes)
    manifold = g.collide(*boxes, margin=0.02)
    np.testing.assert_allclose(manifold.separations, 0.01, atol=1e-12)


def test_circle_inside_a_box_is_pushed_to_the_nearest_side():
    push = g.mtv(p2.Box(4, 4), p2.Circle(0.5), pose_b=(1.5, 0.2, 0))
    np.testing.assert_allclose(push, (1.0, 0), atol=1e-12)


def test_a_circle_at_a_corner():
    corner = np.array([1.0, 1.0])
    center = corner + 0.3 * np.array([0.6, 0.8])
    manifold = g.collide(p2.Box(2, 2), p2.Circle(0.5), pose_b=(*center, 0))
    np.testing.assert_allclose(manifold.normal, (0.6, 0.8), atol=1e-12)
    np.testing.assert_allclose(manifold.separations, [-0.2], atol=1e-12)
    np.testing.assert_allclose(manifold.points, [corner - 0.1 * np.array([0.6, 0.8])], atol=1e-12)


poses = st.tuples(
    *[st.one_of(st.floats(), st.sampled_from([0.0, 1.0, -1.0, 1e7, 1e-9, np.nan, np.inf]))] * 3
)


@given(poses, poses, st.integers(0, 3))
def test_any_pose_is_answered_or_refused(pose_a, pose_b, kind):
    shape = [
        p2.Circle(1),
        p2.Box(1, 2),
        p2.Capsule((0, 0), (1, 1), 0.2),
        p2.Segment((0, 0), (2, 0)),
    ][kind]
    if not np.isfinite([*pose_a, *pose_b]).all():
        with pytest.raises(ValueError, match="pose"):
            g.collide(shape, p2.Box(1, 1), pose_a, pose_b)
        return
    manifold = g.collide(shape, p2.Box(1, 1), pose_a, pose_b)
    assert len(manifold.points) <= 2
    if manifold:
        assert (np.asarray(manifold.separations) <= 1e-12).all()
