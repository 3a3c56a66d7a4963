"""Nets and bridges of rods and ropes carry what falls on them, and give it no energy."""

import numpy as np
import pytest

import pyphys2d as p2

G = 9.81


def energy_of(world):
    moving = world.kinds == 2
    return world.kinetic_energy() + (world.masses * G * world.positions[:, 1])[moving].sum()


def net(columns, rows, held, **length):
    """Points of 0.1 kg, 0.3 m apart."""
    world, joints = p2.World(), []
    points = {
        (i, j): world.add_body(
            p2.Circle(0.05), (0.3 * i, -0.3 * j), mass=0.1, group=-1, linear_damping=0.5
        )
        for i in range(columns)
        for j in range(rows)
    }
    for (i, j), point in points.items():
        others = [points.get((i + 1, j)), points.get((i, j + 1))]
        joints += [world.add_distance_joint(point, b, **length) for b in others if b]
    for i in held:
        world.add_revolute_joint(None, points[i, 0], anchor=points[i, 0].position)
    return world, joints


@pytest.mark.fast_cases(6)
@pytest.mark.parametrize("mass", [0.5, 2, 5])
@pytest.mark.parametrize("length", [{}, {"upper": 0.3}], ids=["rods", "ropes"])
@pytest.mark.parametrize(
    ("columns", "rows", "held"), [(8, 8, (0, 7)), (10, 8, (0, 4, 9)), (12, 12, (0, 11))]
)
def test_a_ball_falls_into_a_net(columns, rows, held, length, mass):
    """Such a net reached 400 m/s, and its rods opened by metres."""
    world, joints = net(columns, rows, held, **length)
    world.add_body(p2.Circle(0.4), (1.4, 2.4), mass=mass)
    start = energy_of(world)
    for _ in range(240):
        world.step()
        assert energy_of(world) < start + 0.02 * mass * G * 2
        lengths = [np.hypot(*(j.body_a.position - j.body_b.position)) for j in joints]
        assert max(lengths) < 0.42


def bridge(planks, ropes, load, place):
    """Straight and taut: planks of 1 kg, gaps of 0.1 m, one or two ropes in each."""
    world = p2.World()
    gap, width = 0.1, 1.0
    span = planks * width + (planks + 1) * gap
    ends = [world.add_body(p2.Box(0.2, 0.2), (x, 0), kind="static") for x in (0, span)]
    row = [ends[0]]
    for k in range(planks):
        place_of_plank = (gap + width / 2 + k * (width + gap), 0)
        row.append(world.add_body(p2.Box(width, 0.15), place_of_plank, mass=1))
    row.append(ends[1])
    for k in range(planks + 1):
        x = k * (width + gap)
        for y in (-0.05, 0.05) if ropes == 2 else (0,):
            world.add_distance_joint(
                row[k], row[k + 1], anchor_a=(x, y), anchor_b=(x + gap, y), upper=gap
            )
    ball = world.add_body(p2.Circle(0.5), (place * span, 2.575), mass=load)
    return world, ball


@pytest.mark.parametrize("place", [0.37, 0.43, 0.5])
@pytest.mark.parametrize("load", [2, 10])
@pytest.mark.parametrize("planks", [3, 6])
def test_a_taut_bridge_of_two_ropes_in_each_gap_throws_nothing_up(planks, load, place):
    """A ball of 2 kg that fell 2 m rose to 30 m."""
    world, ball = bridge(planks, 2, load, place)
    energy, highest, hit = energy_of(world), 0.0, False
    for _ in range(240):
        world.step()
        hit |= len(ball.contacts) > 0
        highest = max(highest, ball.position[1] - 0.575) if hit else 0.0
        assert energy_of(world) < energy + 0.05 * load * G * 2
    assert hit
    assert highest < 1.02 * 2


def test_a_driven_plank_lifts_sixty_times_its_mass():
    """Motors do work: their islands may gain energy."""
    world = p2.World()
    plank = world.add_body(p2.Box(2, 0.2), (0, 1), mass=1)
    world.add_motor_joint(None, plank, linear_velocity=(0, 1), max_force=1e5, max_torque=1e5)
    crate = world.add_body(p2.Box(0.8, 0.8), (0.2, 1.5), mass=60)
    world.step(n=120)
    assert crate.position[1] == pytest.approx(3.5, abs=0.02)
    assert crate.velocity[1] == pytest.approx(1, abs=5e-3)


def test_a_kinematic_hook_lifts_what_hangs_on_it():
    world = p2.World()
    hook = world.add_body(p2.Box(0.2, 0.2), (0, 6), kind="kinematic", velocity=(0, 2))
    upper = hook
    for k in range(5):
        link = world.add_body(p2.Box(0.1, 0.4), (0, 5.6 - 0.4 * k), mass=0.5, group=-1)
        world.add_revolute_joint(upper, link, anchor=(0, 5.8 - 0.4 * k))
        upper = link
    plate = world.add_body(p2.Box(2, 0.2), (0, 3.7), mass=1)
    world.add_weld_joint(upper, plate, anchor=(0, 3.8))
    crate = world.add_body(p2.Box(0.8, 0.8), (0, 4.2), mass=50, group=-1)
    world.step(n=120)
    assert crate.position[1] - plate.position[1] == pytest.approx(0.5, abs=0.05)
    assert crate.velocity[1] == pytest.approx(2, abs=0.2)
