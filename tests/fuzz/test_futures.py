"""Copies of worlds have the future of the original: random worlds, and what was found in them."""

import sys
from pathlib import Path

import pytest

import pyphys2d as p2
from pyphys2d import scenes

sys.path.insert(0, str(Path(__file__).parent))
import futures

# What was found: a length of steps that changed under a body of another gravity (668), a force
# on a body that became kinematic (1320).
FOUND = [668, 1320]


@pytest.mark.parametrize("seed", FOUND)
def test_random_worlds_that_had_faults(seed):
    assert futures.of_program(seed, share=1, with_late=False) is None


@pytest.mark.slow
def test_random_worlds():
    assert [seed for seed in range(40) if futures.of_program(seed)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gears", "theo_jansen", "pinball"])
def test_every_way_to_copy_a_scene(name):
    scene = scenes.build(name)
    scene.run(70)
    assert futures.check(scene.world, 60, scene.dt) == []
    assert futures.check_together(scene.world, 60, scene.dt, number=1) == []


def test_a_bounce_is_asked_of_new_contacts():
    """A ball that a jointed box has stopped leans on it: no new bounce, whatever is made anew."""
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    world.add_prismatic_joint(None, box, anchor=(0, 0.5), axis=(1, 0), max_motor_force=1e6)
    world.add_body(p2.Circle(0.3), (-4, 0.5), velocity=(5, 0), restitution=1, density=20)
    for _ in range(150):
        world.step()
        twins = world.fork(1)[0], p2.World.from_snapshot(world.snapshot())
        assert futures.stepped(twins[0]) == futures.stepped(twins[1])
