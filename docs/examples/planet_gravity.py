"""Crates in orbit around a planet: gravity that falls with the square of the distance."""

import numpy as np

import pyphys2d as p2

STRENGTH = 500.0  # G M of the planet, m^3/s^2
RADIUS = 4.0


def build(*, crates: int = 30, seed: int = 0) -> p2.World:
    world = p2.World(gravity=(0, 0), sleeping=False)
    planet = world.add_body(p2.Circle(RADIUS), kind="kinematic", name="planet")
    planet.angular_velocity = 0.2
    world.add_point_gravity((0, 0), STRENGTH)
    rng = np.random.default_rng(seed)
    for radius in np.linspace(8, 30, crates):
        out = p2.geometry.direction(rng.uniform(0, 2 * np.pi))
        across = np.array((-out[1], out[0]))
        world.add_body(p2.Box(0.3, 0.3), radius * out, velocity=np.sqrt(STRENGTH / radius) * across)
    return world


def energies(world: p2.World) -> np.ndarray:
    """Of each crate per kilogram, J/kg: it stays the same in an orbit."""
    positions, velocities = world.positions[1:], world.velocities[1:]
    return 0.5 * (velocities**2).sum(axis=1) - STRENGTH / np.hypot(*positions.T)


if __name__ == "__main__":
    world = build()
    before = energies(world)
    world.step(1 / 60, n=3600)
    print("largest change of energy in a minute:", np.abs(energies(world) / before - 1).max())
