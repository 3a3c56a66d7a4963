"""All scenes after full runs: world.hash() at every SIMD width, for 1, 2, 3 workers.

    python tests/golden/benchmark_hashes.py                          # all widths x all workers
    python tests/golden/benchmark_hashes.py --widths avx2 --workers 2 3 --scenes tumbler washer
    python tests/golden/benchmark_hashes.py --write                  # a new benchmark_hashes.json

Benchmark scenes have their names, those of `pyphys2d scenes` are called demo/NAME.

Each width and number of workers is a process of its own, as many at a time as there are cores for
their workers. A width that this processor lacks is named
and passed over. Exit code 1 when a hash differs from the file's. All of it takes minutes; write the
file anew only after a change that is meant to change the bits, and say in the commit why.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pyphys2d as p2
from pyphys2d import scenes as demos
from pyphys2d.scenes import benchmark

GOLDEN = Path(__file__).with_suffix(".json")
WIDTHS = ("scalar", "sse2", "avx2", "avx512vl", "neon")
WORKERS = (1, 2, 3)


EVERY = [*benchmark.DESCRIPTIONS, *(f"demo/{name}" for name in demos.SCENES)]


def run(scene: str, workers: int) -> p2.World:
    """The world after the scene's full run at default settings."""
    if scene in benchmark.DESCRIPTIONS:
        description = benchmark.DESCRIPTIONS[scene]()
        world = benchmark.build_world(description, workers=workers)
        benchmark.run(world, description)
        return world
    for name, module in list(sys.modules.items()):
        if name.startswith("pyphys2d.scenes.") and hasattr(module, "World"):
            module.World = partial(p2.World, workers=workers)  # type: ignore[attr-defined]
    demo = demos.build(scene.removeprefix("demo/"))
    demo.run()
    return demo.world


def hash_of(scene: str, workers: int) -> str:
    """Of the world after the run, as hexadecimal text."""
    return f"{run(scene, workers).hash() & (2**64 - 1):016x}"


def hashes(scenes: list[str], width: str, workers: int) -> dict[str, str]:
    """Hashes by scene, from a process that uses this width."""
    done = subprocess.run(
        [sys.executable, __file__, "--print", "--workers", str(workers), "--scenes", *scenes],
        env={**os.environ, "PYPHYS2D_SIMD": width},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def differences(scenes: list[str], width: str, workers: int) -> int:
    """Compares one run with the file, says what came out, and counts what differs."""
    wanted = json.loads(GOLDEN.read_text())
    start = time.perf_counter()
    found = hashes(scenes, width, workers)
    wrong = [name for name in scenes if found[name] != wanted[name]]
    for name in wrong:
        print(f"{width}, workers={workers}: {name} is {found[name]}, should be {wanted[name]}")
    passed, seconds = len(scenes) - len(wrong), time.perf_counter() - start
    print(f"{width}, workers={workers}: {passed} of {len(scenes)} as written ({seconds:.0f} s)")
    return len(wrong)


def main() -> int:
    """Exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenes", nargs="+", choices=EVERY, default=EVERY, metavar="NAME")
    parser.add_argument("--widths", nargs="+", choices=WIDTHS, default=list(WIDTHS))
    parser.add_argument("--workers", nargs="+", type=int, default=list(WORKERS), metavar="N")
    parser.add_argument("--write", action="store_true", help="write the file, from one worker")
    parser.add_argument("--print", action="store_true", help="this process's hashes, as JSON")
    wanted = parser.parse_args()
    if wanted.print:
        print(json.dumps({name: hash_of(name, wanted.workers[0]) for name in wanted.scenes}))
        return 0
    if wanted.write:
        GOLDEN.write_text(json.dumps(hashes(EVERY, p2.simd.name, 1), indent=2) + "\n")
        return 0
    widths = [width for width in wanted.widths if width in p2.simd.available]
    for width in wanted.widths:
        if width not in widths:
            print(f"{width}: this processor lacks it, passed over")
    wrong = 0
    for workers in wanted.workers:
        with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // workers)) as pool:
            wrong += sum(pool.map(partial(differences, wanted.scenes, workers=workers), widths))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
