"""Where the time of a step goes, stage by stage, in every scene.

    python benchmarks/stages.py            # table, kept in results/stages.csv
    python benchmarks/stages.py tumbler mixed_gas --substeps 4 --quick

Several worlds run the same steps, one world after the other; they do the same work, so of every
stage of every step the fastest of them counts (wall time, one worker). The step is the sum of its
stages; the first one of a run is left out. Bodies are those that are awake, contacts those
of the solver, both the mean over the steps.

Besides the scenes of `compare.py` there are two of 5,000 bodies of mixed shapes and sizes that all
move, as it takes to see what finding pairs costs: `mixed_gas` (they bounce about without gravity)
and `mixed_rain` (they fall into a bin).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import common
import numpy as np

import pyphys2d as p2
from pyphys2d.scenes import benchmark

if TYPE_CHECKING:
    from collections.abc import Callable

WORLDS = 3
MANY = 5_000
MIXED_STEPS = 300
DT = benchmark.DT


def mixed(world: p2.World, count: int, height: float, **options: Any) -> None:
    """Circles, boxes, capsules, triangles and pentagons of about 0.2 m to 0.8 m in rows above
    y = height, in a pen with walls.
    """
    random = np.random.Generator(np.random.PCG64(5))
    columns = int(np.ceil(np.sqrt(count)))
    places = np.arange(count)
    x, y = places % columns - 0.5 * columns + 0.5, places // columns + height
    sizes = 0.5 * 4.0 ** random.uniform(-0.5, 0.5, 8)
    shapes: list[p2.Shape] = []
    for size in 0.4 * sizes:
        shapes += [
            p2.Circle(size),
            p2.Box(1.5 * size, size),
            p2.Capsule((-0.4 * size, 0), (0.4 * size, 0), 0.4 * size),
            p2.RegularPolygon(3, size),
            p2.RegularPolygon(5, size),
        ]
    kinds = random.integers(len(shapes), size=count)
    for number, shape in enumerate(shapes):
        mine = kinds == number
        velocity = random.uniform(-5, 5, (int(mine.sum()), 2))
        world.add_bodies(
            shape, np.column_stack([x, y])[mine], velocity=velocity, can_sleep=False, **options
        )
    wide, high = 0.5 * columns + 1, columns + height + 1
    thick, middle = 4.0, 0.5 * (high - 1)
    flat, upright = p2.Box(2 * (wide + thick), thick), p2.Box(thick, high + 1 + 2 * thick)
    for x_wall, y_wall, wall in [
        (0.0, -1 - 0.5 * thick, flat),
        (0.0, high + 0.5 * thick, flat),
        (-wide - 0.5 * thick, middle, upright),
        (wide + 0.5 * thick, middle, upright),
    ]:
        world.add_body(wall, (x_wall, y_wall), kind="static", **options)


def mixed_gas(count: int = MANY, **options: Any) -> p2.World:
    """Bodies that bounce about without gravity and without friction, at full restitution."""
    world = p2.World(**{"gravity": (0, 0), **options})
    mixed(world, count, 0, restitution=1, friction=0)
    return world


def mixed_rain(count: int = MANY, **options: Any) -> p2.World:
    """Bodies that fall into a bin as they please."""
    world = p2.World(**{"gravity": (0, -10), **options})
    mixed(world, count, 2)
    return world


MIXED: dict[str, Callable[..., p2.World]] = {"mixed_gas": mixed_gas, "mixed_rain": mixed_rain}
SCENES = (*benchmark.DESCRIPTIONS, *MIXED)


def one_run(
    scene: str, most: int | None, substeps: int, quick: bool
) -> tuple[p2.World, list[str], Any, Any]:
    """The world at the end, names of stages, milliseconds (steps, stages), and awake bodies and
    contacts (steps, 2).
    """
    description = benchmark.DESCRIPTIONS[scene]() if scene in benchmark.DESCRIPTIONS else None
    if description:
        world = benchmark.build_world(description, substeps=substeps)
    else:
        world = MIXED[scene](substeps=substeps)
    times, counts = [], []
    arrivals = benchmark.Arrivals(world, description) if description else None
    steps = common.steps_of(description.steps if description else MIXED_STEPS, most, quick)
    for step in range(steps + 1):
        if description and arrivals:
            arrivals.step()
            benchmark.drive(world, description)
        world.step(DT)
        if step:  # the first one allocates
            profile = world.profile
            times.append(list(profile.values()))
            counts.append((world.counters["awake"], world.counters["contacts"]))
    return world, list(profile), np.array(times), np.array(counts)


def measure(
    scene: str, most: int | None, substeps: int, worlds: int, quick: bool
) -> list[dict[str, Any]]:
    """One row per stage, and one for the whole step."""
    runs = [one_run(scene, most, substeps, quick) for _ in range(worlds)]
    if len({world.hash() for world, *_ in runs}) != 1:
        raise SystemExit(f"{scene}: the worlds have come to different ends")
    _, names, _, counts = runs[0]
    stages = [k for k, name in enumerate(names) if name != "step"]
    for _, _, times, _ in runs:
        if not np.allclose(times[:, stages].sum(axis=1), times[:, names.index("step")], rtol=0.01):
            raise SystemExit(f"{scene}: the stages do not add up to the step")
    best = np.minimum.reduce([times for _, _, times, _ in runs]).mean(axis=0)
    whole = float(best[stages].sum())
    bodies, contacts = map(float, counts.mean(axis=0))
    table = [(names[k], float(best[k])) for k in stages] + [("step", whole)]
    return [
        {
            "scene": scene,
            "substeps": substeps,
            "bodies": round(bodies),
            "contacts": round(contacts),
            "steps": len(counts),
            "worlds": worlds,
            "stage": name,
            "ms_per_step": round(ms, 5),
            "share_percent": round(100 * ms / whole, 2),
            "ns_per_body": round(1e6 * ms / bodies, 2) if bodies else "",
            "ns_per_contact": round(1e6 * ms / contacts, 2) if contacts else "",
        }
        for name, ms in table
    ]


def show(rows: list[dict[str, Any]]) -> None:
    """Prints the table of one scene."""
    head = rows[0]
    print(
        f"\n{head['scene']}, {head['substeps']} substeps: {head['bodies']} bodies awake, "
        f"{head['contacts']} contacts, {head['steps']} steps"
    )
    print(f"  {'stage':<10}{'ms/step':>10}{'share %':>9}{'ns/body':>10}{'ns/contact':>12}")
    for row in rows:
        print(
            f"  {row['stage']:<10}{row['ms_per_step']:>10.4f}{row['share_percent']:>9.1f}"
            f"{row['ns_per_body']:>10}{row['ns_per_contact']:>12}",
            flush=True,
        )


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line, measures, prints and keeps the results."""
    parser = common.parser(__doc__, "stages")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="default: all")
    parser.add_argument("--steps", type=int, help="at most so many steps per scene")
    parser.add_argument("--substeps", type=int, nargs="+", default=[8, 4])
    parser.add_argument("--worlds", type=int, help=f"default {WORLDS}, with --quick 2")
    options = parser.parse_args(arguments)
    unknown = set(options.scenes) - set(SCENES)
    if unknown:
        parser.error(f"unknown scene {sorted(unknown)}; known: {', '.join(SCENES)}")
    worlds = options.worlds or (2 if options.quick else WORLDS)
    rows: list[dict[str, Any]] = []
    for scene in options.scenes or SCENES:
        for substeps in options.substeps:
            made = measure(scene, options.steps, substeps, worlds, options.quick)
            show(made)
            rows += made
    if not options.no_csv:
        print(f"\nkept in results/{common.write_csv('stages', rows, quick=options.quick).name}")


if __name__ == "__main__":
    main()
