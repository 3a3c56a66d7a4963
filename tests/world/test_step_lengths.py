"""Steps whose length changes: what lies stays where it lies, and worlds go on from snapshots."""

import numpy as np
import pytest

import pyphys2d as p2


def ground(**settings):
    world = p2.World(sleeping=False, **settings)
    world.add_body(p2.Box(200, 4), (0, -2), kind="static", friction=1)
    return world


def tower(count=10, top=1.0, **settings):
    world = ground(**settings)
    for k in range(count):
        density = top if k == count - 1 else 1.0
        world.add_body(p2.Box(1, 1), (0, 0.5 + k), density=density)
    return world


def pyramid(rows=10, **settings):
    world = ground(**settings)
    for row in range(rows):
        for k in range(rows - row):
            world.add_body(p2.Box(1, 1), ((k - (rows - row) / 2) * 1.05, 0.5 + row))
    return world


def cards(levels, **settings):
    """A house of cards of 1.9 m that lean by 0.3 rad."""
    world, length, thick, lean = ground(**settings), 1.9, 0.07, 0.3
    half = length / 2 * np.sin(lean) + thick / 2 * np.cos(lean)
    tall = length * np.cos(lean) + thick * np.sin(lean)
    base, wide = 0.0, 2 * length * np.sin(lean) + 2 * thick * np.cos(lean)
    for level in range(levels):
        pairs = levels - level
        for k in range(pairs):
            middle = (k - (pairs - 1) / 2) * wide * 1.02
            for side in (-1, 1):
                world.add_body(
                    p2.Box(thick, length),
                    (middle + side * half, base + tall / 2),
                    side * lean,
                    friction=1,
                )
        base += tall
        for k in range(pairs - 1):
            middle = (k - (pairs - 2) / 2) * wide * 1.02
            world.add_body(p2.Box(wide, thick), (middle, base + thick / 2), friction=1)
        base += thick
    return world


SCENES = {
    "tower": tower,
    "tall": lambda **settings: tower(20, **settings),
    "heavy": lambda **settings: tower(3, top=40.0, **settings),
    "pyramid": pyramid,
    "cards": lambda **settings: cards(2, **settings),
    "three": lambda **settings: cards(3, **settings),
}
RATES = {
    "30": lambda k, rng: 30,
    "45": lambda k, rng: 45,
    "144": lambda k, rng: 144,
    "60 and 30": lambda k, rng: (60, 30)[k % 2],
    "any": lambda k, rng: rng.uniform(30, 144),
    "by the second": lambda k, rng: (60, 30, 144)[k // 60 % 3],
}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(
    "scene",
    ["tower", "heavy", "pyramid", "cards"]
    + [pytest.param(name, marks=pytest.mark.slow) for name in ("tall", "three")],
)
def test_what_lies_does_not_move_when_the_length_of_a_step_changes(scene, rate):
    """Before, a tower sank by 24 mm at 30 steps a second, and houses of cards fell down."""
    world, rng = SCENES[scene](), np.random.default_rng(0)
    world.step(1 / 60, n=300)
    there = world.positions.copy()
    passed, k = 0.0, 0
    while passed < 6:
        dt = 1 / RATES[rate](k, rng)
        world.step(dt)
        passed, k = passed + dt, k + 1
    assert np.abs(world.positions - there).max() < 1e-4
    assert np.hypot(*world.velocities.T).max() < 1e-3


@pytest.mark.parametrize("scene", ["tower", "pyramid", "cards"])
def test_more_substeps_change_nothing_of_that(scene):
    world, rng = SCENES[scene](substeps=16), np.random.default_rng(1)
    world.step(1 / 60, n=300)
    there = world.positions.copy()
    for _ in range(400):
        world.step(1 / rng.uniform(30, 144))
    assert np.abs(world.positions - there).max() < 1e-4


@pytest.mark.parametrize("scene", ["tower", "heavy"])
def test_the_tutorial_solver_scales_its_impulses_too(scene):
    """Steady impulses are loads times the length of a step: at rest, nothing is left to solve."""
    count = 4 if scene == "tower" else 2
    world = tower(count, top=1.0 if scene == "tower" else 3.0, solver="sequential_impulses")
    world.step(1 / 60, n=600)
    before = np.hypot(*world.velocities.T).max()
    world.step(1 / 200)
    assert np.hypot(*world.velocities.T).max() < before + 2e-3


def test_a_load_is_the_same_in_steps_of_any_length():
    world = tower(5)
    world.step(1 / 60, n=300)
    weight = 5 * 9.81
    for rate in (144, 30, 60, 100, 31):
        world.step(1 / rate)
        contacts = world.contacts
        low = contacts["point"][:, 1].argsort()[:2]
        force = contacts["normal_impulse"][low].sum() * rate
        assert force == pytest.approx(weight, rel=1e-3)


@pytest.mark.parametrize("rate", [24, 59.9, 60, 144])
def test_a_restored_world_knows_how_long_its_last_substep_was(rate):
    world = pyramid(6)
    world.step(1 / rate, n=20)
    other = p2.World.from_snapshot(world.snapshot())
    for dt in (1 / 75, 1 / 31, 1 / 144):
        world.step(dt)
        other.step(dt)
        assert np.array_equal(world.velocities, other.velocities)
    world.substeps = other.substeps = 5
    again = p2.World.from_snapshot(world.snapshot())
    world.step(1 / 60)
    again.step(1 / 60)
    other.step(1 / 60)
    assert np.array_equal(world.velocities, other.velocities)
    assert np.array_equal(world.velocities, again.velocities)


@pytest.mark.parametrize("longest", [1 / 120, 1 / 60, 1 / 60.0001])
def test_what_is_left_of_a_frame_throws_nothing(longest):
    """A last short step of a frame: what an impact has left in its impulses is no load."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        world = ground()
        for k in range(12):
            world.add_body(p2.Box(0.5, 0.5), (rng.uniform(-0.6, 0.6), 0.5 + 0.6 * k))
        for _ in range(180):
            left = 1 / 59.94
            while left > 1e-9:
                dt = min(left, longest)
                world.step(dt)
                left -= dt
                # as fast as with whole frames, in which none is above 2 m/s
                assert world.velocities[1:, 1].max() < 3
