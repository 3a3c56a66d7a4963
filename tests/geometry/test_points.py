"""Circles, boxes, closest points and aiming, against NumPy, Shapely and rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
import shapely
from geometry_strategies import (
    EPSILON,
    SCALES,
    along,
    any_point,
    anywhere,
    dot,
    exact,
    largest,
    minus,
    point_lists,
)
from hypothesis import assume, given
from hypothesis import strategies as st

import pyphys2d.geometry as g

radii = st.floats(0, allow_infinity=False)


def box_of(*points):
    return np.array([np.min(points, axis=0), np.max(points, axis=0)])


def square_of_distance(p, q):
    u = minus(exact(p), exact(q))
    return dot(u, u)


def clear_of_rounding(measured, bound):
    return abs(measured - bound) > Fraction(16 * EPSILON) * max(measured, bound)


# ---------------------------------------------------------------- circles and boxes


@given(any_point, any_point, radii)
def test_points_in_circles_of_any_floats(point, center, radius):
    measured, bound = square_of_distance(point, center), Fraction(radius) ** 2
    if point == center or clear_of_rounding(measured, bound):
        assert g.point_in_circle(point, center, radius) == (measured <= bound)


@given(any_point, radii, any_point, radii)
def test_circles_of_any_floats(center_a, radius_a, center_b, radius_b):
    measured = square_of_distance(center_a, center_b)
    bound = (Fraction(radius_a) + Fraction(radius_b)) ** 2
    if clear_of_rounding(measured, bound):
        assert g.circle_vs_circle(center_a, radius_a, center_b, radius_b) == (measured <= bound)


@given(any_point, radii, any_point, any_point)
def test_circles_and_boxes_of_any_floats(center, radius, p, q):
    box = box_of(p, q)
    closest = np.clip(center, *box)
    measured, bound = square_of_distance(center, closest), Fraction(radius) ** 2
    if clear_of_rounding(measured, bound):
        assert g.circle_vs_aabb(center, radius, box) == (measured <= bound)
    np.testing.assert_array_equal(g.closest_on_aabb(center, box), closest)


def test_touching_counts_also_from_inside():
    assert g.point_in_circle((3, 4), (0, 0), 5)
    assert g.circle_vs_circle((0, 0), 2, (3, 4), 3)
    assert g.circle_vs_circle((0, 0), 5, (1, 0), 4)  # internal tangency
    assert g.circle_vs_circle((0, 0), 5, (1, 0), 1)
    assert not g.circle_vs_circle((0, 0), 2, (3, 4), 2.999)
    assert g.circle_vs_circle((1, 1), 0, (1, 1), 0)
    assert g.circle_vs_aabb((5, 6), 5, [(0, 0), (2, 2)])
    assert g.circle_vs_aabb((1, 1), 0, [(0, 0), (2, 2)])
    assert not g.circle_vs_aabb((5, 6), 4.999, [(0, 0), (2, 2)])
    assert g.aabb_overlap([(0, 0), (1, 1)], [(1, 1), (2, 2)])
    assert g.point_in_aabb((1, 1), [(0, 0), (1, 1)])


@given(any_point, any_point, any_point, any_point)
def test_boxes_by_their_definition(p, q, r, s):
    a, b = box_of(p, q), box_of(r, s)
    assert g.aabb_overlap(a, b) == bool((a[0] <= b[1]).all() and (b[0] <= a[1]).all())
    assert g.point_in_aabb(p, b) == bool((b[0] <= p).all() and (p <= b[1]).all())


def test_random_circles_and_boxes_by_shapely():
    rng = np.random.default_rng(2)
    centers, others = rng.normal(size=(2, 500, 2)) * 2
    radius = rng.uniform(0.1, 2, 500)
    boxes = np.sort(rng.normal(size=(500, 2, 2)) * 2, axis=1)
    points = shapely.points(centers)
    squares = shapely.box(*boxes.reshape(-1, 4).T)
    np.testing.assert_array_equal(
        g.circle_vs_aabb(centers, radius, boxes), shapely.dwithin(points, squares, radius)
    )
    np.testing.assert_array_equal(
        g.circle_vs_circle(centers, radius, others, 1.0),
        shapely.dwithin(points, shapely.points(others), radius + 1),
    )
    np.testing.assert_array_equal(
        g.aabb_overlap(boxes, boxes[::-1]), shapely.intersects(squares, squares[::-1])
    )


# ---------------------------------------------------------------- closest points, projections


@given(point_lists(3))
def test_closest_points_by_rational_arithmetic(points):
    point, a, b = map(exact, points)
    u = minus(b, a)
    t = min(max(dot(minus(point, a), u) / dot(u, u), 0), 1) if u != (0, 0) else 0
    expected = along(a, t, u)
    found = g.closest_on_segment(*points)
    error = max(abs(float(v - w)) for v, w in zip(exact(found), expected, strict=True))
    assert error <= 16 * EPSILON * largest(points)
    low, high = box_of(*points[1:])
    assert (low <= found).all()
    assert (found <= high).all()


def test_closest_points_at_the_ends_are_the_ends():
    a, b = (0.1, 0.7), (0.3, -0.9)
    np.testing.assert_array_equal(g.closest_on_segment((0.1, 5), a, b), a)
    np.testing.assert_array_equal(g.closest_on_segment((0.3, -5), a, b), b)
    np.testing.assert_array_equal(g.closest_on_segment((9, 9), a, a), a)


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e170, 1e300])
def test_closest_points_and_projections_of_extreme_sizes(scale):
    points = np.array([(1.0, 3), (0, 0), (4, 0)]) * scale
    np.testing.assert_allclose(g.closest_on_segment(*points), (scale, 0), rtol=1e-15)
    np.testing.assert_allclose(g.project(points[0], points[2]), (scale, 0), rtol=1e-15)
    np.testing.assert_allclose(g.project(points[0], (0, 1 / scale)), (0, 3 * scale), rtol=1e-15)
    assert g.point_in_circle(points[0], (0, 0), 4 * scale)
    assert not g.point_in_circle(points[0], (0, 0), 3 * scale)


@given(point_lists(2))
def test_projections_by_rational_arithmetic(points):
    v, onto = map(exact, points)
    if onto == (0, 0):
        expected = (0, 0)
    else:
        t = dot(v, onto) / dot(onto, onto)
        expected = (t * onto[0], t * onto[1])
    found = g.project(*points)
    error = max(abs(float(p - q)) for p, q in zip(exact(found), expected, strict=True))
    assert error <= 8 * EPSILON * largest(points[0])


# ---------------------------------------------------------------- helpers of the texts


@given(point_lists(3), st.floats(0, 8), st.sampled_from(SCALES))
def test_a_shot_at_the_aim_arrives_with_the_target(points, speed, scale):
    shooter, target, velocity = points
    speed *= scale
    aim = g.lead_target(shooter, target, velocity, speed)
    offset, pace = target - shooter, max(np.hypot(*velocity), speed)
    if pace == 0:
        assert aim is None or (aim == target).all()
        return
    velocity, speed = velocity / pace, speed / pace
    if aim is None:
        # The shot is always behind: |offset + velocity t| stays above speed t.
        times = np.concatenate([np.linspace(0, 100, 5001), np.geomspace(100, 1e9, 100)])
        times *= np.hypot(*offset)
        gaps = np.hypot(*(offset[:, None] + velocity[:, None] * times))
        assert (gaps >= speed * times * (1 - 1e-9)).all()
        return
    distance, gone = np.hypot(*(aim - shooter)), np.hypot(*(aim - target))
    # time of the shot and time of the target: distance / speed = gone / |velocity|
    slack = 1e-6 * max(distance, gone, np.hypot(*offset)) + 64 * EPSILON * largest(shooter, target)
    assert abs(distance * np.hypot(*velocity) - gone * speed) <= slack
    assert np.dot(aim - target, velocity) >= 0


def test_leading_a_target():
    np.testing.assert_allclose(g.lead_target((0, 0), (0, 4), (3, 0), 5), (3, 4), rtol=1e-15)
    np.testing.assert_allclose(g.lead_target((0, 0), (8, 0), (-1, 0), 1), (4, 0))  # equal speeds
    assert g.lead_target((0, 0), (8, 0), (1, 0), 1) is None
    assert g.lead_target((0, 0), (8, 0), (2, 0), 1) is None
    np.testing.assert_allclose(g.lead_target((0, 0), (8, 0), (-2, 0), 1), (8 / 3, 0))  # first
    np.testing.assert_array_equal(g.lead_target((1, 2), (1, 2), (5, 5), 0), (1, 2))
    np.testing.assert_allclose(g.lead_target((0, 0), (8, 0), (-2, 0), 0), (0, 0), atol=1e-15)
    assert g.lead_target((0, 0), (8, 0), (0, 0), 0) is None
    array = g.lead_target((0, 0), [(8, 0), (8, 0)], [(1, 0), (-1, 0)], 1)
    np.testing.assert_array_equal(array, [(np.nan, np.nan), (4, 0)])


@given(anywhere, anywhere)
def test_jumps_and_headings(x, y):
    assert g.heading((x, y)) == pytest.approx(np.arctan2(y + 0.0, x + 0.0), rel=1e-15, abs=5e-324)
    height = min(abs(x), 1e100)
    v = g.jump_velocity(height, y if abs(y) < 1e100 else -9.81)
    gravity = abs(y) if abs(y) < 1e100 else 9.81
    assert v * v == pytest.approx(2 * gravity * height, rel=1e-14, abs=1e-300)


def test_the_jump_of_the_text():
    assert g.jump_velocity(2) == pytest.approx((2 * 9.81 * 2) ** 0.5, rel=1e-15)
    v, t, height = g.jump_velocity(3.0, -10), 0.0, 0.0
    while v > 0:  # thrown up, slowed by gravity
        height, v, t = height + v * 1e-5, v - 10e-5, t + 1e-5
    assert height == pytest.approx(3, abs=1e-4)


@given(st.floats(-1e6, 1e6))
def test_wrapped_angles_by_arctangent(angle):
    wrapped = g.wrap_angle(angle)
    assert -np.pi < wrapped <= np.pi
    expected = np.arctan2(np.sin(angle), np.cos(angle))
    assume(abs(expected) < 3.1415926)
    assert wrapped == pytest.approx(expected, rel=1e-15, abs=1e-15)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_wrapped_angles_point_the_same_way(angle):
    wrapped = g.wrap_angle(angle)
    assert -np.pi < wrapped <= np.pi
    assert g.wrap_angle(wrapped) == wrapped
    np.testing.assert_allclose(g.direction(wrapped), g.direction(angle), atol=1e-15)


def test_wrapped_angles_at_half_turns():
    assert g.wrap_angle(np.pi) == np.pi
    assert g.wrap_angle(-np.pi) == np.pi
    assert g.wrap_angle(1.25) == 1.25
    assert abs(g.wrap_angle([3 * np.pi, -3 * np.pi, 101 * np.pi])) == pytest.approx(np.pi)
    np.testing.assert_allclose(g.wrap_angle(2 * np.pi * np.arange(-9, 9)), 0, atol=1e-14)
