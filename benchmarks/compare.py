"""The same scenes on every engine that is installed: time, and quality beside it.

    pip install ".[bench]"
    python benchmarks/compare.py                        # everything; about half an hour
    python benchmarks/compare.py tumbler circles        # these; the file keeps its other rows
    python benchmarks/compare.py --study whole_step.c   # and against a study of boxes alone

Each engine lives in a process of its own; all run the scene in slices, one slice each in turn, so
that a slow minute of the machine hits all of them. The whole is done `--repeats` times: the work of
a slice is the same every time, so its time is the best of them. Time is processor time of the
engine's process, all its threads included (all engines run on one); wall time stands beside it in
the file, and is the same on a machine that has nothing else to do. After each slice every way of
reading poses is timed once (`engines.py`); the median counts.

Penetration is measured for all engines by one ruler: their poses are put into a fresh world of this
library, and its contacts are read. Samples are taken after every slice of the second half of the
first run.

Columns: ms/step (mean over the run, without reading); ratio = time / time of pyphys2d at its
defaults; +batch, +loop = the same with poses read after every step, ours by view; penetration of
touching contact points in millimetres (mean, 99th percentile, median over the samples of the
deepest); drop and drift of the body that began on top (metres, standing scenes only); kinetic
energy at the end (J); bodies that left the scene.
"""

from __future__ import annotations

import multiprocessing as mp
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import common
import numpy as np
import study
from engines import SETTINGS, State

import pyphys2d
from pyphys2d.scenes import benchmark

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from multiprocessing.connection import Connection

SLICES = 10
REPEATS = 3
STANDING = ("large_pyramid", "many_pyramids")
# Who is not asked to do what. Chipmunk's net tangles: after 200 of its 500 steps one takes 2 s.
LEFT_OUT = {("pymunk", "joint_grid")}
WAYS = ("view", "batch", "loop")


def version(label: str) -> str:
    """Version of an engine; empty when it is not installed."""
    package = SETTINGS[label][1]
    return pyphys2d.__version__ if package == "pyphys2d" else common.version(package)


def serve(pipe: Connection, label: str, scene: str) -> None:
    """One engine's process: builds the scene, then answers step counts with times and states."""
    adapter, _, substeps, _ = SETTINGS[label]
    try:
        engine = adapter(benchmark.DESCRIPTIONS[scene](), substeps)
        pipe.send("ready")
        while (count := pipe.recv()) is not None:
            seconds = engine.step(count)
            reading = {way: engine.read(way) for way in engine.ways}
            pipe.send((seconds, reading, engine.state()))
    except Exception as error:
        pipe.send(error)


class Ruler:
    """Measures states of a scene, whichever engine they come from."""

    def __init__(self, description: benchmark.Description) -> None:
        self.description = description
        self.world = benchmark.build_world(description, gravity=(0, 0), sleeping=False)
        places: set[int] = set()
        for step in range(description.steps if description.arrival else 0):
            arrival = description.arrival(step) if description.arrival else None
            if arrival and arrival.place in places:
                break
            if arrival:
                places.add(arrival.place)
                benchmark.add(self.world, arrival.groups, arrival.pins)
        self.start = self.world.positions.copy()
        self.dynamic = self.world.kinds == 2
        self.top = int(np.where(self.dynamic, self.start[:, 1], -np.inf).argmax())
        boxes = self.world.aabbs
        lower, upper = np.nanmin(boxes[:, 0], axis=0), np.nanmax(boxes[:, 1], axis=0)
        room = 0.25 * (upper - lower)
        self.lower, self.upper = lower - room, upper + room

    def depths(self, state: State) -> np.ndarray:
        """Penetrations of all touching contact points, metres. Who has not arrived yet waits where
        he will appear.
        """
        world, count = self.world, len(state[0])
        world.positions = np.concatenate([state[0], self.start[count:]])
        world.angles = np.concatenate([state[1], np.zeros(len(self.start) - count)])
        world.velocities *= 0
        world.angular_velocities *= 0
        world.step(1e-9)  # finds the contacts; nothing moves by more than a few nanometres
        depths = -world.contacts["separation"]
        return depths[depths > 0]

    def kinetic_energy(self, state: State) -> float:
        """Joules."""
        _, _, v, w = state
        count, dynamic = len(w), self.dynamic[: len(w)]
        masses, inertias = self.world.masses[:count], self.world.inertias[:count]
        return float(0.5 * (masses * (v * v).sum(axis=1) + inertias * w * w)[dynamic].sum())

    def escaped(self, state: State) -> int:
        """Moving bodies outside the scene's box grown by a quarter, or nowhere at all."""
        inside = ((state[0] > self.lower) & (state[0] < self.upper)).all(axis=1)
        return int((~inside & self.dynamic[: len(inside)]).sum())


@dataclass
class Run:
    """One engine on one scene; lists of times have an entry per slice."""

    label: str
    process: Any
    pipe: Connection
    seconds: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    reading: list[dict[str, float]] = field(default_factory=list)
    samples: list[np.ndarray] = field(default_factory=list)
    state: State | None = None

    def advance(self, scene: str, count: int) -> State:
        """Takes the next slice."""
        self.pipe.send(count)
        try:
            answer = self.pipe.recv()
        except EOFError:
            answer = RuntimeError("the process died")
        if isinstance(answer, Exception):
            raise SystemExit(f"{self.label} failed on {scene}: {answer!r}")
        state: State
        (seconds, wall), reading, state = answer
        self.seconds.append(seconds)
        self.wall.append(wall)
        self.reading.append(reading)
        self.state = state
        return state

    def stop(self) -> None:
        """Ends the process."""
        self.pipe.send(None)
        self.process.join()


def start(label: str, scene: str) -> Run | None:
    """A process that has built the scene; None (with a message) when the engine cannot."""
    context = mp.get_context("spawn")
    pipe, other = context.Pipe()
    process = context.Process(target=serve, args=(other, label, scene), daemon=True)
    process.start()
    other.close()
    try:
        answer = pipe.recv()
    except EOFError:
        answer = RuntimeError("the process died")
    if answer != "ready":
        print(f"  {label}: cannot build {scene}: {answer!r}", file=sys.stderr)
        process.join()
        return None
    return Run(label, process, pipe)


def run_all(scene: str, labels: list[str], counts: Sequence[int], ruler: Ruler | None) -> list[Run]:
    """All engines on one scene, slice by slice in turn; measured by the ruler, if there is one."""
    able = [label for label in labels if (label, scene) not in LEFT_OUT]
    runs = [run for label in able if (run := start(label, scene)) is not None]
    for k, count in enumerate(counts):
        for run in runs:
            state = run.advance(scene, count)
            if ruler is not None and 2 * k >= len(counts):
                run.samples.append(ruler.depths(state))
    for run in runs:
        run.stop()
    return runs


def run_scene(
    scene: str, labels: list[str], most: int | None, repeats: int, quick: bool
) -> list[dict[str, Any]]:
    """All engines on one scene, several times over; one row each."""
    description = benchmark.DESCRIPTIONS[scene]()
    total = common.steps_of(description.steps, most, quick)
    edges = np.linspace(0, total, min(SLICES, total) + 1).astype(int)
    counts = np.diff(edges).tolist()
    ruler = Ruler(description)
    first = run_all(scene, labels, counts, ruler)
    runs = {run.label: [run] for run in first}
    for _ in range(repeats - 1):
        for run in run_all(scene, list(runs), counts, None):
            runs[run.label].append(run)
    rows = [quality(description, ruler, run) for run in first]
    for row in rows:
        same = runs[row["engine"]]
        seconds = sum(map(min, zip(*(run.seconds for run in same), strict=True)))
        wall = sum(map(min, zip(*(run.wall for run in same), strict=True)))
        row |= {
            "steps": total,
            "runs": repeats,
            "ms_per_step": round(1e3 * seconds / total, 4),
            "wall_ms_per_step": round(1e3 * wall / total, 4),
        }
        for way in WAYS:
            times = [each[way] for run in same for each in run.reading if way in each]
            row[f"read_{way}_ms"] = round(1e3 * statistics.median(times), 5) if times else ""
    return rows


def quality(description: benchmark.Description, ruler: Ruler, run: Run) -> dict[str, Any]:
    """What the ruler says of a run."""
    assert run.state is not None
    depths = np.concatenate(run.samples)
    mean, p99 = (depths.mean(), np.percentile(depths, 99)) if len(depths) else (0.0, 0.0)
    deepest = [sample.max(initial=0) for sample in run.samples]
    shift = run.state[0][ruler.top] - ruler.start[ruler.top]
    standing = description.name in STANDING
    return {
        "scene": description.name,
        "engine": run.label,
        "version": version(run.label),
        "settings": SETTINGS[run.label][3],
        "bodies": description.body_count,
        "penetration_mean_mm": round(1000 * float(mean), 4),
        "penetration_p99_mm": round(1000 * float(p99), 3),
        "penetration_max_mm": round(1000 * float(np.median(deepest)), 2),
        "contact_points": round(len(depths) / len(run.samples)),
        "top_drop_m": round(float(-shift[1]), 4) if standing else "",
        "top_drift_m": round(float(shift[0]), 4) if standing else "",
        "kinetic_energy_j": f"{ruler.kinetic_energy(run.state):.4g}",
        "escaped": ruler.escaped(run.state) if any(description.gravity) else "",
    }


def milliseconds(row: Mapping[str, Any], way: str = "") -> float:
    """Time of a step and, with a way of reading that the engine has, of one reading."""
    read = row[f"read_{way}_ms"] if way else ""
    return float(row["ms_per_step"]) + float(read or 0)


@dataclass
class Ratios:
    """Time of one engine over time of ours, scene by scene."""

    engine: str
    reading: str  # "", "batch" or "loop"; ours always reads by view
    ours: str
    by_scene: dict[str, float]

    @property
    def mean(self) -> float:
        """Geometric mean."""
        return float(np.exp(np.log(list(self.by_scene.values())).mean()))

    @property
    def lowest(self) -> float:
        """Of the scene where the other does best."""
        return min(self.by_scene.values())

    @property
    def highest(self) -> float:
        """Of the scene where the other does worst."""
        return max(self.by_scene.values())


def ratios(rows: Sequence[Mapping[str, Any]]) -> list[Ratios]:
    """Every engine and way of reading against ours at 4 and at 8 substeps."""
    made = []
    for ours in ("pyphys2d-4", "pyphys2d"):
        base = {row["scene"]: milliseconds(row, "view") for row in rows if row["engine"] == ours}
        for label in SETTINGS:
            mine = [row for row in rows if row["engine"] == label and row["scene"] in base]
            for way in ("", "batch", "loop"):
                if way and not any(row[f"read_{way}_ms"] for row in mine):
                    continue
                by_scene = {
                    row["scene"]: milliseconds(row, way) / base[row["scene"]] for row in mine
                }
                if by_scene and label != ours:
                    made.append(Ratios(label, way, ours, by_scene))
    return made


COLUMNS = {
    "engine": "engine",
    "ms/step": "ms_per_step",
    "ratio": "ratio",
    "+batch": "batch",
    "+loop": "loop",
    "mean mm": "penetration_mean_mm",
    "p99 mm": "penetration_p99_mm",
    "max mm": "penetration_max_mm",
    "drop m": "top_drop_m",
    "drift m": "top_drift_m",
    "KE J": "kinetic_energy_j",
    "escaped": "escaped",
}


def show(rows: list[dict[str, Any]]) -> None:
    """Prints the table of one scene."""
    head = rows[0]
    extra = {("pyphys2d", "ratio"): "1.00"}
    for each in ratios(rows):
        if each.ours == "pyphys2d":
            extra[each.engine, each.reading or "ratio"] = f"{each.mean:.2f}"
    print(f"\n{head['scene']}: {head['bodies']} bodies, {head['steps']} steps")
    print("  " + "".join(f"{title:>11}" for title in COLUMNS))
    for row in rows:
        cells = (row.get(name, extra.get((row["engine"], name), "")) for name in COLUMNS.values())
        print("  " + "".join(f"{cell!s:>11}" for cell in cells), flush=True)


def beside(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """These rows and those that the file has of other scenes, in the order of scenes."""
    measured = {row["scene"] for row in rows}
    kept = [row for row in common.read_csv("compare") if row["scene"] not in measured]
    order = list(benchmark.DESCRIPTIONS)
    return sorted([*kept, *rows], key=lambda row: order.index(row["scene"]))


def summary(rows: list[dict[str, Any]]) -> None:
    """Prints the geometric means of the ratios over the scenes."""
    print("\ntime / time of ours with poses by view: geometric mean over the scenes (range)")
    for each in ratios(rows):
        reading = f"poses by {each.reading}" if each.reading else "without reading"
        span = f"({each.lowest:.2f} to {each.highest:.2f})"
        print(f"  {each.engine:<12}{reading:<17}against {each.ours:<12}{each.mean:8.2f}   {span}")


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line, runs, prints and keeps the results."""
    parser = common.parser(__doc__, "compare")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="default: all")
    parser.add_argument("--engines", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--steps", type=int, help="at most so many steps per scene")
    parser.add_argument("--repeats", type=int, help=f"runs of every scene (default {REPEATS})")
    parser.add_argument("--study", type=Path, metavar="SOURCE.c", help="see study.py")
    parser.add_argument(
        "--study-only", action="store_true", help="with --study: leave the other engines out"
    )
    options = parser.parse_args(arguments)
    unknown = set(options.scenes) - set(benchmark.DESCRIPTIONS)
    if unknown:
        parser.error(f"unknown scene {sorted(unknown)}; known: {', '.join(benchmark.DESCRIPTIONS)}")
    if options.study_only and not options.study:
        parser.error("--study-only: needs --study SOURCE.c")
    for name in ("steps", "repeats"):
        value = getattr(options, name)
        if value is not None and value < 1:
            parser.error(f"--{name}: must be >= 1, got {value}")
    quick = options.quick
    repeats = options.repeats or (1 if quick else REPEATS)
    if not options.study_only:
        labels = [label for label in options.engines if version(label)]
        for label in set(options.engines) - set(labels):
            print(f"{label} is not installed (pip install '.[bench]'); left out")
        rows: list[dict[str, Any]] = []
        for scene in options.scenes or benchmark.DESCRIPTIONS:
            made = run_scene(scene, labels, options.steps, repeats, quick)
            show(made)
            rows += made
        summary(rows)
        if not options.no_csv:
            print(
                f"\nkept in results/{common.write_csv('compare', beside(rows), quick=quick).name}"
            )
    if options.study:
        scenes = [name for name in study.SCENES if name in (options.scenes or study.SCENES)]
        steps = options.steps or (60 if quick else 200)
        made = study.against_study(
            options.study, scenes, steps, options.repeats or (2 if quick else 5)
        )
        if made and not options.no_csv:
            print(f"kept in results/{common.write_csv('study', made, quick=quick).name}")


if __name__ == "__main__":
    main()
