"""The same scenes on every engine that is installed: time, and quality beside it.

    pip install ".[bench]"
    python benchmarks/compare.py                        # everything; about a quarter of an hour
    python benchmarks/compare.py tumbler circles --steps 100 --no-csv

Each engine lives in a process of its own; all run the scene in slices, one slice each in turn, so
that a slow minute of the machine hits all of them. Penetration is measured for all engines by one
ruler: their poses are put into a fresh world of this library, and its contacts are read. Samples
are taken after every slice of the second half of the run.

Columns: ms/step (mean over the run); ratio = time / time of pyphys2d at its defaults; penetration
of touching contact points in millimetres (mean, 99th percentile, median over the samples of the
deepest); drop and drift of the body that began on top (metres, standing scenes only); kinetic
energy at the end (J); bodies that left the scene.
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from common import version, write_csv
from engines import SETTINGS, State

from pyphys2d.scenes import benchmark

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SLICES = 10
STANDING = ("large_pyramid", "many_pyramids")


def serve(pipe: Connection, label: str, scene: str) -> None:
    """One engine's process: builds the scene, then answers step counts with times and states."""
    adapter, _, substeps, _ = SETTINGS[label]
    try:
        engine = adapter(benchmark.DESCRIPTIONS[scene](), substeps)
        pipe.send("ready")
        while (count := pipe.recv()) is not None:
            pipe.send((engine.step(count), engine.state()))
    except Exception as error:
        pipe.send(error)


class Ruler:
    """Measures states of a scene, whichever engine they come from."""

    def __init__(self, description: benchmark.Description) -> None:
        self.description = description
        self.world = benchmark.build_world(description, gravity=(0, 0), sleeping=False)
        self.start = self.world.positions.copy()
        self.dynamic = self.world.kinds == 2
        self.top = int(np.where(self.dynamic, self.start[:, 1], -np.inf).argmax())
        boxes = self.world.aabbs
        lower, upper = np.nanmin(boxes[:, 0], axis=0), np.nanmax(boxes[:, 1], axis=0)
        room = 0.25 * (upper - lower)
        self.lower, self.upper = lower - room, upper + room

    def depths(self, state: State) -> np.ndarray:
        """Penetrations of all touching contact points, metres."""
        world = self.world
        world.positions, world.angles = state[0], state[1]
        world.velocities *= 0
        world.angular_velocities *= 0
        world.step(1e-9)  # finds the contacts; nothing moves by more than a few nanometres
        depths = -world.contacts["separation"]
        return depths[depths > 0]

    def kinetic_energy(self, state: State) -> float:
        """Joules."""
        _, _, v, w = state
        masses, inertias = self.world.masses, self.world.inertias
        return float(0.5 * (masses * (v * v).sum(axis=1) + inertias * w * w)[self.dynamic].sum())

    def escaped(self, state: State) -> int:
        """Moving bodies outside the scene's box grown by a quarter, or nowhere at all."""
        inside = ((state[0] > self.lower) & (state[0] < self.upper)).all(axis=1)
        return int((~inside & self.dynamic).sum())


@dataclass
class Run:
    """One engine on one scene."""

    label: str
    process: Any
    pipe: Connection
    seconds: float = 0.0
    steps: int = 0
    samples: list[np.ndarray] = field(default_factory=list)
    state: State | None = None


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


def run_scene(scene: str, labels: list[str], steps: int | None) -> list[dict[str, Any]]:
    """All engines on one scene, slice by slice in turn; one row each."""
    description = benchmark.DESCRIPTIONS[scene]()
    total = min(steps or description.steps, description.steps)
    ruler = Ruler(description)
    runs = [run for label in labels if (run := start(label, scene)) is not None]
    edges = np.linspace(0, total, SLICES + 1).astype(int)
    for k, count in enumerate(np.diff(edges)):
        for run in runs:
            run.pipe.send(int(count))
            try:
                answer = run.pipe.recv()
            except EOFError:
                answer = RuntimeError("the process died")
            if isinstance(answer, Exception):
                raise SystemExit(f"{run.label} failed on {scene}: {answer!r}")
            seconds, run.state = answer
            run.seconds += seconds
            run.steps += int(count)
            if k >= SLICES // 2:
                run.samples.append(ruler.depths(run.state))
    rows = []
    base = next((r.seconds for r in runs if r.label == "pyphys2d"), float("nan"))
    for run in runs:
        run.pipe.send(None)
        run.process.join()
        assert run.state is not None
        depths = np.concatenate(run.samples)
        deepest = [sample.max(initial=0) for sample in run.samples]
        shift = run.state[0][ruler.top] - ruler.start[ruler.top]
        standing = scene in STANDING
        package = SETTINGS[run.label][1]
        rows.append(
            {
                "scene": scene,
                "engine": run.label,
                "version": version(package),
                "settings": SETTINGS[run.label][3],
                "bodies": description.body_count,
                "steps": run.steps,
                "ms_per_step": round(1000 * run.seconds / run.steps, 4),
                "ratio": round(run.seconds / base, 3),
                "penetration_mean_mm": round(1000 * float(depths.mean()) if len(depths) else 0, 4),
                "penetration_p99_mm": round(
                    1000 * float(np.percentile(depths, 99)) if len(depths) else 0, 3
                ),
                "penetration_max_mm": round(1000 * float(np.median(deepest)), 2),
                "contact_points": round(len(depths) / len(run.samples)),
                "top_drop_m": round(float(-shift[1]), 4) if standing else "",
                "top_drift_m": round(float(shift[0]), 4) if standing else "",
                "kinetic_energy_j": f"{ruler.kinetic_energy(run.state):.4g}",
                "escaped": ruler.escaped(run.state) if any(description.gravity) else "",
            }
        )
    return rows


COLUMNS = {
    "engine": "engine",
    "ms/step": "ms_per_step",
    "ratio": "ratio",
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
    print(f"\n{head['scene']}: {head['bodies']} bodies, {head['steps']} steps")
    print("  " + "".join(f"{title:>11}" for title in COLUMNS))
    for row in rows:
        print("  " + "".join(f"{row[column]!s:>11}" for column in COLUMNS.values()), flush=True)


def summary(rows: list[dict[str, Any]]) -> None:
    """Geometric means of the ratios over the scenes."""
    print("\ntime / time of pyphys2d at its defaults, geometric mean over the scenes")
    for label in SETTINGS:
        ratios = [row["ratio"] for row in rows if row["engine"] == label]
        if ratios and np.isfinite(ratios).all():
            low, high = min(ratios), max(ratios)
            mean = float(np.exp(np.log(ratios).mean()))
            print(f"  {label:<12}{mean:8.2f}   ({low:.2f} to {high:.2f})")


def main() -> None:
    """Reads the command line, runs, prints and keeps the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="default: all")
    parser.add_argument("--engines", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--steps", type=int, help="at most so many steps per scene")
    parser.add_argument("--no-csv", action="store_true", help="do not write results/compare.csv")
    options = parser.parse_args()
    unknown = set(options.scenes) - set(benchmark.DESCRIPTIONS)
    if unknown:
        parser.error(f"unknown scene {sorted(unknown)}; known: {', '.join(benchmark.DESCRIPTIONS)}")
    labels = []
    for label in options.engines:
        if version(SETTINGS[label][1]):
            labels.append(label)
        else:
            print(f"{label} is not installed (pip install '.[bench]'); left out")
    rows: list[dict[str, Any]] = []
    for scene in options.scenes or benchmark.DESCRIPTIONS:
        made = run_scene(scene, labels, options.steps)
        show(made)
        rows += made
    summary(rows)
    if not options.no_csv:
        print(f"\nkept in results/{write_csv('compare', rows).name}")


if __name__ == "__main__":
    main()
