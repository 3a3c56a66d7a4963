"""What the benchmarks share: facts about the machine, CSV files, best-of timing."""

import argparse
import csv
import platform
import re
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"
QUICK_SHARE = 0.3  # of a scene's steps: in less, some scenes have not begun to collide


def cpu() -> str:
    """The processor's name as the system gives it, in plain words."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = re.findall(r"model name\s*:\s*(.+)", text)
    return f"{names[0]} x{len(names)}" if names else platform.machine()


def commit() -> str:
    """Short hash of the commit that is checked out, with + when the tree differs from it."""

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=FOLDER, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    dirty = "+" if git("status", "--porcelain", "--untracked-files=no") else ""
    return git("rev-parse", "--short=12", "HEAD") + dirty or "unknown"


def version(package: str) -> str:
    """Installed version, or an empty string."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def facts() -> dict[str, str]:
    """The columns that every results file begins with."""
    # Some benchmarks run without the package, on an interpreter that has not even NumPy.
    engine = sys.modules.get("pyphys2d")
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "machine": cpu(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "commit": commit(),
        **({"simd": engine.simd.name} if engine else {}),
    }


def parser(doc: str | None, name: str) -> argparse.ArgumentParser:
    """A command line with the options that the benchmarks share; doc is the module's."""
    made = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    made.add_argument("--quick", action="store_true", help="less work, the same columns")
    made.add_argument("--no-csv", action="store_true", help=f"do not write results/{name}.csv")
    return made


def steps_of(scene_steps: int, most: int | None, quick: bool) -> int:
    """How many steps of a scene to take."""
    wanted = max(1, round(QUICK_SHARE * scene_steps)) if quick else scene_steps
    return min(wanted, most or wanted)


def write_csv(name: str, rows: Sequence[Mapping[str, Any]], *, quick: bool = False) -> Path:
    """Writes rows, each led by the facts, to results/NAME.csv; an older file of that name is
    replaced. The column `run` tells a quick run from a full one.
    """
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.csv"
    lead = {**facts(), "run": "quick" if quick else "full"}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list({**lead, **rows[0]}), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**lead, **row} for row in rows)
    return path


def read_csv(name: str) -> list[dict[str, str]]:
    """The rows of results/NAME.csv; none when there is no such file."""
    path = RESULTS / f"{name}.csv"
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def best(
    call: Callable[[], Any],
    number: int,
    repeat: int = 5,
    timer: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds per call, best of `repeat` runs of `number` calls."""
    return min(timeit.repeat(call, timer=timer, number=number, repeat=repeat)) / number
