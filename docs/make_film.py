"""Makes the films of the README and of docs/plotting.md: ``python docs/make_film.py``."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import pyphys2d as p2
from pyphys2d import plot, scenes

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
STEPS = 200


def collision() -> None:
    """images/collision.gif: the scene of that name."""
    scene = scenes.build("collision")
    with scene.world.record(contacts=True) as run:
        scene.world.step(1 / 60, n=STEPS)
    figure, ax = plt.subplots(figsize=(6.4, 3.6), dpi=84)
    ax.axis("off")
    figure.subplots_adjust(0, 0, 1, 1)
    film = plot.animate(run, ax=ax, fps=15, clock=False, color="shape", view=(-9, -1.8, 9, 8.3))
    film.save(IMAGES / "collision.gif")
    plt.close(figure)


def follow() -> None:
    """images/follow.gif: the run that docs/plotting.md makes a film of."""
    text = (DOCS / "plotting.md").read_text("utf-8")
    block = re.search(r"```python\n(road = .*?)^film = ", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    names = {"np": np, "p2": p2}
    exec(compile(block[1], "docs/plotting.md", "exec"), names)
    figure, ax = plt.subplots(figsize=(6, 3.36), dpi=80)
    figure.subplots_adjust(0.06, 0.1, 0.99, 0.98)
    film = plot.animate(names["trip"], ax=ax, fps=12, follow="cart", view=(-4, -1.2, 6, 4.4))
    ax.set(xlabel="", ylabel="")
    film.save(IMAGES / "follow.gif")
    plt.close(figure)


if __name__ == "__main__":
    collision()
    follow()
