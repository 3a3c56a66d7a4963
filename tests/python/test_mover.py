"""Character movers: speeds, steps, slopes and platforms by their formulas; never through, never
in anything.
"""

import copy
import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pyphys2d as p2
from pyphys2d import scenes
from pyphys2d._move import _nearest

DT = 1 / 60
G = 9.81
RADIUS = 0.3
SKIN = 0.01
CAPSULE = p2.Capsule((0, RADIUS), (0, 1.5), RADIUS)  # 1.8 m, its feet at the position


def walk(mover, speed, steps, world=None):
    """Walks, and falls where there is no ground."""
    for _ in range(steps):
        if world is not None:
            world.step(DT)
        fall = 0 if mover.grounded else mover.velocity[1] - G * DT
        mover.move((speed, fall), DT)


def on_floor(x=0.0, y=SKIN, **options):
    world = p2.World(gravity=(0, -G))
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    mover = p2.CharacterMover(world, CAPSULE, (x, y), **options)
    mover.move((0, 0), DT)
    return world, mover


def ramp(degrees):
    """Flat, then up from x = 0."""
    world = p2.World(gravity=(0, -G))
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    world.add_body(p2.Chain([(-40, 0), (0, 0), (60 * c, 60 * s)]), kind="static")
    return world, np.array([c, s])


def gap(mover, **options):
    pose = (*mover.position, 0)
    rows = mover.world.distances(mover.capsule, poses=pose, **options)
    return rows["distance"][0]


# ------------------------------------------------------------------ slopes


@pytest.mark.parametrize("degrees", [0, 5, 15, 30, 45])
@pytest.mark.parametrize("speed", [0.3, 4.0, 15.0])
def test_speed_along_slopes_is_the_speed_given(degrees, speed):
    world, along = ramp(degrees)
    mover = p2.CharacterMover(world, CAPSULE, (-1, SKIN))
    mover.move((0, 0), DT)
    walk(mover, speed, int(3 / (speed * DT)))
    before = mover.position
    walk(mover, speed, 30)
    np.testing.assert_allclose(mover.position - before, 0.5 * speed * along, atol=1e-9)
    np.testing.assert_allclose(mover.velocity, speed * along, atol=1e-9)
    np.testing.assert_allclose(mover.ground.normal, [-along[1], along[0]], atol=1e-9)
    assert gap(mover) == pytest.approx(SKIN, rel=1e-3)
    # and down again, without leaving the ground
    before = mover.position
    walk(mover, -speed, 30)
    np.testing.assert_allclose(mover.position - before, -0.5 * speed * along, atol=1e-9)
    assert mover.grounded


def test_standing_on_a_slope_is_standing():
    world, _ = ramp(40)
    mover = p2.CharacterMover(world, CAPSULE, (3, 4))
    walk(mover, 0, 60)
    assert mover.grounded
    before = mover.position
    walk(mover, 0, 600)
    np.testing.assert_allclose(mover.position, before, atol=1e-12)


def test_landing_on_a_slope_keeps_the_speed_across():
    world, along = ramp(40)
    mover = p2.CharacterMover(world, CAPSULE, (3, 5), velocity=(2, -6))
    while not mover.grounded:
        before = mover.position
        mover.move(mover.velocity - (0, G * DT), DT)
    assert mover.position[0] - before[0] == pytest.approx(2 * DT, abs=0.02)  # did not slide
    assert mover.velocity == pytest.approx(2 * along)


def test_the_velocity_along_a_slope_is_no_jump():
    world, along = ramp(40)
    for sign in (1, -1):
        mover = p2.CharacterMover(world, CAPSULE, (9, 9))
        walk(mover, 0, 60)
        mover.move((sign * 3, 0), DT)
        for _ in range(60):
            before = mover.position
            mover.move(mover.velocity, DT)
            assert mover.grounded
            assert mover.position - before == pytest.approx(sign * 3 * DT * along)


@pytest.mark.parametrize("limit", [0.3, 0.8, 1.2])
@pytest.mark.parametrize("off", [-0.01, 0.01])
def test_slopes_up_to_the_steepest_are_climbed(limit, off):
    world, along = ramp(np.degrees(limit + off))
    mover = p2.CharacterMover(world, CAPSULE, (-2, SKIN), max_slope_angle=limit)
    walk(mover, 4, 120)
    if off < 0:
        assert mover.position[0] > 0.2
        assert mover.velocity == pytest.approx(4 * along)
    else:
        assert mover.position[0] < 0
        assert mover.position[1] < 0.05
        assert mover.velocity == pytest.approx((0, 0), abs=1e-9)


def test_steep_slopes_are_slid_down_as_without_friction():
    degrees = 60
    world, along = ramp(degrees)
    normal = np.array([-along[1], along[0]])
    # the lower core of the capsule at the radius and the skin from the slope
    start = 20 * along + (RADIUS + SKIN) * normal - np.array([0, RADIUS])
    mover = p2.CharacterMover(world, CAPSULE, start)
    steps = 60
    for _ in range(steps):
        mover.move(mover.velocity - (0, G * DT), DT)
        assert not mover.grounded
    pull = G * np.sin(np.radians(degrees))
    assert mover.velocity == pytest.approx(-pull * steps * DT * along)
    way = pull * DT**2 * steps * (steps + 1) / 2
    assert mover.position == pytest.approx(start - way * along, abs=1e-3)


def test_steep_slopes_are_not_climbed_from_the_air():
    world, _ = ramp(60)
    mover = p2.CharacterMover(world, CAPSULE, (-1, 2), velocity=(4, 0))
    highest = 2.0
    for _ in range(200):
        mover.move((4, mover.velocity[1] - G * DT) if not mover.grounded else (4, 0), DT)
        highest = max(highest, mover.position[1])
    assert highest <= 2
    assert mover.position[1] < 0.05


# ------------------------------------------------------------------ steps


@pytest.mark.fast_cases(16)
@pytest.mark.parametrize("step", [0.1, 0.25, 0.5, 0.7])
@pytest.mark.parametrize("speed", [0.4, 4.0])
@pytest.mark.parametrize("off", [-0.002, 0.002])
@pytest.mark.parametrize("beside", [0, 3])
def test_the_highest_step(step, speed, off, beside):
    height = step + off
    world, mover = on_floor(-0.6, step_height=step, max_slope_angle=0.3)
    if beside:  # the capsule is not about the position
        shape = p2.Capsule((beside, RADIUS), (beside, 1.5), RADIUS)
        mover = p2.CharacterMover(
            world, shape, (-0.6 - beside, SKIN), step_height=step, max_slope_angle=0.3
        )
        mover.move((0, 0), DT)
    world.add_body(p2.Box(10, height), (5, height / 2), kind="static")
    highest = 0.0
    for _ in range(int(2.5 / (speed * DT))):
        mover.move((speed, 0), DT)
        highest = max(highest, mover.position[1])
        assert mover.grounded
        assert gap(mover) > 0.5 * SKIN
    if off < 0:
        assert mover.position[0] > 0.5 - beside
        assert mover.position[1] == pytest.approx(height + SKIN, abs=1e-4)
        walk(mover, -speed, int(4 / (speed * DT)))
        assert mover.position[0] < -0.5 - beside
    else:
        assert mover.position[0] < -beside
        assert highest < 0.05


def test_stairs_up_and_down_without_leaving_the_ground():
    world = p2.World()
    for k in range(10):
        width = 0.4 if k < 9 else 8
        place = (0.4 * k - 0.2 + width / 2, 0.1 * k - 0.5)
        world.add_body(p2.Box(width, 0.2 * k + 1), place, kind="static")
    world.add_body(p2.Box(10, 1), (-5.2, -0.5), kind="static")
    mover = p2.CharacterMover(world, CAPSULE, (-2, SKIN))
    mover.move((0, 0), DT)
    for speed, steps in ((3, 200), (-3, 300)):
        for _ in range(steps):
            mover.move((speed, 0), DT)
            assert mover.grounded
            assert gap(mover) > 0.5 * SKIN
        if speed > 0:
            assert mover.position[1] == pytest.approx(1.8 + SKIN, abs=1e-3)
    assert mover.position[1] == pytest.approx(SKIN, abs=1e-3)


def test_a_low_ceiling_above_a_step_stops():
    world, mover = on_floor(-1)
    world.add_body(p2.Box(10, 0.2), (5, 0.1), kind="static")
    world.add_body(p2.Box(10, 1), (4, 1.9 + 0.5), kind="static")  # 1.7 m above the step
    walk(mover, 4, 60)
    assert mover.position[0] < 0  # on the edge at best, with the head at the ceiling
    assert mover.position[1] < 0.1
    assert gap(mover) > 0.5 * SKIN


def test_the_ground_is_kept_up_to_the_snap_distance():
    for drop, kept in ((0.19, True), (0.21, False)):
        world = p2.World()
        world.add_body(p2.Box(10, 1), (-5, -0.5), kind="static")
        world.add_body(p2.Box(10, 1), (5, -0.5 - drop), kind="static")
        mover = p2.CharacterMover(
            world, CAPSULE, (-0.5, SKIN), snap_distance=0.2, step_height=0, max_slope_angle=0.05
        )
        mover.move((0, 0), DT)
        mover.move((60, 0), DT)  # a metre at once
        assert mover.grounded == kept
        assert mover.position == pytest.approx((0.5, SKIN - drop if kept else SKIN), abs=1e-6)


def test_seams_between_tiles_are_not_felt():
    world = p2.World()
    for k in range(40):
        world.add_body(p2.Box(1, 1), (k, -0.5), kind="static")
    mover = p2.CharacterMover(world, CAPSULE, (0, SKIN))
    mover.move((0, 0), DT)
    for k in range(1, 300):
        mover.move((6, 0), DT)
        assert mover.position == pytest.approx((6 * DT * k, SKIN), abs=1e-9)


# ------------------------------------------------------------------ platforms


def test_carried_by_a_platform_that_moves():
    world = p2.World(gravity=(0, -G))
    lift = world.add_body(p2.Box(4, 1), (0, -0.5), kind="kinematic", velocity=(1.5, 0.7))
    mover = p2.CharacterMover(world, CAPSULE, (1, SKIN))
    mover.move((0, 0), DT)
    for step in range(200):
        if step == 100:
            lift.velocity = (-2, -1.1)
        world.step(DT)
        mover.move((0, 0), DT)
        assert mover.grounded
        assert mover.position - lift.position == pytest.approx((1, 0.5 + SKIN), abs=1e-9)
        assert mover.velocity == pytest.approx(lift.velocity)
        assert mover.ground.velocity == pytest.approx(lift.velocity)


def test_walking_on_a_platform_is_relative_to_it():
    world = p2.World(gravity=(0, -G))
    world.add_body(p2.Box(40, 1), (0, -0.5), kind="kinematic", velocity=(-3, 0))
    mover = p2.CharacterMover(world, CAPSULE, (1, SKIN))
    mover.move((0, 0), DT)
    walk(mover, 3, 60, world)
    assert mover.position == pytest.approx((1, SKIN), abs=1e-9)
    assert mover.velocity == pytest.approx((0, 0), abs=1e-9)


def test_carried_by_a_platform_that_turns():
    world = p2.World(gravity=(0, -G))
    wheel = world.add_body(p2.Circle(5), kind="kinematic", angular_velocity=0.5)
    ball = p2.Circle(0.5)
    mover = p2.CharacterMover(world, ball, (0, 5.5 + SKIN))
    mover.move((0, 0), DT)
    for step in range(120):
        world.step(DT)
        mover.move((0, 0), DT)
        if step < 90:  # later the rim is too steep
            place = 5.51 * np.array([-np.sin(wheel.angle), np.cos(wheel.angle)])
            assert mover.position == pytest.approx(place, abs=1e-4)
            assert mover.velocity == pytest.approx(0.5 * place[::-1] * (-1, 1), abs=6e-3)
    assert not mover.grounded


def test_carried_by_a_conveyor():
    world = p2.World(gravity=(0, -G))
    world.add_body(p2.Box(40, 1), (0, -0.5), kind="static", tangent_speed=2)
    mover = p2.CharacterMover(world, CAPSULE, (0, SKIN))
    mover.move((0, 0), DT)
    walk(mover, 0, 60)
    assert mover.position == pytest.approx((2, SKIN), abs=1e-9)
    assert mover.velocity == pytest.approx((2, 0))


def test_conveyors_carry_into_no_walls_of_their_own():
    world = p2.World(gravity=(0, -G))
    world.add_body(p2.Chain([(-9, 0), (2, 0), (2, 5)]), kind="static", tangent_speed=3)
    mover = p2.CharacterMover(world, CAPSULE, (0, SKIN))
    mover.move((0, 0), DT)
    walk(mover, 0, 90)
    assert mover.position == pytest.approx((2 - RADIUS - SKIN, SKIN), abs=1e-6)


def test_dropping_takes_the_speed_of_the_platform_along():
    _, mover, slab = thin_floor(velocity=(3, 0))
    mover.position = (0, 1.61)
    mover.move((0, 0), DT)
    assert mover.grounded
    mover.move((0, 0), DT, drop=True)
    assert not mover.grounded
    assert mover.velocity == pytest.approx(slab.velocity)


def test_a_jump_takes_the_speed_of_the_platform_along():
    world = p2.World(gravity=(0, -G))
    lift = world.add_body(p2.Box(4, 1), (0, -0.5), kind="kinematic", velocity=(2, 1))
    mover = p2.CharacterMover(world, CAPSULE, (0, SKIN))
    mover.move((0, 0), DT)
    world.step(DT)
    mover.move((0.5, 5), DT)
    assert not mover.grounded
    assert mover.velocity == pytest.approx(lift.velocity + np.array([0.5, 5]))
    start, steps = mover.position, 30
    for _ in range(steps):
        world.step(DT)
        mover.move(mover.velocity - (0, G * DT), DT)
    fall = G * DT**2 * steps * (steps + 1) / 2
    assert mover.position == pytest.approx(start + np.array([1.25, 3 - fall]))


def test_platforms_carry_into_no_walls():
    world = p2.World(gravity=(0, -G))
    world.add_body(p2.Box(4, 1), (0, -0.5), kind="kinematic", velocity=(3, 0))
    wall = world.add_body(p2.Box(0.01, 4), (2, 3), kind="static")
    mover = p2.CharacterMover(world, CAPSULE, (0, SKIN))
    mover.move((0, 0), DT)
    for _ in range(70):
        world.step(DT)
        mover.move((0, 0), DT)
        assert mover.position[0] <= wall.position[0] - 0.005 - RADIUS - 0.5 * SKIN
        assert mover.squeezed == 0


def test_a_wall_that_moves_pushes():
    world, mover = on_floor()
    world.add_body(p2.Box(1, 3), (2, 1.6), kind="kinematic", velocity=(-2, 0))
    for _ in range(180):
        world.step(DT)
        mover.move((0, 0), DT)
    assert mover.position == pytest.approx((2 - 6 - 0.5 - RADIUS - SKIN, SKIN), abs=1e-3)
    assert mover.grounded
    assert mover.squeezed == 0


def test_being_crushed_is_told():
    world, mover = on_floor()
    world.add_body(p2.Box(3, 1), (0, 3), kind="kinematic", velocity=(0, -0.5))
    for step in range(1, 120):
        world.step(DT)
        mover.move((0, 0), DT)
        room = 2.5 - 0.5 * step * DT - 1.8
        if room > SKIN:
            assert mover.squeezed == 0
        elif room < 0:
            assert mover.squeezed == pytest.approx(-room, abs=2 * SKIN)
    assert mover.position[1] >= 0  # static ground wins


@pytest.mark.parametrize("way", [1, -1])
def test_who_is_crushed_comes_out_behind_what_crushed_it(way):
    """Never behind what is static."""
    world = p2.World(gravity=(0, -G))
    world.add_body(p2.Box(6, 0.1), (0, 2.05 if way > 0 else -0.05), kind="static")
    start = -0.5 if way > 0 else 2.5
    press = world.add_body(p2.Box(3, 1), (0, start), kind="kinematic", velocity=(0, way))
    mover = p2.CharacterMover(world, CAPSULE, (0, SKIN))
    deepest = 0.0
    for _ in range(180):
        world.step(DT)
        mover.move((0, 0), DT)
        low, high = mover.position[1], mover.position[1] + 1.8
        assert high <= 2 if way > 0 else low >= 0
        if mover.squeezed == 0 and deepest > 0:
            break
        deepest = max(deepest, mover.squeezed)
    assert mover.squeezed == 0
    assert deepest == pytest.approx((1 + 1.8) / 2, abs=0.1)  # half through both
    assert high < press.position[1] if way > 0 else low > press.position[1]


@pytest.mark.parametrize("speed", [1e3, 1e150, 1e160, 1e300, 1e308])
def test_no_speed_leads_through_a_wall(speed):
    world, mover = on_floor()
    world.add_body(p2.Box(1e-3, 9), (5, 4), kind="static")
    mover.move((speed, 0), DT)
    assert mover.position == pytest.approx((5 - 5e-4 - RADIUS - SKIN, SKIN), abs=1e-4)
    mover.position = (0, 2)  # in the air
    mover.move((speed, 0), DT)
    assert mover.position[0] == pytest.approx(5 - 5e-4 - RADIUS - SKIN, abs=1e-4)


def test_removed_ground_is_no_ground():
    world, mover = on_floor()
    floor = world.bodies[0]
    assert mover.ground.collider == floor.colliders[0]
    world.remove(floor)
    assert mover.ground is None
    assert not mover.grounded
    mover.move((0, 0), DT)
    assert not mover.grounded


# ------------------------------------------------------------------ one-way


def thin_floor(thickness=0.2, velocity=(0, 0)):
    world, mover = on_floor(one_way=2)
    slab = world.add_body(
        p2.Box(4, thickness), (0, 1.5), kind="kinematic", velocity=velocity, category=2
    )
    return world, mover, slab


@pytest.mark.parametrize("thickness", [0.02, 0.2, 1.0])
def test_one_way_platforms_let_up_and_hold(thickness):
    _, mover, slab = thin_floor(thickness)
    top = 1.5 + thickness / 2
    speed = np.sqrt(2 * G * (top + 0.6))
    mover.move((0, speed), DT)
    heights = [mover.position[1]]
    while not mover.grounded:
        mover.move((0, mover.velocity[1] - G * DT), DT)
        heights.append(mover.position[1])
    # as high as if nothing were there, but for the rounding of steps
    assert max(heights) == pytest.approx(top + 0.6 + SKIN, abs=speed * DT)
    assert mover.position == pytest.approx((0, top + SKIN), abs=1e-6)
    assert mover.ground.collider.body == slab
    walk(mover, 1, 60)
    assert mover.position == pytest.approx((1, top + SKIN), abs=1e-6)
    # down through it
    mover.move((0, 0), DT, drop=True)
    assert not mover.grounded
    walk(mover, 0, 120)
    assert mover.position == pytest.approx((1, SKIN), abs=1e-6)


def test_falling_through_two_platforms_side_by_side():
    world, mover = on_floor(one_way=2)
    for x in (-1, 1):
        world.add_body(p2.Box(2, 0.2), (x, 1.5), kind="static", category=2)
    mover.position = (0, 1.61)
    walk(mover, 0, 5)
    assert mover.grounded
    mover.move((0, 0), DT, drop=True)
    walk(mover, 0, 120)
    assert mover.position == pytest.approx((0, SKIN), abs=1e-6)


def test_one_way_platforms_are_no_walls():
    _, mover, _ = thin_floor(1.0)  # from 1.0 to 2.0: at the height of the head
    mover.position = (-4, SKIN)
    walk(mover, 4, 120)
    assert mover.position == pytest.approx((4, SKIN), abs=0.1)


@pytest.mark.parametrize("rise", [3.0, -3.0])
def test_one_way_platforms_that_move_catch_who_falls(rise):
    world, mover, slab = thin_floor(velocity=(0, rise))
    slab.position = (0, 0 if rise > 0 else 6)
    mover.position = (0, 4 if rise > 0 else 9)
    for _ in range(100):
        world.step(DT)
        mover.move((0, 0 if mover.grounded else mover.velocity[1] - G * DT), DT)
        if mover.grounded and slab.position[1] > 0.5:
            break
    assert mover.ground.collider.body == slab
    assert mover.position[1] - slab.position[1] == pytest.approx(0.1 + SKIN, abs=1e-3)


# ------------------------------------------------------------------ walls, speed


@pytest.mark.parametrize("speed", [10, 60, 400])
@pytest.mark.parametrize("thickness", [0.001, 0.02, 1.0])
@pytest.mark.parametrize("far", [0.0, 1e7])
def test_walls_are_never_passed(speed, thickness, far):
    rng = np.random.default_rng(int(speed + 1000 * thickness))
    world = p2.World(gravity=(0, 0))
    angle = rng.uniform(-1, 1)
    world.add_body(p2.Box(thickness, 9000), (far, 0), angle, kind="static")
    out = np.array([np.cos(angle), np.sin(angle)])
    for _ in range(20):
        way = rng.uniform(-1, 1) + angle
        start = (far, 0) - rng.uniform(2.5, 6) * out + rng.uniform(-9, 9) * out[::-1] * (-1, 1)
        mover = p2.CharacterMover(world, CAPSULE, start)
        velocity = speed * np.array([np.cos(way), np.sin(way)])
        for _ in range(int(15 / (speed * DT)) + 2):
            mover.move(velocity, DT)
            assert gap(mover) > 0.4 * SKIN
            assert (mover.position - (far, 0)) @ out < 0
        assert mover.velocity @ out < 1e-6 * speed


def test_the_floor_is_never_passed_by_falling():
    world = p2.World()
    world.add_body(p2.Segment((-500, 0), (500, 0)), kind="static")
    mover = p2.CharacterMover(world, CAPSULE, (0, 300))
    mover.move((30, -400), DT)
    while not mover.grounded:
        mover.move(mover.velocity, DT)
    assert mover.position[1] == pytest.approx(SKIN, abs=1e-6)
    assert mover.velocity == pytest.approx((30, 0), abs=1e-9)


def test_ceilings_take_the_speed_upwards_alone():
    world, mover = on_floor()
    world.add_body(p2.Box(60, 1), (0, 2.6), kind="static")  # 0.3 m above the head
    mover.move((3, 6), DT)
    for _ in range(5):
        mover.move(mover.velocity, DT)
    assert mover.velocity == pytest.approx((3, 0), abs=1e-9)
    assert mover.position == pytest.approx((0.3, 0.3 - SKIN), abs=1e-6)


def test_a_crevice_holds_without_a_tremble():
    world = p2.World(gravity=(0, -G))
    world.add_body(p2.Chain([(-2, 8), (0, 0), (2, 8)]), kind="static")
    mover = p2.CharacterMover(world, CAPSULE, (0.3, 6))
    walk(mover, 0, 240)
    assert mover.grounded  # so it can jump out
    places = []
    for k in range(60):
        mover.move((2 * (k % 3) - 2, 0), DT)
        places.append(mover.position)
        assert mover.grounded
    np.testing.assert_allclose(places, places[:1] * 60, atol=1e-4)
    # between two walls at (1, 4) / sqrt(17) from the vertical: the core is as far from both
    assert places[0][1] + RADIUS == pytest.approx((RADIUS + SKIN) * np.sqrt(17), rel=0.01)
    mover.move((0, 7), DT)
    assert mover.velocity[1] == pytest.approx(7)


def test_a_tunnel_as_wide_as_the_capsule_and_a_little():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_body(p2.Box(20, 1), (0, 1.8 + 0.5 + 0.008), kind="static")  # less than two skins
    mover = p2.CharacterMover(world, CAPSULE, (0, 0.004))
    walk(mover, 3, 60)
    assert mover.position == pytest.approx((3, 0.004), abs=0.02)
    assert mover.squeezed == 0


# ------------------------------------------------------------------ bodies


def test_a_crate_is_pushed_at_the_walkers_speed_by_a_strong_one():
    world, mover = on_floor(push_force=1000, mass=0)
    crate = world.add_body(p2.Box(0.8, 0.8), (1.2, 0.4), fixed_rotation=True, density=10)
    for _ in range(120):
        world.step(DT)
        mover.move((2, 0), DT)
    # friction slows it in every step by mu g dt
    friction = 0.6 * G * DT
    assert crate.velocity[0] == pytest.approx(2 - friction, abs=0.02)
    assert mover.position[0] + RADIUS < crate.position[0] - 0.4


@pytest.mark.parametrize("force", [20.0, 60.0])
@pytest.mark.parametrize("follower", [False, True])
def test_pushes_are_bounded(force, follower):
    world, mover = on_floor(push_force=force, mass=0)
    if follower:  # that comes after it, and so touches nothing that it pushes
        mover.body = world.add_body(CAPSULE, (0, SKIN), kind="kinematic")
    crate = world.add_body(p2.Box(0.8, 0.8), (1.2, 0.4), fixed_rotation=True, density=10)
    weight = crate.mass * G
    start = crate.position[0]
    speeds = []
    for _ in range(60):
        world.step(DT)
        before = crate.velocity[0]
        mover.move((30, 0), DT)
        assert crate.velocity[0] == before  # by forces: they act in the next step
        speeds.append(crate.velocity[0])
    most = max(force - 0.6 * weight, 0) / crate.mass
    assert max(np.diff(speeds)) <= most * DT + 1e-5
    if most == 0:
        assert crate.position[0] == pytest.approx(start, abs=0.01)
    else:
        assert crate.position[0] > start + 0.3


def test_it_weighs_on_what_it_stands_on():
    world = p2.World(gravity=(0, -10))
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    plate = world.add_body(p2.Box(4, 0.2), (0, 0.1), density=5, can_sleep=False)
    mover = p2.CharacterMover(world, CAPSULE, (0, 0.2 + SKIN), mass=30)
    for _ in range(120):
        world.step(DT)
        mover.move((0, 0), DT)
    load = world.contacts["normal_impulse"].sum() / DT
    assert load == pytest.approx((plate.mass + 30) * 10, rel=0.02)


def test_a_raft_sinks_by_the_weight_of_its_passenger():
    world = p2.World(gravity=(0, -G))
    world.add_fluid(0.0, density=3, drag=1)
    raft = world.add_body(p2.Box(4, 0.5), density=1)
    mover = p2.CharacterMover(world, CAPSULE, (0, 0.3), mass=2)
    walk(mover, 0, 900, world)
    # Archimedes: 3 kg/m^2 times 4 m times the draught carry the raft's 2 kg and the passenger's
    draught = (2 + 2) / (3 * 4)
    assert raft.position[1] == pytest.approx(0.25 - draught, abs=1e-3)
    assert mover.position[1] == pytest.approx(raft.position[1] + 0.25 + SKIN, abs=1e-3)
    assert mover.grounded


def test_bodies_meet_the_body_that_follows():
    world, mover = on_floor()
    follower = world.add_body(CAPSULE, (0, SKIN), kind="kinematic")
    mover.body = follower
    ball = world.add_body(p2.Circle(0.2), (0.02, 4))
    for _ in range(120):
        world.step(DT)
        mover.move((0, 0), DT)
    assert ball.position[0] > 0.4  # it fell onto the head and off
    for _ in range(60):
        world.step(DT)
        mover.move((-1, 0), DT)
    assert mover.position == pytest.approx((-1, SKIN), abs=1e-6)  # not in its own way
    assert follower.position == pytest.approx(mover.position + np.array([DT, 0]), abs=1e-9)


# ------------------------------------------------------------------ random walks


@st.composite
def courses(draw):
    number = st.floats(-1, 1, allow_nan=False, width=32)
    blocks = draw(
        st.lists(
            st.tuples(number, number, number, st.floats(0.2, 2.5), st.floats(0.05, 2.5)),
            min_size=1,
            max_size=14,
        )
    )
    moves = draw(
        st.lists(
            st.tuples(number, number, st.sampled_from([1.0, 6.0, 40.0]), st.integers(1, 12)),
            min_size=1,
            max_size=12,
        )
    )
    return blocks, moves


@settings(max_examples=60, deadline=None)
@given(courses())
def test_random_walks_end_in_nothing(course):
    blocks, moves = course
    world = p2.World(gravity=(0, -G))
    heights = [0.4 * np.sin(1.7 * k) for k in range(-13, 14)]
    world.add_body(p2.Chain(list(zip(np.arange(-13, 14), heights, strict=True))), kind="static")
    for x, y, angle, width, height in blocks:
        if abs(x) > 0.15:  # the start is free
            world.add_body(
                p2.Box(width, height), (9 * x + 1.4 * np.sign(x), 2 + 3 * y), 3 * angle,
                kind="static",
            )  # fmt: skip
    world.add_body(p2.Chain([(-13, -3), (13, -3), (13, 12), (-13, 12)], loop=True), kind="static")
    mover = p2.CharacterMover(world, CAPSULE, (0, 4))
    start = world.overlaps(CAPSULE, (0, 4, 0))
    if len(start):
        return
    for x, y, speed, times in moves:
        for _ in range(times):
            fall = 0 if mover.grounded else mover.velocity[1] - G * DT
            up = speed * y if y > 0.5 else fall
            mover.move((speed * x, up), DT)
            assert mover.squeezed == 0
            assert gap(mover) > 0
            assert np.abs(mover.position[0]) < 13
            assert np.isfinite(mover.velocity).all()
            assert len(world.overlaps(CAPSULE, (*mover.position, 0))) == 0


# Exact projection onto half-planes, against all candidates: the point itself, its feet on the
# borders, and their crossings.
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 6.28), st.floats(-2, 1)), min_size=1, max_size=5),
    st.floats(-3, 3),
    st.floats(-3, 3),
)
def test_the_nearest_point_in_half_planes(lines, x, y):
    cuts = [(np.cos(a), np.sin(a), b) for a, b in lines]
    normals, bounds = np.array([c[:2] for c in cuts]), np.array([c[2] for c in cuts])
    candidates = [np.array([x, y])]
    for n, b in zip(normals, bounds, strict=True):
        candidates.append(np.array([x, y]) + (b - n @ (x, y)) * n)
    candidates += [
        np.linalg.solve(normals[[i, j]], bounds[[i, j]])
        for i in range(len(cuts))
        for j in range(i)
        if abs(np.linalg.det(normals[[i, j]])) > 1e-6
    ]
    inside = [c for c in candidates if (normals @ c >= bounds - 1e-7).all()]
    found = _nearest(x, y, cuts, 1.0)
    if found is not None:
        assert (normals @ found >= bounds - 1e-6).all()
        least = min(np.hypot(*(c - (x, y))) for c in inside)
        assert np.hypot(found[0] - x, found[1] - y) == pytest.approx(least, abs=1e-5)
    else:
        assert not [c for c in candidates if (normals @ c >= bounds + 1e-6).all()]


def test_the_same_moves_give_the_same_bits():
    def run(workers):
        world, mover = on_floor(one_way=2)
        world.add_bodies(p2.Box(0.5, 0.5), [(2 + k, 0.25) for k in range(5)])
        world.add_body(p2.Circle(3), (12, -1.5), kind="kinematic", angular_velocity=0.5)
        return mover, [
            (world.step(DT), mover.move((4, 5 if k % 50 == 0 else -1), DT), mover.state)[2]
            for k in range(200)
        ]

    (one, first), (two, second) = run(1), run(2)
    assert first == second
    assert one.world.hash() == two.world.hash()


def test_the_state_is_a_value():
    world, mover = on_floor()
    world.add_body(p2.Box(2, 0.2), (1.5, 0.1), kind="static")
    walk(mover, 3, 10)
    state = pickle.loads(pickle.dumps(mover.state))
    assert state == mover.state
    twin = copy.copy(mover)
    walk(mover, 3, 30)
    after = mover.state
    assert twin.state == state
    walk(twin, 3, 30)
    mover.state = state
    walk(mover, 3, 30)
    assert mover.state == twin.state == after


def test_the_state_may_come_as_plain_containers():
    _, mover = on_floor()
    walk(mover, 3, 10)
    state = mover.state
    stand = tuple(state.stand)
    named = state._asdict() | {"stand": state.stand._asdict()}
    plain = (*state[:2], stand, *state[3:])
    for form in (tuple(state), plain, list(plain), named, json.loads(json.dumps(state))):
        mover.position = (9, 9)
        mover.state = form
        assert mover.state == state
        assert isinstance(mover.state, p2.MoverState)
        assert mover.state.stand.pose == state.stand.pose
        assert mover.grounded
    before = mover.state
    for field, bad, error in (
        ("position", (1, np.nan), ValueError),
        ("velocity", None, TypeError),
        ("stand", (1, 2), TypeError),
        ("stand", (*stand[:4], (1, 2)), TypeError),
        ("stand", (*stand[:4], (1, 2, np.inf)), ValueError),
        ("stand", ("a", *stand[1:]), TypeError),
        ("dropped", 3, TypeError),
        ("dropped", (-1,), ValueError),
        ("squeezed", -1, ValueError),
    ):
        with pytest.raises(error, match=f"state.{field}"):
            mover.state = state._asdict() | {field: bad}
    for bad in ("abcde", {}, named | {"more": 1}, None, 5):
        with pytest.raises(TypeError, match=r"^state: must be a MoverState, or hold"):
            mover.state = bad
    assert mover.state == before


def test_the_examples_of_the_docs_run(repository, tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    text = (repository / "docs" / "character.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    space = {}
    for block in blocks[:2]:
        exec(compile(block, "character.md", "exec"), space)
    assert space["hero"].ground.collider.body == space["ledge"]
    assert (tmp_path / "character.png").is_file()
    monkeypatch.setattr(plt, "show", lambda: None)
    exec(compile(blocks[2], "character.md", "exec"), space)
    monkeypatch.setattr(space["figure"].canvas, "draw_idle", lambda: None)
    space["keys"].add("right")
    for _ in range(30):
        space["frame"]()
    assert space["hero"].position[0] > -5
    plt.close("all")


def test_the_platformer_is_finished():
    scene = scenes.build("platformer")
    scene.run()
    run = scene.before_step
    path = np.array(run.path)
    steps = np.hypot(*np.diff(path, axis=0).T)
    assert path[-1] == pytest.approx((64, 0.21), abs=1)
    assert steps.max() < 12 * DT  # no leap anywhere: 10.6 m/s at the foot of the slide
    assert path[:, 1].max() > 5.5
    crates = [body for body in scene.world.bodies if body.name == "crate"]
    assert all(crate.position[1] < 0 for crate in crates)  # pushed into the pit
    assert run.mover.squeezed == 0


# ------------------------------------------------------------------ up, planes, errors


def test_up_may_be_any_direction():
    world = p2.World()
    angle = 2.1
    c, s = np.cos(angle), np.sin(angle)
    world.add_body(p2.Box(40, 1), (0.5 * s, -0.5 * c), angle, kind="static")
    mover = p2.CharacterMover(world, CAPSULE, (-SKIN * s, SKIN * c), up=(-2 * s, 2 * c))
    mover.move((0, 0), DT)
    for _ in range(60):
        mover.move((4 * c, 4 * s), DT)
    assert mover.grounded
    assert mover.position == pytest.approx((4 * c - SKIN * s, 4 * s + SKIN * c), abs=1e-6)


def test_planes_are_what_is_near():
    world, mover = on_floor()
    wall = world.add_body(p2.Box(1, 4), (0.5 + RADIUS + 1.5 * SKIN, 2.2), kind="static")
    mover.move((0, 0), DT)
    rows = mover.planes
    assert rows["body"].tolist() == [0, wall.index]
    assert -rows["depth"] == pytest.approx([SKIN, 1.5 * SKIN], abs=1e-4)
    np.testing.assert_allclose(rows["normal"], [(0, 1), (-1, 0)], atol=1e-9)
    rows["depth"] = 7
    assert mover.planes["depth"][0] != 7
    mover.position = (0, 5)
    assert len(mover.planes) == 0


def test_errors_say_what_and_change_nothing():
    world, mover = on_floor()
    other = p2.World()
    bad = [
        (lambda: p2.CharacterMover(None, CAPSULE), TypeError, "world"),
        (lambda: p2.CharacterMover(world, p2.Box(1, 1)), TypeError, "capsule"),
        (lambda: p2.CharacterMover(world, CAPSULE, (0, np.nan)), ValueError, "position"),
        (lambda: p2.CharacterMover(world, CAPSULE, (0, 0, 0)), ValueError, "position"),
        (lambda: p2.CharacterMover(world, CAPSULE, skin=0), ValueError, "skin"),
        (lambda: p2.CharacterMover(world, CAPSULE, skin=0.3), ValueError, "skin"),
        (lambda: p2.CharacterMover(world, CAPSULE, up=(0, 0)), ValueError, "up"),
        (lambda: p2.CharacterMover(world, CAPSULE, max_slope_angle=1.6), ValueError, "max_slope"),
        (lambda: p2.CharacterMover(world, CAPSULE, step_height=-1), ValueError, "step_height"),
        (lambda: p2.CharacterMover(world, CAPSULE, snap_distance="a"), TypeError, "snap_distance"),
        (lambda: p2.CharacterMover(world, CAPSULE, mass=np.inf), ValueError, "mass"),
        (lambda: p2.CharacterMover(world, CAPSULE, push_force=None, mass=-1), ValueError, "mass"),
        (lambda: p2.CharacterMover(world, CAPSULE, mask=2**64), ValueError, "mask"),
        (lambda: p2.CharacterMover(world, CAPSULE, one_way=1.5), TypeError, "one_way"),
        (lambda: p2.CharacterMover(world, CAPSULE, body=world.bodies[0]), ValueError, "body"),
        (
            lambda: p2.CharacterMover(
                world, CAPSULE, body=other.add_body(CAPSULE, kind="kinematic")
            ),
            ValueError,
            "body",
        ),
        (lambda: mover.move((1, np.inf), DT), ValueError, "velocity"),
        (lambda: mover.move(None, DT), TypeError, "velocity"),
        (lambda: mover.move([(1, 2), (3,)], DT), ValueError, "velocity"),
        (lambda: mover.move((1, 2), 0), ValueError, "dt"),
        (lambda: setattr(mover, "state", (1, 2)), TypeError, "state"),
        (lambda: setattr(mover, "state", mover.state._replace(stand=5)), TypeError, "state.stand"),
        (lambda: mover.move((1e308, 0), 1e308), ValueError, "velocity"),
    ]
    before = mover.state
    for call, error, message in bad:
        with pytest.raises(error, match=message):
            call()
        assert mover.state == before


def test_a_world_in_a_step_is_locked():
    world, mover = on_floor()
    world.bodies[0].colliders[0].pre_solve = True
    world.add_body(p2.Circle(0.3), (3, 0.29))
    before = mover.state

    def hook(contacts):
        assert repr(mover).endswith("grounded>")
        mover.move((1, 0), DT)

    world.on_pre_solve = hook
    with pytest.raises(p2.WorldLockedError):
        world.step(DT)
    assert mover.state == before
    world.on_pre_solve = None
    world.on_force = lambda _: mover.move((1, 0), DT)  # between two steps: welcome
    world.step(DT, 60)
    assert mover.position[0] == pytest.approx(1)


def test_a_removed_follower_is_an_error():
    world, mover = on_floor()
    mover.body = world.add_body(CAPSULE, kind="kinematic")
    world.remove(mover.body)
    before = mover.state
    with pytest.raises(p2.RemovedError):
        mover.move((1, 0), DT)
    assert mover.state == before


def test_integers_beyond_all_floats_are_refused_by_name():
    shape, huge = p2.Capsule((0, 0), (0, 1), 0.3), 10**5000  # which Python refuses to write
    for name, value in (("position", (0, huge)), ("up", (0, huge)), ("skin", huge)):
        with pytest.raises(ValueError, match=f"^{name}: must be finite, got an integer too large"):
            p2.CharacterMover(p2.World(), shape, **{name: value})


def test_lists_without_end_are_refused_by_name():
    endless = []
    for _ in range(3000):
        endless = [endless]
    with pytest.raises(TypeError, match="mask: must be an int, got a list nested too deeply"):
        p2.CharacterMover(p2.World(), p2.Circle(0.5), mask=endless)
