"""What a call costs: the step of an empty world, one body's position, thousands of bodies made at
once, a view.

python benchmarks/calls.py            # table, kept in results/calls.csv
python benchmarks/calls.py --check    # exit code 1 when a target is missed
"""

import argparse
import sys
import tracemalloc
from typing import Any

import numpy as np
from common import best, write_csv

import pyphys2d as p2

MANY = 10_000


def empty_step() -> float:
    """Microseconds per step() of a world without bodies."""
    return 1e6 * best(p2.World().step, 200_000)


def position_ratio() -> float:
    """Time of body.position over that of np.empty(2)."""
    body = p2.World().add_body(p2.Box(1, 1))
    ratios = []
    for _ in range(5):  # in turns, so that both meet the same machine
        read = best(lambda: body.position, 200_000, 1)
        make = best(lambda: np.empty(2), 200_000, 1)
        ratios.append(read / make)
    return min(ratios)


def add_bodies() -> float:
    """Milliseconds to make 10,000 boxes in a new world, first touch of its memory included."""
    rng = np.random.default_rng(0)
    positions, box = rng.uniform(-100, 100, (MANY, 2)), p2.Box(1, 1)
    times = []
    for _ in range(5):
        world = p2.World()
        times.append(best(lambda w=world: w.add_bodies(box, positions), 1, 1))  # type: ignore[misc]
    return 1e3 * min(times)


def bytes_of_a_view() -> float:
    """Bytes that reading 10,000 positions allocates: those of the array object alone."""
    world = p2.World()
    world.add_bodies(p2.Circle(1), np.zeros((MANY, 2)))
    held = world.positions  # the owner of the memory is made with the first view
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    view = world.positions
    size = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert np.shares_memory(view, held)
    return size


def read_positions() -> float:
    """Microseconds to take the view of 10,000 positions."""
    world = p2.World()
    world.add_bodies(p2.Circle(1), np.zeros((MANY, 2)))
    return 1e6 * best(lambda: world.positions, 200_000)


ROWS: list[tuple[str, Any, str, float | None]] = [
    ("step() of an empty world", empty_step, "us", 0.5),
    ("body.position / np.empty(2)", position_ratio, "x", 1.5),
    ("add_bodies, 10,000 boxes", add_bodies, "ms", 10),
    ("reading 10,000 positions allocates", bytes_of_a_view, "bytes", 256),
    ("reading 10,000 positions", read_positions, "us", None),
]


def main() -> int:
    """Measures, prints, keeps; 1 when --check is given and a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 when a target is missed")
    parser.add_argument("--no-csv", action="store_true", help="do not write results/calls.csv")
    options = parser.parse_args()
    rows = []
    print(f"{'best of five':<38}{'measured':>12}{'target':>14}")
    for what, measure, unit, target in ROWS:
        value = measure()
        verdict = "" if target is None else "pass" if value <= target else "FAIL"
        limit = "" if target is None else f"<= {target:g} {unit}"
        print(f"{what:<38}{value:>8.3f} {unit:<5}{limit:>12}  {verdict}", flush=True)
        rows.append(
            {
                "what": what,
                "value": f"{value:.4g}",
                "unit": unit,
                "target": "" if target is None else target,
                "verdict": verdict,
            }
        )
    if not options.no_csv:
        write_csv("calls", rows)
    return int(options.check and any(row["verdict"] == "FAIL" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
