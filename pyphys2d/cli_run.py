"""Runs a scene for the command line: progress, summary, trajectory, picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from pyphys2d import World, _files
from pyphys2d.scenes import Scene, SceneError
from pyphys2d.trajectory import Trajectory

SECONDS_WITHOUT_BAR = 2.0
MAX_FRAMES = 600
MAX_POSES = 8_000_000  # over all frames; 24 bytes each


class OutputError(Exception):
    """An output that cannot be written."""


class _Bar(Protocol):
    def update(self, n: int) -> Any: ...
    def close(self) -> None: ...


class Progress:
    """A progress bar that appears once a run turns out to take more than two seconds."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._start = perf_counter()
        self._bar: _Bar | None = None
        self.missing = False

    def advance(self) -> None:
        """One more step is done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(1)
            return
        elapsed = perf_counter() - self._start
        # The first steps are the slowest (memory is touched for the first time), so the guess waits
        # a little.
        if not self.missing and elapsed > 0.25 and self._expected(elapsed) > SECONDS_WITHOUT_BAR:
            self._open()

    def _expected(self, elapsed: float) -> float:
        return elapsed * self._total / self._done

    def _open(self) -> None:
        try:
            from tqdm import tqdm
        except ImportError:
            self.missing = True
            return
        self._bar = tqdm(total=self._total, initial=self._done, unit="step", leave=False)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


def show(scene: Scene, steps: int | None, out: Path, stem: str | None = None) -> None:
    """Simulate a scene and print the summary.

    Writes STEM.npz, STEM.html and a picture, STEM.png or without Matplotlib STEM.svg, into the
    folder ``out``.
    """
    count = scene.steps if steps is None else steps
    name = stem or scene.name
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    print(f"{scene.name}: {scene.description}" if scene.description else scene.name)
    print(
        f"{count} steps of {1000 * scene.dt:.4g} ms, {len(scene.world.bodies)} bodies", flush=True
    )

    trajectory, seconds, notes = simulate(scene, count)
    summary(scene.world, count, seconds)

    data = out / f"{name}.npz"
    with writing(data):
        trajectory.save(data)
    print(f"wrote     {data}")
    page = out / f"{name}.html"
    with writing(page):
        trajectory.to_html(page)
    print(f"wrote     {page}")
    picture = draw(scene, out, name)
    print(f"wrote     {picture}")
    if picture.suffix != ".png":
        notes.append(f"{name}.png needs Matplotlib")
    if notes:
        print(f"note      {'; '.join(notes)}: pip install 'pyphys2d[demo]' (the extra 'demo')")


def simulate(scene: Scene, count: int) -> tuple[Trajectory, float, list[str]]:
    """Run ``count`` steps: the trajectory, the seconds spent in steps, notes for the user."""
    world, hook = scene.world, scene.before_step
    frames = min(MAX_FRAMES, max(2, MAX_POSES // max(len(world.bodies), 1)))
    every = -(-count // frames)
    trajectory = Trajectory(scene.name)
    trajectory.add_frame(world)
    progress = Progress(count)
    seconds = 0.0
    try:
        for step in range(count):
            if hook is not None:
                hook(world, step)
            start = perf_counter()
            try:
                world.step(scene.dt)
            except ValueError as error:
                raise SceneError(f"{scene.name}: step {step}: {error}") from None
            seconds += perf_counter() - start
            if (step + 1) % every == 0 or step + 1 == count:
                trajectory.add_frame(world)
            progress.advance()
    finally:
        progress.close()
    return trajectory, seconds, ["a progress bar needs tqdm"] if progress.missing else []


def summary(world: World, count: int, seconds: float) -> None:
    """Print what the world came to."""
    kinds = Counter(body.kind for body in world.bodies)
    parts = [f"{kinds[kind]} {kind}" for kind in ("dynamic", "kinematic", "static") if kinds[kind]]
    awake = sum(body.awake for body in world.bodies if body.kind == "dynamic")
    contacts = world.contacts
    deepest = max(0.0, -float(contacts["separation"].min())) if len(contacts) else 0.0
    ms = 1000 * seconds / count
    rate = f"{1000 / ms:,.0f}" if ms > 0 else "-"
    print(f"bodies    {len(world.bodies)} ({', '.join(parts) or 'none'}), {awake} awake")
    print(f"contacts  {len(contacts)} points, deepest {1000 * deepest:.3g} mm")
    print(
        f"energy    kinetic {world.kinetic_energy():.4g} J, "
        f"potential {world.potential_energy():.4g} J"
    )
    print(f"speed     {ms:.4g} ms per step, {rate} steps per second")


def draw(scene: Scene, out: Path, stem: str) -> Path:
    """Write the picture of the world as it is: STEM.png, or STEM.svg without Matplotlib."""
    try:
        from matplotlib.figure import Figure

        from pyphys2d import plot
    except ImportError:
        return _draw_alone(scene.world, out / f"{stem}.svg")
    path = out / f"{stem}.png"
    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = plot.world(scene.world, figure.add_subplot(), view=scene.view)
    # The figure takes the shape of the scene, so that no picture is mostly margin.
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    height = min(max(8.2 * (y1 - y0) / (x1 - x0) + 1.0, 3.2), 10.0)
    figure.set_size_inches(9, height)
    axes.set_title(f"{scene.name}, t = {scene.world.time:.2f} s")
    with writing(path):
        _files.save(path, lambda place: figure.savefig(place, dpi=110, format="png"))
    return path


def _draw_alone(world: World, path: Path) -> Path:
    svg = world._repr_svg_()
    assert svg is not None  # no step is under way
    with writing(path):
        _files.save(path, lambda place: place.write_text(svg, encoding="utf-8"))
    return path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure of the file system into an `OutputError` that names the path."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None
