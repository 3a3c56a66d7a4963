"""What bodies cost that sleep: 100 awake ones alone, and beside 100,000 asleep.

    python benchmarks/sleepers.py    # table, kept in results/sleepers.csv

The awake are balls that bounce about in a pen, without gravity; the sleepers are boxes in rows far
from them. With the sleepers the world is measured three times: while nobody holds a view of its
arrays, while one array is held, and while four are. The four worlds take turns, some steps at a
time; time is the best of the rounds, processor time on one worker.
"""

from __future__ import annotations

import statistics
from time import process_time
from typing import Any

import common
import numpy as np

import pyphys2d as p2

SLEEPERS, AWAKE = 100_000, 100
HELD: dict[str, tuple[str, ...]] = {
    "none": (),
    "velocities": ("velocities",),
    "poses and velocities": ("positions", "angles", "velocities", "angular_velocities"),
}


def world_of(awake: int, sleepers: int) -> p2.World:
    """Balls in a pen about the origin, and rows of sleeping boxes that touch."""
    world = p2.World(gravity=(0, 0))
    side = 4.0 * np.ceil(np.sqrt(awake))
    walls = p2.Chain([(-side, -side), (side, -side), (side, side), (-side, side)], loop=True)
    world.add_body(walls, kind="static", restitution=1, friction=0)
    random = np.random.Generator(np.random.PCG64(4))
    columns = int(np.ceil(np.sqrt(awake)))
    places = np.arange(awake)
    grid = np.column_stack([places % columns, places // columns]) - (columns - 1) / 2
    world.add_bodies(
        p2.Circle(0.5),
        2.0 * grid,
        velocity=random.uniform(-5, 5, (awake, 2)),
        restitution=1,
        friction=0,
        can_sleep=False,
    )
    if sleepers:
        places = np.arange(sleepers)
        rows = np.column_stack([side + 100 + places % 100, 2.0 * (places // 100)])
        world.add_bodies(p2.Box(1, 1), rows, awake=False)
    return world


def measure(awake: int, sleepers: int, rounds: int, steps: int) -> list[dict[str, Any]]:
    """One row per world."""
    cases = [(0, "none"), *((sleepers, held) for held in HELD)]
    worlds = []
    for count, held in cases:
        world = world_of(awake, count)
        world.step(n=10)
        views = [getattr(world, name) for name in HELD[held]]
        assert world.counters["awake"] == awake
        worlds.append((world, views))
    times: list[list[float]] = [[] for _ in worlds]
    for _ in range(rounds):
        for (world, _), seconds in zip(worlds, times, strict=True):
            start = process_time()
            world.step(n=steps)
            seconds.append((process_time() - start) / steps)
    if len({world.velocities[1 : 1 + awake].tobytes() for world, _ in worlds}) != 1:
        raise SystemExit("the sleepers have changed what the awake bodies do")
    if np.abs(worlds[0][0].positions[1 : 1 + awake]).max() > 4 * np.ceil(np.sqrt(awake)):
        raise SystemExit("a ball has left the pen")
    alone = min(times[0])
    return [
        {
            "awake": awake,
            "sleepers": count,
            "views_held": held,
            "rounds": rounds,
            "steps": steps,
            "us_per_step": round(1e6 * min(seconds), 3),
            "us_per_step_median": round(1e6 * statistics.median(seconds), 3),
            "ratio": round(min(seconds) / alone, 3),
            "ns_per_sleeper": round(1e9 * (min(seconds) - alone) / count, 3) if count else "",
        }
        for (count, held), seconds in zip(cases, times, strict=True)
    ]


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line, measures, prints and keeps the results."""
    parser = common.parser(__doc__, "sleepers")
    parser.add_argument("--awake", type=int, default=AWAKE)
    parser.add_argument("--sleepers", type=int, default=SLEEPERS)
    parser.add_argument("--rounds", type=int, help="default 10, with --quick 5")
    parser.add_argument("--steps", type=int, help="steps of a round (default 200, with --quick 50)")
    options = parser.parse_args(arguments)
    rounds = options.rounds or (5 if options.quick else 10)
    steps = options.steps or (50 if options.quick else 200)
    rows = measure(options.awake, options.sleepers, rounds, steps)
    print(f"{'sleepers':>10}  {'views held':<22}{'us/step':>10}{'ratio':>8}{'ns/sleeper':>12}")
    for row in rows:
        print(
            f"{row['sleepers']:>10,}  {row['views_held']:<22}{row['us_per_step']:>10.2f}"
            f"{row['ratio']:>8.2f}{row['ns_per_sleeper']:>12}"
        )
    if not options.no_csv:
        print(f"kept in results/{common.write_csv('sleepers', rows, quick=options.quick).name}")


if __name__ == "__main__":
    main()
