"""The naval battle: fleets, cannonballs and the coast of the British Isles.

One metre of the world is ten kilometres of the map, so a ship is as long as a county is wide and
the whole map fits a picture. The islands are concave polygons; ships are convex and slow,
cannonballs are small, fast circles.
"""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np

from pyphys2d import Body, Circle, Polygon, World
from pyphys2d.geometry import direction
from pyphys2d.scenes.scene import Scene, length

METRES_PER_KM = 0.1
HULL = [(-2.4, -0.6), (0.8, -0.7), (1.9, -0.45), (2.7, 0.0), (1.9, 0.45), (0.8, 0.7), (-2.4, 0.6)]
RELOAD = 45  # steps between two broadsides of a ship
FLIGHT = 100  # steps after which a cannonball is spent
RANGE = 24.0  # metres
MUZZLE_SPEED = 22.0

# name, first ship, next ship, number of ships, heading, the point they make for
FLEETS = (
    ("grey", (58.0, 36.0), (1.5, -6.0), 6, 3.3, (16.0, 14.0)),
    ("blue", (24.0, 28.0), (1.0, -5.5), 6, 0.1, (62.0, 10.0)),
    ("west", (-58.0, 8.0), (2.0, -7.0), 5, 0.0, (-24.0, -14.0)),
    ("channel", (-6.0, -58.0), (7.0, -1.0), 5, 1.4, (14.0, -30.0)),
)


def coast() -> list[Polygon]:
    """The islands as polygons, in metres of the scene, the largest first.

    Examples
    --------
    >>> from pyphys2d.scenes.naval import coast
    >>> round(coast()[0].area * 100)  # km^2 of Great Britain
    210662
    """
    text = files("pyphys2d.scenes.data").joinpath("british_isles.json").read_text("utf-8")
    return [Polygon(np.array(ring) * METRES_PER_KM) for ring in json.loads(text)["polygons"]]


class Battle:
    """Steers the ships, fires their guns and clears away spent cannonballs."""

    def __init__(self, fleets: list[tuple[list[Body], tuple[float, float]]]) -> None:
        self._fleets = fleets
        self._flying: list[tuple[int, Body]] = []
        self._ball = Circle(0.3)

    def __call__(self, world: World, step: int) -> None:
        while self._flying and self._flying[0][0] <= step:
            world.remove(self._flying.pop(0)[1])
        for number, (ships, goal) in enumerate(self._fleets):
            enemies = [
                ship
                for other, (others, _) in enumerate(self._fleets)
                if other != number
                for ship in others
            ]
            aims = np.array([enemy.position for enemy in enemies])
            for place, ship in enumerate(ships):
                self._steer(ship, goal)
                # The guns of a fleet fire one after the other, not as one.
                if (step + 7 * place + 3 * number) % RELOAD == RELOAD - 1:
                    self._fire(world, ship, aims, step)

    def _steer(self, ship: Body, goal: tuple[float, float]) -> None:
        cos, sin = direction(ship.angle)
        way = np.array(goal) - ship.position
        way /= max(length(way), 1e-9)
        # The sine of the angle between heading and way is the helm.
        helm = cos * way[1] - sin * way[0]
        ship.apply_torque(4.0 * ship.inertia * float(helm))
        ship.apply_force((3.0 * ship.mass * cos, 3.0 * ship.mass * sin))

    def _fire(self, world: World, ship: Body, aims: np.ndarray, step: int) -> None:
        offsets = aims - ship.position
        distances = np.sqrt((offsets * offsets).sum(axis=1))
        nearest = int(distances.argmin())
        if not 4.0 < distances[nearest] < RANGE:
            return
        toward = offsets[nearest] / distances[nearest]
        shot = world.add_body(
            self._ball,
            ship.position + 3.3 * toward,
            velocity=ship.velocity + MUZZLE_SPEED * toward,
            density=3,
            restitution=0.4,
            linear_damping=0.25,
            bullet=True,
            name="cannonball",
        )
        self._flying.append((step + FLIGHT, shot))


def naval() -> Scene:
    """Four fleets fight off the British Isles; ships run aground on the real coastline."""
    world = World(gravity=(0, 0))
    for number, island in enumerate(coast()):
        world.add_body(island, kind="static", friction=0.3, name=f"island {number}")
    hull = Polygon(HULL, recenter=True)
    fleets = []
    for name, first, offset, count, heading, goal in FLEETS:
        ships = [
            world.add_body(
                hull,
                (first[0] + k * offset[0], first[1] + k * offset[1]),
                heading,
                friction=0.2,
                linear_damping=0.8,
                angular_damping=2.0,
                name=f"{name} {k}",
            )
            for k in range(count)
        ]
        fleets.append((ships, goal))
    return Scene("naval", world, steps=600, before_step=Battle(fleets), view=(-66, -66, 72, 66))
