"""100,000 rays into 10,000 bodies: `cast_rays` against our own loop of `cast_ray`, against pymunk's
loop of `segment_query_first`, and with two workers; all in one run, in turns. Times are the
processor's, but for the line of two workers, which compares by the clock on the wall.

python benchmarks/rays.py            # table, kept in results/rays.csv
python benchmarks/rays.py --check    # exit code 1 when a target is missed
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import version, write_csv

import pyphys2d as p2

try:
    import pymunk
except ImportError:  # of the extra `bench`
    pymunk = None

BODIES, RAYS, LOOP = 10_000, 100_000, 5_000  # LOOP: rays of a loop, scaled up
MOST_NANOSECONDS, OVER_LOOP, OVER_PYMUNK, OVER_ONE_WORKER = 500, 3, 20, 1.5

Floats = npt.NDArray[np.float64]


class Scene(NamedTuple):
    name: str
    side: float  # m, of the square that the bodies are in
    origins: Floats
    translations: Floats


def directions(angles: Floats) -> Floats:
    return np.column_stack([np.cos(angles), np.sin(angles)])


def scenes() -> Iterator[Scene]:
    rng = np.random.default_rng(1)
    for name, side, length in (("dense, any rays", 200.0, 50.0), ("sparse, any rays", 1e3, 250.0)):
        origins = rng.uniform(-side / 2, side / 2, (RAYS, 2))
        yield Scene(name, side, origins, length * directions(rng.uniform(0, 2 * np.pi, RAYS)))
    places, fan = 100, np.linspace(0, 2 * np.pi, RAYS // 100, endpoint=False)
    origins = np.repeat(rng.uniform(-100, 100, (places, 2)), len(fan), axis=0)
    yield Scene("dense, 100 fans of 1,000", 200.0, origins, 30 * directions(np.tile(fan, places)))


def poses(scene: Scene) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    positions = rng.uniform(-scene.side / 2, scene.side / 2, (BODIES, 2))
    return positions, rng.uniform(-np.pi, np.pi, BODIES)


def build_ours(scene: Scene, workers: int) -> p2.World:
    """Boxes, circles, capsules and hexagons, a quarter each, in the order of their slots."""
    world = p2.World(gravity=(0, 0), workers=workers)
    positions, angles = poses(scene)
    shapes = [
        p2.Box(1, 1),
        p2.Circle(0.5),
        p2.Capsule((-0.5, 0), (0.5, 0), 0.25),
        p2.RegularPolygon(6, 0.6),
    ]
    part = BODIES // len(shapes)
    for k, shape in enumerate(shapes):
        rows = slice(k * part, (k + 1) * part)
        world.add_bodies(shape, positions[rows], angles[rows])
    return world


def build_pymunk(scene: Scene) -> pymunk.Space:
    if pymunk is None:
        raise SystemExit("pymunk is missing: pip install '.[bench]'")
    space = pymunk.Space()
    hexagon = [tuple(map(float, 0.6 * d)) for d in directions(np.arange(6) * np.pi / 3)]
    for i, (position, angle) in enumerate(zip(*poses(scene), strict=True)):
        body = pymunk.Body(1, 1)
        body.position, body.angle = (float(position[0]), float(position[1])), float(angle)
        makers: list[Callable[[], pymunk.Shape]] = [
            lambda b=body: pymunk.Poly.create_box(b, (1, 1)),  # type: ignore[misc]
            lambda b=body: pymunk.Circle(b, 0.5),  # type: ignore[misc]
            lambda b=body: pymunk.Segment(b, (-0.5, 0), (0.5, 0), 0.25),  # type: ignore[misc]
            lambda b=body: pymunk.Poly(b, hexagon),  # type: ignore[misc]
        ]
        space.add(body, makers[i * len(makers) // BODIES]())
    space.step(1e-9)  # its index of the shapes is made by a step
    return space


def measure(scene: Scene) -> dict[str, float]:
    """Nanoseconds per ray, best of five turns."""
    one, two, space = build_ours(scene, 1), build_ours(scene, 2), build_pymunk(scene)
    moving = build_ours(scene, 1)
    positions = moving.positions
    origins, translations = scene.origins, scene.translations
    starts = [tuple(row) for row in origins[:LOOP].tolist()]
    ways = [tuple(row) for row in translations[:LOOP].tolist()]
    ends = [tuple(row) for row in (origins + translations)[:LOOP].tolist()]
    every = pymunk.ShapeFilter()

    def loop() -> list[object]:
        return [one.cast_ray(o, t) for o, t in zip(starts, ways, strict=True)]

    def their_loop() -> list[object]:
        ask = space.segment_query_first
        return [ask(a, b, 0, every) for a, b in zip(starts, ends, strict=True)]

    def move_and_cast() -> None:
        positions[:, 0] += 1e-3
        moving.cast_rays(origins, translations)

    hits = one.cast_rays(origins, translations)
    assert hits.tobytes() == two.cast_rays(origins, translations).tobytes()
    for row, ours, theirs in zip(hits, loop(), their_loop(), strict=False):
        assert (ours is None) == (row["body"] < 0)
        assert ours is None or ours.fraction == row["fraction"]  # type: ignore[attr-defined]
        # theirs is rounded otherwise where it grazes
        assert (theirs is None) == (ours is None) or row["fraction"] > 0 or ours is None
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "cast_rays": (lambda: one.cast_rays(origins, translations), RAYS),
        "after all have moved": (move_and_cast, RAYS),
        "loop": (loop, LOOP),
        "pymunk": (their_loop, LOOP),
    }
    times: dict[str, list[float]] = {}
    for _ in range(5):
        for name, (call, count) in calls.items():
            spent = seconds(process_time, call)
            times.setdefault(name, []).append(1e9 * spent / count)
        for name, world in (("one worker, wall", one), ("two workers", two)):
            spent = seconds(perf_counter, lambda w=world: w.cast_rays(origins, translations))  # type: ignore[misc]
            times.setdefault(name, []).append(1e9 * spent / RAYS)
    return {name: min(column) for name, column in times.items()}


def seconds(clock: Callable[[], float], call: Callable[[], object]) -> float:
    start = clock()
    call()
    return clock() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 when a target is missed")
    parser.add_argument("--no-csv", action="store_true", help="do not write results/rays.csv")
    options = parser.parse_args()
    rows, missed = [], False
    load = os.getloadavg()[0]
    for scene in scenes():
        times = measure(scene)
        ours = times["cast_rays"]
        targets = {
            "cast_rays": (ours, MOST_NANOSECONDS, ours <= MOST_NANOSECONDS),
            "after all have moved": (times["after all have moved"], "", True),
        }
        for name, least in (
            ("loop", OVER_LOOP),
            ("pymunk", OVER_PYMUNK),
            ("two workers", OVER_ONE_WORKER),
        ):
            by_team = times["one worker, wall"] / times["two workers"]
            ratio = by_team if name == "two workers" else times[name] / ours
            targets[name] = (ratio, least, ratio >= least)
        print(f"{scene.name}: {ours:.0f} ns a ray")
        for name, (value, target, good) in targets.items():
            unit = "ns" if name in ("cast_rays", "after all have moved") else "x"
            verdict = "" if target == "" else "pass" if good else "FAIL"
            print(f"  {name:22}{times[name]:10.0f} ns {value:8.1f} {unit:3}{target:>6}  {verdict}")
            rows.append(
                {
                    "scene": scene.name,
                    "what": name,
                    "ns_per_ray": f"{times[name]:.4g}",
                    "value": f"{value:.4g}",
                    "unit": unit,
                    "target": target,
                    "verdict": verdict,
                    "pymunk": version("pymunk"),
                    "load": f"{load:.1f}",
                }
            )
            missed = missed or not good
    if not options.no_csv:
        write_csv("rays", rows)
    return int(options.check and missed)


if __name__ == "__main__":
    sys.exit(main())
