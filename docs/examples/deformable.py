"""A soft ball: discs on springs around a hub. It falls, gives way and is round again."""

import numpy as np

import pyphys2d as p2


def build(*, discs: int = 24, radius: float = 1.5) -> tuple[p2.World, p2.Body, list[p2.Body]]:
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    center = np.array((0, 4))
    hub = world.add_body(p2.Circle(0.3), center, density=2)
    angles = np.arange(discs) * 2 * np.pi / discs
    size = radius * np.sin(np.pi / discs)
    spots = [center + radius * p2.geometry.direction(angle) for angle in angles]
    rim = [world.add_body(p2.Circle(size), spot, density=1, friction=0.8) for spot in spots]
    for k, disc in enumerate(rim):
        neighbour = rim[(k + 1) % discs]
        middle = (disc.position + neighbour.position) / 2
        world.add_revolute_joint(disc, neighbour, anchor=middle)
        world.add_distance_joint(hub, disc, spring_hertz=6, spring_damping_ratio=0.4)
    return world, hub, rim


def roundness(hub: p2.Body, rim: list[p2.Body]) -> tuple[float, float]:
    """The smallest and the largest distance of the rim from the hub, metres."""
    away = np.hypot(*(np.array([disc.position for disc in rim]) - hub.position).T)
    return float(away.min()), float(away.max())


if __name__ == "__main__":
    world, hub, rim = build()
    for _ in range(6):
        world.step(1 / 60, n=30)
        low, high = roundness(hub, rim)
        print(f"{world.time:.1f} s: hub at {hub.position[1]:.2f} m, rim {low:.2f} to {high:.2f} m")
