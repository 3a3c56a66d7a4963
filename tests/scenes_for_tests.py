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


def fast_crowd(**options):
    """Fast bodies of all kinds, bullets among them, and static and kinematic walls in a chain."""
    rng = np.random.default_rng(8)
    world = p2.World(**options)
    frame = [(-30, -20), (30, -20), (30, 30), (-30, 30)]
    world.add_body(p2.Chain(frame, loop=True), kind="static")
    walls = rng.uniform(-20, 20, (12, 2))
    world.add_bodies(p2.Box(0.05, 9), walls, np.arange(12.0), kind="static")
    world.add_body(p2.Box(0.1, 16), (0, 5), kind="kinematic", angular_velocity=25)
    shapes = [
        p2.Circle(0.4),
        p2.Box(0.8, 0.8),
        p2.Circle(0.05),
        p2.Capsule((-1, 0), (1, 0), 0.05),
        p2.Box(2, 0.1),
        p2.Segment((-1, 0), (1, 0)),
        p2.Polygon([(-1, -1), (1, -1), (1, -0.6), (-0.6, -0.6), (-0.6, 1), (-1, 1)]),
        p2.Polygon([(0.3, 0), (0.1, 0.28), (-0.25, 0.17), (-0.25, -0.17), (0.1, -0.28)]),
    ]
    for k, shape in enumerate(shapes * 3):
        world.add_bodies(
            shape,
            rng.uniform(-18, 18, (10, 2)),
            velocity=rng.uniform(-250, 250, (10, 2)),
            angular_velocity=rng.uniform(-40, 40, 10),
            bullet=k % 3 == 0,
            restitution=0.5,
        )
    return world
