"""Call logs of random worlds: each is replayed to the same hashes, by every width and any workers.

python tests/fuzz/calls.py --worlds 1000
"""

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path

import determinism
import determinism_worlds
import numpy as np

import pyphys2d as p2
from pyphys2d import _core


def record(seed, path, options=None):
    """The world of a random program, with a log from a random line on; None for one without."""
    random = np.random.default_rng(seed)
    space = {"WORKERS": 1, "WIDTH": p2.simd.name, "see": lambda _: None, "b": {}, "j": {}, "f": {}}
    exec(determinism.PREAMBLE, space)
    lines = determinism_worlds.program(seed)
    begin, logged, log = int(random.integers(1, len(lines))), None, None
    for number, line in enumerate(lines):
        with contextlib.suppress(Exception):  # of calls that are refused
            exec(line, space)
        world = space.get("w")
        if number >= begin and world is not None and logged is None:
            with contextlib.suppress(ValueError, p2.WorldLockedError):
                log, logged = world.record_calls(path, **(options or {})), world
    if log is not None:
        log.close()
    return logged


def replays(path):
    """By every width, with 1, 2 and 3 workers in turn."""
    widest = p2.simd.name
    for k, width in enumerate(p2.simd.available):
        _core._set_simd(width)
        try:
            yield width, p2.replay(path, workers=k % 3 + 1)
        finally:
            _core._set_simd(None if width == widest else widest)
    _core._set_simd(None)


def of_program(seed, folder):
    """What differs in a replay of the log of a random world; None: nothing."""
    path = Path(folder) / "run.calls"
    world = record(seed, path)
    if world is None:
        return None
    for width, replay in replays(path):
        if not replay.same or not replay.complete:
            return width, str(replay)
        if replay.world.hash() != world.hash():
            return width, "another hash at the end"
    return None


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.worlds):
            found = of_program(seed, folder)
            if found:
                faults += 1
                print(f"world {seed}: {found}", flush=True)
    print(f"{options.worlds} worlds from {options.seed}: {faults} differ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
