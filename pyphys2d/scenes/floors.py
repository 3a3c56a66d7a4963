"""Scenes of floors that do more than carry: conveyor belts, platforms that are open from below."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyphys2d import Box, Capsule, Chain, Circle, RegularPolygon, World
from pyphys2d.geometry import direction
from pyphys2d.scenes.scene import Scene


def conveyor() -> Scene:
    """Three belts carry boxes and balls to and fro, from one down to the next, into a bin."""
    world = World(gravity=(0, -10))
    belts = ((-1.0, 6.0, 2.0), (2.5, 3.5, -2.0), (-1.0, 1.0, 3.0))  # x, y, speed towards +x
    for x, y, speed in belts:
        # A positive tangent speed carries what lies on top towards +x.
        world.add_body(
            Capsule((-4, 0), (4, 0), 0.25),
            (x, y),
            kind="static",
            friction=0.8,
            tangent_speed=speed,
            name=f"belt at {speed:+g} m/s",
        )
    walls = [(-6.2, 7.5), (-6.2, 0.0), (4.6, -2.5), (10.2, -2.5), (10.2, 7.5), (7.8, 7.5)]
    world.add_body(Chain(walls[1:5]), kind="static", name="bin")
    world.add_body(Box(0.2, 3.0), (8.0, 4.8), kind="static")
    world.add_body(Box(0.2, 3.0), (-2.7 - 1.5, 2.6), 0.35, kind="static")
    kinds = (Box(0.5, 0.5), Circle(0.28), RegularPolygon(6, 0.3), Box(0.8, 0.3))

    def feed(world: World, step: int) -> None:
        if step % 30 == 0 and step < 900:
            # Without rolling resistance a ball would spin on the spot.
            world.add_body(
                kinds[step // 30 % 4],
                (-4.2, 7.2),
                0.1 * (step // 30 % 5),
                friction=0.5,
                rolling_resistance=0.1,
            )

    return Scene("conveyor", world, steps=1500, before_step=feed, view=(-7.5, -3.2, 11, 8.5))


class OneWay:
    """Solid from above, open from below.

    A contact of a platform is kept if its normal leads out of the top and the two do not overlap
    by more than a hair, as they do when a body comes through from below.
    """

    def __init__(self, platforms: NDArray[np.integer]) -> None:
        self._platforms = platforms

    def __call__(self, contacts: NDArray[np.void]) -> None:
        sign = np.where(np.isin(contacts["body_a"], self._platforms), 1, -1)
        up = sign * contacts["normal"][:, 1]
        contacts["enabled"] = (up > 0.7) & (contacts["separation"] > -0.03)


def one_way() -> Scene:
    """Balls are shot up through platforms that are open from below, and come to rest on them."""
    world = World(gravity=(0, -10))
    world.add_body(Box(14, 1), (0, -0.5), kind="static", name="floor")
    world.add_body(Box(0.4, 10), (-6.8, 5), kind="static")
    world.add_body(Box(0.4, 10), (6.8, 5), kind="static")
    places = [(-3.0, 2.0), (3.0, 2.0), (0.0, 4.0), (-3.6, 6.0), (3.6, 6.0)]
    platforms = world.add_bodies(Box(4.5, 0.2), places, kind="static", pre_solve=True)
    world.on_pre_solve = OneWay(platforms)
    ball, crate = Circle(0.25), Box(0.45, 0.45)

    def shoot(world: World, step: int) -> None:
        if step % 20 == 0 and step < 480:
            k = step // 20
            c, s = direction(1.35 + 0.45 * (k % 2) - 0.03 * (k % 7))
            speed = 9.0 + 0.9 * (k % 5)
            world.add_body(
                ball if k % 3 else crate,
                (-4.5 + 9.0 * (k * 5 % 12) / 11, 0.4),
                velocity=(speed * c, speed * s),
                restitution=0.2,
            )

    return Scene("one_way", world, steps=720, before_step=shoot, view=(-7.5, -1.2, 7.5, 10.5))
