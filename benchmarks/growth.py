"""What a body costs when there are more of them: many pyramids, from a thousand boxes to a million.

    python benchmarks/growth.py            # table, kept in results/growth.csv; some minutes, 4 GB
    python benchmarks/growth.py --quick    # up to 100,000 bodies

Every size lives in a process of its own. After a warm-up all sizes take their steps in turn, some
at a time, round by round; fewer steps a round the more bodies, none fewer than two. Time is
processor time on one worker, best and median of the rounds. Memory is what the process grew by
from before the world was made until after the warm-up.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import statistics
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import common

from pyphys2d.scenes import benchmark

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

COPIES = (4, 10, 20, 30, 43, 70, 100, 135)  # squared, times 55: the number of boxes
QUICK_COPIES = COPIES[:5]
REFERENCE = 5_000  # bodies; the nearest size is what the others are compared with
WARM_UP = 20  # steps
BODY_STEPS = 500_000  # per round
MOST_STEPS = 100  # per round


def resident() -> int:
    """Bytes of this process that are in memory; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def serve(pipe: Connection, copies: int, substeps: int, warm_up: int) -> None:
    """One size's process: builds the world, then answers step counts with seconds."""
    description = benchmark.many_pyramids(copies)
    before = resident()
    world = benchmark.build_world(description, substeps=substeps)
    world.step(description.dt, warm_up)
    grown = resident() - before
    pipe.send((len(world.bodies), world.counters["contacts"], grown))
    while (count := pipe.recv()) is not None:
        start = process_time()
        world.step(description.dt, count)
        pipe.send(process_time() - start)


def measure(sizes: list[int], rounds: int, substeps: int, warm_up: int) -> list[dict[str, Any]]:
    """One row per size."""
    context = mp.get_context("spawn")
    runs = []
    for copies in sizes:
        pipe, other = context.Pipe()
        process = context.Process(
            target=serve, args=(other, copies, substeps, warm_up), daemon=True
        )
        process.start()
        other.close()
        bodies, contacts, grown = pipe.recv()
        print(f"built {bodies:,} bodies", flush=True)
        steps = max(2, min(MOST_STEPS, BODY_STEPS // bodies))
        runs.append((pipe, process, bodies, contacts, grown, steps))
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for seconds, (pipe, _, _, _, _, steps) in zip(times, runs, strict=True):
            pipe.send(steps)
            seconds.append(pipe.recv() / steps)
    for pipe, process, *_ in runs:
        pipe.send(None)
        process.join()
    reference = min(range(len(runs)), key=lambda k: abs(runs[k][2] - REFERENCE))
    base = min(times[reference]) / runs[reference][2]
    rows = []
    for seconds, (_, _, bodies, contacts, grown, steps) in zip(times, runs, strict=True):
        best = min(seconds)
        rows.append(
            {
                "bodies": bodies,
                "contacts": contacts,
                "substeps": substeps,
                "rounds": rounds,
                "steps": steps,
                "ms_per_step": round(1e3 * best, 4),
                "ns_per_body": round(1e9 * best / bodies, 1),
                "ns_per_body_median": round(1e9 * statistics.median(seconds) / bodies, 1),
                "ratio": round(best / bodies / base, 3),
                "bytes_per_body": round(grown / bodies),
            }
        )
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line, measures, prints and keeps the results."""
    parser = common.parser(__doc__, "growth")
    parser.add_argument(
        "--copies", type=int, nargs="+", help="pyramids in a row; boxes: 55 copies²"
    )
    parser.add_argument("--rounds", type=int, help="default 7, with --quick 3")
    parser.add_argument("--substeps", type=int, default=4)
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help=f"steps (default {WARM_UP})")
    options = parser.parse_args(arguments)
    sizes = sorted(options.copies or (QUICK_COPIES if options.quick else COPIES))
    rounds = options.rounds or (3 if options.quick else 7)
    rows = measure(sizes, rounds, options.substeps, options.warm_up)
    print(
        f"{'bodies':>10}{'ms/step':>12}{'ns/body':>10}{'median':>10}{'ratio':>8}{'bytes/body':>12}"
    )
    for row in rows:
        print(
            f"{row['bodies']:>10,}{row['ms_per_step']:>12.3f}{row['ns_per_body']:>10.1f}"
            f"{row['ns_per_body_median']:>10.1f}{row['ratio']:>8.2f}{row['bytes_per_body']:>12,}"
        )
    if not options.no_csv:
        print(f"kept in results/{common.write_csv('growth', rows, quick=options.quick).name}")


if __name__ == "__main__":
    main()
