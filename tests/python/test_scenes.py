"""Scenes that ship: they tell what their sentence says. Benchmark scenes have the numbers of
their definitions.
"""

from html import escape
from pathlib import Path

import numpy as np
import pytest
from scenes_for_tests import penetrations

from pyphys2d import scenes
from pyphys2d.scenes import benchmark

BODIES = {
    "large_pyramid": 1 + 5050,
    "many_pyramids": 1 + 22_000,
    "tumbler": 1 + 2025,
    "washer": 1 + 8100,
    "smash": 1 + 9600,
    "compounds": 1 + 3000,
    "junkyard": 2 + 8000,
    "circles": 1 + 10_000,
    "jointed_tumbler": 2 + 2025,
    "spinner": 2 + 6076,
    "joint_grid": 10_000,
    "rain": 5,
}
JOINTS = {"jointed_tumbler": 1, "spinner": 1, "joint_grid": 19_794, "rain": 250}


@pytest.mark.parametrize("name", benchmark.DESCRIPTIONS)
def test_benchmark_scenes_have_their_bodies(name):
    description = benchmark.DESCRIPTIONS[name]()
    world = benchmark.build_world(description)
    assert len(world.bodies) == description.body_count == BODIES[name]
    benchmark.run(world, description, 2)
    assert np.isfinite(world.positions).all()
    assert len(world.joints) == JOINTS.get(name, 0)


def test_ragdolls_come_and_go():
    description = benchmark.rain()
    world = benchmark.build_world(description)
    arrivals = benchmark.Arrivals(world, description)
    for step in range(8 * benchmark.RAIN_COLUMNS + 9):
        arrivals.step()
        if step in (8, 8 * benchmark.RAIN_COLUMNS - 1, 8 * benchmark.RAIN_COLUMNS + 8):
            columns = min(step // 8 + 1, benchmark.RAIN_COLUMNS)
            assert (len(world.bodies), len(world.joints)) == (5 + 275 * columns, 250 * columns)


def test_contacts_of_the_pyramids():
    for name, contacts in (("large_pyramid", 14_950), ("many_pyramids", 58_000)):
        description = benchmark.DESCRIPTIONS[name]()
        world = benchmark.build_world(description)
        benchmark.run(world, description, 3)
        # neighbours in a row touch without load and may part by a hair
        assert world.counters["contacts"] == contacts


def test_the_pusher_follows_its_path():
    description = benchmark.junkyard()
    world = benchmark.build_world(description)
    benchmark.run(world, description, 30)
    assert world.bodies[1].position[0] == pytest.approx(60 * np.sin(0.2 * 0.5), rel=1e-6)


@pytest.mark.parametrize("name", scenes.SCENES)
def test_scenes_stay_sound(name):
    scene = scenes.build(name)
    scene.run(150)
    assert np.isfinite(scene.world.positions[scene.world.alive]).all()
    assert scene.description
    assert scene.name == name
    depths = penetrations(scene.world)
    assert not len(depths) or depths.mean() < 0.02


def test_the_collision_scene_comes_to_rest_in_its_tray():
    scene = scenes.build("collision")
    scene.run()
    inside = scene.world.positions[scene.world.kinds == 2]
    assert (inside[:, 1] > 0).all()
    assert (np.abs(inside[:, 0]) < 12).all()


def test_fast_balls_tunnel_and_slow_ones_do_not():
    scene = scenes.build("tunneling")
    scene.run(200)
    balls = sorted(
        (body for body in scene.world.bodies if body.kind == "dynamic"),
        key=lambda b: float(b.name.split()[0]),
    )
    assert balls[0].position[0] < 0
    assert balls[-1].position[0] > 0


def test_ships_stay_at_sea():
    scene = scenes.build("naval")
    scene.run(200)
    assert len(scene.world.bodies) > 5
    assert any(len(c.shape.parts) > 50 for c in scene.world.colliders if hasattr(c.shape, "parts"))


def test_the_ship_splits_rocks_over_the_seams():
    scene = scenes.build("asteroids")
    rocks = [body for body in scene.world.bodies if body.name.startswith("rock")]
    area = sum(body.colliders[0].shape.area for body in rocks)
    crossed, last = 0, None
    for _ in range(300):
        scene.run(1)
        places = scene.world.positions
        assert ((places >= 0) & (places < scene.world.wrap) | np.isnan(places)).all()
        if last is not None and len(last) == len(places):
            crossed += int((np.abs(places - last) > scene.world.wrap / 2).any(axis=1).sum())
        last = places.copy()
    left = [body for body in scene.world.bodies if body.name not in ("ship", "shot")]
    assert len(left) > len(rocks)
    assert 0 < sum(body.colliders[0].shape.area for body in left) < area
    assert crossed > 3


def test_unknown_scene():
    with pytest.raises(scenes.SceneError, match="pyramid"):
        scenes.build("pyramids")


def named(world, start):
    return [body for body in world.bodies if (body.name or "").startswith(start)]


def test_the_car_gets_to_the_end_of_the_road():
    scene = scenes.build("car")
    scene.run()
    (car,) = named(scene.world, "car")
    assert car.position[0] > 125
    assert np.cos(car.angle) > 0.9  # on its wheels


@pytest.mark.slow
def test_the_bridge_carries_its_boxes_and_does_not_stretch():
    scene = scenes.build("bridge")
    scene.run()
    assert all(load.position[1] > -6 for load in named(scene.world, "load"))
    gaps = [np.hypot(*(joint.anchor_b - joint.anchor_a)) for joint in scene.world.joints]
    assert sum(gaps) < 0.03


def test_bones_of_the_ragdolls_hang_together():
    scene = scenes.build("ragdolls")
    for _ in range(6):
        scene.run(50)
        for joint in scene.world.joints:
            assert np.hypot(*(joint.anchor_b - joint.anchor_a)) < 0.01
            assert joint.lower - 0.02 < joint.angle < joint.upper + 0.02


def test_two_balls_in_are_two_balls_out():
    scene = scenes.build("newtons_cradle")
    balls = named(scene.world, "ball")
    rise = 3 - np.sqrt(9 - (3 * np.cos(np.radians(140))) ** 2)
    highest = np.zeros(5)
    for _ in range(110):  # until they hang at the turning point on the other side
        scene.run(1)
        highest = np.maximum(highest, [ball.position[1] for ball in balls])
    assert np.all(highest[3:] > 0.99 * rise)
    assert highest[2] < 0.01 * rise


def test_the_pinball_stays_on_the_table():
    scene = scenes.build("pinball")
    hits = 0
    for _ in range(scene.steps):
        scene.run(1)
        hits += len(scene.world.events.contact_begin)
        for ball in named(scene.world, "ball"):
            assert abs(ball.position[0]) < 8
            assert -3 < ball.position[1] < 20
    assert hits > 10  # the way of the balls is chaotic: 15, or 20


def test_the_crane_sets_the_crate_down_behind_the_wall():
    scene = scenes.build("crane")
    scene.run()
    (crate,) = named(scene.world, "crate")
    assert crate.position[0] > 3.5
    assert crate.position[1] == pytest.approx(0.6, abs=0.02)
    (lift,), (weight,) = named(scene.world, "lift"), named(scene.world, "counterweight")
    # What one rises, the other falls.
    assert lift.position[1] - 0.1 == pytest.approx(7.2 - weight.position[1], abs=0.02)
    assert lift.position[1] > 5


def test_gears_turn_by_their_teeth_and_the_ratchet_one_way():
    scene = scenes.build("gears")
    world = scene.world
    (a,), (b,), (c,) = named(world, "12 "), named(world, "24 "), named(world, "9 ")
    (rack,), (wheel,) = named(world, "rack"), named(world, "ratchet")
    starts = np.array([a.angle, b.angle, c.angle])
    least, x = wheel.angle, rack.position[0]
    for _ in range(60):
        scene.run(10)
        turned = np.array([a.angle, b.angle, c.angle]) - starts
        np.testing.assert_allclose(
            turned * (12, 24, 9), turned[0] * 12 * np.array([1, -1, 1]), atol=0.02
        )
        assert rack.position[0] - x == pytest.approx(2 * turned[1], abs=0.01)
        assert wheel.angle > least - np.radians(20.5)
        least = max(least, wheel.angle)
    assert wheel.angle > np.radians(100)


def test_belts_carry_all_into_the_bin():
    scene = scenes.build("conveyor")
    scene.run(2000)
    loads = [body for body in scene.world.bodies if body.kind == "dynamic"]
    assert len(loads) == 30
    assert all(body.position[1] < 0.5 for body in loads)


def test_platforms_open_from_below_hold_from_above():
    scene = scenes.build("one_way")
    scene.run()
    shot = [body for body in scene.world.bodies if body.kind == "dynamic"]
    aloft = [body for body in shot if body.position[1] > 2]
    assert len(aloft) >= 6
    assert all(-7 < body.position[0] < 7 and body.position[1] > 0 for body in shot)


@pytest.mark.slow
def test_the_beast_walks():
    scene = scenes.build("theo_jansen")
    (chassis,) = named(scene.world, "chassis")
    heights = []
    for _ in range(45):
        scene.run(20)
        heights.append(chassis.position[1])
    assert chassis.position[0] > 20  # over the pebbles too
    assert max(heights) - min(heights) < 0.8  # it keeps its body level
    assert abs(chassis.angle) < 0.2
    for joint in scene.world.joints:
        if joint.kind == "distance":
            assert joint.length == pytest.approx(joint.lower, abs=0.01)


@pytest.mark.slow
def test_the_net_holds_all_balls():
    scene = scenes.build("net")
    scene.run()
    moving = [body for body in scene.world.bodies if body.kind == "dynamic"]
    balls = [body.position for body in moving if body.colliders[0].shape.radius > 0.3]
    knots = np.array([body.position for body in moving if body.colliders[0].shape.radius < 0.3])
    assert len(balls) == 9
    for x, y in balls:
        assert y > knots[np.abs(knots[:, 0] - x) < 0.5][:, 1].max()


def test_double_pendulums_part_and_keep_their_energy():
    scene = scenes.build("double_pendulum")
    world = scene.world
    energy = world.kinetic_energy() + world.potential_energy()
    scale = sum(body.mass for body in world.bodies) * 9.81
    scene.run()
    now = world.kinetic_energy() + world.potential_energy()
    assert abs(now - energy) < 0.01 * scale
    tips = np.array([body.to_world((1, 0)) for body in named(world, "lower")])
    assert np.ptp(tips, axis=0).max() > 0.5


def test_all_dominoes_fall():
    scene = scenes.build("dominoes")
    (ball,) = named(scene.world, "ball")
    start = ball.position[0]
    scene.run()
    pieces = [b for b in scene.world.bodies if b.kind == "dynamic" and b is not ball and b != ball]
    assert all(abs(piece.angle) > 0.5 for piece in pieces)
    assert ball.position[0] > start + 0.02


@pytest.mark.parametrize(("name", "settling"), [("card_house", 0.04), ("arch", 0.15)])
def test_what_is_built_stands(name, settling):
    scene = scenes.build(name)
    before = scene.world.positions.copy()
    scene.run()
    assert np.abs(scene.world.positions - before).max() < settling
    assert not scene.world.awake[scene.world.kinds == 2].any()


def test_the_blast_leaves_no_brick_on_another_in_place():
    scene = scenes.build("explosion")
    before = scene.world.positions.copy()
    scene.run(90)
    assert np.abs(scene.world.positions - before).max() < 0.05
    scene.run(90)
    moved = np.hypot(*(scene.world.positions - before).T)[scene.world.kinds == 2]
    assert (moved > 0.5).mean() > 0.9


def test_every_scene_has_its_picture_and_its_place_on_the_page():
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "scenes.md").read_text("utf-8")
    for name, entry in scenes.SCENES.items():
        assert f"## {name}\n" in page
        assert entry.description[1:] in page
        assert f"images/scene-{name}.png" in page
        assert (docs / "images" / f"scene-{name}.png").stat().st_size > 2000


@pytest.mark.parametrize("name", scenes.SCENES)
def test_the_source_of_a_scene_builds_the_same_world(name):
    text = scenes.source(name)
    assert max(map(len, text.splitlines())) <= 100 or text.startswith("{")
    if text.startswith("{"):
        again = scenes.loads(text)
    else:
        names = {"__name__": "scene"}
        exec(compile(text, name, "exec"), names)
        again = names[scenes.SCENES[name].build.__name__]()
    assert again.world.hash() == scenes.build(name).world.hash()
    again.run(3)


def test_the_page_of_scenes_has_their_present_sources(repository):
    text = (repository / "docs" / "scenes.md").read_text("utf-8")
    for name, entry in scenes.SCENES.items():
        rest = text[text.index(f"\n## {name}\n") :].lower()
        assert entry.description.lower() in rest
        assert rest.index(scenes.source(name).lower()) < (rest + "\n## ").index("\n## ", 1), (
            f"{name}: python docs/make_scenes.py page"
        )


def test_no_source_for_what_is_no_scene():
    with pytest.raises(scenes.SceneError, match="did you mean 'pyramid'"):
        scenes.source("pyramids")


def test_a_scene_shows_itself():
    scene = scenes.build("pyramid")
    bodies = len(scene.world.bodies)
    assert repr(scene) == f"<Scene 'pyramid': {bodies} bodies, 300 steps in 5 s>"
    shown = scene._repr_html_()
    assert escape(scene.description) in shown
    assert "<svg" in shown
