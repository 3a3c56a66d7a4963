"""20,000 questions with shapes to 10,000 bodies: the array forms against our own loops of single
calls, against pymunk's loops where it can be asked the same (of it, the nearest within 3 m), after
all bodies have moved, and with two workers; all in one run, in turns. Times are the processor's,
but for the line of two workers, which compares by the clock on the wall.

python benchmarks/queries.py            # table, kept in results/queries.csv
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from common import version, write_csv
from rays import Floats, Scene, build_ours, build_pymunk, directions, pymunk, seconds

import pyphys2d as p2

ROWS, LOOP, TURNS = 20_000, 2_000, 5  # LOOP: questions of a loop
SIDE, LENGTH, RADIUS = 200.0, 10.0, 0.3
BOX = p2.Box(0.6, 0.3)


class Question(NamedTuple):
    name: str
    many: Callable[[p2.World], Any]
    one: Callable[[p2.World, int], object]
    pymunk: Callable[[pymunk.Space, int], object] | None


def questions(rows: int = ROWS) -> list[Question]:
    rng = np.random.default_rng(1)
    poses = np.column_stack(
        [rng.uniform(-SIDE / 2, SIDE / 2, (rows, 2)), rng.uniform(-np.pi, np.pi, rows)]
    )
    ways = LENGTH * directions(rng.uniform(0, 2 * np.pi, rows))
    points = poses[:, :2]
    ends = poses + np.column_stack([ways, np.ones(rows)])
    at = [tuple(row) for row in poses.tolist()]
    spot = [tuple(row) for row in points.tolist()]
    way = [tuple(row) for row in ways.tolist()]
    end = [tuple(row) for row in ends.tolist()]
    last = [row[:2] for row in end]
    if pymunk is not None:
        every = pymunk.ShapeFilter()
        body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        poly = pymunk.Poly.create_box(body, (0.6, 0.3))

    def their_overlap(space: pymunk.Space, i: int) -> object:
        body.position, body.angle = spot[i], at[i][2]
        return space.shape_query(poly)

    return [
        Question(
            "rays of radius 0.3",
            lambda w: w.cast_rays(points, ways, radius=RADIUS),
            lambda w, i: w.cast_ray(spot[i], way[i], radius=RADIUS),
            lambda s, i: s.segment_query_first(spot[i], last[i], RADIUS, every),
        ),
        Question(
            "cast of a box",
            lambda w: w.cast_shapes(BOX, poses, ways),
            lambda w, i: w.cast_shape(BOX, at[i], way[i]),
            None,
        ),
        Question(
            "time of impact of a turning box",
            lambda w: w.times_of_impact(BOX, poses, ends),
            lambda w, i: w.time_of_impact(BOX, at[i], end[i]),
            None,
        ),
        Question(
            "nearest to a point",
            lambda w: w.distances(points),
            lambda w, i: w.distances(spot[i]),
            lambda s, i: s.point_query_nearest(spot[i], 3, every),
        ),
        Question(
            "nearest four to a point",
            lambda w: w.distances(points, k=4),
            lambda w, i: w.distances(spot[i], k=4),
            None,
        ),
        Question(
            "nearest to a box",
            lambda w: w.distances(BOX, poses=poses),
            lambda w, i: w.distances(BOX, poses=at[i]),
            None,
        ),
        Question(
            "overlaps of a box, with points",
            lambda w: w.overlaps(BOX, poses),
            lambda w, i: w.overlaps(BOX, at[i]),
            their_overlap,
        ),
    ]


class Worlds(NamedTuple):
    one: p2.World
    two: p2.World
    moving: p2.World
    space: pymunk.Space | None  # without the extra `bench`: None


def build() -> Worlds:
    scene = Scene("dense", SIDE, np.empty((0, 2)), np.empty((0, 2)))
    one, two, moving = (build_ours(scene, workers) for workers in (1, 2, 1))
    return Worlds(one, two, moving, build_pymunk(scene) if pymunk else None)


def measure(
    question: Question, worlds: Worlds, rows: int, loop: int, turns: int
) -> dict[str, float]:
    """Nanoseconds per question, best of the turns."""
    one, two, moving, space = worlds
    positions: Floats = moving.positions
    assert question.many(one).tobytes() == question.many(two).tobytes()

    def move_and_ask() -> None:
        positions[:, 0] += 1e-3
        question.many(moving)

    calls: dict[str, tuple[Callable[[], object], int]] = {
        "at once": (lambda: question.many(one), rows),
        "after all have moved": (move_and_ask, rows),
        "loop": (lambda: [question.one(one, i) for i in range(loop)], loop),
    }
    if question.pymunk is not None and space is not None:
        ask = question.pymunk
        calls["pymunk"] = (lambda: [ask(space, i) for i in range(loop)], loop)
    times: dict[str, list[float]] = {}
    for _ in range(turns):
        for name, (call, count) in calls.items():
            times.setdefault(name, []).append(1e9 * seconds(process_time, call) / count)
        for name, world in (("one worker, wall", one), ("two workers", two)):
            spent = seconds(perf_counter, lambda w=world: question.many(w))  # type: ignore[misc]
            times.setdefault(name, []).append(1e9 * spent / rows)
    return {name: min(column) for name, column in times.items()}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer questions, once")
    parser.add_argument("--no-csv", action="store_true", help="do not write results/queries.csv")
    options = parser.parse_args(arguments)
    size = (500, 50, 1) if options.quick else (ROWS, LOOP, TURNS)
    load, rows, worlds = os.getloadavg()[0], [], build()
    for question in questions(size[0]):
        times = measure(question, worlds, *size)
        ours = times["at once"]
        print(f"{question.name}: {ours:.0f} ns")
        for name in ("at once", "after all have moved", "loop", "pymunk", "two workers"):
            if name not in times:
                continue
            by_team = times["one worker, wall"] / times["two workers"]
            ratio = by_team if name == "two workers" else times[name] / ours
            print(f"  {name:22}{times[name]:10.0f} ns {ratio:8.2f} x")
            rows.append(
                {
                    "question": question.name,
                    "what": name,
                    "ns": f"{times[name]:.4g}",
                    "ratio": f"{ratio:.3g}",
                    "pymunk": version("pymunk") if pymunk else "",
                    "load": f"{load:.1f}",
                }
            )
    if not options.no_csv:
        write_csv("queries", rows, quick=options.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
