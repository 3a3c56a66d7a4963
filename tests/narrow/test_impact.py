"""Time of impact and casts: closed forms, ray casts, and distances at thousands of moments."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import convex, star

import pyphys2d as p2
import pyphys2d.geometry as g

STILL = (0.0, 0.0, 0.0)


def first_root(d, v, reach):
    """When |d + t v| first is `reach`, None when never in 0..1."""
    a, b, c = v @ v, d @ v, d @ d - reach * reach
    inside = b * b - a * c
    if c <= 0:
        return 0.0
    if inside < 0 or b >= 0:
        return None
    t = c / (-b + np.sqrt(inside))
    return t if t <= 1 else None


@settings(max_examples=150)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-3, 1.0, 1e5]),
    st.sampled_from([0.0, 5e-3, 1.0]),
    st.sampled_from([0.0, 1e8]),
)
def test_two_circles_by_the_quadratic_formula(seed, size, target, place):
    rng = np.random.default_rng(seed)
    ra, rb = size * rng.uniform(0.2, 2, 2)
    starts = place + size * rng.uniform(-6, 6, (2, 2))
    ends = place + size * rng.uniform(-6, 6, (2, 2))
    d = starts[1] - starts[0]
    v = ends[1] - ends[0] - d
    result = g.time_of_impact(
        p2.Circle(ra),
        p2.Circle(rb),
        (*starts[0], rng.uniform(-9, 9)),  # turning changes nothing
        (*ends[0], rng.uniform(-9, 9)),
        (*starts[1], 0),
        (*ends[1], 0),
        target,
    )
    expected = first_root(d, v, ra + rb + target)
    slack = 5e-14 * size + 2e-15 * place + 1e-9 * target
    if expected is None:
        nearest = d + np.clip(-(d @ v) / (v @ v), 0, 1) * v
        assert not result.hit or np.hypot(*nearest) - ra - rb - target < slack
        return
    if not result.hit:  # it only grazes
        nearest = d + np.clip(-(d @ v) / (v @ v), 0, 1) * v
        assert np.hypot(*nearest) - ra - rb - target > -slack
        return
    at = d + result.fraction * v
    if expected > 0:
        assert np.hypot(*at) - ra - rb == pytest.approx(target, abs=slack)
        np.testing.assert_allclose(result.normal, at / np.hypot(*at), atol=1e-7)
    # Never later than the truth.
    assert result.fraction <= expected * (1 + 4e-15) + slack / max(np.hypot(*v), slack)


@pytest.mark.parametrize("turns", [0.1, 1, 3, 100])
@pytest.mark.parametrize("way", [1, -1])
def test_a_spinning_bar_meets_a_ball_at_the_arcsine(turns, way):
    rng = np.random.default_rng(int(10 * turns))
    for _ in range(20):
        far, angle = rng.uniform(0.5, 1.9), rng.uniform(0.3, 0.6)
        radius, target = rng.uniform(0.01, 0.1), 0.005
        ball = p2.Circle(radius, (far * np.cos(angle), way * far * np.sin(angle)))
        # The bar, without thickness, goes round on one end.
        bar = p2.Segment((0, 0), (2, 0))
        turn = way * 2 * np.pi * turns
        result = g.time_of_impact(bar, ball, STILL, (0, 0, turn), STILL, STILL)
        expected = (angle - np.arcsin((radius + target) / far)) / abs(turn)
        assert result.hit
        assert result.fraction == pytest.approx(expected, abs=3e-9 * target / abs(turn) + 1e-13)
        assert result.normal @ (-np.sin(angle), way * np.cos(angle)) > 0


def test_a_bar_that_spins_fast_beside_a_slow_ball():
    # The ball comes into the bar's circle at half the time and is hit within half a turn.
    bar, ball = p2.Box(4, 0.02), p2.Circle(0.05)
    turns = 500
    result = g.time_of_impact(bar, ball, STILL, (0, 0, 2 * np.pi * turns), (4.05, 0, 0), STILL)
    reach = np.hypot(2, 0.01) + 0.05 + 0.005
    begins = 1 - reach / 4.05
    assert begins <= result.fraction <= begins + 0.5 / turns
    # Beside the circle it may spin for ever.
    away = reach + 1e-3
    assert not g.time_of_impact(
        bar, ball, STILL, (0, 0, 1e7), (away, 1, 0), (away, -1, 0), target=0.005
    )


def test_a_spin_beyond_measure_ends_and_is_not_late():
    bar, ball = p2.Box(4, 0.02), p2.Circle(0.05)
    assert g.time_of_impact(bar, ball, STILL, (0, 0, 1e200), (1, 0, 0), STILL).fraction == 0
    for turn in (1e9, -1e15, 1e200):
        result = g.time_of_impact(bar, ball, STILL, (0, 0, turn), (3, 0, 0), (1, 0, 0))
        if result.hit:
            assert result.fraction <= 0.55
            assert np.isfinite(result.point).all()


SPINS = [3e3, -1e5, 1e7, -1e10, 1e15, 1e50, 1e120]


@pytest.mark.parametrize("spin", SPINS)
def test_a_spin_has_a_bounded_number_of_rounds_and_its_hit_is_within_the_ring(spin):
    # The bar sweeps the ring from 1 to 2 m: the ball is hit not before it comes into that, and
    # not after it has been in for a whole turn.
    bar, ball, target = p2.Segment((1, 0), (2, 0)), p2.Circle(0.05), 0.005
    for to in ((1.5, 0, 0), (0, 0, 0), (-1.2, 0.5, 0)):
        trace = g.toi(bar, ball, STILL, (0, 0, spin), (3, 0, 0), to, target=target)
        way = np.subtract(to, (3, 0, 0))[:2]
        begins = np.roots([way @ way, 6 * way[0], 9 - (2 + 0.05 + target) ** 2]).min()
        assert len(trace.fractions) <= 1100
        assert trace.hit
        assert begins - 1e-12 <= trace.fractions[-1] <= begins + 2 * np.pi / abs(spin) + 1e-12


@pytest.mark.parametrize("spin", SPINS)
@pytest.mark.parametrize("both", [False, True])
def test_what_stays_in_the_hole_of_a_ring_is_not_hit(spin, both):
    bar, ball = p2.Segment((1, 0), (2, 0)), p2.Circle(0.05)
    turn = spin if both else 0
    inside = g.toi(bar, ball, STILL, (0, 0, spin), (-0.9, 0, 0), (0.9, 0.1, turn))
    assert len(inside.fractions) <= 1100
    assert not inside.hit
    leaves = g.time_of_impact(bar, ball, STILL, (0, 0, spin), (0, 0, 0), (0, 1.9, turn), target=0)
    assert leaves.hit
    # Not later than when it is in with all of itself.
    assert 0.95 / 1.9 - 1e-9 <= leaves.fraction <= (0.95 + 0.1) / 1.9
    swapped = g.time_of_impact(ball, bar, (0, 0, 0), (0, 1.9, turn), STILL, (0, 0, spin), target=0)
    assert swapped.fraction == pytest.approx(leaves.fraction, rel=1e-6)


def test_shapes_of_many_pieces_share_the_rounds():
    # 200 pieces in the hole of the bar's ring, each of which would use up all rounds.
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    bar = p2.Segment((1, 0), (2, 0))
    rim = p2.Chain(0.95 * np.stack([np.cos(angle), np.sin(angle)], axis=1), loop=True)

    def cost(spin):
        start = time.process_time()
        assert not g.time_of_impact(bar, rim, STILL, (0, 0, spin), (-0.01, 0, 0), (0.01, 0, 0))
        return time.process_time() - start

    cost(3)
    assert cost(1e9) < 200 * max(cost(3), 1e-3)


def shapes_of_all_kinds(rng):
    p, q = rng.uniform(-1, 1, (2, 2))
    ring = convex(rng, int(rng.integers(3, 9)))
    radius = rng.uniform(0.05, 0.5)
    return [
        p2.Circle(radius, p),
        p2.Capsule(p, q, radius),
        p2.Segment(p, q),
        p2.Polygon(ring),
        p2.Polygon(ring, radius=radius),
        p2.Polygon([(-2, 0), (2, -0.001), (2, 0.001)]),
        p2.Polygon(star(rng, int(rng.integers(5, 20)))),
        p2.Chain(np.cumsum(rng.uniform(-0.5, 1, (12, 2)), axis=0)),
    ]


@pytest.mark.fast_cases(16)
@pytest.mark.parametrize("seed", range(40))
def test_against_distances_at_many_moments(seed):
    rng = np.random.default_rng(seed)
    many_a, many_b = shapes_of_all_kinds(rng), shapes_of_all_kinds(rng)
    t = np.linspace(0, 1, 2001)[:, None]
    hits = 0
    for a in rng.permutation(np.array(many_a))[:3]:
        for b in many_b:
            start_a, end_a, start_b, end_b = np.column_stack(
                [rng.uniform(-4, 4, (4, 2)), rng.uniform(-8, 8, 4)]
            )
            target = rng.choice([1e-4, 0.005, 0.3])
            result = g.time_of_impact(a, b, start_a, end_a, start_b, end_b, target)
            poses_a, poses_b = start_a + t * (end_a - start_a), start_b + t * (end_b - start_b)
            gaps = g.distance(a, b, poses_a, poses_b)["distance"]
            if not result.hit:
                assert (gaps > target).all()
                continue
            hits += 1
            f = result.fraction
            assert (gaps[t[:, 0] < f] > target).all()
            pose_a, pose_b = start_a + f * (end_a - start_a), start_b + f * (end_b - start_b)
            now = g.distance(a, b, pose_a, pose_b)
            if f > 0:
                assert now.distance == pytest.approx(target, abs=1e-9 * target + 1e-13)
                # Further on it is closer, or it only grazed.
                np.testing.assert_allclose(
                    result.point, 0.5 * (now.point_a + now.point_b), atol=1e-8
                )
                assert np.hypot(*result.normal) == pytest.approx(1, rel=1e-12)
            else:
                assert gaps[0] <= target * (1 + 1e-8)
    assert hits > 2


@pytest.mark.parametrize("seed", range(20))
def test_the_names_exchanged_and_the_frame_moved_change_nothing(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.permutation(np.array(shapes_of_all_kinds(rng)))[:2]
    poses = np.column_stack([rng.uniform(-3, 3, (4, 2)), rng.uniform(-3, 3, 4)])
    here = g.time_of_impact(a, b, *poses)
    back = g.time_of_impact(b, a, *poses[[2, 3, 0, 1]])
    drift = np.array([[1e4, -3e3, 0]] * 4)
    drift[[1, 3]] += (5e2, 7e2, 0)  # both fly along together
    there = g.time_of_impact(a, b, *(poses + drift))
    assert here.hit == back.hit == there.hit
    if here.hit:
        assert back.fraction == pytest.approx(here.fraction, abs=1e-9)
        assert there.fraction == pytest.approx(here.fraction, abs=1e-8)
        np.testing.assert_allclose(back.normal, -here.normal, atol=1e-6)


def test_what_is_close_at_the_start_hits_at_once():
    box, ball = p2.Box(2, 2), p2.Circle(1)
    for x in (0, 1.5, 2, 2.004):  # deep, overlapping, touching, closer than the target
        result = g.time_of_impact(box, ball, STILL, STILL, (x, 0, 0), (9, 0, 3))
        assert (result.hit, result.fraction) == (True, 0)
    np.testing.assert_array_equal(g.time_of_impact(box, box, *[STILL] * 4).normal, (0, 0))
    assert not g.time_of_impact(box, ball, STILL, STILL, (2.006, 0, 0), (9, 0, 3))


def test_what_does_not_move_hits_at_once_or_never():
    box, ball = p2.Box(2, 2), p2.Circle(1)
    near, far = (2.001, 0, 1.0), (2.1, 0, 1.0)
    assert g.time_of_impact(box, ball, STILL, STILL, near, near).fraction == 0
    result = g.time_of_impact(box, ball, STILL, STILL, far, far)
    assert not result
    assert result.hit is False
    assert np.isnan([result.fraction, *result.point, *result.normal]).all()
    assert not g.time_of_impact(box, box, (0, 0, 0), (5, 5, 0), (4, 0, 0), (9, 5, 0))


def test_touching_at_the_very_end_counts():
    ball = p2.Circle(0.5)
    for end in (1.0, 1.005):
        result = g.time_of_impact(ball, ball, STILL, STILL, (5, 0, 0), (end, 0, 0))
        assert result.hit
        assert result.fraction == pytest.approx(min(1, (5 - 1.005) / (5 - end)), rel=1e-12)
    assert not g.time_of_impact(ball, ball, STILL, STILL, (5, 0, 0), (1.00501, 0, 0))


def test_face_to_face_at_the_exact_moment():
    a, b = p2.Box(2, 2), p2.Box(1, 1)
    result = g.time_of_impact(a, b, STILL, STILL, (5.5, 0.25, 0), (-2.5, 0.25, 0), target=0)
    assert result.fraction == pytest.approx(0.5, rel=1e-12)
    np.testing.assert_allclose(result.normal, (1, 0), atol=1e-12)
    assert result.point[0] == pytest.approx(1, rel=1e-12)
    corner = g.time_of_impact(a, b, STILL, STILL, (5, 0, np.pi / 4), (-3, 0, np.pi / 4), target=0)
    assert corner.fraction == pytest.approx((5 - 1 - np.sqrt(0.5)) / 8, rel=1e-12)


@pytest.mark.parametrize("place", [1e8, -1e8])
def test_far_from_the_origin_only_the_last_digits_are_lost(place):
    a, b = p2.Box(2, 2), p2.Box(1, 1)
    way = (place, place, 0), (place, place, 0), (place + 5.5, place, 0), (place - 2.5, place, 3)
    near = g.time_of_impact(a, b, STILL, STILL, (5.5, 0, 0), (-2.5, 0, 3))
    far = g.time_of_impact(a, b, *way)
    assert far.fraction == pytest.approx(near.fraction, abs=1e-8)
    across = g.time_of_impact(p2.Circle(1), a, (-1e8, 0, 0), (1e8, 0, 0), STILL, STILL)
    assert across.fraction == pytest.approx(0.5 - 2.005 / 2e8, abs=1e-15)
    assert not g.time_of_impact(a, b, STILL, STILL, (-1e300, 0, 0), (1e300, 0, 0))


@pytest.mark.parametrize("length", [1e140, 0.99e150, 1e150, 1e155, 1e300, 1.79e308])
def test_motions_of_any_length(length):
    ball, far = p2.Circle(1), (length, 0, 0)
    wall, u = p2.Box(0.25, 20), p2.Polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)])
    for a, b, reach in ((wall, ball, 1.125), (ball, wall, 1.125), (wall, u, 2.125)):
        cast = g.cast_shape(a, b, STILL, (-5, 0, 0), (length, 0))
        assert cast.fraction * length == pytest.approx(5 - reach, rel=1e-12)
        # Both in the way of each other, and a follower that is twice as fast.
        for to_a, speed in (((-length, 0, 0), 2), ((0.5 * length, 0, 0), 0.5)):
            impact = g.time_of_impact(a, b, STILL, to_a, (-5, 0, 0), far, target=0.5)
            assert speed * impact.fraction * length == pytest.approx(4.5 - reach, rel=1e-12)
        assert not g.time_of_impact(a, b, STILL, STILL, (-5, 0, 0), (-length, 0, 0))
        assert not g.cast_shape(a, b, STILL, (-5, 20, 0), (length, 0))
    # A turn of 3 on so long a way is none until they meet.
    turning = g.time_of_impact(wall, u, STILL, STILL, (-5, 0, 0), (length, 0, 3), target=0)
    assert turning.fraction * length == pytest.approx(5 - 2.125, rel=1e-12)
    trace = g.toi(wall, ball, STILL, STILL, (-5, 0, 0), far)
    assert trace.fractions[-1] == trace.fraction


def test_tiny_motions():
    a, b = p2.Box(2, 2), p2.Box(1, 1)
    start = 1.5 + 0.005 + 4e-9
    result = g.time_of_impact(a, b, STILL, STILL, (start, 0, 0), (start - 1e-8, 0, 0))
    assert result.fraction == pytest.approx(0.4, abs=1e-3)
    short = g.cast_shape(a, b, STILL, (1.5 + 4e-9, 0, 0), (-1e-8, 0))
    assert short.fraction == pytest.approx(0.4, abs=1e-6)


# ---------------------------------------------------------------------------- casts


@pytest.mark.fast_cases(20)
@pytest.mark.parametrize("seed", range(60))
def test_a_cast_ball_is_a_ray_against_what_is_rounder(seed):
    rng = np.random.default_rng(seed)
    ring, radius = convex(rng, int(rng.integers(3, 9))), rng.uniform(0.05, 1)
    pose = np.append(rng.uniform(-1, 1, 2), rng.uniform(-4, 4))
    origin, translation = rng.uniform(-4, 4, 2), rng.uniform(-8, 8, 2)
    result = g.cast_shape(p2.Polygon(ring), p2.Circle(radius), pose, (*origin, 0), translation)
    world = p2.World()
    world.add_body(p2.Polygon(ring, radius=radius), pose[:2], pose[2], kind="static")
    hit = world.cast_ray(origin, translation)
    assert result.hit == (hit is not None)
    if hit is not None and hit.fraction > 0:
        assert result.fraction == pytest.approx(hit.fraction, abs=1e-11)
        np.testing.assert_allclose(result.normal, hit.normal, atol=1e-6)
        np.testing.assert_allclose(result.point, hit.point - radius * hit.normal, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_casts_end_where_shapes_touch(seed):
    rng = np.random.default_rng(100 + seed)
    shapes = shapes_of_all_kinds(rng)
    a, b = np.array(shapes)[:, None], np.array(shapes)[None, :]
    start = np.append(rng.uniform(-4, 4, 2), rng.uniform(-3, 3))
    way = rng.uniform(-9, 9, 2)
    rows = g.cast_shape(a, b, STILL, start, way)
    assert rows.shape == (8, 8)
    for i, k in np.ndindex(8, 8):
        row = rows[i, k]
        if row["fraction"] == 0:
            assert g.distance(shapes[i], shapes[k], STILL, start).distance < 1e-12
            continue
        t = np.linspace(0, row["fraction"] if row["hit"] else 1, 500)[:-1]
        poses = start + np.column_stack([np.outer(t, way), 0 * t])
        assert (g.distance(shapes[i], shapes[k], STILL, poses)["distance"] > 0).all()
        if row["hit"]:
            end = (*(start[:2] + row["fraction"] * way), start[2])
            assert g.distance(shapes[i], shapes[k], STILL, end).distance < 1e-12


def test_a_cast_along_a_wall_it_does_not_touch():
    wall, box = p2.Box(20, 1), p2.Box(1, 1)
    assert not g.cast_shape(wall, box, STILL, (-8, 1 + 1e-9, 0), (16, 0))
    assert g.cast_shape(wall, box, STILL, (-8, 1, 0), (16, 0)).fraction == 0  # touches


# ------------------------------------------------------- as continuous collision asks


@pytest.mark.parametrize("seed", range(30))
def test_a_motion_about_any_point(seed):
    testing = pytest.importorskip("pyphys2d._testing")
    rng = np.random.default_rng(seed)
    rings = [star(rng, 9), convex(rng, 5)]
    sweeps = [
        np.concatenate([rng.uniform(-2, 2, 2), rng.uniform(-4, 4, 4), rng.uniform(-5, 5, 2)])
        for _ in range(2)
    ]
    hit, fraction, point, normal = testing.impact(
        rings[0], sweeps[0], rings[1], sweeps[1], 0.005, 1.0
    )

    def pose(sweep, t):
        angle = sweep[6] + t * sweep[7]
        center = sweep[2:4] + np.multiply.outer(t, sweep[4:6] - sweep[2:4])
        cos, sin = np.cos(angle), np.sin(angle)
        x, y = sweep[:2]
        arm = np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
        return np.concatenate([center - arm, np.expand_dims(angle, -1)], axis=-1)

    a, b = (p2.Polygon(ring) for ring in rings)
    t = np.linspace(0, fraction, 2000)
    gaps = g.distance(a, b, pose(sweeps[0], t), pose(sweeps[1], t))["distance"]
    if fraction == 0:
        assert hit
        assert gaps[0] <= 0.005 * (1 + 1e-8)
        return
    assert (gaps[:-1] > 0.005).all()
    if hit:
        assert gaps[-1] == pytest.approx(0.005, abs=1e-10)
        at = g.distance(a, b, pose(sweeps[0], fraction), pose(sweeps[1], fraction))
        np.testing.assert_allclose(point, 0.5 * (at.point_a + at.point_b), atol=1e-8)
        np.testing.assert_allclose(normal, at.normal, atol=1e-6)
    else:
        assert fraction == 1


def test_only_part_of_a_motion():
    testing = pytest.importorskip("pyphys2d._testing")
    box = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    still, moving = np.zeros(8), (0, 0, 6, 0, -4, 0, 0, 0)
    for limit, expected in ((0.3, (False, 1.0)), (0.41, (True, 0.3995)), (0.3995, (True, 0.3995))):
        hit, fraction, _, normal = testing.impact(box, still, box, moving, 0.005, limit)
        assert hit == expected[0]
        assert fraction == pytest.approx(expected[1], rel=1e-9)
        assert not hit or normal == (1, 0)
