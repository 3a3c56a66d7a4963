"""Scenes that ship: they tell what their sentence says. Benchmark scenes have the numbers of
their definitions.
"""

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
}


@pytest.mark.parametrize("name", benchmark.DESCRIPTIONS)
def test_benchmark_scenes_have_their_bodies(name):
    description = benchmark.DESCRIPTIONS[name]()
    world = benchmark.build_world(description)
    assert len(world.bodies) == description.body_count == BODIES[name]
    benchmark.run(world, description, 2)
    assert np.isfinite(world.positions).all()


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
