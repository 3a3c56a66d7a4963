"""Scenes built in Python. Each function makes a new, unstepped world."""

from __future__ import annotations

import numpy as np

from pyphys2d import Box, Circle, Polygon, RegularPolygon, World
from pyphys2d.scenes import benchmark
from pyphys2d.scenes.scene import Scene


def collision() -> Scene:
    """Convex polygons and circles fall into a tray, collide and come to rest."""
    world = World(gravity=(0, -9.81))
    world.add_body(Box(13.4, 1), (0, -0.5), kind="static", name="floor")
    world.add_body(Box(1, 5.6), (-7.2, 1.3), 0.35, kind="static", name="left wall")
    world.add_body(Box(1, 5.6), (7.2, 1.3), -0.35, kind="static", name="right wall")

    # The polygons that the texts on this subject draw over and over, centred on their centroids.
    house = Polygon([(3, 1), (3, 3), (2, 4), (1, 3), (1, 1)], recenter=True)
    triangle = Polygon([(4, 1), (2, 4), (1, 1)], recenter=True)
    five = Polygon([(2, -1), (2.2, 1), (1.5, 2), (-1.2, 1), (-1, -1)], recenter=True)
    six = Polygon([(3, 1), (3, 2), (2.2, 3), (1.5, 3), (0.8, 2), (1, 1)], recenter=True)
    falling = [
        (house, (-4.2, 3.0), 0.2),
        (triangle, (-0.6, 2.6), -0.5),
        (five, (3.4, 2.4), 0.6),
        (Circle(0.9), (6.1, 4.4), 0.0),
        (six, (-2.4, 6.3), 1.1),
        (Circle(0.6), (0.9, 5.4), 0.0),
        (Box(2.2, 1.0), (4.4, 6.4), 0.4),
        (RegularPolygon(6, 0.9), (-5.4, 7.2), 0.1),
        (Circle(0.75), (-0.4, 8.4), 0.0),
        (triangle, (2.6, 9.2), 2.1),
        (RegularPolygon(8, 0.8), (5.6, 9.4), 0.0),
    ]
    for shape, position, angle in falling:
        world.add_body(shape, position, angle, friction=0.5, restitution=0.15)
    # One that is thrown in, so that something is hit as well as landed on.
    world.add_body(
        RegularPolygon(5, 0.8),
        (-11, 8.5),
        velocity=(9, 2),
        angular_velocity=-4,
        friction=0.5,
        restitution=0.3,
        name="thrown",
    )
    return Scene("collision", world, steps=180)


def tunneling() -> Scene:
    """Balls at 5 to 320 m/s against a thin wall, tested once per step: the fast ones pass."""
    world = World(gravity=(0, 0), continuous=False)
    world.add_body(Box(0.1, 17), (0, 0), kind="static", name="wall")
    speeds = 5.0 * 2.0 ** np.arange(7)
    heights = np.linspace(6.9, -6.9, len(speeds))
    for speed, y in zip(speeds, heights, strict=True):
        # All get there in the same time, halfway between two tests: v / 120 before and behind it.
        world.add_body(
            Circle(0.4),
            (-speed * 14.5 / 60, y),
            velocity=(speed, 0),
            restitution=0.5,
            name=f"{speed:g} m/s",
        )
    return Scene("tunneling", world, steps=24, view=(-12, -9, 54, 9))


def pyramid() -> Scene:
    """A pyramid of 210 boxes, twenty at its base, stands and falls asleep."""
    base = 20
    world = World(gravity=(0, -10))
    world.add_body(Box(base + 12, 1), (0, -0.5), kind="static", name="floor")
    positions = [
        (0.5 * (row + 1) + (k - row) - 0.5 * (base + 1) + 0.5, row + 0.5)
        for row in range(base)
        for k in range(row, base)
    ]
    world.add_bodies(Box(1, 1), positions)
    return Scene("pyramid", world, steps=300)


def tumbler() -> Scene:
    """A square drum turns at 25 degrees a second with 2,025 small boxes inside."""
    description = benchmark.tumbler()
    world = benchmark.build_world(description)
    return Scene("tumbler", world, dt=description.dt, steps=description.steps)
