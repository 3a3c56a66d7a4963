"""Memory: what a body and a contact take, in every engine that is installed.

    python benchmarks/memory.py            # table, kept in results/memory.csv

The memory that a process grows by while it makes a scene and takes its first steps, each engine
and scene in a process of its own: boxes far from each other without gravity, then as many in
pyramids. The first tells what a body with one shape takes, the difference what a contact takes.
What Python needs for the objects that an adapter has to keep counts too: other engines cannot be
used without them.
"""

from __future__ import annotations

import multiprocessing as mp
from typing import TYPE_CHECKING, Any

import common
import numpy as np
from engines import SETTINGS
from growth import resident

from pyphys2d.scenes import benchmark

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ENGINES = ("pyphys2d-4", "pymunk", "pyb2d3")
STEPS = 10
CONTACTS_PER_PYRAMID = 145


def boxes_apart(count: int) -> benchmark.Description:
    """Unit boxes three metres from each other, in random order, without gravity."""
    side = int(np.ceil(np.sqrt(count)))
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    positions = 3.0 * np.random.default_rng(1).permutation(grid[:count])
    return benchmark.Description(
        "apart",
        (benchmark.group(benchmark.box(0.5, 0.5), positions),),
        STEPS,
        gravity=(0.0, 0.0),
        sleeping=False,
    )


def serve(pipe: Connection, label: str, copies: int, contacts: bool) -> None:
    """Sends what this process grows by, in bytes."""
    adapter, _, substeps, _ = SETTINGS[label]
    warm = adapter(boxes_apart(4), substeps)  # what the engine takes once
    warm.step(1)
    description = benchmark.many_pyramids(copies) if contacts else boxes_apart(55 * copies * copies)
    before = resident()
    engine = adapter(description, substeps)
    engine.step(STEPS)
    pipe.send(resident() - before)


def grown(label: str, copies: int, contacts: bool) -> int:
    """Bytes."""
    context = mp.get_context("spawn")
    pipe, other = context.Pipe(duplex=False)
    process = context.Process(target=serve, args=(other, label, copies, contacts), daemon=True)
    process.start()
    other.close()
    try:
        size: int = pipe.recv()
    except EOFError:
        raise SystemExit(f"{label}: the process ended without an answer") from None
    process.join()
    return size


def measure(copies: int) -> list[dict[str, Any]]:
    """One row per engine."""
    bodies, contacts = 55 * copies * copies, CONTACTS_PER_PYRAMID * copies * copies
    rows = []
    for label in ENGINES:
        package = SETTINGS[label][1]
        if package != "pyphys2d" and not common.version(package):
            print(f"{package} is not installed, passed over")
            continue
        alone, piled = (grown(label, copies, touching) for touching in (False, True))
        rows.append(
            {
                "engine": package,
                "bodies": bodies,
                "contacts": contacts,
                "bytes_per_body": round(alone / bodies),
                "bytes_per_contact": round((piled - alone) / contacts),
            }
        )
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line, measures, prints and keeps the results."""
    parser = common.parser(__doc__, "memory")
    parser.add_argument(
        "--copies", type=int, help="pyramids in a row; boxes: 55 copies² (default 20, --quick 10)"
    )
    options = parser.parse_args(arguments)
    rows = measure(options.copies or (10 if options.quick else 20))
    print(f"{'engine':<12}{'bodies':>10}{'bytes/body':>12}{'bytes/contact':>15}")
    for row in rows:
        print(
            f"{row['engine']:<12}{row['bodies']:>10,}{row['bytes_per_body']:>12,}"
            f"{row['bytes_per_contact']:>15,}"
        )
    if not options.no_csv:
        print(f"kept in results/{common.write_csv('memory', rows, quick=options.quick).name}")


if __name__ == "__main__":
    main()
