"""Random worlds at every SIMD width and by 1, 2 and 3 workers: the same bits at every step.

    python tests/fuzz/determinism.py --worlds 1000 --seed 0
    python tests/fuzz/determinism.py --worlds 1000 --seed 0 --neighbours

A world is a program (determinism_worlds.py). A process for each width and number of workers runs
it and answers with a hash after each step, and with one of all that the program reads; a line that
raises answers with its exception. One of the processes, another for each world, reads nothing: its
hashes must be those of the others. With `--neighbours` each world is also run with others far from
it, and the rows of its own bodies are compared. Where answers differ, lines are dropped while they
still do, and what is left is printed as a program that runs by itself. Exit code 1: some differed.
"""

import argparse
import contextlib
import marshal
import os
import pickle
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).parent.parent.parent
if __name__ == "__main__" and list((ROOT / "pyphys2d").glob("_core.*.so")):
    sys.path.insert(0, str(ROOT))  # a build beside the sources is what is meant

import determinism_worlds  # noqa: E402
import numpy as np  # noqa: E402

import pyphys2d as p2  # noqa: E402

WORKERS = (1, 2, 3)
PACKAGE = str(Path(p2.__file__).parent.parent)  # of the children too
BATCH = 24  # worlds that a process is given at a time
PREAMBLE = """import math
import zlib
import numpy as np
import pyphys2d as p2
"""
Answer = list[Any]  # by step

# ------------------------------------------------------------------------------------------------
# in the child


def _fold(x: Any, crc: int) -> int:
    """Of arrays all bytes but those between columns, of all else what it looks like."""
    if isinstance(x, np.ndarray):
        if x.dtype.names:
            for name in x.dtype.names:
                crc = _fold(x[name], crc)
            return crc
        return zlib.crc32(np.ascontiguousarray(x).tobytes(), crc)
    if isinstance(x, (tuple, list)):
        for one in x:
            crc = _fold(one, crc)
        return crc
    return zlib.crc32(repr(x).encode(), crc)


def _rows(world: p2.World, bodies: dict[int, p2.Body]) -> int:
    """Of the bodies that are not neighbours."""
    crc = 0
    for key, body in bodies.items():
        if key < determinism_worlds.FIRST_NEIGHBOUR and body.alive:
            i = body.index
            for view in (world.positions, world.angles, world.velocities, world.angular_velocities):
                crc = zlib.crc32(view[i].tobytes(), crc)
    return crc


def run(lines: Iterable[Any], width: str, workers: int, own: bool = False) -> Answer:
    """Runs lines, or their code. own: rows of bodies that are no neighbours, not the hash."""
    answer: Answer = []
    read = 0

    def see(x: Any) -> None:
        nonlocal read
        read = _fold(x, read)

    space: dict[str, Any] = {
        "WORKERS": workers,
        "WIDTH": width,
        "see": see,
        "b": {},
        "j": {},
        "f": {},
    }
    exec(PREAMBLE, space)
    for line in lines:
        try:
            exec(line, space)
        except Exception as error:
            read = zlib.crc32(type(error).__name__.encode(), read)
        world = space.get("w")
        if world is None or world.step_count == len(answer):
            continue
        while len(answer) < world.step_count:
            answer.append(_rows(world, space["b"]) if own else (world.hash(), read))
    if (world := space.get("w")) is not None and not own:
        ids = _fold(world.contacts["id"], 0)  # which are no part of the hash
        answer.append(((world.hash(), ids), read))
    return answer


def _serve(workers: int) -> None:
    """Batches of marshalled programs from the standard input until it ends."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    width = p2.simd.name
    while True:
        try:
            batch, own = pickle.load(source)
        except EOFError:
            return
        answers = [run(marshal.loads(one), width, workers, own) for one in batch]
        pickle.dump(answers, sink)
        sink.flush()


# ------------------------------------------------------------------------------------------------
# in the parent


class CrashError(Exception):
    """A child that has ended."""


class Child:
    """A process with a width and a number of workers."""

    def __init__(self, width: str, workers: int) -> None:
        self.width, self.workers = width, workers
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(self.workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYPHYS2D_SIMD": self.width, "PYTHONPATH": PACKAGE},
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.source, self.sink = self.process.stdout, self.process.stdin

    def ask(self, batch: list[bytes], own: bool) -> list[Answer] | CrashError:
        """Answers to marshalled programs, in their order. A child that has ended starts anew."""
        try:
            pickle.dump((batch, own), self.sink)
            self.sink.flush()
            return pickle.load(self.source)  # type: ignore[no-any-return]
        except (BrokenPipeError, EOFError):
            status = self.close()
        self.start()
        return CrashError(f"{self.width}, {self.workers} workers: exit {status}")

    def close(self) -> int:
        """Ends it by the end of what it reads. Its exit code."""
        with contextlib.suppress(BrokenPipeError):
            self.sink.close()
        self.source.close()
        return self.process.wait()


def _code(lines: Sequence[str]) -> list[CodeType]:
    return [compile(line, line, "exec") for line in lines]


def _unread(code: list[CodeType]) -> list[CodeType]:
    """Without the lines that only read."""
    return [line for line in code if not line.co_filename.startswith("see(")]


def reduce(lines: list[str], differs: Callable[[list[str]], bool]) -> list[str]:
    """Drops lines while it still differs: runs of them, shorter and shorter, then one by one."""
    size = len(lines)
    while size:
        size = min(size, len(lines))
        start, dropped = len(lines), False
        while start > 0:
            first = max(start - size, 0)
            shorter = lines[:first] + lines[start:]
            if differs(shorter):
                lines, dropped = shorter, True
            start = first
        if size > 1 or not dropped:
            size //= 2
    return lines


class Team:
    """A child for each width and number of workers, `jobs` of them busy at a time."""

    def __init__(
        self,
        widths: Sequence[str] = p2.simd.available,
        workers: Sequence[int] = WORKERS,
        jobs: int = 1,
    ) -> None:
        self.children = [Child(width, count) for width in widths for count in workers]
        self.pool = ThreadPoolExecutor(jobs)

    def __enter__(self) -> "Team":
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown()
        for child in self.children:
            child.close()

    def run(self, programs: Sequence[list[str]], blind: Sequence[int]) -> list[str]:
        """Which children differ in each of the programs, "" for none.

        blind: for each program the number of a child that reads nothing.
        """
        codes = [_code(lines) for lines in programs]
        batch = [marshal.dumps(code) for code in codes]
        unread = [marshal.dumps(_unread(code)) for code in codes]
        blind = [k % len(self.children) for k in blind]

        def ask(k: int) -> list[Answer] | CrashError:
            mine = [unread[i] if blind[i] == k else batch[i] for i in range(len(batch))]
            return self.children[k].ask(mine, False)

        answers = list(self.pool.map(ask, range(len(self.children))))
        return [self._compare(answers, i, blind[i]) for i in range(len(programs))]

    def _compare(self, answers: list[list[Answer] | CrashError], i: int, blind: int) -> str:
        groups: dict[str, list[str]] = {}
        hashes: dict[str, list[str]] = {}
        for k, (child, one) in enumerate(zip(self.children, answers, strict=True)):
            if isinstance(one, CrashError):
                return f"crash: {one}"
            name = f"{child.width}/{child.workers}"
            if k != blind:
                groups.setdefault(repr(one[i]), []).append(name)
            name += "/blind" if k == blind else ""
            hashes.setdefault(repr([step[0] for step in one[i]]), []).append(name)
        for sorted_by in (hashes, groups):
            if len(sorted_by) > 1:
                return " != ".join(" = ".join(group) for group in sorted_by.values())
        return ""

    def differ(self, lines: list[str], blind: int = 0) -> str:
        return self.run([lines], [blind])[0]

    def run_beside(self, programs: Sequence[tuple[list[str], list[str]]]) -> list[str]:
        """Of which children rows differ between the two of each pair."""
        batch = [marshal.dumps(_code(lines)) for pair in programs for lines in pair]
        answers = list(self.pool.map(lambda child: child.ask(batch, True), self.children))
        return [self._compare_beside(answers, 2 * i) for i in range(len(programs))]

    def _compare_beside(self, answers: list[list[Answer] | CrashError], i: int) -> str:
        bad = []
        for child, one in zip(self.children, answers, strict=True):
            if isinstance(one, CrashError):
                return f"crash: {one}"
            if one[i] != one[i + 1]:
                bad.append(f"{child.width}/{child.workers}")
        return " ".join(bad)

    def differ_beside(self, alone: list[str], beside: list[str]) -> str:
        return self.run_beside([(alone, beside)])[0]


def as_python(lines: Sequence[str], combinations: Iterable[tuple[str, int, bool]]) -> str:
    """A program that prints the hash at its end by width, workers and whether it reads."""
    body = "\n".join(f"    {'if READS: ' * line.startswith('see(')}{line}" for line in lines)
    return (
        f"{PREAMBLE}from pyphys2d import _core\n\n"
        f"for WIDTH, WORKERS, READS in {list(combinations)!r}:\n"
        "    _core._set_simd(WIDTH)\n    see = print\n    b, j, f = {}, {}, {}\n"
        f"{body}\n    print(WIDTH, WORKERS, READS, w.hash())\n"
    )


def run_python(program: str) -> str:
    """What a program prints, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout


def _report(team: Team, seed: int) -> str:
    lines = determinism_worlds.program(seed)
    which = team.differ(lines, seed)
    if not which:
        return f"seed {seed}: differed once, and not again\n" + "\n".join(lines)
    small = reduce(lines, lambda shorter: team.differ(shorter, seed) != "")
    blind = seed % len(team.children)
    combinations = [(c.width, c.workers, k != blind) for k, c in enumerate(team.children)]
    which = team.differ(small, seed) or which
    return f"seed {seed}: {which}\n{as_python(small, combinations)}"


def _report_beside(team: Team, seed: int) -> str:
    alone, beside = determinism_worlds.neighbours(seed)
    own = set(alone)
    which = team.differ_beside(alone, beside)

    def differs(lines: list[str]) -> bool:
        return team.differ_beside([line for line in lines if line in own], lines) != ""

    small = reduce(beside, differs)
    text = "\n".join(line if line in own else f"{line}  # neighbour" for line in small)
    return f"seed {seed} beside others: {which}\n{text}"


def fuzz(seeds: Sequence[int], team: Team, beside: bool = False) -> list[str]:
    """Reports of the worlds of these seeds that differ."""
    reports: list[str] = []
    for first in range(0, len(seeds), BATCH):
        chunk = seeds[first : first + BATCH]
        if beside:
            found = team.run_beside([determinism_worlds.neighbours(seed) for seed in chunk])
        else:
            found = team.run([determinism_worlds.program(seed) for seed in chunk], chunk)
        report = _report_beside if beside else _report
        reports += [report(team, seed) for seed, which in zip(chunk, found, strict=True) if which]
    return reports


def main() -> int:
    parser = argparse.ArgumentParser(description="Random worlds at every width, by 1 to 3 workers.")
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first world")
    parser.add_argument("--neighbours", action="store_true", help="worlds alone and beside others")
    parser.add_argument("--jobs", type=int, default=1, help="processes busy at a time")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        _serve(options.serve)
        return 0
    start, found = time.perf_counter(), 0
    with Team(jobs=options.jobs) as team:
        for first in range(0, options.worlds, 10 * BATCH):
            seeds = range(first, min(first + 10 * BATCH, options.worlds))
            for report in fuzz([options.seed + k for k in seeds], team, options.neighbours):
                print(report, flush=True)
                found += 1
    took = time.perf_counter() - start
    spent = sum(os.times()[:4])  # with the children, which have ended
    widths = ", ".join(p2.simd.available)
    print(
        f"{options.worlds} worlds from seed {options.seed}, widths {widths}, workers {WORKERS}: "
        f"{found} differ; {options.worlds / took:.1f} worlds/s, "
        f"{options.worlds / spent:.1f} for each second of a core"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
