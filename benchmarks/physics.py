"""Experiments that a user would make, with this library, pymunk and Box2D, against theory.

    python benchmarks/physics.py                 # writes results/physics.csv
    python benchmarks/physics.py --only cradle gas_of_discs
    python benchmarks/physics.py --quick         # fewer runs of each

Each engine runs with its own defaults at 60 steps a second (`SETTINGS` in engines.py). Where
material rules differ the numbers are chosen so that the pair has the same. `docs/physics.md` shows
the results, good and bad. pymunk and pyb2d3 are asked where they are installed.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import common
import numpy as np
from engines import SETTINGS

from pyphys2d.scenes.benchmark import Description, Group, box, capsule, circle, group, pins

LABELS = ("pyphys2d", "pymunk", "pyb2d3")
DT = 1 / 60
G = 10.0


def restitution(label: str, e: float) -> float:
    """Of each of two shapes whose pair is to have e: pymunk multiplies, the others take the
    larger.
    """
    return e**0.5 if label == "pymunk" else e


def make(label: str, groups: list[Group], gravity: float = G, **options: Any) -> Any:
    """An engine with these bodies."""
    adapter, _, substeps, _ = SETTINGS[label]
    options = {"sleeping": False, **options}
    scene = Description("physics", tuple(groups), 0, (0.0, -gravity), **options)
    return adapter(scene, substeps)


def floor(**material: Any) -> Group:
    """A wide one, its surface at y = 0."""
    return group(box(200, 1), [(0, -1)], "static", **material)


def kinetic(engine: Any, mass: float, inertia: float) -> float:
    """Energy of bodies that are alike, the fixed ones left out."""
    _, _, v, w = engine.state()
    return float(0.5 * mass * np.sum(v**2) + 0.5 * inertia * np.sum(w**2))


# ------------------------------------------------------------------------------------------------


def near_misses(label: str, runs: int) -> float:
    """Percent of passes with a gap of 2 to 50 mm that turn somebody by more than half a degree."""
    rng = np.random.default_rng(1)
    disturbed = 0
    for _ in range(runs):
        size, speed, gap = (
            rng.uniform(0.1, 0.5),
            10 ** rng.uniform(0, 1.7),
            rng.uniform(0.002, 0.05),
        )
        shapes = [circle(size), box(size, size), capsule(-size / 2, 0, size / 2, 0, size / 2)]
        a, b = rng.integers(3, size=2)
        offset = 2 * size + gap, speed * (0.2 + rng.uniform(0, DT)) + 2 * size
        engine = make(
            label,
            [
                group(shapes[a], [(0, 0)], velocity=(0, speed / 2)),
                group(shapes[b], [offset], velocity=(0, -speed / 2)),
            ],
            0,
        )
        engine.step(int(2 * offset[1] / speed / DT))
        v = engine.state()[2]
        disturbed += bool(np.abs(np.arctan2(v[:, 0], np.abs(v[:, 1]))).max() > np.radians(0.5))
    return 100 * disturbed / runs


def glancing_hits(label: str, runs: int) -> float:
    """Mean error in the speed of a disc that is struck off centre, percent of theory."""
    del runs
    errors = []
    e = restitution(label, 1)
    for b in (0.3, 0.6, 0.9, 0.95):
        for speed in (5, 20, 50):
            for phase in (0.0, 0.3, 0.7):
                x = -2 - phase * speed * DT
                discs = [
                    group(circle(0.5), [(x, b)], velocity=(speed, 0), friction=0, restitution=e),
                    group(circle(0.5), [(0, 0)], friction=0, restitution=e),
                ]
                engine = make(label, discs, 0)
                engine.step(int(4 / speed / DT) + 2)
                struck = float(np.hypot(*engine.state()[2][1]))
                expected = speed * (1 - b * b) ** 0.5
                errors.append(abs(struck / expected - 1))
    return float(100 * np.mean(errors))


def flat_impact(label: str, runs: int) -> float:
    """What a box keeps of its speed, spin included, that hits a wall flat with e = 0; percent."""
    worst = 0.0
    for k in range(runs):
        speed = (1, 5, 20, 50)[k % 4]
        x = -2 - (k * 0.37 % 1) * speed * DT
        bodies = [
            group(box(1, 20), [(1, 0)], "static"),
            group(box(0.5, 0.5), [(x, 0)], velocity=(speed, 0)),
        ]
        engine = make(label, bodies, 0)
        engine.step(int(2 / speed / DT) + 30)
        _, _, v, w = engine.state()
        worst = max(worst, (np.hypot(*v[1]) + 0.5 * abs(w[1])) / speed)
    return float(100 * worst)


def columns(label: str, runs: int) -> float:
    """Percent of upright columns of 1:4 that tip over when they are dropped from 1.7 m."""
    fallen = 0
    for k in range(runs):
        bodies = [floor(), group(box(0.25, 1), [(0, 2.7 + 0.02 * k)])]
        engine = make(label, bodies)
        engine.step(360)
        fallen += bool(abs(engine.state()[1][1]) > 0.5)
    return 100 * fallen / runs


def cradle(label: str, runs: int) -> float:
    """Speed with which the last of five touching balls leaves, percent of that of the first."""
    del runs
    places = [(-1.0, 0.0), *[(0.5 * k, 0.0) for k in range(1, 5)]]
    balls = [
        group(
            circle(0.25),
            [place],
            velocity=(2.35 if k == 0 else 0, 0),
            friction=0,
            restitution=restitution(label, 1),
        )
        for k, place in enumerate(places)
    ]
    engine = make(label, balls, 0)
    engine.step(120)
    return float(100 * engine.state()[2][4][0] / 2.35)


def gas(label: str, shape: Any, mass: float, inertia: float, seconds: int) -> float:
    """Energy after a while, percent of the start, of frictionless bodies with e = 1 in a room."""
    rng = np.random.default_rng(2)
    e = {"friction": 0.0, "restitution": restitution(label, 1)}
    walls = [
        group(box(12, 1), [(0, -11), (0, 11)], "static", **e),
        group(box(1, 12), [(-11, 0), (11, 0)], "static", **e),
    ]
    grid = [(1.4 * i - 8.4, 1.4 * k - 8.4) for i in range(13) for k in range(13)][:100]
    bodies = [
        group(shape, [place], velocity=(vx, vy), **e)
        for place, (vx, vy) in zip(grid, rng.normal(0, 2, (100, 2)), strict=True)
    ]
    engine = make(label, walls + bodies, 0)
    start = kinetic(engine, mass, inertia)
    engine.step(60 * seconds)
    return 100 * kinetic(engine, mass, inertia) / start


def gas_of_discs(label: str, runs: int) -> float:
    """100 discs."""
    mass = np.pi * 0.25**2
    return gas(label, circle(0.25), mass, 0.5 * mass * 0.25**2, runs)


def gas_of_boxes(label: str, runs: int) -> float:
    """100 boxes."""
    return gas(label, box(0.25, 0.25), 0.25, 0.25 * 0.5**2 / 6, runs)


def fast_gas(label: str, runs: int) -> float:
    """Energy after a while, percent of the start, of 144 frictionless discs with e = 1 that go
    further than their radius in a step, close together in a room of 11 m.
    """
    rng = np.random.default_rng(6)
    e = {"friction": 0.0, "restitution": restitution(label, 1)}
    walls = [
        group(box(7, 1), [(0, -6.5), (0, 6.5)], "static", **e),
        group(box(1, 7), [(-6.5, 0), (6.5, 0)], "static", **e),
    ]
    grid = [(0.85 * i - 4.675, 0.85 * k - 4.675) for i in range(12) for k in range(12)]
    discs = [
        group(circle(0.25), [place], velocity=(vx, vy), **e)
        for place, (vx, vy) in zip(grid, rng.normal(0, 10, (144, 2)), strict=True)
    ]
    engine = make(label, walls + discs, 0)
    mass = np.pi * 0.25**2
    inertia = 0.5 * mass * 0.25**2
    start = kinetic(engine, mass, inertia)
    engine.step(60 * runs)
    return 100 * kinetic(engine, mass, inertia) / start


def spinning_corners(label: str, runs: int) -> float:
    """Percent of boxes that spin, meet a floor with one corner, and leave with another velocity
    than that of the impact, by more than 1 % of the speed of approach. e = 0, 0.5 or 1, without
    friction and gravity, 2 to 20 m/s, up to 40 rad/s.
    """
    rng = np.random.default_rng(9)
    dt, off, done = 1 / 60, 0, 0
    while done < runs:
        half = rng.uniform(0.2, 0.8) * np.array([1, rng.uniform(0.4, 1)])
        speed, spin = rng.uniform(2, 20), rng.uniform(-1, 1) * rng.choice([5, 15, 40])
        height, e = np.hypot(*half) + 0.3, float(rng.choice([0, 0.5, 1]))
        start = rng.uniform(0, 2 * np.pi)
        signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half

        def arms(angle: float, signs: Any = signs) -> Any:
            c, s = np.cos(angle), np.sin(angle)
            return signs @ np.array([(c, s), (-s, c)])

        times = np.arange(0, (height + 1) / speed, 2e-5)
        lows = height - speed * times - np.abs(half[0] * np.sin(start + spin * times))
        lows -= np.abs(half[1] * np.cos(start + spin * times))
        meeting = times[np.argmax(lows <= 0)]
        at = arms(start + spin * meeting)
        corner = int(at[:, 1].argmin())
        mass, lever = 4 * half.prod(), at[corner, 0]
        inertia = mass * (half**2).sum() / 3
        approach = speed - spin * lever
        impulse = (1 + e) * approach / (1 / mass + lever**2 / inertia)
        after = -speed + impulse / mass, spin + impulse * lever / inertia
        steps = int(meeting / dt) + 1
        until = np.linspace(0, (steps + 1) * dt - meeting, 60)[1:]
        paths = [
            arms(start + spin * meeting + after[1] * t)[:, 1] + after[0] * t - at[corner, 1]
            for t in until
        ]
        if approach < 1 or np.delete(np.array(paths), corner, axis=1).min() < 2e-3:
            continue  # slow, or a second corner follows
        done += 1
        material = {"friction": 0.0, "restitution": restitution(label, e)}
        falling = group(
            box(*half), [(0, height)], velocity=(0, -speed), angular_velocity=spin, **material
        )
        engine = make(label, [floor(**material), replace(falling, angles=np.array([start]))], 0)
        engine.step(steps)
        errors = []
        for _ in range(2):  # one that meets as a step ends may leave in the next
            _, _, velocity, turning = engine.state()
            rim = abs(turning[1] - after[1]) * np.hypot(*half)
            errors.append(max(abs(velocity[1][1] - after[0]), rim) / approach)
            engine.step(1)
        off += bool(min(errors) > 0.01)
    return 100 * off / runs


def top_of(heights: list[float]) -> float:
    """Height of the first apex of a flight: of the parabola through its three highest places."""
    k = 1
    while heights[k + 1] > heights[k]:
        k += 1
    low, high, after = heights[k - 1 : k + 2]
    return high + (after - low) ** 2 / (8 * (2 * high - low - after))


def bounces(label: str, runs: int) -> float:
    """Largest error of the height of a first bounce, e = 0.3 to 1, of balls, boxes that land flat
    and balls on a ball, from 0.2 to 20 m; percent of what is due. Heights are those of places:
    velocities of most engines are those of half a substep before.
    """
    worst = 0.0
    ball, ground = (circle(0.25), 0.25), group(box(200, 1), [(0, -1)], "static")
    post = group(circle(0.5), [(0, -0.5)], "static")
    kinds = (ground, *ball), (ground, box(0.5, 0.3), 0.3), (post, *ball)
    for k in range(runs):
        e, (below, shape, low) = (0.3, 0.5, 0.8, 1.0)[k % 4], kinds[k // 4 % 3]
        height = 0.2 * 100 ** (k * 0.37 % 1)
        material = {"restitution": restitution(label, e)}
        falls = group(shape, [(0, height + low)], **material)
        engine = make(label, [replace(below, **material), falls])
        way = []
        for _ in range(int((1 + 2 * e) * (2 * height / G) ** 0.5 / DT)):
            engine.step(1)
            way.append(float(engine.state()[0][1][1]) - low)
        bounce = next((i for i in range(1, len(way)) if way[i] > way[i - 1]), None)
        top = top_of(way[bounce:]) if bounce else 0
        worst = max(worst, abs(top / (e * e * height) - 1))
    return float(100 * worst)


def tiles(label: str, runs: int, *shapes: Any) -> float:
    """Percent of landings at 2 to 30 m/s on flush boxes that differ by more than 1 % of the speed
    from those on one floor.
    """
    rng = np.random.default_rng(4)
    off = 0
    for k in range(runs):
        shape, low = shapes[k % len(shapes)]
        speed = 10 ** rng.uniform(0.3, 1.5)
        start = rng.uniform(-0.5, 0.5), low + rng.uniform(0.05, 0.8)
        e = restitution(label, float(rng.choice([0, 0.8])))
        seen = []
        for pieces in (1, 120):
            wide = 120 / pieces
            places = [(-10 + wide * (i + 0.5), -0.5) for i in range(pieces)]
            engine = make(
                label,
                [
                    group(box(wide / 2, 0.5), places, "static", restitution=e),
                    group(shape, [start], velocity=(speed, -0.3 * speed), restitution=e),
                ],
            )
            way = []
            for _ in range(40):
                engine.step(1)
                way.append(engine.state()[2][-1])
            seen.append(np.array(way))
        off += bool(np.abs(seen[1] - seen[0]).max() > 0.01 * speed)
    return 100 * off / runs


def balls_on_tiles(label: str, runs: int) -> float:
    """Balls."""
    return tiles(label, runs, (circle(0.5), 0.5))


def boxes_on_tiles(label: str, runs: int) -> float:
    """Boxes and capsules that land flat."""
    return tiles(label, runs, (box(0.5, 0.3), 0.3), (capsule(-0.4, 0, 0.4, 0, 0.3), 0.3))


def flat_landings(label: str, runs: int) -> float:
    """Percent of boxes that slide and land flat, 1 to 15 m/s, whose velocity or rim speed is off by
    more than 1 % of the speed: friction gives mu (1 + e) of the fall's speed, and nothing turns.
    """
    rng = np.random.default_rng(7)
    off = 0
    for _ in range(runs):
        width, height = rng.uniform(0.5, 2), rng.uniform(0.3, 1)
        mu = float(min(rng.uniform(0, 0.6) * width / height, 1))
        e = restitution(label, float(rng.choice([0, 0.5])))
        vx, vy = rng.uniform(-20, 20), -rng.uniform(1, 15)
        engine = make(
            label,
            [
                group(box(450, 0.5), [(0, -0.5)], "static", restitution=e, friction=mu),
                group(
                    box(width / 2, height / 2),
                    [(0, height / 2 + rng.uniform(0.05, 1))],
                    velocity=(vx, vy),
                    restitution=e,
                    friction=mu,
                ),
            ],
            gravity=0,
        )
        while abs(engine.state()[2][-1][1] - vy) < 1e-6 * abs(vy):
            engine.step(1)
        engine.step(2)
        _, _, v, w = engine.state()
        lost = mu * (1 + e) * -vy
        due = np.sign(vx) * max(abs(vx) - lost, 0), -e * vy
        wrong = [*(v[-1] - due), w[-1] * max(width, height) / 2]
        off += bool(np.abs(wrong).max() > 0.01 * np.hypot(vx, vy))
    return 100 * off / runs


def angular_momentum(label: str, runs: int) -> float:
    """Largest change of the angular momentum in a collision of two boxes; percent of that of the
    motion about the point of the meeting.
    """
    rng = np.random.default_rng(5)
    worst = 0.0
    mass, inertia = 1.0, 1 / 6
    for _ in range(runs):
        offset, speed = rng.uniform(-0.7, 0.7), rng.uniform(2, 15)
        spins = rng.uniform(-5, 5, 2)
        bodies = [
            group(box(0.5, 0.5), [(-2, 0)], velocity=(speed, 0), angular_velocity=spins[0]),
            group(box(0.5, 0.5), [(1, offset)], angular_velocity=spins[1]),
        ]
        engine = make(label, bodies, 0)

        def momentum(engine: Any = engine) -> float:
            p, _, v, w = engine.state()
            return float(mass * np.sum(p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0]) + inertia * w.sum())

        before = momentum()
        engine.step(int(4 / speed / DT))
        scale = mass * speed * 0.7 + inertia * np.abs(spins).sum()
        worst = max(worst, abs(momentum() - before) / scale)
    return 100 * worst


def slow_fall(label: str, runs: int) -> float:
    """How far a body falls in ten seconds at 0.05 m/s^2, percent of theory; sleep is allowed."""
    del runs
    engine = make(label, [group(circle(0.5), [(0, 0)])], 0.05, sleeping=True)
    engine.step(600)
    return float(100 * -engine.state()[0][0][1] / 2.5)


def piles(label: str, runs: int) -> float:
    """Percent of heaps of 30 boxes, discs and capsules, e = 0.2, that are at rest after 20 s: no
    body faster than 1 cm/s.
    """
    resting = 0
    for k in range(runs):
        rng = np.random.default_rng(100 + k)
        e = {"restitution": restitution(label, 0.2)}
        bodies = [floor(**e), group(box(0.5, 20), [(-4, 20), (4, 20)], "static", **e)]
        for i in range(30):
            size = rng.uniform(0.3, 0.6)
            shape = [box(size, size / 2), circle(size), capsule(-size, 0, size, 0, size / 2)][i % 3]
            bodies.append(group(shape, [(rng.uniform(-2.5, 2.5), 1 + 0.7 * i)], **e))
        engine = make(label, bodies, sleeping=True)
        engine.step(1200)
        resting += bool(np.hypot(*engine.state()[2].T).max() < 0.01)
    return 100 * resting / runs


def sliding_box(label: str, runs: int) -> float:
    """Error of the way that a box slides until friction has stopped it, percent."""
    del runs
    worst = 0.0
    for speed in (2, 6, 12):
        bodies = [
            floor(friction=0.5),
            group(box(0.5, 0.25), [(0, 0.25)], velocity=(speed, 0), friction=0.5),
        ]
        engine = make(label, bodies)
        engine.step(300)
        way = speed**2 / (2 * 0.5 * G)
        worst = max(worst, abs(float(engine.state()[0][1][0]) / way - 1))
    return 100 * worst


def double_pendulum(label: str, runs: int) -> float:
    """Energy of two hinged rods after a minute of wild swinging, less what it was; percent of
    what it can vary by.
    """
    del runs
    rods = [
        group(box(0.05, 0.05), [(0, 0)], "static", family=1),
        group(box(0.5, 0.05), [(0.5, 0), (1.5, 0)], family=1),
    ]
    engine = make(label, rods, pins=(pins([(0, 1), (1, 2)], [(0, 0), (1, 0)]),))
    mass = 0.1
    inertia = mass * (1**2 + 0.1**2) / 12

    def energy() -> float:
        p, _, v, w = engine.state()
        return float(
            np.sum(0.5 * mass * np.sum(v[1:] ** 2, 1) + 0.5 * inertia * w[1:] ** 2)
            + mass * G * np.sum(p[1:, 1])
        )

    before = energy()
    engine.step(3600)
    return 100 * (energy() - before) / (mass * G * 4)


def pendulums(label: str, runs: int) -> float:
    """Energy of a row of five elastic pendulums on hinges, 1 cm from each other, of which one is
    lifted, after half a minute; percent of the start.
    """
    del runs
    radius, length, lifted = 0.25, 2.0, 0.6
    tops = np.array([(0.51 * k, 0.0) for k in range(5)])
    places = tops - (0.0, length)
    places[0] = -length * np.sin(lifted), -length * np.cos(lifted)
    bodies = [group(box(0.05, 0.05), [(0, 5)], "static", family=1)]
    material = {"friction": 0.0, "restitution": restitution(label, 1)}
    bodies += [group(circle(radius), [place], **material) for place in places]
    joints = pins([(0, k + 1) for k in range(5)], tops)
    engine = make(label, bodies, pins=(joints,))
    mass = np.pi * radius**2
    inertia = 0.5 * mass * radius**2

    def energy() -> float:
        p, _, v, w = engine.state()
        turning = 0.5 * inertia * np.sum(w[1:] ** 2)
        height = np.sum(p[1:, 1] + length)
        return float(0.5 * mass * np.sum(v[1:] ** 2) + turning + mass * G * height)

    start = energy()
    engine.step(1800)
    return 100 * energy() / start


def heavy_end(label: str, runs: int) -> float:
    """Stretch of a hanging chain of ten links with a ball of 100 links at its end; percent."""
    del runs
    links = [(0.0, -0.5 - k) for k in range(10)]
    bodies = [
        group(box(0.05, 0.05), [(0, 0)], "static", family=1),
        group(box(0.1, 0.5), links, family=1),
        group(circle(0.5), [(0, -10.5)], density=100 * 0.2 / (np.pi * 0.25), family=1),
    ]
    joints = pins([(k, k + 1) for k in range(11)], [(0, -k) for k in range(11)])
    engine = make(label, bodies, pins=(joints,))
    engine.step(1800)
    return float(100 * (np.hypot(*engine.state()[0][-1]) / 10.5 - 1))


def loaded_platform(label: str, runs: int) -> float:
    """Fastest of crates of 5 to 100 times a plank that hangs on two links, after 3 s; mm/s."""
    worst = 0.0
    for k in range(runs):
        ratio, x = (5, 15, 50, 100)[k % 4], 0.3 * (k // 4 % 2)
        bodies = [
            group(box(2, 0.05), [(0, 2.05)], "static", family=1),
            group(box(1, 0.1), [(0, -0.1)], density=1 / 0.4, family=1, friction=0.6),
            group(box(0.05, 1), [(-0.9, 1), (0.9, 1)], density=1, family=1),
            group(box(0.25, 0.25), [(x, 0.25)], density=ratio / 0.25, friction=0.6),
        ]
        ends = [(-0.9, 2), (0.9, 2), (-0.9, 0), (0.9, 0)]
        joints = pins([(0, 2), (0, 3), (2, 1), (3, 1)], ends)
        # Off its middle the plank would swing: it is pinned to the ground there.
        if x:
            bodies[2:3] = []
            joints = pins([(0, 1), (0, 1)], [(-0.9, 0), (0.9, 0)])
        engine = make(label, bodies, pins=(joints,))
        engine.step(180)
        for _ in range(60):
            engine.step(1)
            worst = max(worst, float(np.hypot(*engine.state()[2][-1])))
    return 1000 * worst


def trucks(label: str, runs: int) -> float:
    """Most that the axles of a car give way, 10 to 2,000 times as heavy as its wheels; mm."""
    worst = 0.0
    for ratio in (10, 100, 500, 2000)[:runs]:
        wheel = np.pi * 0.3**2
        bodies = [
            group(box(100, 1), [(0, -1)], "static", friction=0.9),
            group(box(1, 0.25), [(0, 0.6)], density=ratio / 1.0, family=1),
            group(circle(0.3), [(-0.7, 0.3), (0.7, 0.3)], density=1 / wheel, family=1),
        ]
        axles = np.array([(-0.7, 0.3), (0.7, 0.3)])
        engine = make(label, bodies, pins=(pins([(1, 2), (1, 3)], axles),))
        for _ in range(240):
            engine.step(1)
            places, turns = engine.state()[:2]
            cosine, sine = np.cos(turns[1]), np.sin(turns[1])
            turned = (axles - (0, 0.6)) @ np.array([[cosine, sine], [-sine, cosine]])
            gaps = places[2:4] - (places[1] + turned)
            worst = max(worst, float(np.hypot(*gaps.T).max()))
    return 1000 * worst


def thrown_by_bridges(label: str, runs: int) -> float:
    """Percent of random bridges of pinned planks that throw what falls on them: to more energy than
    1.02 times that of its fall.
    """
    rng = np.random.default_rng(3)
    thrown = 0
    for _ in range(runs):
        count, ratio, span = int(rng.integers(6, 20)), 10 ** rng.uniform(0, 2), rng.uniform(3, 12)
        x = np.linspace(-span / 2, span / 2, count + 1)
        ends = np.column_stack([x, -rng.uniform(0.02, 0.15) * span * (1 - (2 * x / span) ** 2)])
        ways = np.diff(ends, axis=0)
        lengths = np.hypot(*ways.T)
        planks = [
            replace(
                group(
                    box(0.475 * length, 0.03),
                    [middle],
                    density=1 / (4 * 0.475 * length * 0.03),
                    family=1,
                ),
                angles=np.array([angle]),
            )
            for length, middle, angle in zip(
                lengths, ends[:-1] + ways / 2, np.arctan2(*ways.T[::-1]), strict=True
            )
        ]
        size, height = rng.uniform(0.2, 0.5), rng.uniform(0.5, 4)
        ball = group(
            circle(size), [(rng.uniform(-0.3, 0.3) * span, height)], density=ratio / np.pi / size**2
        )
        anchor = group(box(0.05, 0.05), [(0, 20)], "static", family=1)
        pairs = [(0, 1), *((k, k + 1) for k in range(1, count)), (count, 0)]
        engine = make(label, [anchor, *planks, ball], pins=(pins(pairs, ends),))
        best, low = -np.inf, height
        for _ in range(480):
            engine.step(1)
            p, _, v, w = (state[-1] for state in engine.state())
            low = min(low, p[1])
            if v[1] > 0:
                energy = p[1] + (v @ v + 0.5 * size**2 * w**2) / (2 * G)
                best = max(best, energy)
        thrown += bool(best - low > 1.02 * (height - low))
    return 100 * thrown / runs


def crowds(label: str, runs: int) -> float:
    """Speed of the fastest of 40 angles that were put into each other, once they are apart."""
    worst = 0.0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        angle = [box(0.5, 0.1, 0, -0.4), box(0.1, 0.5, -0.4, 0)]
        angles = replace(
            group(angle, rng.uniform(-0.5, 0.5, (40, 2))), angles=rng.uniform(0, 6, 40)
        )
        engine = make(label, [angles], 0)
        engine.step(300)
        worst = max(worst, float(np.hypot(*engine.state()[2].T).max()))
    return worst


def rocking_plank(label: str, runs: int) -> float:
    """Percent of its swing that a plank on a fixed disc has in the last ten of 60 seconds."""
    del runs
    start, radius, thickness = 0.1, 0.5, 0.1
    out, along = (-np.sin(start), np.cos(start)), (np.cos(start), np.sin(start))
    place = [(radius + thickness) * n + radius * start * t for n, t in zip(out, along, strict=True)]
    plank = replace(group(box(1, thickness), [place], friction=1.0), angles=np.array([start]))
    disc = group(circle(radius), [(0, 0)], "static", friction=1.0)
    engine = make(label, [disc, plank])
    engine.step(3000)
    most = 0.0
    for _ in range(600):
        engine.step(1)
        most = max(most, abs(float(engine.state()[1][1])))
    return 100 * most / start


def two_feet(label: str, runs: int) -> float:
    """Rim speed, in percent of the fall's, that tables have when they have landed flat."""
    worst = 0.0
    for k in range(runs):
        speed, e = 2 + 0.5 * k, {"restitution": restitution(label, 0.5)}
        table = [box(0.1, 0.25, -0.4, 0), box(0.1, 0.25, 0.4, 0), box(0.5, 0.1, 0, 0.35)]
        height = 0.25 + speed * DT * (1.2 + 0.13 * (k % 7))
        engine = make(
            label, [floor(**e), group(table, [(0, height)], velocity=(0, -speed), **e)], 0
        )
        engine.step(4)
        worst = max(worst, 50 * abs(float(engine.state()[3][1])) / speed)
    return worst


def box_on_box(label: str, runs: int) -> float:
    """Percent of its speed with which a box leaves another one, at rest on a floor, e = 0."""
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(runs):
        height, e = rng.uniform(0.3, 2), {"restitution": restitution(label, 0)}
        lower = group(box(0.6, 0.4), [(0, 0.4)], **e)
        density = float(np.exp(rng.uniform(np.log(0.2), np.log(6))))
        upper = group(box(0.4, 0.4), [(0, 1.2 + height)], density=density, **e)
        engine = make(label, [floor(**e), lower, upper])
        hit = False
        for _ in range(120):
            engine.step(1)
            where, _, velocity, _ = engine.state()
            hit |= where[2][1] < 1.2 + 0.05 * height
            worst = max(worst, 100 * velocity[2][1] / np.sqrt(2 * G * height)) if hit else worst
    return float(worst)


def heavy_on_light(label: str, runs: int) -> float:
    """Percent of its speed with which a heavy box leaves three light ones, in a column, e = 0."""
    rng = np.random.default_rng(6)
    worst = 0.0
    for _ in range(runs):
        speed, e = rng.uniform(1, 15), {"restitution": restitution(label, 0)}
        column = group(box(0.2, 0.2), [(0, 0.2 + 0.4 * k) for k in range(3)], **e)
        top, ratio = 1.6 + speed**2 / (2 * G), float(np.exp(rng.uniform(0, np.log(100))))
        heavy = group(box(0.4, 0.4), [(0, top)], density=ratio / 4, **e)
        engine = make(label, [floor(**e), column, heavy])
        hit = False
        for _ in range(round(60 * (1 + speed / G))):
            engine.step(1)
            where, _, velocity, _ = engine.state()
            hit |= where[4][1] < 1.65
            worst = max(worst, 100 * velocity[4][1] / speed) if hit else worst
    return float(worst)


def unequal_towers(label: str, runs: int) -> float:
    """Percent of towers of 5 to 15 unlike boxes that fall in 12 s; each is to stand in theory."""
    fallen = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        count, size = int(rng.integers(5, 16)), 10 ** rng.uniform(-0.7, 0.5)
        groups, top, offset = [floor()], 0.0, size * rng.uniform(-0.03, 0.03, count)
        for k in range(count):
            wide = size * rng.uniform(0.6, 1.2)
            high, density = wide * rng.uniform(0.4, 1), 10 ** rng.uniform(-0.5, 0.5)
            place = [(float(offset[k]), top + high / 2)]
            groups.append(group(box(wide / 2, high / 2), place, density=density))
            top += high
        engine = make(label, groups)
        engine.step(720)
        fallen += bool(np.abs(engine.state()[0][1:, 0] - offset).max() > size / 5)
    return 100 * fallen / runs


def frame_rates(label: str, runs: int) -> float:
    """Largest move, in mm, of a pyramid of ten rows whose steps are 1/30 to 1/144 s at random."""
    rows = range(10)
    places = [((k - (10 - row) / 2) * 1.05, 0.5 + row) for row in rows for k in range(10 - row)]
    worst = 0.0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        engine = make(label, [floor(), group(box(0.5, 0.5), places)])
        engine.step(300)
        there, passed = np.array(engine.state()[0]), 0.0
        while passed < 10:
            dt = 1 / rng.uniform(30, 144)
            engine.one_step(dt)
            passed += dt
        worst = max(worst, 1000 * np.abs(engine.state()[0] - there).max())
    return float(worst)


def twin_pegs(label: str, runs: int) -> float:
    """Median of the sideways speed, in percent, of a disc that hits two fixed discs at once."""
    rng = np.random.default_rng(8)
    sideways = []
    for _ in range(runs):
        radius, speed = rng.uniform(0.2, 0.6), rng.uniform(2, 10)
        e = {"restitution": restitution(label, rng.uniform(0, 1)), "friction": 0.0}
        apart = radius * rng.uniform(1.05, 1.5)
        pegs = group(circle(radius), [(0, -apart), (0, apart)], "static", **e)
        disc = group(circle(radius), [(-3, 0)], velocity=(speed, 0), **e)
        engine = make(label, [pegs, disc], gravity=0)
        engine.step(round(60 * 4 / speed))
        sideways.append(100 * abs(engine.state()[2][-1][1]) / speed)
    return float(np.median(sideways))


# ------------------------------------------------------------------------------------------------


class Experiment(NamedTuple):
    """What is done, how often, and what theory says."""

    run: Callable[[str, int], float]
    runs: int
    theory: float
    unit: str
    text: str


EXPERIMENTS = (
    Experiment(near_misses, 300, 0, "%", "near misses, 2–50 mm apart, that are disturbed"),
    Experiment(glancing_hits, 1, 0, "%", "glancing hits: mean error of the struck disc's speed"),
    Experiment(flat_impact, 24, 0, "%", "flat impact, e = 0: speed that remains"),
    Experiment(columns, 40, 0, "%", "columns of 1:4, dropped from 1.7 m, that tip over"),
    Experiment(bounces, 60, 0, "%", "first bounce, e = 0.3–1: largest error of its height"),
    Experiment(cradle, 1, 100, "%", "five touching balls: speed of the last"),
    Experiment(gas_of_discs, 60, 100, "%", "100 elastic discs: energy after 60 s"),
    Experiment(gas_of_boxes, 60, 100, "%", "100 elastic boxes: energy after 60 s"),
    Experiment(fast_gas, 10, 100, "%", "144 elastic discs at 10 m/s, crowded: energy after 10 s"),
    Experiment(spinning_corners, 100, 0, "%", "spinning corners that leave more than 1 % off"),
    Experiment(balls_on_tiles, 60, 0, "%", "balls that land differently on tiles than on a floor"),
    Experiment(boxes_on_tiles, 60, 0, "%", "boxes and capsules that do so"),
    Experiment(flat_landings, 60, 0, "%", "boxes that slide and land flat, off by more than 1 %"),
    Experiment(angular_momentum, 200, 0, "%", "two boxes collide: change of angular momentum"),
    Experiment(sliding_box, 1, 0, "%", "box that slides to rest: largest error of the distance"),
    Experiment(slow_fall, 1, 100, "%", "fall at 0.05 m/s² for 10 s, with sleep: distance"),
    Experiment(piles, 24, 100, "%", "heaps of 30, e = 0.2, at rest after 20 s"),
    Experiment(double_pendulum, 1, 0, "%", "double pendulum: change of energy after 60 s"),
    Experiment(pendulums, 1, 100, "%", "five pendulums that hit each other: energy after 30 s"),
    Experiment(heavy_end, 1, 0, "%", "chain of ten links, 100 times a link at its end: stretch"),
    Experiment(
        loaded_platform, 8, 0, "mm/s", "crates 5–100 times their jointed plank, after 3 s: speed"
    ),
    Experiment(trucks, 4, 0, "mm", "car 10–2,000 times as heavy as a wheel: axles give way by"),
    Experiment(crowds, 6, 0, "m/s", "40 angles put into each other: speed when they are apart"),
    Experiment(rocking_plank, 1, 100, "%", "plank that rocks on a disc: swing after a minute"),
    Experiment(two_feet, 20, 0, "%", "tables that land flat, e = 0.5: rim speed"),
    Experiment(box_on_box, 30, 0, "%", "box that falls on a box at rest, e = 0: rebound"),
    Experiment(heavy_on_light, 30, 0, "%", "box 1–100 times as heavy that falls on three: rebound"),
    Experiment(unequal_towers, 60, 0, "%", "towers of 5–15 unlike boxes that fall"),
    Experiment(frame_rates, 2, 0, "mm", "pyramid in steps of 1/30–1/144 s at random: moves by"),
    Experiment(twin_pegs, 40, 0, "%", "disc that hits two fixed ones at once: sideways speed"),
    Experiment(thrown_by_bridges, 40, 0, "%", "bridges that throw what falls on them (1:1–1:100)"),
)  # fmt: skip


def is_there(package: str) -> bool:
    """Whether it can be imported."""
    return importlib.util.find_spec(package) is not None


def main(arguments: list[str] | None = None) -> int:
    """Command line."""
    parser = common.parser(__doc__, "physics")
    parser.add_argument("--only", nargs="*", default=[], help="names of experiments")
    options = parser.parse_args(arguments)
    labels = [label for label in LABELS if is_there(SETTINGS[label][1])]
    rows = []
    for experiment in EXPERIMENTS:
        name = experiment.run.__name__
        if options.only and name not in options.only:
            continue
        runs = max(1, experiment.runs // 10) if options.quick else experiment.runs
        values = {label: experiment.run(label, runs) for label in labels}
        numbers = "  ".join(f"{label} {value:.4g}" for label, value in values.items())
        print(f"{name:18s} theory {experiment.theory:g}  {numbers}", flush=True)
        rows += [
            {
                "experiment": name,
                "engine": label,
                "version": common.version(SETTINGS[label][1]),
                "value": f"{value:.6g}",
                "theory": f"{experiment.theory:g}",
                "unit": experiment.unit,
                "runs": runs,
                "text": experiment.text,
            }
            for label, value in values.items()
        ]
    if not options.no_csv and not options.only:
        common.write_csv("physics", rows, quick=options.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
