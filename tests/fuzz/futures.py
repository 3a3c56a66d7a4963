"""Whether copies of worlds have the future of the world they were made of: the scenes of the
library and of the benchmarks at random moments, by every way to make a copy.

    python tests/fuzz/futures.py                           # 20 moments of each, 600 steps; hours
    python tests/fuzz/futures.py --together                # all ways in three copies of each moment
    python tests/fuzz/futures.py --moments 2 --steps 100 --scenes tumbler gears
    python tests/fuzz/futures.py --worlds 1000             # random worlds, of a snapshot and a fork

Ways: from_snapshot, restore into another world and of what the world was, pickle of protocols 2 to
5, copy, deepcopy, fork, two workers, every narrower SIMD width, and another process. With
--together a copy is made by several of them, one after the other, which is four runs of each moment
instead of fifteen.
"""

import argparse
import contextlib
import copy
import os
import pickle
import subprocess
import sys
import time
import zlib

import determinism
import determinism_worlds
import numpy as np

import pyphys2d as p2
from pyphys2d import _core, scenes
from pyphys2d.scenes import benchmark

PROCESS = """
import pickle
import sys
import pyphys2d as p2
steps, dt = int(sys.argv[1]), float(sys.argv[2])
data = sys.stdin.buffer.read()
saved = data.startswith(b"PYPHYS2D")
world = p2.World.from_snapshot(data) if saved else pickle.loads(data)
for _ in range(steps):
    world.step(dt)
    print(world.hash())
"""


def restored(data, **options):
    other = p2.World(**options)
    other.add_body(p2.Circle(1))
    other.step()
    other.restore(data)
    return other


def gone_back(world, data):
    """A fork that was elsewhere, and has its bodies still."""
    other = world.fork(1)[0]
    with contextlib.suppress(Exception):  # of worlds that no step would take
        other.velocities[:] += 0.1
        other.step(n=20)
    other.restore(data)
    return other


def ways(world):
    """Names, and functions that make a copy."""
    data = world.snapshot()
    yield "from_snapshot", lambda: p2.World.from_snapshot(data)
    yield "restore", lambda: restored(data)
    yield "back", lambda: gone_back(world, data)
    yield "two workers", lambda: restored(data, workers=2)
    for protocol in range(2, 6):
        yield f"pickle {protocol}", lambda p=protocol: pickle.loads(pickle.dumps(world, p))
    yield "copy", lambda: copy.copy(world)
    yield "deepcopy", lambda: copy.deepcopy(world)
    yield "fork", lambda: world.fork(1)[0]
    for width in p2.simd.available:
        if width != p2.simd.name:
            yield width, lambda w=width: at_width(w, lambda: p2.World.from_snapshot(data))


def future(world, steps, dt):
    hashes = []
    for _ in range(steps):
        world.step(dt)
        hashes.append(world.hash())
    return hashes


def differing(expected, found):
    """The first step that differs; -1: none."""
    for k, (a, b) in enumerate(zip(expected, found, strict=True)):
        if a != b:
            return k
    return -1


def check(world, steps, dt):
    """The ways that lead elsewhere, with the step from which on."""
    made = [(name, make()) for name, make in ways(world)]
    data = world.snapshot(user_data=False)
    expected = future(world.fork(1)[0], steps, dt)
    faults = []
    for name, twin in made:
        if twin.hash() != world.hash():
            faults.append((name, 0))
            continue
        k = differing(expected, future(twin, steps, dt))
        if k >= 0:
            faults.append((name, k + 1))
    k = differing(expected, future_elsewhere(data, steps, dt))
    return faults if k < 0 else [*faults, ("another process", k + 1)]


def future_elsewhere(data, steps, dt, width=None):
    """Of a snapshot or a pickle, in another process."""
    command = [sys.executable, "-c", PROCESS, str(steps), repr(dt)]
    environment = os.environ | ({"PYPHYS2D_SIMD": width} if width else {})
    done = subprocess.run(command, input=data, capture_output=True, check=True, env=environment)
    return [int(line) for line in done.stdout.split()]


def at_width(width, make):
    """What it makes while worlds are made for that width."""
    widest = p2.simd.name
    _core._set_simd(width)
    try:
        return make()
    finally:
        _core._set_simd(widest)


def check_together(world, steps, dt, number):
    """As `check`, by three copies; what they are compared with is the world itself, which goes on.

    Each is made by several ways, one after the other, or meets several conditions at once.
    Protocols and widths go by the number.
    """
    data, protocol, widths = world.snapshot(), 2 + number % 4, p2.simd.available
    dumped = pickle.dumps(world, protocol)
    elsewhere, here = widths[number % len(widths)], widths[(number + 1) % len(widths)]
    found = {
        "fork, back, deepcopy, copy": copy.copy(copy.deepcopy(gone_back(world, data))),
        f"restore, two workers, {here}": at_width(here, lambda: restored(data, workers=2)),
    }
    expected = future(world, steps, dt)
    found = {name: future(twin, steps, dt) for name, twin in found.items()}
    name = f"pickle {protocol}, another process, {elsewhere}"
    found[name] = future_elsewhere(dumped, steps, dt, elsewhere)
    places = {name: differing(expected, hashes) for name, hashes in found.items()}
    return [(name, k + 1) for name, k in places.items() if k >= 0]


def of_program(seed, share=0.25, steps=4, with_late=True):
    """Where a random world and worlds made of its snapshot part: the step, and what differs.

    A world of a snapshot finds its lists and islands anew. A fork has those of the original; so
    what differs is state that the snapshot lacks, or an outcome that hangs on when lists are made.
    One that goes back to a snapshot has bodies that were elsewhere.
    """
    random = np.random.default_rng(seed)
    space = {"WORKERS": 1, "WIDTH": p2.simd.name, "see": lambda _: None, "b": {}, "j": {}, "f": {}}
    exec(determinism.PREAMBLE, space)
    for line in determinism_worlds.program(seed, with_late=with_late):
        with contextlib.suppress(Exception):  # of calls that are refused
            exec(line, space)
        world = space.get("w")
        if world is None or "step" not in line or random.random() >= share:
            continue
        try:
            data = world.snapshot(user_data=False)
            made = p2.World.from_snapshot(data), gone_back(world, data), world.fork(1)[0]
        except ValueError:  # of a world that no step would take
            continue
        for k in range(steps):
            outcomes = [stepped(each) for each in made]
            other = next(
                (w for w, o in zip(made, outcomes, strict=True) if o != outcomes[-1]), None
            )
            if other is not None:
                return world.step_count + k, outcomes, [row[0] for row in made[-1].diff(other)[:5]]
    return None


def stepped(world):
    """The hash after a step, or what is raised."""
    try:
        world.step()
    except Exception as error:
        return type(error).__name__
    return world.hash()


def of_library(name, count, random):
    """The world of a scene, its step, at moments: with its script for some time, then alone."""
    scene = scenes.build(name)
    if scene.before_step is not None:
        scene.run(int(random.integers(1, 150)))
    world = scene.world
    world.on_pre_solve = world.pair_filter = None  # copies have no hooks, by rule
    for _ in range(count):
        world.step(scene.dt, n=int(random.integers(0, 60)))
        if random.random() < 0.2:  # something is taken away
            bodies = [body for body in world.bodies if body.kind == "dynamic"]
            if len(bodies) > 2:
                world.remove(bodies[int(random.integers(len(bodies)))])
        goes_on = world.fork(1)[0]
        yield world, scene.dt
        world = goes_on


def of_benchmarks(name, count, random):
    """The same; what is driven and what arrives does so between the moments."""
    description = benchmark.DESCRIPTIONS[name]()
    world = benchmark.build_world(description)
    arrivals = benchmark.Arrivals(world, description)
    for _ in range(count):
        for _ in range(int(random.integers(1, 30))):
            arrivals.step()
            benchmark.drive(world, description)
            world.step(description.dt)
        yield world.fork(1)[0], description.dt


def random_worlds(seeds):
    faults = 0
    for seed in seeds:
        found = of_program(seed)
        if found:
            faults += 1
            print(f"world {seed}: {found}", flush=True)
    print(f"{len(seeds)} worlds from {seeds[0]}: {faults} differ")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scenes", nargs="+", metavar="NAME")
    parser.add_argument("--together", action="store_true", help="fewer runs of each moment")
    parser.add_argument("--worlds", type=int, help="so many random worlds instead")
    options = parser.parse_args()
    if options.worlds:
        return random_worlds(range(options.seed, options.seed + options.worlds))
    table = dict.fromkeys(scenes.SCENES, of_library)
    table |= {f"benchmark {name}": of_benchmarks for name in benchmark.DESCRIPTIONS}
    chosen = options.scenes or list(table)
    faults = 0
    for name in chosen:
        start = time.perf_counter()
        found = []
        random = np.random.default_rng([options.seed, zlib.crc32(name.encode())])
        worlds = table[name](name.removeprefix("benchmark "), options.moments, random)
        for number, (world, dt) in enumerate(worlds):
            if options.together:
                found += check_together(world, options.steps, dt, number)
            else:
                found += check(world, options.steps, dt)
        faults += len(found)
        seconds = time.perf_counter() - start
        outcome = found or "none differs"
        print(f"{name}: {options.moments} moments, {outcome} ({seconds:.0f} s)", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
