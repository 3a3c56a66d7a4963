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
