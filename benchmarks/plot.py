"""What a picture of 5,000 bodies costs: made from a world, and moved and drawn again; and a picture
of a film.

python benchmarks/plot.py            # table, kept in results/plot.csv
python benchmarks/plot.py --check    # exit code 1 when a target is missed

Processor time of the process, which works alone: on an idle machine it is the time one waits.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable

import matplotlib as mpl
import numpy as np
from common import best, version, write_csv
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import pyphys2d as p2

MANY = 5_000
WIDE = 100  # columns
LIMIT = 100.0  # milliseconds

SHAPES = {
    "boxes": [p2.Box(0.9, 0.9)],
    "circles": [p2.Circle(0.45)],
    "mixed shapes": [
        p2.Box(0.9, 0.9),
        p2.Circle(0.45),
        p2.RegularPolygon(5, 0.5),
        p2.Capsule((-0.2, 0), (0.2, 0), 0.25),
        p2.Box(0.5, 0.5, radius=0.2),
    ],
}


def world_of(shapes: list[p2.Shape]) -> p2.World:
    """A floor and 5,000 bodies in rows, every third of which sleeps."""
    world = p2.World()
    world.add_body(p2.Box(WIDE + 10, 1), (WIDE / 2, -1), kind="static")
    places = np.arange(MANY)
    positions = np.column_stack([places % WIDE, places // WIDE]).astype(float)
    for k, shape in enumerate(shapes):
        world.add_bodies(shape, positions[k :: len(shapes)], awake=places[k :: len(shapes)] % 3 > 0)
    return world


def empty_canvas() -> Figure:
    """A figure of 800 x 600 pixels that is drawn in memory."""
    figure = Figure(figsize=(8, 6), dpi=100)
    FigureCanvasAgg(figure)
    figure.add_subplot()
    return figure


def bare() -> float:
    """Milliseconds to draw the axes alone."""
    figure = empty_canvas()
    return 1e3 * best(figure.canvas.draw, 3, timer=time.process_time)


def build(shapes: list[p2.Shape]) -> float:
    """Milliseconds for `plot.world`, without drawing."""
    world = world_of(shapes)
    return 1e3 * best(
        lambda: p2.plot.world(world, empty_canvas().axes[0]), 1, timer=time.process_time
    )


def redraw(shapes: list[p2.Shape]) -> float:
    """Milliseconds to move all bodies and draw the figure."""
    world = world_of(shapes)
    figure = empty_canvas()
    bodies = p2.plot.Bodies(world, figure.axes[0])
    figure.axes[0].set(xlim=(-3, WIDE + 3), ylim=(-3, 70), aspect="equal")
    rng = np.random.default_rng(0)

    def again() -> None:
        positions = world.positions + rng.normal(0, 0.01, world.positions.shape)
        angles = rng.normal(0, 0.1, len(world.angles))
        bodies.move(positions, angles, awake=rng.random(len(angles)) < 0.7)
        figure.canvas.draw()

    return 1e3 * best(again, 1, 25, time.process_time)


def film(bodies: int, contacts: bool) -> float:
    """Milliseconds of a GIF for each of its pictures."""
    pictures, dt = 20, 1 / 30
    world = p2.World()
    world.add_body(p2.Box(60, 1), (0, -0.5), kind="static")
    places = np.arange(bodies)
    world.add_bodies(p2.Box(0.8, 0.8), np.column_stack([places % 30 - 15, 0.5 + places // 30]))
    with world.record(contacts=contacts) as run:
        for _ in range(pictures):
            world.step(dt)

    def save() -> None:
        with tempfile.TemporaryDirectory() as folder:
            p2.plot.animate(run, fps=30).save(f"{folder}/film.gif")

    return 1e3 * best(save, 1, 3, time.process_time) / pictures


def main() -> int:
    """Measures, prints, keeps; 1 when --check is given and a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 when a target is missed")
    parser.add_argument("--no-csv", action="store_true", help="do not write results/plot.csv")
    options = parser.parse_args()
    table: list[tuple[str, Callable[[], float], float | None]] = [("draw empty axes", bare, None)]
    for name, shapes in SHAPES.items():
        table.append((f"plot.world, {name}", lambda s=shapes: build(s), None))  # type: ignore[misc]
        table.append(
            (f"move and draw, {name}", lambda s=shapes: redraw(s), LIMIT)  # type: ignore[misc]
        )
    for bodies, contacts in ((10, False), (300, False), (300, True)):
        what = f"film, {bodies} bodies" + (", contacts" if contacts else "")
        table.append((what, lambda n=bodies, c=contacts: film(n, c), None))  # type: ignore[misc]
    rows = []
    print(f"{MANY:,} bodies, 800 x 600 pixels, Matplotlib {mpl.__version__}")
    print(f"{'best of several':<34}{'measured':>12}{'target':>12}")
    for what, measure, target in table:
        value = measure()
        verdict = "" if target is None else "pass" if value <= target else "FAIL"
        limit = "" if target is None else f"<= {target:g} ms"
        print(f"{what:<34}{value:>9.1f} ms{limit:>12}  {verdict}", flush=True)
        rows.append(
            {
                "matplotlib": version("matplotlib"),
                "what": what,
                "value": f"{value:.4g}",
                "unit": "ms",
                "target": "" if target is None else target,
                "verdict": verdict,
            }
        )
    if not options.no_csv:
        write_csv("plot", rows)
    return int(options.check and any(row["verdict"] == "FAIL" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
