"""What it costs to copy, save and put back a world: piles of 1,000 and 10,000 boxes.

python benchmarks/state.py            # table, kept in results/state.csv
python benchmarks/state.py --check    # exit code 1 when snapshot or restore is slower than promised

The peer is pymunk, where it is installed: `copy.deepcopy` of a space (its own way to copy one,
which pickles) and `pickle.dumps`, of the same pile.
"""

from __future__ import annotations

import copy
import pickle
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from common import best, parser, write_csv

import pyphys2d as p2

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (1000, 10_000)
PROMISED = {1000: 0.3, 10_000: 3.0}  # ms, of snapshot and of restore
LONG = 5.0  # seconds: what takes longer is called once
STEPS = 30  # after which the pile has its contacts


def places(count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Of boxes in columns of twenty."""
    k = np.arange(count)
    return np.column_stack([1.2 * (k // 20), 0.5 + k % 20])


def ours(count: int) -> dict[str, Callable[[], object]]:
    world = p2.World()
    ground = world.add_body(p2.Box(2.4 * count / 20 + 10, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 1), places(count))
    world.step(n=STEPS)
    data = world.snapshot()
    pickled = pickle.dumps(world)

    def restore_anew() -> None:
        ground.linear_damping = 1  # one body is made in another way: all are made again
        world.restore(data)

    return {
        "snapshot": world.snapshot,
        "restore": lambda: world.restore(data),
        "restore, bodies made anew": restore_anew,
        "from_snapshot": lambda: p2.World.from_snapshot(data),
        "fork(1)": lambda: world.fork(1),
        "copy.deepcopy": lambda: copy.deepcopy(world),
        "pickle.dumps": lambda: pickle.dumps(world),
        "pickle.loads": lambda: pickle.loads(pickled),
        "hash": world.hash,
        "step": world.step,
    }


def peer(count: int) -> dict[str, Callable[[], object]]:
    try:
        import pymunk
    except ImportError:
        return {}
    space = pymunk.Space()
    space.gravity = (0, -9.81)
    ground = pymunk.Poly.create_box(space.static_body, (2.4 * count / 20 + 10, 1))
    space.add(ground)
    for x, y in places(count) + np.array([0, 0.5]):
        body = pymunk.Body()
        body.position = float(x), float(y)
        shape = pymunk.Poly.create_box(body, (1, 1))
        shape.density = 1
        space.add(body, shape)
    for _ in range(STEPS):
        space.step(1 / 60)
    pickled = pickle.dumps(space)
    return {
        "copy.deepcopy": lambda: copy.deepcopy(space),
        "pickle.dumps": lambda: pickle.dumps(space),
        "pickle.loads": lambda: pickle.loads(pickled),
        "step": lambda: space.step(1 / 60),
    }


def seconds(call: Callable[[], object], number: int) -> float:
    """Of a call, at best; of the thread alone: other programs of a busy machine are left out."""
    if number > 1:
        return best(call, number, 15, time.thread_time)
    once = best(call, 1, 1, time.thread_time)
    return once if once > LONG else min(once, best(call, 1, 2, time.thread_time))


def main() -> int:
    options = parser(__doc__, "state")
    options.add_argument("--check", action="store_true")
    arguments = options.parse_args()
    rows, failed = [], False
    for count in SIZES[: 1 if arguments.quick else None]:
        size = len(_pile_snapshot(count))
        for engine, build in (("pyphys2d", ours), ("pymunk", peer)):
            for what, call in build(count).items():
                number = 1 if engine == "pymunk" and what != "step" else 20
                ms = 1e3 * seconds(call, number)
                slow = what in ("snapshot", "restore") and ms > PROMISED[count]
                failed |= slow
                row = {
                    "bodies": count,
                    "engine": engine,
                    "call": what,
                    "ms": f"{ms:.4g}",
                    "bytes": size if (engine, what) == ("pyphys2d", "snapshot") else "",
                }
                print(*row.values(), "slower than promised" if slow else "", sep="\t", flush=True)
                rows.append(row)
    if not arguments.no_csv:
        write_csv("state", rows, quick=arguments.quick)
    return int(arguments.check and failed)


def _pile_snapshot(count: int) -> bytes:
    return ours(count)["snapshot"]()  # type: ignore[return-value]


if __name__ == "__main__":
    sys.exit(main())
