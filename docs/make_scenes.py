"""Makes docs/scenes.md and its pictures: ``python docs/make_scenes.py [page | NAME...]``."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pyphys2d import Circle, Trajectory, World, plot, scenes
from pyphys2d.scenes import platformer

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
WIDTH = 6.4  # inches

DPI = 160  # sharp on screens of twice the usual resolution

# The step that is drawn, where it is not the last.
MOMENTS = {
    "asteroids": 400,
    "bridge": 400,
    "car": 225,
    "collision": 62,
    "conveyor": 780,
    "crane": 660,
    "dominoes": 200,
    "double_pendulum": 900,
    "explosion": 107,
    "gears": 100,
    "mixed": 60,
    "naval": 300,
    "net": 240,
    "newtons_cradle": 768,
    "one_way": 468,
    "pinball": 430,
    "ragdolls": 58,
    "theo_jansen": 300,
    "tumbler": 400,
    "tunneling": 17,
}
# The part that is drawn, where it is not the scene's own.
VIEWS = {
    "car": (8.0, -4.0, 44.0, 8.0),
    "dominoes": (-10.0, -0.9, 11.0, 3.2),
    "double_pendulum": (-2.3, -2.3, 2.3, 2.0),
    "explosion": (-8.0, -0.6, 8.0, 9.0),
    "naval": (4.0, -12.0, 64.0, 36.0),
    "platformer": (24.0, -3.0, 62.0, 9.0),
    "ragdolls": (-3.0, -0.4, 9.0, 6.2),
    "theo_jansen": (0.0, -1.0, 20.0, 9.0),
    "tunneling": (-9.0, -8.4, 17.5, 8.4),
}
# What colours say, where it is not what bodies do.
COLORS = {
    "asteroids": "shape",
    "collision": "shape",
    "conveyor": "shape",
    "dominoes": "speed",
    "explosion": "speed",
    "mixed": "shape",
    "one_way": "shape",
    "tumbler": "speed",
}
MAP = {"island": "#d5dcc3", "grey": "C3", "blue": "C0", "west": "C2", "channel": "C1"}
PALETTES = {"arch": ("#d8a96b", "#c08a4e"), "card_house": ("#a33a0e", "#0b4f7d")}
CROWDED = {
    "bridge",
    "car",
    "double_pendulum",
    "explosion",
    "ragdolls",
    "tumbler",
}  # joints would hide the bodies
HEAD = """# The scenes

`python -m pyphys2d scenes` lists them, `python -m pyphys2d demo NAME` runs one and draws it,
`python -m pyphys2d play NAME` opens it in a browser, where its bodies can be dragged and thrown,
and `python -m pyphys2d scenes --source NAME` prints its source. In Python, `scenes.build("NAME")`
gives a `Scene` with its `world`, and `scene.run()` runs it. On the site, a click on a picture
plays the film of the scene. This page is made by `python docs/make_scenes.py`.
"""


def draw_run(run: platformer.Run, axes: Axes) -> None:
    """The way of a character, and itself every 0.4 s and at the end."""
    path = np.array(run.path)
    axes.plot(path[:, 0], path[:, 1] + 0.7, "C3", linewidth=0.8)
    moments = [*range(0, len(path) - 1, 24), len(path) - 1]
    poses = np.column_stack([path[moments], np.zeros(len(moments))])
    plot.shape(run.mover.capsule, poses, axes, color="C1", linewidth=0.5)


def draw_tips(run: Trajectory, axes: Axes) -> None:
    """The paths of the lower ends of five double pendulums in the last two seconds."""
    recent = run[-120:]
    for k in range(5):
        lower = recent[f"lower {k}"]
        angles = lower.angles[:, 0]
        tips = lower.positions[:, 0] + np.column_stack([np.cos(angles), np.sin(angles)])
        axes.plot(*tips.T, color=f"C{k}", linewidth=0.9, zorder=0.5)


def draw_looks(run: Trajectory, axes: Axes) -> None:
    """Balls where each step had them, as far as they are seen, and their speeds."""
    ball = run.body_names.index("wall") + 1
    for k in range(ball, len(run.body_names)):
        through = run.positions[-1, k, 0] > 0
        poses = np.column_stack([run.positions[:-1, k], run.angles[:-1, k]])
        color, pale = ("#a33a0e", "#f2c4ae") if through else ("#0b4f7d", "#bcd9ea")
        plot.shape(Circle(0.4), poses[poses[:, 0] > -8.4], axes, color=pale, linewidth=0.6)
        axes.text(17.1, poses[0, 1], run.body_names[k], ha="right", va="center", color=color)


OVER = {"double_pendulum": draw_tips, "tunneling": draw_looks}


def colors(name: str, world: World) -> str | list[str]:
    """What the colours of a scene say; of some, each thing has its own."""
    if name == "naval":
        found = ["#333333"] * len(world.kinds)  # cannonballs
        for body in world.bodies:
            found[body.index] = MAP.get((body.name or "").split()[0], "#333333")
        return found
    if name in PALETTES:
        grey = "#c9c9c2"
        kinds = enumerate(world.kinds)
        return [PALETTES[name][slot % 2] if kind == 2 else grey for slot, kind in kinds]
    if name == "double_pendulum":
        return [f"C{slot // 2}" for slot in range(len(world.kinds))]
    if name != "ragdolls":
        return COLORS.get(name, "state")
    heads = [body.index for body in world.bodies if body.name == "hips"]  # the first of each
    found = ["#c9c9c2"] * len(world.kinds)
    for body in world.bodies:
        if body.kind == "dynamic":
            found[body.index] = f"C{sum(head <= body.index for head in heads) - 1}"
    return found


def picture(name: str) -> None:
    """Draw a scene at its moment into docs/images/scene-NAME.png."""
    scene = scenes.build(name)
    with scene.world.record() as run:
        scene.run(MOMENTS.get(name, scene.steps))
    figure = Figure(figsize=(WIDTH, 4), layout="constrained")
    axes = plot.world(
        scene.world,
        figure.add_subplot(),
        view=VIEWS.get(name, scene.view),
        contacts=False,
        joints=name not in CROWDED,
        color=colors(name, scene.world),
        legend=COLORS.get(name) == "speed",
    )
    if isinstance(scene.before_step, platformer.Run):
        draw_run(scene.before_step, axes)
    if name == "naval":
        axes.set_facecolor("#e8f2f8")
    if name in OVER:
        OVER[name](run, axes)
    axes.set(xlabel="", ylabel="")
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    figure.set_size_inches(WIDTH, min(max((WIDTH - 0.5) * (y1 - y0) / (x1 - x0) + 0.4, 1.2), 4.5))
    figure.savefig(IMAGES / f"scene-{name}.png", dpi=DPI)


def page() -> str:
    """The text of docs/scenes.md."""
    parts = [HEAD]
    for name, entry in scenes.SCENES.items():
        sentence = entry.description[0].upper() + entry.description[1:]
        source = scenes.source(name)
        language = "json" if source.startswith("{") else "python"
        parts.append(
            f"## {name}\n\n{sentence}.\n\n![{sentence}](images/scene-{name}.png)\n\n"
            f"<details><summary>Source</summary>\n\n```{language}\n{source}```\n\n</details>\n"
        )
    return "\n".join(parts)


def main(names: list[str]) -> None:
    """Make the page, and the pictures of these scenes or of all; ``page``: of none."""
    for name in [] if names == ["page"] else names or scenes.SCENES:
        picture(name)
        print(f"wrote docs/images/scene-{name}.png")
    (DOCS / "scenes.md").write_text(page(), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
