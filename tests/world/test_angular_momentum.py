"""Free bodies keep their angular momentum, whatever touches them and however often.

Contact forces are internal: the sum of m r x v + I w is what it was. Bodies inside of another one,
which are separated towards its centre, circles that turn about each other while they touch, and
bodies of several pieces have lost some percent of it.
"""

import numpy as np
import pytest
from same_bits import check_same_bits

import pyphys2d as p2


def box_with(kind: str, count: int, restitution: float, friction: float, seed: int) -> p2.World:
    """A closed box that spins, and bodies that fly about in it."""
    rng = np.random.default_rng(seed)
    world = p2.World(gravity=(0, 0))
    surface = {"restitution": restitution, "friction": friction}
    walls = [p2.Box(2.2, 0.1, (0, y)) for y in (-1.05, 1.05)]
    walls += [p2.Box(0.1, 2, (x, 0)) for x in (-1.05, 1.05)]
    world.add_body(walls, angular_velocity=rng.uniform(2, 10), **surface)
    for x in np.linspace(-0.6, 0.6, count):
        shape = p2.Circle(0.15) if kind == "discs" else p2.Box(0.3, 0.2)
        world.add_body(shape, (x, 0.1 * x + 0.2), velocity=tuple(rng.uniform(-5, 5, 2)), **surface)
    return world


@pytest.mark.parametrize("kind", ["discs", "boxes"])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("restitution", [0, 0.3, 0.5, 1])
def test_a_spinning_box_with_bodies_in_it(kind, count, restitution):
    """One disc at restitution 0.5 took 0.7 % from the box in 4 s, two 1.2 %, and 13 % in a minute.

    A step keeps it to 1e-6 of it, rounding of the velocities to float32; what lies in the box for
    seconds is rounded in every substep.
    """
    for friction in (0, 0.6):
        for seed in range(3):
            world = box_with(kind, count, restitution, friction, seed)
            start = last = world.angular_momentum()
            energy = world.kinetic_energy()
            for _ in range(120):
                world.step()
                now = world.angular_momentum()
                assert now == pytest.approx(last, rel=1e-5), (friction, seed)
                last = now
            assert now == pytest.approx(start, rel=3e-4 if restitution < 1 else 2e-6), seed
            assert world.kinetic_energy() < 1.001 * energy


def cluster(kinds: tuple[str, str], restitution: float, speed: float, seed: int) -> p2.World:
    """Six bodies that come from all around."""
    rng = np.random.default_rng(seed)
    world = p2.World(gravity=(0, 0))
    points = 0.4 * np.array([(0, 0), (1.4, 0), (1.4, 0.3), (0.3, 0.3), (0.3, 1.4), (0, 1.4)])
    shapes = {
        "circle": lambda: [p2.Circle(rng.uniform(0.3, 0.5))],
        "L": lambda: [p2.Polygon(points, recenter=True)],
        "frame": lambda: [
            *(p2.Box(0.7, 0.1, (0, y)) for y in (-0.35, 0.35)),
            *(p2.Box(0.1, 0.7, (x, 0)) for x in (-0.35, 0.35)),
        ],
    }
    for i in range(6):
        angle = np.pi * i / 3 + rng.uniform(-0.3, 0.3)
        place = rng.uniform(2.1, 2.8) * np.array([np.cos(angle), np.sin(angle)])
        velocity = -speed * place / 2.4 + speed * rng.uniform(-0.3, 0.3, 2)
        world.add_body(
            shapes[kinds[i % 2]](),
            tuple(place),
            rng.uniform(-3, 3),
            velocity=tuple(velocity),
            angular_velocity=rng.uniform(-1, 1) * min(20, 2 * speed),
            restitution=restitution,
            friction=0.4,
        )
    return world


def size_of_motion(world: p2.World) -> float:
    """Sum of |m r x v| + |I w| about the common centre of mass."""
    mass = world.masses / world.masses.sum()
    r = np.array([b.to_world(b.center_of_mass) for b in world.bodies])
    v = np.array([b.velocity for b in world.bodies])
    r, v = r - mass @ r, v - mass @ v
    spin = np.array([b.inertia * b.angular_velocity for b in world.bodies])
    return float((world.masses * abs(r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]) + abs(spin)).sum())


@pytest.mark.parametrize(
    "kinds", [("circle", "circle"), ("circle", "L"), ("L", "L"), ("L", "frame"), ("frame", "frame")]
)
@pytest.mark.parametrize("restitution", [0, 0.3, 1])
def test_six_that_meet(kinds, restitution):
    """Circles lost up to 1.5 %, Ls up to 0.3 %. The bound is that of rounding: see physics.md."""
    for speed in (1, 3, 10, 30):
        for seed in range(4):
            world = cluster(kinds, restitution, speed, seed)
            scale, start = size_of_motion(world), world.angular_momentum()
            world.step(n=100)
            change = abs(world.angular_momentum() - start) / scale
            assert change < (1e-5 if restitution == 0 else 2e-6), (speed, seed)


def discs_in_frames(**options) -> p2.World:
    """Free circles that touch, and bodies in others, in many islands side by side."""
    world = p2.World(gravity=(0, 0), **options)
    rng = np.random.default_rng(0)
    for i in range(40):
        place = np.array([8.0 * i, 0])
        surface = {"restitution": (0, 0.5, 1)[i % 3], "friction": (0, 0.5)[i % 2]}
        walls = [p2.Box(3.2, 0.1, (0, y)) for y in (-1.55, 1.55)]
        walls += [p2.Box(0.1, 3, (x, 0)) for x in (-1.55, 1.55)]
        world.add_body(walls, tuple(place), angular_velocity=rng.uniform(2, 10), **surface)
        for x in np.linspace(-1, 1, 4 + i % 3):
            velocity = tuple(rng.uniform(-10, 10, 2))
            shape = p2.Circle(rng.uniform(0.1, 0.2))
            world.add_body(shape, (place[0] + x, 0.3), velocity=velocity, **surface)
    world.step(n=60)
    return world


def test_bits():
    check_same_bits(discs_in_frames, workers=(1, 3), others=({"broadphase": "tree"},))
