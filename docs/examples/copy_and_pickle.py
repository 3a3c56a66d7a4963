"""A world is copied, pickled and written to a file, and all go on alike."""

import copy
import pickle

import pyphys2d as p2


def build() -> p2.World:
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static", name="floor")
    world.add_bodies(p2.Box(0.5, 0.5), [(0.1 * k, 1 + 0.8 * k) for k in range(10)])
    ball = world.add_body(p2.Circle(0.4), (3, 5), user_data={"points": 10})
    world.add_distance_joint(None, ball, anchor_a=(0, 9), length=5)
    return world


def copies(world: p2.World) -> list[p2.World]:
    return [
        copy.copy(world),
        copy.deepcopy(world),
        pickle.loads(pickle.dumps(world)),
        p2.World.from_snapshot(world.snapshot()),
        *world.fork(2),
    ]


if __name__ == "__main__":
    world = build()
    world.step(1 / 60, n=60)
    twins = copies(world)
    for each in (world, *twins):
        each.step(1 / 60, n=120)
    print(len({each.hash() for each in (world, *twins)}), "state of", 1 + len(twins), "worlds")
