"""Whole steps against a study: a C program that knows some of the scenes and nothing but boxes.

`compare.py --study SOURCE.c` runs this. The source's head holds the line that builds it (a comment
that begins with gcc, cc or clang); `PROGRAM SCENE steps=N substeps=N hertz=N` must print
"SCENE: X ms/step", the mean over all steps but the first. That is wall time. Processor time of the
study is taken from outside: a run of N steps less a run of one step, N - 1 steps.
"""

from __future__ import annotations

import hashlib
import re
import resource
import shlex
import statistics
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from pyphys2d import simd
from pyphys2d.scenes import benchmark

SCENES = ("large_pyramid", "many_pyramids", "tumbler", "washer")
SETTINGS = {4: 30, 8: 60}  # substeps: frequency of contacts between moving bodies, hertz
COMPILERS = ("gcc", "cc", "clang")
FLAGS = {"sse2": "-msse2", "avx2": "-mavx2"}


def build(source: Path, folder: Path) -> Path:
    """Compiles the study into the folder, for the instruction set that this library has chosen."""
    pattern = rf"^\W*((?:{'|'.join(COMPILERS)})\s.*{re.escape(source.name)}.*)$"
    line = re.search(pattern, source.read_text(), flags=re.MULTILINE)
    if not line:
        raise SystemExit(f"{source}: no line with the compiler's command in it")
    program = folder / "study"
    words = shlex.split(line[1])
    words = [str(source.resolve()) if word == source.name else word for word in words]
    words[words.index("-o") + 1] = str(program)
    wanted = FLAGS.get(simd.name)
    if wanted:
        words = [wanted if word in FLAGS.values() else word for word in words]
    subprocess.run(words, check=True, cwd=folder)
    return program


def run_study(program: Path, scene: str, steps: int, substeps: int) -> tuple[float, float]:
    """Processor seconds of the whole program, and wall milliseconds per step as it says."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [program, scene, f"steps={steps}", f"substeps={substeps}", f"hertz={SETTINGS[substeps]}"],
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.match(rf"{scene}: ([\d.]+) ms/step", done.stdout)
    if not found:
        raise SystemExit(f"{scene}: cannot read {done.stdout.splitlines()[:1]}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, float(found[1])


def time_study(program: Path, scene: str, steps: int, substeps: int) -> tuple[float, float]:
    """Milliseconds per step: processor time, wall time."""
    start, _ = run_study(program, scene, 1, substeps)
    whole, wall = run_study(program, scene, steps, substeps)
    if steps < 2 or whole <= start:
        raise SystemExit(
            f"{scene}: {steps} steps of the study are too short to be timed; take more"
        )
    return 1e3 * (whole - start) / (steps - 1), wall


def time_ours(scene: str, steps: int, substeps: int) -> tuple[float, float]:
    """The same of ours, over all steps but the first, as the study counts."""
    description = benchmark.DESCRIPTIONS[scene]()
    world = benchmark.build_world(description, substeps=substeps)
    world.step(description.dt)
    wall, start = perf_counter(), process_time()
    benchmark.run(world, description, steps - 1)
    spent, passed = process_time() - start, perf_counter() - wall
    return 1e3 * spent / (steps - 1), 1e3 * passed / (steps - 1)


def against_study(
    source: Path, scenes: list[str], steps: int, repeats: int
) -> list[dict[str, Any]]:
    """One row per scene and number of substeps; both programs in turn, the best of the runs."""
    rows: list[dict[str, Any]] = []
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    print(f"\n{'ms/step':<16}{'substeps':>9}{'ours':>9}{'study':>9}{'ours/study':>12}")
    with tempfile.TemporaryDirectory() as name:
        program = build(source, Path(name))
        for scene in scenes:
            for substeps in SETTINGS:
                ours_runs, study_runs = [], []
                for _ in range(repeats):
                    study_runs.append(time_study(program, scene, steps, substeps))
                    ours_runs.append(time_ours(scene, steps, substeps))
                ours, ours_wall = map(min, zip(*ours_runs, strict=True))
                study, study_wall = map(min, zip(*study_runs, strict=True))
                row = {
                    "study": f"{source.name} {digest}",
                    "scene": scene,
                    "substeps": substeps,
                    "steps": steps,
                    "runs": repeats,
                    "ours_ms": round(ours, 4),
                    "study_ms": round(study, 4),
                    "ratio": round(ours / study, 3),
                    "ratio_median": round(
                        statistics.median(
                            a / b for (a, _), (b, _) in zip(ours_runs, study_runs, strict=True)
                        ),
                        3,
                    ),
                    "ours_wall_ms": round(ours_wall, 4),
                    "study_wall_ms": round(study_wall, 4),
                }
                rows.append(row)
                print(
                    f"{scene:<16}{substeps:>9}{ours:>9.3f}{study:>9.3f}{ours / study:>12.2f}",
                    flush=True,
                )
    return rows
