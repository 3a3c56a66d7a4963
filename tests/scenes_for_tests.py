"""Small scenes that several test modules share, and what is measured on them."""

import os
import subprocess
import sys
from typing import Any

import numpy as np

import pyphys2d as p2


def ground(world: p2.World, half_width: float = 50, **options: Any) -> p2.Body:
    """A static box whose top is y = 0."""
    return world.add_body(p2.Box(2 * half_width, 2), (0, -1), kind="static", **options)


def pyramid(base: int, x: float = 0.0, **options: Any) -> tuple[p2.World, np.ndarray]:
    """A world with ground and a pyramid of unit boxes; the last slot is the top box."""
    options.setdefault("gravity", (0, -10))
    options.setdefault("sleeping", False)
    world = p2.World(**options)
    world.add_body(p2.Box(2 * base + 20, 2), (x, -1), kind="static")
    positions = [
        (x + 0.5 * (i + 1) + (j - i) - 0.5 * base, 0.5 * (2 * i + 1))
        for i in range(base)
        for j in range(i, base)
    ]
    return world, world.add_bodies(p2.Box(1, 1), np.array(positions))


def mixed(**options: Any) -> p2.World:
    """Every kind of shape falling into a bin: circles, boxes, rounded boxes, capsules, concave
    ones, a chain.
    """
    options.setdefault("gravity", (0, -10))
    world = p2.World(**options)
    world.add_body(
        p2.Chain([(-9, 12), (-8, 0), (-3, -1), (0, -0.5), (4, -1), (8, 0), (9, 12)]), kind="static"
    )
    world.add_body(p2.Segment((-2, 2), (2, 2.5)), kind="static")
    world.add_body(p2.Box(3, 0.4), (0, 5), kind="kinematic", angular_velocity=0.8)
    star = p2.Polygon([(0.6, 0), (0.15, 0.15), (0, 0.6), (-0.15, 0.15), (-0.6, 0), (0, -0.5)])
    shapes = [
        p2.Circle(0.35),
        p2.Box(0.7, 0.5),
        p2.Box(0.4, 0.4, radius=0.1),
        p2.Capsule((-0.25, 0), (0.25, 0), 0.2),
        p2.RegularPolygon(5, 0.4),
        star,
        p2.RegularPolygon(9, 0.4),
        p2.Polygon([(-0.5, -0.4), (0.5, -0.4), (0, 0.5)]),
    ]
    number = 0
    for row in range(9):
        for column in range(10):
            world.add_body(
                shapes[number % len(shapes)],
                (-5.4 + 1.2 * column + 0.05 * row, 3.2 + 1.25 * row),
                0.37 * number,
                restitution=0.3 if number % 7 == 0 else 0,
                friction=0.2 + 0.05 * (number % 9),
            )
            number += 1
    return world


def penetrations(world: p2.World) -> np.ndarray:
    """Depths of the touching contact points, metres, >= 0."""
    return np.maximum(-world.contacts["separation"], 0)


def run_python(
    *arguments: str, timeout: float = 300, cwd: Any = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter on the package under test, with extra environment variables."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env={**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": path, **environment},
    )


def jointed(**options):
    """Trees, loops, springs, motors, contacts, a kinematic body and a joint that breaks."""
    world = p2.World(gravity=(0, -10), **options)
    ground(world)
    last = None
    for i in range(6):
        link = world.add_body(p2.Capsule((-0.5, 0), (0.5, 0), 0.125), (i + 0.5, 9), mask=0)
        world.add_revolute_joint(last, link, anchor=(i, 9))
        last = link
    end = world.add_body(p2.Circle(0.5), (6.5, 9), mass=30 * last.mass, mask=0)
    world.add_revolute_joint(last, end, anchor=(6, 9), motor_speed=1, max_motor_torque=2)
    planks = [world.add_body(p2.Box(1, 0.2), (i - 9.5, 3), group=-1) for i in range(8)]
    for i in range(8):
        world.add_revolute_joint(
            planks[i - 1] if i else None, planks[i], anchor=(i - 10, 3), lower=-1, upper=1
        )
    world.add_revolute_joint(None, planks[7], anchor=(-2, 3))
    load = world.add_body(p2.Box(1, 1), (-6, 4), density=20)
    car = world.add_body(p2.Box(2, 0.4), (12, 1))
    for x in (11.2, 12.8):
        wheel = world.add_body(p2.Circle(0.4), (x, 0.4))
        world.add_wheel_joint(
            car, wheel, motor_speed=-3, max_motor_torque=4, spring_hertz=5, spring_damping_ratio=0.7
        )
    drum = world.add_body(p2.Circle(0.3), (20, 4), kind="kinematic", angular_velocity=1)
    arm = world.add_body(p2.Box(1, 0.2), (20.5, 4))
    world.add_weld_joint(drum, arm, anchor=(20, 4), break_torque=60)
    world.add_prismatic_joint(arm, world.add_body(p2.Box(0.3, 0.3), (21, 4)), lower=-1, upper=0.5)
    world.add_mouse_joint(load, target=(-6, 5), max_force=20)
    for i in range(4):
        ball = world.add_body(p2.Circle(0.2), (4 + i, 6))
        world.add_distance_joint(None, ball, anchor_a=(4 + i, 8), upper=1.5, spring_hertz=2)
    crates = [world.add_body(p2.Box(0.5, 0.5), (24 + i, 5), density=1 + i) for i in range(2)]
    world.add_pulley_joint(*crates, ground_a=(24, 9), ground_b=(25, 9), ratio=1.5)
    lever = world.add_body(p2.Box(2, 0.2), (29, 5))
    world.add_revolute_joint(None, lever, anchor=(28, 5), motor_speed=3, max_motor_torque=9)
    world.add_ratchet_joint(None, lever, tooth=0.3)
    wheel = world.add_body(p2.Circle(0.5), (31, 5), angular_velocity=3)
    pin = world.add_revolute_joint(lever, wheel)
    rack = world.add_body(p2.Box(0.2, 1), (31.6, 5))
    rail = world.add_prismatic_joint(lever, rack, axis=(0, 1), lower=-0.4, upper=0.4)
    world.add_gear_joint(pin, rail, -2)
    spinner = world.add_body(p2.Circle(0.5), (34, 5))
    world.add_gear_joint(world.add_revolute_joint(None, spinner), pin, 1.5)
    return world
