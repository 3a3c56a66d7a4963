"""How stiff joints and heavy stacks are, and what that costs: the quality scenes, at 4 and 8
substeps.

    python benchmarks/stiffness.py           # table, kept in results/stiffness.csv; a minute
    python benchmarks/stiffness.py --quick   # the runs of 60 s are left out

`joint` is the largest error of one joint at the end of any step, `total` the largest sum of all
joints' errors, metres; `limit` the largest violation of a limit, radians; `overlap` the largest
penetration at the end, `peak` that of any step after the first second, metres; `gain` and `loss`
the extremes of the energy, a share of the scene's own (total mass, gravity, size); `motor` what a
motor without bound lacks of its speed, rad/s; `drift` how far the top body has gone sideways,
metres; `speed` the largest speed at the end, m/s. The cost is processor time per step, of the best
third of a run of its own in which nothing is read. A promise is met or not; what has none is there
to be seen. Where pyb2d3 is there, the rows named Box2D are its own at 4 substeps; the cost of those
chains is the best of five runs, each third of which all have in turns.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Any

import common
import numpy as np

import pyphys2d as p2

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = Callable[[], object]

DT = 1 / 60
G = 10.0
MINUTE = 3600

# ------------------------------------------------------------------------------------ scenes


def chain(world: p2.World, links: int, ratio: float, at: float = 0.0) -> p2.Body:
    """Capsules of 1 m from a fixed point, a ball of ratio times a link's mass at the end."""
    last: p2.Body | None = None
    for i in range(links):
        link = world.add_body(p2.Capsule((-0.5, 0), (0.5, 0), 0.125), (i + 0.5, at), mask=0)
        world.add_revolute_joint(last, link, anchor=(i, at))
        last = link
    assert last is not None
    ball = world.add_body(p2.Circle(1), (links + 1, at), mass=ratio * last.mass, mask=0)
    world.add_revolute_joint(last, ball, anchor=(links, at))
    return ball


def chains(world: p2.World, count: int, links: int, ratio: float) -> p2.Body:
    """Many of them, far from each other."""
    return [chain(world, links, ratio, 100.0 * i) for i in range(count)][-1]


def bridge(world: p2.World, ratio: float) -> p2.Body:
    """Thirty planks on pins, three boxes of ratio times a plank's mass."""
    planks = [
        world.add_body(p2.Box(1, 0.25), (i + 0.5, 0), density=20, group=-1) for i in range(30)
    ]
    for i in range(30):
        world.add_revolute_joint(planks[i - 1] if i else None, planks[i], anchor=(i, 0))
    world.add_revolute_joint(None, planks[29], anchor=(30, 0))
    mass = ratio * planks[0].mass
    return [world.add_body(p2.Box(2, 2), (x, 1.2), mass=mass) for x in (12, 15, 18)][1]


def ring(world: p2.World, ratio: float) -> p2.Body:
    """A closed ring of 20 links, hung at the top, a weight at the bottom."""
    n = 20
    angles = 2 * np.pi * np.arange(n + 1) / n + np.pi / 2
    corners = np.column_stack([np.cos(angles), np.sin(angles)]) / (2 * np.sin(np.pi / n))
    links = [
        world.add_body(p2.Box(1, 0.25), (p + q) / 2, np.arctan2(*(q - p)[::-1]), mask=0)
        for p, q in itertools.pairwise(corners)
    ]
    for i in range(n):
        world.add_revolute_joint(links[i - 1], links[i], anchor=corners[i])
    world.add_revolute_joint(None, links[0], anchor=corners[0])
    mass = ratio * links[0].mass
    weight = world.add_body(p2.Circle(1), corners[n // 2], mass=mass, mask=0)
    world.add_revolute_joint(links[n // 2], weight, anchor=corners[n // 2])
    return weight


def cantilever(world: p2.World, ratio: float) -> p2.Body:
    """Ten bodies in a row from a wall, two pins between neighbours."""
    boxes = [
        world.add_body(p2.Box(1, 0.5), (i + 0.5, 0), mass=ratio if i == 9 else 1, mask=0)
        for i in range(10)
    ]
    for i, box in enumerate(boxes):
        for y in (-0.25, 0.25):
            world.add_revolute_joint(boxes[i - 1] if i else None, box, anchor=(i, y))
    return boxes[9]


def rope(world: p2.World, points: int, ratio: float) -> p2.Body:
    """Points on rigid rods, 10 m in all."""
    length = 10 / points
    last: p2.Body | None = None
    for i in range(points + 1):
        mass = 0.3 * (ratio if i == points else 1)
        if i == 0:
            continue
        point = world.add_body(p2.Circle(0.05), (i * length, 0), mass=mass, mask=0)
        world.add_distance_joint(last, point, anchor_a=((i - 1) * length, 0))
        last = point
    assert last is not None
    return last


# Of a ragdoll: where a bone begins and ends, and the number of the bone that it hangs on.
BONES = (
    ((0, 0), (0, -0.3), None),  # head
    ((0, -0.3), (0, -0.9), 0),  # trunk
    ((0, -0.4), (-0.5, -0.7), 1),
    ((0, -0.4), (0.5, -0.7), 1),
    ((0, -0.9), (-0.1, -1.35), 1),
    ((0, -0.9), (0.1, -1.35), 1),
    ((-0.1, -1.35), (-0.1, -1.8), 4),
    ((0.1, -1.35), (0.1, -1.8), 5),
)


def ragdoll(world: p2.World, ratio: float) -> p2.Body:
    """Eight bones on pins with limits, hung by the head, a weight on one foot; let go aslant."""
    tilt = np.array([(0.6, 0.8), (-0.8, 0.6)])  # a turn whose numbers are exact
    bones: list[p2.Body] = []
    for start, end, parent in BONES:
        p, q = (np.array(point) @ tilt for point in (start, end))
        middle = (p + q) / 2
        bone = world.add_body(p2.Capsule(p - middle, q - middle, 0.07), middle, mask=0)
        on = None if parent is None else bones[parent]
        world.add_revolute_joint(on, bone, anchor=p, **({} if on is None else LIMITS))
        bones.append(bone)
    foot = np.array(BONES[7][1]) @ tilt
    weight = world.add_body(p2.Circle(0.2), foot, mass=ratio * bones[7].mass, mask=0)
    world.add_revolute_joint(bones[7], weight, anchor=foot)
    return weight


LIMITS = {"lower": -0.6, "upper": 0.6}


def crane(world: p2.World, ratio: float) -> p2.Body:
    """An arm of ten welded links, turned at its root at 0.5 rad/s, a load at its tip."""
    last: p2.Body | None = None
    for i in range(10):
        link = world.add_body(p2.Capsule((-0.5, 0), (0.5, 0), 0.125), (i + 0.5, 0), mask=0)
        if last is None:
            world.add_revolute_joint(
                None, link, anchor=(0, 0), motor_speed=0.5, max_motor_torque=np.inf
            )
        else:
            world.add_weld_joint(last, link, anchor=(i, 0))
        last = link
    assert last is not None
    load = world.add_body(p2.Circle(0.5), (10, 0), mass=ratio * last.mass, mask=0)
    world.add_revolute_joint(last, load, anchor=(10, 0))
    return load


def pendulum(world: p2.World, bobs: int) -> p2.Body:
    """Bobs on rigid arms of 1 m, from horizontal."""
    last: p2.Body | None = None
    for i in range(bobs):
        bob = world.add_body(p2.Circle(0.1), (i + 1, 0), mass=1, mask=0)
        world.add_revolute_joint(last, bob, anchor=(i, 0))
        last = bob
    assert last is not None
    return last


def ground(world: p2.World) -> None:
    world.add_body(p2.Box(100, 2), (0, -1), kind="static")


def stack(world: p2.World, boxes: int, density: float) -> p2.Body:
    """Unit boxes and one more of that density."""
    ground(world)
    for i in range(boxes):
        world.add_body(p2.Box(1, 1), (0, 0.5 + i))
    return world.add_body(p2.Box(1, 1), (0, 0.5 + boxes), density=density)


def table(world: p2.World, density: float) -> p2.Body:
    """A box of 20 m on two of 1 m."""
    ground(world)
    for x in (-9, 9):
        world.add_body(p2.Box(1, 1), (x, 0.5))
    return world.add_body(p2.Box(20, 20), (0, 11), density=density)


def pyramid(world: p2.World, density: float) -> p2.Body:
    """Of base 6, one more box on the top."""
    ground(world)
    for i in range(6):
        for j in range(i, 6):
            world.add_body(p2.Box(1, 1), (0.5 * i + (j - i) - 2.5, 0.5 + i))
    return world.add_body(p2.Box(1, 1), (0, 6.5), density=density)


# ------------------------------------------------------------------------------------ promises


@dataclass(frozen=True)
class Case:
    """A scene with its numbers and what is promised of it: at 4 substeps and at 8."""

    name: str
    make: Callable[..., p2.Body]
    numbers: tuple[float, ...]
    size: float = 1.0  # metres, for shares of the energy
    steps: int = 600
    promised: dict[str, tuple[float, float]] = field(default_factory=dict)


def both(**promised: float) -> dict[str, tuple[float, float]]:
    """The same at 4 and at 8 substeps."""
    return {name: (most, most) for name, most in promised.items()}


CHAIN = {"joint": (0.02, 0.005), "total": (0.1, 0.03)}


def chain_case(links: int, ratio: float, steps: int = 600) -> Case:
    promised = CHAIN
    if (links, ratio) == (30, 1000):
        promised = CHAIN | {"total": (0.02, 0.01)}
    name = f"chain {links} x 1:{ratio:g}"
    if steps > 600:
        name, promised = f"{name}, 60 s", {"joint": (0.1, 0.05), "gain": (0.01, 0.01)}
    return Case(name, chain, (links, ratio), links, steps, promised)


CASES = [
    *(chain_case(n, r) for n in (10, 30) for r in (1, 10, 100, 1000, 10_000)),
    *(chain_case(n, r, MINUTE) for n, r in ((5, 3000), (10, 1000), (10, 10_000), (30, 1000))),
    Case("64 chains 30 x 1:1000", chains, (64, 30, 1000), 30, 120),
    Case("bridge 1:1", bridge, (1,)),
    Case("bridge 1:10", bridge, (10,)),
    Case("bridge 1:100", bridge, (100,), promised=both(total=0.1, overlap=0.03)),
    Case("bridge 1:1000", bridge, (1000,), promised=both(total=0.03, overlap=0.01)),
    Case("ring 1:100", ring, (100,), promised=both(joint=0.02)),
    Case("ring 1:1000", ring, (1000,), promised=both(joint=0.02)),
    Case("cantilever, two pins each, 1:1000", cantilever, (1000,), promised=both(joint=0.02)),
    Case("ragdoll + 1", ragdoll, (1,)),
    Case("ragdoll + 100", ragdoll, (100,)),
    Case("ragdoll + 1000", ragdoll, (1000,), promised=both(joint=0.01, limit=0.005)),
    Case("crane 1:100", crane, (100,), promised=both(joint=0.01, motor=1e-3)),
    *(
        Case(f"rope {n} x 1:{r}", rope, (n, r), 10, promised=CHAIN)
        for n, r in ((10, 1000), (40, 100), (40, 1000))
    ),
    Case("pendulum, 60 s", pendulum, (1,), 1, MINUTE, both(gain=0.002, loss=0.002)),
    Case("double pendulum, 60 s", pendulum, (2,), 2, MINUTE, both(gain=0.01)),
    Case("stack 10 + 1", stack, (10, 1)),
    # hard enough for the kernels that solve both points of a contact at once
    Case("stack 10 + 10", stack, (10, 10), promised=both(drift=1e-6, speed=1e-5)),
    Case("stack 10 + 100", stack, (10, 100), promised=both(overlap=0.025)),
    Case("stack 10 + 1000", stack, (10, 1000), promised=both(overlap=0.02, peak=0.03)),
    Case("stack 10 + 10000", stack, (10, 10_000), promised=both(drift=0.5)),
    Case("two boxes 1000", stack, (1, 1000)),
    Case("two boxes 10000", stack, (1, 10_000), promised=both(overlap=0.02)),
    Case("400:1 on two", table, (1,), promised=both(overlap=0.01)),
    Case("4000:1 on two", table, (10,)),
    Case("pyramid + 1", pyramid, (1,)),
    Case("pyramid + 100", pyramid, (100,)),
    Case("pyramid + 1000", pyramid, (1000,)),
]

MEASURES = (
    *("joint", "total", "limit", "overlap", "peak", "gain", "loss", "motor", "drift", "speed"),
)

# ------------------------------------------------------------------------------------ measuring


def joint_errors(world: p2.World, lengths: np.ndarray) -> np.ndarray:
    """Of points that should be one, and of rods; metres."""
    state = world.joint_state
    gaps = np.hypot(*(state["anchor_a"] - state["anchor_b"]).T)
    return np.abs(gaps - np.where(state["kind"] == 1, lengths, 0))


def overlap_of(world: p2.World) -> float:
    contacts = world.contacts
    return float(max(0, -contacts["separation"].min())) if len(contacts) else 0.0


def costs(makers: list[Callable[[], Step]], steps: int, runs: int = 1) -> list[float]:
    """Microseconds per step in the best third of some runs in which nothing is read.

    Where there are several makers, each third is theirs in turns.
    """
    part, best = steps // 3, [math.inf] * len(makers)
    for _ in range(runs):
        worlds = [make() for make in makers]
        for _ in range(3):
            for k, step in enumerate(worlds):
                start = process_time()
                for _ in range(part):
                    step()
                best[k] = min(best[k], process_time() - start)
    return [1e6 * least / part for least in best]


def built(case: Case, substeps: int) -> tuple[p2.World, p2.Body]:
    world = p2.World(gravity=(0, -G), sleeping=False, substeps=substeps)
    return world, case.make(world, *case.numbers)


def measure(case: Case, substeps: int) -> dict[str, float]:
    """Runs a case; its measures."""
    world, top = built(case, substeps)
    state = world.joint_state
    lengths, many = state["position"].copy(), len(state) > 0
    motors = [j for j in world.joints if j.kind == "revolute" and j.max_motor_torque > 0]
    limited = [joint for joint in world.joints if joint.kind == "revolute" and joint.upper < 1e9]
    scale = sum(body.mass for body in world.bodies if body.kind == "dynamic") * G * case.size
    begin, place = world.kinetic_energy() + world.potential_energy(), top.position[0]
    found = dict.fromkeys(MEASURES, 0.0)
    for step in range(case.steps):
        world.step(DT)
        for joint in motors:
            found["motor"] = max(found["motor"], abs(joint.speed - joint.motor_speed))
        if many:
            errors = joint_errors(world, lengths)
            found["joint"] = max(found["joint"], errors.max())
            found["total"] = max(found["total"], errors.sum())
        if many and not motors:
            energy = (world.kinetic_energy() + world.potential_energy() - begin) / scale
            found["gain"] = max(found["gain"], energy)
            found["loss"] = max(found["loss"], -energy)
        for joint in limited:
            beyond = max(joint.angle - joint.upper, joint.lower - joint.angle)
            found["limit"] = max(found["limit"], beyond)
        if step >= 60 and step % 5 == 0:
            found["peak"] = max(found["peak"], overlap_of(world))
    found["overlap"] = overlap_of(world)
    found["drift"] = abs(top.position[0] - place)
    found["speed"] = float(np.hypot(*world.velocities.T).max())
    return found


def step_of(case: Case, substeps: int) -> Step:
    return partial(built(case, substeps)[0].step, DT)


def built_by_box2d(links: int, ratio: float, count: int) -> tuple[Any, list[Any]]:
    """The chains as a world of Box2D; bodies and anchors of its joints."""
    import pyb2d3

    world = pyb2d3.World(gravity=(0, -G))
    world.sleeping_enabled = False
    nothing = pyb2d3.make_filter(category_bits=1, mask_bits=0, group_index=0)
    pins = []
    for n in range(count):
        last = world.create_static_body(position=(0, 100 * n))
        for i in range(links + 1):
            ball = i == links
            body = world.create_dynamic_body(position=(i + (1 if ball else 0.5), 100 * n))
            mass = 0.125 * 2 + np.pi * 0.125**2  # of a link
            density = ratio * mass / np.pi if ball else 1.0
            shape = pyb2d3.circle((0, 0), 1) if ball else pyb2d3.capsule((-0.5, 0), (0.5, 0), 0.125)
            body.create_shapes(pyb2d3.shape_def(density=density, filter=nothing), [shape])
            anchor = (float(i), 100.0 * n)
            world.create_revolute_joint(
                last,
                body,
                local_anchor_a=last.local_point(anchor),
                local_anchor_b=body.local_point(anchor),
            )
            pins.append((last, body, last.local_point(anchor), body.local_point(anchor)))
            last = body
    return world, pins


def measure_box2d(links: int, ratio: float, count: int, steps: int) -> dict[str, float]:
    """The chains by Box2D, at its 4 substeps."""
    world, pins = built_by_box2d(links, ratio, count)
    found = dict.fromkeys(MEASURES, np.nan) | {"joint": 0.0, "total": 0.0}
    for step in range(steps):
        world.step(DT, 4)
        if step % 10 == 0:
            errors = [
                np.hypot(*np.subtract(a.world_point(p), b.world_point(q))) for a, b, p, q in pins
            ]
            found["joint"] = max(found["joint"], *errors)
            found["total"] = max(found["total"], sum(errors))
    return found


def box2d_step(links: int, ratio: float, count: int) -> Step:
    return partial(built_by_box2d(links, ratio, count)[0].step, DT, 4)


def judge(case: Case, substeps: int, found: dict[str, float]) -> tuple[str, str]:
    """What is promised, and whether it is kept."""
    limits = {name: most[substeps >= 8] for name, most in case.promised.items()}
    told = " ".join(f"{name}<={most:g}" for name, most in limits.items())
    kept = all(found[name] <= most for name, most in limits.items())
    return told, ("met" if kept else "NOT MET") if limits else ""


def row_of(
    name: str, substeps: int, us: float, found: dict[str, float], told: str, verdict: str
) -> Any:
    numbers = {key: "" if np.isnan(found[key]) else f"{found[key]:.3g}" for key in MEASURES}
    ns = round(1e3 * us)
    return {"scene": name, "substeps": substeps, **numbers, "ns_per_step": ns} | {
        "promise": told,
        "verdict": verdict,
    }


def show(row: Any) -> None:
    numbers = "".join(f"{row[name]:>10}" for name in MEASURES)
    print(
        f"{row['scene']:<36}{row['substeps']:>3}{numbers}{row['ns_per_step']:>12,}  "
        f"{row['verdict']:<8}{row['promise']}",
        flush=True,
    )


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line, measures, prints and keeps the results."""
    parser = common.parser(__doc__, "stiffness")
    parser.add_argument("--only", default="", help="scenes whose names begin with this")
    parser.add_argument("--substeps", type=int, nargs="+", default=[4, 8])
    options = parser.parse_args(arguments)
    heads = "".join(f"{name:>10}" for name in MEASURES)
    print(f"{'scene':<36}{'sub':>3}{heads}{'ns/step':>12}  verdict")
    rows = []
    for case in CASES:
        if not case.name.startswith(options.only) or (options.quick and case.steps == MINUTE):
            continue
        makers = [partial(step_of, case, substeps) for substeps in options.substeps]
        other = common.version("pyb2d3") and case.make in (chain, chains) and case.steps < MINUTE
        if other:
            *many, links, ratio = case.numbers
            chain_of = int(links), ratio, int(many[0]) if many else 1
            makers.append(partial(box2d_step, *chain_of))
        us = costs(makers, case.steps, 5 if other else 1)
        for k, substeps in enumerate(options.substeps):
            found = measure(case, substeps)
            rows.append(row_of(case.name, substeps, us[k], found, *judge(case, substeps, found)))
            show(rows[-1])
        if other:
            found = measure_box2d(*chain_of, case.steps)
            rows.append(row_of(f"{case.name}, Box2D", 4, us[-1], found, "", ""))
            show(rows[-1])
            if options.substeps[0] == 4:
                print(f"{'':<36}Box2D takes {us[-1] / us[0]:.2f} times as long at 4 substeps")
    if rows and not options.no_csv:
        print(f"kept in results/{common.write_csv('stiffness', rows, quick=options.quick).name}")


if __name__ == "__main__":
    main()
