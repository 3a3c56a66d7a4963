"""Scenes of what stands, falls and flies apart: dominoes, a card house, an arch, an explosion.

The arch and the card house have the numbers of E. Catto's samples of
Box2D, so that they can be looked at side by side.
"""

from __future__ import annotations

from pyphys2d import Box, Circle, Polygon, World
from pyphys2d.scenes.benchmark import DEGREE
from pyphys2d.scenes.scene import Scene

# One half of the arch, from its foot to the keystone, times four.
INNER = (
    (16.0, 0.0),
    (14.93803712795643, 5.133601056842984),
    (13.79871746027416, 10.24928069555078),
    (12.56252963284711, 15.34107019122473),
    (11.20040987372525, 20.39856541571217),
    (9.66521217819836, 25.40369899225096),
    (7.87179930638133, 30.3179337000085),
    (5.635199558196225, 35.03820717801641),
    (2.405937953536585, 39.09554102558315),
)
OUTER = (
    (24.0, 0.0),
    (22.33619528222415, 6.02299846205841),
    (20.54936888969905, 12.00964361211476),
    (18.60854610798073, 17.9470321677465),
    (16.46769273811807, 23.81367936585418),
    (14.05325025774858, 29.57079353071012),
    (11.23551045834022, 35.13775818285372),
    (7.752568160730571, 40.30450679009583),
    (3.016931552701656, 44.28891593799322),
)


def dominoes() -> Scene:
    """A row of dominoes falls, runs up a stair and pushes a ball off its end."""
    world = World(gravity=(0, -10))
    world.add_body(Box(40, 1), (0, -0.5), kind="static", name="floor")
    piece = Box(0.2, 1.0)
    row = world.add_bodies(piece, [(-9.0 + 0.6 * k, 0.5) for k in range(18)])
    x, y = -9.0 + 0.6 * 17, 0.0
    for _ in range(6):  # steps, each a third of a piece high and with two pieces on it
        x += 0.6
        y += 0.15
        world.add_body(Box(1.2, y), (x + 0.3, 0.5 * y), kind="static")
        world.add_bodies(piece, [(x, y + 0.5), (x + 0.6, y + 0.5)])
        x += 0.6
    ledge = Box(2.0, y)
    world.add_body(ledge, (x + 1.6, 0.5 * y), kind="static")
    world.add_body(Circle(0.4), (x + 0.75, y + 0.4), name="ball", rolling_resistance=0.001)
    first = world.bodies[row[0]]
    first.apply_impulse((0.25, 0), (-9.0, 1.0))
    return Scene("dominoes", world, steps=540, view=(-11, -1.2, 13, 4.5))


def card_house() -> Scene:
    """A house of cards, five storeys high, stands on friction alone; the cards are 2 mm thick."""
    world = World(gravity=(0, -10))
    world.add_body(Box(80, 4), (0, -2), kind="static", friction=0.7, name="floor")
    card = Box(0.002, 0.4)
    left, y = 0.0, 0.18
    for storey in range(5, 0, -1):
        x = left
        for k in range(storey):
            if k + 1 < storey:
                world.add_body(card, (x + 0.25, y + 0.185), 90 * DEGREE, friction=0.7)
            world.add_body(card, (x, y), -25 * DEGREE, friction=0.7)
            x += 0.175
            world.add_body(card, (x, y), 25 * DEGREE, friction=0.7)
            x += 0.175
        y += 0.37
        left += 0.175
    return Scene("card_house", world, steps=600, view=(-0.6, -0.2, 2.2, 2.2))


def arch() -> Scene:
    """An arch of seventeen loose stones carries itself and four boxes."""
    world = World(gravity=(0, -10))
    world.add_body(Box(200, 2), (0, -1), kind="static", name="floor")
    inner = [(0.25 * x, 0.25 * y) for x, y in INNER]
    outer = [(0.25 * x, 0.25 * y) for x, y in OUTER]
    stones = [
        [(s * x, y) for x, y in (inner[k], outer[k], outer[k + 1], inner[k + 1])]
        for s in (1, -1)
        for k in range(8)
    ]
    (ix, iy), (ox, oy) = inner[8], outer[8]
    stones.append([(ix, iy), (ox, oy), (-ox, oy), (-ix, iy)])
    for k, stone in enumerate(stones):
        shape = Polygon(stone)
        world.add_body(
            Polygon(shape.vertices - shape.centroid),
            shape.centroid,
            name="keystone" if k == 16 else f"stone {k}",
        )
    world.add_bodies(Box(4, 1), [(0, oy + 0.5 + k) for k in range(4)])
    return Scene("arch", world, steps=600, view=(-9, -1.5, 9, 16))


def explosion() -> Scene:
    """A blast in a hut of planks throws its walls and roof through the air."""
    world = World(gravity=(0, -10))
    world.add_body(Box(80, 2), (0, -1), kind="static", name="ground")
    brick, plank = Box(0.5, 0.5), Box(3.6, 0.25)
    for x in (-1.5, 1.5):
        world.add_bodies(
            brick, [(x + dx, 0.25 + 0.5 * k) for k in range(6) for dx in (-0.25, 0.25)]
        )
    world.add_bodies(plank, [(0, 3.125), (0, 3.375)])
    world.add_bodies(Box(0.6, 0.3), [(-1.5 + 0.75 * k, 3.65) for k in range(5)])
    world.add_bodies(Circle(0.2), [(-0.8 + 0.4 * k, 0.2) for k in range(5) if k != 2], density=2)

    def blast(world: World, step: int) -> None:
        if step == 90:
            world.explode((0, 0.3), radius=2.0, impulse=3.5, falloff=4.0)

    return Scene("explosion", world, steps=300, before_step=blast, view=(-14, -1.5, 14, 11))
