"""What the benchmarks share: facts about the machine, CSV files, best-of timing."""

import csv
import platform
import re
import subprocess
import timeit
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"


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
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "machine": cpu(),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "commit": commit(),
    }


def write_csv(name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Writes rows, each led by the facts, to results/NAME.csv; an older file of that name is
    replaced.
    """
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.csv"
    lead = facts()
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*lead, *rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**lead, **row} for row in rows)
    return path


def best(call: Callable[[], Any], number: int, repeat: int = 5) -> float:
    """Seconds per call, best of `repeat` runs of `number` calls."""
    return min(timeit.repeat(call, number=number, repeat=repeat)) / number
