"""Asteroids: a ship among rocks in a wrapped world, flown by a script.

What leaves on one side comes in on the other, and so do shots: the ship aims at the image of a rock
that is nearest. A shot splits the rock that it hits along the way it came; splinters vanish.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyphys2d import Body, Circle, Polygon, World
from pyphys2d.geometry import direction, lead_target
from pyphys2d.scenes.scene import Scene, length

WIDTH, HEIGHT = 48.0, 32.0
HULL = [(-0.8, -0.7), (1.4, 0.0), (-0.8, 0.7), (-0.4, 0.0)]
ROCKS = 9
SPLINTER = 1.2  # m^2: smaller rocks vanish
RELOAD = 14  # steps between two shots
FLIGHT = 75  # steps after which a shot is spent
MUZZLE_SPEED = 26.0  # m/s
AIMED = 0.08  # radians off the aim at which the ship shoots
CRUISE = 5.0  # m/s

Array = NDArray[np.float64]


def rock(rng: np.random.Generator, radius: float) -> Polygon:
    """A lump with some dents.

    Examples
    --------
    >>> import numpy as np
    >>> from pyphys2d.scenes.asteroids import rock
    >>> 20 < rock(np.random.default_rng(0), 3.0).area < 30
    True
    """
    corners = np.arange(11) * (2 * np.pi / 11) + rng.uniform(-0.12, 0.12, 11)
    reaches = radius * rng.uniform(0.75, 1.1, 11)
    return Polygon(reaches[:, None] * direction(corners), recenter=True)


def nearest_image(gap: ArrayLike) -> Array:
    """The least of a difference's images in the scene's world.

    Examples
    --------
    >>> from pyphys2d.scenes.asteroids import nearest_image
    >>> nearest_image([47, 1]).tolist()
    [-1.0, 1.0]
    """
    size = np.array([WIDTH, HEIGHT])
    least: Array = gap - size * np.floor(np.divide(gap, size) + 0.5)
    return least


class Pilot:
    """Flies the ship, fires, and splits what was hit."""

    def __init__(self, ship: Body, rocks: list[Body]) -> None:
        self._ship = ship
        self._rocks = {rock.index: rock for rock in rocks}
        self._shots: dict[int, tuple[int, Body]] = {}
        self._ball = Circle(0.15)
        self._ready = 0

    @property
    def ship(self) -> Body:
        """What it flies."""
        return self._ship

    def __call__(self, world: World, step: int) -> None:
        self.tidy(world, step)
        if self._rocks:
            self._fly(world, step)

    def tidy(self, world: World, step: int) -> None:
        """Split what was hit in the last step, and take spent shots away."""
        self._split(world)
        for index, (until, shot) in list(self._shots.items()):
            if until <= step:
                del self._shots[index]
                world.remove(shot)

    def _split(self, world: World) -> None:
        for row in world.events.contact_begin:
            pair = int(row["body_a"]), int(row["body_b"])
            for index, other in (pair, pair[::-1]):
                if index in self._shots and other in self._rocks:
                    _, shot = self._shots.pop(index)
                    self._break(world, self._rocks.pop(other), shot)
                    world.remove(shot)
                    break

    def _break(self, world: World, rock: Body, shot: Body) -> None:
        middle = rock.to_world(rock.center_of_mass)
        way = nearest_image(middle - shot.position)
        for part in world.slice(rock, middle, middle + way):
            if sum(collider.shape.area for collider in part.colliders) < SPLINTER:
                world.remove(part)
                continue
            self._rocks[part.index] = part
            aside = nearest_image(part.position - middle)
            part.velocity = part.velocity + 1.5 * aside / max(length(aside), 1e-9)

    def _fly(self, world: World, step: int) -> None:
        ship, here = self._ship, self._ship.position
        gaps = [nearest_image(rock.position - here) for rock in self._rocks.values()]
        distances = [length(gap) for gap in gaps]
        nearest = min(range(len(gaps)), key=distances.__getitem__)
        rock = list(self._rocks.values())[nearest]
        aim = lead_target((0, 0), gaps[nearest], rock.velocity - ship.velocity, MUZZLE_SPEED)
        way = gaps[nearest] if aim is None else aim
        cos, sin = direction(ship.angle)
        ahead, left = cos * way[0] + sin * way[1], cos * way[1] - sin * way[0]
        # The angle to the target, well enough: exact where it is small.
        off = float(left / max(length(way), 1e-9))
        off = off if ahead > 0 else (1.0 if left > 0 else -1.0)
        ship.apply_torque(ship.inertia * (160.0 * off - 18.0 * ship.angular_velocity))
        speed = cos * ship.velocity[0] + sin * ship.velocity[1]
        if distances[nearest] > 9.0 and ahead > 0 and speed < CRUISE:
            ship.apply_force((12.0 * ship.mass * cos, 12.0 * ship.mass * sin))
        if step >= self._ready and ahead > 0 and abs(off) < AIMED:
            self.fire(world, np.array([cos, sin]))
            self._ready = step + RELOAD

    def fire(self, world: World, heading: Array) -> None:
        """Shoot along a heading, a unit vector; the recoil pushes the ship."""
        ship = self._ship
        shot = world.add_body(
            self._ball,
            ship.position + 1.8 * heading,
            velocity=ship.velocity + MUZZLE_SPEED * heading,
            bullet=True,
            name="shot",
        )
        self._shots[shot.index] = (world.step_count + FLIGHT, shot)
        ship.apply_impulse(-shot.mass * MUZZLE_SPEED * heading)


def asteroids() -> Scene:
    """A ship among rocks that it splits, in a world whose opposite sides are one."""
    world = World(gravity=(0, 0), wrap=(WIDTH, HEIGHT))
    rng = np.random.default_rng(7)
    ship = world.add_body(
        Polygon(HULL, recenter=True),
        (2.0, 3.0),
        0.5,
        linear_damping=0.3,
        restitution=0.3,
        name="ship",
    )
    rocks: list[Body] = []
    while len(rocks) < ROCKS:
        place, radius = rng.uniform((0, 0), (WIDTH, HEIGHT)), rng.uniform(2.0, 3.2)
        gaps = [nearest_image(body.position - place) for body in [ship, *rocks]]
        if min(length(gap) for gap in gaps) < 6.8:
            continue
        rocks.append(
            world.add_body(
                rock(rng, radius),
                place,
                velocity=rng.uniform(-2.5, 2.5, 2),
                angular_velocity=rng.uniform(-0.6, 0.6),
                friction=0.3,
                restitution=0.6,
                name=f"rock {len(rocks)}",
            )
        )
    return Scene(
        "asteroids", world, steps=600, before_step=Pilot(ship, rocks), view=(0, 0, WIDTH, HEIGHT)
    )
