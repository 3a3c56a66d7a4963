"""Scenes of what hangs together: pendulums, a cradle, a bridge, ragdolls, a net.

The pieces of one chain, doll or net do not collide with each other: they share a negative group.
"""

from __future__ import annotations

import numpy as np

from pyphys2d import Body, Box, Capsule, Circle, World
from pyphys2d.geometry import direction
from pyphys2d.scenes.benchmark import DEGREE
from pyphys2d.scenes.scene import Scene


def double_pendulum() -> Scene:
    """Five double pendulums begin a thousandth of a degree apart and diverge."""
    world = World(gravity=(0, -9.81))
    rod = Capsule((0, 0), (1, 0), 0.04)
    for k in range(5):
        angle = (100 + 0.001 * k) * DEGREE
        c, s = direction(angle)
        upper = world.add_body(rod, (0, 0), angle, group=-1, name=f"upper {k}")
        lower = world.add_body(rod, (c, s), angle, group=-1, name=f"lower {k}")
        lower.attach(Circle(0.12, (1, 0)), group=-1)
        world.add_revolute_joint(None, upper, anchor=(0, 0))
        world.add_revolute_joint(upper, lower, anchor=(c, s))
    return Scene("double_pendulum", world, steps=1200, view=(-2.5, -2.5, 2.5, 2.5))


def newtons_cradle() -> Scene:
    """Five steel balls on rods: as many fly off on one side as came in on the other."""
    world = World(gravity=(0, -9.81))
    world.add_body(Box(4.2, 0.2), (0, 3.1), kind="static", mask=0, name="beam")
    ball = Circle(0.3)
    for k in range(5):
        x = 0.6 * (k - 2)
        bob = world.add_body(ball, (x, 0), density=7.8, friction=0, restitution=1, name=f"ball {k}")
        world.add_distance_joint(None, bob, anchor_a=(x, 3))
        if k < 2:
            c, s = direction(-140 * DEGREE)
            bob.position = (x + 3 * c, 3 + 3 * s)
    return Scene("newtons_cradle", world, steps=450, view=(-4.2, -1, 4.2, 3.6))


def bridge() -> Scene:
    """A bridge of thirty planks carries three boxes, each of two hundred times a plank's mass."""
    world = World(gravity=(0, -10))
    # It hangs in an arc: every plank is turned a little more than the one before.
    bends = [0.5 * (k - 14.5) / 14.5 for k in range(30)]
    pins = [(0.0, 0.0)]
    for bend in bends:
        c, s = direction(bend)
        pins.append((pins[-1][0] + c, pins[-1][1] + s))
    world.add_body(Box(6, 8), (-3, -3.875), kind="static", name="left bank")
    world.add_body(Box(6, 8), (pins[-1][0] + 3, -3.875), kind="static", name="right bank")
    plank = Box(1.0, 0.25)
    before = None
    for k, bend in enumerate(bends):
        middle = 0.5 * (np.array(pins[k]) + pins[k + 1])
        body = world.add_body(plank, middle, bend, density=20, group=-1, name=f"plank {k}")
        world.add_revolute_joint(before, body, anchor=pins[k])
        before = body
    assert before is not None
    world.add_revolute_joint(None, before, anchor=pins[-1])
    for k in (12, 15, 18):
        world.add_body(Box(2, 2), (pins[k][0], pins[k][1] + 1.3), mass=1000, name="load")
    return Scene("bridge", world, steps=600, view=(-5, -8, 34, 4))


# Of a ragdoll 1.8 m tall: name, end points of the capsule, radius, the part it hangs on (None: the
# root), the point where, and how far it bends there, from and to, in degrees.
BONES = (
    ("hips", (-0.03, 0.95), (0.03, 0.95), 0.11, None, (0, 0), (0, 0)),
    ("chest", (0.0, 1.2), (0.0, 1.4), 0.12, "hips", (0.0, 1.05), (-40, 20)),
    ("head", (0.0, 1.65), (0.0, 1.7), 0.1, "chest", (0.0, 1.54), (-30, 30)),
    ("left thigh", (0.0, 0.85), (0.0, 0.6), 0.07, "hips", (0.0, 0.9), (-20, 110)),
    ("left shin", (0.0, 0.48), (0.0, 0.15), 0.055, "left thigh", (0.0, 0.54), (-130, 0)),
    ("right thigh", (0.0, 0.85), (0.0, 0.6), 0.07, "hips", (0.0, 0.9), (-20, 110)),
    ("right shin", (0.0, 0.48), (0.0, 0.15), 0.055, "right thigh", (0.0, 0.54), (-130, 0)),
    ("left upper arm", (0.0, 1.4), (0.0, 1.2), 0.05, "chest", (0.0, 1.43), (-60, 150)),
    ("left forearm", (0.0, 1.08), (0.0, 0.85), 0.04, "left upper arm", (0.0, 1.14), (0, 140)),
    ("right upper arm", (0.0, 1.4), (0.0, 1.2), 0.05, "chest", (0.0, 1.43), (-60, 150)),
    ("right forearm", (0.0, 1.08), (0.0, 0.85), 0.04, "right upper arm", (0.0, 1.14), (0, 140)),
)


def add_ragdoll(world: World, feet: tuple[float, float], number: int) -> dict[str, Body]:
    """A doll 1.8 m tall that looks to the right; its parts by name.

    Parameters
    ----------
    world : World
    feet : (float, float)
        Where it stands, metres.
    number : int
        From 1 on: parts of dolls with different numbers collide.
    """
    x, y = feet
    parts: dict[str, Body] = {}
    for name, p, q, radius, parent, pin, (lower, upper) in BONES:
        middle = (0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]))
        half = (0.5 * (q[0] - p[0]), 0.5 * (q[1] - p[1]))
        shape = Capsule((-half[0], -half[1]), half, radius)
        parts[name] = world.add_body(
            shape, (x + middle[0], y + middle[1]), density=1000 / 3, group=-number, name=name
        )
        if parent is not None:
            world.add_revolute_joint(
                parts[parent],
                parts[name],
                anchor=(x + pin[0], y + pin[1]),
                lower=lower * DEGREE,
                upper=upper * DEGREE,
                max_motor_torque=0.5,  # the friction of a joint
            )
    return parts


def ragdolls() -> Scene:
    """Dolls of eleven bones tumble down a stair."""
    world = World(gravity=(0, -10))
    for k in range(8):
        world.add_body(Box(1.0, 4 - 0.5 * k), (k + 0.5, 0.5 * (4 - 0.5 * k)), kind="static")
    world.add_body(Box(5, 0.5), (-2.5, 3.75), kind="static")
    world.add_body(Box(12, 1), (14, -0.5), kind="static", name="floor")
    world.add_body(Box(0.5, 2), (19.5, 1), kind="static")
    for k in range(5):
        doll = add_ragdoll(world, (-3.0 + 1.4 * k, 5.0 + 0.9 * k), k + 1)
        for name, body in doll.items():
            body.velocity = (3.5, 0) if name in ("head", "chest") else (2.0, 0)
    return Scene("ragdolls", world, steps=420, view=(-5.5, -1.2, 13, 9))


def net() -> Scene:
    """A net of four hundred cords catches balls; its loops are solved cord by cord."""
    world = World(gravity=(0, -10))
    columns, rows, pitch = 25, 9, 0.4
    knot = Circle(0.06)
    knots = np.empty((rows, columns), object)
    for i in range(rows):
        for j in range(columns):
            place = (pitch * (j - 0.5 * (columns - 1)), 2.0 - 0.25 * i)
            held = i == 0 and j % (columns - 1) == 0
            knots[i, j] = world.add_body(
                knot, place, kind="static" if held else "dynamic", density=40, group=-1
            )
            for a in (knots[i, j - 1] if j else None, knots[i - 1, j] if i else None):
                if a is not None:
                    world.add_distance_joint(a, knots[i, j])
    for k in range(9):
        world.add_body(Circle(0.35), (-2.8 + 0.7 * k, 4.0 + 0.5 * (k * 4 % 9)), density=1)
    return Scene("net", world, steps=480, view=(-6, -3, 6, 4))
