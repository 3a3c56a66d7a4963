"""Floors of several pieces are as one floor; what stands out of them is not."""

from itertools import pairwise

import numpy as np
import pytest

import pyphys2d as p2

SHAPES = {
    "ball": (p2.Circle(0.5), 0.5),
    "box": (p2.Box(1, 0.6), 0.3),
    "capsule": (p2.Capsule((-0.4, 0), (0.4, 0), 0.3), 0.3),
}


def floor(kind, **material):
    """Its surface is y = 0, from x = -60 to 60."""
    world = p2.World(gravity=(0, -10), sleeping=False)
    if kind == "one":
        world.add_body(p2.Box(120, 1), (0, -0.5), kind="static", **material)
    elif kind == "tiles":
        for k in range(-60, 60):
            world.add_body(p2.Box(1, 1), (k + 0.5, -0.5), kind="static", **material)
    elif kind == "segments":
        for k in range(-60, 60):
            world.add_body(p2.Segment((k, 0), (k + 1, 0)), kind="static", **material)
    else:
        boxes = [p2.Box(1, 1, center=(k + 0.5, -0.5)) for k in range(-60, 60)]
        world.add_body(boxes, kind="static", **material)
    return world


def flight(kind, shape, place, velocity, material):
    world = floor(kind, **material)
    body = world.add_body(shape, place, velocity=velocity, **material)
    way = []
    for _ in range(60):
        world.step()
        way.append([body.position[1], *body.velocity, body.angular_velocity])
    return np.array(way)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize("kind", ["tiles", "boxes"])
def test_landings_are_those_on_one_floor(kind, restitution, name):
    """Within 1 % of the speed and 1 mm, above seams too; one in twelve may be off."""
    shape, low = SHAPES[name]
    rng = np.random.default_rng(5)
    off = []
    for _ in range(12):
        speed = 10 ** rng.uniform(0, 1.6)
        place = (-50 + rng.uniform(), low + rng.uniform(0.02, 0.8))
        velocity = (speed, -rng.uniform() * min(speed, 10))
        material = {"friction": rng.choice([0.0, 0.6]), "restitution": restitution}
        one = flight("one", shape, place, velocity, material)
        many = flight(kind, shape, place, velocity, material)
        wrong = np.abs(many - one)
        off.append(wrong[:, 0].max() > 1e-3 or wrong[:, 1:3].max() > 0.01 * np.hypot(*velocity))
    assert sum(off) <= 1, off


@pytest.mark.parametrize("friction", [0.0, 0.6])
@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize("kind", ["tiles", "segments", "boxes"])
def test_balls_that_spin_land_as_on_one_floor(kind, restitution, friction):
    """A round surface does not turn on the way to the floor: without friction it keeps its spin."""
    rng = np.random.default_rng(7)
    material = {"friction": friction, "restitution": restitution}
    for _ in range(6):
        speed = 10 ** rng.uniform(0, 1.6)
        place = (-50 + rng.uniform(), 0.5 + rng.uniform(0.02, 0.8))
        velocity = (speed, -rng.uniform() * min(speed, 10))
        seen = []
        for pieces in ("one", kind):
            world = floor(pieces, **material)
            ball = world.add_body(
                p2.Circle(0.5), place, velocity=velocity, angular_velocity=8, **material
            )
            way = []
            for _ in range(40):
                world.step()
                way.append([*ball.velocity, 0.5 * ball.angular_velocity])
            seen.append(np.array(way))
        assert np.abs(seen[1] - seen[0]).max() < 0.01 * np.hypot(*velocity)
        if friction == 0:
            np.testing.assert_allclose(seen[1][:, 2], 4, atol=1e-3)


def sloping_floor(kind, width, angle, **material):
    """Its surface goes through the origin; pieces of the width given."""
    world = p2.World(gravity=(0, -10), sleeping=False)
    along, up = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    count = round(80 / width)
    ends = np.linspace(-40, 40, count + 1)
    material |= {"kind": "static"}
    if kind == "one":
        world.add_body(p2.Box(80, 1), tuple(-0.5 * up), angle=angle, **material)
    elif kind == "tiles":
        for x in 0.5 * (ends[1:] + ends[:-1]):
            world.add_body(p2.Box(80 / count, 1), x * along - 0.5 * up, angle=angle, **material)
    elif kind == "boxes":
        middles = 0.5 * (ends[1:] + ends[:-1])
        boxes = [p2.Box(80 / count, 1, center=(x, -0.5)) for x in middles]
        world.add_body(boxes, angle=angle, **material)
    elif kind == "segment":
        world.add_body(p2.Segment(ends[0] * along, ends[-1] * along), **material)
    elif kind == "segments":
        for a, b in pairwise(ends):
            world.add_body(p2.Segment(a * along, b * along), **material)
    else:
        world.add_body(p2.Chain([x * along for x in ends]), **material)
    return world


@pytest.mark.parametrize("kind", ["tiles", "boxes", "segments", "chain"])
def test_what_lands_tilted_or_spinning_does_as_on_one_floor(kind):
    """The second corner meets another piece in the step of the first; one in thirty may be off."""
    rng = np.random.default_rng(21)
    off = 0
    for k in range(30):
        shape = SHAPES["box" if k % 2 else "capsule"][0]
        speed, slope = 10 ** rng.uniform(0, 1.7), rng.choice([0.0, rng.uniform(-0.6, 0.6)])
        width = 10 ** rng.uniform(-1, 0.3)
        up = np.array([-np.sin(slope), np.cos(slope)])
        start = rng.uniform(-1, 1) * np.array([up[1], -up[0]]) + rng.uniform(0.75, 1.5) * up
        course = slope - rng.uniform(0.1, 1)
        material = {
            "friction": float(rng.choice([0, 0.6])),
            "restitution": float(rng.choice([0, 0.8])),
        }
        launch = {
            "velocity": (speed * np.cos(course), speed * np.sin(course)),
            "angle": rng.uniform(-3, 3),
            "angular_velocity": rng.choice([0.0, rng.uniform(-8, 8)]),
        }
        seen = []
        for pieces in ("segment" if kind in ("segments", "chain") else "one", kind):
            world = sloping_floor(pieces, width, slope, **material)
            body = world.add_body(shape, tuple(start), **launch, **material)
            way = []
            for _ in range(40):
                world.step()
                way.append([body.position @ up, *body.velocity])
            seen.append(np.array(way))
        wrong = np.abs(seen[1] - seen[0]).max(axis=0)
        off += wrong[0] > 1e-3 or wrong[1:].max() > 0.01 * speed
    assert off <= 1


def test_the_order_of_tiles_does_not_matter():
    """Pieces are taken as they lie, whichever came first."""
    ends = []
    for order in (range(-20, 20), range(19, -21, -1)):
        world = p2.World(gravity=(0, -10), sleeping=False)
        box = world.add_body(p2.Box(1, 0.6), (0.3, 1.2), angle=0.4, velocity=(7, -4), friction=0.6)
        for k in order:
            world.add_body(p2.Box(0.5, 1), (0.5 * k + 0.25, -0.5), kind="static", friction=0.6)
        world.step(n=60)
        ends.append([*box.position, box.angle, *box.velocity])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-5)


def test_a_row_of_tiles_ends_where_its_last_tile_does():
    """What is flush is one piece, but no longer than its pieces, nor deeper than all of them."""
    world = floor("tiles", friction=0)
    world.add_body(p2.Box(1, 9), (60.5, -4.5), kind="static", friction=0)
    beside = world.add_body(p2.Circle(0.2), (61.5, -3), velocity=(-5, 0), friction=0)
    over = world.add_body(p2.Box(1, 0.6), (59, 0.3), velocity=(5, 0), friction=0)
    world.step(n=90)
    assert beside.position[0] > 61.19
    assert over.position[0] > 61
    assert over.position[1] < 0


@pytest.mark.parametrize("speed", [0.5, 2.0, 10.0, 30.0])
@pytest.mark.parametrize("name", SHAPES)
def test_what_slides_over_segments_in_line_does_not_catch(name, speed):
    shape, low = SHAPES[name]
    world = floor("segments", friction=0)
    body = world.add_body(shape, (-50, low), velocity=(speed, 0), friction=0)
    for _ in range(120):
        world.step()
        assert body.position[1] == pytest.approx(low, abs=1e-3)
        assert body.velocity == pytest.approx([speed, 0], abs=0.01 * speed)


@pytest.mark.parametrize("wall", [p2.Box(1, 4), p2.Segment((-0.5, -2), (-0.5, 2))])
@pytest.mark.parametrize("kind", ["one", "tiles", "segments", "boxes"])
def test_walls_on_a_floor_stop(kind, wall):
    for name, (shape, low) in SHAPES.items():
        world = floor(kind)
        world.add_body(wall, (3.5, 2), kind="static")
        body = world.add_body(shape, (1, low), velocity=(6, 0), friction=0)
        half = {"ball": 0.5, "box": 0.5, "capsule": 0.7}[name]
        for _ in range(120):
            world.step()
            assert body.position[0] < 3 - half + 0.02
        assert body.position[0] > 3 - half - 0.5


@pytest.mark.parametrize("height", [0.005, 0.02, 0.1])
def test_steps_stop_what_slides_slowly(height):
    world = floor("tiles", friction=0)
    world.add_body(p2.Box(4, 1), (7, -0.5 + height), kind="static", friction=0)
    body = world.add_body(p2.Box(1, 0.6), (3, 0.3), velocity=(1, 0), friction=0)
    world.step(n=240)
    assert body.position[0] < 4.52
    assert body.position[1] == pytest.approx(0.3, abs=0.01)


def test_a_box_leans_into_the_corner_of_floor_and_wall():
    world = floor("tiles")
    world.add_body(p2.Box(1, 8), (-5.5, 4), kind="static")
    plank = world.add_body(p2.Box(0.2, 4), (-3.6, 1.6), angle=0.7, friction=0.9)
    world.step(n=600)
    lowest = plank.to_world([(x, y) for x in (-0.1, 0.1) for y in (-2, 2)])
    assert lowest[:, 1].min() > -0.01
    assert lowest[:, 0].min() > -5.01


def test_impulses_are_told_where_they_act():
    world = floor("tiles")
    box = world.add_body(p2.Box(3, 1), (0.2, 0.5))
    world.step(n=120)
    rows = world.contacts[world.contacts["normal_impulse"] > 0]
    assert sorted(rows["point"][:, 0]) == pytest.approx([-1.3, 1.7], abs=1e-3)
    assert rows["normal_impulse"] == pytest.approx(0.5 * box.mass * 10 / 60, rel=1e-3)
    assert len(set(rows["body_a"]) | set(rows["body_b"])) == 3


def test_ages_and_events_of_floors_of_several_pieces():
    world = floor("tiles")
    box = world.add_body(p2.Box(1, 1), (0.0, 0.5))
    world.step(n=100)
    ages = [row["age"] for row in world.contacts]
    assert min(ages) > 90
    assert len(world.events.contact_begin) == 2
    box.position = (0, 5)
    world.step()
    assert len(world.events.contact_end) == 2


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_box_that_lands_flat_with_friction_stays_flat(restitution):
    """Normal impulse (1 + e) m v, friction mu times that, or as much as stops it: the box slides on
    upright while the torque of friction about its corner is less than that of the load."""
    rng = np.random.default_rng(2)
    off = []
    for _ in range(60):
        width, height = rng.uniform(0.5, 2), rng.uniform(0.3, 1)
        friction = rng.uniform(0, 0.6) * width / height
        material = {"friction": min(friction, 1), "restitution": restitution}
        velocity = rng.uniform(-20, 20), -rng.uniform(1, 15)
        world = p2.World(gravity=(0, 0), sleeping=False)
        world.add_body(p2.Box(900, 1), (0, -0.5), kind="static", **material)
        box = world.add_body(
            p2.Box(width, height),
            (0, 0.5 * height + rng.uniform(0.05, 1)),
            velocity=velocity,
            **material,
        )
        while box.velocity[1] == velocity[1]:
            world.step()
        world.step(n=2)
        lost = material["friction"] * (1 + restitution) * -velocity[1]
        along = np.sign(velocity[0]) * max(abs(velocity[0]) - lost, 0)
        wrong = box.velocity - (along, -restitution * velocity[1])
        turn = box.angular_velocity * 0.5 * max(width, height)
        off.append(np.abs([*wrong, turn]).max() / np.hypot(*velocity))
    assert np.median(off) < 1e-4
    assert np.quantile(off, 0.9) < 0.01
    assert max(off) < 0.1
