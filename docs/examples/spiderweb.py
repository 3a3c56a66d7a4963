"""A web of small weights on springs, which can be pulled and swings back."""

import numpy as np

import pyphys2d as p2


def build(*, spokes: int = 12, rings: int = 6) -> tuple[p2.World, p2.Body, list[list[p2.Body]]]:
    world = p2.World(gravity=(0, 0), linear_damping=0.5)
    spot = p2.Circle(0.1)
    hub = world.add_body(spot, mask=0)
    threads = [[hub] for _ in range(spokes)]
    spring = {"spring_hertz": 3.0, "spring_damping_ratio": 0.1}
    for thread, angle in zip(threads, np.arange(spokes) * 2 * np.pi / spokes, strict=True):
        outwards = p2.geometry.direction(angle)
        for ring in range(1, rings + 1):
            weight = world.add_body(spot, 0.8 * ring * outwards, mask=0)
            world.add_distance_joint(thread[-1], weight, **spring)
            thread.append(weight)
        world.add_distance_joint(None, thread[-1], anchor_a=0.8 * (rings + 1) * outwards, **spring)
    for thread, other in zip(threads, threads[1:] + threads[:1], strict=True):
        for a, b in zip(thread[1:], other[1:], strict=True):
            world.add_distance_joint(a, b, **spring)
    return world, hub, threads


if __name__ == "__main__":
    world, hub, threads = build()
    hand = world.add_mouse_joint(hub, target=hub.position, max_force=1000)
    hand.target = (1.5, 1)
    world.step(1 / 60, n=120)
    print("pulled to", hub.position.round(2))
    world.remove(hand)
    world.step(1 / 60, n=900)
    print("back at", hub.position.round(2))
