"""Newton's cradle: as many balls fly off on one side as fall in on the other."""

import numpy as np

import pyphys2d as p2


def build(*, balls: int = 5, lifted: int = 1, angle: float = 0.6) -> tuple[p2.World, list[p2.Body]]:
    world = p2.World(restitution_threshold=0.0, sleeping=False)
    row = []
    for k in range(balls):
        top = np.array((float(k), 5.0))
        down = np.array((np.sin(-angle), -np.cos(angle))) if k < lifted else np.array((0.0, -1.0))
        ball = world.add_body(p2.Circle(0.5), top + 4 * down, restitution=1.0, friction=0.0)
        world.add_distance_joint(None, ball, anchor_a=top)
        row.append(ball)
    return world, row


if __name__ == "__main__":
    world, row = build()
    for _ in range(8):
        world.step(1 / 240, n=120)
        print(f"{world.time:.1f} s", [f"{ball.velocity[0]:+.2f}" for ball in row], "m/s")
