"""Explosions against formulas and Shapely."""

import gc

import numpy as np
import pytest
import shapely
from failing import fail_every_allocation
from hypothesis import given, settings
from hypothesis import strategies as st
from same_bits import BROAD_PHASES, check_same_bits
from scenes_for_tests import ground, mixed

import pyphys2d as p2

DT = 1 / 60
COMB = [(0, 0), (3, 0), (3, 1.5), (2, 0.4), (1.5, 1.5), (1, 0.4), (0, 1.5)]


@pytest.fixture
def world():
    return p2.World(gravity=(0, 0))


def test_a_box_in_front(world):
    box = world.add_body(p2.Box(1, 2), (4, 0), mass=2)
    rows = world.explode((1, 0), 3, 10)
    assert list(rows.dtype.fields) == [
        *("body", "collider", "distance", "point_x", "point_y", "impulse_x", "impulse_y"),
        *("point", "impulse"),
    ]
    assert (rows["body"][0], rows["collider"][0]) == (0, 0)
    assert rows["distance"][0] == pytest.approx(2.5)
    np.testing.assert_allclose(rows["impulse"], [(20, 0)], atol=1e-12)
    assert rows["point"][0, 0] == pytest.approx(3.5)
    assert abs(rows["point"][0, 1]) <= 1
    np.testing.assert_allclose(box.velocity, (10, 0), atol=1e-12)


@pytest.mark.parametrize(("distance", "part"), [(1, 1), (2, 1), (3, 0.75), (5, 0.25), (6, 0)])
def test_the_impulse_falls_off_evenly(world, distance, part):
    ball = world.add_body(p2.Circle(0.5), (0, distance + 0.5), mass=1)
    rows = world.explode((0, 0), 2, 6, 4)
    assert len(rows) == (part > 0)
    np.testing.assert_allclose(ball.velocity, (0, 6 * 1.0 * part), atol=1e-12)


def test_without_falloff_the_edge_of_the_circle_counts(world):
    world.add_body(p2.Circle(0.5), (3.5, 0))
    assert len(world.explode((0, 0), 3, 1)) == 1
    assert len(world.explode((0, 0), 2.999, 1)) == 0
    assert len(world.explode((0, 0), 0, 1)) == 0


@settings(max_examples=60, deadline=None)
@given(
    pose=st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-3, 3)),
    radius=st.floats(0, 4),
    falloff=st.floats(0, 4),
    impulse=st.floats(-9, 9),
)
def test_a_concave_shape_against_shapely(pose, radius, falloff, impulse):
    world = p2.World(gravity=(0, 0))
    body = world.add_body(p2.Polygon(COMB), pose[:2], pose[2], density=2)
    outline = shapely.Polygon(body.to_world(COMB))
    center = shapely.Point(0.5, -0.25)
    distance = outline.distance(center)
    mass_center = body.to_world(body.center_of_mass)
    rows = world.explode((0.5, -0.25), radius, impulse, falloff)
    if distance > radius + falloff or (distance > radius and distance == radius + falloff):
        assert len(rows) == 0
        return
    if distance < 1e-6:
        return
    assert len(rows) == 1
    row = rows[0]
    assert row["distance"] == pytest.approx(distance, abs=1e-9)
    point = row["point"]
    assert outline.boundary.distance(shapely.Point(point)) < 1e-9
    way = (point - (0.5, -0.25)) / distance
    across = np.array([-way[1], way[0]])
    extent = (np.array(outline.exterior.coords) - (0.5, -0.25)) @ across
    reach = radius + falloff
    width = max(min(extent.max(), reach) - max(extent.min(), -reach), 0)
    part = 1 if distance <= radius else 1 - (distance - radius) / falloff
    expected = impulse * part * width * way
    np.testing.assert_allclose(row["impulse"], expected, atol=1e-6)
    np.testing.assert_allclose(body.velocity, row["impulse"] / body.mass, atol=1e-12)
    arm = point - mass_center
    turn = (arm[0] * row["impulse"][1] - arm[1] * row["impulse"][0]) / body.inertia
    assert body.angular_velocity == pytest.approx(turn, abs=1e-9)


def test_a_long_wall_feels_only_what_is_in_reach(world):
    wall = world.add_body(p2.Box(200, 1), (0, 2.5), mass=1)
    world.explode((0, 0), 3, 5, 1)
    np.testing.assert_allclose(wall.velocity, (0, 5 * 8), atol=1e-9)


def test_off_the_middle_it_turns(world):
    box = world.add_body(p2.Box(2, 2), (3, 0.9), mass=3)
    world.explode((0, 0), 5, 1)
    assert box.angular_velocity > 0
    stiff = world.add_body(p2.Box(2, 2), (-3, 1.5), 0.3, fixed_rotation=True)
    world.explode((0, 0), 5, 1, mask=1)
    assert stiff.angular_velocity == 0
    assert stiff.velocity[0] < 0


def test_inside_of_a_body(world):
    """Towards the centroid, at the center; nothing when both are one."""
    box = world.add_body(p2.Box(4, 2), (0, 0), mass=1)
    rows = world.explode((-1, 0), 3, 2)
    assert rows["distance"][0] == 0
    np.testing.assert_array_equal(rows["point"][0], (-1, 0))
    np.testing.assert_allclose(box.velocity, (4, 0), atol=1e-12)
    assert box.angular_velocity == pytest.approx(0)
    rows = world.explode((0, 0), 3, 2)
    np.testing.assert_array_equal(rows["impulse"], [(0, 0)])


def test_a_ring_of_balls_flies_apart_evenly(world):
    angles = np.arange(24) / 24 * 2 * np.pi
    places = np.column_stack([7 + 3 * np.cos(angles), 3 * np.sin(angles) - 2])
    slots = world.add_bodies(p2.Circle(0.2), places)
    rows = world.explode((7, -2), 1, 5, 10)
    np.testing.assert_array_equal(rows["body"], slots)
    assert np.abs(rows["impulse"].sum(0)).max() < 1e-9
    speed = np.linalg.norm(world.velocities, axis=1)
    np.testing.assert_allclose(speed, speed[0], rtol=1e-9)
    assert speed[0] > 1
    assert abs(world.angular_momentum((7, -2))) < 1e-9


def test_negative_draws_in(world):
    ball = world.add_body(p2.Circle(0.5), (3, 0), mass=1)
    world.explode((0, 0), 5, -2)
    np.testing.assert_allclose(ball.velocity, (-2, 0), atol=1e-12)


def test_who_is_left_alone(world):
    wall = world.add_body(p2.Box(1, 1), (1, 0), kind="static")
    lift = world.add_body(p2.Box(1, 1), (2, 0), kind="kinematic")
    ghost = world.add_body(p2.Box(1, 1), (3, 0), sensor=True)
    off = world.add_body(p2.Box(1, 1), (4, 0), enabled=False)
    other = world.add_body(p2.Box(1, 1), (5, 0), category=2)
    bare = world.add_body(None, (6, 0))
    hit = world.add_body(p2.Box(1, 1), (7, 0), category=5)
    rows = world.explode((0, 0), 50, 1, mask=4)
    np.testing.assert_array_equal(rows["body"], [hit.index])
    for body in (wall, lift, ghost, off, other, bare):
        np.testing.assert_array_equal(body.velocity, (0, 0))
    assert hit.velocity[0] > 0


def test_each_collider_counts(world):
    body = world.add_body([p2.Circle(0.5, (0, 1)), p2.Circle(0.5, (0, -1))], (3, 0), mass=2)
    rows = world.explode((0, 0), 10, 4)
    assert len(rows) == 2
    np.testing.assert_array_equal(rows["collider"], [c.index for c in body.colliders])
    np.testing.assert_allclose(body.velocity, rows["impulse"].sum(0) / 2, atol=1e-12)
    assert body.angular_velocity == pytest.approx(0, abs=1e-12)


def test_it_wakes_what_it_hits_and_what_leans_on_it():
    world = p2.World()
    ground(world)
    pile = [world.add_body(p2.Box(1, 1), (0, 0.5 + i)) for i in range(3)]
    far = world.add_body(p2.Box(1, 1), (20, 0.5))
    world.step(DT, n=240)
    assert not any(b.awake for b in (*pile, far))
    assert len(world.explode((-3, 2.6), 2.55, 4)) == 1
    assert all(b.awake for b in pile)
    assert not far.awake
    world.step(DT, n=30)
    assert pile[2].velocity[0] > 0.5


def test_it_sees_what_was_written_to_the_views(world):
    body = world.add_body(p2.Circle(0.5), (100, 0), mass=1)
    world.positions[body.index] = (0, 3)
    world.explode((0, 0), 5, 1)
    np.testing.assert_allclose(body.velocity, (0, 1), atol=1e-12)


def test_far_away_as_at_the_origin():
    motions = []
    for far in (0, 1e7):
        world = p2.World(gravity=(0, 0))
        body = world.add_body(p2.Box(1, 2), (far + 2, far + 1), 0.5)
        world.explode((far, far), 1, 3, 2)
        motions.append([*body.velocity, body.angular_velocity])
    np.testing.assert_allclose(*motions, atol=1e-7)


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        (((np.nan, 0), 1, 1), ValueError, "center"),
        (((0, 0), -1, 1), ValueError, "radius: must be between 0 and 1e\\+15, got -1"),
        (((0, 0), np.inf, 1), ValueError, "radius"),
        (((0, 0), 1, 1e16), ValueError, "impulse"),
        (((0, 0), 1, 1, -1), ValueError, "falloff"),
        (((0, 0), 1), TypeError, "impulse"),
        (((0, 0), "big", 1), TypeError, "radius"),
        (((0, 0), 1, 1, 1, 1), TypeError, "positional"),
        ((3, 1, 1), ValueError, "center"),
    ],
)
def test_bad_arguments_change_nothing(world, args, error, message):
    world.add_body(p2.Circle(1), (0.5, 0))
    before = world.hash()
    with pytest.raises(error, match=message):
        world.explode(*args)
    assert world.hash() == before


def test_numbers_beyond_reason(world):
    for place in ((0, 0), (1e15, 0), (-1e15, 1e15)):
        for density in (1e-20, 1e6):
            world.add_body(p2.Box(1, 1), place, density=density)
    for center in ((0, 0), (1e300, -1e300), (3, 1e308)):
        rows = world.explode(center, 1e15, 1e15, 1e15)
        assert np.isfinite(rows["impulse"]).all()
    world.step(DT)
    assert np.isfinite(world.velocities).all()


def test_an_empty_world_and_an_empty_answer(world):
    assert world.explode((0, 0), 1, 1).shape == (0,)
    body = world.add_body(p2.Circle(1), (9, 9), awake=False)
    before = world.hash()
    assert world.explode((0, 0), 1, 1).shape == (0,)
    assert world.hash() == before
    assert not body.awake


def test_the_answer_is_memory_of_its_own(world):
    world.add_body(p2.Circle(1), (2, 0))
    rows = world.explode((0, 0), 9, 1)
    copy = rows.copy()
    world.step(DT, n=9)
    del world
    gc.collect()
    np.testing.assert_array_equal(rows, copy)
    rows["impulse"] = 0


def test_the_same_bits_at_every_width_and_with_every_broad_phase():
    def run(**options):
        world = mixed(**options)
        for i in range(4):
            world.step(DT, n=15)
            world.explode((3 * i - 5, 1), 2, 3, 4)
        return world

    check_same_bits(run, others=BROAD_PHASES)


def test_every_allocation_may_fail():
    world, reference = mixed(), mixed()
    assert fail_every_allocation(world, lambda: world.explode((0, 1), 3, 4, 2)) > 0
    reference.explode((0, 1), 3, 4, 2)
    assert world.hash() == reference.hash()
