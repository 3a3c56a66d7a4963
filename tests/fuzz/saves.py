"""Saves that are stopped: by a signal or a kill at random moments, by a disk that is full.

Whatever stops a save, the file is the old one or the new one, whole, and after an exception nothing
else is in the folder (a killed process may leave a file ``.pyphys2d-*``).

    python tests/fuzz/saves.py --count 1000 --seed 1            # each kind of save, each stop
    python tests/fuzz/saves.py --kinds npz --stops signal,disk

The full disk is a tmpfs of 1 MB, which root may mount; a limit on the size of files stands for it
elsewhere.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import logging
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image, ImageSequence

import pyphys2d as p2
from pyphys2d import scenes
from pyphys2d.cli_run import OutputError, draw
from pyphys2d.trajectory import Trajectory

DISK = 2**20

Save = Callable[[Path], Any]


def trajectory(seed: int, bodies: int = 40, frames: int = 60) -> Trajectory:
    """Bodies that fly apart: numbers that do not compress."""
    rng = np.random.default_rng(seed)
    world = p2.World((0, 0))
    for place, velocity in zip(
        rng.uniform(-9, 9, (bodies, 2)), rng.normal(0, 9, (bodies, 2)), strict=True
    ):
        world.add_body(p2.Circle(0.1), place, velocity=velocity, angular_velocity=float(place[0]))
    return Trajectory.record(world, frames - 1)


def film(seed: int) -> Any:
    axes = Figure(figsize=(2, 2)).add_subplot()
    return p2.plot.animate(trajectory(seed, 3, 3 * seed - 1), ax=axes, view=(-9, -9, 9, 9))


def save_npz(seed: int, large: bool) -> Save:
    return trajectory(seed, *((120, 200) if large else (40, 60))).save


def save_png(seed: int, _: bool) -> Save:
    scene = scenes.build("collision")
    scene.run(seed)
    return lambda path: draw(scene, path.parent, path.stem)


def save_film(seed: int, _: bool) -> Save:
    # A film of its own each time: Matplotlib keeps the HTML that it made.
    return lambda path: film(seed).save(path, dpi=30)


KINDS: dict[str, Callable[[int, bool], Save]] = {
    "npz": save_npz,
    "png": save_png,
    "gif": save_film,
    "html": save_film,
}
if shutil.which("ffmpeg") and shutil.which("ffprobe"):
    KINDS["mp4"] = save_film
COUNT_FRAMES = (
    "ffprobe -v error -count_frames -select_streams v:0 "
    "-show_entries stream=nb_read_frames -of csv=p=0"
)


def contents(path: Path) -> Any:
    """What a file says, without what differs from save to save; an error if it is not whole."""
    data = path.read_bytes()
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return {name: arrays[name].tobytes() for name in arrays.files}
    # A drawing that was interrupted may leave the next one a pixel off: films go by their frames.
    if path.suffix == ".html":
        assert data.endswith(b"</html>\n")
        return len(re.findall(rb"frames\[\d+\] = ", data))
    if path.suffix == ".gif":
        with Image.open(path) as film:
            return sum(1 for frame in ImageSequence.Iterator(film) if frame.load())
    if path.suffix == ".mp4":
        probe = subprocess.run([*COUNT_FRAMES.split(), path], capture_output=True, check=True)
        assert not probe.stderr, probe.stderr
        return int(probe.stdout)
    return data


class Stopped:
    """One kind of save, stopped again and again, in a folder of its own."""

    def __init__(self, kind: str, folder: Path, large: bool = False) -> None:
        self.kind = kind
        self.path = folder / f"file.{kind}"
        # Tried elsewhere: both may not fit on the disk.
        with tempfile.TemporaryDirectory() as name:
            trial = Path(name) / self.path.name
            KINDS[kind](1, large)(trial)
            self.old, self.old_contents = trial.read_bytes(), contents(trial)
            self.save = KINDS[kind](2, large)
            # The quickest of a few: on a busy machine one may take many times as long as most, and
            # moments drawn from that would be after the end.
            self.seconds = math.inf
            for _ in range(5):
                start = perf_counter()
                self.save(trial)
                self.seconds = min(self.seconds, perf_counter() - start)
            self.size = trial.stat().st_size
            self.new_contents = contents(trial)
        assert self.old_contents != self.new_contents
        self.stopped = 0
        self.kept = 0

    def check(self, strays: bool = False) -> None:
        """The old file or the new one, and nothing beside it."""
        now = contents(self.path)
        assert now in (self.old_contents, self.new_contents), f"{self.path} is a mix"
        beside = sorted(set(os.listdir(self.path.parent)) - {self.path.name, "filler"})
        if strays:
            for name in beside:
                assert name.startswith(".pyphys2d-")
                stray = self.path.parent / name
                shutil.rmtree(stray) if stray.is_dir() else stray.unlink()
        else:
            assert not beside, beside
        self.kept += now == self.old_contents

    def signals(self, count: int, rng: random.Random) -> None:
        """Interrupted by a signal at a random moment, as by Ctrl-C."""
        fired = False

        def interrupt(number: int, frame: object) -> None:
            nonlocal fired
            fired = True
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            for _ in range(count):
                self.path.write_bytes(self.old)
                fired = False
                moment = rng.uniform(1e-6, 1.1 * self.seconds)
                try:
                    signal.setitimer(signal.ITIMER_REAL, moment)
                    self.save(self.path)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except (KeyboardInterrupt, Exception):
                    # Matplotlib turns an interrupt into a ValueError here and there.
                    assert fired
                    self.stopped += 1
                signal.setitimer(signal.ITIMER_REAL, 0)
                self.check()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def small_files(self, count: int, rng: random.Random) -> None:
        """Files may not grow beyond a random size."""
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        for _ in range(count):
            self.path.write_bytes(self.old)
            try:
                resource.setrlimit(resource.RLIMIT_FSIZE, (rng.randrange(self.size), hard))
                self.save(self.path)
            except (OSError, OutputError, subprocess.CalledProcessError):
                self.stopped += 1
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            self.check()

    def full_disk(self, count: int, rng: random.Random) -> None:
        """The file system of 1 MB that the folder is has a random number of bytes left."""
        filler = self.path.with_name("filler")
        for _ in range(count):
            filler.unlink(missing_ok=True)
            self.path.write_bytes(self.old)
            status = os.statvfs(filler.parent)
            free = status.f_bavail * status.f_frsize
            room = min(rng.randrange(self.size), free)
            filler.write_bytes(bytes(free - room))
            try:
                self.save(self.path)
            except (OSError, OutputError, subprocess.CalledProcessError) as error:
                if "space" not in str(error) and self.kind != "mp4":  # FFmpeg tells its own log
                    raise
                self.stopped += 1
            self.check()

    def kills(self, count: int, rng: random.Random) -> None:
        """The process is killed at a random moment."""
        for _ in range(count):
            self.path.write_bytes(self.old)
            ready, writing = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    os.write(writing, b"!")
                    while True:
                        self.save(self.path)
                finally:
                    os._exit(1)
            os.read(ready, 1)
            sleep(rng.uniform(0, 2 * self.seconds))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            assert os.WIFSIGNALED(status), "the save failed by itself"
            os.close(ready)
            os.close(writing)
            self.stopped += 1
            self.check(strays=True)


STOPS = {
    "signal": Stopped.signals,
    "limit": Stopped.small_files,
    "disk": Stopped.full_disk,
    "kill": Stopped.kills,
}


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A file system of 1 MB; `PermissionError` if none can be mounted."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        raise PermissionError(errno.EPERM, "only root on Linux mounts a file system")
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder]
        done = subprocess.run(mount, capture_output=True, text=True)
        if done.returncode:
            raise PermissionError(errno.EPERM, f"mount: {done.stderr.strip()}")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


@contextlib.contextmanager
def folder_for(stop: str) -> Iterator[Path]:
    if stop == "disk":
        with small_disk() as folder:
            yield folder
    else:
        with tempfile.TemporaryDirectory() as name:
            yield Path(name)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="stops of each kind of save")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--stops", default=",".join(STOPS))
    options = parser.parse_args()
    logging.disable()  # Matplotlib's reports of an FFmpeg that fails
    for stop in options.stops.split(","):
        for kind in options.kinds.split(","):
            rng = random.Random(f"{options.seed} {stop} {kind}")
            start = perf_counter()
            with contextlib.ExitStack() as stack:
                try:
                    folder = stack.enter_context(folder_for(stop))
                except PermissionError as error:
                    print(f"{stop:<7} {kind:<5} passed over: {error.strerror}", flush=True)
                    continue
                found = Stopped(kind, folder, large=stop == "disk" and kind == "npz")
                STOPS[stop](found, options.count, rng)
            print(
                f"{stop:<7} {kind:<5} {options.count} saves, {found.stopped} stopped, "
                f"{found.kept} left the old file, {options.count - found.kept} the new one, "
                f"{perf_counter() - start:.0f} s",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
