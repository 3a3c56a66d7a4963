"""Balls fall on an L that turns about a pin and hangs on a rope: it can tilt, but only so far."""

import numpy as np

import pyphys2d as p2


def build(*, seed: int = 0) -> tuple[p2.World, p2.Body]:
    world = p2.World()
    bars = [p2.Capsule((-1.5, 0), (2.55, 0), 0.05), p2.Capsule((-1.5, 0), (-1.5, 0.5), 0.05)]
    bar = world.add_body(bars, (0, 3), density=3)
    world.add_revolute_joint(None, bar, anchor=(0, 3))
    # The rope is slack at first: its end at (-1, 2.5) may be up to a quarter of a metre away.
    world.add_distance_joint(None, bar, anchor_a=(-1, 3), anchor_b=(-1, 3), length=0.25,
                             lower=0.0, upper=0.25)  # fmt: skip
    spots = np.random.default_rng(seed).uniform(-1.2, 2, 40)
    world.add_bodies(p2.Circle(0.14), [(x, 5 + 0.5 * k) for k, x in enumerate(spots)])
    return world, bar


def play(world: p2.World, seconds: float) -> None:
    """Balls that fell out of the picture are taken away."""
    for _ in range(round(60 * seconds)):
        world.step(1 / 60)
        world.remove([body for body in world.bodies if body.position[1] < -2])


if __name__ == "__main__":
    world, bar = build()
    play(world, 5)
    print(
        f"{len(world.bodies) - 1} balls left, the bar leans by {np.degrees(bar.angle):.1f} degrees"
    )
