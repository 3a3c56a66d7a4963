"""Worlds of absurd but finite numbers: no public call may take long.

    python tests/fuzz/absurd.py --worlds 1000 --seed 0

A world is a program, a list of lines that its seed writes: sizes of 1e-4 to 1e6 m, speeds to 1e30,
spins to 1e20, steps of 1e-4 to 1 s, wraps from 1 mm, all at once. Each line is a call whose CPU
time is measured; its bound is `GRACE` and one second for 10,000 bodies (their convex pieces, where
they have several), or rows that it is given; in a step also for 50,000 contacts. A machine that
is slower has longer.
Refusals (ValueError, MemoryError, RemovedError) are answers. The lines run in a child process; one
that says nothing for `WATCH` seconds is killed. A fault prints its seed and its program, which
runs by itself.
"""

import argparse
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import pyphys2d as p2

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from clock import slowness

GRACE = 0.25  # s, of CPU time: also for page faults of a machine that others use
WATCH = 30.0  # s, of a child's silence
LARGE = 1000  # bodies that a call adds
COMMAND = [sys.executable, str(Path(__file__))]  # of a child
PREAMBLE = """import math
import numpy as np
import pyphys2d as p2
from pyphys2d import geometry as g
"""

Line = tuple[int, str]  # rows that it is given, code


def _number(rng: np.random.Generator, low: float, high: float) -> float:
    """Of either sign, its magnitude even by powers of ten; zero now and then."""
    size = 10.0 ** rng.uniform(low, high)
    return 0.0 if rng.random() < 0.05 else float(f"{rng.choice([-1, 1]) * size:.6g}")


def _vector(rng: np.random.Generator, low: float, high: float) -> tuple[float, float]:
    kind = rng.random()
    x, y = _number(rng, low, high), _number(rng, low, high)
    return (x, 0.0) if kind < 0.1 else (0.0, y) if kind < 0.2 else (x, y)


def _shape(rng: np.random.Generator, size: float, far: bool = True) -> str:
    a, b = (size * 10 ** rng.uniform(-2, 0, 2)).tolist()
    arm = (float(size * rng.normal()), float(size * rng.normal())) if far else (0.0, 0.0)
    at = f"({arm[0]:.4g}, {arm[1]:.4g})"
    shapes = [
        f"p2.Circle({a:.4g}, center={at})",
        f"p2.Box({a:.4g}, {b:.4g}, center={at})",
        f"p2.Capsule((0, 0), {at if far else f'({b:.4g}, 0)'}, {a:.4g})",
        f"p2.Segment((0, 0), ({a:.4g}, {b:.4g}))",
        f"p2.RegularPolygon({rng.integers(3, 9)}, {a:.4g}, center={at})",
        f"p2.Polygon([(0, 0), ({a:.4g}, 0), ({a:.4g}, {b:.4g}), ({a / 2:.4g}, {b / 3:.4g})])",
        f"p2.Chain([(0, 0), ({a:.4g}, {b:.4g}), ({2 * a:.4g}, 0), ({3 * a:.4g}, {b:.4g})])",
    ]
    return shapes[int(rng.choice(len(shapes)))]


def _bodies(rng: np.random.Generator, scale: float, most: int) -> Line:
    n = int(rng.choice([1, 3, 10, 40, 200, 1000], p=[0.15, 0.25, 0.3, 0.2, 0.08, 0.02]))
    n = min(n, most)
    spread = rng.choice([0.0, scale, 10.0 ** rng.uniform(-4, 6.5)])
    seed = int(rng.integers(2**31))
    fast, spin = _number(rng, -3, 9), _number(rng, -3, 9)
    options = [
        f"kind={rng.choice(['dynamic', 'dynamic', 'dynamic', 'kinematic', 'static'])!s:.9}",
        f"velocity=r.normal(size=({n}, 2)) * {fast!r}",
        f"angular_velocity=r.normal(size={n}) * {spin!r}",
        f"density={10.0 ** rng.uniform(-6, 6):.3g}",
        f"restitution={rng.choice([0, 0.5, 1, 3])}",
        f"friction={rng.choice([0, 0.6, 1e6])}",
        f"sensor={bool(rng.random() < 0.25)}",
        f"bullet={bool(rng.random() < 0.25)}",
        f"gravity_scale={rng.choice([0, 1, -1e6])}",
    ]
    options[0] = f"kind={str(rng.choice(['dynamic'] * 3 + ['kinematic', 'static']))!r}"
    shape = _shape(rng, scale)
    if rng.random() < 0.15:
        shape = f"[{shape}, {_shape(rng, scale)}]"
        options.append("compound=True")
    place = f"r.normal(size=({n}, 2)) * {spread:.4g}"
    code = (
        f"r = np.random.default_rng({seed}); "
        f"world.add_bodies({shape}, {place}, r.normal(size={n}), {', '.join(options)})"
    )
    return n, code


def _joint(rng: np.random.Generator) -> Line:
    kind = str(
        rng.choice(["revolute", "distance", "prismatic", "weld", "wheel", "motor", "filter"])
    )
    i, k = rng.integers(0, 50, 2)
    extra = {
        "revolute": f", motor_speed={_number(rng, 0, 20)!r}, max_motor_torque={1e9}",
        "distance": f", length={abs(_number(rng, -4, 6)) + 1e-3!r}",
    }.get(kind, "")
    return 1, (
        f"a, b = world.bodies[{i} % len(world.bodies)], world.bodies[{k} % len(world.bodies)]; "
        f"world.add_{kind}_joint(a, b{extra})"
    )


def _write(rng: np.random.Generator) -> Line:
    i = int(rng.integers(0, 50))
    speed, spin, place = _vector(rng, 0, 30), _number(rng, 0, 20), _vector(rng, 0, 30)
    writes = [
        f"world.bodies[{i} % len(world.bodies)].velocity = {speed!r}",
        f"world.bodies[{i} % len(world.bodies)].angular_velocity = {spin!r}",
        f"world.bodies[{i} % len(world.bodies)].position = {place!r}",
        f"world.velocities[{i} % len(world.velocities)] = {speed!r}",
        f"world.angular_velocities[{i} % len(world.velocities)] = {spin!r}",
        f"world.positions[{i} % len(world.positions)] = {place!r}",
        f"world.angles[{i} % len(world.angles)] = {spin!r}",
        f"world.bodies[{i} % len(world.bodies)].apply_impulse({speed!r})",
        f"world.explode({_vector(rng, -3, 7)!r}, {abs(_number(rng, 0, 30))!r}, {speed[0]!r})",
        f"world.remove(world.bodies[{i} % len(world.bodies)])",
        f"world.bodies[{i} % len(world.bodies)].attach({_shape(rng, 10 ** rng.uniform(-4, 6))})",
        f"world.slice(world.bodies[{i} % len(world.bodies)], {_vector(rng, -3, 3)!r}, {place!r})",
    ]
    return 1, str(rng.choice(writes))


def _question(rng: np.random.Generator, scale: float) -> Line:
    n = int(rng.choice([1, 10, 300]))
    here, there = _vector(rng, -3, 7), _vector(rng, -3, 30)
    pose, end = (*here, _number(rng, -2, 20)), (*there, _number(rng, -2, 20))
    shape, radius = _shape(rng, scale, False), abs(_number(rng, -4, 9))
    seed = int(rng.integers(2**31))
    many = f"(np.random.default_rng({seed}).normal(size=({n}, 2)) * {abs(here[0])!r})"
    calls = [
        f"world.cast_ray({here!r}, {there!r}, radius={radius * rng.integers(0, 2)!r})",
        f"world.cast_ray_all({here!r}, {there!r})",
        f"world.cast_rays({many}, {there!r})",
        f"world.cast_shape({shape}, {pose!r}, {there!r})",
        f"world.time_of_impact({shape}, {pose!r}, {end!r})",
        f"world.nearest({here!r}, k=3)",
        f"world.distances({many}, k=2)",
        f"world.query_aabb({here!r}, {there!r})",
        "world.query_aabb((-1e30, -1e30), (1e30, 1e30))",
        f"world.at({here!r})",
        f"world.overlap({shape}, {pose!r})",
        f"world.overlaps({shape}, {pose!r}, margin={radius!r})",
        "world.events",
        "world.contacts",
        "world.hash()",
        "world.kinetic_energy(), world.momentum(), world.angular_momentum()",
        "world.tree()",
        f"list(world.stages({10.0 ** rng.uniform(-4, 0):.4g}))",
        "world._repr_svg_()",
        f"p2.CharacterMover(world, p2.Capsule((0, 0), (0, 1), 0.3), {here!r}).move({there!r}, 1.0)",
    ]
    return n, str(rng.choice(calls))


def _geometry(rng: np.random.Generator) -> Line:
    n = int(rng.choice([3, 30, 1000, 10000]))
    size, seed = 10.0 ** rng.uniform(-4, 6), int(rng.integers(2**31))
    a, b = _shape(rng, size), _shape(rng, size)
    pose = [(*_vector(rng, -3, 30), _number(rng, -2, 30)) for _ in range(4)]
    star = (
        f"t = np.linspace(0, 2 * np.pi, {n}, endpoint=False); "
        f"q = np.random.default_rng({seed}).uniform(0.1, 1, {n}) * {size:.4g}; "
        "ring = np.stack([q * np.cos(t), q * np.sin(t)], axis=1); "
    )
    cloud = f"ring = np.random.default_rng({seed}).normal(size=({n}, 2)) * {size:.4g}; "
    cells = f"cells = np.random.default_rng({seed}).random((50, 60)) < 0.3; "
    far = _vector(rng, 0, 30)
    calls = [
        f"g.time_of_impact({a}, {b}, {pose[0]!r}, {pose[1]!r}, {pose[2]!r}, {pose[3]!r})",
        f"g.toi({a}, {b}, {pose[0]!r}, {pose[1]!r}, {pose[2]!r}, {pose[3]!r})",
        f"g.cast_shape({a}, {b}, {pose[0]!r}, {pose[1]!r}, {far!r})",
        f"g.distance({a}, {b}, {pose[0]!r}, {pose[1]!r})",
        f"g.collide({a}, {b}, {pose[0]!r}, {pose[1]!r})",
        star + "g.decompose(ring)",
        star + "g.triangulate(ring)",
        star + "g.simplify(ring, 1e-3)",
        star + f"g.slice_polygon(ring, {far!r}, (0.0, 0.0))",
        star + "g.clip_polygon(ring[:3000], ring[:1000] * 0.9)"
        if n <= 1000
        else star + "g.area(ring)",
        star + "shape = p2.Polygon(ring)",
        star + "shape = p2.Chain(ring, loop=True)",
        cloud + "g.convex_hull(ring)",
        cloud + f"shape = p2.Chain(ring[:{min(n, 300)}])",
        f"p2.RegularPolygon({rng.choice([3, 1000, 10**9])}, {size:.4g})",
        cells + f"m = p2.tiles.TileMap(cells, size={size:.4g}); "
        f"m.cast_ray({far!r}, {_vector(rng, 0, 30)!r}); "
        f"m.hit(({far[0]!r}, {far[1]!r}, {abs(far[0]) * 2!r}, {abs(far[1]) * 2!r}))",
        f"t = p2.AABBTree(); [t.insert((-x, -x), (x, x), x) for x in np.geomspace(1, 1e30, 300)]; "
        f"t.pairs(); t.query((-1e30, -1e30), (1e30, 1e30)); t.cast_ray({far!r}, {far!r})",
        f"g.submerged({a}, {pose[0]!r}, {far[0]!r})",
    ]
    return n, str(rng.choice(calls))


def most_bodies(seed: int) -> int:
    """Of a call in a campaign: one world in eight is large."""
    return LARGE if seed % 8 == 0 else 40


def program(seed: int, most: int = LARGE) -> Iterator[Line]:
    """The lines of a world; most: bodies that a call adds."""
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-4, 6)
    options = [f"gravity={_vector(rng, -1, 8)!r}"]
    if rng.random() < 0.4:
        size = max(abs(_number(rng, -3, 4)), 0.001)
        other = rng.choice([f"{size!r}", f"{3 * size!r}", "math.inf"])
        options.append(f"wrap=({size!r}, {other})")
    if rng.random() < 0.7:
        options.append("max_speed=1e9")
    if rng.random() < 0.2:
        options.append("solver='sequential_impulses'")
    options.append(f"broadphase={str(rng.choice(['grid', 'grid', 'tree', 'all_pairs']))!r}")
    yield 1, "world = p2.World()"  # where the settings are refused
    yield 1, f"world = p2.World({', '.join(options)})"
    for _ in range(rng.integers(1, 5)):
        yield _bodies(rng, scale if rng.random() < 0.6 else 10.0 ** rng.uniform(-4, 6), most)
    for _ in range(rng.integers(5, 25)):
        kind = rng.random()
        if kind < 0.4:
            yield 1, f"world.step({10.0 ** rng.uniform(-4, 0):.4g})"
        elif kind < 0.55:
            yield _write(rng)
        elif kind < 0.8:
            yield _question(rng, scale)
        elif kind < 0.87:
            yield _joint(rng)
        elif kind < 0.9:
            yield _bodies(rng, scale, most)
        else:
            yield _geometry(rng)


def run(
    seed: int,
    tell: Callable[[str], None] | None = None,
    slack: float = 0.0,
    lines: Iterator[Line] | None = None,
) -> list[str]:
    """Runs the program of a seed, or these lines; its faults.

    slack: seconds beside the bound of each call.
    """
    refusals = (ValueError, MemoryError, OverflowError, ZeroDivisionError, KeyError)
    space: dict[str, object] = {}
    exec(PREAMBLE, space)
    done: list[str] = []
    faults = []
    for rows, code in lines or program(seed):
        done.append(code)
        if tell:
            tell(code)
        compiled = compile(code, f"<seed {seed}>", "exec")
        world = space.get("world")
        before = world.counters["proxies"] if isinstance(world, p2.World) else 0
        start = time.process_time()
        try:
            exec(compiled, space)
        except (*refusals, p2.RemovedError):
            pass
        except Exception as error:
            faults.append(f"{type(error).__name__}: {error}\n" + "\n".join(done))
        took = time.process_time() - start
        limit = GRACE + slack + max(before, rows) / 1e4
        if isinstance(world, p2.World) and "step(" in code:
            limit += world.counters["contacts"] / 5e4
        if took > limit and took > limit * slowness():
            stages = dict(world.profile) if isinstance(world, p2.World) and "step(" in code else {}
            where = ", ".join(f"{name} {ms:.0f} ms" for name, ms in stages.items() if ms >= 10)
            faults.append(f"{took:.2f} s of at most {limit:.2f} s ({where})\n" + "\n".join(done))
    return faults


def child(first: int, last: int) -> None:
    """For each seed a line when it starts, one for each call, one when it ends."""

    def say(text: str) -> None:
        sys.stdout.write(text.replace("\n", "\x00") + "\n")
        sys.stdout.flush()

    for seed in range(first, last):
        say(f"seed {seed}")
        lines = program(seed, most_bodies(seed))
        for fault in run(seed, lambda code: say(f"call {code}"), lines=lines):
            say(f"fault {fault}")
    say("end")


def _report(seed: int, text: str) -> None:
    print(f"--- seed {seed}: {text}", flush=True)


def _lines(pipe: int) -> Iterator[str | None]:
    """What a child says, until it ends; None where it is silent for too long."""
    selector = selectors.DefaultSelector()
    selector.register(pipe, selectors.EVENT_READ)
    rest = b""
    while True:
        if not selector.select(WATCH):
            yield None
            continue
        some = os.read(pipe, 1 << 16)
        if not some:
            return
        *lines, rest = (rest + some).split(b"\n")
        for line in lines:
            yield line.decode().replace("\x00", "\n")


def campaign(first: int, last: int) -> int:
    """Runs seeds in child processes; how many faults they have."""
    faults = 0
    while first < last:
        command = [*COMMAND, "--child", str(first), str(last)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
        assert process.stdout is not None
        seed, calls, hangs = first, list[str](), False
        for line in _lines(process.stdout.fileno()):
            hangs = line is None
            if hangs:
                process.kill()
                break
            word, _, rest = str(line).partition(" ")
            if word == "seed":
                seed, calls = int(rest), []
            elif word == "call":
                calls.append(rest)
            elif word == "fault":
                faults += 1
                _report(seed, rest)
            elif word == "end":
                seed = last
        process.stdout.close()
        status = process.wait()
        if seed < last:
            faults += 1
            _report(seed, f"{'hangs' if hangs else f'ends with {status}'}\n" + "\n".join(calls))
        first = seed + 1
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description="Worlds of absurd numbers against the clock.")
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first world")
    parser.add_argument("--program", action="store_true", help="print that of the first world")
    parser.add_argument("--child", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(*arguments.child)
        return 0
    if arguments.program:
        print(
            PREAMBLE
            + "\n".join(code for _, code in program(arguments.seed, most_bodies(arguments.seed)))
        )
        return 0
    start = time.monotonic()
    faults = campaign(arguments.seed, arguments.seed + arguments.worlds)
    rate = arguments.worlds / (time.monotonic() - start)
    print(
        f"{arguments.worlds} worlds from seed {arguments.seed}: {faults} faults, "
        f"{rate:.1f} worlds/s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
