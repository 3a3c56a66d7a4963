"""What more workers bring, also when a core is busy with something else.

    python benchmarks/threads.py --busy    # table, kept in results/threads.csv
    python benchmarks/threads.py --workers 1 2 4 --scenes many_pyramids

A run is a new world, a warm-up, and then the steps that are timed. The numbers of workers take
turns, run by run; time is the best of the runs (and their median), wall time. The state at the end
must have the same hash whatever the number of workers.

With --busy everything is measured a second time, with the machine's last core kept busy by another
process.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

import common

from pyphys2d.scenes import benchmark

if TYPE_CHECKING:
    from collections.abc import Iterator

SCENES = ("many_pyramids", "large_pyramid", "washer")
RUNS = 10

# Ends by itself when its parent is gone.
SPIN = """
import os
parent = os.getppid()
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
print("ready", flush=True)
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


@contextmanager
def busy_core() -> Iterator[None]:
    """A process that uses up the last core."""
    command = [sys.executable, "-c", SPIN]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()


def one_run(scene: str, workers: int, substeps: int, warm_up: int, steps: int) -> tuple[float, int]:
    """Seconds per step, and the hash of the end."""
    description = benchmark.DESCRIPTIONS[scene]()
    world = benchmark.build_world(description, substeps=substeps, workers=workers)
    benchmark.run(world, description, warm_up)
    start = perf_counter()
    benchmark.run(world, description, steps)
    return (perf_counter() - start) / steps, world.hash()


def measure(
    scene: str, teams: list[int], runs: int, substeps: int, warm_up: int, steps: int, busy: bool
) -> list[dict[str, Any]]:
    """One row per number of workers."""
    times: dict[int, list[float]] = {workers: [] for workers in teams}
    hashes = set()
    for _ in range(runs):
        for workers in teams:
            seconds, end = one_run(scene, workers, substeps, warm_up, steps)
            times[workers].append(seconds)
            hashes.add(end)
    if len(hashes) != 1:
        raise SystemExit(f"{scene}: {len(hashes)} different ends")
    base = min(times[teams[0]])
    return [
        {
            "scene": scene,
            "cores": os.cpu_count(),
            "workers": workers,
            "busy": "yes" if busy else "no",
            "substeps": substeps,
            "runs": runs,
            "steps": steps,
            "ms_per_step": round(1e3 * min(seconds), 4),
            "ms_per_step_median": round(1e3 * statistics.median(seconds), 4),
            "speedup": round(base / min(seconds), 3),
            "hash": f"{hashes.copy().pop() & (1 << 64) - 1:016x}",
        }
        for workers, seconds in times.items()
    ]


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line, measures, prints and keeps the results."""
    parser = common.parser(__doc__, "threads")
    parser.add_argument("--scenes", nargs="+", choices=list(benchmark.DESCRIPTIONS), default=SCENES)
    parser.add_argument(
        "--workers", type=int, nargs="+", default=[1, 2], help="the first is what counts as 1 ×"
    )
    parser.add_argument("--busy", action="store_true", help="also beside a busy process")
    parser.add_argument("--runs", type=int, help=f"default {RUNS}, with --quick 3")
    parser.add_argument("--steps", type=int, help="timed steps of a run (default 60, 20)")
    parser.add_argument("--warm-up", type=int, default=30, help="steps (default 30)")
    parser.add_argument("--substeps", type=int, default=4)
    options = parser.parse_args(arguments)
    runs = options.runs or (3 if options.quick else RUNS)
    steps = options.steps or (20 if options.quick else 60)
    rows: list[dict[str, Any]] = []

    def measure_all(busy: bool) -> None:
        for scene in options.scenes:
            made = measure(
                scene, options.workers, runs, options.substeps, options.warm_up, steps, busy
            )
            for row in made:
                print(
                    f"{scene:<16}{row['workers']:>8}{row['busy']:>6}{row['ms_per_step']:>10.3f}"
                    f"{row['ms_per_step_median']:>10.3f}{row['speedup']:>9.2f}",
                    flush=True,
                )
            rows.extend(made)

    head = f"best of {runs}"
    print(f"{head:<16}{'workers':>8}{'busy':>6}{'ms/step':>10}{'median':>10}{'speedup':>9}")
    measure_all(False)
    if options.busy:
        with busy_core():
            measure_all(True)
    print("the same hash for every number of workers")
    if not options.no_csv:
        print(f"kept in results/{common.write_csv('threads', rows, quick=options.quick).name}")


if __name__ == "__main__":
    main()
