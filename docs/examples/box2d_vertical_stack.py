"""Stacks of boxes that stand, until something heavy and fast comes along."""

import pyphys2d as p2


def build(*, stacks: int = 5, height: int = 12) -> p2.World:
    world = p2.World()
    world.add_body(p2.Segment((-30, 0), (30, 0)), kind="static")
    world.add_body(p2.Segment((15, 0), (15, 30)), kind="static")
    spots = [(2.5 * i, 0.5 + j) for i in range(stacks) for j in range(height)]
    world.add_bodies(p2.Box(1, 1), spots, friction=0.3)
    return world


def shoot(world: p2.World) -> p2.Body:
    return world.add_body(p2.Circle(0.25), (-20, 5), velocity=(150, 0), density=50, bullet=True)


if __name__ == "__main__":
    world = build()
    world.step(1 / 60, n=300)
    print("asleep:", int((~world.awake).sum()) - 2, "of", len(world.bodies) - 2)
    shoot(world)
    world.step(1 / 60, n=120)
    print("thrown down:", int((world.positions[:, 1] < 0.6).sum()))
