"""The tutorial's solver and its switches: what each of them buys."""

import numpy as np
import pytest
from scenes_for_tests import ground, penetrations

import pyphys2d as p2


def stack(height=6, steps=300, **options):
    world = p2.World(gravity=(0, -10), solver="sequential_impulses", sleeping=False, **options)
    ground(world)
    for i in range(height):
        world.add_body(p2.Box(1, 1), (0, 0.5 + i))
    world.step(1 / 60, n=steps)
    return world


def test_defaults_hold_a_stack_with_its_slop():
    world = stack()
    assert world.positions[-1, 1] > 5.3
    assert abs(world.positions[-1, 0]) < 0.05
    assert penetrations(world).max() < 0.05


def test_more_iterations_penetrate_less():
    deep, shallow = (penetrations(stack(iterations=n, warm_starting=False)).max() for n in (2, 50))
    assert shallow < deep


def test_warm_starting_buys_stiffness():
    cold, warm = (penetrations(stack(warm_starting=w)).max() for w in (False, True))
    assert warm < cold


def test_baumgarte_zero_never_repairs_an_overlap():
    def overlap(factor):
        world = p2.World(gravity=(0, 0), solver="sequential_impulses", baumgarte=factor)
        a = world.add_body(p2.Box(1, 1), (0, 0))
        b = world.add_body(p2.Box(1, 1), (0.8, 0))
        world.step(n=120)
        return 1 - (b.position[0] - a.position[0])

    assert overlap(0.0) == pytest.approx(0.2, abs=1e-6)
    assert overlap(0.2) < 0.011


def test_the_bias_of_one_step_by_the_formula():
    """j n from dv = 0 is bias / k: 0.2 / dt (depth - slop), shared by inverse mass."""
    dt = 1 / 60
    world = p2.World(gravity=(0, 0), solver="sequential_impulses")
    a = world.add_body(p2.Circle(0.5), (0, 0), density=1)
    b = world.add_body(p2.Circle(0.5), (0.9, 0), density=3)
    world.step(dt)
    separation_speed = b.velocity[0] - a.velocity[0]
    assert separation_speed == pytest.approx(0.2 / dt * (0.1 - 0.01), rel=1e-6)
    assert a.mass * a.velocity[0] == pytest.approx(-b.mass * b.velocity[0], rel=1e-9)


@pytest.mark.parametrize("slop", [0.005, 0.03])
def test_an_overlap_is_pushed_out_up_to_the_slop(slop):
    """The bias takes 0.2 of what is beyond the slop in each step."""
    world = p2.World(gravity=(0, 0), solver="sequential_impulses", slop=slop)
    a = world.add_body(p2.Box(1, 1), (0, 0))
    b = world.add_body(p2.Box(1, 1), (0.95, 0))
    world.step(n=300)
    assert 1 - (b.position[0] - a.position[0]) <= slop + 1e-6
    assert a.position[0] == pytest.approx(0.95 - b.position[0], abs=1e-9)


def test_positional_correction_moves_bodies_apart_without_speed():
    world = p2.World(
        gravity=(0, 0), solver="sequential_impulses", baumgarte=0, positional_correction=0.8
    )
    a = world.add_body(p2.Circle(0.5), (0, 0))
    b = world.add_body(p2.Circle(0.5), (0.7, 0), density=3)
    world.step(n=1)
    gap = b.position[0] - a.position[0]
    assert gap == pytest.approx(0.7 + 0.8 * (0.3 - 0.01), rel=1e-6)
    assert -a.position[0] == pytest.approx(3 * (b.position[0] - 0.7), rel=1e-6)  # by inverse mass
    assert world.kinetic_energy() < 1e-12
    world.step(n=60)
    assert b.position[0] - a.position[0] == pytest.approx(0.99, abs=1e-3)


def test_translation_is_the_bad_way():
    """response="translate" moves shapes apart but takes no speed away."""
    world = p2.World(gravity=(0, 0), solver="sequential_impulses", response="translate")
    a = world.add_body(p2.Circle(0.5), (0, 0))
    b = world.add_body(p2.Circle(0.5), (0.9, 0), velocity=(-3, 0))
    world.step(n=30)
    np.testing.assert_allclose(b.velocity, (-3, 0), atol=1e-9)
    assert b.position[0] - a.position[0] > 0.9

    good = p2.World(gravity=(0, 0), solver="sequential_impulses")
    a = good.add_body(p2.Circle(0.5), (0, 0))
    b = good.add_body(p2.Circle(0.5), (0.99, 0), velocity=(-3, 0))
    good.step(n=30)
    np.testing.assert_allclose(good.momentum()[0], -3 * b.mass, rtol=1e-9)
    np.testing.assert_allclose(a.velocity, b.velocity, atol=0.05)


def test_without_accumulation_the_result_differs():
    hashes = {
        stack(accumulate=accumulate, warm_starting=False).hash() for accumulate in (True, False)
    }
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("iterations", 0),
        ("iterations", -1),
        ("baumgarte", -0.1),
        ("slop", np.nan),
        ("response", "kick"),
    ],
)
def test_bad_switches_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        p2.World(solver="sequential_impulses", **{name: value})
