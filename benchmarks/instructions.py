"""Counts the instructions of a step in seven scenes, under valgrind.

    python benchmarks/instructions.py           # counts, and writes results/instructions.csv
    python benchmarks/instructions.py --check   # counts, and fails where it is 3 % more than there

The count does not depend on what else the machine does, so this is what CI holds against changes
that make a step dearer; a change that is meant goes with a new file. It does depend on the
compiler (gcc 12 of Debian 12 here), and says nothing of memory traffic: time is in `compare.py`.
"""

import argparse
import ast
import csv
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import RESULTS, write_csv

CSRC = Path(__file__).parent.parent / "csrc"
ENGINE = ("base", "math", "geometry", "broad", "narrow", "solve", "world")
FLAGS = [
    "-O3",
    "-DNDEBUG",
    "-std=c11",
    "-D_GNU_SOURCE",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-Wno-psabi",
]
SETUP = CSRC.parent / "setup.py"
SLACK = 0.03
STEPS = 20  # from the start; more with every scene that has to fall first
SCENES = {
    "large_pyramid": STEPS,
    "many_pyramids": STEPS,
    "tumbler": 3 * STEPS,
    "circles": 3 * STEPS,
    "mixed": 3 * STEPS,
    "sleepers": 20 * STEPS,  # they are put in order in the first two
    "joints": 2 * STEPS,
}


def own_flags(file: Path) -> list[str]:
    """Those of a unit that others do not have, as setup.py has them for GCC."""
    for node in ast.parse(SETUP.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GCC_LEVELS":
            levels = ast.literal_eval(node.value)
            return next((flags for name, flags in levels if re.search(name, file.as_posix())), [])
    sys.exit(f"no GCC_LEVELS in {SETUP}")


def build(folder: Path) -> Path:
    """The C program of the scenes, its files compiled side by side."""
    program = folder / "scenes"
    files = [path for part in ENGINE for path in sorted((CSRC / part).rglob("*.c"))]
    files.append(Path(__file__).with_name("scenes.c"))

    def compiled(number: int) -> str:
        target = str(folder / f"{number}.o")
        flags = [*FLAGS, f"-I{CSRC}", "-pthread", *own_flags(files[number])]
        command = ["gcc", *flags, "-c", str(files[number]), "-o", target]
        subprocess.run(command, check=True)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, range(len(files))))
    subprocess.run(["gcc", "-pthread", *objects, "-lm", "-o", str(program)], check=True)
    return program


def count(program: Path, scene: str, steps: int, folder: Path) -> float:
    """Million instructions per step, all inside `ph_world_step`."""
    done = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            "--toggle-collect=ph_world_step",
            f"--callgrind-out-file={folder / scene}.out",
            str(program),
            scene,
            str(steps),
        ],
        capture_output=True,
        text=True,
        env={"PYPHYS2D_SIMD": "avx2", "PATH": "/usr/bin:/bin"},
        check=False,
    )
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{scene}: {done.stderr}")
    return int(found[1]) / steps / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the results file")
    check = parser.parse_args().check
    rows, worse = [], False
    before = {}
    if check:
        with (RESULTS / "instructions.csv").open(newline="") as file:
            before = {row["scene"]: float(row["million per step"]) for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build(folder)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = list(
                pool.map(lambda scene: count(program, scene, SCENES[scene], folder), SCENES)
            )
        for (scene, steps), now in zip(SCENES.items(), counts, strict=True):
            rows.append({"scene": scene, "steps": steps, "million per step": f"{now:.3f}"})
            line = f"{scene:15} {now:9.3f} million instructions a step"
            if check and scene not in before:
                worse = True
                line += "   NOT in the results: write them"
            elif check:
                ratio = now / before[scene]
                line += f", {100 * (ratio - 1):+.1f} % of {before[scene]:.3f}"
                if ratio > 1 + SLACK:
                    worse = True
                    line += f"   MORE than {100 * SLACK:.0f} %"
                elif ratio < 1 - SLACK:
                    line += "   less: write the new count"
            print(line, flush=True)
    if not check:
        print("wrote", write_csv("instructions", rows))
    sys.exit(worse)


if __name__ == "__main__":
    main()
