"""Impacts of bodies of several pieces, and of what lies on something."""

import numpy as np
import pytest

import pyphys2d as p2

JAR = [(-0.5, 0.5), (-0.5, -0.25), (-0.4, -0.25), (-0.4, 0.4)]
JAR += [(-x, y) for x, y in reversed(JAR)]

FEET = {
    "two feet": [p2.Box(0.2, 0.5, center=(-0.4, 0)), p2.Box(0.2, 0.5, center=(0.4, 0))],
    "table": [
        p2.Box(0.2, 0.5, center=(-0.4, 0)),
        p2.Box(0.2, 0.5, center=(0.4, 0)),
        p2.Box(1.0, 0.2, center=(0, 0.35)),
    ],
    "cart": [
        p2.Box(1.0, 0.2, center=(0, 0.1)),
        p2.Circle(0.25, center=(-0.4, 0)),
        p2.Circle(0.25, center=(0.4, 0)),
    ],
    "three feet": [p2.Box(0.1, 0.5, center=(x, 0)) for x in (-0.5, 0, 0.5)],
    "jar": [p2.Polygon(JAR)],
}


@pytest.mark.fast_cases(60)
@pytest.mark.parametrize("floor", ["box", "segment", "chain", "body"])
@pytest.mark.parametrize("speed", [1.5, 5.0, 17.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("kind", FEET)
def test_what_stands_on_several_pieces_lands_flat(kind, restitution, speed, floor):
    """The feet were stopped one after the other, so that a table left with a spin."""
    world = p2.World(gravity=(0, 0))
    if floor == "body":
        ground = world.add_body(p2.Box(20, 1), (0, -0.5))
        ground.mass, ground.inertia = 1e9, 1e9
    else:
        shape = {
            "box": p2.Box(20, 1, center=(0, -0.5)),
            "segment": p2.Segment((-10, 0), (10, 0)),
            "chain": p2.Chain([(-12, 0), (-10, 0), (10, 0), (12, 0)]),
        }[floor]
        world.add_body(shape, kind="static")
    body = world.add_body(
        FEET[kind], (0, 0.25 + speed / 60 * 1.5), velocity=(0, -speed), restitution=restitution
    )
    world.step(n=4)
    assert body.velocity[1] == pytest.approx(restitution * speed, abs=2e-3 * speed)
    assert abs(body.velocity[0]) < 1e-3 * speed
    assert abs(body.angular_velocity) < 2e-3 * speed


def test_a_table_bounces_as_high_as_a_box():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    table = world.add_body(FEET["table"], (0, 2.25), restitution=0.8)
    heights = []
    for _ in range(70):
        world.step()
        heights.append(table.position[1] - 0.25)
    assert max(heights[40:]) == pytest.approx(0.64 * 2, rel=5e-3)
    assert abs(table.angle) < 1e-4


@pytest.mark.parametrize("ratio", [0.2, 1, 2, 4])
@pytest.mark.parametrize("height", [0.3, 1, 2])
def test_a_box_that_falls_on_a_box_at_rest_stays_there(ratio, height):
    """Without restitution it left with up to 39 % of its speed: the lower one took the blow on, was
    stopped by the floor in the next substep, and threw it up."""
    world = p2.World()
    world.add_body(p2.Box(4, 1), (0, -0.5), kind="static")
    lower = world.add_body(p2.Box(1.2, 0.8), (0, 0.4))
    upper = world.add_body(p2.Box(0.8, 0.8), (0.1, 1.2 + height))
    upper.mass = ratio * lower.mass
    speed, most, hit = np.sqrt(2 * 9.81 * height), 0.0, False
    for _ in range(150):
        world.step()
        hit |= upper.position[1] < 1.2 + 0.02 * height
        most = max(most, upper.velocity[1]) if hit else 0.0
    assert hit
    assert most < 0.05 * speed
    assert np.abs(world.positions[2] - (0.1, 1.2)).max() < 5e-3


@pytest.mark.parametrize("ratio", [1, 3, 10, 30, 100])
@pytest.mark.parametrize("speed", [1, 2, 5, 15, 27])
@pytest.mark.parametrize("count", [1, 3])
def test_a_heavy_box_that_falls_on_light_ones_stays_there(count, speed, ratio):
    """It is stopped in the step in which it lands. A hundred times as heavy, it used to sink in by
    17 cm, while contacts pressed harder in each substep, and was thrown up at 60 % of its speed.
    """
    world = p2.World()
    world.add_body(p2.Box(40, 1), (0, -0.5), kind="static")
    for k in range(count):
        world.add_body(p2.Box(0.4, 0.4), (0, 0.2 + 0.4 * k), mass=1)
    top = 0.4 * count
    heavy = world.add_body(p2.Box(0.8, 0.8), (0, top + 0.4 + speed * speed / 19.62), mass=ratio)
    most, lowest, hit = 0.0, np.inf, False
    for _ in range(round(60 * (1 + speed / 9.81))):
        world.step()
        hit |= heavy.position[1] < top + 0.42
        most = max(most, heavy.velocity[1]) if hit else 0.0
        lowest = min(lowest, heavy.position[1])
    assert hit
    assert most < 0.03 * speed
    assert lowest > top + 0.4 - 0.02 * count


def test_what_is_uneven_elsewhere_changes_no_bit_of_an_impact():
    """Islands with heavy and light bodies get more sweeps over impacts than others."""
    found = []
    for elsewhere in (0, 1, 5):
        world = p2.World()
        world.add_body(p2.Box(400, 1), (0, -0.5), kind="static")
        for k in range(8):
            world.add_body(p2.Box(0.5, 0.5), (0, 0.25 + 0.5 * k))
        world.add_body(p2.Box(0.8, 0.5), (0.1, 5.3), velocity=(0, -8))
        for k in range(elsewhere):
            world.add_body(p2.Box(0.5, 0.5), (20 + 4 * k, 0.25), mass=0.1)
            world.add_body(p2.Box(0.5, 0.5), (20 + 4 * k, 1.5), mass=30, velocity=(0, -9))
        poses = []
        for _ in range(60):
            world.step()
            poses.append(world.positions[1:10].tobytes() + world.velocities[1:10].tobytes())
        found.append(poses)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("floor", ["segment", "box", "chain"])
def test_what_slides_fast_lands_flat_on_a_segment(floor):
    """One of ten such boxes was thrown into a spin by a segment: its corners were taken to where
    the segment would be, seen from the box. Friction gives mu of the fall's speed."""
    rng = np.random.default_rng(1)
    shape = {
        "segment": p2.Segment((-80, 0), (80, 0)),
        "box": p2.Box(160, 1, center=(0, -0.5)),
        "chain": p2.Chain([(-90, 0), (-80, 0), (80, 0), (90, 0)]),
    }[floor]
    for _ in range(200):
        width, height = rng.uniform(0.3, 2), rng.uniform(0.1, 0.5)
        friction = min(rng.uniform(0, 0.6), 0.9 * width / height)
        down, along = rng.uniform(2, 15), rng.uniform(-18, 18)
        world = p2.World(gravity=(0, 0))
        world.add_body(shape, kind="static", friction=friction)
        box = world.add_body(
            p2.Box(width, height),
            (0, height / 2 + down / 60 * rng.uniform(0.1, 1)),
            velocity=(along, -down),
            friction=friction,
        )
        world.step(n=3)
        left = np.sign(along) * max(abs(along) - friction * down, 0)
        speed = np.hypot(along, down)
        assert box.velocity == pytest.approx((left, 0), abs=2e-3 * speed)
        assert abs(box.angular_velocity) * width < 5e-3 * speed


def test_what_is_jointed_elsewhere_changes_no_bit_of_an_impact():
    """Small islands share batches; whether an impact is passed on is the matter of each contact."""
    found = []
    for frames in (0, 6):
        world = p2.World()
        world.add_body(p2.Box(400, 1), (0, -0.5), kind="static")
        lower = world.add_body(p2.Box(1.2, 0.8), (0, 0.4))
        upper = world.add_body(p2.Box(0.8, 0.8), (0.1, 2.2))
        upper.mass = 4 * lower.mass
        for k in range(frames):
            plank = world.add_body(p2.Box(1, 0.2), (20 + 4 * k, 0.9))
            post = world.add_body(p2.Box(0.2, 0.8), (20 + 4 * k, 0.4))
            world.add_revolute_joint(plank, post, anchor=(20 + 4 * k, 0.8))
        poses = []
        for _ in range(60):
            world.step()
            poses.append(world.positions[1:3].tobytes() + world.velocities[1:3].tobytes())
        found.append(poses)
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ["rope", "rod", "pin", "weld"])
def test_a_box_that_falls_on_a_box_on_a_platform_stays_there(kind):
    """Of these boxes 14 left with more than 5 % of their speed, and with up to 35 %."""
    ups = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        light, ratio, other = np.exp(rng.uniform(np.log([1, 1, 0.1]), np.log([50, 100, 10])))
        fall, x = rng.uniform(0.3, 2), rng.uniform(-1, 1)
        world = p2.World()
        plank = world.add_body(p2.Box(4, 0.3), mass=light)
        for end in (-1.8, 1.8):
            if kind in ("rope", "rod"):
                length = {"upper": 2} if kind == "rope" else {}
                world.add_distance_joint(
                    None, plank, anchor_a=(end, 2), anchor_b=(end, 0), **length
                )
            elif kind == "pin":
                world.add_revolute_joint(None, plank, anchor=(end, 0))
            else:
                world.add_weld_joint(None, plank, anchor=(end, 0))
        world.add_body(p2.Box(1.2, 0.8), (x, 0.55), mass=light * ratio)
        box = world.add_body(p2.Box(0.8, 0.8), (x, 1.35 + fall), mass=light * ratio * other)
        fastest, met = 0, False
        for _ in range(90):
            world.step()
            met = met or box.position[1] < 1.35 + 0.05 * fall
            fastest = max(fastest, box.velocity[1]) if met else 0
        assert met
        ups.append(fastest / np.sqrt(2 * 9.81 * fall))
    assert np.median(ups) < 1e-3
    assert max(ups) < 0.06


@pytest.mark.parametrize("upwards", [True, False])
@pytest.mark.parametrize("count", [1, 3, 6])
def test_a_blow_on_a_stack_on_a_platform_goes_through_in_any_order(count, upwards):
    world = p2.World()

    def platform():
        plank = world.add_body(p2.Box(3, 0.2))
        for x in (-1.4, 1.4):
            world.add_distance_joint(None, plank, anchor_a=(x, 4), anchor_b=(x, 0))

    if upwards:
        platform()
    for i in range(count)[:: 1 if upwards else -1]:
        world.add_body(p2.Box(0.5, 0.5), (0, 0.35 + 0.5 * i))
    if not upwards:
        platform()
    world.step(n=60)
    box = world.add_body(p2.Box(0.4, 0.4), (0, 0.6 + 0.5 * count), velocity=(0, -8))
    fastest = 0
    for _ in range(20):
        world.step()
        fastest = max(fastest, box.velocity[1])
    assert fastest < 0.005 * 8


def carried(count, speed, ratio, mirrored):
    """Boxes at rest on a platform that starts at once, or that start at once against a floor."""
    rng = np.random.default_rng(count)
    world = p2.World(gravity=(0, -10), sleeping=False)
    lift = world.add_body(p2.Box(9, 0.2), (0, -0.1), kind="kinematic")
    boxes, top = [], 0.0
    for _ in range(count):
        size = rng.uniform(0.3, 0.7)
        box = p2.Box(0.6, size)
        boxes.append(world.add_body(box, (0, top + size / 2), mass=ratio ** rng.uniform(0, 1)))
        top += size
    world.step(n=60)
    if mirrored:
        for box in boxes:
            box.velocity = (0, -speed)
    else:
        lift.velocity = (0, speed)
    return world, lift, boxes


@pytest.mark.parametrize("speed", [1.0, 2.0, 5.0, 20.0])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_stack_goes_with_a_lift_that_starts(count, speed, mirrored):
    """A plastic impact, seen from the lift: no box goes faster. One of three went at 1.34 v."""
    world, lift, boxes = carried(count, speed, 1, mirrored)
    for _ in range(40):
        world.step()
        seen = np.array([box.velocity[1] for box in boxes]) - lift.velocity[1]
        assert seen.max() < 0.06 * speed
    gap = boxes[-1].position[1] - boxes[0].position[1]
    other, _, still = carried(count, 0, 1, mirrored)
    other.step(n=40)
    assert gap == pytest.approx(still[-1].position[1] - still[0].position[1], abs=2e-3)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_one_of_unequal_boxes_does_too(count):
    world, _, boxes = carried(count, 5, 10, False)
    for _ in range(40):
        world.step()
        assert max(box.velocity[1] for box in boxes) < 1.1 * 5
