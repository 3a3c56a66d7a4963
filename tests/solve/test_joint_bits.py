"""What a mechanism of joints does depends on it alone: the same bits at every SIMD width, with any
number of others of its shape in the world, and beside others of another shape.
"""

from collections.abc import Iterator

import numpy as np
import pytest

import pyphys2d as p2
from pyphys2d import _core

APART = 200.0
FORMS = (
    "pair",
    "chain",
    "tree",
    "motors",
    "springs",
    "prismatic",
    "weld",
    "wheel",
    "rod",
    "spring",
)


@pytest.fixture(autouse=True)
def default_width() -> Iterator[None]:
    yield
    _core._set_simd(None)


def shape(r: np.random.Generator) -> p2.Shape:
    kind = r.integers(3)
    if kind == 0:
        return p2.Box(*r.uniform(0.2, 2, 2))
    return p2.Circle(r.uniform(0.1, 1)) if kind == 1 else p2.Capsule((-0.5, 0), (0.5, 0), 0.2)


def mechanism(
    world: p2.World, form: str, seed: int, x: float, speed: float, spin: float
) -> list[int]:
    """Adds one at x. Its form alone says who hangs on whom; numbers come from the seed."""
    r = np.random.default_rng(seed)
    count = 2 if form in ("pair", "rod", "spring") else 4
    bodies = [
        world.add_body(
            shape(r),
            (x + k, 0),
            velocity=r.normal(size=2) * speed,
            angular_velocity=r.normal() * spin,
            density=10 ** r.uniform(-2, 2),
            mask=0,
        )
        for k in range(count)
    ]
    for k in range(1, count):
        parent = k // 2 if form == "tree" else k - 1
        ends, anchor = (bodies[parent], bodies[k]), np.add(r.normal(size=2), (x + k, 0))
        if form == "prismatic":
            world.add_prismatic_joint(*ends, anchor=anchor, axis=(1, 0.5), lower=-1, upper=1)
        elif form == "weld":
            world.add_weld_joint(*ends, anchor=anchor)
        elif form == "wheel":
            world.add_wheel_joint(*ends, anchor=anchor, spring_hertz=4, spring_damping_ratio=0.5)
        elif form == "rod":
            world.add_distance_joint(*ends, lower=0.5, upper=1.5)
        elif form == "spring":
            world.add_distance_joint(*ends, spring_hertz=3, spring_damping_ratio=0.2)
        else:
            options: dict[str, float] = {}
            if form in ("motors", "springs"):
                options = {"lower": -0.5, "upper": 1, "motor_speed": 3, "max_motor_torque": 5}
            if form == "springs":
                options.update(spring_hertz=3, spring_damping_ratio=0.2)
            world.add_revolute_joint(*ends, anchor=anchor, **options)
    return [body.index for body in bodies]


def side_by_side(
    form: str, count: int, width: str, substeps: int, speed: float, spin: float, only: int = -1
) -> tuple[p2.World, list[list[int]]]:
    """That many, or only one of them, where it is among the others."""
    _core._set_simd(width)
    world = p2.World(gravity=(0, -10), substeps=substeps, sleeping=False)
    wanted = range(count) if only < 0 else [only]
    return world, [mechanism(world, form, k, APART * k, speed, spin) for k in wanted]


def state(world: p2.World, rows: list[int]) -> np.ndarray:
    return np.column_stack(
        [
            world.positions[rows],
            world.angles[rows],
            world.velocities[rows],
            world.angular_velocities[rows],
        ]
    )


MOTIONS = [(1, 10.0, 0.0), (1, 10.0, 10.0), (8, 100.0, 100.0), (8, 1e4, 1e3)]


@pytest.mark.fast_cases(12)
@pytest.mark.parametrize(("substeps", "speed", "spin"), MOTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_every_width_gives_the_same_bits(form, substeps, speed, spin):
    for count in range(1, 10):
        worlds = [
            side_by_side(form, count, width, substeps, speed, spin)[0]
            for width in p2.simd.available
        ]
        for step in range(20):
            for world in worlds:
                world.step()
            hashes = {world.hash() for world in worlds}
            assert len(hashes) == 1, f"{count} of them, step {step}"


@pytest.mark.fast_cases(12)
@pytest.mark.parametrize(("substeps", "speed", "spin"), MOTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_others_far_away_change_no_bit(form, substeps, speed, spin):
    for width in p2.simd.available:
        for count in (2, 4, 9):
            world, rows = side_by_side(form, count, width, substeps, speed, spin)
            world.step(n=20)
            for k in range(count):
                alone, own = side_by_side(form, count, width, substeps, speed, spin, only=k)
                alone.step(n=20)
                np.testing.assert_array_equal(
                    state(alone, own[0]), state(world, rows[k]), err_msg=f"{width}, {k} of {count}"
                )


@pytest.mark.parametrize("width", p2.simd.available)
def test_mechanisms_of_other_forms_change_no_bit(width):
    _core._set_simd(width)
    together = p2.World(gravity=(0, -10), sleeping=False)
    rows = [mechanism(together, form, k, APART * k, 30.0, 30.0) for k, form in enumerate(FORMS * 2)]
    together.step(n=20)
    for k, form in enumerate(FORMS * 2):
        alone = p2.World(gravity=(0, -10), sleeping=False)
        own = mechanism(alone, form, k, APART * k, 30.0, 30.0)
        alone.step(n=20)
        np.testing.assert_array_equal(state(alone, own), state(together, rows[k]), err_msg=form)


@pytest.mark.parametrize("form", FORMS)
def test_a_net_far_away_changes_no_bit(form):
    worlds = [p2.World(gravity=(0, -10), sleeping=False) for _ in range(2)]
    rows = [mechanism(world, form, 5, 0, 30.0, 1e3) for world in worlds]
    n, body = 6, {}
    for i in range(n):
        for j in range(n):
            place = (APART + i, 9 - j)
            body[i, j] = worlds[1].add_body(p2.Circle(0.2), place, mask=0)
            if i:
                worlds[1].add_revolute_joint(body[i - 1, j], body[i, j], anchor=place)
            if j:
                worlds[1].add_revolute_joint(body[i, j - 1], body[i, j], anchor=place)
    for _ in range(40):
        for world in worlds:
            world.step(1 / 30)
        np.testing.assert_array_equal(state(worlds[0], rows[0]), state(worlds[1], rows[1]))
